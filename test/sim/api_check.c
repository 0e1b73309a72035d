/*
 * SMELT_SIM_CHECK: what must be found, and what must not.
 */
#include "api.h"

void
test_checks(void)
{
	static const struct {
		const char *kernel;
		bool found;
	} cases[] = {
		{"race_lds.kd", true},	  {"sound_lds.kd", false},
		{"race_global.kd", true}, {"init_lds.kd", true},
		{"init_global.kd", true}, {"bounds.kd", true},
	};
	hsa_amd_register_system_event_handler(on_event, &current);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct run run;
		void *out;
		char name[64];
		open_run(&run);
		hsa_amd_memory_pool_allocate(device_pool, 4096 * 4 - 64, 0,
					     &out);
		memcpy(run.args, &out, 8);
		struct hsa_dispatch_packet packet =
			packet_of(&run, cases[k].kernel, 512, 256);
		packet.group_segment_size = 1024;
		submit(&run, &packet);
		snprintf(name, sizeof(name), "check: %s %s", cases[k].kernel,
			 cases[k].found ? "is found out" : "is let pass");
		verdict(name, run.error == (cases[k].found
						    ? HSA_STATUS_ERROR_EXCEPTION
						    : HSA_STATUS_SUCCESS));
		close_run(&run);
		hsa_amd_memory_pool_free(out);
	}
}

static bool
has_kernel(const char *kernel)
{
	struct run run;
	hsa_executable_symbol_t symbol;
	open_run(&run);
	hsa_status_t status = hsa_executable_get_symbol_by_name(
		run.executable, kernel, &gpu, &symbol);
	close_run(&run);
	return status == HSA_STATUS_SUCCESS;
}

/* Runs it on a word for each work-item, with what is said on stderr in text. */
static hsa_status_t
run_heard(const char *kernel, char *text, size_t size)
{
	struct run run;
	uint32_t *out;
	FILE *heard = tmpfile();
	int saved = dup(2);
	open_run(&run);
	hsa_amd_memory_pool_allocate(device_pool, 4096, 0, (void **)&out);
	hsa_amd_memory_fill(out, 7, 1024);
	memcpy(run.args, &out, 8);
	struct hsa_dispatch_packet packet = packet_of(&run, kernel, 64, 64);
	packet.group_segment_size = 1024;
	dup2(fileno(heard), 2);
	submit(&run, &packet);
	dup2(saved, 2);
	close(saved);
	rewind(heard);
	text[fread(text, 1, size - 1, heard)] = 0;
	fclose(heard);
	close_run(&run);
	hsa_amd_memory_pool_free(out);
	return run.error;
}

/* The kernel that a line of the source makes: PLANT(name, or SOUND(name,. */
static void
test_undef_line(const char *source, int line, const char *at)
{
	char name[64], kernel[72], place[96], text[2048];
	bool plant = at[0] == 'P';
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 6, ","), at + 6);
	snprintf(kernel, sizeof(kernel), "%s.kd", name);
	if (strncmp(name, "gfx9_", 5) == 0 && !has_kernel(kernel))
		return;
	hsa_status_t error = run_heard(kernel, text, sizeof(text));
	snprintf(place, sizeof(place), "%s:%d", source, line);
	bool ok = error == HSA_STATUS_SUCCESS;
	if (plant)
		ok = error == HSA_STATUS_ERROR_EXCEPTION &&
		     strstr(text, "is uninitialised") && strstr(text, place);
	if (!ok)
		printf("  0x%x at %s: %s\n", error, place, text);
	snprintf(text, sizeof(text), "init: %s is %s", name,
		 plant ? "found out" : "let pass");
	verdict(text, ok);
}

void
test_undef(const char *source)
{
	char line[1024];
	FILE *in = fopen(source, "r");
	hsa_amd_register_system_event_handler(on_event, &current);
	for (int number = 1; in && fgets(line, sizeof(line), in); number++) {
		const char *plant = strstr(line, "PLANT("),
			   *sound = strstr(line, "SOUND(");
		if (plant || sound)
			test_undef_line(source, number, plant ? plant : sound);
	}
	if (in)
		fclose(in);
	else
		verdict(source, false);
}
