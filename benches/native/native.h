// What the hand-written kernels share: the suite's initial data and checksums,
// device memory, timing, and the table of kernels.
//
// The sources are CUDA and HIP at once: gpu* names stand for cuda* or hip*, and
// nothing is used that only one of them has. A file defines its kernels and one
// NATIVE(...) entry; main.cu runs the entries.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef __HIP__
#include <hip/hip_runtime.h>
// As later HIP headers have it; those of 5.2 call a function of OpenCL's
// library, which newer compilers do not link.
static inline __device__ void
block_barrier()
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define __syncthreads block_barrier
#define GPU(name) hip##name
#define gpuSuccess hipSuccess
#define gpuMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#else
#include <cuda_runtime.h>
#define GPU(name) cuda##name
#define gpuSuccess cudaSuccess
#define gpuMultiProcessorCount cudaDevAttrMultiProcessorCount
#endif

#define CHECK(call)                                                            \
	do {                                                                   \
		GPU(Error_t) e_ = (call);                                      \
		if (e_ != gpuSuccess) {                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,     \
				GPU(GetErrorString)(e_));                      \
			exit(1);                                               \
		}                                                              \
	} while (0)

using Index = long;
// Arrays of a kernel, none of which overlaps another that is written.
typedef double *__restrict__ Out;
typedef const double *__restrict__ In;
using Array = std::vector<double>;

// The suite's data: they depend on how many arrays were made before.
struct Init {
	int count = 0;
	double
	factor()
	{
		return count++ % 2 ? 0.1 : 0.2;
	}
	Array
	data(size_t n)
	{
		double f = factor();
		Array v(n);
		for (size_t i = 0; i < n; i++)
			v[i] = f * (i + 1.1) / (i + 1.12345);
		return v;
	}
	Array
	constant(size_t n, double value)
	{
		count++;
		return Array(n, value);
	}
	double
	scalar()
	{
		return factor() * 1.1 / 1.12345;
	}
	Array
	random(size_t n)
	{
		count++;
		srand(4793);
		Array v(n);
		for (double &x : v)
			x = (double)rand() / RAND_MAX;
		return v;
	}
	Array
	with_signs(size_t n)
	{
		double f = factor();
		srand(4793);
		Array v(n);
		for (size_t i = 0; i < n; i++) {
			double s = (double)rand() / RAND_MAX;
			v[i] = (s < 0.5 ? -1.0 : 1.0) * f * (i + 1.1) /
			       (i + 1.12345);
		}
		return v;
	}
	std::vector<int>
	ints(size_t n)
	{
		count++;
		srand(4793);
		std::vector<int> v(n);
		for (int &x : v)
			x = (double)rand() / RAND_MAX < 0.5 ? -1 : 1;
		for (int extreme : {-58, 19}) {
			size_t at = (size_t)(n * ((double)rand() / RAND_MAX));
			v[at < n ? at : n - 1] = extreme;
		}
		return v;
	}
};

// Memory of the device, holding a copy of a vector.
template <typename T> struct Memory {
	T *p = nullptr;
	size_t n;
	explicit Memory(size_t n) : n(n)
	{
		CHECK(GPU(Malloc)((void **)&p, (n ? n : 1) * sizeof(T)));
	}
	explicit Memory(const std::vector<T> &v) : Memory(v.size())
	{
		CHECK(GPU(Memcpy)(p, v.data(), n * sizeof(T),
				  GPU(MemcpyHostToDevice)));
	}
	Memory(const Memory &) = delete;
	~Memory()
	{
		CHECK(GPU(Free)(p));
	}
	std::vector<T>
	host() const
	{
		std::vector<T> v(n);
		CHECK(GPU(Memcpy)(v.data(), p, n * sizeof(T),
				  GPU(MemcpyDeviceToHost)));
		return v;
	}
	operator T *() const
	{
		return p;
	}
};
using Buffer = Memory<double>;

