/**
 * A warp while it walks: its parts, and how they come apart and together.
 *
 * A *part* is a set of lanes that are together: they stand at one instruction, inside the same branches. A branch whose lanes go different ways makes one part of each
 * way, under a *frame* that says which lanes come together again, and where. A part that arrives there is parked, and when all lanes of the frame are parked or have
 * ended, they are one part again.
 *
 *     if (lane < 16) a; else b;      two parts under one frame; the first at the join is parked, the second makes them one
 *
 * The walk changes its parts in place and is never seen from outside: `walk.ts` makes one from a stand of the warp, and gives a new stand back. All the other modules of
 * the walk are written on the functions here, so that only this one knows what a frame is.
 *
 * Laws
 * 1. No lane is in two parts, and each lane that has not ended is in one.
 * 2. The order in which parts reach the join decides nothing.
 * 3. What stops the walk is a fault at the site of its part, and a value that hardware alone knows is named in it.
 */
import type { Ready } from '../machine/state.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import { lacking } from '../machine/marks.js'
import type { WarpLaunch } from './launched.js'
import type { Here } from './memory.js'
import { apart, endsAt } from './meeting.js'
import { frame, type Part, type Frame, type Split, type Synced } from '../machine/warp-stand.js'
import { ofPredicate, type Operation, type Place } from './program.js'
import { fieldsIn, unspecifiedIn } from './timing.js'
import { isOfLanes, usesOf } from './uses.js'
import { lowest, type Rows } from './rows.js'
import * as Shadows from './shadows.js'

export type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

// ---------------------------------------------------------------- the walk

/** Lanes that are together, while they walk. */
export interface Walking {
  pc: number
  mask: number
  frame: Frame | null
  turns: ReadonlyArray<number>
  now: Split['now']
  asked: number
}

export interface Walk {
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

export const siteAt = (w: Walk, s: Walking): number => w.launch.code[s.pc]?.instruction.site ?? 0

export const iterationOf = (w: Walk, pc: number, turns: ReadonlyArray<number>): ReadonlyArray<number> =>
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

export const stop = (w: Walk, s: Walking, found: FaultValue): void => {
  const fault = found.code === 'I1' ? (unsaid(w, s) ?? found) : found
  w.ready = { _tag: 'fault', fault, site: siteAt(w, s), iteration: iterationOf(w, s.pc, s.turns) }
}

// ---------------------------------------------------------------- parts and joins

/** Lanes come to `pc`: a part waits where it meets the others of its frame, unless it ends there. */
export const arrive = (w: Walk, s: Walking, pc: number): boolean => {
  s.pc = pc
  const parks = s.frame !== null && !s.frame.called && s.frame.join === pc && !endsAt(w.launch.code, pc)
  if (parks) s.now = 'parked'
  return parks
}

/** The same, and the others of its frame are there already, perhaps. */
export const comeTo = (w: Walk, s: Walking, pc: number): void => {
  if (arrive(w, s, pc)) meet(w)
}

/** The parts of a frame that are all there, or at their end, go on as one. */
export const meet = (w: Walk): void => {
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

export const byLane = (a: Walking, b: Walking): number => lowest(a.mask) - lowest(b.mask)

/** Of every loop the last turn that a part was in. */
export const latest = (parts: ReadonlyArray<Walking>): ReadonlyArray<number> =>
  parts.length === 1
    ? parts[0]!.turns
    : parts[0]!.turns.map((turn, loop) => parts.reduce((t, p) => Math.max(t, p.turns[loop]!), turn))

/** What parts that go on as one have done in this turn of their loop: they have asked, 1, or one has done something else, -1. */
const askedIn = (parts: ReadonlyArray<Walking>): number =>
  parts.reduce((asked, p) => (asked < 0 || p.asked < 0 ? -1 : Math.max(asked, p.asked)), 0)

/** The lanes of a part go different ways, each with where it goes; they meet at `join`. */
export const go = (
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

export const end = (w: Walk, s: Walking, lanes: number): void => {
  w.ended |= lanes
  s.mask &= ~lanes
  if (s.mask === 0) w.splits = w.splits.filter((p) => p !== s)
  // who waits for the lanes of a mask does not wait for these any more
  for (const p of w.splits) if (p.now === 'waiting' && isAmongLanes(w, p)) p.now = 'running'
  meet(w)
}

export const undecided = (unknown: number, what: string): FaultValue =>
  V.fault('I1', `${what} comes from unwritten registers or memory (lane ${String(lowest(unknown))})`)

/** These places decide what happens next. True: it depends on data that the run does not have, and it is stopped. */
export const lacks = (
  w: Walk,
  s: Walking,
  places: ReadonlyArray<Place>,
  mask: number,
  what: string,
): boolean => {
  const datum = Shadows.dependsOn(w.rows, places, mask)
  if (datum !== 0) stop(w, s, lacking(w.here.world.header, what, datum))
  return datum !== 0
}

/** A part that is parked goes on without the others of its frame. */
export const released = (w: Walk, parked: Walking): void => {
  apart(w.splits, parked)
  parked.now = 'running'
  arrive(w, parked, parked.pc)
}

/** A part that waits for the lanes of a mask. */
const isAmongLanes = (w: Walk, s: Walking): boolean => {
  const o = w.launch.code[s.pc]?.instruction.operation
  return o !== undefined && isOfLanes(o)
}
