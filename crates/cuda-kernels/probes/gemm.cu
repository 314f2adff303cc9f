// Times the GEMM kernel that is in use at the shapes of a training step, without the rest of the project.
//
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -include SOURCE gemm.cu -o gemm
//   ./gemm ROWS…      frames of all utterances
//
// SOURCE is a `product-f16-*.cu` that `cargo run --example sources -- DIR` writes. Prints the median time of ten launches and TFLOP/s of
// every shape whose operands have this order, after comparing some results with float64.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_fp16.h>
#include <vector>

#define CHECK(call)                                                                                  \
  do {                                                                                               \
    auto error = (call);                                                                             \
    if (error) printf("line %d: error %d\n", __LINE__, (int)error), exit(1);                         \
  } while (0)

__global__ void fill(__half* values, size_t count, u32 seed) {
  for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < count; i += gridDim.x * 256ull) {
    u32 x = (u32)i * 2654435761u + seed;
    x ^= x >> 15, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u, x ^= x >> 16;
    values[i] = __float2half((x >> 8) / 8388608.f - 1.f);
  }
}

struct Operand {
  __half* values;
  TensorMap map;
  bool other;
  size_t pitch;
  double at(const std::vector<__half>& host, size_t k, size_t row) const { return __half2float(other ? host[k * pitch + row] : host[row * pitch + k]); }
  std::vector<__half> host;
};

static Operand operand(bool other, size_t rows, size_t k, u32 seed) {
  Operand o{};
  o.other = other;
  const size_t wide = other ? rows : k, high = other ? k : rows;
  o.pitch = (wide + 7) / 8 * 8;
  CHECK(cudaMalloc(&o.values, o.pitch * high * 2));
  fill<<<1024, 256>>>(o.values, o.pitch * high, seed);
  const cuuint64_t size[] = {wide, high}, stride[] = {o.pitch * 2};
  const cuuint32_t box[] = {64, other ? 64u : 128u}, step[] = {1, 1};
  // So that nothing needs to be linked with the driver.
  void* encode;
  cudaDriverEntryPointQueryResult result;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &result));
  CHECK(((decltype(&cuTensorMapEncodeTiled))encode)((CUtensorMap*)&o.map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, o.values, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  o.host.resize(o.pitch * high);
  CHECK(cudaMemcpy(o.host.data(), o.values, o.host.size() * 2, cudaMemcpyDeviceToHost));
  return o;
}

static void time_shape(const char* name, size_t m, size_t n, size_t k, int pairs) {
  const Operand a = operand(A_MN, m, k, 1), b = operand(B_MN, n, k, 2);
  const int tiles = (int)((m + 255) / 256 * ((n + 255) / 256)), most = std::min<int>(16, ((int)(k + 63) / 64 + 7) / 8);
  const int splits = std::max(1, std::min(pairs / tiles, std::max(1, most)));
  float *c, *one;
  u32* peak;
  CHECK(cudaMalloc(&c, m * n * splits * 4));
  CHECK(cudaMalloc(&one, 4));
  CHECK(cudaMalloc(&peak, 4));
  const float value = 1.f;
  CHECK(cudaMemcpy(one, &value, 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(c, 255, m * n * splits * 4));
  const Plan plan{splits, (int)m, (int)n, (int)k, 1};
  const int shared = 1024 + STAGES * STAGE_BYTES + 128;
  CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 12; i++) {
    CHECK(cudaEventRecord(begin));
    product<<<2 * pairs, 384, shared>>>(a.map, b.map, a.values, b.values, c, one, one, one, peak, plan);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i > 1) times.push_back(ms);
  }
  double error = 0, size = 0;
  for (size_t i = 0; i < 64; i++) {
    const size_t row = i * 7919 % m, column = i * 104729 % n;
    double expected = 0, found = 0;
    for (size_t x = 0; x < k; x++) expected += a.at(a.host, x, row) * b.at(b.host, x, column);
    for (int s = 0; s < splits; s++) {
      float part;
      CHECK(cudaMemcpy(&part, c + ((size_t)s * m + row) * n + column, 4, cudaMemcpyDeviceToHost));
      found += part;
    }
    error += (found - expected) * (found - expected), size += expected * expected;
  }
  std::sort(times.begin(), times.end());
  const double ms = times[times.size() / 2];
  printf("%-28s %6zu x %5zu x %6zu: %7.1f us, %5.0f TFLOP/s, error %.1e%s\n", name, m, n, k, ms * 1e3, 2e-9 * m * n * k / ms, std::sqrt(error / size), error < 1e-8 * size ? "" : " WRONG");
  CHECK(cudaFree(a.values));
  CHECK(cudaFree(b.values));
  CHECK(cudaFree(c));
}

int main(int argc, char** argv) {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const int pairs = device.multiProcessorCount / 2;
  for (int i = 1; i < argc; i++) {
    const size_t rows = atoi(argv[i]);
    if (!A_MN && !B_MN) time_shape("projections", rows, 4096, 1024, pairs), time_shape("scores", rows, 1500, 1024, pairs), time_shape("first projections", rows, 4096, 16, pairs);
    if (!A_MN && B_MN) time_shape("input gradients", rows, 1024, 4096, pairs), time_shape("gradients below scores", rows, 1024, 1500, pairs);
    if (A_MN && B_MN) time_shape("input weights", 4096, 1024, rows, pairs), time_shape("recurrent weights", 2048, 512, rows, pairs), time_shape("output weights", 1500, 1024, rows, pairs);
  }
}
