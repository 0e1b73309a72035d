; Mathematics without a vendor's library is ours, complete; what a GPU selects
; stays an instruction; % is exact and no instruction. In exact mode nothing is
; fused, and in no mode inside the library; else a division of a root may be, too.
; RUN: llvm-as %s -o %t.bc
; RUN: env SMELT_NO_LIBDEVICE=1 %smelt-cc %t.bc --targets sm_75 --verify --stop-after math -o - | FileCheck %s --check-prefix=OURS
; RUN: env SMELT_NO_LIBDEVICE=1 %smelt-cc %t.bc --targets sm_75 --verify --stop-after contract -o - | FileCheck %s --check-prefix=FAST
; RUN: env SMELT_NO_LIBDEVICE=1 %smelt-cc %t.bc --targets sm_75 --fp exact --stop-after emit -o - | FileCheck %s --check-prefix=EXACT
; RUN: env SMELT_NO_LIBDEVICE=1 SMELT_NO_OCML=1 %smelt-cc %t.bc --targets sm_75,gfx90a,gfx1201 --verify -o %t.o

; OURS: define {{.*}}ptx_kernel
; OURS: call double @__smelt_math_sin_f64
; OURS: call float @__smelt_math_pow_f32
; OURS: call double @__smelt_math_fmod_f64
; OURS: call double @__smelt_math_tan_f64
; OURS: call double @llvm.sqrt.f64
; OURS-NOT: declare {{.*}}__smelt_math
; OURS-NOT: panic_bounds_check

; FAST: call contract double @llvm.sqrt.f64
; FAST: fdiv contract double 1
; FAST: fmul contract double
; FAST: fadd contract double
; FAST: define internal {{.*}}double @__smelt_math_
; FAST-NOT: contract

; EXACT: .entry
; EXACT-NOT: fma.
; EXACT: sqrt.rn.f64
; EXACT-NOT: fma.
; EXACT: ret
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()

declare double @llvm.sin.f64(double)
declare float @llvm.pow.f32(float, float)
declare double @tan(double)
declare double @sqrt(double)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %x = load double, ptr %y, align 8
  %s = call double @llvm.sin.f64(double %x)
  %xf = fptrunc double %x to float
  %p = call float @llvm.pow.f32(float %xf, float 1.5)
  %r = frem double %x, 3.0
  %t = call double @tan(double %x)
  %q = call double @sqrt(double %x)
  %o = fdiv double 1.0, %q
  %pd = fpext float %p to double
  %a = fmul double %s, %r
  %a2 = fadd double %a, %o
  %a3 = fadd double %a2, %pd
  %a4 = fadd double %a3, %t
  store double %a4, ptr %y, align 8
  ret void
}
