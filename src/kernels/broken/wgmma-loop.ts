/**
 * The pipelined wgmma loop as it is printed: it refills the slot that is being read.
 *
 * The page computes `load_slot` and calls `fetch_a_b(load_i, slot)`. So step i hands TMA the slot that the wgmma of step i, issued one line
 * above, still reads; and slot 0, which step S waits for, is never filled again.
 *
 *     S = 3     step 0   step 1   step 2   step 3
 *     wgmma     slot 0   slot 1   slot 2   waits for slot 0, second filling
 *     refills   -        slot 1   slot 2
 *
 * | loop                        | verdict  | shows                                                          |
 * |-----------------------------|----------|----------------------------------------------------------------|
 * | as printed, any waits       | deadlock | W3: wgmma reads, the refill overwrites; B5: slot 0 stays empty |
 * | load_slot, implemented      | hazard   | W3: the wgmma before the last one may still read               |
 * | load_slot, documented       | ok       |                                                                |
 * | load_slot, wgmma_wait(1)    | ok       |                                                                |
 *
 * And the corrected loop without one of its statements, seven k steps on three slots:
 *
 * | left out            | verdict      | because                                                               |
 * |---------------------|--------------|-----------------------------------------------------------------------|
 * | zero acc            | hazard       | the first wgmma adds to what nothing has written                      |
 * | zero acc.fence      | hazard       | the zeros are not visible to the tensor core                          |
 * | fetch[1] a          | deadlock     | the slot's bytes are expected and never come                          |
 * | fetch[2] b.expect   | deadlock     | the barrier of the slot lacks its arrival                             |
 * | wait a_loaded       | hazard       | a slot is multiplied before it has arrived (once explored)            |
 * | wait b_loaded       | hazard       | the same of the other operand (once explored)                         |
 * | wgmma               | wrong-result | the output is zero                                                    |
 * | wgmma.group         | hazard       | wgmma_wait(1) has no group to wait for                                |
 * | wgmma_wait 1        | hazard       | the wgmma before the last one may still read the slot that is filled   |
 * | refill a            | deadlock     | step S waits for a slot that is never filled again                    |
 * | acc[...].wait       | hazard       | the last wgmma may still write the registers that are read            |
 * | out_smem[...] = acc | hazard       | the copy reads what nothing has written                               |
 * | commit_smem         | hazard       | the copy may not see what was stored                                  |
 * | copy out            | hazard       | the output is never written                                           |
 * | wait out            | hazard       | the block may be gone while its shared memory is read                 |
 *
 * Source: JAX docs, Pallas:MGPU reference, wgmma (waiting for completion).
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { HazardId } from '../../semantics/finding.js'
import type { Program } from '../../semantics/program.js'
import type { VerdictName } from '../../semantics/verdict.js'
import { wgmmaLoopThat, type Refills, type WgmmaLoop } from '../hopper/wgmma-loop.js'
import { breaking, type Broken } from './model.js'

export interface BrokenLoop {
  readonly refills: Refills
  readonly wgmmaWait: WgmmaLoop['wgmmaWait']
  readonly explicitWait: boolean
  readonly verdict: VerdictName
  readonly shows: ReadonlyArray<HazardId>
}

const loop = (
  refills: Refills,
  wgmmaWait: WgmmaLoop['wgmmaWait'],
  explicitWait: boolean,
  verdict: VerdictName,
  ...shows: ReadonlyArray<HazardId>
): BrokenLoop => ({ refills, wgmmaWait, explicitWait, verdict, shows })

export const brokenWgmmaLoops: ReadonlyArray<BrokenLoop> = [
  loop('slot', 'documented', false, 'deadlock', 'W3', 'B5'),
  loop('slot', 'documented', true, 'deadlock', 'W3', 'B5'),
  loop('slot', 'implemented', false, 'deadlock', 'W3', 'B5'),
  loop('slot', 'implemented', true, 'deadlock', 'W3', 'B5'),
  loop('load_slot', 'implemented', false, 'hazard', 'W3'),
]

/** The loop as printed. */
export const brokenWgmmaLoop = (c: WgmmaLoop): E.Either<Failure, Program> => wgmmaLoopThat('slot', c)

const { broken, brokenElsewhere } = breaking('wgmma-loop')

/** The corrected loop, one statement short. */
export const brokenWgmmaLoopStatements: ReadonlyArray<Broken> = [
  broken('zero acc', 'hazard', 'I1'),
  broken('zero acc.fence', 'hazard', 'P1'),
  broken('fetch[1] a', 'deadlock', 'B4'),
  broken('fetch[2] b.expect', 'deadlock', 'B5'),
  brokenElsewhere('wait a_loaded', 'hazard', 'R1'),
  brokenElsewhere('wait b_loaded', 'hazard', 'R1'),
  broken('wgmma', 'wrong-result'),
  broken('wgmma.group', 'hazard', 'W3', 'M1'),
  broken('wgmma_wait 1', 'hazard', 'W3'),
  broken('refill a', 'deadlock', 'B4'),
  broken('acc[...].wait', 'hazard', 'M1'),
  broken('out_smem[...] = acc', 'hazard', 'I1'),
  broken('commit_smem', 'hazard', 'P1'),
  broken('copy out', 'hazard', 'O1'),
  broken('wait out', 'hazard', 'U2'),
]
