/*
 * smelt::print! on a GPU: the thread takes room in the stream's buffer
 * (struct smelt_print_buffer) and leaves its words there.
 *
 * Nothing waits for anything, so a buffer that is full drops what comes, and
 * counts it. A kernel that is launched without a buffer prints nothing.
 */
#include "cc/record.h"
#include "cc/shim.h"

#include <stddef.h>
#include <string.h>

LLVMValueRef
print_function(struct cc_job *job)
{
	return LLVMGetNamedFunction(job->module, "__smelt_print");
}

/* ---- counting ---- */

static void
skip_word(void *data, LLVMValueRef offset, LLVMValueRef word)
{
	(void)data;
	(void)offset;
	(void)word;
}

static void
skip_text(void *data, LLVMValueRef offset, LLVMValueRef text, LLVMValueRef len)
{
	(void)text;
	skip_word(data, offset, len);
}

static LLVMValueRef
count_words(struct record *r, LLVMValueRef call)
{
	static const struct lower_words skip = {skip_word, skip_text};

	return lower_words(r->job, r->builder, call, &skip, NULL);
}

/* ---- the function ---- */

static LLVMValueRef
field(struct record *r, LLVMValueRef base, LLVMValueRef offset)
{
	return LLVMBuildInBoundsGEP2(r->builder,
				     LLVMInt8TypeInContext(r->job->context),
				     base, &offset, 1, "");
}

static LLVMValueRef
number(struct record *r, uint64_t n)
{
	return LLVMConstInt(r->i64, n, false);
}

static LLVMValueRef
load_word(struct record *r, LLVMValueRef base, size_t offset)
{
	LLVMValueRef load = LLVMBuildLoad2(
		r->builder, r->i64, field(r, base, number(r, offset)), "");

	LLVMSetAlignment(load, 8);
	return load;
}

/* One print. */
struct print {
	LLVMValueRef call;
	LLVMBasicBlockRef here, out;
	LLVMValueRef buffer;
	LLVMValueRef first;    /* word behind the buffer's header */
	LLVMValueRef capacity; /* in words */
	LLVMValueRef words;    /* of the record */
	LLVMValueRef mine;     /* where it begins */
};

/* Goes on in a new block if the condition holds, else in `other`. */
static void
branch(struct record *r, struct print *p, LLVMValueRef condition,
       LLVMBasicBlockRef other)
{
	LLVMBasicBlockRef then =
		LLVMInsertBasicBlockInContext(r->job->context, p->out, "print");

	LLVMBuildCondBr(r->builder, condition, then, other);
	LLVMPositionBuilderAtEnd(r->builder, then);
}

static LLVMValueRef
element(struct record *r, struct print *p, LLVMValueRef word)
{
	return field(r, p->first,
		     LLVMBuildShl(r->builder, word, number(r, 3), ""));
}

static void
find_buffer(struct record *r, struct print *p, LLVMValueRef function)
{
	LLVMValueRef state, address, some;

	state = record_header(r, function,
			      offsetof(struct smelt_block_header, state));
	state = LLVMBuildIntToPtr(r->builder, state, r->global, "");
	address =
		load_word(r, state, offsetof(struct smelt_device_state, print));
	some = LLVMBuildICmp(r->builder, LLVMIntNE, address, number(r, 0), "");
	branch(r, p, some, p->out);
	p->buffer = LLVMBuildIntToPtr(r->builder, address, r->global, "");
	p->first = field(r, p->buffer,
			 number(r, sizeof(struct smelt_print_buffer)));
}

static void
take_room(struct record *r, struct print *p, LLVMBasicBlockRef full)
{
	LLVMValueRef end;

	p->capacity = load_word(r, p->buffer,
				offsetof(struct smelt_print_buffer, capacity));
	p->words = LLVMBuildAdd(
		r->builder, count_words(r, p->call),
		number(r, sizeof(struct smelt_print_record) / 8), "");
	p->mine = record_add(r, p->buffer, p->words);
	end = LLVMBuildAdd(r->builder, p->mine, p->words, "");
	branch(r, p,
	       LLVMBuildICmp(r->builder, LLVMIntULE, end, p->capacity, ""),
	       full);
}

static void
write_record(struct record *r, struct print *p, LLVMValueRef function)
{
	LLVMValueRef record = element(r, p, p->mine);
	LLVMValueRef launch = record_header(
		r, function, offsetof(struct smelt_block_header, launch));

	record_store(r, record, offsetof(struct smelt_print_record, words),
		     LLVMBuildTrunc(r->builder, p->words, r->i32, ""));
	record_store(r, record, offsetof(struct smelt_print_record, site),
		     LLVMGetOperand(p->call, 0));
	record_store(r, record, offsetof(struct smelt_print_record, launch),
		     launch);
	record_positions(r, record, offsetof(struct smelt_print_record, block),
			 offsetof(struct smelt_print_record, thread));
	record_words(
		r, p->call,
		field(r, record, number(r, sizeof(struct smelt_print_record))));
	LLVMBuildBr(r->builder, p->out);
}

/* What there is ends where a record had no room. */
static void
count_dropped(struct record *r, struct print *p, LLVMBasicBlockRef full)
{
	size_t dropped = offsetof(struct smelt_print_buffer, dropped);

	LLVMPositionBuilderAtEnd(r->builder, full);
	record_add(r, field(r, p->buffer, number(r, dropped)), number(r, 1));
	branch(r, p,
	       LLVMBuildICmp(r->builder, LLVMIntULT, p->mine, p->capacity, ""),
	       p->out);
	record_store(r, element(r, p, p->mine), 0, number(r, 0));
	LLVMBuildBr(r->builder, p->out);
}

static void
lower_call(struct record *r, LLVMValueRef function, LLVMValueRef call)
{
	struct print p = {.call = call};
	LLVMBasicBlockRef full;

	p.here = LLVMGetInstructionParent(call);
	p.out = cc_shim_split(call);
	full = LLVMInsertBasicBlockInContext(r->job->context, p.out, "print");
	LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(p.here));
	LLVMPositionBuilderAtEnd(r->builder, p.here);
	find_buffer(r, &p, function);
	take_room(r, &p, full);
	write_record(r, &p, function);
	count_dropped(r, &p, full);
	LLVMInstructionEraseFromParent(call);
}

void
print_lower(struct record *r, LLVMValueRef function)
{
	LLVMValueRef print = print_function(r->job);
	LLVMUseRef use = print ? LLVMGetFirstUse(print) : NULL;

	while (use) {
		LLVMValueRef call = LLVMGetUser(use);

		use = LLVMGetNextUse(use);
		if (LLVMIsACallInst(call) &&
		    lower_function_of(call) == function)
			lower_call(r, function, call);
	}
}
