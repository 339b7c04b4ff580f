/**
 * FA4, law 2, and what its sources had wrong: the kernel is clean, decided by one schedule; every known bug of it is found out with the id that it should
 * get, and its corrected form is clean; every single omission of the protocol does what a search of all its interleavings says.
 *
 * | hazard | here                                                                                                         |
 * |--------|--------------------------------------------------------------------------------------------------------------|
 * | H1     | `release: arrive`: W2 iff a slot is used twice, 2 N > S                                                      |
 * | H2     | `statistics: published`: M4                                                                                  |
 * | H3     | a thread-sync fence left out: M8. Those behind waits for a commit do not exist here: the commit carries the order |
 * | H4     | a threshold of 20 in f16: P is infinite, the result no number. (8-bit types and their offset: not in this kernel) |
 * | H5     | `safeMax: stored`, a finite `firstMax`: rows of zeros                                                       |
 * | H6     | not expressible: a block is one piece of work. What is left: every block has one tile at least               |
 * | H7     | a barrier of the wrong count: B2, or a deadlock; a rendezvous of one warpgroup: tensor memory goes too early |
 * | H8     | `residual: false`, `fill: nan`: wrong results, without a hazard                                              |
 * | H9     | O1 is never signalled: deadlock                                                                              |
 * | H10    | `fa4-memory.proof.ts`                                                                                        |
 * | H11    | of another kernel (JAX's on Hopper)                                                                          |
 * | H12    | no dealloc: T1; no rendezvous before it: refused; a load that is not waited for: M3. (Pairs of CTAs: not in this kernel) |
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  consumerState,
  expressions,
  kvConsumerPipeline,
  kvProducerPipeline,
} from '../../../src/dialects/mojo/index.js'
import { fa4, type Counters, type Fa4 } from '../../../src/kernels/attention/fa4/index.js'
import { causal, farthest, tolerances } from '../../../src/kernels/attention/index.js'
import { without } from '../../../src/kernels/broken/without.js'
import { defaultExplore, explore, type Kind } from '../../../src/semantics/explore/index.js'
import type { CheckOptions } from '../../../src/semantics/check.js'
import { noArguments } from '../../../src/semantics/launch.js'
import { cutDown, judging, mutantsOf } from '../../../src/semantics/mutation/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { eager, lazy, roundRobin, seeded } from '../../../src/semantics/policy.js'
import { effectsOf, type Do, type Program, type Region, type Stmt } from '../../../src/semantics/program.js'
import { right } from '../../layouts/captured.js'
import { computed, expected, idsOf, judged, patternsOf, programOf, small, type Rest } from './fa4-runs.js'

const nightly = process.env['TCSPEC_NIGHTLY'] !== undefined
const upTo = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, k) => from + k)

/** verdict, who decided, ids */
const answer = (program: Program, how: Parameters<typeof judged>[1] = {}) => {
  const c = judged(program, how)
  return [c.verdict.verdict, c.verdict.decidedBy, ...idsOf(c)]
}
const clean = ['ok', 'one-schedule']

const leaving =
  (...labels: ReadonlyArray<string>) =>
  (program: Program): Program =>
    labels.reduce((p, label) => right(without(label)(p)), program)

/** Every region of a program, changed. */
const regions = (change: (body: ReadonlyArray<Stmt>) => ReadonlyArray<Stmt>) => {
  const region = (r: Region): Region => ({ ...r, body: change(r.body).map(inside) })
  const inside = (s: Stmt): Stmt => {
    switch (s._tag) {
      case 'Let':
      case 'Do':
        return s
      case 'For':
        return { ...s, body: region(s.body) }
      case 'While':
        return { ...s, before: region(s.before), after: region(s.after) }
      case 'If':
        return { ...s, then: region(s.then), else: region(s.else) }
      case 'Fork':
        return { ...s, branches: s.branches.map((b) => ({ ...b, body: region(b.body) })) }
    }
  }
  return (program: Program): Program => ({ ...program, entry: region(program.entry) })
}
const statements = (change: (s: Do) => Do) =>
  regions((body) => body.map((s) => (s._tag === 'Do' ? change(s) : s)))

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
    for (const tiles of nightly ? upTo(1, 7) : [1, 2, 5])
      for (const slots of nightly ? upTo(2, 6) : [2, 3])
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
    const seeds = nightly ? 1000 : 30
    for (const policy of [eager, lazy, roundRobin, ...upTo(1, seeds).map(seeded)]) {
      const { verdict } = judged(program, { policy })
      expect([verdict.verdict, verdict.digest.order]).toEqual(['ok', digest.order])
    }
  })
})

// ---------------------------------------------------------------- H1, H2, the alias

