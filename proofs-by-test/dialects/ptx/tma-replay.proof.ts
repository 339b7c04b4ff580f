/** The program that captured tensor copies on an H100 runs from its own PTX, and leaves the bytes that it left there: loads, stores, multicast, faults. */
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import {
  launchWarps,
  usualSharedBase,
  type GivenTensor,
  type WarpArguments,
} from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { code, right } from '../../either.js'
import { sampled } from '../../extent.js'
import { tma, type TmaEntry } from '../../transforms/captured.js'

interface Entry extends TmaEntry {
  readonly box_bytes: number
  readonly expect_tx?: number
  readonly phase0_complete?: number
  readonly after_completing_all_but_16_of_extra?: number
  readonly after_completing_last_16?: number
}
const captured = tma()
const entries = captured.entries as ReadonlyArray<Entry>

const text = readFileSync(new URL('../../../conformance/cuda/capture_tma.ptx', import.meta.url), 'utf8')
const names = [
  '_Z5kload14CUtensorMap_st1PPhPm',
  '_Z6kstore14CUtensorMap_st1PPKhi',
  '_Z6kmulti14CUtensorMap_st1PPhPm',
]
const [load, store, multi] = names.map(
  (name) => right(elaborate(right(parseModule(text)), name, 'capture_tma.ptx')).program,
)
const programOf = (e: Entry) => (e.kind === 3 ? multi! : e.kind === 1 || e.kind === 4 ? store! : load!)

const dtypeOf = (e: Entry): Dtype =>
  e.element_bytes === 1
    ? 'u8'
    : e.element_bytes === 2
      ? e.oob_nan
        ? 'f16'
        : 'u16'
      : e.oob_nan
        ? 'f32'
        : 'u32'

/** What the tensor held before, element by element. */
const valueOf = (e: Entry, i: number): number =>
  e.kind === 1
    ? [0xee, 0xeeee, 0, 0xeeeeeeee][e.element_bytes - 1]!
    : e.element_bytes === 1
      ? (i * 167 + (i >> 8) * 59 + 13) & 255
      : e.element_bytes === 2
        ? (i + 1) & 0xffff
        : i + 1

const tensorOf = (name: string, contents: Uint8Array): GivenTensor => ({
  name,
  role: 'inout',
  contents,
  bytes: contents.length,
  elements: null,
  symbol: null,
})

const room = 32768

const argumentsOf = (e: Entry): WarpArguments => {
  const isStore = e.kind === 1 || e.kind === 4
  const parameters = new Uint8Array(isStore ? 180 : 184)
  const view = new DataView(parameters.buffer)
  const put = (k: number, word: number): void => {
    view.setInt32(128 + 4 * k, word, true)
  }
  put(0, e.coords.length)
  e.coords.forEach((c, k) => {
    put(1 + k, c)
  })
  put(6, e.smem_offset)
  put(7, e.box_bytes)
  put(8, (e.expect_tx ?? e.box_bytes) - e.box_bytes)
  put(9, e.kind === 3 ? e.bin_bytes / 2 : isStore ? room : (e.bin_bytes ?? e.box_bytes))
  if (isStore) view.setInt32(176, e.kind === 4 ? 1 : 0, true)
  const count = e.dims.reduce((n, d) => n * d, 1)
  const held = new Uint8Array(count * e.element_bytes)
  const elements = new DataView(held.buffer)
  for (let i = 0; i < count; i++)
    for (let b = 0; b < e.element_bytes; b++)
      elements.setUint8(i * e.element_bytes + b, Math.floor(valueOf(e, i) / 256 ** b) & 255)
  const image =
    e.kind === 4
      ? new Uint8Array(Uint32Array.from({ length: room / 4 }, (_, i) => (i + 1) * 1_000_000).buffer)
      : e.kind === 1
        ? Uint8Array.from({ length: room }, (_, i) => (i * 73 + (i >> 8) * 31 + 7) & 255)
        : new Uint8Array(2 * room)
  const strides = e.dims
    .slice(0, -1)
    .map((_, k) => e.element_bytes * e.dims.slice(0, k + 1).reduce((n, d) => n * d, 1))
  return {
    grid: [e.kind === 3 ? 2 : 1],
    block: [128],
    cluster: null,
    dynamicBytes: 2 * room,
    parameters,
    pointers: [{ offset: 168, tensor: 'image' }, ...(isStore ? [] : [{ offset: 176, tensor: 'words' }])],
    maps: [
      {
        into: null,
        offset: 0,
        tensor: 'tensor',
        fields: {
          elements: dtypeOf(e),
          dims: e.dims,
          strides,
          box: e.box,
          elementStrides: e.element_strides,
          window: null,
          swizzle: ([0, 32, 64, 128] as const)[e.swizzle]!,
          fill: e.oob_nan ? 'nan' : 'zero',
        },
      },
    ],
    tensors: [tensorOf('tensor', held), tensorOf('image', image), tensorOf('words', new Uint8Array(64))],
    sharedBase: usualSharedBase,
  }
}

