/** The Gluon kernels of `conformance/triton/gluon`: their texts, the lines of their Python, and how they are launched. */
import { readdirSync, readFileSync } from 'node:fs'
import type { GivenTensor } from '../../../src/dialects/ttgir/elaboration/arguments.js'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import type { Arguments } from '../../../src/semantics/execution/launch.js'
import type { Program, Spec } from '../../../src/semantics/language/program.js'
import type { Value } from '../../../src/semantics/machine/value.js'
import { right } from '../../either.js'

const directory = new URL('../../../conformance/triton/gluon/', import.meta.url)
const file = (name: string): string => readFileSync(new URL(name, directory), 'utf8')

interface TileOf {
  readonly tensor: string
  readonly block: ReadonlyArray<number>
}
export interface GluonTensor {
  readonly dtype: 'f16' | 'f32'
  readonly shape: ReadonlyArray<number>
}
export interface GluonKernel {
  readonly arch: 90 | 100
  readonly grid: ReadonlyArray<number>
  readonly args: ReadonlyArray<number | string | TileOf>
  readonly outputs: ReadonlyArray<string>
  readonly tensors: Readonly<Record<string, GluonTensor>>
  readonly computes: ReadonlyArray<string> | null
  /** the id that it has by the manual, for which Gluon has no remedy */
  readonly byManual: string | null
  /** what each mistake is, in words */
  readonly mistakes: Readonly<Record<string, string>>
}

export const gluonKernels: Readonly<Record<string, GluonKernel>> = JSON.parse(file('kernels.json')) as Record<
  string,
  GluonKernel
>

export const gluonNames: ReadonlyArray<string> = Object.keys(gluonKernels)

export const gluonTexts: ReadonlyArray<string> = readdirSync(new URL('texts/', directory))

/** The text of a kernel, or of one of its mistakes. */
export const gluonText = (name: string, mistake = ''): string =>
  file(`texts/${name}${mistake === '' ? '' : '.'}${mistake}.ttgir`)

/** What stands at `kernel.py:31`. */
export const statementAt = (place: string): string => {
  const [name = '', line = ''] = place.split(':')
  return file(name).split('\n')[Number(line) - 1]?.trim() ?? ''
}

const rowMajor = (shape: ReadonlyArray<number>): ReadonlyArray<number> =>
  shape.map((_, d) => shape.slice(d + 1).reduce((n, extent) => n * extent, 1))

/** The product that a kernel says it computes. */
export const productOf = ({ computes }: GluonKernel): Spec | null => {
  const [kind, a, b, out] = computes ?? []
  return kind === 'matmul'
    ? { _tag: 'matmul', a: a!, b: b!, out: out!, accumulator: 'f32', blockK: 16 }
    : null
}

export interface Prepared {
  readonly program: Program
  readonly scalars: Arguments['scalars']
}

/** A kernel, or one of its mistakes, as a program. Pointers name their parameter, descriptors the tensor: here they are alike. */
export const prepared = (name: string, mistake = '', computes: Spec | null = null): Prepared => {
  const kernel = gluonKernels[name]!
  const module = right(readModule(gluonText(name, mistake)))
  const parameters = [...module.operations[0]!.regions[0]!.blocks[0]!.parameters]
  const tensors = new Map<string, GivenTensor>()
  const scalars = new Map<string, Value>()
  for (const a of kernel.args) {
    const p = parameters.shift()!
    if (typeof a === 'number') {
      scalars.set(p.name, a)
      continue
    }
    const tensor = typeof a === 'string' ? a : a.tensor
    const { shape } = kernel.tensors[tensor]!
    const strides = rowMajor(shape)
    tensors.set(p.name, { tensor, shape, strides, role: kernel.outputs.includes(tensor) ? 'out' : 'in' })
    if (typeof a !== 'string') {
      for (const extent of shape) scalars.set(parameters.shift()!.name, extent)
      for (const stride of strides) scalars.set(parameters.shift()!.name, BigInt(stride))
    }
  }
  const program = right(
    elaborate(module, { grid: kernel.grid, tensors, ...(computes === null ? {} : { computes }) }),
  )
  return { program, scalars }
}
