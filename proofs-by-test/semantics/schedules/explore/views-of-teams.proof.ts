/**
 * Who sees the last write of which place, where skeletons have no words for it: atomics and their scopes, semaphores, barriers of another CTA and their
 * scopes, barriers that are arrived at and not left, lives of barriers, completions that nobody has seen, forks. By hand, a row at a time.
 */
import { describe, expect, it } from 'vitest'
import * as B from '../../../../src/semantics/writing/builder.js'
import { kindsOf, launchedProgram, searched } from './programs.js'
import { nightly } from '../../../extent.js'
import {
  arr,
  ask,
  atom,
  atomG,
  atomY,
  bar,
  barArrive,
  behindCopies,
  drop,
  expecting,
  forked,
  gather,
  gathered,
  init,
  inval,
  rd,
  rdG,
  rdH,
  rdY,
  reduceG,
  signal,
  sleep,
  team,
  wait,
  wr,
  wrG,
  wrH,
  wrY,
  type Team,
  type Word,
} from './team.js'

type Row = readonly [what: string, kinds: string, team: Team]

const r = { relaxed: true } as const
const fenced: Word = () => B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
/** Agents of one CTA. */
const cta = (...words: ReadonlyArray<ReadonlyArray<Word>>): Team => ({ words: [words] })
/** One agent in each CTA of a cluster. */
const cluster = (...words: ReadonlyArray<ReadonlyArray<Word>>): Team => ({
  words: words.map((w) => [w]),
  cluster: words.length,
})
/** One agent in each of several clusters that run together. */
const clusters = (...words: ReadonlyArray<ReadonlyArray<Word>>): Team => ({ words: words.map((w) => [w]) })

const atomics: ReadonlyArray<Row> = [
  ['two that nothing orders', '', cta([atom()], [atom()])],
  ['after another', '', cta([atom(), arr(0, r)], [wait(0, 0, r), atom()])],
  ['a read after one', 'visibility', cta([atom(), arr(0, r)], [wait(0, 0, r), rd])],
  ['a read after one, told', '', cta([atom(), arr(0)], [wait(0), rd])],
  ['after a write', 'visibility', cta([wr, arr(0, r)], [wait(0, 0, r), atom()])],
  ['after a write, told', '', cta([wr, arr(0)], [wait(0), atom()])],
  ['beside a read', 'race visibility', cta([atom()], [rd])],
  ['beside a write', 'race visibility', cta([atom()], [wr])],
  [
    'what an atomic has written is the atomics’ until a write',
    'visibility',
    cta([atom(), arr(0), wait(1, 0, r), atom()], [wait(0), wr, arr(1, r)]),
  ],
  [
    'a write elsewhere does not matter',
    '',
    cta([atom(), arr(0), wait(1, 0, r), atom()], [wait(0), wrY, arr(1, r)]),
  ],
  ['of two places', 'visibility', cta([atom(), atomY(), arr(0, r)], [wait(0, 0, r), atom(), rdY])],
  ['of one CTA, whatever the scopes', '', cta([atom('cta')], [atom('gpu')])],
  ['of one CTA, whatever the scopes, turned', '', cta([atom('gpu')], [atom('cta')])],
  ['of two CTAs at their scope', '', cluster([atomG('cluster')], [atomG('cluster')])],
  ['of two CTAs at a wider scope', '', cluster([atomG('gpu')], [atomG('cluster')])],
  ['of two CTAs at the scope of one', 'race', cluster([atomG('cta')], [atomG('cta')])],
  ['of two CTAs, one at too small a scope', 'race visibility', cluster([atomG('cta')], [atomG('cluster')])],
  [
    'of two CTAs, ordered, the first at too small a scope',
    'visibility',
    cluster(
      [atomG('cta'), arr(0, { relaxed: true, of: 1, scope: 'cluster' })],
      [wait(0, 0, r), atomG('cluster')],
    ),
  ],
  [
    'of two CTAs, ordered',
    '',
    cluster(
      [atomG('cluster'), arr(0, { relaxed: true, of: 1, scope: 'cluster' })],
      [wait(0, 0, r), atomG('gpu')],
    ),
  ],
  ['of two clusters', '', clusters([atomG('gpu'), signal()], [atomG('gpu')])],
  ['of two clusters at the scope of one', 'race', clusters([atomG('cluster'), signal()], [atomG('cluster')])],
  [
    'of two clusters, one at the scope of its own',
    'race visibility',
    clusters([atomG('cluster'), signal()], [atomG('gpu')]),
  ],
  ['reductions that nothing orders', '', cta(reduceG, reduceG)],
  ['a reduction after another', '', cta([...reduceG, arr(0, r)], [wait(0, 0, r), ...reduceG])],
  ['an atomic after a reduction', 'visibility', cta([...reduceG, arr(0, r)], [wait(0, 0, r), atomG()])],
  ['an atomic after a reduction, told', '', cta([...reduceG, arr(0)], [wait(0), atomG()])],
  ['a reduction after an atomic', 'visibility', cta([atomG(), arr(0, r)], [wait(0, 0, r), ...reduceG])],
  ['an atomic beside a reduction', 'race visibility', cta([atomG()], reduceG)],
]

