/**
 * A litmus test and its relations, as `tcspec litmus` prints them: `tcspec.litmus/1`.
 *
 * What the model says of the test, and why: its events, the arrows that its clauses draw between them, each pair of accesses that conflict, with the arrows by
 * which the one is before the other and seen by it. Arrows that bring nothing new are left out (`semantics/model/relations.ts`), so the closure of those
 * that stand here is the whole relation. What the detector finds in the same log stands beside it: it has the ids of the hazards.
 *
 * | a pair `is`                                                   | because                                                          |
 * |---------------------------------------------------------------|------------------------------------------------------------------|
 * | `race`, `not visible`, `unfenced`, `race of clusters`, `any order` | something is missing: the clause of that name asks for it     |
 * | `ok`                                                          | in one unit; atomic; in order; seen; landed; found; or its clause is left out |
 * | null                                                          | it does not meet: a plain write stands between                   |
 *
 * Laws
 * 1. `model` and `without` say what the model says, line for line as in docs/MemoryModel.md.
 * 2. `before` is true iff `beforeBy` is a chain of arrows into `order` (`seen`, `seenBy`: into the window) that begins with the access, or with the phase that completes it.
 */
import { defaults, judgeLog } from '../semantics/judging/detector/index.js'
import type { ConditionName, Finding, Operation } from '../semantics/judging/finding.js'
import { model, usual, type Choices, type Modelled, type Shown } from '../semantics/model/index.js'
import { drawn } from '../semantics/model/clauses.js'
import type { LitmusLog } from '../semantics/model/litmus.js'
import { doneFact } from '../semantics/model/order.js'
import { comesFirst, type Ground, type PairKind } from '../semantics/model/race.js'
import type { Otherwise } from '../semantics/model/readings.js'
import type { Reading, Touch } from '../semantics/model/reading.js'
import { chainsOf, conflicts, needed, phaseOf } from '../semantics/model/relations.js'
import type { Arrow, View } from '../semantics/model/views.js'

// ---------------------------------------------------------------- model

export type LitmusOptions = Pick<Choices, 'strict' | 'strictProxies' | 'tensorPipe'>

export type PairWord = 'race' | 'not visible' | 'unfenced' | 'race of clusters' | 'any order' | 'ok'
export type Because = 'in one unit' | 'atomic' | 'in order' | 'seen' | 'landed' | 'found' | 'not asked'

export interface LitmusEvent {
  /** its line, from 1; null: it comes before the test */
  readonly line: number | null
  /** an agent, or an operation such as `#1` */
  readonly by: string
  /** the agent: of an operation, the one that issued it */
  readonly agent: string
  readonly what: string
  readonly access: { readonly rw: 'read' | 'write'; readonly place: string; readonly proxy: string } | null
}

/** Phases are counted from 0. */
export interface PhaseName {
  readonly barrier: string
  readonly phase: number
}

export interface LitmusArrow {
  readonly clause: string
  /** a fact that enters, or what one event knows and another is told */
  readonly kind: 'fact' | 'flow'
  /** an event; of the completion of a phase, the one that completes it */
  readonly from: number
  readonly phase: PhaseName | null
  readonly to: number
  /** from which view into which; of a fact, into which */
  readonly views: ReadonlyArray<readonly [of: View | null, into: View]>
}

export interface LitmusPair {
  readonly a: number
  readonly b: number
  readonly is: PairWord | null
  readonly because: Because | null
  readonly before: boolean
  /** null: the first is a read */
  readonly seen: boolean | null
  /** the view in which the second would find what the first has written */
  readonly window: View | null
  /** what has to be known for the first to be done, if it is the completion of a phase; never: no signal says so */
  readonly done: PhaseName | 'itself' | 'never'
  readonly beforeBy: ReadonlyArray<number> | null
  readonly seenBy: ReadonlyArray<number> | null
  /** what the detector calls it */
  readonly hazards: ReadonlyArray<string>
}

export interface Says {
  readonly ok: boolean
  readonly says: ReadonlyArray<string>
}

