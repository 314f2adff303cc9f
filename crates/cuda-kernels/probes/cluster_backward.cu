// Backward recurrence of one bidirectional LSTM layer on clusters.
//
// Grid (RANKS, 2 directions, groups of 8 utterances), in clusters of RANKS blocks. A step multiplies the gate
// gradients of the previous step, 4H wide, by the recurrent weights. They stay in the block that computed
// them. Each block multiplies the gate gradients of its own units by their weights, and sends every block its
// part of the sum, H wide. One thread per cell adds the parts in a fixed order, so results are reproducible.
//
// f16 gate gradients are scaled by a power of two per utterance, block and step, so that the largest is
// between 1 and 2. This keeps the precision of TF32 for any magnitude. bf16 needs no scale.
//
// - gates: [T, B, 8H], activated gates on entry, gradients of their pre-activations on return.
// - cells, grad_output: [T, B, 2H].
// - peak: a zeroed word that receives the bits of the largest magnitude of the gate gradients.
#define K_STEPS ((4 * UNITS + 15) / 16)
#define M_TILES ((UNITS + 15) / 16)
#define OPERAND_ROW (K_STEPS * 16 + 8)  // in 16-bit values; padded, so that ldmatrix has no bank conflicts
#define PART_ROW 68                     // in floats; padded for the same reason
#define PART (ROWS * PART_ROW)
#define SHARED_STEPS (K_STEPS - REG_STEPS)
#define PER 2  // cells per thread: units `lane` and `lane + 32` of the utterance of its warp

struct Shared {
  float received[2][RANKS][PART];  // from every block, for this block's units
  float sent[2][WARPS][PART];      // warp w computes the part for block w
  unsigned short operand[2][ROWS * OPERAND_ROW];
  float unscale[2][ROWS];
  u64 barrier[2];
  uint4 weights[SHARED_STEPS > 0 ? SHARED_STEPS : 1][M_TILES][THREADS];
};

