/**
 * Expressions that have no value: which operand's fault is handed on, and which kinds of operands each node takes.
 *
 * Law 1. The fault of the first operand that has one is the value, for every node and every set of faulty operands; `select` by a scalar does not
 * look at the arm it does not take.
 * Law 2. A node takes exactly the kinds of operands in the table by hand; with any other tuple of kinds it is `type.mismatch`.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import { isFault, type FaultValue, type Value } from '../../../src/semantics/machine/value.js'
import { ofTransforms } from '../../../src/transforms/ref.js'
import { launched } from '../machine/machine-samples.js'
import { right } from '../../either.js'

const program = right(
  B.kernel(
    {
      name: 'places',
      arch: 'sm90a',
      grid: [2],
      cluster: [2],
      agents: [B.warpgroup('wg', 0)],
    },
    function* () {
      yield* B.sharedMemory('x', 'i32', [2, 4])
      yield* B.barriers('b', [2], { contract: 'ptx', ordersTensorCore: false })
      const t = yield* B.tensorParam('t', 'i32', [8], { role: 'in' })
      yield* B.descriptorParam('d', t, [4])
    },
  ),
)
const worldOf = new Map([bits('hopper'), real64, unit].map((a) => [a.name, launched(program, a).world]))
const value = (e: ExprNode, algebra: Algebra['name'] = 'bits'): Value =>
  evaluate(worldOf.get(algebra)!, { agent: 0, cta: 0, place: 0, cluster: 0 }, [], e)
const fault = (e: ExprNode, algebra: Algebra['name'] = 'bits'): FaultValue => {
  const v = value(e, algebra)
  if (!isFault(v))
    throw new Error(
      `no fault: ${JSON.stringify(v, (_, x: unknown) => (typeof x === 'bigint' ? String(x) : x))}`,
    )
  return v
}
const tree = (e: Expr): ExprNode => e as unknown as ExprNode

// ---------------------------------------------------------------- one operand of each kind

const four = [4]
const iota = X.iota<1>(four, 0)
const operands = {
  i1: tree(X.i1(true)),
  i32: tree(X.i32(1)),
  i64: tree(X.i64(1n)),
  f32: tree(X.float('f32', 1)),
  f16: tree(X.float('f16', 1)),
  ptr: { _tag: 'paramPtr', param: 't' },
  view: { _tag: 'storage', storage: 'x' },
  barrier: { _tag: 'storage', storage: 'b' },
  descriptor: { _tag: 'descriptor', param: 'd' },
  'tile i1': tree(X.splat(X.i1(true), four)),
  'tile i32': tree(iota),
  'tile i64': tree(X.extS(iota, 'i64')),
  'tile f32': tree(X.splat(X.float('f32', 1), four)),
  'tile ptr': { _tag: 'splat', x: { _tag: 'paramPtr', param: 't' }, shape: four, layout: 'any' },
} satisfies Readonly<Record<string, ExprNode>>
type Kind = keyof typeof operands
const kinds = Object.keys(operands) as ReadonlyArray<Kind>

const scalars: ReadonlyArray<Kind> = ['i1', 'i32', 'i64', 'f32', 'f16']
const numberTiles: ReadonlyArray<Kind> = ['tile i1', 'tile i32', 'tile i64', 'tile f32']
const tiles: ReadonlyArray<Kind> = [...numberTiles, 'tile ptr']

// ---------------------------------------------------------------- the table

interface Row {
  readonly operands: ReadonlyArray<Kind>
  readonly make: (...xs: ReadonlyArray<ExprNode>) => ExprNode
  readonly takes: (...xs: ReadonlyArray<Kind>) => boolean
}
const row = (
  given: ReadonlyArray<Kind>,
  make: Row['make'],
  takes: (...xs: ReadonlyArray<Kind>) => boolean,
): Row => ({ operands: given, make, takes })

/** Of one scalar type, or tiles of it; one of two may be a scalar. */
const alike = (x?: Kind, y?: Kind): boolean => {
  const [a, b] = [x!, y!].map((k) => k.replace('tile ', ''))
  return (
    a === b &&
    a !== 'ptr' &&
    [...scalars, ...numberTiles].includes(x!) &&
    [...scalars, ...numberTiles].includes(y!)
  )
}
const layout = right(ofTransforms([4, 2], 32, []))
const rows: Readonly<Record<string, Row>> = {
  unary: row(
    ['f32'],
    (x) => ({ _tag: 'unary', op: 'neg', mode: 'rn', x: x! }),
    (x) => ['f32', 'f16', 'tile f32'].includes(x!),
  ),
  'unary of a tile': row(
    ['tile f32'],
    (x) => ({ _tag: 'unary', op: 'neg', mode: 'rn', x: x! }),
    (x) => ['f32', 'f16', 'tile f32'].includes(x!),
  ),
  binary: row(['i32', 'i32'], (x, y) => ({ _tag: 'binary', op: 'add', x: x!, y: y! }), alike),
  'binary of tiles': row(
    ['tile i32', 'tile i32'],
    (x, y) => ({ _tag: 'binary', op: 'add', x: x!, y: y! }),
    alike,
  ),
  fma: row(
    ['f32', 'f32', 'f32'],
    (x, y, z) => ({ _tag: 'fma', x: x!, y: y!, z: z! }),
    (...ks) => ks.every((k) => k === ks[0]) && ['f32', 'f16', 'tile f32'].includes(ks[0]!),
  ),
  'fma of tiles': row(
    ['tile f32', 'tile f32', 'tile f32'],
    (x, y, z) => ({ _tag: 'fma', x: x!, y: y!, z: z! }),
    (...ks) => ks.every((k) => k === ks[0]) && ['f32', 'f16', 'tile f32'].includes(ks[0]!),
  ),
  compare: row(['i64', 'i64'], (x, y) => ({ _tag: 'compare', op: 'lt', signed: true, x: x!, y: y! }), alike),
  'compare of tiles': row(
    ['tile i64', 'tile i64'],
    (x, y) => ({ _tag: 'compare', op: 'lt', signed: true, x: x!, y: y! }),
    alike,
  ),
  'select of tiles': row(
    ['tile i1', 'tile i32', 'tile i32'],
    (cond, x, y) => ({ _tag: 'select', cond: cond!, x: x!, y: y! }),
    // the typing asks for a condition of i1; the machine looks at the value alone
    (c, x, y) => c === 'i1' || (tiles.includes(c!) && tiles.includes(x!) && x === y),
  ),
  convert: row(
    ['i32'],
    (x) => ({ _tag: 'convert', op: 'cast', to: 'f32', rounding: 'rn', saturate: false, x: x! }),
    (x) => [...scalars, ...numberTiles].includes(x!),
  ),
  pack: row(
    ['i32', 'i32'],
    (...parts) => ({ _tag: 'pack', to: 'i64', parts }),
    (...ks) => ks.every((k) => scalars.includes(k)),
  ),
  unpack: row(
    ['i64'],
    (x) => ({ _tag: 'unpack', to: 'i32', part: 0, x: x! }),
    (x) => scalars.includes(x!),
  ),
  splat: row(
    ['i32'],
    (x) => ({ _tag: 'splat', x: x!, shape: four, layout: 'any' }),
    (x) => [...scalars, 'ptr'].includes(x!),
  ),
  broadcast: row(
    ['tile i32'],
    (x) => ({ _tag: 'broadcast', x: x!, shape: four, layout: 'any' }),
    (x) => tiles.includes(x!),
  ),
  expandDims: row(
    ['tile i32'],
    (x) => ({ _tag: 'expandDims', x: x!, axis: 0, layout: 'any' }),
    (x) => tiles.includes(x!),
  ),
  reshape: row(
    ['tile i32'],
    (x) => ({ _tag: 'reshape', x: x!, shape: [2, 2], layout: 'any' }),
    (x) => tiles.includes(x!),
  ),
  transpose: row(
    ['tile i32'],
    (x) => ({ _tag: 'transpose', x: x!, perm: [0], layout: 'any' }),
    (x) => tiles.includes(x!),
  ),
  convertLayout: row(
    ['tile i32'],
    (x) => ({ _tag: 'convertLayout', x: x!, layout: 'any' }),
    (x) => tiles.includes(x!),
  ),
  reduce: row(
    ['tile i32'],
    (x) => ({
      _tag: 'reduce',
      x: x!,
      axis: 0,
      combine: { params: ['a', 'b'], body: [], result: { _tag: 'name', name: 'a' } },
      layout: 'any',
    }),
    (x) => numberTiles.includes(x!),
  ),
  gather: row(
    ['tile i32', 'tile i32'],
    (x, index) => ({ _tag: 'gather', x: x!, index: index!, axis: 0, layout: 'any' }),
    (x, index) => tiles.includes(x!) && index === 'tile i32',
  ),
  vote: row(
    ['tile i1'],
    (x) => ({ _tag: 'vote', of: 'any', x: x! }),
    (x) => tiles.includes(x!),
  ),
  item: row(
    ['tile i32'],
    (x) => ({ _tag: 'item', x: x! }),
    (x) => tiles.includes(x!),
  ),
  addptr: row(
    ['ptr', 'i32'],
    (ptr, offset) => ({ _tag: 'addptr', ptr: ptr!, offset: offset! }),
    (p, o) => (p === 'ptr' && scalars.includes(o!)) || (p === 'tile ptr' && tiles.includes(o!)),
  ),
  'addptr of tiles': row(
    ['tile ptr', 'tile i32'],
    (ptr, offset) => ({ _tag: 'addptr', ptr: ptr!, offset: offset! }),
    (p, o) => (p === 'ptr' && scalars.includes(o!)) || (p === 'tile ptr' && tiles.includes(o!)),
  ),
  slot: row(
    ['view', 'i32'],
    (of, index) => ({ _tag: 'slot', of: of!, index: index! }),
    (v, i) => (v === 'view' || v === 'barrier') && i === 'i32',
  ),
  slice: row(
    ['view', 'i32', 'i32'],
    (of, ...starts) => ({ _tag: 'slice', of: of!, starts, sizes: [1, 1] }),
    (v, i, j) => v === 'view' && i === 'i32' && j === 'i32',
  ),
  transposeView: row(
    ['view'],
    (of) => ({ _tag: 'transposeView', of: of!, perm: [1, 0] }),
    (v) => v === 'view',
  ),
  reshapeView: row(
    ['view'],
    (of) => ({ _tag: 'reshapeView', of: of!, shape: [8] }),
    (v) => v === 'view',
  ),
  reinterpret: row(
    ['view'],
    (of) => ({ _tag: 'reinterpret', of: of!, dtype: 'f32', layout }),
    (v) => v === 'view',
  ),
  remote: row(
    ['view', 'i32'],
    (of, rank) => ({ _tag: 'remote', of: of!, rank: rank! }),
    (v, r) => (v === 'view' || v === 'barrier') && r === 'i32',
  ),
}