const semaphores: ReadonlyArray<Row> = [
  ['signalled and waited for', '', cta([wr, signal()], [sleep(1), rd])],
  ['written after the signal', 'race visibility', cta([signal(), wr], [sleep(1), rd])],
  ['not waited for', 'race visibility', cta([wr, signal()], [sleep(0), rd])],
  ['two signals, both heard', '', cta([wr, signal()], [wrY, signal()], [sleep(2), rd, rdY])],
  ['two signals of one agent', '', cta([wr, signal(), wrY, signal()], [sleep(2), rd, rdY])],
  [
    'two signals, the later one does not take back what the first has told',
    '',
    cta([wr, signal(), signal()], [sleep(2), rd]),
  ],
  [
    'another counter',
    'visibility',
    cta([wr, signal(), arr(0, r)], [sleep(1, 'gpu', false, 'd'), wait(0, 0, r), rd], [signal('gpu', 'd')]),
  ],
  ['a wait that takes away', '', cta([wr, signal()], [sleep(1, 'gpu', true), rd])],
  [
    'a turn each',
    '',
    cta([wr, signal(), sleep(1, 'gpu', true, 'd'), wr], [sleep(1, 'gpu', true), rd, signal('gpu', 'd')]),
  ],
  [
    'a wait does not tell',
    'visibility',
    cta([signal(), arr(0, r)], [wr, sleep(1), arr(1, r)], [wait(1, 0, r), rd]),
  ],
  ['of CTA scope, within it', '', cta([wr, signal('cta')], [sleep(1, 'cta'), rd])],
  ['of different scopes, within a CTA', '', cta([wr, signal('cta')], [sleep(1, 'gpu'), rd])],
  [
    'of gpu scope, then of CTA scope, within a CTA',
    '',
    cta([wr, signal(), wrY, signal('cta')], [sleep(2, 'cta'), rd, rdY]),
  ],
  ['of cluster scope, between CTAs', '', cluster([wrG, signal('cluster')], [sleep(1, 'cluster'), rdG])],
  ['of gpu scope, between CTAs', '', cluster([wrG, signal('gpu')], [sleep(1, 'cluster'), rdG])],
  ['of CTA scope, between CTAs', 'visibility', cluster([wrG, signal('cta')], [sleep(1, 'cta'), rdG])],
  ['of gpu scope, between clusters', '', clusters([wrG, signal('gpu')], [sleep(1, 'gpu'), rdG])],
  [
    'of cluster scope, between clusters',
    'visibility',
    clusters([wrG, signal('cluster')], [sleep(1, 'cluster'), rdG]),
  ],
  [
    'signals at two scopes, the wider reaches',
    '',
    clusters([wrG, signal('cluster'), wrH, signal('gpu')], [sleep(2, 'gpu'), rdG, rdH]),
  ],
]

const far = { relaxed: false, of: 1, scope: 'cluster' } as const
const barriers: ReadonlyArray<Row> = [
  ['of another CTA', '', cluster([wrG, arr(0, far)], [wait(0, 0, { scope: 'cluster' }), rdG])],
  ['of another CTA, heard at CTA scope', 'visibility', cluster([wrG, arr(0, far)], [wait(0), rdG])],
  [
    'of another CTA, told at CTA scope',
    'visibility',
    cluster([wrG, arr(0, { of: 1, scope: 'cta' })], [wait(0, 0, { scope: 'cluster' }), rdG]),
  ],
  [
    'of another CTA, its own agent tells at CTA scope',
    '',
    {
      words: [
        [[]],
        [
          [wait(0, 0, { scope: 'cluster' }), rdG],
          [wrG, arr(0)],
        ],
      ],
      cluster: 2,
    },
  ],
  [
    'of another CTA, not heard at all',
    'visibility',
    cluster([wrG, arr(0, far)], [wait(0, 0, { relaxed: true, scope: 'cluster' }), rdG]),
  ],
  [
    'far arrivals are of their generation',
    'visibility',
    {
      words: [
        [
          [
            arr(0, far),
            wrG,
            arr(1, { relaxed: true, of: 1, scope: 'cluster' }),
            wait(2, 0, r),
            arr(0, far),
            gather(true),
            gathered,
          ],
        ],
        [
          [
            wait(1, 0, { relaxed: true, scope: 'cluster' }),
            wait(0, 0, { scope: 'cluster' }),
            rdG,
            arr(2, { of: 0, scope: 'cluster' }),
            gather(true),
            gathered,
          ],
        ],
      ],
      cluster: 2,
    },
  ],
  [
    'far arrivals tell once',
    'visibility',
    {
      words: [
        [[wrG, arr(0, far)]],
        [
          [wait(1, 0, r), wait(0, 1, { scope: 'cluster' }), rdG],
          [wait(0, 0, r), arr(0), arr(1, r)],
        ],
      ],
      cluster: 2,
    },
  ],
  ['initialised twice', 'deadlock lifecycle', cta([init(0)])],
  ['given up and initialised', '', cta([inval(0), init(0), arr(0), wait(0)])],
  ['given up and arrived at', 'deadlock lifecycle', cta([inval(0), arr(0)])],
  ['given up twice', 'deadlock lifecycle', cta([inval(0), inval(0)])],
  ['never initialised', 'deadlock lifecycle', { words: [[[arr(3)]]], counts: [1, 1, 1, 0] }],
  ['given up while another arrives', 'deadlock lifecycle race', cta([inval(0)], [arr(0)])],
  ['given up while another waits', 'deadlock race', cta([arr(0), inval(0)], [wait(0)])],
]

