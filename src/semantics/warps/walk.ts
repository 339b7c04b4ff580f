/**
 * The walk of a warp: from one effect to the next.
 *
 * Lanes that are together take one instruction after the other; a branch parts them, a join brings them together again (`state.ts`). What they compute
 * among themselves is silent. At an effect the walk stops: the warp is ready to do it, and goes on when it is told the result.
 *
 * Laws
 * 1. the walk depends on where the warp stands and on the results it is given: not on what other agents do meanwhile.
 * 2. lanes that are never parted and lanes that are parted and meet again compute the same.
 * 3. where several parts wait, the turn of one of them leaves the others before their waits, with all that they hold.
 *
 * Source: PTX ISA, control flow; .aligned and .sync instructions.
 */
import type { Edit } from '../machine/cells.js'
import { endless, outOfFuel, spend } from '../machine/effort.js'
import { doesOf } from '../instructions/families.js'
import type { Prepared } from '../machine/operation.js'
import type { Meeting } from '../log/events.js'
import { agentState, type AgentState, type Groups, type Ready } from '../machine/state.js'
import * as V from '../machine/value.js'
import type { FaultValue, Value } from '../machine/value.js'
import { lacking } from '../machine/marks.js'
import type { Standpoint } from '../machine/front.js'
import type { World } from '../machine/world.js'
import { effectsOf, attends } from './effects.js'
import { exchangesIn } from './exchanges.js'
import { before } from './flight.js'
import { transpose, wholeWarp } from './effects/matrices.js'
import * as Absent from './absent.js'
import * as Fellows from './fellows.js'
import * as Lanes from './lanes.js'
import type { LinkedInstruction, WarpLaunch } from './launched.js'
import { receive, type Here } from './memory.js'
import { maskOf, operand } from './operands.js'
import {
  apart,
  endsAt,
  gatheringOf,
  isAligned,
  isOneMeeting,
  isOneMeetingOfLanes,
  loosely,
  looseness,
} from './meeting.js'
import { multiply } from './products.js'
import { partsOf } from '../machine/grouping.js'
import type { Part } from '../machine/warp-stand.js'
import {
  ofPredicate,
  type Computed,
  type Guard,
  type OfLanes,
  type Operation,
  type Place,
  type Row,
} from './program.js'
import { fieldsIn, unspecifiedIn } from './timing.js'
import { isOfLanes, usesOf } from './uses.js'
import { worksOf } from './works.js'
import * as Origins from './origins.js'
import {
  another,
  holding,
  lowest,
  owned,
  setLane,
  setLanes,
  setPredicate,
  wordAt,
  type Rows,
} from './rows.js'
import * as Arms from './arms.js'
import * as Wraps from './wraps.js'
import * as Shadows from './shadows.js'
import * as Silent from './silent.js'
import {
  frame,
  partBy,
  split,
  type Frame,
  type Split,
  type Synced,
  type Turns,
  type WarpStand,
} from '../machine/warp-stand.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

// ---------------------------------------------------------------- the walk

/** Lanes that are together, while they walk. */
interface Walking {
  pc: number
  mask: number
  frame: Frame | null
  turns: ReadonlyArray<number>
  now: Split['now']
  asked: number
}

interface Walk {
  readonly here: Here
  readonly launch: WarpLaunch
  readonly rows: Rows
  splits: Walking[]
  ended: number
  atCluster: number
  fromCluster: number
  attended: number
  ready: Ready | null
  rest: ReadonlyArray<Part>
  synced: ReadonlyArray<Synced>
  /** which of several parts that wait goes on, by its lanes; 0: it is not said, and the walk ends before them */
  turn: number
}

const siteAt = (w: Walk, s: Walking): number => w.launch.code[s.pc]?.instruction.site ?? 0

const iterationOf = (w: Walk, pc: number, turns: ReadonlyArray<number>): ReadonlyArray<number> =>
  (w.launch.program.loops[pc] ?? []).map((loop) => Math.max(0, turns[loop] ?? 0))

/**
 * What an instruction needs and nothing has written may be what hardware alone knows, or come from a byte of which some bits are written: then the program is not
 * wrong, and what follows is not known.
 */
const unsaid = (w: Walk, s: Walking): FaultValue | null => {
  const one = w.launch.code[s.pc]?.instruction
  if (one === undefined) return null
  const { reads } = usesOf(one.operation)
  const all = one.guard === null ? reads : [...reads, ofPredicate(one.guard.predicate)]
  const unknown = all.filter(
    (place) => ((place < 0 ? w.rows.unknownPredicates[-1 - place]! : w.rows.unknown[place]!) & s.mask) !== 0,
  )
  const among = (names: ReadonlyMap<Place, string>): string | undefined =>
    unknown.flatMap((place) => names.get(place) ?? [])[0]
  const name = among(unspecifiedIn(w.launch.program))
  if (name !== undefined)
    return V.fault('warp.unspecified', `${name} may be anything, and decides what happens here`)
  const field = among(fieldsIn(w.launch.program))
  return field === undefined
    ? null
    : V.fault(
        'warp.unspecified',
        `${field} decides what happens here, and which bits of a byte are written is not followed`,
      )
}

const stop = (w: Walk, s: Walking, found: FaultValue): void => {
  const fault = found.code === 'I1' ? (unsaid(w, s) ?? found) : found
  w.ready = { _tag: 'fault', fault, site: siteAt(w, s), iteration: iterationOf(w, s.pc, s.turns) }
}

// ---------------------------------------------------------------- parts and joins

/** Lanes come to `pc`: a part waits where it meets the others of its frame, unless it ends there. */
const arrive = (w: Walk, s: Walking, pc: number): boolean => {
  s.pc = pc
  const parks = s.frame !== null && !s.frame.called && s.frame.join === pc && !endsAt(w.launch.code, pc)
  if (parks) s.now = 'parked'
  return parks
}

/** The same, and the others of its frame are there already, perhaps. */
const comeTo = (w: Walk, s: Walking, pc: number): void => {
  if (arrive(w, s, pc)) meet(w)
}

