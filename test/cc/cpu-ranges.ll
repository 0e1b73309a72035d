; Checks on a + x come out of the loop over the threads of a row: the loop that most
; threads run is a vector loop without them, for either processor, with no check that
; the slices do not overlap. The checks stand in another function, with the panic; an
; index that is read from memory keeps its check where it is.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu --verify --stop-after optimise -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=CHECKED < %t.ll
; RUN: FileCheck %s --check-prefix=V1 < %t.ll
; RUN: FileCheck %s --check-prefix=V3 < %t.ll
; RUN: FileCheck %s --check-prefix=GATHER < %t.ll
; RUN: FileCheck %s --check-prefix=OPTION < %t.ll

; CHECK-NOT: @__smelt_
; CHECK-NOT: @smelt.
; CHECK-LABEL: define hidden {{.*}}@saxpy_0000000000000007_cpu(ptr
; CHECK: load i32, ptr @smelt_cpu_level
; CHECK: call {{.*}}@saxpy_0000000000000007_cpu_v3(
; CHECK: call {{.*}}@saxpy_0000000000000007_cpu_v1(
; CHECK-NOT: @__smelt_
; CHECK-NOT: @smelt.

; CHECKED-LABEL: define internal {{.*}}@saxpy_0000000000000007_cpu_checked(
; CHECKED: icmp ult i64
; CHECKED: icmp ult i64
; CHECKED: call {{.*}}@smelt_cpu_record(
; CHECKED: {{^}}}

; V1-LABEL: define internal {{.*}}@saxpy_0000000000000007_cpu_v1(
; V1: call {{.*}}@saxpy_0000000000000007_cpu_checked(
; V1-NOT: vector.memcheck
; V1-NOT: smelt_cpu_record
; V1: vector.body:
; V1: load <4 x float>
; V1: fmul <4 x float>
; V1: fadd <4 x float>
; V1: store <4 x float>
; V1-NOT: smelt_cpu_record
; V1: call {{.*}}@saxpy_0000000000000007_cpu_checked(
; V1: {{^}}}

; V3-LABEL: define internal {{.*}}@saxpy_0000000000000007_cpu_v3(
; V3: vector.body:
; V3: fmul <8 x float>
; V3-NOT: smelt_cpu_record
; V3: {{^}}}

; An Option of a reference leaves a comparison of an address with NULL behind.
; OPTION-LABEL: define internal {{.*}}@option_0000000000000009_cpu_v1(
; OPTION: vector.body:
; OPTION: store <4 x float>
; OPTION: {{^}}}

; GATHER-LABEL: define internal {{.*}}@gather_0000000000000008_cpu_v1(
; GATHER: icmp ugt i64 %x.n
; GATHER: call {{.*}}@smelt_cpu_record(
; GATHER: {{^}}}
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()
declare i32 @__smelt_block_idx_x()
declare i32 @__smelt_block_dim_x()
declare void @__smelt_panic(i32, i64, i64)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5saxpyE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 56, i64 8)
  call void @run(ptr %b, i1 false)
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app6gatherE(ptr %b) {
  call void @__smelt_kernel_id(i128 8)
  call void @__smelt_block_layout(i64 56, i64 8)
  call void @run(ptr %b, i1 true)
  ret void
}

define internal void @run(ptr %b, i1 %gather) {
  %a.p = getelementptr i8, ptr %b, i64 16
  %a = load float, ptr %a.p, align 4
  %x.p = getelementptr i8, ptr %b, i64 24
  %x.raw = load ptr, ptr %x.p, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %x.raw)
  %x.n.p = getelementptr i8, ptr %b, i64 32
  %x.n = load i64, ptr %x.n.p, align 8
  %y.p = getelementptr i8, ptr %b, i64 40
  %y.raw = load ptr, ptr %y.p, align 8
  %y = call ptr @__smelt_arg_unique(ptr %y.raw)
  %y.n.p = getelementptr i8, ptr %b, i64 48
  %y.n = load i64, ptr %y.n.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %bi = call i32 @__smelt_block_idx_x()
  %bd = call i32 @__smelt_block_dim_x()
  %t.l = zext i32 %t to i64
  %bi.l = zext i32 %bi to i64
  %bd.l = zext i32 %bd to i64
  %first = mul i64 %bi.l, %bd.l
  %i = add i64 %first, %t.l
  %in = icmp ult i64 %i, %y.n
  br i1 %in, label %body, label %out

body:
  %at.y = getelementptr inbounds float, ptr %y, i64 %i
  br i1 %gather, label %far, label %near

far:
  %old.y = load float, ptr %at.y, align 4
  %j = fptoui float %old.y to i64
  br label %near

near:
  %k = phi i64 [ %i, %body ], [ %j, %far ]
  %in.x = icmp ult i64 %k, %x.n
  br i1 %in.x, label %ok, label %bad

ok:
  %at.x = getelementptr inbounds float, ptr %x, i64 %k
  %v = load float, ptr %at.x, align 4
  %m = fmul float %a, %v
  %old = load float, ptr %at.y, align 4
  %s = fadd float %old, %m
  store float %s, ptr %at.y, align 4
  br label %out

bad:
  call void @__smelt_panic(i32 0, i64 %k, i64 %x.n)
  unreachable

out:
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app6optionE(ptr %b) {
  call void @__smelt_kernel_id(i128 9)
  call void @__smelt_block_layout(i64 56, i64 8)
  %y.p = getelementptr i8, ptr %b, i64 40
  %y = load ptr, ptr %y.p, align 8
  %y.n.p = getelementptr i8, ptr %b, i64 48
  %y.n = load i64, ptr %y.n.p, align 8
  %t = call i32 @__smelt_thread_idx_x()
  %i = zext i32 %t to i64
  %in = icmp ult i64 %i, %y.n
  %at = getelementptr float, ptr %y, i64 %i
  %some = select i1 %in, ptr %at, ptr null
  %none = icmp eq ptr %some, null
  br i1 %none, label %out, label %body

body:
  store float 1.0, ptr %some, align 4
  br label %out

out:
  ret void
}
