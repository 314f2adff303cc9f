// The multiplying warps: weights on chip, the wait for the exchanged vector, and the tensor-core multiplication.
// K is processed 16 values at a time, as four quads of four. Lane (g, q) = (lane / 4, lane % 4) holds quad q
// of rows g and g + 8, and column g's weights for quad q. A tile's exchanged vector is laid out in the order
// in which lanes read it, 16 bytes each:
//     narrow: quad of row g, quad of row g + 8 (scaled: the scales of rows g and g + 8 follow the quads of all lanes)
//     f32: leading part of the quad of row g; then, 512 bytes apart each, that of row g + 8 and the remainders of both
//     (a value is the sum of two TF32 parts; three multiplications)
//     narrow, 8 rows: quads of row g of two steps (scaled: the scales of all rows follow)
//
// A tile of 16 rows is the left operand of `mma`, which has 16 rows, and the weights are the right one, with 8 columns. A tile of
// 8 rows is the right one, and the weights are the left one: a lane then holds sums of columns g and g + 8 for rows 2 q and 2 q + 1.
__device__ __forceinline__ void mma_wide(float (&c)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma_narrow(float (&c)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
#if FORMAT == BF16
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#else
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#endif
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void product(float (&c)[4], const uint4 (&a)[LOADS], const u32 (&w)[WREGS]) {
#if NARROW
  mma_narrow(c, a[0].x, a[0].z, a[0].y, a[0].w, w[0], w[1]);
#else
  mma_wide(c, a[2].x, a[3].x, a[2].y, a[3].y, w[0], w[1]);
  mma_wide(c, a[2].z, a[3].z, a[2].w, a[3].w, w[2], w[3]);
  mma_wide(c, a[0].x, a[1].x, a[0].y, a[1].y, w[4], w[5]);
  mma_wide(c, a[0].z, a[1].z, a[0].w, a[1].w, w[6], w[7]);
  mma_wide(c, a[0].x, a[1].x, a[0].y, a[1].y, w[0], w[1]);
  mma_wide(c, a[0].z, a[1].z, a[0].w, a[1].w, w[2], w[3]);
#endif
}
// Encodes one column's weights for a quad in the layout of the multiplication.
__device__ __forceinline__ void encode_weights(u32 (&w)[WREGS], float e0, float e1, float e2, float e3) {
#if NARROW
  w[0] = pack(e0, e1);
  w[1] = pack(e2, e3);
#else
  w[0] = round_tf32(e0), w[1] = round_tf32(e1), w[2] = round_tf32(e2), w[3] = round_tf32(e3);
  w[4] = round_tf32(e0 - __uint_as_float(w[0])), w[5] = round_tf32(e1 - __uint_as_float(w[1]));
  w[6] = round_tf32(e2 - __uint_as_float(w[2])), w[7] = round_tf32(e3 - __uint_as_float(w[3]));
#endif
}

// A warp's share of K: STEPS_W steps of 16 from first_step, for COLUMNS / 8 tiles of columns. The weights of
// the last SMEM_STEPS steps are in shared memory, the others in registers.
#define GROUPS (STEPS / GROUP_STEPS)
#define GROUPS_W ((GROUPS + WARPS - 1) / WARPS)
#define STEPS_W (GROUPS_W * GROUP_STEPS)
#define REG_STEPS (STEPS_W - SMEM_STEPS)
#define COLUMN_TILES (COLUMNS / 8)
#define SUM_TILES (COLUMN_TILES / GROUP_STEPS)  // tiles of sums: [16 rows][8 columns] or [16 columns][8 rows]
#define EVEN (GROUPS % WARPS == 0)
#define WORKERS ((GROUPS + GROUPS_W - 1) / GROUPS_W)  // warps that have a share of K
#define CHUNK_RAW ((GROUPS_W * LOADS <= 8 ? 8 : 4) / LOADS)  // eight loads in flight: all at once, or two chunks of four
#define CHUNK (CHUNK_RAW < GROUPS_W ? CHUNK_RAW : GROUPS_W)
#define CHUNKS ((GROUPS_W + CHUNK - 1) / CHUNK)
#define WEIGHT_SMEM_WORDS (WARPS * SMEM_STEPS * COLUMN_TILES * 32 * WREGS)

struct Weights {
  u32 reg[REG_STEPS > 0 ? REG_STEPS : 1][COLUMN_TILES][WREGS];
};

// Consecutive multiplications need different accumulators, or they wait for each other.
#define SUMS (COLUMN_TILES < 8 && !SCALED && NARROW ? 2 : 1)

// The weights of a step and a tile of columns.
__device__ __forceinline__ void load_weights(u32 (&w)[WREGS], const Weights& weights, const u32* smem_weights, int k, int j) {
#pragma unroll
  for (int r = 0; r < WREGS; r += 2) {
    if (k < REG_STEPS) {
      w[r] = weights.reg[k < REG_STEPS ? k : 0][j][r], w[r + 1] = weights.reg[k < REG_STEPS ? k : 0][j][r + 1];
    } else {
      const uint2 x = *(const uint2*)(smem_weights + ((k - REG_STEPS) * COLUMN_TILES + j) * 32 * WREGS + r * 32);
      w[r] = x.x, w[r + 1] = x.y;
    }
  }
}
// Multiplies a group's values `a` by the weights of tile j of sums.
__device__ __forceinline__ void multiply_group(float (&sum)[4], const uint4 (&a)[LOADS], const Weights& weights, const u32* smem_weights, int group, int j) {
#if ROWS == 16
  u32 w[WREGS];
  load_weights(w, weights, smem_weights, group, j);
  product(sum, a, w);
#else
#pragma unroll
  for (int e = 0; e < 2; e++) {
    u32 w[WREGS], v[WREGS];
    load_weights(w, weights, smem_weights, 2 * group + e, 2 * j);
    load_weights(v, weights, smem_weights, 2 * group + e, 2 * j + 1);
    mma_narrow(sum, w[0], v[0], w[1], v[1], e ? a[0].z : a[0].x, e ? a[0].w : a[0].y);
  }
#endif
}

// Waits for the vector of a step (src: its first word for this warp and lane) and multiplies it by the weights.
__device__ __forceinline__ void gather_and_multiply(float (&acc)[SUM_TILES][4], const Weights& weights, const u32* smem_weights,
                                                    const u32* src, int step, int groups_here) {
  const u32 tag = tag_of(step);
#if SCALED
  const int lane = threadIdx.x % 32;
  const u32 scale_tag = scale_tag_of(step), *scale_src = src - lane * 4 + 128 + (ROWS == 16 ? lane >> 2 : lane & 3) * 2;
  uint2 scales[CHUNKS > 1 ? 2 : 1][CHUNK];
#endif
  uint4 a[CHUNKS > 1 ? 2 : 1][CHUNK][LOADS];
  [[maybe_unused]] float odd[SUM_TILES][4];
#pragma unroll
  for (int j = 0; j < SUM_TILES; j++)
#pragma unroll
    for (int x = 0; x < 4; x++) acc[j][x] = odd[j][x] = 0.f;
#pragma unroll
  for (int ch = 0; ch <= CHUNKS; ch++) {
    if (ch < CHUNKS) {
#pragma unroll
      for (int i = 0; i < CHUNK; i++) {
        const int k = ch * CHUNK + i;
        if (k < GROUPS_W && (EVEN || k < groups_here))
#pragma unroll
          for (int l = 0; l < LOADS; l++) a[ch & 1][i][l] = load_exchange(src + k * GROUP_WORDS + l * 128);
#if SCALED
        if (k < GROUPS_W && (EVEN || k < groups_here)) scales[ch & 1][i] = load_scales(scale_src + k * GROUP_WORDS);
#endif
      }
      if (ch == 0 && CHUNKS > 1) continue;
    }
    const int done = CHUNKS > 1 ? ch - 1 : ch;
    if (done >= CHUNKS) break;
    u32 bad, spins = 0;
    do {
      if (++spins == SPIN_LIMIT) __trap();
      bad = 0u;
#pragma unroll
      for (int i = 0; i < CHUNK; i++) {
        const int k = done * CHUNK + i;
        if (k < GROUPS_W && (EVEN || k < groups_here))
#pragma unroll
          for (int l = 0; l < LOADS; l++) {
            const u32 wrong = wrong_tags(a[done & 1][i][l], tag);
            if (wrong != 0u) a[done & 1][i][l] = load_exchange(src + k * GROUP_WORDS + l * 128);
            bad |= wrong;
          }
#if SCALED
        if (k < GROUPS_W && (EVEN || k < groups_here)) {
          const u32 wrong = wrong_scale_tags(scales[done & 1][i], scale_tag);
          if (wrong != 0u) scales[done & 1][i] = load_scales(scale_src + k * GROUP_WORDS);
          bad |= wrong;
        }
#endif
      }
    } while (__any_sync(0xffffffffu, bad != 0u));
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
      const int k = done * CHUNK + i;
      if (k >= GROUPS_W || !(EVEN || k < groups_here)) continue;
#if NARROW
      uint4& v = a[done & 1][i][0];
      v.x &= ~TAG_MASK, v.y &= ~TAG_MASK, v.z &= ~TAG_MASK, v.w &= ~TAG_MASK;
#endif
#pragma unroll
      for (int j = 0; j < SUM_TILES; j++) {
#if SCALED
        float sum[4] = {0.f, 0.f, 0.f, 0.f};
        multiply_group(sum, a[done & 1][i], weights, smem_weights, k, j);
        // Of rows g and g + 8, or of rows 2 q and 2 q + 1.
        const float first = __uint_as_float(scales[done & 1][i].x & ~SCALE_TAG_MASK), second = __uint_as_float(scales[done & 1][i].y & ~SCALE_TAG_MASK);
        acc[j][0] += first * sum[0], acc[j][1] += (ROWS == 16 ? first : second) * sum[1];
        acc[j][2] += (ROWS == 16 ? second : first) * sum[2], acc[j][3] += second * sum[3];
#else
        multiply_group(SUMS == 2 && k % 2 ? odd[j] : acc[j], a[done & 1][i], weights, smem_weights, k, j);
#endif
      }
    }
    if (CHUNKS == 1) break;
  }
  if (SUMS == 2)
#pragma unroll
    for (int j = 0; j < SUM_TILES; j++)
#pragma unroll
      for (int x = 0; x < 4; x++) acc[j][x] += odd[j][x];
}

// Keeps the encoded weights of a step and a tile of columns in registers or, for the last SMEM_STEPS steps, in shared memory.
__device__ __forceinline__ void keep_weights(Weights& weights, u32* smem_weights, int k, int j, const u32 (&w)[WREGS]) {
#pragma unroll
  for (int r = 0; r < WREGS; r++) {
    if (k < REG_STEPS) weights.reg[k < REG_STEPS ? k : 0][j][r] = w[r];
    else smem_weights[((k - REG_STEPS) * COLUMN_TILES + j) * 32 * WREGS + (r / 2) * 64 + r % 2] = w[r];
  }
}
