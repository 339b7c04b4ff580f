/**
 * Certificates: why a survivor is no mutant at all.
 *
 * A rule is a fact about the machine that can be read off the change; each has its theorem among the proofs, on drawn programs of which the naive engine
 * knows every schedule. A rule is asked of a mutant that was found clean: exchanged arrives may reach a CTA that has ended, and that is no mutant to
 * certify. What no rule covers is explored (`cut-down.ts`), and what neither covers is a survivor.
 *
 * | rule                  | why nothing changes                                                                     |
 * |-----------------------|-----------------------------------------------------------------------------------------|
 * | same program          | what was changed says nothing to the machine: the program is the same, statement by statement |
 * | idempotent fence      | a fence right after the same fence has nothing left to make visible                     |
 * | idempotent wait       | a group wait right after the same one finds nothing pending                             |
 * | idempotent barrier    | the members of a rendezvous that meet twice know nothing new after the second time      |
 * | repeated wait         | a wait that has passed passes again while its barrier's next generation cannot end without its agent, which C4 of the mutant has shown |
 * | repeated access       | a load right after the same load finds the same, a store of the same value right after it writes the same |
 * | empty group           | a commit right after a commit closes an empty group, which only makes later waits wait for more |
 * | rendezvous of one     | a named barrier whose count one agent meets by itself ends at its own arrival and orders nothing: it may go, or be elsewhere |
 * | implied fence         | a thread-sync fence beside an arrive or a wait whose barrier orders the tensor core repeats what that does; it may go, change its side or its place |
 * | register dependency   | a load whose registers are used has read before what follows that use, and only a dealloc asks: a note says so |
 * | stronger wait         | a wait that leaves fewer groups open, or waits for the writes too, passes later and knows more; it never waits for another agent |
 * | wider fence           | a proxy fence of cluster scope does what one of CTA scope does                           |
 * | larger buffer         | no step picks the slot that was added: the program without it stays inside its bounds     |
 * | commuting neighbours  | two steps of one agent that touch different things, and neither of which waits            |
 * | expected in time      | the bytes of a copy may come before they are announced, as long as the arrival that announces them is still missing |
 * | no peer               | a fence of initialisations tells agents of other CTAs alone, and each barrier that they use is published without it: B9 has asked |
 * | permit                | the permit to allocate ends with the CTA, and none of its agents allocates again              |
 *
 * Laws
 * 1. what a rule certifies has the verdict, the provenance and the ends of the program.
 */
import type { Instruction, InstructionName } from '../language/instruction.js'
import type { Do, Program } from '../language/program.js'
import type { Verdict } from '../judging/verdict.js'
import { barriersOf } from './change.js'
import type { Mutant } from './model.js'
import { isFence, isGroupWait, roles } from './roles.js'
import { otherThan } from './operands.js'

export const rules: ReadonlyArray<string> = [
  'same program',
  'idempotent fence',
  'idempotent wait',
  'idempotent barrier',
  'repeated wait',
  'repeated access',
  'empty group',
  'rendezvous of one',
  'implied fence',
  'register dependency',
  'stronger wait',
  'wider fence',
  'larger buffer',
  'commuting neighbours',
  'expected in time',
  'no peer',
  'permit',
]

// ---------------------------------------------------------------- twice

const whenTwice = (i: Instruction): string | null => roles[i._tag].twice

// ---------------------------------------------------------------- what orders nothing

/** Does every agent meet this named barrier by itself? */
const isOfOne = (program: Program, { instruction: i }: Do): boolean =>
  (i._tag === 'bar.sync' || i._tag === 'bar.arrive') &&
  program.launch.agents.every((a) => i.count <= 32 * a.warps)

/** Does this statement arrive on, or wait for, a barrier that orders the tensor core? */
const orders = (program: Program, s: Do | null, tag: InstructionName): boolean =>
  s !== null &&
  s.instruction._tag === tag &&
  barriersOf(program, s.instruction).some((id) =>
    program.storage.some((b) => b.id === id && b.contents._tag === 'barriers' && b.contents.ordersTensorCore),
  )

/** Is the changed fence one that its neighbour repeats? */
const isImplied = (program: Program, m: Mutant): boolean =>
  (m.instruction === 'tcgen05.fenceBefore' && orders(program, m.next, 'mbarrier.arrive')) ||
  (m.instruction === 'tcgen05.fenceAfter' && orders(program, m.previous, 'mbarrier.wait'))

