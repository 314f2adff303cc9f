// Backward recurrence of one bidirectional LSTM layer in one kernel launch, or of one direction of a large layer.
//
// Grid (H / UNITS, directions, SETS). A step multiplies the gate gradients of the previous step, 4H wide,
// by the recurrent weights. If every block gathered all of them, it would read four times as much as in the
// forward pass. Instead, SPLIT neighbouring blocks form a team that splits K. Each gathers the gate gradients
// of H / SPLIT units, multiplies them by its weights for all units of the team, and sends every member its
// part of the sum (team.cuh). Each cell's thread adds the parts in a fixed order, so results are reproducible.
//
// - batch: the layout of the batch.
// - gates: [rows, 8H], activated gates, in the order of gates.cuh.
// - cells, grad_output: [rows, 2H].
// - results: [rows, 8H], the gate gradients, that is of the gates before activation, in the order of the gates. In f32, they may overwrite
//   f32 gates. With FACTOR, they are the operand of GEMMs (results.cuh).
// - peak: a zeroed word that receives the bits of the largest magnitude of the gate gradients.
// - magnitude: with FACTOR, the bits of about the largest magnitude of grad_output.
// - inverse: with FACTOR, the inverse of the operand's scale (output).
// - attempt: with FACTOR and f16, the kernel is launched twice, each time with a zeroed exchange buffer. The second launch ends at once
//   unless gradients have exceeded the range of f16.
// - bias_sums: [SETS * CELL_GROUPS * SLICES, 8H], sums of the gate gradients over parts of the rows.
// - exchange: zeroed, 2 slots x 2 directions x tiles x (ALL_GROUPS x GROUP_WORDS + (SPLIT > 1 without CLUSTER: H x ROWS x SPLIT)
//   words).
#define SLICES (ROWS == 16 ? CELL_WARPS * ROWS_APART : 32 / UNITS)

__device__ __forceinline__ float hyperbolic(float x) { return 1.f - __fdividef(2.f, 1.f + __expf(2.f * x)); }

// Four neighbouring partial sums, added in the order of the warps.
__device__ __forceinline__ float4 add_parts(u32 at) {
  float4 sum = load_part(at);
#pragma unroll
  for (int w = 1; w < WORKERS; w++) {
    const float4 v = load_part(at + w * PART * 4);
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  return sum;
}

// The cell warps. `team_parts` is where the parts of a team's sums arrive: shared memory, or the end of the exchange buffer.
template <class TeamParts>
__device__ __forceinline__ void compute_cells(const Gate* gates, const float* cells, const float* grad_output, const int* batch, Result* results, float scale, u32* exchange, u32* peak, float* bias_sums,
                                              const float* parts, TeamParts& team_parts) {
  const int B = batch[1], all_tiles = tiles_of(batch);
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS, rank = blockIdx.x % SPLIT;
  const int group = (threadIdx.x - WARPS * 32) / CELL_THREADS, thread = (threadIdx.x - WARPS * 32) % CELL_THREADS, warp = thread / 32, lane = thread % 32;
  auto tile_of_block = [&](int m) { return CELL_GROUPS == 1 ? m : m * CELL_GROUPS + group; };
  const int row0 = row_of_cell(warp, lane), column = unit_of_cell(warp, lane), unit = first_unit + column;
  const u32 parts_at = shared_address(parts);
  const Gate* first_gate = gates + dir * 4 * H + gates_of(unit);
  const long long gate_step = (dir ? 1LL : -1LL) * FRAME_STEP * 8 * H, state_step = (dir ? 1LL : -1LL) * FRAME_STEP * 2 * H;
  const int slot_words = all_tiles * ALL_GROUPS * GROUP_WORDS;
  // A thread's rows are in the same half of the tile, so their places are evenly spaced.
  const int place = place_of(unit, row0);
  const int place_in_part = ROWS == 16 ? (column / 8) * 128 + row0 * 8 + column % 8 : column * 8 + row0;
#define PLACES_APART (ROWS == 16 ? ROWS_APART * 8 : 1)  // from a thread's cell to its next one
#if SCALED
  const int scale_place = scale_place_of(unit, row0);
#endif
  float top = 0.f, bias[4] = {0.f, 0.f, 0.f, 0.f};
  u32 used[OWN_TILES];
#pragma unroll
  for (int m = 0; m < OWN_TILES; m++) used[m] = 0;
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * SETS - 1) / (TILES * SETS);
  for (int pass = 0; pass < passes; pass++) {
    // Addresses of tile m's current frame, for the thread's first cell. Further cells are `below` rows below.
    int lengths[OWN_TILES][PER], below[OWN_TILES][PER], ends[OWN_TILES], end = 0;
    const Gate* gate_at[OWN_TILES];
    LoadedGates in[OWN_TILES][PER];
    float dc[OWN_TILES][PER], state[OWN_TILES][PER], grad[OWN_TILES][PER], earlier_state[OWN_TILES][PER];
    u32* to[OWN_TILES];
    // The offset of a row's states follows from the address of its gates, which saves registers.
    auto state_of = [&](const Gate* gate) { return (size_t)(gate - first_gate) / 4 + dir * H + unit; };
    // Loads the inputs of frame t at gate_at: gates, output gradient, and the previous cell state.
    auto load_input = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const size_t at = state_of(gate_at[m]) + (size_t)below[m][i] * 2 * H;
        const int earlier = dir ? t + 1 : t - 1;
        const bool inside = t >= 0 && t < lengths[m][i];
        load_gates(in[m][i], gate_at[m] + (size_t)below[m][i] * 8 * H, inside);
        grad[m][i] = inside ? load_early(grad_output + at) : 0.f;
        earlier_state[m][i] = earlier >= 0 && earlier < lengths[m][i] ? load_early(cells + at + state_step) : 0.f;
      }
    };
