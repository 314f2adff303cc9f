// Forward recurrence of one bidirectional LSTM layer in one kernel launch, or of one direction of a large layer. After Diamos et al.
// 2016 (Persistent RNNs).
//
// Grid (H / UNITS, directions, SETS). A block owns UNITS hidden units of one direction and keeps their 4
// UNITS rows of the recurrent weights on chip for the whole sequence. For every step and tile of
// utterances, the multiplying warps gather h of the previous step and multiply (forward_warps.cuh or
// forward_warpgroups.cuh). The cell warps add the partial sums. A thread then computes gates, cell and h of its cells, and publishes h.
//
// - batch: the layout of the batch.
// - gates: [rows, 8H], input projections on entry, activated gates on return, in the order of gates.cuh.
// - cells: [rows, 2H].
// - output: [rows, 2H], h in f32 or, with FACTOR, as the operand of a GEMM (results.cuh).
// - inverse: with FACTOR, the inverse of the operand's scale (output).
// - exchange: zeroed, 2 slots x 2 directions x tiles x ALL_GROUPS x GROUP_WORDS words.

// Without special cases for numbers below the normal ones: they vanish in the sums below.
__device__ __forceinline__ float power_of_two(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(x));
  return r;
}
#define LOG2_E 1.4426950408889634f
__device__ __forceinline__ float sigmoid(float x) { return reciprocal(1.f + power_of_two(-LOG2_E * x)); }
__device__ __forceinline__ float hyperbolic(float x) { return 1.f - 2.f * reciprocal(1.f + power_of_two(2.f * LOG2_E * x)); }

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

// Adds the partial sums of a thread's cells, in order.
__device__ __forceinline__ void add_parts(float4 (&sum)[PER], u32 at) {
#pragma unroll
  for (int i = 0; i < PER; i++) {
    sum[i] = load_part(at + i * CELL_BYTES);
#pragma unroll
    for (int w = 1; w < PARTS; w++) {
      const float4 v = load_part(at + i * CELL_BYTES + w * WARP_BYTES);
      sum[i].x += v.x, sum[i].y += v.y, sum[i].z += v.z, sum[i].w += v.w;
    }
  }
}

// The cell warps.
__device__ __forceinline__ void compute_cells(Gate* gates, const float* bias_ih, const float* bias_hh, const int* batch, Result* output, float* cells, u32* exchange, const float* parts) {
  const int B = batch[1], all_tiles = tiles_of(batch);
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS;
  const int group = (threadIdx.x - WARPS * 32) / CELL_THREADS, warp = (threadIdx.x / 32 - WARPS) % CELL_WARPS, lane = threadIdx.x % 32;
  auto tile_of_block = [&](int m) { return CELL_GROUPS == 1 ? m : m * CELL_GROUPS + group; };
  const int row0 = row_of_cell(warp, lane), column = unit_of_cell(warp, lane), unit = first_unit + column;
  float biases[4];
#pragma unroll
  for (int x = 0; x < 4; x++) biases[x] = bias_ih[dir * 4 * H + x * H + unit] + bias_hh[dir * 4 * H + x * H + unit];
  const u32 parts_at = shared_address(parts + first_part(warp, lane));
  Gate* first_gate = gates + dir * 4 * H + gates_of(unit);
  const long long gate_step = (dir ? -1LL : 1LL) * FRAME_STEP * 8 * H;
  const int slot_words = all_tiles * ALL_GROUPS * GROUP_WORDS;  // per direction
  // A thread's rows are in the same half of the tile, so their places are evenly spaced.
  const int place = place_of(unit, row0);
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * SETS - 1) / (TILES * SETS);
  for (int pass = 0; pass < passes; pass++) {
    // Addresses of tile m's current frame, for the thread's first cell. Further cells are `below` rows below.
    int lengths[OWN_TILES][PER], below[OWN_TILES][PER], ends[OWN_TILES], end = 0;
    float c[OWN_TILES][PER];
    LoadedGates in[OWN_TILES][PER];
    Gate* gate_at[OWN_TILES];
    char* to[OWN_TILES];
    // Loads the projections of frame t at gate_at.
    auto load_input = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++) {
        load_gates(in[m][i], gate_at[m] + (size_t)below[m][i] * 8 * H, t >= 0 && t < lengths[m][i]);
      }
    };
