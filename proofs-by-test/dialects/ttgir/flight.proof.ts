/**
 * Which tensors are products on their way. Oracle: the definition, by trying all sets of values of small random functions.
 */
import { describe, expect, it, test } from 'vitest'
import { inFlightIn, resultKeys } from '../../../src/dialects/ttgir/elaboration/flight.js'
import { everyOperation } from '../../../src/dialects/ttgir/elaboration/regions.js'
import type { Operation, Region, Type, Value } from '../../../src/dialects/ttgir/text/syntax.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../extent.js'

// ---------------------------------------------------------------- operations, by hand

const tensor: Type = {
  _tag: 'tensor',
  shape: [64, 64],
  element: { _tag: 'float', name: 'f32' },
  encoding: null,
}
/** `d`, or `w#1` */
const value = (key: string): Value => {
  const [name = '', index] = key.split('#')
  return { name, index: index === undefined ? null : Number(index), type: tensor }
}
const operation = (
  name: string,
  operands: Readonly<Record<string, ReadonlyArray<string>>>,
  made: string | null,
  count: number = 1,
  regions: ReadonlyArray<Region> = [],
  isAsync: boolean = false,
): Operation => ({
  name,
  at: { line: 1, column: 1 },
  names: made === null ? [] : [{ name: made, count }],
  results: made === null ? [] : Array.from({ length: count }, () => tensor),
  operands: Object.fromEntries(Object.entries(operands).map(([k, keys]) => [k, keys.map(value)])),
  attributes: isAsync ? [{ name: 'isAsync', value: { _tag: 'boolean', value: true } }] : [],
  successors: [],
  regions,
  location: null,
})
const region = (operations: ReadonlyArray<Operation>, parameters: ReadonlyArray<string> = []): Region => ({
  name: null,
  blocks: [
    {
      label: null,
      parameters: parameters.map((name) => ({ name, type: tensor, attributes: [], location: null })),
      operations,
    },
  ],
})
const dot = (made: string, c: string): Operation =>
  operation('ttng.warp_group_dot', { a: ['a'], b: ['b'], c: [c] }, made, 1, [], true)
const wait = (made: string, ...inputs: ReadonlyArray<string>): Operation =>
  operation('ttng.warp_group_dot_wait', { inputs }, made, inputs.length)
const read = (made: string, x: string): Operation => operation('arith.truncf', { in: [x] }, made)
const number: Type = { _tag: 'integer', bits: 1, sign: '' }
/** A choice that a number decides. */
const choice = (made: string, x: string, y: string): Operation => ({
  ...operation('arith.select', { true: [x], false: [y] }, made),
  operands: { condition: [{ name: 'last', index: null, type: number }], true: [value(x)], false: [value(y)] },
})
const yields = (...values: ReadonlyArray<string>): Operation => operation('scf.yield', { values }, null)
const loop = (
  made: string,
  initial: ReadonlyArray<string>,
  carried: ReadonlyArray<string>,
  body: ReadonlyArray<Operation>,
): Operation =>
  operation('scf.for', { initArgs: initial }, made, initial.length, [region(body, ['i', ...carried])])

const flying = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> =>
  [...inFlightIn(region(operations))].sort()