#pragma unroll
    for (int m = 0; m < OWN_TILES; m++) {
      const int tile = (pass * TILES + tile_of_block(m)) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
      const int t = dir ? 0 : ends[m] - 1, b = tile * ROWS + row0;
      gate_at[m] = first_gate + row_of(batch, b, t) * 8 * H;
      to[m] = exchange + dir * slot_words + tile * ALL_GROUPS * GROUP_WORDS;
#pragma unroll
      for (int i = 0; i < PER; i++) {
        lengths[m][i] = length_of(batch, tile, row0 + i * ROWS_APART);
        below[m][i] = rows_below(batch, tile * ROWS + row0, i);
        dc[m][i] = 0.f;
        state[m][i] = t >= 0 && t < lengths[m][i] ? cells[state_of(gate_at[m]) + (size_t)below[m][i] * 2 * H] : 0.f;
      }
      load_input(m, t);
    }
    auto first_unwritten = [&](int m, int i) { return PACKED ? lengths[m][i] : ends[m]; };
    // One lane prefetches every 32 bytes of a frame well ahead.
    auto prefetch = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++) {
        if (t < 0 || t >= lengths[m][i]) continue;
        if (prefetches_gates(lane)) prefetch_gates(gate_at[m] + PREFETCH * gate_step + (size_t)below[m][i] * 8 * H);
        if (prefetches(lane)) {
          const size_t at = state_of(gate_at[m]) + PREFETCH * state_step + (size_t)below[m][i] * 2 * H;
          prefetch_l2(grad_output + at);
          prefetch_l2(cells + at);
        }
      }
    };
    int flip = 2 * slot_words;
    for (int s = 0; s < end; s++) {
#pragma unroll
      for (int m = 0; m < OWN_TILES; m++) {
        if (s >= ends[m]) continue;
        const int tile = (pass * TILES + tile_of_block(m)) * SETS + blockIdx.z, t = dir ? s : ends[m] - 1 - s;
        // What does not depend on the other blocks is computed before the wait.
        float from_h[PER], to_gate[PER][4], forget[PER];
#pragma unroll
        for (int i = 0; i < PER; i++) {
          float gate[4];
          unpack_gates(in[m][i], gate);
          const float ig = gate[0], fg = gate[1], gg = gate[2], og = gate[3], squashed = hyperbolic(state[m][i]);
          forget[i] = fg;
          from_h[i] = og * (1.f - squashed * squashed);
          to_gate[i][0] = gg * ig * (1.f - ig), to_gate[i][1] = earlier_state[m][i] * fg * (1.f - fg), to_gate[i][2] = ig * (1.f - gg * gg);
          to_gate[i][3] = squashed * og * (1.f - og);
        }
        float dh[PER];
#pragma unroll
        for (int i = 0; i < PER; i++) dh[i] = grad[m][i];
        if (s > 0) {
          const u32 part = parts_at + tile_of_block(m) * PART_FLOATS * 4;
#if SPLIT > 1
          // Send every member of the team its part of the sum, added over the warps.
#if CLUSTER
          const Inbox inbox = open_inbox(team_parts, tile_of_block(m), used[m]++);
#else
          const Inbox inbox = open_inbox(team_parts + (((s & 1) * 2 + dir) * all_tiles + tile) * gridDim.x * TEAM_WORDS + blockIdx.x * TEAM_WORDS, s);
#endif
          barrier_sync(FULL(tile_of_block(m)));
#pragma unroll
          for (int n = 0; n < (PART + CELL_THREADS * 4 - 1) / (CELL_THREADS * 4); n++) {
            const int e = (n * CELL_THREADS + thread) * 4;
            if (PART % (CELL_THREADS * 4) == 0 || e < PART)
              send(inbox, rank, e / CELLS_PER_TILE, e % CELLS_PER_TILE, add_parts(part + e * 4));
          }
          wait_for_parts(inbox, thread == 0);
#pragma unroll
          for (int i = 0; i < PER; i++) dh[i] += receive(inbox, place_in_part + i * PLACES_APART) * UNSCALE;
#else
          barrier_sync(FULL(tile_of_block(m)));
#pragma unroll
          for (int i = 0; i < PER; i++) {
            float sum = 0.f;
#pragma unroll
            for (int w = 0; w < WORKERS; w++) sum += parts[tile_of_block(m) * PART_FLOATS + w * PART + place_in_part + i * PLACES_APART];
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
          top = fmaxf(top, publish_scaled(to[m], place + i * ROWS_APART * 16, scale_place + i * ROWS_APART * SCALES_APART, d, s));
#else
          publish(to[m] + place + i * ROWS_APART * 16, d, tag_of(s));
#endif
          dc[m][i] = inside ? dcell * forget[i] : 0.f;
          state[m][i] = earlier_state[m][i];
#pragma unroll
          for (int x = 0; x < 4; x++) late[i][x] = d[x], bias[x] += d[x];
#if !SCALED
#pragma unroll
          for (int x = 0; x < 4; x++) top = fmaxf(top, fabsf(d[x]));
#endif
        }
        if (s + 1 < ends[m]) barrier_arrive(PUBLISHED(tile_of_block(m)));
        to[m] += flip;
        const int stored = stored_cells(lengths[m], t, B - tile * ROWS - row0);
#pragma unroll
        for (int i = 0; i < PER; i++) {
          if (SKIPPED(stored, i)) continue;
          store_gradients(results + (gate_at[m] - gates) + (size_t)below[m][i] * 8 * H, late[i], scale);
        }
        gate_at[m] += gate_step;
        load_input(m, dir ? t + 1 : t - 1);
        prefetch(m, dir ? t + 1 + PREFETCH : t - 1 - PREFETCH);
      }
      flip = -flip;
    }
#pragma unroll
    for (int m = 0; m < OWN_TILES; m++)
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const int tile = (pass * TILES + tile_of_block(m)) * SETS + blockIdx.z;
        const int b = tile * ROWS + row0 + i * ROWS_APART;
        if (b >= B) continue;
        const float none[4] = {0.f, 0.f, 0.f, 0.f};
        for (int t = first_unwritten(m, i); t < extent_of(batch, b); t++) store_gradients(results + (first_gate - gates) + row_of(batch, b, t) * 8 * H, none, 1.f);
      }
  }
