// What a recurrence writes for the GEMMs that follow: f32 or, with FACTOR, 16 bits with a power of two as scale.
//
// If the recurrence writes the operands of the GEMMs itself, nothing reads and converts them afterwards. f16 needs a scale before the
// values are known. Hidden states are at most 1. Gate gradients are usually not larger than the gradients of the layer's output, so their
// scale leaves room for values that are up to 2^14 times as large. All values down to 2^-15 of the largest output gradient have
// TF32's mantissa. If a gate gradient is too large nevertheless, a second launch of the kernel computes them again, with a scale from
// their largest magnitude.
//
// FORMAT comes from exchange.cuh, which precedes this file. FACTOR: whether results are operands of GEMMs.
#if FACTOR
typedef unsigned short Result;
__device__ __forceinline__ void store_result(Result* p, float v) { asm volatile("st.global.b16 [%0],%1;" ::"l"(p), "h"((unsigned short)pack(v, v))); }
#else
typedef float Result;
__device__ __forceinline__ void store_result(Result* p, float v) { store_late(p, v); }
#endif

// The scale that brings a magnitude to [2^top, 2^(top + 1)), from its bits; 1 if it is zero, subnormal or not finite. f16 ends at 2^16.
__device__ __forceinline__ float scale_to(u32 magnitude, int top) {
  const int exponent = (int)(magnitude >> 23);
  if (exponent == 0 || exponent == 255) return 1.f;
  return __uint_as_float((u32)min(max(254 + top - exponent, 1), 253) << 23);
}
#define SCALES_RESULTS (FACTOR && FORMAT == F16)

// Hidden states: 1 becomes 2^13, as if a matrix with this bound was narrowed (narrow.cu).
#define STATE_SCALE (SCALES_RESULTS ? 8192.f : 1.f)

// Gate gradients.
struct Attempt { u32 number, unused; };
// The scale of an attempt, or 0 if it is not needed.
__device__ __forceinline__ float gradient_scale(const u32* magnitude, const u32* peak, u32 attempt) {
  if (!SCALES_RESULTS) return 1.f;
  const float scale = scale_to(*magnitude, 1);
  if (attempt == 0) return scale;
  // Also false if it is not a number.
  return __uint_as_float(*peak) * scale <= 65504.f ? 0.f : scale_to(*peak, 13);
}
