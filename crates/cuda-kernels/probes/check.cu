// Checks and times the recurrences on clusters: against float64 on the host for a few steps, twice for equal bits, and with padding.
//
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -DPASS=1 -DREG_STEPS=12 check.cu -o backward
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -DPASS=0 -DREG_STEPS=22 check.cu -o forward
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -DPASS=2 -DTILES=1 check.cu -o sliced
//
// TILES is 1 to 4.
//
//   ./backward FRAMES UTTERANCES FULL        FULL: 1 if all utterances have all frames
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifndef FORMAT
#define FORMAT 2
#endif
#ifndef H
#define H 512
#endif
#define UNITS ((H + 7) / 8)
#if PASS == 2
#include "sliced_backward.cu"
#define ROWS TILE_ROWS
#else
#include "cluster.cuh"
#if PASS
#include "cluster_backward.cu"
#else
#include "cluster_forward.cu"
#endif
#endif

#define CHECK(call)                                                   \
  do {                                                                \
    cudaError_t error = (call);                                       \
    if (error) printf("%s: %s\n", #call, cudaGetErrorString(error)), exit(1); \
  } while (0)

typedef std::vector<float> Floats;
static float random_value() { return (rand() % 20001 - 10000) / 10000.f; }
static Floats random_values(size_t count, float scale) {
  Floats values(count);
  for (auto& value : values) value = random_value() * scale;
  return values;
}
static float* on_device(const Floats& values) {
  float* p;
  CHECK(cudaMalloc(&p, values.size() * 4));
  CHECK(cudaMemcpy(p, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
  return p;
}
static Floats on_host(const float* p, size_t count) {
  Floats values(count);
  CHECK(cudaMemcpy(values.data(), p, count * 4, cudaMemcpyDeviceToHost));
  return values;
}
[[maybe_unused]] static double logistic(double x) { return 1 / (1 + exp(-x)); }

int main(int argc, char** argv) {
  const int T = argc > 1 ? atoi(argv[1]) : 700, B = argc > 2 ? atoi(argv[2]) : 16, full = argc > 3 ? atoi(argv[3]) : 1;
  [[maybe_unused]] const int groups = (B + ROWS - 1) / ROWS;
  const int steps = std::min(T, 3);
  const size_t wide = (size_t)T * B * 8 * H, narrow = (size_t)T * B * 2 * H;
  srand(1);
  std::vector<int> batch(2 + B);
  batch[0] = T, batch[1] = B;
  for (int b = 0; b < B; b++) batch[2 + b] = full ? T : std::max(1, T - (b * 37) % T);
  int* d_batch;
  CHECK(cudaMalloc(&d_batch, batch.size() * 4));
  CHECK(cudaMemcpy(d_batch, batch.data(), batch.size() * 4, cudaMemcpyHostToDevice));
  const Floats W = random_values((size_t)8 * H * H, 0.044f);
  float* d_W = on_device(W);
#if PASS
  Floats in = random_values(wide, 1.f);
  // Activated gates: between 0 and 1, the third between -1 and 1.
  for (size_t i = 0; i < wide; i++) in[i] = (i % (4 * H)) / H == 2 ? in[i] * 0.8f : 0.5f + 0.45f * in[i];
  const Floats cells = random_values(narrow, 1.f), gradient = random_values(narrow, 1e-5f);
  float *d_cells = on_device(cells), *d_gradient = on_device(gradient);
  u32* d_peak;
  CHECK(cudaMalloc(&d_peak, 4));
  CHECK(cudaMemset(d_peak, 0, 4));
#if PASS == 2
  const size_t exchange_bytes = (size_t)4 * 2 * 2 * groups * (H / 16) * SOURCES * BLOCK_WORDS;
  u32* d_exchange;
  CHECK(cudaMalloc(&d_exchange, exchange_bytes));
  auto kernel = blstm_backward_sliced;
#else
  auto kernel = blstm_backward_cluster;
#endif
#else
  const Floats in = random_values(wide, 1.f), bias = random_values(8 * H, 0.1f);
  float *d_bias = on_device(bias), *d_cells = on_device(Floats(narrow)), *d_out = on_device(Floats(narrow));
  auto kernel = blstm_forward_cluster;
#endif
  float *d_start = on_device(in), *d_gates = on_device(in);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(Shared)));
  auto run = [&] {
    CHECK(cudaMemcpy(d_gates, d_start, wide * 4, cudaMemcpyDeviceToDevice));
#if PASS == 2
    CHECK(cudaMemset(d_exchange, 0, exchange_bytes));
#endif
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
#if PASS == 2
    kernel<<<dim3(H / 16, 2), THREADS, sizeof(Shared)>>>(d_gates, d_cells, d_gradient, d_W, d_batch, d_exchange, d_peak);
#elif PASS
    kernel<<<dim3(RANKS, 2, groups), THREADS, sizeof(Shared)>>>(d_gates, d_cells, d_gradient, d_W, d_batch, d_peak);
#else
    kernel<<<dim3(RANKS, 2, groups), THREADS, sizeof(Shared)>>>(d_gates, d_bias, d_W, d_batch, d_out, d_cells);
#endif
    cudaEventRecord(end);
    CHECK(cudaEventSynchronize(end));
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    return ms;
  };
  run();
  const Floats gates = on_host(d_gates, wide);
#if !PASS
  const Floats out = on_host(d_out, narrow);
#endif
  run();
  const Floats again = on_host(d_gates, wide);
  size_t different = 0, padding = 0;
  for (size_t i = 0; i < wide; i++) different += gates[i] != again[i];
  for (int t = 0; t < T; t++)
    for (int b = 0; b < B; b++)
      for (int k = 0; k < 8 * H; k++) padding += t >= batch[2 + b] && gates[((size_t)t * B + b) * 8 * H + k] != 0;
  double error = 0;  // of a step's values, relative to the largest
  for (int dir = 0; dir < 2; dir++)
    for (int b : {0, std::min(5, B - 1), B - 1}) {
      const int length = batch[2 + b];
      std::vector<double> before(4 * H), cell(H);  // hidden states or gate gradients; cell states or their gradients
      for (int s = 0; s < steps && s < length; s++) {
        const bool back = (PASS > 0) != dir;
        const int t = back ? length - 1 - s : s;
        std::vector<double> now(4 * H);
        double largest = 0, difference = 0;
        for (int u = 0; u < H; u++) {
          const size_t gate = ((size_t)t * B + b) * 8 * H + dir * 4 * H + u, state = ((size_t)t * B + b) * 2 * H + dir * H + u;
#if PASS
          double dh = gradient[state];
          for (int k = 0; s > 0 && k < 4 * H; k++) dh += before[k] * W[((size_t)dir * 4 * H + k) * H + u];
          const double i = in[gate], f = in[gate + H], g = in[gate + 2 * H], o = in[gate + 3 * H], c = tanh(cells[state]);
          const int earlier = dir ? t + 1 : t - 1;
          const bool has = earlier >= 0 && earlier < length;
          const double last = has ? cells[((size_t)earlier * B + b) * 2 * H + dir * H + u] : 0, dc = cell[u] + dh * o * (1 - c * c);
          const double expected[4] = {dc * g * i * (1 - i), dc * last * f * (1 - f), dc * i * (1 - g * g), dh * c * o * (1 - o)};
          cell[u] = dc * f;
          for (int x = 0; x < 4; x++) {
            now[x * H + u] = expected[x];
            largest = std::max(largest, fabs(expected[x]));
            difference = std::max(difference, fabs(expected[x] - gates[gate + x * H]));
          }
#else
          double z[4];
          for (int x = 0; x < 4; x++) {
            z[x] = in[gate + x * H] + bias[dir * 4 * H + x * H + u];
            for (int j = 0; j < H; j++) z[x] += W[((size_t)dir * 4 * H + x * H + u) * H + j] * before[j];
          }
          cell[u] = logistic(z[1]) * cell[u] + logistic(z[0]) * tanh(z[2]);
          now[u] = logistic(z[3]) * tanh(cell[u]);
          largest = std::max(largest, fabs(now[u]));
          difference = std::max(difference, fabs(now[u] - out[state]));
#endif
        }
        before = now;
        error = std::max(error, difference / largest);
      }
    }
  Floats times;
  for (int i = 0; i < 15; i++) times.push_back(run());
  std::sort(times.begin(), times.end());
  printf("T=%d B=%d: %zu different bits in a repeat, %zu values in the padding, largest error %.1e of a step's largest value\n", T, B, different, padding, error);
  printf("  %.3f ms, %.3f us per time step\n", times[7], 1e3 * times[7] / T);
}
