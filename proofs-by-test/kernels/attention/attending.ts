/** Attention kernels under proof: small configurations, runs, captured data, and how far from naive attention they are. */
import { readFileSync } from 'node:fs'
import {
  attention,
  decodedAttention,
  farthest,
  largest,
  log2e,
  mosaicNumerics,
  noMask,
  sizesOf,
  tolerances,
  type Excess,
  type Fa3Attention,
  type Operands,
} from '../../../src/kernels/attention/index.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import * as fast from '../../../src/fast/index.js'
import { decode, decoder, real64, unit, type Algebra } from '../../../src/numerics/index.js'
import {
  check,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../src/semantics/verdict/check.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'

/** Two blocks of 64 rows and three blocks of keys, one head. */
export const base: Fa3Attention = {
  dtype: 'f16',
  batch: 1,
  q: 128,
  kv: 192,
  heads: 1,
  kvHeads: 1,
  headDim: 64,
  blockQ: 64,
  blockKv: 64,
  maxConcurrentSteps: 2,
  mask: noMask,
  scale: null,
  lse: true,
  rowSum: 'before',
  prefetch: 'needed',
  numerics: mosaicNumerics,
}

// ---------------------------------------------------------------- runs

export const judged = (
  p: Program,
  o: Partial<CheckOptions> = {},
  algebra: Algebra = unit,
  tensors: ReadonlyMap<string, Float64Array> = new Map(),
): Checked =>
  right(
    check(p, {
      ...standardOptions,
      algebra,
      arguments: { scalars: new Map(), tensors },
      provenance: false,
      explain: false,
      explore: false,
      fuel: 1e8,
      ...o,
    }),
  )

export const outputOf = ({ world, machine }: Checked, name: string): Float64Array => {
  const found = readTensor(world, machine, name)
  if (found === null) throw new Error(`no values of ${name}`)
  return found
}

/** Bit patterns: nearly normal, a tensor of its own for each name. */
export const patterns = (c: Fa3Attention, seed: number): Operands => {
  const sizes = sizesOf(c)
  return {
    q: randomPatterns(c.dtype, seed, 0, sizes.q),
    k: randomPatterns(c.dtype, seed, 1, sizes.k),
    v: randomPatterns(c.dtype, seed, 2, sizes.v),
  }
}

const tensorsOf = ({ q, k, v }: Operands): ReadonlyMap<string, Float64Array> =>
  new Map([
    ['q', q],
    ['k', k],
    ['v', v],
  ])

/** What is farthest outside of the tolerance, of out and of lse. */
export interface Distance {
  readonly out: Excess | null
  readonly lse: Excess | null
}

/** A run in bits against naive attention in f64, within the tolerance of the dtype. */
export const inBits = (
  c: Fa3Attention,
  p: Program,
  seed: number,
): { readonly run: Checked; readonly distance: Distance } => {
  const operands = patterns(c, seed)
  const run = judged(p, {}, fast.bits('hopper'), tensorsOf(operands))
  const exact = right(decodedAttention(c.dtype, attention(c, { mask: c.mask, scale: c.scale }), operands))
  const found = outputOf(run, 'out').map(decoder(c.dtype))
  const most = largest(operands.v.map((x) => decode(c.dtype, x)))
  return {
    run,
    distance: {
      out: farthest(tolerances[c.dtype], found, exact.out, most),
      lse: c.lse
        ? farthest(
            tolerances.lse,
            outputOf(run, 'lse').map((x) => decode('f32', x)),
            exact.lse.map((x) => x * log2e),
            Math.max(1, largest(exact.lse.map((x) => (Number.isFinite(x) ? x : 0)))),
          )
        : null,
    },
  }
}

/** The same in real arithmetic: 1e-12, relative to the largest |v|. */
export const inReals = (c: Fa3Attention, p: Program, seed: number): Distance => {
  const operands = patterns(c, seed)
  const value = decoder(c.dtype)
  const reals = { q: operands.q.map(value), k: operands.k.map(value), v: operands.v.map(value) }
  const run = judged(p, { hazards: false }, real64, tensorsOf(reals))
  const exact = right(decodedAttention(c.dtype, attention(c, { mask: c.mask, scale: c.scale }), operands))
  return {
    out: farthest(tolerances.real64, outputOf(run, 'out'), exact.out, largest(reals.v)),
    lse: c.lse
      ? farthest(
          tolerances.real64,
          outputOf(run, 'lse'),
          exact.lse.map((x) => x * log2e),
        )
      : null,
  }
}

export const nothingOutside: Distance = { out: null, lse: null }

// ---------------------------------------------------------------- captured on an H100

/** Payload of a file of NumPy's, `bytes` an element behind a header of 128 bytes. */
const payload = (name: string, bytes: 2 | 4): Float64Array => {
  const file = readFileSync(new URL(`../../../conformance/kernels/${name}.npy`, import.meta.url))
  return Float64Array.from({ length: (file.length - 128) / bytes }, (_, i) =>
    bytes === 2 ? file.readUInt16LE(128 + 2 * i) : file.readUInt32LE(128 + 4 * i),
  )
}

/** How many elements of out and lse differ from what was captured, in any bit. */
export const differing = (
  name: string,
  p: Program,
  outputs: ReadonlyArray<'out' | 'lse'>,
): {
  readonly verdict: string
  readonly differ: ReadonlyArray<number>
  readonly of: ReadonlyArray<number>
} => {
  const of = (tensor: string): Float64Array =>
    payload(`attention_f16_${name}_${tensor}`, tensor === 'lse' ? 4 : 2)
  const run = judged(p, {}, fast.bits('hopper'), tensorsOf({ q: of('q'), k: of('k'), v: of('v') }))
  const counted = outputs.map((tensor) => {
    const [found, wanted] = [outputOf(run, tensor), of(tensor)]
    return [wanted.filter((x, i) => x !== found[i]).length, found.length] as const
  })
  return { verdict: run.verdict.verdict, differ: counted.map(([n]) => n), of: counted.map(([, n]) => n) }
}
