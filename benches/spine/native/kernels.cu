// Hand-written CUDA for the kernels of ../src/main.rs: daxpy, a FIR filter of 16
// taps whose coefficients are an argument (constant memory), and the dot products
// of a transport sweep's moments (LTIMES of LLNL's RAJAPerf, same sizes).
#include "timing.cuh"

struct Coefficients {
	double c[16];
};

__global__ void
daxpy(double a, const double *__restrict__ x, double *__restrict__ y, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += a * x[i];
}

__global__ void
fir(Coefficients k, const double *__restrict__ in, double *__restrict__ out,
    size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		double sum = 0;
#pragma unroll
		for (int j = 0; j < 16; j++)
			sum += k.c[j] * in[i + j];
		out[i] = sum;
	}
}

// phi[z][g][m] += sum over d of ell[m][d] * psi[z][g][d]
__global__ void
ltimes(const double *__restrict__ ell, const double *__restrict__ psi,
       double *__restrict__ phi, size_t zones, size_t groups, size_t moments,
       size_t directions)
{
	size_t m = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t g = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
	size_t z = (size_t)blockIdx.z * blockDim.z + threadIdx.z;
	if (m < moments && g < groups && z < zones) {
		double sum = 0;
		for (size_t d = 0; d < directions; d++)
			sum += ell[m * directions + d] *
			       psi[(z * groups + g) * directions + d];
		phi[(z * groups + g) * moments + m] += sum;
	}
}

static unsigned
cover(size_t n, unsigned block)
{
	return (unsigned)((n + block - 1) / block);
}

static void
time_daxpy(size_t n, int launches)
{
	double *x = device_copy(inputs(n, 1)), *y = device_copy(inputs(n, 2));
	auto launch = [&] { daxpy<<<cover(n, 256), 256>>>(1e-3, x, y, n); };
	launch();
	double sum = checksum(y, n);
	double t = median_us(15, launches, launch);
	printf("daxpy %zu %.4f %.12e\n", n, t, sum);
	CHECK(cudaFree(x));
	CHECK(cudaFree(y));
}

static void
time_fir(size_t n, int launches)
{
	Coefficients k;
	for (int j = 0; j < 16; j++)
		k.c[j] = input(j) - 1.0;
	double *in = device_copy(inputs(n + 15, 3));
	double *out = device_copy(inputs(n, 4));
	auto launch = [&] { fir<<<cover(n, 256), 256>>>(k, in, out, n); };
	launch();
	double sum = checksum(out, n);
	double t = median_us(15, launches, launch);
	printf("fir %zu %.4f %.12e\n", n, t, sum);
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
}

static void
time_ltimes(size_t zones, int launches)
{
	const size_t groups = 32, moments = 25, directions = 64;
	size_t n = zones * groups * moments;
	double *ell = device_copy(inputs(moments * directions, 5));
	double *psi = device_copy(inputs(zones * groups * directions, 6));
	double *phi = device_copy(inputs(n, 7));
	dim3 block(32, 8, 1);
	dim3 grid(cover(moments, 32), cover(groups, 8), (unsigned)zones);
	auto launch = [&] {
		ltimes<<<grid, block>>>(ell, psi, phi, zones, groups, moments,
					directions);
	};
	launch();
	double sum = checksum(phi, n);
	double t = median_us(15, launches, launch);
	printf("ltimes %zu %.4f %.12e\n", zones, t, sum);
	CHECK(cudaFree(ell));
	CHECK(cudaFree(psi));
	CHECK(cudaFree(phi));
}

int
main(void)
{
	CHECK(cudaFree(nullptr));
	time_daxpy(1000000, 1000);
	time_daxpy(1 << 26, 20);
	time_fir(1000000, 1000);
	time_fir(1 << 25, 20);
	time_ltimes(488, 100);
	time_ltimes(4096, 20);
	return 0;
}
