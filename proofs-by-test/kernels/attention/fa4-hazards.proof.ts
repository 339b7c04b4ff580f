/**
 * FA4, law 2, and what its sources had wrong: the kernel is clean, decided by one schedule; every known bug of it is found out with the id that it should
 * get, and its corrected form is clean.
 *
 * | hazard | here                                                                                                         |
 * |--------|--------------------------------------------------------------------------------------------------------------|
 * | H1     | `release: arrive`: W2 iff a slot is used twice, 2 N > S                                                      |
 * | H2     | `statistics: published`: M4                                                                                  |
 * | H3     | a thread-sync fence left out: M8. Those behind waits for a commit do not exist here: the commit carries the order |
 * | H4     | `fa4-numbers.proof.ts`: a threshold of 20 in f16: P is infinite, the result no number. (8-bit types and their offset: not in this kernel) |
 * | H5     | `fa4-numbers.proof.ts`: `safeMax: stored`, a finite `firstMax`: rows of zeros                                                       |
 * | H6     | not expressible: a block is one piece of work. What is left: every block has one tile at least               |
 * | H7     | a barrier of the wrong count: B2, or a deadlock; a rendezvous of one warpgroup: tensor memory goes too early |
 * | H8     | `fa4-numbers.proof.ts`: `residual: false`, `fill: nan`: wrong results, without a hazard                                              |
 * | H9     | O1 is never signalled: deadlock                                                                              |
 * | H10    | `fa4-memory.proof.ts`                                                                                        |
 * | H11    | of another kernel (JAX's on Hopper)                                                                          |
 * | H12    | no dealloc: T1; no rendezvous before it: refused; a load that is not waited for: M3. (Pairs of CTAs: not in this kernel) |
 */
import { describe, expect, test } from 'vitest'
import { fa4 } from '../../../src/kernels/attention/fa4/index.js'
import { causal } from '../../../src/kernels/attention/index.js'
import { standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { defaultExplore, explore, showEnd } from '../../../src/semantics/schedules/explore/index.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import { cutDown, judging, mutantsOf } from '../../../src/semantics/mutation/index.js'
import { eager, lazy, roundRobin, seeded } from '../../../src/semantics/execution/policy.js'
import { effectsOf, type Program } from '../../../src/semantics/language/program.js'
import {
  answer,
  clean,
  computed,
  idsOf,
  judged,
  leaving,
  programOf,
  small,
  statements,
  type Rest,
} from './fa4-runs.js'
import { nightly, sampled } from '../../extent.js'
import { right } from '../../either.js'

const upTo = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, k) => from + k)

// ---------------------------------------------------------------- clean

describe('law 2: clean, by one schedule', () => {
  const forms: ReadonlyArray<readonly [string, Rest]> = [
    ['as it should be', {}],
    ['without the redundant waits', { factorAcquire: false, outputWait: false }],
    ['one barrier for P and O', { barriers: 'combined' }],
    ['guarded first tiles: they fall through', { guardFirst: true }],
    ['two rings', { rings: 'separate' }],
  ]
  test.each(forms)('%s', (_name, rest) => {
    for (const tiles of nightly ? upTo(1, 7) : [1, 3])
      for (const slots of nightly ? upTo(2, 6) : [2])
        if (rest.rings !== 'separate' || slots % 2 === 0)
          expect(answer(programOf(small(tiles, slots, rest))), `${String(tiles)} ${String(slots)}`).toEqual(
            clean,
          )
  })
  test('strictly, masked, several blocks and heads', () => {
    const c = fa4(
      { batch: 2, q: 300, kv: 70, heads: 2, kvHeads: 1, headDim: 64 },
      { blockKv: 32, stages: 2, mask: causal('bottom-right') },
    )
    expect(answer(programOf(c))).toEqual(clean)
  })
  test('every schedule has one digest', () => {
    const program = programOf(small(3, 2))
    const { digest } = judged(program).verdict
    const seeds = nightly ? 1000 : 4
    for (const policy of [eager, lazy, roundRobin, ...upTo(1, seeds).map(seeded)]) {
      const { verdict } = judged(program, { policy })
      expect([verdict.verdict, verdict.digest.order]).toEqual(['ok', digest.order])
    }
  })
})

// ---------------------------------------------------------------- H1, H2, the alias

const options: CheckOptions = {
  ...standardOptions,
  provenance: false,
}

