; A barrier behind a function pointer cannot be a suspension of its kernel: an error.
; RUN: llvm-as %s -o %t.bc
; RUN: not %smelt-cc %t.bc --targets cpu -o %t.o 2>&1 | FileCheck %s
; CHECK: error: `__smelt_barrier` in a function that cannot be inlined into its kernel
; CHECK-NEXT: note: on the CPU a thread can only wait in its kernel
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
@a = internal global [4 x i32] undef, section ".smelt.shared", align 4
@b = internal global [4 x i32] undef, section ".smelt.shared", align 4
declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()
declare i1 @__smelt_barrier()
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  %t = call i32 @__smelt_thread_idx_x()
  %c = icmp eq i32 %t, 0
  %f = select i1 %c, ptr @w1, ptr @w2
  call void %f(ptr %b)
  ret void
}
define internal void @w1(ptr %b) noinline {
  br label %wait
wait:
  %more = call i1 @__smelt_barrier()
  br i1 %more, label %wait, label %go
go:
  store i32 1, ptr @a
  ret void
}
define internal void @w2(ptr %b) noinline {
  store i32 1, ptr getelementptr ([4 x i32], ptr @b, i64 0, i64 2)
  ret void
}
