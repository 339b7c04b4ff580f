/**
 * The fold, event by event: what a copy, a product, a reduction, a value of an agent and a new cluster leave in memory. The logs are written by
 * hand, and so are the terms that each element must have afterwards.
 */
import { describe, expect, it } from 'vitest'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import { bitsOf } from '../../../../src/numerics/dtype.js'
import type {
  Access,
  Footprint,
  Header,
  Issue,
  LogEvent,
  Role,
} from '../../../../src/semantics/log/events.js'
import { footprints, ofAddresses, ofLayout } from '../../../../src/semantics/machine/footprint.js'
import { provenance, type ProvenanceState } from '../../../../src/semantics/judging/provenance/index.js'
import { read } from '../../../../src/semantics/judging/provenance/memory.js'
import * as Ref from '../../../../src/transforms/ref.js'
import { extent, header, smemPlane, texts } from './terms.js'
import { right } from '../../../either.js'

const store = footprints()
const [A, B, C] = [0, 1, 2]
const at = (
  plane: number,
  shape: ReadonlyArray<number>,
  strides: ReadonlyArray<number>,
  base: number,
  dtype: Dtype = 'f16',
): Footprint =>
  ofLayout(store, plane, dtype, right(Ref.ofStrides(shape, bitsOf(dtype), strides)), base).footprint
/** Two by two elements of a tensor, from a row and a column on. */
const box = (plane: number, row: number, column: number): Footprint =>
  at(plane, [2, 2], [extent, 1], 2 * (row * extent + column))
/** Two by two elements of shared memory, one behind the other. */
const tile = (k: number): Footprint => at(smemPlane, [2, 2], [2, 1], 8 * k)

// ---------------------------------------------------------------- events

const stamp = { agent: 0, at: 1, site: 1, iteration: [] }
const access = (rw: 'r' | 'w', footprint: Footprint, more: Partial<Access> = {}): Access => ({
  _tag: 'access',
  stamp,
  rw,
  proxy: 'generic',
  footprint,
  role: rw === 'r' ? 'source' : 'destination',
  atomic: false,
  ...more,
})
const by = (operation: number, rw: 'r' | 'w', footprint: Footprint, role?: Role): Access =>
  access(rw, footprint, role === undefined ? { operation } : { operation, role })
const copied = (operation: number, from: Footprint, to: Footprint): ReadonlyArray<LogEvent> => [
  by(operation, 'r', from),
  by(operation, 'w', to),
]
const issue = (operation: number, unit: Issue['unit'], more: Partial<Issue> = {}): Issue => ({
  _tag: 'issue',
  stamp,
  operation,
  unit,
  bytes: 0,
  macs: 0,
  accumulates: false,
  ...more,
})
const signal = (operation: number, side: 'read' | 'full'): LogEvent => ({
  _tag: 'signal',
  operation,
  part: 0,
  to: 'group',
  family: 'bulk',
  side,
})
/** Rows `row` on of a times columns `column` on of b, for k and k + 1, into tile `to`. */
const product = (
  operation: number,
  [row, k, column]: readonly [number, number, number],
  to: number,
  accumulates = false,
): ReadonlyArray<LogEvent> => [
  issue(operation, 'wgmma', { accumulates }),
  by(operation, 'r', box(A, row, k), 'a'),
  by(operation, 'r', box(B, k, column), 'b'),
  ...(accumulates ? [by(operation, 'r', tile(to), 'accumulator')] : []),
  by(operation, 'w', tile(to), 'accumulator'),
]

// ---------------------------------------------------------------- what is left

const after = (events: ReadonlyArray<LogEvent>, of: Header = header): ProvenanceState =>
  events.reduce((s, e) => provenance.observe(s, e), provenance.init(of))
const left = (
  events: ReadonlyArray<LogEvent>,
  f: Footprint = tile(0),
  of: Header = header,
): ReadonlyArray<string> => texts(read(after(events, of).memory, f), 4)
const all = (why: string): ReadonlyArray<string> => [why, why, why, why]
/** Two by two elements of an input: addresses in bytes. */
const inputs = (name: string, row: number, column: number): ReadonlyArray<string> =>
  [0, 1].flatMap((i) => [0, 1].map((j) => `${name}+${String(2 * ((row + i) * extent + column + j))}`))
const sums = (row: number, column: number, ks: string): ReadonlyArray<string> =>
  [0, 1].flatMap((i) => [0, 1].map((j) => `a[${String(row + i)}] b[${String(column + j)}] ${ks}`))