#pragma unroll
    for (int m = 0; m < OWN_TILES; m++) {
      const int tile = (pass * TILES + tile_of_block(m)) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
#pragma unroll
      for (int i = 0; i < PER; i++) {
        lengths[m][i] = length_of(batch, tile, row0 + i * ROWS_APART);
        below[m][i] = rows_below(batch, tile * ROWS + row0, i);
        c[m][i] = 0.f;
      }
      const int t = dir ? ends[m] - 1 : 0, b = tile * ROWS + row0;
      gate_at[m] = first_gate + row_of(batch, b, t) * 8 * H;
      to[m] = (char*)(exchange + dir * slot_words + tile * ALL_GROUPS * GROUP_WORDS);
      load_input(m, t);
    }
    auto first_unwritten = [&](int m, int i) { return PACKED ? lengths[m][i] : ends[m]; };
    // One lane prefetches every 32 bytes of a frame well ahead.
    auto prefetch = [&](int m, int t) {
#pragma unroll
      for (int i = 0; i < PER; i++)
        if (prefetches_gates(lane) && t >= 0 && t < lengths[m][i]) prefetch_gates(gate_at[m] + PREFETCH * gate_step + (size_t)below[m][i] * 8 * H);
    };
    int flip = 8 * slot_words;
    for (int s = 0; s < end; s++) {
      const u32 tag = tag_of(s);
#pragma unroll
      for (int m = 0; m < OWN_TILES; m++) {
        if (s >= ends[m]) continue;
        const int tile = (pass * TILES + tile_of_block(m)) * SETS + blockIdx.z, t = dir ? ends[m] - 1 - s : s;
        float projected[PER][4], late[PER][4], hidden[PER];
        float4 sum[PER];
        if (s > 0) {
          barrier_sync(FULL(tile_of_block(m)));
          add_parts(sum, parts_at + tile_of_block(m) * PART_FLOATS * 4);
        } else {
#pragma unroll
          for (int i = 0; i < PER; i++) sum[i] = make_float4(0.f, 0.f, 0.f, 0.f);
        }
#pragma unroll
        for (int i = 0; i < PER; i++) unpack_gates(in[m][i], projected[i]);
#pragma unroll
        for (int i = 0; i < PER; i++) {
          const bool inside = t < lengths[m][i];
          const float ig = sigmoid(projected[i][0] + biases[0] + sum[i].x), fg = sigmoid(projected[i][1] + biases[1] + sum[i].y);
          const float gg = hyperbolic(projected[i][2] + biases[2] + sum[i].z), og = sigmoid(projected[i][3] + biases[3] + sum[i].w);
          float cell_state = fg * c[m][i] + ig * gg, h = og * hyperbolic(cell_state);
          cell_state = inside ? cell_state : 0.f;
          h = inside ? h : 0.f;
          publish(to[m] + place + i * ROWS_APART * ROW_BYTES, h, tag);
          c[m][i] = cell_state;
          late[i][0] = inside ? ig : 0.f, late[i][1] = inside ? fg : 0.f, late[i][2] = inside ? gg : 0.f, late[i][3] = inside ? og : 0.f;
          hidden[i] = h;
        }
        if (s + 1 < ends[m]) barrier_arrive(PUBLISHED(tile_of_block(m)));
        to[m] += flip;
        const int stored = stored_cells(lengths[m], t, B - tile * ROWS - row0);
        // The offset of a row's states follows from the address of its gates, which saves registers.
        const size_t state = (size_t)(gate_at[m] - first_gate) / 4 + dir * H + unit;
#pragma unroll
        for (int i = 0; i < PER; i++) {
          if (SKIPPED(stored, i)) continue;
          store_gates(gate_at[m] + (size_t)below[m][i] * 8 * H, late[i]);
          const size_t at = state + (size_t)below[m][i] * 2 * H;
          store_result(output + at, hidden[i] * STATE_SCALE);
          store_late(cells + at, c[m][i]);
        }
        gate_at[m] += gate_step;
        load_input(m, dir ? t - 1 : t + 1);
        prefetch(m, dir ? t - 1 - PREFETCH : t + 1 + PREFETCH);
      }
      flip = -flip;
    }
    // Frames beyond the longest utterance of the tile or, in a packed batch, beyond the utterance.
#pragma unroll
    for (int m = 0; m < OWN_TILES; m++)
#pragma unroll
      for (int i = 0; i < PER; i++) {
        const int tile = (pass * TILES + tile_of_block(m)) * SETS + blockIdx.z;
        const int b = tile * ROWS + row0 + i * ROWS_APART;
        if (b >= B) continue;
        for (int t = first_unwritten(m, i); t < extent_of(batch, b); t++) {
          const size_t at = row_of(batch, b, t) * 2 * H + dir * H + unit;
          const float none[4] = {0.f, 0.f, 0.f, 0.f};
          output[at] = 0, cells[at] = 0.f;
          store_gates(first_gate + row_of(batch, b, t) * 8 * H, none);
        }
      }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
blstm_forward(Gate* gates, const float* bias_ih, const float* bias_hh, const float* weight_hh, const int* batch, Result* output, float* cells, u32* exchange, float* inverse) {
  extern __shared__ __align__(16) unsigned char shared[];
  float* parts = (float*)shared;
  if (threadIdx.x < WARPS * 32) {
    TAKE_REGISTERS();
    multiply_steps(weight_hh, batch, exchange, parts, (u32*)(parts + TILES * PART_FLOATS));
  } else {
    GIVE_REGISTERS();
    if (FACTOR && threadIdx.x == WARPS * 32) *inverse = 1.f / STATE_SCALE;
    compute_cells(gates, bias_ih, bias_hh, batch, output, cells, exchange, parts);
  }
}
