// Times the recurrence kernels that are in use, without the rest of the project, so that variants can be compared in seconds.
//
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -I../kernels -DBACKWARD=0 DEFINITIONS recurrence.cu -o forward
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -I../kernels -DBACKWARD=1 DEFINITIONS recurrence.cu -o backward
//
// DEFINITIONS are the first lines of a source that `cargo run --example sources -- DIR` writes, as -D options. They fix the hidden size
// and the number of tiles. Add -DWARPGROUPS=1 if the source has the warpgroups' multiplication, and -DRACECHECK for racecheck (racecheck.cu).
//
//   ./forward FRAMES UTTERANCES RAGGED [FILE]     RAGGED: 1 for utterances of different lengths
//
// Prints the median time of a step, a digest of the results' bits (which two runs must share) and their sum of squares (with FACTOR,
// meaningless). Writes the gates, or their gradients, to FILE, so that variants can be compared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "exchange.cuh"
#include "results.cuh"
#include "rows.cuh"
#include "gates.cuh"
#include "multiply.cuh"
#if BACKWARD
#include "team.cuh"
#include "publish_gradients.cuh"
#include "backward_warps.cuh"
#include "backward.cu"
#else
#if WARPGROUPS
#include "forward_warpgroups.cuh"
#else
#include "forward_warps.cuh"
#endif
#include "forward.cu"
#endif

#define CHECK(call)                                                   \
  do {                                                                \
    cudaError_t error = (call);                                       \
    if (error) printf("%s: %s\n", #call, cudaGetErrorString(error)), exit(1); \
  } while (0)
#if BACKWARD
static_assert(sizeof(Gate) == 4 || FACTOR, "gradients of f16 gates must be factors");
#endif
#if BACKWARD && CLUSTER
#define MORE_SHARED sizeof(Team)
#elif WARPGROUPS
#define MORE_SHARED (TILES * VECTOR_BYTES)
#else
#define MORE_SHARED 0
#endif
#ifndef DIRECTIONS
#define DIRECTIONS 2
#endif

__device__ u32 mixed(u32 x) {
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u;
  return x ^ x >> 16;
}
__device__ void put(float* to, float x) { *to = x; }
__device__ void put(unsigned short* to, float x) { *to = (unsigned short)pack_f16(x, x); }
template <class T>
__global__ void fill(T* values, size_t count, float low, float high, u32 seed) {
  for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < count; i += gridDim.x * 256ull)
    put(values + i, low + (high - low) * (mixed((u32)i * 2654435761u + seed) >> 8) / 16777216.f);
}
// Does not depend on the order of the threads, apart from the last bits of the squares.
__global__ void digest(const float* values, size_t count, unsigned long long* bits, double* squares) {
  unsigned long long own = 0;
  double sum = 0;
  for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < count; i += gridDim.x * 256ull) {
    own += (unsigned long long)mixed(__float_as_uint(values[i]) + mixed((u32)i)) * (i + 1);
    sum += (double)values[i] * values[i];
  }
  atomicAdd(bits, own);
  atomicAdd(squares, sum);
}
template <class T = float>
static T* filled(size_t count, float low, float high) {
  static u32 seed = 1;
  T* p;
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  fill<<<1024, 256>>>(p, count, low, high, seed += 7919);
  return p;
}

