; Shared memory, static and dynamic, and barriers: one in the source is one in the
; output, even behind a branch that is taken twice.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1201 --verify -o %t.o
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s --check-prefix=AMD

; PTX: .extern .shared .align 16 .b8 __smelt_dynamic_shared_memory[];
; PTX: .entry
; PTX: .shared .align 4 .b8 TILE[256];
; PTX: st.shared.b32
; PTX-COUNT-1: bar.sync
; PTX-NOT: bar.sync
; PTX: ld.shared.b32
; PTX-NOT: bar.sync

; AMD-DAG: @__smelt_dynamic_shared_memory = external {{.*}}addrspace(3) global [0 x i8], align 16
; AMD-DAG: @TILE = internal {{.*}}addrspace(3) global [64 x float] undef, align 4
; AMD: store {{.*}}, ptr addrspace(3)
; AMD: fence syncscope("workgroup") release
; AMD-NEXT: call void @llvm.amdgcn.s.barrier()
; AMD-NEXT: fence syncscope("workgroup") acquire
; AMD-NOT: s.barrier()
; AMD: load {{.*}} ptr addrspace(3)
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()

declare i1 @__smelt_barrier()
declare ptr @__smelt_dynamic_shared()

@TILE = internal global [64 x float] undef, section ".smelt.shared", align 4

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 40, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 24
  %n = load i32, ptr %np, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %c = icmp ult i32 %t, %n
  %at = getelementptr [64 x float], ptr @TILE, i64 0, i64 %i
  br i1 %c, label %write, label %meet
write:
  store float 1.0, ptr %at, align 4
  br label %meet
meet:
  %again = call zeroext i1 @__smelt_barrier()
  br i1 %again, label %meet, label %go
go:
  br i1 %c, label %read, label %end
read:
  %j = xor i64 %i, 1
  %from = getelementptr [64 x float], ptr @TILE, i64 0, i64 %j
  %v = load float, ptr %from, align 4
  %dyn = call ptr @__smelt_dynamic_shared()
  %d = getelementptr float, ptr %dyn, i64 %i
  store float %v, ptr %d, align 4
  %yi = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %yi, align 4
  br label %end
end:
  ret void
}
