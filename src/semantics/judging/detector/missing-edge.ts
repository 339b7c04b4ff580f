/**
 * The smallest missing edge: what to add so that a finding disappears.
 *
 * The log is judged again with one hypothesis put in (`candidate-edges.ts`: fence, group wait, commit, arrive that was not counted, wait, arrive that releases, moved arrive, new pair, in this
 * order), and the first hypothesis under which the finding is gone wins.
 *
 *     log         write x by P; issue of a store of x by P              P1
 *     fence       after `write x`, judged again                        gone: that is the edge
 *
 * Where the two are in order, but over a relaxed arrive alone, which `strict` does not take for an order, the arrive that releases comes first.
 *
 * A finding whose cause is no edge (bytes that do not add up, a wait that is not supplied) is answered by its id:
 *
 * | id              | answer                                                                                   |
 * |-----------------|------------------------------------------------------------------------------------------|
 * | B1, B3          | a warp barrier, where lanes lack it; a wait for the release that should have held the later arrival back (`missing-wait.ts`); a handshake between the two |
 * | B2              | the same wait, or one for the barrier itself                                             |
 * | B4              | bytes                                                                                    |
 * | B5, B6          | an arrive                                                                                |
 * | B9              | a fence of initialisations by the agent that initialises                                 |
 * | B7              | a block barrier between initialisation and use, where that mends it                      |
 * | B8, U1          | a wait for what was skipped                                                              |
 * | K1              | a cluster barrier before the end                                                         |
 * | D3              | what their announcement lacks, where one tells the other of itself by a word of memory; that both be atomic, where one is |
 * | W               | first of all a wait for the reader's release, if it is not waited for in time, or the wait before was for another slot |
 *
 * Laws
 * 1. Judged with the edge, the finding is gone (that is how it was chosen), but for the answers by id.
 * 2. No kind earlier in the table makes it disappear.
 *
 * Cost: one pass over the log per hypothesis tried. The log has to be kept for this, and for nothing else.
 */
import type {
  Diagnosis,
  Finding,
  HazardId,
  Judgement,
  MissingEdge,
  Operation as Side,
  Remedy,
} from '../finding.js'
import { warpSyncs } from './candidate-syncs.js'
import { hazards } from '../hazards.js'
import { isSameDeed, type Deed } from '../deed.js'
import { ofBarrier, ofRendezvous, type FenceName } from '../subject.js'
import { wordsOf } from './words.js'
import { isOfSingles, type Access, type Header, type LogEvent } from '../../log/events.js'
import type { Completed, Hypothesis, Kind, Seen } from './candidate-edges.js'
import {
  commits,
  doneKnowledge,
  exitSite,
  fences,
  groupCommits,
  groupWaits,
  isCycle,
  knows,
  label,
  lateArrives,
  movedArrives,
  newPairs,
  placeOf,
  receiveAll,
  released,
  uncounted,
  waitFor,
  waitText,
  waits,
  waitsElsewhere,
} from './candidate-edges.js'
import { told } from './generation.js'
import type { Knowledge } from './knowledge.js'
import { copy } from './knowledge.js'
import type { Operation } from './operation.js'
import { indexOf, replay, replayUntil } from './replay.js'
import { agentName, barrierName, type Actor, type Draft, type Report } from './report.js'
import type { Options } from './rules.js'
import { bites, defaults } from './rules.js'
import type { Release } from './missing-wait.js'
import {
  earlyRelease,
  hasSilentRelease,
  isRingHeard,
  isUnheard,
  mistakenWait,
  releaseBefore,
  releaseOf,
  silentPartner,
} from './missing-wait.js'

// ---------------------------------------------------------------- what is gone

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

/**
 * Is the report sure to have the finding when the log ends? It is from the moment when something bad is filed between the same two events: what is
 * filed stays, and so does its place, whatever its id comes to be.
 */
