/** What is refused, at the author's line; labels and places; documents that are none. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  decodeDocument,
  elaborate,
  labelledIn,
  meantBy,
  ownerOf,
  placeOf,
  type Document,
  type Eqn,
} from '../../../src/dialects/jaxpr/index.js'
import { traced, withoutEquations, quoteOfTraced } from '../../../src/oracle/launch/traced.js'
import { effectsOf } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'
import { array, document, get, k, scalar, swap, v } from './documents.js'
import { exported } from './shipped.js'

const vector = [128] as const
const operands = [
  { name: 'x', role: 'in', dtype: 'f32', shape: vector },
  { name: 'z', role: 'out', dtype: 'f32', shape: vector },
] as const
const f32 = array('f32', vector)

const refusal = (d: Document): readonly [code: string, message: string] => {
  const made = elaborate(d)
  return E.isLeft(made) ? [made.left.code, made.left.message] : ['none', '']
}
const of = (eqn: Eqn, ...more: ReadonlyArray<Eqn>): Document =>
  document(operands, [get(2, f32, 0), eqn, ...more])

describe('refused at its line', () => {
  test.each<readonly [string, Eqn, string, string]>([
    [
      'an operation that is not known',
      { op: 'sort', in: [v(2)], out: [] },
      'jaxpr.operation',
      'kernel.py:11: sort: expected an operation that is known here, found one that Mosaic GPU does not lower, either',
    ],
    [
      'an operation that nothing knows',
      { op: 'frobnicate', in: [v(2)], out: [] },
      'jaxpr.operation',
      "kernel.py:11: frobnicate: expected an operation that is known here, found 'frobnicate'",
    ],
    [
      'a function of a library',
      { op: 'erf', in: [v(2)], out: [{ v: 3, type: f32 }] },
      'jaxpr.operation',
      "kernel.py:11: erf: expected an operation that is known here, found one that is the library's error function, whose bits are not known here",
    ],
    [
      'a barrier that is a tensor',
      { op: 'barrier_wait', uses: { barrier: { ref: v(1) } } },
      'jaxpr.operand',
      'kernel.py:11: barrier_wait: expected a barrier for barrier, found z in GMEM',
    ],
    [
      'a slice with a step',
      {
        op: 'swap',
        in: [v(2)],
        uses: { ref: { ref: v(1), view: [{ index: [{ from: k(0), size: 64, stride: 2 }] }] } },
        out: [null],
      },
      'jaxpr.view',
      'kernel.py:11: swap: expected a slice of step 1, found step 2',
    ],
    [
      'jaxprs that run themselves',
      { op: 'scan', in: [], params: { length: 2 }, jaxprs: { body: 0 }, out: [] },
      'jaxpr.form',
      'jaxprs: expected none that runs itself, found one',
    ],
    [
      'what the surface refuses, by its own code',
      { op: 'axis_index', params: { axisName: 'q' }, out: [{ v: 3, type: scalar('i32') }] },
      'none',
      '',
    ],
    [
      'a variable that is none',
      swap(1, v(77)),
      'jaxpr.form',
      'kernel.py:11: swap: expected a variable that is known here, found variable 77',
    ],
  ])('%s', (_, eqn, code, message) => {
    const result = eqn.out?.[0]
    expect(refusal(result?.type === f32 ? of(eqn, swap(1, v(result.v))) : of(eqn))).toEqual([code, message])
  })

  test('an axis that is not there, where it is read', () => {
    const axis: Eqn = { op: 'axis_index', params: { axisName: 'q' }, out: [{ v: 3, type: scalar('i32') }] }
    const use: Eqn = {
      op: 'swap',
      in: [k(0, 'f32')],
      uses: { ref: { ref: v(1), view: [{ index: [{ at: v(3) }] }] } },
      out: [null],
    }
    expect(refusal(document(operands, [axis, use]))).toEqual([
      'pallas.axis.unbound',
      'kernel.py:10: axis_index: axis_index: unbound axis name q; bound here: none',
    ])
  })
})

describe('places', () => {
  const located = (files: ReadonlyArray<string>): string | null => {
    const d: Document = {
      ...of({ op: 'commit_smem' }),
      files,
      locations: [
        { file: 0, line: 7, caller: 1 },
        { file: 1, line: 31 },
      ],
    }
    return placeOf(d, { op: 'copy', at: 0 })
  }
  test('the innermost line that is not of JAX itself', () => {
    expect(located(['/x/jax/_src/pallas/mosaic_gpu/pipeline.py', '/home/me/kernel.py'])).toBe('kernel.py:31')
    expect(located(['/x/jax/experimental/pallas/ops/gpu/a.py', '/home/me/kernel.py'])).toBe('a.py:7')
    expect(located(['/x/jax/_src/a.py', '/x/jax/experimental/mosaic/gpu/b.py'])).toBe('a.py:7')
  })
})

describe('labels of a kernel that ships with JAX', () => {
  const kernel = right(traced(exported('0.11.2', 'matmul_f16_256x256x256'), undefined))
  test('law 1: no two are alike', () => {
    const { document: d, equations } = kernel
    expect(equations.size).toBe(d.jaxprs.reduce((n, j) => n + (j.eqns ?? []).length, 0))
    expect(labelledIn(d).size).toBe(equations.size)
  })
  test('law 2: every statement of a thread is an equation’s', () => {
    const owner = ownerOf(kernel.equations)
    const frame = /^(init |publish barriers|block (starts|ends)|cluster starts|enter$|acc_ref)/
    const others = effectsOf(kernel.program.entry.body)
      .map((s) => s.site.label)
      .filter((label) => owner(label) === null && !frame.test(label))
    expect(others).toEqual([])
  })
  test('a line means what stands there', () => {
    const meant = meantBy(kernel.equations)
    expect(meant('hopper_matmul_mgpu.py:220').map((o) => o.eqn.op)).toEqual(['wgmma_wait'])
    expect(meant('wgmma_wait 220').map((o) => o.label)).toEqual(['wgmma_wait 220'])
    expect(meant('somewhere.py:1')).toEqual([])
  })
  test('without a line: what it became is gone from every thread', () => {
    const less = right(withoutEquations(kernel, ['hopper_matmul_mgpu.py:220']))
    const labels = effectsOf(less.entry.body).map((s) => s.site.label)
    expect(labels.filter((l) => l.startsWith('wgmma_wait'))).toEqual([])
    expect(effectsOf(kernel.program.entry.body).length - labels.length).toBe(2)
  })
  test('a line of several operations, and one of none, are refused with their neighbours', () => {
    const refused = (text: string): string => {
      const made = withoutEquations(kernel, [text])
      return E.isLeft(made) ? made.left.message : ''
    }
    expect(refused('hopper_matmul_mgpu.py:221')).toMatch(
      /^--without: expected an operation that does something, found 'hopper_matmul_mgpu.py:221'; the nearest are 'wgmma_wait 220'/,
    )
    expect(refused('hopper_matmul_mgpu.py:223')).toMatch(/^--without: expected one operation, found \d+ by/)
  })
  test('a finding quotes the line', () => {
    expect(quoteOfTraced(kernel)({ site: 'wgmma_wait 220' })).toBe(
      'hopper_matmul_mgpu.py:220: plgpu.wgmma_wait(delay_release)  (wgmma_wait)',
    )
    expect(quoteOfTraced(kernel)({ site: 'nothing' })).toBeNull()
  })
})

describe('documents', () => {
  const good = of({ op: 'commit_smem' })
  test.each<readonly [string, unknown, string]>([
    [
      'another version',
      { ...good, schema: 'tcspec.jaxpr/2' },
      '$.schema: expected "tcspec.jaxpr/1", found "tcspec.jaxpr/2"',
    ],
    [
      'a misspelt key',
      { ...good, jaxprs: [{ ins: [] }] },
      '$.jaxprs[0].ins: expected no such key in a jaxpr, which has in, eqns, out, found an array of 0',
    ],
    [
      'no operation',
      { ...good, jaxprs: [{ eqns: [{}] }] },
      '$.jaxprs[0].eqns[0].op: expected a string, found nothing',
    ],
  ])('%s is refused', (_, u, message) => {
    expect(decodeDocument(u)).toEqual(E.left({ code: 'json.form', message }))
  })
  test('a jaxpr that is not there', () => {
    expect(refusal(document(operands, [{ op: 'call', in: [], jaxprs: { body: 9 }, out: [] }]))).toEqual([
      'jaxpr.form',
      'jaxpr 0: call: expected the number of one of 1 jaxprs, found 9',
    ])
  })
})
