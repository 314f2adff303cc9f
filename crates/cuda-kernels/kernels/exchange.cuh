// Shared code of the persistent recurrences: operand formats, the tensor-core multiplication, and the
// exchange of vectors between blocks.
//
// A step needs the whole state of the previous step, which other blocks computed. Instead of waiting at a
// barrier and then loading, every 32-bit word of the exchanged vector carries a tag in bits that its format
// does not use, and readers poll the data itself. This costs the latency of one store and one load, without
// fences or atomics, and every thread waits only for the data it reads. Two slots alternate. Overwriting step
// s-2 with step s is safe: a block publishes step s only after it has read step s-1 of all blocks, and these
// were published only after all blocks had read step s-2.
//
// The warps of a block have two roles. Multiplying warps wait for the exchanged vector, each for its share, and multiply
// it by their weights. They pass their partial sums through shared memory to the cell warps, which add them, compute the cells and
// publish the results. So the stores and loads of a step do not delay the wait for the next one.
//
// They begin to poll once their own block has published its cells: before that, the other blocks can hardly have published
// theirs, and polls delay the stores that they wait for.
//
// Definitions expected before this file:
// - FORMAT: number format of the operands.
// - H: hidden size. UNITS: hidden units per block.
// - CELL_GROUPS, CELL_WARPS: groups of cell warps, each with its own tiles, and the warps of a group.
// - WARPS: multiplying warps; they split K, or the columns if they are warpgroups.
// - ROWS: utterances of a tile, 16 or 8.
// - TILES: tiles that a block interleaves. PASSES: passes over further tiles (0: computed at run time).
// - SETS: copies of the grid along z, each with its own tiles.
// - FIRST_DIRECTION: the direction of the grid's first row; others follow. Large layers launch each direction on its own.
// - PACKED: whether the batch is packed: its utterances are stored one after the other, with a zero row after each.
// - SMEM_STEPS: part of a warp's K, in steps of 16, whose weights are in shared memory.
// - PAUSE: clock cycles between publishing and the first poll.
// - MULTIPLY_REGISTERS, CELL_REGISTERS: registers of a thread in either role, if warps pass on registers.
// - SPLIT: blocks of a team, which split K in the backward recurrence. CLUSTER: whether a team is a cluster.
// - FACTOR: whether results are operands of GEMMs (results.cuh). GATES: how gates are stored (gates.cuh).
// For experiments: PREFETCH, and RACECHECK.
#define BF16 0
#define F16 1
#define F32 2

// A wait of this many polls (about 10 s) means that the grid is not fully resident: fail instead of hanging.
#ifndef SPIN_LIMIT
#define SPIN_LIMIT (1u << 24)
#endif

typedef unsigned int u32;

#define NARROW (FORMAT != F32)
#define CELLS_PER_TILE (ROWS * UNITS)
// The cells of a tile are assigned evenly to the lanes of its cell warps. A lane has PER cells of a unit, ROWS_APART rows apart.
#define CELL_THREADS (CELL_WARPS * 32)
#define THREADS (WARPS * 32 + CELL_GROUPS * CELL_THREADS)
#define OWN_TILES (TILES / CELL_GROUPS)  // of a group of cell warps
#define PER (CELLS_PER_TILE / CELL_THREADS)
#define CELLS_PER_WARP (32 * PER)
#define ROWS_APART (ROWS == 16 ? 32 / UNITS : 1)
#ifndef PREFETCH
#define PREFETCH 6  // frames
#endif

// 16-byte loads per lane, and registers of weights per lane and 8 columns, for 16 values of K.
#if NARROW
#define LOADS 1
#define WREGS 2
#else
#define LOADS 4
#define WREGS 8
#endif
// Gradients exceed the range of f16. The backward pass scales them by a power of two, one for every row and load.
#if defined(SPLIT) && FORMAT == F16
#define SCALED 1
#else
#define SCALED 0
#endif
// A group is the steps whose values one load holds: one step of 16 rows, or two of 8.
#define GROUP_STEPS (16 / ROWS)
#define GROUP_WORDS (LOADS * 128 + SCALED * ROWS)

// The GEMM of a block: K in steps of 16, and its columns. SPLIT is defined only for the backward recurrence.
#ifdef SPLIT
#define STEPS (H / 4 / SPLIT)
#define ALL_GROUPS (H / 4 / GROUP_STEPS)
#define COLUMNS (UNITS * SPLIT)
#else
#define STEPS (H / 16)
#define ALL_GROUPS (STEPS / GROUP_STEPS)
#define COLUMNS (4 * UNITS)
#endif

// ---- tags -----------------------------------------------------------------------------------------------------------
// f32 uses the 13 mantissa bits that TF32 ignores. Narrow formats use the top exponent bit, which is
// 0 in every value below 2. Hidden states always are below 2; gate gradients are scaled to
// stay below it. The exchange buffer is all zero at launch, and no first tag is zero.
#if NARROW
#define TAG_MASK 0x40004000u
__device__ __forceinline__ u32 tag_of(int step) { return (step & 2) ? 0u : TAG_MASK; }
#else
#define TAG_MASK 0x1fffu
__device__ __forceinline__ u32 tag_of(int step) { return (u32)((step >> 1) + 1) & TAG_MASK; }
#endif