/** The parts of a frame that are all there, or at their end, go on as one. */
const meet = (w: Walk): void => {
  for (let again = true; again;) {
    again = false
    for (const s of w.splits) {
      if (s.now !== 'parked' || s.frame === null) continue
      const whole = s.frame
      const parts = w.splits.filter((p) => p.now === 'parked' && p.frame === whole)
      const mask = parts.reduce((lanes, p) => lanes | p.mask, 0)
      if (mask !== (whole.mask & ~w.ended)) continue
      const joined: Walking = {
        pc: whole.join,
        mask,
        frame: whole.next,
        turns: latest(parts),
        now: 'running',
        asked: askedIn(parts),
      }
      arrive(w, joined, whole.join)
      w.splits = [...w.splits.filter((p) => !parts.includes(p)), joined].sort(byLane)
      again = true
      break
    }
  }
}

const byLane = (a: Walking, b: Walking): number => lowest(a.mask) - lowest(b.mask)

/** Of every loop the last turn that a part was in. */
const latest = (parts: ReadonlyArray<Walking>): ReadonlyArray<number> =>
  parts.length === 1
    ? parts[0]!.turns
    : parts[0]!.turns.map((turn, loop) => parts.reduce((t, p) => Math.max(t, p.turns[loop]!), turn))

/** What parts that go on as one have done in this turn of their loop: they have asked, 1, or one has done something else, -1. */
const askedIn = (parts: ReadonlyArray<Walking>): number =>
  parts.reduce((asked, p) => (asked < 0 || p.asked < 0 ? -1 : Math.max(asked, p.asked)), 0)

/** The lanes of a part go different ways, each with where it goes; they meet at `join`. */
const go = (
  w: Walk,
  s: Walking,
  ways: ReadonlyArray<{ readonly mask: number; readonly pc: number }>,
  join: number | null,
): void => {
  const met = join === null || (s.frame !== null && !s.frame.called && s.frame.join === join)
  const own = met ? s.frame : frame(join, s.mask, s.frame, false)
  const parts = ways.map(({ mask, pc }): Walking => {
    const part: Walking = { pc, mask, frame: own, turns: s.turns, now: 'running', asked: s.asked }
    arrive(w, part, pc)
    return part
  })
  w.splits = [...w.splits.filter((p) => p !== s), ...parts].sort(byLane)
  meet(w)
}

const end = (w: Walk, s: Walking, lanes: number): void => {
  w.ended |= lanes
  s.mask &= ~lanes
  if (s.mask === 0) w.splits = w.splits.filter((p) => p !== s)
  // who waits for the lanes of a mask does not wait for these any more
  for (const p of w.splits) if (p.now === 'waiting' && isAmongLanes(w, p)) p.now = 'running'
  meet(w)
}

// ---------------------------------------------------------------- control

const undecided = (unknown: number, what: string): FaultValue =>
  V.fault('I1', `${what} comes from unwritten registers or memory (lane ${String(lowest(unknown))})`)

const fromNoLane = (absent: number): FaultValue =>
  V.fault(
    'I1',
    `lane ${String(lowest(absent))}: the value comes from a lane that gave none: it was not in the member mask of the shfl.sync, or has ended`,
  )

/** These places decide what happens next. True: it depends on data that the run does not have, and it is stopped. */
const lacks = (w: Walk, s: Walking, places: ReadonlyArray<Place>, mask: number, what: string): boolean => {
  const datum = Shadows.dependsOn(w.rows, places, mask)
  if (datum !== 0) stop(w, s, lacking(w.here.world.header, what, datum))
  return datum !== 0
}

const branch = (w: Walk, s: Walking, o: Of<'branch'>, guard: Guard | null): void => {
  if (guard === null) {
    comeTo(w, s, o.target)
    return
  }
  const open = Arms.openIn(w.rows, guard.predicate, s.mask)
  if (open !== 0 && o.join !== null && Arms.compute(computing(w), s.pc, guard, open)) {
    const others = s.mask & ~open
    const taken = holding(w.rows, guard.predicate, guard.negated, others)
    const ways = [
      { mask: open, pc: o.join },
      { mask: taken, pc: o.target },
      { mask: others & ~taken, pc: s.pc + 1 },
    ].filter(({ mask }) => mask !== 0)
    if (ways.length === 1) comeTo(w, s, o.join)
    else go(w, s, ways, o.join)
    return
  }
  const unknown = w.rows.unknownPredicates[guard.predicate]! & s.mask
  if (unknown !== 0) {
    stop(w, s, undecided(unknown, 'the condition of the branch'))
    return
  }
  if (lacks(w, s, [ofPredicate(guard.predicate)], s.mask, 'the branch')) return
  if (w.rows.fellows !== null) Fellows.agree(w.rows, [ofPredicate(guard.predicate)], s.mask)
  Origins.decide(w.rows, [ofPredicate(guard.predicate)], s.mask, siteAt(w, s))
  const taken = holding(w.rows, guard.predicate, guard.negated, s.mask)
  if (taken === 0 || taken === s.mask) {
    comeTo(w, s, taken === 0 ? s.pc + 1 : o.target)
    return
  }
  go(
    w,
    s,
    [
      { mask: taken, pc: o.target },
      { mask: s.mask & ~taken, pc: s.pc + 1 },
    ],
    o.join,
  )
}

const branchIndexed = (w: Walk, s: Walking, o: Of<'branchIndexed'>, mask: number): void => {
  const unknown = w.rows.unknown[o.index]! & mask
  if (unknown !== 0) {
    stop(w, s, undecided(unknown, 'the index of the branch'))
    return
  }
  if (lacks(w, s, [o.index], mask, 'the index of the branch')) return
  const ways = new Map<number, number>()
  for (let m = mask; m !== 0; m &= m - 1) {
    const index = wordAt(w.rows, o.index, lowest(m)) >>> 0
    const target = o.targets[index]
    if (target === undefined) {
      stop(
        w,
        s,
        V.fault(
          'branch.index',
          `brx.idx: expected an index below ${String(o.targets.length)}, found ${String(index)} in lane ${String(lowest(m))}`,
        ),
      )
      return
    }
    ways.set(target, (ways.get(target) ?? 0) | (1 << lowest(m)))
  }
  const others = s.mask & ~mask
  if (others !== 0) ways.set(s.pc + 1, (ways.get(s.pc + 1) ?? 0) | others)
  const list = [...ways].map(([pc, lanes]) => ({ pc, mask: lanes }))
  if (list.length === 1) {
    comeTo(w, s, list[0]!.pc)
  } else go(w, s, list, o.join)
}

