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
 * Source: JAX docs, Pallas:MGPU reference, wgmma (waiting for completion).
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { HazardId } from '../../semantics/judging/finding.js'
import type { Program } from '../../semantics/language/program.js'
import type { VerdictName } from '../../semantics/judging/verdict.js'
import { wgmmaLoopThat, type Refills, type WgmmaLoop } from '../hopper/wgmma-loop.js'

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
