/** What may depend on timing. Oracle: small programs by hand, and the places, sites and lines that each must give. */
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/semantics/warps/operations/address.js'
import type { Instruction, Operation, Place, WarpProgram } from '../../../src/semantics/warps/program.js'
import {
  asksWhoRuns,
  controlling,
  decidingIn,
  decisive,
  elects,
  fieldsIn,
  hardwareIn,
  tellsOrder,
  timingOf,
  unspecifiedIn,
} from '../../../src/semantics/warps/timing.js'
import * as Small from '../../dialects/ptx/small-text.js'

// ---------------------------------------------------------------- programs

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>
/** Predicate `k` as a place. */
const p = (k: number): Place => -1 - k
const at = (space: Address['space'], offset: number, ...rows: ReadonlyArray<number>): Address => ({
  space,
  rows,
  offset,
})
const word = { bytes: 4, count: 1, signed: false } as Of<'load'>['width']
const load = (to: number, from: Address, more: Partial<Of<'load'>> = {}): Operation => ({
  _tag: 'load',
  from,
  width: word,
  to: [[to]],
  ordering: 'weak',
  scope: 'cta',
  ...more,
})
const strong = (to: number, from: Address, more: Partial<Of<'load'>> = {}): Operation =>
  load(to, from, { ordering: 'relaxed', scope: 'gpu' as Of<'load'>['scope'], ...more })
const store = (into: Address, value: number, more: Partial<Of<'store'>> = {}): Operation => ({
  _tag: 'store',
  into,
  width: word,
  value: [[value]],
  ordering: 'weak',
  scope: 'cta',
  ...more,
})
const atomic = (
  to: number | null,
  address: Address,
  value: number,
  more: Partial<Of<'atomic'>> = {},
): Operation => ({
  _tag: 'atomic',
  op: 'add',
  type: 'u32',
  at: address,
  value: [value],
  compare: [],
  to: to === null ? null : [to],
  ordering: 'relaxed',
  scope: 'gpu' as Of<'atomic'>['scope'],
  ...more,
})
const move = (to: number, from: number): Operation => ({ _tag: 'move', to: [to], from: [from] })
const scalar = (name: string, to: Place, ...from: ReadonlyArray<number>): Operation => ({
  _tag: 'scalar',
  name,
  to: [to],
  from,
})
const asks = (to: number, a: number, b: number): Operation => scalar('setp.eq.u32', p(to), a, b)
const branch: Operation = { _tag: 'branch', target: 0, join: null }
const exit: Operation = { _tag: 'exit' }
const bar = (id: number, count: number | null = null): Operation =>
  ({ _tag: 'bar', mode: 'sync', id, count }) as Operation
const arrive = (state: ReadonlyArray<number> | null): Operation => ({
  _tag: 'mbarrierArrive',
  kind: 'arrive',
  at: at('shared', 0),
  count: null,
  bytes: null,
  state,
  noComplete: false,
  release: true,
  scope: 'cta',
})
const wait = (more: Partial<Of<'mbarrierWait'>> = {}): Operation => ({
  _tag: 'mbarrierWait',
  at: at('shared', 0),
  parity: null,
  state: null,
  passed: null,
  blocks: true,
  acquire: true,
  scope: 'cta',
  ...more,
})

type Line = Operation | readonly [guard: number, operation: Operation]
const isGuarded = (x: Line): x is readonly [number, Operation] => Array.isArray(x)
const codeOf = (lines: ReadonlyArray<Line>): ReadonlyArray<Instruction> =>
  lines.map((x, site) =>
    isGuarded(x)
      ? { site, guard: { predicate: x[0], negated: false }, operation: x[1] }
      : { site, guard: null, operation: x },
  )