/** The lanes of a guarded call go into it, the others wait behind it. */
const call = (w: Walk, s: Walking, o: Of<'call'>, mask: number): void => {
  const back = s.pc + 1
  const outer = frame(back, s.mask, s.frame, true)
  const inside: Walking = { pc: o.target, mask, frame: outer, turns: s.turns, now: 'running', asked: 0 }
  const others = s.mask & ~mask
  const waiting: Walking[] =
    others === 0 ? [] : [{ pc: back, mask: others, frame: outer, turns: s.turns, now: 'parked', asked: 0 }]
  w.splits = [...w.splits.filter((p) => p !== s), inside, ...waiting].sort(byLane)
}

const goBack = (w: Walk, s: Walking, mask: number): void => {
  const others = s.mask & ~mask
  if (s.frame === null) {
    // the entry returns: its lanes end
    end(w, s, mask)
    if (others !== 0) arrive(w, s, s.pc + 1)
    return
  }
  const leaving: Walking = { pc: s.frame.join, mask, frame: s.frame, turns: s.turns, now: 'parked', asked: 0 }
  const staying: Walking[] =
    others === 0
      ? []
      : [{ pc: s.pc + 1, mask: others, frame: s.frame, turns: s.turns, now: 'running', asked: 0 }]
  w.splits = [...w.splits.filter((p) => p !== s), leaving, ...staying].sort(byLane)
  meet(w)
}

const turn = (s: Walking, { loop, inner }: Of<'turn'>): void => {
  const turns = s.turns.slice()
  turns[loop] = turns[loop]! + 1
  for (const i of inner) turns[i] = -1
  s.turns = turns
}

/** What a part has done in this turn of its loop, when it has done this as well: it has asked, 1, or done something else, -1. */
const askedWith = (before: number, done: ReadonlyArray<Part>): number =>
  done.reduce((asked, { prepared }) => {
    const does = doesOf(prepared)
    return does === 'reads' || asked < 0 ? asked : does === 'asks' ? 1 : -1
  }, before)

/** A part that is parked goes on without the others of its frame. */
const released = (w: Walk, parked: Walking): void => {
  apart(w.splits, parked)
  parked.now = 'running'
  arrive(w, parked, parked.pc)
}

/** Is it parked, and of these lanes alone? */
const isParkedIn =
  (lanes: number) =>
  (p: Walking): boolean =>
    p.now === 'parked' && (p.mask & ~lanes) === 0

/**
 * The next turn of its loop; if it has only asked in the last one it lets others go on, and goes on when no other can. If all others are parked, one of them goes on before
 * it is joined.
 */
const takesTurn = (w: Walk, s: Walking): void => {
  const { asked } = s
  s.asked = 0
  if (asked <= 0 || w.splits.length === 1) return
  const goesOn = (p: Walking): boolean => p !== s && (p.now === 'running' || p.now === 'yielding')
  const parked = w.splits.find((p) => p.now === 'parked')
  if (parked !== undefined && !w.splits.some(goesOn)) released(w, parked)
  s.now = 'yielding'
}

// ---------------------------------------------------------------- lanes that must be there together

/** The lanes that an instruction names; all of the part, if it names none. */
const membersOf = (o: Operation): number | null => usesOf(o).lanes?.members ?? null

/** What lanes give one another. */
const exchange = ({ rows, launch: { election } }: Walk, o: OfLanes, mask: number): null => {
  Shadows.follow(rows, o, null, mask)
  switch (o._tag) {
    case 'shuffle':
      Lanes.shuffle(rows, o, mask)
      break
    case 'vote':
      Lanes.vote(rows, o, mask)
      break
    case 'match':
      Lanes.match(rows, o, mask)
      break
    case 'reduce':
      Lanes.reduce(rows, o, mask)
      break
    case 'elect':
      Lanes.elect(rows, o, mask, election)
      break
    case 'meetLanes':
      break
  }
  return null
}

/** Silent instructions of all named lanes, wherever they came from. */
const together = (w: Walk, s: Walking, o: OfLanes, mask: number): void => {
  const { rows } = w
  Origins.follow(rows, o, mask, null)
  if (rows.fellows === null) exchange(w, o, mask)
  else Fellows.along(rows, rows.fellows, o, mask, (mask | w.ended) === -1, () => exchange(w, o, mask))
  if (o._tag === 'shuffle') return
  if (o._tag === 'meetLanes') {
    synced(w, s, mask)
    if ((mask | w.ended) === -1) w.attended = 0
    return
  }
  exchanged(w, s, o, mask)
  if (rows.absent.size > 0) Absent.follow(rows, o, mask)
}

/** Does a meeting of these lanes tell one of them anything, behind those there have been since the last effect? Those that meet tell one another of all whom they have met. */
const isNews = (before: ReadonlyArray<Synced>, lanes: number): boolean => {
  const met = Int32Array.from({ length: 32 }, (_, lane) => 1 << lane)
  const known = (those: number): number =>
    met.reduce((all, own, lane) => (((those >>> lane) & 1) === 1 ? all | own : all), 0)
  for (const x of before) {
    if (x.how !== 'meets') continue
    const all = known(x.lanes)
    met.forEach((_, lane) => {
      if (((x.lanes >>> lane) & 1) === 1) met[lane] = all
    })
  }
  const all = known(lanes)
  return met.some((own, lane) => ((lanes >>> lane) & 1) === 1 && own !== all)
}

/** Lanes have met since the last effect; that they meet again before anything has happened says nothing new. */
const synced = (
  w: Walk,
  s: Walking,
  lanes: number,
  how: Meeting = 'meets',
  loads: ReadonlyArray<number> = noLoads,
): void => {
  if (
    how === 'meets'
      ? w.synced.length > 0 && !isNews(w.synced, lanes)
      : w.synced.some((x) => x.lanes === lanes && x.how === how && x.loads === loads)
  )
    return
  w.synced = [
    ...(how === 'meets'
      ? w.synced.filter((x) => x.how !== 'exchanges' || (x.lanes & ~lanes) !== 0)
      : w.synced),
    { site: siteAt(w, s), iteration: iterationOf(w, s.pc, s.turns), lanes, how, loads },
  ]
}
const noLoads: ReadonlyArray<number> = []