test('H1: releasing by arrive is a race whenever a slot is used twice, and clean when none is', () => {
  for (const slots of nightly ? upTo(2, 8) : [2])
    for (const tiles of upTo(1, nightly ? 5 : 2)) {
      const found = answer(programOf(small(tiles, slots, { release: 'arrive' })))
      expect(found, `${String(tiles)} tiles, ${String(slots)} slots`).toEqual(
        2 * tiles > slots ? ['hazard', 'one-schedule', 'W2'] : clean,
      )
    }
  const { verdict } = judged(programOf(small(nightly ? 3 : 2, 2, { release: 'arrive' })))
  for (const f of verdict.findings) {
    expect([f.a.does, f.b?.does]).toEqual(['tcgen05 reads', 'tmaLoad writes'])
    expect(f.b?.site).toMatch(/^copy [KV]n$/)
  }
})

test('a store that is not waited for is called by its name', () => {
  const how = options
  const program = programOf(small(3, 2))
  const judge = judging(program, how)
  const found = mutantsOf(program, ['DROP'])
    .filter((m) => m.path[0] !== 'softmax0' && /(store|load) .*wait$/.test(m.label))
    .map((m) => [m.label, m] as const)
  expect(found.map(([label]) => label)).toEqual([
    'load S1.wait',
    'store C1.wait',
    'store P1.wait',
    'load O1.wait',
    'load C0.wait',
    'load O0.wait',
    'store O0.wait',
    'load C1.wait',
    'load O1.wait',
    'store O1.wait',
  ])
  for (const [label, { fate, naming, ids }] of sampled(9, found).map(([of, m]) => [of, judge(m)] as const))
    expect([label, fate, naming, ids[0]]).toEqual([
      label,
      'killed',
      'edge',
      label.startsWith('load') ? 'M3' : 'M4',
    ])
})

test('a commit before the first product of O0 matters where that is the last: one tile kills it', () => {
  const early = (tiles: number) =>
    mutantsOf(programOf(small(tiles, 2)), ['MOVE']).find(
      (m) => m.label === 'commit O0' && m.path.length === 1,
    )
  const more = nightly ? 4 : 2
  const [one, many] = [early(1), early(more)]
  // with more tiles correction alone waits for it, and need not
  expect(many === undefined ? [] : answer(many.program)).toEqual(clean)
  expect(one === undefined ? [] : answer(one.program)).toEqual(['hazard', 'one-schedule', 'M2'])
  if (many === undefined) return
  const judge = judging(programOf(small(more, 2)), options, [cutDown(programOf(small(1, 2)), options)])
  expect(judge(many)).toMatchObject({ fate: 'killed', naming: 'site', ids: ['M2'], certificate: null })
})

test('H2: a factor that is published before its store is waited for', () => {
  for (const tiles of nightly ? [1, 2, 4] : [1, 2]) {
    const program = programOf(small(tiles, 2, { statistics: 'published' }))
    expect(answer(program)).toEqual(tiles === 1 ? clean : ['hazard', 'one-schedule', 'M4'])
    for (const f of judged(program).verdict.findings)
      expect([f.a.site.replace(/\d/, 'i'), f.b?.site.replace(/\d/, 'i')]).toEqual(['store Ci', 'load Ci'])
  }
})

test('with the order that the ISA promises alone: reported at exactly the alias of S and P', () => {
  for (const [tiles, slots] of [
    [2, 2],
    [4, 3],
  ] as const) {
    const c = small(tiles, slots)
    const { verdict, world } = judged(programOf(c), { tensorPipe: 'documented' })
    expect([verdict.verdict, ...new Set(verdict.findings.map((f) => f.id))]).toEqual(['hazard', 'D4'])
    const columns = new Set<number>()
    for (const f of verdict.findings) {
      // O_i reads P_i, the next S_i writes there
      expect([f.a.does, f.b?.does]).toEqual(['tcgen05 reads', 'tcgen05 writes'])
      const i = /^O(\d)/.exec(f.a.site)?.[1]
      expect(f.b?.site).toBe(`S${i ?? ''} = Q${i ?? ''} Kn`)
      for (const [from, to] of f.place?.spans ?? [])
        for (let at = from; at < to; at += 4) columns.add((at % 2048) / 4)
    }
    // P0 and P1: half of the columns of S0 and of S1
    expect([...columns].sort((x, y) => x - y)).toEqual([...upTo(0, 7), ...upTo(16, 23)])
    expect(world.tensorPipe).toBe('documented')
  }
  expect(answer(programOf(small(1, 2)), { tensorPipe: 'documented' })).toEqual(clean)
})

// ---------------------------------------------------------------- the redundant waits

