; Target cpu-check: each access to memory that is not the thread's own is told of, with
; its size, its kind and its place in the source; each barrier has a place of its own.
; RUN: llvm-as %s -o %t.bc
; RUN: %smelt-cc %t.bc --targets cpu-check --verify --stop-after entry -o - | FileCheck %s
; RUN: %smelt-cc %t.bc --targets cpu-check --verify -o %t.o
; RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJECT
; OBJECT-DAG: U smelt_cpu_watch_access
; OBJECT-DAG: U smelt_cpu_watch_fence
; OBJECT-DAG: U smelt_cpu_watch_meet

; Other targets know nothing of it, nor do the CPU's kernels without it.
; RUN: %smelt-cc %t.bc --crate app --targets cpu -o %t.plain.o
; RUN: llvm-nm %t.plain.o | FileCheck %s --check-prefix=PLAIN --implicit-check-not=watch
; RUN: llvm-strings %t.plain.o | FileCheck %s --check-prefix=PLAIN --implicit-check-not=watch
; PLAIN: k_{{[0-9]+_cpu}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] undef, section ".smelt.shared", align 4
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare i32 @__smelt_thread_idx_x()
declare i1 @__smelt_barrier()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-DAG: @[[FILE:watch.file.app.rs]] = internal constant [7 x i8] c"app.rs\00"
; CHECK-DAG: @[[S7:"?watch.file.app.rs:7:3"?]] = internal global %smelt.site { ptr @[[FILE]], i32 7, i32 3, i64 0 }
; CHECK-DAG: @[[M12:watch.meet]] = internal global %smelt.site { ptr @[[FILE]], i32 12, i32 3, i64 0 }
; CHECK-DAG: @[[M12B:watch.meet.[0-9]+]] = internal global %smelt.site { ptr @[[FILE]], i32 12, i32 3, i64 0 }

; CHECK-LABEL: define {{.*}}void @k_{{.*}}(ptr
; CHECK-NOT: smelt_cpu_watch
; CHECK: call void @smelt_cpu_watch_access(ptr {{.*}}%y, i64 4, i32 1, ptr {{.*}}@[[S7]])
; CHECK: store i32 7, ptr %y
; CHECK-NOT: smelt_cpu_watch
; CHECK: call void @smelt_cpu_watch_access(ptr {{.*}}, i64 4, i32 0, ptr {{.*}}@"watch.file.app.rs:8:3")
; CHECK: call void @smelt_cpu_watch_access(ptr {{.*}}%y, i64 4, i32 53, ptr {{.*}}@"watch.file.app.rs:9:3")
; CHECK: atomicrmw add
; CHECK: call void @smelt_cpu_watch_fence(i32 32)
; CHECK: fence release
; CHECK: call void @smelt_cpu_watch_access(ptr {{.*}}, i64 16, i32 2, ptr {{.*}}@"watch.file.app.rs:11:3")
; CHECK: call void @smelt_cpu_watch_access(ptr {{.*}}, i64 16, i32 1, ptr {{.*}}@"watch.file.app.rs:11:3")
; CHECK: call void @smelt_cpu_watch_meet(ptr {{.*}}@[[M12]])
; CHECK-NEXT: call {{.*}}@__smelt_barrier()
; CHECK: call void @smelt_cpu_watch_meet(ptr {{.*}}@[[M12B]])
; CHECK-NEXT: call {{.*}}@__smelt_barrier()
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_3app1kE(ptr %b) !dbg !3 {
  call void @__smelt_kernel_id(i128 7)
  call void @__smelt_block_layout(i64 24, i64 8)
  %own = alloca [4 x i32], align 4
  %y.p = getelementptr i8, ptr %b, i64 16
  %y = load ptr, ptr %y.p, align 8, !dbg !6
  store i32 7, ptr %y, align 4, !dbg !7
  %t = call i32 @__smelt_thread_idx_x()
  %t.l = zext i32 %t to i64
  %own.t = getelementptr i32, ptr %own, i64 %t.l
  store volatile i32 1, ptr %own.t, align 4, !dbg !8
  %c.p = getelementptr i32, ptr @table, i64 %t.l
  %c = load i32, ptr %c.p, align 4, !dbg !8
  %at = getelementptr [64 x i32], ptr @tile, i64 0, i64 %t.l
  %v = load i32, ptr %at, align 4, !dbg !8
  %s = add i32 %v, %c
  %old = atomicrmw add ptr %y, i32 %s acq_rel, align 4, !dbg !9
  fence release, !dbg !10
  %to = getelementptr i8, ptr %y, i64 64
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %y, i64 16, i1 false), !dbg !11
  %odd = trunc i32 %t to i1
  br i1 %odd, label %left, label %right
left:
  call void @meet(), !dbg !13
  store i32 0, ptr %to, align 4, !dbg !13
  br label %done
right:
  call void @meet(), !dbg !14
  br label %done
done:
  ret void
}

define internal void @meet() !dbg !5 {
  br label %wait
wait:
  %more = call i1 @__smelt_barrier(), !dbg !12
  br i1 %more, label %wait, label %go
go:
  ret void
}

!llvm.module.flags = !{!15}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "app.rs", directory: "/app")
!2 = !DISubroutineType(types: !{null})
!3 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 5, type: !2, unit: !0, spFlags: DISPFlagDefinition, templateParams: !16)
!5 = distinct !DISubprogram(name: "meet", scope: !1, file: !1, line: 12, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 6, column: 3, scope: !3)
!7 = !DILocation(line: 7, column: 3, scope: !3)
!8 = !DILocation(line: 8, column: 3, scope: !3)
!9 = !DILocation(line: 9, column: 3, scope: !3)
!10 = !DILocation(line: 10, column: 3, scope: !3)
!11 = !DILocation(line: 11, column: 3, scope: !3)
!12 = !DILocation(line: 12, column: 3, scope: !5)
!13 = !DILocation(line: 13, column: 3, scope: !3)
!14 = !DILocation(line: 14, column: 3, scope: !3)
!16 = !{!17}
!17 = !DITemplateTypeParameter(name: "F", type: !18)
!18 = !DICompositeType(tag: DW_TAG_structure_type, name: "k", file: !1, elements: !19)
!19 = !{}
!15 = !{i32 2, !"Debug Info Version", i32 3}