/**
 * Lanes that execute an instruction which is `.sync` have come to it, and have what they give to one another there: what they have waited for, arrived at, and loaded for it, is over.
 * It is said where something can rest on it.
 */
const exchanged = (w: Walk, s: Walking, o: Operation, mask: number): void => {
  const those = exchangesIn(w.launch.program).get(o)
  if (those === undefined && (w.attended & mask) === 0) return
  synced(w, s, mask, 'exchanges', those ?? noLoads)
  if ((mask | w.ended) === -1) w.attended = 0
}

/** The word that this lane gives as the mask of member lanes; null: it is not known, or leaves the lane out, and the walk is stopped. */
const namedBy = (w: Walk, s: Walking, members: Row, lane: number): number | null => {
  if ((w.rows.unknown[members]! & (1 << lane)) !== 0) {
    stop(w, s, undecided(1 << lane, 'the mask of member lanes'))
    return null
  }
  if (lacks(w, s, [members], 1 << lane, 'the mask of member lanes')) return null
  const named = wordAt(w.rows, members, lane)
  if ((named & (1 << lane)) !== 0) return named
  stop(
    w,
    s,
    V.fault(
      'warp.members',
      `lane ${String(lane)} is not in the member mask that it gives: ${Lanes.showLanes(named)}`,
    ),
  )
  return null
}

/** Those of these lanes that give this word as the mask of member lanes. */
const naming = (w: Walk, members: Row, named: number, lanes: number): number => {
  let out = 0
  for (let m = lanes & ~w.rows.unknown[members]!; m !== 0; m &= m - 1)
    if (wordAt(w.rows, members, lowest(m)) === named) out |= 1 << lowest(m)
  return out
}

/** Parts that wait at the same meeting of the lanes `named`, at this place or another (`isOneMeetingOfLanes`). All lanes of such a part name the same. */
const waitingWith = (w: Walk, s: Walking, o: Operation, named: number): ReadonlyArray<Walking> =>
  w.splits.filter((p) => {
    if (p === s || p.now !== 'waiting') return false
    const q = w.launch.code[p.pc]?.instruction.operation
    if (q === undefined || !(p.pc === s.pc || isOneMeetingOfLanes(o, q))) return false
    const members = membersOf(q)
    return members !== null && wordAt(w.rows, members, lowest(p.mask)) === named
  })

/**
 * The other parts whose lanes have done it with these, which go on as this one does. Null: lanes that it names are somewhere else, and those that name them wait; or the
 * walk is stopped.
 */
const collective = (
  w: Walk,
  s: Walking,
  o: OfLanes,
  mask: number,
  last: boolean,
): ReadonlyArray<Walking> | null => {
  const members = membersOf(o)
  if (members === null) {
    together(w, s, o, mask)
    return alone
  }
  let others = alone
  const waiting: { readonly mask: number; readonly pc: number }[] = []
  let missing = 0
  let left = 0
  for (let m = mask; m !== 0;) {
    const named = namedBy(w, s, members, lowest(m))
    if (named === null) return null
    const wanted = named & ~w.ended
    if ((wanted & ~mask) === 0) {
      together(w, s, o, wanted & m)
      m &= ~wanted
      continue
    }
    // the others may be there already
    const own = naming(w, members, named, m)
    m &= ~own
    if ((own & ~named) !== 0) {
      namedBy(w, s, members, lowest(own & ~named))
      return null
    }
    const parts = waitingWith(w, s, o, named)
    const there = parts.reduce((lanes, p) => lanes | p.mask, own)
    if ((wanted & ~there) === 0) {
      together(
        w,
        [s, ...parts].reduce((a, b) => (byLane(a, b) <= 0 ? a : b)),
        o,
        wanted,
      )
      others = [...others, ...parts]
    } else {
      missing = wanted & ~there
      waiting.push({ mask: own, pc: s.pc })
      left |= own
    }
  }
  if (left === 0) return others
  if (left !== s.mask || waiting.length > 1) {
    // those that have met go on, and of the others each part waits for its own
    const met = s.mask & ~left
    go(w, s, met === 0 ? waiting : [...waiting, { mask: met, pc: s.pc + 1 }], s.pc + 1)
    goOn(w, others)
    return null
  }
  if (!last) s.now = 'waiting'
  else
    stop(
      w,
      s,
      V.fault(
        'warp.members',
        `${Lanes.showLanes(missing)} ${(missing & (missing - 1)) === 0 ? 'is' : 'are'} in the member mask and not here`,
      ),
    )
  return null
}
const alone: ReadonlyArray<Walking> = []

/** Parts whose lanes have met go on. */
const goOn = (w: Walk, parts: ReadonlyArray<Walking>): void => {
  if (parts.length === 0) return
  for (const p of parts) {
    p.now = 'running'
    arrive(w, p, p.pc + 1)
  }
  meet(w)
}

/** Operands that must be one in all lanes, and are not. */
const differing = (h: Here, o: Of<'wholeWarp'>, mask: number): FaultValue | null => {
  for (const { row, what } of o.alike) {
    const word = operand(h, what, row, mask)
    if (typeof word !== 'number') return word
  }
  return null
}

/** Lanes come to the barrier of the cluster: the warp does with the last of them. */
const whollyArrived = (w: Walk, mask: number): boolean => {
  const there = w.atCluster | mask
  const whole = (there | w.ended) === -1
  w.atCluster = whole ? 0 : there
  return whole
}

/** Lanes come there, and not all of their warp need come with them. */
const isComing = (o: Operation | undefined): o is Of<'clusterArrive'> =>
  o?._tag === 'clusterArrive' && !o.aligned

/** Has another part of the warp waited there since it came, and these lanes have not? Then they have nothing to wait for. */
const isWaitedFor = (w: Walk, mask: number): boolean =>
  (w.atCluster & mask) === 0 && w.fromCluster !== 0 && (w.fromCluster & mask) === 0

/** Lanes wait there for what another part of the warp has waited for since it came: the warp has, and does no more. */
const waitedBefore = (w: Walk, s: Walking, mask: number): boolean => {
  const others = isWaitedFor(w, mask)
  w.fromCluster = others ? w.fromCluster | mask : mask
  // what the barrier tells it tells these lanes, too
  if (others) synced(w, s, w.fromCluster)
  return others
}

// ---------------------------------------------------------------- meetings of the warp

