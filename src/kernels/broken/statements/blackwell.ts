/**
 * Blackwell's matmuls, one statement short. More than twice as many k steps as slots, so that every slot is filled again.
 *
 * | left out                 | verdict  | because                                                                              |
 * |--------------------------|----------|--------------------------------------------------------------------------------------|
 * | allocate                 | invalid  | the product goes to columns of tensor memory that are not allocated                        |
 * | arrive consumed[1]       | deadlock | step 0 waits for a product before the first, and no agent has signalled it         |
 * | pipeline.prologue[1] a   | deadlock | the first filling of a slot is expected and never comes                              |
 * | pipeline.wait loaded     | hazard   | a block is multiplied before it has arrived (once explored)                          |
 * | tcgen05_mma              | deadlock | its completion is what an agent waits for                                            |
 * | wait consumed            | hazard   | the slot of a step that still runs is filled again (once explored)                   |
 * | pipeline.fetch a         | deadlock | step S waits for a slot that is never filled again                                   |
 * | pipeline.fetch b.expect  | deadlock | the barrier of the slot lacks one of its two arrivals                                |
 * | wait final               | hazard   | the last product may still write the columns that are read                           |
 * | load acc                 | hazard   | the registers hold what nothing has written                                          |
 * | load acc.use             | hazard   | the registers are used while the load still fills them                               |
 * | acc_smem[...] = acc      | hazard   | the copy reads what nothing has written                                              |
 * | commit_smem              | hazard   | the copy may not see what was stored                                                 |
 * | copy out                 | hazard   | the output is never written                                                          |
 * | wait out                 | hazard   | the block may be gone while its shared memory is read                                |
 * | deallocate               | hazard   | the columns are lost to the next block                                               |
 * | copy a                   | deadlock | bytes are expected that never come                                                   |
 * | copy b.expect            | deadlock | the barrier of the slot lacks one of its two arrivals                                |
 * | wait load                | deadlock | a slot is multiplied before it has arrived, and the ring runs out of step            |
 * | commit mma_done          | deadlock | no event says that the tile is finished                                                |
 * | wait mma_done            | hazard   | the accumulator is read while products are added; by a warpgroup of its own, a deadlock |
 * | copy out 0.group, wait out 2 | hazard | a buffer is stored to while it is copied out                                       |
 * | acc_smem[0] = acc 2      | wrong-result | the third piece of the output is the first                                       |
 * | cluster starts           | hazard   | one block uses the other's barriers before they are initialised                      |
 * | cluster ends             | hazard   | one block gives back tensor memory that the other still uses                         |
 * | wait_load_tmem           | hazard   | the next tile is multiplied into columns that are still read                         |
 * | wait store_done          | deadlock | the tile after the next overwrites what the epilogue reads (once explored)           |
 * | arrive store_done, its .1 | deadlock | the accumulator is never free again: for this block, for its peer                   |
 * | tile.try_cluster_cancel  | deadlock | no agent asks, and all wait for the answer                                             |
 * | tile.wait asked          | hazard   | the answer is read before it is there (once explored)                                |
 * | tile.arrive used         | deadlock | the next answer has nowhere to go                                                    |
 * | commit multiplied, arrive read | deadlock | an accumulator is never said to be full, or to be free again                   |
 * | wait multiplied          | deadlock | an accumulator is read before it is full, and the threads run out of step            |
 * | wait out_smem            | hazard   | the next tile is stored over one that is still copied out                            |
 * | copy a_scale to TMEM     | hazard   | the product takes scales that were not brought to tensor memory                    |
 *
 * In a pair `wait consumed` and `wait load` are worse still: from the eager schedule the first block multiplies before the other has tensor memory,
 * and that is refused (M7).
 *
 * What can go from matmul0 without harm, since it has one block of one agent: its rendezvous with itself, the publication of its barriers, and
 * `wait_load_tmem` (a note).
 */
import { broken, brokenElsewhere, manifest, type Broken, type Missing } from './model.js'

const tensorMemory: ReadonlyArray<Missing> = [
  broken('allocate', 'invalid', 'I2'),
  broken('deallocate', 'hazard', 'T1'),
]

/** One tile leaves at once. */
const wayOut: ReadonlyArray<Missing> = [
  broken('load acc', 'hazard', 'I1'),
  broken('load acc.use', 'hazard', 'M3'),
  broken('acc_smem[...] = acc', 'hazard', 'I1'),
  broken('commit_smem', 'hazard', 'P1'),
  broken('copy out', 'hazard', 'O1'),
  broken('wait out', 'hazard', 'U2'),
]

/** A ring that one warp fills and another multiplies. */
const ring: ReadonlyArray<Missing> = [
  brokenElsewhere('wait consumed', 'deadlock', 'W1'),
  broken('copy a', 'deadlock', 'B4'),
  broken('copy b.expect', 'deadlock', 'B5'),
  brokenElsewhere('wait load', 'deadlock', 'R1'),
  broken('tcgen05_mma', 'deadlock', 'B5'),
  broken('commit mma_done', 'deadlock', 'B6'),
  broken('wait mma_done', 'hazard', 'M2'),
]

/** A tile leaves in pieces, through two buffers in turn. */
const pieces: ReadonlyArray<Missing> = [
  broken('load acc 0', 'hazard', 'I1'),
  broken('load acc 1.use', 'hazard', 'M3'),
  broken('acc_smem[0] = acc 0', 'hazard', 'I1'),
  broken('commit_smem 1', 'hazard', 'P1'),
  broken('copy out 1', 'hazard', 'O1'),
  broken('wait out', 'hazard', 'U2'),
]