export interface LitmusDocument {
  readonly schema: 'tcspec.litmus/1'
  readonly name: string
  readonly lines: ReadonlyArray<{ readonly line: number; readonly text: string }>
  readonly options: LitmusOptions
  readonly leftOut: ReadonlyArray<string>
  readonly model: Says
  /** null: no clause is left out */
  readonly without: Says | null
  readonly agents: ReadonlyArray<{ readonly name: string; readonly cta: number }>
  readonly events: ReadonlyArray<LitmusEvent>
  readonly arrows: ReadonlyArray<LitmusArrow>
  readonly pairs: ReadonlyArray<LitmusPair>
  /** reads that find nothing */
  readonly nothing: ReadonlyArray<number>
  readonly conditions: ReadonlyArray<{
    readonly condition: ConditionName
    readonly a: number
    readonly b: number
  }>
  readonly ends: ReadonlyArray<{ readonly id: string; readonly event: number | null }>
  readonly findings: ReadonlyArray<{
    readonly id: string
    readonly severity: string
    readonly text: string
    readonly lines: ReadonlyArray<number>
    readonly missing: string | null
  }>
}

// ---------------------------------------------------------------- in words

const wordOf: Readonly<Record<PairKind, PairWord>> = {
  race: 'race',
  visibility: 'not visible',
  unfenced: 'unfenced',
  foreign: 'race of clusters',
  anyOrder: 'any order',
}
const becauseOf: Readonly<Record<Ground, Because>> = {
  unit: 'in one unit',
  atomic: 'atomic',
  order: 'in order',
  seen: 'seen',
  landed: 'landed',
  found: 'found',
  notAsked: 'not asked',
}
const isGround = (is: PairKind | Ground): is is Ground => is in becauseOf

/** Where each cluster of a log begins. */
const startsOf = ({ log }: Pick<LitmusLog, 'log'>): ReadonlyArray<number> => [
  0,
  ...log.flatMap((e, i) => (i > 0 && e._tag === 'cluster' ? [i] : [])),
]

/** The place of an access in the whole log. */
const placing =
  (test: Pick<LitmusLog, 'log'>, { clusters }: Modelled) =>
  (t: Touch): number =>
    startsOf(test)[clusters.findIndex((c) => c.reading.touches.includes(t))]! + t.at

/** What the model says, an item each; `ok` of nothing. */
export const said = (
  test: Pick<LitmusLog, 'log' | 'lineOf'>,
  m: Modelled,
  lines: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const at = placing(test, m)
  const quote = (t: Touch): string => `\`${lines[test.lineOf[at(t)] ?? -1] ?? 'before the test'}\``
  const other = (o: Otherwise): string => {
    switch (o._tag) {
      case 'older':
        return `another value: ${quote(o.read)} / ${quote(o.missed)}`
      case 'stale':
        return `another value: ${quote(o.read)} / ${quote(o.write)}`
      case 'order':
        return `another order: ${quote(o.first)} / ${quote(o.second)}`
    }
  }
  const out = m.clusters.flatMap((c) => [
    ...c.found.pairs.map((p) => `${wordOf[p.kind]}: ${quote(p.a)} / ${quote(p.b)}`),
    ...c.found.nothing.map((t) => `nothing there: ${quote(t)}`),
    ...c.failing.map((f) => f.condition),
    ...c.otherwise.map(other),
    ...c.left.map((l) => l.id),
    ...c.misused.misuses.map((x) => x.id),
    ...(c.stuck ? ['deadlock'] : []),
  ])
  const all = [...new Set([...out, ...m.unwritten.map(() => 'O1')])]
  return all.length === 0 ? ['ok'] : all
}

const saying = (says: ReadonlyArray<string>): Says => ({ ok: says.length === 1 && says[0] === 'ok', says })

// ---------------------------------------------------------------- one cluster

const phaseName = (r: Reading, fact: number): PhaseName | null => {
  const p = phaseOf(r, fact)
  return p === undefined ? null : { barrier: r.header.barriers[p.barrier]!.name, phase: p.number - p.base }
}