const ran = (e: Entry) => {
  const { world, machine, planeOf } = right(launchWarps(programOf(e), argumentsOf(e), bits('hopper')))
  const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
  const bytesOf = (tensor: string, n: number): Buffer => {
    const found = new Uint8Array(n)
    Plane.copyOut(after.planes[planeOf.get(tensor)!]!, 0, n, found)
    return Buffer.from(found)
  }
  return { outcome, bytesOf }
}

const expected = (e: Entry): Buffer => captured.bin.subarray(e.bin_offset, e.bin_offset + e.bin_bytes)
const shown = (e: Entry): string => `${String(e.id)} ${e.name}`
const of = (kind: number, status: string): ReadonlyArray<Entry> =>
  entries.filter((e) => e.kind === kind && e.status.startsWith(status))

describe('what the chip left', () => {
  it.each(sampled(8, [...of(0, 'ok'), ...of(2, 'ok')]).map((e) => [shown(e), e] as const))(
    'load %s',
    (_, e) => {
      const { outcome, bytesOf } = ran(e)
      expect(outcome._tag).toBe('completed')
      expect(bytesOf('image', e.bin_bytes).equals(expected(e))).toBe(true)
      const words = new BigInt64Array(new Uint8Array(bytesOf('words', 48)).buffer)
      expect([...words.subarray(3)].map(Number)).toEqual([
        e.phase0_complete,
        e.after_completing_all_but_16_of_extra,
        e.after_completing_last_16,
      ])
    },
  )
  it.each(sampled(3, of(1, 'ok')).map((e) => [shown(e), e] as const))('store %s', (_, e) => {
    const { outcome, bytesOf } = ran(e)
    expect(outcome._tag).toBe('completed')
    expect(bytesOf('tensor', e.bin_bytes).equals(expected(e))).toBe(true)
  })
  it.each(of(3, 'ok').map((e) => [shown(e), e] as const))('multicast %s', (_, e) => {
    const { outcome, bytesOf } = ran(e)
    expect(outcome._tag).toBe('completed')
    expect(bytesOf('image', e.bin_bytes).equals(expected(e))).toBe(true)
  })
  it.each(of(4, 'ok').map((e) => [shown(e), e] as const))('reduction %s', (_, e) => {
    const { outcome, bytesOf } = ran(e)
    expect(outcome._tag).toBe('completed')
    expect(bytesOf('tensor', e.bin_bytes).equals(expected(e))).toBe(true)
  })
})

test('every captured fault is a fault', () => {
  const faults = sampled(
    2,
    entries.filter((e) => e.status.startsWith('fault')),
  )
  expect(faults.length).toBeGreaterThan(3)
  for (const e of faults)
    expect(ran({ ...e, bin_bytes: e.box_bytes }).outcome, shown(e)).toMatchObject({
      _tag: 'fault',
      fault: { code: 'A4' },
    })
})

test('a map that the driver refused is no launch', () => {
  for (const e of entries.filter((one) => one.status === 'encode refused'))
    expect(code(launchWarps(load!, argumentsOf({ ...e, bin_bytes: 0 }), bits('hopper'))), shown(e)).toBe(
      'launch.map',
    )
})
