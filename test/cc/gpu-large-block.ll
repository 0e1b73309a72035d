; A block too large for a target is an error that names the kernel; one that fits
; newer PTX gets it.
; RUN: llvm-as %s -o %t.bc
; RUN: not %smelt-cc %t.bc --targets gfx90a -o %t.o 2>&1 | FileCheck %s --check-prefix=AMD
; RUN: not %smelt-cc %t.bc --targets sm_60 -o %t.o 2>&1 | FileCheck %s --check-prefix=OLD
; RUN: %smelt-cc %t.bc --targets sm_75 --stop-after emit -o - | FileCheck %s --check-prefix=PTX

; AMD: error: {{.*}}kernel `k::huge` take 5000 bytes; gfx90a allows 4096
; OLD: error: {{.*}}kernel `k::huge` take 5000 bytes; sm_60 allows 4096
; PTX: .version 8.1
; PTX: [5000]
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k4hugeE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 5000, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  store i64 1, ptr %y, align 8
  ret void
}
