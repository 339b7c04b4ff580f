/**
 * Functions of the elaboration on operations that are made by hand: labels and what a text means, what the assembler contracts, roles of parameters, plain stores
 * beside atomics, shares of a cluster. Oracles: tables by hand, after the rules in the headers; for a share the division of its extents.
 */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, test } from 'vitest'
import {
  everyOperation,
  readModule,
  type Attribute,
  type Operation,
  type Type,
  type Value,
} from '../../../src/dialects/ttgir/index.js'
import { asOneCta } from '../../../src/dialects/ttgir/elaboration/clusters.js'
import { quotientsIn } from '../../../src/dialects/ttgir/elaboration/contraction.js'
import { labelsOf, meantBy, ownerOf, type Labelled } from '../../../src/dialects/ttgir/elaboration/labels.js'
import { rolesOf } from '../../../src/dialects/ttgir/elaboration/roles.js'
import { storesBeside } from '../../../src/dialects/ttgir/elaboration/stores.js'
import { kindOf } from '../../../src/dialects/ttgir/mutants/kinds.js'
import { right } from '../../either.js'
import { buffer, float, integer, made, moduleOf, number, pointer, pointers, tensor, value } from './made.js'

const f32 = float('f32')

describe('labels', () => {
  const at = (line: number, name: string, ...results: ReadonlyArray<string>): Operation =>
    made(
      name,
      {},
      results.map((r) => [r, f32] as const),
      [],
      { line },
    )
  const loop = (line: number, variable: string): Operation =>
    made(
      'scf.for',
      {},
      [['sum', f32]],
      [
        {
          parameters: [
            [variable, number],
            ['acc', f32],
          ],
          operations: [],
        },
      ],
      { line },
    )
  const all = [
    at(3, 'ttg.local_alloc', 'x'),
    at(4, 'ttg.local_alloc', '7'),
    at(5, 'ttng.wait_barrier'),
    at(5, 'ttng.wait_barrier'),
    at(5, 'ttng.wait_barrier'),
    at(6, 'tt.load', 'y'),
    at(7, 'tt.load', 'y'),
    at(8, 'tt.load', 'taken'),
    loop(9, 'k'),
    at(10, 'tt.load', 'z', 'w'),
  ]
  const labels = [
    'x',
    'local_alloc 4',
    'wait_barrier 5',
    'wait_barrier 5, 2',
    'wait_barrier 5, 3',
    'y 6',
    'y 7',
    'taken 8',
    'k',
    'z',
  ]
  test('by result, by name and line, by variable of a loop; none twice', () => {
    const taken = new Set(['taken'])
    expect([...labelsOf(all, taken).values()]).toEqual(labels)
    expect(taken).toEqual(new Set(['taken', ...labels]))
    // behind what asks for them, where the names are free again
    expect([...labelsOf(all, taken, { within: 'of' }).values()]).toEqual(
      labels.map((label) => `of.${label === 'taken 8' ? 'taken' : label}`),
    )
    // a name has a letter, and one operation alone has its line
    for (const [name, label] of [
      ['12', 'load 3'],
      ['x12', 'x12'],
      ['12x', '12x'],
    ] as const)
      expect([...labelsOf([at(3, 'tt.load', name)], new Set()).values()]).toEqual([label])
    expect([...labelsOf([at(3, 'tt.store')], new Set()).values()]).toEqual(['store 3'])
    // one that has a label keeps it, though it is taken
    expect([
      ...labelsOf(all, new Set(['old']), { called: (op) => (op === all[2] ? 'old' : undefined) }).values(),
    ]).toEqual([
      'x',
      'local_alloc 4',
      'old',
      'wait_barrier 5',
      'wait_barrier 5, 2',
      'y 6',
      'y 7',
      'taken',
      'k',
      'z',
    ])
  })
  const labelled = new Map<string, Labelled>(
    all.map((op, i) => [labels[i]!, { op, label: labels[i]!, place: i < 2 ? 'k.py:31' : null }]),
  )
  it.each<readonly [text: string, found: ReadonlyArray<string>]>([
    ['x', ['x']],
    ['%x', ['x']],
    ['%y', ['y 6', 'y 7']],
    ['%wait_barrier 5', []],
    ['y', ['y 6', 'y 7']],
    ['w', ['z']],
    ['5', ['wait_barrier 5', 'wait_barrier 5, 2', 'wait_barrier 5, 3']],
    ['10', ['z']],
    ['0', []],
    ['load 6', ['y 6']],
    ['tt.load 6', ['y 6']],
    ['y  7', ['y 7']],
    ['store 6', []],
    ['w 10', ['z']],
    ['load% 6', []],
    ['wait_barrier 5, 2', ['wait_barrier 5, 2']],
    ['wait_barrier 5', ['wait_barrier 5']],
    ['ttng.wait_barrier 5', ['wait_barrier 5', 'wait_barrier 5, 2', 'wait_barrier 5, 3']],
    ['k.py:31', ['x', 'local_alloc 4']],
    ['src/k.py:31', ['x', 'local_alloc 4']],
    [String.raw`C:\src\k.py:31`, ['x', 'local_alloc 4']],
    ['k.py:3', []],
    ['load', []],
    ['local_alloc 4 ', []],
  ])('%s means %j', (text, found) => {
    expect(meantBy(labelled)(text).map(({ label }) => label)).toEqual(found)
  })
  it.each([
    ['x', 'x'],
    ['x.fence', 'x'],
    ['x.fence.2', 'x'],
    // what a loop carries
    ['k.init', 'k'],
    ['acc', 'k'],
    ['acc.init', 'k'],
    ['fence.x', null],
    ['', null],
  ])('%s is a statement of %s', (statement, label) => {
    expect(ownerOf(labelled)(statement)?.label ?? null).toBe(label)
  })
})

