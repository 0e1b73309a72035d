; An atomic operation of the device is plain in the loop for launches that run alone,
; which is a vector loop then; one on shared memory, or of block scope, is plain
; everywhere. A kernel that could wait for another launch has no such loop.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=ALONE < %t.ll
; RUN: FileCheck %s --check-prefix=CROWD < %t.ll
; RUN: FileCheck %s --check-prefix=BLOCK < %t.ll
; RUN: FileCheck %s --check-prefix=WAIT < %t.ll

; CHECK-LABEL: define hidden {{.*}}@count_0000000000000007_cpu(ptr
; CHECK: call {{.*}}@count_0000000000000007_cpu_alone(
; CHECK: call {{.*}}@count_0000000000000007_cpu_v3(

; ALONE-LABEL: define internal {{.*}}@count_0000000000000007_cpu_alone(
; ALONE-NOT: atomicrmw
; ALONE: add <8 x i32>
; ALONE-NOT: atomicrmw
; ALONE: {{^}}}

; CROWD-LABEL: define internal {{.*}}@count_0000000000000007_cpu_v3(
; CROWD: atomicrmw add
; CROWD: {{^}}}

; BLOCK-LABEL: define internal {{.*}}@block_0000000000000008_cpu_v3(
; BLOCK-NOT: atomicrmw
; BLOCK: store
; BLOCK-NOT: atomicrmw
; BLOCK: {{^}}}

; WAIT-NOT: @wait_0000000000000009_cpu_alone(
; WAIT: define internal {{.*}}@wait_0000000000000009_cpu_v3(
; WAIT: atomicrmw add
; WAIT-NOT: @wait_0000000000000009_cpu_alone(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@box = internal global [64 x i32] poison, section ".smelt.shared"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_block_idx_x()
declare i32 @__smelt_block_dim_x()
declare float @__smelt_atomic_add_f32(ptr, float, i32)

define internal i64 @index() {
  %t = call i32 @__smelt_thread_idx_x()
  %b = call i32 @__smelt_block_idx_x()
  %d = call i32 @__smelt_block_dim_x()
  %t.l = zext i32 %t to i64
  %b.l = zext i32 %b to i64
  %d.l = zext i32 %d to i64
  %first = mul i64 %b.l, %d.l
  %i = add i64 %first, %t.l
  ret i64 %i
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5countE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  %data.p = getelementptr i8, ptr %b, i64 16
  %data = load ptr, ptr %data.p, align 8
  %i = call i64 @index()
  %p = getelementptr i32, ptr %data, i64 %i
  %old = atomicrmw add ptr %p, i32 3 monotonic, align 4
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5blockE(ptr %b) {
  call void @__smelt_kernel_id(i128 8)
  call void @__smelt_block_layout(i64 24, i64 8)
  %data.p = getelementptr i8, ptr %b, i64 16
  %data = load ptr, ptr %data.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %t.l = zext i32 %t to i64
  %place = and i64 %t.l, 63
  %p = getelementptr i32, ptr @box, i64 %place
  %old = atomicrmw add ptr %p, i32 3 acq_rel, align 4
  %q = getelementptr float, ptr %data, i64 %t.l
  %f = call float @__smelt_atomic_add_f32(ptr %q, float 1.0, i32 0)
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app4waitE(ptr %b) {
  call void @__smelt_kernel_id(i128 9)
  call void @__smelt_block_layout(i64 24, i64 8)
  %data.p = getelementptr i8, ptr %b, i64 16
  %data = load ptr, ptr %data.p, align 8
  %i = call i64 @index()
  %p = getelementptr i32, ptr %data, i64 %i
  %old = atomicrmw add ptr %p, i32 3 monotonic, align 4
  br label %spin
spin:
  %seen = load atomic i32, ptr %data acquire, align 4
  %again = icmp eq i32 %seen, 0
  br i1 %again, label %spin, label %done
done:
  ret void
}
