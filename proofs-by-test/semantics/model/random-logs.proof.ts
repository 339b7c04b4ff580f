/** Model = detector on random logs: what random programs have not (strong accesses, fences of memory, semaphores, forks, tensor maps, scopes), in any order that a log can have. */
import { describe, expect, it } from 'vitest'
import { nightly } from '../../extent.js'
import { defaults, judgeLog } from '../../../src/semantics/judging/detector/index.js'
import { asSpans } from '../../../src/semantics/log/events.js'
import { differences } from './comparison.js'
import { read } from './litmus.js'
import { logOf, mapLogOf, strongLogOf } from './random-log.js'

describe('random logs', () => {
  it('an atomic read hides no plain write: a plain read behind it that is not ordered races with that write', () => {
    const { header, log } = read([
      'T0: write s',
      'T0: arrive b',
      'T1: wait b 0',
      'T1: wait.semaphore s 0',
      'T2: read s',
    ])
    expect(differences(header, log)).toEqual([])
    const { findings } = judgeLog(header, log, defaults)
    expect(findings.map((f) => [f.a.site, f.b?.site])).toEqual([['T0: write s', 'T2: read s']])
  })
  it('a signal that reaches less far than one before it tells those that it reaches', () => {
    const says = (first: string, second: string, waiter: string): ReadonlyArray<unknown> => {
      const { header, log } = read([
        `T0: signal s 1${first}`,
        'T0: write g',
        `T0: signal s 1${second}`,
        `${waiter}: wait.semaphore s 2`,
        `${waiter}: read g`,
      ])
      expect(differences(header, log)).toEqual([])
      return judgeLog(header, log, defaults).findings.map((f) => f.id)
    }
    for (const first of ['', ' cluster', ' cta'])
      for (const second of ['', ' cluster', ' cta'])
        expect([first, second, says(first, second, 'T1')]).toEqual([first, second, []])
    expect(says('', '', 'U0')).toEqual([])
    // out of its scope the counter itself is a race
    expect(says('', ' cta', 'U0')).toContain('V1')
  })
  it('a semaphore wait reads before it knows what it waits for', () => {
    // the first signal is out of its scope, and what tells of it is the second: the counter itself is a hazard
    const { header, log } = read([
      'U0: signal s 1 cta',
      'U0: signal s 1',
      'T0, U0: meet relaxed',
      'T0: wait.semaphore s 1',
    ])
    expect(differences(header, log)).toEqual([])
    expect(judgeLog(header, log, defaults).findings.map((f) => f.id)).toEqual(['V1'])
  })
  it('a read that has not seen all that was there shows of nothing that it has landed', () => {
    const { header, log } = read([
      'T0: atomic x',
      'T1: atomic x',
      'T0: issue #1 mma',
      '#1: read x',
      '#1: write t',
      'T1: arrive c +16',
      'T1: issue #2 load',
      '#2: write x',
      '#2: bytes c 16',
    ])
    expect(differences(header, log)).toEqual([])
  })
  it('without a signal those behind it of its agent are lacking, too', () => {
    const fails = (...signals: ReadonlyArray<string>): boolean => {
      const { header, log } = read([...signals, 'T0: wait.semaphore s 2'])
      expect(differences(header, log)).toEqual([])
      return !judgeLog(header, log, defaults).conditions.C4.holds
    }
    expect(fails('T1: signal s 1', 'T1: signal s 2')).toBe(false)
    expect(fails('T1: signal s 2', 'T1: signal s 1')).toBe(true)
    expect(fails('T1: signal s 1', 'T2: signal s 2')).toBe(true)
  })
  it('an acquire of a part of a tensor map is none of the map', () => {
    const { header, log } = read([
      'T0: write g',
      'T0: fence map.release',
      'T0, T1: meet',
      'T1: fence map.acquire g',
      'T1: issue #1 store',
      '#1: read g tensormap',
      'T1: commit bulk',
      'T1: wait.group bulk 0',
    ])
    const said = (first: number, end: number): ReadonlyArray<string> => {
      const changed = log.map((e) =>
        e._tag === 'fence' && e.footprint !== undefined
          ? Object.assign({}, e, {
              footprint: Object.assign({}, e.footprint, {
                id: 100 + first,
                spans: asSpans(Int32Array.of(first, end)),
              }),
            })
          : e,
      )
      expect(differences(header, changed)).toEqual([])
      return judgeLog(header, changed, defaults).findings.map((f) => f.id)
    }
    expect(said(0, 16)).toEqual([])
    expect(said(0, 32)).toEqual([])
    for (const [first, end] of [
      [0, 8],
      [8, 16],
      [4, 12],
    ] as const)
      expect(said(first, end)).toEqual(['P5'])
  })
  it('the bytes of a barrier are its own while it lives', () => {
    const said = (...lines: ReadonlyArray<string>): ReadonlyArray<string> => {
      const { header, log } = read(lines)
      const { plane, address } = header.barriers[0]!
      const changed = log.map((e) =>
        e._tag === 'access'
          ? Object.assign({}, e, {
              footprint: Object.assign({}, e.footprint, {
                id: 100,
                plane,
                spans: asSpans(Int32Array.of(address!, address! + 4)),
              }),
            })
          : e,
      )
      expect(differences(header, changed)).toEqual([])
      return judgeLog(header, changed, defaults).findings.map((f) => f.id)
    }
    expect(said('T0: arrive b', 'T0: write x')).toEqual(['B7'])
    expect(said('T0: arrive b', 'T0: inval b', 'T0: write x')).toEqual([])
    expect(said('T0: arrive b', 'T0: inval b', 'T0: init b', 'T0: write x')).toEqual(['B7'])
  })
  it('an access of two pieces releases each of them', () => {
    const { header, log } = read([
      'T0: write g',
      'T0: store s release',
      'T1: wait.word s acquire',
      'T1: read g',
    ])
    const changed = log.map((e) =>
      e._tag === 'access' && e.atomic && e.rw === 'w'
        ? Object.assign({}, e, {
            footprint: Object.assign({}, e.footprint, {
              id: 100,
              spans: asSpans(Int32Array.of(0, 4, 8, 12)),
            }),
          })
        : e,
    )
    expect(differences(header, changed)).toEqual([])
    expect(judgeLog(header, changed, defaults).findings).toEqual([])
  })
  it.each<readonly [about: string, lines: ReadonlyArray<string>, found: ReadonlyArray<string>]>([
    ['comes again without having left', ['T0: come', 'T1: come', 'T0: come'], ['B2']],
    [
      'comes again after it has left',
      ['T0: come', 'T1: come', 'T0: go', 'T1: go', 'T0: come', 'T1: come'],
      [],
    ],
    ['reads what is written later', ['nothing is written before', 'T0: read x', 'T1: write x'], ['D1']],
    ['exchanges what nobody has written', ['nothing is written before', 'T0: atomic x exchange'], []],
    [
      'exchanges what nobody has written, and keeps what it finds',
      ['nothing is written before', 'T0: atomic x exchange kept'],
      ['I1'],
    ],
    ['adds to what nobody has written', ['nothing is written before', 'T0: atomic x'], ['I1']],
    [
      'reads what is written later, in order',
      ['nothing is written before', 'T0: read x', 'T0, T1: meet', 'T1: write x'],
      ['I1'],
    ],
    [
      'reads what two write later: the first of them stands for both',
      ['nothing is written before', 'T0: read x', 'T1: write x', 'T1: write x'],
      ['D1'],
    ],
    [
      'touches shared memory, in no order with an allocation of tensor memory',
      ['T0: alloc t', 'T1: write x'],
      ['T1'],
    ],
    [
      'touches tensor memory, in no order with its allocation',
      ['T0: alloc t', 'T1: issue #1 st', '#1: write t'],
      ['D4', 'T1'],
    ],
    [
      'touches tensor memory, in no order with its allocation and its end',
      ['T0: alloc t', 'T0: dealloc t', 'T1: issue #1 st', '#1: write t'],
      ['U2'],
    ],
    [
      'frees what another has taken again, in order with the first taking alone',
      ['T0: alloc t', 'T0: dealloc t', 'T0, T1: meet', 'T0: alloc t', 'T1: dealloc t'],
      ['D4'],
    ],
    ['frees twice', ['T0: alloc t', 'T0: dealloc t', 'T0: dealloc t'], ['T2']],
    [
      'closes a group, and does not wait for it',
      ['T0: issue #1 store', '#1: read x', 'T0: commit bulk', 'T0: write x'],
      ['W4', 'U2'],
    ],
    [
      'waits for a group that it has closed',
      ['T0: issue #1 store', 'T0: commit bulk', '#1: read x', 'T0: wait.group bulk 0 read', 'T0: write x'],
      [],
    ],
    [
      'waits for an arrival behind a copy, which knows nothing of a later copy',
      [
        'T0: issue #1 copy',
        '#1: write x',
        'T0: issue #2 copy',
        'T0: issue #3 copy',
        '#3: write g',
        '#2: arrive b',
        'T1: wait b 0',
        'T1: read x',
        'T1: read g',
      ],
      ['D2'],
    ],
  ])('an agent that %s', (_, lines, found) => {
    const { header, log } = read(lines)
    expect(differences(header, log)).toEqual([])
    expect(judgeLog(header, log, defaults).findings.map((f) => f.id)).toEqual(found)
  })
  it.each<readonly [about: string, lines: ReadonlyArray<string>, found: ReadonlyArray<string>]>([
    [
      'reads at the scope of its CTA what an atomic there has handed on, and fences for the grid: the word races, the data do not',
      [
        'U0: write g',
        'U0: atomic s release',
        'T0: atomic s',
        'T1: wait.word s cta',
        'T1: fence acq_rel',
        'T1: read g',
      ],
      ['D2'],
    ],
    [
      'observes nothing through an atomic that the first write does not reach',
      [
        'U0: write g',
        'U0: atomic s release',
        'T0, U0: meet relaxed',
        'T0: atomic s cta',
        'T0, T1: bar',
        'T1: load s acquire',
        'T1: read g',
      ],
      ['V1', 'V1', 'V1'],
    ],
    [
      'observes nothing through a word of another width',
      ['T0: write g', 'T0: store s release wide', 'T0, T1: meet relaxed', 'T1: load s acquire', 'T1: read g'],
      ['V1', 'V1'],
    ],
    [
      'reads what a store after a release has left, and an older fence before it',
      [
        'T0: fence acq_rel',
        'T0: write g',
        'T0: store s release',
        'T0: store s',
        'T1: wait.word s acquire',
        'T1: read g',
      ],
      [],
    ],
    [
      'reads what the scope of a later store does not reach',
      ['T0: write g', 'T0: store s release', 'T0: store s cta', 'U0: wait.word s acquire', 'U0: read g'],
      ['D2', 'D2'],
    ],
    [
      'loads what two stores of different widths have written: the first of them races, too',
      ['T0: store s', 'T0: store s wide', 'T1: load s wide'],
      ['D2'],
    ],
  ])('an agent that %s', (_, lines, found) => {
    const { header, log } = read(lines)
    expect(differences(header, log)).toEqual([])
    expect(judgeLog(header, log, defaults).findings.map((f) => f.id)).toEqual(found)
  })
  it.each<readonly [about: string, lines: ReadonlyArray<string>]>([
    [
      'frees tensor memory, which another reads afterwards',
      ['T1: alloc t', 'T1: dealloc t', 'T1: issue #1 ld', '#1: read t'],
    ],
    ['frees what nobody has allocated, and reads it', ['T1: dealloc t', 'T1: issue #1 ld', '#1: read t']],
    ['peeks at a phase that is open, and is told so', ['T1: peek d 0 false cluster']],
    ['peeks at a phase that is over, and is told that it is open', ['T0: arrive b', 'T0: peek b 0 false']],
    ['is told of an open phase, and waits', ['T0: peek b 0 false', 'T2: arrive b', 'T0: wait b 0 peeked']],
    ['reads the shared memory of another CTA, which may have ended', ["T1: read x'"]],
    [
      'multiplies in two CTAs what nobody has written: the second product writes what the first reads',
      [
        'nothing is written before',
        'T2: issue #2 mma',
        '#2: read t',
        '#2: write t',
        'U0: issue #5 cp',
        '#5: write t',
      ],
    ],
    [
      'uses tensor memory that another allocates anew',
      ['T0: dealloc t', 'T1: alloc t', 'T0: issue #2 st', '#2: write t'],
    ],
    [
      'shifts what a product has written',
      ['T0: issue #1 mma', '#1: write t', 'T0: issue #2 shift', '#2: read t'],
    ],
    [
      'exchanges a word of another CTA, that a store of its own follows, and reads it after a barrier',
      ['V0: atomic s exchange release', 'T0: store s cluster', 'T0, T1: bar', 'T1: load s kept'],
    ],
    [
      'fences in its own CTA alone what another reads after a fence of the cluster',
      ['T2: store s', 'T2: fence sc cta', 'T0: fence sc cluster', 'T0: load s kept'],
    ],
    [
      'fences for the grid before it writes',
      [
        'T0: fence sc gpu',
        'T0: write g',
        'T0: fence acq_rel',
        'T0, T1: bar',
        'T0, T1: bar',
        'T1: store s cluster',
        'U0: load s',
        'U0: fence sc gpu',
        'U0: read g',
      ],
    ],
    [
      'arrives by a copy at a barrier whose initialisation no fence has published',
      ['fenced by hand', 'U0: issue #1 copy', '#1: arrive b'],
    ],
    ['leaves a barrier of Pallas as it was', ['b is of Pallas', 'T0: fence async']],
    ['reads the tensor memory of a CTA that may have ended', ['V0: load t relaxed decides']],
    ['frees tensor memory, and another reads that of its own CTA', ["U0: read t'", 'T0: dealloc t']],
    [
      'copies into what is being shifted',
      ['T1: issue #1 shift', '#1: read t', 'T1: issue #2 cp', '#2: write t'],
    ],
    [
      'signals in its CTA alone what a cluster before it has signalled',
      ['U0: signal h 2', 'next cluster', 'U0: signal h 1 cta'],
    ],
  ])('an agent that %s: rows that told a wrong rule', (_, lines) => {
    const { header, log } = read(lines)
    for (const options of [
      {},
      { strict: true, strictProxies: true },
      { tensorPipe: 'documented' as const },
      { wgmmaOrder: 'documented' as const },
    ])
      for (const whole of [true, false]) expect(differences(header, log, options, [], whole)).toEqual([])
  })
  it.each([
    ['', logOf, nightly ? 200_000 : 150],
    [', of tensor maps at two addresses', mapLogOf, nightly ? 50_000 : 150],
    [', of strong accesses', strongLogOf, nightly ? 200_000 : 300],
  ] as const)(
    'the detector and the model say the same%s',
    (_, drawn, count) => {
      const wrong: string[] = []
      for (let seed = 0; seed < count && wrong.length < 3; seed++) {
        // the chip, and who writes fences, change what is asked, not what is drawn
        const text = [
          ...(seed % 2 === 0 ? [] : ['on Hopper']),
          ...(seed % 3 === 0 ? [] : ['fenced by hand']),
          ...drawn(seed),
        ]
        const { header, log } = read(text)
        for (const options of [{}, { strict: true, strictProxies: true }]) {
          const all = differences(header, log, options)
          if (all.length > 0) wrong.push([String(seed), ...text, ...all].join('\n'))
        }
      }
      expect(wrong).toEqual([])
    },
    1_800_000,
  )
})

