/**
 * The operands of the capture of scalar opcode forms, made again: what `conformance/hopper/ptx/generate.py` gives to a signature.
 *
 * One operand: all its edges. More: one half of the tuples are edges alone. The others are drawn: any bits, an edge, a moderate number, or the operand before
 * changed a little.
 */
import { readFileSync } from 'node:fs'
import type { ScalarType } from '../../../src/numerics/scalar/index.js'

type Kind = 'pred' | 'b8' | 'b16' | 'f16' | 'bf16' | 'b32' | 'f32' | 'b64' | 'f64'

/** Kind of a type, and whether two of them make it. */
const kindOf = (type: ScalarType): readonly [Kind, boolean] => {
  switch (type) {
    case 'pred':
    case 'f16':
    case 'bf16':
    case 'f32':
    case 'f64':
      return [type, false]
    case 'u8':
    case 's8':
    case 'e2m1x2':
      return ['b8', false]
    case 'b16':
    case 'u16':
    case 's16':
      return ['b16', false]
    case 'b32':
    case 'u32':
    case 's32':
      return ['b32', false]
    case 'tf32':
      return ['f32', false]
    case 'b64':
    case 'u64':
    case 's64':
      return ['b64', false]
    case 'e4m3x2':
    case 'e5m2x2':
    case 'e2m3x2':
    case 'e3m2x2':
    case 'ue8m0x2':
      return ['b8', true]
    case 'u16x2':
    case 's16x2':
      return ['b16', true]
    case 'f16x2':
      return ['f16', true]
    case 'bf16x2':
      return ['bf16', true]
  }
}

const bitsOf: Readonly<Record<Kind, number>> = {
  pred: 1,
  b8: 8,
  b16: 16,
  f16: 16,
  bf16: 16,
  b32: 32,
  f32: 32,
  b64: 64,
  f64: 64,
}
/** Fraction bits and bias. */
const floats: Readonly<Partial<Record<Kind, readonly [bigint, number]>>> = {
  f16: [10n, 15],
  bf16: [7n, 127],
  f32: [23n, 127],
  f64: [52n, 1023],
}

const edges: Readonly<Record<string, readonly bigint[]>> = Object.fromEntries(
  Object.entries(
    JSON.parse(
      readFileSync(new URL('../../../conformance/hopper/ptx/edges.json', import.meta.url), 'utf8'),
    ) as Record<string, readonly string[]>,
  ).map(([kind, list]) => [kind, list.map((x) => BigInt(`0x${x}`))]),
)

/** xorshift32, its states multiplied. */
const source = (text: string): (() => number) => {
  let state = 2166136261
  for (const c of text) state = Math.imul(state ^ c.charCodeAt(0), 16777619)
  state |= 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (Math.imul(state, 0x9e3779b1) ^ (state >>> 15)) >>> 0
  }
}

const edge = (kind: Kind, next: () => number): bigint =>
  kind === 'pred' ? BigInt((next() >>> 7) & 1) : edges[kind]![next() % edges[kind]!.length]!

const draw = (kind: Kind, next: () => number, before: bigint | null): bigint => {
  if (kind === 'pred') return BigInt((next() >>> 7) & 1)
  const bits = BigInt(bitsOf[kind])
  const mask = (1n << bits) - 1n
  const way = (next() >>> 5) & 3
  if (way === 1) return edge(kind, next)
  const low = BigInt(next())
  const raw = low | (BigInt(next()) << 32n)
  if (way === 2) {
    const float = floats[kind]
    if (float === undefined) return raw >> 63n === 1n ? -(raw & 0x7fn) & mask : raw & 0x7fn
    const [fraction, bias] = float
    const spread = bias === 15 ? 8 : 32
    const exponent = BigInt(bias - spread / 2 + (next() % spread))
    return ((raw >> 63n) << (bits - 1n)) | (exponent << fraction) | (raw & ((1n << fraction) - 1n))
  }
  if (way === 3 && before !== null) return (before ^ (raw & 7n) ^ (((raw >> 32n) & 1n) << (bits - 1n))) & mask
  return raw & mask
}

/** One operand of a type: a value of its kind, or one in each half. */
const operand =
  (one: (kind: Kind, next: () => number, before: bigint | null) => bigint) =>
  (type: ScalarType, next: () => number, before: bigint | null): bigint => {
    const [kind, two] = kindOf(type)
    if (!two) return one(kind, next, before)
    const bits = BigInt(bitsOf[kind])
    const low = one(kind, next, before === null ? null : before & ((1n << bits) - 1n))
    return low | (one(kind, next, before === null ? null : before >> bits) << bits)
  }
const drawn = operand(draw)
const edgy = operand(edge)

/** The tuples of a signature. */
export const tuples = (operands: readonly ScalarType[], count: number): readonly (readonly bigint[])[] => {
  const next = source(operands.join(','))
  const kinds = operands.map((type) => kindOf(type).join())
  const [kind, two] = kindOf(operands[0]!)
  const rows: bigint[][] =
    operands.length === 1 && !two
      ? (edges[kind] ?? [0n, 1n]).map((x) => [x])
      : operands.length === 1
        ? [[0n], [1n]]
        : []
  while (rows.length < count) {
    const row: bigint[] = []
    const edgesAlone = operands.length > 1 && rows.length < count / 2
    operands.forEach((type, i) => {
      const before = i > 0 && kinds[i - 1] === kinds[i] ? row[i - 1]! : null
      row.push(edgesAlone ? edgy(type, next, null) : drawn(type, next, before))
    })
    rows.push(row)
  }
  return rows.slice(0, count)
}
