// Backward recurrence of one bidirectional LSTM layer in one kernel launch, or of one direction of a large layer.
//
// Grid (H / UNITS, directions, SETS). A step multiplies the gate gradients of the previous step, 4H wide,
// by the recurrent weights. If every block gathered all of them, it would read four times as much as in the
// forward pass. Instead, SPLIT neighbouring blocks form a team that splits K. Each gathers the gate gradients
// of H / SPLIT units, multiplies them by its weights for all units of the team, and sends every member its
// part of the sum. These parts are exchanged like the vectors, tagged in their lowest mantissa bit. One
// thread per cell adds them in a fixed order, so results are reproducible.
//
// - batch: the layout of the batch.
// - gates: [rows, 8H], activated gates on entry, gradients of their pre-activations on return.
// - cells, grad_output: [rows, 2H].
// - peak: a zeroed word that receives the bits of the largest magnitude of the gate gradients.
// - exchange: zeroed, 2 slots x 2 directions x tiles x (H/4 steps x STEP_WORDS + (SPLIT > 1: H x 16 x SPLIT)
//   words).
// Partial sums of a group, one from every warp: [COLUMN_TILES][16 rows][8 units].
#define PART_FLOATS (WORKERS * COLUMN_TILES * 128)
#define TEAM_WORDS (CELLS_PER_TILE * SPLIT)  // words that a block receives per tile

// bf16 gate gradients are exchanged with a scale of 2^-60. This keeps the tagged exponent bit clear up to
// 2^61 and is exact above 2^-66. f16 lacks this range, so every four units of a row have their own scale.
#if NARROW && !SCALED
#define SCALE 8.673617379884035e-19f
#define UNSCALE 1.152921504606846976e18f
#else
#define SCALE 1.f
#define UNSCALE 1.f
#endif

__device__ __forceinline__ float hyperbolic(float x) { return 1.f - __fdividef(2.f, 1.f + __expf(2.f * x)); }

// The four gate gradients of a cell are one quad of K. Offset of the quad in its tile, in words.
__device__ __forceinline__ int place_of(int unit, int row) {
  const int step = unit / 4, lane = (row % 8) * 4 + unit % 4;
  return step * STEP_WORDS + lane * 4 + (row / 8) * (NARROW ? 2 : 128);
}
#if SCALED
// Offset of the scale of a quad's row and step in its tile.
__device__ __forceinline__ int scale_place_of(int unit, int row) { return (unit / 4) * STEP_WORDS + 128 + (row % 8) * 2 + row / 8; }
// Called by all lanes of a warp: the four units that share a scale belong to neighbouring lanes.
__device__ __forceinline__ void publish_scaled(u32* tile, int place, int scale_place, const float (&d)[4], int step) {
  float most = fmaxf(fmaxf(fabsf(d[0]), fabsf(d[1])), fmaxf(fabsf(d[2]), fabsf(d[3])));
  most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
  most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
  // The next power of two above the largest magnitude, so all scaled values below 2^126 are at most 1. Gradients that are not
  // finite become finite here, but the gate gradients keep them.
  const u32 exponent = min((__float_as_uint(most) >> 23) + 1u, 253u);
  const float inverse = __uint_as_float((254u - exponent) << 23);
  const u32 tag = tag_of(step), x = tagged(pack(d[0] * inverse, d[1] * inverse), tag), y = tagged(pack(d[2] * inverse, d[3] * inverse), tag);
  asm volatile("st.relaxed.gpu.global.v2.b32 [%0],{%1,%2};" ::"l"(tile + place), "r"(x), "r"(y));
  if (threadIdx.x % 4 == 0)
    asm volatile("st.relaxed.gpu.global.b32 [%0],%1;" ::"l"(tile + scale_place), "r"((exponent << 23) | scale_tag_of(step)));
}
#endif
__device__ __forceinline__ void publish(u32* p, const float (&d)[4], u32 tag) {
#if NARROW
  u32 x = tagged(pack(d[0] * SCALE, d[1] * SCALE), tag), y = tagged(pack(d[2] * SCALE, d[3] * SCALE), tag);
  asm volatile("st.relaxed.gpu.global.v2.b32 [%0],{%1,%2};" ::"l"(p), "r"(x), "r"(y));
#else
  u32 w[4];
#pragma unroll
  for (int e = 0; e < 4; e++) w[e] = round_tf32(d[e]);
  asm volatile("st.relaxed.gpu.global.v4.b32 [%0],{%1,%2,%3,%4};" ::"l"(p), "r"(tagged(w[0], tag)), "r"(tagged(w[1], tag)),
               "r"(tagged(w[2], tag)), "r"(tagged(w[3], tag)));
#pragma unroll
  for (int e = 0; e < 4; e++) w[e] = round_tf32(d[e] - __uint_as_float(w[e]));
  asm volatile("st.relaxed.gpu.global.v4.b32 [%0],{%1,%2,%3,%4};" ::"l"(p + 256), "r"(tagged(w[0], tag)), "r"(tagged(w[1], tag)),
               "r"(tagged(w[2], tag)), "r"(tagged(w[3], tag)));
#endif
}