describe('two waits are redundant', () => {
  test.skipIf(!nightly)(
    'the tool certifies them by all schedules of smaller instances, and does not certify a store that matters',
    () => {
      const how = options
      const program = programOf(small(4, 2))
      const smaller = [1, 2, 3].map((tiles) => cutDown(programOf(small(tiles, 2)), how))
      const judge = judging(program, how, smaller)
      const fates = mutantsOf(program, ['DROP'])
        .filter(
          (m) =>
            ['softmax1', 'correction'].includes(m.path[0] ?? '') &&
            /(acquire C1|wait O1|store O1)$/.test(m.label),
        )
        .map((m): readonly [string, ...(string | null)[]] => {
          const { fate, certificate } = judge(m)
          return [m.site, fate, certificate]
        })
      expect(fates).toEqual([
        ['softmax1 / n / factor / acquire C1', 'survived', 'all schedules'],
        ['softmax1 / wait O1', 'killed', null],
        ['correction / n / wait O1', 'survived', 'all schedules'],
        // no hazard, and other terms: a wrong result
        ['correction / n / store O1', 'killed', null],
      ])
    },
  )
  test('without both of a kind every schedule of a few tiles ends as before, clean, with the same bits', () => {
    const ends = (p: Program): ReadonlyArray<string> => {
      const found = right(explore(p, { arguments: noArguments, ...defaultExplore, stop: false }))
      expect([found.complete, found.found]).toEqual([true, []])
      return found.ends.map(showEnd)
    }
    const all = (p: Program): number => effectsOf(p.entry.body).length
    for (const tiles of nightly ? [1, 2, 3, 4] : [2]) {
      const c = small(tiles, 2)
      const [endsOfAll, bitsOfAll] = [ends(programOf(c)), computed(c, 'bits')]
      for (const rest of [{ factorAcquire: false }, { outputWait: false }]) {
        const fewer = small(tiles, 2, rest)
        expect(ends(programOf(fewer))).toEqual(endsOfAll)
        expect(computed(fewer, 'bits')).toEqual(bitsOfAll)
        // the choice leaves out two waits and nothing else
        expect(all(programOf(c)) - all(programOf(fewer))).toBe(2)
      }
    }
  })
})

// ---------------------------------------------------------------- H3, H7, H9, H12: protocol

test('H3: thread-sync fences left out', () => {
  const fences = [
    'publish C0',
    'publish C1',
    'release S0',
    'release S1',
    'release O0',
    'release O1',
    'wait C0',
    'wait C1',
    'acquire P0',
    'acquire P1',
  ]
  const program = programOf(small(3, 2))
  const all = new Set(
    effectsOf(program.entry.body).flatMap((s) =>
      s.instruction._tag.startsWith('tcgen05.fence') ? [s.site.label] : [],
    ),
  )
  expect(all).toEqual(new Set(fences.map((label) => `${label}.fence`)))
  for (const label of all)
    expect([label, ...answer(leaving(label)(program))]).toEqual([label, 'hazard', 'one-schedule', 'M8'])
})

test('H7: counts', () => {
  const program = programOf(small(3, 2))
  const counted = (label: string, count: number) =>
    statements((s) =>
      s.site.label === label && s.instruction._tag === 'mbarrier.init'
        ? { ...s, instruction: { ...s.instruction, count } }
        : s,
    )(program)
  for (const barrier of ['s_empty[0]', 'c_full[1]', 'o_empty[0]', 'kv empty[0]'])
    expect(judged(counted(`init ${barrier}`, 2)).verdict.verdict).toBe('deadlock')
  // all threads of a warp arrive on a barrier that counts one
  const many = statements((s) =>
    s.site.label === 'publish C0' && s.instruction._tag === 'mbarrier.arrive'
      ? { ...s, instruction: { ...s.instruction, count: 32 } }
      : s,
  )(program)
  expect(idsOf(judged(many))).toContain('B2')
  // each warpgroup meets itself
  const alone = statements((s) =>
    s.instruction._tag === 'bar.sync' ? { ...s, instruction: { ...s.instruction, count: 128 } } : s,
  )(program)
  expect(judged(alone, { explore: true }).verdict.verdict).not.toBe('ok')
})

test('H9: a barrier of O that nobody signals', () => {
  for (const label of ['commit O0', 'commit O1'])
    expect(judged(leaving(label)(programOf(small(3, 2)))).verdict.verdict).toBe('deadlock')
})

test('H12: tensor memory at the end', () => {
  const program = programOf(small(2, 2))
  expect(answer(leaving('deallocate')(program))).toEqual(['hazard', 'one-schedule', 'T1'])
  expect(judged(leaving('rows are done')(program)).verdict.verdict).toBe('invalid')
  for (const i of ['0', '1']) expect(answer(leaving(`load O${i}.wait`)(program))[0]).toBe('hazard')
})
