/*
 * IR of the CPU target that is the same for every kernel, written down as text:
 * the helpers, the loops over a block's threads, the coroutine of one thread.
 *
 * Text, because its values have names: cpu_bind() puts a position primitive's
 * namesake in its place, so %thread_idx_x below is what __smelt_thread_idx_x()
 * gives in a kernel. A wrapper reads the frame once, before its loops; nothing
 * in there changes while it runs but `current` and `suspend`, which it writes
 * itself.
 */
#include "cc/cpu.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>

#include <string.h>

#define FRAME_TYPE                                                             \
	"%smelt.frame = type { [3 x i32], [3 x i32], [3 x i32], [3 x i32], "   \
	"[3 x i32], i32, ptr, ptr, ptr, ptr, [2 x ptr], ptr, [23 x i64], "     \
	"i32, i32, i32, i32, i32, ptr, ptr, ptr }\n"
#define STATE_TYPE                                                             \
	"%smelt.state = type { i32, i32, i64, [2 x i64], [3 x i32], "          \
	"[3 x i32], i64, i64, [23 x i64] }\n"

#define ROW_TYPE                                                               \
	"%smelt.row = type { [1024 x i64], [32 x { i64, i64 }], "              \
	"[1024 x i32] }\n"

_Static_assert(offsetof(struct smelt_cpu_row, more) == 1088 * 8,
	       "ROW_TYPE is struct smelt_cpu_row");
_Static_assert(offsetof(struct smelt_cpu_frame, suspend) == 60 &&
		       offsetof(struct smelt_cpu_frame, frame_alloc) == 88 &&
		       offsetof(struct smelt_cpu_frame, warp_alive) == 112 &&
		       offsetof(struct smelt_cpu_frame, words) == 120 &&
		       offsetof(struct smelt_cpu_frame, row) == 304 &&
		       offsetof(struct smelt_cpu_frame, alone) == 308 &&
		       offsetof(struct smelt_cpu_frame, next) == 312 &&
		       offsetof(struct smelt_cpu_frame, context) == 328 &&
		       SMELT_WORDS == 23,
	       "FRAME_TYPE is struct smelt_cpu_frame");
_Static_assert(offsetof(struct smelt_device_state, args) == 16 &&
		       offsetof(struct smelt_device_state, thread) == 44 &&
		       offsetof(struct smelt_device_state, host_word) == 56 &&
		       offsetof(struct smelt_device_state, words) == 72 &&
		       sizeof(struct smelt_device_state) == 256,
	       "STATE_TYPE is struct smelt_device_state");
_Static_assert(offsetof(struct smelt_block_header, launch) == 8,
	       "a block begins with the address of its state");

/* A panic: count it, and fill in the record if it is the first. */
static const char record_text[] =
	"define void @smelt_cpu_record(ptr %frame, i32 %site, i64 %a, "
	"i64 %b, i32 %x, i32 %y, i32 %z) cold noinline nounwind {\n"
	"  %block.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 6\n"
	"  %block = load ptr, ptr %block.p, align 8\n"
	"  %state.n = load i64, ptr %block, align 8\n"
	"  %none = icmp eq i64 %state.n, 0\n"
	"  br i1 %none, label %done, label %count\n"
	"count:\n"
	"  %state = inttoptr i64 %state.n to ptr\n"
	"  %before = atomicrmw add ptr %state, i32 1 acq_rel, align 4\n"
	"  %first = icmp eq i32 %before, 0\n"
	"  br i1 %first, label %fill, label %done\n"
	"fill:\n"
	"  %site.p = getelementptr %smelt.state, ptr %state, i64 0, i32 1\n"
	"  store i32 %site, ptr %site.p, align 4\n"
	"  %launch.p = getelementptr i8, ptr %block, i64 8\n"
	"  %launch = load i64, ptr %launch.p, align 8\n"
	"  %launch.q = getelementptr %smelt.state, ptr %state, i64 0, i32 2\n"
	"  store i64 %launch, ptr %launch.q, align 8\n"
	"  %a.p = getelementptr %smelt.state, ptr %state, i64 0, i32 3, i64 0\n"
	"  store i64 %a, ptr %a.p, align 8\n"
	"  %b.p = getelementptr %smelt.state, ptr %state, i64 0, i32 3, i64 1\n"
	"  store i64 %b, ptr %b.p, align 8\n"
	"  %idx.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 2\n"
	"  %idx.q = getelementptr %smelt.state, ptr %state, i64 0, i32 4\n"
	"  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %idx.q, "
	"ptr align 4 %idx.p, i64 12, i1 false)\n"
	/* x counts on through blocks that were joined. */
	"  %dim.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 3\n"
	"  %dim = load i32, ptr %dim.p, align 4\n"
	"  %further = udiv i32 %x, %dim\n"
	"  %idx.first = load i32, ptr %idx.q, align 4\n"
	"  %idx.own = add i32 %idx.first, %further\n"
	"  store i32 %idx.own, ptr %idx.q, align 4\n"
	"  %x.own = urem i32 %x, %dim\n"
	"  %x.p = getelementptr %smelt.state, ptr %state, i64 0, i32 5, i64 0\n"
	"  store i32 %x.own, ptr %x.p, align 4\n"
	"  %y.p = getelementptr %smelt.state, ptr %state, i64 0, i32 5, i64 1\n"
	"  store i32 %y, ptr %y.p, align 4\n"
	"  %z.p = getelementptr %smelt.state, ptr %state, i64 0, i32 5, i64 2\n"
	"  store i32 %z, ptr %z.p, align 4\n"
	"  %words.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 12\n"
	"  %words.q = getelementptr %smelt.state, ptr %state, i64 0, i32 8\n"
	"  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %words.q, "
	"ptr align 8 %words.p, i64 184, i1 false)\n"
	"  %word.p = getelementptr %smelt.state, ptr %state, i64 0, i32 6\n"
	"  %word.n = load i64, ptr %word.p, align 8\n"
	"  %no.word = icmp eq i64 %word.n, 0\n"
	"  br i1 %no.word, label %done, label %tell\n"
	"tell:\n"
	"  %word = inttoptr i64 %word.n to ptr\n"
	"  store atomic i32 1, ptr %word release, align 4\n"
	"  br label %done\n"
	"done:\n"
	"  ret void\n"
	"}\n";

