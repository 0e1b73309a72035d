; LLVM 22's AMD back end loses the carry of (x + y) + 0 where the high word of the one
; side is a sum and that of the other 0; the sum is hidden from it (amdgpu_carry.c).
; Without that the high word below would be added twice with its carry.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1201 -o %t.o

; CHECK: define {{.*}}amdgpu_kernel
; CHECK: %[[M:.*]] = mul i64
; CHECK: %[[H:.*]] = call i64 asm "", "=v,0"(i64 %[[M]])
; CHECK: @llvm.uadd.sat.i64(i64 %[[H]],
; CHECK: call i64 asm "", "=v,0"(i64
; CHECK: call i64 asm "", "=v,0"(i64
; CHECK: add i128
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_unique(ptr)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %a = load i64, ptr %y, align 8
  %cp = getelementptr i8, ptr %y, i64 8
  %c = load i16, ptr %cp, align 2
  %z = zext i16 %c to i64
  %m = mul i64 %a, %a
  %r = call i64 @llvm.uadd.sat.i64(i64 %m, i64 %z)
  store i64 %r, ptr %y, align 8
  %wp = getelementptr i8, ptr %y, i64 16
  %w = load i128, ptr %wp, align 16
  %z2 = zext i16 %c to i128
  %m2 = mul i128 %w, %w
  %s = add i128 %m2, %z2
  store i128 %s, ptr %wp, align 16
  ret void
}
declare i64 @llvm.uadd.sat.i64(i64, i64)
