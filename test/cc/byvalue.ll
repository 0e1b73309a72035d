; A table in an argument that is passed by value is read in the parameter block: no copy
; of it on the stack, whether it is read at an index or by a pointer that moves on. One
; that the kernel writes to is the thread's own.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets cpu --verify -o %t.o

; CHECK-LABEL: void @index_
; CHECK-NOT: alloca
; CHECK: store
; CHECK-LABEL: void @walk_
; CHECK-NOT: alloca
; CHECK: store
; CHECK-LABEL: void @write_
; CHECK: alloca [64 x i8]
; CHECK: llvm.memcpy
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; The block: state, launch, table, where the result goes.
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5indexE(ptr %b) {
  %own = alloca [64 x i8], align 8
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 88, i64 8)
  %there = getelementptr i8, ptr %b, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %own, ptr align 8 %there, i64 64, i1 false)
  %op = getelementptr i8, ptr %b, i64 80
  %or = load ptr, ptr %op, align 8
  %out = call ptr @__smelt_arg_unique(ptr %or)
  call void @_RNvYNvCs2_1k5indexINtNtNtCs3_4core3ops8function2FnE4call(ptr noalias align 8 dereferenceable(64) %own, ptr %out)
  ret void
}

; The tuple lies the other way round.
define internal void @_RNvYNvCs2_1k5indexINtNtNtCs3_4core3ops8function2FnE4call(ptr dead_on_return noalias align 8 dereferenceable(64) %table, ptr %out) {
  %tuple = alloca [72 x i8], align 8
  %second = getelementptr i8, ptr %tuple, i64 8
  store ptr %out, ptr %tuple, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %second, ptr align 8 %table, i64 64, i1 false)
  %o = load ptr, ptr %tuple, align 8
  call void @_RNvCs2_1k5index(ptr noalias align 8 dereferenceable(64) %second, ptr %o)
  ret void
}

define internal void @_RNvCs2_1k5index(ptr dead_on_return noalias align 8 dereferenceable(64) %table, ptr %out) {
  %t = call i32 @__smelt_thread_idx_x()
  %m = and i32 %t, 7
  %i = zext i32 %m to i64
  %p = getelementptr inbounds i64, ptr %table, i64 %i
  %v = load i64, ptr %p, align 8
  %q = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %v, ptr %q, align 8
  ret void
}

; The block: state, launch, table, where the result goes.
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k4walkE(ptr %b) {
  %own = alloca [64 x i8], align 8
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 88, i64 8)
  %there = getelementptr i8, ptr %b, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %own, ptr align 8 %there, i64 64, i1 false)
  %op = getelementptr i8, ptr %b, i64 80
  %or = load ptr, ptr %op, align 8
  %out = call ptr @__smelt_arg_unique(ptr %or)
  call void @_RNvYNvCs2_1k4walkINtNtNtCs3_4core3ops8function2FnE4call(ptr noalias align 8 dereferenceable(64) %own, ptr %out)
  ret void
}

; The tuple lies the other way round.
define internal void @_RNvYNvCs2_1k4walkINtNtNtCs3_4core3ops8function2FnE4call(ptr dead_on_return noalias align 8 dereferenceable(64) %table, ptr %out) {
  %tuple = alloca [72 x i8], align 8
  %second = getelementptr i8, ptr %tuple, i64 8
  store ptr %out, ptr %tuple, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %second, ptr align 8 %table, i64 64, i1 false)
  %o = load ptr, ptr %tuple, align 8
  call void @_RNvCs2_1k4walk(ptr noalias align 8 dereferenceable(64) %second, ptr %o)
  ret void
}

define internal void @_RNvCs2_1k4walk(ptr dead_on_return noalias align 8 dereferenceable(64) %table, ptr %out) {
entry:
  %t = call i32 @__smelt_thread_idx_x()
  %m = and i32 %t, 7
  %n = zext i32 %m to i64
  %end = getelementptr inbounds i64, ptr %table, i64 %n
  br label %head
head:
  %at = phi ptr [ %table, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %over = icmp eq ptr %at, %end
  br i1 %over, label %exit, label %body
body:
  %v = load i64, ptr %at, align 8
  %more = add i64 %sum, %v
  %next = getelementptr inbounds i64, ptr %at, i64 1
  br label %head
exit:
  %q = getelementptr inbounds i64, ptr %out, i64 %n
  store i64 %sum, ptr %q, align 8
  ret void
}

; The block: state, launch, table, where the result goes.
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5writeE(ptr %b) {
  %own = alloca [64 x i8], align 8
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 88, i64 8)
  %there = getelementptr i8, ptr %b, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %own, ptr align 8 %there, i64 64, i1 false)
  %op = getelementptr i8, ptr %b, i64 80
  %or = load ptr, ptr %op, align 8
  %out = call ptr @__smelt_arg_unique(ptr %or)
  call void @_RNvYNvCs2_1k5writeINtNtNtCs3_4core3ops8function2FnE4call(ptr noalias align 8 dereferenceable(64) %own, ptr %out)
  ret void
}

; The tuple lies the other way round.
define internal void @_RNvYNvCs2_1k5writeINtNtNtCs3_4core3ops8function2FnE4call(ptr dead_on_return noalias align 8 dereferenceable(64) %table, ptr %out) {
  %tuple = alloca [72 x i8], align 8
  %second = getelementptr i8, ptr %tuple, i64 8
  store ptr %out, ptr %tuple, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %second, ptr align 8 %table, i64 64, i1 false)
  %o = load ptr, ptr %tuple, align 8
  call void @_RNvCs2_1k5write(ptr noalias align 8 dereferenceable(64) %second, ptr %o)
  ret void
}

define internal void @_RNvCs2_1k5write(ptr dead_on_return noalias align 8 dereferenceable(64) %table, ptr %out) {
  %t = call i32 @__smelt_thread_idx_x()
  %m = and i32 %t, 7
  %i = zext i32 %m to i64
  %p = getelementptr inbounds i64, ptr %table, i64 %i
  store i64 5, ptr %p, align 8
  %x = xor i64 %i, 1
  %r = getelementptr inbounds i64, ptr %table, i64 %x
  %v = load i64, ptr %r, align 8
  %q = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %v, ptr %q, align 8
  ret void
}
