// Forward recurrence of one bidirectional LSTM layer in one kernel launch, or of one direction of a large layer. After Diamos et al.
// 2016 (Persistent RNNs).
//
// Grid (H / UNITS, directions, SETS). A block owns UNITS hidden units of one direction and keeps their 4
// UNITS rows of the recurrent weights on chip for the whole sequence. For every step and tile of 16
// utterances, the warps of a group gather h of the previous step, each its share of K. They multiply, and add
// their partial sums through shared memory. One thread per cell then computes gates, cell and h, and
// publishes h.
//
// - batch: the layout of the batch.
// - gates: [rows, 8H], input projections on entry, activated gates on return.
// - cells, output: [rows, 2H].
// - exchange: zeroed, 2 slots x 2 directions x tiles x H/16 steps x STEP_WORDS words.
#define ROW (COLUMNS + 8)
#define PART_FLOATS (WARPS * 16 * ROW)

__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.f, 1.f + __expf(-x)); }
__device__ __forceinline__ float hyperbolic(float x) { return 1.f - __fdividef(2.f, 1.f + __expf(2.f * x)); }

// Offset of a cell's h in its tile, in bytes.
__device__ __forceinline__ int place_of(int unit, int row) {
  const int step = unit / 16, q = (unit % 16) / 4, e = unit % 4, lane = (row % 8) * 4 + q;
  return NARROW ? step * STEP_WORDS * 4 + lane * 16 + (row / 8) * 8 + e * 2 : (step * STEP_WORDS + (row / 8) * 128 + lane * 4 + e) * 4;
}
__device__ __forceinline__ void publish(void* at, float h, u32 tag) {
#if NARROW
  unsigned short half = (unsigned short)((pack(h, h) & ~TAG_MASK) | tag), *p = (unsigned short*)at;
  asm volatile("st.relaxed.gpu.global.b16 [%0],%1;" ::"l"(p), "h"(half));
#else
  u32* p = (u32*)at;
  u32 lead = round_tf32(h);
  asm volatile("st.relaxed.gpu.global.b32 [%0],%1;" ::"l"(p), "r"(tagged(lead, tag)));
  u32 rest = round_tf32(h - __uint_as_float(lead));
  asm volatile("st.relaxed.gpu.global.b32 [%0],%1;" ::"l"(p + 256), "r"(tagged(rest, tag)));
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
blstm_forward(float* gates, const float* bias, const float* weight_hh, const int* batch, float* output, float* cells, u32* exchange) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int B = batch[1], all_tiles = (B + 15) / 16;
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS, group = threadIdx.x / GROUP_THREADS, thread = threadIdx.x % GROUP_THREADS;
  const int warp = thread / 32, lane = thread % 32, g = lane >> 2, q = lane & 3;
  const int first_step = warp * STEPS_W, steps_here = min(STEPS_W, STEPS - first_step);
  float* parts = (float*)shared + group * PART_BUFFERS * PART_FLOATS;
  u32* smem_weights = (u32*)((float*)shared + GROUPS * PART_BUFFERS * PART_FLOATS) + warp * SMEM_STEPS * COLUMN_TILES * 32 * WREGS + lane * 2;

  // Column 8 j + g of the GEMM is gate g % 4 of unit 2 j + g / 4, so a cell's four sums are adjacent.
  Weights weights;
#pragma unroll
  for (int k = 0; k < STEPS_W; k++)
#pragma unroll
    for (int j = 0; j < COLUMN_TILES; j++) {
      u32 w[WREGS];
      float4 e = make_float4(0.f, 0.f, 0.f, 0.f);
      if (k < steps_here)
        e = *(const float4*)(weight_hh + ((size_t)dir * 4 * H + (g & 3) * H + first_unit + 2 * j + (g >> 2)) * H + (first_step + k) * 16 + q * 4);
      encode_weights(w, e.x, e.y, e.z, e.w);
#pragma unroll
      for (int r = 0; r < WREGS; r++) {
        if (k < REG_STEPS) weights.reg[k < REG_STEPS ? k : 0][j][r] = w[r];
        else if (group == 0) smem_weights[((k - REG_STEPS) * COLUMN_TILES + j) * 32 * WREGS + (r / 2) * 64 + r % 2] = w[r];
      }
    }
  float biases[4];
#pragma unroll
  for (int x = 0; x < 4; x++) biases[x] = bias[dir * 4 * H + x * H + first_unit + lane % UNITS];
  if (SMEM_STEPS > 0) __syncthreads();

  const int row0 = (warp * CELLS_PER_WARP + lane) / UNITS, column = lane % UNITS, unit = first_unit + column;
  const bool has_cells = CELL_WARPS == WARPS || warp < CELL_WARPS;
  const long long gate_step = (dir ? -1LL : 1LL) * FRAME_STEP * 8 * H;
  const int slot_words = all_tiles * STEPS * STEP_WORDS;  // per direction
  int place[PER];
#pragma unroll
  for (int i = 0; i < PER; i++) place[i] = place_of(unit, row0 + i * ROWS_APART);
  int count = 0;
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * GROUPS * SETS - 1) / (TILES * GROUPS * SETS);
  for (int pass = 0; pass < passes; pass++) {
    // Addresses of tile m's current frame, for the thread's first cell. Further cells are `below` rows below.
    int lengths[TILES][PER], below[TILES][PER], ends[TILES], end = 0;
    float *gate_at[TILES], c[TILES][PER], in[TILES][PER][4];
    // The offset of a row's states follows from the address of its gates, which saves registers.
    auto state_of = [&](const float* gate) { return (size_t)(gate - (gates + dir * 4 * H + unit)) / 4 + dir * H + unit; };
    // Loads the projections of frame t at gate_at.
    auto load_input = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const float* p = gate_at[m] + (size_t)below[m][i] * 8 * H;
#pragma unroll
        for (int x = 0; x < 4; x++) in[m][i][x] = t >= 0 && t < lengths[m][i] ? load_early(p + x * H) : 0.f;
      }
    };
