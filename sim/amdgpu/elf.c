/*
 * Loading code objects: ELF files of LLVM's AMDGPU target, code object version
 * 4 or later (LLVM's AMDGPUUsage, "Code Object").
 *
 * Every offset and count in the file is checked against the file, and every
 * address against the loaded image, before it is used: files come from the
 * program and may be cut off or damaged.
 */
#include "sim.h"

#include "isa.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

enum {
	OSABI_AMDGPU_HSA = 64,
	MAX_IMAGE = 1 << 30,
	FLAG_MACH = 0xff,
	/* Relocations: AMDGPUUsage, "Relocation Records". */
	R_ABS32_LO = 1,
	R_ABS32_HI = 2,
	R_ABS64 = 3,
	R_ABS32 = 6,
	R_RELATIVE64 = 13,
};

static struct {
	pthread_rwlock_t lock;
	struct code **codes;
	size_t count;
	size_t capacity;
} loaded = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* A file being read. */
struct file {
	const uint8_t *data;
	uint64_t size;
	const Elf64_Ehdr *header;
};

/* Part of the file, or NULL if it does not lie within it. */
static const void *
part(const struct file *file, uint64_t offset, uint64_t size)
{
	if (offset > file->size || size > file->size - offset)
		return NULL;
	return file->data + offset;
}

/* Part of the image, or NULL. */
static uint8_t *
image_part(const struct code *code, uint64_t address, uint64_t size)
{
	if (address > code->size || size > code->size - address)
		return NULL;
	return code->base + address;
}

static hsa_status_t
check_header(const struct sim_agent *agent, struct file *file)
{
	file->header = part(file, 0, sizeof(*file->header));
	const Elf64_Ehdr *header = file->header;
	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_type != ET_DYN || header->e_machine != EM_AMDGPU ||
	    header->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA ||
	    header->e_ident[EI_ABIVERSION] < 2 || /* code object V4 */
	    header->e_ident[EI_ABIVERSION] > 4 ||
	    header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff % 8)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	if ((header->e_flags & FLAG_MACH) != agent->arch->elf_mach)
		return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
	uint32_t xnack = header->e_flags >> 8 & 3;
	uint32_t sramecc = header->e_flags >> 10 & 3;
	if (xnack == 3 || (sramecc == 2 && agent->arch->has_sramecc))
		return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
	return HSA_STATUS_SUCCESS;
}

static const Elf64_Phdr *
program_headers(const struct file *file)
{
	return part(file, file->header->e_phoff,
		    (uint64_t)file->header->e_phnum * sizeof(Elf64_Phdr));
}

/* Size of the image and extent of its code. */
static bool
measure(const struct file *file, struct code *code)
{
	const Elf64_Phdr *ph = program_headers(file);
	if (!ph)
		return false;
	for (int i = 0; i < file->header->e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		uint64_t end = ph[i].p_vaddr + ph[i].p_memsz;
		if (ph[i].p_vaddr > MAX_IMAGE || ph[i].p_memsz > MAX_IMAGE ||
		    end > MAX_IMAGE || ph[i].p_filesz > ph[i].p_memsz ||
		    !part(file, ph[i].p_offset, ph[i].p_filesz))
			return false;
		if (end > code->size)
			code->size = end;
		if (!(ph[i].p_flags & PF_X) || ph[i].p_memsz == 0)
			continue;
		if (code->text_end == 0 || ph[i].p_vaddr < code->text)
			code->text = ph[i].p_vaddr & ~(uint64_t)3;
		if (end > code->text_end)
			code->text_end = end;
	}
	return code->size != 0 && code->text_end - code->text <= file->size;
}