const named: ReadonlyArray<Row> = [
  ['arrived at, and left by another', '', cta([wr, barArrive(1, 2)], [bar(1, 2), rd])],
  ['arrived at, and not left', 'race visibility', cta([barArrive(1, 2), rd], [wr, bar(1, 2)])],
  [
    'written after the arrival',
    'visibility',
    cta([barArrive(1, 2), wr, arr(0, r)], [bar(1, 2), wait(0, 0, r), rd]),
  ],
  [
    'what was told at an arrival is not the write that came after it',
    'visibility',
    cta([wr, barArrive(1, 2), arr(0)], [wait(1, 0, r), bar(1, 2), rd], [wait(0), wr, arr(1, r)]),
  ],
  [
    'two barriers, each tells its own',
    '',
    cta([barArrive(1, 2), bar(2, 2), rd], [wr, bar(2, 2)], [bar(1, 2)]),
  ],
  [
    'two barriers, the other tells',
    'visibility',
    cta([wr, barArrive(1, 2), arr(0, r)], [wait(0, 0, r), bar(2, 2), rd], [bar(2, 2), bar(1, 2)]),
  ],
  ['three agents', '', cta([wr, bar(1, 3), rdY], [wrY, bar(1, 3), rd], [bar(1, 3), rd, rdY])],
  ['of a cluster, split', '', cluster([wrG, gather(), gathered], [gather(), gathered, rdG])],
  [
    'of a cluster, written between',
    'race visibility',
    cluster([gather(), wrG, gathered], [gather(), gathered, rdG]),
  ],
  [
    'of a cluster, the second meeting tells, and is left late',
    '',
    cluster([gather(), gathered, wrG, gather(), gathered], [gather(), gathered, gather(), gathered, rdG]),
  ],
  [
    'of a cluster, whoever is late hears the meeting that it leaves',
    'visibility',
    cluster(
      [gather(), gathered, wrG, arr(0, { relaxed: true, of: 1, scope: 'cluster' }), gather(), gathered],
      [gather(), wait(0, 0, { relaxed: true, scope: 'cluster' }), gathered, rdG, gather(), gathered],
    ),
  ],
  [
    'of a cluster, relaxed on one side tells the other way',
    '',
    cluster([gather(true), gathered, rdG], [wrG, gather(), gathered]),
  ],
]

