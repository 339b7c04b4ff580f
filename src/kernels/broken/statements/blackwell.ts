/**
 * Blackwell's matmuls, one statement short. More than twice as many k steps as slots, so that every slot is filled again.
 *
 * | left out                 | verdict  | because                                                                              |
 * |--------------------------|----------|--------------------------------------------------------------------------------------|
 * | allocate                 | invalid  | the product goes to columns of tensor memory that nobody has                         |
 * | arrive consumed[1]       | deadlock | step 0 waits for a product before the first, and nobody has signalled for it         |
 * | pipeline.prologue[1] a   | deadlock | the first filling of a slot is expected and never comes                              |
 * | pipeline.wait loaded     | hazard   | a block is multiplied before it has arrived (once explored)                          |
 * | tcgen05_mma              | deadlock | its completion is what somebody waits for                                            |
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
]