const arrowOf = (r: Reading, start: number, clause: string, a: Arrow): LitmusArrow =>
  a._tag === 'flows'
    ? { clause, kind: 'flow', from: start + a.from, phase: null, to: start + a.to, views: a.by }
    : {
        clause,
        kind: 'fact',
        from: start + (phaseOf(r, a.fact)?.completedBy ?? a.fact),
        phase: phaseName(r, a.fact),
        to: start + a.at,
        views: a.into.map((view) => [null, view] as const),
      }

interface Part {
  readonly arrows: ReadonlyArray<LitmusArrow>
  readonly pairs: ReadonlyArray<LitmusPair>
}

/** `offset`: the arrows of earlier clusters. */
const partOf = (
  { reading: r, asked, found }: Shown,
  start: number,
  offset: number,
  hazards: (a: Touch, b: Touch) => ReadonlyArray<string>,
  strict: boolean,
): Part => {
  const arrows = needed(r.log.length, drawn(r, asked.how))
  const chains = chainsOf(r.log.length, arrows)
  const by = (t: Touch, at: number, view: View | undefined): ReadonlyArray<number> | null =>
    view === undefined ? null : (chains(doneFact(t), at, view)?.map((k) => offset + k) ?? null)
  const orderOf = (b: Touch): View => {
    const isFirst = comesFirst(b)
    return strict ? (isFirst ? 'firmBefore' : 'firm') : isFirst ? 'before' : 'order'
  }
  const isOf = new Map(found.judged.map((j) => [`${key(j.a)} ${key(j.b)}`, j.is]))
  return {
    arrows: arrows.map(({ clause, arrow }) => arrowOf(r, start, clause, arrow)),
    pairs: conflicts(asked).map(({ a, b, before, seen, window }): LitmusPair => {
      const is = isOf.get(`${key(a)} ${key(b)}`)
      const fact = doneFact(a)
      return {
        a: start + a.at,
        b: start + b.at,
        is: is === undefined ? null : isGround(is) ? 'ok' : wordOf[is],
        because: is === undefined || !isGround(is) ? null : becauseOf[is],
        before,
        seen: seen ?? null,
        window: window ?? null,
        done: fact < 0 ? 'never' : (phaseName(r, fact) ?? 'itself'),
        beforeBy: before ? by(a, b.at, orderOf(b)) : null,
        seenBy: seen === true ? by(a, b.at, window) : null,
        hazards: is === undefined || isGround(is) ? [] : hazards(a, b),
      }
    }),
  }
}
/** A semaphore event makes a read and a write. */
const key = (t: Touch): string => `${String(t.at)}${t.access.rw}`

// ---------------------------------------------------------------- the whole

const isOf = (o: Operation | undefined, t: Touch): boolean =>
  o !== undefined &&
  o.index === t.access.stamp.agent &&
  o.at === t.access.stamp.at &&
  o.operation === t.operation?.issue.operation

const placeOf = (said: string): string =>
  said
    .replace(/: (read|write)$/, '')
    .split(' ')
    .at(1) ?? ''

