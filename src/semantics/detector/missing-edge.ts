/**
 * The smallest missing edge: what to add so that a finding disappears.
 *
 * The log is judged again with one hypothesis put in, and the first hypothesis under which the finding is gone wins. With a the
 * access that was meant first and b the other, in this order:
 *
 * | kind        | hypothesis                                                                                  |
 * |-------------|---------------------------------------------------------------------------------------------|
 * | fence       | a fence right after a by its agent, right before b by its agent, or both                     |
 * | group-wait  | a group wait that covers a, by its issuer: before b, or before one of its later arrives       |
 * | wait        | b's agent waits, before b, for a barrier generation that somebody completes anyway and that covers a |
 * | arrive      | an arrive of a's agent, moved behind the point where that agent knows that a is done          |
 * | arrive-wait | a new pair: arrive when a is done, wait before b                                              |
 *
 * A hypothesis acts on knowledge, not on events: what the new edge would carry is read off a first pass over the log (it may lie in
 * the future of b's place in *this* log: a run that has the edge has b later) and joined in at b's place in a second pass. A
 * hypothesis whose knowledge already depends on b would be a cycle and is not offered.
 *
 * Laws
 * 1. Judged with the edge, the finding is gone (that is how it was chosen).
 * 2. No kind earlier in the table makes it disappear.
 *
 * Cost: one pass over the log per hypothesis tried. The log has to be kept for this, and for nothing else.
 */
import type { Finding, Judgement, MissingEdge, Operation as Side } from '../finding.js'
import type { Family, Header, LogEvent, Unit } from '../log.js'
import type { AgentState } from './context.js'
import { observe } from './detector.js'
import { conclude } from './end.js'
import type { FenceName } from './fences.js'
import { applyFence } from './fences.js'
import { awaitGroup } from './groups.js'
import type { Operation } from './operation.js'
import type { Detector } from './state.js'
import { start } from './state.js'
import { singleton, union } from './generation-set.js'
import type { Knowledge } from './knowledge.js'
import { advance, clockOf, copy, join, joinVector, programOf } from './knowledge.js'
import type { Options } from './rules.js'
import { defaults } from './rules.js'
import { agentName, barrierName } from './report.js'

// ---------------------------------------------------------------- model

/** Something done to the detector's state before the event of this index (or after the last). */
interface Action {
  readonly before: number
  readonly act: (d: Detector) => void
}
interface Hypothesis {
  readonly kind: MissingEdge['kind']
  readonly text: string
  readonly actions: ReadonlyArray<Action>
}

/** What the first pass saw of one side of the finding. */
interface Seen {
  readonly side: Side
  /** index of its access, or of its issue */
  readonly index: number
  readonly operation: Operation | undefined
  /** what an arrive after its completion would publish */
  readonly done: Knowledge | undefined
}
interface Completed {
  readonly barrier: number
  readonly generation: number
  readonly message: Knowledge
}

// ---------------------------------------------------------------- replay

const replay = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  options: Options,
  actions: ReadonlyArray<Action>,
  after: (d: Detector, index: number) => void,
): Judgement => {
  const d = start(header, options)
  events.forEach((e, i) => {
    for (const a of actions) if (a.before === i) a.act(d)
    observe(d, e)
    after(d, i)
  })
  for (const a of actions) if (a.before >= events.length) a.act(d)
  return conclude(d)
}

const sameSide = (x: Side | undefined, y: Side | undefined): boolean =>
  x === undefined || y === undefined ? x === y : x.index === y.index && x.at === y.at

const present = (j: Judgement, f: Finding): boolean =>
  [
    ...j.findings,
    ...j.notes,
    ...j.conditions.C3.findings,
    ...j.conditions.C4.findings,
    ...j.conditions.C6.findings,
  ].some((g) => g.id === f.id && sameSide(g.a, f.a) && sameSide(g.b, f.b)) ||
  // under another id, between the same two events, it is still there
  j.findings.some((g) => g.b !== undefined && sameSide(g.a, f.a) && sameSide(g.b, f.b))

