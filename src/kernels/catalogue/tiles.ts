/**
 * Tiled matmuls: tiles that fit their sizes, and slots that fit shared memory.
 *
 * Law 3 of the catalogue: a tile that is not given is the largest legal one that divides its size and is no larger than the default.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Program } from '../../semantics/language/program.js'
import type { EightBitFloat, HopperFp8 } from '../hopper/hopper-fp8.js'
import {
  bad,
  integerOr,
  word,
  type Instance,
  type Parameter,
  type Settings,
  type TensorRole,
} from './model.js'
import { own } from '../../own.js'

/** One cut of an axis: tiles are multiples of `unit`, at most `most`. */
export interface Cut {
  readonly size: string
  readonly tile: string
  readonly unit: number
  readonly because: string
  readonly most: number
  readonly default: number
  /** tiles that blocks compute together (default 1): so many divide the size */
  readonly together?: number
}

/** Divisors, ascending; each below the root has a partner above it. */
const divisors = (n: number): ReadonlyArray<number> => {
  const low: number[] = []
  for (let d = 1; d * d <= n; d++) if (n % d === 0) low.push(d)
  const high = low.flatMap((d) => (d * d === n ? [] : [n / d]))
  return low.concat(high.reverse())
}

/** Legal tiles of an extent, ascending. */
const legalTiles = ({ unit, most, together = 1 }: Cut, extent: number): ReadonlyArray<number> =>
  extent % (unit * together) === 0
    ? divisors(extent / (unit * together))
        .map((d) => d * unit)
        .filter((t) => t <= most)
    : []

/** The first and the last of a list that is too long to be read. */
const listed = (tiles: ReadonlyArray<number>): string =>
  tiles.length <= 16 ? tiles.join(', ') : `${tiles.slice(0, 12).join(', ')}, ..., ${String(tiles.at(-1))}`

/** The tile: given and legal, or the largest legal one up to the default. */
const fitTile = (
  kernel: string,
  cut: Cut,
  extent: number,
  given: number | null,
): E.Either<Failure, number> => {
  const legal = legalTiles(cut, extent)
  const together = cut.together ?? 1
  const of = together === 1 ? '' : `, ${String(together)} at a time,`
  if (legal.length === 0)
    return bad(
      kernel,
      `${cut.size} is ${String(extent)}: expected a multiple of ${String(cut.unit * together)} (${cut.because}${together === 1 ? '' : `, of ${String(together)} blocks`}); no legal ${cut.tile} divides it`,
    )
  if (given === null)
    return E.right(legal.filter((t) => t <= Math.max(cut.default, cut.unit)).pop() ?? legal[0]!)
  return legal.includes(given)
    ? E.right(given)
    : bad(
        kernel,
        `${cut.tile} is ${String(given)}: expected a multiple of ${String(cut.unit)} (${cut.because}) that${of} divides ${cut.size}, which is ${String(extent)}: ${listed(legal)}`,
      )
}

// ---------------------------------------------------------------- matmuls: sizes, tiles, slots

/** What every tiled matmul of the catalogue has. */
export interface Tiled {
  readonly dtype: 'f16' | 'bf16'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly tileM: number
  readonly tileN: number
  readonly tileK: number
  readonly stages: number
}

/** How the tiles of a matmul may be cut, and what its sizes are when they are not said. */
export interface Shape {
  readonly kernel: string
  readonly cuts: readonly [Cut, Cut, Cut]
  readonly sizes: readonly [number, number, number]
  readonly stages: number
}

export const positive = (kernel: string, name: string, value: number): E.Either<Failure, number> =>
  value >= 1
    ? E.right(value)
    : bad(kernel, `${name} is ${String(value)}: expected a positive integer, at least 1`)

/** Chooses what is not given, and builds. */
export const makeTiled = <C>(
  shape: Shape,
  given: Settings,
  rest: (c: Tiled) => C,
  build: (c: C) => E.Either<Failure, Program>,
  record: (c: C) => Settings,
): E.Either<Failure, Instance> => {
  const { kernel, cuts, sizes } = shape
  const extent = (name: string, otherwise: number): E.Either<Failure, number> =>
    positive(kernel, name, integerOr(given, name, otherwise))
  const tile = (cut: Cut, of: number): E.Either<Failure, number> => {
    const t = own(given, cut.tile)
    return fitTile(kernel, cut, of, typeof t === 'number' ? t : null)
  }
  return pipe(
    E.Do,
    E.bind('m', () => extent('m', sizes[0])),
    E.bind('n', () => extent('n', sizes[1])),
    E.bind('k', () => extent('k', sizes[2])),
    E.bind('tileM', ({ m }) => tile(cuts[0], m)),
    E.bind('tileN', ({ n }) => tile(cuts[1], n)),
    E.bind('tileK', ({ k }) => tile(cuts[2], k)),
    E.bind('stages', () => extent('stages', shape.stages)),
    E.chain(({ m, n, k, tileM, tileN, tileK, stages }) => {
      const dtype = given['dtype'] === 'bf16' ? 'bf16' : 'f16'
      const built = (depth: number, slots: number): E.Either<Failure, Instance> => {
        const c = rest({ dtype, m, n, k, tileM, tileN, tileK: depth, stages: slots })
        return pipe(
          build(c),
          E.map((program) => ({ kernel, settings: record(c), program })),
        )
      }
      const first = built(tileK, stages)
      // Where large tiles leave too little shared memory: fewer slots, and if that is not enough, shallower ones.
      const depths =
        given['tileK'] === undefined
          ? legalTiles(cuts[2], k)
              .filter((t) => t <= tileK)
              .reverse()
          : [tileK]
      const slots = given['stages'] === undefined ? [4, 3, 2] : [stages]
      let instance = first
      for (const depth of depths) for (const s of slots) if (tooLarge(instance)) instance = built(depth, s)
      return tooLarge(instance) ? first : instance
    }),
  )
}

const tooLarge = (made: E.Either<Failure, Instance>): boolean => E.isLeft(made) && made.left.code === 'A1'

export const tiledRecord = (c: Tiled): Settings => ({
  m: c.m,
  n: c.n,
  k: c.k,
  tileM: c.tileM,
  tileN: c.tileN,
  tileK: c.tileK,
  stages: c.stages,
  dtype: c.dtype,
})

export const tiledTensors: ReadonlyArray<TensorRole> = [
  { name: 'a', role: 'in', axes: ['m', 'k'] },
  { name: 'b', role: 'in', axes: ['k', 'n'] },
  { name: 'out', role: 'out', axes: ['m', 'n'] },
]

// ---------------------------------------------------------------- matmuls of 8-bit floats

const eightBits = ['e4m3', 'e5m2'] as const

/** What a matmul of 8-bit floats is told beside its tiles. */
export const eightBitParameters: ReadonlyArray<Parameter> = [
  word('dtype', eightBits, 'element type of a; sums are f32'),
  word('bDtype', eightBits, 'element type of b, which is stored column by column'),
  word('outDtype', ['f16', 'bf16', 'f32'], 'element type of out'),
]

const eightBitsNamed = (given: Settings, name: string): EightBitFloat =>
  own(given, name) === 'e5m2' ? 'e5m2' : 'e4m3'

export const eightBitsOf = (given: Settings): Pick<HopperFp8, 'aDtype' | 'bDtype' | 'outDtype'> => ({
  aDtype: eightBitsNamed(given, 'dtype'),
  bDtype: eightBitsNamed(given, 'bDtype'),
  outDtype: given['outDtype'] === 'bf16' || given['outDtype'] === 'f32' ? given['outDtype'] : 'f16',
})
