/**
 * Naming: does a verdict point at what was changed?
 *
 * A kill that says "something is wrong" is no help. It counts as *named* when one of the first findings, at most three standing before it, does one
 * of these; a deadlock's wait-for cycle is what its verdict says first, so it counts always.
 *
 * | how   | what points at the mutant                                                                                          |
 * |-------|--------------------------------------------------------------------------------------------------------------------|
 * | site  | the changed statement, or one that it changed places with (or that stands in an `if` there), is among the two operations of a finding |
 * | edge  | the missing edge has the kind of the changed statement, and its barrier or its group; or the finding is about what was not waited for, or what stands right behind the wait |
 * | cycle | the changed statement is blocked, or an agent is blocked on its barrier                                               |
 * | rule  | the finding, or the refusal, is about the declaration, barrier or allocation that was changed, and says its name      |
 * | tile  | the result is wrong: which output, what it has too little or too often, and who wrote it                              |
 *
 * A DROP has no site left, so it is named by the edge, the cycle or the rule. What a dropped copy or store would have written is named by
 * a finding over its bytes: a read of what nothing has written, an output never written.
 */
import { families } from '../log/units.js'
import { children, type ExprNode } from '../language/expression.js'
import type { Finding, MissingEdge, Operation } from '../judging/finding.js'
import { hazards } from '../judging/hazards.js'
import type { Instruction, InstructionName } from '../language/instruction.js'
import type { Family } from '../log/events.js'
import { effectsOf, type Do, type Program } from '../language/program.js'
import { operandsOf } from '../language/signature.js'
import { lengthOf } from '../language/place.js'
import type { Verdict } from '../judging/verdict.js'
import { fences, type Mutant } from './model.js'
import { storagesIn } from './operands.js'

export type Naming = 'site' | 'edge' | 'cycle' | 'rule' | 'tile'

/** Findings that may stand before the one that names. */
const before = 3

// ---------------------------------------------------------------- the changed statement

const isAt = (o: Operation | undefined, s: Do): boolean =>
  o !== undefined && o.site === s.site.label && o.path.join('/') === s.site.path.join('/')

const isAbout = (f: Finding, s: Do): boolean => isAt(f.a, s) || isAt(f.b, s)

const says = (text: string, storage: string): boolean =>
  [`${storage}[`, `${storage}@`].some((name) => text.includes(name))

// ---------------------------------------------------------------- edges

interface Edge {
  readonly kinds: ReadonlyArray<MissingEdge['kind']>
  /** one of these stands in its text; null: the name of a barrier */
  readonly words: ReadonlyArray<string> | null
}

const arriving: Edge = { kinds: ['arrive', 'arrive-wait', 'wait'], words: null }
const group = (family: Family): Edge => ({ kinds: ['group-wait'], words: [families[family].wait] })

/** What the edge that a statement makes is called in a report; null where it makes none. */
const edgeOf = (i: Instruction): Edge | null => {
  switch (i._tag) {
    case 'mbarrier.init':
    case 'mbarrier.arrive':
    case 'mbarrier.arriveExpectTx':
    case 'mbarrier.arriveDrop':
    case 'mbarrier.cpAsyncArrive':
    case 'mbarrier.expectTx':
    case 'mbarrier.wait':
    case 'tcgen05.commit':
    case 'tcgen05.mma':
    case 'tma.load':
    case 'tma.gather':
    case 'stAsync.store':
      return arriving
    case 'fence.proxyAsync':
      return { kinds: ['fence'], words: ['proxy fence'] }
    case 'wgmma.fence':
      return { kinds: ['fence'], words: ['wgmma fence'] }
    case 'tcgen05.fenceBefore':
    case 'tcgen05.fenceAfter':
      return { kinds: ['fence'], words: ['thread_sync'] }
    case 'fence.tensormap':
      return { kinds: ['fence'], words: ['tensor-map', 'tensor map'] }
    case 'bulk.commitGroup':
    case 'bulk.waitGroup':
      return group('bulk')
    case 'cpAsync.commitGroup':
    case 'cpAsync.waitGroup':
      return group('cpAsync')
    case 'wgmma.commitGroup':
    case 'wgmma.waitGroup':
      return group('wgmma')
    case 'tcgen05.waitLd':
    case 'tcgen05.useLd':
      return group('tcgen05Ld')
    case 'tcgen05.waitSt':
      return group('tcgen05St')
    case 'bar.sync':
    case 'bar.arrive':
    case 'cluster.arrive':
    case 'cluster.wait':
    case 'semaphore.signal':
    case 'semaphore.wait':
      return { kinds: ['arrive-wait'], words: [''] }
    default:
      return null
  }
}

