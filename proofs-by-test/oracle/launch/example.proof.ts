/**
 * Launches to begin with, of functions of which only the operations that matter are there. Oracles: the tables of `launch/example.ts` told again with their
 * numbers, and one law of all products: the tiles of the grid cover the output once.
 */
import { describe, expect, it, test } from 'vitest'
import type { Asked, Operation, Signature, Type, Value } from '../../../src/dialects/ttgir/index.js'
import { exampleOf } from '../../../src/oracle/launch/example.js'
import {
  buffer as bufferOf,
  float,
  made,
  number,
  pointer,
  pointers,
  tensor as tensorOf,
  value,
} from '../../dialects/ttgir/made.js'

const f16 = float('f16')
const tensor = (...shape: ReadonlyArray<number>): Type => tensorOf(shape)
const buffer = (...shape: ReadonlyArray<number>): Type => bufferOf(shape)
const holding = (
  { name, operands, names, results }: Operation,
  operations: ReadonlyArray<Operation>,
  carried: ReadonlyArray<readonly [string, Type]> = [],
): Operation =>
  made(
    name,
    operands,
    names.map((n, k) => [n.name, results[k]!] as const),
    [{ operations, parameters: [['i', number], ...carried] }],
  )

const pid = made('tt.get_program_id')
const dot = (m: number, n: number, k: number): Operation =>
  made('tt.dot', { a: [value('x', tensor(m, k))], b: [value('y', tensor(k, n))] })

type Role = 'in' | 'out' | 'inout'
const behind = (name: string, role: Role, dtype: 'f16' | 'i8' = 'f16'): Asked => ({
  _tag: 'pointer',
  name,
  dtype,
  role,
})
const map = (name: string, role: Role, ...block: ReadonlyArray<number>): Asked => ({
  _tag: 'descriptor',
  name,
  dtype: 'f16',
  role,
  block,
})
const scalar = (name: string, divisor = 1, dtype: 'i1' | 'i32' | 'i64' | 'f32' = 'i32'): Asked => ({
  _tag: 'scalar',
  name,
  dtype,
  divisor,
})

/** Words without the marks of a guess, and without the types and roles that stand in the signature. */
const guessed = (
  body: ReadonlyArray<Operation>,
  parameters: ReadonlyArray<Asked>,
  axes = 1,
): { readonly grid: ReadonlyArray<number>; readonly of: Readonly<Record<string, string>> } => {
  const signature: Signature = { name: 'k', parameters, axes }
  const { grid, args } = exampleOf(holding(made('tt.func'), body), signature)
  return {
    grid,
    of: Object.fromEntries(
      args.map(([name, word], i) => {
        const p = parameters[i]!
        const bare = word.replace(/:guess$/u, '')
        const type = p._tag === 'scalar' ? '' : `${p.dtype}[`
        expect([name, word]).toEqual([p.name, `${bare}:guess`])
        if (p._tag === 'scalar') return [name, bare]
        expect(bare.startsWith(type) && bare.endsWith(`]:${p.role}`)).toBe(true)
        return [name, bare.slice(type.length, -`]:${p.role}`.length)]
      }),
    ),
  }
}

const abc = [behind('a_ptr', 'in'), behind('b_ptr', 'in'), behind('c_ptr', 'out')]

