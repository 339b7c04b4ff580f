/** The program that captured products of warpgroups on an H100 runs from its own PTX, and leaves the bits that it left there. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import * as fast from '../../../src/fast/index.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { bits } from '../../../src/numerics/bits.js'
import {
  launchWarps,
  usualSharedBase,
  type GivenTensor,
  type WarpArguments,
} from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import type { WarpProgram } from '../../../src/semantics/warps/program.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

const conformance = new URL('../../../conformance/', import.meta.url)
const moduleOf = (name: string) =>
  right(parseModule(gunzipSync(readFileSync(new URL(`cuda/${name}.ptx.gz`, conformance))).toString()))
const entriesOf = (module: ReturnType<typeof moduleOf>, name: string) => {
  const programs = new Map<string, WarpProgram>()
  return (entry: string): WarpProgram => {
    const known = programs.get(entry)
    if (known !== undefined) return known
    const made = right(elaborate(module, entry, `${name}.ptx`)).program
    programs.set(entry, made)
    return made
  }
}

const tensorOf = (name: string, contents: Uint8Array, role: GivenTensor['role']): GivenTensor => ({
  name,
  role,
  contents: role === 'out' ? null : contents,
  bytes: contents.length,
  elements: null,
  symbol: null,
})

interface Launch {
  readonly grid: number
  readonly dynamicBytes: number
  readonly parameters: Uint8Array
  readonly pointers: WarpArguments['pointers']
  readonly tensors: ReadonlyArray<GivenTensor>
}

/** What tensor `out` holds afterwards. */
const ran = (
  program: WarpProgram,
  launch: Launch,
  out: string,
  algebra: Algebra = bits('hopper'),
): Buffer => {
  const { world, machine, planeOf } = right(
    launchWarps(
      program,
      { block: [128], cluster: null, sharedBase: usualSharedBase, ...launch, grid: [launch.grid] },
      algebra,
    ),
  )
  const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
  expect(outcome._tag, JSON.stringify(outcome)).toBe('completed')
  const found = new Uint8Array(launch.tensors.find(({ name }) => name === out)!.bytes)
  Plane.copyOut(after.planes[planeOf.get(out)!]!, 0, found.length, found)
  return Buffer.from(found)
}

// ---------------------------------------------------------------- numbers

interface Case {
  readonly file: string
  readonly d_type: string
  readonly a_type: string
  readonly b_type: string
  readonly satfinite: boolean
  readonly tiles: number
  readonly n: number
  readonly chained_instructions: number
  readonly offset_a: number
  readonly bytes_a: number
  readonly offset_b: number
  readonly bytes_b: number
  readonly offset_c: number
  readonly bytes_c: number
  readonly offset_d: number
  readonly bytes_d: number
}
const cases = (
  JSON.parse(readFileSync(new URL('hopper/wgmma/manifest.json', conformance), 'utf8')) as {
    readonly cases: ReadonlyArray<Case>
  }
).cases

const numbers = entriesOf(moduleOf('capture_wg_num'), 'capture_wg_num')
const entryOf = (c: Case): string => {
  const kernel = `k_wg_${c.d_type}_${c.a_type}_${c.b_type}${c.satfinite ? '_sat' : ''}_n${String(c.n)}`
  return `_Z${String(kernel.length)}${kernel}PKhS0_PKvPvii`
}