// ---------------------------------------------------------------- first pass

const stampOf = (e: LogEvent): { readonly agent: number; readonly at: number } | undefined => {
  switch (e._tag) {
    case 'perform':
    case 'signal':
    case 'exit':
    case 'cluster':
      return undefined
    case 'access':
      return e.operation === undefined ? e.stamp : undefined
    case 'issue':
    case 'barrier':
    case 'wait':
    case 'group':
    case 'fence':
    case 'rendezvous':
    case 'fork':
    case 'join':
    case 'dealloc':
      return e.stamp
  }
}

const indexOf = (events: ReadonlyArray<LogEvent>, s: Side): number =>
  events.findIndex((e) => {
    const t = stampOf(e)
    return t !== undefined && t.agent === s.index && t.at === s.at
  })

/** What whoever knows that the operation is done knows of it. */
const doneKnowledge = (op: Operation): Knowledge => {
  const k = copy(op.knowledge)
  const x = op.stamp.agent
  const everywhere = (clock: number, at: number): void => {
    ;[k.order, k.visible.counters, k.async.counters, k.tensor].forEach((v) => {
      advance(v, clock, at)
    })
  }
  switch (op.unit) {
    case 'tmaLoad':
    case 'stAsync':
      for (const p of op.parts) {
        if (p.barrier < 0) continue
        advance(k.order, p.clock, p.at)
        for (const v of [k.visible, k.async])
          v.acquired[p.barrier] = union(v.acquired[p.barrier]!, singleton(p.generation))
      }
      return k
    case 'tmaStore':
      everywhere(clockOf('bulkRead', x), op.number)
      everywhere(clockOf('bulkFull', x), op.number)
      return k
    case 'wgmma':
      everywhere(clockOf('wgmma', x), op.number)
      return k
    case 'cpAsync':
      everywhere(clockOf('cpAsync', x), op.number)
      return k
    case 'tcgen05':
      everywhere(clockOf('queue', x), op.number)
      return k
    case 'tcgen05Ld':
      everywhere(clockOf('tensorLoad', x), op.number)
      return k
    case 'tcgen05St':
      everywhere(clockOf('tensorStore', x), op.number)
      return k
  }
}

const familyOf = (unit: Unit): Family | undefined => {
  switch (unit) {
    case 'tmaStore':
      return 'bulk'
    case 'wgmma':
    case 'cpAsync':
    case 'tcgen05Ld':
    case 'tcgen05St':
      return unit
    case 'tmaLoad':
    case 'stAsync':
    case 'tcgen05':
      return undefined
  }
}

/** Groups that a wait may leave open and still cover the operation. */
const mayLeaveOpen = (a: AgentState, op: Operation): number => {
  switch (op.unit) {
    case 'tmaStore':
      return Math.max(0, a.bulkGroups - op.number)
    case 'wgmma':
      return Math.max(0, a.wgmmaGroups - op.number)
    case 'cpAsync':
      return a.copiesAtCommit.filter((n) => n > op.number).length
    case 'tcgen05Ld':
      return a.loads - op.number
    case 'tcgen05St':
      return a.stores - op.number
    case 'tmaLoad':
    case 'stAsync':
    case 'tcgen05':
      return 0
  }
}

// ---------------------------------------------------------------- the search

const knows = (k: Knowledge, first: Seen): boolean => {
  const done = first.done
  if (done === undefined) return false
  const op = first.operation
  if (op === undefined) return k.order[programOf(first.side.index)]! >= first.side.at
  if (op.unit === 'tmaLoad' || op.unit === 'stAsync')
    return (
      op.parts.some((p) => p.clock >= 0) && op.parts.every((p) => p.clock < 0 || k.order[p.clock]! >= p.at)
    )
  const clocks = (['bulkRead', 'wgmma', 'cpAsync', 'queue', 'tensorLoad', 'tensorStore'] as const).map((n) =>
    clockOf(n, op.stamp.agent),
  )
  const unit = ['tmaStore', 'wgmma', 'cpAsync', 'tcgen05', 'tcgen05Ld', 'tcgen05St'].indexOf(op.unit)
  return k.order[clocks[unit]!]! >= op.number
}

