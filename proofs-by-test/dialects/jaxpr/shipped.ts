/** Kernels that ship with JAX, as they were exported, and what an H100 made of them. */
import { readFileSync } from 'node:fs'
import { elaborate, parseDocument, type Document } from '../../../src/dialects/jaxpr/index.js'
import * as fast from '../../../src/fast/index.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Program, Spec } from '../../../src/semantics/language/program.js'
import { check, standardOptions, type Checked } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'

const root = new URL('../../../conformance/', import.meta.url)

/** The document of an export. */
export const exported = (folder: string, name: string): Document =>
  right(parseDocument(readFileSync(new URL(`jaxpr/${folder}/${name}.jaxpr.json`, root), 'utf8')))

export const matmul: Spec = {
  _tag: 'matmul',
  a: 'a_gmem',
  b: 'b_gmem',
  out: 'out_gmem',
  accumulator: 'f32',
  blockK: 16,
}

export const programOf = (document: Document, computes?: Spec): Program =>
  right(elaborate(document, computes === undefined ? {} : { computes }))

/** Payload of a file of NumPy's behind a header of 128 bytes: bit patterns of 16 or 32 bits. */
const payload = (name: string): Float64Array => {
  const file = readFileSync(new URL(`kernels/${name}.npy`, root))
  const bytes = file.subarray(0, 128).toString().includes('f4') ? 4 : 2
  return Float64Array.from({ length: (file.length - 128) / bytes }, (_, i) =>
    bytes === 2 ? file.readUInt16LE(128 + 2 * i) : file.readUInt32LE(128 + 4 * i),
  )
}

type TensorParam = Extract<Program['params'][number], { readonly _tag: 'tensor' }>

export interface OnTheChip {
  readonly verdict: string
  readonly findings: ReadonlyArray<string>
  /** how many elements of each output differ */
  readonly differ: Readonly<Record<string, number>>
}

/** The run in the chip's bits on what was captured. */
export const asCaptured = (program: Program, files: Readonly<Record<string, string>>): OnTheChip =>
  asComputed(program, ({ name }) => (files[name] === undefined ? null : payload(files[name])))

/** The run in the chip's bits; of the operands that were captured there are patterns. */
export const asComputed = (
  program: Program,
  captured: (operand: TensorParam) => Float64Array | null,
): OnTheChip => {
  const tensors = program.params.flatMap((p) => {
    const values = p._tag === 'tensor' ? captured(p) : null
    return p._tag === 'tensor' && values !== null ? [{ ...p, values }] : []
  })
  const inputs = new Map(
    tensors.flatMap(({ name, role, values }) => (role === 'in' ? [[name, values] as const] : [])),
  )
  const { verdict, world, machine }: Checked = right(
    check(program, {
      ...standardOptions,
      algebra: fast.bits('hopper'),
      arguments: { scalars: new Map(), tensors: inputs },
      provenance: false,
      explain: false,
      explore: false,
      fuel: 1e8,
    }),
  )
  const differ = tensors.flatMap((p) => {
    if (p.role === 'in') return []
    const found = readTensor(world, machine, p.name) ?? new Float64Array(0)
    return [[p.name, p.values.reduce((n, x, i) => n + (found[i] === x ? 0 : 1), 0)] as const]
  })
  return {
    verdict: verdict.verdict,
    findings: [...new Set(verdict.findings.map((f) => f.id))],
    differ: Object.fromEntries(differ),
  }
}
