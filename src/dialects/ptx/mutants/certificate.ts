/**
 * Certificates: why a changed text that was found ok is no mutant at all.
 *
 * | rule                  | why nothing changes                                                                                    |
 * |-----------------------|--------------------------------------------------------------------------------------------------------|
 * | same program          | what was changed says nothing to the machine: the instructions are the same, one by one                 |
 * | idempotent fence      | a fence right after the same fence has nothing left to make visible                                     |
 * | idempotent wait       | a group wait right after the same one finds nothing pending                                             |
 * | idempotent barrier    | threads that meet twice know nothing new after the second time                                          |
 * | repeated wait         | a wait that has passed passes again while the next generation cannot end without its warp, which C4 of the mutant has shown |
 * | empty group           | a commit right after a commit closes an empty group, which only makes later waits wait for more           |
 * | renamed barrier       | a barrier of all threads of the CTA under a number that the text has nowhere else                        |
 * | stronger wait         | a group wait that leaves fewer groups open, or waits for the writes too, never waits for another warp     |
 * | wider fence           | a fence of a larger scope does what one of a smaller does                                                |
 * | unasked peek          | a peek only spares a wait that is made behind it: where nothing is asked, the wait is made               |
 * | wider mask            | lanes that meet with more lanes of their warp know what they knew, and C4 of the mutant has shown that these come |
 * | expected in time      | the bytes of a copy may come before they are announced, as long as the arrival that announces them is still missing |
 *
 * A load that is made weak asks the runs of the text who writes what it reads (`weakly.ts`).
 * What no rule covers is searched (`search.ts`). What lanes of one warp have with one another a search does not follow: rules of their own ask a run of it (`meetings.ts`).
 *
 * Laws
 * 1. What a rule certifies leaves what the text leaves.
 */
import type { WarpProgram } from '../../../semantics/warps/program.js'
import { peeksOf } from '../flow/peeks.js'
import type { PtxChange } from './making.js'
import type { Kind } from './kinds.js'

/** What is said of a program where its sites are left out: words for people change nothing. */
const said = (p: WarpProgram): string =>
  JSON.stringify(
    [p.code.map(({ guard, operation }) => [guard, operation]), p.constants, p.givens, p.loops, p.variables],
    (_, value: unknown) =>
      typeof value === 'bigint' ? `${String(value)}n` : value instanceof Uint8Array ? value.join() : value,
  )

const whenTwice: Readonly<Partial<Record<Kind, string>>> = {
  bar: 'idempotent barrier',
  'warp barrier': 'idempotent barrier',
  fence: 'idempotent fence',
  'tensor fence': 'idempotent fence',
  'group wait': 'idempotent wait',
  'mbarrier wait': 'repeated wait',
  commit: 'empty group',
}

/** Of all threads, and of a number that no other barrier of the text has. */
const isRenamed = ({ site }: PtxChange, numbers: ReadonlyArray<bigint | null>): boolean => {
  const { a, b } = site.code.instructions[site.index]!.operands
  return (
    b === undefined && a?._tag === 'immediate' && !numbers.includes(a.bits + 1n) && !numbers.includes(null)
  )
}

/** Barriers that arrive, too, are met by halves. */
const meets = ({ site }: PtxChange): boolean => !site.opcode.includes('.arrive')

/** An arrival that announces bytes, and the copy behind it that brings some. */
const announces = ({ site, other }: PtxChange): boolean =>
  site.kind === 'mbarrier arrive' &&
  site.code.instructions[site.index]!.operands['tx'] !== undefined &&
  other !== null &&
  other.code.instructions[other.index]!.modifiers['completion'] === 'mbarrier::complete_tx::bytes'

/** The rule by which a change that was found ok changes nothing, or null; `numbers`: of all named barriers of the text, null for one that is computed. */
export const ruleFor = (
  before: WarpProgram,
  after: WarpProgram,
  c: PtxChange,
  numbers: ReadonlyArray<bigint | null>,
): string | null => {
  if (said(before) === said(after)) return 'same program'
  const { kind, code, index } = c.site
  switch (c.operator) {
    case 'DROP':
      return kind === 'mbarrier wait' && peeksOf(code).some(({ test }) => test === index)
        ? 'unasked peek'
        : null
    case 'MOVE':
      return c.manner === 'later' && announces(c) ? 'expected in time' : null
    case 'DUP':
      return meets(c) ? (whenTwice[kind] ?? null) : null
    case 'RETARGET':
      return kind === 'bar' && meets(c) && isRenamed(c, numbers) ? 'renamed barrier' : null
    case 'COUNT':
      return kind === 'group wait' && c.manner === 'less' ? 'stronger wait' : null
    case 'FLAG':
      return kind === 'group wait' && c.manner === 'stronger' ? 'stronger wait' : null
    case 'FENCE':
      return c.manner === 'wider' ? 'wider fence' : null
    case 'LANES':
      return c.manner === 'wider' ? 'wider mask' : null
    case 'SLOT':
    case 'PRIME':
    case 'EXIT':
    case 'ALLOC':
    case 'SLICE':
    case 'ORDER':
      return null
  }
}