describe('a product', () => {
  const [m, n, k] = [16, 32, 8]
  const ring = made('ttg.local_alloc', {}, [['ring', buffer(3, m, k)]])

  test('the tiles of its grid cover the output once, and each dimension is a number of whole tiles', () => {
    for (const axes of [1, 2, 3])
      for (const places of [true, false])
        for (const sizes of [[], ['M', 'N', 'K'], ['N'], ['K']])
          for (const out of [
            behind('c_ptr', 'out'),
            behind('c_ptr', 'inout'),
            map('c_ptr', 'out', m, n),
            map('c_ptr', 'out', 2 * m, 4 * n),
            map('c_ptr', 'out', m / 2, n / 2),
            map('c_ptr', 'out', 1, 2 * n, 3 * n),
          ]) {
            const { grid, of } = guessed(
              [...(places ? [pid] : []), ring, dot(m, n, k)],
              [map('a_ptr', 'in', m, k), map('b_ptr', 'in', k, n), out, ...sizes.map((name) => scalar(name))],
              axes,
            )
            const tile =
              out._tag === 'descriptor' && out.block.length === 2
                ? [Math.max(m, out.block[0]!), Math.max(n, out.block[1]!)]
                : [m, n]
            const [rows, columns] = of['c_ptr']!.split(',').map(Number) as [number, number]
            const [am, ak] = of['a_ptr']!.split(',').map(Number) as [number, number]
            const [bk, bn] = of['b_ptr']!.split(',').map(Number) as [number, number]
            // three stages, and two steps more
            expect([am, ak, bk, bn]).toEqual([rows, 5 * k, 5 * k, columns])
            const programs = grid.reduce((x, y) => x * y, 1)
            expect([axes, programs]).toEqual([grid.length, places ? 2 : 1])
            expect(rows * columns).toBe(programs * tile[0]! * tile[1]!)
            expect([rows % tile[0]!, columns % tile[1]!]).toEqual([0, 0])
            // what has one axis and is told no number of columns, counts rows
            const isTold = sizes.includes('N') || out._tag === 'descriptor'
            expect(rows > tile[0]!).toBe(places && axes === 1 && !isTold)
            if (axes > 1) expect(grid.slice(0, 2)).toEqual(places ? [1, 2] : [1, 1])
            for (const name of sizes) expect(of[name]).toBe(String({ M: rows, N: columns, K: 5 * k }[name]!))
          }
  })

  test('strides are those of rows, by the letter of their axis, in every spelling', () => {
    const [rows, columns, depth] = [2 * m, n, 3 * k]
    for (const spelt of [
      (t: string, axis: string) => `stride_${t}${axis}`,
      (t: string, axis: string) => `strides_${t}_${axis}`,
      (t: string, axis: string) => `s${t}${axis}`,
      (t: string, axis: string) => `s_${t}${axis}`,
      (t: string, axis: string) => `ld${t}${axis}`,
      (t: string, axis: string) => `ld_${t}${axis}`,
      (t: string, axis: string) => `st${t}${axis}`,
      (t: string, axis: string) => `st_${t}${axis}`,
      (t: string, axis: string) => `str${t}${axis}`,
      (t: string, axis: string) => `stride${t}${axis}`,
      (t: string, axis: string) => `strides${t}${axis}`,
      (t: string, axis: string) => `STR_${t.toUpperCase()}${axis.toUpperCase()}`,
    ]) {
      const expected = [
        ['a', 'm', depth],
        ['a', 'k', 1],
        ['a', '', depth],
        ['b', 'k', columns],
        ['b', 'n', 1],
        ['c', 'm', columns],
        ['c', 'n', 1],
        // an axis that the tensor lacks
        ['c', 'z', columns],
        ['a', 'k_', depth],
      ] as const
      const { of } = guessed(
        [pid, dot(m, n, k)],
        [...abc, ...expected.map(([t, axis]) => scalar(spelt(t, axis)))],
      )
      for (const [t, axis, stride] of expected)
        expect([spelt(t, axis), of[spelt(t, axis)]]).toEqual([spelt(t, axis), String(stride)])
      expect(of['a_ptr']).toBe(`${String(rows)},${String(depth)}`)
    }
    // how a pointer is called besides is no part of its name; what only holds such a word is no stride
    for (const end of ['ptr', '_ptr', 'desc', '_desc', '_descriptor', '']) {
      const tensors = ['x', 'ptr_y', 'z'].map((name, i) => behind(`${name}${end}`, i === 2 ? 'out' : 'in'))
      const { of } = guessed(
        [pid, dot(m, n, k)],
        [
          ...tensors,
          scalar('stride_xk'),
          scalar('stride_ptr_yn'),
          scalar('stride_zm'),
          scalar('my_stride_xk'),
        ],
      )
      expect([end, of['stride_xk'], of['stride_ptr_yn'], of['stride_zm'], of['my_stride_xk']]).toEqual([
        end,
        '1',
        '1',
        '32',
        '24',
      ])
    }
    expect(guessed([pid, dot(m, n, k)], [...abc, scalar('stride_ak.1')]).of['stride_ak.1']).toBe('24')
  })

  test('numbers of other names are as deep as the product; divisors, bits and fractions', () => {
    const { of } = guessed(
      [pid, dot(m, n, k)],
      [
        ...abc,
        scalar('K'),
        scalar('k_size', 64),
        scalar('M_dim'),
        scalar('_sizem'),
        scalar('nlen', 7),
        scalar('whatever', 16),
        scalar('stride_q', 5),
        scalar('flag', 1, 'i1'),
        scalar('alpha', 1, 'f32'),
        scalar('long', 1, 'i64'),
      ],
    )
    expect(of).toMatchObject({
      K: '24',
      k_size: '64',
      M_dim: '32',
      _sizem: '24',
      nlen: '35',
      whatever: '32',
      // a stride of no tensor here
      stride_q: '25',
      flag: '1',
      alpha: '0.5',
      long: '24',
    })
  })

  test('a fourth tensor: of a pointer all that a row of the others has, of a map two blocks', () => {
    const { of } = guessed(
      [pid, dot(m, 4 * n, k)],
      [...abc, behind('scale', 'in', 'i8'), map('d', 'inout', 4, 6)],
    )
    expect([of['scale'], of['d']]).toEqual([String(128 * 24), '8,12'])
  })

  test('which products are one: two that are read, three with a number k; bytes are scales', () => {
    // what has two extents, or one element for each of two programs
    const isProduct = (parameters: ReadonlyArray<Asked>, body = [pid, dot(m, n, k)]): boolean => {
      const [found] = Object.values(guessed(body, parameters).of)
      expect(['32,24', '16,24', '2']).toContain(found)
      return found !== '2'
    }
    const scales = [behind('s', 'in', 'i8'), behind('t', 'in', 'i8')]
    expect([
      isProduct(abc),
      isProduct([...abc, ...scales]),
      isProduct([...abc, behind('v', 'in')]),
      isProduct([...abc, behind('v', 'in'), scalar('K')]),
      isProduct([...abc, behind('v', 'in'), scalar('k', 1, 'i64')]),
      isProduct([...abc, behind('v', 'in'), behind('k', 'in')]),
      isProduct(abc.slice(0, 2)),
      isProduct(abc.slice(1)),
      isProduct(abc, [pid]),
      isProduct(abc, [pid, { ...dot(m, n, k), name: 'tt.other' }]),
      ...[
        {},
        { a: [] },
        { a: [value('x', f16)] },
        { a: [value('x', tensor(m, k))] },
        { a: [value('x', tensor(m, k))], b: [] },
        { a: [value('x', tensor(m))], b: [value('y', tensor(k, n))] },
        { a: [value('x', f16)], b: [value('y', tensor(k, n))] },
      ].map((operands) => isProduct(abc, [pid, made('tt.dot', operands)])),
    ]).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
      false,
      false,
      ...Array.from({ length: 9 }, () => false),
    ])
    const bytes = (p: Asked): Asked => ({ ...p, dtype: 'i8' }) as Asked
    expect(isProduct([bytes(map('a', 'in', m, k)), bytes(map('b', 'in', k, n)), behind('c', 'out')])).toBe(
      true,
    )
    // of a product of several, the last two dimensions
    const batched = made('tt.dot', { a: [value('x', tensor(2, m, k))], b: [value('y', tensor(2, k, n))] })
    expect(guessed([pid, batched], abc).of).toEqual({ a_ptr: '32,24', b_ptr: '24,32', c_ptr: '32,32' })
    // in any order; and a tensor that is called n is no number
    const [a, b, c] = abc as [Asked, Asked, Asked]
    expect(guessed([pid, dot(m, n, k)], [c, a, b]).of).toEqual({
      a_ptr: '32,24',
      b_ptr: '24,32',
      c_ptr: '32,32',
    })
    expect(guessed([pid, dot(m, n, k)], [a, b, behind('n', 'out')]).of['n']).toBe('32,32')
    for (const name of [
      'tt.dot_scaled',
      'ttng.warp_group_dot',
      'ttng.tc_gen5_mma',
      'ttng.tc_gen5_mma_scaled',
    ])
      expect(isProduct(abc, [pid, { ...dot(m, n, k), name }])).toBe(true)
  })

  test('stages are the slots of the longest ring, of three dimensions', () => {
    const depth = (...rings: ReadonlyArray<ReadonlyArray<number>>): string | undefined =>
      guessed(
        [
          pid,
          ...rings.map((shape, i) => made('ttg.local_alloc', {}, [[`r${String(i)}`, buffer(...shape)]])),
          made('ttng.tmem_alloc', {}, [['t', buffer(9, 1, 1)]]),
          dot(m, n, k),
        ],
        [...abc, scalar('K')],
      ).of['K']
    expect([
      depth(),
      depth([2, m, k]),
      depth([2, m, k], [4, m, k], [3, m, k]),
      depth([7, m]),
      depth([5]),
    ]).toEqual(['24', '32', '48', '24', '24'])
  })

  test('extents that a map of the function names are those numbers', () => {
    const names = [scalar('M'), scalar('N', 64), scalar('K')]
    const own = (name: string): Value => value(name, number)
    const c = value('c_ptr', pointer)
    for (const op of [
      made('tt.make_tensor_descriptor', { base: [c], shape: [own('K'), own('N')] }),
      // innermost first
      made('ttng.tensormap_create', { global_address: [c], global_dim: [own('N'), own('K')] }),
    ]) {
      expect(guessed([pid, op, dot(m, n, k)], [...abc, ...names]).of['c_ptr']).toBe('24,64')
      // of a number that is no argument nothing is known
      for (const known of [[], [own('K')]]) {
        const extents = [...known, own('q')]
        const unknown = { ...op, operands: { ...op.operands, shape: extents, global_dim: extents } }
        expect(guessed([pid, unknown, dot(m, n, k)], [...abc, ...names]).of['c_ptr']).toBe('16,64')
      }
      expect(guessed([pid, { ...op, name: 'tt.other' }, dot(m, n, k)], [...abc, ...names]).of['c_ptr']).toBe(
        '16,64',
      )
    }
  })
})