const unwritten = all('smem is read before anything was written to it')
const computed = all('there writes a value computed by other means than a matrix product')

describe('copies', () => {
  it('leave what they have read, of their own operation', () => {
    expect(left(copied(1, box(A, 3, 4), tile(0)))).toEqual(inputs('a', 3, 4))
    const both = [
      by(1, 'r', box(A, 3, 4)),
      by(2, 'r', box(B, 5, 6)),
      by(1, 'w', tile(0)),
      by(2, 'w', tile(1)),
    ]
    expect(left(both, tile(0))).toEqual(inputs('a', 3, 4))
    expect(left(both, tile(1))).toEqual(inputs('b', 5, 6))
    expect(left([by(1, 'w', tile(0))])).toEqual(all('a copy of nothing'))
  })
  it('to several places leave the same in each', () => {
    const events = [...copied(1, box(A, 3, 4), tile(0)), by(1, 'w', tile(1))]
    expect(left(events, tile(1))).toEqual(inputs('a', 3, 4))
  })
  it('are over with the full side of their group, and not with the side of reads', () => {
    const [first, second] = copied(1, box(A, 3, 4), tile(0))
    expect(left([first!, signal(1, 'full'), second!])).toEqual(all('a copy of nothing'))
    expect(left([first!, signal(1, 'read'), second!])).toEqual(inputs('a', 3, 4))
    expect(left([first!, signal(2, 'full'), second!])).toEqual(inputs('a', 3, 4))
    const arrives: LogEvent = { _tag: 'signal', operation: 1, part: 0, to: 'arrive', barrier: 0 }
    expect(left([first!, arrives, second!])).toEqual(inputs('a', 3, 4))
  })
  it('do not look at the tensor map', () => {
    const events = [by(1, 'r', box(A, 3, 4)), by(1, 'r', box(B, 0, 0), 'map'), by(1, 'w', tile(0))]
    expect(left(events)).toEqual(inputs('a', 3, 4))
    expect(left([...events, by(1, 'w', tile(0), 'map')])).toEqual(inputs('a', 3, 4))
  })
  it('by the tensor core that are no product are copies too', () => {
    const events = [issue(1, 'tcgen05', { tensor: 'cp' }), ...copied(1, box(A, 3, 4), tile(0))]
    expect(left(events)).toEqual(inputs('a', 3, 4))
  })
})

describe('what leaves its tensor', () => {
  // the second row is nowhere
  const edge = ofAddresses(store, A, 'f16', [2, 2], Int32Array.of(32, 34, -1, -1)).footprint
  const rest = ['a+32', 'a+34', 'a+-1', 'a+-1']
  const readBy = (outside: 'other' | undefined, from: Footprint): ReadonlyArray<string> =>
    texts(
      read(
        after([
          access('r', from, outside === undefined ? { operation: 1 } : { operation: 1, outside }),
          by(1, 'w', tile(0)),
        ]).memory,
        tile(0),
      ),
      4,
    )
  const refused = 'there reads something other than zero for an element that is in no memory'
  it('is zero, if the read does not say that it is something else', () => {
    expect(readBy(undefined, edge)).toEqual(rest)
    expect(readBy('other', edge)).toEqual([refused, refused, refused, refused])
    expect(readBy('other', box(A, 1, 0))).toEqual(readBy(undefined, box(A, 1, 0)))
  })
  it('so do the values of an agent', () => {
    const stored = (outside: 'other' | undefined): ReadonlyArray<string> =>
      texts(
        read(
          after([
            access('r', edge, outside === undefined ? { value: 3 } : { value: 3, outside }),
            access('w', tile(0), { origin: { _tag: 'value', id: 3 } }),
          ]).memory,
          tile(0),
        ),
        4,
      )
    expect(stored(undefined)).toEqual(rest)
    expect(stored('other')[0]).toBe(refused)
  })
})

