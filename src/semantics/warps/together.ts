/**
 * Instructions of named lanes: shuffles, votes, matches, reductions and bar.warp.sync wait for all lanes of their member mask.
 *
 * The lanes of a mask may come from different parts, and to different places of the program. A part that comes first waits; the last one does it for all of them, and each
 * goes on at its own place. Within one part several masks may be named, and each is a meeting of its own.
 *
 *     lane 0: shfl.sync ..., 0x3        waits
 *     lane 1: shfl.sync ..., 0x3        both lanes exchange values, and both go on
 *
 * What such a meeting says of order is kept until the next effect (`synced`), because only an effect has an event that can carry it; a meeting that tells nothing new is
 * left out, or a loop of exchanges would make a log without end.
 *
 * Laws
 * 1. A lane that is not in the mask that it gives is a fault.
 * 2. Lanes that have ended are not waited for.
 *
 * Source: PTX ISA, .sync instructions and their membermask.
 */
import type { Meeting } from '../log/events.js'
import * as V from '../machine/value.js'
import { exchangesIn } from './exchanges.js'
import * as Absent from './absent.js'
import * as Fellows from './fellows.js'
import * as Lanes from './lanes.js'
import { isOneMeetingOfLanes } from './meeting.js'
import type { OfLanes, Operation, Row } from './program.js'
import { usesOf } from './uses.js'
import * as Origins from './origins.js'
import { lowest, wordAt } from './rows.js'
import * as Shadows from './shadows.js'
import type { Synced } from '../machine/warp-stand.js'
import {
  siteAt,
  iterationOf,
  stop,
  undecided,
  lacks,
  byLane,
  go,
  arrive,
  meet,
  type Walk,
  type Walking,
} from './walking.js'

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
export const synced = (
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
export const exchanged = (w: Walk, s: Walking, o: Operation, mask: number): void => {
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
export const collective = (
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
export const alone: ReadonlyArray<Walking> = []

/** Parts whose lanes have met go on. */
export const goOn = (w: Walk, parts: ReadonlyArray<Walking>): void => {
  if (parts.length === 0) return
  for (const p of parts) {
    p.now = 'running'
    arrive(w, p, p.pc + 1)
  }
  meet(w)
}