/* A panic in a function that was not inlined: the frame and the thread are
 * those that this OS thread runs. */
static const char leave_text[] =
	"define void @smelt_cpu_panic(i32 %site, i64 %a, i64 %b) "
	"cold noinline noreturn nounwind {\n"
	"  %slot = call ptr @llvm.threadlocal.address.p0(ptr "
	"@smelt_cpu_current)\n"
	"  %frame = load ptr, ptr %slot, align 8\n"
	"  %x.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 0\n"
	"  %y.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 1\n"
	"  %z.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 2\n"
	"  %x = load i32, ptr %x.p, align 4\n"
	"  %y = load i32, ptr %y.p, align 4\n"
	"  %z = load i32, ptr %z.p, align 4\n"
	"  call void @smelt_cpu_record(ptr %frame, i32 %site, i64 %a, i64 %b, "
	"i32 %x, i32 %y, i32 %z)\n"
	"  call void @smelt_cpu_leave()\n"
	"  unreachable\n"
	"}\n";

/* Values of a panic or a print. The names begin like smelt_cpu_record, so that
 * a check whose panic has values is still one (cpu_checks.c). */
static const char words_text[] =
	"define void @smelt_cpu_record_word(ptr %frame, i64 %offset, "
	"i64 %word) cold noinline nounwind {\n"
	"  %p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 12, i64 "
	"%offset\n"
	"  store i64 %word, ptr %p, align 8\n"
	"  ret void\n"
	"}\n"
	"define void @smelt_cpu_record_text(ptr %frame, i64 %offset, "
	"ptr %text, i64 %len) cold noinline nounwind {\n"
	"  %p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 12, i64 "
	"%offset\n"
	"  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr %text, "
	"i64 %len, i1 false)\n"
	"  ret void\n"
	"}\n"
	"define ptr @smelt_cpu_record_frame() cold noinline nounwind {\n"
	"  %slot = call ptr @llvm.threadlocal.address.p0(ptr "
	"@smelt_cpu_current)\n"
	"  %frame = load ptr, ptr %slot, align 8\n"
	"  ret ptr %frame\n"
	"}\n"
	"define void @smelt_cpu_print_here(ptr %frame, i32 %site, i32 %count) "
	"cold noinline nounwind {\n"
	"  %x.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 0\n"
	"  %y.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 1\n"
	"  %z.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 2\n"
	"  %x = load i32, ptr %x.p, align 4\n"
	"  %y = load i32, ptr %y.p, align 4\n"
	"  %z = load i32, ptr %z.p, align 4\n"
	"  call void @smelt_cpu_print(ptr %frame, i32 %site, i32 %count, "
	"i32 %x, i32 %y, i32 %z)\n"
	"  ret void\n"
	"}\n"
	"declare void @smelt_cpu_print(ptr, i32, i32, i32, i32, i32)\n";

/* The lane of the thread that this OS thread runs. */
static const char lane_text[] =
	"define i32 @smelt_cpu_lane() noinline nounwind {\n"
	"  %slot = call ptr @llvm.threadlocal.address.p0(ptr "
	"@smelt_cpu_current)\n"
	"  %frame = load ptr, ptr %slot, align 8\n"
	"  %x.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 0\n"
	"  %y.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 1\n"
	"  %z.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 2\n"
	"  %dx.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 3, i64 "
	"0\n"
	"  %dy.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 3, i64 "
	"1\n"
	"  %x = load i32, ptr %x.p, align 4\n"
	"  %y = load i32, ptr %y.p, align 4\n"
	"  %z = load i32, ptr %z.p, align 4\n"
	"  %dx = load i32, ptr %dx.p, align 4\n"
	"  %dy = load i32, ptr %dy.p, align 4\n"
	"  %plane = mul i32 %dy, %z\n"
	"  %row = add i32 %plane, %y\n"
	"  %first = mul i32 %row, %dx\n"
	"  %linear = add i32 %first, %x\n"
	"  %lane = and i32 %linear, 31\n"
	"  ret i32 %lane\n"
	"}\n";

