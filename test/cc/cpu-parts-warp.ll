; Shuffles in a kernel whose threads stay together are made in loops over the threads: those
; with nothing between that could tell meet once, whatever their lanes; others are not
; joined: of a value that the first gives, with a store between. A vote is counted once a
; warp, by the engine's side.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s <%t.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_shuffle_xor_b32(i32, i32)
declare i64 @__smelt_ballot(i1)

; CHECK-NOT: .resume(
; CHECK-LABEL: define hidden {{.*}}@k_0000000000000001_cpu(
; CHECK: call {{.*}}@k_0000000000000001_cpu_part1
; CHECK-NOT: @k_0000000000000001_cpu_part2
; CHECK-LABEL: define hidden {{.*}}@l_0000000000000002_cpu(
; CHECK: call {{.*}}@l_0000000000000002_cpu_part1
; CHECK-NOT: @l_0000000000000002_cpu_part2
; CHECK-LABEL: define hidden {{.*}}@m_0000000000000003_cpu(
; CHECK: call {{.*}}@m_0000000000000003_cpu_part2
; CHECK-NOT: @m_0000000000000003_cpu_part3
; CHECK-LABEL: define hidden {{.*}}@n_0000000000000004_cpu(
; CHECK: call {{.*}}@n_0000000000000004_cpu_part2
; CHECK-NOT: @n_0000000000000004_cpu_part3
; CHECK-LABEL: define hidden {{.*}}@v_0000000000000005_cpu(
; CHECK: call {{.*}}@smelt_cpu_poll(
; CHECK: call {{.*}}@v_0000000000000005_cpu_part1
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %t.l = zext i32 %t to i64
  %at = getelementptr i64, ptr %y, i64 %t.l
  %v = load i64, ptr %at, align 8
  %low = trunc i64 %v to i32
  %low.s = call i32 @__smelt_shuffle_xor_b32(i32 %low, i32 4)
  %low.l = zext i32 %low.s to i64
  %v.h = lshr i64 %v, 32
  %high = trunc i64 %v.h to i32
  %high.s = call i32 @__smelt_shuffle_xor_b32(i32 %high, i32 4)
  %high.l = zext i32 %high.s to i64
  %up = shl i64 %high.l, 32
  %both = or i64 %up, %low.l
  store i64 %both, ptr %at, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1lE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 24, i64 8)
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %a = call i32 @__smelt_shuffle_xor_b32(i32 %t, i32 4)
  %c = call i32 @__smelt_shuffle_xor_b32(i32 %t, i32 5)
  %s = mul i32 %a, %c
  %t.l = zext i32 %t to i64
  %at = getelementptr i32, ptr %y, i64 %t.l
  store i32 %s, ptr %at, align 4
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1mE(ptr %b) {
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 24, i64 8)
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %a = call i32 @__smelt_shuffle_xor_b32(i32 %t, i32 4)
  %d = shl i32 %a, 1
  %c = call i32 @__smelt_shuffle_xor_b32(i32 %d, i32 4)
  %t.l = zext i32 %t to i64
  %at = getelementptr i32, ptr %y, i64 %t.l
  store i32 %c, ptr %at, align 4
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1nE(ptr %b) {
  call void @__smelt_kernel_id(i128 4)
  call void @__smelt_block_layout(i64 24, i64 8)
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %u = mul i32 %t, 3
  %t.l = zext i32 %t to i64
  %at = getelementptr i32, ptr %y, i64 %t.l
  %a = call i32 @__smelt_shuffle_xor_b32(i32 %t, i32 4)
  store i32 %a, ptr %at, align 4
  %c = call i32 @__smelt_shuffle_xor_b32(i32 %u, i32 4)
  store i32 %c, ptr %y, align 4
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1vE(ptr %b) {
  call void @__smelt_kernel_id(i128 5)
  call void @__smelt_block_layout(i64 24, i64 8)
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %some = icmp ugt i32 %t, 3
  %votes = call i64 @__smelt_ballot(i1 %some)
  %t.l = zext i32 %t to i64
  %at = getelementptr i64, ptr %y, i64 %t.l
  store i64 %votes, ptr %at, align 8
  ret void
}
