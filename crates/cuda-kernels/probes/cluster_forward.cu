// Forward recurrence of one bidirectional LSTM layer on clusters.
//
// Grid (RANKS, 2 directions, groups of 8 utterances), in clusters of RANKS blocks. A warp owns 8 units: two
// tiles of 16 gates x 8 utterances, arranged so that a thread gets all four gates of its cells. After each
// step, every block sends the hidden states of its units to all blocks of the cluster.
//
// - gates: [T, B, 8H], input projections on entry, activated gates on return.
// - bias: [8H]. output, cells: [T, B, 2H].
#define UNIT_GROUPS ((UNITS + 7) / 8)  // per block, one per warp
#define K_STEPS (RANKS * UNIT_GROUPS / 2)
#define SHARED_STEPS (K_STEPS - REG_STEPS)
#define SHARE (UNIT_GROUPS * ROWS * 8)  // 16-bit hidden states of a block, [unit group][utterance][8 units]
#define PER 2                           // cells per thread: two neighbouring utterances of one unit

struct Shared {
  unsigned short states[2][RANKS][SHARE];
  unsigned short sent[2][SHARE];
  u64 barrier[2];
  uint4 weights[SHARED_STEPS > 0 ? SHARED_STEPS : 1][2][THREADS];
};

extern "C" __global__ void __cluster_dims__(RANKS, 1, 1) __launch_bounds__(THREADS, 1)
blstm_forward_cluster(float* gates, const float* bias, const float* weight_hh, const int* batch, float* output, float* cells) {
  extern __shared__ __align__(128) unsigned char bytes[];
  Shared& shared = *(Shared*)bytes;
  const int T = batch[0], B = batch[1], dir = blockIdx.y, first_row = blockIdx.z * ROWS, first_unit = blockIdx.x * UNITS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;
  const int in_block_unit = warp * 8 + g, unit = first_unit + in_block_unit;
  const bool mine = in_block_unit < UNITS && unit < H;

  // Tile 0 has the input and forget gates of the warp's units, tile 1 the cell and output gates.
  u32 weights[REG_STEPS][2][4];
#pragma unroll
  for (int k = 0; k < K_STEPS; k++)
#pragma unroll
    for (int m = 0; m < 2; m++) {
      u32 w[4];
#pragma unroll
      for (int r = 0; r < 4; r++) {
        const int gate = m * 2 + (r & 1), group = k * 2 + (r >> 1), from = (group % UNIT_GROUPS) * 8 + q * 2;
        const int column = (group / UNIT_GROUPS) * UNITS + from;
        const float* p = weight_hh + ((size_t)dir * 4 * H + gate * H + unit) * H + column;
        w[r] = pack(mine && from < UNITS && column < H ? p[0] : 0.f, mine && from + 1 < UNITS && column + 1 < H ? p[1] : 0.f);
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
  for (int i = threadIdx.x; i < 2 * SHARE; i += THREADS) (&shared.sent[0][0])[i] = 0;
  __syncthreads();
  cluster_sync();

  const int end = longest(batch, first_row), b = first_row + q * 2, first_frame = dir ? end - 1 : 0;
  const long long gate_step = (dir ? -1LL : 1LL) * B * 8 * H, state_step = (dir ? -1LL : 1LL) * B * 2 * H;
  int length[PER];
  float c[PER], in[PER][4], biases[4];
#pragma unroll
  for (int x = 0; x < 4; x++) biases[x] = mine ? bias[dir * 4 * H + x * H + unit] : 0.f;
#pragma unroll
  for (int i = 0; i < PER; i++) length[i] = mine ? length_of(batch, b + i) : 0, c[i] = 0.f;
  float* gate_at = gates + ((long long)first_frame * B + b) * 8 * H + dir * 4 * H + unit;
  size_t state_at = ((long long)first_frame * B + b) * 2 * H + dir * H + unit;
  // Loads the projections of frame t at gate_at.
  auto load_input = [&](int t) {
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
      for (int x = 0; x < 4; x++) in[i][x] = t >= 0 && t < length[i] ? load_early(gate_at + i * 8 * H + x * H) : 0.f;
  };
  load_input(first_frame);
  const bool active = warp < UNIT_GROUPS;

  for (int s = 0; s < end; s++) {
    const int t = dir ? end - 1 - s : s, slot = s & 1;
    float sum[2][2][4] = {};  // [tile][chain]
    if (s > 0 && active) {
      await(&shared.barrier[slot ^ 1], ((s - 1) >> 1) & 1);
      const u32 states = shared_address(shared.states[slot ^ 1]) + lane * 16;
#pragma unroll
      for (int k = 0; k < K_STEPS; k += 2) {
        u32 o[4];
        load_operand(o, states + k * 256);
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
          for (int m = 0; m < 2; m++) {
            if (k + half < REG_STEPS) {
              multiply(sum[m][half], weights[k + half < REG_STEPS ? k + half : 0][m], o[half * 2], o[half * 2 + 1]);
            } else {
              const uint4 w = shared.weights[k + half - REG_STEPS][m][threadIdx.x];
              const u32 a[4] = {w.x, w.y, w.z, w.w};
              multiply(sum[m][half], a, o[half * 2], o[half * 2 + 1]);
            }
          }
      }
    }
    float gate[PER][4], h[PER];
#pragma unroll
    for (int i = 0; i < PER; i++) {
      const bool inside = t < length[i];
      float z[4];
#pragma unroll
      for (int x = 0; x < 4; x++) z[x] = in[i][x] + biases[x] + (sum[x / 2][0][(x % 2) * 2 + i] + sum[x / 2][1][(x % 2) * 2 + i]);
      gate[i][0] = sigmoid(z[0]), gate[i][1] = sigmoid(z[1]), gate[i][2] = hyperbolic(z[2]), gate[i][3] = sigmoid(z[3]);
      c[i] = inside ? gate[i][1] * c[i] + gate[i][0] * gate[i][2] : 0.f;
      h[i] = inside ? gate[i][3] * hyperbolic(c[i]) : 0.f;
#pragma unroll
      for (int x = 0; x < 4; x++) gate[i][x] = inside ? gate[i][x] : 0.f;
    }
    if (s + 1 < end) {
      if (active) {
        const u32 both = pack(h[0], h[1]);
        unsigned short* p = shared.sent[slot] + (warp * ROWS + q * 2) * 8 + g;
        p[0] = (unsigned short)both, p[8] = (unsigned short)(both >> 16);
      }
      before_send();
      if (threadIdx.x == 0) expect(&shared.barrier[slot], RANKS * SHARE * 2);
      __syncthreads();
      if (lane == 0) send(shared.states[slot][blockIdx.x], shared.sent[slot], SHARE * 2, &shared.barrier[slot], warp);
    }
    // Nobody waits for these.
    float* const gate_now = gate_at;
    const size_t state_now = state_at;
    gate_at += gate_step, state_at += state_step;
    load_input(dir ? t - 1 : t + 1);
#pragma unroll
    for (int i = 0; i < PER; i++) {
      if (!mine || b + i >= B) continue;
#pragma unroll
      for (int x = 0; x < 4; x++) store_late(gate_now + i * 8 * H + x * H, gate[i][x]);
      store_late(output + state_now + i * 2 * H, h[i]);
      store_late(cells + state_now + i * 2 * H, c[i]);
      const int ahead = dir ? t - PREFETCH : t + PREFETCH;
      if (g == 0 && ahead >= 0 && ahead < length[i])
#pragma unroll
        for (int x = 0; x < 4; x++) prefetch_l2(gate_now + PREFETCH * gate_step + i * 8 * H + x * H);
    }
  }
  // Frames beyond the longest utterance of the cluster.
#pragma unroll
  for (int i = 0; i < PER; i++) {
    if (!mine || b + i >= B) continue;
    for (int t = end; t < T; t++) {
      const size_t at = ((size_t)t * B + b + i) * 2 * H + dir * H + unit;
      float* out = gates + ((size_t)t * B + b + i) * 8 * H + dir * 4 * H + unit;
      output[at] = 0.f, cells[at] = 0.f;
      out[0] = 0.f, out[H] = 0.f, out[2 * H] = 0.f, out[3 * H] = 0.f;
    }
  }
  // A block's shared memory must exist until all others have stopped writing to it.
  cluster_sync();
}
