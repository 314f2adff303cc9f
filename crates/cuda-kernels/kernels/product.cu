// GEMM on Hopper's tensor cores: C = A B / (scale of A · scale of B), with 16-bit operands and f32 sums.
//
// In either operand, K or the other dimension may be contiguous (A_MN, B_MN: 1 if it is the other). A pair of
// blocks (a cluster) computes 256 x 256: each block has 128 rows and all columns. The pair's copy engines
// each load one half of B for both blocks. One warp keeps STAGES tiles of K in flight, and two warpgroups
// multiply. Blocks are persistent and iterate over tiles, up to two products of the same shape, and `splits` of K. The products are
// written one after the other. The parts of a split K are written to separate slices of C; sum_slices adds them in a fixed order.
// C is f32, or f16 if K is not split.
//
// Boxes of the tensor maps, which read zeros outside a matrix: 64 of K x 128 rows if K is contiguous,
// otherwise 64 x 64 of K. Swizzle: 128 bytes. The first two pointers are the matrices of the tensor maps; the
// launcher has to pass them too.
typedef unsigned int u32;
typedef unsigned long long u64;

#define BK 64
#define A_BYTES 16384
#define B_BYTES 32768
#define STAGE_BYTES (A_BYTES + B_BYTES)

struct __align__(64) TensorMap { char opaque[128]; };
// Dimensions of the GEMM, the number of products, and for each the offsets of K, M and N in the operands. add: whether to add to the
// existing C. biased: whether to add `bias` to every row. watched: whether to write the bits of the largest magnitude (of the slices, if K
// is split) to the zeroed word `peak`. hidden: if the rows of the product are interleaved gates of layers with so many units, rows of C
// are in the order of the parameters (gates.cuh); otherwise 0. halved: whether C is f16; N is a multiple of 8 then.
struct Plan { int splits, M, N, K, products, k_in_a[2], m_in_a[2], k_in_b[2], n_in_b[2], add, biased, watched, hidden, halved; };

// ---- barriers and copies --------------------------------------------------------------------------------------------
__device__ __forceinline__ u32 smem(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void barrier_init(u32 bar, u32 count) { asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(bar), "r"(count)); }
__device__ __forceinline__ void barrier_wait(u32 bar, u32 parity) {
  asm volatile("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p,[%0],%1;\n@p bra DONE;\nbra WAIT;\nDONE:\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void barrier_expect(u32 bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_arrive(u32 bar, u32 rank) {
  asm volatile("{\n.reg .b32 r;\nmapa.shared::cluster.u32 r,%0,%1;\nmbarrier.arrive.shared::cluster.b64 _,[r];\n}" ::"r"(bar), "r"(rank) : "memory");
}
__device__ __forceinline__ void copy_box(u32 dst, const TensorMap* map, int x, int y, u32 bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3}],[%4];" ::"r"(dst), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
__device__ __forceinline__ void copy_box_to_both(u32 dst, const TensorMap* map, int x, int y, u32 bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0],[%1,{%2,%3}],[%4],%5;" ::"r"(dst), "l"(map), "r"(x), "r"(y), "r"(bar), "h"((unsigned short)3) : "memory");
}
// Shared-memory descriptor with 128-byte swizzle: rows of 128 bytes in groups of eight, 1024 bytes apart. If
// the other dimension is contiguous, every 64 elements of it form a box of 8192 bytes.
__device__ __forceinline__ u64 descriptor(u32 at) {
  return (u64)((at & 0x3ffff) >> 4) | ((u64)(8192 >> 4) << 16) | ((u64)(1024 >> 4) << 32) | ((u64)1 << 62);
}

struct Work { int tile_m, tile_n, product, split; };
__device__ __forceinline__ Work work_at(int item, int tiles_m, int tiles_n, int products) {
  Work w;
  w.tile_n = item % tiles_n, item /= tiles_n;
  w.tile_m = item % tiles_m, item /= tiles_m;
  w.product = item % products, w.split = item / products;
  return w;
}