const foundAgain = (f: Finding, options: Options): ((r: Report) => boolean) => {
  let looked = 0
  const isAt = (actor: Actor, side: Side): boolean =>
    actor.stamp.agent === side.index && actor.stamp.at === side.at
  return ({ drafts }) => {
    const { b } = f
    if (b === undefined || drafts.size === looked) return false
    looked = drafts.size
    return [...drafts.values()].some(
      (d) => d.b !== undefined && bites(d.severity, options) && isAt(d.a, f.a) && isAt(d.b, b),
    )
  }
}

/** Where the judgement of the log has the finding. */
const draftOf = (r: Report, f: Diagnosis): Draft | undefined => {
  const isOf = (actor: Actor | undefined, side: Side | undefined, deed: Deed | null): boolean => {
    if (actor === undefined || side === undefined) return actor === side
    const { agent, at } = actor.stamp
    return agent === side.index && at === side.at && deed !== null && isSameDeed(actor.deed, deed)
  }
  return [...r.drafts.values()].find((d) => isOf(d.a, f.a, f.deeds.a) && isOf(d.b, f.b, f.deeds.b))
}

// ---------------------------------------------------------------- the search

/** The id says what is missing, also without a log. */
export const isAnsweredById = (f: Finding): boolean => {
  const { answer } = hazards[f.id]
  return answer === 'always' || answer === 'at least' || (answer === 'of one operation' && f.b === undefined)
}

/** The log may say more than the id does, and nothing is judged again for that. */
export const isAnsweredBetter = (f: Finding): boolean => hazards[f.id].answer === 'at least'

const edge = (kind: MissingEdge['kind'], text: string, about: Remedy['about'] = []): Remedy => ({
  kind,
  text,
  about,
})
const remedy = ({
  kind,
  text,
  about,
  generation,
  after,
  before,
  ahead,
  lacks,
  moves,
}: Hypothesis): Remedy => {
  const made: { -readonly [K in keyof Remedy]: Remedy[K] } = { kind, text, about }
  if (generation !== undefined) made.generation = generation
  if (after !== undefined) made.after = after
  if (before !== undefined) made.before = before
  if (ahead !== undefined) made.ahead = ahead
  if (lacks !== undefined) made.lacks = lacks
  if (moves !== undefined) made.moves = moves
  return made
}

/** A product's fence that is there, with the write of the register after it: the fence was meant to come after the write. */
const movedBehind = (events: ReadonlyArray<LogEvent>, { a }: Diagnosis): boolean => {
  let fenced = false
  for (const e of events) {
    if (!('stamp' in e) || e.stamp.agent !== a.index) continue
    if (e.stamp.at >= a.at) return fenced
    if (e._tag === 'fence' && e.kind === 'wgmma') fenced = true
    if (e._tag === 'issue' && e.unit === 'wgmma') fenced = false
  }
  return fenced
}

const isOfFence = ({ about }: Remedy, fence: FenceName): boolean =>
  about.some((s) => s._tag === 'fence' && s.fence === fence)

/** Accesses of an agent, from one event of it up to another, with their places in the log. */
const accesses = (
  events: ReadonlyArray<LogEvent>,
  agent: number,
  from: number,
  to: number,
): ReadonlyArray<readonly [Access, number]> =>
  events.flatMap((e, i) =>
    e._tag === 'access' && e.stamp.agent === agent && e.stamp.at >= from && e.stamp.at < to
      ? [[e, i] as const]
      : [],
  )

const shareWord = (x: Access, y: Access): boolean =>
  x.footprint.plane === y.footprint.plane &&
  wordsOf(x.footprint).some((byte) => wordsOf(y.footprint).includes(byte))

/**
 * How the one announces itself behind `x` by a word that the other reads atomically before `y`.
 *
 * | heard   | in this log the atomic operation is read after it was made: only the order can be missing |
 * | plainly | the same of a store that is not atomic                                                     |
 * | early   | the atomic operation that is read is made before `x`: it may have been meant to announce it  |
 * | late    | in this log it is made after all such reads: an order would change nothing                 |
 */
type Announcement =
  | { readonly _tag: 'heard' }
  | { readonly _tag: 'plainly'; readonly store: Access }
  | { readonly _tag: 'early'; readonly word: Access }
  | { readonly _tag: 'late' }

