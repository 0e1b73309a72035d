; Where a launch knows 32 bits to count the bytes of its arguments, a variant computes
; offsets in 32 bits, and compares lengths so. A constant that is added to an index is
; left to the instruction only where the rest cannot be negative: not with x[i + 1] of a
; wrapping i. A kernel without such arguments has no variant, one whose arguments have a
; constant size needs none; NVIDIA's has none.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s --input-file=%t.ll
; RUN: FileCheck %s --input-file=%t.ll --check-prefix=NONE
; RUN: %smelt-cc %t.bc --targets sm_90 --verify --stop-after optimise -o %t.nv.ll
; RUN: FileCheck %s --input-file=%t.nv.ll --check-prefix=NV
; RUN: llc -mcpu=gfx90a %t.ll -o - | FileCheck %s --check-prefix=ASM
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx942,gfx1100,cpu --verify -o %t.o
; RUN: llvm-objdump -s -j smelt_kernels %t.o | FileCheck %s --check-prefix=TABLE

; The kernel itself for arguments of any size.
; CHECK-LABEL: define {{.*}} @matrix_0000000000000001(
; CHECK: icmp ugt i64
; CHECK: mul i64
; CHECK: getelementptr double, ptr addrspace(1) {{.*}}, i64
; CHECK-LABEL: define {{.*}} @bare_0000000000000002(
; CHECK: mul i64
; Of one array of 64 elements.
; CHECK-LABEL: define {{.*}} @array_0000000000000003(
; CHECK: [[J:%.*]] = mul i32 {{.*}}, 8
; CHECK: [[O:%.*]] = zext i32 [[J]] to i64
; CHECK: getelementptr i8, ptr addrspace(1) {{.*}}, i64 [[O]]
; NONE-LABEL: define {{.*}} @fields_0000000000000004(
; One index that did not wrap, of pairs: 24 bytes for the next one's second half.
; NONE: [[P:%.*]] = getelementptr i8, ptr addrspace(1) {{.*}}, i64
; NONE-NEXT: getelementptr i8, ptr addrspace(1) [[P]], i64 24
; Two indices: one of them may be negative.
; NONE: add i32 {{.*}}, 8
; NONE: load double
; One index, but three elements before it, which may be those that it is below 0.
; NONE: add i32 {{.*}}, 32
; NONE: load double
; NONE-NOT: @bare_0000000000000002_held
; NONE-NOT: @array_0000000000000003_held
; NV-NOT: _held

; CHECK-LABEL: define {{.*}} @matrix_0000000000000001_held(
; CHECK: [[N:%.*]] = load i64
; CHECK: [[W:%.*]] = trunc i64 [[N]] to i32
; CHECK-NOT: icmp {{.*}} i64
; CHECK: icmp ugt i32 [[W]],
; CHECK-NOT: mul i64
; CHECK: [[P:%.*]] = getelementptr i8, ptr addrspace(1) {{.*}}, i64 [[A:%.*]]
; CHECK: [[M:%.*]] = getelementptr i8, ptr addrspace(1) [[P]], i64 -8
; CHECK: load double, ptr addrspace(1) [[M]]
; CHECK: add i32 {{.*}}, 8
; CHECK: load double
; CHECK: store double

; ASM-LABEL: {{^}}matrix_0000000000000001_held:
; ASM-NOT: _u64
; ASM: global_load_dwordx2 v[{{[0-9:]*}}], v{{[0-9]+}}, s[{{[0-9:]*}}] offset:-8
; ASM: global_load_dwordx2 v[{{[0-9:]*}}], v{{[0-9]+}}, s[{{[0-9:]*}}]{{$}}
; ASM-NOT: _u64
; ASM: s_endpgm

; The limit, 2^32 - 65536, is among the terms.
; TABLE: 0000ffff 00000000
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare ptr @__smelt_arg_extent(ptr, i64)
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_thread_idx_y()
declare i32 @__smelt_block_idx_x()
declare i32 @__smelt_block_dim_x()

; i is the thread's place in the grid; if i < n,
; y[i] = x[i * n + row - 1] + x[i * n + row + 1], the sums wrapping
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6matrixE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 48, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %np = getelementptr i8, ptr %b, i64 24
  %n = load i64, ptr %np, align 8
  %yp = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %yp, align 8
  %mp = getelementptr i8, ptr %b, i64 40
  %m = load i64, ptr %mp, align 8
  %xbytes = mul i64 %n, 8
  %xe = call ptr @__smelt_arg_extent(ptr %xr, i64 %xbytes)
  %x = call ptr @__smelt_arg_readonly(ptr %xe)
  %ybytes = mul i64 %m, 8
  %ye = call ptr @__smelt_arg_extent(ptr %yr, i64 %ybytes)
  %y = call ptr @__smelt_arg_unique(ptr %ye)
  %t = call i32 @__smelt_thread_idx_x()
  %g = call i32 @__smelt_block_idx_x()
  %d = call i32 @__smelt_block_dim_x()
  %r = call i32 @__smelt_thread_idx_y()
  %t64 = zext i32 %t to i64
  %g64 = zext i32 %g to i64
  %d64 = zext i32 %d to i64
  %r64 = zext i32 %r to i64
  %gd = mul i64 %g64, %d64
  %i = add i64 %gd, %t64
  %in = icmp ult i64 %i, %n
  br i1 %in, label %go, label %end

go:
  %row = mul i64 %i, %n
  %at = add i64 %row, %r64
  %low = sub i64 %at, 1
  %high = add i64 %at, 1
  %xl = getelementptr inbounds double, ptr %x, i64 %low
  %u = load double, ptr %xl, align 8
  %xh = getelementptr inbounds double, ptr %x, i64 %high
  %v = load double, ptr %xh, align 8
  %s = fadd double %u, %v
  %yi = getelementptr inbounds double, ptr %y, i64 %i
  store double %s, ptr %yi, align 8
  br label %end

end:
  ret void
}

; The same without lengths: *(y + i * n) = *(x + i * n)
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k4bareE(ptr %b) {
  call void @__smelt_kernel_id(i128 2)
  call void @__smelt_block_layout(i64 40, i64 8)
  %xp = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %xp, align 8
  %yp = getelementptr i8, ptr %b, i64 24
  %yr = load ptr, ptr %yp, align 8
  %np = getelementptr i8, ptr %b, i64 32
  %n = load i64, ptr %np, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %t = call i32 @__smelt_thread_idx_x()
  %t64 = zext i32 %t to i64
  %at = mul i64 %t64, %n
  %xi = getelementptr inbounds double, ptr %x, i64 %at
  %v = load double, ptr %xi, align 8
  %yi = getelementptr inbounds double, ptr %y, i64 %at
  store double %v, ptr %yi, align 8
  ret void
}

; y[t % 64], y a reference to an array
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k5arrayE(ptr %b) {
  call void @__smelt_kernel_id(i128 3)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %ye = call ptr @__smelt_arg_extent(ptr %yr, i64 512)
  %y = call ptr @__smelt_arg_unique(ptr %ye)
  %t = call i32 @__smelt_thread_idx_x()
  %w = and i32 %t, 63
  %t64 = zext i32 %w to i64
  %yi = getelementptr inbounds double, ptr %y, i64 %t64
  store double 1.0, ptr %yi, align 8
  ret void
}

; y is an array of 64 pairs, i and j are any numbers.
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k6fieldsE(ptr %b) {
  call void @__smelt_kernel_id(i128 4)
  call void @__smelt_block_layout(i64 40, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %ip = getelementptr i8, ptr %b, i64 24
  %i = load i64, ptr %ip, align 8
  %jp = getelementptr i8, ptr %b, i64 32
  %j = load i64, ptr %jp, align 8
  %ye = call ptr @__smelt_arg_extent(ptr %yr, i64 1024)
  %y = call ptr @__smelt_arg_unique(ptr %ye)
  %i1 = add nuw i64 %i, 1
  %j1 = add nuw i64 %j, 1
  %p1 = getelementptr inbounds {double, double}, ptr %y, i64 %i1
  %q1 = getelementptr inbounds i8, ptr %p1, i64 8
  %a = load double, ptr %q1, align 8
  %p2 = getelementptr inbounds double, ptr %y, i64 %i
  %q2 = getelementptr inbounds double, ptr %p2, i64 %j1
  %c = load double, ptr %q2, align 8
  %p3 = getelementptr inbounds i8, ptr %y, i64 24
  %q3 = getelementptr inbounds double, ptr %p3, i64 %i1
  %d = load double, ptr %q3, align 8
  %s = fadd double %a, %c
  %r = fadd double %s, %d
  store double %r, ptr %y, align 8
  ret void
}
