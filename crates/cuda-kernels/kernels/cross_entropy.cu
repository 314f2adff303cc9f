// Masked softmax and cross-entropy of rows of scores, with the gradient as the operand of a GEMM.
//
// A warp has a row in its registers, so scores are read once. Rows are assigned to warps in a fixed order, and each warp adds the
// gradients of its rows for the gradient of the bias. A row with a negative label is padding: its gradient is zero.
//
// CLASSES, PADDED: classes, and columns of a row of the gradient. WARPS: warps of a block. BF16: whether the gradient is bf16, not f16.
typedef unsigned int u32;
typedef unsigned long long u64;

#define PER_LANE ((PADDED + 31) / 32)

__device__ __forceinline__ unsigned short narrowed(float x) {
  unsigned short half;
#if BF16
  asm("cvt.rn.bf16.f32 %0,%1;" : "=h"(half) : "f"(x));
#else
  asm("cvt.rn.f16.f32 %0,%1;" : "=h"(half) : "f"(x));
#endif
  return half;
}

// share: the factor of the sum of all losses. scale: that of the operand, a power of two.
struct Shape { u32 rows; float share, scale; u32 unused; };

// sums [blocks, CLASSES], sums of the gradient over the rows of a block. losses [blocks, 2]: the sum of the losses, and the number of
// rows whose prediction, the first of the largest scores, is wrong. gradient [rows, PADDED].
extern "C" __global__ void __launch_bounds__(WARPS * 32, 1)
cross_entropy(const float* scores, const int* labels, unsigned short* gradient, float* sums, float* losses, float* inverse, const __grid_constant__ Shape shape) {
  __shared__ float block_sums[PER_LANE * 32];
  __shared__ float warp_losses[WARPS][2];
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum[PER_LANE], loss = 0.f, wrong = 0.f;
#pragma unroll
  for (int j = 0; j < PER_LANE; j++) sum[j] = 0.f;
  for (u32 row = blockIdx.x * WARPS + warp; row < shape.rows; row += gridDim.x * WARPS) {
    const int label = labels[row];
    unsigned short* out = gradient + (u64)row * PADDED + lane;
    if (label < 0) {
#pragma unroll
      for (int j = 0; j < PER_LANE; j++)
        if (lane + j * 32 < PADDED) out[j * 32] = 0;
      continue;
    }
    const float* in = scores + (u64)row * CLASSES + lane;
    float x[PER_LANE];
#pragma unroll
    for (int j = 0; j < PER_LANE; j++) x[j] = lane + j * 32 < CLASSES ? __ldcs(in + j * 32) : __int_as_float(0xff800000);
    float most = x[0];
    u32 winner = lane;
#pragma unroll
    for (int j = 1; j < PER_LANE; j++)
      if (x[j] > most) most = x[j], winner = lane + j * 32;
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, most, apart);
      const u32 theirs = __shfl_xor_sync(0xffffffffu, winner, apart);
      if (other > most || (other == most && theirs < winner)) most = other, winner = theirs;
    }
    // A label beyond the last class is a caller's bug; it must not cause an out-of-bounds read.
    const u32 target = min((u32)label, CLASSES - 1u);
    const float of_target = scores[(u64)row * CLASSES + target];
    float total = 0.f;
#pragma unroll
    for (int j = 0; j < PER_LANE; j++) x[j] = expf(x[j] - most), total += x[j];
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) total += __shfl_xor_sync(0xffffffffu, total, apart);
    loss += most + logf(total) - of_target, wrong += winner == target ? 0.f : 1.f;
    const float one = 1.f / total;
#pragma unroll
    for (int j = 0; j < PER_LANE; j++) {
      const u32 column = lane + j * 32;
      const float d = (x[j] * one - (column == target ? 1.f : 0.f)) * shape.share;
      sum[j] += d;
      if (column < PADDED) out[j * 32] = narrowed(column < CLASSES ? d * shape.scale : 0.f);
    }
  }
  // The warps' sums, in order.
  for (u32 w = 0; w < WARPS; w++) {
    if (warp == w)
#pragma unroll
      for (int j = 0; j < PER_LANE; j++) block_sums[lane + j * 32] = w == 0 ? sum[j] : block_sums[lane + j * 32] + sum[j];
    __syncthreads();
  }
  for (u32 column = threadIdx.x; column < CLASSES; column += WARPS * 32) sums[(u64)blockIdx.x * CLASSES + column] = block_sums[column];
  if (lane == 0) warp_losses[warp][0] = loss, warp_losses[warp][1] = wrong;
  __syncthreads();
  if (threadIdx.x < 2) {
    float all = 0.f;
    for (u32 w = 0; w < WARPS; w++) all += warp_losses[w][threadIdx.x];
    losses[blockIdx.x * 2 + threadIdx.x] = all;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *inverse = 1.f / shape.scale;
}