/* Before a call of a function that may ask for its position, or panic. */
static const char here_text[] =
	"define void @smelt_cpu_here(ptr %frame, i32 %x, i32 %y, "
	"i32 %z) alwaysinline nounwind {\n"
	"  %x.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 0\n"
	"  %y.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 1\n"
	"  %z.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 1, i64 2\n"
	"  store i32 %x, ptr %x.p, align 4\n"
	"  store i32 %y, ptr %y.p, align 4\n"
	"  store i32 %z, ptr %z.p, align 4\n"
	"  ret void\n"
	"}\n";

/* Narrows [low, high) to x with (base + scale * x) & mask <= last, seen as
 * whole numbers: base + scale * x lies either in [0, last], or one turn of the
 * mask later (base is negative, then). All of base, scale and last are <= mask.
 */
static const char clip_text[] =
	"define { i64, i64 } @smelt_cpu_clip({ i64, i64 } %range, "
	"i64 %base, i64 %scale, i64 %last, i64 %mask, i1 %never) "
	"alwaysinline nounwind {\n"
	"  %low = extractvalue { i64, i64 } %range, 0\n"
	"  %high = extractvalue { i64, i64 } %range, 1\n"
	"  %fixed = icmp eq i64 %scale, 0\n"
	"  %step = select i1 %fixed, i64 1, i64 %scale\n"
	"  %inside = icmp ule i64 %base, %last\n"
	"  %negated = sub i64 0, %base\n"
	"  %missing = and i64 %negated, %mask\n"
	"  %missing.1 = sub i64 %missing, 1\n"
	"  %begin.d = udiv i64 %missing.1, %step\n"
	"  %begin.1 = add i64 %begin.d, 1\n"
	"  %begin = select i1 %inside, i64 0, i64 %begin.1\n"
	"  %room.in = sub i64 %last, %base\n"
	"  %room.out = add i64 %last, %missing\n"
	"  %room = select i1 %inside, i64 %room.in, i64 %room.out\n"
	"  %steps = udiv i64 %room, %step\n"
	"  %steps.32 = call i64 @llvm.umin.i64(i64 %steps, i64 4294967295)\n"
	"  %end.1 = add i64 %steps.32, 1\n"
	"  %end.fixed = select i1 %inside, i64 4294967296, i64 0\n"
	"  %end.2 = select i1 %fixed, i64 %end.fixed, i64 %end.1\n"
	"  %end = select i1 %never, i64 0, i64 %end.2\n"
	"  %low.1 = call i64 @llvm.umax.i64(i64 %low, i64 %begin)\n"
	"  %high.1 = call i64 @llvm.umin.i64(i64 %high, i64 %end)\n"
	"  %range.1 = insertvalue { i64, i64 } poison, i64 %low.1, 0\n"
	"  %range.2 = insertvalue { i64, i64 } %range.1, i64 %high.1, 1\n"
	"  ret { i64, i64 } %range.2\n"
	"}\n";

/*
 * Warp operations. Every thread numbers its operations from 1 and stores
 * number << 32 | value at its linear index, in the row that the number's lowest
 * bit picks. After the suspension, an entry with the reader's own number is of
 * a lane that took part; one that ended before has an older number, or 0 from
 * smelt_cpu_join. (warp_alive cannot tell: a lane that took part may have ended
 * by the time that its neighbour reads.)
 */
