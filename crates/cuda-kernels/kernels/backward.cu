// Backward recurrence of one bidirectional LSTM layer in one kernel launch, or of one direction of a large layer.
//
// Grid (H / UNITS, directions, SETS). A step multiplies the gate gradients of the previous step, 4H wide,
// by the recurrent weights. If every block gathered all of them, it would read four times as much as in the
// forward pass. Instead, SPLIT neighbouring blocks form a team that splits K. Each gathers the gate gradients
// of H / SPLIT units, multiplies them by its weights for all units of the team, and sends every member its
// part of the sum (team.cuh). Each cell's thread adds the parts in a fixed order, so results are reproducible.
//
// - batch: the layout of the batch.
// - gates: [rows, 8H], activated gates on entry, gradients of their pre-activations on return.
// - cells, grad_output: [rows, 2H].
// - peak: a zeroed word that receives the bits of the largest magnitude of the gate gradients.
// - bias_sums: [SETS * CELL_WARPS * 32 / UNITS, 8H], sums of the gate gradients over parts of the rows.
// - exchange: zeroed, 2 slots x 2 directions x tiles x (H/4 steps x STEP_WORDS + (SPLIT > 1 without CLUSTER: H x 16 x SPLIT)
//   words).
// Partial sums, one from every warp: [COLUMN_TILES][16 rows][8 units].
#define PART_FLOATS (WORKERS * COLUMN_TILES * 128)

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

// The multiplying warps.
__device__ __forceinline__ void multiply_steps(const float* weight_hh, const int* batch, const u32* exchange, float* parts, u32* all_smem_weights) {
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;
  const int rank = blockIdx.x % SPLIT, team_unit = first_unit - rank * UNITS;
  const int first_step = rank * STEPS + warp * STEPS_W, steps_here = min(STEPS_W, STEPS - warp * STEPS_W);
  u32* smem_weights = all_smem_weights + warp * SMEM_STEPS * COLUMN_TILES * 32 * WREGS + lane * 2;

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
      keep_weights(weights, smem_weights, k, j, w);
    }
  if (SMEM_STEPS > 0) __syncwarp();

  const int all_tiles = (batch[1] + 15) / 16, slot_words = all_tiles * ALL_STEPS * STEP_WORDS;
  const u32 mine = shared_address(parts + warp * COLUMN_TILES * 128 + g * 8 + q * 2);
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * SETS - 1) / (TILES * SETS);
  for (int pass = 0; pass < passes; pass++) {
    int ends[TILES], end = 0;
    const u32* src[TILES];
#pragma unroll
    for (int m = 0; m < TILES; m++) {
      const int tile = (pass * TILES + m) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
      src[m] = exchange + dir * slot_words + (tile * ALL_STEPS + first_step) * STEP_WORDS + lane * 4;
    }
    int flip = 2 * slot_words;
    for (int s = 1; s < end; s++) {
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s >= ends[m]) continue;
        wait_until_published(m);
        if (WORKERS == WARPS || warp < WORKERS) {
          float acc[COLUMN_TILES][4];
          gather_and_multiply(acc, weights, smem_weights, src[m], s - 1, steps_here);
          const u32 part = mine + m * PART_FLOATS * 4;
#pragma unroll
          for (int j = 0; j < COLUMN_TILES; j++) {
            store_part(part + j * 512, acc[j][0], acc[j][1]);
            store_part(part + j * 512 + 256, acc[j][2], acc[j][3]);
          }
        }
        barrier_arrive(FULL(m));
        src[m] += flip;
      }
      flip = -flip;
    }
  }
}