#if ROWS == 8
  // Four lanes have rows of the same unit.
#pragma unroll
  for (int x = 0; x < 4; x++) bias[x] += __shfl_xor_sync(0xffffffffu, bias[x], 1);
#pragma unroll
  for (int x = 0; x < 4; x++) bias[x] += __shfl_xor_sync(0xffffffffu, bias[x], 2);
#endif
  const int slice = ROWS == 16 ? warp * ROWS_APART + lane / UNITS : warp % (32 / UNITS);
  if (ROWS == 16 || lane % 4 == 0)
#pragma unroll
    for (int x = 0; x < 4; x++) bias_sums[((size_t)(blockIdx.z * CELL_GROUPS + group) * SLICES + slice) * 8 * H + dir * 4 * H + x * H + unit] = bias[x];
  u32 bits = __reduce_max_sync(0xffffffffu, __float_as_uint(top));
  if (lane == 0) atomicMax(peak, bits);
}

extern "C" __global__ void
#if CLUSTER
__cluster_dims__(SPLIT, 1, 1)
#endif
__launch_bounds__(THREADS, 1)
blstm_backward(const Gate* gates, const float* cells, const float* grad_output, const float* weight_hh, const int* batch, Result* results, u32* exchange, u32* peak, float* bias_sums,
               const u32* magnitude, float* inverse, const __grid_constant__ Attempt attempt) {
  extern __shared__ __align__(16) unsigned char shared[];
  const float scale = gradient_scale(magnitude, peak, attempt.number);
  // The first attempt has succeeded.
  if (scale == 0.f) return;
  float* parts = (float*)shared;
  u32* smem_weights = (u32*)(parts + TILES * PART_FLOATS);
#if CLUSTER
  Team& team_parts = *(Team*)(smem_weights + WEIGHT_SMEM_WORDS);
  begin_team(team_parts);
#else
  u32* team_parts = exchange + 4 * tiles_of(batch) * ALL_GROUPS * GROUP_WORDS;
#endif
  if (threadIdx.x < WARPS * 32) {
    TAKE_REGISTERS();
    multiply_steps(weight_hh, batch, exchange, parts, smem_weights);
  } else {
    GIVE_REGISTERS();
    if (FACTOR && threadIdx.x == WARPS * 32) *inverse = 1.f / scale;
    compute_cells(gates, cells, grad_output, batch, results, scale, exchange, peak, bias_sums, parts, team_parts);
  }
#if CLUSTER
  end_team();
#endif
}
