; The host's instructions that a dependency may bring along: those with a plain
; meaning become vector code for every target, others are named with their line.
; RUN: split-file %s %t
; RUN: llvm-as %t/plain.ll -o %t/plain.bc
; RUN: %smelt-cc %t/plain.bc --verify --stop-after check -o - | FileCheck %s
; RUN: %smelt-cc %t/plain.bc --verify --targets cpu,sm_75,gfx90a -o %t/plain.o
; RUN: llvm-as %t/other.ll -o %t/other.bc
; RUN: not %smelt-cc %t/other.bc -o %t/other.o 2>&1 | FileCheck %s --check-prefix=OTHER

; CHECK-NOT: llvm.x86
; CHECK: fcmp olt <4 x float> %x, %y
; CHECK: select <4 x i1>
; CHECK: icmp slt <16 x i8> {{.*}}, zeroinitializer
; CHECK: bitcast <16 x i1> {{.*}} to i16
; CHECK: mul <8 x i32>
; CHECK: shufflevector <8 x i32> {{.*}} <i32 0, i32 2, i32 4, i32 6>
; CHECK: fence seq_cst
; CHECK-NOT: llvm.x86

; OTHER: error: this is an instruction of the host's processor: `llvm.x86.sse.rcp.ps`
; OTHER-NEXT: = note: in kernel `app::k`
; OTHER-NEXT: = note: `app::k` uses `llvm.x86.sse.rcp.ps`

;--- plain.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare <4 x float> @llvm.x86.sse.min.ps(<4 x float>, <4 x float>)
declare i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8>)
declare <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16>, <8 x i16>)
declare void @llvm.x86.sse2.mfence()
declare void @llvm.x86.sse2.pause()

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %pp = getelementptr i8, ptr %b, i64 16
  %p = load ptr, ptr %pp
  %x = load <4 x float>, ptr %p
  %q = getelementptr i8, ptr %p, i64 16
  %y = load <4 x float>, ptr %q
  %m = call <4 x float> @llvm.x86.sse.min.ps(<4 x float> %x, <4 x float> %y)
  store <4 x float> %m, ptr %p
  %bytes = bitcast <4 x float> %m to <16 x i8>
  %mask = call i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8> %bytes)
  store i32 %mask, ptr %q
  %words = bitcast <4 x float> %x to <8 x i16>
  %sum = call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> %words, <8 x i16> %words)
  call void @llvm.x86.sse2.mfence()
  call void @llvm.x86.sse2.pause()
  store <4 x i32> %sum, ptr %p
  ret void
}

;--- other.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare <4 x float> @llvm.x86.sse.rcp.ps(<4 x float>)

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 24, i64 8)
  %pp = getelementptr i8, ptr %b, i64 16
  %p = load ptr, ptr %pp
  %x = load <4 x float>, ptr %p
  %m = call <4 x float> @llvm.x86.sse.rcp.ps(<4 x float> %x)
  store <4 x float> %m, ptr %p
  ret void
}
