; One kernel that two inputs instantiate is one kernel; a function that both have is
; there once.
; RUN: llvm-as %s -o %t.bc
; RUN: cp %t.bc %t.2.bc
; RUN: %smelt-cc %t.bc %t.2.bc --verify --stop-after check -o - | FileCheck %s
; RUN: %smelt-cc %t.bc %t.2.bc --targets cpu -o %t.o

; CHECK: define {{.*}}void @saxpy_0000000000000007(ptr %b)
; CHECK: define internal i32 @_RNvCs2_3app6helper()
; CHECK-NOT: define
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5saxpyE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  %x = call i32 @_RNvCs2_3app6helper()
  ret void
}

define internal i32 @_RNvCs2_3app6helper() {
  ret i32 3
}