static const char warp_text[] =
	"define ptr @smelt_cpu_row(ptr %frame, i32 %turn) "
	"alwaysinline nounwind {\n"
	"  %odd = and i32 %turn, 1\n"
	"  %row.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 10, "
	"i32 %odd\n"
	"  %row = load ptr, ptr %row.p, align 8\n"
	"  ret ptr %row\n"
	"}\n"
	"define void @smelt_cpu_join(ptr %frame, i32 %linear) "
	"alwaysinline nounwind {\n"
	"  %row0 = call ptr @smelt_cpu_row(ptr %frame, i32 0)\n"
	"  %row1 = call ptr @smelt_cpu_row(ptr %frame, i32 1)\n"
	"  %i = zext i32 %linear to i64\n"
	"  %p0 = getelementptr i64, ptr %row0, i64 %i\n"
	"  store i64 0, ptr %p0, align 8\n"
	"  %p1 = getelementptr i64, ptr %row1, i64 %i\n"
	"  store i64 0, ptr %p1, align 8\n"
	"  %c0 = call ptr @smelt_cpu_counted(ptr %row0, i32 %linear)\n"
	"  store i64 0, ptr %c0, align 8\n"
	"  %c1 = call ptr @smelt_cpu_counted(ptr %row1, i32 %linear)\n"
	"  store i64 0, ptr %c1, align 8\n"
	"  ret void\n"
	"}\n"
	"define void @smelt_cpu_offer(ptr %frame, ptr %turns, "
	"i32 %linear, i32 %value) alwaysinline nounwind {\n"
	"  %before = load i32, ptr %turns, align 4\n"
	"  %turn = add i32 %before, 1\n"
	"  store i32 %turn, ptr %turns, align 4\n"
	"  %row = call ptr @smelt_cpu_row(ptr %frame, i32 %turn)\n"
	"  %i = zext i32 %linear to i64\n"
	"  %p = getelementptr i64, ptr %row, i64 %i\n"
	"  %turn.l = zext i32 %turn to i64\n"
	"  %tag = shl i64 %turn.l, 32\n"
	"  %value.l = zext i32 %value to i64\n"
	"  %entry = or i64 %tag, %value.l\n"
	"  store i64 %entry, ptr %p, align 8\n"
	"  ret void\n"
	"}\n"
	/* A second word, shown with the first. */
	"define void @smelt_cpu_offer_more(ptr %frame, ptr %turns, "
	"i32 %linear, i32 %value) alwaysinline nounwind {\n"
	"  %turn = load i32, ptr %turns, align 4\n"
	"  %row = call ptr @smelt_cpu_row(ptr %frame, i32 %turn)\n"
	"  %i = zext i32 %linear to i64\n"
	"  %p = getelementptr %smelt.row, ptr %row, i64 0, i32 2, i64 %i\n"
	"  store i32 %value, ptr %p, align 4\n"
	"  ret void\n"
	"}\n"
	/* The index to read at: its own if the lane is none of the warp, or
	 * has ended. */
	"define i64 @smelt_cpu_from(ptr %row, i32 %turn, i32 %linear, "
	"i32 %total, i32 %lane) alwaysinline nounwind {\n"
	"  %base = and i32 %linear, -32\n"
	"  %source = add i32 %base, %lane\n"
	"  %in.warp = icmp ult i32 %lane, 32\n"
	"  %in.block = icmp ult i32 %source, %total\n"
	"  %there = and i1 %in.warp, %in.block\n"
	"  %some = select i1 %there, i32 %source, i32 %linear\n"
	"  %i = zext i32 %some to i64\n"
	"  %p = getelementptr i64, ptr %row, i64 %i\n"
	"  %entry = load i64, ptr %p, align 8\n"
	"  %tag.l = lshr i64 %entry, 32\n"
	"  %tag = trunc i64 %tag.l to i32\n"
	"  %present = icmp eq i32 %tag, %turn\n"
	"  %from = select i1 %present, i32 %some, i32 %linear\n"
	"  %from.l = zext i32 %from to i64\n"
	"  ret i64 %from.l\n"
	"}\n"
	"define i32 @smelt_cpu_take(ptr %frame, ptr %turns, "
	"i32 %linear, i32 %total, i32 %lane) alwaysinline nounwind {\n"
	"  %turn = load i32, ptr %turns, align 4\n"
	"  %row = call ptr @smelt_cpu_row(ptr %frame, i32 %turn)\n"
	"  %i = call i64 @smelt_cpu_from(ptr %row, i32 %turn, i32 %linear, "
	"i32 %total, i32 %lane)\n"
	"  %p = getelementptr i64, ptr %row, i64 %i\n"
	"  %entry = load i64, ptr %p, align 8\n"
	"  %value = trunc i64 %entry to i32\n"
	"  ret i32 %value\n"
	"}\n"
	"define i32 @smelt_cpu_take_more(ptr %frame, ptr %turns, "
	"i32 %linear, i32 %total, i32 %lane) alwaysinline nounwind {\n"
	"  %turn = load i32, ptr %turns, align 4\n"
	"  %row = call ptr @smelt_cpu_row(ptr %frame, i32 %turn)\n"
	"  %i = call i64 @smelt_cpu_from(ptr %row, i32 %turn, i32 %linear, "
	"i32 %total, i32 %lane)\n"
	"  %p = getelementptr %smelt.row, ptr %row, i64 0, i32 2, i64 %i\n"
	"  %value = load i32, ptr %p, align 4\n"
	"  ret i32 %value\n"
	"}\n";

/* Votes. The first lane that asks counts them, and leaves the operation's
 * number and the votes for the others. */
