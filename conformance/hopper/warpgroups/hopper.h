// What kernels of warpgroups say to the machine, a statement each: macros, so that the line of an instruction is that of the kernel that says it.
#pragma once
#include <cuda.h>
#include <cuda_fp16.h>
#include "../cuda/twins.h"
// mbarriers, by their addresses in shared memory
#define INIT(barrier, count) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory")
#define ARRIVE(barrier) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory")
#define EXPECT(barrier, bytes) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory")
#define WAIT(barrier, parity) asm volatile("{\n.reg .pred done;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory")
#define PUBLISH() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define ARRIVE_AT(barrier, cta) asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier), "r"(cta) : "memory")
#define WAIT_CLUSTER(barrier, parity) asm volatile("{\n.reg .pred done;\nLAB_WAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n@done bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory")
#define CLUSTER_ARRIVE() asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory")
#define CLUSTER_WAIT() asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory")
// copies of boxes
#define LOAD(into, map, x, y, barrier) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(into), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory")
#define LOAD_TO(into, map, x, y, barrier, ctas) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(into), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(ctas) : "memory")
#define STORE(map, x, y, from) asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(from) : "memory")
#define STORES_DONE() asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory")
#define STORES_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define STORES_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
// threads
#define MEET(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define GIVE(id, threads) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define FEWER_REGISTERS(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";")
#define MORE_REGISTERS(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";")
// products of a warpgroup
#define PRODUCT_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define PRODUCT_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define PRODUCT_WAIT(pending) asm volatile("wgmma.wait_group.sync.aligned " #pending ";" ::: "memory")
#define F8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define S8(d, i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), "+r"(d[i + 6]), "+r"(d[i + 7])
#define D32 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
#define D64 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}"
#define PRODUCT_64x128x16(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " D64 ", %64, %65, 1, 1, 1, 0, 0;" : F8(d, 0), F8(d, 8), F8(d, 16), F8(d, 24), F8(d, 32), F8(d, 40), F8(d, 48), F8(d, 56) : "l"(a), "l"(b))
#define PRODUCT_64x64x16(d, a, b, adds) asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", %32, %33, p, 1, 1, 0, 0;\n}" : F8(d, 0), F8(d, 8), F8(d, 16), F8(d, 24) : "l"(a), "l"(b), "r"((int)(adds)))
#define PRODUCT_REGISTERS_64x64x16(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;" : F8(d, 0), F8(d, 8), F8(d, 16), F8(d, 24) : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(b))
#define PRODUCT_E4M3_64x64x32(d, a, b, adds) asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 " D32 ", %32, %33, p, 1, 1;\n}" : F8(d, 0), F8(d, 8), F8(d, 16), F8(d, 24) : "l"(a), "l"(b), "r"((int)(adds)))
#define PRODUCT_S8_64x64x32(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 " D32 ", %32, %33, 1;" : S8(d, 0), S8(d, 8), S8(d, 16), S8(d, 24) : "l"(a), "l"(b))
#define MATRICES_TO_SHARED(into, w) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(into), "r"((w)[0]), "r"((w)[1]), "r"((w)[2]), "r"((w)[3]) : "memory")
// rows of 128 bytes, swizzled, eight of them 1024 bytes
__device__ __forceinline__ uint64_t descriptor(uint32_t address) { return (uint64_t)((address & 0x3ffff) >> 4) | (uint64_t)64 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62; }
extern __shared__ uint8_t raw[];