const tuples = (n: number): ReadonlyArray<ReadonlyArray<Kind>> =>
  n === 0 ? [[]] : tuples(n - 1).flatMap((t) => kinds.map((k) => [...t, k]))

// ---------------------------------------------------------------- laws

describe.each(Object.entries(rows))('%s', (_, { operands: given, make, takes }) => {
  const good = given.map((k) => operands[k])
  test('law 1: the first faulty operand', () => {
    for (let set = 1; set < 2 ** given.length; set++) {
      const e = make(
        ...good.map((x, i): ExprNode => (((set >> i) & 1) === 1 ? { _tag: 'local', slot: 900 + i } : x)),
      )
      const first = given.findIndex((__, i) => ((set >> i) & 1) === 1)
      expect(fault(e)).toMatchObject({
        code: 'name.unset',
        message: expect.stringContaining(`slot ${String(900 + first)} `) as string,
      })
    }
  })
  test('law 2: the kinds it takes', () => {
    expect(takes(...given)).toBe(true)
    const wrong: string[] = []
    for (const ks of tuples(given.length)) {
      const v = value(make(...ks.map((k) => operands[k])))
      const refused = isFault(v) && v.code === 'type.mismatch'
      if (refused === takes(...ks)) wrong.push(`${ks.join(', ')}: ${refused ? 'refused' : 'taken'}`)
    }
    expect(wrong).toEqual([])
  })
})
test('law 1, select by a scalar: the condition, then the arm that it takes', () => {
  const bad = (slot: number): ExprNode => ({ _tag: 'local', slot })
  const select = (cond: ExprNode, x: ExprNode, y: ExprNode): ExprNode => ({ _tag: 'select', cond, x, y })
  const [yes, no] = [tree(X.i1(true)), tree(X.i1(false))]
  expect(fault(select(bad(1), bad(2), bad(3))).message).toContain('slot 1 ')
  expect(fault(select(yes, bad(2), bad(3))).message).toContain('slot 2 ')
  expect(fault(select(no, bad(2), bad(3))).message).toContain('slot 3 ')
  expect(value(select(yes, tree(X.i32(7)), bad(3)))).toBe(7)
  expect(value(select(no, bad(2), tree(X.i32(8))))).toBe(8)
})

