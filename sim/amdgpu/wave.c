/*
 * A wave: its instruction loop, jumps, and faults.
 */
#include "counts.h"

#include "dispatch.h"
#include "undef.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint64_t
address_of(const struct code *code, const struct inst *inst)
{
	return (uint64_t)(uintptr_t)code->base + code->text +
	       (uint64_t)(inst - code->insts) * 4;
}

uint64_t
wave_pc(const struct wave *w)
{
	return address_of(w->code, w->inst);
}

void
wave_jump(struct wave *w, uint64_t pc)
{
	struct code *code = w->code;
	uint64_t start = (uint64_t)(uintptr_t)code->base + code->text;
	uint64_t size = code->text_end - code->text;
	if (pc - start >= size) {
		code = code_find(pc);
		if (code) {
			start = (uint64_t)(uintptr_t)code->base + code->text;
			size = code->text_end - code->text;
		}
	}
	if (!code || pc - start >= size || pc % 4) {
		wave_fault(w, HSA_STATUS_ERROR_EXCEPTION,
			   "jump to 0x%llx, where no code is",
			   (unsigned long long)pc);
		return;
	}
	w->code = code;
	w->inst = code->insts + (pc - start) / 4;
}

void
wave_branch(struct wave *w, int64_t offset)
{
	wave_jump(w, wave_pc(w) + (uint64_t)offset);
}

void
wave_run(struct wave *w, uint64_t budget)
{
	uint64_t left = budget;
	w->stop = false;
	while (left && !w->stop) {
		struct inst *inst = w->inst;
		exec_fn *exec = __atomic_load_n(&inst->exec, __ATOMIC_ACQUIRE);
		if (!exec) {
			decode(w->code, (uint64_t)(inst - w->code->insts));
			exec = inst->exec;
		}
		w->current = inst;
		w->inst = inst + inst->dwords;
		left--;
		if (w->worker->counts)
			counts_instruction(w->worker->counts, w, inst);
		if (w->undef) {
			undef_step(w, inst);
			if (w->stop)
				break;
		}
		exec(w, inst);
	}
	w->instructions += budget - left;
}

void
exec_illegal(struct wave *w, const struct inst *i)
{
	wave_fault(w, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
		   "illegal instruction or not simulated: 0x%08x 0x%08x",
		   i->word[0], i->word[1]);
}

void
fault_set(struct fault *fault, hsa_status_t status, uint64_t pc,
	  const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fault->status = status;
	fault->pc = pc;
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
}

const char *
inst_name(const struct inst *i, char *buffer, size_t size)
{
	static const char *const segments[] = {"flat_", "scratch_", "global_"};
	const char *prefix = i->exec == exec_mubuf  ? "buffer_"
			     : i->exec == exec_flat ? segments[i->segment]
						    : "";
	snprintf(buffer, size, "%s%s", prefix, i->op ? i->op->name : "?");
	return buffer;
}

/* Where a wave stands, for people. */
static void
describe(const struct wave *w, char *text, size_t size)
{
	const struct dispatch *d = w->group->dispatch;
	uint64_t pc = address_of(w->code, w->current);
	uint64_t entry =
		d->kernel_object + (uint64_t)d->descriptor->entry_offset;
	char name[64];
	char line[160] = "no line";
	code_line(w->code, pc - (uint64_t)(uintptr_t)w->code->base, line,
		  sizeof(line));
	snprintf(text, size,
		 "kernel %s + 0x%llx, %s (%s), work-group (%u, %u, %u), "
		 "wave %u",
		 d->name, (unsigned long long)(pc - entry), line,
		 inst_name(w->current, name, sizeof(name)), w->group->id[0],
		 w->group->id[1], w->group->id[2], w->index);
}

void
wave_fault(struct wave *w, hsa_status_t status, const char *format, ...)
{
	char what[400], where[400];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	describe(w, where, sizeof(where));
	struct fault fault = {0};
	fault_set(&fault, status, address_of(w->code, w->current), "%s: %s",
		  where, what);
	dispatch_fail(w->group->dispatch, &fault);
	w->stop = true;
	w->state = WAVE_ENDED;
}

void
wave_memory_fault(struct wave *w, uint64_t address, uint32_t bytes, bool store)
{
	char where[400];
	struct range range;
	bool present = space_find(address, &range);
	describe(w, where, sizeof(where));
	struct fault fault = {.address = address};
	fault_set(&fault, HSA_STATUS_ERROR_MEMORY_FAULT,
		  address_of(w->code, w->current),
		  "%s: memory fault: %s of %u bytes at 0x%llx, %s", where,
		  store ? "store" : "load", bytes, (unsigned long long)address,
		  !present		     ? "which is not mapped"
		  : range.read_only && store ? "which is read-only"
		  : range.agents >> w->code->agent & 1
			  ? "beyond the end of its mapping"
			  : "which this device may not access");
	bool denied = present && store && range.read_only;
	fault.reason = denied ? HSA_AMD_MEMORY_FAULT_READ_ONLY
			      : HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
	dispatch_fail(w->group->dispatch, &fault);
	w->stop = true;
	w->state = WAVE_ENDED;
}
