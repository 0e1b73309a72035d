/*
 * Source lines of addresses, from a code object's .debug_line (DWARF 2 to 5,
 * section 6.2 of the DWARF 5 standard). Read afresh for each question: only
 * faults ask.
 *
 * The table comes from the program's file, so every read is checked; what does
 * not make sense ends the search without an answer.
 */
#include "sim.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

struct section {
	const uint8_t *data;
	uint64_t size;
};

struct reader {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

/* A line program's header, as far as running it needs it. */
struct program {
	struct reader files; /* directory and file tables */
	struct reader code;
	const uint8_t *opcode_lengths;
	uint16_t version;
	uint8_t min_length;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
};

struct state {
	uint64_t address;
	uint64_t file;
	int64_t line;
};

static uint64_t
number(struct reader *r, int bytes)
{
	uint64_t value = 0;
	if (r->end - r->at < bytes) {
		r->bad = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&value, r->at, (size_t)bytes);
	r->at += bytes;
	return value;
}

static uint64_t
leb128(struct reader *r, bool sign)
{
	uint64_t value = 0;
	for (int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = (uint8_t)number(r, 1);
		value |= (uint64_t)(byte & 127) << shift;
		if (byte & 128)
			continue;
		if (sign && byte & 64 && shift + 7 < 64)
			value |= ~(uint64_t)0 << (shift + 7);
		return value;
	}
	r->bad = true;
	return 0;
}

static const char *
text(struct reader *r)
{
	const uint8_t *end = memchr(r->at, 0, (size_t)(r->end - r->at));
	const char *start = (const char *)r->at;
	if (!end) {
		r->bad = true;
		r->at = r->end;
		return "";
	}
	r->at = end + 1;
	return start;
}

static void
skip(struct reader *r, uint64_t bytes)
{
	if (bytes > (uint64_t)(r->end - r->at)) {
		r->bad = true;
		r->at = r->end;
		return;
	}
	r->at += bytes;
}

static struct section
find_section(const struct code *code, const char *name)
{
	const uint8_t *file = code->file;
	const Elf64_Ehdr *header = code->file;
	struct section none = {NULL, 0};
	uint64_t table = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
	if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
	    header->e_shoff > code->file_size ||
	    table > code->file_size - header->e_shoff ||
	    header->e_shstrndx >= header->e_shnum)
		return none;
	const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
	const Elf64_Shdr *names = &sections[header->e_shstrndx];
	for (int k = 0; k < header->e_shnum; k++) {
		const Elf64_Shdr *s = &sections[k];
		uint64_t at = names->sh_offset + s->sh_name;
		if (at > code->file_size ||
		    code->file_size - at < strlen(name) + 1 ||
		    strcmp((const char *)file + at, name) != 0)
			continue;
		if (s->sh_type == SHT_NOBITS ||
		    s->sh_offset > code->file_size ||
		    s->sh_size > code->file_size - s->sh_offset)
			return none;
		return (struct section){file + s->sh_offset, s->sh_size};
	}
	return none;
}

/* The header that r is at; r goes to the next one. */
static bool
read_header(struct reader *r, struct program *p)
{
	int offset_size = 4;
	uint64_t length = number(r, 4);
	if (length == UINT32_MAX) {
		offset_size = 8;
		length = number(r, 8);
	}
	struct reader unit = {r->at, r->at, r->bad};
	skip(r, length);
	unit.end = r->at;
	if (r->bad)
		return false;
	p->version = (uint16_t)number(&unit, 2);
	if (p->version < 2 || p->version > 5)
		return false;
	if (p->version == 5)
		number(&unit, 2); /* sizes of addresses and selectors */
	uint64_t header = number(&unit, offset_size);
	p->code = unit;
	skip(&p->code, header);
	p->min_length = (uint8_t)number(&unit, 1);
	if (p->version >= 4)
		number(&unit, 1); /* operations an instruction */
	number(&unit, 1);	  /* whether rows are statements */
	p->line_base = (int8_t)number(&unit, 1);
	p->line_range = (uint8_t)number(&unit, 1);
	p->opcode_base = (uint8_t)number(&unit, 1);
	p->opcode_lengths = unit.at;
	skip(&unit, p->opcode_base ? p->opcode_base - 1u : 0);
	p->files = unit;
	p->files.end = p->code.at;
	return !unit.bad && !p->code.bad && p->line_range != 0 &&
	       p->files.at <= p->files.end;
}