/** A part that waits for the lanes of a mask. */
const isAmongLanes = (w: Walk, s: Walking): boolean => {
  const o = w.launch.code[s.pc]?.instruction.operation
  return o !== undefined && isOfLanes(o)
}

/** A part that waits for the rest of its warp. */
const isHeld = (w: Walk, s: Walking): boolean => {
  const o = w.launch.code[s.pc]?.instruction.operation
  return (s.mask | w.ended) !== -1 && o !== undefined && gatheringOf(o) !== null
}

/** Why the lanes of a meeting cannot come together: where the others wait. */
const notTogether = (w: Walk, o: Operation, there: number): FaultValue => {
  const label = (t: Walking): string => w.launch.program.sites[siteAt(w, t)]?.label ?? 'the end'
  const elsewhere = w.splits
    .filter((t) => (t.mask & there) === 0)
    .map((t) => `${Lanes.showLanes(t.mask)} ${waitOrWaits(t.mask)} at ${label(t)}`)
    .join(', ')
  const lanes = `${Lanes.showLanes(there)} ${waitOrWaits(there)} here`
  return isAligned(o)
    ? V.fault(
        'warp.aligned',
        `all lanes of the warp must execute this instruction together (it is .aligned), but ${lanes} and ${elsewhere}`,
      )
    : V.fault(
        'warp.barrier',
        `a barrier waits for all lanes of its warp that have not ended, but ${lanes} and ${elsewhere}`,
      )
}

const waitOrWaits = (mask: number): string => ((mask & (mask - 1)) === 0 ? 'waits' : 'wait')

/**
 * The parts that execute this with the part `s`, when all lanes of the warp that have not ended are there. Null: they are not, and it or the walk
 * is stopped.
 */
const gathered = (
  w: Walk,
  s: Walking,
  o: Operation,
  mask: number,
  last: boolean,
): ReadonlyArray<Walking> | null => {
  // lanes whose guard does not hold go on: it is a branch around the instruction
  if (mask !== s.mask) {
    go(
      w,
      s,
      [
        { mask, pc: s.pc },
        { mask: s.mask & ~mask, pc: s.pc + 1 },
      ],
      s.pc + 1,
    )
    return null
  }
  const others = w.splits.filter(
    (t) => t !== s && t.now === 'waiting' && isOneMeeting(w.rows, w.launch.code, s, t),
  )
  const there = others.reduce((lanes, t) => lanes | t.mask, mask)
  if ((there | w.ended) === -1) return others
  s.now = 'waiting'
  if (!last) return null
  const parked = isAligned(o) ? undefined : w.splits.find((t) => t.now === 'parked')
  if (parked === undefined) stop(w, s, notTogether(w, o, there))
  else {
    released(w, parked)
    meet(w)
  }
  return null
}

/** The parts of a meeting go on; those that stand together are one part from here. */
const goOnTogether = (w: Walk, s: Walking, others: ReadonlyArray<Walking>): void => {
  const same = others.filter((t) => t.pc === s.pc && t.frame === s.frame)
  if (same.length > 0) {
    s.turns = latest([s, ...same])
    s.mask = same.reduce((lanes, t) => lanes | t.mask, s.mask)
    w.splits = w.splits.filter((t) => !same.includes(t)).sort(byLane)
  }
  for (const t of others)
    if (!same.includes(t)) {
      t.now = 'running'
      arrive(w, t, t.pc + 1)
    }
}

// ---------------------------------------------------------------- one instruction

/** What the lanes of `mask` compute by themselves; or why they cannot. */
const compute = (
  h: Here,
  o: Computed,
  { scalar, product }: LinkedInstruction,
  mask: number,
  full: boolean,
): FaultValue | null => {
  const { rows } = h
  if (rows.shadow !== null) Shadows.follow(rows, o, scalar, mask)
  switch (o._tag) {
    case 'scalar':
      Silent.scalar(rows, o.name, scalar!, o.from, o.to, mask, full)
      return null
    case 'move':
      Silent.move(rows, o, mask, full)
      return null
    case 'part':
      Silent.part(rows, o, mask, full)
      return null
    case 'pack':
      Silent.pack(rows, o, mask, full)
      return null
    case 'predicate':
      Silent.predicate(rows, o, mask)
      return null
    case 'setPredicate':
      setPredicate(rows, o.to, mask, o.value ? mask : 0, 0)
      return null
    case 'activeLanes':
      Lanes.activeLanes(rows, o, mask)
      return null
    case 'mbarrierPending':
      Silent.pending(rows, o, mask)
      return null
    case 'transposeMatrix': {
      const apart = wholeWarp(h, 'movmatrix', mask)
      if (apart === null) transpose(rows, o)
      return apart
    }
    case 'multiply':
      return wholeWarp(h, o.product.instruction, mask) ?? multiply(rows, o, product!)
    case 'wholeWarp':
      return wholeWarp(h, o.what, mask) ?? differing(h, o, mask)
  }
}

/** Arms that only compute, at the warp's registers. */
const computing = (w: Walk): Arms.Computing => ({
  rows: w.rows,
  program: w.launch.program,
  code: w.launch.code,
  act: (code, mask) => {
    const { operation: o } = code.instruction
    if (!Arms.isOfOneLane(o)) return null
    const full = (mask | w.ended) === -1
    if (w.rows.wraps !== null) Wraps.follow(w.rows, o, mask)
    if (w.rows.origins !== null) Origins.followAlone(w.rows, o, mask, code.product)
    const wrong = compute(w.here, o, code, mask, full)
    if (w.rows.absent.size > 0) Absent.follow(w.rows, o, mask)
    return wrong
  },
})

