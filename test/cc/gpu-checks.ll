; Bounds checks of a counted loop are decided in front of it. The copy without checks
; unrolls; the loop itself stays, and its panic still has its index.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; RUN: %smelt-cc %t.bc --targets gfx90a --verify -o %t.o

; PTX: .entry
; PTX: ld.global.nc.b64
; PTX: fma.rn.f64
; PTX-NOT: setp
; PTX: ld.global.nc.b64
; PTX: fma.rn.f64
; PTX-NOT: setp
; PTX: ld.global.nc.b64
; PTX: fma.rn.f64
; PTX: .pragma "nounroll"
; PTX: setp.{{lt|ge}}.u64
; PTX: ld.global.nc.b64
; PTX: atom.global.add.u32
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()

declare void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64, i64, ptr)

@file = private constant [5 x i8] c"k.rs\00"
@at = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\03\00\00\00\05\00\00\00" }>

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 48, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %len = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 40
  %n = load i64, ptr %np, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  br label %head
head:
  %j = phi i64 [ 0, %entry ], [ %j1, %body ]
  %s = phi double [ 0.0, %entry ], [ %s1, %body ]
  %more = icmp ult i64 %j, %n
  br i1 %more, label %check, label %end
check:
  %at = add i64 %i, %j
  %c = icmp ult i64 %at, %len
  br i1 %c, label %body, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %at, i64 %len, ptr @at) noreturn
  unreachable
body:
  %xi = getelementptr double, ptr %x, i64 %at
  %v = load double, ptr %xi, align 8
  %m = fmul double %v, %v
  %s1 = fadd double %s, %m
  %j1 = add nuw i64 %j, 1
  br label %head
end:
  %yi = getelementptr double, ptr %y, i64 %i
  store double %s, ptr %yi, align 8
  ret void
}