// Slots are first used at steps 1 and 2, and are initially zero.
__device__ __forceinline__ u32 part_tag(int step) { return ((step - 1) & 2) ? 0u : 1u; }
__device__ __forceinline__ u32 part_word(float x, u32 tag) { return (__float_as_uint(x) & ~1u) | tag; }

extern "C" __global__ void __launch_bounds__(THREADS, 1)
blstm_backward(float* gates, const float* cells, const float* grad_output, const float* weight_hh, const int* batch, u32* exchange, u32* peak) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int B = batch[1], all_tiles = (B + 15) / 16;
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS, group = threadIdx.x / GROUP_THREADS, thread = threadIdx.x % GROUP_THREADS;
  const int warp = thread / 32, lane = thread % 32, g = lane >> 2, q = lane & 3;
  const int rank = blockIdx.x % SPLIT, team_unit = first_unit - rank * UNITS;
  const int first_step = rank * STEPS + warp * STEPS_W, steps_here = min(STEPS_W, STEPS - warp * STEPS_W);
  float* parts = (float*)shared + group * PART_BUFFERS * PART_FLOATS;
  u32* smem_weights = (u32*)((float*)shared + GROUPS * PART_BUFFERS * PART_FLOATS) + warp * SMEM_STEPS * COLUMN_TILES * 32 * WREGS + lane * 2;

  Weights weights;
#pragma unroll
  for (int k = 0; k < STEPS_W; k++)
#pragma unroll
    for (int j = 0; j < COLUMN_TILES; j++) {
      u32 w[WREGS];
      float e[4] = {0.f, 0.f, 0.f, 0.f};
      if (k < steps_here)
#pragma unroll
        for (int x = 0; x < 4; x++) e[x] = weight_hh[((size_t)dir * 4 * H + x * H + (first_step + k) * 4 + q) * H + team_unit + j * 8 + g];
      encode_weights(w, e[0], e[1], e[2], e[3]);
#pragma unroll
      for (int r = 0; r < WREGS; r++) {
        if (k < REG_STEPS) weights.reg[k < REG_STEPS ? k : 0][j][r] = w[r];
        else if (group == 0) smem_weights[((k - REG_STEPS) * COLUMN_TILES + j) * 32 * WREGS + (r / 2) * 64 + r % 2] = w[r];
      }
    }
  if (SMEM_STEPS > 0) __syncthreads();

  const int row0 = (warp * CELLS_PER_WARP + lane) / UNITS, column = lane % UNITS, unit = first_unit + column;
  const bool has_cells = CELL_WARPS == WARPS || warp < CELL_WARPS;
  const long long gate_step = (dir ? 1LL : -1LL) * FRAME_STEP * 8 * H, state_step = (dir ? 1LL : -1LL) * FRAME_STEP * 2 * H;
  const int slot_words = all_tiles * ALL_STEPS * STEP_WORDS;
  u32* sums = exchange + 4 * slot_words;
  const int sum_words = all_tiles * gridDim.x * TEAM_WORDS;  // per direction and slot
  int count = 0;
  int place[PER];
#pragma unroll
  for (int i = 0; i < PER; i++) place[i] = place_of(unit, row0 + i * ROWS_APART);
  float top = 0.f;
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * GROUPS * SETS - 1) / (TILES * GROUPS * SETS);
  for (int pass = 0; pass < passes; pass++) {
    // Addresses of tile m's current frame, for the thread's first cell. Further cells are `below` rows below.
    int lengths[TILES][PER], below[TILES][PER], ends[TILES], end = 0;
    float *gate_at[TILES], dc[TILES][PER], state[TILES][PER], in[TILES][PER][6];
    // The offset of a row's states follows from the address of its gates, which saves registers.
    auto state_of = [&](const float* gate) { return (size_t)(gate - (gates + dir * 4 * H + unit)) / 4 + dir * H + unit; };
    // Loads the inputs of frame t at gate_at: gates, output gradient, and the previous cell state.
    auto load_input = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const float* gate = gate_at[m] + (size_t)below[m][i] * 8 * H;
        const size_t at = state_of(gate_at[m]) + (size_t)below[m][i] * 2 * H;
        const int earlier = dir ? t + 1 : t - 1;
        const bool inside = t >= 0 && t < lengths[m][i];
#pragma unroll
        for (int x = 0; x < 4; x++) in[m][i][x] = inside ? load_early(gate + x * H) : 0.f;
        in[m][i][4] = inside ? load_early(grad_output + at) : 0.f;
        in[m][i][5] = earlier >= 0 && earlier < lengths[m][i] ? load_early(cells + at + state_step) : 0.f;
      }
    };
