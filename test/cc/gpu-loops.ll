; Checks of a counted loop whose index grows by a number known only at run time, whose
; index falls, or in which nothing varies, are decided in front of it too. Multiplying
; and adding are tested for overflow: an index that wraps is left to the loop itself.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx1100 --verify -o %t.o
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; In the unrolled loop the addresses follow from one another: the second load's is the
; first one's and a step, the third load's the second one's and that step.
; PTX: .entry stride_
; PTX: ld.global.nc.b64 %{{.*}}, [%[[A:rd[0-9]+]]]
; PTX: add.s64 %[[B:rd[0-9]+]], %[[A]], %[[STEP:rd[0-9]+]]
; PTX: ld.global.nc.b64 %{{.*}}, [%[[B]]]
; PTX: add.s64 %[[C:rd[0-9]+]], %[[B]], %[[STEP]]
; PTX: ld.global.nc.b64 %{{.*}}, [%[[C]]]

; CHECK-LABEL: void @stride_
; CHECK: @llvm.umul.with.overflow.i64(i64 %{{.*}}, i64 %w)
; CHECK: @llvm.uadd.with.overflow.i64(i64 %i, i64 %
; CHECK: br i1 %{{.*}}, label %check.checked{{[^,]*}}, label %check,
; CHECK: {{^}}check:
; CHECK: icmp ult i64 %at, %len
; CHECK-NEXT: br i1 %c, label %body, label %bad
; CHECK: {{^}}panic:
; The count n - 1 is below 2^63, 2 (n - 1) is not above w, and w is below len.
; CHECK-LABEL: void @falling_
; CHECK: {{^}}check.{{preheader|lr.ph}}:
; CHECK: icmp {{slt|sgt}} i64
; CHECK: br i1 %{{.*}}, label %check.checked{{[^,]*}}, label %check,
; CHECK: {{^}}check:
; CHECK: icmp ult i64 %at, %len
; CHECK-NEXT: br i1 %c, label %body, label %bad
; CHECK: {{^}}panic:
; What fails in no iteration or in the first needs no other loop.
; CHECK-LABEL: void @fixed_
; CHECK: icmp ult i64 %at, %len
; CHECK: br i1 %{{.*}}, label %check.checked{{[^,]*}}, label %bad,
; CHECK: {{^}}panic:
; A barrier in the loop: one loop.
; CHECK-LABEL: void @meeting_
; CHECK-NOT: checked
; CHECK: ret void
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

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6strideE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 56, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %len = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 40
  %n = load i64, ptr %np, align 8
  %wp = getelementptr i8, ptr %b, i64 48
  %w = load i64, ptr %wp, align 8
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
  %p = mul i64 %j, %w
  %at = add i64 %i, %p
  %c = icmp ult i64 %at, %len
  br i1 %c, label %body, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %at, i64 %len, ptr @at) noreturn
  unreachable
body:
  %xi = getelementptr double, ptr %x, i64 %at
  %v = load double, ptr %xi, align 8
  %xj = getelementptr double, ptr %x, i64 %j
  %u = load double, ptr %xj, align 8
  %m = fmul double %v, %u
  %s1 = fadd double %s, %m
  %j1 = add nuw i64 %j, 1
  br label %head
end:
  %yi = getelementptr double, ptr %y, i64 %i
  store double %s, ptr %yi, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k7fallingE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 56, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %len = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 40
  %n = load i64, ptr %np, align 8
  %wp = getelementptr i8, ptr %b, i64 48
  %w = load i64, ptr %wp, align 8
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
  %p = mul i64 %j, -2
  %at = add i64 %w, %p
  %c = icmp ult i64 %at, %len
  br i1 %c, label %body, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %at, i64 %len, ptr @at) noreturn
  unreachable
body:
  %xi = getelementptr double, ptr %x, i64 %at
  %v = load double, ptr %xi, align 8
  %xj = getelementptr double, ptr %x, i64 %j
  %u = load double, ptr %xj, align 8
  %m = fmul double %v, %u
  %s1 = fadd double %s, %m
  %j1 = add nuw i64 %j, 1
  br label %head
end:
  %yi = getelementptr double, ptr %y, i64 %i
  store double %s, ptr %yi, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5fixedE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 56, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %len = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 40
  %n = load i64, ptr %np, align 8
  %wp = getelementptr i8, ptr %b, i64 48
  %w = load i64, ptr %wp, align 8
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
  %at = add i64 %i, %w
  %c = icmp ult i64 %at, %len
  br i1 %c, label %body, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %at, i64 %len, ptr @at) noreturn
  unreachable
body:
  %xi = getelementptr double, ptr %x, i64 %at
  %v = load double, ptr %xi, align 8
  %xj = getelementptr double, ptr %x, i64 %j
  %u = load double, ptr %xj, align 8
  %m = fmul double %v, %u
  %s1 = fadd double %s, %m
  %j1 = add nuw i64 %j, 1
  br label %head
end:
  %yi = getelementptr double, ptr %y, i64 %i
  store double %s, ptr %yi, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k7meetingE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 4)
  call void @__smelt_block_layout(i64 56, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %lp = getelementptr i8, ptr %b, i64 24
  %len = load i64, ptr %lp, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 40
  %n = load i64, ptr %np, align 8
  %wp = getelementptr i8, ptr %b, i64 48
  %w = load i64, ptr %wp, align 8
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
  %p = mul i64 %j, %w
  %at = add i64 %i, %p
  %c = icmp ult i64 %at, %len
  br i1 %c, label %meet, label %bad
bad:
  call void @_ZN4core9panicking18panic_bounds_check17h0000000000000000E(i64 %at, i64 %len, ptr @at) noreturn
  unreachable
meet:
  %again = call i1 @__smelt_barrier()
  br i1 %again, label %meet, label %body
body:
  %xi = getelementptr double, ptr %x, i64 %at
  %v = load double, ptr %xi, align 8
  %xj = getelementptr double, ptr %x, i64 %j
  %u = load double, ptr %xj, align 8
  %m = fmul double %v, %u
  %s1 = fadd double %s, %m
  %j1 = add nuw i64 %j, 1
  br label %head
end:
  %yi = getelementptr double, ptr %y, i64 %i
  store double %s, ptr %yi, align 8
  ret void
}
