/**
 * Grids of which one CTA of each class is run. Oracle: the run of every CTA.
 *
 * | what                                                     | oracle                                                        |
 * |----------------------------------------------------------|---------------------------------------------------------------|
 * | verdict, findings, notes, conditions by classes          | those of a run of every cluster                               |
 * | of one class, from a log that is kept                    | the same, of a cluster that is run again to be judged         |
 * | the log of a fellow                                      | the log of its cluster, run alone, footprint by footprint     |
 * | who is alike, where addresses are moved                  | by hand                                                       |
 */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { shadow } from '../../../src/numerics/shadow.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { checkSource, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { fellowsAlike, fellowsCompared, toldOf } from './alike.js'
import { gridOf, gridOfLines } from './grids.js'

const algebra = shadow(bits('hopper'))
const how: CheckOptions = Object.assign({}, standardOptions, { algebra, explore: false, explain: false })
/** By day as well: what is found again and again in bytes that other reads divide, and what a CTA has stored and goes by. */
const telling = [205, 387, 668]
const seeds = [...Array.from({ length: nightly ? 3000 : 20 }, (_, i) => i + 1), ...(nightly ? [] : telling)]
/** All of them take minutes. */
const patience = nightly ? 900_000 : 120_000

/** Eager, but not by its name. */
const nameless: AnyPolicy = (k) => eager((policy) => k(policy))

// ---------------------------------------------------------------- verdicts

test('by classes a verdict is what it is by every cluster', { timeout: patience }, () => {
  let byClasses = 0
  let fewer = 0
  const names = new Set<string>()
  for (const seed of seeds) {
    const { program, given, text } = gridOf(seed)
    const source = warpSource(program, given)
    const some = checkSource(source, how)
    const all = checkSource(source, Object.assign({}, how, { everyCluster: true }))
    if (E.isLeft(some) || E.isLeft(all)) {
      expect(E.isLeft(some)).toBe(E.isLeft(all))
      continue
    }
    const { classes } = some.right.verdict
    if (classes === undefined) continue
    byClasses++
    if (classes.length > 1) fewer++
    names.add(some.right.verdict.verdict)
    expect(toldOf(some.right.verdict), `${String(seed)}\n${text}`).toEqual(toldOf(all.right.verdict))
    // of a policy without a name no log is kept, and the cluster is run again to be judged
    const again = checkSource(source, Object.assign({}, how, { policy: nameless }))
    expect(right(again).verdict, `${String(seed)}\n${text}`).toEqual(some.right.verdict)
    expect(classes.reduce((n, c) => n + c.of, 0)).toBe(all.right.verdict.counts.clusters)
  }
  expect(byClasses).toBeGreaterThan(seeds.length / 4)
  expect(fewer).toBeGreaterThan(0)
  expect([...names].sort()).toEqual(['hazard', 'ok'])
})

/** Without the barrier between them that shared memory needs. */
const races = ['st.shared.u32 [%r12], %r1;', 'ld.shared.u32 %r9, [%r13];']
/** What one CTA finds, and another does not, decides which way it goes: the first two are right, the others are not. */
const found = ['setp.lt.u32 %p1, %r4, 2;', '@%p1 bra L;', ...races, 'L:']
const own = ['mul.wide.u32 %rd5, %r14, 4;', 'add.u64 %rd6, %rd2, %rd5;']
const lasts = [...own, 'st.global.u32 [%rd6], %r9;']
const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
  'its number, by a branch': ['mov.u32 %r4, %r2;', ...found, ...lasts],
  'its number, from what it has stored in global memory': [
    ...own,
    'st.global.u32 [%rd6], %r2;',
    'ld.global.u32 %r4, [%rd6];',
    ...found,
    ...lasts,
  ],
  'its number, from shared memory': [
    'st.shared.u32 [%r12], %r2;',
    'ld.shared.u32 %r4, [%r12];',
    ...found,
    ...lasts,
  ],
  'its row of a table that is copied': [
    'mul.wide.u32 %rd5, %r2, 4;',
    'add.u64 %rd6, %rd1, %rd5;',
    'cp.async.ca.shared.global [%r12], [%rd6], 4;',
    'cp.async.wait_all;',
    'ld.shared.u32 %r4, [%r12];',
    ...found,
    ...lasts,
  ],
  'its row of a table that is loaded': [
    'mul.wide.u32 %rd5, %r2, 4;',
    'add.u64 %rd6, %rd1, %rd5;',
    'ld.global.u32 %r4, [%rd6];',
    ...found,
    ...lasts,
  ],
  'its number, from the lanes of its warp': ['shfl.sync.idx.b32 %r4, %r2, 3, 31, -1;', ...found, ...lasts],
  'its number, in a predicate': ['setp.lt.u32 %p1, %r2, 2;', '@%p1 bar.sync 0;', ...lasts],
  'its number, as that of a barrier': ['bar.sync %r2;', ...lasts],
  'a lane that has its number, and is not there': [
    'setp.ge.u32 %p1, %r1, 2;',
    '@%p1 bra M;',
    'shfl.sync.idx.b32 %r4, %r1, %r2, 31, 3;',
    'setp.lt.u32 %p2, %r4, 1;',
    '@%p2 bra M;',
    'M:',
    ...lasts,
  ],
}

