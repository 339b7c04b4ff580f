/** Four modules of Triton as programs: one of each kind, at sizes that are asked for. Pointers name their parameters, descriptors tensors. */
import { elaborate, readModule, type GivenTensor, type Module } from '../../../src/dialects/ttgir/index.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Value } from '../../../src/semantics/machine/value.js'
import { right } from '../../either.js'
import { moduleText } from './modules.js'

export type Sizes = readonly [m: number, n: number, k: number]

export interface Compiled {
  readonly program: Program
  readonly scalars: Readonly<Record<string, Value>>
}

const tensor = (name: string, rows: number, columns: number, role: 'in' | 'out'): GivenTensor => ({
  tensor: name,
  shape: [rows, columns],
  strides: [columns, 1],
  role,
})

type Matrices = ReadonlyArray<
  readonly [parameter: string, name: string, rows: number, columns: number, role: 'in' | 'out']
>

/** What stands behind descriptors: extents, and strides in elements, by the parameters that follow them. */
const behind = (m: Module, matrices: Matrices): Readonly<Record<string, number>> => {
  const parameters = m.operations[0]!.regions[0]!.blocks[0]!.parameters.map(({ name }) => name)
  return Object.fromEntries(
    matrices.flatMap(([parameter, , rows, columns]) =>
      [rows, columns, columns, 1].map((x, i) => [parameters[parameters.indexOf(parameter) + 1 + i]!, x]),
    ),
  )
}

const compiled = (
  file: string,
  edit: (text: string) => string,
  grid: ReadonlyArray<number>,
  matrices: Matrices,
  scalars: Readonly<Record<string, Value>>,
  blockK: number,
): Compiled => {
  const module = right(readModule(edit(moduleText(file))))
  const isMatmul = matrices.length === 3
  const program = right(
    elaborate(module, {
      grid,
      tensors: new Map(matrices.map(([parameter, ...of]) => [parameter, tensor(...of)])),
      ...(isMatmul
        ? { computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK } }
        : {}),
    }),
  )
  const isDescriptor = matrices.every(([parameter, name]) => parameter !== name)
  return { program, scalars: isDescriptor ? { ...behind(module, matrices), ...scalars } : scalars }
}

const same = (text: string): string => text

const matrices = ([m, n, k]: Sizes, parameters: ReadonlyArray<string>): Matrices => [
  [parameters[0]!, 'a', m, k, 'in'],
  [parameters[1]!, 'b', k, n, 'in'],
  [parameters[2]!, 'c', m, n, 'out'],
]

/** Through tiles of pointers: `cp.async` in four stages, wgmma. */
export const pointerMatmul = (
  sizes: Sizes = [64, 64, 160],
  edit: (text: string) => string = same,
): Compiled => {
  const [m, n, k] = sizes
  return compiled(
    'mm_ptr_64x64x32_s4_w4_sm90.ttgir',
    edit,
    [m / 64, n / 64],
    matrices(sizes, ['a', 'b', 'c']),
    { M: m, N: n, K: k, sam: k, sbk: n, scm: n },
    32,
  )
}

/** With tensor maps that the kernel makes: TMA in four stages, wgmma. */
export const tensorMapMatmul = (sizes: Sizes = [64, 64, 160]): Compiled => {
  const [m, n, k] = sizes
  return compiled(
    'mm_tma_nows_64x64x32_s4_w4_sm90.ttgir',
    same,
    [m / 64, n / 64],
    matrices(sizes, ['a', 'b', 'c']),
    { M: m, N: n, K: k },
    32,
  )
}

/** Two partitions, rings of barriers, an accumulator in tensor memory. */
export const hostTmaMatmul = (
  sizes: Sizes = [128, 128, 256],
  edit: (text: string) => string = same,
): Compiled => {
  const [m, n, k] = sizes
  return compiled(
    'mm_hosttma_ws_128x128x64_s3_w4_sm100.ttgir',
    edit,
    [m / 128, n / 128],
    matrices(sizes, ['da', 'db', 'dc']),
    { K: k },
    64,
  )
}

/** Three partitions beside the softmax: 128 queries against N keys, 64 wide. */
export const attention = (N: number, scale: Value): Compiled =>
  compiled(
    'attn_ws_128x64x64_sm100.ttgir',
    same,
    [1],
    [
      ['dq', 'q', 128, 64, 'in'],
      ['dk', 'k', N, 64, 'in'],
      ['dv', 'v', N, 64, 'in'],
      ['do', 'o', 128, 64, 'out'],
    ],
    { N, scale },
    64,
  )
