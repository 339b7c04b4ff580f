import { readdirSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../src/failure.js'
import type { GivenTensor } from '../../../src/dialects/ttgir/elaboration/arguments.js'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import type { Spec, Program } from '../../../src/semantics/language/program.js'
import type { Arguments } from '../../../src/semantics/execution/launch.js'
import { float, type Value } from '../../../src/semantics/machine/value.js'
import { decodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { right } from '../../either.js'

const directory = new URL('../../../conformance/triton/captures/', import.meta.url)

/** Launches on an H100: the text that ran, its inputs, and what the chip left in the output. */
export const captureNames: ReadonlyArray<string> = readdirSync(directory)

interface DescriptorArgument {
  readonly tensor: string
  readonly shape: ReadonlyArray<number>
  readonly strides: ReadonlyArray<number>
}
interface LaunchFile {
  readonly grid: ReadonlyArray<number>
  readonly args: ReadonlyArray<string | number | DescriptorArgument>
  readonly outputs: ReadonlyArray<string>
}

interface Patterns {
  readonly shape: ReadonlyArray<number>
  /** bits of f16, row-major */
  readonly data: Float64Array
}

const patternsOf = (name: string, tensor: string): Patterns => {
  const { shape, data } = right(decodeNpy(readFileSync(new URL(`${name}/${tensor}.npy`, directory))))
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return {
    shape,
    data: Float64Array.from({ length: data.byteLength / 2 }, (_, k) => view.getUint16(2 * k, true)),
  }
}

const rowMajor = (shape: ReadonlyArray<number>): ReadonlyArray<number> =>
  shape.map((_, d) => shape.slice(d + 1).reduce((n, extent) => n * extent, 1))

const f32Bits = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]!

export interface Capture {
  readonly program: E.Either<Failure, Program>
  readonly arguments: Arguments
  /** the tensor that is written, and what the chip wrote */
  readonly output: string
  readonly expected: Float64Array
}

/** A capture as a program with its arguments. Pointers name their parameter, descriptors the tensor. */
export const captured = (name: string, computes?: Spec): Capture => {
  const file = (suffix: string): string => readFileSync(new URL(`${name}/${suffix}`, directory), 'utf8')
  const launch = JSON.parse(file('launch.json')) as LaunchFile
  const module = right(readModule(file(`${name}.ttgir`)))
  const [main] = module.operations
  const parameters = [...main!.regions[0]!.blocks[0]!.parameters]
  const given = new Map<string, GivenTensor>()
  const scalars = new Map<string, Value>()
  const tensors = new Map<string, Float64Array>()
  let output = ''
  for (const a of launch.args) {
    const p = parameters.shift()!
    if (typeof a === 'number') {
      const { type } = p
      scalars.set(
        p.name,
        type._tag === 'float'
          ? float('f32', f32Bits(a))
          : type._tag === 'integer' && type.bits === 64
            ? BigInt(a)
            : a,
      )
      continue
    }
    const tensor = typeof a === 'string' ? a : a.tensor
    const called = typeof a === 'string' ? p.name : a.tensor
    const { shape, data } = patternsOf(name, tensor)
    const isOutput = launch.outputs.includes(tensor)
    if (isOutput) output = called
    else tensors.set(called, data)
    given.set(p.name, {
      tensor: called,
      shape,
      strides: typeof a === 'string' ? rowMajor(shape) : a.strides,
      role: isOutput ? 'out' : 'in',
    })
    if (typeof a !== 'string') {
      for (const extent of a.shape) scalars.set(parameters.shift()!.name, extent)
      for (const stride of a.strides) scalars.set(parameters.shift()!.name, BigInt(stride))
    }
  }
  return {
    program: elaborate(module, {
      grid: launch.grid,
      tensors: given,
      ...(computes === undefined ? {} : { computes }),
    }),
    arguments: { scalars, tensors },
    output,
    expected: patternsOf(name, launch.outputs[0]!).data,
  }
}