const announcement = (events: ReadonlyArray<LogEvent>, x: Side, y: Side): Announcement | undefined => {
  const told = accesses(events, x.index, x.at, Infinity).filter(
    ([e]) => e.rw === 'w' && (e.atomic || e.stamp.at > x.at),
  )
  const heard = accesses(events, y.index, -1, y.at).filter(([e]) => e.rw === 'r' && e.atomic)
  const pairs = told.flatMap((w) => heard.flatMap((r) => (shareWord(w[0], r[0]) ? [{ w, r }] : [])))
  const inTime = pairs.filter(({ w, r }) => w[1] < r[1])
  if (inTime.some(({ w }) => w[0].atomic)) return { _tag: 'heard' }
  const plain = inTime.find(({ w }) => !w[0].atomic)
  if (plain !== undefined) return { _tag: 'plainly', store: plain.w[0] }
  // an atomic operation that races itself is no announcement of anything before it
  if (pairs.some(({ w }) => w[0].atomic && w[0].stamp.at > x.at)) return { _tag: 'late' }
  const early = accesses(events, x.index, -1, x.at).filter(([e]) => e.rw === 'w' && e.atomic)
  const word = early.filter((w) => heard.some((r) => shareWord(w[0], r[0]) && w[1] < r[1])).at(-1)
  return word === undefined ? undefined : { _tag: 'early', word: word[0] }
}

/** D3: the blocks are to be ordered by a word of memory, which is not enough of an order, or comes too late. */
const announced = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  { id, a, b }: Diagnosis,
): Remedy | undefined => {
  if (id !== 'D3' || b === undefined) return undefined
  const found = (
    [
      [a, b],
      [b, a],
    ] as const
  ).flatMap(([x, y]) => {
    const how = announcement(events, x, y)
    return how === undefined ? [] : [{ how, x, y }]
  })
  const best = (['heard', 'plainly', 'late', 'early'] as const)
    .flatMap((tag) => found.filter(({ how }) => how._tag === tag))
    .at(0)
  if (best === undefined) return undefined
  const { how, x, y } = best
  switch (how._tag) {
    case 'heard':
      return {
        kind: 'fence',
        after: x === a ? 'a' : 'b',
        before: x === a ? 'b' : 'a',
        text: `add a fence of memory at the scope of the GPU after ${label(x)}, before the atomic operation that announces it; and one before ${label(y)}, after the atomic operation that reads the announcement`,
        about: [],
        fence: 'threads',
      }
    case 'plainly':
      return edge(
        'none-found',
        `make \`${header.sites[how.store.stamp.site]?.label ?? ''}\` an atomic operation that releases: it announces ${label(x)}, and an atomic operation before ${label(y)} reads it`,
      )
    case 'early': {
      const count = `\`${header.sites[how.word.stamp.site]?.label ?? ''}\``
      return edge(
        'none-found',
        `move ${count} after ${label(x)}, if it announces it: here it comes before it. If it does not, give the two blocks different bytes`,
      )
    }
    case 'late':
      return edge(
        'none-found',
        `let ${label(y)} wait until the other block has announced ${label(x)}: here it announces it after all atomic operations before ${label(y)}. If these count blocks, they must count all that announce`,
      )
  }
}

/** D3 of a word: of the two accesses one is atomic. */
const halfAtomic = (
  events: ReadonlyArray<LogEvent>,
  { a, b }: Diagnosis,
): { readonly plain: Side; readonly atomic: Side } | undefined => {
  if (b === undefined) return undefined
  const isAtomic = (side: Side): boolean =>
    accesses(events, side.index, side.at, side.at + 1).some(([e]) => e.atomic)
  if (isAtomic(a) === isAtomic(b)) return undefined
  return isAtomic(a) ? { plain: b, atomic: a } : { plain: a, atomic: b }
}

const readsOutput = (header: Header, f: Diagnosis): boolean =>
  f.about.some((s) => {
    const plane = s._tag === 'plane' ? header.planes[s.plane] : undefined
    return plane?.space === 'gmem' && plane.output
  })

/** The barriers that it is about. */
const namesOf = (header: Header, { about }: Diagnosis): string =>
  about.flatMap((s) => (s._tag === 'barrier' ? [barrierName(header, s.barrier)] : [])).join(', ')

