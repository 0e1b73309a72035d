; Our code avoids what ptxas gets wrong: neg.s16 and abs.s16 (not wrapped before a
; signed comparison), and stores of a byte of a float's register (converted by value).
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets sm_75 --verify --stop-after optimise -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets sm_75 -o %t.o
; RUN: llvm-objcopy --dump-section smelt_images=%t.img %t.o
; RUN: FileCheck %s --check-prefix=PTX --input-file %t.img

; CHECK: define {{.*}}ptx_kernel
; CHECK: prmt.b32 $0, $1, 0, 0x4440
; CHECK-NOT: store float
; CHECK: ret void
; PTX: .entry
; PTX-NOT: {{(neg|abs)}}.s16
; PTX: mul.lo.s16 %rs{{[0-9]+}}, %rs{{[0-9]+}}, -1;
; PTX-NOT: {{(neg|abs)}}.s16
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
  %x = load i16, ptr %y, align 2
  %n = call i16 @llvm.ssub.sat.i16(i16 0, i16 %x)
  %a = call i16 @llvm.abs.i16(i16 %x, i1 false)
  %d = xor i16 %n, %a
  store i16 %d, ptr %y, align 2
  %fp = getelementptr i8, ptr %y, i64 3
  %f = sitofp i16 %x to float
  store float %f, ptr %fp, align 1
  ret void
}
declare i16 @llvm.ssub.sat.i16(i16, i16)
declare i16 @llvm.abs.i16(i16, i1)
