/**
 * JAX's Blackwell matmul as it ships (`jax/experimental/pallas/ops/gpu/blackwell_matmul_mgpu.py`), exported unchanged from 0.10.2 and 0.11.2: grid of four
 * tiles, clusters that take over from one another.
 *
 * By one block it computes the product, for all inputs. What is said of it:
 *
 * | finding                           | because                                                                                                    |
 * |-----------------------------------|------------------------------------------------------------------------------------------------------------|
 * | U2, the last `copy_smem_to_gmem`  | behind it stands `wait_smem_to_gmem(1, wait_read_only=True)`, and nothing waits for the last copy before the block ends: neither the kernel nor its lowering. With such a wait it is right |
 * | U1, a note (an error with strict) | the last products of `consumed_barrier` and the last stores of `store_done_barrier` are waited for by no one |
 *
 * By a pair (`collective=True`) it calls `dynamic_scheduling_loop` without `cluster_axes`. 0.11.2 then asks once for each block, and both answers go to both
 * blocks; 0.10.2 asks once, and overwrites the answer that the other block may not have read. With the axis named what remains is B1, of the wait for
 * `store_done_barrier` in warp 1 of the block that does not lead: it is that of the tutorial's matmul5 (docs/BlackwellMatmul.md, the wait in the wrong warp).
 */
import { describe, expect, test } from 'vitest'
import { decodeDocument, elaborate, type Document } from '../../../src/dialects/jaxpr/index.js'
import type { Eqn, Var } from '../../../src/dialects/jaxpr/document.js'
import { naiveMatmul } from '../../../src/kernels/reference.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Checked } from '../../../src/semantics/verdict/check.js'
import { bits } from '../../arithmetic.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { checked } from '../pallas/programs.js'
import { inFolder } from './cases.js'

const shipped = inFolder('shipped')
const documentOf = (name: string): Document => right(decodeDocument(JSON.parse(shipped.text(name))))

interface Ran {
  readonly verdict: Checked['verdict']
  readonly ids: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
  /** does it leave the naive product, to the bit */
  readonly equal: boolean
}
const ran = (d: Document, strict: boolean): Ran => {
  const b = bits('blackwell')
  const [left, by] = d.kernel.operands
  const [m = 0, k = 0] = left!.shape
  const n = by!.shape[1]!
  const [x, y] = [randomPatterns('f16', 1, 0, m * k), randomPatterns('f16', 1, 1, k * n)]
  const program = right(
    elaborate(d, {
      computes: { _tag: 'matmul', a: 'a_gmem', b: 'b_gmem', out: 'out_gmem', accumulator: 'f32', blockK: 16 },
    }),
  )
  const inputs = new Map([
    ['a_gmem', x],
    ['b_gmem', y],
  ])
  const { verdict, world, machine } = checked(program, { strict, explain: false }, b, inputs)
  const types = { operand: 'f16', accumulator: 'f32', out: 'f16' } as const
  const got = readTensor(world, machine, 'out_gmem')
  const expected = right(naiveMatmul(b, types, { m, n, k }, x, y))
  return {
    verdict,
    ids: [...new Set(verdict.findings.map((f) => f.id))].sort(),
    notes: [...new Set(verdict.notes.map((f) => f.id))].sort(),
    equal: expected.every((v, i) => v === got?.[i]),
  }
}

/** A wait for the reads of every copy, at the end of the body that has the loop. */
const awaited = (d: Document): Document => ({
  ...d,
  jaxprs: d.jaxprs.map((j) => {
    const eqns = j.eqns ?? []
    const loops = eqns.some(({ op, out = [] }) => op === 'while' && out.length > 2)
    const wait: Eqn = { op: 'wait_smem_to_gmem', in: [{ k: 0, dtype: 'i32' }], params: { readOnly: true } }
    return loops ? { ...j, eqns: [...eqns, wait] } : j
  }),
})

/** As if the loop had been told `cluster_axes=("x",)`. */
const told = (d: Document): Document => {
  const reaching = (v: Var): Var =>
    v.name === 'cancel_used_barrier' && 'barrier' in v.type
      ? { ...v, type: { barrier: { ...v.type.barrier, cluster: { axes: ['x'], leaderTracked: false } } } }
      : v
  const asking = (eqn: Eqn): Eqn =>
    eqn.op === 'try_cluster_cancel' ? { ...eqn, params: { ...eqn.params, collectiveAxes: ['x', 'wg'] } } : eqn
  return {
    ...d,
    jaxprs: d.jaxprs.map((j) => ({ ...j, in: (j.in ?? []).map(reaching), eqns: (j.eqns ?? []).map(asking) })),
  }
}

const versions = ['0.10.2', '0.11.2'] as const
/** By day the earlier one by one block, and the later one by a pair. */
const [looked, paired] = nightly ? [versions, versions] : [versions.slice(0, 1), versions.slice(1)]

describe.each(looked)('JAX %s, by one block', (version) => {
  const d = documentOf(`blackwell_matmul.${version}`)
  test('the product, for all inputs and to the bit; a copy that is not awaited', () => {
    const { verdict, ids, notes, equal } = ran(d, false)
    expect(verdict).toMatchObject({
      verdict: 'hazard',
      decidedBy: 'one-schedule',
      provenance: { proved: true, inOrder: true },
    })
    expect([ids, notes, equal]).toEqual([['U2'], ['U1'], true])
    const [found] = verdict.findings
    expect([found!.text, found!.a.loc]).toEqual([
      'CTA 0 can exit before this tmaStore is done',
      `blackwell_matmul_mgpu.py:${version === '0.10.2' ? '199' : '198'}`,
    ])
  })
  test('awaited it is right; what is left over is an error with strict', () => {
    const { verdict, notes, equal } = ran(awaited(d), false)
    expect([verdict.verdict, verdict.findings, notes, equal]).toEqual(['ok', [], ['U1'], true])
    expect(ran(awaited(d), true).ids).toEqual(['U1'])
  })
})

describe.each(paired)('JAX %s, by a pair', (version) => {
  const d = documentOf(`blackwell_matmul_collective.${version}`)
  test('the loop is not told of the cluster', () => {
    const { verdict, ids, equal } = ran(d, false)
    expect([verdict.verdict, equal]).toEqual(['deadlock', false])
    // two requests, and two answers at one place; or one, which is overwritten while it is read
    expect(ids).toEqual(expect.arrayContaining(version === '0.11.2' ? ['B4', 'W1'] : ['B1', 'W1']))
    expect(verdict.findings.find((f) => f.id === 'W1')?.a.site).toMatch(
      /try_cluster_cancel|query_cluster_cancel/,
    )
  })
  test('told of it, and awaited: the wait in the wrong warp remains', () => {
    const { verdict } = ran(awaited(told(d)), false)
    expect([verdict.verdict, verdict.findings.map((f) => [f.id, f.a.loc])]).toEqual([
      'deadlock',
      [['B1', `blackwell_matmul_mgpu.py:${version === '0.10.2' ? '160' : '159'}`]],
    ])
  })
})
