// Numbers that came with the launch, into a tensor of their own.
//
// The launcher puts what it takes by reference into pinned memory and copies it to the device without waiting for anything;
// the copies of other tensors start from ordinary memory and wait for the kernels before them.
typedef unsigned int u32;
typedef unsigned long long u64;

// data: how many 32-bit numbers, then the numbers.
extern "C" __global__ void __launch_bounds__(256) upload(u32* out, const u64* data) {
  const u64 count = data[0];
  const u32* numbers = (const u32*)(data + 1);
  for (u64 i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) out[i] = numbers[i];
}
