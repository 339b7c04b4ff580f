/** Small documents: a kernel of one thread whose operands are vectors, and what it leaves in them. */
import {
  elaborate,
  jaxprSchema,
  type Document,
  type Eqn,
  type Jaxpr,
  type Type,
  type Value,
} from '../../../src/dialects/jaxpr/index.js'
import { bits } from '../../../src/numerics/index.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'

export interface Operand {
  readonly name: string
  readonly role: 'in' | 'out'
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
}

export const scalar = (dtype: string): Type => ({ dtype, shape: [] })
export const array = (dtype: string, shape: ReadonlyArray<number>): Type => ({ dtype, shape })
export const v = (n: number): Value => ({ v: n })
export const k = (value: number | string, dtype = 'i32'): Value => ({ k: value, dtype })

/** A document; operand i is variable i of jaxpr 0, and equation i of it stands in line 10 + i of kernel.py unless it says another. */
export const document = (
  operands: ReadonlyArray<Operand>,
  eqns: ReadonlyArray<Eqn>,
  more: ReadonlyArray<Jaxpr> = [],
  kernel: Partial<Document['kernel']> = {},
): Document => ({
  schema: jaxprSchema,
  producer: { jax: '0.11.2' },
  kernel: { name: 'k', form: 'kernel', mesh: {}, operands, body: 0, ...kernel },
  jaxprs: [
    {
      in: operands.map(({ dtype, shape }, n) => ({ v: n, type: { ref: 'gmem', dtype, shape } })),
      eqns: eqns.map((eqn, n) => (eqn.at === undefined ? { ...eqn, at: n } : eqn)),
    },
    ...more,
  ],
  files: ['/home/author/kernel.py'],
  locations: eqns.map((_, n) => ({
    file: 0,
    line: 10 + n,
    function: 'body',
    text: `line ${String(10 + n)}`,
  })),
})

/** `variable = ref[...]`, and `ref[...] = value`. */
export const get = (variable: number, type: Type, ref: number): Eqn => ({
  op: 'get',
  uses: { ref: { ref: v(ref) } },
  out: [{ v: variable, type }],
})
export const swap = (ref: number, value: Value): Eqn => ({
  op: 'swap',
  in: [value],
  uses: { ref: { ref: v(ref) } },
  out: [null],
})

/** What a kernel leaves in its outputs, in the chip's bits. */
export const ran = (
  d: Document,
  inputs: Readonly<Record<string, ReadonlyArray<number>>> = {},
): Readonly<Record<string, ReadonlyArray<number>>> => {
  const program = right(elaborate(d))
  const { world, machine, verdict } = right(
    check(program, {
      ...standardOptions,
      algebra: bits('hopper'),
      arguments: {
        scalars: new Map(),
        tensors: new Map(Object.entries(inputs).map(([name, xs]) => [name, Float64Array.from(xs)])),
      },
      explore: false,
      explain: false,
    }),
  )
  if (verdict.verdict !== 'ok') throw new Error(`${verdict.verdict}: ${verdict.reason ?? ''}`)
  return Object.fromEntries(
    d.kernel.operands.flatMap(({ name, role }) =>
      role === 'in' ? [] : [[name, [...(readTensor(world, machine, name) ?? [])]]],
    ),
  )
}