const program = (
  lines: ReadonlyArray<Line>,
  givens: Readonly<Record<number, string>> = {},
  localBytes: number = 0,
): WarpProgram =>
  ({
    localBytes,
    code: codeOf(lines),
    sites: lines.map((_, k) => ({ label: `line ${String(k)}`, path: [] })),
    givens: [
      { row: 90, given: { _tag: 'lane' } },
      ...Object.entries(givens).map(([row, name]) => ({
        row: Number(row),
        given: { _tag: 'unspecified', name, word: 0 },
      })),
    ],
    constants: [],
  }) as unknown as WarpProgram

const sorted = (places: Iterable<Place>): ReadonlyArray<Place> => [...places].sort((a, b) => a - b)
const global = at('global', 0, 80)
const local = (offset: number): Address => at('local', offset)

// ---------------------------------------------------------------- what decides

describe('what decides', () => {
  test.each([
    ['nothing', [], []],
    ['law 1: what nothing reads', [move(1, 2), asks(0, 1, 2)], []],
    ['a guard of what has an effect', [[0, exit]], [p(0)]],
    ['what the guard comes from, in any order', [[0, branch], asks(0, 1, 2), move(1, 3)], [p(0), 1, 2, 3]],
    [
      'a guard of what computes, if that decides',
      [
        [0, branch],
        [1, asks(0, 1, 2)],
      ],
      [p(1), p(0), 1, 2],
    ],
    ['no guard of what does not', [[1, move(1, 2)]], []],
    ['an index of a branch', [{ _tag: 'branchIndexed', index: 3, targets: [0], join: null }], [3]],
    ['the address and the value of a store', [store(global, 1)], [1, 80]],
    ['an address of a load that nothing reads', [load(1, global)], [80]],
    ['a barrier and its count', [bar(1, 2)], [1, 2]],
    ['what a wait compares with', [strong(1, global, { until: { comparison: 'eq', value: 4 } })], [4, 80]],
    ['an atomic', [atomic(null, global, 3)], [3, 80]],
    // local memory
    [
      'what is stored where nothing is loaded, no more than where',
      [store(local(0), 1), store(at('local', 0, 7), 2)],
      [7],
    ],
    ['nor where it is loaded and decides nothing', [store(local(0), 1), load(2, local(0))], []],
    ['it does if it decides', [store(local(0), 1), load(2, local(0)), store(global, 2)], [1, 2, 80]],
    [
      'the same in the order of a loop',
      [store(global, 2), load(2, local(0)), store(local(0), 1)],
      [1, 2, 80],
    ],
    [
      'of words next to one another each by itself',
      [store(local(0), 1), store(local(8), 3), load(2, local(4)), store(global, 2)],
      [2, 80],
    ],
    ['of bytes in common', [store(local(3), 1), load(2, local(0)), store(global, 2)], [1, 2, 80]],
    [
      'of bytes in common, the other way round',
      [store(local(0), 1), load(2, local(3)), store(global, 2)],
      [1, 2, 80],
    ],
    [
      'at an address in a register anything may be',
      [store(local(40), 1), load(2, at('local', 0, 7)), store(global, 2)],
      [1, 2, 7, 80],
    ],
    [
      'and anything may be stored',
      [store(at('local', 0, 7), 1), load(2, local(40)), store(global, 2)],
      [1, 2, 7, 80],
    ],
    [
      'two words of one access',
      [
        store(local(4), 1),
        load(2, local(0), { width: { bytes: 4, count: 2, signed: false }, to: [[2], [3]] }),
        store(global, 3),
      ],
      [1, 3, 80],
    ],
    [
      'a store of two words',
      [
        store(local(0), 1, { width: { bytes: 4, count: 2, signed: false }, value: [[1], [5]] }),
        load(2, local(4)),
        store(global, 2),
      ],
      [1, 2, 5, 80],
    ],
    [
      'through two places of local memory',
      [store(local(0), 1), load(2, local(0)), store(local(8), 2), load(3, local(8)), store(global, 3)],
      [1, 2, 3, 80],
    ],
    [
      'a guard of a store to local memory, if that decides',
      [[2, store(local(0), 1)], load(2, local(0)), store(global, 2)],
      [p(2), 1, 2, 80],
    ],
    ['and not if it does not', [[2, store(local(0), 1)]], []],
    [
      'a load from other memory is the same whatever is stored there',
      [store(at('shared', 0), 1), load(2, local(0)), store(global, 2)],
      [1, 2, 80],
    ],
    [
      'nor where the same bytes of another space are',
      [store(local(0), 1), load(2, at('shared', 0)), store(global, 2)],
      [2, 80],
    ],
    // a generic address may be of local memory
    [
      'a generic load may find what is stored in local memory',
      [store(local(0), 1), load(2, at('generic', 0, 7)), store(global, 2)],
      [1, 2, 7, 80],
    ],
    [
      'even at an address without registers',
      [store(local(40), 1), load(2, at('generic', 0)), store(global, 2)],
      [1, 2, 80],
    ],
    ['if it decides', [store(local(0), 1), load(2, at('generic', 0, 7))], [7]],
    // what is printed is seen outside
    ['what is printed decides nothing', [move(1, 2), { _tag: 'print', text: 'formatted', from: [1] }], []],
  ] as ReadonlyArray<[string, ReadonlyArray<Line>, ReadonlyArray<Place>]>)('%s', (_, lines, places) => {
    expect(sorted(decidingIn(codeOf(lines)))).toEqual(sorted(places))
  })
  test('loads and atomics whose results do', () => {
    const pair = load(1, global, { to: [[1], [2]] })
    expect([...decisive(program([pair, bar(2)]))]).toEqual([pair])
    const [read, unread, add, other] = [
      load(1, global),
      load(2, global),
      atomic(3, global, 9),
      atomic(4, global, 9),
    ]
    expect([...decisive(program([read, unread, add, other, bar(1), store(global, 3), move(6, 2)]))]).toEqual([
      read,
      add,
    ])
  })
})

