// Backward recurrence of one bidirectional LSTM layer: gate gradients are exchanged within clusters, partial sums between them.
//
// Grid (H / 16, 2 directions), in clusters of RANKS neighbouring blocks; all blocks must be resident at once. A block owns 16 units
// of one direction for all utterances. A step has one exchange of each kind:
//
// 1. Every block copies the gate gradients of its units into the shared memory of its cluster.
// 2. Block r of a cluster multiplies the gate gradients of all units of the cluster by their weights for the r-th slice of H / RANKS
//    units. SPLIT groups of warps have a part of K each.
// 3. The sums are sent to the blocks that own these units through the L2 cache, tagged in their lowest mantissa bit. A cell's thread
//    adds those of all clusters and parts in a fixed order.
//
// So a step waits for the L2 cache once, where `backward.cu` waits twice. f16 gate gradients are scaled by a power of two per utterance,
// eight units and step, so that the largest is between 1 and 2. This keeps the precision of TF32 for any magnitude.
//
// - gates: [T, B, 8H], activated gates on entry, gradients of their pre-activations on return.
// - cells, grad_output: [T, B, 2H].
// - exchange: zeroed, 2 slots x 2 directions x tiles x H / 16 blocks x SOURCES x 256 words.
// - peak: a zeroed word that receives the bits of the largest magnitude of the gate gradients.
//
// Definitions expected before this file: FORMAT (1: bf16, 2: f16), H (a multiple of 128), TILES (tiles of 16 utterances that are
// interleaved; further ones follow in further passes).
#include "primitives.cuh"

#define TILE_ROWS 16
#define CLUSTERS (H / (16 * RANKS))     // per direction
#define SPLIT 4                         // parts of K
#define SOURCES (CLUSTERS * SPLIT)      // sums per cell
#define N_TILES (H / (8 * RANKS) / 2)   // tiles of 8 units per warp
#define BLOCK_WORDS 256                 // cells of a block in a tile
#define RECEIVED_BYTES (RANKS * (BLOCK_WORDS * 8 + 2 * TILE_ROWS * 4))

struct Shared {
  // Gate gradients as operands: [source block][step of 16 in K][lane], the two words of a cell for rows g and g + 8.
  uint4 operand[2][TILES][RANKS][4][32];
  float unscale[2][TILES][RANKS][2][TILE_ROWS];
  u64 barrier[2][TILES];
};

__device__ __forceinline__ void send_words(u32 to, u32 a, u32 b, u32 barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0],{%1,%2},[%3];" ::"r"(to), "r"(a), "r"(b), "r"(barrier) : "memory");
}
__device__ __forceinline__ void send_word(u32 to, u32 a, u32 barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0],%1,[%2];" ::"r"(to), "r"(a), "r"(barrier) : "memory");
}
// A slot's first use is tagged 1, because it is zero before, and every further use differs from the one before.
__device__ __forceinline__ u32 sum_tag(int step) { return ((step >> 1) & 1) ^ 1; }
__device__ __forceinline__ u32 sum_word(float x, u32 tag) { return (__float_as_uint(x) & ~1u) | tag; }