// A scale is a power of two, so its mantissa is free.
#define SCALE_TAG_MASK 0x1fffu
__device__ __forceinline__ u32 scale_tag_of(int step) { return (u32)((step >> 1) + 1) & SCALE_TAG_MASK; }
__device__ __forceinline__ uint2 load_scales(const u32* p) {
  uint2 v;
  asm volatile("ld.relaxed.gpu.global.v2.b32 {%0,%1},[%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
  return v;
}
__device__ __forceinline__ u32 wrong_scale_tags(const uint2& v, u32 tag) { return ((v.x ^ tag) | (v.y ^ tag)) & SCALE_TAG_MASK; }

__device__ __forceinline__ uint4 load_exchange(const u32* p) {
  uint4 v;
  asm volatile("ld.relaxed.gpu.global.v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
// Bits that differ from the tag: zero if all words have arrived.
__device__ __forceinline__ u32 wrong_tags(const uint4& v, u32 tag) {
  return ((v.x ^ tag) | (v.y ^ tag) | (v.z ^ tag) | (v.w ^ tag)) & TAG_MASK;
}

// Volatile, so the compiler keeps these early loads before the wait that they overlap with.
__device__ __forceinline__ float load_early(const float* p) {
  float v;
  asm volatile("ld.global.L1::no_allocate.f32 %0,[%1];" : "=f"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ void store_late(float* p, float v) { asm volatile("st.global.f32 [%0],%1;" ::"l"(p), "f"(v)); }
// Polls queue behind earlier loads of their multiprocessor, so those loads must hit the L2 cache.
__device__ __forceinline__ void prefetch_l2(const float* p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
// ---- registers of the roles -------------------------------------------------------------------------------------------
// On Hopper, warps can pass on registers: multiplying warps of large blocks take some of the cell warps'.
#if MULTIPLY_REGISTERS
#define TAKE_REGISTERS() asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MULTIPLY_REGISTERS))
#define GIVE_REGISTERS() asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(CELL_REGISTERS))
#else
#define TAKE_REGISTERS()
#define GIVE_REGISTERS()
#endif

// ---- hand-over between the roles --------------------------------------------------------------------------------------
// Named barriers of a tile: FULL when its partial sums are in shared memory, PUBLISHED when the block has published its cells.
__device__ __forceinline__ void barrier_sync(int barrier) { asm volatile("bar.sync %0,%1;" ::"r"(barrier), "n"(WARPS * 32 + CELL_THREADS) : "memory"); }
// RACECHECK: for compute-sanitizer's racecheck, which does not know bar.arrive (probes/racecheck.cu).
#ifdef RACECHECK
#define barrier_arrive barrier_sync
#else
__device__ __forceinline__ void barrier_arrive(int barrier) { asm volatile("bar.arrive %0,%1;" ::"r"(barrier), "n"(WARPS * 32 + CELL_THREADS) : "memory"); }
#endif
#define FULL(tile) (1 + (tile))
#define PUBLISHED(tile) (5 + (tile))
// The multiplying warps wait until a tile's cells have been published. The stores need some time to arrive.
__device__ __forceinline__ void wait_until_published(int tile) {
  barrier_sync(PUBLISHED(tile));
#if PAUSE > 0
  const u32 begin = (u32)clock64();
  while ((u32)clock64() - begin < PAUSE) {
  }
#endif
}
// A shared-memory address that the compiler keeps instead of computing it again.
__device__ __forceinline__ u32 shared_address(const void* p) {
  u32 at;
  asm volatile("mov.u32 %0,%1;" : "=r"(at) : "r"((u32)__cvta_generic_to_shared(p)));
  return at;
}
__device__ __forceinline__ void store_part(u32 at, float x, float y) { asm volatile("st.shared.v2.f32 [%0],{%1,%2};" ::"r"(at), "f"(x), "f"(y) : "memory"); }
__device__ __forceinline__ void store_parts(u32 at, float x, float y, float z, float w) {
  asm volatile("st.shared.v4.f32 [%0],{%1,%2,%3,%4};" ::"r"(at), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}
__device__ __forceinline__ float4 load_part(u32 at) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
  return v;
}

// ---- rounding -------------------------------------------------------------------------------------------------------
__device__ __forceinline__ u32 round_tf32(float x) {
  u32 r;
  asm("cvt.rna.tf32.f32 %0,%1;" : "=r"(r) : "f"(x));
  return r;
}
// Packs two values into one word, the first in the low half.
__device__ __forceinline__ u32 pack(float lo, float hi) {
  u32 r;
#if FORMAT == BF16
  asm("cvt.rn.bf16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(hi), "f"(lo));
#else
  asm("cvt.rn.f16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(hi), "f"(lo));
#endif
  return r;
}
__device__ __forceinline__ u32 tagged(u32 word, u32 tag) { return (word & ~TAG_MASK) | tag; }