#pragma unroll
    for (int m = 0; m < TILES; m++) {
      const int tile = ((pass * TILES + m) * GROUPS + group) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
#pragma unroll
      for (int i = 0; i < PER; i++) {
        lengths[m][i] = has_cells ? length_of(batch, tile, row0 + i * ROWS_APART) : 0;
        below[m][i] = rows_below(batch, tile * 16 + row0, i);
        c[m][i] = 0.f;
      }
      const int t = dir ? ends[m] - 1 : 0, b = tile * 16 + row0;
      gate_at[m] = gates + row_of(batch, b, t) * 8 * H + dir * 4 * H + unit;
      load_input(m, t);
    }
    auto first_unwritten = [&](int m, int i) { return PACKED ? lengths[m][i] : ends[m]; };
    // Every eighth lane prefetches its 32 bytes of a frame well ahead.
    auto prefetch = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++)
        if (lane % 8 == 0 && t >= 0 && t < lengths[m][i])
#pragma unroll
          for (int x = 0; x < 4; x++) prefetch_l2(gate_at[m] + PREFETCH * gate_step + (size_t)below[m][i] * 8 * H + x * H);
    };
    // Results of the last computed tile. Their stores are delayed until the next gather is under way.
    float late[PER][6], *late_gate = nullptr;
    int late_rows = 0, late_below[PER];
    auto write_late = [&]() {
      if (late_gate == nullptr) return;
#pragma unroll
      for (int i = 0; i < PER; i++) {
        if (!has_cells || SKIPPED(late_rows, i)) continue;
        float* out = late_gate + (size_t)late_below[i] * 8 * H;
#pragma unroll
        for (int x = 0; x < 4; x++) store_late(out + x * H, late[i][x]);
        const size_t at = state_of(out);
        store_late(output + at, late[i][4]);
        store_late(cells + at, late[i][5]);
      }
    };
    for (int s = 0; s < end; s++) {
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s >= ends[m]) continue;
        const int tile = ((pass * TILES + m) * GROUPS + group) * SETS + blockIdx.z, t = dir ? ends[m] - 1 - s : s;
        // Toggled only if the buffer is used, and so followed by a synchronisation: the next pass must not
        // start in the buffer being read.
        float* part = parts + count % PART_BUFFERS * PART_FLOATS;