describe('quotients whose last product goes into the sum behind it', () => {
  const of = (name: string, out: string, lhs: string, rhs: string, type = f32): Operation =>
    made(name, { lhs: [value(lhs, type)], rhs: [value(rhs, type)] }, [[out, type]])
  const div = (out: string, type = f32): Operation => of('arith.divf', out, 'x', 'y', type)
  const splat = (out: string, src: string): Operation =>
    made('tt.splat', { src: [value(src)] }, [[out, tensor([4], f32)]])
  const store = (name: string): Operation => made('tt.store', { value: [value(name)] })
  for (const sum of ['arith.addf', 'arith.subf'])
    it.each<readonly [what: string, ops: ReadonlyArray<Operation>, into: ReadonlyArray<string>]>([
      ['on the left', [div('q'), of(sum, 's', 'q', 'z')], ['q']],
      ['on the right', [div('q'), of(sum, 's', 'z', 'q')], ['q']],
      ['of each sum that uses it', [div('q'), of(sum, 's', 'q', 'z'), of(sum, 't', 'z', 'q')], ['q']],
      ['not one that is needed by itself', [div('q'), store('q'), of(sum, 's', 'q', 'z')], []],
      ['of two the left', [div('q'), div('r'), of(sum, 's', 'q', 'r')], ['q']],
      ['not beside a product', [div('q'), of('arith.mulf', 'p', 'z', 'w'), of(sum, 's', 'p', 'q')], []],
      ['not before a product', [div('q'), of('arith.mulf', 'p', 'z', 'w'), of(sum, 's', 'q', 'p')], []],
      ['of f32 alone', [div('q', float('f16')), of(sum, 's', 'q', 'z', float('f16'))], []],
      ['of tensors of f32', [div('q', tensor([4], f32)), of(sum, 's', 'q', 'z')], ['q']],
      ['through another name', [div('q'), splat('b', 'q'), of(sum, 's', 'b', 'z')], ['q']],
      ['none that is used nowhere', [div('q')], []],
      ['none that a product takes', [div('q'), of('arith.mulf', 'p', 'q', 'z')], []],
      [
        'none that a region takes',
        [div('q'), made('scf.if', {}, [], [{ operations: [of(sum, 's', 'q', 'z')] }])],
        [],
      ],
    ])(`${sum}: %s`, (_, operations, into) => {
      const found = quotientsIn([made('tt.func', {}, [], [{ operations }])])
      expect([...found].map((op) => op.names[0]!.name)).toEqual(into)
    })
})

const load = (name: string, type: Type = pointer): Operation =>
  made('tt.load', { ptr: [value(name, type)] }, [[`of_${name}`, f32]])
