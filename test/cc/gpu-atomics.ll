; core's atomics get the device's scope, orderings survive, float atomics are native
; where the target has them.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after emit -o - | FileCheck %s --check-prefix=PTX
; RUN: %smelt-cc %t.bc --targets gfx90a --verify --stop-after intrinsics -o - | FileCheck %s --check-prefix=AMD
; RUN: %smelt-cc %t.bc --targets gfx90a,gfx1100 -o %t.o

; PTX: fence.sc.gpu
; PTX-NEXT: atom.global.add.u32
; PTX-NEXT: fence.acq_rel.gpu
; PTX: atom.global.add.f64
; PTX: atom.sys.add.f64
; PTX: ld.acquire.gpu.global

; AMD: atomicrmw add ptr {{.*}} syncscope("agent") seq_cst
; AMD: atomicrmw fadd ptr {{.*}} syncscope("agent") monotonic, {{.*}}!amdgpu.no.fine.grained.memory
; AMD: atomicrmw fadd ptr {{.*}}, double 2.000000e+00 monotonic
; AMD-NOT: amdgpu.no
; AMD: atomicrmw fmin ptr {{.*}} syncscope("workgroup") monotonic
; AMD: load atomic i32, {{.*}} syncscope("agent") acquire
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()

declare double @__smelt_atomic_add_f64(ptr, double, i32)
declare float @__smelt_atomic_min_f32(ptr, float, i32)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %yp = getelementptr i8, ptr %b, i64 16
  %yr = load ptr, ptr %yp, align 8
  %y = call ptr @__smelt_arg_unique(ptr %yr)
  %o = atomicrmw add ptr %y, i32 1 seq_cst, align 4
  %d = getelementptr i8, ptr %y, i64 8
  %p = call double @__smelt_atomic_add_f64(ptr %d, double 1.0, i32 1)
  %q = call double @__smelt_atomic_add_f64(ptr %d, double 2.0, i32 2)
  %f = getelementptr i8, ptr %y, i64 16
  %r = call float @__smelt_atomic_min_f32(ptr %f, float 3.0, i32 0)
  %l = load atomic i32, ptr %y acquire, align 4
  %s = getelementptr i8, ptr %y, i64 20
  store i32 %l, ptr %s, align 4
  ret void
}
