/**
 * The asynchronous operations as JAX traces them: small kernels in Python (`python/tests/kernels_async.py`), each with what it must leave, said in
 * numpy. Each is right, to the bit; and needs its operations: without any one of them it is refused, has a finding, or leaves something else.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { asynchronousRows } from '../../../src/dialects/jaxpr/operations/index.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { asynchronous, differs, judged, operationsOf, withoutOperation } from './cases.js'

const names = asynchronous.names

describe('right, and bit for bit what numpy says', () => {
  test.each(names)('%s', (name) => {
    const of = asynchronous.read(name)
    const found = right(judged(of))
    expect([found.verdict.verdict, found.verdict.findings, differs(of, found)]).toEqual(['ok', [], null])
  })
})

/** What changes nothing that a run shows: hints, registers, waits of a thread whose agent is one or that ends anyway. */
const silent = [
  'async_prefetch',
  'set_max_registers',
  'griddepcontrol_wait',
  'griddepcontrol_launch_dependents',
]
const needs = names.flatMap((name) =>
  operationsOf(asynchronous.read(name))
    .filter((op) => op in asynchronousRows && !silent.includes(op))
    // it waits only if the barrier had not completed when it asked; the end of a run_state waits, too
    .filter(
      (op) =>
        !(name === 'tested' && op === 'barrier_wait') && !(name === 'wgmma_registers' && op === 'wgmma_wait'),
    )
    .map((op) => [name, op] as const),
)

/** Rows that refuse (`asynchronous-refusals.proof.ts`). */
const refuses = ['mma', 'semaphore_read', 'wait_gmem_to_smem']

/** Rows that stand in blocks alone (`inline-ptx.proof.ts`). */
const ofBlocks = ['warpgroup_barrier']

test('every row has a kernel here', () => {
  const used = new Set(names.flatMap((name) => operationsOf(asynchronous.read(name))))
  expect(
    Object.keys(asynchronousRows).filter((op) => !used.has(op) && ![...refuses, ...ofBlocks].includes(op)),
  ).toEqual([])
})

describe('needs its operations', () => {
  test.each(sampled(9, needs))('%s without %s', (name, op) => {
    const of = asynchronous.read(name)
    const found = judged(withoutOperation(of, op), {
      explore: false,
      explain: false,
      strict: true,
      strictProxies: true,
    })
    expect(
      E.isRight(found) && found.right.verdict.verdict === 'ok' && differs(of, found.right) === null,
    ).toBe(false)
  })
})
