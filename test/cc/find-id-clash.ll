; Two functions with one id, and one function with two layouts, are errors.
; RUN: llvm-as %s -o %t.bc
; RUN: not %smelt-cc %t.bc -o %t.o 2>&1 | FileCheck %s

; CHECK: error: kernels `app::{{saxpy|other}}` and `app::{{saxpy|other}}` have the same id 0{{0*}}7
; CHECK-NEXT: = note: one is in {{.*}}.bc, the other in
; CHECK: error: kernel `app::twice` is launched with two layouts of its arguments
; CHECK: error: 2 errors in the kernels of
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5saxpyE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5otherE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5twicemE(ptr %b) {
  call void @__smelt_kernel_id(i128 8)
  call void @__smelt_block_layout(i64 24, i64 8)
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5twiceyE(ptr %b) {
  call void @__smelt_kernel_id(i128 8)
  call void @__smelt_block_layout(i64 32, i64 8)
  ret void
}
