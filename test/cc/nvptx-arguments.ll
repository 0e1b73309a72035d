; What the arguments promise reaches the code. Reads of readonly memory go through the
; read-only cache, and a store does not stop the second read from being the first.
; An address that may have two bases promises nothing.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after entry -o - | FileCheck %s --check-prefix=ENTRY
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after entry -o - | FileCheck %s --check-prefix=AMD

; ENTRY: define {{.*}}ptx_kernel void @one_base_{{.*}}(ptr {{.*}}byval([40 x i8]) align 8
; ENTRY-NOT: __smelt_arg
; ENTRY: load double, {{.*}}!invariant.load {{.*}}!alias.scope
; ENTRY: store double {{.*}}!alias.scope
; ENTRY: define {{.*}}ptx_kernel void @two_bases_
; ENTRY-NOT: !invariant.load
; ENTRY-NOT: !alias.scope
; ENTRY: ret void

; AMD: define protected amdgpu_kernel void @one_base_{{.*}}(ptr addrspace(4) {{.*}}byref([40 x i8]) align 8
; AMD: load double, {{.*}}!invariant.load {{.*}}!alias.scope

; PTX-LABEL: .entry one_base_
; PTX-COUNT-1: ld.global.nc.b64
; PTX-NOT: ld.global
; PTX: ret
; PTX-LABEL: .entry two_bases_
; PTX-NOT: .nc.
; PTX: ret
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k8one_baseE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 40, i64 8)
  call void @_RNvCs2_1k8one_base(ptr %b)
  ret void
}

define internal void @_RNvCs2_1k8one_base(ptr %b) {
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %yp = getelementptr i8, ptr %b, i64 24
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %xi = getelementptr double, ptr %x, i64 %i
  %yi = getelementptr double, ptr %y, i64 %i
  %v = load double, ptr %xi, align 8
  store double %v, ptr %yi, align 8
  %w = load double, ptr %xi, align 8
  %yj = getelementptr double, ptr %yi, i64 1
  store double %w, ptr %yj, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k9two_basesE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 40, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %yp = getelementptr i8, ptr %b, i64 24
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %c = icmp ult i32 %t, 7
  %p = select i1 %c, ptr %x, ptr %y
  %v = load double, ptr %p, align 8
  %q = getelementptr double, ptr %p, i64 1
  store double %v, ptr %q, align 8
  ret void
}
