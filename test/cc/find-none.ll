; A crate without kernels gives an object without sections of ours.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu,sm_75,gfx90a -o %t.o
; RUN: llvm-readelf -S %t.o | FileCheck %s

; CHECK-NOT: smelt_
; CHECK-NOT: init_array
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @main() {
  ret void
}
