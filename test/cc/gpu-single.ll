; A function that is called once is inlined before a kernel gets a variant, which would
; be its second caller; and what is passed to it in memory is taken apart: the shared
; memory that it points to is accessed as such.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after optimise -o %t.nv.ll
; RUN: FileCheck %s --input-file=%t.nv.ll
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o %t.amd.ll
; RUN: FileCheck %s --input-file=%t.amd.ll

; CHECK-NOT: define {{.*}} @once(
; CHECK-LABEL: define {{.*}} @room_0000000000000001(
; CHECK-NOT: call {{.*}} @once
; CHECK-NOT: alloca
; CHECK: atomicrmw fadd ptr addrspace(3)
; CHECK-LABEL: define {{.*}} @room_0000000000000001_held(
; CHECK-NOT: call {{.*}} @once
; CHECK-NOT: alloca
; CHECK: atomicrmw fadd ptr addrspace(3)
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare i32 @__smelt_thread_idx_x()

declare void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64, i64, ptr)

@file = private constant [5 x i8] c"k.rs\00"
@at = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\03\00\00\00\05\00\00\00" }>
@room = internal global [64 x double] undef, section ".smelt.shared", align 8

; Adds at an index of the memory that an environment points to.
define internal double @once(ptr %environment, i64 %i, double %v) #0 {
  %to = load ptr, ptr %environment, align 8
  %inner = load ptr, ptr %to, align 8
  %w = and i64 %i, 63
  %cell = getelementptr inbounds double, ptr %inner, i64 %w
  %old = atomicrmw fadd ptr %cell, double %v monotonic
  ret double %old
}

; *y = room[t], room[t] += x[t]
define internal void @body(ptr %x, i64 %n, ptr %y) {
  %environment = alloca ptr, align 8
  %inner = alloca ptr, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %t64 = zext i32 %t to i64
  %in = icmp ult i64 %t64, %n
  br i1 %in, label %go, label %bad

go:
  %xi = getelementptr inbounds double, ptr %x, i64 %t64
  %v = load double, ptr %xi, align 8
  store ptr @room, ptr %inner, align 8
  store ptr %inner, ptr %environment, align 8
  %old = call double @once(ptr %environment, i64 %t64, double %v)
  store double %old, ptr %y, align 8
  ret void

bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %t64, i64 %n, ptr @at)
  unreachable
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k4roomE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 40, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %np = getelementptr i8, ptr %b, i64 24
  %n = load i64, ptr %np, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  call void @body(ptr %x, i64 %n, ptr %yr)
  ret void
}

attributes #0 = { "function-inline-cost"="1000000" }
