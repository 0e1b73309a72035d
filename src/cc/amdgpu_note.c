/*
 * What a code object says about its kernels: the msgpack map in its
 * NT_AMDGPU_METADATA note ("Code Object V5 Metadata" in LLVM's AMDGPUUsage).
 *
 * Read back from the linked file rather than kept from code generation, so that
 * the check of the argument size holds for what is shipped.
 */
#include "cc/amdgpu.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { note_type = 32 };

/* A reader over msgpack; `bad` once something does not fit. */
struct pack {
	const unsigned char *at;
	const unsigned char *end;
	bool bad;
};

/* An item: a container's count, a string, or a number. */
struct item {
	enum { NUMBER, TEXT, ARRAY, MAP, OTHER } kind;
	uint64_t value; /* number; length; count of elements or pairs */
	const char *text;
};

static uint64_t
take(struct pack *p, unsigned bytes)
{
	uint64_t value = 0;

	if (p->bad || (size_t)(p->end - p->at) < bytes) {
		p->bad = true;
		return 0;
	}
	while (bytes--)
		value = value << 8 | *p->at++;
	return value;
}

static struct item
text_item(struct pack *p, uint64_t length)
{
	struct item item = {TEXT, length, (const char *)p->at};

	if (p->bad || (uint64_t)(p->end - p->at) < length) {
		p->bad = true;
		return (struct item){OTHER, 0, NULL};
	}
	p->at += length;
	return item;
}

static struct item
container(struct pack *p, int kind, uint64_t count)
{
	struct item item = {NUMBER, count, NULL};

	/* Every element takes a byte at least. */
	if (count > (uint64_t)(p->end - p->at))
		p->bad = true;
	item.kind = kind == MAP ? MAP : ARRAY;
	return item;
}

/* The msgpack format: fixed forms by their high bits, the rest by number. */
static struct item
next_item(struct pack *p)
{
	unsigned tag = (unsigned)take(p, 1);

	if (tag < 0x80)
		return (struct item){NUMBER, tag, NULL};
	if (tag < 0x90)
		return container(p, MAP, tag & 15);
	if (tag < 0xa0)
		return container(p, ARRAY, tag & 15);
	if (tag < 0xc0)
		return text_item(p, tag & 31);
	switch (tag) {
	case 0xc0:
	case 0xc2:
	case 0xc3:
		return (struct item){OTHER, 0, NULL};
	case 0xcc:
	case 0xd0:
		return (struct item){NUMBER, take(p, 1), NULL};
	case 0xcd:
	case 0xd1:
		return (struct item){NUMBER, take(p, 2), NULL};
	case 0xce:
	case 0xd2:
		return (struct item){NUMBER, take(p, 4), NULL};
	case 0xcf:
	case 0xd3:
		return (struct item){NUMBER, take(p, 8), NULL};
	case 0xd9:
		return text_item(p, take(p, 1));
	case 0xda:
		return text_item(p, take(p, 2));
	case 0xdb:
		return text_item(p, take(p, 4));
	case 0xdc:
		return container(p, ARRAY, take(p, 2));
	case 0xdd:
		return container(p, ARRAY, take(p, 4));
	case 0xde:
		return container(p, MAP, take(p, 2));
	case 0xdf:
		return container(p, MAP, take(p, 4));
	default:
		if (tag < 0xe0)
			p->bad = true;
		return (struct item){OTHER, 0, NULL};
	}
}

static void
skip_rest(struct pack *p, struct item item)
{
	uint64_t count = item.kind == ARRAY ? item.value
			 : item.kind == MAP ? 2 * item.value
					    : 0;

	while (count-- && !p->bad)
		skip_rest(p, next_item(p));
}

static bool
is_text(struct item item, const char *text)
{
	return item.kind == TEXT && item.value == strlen(text) &&
	       memcmp(item.text, text, item.value) == 0;
}

/* The fields of one kernel that we look at. */
struct entry {
	struct item name;
	uint64_t
		explicit_size; /* end of the last argument that is not hidden */
	uint64_t registers;
	uint64_t accumulators;
	uint64_t spills;
	uint64_t scratch;
	uint64_t shared;
};

static void
read_argument(struct pack *p, struct entry *entry)
{
	struct item map = next_item(p), key, value;
	uint64_t offset = 0, size = 0;
	bool hidden = false;

	if (map.kind != MAP)
		p->bad = true;
	for (uint64_t i = 0; i < map.value && !p->bad; i++) {
		key = next_item(p);
		value = next_item(p);
		if (is_text(key, ".offset"))
			offset = value.value;
		else if (is_text(key, ".size"))
			size = value.value;
		else if (is_text(key, ".value_kind"))
			hidden = value.kind == TEXT && value.value > 7 &&
				 memcmp(value.text, "hidden_", 7) == 0;
		else
			skip_rest(p, value);
	}
	if (!hidden && offset + size > entry->explicit_size)
		entry->explicit_size = offset + size;
}