test('H1: releasing by arrive is a race whenever a slot is used twice, and clean when none is', () => {
  for (const slots of nightly ? upTo(2, 8) : [2, 3, 4])
    for (const tiles of upTo(1, nightly ? 5 : 3)) {
      const found = answer(programOf(small(tiles, slots, { release: 'arrive' })))
      expect(found, `${String(tiles)} tiles, ${String(slots)} slots`).toEqual(
        2 * tiles > slots ? ['hazard', 'one-schedule', 'W2'] : clean,
      )
    }
  const { verdict } = judged(programOf(small(3, 2, { release: 'arrive' })))
  for (const f of verdict.findings) {
    expect([f.a.does, f.b?.does]).toEqual(['tcgen05 reads', 'tmaLoad writes'])
    expect(f.b?.site).toMatch(/^copy [KV]n$/)
  }
})

test('H2: a factor that is published before its store is waited for', () => {
  for (const tiles of [1, 2, 4]) {
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
  test('the tool certifies them by all schedules of smaller instances, and does not certify a store that matters', () => {
    const how: CheckOptions = {
      settings: {},
      algebra: unit,
      arguments: noArguments,
      policy: eager,
      strict: false,
      strictProxies: false,
      hazards: true,
      provenance: false,
      explore: true,
      fuel: 10_000_000,
    }
    const program = programOf(small(4, 2))
    const smaller = (nightly ? [1, 2, 3] : [1, 2]).map((tiles) => cutDown(programOf(small(tiles, 2)), how))
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
      // no hazard, and other numbers: nothing is certified
      ['correction / n / store O1', 'survived', null],
    ])
  })
  test('without both of a kind every schedule of a few tiles ends as before, clean, with the same bits', () => {
    for (const rest of [{ factorAcquire: false }, { outputWait: false }])
      for (const tiles of nightly ? [1, 2, 3, 4] : [2]) {
        const ends = (p: Program): ReadonlyArray<string> => {
          const found = right(explore(p, { arguments: noArguments, ...defaultExplore, stop: false }))
          expect([found.complete, found.found]).toEqual([true, []])
          return found.ends
        }
        const [c, fewer] = [small(tiles, 2), small(tiles, 2, rest)]
        expect(ends(programOf(fewer))).toEqual(ends(programOf(c)))
        expect(computed(fewer, 'bits')).toEqual(computed(c, 'bits'))
        // the choice leaves out two waits and nothing else
        const all = (p: Program): number => effectsOf(p.entry.body).length
        expect(all(programOf(c)) - all(programOf(fewer))).toBe(2)
      }
  })
})

// ---------------------------------------------------------------- omissions

interface Omission {
  readonly name: string
  readonly rest?: Rest
  readonly made?: Partial<Counters>
  readonly change?: (p: Program) => Program
  readonly tiles: number
  readonly slots: number
  /** what a search of all schedules must find */
  readonly kinds: ReadonlyArray<Kind>
  /** one schedule is enough to say this */
  readonly once?: string
}

const consumerThat = (
  change: (made: ReturnType<Counters['consumer']>) => ReturnType<Counters['consumer']>,
): Partial<Counters> => ({ consumer: (of) => change(kvConsumerPipeline(expressions, of)) })

