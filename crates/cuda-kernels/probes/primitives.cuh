// Primitives of the probes: shared memory and barriers of a cluster, loads and stores, and the tensor-core multiplication. FORMAT is
// expected before this file.
typedef unsigned int u32;
typedef unsigned long long u64;

#define BF16 1
#define RANKS 8  // blocks per cluster
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
__device__ __forceinline__ float hyperbolic(float x) { return 1.f - __fdividef(2.f, 1.f + __expf(2.f * x)); }

// ---- the batch ------------------------------------------------------------------------------------------------------
__device__ __forceinline__ int length_of(const int* batch, int utterance) { return utterance < batch[1] ? batch[2 + utterance] : 0; }
