/** The asynchronous operations of Pallas:MGPU, a row each. */
import type { Rows } from '../here.js'
import { barrierRows } from './barriers.js'
import { clusterRows } from './clusters.js'
import { copyRows } from './copies.js'
import { inlinePtxRows } from './inline-ptx.js'
import { semaphoreRows } from './semaphores.js'
import { tcgen05Rows } from './tcgen05.js'
import { tensorMemoryRows } from './tensor-memory.js'
import { warpRows } from './warps.js'
import { wgmmaRows } from './wgmma.js'

export const asynchronousRows: Rows = {
  ...barrierRows,
  ...clusterRows,
  ...copyRows,
  ...inlinePtxRows,
  ...semaphoreRows,
  ...tcgen05Rows,
  ...tensorMemoryRows,
  ...warpRows,
  ...wgmmaRows,
}
