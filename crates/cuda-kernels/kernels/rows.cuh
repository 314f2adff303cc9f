// Rows of a batch: where the frames of its utterances are stored, and which of a thread's cells have one.
//
// PACKED and the layout of cells come from exchange.cuh, which precedes this file.
// A batch is T, B, B lengths, the number of rows between two frames of an utterance, B first rows, and B extents: the
// number of rows of an utterance, with its padding.
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

__device__ __forceinline__ int extent_of(const int* batch, int b) {
  return PACKED ? batch[3 + 2 * batch[1] + b] : batch[0];
}

// Length of an utterance in a tile (0 for rows that pad the tile), and the longest length in a tile.
__device__ __forceinline__ int length_of(const int* batch, int tile, int row) {
  const int b = tile * 16 + row;
  return b < batch[1] ? batch[2 + b] : 0;
}
__device__ __forceinline__ int longest(const int* batch, int tile) {
  int n = 0;
  for (int row = 0; row < 16; row++) n = max(n, length_of(batch, tile, row));
  return n;
}
