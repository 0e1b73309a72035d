/*
 * A reader of .rlib files: an ar archive of ELF objects, some of which carry
 * bitcode in a section of their own.
 *
 * Reads only what it needs: members in order, and of an object the table of its
 * sections. Every offset is checked against the file first.
 */
#include "cc.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct ar_header {
	char name[16];
	char date[12];
	char owner[6];
	char group[6];
	char mode[8];
	char size[10];
	char end[2];
};

static bool
inside(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

static const char *
section_name(const char *data, size_t size, const Elf64_Shdr *names,
	     const Elf64_Shdr *section)
{
	uint64_t at = names->sh_offset + section->sh_name;

	if (section->sh_name >= names->sh_size ||
	    !inside(names->sh_offset, names->sh_size, size) ||
	    !memchr(data + at, 0, names->sh_size - section->sh_name))
		return "";
	return data + at;
}

/* Objects that are no ELF64, or damaged, are passed over: a linker complains.
 */
static void
visit_object(const char *data, size_t size, const char *wanted,
	     void (*visit)(void *, const char *, const char *, size_t),
	     void *context, const char *member)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, section;

	if (size < sizeof(header))
		return;
	memcpy(&header, data, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(section) ||
	    header.e_shstrndx >= header.e_shnum ||
	    !inside(header.e_shoff, (uint64_t)header.e_shnum * sizeof(section),
		    size))
		return;
	memcpy(&names,
	       data + header.e_shoff + header.e_shstrndx * sizeof(section),
	       sizeof(names));
	for (unsigned i = 0; i < header.e_shnum; i++) {
		memcpy(&section, data + header.e_shoff + i * sizeof(section),
		       sizeof(section));
		if (section.sh_type == SHT_NOBITS || !section.sh_size ||
		    !inside(section.sh_offset, section.sh_size, size) ||
		    strcmp(section_name(data, size, &names, &section), wanted))
			continue;
		visit(context, member, data + section.sh_offset,
		      section.sh_size);
	}
}

/* Decimal, padded with spaces; SIZE_MAX if it is not that. */
static size_t
member_size(const struct ar_header *header)
{
	char text[11] = {0}, *end;
	unsigned long size;

	memcpy(text, header->size, 10);
	size = strtoul(text, &end, 10);
	while (*end == ' ')
		end++;
	return end == text || *end || text[0] == '-' ? SIZE_MAX : size;
}

const char *
cc_archive_sections(const char *data, size_t size, const char *section,
		    void (*visit)(void *context, const char *member,
				  const char *data, size_t size),
		    void *context)
{
	size_t at = 8;

	if (size < 8 || memcmp(data, "!<arch>\n", 8))
		return "no archive";
	while (at < size) {
		struct ar_header header;
		char name[17] = {0};
		size_t length;

		if (!inside(at, sizeof(header), size))
			return "the last member is cut off";
		memcpy(&header, data + at, sizeof(header));
		at += sizeof(header);
		length = member_size(&header);
		if (memcmp(header.end, "`\n", 2) || !inside(at, length, size))
			return "a member's header is damaged";
		memcpy(name, header.name, 16);
		visit_object(data + at, length, section, visit, context, name);
		at += length + (length & 1);
	}
	return NULL;
}
