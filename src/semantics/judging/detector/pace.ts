/**
 * Paces: how far each lane of one warp is known.
 *
 * The clocks of a warp (`knowledge.ts`) count the events of all of its lanes together. Since Volta a lane is a thread, and to know what lane 0 did at event 7 is not to
 * know what lane 5 did at event 6. A pace is the warp's clocks in three windows (order, visible, async); a *lag* says of some lanes that they are known less far.
 *
 *     all lanes read at 5       lane 0 arrives at 6, and has not met the others since 3
 *     what its message says of the warp:  pace 6, lag { lanes 1 to 31: 3 }
 *
 * Lanes that have done nothing since they were last met lag behind nothing, so that a warp whose lanes act together, or of which one lane acts alone, has no lags at all.
 *
 * Laws
 * 1. `join` is the pointwise maximum, lane by lane.
 * 2. The lanes of two lags of one list are disjoint.
 * 3. No lag is as far as its pace in all clocks: it would say nothing.
 *
 * Source: PTX ISA, memory consistency model: program order is that of a thread; bar.warp.sync.
 */
import { clocks, width, type ClockName } from './clocks.js'

// ---------------------------------------------------------------- model

/** Which of the vectors a clock is in. */
export type Window = 'order' | 'visible' | 'async'
const windows: Readonly<Record<Window, number>> = { order: 0, visible: 1, async: 2 }

/** By window and clock. */
export type Pace = ReadonlyArray<number>
export const paceLength: number = 3 * width

/** These lanes are known no farther than this. */
export interface Lag {
  readonly lanes: number
  readonly pace: Pace
}

/** What is known of the lanes of a warp: all of them at `pace`, but for those that lag. */
export interface Paced {
  readonly pace: Pace
  readonly lags: ReadonlyArray<Lag>
}

export const slotOf = (window: Window, clock: number): number => windows[window] * width + clock
export const slotNamed = (window: Window, clock: ClockName): number => slotOf(window, clocks[clock])

/** Clocks that count what single lanes do. Products and tensor memory are a whole warp's. */
const ofLanes: ReadonlyArray<ClockName> = ['program', 'bulkRead', 'bulkFull', 'cpAsync', 'fencedGlobal']
/** How far a proxy fence goes: over the shared memory of one CTA, over that of the cluster, or over global memory. */
export type FencedSpace = 'shared' | 'cluster' | 'global'
export const attendedSlot: number = slotNamed('order', 'attended')
export const laneSlots: ReadonlyArray<number> = [
  ...(['order', 'visible', 'async'] as const).flatMap((window) =>
    ofLanes.map((clock) => slotNamed(window, clock)),
  ),
  attendedSlot,
  slotNamed('async', 'fencedAfar'),
]

// ---------------------------------------------------------------- constructors

export const noLags: ReadonlyArray<Lag> = []
export const standing: Paced = { pace: new Array<number>(paceLength).fill(0), lags: noLags }

// ---------------------------------------------------------------- destructors

/** How far one lane is known. */
export const paceOf = ({ pace, lags }: Paced, lane: number): Pace => {
  for (const l of lags) if (((l.lanes >>> lane) & 1) === 1) return l.pace
  return pace
}

/** Are all these lanes known as far as `at`? */
export const reaches = ({ pace, lags }: Paced, lanes: number, slot: number, at: number): boolean => {
  let left = lanes
  for (const l of lags) {
    if ((l.lanes & left) === 0) continue
    if (l.pace[slot]! < at) return false
    left &= ~l.lanes
  }
  return left === 0 || pace[slot]! >= at
}

/** The same of those of the lanes that lag: what the pace says of the others is asked elsewhere. */
export const lagsReach = (lags: ReadonlyArray<Lag>, lanes: number, slot: number, at: number): boolean =>
  lags.every((l) => (l.lanes & lanes) === 0 || l.pace[slot]! >= at)

/** Is what is said of these lanes no more than that? */
export const isWithin = (said: Paced, { lanes, pace }: Lag): boolean => {
  for (let lane = 0; lane < 32; lane++)
    if (((lanes >>> lane) & 1) === 1 && laneSlots.some((s) => paceOf(said, lane)[s]! > pace[s]!)) return false
  return true
}

// ---------------------------------------------------------------- combinators

const isBehind = (x: Pace, y: Pace): boolean => {
  if (x === y) return false
  for (const s of laneSlots) if (x[s]! < y[s]!) return true
  return false
}

const farther = (x: Pace, y: Pace): Pace => {
  if (x === y || !isBehind(x, y)) return x
  if (!isBehind(y, x)) return y
  return x.map((at, i) => Math.max(at, y[i]!))
}

