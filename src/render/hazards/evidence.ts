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
    source: 'condition C4 of the theorem, from above; PTX ISA, mbarrier: a wait knows one parity',
    captured: phases,
  },
  B2: {
    source: 'PTX ISA, mbarrier: the pending count',
    captured: {
      file: 'structure/mbarrier_limits.json',
      shows: 'sequences up to the limits and past them, with the step at which each trapped',
    },
  },
  B4: {
    source: 'PTX ISA, mbarrier: the transaction count',
    captured: {
      file: 'structure/tma.json',
      shows: 'loads with more bytes expected than the box has, and when their phase completed',
    },
  },
  B5: { source: 'a run that reaches it: nothing can move and the wait stands' },
  B6: {
    source: 'PTX ISA, mbarrier: on a fresh barrier a wait for parity 1 passes and one for parity 0 stands',
    captured: phases,
  },
  M5: { source: 'JAX docs, Pallas:MGPU reference: `Barrier(orders_tensor_core=...)`' },
  T2: { source: 'PTX ISA, tcgen05.dealloc' },
  T3: { source: 'PTX ISA, tcgen05.alloc: a power of two from 32 to 512' },
  A1: { source: 'CUDA C++ programming guide: shared memory of a block on compute capability 9.0 and 10.0' },
  A2: {
    source: 'PTX ISA, setmaxnreg; CUDA C++ programming guide: registers of a thread and of a multiprocessor',
  },
  A3: { source: 'PTX ISA, tensor swizzling modes: where an atom may begin' },
  A4: {
    source: 'CUDA driver API, cuTensorMapEncodeTiled; PTX ISA, cp.async.bulk.tensor',
    captured: {
      file: 'structure/tma.json',
      shows: 'copies that the driver refused to encode, and copies that faulted',
    },
  },
  L1: { source: 'terms over all inputs: the output is not what the program says that it computes' },
  L2: { source: 'the types of the program: a tile carries its layout' },
  I2: { source: 'PTX ISA: what TMA clips, and that nothing else is clipped' },
}
