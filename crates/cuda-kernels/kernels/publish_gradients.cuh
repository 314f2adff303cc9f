// Formats of the exchanged gate gradients, and how a cell's are published.

// bf16 gate gradients are exchanged with a scale of 2^-60. This keeps the tagged exponent bit clear up to
// 2^61 and is exact above 2^-66. f16 lacks this range, so every four units of a row have their own scale (with 8 rows, every eight).
#if NARROW && !SCALED
#define SCALE 8.673617379884035e-19f
#define UNSCALE 1.152921504606846976e18f
#else
#define SCALE 1.f
#define UNSCALE 1.f
#endif

// The four gate gradients of a cell are one quad of K. Offset of the quad in its tile, in words.
__device__ __forceinline__ int place_of(int unit, int row) {
  const int step = unit / 4, lane = (row % 8) * 4 + unit % 4, half = ROWS == 16 ? row / 8 : step % 2;
  return step / GROUP_STEPS * GROUP_WORDS + lane * 4 + half * (NARROW ? 2 : 128);
}
#if SCALED
// Offset of the scale of a quad's row and group in its tile. SCALES_APART: from a row's to the next one's, in the same half.
#define SCALES_APART (ROWS == 16 ? 2 : 1)
__device__ __forceinline__ int scale_place_of(int unit, int row) {
  return unit / (4 * GROUP_STEPS) * GROUP_WORDS + 128 + (row % 8) * SCALES_APART + row / 8;
}
// Returns the largest magnitude of the units that share a scale. These units (4, or 8 with 8 rows) belong to lanes NEIGHBOUR apart, so all
// lanes of a warp call it.
#define NEIGHBOUR (ROWS == 16 ? 1 : 4)
__device__ __forceinline__ float publish_scaled(u32* tile, int place, int scale_place, const float (&d)[4], int step) {
  float most = fmaxf(fmaxf(fabsf(d[0]), fabsf(d[1])), fmaxf(fabsf(d[2]), fabsf(d[3])));
  most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, NEIGHBOUR));
  most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2 * NEIGHBOUR));
  if (ROWS == 8) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 4 * NEIGHBOUR));
  // The next power of two above the largest magnitude, so all scaled values below 2^126 are at most 1. Gradients that are not
  // finite become finite here, but the gate gradients keep them.
  const u32 exponent = min((__float_as_uint(most) >> 23) + 1u, 253u);
  const float inverse = __uint_as_float((254u - exponent) << 23);
  const u32 tag = tag_of(step), x = tagged(pack(d[0] * inverse, d[1] * inverse), tag), y = tagged(pack(d[2] * inverse, d[3] * inverse), tag);
  asm volatile("st.relaxed.gpu.global.v2.b32 [%0],{%1,%2};" ::"l"(tile + place), "r"(x), "r"(y));
  if (ROWS == 16 ? threadIdx.x % 4 == 0 : threadIdx.x % 32 < 4)
    asm volatile("st.relaxed.gpu.global.b32 [%0],%1;" ::"l"(tile + scale_place), "r"((exponent << 23) | scale_tag_of(step)));
  return most;
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
