/**
 * An H100 SXM (80 GB HBM3).
 *
 * What is of a multiprocessor or of L2 was measured on an H200, which has the same multiprocessors, L2 and clocks, and other DRAM: programs and captures are in
 * `conformance/hopper/timing`. DRAM and the size of L2 are from the data sheet. What is fitted makes the launches of `conformance/hopper/timing` that are for calibration come out.
 */
import { multiprocessors } from '../machine/multiprocessors.js'
import { assumed as a, documented as d, fitted as f, measured as m, type Chip } from './chip.js'

const whitePaper = 'NVIDIA H100 Tensor Core GPU Architecture (white paper)'
const guide = 'CUDA C++ Programming Guide, compute capabilities: 9.0'
const throughput = 'CUDA C++ Programming Guide, throughput of arithmetic instructions: 9.0'

/** What L2 gives in a cycle, as a share of what that of an H200 does, which has more slices. */
const slices = 0.92

export const h100: Chip = {
  name: 'h100',
  says: 'NVIDIA H100 SXM 80 GB',
  lacks: ['tcgen05', 'tcgen05Copy', 'tcgen05Commit', 'tcgen05Ld', 'tcgen05St'],
  parameters: {
    sms: d(multiprocessors.sm90a, whitePaper),
    clock: m(1980, 'launches: add, softmax, rowsum'),
    'clock.products': m(1790, 'products for calibration: mhz of those that use little'),
    'clock.tensor': f(636, 'mhz of large products for calibration'),
    'clock.loads': f(4.1, 'mhz of large products for calibration'),
    'clock.reserve': f(445, 'mhz of large products for calibration'),
    'sm.threads': d(2048, guide),
    'sm.ctas': d(32, guide),
    'sm.registers': d(65536, guide),
    'sm.shared': d(233472, guide),
    'sm.reserved': d(1024, guide),
    'launch.grid': m(2.9, 'nothing: 132 CTAs'),
    'launch.cta': m(300, 'cta_times: gaps'),
    'alu.latency': m(4.4, 'op: chain of ffma, fadd, fmul'),
    'sfu.latency': m(17, 'op: chain of ex2'),
    'shuffle.latency': m(24, 'op: chain of shfl'),
    'fma.interval': d(1, throughput),
    'alu.interval': d(2, throughput),
    'half.interval': m(1.15, 'op: hfma2 of 1,024 threads'),
    'convert.interval': m(2.1, 'op: cvt_f16x2 of 1,024 threads'),
    'sfu.interval': d(8, throughput),
    'shuffle.interval': d(4, throughput),
    'shared.latency': m(29, 'chase_smem'),
    'shared.bandwidth': d(128, guide),
    'barrier.latency': m(16, 'op: bar'),
    'barrier.issue': m(2, 'op: bar, cycles a warp'),
    'mbarrier.issue': m(15, 'mbar_self'),
    'mbarrier.wait': m(42, 'passed'),
    'mbarrier.wake': m(5, 'mbar_ping: beyond a wait that is passed'),
    'fence.proxy': m(10, 'op: fence_proxy'),
    'fence.memory': m(265, 'op: fence_gpu'),
    'cluster.latency': f(200, 'launches for calibration'),
    'tensormap.replace': m(16, 'map_fence: replace'),
    'tensormap.publish': m(260, 'map_fence'),
    'registers.change': f(20, 'launches for calibration'),
    'tma.issue': m(45, 'tma_one_2d: issue'),
    'tma.interval': f(20, 'small boxes'),
    'tma.row': m(1.1, 'tma_one_2d: boxes of 32, 64 and 128 bytes a row'),
    'tma.latency': m(265, 'tma_one_2d of 1 KB'),
    'tma.store': m(42, 'tma_store: read'),
    'tma.written': m(14, 'tma_store: done'),
    'lsu.issue': f(2, 'launches for calibration'),
    'l2.latency': m(285, 'chase in L2'),
    'l2.bandwidth': f(37 * slices, 'ring on an H200; launches of an H100 with small tiles'),
    'l2.near': f(70 * slices, 'warm times of products for calibration; launches of an H100'),
    'l2.step': m(370, 'streams: of two neighbours, beyond what one alone takes'),
    'l2.port': m(105, 'ring: one multiprocessor'),
    'l2.write': m(18.5, 'tma_store_flow, stg: all multiprocessors'),
    'l2.together': m(16, 'shared: by neighbours, interleaved'),
    'write.burst': f(3000, 'products for calibration that write from registers, sixth.jsonl: output'),
    'write.port': m(32, 'tma_store_flow, stg: one multiprocessor'),
    'l2.bytes': d(50 * 2 ** 20, whitePaper),
    'l2.copy': m(0.57, 'capacity: by two far from one another, and by one'),
    'dram.latency': m(400, 'chase, tma_one: dram beyond l2'),
    'dram.spread': m(440, 'tma_one_2d: boxes of 64 rows and more from dram, beyond l2 and one line'),
    'dram.bandwidth': d(2950, '88 % of the 3.35 TB/s in the data sheet, the share that an H200 reaches'),
    'wgmma.issue': m(8, 'wgmma'),
    'wgmma.descriptor': f(7, 'loop: products of one warpgroup, third.jsonl'),
    'wgmma.queue': m(7, 'issue: rows of twelve products, of one warpgroup and of two'),
    'wgmma.latency': m(45, 'wgmma: groups of one'),
    'wgmma.rate': d(2048, whitePaper),
    'wgmma.shared': d(128, guide),
    'mma.interval': m(9, 'op: mma'),
    'tcgen05.issue': a(1, 'an H100 has none'),
    'tcgen05.latency': a(1, 'an H100 has none'),
    'tcgen05.rate': a(1, 'an H100 has none'),
    'tmem.bandwidth': a(512, 'an H100 has none'),
    'tmem.latency': a(50, 'an H100 has none'),
    'tmem.allocate': a(100, 'an H100 has none'),
  },
}