/** Each is left out once, and a log that shows it is soon found; the number is where one was. */
describe('without a clause of strong accesses the model is another one', () => {
  it.each([
    ['synchronises', 2],
    ['observation', 171],
    ['store-hides', 15],
    ['release-again', 37],
    ['fence-release', 38],
    ['acquire-again', 20],
    ['fence-acquire', 38],
    ['half-fence', 108],
    ['scope', 5],
    ['width', 33],
    ['fence-sc', 0],
    ['fence-arrive', 159],
    ['found', 2],
    ['coherence', 0],
    ['older', 10],
    ['over', 5],
    ['fence-order', 5],
    ['stale', 0],
    ['store-order', 0],
    ['C1-hears', 38],
    ['C1-decides', 6],
    ['C1-word', 5],
  ] as const)('without %s', (clause, from) => {
    const isSeen = (seed: number): boolean => {
      const { header, log } = read(strongLogOf(seed))
      return differences(header, log).length === 0 && differences(header, log, {}, [clause]).length > 0
    }
    expect(Array.from({ length: 400 }, (_, k) => from + k).some(isSeen)).toBe(true)
  })
})

describe('litmus tests', () => {
  it('what comes before the first line is of no line, and says what it is', () => {
    const { lineOf, does } = read(['T0: arrive b', 'T1: wait b 0'])
    expect(does.map(({ by, what }, i) => `${String(lineOf[i])} ${by} ${what}`)).toEqual([
      '-1 T0 init',
      '-1 T0 meet: come',
      '-1 T1 meet: come',
      '-1 T0 meet: leave',
      '-1 T1 meet: leave',
      '0 T0 arrive b',
      '1 T1 wait b 0',
    ])
  })
  it('words that begin as barriers do are none', () => {
    expect(read(['T0: issue #1 store', 'T0: commit bulk', 'T0: come']).header.barriers).toEqual([])
  })
  it('tensor memory of the other CTA is its own', () => {
    const { header, log } = read(['T0: write t', "U0: write t'", "U0: write x'"])
    const planes = log.flatMap((e) => (e._tag === 'access' ? [header.planes[e.footprint.plane]!] : []))
    expect(planes.map(({ space, cta }) => [space, cta])).toEqual([
      ['tmem', 0],
      ['tmem', 1],
      ['smem', 1],
    ])
  })
})
