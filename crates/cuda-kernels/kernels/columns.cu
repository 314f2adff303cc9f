// The sums of a matrix's columns: each block adds up its rows of 256 columns, in order; the slices that the blocks leave are
// added by sum_slices.
typedef unsigned int u32;
typedef unsigned long long u64;

struct Shape { u32 rows, columns, rows_per_slice, unused; };

// Grid (columns / 256, slices). out [slices, columns].
extern "C" __global__ void __launch_bounds__(256) column_sums(const float* in, float* out, const __grid_constant__ Shape shape) {
  const u32 column = blockIdx.x * 256 + threadIdx.x, begin = blockIdx.y * shape.rows_per_slice;
  const u32 end = min(shape.rows, begin + shape.rows_per_slice);
  if (column >= shape.columns) return;
  const float* at = in + (u64)begin * shape.columns + column;
  // Four sums that do not wait for each other, and enough loads in flight.
  float sum[4] = {0.f, 0.f, 0.f, 0.f};
  u32 row = begin;
  for (; row + 8 <= end; row += 8, at += (u64)8 * shape.columns)
#pragma unroll
    for (int i = 0; i < 8; i++) sum[i % 4] += __ldcs(at + (u64)i * shape.columns);
  for (; row < end; row++, at += shape.columns) sum[0] += __ldcs(at);
  out[(u64)blockIdx.y * shape.columns + column] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