describe('what else has no value', () => {
  const n = (k: Kind): ExprNode => operands[k]
  const twoByTwo = tree(X.splat(X.i32(1), [2, 2]))
  const i1TwoByTwo = tree(X.splat(X.i1(true), [2, 2]))
  const f32s = (count: number): ExprNode => tree(X.splat(X.float('f32', 1), [count]))
  const convert = (
    op: 'trunc' | 'extS' | 'extU' | 'cast' | 'bitcast',
    to: 'i1' | 'i32' | 'i64' | 'f16' | 'f32',
    x: ExprNode,
  ): ExprNode => ({
    _tag: 'convert',
    op,
    to,
    rounding: 'rn',
    saturate: false,
    x,
  })
  const cases: ReadonlyArray<readonly [string, ExprNode, code: string, Algebra['name']?]> = [
    ['a name that nobody bound', { _tag: 'name', name: 'nobody' }, 'name.unbound'],
    ['a dimension that is not there', { _tag: 'dim', param: 't', axis: 1 }, 'dim'],
    ['a dimension of no tensor', { _tag: 'dim', param: 'u', axis: 0 }, 'dim'],
    ['a pointer to no tensor', { _tag: 'paramPtr', param: 'u' }, 'param.unknown'],
    ['a view of no tensor', { _tag: 'tensor', param: 'u' }, 'param.unknown'],
    ['no descriptor', { _tag: 'descriptor', param: 't' }, 'param.unknown'],
    ['no storage', { _tag: 'storage', storage: 'y' }, 'storage.unknown'],
    ['tiles of two shapes', { _tag: 'binary', op: 'add', x: n('tile i32'), y: twoByTwo }, 'tile.shape'],
    ['fma, the second of another shape', { _tag: 'fma', x: f32s(4), y: f32s(2), z: f32s(4) }, 'tile.shape'],
    ['fma, the third of another shape', { _tag: 'fma', x: f32s(4), y: f32s(4), z: f32s(2) }, 'tile.shape'],
    [
      'select, the condition of another shape',
      { _tag: 'select', cond: i1TwoByTwo, x: n('tile i32'), y: n('tile i32') },
      'tile.shape',
    ],
    [
      'select, the second arm of another shape',
      { _tag: 'select', cond: n('tile i1'), x: n('tile i32'), y: twoByTwo },
      'tile.shape',
    ],
    [
      'pointers moved by tiles of another shape',
      { _tag: 'addptr', ptr: n('tile ptr'), offset: twoByTwo },
      'tile.shape',
    ],
    [
      'a broadcast of another rank',
      { _tag: 'broadcast', x: n('tile i32'), shape: [4, 1], layout: 'any' },
      'tile.shape',
    ],
    [
      'a broadcast of an extent that is not 1',
      { _tag: 'broadcast', x: n('tile i32'), shape: [8], layout: 'any' },
      'tile.shape',
    ],
    [
      'a reshape to more elements',
      { _tag: 'reshape', x: n('tile i32'), shape: [8], layout: 'any' },
      'tile.shape',
    ],
    ['an item of many', { _tag: 'item', x: n('tile i32') }, 'tile.shape'],
    [
      'a quotient of floats by the integers’ name',
      { _tag: 'binary', op: 'quo', x: n('f32'), y: n('f32') },
      'algebra.lacks',
    ],
    [
      'a quotient of tiles of floats by it',
      { _tag: 'binary', op: 'quo', x: n('tile f32'), y: n('tile f32') },
      'algebra.lacks',
    ],
    ['the floats’ quotient of i1', { _tag: 'binary', op: 'fdiv', x: n('i1'), y: n('i1') }, 'algebra.lacks'],
    [
      'the floats’ quotient of i32',
      { _tag: 'binary', op: 'fdiv', x: n('i32'), y: n('i32') },
      'algebra.lacks',
    ],
    [
      'the floats’ quotient of i64',
      { _tag: 'binary', op: 'fdiv', x: n('i64'), y: n('i64') },
      'algebra.lacks',
    ],
    [
      'the floats’ quotient of tiles of i1',
      { _tag: 'binary', op: 'fdiv', x: n('tile i1'), y: n('tile i1') },
      'algebra.lacks',
    ],
    [
      'the floats’ quotient of tiles of i32',
      { _tag: 'binary', op: 'fdiv', x: n('tile i32'), y: n('tile i32') },
      'algebra.lacks',
    ],
    [
      'the floats’ quotient of tiles of i64',
      { _tag: 'binary', op: 'fdiv', x: n('tile i64'), y: n('tile i64') },
      'algebra.lacks',
    ],
    ['a bitcast to another width', convert('bitcast', 'f32', n('f16')), 'type.mismatch'],
    ['a bitcast of tiles to another width', convert('bitcast', 'f16', n('tile i64')), 'type.mismatch'],
    ['a bitcast without bits', convert('bitcast', 'i32', n('f32')), 'algebra.lacks', 'real64'],
    ['a truncation of a float', convert('trunc', 'i32', n('f32')), 'algebra.lacks'],
    ['a truncation to a float', convert('trunc', 'f32', n('i32')), 'algebra.lacks'],
    ['a sign extension of a float', convert('extS', 'i64', n('f32')), 'algebra.lacks'],
    ['a zero extension to a float', convert('extU', 'f32', n('i32')), 'algebra.lacks'],
    ['a float taken to an integer without data', convert('cast', 'i32', n('f32')), 'algebra.lacks', 'unit'],
    [
      'packing without bits',
      { _tag: 'pack', to: 'i64', parts: [n('i32'), n('i32')] },
      'algebra.lacks',
      'real64',
    ],
    [
      'unpacking without bits',
      { _tag: 'unpack', to: 'i32', part: 0, x: n('i64') },
      'algebra.lacks',
      'real64',
    ],
    [
      'a comparison of floats without data',
      { _tag: 'compare', op: 'lt', signed: true, x: n('f32'), y: n('f32') },
      'algebra.lacks',
      'unit',
    ],
    [
      'an i64 of a tile beyond 2^53',
      { _tag: 'splat', x: tree(X.i64(2n ** 53n)), shape: four, layout: 'any' },
      'type.mismatch',
    ],
    ['slot -1 of a view', { _tag: 'slot', of: n('view'), index: tree(X.i32(-1)) }, 'I2'],
    ['slot 2 of 2', { _tag: 'slot', of: n('view'), index: tree(X.i32(2)) }, 'I2'],
    ['barrier -1', { _tag: 'slot', of: n('barrier'), index: tree(X.i32(-1)) }, 'I2'],
    ['barrier 2 of 2', { _tag: 'slot', of: n('barrier'), index: tree(X.i32(2)) }, 'I2'],
    [
      'an index into one barrier',
      { _tag: 'slot', of: { _tag: 'slot', of: n('barrier'), index: tree(X.i32(0)) }, index: tree(X.i32(0)) },
      'I2',
    ],
    [
      'a slice from -1',
      { _tag: 'slice', of: n('view'), starts: [tree(X.i32(-1)), tree(X.i32(0))], sizes: [1, 1] },
      'I2',
    ],
    [
      'a slice that ends behind, in the second dimension',
      { _tag: 'slice', of: n('view'), starts: [tree(X.i32(0)), tree(X.i32(3))], sizes: [1, 2] },
      'I2',
    ],
    ['rank -1', { _tag: 'remote', of: n('view'), rank: tree(X.i32(-1)) }, 'I2'],
    ['rank 2 of 2', { _tag: 'remote', of: n('barrier'), rank: tree(X.i32(2)) }, 'I2'],
  ]
  for (const [what, e, code, algebra] of cases)
    test(what, () => {
      expect(fault(e, algebra).code).toBe(code)
    })
  test('the ends that are there: slots, barriers, slices, ranks', () => {
    expect(value({ _tag: 'slot', of: n('view'), index: tree(X.i32(1)) })).toMatchObject({
      _tag: 'view',
      base: 16,
    })
    expect(value({ _tag: 'slot', of: n('barrier'), index: tree(X.i32(1)) })).toMatchObject({
      first: 1,
      shape: [],
    })
    expect(
      value({ _tag: 'slice', of: n('view'), starts: [tree(X.i32(1)), tree(X.i32(2))], sizes: [1, 2] }),
    ).toMatchObject({ _tag: 'view', base: 24 })
    // two barriers a CTA
    expect(value({ _tag: 'remote', of: n('barrier'), rank: tree(X.i32(1)) })).toMatchObject({
      first: 2,
      shape: [2],
    })
  })
  test('an i64 element of a tile that leaves 2^53 in an operation', () => {
    const big: ExprNode = { _tag: 'splat', x: tree(X.i64(2n ** 53n - 1n)), shape: four, layout: 'any' }
    const sum = (y: ExprNode): ExprNode => ({ _tag: 'binary', op: 'add', x: big, y })
    expect(fault(sum(n('tile i64'))).code).toBe('i64.range')
    expect(value({ _tag: 'binary', op: 'sub', x: big, y: n('tile i64') })).toMatchObject({
      data: Float64Array.from([0, 1, 2, 3], (i) => 2 ** 53 - 1 - i),
    })
  })
  test('a combine without a value: the reduction has none', () => {
    const reduced = (result: ExprNode): ExprNode => ({
      _tag: 'reduce',
      x: n('tile i32'),
      axis: 0,
      combine: {
        params: ['a', 'b'],
        body: [{ name: 's', value: tree(X.add(X.name('a'), X.name('b'))) }],
        result,
      },
      layout: 'any',
    })
    expect(value(reduced({ _tag: 'name', name: 's' }))).toMatchObject({ shape: [], data: Float64Array.of(6) })
    expect(fault(reduced({ _tag: 'name', name: 'c' })).code).toBe('name.unbound')
  })
})