const omissions: ReadonlyArray<Omission> = [
  {
    name: 'no acquire of slots',
    change: leaving('acquire Kn', 'acquire Vn'),
    tiles: 2,
    slots: 2,
    kinds: ['race', 'deadlock'],
  },
  {
    name: "the load warp's phase starts at 0, two slots",
    made: {
      producer: (of) => ({
        ...kvProducerPipeline(expressions, of),
        start: { kvPipeline: consumerState(expressions) },
      }),
    },
    tiles: 2,
    slots: 2,
    kinds: ['race'],
    once: 'deadlock',
  },
  {
    name: "the load warp's phase starts at 0, more slots: it waits for a fresh barrier",
    made: {
      producer: (of) => ({
        ...kvProducerPipeline(expressions, of),
        start: { kvPipeline: consumerState(expressions) },
      }),
    },
    tiles: 2,
    slots: 3,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  {
    name: "O's phase starts at 0",
    made: { outputs: consumerState(expressions) },
    tiles: 1,
    slots: 2,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  { name: 'no wait for Q1', change: leaving('wait Q1'), tiles: 2, slots: 2, kinds: ['race'], once: 'hazard' },
  {
    name: 'no acquire of O',
    change: leaving('acquire O0', 'acquire O1'),
    tiles: 2,
    slots: 2,
    kinds: ['race', 'deadlock'],
  },
  {
    name: 'no acquire of P',
    change: leaving('acquire P0', 'acquire P1'),
    tiles: 2,
    slots: 2,
    kinds: ['race'],
  },
  {
    name: 'no release of V',
    change: leaving('release V'),
    tiles: 2,
    slots: 2,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  {
    name: 'V is released by the current index',
    made: consumerThat((made) => ({
      ...made,
      releaseV: (at, of) => made.releaseV({ ...at, vPipelineReleaseIndex: at.kvPipeline.index }, of),
    })),
    tiles: 2,
    slots: 2,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  {
    name: 'waitK of K0 steps first',
    made: consumerThat((made) => ({
      ...made,
      waitK: (at, of) => made.waitK(at, { ...of, preIncrement: true }),
    })),
    tiles: 2,
    slots: 2,
    kinds: ['race', 'deadlock'],
    once: 'deadlock',
  },
  { name: 'one slot', tiles: 1, slots: 1, kinds: ['race', 'deadlock'] },
  {
    name: 'one slot, V0 guarded',
    rest: { guardFirst: true },
    tiles: 2,
    slots: 1,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
]

test.each(omissions)('omission: $name', ({ rest, made, change, tiles, slots, kinds, once }) => {
  const program = (change ?? ((p: Program) => p))(programOf(small(tiles, slots, rest), made))
  const one = judged(program)
  expect(one.verdict.verdict).not.toBe('ok')
  if (once !== undefined) expect(one.verdict.verdict).toBe(once)
  const all = right(
    explore(program, { arguments: noArguments, ...defaultExplore, stop: false, states: 10_000 }),
  )
  const found = new Set(all.found.map((f) => f.kind))
  expect([...found]).toEqual(expect.arrayContaining([...kinds]))
  // and nothing but what is named, where that is a deadlock alone
  if (kinds.length === 1 && kinds[0] === 'deadlock')
    expect([all.complete, ...found]).toEqual([true, 'deadlock'])
})

/** In each softmax: the factor after P. */
const published = regions((body) => {
  const factor = body.findIndex((s) => s._tag === 'If' && s.site.label === 'factor')
  const release = body.findIndex((s) => s._tag === 'Do' && /^release S\d$/.test(s.site.label))
  return factor < 0 || release < factor
    ? body
    : [
        ...body.slice(0, factor),
        ...body.slice(factor + 1, release + 1),
        body[factor]!,
        ...body.slice(release + 1),
      ]
})

test('a factor that is published after P: harmless beside P, wrong where it lies in P', () => {
  // beside P: O_i waits for the rescaling, and that for the factor
  for (const tiles of [2, 3]) {
    const late = published(programOf(small(tiles, 2)))
    expect(late).not.toEqual(programOf(small(tiles, 2)))
    expect(answer(late)).toEqual(clean)
    const all = right(explore(late, { arguments: noArguments, ...defaultExplore, stop: false }))
    expect([all.complete, all.found]).toEqual([true, []])
  }
  // without that wait nothing keeps the next S from the column of the factor
  const combinedNothing = leaving('acquire O0', 'acquire O1')(published(programOf(small(3, 2))))
  expect(judged(combinedNothing, { explore: true }).verdict.verdict).not.toBe('ok')
  // as a model that takes S, P and C for one region: C in the first column of P
  const inP = (p: Program): Program => ({
    ...p,
    storage: p.storage.map((s) => {
      const under = p.storage.find((t) => t.id === s.id.replace('C', 'P'))
      return /^C\d$/.test(s.id) && under?.offset !== undefined ? { ...s, offset: under.offset } : s
    }),
  })
  const c = { ...small(3, 2), q: 2 }
  const right_ = expected(c)
  const off = (p: Program): boolean =>
    farthest(tolerances.real64, computed(c, 'real64', patternsOf(c), eager, p).out, right_.out, 4) !== null
  // before P the factor is lost to P; after it P is lost to the factor: ordered, and wrong
  expect(answer(inP(programOf(c)))[0]).toBe('hazard')
  expect(answer(inP(published(programOf(c))))).toEqual(clean)
  expect([off(programOf(c)), off(published(programOf(c))), off(inP(published(programOf(c))))]).toEqual([
    false,
    false,
    true,
  ])
})

test('a last release of V: the commit may come when the block is gone', () => {
  for (const slots of [2, 3])
    expect(answer(programOf(small(3, slots, { lastRelease: true })))).toEqual([
      'hazard',
      'one-schedule',
      'U2',
    ])
  // an arrive is there at once: clean, of a barrier that nobody waits for
  for (const tiles of [1, 2])
    expect(answer(programOf(small(tiles, 4, { lastRelease: true, release: 'arrive' })))).toEqual(clean)
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

// ---------------------------------------------------------------- H4, H5, H8: numbers

describe('wrong numbers, without a hazard', () => {
  const one = (rest: Rest): Fa4 =>
    fa4({ batch: 1, q: 2, kv: 40, heads: 1, kvHeads: 1, headDim: 64 }, { blockKv: 16, stages: 2, ...rest })
  const wrong = (c: Fa4, over: 'real64' | 'bits', operands = patternsOf(c)): boolean => {
    const of = over === 'bits' ? tolerances.f16 : tolerances.real64
    return farthest(of, computed(c, over, operands).out, expected(c, operands).out, 4) !== null
  }
  /** q is 1 in its first component, k is `score` there, by the tile: scores are known */
  const scored = (c: Fa4, scores: ReadonlyArray<number>) => {
    const operands = patternsOf(c)
    // halves of small integers, as patterns of f16
    const pattern = (x: number): number => {
      const sign = x < 0 ? 0x8000 : 0
      const y = Math.abs(x)
      if (y === 0) return sign
      const e = Math.floor(Math.log2(y))
      return sign + ((e + 15) << 10) + Math.round((y / 2 ** e - 1) * 1024)
    }
    return {
      ...operands,
      q: operands.q.map((_, i) => (i % 64 === 0 ? pattern(1) : 0)),
      k: operands.k.map((_, i) => (i % 64 === 0 ? pattern(scores[Math.floor(i / 64 / 16)] ?? 0) : 0)),
    }
  }

  test('H4: a threshold that P does not hold', () => {
    // the maximum grows by 13 tile by tile: 2^(13 log2 e) = 2^18.75 is more than f16 holds
    const scores = [0, 13, 0]
    for (const [threshold, found] of [
      [0, false],
      [8, false],
      [20, true],
    ] as const) {
      const c = one({ threshold })
      expect(wrong(c, 'bits', scored(c, scores)), String(threshold)).toBe(found)
      expect(wrong(c, 'real64', scored(c, scores))).toBe(false)
    }
  })

  test('H5: a maximum that is none', () => {
    // row 20 sees nothing of the first tile, and low scores in the next
    const low = [-300, -300, -300]
    const later = { _tag: 'window', left: 0, right: null, alignment: 'top-left' } as const
    for (const [rest, found] of [
      [{}, false],
      [{ safeMax: 'stored' }, true],
    ] as const) {
      const c = { ...one({ mask: later, ...rest }), q: 40 }
      expect(wrong(c, 'bits', scored(c, low)), JSON.stringify(rest)).toBe(found)
    }
    for (const [firstMax, found] of [
      [-Infinity, false],
      [-50, true],
    ] as const) {
      const c = one({ firstMax })
      expect(wrong(c, 'bits', scored(c, low)), String(firstMax)).toBe(found)
    }
  })

  test('H8: keys past the last, and what lies there of V', () => {
    expect(wrong(one({}), 'real64')).toBe(false)
    expect(wrong(one({ residual: false }), 'real64')).toBe(true)
    const poisoned = computed(one({ fill: 'nan' }), 'bits').out
    expect(poisoned.some(Number.isNaN)).toBe(true)
    expect(answer(programOf(one({ fill: 'nan', residual: false })))).toEqual(clean)
  })
})

test('settings that are no kernel are refused, each by its name', () => {
  const shape = { batch: 1, q: 256, kv: 64, heads: 2, kvHeads: 1, headDim: 64 }
  const why = (told: Fa4): string => {
    const made = E.tryCatch(
      () => programOf(told),
      (e) => String(e),
    )
    return E.isLeft(made) ? made.left : 'ok'
  }
  for (const [change, text] of [
    [{ headDim: 96 }, 'headDim is 96: expected 64 or 128'],
    [{ kvHeads: 3 }, 'heads is 2: expected a multiple of kvHeads, which is 3'],
    [{ blockKv: 24 }, 'blockKv is 24: expected a multiple of 16 up to 192'],
    [{ blockKv: 208 }, 'blockKv is 208: expected a multiple of 16 up to 192'],
    [{ headDim: 128, blockKv: 192 }, 'blockKv is 192: expected a multiple of 16 up to 128'],
    [{ rings: 'separate', stages: 3 }, 'stages is 3: expected an even number'],
    [{ stages: 0 }, 'stages is 0: expected a positive integer'],
    [{ threshold: -1 }, 'threshold is -1: expected 0 or more'],
    [{ q: 1.5 }, 'q is 1.5: expected a positive integer'],
  ] as const)
    expect(why({ ...fa4(shape, { blockKv: 16, stages: 2 }), ...change })).toContain(text)
})
