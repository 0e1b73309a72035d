/*
 * The values of a panic or a print, as words one after the other.
 *
 * They are operands of the call, in its bundle CC_WORDS. A word is an operand
 * of its own; a str is a pointer and its length, and its bytes follow the word
 * that says how many there are. So what stands behind a str has no constant
 * offset. All must have room in SMELT_WORDS: the str share what the others
 * leave, and are cut.
 */
#include "cc/lower.h"

#include <string.h>

struct values {
	struct cc_job *job;
	LLVMBuilderRef builder;
	LLVMOperandBundleRef bundle; /* NULL: none */
	unsigned count;
	uint64_t limit; /* bytes of each str */
};

static bool
is_text(const struct values *values, unsigned index)
{
	LLVMValueRef value =
		LLVMGetOperandBundleArgAtIndex(values->bundle, index);

	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* To be closed. */
static struct values
open_values(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	struct values values = {.job = job, .builder = builder};
	unsigned fixed = 0, texts = 0;

	if (!LLVMGetNumOperandBundles(call))
		return values;
	values.bundle = LLVMGetOperandBundleAtIndex(call, 0);
	values.count = LLVMGetNumOperandBundleArgs(values.bundle);
	for (unsigned i = 0; i < values.count; i++)
		if (is_text(&values, i))
			texts++;
		else
			fixed++;
	if (texts)
		values.limit = (SMELT_WORDS - fixed) / texts * 8;
	return values;
}

static void
close_values(struct values *values)
{
	if (values->bundle)
		LLVMDisposeOperandBundle(values->bundle);
}

static LLVMValueRef
number(const struct values *values, uint64_t n)
{
	return LLVMConstInt(LLVMInt64TypeInContext(values->job->context), n,
			    false);
}

/* How many bytes of a str are told, and the word that says so. */
static LLVMValueRef
clip(const struct values *values, LLVMValueRef len, LLVMValueRef *word)
{
	LLVMBuilderRef builder = values->builder;
	LLVMValueRef limit = number(values, values->limit), fits, mark;

	fits = LLVMBuildICmp(builder, LLVMIntULE, len, limit, "");
	mark = number(values, values->limit | UINT64_C(1) << 63);
	*word = LLVMBuildSelect(builder, fits, len, mark, "");
	return LLVMBuildSelect(builder, fits, len, limit, "");
}

static LLVMValueRef
behind_text(const struct values *values, LLVMValueRef offset, LLVMValueRef len)
{
	LLVMBuilderRef builder = values->builder;
	LLVMValueRef words = LLVMBuildAdd(builder, len, number(values, 7), "");

	words = LLVMBuildLShr(builder, words, number(values, 3), "");
	return LLVMBuildAdd(builder, offset, words, "");
}

LLVMValueRef
lower_words(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call,
	    const struct lower_words *ops, void *data)
{
	struct values values = open_values(job, builder, call);
	LLVMValueRef offset = number(&values, 0), value, len, word;

	for (unsigned i = 0; i < values.count; i++) {
		value = LLVMGetOperandBundleArgAtIndex(values.bundle, i);
		if (!is_text(&values, i)) {
			ops->word(data, offset, value);
			offset = LLVMBuildAdd(builder, offset,
					      number(&values, 1), "");
			continue;
		}
		len = LLVMGetOperandBundleArgAtIndex(values.bundle, ++i);
		len = clip(&values, len, &word);
		ops->word(data, offset, word);
		offset = LLVMBuildAdd(builder, offset, number(&values, 1), "");
		ops->text(data, offset, value, len);
		offset = behind_text(&values, offset, len);
	}
	close_values(&values);
	return offset;
}

bool
lower_has_words(LLVMValueRef call)
{
	return LLVMGetNumOperandBundles(call) > 0;
}
