/**
 * Killing: is a mutant found out, and by name?
 *
 * A mutant is killed when its verdict is a hazard, a deadlock or invalid, or when provenance refutes what it computes. A time-out is no
 * kill, and neither is `undecided`. A kill *names* the mutant when one of the first findings does: the changed statement, or the barrier
 * that it was about, is among its two operations, in its missing edge or in the wait-for cycle; or the missing edge is of the kind that
 * was taken away (a fence for a fence, a wait for a group of that family for a wait of it); a commit is named by an operation of the
 * group that it no longer closes.
 *
 * A survivor is *equivalent* only by certificate. The rules, each a fact about the machine:
 *
 * | rule                | why nothing changes                                                                     |
 * |---------------------|-----------------------------------------------------------------------------------------|
 * | idempotent fence    | a fence right after the same fence has nothing left to make visible                     |
 * | idempotent wait     | a group wait right after the same one finds nothing pending                             |
 * | idempotent barrier  | the members of a rendezvous that meet twice know nothing new after the second time      |
 * | repeated wait       | a wait that has passed passes again while its barrier's next generation cannot end without its agent, which C4 of the mutant has shown |
 * | rendezvous of one   | a named barrier whose count one agent meets by itself ends at its own arrival and orders nothing; it may go |
 * | implied fence       | a thread-sync fence beside an arrive or a wait whose barrier orders the tensor core repeats what that does; it may go |
 * | register dependency | a load whose registers are used has read before what follows that use, and only a dealloc asks: a note says so |
 * | empty group         | a commit right after a commit closes an empty group, which only makes later waits wait for more |
 *
 * Laws
 * 1. the program itself is not killed.
 * 2. a mutant with a certificate has the verdict, the provenance and the output of the program.
 */
import * as E from 'fp-ts/lib/Either.js'
import { check, type CheckOptions } from '../check.js'
import type { ExprNode } from '../expression.js'
import type { MissingEdge } from '../finding.js'
import type { Instruction, InstructionName } from '../instruction.js'
import { operandsOf } from '../signature.js'
import type { Do, Program } from '../program.js'
import type { Verdict, VerdictName } from '../verdict.js'
import type { Mutant } from './mutants.js'

export type Fate = 'killed' | 'undecided' | 'survived'

export interface Judged {
  readonly mutant: Mutant
  readonly verdict: VerdictName
  readonly fate: Fate
  readonly named: boolean
  /** the rule by which a survivor changes nothing */
  readonly certificate: string | null
  /** ids of the findings, in their order */
  readonly ids: ReadonlyArray<string>
  readonly reason: string
}

/** Findings that may stand before the one that names. */
const before = 3

const storagesIn = (e: ExprNode): ReadonlyArray<string> =>
  e._tag === 'storage' ? [e.storage] : e._tag === 'slot' ? storagesIn(e.of) : []

const storagesOf = (program: Program, i: Instruction): ReadonlyArray<string> => {
  const barriers = new Set(program.storage.flatMap((s) => (s.contents._tag === 'barriers' ? [s.id] : [])))
  return operandsOf(i)
    .flatMap((o) => storagesIn(o.expr))
    .filter((id) => barriers.has(id))
}

/** The words of a missing edge of the kind that this statement was; null when it is named by its barrier alone. */
const edgeOf = (i: Instruction): { readonly kind: MissingEdge['kind']; readonly words: string } | null => {
  switch (i._tag) {
    case 'fence.proxyAsync':
      return { kind: 'fence', words: 'proxy fence' }
    case 'wgmma.fence':
      return { kind: 'fence', words: 'wgmma fence' }
    case 'tcgen05.fenceBefore':
    case 'tcgen05.fenceAfter':
      return { kind: 'fence', words: 'fence' }
    case 'wgmma.waitGroup':
      return { kind: 'group-wait', words: 'wgmma group wait' }
    case 'bulk.waitGroup':
      return { kind: 'group-wait', words: 'bulk group wait' }
    case 'cpAsync.waitGroup':
      return { kind: 'group-wait', words: 'cp.async group wait' }
    case 'tcgen05.waitLd':
    case 'tcgen05.useLd':
      return { kind: 'group-wait', words: 'tcgen05Ld group wait' }
    case 'tcgen05.waitSt':
      return { kind: 'group-wait', words: 'tcgen05St group wait' }
    case 'bar.sync':
    case 'bar.arrive':
      return { kind: 'arrive-wait', words: 'block barrier' }
    default:
      return null
  }
}