static const char vote_text[] =
	"define ptr @smelt_cpu_counted(ptr %row, i32 %linear) "
	"alwaysinline nounwind {\n"
	"  %warp.i = lshr i32 %linear, 5\n"
	"  %warp = zext i32 %warp.i to i64\n"
	"  %p = getelementptr %smelt.row, ptr %row, i64 0, i32 1, i64 %warp\n"
	"  ret ptr %p\n"
	"}\n"
	"define i64 @smelt_cpu_votes(ptr %frame, ptr %turns, "
	"i32 %linear, i32 %total) alwaysinline nounwind {\n"
	"  %turn = load i32, ptr %turns, align 4\n"
	"  %turn.l = zext i32 %turn to i64\n"
	"  %row = call ptr @smelt_cpu_row(ptr %frame, i32 %turn)\n"
	"  %tag.p = call ptr @smelt_cpu_counted(ptr %row, i32 %linear)\n"
	"  %tag = load i64, ptr %tag.p, align 8\n"
	"  %votes.p = getelementptr i64, ptr %tag.p, i64 1\n"
	"  %known = icmp eq i64 %tag, %turn.l\n"
	"  br i1 %known, label %done, label %count\n"
	"count:\n"
	"  %votes = call i64 @smelt_cpu_count(ptr %row, i32 %turn, "
	"i32 %linear, i32 %total)\n"
	"  store i64 %votes, ptr %votes.p, align 8\n"
	"  store i64 %turn.l, ptr %tag.p, align 8\n"
	"  br label %done\n"
	"done:\n"
	"  %all = load i64, ptr %votes.p, align 8\n"
	"  ret i64 %all\n"
	"}\n"
	/* Lanes that took part << 32 | those of them that said 1. */
	"define i64 @smelt_cpu_count(ptr %row, i32 %turn, "
	"i32 %linear, i32 %total) noinline nounwind {\n"
	"entry:\n"
	"  %base = and i32 %linear, -32\n"
	"  %rest = sub i32 %total, %base\n"
	"  %count = call i32 @llvm.umin.i32(i32 %rest, i32 32)\n"
	"  br label %each\n"
	"each:\n"
	"  %lane = phi i32 [ 0, %entry ], [ %lane.1, %each ]\n"
	"  %votes = phi i64 [ 0, %entry ], [ %votes.1, %each ]\n"
	"  %source = add i32 %base, %lane\n"
	"  %i = zext i32 %source to i64\n"
	"  %p = getelementptr i64, ptr %row, i64 %i\n"
	"  %entry.v = load i64, ptr %p, align 8\n"
	"  %tag.l = lshr i64 %entry.v, 32\n"
	"  %tag = trunc i64 %tag.l to i32\n"
	"  %present = icmp eq i32 %tag, %turn\n"
	"  %yes.l = and i64 %entry.v, 1\n"
	"  %both = or i64 %yes.l, 4294967296\n"
	"  %lane.l = zext i32 %lane to i64\n"
	"  %bits = shl i64 %both, %lane.l\n"
	"  %new = select i1 %present, i64 %bits, i64 0\n"
	"  %votes.1 = or i64 %votes, %new\n"
	"  %lane.1 = add i32 %lane, 1\n"
	"  %more = icmp ult i32 %lane.1, %count\n"
	"  br i1 %more, label %each, label %done\n"
	"done:\n"
	"  ret i64 %votes.1\n"
	"}\n";

static const char declarations[] = FRAME_TYPE STATE_TYPE ROW_TYPE
	"@smelt_cpu_current = external thread_local global ptr\n"
	"declare void @smelt_cpu_leave() noreturn nounwind\n"
	"declare ptr @llvm.threadlocal.address.p0(ptr)\n"
	"declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
	"declare i64 @llvm.umin.i64(i64, i64)\n"
	"declare i32 @llvm.umin.i32(i32, i32)\n"
	"declare i64 @llvm.umax.i64(i64, i64)\n";

/* What a wrapper reads from its frame; the names are the primitives'. */
#define FRAME_VALUE(name, type, field)                                         \
	"  %" name ".p = getelementptr %smelt.frame, ptr %frame, i64 0, "      \
	"i32 " field "\n"                                                      \
	"  %" name " = load " type ", ptr %" name ".p, align 4, "              \
	"!invariant.load !0\n"
static const char frame_values[] = FRAME_VALUE(
	"block_idx_x", "i32",
	"2, i64 0") FRAME_VALUE("block_idx_y", "i32",
				"2, i64 1") FRAME_VALUE("block_idx_z", "i32",
							"2, i64 2")
	FRAME_VALUE("block_dim_x", "i32", "3, i64 0") FRAME_VALUE(
		"block_dim_y", "i32", "3, i64 1") FRAME_VALUE("block_dim_z",
							      "i32", "3, i64 2")
		FRAME_VALUE("grid_dim_x", "i32", "4, i64 0") FRAME_VALUE(
			"grid_dim_y", "i32",
			"4, i64 1") FRAME_VALUE("grid_dim_z", "i32", "4, i64 2")
			FRAME_VALUE("shared", "ptr", "7") FRAME_VALUE(
				"dynamic_shared", "ptr",
				"8") FRAME_VALUE("turn", "i32", "16")
				FRAME_VALUE("context", "ptr", "18") FRAME_VALUE(
					"uniform_in", "ptr", "19")
					FRAME_VALUE(
						"uniform_out", "ptr",
						"20") "  %ended.p = "
						      "getelementptr "
						      "%smelt.frame, ptr "
						      "%frame, i64 0, i32 17\n";

