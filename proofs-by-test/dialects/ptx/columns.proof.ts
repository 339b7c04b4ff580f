/**
 * The program that captured copies of columns of pixels (im2col), and copies and sums of f32 through maps of other element types, on an H100 runs from its own PTX, and leaves the bytes
 * that it left there; where the chip faulted there is a fault, and where the driver refused the map there is no launch.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { bitsOf, type Dtype } from '../../../src/numerics/dtype.js'
import {
  launchWarps,
  usualSharedBase,
  type GivenTensor,
  type WarpArguments,
} from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import type { MapElements } from '../../../src/semantics/instructions/tma/object.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { cornerBits } from '../../../src/layouts/shared-memory/im2col.js'
import { fieldsOf } from '../../../src/oracle/launch/ptx-maps.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

/** All lists innermost first. */
interface Case {
  readonly kind: 'im2col' | 'tile'
  readonly type: MapElements
  readonly dims: ReadonlyArray<number>
  readonly steps: ReadonlyArray<number>
  readonly swizzle: 0 | 32 | 64 | 128
  /** a load, or a store, or a sum, of columns (0, 2, 3) or of boxes (1, 4, 5) */
  readonly mode: 0 | 1 | 2 | 3 | 4 | 5
  readonly coords: ReadonlyArray<number>
  readonly group: string
  readonly fill: 'zero' | 'nan'
  readonly lower?: ReadonlyArray<number>
  readonly upper?: ReadonlyArray<number>
  readonly channels?: number
  readonly pixels?: number
  readonly offsets?: ReadonlyArray<number>
  readonly box?: ReadonlyArray<number>
  readonly rankOfCopy?: number
  /** where among the words lies what the tensor, or shared memory, holds before; else it holds its indices, from 1 on */
  readonly before?: number
  readonly source?: number
  /** which part of the tensor was kept */
  readonly slice?: number
  /** the hash of the bytes, or what happened instead */
  readonly left: string
  readonly bytes?: number
}

const folder = new URL('../../../conformance/hopper/tma/', import.meta.url)
const cases = readFileSync(new URL('copies.jsonl', folder), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)
const words = readFileSync(new URL('words.bin', folder))
const modul = right(parseModule(readFileSync(new URL('copies.ptx', folder), 'utf8')))
const programs = [3, 4, 5].map((rank) => right(elaborate(modul, `k${String(rank)}`, 'copies.ptx')).program)

const widthOf = (c: Case): number =>
  c.type === 'f32_ftz' || c.type === 'tf32_ftz' ? 4 : bitsOf(c.type as Dtype) / 8
const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/** Elements that say which they are. */
const indices = (width: number, bytes: number): Uint8Array => {
  const out = new Uint8Array(bytes)
  const view = new DataView(out.buffer)
  for (let i = 0; i < bytes / width; i++) {
    const n = i + 1
    if (width === 1) view.setUint8(i, (n % 251) + 1)
    else if (width === 2) view.setUint16(2 * i, n % 65521, true)
    else view.setUint32(width * i, n, true)
  }
  return out
}

const sliceBytes = 4096
const sharedBytes = 65536

