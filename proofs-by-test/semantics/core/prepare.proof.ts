/**
 * Instructions without operands: what each comes to, whole and by hand. Those with operands are in `instruction-operands.proof.ts`; together they
 * are all.
 */
import { expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import type { Prepared } from '../../../src/semantics/machine/operation.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import {
  instructionNames,
  isInstructionName,
  signatureOf,
} from '../../../src/semantics/language/signature.js'
import { launched, solo } from '../machine/machine-samples.js'

const { world } = launched(
  solo(function* () {
    yield* []
  }),
  unit,
)
const fence = (kind: string, scope: string): object => ({ _tag: 'fence', kind, scope })
const commit = (family: string): object => ({ _tag: 'group.commit', family })
const wait = (family: string, pending: number, read: boolean): object => ({
  _tag: 'group.wait',
  family,
  pending,
  read,
})
const table: ReadonlyArray<readonly [Instruction, object]> = [
  [
    { _tag: 'bar.sync', id: 3, count: 96 },
    { _tag: 'bar', id: 3, count: 96, waits: true },
  ],
  [
    { _tag: 'bar.arrive', id: 4, count: 64 },
    { _tag: 'bar', id: 4, count: 64, waits: false },
  ],
  [
    { _tag: 'cluster.arrive', relaxed: true },
    { _tag: 'cluster.arrive', relaxed: true },
  ],
  [
    { _tag: 'cluster.arrive', relaxed: false },
    { _tag: 'cluster.arrive', relaxed: false },
  ],
  [{ _tag: 'cluster.wait' }, { _tag: 'cluster.wait' }],
  [{ _tag: 'bulk.commitGroup' }, commit('bulk')],
  [{ _tag: 'cpAsync.commitGroup' }, commit('cpAsync')],
  [{ _tag: 'wgmma.commitGroup' }, commit('wgmma')],
  [{ _tag: 'bulk.waitGroup', pending: 2, read: true }, wait('bulk', 2, true)],
  [{ _tag: 'bulk.waitGroup', pending: 0, read: false }, wait('bulk', 0, false)],
  [{ _tag: 'cpAsync.waitGroup', pending: 3 }, wait('cpAsync', 3, false)],
  [{ _tag: 'wgmma.waitGroup', pending: 1 }, wait('wgmma', 1, false)],
  // of tensor memory nothing may be left; that a register is used is no wait of the instruction
  [{ _tag: 'tcgen05.waitLd' }, wait('tcgen05Ld', 0, false)],
  [{ _tag: 'tcgen05.useLd' }, wait('tcgen05Ld', 0, true)],
  [{ _tag: 'tcgen05.waitSt' }, wait('tcgen05St', 0, false)],
  [{ _tag: 'fence.proxyAsync', scope: 'global' }, fence('proxyAsync', 'global')],
  [{ _tag: 'fence.proxyAsync', scope: 'cta' }, fence('proxyAsync', 'cta')],
  [{ _tag: 'fence.mbarrierInit' }, fence('mbarrierInit', 'cluster')],
  [{ _tag: 'wgmma.fence' }, fence('wgmma', 'cta')],
  [{ _tag: 'tcgen05.fenceBefore' }, fence('tensorBefore', 'cta')],
  [{ _tag: 'tcgen05.fenceAfter' }, fence('tensorAfter', 'cta')],
  [
    { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 },
    { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 },
  ],
  [
    { _tag: 'tcgen05.dealloc', columns: 32, ctaGroup: 1 },
    { _tag: 'tcgen05.dealloc', columns: 32, ctaGroup: 1 },
  ],
  [{ _tag: 'tcgen05.relinquish', ctaGroup: 1 }, { _tag: 'tcgen05.relinquish' }],
  // an agent speaks with one voice: it is the one elected
  [{ _tag: 'elect' }, { _tag: 'nothing', results: [true] }],
  [
    { _tag: 'setMaxRegisters', count: 40, action: 'decrease' },
    { _tag: 'setMaxRegisters', count: 40, action: 'decrease' },
  ],
]

test.each(table.map(([i, to]) => [i._tag, i, to] as const))('%s', (_, instruction, expected) => {
  const at = { agent: 0, cta: 0, place: 0, cluster: 0 }
  expect(prepare(environment(world, at, []), instruction) as Prepared).toEqual(expected)
})
test('the table has every instruction without operands', () => {
  const without = instructionNames.filter(
    (name) =>
      isInstructionName(name) &&
      Object.values(signatureOf(name).fields).every(
        ({ _tag }) => _tag !== 'operand' && _tag !== 'operands' && _tag !== 'completions',
      ),
  )
  expect([...new Set(table.map(([i]) => i._tag))].sort()).toEqual(without.sort())
})