/** Lanes of both, each with what `f` makes of its paces. */
const lagsOf = (x: Paced, y: Paced, pace: Pace, f: (a: Pace, b: Pace) => Pace): ReadonlyArray<Lag> => {
  if (x.lags.length === 0 && y.lags.length === 0) return noLags
  const rest = (lags: ReadonlyArray<Lag>): number => ~lags.reduce((all, l) => all | l.lanes, 0)
  const parts = (p: Paced): ReadonlyArray<Lag> => [...p.lags, { lanes: rest(p.lags), pace: p.pace }]
  const out: Lag[] = []
  for (const a of parts(x))
    for (const b of parts(y)) {
      const lanes = a.lanes & b.lanes
      if (lanes === 0) continue
      const own = f(a.pace, b.pace)
      if (!isBehind(own, pace)) continue
      // those that lag alike are one lag: there may be a lane in each, and two lists are gone through lane by lane
      const alike = out.findIndex((l) => l.pace === own)
      if (alike < 0) out.push({ lanes, pace: own })
      else out[alike] = { lanes: out[alike]!.lanes | lanes, pace: own }
    }
  return out.length === 0 ? noLags : out
}

const nearer = (x: Pace, y: Pace): Pace => (x === y ? x : x.map((at, i) => Math.min(at, y[i]!)))

/** What is known of each lane in both. */
export const meet = (x: Paced, y: Paced): Paced => {
  const pace = nearer(x.pace, y.pace)
  return { pace, lags: lagsOf(x, y, pace, nearer) }
}

export const join = (x: Paced, y: Paced): Paced => {
  const pace = farther(x.pace, y.pace)
  if (x.lags.length === 0 && y.lags.length === 0) return pace === x.pace ? x : { pace, lags: noLags }
  return { pace, lags: lagsOf(x, y, pace, farther) }
}

/** Lags without these lanes. */
export const lagsWithout = (lags: ReadonlyArray<Lag>, lanes: number): ReadonlyArray<Lag> =>
  lags.flatMap((l) => ((l.lanes & ~lanes) === 0 ? [] : [{ lanes: l.lanes & ~lanes, pace: l.pace }]))

/** Lags of these lanes alone. */
export const lagsOnly = (lags: ReadonlyArray<Lag>, lanes: number): ReadonlyArray<Lag> =>
  lags.every((l) => (l.lanes & ~lanes) === 0) ? lags : lagsWithout(lags, ~lanes)

/** How far these lanes are known, as lags of a warp that is known farther. */
export const lagging = ({ pace, lags }: Paced, lanes: number): ReadonlyArray<Lag> => {
  const rest = lags.reduce((left, l) => left & ~l.lanes, lanes)
  const own = lagsOnly(lags, lanes)
  return rest === 0 ? own : [...own, { lanes: rest, pace }]
}

/** These clocks of all of them, at least so far. */
export const raised = (
  lags: ReadonlyArray<Lag>,
  slots: ReadonlyArray<number>,
  at: number,
): ReadonlyArray<Lag> =>
  lags.map((l) => ({
    lanes: l.lanes,
    pace: l.pace.map((x, i) => (slots.includes(i) ? Math.max(x, at) : x)),
  }))

/** One clock of these lanes, at least so far. */
export const raisedOf = ({ pace, lags }: Paced, lanes: number, slot: number, at: number): Paced => {
  const raise = (p: Pace): Pace => (p[slot]! >= at ? p : p.map((x, i) => (i === slot ? at : x)))
  const rest = lags.reduce((left, l) => left & ~l.lanes, ~lanes)
  return {
    pace: raise(pace),
    lags: [
      ...lagsWithout(lags, lanes),
      ...lagsOnly(lags, lanes).map((l) => ({ lanes: l.lanes, pace: raise(l.pace) })),
      ...(rest === 0 || pace[slot]! >= at ? [] : [{ lanes: rest, pace }]),
    ],
  }
}

/** What is known of order alone. */
export const orderAlone = ({ pace, lags }: Paced): Paced => {
  const cut = (p: Pace): Pace => p.map((at, i) => (i < width ? at : 0))
  return { pace: cut(pace), lags: lags.map((l) => ({ lanes: l.lanes, pace: cut(l.pace) })) }
}

/** A proxy fence by those who know this: what they see of the lanes, asynchronous units see from now on. */
export const fenced = (lags: ReadonlyArray<Lag>, space: FencedSpace): ReadonlyArray<Lag> =>
  lags.map(({ lanes, pace }) => {
    const now = pace.slice()
    const raise = (into: number, from: number): void => {
      now[into] = Math.max(now[into]!, now[from]!)
    }
    const seen = slotNamed('visible', 'program')
    if (space === 'global') raise(slotNamed('async', 'fencedGlobal'), seen)
    else {
      raise(slotNamed('async', 'program'), seen)
      raise(slotNamed('async', 'cpAsync'), slotNamed('visible', 'cpAsync'))
      if (space === 'cluster') raise(slotNamed('async', 'fencedAfar'), seen)
    }
    return { lanes, pace: now }
  })