describe('tiles whose data is not kept', () => {
  // without data a splat of floats is unknown, and an integer cast to a float is not: it was made from one that is known
  const unknown: ExprNode = operands['tile f32']
  const known: ExprNode = {
    _tag: 'convert',
    op: 'cast',
    to: 'f32',
    rounding: 'rn',
    saturate: false,
    x: operands['tile i32'],
  }
  const vote = (x: ExprNode): ExprNode => ({ _tag: 'vote', of: 'any', x })
  const less = (x: ExprNode, y: ExprNode): ExprNode => ({ _tag: 'compare', op: 'lt', signed: true, x, y })
  test('which are known', () => {
    expect(value(unknown, 'unit')).toMatchObject({ data: null })
    expect(value(known, 'unit')).toMatchObject({ data: new Float64Array(4) })
  })
  test.each([
    ['both', unknown, unknown],
    ['the first', unknown, known],
    ['the second', known, unknown],
  ])('compared, %s: a tile of the shape without data, and control that needs it is refused', (_, x, y) => {
    expect(value(less(x, y), 'unit')).toMatchObject({ _tag: 'tile', element: 'i1', shape: four, data: null })
    expect(fault(vote(less(x, y)), 'unit').code).toBe('algebra.control')
    expect(value({ _tag: 'binary', op: 'add', x, y }, 'unit')).toMatchObject({ element: 'f32', data: null })
    for (const [a, b, c] of [
      [x, y, known],
      [x, known, y],
      [known, x, y],
    ] as const)
      expect(value({ _tag: 'fma', x: a, y: b, z: c }, 'unit')).toMatchObject({ element: 'f32', data: null })
    expect(value({ _tag: 'select', cond: operands['tile i1'], x, y }, 'unit')).toMatchObject({
      element: 'f32',
      data: null,
    })
    expect(
      value({ _tag: 'select', cond: less(x, y), x: operands['tile i32'], y: operands['tile i32'] }, 'unit'),
    ).toMatchObject({ element: 'i32', data: null })
  })
  test('what is known of two known ones is lacking in the algebra', () => {
    expect(fault(less(known, known), 'unit').code).toBe('algebra.lacks')
  })
  test('shapes and reductions of it are without data; one element of it is the one value', () => {
    expect(value({ _tag: 'broadcast', x: unknown, shape: four, layout: 'any' }, 'unit')).toMatchObject({
      data: null,
    })
    expect(
      value(
        {
          _tag: 'reduce',
          x: unknown,
          axis: 0,
          combine: { params: ['a', 'b'], body: [], result: { _tag: 'name', name: 'nobody' } },
          layout: 'any',
        },
        'unit',
      ),
    ).toMatchObject({ shape: [], data: null })
    const one: ExprNode = { _tag: 'splat', x: operands.f32, shape: [1], layout: 'any' }
    expect(value({ _tag: 'item', x: one }, 'unit')).toEqual({ _tag: 'float', dtype: 'f32', x: 0 })
    const truth: ExprNode = less(one, one)
    expect(fault({ _tag: 'item', x: truth }, 'unit').code).toBe('algebra.control')
  })
  test('any and all of what is known', () => {
    const tile = (xs: ExprNode): ReadonlyArray<Value> =>
      (['any', 'all'] as const).map((of) => value({ _tag: 'vote', of, x: xs }))
    const is = (x: number): ExprNode => tree(X.lt(iota, X.splat(X.i32(x), four)))
    expect([0, 2, 4].map((x) => tile(is(x)))).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ])
  })
})