const isEdgeOf = (missing: MissingEdge | undefined, s: Do, barriers: ReadonlyArray<string>): boolean => {
  const edge = edgeOf(s.instruction)
  if (missing === undefined || edge === null || !edge.kinds.includes(missing.kind)) return false
  return edge.words === null
    ? barriers.some((b) => says(missing.text, b))
    : edge.words.some((w) => missing.text.includes(w))
}

/** The unit whose operations a statement issues, closes into a group or waits for. */
const unitOf = (i: Instruction): string | null => {
  switch (i._tag) {
    case 'wgmma.commitGroup':
    case 'wgmma.waitGroup':
      return 'wgmma'
    case 'bulk.commitGroup':
    case 'bulk.waitGroup':
      return 'tmaStore'
    case 'cpAsync.commitGroup':
    case 'cpAsync.waitGroup':
      return 'cpAsync'
    case 'tcgen05.waitLd':
    case 'tcgen05.useLd':
      return 'tcgen05Ld'
    case 'tcgen05.waitSt':
      return 'tcgen05St'
    default:
      return null
  }
}

/** U2 says which operation was left over: it is one of the group that was to be closed or waited for. M3 and M4 say it of a load and a store of tensor memory. */
const leaves = (f: Finding, s: Do): boolean => {
  const unit = unitOf(s.instruction)
  const says = unit === 'tcgen05Ld' ? ['U2', 'M3'] : unit === 'tcgen05St' ? ['U2', 'M4'] : ['U2']
  const ofUnit = (o: Operation | undefined): boolean =>
    o?.does.startsWith(unit ?? '-') === true && (f.id === 'U2' || o.path.join('/') === s.site.path.join('/'))
  return says.includes(f.id) && (ofUnit(f.a) || ofUnit(f.b))
}

// ---------------------------------------------------------------- memory

/** The bytes of shared memory that a statement may write, and the tensors. */
const touches = (program: Program, s: Do, f: Finding): boolean => {
  const place = f.place
  if (place === undefined) return false
  const named = operandsOf(s.instruction).flatMap((o) => storagesIn(o.expr))
  return program.storage.some((x) => {
    if (!named.includes(x.id)) return false
    if (x.space === 'regs') return place.plane.startsWith(`${x.id}@`)
    if (!place.plane.startsWith(`${x.space}@`)) return false
    if (x.space === 'tmem') return true
    const start = x.offset ?? 0
    return place.spans.some(([from, to]) => from < start + lengthOf(x) && start < to)
  })
}

/** Tensors that are pointed into. */
const pointedInto = (e: ExprNode): ReadonlyArray<string> =>
  e._tag === 'paramPtr' ? [e.param] : children(e).flatMap(pointedInto)

/** The tensors that a statement writes: by itself, through a tensor map, or through pointers. */
const tensorsOf = (program: Program, s: Do): ReadonlyArray<string> =>
  operandsOf(s.instruction).flatMap(({ expr }) => {
    const map = expr._tag === 'descriptor' ? program.params.find((p) => p.name === expr.param) : undefined
    if (map?._tag === 'descriptor') return [map.tensor]
    const at = expr._tag === 'slice' ? expr.of : expr
    return at._tag === 'tensor' ? [at.param] : pointedInto(expr)
  })

const isOver = (program: Program, s: Do, f: Finding): boolean =>
  touches(program, s, f) || tensorsOf(program, s).some((t) => f.place?.plane === `gmem ${t}`)

// ---------------------------------------------------------------- all