/** Agents of whom any could end a wait. */
const mostNamed = 3

/** A wait that nothing ends: what is to be signalled, and which agents could. */
const supplyText = (header: Header, f: Diagnosis): string => {
  const { supply } = f
  const act = supply?.act ?? `signal ${namesOf(header, f)}`
  if (supply !== undefined && supply.bytes < 0 && supply.ahead.length === 0 && supply.round.length === 0)
    return `${act} before the copy, so that ${label(f.a)} can pass: the bytes have arrived, and nothing expects them`
  if (f.id === 'B6')
    return supply === undefined || supply.round.length === 0
      ? `${act} once after its initialisation, or start ${label(f.a)} with the other phase`
      : `start one of the waits of the cycle with the other phase: ${[label(f.a), ...supply.round].join(', or ')} (in a ring of buffers: the wait for an empty buffer); or ${act} once after its initialisation`
  if (supply === undefined) return `${act}, so that ${label(f.a)} can pass`
  if (supply.ahead.length > 0)
    return `move ${supply.ahead[0]!} before the wait that blocks it, or ${act} somewhere else: ${label(f.a)} waits for it`
  return supply.suppliers.length === 0
    ? `let another agent ${act}: none does so in this run`
    : `let ${supply.suppliers.slice(0, mostNamed).join(' or ')} ${act} once more, or wait one time less at ${label(f.a)}`
}

/** Bytes that do not add up: by how many, where that is known. */
const bytesText = ({ b, supply }: Diagnosis): string => {
  if (b === undefined || supply === undefined || supply.bytes === 0)
    return 'make the bytes expected equal to the bytes delivered, and expect them before the arrival that they belong to'
  const { bytes } = supply
  const [expect, copy] = bytes > 0 ? ['fewer', 'more'] : ['more', 'fewer']
  return `expect ${String(Math.abs(bytes))} bytes ${expect} in ${label(b)}, or copy as many bytes ${copy}`
}

