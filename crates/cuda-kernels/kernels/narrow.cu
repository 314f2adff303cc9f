// Conversion of matrices to 16 bits with a common power-of-two scale, before a GEMM.
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 pack(float lo, float hi) {
  u32 r;
#if BF16
  asm("cvt.rn.bf16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(hi), "f"(lo));
#else
  asm("cvt.rn.f16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(hi), "f"(lo));
#endif
  return r;
}

// The scale, from the bits of the largest magnitude: it brings that magnitude to [2^13, 2^14), while f16 ends
// at 2^16. The scale is 1 if the largest magnitude is zero, subnormal, infinite or NaN. bf16 has f32's range
// and needs no scale.
__device__ __forceinline__ float scale_for(u32 peak) {
#if BF16
  return 1.f;
#else
  const int exponent = (int)(peak >> 23);
  if (exponent == 0 || exponent == 255) return 1.f;
  const int power = min(max(267 - exponent, 1), 253);
  return __uint_as_float((u32)power << 23);
#endif
}

// The value rounded to f16 or, with `rest`, the rounding error.
__device__ __forceinline__ float part_of(float x, u32 rest) {
  unsigned short half;
  float kept;
  asm("cvt.rn.f16.f32 %0,%1;" : "=h"(half) : "f"(x));
  asm("cvt.f32.f16 %0,%1;" : "=f"(kept) : "h"(half));
  return rest ? x - kept : x;
}

// in [rows, columns] * scale as 16 bits [rows, padded], with zeros in the columns that pad a row to a multiple of 16 bytes, as
// tensor maps require. `i` is a thread's first group of four values, `step` the number of threads.
__device__ __forceinline__ void narrow_rows(const float* in, u32* out, u32 rows, u32 columns, u32 padded, u32 hidden, float scale, u32 rest, u32 i, u32 step) {
  const u32 quads = padded / 4, n = rows * quads;
#pragma unroll 4
  for (; i < n; i += step) {
    const u32 row = i / quads, column = (i - row * quads) * 4;
    const u32 gate = hidden ? row % (4 * hidden) : 0, from = hidden ? row - gate + gate % 4 * hidden + gate / 4 : row;
    const float* at = in + (u64)from * columns + column;
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (columns % 4 == 0) {
      if (column < columns) v = __ldcs((const float4*)at);
    } else {
      if (column < columns) v.x = __ldcs(at);
      if (column + 1 < columns) v.y = __ldcs(at + 1);
      if (column + 2 < columns) v.z = __ldcs(at + 2);
      if (column + 3 < columns) v.w = __ldcs(at + 3);
    }
    const float x = part_of(v.x * scale, rest), y = part_of(v.y * scale, rest);
    const float z = part_of(v.z * scale, rest), w = part_of(v.w * scale, rest);
    ((uint2*)out)[i] = make_uint2(pack(x, y), pack(z, w));
  }
}

// known: the bits of a bound on all magnitudes, or 0 to read them from `peak`. rest: 1 to write the rounding
// error of the narrowed numbers, the second operand part in f32-accurate GEMMs.
struct Shape { u32 rows, columns, padded, known, rest, unused; };

// Narrows a matrix, and writes 1 / scale to `inverse`.
extern "C" __global__ void __launch_bounds__(256)
narrow(const float* in, u32* out, const u32* peak, float* inverse, const __grid_constant__ Shape shape) {
  const float scale = scale_for(shape.known ? shape.known : *peak);
  if (blockIdx.x == 0 && threadIdx.x == 0) *inverse = 1.f / scale;
  narrow_rows(in, out, shape.rows, shape.columns, shape.padded, 0, scale, shape.rest, blockIdx.x * 256 + threadIdx.x, gridDim.x * 256);
}

#define MOST_MATRICES 16
// Matrices in one vector. They begin at in[from], and are written from word `to` on. hidden: if the rows are the gates of a layer with so
// many units, they become interleaved (gates.cuh); otherwise 0.
struct Part { u32 from, to, rows, columns, padded, hidden; };
struct Parts { u32 rest, unused; Part of[MOST_MATRICES]; };

// Grid (any, matrices). Narrows each matrix with its own scale.
extern "C" __global__ void __launch_bounds__(256)
narrow_each(const float* in, u32* out, const u32* peaks, float* inverses, const __grid_constant__ Parts parts) {
  const Part& part = parts.of[blockIdx.y];
  const float scale = scale_for(peaks[blockIdx.y]);
  if (blockIdx.x == 0 && threadIdx.x == 0) inverses[blockIdx.y] = 1.f / scale;
  narrow_rows(in + part.from, out + part.to, part.rows, part.columns, part.padded, part.hidden, scale, parts.rest, blockIdx.x * 256 + threadIdx.x, gridDim.x * 256);
}

struct Columns { u32 rows, pitch, first, count, padded, unused; };

// out [rows, padded] = columns first to first + count of in [rows, pitch], both 16 bits. Tensor maps must
// start at a multiple of 16 bytes.
extern "C" __global__ void __launch_bounds__(256)
columns(const unsigned short* in, unsigned short* out, const __grid_constant__ Columns shape) {
  const u32 n = shape.rows * shape.padded;
  for (u32 i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const u32 row = i / shape.padded, column = i - row * shape.padded;
    out[i] = column < shape.count ? in[(u64)row * shape.pitch + shape.first + column] : 0;
  }
}

struct Count { u32 count, unused; };

// Writes the bits of the largest of `count` magnitudes to a zeroed word. A maximum does not depend on the order.
__device__ __forceinline__ void find_largest(const u32* in, u32 count, u32* peak) {
  u32 top = 0;
  const u32 quads = count / 4, first = blockIdx.x * 256 + threadIdx.x;
  // Several loads in flight.
#pragma unroll 4
  for (u32 i = first; i < quads; i += gridDim.x * 256) {
    const uint4 v = __ldg((const uint4*)in + i);
    top = max(top, max(max(v.x & 0x7fffffffu, v.y & 0x7fffffffu), max(v.z & 0x7fffffffu, v.w & 0x7fffffffu)));
  }
  if (first < count % 4) top = max(top, in[quads * 4 + first] & 0x7fffffffu);
  top = __reduce_max_sync(0xffffffffu, top);
  if (threadIdx.x % 32 == 0) atomicMax(peak, top);
}
extern "C" __global__ void __launch_bounds__(256) largest(const u32* in, u32* peak, const __grid_constant__ Count n) {
  find_largest(in, n.count, peak);
}
// Grid (any, matrices). The largest magnitude of each matrix.
extern "C" __global__ void __launch_bounds__(256) largest_of_each(const u32* in, u32* peaks, const __grid_constant__ Parts parts) {
  const Part& part = parts.of[blockIdx.y];
  find_largest(in + part.from, part.rows * part.columns, peaks + blockIdx.y);
}