describe('values of an agent', () => {
  it('carry what was read to where they are written', () => {
    const reads = [access('r', box(A, 3, 4), { value: 7 }), access('r', box(B, 5, 6), { value: 8 })]
    const writes = (id: number): LogEvent => access('w', tile(0), { origin: { _tag: 'value', id } })
    expect(left([...reads, writes(7)])).toEqual(inputs('a', 3, 4))
    expect(left([...reads, writes(8)])).toEqual(inputs('b', 5, 6))
    expect(left([...reads, writes(9)])).toEqual(all('a value that nothing computed'))
    // an operation that takes a value of its agent writes that
    expect(
      left([...reads, access('w', tile(0), { operation: 3, origin: { _tag: 'value', id: 7 } })]),
    ).toEqual(inputs('a', 3, 4))
  })
  it('are zero, or computed', () => {
    expect(left([access('w', tile(0), { origin: { _tag: 'zero' } })])).toEqual(all('0'))
    expect(left([access('w', tile(0), { origin: { _tag: 'other' } })])).toEqual(computed)
    expect(left([access('w', tile(0))])).toEqual(computed)
  })
  it('of a read that gives none are none', () => {
    expect(after([access('r', box(A, 0, 0))]).values.size).toBe(0)
    expect(left([access('r', box(A, 0, 0))])).toEqual(unwritten)
  })
})

describe('products', () => {
  it('of one A and one B', () => {
    expect(left(product(1, [3, 4, 5], 0))).toEqual(sums(3, 5, '4,5'))
    for (const more of [{}, { tensor: 'mma' }] as const) {
      const [, ...accesses] = product(1, [3, 4, 5], 0)
      expect(left([issue(1, 'tcgen05', more), ...accesses])).toEqual(sums(3, 5, '4,5'))
    }
  })
  it('added to what the accumulator held, if they accumulate', () => {
    expect(left([...product(1, [3, 4, 5], 0), ...product(2, [3, 6, 5], 0, true)])).toEqual(
      sums(3, 5, '4,5,6,7'),
    )
    expect(left([...product(1, [3, 4, 5], 0), ...product(2, [3, 6, 5], 0)])).toEqual(sums(3, 5, '6,7'))
    const [start, ...rest] = product(2, [3, 6, 5], 0, true)
    expect(left([...product(1, [3, 4, 5], 0), { ...(start as Issue), accumulates: false }, ...rest])).toEqual(
      sums(3, 5, '6,7'),
    )
  })
  it('in flight at once do not mix', () => {
    const [x, y] = [product(1, [0, 0, 0], 0), product(2, [8, 2, 4], 1)]
    const mixed = x.flatMap((e, i) => [e, y[i]!])
    expect(left(mixed, tile(0))).toEqual(sums(0, 0, '0,1'))
    expect(left(mixed, tile(1))).toEqual(sums(8, 4, '2,3'))
  })
  it('end with their last accumulator', () => {
    const s = after(product(1, [3, 4, 5], 0))
    expect(s.mmas.size).toBe(0)
    expect(after(product(1, [3, 4, 5], 0).slice(0, 3)).mmas.size).toBe(1)
    expect(after([...product(1, [3, 4, 5], 0).slice(0, 3), signal(1, 'full')]).mmas.size).toBe(0)
  })
  const wide = (k: number): Footprint => at(smemPlane, [2, 4], [4, 1], 64 + 16 * k)
  const pair = (more: ReadonlyArray<LogEvent> = []): ReadonlyArray<LogEvent> => [
    issue(1, 'tcgen05', { ctaGroup: 2 }),
    by(1, 'r', box(A, 0, 4), 'a'),
    by(1, 'r', box(A, 8, 4), 'a'),
    by(1, 'r', box(B, 4, 1), 'b'),
    by(1, 'r', box(B, 4, 9), 'b'),
    ...more,
    by(1, 'w', wide(0), 'accumulator'),
    by(1, 'w', wide(1), 'accumulator'),
  ]
  const eight = (s: ProvenanceState, k: number): ReadonlyArray<string> => texts(read(s.memory, wide(k)), 8)
  it('of a pair: each CTA has its rows, and the columns of both', () => {
    const s = after(pair())
    const rows = (row: number): ReadonlyArray<string> =>
      [row, row + 1].flatMap((i) => [1, 2, 9, 10].map((j) => `a[${String(i)}] b[${String(j)}] 4,5`))
    expect(eight(s, 0)).toEqual(rows(0))
    expect(eight(s, 1)).toEqual(rows(8))
    expect(s.mmas.size).toBe(0)
    expect(after(pair().slice(0, -1)).mmas.size).toBe(1)
  })
  it('of a pair, added: each to its own accumulator', () => {
    const again = [
      issue(2, 'tcgen05', { ctaGroup: 2, accumulates: true }),
      by(2, 'r', box(A, 0, 6), 'a'),
      by(2, 'r', box(A, 8, 6), 'a'),
      by(2, 'r', box(B, 6, 1), 'b'),
      by(2, 'r', box(B, 6, 9), 'b'),
      by(2, 'r', wide(0), 'accumulator'),
      by(2, 'r', wide(1), 'accumulator'),
      by(2, 'w', wide(0), 'accumulator'),
      by(2, 'w', wide(1), 'accumulator'),
    ]
    const s = after([...pair(), ...again])
    expect(eight(s, 0)[0]).toBe('a[0] b[1] 4,5,6,7')
    expect(eight(s, 1)[7]).toBe('a[9] b[10] 4,5,6,7')
  })
  it('of a left operand that lies twice: the two must be the same', () => {
    const twice = (second: Footprint): ReadonlyArray<LogEvent> => [
      issue(1, 'tcgen05'),
      by(1, 'r', box(A, 3, 4), 'a'),
      by(1, 'r', second, 'a'),
      by(1, 'r', box(B, 4, 5), 'b'),
      by(1, 'w', tile(0), 'accumulator'),
    ]
    expect(left(twice(box(A, 3, 4)))).toEqual(sums(3, 5, '4,5'))
    expect(left(twice(box(A, 4, 4)))).toEqual(all('the two copies of operand A are not the same'))
  })
  it('without operands, and of stored elements alone', () => {
    expect(left([issue(1, 'wgmma'), by(1, 'w', tile(0), 'accumulator')])).toEqual(
      all('an mma without operands'),
    )
    const [start, ...rest] = product(1, [3, 4, 5], 0)
    expect(left([start!, by(1, 'r', box(C, 0, 0), 'sparsity'), ...rest])).toEqual(
      all('a sparse product is not one of elements alone'),
    )
  })
  it('of half a row of A, as a warpgroup has it of a sparse one, and of bits that are counted', () => {
    // A of two columns, B of four rows
    const halved = [
      issue(1, 'wgmma'),
      by(1, 'r', box(A, 3, 4), 'a'),
      by(1, 'r', at(smemPlane, [4, 2], [2, 1], 64), 'b'),
      by(1, 'w', tile(0), 'accumulator'),
    ]
    expect(left(halved)).toEqual(all('a sparse product is not one of elements alone'))
    const [start, ...rest] = product(1, [3, 4, 5], 0)
    expect(left([Object.assign({}, start!, { altered: 'counted' }) as LogEvent, ...rest])).toEqual(
      all('an mma counts the bits that its factors have in common'),
    )
  })
  it('take no other role for an operand', () => {
    const [start, ...rest] = product(1, [3, 4, 5], 0)
    const more = (['source', 'destination', 'map'] as const).map((role) => by(1, 'r', box(C, 0, 0), role))
    expect(left([start!, ...more, ...rest])).toEqual(sums(3, 5, '4,5'))
  })
  const scaled: Header = {
    ...header,
    computes: {
      _tag: 'matmul',
      a: 'a',
      b: 'b',
      out: 'c',
      accumulator: 'f32',
      blockK: 16,
      scales: { a: 'v', b: 'd', block: 16 },
    },
  }
  it('with scales are refused where nobody says which, and each CTA has its own of A', () => {
    const [start, ...rest] = product(1, [3, 4, 5], 0)
    for (const role of ['scaleA', 'scaleB'] as const)
      expect(left([start!, by(1, 'r', box(C, 0, 0), role), ...rest])).toEqual(
        all('the program does not say that its product is block-scaled'),
      )
    // the first CTA reads elements of c for scales, the second what nobody has written
    const s = after(pair([by(1, 'r', box(C, 0, 0), 'scaleA'), by(1, 'r', tile(0), 'scaleA')]), scaled)
    expect(eight(s, 0)[0]).toBe('the scales of A are not a box of v')
    expect(eight(s, 1)[0]).toBe('the scales of A: smem is read before anything was written to it')
  })
})

