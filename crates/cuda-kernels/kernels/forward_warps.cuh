// The multiplying warps of the forward recurrence, with `mma`: warps split K, and each passes on a partial sum.
//
// Partial sums of a tile, one from every warp. 16 rows: [row][column], padded. 8 rows: [8 units][parity of the row][unit][half row]
// [gate], the order in which the lanes of a multiplying warp hold them.
#define PARTS WARPS
#if ROWS == 16
#define ROW (COLUMNS + 8)
#define PART_FLOATS (WARPS * 16 * ROW)
#define CELL_BYTES (ROWS_APART * ROW * 4)  // from a thread's cell to its next one
#else
#define PART_FLOATS (WARPS * 8 * COLUMNS)
#define CELL_BYTES 512
#endif
#define WARP_BYTES (PART_FLOATS / WARPS * 4)  // the sums of a warp
// Offset of the partial sums of a thread's first cell.
__device__ __forceinline__ int first_part(int warp, int lane) {
#if ROWS == 16
  return row_of_cell(warp, lane) * ROW + unit_of_cell(warp, lane) * 4;
#else
  return (warp * CELLS_PER_WARP + lane) * 4;
#endif
}

// Offset of a cell's h in its tile, in bytes.
__device__ __forceinline__ int place_of(int unit, int row) {
  const int step = unit / 16, q = (unit % 16) / 4, e = unit % 4, lane = (row % 8) * 4 + q;
  const int group = step / GROUP_STEPS * GROUP_WORDS * 4, half = ROWS == 16 ? row / 8 : step % 2;
  return NARROW ? group + lane * 16 + half * 8 + e * 2 : group + (half * 128 + lane * 4 + e) * 4;
}
#define ROW_BYTES 64  // from a row's h to the next one's, in the same half of the tile

// The multiplying warps.
__device__ __forceinline__ void multiply_steps(const float* weight_hh, const int* batch, const u32* exchange, float* parts, u32* all_smem_weights) {
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;
  const int first_step = warp * STEPS_W, steps_here = min(STEPS_W, STEPS - first_step);
  u32* smem_weights = all_smem_weights + warp * SMEM_STEPS * COLUMN_TILES * 32 * WREGS + lane * 2;

  // The order of the GEMM's columns makes a cell's four sums adjacent. Column 8 j + g is gate g % 4 of unit 2 j + g / 4. With 8 rows,
  // a lane holds whole columns: it is gate j % 4 of unit 8 (j / 4) + g.
  Weights weights;
#pragma unroll
  for (int k = 0; k < STEPS_W; k++)
#pragma unroll
    for (int j = 0; j < COLUMN_TILES; j++) {
      u32 w[WREGS];
      float4 e = make_float4(0.f, 0.f, 0.f, 0.f);
      if (k < steps_here) {
        const int gate = ROWS == 16 ? g & 3 : j & 3, unit = ROWS == 16 ? 2 * j + (g >> 2) : (j >> 2) * 8 + g;
        e = *(const float4*)(weight_hh + ((size_t)dir * 4 * H + gate * H + first_unit + unit) * H + (first_step + k) * 16 + q * 4);
      }
      encode_weights(w, e.x, e.y, e.z, e.w);
      keep_weights(weights, smem_weights, k, j, w);
    }
  if (SMEM_STEPS > 0) __syncwarp();

  const int all_tiles = tiles_of(batch), slot_words = all_tiles * ALL_GROUPS * GROUP_WORDS;  // per direction
#if ROWS == 16
  const u32 mine = shared_address(parts + (warp * 16 + g) * ROW + q * 2);
#else
  const u32 mine = shared_address(parts) + warp * WARP_BYTES + lane * 16;
#endif
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
        float acc[SUM_TILES][4];
        gather_and_multiply(acc, weights, smem_weights, src[m], s - 1, steps_here / GROUP_STEPS);
        const u32 part = mine + m * PART_FLOATS * 4;
#if ROWS == 16
#pragma unroll
        for (int j = 0; j < COLUMN_TILES; j++) {
          store_part(part + j * 32, acc[j][0], acc[j][1]);
          store_part(part + (8 * ROW + j * 8) * 4, acc[j][2], acc[j][3]);
        }
#else
#pragma unroll
        for (int j = 0; j < SUM_TILES; j += 2)
#pragma unroll
          for (int x = 0; x < 2; x++) store_parts(part + (j + x) * 512, acc[j][x], acc[j][x + 2], acc[j + 1][x], acc[j + 1][x + 2]);
#endif
        barrier_arrive(FULL(m));
        src[m] += flip;
      }
      flip = -flip;
    }
  }
}