// Four neighbouring partial sums, added in the order of the warps.
__device__ __forceinline__ float4 add_parts(u32 at) {
  float4 sum = load_part(at);
#pragma unroll
  for (int w = 1; w < WORKERS; w++) {
    const float4 v = load_part(at + w * COLUMN_TILES * 512);
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  return sum;
}

// The cell warps. `team_parts` is where the parts of a team's sums arrive: shared memory, or the end of the exchange buffer.
template <class TeamParts>
__device__ __forceinline__ void compute_cells(float* gates, const float* cells, const float* grad_output, const int* batch, u32* exchange, u32* peak, float* bias_sums, const float* parts,
                                              TeamParts& team_parts) {
  const int B = batch[1], all_tiles = (B + 15) / 16;
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS, rank = blockIdx.x % SPLIT;
  const int thread = threadIdx.x - WARPS * 32, warp = thread / 32, lane = thread % 32;
  const int row0 = (warp * CELLS_PER_WARP + lane) / UNITS, column = lane % UNITS, unit = first_unit + column;
  const u32 parts_at = shared_address(parts);
  const long long gate_step = (dir ? 1LL : -1LL) * FRAME_STEP * 8 * H, state_step = (dir ? 1LL : -1LL) * FRAME_STEP * 2 * H;
  const int slot_words = all_tiles * ALL_STEPS * STEP_WORDS;
  // A thread's rows are in the same half of the tile, so their places are evenly spaced.
  const int place = place_of(unit, row0), place_in_part = (column / 8) * 128 + row0 * 8 + column % 8;
#if SCALED
  const int scale_place = scale_place_of(unit, row0);
#endif
  float top = 0.f, bias[4] = {0.f, 0.f, 0.f, 0.f};
  u32 used[TILES];
#pragma unroll
  for (int m = 0; m < TILES; m++) used[m] = 0;
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * SETS - 1) / (TILES * SETS);
  for (int pass = 0; pass < passes; pass++) {
    // Addresses of tile m's current frame, for the thread's first cell. Further cells are `below` rows below.
    int lengths[TILES][PER], below[TILES][PER], ends[TILES], end = 0;
    float *gate_at[TILES], dc[TILES][PER], state[TILES][PER], in[TILES][PER][6];
    u32* to[TILES];
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
      const int tile = (pass * TILES + m) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
      const int t = dir ? 0 : ends[m] - 1, b = tile * 16 + row0;
      gate_at[m] = gates + row_of(batch, b, t) * 8 * H + dir * 4 * H + unit;
      to[m] = exchange + dir * slot_words + tile * ALL_STEPS * STEP_WORDS;
#pragma unroll
      for (int i = 0; i < PER; i++) {
        lengths[m][i] = length_of(batch, tile, row0 + i * ROWS_APART);
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
    int flip = 2 * slot_words;
    for (int s = 0; s < end; s++) {
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s >= ends[m]) continue;
        const int tile = (pass * TILES + m) * SETS + blockIdx.z, t = dir ? s : ends[m] - 1 - s;
        // What does not depend on the other blocks is computed before the wait.
        float from_h[PER], to_gate[PER][4];
#pragma unroll
        for (int i = 0; i < PER; i++) {
          const float ig = in[m][i][0], fg = in[m][i][1], gg = in[m][i][2], og = in[m][i][3], squashed = hyperbolic(state[m][i]);
          from_h[i] = og * (1.f - squashed * squashed);
          to_gate[i][0] = gg * ig * (1.f - ig), to_gate[i][1] = in[m][i][5] * fg * (1.f - fg), to_gate[i][2] = ig * (1.f - gg * gg);
          to_gate[i][3] = squashed * og * (1.f - og);
        }
        float dh[PER];
#pragma unroll
        for (int i = 0; i < PER; i++) dh[i] = in[m][i][4];
        if (s > 0) {
          const u32 part = parts_at + m * PART_FLOATS * 4;
#if SPLIT > 1
          // Send every member of the team its part of the sum, added over the warps.
#if CLUSTER
          const Inbox inbox = open_inbox(team_parts, m, used[m]++);
#else
          const Inbox inbox = open_inbox(team_parts + (((s & 1) * 2 + dir) * all_tiles + tile) * gridDim.x * TEAM_WORDS + blockIdx.x * TEAM_WORDS, s);
#endif
          barrier_sync(FULL(m));
#pragma unroll
          for (int n = 0; n < (COLUMN_TILES * 128 + CELL_THREADS * 4 - 1) / (CELL_THREADS * 4); n++) {
            const int e = (n * CELL_THREADS + thread) * 4;
            if (COLUMN_TILES * 128 % (CELL_THREADS * 4) == 0 || e < COLUMN_TILES * 128)
              send(inbox, rank, e / CELLS_PER_TILE, e % CELLS_PER_TILE, add_parts(part + e * 4));
          }
          wait_for_parts(inbox, thread == 0);
#pragma unroll
          for (int i = 0; i < PER; i++) dh[i] += receive(inbox, place_in_part + i * ROWS_APART * 8) * UNSCALE;
#else
          barrier_sync(FULL(m));
#pragma unroll
          for (int i = 0; i < PER; i++) {
            float sum = 0.f;
#pragma unroll
            for (int w = 0; w < WORKERS; w++) sum += parts[m * PART_FLOATS + w * COLUMN_TILES * 128 + place_in_part + i * ROWS_APART * 8];
            dh[i] += sum * UNSCALE;
          }
#endif
        }
        float late[PER][4];
#pragma unroll
        for (int i = 0; i < PER; i++) {
          const bool inside = t < lengths[m][i];
          const float dcell = dc[m][i] + dh[i] * from_h[i];
          float d[4] = {dcell * to_gate[i][0], dcell * to_gate[i][1], dcell * to_gate[i][2], dh[i] * to_gate[i][3]};
#pragma unroll
          for (int x = 0; x < 4; x++) d[x] = inside ? d[x] : 0.f;
#if SCALED
          publish_scaled(to[m], place + i * ROWS_APART * 16, scale_place + i * ROWS_APART * 2, d, s);
#else
          publish(to[m] + place + i * ROWS_APART * 16, d, tag_of(s));
#endif
          dc[m][i] = inside ? dcell * in[m][i][1] : 0.f;
          state[m][i] = in[m][i][5];
#pragma unroll
          for (int x = 0; x < 4; x++) late[i][x] = d[x], top = fmaxf(top, fabsf(d[x])), bias[x] += d[x];
        }
        if (s + 1 < ends[m]) barrier_arrive(PUBLISHED(m));
        to[m] += flip;
        const int stored = stored_cells(lengths[m], t, B - tile * 16 - row0);
#pragma unroll
        for (int i = 0; i < PER; i++) {
          if (SKIPPED(stored, i)) continue;
          float* out = gate_at[m] + (size_t)below[m][i] * 8 * H;
#pragma unroll
          for (int x = 0; x < 4; x++) store_late(out + x * H, late[i][x]);
        }
        gate_at[m] += gate_step;
        load_input(m, dir ? t + 1 : t - 1);
        prefetch(m, dir ? t + 1 + PREFETCH : t - 1 - PREFETCH);
      }
      flip = -flip;
    }
#pragma unroll
    for (int m = 0; m < TILES; m++)
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const int tile = (pass * TILES + m) * SETS + blockIdx.z;
        const int b = tile * 16 + row0 + i * ROWS_APART;
        if (b >= B) continue;
        for (int t = first_unwritten(m, i); t < extent_of(batch, b); t++)
          for (int x = 0; x < 4; x++) gates[row_of(batch, b, t) * 8 * H + dir * 4 * H + x * H + unit] = 0.f;
      }
  }
  const int slice = (blockIdx.z * CELL_WARPS + warp) * ROWS_APART + lane / UNITS;