describe('reductions', () => {
  const add = (
    operation: number,
    from: number,
    to: number,
    combine: Access['combine'] = 'add',
  ): ReadonlyArray<LogEvent> => [
    by(operation, 'r', tile(from)),
    { ...by(operation, 'r', tile(to)), combine: combine! },
    { ...by(operation, 'w', tile(to)), combine: combine! },
  ]
  const zeroed = access('w', tile(0), { origin: { _tag: 'zero' } })
  it('add the sums of one row and column', () => {
    const events = [
      zeroed,
      ...product(1, [3, 4, 5], 1),
      ...add(2, 1, 0),
      ...product(3, [3, 6, 5], 1),
      ...add(4, 1, 0),
    ]
    expect(left(events)).toEqual(sums(3, 5, '4,5,6,7'))
  })
  it('exchange takes what comes; a minimum is not a sum', () => {
    const events = (combine: Access['combine']): ReadonlyArray<LogEvent> => [
      zeroed,
      ...product(1, [3, 4, 5], 1),
      ...add(2, 1, 0, combine),
    ]
    expect(left(events('exchange'))).toEqual(sums(3, 5, '4,5'))
    expect(left(events('min'))).toEqual(all('a reduction by min is not a sum'))
  })
  it('of nothing that was read', () => {
    expect(left([zeroed, { ...by(2, 'w', tile(0)), combine: 'add' }])).toEqual(
      all('there joins a value that nothing computed'),
    )
  })
  it('of an agent by itself are computed', () => {
    expect(left([zeroed, access('w', tile(0), { combine: 'add' })])).toEqual(computed)
    const taken = access('r', tile(0), { combine: 'add', value: 5 })
    expect(
      left([zeroed, taken, access('w', tile(1), { origin: { _tag: 'value', id: 5 } })], tile(1)),
    ).toEqual(all('0'))
  })
})

