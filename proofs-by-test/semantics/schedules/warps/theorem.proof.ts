/**
 * One schedule decides kernels of warps: random skeletons written as PTX (`kernels.ts`), run and judged, against a search of all schedules of the skeleton that knows nothing of
 * warps. By day a few hundred, by night 100,000.
 *
 *     sound       verdict ok                                     =>  no schedule has anything wrong
 *     complete    every schedule is clean, and C1, C3, C4, C6 hold  =>  verdict ok
 *     real        a run that is stuck                             =>  the search finds a deadlock
 */
import { expect, test } from 'vitest'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { bits } from '../../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase } from '../../../../src/semantics/execution/launch-warps.js'
import { eager, lazy, seeded } from '../../../../src/semantics/execution/policy.js'
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
import { peekingOf, skeletonOf } from '../../../../src/semantics/schedules/naive/random.js'
import { right } from '../../../either.js'
import { nightly } from '../../../extent.js'
import { kernelOf, type Kernel } from './kernels.js'

const launched = ({ text, threads, bytes }: Kernel): Launched =>
  right(
    launchWarps(
      right(elaborate(right(parseModule(text)), 'k', 'k.ptx')).program,
      {
        grid: [1],
        block: [threads],
        cluster: null,
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

const rules: ReadonlyArray<keyof Rules> = [
  'oneSidedC4',
  'c3CountedOnly',
  'noC6',
  'noWriteWriteException',
  'peeksAsTheyWent',
  'lateC4',
  'noSparedC4',
  'anyPeek',
  'weakPeeks',
  'noCertainPeeks',
]

/** Kernels that a sweep once found judged wrongly: a test of a barrier that no wait follows. */
const found: ReadonlyArray<number> = [705_058_407]

const from = nightly ? 5_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 0
const count = nightly ? Number(process.env['TCSPEC_PROGRAMS'] ?? 100_000) : 150
const families = { tensor: false, copies: true, cluster: false }

const decides = ({ candidates, conditions }: Judgement): boolean => !candidates && conditions.C1.holds

test('the theorem, on random kernels of warps', { timeout: 14_400_000 }, () => {
  const unsound: string[] = []
  const incomplete: string[] = []
  const unreal: string[] = []
  const weak = new Map(rules.map((rule) => [rule, 0]))
  const tally = { kernels: 0, clean: 0, ok: 0, peeks: 0, undecided: 0 }
  const under = [
    defaults,
    ...(nightly ? rules.map((r): Options => ({ ...defaults, rules: { ...standard, [r]: true } })) : []),
  ]
  for (let at = -found.length; tally.kernels < count; at++) {
    const seed = at < 0 ? found[at + found.length]! : from + at
    const s = seed % 2 === 0 ? skeletonOf(seed, families) : peekingOf(seed, families)
    const kernel = kernelOf(s, seed)
    if (kernel === null) continue
    const all = explore(s, { states: 50_000, stop: true })
    if (all === 'too large') continue
    tally.kernels++
    if (all.clean) tally.clean++
    if (kernel.text.includes('%peek_')) tally.peeks++
    const { world, machine } = launched(kernel)
    for (const policy of seed % 3 === 0 ? [seeded(seed)] : seed % 3 === 1 ? [eager, seeded(seed)] : [lazy]) {
      const { outcome, result } = run(world, machine, settings(policy), judges(under))
      const text = (): string => `${String(seed)} ${show(s)}\n${kernel.text}`
      if (outcome._tag === 'stuck' && all.clean) unreal.push(text())
      result.forEach((j, k) => {
        const verdict = verdictOf(j)
        const bad = verdict === 'ok' && !all.clean
        const alarm = all.clean && decides(j) && verdict !== 'ok'
        if (k > 0) {
          if (bad || alarm) weak.set(rules[k - 1]!, weak.get(rules[k - 1]!)! + 1)
          return
        }
        if (verdict === 'ok') tally.ok++
        if (!decides(j)) tally.undecided++
        if (bad) unsound.push(text())
        if (alarm) incomplete.push(`${j.findings.map((f) => `${f.id} ${f.text}`).join('; ')} ${text()}`)
      })
    }
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log(tally, [...weak])
  expect([unreal[0], unsound[0], incomplete[0]]).toEqual([undefined, undefined, undefined])
  expect(tally.clean).toBeGreaterThan(count / 6)
  expect(tally.ok).toBeGreaterThan(count / 10)
  expect(tally.peeks).toBeGreaterThan(count / 10)
  // `noSparedC4` needs a pattern that 50,000 of these did not have; the core's own sweep has it (`peeks.proof.ts`)
  for (const [rule, times] of count < 100_000 ? [] : weak)
    if (rule !== 'noSparedC4') expect(times, rule).toBeGreaterThan(0)
})
