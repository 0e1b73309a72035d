/*
 * Messages in the form cargo reads: one JSON object a line, as rustc prints
 * with
 * --error-format=json. Cargo counts errors by their level, and shows
 * `rendered`.
 */
#include "driver/driver.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARTIFACT "{\"$message_type\":\"artifact\""

bool
diagnostic_is_artifact(const char *line)
{
	return starts_with(line, ARTIFACT);
}

bool
diagnostic_is_error(const char *line)
{
	const char *level;
	cJSON *json;
	bool error;

	if (line[0] != '{')
		return starts_with(line, "error");
	json = cJSON_Parse(line);
	level = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(json, "level"));
	error = level &&
		(starts_with(level, "error") || !strcmp(level, "failure-note"));

	cJSON_Delete(json);
	return error;
}

/* Takes ":NUMBER" off the end; 0 if there is none. */
static int
take_number(char *place)
{
	char *colon = strrchr(place, ':');

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return 0;
	*colon = 0;
	return atoi(colon + 1);
}

/* " --> file:line:column" or file:line of a message becomes its primary span.
 */
static cJSON *
make_spans(struct arena *arena, const char *text)
{
	cJSON *spans = cJSON_CreateArray(), *span;
	const char *arrow = strstr(text, "--> ");
	int line, column;
	char *place;

	if (!arrow)
		return spans;
	arrow += strlen("--> ");
	place = arena_dup(arena, arrow, strcspn(arrow, "\n"));
	column = take_number(place);
	line = take_number(place);
	if (!line) {
		line = column;
		column = 1;
	}
	if (!line)
		return spans;
	span = cJSON_CreateObject();
	cJSON_AddStringToObject(span, "file_name", place);
	cJSON_AddNumberToObject(span, "byte_start", 0);
	cJSON_AddNumberToObject(span, "byte_end", 0);
	cJSON_AddNumberToObject(span, "line_start", line);
	cJSON_AddNumberToObject(span, "line_end", line);
	cJSON_AddNumberToObject(span, "column_start", column);
	cJSON_AddNumberToObject(span, "column_end", column);
	cJSON_AddBoolToObject(span, "is_primary", true);
	cJSON_AddArrayToObject(span, "text");
	cJSON_AddNullToObject(span, "label");
	cJSON_AddNullToObject(span, "suggested_replacement");
	cJSON_AddNullToObject(span, "suggestion_applicability");
	cJSON_AddNullToObject(span, "expansion");
	cJSON_AddItemToArray(spans, span);
	return spans;
}

/* The text as rustc would colour it: level and title in bold. */
static char *
render(struct arena *arena, const char *level, const char *title,
       const char *rest, bool ansi)
{
	const char *paint =
		!strcmp(level, "error") ? "\033[1m\033[91m" : "\033[1m\033[33m";

	if (!ansi)
		return arena_printf(arena, "%s: %s\n%s\n", level, title, rest);
	return arena_printf(arena, "%s%s\033[0m\033[1m: %s\033[0m\n%s\n", paint,
			    level, title, rest);
}

static void
print_json(struct arena *arena, const struct rustc_call *call,
	   const char *level, const char *title, const char *rest)
{
	cJSON *json = cJSON_CreateObject();
	char *text;

	cJSON_AddStringToObject(json, "$message_type", "diagnostic");
	cJSON_AddStringToObject(json, "message", title);
	cJSON_AddNullToObject(json, "code");
	cJSON_AddStringToObject(json, "level", level);
	cJSON_AddItemToObject(json, "spans", make_spans(arena, rest));
	cJSON_AddArrayToObject(json, "children");
	cJSON_AddStringToObject(json, "rendered",
				render(arena, level, title, rest, call->ansi));
	text = cJSON_PrintUnformatted(json);
	if (!text)
		die("out of memory");
	fprintf(stderr, "%s\n", text);
	free(text);
	cJSON_Delete(json);
}

static void
print_one(struct arena *arena, const struct rustc_call *call, const char *level,
	  const char *title, const char *rest)
{
	if (call->json)
		print_json(arena, call, level, title, rest);
	else
		fprintf(stderr, "%s: %s\n%s\n", level, title, rest);
}

/* NULL if the line does not begin a message. */
static const char *
begins_message(const char *line)
{
	if (starts_with(line, "error: "))
		return "error";
	if (starts_with(line, "warning: "))
		return "warning";
	return NULL;
}

/* smelt-cc's count of errors; cargo makes one of its own. */
static bool
is_summary(const char *title)
{
	size_t digits = strspn(title, "0123456789");

	return digits && (starts_with(title + digits, " error in the ") ||
			  starts_with(title + digits, " errors in the "));
}

static const char *
next_line(const char *at)
{
	at += strcspn(at, "\n");
	return at + (*at == '\n');
}

/* From the message at `at` to the next one, or the end of the text. */
static const char *
message_end(const char *at)
{
	do
		at = next_line(at);
	while (*at && !begins_message(at));
	return at;
}

unsigned
diagnostic_print(struct arena *arena, const struct rustc_call *call,
		 const char *text)
{
	unsigned errors = 0;

	while (*text) {
		const char *level = begins_message(text);
		const char *end = message_end(text);
		const char *title = text + (level ? strlen(level) + 2 : 0);
		const char *rest = next_line(title);

		if (call->json && level && is_summary(title)) {
			text = end;
			continue;
		}
		if (!level && strspn(text, " \n") >= (size_t)(end - text)) {
			text = end;
			continue;
		}
		if (!level)
			level = "error"; /* not in the agreed form: a crash */
		errors += !strcmp(level, "error");
		while (end > rest && end[-1] == '\n' &&
		       (end - 1 == rest || end[-2] == '\n'))
			end--;
		print_one(arena, call, level,
			  arena_dup(arena, title, strcspn(title, "\n")),
			  end > rest
				  ? arena_dup(arena, rest, (size_t)(end - rest))
				  : "");
		text = message_end(text);
	}
	return errors;
}

void
diagnostic_error(struct arena *arena, const struct rustc_call *call,
		 const char *format, ...)
{
	va_list args;
	char text[4096];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	diagnostic_print(arena, call, arena_printf(arena, "error: %s\n", text));
}