describe('clusters', () => {
  const next: LogEvent = { _tag: 'cluster', id: 1 }
  it('begin with fresh memory of their own, and with global memory as it was', () => {
    const events = [...copied(1, box(A, 3, 4), tile(0)), ...copied(2, box(A, 3, 4), box(C, 0, 0)), next]
    expect(left(events)).toEqual(unwritten)
    expect(left(events, box(C, 0, 0))).toEqual(inputs('a', 3, 4))
  })
  it('carry nothing over', () => {
    const s = after([
      by(1, 'r', box(A, 3, 4)),
      access('r', box(A, 3, 4), { value: 7 }),
      ...product(2, [3, 4, 5], 0).slice(0, 3),
      next,
    ])
    expect([s.carrying.size, s.values.size, s.mmas.size]).toEqual([0, 0, 0])
  })
})

describe('the end', () => {
  const whole = (plane: number): Footprint => at(plane, [extent, extent], [extent, 1], 0)
  const ended = (computes: Header['computes'], events: ReadonlyArray<LogEvent>): unknown =>
    provenance.finish(after(events, { ...header, computes }))
  it('is judged by what the program says that it computes', () => {
    const copy = copied(1, whole(A), whole(C))
    expect(ended(null, copy)).toBeNull()
    expect(ended({ _tag: 'copy', from: 'a', out: 'c' }, copy)).toMatchObject({ proved: true })
    expect(ended({ _tag: 'copy', from: 'b', out: 'c' }, copy)).toMatchObject({ proved: false })
    const claim = { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK: 16 } as const
    expect(ended(claim, copy)).toMatchObject({ proved: false })
    expect(
      ended(claim, [
        issue(1, 'wgmma'),
        by(1, 'r', whole(A), 'a'),
        by(1, 'r', whole(B), 'b'),
        by(1, 'w', whole(C), 'accumulator'),
      ]),
    ).toMatchObject({ proved: true, inOrder: true })
  })
  it('of one run of a program is not that of another, whose tensors lie otherwise', () => {
    const claim = { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK: 16 } as const
    const product = [
      issue(1, 'wgmma'),
      by(1, 'r', whole(A), 'a'),
      by(1, 'r', whole(B), 'b'),
      by(1, 'w', whole(C), 'accumulator'),
    ]
    /** `name` lies column by column. */
    const turned = (name: string): Header => ({
      ...header,
      computes: claim,
      tensors: header.tensors.map((t) => (t.name === name ? { ...t, strides: [1, extent] } : t)),
    })
    const said = (of: Header): unknown => provenance.finish(after(product, of))
    expect(said({ ...header, computes: claim })).toMatchObject({ proved: true, inOrder: true })
    expect(said(turned('b'))).toMatchObject({ proved: false })
    expect(said(turned('c'))).toMatchObject({ proved: false })
    expect(said({ ...header, computes: claim })).toMatchObject({ proved: true, inOrder: true })
    // what was found of tables is kept for the program, what lies in memory is not
    const [once, again] = [
      after(product, { ...header, computes: claim }),
      provenance.init({ ...header, computes: claim }),
    ]
    expect(again.memory.tables).toBe(once.memory.tables)
    expect(again.memory.found).toBe(once.memory.found)
    expect(again.products.known).toBe(once.products.known)
    expect(again.memory.writes.map((w) => w.size)).toEqual(header.planes.map(() => 0))
    expect(provenance.init({ ...header, computes: { ...claim } }).memory.tables).not.toBe(once.memory.tables)
  })
})
