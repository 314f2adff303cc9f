// Shared code of the recurrences on clusters: operand formats, the tensor-core multiplication, and the
// exchange of vectors between the blocks of a cluster.
//
// A cluster is a set of blocks that can write into each other's shared memory (compute capability 9.0 and
// newer). RANKS blocks share one direction of the layer for 8 utterances. Each owns UNITS hidden units and
// their weights. Clusters do not wait for each other, so any number of them may be launched.
//
// A step needs values of the step before from all blocks. Each block copies them into the others' shared
// memory, and the copy's arrival is counted by a barrier there. Two slots alternate. Overwriting step s-2
// with step s is safe: a block sends step s only after it has received step s-1 from all blocks, and these
// sent it only after they had read step s-2.
//
// Definitions expected before this file:
// - FORMAT: number format of the operands.
// - H: hidden size. UNITS: hidden units per block, at most 64.
// - REG_STEPS: how many steps of K have their weights in registers; the others are in shared memory.
#define BF16 1
#define F16 2

typedef unsigned int u32;
typedef unsigned long long u64;

#define RANKS 8
#define ROWS 8  // utterances per cluster
#define WARPS 8
#define THREADS (WARPS * 32)

// A wait of this many polls (several seconds) means that a block of the cluster has failed.
#define POLL_LIMIT (1u << 24)

// ---- shared memory of a cluster -------------------------------------------------------------------------------------
__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }
// The address of the same place in another block.
__device__ __forceinline__ u32 in_block(u32 address, u32 rank) {
  u32 r;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(r) : "r"(address), "r"(rank));
  return r;
}
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void barrier_init(u64* barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(shared_address(barrier)));
}
// Announces how many bytes the barrier's current phase will receive.
__device__ __forceinline__ void expect(u64* barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void await(u64* barrier, u32 parity) {
  u32 done = 0, polls = 0;
  const u32 address = shared_address(barrier);
  while (true) {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p,[%1],%2; selp.u32 %0,1,0,p;}"
                 : "=r"(done)
                 : "r"(address), "r"(parity)
                 : "memory");
    if (done) return;
    if (++polls == POLL_LIMIT) __trap();
  }
}
// Copies bytes from this block's shared memory to another's, and counts them at its barrier.
__device__ __forceinline__ void send(void* to, const void* from, u32 bytes, u64* barrier, u32 rank) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(in_block(shared_address(to), rank)),
               "r"(shared_address(from)), "r"(bytes), "r"(in_block(shared_address(barrier), rank))
               : "memory");
}
// Makes this thread's writes visible to the copies that follow.
__device__ __forceinline__ void before_send() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- loads and stores -----------------------------------------------------------------------------------------------
// Volatile, so the compiler keeps these early loads before the wait that they overlap with.
__device__ __forceinline__ float load_early(const float* p) {
  float v;
  asm volatile("ld.global.L1::no_allocate.f32 %0,[%1];" : "=f"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ void store_late(float* p, float v) { asm volatile("st.global.f32 [%0],%1;" ::"l"(p), "f"(v)); }
__device__ __forceinline__ void prefetch_l2(const float* p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
#define PREFETCH 6  // frames

// ---- arithmetic -----------------------------------------------------------------------------------------------------
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
// Two operands of 16 x 8 for two steps of K, from rows of shared memory.
__device__ __forceinline__ void load_operand(u32 (&b)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(address));
}
#if FORMAT == BF16
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#endif
// sum += a x b.
__device__ __forceinline__ void multiply(float (&sum)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(MMA " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.f, 1.f + __expf(-x)); }
__device__ __forceinline__ float hyperbolic(float x) { return 1.f - __fdividef(2.f, 1.f + __expf(2.f * x)); }

// ---- the batch ------------------------------------------------------------------------------------------------------
__device__ __forceinline__ int length_of(const int* batch, int utterance) { return utterance < batch[1] ? batch[2 + utterance] : 0; }
// The number of frames of a cluster's longest utterance.
__device__ __forceinline__ int longest(const int* batch, int first) {
  int end = 0;
#pragma unroll
  for (int i = 0; i < ROWS; i++) end = max(end, length_of(batch, first + i));
  return end;
}
