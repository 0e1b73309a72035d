/*
 * Finds a section in an ELF file. Only what a linker for x86-64 writes: 64
 * bits, little-endian. Every offset is checked against the file before it is
 * used, so a damaged file is a message.
 */
#include "driver/driver.h"

#include <elf.h>
#include <string.h>

/* Whether [offset, offset + size) lies in a file of total bytes. */
static bool
inside(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}

static const char *
read_header(const char *file, size_t size, Elf64_Ehdr *header)
{
	if (size < sizeof(*header) || memcmp(file, ELFMAG, SELFMAG))
		return "not an ELF file";
	memcpy(header, file, sizeof(*header));
	if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a 64-bit little-endian ELF file";
	if (header->e_shoff == 0)
		return NULL;
	if (header->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(header->e_shoff, sizeof(Elf64_Shdr), size))
		return "damaged ELF file: section table out of bounds";
	return NULL;
}

static Elf64_Shdr
section_at(const char *file, const Elf64_Ehdr *header, uint64_t index)
{
	Elf64_Shdr section;

	memcpy(&section, file + header->e_shoff + index * sizeof(section),
	       sizeof(section));
	return section;
}

/* Counts that do not fit in the header stand in section 0. */
static const char *
read_counts(const char *file, size_t size, const Elf64_Ehdr *header,
	    uint64_t *count, uint64_t *names)
{
	Elf64_Shdr first = section_at(file, header, 0);

	*count = header->e_shnum ? header->e_shnum : first.sh_size;
	*names = header->e_shstrndx == SHN_XINDEX ? first.sh_link
						  : header->e_shstrndx;
	if (*count > size / sizeof(Elf64_Shdr) ||
	    !inside(header->e_shoff, *count * sizeof(Elf64_Shdr), size))
		return "damaged ELF file: section table out of bounds";
	if (*names >= *count)
		return "damaged ELF file: no section names";
	return NULL;
}

static bool
name_is(const char *strings, uint64_t size, uint64_t offset, const char *name)
{
	size_t len = strlen(name) + 1;

	return inside(offset, len, size) &&
	       !memcmp(strings + offset, name, len);
}

const char *
elf_section(struct arena *arena, const char *file, size_t size,
	    const char *name, char **data, size_t *section_size)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, section;
	uint64_t count, names_index;
	const char *wrong = read_header(file, size, &header);

	*data = NULL;
	*section_size = 0;
	if (wrong || header.e_shoff == 0)
		return wrong;
	wrong = read_counts(file, size, &header, &count, &names_index);
	if (wrong)
		return wrong;
	names = section_at(file, &header, names_index);
	if (!inside(names.sh_offset, names.sh_size, size))
		return "damaged ELF file: section names out of bounds";
	for (uint64_t i = 1; i < count; i++) {
		section = section_at(file, &header, i);
		if (!name_is(file + names.sh_offset, names.sh_size,
			     section.sh_name, name))
			continue;
		if (section.sh_type == SHT_NOBITS ||
		    !inside(section.sh_offset, section.sh_size, size))
			return "damaged ELF file: section out of bounds";
		*data = arena_dup(arena, file + section.sh_offset,
				  section.sh_size);
		*section_size = section.sh_size;
		return NULL;
	}
	return NULL;
}
