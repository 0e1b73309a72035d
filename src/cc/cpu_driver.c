/*
 * What runs a kernel that was cut into parts (cpu_parts.cpp), as text: the
 * parts one after the other, each for all threads of the block.
 */
#include "cc/cpu.h"

/* Votes, for each warp: lanes that took part << 32 | those of them that said 1.
 * ended: NULL if no thread ends before the others. */
const char cpu_poll_text[] =
	"define void @smelt_cpu_poll(ptr %frame, ptr %shown, ptr %ended, "
	"ptr %votes) noinline nounwind {\n"
	"entry:\n"
	"  %x.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 3, i64 0\n"
	"  %y.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 3, i64 1\n"
	"  %z.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 3, i64 2\n"
	"  %x = load i32, ptr %x.p, align 4\n"
	"  %y = load i32, ptr %y.p, align 4\n"
	"  %z = load i32, ptr %z.p, align 4\n"
	"  %layer = mul i32 %x, %y\n"
	"  %total.n = mul i32 %layer, %z\n"
	"  %total = zext i32 %total.n to i64\n"
	"  %all = icmp eq ptr %ended, null\n"
	"  br label %warp\n"
	"warp:\n"
	"  %base = phi i64 [ 0, %entry ], [ %base.1, %told ]\n"
	"  %rest = sub i64 %total, %base\n"
	"  %count = call i64 @llvm.umin.i64(i64 %rest, i64 32)\n"
	"  br label %lane\n"
	"lane:\n"
	"  %k = phi i64 [ 0, %warp ], [ %k.1, %counted ]\n"
	"  %sum = phi i64 [ 0, %warp ], [ %sum.1, %counted ]\n"
	"  %i = add i64 %base, %k\n"
	"  br i1 %all, label %counted, label %ask\n"
	"ask:\n"
	"  %end.p = getelementptr i32, ptr %ended, i64 %i\n"
	"  %end = load i32, ptr %end.p, align 4\n"
	"  %there = icmp eq i32 %end, 0\n"
	"  br label %counted\n"
	"counted:\n"
	"  %present = phi i1 [ true, %lane ], [ %there, %ask ]\n"
	"  %word.p = getelementptr i32, ptr %shown, i64 %i\n"
	"  %word = load i32, ptr %word.p, align 4\n"
	"  %yes.n = and i32 %word, 1\n"
	"  %yes = zext i32 %yes.n to i64\n"
	"  %both = or i64 %yes, 4294967296\n"
	"  %bits = shl i64 %both, %k\n"
	"  %new = select i1 %present, i64 %bits, i64 0\n"
	"  %sum.1 = or i64 %sum, %new\n"
	"  %k.1 = add i64 %k, 1\n"
	"  %more = icmp ult i64 %k.1, %count\n"
	"  br i1 %more, label %lane, label %told\n"
	"told:\n"
	"  %number = lshr i64 %base, 5\n"
	"  %out = getelementptr i64, ptr %votes, i64 %number\n"
	"  store i64 %sum.1, ptr %out, align 8\n"
	"  %base.1 = add i64 %base, 32\n"
	"  %next = icmp ult i64 %base.1, %total\n"
	"  br i1 %next, label %warp, label %done\n"
	"done:\n"
	"  ret void\n"
	"}\n";

/* One part after the other, until no thread says which is next. $MEMORY is the
 * context's size, $CLEAR forgets who has ended. */