/** Whether what the edge carries depends on the place where it would arrive. */
const isCycle = (k: Knowledge, second: Seen): boolean =>
  k.order[programOf(second.side.index)]! >= second.side.at

const fenceNames = (f: Finding): ReadonlyArray<readonly [FenceName, string]> => {
  switch (f.id) {
    case 'P5':
      return [['global', 'a proxy fence for global memory']]
    case 'M8':
      return []
    default:
      return [
        ['shared', 'a proxy fence'],
        ['wgmma', 'a wgmma fence'],
        ['global', 'a proxy fence for global memory'],
      ]
  }
}

const readBefore: ReadonlyArray<Finding['id']> = ['R1', 'R2', 'R3', 'M1', 'M2', 'M4']

/** The finding has a cause that is not an edge; what to do is said by the id. */
const byRule = (f: Finding): MissingEdge => {
  switch (f.id) {
    case 'B4':
      return {
        kind: 'bytes',
        text: 'make the bytes expected equal to the bytes delivered, and expect them before the arrival that they belong to',
      }
    case 'B5':
    case 'B6':
      return { kind: 'arrive', text: `somebody has to arrive: ${f.text}` }
    case 'B8':
    case 'U1':
      return { kind: 'wait', text: `a wait for the completions that nobody observed: ${f.text}` }
    default:
      return { kind: 'none-found', text: 'no single fence, wait or arrive removes this' }
  }
}

/**
 * The smallest missing edge of a finding of this log. `events` is the whole log; `options` those of the judgement that
 * made the finding.
 */
export const explain = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Finding,
  options: Options = defaults,
): MissingEdge => {
  const other = finding.b
  const sides =
    other === undefined
      ? [finding.a]
      : readBefore.includes(finding.id) && !finding.a.does.includes('writes')
        ? [other, finding.a]
        : [finding.a, other]
  if (['B4', 'B5', 'B6', 'B8', 'U1', 'I1', 'M6', 'O1', 'D3'].includes(finding.id)) return byRule(finding)

  // first pass: where the sides are, what their completion carries, which generations complete
  const positions = sides.map((s) => indexOf(events, s))
  const operations: Array<Operation | undefined> = sides.map(() => undefined)
  const after: Array<Knowledge | undefined> = sides.map(() => undefined)
  const completed: Array<Completed> = []
  const counts = header.barriers.map(() => 0)
  replay(header, events, options, [], (d, i) => {
    sides.forEach((s, n) => {
      if (positions[n] !== i) return
      const e = events[i]!
      if (e._tag === 'issue') operations[n] = d.operations.get(e.operation)
      else after[n] = copy(d.context.agents[s.index]!.knowledge)
    })
    d.barriers.forEach((b, n) => {
      if (b.number > counts[n]! && b.last !== undefined)
        completed.push({ barrier: n, generation: b.number - 1, message: b.last.message })
      counts[n] = b.number
    })
  })
  const seen = sides.map((side, n): Seen => {
    const operation = operations[n]
    return {
      side,
      index: positions[n]!,
      operation,
      done: operation === undefined ? after[n] : doneKnowledge(operation),
    }
  })
  // The log may hold the accesses against the order that the edge demands. Then the one that stands first has to know the other.
  const [early, late] = sides[0] === finding.a ? [seen[0]!, seen[1]] : [seen[1]!, seen[0]]
  const gone = (h: Hypothesis): boolean => {
    let turned = false
    const j = replay(header, events, options, h.actions, (d, i) => {
      if (i !== early.index || late === undefined) return
      const e = events[i]!
      const op = e._tag === 'issue' ? d.operations.get(e.operation) : undefined
      turned = knows((op ?? d.context.agents[early.side.index]!).knowledge, late)
    })
    return turned || !present(j, finding)
  }
  const first = seen[0]!
  const orders: ReadonlyArray<readonly [Seen, Seen]> =
    other === undefined
      ? exits(header, events, finding, first)
      : [
          [first, seen[1]!],
          [seen[1]!, first],
        ]
  for (const kind of [fences, groupWaits, waits, movedArrives, newPairs]) {
    for (const [a, b] of orders) {
      for (const h of kind(header, events, options, finding, a, b, completed)) {
        if (gone(h)) return { kind: h.kind, text: h.text }
      }
    }
  }
  return byRule(finding)
}