#pragma unroll
    for (int m = 0; m < TILES; m++) {
      const int tile = ((pass * TILES + m) * GROUPS + group) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
      const int t = dir ? 0 : ends[m] - 1, b = tile * 16 + row0;
      gate_at[m] = gates + row_of(batch, b, t) * 8 * H + dir * 4 * H + unit;
#pragma unroll
      for (int i = 0; i < PER; i++) {
        lengths[m][i] = has_cells ? length_of(batch, tile, row0 + i * ROWS_APART) : 0;
        below[m][i] = rows_below(batch, tile * 16 + row0, i);
        dc[m][i] = 0.f;
        state[m][i] = t >= 0 && t < lengths[m][i] ? cells[state_of(gate_at[m]) + (size_t)below[m][i] * 2 * H] : 0.f;
      }
      load_input(m, t);
    }
    auto first_unwritten = [&](int m, int i) { return PACKED ? lengths[m][i] : ends[m]; };
    // Every eighth lane prefetches its 32 bytes of a frame well ahead.
    auto prefetch = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++)
        if (lane % 8 == 0 && t >= 0 && t < lengths[m][i]) {
          const size_t at = state_of(gate_at[m]) + PREFETCH * state_step + (size_t)below[m][i] * 2 * H;
#pragma unroll
          for (int x = 0; x < 4; x++) prefetch_l2(gate_at[m] + PREFETCH * gate_step + (size_t)below[m][i] * 8 * H + x * H);
          prefetch_l2(grad_output + at);
          prefetch_l2(cells + at);
        }
    };
    // Gradients of the last computed tile. Their stores are delayed until the next gather is under way.
    float late[PER][4], *late_gate = nullptr;
    int late_rows = 0, late_below[PER];
    auto write_late = [&]() {
      if (late_gate == nullptr) return;
#pragma unroll
      for (int i = 0; i < PER; i++) {
        if (!has_cells || SKIPPED(late_rows, i)) continue;
        float* out = late_gate + (size_t)late_below[i] * 8 * H;
#pragma unroll
        for (int x = 0; x < 4; x++) store_late(out + x * H, late[i][x]);
      }
    };
    for (int s = 0; s < end; s++) {
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s >= ends[m]) continue;
        const int tile = ((pass * TILES + m) * GROUPS + group) * SETS + blockIdx.z, t = dir ? s : ends[m] - 1 - s;
        // Toggled only if the buffer is used, and so followed by a synchronisation: the next pass must not
        // start in the buffer being read.
        float* part = parts + count % PART_BUFFERS * PART_FLOATS;
#if PART_BUFFERS == 1
        group_sync(group);  // Other threads may still read the parts of the previous step.
#endif
        if (s > 0) count++;
        auto meanwhile = [&]() {
          if (LATE) write_late();
        };
        if (s == 0 || warp >= WORKERS) {
          meanwhile();
        } else {
          float acc[COLUMN_TILES][4];
          const u32* src = exchange + (((s - 1) & 1) * 2 + dir) * slot_words + (tile * ALL_STEPS + first_step) * STEP_WORDS + lane * 4;
          gather_and_multiply(acc, weights, smem_weights, src, s - 1, steps_here, meanwhile);
          float* mine = part + warp * COLUMN_TILES * 128 + g * 8 + q * 2;
#pragma unroll
          for (int j = 0; j < COLUMN_TILES; j++) {
            *(float2*)(mine + j * 128) = make_float2(acc[j][0], acc[j][1]);
            *(float2*)(mine + j * 128 + 64) = make_float2(acc[j][2], acc[j][3]);
          }
        }
        if (s > 0) group_sync(group);
#if SPLIT > 1
        // Send every member of the team its part of the sum, added over the warps.
        u32* received = sums + ((s & 1) * 2 + dir) * sum_words + (tile * gridDim.x + blockIdx.x) * TEAM_WORDS;
        if (s > 0)
