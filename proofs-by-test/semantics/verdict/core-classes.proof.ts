/**
 * Grids of core programs of which one block of each class is run. Oracle: the run of every block.
 *
 * | what                                                     | oracle                                                        |
 * |----------------------------------------------------------|---------------------------------------------------------------|
 * | verdict, findings, notes, conditions, what is proved     | those of a run of every block                                 |
 * | the log of a fellow                                      | the log of its block, run alone, footprint by footprint       |
 */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import * as S from '../../../src/kernels/broken/zoo/twin.js'
import { unit } from '../../../src/numerics/unit.js'
import { sourceOf } from '../../../src/semantics/execution/launch.js'
import {
  add,
  eq,
  float,
  i32,
  lt,
  mul,
  rem,
  select,
  splat,
} from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { mutantsOf } from '../../../src/semantics/mutation/index.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { fellowsCompared, toldOf } from './alike.js'
import { block, coreGridOf, out, programOf, tileAt } from './core-grids.js'

const how: CheckOptions = Object.assign({}, standardOptions, { explore: false, explain: false })

/** The verdict by classes is the one by every block; by how many classes, null if by every block. */
const compared = (
  program: Program,
  about: string,
): { readonly name: string; readonly classes: number | null } => {
  const some = check(program, how)
  const all = check(program, Object.assign({}, how, { everyCluster: true }))
  if (E.isLeft(some) || E.isLeft(all)) {
    expect(some, about).toEqual(all)
    return { name: 'refused', classes: null }
  }
  const { verdict } = some.right
  expect(toldOf(verdict), about).toEqual(toldOf(all.right.verdict))
  expect(verdict.provenance, about).toEqual(all.right.verdict.provenance)
  const { classes } = verdict
  if (classes !== undefined)
    expect(classes.reduce((n, c) => n + c.of, 0)).toBe(all.right.verdict.counts.clusters)
  return { name: verdict.verdict, classes: classes?.length ?? null }
}

const seeds = Array.from({ length: nightly ? 3000 : 40 }, (_, i) => i + 1)

test('by classes a verdict is what it is by every block', () => {
  const some = nightly ? seeds : seeds.slice(0, 4)
  const found = some.map((seed) => compared(coreGridOf(seed).program, String(seed)))
  const byClasses = found.filter(({ classes }) => classes !== null)
  expect(byClasses.length).toBeGreaterThan(some.length / 10)
  if (!nightly) return
  expect(byClasses.some(({ classes }) => classes !== 1)).toBe(true)
  expect([...new Set(byClasses.map(({ name }) => name))].sort()).toEqual(['hazard', 'ok'])
})

test('a fellow that is alike does what its block does, at places that are moved as it says', () => {
  let count = 0
  for (const seed of seeds) {
    const { program } = coreGridOf(seed)
    count += fellowsCompared(sourceOf(program), unit, [1, 2, 3, 31, 60, 63], String(seed))
  }
  expect(count).toBeGreaterThan(seeds.length)
})

// ---------------------------------------------------------------- kernels

const shapes: ReadonlyArray<readonly [string, Readonly<Record<string, number>>, classes: number | null]> = [
  ['hopper-matmul', { m: 1024, n: 1024, k: 128, tileM: 128, tileN: 128, tileK: 64, stages: 2 }, 1],
  ['wgmma-loop', { m: 512, n: 1024, k: 128, tileM: 64, tileN: 128, tileK: 64 }, 1],
  ['matmul1', { m: 1024, n: 1024, k: 128 }, 1],
]

test.each(nightly ? shapes : shapes.slice(0, 1))('%s', (name, settings, classes) => {
  const { program } = right(instanceOf(right(kernelNamed(name)), settings, []))
  expect(compared(program, name)).toEqual({ name: 'ok', classes })
  // mutants of it: their verdicts as well
  const mutants = mutantsOf(program)
  const every = nightly ? 1 : Math.ceil(mutants.length / 3)
  mutants.filter((_, i) => i % every === 0).forEach((m) => compared(m.program, `${name} ${m.change}`))
})

// ---------------------------------------------------------------- what decides the way of one block, and not of another

const writeOwn = function* (to: S.Global): B.Steps<void> {
  yield* S.writeGlobal('write', S.rows(to, tileAt(block)))
}
const writeSame = function* (to: S.Global): B.Steps<void> {
  yield* S.writeGlobal('write', S.rows(to, tileAt(i32(7))))
}

/** What the two agents of each of 64 blocks do, and what comes of it. */
const ways: ReadonlyArray<
  readonly [
    string,
    (to: S.Global, x: S.Global) => B.Steps<void>,
    (to: S.Global, x: S.Global) => B.Steps<void>,
    string,
  ]
> = [
  [
    'a branch',
    function* (to) {
      yield* B.ifThen(
        'if',
        lt(block, i32(40)),
        () => writeOwn(to),
        () => writeSame(to),
      )
    },
    function* () {},
    'hazard',
  ],
  [
    'the bound of a loop',
    function* (to) {
      yield* B.forRange({ label: 'for', from: i32(0), to: rem(block, i32(3)) }, () => writeSame(to))
    },
    function* () {},
    'hazard',
  ],
  [
    'what a loop carries',
    function* (to) {
      const { c } = yield* B.forRange(
        { label: 'for', from: i32(0), to: i32(3), carried: { c: i32(0) } },
        // eslint-disable-next-line require-yield -- it has no statement
        function* (_, { c: before }) {
          return { c: add(before, block) }
        },
      )
      yield* B.ifThen(
        'if',
        lt(c, i32(180)),
        () => writeOwn(to),
        () => writeSame(to),
      )
    },
    function* () {},
    'hazard',
  ],
  [
    'a condition of a statement',
    function* () {},
    function* (to) {
      yield* B.run(
        'write',
        {
          _tag: 'gmem.store',
          destination: S.rows(to, tileAt(i32(0))),
          value: splat(float('f32', 1), [8, 32]),
        },
        { when: eq(rem(block, i32(32)), i32(1)) },
      )
    },
    'hazard',
  ],
  [
    'where a tile is, by a choice',
    function* (to) {
      yield* S.writeGlobal('write', S.rows(to, tileAt(select(lt(block, i32(63)), block, i32(3)))))
    },
    function* () {},
    'hazard',
  ],
  [
    'a place moved otherwise than another, which it meets',
    function* (to) {
      yield* S.writeGlobal('write', S.rows(to, tileAt(mul(block, i32(2)))))
      yield* S.readGlobal('read', S.rows(to, tileAt(add(block, i32(64)))))
    },
    function* () {},
    'hazard',
  ],
  [
    'what two agents store, which is the same in the first block',
    function* (to, x) {
      yield* S.copyGlobal('store mine', S.rows(x, tileAt(i32(0))), S.rows(to, tileAt(block)))
    },
    function* (to, x) {
      yield* S.copyGlobal('store yours', S.rows(x, tileAt(block)), S.rows(to, tileAt(block)))
    },
    'hazard',
  ],
  ['nothing', (to) => writeOwn(to), function* () {}, 'ok'],
]

test.each(ways)('%s', (name, producer, consumer, verdict) => {
  const program = programOf(name, 64, function* () {
    const to = yield* out
    const x = yield* S.global('x', 'in', 8 * 400)
    yield* S.together({ producer: () => producer(to, x), consumer: () => consumer(to, x) })
  })
  expect(compared(program, name).name).toBe(verdict)
})
