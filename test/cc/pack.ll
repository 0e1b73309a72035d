; The object: table and images in their sections, a constructor, no symbol that
; another program or library could see, and images that LLVM's own tool lists and extracts.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --crate p --targets cpu,sm_75,gfx90a -o %t.o
; RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=SECTIONS
; RUN: llvm-readelf -s %t.o | FileCheck %s --check-prefix=SYMBOLS
; RUN: llvm-objcopy --dump-section smelt_images=%t.images %t.o
; RUN: llvm-offload-binary %t.images --image=file=%t.hsaco,triple=amdgcn-amd-amdhsa,arch=gfx90a
; RUN: llvm-readelf -h %t.hsaco | FileCheck %s --check-prefix=HSACO
; RUN: llvm-offload-binary %t.images --image=file=%t.ptx,triple=nvptx64-nvidia-cuda,arch=sm_75
; RUN: FileCheck %s --check-prefix=PTX < %t.ptx

; SECTIONS-DAG: smelt_kernels PROGBITS
; SECTIONS-DAG: smelt_images PROGBITS
; SECTIONS-DAG: .init_array INIT_ARRAY
; SYMBOLS-NOT: {{(GLOBAL|WEAK) +DEFAULT +[0-9A]}}
; SYMBOLS-DAG: WEAK DEFAULT UND smelt_image_register
; SYMBOLS-DAG: GLOBAL HIDDEN {{.*}} saxpy_{{[0-9a-f]+}}_cpu
; SYMBOLS-NOT: {{(GLOBAL|WEAK) +DEFAULT +[0-9A]}}
; HSACO: Machine: {{.*}}AMDGPU
; PTX: .target sm_75
; PTX: .entry saxpy_0000000000000007
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5saxpyE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  ret void
}
