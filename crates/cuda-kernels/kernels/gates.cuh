// How the gates of a cell, and their gradients, are stored.
//
// GATES: BY_GATE: all units of a gate follow each other, as in the parameters. INTERLEAVED: the four gates of a unit follow each other,
// so a cell takes one load and one store. INTERLEAVED_F16: likewise, and gates are f16. Their gradients have the same order.
//
// exchange.cuh, results.cuh and rows.cuh precede this file.
#define BY_GATE 0
#define INTERLEAVED 1
#define INTERLEAVED_F16 2

#if GATES == INTERLEAVED_F16
typedef unsigned short Gate;
#else
typedef float Gate;
#endif
// From the first gate of a direction to that of a unit.
__device__ __forceinline__ int gates_of(int unit) { return GATES == BY_GATE ? unit : 4 * unit; }
// Whether a lane prefetches the gates of its unit: one for every 32 bytes.
__device__ __forceinline__ bool prefetches_gates(int lane) {
  const int unit = ROWS == 16 ? lane : lane / 4;
  return GATES == BY_GATE ? prefetches(lane) : unit % (GATES == INTERLEAVED ? 2 : 4) == 0;
}
__device__ __forceinline__ void prefetch_gates(const Gate* p) {
#pragma unroll
  for (int x = 0; x < (GATES == BY_GATE ? 4 : 1); x++) prefetch_l2((const float*)(p + x * H));
}

// The gates of a cell as loaded. f16 is converted only when it is needed, because that waits for the load.
struct LoadedGates {
#if GATES == INTERLEAVED_F16
  u32 words[2];
#else
  float values[4];
#endif
};
// Volatile, like load_early. All gates are zero unless `inside`.
__device__ __forceinline__ void load_gates(LoadedGates& to, const Gate* p, bool inside) {
#if GATES == BY_GATE
#pragma unroll
  for (int x = 0; x < 4; x++) to.values[x] = inside ? load_early(p + x * H) : 0.f;
#elif GATES == INTERLEAVED
  to = {0.f, 0.f, 0.f, 0.f};
  if (inside) asm volatile("ld.global.L1::no_allocate.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(to.values[0]), "=f"(to.values[1]), "=f"(to.values[2]), "=f"(to.values[3]) : "l"(p));
#else
  to = {0u, 0u};
  if (inside) asm volatile("ld.global.L1::no_allocate.v2.b32 {%0,%1},[%2];" : "=r"(to.words[0]), "=r"(to.words[1]) : "l"(p));
#endif
}
__device__ __forceinline__ void unpack_gates(const LoadedGates& from, float (&gates)[4]) {
#if GATES == INTERLEAVED_F16
#pragma unroll
  for (int x = 0; x < 2; x++)
    asm volatile("{\n.reg .b16 low,high;\nmov.b32 {low,high},%2;\ncvt.f32.f16 %0,low;\ncvt.f32.f16 %1,high;\n}" : "=f"(gates[2 * x]), "=f"(gates[2 * x + 1]) : "r"(from.words[x]));
#else
#pragma unroll
  for (int x = 0; x < 4; x++) gates[x] = from.values[x];
#endif
}
__device__ __forceinline__ u32 pack_f16(float lo, float hi) {
  u32 r;
  asm("cvt.rn.f16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
}
__device__ __forceinline__ void store_words(void* p, u32 x, u32 y) { asm volatile("st.global.v2.b32 [%0],{%1,%2};" ::"l"(p), "r"(x), "r"(y)); }
__device__ __forceinline__ void store_quad(float* p, const float (&v)[4]) { asm volatile("st.global.v4.f32 [%0],{%1,%2,%3,%4};" ::"l"(p), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])); }
__device__ __forceinline__ void store_gates(Gate* p, const float (&gates)[4]) {
#if GATES == BY_GATE
#pragma unroll
  for (int x = 0; x < 4; x++) store_late(p + x * H, gates[x]);
#elif GATES == INTERLEAVED
  store_quad(p, gates);
#else
  store_words(p, pack_f16(gates[0], gates[1]), pack_f16(gates[2], gates[3]));
#endif
}
__device__ __forceinline__ void store_gradients(Result* p, const float (&gradients)[4], float scale) {
#if GATES == BY_GATE
#pragma unroll
  for (int x = 0; x < 4; x++) store_result(p + x * H, gradients[x] * scale);
#elif FACTOR
  store_words(p, pack(gradients[0] * scale, gradients[1] * scale), pack(gradients[2] * scale, gradients[3] * scale));
#else
  store_quad(p, gradients);
#endif
}
