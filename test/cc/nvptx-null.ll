; An iterator over a local array or shared memory ends with NULL. The comparison
; stays generic: in local and shared memory there is no NULL, and a cast of it gives
; anything. Pointers to global memory keep their space.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify -q --stop-after optimise -o - | FileCheck %s --check-prefix=IR
; RUN: %smelt-cc %t.bc --targets sm_75 -q --stop-after emit -o - | FileCheck %s --check-prefix=PTX

; IR-NOT: addrspacecast (ptr null to ptr addrspace({{3|5}}))
; IR-LABEL: void @local_
; IR: call ptr asm "mov.b64 $0, 0;"
; IR-LABEL: void @shared_
; IR: call ptr asm "mov.b64 $0, 0;"
; IR-LABEL: void @global_
; IR-NOT: asm "mov.b64
; IR: load i64, ptr addrspace(1)

; PTX-NOT: cvta.to.local
; PTX-NOT: cvta.to.shared
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()
declare i1 @__smelt_any(i1)

@tile = internal global [9 x i64] undef, section ".smelt.shared", align 8

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5localE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 40, i64 8)
  %a = alloca [9 x i64], align 8
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %np = getelementptr i8, ptr %b, i64 24
  %n = load i64, ptr %np, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %ai = getelementptr i64, ptr %a, i64 %i
  store i64 %n, ptr %ai, align 8
  call void @walk(ptr %a, ptr %y, i64 %n)
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6sharedE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 40, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %np = getelementptr i8, ptr %b, i64 24
  %n = load i64, ptr %np, align 8
  store i64 %n, ptr @tile, align 8
  call void @walk(ptr @tile, ptr %y, i64 %n)
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6globalE(ptr %b) {
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 48, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %np = getelementptr i8, ptr %b, i64 24
  %n = load i64, ptr %np, align 8
  %xp = getelementptr i8, ptr %b, i64 32
  %xr = load ptr, ptr %xp, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  call void @walk(ptr %x, ptr %y, i64 %n)
  ret void
}

; for (k, p) in an iterator over a; with a division that is not run ahead of time and a
; vote between next and the comparison, so that the two are not folded together.
define internal void @walk(ptr %a, ptr %y, i64 %n) alwaysinline {
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %i1, %body ]
  %at = phi i64 [ 0, %0 ], [ %at2, %body ]
  %sum = phi i64 [ 0, %0 ], [ %s1, %body ]
  %c = icmp eq i64 %at, %n
  br i1 %c, label %join, label %some
some:
  %p0 = getelementptr i8, ptr %a, i64 %at
  %at1 = add i64 %at, 24
  %k1 = udiv i64 %at1, %n
  br label %join
join:
  %p = phi ptr [ null, %next ], [ %p0, %some ]
  %at2 = phi i64 [ %n, %next ], [ %at1, %some ]
  %i1 = phi i64 [ %i, %next ], [ %k1, %some ]
  %any = call i1 @__smelt_any(i1 %c)
  %z = icmp eq ptr %p, null
  br i1 %z, label %end, label %body
body:
  %v = load i64, ptr %p, align 8
  %vote = zext i1 %any to i64
  %u = add i64 %v, %vote
  %w = mul i64 %u, %i
  %s1 = add i64 %sum, %w
  br label %next
end:
  store i64 %sum, ptr %y, align 8
  ret void
}