/** An exit obligation: the second side is the end of some agent of the CTA. */
const exits = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Finding,
  first: Seen,
): ReadonlyArray<readonly [Seen, Seen]> =>
  header.agents.flatMap((_, x): ReadonlyArray<readonly [Seen, Seen]> => [
    [
      first,
      {
        side: {
          index: x,
          agent: agentName(header, x),
          site: 'its exit',
          path: [],
          iteration: [],
          at: finding.a.index === x ? Number.MAX_SAFE_INTEGER : 0x3fffffff,
          does: 'exits',
        },
        index: events.length,
        operation: undefined,
        done: undefined,
      },
    ],
  ])

type Kind = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  options: Options,
  finding: Finding,
  a: Seen,
  b: Seen,
  completed: ReadonlyArray<Completed>,
) => Iterable<Hypothesis>

const label = (s: Side): string => `\`${s.site}\` of ${s.agent}`

const fences: Kind = function* (header, events, _options, finding, a, b) {
  const places: ReadonlyArray<readonly [number, string]> =
    a.operation === undefined ? [[a.index + 1, `after ${label(a.side)}`]] : releases(header, events, a, b)
  if (finding.id === 'M8') {
    const behind: Action = {
      before: b.index,
      act: (d) => {
        applyFence(d.context, b.side.index, 'tensorAfter')
      },
    }
    const fronts = places.map(([where, place]): readonly [Action, string] => [
      {
        before: where,
        act: (d) => {
          applyFence(d.context, a.side.index, 'tensorBefore')
        },
      },
      `a before_thread_sync fence ${place}`,
    ])
    const after = `an after_thread_sync fence before ${label(b.side)}`
    yield { kind: 'fence', text: after, actions: [behind] }
    for (const [front, text] of fronts) {
      yield { kind: 'fence', text, actions: [front] }
      yield { kind: 'fence', text: `${text} and ${after}`, actions: [front, behind] }
    }
    return
  }
  for (const [name, text] of fenceNames(finding)) {
    const at = (where: number, x: number): ReadonlyArray<Action> => [
      {
        before: where,
        act: (d) => {
          applyFence(d.context, x, name)
        },
      },
    ]
    for (const [where, place] of places)
      yield { kind: 'fence', text: `${text} ${place}`, actions: at(where, a.side.index) }
    yield { kind: 'fence', text: `${text} before ${label(b.side)}`, actions: at(b.index, b.side.index) }
  }
}

const isRelease = (e: LogEvent): boolean =>
  (e._tag === 'barrier' && (e.kind === 'arrive' || e.kind === 'drop')) ||
  (e._tag === 'rendezvous' && e.kind === 'arrive')

/** Places right before what the agent of `a` releases between a and b, the first eight. */
const releases = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  a: Seen,
  b: Seen,
): ReadonlyArray<readonly [number, string]> => {
  const places: Array<readonly [number, string]> = []
  const x = a.side.index
  for (let i = a.index + 1; i < Math.min(events.length, b.index + 1) && places.length < 8; i++) {
    const e = events[i]!
    if (!isRelease(e) || stampOf(e)?.agent !== x) continue
    const site = e._tag === 'barrier' || e._tag === 'rendezvous' ? e.stamp.site : 0
    places.push([i, `before \`${header.sites[site]?.label ?? String(site)}\` of ${agentName(header, x)}`])
  }
  return places
}