const instruction = (w: Walk, s: Walking, code: LinkedInstruction, last: boolean): void => {
  const { product } = code
  const { guard, operation: o } = code.instruction
  const { rows } = w
  if (o._tag === 'branch') {
    branch(w, s, o, guard)
    return
  }
  let mask = s.mask
  if (rows.origins !== null) Origins.begin(rows, o, mask)
  if (guard !== null) {
    const open = Arms.isOfOneLane(o) ? Arms.openIn(rows, guard.predicate, mask) : 0
    if (open !== 0 && Arms.computeOne(computing(w), code, guard, open)) mask &= ~open
  }
  if (guard !== null && mask !== 0) {
    const unknown = rows.unknownPredicates[guard.predicate]! & mask
    if (unknown !== 0) {
      stop(w, s, undecided(unknown, 'the predicate of the instruction'))
      return
    }
    if (lacks(w, s, [ofPredicate(guard.predicate)], mask, 'the predicate of the instruction')) return
    Origins.guarded(rows, o, ofPredicate(guard.predicate), mask, siteAt(w, s))
    if (rows.fellows !== null) Fellows.agree(rows, [ofPredicate(guard.predicate)], mask)
    mask = holding(rows, guard.predicate, guard.negated, mask)
    if (rows.origins !== null) Origins.leftOut(rows, o, s.mask & ~mask)
  }
  if (mask === 0) {
    comeTo(w, s, s.pc + 1)
    return
  }
  if (o._tag === 'activeLanes' && w.launch.grouping !== null) {
    const parts = partsOf(w.launch.grouping, s.mask)
    if (parts.length > 1) {
      const ways = parts.map((lanes) => ({ mask: lanes, pc: s.pc }))
      go(w, s, ways, null)
      return
    }
  }
  let others = alone
  let met = alone
  if ((mask | w.ended) !== -1 && gatheringOf(o) !== null) {
    const there = gathered(w, s, o, mask, last)
    if (there === null) return
    others = there
    mask = others.reduce((lanes, t) => lanes | t.mask, mask)
  }
  const { flight } = w.launch
  if (flight !== null) {
    const first = before(w.here, flight, s.pc)
    if (first !== null) {
      const site = w.launch.code[first.at]!.instruction.site
      standBefore(w, site, iterationOf(w, s.pc, s.turns), [first.part], mask, true)
      return
    }
  }
  const full = (mask | w.ended) === -1
  if (rows.wraps !== null && o._tag !== 'branchIndexed') Wraps.follow(rows, o, mask)
  if (rows.fellows !== null) Fellows.arriving(rows, o, mask)
  if (!isOfLanes(o) && rows.origins !== null) Origins.followAlone(rows, o, mask, product)
  if ((w.attended & mask) !== 0 && gatheringOf(o) === 'place') exchanged(w, s, o, mask)
  switch (o._tag) {
    case 'scalar':
    case 'move':
    case 'part':
    case 'pack':
    case 'predicate':
    case 'setPredicate':
    case 'activeLanes':
    case 'mbarrierPending':
    case 'transposeMatrix':
    case 'multiply':
    case 'wholeWarp': {
      const wrong =
        rows.fellows === null
          ? compute(w.here, o, code, mask, full)
          : Fellows.along(rows, rows.fellows, o, mask, full, () => compute(w.here, o, code, mask, full))
      if (wrong !== null) {
        stop(w, s, wrong)
        return
      }
      break
    }
    case 'nothing':
    case 'print':
    case 'gridDependency':
      break
    case 'turn':
      turn(s, o)
      break
    case 'branchIndexed':
      Origins.decide(rows, [o.index], mask, siteAt(w, s))
      branchIndexed(w, s, o, mask)
      return
    case 'call':
      call(w, s, o, mask)
      return
    case 'return':
      goBack(w, s, mask)
      return
    case 'exit': {
      const stays = (s.mask & ~mask) !== 0
      end(w, s, mask)
      if (stays) {
        comeTo(w, s, s.pc + 1)
      }
      return
    }
    case 'shuffle':
    case 'vote':
    case 'match':
    case 'reduce':
    case 'elect':
    case 'meetLanes': {
      const there = collective(w, s, o, mask, last)
      if (there === null) return
      met = there
      break
    }
    default: {
      // lanes that end are not waited for, so the others go on first: they may come to their end
      if (isComing(o) && !last && (w.atCluster | mask | w.ended) !== -1) {
        s.now = 'waiting'
        return
      }
      if (isComing(o) && !whollyArrived(w, mask)) {
        if (!o.relaxed) synced(w, s, mask, 'arrives')
        break
      }
      if (!last && usesOf(o).waits && !(o._tag === 'clusterWait' && isWaitedFor(w, mask))) {
        s.now = 'waiting'
        return
      }
      if (rows.origins !== null) Origins.directed(rows, o, mask, siteAt(w, s))
      if (rows.shadow !== null && lacks(w, s, usesOf(o).decides, mask, 'what the instruction does')) return
      if (o._tag === 'clusterWait' && (w.atCluster & mask) !== 0) {
        stop(
          w,
          s,
          V.fault(
            'warp.cluster',
            `barrier.cluster.wait by ${Lanes.showLanes(mask)}: the others of the warp have not arrived, and wait for something else`,
          ),
        )
        return
      }
      if (o._tag === 'clusterArrive') w.fromCluster = 0
      if (o._tag === 'clusterWait' && waitedBefore(w, s, mask)) break
      const absent = rows.absent.size === 0 ? 0 : Absent.taken(rows, o, mask)
      if (absent !== 0) {
        stop(w, s, fromNoLane(absent))
        return
      }
      const done =
        rows.fellows === null
          ? effectsOf(w.here, o, mask, s.mask)
          : Fellows.effects(w.here, rows.fellows, o, mask, s.mask, full, effectsOf)
      if (V.isFault(done)) {
        stop(w, s, done)
        return
      }
      if (rows.absent.size > 0) Absent.came(rows, o, mask)
      if (done.length > 1 && usesOf(o).waits) {
        waitApart(w, s, mask, done)
        return
      }
      const loose =
        mask === -1 && others.length === 0
          ? null
          : looseness(
              w.here,
              o,
              mask,
              others.every((t) => t.pc === s.pc),
            )
      if (done.length > 0 && attends(o)) w.attended |= mask
      if (w.splits.length === 1) s.asked = 0
      else if (done.length > 0) s.asked = askedWith(s.asked, done)
      if (done.length > 0)
        standBefore(w, siteAt(w, s), iterationOf(w, s.pc, s.turns), loosely(done, loose), mask, actsAsOne(o))
    }
  }
  if (rows.absent.size > 0 && !isOfLanes(o)) Absent.follow(rows, o, mask)
  if (others.length > 0) goOnTogether(w, s, others)
  s.now = 'running'
  comeTo(w, s, s.pc + 1)
  goOn(w, met)
  if (o._tag === 'turn') takesTurn(w, s)
}