describe('a product is on its way', () => {
  test('until a wait whose result is read', () => {
    expect(flying([dot('d', 'zero'), wait('w', 'd'), read('r', 'w')])).toEqual(['d#0'])
  })
  test('through a wait whose result is handed on', () => {
    expect(flying([dot('d', 'zero'), wait('w', 'd'), dot('e', 'w'), wait('v', 'e'), read('r', 'v')])).toEqual(
      ['d#0', 'e#0', 'w#0'],
    )
  })
  test('around a loop, in those places that hand it on', () => {
    const body = [dot('d', 'acc'), wait('w', 'd', 'x'), read('n', 'x'), yields('w', 'n')]
    // x is computed from, and carried as a tensor; acc is neither read in the loop nor behind it without a wait
    expect(
      flying([loop('l', ['zero', 'one'], ['acc', 'x'], body), wait('v', 'l#0'), read('r', 'v')]),
    ).toEqual(['acc#0', 'd#0', 'l#0', 'w#0'])
    // without a wait behind the loop it is read there, ready or not
    expect(flying([loop('l', ['zero', 'one'], ['acc', 'x'], body), read('r', 'l#0')])).toEqual([
      'acc#0',
      'd#0',
      'l#0',
      'w#0',
    ])
  })
  test('and in none of them, if the wait in it is read', () => {
    const body = [dot('d', 'acc'), wait('w', 'd'), read('n', 'w'), yields('w')]
    expect(flying([loop('l', ['zero'], ['acc'], body), wait('v', 'l')])).toEqual(['d#0'])
  })
  test('but not into a loop that reads it', () => {
    const body = [read('n', 'acc'), yields('n')]
    expect(flying([dot('d', 'zero'), wait('w', 'd'), loop('l', ['w'], ['acc'], body)])).toEqual(['d#0'])
  })
  test('nor out of a condition', () => {
    const side = region([dot('d', 'zero'), wait('w', 'd'), yields('w')])
    expect(flying([operation('scf.if', {}, 'c', 1, [side, side])])).toEqual(['d#0'])
  })
  test('through a choice that the loop hands on: of zeros, or what is on its way', () => {
    const side = region([wait('v', 'w'), read('n', 'v')])
    const ends = operation('scf.if', {}, null, 0, [side])
    const body = [dot('d', 'acc'), wait('w', 'd'), choice('c', 'zero', 'w'), ends, yields('c')]
    expect(flying([loop('l', ['zero'], ['acc'], body)])).toEqual(['acc#0', 'c#0', 'd#0', 'l#0', 'w#0'])
    // that is taken by something else, too
    const taken = [dot('d', 'acc'), wait('w', 'd'), choice('c', 'zero', 'w'), read('n', 'c'), yields('c')]
    expect(flying([loop('l', ['zero'], ['acc'], taken)])).toEqual(['d#0'])
    // of two products
    const both = [dot('d', 'acc'), dot('e', 'zero'), choice('c', 'e', 'd'), yields('c')]
    expect(flying([loop('l', ['zero'], ['acc'], both)])).toEqual(['d#0', 'e#0'])
    // no product comes to it
    const idle = [dot('d', 'zero'), choice('c', 'zero', 'x'), wait('w', 'd'), read('n', 'w'), yields('c')]
    expect(flying([loop('l', ['zero'], ['x'], idle)])).toEqual(['d#0'])
    // outside of a loop
    expect(flying([dot('d', 'zero'), wait('w', 'd'), choice('c', 'zero', 'w')])).toEqual(['d#0'])
  })
  test('and one that is waited for at once is a tensor', () => {
    const sync = operation('ttng.warp_group_dot', { a: ['a'], b: ['b'], c: ['zero'] }, 'd')
    expect(flying([sync, wait('w', 'd')])).toEqual([])
  })
})

// ---------------------------------------------------------------- the definition

/** Statements over the values that are known, a few of them loops. */
const drawn = (die: Dice, known: ReadonlyArray<string>, depth: number, fresh: () => string): Operation[] => {
  const values = [...known]
  const one = (): string => values[die.below(values.length)]!
  return Array.from({ length: 1 + die.below(3) }, (): Operation => {
    const kind = die.below(depth === 0 ? 6 : 8)
    const made = fresh()
    const op =
      kind < 2
        ? dot(made, one())
        : kind < 4
          ? wait(made, one())
          : kind === 4
            ? read(made, one())
            : kind === 5
              ? choice(made, one(), one())
              : ((): Operation => {
                  const carried = fresh()
                  const body = drawn(die, [...values, carried], depth - 1, fresh)
                  const inside = [carried, ...body.flatMap((o) => o.names.map(({ name }) => name))]
                  return loop(made, [one()], [carried], [...body, yields(inside[die.below(inside.length)]!)])
                })()
    values.push(made)
    return op
  })
}

const keyOf = ({ name, index }: Value): string => `${name}#${String(index ?? 0)}`

