/** What an instruction is to a clock: its name, and what it reads and writes. Oracle: by hand. */
import { expect, test } from 'vitest'
import type { Instruction, Operation, WarpProgram } from '../../../src/semantics/warps/program.js'
import { ofPredicate } from '../../../src/semantics/warps/program.js'
import { worksOf } from '../../../src/semantics/warps/works.js'

const workOf = (operation: Operation, guard: Instruction['guard'] = null) =>
  worksOf({ code: [{ site: 3, guard, operation }] } as unknown as WarpProgram)[0]!

test.each([
  [{ _tag: 'scalar', name: 'add.s32', from: [0, 1], to: [2] }, 'add.s32'],
  [{ _tag: 'predicate', op: 'xor', to: 0, from: [{ predicate: 1, negated: false }] }, 'predicate.xor'],
  [{ _tag: 'move', to: [1], from: [0] }, 'move'],
  [{ _tag: 'nothing' }, ''],
  [{ _tag: 'turn', stays: [] } as unknown as Operation, ''],
  [{ _tag: 'exit' }, 'exit'],
  [{ _tag: 'setPredicate', to: 0, value: true }, 'setPredicate'],
] as ReadonlyArray<[Operation, string]>)('%j', (operation, name) => {
  expect(workOf(operation).name).toBe(name)
})

test('a guard is read', () => {
  const o: Operation = { _tag: 'move', to: [1], from: [0] }
  expect(workOf(o)).toMatchObject({ elements: 32, reads: [0], writes: [1], shared: [], site: 3 })
  expect(workOf({ ...o }, { predicate: 2, negated: true })).toMatchObject({
    reads: [0, ofPredicate(2)],
    writes: [1],
  })
})
