// Rows of a batch: where the frames of its utterances are stored, and which of a thread's cells have one.
//
// PACKED and the layout of cells come from exchange.cuh, which precedes this file.
// A batch is T, B, B lengths, the number of rows between two frames of an utterance, B first rows, and B extents: the
// number of rows of an utterance, with its padding.

// A thread's first cell: its row in the tile, and its unit in the block. The lanes of a warp have neighbouring units, so their
// loads and stores fill sectors. With 8 rows, cells are in the order in which the multiplying lanes hold the sums of a cell.
__device__ __forceinline__ int row_of_cell(int warp, int lane) {
  return ROWS == 16 ? (warp * CELLS_PER_WARP + lane) / UNITS : lane % 4 * 2 + (PER == 1 ? warp % 2 : 0);
}
__device__ __forceinline__ int unit_of_cell(int warp, int lane) { return ROWS == 16 ? lane % UNITS : warp * PER / 2 * 8 + lane / 4; }
// Whether a lane prefetches for its sector of 8 units.
__device__ __forceinline__ bool prefetches(int lane) { return ROWS == 16 ? lane % 8 == 0 : lane < 4; }

#if PACKED
#define FRAME_STEP 1LL
__device__ __forceinline__ long long row_of(const int* batch, int b, int t) {
  return b < batch[1] ? (long long)batch[3 + batch[1] + b] + t : 0LL;
}
#else
#define FRAME_STEP ((long long)batch[1])
__device__ __forceinline__ long long row_of(const int* batch, int b, int t) { return (long long)t * batch[1] + b; }
#endif
// Whether the i-th cell's results of a step are not stored. `stored` describes the step: in a padded batch it is the
// number of rows below the first cell, in a packed batch a bit for every cell.
#if PACKED
#define SKIPPED(stored, i) (((stored) >> (i) & 1) == 0)
#else
#define SKIPPED(stored, i) ((i) * ROWS_APART >= (stored))
#endif
// `stored` for frame t. `rows` is the number of rows below the first cell.
__device__ __forceinline__ int stored_cells(const int (&lengths)[PER], int t, int rows) {
#if PACKED
  int inside = 0;
#pragma unroll
  for (int i = 0; i < PER; i++) inside |= (t < lengths[i]) << i;
  return inside;
#else
  return rows;
#endif
}
// Rows between the thread's first cell and its i-th one.
__device__ __forceinline__ int rows_below(const int* batch, int b, int i) {
#if PACKED
  return b + i * ROWS_APART < batch[1] ? batch[3 + batch[1] + b + i * ROWS_APART] - batch[3 + batch[1] + b] : 0;
#else
  return i * ROWS_APART;
#endif
}

// Number of tiles of a batch.
__device__ __forceinline__ int tiles_of(const int* batch) { return (batch[1] + ROWS - 1) / ROWS; }
__device__ __forceinline__ int extent_of(const int* batch, int b) {
  return PACKED ? batch[3 + 2 * batch[1] + b] : batch[0];
}

// Length of an utterance in a tile (0 for rows that pad the tile), and the longest length in a tile.
__device__ __forceinline__ int length_of(const int* batch, int tile, int row) {
  const int b = tile * ROWS + row;
  return b < batch[1] ? batch[2 + b] : 0;
}
__device__ __forceinline__ int longest(const int* batch, int tile) {
  int n = 0;
  for (int row = 0; row < ROWS; row++) n = max(n, length_of(batch, tile, row));
  return n;
}
