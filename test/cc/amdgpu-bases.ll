; What all lanes share of an index is added to the slice's base by the scalar unit, the
; thread's place in its block goes into the 32 bits of offset beside it; a position is
; computed in 32 bits. An index that is read from memory, or scaled by more than its 32
; bits hold, stays as it is.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR
; RUN: llc -mcpu=gfx90a %t.ll -o - | FileCheck %s --check-prefix=ASM
; RUN: llc -mcpu=gfx90a %t.ll -o - | FileCheck %s --check-prefix=READ
; RUN: %smelt-cc %t.bc --targets gfx942,gfx1100 --verify -o %t.o

; IR-LABEL: define {{.*}} @copy_0000000000000001(
; IR: mul nuw i32
; ASM-LABEL: copy_0000000000000001:
; ASM: s_mul_i32
; ASM-NOT: v_mad_u64_u32
; ASM: global_load_dwordx2 v[{{[0-9:]*}}], [[LANE:v[0-9]+]], s[
; ASM: global_store_dwordx2 [[LANE]], v[{{[0-9:]*}}], s[
; ASM: s_endpgm

; ASM-LABEL: far_0000000000000003:
; ASM: v_lshlrev_b64
; ASM: global_store_dwordx2 v[{{[0-9:]*}}], v[{{[0-9:]*}}], off

; READ-LABEL: gather_0000000000000002:
; READ: global_store_dwordx2 v[{{[0-9:]*}}], v[{{[0-9:]*}}], off
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_block_idx_x()
declare i32 @__smelt_block_dim_x()

; y[i] = x[i + 3]
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k4copyE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 32, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %yp = getelementptr i8, ptr %b, i64 24
  %yr = load ptr, ptr %yp, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %g = call i32 @__smelt_block_idx_x()
  %d = call i32 @__smelt_block_dim_x()
  %t64 = zext i32 %t to i64
  %g64 = zext i32 %g to i64
  %d64 = zext i32 %d to i64
  %gd = mul i64 %g64, %d64
  %i = add i64 %gd, %t64
  %j = add i64 %i, 3
  %xi = getelementptr inbounds double, ptr %x, i64 %j
  %v = load double, ptr %xi, align 8
  %yi = getelementptr inbounds double, ptr %y, i64 %i
  store double %v, ptr %yi, align 8
  ret void
}

; y[x[t]] = 1
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6gatherE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 32, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %yp = getelementptr i8, ptr %b, i64 24
  %yr = load ptr, ptr %yp, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %t64 = zext i32 %t to i64
  %xi = getelementptr inbounds i64, ptr %x, i64 %t64
  %j = load i64, ptr %xi, align 8
  %yi = getelementptr inbounds double, ptr %y, i64 %j
  store double 1.0, ptr %yi, align 8
  ret void
}

; y[t << 24] = 1, which is up to 2^37 bytes away
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k3farE(ptr %b) {
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %t64 = zext i32 %t to i64
  %far = shl i64 %t64, 24
  %yi = getelementptr inbounds double, ptr %y, i64 %far
  store double 1.0, ptr %yi, align 8
  ret void
}
