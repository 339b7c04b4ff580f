/**
 * Model = detector: the relational definitions and the online fold say the same of every log, event for event.
 *
 * The zoo, bad and mended; every kernel's small forms, and each with one statement left out; 300 random programs, by night 100,000 under every choice of
 * options. 500 of those are compared where they run anyhow, in the sweep of the theorem (`semantics/schedules/single-schedule*.proof.ts`; at night 1,000,000).
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, test } from 'vitest'
import { clean, foreign, zoo } from '../../../src/kernels/broken/index.js'
import { kernels, type Kernel } from '../../../src/kernels/catalogue/index.js'
import { unit } from '../../../src/numerics/unit.js'
import type { Options } from '../../../src/semantics/judging/detector/index.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import type { Header, LogEvent } from '../../../src/semantics/log/events.js'
import { mutantsOf } from '../../../src/semantics/mutation/index.js'
import { embed } from '../../../src/semantics/schedules/naive/embed.js'
import { skeletonOf } from '../../../src/semantics/schedules/naive/random.js'
import { eager, lazy, seeded, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { nightly, sampled, small } from '../../extent.js'
import { followed } from '../../kernels/followed.js'
import { right } from '../../either.js'
import { differences } from './comparison.js'

interface Ran {
  readonly header: Header
  readonly log: ReadonlyArray<LogEvent>
  /** the run has come to its end */
  readonly whole: boolean
}

/** One run; nothing of what cannot be launched. */
const ran = (program: Program, policy: AnyPolicy): ReadonlyArray<Ran> => {
  const launched = launch(program, unit, noArguments)
  if (E.isLeft(launched)) return []
  const { world, machine } = launched.right
  const { result: log, outcome } = run(world, machine, settings(policy), collect)
  const whole = outcome._tag === 'completed' || outcome._tag === 'stuck'
  return [{ header: world.header, log, whole }]
}

const variants: ReadonlyArray<Partial<Options>> = [
  {},
  { strict: true },
  { strictProxies: true },
  { tensorPipe: 'documented' },
  { wgmmaOrder: 'documented' },
]

const differ = (
  runs: ReadonlyArray<Ran>,
  under: ReadonlyArray<Partial<Options>>,
  leftOut: ReadonlyArray<string> = [],
): ReadonlyArray<string> =>
  runs.flatMap(({ header, log, whole }) => under.flatMap((o) => differences(header, log, o, leftOut, whole)))

// ---------------------------------------------------------------- the zoo

const twins: ReadonlyArray<readonly [string, Program]> = [
  ...[...zoo, ...foreign].flatMap((t) =>
    [false, true].flatMap((mended): ReadonlyArray<readonly [string, Program]> => {
      const program = t.program(mended)
      return E.isLeft(program) ? [] : [[`${t.path}${mended ? ', mended' : ''}`, program.right]]
    }),
  ),
  ...clean.map((c) => [c.name, right(c.program)] as const),
]

describe('the zoo', () => {
  test.each(sampled(3, twins).map(([name, program], i) => [name, program, i] as const))(
    '%s',
    (_, program, i) => {
      // by day every third, and of those every third under every choice of options
      expect(differ(ran(program, eager), nightly || i % 3 === 0 ? variants : [{}])).toEqual([])
      expect(differ(ran(program, nightly ? seeded(3) : lazy), [{}])).toEqual([])
    },
  )
})

// ---------------------------------------------------------------- kernels

/** Every program that lacks one statement of this one. */
const removals = (program: Program): ReadonlyArray<readonly [string, Program]> =>
  mutantsOf(program, ['DROP', 'PRIME', 'EXIT']).flatMap((m) =>
    m.change === 'left out' ? [[m.key, m.program] as const] : [],
  )

const forms = (k: Kernel): ReadonlyArray<Program> => followed(k).map((i) => i.program)

// by day every second kernel
describe.each(sampled(2, kernels).map((k) => [k.name, k] as const))('%s', (_, kernel) => {
  test('its small forms', () => {
    // by day the smallest
    forms(kernel).forEach((form, k) => {
      if (!nightly && k > 0) return
      for (const policy of nightly ? [eager, lazy, seeded(3)] : [eager])
        expect(differ(ran(form, policy), nightly || kernel.name.length % 4 === 0 ? variants : [{}])).toEqual(
          [],
        )
    })
  })
  test('each with one statement left out', () => {
    const form = forms(kernel)[small ? 0 : 2]!
    const all = removals(form)
    expect(all.length).toBeGreaterThan(5)
    // by day every fifteenth of them, by night all
    const wrong = all.flatMap(([key, program], k) =>
      !nightly && k % 15 !== all.length % 15
        ? []
        : (nightly ? [eager, lazy, seeded(3)] : [[eager, lazy][k % 2]!]).flatMap((policy) =>
            differ(ran(program, policy), nightly ? variants : [{}]).map((text) => `${key}: ${text}`),
          ),
    )
    expect(wrong).toEqual([])
  })
})

// ---------------------------------------------------------------- random programs

const drawn = (from: number, count: number): ReadonlyArray<Ran> =>
  Array.from({ length: count }, (_, k) => from + k).flatMap((seed) =>
    ran(right(embed(skeletonOf(seed))).program, seeded(seed)),
  )

describe('random programs', () => {
  it('under every choice of options', () => {
    expect(differ(drawn(2_000_000, nightly ? 100_000 : 25), variants)).toEqual([])
  })
  it.skipIf(nightly || small)('as they are judged by default', () => {
    const wrong: string[] = []
    for (let seed = 2_100_000; seed < 2_100_300 && wrong.length === 0; seed++)
      wrong.push(...differ(drawn(seed, 1), [{}]))
    expect(wrong).toEqual([])
  })
})

/** Of few programs: what is left out shows soon. */
describe('six weakenings of the model', () => {
  it.each(['pipe', 'commit', 'proxy-fence', 'landed', 'C4-lower', 'C6'])(
    'without %s it is another one',
    (clause) => {
      const isSeen = (seed: number): boolean => differ(drawn(seed, 1), [{}], [clause]).length > 0
      expect(Array.from({ length: 250 }, (_, k) => 3_000_000 + k).some(isSeen)).toBe(true)
    },
  )
})