const store = (name: string, type: Type = pointer): Operation =>
  made('tt.store', { ptr: [value(name, type)], value: [value('v')] })
const added = (out: string, ptr: string): Operation =>
  made('tt.addptr', { ptr: [value(ptr, pointer)], offset: [value('i', number)] }, [[out, pointer]])

describe('roles of parameters', () => {
  const parts = (name: string, operations: ReadonlyArray<Operation>, captured: ReadonlyArray<string>) =>
    made(
      'ttg.warp_specialize',
      { explicitCaptures: captured.map((c) => value(c, pointer)) },
      [],
      [
        { name: 'default', operations: name === 'default' ? operations : [] },
        {
          name: 'partition0',
          parameters: captured.map((_, k) => [`arg${String(k)}`, pointer] as const),
          operations: name === 'partition0' ? operations : [],
        },
      ],
    )
  const carried = (operations: ReadonlyArray<Operation>, last: string): Operation =>
    made(
      'scf.for',
      { initArgs: [value('z'), value('a', pointer)] },
      [
        ['rz', f32],
        ['ra', pointer],
      ],
      [
        {
          parameters: [
            ['k', number],
            ['s', f32],
            ['p', pointer],
          ],
          operations: [...operations, made('scf.yield', { values: [value('s'), value(last, pointer)] })],
        },
      ],
    )
  it.each<readonly [what: string, operations: ReadonlyArray<Operation>, a: string, b: string]>([
    ['no access', [], 'in', 'in'],
    ['a load', [load('a')], 'in', 'in'],
    ['a store', [store('a')], 'out', 'in'],
    ['both', [load('a'), store('a')], 'inout', 'in'],
    ['an atomic', [made('tt.atomic_rmw', { ptr: [value('b', pointer)] })], 'in', 'inout'],
    ['what is not known', [made('tt.mystery', { ptr: [value('b', pointer)] })], 'in', 'inout'],
    ['what hands on', [made('scf.yield', { values: [value('b', pointer)] })], 'in', 'in'],
    ['numbers alone', [made('tt.mystery', { of: [value('b')] })], 'in', 'in'],
    ['a sum', [added('p', 'a'), store('p')], 'out', 'in'],
    ['a sum of a sum', [added('p', 'a'), added('q', 'p'), store('q'), load('b')], 'out', 'in'],
    ['a loop, what it carries', [carried([store('p')], 'p')], 'out', 'in'],
    ['a loop, what comes out', [carried([], 'p'), store('ra')], 'out', 'in'],
    ['a loop, what it goes on with', [carried([store('p')], 'b')], 'out', 'out'],
    [
      'a loop that exchanges two',
      [
        made(
          'scf.for',
          { initArgs: [value('a', pointer), value('b', pointer)] },
          [],
          [
            {
              parameters: [
                ['k', number],
                ['p', pointer],
                ['q', pointer],
              ],
              operations: [
                store('p'),
                made('scf.yield', { values: [value('q', pointer), value('p', pointer)] }),
              ],
            },
          ],
        ),
      ],
      'out',
      'out',
    ],
    [
      'a condition',
      [
        made(
          'scf.if',
          {},
          [['c', pointer]],
          [
            { operations: [made('scf.yield', { values: [value('a', pointer)] })] },
            { operations: [made('scf.yield', { values: [value('b', pointer)] })] },
          ],
        ),
        store('c'),
      ],
      'out',
      'out',
    ],
    // the default region sees what is around it; the others see what they are given
    ['the default region', [parts('default', [store('a')], [])], 'out', 'in'],
    ['a partition', [parts('partition0', [store('arg0')], ['b'])], 'in', 'out'],
    ['a partition, by a name from outside', [parts('partition0', [store('a')], ['b'])], 'in', 'in'],
    [
      'a map that is made of it',
      [
        made('ttng.tensormap_create', {
          desc_ptr: [value('m', pointer)],
          global_address: [value('a', pointer)],
        }),
        made('ttng.async_tma_copy_local_to_global', { desc: [value('m', pointer)] }),
      ],
      'out',
      'in',
    ],
  ])('%s', (_, operations, a, b) => {
    const parameters = [
      ['a', pointer],
      ['b', pointer],
      ['n', number],
    ] as const
    expect([...rolesOf(made('tt.func', {}, [], [{ parameters, operations }]))]).toEqual([
      ['a', a],
      ['b', b],
    ])
  })
  test('pointers, descriptors and tensors of pointers are followed; numbers are not asked for', () => {
    for (const type of [pointer, pointers(4), { _tag: 'descriptor', block: tensor([4]) } as const]) {
      const passed = made('tt.other', { ptr: [value('a', type)] }, [['p', type]])
      const parameters = [
        ['a', type],
        ['n', number],
        ['t', tensor([4], number)],
      ] as const
      expect([
        ...rolesOf(made('tt.func', {}, [], [{ parameters, operations: [passed, store('p', type)] }])),
      ]).toEqual([['a', 'out']])
    }
    expect([...rolesOf(made('tt.func'))]).toEqual([])
  })
})

