/* Arena, growing strings and lists. See base.h. */
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	_Alignas(16) char data[];
};

static void
add_chunk(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk;

	if (size < 64 * 1024)
		size = 64 * 1024;
	chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		die("out of memory (%zu bytes)", size);
	chunk->size = size;
	chunk->next = arena->chunk;
	arena->chunk = chunk;
	arena->used = 0;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	void *memory;

	size = (size + 15) & ~(size_t)15;
	if (!arena->chunk || arena->chunk->size - arena->used < size)
		add_chunk(arena, size);
	memory = arena->chunk->data + arena->used;
	arena->used += size;
	return memory;
}

void
arena_free(struct arena *arena)
{
	while (arena->chunk) {
		struct arena_chunk *next = arena->chunk->next;

		free(arena->chunk);
		arena->chunk = next;
	}
	arena->used = 0;
}

char *
arena_dup(struct arena *arena, const char *data, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (len)
		memcpy(copy, data, len);
	return copy;
}

static char *
vprint(struct arena *arena, size_t *len, const char *format, va_list args)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = arena_alloc(arena, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, format, args);
	*len = (size_t)n;
	return text;
}

char *
arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	size_t len;
	char *text;

	va_start(args, format);
	text = vprint(arena, &len, format, args);
	va_end(args);
	return text;
}

static void
reserve(struct arena *arena, struct buf *buf, size_t more)
{
	size_t cap = buf->cap ? buf->cap : 64;
	char *data;

	if (buf->cap - buf->len > more)
		return;
	while (cap - buf->len <= more)
		cap *= 2;
	data = arena_alloc(arena, cap);
	if (buf->len)
		memcpy(data, buf->data, buf->len);
	buf->data = data;
	buf->cap = cap;
}

void
buf_add(struct arena *arena, struct buf *buf, const void *data, size_t len)
{
	reserve(arena, buf, len);
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = 0;
}

void
buf_puts(struct arena *arena, struct buf *buf, const char *text)
{
	buf_add(arena, buf, text, strlen(text));
}

void
buf_printf(struct arena *arena, struct buf *buf, const char *format, ...)
{
	va_list args;
	size_t len;
	char *text;

	va_start(args, format);
	text = vprint(arena, &len, format, args);
	va_end(args);
	buf_add(arena, buf, text, len);
}

void
buf_align(struct arena *arena, struct buf *buf, size_t align)
{
	static const char zeros[16];

	while (buf->len % align) {
		size_t n = align - buf->len % align;

		buf_add(arena, buf, zeros, n < 16 ? n : 16);
	}
}

void
list_add(struct arena *arena, struct list *list, const char *text)
{
	if (list->len + 1 >= list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 16;
		const char **data = arena_alloc(arena, cap * sizeof(*data));

		if (list->len)
			memcpy(data, list->data, list->len * sizeof(*data));
		list->data = data;
		list->cap = cap;
	}
	list->data[list->len++] = text;
	list->data[list->len] = NULL;
}

void
list_addf(struct arena *arena, struct list *list, const char *format, ...)
{
	va_list args;
	size_t len;
	char *text;

	va_start(args, format);
	text = vprint(arena, &len, format, args);
	va_end(args);
	list_add(arena, list, text);
}

bool
list_has(const struct list *list, const char *text)
{
	for (size_t i = 0; i < list->len; i++)
		if (!strcmp(list->data[i], text))
			return true;
	return false;
}

void
list_split(struct arena *arena, struct list *list, const char *text,
	   const char *separators)
{
	while (*text) {
		size_t n = strcspn(text, separators);

		if (n)
			list_add(arena, list, arena_dup(arena, text, n));
		text += n;
		text += strspn(text, separators);
	}
}

bool
starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool
ends_with(const char *text, const char *suffix)
{
	size_t a = strlen(text), b = strlen(suffix);

	return a >= b && !strcmp(text + a - b, suffix);
}