/** The finding has a cause that is not an edge; the id says what to do. */
const byRule = (header: Header, events: ReadonlyArray<LogEvent>, f: Diagnosis): Remedy => {
  switch (f.id) {
    case 'B1':
      return edge(
        'arrive-wait',
        `add an arrive of ${f.a.agent} after ${label(f.a)}, and a wait for it before ${f.b === undefined ? 'the generation after the next' : label(f.b)}`,
      )
    case 'B3':
      return edge(
        'arrive-wait',
        `order ${label(f.a)} and ${f.b === undefined ? 'the next arrival' : label(f.b)}: add an arrive after the one and a wait for it before the other; or let one generation count both`,
      )
    case 'D3': {
      const half = halfAtomic(events, f)
      const [other, nothing] = isOfSingles(header)
        ? ['block', 'nothing orders the blocks of a grid']
        : ['cluster', 'nothing orders clusters']
      return edge(
        'none-found',
        half === undefined
          ? `give ${label(f.a)} and the other ${other} different bytes, or use atomic operations: ${nothing}`
          : `make ${label(half.plain)} an atomic operation, as ${label(half.atomic)} is, or order the two: ${nothing}. If the word counts blocks, it must count all of them before it is reset`,
      )
    }
    case 'O1':
      return edge('none-found', 'write these bytes before the kernel ends, or make the output smaller')
    case 'M7':
      return edge('none-found', 'issue it once, by one agent of the even CTA, before either CTA exits')
    case 'T4':
    case 'T5':
      return edge(
        'none-found',
        'allocate and free the same columns in both CTAs of the pair, in the same order',
      )
    case 'K1':
      return edge(
        'arrive-wait',
        'add a cluster barrier (an arrive of every CTA, and a wait for it) after this, before any of them exits',
        [ofRendezvous('cluster')],
      )
    case 'K2':
      return edge('arrive', 'let every CTA of the cluster arrive')
    case 'K4':
      return edge(
        'arrive-wait',
        `add a cluster barrier (an arrive of every CTA, and a wait for it) ${f.b === undefined ? '' : `after ${label(f.b)} and `}before ${label(f.a)}`,
        [ofRendezvous('cluster')],
      )
    case 'N1':
      return edge(
        'arrive-wait',
        `if the order matters, add an arrive when ${label(f.a)} is done, and a wait for it before ${f.b === undefined ? 'the other' : label(f.b)}`,
      )
    case 'N2':
      return edge(
        'arrive-wait',
        `use an arrive that releases, and a wait that acquires, between ${label(f.a)} and ${f.b === undefined ? 'the exit' : label(f.b)}`,
      )
    case 'N3':
      return edge(
        'arrive-wait',
        `add a commit after ${label(f.a)}, and a wait for it before ${f.b === undefined ? 'the other' : label(f.b)}`,
      )
    case 'N5':
      return edge(
        'none-found',
        `execute ${label(f.a)} by all threads of the warp, before any of them exits; or use a barrier without .aligned`,
      )
    case 'A2':
      return edge('none-found', `execute ${label(f.a)} in all warps of the warpgroup`)
    case 'T1':
      return edge('none-found', `add a tcgen05.dealloc of the columns that ${label(f.a)} allocates`)
    case 'B4':
      return edge('bytes', bytesText(f))
    case 'B5':
    case 'B6':
      return edge('arrive', supplyText(header, f), f.about)
    case 'B8':
      return edge('wait', `let ${f.a.agent} wait for every generation of ${namesOf(header, f)}`, f.about)
    case 'U1':
      return edge(
        'wait',
        `wait for the last completion of ${namesOf(header, f)} before it is invalidated and before the kernel ends`,
        f.about,
      )
    case 'I1':
    case 'M6': {
      const text = `write these bytes before ${label(f.a)}: nothing in this run does`
      return edge(
        'none-found',
        readsOutput(header, f)
          ? `${text}; if the caller fills them before the launch, give the tensor the role inout`
          : text,
      )
    }
    case 'I2':
      return edge(
        'none-found',
        `keep ${label(f.a)} within this memory: leave out the elements past its end (a mask, or an \`if\`), launch with as many bytes as the kernel uses, or compute an offset that wraps round in 64 bits`,
      )
    case 'B7':
      return edge(
        'none-found',
        'initialise the barrier once, and synchronise with every user before its first use; invalidate it after its last use, and synchronise again before its bytes are reused',
      )
    case 'V3':
      return edge(
        'none-found',
        'use an ordinary load: no `__ldg()`, and no `const __restrict__` pointer to memory that the kernel writes',
      )
    default:
      return edge('none-found', 'no single fence, wait or arrive fixes this')
  }
}

/** A race of lanes of one instruction. */
export const isOfOneInstruction = ({ id, a, b }: Diagnosis): boolean =>
  (id === 'D5' || id === 'D6') &&
  b !== undefined &&
  a.index === b.index &&
  a.at === b.at &&
  a.site === b.site &&
  a.operation === b.operation

/** The id is one that lanes can be the cause of: races of clusters that run together, and arrivals in another generation. */
export const canBeOfLanes = (id: HazardId): boolean =>
  hazards[id].outside === 'clusters apart' || hazards[id].answer === 'at least'

/** Between threads of warps that one log has together. */
const isOfLanes = (events: ReadonlyArray<LogEvent>, { id, a, b }: Diagnosis): boolean =>
  canBeOfLanes(id) &&
  b !== undefined &&
  [a, b].some((side) =>
    events.some(
      (e) =>
        'stamp' in e && e.stamp.agent === side.index && e.stamp.at === side.at && e.stamp.lanes !== undefined,
    ),
  )

/**
 * The smallest missing edge of a finding of this log. `events` is the whole log; `options` those of the judgement that
 * made the finding.
 */