const allocations: ReadonlySet<InstructionName> = new Set<InstructionName>([
  'tcgen05.alloc',
  'tcgen05.dealloc',
  'tcgen05.relinquish',
])
const isAllocation = (s: Do): boolean => allocations.has(s.instruction._tag)
/** T1 to T5, and what is refused because columns are not allocated. */
const tellsOfAllocation = (text: string): boolean => /allocat|freed|relinquish/.test(text)

const isLeftOut = (m: Mutant): boolean => m.change.startsWith('left out')

/** Is the result said to be wrong with its place, what is wrong about it, and who wrote it? */
const tells = (program: Program, v: Verdict): boolean => {
  const text = v.provenance?.text ?? ''
  const out = program.computes?.out
  return out !== undefined && text.includes(out) && / written by | never written| of \w+ is /.test(text)
}

/** Does the refusal of a mutant that cannot be launched say what it refuses?. */
export const refusalNames = (program: Program, m: Mutant, message: string): boolean =>
  [m.label, ...m.statements.map((s) => s.site.label), ...m.barriers].some((name) => message.includes(name)) ||
  m.statements.some((s) => message.includes(s.instruction._tag)) ||
  (m.operator === 'ALLOC' && message.includes(program.name)) ||
  // one cta_group in a kernel: the refusal names two instructions of different groups
  (m.change === 'not collective' && message.includes('cta_group'))

/** What a rendezvous is called in a report, for those who wait there. */
const meetingOf = ({ instruction: i }: Do): string | null => {
  switch (i._tag) {
    case 'bar.sync':
    case 'bar.arrive':
      return `named barrier ${String(i.id)}@`
    case 'cluster.arrive':
    case 'cluster.wait':
      return 'cluster barrier'
    default:
      return null
  }
}

/** A statement, or the one behind it if it is a fence: what a wait lets begin. */
const behind = (program: Program, s: Do | null): Do | null => {
  if (s === null || !fences.has(s.instruction._tag)) return s
  const all = effectsOf(program.entry.body)
  return all.slice(all.indexOf(s)).find((d) => !fences.has(d.instruction._tag)) ?? null
}

/** How the verdict points at the mutant; null where it does not. */
export const namingOf = (program: Program, m: Mutant, v: Verdict): Naming | null => {
  const findings = v.findings.slice(0, before + 1)
  const site = [...m.statements.filter((_, i) => i > 0 || !isLeftOut(m)), ...m.passes]
  if (findings.some((f) => site.some((s) => isAbout(f, s)))) return 'site'
  const about = m.statements
  if (findings.some((f) => about.some((s) => isEdgeOf(f.missing, s, m.barriers) || leaves(f, s))))
    return 'edge'
  const next = behind(program, m.next)
  if (m.instruction === 'mbarrier.wait' && next !== null && findings.some((f) => isAbout(f, next)))
    return 'edge'
  const waits = v.verdict === 'deadlock' ? [v.reason, ...v.waitFor] : []
  const stuck = findings.filter((f) => hazards[f.id].generation).map((f) => f.text)
  if ([...waits, ...stuck].some((t) => m.barriers.some((b) => says(t, b)))) return 'cycle'
  const meetings = about.flatMap((s) => meetingOf(s) ?? [])
  if ([...waits, ...findings.map((f) => f.text)].some((t) => meetings.some((name) => t.includes(name))))
    return 'cycle'
  if (waits.some((t) => site.some((s) => t.includes([...s.site.path, s.site.label].join(' / ')))))
    return 'cycle'
  if (findings.some((f) => m.barriers.some((b) => says(f.text, b)))) return 'rule'
  if (
    about.some((s) => isAllocation(s) && [...findings.map((f) => f.text), v.reason].some(tellsOfAllocation))
  )
    return 'rule'
  // who is not waited for any more finds his columns freed by what stands right behind
  if (
    about.some((s) => meetingOf(s) !== null) &&
    next !== null &&
    isAllocation(next) &&
    tellsOfAllocation(v.reason)
  )
    return 'edge'
  if (v.verdict === 'invalid' && refusalNames(program, m, v.reason)) return 'rule'
  if (m.class === 'data' || m.instruction === 'declaration')
    if (findings.some((f) => about.some((s) => isOver(program, s, f)))) return 'rule'
  return v.verdict === 'wrong-result' && tells(program, v) ? 'tile' : null
}