/** Three pieces and more: a buffer is used again. */
const thirdPiece: ReadonlyArray<Missing> = [
  broken('copy out 0.group', 'hazard', 'W4'),
  broken('wait out 2', 'hazard', 'W4'),
  broken('acc_smem[0] = acc 2', 'wrong-result'),
]

/** Two blocks together: what one of them does before the other is there, or after it has gone. */
const pair: ReadonlyArray<Missing> = [
  broken('cluster starts', 'hazard', 'B7'),
  broken('allocate', 'invalid', 'M7'),
  brokenElsewhere('wait consumed', 'invalid', 'M7', 'W1'),
  brokenElsewhere('wait load', 'invalid', 'M7'),
  broken('cluster ends', 'hazard', 'M3'),
]

/** Tiles one after the other. */
const nextTile: ReadonlyArray<Missing> = [broken('wait_load_tmem', 'hazard', 'M3')]

/** A warpgroup for the epilogue. */
const storeWarpgroup: ReadonlyArray<Missing> = [
  broken('commit mma_done', 'deadlock', 'B5'),
  brokenElsewhere('wait mma_done', 'deadlock', 'M2'),
  brokenElsewhere('wait store_done', 'deadlock', 'M3'),
  broken('arrive store_done', 'deadlock', 'B5'),
  broken('arrive store_done.1', 'deadlock', 'B5'),
]

/** Tiles that are asked for, and three threads that hand them on. */
const scheduled: ReadonlyArray<Missing> = [
  broken('tile.try_cluster_cancel', 'deadlock', 'B5'),
  brokenElsewhere('tile.wait asked', 'hazard', 'R1', 'P4'),
  broken('tile.arrive used', 'deadlock', 'B5'),
  brokenElsewhere('wait consumed', 'deadlock', 'W1'),
  broken('copy a', 'deadlock', 'B4'),
  broken('copy b.expect', 'deadlock', 'B5'),
  brokenElsewhere('wait loaded', 'deadlock', 'R1'),
  broken('tcgen05_mma', 'deadlock', 'B5'),
  broken('commit multiplied', 'deadlock', 'B5'),
  brokenElsewhere('wait multiplied', 'deadlock', 'M2'),
  broken('load acc', 'hazard', 'I1'),
  broken('wait_load_tmem', 'hazard', 'M3'),
  broken('arrive read', 'deadlock', 'B5'),
  broken('wait out_smem', 'hazard', 'W4'),
  broken('out_smem[...] = acc', 'hazard', 'I1'),
  broken('commit_smem', 'hazard', 'P1'),
  broken('copy out', 'hazard', 'O1'),
  broken('wait out', 'hazard', 'U2'),
]

/** Scales that go to tensor memory on their way. */
const blockScaled: ReadonlyArray<Missing> = [
  brokenElsewhere('wait consumed', 'deadlock', 'W1'),
  broken('copy a', 'deadlock', 'B4'),
  broken('copy b.expect', 'deadlock', 'B5'),
  broken('copy a_scale', 'deadlock', 'B4'),
  brokenElsewhere('wait loaded', 'deadlock', 'R1'),
  broken('copy a_scale to TMEM', 'hazard', 'V1'),
  broken('copy b_scale to TMEM', 'hazard', 'V1'),
  broken('tcgen05_mma', 'deadlock', 'B5'),
  broken('commit done', 'deadlock', 'B6'),
  broken('wait done', 'hazard', 'M8'),
  broken('load acc', 'hazard', 'I1'),
  broken('load acc.use', 'hazard', 'M3'),
  broken('out_smem[...] = acc', 'hazard', 'I1'),
  broken('commit_smem', 'hazard', 'P1'),
  broken('copy out', 'hazard', 'O1'),
  broken('wait out', 'hazard', 'U2'),
]

export const brokenBlackwell: ReadonlyArray<Broken> = [
  ...manifest('matmul0', tensorMemory, wayOut, [
    broken('arrive consumed[1]', 'deadlock', 'B5'),
    broken('pipeline.prologue[1] a', 'deadlock', 'B4'),
    brokenElsewhere('pipeline.wait loaded', 'hazard', 'R1', 'W1'),
    broken('tcgen05_mma', 'deadlock', 'B5'),
    brokenElsewhere('wait consumed', 'hazard', 'W2', 'M2'),
    broken('pipeline.fetch a', 'deadlock', 'B4'),
    broken('pipeline.fetch b.expect', 'deadlock', 'B5'),
    broken('wait final', 'hazard', 'M2'),
  ]),
  ...manifest('matmul1', tensorMemory, wayOut, ring),
  ...manifest('matmul2', tensorMemory, pieces, thirdPiece, ring),
  ...manifest('matmul3', tensorMemory, pieces, thirdPiece, ring, pair),
  ...manifest('matmul4', tensorMemory, pieces, ring, pair, nextTile),
  ...manifest('matmul5', tensorMemory, pieces, ring, pair, nextTile, storeWarpgroup),
  ...manifest('matmul6', tensorMemory, pieces, ring, pair, nextTile, storeWarpgroup),
  ...manifest('matmul-dynamic', tensorMemory, scheduled),
  ...manifest('matmul-mxfp8', tensorMemory, blockScaled),
]
