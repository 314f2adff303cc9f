// The multiplying warps of the forward recurrence as two warpgroups (Hopper), for blocks of 32 units and tiles of 16 rows.
//
// If warps split K, their partial sums take most of the bandwidth of shared memory in such blocks. Here warps copy the exchanged
// vector into shared memory, each its share. Then each warpgroup multiplies the whole vector by its half of the weights, which are in
// registers, so there is one sum per column: [row][unit][gate], padded.
#define PARTS 1
#define ROW (COLUMNS + 8)
#define PART_FLOATS (16 * ROW)
#define CELL_BYTES (ROWS_APART * ROW * 4)  // from a thread's cell to its next one
#define WARP_BYTES 0
#define VECTOR_BYTES (H * 32)
#define VECTOR_CHUNKS (VECTOR_BYTES / 16)
#define CHUNKS_OF_THREAD ((VECTOR_CHUNKS + WARPS * 32 - 1) / (WARPS * 32))  // of 16 bytes
#define GATHERED(tile) (9 + (tile))                                         // barrier of the multiplying warps
// Offset of the sums of a thread's first cell.
__device__ __forceinline__ int first_part(int warp, int lane) { return row_of_cell(warp, lane) * ROW + unit_of_cell(warp, lane) * 4; }
// Offset of a cell's h in its tile, in bytes. The exchanged vector has the layout of the shared memory.
__device__ __forceinline__ int place_of(int unit, int row) { return unit / 8 * 256 + row * 16 + unit % 8 * 2; }
#define ROW_BYTES 16  // from a row's h to the next one's

// Describes 16 values of K of all rows: 8 rows x 8 values are contiguous, then follow the next 8 rows, then the next 8 values.
__device__ __forceinline__ unsigned long long vector_descriptor(u32 at) {
  return (unsigned long long)((at & 0x3ffff) >> 4) | ((unsigned long long)(256 >> 4) << 16) | ((unsigned long long)(128 >> 4) << 32);
}
#if FORMAT == BF16
#define WGMMA_TYPES "bf16.bf16"
#else
#define WGMMA_TYPES "f16.f16"
#endif
// Adds the product of 64 x 16 weights and 16 x 16 values, or begins a sum.
__device__ __forceinline__ void multiply_async(float (&c)[8], const u32 (&a)[4], unsigned long long b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p,%13,0;\n"
      "wgmma.mma_async.sync.aligned.m64n16k16.f32." WGMMA_TYPES " {%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9,%10,%11},%12,p,1,1,0;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
__device__ __forceinline__ void store_chunk(u32 at, const uint4& v) {
  asm volatile("st.shared.v4.b32 [%0],{%1,%2,%3,%4};" ::"r"(at), "r"(v.x & ~TAG_MASK), "r"(v.y & ~TAG_MASK), "r"(v.z & ~TAG_MASK), "r"(v.w & ~TAG_MASK) : "memory");
}
// Whether a thread copies an i-th chunk.
__device__ __forceinline__ bool has_chunk(int i) { return VECTOR_CHUNKS % (WARPS * 32) == 0 || threadIdx.x + i * WARPS * 32 < VECTOR_CHUNKS; }

// The multiplying warps.
__device__ __forceinline__ void multiply_steps(const float* weight_hh, const int* batch, const u32* exchange, float* parts, u32* vectors) {
  const int dir = FIRST_DIRECTION + blockIdx.y, first_unit = blockIdx.x * UNITS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane >> 2, q = lane & 3;
  // A lane has rows g and g + 8 of its warp's 16 weights: two gates of a unit.
  const int unit = warp / 4 * 16 + warp % 4 / 2 * 8 + g, first_gate = warp % 2 * 2;
  u32 weights[H / 16][4];
#pragma unroll
  for (int k = 0; k < H / 16; k++)
#pragma unroll
    for (int x = 0; x < 4; x++) {
      const float2 e = *(const float2*)(weight_hh + ((size_t)dir * 4 * H + (first_gate + x % 2) * H + first_unit + unit) * H + k * 16 + x / 2 * 8 + q * 2);
      weights[k][x] = pack(e.x, e.y);
    }
  const int all_tiles = tiles_of(batch), slot_words = all_tiles * ALL_GROUPS * GROUP_WORDS;
  const u32 vector = shared_address(vectors), mine = shared_address(parts) + (q * 2 * ROW + unit * 4 + first_gate) * 4;
  const int passes = PASSES > 0 ? PASSES : (all_tiles + TILES * SETS - 1) / (TILES * SETS);
  for (int pass = 0; pass < passes; pass++) {
    int ends[TILES], end = 0;
    const u32* src[TILES];
#pragma unroll
    for (int m = 0; m < TILES; m++) {
      const int tile = (pass * TILES + m) * SETS + blockIdx.z;
      ends[m] = longest(batch, tile);
      end = max(end, ends[m]);
      src[m] = exchange + dir * slot_words + tile * ALL_GROUPS * GROUP_WORDS + threadIdx.x * 4;
    }
    int flip = 2 * slot_words;
    for (int s = 1; s < end; s++) {
#pragma unroll
      for (int m = 0; m < TILES; m++) {
        if (s >= ends[m]) continue;
        wait_until_published(m);
        const u32 tag = tag_of(s - 1);
        uint4 v[CHUNKS_OF_THREAD];
#pragma unroll
        for (int i = 0; i < CHUNKS_OF_THREAD; i++)
          if (has_chunk(i)) v[i] = load_exchange(src[m] + i * WARPS * 128);
        u32 bad, spins = 0;
        do {
          if (++spins == SPIN_LIMIT) __trap();
          bad = 0u;
#pragma unroll
          for (int i = 0; i < CHUNKS_OF_THREAD; i++) {
            if (!has_chunk(i)) continue;
            const u32 wrong = wrong_tags(v[i], tag);
            if (wrong != 0u) v[i] = load_exchange(src[m] + i * WARPS * 128);
            bad |= wrong;
          }
        } while (__any_sync(0xffffffffu, bad != 0u));
        const u32 to = vector + m * VECTOR_BYTES;
#pragma unroll
        for (int i = 0; i < CHUNKS_OF_THREAD; i++)
          if (has_chunk(i)) store_chunk(to + (threadIdx.x + i * WARPS * 32) * 16, v[i]);
        // What threads have written must be visible to the multiplication.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0,%1;" ::"r"(GATHERED(m)), "n"(WARPS * 32) : "memory");
        float acc[8];
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < H / 16; k++) multiply_async(acc, weights[k], vector_descriptor(to + k * 512), k > 0);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        const u32 part = mine + m * PART_FLOATS * 4;
#pragma unroll
        for (int x = 0; x < 4; x++) store_part(part + ((x / 2 * 8 + x % 2) * ROW) * 4, acc[x / 2 * 4 + x % 2], acc[x / 2 * 4 + x % 2 + 2]);
        barrier_arrive(FULL(m));
        src[m] += flip;
      }
      flip = -flip;
    }
  }
}
