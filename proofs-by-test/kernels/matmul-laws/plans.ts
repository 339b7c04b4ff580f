/** The plans, by family: each family is proved in a file of its own. */
import { plan as hopperFp8 } from './hopper-fp8.js'
import { plan as hopperMatmul } from './hopper-matmul.js'
import { plan as hopperPersistent } from './hopper-persistent.js'
import { plan as hopperPingPong } from './hopper-ping-pong.js'
import { plan as hopperPipelineWs } from './hopper-pipeline-ws.js'
import { plan as hopperPipelined } from './hopper-pipelined.js'
import { plan as hopperS8 } from './hopper-s8.js'
import { plan as hopperWs } from './hopper-ws.js'
import type { Plan } from './laws.js'
import { plan as matmul0 } from './matmul0.js'
import { plan as matmul1 } from './matmul1.js'
import { plan as matmul2 } from './matmul2.js'
import { plan as matmul3 } from './matmul3.js'
import { plan as matmul4 } from './matmul4.js'
import { plan as matmul5 } from './matmul5.js'
import { plan as matmul6 } from './matmul6.js'
import { plan as matmulDynamic } from './matmul-dynamic.js'
import { plan as matmulMxfp8 } from './matmul-mxfp8.js'
import { plan as wgmmaLoop } from './wgmma-loop.js'

/** One tile with one block of Hopper. */
export const hopper: ReadonlyArray<Plan> = [
  hopperMatmul,
  hopperFp8,
  hopperS8,
  hopperPipelined,
  hopperPipelineWs,
  hopperWs,
  wgmmaLoop,
]
export const hopperTiles: ReadonlyArray<Plan> = [hopperPersistent, hopperPingPong]
/** One tile with one block of Blackwell, or with as many as come. */
export const blackwell: ReadonlyArray<Plan> = [matmul0, matmul1, matmul2, matmulDynamic, matmulMxfp8]
/** Pairs of blocks. */
export const pairs: ReadonlyArray<Plan> = [matmul3, matmul4]
export const pairsWithEpilogue: ReadonlyArray<Plan> = [matmul5, matmul6]

export const plans: ReadonlyArray<Plan> = [
  ...hopper,
  ...hopperTiles,
  ...blackwell,
  ...pairs,
  ...pairsWithEpilogue,
]