const argumentsOf = (c: Case): WarpArguments => {
  const width = widthOf(c)
  const size = width * product(c.dims)
  const isLoad = c.mode < 2
  const tensor =
    c.before !== undefined ? new Uint8Array(size) : isLoad ? indices(width, size) : new Uint8Array(size)
  if (c.before !== undefined) {
    const kept = words.subarray(4 * c.before, 4 * c.before + Math.min(size, sliceBytes))
    for (let at = (c.slice ?? 0) * sliceBytes; at < size; at += c.slice === undefined ? kept.length : size)
      tensor.set(kept.subarray(0, size - at), at)
  }
  const image = isLoad || c.source === undefined ? indices(width, sharedBytes) : new Uint8Array(sharedBytes)
  if (c.source !== undefined) image.set(words.subarray(4 * c.source, 4 * c.source + sliceBytes))
  const rows = c.kind === 'im2col' ? c.pixels! : product(c.box!.slice(1))
  const inner = width * (c.kind === 'im2col' ? c.channels! : c.box![0]!)
  // as many words of shared memory as the case is about
  const span = isLoad ? (c.bytes ?? 256) : Math.min(sharedBytes, rows * Math.max(inner, c.swizzle))
  const parameters = new Uint8Array(200)
  const view = new DataView(parameters.buffer)
  c.coords.forEach((x, k) => {
    view.setInt32(128 + 4 * k, x, true)
  })
  c.offsets?.forEach((x, k) => {
    view.setInt32(148 + 4 * k, x, true)
  })
  view.setInt32(160, c.mode, true)
  view.setInt32(164, rows * inner, true)
  view.setInt32(168, Math.ceil(span / 4), true)
  const given = (name: string, contents: Uint8Array): GivenTensor => ({
    name,
    role: 'inout',
    contents,
    bytes: contents.length,
    elements: null,
    symbol: null,
  })
  return {
    grid: [1],
    block: [128],
    cluster: null,
    dynamicBytes: sharedBytes,
    parameters,
    pointers: [
      { offset: 176, tensor: 'source' },
      { offset: 184, tensor: 'image' },
      { offset: 192, tensor: 'status' },
    ],
    maps: [
      {
        into: null,
        offset: 0,
        tensor: 'tensor',
        fields: {
          elements: c.type,
          dims: c.dims,
          strides: c.dims.slice(0, -1).map((_, k) => width * product(c.dims.slice(0, k + 1))),
          box: c.kind === 'im2col' ? [c.channels!, c.pixels!] : c.box!,
          elementStrides: c.steps,
          window: c.kind === 'im2col' ? { lower: c.lower!, upper: c.upper! } : null,
          swizzle: c.swizzle,
          fill: c.fill,
        },
      },
    ],
    tensors: [
      given('tensor', tensor),
      given('source', image),
      given('image', new Uint8Array(sharedBytes)),
      given('status', new Uint8Array(16)),
    ],
    sharedBase: usualSharedBase,
  }
}

const programOf = (c: Case) => programs[Math.max(3, c.rankOfCopy ?? c.dims.length) - 3]!

/** Corners that do not fit in an object are refused where a launch says them. */
const saidOf = (c: Case) =>
  fieldsOf('map', {
    kind: 'tensormap',
    tensor: 'tensor',
    dtype: 'u16',
    dims: c.dims,
    box: [c.channels!, c.pixels!],
    window: { lower: c.lower!, upper: c.upper! },
  })
const fits = (c: Case): boolean =>
  [...(c.lower ?? []), ...(c.upper ?? [])].every((n) => n >= -32768 && n <= 32767)
/** Of a larger offset ptxas takes bits that overlap. */
const isPacked = (c: Case): boolean => (c.offsets ?? []).some((n) => n >= 2 ** cornerBits(c.dims.length))

/** What it leaves, as it was kept of the chip. */
const leftBy = (c: Case): string => {
  const launched = launchWarps(programOf(c), argumentsOf(c), bits('hopper'))
  if (launched._tag === 'Left') return launched.left.code === 'launch.map' ? 'refused' : launched.left.message
  const { world, machine, planeOf } = launched.right
  const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
  if (outcome._tag === 'fault')
    return outcome.fault.code === 'A4' ? 'illegal instruction' : outcome.fault.message
  if (outcome._tag !== 'completed') return outcome._tag
  const from = (c.mode < 2 ? 0 : (c.slice ?? 0)) * sliceBytes
  const end = from + (c.bytes ?? 0)
  const found = new Uint8Array(end)
  Plane.copyOut(after.planes[planeOf.get(c.mode < 2 ? 'image' : 'tensor')!]!, 0, end, found)
  return createHash('sha256').update(found.subarray(from)).digest('hex').slice(0, 32)
}

describe.each([...new Set(cases.map((c) => c.group))])('%s', (group) => {
  test.each(
    sampled(
      8,
      cases.filter((c) => c.group === group).map((c, k) => [k, JSON.stringify(c).slice(0, 60), c] as const),
    ),
  )('%i %s', (_, __, c) => {
    if (fits(c)) expect(leftBy(c)).toBe(isPacked(c) ? 'illegal instruction' : c.left)
    else {
      expect(c.left).toBe('refused')
      expect(saidOf(c)).toMatchObject({ code: 'launch.parameter' })
    }
  })
})

test('a map of tf32 is of a tensor of f32', () => {
  expect(
    fieldsOf('map', {
      kind: 'tensormap',
      tensor: 'x',
      dtype: 'f16',
      elements: 'tf32',
      dims: [8, 8],
      box: [8, 8],
    }),
  ).toMatchObject({ code: 'launch.parameter' })
  expect(
    fieldsOf('map', { kind: 'tensormap', tensor: 'x', dtype: 'tf32', dims: [8, 8], box: [8, 8] }),
  ).toMatchObject({
    elements: 'tf32',
  })
})