static const char driver_text[] =
	"define hidden void @$NAME(ptr %block, ptr %frame) nounwind {\n"
	"entry:\n"
	"  %alloc.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 9\n"
	"  %alloc = load ptr, ptr %alloc.p, align 8\n"
	"  %memory = call ptr %alloc(ptr %frame, i64 $MEMORY)\n"
	"  %next.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 15\n"
	"  %turn.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 16\n"
	"  %ended.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 17\n"
	"  %context.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 18\n"
	"  %in.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 19\n"
	"  %out.p = getelementptr %smelt.frame, ptr %frame, i64 0, i32 20\n"
	"  store ptr %memory, ptr %context.p, align 8\n"
	"  store i32 0, ptr %ended.p, align 4\n"
	"$CLEAR"
	"  br label %turn\n"
	"turn:\n"
	"  %part = phi i32 [ 0, %entry ], [ %next, %done ]\n"
	"  %number = phi i32 [ 1, %entry ], [ %number.1, %done ]\n"
	"  %number.1 = add i32 %number, 1\n"
	"  store i32 %number, ptr %turn.p, align 4\n"
	"  store i32 -1, ptr %next.p, align 4\n"
	"  %odd = and i32 %number, 1\n"
	"  %odd.l = zext i32 %odd to i64\n"
	"  %in.at = mul i64 %odd.l, $UNIFORM_SIZE\n"
	"  %out.at = sub i64 $UNIFORM_SIZE, %in.at\n"
	"  %areas = getelementptr i8, ptr %memory, i64 $UNIFORM_AT\n"
	"  %in = getelementptr i8, ptr %areas, i64 %in.at\n"
	"  %out = getelementptr i8, ptr %areas, i64 %out.at\n"
	"  store ptr %in, ptr %in.p, align 8\n"
	"  store ptr %out, ptr %out.p, align 8\n"
	"  %row = mul i64 %odd.l, $ROW\n"
	"  %votes = getelementptr i8, ptr %memory, i64 $VOTES\n"
	"  switch i32 %part, label %over [\n"
	"$CASES"
	"  ]\n"
	"$BODIES"
	"done:\n"
	"  %next = load i32, ptr %next.p, align 4\n"
	"  br label %turn\n"
	"over:\n"
	"  ret void\n"
	"}\n";

/* A part's turn: the votes that it will ask for, and itself. */
static void
add_turn(struct cc_job *job, struct buf *bodies, const struct cpu_parts *parts,
	 size_t part, const char *function)
{
	buf_printf(job->arena, bodies, "p%zu:\n", part);
	if (parts->polls[part]) {
		buf_printf(job->arena, bodies,
			   "  %%at%zu = add i64 %%row, %llu\n"
			   "  %%shown%zu = getelementptr i8, ptr %%memory, "
			   "i64 %%at%zu\n",
			   part, (unsigned long long)parts->polls[part], part,
			   part);
		buf_printf(job->arena, bodies,
			   "  call void @smelt_cpu_poll(ptr %%frame, ptr "
			   "%%shown%zu, ptr %s, ptr %%votes)\n",
			   part, parts->ended ? "%who" : "null");
	}
	buf_printf(job->arena, bodies,
		   "  call void @%s(ptr %%block, ptr %%frame)\n"
		   "  br label %%done\n",
		   function);
}

static const char *
number(struct cc_job *job, uint64_t value)
{
	return arena_printf(job->arena, "%llu", (unsigned long long)value);
}

/* What notes who has ended before the others, forgotten. */
static const char *
clear_ended(struct cc_job *job, const struct cpu_parts *parts)
{
	if (!parts->ended)
		return "";
	return arena_printf(
		job->arena,
		"  %%who = getelementptr i8, ptr %%memory, i64 %llu\n"
		"  call void @llvm.memset.p0.i64(ptr align 16 %%who, i8 0, "
		"i64 4096, i1 false)\n",
		(unsigned long long)parts->ended);
}

void
cpu_template_driver(struct cc_job *job, struct buf *text, const char *name,
		    const struct cpu_parts *parts, const char *const *functions)
{
	struct buf cases = {0}, bodies = {0};

	for (size_t p = 0; p < parts->count; p++) {
		buf_printf(job->arena, &cases, "    i32 %zu, label %%p%zu\n", p,
			   p);
		add_turn(job, &bodies, parts, p, functions[p]);
	}
	const char *const replacements[] = {
		"$NAME",
		name,
		"$MEMORY",
		number(job, parts->size),
		"$CLEAR",
		clear_ended(job, parts),
		"$UNIFORM_SIZE",
		number(job, parts->uniform_size),
		"$UNIFORM_AT",
		number(job, parts->uniform),
		"$ROW",
		number(job, CPU_PARTS_NEXT),
		"$VOTES",
		number(job, parts->votes),
		"$CASES",
		cases.data,
		"$BODIES",
		bodies.data,
		NULL,
	};
	cpu_template_add(job, text, driver_text, replacements);
}
