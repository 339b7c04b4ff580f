/**
 * The critical path: from the end of a timed run back to its beginning, always by what was waited for last.
 *
 *     the last byte of C is written  <- its copy was issued  <- the barrier before it  <- the last product  <- its data came from L2  <- ...
 *
 * Each stretch of it belongs to the statement at its end, and has a reason (`Why`). Their lengths add up to the whole run. To make a kernel faster, a stretch of
 * this path has to become shorter; what is not on it may take as long as it likes.
 *
 * Laws
 * 1. The stretches add up to the length of the run.
 * 2. Each moment of the path is before the one that waited for it.
 */
import type { Moment, Timed, Why } from './clock.js'

/** What a statement has of the path, for one reason. */
export interface Stretch {
  readonly site: number
  readonly why: Why
  readonly cycles: number
  /** of the whole run, from 0 to 1 */
  readonly share: number
  readonly times: number
}

/** The moments of the path, the last one first. */
export const pathOf = ({ moments }: Timed): ReadonlyArray<Moment> => {
  let last = -1
  moments.forEach(({ to }, i) => {
    if (last < 0 || to > moments[last]!.to) last = i
  })
  const path: Moment[] = []
  for (let i = last; i >= 0;) {
    const m = moments[i]!
    path.push(m)
    i = m.after < i ? m.after : -1
  }
  return path
}

/** What each statement has of the path, the largest first. */
export const criticalOf = (timed: Timed): ReadonlyArray<Stretch> => {
  const path = pathOf(timed)
  const sums = new Map<string, { site: number; why: Why; cycles: number; times: number }>()
  const add = (site: number, why: Why, cycles: number): void => {
    if (cycles <= 0) return
    const key = `${String(site)} ${why}`
    const s = sums.get(key) ?? { site, why, cycles: 0, times: 0 }
    sums.set(key, s)
    s.cycles += cycles
    s.times++
  }
  path.forEach((m, k) => {
    const before = path[k + 1]?.to ?? 0
    add(m.site, m.why, m.to - Math.min(before, m.to))
  })
  const last = path[0]
  // what was stored is on its way when the last event has happened
  if (last !== undefined) add(last.site, 'DRAM', timed.end - last.to)
  return [...sums.values()]
    .map(({ site, why, cycles, times }): Stretch => ({ site, why, cycles, share: cycles / timed.end, times }))
    .sort((a, b) => b.cycles - a.cycles)
}

/** What the path waits for, over all statements. */
export const reasonsOf = (
  stretches: ReadonlyArray<Stretch>,
): ReadonlyArray<{ readonly why: Why; readonly share: number }> => {
  const sums = new Map<Why, number>()
  for (const { why, share } of stretches) sums.set(why, (sums.get(why) ?? 0) + share)
  return [...sums].map(([why, share]) => ({ why, share })).sort((a, b) => b.share - a.share)
}
