; A shared static inside constant vectors and aggregates: each is put together from
; the block's address.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify -o %t.o
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after optimise -o - | FileCheck %s
; CHECK: %shared = load ptr
; CHECK: insertelement <2 x ptr> poison, ptr %shared, i64 0
; CHECK: insertvalue { ptr, i64 } poison, ptr %shared, 0
; CHECK: insertvalue [2 x { ptr, i64 }] poison
; CHECK-NOT: @a
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
@a = internal global [4 x i32] undef, section ".smelt.shared", align 4
declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  %at = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %at
  store volatile <2 x ptr> <ptr @a, ptr getelementptr (i8, ptr @a, i64 8)>, ptr %y
  store volatile {ptr, i64} {ptr @a, i64 3}, ptr %y
  store volatile [2 x {ptr, i64}] [{ptr, i64} {ptr @a, i64 1}, {ptr, i64} zeroinitializer], ptr %y
  ret void
}