#pragma unroll
  for (int x = 0; x < 4; x++) bias_sums[(size_t)slice * 8 * H + dir * 4 * H + x * H + unit] = bias[x];
  u32 bits = __reduce_max_sync(0xffffffffu, __float_as_uint(top));
  if (lane == 0) atomicMax(peak, bits);
}

extern "C" __global__ void
#if CLUSTER
__cluster_dims__(SPLIT, 1, 1)
#endif
__launch_bounds__(THREADS, 1)
blstm_backward(float* gates, const float* cells, const float* grad_output, const float* weight_hh, const int* batch, u32* exchange, u32* peak, float* bias_sums) {
  extern __shared__ __align__(16) unsigned char shared[];
  float* parts = (float*)shared;
  u32* smem_weights = (u32*)(parts + TILES * PART_FLOATS);
#if CLUSTER
  Team& team_parts = *(Team*)(smem_weights + WEIGHT_SMEM_WORDS);
  begin_team(team_parts);
#else
  u32* team_parts = exchange + 4 * ((batch[1] + 15) / 16) * ALL_STEPS * STEP_WORDS;
#endif
  if (threadIdx.x < WARPS * 32) {
    TAKE_REGISTERS();
    multiply_steps(weight_hh, batch, exchange, parts, smem_weights);
  } else {
    GIVE_REGISTERS();
    compute_cells(gates, cells, grad_output, batch, exchange, peak, bias_sums, parts, team_parts);
  }
#if CLUSTER
  end_team();
#endif
}
