; The two shuffles of a word of 64 bits are one meeting of the warp in a coroutine on the CPU;
; others are not joined: of another lane, of a value that the first gives, with a store
; between. (Threads part in the end, or these would be no coroutines: two more meetings.)
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s <%t.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_shuffle_xor_b32(i32, i32)

; A suspension leaves 2 in the frame.
; CHECK-LABEL: define internal {{.*}}@k_0000000000000001_cpu.resume(
; CHECK-COUNT-3: store i32 2, ptr
; CHECK-NOT: store i32 2, ptr
; CHECK-LABEL: define internal {{.*}}@l_0000000000000002_cpu.resume(
; CHECK-COUNT-4: store i32 2, ptr
; CHECK-NOT: store i32 2, ptr
; CHECK-LABEL: define internal {{.*}}@m_0000000000000003_cpu.resume(
; CHECK-COUNT-4: store i32 2, ptr
; CHECK-NOT: store i32 2, ptr
; CHECK-LABEL: define internal {{.*}}@n_0000000000000004_cpu.resume(
; CHECK-COUNT-4: store i32 2, ptr
; CHECK-NOT: store i32 2, ptr
; CHECK: attributes

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
  call void @part(i32 %t, ptr %y)
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
  call void @part(i32 %t, ptr %y)
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
  call void @part(i32 %t, ptr %y)
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
  call void @part(i32 %t, ptr %y)
  ret void
}

define internal void @part(i32 %t, ptr %y) {
  %odd.n = and i32 %t, 1
  %odd = icmp eq i32 %odd.n, 1
  %p = getelementptr i8, ptr %y, i64 4096
  br i1 %odd, label %left, label %right
left:
  store i32 7, ptr %p, align 4
  %a = call i32 @__smelt_shuffle_xor_b32(i32 %t, i32 6)
  store i32 %a, ptr %p, align 4
  ret void
right:
  %c = call i32 @__smelt_shuffle_xor_b32(i32 %t, i32 7)
  %q = getelementptr i8, ptr %y, i64 8192
  store i32 %c, ptr %q, align 4
  ret void
}
