/** A missing edge as it is published, by hand: how far apart its sides are, which of them comes first, and what else is known of it. */
import { describe, expect, it, test } from 'vitest'
import {
  other,
  reading,
  readingAtomically,
  waiting,
  writing,
  type Deed,
} from '../../../src/semantics/judging/deed.js'
import type { Diagnosis, MissingEdge, Operation, Remedy } from '../../../src/semantics/judging/finding.js'
import { publishedMissing } from '../../../src/semantics/judging/missing.js'
import { ofBarrier, ofColumns, ofFence, ofGroup, ofPlane } from '../../../src/semantics/judging/subject.js'
import type { Header } from '../../../src/semantics/log/events.js'

/** Two clusters of two CTAs; agents 0 and 1 are of the first CTA. */
const ctas = [0, 0, 1, 2, 3]
const headerOf = (locs: ReadonlyArray<string | undefined>): Header =>
  ({
    agents: ctas.map((cta, k) => ({ name: `a${String(k)}`, cta, warps: 1, starts: true })),
    ctas: 4,
    resident: 2,
    barriers: [{ name: 'full[0]' }, { name: 'full[1]' }],
    sites: locs.map((loc, k) =>
      Object.assign({ label: `s${String(k)}`, path: [] }, loc === undefined ? {} : { loc }),
    ),
  }) as unknown as Header
const plain = headerOf([undefined, undefined, undefined, undefined])

const at = (index: number, site: number, more: Partial<Operation> = {}): Operation =>
  Object.assign(
    {
      index,
      agent: `a${String(index)}`,
      site: `s${String(site)}`,
      path: [],
      iteration: [],
      at: 1,
      does: 'reads',
    },
    more,
  )
const edge: Remedy = { kind: 'wait', text: 'a wait', about: [] }
const published = (
  header: Header,
  a: Operation,
  b: Operation | undefined,
  deeds: readonly [Deed, Deed | null] = [writing, reading],
  missing: Remedy = edge,
): MissingEdge =>
  publishedMissing(
    header,
    Object.assign(
      {
        id: 'D1',
        severity: 'E',
        text: '',
        about: [],
        a,
        deeds: { a: deeds[0], b: deeds[1] },
        missing,
      } as const,
      b === undefined ? {} : { b },
    ) as Diagnosis,
  ) ?? expect.fail('no edge')

describe('how far apart', () => {
  test.each([
    [0, 0, 'warp'],
    [0, 1, 'cta'],
    [1, 0, 'cta'],
    [0, 2, 'cluster'],
    [2, 1, 'cluster'],
    [0, 3, 'grid'],
    [2, 3, 'grid'],
    [4, 0, 'grid'],
    [3, 4, 'cluster'],
  ] as const)('agents %i and %i: %s', (x, y, distance) => {
    expect(published(plain, at(x, 0), at(y, 1, { at: 2 }))).toEqual({
      kind: 'wait',
      text: 'a wait',
      distance,
    })
  })
  const deeds: ReadonlyArray<readonly [Deed, agents: boolean, access: boolean]> = [
    [reading, true, true],
    [writing, true, true],
    [readingAtomically, true, true],
    [{ _tag: 'writes', unit: 'tmaLoad', atomic: false }, false, true],
    [{ _tag: 'reads', unit: 'wgmma', atomic: false }, false, true],
    [waiting, false, false],
    [other, false, false],
  ]
  test('is said where the first is an access by an agent itself, and the second an access', () => {
    for (const [first, isOfAgent] of deeds)
      for (const [second, , isAccess] of [...deeds, [null, false, false] as const]) {
        const known = isOfAgent && isAccess
        // the first is what comes first in the program
        for (const isReversed of [false, true]) {
          const [x, y] = [at(0, isReversed ? 2 : 1), at(1, isReversed ? 1 : 2)]
          const said = published(plain, x, y, isReversed ? [second ?? other, first] : [first, second])
          expect([first, second, isReversed, said.distance]).toEqual([
            first,
            second,
            isReversed,
            known ? 'cta' : undefined,
          ])
        }
      }
  })
})