/** Lanes that wait for different words, or for different values of one, wait each for their own: who has what it waits for goes on. */
const waitApart = (w: Walk, s: Walking, mask: number, waits: ReadonlyArray<Part>): void => {
  const ways = waits.map((p) => ({ mask: p.lanes ?? mask, pc: s.pc }))
  const others = s.mask & ~mask
  go(w, s, others === 0 ? ways : [...ways, { mask: others, pc: s.pc + 1 }], s.pc + 1)
}

/** Do lanes execute it as one? Then each has a part in all that it touches: PTX says of none of its accesses which thread makes it. */
const actsAsOne = (o: Operation): boolean => gatheringOf(o) === 'place' || o._tag === 'tensormapPublish'

/** The warp is ready for the first of these, and then does the others. */
const standBefore = (
  w: Walk,
  site: number,
  iteration: ReadonlyArray<number>,
  parts: ReadonlyArray<Part>,
  mask: number,
  whole: boolean,
): void => {
  const first = parts[0]!
  w.ready = {
    _tag: 'do',
    site,
    iteration,
    layouts: [],
    resume: { _tag: 'warp', receive: first.receive },
    prepared: first.prepared,
    by: { mask: first.lanes ?? mask, whole: whole || first.whole, synced: w.synced },
  }
  w.rest = parts.length === 1 ? noRest : parts.slice(1).map((p) => partBy(p, mask, whole || p.whole))
  if (w.synced.length > 0) w.synced = noneSynced
}
const noRest: ReadonlyArray<Part> = []
const noneSynced: ReadonlyArray<Synced> = []

/** Parts that wait for what other agents, or other parts of the warp, do to memory and barriers: each may go on before the others. */
const open = (w: Walk): ReadonlyArray<Walking> =>
  w.splits.filter((p) => {
    if (p.now !== 'waiting' || (w.atCluster & p.mask) !== 0 || isHeld(w, p)) return false
    const o = w.launch.code[p.pc]?.instruction.operation
    return o !== undefined && usesOf(o).waits
  })

/** The same, and behind them one that has yielded: it goes on where none of them can. */
const waysIn = (w: Walk): ReadonlyArray<Walking> => {
  const waiting = open(w)
  if (waiting.length === 0) return waiting
  const yielding = w.splits.find((p) => p.now === 'yielding')
  return yielding === undefined ? waiting : [...waiting, yielding]
}

/** Is a part there that might go on without the others, parked or in a loop in which it asks? */
const hasOthers = (w: Walk): boolean => w.splits.some((p) => p.now === 'parked' || p.now === 'yielding')

/**
 * Which part goes on when all wait; undefined: several may, and it is not said which, or none is left. A part that waits for lanes of its warp is held up until they
 * come; so is one at the barrier of the cluster.
 */
const nextOf = (w: Walk): Walking | undefined => {
  if (w.splits.length === 1) return w.splits.find((p) => p.now === 'waiting')
  const waiting = w.splits.filter((p) => p.now === 'waiting')
  if (waiting.length < 2 && !hasOthers(w)) return waiting[0]
  // it needs no other part
  const coming = waiting.find((p) => isComing(w.launch.code[p.pc]?.instruction.operation))
  if (coming !== undefined) return coming
  const ways = waysIn(w)
  if (ways.length === 1 && !hasOthers(w)) return ways[0]
  if (ways.length > 0) {
    const chosen = ways.find((p) => p.mask === w.turn)
    w.turn = 0
    return chosen
  }
  return (
    waiting.find((p) => (w.atCluster & p.mask) === 0 && !isHeld(w, p)) ??
    waiting.find((p) => isHeld(w, p)) ??
    waiting[0]
  )
}

/** Where no other can go on, each that has yielded does, in its turn. */
const gone = (w: Walk): Walking | undefined => {
  const yielding = w.splits.filter((p) => p.now === 'yielding')
  for (const p of yielding) p.now = 'running'
  return yielding[0]
}

/**
 * To what the warp is ready for, or its end; or to where several parts wait, and each may be the next. A part that is not held up goes on first; when none is left, one
 * that waits.
 */
const walk = (w: Walk): void => {
  const { effort, pace } = w.here.world
  const outer = effort.limit
  effort.limit = Math.min(outer, effort.spent + endless)
  let ticks = 0
  while (w.ready === null) {
    let s = w.splits.find((p) => p.now === 'running')
    if (s === undefined && open(w).length === 0) s = gone(w)
    let last = s === undefined
    s ??= nextOf(w)
    if (s === undefined) break
    if (s.now === 'yielding') {
      last = false
      gone(w)
    }
    // as long as nothing is parted or met, it is still the first
    const parts = w.splits
    do {
      const code = w.launch.code[s.pc]
      // behind the last instruction
      if (code === undefined) end(w, s, s.mask)
      else if ((++ticks & 15) === 0 && !spend(effort, 1)) stop(w, s, outOfFuel)
      else {
        pace?.told(w.here.at.agent, worksOf(w.launch.program)[s.pc]!)
        instruction(w, s, code, last)
      }
    } while (!last && w.ready === null && w.splits === parts && s.now === 'running')
  }
  effort.limit = outer
  if (w.ready?._tag === 'fault' && w.ready.fault.code === outOfFuel.code && effort.spent <= outer)
    w.ready = {
      _tag: 'fault',
      site: w.ready.site,
      iteration: w.ready.iteration,
      fault: V.fault(
        'loop.endless',
        'a loop without an effect does not end, or the control of the program computes too much',
      ),
    }
}

// ---------------------------------------------------------------- from effect to effect

const standOf = (w: Walk, turns: Turns | null): WarpStand => ({
  _tag: 'warp',
  rows: w.rows,
  splits: w.splits.map((s) => split(s.pc, s.mask, s.frame, s.turns, s.now, s.asked)),
  ended: w.ended,
  atCluster: w.atCluster,
  fromCluster: w.fromCluster,
  attended: w.attended,
  local: w.here.local,
  localWritten: w.here.localWritten,
  rest: w.rest,
  synced: w.synced,
  turns,
})