static void
read_kernel_field(struct pack *p, struct entry *entry)
{
	static const struct {
		const char *key;
		size_t offset;
	} numbers[] = {
		{".vgpr_count", offsetof(struct entry, registers)},
		{".agpr_count", offsetof(struct entry, accumulators)},
		{".vgpr_spill_count", offsetof(struct entry, spills)},
		{".private_segment_fixed_size",
		 offsetof(struct entry, scratch)},
		{".group_segment_fixed_size", offsetof(struct entry, shared)},
	};
	struct item key = next_item(p), value = next_item(p);

	if (is_text(key, ".name"))
		entry->name = value;
	if (is_text(key, ".args") && value.kind == ARRAY) {
		for (uint64_t i = 0; i < value.value && !p->bad; i++)
			read_argument(p, entry);
		return;
	}
	for (size_t i = 0; i < array_count(numbers); i++)
		if (is_text(key, numbers[i].key))
			memcpy((char *)entry + numbers[i].offset, &value.value,
			       sizeof(uint64_t));
	skip_rest(p, value);
}

static void
keep_entry(struct cc_job *job, const struct entry *entry)
{
	const struct smelt_table_resources taken = {
		.registers = (uint32_t)entry->registers,
		.spill_bytes = 4 * (uint32_t)entry->spills,
		.stack_bytes = (uint32_t)entry->scratch,
		.shared_bytes = (uint32_t)entry->shared,
	};
	const struct cc_kernel *kernel =
		entry->name.kind == TEXT
			? cc_kernel_takes(job, entry->name.text,
					  entry->name.value, &taken)
			: NULL;

	if (kernel && entry->explicit_size != kernel->block_size)
		die("%s: internal: kernel `%s` takes %llu bytes of arguments "
		    "in its code object, not %llu",
		    job->arch, kernel->name,
		    (unsigned long long)entry->explicit_size,
		    (unsigned long long)kernel->block_size);
}

static size_t
read_metadata(struct cc_job *job, struct pack *p)
{
	struct item map = next_item(p), key, value, kernel;
	size_t count = 0;

	if (map.kind != MAP)
		p->bad = true;
	for (uint64_t i = 0; i < map.value && !p->bad; i++) {
		key = next_item(p);
		value = next_item(p);
		if (!is_text(key, "amdhsa.kernels") || value.kind != ARRAY) {
			skip_rest(p, value);
			continue;
		}
		for (uint64_t k = 0; k < value.value && !p->bad; k++) {
			struct entry entry = {0};

			kernel = next_item(p);
			for (uint64_t f = 0; f < kernel.value && !p->bad; f++)
				read_kernel_field(p, &entry);
			if (!p->bad)
				keep_entry(job, &entry);
			count++;
		}
	}
	return count;
}

/* The descriptor of the metadata note within one PT_NOTE segment. */
static bool
find_note(const char *data, size_t size, struct pack *pack)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name, desc;

		memcpy(&note, data + at, sizeof(note));
		at += sizeof(note);
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > size - at || desc > size - at - name)
			return false;
		if (note.n_type == note_type) {
			pack->at = (const unsigned char *)data + at + name;
			pack->end = pack->at + note.n_descsz;
			return true;
		}
		at += name + desc;
	}
	return false;
}

static bool
find_metadata(const char *data, size_t size, struct pack *pack)
{
	Elf64_Ehdr header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, data, sizeof(header));
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;
		size_t at = (size_t)header.e_phoff + i * sizeof(segment);

		if (at > size || size - at < sizeof(segment))
			return false;
		memcpy(&segment, data + at, sizeof(segment));
		if (segment.p_type == PT_NOTE && segment.p_offset <= size &&
		    segment.p_filesz <= size - segment.p_offset &&
		    find_note(data + segment.p_offset, segment.p_filesz, pack))
			return true;
	}
	return false;
}

void
amdgpu_read_note(struct cc_job *job)
{
	struct pack pack = {0};
	size_t count, wanted = job->cc->kernel_count;

	for (size_t k = 0; k < job->cc->kernel_count; k++)
		wanted += job->result->resources[k].term_count != 0;
	if (!find_metadata(job->result->data, job->result->size, &pack))
		die("%s: internal: the code object has no metadata note",
		    job->arch);
	count = read_metadata(job, &pack);
	if (pack.bad)
		die("%s: internal: the code object's metadata is damaged",
		    job->arch);
	if (count != wanted)
		die("%s: internal: the code object has %zu kernels, not %zu",
		    job->arch, count, wanted);
}