describe('which comes first', () => {
  const line = (n: number): Partial<Operation> => ({ loc: `k.cu:${String(n)}:1` })
  const turn = (...iteration: ReadonlyArray<number>): Partial<Operation> => ({ iteration })
  it.each<readonly [about: string, a: Operation, b: Operation, reversed: boolean]>([
    ['one agent: as it did', at(0, 3, { at: 1 }), at(0, 0, { at: 2 }), false],
    ['one agent: as it did, whatever the text', at(0, 0, { at: 2 }), at(0, 3, { at: 1 }), true],
    ['two: as the text has them', at(0, 1), at(1, 2), false],
    ['two: as the text has them, the other way', at(0, 2), at(1, 1), true],
    ['two at one place', at(0, 2), at(1, 2), false],
    ['an earlier turn comes before what the text says', at(0, 3, turn(1)), at(1, 0, turn(2)), false],
    ['a later turn', at(0, 0, turn(2)), at(1, 3, turn(1)), true],
    ['the outer turn decides', at(0, 0, turn(1, 5)), at(1, 3, turn(2, 0)), false],
    ['the inner turn, where the outer is one', at(0, 0, turn(2, 5)), at(1, 3, turn(2, 0)), true],
    ['turns of one of them alone tell nothing', at(0, 0, turn(7)), at(1, 3), false],
    ['turns of the other alone tell nothing', at(0, 3), at(1, 0, turn(7)), true],
    ['the author has lines', at(0, 3, line(4)), at(1, 0, line(9)), false],
    ['the author has lines, the other way', at(0, 0, line(9)), at(1, 3, line(4)), true],
    [
      'a turn comes before a line',
      at(0, 0, { loc: 'k.cu:9:1', iteration: [0] }),
      at(1, 3, { loc: 'k.cu:4:1', iteration: [1] }),
      false,
    ],
  ])('%s', (_, a, b, reversed) => {
    const header = headerOf([
      a.site === 's0' ? a.loc : b.site === 's0' ? b.loc : undefined,
      undefined,
      undefined,
      a.site === 's3' ? a.loc : b.site === 's3' ? b.loc : undefined,
    ])
    const said = published(header, a, b)
    expect([said.reversed ?? false, said.distance]).toEqual([reversed, a.index === b.index ? 'warp' : 'cta'])
  })
  test('lines of an unrolled loop do not tell, where each is on both sides of the other', () => {
    const [one, two] = ['k.cu:4:1', 'k.cu:9:1']
    const rows: ReadonlyArray<readonly [ReadonlyArray<string>, a: number, b: number, boolean]> = [
      // the second copy of the first line, and the first copy of the second one
      [[one, two, one, two], 2, 1, true],
      [[one, two, one, two], 1, 2, false],
      // one line is there once
      [[one, two, one, 'k.cu:20:1'], 2, 1, false],
      [['k.cu:2:1', two, one, two], 2, 1, false],
    ]
    for (const [locs, a, b, reversed] of rows) {
      const said = published(headerOf(locs), at(0, a, { loc: locs[a]! }), at(1, b, { loc: locs[b]! }))
      expect([locs, a, b, said.reversed ?? false]).toEqual([locs, a, b, reversed])
    }
  })
})

describe('what is known of it', () => {
  const one = (more: Partial<Remedy>): MissingEdge =>
    published(plain, at(0, 0), undefined, [writing, null], Object.assign({}, edge, more))
  const bare = { kind: 'wait', text: 'a wait' }
  test('nothing more than there is', () => {
    expect(one({})).toEqual(bare)
    expect(one({ about: [ofColumns, ofPlane(0)] })).toEqual(bare)
    const f = {
      id: 'D1',
      severity: 'E',
      text: '',
      about: [],
      a: at(0, 0),
      deeds: { a: writing, b: null },
    } as unknown as Diagnosis
    expect(publishedMissing(plain, f)).toBeUndefined()
  })
  const moves = { label: 'x', path: [] } as unknown as NonNullable<Remedy['moves']>
  test.each<readonly [Partial<Remedy>, object]>([
    [{ after: 'a' }, { after: 'a' }],
    [{ before: 'b' }, { before: 'b' }],
    [{ ahead: 'it' }, { ahead: 'it' }],
    [{ lacks: 'both' }, { lacks: 'both' }],
    [{ moves }, { moves }],
    [{ moved: true }, { moved: true }],
    [{ fence: 'threads' }, { fence: 'threads' }],
    [{ about: [ofFence('wgmma'), ofFence('shared')], fence: 'threads' }, { fence: 'wgmma' }],
    [
      { about: [ofBarrier(0), ofGroup('bulk'), ofGroup('wgmma')] },
      { family: 'bulk', barrier: { name: 'full[0]' } },
    ],
    [{ about: [ofBarrier(1), ofBarrier(0)], generation: 5 }, { barrier: { name: 'full[1]', phase: 1 } }],
    [{ about: [ofBarrier(0)], generation: 4 }, { barrier: { name: 'full[0]', phase: 0 } }],
    [{ about: [ofBarrier(0)], generation: 0 }, { barrier: { name: 'full[0]', phase: 0 } }],
    [{ about: [ofBarrier(9)], generation: 1 }, {}],
  ])('%j', (more, said) => {
    expect(one(more)).toEqual(Object.assign({}, bare, said))
  })
})