export const explain = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Diagnosis,
  options: Options = defaults,
): Remedy => {
  const other = finding.b
  const sides = other === undefined ? [finding.a] : [finding.a, other]
  if (isOfOneInstruction(finding))
    return edge(
      'none-found',
      'give each lane a place of its own: one instruction writes all of them, in no order',
    )
  const answered = isAnsweredById(finding)
  const fenced = announced(header, events, finding)
  if (fenced !== undefined && !isOfLanes(events, finding)) return fenced
  // lanes that have not met those that synchronise can be the cause
  if (answered && !isOfLanes(events, finding))
    return heldBack(header, events, finding) ?? byRule(header, events, finding)

  // first pass: where the sides are, what they do, what their completion carries, which generations complete
  let report: Report | undefined
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
        completed.push({ barrier: n, generation: b.number - 1, message: told(b.last), index: i })
      counts[n] = b.number
    })
    if (i === events.length - 1) report = d.context.report
  })
  const draft = report === undefined ? undefined : draftOf(report, finding)
  const actors = [draft?.a, draft?.b]
  const both = sides.map((side, n): Seen => {
    const operation = operations[n]
    return {
      side,
      writes: actors[n]?.deed._tag === 'writes',
      index: positions[n]!,
      operation,
      done: operation === undefined ? after[n] : doneKnowledge(operation),
    }
  })
  // a read that stands first in the log was meant behind the write
  const turnedRound = hazards[finding.id].writeFirst === true && !both[0]!.writes
  const seen = turnedRound ? [...both].reverse() : both
  // The log may hold the accesses against the order that the edge demands. Then the one that stands first has to know the other.
  const early = both[0]!
  const late = both[1]
  const gone = (h: Hypothesis): boolean => {
    let turned = false
    const found = foundAgain(finding, options)
    const j = replayUntil(header, events, options, h.actions, (d, i) => {
      if (i === early.index && late !== undefined) {
        const e = events[i]!
        const op = e._tag === 'issue' ? d.operations.get(e.operation) : undefined
        turned = knows((op ?? d.context.agents[early.side.index]!).knowledge, late)
      }
      return i >= early.index && (turned || found(d.context.report))
    })
    return turned || (j !== null && !present(j, finding))
  }
  const first = seen[0]!
  const second = seen[1]
  if (second !== undefined) {
    if (finding.id === 'B2') return overArrival(header, events, completed, second)
    if (finding.id === 'B7') {
      const h = blockBarrier(first, second)
      return gone(h) ? remedy(h) : byRule(header, events, finding)
    }
    if (hazards[finding.id].overwrites) {
      const h = unheardRelease(header, events, finding, completed, seen)
      if (h !== undefined && (h.actions.length === 0 || gone(h))) return remedy(h)
      for (const other of otherIndex(header, events, completed, seen)) if (gone(other)) return remedy(other)
    }
  }
  const orders: ReadonlyArray<readonly [Seen, Seen]> =
    other === undefined ? exits(header, events, finding, first) : bothWays(first, seen[1]!)
  const restsOnRelaxed = draft !== undefined && report?.byManual.has(draft) === true
  const tried = answered ? [warpSyncs] : restsOnRelaxed ? [released, ...kinds] : kinds
  // what was overwritten was read, so the reader came first
  const inOrder: ReadonlyArray<readonly [Kind, readonly [Seen, Seen]]> =
    hazards[finding.id].overwrites === true
      ? orders.flatMap((order) => tried.map((kind) => [kind, order] as const))
      : tried.flatMap((kind) => orders.map((order) => [kind, order] as const))
  for (const [kind, [a, b]] of inOrder)
    for (const h of kind(header, events, options, finding, a, b, completed)) {
      if (!gone(h)) continue
      const found = remedy(h)
      return isOfFence(found, 'wgmma') && movedBehind(events, finding)
        ? Object.assign({ moved: true as const }, found)
        : found
    }
  return fenced ?? heldBack(header, events, finding) ?? byRule(header, events, finding)
}

/** Kinds of hypotheses, in the order of the table. */
const kinds: ReadonlyArray<Kind> = [
  warpSyncs,
  fences,
  groupCommits,
  groupWaits,
  commits,
  uncounted,
  waits,
  released,
  movedArrives,
  lateArrives,
  waitsElsewhere,
  newPairs,
]