/* Linear index of the first thread of the row. */
static const char linear_row[] =
	"  %linear.plane = mul i32 %block_dim_y, %thread_idx_z\n"
	"  %linear.y = add i32 %linear.plane, %thread_idx_y\n"
	"  %linear.row = mul i32 %linear.y, %block_dim_x\n"
	"  %linear.row.l = zext i32 %linear.row to i64\n";

#define BLOCK_PARAM                                                            \
	"ptr noalias readonly captures(none) dereferenceable(16) %block, "
#define FRAME_PARAM "ptr nonnull dereferenceable(120) %frame"

/*
 * The loops. In [low, high) of a row, where all the checks are known to come
 * out well, the thread function is inlined without them; the rest goes to the
 * second function, which has them. low and high are the whole row, and that
 * function goes away, where there are no such checks.
 */
static const char loop_text[] =
	"define void @$NAME(" BLOCK_PARAM FRAME_PARAM ") noinline nounwind\n"
	"\"target-cpu\"=\"$CPU\" {\n"
	"entry:\n"
	"$FRAME"
	"  %start.x.p = getelementptr i32, ptr %frame, i64 0\n"
	"  %start.x.n = load i32, ptr %start.x.p, align 4\n"
	"  %start.x = zext i32 %start.x.n to i64\n"
	"  %start.y.p = getelementptr i32, ptr %frame, i64 1\n"
	"  %start.y = load i32, ptr %start.y.p, align 4\n"
	"  %start.z.p = getelementptr i32, ptr %frame, i64 2\n"
	"  %start.z = load i32, ptr %start.z.p, align 4\n"
	"  %row.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 13\n"
	"  %row.n = load i32, ptr %row.p, align 4\n"
	"  %dim.x = zext i32 %row.n to i64\n"
	"  br label %plane\n"
	"plane:\n"
	"  %thread_idx_z = phi i32 [ %start.z, %entry ], [ %z.1, %next.plane "
	"]\n"
	"  %y.0 = phi i32 [ %start.y, %entry ], [ 0, %next.plane ]\n"
	"  %plane.x = phi i64 [ %start.x, %entry ], [ 0, %next.plane ]\n"
	"  %plane.in = icmp ult i32 %thread_idx_z, %block_dim_z\n"
	"  br i1 %plane.in, label %row, label %done\n"
	"row:\n"
	"  %thread_idx_y = phi i32 [ %y.0, %plane ], [ %y.1, %next.row ]\n"
	"  %x.0 = phi i64 [ %plane.x, %plane ], [ 0, %next.row ]\n"
	"  %row.in = icmp ult i32 %thread_idx_y, %block_dim_y\n"
	"  br i1 %row.in, label %split, label %next.plane\n"
	"split:\n"
	"  %ended = load i32, ptr %ended.p, align 4\n"
	"  %low = call i64 @smelt.low(i64 %x.0, i64 %dim.x)\n"
	"  %high = call i64 @smelt.high(i64 %x.0, i64 %dim.x)\n"
	"  %some.before = icmp ult i64 %x.0, %low\n"
	"  br i1 %some.before, label %before, label %middle\n"
	"before:\n"
	"  call void @$CHECKED(ptr %block, ptr %frame, i64 %x.0, "
	"i64 %low, i32 %thread_idx_y, i32 %thread_idx_z)\n"
	"  br label %middle\n"
	"middle:\n"
	"$LINEAR"
	"  %some = icmp ult i64 %low, %high\n"
	"  br i1 %some, label %column, label %middle.done\n"
	"column:\n"
	"  %x = phi i64 [ %low, %middle ], [ %x.1, %column ]\n"
	"  %thread_idx_x = trunc nuw i64 %x to i32\n"
	"  %linear = add i32 %linear.row, %thread_idx_x\n"
	"  %linear_wide = add nuw nsw i64 %linear.row.l, %x\n"
	"  %lane_id = and i32 %linear, 31\n"
	"  call void @$THREAD(ptr %block)\n"
	"  %x.1 = add nuw nsw i64 %x, 1\n"
	"  %x.more = icmp ult i64 %x.1, %high\n"
	"  br i1 %x.more, label %column, label %middle.done\n"
	"middle.done:\n"
	"  %some.after = icmp ult i64 %high, %dim.x\n"
	"  br i1 %some.after, label %after, label %next.row\n"
	"after:\n"
	"  call void @$CHECKED(ptr %block, ptr %frame, i64 %high, "
	"i64 %dim.x, i32 %thread_idx_y, i32 %thread_idx_z)\n"
	"  br label %next.row\n"
	"next.row:\n"
	"  %y.1 = add nuw i32 %thread_idx_y, 1\n"
	"  br label %row\n"
	"next.plane:\n"
	"  %z.1 = add nuw i32 %thread_idx_z, 1\n"
	"  br label %plane\n"
	"done:\n"
	"  ret void\n"
	"}\n";

