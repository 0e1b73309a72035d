// Runs the hand-written kernels and prints a line of CSV for each pass's
// median, in the columns of rajaperf's RAJAPerf-runs.csv, so that `rajaperf
// --compare FILE` takes the output as it is.
//
//     native [-k NAME...] [-t TUNING] [--size N] [--sizefact X] [--reps N] [--repfact X]
//            [--npasses N] [--seconds X] [--list]
//
// After X seconds of a kernel no further pass of it begins.
#include "native.h"
#include <algorithm>
#include <cstring>
#include <string>

#ifdef __HIP__
static const char *const variant = "Native_HIP";
#else
static const char *const variant = "Native_CUDA";
#endif

struct Options {
	std::vector<std::string> names;
	std::string tuning; // the only one that runs, if not empty
	Index size = 0;
	double size_factor = 1, rep_factor = 1, seconds = INFINITY;
	long reps = 0;
	int passes = 1;
};

static void
usage(const char *what)
{
	fprintf(stderr,
		"native: %s\nusage: native [-k NAME...] [-t TUNING] "
		"[--size N] [--sizefact X] [--reps N] [--repfact X] [--npasses N] "
		"[--seconds X] [--list]\n",
		what);
	exit(2);
}

// A positive number, or the end of the program.
static double
number(const char *text)
{
	char *end;
	double x = text ? strtod(text, &end) : 0;
	if (!text || *end || !(x > 0))
		usage("an option needs a positive number");
	return x;
}

static Options
parse(int argc, char **argv)
{
	Options o;
	for (int i = 1; i < argc; i++) {
		std::string a = argv[i];
		const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
		if (a == "-k" || a == "--kernels") {
			while (i + 1 < argc && argv[i + 1][0] != '-')
				o.names.push_back(argv[++i]);
		} else if (a == "--list") {
			for (Kernel *k = Kernel::all(); k; k = k->next)
				printf("%s %s\n", k->name, k->tuning);
			exit(0);
		} else if (a == "-t" && value) {
			o.tuning = value, i++;
		} else if (a == "--size") {
			o.size = (Index)number(value), i++;
		} else if (a == "--sizefact") {
			o.size_factor = number(value), i++;
		} else if (a == "--reps" || a == "--checkrun") {
			o.reps = (long)number(value), i++;
		} else if (a == "--repfact") {
			o.rep_factor = number(value), i++;
		} else if (a == "--seconds") {
			o.seconds = number(value), i++;
		} else if (a == "--npasses") {
			o.passes = (int)number(value), i++;
		} else {
			usage(("unknown option " + a).c_str());
		}
	}
	return o;
}

// A name is that of the kernel or its group, with or without the group before
// it.
static bool
chosen(const Options &o, const Kernel &k)
{
	const char *bare = strchr(k.name, '_') + 1;
	std::string group(k.name, bare - 1);
	if (!o.tuning.empty() && o.tuning != k.tuning)
		return false;
	if (o.names.empty())
		return true;
	for (const std::string &n : o.names)
		if (n == k.name || n == bare || n == group)
			return true;
	return false;
}

static void
run_kernel(const Options &o, const Kernel &k, unsigned units)
{
	Index target = o.size ? o.size : (Index)(k.size * o.size_factor);
	long reps = o.reps ? o.reps : (long)(k.reps * o.rep_factor);
	target = std::max<Index>(target, 1), reps = std::max(reps, 1L);
	Shape s = k.shape(target);
	std::vector<double> us;
	long double checksum = 0;
	auto start = std::chrono::steady_clock::now();
	for (int pass = -1; pass < o.passes; pass++) {
		std::chrono::duration<double> past =
			std::chrono::steady_clock::now() - start;
		if (!us.empty() && past.count() > o.seconds)
			break;
		// The first warms up, and is not counted.
		Run run{};
		run.target = target, run.size = s.size;
		run.reps = pass < 0 ? std::min(reps, 5L) : reps;
		run.scale = (double)k.size / s.size;
		run.units = units;
		run.counts = pass >= 0;
		k.run(run);
		if (pass < 0)
			continue;
		us.push_back(run.seconds * 1e6 / reps);
		checksum += run.checksum;
	}
	std::sort(us.begin(), us.end());
	double t = us[us.size() / 2];
	printf("%s,%ld,%ld,%d,%.0f,%.0f,%s,%s,%.4f,%.4f,%.4f,%.17Lg,%.4f,%."
	       "4f\n",
	       k.name, (long)s.size, reps, s.kernels, s.bytes, s.flops, variant,
	       k.tuning, t, s.bytes / t / 1e3, s.flops / t / 1e3, checksum,
	       us.front(), us.back());
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	Options o = parse(argc, argv);
	int device = 0, units = 0;
	CHECK(GPU(GetDevice)(&device));
	CHECK(GPU(DeviceGetAttribute)(&units, gpuMultiProcessorCount, device));
	std::vector<Kernel *> kernels;
	for (Kernel *k = Kernel::all(); k; k = k->next)
		if (chosen(o, *k))
			kernels.push_back(k);
	if (kernels.empty())
		usage("no kernel has that name");
	std::sort(kernels.begin(), kernels.end(), [](Kernel *a, Kernel *b) {
		return strcmp(a->name, b->name) < 0;
	});
	printf("kernel,size,reps,kernels_per_rep,bytes_per_rep,flops_per_rep,"
	       "variant,tuning,us_per_rep,gb_per_s,gflop_per_s,checksum,us_min,"
	       "us_max\n");
	for (Kernel *k : kernels)
		run_kernel(o, *k, (unsigned)units);
	return 0;
}
