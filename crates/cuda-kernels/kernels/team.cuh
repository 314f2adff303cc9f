// Exchange of parts of sums between the blocks of a team, which split K in the backward recurrence.
//
// With CLUSTER, a team is a cluster of Hopper: members write into each other's shared memory and count the bytes with a barrier.
// Otherwise parts travel through the L2 cache like the exchanged vectors, tagged in their lowest mantissa bit. In both cases two slots
// alternate, and a member sends the parts of step s only after all members have used those of step s-2: before that it received the
// parts of step s-1, which each member sent after all of its cell threads had used those of step s-2.
#define TEAM_WORDS (CELLS_PER_TILE * SPLIT)  // words that a block receives per tile

#if CLUSTER
#define TEAM_BYTES (TEAM_WORDS * 4)
struct Team {
  float parts[TILES * 2][TEAM_WORDS];
  unsigned long long barriers[TILES * 2];
};
// Where the parts of a step arrive.
struct Inbox {
  u32 parts, barrier, parity;
};
__device__ __forceinline__ u32 in_block(u32 at, u32 rank) {
  u32 r;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(r) : "r"(at), "r"(rank));
  return r;
}
__device__ __forceinline__ void expect_parts(u32 barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(TEAM_BYTES) : "memory");
}
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Called by all threads of the block, before and after the recurrence: the memory of a block that has ended must not be written.
__device__ __forceinline__ void begin_team(Team& team) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < TILES * 2; i++) {
      const u32 barrier = shared_address(&team.barriers[i]);
      asm volatile("mbarrier.init.shared::cta.b64 [%0],1;" ::"r"(barrier));
      expect_parts(barrier);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncwarp();
  cluster_sync();
}
__device__ __forceinline__ void end_team() {
  __syncwarp();
  cluster_sync();
}
// `count` is the number of steps that have used the tile's slots.
__device__ __forceinline__ Inbox open_inbox(Team& team, int m, u32 count) {
  const u32 slot = m * 2 + (count & 1);
  return {shared_address(&team.parts[slot][0]), shared_address(&team.barriers[slot]), (count >> 1) & 1};
}
__device__ __forceinline__ void send(const Inbox& inbox, int rank, int member, int offset, const float4& sum) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0],{%1,%2,%3,%4},[%5];" ::"r"(
                   in_block(inbox.parts + (rank * CELLS_PER_TILE + offset) * 4, member)),
               "f"(sum.x), "f"(sum.y), "f"(sum.z), "f"(sum.w), "r"(in_block(inbox.barrier, member))
               : "memory");
}
// Waits for the parts of all members. `first`: whether this is the block's first cell thread.
__device__ __forceinline__ void wait_for_parts(const Inbox& inbox, bool first) {
  for (u32 done = 0, spins = 0; !done;) {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p,[%1],%2;\nselp.u32 %0,1,0,p;\n}"
                 : "=r"(done)
                 : "r"(inbox.barrier), "r"(inbox.parity)
                 : "memory");
    if (++spins == SPIN_LIMIT) __trap();
  }
  // For the next step that uses this slot.
  if (first) expect_parts(inbox.barrier);
  // The barriers that follow expect a warp's lanes together.
  __syncwarp();
}
// The sum of a cell's parts, in the order of the members.
__device__ __forceinline__ float receive(const Inbox& inbox, int place) {
  float sum = 0.f;
#pragma unroll
  for (int r = 0; r < SPLIT; r++) {
    float part;
    asm volatile("ld.shared.f32 %0,[%1];" : "=f"(part) : "r"(inbox.parts + (r * CELLS_PER_TILE + place) * 4) : "memory");
    sum += part;
  }
  return sum;
}
#else
// Where the parts of a step arrive, and their tag. Slots are first used at steps 1 and 2, and are initially zero.
struct Inbox {
  u32 *parts, tag;
};
__device__ __forceinline__ Inbox open_inbox(u32* parts, int step) { return {parts, ((step - 1) & 2) ? 0u : 1u}; }
__device__ __forceinline__ void send(const Inbox& inbox, int rank, int member, int offset, const float4& sum) {
  auto word = [&](float x) { return (__float_as_uint(x) & ~1u) | inbox.tag; };
  u32* to = inbox.parts + (member - rank) * TEAM_WORDS + rank * CELLS_PER_TILE + offset;
  asm volatile("st.relaxed.gpu.global.v4.b32 [%0],{%1,%2,%3,%4};" ::"l"(to), "r"(word(sum.x)), "r"(word(sum.y)), "r"(word(sum.z)),
               "r"(word(sum.w)));
}
__device__ __forceinline__ void wait_for_parts(const Inbox&, bool) {}
// The sum of a cell's parts, in the order of the members. Waits for them.
__device__ __forceinline__ float receive(const Inbox& inbox, int place) {
  u32 v[SPLIT], bad, spins = 0;
  do {
    if (++spins == SPIN_LIMIT) __trap();
    bad = 0u;
#pragma unroll
    for (int r = 0; r < SPLIT; r++)
      asm volatile("ld.relaxed.gpu.global.b32 %0,[%1];" : "=r"(v[r]) : "l"(inbox.parts + r * CELLS_PER_TILE + place));
#pragma unroll
    for (int r = 0; r < SPLIT; r++) bad |= v[r] ^ inbox.tag;
  } while (bad & 1u);
  float sum = 0.f;
#pragma unroll
  for (int r = 0; r < SPLIT; r++) sum += __uint_as_float(v[r]);
  return sum;
}
#endif