#if PART_BUFFERS == 1
        group_sync(group);  // Other threads may still read the parts of the previous step.
#endif
        if (s > 0) count++;
        u32* to = exchange + ((s & 1) * 2 + dir) * slot_words + tile * STEPS * STEP_WORDS;
        if (s > 0) {
          float acc[COLUMN_TILES][4];
          const u32* src = exchange + (((s - 1) & 1) * 2 + dir) * slot_words + (tile * STEPS + first_step) * STEP_WORDS + lane * 4;
          gather_and_multiply(acc, weights, smem_weights, src, s - 1, steps_here, [&]() {
            if (LATE) write_late();
          });
          float* mine = part + (warp * 16 + g) * ROW + q * 2;
#pragma unroll
          for (int j = 0; j < COLUMN_TILES; j++) {
            *(float2*)(mine + j * 8) = make_float2(acc[j][0], acc[j][1]);
            *(float2*)(mine + 8 * ROW + j * 8) = make_float2(acc[j][2], acc[j][3]);
          }
          group_sync(group);
        } else if (LATE) {
          write_late();
        }
#pragma unroll
        for (int i = 0; i < PER; i++) {
          const int row = row0 + i * ROWS_APART;
          if (!has_cells) continue;
          float z[4];
#pragma unroll
          for (int x = 0; x < 4; x++) z[x] = in[m][i][x] + biases[x];
          if (s > 0) {
            float4 sum = *(const float4*)(part + row * ROW + column * 4);
#pragma unroll
            for (int w = 1; w < WARPS; w++) {
              float4 v = *(const float4*)(part + (w * 16 + row) * ROW + column * 4);
              sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
            }
            z[0] += sum.x, z[1] += sum.y, z[2] += sum.z, z[3] += sum.w;
          }
          const bool inside = t < lengths[m][i];
          float ig = sigmoid(z[0]), fg = sigmoid(z[1]), gg = hyperbolic(z[2]), og = sigmoid(z[3]);
          float cell_state = fg * c[m][i] + ig * gg, h = og * hyperbolic(cell_state);
          cell_state = inside ? cell_state : 0.f;
          h = inside ? h : 0.f;
          c[m][i] = cell_state;
          publish((char*)to + place[i], h, tag_of(s));
          late[i][0] = inside ? ig : 0.f, late[i][1] = inside ? fg : 0.f, late[i][2] = inside ? gg : 0.f, late[i][3] = inside ? og : 0.f;
          late[i][4] = h, late[i][5] = cell_state;
        }
        if (!has_cells) continue;
        late_gate = gate_at[m], late_rows = stored_cells(lengths[m], t, B - tile * 16 - row0);
#pragma unroll
        for (int i = 0; i < PER; i++) late_below[i] = below[m][i];
        gate_at[m] += gate_step;
        load_input(m, dir ? t - 1 : t + 1);
        prefetch(m, dir ? t - 1 - PREFETCH : t + 1 + PREFETCH);
        if (!LATE) write_late();
      }
    }
    if (LATE) write_late();
    // Frames beyond the longest utterance of the tile or, in a packed batch, beyond the utterance.
#pragma unroll
    for (int m = 0; m < TILES; m++)
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const int tile = ((pass * TILES + m) * GROUPS + group) * SETS + blockIdx.z;
        const int b = tile * 16 + row0 + i * ROWS_APART;
        if (!has_cells || b >= B) continue;
        for (int t = first_unwritten(m, i); t < extent_of(batch, b); t++) {
          const size_t at = row_of(batch, b, t) * 2 * H + dir * H + unit;
          float* out = gates + row_of(batch, b, t) * 8 * H + dir * 4 * H + unit;
          output[at] = 0.f, cells[at] = 0.f;
          out[0] = 0.f, out[H] = 0.f, out[2 * H] = 0.f, out[3 * H] = 0.f;
        }
      }
  }
}
