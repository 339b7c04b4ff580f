/** Sums of words of which waits use the sign alone. Oracle: by hand; one other reader, or one other use, and the sum itself is used. */
import { expect, test } from 'vitest'
import type { Instruction, Operation, WarpProgram } from '../../../src/semantics/warps/program.js'
import { signing, watches } from '../../../src/semantics/warps/timing.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>
const address = (row: number) => ({ space: 'global', rows: [row, row + 1], offset: 0 }) as const
const sum = (change: Partial<Of<'atomic'>> = {}): Operation =>
  ({
    _tag: 'atomic',
    op: 'add',
    type: 's32',
    at: address(0),
    value: [2],
    compare: [],
    to: [3],
    ordering: 'relaxed',
    scope: 'gpu',
    ...change,
  }) as unknown as Operation
const wait = (comparison: string, from = 0, value = 3): Operation =>
  ({
    _tag: 'load',
    from: address(from),
    width: { bytes: 4, count: 1, signed: false },
    to: [[4]],
    ordering: 'relaxed',
    scope: 'gpu',
    until: { comparison, value, to: null },
  }) as unknown as Operation
const load: Operation = { ...(wait('os') as Of<'load'>), until: undefined } as unknown as Operation
const copy: Operation = { _tag: 'move', to: [5], from: [3] }
const program = (operations: ReadonlyArray<Operation>, guard: Instruction['guard'] = null): WarpProgram =>
  ({
    code: operations.map((operation) => ({ site: 0, guard, operation })),
  }) as unknown as WarpProgram
const isSign = (...operations: ReadonlyArray<Operation>): boolean =>
  signing(program(operations)).has(operations[0]!)

test('a sum that waits compare by its sign, and nothing else reads', () => {
  expect(isSign(sum(), wait('os'))).toBe(true)
  expect(isSign(sum(), wait('ss'))).toBe(true)
  expect(isSign(sum(), wait('os'), wait('ss'))).toBe(true)
  expect(isSign(sum({ type: 'u32' }), wait('os'))).toBe(true)
})

test.each([
  ['nothing reads it', [sum()]],
  ['a wait for a number', [sum(), wait('eq')]],
  ['another reads it', [sum(), wait('os'), copy]],
  ['one wait of two compares it whole', [sum(), wait('os'), wait('ne')]],
  ['where the wait looks is computed of it', [sum(), wait('os', 3)]],
  ['a load that waits for nothing', [sum(), { ...(load as Of<'load'>), from: address(3) }]],
  ['another operation', [sum({ op: 'max' } as Partial<Of<'atomic'>>), wait('os')]],
  ['another width', [sum({ type: 'u64' } as Partial<Of<'atomic'>>), wait('os')]],
  ['it is dropped', [sum({ to: null }), wait('os')]],
  ['functions are called, which may read it', [sum(), wait('os'), { _tag: 'call', target: 0 }]],
] as ReadonlyArray<[string, ReadonlyArray<Operation>]>)('none: %s', (_, operations) => {
  expect(isSign(...operations)).toBe(false)
})

test('of one under a guard nothing is said', () => {
  const all = [sum(), wait('os')]
  expect(signing(program(all, { predicate: 0, negated: false })).size).toBe(0)
})

test('a program watches a word where a load waits for one', () => {
  expect(
    [[wait('os')], [sum(), wait('eq')], [load], [sum()], []].map((all) => watches(program(all))),
  ).toEqual([true, true, false, false, false])
})