/** The unit whose operations a commit closes into a group; null for anything else. */
const unitOf = (i: Instruction): string | null => {
  switch (i._tag) {
    case 'wgmma.commitGroup':
      return 'wgmma'
    case 'bulk.commitGroup':
      return 'tmaStore'
    case 'cpAsync.commitGroup':
      return 'cpAsync'
    default:
      return null
  }
}

const names = (v: Verdict, program: Program, m: Mutant): boolean => {
  const i = m.statement.instruction
  const words = [m.label, ...storagesOf(program, i)]
  const edge = edgeOf(i)
  const unit = unitOf(i)
  const first = v.findings.slice(0, before + 1)
  const texts = [
    v.reason,
    ...v.waitFor,
    ...first.map((f) => [f.a.site, f.b?.site ?? '', f.missing?.text ?? '', f.text].join('\n')),
  ]
  return (
    texts.some((t) => words.some((w) => t.includes(w))) ||
    (unit !== null && first.some((f) => f.a.does.startsWith(unit) || f.b?.does.startsWith(unit) === true)) ||
    (edge !== null && first.some((f) => f.missing?.kind === edge.kind && f.missing.text.includes(edge.words)))
  )
}

/** Does every agent meet this named barrier by itself? */
const isOfOne = (program: Program, i: Instruction): boolean =>
  (i._tag === 'bar.sync' || i._tag === 'bar.arrive') &&
  program.launch.agents.every((a) => i.count <= 32 * a.warps)

/** Does this statement arrive on, or wait for, a barrier that orders the tensor core? */
const ordersTensorCore = (program: Program, s: Do | null, tag: InstructionName): boolean =>
  s !== null &&
  s.instruction._tag === tag &&
  storagesOf(program, s.instruction).some((id) =>
    program.storage.some((b) => b.id === id && b.contents._tag === 'barriers' && b.contents.ordersTensorCore),
  )

const isImplied = (program: Program, m: Mutant): boolean =>
  (m.instruction === 'tcgen05.fenceBefore' && ordersTensorCore(program, m.next, 'mbarrier.arrive')) ||
  (m.instruction === 'tcgen05.fenceAfter' && ordersTensorCore(program, m.previous, 'mbarrier.wait'))

/** The rule by which a survivor changes nothing, or null. */
const certificateOf = (program: Program, m: Mutant, v: Verdict): string | null => {
  if (m.operator === 'DROP' && m.instruction === 'tcgen05.waitLd' && v.notes.some((n) => n.id === 'M3'))
    return 'register dependency'
  if (m.operator === 'DROP' && isOfOne(program, m.statement.instruction)) return 'rendezvous of one'
  if (m.operator === 'DROP' && isImplied(program, m)) return 'implied fence'
  if (m.operator !== 'DUP') return null
  switch (m.instruction) {
    case 'fence.proxyAsync':
    case 'wgmma.fence':
    case 'tcgen05.fenceBefore':
    case 'tcgen05.fenceAfter':
      return 'idempotent fence'
    case 'bulk.waitGroup':
    case 'cpAsync.waitGroup':
    case 'wgmma.waitGroup':
    case 'tcgen05.waitLd':
    case 'tcgen05.useLd':
    case 'tcgen05.waitSt':
      return 'idempotent wait'
    case 'bulk.commitGroup':
    case 'cpAsync.commitGroup':
    case 'wgmma.commitGroup':
      return 'empty group'
    case 'bar.sync':
      return 'idempotent barrier'
    case 'mbarrier.wait':
      return 'repeated wait'
    default:
      return null
  }
}

const fateOf = (v: VerdictName): Fate => {
  switch (v) {
    case 'hazard':
    case 'deadlock':
    case 'invalid':
    case 'wrong-result':
      return 'killed'
    case 'undecided':
    case 'out-of-fuel':
      return 'undecided'
    case 'ok':
      return 'survived'
  }
}

/** Check a mutant of `program`. One that cannot even be launched is killed: it is refused by name. */
export const judgeMutant = (program: Program, options: CheckOptions, m: Mutant): Judged => {
  const checked = check(m.program, options)
  if (E.isLeft(checked))
    return {
      mutant: m,
      verdict: 'invalid',
      fate: 'killed',
      named: checked.left.message.includes(m.label),
      certificate: null,
      ids: [checked.left.code],
      reason: checked.left.message,
    }
  const { verdict } = checked.right
  const fate = fateOf(verdict.verdict)
  return {
    mutant: m,
    verdict: verdict.verdict,
    fate,
    named: fate === 'killed' && names(verdict, program, m),
    certificate: fate === 'survived' ? certificateOf(program, m, verdict) : null,
    ids: verdict.findings.map((f) => f.id),
    reason: verdict.reason,
  }
}