const groupWaits: Kind = function* (header, events, _options, _finding, a, b) {
  const op = a.operation
  if (op === undefined) return
  const family = familyOf(op.unit)
  if (family === undefined) return
  const x = a.side.index
  const places: ReadonlyArray<readonly [number, string]> =
    b.side.index === x ? [[b.index, `before ${label(b.side)}`]] : releases(header, events, a, b)
  for (const [where, place] of places) {
    for (const read of family === 'bulk' ? [true, false] : [false]) {
      yield {
        kind: 'group-wait',
        text: `a ${family} group wait that covers ${label(a.side)}${read ? ' (reads)' : ''}, ${place}`,
        actions: [
          {
            before: where,
            act: (d) => {
              const agent = d.context.agents[x]!
              awaitGroup(agent, x, family, mayLeaveOpen(agent, op), read)
            },
          },
        ],
      }
    }
  }
}

const receiveAll = (d: Detector, agent: number, k: Knowledge): void => {
  const a = d.context.agents[agent]!
  join(a.knowledge, k)
  joinVector(a.received, k.tensor)
}

const waits: Kind = function* (header, _events, _options, _finding, a, b, completed) {
  let tried = 0
  for (const c of completed) {
    if (tried >= 12) return
    if (!knows(c.message, a) || isCycle(c.message, b)) continue
    tried++
    yield {
      kind: 'wait',
      text: `a wait for generation ${String(c.generation)} of ${barrierName(header, c.barrier)} before ${label(b.side)}`,
      actions: [
        {
          before: b.index,
          act: (d) => {
            receiveAll(d, b.side.index, c.message)
          },
        },
      ],
    }
  }
}

const movedArrives: Kind = function* (header, events, options, _finding, a, b) {
  const op = a.operation
  if (op === undefined) return
  const x = a.side.index
  // when does the issuer know that it is done?
  const later: Array<Knowledge> = []
  const place: Array<string> = []
  replay(header, events, options, [], (d, i) => {
    const e = events[i]!
    const s = stampOf(e)
    if (later.length > 0 || i <= a.index || s === undefined || s.agent !== x) return
    const k = d.context.agents[x]!.knowledge
    if (knows(k, a)) {
      later.push(copy(k))
      const site = 'stamp' in e ? e.stamp.site : 0
      place.push(header.sites[site]?.label ?? String(site))
    }
  })
  const known = later[0]
  if (known === undefined || isCycle(known, b)) return
  let tried = 0
  for (let i = a.index + 1; i < events.length && tried < 12; i++) {
    const e = events[i]!
    if (e._tag !== 'barrier' || e.kind !== 'arrive' || e.stamp.agent !== x) continue
    tried++
    yield {
      kind: 'arrive',
      text: `the arrive \`${header.sites[e.stamp.site]?.label ?? String(e.stamp.site)}\` of ${agentName(header, x)} on ${barrierName(header, e.barrier)} moved behind \`${place[0] ?? ''}\``,
      actions: [
        {
          before: i,
          act: (d) => {
            join(d.barriers[e.barrier]!.current.message, known)
          },
        },
      ],
    }
  }
}

const newPairs: Kind = function* (_header, _events, _options, _finding, a, b) {
  const done = a.done
  if (done === undefined || isCycle(done, b)) return
  yield {
    kind: 'arrive-wait',
    text: `an arrive when ${label(a.side)} is done, and a wait for it before ${label(b.side)}`,
    actions: [
      {
        before: b.index,
        act: (d) => {
          receiveAll(d, b.side.index, done)
        },
      },
    ],
  }
}
