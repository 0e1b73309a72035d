; A kernel whose threads may come to different barriers is a coroutine: its ramp returns
; before anything of the kernel has run, and each barrier of the source is one suspension, also where an
; earlier branch would be worth copying it for (design D9). Shared statics have
; offsets in the block's memory, 16-aligned.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s < %t.ll

; CHECK-NOT: __smelt_
; CHECK-LABEL: define hidden {{.*}}ptr @two_0000000000000007_cpu(ptr
; CHECK-NOT: store i32 1
; CHECK: store ptr @two_0000000000000007_cpu.resume
; CHECK: ret ptr

; One store of SMELT_CPU_BARRIER in frame->suspend for each of the four.
; CHECK-LABEL: define internal {{.*}}void @two_0000000000000007_cpu.resume(
; CHECK-COUNT-4: store i32 1, ptr %{{.*}}, align 4
; CHECK-NOT: store i32 1, ptr %{{.*}}, align 4
; CHECK: store ptr null
; CHECK: ret void
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [100 x float] undef, section ".smelt.shared", align 4
@total = internal global [1 x float] undef, section ".smelt.shared", align 4

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()
declare i1 @__smelt_barrier()

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app3twoE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 32, i64 8)
  call void @two(ptr %b)
  ret void
}

define internal void @meet() noinline {
  br label %again
again:
  %more = call i1 @__smelt_barrier()
  br i1 %more, label %again, label %done
done:
  ret void
}

define internal void @two(ptr %b) {
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8
  %n.p = getelementptr i8, ptr %b, i64 24
  %n = load i32, ptr %n.p, align 4
  %t = call i32 @__smelt_thread_idx_x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %first, label %join

first:
  %t.l = zext i32 %t to i64
  %at = getelementptr [100 x float], ptr @tile, i64 0, i64 %t.l
  store float 1.0, ptr %at, align 4
  br label %join

join:
  %some = phi i1 [ true, %first ], [ false, %0 ]
  %v = phi float [ 2.0, %first ], [ 0.0, %0 ]
  call void @meet()
  br i1 %some, label %second, label %out

second:
  %l = load float, ptr @tile, align 4
  %s = fadd float %l, %v
  store float %s, ptr @total, align 4
  br label %out

out:
  call void @meet()
  %r = load float, ptr @total, align 4
  store float %r, ptr %y, align 4
  br i1 %in, label %left, label %right

left:
  %p = getelementptr i8, ptr %y, i64 4
  store float 3.0, ptr %p, align 4
  call void @meet()
  store float 4.0, ptr %p, align 4
  ret void

right:
  call void @meet()
  %q = getelementptr i8, ptr %y, i64 8
  store float 5.0, ptr %q, align 4
  ret void
}
