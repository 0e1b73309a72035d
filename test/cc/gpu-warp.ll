; Warp operations. A shuffle from a lane that is outside or has ended gives the own
; value; the raw one says nothing of such lanes and asks nothing.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after intrinsics -o - | FileCheck %s --check-prefixes=AMD,W64
; RUN: %smelt-cc %t.bc --targets gfx1100 --verify --stop-after intrinsics -o - | FileCheck %s --check-prefixes=AMD,W32
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1100 -o %t.o

; PTX: mov.u32 {{.*}}%laneid
; PTX: vote.sync.ballot.b32 {{.*}} -1
; PTX: shfl.sync.idx.b32 {{.*}}, 31, -1
; PTX: vote.sync.ballot.b32

; AMD: call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
; W64: call i32 @llvm.amdgcn.mbcnt.hi(i32 -1
; W32-NOT: mbcnt.hi
; W64: call i64 @llvm.amdgcn.ballot.i64(i1 true)
; W32: call i32 @llvm.amdgcn.ballot.i32(i1 true)
; AMD: call i32 @llvm.amdgcn.ds.bpermute(
; AMD: select i1

; PTX-LABEL: .entry{{.*}}raw
; PTX-NOT: vote
; PTX: shfl.sync.idx.b32
; PTX-NOT: vote
; The halves of a word share a vote.
; PTX-LABEL: .entry{{.*}}halves
; PTX-COUNT-1: vote.sync.ballot.b32
; PTX-NOT: vote
; AMD-LABEL: define {{.*}} @raw
; AMD-NOT: ballot
; AMD: call i32 @llvm.amdgcn.ds.bpermute(
; AMD: ret void
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()

declare i32 @__smelt_lane_id()
declare i32 @__smelt_warp_size()
declare i32 @__smelt_shuffle_down_b32(i32, i32)
declare i32 @__smelt_shuffle_raw_b32(i32, i32)
declare i64 @__smelt_ballot(i1)
declare i1 @__smelt_all(i1)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %lane = call i32 @__smelt_lane_id()
  %size = call i32 @__smelt_warp_size()
  %v = call i32 @__smelt_shuffle_down_b32(i32 %lane, i32 3)
  %c = icmp ugt i32 %v, 9
  %m = call i64 @__smelt_ballot(i1 zeroext %c)
  %a = call zeroext i1 @__smelt_all(i1 zeroext %c)
  %a64 = zext i1 %a to i64
  %s64 = zext i32 %size to i64
  %r = add i64 %m, %a64
  %r2 = add i64 %r, %s64
  %i = zext i32 %lane to i64
  %yi = getelementptr i64, ptr %y, i64 %i
  store i64 %r2, ptr %yi, align 8
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k3rawE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %lane = call i32 @__smelt_lane_id()
  %from = xor i32 %lane, 1
  %v = call i32 @__smelt_shuffle_raw_b32(i32 %lane, i32 %from)
  %i = zext i32 %lane to i64
  %yi = getelementptr i32, ptr %y, i64 %i
  store i32 %v, ptr %yi, align 4
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6halvesE(ptr %b) {
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %lane = call i32 @__smelt_lane_id()
  %i = zext i32 %lane to i64
  %yi = getelementptr i64, ptr %y, i64 %i
  %v = load i64, ptr %yi, align 8
  %low = trunc i64 %v to i32
  %up = lshr i64 %v, 32
  %high = trunc i64 %up to i32
  %low2 = call i32 @__smelt_shuffle_down_b32(i32 %low, i32 3)
  %high2 = call i32 @__smelt_shuffle_down_b32(i32 %high, i32 3)
  %l = zext i32 %low2 to i64
  %h = zext i32 %high2 to i64
  %hs = shl i64 %h, 32
  %r = or i64 %hs, %l
  store i64 %r, ptr %yi, align 8
  ret void
}