static const char checked_text[] =
	"define void @$CHECKED(" BLOCK_PARAM FRAME_PARAM
	", i64 %low, i64 %high, i32 %thread_idx_y, i32 %thread_idx_z) "
	"nounwind noinline optsize cold {\n"
	"entry:\n"
	"$FRAME$LINEAR"
	"  %ended = load i32, ptr %ended.p, align 4\n"
	"  br label %column\n"
	"column:\n"
	"  %x = phi i64 [ %low, %entry ], [ %x.1, %column ]\n"
	"  %thread_idx_x = trunc nuw i64 %x to i32\n"
	"  %linear = add i32 %linear.row, %thread_idx_x\n"
	"  %linear_wide = add nuw nsw i64 %linear.row.l, %x\n"
	"  %lane_id = and i32 %linear, 31\n"
	"  call void @$THREAD(ptr %block)\n"
	"  %x.1 = add nuw nsw i64 %x, 1\n"
	"  %x.more = icmp ult i64 %x.1, %high\n"
	"  br i1 %x.more, label %column, label %done\n"
	"done:\n"
	"  ret void\n"
	"}\n";

/* One kernel for every x86-64 and one for those of the last ten years. */
static const char choice_text[] =
	"define hidden void @$NAME(ptr %block, ptr %frame) nounwind {\n"
	"  %level = load i32, ptr @smelt_cpu_level, align 4\n"
	"  %modern = icmp uge i32 %level, 3\n"
	"  br i1 %modern, label %wide, label %baseline\n"
	"wide:\n"
	"$ALONE"
	"  tail call void @$WIDE(ptr %block, ptr %frame)\n"
	"  ret void\n"
	"baseline:\n"
	"  tail call void @$BASELINE(ptr %block, ptr %frame)\n"
	"  ret void\n"
	"}\n";

/* Of the choice, where there is a variant for launches that run alone. */
static const char alone_text[] =
	"  %alone.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 14\n"
	"  %alone.n = load i32, ptr %alone.p, align 4\n"
	"  %alone = icmp ne i32 %alone.n, 0\n"
	"  br i1 %alone, label %lonely, label %crowded\n"
	"lonely:\n"
	"  tail call void @$ALONE(ptr %block, ptr %frame)\n"
	"  ret void\n"
	"crowded:\n";

/* The coroutine. Its memory is the block's, so nothing is freed. */
static const char ramp_text[] =
	"define ptr @$NAME(ptr %block, " FRAME_PARAM
	", i32 %thread_idx_x, i32 %thread_idx_y, i32 %thread_idx_z) "
	"nounwind presplitcoroutine {\n"
	"entry:\n"
	"  %turns = alloca i32, align 4\n"
	"  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, "
	"ptr null)\n"
	"  %size = call i64 @llvm.coro.size.i64()\n"
	"  %alloc.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 9\n"
	"  %alloc = load ptr, ptr %alloc.p, align 8\n"
	"  %memory = call ptr %alloc(ptr %frame, i64 %size)\n"
	"  %handle = call noalias ptr @llvm.coro.begin(token %id, "
	"ptr %memory)\n"
	"$FRAME$LINEAR"
	"  %linear = add i32 %linear.row, %thread_idx_x\n"
	"  %lane_id = and i32 %linear, 31\n"
	"  %layer = mul i32 %block_dim_x, %block_dim_y\n"
	"  %total = mul i32 %layer, %block_dim_z\n"
	"  store i32 0, ptr %turns, align 4\n"
	"  $JOIN\n"
	"  %begun = call i8 @llvm.coro.suspend(token none, i1 false)\n"
	"  switch i8 %begun, label %suspend [ i8 0, label %run\n"
	"    i8 1, label %cleanup ]\n"
	"run:\n"
	"  call void @$THREAD(ptr %block)\n"
	"  %ended = call i8 @llvm.coro.suspend(token none, i1 true)\n"
	"  switch i8 %ended, label %suspend [ i8 0, label %never\n"
	"    i8 1, label %cleanup ]\n"
	"never:\n"
	"  unreachable\n"
	"cleanup:\n"
	"  br label %suspend\n"
	"suspend:\n"
	"  call void @llvm.coro.end(ptr %handle, i1 false, token none)\n"
	"  ret ptr %handle\n"
	"}\n";

