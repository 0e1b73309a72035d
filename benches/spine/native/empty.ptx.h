/* An empty kernel that takes a 32-byte block, for launch.c. PTX text, so that
 * any GPU since sm_75 takes it. */
static const char empty_ptx[] =
	".version 6.4\n"
	".target sm_75\n"
	".address_size 64\n"
	".visible .entry empty(.param .align 8 .b8 block[32])\n"
	"{\n"
	"\tret;\n"
	"}\n";
