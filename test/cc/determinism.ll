; A second run gives the same bytes, with and without the cache, whatever the number
; of jobs; a damaged entry of the cache is taken for absent.
; RUN: rm -rf %t.cache
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --crate d --targets cpu,sm_75,gfx90a -o %t.1.o --jobs 1
; RUN: %smelt-cc %t.bc --crate d --targets cpu,sm_75,gfx90a -o %t.2.o --jobs 3
; RUN: cmp %t.1.o %t.2.o
; RUN: %smelt-cc %t.bc --crate d --targets cpu,sm_75,gfx90a --cache %t.cache -o %t.3.o
; RUN: cmp %t.1.o %t.3.o
; RUN: %smelt-cc %t.bc --crate d --targets cpu,sm_75,gfx90a --cache %t.cache -o %t.4.o
; RUN: cmp %t.1.o %t.4.o
; RUN: %python -c "import os,sys; [open(os.path.join(sys.argv[1],f),'r+b').truncate(100) for f in os.listdir(sys.argv[1])]" %t.cache
; RUN: %smelt-cc %t.bc --crate d --targets cpu,sm_75,gfx90a --cache %t.cache -o %t.5.o
; RUN: cmp %t.1.o %t.5.o
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5saxpyE(ptr %b) {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  %pp = getelementptr i8, ptr %b, i64 16
  %p = load ptr, ptr %pp
  %i = call i32 @__smelt_thread_idx_x()
  store i32 %i, ptr %p
  ret void
}

define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app5otherE(ptr %b) {
  call void @__smelt_kernel_id(i128 123456789012345678901234567890)
  call void @__smelt_block_layout(i64 24, i64 8)
  ret void
}
