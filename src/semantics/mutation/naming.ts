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
 * | rule  | the finding, or the refusal, is about the declaration, barrier, statement or allocation that was changed               |
 * | tile  | the result is wrong: which output, what it has too little or too often, and who wrote it                              |
 *
 * No word is read. What a finding, a missing edge, a blocked wait or a fault is about stands beside its text as data (`judging/subject.ts`), and so
 * does what of a program is refused before it runs (`language/refusal.ts`).
 *
 * A DROP has no site left, so it is named by the edge, the cycle or the rule. What a dropped copy or store would have written is named by
 * a finding over its bytes: a read of what nothing has written, an output never written.
 *
 * Law 1. How a mutant is named does not depend on what storages, agents and statements are called.
 */
import { families } from '../log/units.js'
import { children, type ExprNode } from '../language/expression.js'
import type { Diagnosis, MissingEdge, Operation, Remedy } from '../judging/finding.js'
import { hazards } from '../judging/hazards.js'
import type { Subject } from '../judging/subject.js'
import type { InstructionName } from '../language/instruction.js'
import type { Header, Plane } from '../log/events.js'
import { effectsOf, type Do, type Program, type Site } from '../language/program.js'
import { space, statement, type Concern } from '../language/refusal.js'
import { operandsOf } from '../language/signature.js'
import { lengthOf } from '../language/place.js'
import { storageOfBarrier, type World } from '../machine/world.js'
import type { Checked, Reasons } from '../verdict/check.js'
import type { Described, Mutant } from './model.js'
import { storagesIn } from './operands.js'
import { isFence, roles } from './roles.js'

export type Naming = 'site' | 'edge' | 'cycle' | 'rule' | 'tile'

/** Findings that may stand before the one that names. */
const before = 3

// ---------------------------------------------------------------- the changed statement

const samePath = (x: ReadonlyArray<string>, y: ReadonlyArray<string>): boolean => x.join('/') === y.join('/')

const sameSite = (x: Site, y: Site): boolean => x.label === y.label && samePath(x.path, y.path)

const isAt = (o: Operation | undefined, { site }: Do): boolean =>
  o !== undefined && o.site === site.label && samePath(o.path, site.path)

const isBetween = (f: Diagnosis, s: Do): boolean => isAt(f.a, s) || isAt(f.b, s)

// ---------------------------------------------------------------- subjects

type About = ReadonlyArray<Subject>
type Asks = (s: Subject) => boolean

/** Is it one of these storages' barriers? */
const isBarrierOf =
  (world: World, storages: ReadonlyArray<string>): Asks =>
  (s) =>
    s._tag === 'barrier' && storages.includes(storageOfBarrier(world, s.barrier))

const isColumns: Asks = (s) => s._tag === 'columns'

// ---------------------------------------------------------------- edges

const arriving: ReadonlyArray<MissingEdge['kind']> = ['arrive', 'arrive-wait', 'wait']

/** Is the missing edge one that the statement makes, on one of the barriers that it is about? */
const isEdgeOf = ({ kind, about }: Remedy, { instruction: i }: Do, isBarrier: Asks): boolean => {
  const { edge, group, fences } = roles[i._tag]
  switch (edge) {
    case 'barrier':
      return arriving.includes(kind) && about.some(isBarrier)
    case 'meeting':
      return kind === 'arrive-wait'
    case 'own':
      return about.some(
        (s) =>
          (kind === 'group-wait' && s._tag === 'group' && s.family === group?.family) ||
          (kind === 'fence' && s._tag === 'fence' && fences.includes(s.fence)),
      )
  }
}

/** U2 says which operation was left over: it is one of the group that was to be closed or waited for. M3 and M4 say it of a load and a store of tensor memory. */
const leaves = (f: Diagnosis, s: Do): boolean => {
  const family = roles[s.instruction._tag].group?.family
  if (family === undefined) return false
  const near = (side: 'a' | 'b'): boolean => samePath((side === 'a' ? f.a : f.b)?.path ?? [], s.site.path)
  const says = (side: 'a' | 'b'): boolean =>
    f.id === 'U2' ||
    (f.id === 'M3' && family === 'tcgen05Ld' && near(side)) ||
    (f.id === 'M4' && family === 'tcgen05St' && near(side))
  return f.about.some((x) => x._tag === 'unit' && x.unit === families[family].unit && says(x.side))
}

// ---------------------------------------------------------------- memory

/** The planes whose bytes are at stake. */
const planesOf = (header: Header, about: About): ReadonlyArray<Plane> =>
  about.flatMap((s) => (s._tag === 'plane' ? (header.planes[s.plane] ?? []) : []))

const storagesNamed = (s: Do): ReadonlyArray<string> =>
  operandsOf(s.instruction).flatMap((o) => storagesIn(o.expr))

