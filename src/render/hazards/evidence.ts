/**
 * What stands behind a hazard that no clause of the memory model decides, and what an H100 did with it where that was captured. Of every other hazard the
 * clauses say their sources (`needs.ts`, `semantics/model/clauses.ts`).
 *
 * Laws
 * 1. A hazard has clauses that it needs, or a source here.
 * 2. A captured file is there.
 */
import type { HazardId } from '../../semantics/judging/finding.js'

export interface Evidence {
  readonly source: string
  /** a file under conformance/hopper, and what it shows */
  readonly captured?: { readonly file: string; readonly shows: string }
}

const phases = {
  file: 'structure/mbarrier.json',
  shows: 'phases and parities after every operation of a sequence, with a test of both parities',
}

export const evidence: Readonly<Partial<Record<HazardId, Evidence>>> = {
  B1: {
    source:
      'condition C4 of the theorem, from above; PTX 9.7.13.15.4 (a wait returns before an arrive of the next phase)',
    captured: phases,
  },
  B2: {
    source: 'PTX 9.7.13.15.1 and 9.7.13.15.2 (the range of the pending count begins at 0)',
    captured: {
      file: 'structure/mbarrier_limits.json',
      shows: 'sequences up to the limits and past them, with the step at which each trapped',
    },
  },
  B4: {
    source: 'PTX 9.7.13.15.6 (a phase is over when the pending count and the transaction count are 0)',
    captured: {
      file: 'structure/tma.json',
      shows: 'loads with 4,096 bytes more expected than the box has, and whether their phase was over',
    },
  },
  B5: { source: 'a run that reaches it: nothing can move and the wait never passes' },
  B6: {
    source:
      'the parity of a phase; on a fresh barrier a wait for parity 1 passes and one for parity 0 blocks',
    captured: phases,
  },
  M5: {
    source:
      'Pallas:MGPU refuses `tcgen05_mma` and `tcgen05_commit_arrive` on a barrier without `orders_tensor_core=True`',
  },
  T2: {
    source: 'the allocator of tensor memory as a state machine: PTX 9.7.16 (tcgen05.alloc, dealloc)',
  },
  T3: {
    source:
      'PTX 9.7.16 (tcgen05.alloc): 32, 64, 128, 256 or 512 columns, and never more than an earlier one of the CTA',
  },
  A1: {
    source: 'shared memory of a CTA of compute capability 9.0 and 10.0: 228 KiB less 1 KiB, 232,448 bytes',
  },
  A2: {
    source: 'registers of a thread and of a multiprocessor; whether a chip refuses it was not captured',
  },
  A3: {
    source: 'PTX 5.5.7 (a swizzle is of the address: its pattern repeats every 256, 512 or 1,024 bytes)',
    captured: {
      file: 'structure/tma.json',
      shows: 'loads to addresses that are not aligned to the pattern: the XOR follows the address',
    },
  },
  A4: {
    source: 'CUDA driver API, cuTensorMapEncodeTiled; PTX 5.5',
    captured: {
      file: 'structure/tma.json',
      shows: 'copies that the driver refused to encode, and copies that faulted',
    },
  },
  L1: { source: 'terms over all inputs: the output is not what the program says that it computes' },
  L2: { source: 'the types of the program: a tile carries its layout' },
  I2: {
    source: 'TMA alone clips, at the ends of its tensor',
    captured: {
      file: 'structure/tma.json',
      shows: 'loads that are filled beyond the ends, and stores that write nothing there',
    },
  },
  D5: {
    source:
      'PTX, memory consistency model (program order is that of one thread), bar.warp.sync (it orders memory among the threads of its mask)',
  },
  D6: {
    source:
      'PTX, memory consistency model (program order and a proxy fence are those of one thread), bar.warp.sync (it orders memory among the threads of its mask)',
  },
  P6: {
    source:
      'PTX, fence.mbarrier_init and the async proxy (a generic write is found through another proxy across a fence alone); FlashKDA #24, a public report',
  },
  V2: {
    source:
      'PTX, memory consistency model (observation order, causality order; a read may take any write that nothing shows to be over), and a plain enumeration of the executions that its axioms allow',
  },
  V3: {
    source:
      'PTX, ld.global.nc (the load is for memory that is read-only while the kernel runs); CUDA C++ Programming Guide, read-only data cache load function (`__ldg`)',
  },
  N5: {
    source:
      'PTX, barrier{.cta} (.aligned: all threads of the warp execute it; it waits for the threads of its warp that have not exited)',
  },
}