extern "C" __global__ void __cluster_dims__(RANKS, 1, 1) __launch_bounds__(THREADS, 1)
blstm_backward_sliced(float* gates, const float* cells, const float* grad_output, const float* weight_hh, const int* batch, u32* exchange, u32* peak) {
  extern __shared__ __align__(128) unsigned char bytes[];
  Shared& shared = *(Shared*)bytes;
  const int T = batch[0], B = batch[1], dir = blockIdx.y, rank = blockIdx.x % RANKS, cluster = blockIdx.x / RANKS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;
  const int part = warp % SPLIT, half = warp / SPLIT;  // the warp's part of K, and its half of the slice
  const int first_column = rank * (H / RANKS) + half * N_TILES * 8;

  // Weights of two source blocks (K: unit x gate) for the units of the warp's half slice (N).
  u32 weights[2][4][N_TILES][2];
#pragma unroll
  for (int b = 0; b < 2; b++)
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
      for (int n = 0; n < N_TILES; n++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
          const int from = (cluster * RANKS + part * 2 + b) * 16 + k * 4 + q, to = first_column + n * 8 + g;
          const float* p = weight_hh + ((size_t)dir * 4 * H + 2 * r * H + from) * H + to;
          weights[b][k][n][r] = pack(p[0], p[(size_t)H * H]);
        }
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2 * TILES; i++) barrier_init(&shared.barrier[0][0] + i);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  cluster_sync();

  // This thread's cell in a tile: word threadIdx.x of a block's sums, in the order in which `mma` leaves them.
  const int row = (threadIdx.x % 128) / 16 + 8 * ((threadIdx.x >> 1) & 1);
  const int own_unit = (threadIdx.x / 128) * 8 + ((threadIdx.x % 16) / 4) * 2 + (threadIdx.x & 1);
  const int unit = blockIdx.x * 16 + own_unit;
  const long long gate_step = (dir ? 1LL : -1LL) * B * 8 * H, state_step = (dir ? 1LL : -1LL) * B * 2 * H;
  // Where this thread's gate gradients belong in the operand: the word pair of its cell.
  const u32 own_place = (((rank * 4 + own_unit / 4) * 32 + (row % 8) * 4 + own_unit % 4) * 2 + row / 8) * 8;
  const u32 own_scale = ((rank * 2 + own_unit / 8) * TILE_ROWS + row) * 4;
  const size_t tile_words = (size_t)gridDim.x * SOURCES * BLOCK_WORDS;
  const int all_tiles = (B + TILE_ROWS - 1) / TILE_ROWS;
  float top = 0.f;
  u32 phases = 0u;  // of every barrier: which phase is next
  for (int pass = 0; pass * TILES < all_tiles; pass++) {
    // No block may still read what the first step of this pass overwrites.
    if (pass > 0) cluster_sync();
    int length[TILES], ends[TILES], end = 0;
    float *gate_at[TILES], in[TILES][6], state[TILES], dc[TILES];
    size_t state_at[TILES];
    // Loads the inputs of frame t at gate_at: gates, output gradient, and the previous cell state.
    auto load_input = [&](int m, int t) {
      const int earlier = dir ? t + 1 : t - 1;
      const bool inside = t >= 0 && t < length[m], has_earlier = earlier >= 0 && earlier < length[m];
#pragma unroll
      for (int x = 0; x < 4; x++) in[m][x] = inside ? load_early(gate_at[m] + x * H) : 0.f;
      in[m][4] = inside ? load_early(grad_output + state_at[m]) : 0.f;
      in[m][5] = has_earlier ? load_early(cells + state_at[m] + state_step) : 0.f;
    };
#pragma unroll
    for (int m = 0; m < TILES; m++) {
      const int b = (pass * TILES + m) * TILE_ROWS + row;
      ends[m] = 0;
      for (int i = 0; i < TILE_ROWS; i++) ends[m] = max(ends[m], length_of(batch, (pass * TILES + m) * TILE_ROWS + i));
      end = max(end, ends[m]);
      length[m] = length_of(batch, b);
      const int t = dir ? 0 : ends[m] - 1;
      gate_at[m] = gates + ((long long)t * B + b) * 8 * H + dir * 4 * H + unit;
      state_at[m] = ((long long)t * B + b) * 2 * H + dir * H + unit;
      dc[m] = 0.f;
      state[m] = t >= 0 && t < length[m] ? cells[state_at[m]] : 0.f;
      load_input(m, t);
    }
    for (int s = 0; s < end; s++) {
      const int slot = s & 1;
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s >= ends[m]) continue;
        const int t = dir ? s : ends[m] - 1 - s;
        const float ig = in[m][0], fg = in[m][1], gg = in[m][2], og = in[m][3], squashed = hyperbolic(state[m]);
        const float from_h = og * (1.f - squashed * squashed), to_o = squashed * og * (1.f - og);
        const float to_i = gg * ig * (1.f - ig), to_f = in[m][5] * fg * (1.f - fg), to_g = ig * (1.f - gg * gg);
        float dh = in[m][4];
        if (s > 0) {
          const u32 tag = sum_tag(s - 1);
          const u32* received = exchange + (((slot ^ 1) * 2 + dir) * all_tiles + pass * TILES + m) * tile_words + (size_t)blockIdx.x * SOURCES * BLOCK_WORDS + threadIdx.x;
          u32 v[SOURCES], bad, polls = 0;
          do {
            if (++polls == POLL_LIMIT) __trap();
            bad = 0u;
#pragma unroll
            for (int r = 0; r < SOURCES; r++) asm volatile("ld.relaxed.gpu.global.b32 %0,[%1];" : "=r"(v[r]) : "l"(received + r * BLOCK_WORDS));
#pragma unroll
            for (int r = 0; r < SOURCES; r++) bad |= v[r] ^ tag;
          } while (bad & 1u);
          float sum = 0.f;
#pragma unroll
          for (int r = 0; r < SOURCES; r++) sum += __uint_as_float(v[r]);
          dh += sum;
        }
        const bool inside = t < length[m];
        const float dcell = dc[m] + dh * from_h;
        float d[4] = {dcell * to_i, dcell * to_f, dcell * to_g, dh * to_o}, largest = 0.f;
#pragma unroll
        for (int x = 0; x < 4; x++) {
          d[x] = inside ? d[x] : 0.f;
          largest = fmaxf(largest, fabsf(d[x]));
        }
        dc[m] = inside ? dcell * fg : 0.f;
        state[m] = in[m][5];
        top = fmaxf(top, largest);
        // Over the eight threads with units of the same eight and the same row.
        u32 bits = __float_as_uint(largest);
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, 1));
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, 4));
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, 8));
        // At most 2^126, so that its inverse is normal.
        const u32 exponent = min(max(bits >> 23, 1u), 253u);
        const float scale = __uint_as_float((254u - exponent) << 23);
        if (s + 1 < ends[m]) {
          if (threadIdx.x == 0) expect(&shared.barrier[slot][m], RECEIVED_BYTES);
          const u32 low = pack(d[0] * scale, d[1] * scale), high = pack(d[2] * scale, d[3] * scale);
          const u32 operand = shared_address(&shared.operand[slot][m][0][0][0]) + own_place, barrier = shared_address(&shared.barrier[slot][m]);
          const u32 unscale = shared_address(&shared.unscale[slot][m][0][0][0]) + own_scale;
          const bool sends_scale = own_unit % 8 == 0;
#pragma unroll
          for (int r = 0; r < RANKS; r++) {
            const u32 to = (rank + r) % RANKS, at = in_block(barrier, to);
            send_words(in_block(operand, to), low, high, at);
            if (sends_scale) send_word(in_block(unscale, to), exponent << 23, at);
          }
        }
        // Nobody waits for these.
        float* const gate_now = gate_at[m];
        gate_at[m] += gate_step, state_at[m] += state_step;
        load_input(m, dir ? t + 1 : t - 1);
        if ((pass * TILES + m) * TILE_ROWS + row < B)
