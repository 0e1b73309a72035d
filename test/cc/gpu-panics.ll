; A panic in a kernel is a branch to its one panic block: no call, no stack. A panic
; in a function that is not inlined is a call, which finds the header in shared
; memory, written by the prologue of that kernel alone. On AMD such a call would end
; the healthy lanes of the wave too: only a recursive function keeps it. A store before
; the panic stays.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after optimise -o - | FileCheck %s --check-prefixes=IR,NV
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s --check-prefixes=IR,AMD
; RUN: %smelt-cc %t.bc --targets gfx90a --stop-after optimise -o - | FileCheck %s --check-prefix=LEAVE
; RUN: %smelt-cc %t.bc --targets sm_75 --stop-after emit -o - | FileCheck %s --check-prefix=PTX

; IR: @__smelt_header = internal {{.*}}addrspace(3) global [2 x i64] undef
; IR-LABEL: void @in_kernel_
; IR-NOT: __smelt_header
; IR: phi i32 [ {{0|1}}, {{.*}}[ {{0|1}}, 
; NV: atomicrmw add ptr addrspace(1) {{.*}} syncscope("device") monotonic
; AMD: atomicrmw add ptr addrspace(1) {{.*}} syncscope("agent") monotonic
; IR: fence release
; IR: store atomic volatile i32 1, ptr addrspace(1)
; IR: ret void
; NV-LABEL: void @in_function_
; NV: store i64 {{.*}}@__smelt_header
; NV: call {{.*}}@helper
; AMD-LABEL: void @in_function_
; AMD-NOT: __smelt_header
; AMD-NOT: call {{.*}}@helper
; AMD-NOT: endpgm
; AMD-LABEL: void @in_recursion_
; IR-LABEL: void @stores_first_
; IR: store i64 77
; NV-LABEL: define internal void @__smelt_panic(
; NV: call void @llvm.nvvm.exit()
; NV-NEXT: unreachable

; LEAVE-LABEL: define internal void @__smelt_panic(
; LEAVE: load i64, ptr addrspace(3) @__smelt_header
; LEAVE: call void @llvm.amdgcn.endpgm()
; LEAVE-NEXT: unreachable
; LEAVE-LABEL: void @in_recursion_
; LEAVE: store i64 {{.*}}@__smelt_header
; LEAVE: ret void

; PTX-LABEL: .entry in_kernel_
; PTX-NOT: call
; PTX: atom.global.add.u32
; PTX: fence.acq_rel.sys
; PTX: st.volatile.global.b32
; PTX: .entry in_function_
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
@at2 = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\04\00\00\00\05\00\00\00" }>

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k9in_kernelE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 40, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 24
  %n = load i64, ptr %np, align 8
  %mp = getelementptr i8, ptr %b, i64 32
  %m = load i64, ptr %mp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %c = icmp ult i64 %i, %n
  br i1 %c, label %ok, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %n, ptr @at) noreturn
  unreachable
ok:
  %d = icmp ult i64 %i, %m
  br i1 %d, label %ok2, label %bad2
bad2:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %m, ptr @at2) noreturn
  unreachable
ok2:
  %yi = getelementptr i64, ptr %y, i64 %i
  store i64 %i, ptr %yi, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k11in_functionE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 40, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  call void @_RNvCs1_5smelt4glue(ptr %y, i64 %i)
  ret void
}

define internal void @_RNvCs1_5smelt4glue(ptr %y, i64 %i) {
  call void @user(ptr %y, i64 %i)
  ret void
}

define internal void @user(ptr %y, i64 %i) {
  call void @helper(ptr %y, i64 %i) noinline
  %j = add i64 %i, 5
  call void @helper(ptr %y, i64 %j) noinline
  ret void
}

define internal void @helper(ptr %y, i64 %i) noinline {
  %c = icmp ult i64 %i, 100
  br i1 %c, label %ok, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 100, ptr @at) noreturn
  unreachable
ok:
  %yi = getelementptr i64, ptr %y, i64 %i
  store i64 %i, ptr %yi, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k12in_recursionE(ptr %b) {
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 40, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %n = call i64 @down(ptr %y, i64 %i)
  store i64 %n, ptr %y, align 8
  ret void
}

define internal i64 @down(ptr %y, i64 %i) noinline {
  %yi = getelementptr i64, ptr %y, i64 %i
  %v = load i64, ptr %yi, align 8
  %c = icmp ult i64 %v, 100
  br i1 %c, label %ok, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %v, i64 100, ptr @at) noreturn
  unreachable
ok:
  %z = icmp eq i64 %v, 0
  br i1 %z, label %end, label %more
more:
  %a = call i64 @down(ptr %y, i64 %v)
  %w = call i64 @down(ptr %y, i64 %a)
  %s = mul i64 %a, %w
  ret i64 %s
end:
  ret i64 1
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k12stores_firstE(ptr %b) {
  call void @__smelt_kernel_id(i128 4)
  call void @__smelt_block_layout(i64 40, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %yi = getelementptr i64, ptr %y, i64 %i
  store i64 77, ptr %yi, align 8
  %c = icmp ult i64 %i, 100
  br i1 %c, label %ok, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 100, ptr @at) noreturn
  unreachable
ok:
  store i64 78, ptr %yi, align 8
  ret void
}