// Page-locked memory of the host, for results that are read in each repetition.
template <typename T> struct Pinned {
	T *p = nullptr;
	explicit Pinned(size_t n)
	{
#ifdef __HIP__
		CHECK(hipHostMalloc((void **)&p, n * sizeof(T), 0));
#else
		CHECK(cudaMallocHost((void **)&p, n * sizeof(T)));
#endif
	}
	Pinned(const Pinned &) = delete;
	~Pinned()
	{
#ifdef __HIP__
		CHECK(hipHostFree(p));
#else
		CHECK(cudaFreeHost(p));
#endif
	}
	operator T *() const
	{
		return p;
	}
};

// One run of a kernel.
struct Run {
	Index target; // size asked for
	Index size;   // and the one in fact run
	long reps;
	double scale; // default size / size: the checksum scale's variable part
	unsigned units; // multiprocessors
	bool counts;	// whether its checksum is wanted
	Init init;
	double seconds = 0;
	long double checksum = 0;

	// Times the repetitions, synchronised at both ends.
	template <typename Body>
	void
	time(Body body)
	{
		CHECK(GPU(DeviceSynchronize)());
		auto start = std::chrono::steady_clock::now();
		for (long i = 0; i < reps; i++) {
			body();
			CHECK(GPU(GetLastError)());
		}
		CHECK(GPU(DeviceSynchronize)());
		std::chrono::duration<double> t =
			std::chrono::steady_clock::now() - start;
		seconds += t.count();
	}

	// Reads n values back within a repetition.
	template <typename T>
	void
	read(T *host, const T *device, size_t n)
	{
		CHECK(GPU(MemcpyAsync)(host, device, n * sizeof(T),
				       GPU(MemcpyDeviceToHost), 0));
		CHECK(GPU(StreamSynchronize)(0));
	}

	// Blocks for a loop over n that strides: as many as fit at once.
	template <typename Kernel>
	unsigned
	few_blocks(Kernel kernel, Index n, unsigned block)
	{
		int per_unit = 0;
		CHECK(GPU(OccupancyMaxActiveBlocksPerMultiprocessor)(
			&per_unit, kernel, block, 0));
		Index most = (Index)per_unit * units;
		Index all = (n + block - 1) / block;
		return (unsigned)(all < most ? all : most);
	}

	template <typename T>
	void
	sum(const T *v, Index n, double factor = 1.0)
	{
		if (!counts)
			return;
		long double total = 0, lost = 0;
		for (Index j = 0; j < n; j++) {
			long double x = (std::abs(std::sin(j + 1.0)) + 0.5) *
					(long double)v[j];
			long double y = x - lost;
			volatile long double t = total + y;
			volatile long double z = t - total;
			lost = z - y;
			total = t;
		}
		checksum += total * factor;
	}
	void
	sum(const Buffer &b, double factor = 1.0)
	{
		if (!counts)
			return;
		Array v = b.host();
		sum(v.data(), (Index)v.size(), factor);
	}
};

// What a repetition costs.
struct Shape {
	Index size;
	int kernels;
	double bytes, flops;
};

struct Kernel {
	const char *name; // with its group
	Index size;
	long reps;
	const char *tuning;
	Shape (*shape)(Index target);
	void (*run)(Run &);
	Kernel *next;
	static Kernel *&
	all()
	{
		static Kernel *first;
		return first;
	}
	Kernel(const char *name, Index size, long reps, const char *tuning,
	       Shape (*shape)(Index), void (*run)(Run &))
	    : name(name), size(size), reps(reps), tuning(tuning), shape(shape),
	      run(run), next(all())
	{
		all() = this;
	}
};

#define NATIVE_(line, ...) static Kernel native_##line(__VA_ARGS__)
#define NATIVE__(line, ...) NATIVE_(line, __VA_ARGS__)
// NATIVE("Stream_ADD", 1000000, 1000, "block_256", shape, run);
#define NATIVE(...) NATIVE__(__LINE__, __VA_ARGS__)

static inline unsigned
cover(Index n, unsigned block)
{
	return (unsigned)((n + block - 1) / block);
}

static inline Index
square_side(Index n)
{
	return (Index)(std::sqrt((double)n) + std::sqrt(2.0) - 1);
}

static inline Index
cube_side(Index n)
{
	return (Index)(std::cbrt((double)n) + std::cbrt(3.0) - 1);
}
