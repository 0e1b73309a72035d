/*
 * The functions of core and std that panic, and what each is called with.
 *
 * They are found by path, not by symbol: hashes and generic arguments differ,
 * paths are the same in all releases that know them.
 */
#include "cc/panics.h"

#include <string.h>

/* By path without generic arguments. A path that ends in :: stands for all
 * below it. */
static const struct panic_function functions[] = {
	{"core::panicking::panic_bounds_check", INDEX, SMELT_PANIC_BOUNDS,
	 "index out of bounds"},
	{"core::panicking::panic_const::panic_const_add_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to add with overflow"},
	{"core::panicking::panic_const::panic_const_sub_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to subtract with overflow"},
	{"core::panicking::panic_const::panic_const_mul_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to multiply with overflow"},
	{"core::panicking::panic_const::panic_const_div_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to divide with overflow"},
	{"core::panicking::panic_const::panic_const_rem_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to calculate the remainder with overflow"},
	{"core::panicking::panic_const::panic_const_neg_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to negate with overflow"},
	{"core::panicking::panic_const::panic_const_shl_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to shift left with overflow"},
	{"core::panicking::panic_const::panic_const_shr_overflow", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to shift right with overflow"},
	{"core::panicking::panic_const::panic_const_div_by_zero", PLACE_ONLY,
	 SMELT_PANIC_ARITH, "attempt to divide by zero"},
	{"core::panicking::panic_const::panic_const_rem_by_zero", PLACE_ONLY,
	 SMELT_PANIC_ARITH,
	 "attempt to calculate the remainder with a divisor of zero"},
	{"core::panicking::panic_const::", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "resumed after completion"},
	{"core::num::overflow_panic::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "arithmetic overflow"},
	{"core::num::imp::overflow_panic::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "arithmetic overflow"},
	{"core::num::int_log10::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer logarithm must be positive"},
	{"core::num::imp::int_log10::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer logarithm must be positive"},
	{"core::num::int_sqrt::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer square root cannot be negative"},
	{"core::num::imp::int_sqrt::", PLACE_ONLY, SMELT_PANIC_ARITH,
	 "argument of integer square root cannot be negative"},
	{"core::num::from_ascii_radix_panic", ALONE, SMELT_PANIC_OTHER,
	 "radix must lie in the range `[2, 36]`"},
	{"core::panicking::panic", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_fmt", FORMAT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::const_panic_fmt", FORMAT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_nounwind", TEXT_ALONE, SMELT_PANIC_OTHER,
	 NULL},
	{"core::panicking::panic_nounwind_nobacktrace", TEXT_ALONE,
	 SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_nounwind_fmt", FORMAT_ALONE, SMELT_PANIC_OTHER,
	 NULL},
	{"core::panicking::panic_str_literal", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_str_2015", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_explicit", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "explicit panic"},
	{"core::panicking::unreachable_display", DISPLAY, SMELT_PANIC_OTHER,
	 NULL},
	{"core::panicking::panic_display", DISPLAY, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::panic_misaligned_pointer_dereference", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "misaligned pointer dereference"},
	{"core::panicking::panic_null_pointer_dereference", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "null pointer dereference occurred"},
	{"core::panicking::panic_invalid_enum_construction", PLACE_ONLY,
	 SMELT_PANIC_OTHER,
	 "trying to construct an enum from an invalid value"},
	{"core::panicking::panic_cannot_unwind", ALONE, SMELT_PANIC_OTHER,
	 "panic in a function that cannot unwind"},
	{"core::panicking::panic_in_cleanup", ALONE, SMELT_PANIC_OTHER,
	 "panic in a destructor during cleanup"},
	{"core::panicking::assert_failed", ASSERT, SMELT_PANIC_OTHER, NULL},
	{"core::panicking::assert_failed_inner", ASSERT, SMELT_PANIC_OTHER,
	 NULL},
	{"core::panicking::assert_matches_failed", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "assertion `left matches right` failed"},
	{"core::option::unwrap_failed", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "called `Option::unwrap()` on a `None` value"},
	{"core::option::expect_failed", TEXT, SMELT_PANIC_OTHER, NULL},
	{"core::result::unwrap_failed", ERROR, SMELT_PANIC_OTHER, NULL},
	{"core::cell::panic_already_borrowed", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "RefCell already borrowed"},
	{"core::cell::panic_already_mutably_borrowed", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "RefCell already mutably borrowed"},
	{"core::cell::lazy::panic_poisoned", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "LazyCell instance has previously been poisoned"},
	{"core::slice::index::slice_index_fail", SLICE, SMELT_PANIC_RANGE,
	 NULL},
	{"core::slice::index::slice_start_index_len_fail", INDEX,
	 SMELT_PANIC_RANGE,
	 "range start index {} out of range for slice of length {}"},
	{"core::slice::index::slice_end_index_len_fail", INDEX,
	 SMELT_PANIC_RANGE,
	 "range end index {} out of range for slice of length {}"},
	{"core::slice::index::slice_index_order_fail", INDEX, SMELT_PANIC_RANGE,
	 "slice index starts at {} but ends at {}"},
	{"core::slice::index::slice_start_index_overflow_fail", PLACE_ONLY,
	 SMELT_PANIC_OTHER,
	 "attempted to index slice from after maximum usize"},
	{"core::slice::index::slice_end_index_overflow_fail", PLACE_ONLY,
	 SMELT_PANIC_OTHER, "attempted to index slice up to maximum usize"},
	{"core::slice::copy_from_slice_impl::len_mismatch_fail", LENGTHS,
	 SMELT_PANIC_RANGE,
	 "copy_from_slice: source slice length ({}) does not match "
	 "destination slice length ({})"},
	{"core::slice::sort::shared::smallsort::panic_on_ord_violation",
	 PLACE_ONLY, SMELT_PANIC_OTHER,
	 "user-provided comparison function does not correctly implement a "
	 "total order"},
	{"core::str::slice_error_fail", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"core::str::slice_error_fail_rt", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"core::str::slice_error_fail_ct", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"core::wtf8::slice_error_fail", PLACE_ONLY, SMELT_PANIC_OTHER,
	 "string index out of range or not on a character boundary"},
	{"std::panicking::begin_panic", TEXT, SMELT_PANIC_OTHER, NULL},
	{"std::rt::panic_fmt", FORMAT, SMELT_PANIC_OTHER, NULL},
	{"std::rt::begin_panic", TEXT, SMELT_PANIC_OTHER, NULL},
	{"std::rt::panic_display", DISPLAY, SMELT_PANIC_OTHER, NULL},
	{"smelt::device::print::emit", PRINT, SMELT_PANIC_OTHER, NULL},
	{"std::process::abort", ALONE, SMELT_PANIC_OTHER, "abort"},
	{"core::intrinsics::abort", ALONE, SMELT_PANIC_OTHER, "abort"},
	{"llvm.trap", ALONE, SMELT_PANIC_OTHER, "abort"},
};

/* The path without "::<...>" and generic arguments. */
static char *
without_generics(struct arena *arena, const char *path)
{
	char *out = arena_alloc(arena, strlen(path) + 1), *to = out;
	int depth = 0;

	/* A leading < belongs to <T as Trait>, which none of them is. */
	if (*path == '<')
		return arena_dup(arena, path, strlen(path));
	for (; *path; path++) {
		if (starts_with(path, "::<"))
			path += 2;
		if (*path == '<')
			depth++;
		else if (*path == '>' && depth)
			depth--;
		else if (!depth)
			*to++ = *path;
	}
	return out;
}

const struct panic_function *
panic_function(struct arena *arena, LLVMValueRef function)
{
	size_t len;
	const char *symbol = LLVMGetValueName2(function, &len);
	const char *path;

	if (!starts_with(symbol, "_R") && !starts_with(symbol, "_ZN") &&
	    strcmp(symbol, "llvm.trap"))
		return NULL;
	if (symbol[0] == '_' && !strstr(symbol, "panic") &&
	    !strstr(symbol, "fail") && !strstr(symbol, "abort") &&
	    !strstr(symbol, "unreachable_display") &&
	    !strstr(symbol, "5print4emit"))
		return NULL;
	path = without_generics(arena, cc_demangle(arena, symbol));
	for (size_t i = 0; i < array_count(functions); i++) {
		const char *wanted = functions[i].path;

		if (ends_with(wanted, "::") ? starts_with(path, wanted)
					    : !strcmp(path, wanted))
			return &functions[i];
	}
	return NULL;
}
