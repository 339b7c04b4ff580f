/**
 * Names of register layouts, as people say them: text to layout and back.
 *
 *     WGMMA                       TMEM_NATIVE(4)              TCGEN05_M64_COLLECTIVE(64)
 *     WGMMA.reduce(1)             MMA_LHS(16, 4)              WG_STRIDED((64, 16), 2)
 *
 * One family of layouts per name; `families` says what each takes. Today's names and older ones denote the same data:
 *
 *     older                  today
 *     WGMMA_ROW, WGMMA_COL   WGMMA.reduce(1), WGMMA.reduce(0)
 *     TCGEN05_ROW, _COL      TCGEN05.reduce(1), TCGEN05.reduce(0)
 *     TMEM_NATIVE            TMEM_NATIVE(2)
 *
 * Names: the members of `plgpu.Layout` of Pallas, with the constants of Mosaic GPU that have no member.
 *
 * Laws
 * 1. `parseName(nameOf(l)) = l` for every layout that has a name.
 * 2. Each example of `families` is a layout of that family; an unknown name, a wrong number or kind of arguments is refused.
 * 3. An older name and today's denote equal data.
 *
 * Source: JAX docs, Pallas:MGPU reference (layouts).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import { didYouMean } from '../nearest.js'
import { isExtent } from '../transforms/shape.js'
import type { Applied, Argument, NameSyntaxError } from './name-syntax.js'
import { parseCall } from './name-syntax.js'
import type { SplatLayout } from './splat.js'
import { splatLayout } from './splat.js'
import type { StridedError, StridedLayout } from './strided.js'
import { stridedLayout } from './strided.js'
import * as Tiled from './tiled.js'

// ---------------------------------------------------------------------------------------------- model

/** The kinds of register layouts that have names. */
export type NamedLayout = Tiled.TiledLayout | StridedLayout | SplatLayout

export type NameError =
  | NameSyntaxError
  | 'name.unknown'
  | 'name.arguments'
  | Tiled.TiledLayoutError
  | Tiled.ReduceError
  | Tiled.ParameterError
  | StridedError

export interface Family {
  readonly name: string
  /** What the arguments are, in order; in brackets what may be left out. */
  readonly parameters: ReadonlyArray<string>
  readonly summary: string
  readonly example: string
  /** Refuses what the family does not take. */
  readonly make: (args: ReadonlyArray<Argument>) => E.Either<Failure<NameError>, NamedLayout>
}

// -------------------------------------------------------------------------------------------- families

const isNumbers = (args: ReadonlyArray<Argument>): args is ReadonlyArray<number> =>
  args.every((a) => typeof a === 'number')

const wrong = (
  name: string,
  parameters: ReadonlyArray<string>,
  args: ReadonlyArray<Argument>,
): E.Either<Failure<NameError>, never> =>
  refuse(
    'name.arguments',
    `${name}: expected ${parameters.length === 0 ? 'no arguments' : `(${parameters.join(', ')})`}, found ${args.length === 0 ? 'none' : `(${args.map(String).join('; ')})`}`,
  )

const constant = (name: string, summary: string, layout: Tiled.TiledLayout): Family => ({
  name,
  parameters: [],
  summary,
  example: name,
  make: (args) => (args.length === 0 ? E.right(layout) : wrong(name, [], args)),
})

const ofNumbers = (
  name: string,
  parameters: ReadonlyArray<string>,
  summary: string,
  example: string,
  make: (args: ReadonlyArray<number>) => E.Either<Failure<NameError>, NamedLayout>,
): Family => ({
  name,
  parameters,
  summary,
  example,
  make: (args) =>
    isNumbers(args) && args.length === parameters.length ? make(args) : wrong(name, parameters, args),
})

const native: Family = {
  name: 'TMEM_NATIVE',
  parameters: ['[vectorLength = 2]'],
  summary: 'a row of tensor memory per lane',
  example: 'TMEM_NATIVE(4)',
  make: (args) => {
    const [vectorLength = 2, ...more] = args
    return typeof vectorLength === 'number' && more.length === 0
      ? Tiled.TMEM_NATIVE(vectorLength)
      : wrong('TMEM_NATIVE', native.parameters, args)
  },
}

const strided: Family = {
  name: 'WG_STRIDED',
  parameters: ['shape', 'vectorLength'],
  summary: 'row-major elements, distributed to 128 lanes in runs',
  example: 'WG_STRIDED((64, 16), 2)',
  make: (args) => {
    const [shape, vectorLength, ...more] = args
    return typeof shape === 'object' && typeof vectorLength === 'number' && more.length === 0
      ? stridedLayout(shape, vectorLength)
      : wrong('WG_STRIDED', strided.parameters, args)
  },
}

const splat: Family = {
  name: 'WG_SPLAT',
  parameters: ['shape'],
  summary: 'one register holds all elements',
  example: 'WG_SPLAT((64, 8))',
  make: (args) => {
    const [shape, ...more] = args
    return typeof shape === 'object' && shape.every(isExtent) && more.length === 0
      ? E.right(splatLayout(shape))
      : wrong('WG_SPLAT', splat.parameters, args)
  },
}

