/**
 * Control flow of a warp: branches, calls, returns and loops.
 *
 *     @p bra L                 lanes in which p holds go to L, the others to the next instruction; both parts meet at the join
 *     brx.idx i, {A, B, C}     each lane goes where its index says
 *     call f                   the lanes of the guard go into f, the others wait behind the call
 *
 * Where the value that decides is not known, the walk stops with a fault instead of a guess. Where it is data that this run does not have, it stops, too, and says so.
 *
 * A part in a loop that only asks (it reads a word or tests a barrier, and does nothing else) lets the other parts of its warp go on before its next turn. Without that a
 * loop of one lane that waits for another lane of the same warp would never end, though hardware makes both progress.
 *
 * Law 1. Each lane goes one way, and it is the way that its own registers say.
 *
 * Source: PTX ISA, control flow instructions.
 */
import { doesOf } from '../instructions/families.js'
import * as V from '../machine/value.js'
import * as Fellows from './fellows.js'
import { frame, type Part } from '../machine/warp-stand.js'
import { ofPredicate, type Guard } from './program.js'
import * as Origins from './origins.js'
import { holding, lowest, wordAt } from './rows.js'
import * as Arms from './arms.js'
import {
  comeTo,
  go,
  stop,
  undecided,
  lacks,
  siteAt,
  byLane,
  end,
  arrive,
  meet,
  released,
  type Walk,
  type Walking,
  type Of,
} from './walking.js'
import { computing } from './computing.js'

export const branch = (w: Walk, s: Walking, o: Of<'branch'>, guard: Guard | null): void => {
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

export const branchIndexed = (w: Walk, s: Walking, o: Of<'branchIndexed'>, mask: number): void => {
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
export const call = (w: Walk, s: Walking, o: Of<'call'>, mask: number): void => {
  const back = s.pc + 1
  const outer = frame(back, s.mask, s.frame, true)
  const inside: Walking = { pc: o.target, mask, frame: outer, turns: s.turns, now: 'running', asked: 0 }
  const others = s.mask & ~mask
  const waiting: Walking[] =
    others === 0 ? [] : [{ pc: back, mask: others, frame: outer, turns: s.turns, now: 'parked', asked: 0 }]
  w.splits = [...w.splits.filter((p) => p !== s), inside, ...waiting].sort(byLane)
}

export const goBack = (w: Walk, s: Walking, mask: number): void => {
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

export const turn = (s: Walking, { loop, inner }: Of<'turn'>): void => {
  const turns = s.turns.slice()
  turns[loop] = turns[loop]! + 1
  for (const i of inner) turns[i] = -1
  s.turns = turns
}

/** What a part has done in this turn of its loop, when it has done this as well: it has asked, 1, or done something else, -1. */
export const askedWith = (before: number, done: ReadonlyArray<Part>): number =>
  done.reduce((asked, { prepared }) => {
    const does = doesOf(prepared)
    return does === 'reads' || asked < 0 ? asked : does === 'asks' ? 1 : -1
  }, before)

/** Is it parked, and of these lanes alone? */
export const isParkedIn =
  (lanes: number) =>
  (p: Walking): boolean =>
    p.now === 'parked' && (p.mask & ~lanes) === 0

/**
 * The next turn of its loop; if it has only asked in the last one it lets others go on, and goes on when no other can. If all others are parked, one of them goes on before
 * it is joined.
 */
export const takesTurn = (w: Walk, s: Walking): void => {
  const { asked } = s
  s.asked = 0
  if (asked <= 0 || w.splits.length === 1) return
  const goesOn = (p: Walking): boolean => p !== s && (p.now === 'running' || p.now === 'yielding')
  const parked = w.splits.find((p) => p.now === 'parked')
  if (parked !== undefined && !w.splits.some(goesOn)) released(w, parked)
  s.now = 'yielding'
}