const hidden: ReadonlyArray<string> = [
  'ld.global.u32 %r9, [%rd1];',
  'and.b32 %r9, %r9, %r2;',
  'setp.eq.u32 %p1, %r9, 0;',
  '@%p1 bra L;',
  ...races,
  'L:',
  ...lasts,
]

test.each([
  ...Object.entries(ways).map(([name, lines]) => [name, lines, true] as const),
  ['data that its number hides', hidden, false] as const,
])('%s', (_, lines, table) => {
  const { program, given } = gridOfLines(lines, [5], table)
  const source = warpSource(program, given)
  const some = right(checkSource(source, how)).verdict
  const all = right(checkSource(source, Object.assign({}, how, { everyCluster: true }))).verdict
  expect(toldOf(some)).toEqual(toldOf(all))
})

// ---------------------------------------------------------------- logs

test(
  'a fellow that is alike does what its cluster does, at places that are moved as it says',
  { timeout: patience },
  () => {
    let compared = 0
    for (const seed of seeds) {
      const { program, given, text } = gridOf(seed)
      const count = given.grid.reduce((n, d) => n * d, 1)
      const others = Array.from({ length: count - 1 }, (_, i) => i + 1)
      compared += fellowsCompared(warpSource(program, given), algebra, others, `${String(seed)}\n${text}`)
    }
    expect(compared).toBeGreaterThan(seeds.length)
  },
)

// ---------------------------------------------------------------- places

const at = (index: string): ReadonlyArray<string> => [
  `mul.wide.u32 %rd5, ${index}, 4;`,
  'add.u64 %rd6, %rd2, %rd5;',
]
const stores = 'st.global.u32 [%rd6], %r9;'
const further = ['mov.u32 %r4, %r2;', 'cvt.u64.u32 %rd4, %r4;', 'add.u64 %rd6, %rd6, %rd4;']

test.each<readonly [name: string, lines: ReadonlyArray<string>, alike: ReadonlyArray<number>]>([
  ['its own words', [...at('%r14'), stores], [1, 2, 3, 4]],
  ['the same words in all', [...at('%r1'), stores], [1, 2, 3, 4]],
  ['words past the end', ['shl.b32 %r5, %r14, 1;', ...at('%r5'), stores], [1]],
  [
    'words before the beginning',
    [...at('%r1'), 'mul.wide.u32 %rd4, %r2, 4;', 'sub.u64 %rd6, %rd6, %rd4;', stores],
    [],
  ],
  [
    'words before the beginning, by an offset',
    ['add.u32 %r5, %r1, 4;', 'sub.u32 %r5, %r5, %r2;', ...at('%r5'), 'st.global.u32 [%rd6+-16], %r9;'],
    [],
  ],
  ['not at whole words', [...at('%r1'), ...further, stores], [4]],
  ['lanes that are moved otherwise', ['xor.b32 %r5, %r1, %r2;', ...at('%r5'), stores], []],
  ['lanes that are moved further each', ['mad.lo.u32 %r5, %r1, %r2, %r1;', ...at('%r5'), stores], []],
  [
    'one lane that is moved',
    ['setp.eq.u32 %p1, %r1, 40;', 'mov.u32 %r5, %r1;', '@%p1 add.u32 %r5, %r1, %r2;', ...at('%r5'), stores],
    [],
  ],
  ['other words', [...at('%r14'), 'st.global.u32 [%rd6], %r2;'], [1, 2, 3, 4]],
  [
    'in another tensor',
    [
      ...at('%r1'),
      'setp.gt.u32 %p1, %r2, 2;',
      'add.u64 %rd5, %rd1, %rd5;',
      'selp.b64 %rd6, %rd5, %rd6, %p1;',
      'ld.global.u32 %r4, [%rd6];',
    ],
    [1, 2],
  ],
  [
    'copied from further on',
    [...at('%r14'), 'cp.async.ca.shared.global [%r12], [%rd6], 4;', 'cp.async.wait_all;'],
    [1, 2, 3, 4],
  ],
  [
    'copied to somewhere else',
    [
      ...at('%r14'),
      'shl.b32 %r5, %r2, 2;',
      'xor.b32 %r5, %r12, %r5;',
      'cp.async.ca.shared.global [%r5], [%rd6], 4;',
      'cp.async.wait_all;',
    ],
    [],
  ],
])('%s', (name, lines, alike) => {
  const { program, given } = gridOfLines(lines, [5], false)
  const source = warpSource(program, given)
  fellowsCompared(source, algebra, [1, 2, 3, 4], name)
  expect(fellowsAlike(source, algebra, [1, 2, 3, 4])).toEqual(alike)
})

test('fellows of two coordinates are of as many kinds', () => {
  const lines = [
    'shl.b32 %r4, %r2, 1;',
    'add.u32 %r5, %r3, %r4;',
    'and.b32 %r6, %r5, 1;',
    ...at('%r6'),
    stores,
  ]
  const { program, given } = gridOfLines(lines, [3, 4], false)
  const others = Array.from({ length: 11 }, (_, i) => i + 1)
  expect(fellowsAlike(warpSource(program, given), algebra, others)).toEqual(others)
})