/** In which order the two may have been meant: of one agent's, as its program says. */
const bothWays = (a: Seen, b: Seen): ReadonlyArray<readonly [Seen, Seen]> =>
  a.side.index !== b.side.index
    ? [
        [a, b],
        [b, a],
      ]
    : a.side.at <= b.side.at
      ? [[a, b]]
      : [[b, a]]

// ---------------------------------------------------------------- edges that an id asks for

/** The generation of a barrier that is under way at this point of the log. */
const generationAt = (completed: ReadonlyArray<Completed>, barrier: number, index: number): number => {
  const before = completed.filter((c) => c.barrier === barrier && c.index < index)
  return before.length === 0 ? 0 : before[before.length - 1]!.generation + 1
}

const nothingWaits = '; nothing waits for it now'

const unheardText = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  completed: ReadonlyArray<Completed>,
  r: Release,
  before: Side,
): string => {
  const now = isUnheard(events, r.barrier) ? nothingWaits : ''
  return `${waitText(header, r.barrier, generationAt(completed, r.barrier, r.index))} before ${label(before)}${now}`
}

/**
 * W: the release by the agent that read the bytes, if no wait hears it. Judged again where the log has what it tells; without actions where
 * in this log it comes behind the write, because the reader has read the wrong contents.
 */
const unheardRelease = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Finding,
  completed: ReadonlyArray<Completed>,
  seen: ReadonlyArray<Seen>,
): Hypothesis | undefined => {
  const [a, b] = seen[1]!.writes ? [seen[0]!, seen[1]!] : [seen[1]!, seen[0]!]
  const release = releaseBefore(header, events, finding, a.side, a.writes, b.side)
  if (release === undefined) {
    const own = a.operation?.parts.find((p) => p.barrier >= 0)?.barrier
    const waited =
      own === undefined || a.side.index !== b.side.index
        ? undefined
        : earlyRelease(header, events, a.side, b.side, own)
    // what was waited for may have been for another copy, and the wait for this one be left out
    const early =
      own !== undefined && waited?.spent === true && hasSilentRelease(header, events, own)
        ? undefined
        : waited
    if (early?.arrive === null)
      return {
        kind: 'wait',
        text: `${waitText(header, early.barrier, 0)} before ${label(b.side)}: \`${header.sites[early.wait]?.label ?? ''}\` passes one phase too early`,
        about: [ofBarrier(early.barrier)],
        actions: [],
      }
    if (early !== undefined)
      return {
        kind: 'arrive',
        text: `move the arrive \`${header.sites[early.arrive]?.label ?? ''}\` on ${barrierName(header, early.barrier)} after the statement that reads the bytes of ${label(a.side)}`,
        moves: placeOf(header, early.arrive),
        about: [ofBarrier(early.barrier)],
        actions: [],
      }
    const partner = own === undefined || !a.writes ? undefined : silentPartner(header, events, own)
    return partner === undefined
      ? undefined
      : {
          kind: 'wait',
          text: `wait for ${barrierName(header, partner)} before ${label(b.side)}${nothingWaits}`,
          about: [ofBarrier(partner)],
          actions: [],
        }
  }
  const generation = generationAt(completed, release.barrier, release.index)
  const told = completed.find((c) => c.barrier === release.barrier && c.generation === generation)
  const text = unheardText(header, events, completed, release, b.side)
  const about = [ofBarrier(release.barrier)]
  return told === undefined || isCycle(told.message, b)
    ? { kind: 'wait', text, about, actions: [] }
    : {
        kind: 'wait',
        text,
        about,
        actions: waitFor(header, b, release.barrier, generation, told.message).actions,
      }
}

/** W: the writer has waited for another slot than it fills. */
const otherIndex = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  completed: ReadonlyArray<Completed>,
  seen: ReadonlyArray<Seen>,
): ReadonlyArray<Hypothesis> => {
  const [a, b] = seen[1]!.writes ? [seen[0]!, seen[1]!] : [seen[1]!, seen[0]!]
  const own = b.operation?.parts.find((p) => p.barrier >= 0)?.barrier
  const wait = own === undefined ? undefined : mistakenWait(header, events, b.side, own)
  if (wait === undefined) return []
  const label = header.sites[wait.site]?.label ?? ''
  return completed
    .filter((c) => c.barrier === wait.barrier && knows(c.message, a) && !isCycle(c.message, b))
    .slice(0, 4)
    .map((c) => {
      const h = waitFor(header, b, c.barrier, c.generation, c.message)
      return {
        kind: h.kind,
        text: `${h.text}, instead of what \`${label}\` waits for`,
        about: h.about,
        actions: h.actions,
      }
    })
}

