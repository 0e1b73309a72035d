; Checks of straight-line code are decided together. The copy without them holds no
; branch; the code itself stays, each panic with its own site and index, and the
; store that comes before a check comes before it there too. A kernel in which threads
; meet behind the checks is left alone, and so is a check of a value that is not known
; at the first.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after optimise -o - | FileCheck %s --check-prefix=IR
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s --check-prefix=IR
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; RUN: %smelt-cc %t.bc --targets gfx90a --verify -o %t.o

; One condition of both tests, at i and i + 3, against two lengths.
; IR-LABEL: void @together_
; IR: icmp uge i64
; IR: icmp uge i64
; IR: or i1
; IR-NEXT: br i1 %{{.*}}, label %[[SLOW:[^,]*]], label %[[FAST:[^,]*]], !prof
; IR: {{^}}[[SLOW]]:
; IR: br i1
; IR: store double 7.0
; IR: br i1
; IR: {{^}}[[FAST]]:
; IR-NOT: br i1
; IR: store double 7.0
; IR-NOT: br i1
; IR: store double
; IR-NEXT: br label
; IR: {{^}}panic:
; IR-NEXT: phi i32 [ {{[01]}}, {{.*}}[ {{[01]}},
; IR-NEXT: phi i64 [ %i3{{.*}}[ %i,
; IR-LABEL: void @meeting_
; IR-NOT: icmp uge i64
; IR-LABEL: void @late_
; IR-NOT: .hold
; IR: ret void

; PTX: .entry together_
; PTX: st.global.b64
; PTX: st.global.b64
; PTX: st.volatile.global.b32
; PTX: .entry meeting_
; PTX: bar
; PTX: .entry late_
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()
declare i1 @__smelt_barrier()

declare void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64, i64, ptr)

@file = private constant [5 x i8] c"k.rs\00"
@at = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\03\00\00\00\05\00\00\00" }>
@at2 = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\04\00\00\00\05\00\00\00" }>

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k8togetherE(ptr %b) {
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
  %c = icmp ult i64 %i, %n
  br i1 %c, label %one, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %n, ptr @at) noreturn
  unreachable
one:
  %yi = getelementptr inbounds double, ptr %y, i64 %i
  store double 7.0, ptr %yi, align 8
  %i3 = add nuw i64 %i, 3
  %c2 = icmp ult i64 %i3, %len
  br i1 %c2, label %two, label %bad2
bad2:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i3, i64 %len, ptr @at2) noreturn
  unreachable
two:
  %xi = getelementptr inbounds double, ptr %x, i64 %i3
  %v = load double, ptr %xi, align 8
  %yj = getelementptr inbounds double, ptr %yi, i64 1000
  store double %v, ptr %yj, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k7meetingE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 48, i64 8)
  %lp = getelementptr i8, ptr %b, i64 24
  %len = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 40
  %n = load i64, ptr %np, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %c = icmp ult i64 %i, %n
  br i1 %c, label %one, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %n, ptr @at) noreturn
  unreachable
one:
  %yi = getelementptr inbounds double, ptr %y, i64 %i
  store double 7.0, ptr %yi, align 8
  %c2 = icmp ult i64 %i, %len
  br i1 %c2, label %two, label %bad2
bad2:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %len, ptr @at2) noreturn
  unreachable
two:
  %again = call i1 @__smelt_barrier()
  br i1 %again, label %two, label %end
end:
  store double 8.0, ptr %yi, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k4lateE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 48, i64 8)
  %lp = getelementptr i8, ptr %b, i64 24
  %len = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 40
  %n = load i64, ptr %np, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %c = icmp ult i64 %i, %n
  br i1 %c, label %one, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %i, i64 %n, ptr @at) noreturn
  unreachable
one:
  %yi = getelementptr inbounds i64, ptr %y, i64 %i
  %j = load i64, ptr %yi, align 8
  %c2 = icmp ult i64 %j, %len
  br i1 %c2, label %two, label %bad2
bad2:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %j, i64 %len, ptr @at2) noreturn
  unreachable
two:
  store i64 8, ptr %yi, align 8
  ret void
}
