/**
 * The walk of a warp: from one effect to the next.
 *
 * Lanes that are together take one instruction after the other; a branch parts them, a join brings them together again (`state.ts`). What they compute
 * among themselves is silent. At an effect the walk stops: the warp is ready to do it, and goes on when it is told the result.
 *
 * This module says which part goes on, and takes a stand of the warp to the next one. One instruction is `step.ts`; the order of the other modules is in the README.
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
import type { Prepared } from '../machine/operation.js'
import { agentState, type AgentState, type Groups, type Ready } from '../machine/state.js'
import * as V from '../machine/value.js'
import type { Value } from '../machine/value.js'
import type { Standpoint } from '../machine/front.js'
import type { World } from '../machine/world.js'
import * as Fellows from './fellows.js'
import type { WarpLaunch } from './launched.js'
import { split, type Part, type Turns, type WarpStand } from '../machine/warp-stand.js'
import { usesOf } from './uses.js'
import { worksOf } from './works.js'
import { another, owned, type Rows } from './rows.js'
import { end, stop, released, type Walk, type Walking } from './walking.js'
import { isHeld, isComing } from './whole-warp.js'
import { instruction, standBefore } from './step.js'
import { take } from './results.js'
import { isParkedIn } from './control.js'
import { apart } from './meeting.js'

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
  // it is asked what these do without the others: they meet no one
  if (w.splits.some((p) => p.now === 'held')) return open(w)[0]
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

/** What is ready, without who has met before it. */
const unmet = (r: Ready | null): Ready | null =>
  r?._tag !== 'do' || r.by === undefined
    ? r
    : Object.assign({}, r, { by: { mask: r.by.mask, whole: r.by.whole, synced: [] } })

/**
 * The same warp as if these lanes went on and no others: what they would do next, or ready for nothing where they would need others. Lanes that have parted from others go
 * past every place where these would meet them, unless it is asked what they do before they meet (`meets`).
 */
export const alone = (
  launch: WarpLaunch,
  world: World,
  at: Standpoint,
  shared: number,
  stand: WarpStand,
  lanes: number,
  meets: boolean,
  a: AgentState,
): AgentState => {
  /** they do what the warp stands ready for */
  const theirs = a.ready?._tag === 'do' && ((a.ready.by?.mask ?? -1) & ~lanes) === 0
  if (theirs && stand.splits.every((s) => s.now === 'held' || (s.mask & ~lanes) === 0)) return a
  const from = theirs ? stand : (stand.turns?.before ?? stand)
  const w = resumed(launch, world, at, shared, from, another(from.rows, null))
  w.splits = w.splits.flatMap((s): ReadonlyArray<Walking> => {
    const own = s.mask & lanes
    const others = s.mask & ~lanes
    const held: Walking = Object.assign({}, s, { mask: others, now: 'held' as const })
    // a part that is whole waits where it waits
    const now =
      others !== 0 && s.now !== 'waiting'
        ? meets
          ? 'held'
          : 'running'
        : s.now === 'yielding'
          ? 'running'
          : s.now
    const goes: Walking = Object.assign({}, s, { mask: own, now, asked: theirs ? 1 : 0 })
    return [...(others === 0 ? [] : [held]), ...(own === 0 ? [] : [goes])]
  })
  if (!meets)
    for (const s of w.splits) {
      if ((s.mask & ~lanes) !== 0) continue
      while (s.frame !== null && !s.frame.called) apart(w.splits, s)
      if (s.frame === null && s.now === 'parked') s.now = 'running'
    }
  if (theirs) return agentState('running', standOf(w, null), unmet(a.ready), a.at, a.groups)
  w.rest = []
  w.synced = []
  for (;;) {
    walk(w)
    const parked = w.ready === null && !meets ? w.splits.find(isParkedIn(lanes)) : undefined
    if (parked === undefined) break
    released(w, parked)
  }
  return agentState('running', standOf(w, null), w.ready, a.at, a.groups)
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
  // it may have come to a wait of its own
  const waiting =
    parked === undefined || w.ready !== null ? undefined : open(w).find((p) => (p.mask & ~way) === 0)
  if (waiting !== undefined) {
    w.turn = waiting.mask
    walk(w)
  }
  return walked(w, null, a.at, a.groups)
}
