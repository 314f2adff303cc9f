// The multiplying warps of the backward recurrence. They split K, and each passes on a partial sum.
//
// Partial sums, one from every warp: [COLUMN_TILES][16 rows][8 units] or [COLUMNS][8 rows].
#define PART (COLUMNS * ROWS)
#define PART_FLOATS (WORKERS * PART)

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

  const int all_tiles = tiles_of(batch), slot_words = all_tiles * ALL_GROUPS * GROUP_WORDS;
  const u32 mine = shared_address(parts + warp * PART + g * 8 + q * 2);
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * SETS - 1) / (TILES * SETS);
  for (int pass = 0; pass < passes; pass++) {
    int ends[TILES], end = 0;
    const u32* src[TILES];
#pragma unroll
    for (int m = 0; m < TILES; m++) {
      const int tile = (pass * TILES + m) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
      src[m] = exchange + dir * slot_words + (tile * ALL_GROUPS + first_step / GROUP_STEPS) * GROUP_WORDS + lane * 4;
    }
    int flip = 2 * slot_words;
    for (int s = 1; s < end; s++) {
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s >= ends[m]) continue;
        wait_until_published(m);
        if (WORKERS == WARPS || warp < WORKERS) {
          float acc[SUM_TILES][4];
          gather_and_multiply(acc, weights, smem_weights, src[m], s - 1, steps_here / GROUP_STEPS);
          const u32 part = mine + m * PART_FLOATS * 4;
#pragma unroll
          for (int j = 0; j < SUM_TILES; j++) {
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
