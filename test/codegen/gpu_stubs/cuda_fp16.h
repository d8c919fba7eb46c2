// The conversions of CUDA's header of this name.
struct __half {
  unsigned short bits;
};
__device__ __half __ushort_as_half(unsigned short bits);
__device__ unsigned short __half_as_ushort(__half value);
__device__ float __half2float(__half value);
__device__ __half __float2half_rn(float value);