/* What the templates call. */
static const char template_declarations[] =
	FRAME_TYPE "@smelt_cpu_level = external global i32\n"
		   "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
		   "declare void @smelt_cpu_poll(ptr, ptr, ptr, ptr)\n"
		   "declare i64 @smelt.low(i64, i64)\n"
		   "declare i64 @smelt.high(i64, i64)\n"
		   "declare void @smelt_cpu_join(ptr, i32)\n"
		   "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\n"
		   "declare i64 @llvm.coro.size.i64()\n"
		   "declare ptr @llvm.coro.begin(token, ptr)\n"
		   "declare i8 @llvm.coro.suspend(token, i1)\n"
		   "declare void @llvm.coro.end(ptr, i1, token)\n"
		   "!0 = !{}\n";

/* Text that is no IR is a mistake of ours. */
static void
link_text(struct cc_job *job, const struct buf *text)
{
	LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(
		text->data, text->len, "smelt-cc");
	LLVMModuleRef module;
	char *message = NULL;

	if (LLVMParseIRInContext(job->context, memory, &module, &message))
		die("%s: internal error: %s", job->arch, message);
	LLVMSetTarget(module, LLVMGetTarget(job->module));
	LLVMSetDataLayout(module, LLVMGetDataLayoutStr(job->module));
	if (LLVMLinkModules2(job->module, module))
		die("%s: internal error: helpers do not link", job->arch);
}

void
cpu_support(struct cc_job *job)
{
	struct buf text = {0};

	buf_puts(job->arena, &text, declarations);
	buf_puts(job->arena, &text, record_text);
	buf_puts(job->arena, &text, leave_text);
	buf_puts(job->arena, &text, words_text);
	buf_puts(job->arena, &text, lane_text);
	buf_puts(job->arena, &text, here_text);
	buf_puts(job->arena, &text, clip_text);
	buf_puts(job->arena, &text, warp_text);
	buf_puts(job->arena, &text, vote_text);
	buf_puts(job->arena, &text, cpu_level_text);
	buf_puts(job->arena, &text, cpu_poll_text);
	link_text(job, &text);
}

void
cpu_support_internal(struct cc_job *job)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) &&
		    starts_with(LLVMGetValueName(f), "smelt_cpu_"))
			LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMSetLinkage(LLVMGetNamedGlobal(job->module, "smelt_cpu_level"),
		       LLVMInternalLinkage);
}

void
cpu_template_add(struct cc_job *job, struct buf *text, const char *template,
		 const char *const *replacements)
{
	while (*template) {
		size_t plain = strcspn(template, "$");
		const char *const *r = replacements;

		buf_add(job->arena, text, template, plain);
		template += plain;
		if (!*template)
			break;
		while (*r && !starts_with(template, *r))
			r += 2;
		buf_puts(job->arena, text, *r ? r[1] : "$");
		template += *r ? strlen(*r) : 1;
	}
}

void
cpu_template_loops(struct cc_job *job, struct buf *text,
		   const struct cpu_names *names, const char *thread)
{
	static const char *const processors[] = {"x86-64", "x86-64-v3",
						 "x86-64-v3"};
	const char *lonely[] = {"$ALONE", names->loops[2], NULL};
	struct buf alone = {0};
	const char *replacements[] = {
		"$CHECKED",  names->checked,
		"$THREAD",   thread,
		"$FRAME",    frame_values,
		"$LINEAR",   linear_row,
		"$BASELINE", names->loops[0],
		"$WIDE",     names->loops[1],
		"$NAME",     names->kernel,
		"$CPU",	     "",
		"$ALONE",    "",
		NULL,
	};
	const size_t name = 13, cpu = 15, choice = 17; /* in replacements */

	_Static_assert(array_count(processors) == CPU_LOOPS, "one each");
	buf_printf(job->arena, text, "declare void @%s(ptr)\n", thread);
	if (names->loops[2]) {
		cpu_template_add(job, &alone, alone_text, lonely);
		replacements[choice] = alone.data;
	}
	cpu_template_add(job, text, choice_text, replacements);
	cpu_template_add(job, text, checked_text, replacements);
	for (size_t i = 0; i < CPU_LOOPS && names->loops[i]; i++) {
		replacements[name] = names->loops[i];
		replacements[cpu] = processors[i];
		cpu_template_add(job, text, loop_text, replacements);
	}
}

void
cpu_template_ramp(struct cc_job *job, struct buf *text, const char *name,
		  const char *thread, bool warp)
{
	static const char join[] =
		"call void @smelt_cpu_join(ptr %frame, i32 %linear)";
	const char *const replacements[] = {
		"$NAME",      name,	 "$THREAD",  thread,  "$FRAME",
		frame_values, "$LINEAR", linear_row, "$JOIN", warp ? join : "",
		NULL,
	};

	buf_printf(job->arena, text, "declare void @%s(ptr)\n", thread);
	cpu_template_add(job, text, ramp_text, replacements);
}

void
cpu_templates_link(struct cc_job *job, const struct buf *text)
{
	struct buf whole = {0};

	buf_puts(job->arena, &whole, template_declarations);
	buf_add(job->arena, &whole, text->data, text->len);
	link_text(job, &whole);
}
