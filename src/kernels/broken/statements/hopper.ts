/**
 * Hopper's matmuls, one statement short. More than twice as many k steps as slots, so that every slot is filled again and every wait matters.
 *
 * | left out                     | verdict      | because                                                                        |
 * |------------------------------|--------------|--------------------------------------------------------------------------------|
 * | block starts                 | hazard       | a thread may use a barrier before it is initialised                             |
 * | zero acc                     | hazard       | the first wgmma adds to what nothing has written                               |
 * | zero acc.fence               | hazard       | the zeros are not visible to the tensor core                                   |
 * | wgmma                        | wrong-result | the output is zero                                                             |
 * | wgmma.group                  | hazard       | a group wait covers nothing: operands are overwritten in flight                |
 * | wgmma_wait 1                 | hazard       | a slot is given back, or filled again, while the tensor core reads it          |
 * | acc[...].wait                | hazard       | the accumulator is read while the last wgmma writes it                         |
 * | out_smem[...] = acc          | hazard       | the copy reads what nothing has written                                        |
 * | commit_smem                  | hazard       | the copy may not see what was stored                                           |
 * | copy out                     | hazard       | the output is never written                                                    |
 * | copy out.group, wait out     | hazard       | the block may be gone while its shared memory is read                          |
 * | copy a, fetch a, refill a    | deadlock     | bytes are expected that never come                                             |
 * | any of them `.expect`        | deadlock     | the barrier of the slot lacks an arrival                                       |
 * | wait loaded, wait ready      | see below    | a slot is multiplied before it has arrived, and the ring runs out of step      |
 * | wait consumed                | deadlock     | a slot is overwritten before it was consumed (once explored)                   |
 * | arrive consumed              | deadlock     | no slot is ever free again                                                     |
 * | arrive consumed last         | deadlock     | the slot of a tile's last step is never free again                             |
 * | wait out_smem                | hazard       | the next tile is stored over one that is still copied out                      |
 * | arrive turn                  | deadlock     | it is never the other's turn (`wait turn` may go: the results are the same)    |
 * | memory registers             | deadlock     | the threads that multiply ask for registers that are not given                  |
 *
 * Without `wait loaded` a kernel that copies by a thread of its own gets stuck from one schedule and races from another; one that fetches for
 * itself only races, and it takes a search of schedules to say so.
 */
import { broken, brokenElsewhere, manifest, type Broken, type Missing } from './model.js'

/** Every product goes through an accumulator in registers, one step behind. */
const products: ReadonlyArray<Missing> = [
  broken('zero acc', 'hazard', 'I1'),
  broken('zero acc.fence', 'hazard', 'P1'),
  broken('wgmma', 'wrong-result'),
  broken('wgmma.group', 'hazard', 'W3', 'M1', 'U2'),
  broken('wgmma_wait 1', 'hazard', 'W3'),
  broken('acc[...].wait', 'hazard', 'M1'),
]

/** Every tile leaves through shared memory. */
const wayOut: ReadonlyArray<Missing> = [
  broken('out_smem[...] = acc', 'hazard', 'I1'),
  broken('commit_smem', 'hazard', 'P1'),
  broken('copy out', 'hazard', 'O1'),
  broken('copy out.group', 'hazard', 'U2'),
  broken('wait out', 'hazard', 'U2'),
]

/** A ring that a thread of its own fills. */
const sharedRing: ReadonlyArray<Missing> = [
  broken('block starts', 'hazard', 'B7'),
  brokenElsewhere('wait loaded', 'deadlock', 'R1'),
  brokenElsewhere('wait consumed', 'deadlock', 'W1'),
  broken('arrive consumed', 'deadlock', 'B5'),
  broken('copy a', 'deadlock', 'B4'),
  broken('copy a.expect', 'deadlock', 'B5'),
]

/** A pipeline that fetches for the thread it runs in. */
const ownPipeline: ReadonlyArray<Missing> = [
  broken('pipeline.prologue[1] a', 'deadlock', 'B4'),
  broken('pipeline.prologue[1] b.expect', 'deadlock', 'B5'),
  brokenElsewhere('pipeline.wait loaded', 'hazard', 'R1', 'W1'),
  broken('pipeline.fetch a', 'deadlock', 'B4'),
  broken('pipeline.fetch b.expect', 'deadlock', 'B5'),
]

/** A pipeline whose last thread copies for the others. */
const sharedPipeline: ReadonlyArray<Missing> = [
  broken('pipeline.prologue a', 'deadlock', 'B4'),
  broken('pipeline.prologue b.expect', 'deadlock', 'B5'),
  brokenElsewhere('pipeline.wait ready', 'deadlock', 'R1'),
  brokenElsewhere('pipeline.wait consumed', 'deadlock', 'W1'),
  broken('pipeline.arrive consumed', 'deadlock', 'B5'),
  broken('pipeline.fetch a', 'deadlock', 'B4'),
  broken('pipeline.fetch b.expect', 'deadlock', 'B5'),
  broken('pipeline.memory registers', 'deadlock', 'B5'),
]

/** Tiles one after the other, through the same ring and the same buffer. */
const nextTile: ReadonlyArray<Missing> = [
  broken('arrive consumed last', 'deadlock', 'B5'),
  broken('wait out_smem', 'hazard', 'W4'),
  broken('copy out.group', 'hazard', 'W4', 'U2'),
]

const registers: ReadonlyArray<Missing> = [broken('memory registers', 'deadlock', 'B5')]

export const brokenHopper: ReadonlyArray<Broken> = [
  ...manifest('hopper-matmul', products, wayOut, sharedRing, [broken('init loaded[0]', 'deadlock', 'B7')]),
  ...manifest('hopper-pipelined', products, wayOut, ownPipeline),
  ...manifest('hopper-ws', products, wayOut, sharedRing, registers),
  ...manifest('hopper-fp8', products, wayOut, sharedRing, registers),
  ...manifest('hopper-s8', products, wayOut, sharedRing, registers),
  ...manifest('hopper-pipeline-ws', products, wayOut, sharedPipeline),
  ...manifest('hopper-persistent', products, wayOut, sharedRing, registers, nextTile),
  ...manifest('hopper-ping-pong', products, wayOut, sharedRing, registers, nextTile, [
    broken('arrive turn', 'deadlock', 'B5'),
  ]),
  ...manifest('wgmma-loop', products, wayOut, [
    broken('fetch[1] a', 'deadlock', 'B4'),
    broken('fetch[1] b.expect', 'deadlock', 'B5'),
    brokenElsewhere('wait a_loaded', 'hazard', 'R1'),
    brokenElsewhere('wait b_loaded', 'hazard', 'R1'),
    broken('refill a', 'deadlock', 'B4'),
    broken('refill b.expect', 'deadlock', 'B5'),
  ]),
]
