; Kernels: readable names, ids as immediates and as constants in memory, flags and
; launch bounds; what no kernel reaches is gone, and so are the calls that only tell
; the compiler something.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --verify --stop-after check -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --verify --stop-after find -o - | FileCheck %s --check-prefix=FIND

; CHECK-NOT: host_only
; CHECK: @table = internal constant
; CHECK-NOT: host_only
; CHECK: define {{.*}}void @saxpy_0000000000000007(ptr %b)
; CHECK-NEXT: ret void
; CHECK: define {{.*}}void @main_closure_0_8000000000000001(ptr %b)
; CHECK-NOT: __smelt_kernel_id
; CHECK-NOT: __smelt_block_layout
; CHECK-NOT: __smelt_launch_bounds
; CHECK: call i32 @helper()
; CHECK: define internal i32 @helper()
; CHECK-NOT: host_only

; FIND: call void @__smelt_launch_bounds(i32 128, i32 2)
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@id = private unnamed_addr constant <{ ptr, ptr }> <{ ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 -9223372036854775808 to ptr) }>, align 8
@table = internal constant [2 x i32] [i32 1, i32 2]
@host_only_data = internal global i32 0

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare void @__smelt_launch_bounds(i32, i32)
declare void @__smelt_index_dims(i32)
declare void @print()

define void @main() {
  call void @host_only()
  ret void
}

define internal void @host_only() {
  store i32 1, ptr @host_only_data
  call void @print()
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5saxpyE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  ret void
}

; Not optimised: the id is what a function returns through memory.
define internal void @_RINvCs1_5smelt13___smelt_entryNCNvCs2_3app4main0E(ptr %b) {
  %id = alloca [16 x i8]
  call void @type_id(ptr sret([16 x i8]) %id)
  %v = load i128, ptr %id, align 8
  call void @__smelt_kernel_id(i128 %v)
  call void @__smelt_block_layout(i64 16, i64 8)
  call void @__smelt_launch_bounds(i32 128, i32 2)
  %x = call i32 @helper()
  ret void
}

define internal void @type_id(ptr sret([16 x i8]) %out) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %out, ptr align 8 @id, i64 16, i1 false)
  ret void
}

define internal i32 @helper() {
  call void @__smelt_index_dims(i32 2)
  %v = load i32, ptr @table
  ret i32 %v
}
