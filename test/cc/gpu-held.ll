; Checks that follow from the parameter block and the grid are decided at the launch:
; the held variant has none of them, the kernel itself keeps them, each with its site.
; What a value in memory decides stays in both; a kernel without a check of the first
; kind has no variant.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after optimise -o %t.nv.ll
; RUN: FileCheck %s --input-file=%t.nv.ll --check-prefix=IR
; RUN: FileCheck %s --input-file=%t.nv.ll --check-prefix=NONE
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o %t.amd.ll
; RUN: FileCheck %s --input-file=%t.amd.ll --check-prefix=IR
; RUN: FileCheck %s --input-file=%t.amd.ll --check-prefix=NONE
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1100,sm_90,cpu --verify -o %t.o

; IR-LABEL: define {{.*}} @matrix_0000000000000001(
; IR: {{^}}panic:
; IR-LABEL: define {{.*}} @mixed_0000000000000002(
; IR: {{^}}panic:
; IR-LABEL: define {{.*}} @memory_0000000000000003(
; IR: {{^}}panic:
; NONE-NOT: @memory_0000000000000003_held
; NONE-NOT: @poison_0000000000000004_held
; NONE: @frozen_0000000000000005_held

; Both checks in the loop and the one behind it.
; IR-LABEL: define {{.*}} @matrix_0000000000000001_held(
; IR-NOT: panic
; IR: load double
; IR-NOT: panic
; IR: store double
; IR-NOT: panic
; IR: {{^}}}

; y[i] is decided at the launch, x[j] with j = y[i] is not.
; IR-LABEL: define {{.*}} @mixed_0000000000000002_held(
; IR: load i64
; IR: br i1
; IR-NOT: br i1
; IR: {{^}}panic:
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_block_idx_x()
declare i32 @__smelt_block_dim_x()

declare void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64, i64, ptr)

@file = private constant [5 x i8] c"k.rs\00"
@at = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\03\00\00\00\05\00\00\00" }>
@at2 = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\04\00\00\00\05\00\00\00" }>

; if i < n { let mut sum = 0; for k in 0..n { sum += x[i * n + k] } y[i] = sum }
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6matrixE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 56, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %xlen = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %mp = getelementptr i8, ptr %b, i64 40
  %ylen = load i64, ptr %mp, align 8
  %np = getelementptr i8, ptr %b, i64 48
  %n = load i64, ptr %np, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %g = call i32 @__smelt_block_idx_x()
  %d = call i32 @__smelt_block_dim_x()
  %t64 = zext i32 %t to i64
  %g64 = zext i32 %g to i64
  %d64 = zext i32 %d to i64
  %gd = mul i64 %g64, %d64
  %i = add i64 %gd, %t64
  %in = icmp ult i64 %i, %n
  br i1 %in, label %rows, label %out
rows:
  %row = mul i64 %i, %n
  br label %head
head:
  %k = phi i64 [ 0, %rows ], [ %next, %body ]
  %sum = phi double [ 0.0, %rows ], [ %more, %body ]
  %go = icmp ult i64 %k, %n
  br i1 %go, label %check, label %end
check:
  %at.x = add i64 %row, %k
  %c = icmp ult i64 %at.x, %xlen
  br i1 %c, label %body, label %bad
body:
  %xi = getelementptr inbounds double, ptr %x, i64 %at.x
  %v = load double, ptr %xi, align 8
  %more = fadd double %sum, %v
  %next = add i64 %k, 1
  br label %head
end:
  %c2 = icmp ult i64 %i, %ylen
  br i1 %c2, label %store, label %bad2
store:
  %yi = getelementptr inbounds double, ptr %y, i64 %i
  store double %sum, ptr %yi, align 8
  br label %out
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %at.x, i64 %xlen, ptr @at) noreturn
  unreachable
bad2:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %ylen, ptr @at2) noreturn
  unreachable
out:
  ret void
}

; x[y[i]] = 8
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5mixedE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 48, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %xlen = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %mp = getelementptr i8, ptr %b, i64 40
  %ylen = load i64, ptr %mp, align 8
  %x = call ptr @__smelt_arg_unique(ptr %xr)
  %y = call ptr @__smelt_arg_readonly(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %c = icmp ult i64 %i, %ylen
  br i1 %c, label %one, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %ylen, ptr @at) noreturn
  unreachable
one:
  %yi = getelementptr inbounds i64, ptr %y, i64 %i
  %j = load i64, ptr %yi, align 8
  %c2 = icmp ult i64 %j, %xlen
  br i1 %c2, label %two, label %bad2
bad2:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %j, i64 %xlen, ptr @at2) noreturn
  unreachable
two:
  %xj = getelementptr inbounds i64, ptr %x, i64 %j
  store i64 8, ptr %xj, align 8
  ret void
}

; *x = 9 if the number at x is below the length
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6memoryE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 32, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %xlen = load i64, ptr %lp, align 8
  %x = call ptr @__smelt_arg_unique(ptr %xr)
  %j = load i64, ptr %x, align 8
  %c = icmp ult i64 %j, %xlen
  br i1 %c, label %one, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %j, i64 %xlen, ptr @at) noreturn
  unreachable
one:
  store i64 9, ptr %x, align 8
  ret void
}

; The number of zeros is 64 at most, but for n = 0 it is poison, which may freeze to any
; number.
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6poisonE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 4)
  call void @__smelt_block_layout(i64 40, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %xlen = load i64, ptr %lp, align 8
  %np = getelementptr i8, ptr %b, i64 32
  %n = load i64, ptr %np, align 8
  %x = call ptr @__smelt_arg_unique(ptr %xr)
  %z = call i64 @llvm.ctlz.i64(i64 %n, i1 true)
  %j = freeze i64 %z
  %c = icmp ult i64 %j, %xlen
  br i1 %c, label %one, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %j, i64 %xlen, ptr @at) noreturn
  unreachable
one:
  %xj = getelementptr inbounds i64, ptr %x, i64 %j
  store i64 9, ptr %xj, align 8
  ret void
}

; A number of the block is no poison.
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6frozenE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 5)
  call void @__smelt_block_layout(i64 40, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %xlen = load i64, ptr %lp, align 8
  %np = getelementptr i8, ptr %b, i64 32
  %n = load i64, ptr %np, align 8
  %x = call ptr @__smelt_arg_unique(ptr %xr)
  %j = freeze i64 %n
  %c = icmp ult i64 %j, %xlen
  br i1 %c, label %one, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %j, i64 %xlen, ptr @at) noreturn
  unreachable
one:
  %xj = getelementptr inbounds i64, ptr %x, i64 %j
  store i64 9, ptr %xj, align 8
  ret void
}