int main(int argc, char** argv) {
  if (argc < 4) return printf("usage: %s FRAMES UTTERANCES RAGGED [FILE]\n", argv[0]), 2;
  const int frames = atoi(argv[1]), utterances = atoi(argv[2]), ragged = atoi(argv[3]), tiles = (utterances + ROWS - 1) / ROWS;
  const size_t rows = (size_t)frames * utterances;
  std::vector<int> numbers = {frames, utterances};
  for (int b = 0; b < utterances; b++) numbers.push_back(ragged ? frames - b * 7 % (frames / 2) : frames);
  numbers.push_back(utterances);
  for (int b = 0; b < utterances; b++) numbers.push_back(b);
  for (int b = 0; b < utterances; b++) numbers.push_back(frames);
  int* batch;
  CHECK(cudaMalloc(&batch, numbers.size() * 4));
  CHECK(cudaMemcpy(batch, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
  const float low = BACKWARD ? 0.02f : -1.f, high = BACKWARD ? 0.98f : 1.f;
  Gate *inputs = filled<Gate>(rows * 8 * H, low, high), *gates = filled<Gate>(rows * 8 * H, 0, 0);
  float* cells = filled(rows * 2 * H, -1, 1);
  float *states = filled(rows * 2 * H, -1e-4f, 1e-4f), *weights = filled((size_t)8 * H * H, -0.044f, 0.044f), *bias = filled(8 * H, -0.04f, 0.04f);
#if BACKWARD
  const size_t words = (size_t)4 * (ALL_GROUPS * GROUP_WORDS + (SPLIT > 1 ? H * ROWS * SPLIT : 0)) * tiles + 1;
  float* bias_sums = filled((size_t)SETS * CELL_GROUPS * SLICES * 8 * H, 0, 0);
  const u32* magnitude = (const u32*)filled(1, 1e-4f, 1e-4f);
  auto kernel = blstm_backward;
#else
  const size_t words = (size_t)4 * ALL_GROUPS * GROUP_WORDS * tiles;
  auto kernel = blstm_forward;
#endif
  // What is read instead of the gates: results of 16 bits are two to a word.
  Result* results = FACTOR ? (Result*)filled(rows * 8 * H / 2, 0, 0) : (BACKWARD ? (Result*)gates : (Result*)states);
  float* inverse = filled(1, 0, 0);
  u32* exchange;
  unsigned long long *sums, found[2] = {};
  double squares;
  CHECK(cudaMalloc(&exchange, words * 4));
  CHECK(cudaMalloc(&sums, 16));
  const int shared = 4 * (TILES * PART_FLOATS + WEIGHT_SMEM_WORDS) + MORE_SHARED;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  // Gates, or their gradients.
  const bool is_factor = BACKWARD && FACTOR;
  const float* digested = is_factor ? (const float*)results : (const float*)gates;
  const size_t digests = rows * 8 * H * (is_factor ? 2 : sizeof(Gate)) / 4;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 9; i++) {
    CHECK(cudaMemcpy(gates, inputs, rows * 8 * H * sizeof(Gate), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(exchange, 0, words * 4));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
#if BACKWARD
    const dim3 grid(H / UNITS, DIRECTIONS, SETS);
    kernel<<<grid, THREADS, shared>>>(gates, cells, states, weights, batch, results, exchange, exchange + words - 1, bias_sums, magnitude, inverse, Attempt{0, 0});
    // Ends at once.
    if (FACTOR && FORMAT == F16)
      kernel<<<grid, THREADS, shared>>>(gates, cells, states, weights, batch, results, exchange, exchange + words - 1, bias_sums, magnitude, inverse, Attempt{1, 0});
#else
    kernel<<<dim3(H / UNITS, DIRECTIONS, SETS), THREADS, shared>>>(gates, bias, bias, weights, batch, results, cells, exchange, inverse);
#endif
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
    if (i > 1) continue;
    CHECK(cudaMemset(sums, 0, 16));
    digest<<<1024, 256>>>(digested, digests, sums, (double*)(sums + 1));
    CHECK(cudaMemcpy(&found[i], sums, 8, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&squares, sums + 1, 8, cudaMemcpyDeviceToHost));
  }
  if (argc > 4) {
    std::vector<float> copy(digests);
    CHECK(cudaMemcpy(copy.data(), digested, copy.size() * 4, cudaMemcpyDeviceToHost));
    FILE* file = fopen(argv[4], "wb");
    if (!file || fwrite(copy.data(), 4, copy.size(), file) != copy.size() || fclose(file)) return perror(argv[4]), 1;
  }
  std::sort(times.begin(), times.end());
  printf("T=%d B=%d%s: %.3f us per step, digest %016llx%s, squares %.8g\n", frames, utterances, ragged ? " ragged" : "",
         1e3 * times[times.size() / 2] / frames, found[0], found[0] == found[1] ? "" : " (a repeat differs)", squares);
  return found[0] == found[1] ? 0 : 1;
}
