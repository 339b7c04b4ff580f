/**
 * A small launch for each module of `conformance/triton/modules`, the same for all of a family: what `kernels.py` would be called with, for two tiles
 * along each axis and a few steps of the loop, or for as many as are asked for.
 */
import type { GivenTensor, Launch, Role } from '../../../src/dialects/ttgir/elaboration/arguments.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import type { Module } from '../../../src/dialects/ttgir/text/syntax.js'
import type { Spec } from '../../../src/semantics/language/program.js'
import type { Arguments } from '../../../src/semantics/execution/launch.js'
import { float, type Value } from '../../../src/semantics/machine/value.js'
import { right } from '../../either.js'
import { moduleText } from './modules.js'

export interface Launched {
  readonly module: Module
  readonly launch: Launch
  readonly arguments: Arguments
  /** of a matmul of f16: c = a b */
  readonly computes: Spec | null
}

interface Sizes {
  readonly grid: ReadonlyArray<number>
  /** of tensors, row-major, by parameter */
  readonly tensors: Readonly<Record<string, readonly [Role, ReadonlyArray<number>]>>
  readonly scalars: Readonly<Record<string, Value>>
}

/** The kernel in a file's name, and the extents of its tile there. */
const named = (file: string): { readonly kernel: string; readonly tile: ReadonlyArray<number> } => {
  const [, kernel = '', tile = ''] = /^(.*?)(?:_nows|_ws)?_(\d+x\d+x\d+)/.exec(file) ?? []
  return { kernel, tile: tile.split('x').map(Number) }
}

/** Tiles along the rows and the columns of the output, and steps of the inner loop. */
export interface Extents {
  readonly rows: number
  readonly columns: number
  readonly steps: number
}

/** Two tiles along each axis, two for each program where they persist, and more steps than a pipeline has stages. */
const usual = (kernel: string): Extents => {
  switch (kernel) {
    case 'mm_persistent':
      return { rows: 4, columns: 2, steps: 6 }
    case 'mm_scaled':
      return { rows: 1, columns: 1, steps: 3 }
    case 'attn':
      return { rows: 2, columns: 1, steps: 4 }
    default:
      return { rows: 2, columns: 2, steps: 6 }
  }
}

const sizesOf = (file: string, asked: Extents | null): Sizes => {
  const { kernel, tile } = named(file)
  const [bm = 0, bn = 0, bk = 0] = tile
  const { rows, columns, steps } = asked ?? usual(kernel)
  const [m, n, k] = [rows * bm, columns * bn, steps * bk]
  const matmul = (a: string, b: string, c: string): Sizes['tensors'] => ({
    [a]: ['in', [m, k]],
    [b]: ['in', [k, n]],
    [c]: ['out', [m, n]],
  })
  switch (kernel) {
    case 'mm_ptr':
      return {
        grid: [rows, columns],
        tensors: matmul('a', 'b', 'c'),
        scalars: { M: m, N: n, K: k, sam: k, sbk: n, scm: n },
      }
    case 'mm_tma':
      return { grid: [rows, columns], tensors: matmul('a', 'b', 'c'), scalars: { M: m, N: n, K: k } }
    case 'mm_hosttma':
      return { grid: [rows, columns], tensors: matmul('da', 'db', 'dc'), scalars: { K: k } }
    case 'mm_persistent':
      // the text steps by four programs
      return {
        grid: [Math.min(4, rows * columns)],
        tensors: matmul('da', 'db', 'dc'),
        scalars: { M: m, N: n, K: k },
      }
    case 'mm_scaled':
      return {
        grid: [1],
        tensors: {
          a: ['in', [bm, k]],
          b: ['in', [k, bn]],
          sa: ['in', [bm, k / 32]],
          sb: ['in', [bn, k / 32]],
          c: ['out', [bm, bn]],
        },
        scalars: { K: k },
      }
    default: {
      // attention: bm rows of queries, bn of keys, bk columns
      const keys = steps * bn
      const queries: ReadonlyArray<number> = [m, bk]
      return {
        grid: [rows],
        tensors: {
          dq: ['in', queries],
          dk: ['in', [keys, bk]],
          dv: ['in', [keys, bk]],
          do: ['out', queries],
        },
        scalars: { scale: float('f32', 0x3e000000), N: keys },
      }
    }
  }
}

/** A module with its launch. */
export const launched = (
  file: string,
  extents: Extents | null = null,
  module: Module = right(readModule(moduleText(file))),
): Launched => {
  const sizes = sizesOf(file, extents)
  const tensors = new Map<string, GivenTensor>()
  const scalars = new Map<string, Value>(Object.entries(sizes.scalars))
  const parameters = module.operations[0]!.regions[0]!.blocks[0]!.parameters
  for (const [name, [role, shape]] of Object.entries(sizes.tensors)) {
    const strides = shape.map((_, d) => shape.slice(d + 1).reduce((n, extent) => n * extent, 1))
    const isDescriptor = parameters.find((p) => p.name === name)!.type._tag === 'descriptor'
    tensors.set(name, { tensor: isDescriptor ? `${name}.tensor` : name, shape, strides, role })
    const at = parameters.findIndex((p) => p.name === name)
    if (!isDescriptor) continue
    ;[...shape, ...strides.map(BigInt)].forEach((value, k) =>
      scalars.set(parameters[at + 1 + k]!.name, value),
    )
  }
  const [a, b, c] = [...tensors.values()].map(({ tensor }) => tensor)
  return {
    module,
    launch: { grid: sizes.grid, tensors },
    arguments: { scalars, tensors: new Map() },
    computes: /^mm_(?!scaled)/.test(file)
      ? { _tag: 'matmul', a: a!, b: b!, out: c!, accumulator: 'f32', blockK: 16 }
      : null,
  }
}
