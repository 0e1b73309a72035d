// What ../src/main.rs measures, in CUDA as one writes it by hand. Prints
// "NAME MICROSECONDS" lines, medians, under the same names.
//
//     data copies [MIB] | pool | resident | rate | fill
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

static const int ROUNDS = 9;

#define CHECK(call)                                                           \
	do {                                                                  \
		cudaError_t e_ = (call);                                      \
		if (e_ != cudaSuccess) {                                      \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,    \
				cudaGetErrorString(e_));                      \
			exit(1);                                              \
		}                                                             \
	} while (0)

static double
now_us()
{
	return std::chrono::duration<double, std::micro>(
		       std::chrono::steady_clock::now().time_since_epoch())
		.count();
}

static double
median_us(const std::function<void()> &work)
{
	std::vector<double> times;

	for (int round = 0; round <= ROUNDS; round++) {
		double start = now_us();

		work();
		if (round > 0)
			times.push_back(now_us() - start);
	}
	std::sort(times.begin(), times.end());
	return times[ROUNDS / 2];
}

static void
report_copy(const char *name, size_t bytes, double time)
{
	printf("%s %.3f\n", name, time);
	fprintf(stderr, "%s: %.2f GB/s\n", name, bytes / time * 1e-3);
}

static void
copies_on()
{
	const int times = 100;

	for (size_t bytes : {256, 8 << 20}) {
		double given = 1e30;
		void *from, *to;
		cudaStream_t stream;

		CHECK(cudaStreamCreateWithFlags(&stream,
						cudaStreamNonBlocking));
		CHECK(cudaMalloc(&from, bytes));
		CHECK(cudaMalloc(&to, bytes));
		printf("copy-on-%zu %.4f\n", bytes, median_us([&] {
			       double start = now_us();

			       for (int i = 0; i < times; i++)
				       CHECK(cudaMemcpyAsync(
					       to, from, bytes,
					       cudaMemcpyDeviceToDevice,
					       stream));
			       given = std::min(given, now_us() - start);
			       CHECK(cudaStreamSynchronize(stream));
		       }) / times);
		fprintf(stderr, "copy-on-%zu: given in %.4f us\n", bytes,
			given / times);
		CHECK(cudaFree(from));
		CHECK(cudaFree(to));
	}
}

static void
copies(size_t bytes)
{
	std::vector<unsigned char> pageable(bytes);
	unsigned char *pinned;
	void *memory;

	for (size_t i = 0; i < bytes; i++)
		pageable[i] = (unsigned char)(i * 31 >> 7);
	CHECK(cudaMalloc(&memory, bytes));
	CHECK(cudaMallocHost(&pinned, bytes));
	memcpy(pinned, pageable.data(), bytes);
	report_copy("copy-pageable-to", bytes, median_us([&] {
			    CHECK(cudaMemcpy(memory, pageable.data(), bytes,
					     cudaMemcpyHostToDevice));
		    }));
	report_copy("copy-pageable-from", bytes, median_us([&] {
			    CHECK(cudaMemcpy(pageable.data(), memory, bytes,
					     cudaMemcpyDeviceToHost));
		    }));
	report_copy("copy-pinned-to", bytes, median_us([&] {
			    CHECK(cudaMemcpy(memory, pinned, bytes,
					     cudaMemcpyHostToDevice));
		    }));
	report_copy("copy-pinned-from", bytes, median_us([&] {
			    CHECK(cudaMemcpy(pinned, memory, bytes,
					     cudaMemcpyDeviceToHost));
		    }));
	copies_on();
	for (size_t small : {256, 65536})
		printf("copy-small-to-%zu %.4f\n", small, median_us([&] {
			       for (int i = 0; i < 1000; i++)
				       CHECK(cudaMemcpy(
					       memory, pageable.data(), small,
					       cudaMemcpyHostToDevice));
		       }) / 1000);
}

static void
pool()
{
	for (size_t bytes : {256, 65536, 1 << 20})
		printf("alloc-free-%zu %.4f\n", bytes, median_us([&] {
			       for (int i = 0; i < 100; i++) {
				       void *memory;

				       CHECK(cudaMalloc(&memory, bytes));
				       CHECK(cudaFree(memory));
			       }
		       }) / 100);
}

__global__ void
axpy(double a, const double *x, double *y, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += a * x[i];
}

static void
resident()
{
	const size_t n = 1 << 20, bytes = n * sizeof(double);
	std::vector<double> x(n, 1.0), y(n, 2.0);
	double time = median_us([&] {
		double *dx, *dy;

		std::fill(y.begin(), y.end(), 2.0);
		CHECK(cudaMalloc(&dx, bytes));
		CHECK(cudaMalloc(&dy, bytes));
		CHECK(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice));
		for (int i = 0; i < 1000; i++)
			axpy<<<(n + 255) / 256, 256>>>(0.5, dx, dy, n);
		CHECK(cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost));
		CHECK(cudaFree(dx));
		CHECK(cudaFree(dy));
	});

	if (y[n - 1] != 502.0)
		exit(1);
	printf("resident-1000 %.3f\n", time);
}

__global__ void
empty(unsigned long long, unsigned long long)
{
}

static void
rate()
{
	const int launches = 20000, threads = 8;
	std::vector<cudaStream_t> streams(threads);

	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamCreateWithFlags(&stream,
						cudaStreamNonBlocking));
	auto one = [&](cudaStream_t stream) {
		for (int i = 0; i < launches; i++)
			empty<<<1, 32, 0, stream>>>(1, 2);
		CHECK(cudaStreamSynchronize(stream));
	};
	printf("launch-1-thread %.4f\n",
	       median_us([&] { one(streams[0]); }) / launches);
	printf("launch-8-threads %.4f\n", median_us([&] {
		       std::vector<std::thread> workers;

		       for (cudaStream_t stream : streams)
			       workers.emplace_back(one, stream);
		       for (std::thread &worker : workers)
			       worker.join();
	       }) / (launches * threads));
}

template <class T>
__global__ void
set_all(T *out, T value, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = value;
}

struct triple {
	float x, y, z;
};

static void
fill(size_t mib)
{
	const size_t bytes = mib << 20, doubles = bytes / sizeof(double),
		     triples = bytes / sizeof(triple);
	const int times = 20;
	void *memory;
	auto report = [&](const char *name, const std::function<void()> &one) {
		double time = median_us([&] {
			for (int i = 0; i < times; i++)
				one();
			CHECK(cudaDeviceSynchronize());
		});

		report_copy((std::string("fill-") + name + "-" +
			     std::to_string(mib))
				    .c_str(),
			    bytes, time / times);
	};

	CHECK(cudaMalloc(&memory, bytes));
	report("zero", [&] { CHECK(cudaMemsetAsync(memory, 0, bytes)); });
	report("value", [&] {
		set_all<<<(doubles + 255) / 256, 256>>>((double *)memory, 1.1,
							doubles);
	});
	report("triple", [&] {
		set_all<<<(triples + 255) / 256, 256>>>(
			(triple *)memory, triple{1, 2, 3}, triples);
	});
	CHECK(cudaFree(memory));
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;

	CHECK(cudaFree(NULL));
	if (!strcmp(mode, "copies"))
		copies(mib << 20);
	else if (!strcmp(mode, "pool"))
		pool();
	else if (!strcmp(mode, "resident"))
		resident();
	else if (!strcmp(mode, "rate"))
		rate();
	else if (!strcmp(mode, "fill"))
		fill(8), fill(256);
	else
		return fprintf(stderr,
			       "data copies [MIB]|pool|resident|rate|fill\n"),
		       2;
	return 0;
}