static void
copy_segments(const struct file *file, struct code *code)
{
	const Elf64_Phdr *ph = program_headers(file);
	for (int i = 0; i < file->header->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			memcpy(code->base + ph[i].p_vaddr,
			       file->data + ph[i].p_offset, ph[i].p_filesz);
}

/* What the dynamic section says, as addresses in the image. */
struct dynamic {
	uint64_t symbols;
	uint64_t symbol_count;
	uint64_t strings;
	uint64_t string_size;
	uint64_t rela;
	uint64_t rela_size;
	uint64_t hash;
};

static bool
read_dynamic(const struct file *file, const struct code *code,
	     struct dynamic *dynamic)
{
	const Elf64_Phdr *ph = program_headers(file);
	const Elf64_Dyn *dyn = NULL;
	uint64_t count = 0;
	for (int i = 0; i < file->header->e_phnum; i++) {
		if (ph[i].p_type != PT_DYNAMIC)
			continue;
		dyn = (void *)image_part(code, ph[i].p_vaddr, ph[i].p_memsz);
		count = ph[i].p_memsz / sizeof(*dyn);
		if (!dyn || ph[i].p_vaddr % 8)
			return false;
	}
	for (uint64_t i = 0; i < count && dyn[i].d_tag != DT_NULL; i++) {
		uint64_t value = dyn[i].d_un.d_val;
		switch (dyn[i].d_tag) {
		case DT_SYMTAB:
			dynamic->symbols = value;
			break;
		case DT_STRTAB:
			dynamic->strings = value;
			break;
		case DT_STRSZ:
			dynamic->string_size = value;
			break;
		case DT_RELA:
			dynamic->rela = value;
			break;
		case DT_RELASZ:
			dynamic->rela_size = value;
			break;
		case DT_HASH:
			dynamic->hash = value;
			break;
		}
	}
	if (!dynamic->symbols || !dynamic->hash)
		return dyn != NULL;
	/* The second word of DT_HASH is the number of symbols. */
	const uint32_t *hash = (void *)image_part(code, dynamic->hash, 8);
	if (!hash || dynamic->hash % 4)
		return false;
	dynamic->symbol_count = hash[1];
	return image_part(code, dynamic->strings, dynamic->string_size) &&
	       dynamic->symbols % 8 == 0 &&
	       image_part(code, dynamic->symbols,
			  dynamic->symbol_count * sizeof(Elf64_Sym));
}

static const char *
symbol_name(const struct code *code, const struct dynamic *dynamic,
	    uint32_t offset)
{
	if (offset >= dynamic->string_size)
		return NULL;
	const char *name = code->names + offset;
	if (!memchr(name, 0, dynamic->string_size - offset))
		return NULL;
	return name;
}

static bool
is_kernel(const char *name, const Elf64_Sym *symbol)
{
	size_t length = strlen(name);
	return length > 3 && strcmp(name + length - 3, ".kd") == 0 &&
	       symbol->st_size == sizeof(struct kernel_descriptor);
}

static bool
read_symbols(struct code *code, const struct dynamic *dynamic)
{
	const Elf64_Sym *symbols = (void *)(code->base + dynamic->symbols);
	code->symbols =
		calloc(dynamic->symbol_count + 1, sizeof(*code->symbols));
	code->names = malloc(dynamic->string_size + 1);
	if (!code->symbols || !code->names)
		return false;
	memcpy(code->names, code->base + dynamic->strings,
	       dynamic->string_size);
	for (uint64_t i = 0; i < dynamic->symbol_count; i++) {
		const Elf64_Sym *symbol = &symbols[i];
		if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT ||
		    symbol->st_shndx == SHN_UNDEF)
			continue;
		const char *name = symbol_name(code, dynamic, symbol->st_name);
		if (!name ||
		    !image_part(code, symbol->st_value, symbol->st_size))
			return false;
		bool kernel = is_kernel(name, symbol);
		if (kernel && symbol->st_value % 8)
			return false;
		code->symbols[code->symbol_count++] = (struct code_symbol){
			name,
			(uint64_t)(uintptr_t)code->base + symbol->st_value,
			symbol->st_size, kernel, code->agent};
	}
	return true;
}

static bool
relocate_one(struct code *code, const struct dynamic *dynamic,
	     const Elf64_Rela *rela)
{
	uint64_t base = (uint64_t)(uintptr_t)code->base;
	uint32_t type = (uint32_t)ELF64_R_TYPE(rela->r_info);
	uint64_t index = ELF64_R_SYM(rela->r_info);
	uint64_t value = base + (uint64_t)rela->r_addend;
	if (type != R_RELATIVE64) {
		if (index >= dynamic->symbol_count)
			return false;
		const Elf64_Sym *symbol =
			(Elf64_Sym *)(code->base + dynamic->symbols) + index;
		if (symbol->st_shndx == SHN_UNDEF)
			return false;
		value += symbol->st_value;
	}
	uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
	bool wide = type == R_RELATIVE64 || type == R_ABS64;
	uint8_t *where = image_part(code, rela->r_offset, wide ? 8 : 4);
	if (!where)
		return false;
	switch (type) {
	case R_RELATIVE64:
	case R_ABS64:
		memcpy(where, &value, 8);
		return true;
	case R_ABS32:
	case R_ABS32_LO:
		memcpy(where, &low, 4);
		return true;
	case R_ABS32_HI:
		memcpy(where, &high, 4);
		return true;
	}
	return false;
}

