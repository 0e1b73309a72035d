// Timing for the hand-written baselines, the same way as ../src/timing.rs does
// it: batches of launches with one wait after each batch, the median of the
// batches' time per launch. One line per kernel and size on stdout:
//
//     NAME SIZE MICROSECONDS CHECKSUM
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                           \
	do {                                                                  \
		cudaError_t e_ = (call);                                      \
		if (e_ != cudaSuccess) {                                      \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,    \
				cudaGetErrorString(e_));                      \
			exit(1);                                              \
		}                                                             \
	} while (0)

// The inputs of all programs: no zeros, no repetition that a cache could like.
static inline double
input(size_t i)
{
	return 0.5 + (double)((i * 2654435761u) % 1000003u) / 1000003.0;
}

static inline double *
device_copy(const std::vector<double> &host)
{
	double *p;
	CHECK(cudaMalloc(&p, host.size() * sizeof(double)));
	CHECK(cudaMemcpy(p, host.data(), host.size() * sizeof(double),
			 cudaMemcpyHostToDevice));
	return p;
}

static inline std::vector<double>
inputs(size_t n, size_t seed)
{
	std::vector<double> v(n);
	for (size_t i = 0; i < n; i++)
		v[i] = input(i + seed);
	return v;
}

static inline double
checksum(const double *device, size_t n)
{
	std::vector<double> v(n);
	CHECK(cudaMemcpy(v.data(), device, n * sizeof(double),
			 cudaMemcpyDeviceToHost));
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

template <typename Launch>
static double
median_us(int batches, int launches, Launch launch)
{
	std::vector<double> times;
	for (int b = -2; b < batches; b++) { // two to warm up
		auto t0 = std::chrono::steady_clock::now();
		for (int i = 0; i < launches; i++)
			launch();
		CHECK(cudaGetLastError());
		CHECK(cudaDeviceSynchronize());
		std::chrono::duration<double, std::micro> t =
			std::chrono::steady_clock::now() - t0;
		if (b >= 0)
			times.push_back(t.count() / launches);
	}
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}
