; Kernels that recurse or call through a pointer are marked in the table: how much stack
; they need nobody knows. One that only calls is not.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --crate p --targets sm_90 -o %t.o
; RUN: llvm-objcopy --dump-section smelt_kernels=%t.table %t.o
; RUN: %python %S/inputs/flags.py %t.table | FileCheck %s
; RUN: %smelt-cc %t.bc --crate p --targets gfx90a -o %t.o
; RUN: llvm-objcopy --dump-section smelt_kernels=%t.table %t.o
; RUN: %python %S/inputs/flags.py %t.table | FileCheck %s

; CHECK: again_{{.*}} flags 0x40
; CHECK: calls_{{.*}} flags 0x0
; CHECK: pointer_{{.*}} flags 0x40
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_unique(ptr)
@functions = private constant [2 x ptr] [ptr @_RNvCs2_1k5twice, ptr @_RNvCs2_1k6square]

define internal i64 @_RNvCs2_1k8binomial(i64 %n, i64 %k) noinline {
  %small = icmp ult i64 %n, 2
  br i1 %small, label %end, label %more
more:
  %m = sub i64 %n, 1
  %j = xor i64 %k, %m
  %a = call i64 @_RNvCs2_1k8binomial(i64 %m, i64 %k)
  %b = call i64 @_RNvCs2_1k8binomial(i64 %m, i64 %j)
  %c = mul i64 %a, %b
  %d = add i64 %c, %k
  ret i64 %d
end:
  ret i64 %k
}
define internal i64 @_RNvCs2_1k5twice(i64 %n) noinline {
  %a = mul i64 %n, 2
  ret i64 %a
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5againE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 40, i64 8)
  %np = getelementptr i8, ptr %b, i64 16
  %n = load i64, ptr %np, align 8
  %op = getelementptr i8, ptr %b, i64 24
  %or = load ptr, ptr %op, align 8
  %out = call ptr @__smelt_arg_unique(ptr %or)
  %v = call i64 @_RNvCs2_1k8binomial(i64 %n, i64 %n)
  store i64 %v, ptr %out, align 8
  ret void
}
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5callsE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 40, i64 8)
  %np = getelementptr i8, ptr %b, i64 16
  %n = load i64, ptr %np, align 8
  %op = getelementptr i8, ptr %b, i64 24
  %or = load ptr, ptr %op, align 8
  %out = call ptr @__smelt_arg_unique(ptr %or)
  %v = call i64 @_RNvCs2_1k5twice(i64 %n)
  store i64 %v, ptr %out, align 8
  ret void
}
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k7pointerE(ptr %b) {
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 40, i64 8)
  %np = getelementptr i8, ptr %b, i64 16
  %n = load i64, ptr %np, align 8
  %op = getelementptr i8, ptr %b, i64 24
  %or = load ptr, ptr %op, align 8
  %out = call ptr @__smelt_arg_unique(ptr %or)
  %m = and i64 %n, 1
  %at = getelementptr inbounds ptr, ptr @functions, i64 %m
  %f = load ptr, ptr %at, align 8
  %v = call i64 %f(i64 %n)
  store i64 %v, ptr %out, align 8
  ret void
}
define internal i64 @_RNvCs2_1k6square(i64 %n) noinline {
  %a = mul i64 %n, %n
  ret i64 %a
}