const resumed = (
  launch: WarpLaunch,
  world: World,
  at: Standpoint,
  shared: number,
  stand: WarpStand,
  rows: Rows,
): Walk => {
  const kept = rows === stand.rows
  return {
    here: {
      world,
      launch,
      at,
      rows,
      local: kept ? stand.local : stand.local.slice(),
      localWritten: kept ? stand.localWritten : stand.localWritten.slice(),
      shared,
    },
    launch,
    rows,
    splits: stand.splits.map((s): Walking => ({
      pc: s.pc,
      mask: s.mask,
      frame: s.frame,
      turns: s.turns,
      now: s.now,
      asked: s.asked,
    })),
    ended: stand.ended,
    atCluster: stand.atCluster,
    fromCluster: stand.fromCluster,
    attended: stand.attended,
    ready: null,
    rest: stand.rest,
    synced: stand.synced,
    turn: 0,
  }
}

/** The lanes of parts each of which may be the next, where the walk has ended before them; of one alone where others are parked, which go on first if nothing else can. */
const severalIn = (w: Walk): ReadonlyArray<number> =>
  w.ready === null && w.splits.length > 1 ? waysIn(w).map(({ mask }) => mask) : none
const none: ReadonlyArray<number> = []

/**
 * The warp, walked. Where several parts wait it is ready for what the first of them waits for, unless `w.turn` says another, and the stand before is kept: as it was, so
 * that another part may be taken instead.
 */
const walked = (w: Walk, edit: Edit | null, at: number, groups: Groups): AgentState => {
  walk(w)
  let now = w
  let turns: Turns | null = null
  for (let ways = severalIn(now); ways.length > 0; ways = severalIn(now)) {
    const { launch, here } = now
    const before = standOf(now, null)
    turns = { before, ways }
    now = resumed(launch, here.world, here.at, here.shared, before, another(before.rows, edit))
    now.turn = ways[0]!
    walk(now)
  }
  return agentState(now.ready === null ? 'done' : 'running', standOf(now, turns), now.ready, at, groups)
}

/** A warp that begins, walked to its first effect. */
export const beginning = (
  launch: WarpLaunch,
  world: World,
  at: Standpoint,
  shared: number,
  stand: WarpStand,
  groups: Groups,
  edit: Edit | null,
): AgentState => {
  const w = resumed(launch, world, at, shared, stand, owned(stand.rows, edit))
  return walked(w, edit, 1, groups)
}

/** The results of an effect are taken; what is left of its instruction follows, then the next one. */
export const continued = (
  launch: WarpLaunch,
  world: World,
  at: Standpoint,
  shared: number,
  stand: WarpStand,
  site: number,
  iteration: ReadonlyArray<number>,
  done: Prepared,
  how: Part['receive'],
  results: ReadonlyArray<Value>,
  event: number,
  groups: Groups,
  edit: Edit | null,
): AgentState => {
  const w = resumed(launch, world, at, shared, stand, owned(stand.rows, edit))
  take(w.rows, how, results)
  if (w.rows.fellows !== null) Fellows.took(w.rows, w.rows.fellows, done, how)
  if (w.rest.length > 0) standBefore(w, site, iteration, w.rest, 0, false)
  return walked(w, edit, event, groups)
}

/** The same warp, ready for what another of its parts waits for: the one with the lanes `way`. */
export const turned = (
  launch: WarpLaunch,
  world: World,
  at: Standpoint,
  shared: number,
  { before }: Turns,
  way: number,
  a: AgentState,
): AgentState => {
  const w = resumed(launch, world, at, shared, before, another(before.rows, null))
  const parked = w.splits.find((p) => p.now === 'parked' && p.mask === way)
  if (parked === undefined) w.turn = way
  // behind the join that it leaves may stand another one: the end of the branch around a loop
  for (let p: Walking | undefined = parked; p !== undefined; p = w.splits.find(isParkedIn(way))) {
    released(w, p)
    walk(w)
    if (w.ready !== null) break
  }
  return walked(w, null, a.at, a.groups)
}

const take = (rows: Rows, how: Part['receive'], results: ReadonlyArray<Value>): void => {
  const [value] = results
  switch (how._tag) {
    case 'nothing':
      return
    case 'number':
      for (let m = how.mask; m !== 0; m &= m - 1)
        setLane(rows, how.to, lowest(m), typeof value === 'number' ? value : 0)
      Shadows.known(rows, [how.to], how.mask)
      Origins.filled(rows, [how.to], how.mask, true)
      return
    case 'truth':
      if (how.to !== null) Shadows.known(rows, [ofPredicate(how.to)], how.mask)
      if (how.tag !== undefined) Shadows.known(rows, [how.tag], how.mask)
      if (typeof value === 'object' && value._tag === 'peek') {
        if (how.to !== null) {
          setPredicate(rows, how.to, how.mask, value.ready ? how.mask : 0, 0)
          Origins.settled(rows, how.to, how.mask)
        }
        for (let m = how.mask; how.tag !== undefined && m !== 0; m &= m - 1)
          setLane(rows, how.tag, lowest(m), value.at)
        return
      }
      if (how.to !== null) {
        setPredicate(
          rows,
          how.to,
          how.mask,
          value === true ? how.mask : 0,
          typeof value === 'boolean' ? 0 : how.mask,
        )
        Origins.settled(rows, how.to, how.mask)
      }
      return
    case 'broadcast': {
      const found = typeof value === 'object' && value._tag === 'tile' ? value : null
      const word = found?.data?.[0] ?? 0
      const isData = found?.plain?.every((x) => x === 1) !== true
      if (how.to !== null) for (const lane of how.lanes) setLane(rows, how.to, lane, word)
      Shadows.known(rows, [how.to], maskOf(how.lanes))
      for (const lane of how.lanes) Origins.filled(rows, [how.to], 1 << lane, isData)
      return
    }
    case 'rows':
      if (typeof value === 'object' && value._tag === 'tile' && value.data !== null)
        how.to.forEach((row, i) => {
          setLanes(rows, row, value.data!, 32 * i)
          if (rows.shadow !== null) Shadows.cameAll(rows, row, value.data!, 32 * i)
        })
      if (typeof value === 'object' && value._tag === 'tile') Origins.receivedRows(rows, how.to, value.origin)
      return
    case 'words':
    case 'bytes':
    case 'fields':
      if (typeof value === 'object' && value._tag === 'tile')
        receive(rows, how, value.data, value.origin, value.plain ?? null)
      else receive(rows, how, null, V.otherOrigin, null)
      if (how._tag === 'words' && how.plain === true) Origins.filled(rows, how.to, maskOf(how.lanes), false)
      return
  }
}