describe('every bit that the chip left', () => {
  it.each(sampled(4, cases).map((c) => [c.file, c] as const))('%s', (_, c) => {
    const all = readFileSync(new URL(`hopper/wgmma/${c.file}`, conformance))
    const per = {
      a: c.bytes_a / c.tiles,
      b: c.bytes_b / c.tiles,
      c: c.bytes_c / c.tiles,
      d: c.bytes_d / c.tiles,
    }
    const tiles = sampled(
      36,
      Array.from({ length: c.tiles }, (_, t) => t),
    )
    const some = (offset: number, bytes: number): Uint8Array =>
      new Uint8Array(
        Buffer.concat(tiles.map((t) => all.subarray(offset + t * bytes, offset + (t + 1) * bytes))),
      )
    const parameters = new Uint8Array(40)
    const words = new DataView(parameters.buffer)
    words.setInt32(32, c.chained_instructions, true)
    words.setInt32(36, 1, true)
    const launch: Launch = {
      grid: tiles.length,
      dynamicBytes: (2048 + 32 * c.n) * c.chained_instructions,
      parameters,
      pointers: ['a', 'b', 'c', 'd'].map((tensor, i) => ({ offset: 8 * i, tensor })),
      tensors: [
        tensorOf('a', some(c.offset_a, per.a), 'in'),
        tensorOf('b', some(c.offset_b, per.b), 'in'),
        tensorOf('c', some(c.offset_c, per.c), 'in'),
        tensorOf('d', new Uint8Array(per.d * tiles.length), 'out'),
      ],
    }
    // by the definition, and in vectors, where the instructions of a chain are one product
    for (const algebra of [bits('hopper'), fast.bits('hopper')])
      expect(
        ran(numbers(entryOf(c)), launch, 'd', algebra).equals(Buffer.from(some(c.offset_d, per.d))),
      ).toBe(true)
  })
})

// ---------------------------------------------------------------- layouts

const layouts = entriesOf(moduleOf('capture_wg_layout'), 'capture_wg_layout')
const structure = (name: string): Buffer => readFileSync(new URL(`hopper/structure/${name}`, conformance))

/** The words that a kernel of registers leaves, thread by thread. */
const dumped = (
  entry: string,
  parameters: ReadonlyArray<number>,
  dynamicBytes: number,
  registers: number,
): Uint32Array => {
  const bytes = new Uint8Array(8 + 4 * parameters.length)
  const view = new DataView(bytes.buffer)
  parameters.forEach((word, i) => {
    view.setInt32(8 + 4 * i, word, true)
  })
  const out = ran(
    layouts(entry),
    {
      grid: 1,
      dynamicBytes,
      parameters: bytes,
      pointers: [{ offset: 0, tensor: 'out' }],
      tensors: [tensorOf('out', new Uint8Array(128 * registers * 4), 'out')],
    },
    'out',
  )
  return new Uint32Array(new Uint8Array(out).buffer)
}

const mangled = (kernel: string, types: string): string => `_Z${String(kernel.length)}${kernel}${types}`
const asFloat = (word: number): number => new Float32Array(Uint32Array.of(word).buffer)[0]!
const asHalf = (half: number): number => {
  const [exponent, rest] = [(half >> 10) & 31, half & 1023]
  return exponent === 0 ? 0 : (1024 + rest) * 2 ** (exponent - 25)
}

interface Fragments {
  readonly d_fragments: Readonly<
    Record<
      string,
      {
        readonly n: number
        readonly regs_per_thread: number
        readonly elements_per_reg: number
        readonly row_col: ReadonlyArray<ReadonlyArray<number>>
      }
    >
  >
  readonly a_fragments: Readonly<
    Record<
      string,
      { readonly k: number; readonly thread_plus_128_times_element: ReadonlyArray<ReadonlyArray<number>> }
    >
  >
}
const fragments = JSON.parse(structure('fragments.json').toString()) as Fragments

/** D as a matrix, where its registers are words of one element. */
const matrixOf = (
  words: Uint32Array,
  n: number,
  integers: boolean,
): ((row: number, column: number) => number) => {
  const found = new Map<number, number>()
  for (let t = 0; t < 128; t++)
    for (let i = 0; i < n / 2; i++) {
      const lane = t % 32
      const row = 16 * Math.floor(t / 32) + Math.floor(lane / 4) + 8 * (Math.floor(i / 2) % 2)
      const column = 8 * Math.floor(i / 4) + 2 * (lane % 4) + (i % 2)
      const word = words[(t * n) / 2 + i]!
      found.set(row * n + column, integers ? word | 0 : asFloat(word))
    }
  return (row, column) => found.get(row * n + column)!
}