describe('blocks of descriptors', () => {
  const loop = holding(made('scf.for'), [])
  const xy = [map('x', 'in', 4, 8), map('y', 'out', 2, 16)]
  it.each([
    // along the first axis two of the longest block where it asks for its place, along the others one, and four if it walks
    ['places', [pid], [4], '8,8', '8,16', '8'],
    ['a caller of its own', [made('tt.call')], [4], '8,8', '8,16', '8'],
    ['one program', [], [2], '4,8', '4,16', '4'],
    ['walking', [pid, loop], [4], '8,32', '8,64', '64'],
    ['walking by while', [pid, { ...loop, name: 'scf.while' }], [4], '8,32', '8,64', '64'],
    ['attention, whose loop is of products', [pid, loop, dot(4, 8, 8)], [4], '8,8', '8,16', '8'],
  ] as const)('%s', (_, body, grid, x, y, n) => {
    const two = [...xy, scalar('n'), scalar('rest'), behind('p', 'in')]
    // three that are read: another product than one of two
    const said = guessed(body, body.length === 3 ? [...two, behind('q', 'in')] : two)
    const most = y.split(',').reduce((size, e) => size * Number(e), 1)
    expect([said.grid, said.of['x'], said.of['y'], said.of['n'], said.of['p']]).toEqual([
      grid,
      x,
      y,
      n,
      String(most),
    ])
    expect(said.of['rest']).toBe(x.split(',')[0])
  })
  test('a row that is walked along is the last dimension', () => {
    const { of } = guessed([pid, loop], [map('x', 'in', 2, 4, 8), map('y', 'out', 2, 4, 8), scalar('k')])
    expect(of).toEqual({ x: '4,16,32', y: '4,16,32', k: '32' })
  })
  test('programs are as many as there are blocks of what is written; of pointers one', () => {
    expect(guessed([pid], [map('x', 'in', 8, 8), map('y', 'out', 2, 8)]).grid).toEqual([8])
    expect(guessed([pid], [map('x', 'in', 2, 8), map('y', 'inout', 8, 8)]).grid).toEqual([2])
    expect(guessed([pid], [map('x', 'in', 8, 8), behind('y', 'out')]).grid).toEqual([1])
    expect(guessed([pid], [map('x', 'in', 8, 8)], 2).grid).toEqual([1, 1])
    expect(guessed([pid], [map('x', 'in', 8, 8), map('y', 'out', 2, 8)], 3).grid).toEqual([8, 1, 1])
  })
})

