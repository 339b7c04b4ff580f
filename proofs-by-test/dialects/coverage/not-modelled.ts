/**
 * What a page of a surface speaks of and this library does not model: nothing here has a row, since no result and no verdict depends on it.
 *
 * An entry says why a kernel comes out the same without it, or which verdict covers every choice that the hardware may make.
 */
export interface NotModelled {
  /** as the page calls it */
  readonly what: string
  readonly why: string
  readonly page: string
}

const page = 'JAX docs, Pallas:MGPU reference'

export const notModelled: ReadonlyArray<NotModelled> = [
  {
    what: 'spills of registers',
    why: 'a spilled array has the same values: ptxas decides it, and only time is lost; accumulators and budgets of registers (`set_max_registers`) are modelled',
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
