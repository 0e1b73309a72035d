; LLVM 22's AMD back end takes a free instruction in front of a join out of its block, and
; loses its value on the ways that reach that block through several others: from two cases
; of a switch here. The value is passed on in that block, which keeps it there
; (amdgpu_phis.c). Without that the zext below would be poison for case 0.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1100 -o %t.o

; CHECK: define {{.*}}amdgpu_kernel
; CHECK: plain:
; CHECK-NEXT: %[[X:.*]] = zext {{.*}}i8 %{{.*}} to i32
; CHECK: %[[A:.*]] = call i32 @llvm.expect.i32(i32 %[[X]], i32 %[[X]])
; CHECK: %[[B:.*]] = call i32 @llvm.expect.i32(i32 %[[A]], i32 %[[A]])
; CHECK: phi i32 {{.*}}[ %[[B]],
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_unique(ptr)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
entry:
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %limit = load i64, ptr %y, align 8
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %s = phi i32 [ 0, %entry ], [ %sum, %join ]
  %at = getelementptr i8, ptr %y, i64 %i
  %x = load i8, ptr %at, align 1
  switch i64 %i, label %other [
    i64 0, label %plain
    i64 10, label %plain
  ]

plain:
  %wide = zext i8 %x to i32
  br label %join

other:
  %two = getelementptr i8, ptr %at, i64 1
  %z = load i8, ptr %two, align 1
  %zx = xor i8 %z, %x
  %zw = zext i8 %zx to i32
  %m = mul i32 %zw, %s
  %c = icmp ugt i8 %z, 7
  br i1 %c, label %more, label %join

more:
  store i8 %z, ptr %at, align 1
  %n = mul i32 %m, %zw
  br label %join

join:
  %v = phi i32 [ %wide, %plain ], [ %m, %other ], [ %n, %more ]
  %t = mul i32 %s, 31
  %sum = add i32 %t, %v
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, %limit
  br i1 %end, label %out, label %loop

out:
  store i32 %sum, ptr %y, align 4
  ret void
}