#pragma unroll
          for (int e = thread * 4; e < COLUMN_TILES * 128; e += GROUP_THREADS * 4) {
            float4 sum = *(const float4*)(part + e);
#pragma unroll
            for (int w = 1; w < WORKERS; w++) {
              const float4 v = *(const float4*)(part + w * COLUMN_TILES * 128 + e);
              sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
            }
            const int member = e / CELLS_PER_TILE;
            u32* to = received + (member - rank) * TEAM_WORDS + rank * CELLS_PER_TILE + e % CELLS_PER_TILE;
            asm volatile("st.relaxed.gpu.global.v4.b32 [%0],{%1,%2,%3,%4};" ::"l"(to), "r"(part_word(sum.x, part_tag(s))),
                         "r"(part_word(sum.y, part_tag(s))), "r"(part_word(sum.z, part_tag(s))), "r"(part_word(sum.w, part_tag(s))));
          }
#endif
#pragma unroll
        for (int i = 0; i < PER; i++) {
          const int row = row0 + i * ROWS_APART;
          if (!has_cells) continue;
          const float ig = in[m][i][0], fg = in[m][i][1], gg = in[m][i][2], og = in[m][i][3], squashed = hyperbolic(state[m][i]);
          const float from_h = og * (1.f - squashed * squashed), to_o = squashed * og * (1.f - og);
          const float to_i = gg * ig * (1.f - ig), to_f = in[m][i][5] * fg * (1.f - fg), to_g = ig * (1.f - gg * gg);
          float dh = in[m][i][4];
          if (s > 0) {
            const int place_in_part = (column / 8) * 128 + row * 8 + column % 8;
            float sum = 0.f;
#if SPLIT > 1
            u32 v[SPLIT], bad, spins = 0;
            do {
              if (++spins == SPIN_LIMIT) __trap();
              bad = 0u;
#pragma unroll
              for (int r = 0; r < SPLIT; r++)
                asm volatile("ld.relaxed.gpu.global.b32 %0,[%1];" : "=r"(v[r]) : "l"(received + r * CELLS_PER_TILE + place_in_part));
#pragma unroll
              for (int r = 0; r < SPLIT; r++) bad |= v[r] ^ part_tag(s);
            } while (bad & 1u);
#pragma unroll
            for (int r = 0; r < SPLIT; r++) sum += __uint_as_float(v[r]);
#else
#pragma unroll
            for (int w = 0; w < WORKERS; w++) sum += part[w * COLUMN_TILES * 128 + place_in_part];
#endif
            dh += sum * UNSCALE;
          }
          const bool inside = t < lengths[m][i];
          const float dcell = dc[m][i] + dh * from_h;
          float d[4] = {dcell * to_i, dcell * to_f, dcell * to_g, dh * to_o};
#pragma unroll
          for (int x = 0; x < 4; x++) d[x] = inside ? d[x] : 0.f;
          dc[m][i] = inside ? dcell * fg : 0.f;
          u32* to = exchange + ((s & 1) * 2 + dir) * slot_words + tile * ALL_STEPS * STEP_WORDS;
#if SCALED
          publish_scaled(to, place[i], scale_place_of(unit, row), d, s);
#else
          publish(to + place[i], d, tag_of(s));
#endif
          state[m][i] = in[m][i][5];
#pragma unroll
          for (int x = 0; x < 4; x++) late[i][x] = d[x], top = fmaxf(top, fabsf(d[x]));
        }
        if (!has_cells) continue;
        late_gate = gate_at[m], late_rows = stored_cells(lengths[m], t, B - tile * 16 - row0);
#pragma unroll
        for (int i = 0; i < PER; i++) late_below[i] = below[m][i];
        gate_at[m] += gate_step;
        load_input(m, dir ? t + 1 : t - 1);
        prefetch(m, dir ? t + 1 + PREFETCH : t - 1 - PREFETCH);
        if (!LATE) write_late();
      }
    }
    if (LATE) write_late();
#pragma unroll
    for (int m = 0; m < TILES; m++)
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const int tile = ((pass * TILES + m) * GROUPS + group) * SETS + blockIdx.z;
        const int b = tile * 16 + row0 + i * ROWS_APART;
        if (!has_cells || b >= B) continue;
        for (int t = first_unwritten(m, i); t < extent_of(batch, b); t++)
          for (int x = 0; x < 4; x++) gates[row_of(batch, b, t) * 8 * H + dir * 4 * H + x * H + unit] = 0.f;
      }
  }
  u32 bits = __reduce_max_sync(0xffffffffu, __float_as_uint(top));
  if (lane == 0) atomicMax(peak, bits);
}
