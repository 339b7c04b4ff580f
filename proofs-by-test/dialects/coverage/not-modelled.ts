/**
 * What a page of a surface speaks of and this library does not model: nothing here has a row.
 *
 * An entry says why no result and no verdict depends on it, or that it is refused and why: a guess could make a wrong kernel look right.
 */
export interface NotModelled {
  /** as the page calls it */
  readonly what: string
  readonly why: string
  readonly page: string
}

const page = 'JAX docs, Pallas:MGPU reference'

export const ofPallas: ReadonlyArray<NotModelled> = [
  {
    what: 'spills of registers',
    why: 'a spilled array has the same values, and only time is lost; accumulators and budgets of registers (`set_max_registers`) are modelled',
    page: `${page}, memory spaces`,
  },
  {
    what: 'quadrants of an SM',
    why: 'which warp runs on which quadrant changes no result; a verdict holds for every order of the warps; the quarter of tensor memory that a warp reaches is modelled',
    page: `${page}, what is a GPU`,
  },
  {
    what: 'warp schedulers and functional units',
    why: 'a verdict holds for every order in which instructions issue and end, as far as the program leaves it open',
    page: `${page}, in-order execution`,
  },
  {
    what: 'L2: its order, its hits, its hints',
    why: 'a cache changes no value that a program without races reads; prefetches and eviction hints are accepted and change nothing',
    page: `${page}, memory spaces`,
  },
  {
    what: 'the order in which blocks of a grid start',
    why: 'CUDA promises none: a verdict holds for every order, and the order that the hardware seems to have is not relied on',
    page: `${page}, taking advantage of the L2 cache`,
  },
]

export const ofTtng: ReadonlyArray<NotModelled> = [
  {
    what: 'weight-stationary products',
    why: 'no operation of ttng emits one; `tcgen05.mma.ws` of PTX runs, and the core has it as `weightStationary` of `tcgen05.mma`; an enabled zero-column mask is refused, because it is not known which columns it removes',
    page: 'PTX ISA, tcgen05.mma.ws',
  },
  {
    what: 'interleave_layout of tensormap_create',
    why: 'refused: the order of elements in an interleaved tensor is documented, but the bytes of a box are not, and no chip was measured',
    page: 'Triton, TritonNvidiaGPU dialect, ttng.tensormap_create',
  },
]
