; A barrier in a recursive function cannot be a suspension of its kernel: an error,
; and no output.
; RUN: llvm-as %s -o %t.bc
; RUN: rm -f %t.o
; RUN: not %smelt-cc %t.bc --targets cpu -o %t.o 2>&1 | FileCheck %s
; RUN: not ls %t.o

; CHECK: error: a recursive function has a barrier or a warp operation: `app::again`
; CHECK-NEXT: note: on the CPU a thread can only wait in functions that are inlined
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()
declare i1 @__smelt_barrier()

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 16, i64 8)
  %t = call i32 @__smelt_thread_idx_x()
  call void @_RNvCs2_3app5again(i32 %t)
  ret void
}

define internal void @_RNvCs2_3app5again(i32 %n) {
  br label %wait
wait:
  %more = call i1 @__smelt_barrier()
  br i1 %more, label %wait, label %go
go:
  %z = icmp eq i32 %n, 0
  br i1 %z, label %out, label %deeper
deeper:
  %m = sub i32 %n, 1
  call void @_RNvCs2_3app5again(i32 %m)
  br label %out
out:
  ret void
}
