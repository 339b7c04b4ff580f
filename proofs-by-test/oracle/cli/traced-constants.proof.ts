/**
 * Two blocks of a kernel that JAX traced store into one array. What it stores is what it stores, a constant too; by construction it is known whether they store the same.
 */
import { expect, test } from 'vitest'
import type { Eqn } from '../../../src/dialects/jaxpr/index.js'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import { document, k, scalar, swap, v } from '../../dialects/jaxpr/documents.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const block: Eqn = { op: 'axis_index', params: { axisName: 'i' }, out: [{ v: 5, type: scalar('i32') }] }
const stores = {
  'a constant': [swap(0, k(1))],
  'what they are called': [block, swap(0, v(5))],
}

test.each([
  ['a constant', [], 'ok', ['N4']],
  ['a constant', ['--strict'], 'hazard', ['D3']],
  ['what they are called', [], 'hazard', ['D3']],
] as const)('%s, %j: %s', async (what, flags, word, ids) => {
  const z = [{ name: 'z', role: 'out', dtype: 'i32', shape: [] }] as const
  const text = JSON.stringify(document(z, stores[what], [], { mesh: { grid: [2], gridNames: ['i'] } }))
  const disk = new Map([['k.jaxpr.json', new TextEncoder().encode(text)]])
  const ask = running(worldOf(inMemory(disk)))
  for (const command of ['check', 'run']) {
    const { stdout } = await ask(command, 'k.jaxpr.json', '--json', ...flags)
    const judged = right(decodeVerdict(JSON.parse(stdout)))
    expect([judged.verdict, [...judged.findings, ...judged.notes].map(({ id }) => id)]).toEqual([word, ids])
  }
})