describe('plain stores beside an atomic operation', () => {
  const atomic = (name: string): Operation => made('tt.atomic_rmw', { ptr: [value(name, pointer)] })
  const branch = (...operations: ReadonlyArray<Operation>): Operation =>
    made(
      'scf.if',
      { ptr: [value('a', pointer)] },
      [],
      [
        {
          parameters: [
            ['inner', pointer],
            ['other', number],
          ],
          operations,
        },
      ],
    )
  it.each<readonly [what: string, operations: ReadonlyArray<Operation>, line: number | null]>([
    ['the same parameter', [atomic('a'), store('a')], 1],
    ['another', [atomic('a'), store('b')], null],
    ['of the same', [added('p', 'a'), atomic('p'), added('q', 'a'), store('q')], 3],
    ['of another', [added('p', 'a'), atomic('p'), added('q', 'b'), store('q')], null],
    ['the first of several', [atomic('b'), store('a'), store('b'), store('b')], 2],
    ['a region is given it', [atomic('a'), branch(store('inner'))], 0],
    ['a number that a region is given is no pointer', [atomic('a'), branch(store('other'))], null],
    [
      'a number that is made of it',
      [atomic('a'), made('tt.ptr_to_int', { src: [value('a', pointer)] }, [['n', number]]), store('n')],
      null,
    ],
    [
      'tensors of pointers',
      [
        atomic('a'),
        made('tt.splat', { src: [value('a', pointer)] }, [['p', pointers(4)]]),
        store('p', pointers(4)),
      ],
      2,
    ],
    [
      'a tensor of numbers that is made of it',
      [atomic('a'), made('tt.other', { src: [value('a', pointer)] }, [['t', tensor([4])]]), store('t')],
      null,
    ],
    [
      'one of two',
      [
        atomic('a'),
        made('tt.other', { of: [value('a', pointer), value('b', pointer)] }, [['p', pointer]]),
        store('p'),
      ],
      2,
    ],
    ['later than its use', [atomic('a'), store('q'), added('q', 'p'), added('p', 'a')], 1],
    ['none at all', [atomic('a')], null],
  ])('%s', (_, operations, at) => {
    const func = made(
      'tt.func',
      {},
      [],
      [
        {
          parameters: [
            ['a', pointer],
            ['b', pointer],
          ],
          operations,
        },
      ],
    )
    const asked = operations.find((op) => op.name === 'tt.atomic_rmw')!
    const found = storesBeside(func.regions[0], asked)
    const stores = everyOperation([func]).filter((op) => op.name === 'tt.store')
    expect(found === null ? null : found.name).toBe(at === null ? null : 'tt.store')
    if (at !== null) expect(found).toBe(at === 0 ? stores[0] : operations[at])
  })
})

