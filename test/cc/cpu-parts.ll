; A kernel whose threads all come to the same barrier is cut there: each part is a loop
; over the threads, a vector loop where a loop would be one. What is the same for all is kept
; once, what can be made again is not kept; a thread that has ended takes no part in what follows.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=SUM < %t.ll
; RUN: FileCheck %s --check-prefix=PANIC < %t.ll
; RUN: FileCheck %s --check-prefix=HOT < %t.ll

; CHECK-NOT: __smelt_
; CHECK-NOT: .resume(
; CHECK-LABEL: define hidden {{.*}}void @two_0000000000000007_cpu(ptr
; CHECK: call {{.*}}@two_0000000000000007_cpu_part0
; CHECK: call {{.*}}@two_0000000000000007_cpu_part1
; CHECK: call {{.*}}@two_0000000000000007_cpu_part2
; CHECK-NOT: @two_0000000000000007_cpu_part3
; CHECK: {{^}}}

; The counter k is one word, and the column of x is walked by a vector loop.
; SUM-LABEL: define internal {{.*}}@sum_0000000000000008_cpu_part1_v3(
; SUM: vector.body:
; SUM: load <4 x double>
; SUM: fadd <4 x double>
; SUM: {{^}}}

; Whether some thread has ended is asked for the row; which one, in the slow loop only.
; PANIC-LABEL: define internal {{.*}}@check_0000000000000009_cpu_part1_checked(
; PANIC: load i32, ptr %{{.*}}
; PANIC: {{^}}}
; HOT-LABEL: define internal {{.*}}@check_0000000000000009_cpu_part1_v3(
; HOT: vector.body:
; HOT: store <8 x float>
; HOT: {{^}}}
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
  ret void
}

@buffer = internal global [256 x double] undef, section ".smelt.shared", align 8

declare void @__smelt_panic(i32, i64, i64)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app3sumE(ptr %b) {
  call void @__smelt_kernel_id(i128 8)
  call void @__smelt_block_layout(i64 40, i64 8)
  %x.p = getelementptr i8, ptr %b, i64 16
  %x = load ptr, ptr %x.p, align 8
  %y.p = getelementptr i8, ptr %b, i64 24
  %y = load ptr, ptr %y.p, align 8
  %n.p = getelementptr i8, ptr %b, i64 32
  %n = load i64, ptr %n.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %t.l = zext i32 %t to i64
  %mine = getelementptr double, ptr @buffer, i64 %t.l
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %k.1, %loop ]
  %s = phi double [ 0.0, %0 ], [ %s.1, %loop ]
  %row = mul i64 %k, 256
  %i = add i64 %row, %t.l
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  store double %v, ptr %mine, align 8
  call void @meet()
  %first = load double, ptr %mine, align 8
  %s.1 = fadd double %s, %first
  %k.1 = add i64 %k, 1
  %more = icmp ult i64 %k.1, %n
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr double, ptr %y, i64 %t.l
  store double %s.1, ptr %q, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5checkE(ptr %b) {
  call void @__smelt_kernel_id(i128 9)
  call void @__smelt_block_layout(i64 40, i64 8)
  %y.p = getelementptr i8, ptr %b, i64 24
  %y = load ptr, ptr %y.p, align 8
  %n.p = getelementptr i8, ptr %b, i64 32
  %n = load i64, ptr %n.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %t.l = zext i32 %t to i64
  %in = icmp ult i64 %t.l, %n
  br i1 %in, label %fine, label %bad
bad:
  call void @__smelt_panic(i32 1, i64 %t.l, i64 %n)
  unreachable
fine:
  %at = getelementptr [100 x float], ptr @tile, i64 0, i64 %t.l
  store float 1.0, ptr %at, align 4
  call void @meet()
  %q = getelementptr float, ptr %y, i64 %t.l
  store float 2.0, ptr %q, align 4
  ret void
}
