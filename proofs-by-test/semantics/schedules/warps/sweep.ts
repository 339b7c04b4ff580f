/**
 * Kernels of warps, run and judged, against a search of all schedules of their skeletons that knows nothing of warps.
 *
 *     sound       verdict ok                                     =>  no schedule has anything wrong
 *     complete    every schedule is clean, and C1, C3, C4, C6 hold  =>  verdict ok
 *     real        a run that is stuck                             =>  the search finds a deadlock
 */
import { bits } from '../../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase } from '../../../../src/semantics/execution/launch-warps.js'
import { eager, lazy, seeded, type AnyPolicy } from '../../../../src/semantics/execution/policy.js'
import { run, settings } from '../../../../src/semantics/execution/run.js'
import {
  defaults,
  detector,
  standard,
  verdictOf,
  type Detector,
  type Options,
  type Rules,
} from '../../../../src/semantics/judging/detector/index.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Fold } from '../../../../src/semantics/log/events.js'
import type { Launched } from '../../../../src/semantics/machine/launch.js'
import { explore } from '../../../../src/semantics/schedules/naive/explore.js'
import { show } from '../../../../src/semantics/schedules/naive/notation.js'
import type { Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { right } from '../../../either.js'
import { kernelOf, type Kernel } from './kernels.js'
import { programOf } from '../../../dialects/ptx/small-text.js'

const launched = ({ text, threads, bytes, ctas }: Kernel): Launched =>
  right(
    launchWarps(
      programOf(text),
      {
        grid: [ctas],
        block: [threads],
        cluster: ctas === 1 ? null : [ctas],
        dynamicBytes: 0,
        parameters: new Uint8Array(8),
        pointers: [{ offset: 0, tensor: 'g' }],
        tensors: [
          { name: 'g', role: 'inout', contents: new Uint8Array(bytes), bytes, elements: null, symbol: null },
        ],
        sharedBase: usualSharedBase,
      },
      bits('hopper'),
    ),
  )

const judges = (options: ReadonlyArray<Options>): Fold<ReadonlyArray<Detector>, ReadonlyArray<Judgement>> => {
  const folds = options.map(detector)
  return {
    init: (header) => folds.map((fold) => fold.init(header)),
    observe: (states, event) => {
      for (let k = 0; k < folds.length; k++) folds[k]!.observe(states[k]!, event)
      return states
    },
    finish: (states) => folds.map((fold, k) => fold.finish(states[k]!)),
  }
}

/** What the detector says of one run. */
export const judged = (kernel: Kernel, policy: AnyPolicy): Judgement => {
  const { world, machine } = launched(kernel)
  return run(world, machine, settings(policy), judges([defaults])).result[0]!
}

const decides = ({ candidates, conditions }: Judgement): boolean => !candidates && conditions.C1.holds

export interface Tally {
  readonly counts: {
    kernels: number
    clean: number
    ok: number
    peeks: number
    undecided: number
    /** of kernels with which nothing is wrong */
    cleanUndecided: number
    tooLarge: number
  }
  readonly unsound: string[]
  readonly incomplete: string[]
  readonly unreal: string[]
  /** by rule: how often the theorem is false without it, and at which kernel it first was */
  readonly weak: Map<keyof Rules, { times: number; first: number }>
}

export interface Sweep {
  /** first seeds, then from this one on */
  readonly first: ReadonlyArray<number>
  readonly from: number
  readonly count: number
  readonly drawn: (seed: number) => Skeleton
  /** rules that are switched off, one at a time */
  readonly weakened: ReadonlyArray<keyof Rules>
}

export const sweep = ({ first, from, count, drawn, weakened }: Sweep): Tally => {
  const tally: Tally = {
    counts: { kernels: 0, clean: 0, ok: 0, peeks: 0, undecided: 0, cleanUndecided: 0, tooLarge: 0 },
    unsound: [],
    incomplete: [],
    unreal: [],
    weak: new Map(weakened.map((rule) => [rule, { times: 0, first: 0 }])),
  }
  const { counts } = tally
  const under = [
    defaults,
    ...weakened.map((r): Options => ({ ...defaults, rules: { ...standard, [r]: true } })),
  ]
  for (let at = -first.length; counts.kernels < count; at++) {
    const seed = at < 0 ? first[at + first.length]! : from + at
    const s = drawn(seed)
    const kernel = kernelOf(s, seed)
    if (kernel === null) continue
    const all = explore(s, { states: 50_000, stop: true })
    if (all === 'too large') {
      counts.tooLarge++
      continue
    }
    counts.kernels++
    if (all.clean) counts.clean++
    if (kernel.text.includes('%peek_')) counts.peeks++
    const { world, machine } = launched(kernel)
    for (const policy of seed % 3 === 0 ? [seeded(seed)] : seed % 3 === 1 ? [eager, seeded(seed)] : [lazy]) {
      const { outcome, result } = run(world, machine, settings(policy), judges(under))
      const text = (): string => `${String(seed)} ${show(s)}\n${kernel.text}`
      if (outcome._tag === 'stuck' && all.clean) tally.unreal.push(text())
      result.forEach((j, k) => {
        const verdict = verdictOf(j)
        const bad = verdict === 'ok' && !all.clean
        const alarm = all.clean && decides(j) && verdict !== 'ok'
        if (k > 0) {
          const caught = tally.weak.get(weakened[k - 1]!)!
          if ((bad || alarm) && caught.times++ === 0) caught.first = counts.kernels
          return
        }
        if (verdict === 'ok') counts.ok++
        if (!decides(j)) counts.undecided++
        if (!decides(j) && all.clean) counts.cleanUndecided++
        if (bad) tally.unsound.push(`${JSON.stringify(all)} ${text()}`)
        if (alarm)
          tally.incomplete.push(
            `${outcome._tag} ${j.findings.map((f) => `${f.id} ${f.text}`).join('; ')} ${text()}`,
          )
      })
    }
  }
  return tally
}