/** A wait for a barrier that nothing waits for, where the log does not say for which of its generations. */
const silentWait = (header: Header, barrier: number, before: Side): Remedy =>
  edge('wait', `wait for ${barrierName(header, barrier)} before ${label(before)}${nothingWaits}`, [
    ofBarrier(barrier),
  ])

/** A release at which no agent has arrived: the barrier of another ring that goes with this one, if nothing waits for any of that ring. */
const partnerOf = (header: Header, events: ReadonlyArray<LogEvent>, barrier: number): number | undefined => {
  const partner = hasSilentRelease(header, events, barrier)
    ? silentPartner(header, events, barrier)
    : undefined
  return partner === undefined || isRingHeard(header, events, partner) ? undefined : partner
}

/** B1, B3: what should have held the arrival back that comes too early. Where a waiter is named, it is the one that has to say what it has seen. */
const heldBack = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Diagnosis,
): Remedy | undefined => {
  const { a, b, about } = finding
  const on = about.find((s) => s._tag === 'barrier')
  if (!isAnsweredBetter(finding) || b === undefined || on === undefined) return undefined
  // without a log nothing is known of the waits
  if (!isRingHeard(header, events, on.barrier)) return undefined
  const isWait = (side: Side): boolean => events[indexOf(events, side)]?._tag === 'wait'
  const [arrival, waiter] = isWait(b) ? [a, b] : [b, isWait(a) ? a : undefined]
  const release = releaseOf(header, events, on.barrier, arrival, waiter)
  const barrier = release?.barrier ?? partnerOf(header, events, on.barrier)
  return barrier === undefined ? undefined : silentWait(header, barrier, arrival)
}

/** B2: what should have held the arrival back. */
const overArrival = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  completed: ReadonlyArray<Completed>,
  extra: Seen,
): Remedy => {
  const id = extra.operation?.id
  const at = events.find((e, i) =>
    id === undefined ? i === extra.index : e._tag === 'signal' && e.operation === id && e.to === 'arrive',
  )
  if (at === undefined || !('barrier' in at))
    return edge('none-found', 'remove one arrival, or increase the count of the barrier')
  const wait = `${waitText(header, at.barrier, generationAt(completed, at.barrier, extra.index))} before ${label(extra.side)}`
  const orCount = ', or use fewer arrivals or a larger count'
  if (isUnheard(events, at.barrier))
    return edge('wait', `${wait}${orCount}${nothingWaits}`, [ofBarrier(at.barrier)])
  const release = releaseOf(header, events, at.barrier, extra.side)
  if (release !== undefined)
    return edge('wait', unheardText(header, events, completed, release, extra.side), [
      ofBarrier(release.barrier),
    ])
  const partner = partnerOf(header, events, at.barrier)
  return partner === undefined
    ? edge('wait', `${wait}${orCount}`, [ofBarrier(at.barrier)])
    : silentWait(header, partner, extra.side)
}

/** B7: everybody learns of the initialisation. */
const blockBarrier = (init: Seen, use: Seen): Hypothesis => {
  const done = init.done
  return {
    kind: 'arrive-wait',
    text: `add a block barrier (bar.sync, or an arrive and a wait) between ${label(init.side)} and ${label(use.side)}`,
    about: [],
    actions:
      done === undefined
        ? []
        : [
            {
              before: use.index,
              act: (d) => {
                receiveAll(d, use.side.index, done)
              },
            },
          ],
  }
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
          site: exitSite,
          path: [],
          iteration: [],
          at: finding.a.index === x ? Number.MAX_SAFE_INTEGER : 0x3fffffff,
          does: 'exits',
        },
        writes: false,
        index: events.length,
        operation: undefined,
        done: undefined,
      },
    ],
  ])