/** `lines` and `numbers`: the lines that say something, and where they stand in the text. */
export const litmusDocument = (
  name: string,
  lines: ReadonlyArray<string>,
  numbers: ReadonlyArray<number>,
  test: LitmusLog,
  options: LitmusOptions,
  leftOut: ReadonlyArray<string>,
): LitmusDocument => {
  const { header, log, lineOf, does } = test
  const choices = Object.assign({}, usual, options)
  const whole = model(header, log, choices)
  const shown = leftOut.length === 0 ? whole : model(header, log, choices, leftOut)
  const judgement = judgeLog(header, log, Object.assign({}, defaults, options))
  const named: ReadonlyArray<Finding> = [
    ...judgement.findings,
    ...judgement.notes,
    ...Object.values(judgement.conditions).flatMap((c) => c.findings),
  ]
  // a finding stands for all accesses of its first agent that are no later
  const hazards = (a: Touch, b: Touch): ReadonlyArray<string> => {
    const of = judgement.findings.filter((f) => isOf(f.b, b))
    const exact = of.filter((f) => isOf(f.a, a))
    const alike = of.filter((f) => f.a.index === a.access.stamp.agent && f.a.at >= a.access.stamp.at)
    return [...new Set((exact.length > 0 ? exact : alike).map((f) => f.id))]
  }
  const starts = startsOf(test)
  const parts: Part[] = []
  let offset = 0
  shown.clusters.forEach((c, k) => {
    const part = partOf(c, starts[k]!, offset, hazards, options.strict)
    parts.push(part)
    offset += part.arrows.length
  })
  const at = placing(test, shown)
  const foreign = shown.clusters.flatMap((c) =>
    c.found.judged
      .filter((j) => !c.reading.touches.includes(j.a))
      .map(({ a, b, is }): LitmusPair => ({
        a: at(a),
        b: at(b),
        is: isGround(is) ? 'ok' : wordOf[is],
        because: isGround(is) ? becauseOf[is] : null,
        before: false,
        seen: a.access.rw === 'w' ? false : null,
        window: null,
        done: 'itself',
        beforeBy: null,
        seenBy: null,
        hazards: isGround(is) ? [] : hazards(a, b),
      })),
  )
  const lineNumber = (event: number): number | null => {
    const line = lineOf[event] ?? -1
    return line < 0 ? null : numbers[line]!
  }
  const sites = new Map(
    log.flatMap((e, i): ReadonlyArray<readonly [string, number]> => {
      const line = lineNumber(i)
      return 'stamp' in e && line !== null ? [[`${String(e.stamp.agent)} ${String(e.stamp.at)}`, line]] : []
    }),
  )
  const linesOf = (o: Operation | undefined): ReadonlyArray<number> => {
    const line = o === undefined ? undefined : sites.get(`${String(o.index)} ${String(o.at)}`)
    return line === undefined ? [] : [line]
  }
  return {
    schema: 'tcspec.litmus/1',
    name,
    lines: lines.map((text, k) => ({ line: numbers[k]!, text })),
    options,
    leftOut,
    model: saying(said(test, whole, lines)),
    without: leftOut.length === 0 ? null : saying(said(test, shown, lines)),
    agents: header.agents.map((a) => ({ name: a.name, cta: a.cta })),
    events: log.map((e, i): LitmusEvent => {
      const { by, what } = does[i]!
      return {
        line: lineNumber(i),
        by,
        agent: agentOf(test, i),
        what,
        access:
          e._tag === 'access'
            ? { rw: e.rw === 'r' ? 'read' : 'write', place: placeOf(what), proxy: e.proxy }
            : null,
      }
    }),
    arrows: parts.flatMap((p) => p.arrows),
    pairs: [...parts.flatMap((p) => p.pairs), ...foreign],
    nothing: shown.clusters.flatMap((c) => c.found.nothing.map(at)),
    conditions: shown.clusters.flatMap((c, k) =>
      c.failing.map(({ condition, a, b }) => ({ condition, a: starts[k]! + a, b: starts[k]! + b })),
    ),
    ends: [
      ...shown.clusters.flatMap((c, k) => [
        ...c.left.map(({ id, at: event }) => ({ id, event: starts[k]! + event })),
        ...c.misused.misuses.map(({ id, at: event }) => ({ id, event: starts[k]! + event })),
      ]),
      ...shown.unwritten.map(() => ({ id: 'O1', event: null })),
    ],
    findings: named.map(({ id, severity, text, a, b, missing }) => ({
      id,
      severity,
      text,
      lines: [...new Set([...linesOf(a), ...linesOf(b)])],
      missing: missing?.text ?? null,
    })),
  }
}

/** The agent that makes an event, or issued what makes it. */
const agentOf = ({ header, log }: LitmusLog, event: number): string => {
  const e = log[event]!
  const of =
    'stamp' in e
      ? e
      : 'operation' in e
        ? log.find((x) => x._tag === 'issue' && x.operation === e.operation)
        : undefined
  return of !== undefined && 'stamp' in of ? header.agents[of.stamp.agent]!.name : ''
}
