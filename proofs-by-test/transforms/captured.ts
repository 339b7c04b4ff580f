/** What an H100 did (`conformance/hopper/structure`), and small readers for proofs. */
import { readFileSync } from 'node:fs'

const structure = new URL('../../conformance/hopper/structure/', import.meta.url)

const json = (name: string): { readonly entries: readonly never[] } & Record<string, never> =>
  JSON.parse(readFileSync(new URL(name, structure), 'utf8'))
const bytes = (name: string): Buffer => readFileSync(new URL(name, structure))

export interface TmaEntry {
  readonly id: number
  readonly name: string
  /** 0 load, 1 store, 2 load with more bytes expected, 3 two-CTA multicast load, 4 reduce-add store. */
  readonly kind: number
  readonly element_bytes: number
  /** 0 none, 1 32B, 2 64B, 3 128B. */
  readonly swizzle: number
  readonly smem_offset: number
  readonly oob_nan: number
  /** Innermost first, as the three lists below. */
  readonly dims: readonly number[]
  readonly box: readonly number[]
  readonly coords: readonly number[]
  readonly element_strides: readonly number[]
  readonly bin_offset: number
  readonly bin_bytes: number
  readonly status: string
}

export interface DescriptorMap {
  readonly type: string
  readonly element_bytes: number
  readonly operand: string
  readonly rows: number
  readonly k: number
  readonly mn_major: number
  readonly start: number
  readonly lbo: number
  readonly sbo: number
  readonly base_offset: number
  /** 0 none, 1 128B, 2 64B, 3 32B. */
  readonly swizzle_mode: number
  readonly bin_offset: number
}

export interface Fragments {
  readonly d_fragments: Readonly<
    Record<string, { readonly n: number; readonly row_col: readonly (readonly number[])[] }>
  >
  readonly a_fragments: Readonly<
    Record<
      string,
      { readonly k: number; readonly thread_plus_128_times_element: readonly (readonly number[])[] }
    >
  >
}

export const tma = (): { readonly entries: readonly TmaEntry[]; readonly bin: Buffer } => ({
  entries: json('tma.json').entries,
  bin: bytes('tma.bin'),
})

export const descriptorMaps = (): { readonly entries: readonly DescriptorMap[]; readonly bin: Buffer } => ({
  entries: json('descriptor_maps.json').entries,
  bin: bytes('descriptor_maps.bin'),
})

export const fragments = (): Fragments =>
  JSON.parse(readFileSync(new URL('fragments.json', structure), 'utf8'))

/** All indices of a shape, row-major, by plain counting. */
export const indices = (shape: readonly number[]): readonly (readonly number[])[] =>
  shape.reduce<readonly (readonly number[])[]>(
    (sofar, extent) => sofar.flatMap((head) => Array.from({ length: extent }, (_, i) => [...head, i])),
    [[]],
  )

export const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)