static bool
relocate(struct code *code, const struct dynamic *dynamic)
{
	const Elf64_Rela *rela =
		(void *)image_part(code, dynamic->rela, dynamic->rela_size);
	if (dynamic->rela_size == 0)
		return true;
	if (!rela || dynamic->rela % 8)
		return false;
	for (uint64_t i = 0; i < dynamic->rela_size / sizeof(*rela); i++)
		if (!relocate_one(code, dynamic, &rela[i]))
			return false;
	return true;
}

static bool
publish(struct code *code)
{
	bool ok = true;
	pthread_rwlock_wrlock(&loaded.lock);
	if (loaded.count == loaded.capacity) {
		size_t capacity = loaded.capacity ? loaded.capacity * 2 : 16;
		struct code **grown =
			realloc(loaded.codes, capacity * sizeof(*grown));
		ok = grown != NULL;
		if (ok) {
			loaded.codes = grown;
			loaded.capacity = capacity;
		}
	}
	if (ok)
		loaded.codes[loaded.count++] = code;
	pthread_rwlock_unlock(&loaded.lock);
	return ok;
}

static hsa_status_t
load(const struct file *file, struct code *code)
{
	struct dynamic dynamic = {0};
	if (!measure(file, code))
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	struct range like = {.kind = RANGE_CODE,
			     .owner = code->agent,
			     .agents = 1u << code->agent};
	code->base = memory_map(&like, code->size);
	code->file = malloc(file->size);
	uint64_t words = (code->text_end - code->text + 3) / 4;
	code->insts = calloc(words + 1, INST_SIZE);
	if (!code->base || !code->file || !code->insts)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	memcpy(code->file, file->data, file->size);
	code->file_size = file->size;
	copy_segments(file, code);
	if (!read_dynamic(file, code, &dynamic) ||
	    !read_symbols(code, &dynamic))
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	if (!relocate(code, &dynamic))
		return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
	return publish(code) ? HSA_STATUS_SUCCESS
			     : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t
code_load(const struct sim_agent *agent, const void *data, uint64_t size,
	  struct code **result)
{
	struct file file = {data, size, NULL};
	hsa_status_t status = check_header(agent, &file);
	if (status != HSA_STATUS_SUCCESS)
		return status;
	struct code *code = calloc(1, sizeof(*code));
	if (!code)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	code->arch = agent->arch;
	code->agent = agent->index;
	pthread_mutex_init(&code->decode_lock, NULL);
	status = load(&file, code);
	if (status != HSA_STATUS_SUCCESS) {
		code_unload(code);
		return status;
	}
	*result = code;
	return HSA_STATUS_SUCCESS;
}

void
code_unload(struct code *code)
{
	pthread_rwlock_wrlock(&loaded.lock);
	for (size_t i = 0; i < loaded.count; i++)
		if (loaded.codes[i] == code)
			loaded.codes[i] = loaded.codes[--loaded.count];
	pthread_rwlock_unlock(&loaded.lock);
	uint64_t words = (code->text_end - code->text + 3) / 4;
	for (uint64_t i = 0; code->insts && i < words; i++)
		free(code->insts[i].pair);
	if (code->base)
		memory_unmap(code->base, RANGE_CODE);
	pthread_mutex_destroy(&code->decode_lock);
	free(code->symbols);
	free(code->names);
	free(code->file);
	free(code->insts);
	free(code);
}

struct code *
code_find(uint64_t address)
{
	struct code *found = NULL;
	pthread_rwlock_rdlock(&loaded.lock);
	for (size_t i = 0; i < loaded.count; i++) {
		uint64_t base = (uint64_t)(uintptr_t)loaded.codes[i]->base;
		if (address >= base && address - base < loaded.codes[i]->size)
			found = loaded.codes[i];
	}
	pthread_rwlock_unlock(&loaded.lock);
	return found;
}

const char *
code_kernel_name(uint64_t descriptor)
{
	const struct code *code = code_find(descriptor);
	for (size_t i = 0; code && i < code->symbol_count; i++)
		if (code->symbols[i].kernel &&
		    code->symbols[i].address == descriptor)
			return code->symbols[i].name;
	return "?";
}
