; A variable of no bytes whose address is stored is no copy of a part of the block.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after entry -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after entry -o - | FileCheck %s
; CHECK: store ptr %{{.*}}, ptr %
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %none = alloca [0 x i8], align 1
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8
  store ptr %none, ptr %y, align 8
  ret void
}
