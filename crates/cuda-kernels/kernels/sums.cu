// Sums in a fixed order: of a matrix's columns, in slices of rows, and of slices. Slices come from column
// sums or from a GEMM with split K.
typedef unsigned int u32;
typedef unsigned long long u64;

struct Shape { u32 rows, columns, rows_per_slice, unused; };

// Grid (columns / 256, slices). out [slices, columns].
extern "C" __global__ void __launch_bounds__(256) column_sums(const float* in, float* out, const __grid_constant__ Shape shape) {
  const u32 column = blockIdx.x * 256 + threadIdx.x, begin = blockIdx.y * shape.rows_per_slice;
  const u32 end = min(shape.rows, begin + shape.rows_per_slice);
  if (column >= shape.columns) return;
  const float* at = in + (u64)begin * shape.columns + column;
  // Four independent sums, for enough loads in flight.
  float sum[4] = {0.f, 0.f, 0.f, 0.f};
  u32 row = begin;
  for (; row + 8 <= end; row += 8, at += (u64)8 * shape.columns)
#pragma unroll
    for (int i = 0; i < 8; i++) sum[i % 4] += __ldcs(at + (u64)i * shape.columns);
  for (; row < end; row++, at += shape.columns) sum[0] += __ldcs(at);
  out[(u64)blockIdx.y * shape.columns + column] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

struct Count { u32 count, slices, copies, unused; };

// c = the sum of `slices` contiguous vectors of `count` elements, added in order, and written `copies` times in a row.
extern "C" __global__ void __launch_bounds__(256) sum_slices(const float* slices, float* c, const __grid_constant__ Count n) {
  const u32 first = blockIdx.x * 256 + threadIdx.x, all = gridDim.x * 256;
  if (n.count % 4 == 0) {
    const u32 quads = n.count / 4;
    for (u32 i = first; i < quads; i += all) {
      float4 v = __ldcs((const float4*)slices + i);
#pragma unroll 8
      for (u32 s = 1; s < n.slices; s++) {
        const float4 x = __ldcs((const float4*)slices + (u64)s * quads + i);
        v.x += x.x, v.y += x.y, v.z += x.z, v.w += x.w;
      }
      for (u32 k = 0; k < n.copies; k++) ((float4*)c)[(u64)k * quads + i] = v;
    }
  } else {
    for (u32 i = first; i < n.count; i += all) {
      float v = __ldcs(slices + i);
#pragma unroll 8
      for (u32 s = 1; s < n.slices; s++) v += __ldcs(slices + (u64)s * n.count + i);
      for (u32 k = 0; k < n.copies; k++) c[(u64)k * n.count + i] = v;
    }
  }
}