describe('any other function', () => {
  const access = (base: string, ...shape: ReadonlyArray<number>): ReadonlyArray<Operation> => [
    made('tt.addptr', { offset: [value('o', tensor(...shape))], ptr: [value(base, pointer)] }, [
      [`${base}1`, pointers(...shape)],
    ]),
    made('tt.load', { ptr: [value(`${base}1`, pointers(...shape))] }),
  ]
  const xy = [behind('x', 'in'), behind('y', 'out'), scalar('n')]
  test('what one access takes, for two programs that ask for their places, and for one', () => {
    for (const [body, times] of [
      [[pid], 2],
      [[made('tt.call')], 2],
      [[], 1],
    ] as const) {
      const { grid, of } = guessed([...body, ...access('x', 4, 8), ...access('y', 16)], xy)
      expect([grid, of]).toEqual([[times], { x: String(32 * times), y: String(16 * times), n: '8' }])
    }
  })
  test('the largest of several accesses, whichever comes first, and of a tensor without one the largest of all', () => {
    const all = [[...access('x', 8)], [...access('x', 32)], [...access('x', 16)]]
    for (const order of [
      [0, 1, 2],
      [1, 0, 2],
      [2, 0, 1],
    ])
      expect(guessed([pid, ...order.flatMap((i) => all[i]!)], xy).of).toEqual({ x: '64', y: '64', n: '32' })
    // of two that are equally large the later one of a tensor, and the first tensor
    const equal = [...access('x', 4, 8), ...access('x', 8, 4), ...access('y', 2, 16)]
    expect(guessed([pid, ...equal], xy).of).toEqual({ x: '64', y: '64', n: '4' })
  })
  test('pointers are followed to their parameter, through loops; each kind of access counts', () => {
    const start = made('tt.splat', { src: [value('x', pointer)] }, [['p0', pointers(64)]])
    const carried = holding(
      made(
        'scf.for',
        {
          lowerBound: [value('c0', number)],
          initArgs: [value('z', number), value('p0', pointers(64))],
        },
        [
          ['z1', number],
          ['p9', pointers(64)],
        ],
      ),
      [
        made('ttg.async_copy_global_to_local', { src: [value('p', pointers(64))] }),
        made('tt.addptr', { ptr: [value('p', pointers(64))] }, [['p2', pointers(64)]]),
      ],
      [
        ['s', number],
        ['p', pointers(64)],
      ],
    )
    const two = guessed([pid, start, carried, ...access('y', 4, 512)], xy)
    expect(two.of).toMatchObject({ x: '128', y: '4096', n: '512' })
    for (const name of ['tt.load', 'tt.store', 'tt.atomic_rmw', 'tt.atomic_cas'])
      expect(guessed([{ ...made(name), operands: { ptr: [value('x', pointers(4))] } }], xy).of['x']).toBe('4')
    const printed = { ptr: [value('x', pointers(4))], src: [value('x', pointers(4))] }
    expect(guessed([made('tt.print', printed)], xy).of['x']).toBe('1')
    // a pointer that is made of itself ends the search
    const circle = made('tt.addptr', { ptr: [value('q', pointers(4))] }, [['q', pointers(4)]])
    expect(guessed([circle, made('tt.load', { ptr: [value('q', pointers(4))] })], xy).of['x']).toBe('4')
  })
  test('a grid of several axes, and one program that does the work of all', () => {
    const body = [pid, ...access('x', 8)]
    expect(guessed(body, xy, 2).grid).toEqual([2, 1])
    expect(guessed([...body, made('tt.get_num_programs')], xy, 2).grid).toEqual([1, 1])
    expect(guessed([...body, made('tt.get_num_programs')], xy).grid).toEqual([1])
    expect(guessed(body, xy, 0).grid).toEqual([])
  })
})
