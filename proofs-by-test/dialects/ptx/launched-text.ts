/** Small PTX texts with an entry `k`, launched on an H100 with buffers of 32-bit words: what a proof has in mind beside its instructions. */
import { bits } from '../../../src/numerics/bits.js'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import { warpSource, type WarpArguments } from '../../../src/semantics/execution/launch-warps.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { checkSource, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import type { WarpProgram } from '../../../src/semantics/warps/program.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { npy } from './small-kernels.js'

export interface Words {
  readonly name: string
  readonly role: 'in' | 'out' | 'inout'
  /** what it holds; or how many words it has, of which nothing is known */
  readonly words: number | Uint32Array
}

export interface TextLaunch {
  /** CTAs; 1 if it is left out */
  readonly grid?: number
  readonly threads: number
  /** bytes of dynamic shared memory */
  readonly dynamic?: number
  /** an argument each, in their order */
  readonly buffers?: ReadonlyArray<Words>
  /** those whose every word has to be written */
  readonly outputs?: ReadonlyArray<string>
}

const lengthOf = ({ words }: Words): number => (typeof words === 'number' ? words : words.length)

const zeros = (name: string, count: number): Words => ({
  name,
  role: 'inout',
  words: new Uint32Array(count),
})
/** Buffers of zeros that are read and written. */
export const ofZeros = (count: number, ...names: ReadonlyArray<string>): ReadonlyArray<Words> =>
  names.map((name) => zeros(name, count))
/** Buffers that are written alone. */
export const written = (count: number, ...names: ReadonlyArray<string>): ReadonlyArray<Words> =>
  names.map((name) => ({ name, role: 'out', words: count }))

/** The program of a text, and what it is launched with. */
export const textLaunched = (
  text: string,
  { grid = 1, threads, dynamic = 0, buffers = [], outputs = [] }: TextLaunch,
): { readonly program: WarpProgram; readonly given: WarpArguments } => {
  const launch = {
    grid: [grid],
    block: [threads],
    ...(dynamic === 0 ? {} : { shared: dynamic }),
    args: buffers.map((b) => ({
      kind: 'pointer',
      tensor: b.name,
      dtype: 'u32',
      shape: [lengthOf(b)],
      role: b.role,
      ...(typeof b.words === 'number' ? {} : { file: `${b.name}.npy` }),
    })),
    outputs,
  }
  const bytes = (of: string): Uint8Array => new TextEncoder().encode(of)
  const files = new Map([
    ['k.ptx', bytes(text)],
    ['launch.json', bytes(JSON.stringify(launch))],
    ...buffers.flatMap(({ name, words }) =>
      typeof words === 'number' ? [] : [[`${name}.npy`, npy(words)] as const],
    ),
  ])
  const { elaborated, arguments: given } = right(launchedPtx(inMemory(files))('k.ptx', 'launch.json'))
  return { program: elaborated.program, given }
}

export const sourceOfText = (text: string, launch: TextLaunch): ReturnType<typeof warpSource> => {
  const { program, given } = textLaunched(text, launch)
  return warpSource(program, given)
}

/** What one run, without provenance and without a search, is judged as. */
export const verdictOfText = (
  text: string,
  launch: TextLaunch,
  how: Partial<CheckOptions> = { provenance: false, explore: false },
): Verdict =>
  right(checkSource(sourceOfText(text, launch), { ...standardOptions, ...how, algebra: bits('hopper') }))
    .verdict