#pragma unroll
          for (int x = 0; x < 4; x++) store_late(gate_now + x * H, d[x]);
        const int ahead = dir ? t + PREFETCH : t - PREFETCH;
        if ((own_unit & 7) == 0 && ahead >= 0 && ahead < length[m]) {
#pragma unroll
          for (int x = 0; x < 4; x++) prefetch_l2(gate_now + PREFETCH * gate_step + x * H);
          prefetch_l2(grad_output + state_at[m] + (PREFETCH - 1) * state_step);
          prefetch_l2(cells + state_at[m] + (PREFETCH - 1) * state_step);
        }
      }
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s + 1 >= ends[m]) continue;
        await(&shared.barrier[slot][m], (phases >> (slot * TILES + m)) & 1u);
        phases ^= 1u << (slot * TILES + m);
        float total[N_TILES][4] = {};
#pragma unroll
        for (int b = 0; b < 2; b++)
#pragma unroll
          for (int eight = 0; eight < 2; eight++) {
            const int source = part * 2 + b;
            float sum[N_TILES][4] = {};
#pragma unroll
            for (int k = 0; k < 2; k++) {
              const uint4 o = shared.operand[slot][m][source][eight * 2 + k][lane];
              const u32 a[4] = {o.x, o.z, o.y, o.w};
#pragma unroll
              for (int n = 0; n < N_TILES; n++) multiply(sum[n], a, weights[b][eight * 2 + k][n][0], weights[b][eight * 2 + k][n][1]);
            }
            const float upper = shared.unscale[slot][m][source][eight][g], lower = shared.unscale[slot][m][source][eight][g + 8];
#pragma unroll
            for (int n = 0; n < N_TILES; n++) {
              total[n][0] += sum[n][0] * upper, total[n][1] += sum[n][1] * upper;
              total[n][2] += sum[n][2] * lower, total[n][3] += sum[n][3] * lower;
            }
          }
        const u32 tag = sum_tag(s);
        u32* to = exchange + ((slot * 2 + dir) * all_tiles + pass * TILES + m) * tile_words + (cluster * SPLIT + part) * BLOCK_WORDS + lane * 4;
#pragma unroll
        for (int n = 0; n < N_TILES; n++) {
          const int column = first_column + n * 8;
          u32* p = to + (size_t)(column / 16) * SOURCES * BLOCK_WORDS + (column % 16) / 8 * 128;
          asm volatile("st.relaxed.gpu.global.v4.b32 [%0],{%1,%2,%3,%4};" ::"l"(p), "r"(sum_word(total[n][0], tag)), "r"(sum_word(total[n][1], tag)),
                       "r"(sum_word(total[n][2], tag)), "r"(sum_word(total[n][3], tag)));
        }
      }
    }
#pragma unroll
    for (int m = 0; m < TILES; m++) {
      const int b = (pass * TILES + m) * TILE_ROWS + row;
      if (b < B)
        for (int t = ends[m]; t < T; t++)
#pragma unroll
          for (int x = 0; x < 4; x++) gates[((size_t)t * B + b) * 8 * H + dir * 4 * H + x * H + unit] = 0.f;
    }
  }
  const u32 bits = __reduce_max_sync(0xffffffffu, __float_as_uint(top));
  if (lane == 0) atomicMax(peak, bits);
  // A block's shared memory must exist until all others have stopped writing to it.
  cluster_sync();
}