/** An exchange with such a fence. */
const exchangesImplied = (program: Program, [a, b, ...more]: ReadonlyArray<Do>): boolean =>
  b !== undefined &&
  more.length === 0 &&
  ((a!.instruction._tag === 'tcgen05.fenceBefore' && orders(program, b, 'mbarrier.arrive')) ||
    (b.instruction._tag === 'tcgen05.fenceAfter' && orders(program, a!, 'mbarrier.wait')))

// ---------------------------------------------------------------- neighbours

const arrivals: ReadonlySet<InstructionName> = new Set<InstructionName>([
  'mbarrier.arrive',
  'mbarrier.expectTx',
  'mbarrier.arriveExpectTx',
])

const commute = (a: Instruction, b: Instruction): boolean => {
  const both = (names: ReadonlySet<InstructionName>): boolean => names.has(a._tag) && names.has(b._tag)
  if (a._tag === 'mbarrier.init' && b._tag === 'mbarrier.init') return otherThan(a.barrier, b.barrier)
  if (both(arrivals) && 'barrier' in a && 'barrier' in b) return otherThan(a.barrier, b.barrier)
  if (a._tag === 'mbarrier.wait' && b._tag === 'mbarrier.wait') return otherThan(a.barrier, b.barrier)
  return isFence(a._tag) && a._tag === b._tag
}

/** Does it wait by itself, so that a stronger one is the same statement with another field? */
const isWaitItself = (i: Instruction): boolean => isGroupWait(i._tag) || i._tag === 'cluster.arrive'

/** Are two programs the same, statement by statement? */
const isSame = (x: Program, y: Program): boolean => {
  const text = (p: Program): string =>
    JSON.stringify(p, (_, value: unknown) => (typeof value === 'bigint' ? `${String(value)}n` : value))
  return text(x) === text(y)
}

/** A copy, and the arrive that expects its bytes on its barrier. */
const announces = (expect: Instruction, copy: Instruction): boolean =>
  expect._tag === 'mbarrier.arriveExpectTx' &&
  (copy._tag === 'tma.load' || copy._tag === 'tma.gather') &&
  !otherThan(expect.barrier, copy.barrier)

// ---------------------------------------------------------------- all

/** The rule by which a mutant that was found ok changes nothing, or null. */
export const ruleFor = (program: Program, m: Mutant, v: Verdict): string | null => {
  const [s] = m.statements
  const [own, others] = [m.statements.slice(0, m.own), m.statements.slice(m.own)]
  const i = s?.instruction
  if (isSame(program, m.program)) return 'same program'
  if (m.instruction === 'declaration')
    return m.operator === 'ALLOC' && m.manner === 'more' ? 'larger buffer' : null
  if (i === undefined || m.operator === 'ALLOC' || m.instruction === 'predicate') return null
  if (m.operator === 'DUP') return own.every((d) => whenTwice(d.instruction) !== null) ? whenTwice(i) : null
  /** all that was changed, or all that it changed places with */
  const isEither = (is: (d: Do) => boolean): boolean =>
    own.every(is) || (others.length > 0 && others.every(is))
  if (isEither((d) => isOfOne(program, d)) && m.operator !== 'COUNT') return 'rendezvous of one'
  if (isEither((d) => d.instruction._tag === 'fence.mbarrierInit')) return 'no peer'
  if (m.manner === 'absent' && i._tag === 'tcgen05.relinquish') return 'permit'
  if (i._tag === 'tcgen05.waitLd' && m.manner === 'absent' && v.notes.some((n) => n.id === 'M3'))
    return 'register dependency'
  if (isImplied(program, m) && m.operator !== 'ORDER') return 'implied fence'
  switch (m.operator) {
    case 'ORDER':
      if (exchangesImplied(program, m.statements)) return 'implied fence'
      return others.length > 0 && own.every((a) => others.every((b) => commute(a.instruction, b.instruction)))
        ? 'commuting neighbours'
        : null
    case 'MOVE':
      return m.manner === 'later' &&
        own.length === 1 &&
        others.length > 0 &&
        others.every((b) => announces(i, b.instruction))
        ? 'expected in time'
        : null
    case 'COUNT':
      return m.manner === 'less' && isGroupWait(i._tag) ? 'stronger wait' : null
    case 'FLAG':
      return m.manner === 'stronger' && isWaitItself(i) ? 'stronger wait' : null
    case 'FENCE':
      return m.manner === 'wider' ? 'wider fence' : null
    case 'DROP':
    case 'RETARGET':
    case 'SLOT':
    case 'PRIME':
    case 'EXIT':
    case 'SLICE':
    case 'LANES':
      return null
  }
}