describe('a module as one CTA of a cluster sees it', () => {
  type Rows = ReadonlyArray<ReadonlyArray<number>>
  const list = (rows: Rows): Attribute => ({
    _tag: 'list',
    items: rows.map((row) => ({ _tag: 'list', items: row.map(integer) })),
  })
  const dialect = (name: string, entries: Readonly<Record<string, Attribute>>): Attribute => ({
    _tag: 'dialect',
    name,
    entries: Object.entries(entries).map(([of, by]) => ({ name: of, value: by })),
    braced: null,
  })
  const blocked = (rows: Rows): Attribute =>
    dialect('ttg.blocked', { order: list([[1, 0]]), CGALayout: list(rows) })
  const slice = (dim: number, rows: Rows): Attribute =>
    dialect('ttg.slice', { dim: integer(dim), parent: blocked(rows) })
  const operandOf = (opIdx: number, rows: Rows): Attribute =>
    dialect('ttg.dot_op', { opIdx: integer(opIdx), parent: blocked(rows) })
  const one = (op: Operation) => asOneCta(moduleOf([op]))

  it.each<readonly [encoding: Attribute, shape: ReadonlyArray<number>, share: ReadonlyArray<number>]>([
    [blocked([[1, 0]]), [128, 64], [64, 64]],
    [blocked([[0, 1]]), [128, 64], [128, 32]],
    [
      blocked([
        [1, 0],
        [0, 1],
      ]),
      [128, 64],
      [64, 32],
    ],
    [
      blocked([
        [1, 0],
        [2, 0],
      ]),
      [128, 64],
      [32, 64],
    ],
    [blocked([[0, 0]]), [128, 64], [128, 64]],
    [blocked([]), [128, 64], [128, 64]],
    [blocked([[1, 0]]), [1, 64], [1, 64]],
    // rows stand for the last dimensions
    [blocked([[1, 0]]), [3, 128, 64], [3, 64, 64]],
    [slice(0, [[0, 1]]), [64], [32]],
    [slice(1, [[0, 1]]), [64], [64]],
    [slice(1, [[1, 0]]), [64], [32]],
    // no CTA has a part of K
    [operandOf(0, [[0, 1]]), [128, 64], [128, 64]],
    [operandOf(0, [[1, 0]]), [128, 64], [64, 64]],
    [operandOf(1, [[1, 0]]), [128, 64], [128, 64]],
    [operandOf(1, [[0, 1]]), [128, 64], [128, 32]],
    [dialect('ttg.shared_linear', { block: list([[1, 0]]) }), [128, 64], [64, 64]],
    [dialect('ttg.linear', { block: list([[0, 1]]), CGALayout: list([[1, 0]]) }), [128, 64], [128, 32]],
  ])('%#', (encoding, shape, share) => {
    const whole = tensor(shape, f32, encoding)
    const inside: Type = { _tag: 'descriptor', block: whole }
    const memory = { ...buffer(shape, encoding), allocation: shape } as Type
    const results = [
      ['x', whole],
      ['m', memory],
      ['d', inside],
      ['n', number],
      ['p', pointer],
    ] as const
    const dense: Attribute = { _tag: 'dense', value: integer(0), type: whole }
    const op = made('tt.other', {}, results, [], {
      attributes: [
        { name: 'value', value: dense },
        { name: 'n', value: integer(3) },
      ],
    })
    const [share_] = right(one(op)).module.operations
    expect(share_!.attributes).toMatchObject([
      { name: 'value', value: { _tag: 'dense', type: { shape: share } } },
      { name: 'n', value: integer(3) },
    ])
    const [x, m, d, ...others] = share_!.results
    expect([x, m, d]).toMatchObject([
      { _tag: 'tensor', shape: share },
      { _tag: 'memdesc', shape: share, allocation: share },
      { _tag: 'descriptor', block: { shape: share } },
    ])
    expect(others).toEqual([number, pointer])
    // no row is left, also within
    expect(
      JSON.stringify([x, m, d], (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)),
    ).not.toContain('CGALayout')
    expect(
      JSON.stringify(x, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)).includes('"order"'),
    ).toBe(
      JSON.stringify(encoding, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)).includes(
        '"order"',
      ),
    )
  })

  const rows = (r: Rows, shape: ReadonlyArray<number> = [128, 64]): Type => tensor(shape, f32, blocked(r))
  const [down, across, whole] = [rows([[1, 0]]), rows([[0, 1]]), rows([[0, 0]])]
  const handed = (name: string, from: Readonly<Record<string, Type>>, to?: Type, axis?: number): Operation =>
    made(
      name,
      Object.fromEntries(
        Object.entries(from).map(([of, type]): [string, Value[]] => [of, [value('x', type)]]),
      ),
      to === undefined ? [] : [['y', to]],
      [],
      { attributes: axis === undefined ? [] : [{ name: 'axis', value: integer(axis) }] },
    )
  it.each<readonly [op: Operation, crosses: boolean]>([
    [handed('ttg.convert_layout', { src: down }, down), false],
    [handed('ttg.convert_layout', { src: down }, across), true],
    [
      handed(
        'ttg.convert_layout',
        { src: down },
        rows([
          [1, 0],
          [0, 1],
        ]),
      ),
      true,
    ],
    [handed('ttg.convert_layout', { src: rows([[1]], [64]) }, rows([[0, 1]])), false],
    [handed('ttg.convert_layout', { src: rows([[1]], [64]) }, down), true],
    [handed('ttg.convert_layout', { src: rows([[1]], [64]) }, rows([[1, 1]])), true],
    [
      handed(
        'ttg.convert_layout',
        {
          src: rows([
            [1, 0],
            [0, 1],
          ]),
        },
        rows([
          [1, 0],
          [1, 0],
        ]),
      ),
      true,
    ],
    [handed('ttg.local_store', { src: down, dst: buffer([128, 64], blocked([[0, 1]])) }), true],
    [handed('ttg.local_store', { src: down, dst: buffer([128, 64], blocked([[1, 0]])) }), false],
    [
      handed('tt.reshape', {
        src: rows([
          [0, 0],
          [1, 0],
        ]),
      }),
      true,
    ],
    [
      handed(
        'tt.reduce',
        {
          srcs: rows([
            [0, 1],
            [1, 0],
          ]),
        },
        undefined,
        0,
      ),
      true,
    ],
    [handed('ttg.local_load', { src: down }, across), true],
    [handed('ttg.local_store', { src: down, dst: across }), true],
    [handed('ttg.local_store', { src: down, dst: down }), false],
    [handed('ttg.local_alloc', {}, across), false],
    [handed('ttg.local_alloc', { src: down }, across), true],
    [handed('ttg.async_copy_global_to_local', { src: down, result: across }), true],
    [handed('ttg.async_copy_global_to_local', { src: down, result: down }), false],
    [handed('arith.addf', { src: down }, across), false],
    [handed('tt.reshape', { src: down }), true],
    [handed('tt.reshape', { src: whole }), false],
    [handed('tt.cat', { lhs: across }), true],
    [handed('tt.join', { lhs: whole }), false],
    [handed('tt.split', { src: across }), true],
    [handed('tt.histogram', { src: down }), true],
    [handed('ttg.memdesc_reshape', { src: down }), true],
    [handed('ttg.memdesc_reinterpret', { src: down }), true],
    [handed('tt.reduce', { srcs: down }, undefined, 0), true],
    [handed('tt.reduce', { srcs: down }, undefined, 1), false],
    [handed('tt.scan', { srcs: across }, undefined, 1), true],
    [handed('tt.gather', { src: across }, undefined, 0), false],
    [handed('tt.gather', { src: across }, undefined, 1), true],
    [handed('tt.other', { src: across }, undefined, 1), false],
    [handed('ttng.tmem_load', {}), true],
    [handed('ttng.tc_gen5_mma', {}), true],
    [handed('ttng.async_tma_reduce', {}), true],
    [handed('ttng.async_tma_copy_global_to_local', {}), false],
    [handed('tt.other', { src: tensor([64], f32, dialect('ttg.linear', {})) }), true],
    [handed('tt.other', { src: buffer([64], dialect('ttg.shared_linear', {})) }), false],
  ])('%#: what would cross is refused', (op, crosses) => {
    const found = one(op)
    expect([op.name, E.isLeft(found)]).toEqual([op.name, crosses])
    if (E.isRight(found)) return
    expect(found.left).toMatchObject({ code: 'ttgir.operation' })
    // the encoding of its result, else of an operand
    const types = [
      ...op.results,
      ...Object.values(op.operands)
        .flat()
        .map(({ type }) => type),
    ]
    expect(found.left.message).toMatch(
      new RegExp(
        `^1:1: ${op.name}: expected .*, found ${types.length === 0 ? 'another' : `#${types[0]!._tag === 'tensor' && types[0]!.encoding?._tag === 'dialect' ? types[0]!.encoding.name : ''}`}`,
      ),
    )
  })
  test('of a module that is one CTA all is as it was, but for the names of its encodings', () => {
    const text = readFileSync(
      new URL('../../../conformance/triton/modules/mm_tma_nows_64x64x32_s4_w4_sm90.ttgir', import.meta.url),
      'utf8',
    )
    const whole = right(readModule(text))
    const plain = (u: unknown): string =>
      JSON.stringify(u, (key, v: unknown) =>
        key === 'encoding' ? null : typeof v === 'bigint' ? String(v) : v,
      )
    expect(plain(right(asOneCta(whole)).module)).toBe(plain(whole))
  })
  it.each([
    [handed('tt.make_range', {}, down), [[1, 0]]],
    [handed('tt.store', { ptr: across, value: down }), [[0, 1]]],
    [handed('tt.atomic_rmw', { ptr: across }, down), [[0, 1]]],
    [handed('ttng.async_tma_copy_global_to_local', { result: down }), [[1, 0]]],
    [handed('ttng.async_tma_copy_local_to_global', { src: down }), [[1, 0]]],
    [handed('tt.store', { ptr: pointer }), []],
    [handed('tt.load', { ptr: down }, down), undefined],
  ])('%#: how it is dealt', (op, expected) => {
    const { module, dealt, from } = right(one(op))
    const [share] = module.operations
    expect(dealt.get(share!)).toEqual(expected)
    expect(from.get(share!)).toBe(op)
  })
})

