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
#include "primitives.cuh"

#define F16 2
#define ROWS 8  // utterances per cluster

// Copies bytes from this block's shared memory to another's, and counts them at its barrier.
__device__ __forceinline__ void send(void* to, const void* from, u32 bytes, u64* barrier, u32 rank) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(in_block(shared_address(to), rank)),
               "r"(shared_address(from)), "r"(bytes), "r"(in_block(shared_address(barrier), rank))
               : "memory");
}
// Makes this thread's writes visible to the copies that follow.
__device__ __forceinline__ void before_send() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- arithmetic -----------------------------------------------------------------------------------------------------
// Two operands of 16 x 8 for two steps of K, from rows of shared memory.
__device__ __forceinline__ void load_operand(u32 (&b)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(address));
}
__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.f, 1.f + __expf(-x)); }

// ---- the batch ------------------------------------------------------------------------------------------------------
// The number of frames of a cluster's longest utterance.
__device__ __forceinline__ int longest(const int* batch, int first) {
  int end = 0;
#pragma unroll
  for (int i = 0; i < ROWS; i++) end = max(end, length_of(batch, first + i));
  return end;
}
