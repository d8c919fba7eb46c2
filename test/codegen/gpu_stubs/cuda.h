// What CUDA's own headers define and clang needs to compile kernels without them.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct uint3 {
  unsigned x, y, z;
};
extern __device__ const uint3 threadIdx, blockIdx, blockDim, gridDim;

struct __align__(16) float4 {
  float x, y, z, w;
};
struct __align__(16) int4 {
  int x, y, z, w;
};
struct __align__(4) char4 {
  char x, y, z, w;
};
struct __align__(8) short4 {
  short x, y, z, w;
};
struct __align__(8) float2 {
  float x, y;
};
struct __align__(8) int2 {
  int x, y;
};
struct __align__(2) char2 {
  char x, y;
};
struct __align__(4) short2 {
  short x, y;
};
__device__ float sqrtf(float value);
__device__ bool isnan(float value);
__device__ bool signbit(float value);
__device__ float __int_as_float(int bits);
__device__ float4 make_float4(float x, float y, float z, float w);
__device__ float2 make_float2(float x, float y);
__device__ int2 make_int2(int x, int y);
__device__ char2 make_char2(char x, char y);
__device__ short2 make_short2(short x, short y);
__device__ int __float_as_int(float value);
__device__ int4 make_int4(int x, int y, int z, int w);
__device__ char4 make_char4(char x, char y, char z, char w);
__device__ short4 make_short4(short x, short y, short z, short w);

extern "C" {
__device__ void __syncthreads();
__device__ float expf(float x);
__device__ float erff(float x);
}
__device__ float __shfl_xor_sync(unsigned mask, float value, int offset, int width);
