/**
 * One layout of registers in the words of everybody: by name, as Mosaic's tiling, as encodings of Triton, as CuTe's (thread, value) layout, as bases.
 *
 * What is asked is the function on one array. So a layout may have several names there, and encodings that differ elsewhere:
 *
 *     WGMMA on (64, 16)     WGMMA, WGMMA_ACC_32BIT
 *                           #ttg.nvidia_mma<{versionMajor = 3, ..., instrShape = [16, 16, 16]}>, #ttg.linear<...>
 *                           ((4,8,4),(2,2,2)):((128,1,16),(64,8,512))
 *
 * Names and encodings are looked for among those that compilers choose: every family of `named.ts`, with the parameters that fit; blocked, the accumulators
 * and operands of `mma.sync` and `wgmma`, and slices of them. What is found is compared place by place, so that it is right whatever was looked for; a linear
 * encoding is there whenever there are bases.
 *
 * Laws
 * 1. Every word that is found, read again on the same array, has the same listing.
 * 2. `linearOfListing` is there exactly when the listing is linear, and has that listing.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Shape } from '../transforms/shape.js'
import { sameShape, sizeOf, unravel } from '../transforms/shape.js'
import { tvOfRegisters } from './conversion/cute.js'
import type { Layout } from './cute/layout.js'
import type { LinearLayout } from './linear/linear-layout.js'
import { basesOf, registerLinearLayout } from './linear/linear-layout.js'
import type { Listing } from './listing.js'
import { listingOf } from './listing.js'
import type { NamedLayout } from './named.js'
import { families, parseName } from './named.js'
import type { RegisterLayout } from './register-layout.js'
import type { Blocked, DistributedSpec, NvidiaMma } from './triton/encoding.js'
import { onShape } from './triton/to-linear.js'

// ---------------------------------------------------------------------------------------------- model

export interface Vocabularies {
  /** As `parseName` reads them. */
  readonly names: ReadonlyArray<string>
  /** Mosaic's own data: of the layout itself, or of the first name. */
  readonly mosaic: NamedLayout | null
  /** Encodings of Triton, the most telling first; the last is linear, where there is one. */
  readonly triton: ReadonlyArray<DistributedSpec>
  /** (thread, value) to position, first dimension fastest. */
  readonly cute: Layout | null
  readonly linear: LinearLayout | null
}

// -------------------------------------------------------------------------------------------- comparing

const sameListing = (a: Listing, b: Listing): boolean =>
  a.splat === b.splat &&
  a.warps === b.warps &&
  a.lanes === b.lanes &&
  a.registers === b.registers &&
  a.positions.every((p, k) => p === b.positions[k])

const isListed = (layout: RegisterLayout, listing: Listing): boolean =>
  pipe(
    listingOf(layout, listing.shape),
    E.exists((other) => sameListing(other, listing)),
  )

const powerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n))

/** The bases of a listing: what it holds at the registers, lanes and warps 1, 2, 4, ..., if that makes up all of it. */
export const linearOfListing = (listing: Listing): O.Option<LinearLayout> => {
  const { shape, warps, lanes, registers, positions } = listing
  if (listing.splat || ![...shape, warps, lanes, registers].every(powerOfTwo)) return O.none
  const index = unravel(shape)
  const at = (count: number, step: number): ReadonlyArray<ReadonlyArray<number>> =>
    Array.from({ length: Math.log2(count) }, (_, bit) => index(positions[step * 2 ** bit] ?? 0))
  return pipe(
    O.fromEither(
      registerLinearLayout(shape, at(registers, 1), at(lanes, registers), at(warps, registers * lanes)),
    ),
    O.filter((linear) => isListed(linear, listing)),
  )
}

// ------------------------------------------------------------------------------------------------ names

const powers = (most: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor(Math.log2(Math.max(1, most))) + 1 }, (_, k) => 2 ** k)