/** The union of all sets of values that can be in flight together: what the definition says, and no more. */
const byDefinition = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const all = everyOperation(operations)
  const begun = all.filter((op) => op.attributes.length > 0).flatMap(resultKeys)
  const loops = all
    .filter((op) => op.name === 'scf.for')
    .map((op) => {
      const block = op.regions[0]!.blocks[0]!
      const last = block.operations[block.operations.length - 1]!
      return {
        initial: keyOf(op.operands['initArgs']![0]!),
        argument: `${block.parameters[1]!.name}#0`,
        yielded: keyOf(last.operands['values']![0]!),
        result: resultKeys(op)[0]!,
      }
    })
  const waits = all
    .filter((op) => op.name === 'ttng.warp_group_dot_wait')
    .map((op) => ({ input: keyOf(op.operands['inputs']![0]!), result: resultKeys(op)[0]! }))
  const reads = all.filter((op) => op.name === 'arith.truncf').map((op) => keyOf(op.operands['in']![0]!))
  const handed = [
    ...new Set([...waits.map(({ result }) => result), ...loops.flatMap((l) => [l.argument, l.result])]),
  ]
  const selects = all.filter((op) => op.name === 'arith.select')
  const sidesOf = (op: Operation): ReadonlyArray<string> =>
    [...op.operands['true']!, ...op.operands['false']!].map(keyOf)
  const mayFly = new Set([...begun, ...handed])
  /** whether a product may come to it: from where it is made, backwards */
  const comesFromProduct = (key: string, seen: ReadonlySet<string> = new Set()): boolean => {
    if (begun.includes(key)) return true
    if (seen.has(key)) return false
    const next = new Set([...seen, key])
    return [
      ...waits.filter(({ result }) => result === key).map(({ input }) => input),
      ...loops
        .filter(({ argument, result }) => argument === key || result === key)
        .flatMap(({ argument, initial, yielded }) => (argument === key ? [initial, yielded] : [yielded])),
      ...selects.filter((op) => resultKeys(op)[0] === key).flatMap(sidesOf),
    ].some((from) => comesFromProduct(from, next))
  }
  /** it stands in the loop that yields it, has no other use, and one side that may be in flight */
  const chosen = selects.flatMap((op) => {
    const [result] = resultKeys(op)
    const uses = all.flatMap((o) => Object.values(o.operands).flat()).filter((v) => keyOf(v) === result)
    const around = all.find((o) => o.name === 'scf.for' && o.regions[0]!.blocks[0]!.operations.includes(op))
    const isYielded = around?.regions[0]!.blocks[0]!.operations.at(-1)!.operands['values']!.some(
      (v) => keyOf(v) === result,
    )
    const sides = sidesOf(op).filter((side) => mayFly.has(side))
    return uses.length === 1 && isYielded === true && sides.length === 1 && comesFromProduct(sides[0]!)
      ? [{ result: result!, side: sides[0]! }]
      : []
  })
  const readBySelects = selects
    .filter((op) => !chosen.some(({ result }) => result === resultKeys(op)[0]))
    .flatMap(sidesOf)
  const others = [...new Set([...handed, ...chosen.map(({ result }) => result)])]
  const together = new Set(begun)
  for (let bits = 0; bits < 2 ** others.length; bits++) {
    const set = new Set([...begun, ...others.filter((_, k) => (bits >> k) % 2 === 1)])
    /** a product may be given to what is no product, and is refused there; what is handed on is not given so */
    const given = (key: string, to: string): boolean => !set.has(key) || begun.includes(key) || set.has(to)
    const legal =
      waits.every(({ input, result }) => !set.has(result) || set.has(input)) &&
      waits.every(
        ({ result }) =>
          !set.has(result) ||
          (!reads.includes(result) &&
            !readBySelects.includes(result) &&
            chosen.every((c) => c.side !== result || set.has(c.result))),
      ) &&
      chosen.every(({ result, side }) => !set.has(result) || set.has(side)) &&
      loops.every(
        ({ initial, argument, yielded, result }) =>
          set.has(argument) === set.has(result) &&
          (!set.has(argument) || set.has(yielded)) &&
          given(yielded, argument) &&
          given(initial, argument),
      )
    if (legal) for (const key of set) together.add(key)
  }
  return [...together].sort()
}

it('law 1: in flight is what the definition says, in random functions', () => {
  let handedOn = 0
  for (let seed = 0; seed < (nightly ? 5000 : 400); seed++) {
    const die = dice(seed)
    let count = 0
    const operations = drawn(die, ['zero', 'one'], 2, () => `v${String(count++)}`)
    if (count > 12) continue
    const expected = byDefinition(operations)
    expect(flying(operations), `seed ${String(seed)}`).toEqual(expected)
    handedOn += expected.length
  }
  expect(handedOn).toBeGreaterThan(nightly ? 5000 : 400)
})
