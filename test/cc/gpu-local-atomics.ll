; Atomics on a local are no atomics: PTX has none there.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after emit -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after optimise -o - | FileCheck %s --check-prefix=AMD

; CHECK: .entry
; CHECK-NOT: atom.local
; CHECK-NOT: ld.{{(relaxed|acquire).*}}local
; CHECK-NOT: atom{{.*}}exch
; CHECK: ret;
; AMD: define {{.*}}amdgpu_kernel
; AMD-NOT: atomicrmw {{.*}}addrspace(5)
; AMD-NOT: cmpxchg {{.*}}addrspace(5)
; AMD: ret void
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_unique(ptr)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %a = alloca [2 x i32], align 4
  %v = load i32, ptr %y, align 4
  %i = and i32 %v, 1
  %p = getelementptr i32, ptr %a, i32 %i
  store atomic i32 %v, ptr %a release, align 4
  store atomic i32 5, ptr %p seq_cst, align 4
  %o = atomicrmw umax ptr %p, i32 %v acq_rel, align 4
  %n = atomicrmw nand ptr %a, i32 %o monotonic, align 4
  %x = atomicrmw xchg ptr %p, i32 %n monotonic, align 4
  %c = cmpxchg ptr %a, i32 %x, i32 %v seq_cst monotonic, align 4
  %old = extractvalue { i32, i1 } %c, 0
  %ok = extractvalue { i32, i1 } %c, 1
  %l = load atomic i32, ptr %p acquire, align 4
  %s = select i1 %ok, i32 %l, i32 %old
  store i32 %s, ptr %y, align 4
  ret void
}