/** The names of a family that may be meant on an array of this shape. */
const candidates = (name: string, parameters: number, listing: Listing): ReadonlyArray<string> => {
  const { shape, registers } = listing
  const columns = shape[shape.length - 1] ?? 1
  const of = (...args: ReadonlyArray<number | string>): string => `${name}(${args.join(', ')})`
  const array = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`
  switch (name) {
    case 'WG_SPLAT':
      return [of(array)]
    case 'WG_STRIDED':
      return powers(registers).map((vector) => of(array, vector))
    case 'TMEM_NATIVE':
    case 'TCGEN05_M64_COLLECTIVE':
      return powers(columns).map((n) => of(n))
    case 'MMA_LHS':
    case 'MMA_RHS':
      return [8, 16, 32].flatMap((bits) => [1, 2, 4].map((warps) => of(bits, warps)))
    case 'MMA_ACC':
      return [1, 2, 4].map((warps) => of(warps))
    default:
      return parameters === 0 ? [name] : []
  }
}

const namesOf = (listing: Listing): ReadonlyArray<readonly [string, NamedLayout]> =>
  families.flatMap((family) =>
    candidates(family.name, family.parameters.length, listing).flatMap((name) =>
      pipe(
        parseName(name),
        E.match(
          () => [],
          (layout) => (isListed(layout, listing) ? [[name, layout] as const] : []),
        ),
      ),
    ),
  )

// -------------------------------------------------------------------------------------------- encodings

/** All ways to deal 2^k to two dimensions. */
const dealt = (count: number): ReadonlyArray<Shape> => powers(count).map((first) => [first, count / first])

const mmas = (listing: Listing): ReadonlyArray<NvidiaMma> => {
  const columns = listing.shape[listing.shape.length - 1] ?? 1
  const widths = [...powers(256).filter((n) => n >= 8 && n <= columns)].reverse()
  return dealt(listing.warps).flatMap((warpsPerCTA): ReadonlyArray<NvidiaMma> => [
    ...(widths.length === 0 ? [8] : widths).map((n): NvidiaMma => ({
      _tag: 'nvidia_mma',
      versionMajor: 3,
      warpsPerCTA,
      instrShape: [16, n, 16],
    })),
    { _tag: 'nvidia_mma', versionMajor: 2, warpsPerCTA, instrShape: [16, 8] },
  ])
}

/** Registers of a tile of a blocked encoding that is looked for. */
const mostPerThread = 64

const blockeds = (listing: Listing, rank: 1 | 2): ReadonlyArray<Blocked> => {
  const { shape, warps, lanes, registers } = listing
  if (rank === 1)
    return powers(Math.min(mostPerThread, registers)).map((size) => ({
      _tag: 'blocked',
      sizePerThread: [size],
      threadsPerWarp: [lanes],
      warpsPerCTA: [warps],
      order: [0],
    }))
  return [
    [1, 0],
    [0, 1],
  ].flatMap((order) =>
    powers(Math.min(mostPerThread, registers))
      .flatMap((size) => dealt(size))
      .filter((size) => size.every((n, d) => n <= (shape[d] ?? 1)))
      .flatMap((sizePerThread) =>
        dealt(lanes).flatMap((threadsPerWarp) =>
          dealt(warps).map((warpsPerCTA): Blocked => ({
            _tag: 'blocked',
            sizePerThread,
            threadsPerWarp,
            warpsPerCTA,
            order,
          })),
        ),
      ),
  )
}

/** A function is its bases. */
const sameBases = (a: LinearLayout, b: LinearLayout): boolean =>
  ['register', 'lane', 'warp', 'block'].every((input) => {
    const [mine, theirs] = [basesOf(a, input), basesOf(b, input)]
    return mine.length === theirs.length && mine.every((basis, k) => sameShape(basis, theirs[k]!))
  })

/** Encodings that say the same on one array, of each kind: more than this many differ only elsewhere. */
const mostAlike = 2

const encodingsOf = (listing: Listing, linear: LinearLayout | null): ReadonlyArray<DistributedSpec> => {
  const isSame = (spec: DistributedSpec): boolean =>
    linear !== null &&
    pipe(
      onShape(spec)(listing.shape),
      E.exists((found) => sameBases(found, linear)),
    )
  const some = (specs: ReadonlyArray<DistributedSpec>): ReadonlyArray<DistributedSpec> => {
    const found: DistributedSpec[] = []
    for (const spec of specs) {
      if (found.length === mostAlike) break
      if (isSame(spec)) found.push(spec)
    }
    return found
  }
  const written: ReadonlyArray<DistributedSpec> = linear === null ? [] : [{ _tag: 'linear', layout: linear }]
  // what is not linear is no encoding, and a larger rank is a batch, which none of these has
  if (linear === null || listing.shape.length === 0 || listing.shape.length > 2) return written
  if (listing.shape.length === 1) {
    const parents: ReadonlyArray<DistributedSpec> = mmas(listing)
    return [
      ...some(blockeds(listing, 1)),
      ...some(
        parents.flatMap((parent) => [1, 0].map((dim): DistributedSpec => ({ _tag: 'slice', dim, parent }))),
      ),
      ...written,
    ]
  }
  const accumulators = mmas(listing)
  return [
    ...some(accumulators),
    ...some(
      accumulators.flatMap((parent) =>
        ([0, 1] as const).flatMap((opIdx) =>
          [2, 1, 4, 8].map((kWidth): DistributedSpec => ({ _tag: 'dot_operand', opIdx, kWidth, parent })),
        ),
      ),
    ),
    ...some(blockeds(listing, 2)),
    ...written,
  ]
}

// ------------------------------------------------------------------------------------------ combinators

/** Elements of an array on which names and encodings are looked for. */
export const mostSearched: number = 2 ** 17

/** The words of a layout on the array of its listing. `layout` is its formula, where it has one. */
export const vocabulariesOf = (listing: Listing, layout: RegisterLayout | null): Vocabularies => {
  const small = sizeOf(listing.shape) <= mostSearched
  const linear = O.toNullable(linearOfListing(listing))
  const names = small ? namesOf(listing) : []
  const own = layout === null || layout._tag === 'linear' ? null : layout
  return {
    names: names.map(([name]) => name),
    mosaic: own ?? names[0]?.[1] ?? null,
    triton: small
      ? encodingsOf(listing, linear)
      : linear === null
        ? []
        : [{ _tag: 'linear', layout: linear }],
    cute:
      linear === null
        ? null
        : pipe(
            tvOfRegisters(linear),
            E.getOrElseW(() => null),
          ),
    linear,
  }
}