/* An attribute of a version 5 entry: text, or a number. */
static const char *
read_form(const struct code *code, struct reader *r, uint64_t form,
	  uint64_t *value)
{
	const char *name = NULL;
	switch (form) {
	case 0x08: /* DW_FORM_string */
		return text(r);
	case 0x0e:   /* DW_FORM_strp */
	case 0x1f: { /* DW_FORM_line_strp */
		uint64_t at = number(r, 4);
		struct section strings = find_section(
			code, form == 0x0e ? ".debug_str" : ".debug_line_str");
		if (at < strings.size &&
		    memchr(strings.data + at, 0, strings.size - at))
			name = (const char *)strings.data + at;
		return name ? name : "?";
	}
	case 0x0b: /* DW_FORM_data1 */
		*value = number(r, 1);
		return NULL;
	case 0x05: /* DW_FORM_data2 */
		*value = number(r, 2);
		return NULL;
	case 0x0f: /* DW_FORM_udata */
		*value = leb128(r, false);
		return NULL;
	case 0x1e: /* DW_FORM_data16 */
		skip(r, 16);
		return NULL;
	}
	r->bad = true;
	return NULL;
}

static const char *
file_name_5(const struct code *code, struct reader r, uint64_t wanted)
{
	/* Directories, then files, each behind its description. */
	for (int part = 0; part < 2 && !r.bad; part++) {
		uint64_t forms[16][2];
		uint64_t count = number(&r, 1);
		for (uint64_t k = 0; k < count && k < 16; k++) {
			forms[k][0] = leb128(&r, false);
			forms[k][1] = leb128(&r, false);
		}
		uint64_t entries = leb128(&r, false);
		if (count > 16)
			return NULL;
		for (uint64_t e = 0; e < entries && !r.bad; e++) {
			const char *name = NULL;
			for (uint64_t k = 0; k < count; k++) {
				uint64_t value;
				const char *got = read_form(
					code, &r, forms[k][1], &value);
				if (forms[k][0] == 1) /* DW_LNCT_path */
					name = got;
			}
			if (part == 1 && e == wanted)
				return name;
		}
	}
	return NULL;
}

static const char *
file_name(const struct code *code, const struct program *p, uint64_t wanted)
{
	struct reader r = p->files;
	if (p->version == 5)
		return file_name_5(code, r, wanted);
	while (!r.bad && *text(&r)) /* directories */
		;
	for (uint64_t file = 1; !r.bad; file++) {
		const char *name = text(&r);
		if (*name == 0)
			return NULL;
		leb128(&r, false);
		leb128(&r, false);
		leb128(&r, false);
		if (file == wanted)
			return name;
	}
	return NULL;
}

/* An extended opcode; true at the end of a sequence. */
static bool
extended(struct reader *r, struct state *s)
{
	uint64_t length = leb128(r, false);
	struct reader body = {r->at, r->at, r->bad};
	skip(r, length);
	body.end = r->at;
	switch (number(&body, 1)) {
	case 1: /* DW_LNE_end_sequence */
		return true;
	case 2: /* DW_LNE_set_address */
		s->address = number(&body, 8);
	}
	return false;
}

/* One opcode; *row tells whether it gave a row of the table. true: the sequence
 * has ended. */
static bool
step(const struct program *p, struct reader *r, struct state *s, bool *row)
{
	uint8_t opcode = (uint8_t)number(r, 1);
	*row = false;
	if (opcode >= p->opcode_base) {
		uint8_t adjusted = opcode - p->opcode_base;
		s->address +=
			(uint64_t)(adjusted / p->line_range) * p->min_length;
		s->line += p->line_base + adjusted % p->line_range;
		*row = true;
		return false;
	}
	switch (opcode) {
	case 0:
		*row = extended(r, s);
		return *row;
	case 1: /* DW_LNS_copy */
		*row = true;
		break;
	case 2:
		s->address += leb128(r, false) * p->min_length;
		break;
	case 3:
		s->line += (int64_t)leb128(r, true);
		break;
	case 4:
		s->file = leb128(r, false);
		break;
	case 8: /* DW_LNS_const_add_pc */
		s->address +=
			(uint64_t)((255 - p->opcode_base) / p->line_range) *
			p->min_length;
		break;
	case 9:
		s->address += number(r, 2);
		break;
	default:
		for (int k = 0; k < p->opcode_lengths[opcode - 1]; k++)
			leb128(r, false);
	}
	return false;
}

static bool
search(const struct program *p, uint64_t address, struct state *found)
{
	struct reader r = p->code;
	struct state now = {0, 1, 1}, last = now;
	bool any = false;
	while (r.at < r.end && !r.bad) {
		bool row;
		bool ended = step(p, &r, &now, &row);
		if (!row)
			continue;
		if (any && last.address <= address && address < now.address) {
			*found = last;
			return true;
		}
		any = !ended;
		last = now;
		if (ended)
			now = (struct state){0, 1, 1};
	}
	return false;
}

bool
code_line(const struct code *code, uint64_t address, char *out, size_t size)
{
	struct section lines = find_section(code, ".debug_line");
	struct reader r = {lines.data, lines.data + lines.size, false};
	if (!lines.data)
		return false;
	while (r.at < r.end && !r.bad) {
		struct program program;
		struct state found;
		if (!read_header(&r, &program) ||
		    !search(&program, address, &found))
			continue;
		const char *name = file_name(code, &program, found.file);
		snprintf(out, size, "%s:%lld", name ? name : "?",
			 (long long)found.line);
		return true;
	}
	return false;
}