// ---------------------------------------------------------------- what may be anything

describe('what may be anything', () => {
  const names = (lines: ReadonlyArray<Line>): Readonly<Record<number, string>> =>
    Object.fromEntries(unspecifiedIn(program(lines, { 1: '%smid', 2: '%clock' })))
  const none = { 1: '%smid', 2: '%clock' }
  test.each([
    ['itself', [], {}],
    ['what is computed of it', [move(3, 1), asks(0, 3, 9), move(4, 9)], { 3: '%smid', [p(0)]: '%smid' }],
    ['under its guard', [asks(0, 2, 9), [0, move(4, 9)]], { [p(0)]: '%clock', 4: '%clock' }],
    [
      'of two the first',
      [scalar('add.u32', 5, 2, 1), scalar('add.u32', 6, 1, 2)],
      { 5: '%clock', 6: '%smid' },
    ],
    ['in any order', [move(4, 3), move(3, 2)], { 4: '%clock', 3: '%clock' }],
    ['a name that it has stays', [move(1, 2)], {}],
    ['through memory', [store(global, 1), load(5, at('global', 64, 70))], { 5: '%smid' }],
    ['of another space not', [store(global, 1), load(5, at('shared', 0)), load(6, local(0))], {}],
    [
      'generic addresses are of any space',
      [store(at('generic', 0, 3), 1), load(5, at('shared', 0)), load(6, local(0))],
      { 5: '%smid', 6: '%smid' },
    ],
    ['and read any', [store(at('shared', 0), 1), load(6, at('generic', 0, 4))], { 6: '%smid' }],
    ['local memory by its bytes', [store(local(0), 1), load(5, local(2)), load(6, local(4))], { 5: '%smid' }],
    ['shared memory by none', [store(at('shared', 0), 1), load(5, at('shared', 64))], { 5: '%smid' }],
    [
      'each by the first that is there',
      [store(local(0), 2), store(local(0), 1), load(5, local(0))],
      { 5: '%clock' },
    ],
    [
      'each of two places its own',
      [store(local(0), 2), store(local(8), 1), load(5, local(8))],
      { 5: '%smid' },
    ],
    ['stored words, not where they are stored', [store(at('global', 0, 1), 9), load(5, global)], {}],
  ] as ReadonlyArray<[string, ReadonlyArray<Line>, Record<number, string>]>)('%s', (_, lines, more) => {
    expect(names(lines)).toEqual({ ...none, ...more })
  })
  test('a program that is given none has none', () => {
    expect(unspecifiedIn(program([move(3, 90)])).size).toBe(0)
  })

  test('sites that keep it, and what a read hands on', () => {
    const lines: ReadonlyArray<Line> = [
      store(global, 1),
      load(5, at('global', 0, 71)),
      move(6, 5),
      store(at('global', 0, 72), 6),
      load(7, at('global', 0, 73)),
      asks(0, 7, 9),
      [0, branch],
      store(local(0), 2),
      load(8, local(0)),
      atomic(null, global, 8),
      move(11, 1),
    ]
    const { kept, handsOn } = hardwareIn(program(lines, { 1: '%smid', 2: '%clock' }))
    // what comes back from global memory is followed by itself
    expect([...kept]).toEqual([
      [0, '%smid'],
      [9, '%clock'],
    ])
    expect(handsOn(1)).toEqual({ kept: [3], controls: false })
    expect(handsOn(4)).toEqual({ kept: [], controls: true })
    expect(handsOn(8)).toEqual({ kept: [9], controls: false })
    expect(handsOn(6)).toEqual({ kept: [], controls: false })
    expect(handsOn(1)).toBe(handsOn(1))
  })
  test('a site of several instructions hands on what each does; registers in flight, too', () => {
    const one: WarpProgram = program([load(1, global), load(2, global), store(global, 2), bar(1)])
    const { code } = one
    const both: WarpProgram = Object.assign({}, one, {
      code: [code[0]!, Object.assign({}, code[1], { site: 0 }), code[2]!, code[3]!],
    })
    expect(hardwareIn(both).handsOn(0)).toEqual({ kept: [2, 3], controls: true })
    const flying = { _tag: 'tcgen05Load', at: { row: 4 }, to: [5] } as unknown as Operation
    expect(hardwareIn(program([flying, bar(5)])).handsOn(0)).toEqual({ kept: [1], controls: true })
  })
  test('timing: it fails where more than memory depends on it', () => {
    const why = (...lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
      timingOf(program(lines, { 1: '%smid', 2: '%clock' })).map((s) => s)
    const reads = 'and a branch, an address or a barrier depends on it'
    expect(why(store(global, 1), move(3, 2))).toEqual([])
    expect(why(asks(0, 1, 9), [0, exit])).toEqual([`\`line 0\` reads %smid, ${reads}`])
    expect(why(bar(2), store(at('global', 0, 1), 9))).toEqual([
      `\`line 0\` reads %clock, ${reads}`,
      `\`line 1\` reads %smid, ${reads}`,
    ])
    // what is kept in local memory and comes back
    expect(why(store(local(0), 1), load(3, local(0)), bar(3))).toEqual([`\`line 0\` reads %smid, ${reads}`])
    expect(why(store(local(0), 1), load(3, local(0)), store(global, 3))).toEqual([])
  })
  test('what is in local memory is followed through generic addresses, for no event tells of it', () => {
    const found = (
      bytes: number,
      ...lines: ReadonlyArray<Line>
    ): readonly [ReadonlyArray<number>, number] => {
      const one = program(lines, { 1: '%smid' }, bytes)
      return [[...hardwareIn(one).kept.keys()], timingOf(one).length]
    }
    const generic = at('generic', 0, 7)
    // kept in global memory by the last line, or a barrier depends on it
    for (const [into, from] of [
      [local(0), generic],
      [generic, local(0)],
      [generic, generic],
    ] as const) {
      const first = into === generic ? [0] : []
      expect(found(16, store(into, 1), load(3, from), store(global, 3))).toEqual([[...first, 2], 0])
      expect(found(16, store(into, 1), load(3, from), bar(3))[1]).toBe(1)
    }
    // without local memory the log says where a generic store went
    expect(found(0, store(generic, 1), load(3, generic), store(global, 3))).toEqual([[0], 0])
    expect(found(0, store(generic, 1), load(3, generic), bar(3))).toEqual([[0], 0])
    // and of other memory with it
    expect(found(16, store(global, 1), load(3, global), store(at('global', 64, 81), 3))).toEqual([[0], 0])
    expect(found(16, store(at('shared', 0), 1), load(3, generic), bar(3))).toEqual([[0], 0])
    expect(found(16, store(generic, 1), load(3, global), bar(3))).toEqual([[0], 0])
  })
})

// ---------------------------------------------------------------- fields of bits

describe('fields of bits', () => {
  const byte = { bytes: 1, count: 1, signed: false } as Of<'load'>['width']
  const x = at('shared', 16)
  const read = (to: number, from: Address = x, width = byte): Operation => load(to, from, { width })
  const write = (value: number, into: Address = x, width = byte): Operation => store(into, value, { width })
  const and = scalar('and.b32', 2, 1, 9)
  const or = scalar('or.b32', 3, 2, 9)
  const names = (...lines: ReadonlyArray<Line>): ReadonlyArray<Place> =>
    sorted(fieldsIn(program(lines)).keys())
  test('what is loaded where bits of a word are changed, and what comes of it', () => {
    expect(names(read(1), and, or, write(3), move(5, 3))).toEqual([1, 2, 3, 5])
    expect([...fieldsIn(program([read(1), or, and, write(3)])).values()]).toContain('a field of bits')
    // whatever else is loaded there, and nothing of another space
    expect(
      names(read(1), and, write(2), read(6, at('shared', 0)), read(7, at('global', 0, 8)), read(8, x, word)),
    ).toEqual([1, 2, 6, 8])
  })
  test.each([
    ['it is stored elsewhere', [read(1), and, write(2, at('shared', 17))]],
    ['by other rows', [read(1, at('shared', 16, 7)), and, write(2, at('shared', 16, 8))]],
    ['in another space', [read(1), and, write(2, at('global', 16))]],
    ['with another width', [read(1), and, write(2, x, word)]],
    ['as it is', [read(1), write(1)]],
    ['it is made by no operation of bits', [read(1), scalar('add.u32', 2, 1, 9), write(2)]],
    ['nor by a logic of predicates', [read(1), { _tag: 'predicate', op: 'and', to: 0, from: [] }, write(1)]],
    ['nor by an xor', [read(1), scalar('xor.b32', 2, 1, 9), write(2)]],
    ['nothing is stored', [read(1), and]],
    ['it has been in memory in between', [read(1), and, atomic(5, global, 2), write(5)]],
    ['it is an atomic', [read(1), and, atomic(null, x, 2)]],
    [
      'it has more than four bytes',
      [
        read(1, x, { bytes: 8, count: 1, signed: false } as typeof byte),
        and,
        write(2, x, { bytes: 8, count: 1, signed: false } as typeof byte),
      ],
    ],
    [
      'it has more than one word',
      [
        read(1, x, { bytes: 4, count: 2, signed: false } as typeof byte),
        and,
        write(2, x, { bytes: 4, count: 2, signed: false } as typeof byte),
      ],
    ],
  ] as ReadonlyArray<[string, ReadonlyArray<Line>]>)('none where %s', (_, lines) => {
    expect(names(...lines)).toEqual([])
  })
  test('of a word of four bytes, and through what else computes', () => {
    expect(names(read(1, x, word), and, move(4, 2), scalar('add.u32', 3, 4, 9), write(3, x, word))).toEqual([
      1, 2, 3, 4,
    ])
    // in any order
    expect(names(write(3), or, and, read(1))).toEqual([1, 2, 3])
    // one of the registers of a store
    expect(names(read(1), and, store(x, 8, { width: byte, value: [[8], [2]] }))).toEqual([1, 2])
  })
})

// ---------------------------------------------------------------- strong reads

describe('strong reads that control', () => {
  const of = (
    lines: ReadonlyArray<Line>,
  ): ReadonlyArray<readonly [number, number, ReadonlyArray<number>]> => {
    const one = program(lines)
    const ops = lines.map((x) => (isGuarded(x) ? x[1] : x))
    return [...controlling(one)].map(([o, { from, shows }]) => [ops.indexOf(o), from, shows] as const)
  }
  test('from the first branch behind it that depends on it', () => {
    expect(of([strong(1, global), asks(0, 1, 9), bar(7), [1, branch], [0, branch], [0, exit]])).toEqual([
      [0, 4, []],
    ])
    expect(of([atomic(1, global, 9), asks(0, 1, 9), [0, exit]])).toEqual([[0, 2, []]])
    expect(of([strong(1, global), { _tag: 'branchIndexed', index: 1, targets: [], join: null }])).toEqual([
      [0, 1, []],
    ])
    expect(
      of([strong(1, global), [4, { _tag: 'branchIndexed', index: 1, targets: [], join: null }]]),
    ).toEqual([[0, 1, []]])
    for (const o of [
      exit,
      { _tag: 'return' },
      { _tag: 'trap', why: '', asserted: false },
    ] as ReadonlyArray<Operation>)
      expect(of([strong(1, global), asks(0, 1, 9), [0, o]])).toEqual([[0, 2, []]])
  })
  test('or from behind all sites, where a place depends on it, or a branch before it', () => {
    expect(of([strong(1, global), bar(1)])).toEqual([[0, 2, []]])
    expect(of([asks(0, 1, 9), [0, branch], strong(1, global)])).toEqual([[2, 3, []]])
    expect(of([strong(1, global), asks(0, 1, 9), [0, bar(9)]])).toEqual([[0, 3, []]])
  })
  test('none where memory alone holds it, and none of a plain load', () => {
    expect(of([strong(1, global), store(global, 1)])).toEqual([])
    expect(of([strong(1, global)])).toEqual([])
    expect(of([load(1, global), bar(1)])).toEqual([])
    expect(of([atomic(null, global, 9), bar(9)])).toEqual([])
    expect(of([store(global, 9, { ordering: 'relaxed' }), bar(9)])).toEqual([])
  })
  test('scalars of a load that come to memory alone', () => {
    const two = { bytes: 4, count: 2, signed: false } as Of<'load'>['width']
    const pair = (to: Of<'load'>['to']): Operation => strong(1, global, { width: two, to })
    expect(of([pair([[1], [2]]), bar(1)])).toEqual([[0, 2, [1]]])
    expect(of([pair([[1], [2]]), bar(2)])).toEqual([[0, 2, [0]]])
    expect(of([pair([[1], [2]]), bar(2), bar(1)])).toEqual([[0, 3, []]])
    expect(of([pair([null, [2, 3]]), bar(3)])).toEqual([[0, 2, [0]]])
  })
})

// ---------------------------------------------------------------- lanes and arrivals

describe('who runs, who is elected, who came first', () => {
  const active: Operation = { _tag: 'activeLanes', to: 1 }
  const elect = (to: number | null): Operation => ({ _tag: 'elect', to, elected: 0, members: 8 })
  test('lanes that run together, if that decides', () => {
    expect([asksWhoRuns(program([active, bar(1)])), asksWhoRuns(program([active, bar(2)]))]).toEqual([
      true,
      false,
    ])
    expect(asksWhoRuns(program([bar(1)]))).toBe(false)
  })
  test('an election, by the number of the lane or by its predicate', () => {
    expect(elects(program([elect(1), bar(1)]))).toBe(true)
    expect(elects(program([elect(null), [0, exit]]))).toBe(true)
    expect(elects(program([elect(1), bar(2)]))).toBe(false)
    expect(elects(program([active, bar(1)]))).toBe(false)
    // of several one is enough
    expect(elects(program([{ _tag: 'elect', to: 5, elected: 3, members: 8 }, elect(1), bar(1)]))).toBe(true)
  })
  test('an arrival that is told how many are missing, unless a wait for its phase is all that comes of it', () => {
    const told = arrive([1, 2])
    const waits = wait({ state: [1, 2] })
    expect([...tellsOrder(program([told, waits]))]).toEqual([])
    expect([...tellsOrder(program([told, store(global, 2)]))]).toEqual([told])
    expect([...tellsOrder(program([told, waits, bar(1)]))]).toEqual([told])
    // a parity that is made of it is no phase
    expect([...tellsOrder(program([told, wait({ parity: 1, state: [3] })]))]).toEqual([told])
    expect([...tellsOrder(program([arrive(null), arrive([5]), bar(4)]))]).toEqual([])
    expect(timingOf(program([told, store(global, 1)]))).toEqual([
      '`line 0` reads how many arrivals were missing, and a branch or a value depends on it',
    ])
    expect(timingOf(program([told, waits]))).toEqual([])
  })
  test('a test of an mbarrier, unless it waits or is a peek, or nothing comes of it', () => {
    const tests = (more: Partial<Of<'mbarrierWait'>>): boolean =>
      timingOf(program([wait({ passed: 0, blocks: false, ...more }), [0, exit]])).length > 0
    expect(tests({})).toBe(true)
    expect(tests({ blocks: true })).toBe(false)
    expect(tests({ makes: 6 })).toBe(false)
    expect(tests({ passed: 1 })).toBe(false)
    expect(timingOf(program([wait({ passed: 0, blocks: false }), [0, exit]]))).toEqual([
      '`line 0` tests an mbarrier, and a branch or a value depends on the result',
    ])
  })
})

test('in PTX: local memory, and a generic address of it', () => {
  const programOf = (lines: string): WarpProgram =>
    Small.programOf(
      Small.moduleOf(
        ['y'],
        `.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
.local .align 8 .b8 own[16]; .shared .align 8 .b64 bar;
ld.param.u64 %rd1, [y]; mov.u64 %rd2, own; cvta.local.u64 %rd3, %rd2;
${lines}
ret;`,
      ),
    )
  const asked = 'mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r1, 1, 0, %p1;'
  const decided = 'setp.ne.u32 %p2, %r2, 0; @%p2 bra L; st.shared.u32 [bar], 3; L:'
  const clock = 'mov.u32 %r1, %smid;'
  for (const [into, from] of [
    ['local', ''],
    ['', 'local'],
    ['', ''],
    ['local', 'local'],
  ] as const) {
    const address = (of: string): string => (of === 'local' ? '.local.u32 ' : '.u32 ')
    const place = (of: string): string => (of === 'local' ? '[own]' : '[%rd3]')
    const through = `st${address(into)}${place(into)}, %r1; ld${address(from)}%r2, ${place(from)};`
    const told = `${into} ${from}`
    expect(timingOf(programOf(`${asked} ${through} ${decided}`)), told).toHaveLength(1)
    const kept = programOf(`${clock} ${through} st.global.u32 [%rd1], %r2;`)
    const labels = [...hardwareIn(kept).kept.keys()].map((k) => kept.sites[k]!.label)
    expect(
      labels.some((label) => label.includes('st.global')),
      told,
    ).toBe(true)
    expect(timingOf(programOf(`${clock} ${through} ${decided}`)), told).toHaveLength(1)
  }
})
