/**
 * One instruction of one part of a warp.
 *
 *     guard      lanes in which the predicate does not hold go past it
 *     meeting    it waits for the lanes that must be there (`together.ts`, `whole-warp.ts`)
 *     silent     it is computed (`computing.ts`), or it is control (`control.ts`)
 *     effect     the warp is ready for it, and the walk ends before it (`standBefore`)
 *
 * The modules that follow values for other purposes (where bytes come from, what depends on missing data, which lanes of a grid do the same) are told here, before the
 * instruction changes the registers that they read.
 *
 * Law 1. A part whose instruction faults stays where it stands.
 */
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import { effectsOf, attends } from './effects.js'
import { before } from './flight.js'
import * as Absent from './absent.js'
import * as Fellows from './fellows.js'
import * as Lanes from './lanes.js'
import type { LinkedInstruction } from './launched.js'
import { gatheringOf, loosely, looseness } from './meeting.js'
import { partsOf } from '../machine/grouping.js'
import { partBy, type Part, type Synced } from '../machine/warp-stand.js'
import { ofPredicate, type Operation } from './program.js'
import { isOfLanes, usesOf } from './uses.js'
import * as Origins from './origins.js'
import { holding, lowest } from './rows.js'
import * as Arms from './arms.js'
import * as Wraps from './wraps.js'
import {
  stop,
  undecided,
  lacks,
  siteAt,
  comeTo,
  go,
  iterationOf,
  end,
  type Walk,
  type Walking,
} from './walking.js'
import { branch, turn, branchIndexed, call, goBack, askedWith, takesTurn } from './control.js'
import { computing, compute } from './computing.js'
import { alone, exchanged, collective, synced, goOn } from './together.js'
import { gathered, isComing, whollyArrived, isWaitedFor, waitedBefore, goOnTogether } from './whole-warp.js'

const fromNoLane = (absent: number): FaultValue =>
  V.fault(
    'I1',
    `lane ${String(lowest(absent))}: the value comes from a lane that gave none: it was not in the member mask of the shfl.sync, or has ended`,
  )

export const instruction = (w: Walk, s: Walking, code: LinkedInstruction, last: boolean): void => {
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
  if (rows.origins !== null && !isOfLanes(o)) Origins.followAlone(rows, o, mask, product)
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
export const standBefore = (
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