// ---- results ----------------------------------------------------------------------------------------------------------
// The row of C for a row of the product. narrow.cu has the same permutation.
__device__ __forceinline__ int row_of_result(int row, int hidden) {
  if (hidden == 0) return row;
  const int gate = row % (4 * hidden);
  return row - gate + gate % 4 * hidden + gate / 4;
}
// C is not kept in the L2 cache, which is full of operands.
__device__ __forceinline__ void store_pair(float* c, int column, const Plan& plan, float x, float y) {
  if (column >= plan.N) return;
  float* at = c + column;
  const bool both = column + 1 < plan.N;
  if (plan.add) x += at[0], y += both ? at[1] : 0.f;
  // With an odd number of columns, every other row is unaligned for pairs.
  if (plan.N % 2 == 0) {
    __stcs((float2*)at, make_float2(x, y));
  } else {
    __stcs(at, x);
    if (both) __stcs(at + 1, y);
  }
}
__device__ __forceinline__ void store_quad(float* c, int column, const Plan& plan, float4 v) {
  if (column >= plan.N) return;
  float4* at = (float4*)(c + column);
  if (plan.add) {
    const float4 old = *at;
    v.x += old.x, v.y += old.y, v.z += old.z, v.w += old.w;
  }
  __stcs(at, v);
}
// Stores one of a thread's two rows of a tile (`second`: 0 or 1), which begins at `column`. A thread has two of every eight columns. For
// stores of 16 bytes, the four lanes of a row exchange them, so all lanes of a warp call this.
__device__ __forceinline__ void store_row(void* c, int row, int column, int lane, const Plan& plan, const float (&acc)[128], int second) {
  const bool inside = row < plan.M;
  const size_t begin = (size_t)row_of_result(row, plan.hidden) * plan.N;
  const bool odd = lane & 1, upper = lane & 2;
  if (plan.halved) {
    unsigned short* out = (unsigned short*)c + begin;
#pragma unroll
    for (int j = 0; j < 32; j += 4) {
      u32 w[4];
#pragma unroll
      for (int i = 0; i < 4; i++) asm("cvt.rn.f16x2.f32 %0,%1,%2;" : "=r"(w[i]) : "f"(acc[4 * (j + i) + 2 * second + 1]), "f"(acc[4 * (j + i) + 2 * second]));
      // A lane's i-th word becomes the i-th pair of columns of the eight that begin at 8 (j + lane).
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        const u32 found = __shfl_xor_sync(0xffffffffu, odd ? w[i] : w[i + 1], 1);
        w[i] = odd ? found : w[i], w[i + 1] = odd ? w[i + 1] : found;
      }
#pragma unroll
      for (int i = 0; i < 2; i++) {
        const u32 found = __shfl_xor_sync(0xffffffffu, upper ? w[i] : w[i + 2], 2);
        w[i] = upper ? found : w[i], w[i + 2] = upper ? w[i + 2] : found;
      }
      const int first = column + (j + lane % 4) * 8;
      if (inside && first < plan.N) __stcs((uint4*)(out + first), make_uint4(w[0], w[1], w[2], w[3]));
    }
    return;
  }
  float* out = (float*)c + begin;
  if (plan.N % 4 != 0) {
    if (inside)
#pragma unroll
      for (int j = 0; j < 32; j++) store_pair(out, column + j * 8 + lane % 4 * 2, plan, acc[4 * j + 2 * second], acc[4 * j + 2 * second + 1]);
    return;
  }
#pragma unroll
  for (int j = 0; j < 32; j += 2) {
    const float2 low = make_float2(acc[4 * j + 2 * second], acc[4 * j + 2 * second + 1]);
    const float2 high = make_float2(acc[4 * j + 4 + 2 * second], acc[4 * j + 4 + 2 * second + 1]);
    // Even lanes store four of the lower eight columns, odd lanes four of the upper ones.
    const float x = __shfl_xor_sync(0xffffffffu, odd ? low.x : high.x, 1), y = __shfl_xor_sync(0xffffffffu, odd ? low.y : high.y, 1);
    const float4 v = odd ? make_float4(x, y, high.x, high.y) : make_float4(low.x, low.y, x, y);
    const int first = column + (j + odd) * 8 + (upper ? 4 : 0);
    if (inside) store_quad(out, first, plan, v);
  }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)