/** Every name. */
export const families: ReadonlyArray<Family> = [
  constant('WGMMA', 'the accumulator of wgmma, and its 16-bit left operand', Tiled.WGMMA),
  constant(
    'WGMMA_ACC_32BIT',
    'the same places, with one 32-bit element in each register',
    Tiled.WGMMA_ACC_32BIT,
  ),
  constant('WGMMA_ROW', 'WGMMA.reduce(1): one value for each row', Tiled.WGMMA_ROW),
  constant('WGMMA_COL', 'WGMMA.reduce(0): one value for each column', Tiled.WGMMA_COL),
  constant('WGMMA_8BIT', 'the 8-bit left operand of wgmma', Tiled.WGMMA_8BIT),
  constant('WGMMA_UPCAST_2X', '8-bit elements that widen to WGMMA in place', Tiled.WGMMA_UPCAST_2X),
  constant('WGMMA_UPCAST_4X', '4-bit elements that widen to WGMMA_UPCAST_2X', Tiled.WGMMA_UPCAST_4X),
  constant('WGMMA_TRANSPOSED', 'WGMMA, every 2 x 2 block transposed', Tiled.WGMMA_TRANSPOSED),
  constant('TCGEN05', 'the result of tcgen05.ld from an accumulator of 128 rows', Tiled.TCGEN05),
  constant('TCGEN05_TRANSPOSED', 'TCGEN05, every 2 x 2 block transposed', Tiled.TCGEN05_TRANSPOSED),
  constant('TCGEN05_ROW', 'TCGEN05.reduce(1): one value for each row', Tiled.TCGEN05_ROW),
  constant('TCGEN05_COL', 'TCGEN05.reduce(0): one value for each column', Tiled.TCGEN05_COL),
  ofNumbers(
    'TCGEN05_M64_COLLECTIVE',
    ['columns'],
    'the result of tcgen05.ld from 64 rows shared by a pair of CTAs',
    'TCGEN05_M64_COLLECTIVE(64)',
    ([columns]) => Tiled.TCGEN05_M64_COLLECTIVE(columns!),
  ),
  native,
  constant('TMA_INDICES', 'row indices of a TMA gather, 16 at a time', Tiled.TMA_INDICES),
  constant('TMA_INDICES_4', 'row indices of a TMA gather, 4 at a time', Tiled.TMA_INDICES_4),
  ofNumbers(
    'MMA_LHS',
    ['bits', 'mWarps'],
    'the left operand of mma m16n8',
    'MMA_LHS(16, 4)',
    ([bits, mWarps]) => Tiled.MMA_LHS(bits!, mWarps!),
  ),
  ofNumbers(
    'MMA_RHS',
    ['bits', 'mWarps'],
    'the right operand of mma m16n8',
    'MMA_RHS(16, 2)',
    ([bits, mWarps]) => Tiled.MMA_RHS(bits!, mWarps!),
  ),
  ofNumbers('MMA_ACC', ['mWarps'], 'the accumulator of mma m16n8', 'MMA_ACC(2)', ([mWarps]) =>
    Tiled.MMA_ACC(mWarps!),
  ),
  strided,
  splat,
]

// ---------------------------------------------------------------------------------------- constructors

const reduced = (
  layout: E.Either<Failure<NameError>, NamedLayout>,
  method: Applied,
): E.Either<Failure<NameError>, NamedLayout> =>
  pipe(
    layout,
    E.chain((whole) => {
      if (method.name !== 'reduce')
        return refuse('name.unknown', `A layout has no method named ${method.name}: expected reduce`)
      const [axes, ...more] = method.arguments
      if (axes === undefined || more.length > 0) return wrong('reduce', ['axes'], method.arguments)
      return whole._tag === 'tiled'
        ? Tiled.reduce(typeof axes === 'number' ? [axes] : axes)(whole)
        : refuse('name.arguments', `Only a tiled layout can be reduced by name, found a ${whole._tag} one`)
    }),
  )

/**
 * The layout that the text names. An unknown name is refused with the known ones, the most similar first.
 *
 * @example
 * ```ts
 * import { named, tiled } from 'tensorcore-spec/layouts'
 *
 * const layout = named.parseName('WGMMA')
 * const owners = layout._tag === 'Right' && layout.right._tag === 'tiled' ? tiled.ownersOf(layout.right, [64, 64], [9, 3]) : []
 * console.log(owners.map(({ warp, lane, register }) => `warp ${warp} lane ${lane} register ${register}`)) // [ 'warp 0 lane 5 register 1' ]
 * ```
 */
export const parseName = (text: string): E.Either<Failure<NameError>, NamedLayout> =>
  pipe(
    parseCall(text),
    E.chainW((call): E.Either<Failure<NameError>, NamedLayout> => {
      const family = families.find(({ name }) => name === call.name)
      return family === undefined
        ? refuse(
            'name.unknown',
            `no layout named ${call.name}; ${didYouMean(families.map(({ name }) => name))(call.name)}`,
          )
        : call.methods.reduce(reduced, family.make(call.arguments))
    }),
  )

// ----------------------------------------------------------------------------------------- destructors

/** The names with arguments that a base tile of so many rows and columns leaves possible. */
const candidates = (rows: number, columns: number): ReadonlyArray<string> => [
  `TMEM_NATIVE(${String(columns)})`,
  `TCGEN05_M64_COLLECTIVE(${String(columns)})`,
  `MMA_LHS(${String(256 / columns)}, ${String(rows / 16)})`,
  `MMA_RHS(${String(256 / rows)}, ${String(32 / columns)})`,
  `MMA_ACC(${String(rows / 16)})`,
]

/** The name of a tiled layout, if it has one: where several denote the same data, the first. */
export const nameOf = (layout: Tiled.TiledLayout): string | null => {
  const known = Object.entries(Tiled.named).find(([, other]) => Tiled.sameTiledLayout(other, layout))
  if (known !== undefined) return known[0]
  // No name with arguments has a base tile of rank 1, and none takes 0.
  const [rows = 0, columns = 0] = Tiled.baseTileShape(layout)
  const found = candidates(rows, columns).find((name) =>
    pipe(
      parseName(name),
      E.exists((other) => other._tag === 'tiled' && Tiled.sameTiledLayout(other, layout)),
    ),
  )
  return found ?? null
}