/** The bytes of shared memory that a statement may write, and the tensors. */
const touches = (program: Program, s: Do, f: Diagnosis, plane: Plane): boolean => {
  const named = storagesNamed(s)
  return program.storage.some((x) => {
    if (!named.includes(x.id) || plane.space !== x.space) return false
    if (x.space === 'regs') return plane.name === x.id
    if (x.space === 'tmem') return true
    const start = x.offset ?? 0
    return f.place?.spans.some(([from, to]) => from < start + lengthOf(x) && start < to) === true
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

const isOver = (program: Program, header: Header, s: Do, f: Diagnosis): boolean =>
  planesOf(header, f.about).some((plane) =>
    plane.space === 'gmem' ? tensorsOf(program, s).includes(plane.name) : touches(program, s, f, plane),
  )

// ---------------------------------------------------------------- refusals

const allocations: ReadonlySet<InstructionName> = new Set<InstructionName>([
  'tcgen05.alloc',
  'tcgen05.dealloc',
  'tcgen05.relinquish',
])
const isAllocation = (s: Do): boolean => allocations.has(s.instruction._tag)

const names = (program: Program, after: Program, m: Described, c: Concern): boolean => {
  const isChanged = (storage: string): boolean =>
    m.barriers.includes(storage) || (m.instruction === 'declaration' && m.label === storage)
  switch (c._tag) {
    case 'statement':
      return (
        m.statements.some((s) => sameSite(s.site, c.site)) ||
        effectsOf(after.entry.body).some((s) => sameSite(s.site, c.site) && storagesNamed(s).some(isChanged))
      )
    case 'storage':
      return isChanged(c.storage)
    case 'space':
      return (
        program.storage.some((x) => x.space === c.space && isChanged(x.id)) ||
        (c.space === 'tmem' && m.statements.some(isAllocation))
      )
  }
}

/** Is the refusal of a mutant that cannot be launched about what was changed? `after` is the mutant's program, as far as there is one. */
export const refusalNames = (
  program: Program,
  after: Program,
  m: Described,
  about: ReadonlyArray<Concern>,
): boolean => about.some((c) => names(program, after, m, c))

/** What a fault is about. */
const concernsOf = ({ header }: World, { fault }: Reasons): ReadonlyArray<Concern> => {
  const site = fault === null ? undefined : header.sites[fault.site]
  return [
    ...(site === undefined ? [] : [statement(site)]),
    ...(fault?.columns === true ? [space('tmem')] : []),
  ]
}

// ---------------------------------------------------------------- all

/** Do the agents of a statement meet there? */
const meets = ({ instruction: i }: Do): boolean =>
  i._tag === 'bar.sync' || i._tag === 'bar.arrive' || i._tag === 'cluster.arrive' || i._tag === 'cluster.wait'

/** Is this where the agents of a statement meet? */
const isMeetingOf =
  ({ instruction: i }: Do): Asks =>
  (s) =>
    s._tag === 'rendezvous' &&
    (i._tag === 'bar.sync' || i._tag === 'bar.arrive'
      ? s.id === i.id
      : (i._tag === 'cluster.arrive' || i._tag === 'cluster.wait') && s.id === 'cluster')

/** A statement, or the one behind it if it is a fence: what a wait lets begin. */
const behind = (program: Program, s: Do | null): Do | null => {
  if (s === null || !isFence(s.instruction._tag)) return s
  const all = effectsOf(program.entry.body)
  return all.slice(all.indexOf(s)).find((d) => !isFence(d.instruction._tag)) ?? null
}

/** How the verdict points at the mutant; null where it does not. */
export const namingOf = (
  program: Program,
  m: Mutant,
  { verdict: v, reasons, world }: Checked,
): Naming | null => {
  const findings = reasons.findings.slice(0, before + 1)
  const site = [...m.statements.filter((_, i) => i > 0 || m.manner !== 'absent'), ...m.passes]
  if (findings.some((f) => site.some((s) => isBetween(f, s)))) return 'site'
  const changed = m.statements
  const isBarrier = isBarrierOf(world, m.barriers)
  if (
    findings.some((f) =>
      changed.some((s) => (f.missing !== undefined && isEdgeOf(f.missing, s, isBarrier)) || leaves(f, s)),
    )
  )
    return 'edge'
  const next = behind(program, m.next)
  if (m.instruction === 'mbarrier.wait' && next !== null && findings.some((f) => isBetween(f, next)))
    return 'edge'
  const waits = v.verdict === 'deadlock' ? reasons.blocked : []
  const stuck = findings.filter((f) => hazards[f.id].generation)
  if ([...waits, ...stuck].some(({ about }) => about.some(isBarrier))) return 'cycle'
  if ([...waits, ...findings].some(({ about }) => changed.some((s) => about.some(isMeetingOf(s)))))
    return 'cycle'
  if (waits.some((b) => site.some((s) => isAt(b.operation, s)))) return 'cycle'
  if (findings.some((f) => f.about.some(isBarrier))) return 'rule'
  const ofColumns = reasons.fault?.columns === true || findings.some((f) => f.about.some(isColumns))
  if (ofColumns && changed.some(isAllocation)) return 'rule'
  // an agent that is not waited for any more finds its columns freed by what stands right behind
  if (ofColumns && changed.some(meets) && next !== null && isAllocation(next)) return 'edge'
  if (v.verdict === 'invalid' && refusalNames(program, m.program, m, concernsOf(world, reasons)))
    return 'rule'
  if (m.class === 'data' || m.instruction === 'declaration')
    if (findings.some((f) => changed.some((s) => isOver(program, world.header, s, f)))) return 'rule'
  // provenance refutes with the place, what is wrong about it, and the statement that wrote it
  return v.verdict === 'wrong-result' && v.provenance?.proved === false ? 'tile' : null
}