test('operands that are barriers or buffers are those that are memory, of every operation that there is', () => {
  const text = readFileSync(
    new URL('../../../conformance/triton/every-operation.ttgir', import.meta.url),
    'utf8',
  )
  const seen = new Set<string>()
  const unsaid = new Set<string>()
  const known = new Set<string>()
  for (const op of everyOperation(right(readModule(text)).operations)) {
    const kind = kindOf(op)
    if (kind !== null) {
      known.add(op.name)
      // a name says whether it is a fence, or holds its threads up; a truth is one bit
      expect([op.name, kind.isFence ?? false]).toEqual([op.name, /fence/u.test(op.name)])
      expect([op.name, kind.isWait ?? false]).toEqual([
        op.name,
        /wait|^(gpu|ttg\.local)[._]barrier$/u.test(op.name),
      ])
      for (const [name, values] of Object.entries(op.operands))
        for (const { type } of values) {
          const one = type._tag === 'tensor' ? type.element : type
          const isTruth = one._tag === 'integer' && one.bits === 1
          if (isTruth && ['pred', 'mask'].includes(name))
            expect([op.name, name, (kind.truths ?? []).includes(name)]).toEqual([op.name, name, true])
        }
    }
    const said = [...(kind?.barriers ?? []), ...(kind?.buffers ?? [])]
    for (const [name, values] of kind === null ? [] : Object.entries(op.operands)) {
      const isMemory = values.some(({ type }) => type._tag === 'memdesc')
      if (said.includes(name) && values.length > 0) {
        // the left factor may lie in registers
        expect([op.name, name, isMemory || name === 'a']).toEqual([op.name, name, true])
        seen.add(`${op.name} ${name}`)
      } else if (isMemory) unsaid.add(`${op.name} ${name}`)
    }
  }
  // what a barrier begins in, what a wait depends on, and scales are in no other's place
  expect([...unsaid].sort()).toEqual([
    'ttng.init_barrier alloc',
    'ttng.tc_gen5_mma_scaled a_scale',
    'ttng.tc_gen5_mma_scaled b_scale',
    'ttng.wait_barrier deps',
  ])
  expect(seen.size).toBeGreaterThan(20)
  expect(known.size).toBeGreaterThan(20)
})

test('a token comes out of an operation also where nothing is called so', () => {
  const text = `module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @k() {
    ttg.async_commit_group
    %0 = ttg.async_commit_group
    tt.return
  }
}
`
  const groups = everyOperation(right(readModule(text)).operations).filter(
    (op) => op.name === 'ttg.async_commit_group',
  )
  expect(groups.map(({ results }) => results)).toEqual([[{ _tag: 'token' }], [{ _tag: 'token' }]])
})