const pallas = (...words: ReadonlyArray<ReadonlyArray<Word>>): Team => ({
  words: [words],
  contract: 'pallas',
})
/** A barrier of the other contract says nothing of completions that nobody has seen. */
const unobserved: ReadonlyArray<Row> = [
  ['completed, given up, and there again', 'exit', pallas([arr(0), inval(0), init(0)])],
  ['the same, of the other contract', '', cta([arr(0), inval(0), init(0)])],
  ['completed and waited for', '', pallas([arr(0), wait(0), inval(0), init(0)])],
  ['waited for without hearing it', '', pallas([arr(0), wait(0, 0, r), inval(0), init(0)])],
  ['waited for by another', '', pallas([arr(0), bar(1, 2), inval(0), init(0)], [wait(0, 0, r), bar(1, 2)])],
  // a test that says yes is a wait; one that says no is nothing
  ['asked for', '', pallas([arr(0), ask(0), inval(0), init(0)])],
  ['asked for before', 'exit', pallas([ask(0), arr(0), inval(0), init(0)])],
  ['asked for what is not over', 'exit', pallas([arr(0), ask(0, 1), inval(0), init(0)])],
  ['another barrier waited for', 'exit', pallas([arr(0), arr(1), wait(1), inval(0), init(0)])],
  ['completed again since', 'exit', pallas([arr(0), wait(0), arr(0), inval(0), init(0)])],
  [
    'an arrival of two',
    'exit',
    { words: [[[arr(0), inval(0), init(0)]]], contract: 'pallas', counts: [2, 1, 1, 1] },
  ],
  ['bytes that are expected', 'exit', pallas([expecting(0, 16), inval(0), init(0)])],
  ['nothing has come', '', pallas([inval(0), init(0)])],
  ['given up, and not there again', '', pallas([arr(0), inval(0)])],
  ['another is there again', '', pallas([arr(0), inval(0), inval(1), init(1)])],
  [
    'there again and seen, a second life owes nothing to the first',
    'exit',
    pallas([arr(0), inval(0), init(0), arr(0), wait(0), inval(0), init(0)]),
  ],
  [
    'its bytes are written',
    'exit',
    { words: [[[arr(0), inval(0), inval(1), wrY]]], contract: 'pallas', under: true },
  ],
  [
    'its bytes are written, seen',
    '',
    { words: [[[arr(0), wait(0), inval(0), inval(1), wrY]]], contract: 'pallas', under: true },
  ],
  ['bytes of two that are there', 'deadlock lifecycle', { words: [[[wrY]]], under: true }],
  ['bytes of one that is there', 'deadlock lifecycle', { words: [[[inval(0), wrY]]], under: true }],
  ['bytes of none', '', { words: [[[inval(0), inval(1), wrY]]], under: true }],
  ['read where a barrier is', 'deadlock lifecycle unwritten', { words: [[[rdY]]], under: true }],
]

const lives: ReadonlyArray<Row> = [
  ['who drops out tells', '', cta([wr, drop(0)], [wait(0), rd])],
  ['who drops out relaxed does not', 'visibility', cta([wr, drop(0, r)], [wait(0), rd])],
  ['a test that says yes hears', '', cta([wr, arr(0)], [wait(0, 0, r), ask(0), rd])],
  ['one that says no does not', 'visibility', cta([wr, arr(0)], [wait(0, 0, r), ask(0, 1), rd])],
  ['bytes that are expected tell nothing', 'visibility', cta([wr, arr(1, r)], [wait(1, 0, r), rd])],
  ['an arrival that counts itself', '', cta([behindCopies(0), arr(0), wait(0)])],
  [
    'at a barrier that is not there',
    'deadlock lifecycle',
    { words: [[[behindCopies(3)]]], counts: [1, 1, 1, 0] },
  ],
]

const tables: Readonly<Record<string, ReadonlyArray<Row>>> = {
  atomics,
  semaphores,
  barriers,
  named,
  unobserved,
  lives,
}

describe.each(Object.entries(tables))('views: %s', (_, rows) => {
  it.each(rows.map((row) => [...row] as const))('%s', (_what, kinds, of) => {
    const launched = launchedProgram(team(of))
    const found = searched(launched)
    expect(found.complete).toBe(true)
    expect(kindsOf(found)).toBe(kinds)
    const whole = searched(launched, { reduced: false, states: nightly ? 400 : 25 })
    if (whole.complete) expect(kindsOf(whole)).toBe(kinds)
  })
})

describe('views: forks', () => {
  type Of = Parameters<typeof forked>[0]
  const rows: ReadonlyArray<readonly [what: string, kinds: string, of: Of]> = [
    ['a child sees what was written before', '', { before: [wrG], children: [[rdG], [rdG]] }],
    ['not what is written beside', 'race visibility', { parent: [wrG], children: [[rdG], []] }],
    ['nor what another child writes', 'race visibility', { children: [[wrG], [rdG]] }],
    ['the parent sees what both have written', '', { children: [[wrG], [wrH]], after: [rdG, rdH] }],
    ['not before they have ended', 'race visibility', { children: [[wrG], []], parent: [rdG] }],
    [
      'a child hands on what it was given',
      '',
      { before: [wrG], children: [[arr(0)], [wait(0), rdG]], parent: [] },
    ],
    [
      'what is fenced for the copy engine stays so',
      '',
      { before: [wr, fenced], children: [[...reduceG], []] },
    ],
    ['what is not does not become so', 'visibility', { before: [wr], children: [[...reduceG], []] }],
    ['fenced by a child', '', { children: [[wr, fenced], []], after: [...reduceG] }],
    ['not fenced by a child', 'visibility', { children: [[wr], []], after: [...reduceG] }],
  ]
  it.each(rows)('%s', (_what, kinds, of) => {
    const launched = launchedProgram(forked({ ...of, before: [init(0), ...(of.before ?? [])] }))
    const found = searched(launched)
    expect(found.complete).toBe(true)
    expect(kindsOf(found)).toBe(kinds)
  })
})
