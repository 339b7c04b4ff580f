/** Kernels of `conformance/triton/beyond.py`: their texts, launched with inputs of a seed; and what f32 is, by a definition of its own. */
import { readdirSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../src/failure.js'
import type { GivenTensor } from '../../../src/dialects/ttgir/elaboration/arguments.js'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { readModule, type Module } from '../../../src/dialects/ttgir/index.js'
import { bits } from '../../../src/numerics/bits.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { launch, readTensor, type Arguments } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { run, settings, collect } from '../../../src/semantics/execution/run.js'
import { float, type Value } from '../../../src/semantics/machine/value.js'
import { right } from '../../either.js'

const directory = new URL('../../../conformance/triton/beyond/', import.meta.url)
export const beyondFiles: ReadonlyArray<string> = readdirSync(directory).filter((f) => f.endsWith('.ttgir'))
export const beyondText = (name: string): string => readFileSync(new URL(`${name}.ttgir`, directory), 'utf8')

// ---------------------------------------------------------------- tensors as numbers

/** Elements as numbers: of f32 and f16 their values, of 8-bit floats their bits. */
export interface Given {
  readonly dtype: 'f32' | 'f16' | 'i32' | 'bits8' | 'i8'
  readonly shape: ReadonlyArray<number>
  readonly data: ReadonlyArray<number>
  readonly role: 'in' | 'out' | 'inout'
}

const view = new DataView(new ArrayBuffer(8))
export const f32Bits = (x: number): number => {
  view.setFloat32(0, x)
  return view.getUint32(0)
}
export const f32Of = (pattern: number): number => {
  view.setUint32(0, pattern)
  return view.getFloat32(0)
}
/** Of what f16 holds exactly. */
export const f16Bits = (x: number): number => {
  if (x === 0) return Object.is(x, -0) ? 0x8000 : 0
  const sign = x < 0 ? 0x8000 : 0
  const e = Math.max(Math.floor(Math.log2(Math.abs(x))), -14)
  const m = Math.abs(x) / 2 ** e
  return sign + (m < 1 ? m * 1024 : ((e + 15) << 10) + (m - 1) * 1024)
}

const carriers = ({ dtype, data }: Given): Float64Array =>
  Float64Array.from(data, dtype === 'f32' ? f32Bits : dtype === 'f16' ? f16Bits : (x) => x)

/** Numbers of a seed. */
export const drawn = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}
const count = (shape: ReadonlyArray<number>): number => shape.reduce((n, extent) => n * extent, 1)
export const floats = (shape: ReadonlyArray<number>, seed: number, low = -1, high = 1): Given => {
  const next = drawn(seed)
  return {
    dtype: 'f32',
    shape,
    data: Array.from({ length: count(shape) }, () => Math.fround(low + next() * (high - low))),
    role: 'in',
  }
}
export const integers = (shape: ReadonlyArray<number>, seed: number, low: number, high: number): Given => {
  const next = drawn(seed)
  return {
    dtype: 'i32',
    shape,
    data: Array.from({ length: count(shape) }, () => Math.floor(low + next() * (high - low))),
    role: 'in',
  }
}
export const out = (
  dtype: Given['dtype'],
  shape: ReadonlyArray<number>,
  role: 'out' | 'inout' = 'out',
): Given => ({
  dtype,
  shape,
  data: Array<number>(count(shape)).fill(0),
  role,
})

// ---------------------------------------------------------------- launches

const rowMajor = (shape: ReadonlyArray<number>): ReadonlyArray<number> =>
  shape.map((_, d) => shape.slice(d + 1).reduce((n, extent) => n * extent, 1))

export interface Launched {
  readonly program: E.Either<Failure, Program>
  readonly arguments: Arguments
}
/** `args`: tensors and numbers by the names of the parameters. */
export const launched = (
  module: Module,
  grid: ReadonlyArray<number>,
  args: Readonly<Record<string, Given | number>>,
): Launched => {
  const parameters = module.operations.find((op) => op.name === 'tt.func')!.regions[0]!.blocks[0]!.parameters
  const given = new Map<string, GivenTensor>()
  const scalars = new Map<string, Value>()
  const tensors = new Map<string, Float64Array>()
  for (const p of parameters) {
    const a = args[p.name]
    if (a === undefined) throw new Error(`nothing for ${p.name}`)
    if (typeof a === 'number') scalars.set(p.name, p.type._tag === 'float' ? float('f32', f32Bits(a)) : a)
    else {
      given.set(p.name, { tensor: p.name, shape: a.shape, strides: rowMajor(a.shape), role: a.role })
      if (a.role !== 'out') tensors.set(p.name, carriers(a))
    }
  }
  return { program: elaborate(module, { grid, tensors: given }), arguments: { scalars, tensors } }
}

/** What a launch leaves in its tensors: elements as the machine holds them, patterns of floats and values of integers. */
export const computed = (
  of: Launched,
  names: ReadonlyArray<string>,
): { readonly outcome: unknown; readonly tensors: Readonly<Record<string, Float64Array>> } => {
  const { world, machine } = right(launch(right(of.program), bits('hopper', 'triton'), of.arguments))
  const ran = run(world, machine, settings(eager), collect)
  return {
    outcome: ran.outcome,
    tensors: Object.fromEntries(names.map((name) => [name, readTensor(world, ran.machine, name)!])),
  }
}

export const beyond = (
  name: string,
  grid: ReadonlyArray<number>,
  args: Readonly<Record<string, Given | number>>,
): Launched => launched(right(readModule(beyondText(name))), grid, args)