product(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, const void*, const void*, void* c,
        const float* inverse_a, const float* inverse_b, const float* bias, u32* peak, const __grid_constant__ Plan plan) {
  extern __shared__ unsigned char raw[];
  const u32 base = (smem(raw) + 1023) & ~1023u, bars = base + STAGES * STAGE_BYTES;
  const int tiles_m = (plan.M + 255) / 256, tiles_n = (plan.N + 255) / 256, items = tiles_m * tiles_n * plan.products * plan.splits;
  const int all_steps = (plan.K + BK - 1) / BK, steps_per_split = (all_steps + plan.splits - 1) / plan.splits;
  const int rank = blockIdx.x & 1, group = threadIdx.x / 128, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // full[i] at bars + 8 i, empty[i] at bars + 64 + 8 i
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      barrier_init(bars + 8 * i, 1);
      barrier_init(bars + 64 + 8 * i, 16);  // 8 warps of each block
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");

  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (warp == 8 && lane == 0) {
      u32 stage = 0, parity = 1;
      for (int item = blockIdx.x / 2; item < items; item += gridDim.x / 2) {
        const Work w = work_at(item, tiles_m, tiles_n, plan.products);
        const int m = plan.m_in_a[w.product] + w.tile_m * 256 + rank * 128, n = plan.n_in_b[w.product] + w.tile_n * 256 + rank * 128;
        const int end = min(all_steps, (w.split + 1) * steps_per_split);
        for (int step = w.split * steps_per_split; step < end; step++) {
          const u32 full = bars + 8 * stage, a = base + stage * STAGE_BYTES, b = a + A_BYTES + rank * (B_BYTES / 2);
          barrier_wait(bars + 64 + 8 * stage, parity);
          barrier_expect(full, STAGE_BYTES);
          const int ka = plan.k_in_a[w.product] + step * BK, kb = plan.k_in_b[w.product] + step * BK;
#if A_MN
          copy_box(a, &map_a, m, ka, full);
          copy_box(a + 8192, &map_a, m + 64, ka, full);
#else
          copy_box(a, &map_a, ka, m, full);
#endif
#if B_MN
          copy_box_to_both(b, &map_b, n, kb, full);
          copy_box_to_both(b + 8192, &map_b, n + 64, kb, full);
#else
          copy_box_to_both(b, &map_b, kb, n, full);
#endif
          if (++stage == STAGES) stage = 0, parity ^= 1;
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    u32 stage = 0, parity = 0;
    // Applied one after the other, because their product may underflow.
    const float ia = *inverse_a, ib = *inverse_b;
    for (int item = blockIdx.x / 2; item < items; item += gridDim.x / 2) {
      const Work w = work_at(item, tiles_m, tiles_n, plan.products);
      const int begin = w.split * steps_per_split, end = min(all_steps, begin + steps_per_split);
      float acc[128];
#pragma unroll
      for (int i = 0; i < 128; i++) acc[i] = 0.f;
      u32 previous = 0;
      for (int step = begin; step < end; step++) {
        barrier_wait(bars + 8 * stage, parity);
        const u64 a = descriptor(base + stage * STAGE_BYTES + group * 8192), b = descriptor(base + stage * STAGE_BYTES + A_BYTES);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 4; k++) wgmma(acc, a + k * (A_MN ? 128 : 2), b + k * (B_MN ? 128 : 2), 1);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        // The previous step is complete when only this one is outstanding: release its stage to both blocks.
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (step > begin && lane < 2) barrier_arrive(bars + 64 + 8 * previous, lane);
        previous = stage;
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (end > begin && lane < 2) barrier_arrive(bars + 64 + 8 * previous, lane);
      const int row = w.tile_m * 256 + rank * 128 + group * 64 + (warp % 4) * 16 + lane / 4, column = w.tile_n * 256 + (lane % 4) * 2;
      const size_t skipped = (size_t)(w.split * plan.products + w.product) * plan.M * plan.N;
      void* out = plan.halved ? (void*)((unsigned short*)c + skipped) : (void*)((float*)c + skipped);
#pragma unroll
      for (int i = 0; i < 128; i++) acc[i] = acc[i] * ia * ib;
      if (plan.biased && w.split == 0)
#pragma unroll
        for (int j = 0; j < 32; j++)
#pragma unroll
          for (int x = 0; x < 2; x++) {
            const float b = column + j * 8 + x < plan.N ? __ldg(bias + column + j * 8 + x) : 0.f;
            acc[4 * j + x] += b, acc[4 * j + 2 + x] += b;
          }
      if (plan.watched) {
        // Beyond the last row and column of whole matrices, everything is zero (without a bias).
        float top = 0.f;
#pragma unroll
        for (int i = 0; i < 128; i++) top = fmaxf(top, fabsf(acc[i]));
        const u32 bits = __reduce_max_sync(0xffffffffu, __float_as_uint(top));
        if (lane == 0) atomicMax(peak, bits);
      }
      store_row(out, row, w.tile_n * 256, lane, plan, acc, 0);
      store_row(out, row + 8, w.tile_n * 256, lane, plan, acc, 1);
    }
  }
  __syncwarp();
  // Peers send arrivals and data to this block's shared memory until they finish.
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
