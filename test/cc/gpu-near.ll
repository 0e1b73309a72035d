; The value of a lane whose number differs in bits that are known: one instruction on NVIDIA. On AMD
; rows of 16 lanes meet by DPP; gfx90a goes through LDS for 16, and reads all lanes for 32;
; gfx1100 has instructions for both. gfx700 has no DPP. A lane that is a constant is read as such.
; A mask that is no constant takes the general way.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after intrinsics -o - | FileCheck %s --check-prefix=GFX9
; RUN: %smelt-cc %t.bc --targets gfx1100 --verify --stop-after intrinsics -o - | FileCheck %s --check-prefix=GFX11
; RUN: %smelt-cc %t.bc --targets gfx700 --verify --stop-after intrinsics -o - | FileCheck %s --check-prefix=GFX7
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1100 -o %t.o

; PTX: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1
; PTX: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1
; PTX: shfl.sync.bfly.b32 {{.*}}, 8, 31, -1
; PTX: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1
; PTX: shfl.sync.idx.b32
; PTX-NOT: vote

; GFX9: call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 {{.*}}, i32 177, i32 15, i32 15, i1 true)
; GFX9: [[A:%.*]] = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 {{.*}}, i32 260, i32 15, i32 5, i1 false)
; GFX9: call i32 @llvm.amdgcn.update.dpp.i32(i32 [[A]], i32 {{.*}}, i32 276, i32 15, i32 10, i1 false)
; GFX9: call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 {{.*}}, i32 296, i32 15, i32 15, i1 true)
; GFX9: call i32 @llvm.amdgcn.ds.swizzle(i32 {{.*}}, i32 16415)
; GFX9: call i32 @llvm.amdgcn.ds.bpermute(
; GFX9: call i32 @llvm.amdgcn.readlane.i32(i32 {{.*}}, i32 5)
; GFX9: call i32 @llvm.amdgcn.ds.bpermute(
; GFX9-NOT: ballot

; GFX11: call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 {{.*}}, i32 177, i32 15, i32 15, i1 true)
; GFX11: call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 {{.*}}, i32 356, i32 15, i32 15, i1 true)
; GFX11: call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 {{.*}}, i32 360, i32 15, i32 15, i1 true)
; GFX11: call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 {{.*}}, i32 1985229328, i32 -19088744, i1 false, i1 true)

; GFX7: call i32 @llvm.amdgcn.ds.swizzle(i32 {{.*}}, i32 1055)
; GFX7-NOT: update.dpp
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_lane_id()
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_shuffle_near_b32(i32, i32)
declare i32 @__smelt_shuffle_raw_b32(i32, i32)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %lane = call i32 @__smelt_lane_id()
  %t = call i32 @__smelt_thread_idx_x()
  %v1 = call i32 @__smelt_shuffle_near_b32(i32 %t, i32 1)
  %v4 = call i32 @__smelt_shuffle_near_b32(i32 %v1, i32 4)
  %v8 = call i32 @__smelt_shuffle_near_b32(i32 %v4, i32 8)
  %v16 = call i32 @__smelt_shuffle_near_b32(i32 %v8, i32 16)
  %v32 = call i32 @__smelt_shuffle_near_b32(i32 %v16, i32 32)
  %v5 = call i32 @__smelt_shuffle_raw_b32(i32 %v32, i32 5)
  %any = call i32 @__smelt_shuffle_near_b32(i32 %v5, i32 %t)
  %i = zext i32 %lane to i64
  %yi = getelementptr i32, ptr %y, i64 %i
  store i32 %any, ptr %yi, align 4
  ret void
}