describe('the registers of D', () => {
  it.each(sampled(6, Object.entries(fragments.d_fragments)))('%s', (name, f) => {
    const [rows, columns] = [0, 1].map((mode) => {
      const words = dumped(mangled(`df_wg_${name}`, 'Pji'), [mode], 0, f.regs_per_thread)
      return [...words].flatMap((word) =>
        name.startsWith('s32')
          ? [word | 0]
          : f.elements_per_reg === 2
            ? [asHalf(word & 0xffff), asHalf(word >>> 16)]
            : [asFloat(word)],
      )
    })
    expect(rows!.flatMap((row, i) => [row, columns![i]!])).toEqual(f.row_col.flat())
  })
})

describe('the registers of A', () => {
  it.each(Object.entries(fragments.a_fragments))('%s', (name, f) => {
    const code = new Int32Array(64 * f.k)
    for (let digit = 0; digit < 4; digit++) {
      const at = matrixOf(
        dumped(mangled(`af_wg_${name}`, 'Pji'), [digit], 0, f.k / 2),
        f.k,
        name.startsWith('s32'),
      )
      for (let row = 0; row < 64; row++)
        for (let k = 0; k < f.k; k++) code[row * f.k + k]! |= at(row, k) << (3 * digit)
    }
    expect([...code]).toEqual(f.thread_plus_128_times_element.flat())
  })
})

interface MapEntry {
  readonly type: string
  readonly element_bytes: number
  readonly operand: 'A' | 'B'
  readonly rows: number
  readonly k: number
  readonly mn_major: number
  readonly start: number
  readonly lbo: number
  readonly sbo: number
  readonly base_offset: number
  readonly swizzle_mode: number
  readonly bin_offset: number
}
const maps = (
  JSON.parse(structure('descriptor_maps.json').toString()) as { readonly entries: ReadonlyArray<MapEntry> }
).entries
const read = structure('descriptor_maps.bin')

const kernelOf = (e: MapEntry): { readonly name: string; readonly n: number } => {
  const types = { f16: 'f32_f16_f16', s8: 's32_s8_s8', tf32: 'f32_tf32_tf32' }[e.type]!
  const n = e.operand === 'B' ? e.rows : { f16: 16, s8: 32, tf32: 8 }[e.type]!
  const transposed = e.mn_major === 0 ? '' : e.operand === 'A' ? '_t10' : '_t01'
  return { name: `dm_wg_${types}_n${String(n)}${transposed}`, n }
}

describe('the elements that a descriptor means', () => {
  it.each(
    sampled(36, maps).map((e) => [`${e.operand} ${e.type} at byte ${String(e.bin_offset)}`, e] as const),
  )('%s', (_, e) => {
    const { name, n } = kernelOf(e)
    const code = new Int32Array(e.rows * e.k)
    for (let digit = 0; digit < 3; digit++) {
      const words = dumped(
        mangled(name, 'Pjiijjjjj'),
        [e.operand === 'B' ? 1 : 0, digit, e.start, e.lbo, e.sbo, e.base_offset, e.swizzle_mode],
        65536 + 8192,
        n / 2,
      )
      const at = matrixOf(words, n, e.type === 's8')
      for (let row = 0; row < e.rows; row++)
        for (let k = 0; k < e.k; k++)
          code[row * e.k + k]! |= (e.operand === 'B' ? at(k, row) : k < n ? at(row, k) : 0) << (7 * digit)
    }
    const expected = new Uint16Array(
      new Uint8Array(read.subarray(e.bin_offset, e.bin_offset + 2 * code.length)).buffer,
    )
    expect([...code]).toEqual([...expected])
  })
})
