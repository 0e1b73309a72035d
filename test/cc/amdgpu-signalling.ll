; Rust's f32::min and max give the other operand for any NaN, a signalling one too. AMD's
; instructions do so where MODE.IEEE is off. (test/conform, floats/f32-min-max-many, runs it on the simulated GPU.)
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1100,gfx1201 -o %t.o

; CHECK: define {{.*}}amdgpu_kernel {{.*}} #[[K:[0-9]+]]
; CHECK: call {{.*}}@llvm.minimumnum.f32
; CHECK: attributes #[[K]] = { {{.*}}"amdgpu-ieee"="false"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_unique(ptr)
declare float @llvm.minimumnum.f32(float, float)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %a = load float, ptr %y, align 4
  %cp = getelementptr i8, ptr %y, i64 4
  %c = load float, ptr %cp, align 4
  %m = call float @llvm.minimumnum.f32(float %a, float %c)
  store float %m, ptr %y, align 4
  ret void
}
