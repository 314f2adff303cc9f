// Whether racecheck knows two ways to hand over shared memory that are in order: bar.arrive, and barriers of a part of the block's warps.
//
//   nvcc -gencode=arch=compute_90a,code=sm_90a DEFINITION racecheck.cu -o racecheck
//   compute-sanitizer --tool racecheck ./racecheck
//
// Without a DEFINITION, all warps meet at bar.sync. With -DARRIVE=1, writers use bar.arrive. With -DGROUPS=2, there are two groups of
// consumers. Each has its own barrier.
//
// Eight warps write numbers and meet the consumers, four warps in each group, at a named barrier. The consumers read the numbers, and meet
// the writers at a second barrier before these write the next ones.
#include <cstdio>
#ifndef GROUPS
#define GROUPS 1
#endif
__device__ __forceinline__ void meet(int barrier) { asm volatile("bar.sync %0,%1;" ::"r"(barrier), "n"(384) : "memory"); }
__device__ __forceinline__ void arrive(int barrier) {
#if ARRIVE
  asm volatile("bar.arrive %0,%1;" ::"r"(barrier), "n"(384) : "memory");
#else
  meet(barrier);
#endif
}
#define FULL(group) (1 + (group))
#define EMPTY(group) (5 + (group))

__global__ void hand_over(float* out, int steps) {
  __shared__ float numbers[GROUPS][8][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp < 8) {
    for (int step = 1; step < steps; step++)
      for (int group = 0; group < GROUPS; group++) {
        meet(EMPTY(group));
        numbers[group][warp][lane] = step * 100 + warp;
        arrive(FULL(group));
      }
  } else {
    const int group = (warp - 8) / 4;
    float sum = 0.f;
    for (int step = 0; step < steps; step++) {
      if (step > 0) {
        meet(FULL(group));
        for (int w = 0; w < 8; w++) sum += numbers[group][w][(lane + warp) % 32];
      }
      if (step + 1 < steps) arrive(EMPTY(group));
    }
    out[blockIdx.x * 128 * GROUPS + threadIdx.x - 256] = sum;
  }
}

int main() {
  float* out;
  cudaMalloc(&out, 64 * 128 * GROUPS * sizeof(float));
  hand_over<<<64, 256 + 128 * GROUPS>>>(out, 6);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
