/** The program that captured products of warpgroups on an H100 runs from its own PTX, and leaves the bits that it left there. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
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
const ran = (program: WarpProgram, launch: Launch, out: string): Buffer => {
  const { world, machine, planeOf } = right(
    launchWarps(
      program,
      { block: [128], cluster: null, sharedBase: usualSharedBase, ...launch, grid: [launch.grid] },
      bits('hopper'),
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
  it.each(cases.map((c) => [c.file, c] as const))('%s', (_, c) => {
    const all = readFileSync(new URL(`hopper/wgmma/${c.file}`, conformance))
    const per = {
      a: c.bytes_a / c.tiles,
      b: c.bytes_b / c.tiles,
      c: c.bytes_c / c.tiles,
      d: c.bytes_d / c.tiles,
    }
    const tiles = sampled(
      12,
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
    const d = ran(
      numbers(entryOf(c)),
      {
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
      },
      'd',
    )
    expect(d.equals(Buffer.from(some(c.offset_d, per.d)))).toBe(true)
  })
})
