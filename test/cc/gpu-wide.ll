; Floats to and from 128 bits are calls of devmath on the GPUs, whose targets in LLVM
; have no such operation.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after math -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after math -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets cpu,sm_75,gfx90a,gfx942,gfx1100,gfx1201 -o %t.o

; CHECK: define {{.*}}_kernel
; CHECK-NOT: {{(u|s)}}itofp i128
; CHECK-NOT: call i128 @llvm.fpto
; CHECK: call i128 @__smelt_math_f64_to_u128(double
; CHECK: call i128 @__smelt_math_f64_to_i128(double
; CHECK: call float @__smelt_math_u128_to_f32(i128
; CHECK: call double @__smelt_math_i128_to_f64(i128
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
  %d = load double, ptr %y, align 8
  %f = fptrunc double %d to float
  %u = call i128 @llvm.fptoui.sat.i128.f64(double %d)
  %s = call i128 @llvm.fptosi.sat.i128.f32(float %f)
  %w = mul i128 %u, %s
  %x = uitofp i128 %w to float
  %z = sitofp i128 %w to double
  %e = fpext float %x to double
  %r = fadd double %e, %z
  store double %r, ptr %y, align 8
  ret void
}
declare i128 @llvm.fptoui.sat.i128.f64(double)
declare i128 @llvm.fptosi.sat.i128.f32(float)