extern "C" __global__ void __cluster_dims__(RANKS, 1, 1) __launch_bounds__(THREADS, 1)
blstm_backward_cluster(float* gates, const float* cells, const float* grad_output, const float* weight_hh, const int* batch, u32* peak) {
  extern __shared__ __align__(128) unsigned char bytes[];
  Shared& shared = *(Shared*)bytes;
  const int T = batch[0], B = batch[1], dir = blockIdx.y, first_row = blockIdx.z * ROWS, first_unit = blockIdx.x * UNITS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;

  // Weights of this block's gates (K: unit x gate) for the units of block `warp` (M).
  u32 weights[REG_STEPS][M_TILES][4];
#pragma unroll
  for (int k = 0; k < K_STEPS; k++)
#pragma unroll
    for (int m = 0; m < M_TILES; m++) {
      u32 w[4];
#pragma unroll
      for (int r = 0; r < 4; r++) {
        const int to = m * 16 + g + (r & 1) * 8, column = warp * UNITS + to;
        const int at = k * 16 + q * 2 + (r >> 1) * 8, from = at / 4, gate = at % 4, row = first_unit + from;
        const bool there = to < UNITS && column < H && from < UNITS && row < H;
        const float* p = weight_hh + ((size_t)dir * 4 * H + gate * H + row) * H + column;
        w[r] = there ? pack(p[0], p[(size_t)H * H]) : 0u;
      }
      if (k < REG_STEPS) {
#pragma unroll
        for (int r = 0; r < 4; r++) weights[k < REG_STEPS ? k : 0][m][r] = w[r];
      } else {
        shared.weights[k - REG_STEPS][m][threadIdx.x] = make_uint4(w[0], w[1], w[2], w[3]);
      }
    }
  if (threadIdx.x == 0) {
    barrier_init(&shared.barrier[0]);
    barrier_init(&shared.barrier[1]);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  // Units beyond UNITS and utterances beyond the batch stay zero.
  for (int i = threadIdx.x; i < 2 * ROWS * OPERAND_ROW; i += THREADS) (&shared.operand[0][0])[i] = 0;
  for (int i = threadIdx.x; i < 2 * WARPS * PART; i += THREADS) (&shared.sent[0][0][0])[i] = 0.f;
  __syncthreads();
  cluster_sync();

  const int end = longest(batch, first_row), b = first_row + warp, length = length_of(batch, b);
  const long long gate_step = (dir ? 1LL : -1LL) * B * 8 * H, state_step = (dir ? 1LL : -1LL) * B * 2 * H;
  const int first_frame = dir ? 0 : end - 1, unit = first_unit + lane;
  bool mine[PER];
#pragma unroll
  for (int i = 0; i < PER; i++) mine[i] = lane + i * 32 < UNITS && unit + i * 32 < H;
  float* gate_at = gates + ((long long)first_frame * B + b) * 8 * H + dir * 4 * H + unit;
  size_t state_at = ((long long)first_frame * B + b) * 2 * H + dir * H + unit;
  float in[PER][6], state[PER], dc[PER], top = 0.f;
  // Loads the inputs of frame t at gate_at: gates, output gradient, and the previous cell state.
  auto load_input = [&](int t) {
    const int earlier = dir ? t + 1 : t - 1;
    const bool inside = t >= 0 && t < length, has_earlier = earlier >= 0 && earlier < length;
#pragma unroll
    for (int i = 0; i < PER; i++) {
#pragma unroll
      for (int x = 0; x < 4; x++) in[i][x] = inside && mine[i] ? load_early(gate_at + x * H + i * 32) : 0.f;
      in[i][4] = inside && mine[i] ? load_early(grad_output + state_at + i * 32) : 0.f;
      in[i][5] = has_earlier && mine[i] ? load_early(cells + state_at + state_step + i * 32) : 0.f;
    }
  };
#pragma unroll
  for (int i = 0; i < PER; i++) {
    dc[i] = 0.f;
    state[i] = mine[i] && first_frame >= 0 && first_frame < length ? cells[state_at + i * 32] : 0.f;
  }
  load_input(first_frame);

  for (int s = 0; s < end; s++) {
    const int t = dir ? s : end - 1 - s, slot = s & 1;
    const bool inside = t < length;
    float from_h[PER], to_o[PER], to_i[PER], to_f[PER], to_g[PER], dh[PER], d[PER][4];
#pragma unroll
    for (int i = 0; i < PER; i++) {
      const float ig = in[i][0], fg = in[i][1], gg = in[i][2], og = in[i][3], squashed = hyperbolic(state[i]);
      from_h[i] = og * (1.f - squashed * squashed), to_o[i] = squashed * og * (1.f - og);
      to_i[i] = gg * ig * (1.f - ig), to_f[i] = in[i][5] * fg * (1.f - fg), to_g[i] = ig * (1.f - gg * gg);
      dh[i] = in[i][4];
    }
    if (s > 0) {
      await(&shared.barrier[slot ^ 1], ((s - 1) >> 1) & 1);
#pragma unroll
      for (int i = 0; i < PER; i++) {
        float sum = 0.f;
#pragma unroll
        for (int r = 0; r < RANKS; r++) sum += shared.received[slot ^ 1][r][warp * PART_ROW + lane + i * 32];
        dh[i] += sum;
      }
    }
    float largest = 0.f;
#pragma unroll
    for (int i = 0; i < PER; i++) {
      const float dcell = dc[i] + dh[i] * from_h[i];
      d[i][0] = dcell * to_i[i], d[i][1] = dcell * to_f[i], d[i][2] = dcell * to_g[i], d[i][3] = dh[i] * to_o[i];
#pragma unroll
      for (int x = 0; x < 4; x++) {
        d[i][x] = inside && mine[i] ? d[i][x] : 0.f;
        largest = fmaxf(largest, fabsf(d[i][x]));
      }
      dc[i] = inside ? dcell * in[i][1] : 0.f;
      state[i] = in[i][5];
    }
    top = fmaxf(top, largest);
    float scale = 1.f;
#if FORMAT == F16
    // The exponent of the largest magnitude in the utterance; at most 2^126, so that its inverse is normal.
    const u32 exponent = min(max(__reduce_max_sync(0xffffffffu, __float_as_uint(largest)) >> 23, 1u), 253u);
    scale = __uint_as_float((254u - exponent) << 23);
    if (lane == 0) shared.unscale[slot][warp] = __uint_as_float(exponent << 23);
#endif
#pragma unroll
    for (int i = 0; i < PER; i++) {
      if (lane + i * 32 >= UNITS) continue;
      const uint2 words = make_uint2(pack(d[i][0] * scale, d[i][1] * scale), pack(d[i][2] * scale, d[i][3] * scale));
      *(uint2*)&shared.operand[slot][warp * OPERAND_ROW + (lane + i * 32) * 4] = words;
    }
    if (threadIdx.x == 0) expect(&shared.barrier[slot], RANKS * PART * 4);
    __syncthreads();
    float* const gate_now = gate_at;
    gate_at += gate_step, state_at += state_step;
    if (s + 1 < end) {
      load_input(dir ? t + 1 : t - 1);
      float sum[M_TILES][4] = {};
      const u32 operand = shared_address(&shared.operand[slot][(lane % 8) * OPERAND_ROW + (lane / 8) * 8]);
#pragma unroll
      for (int k = 0; k < K_STEPS; k += 2) {
        u32 o[4];
        load_operand(o, operand + k * 32);
#pragma unroll
        for (int half = 0; half < 2; half++) {
          if (k + half >= K_STEPS) continue;
#pragma unroll
          for (int m = 0; m < M_TILES; m++) {
            if (k + half < REG_STEPS) {
              multiply(sum[m], weights[k + half < REG_STEPS ? k + half : 0][m], o[half * 2], o[half * 2 + 1]);
            } else {
              const uint4 w = shared.weights[k + half - REG_STEPS][m][threadIdx.x];
              const u32 a[4] = {w.x, w.y, w.z, w.w};
              multiply(sum[m], a, o[half * 2], o[half * 2 + 1]);
            }
          }
        }
      }
      float* part = shared.sent[slot][warp];
#if FORMAT == F16
      const float2 unscale = *(const float2*)&shared.unscale[slot][q * 2];
#else
      const float2 unscale = make_float2(1.f, 1.f);
#endif
#pragma unroll
      for (int m = 0; m < M_TILES; m++) {
        float* p = part + q * 2 * PART_ROW + m * 16 + g;
        p[0] = sum[m][0] * unscale.x, p[PART_ROW] = sum[m][1] * unscale.y;
        p[8] = sum[m][2] * unscale.x, p[PART_ROW + 8] = sum[m][3] * unscale.y;
      }
      before_send();
      __syncwarp();
      if (lane == 0) send(shared.received[slot][blockIdx.x], part, PART * 4, &shared.barrier[slot], warp);
    }
    // Nobody waits for these.
    if (b < B) {
#pragma unroll
      for (int i = 0; i < PER; i++)
        if (mine[i])
#pragma unroll
          for (int x = 0; x < 4; x++) store_late(gate_now + x * H + i * 32, d[i][x]);
    }
    const int ahead = dir ? t + PREFETCH : t - PREFETCH;
    if (lane % 8 == 0 && ahead >= 0 && ahead < length) {
#pragma unroll
      for (int i = 0; i < PER; i++) {
        if (!mine[i]) continue;
#pragma unroll
        for (int x = 0; x < 4; x++) prefetch_l2(gate_now + PREFETCH * gate_step + x * H + i * 32);
        prefetch_l2(grad_output + state_at + (PREFETCH - 1) * state_step + i * 32);
        prefetch_l2(cells + state_at + (PREFETCH - 1) * state_step + i * 32);
      }
    }
  }
  if (b < B)
    for (int t = end; t < T; t++)
#pragma unroll
      for (int i = 0; i < PER; i++)
        if (mine[i])
#pragma unroll
          for (int x = 0; x < 4; x++) gates[((size_t)t * B + b) * 8 * H + dir * 4 * H + x * H + unit + i * 32] = 0.f;
  const u32 bits = __reduce_max_sync(0xffffffffu, __float_as_uint(top));
  if (lane == 0) atomicMax(peak, bits);
  // A block's shared memory must exist until all others have stopped writing to it.
  cluster_sync();
}
