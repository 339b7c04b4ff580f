/**
 * A launch to begin with: what a text alone lets one guess of its grid and its arguments, small, and in words of a command line.
 *
 *     --grid 1,2 --arg a=f16[64,192]:in:guess b=f16[192,128]:in:guess c=f16[64,128]:out:guess M=64:guess N=128:guess K=192:guess
 *
 * It is a guess, to be looked at: the text says types, blocks and divisors, not sizes. It is made so:
 *
 * | the function                          | extents                                                                                        |
 * |---------------------------------------|------------------------------------------------------------------------------------------------|
 * | multiplies two tensors into a third   | m one tile, n two, k two steps more than there are stages, so that slots are used again         |
 * | takes blocks of descriptors           | two of the longest block along the first axis, one along the others, and four if it walks along them |
 * | any other                             | what one access takes, for two programs                                                        |
 *
 * A tensor map that the function makes says which numbers are the extents of its tensor; other numbers are strides by their names (`stride_am`, `lda`), or
 * sizes.
 *
 * Laws
 *  1. the words are arguments of the right type: `parseWord` takes each, without the mark of a guess at its end (`guess-mark.ts`)
 *  2. a number is a multiple of what the text says that it is
 */
import { greatest } from '../../greatest.js'
import { guessMark } from './guess-mark.js'
import {
  everyOperation,
  type Asked,
  type Operation,
  type Signature,
  type Type,
} from '../../dialects/ttgir/index.js'

/** Words of `--grid` and `--arg`. */
export interface Example {
  readonly grid: ReadonlyArray<number>
  readonly args: ReadonlyArray<readonly [name: string, word: string]>
}

const shapeOf = (t: Type | undefined): ReadonlyArray<number> =>
  t === undefined
    ? []
    : t._tag === 'tensor' || t._tag === 'memdesc'
      ? t.shape
      : t._tag === 'descriptor'
        ? shapeOf(t.block)
        : []
const sizeOf = (shape: ReadonlyArray<number>): number => shape.reduce((n, extent) => n * extent, 1)

const upTo = (n: number, divisor: number): number => Math.ceil(n / divisor) * divisor

// ---------------------------------------------------------------- what the text says

interface Tile {
  readonly m: number
  readonly n: number
  readonly k: number
}

const products: ReadonlySet<string> = new Set([
  'tt.dot',
  'tt.dot_scaled',
  'ttng.warp_group_dot',
  'ttng.tc_gen5_mma',
  'ttng.tc_gen5_mma_scaled',
])

/** The tile of each product. */
const tilesOf = (operations: ReadonlyArray<Operation>): ReadonlyArray<Tile> =>
  operations
    .filter((op) => products.has(op.name))
    .flatMap((op) => {
      const [m, k] = shapeOf(op.operands['a']?.[0]?.type).slice(-2)
      const n = shapeOf(op.operands['b']?.[0]?.type).at(-1)
      return m === undefined || k === undefined || n === undefined ? [] : [{ m, n, k }]
    })

/** Slots of the longest ring: buffers of shared memory one dimension more than what is in them. */
const stagesOf = (operations: ReadonlyArray<Operation>): number =>
  greatest(1)(
    operations
      .filter((op) => op.name === 'ttg.local_alloc')
      .map((op) => shapeOf(op.results[0]))
      .filter((shape) => shape.length === 3)
      .map(([slots = 1]) => slots),
  )

const isPointer = (t: Type): boolean =>
  t._tag === 'pointer' || (t._tag === 'tensor' && t.element._tag === 'pointer')

/** What one access takes of the memory behind each pointer, by the parameter; the largest of them. */
const accessesOf = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, ReadonlyArray<number>> => {
  /** the pointer that a pointer is made of */
  const from = new Map<string, string>()
  for (const op of operations) {
    const base = Object.values(op.operands)
      .flat()
      .find((v) => isPointer(v.type))
    for (const { name } of op.names) if (base !== undefined) from.set(name, base.name)
    if (op.name === 'scf.for')
      op.regions[0]?.blocks[0]?.parameters.slice(1).forEach((p, k) => {
        const init = op.operands['initArgs']?.[k]
        if (init !== undefined) from.set(p.name, init.name)
      })
  }
  const found = new Map<string, ReadonlyArray<number>>()
  for (const op of operations) {
    const [pointer] =
      op.name === 'tt.load' || op.name === 'tt.store' || op.name.startsWith('tt.atomic_')
        ? (op.operands['ptr'] ?? [])
        : op.name === 'ttg.async_copy_global_to_local'
          ? (op.operands['src'] ?? [])
          : []
    if (pointer === undefined) continue
    let { name } = pointer
    const seen = new Set<string>()
    for (let next = from.get(name); next !== undefined && !seen.has(name); next = from.get(name)) {
      seen.add(name)
      name = next
    }
    const shape = shapeOf(pointer.type)
    if (sizeOf(shape) >= sizeOf(found.get(name) ?? [])) found.set(name, shape)
  }
  return found
}

/** Extents of tensors as names of numbers: those of the tensor maps that the function makes. */
const mapsOf = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    operations.flatMap((op) => {
      const [base, extents] =
        op.name === 'ttng.tensormap_create'
          ? [op.operands['global_address'], [...(op.operands['global_dim'] ?? [])].reverse()]
          : op.name === 'tt.make_tensor_descriptor'
            ? [op.operands['base'], op.operands['shape'] ?? []]
            : [undefined, []]
      return base?.[0] === undefined ? [] : [[base[0].name, extents.map((v) => v.name)] as const]
    }),
  )

// ---------------------------------------------------------------- guesses

type Tensors = ReadonlyArray<Exclude<Asked, { readonly _tag: 'scalar' }>>

/** Extents of tensors and sizes of numbers, by name; and how many programs there are along the first axes. */
interface Sizes {
  readonly extents: ReadonlyMap<string, ReadonlyArray<number>>
  /** of what is called so, in lower case */
  readonly numbers: ReadonlyMap<string, number>
  /** of what is called something else */
  readonly other: number
  readonly programs: ReadonlyArray<number>
}

/** Which of a product's tensors are which: two that are read, one that is written. */
const factorsOf = (tensors: Tensors): readonly [string, string, string] | null => {
  const [a, b] = tensors.filter((t) => t.role === 'in')
  const c = tensors.find((t) => t.role !== 'in')
  return a === undefined || b === undefined || c === undefined ? null : [a.name, b.name, c.name]
}

/** `along`: the axis of the output that has a tile for each program. */
const ofProduct = (
  tile: Tile,
  stages: number,
  [a, b, c]: readonly [string, string, string],
  tensors: Tensors,
  along: 'm' | 'n' | null,
): Sizes => {
  const block = tensors.find((t) => t.name === c)
  const [m, n] =
    block?._tag === 'descriptor' && block.block.length === 2
      ? [Math.max(tile.m, block.block[0] ?? 1), Math.max(tile.n, block.block[1] ?? 1)]
      : [tile.m, tile.n]
  const sizes = {
    m: along === 'm' ? 2 * m : m,
    n: along === 'n' ? 2 * n : n,
    k: (stages + 2) * tile.k,
  }
  const whole = Math.max(sizes.m, sizes.n) * sizes.k
  return {
    extents: new Map([
      ...tensors.map((t) => [t.name, t._tag === 'pointer' ? [whole] : t.block.map((e) => 2 * e)] as const),
      [a, [sizes.m, sizes.k]],
      [b, [sizes.k, sizes.n]],
      [c, [sizes.m, sizes.n]],
    ]),
    numbers: new Map(Object.entries(sizes)),
    other: sizes.k,
    programs: along === null ? [1, 1] : along === 'm' ? [2, 1] : [1, 2],
  }
}

const ofBlocks = (tensors: Tensors, walks: boolean, places: boolean): Sizes => {
  const blocks = tensors.flatMap((t) => (t._tag === 'descriptor' ? [t.block] : []))
  const rows = (places ? 2 : 1) * greatest(1)(blocks.map((block) => block[0] ?? 1))
  const extents = (block: ReadonlyArray<number>): ReadonlyArray<number> =>
    block.map((e, axis) => (axis === 0 ? rows : walks ? 4 * e : e))
  const all = greatest(1)(blocks.map((block) => sizeOf(extents(block))))
  const written = tensors.find((t) => t.role !== 'in')
  const first = written?._tag === 'descriptor' ? (written.block[0] ?? 1) : rows
  return {
    extents: new Map(tensors.map((t) => [t.name, t._tag === 'pointer' ? [all] : extents(t.block)])),
    // what walks along a row is told how long it is
    numbers: new Map(
      walks ? ['n', 'k'].map((name) => [name, 4 * greatest(1)(blocks.map((b) => b.at(-1) ?? 1))]) : [],
    ),
    other: rows,
    programs: [Math.max(1, Math.floor(rows / first))],
  }
}

const ofVectors = (
  tensors: Tensors,
  accesses: ReadonlyMap<string, ReadonlyArray<number>>,
  places: boolean,
): Sizes => {
  const programs = places ? 2 : 1
  const longest = [...accesses.values()].reduce<ReadonlyArray<number>>(
    (most, shape) => (sizeOf(shape) > sizeOf(most) ? shape : most),
    [1],
  )
  return {
    extents: new Map(tensors.map((t) => [t.name, [programs * sizeOf(accesses.get(t.name) ?? longest)]])),
    numbers: new Map(),
    other: longest.at(-1) ?? 1,
    programs: [programs],
  }
}

// ---------------------------------------------------------------- numbers by their names

const short = (name: string): string => name.toLowerCase().replace(/_?(ptr|desc|descriptor)$/, '')

/** `stride_am`, `sam`, `lda`: the tensor, and its axis by a letter; null: no name of a stride. */
const strideNamed = (
  name: string,
  tensors: Tensors,
): { readonly tensor: string; readonly axis: string } | null => {
  const bare = /^(?:strides?_?|str_?|st_?|s_?|ld_?)([a-z]\w*)$/.exec(name.toLowerCase())?.[1]
  if (bare === undefined) return null
  const found = tensors.find((t) => bare.startsWith(short(t.name)))
  return found === undefined
    ? null
    : { tensor: found.name, axis: bare.slice(short(found.name).length).replace(/^_/, '') }
}

const rowMajorStride = (extents: ReadonlyArray<number>, axis: string, letters: string): number => {
  // that of rows, where it names no axis
  return sizeOf(extents.slice(Math.max(0, letters.indexOf(axis)) + 1))
}

const numberOf = (
  p: Extract<Asked, { readonly _tag: 'scalar' }>,
  sizes: Sizes,
  tensors: Tensors,
  factors: readonly [string, string, string] | null,
): string => {
  if (p.dtype === 'i1') return '1'
  if (!p.dtype.startsWith('i')) return '0.5'
  const stride = strideNamed(p.name, tensors)
  const letters =
    stride === null || factors === null ? '' : (['mk', 'kn', 'mn'][factors.indexOf(stride.tensor)] ?? '')
  const bare = p.name.toLowerCase().replace(/_?(size|dim|len)$/, '')
  const value =
    stride === null
      ? (sizes.numbers.get(bare) ?? sizes.other)
      : rowMajorStride(sizes.extents.get(stride.tensor) ?? [], stride.axis, letters)
  return String(upTo(value, p.divisor))
}

// ---------------------------------------------------------------- all of it

/** A launch of the function, as far as its text lets one guess. */
export const exampleOf = (func: Operation, { parameters, axes }: Signature): Example => {
  const operations = everyOperation([func])
  const tensors: Tensors = parameters.flatMap((p) => (p._tag === 'scalar' ? [] : [p]))
  const tiles = tilesOf(operations)
  const factors = factorsOf(tensors)
  const [tile] = tiles
  // what reads three blocks is attention, and another product than one that has scales
  const isMatmul =
    tile !== undefined &&
    factors !== null &&
    (tensors.filter((t) => t.role === 'in' && (t._tag === 'descriptor' || t.dtype !== 'i8')).length === 2 ||
      parameters.some((p) => p.name.toLowerCase() === 'k' && p._tag === 'scalar'))
  const loops = operations.some((op) => op.name === 'scf.for' || op.name === 'scf.while')
  // a function that is called asks for its caller
  const places = operations.some((op) => op.name === 'tt.get_program_id' || op.name === 'tt.call')
  const knowsN = factors === null || tensors.some((t) => t.name === factors[2] && t._tag === 'descriptor')
  const hasN = parameters.some((p) => p._tag === 'scalar' && p.name.toLowerCase() === 'n')
  const along = !places ? null : axes === 1 && !knowsN && !hasN ? 'm' : 'n'
  const sizes = isMatmul
    ? ofProduct(tile, stagesOf(operations), factors, tensors, along)
    : tensors.some((t) => t._tag === 'descriptor')
      ? ofBlocks(tensors, loops && tiles.length === 0, places)
      : ofVectors(tensors, accessesOf(operations), places)
  const numbers = new Map(
    parameters.flatMap((p) =>
      p._tag === 'scalar' ? [[p.name, numberOf(p, sizes, tensors, isMatmul ? factors : null)] as const] : [],
    ),
  )
  const maps = mapsOf(operations)
  const extentsOf = (name: string): ReadonlyArray<number> => {
    const said = maps.get(name)?.map((n) => Number(numbers.get(n)))
    return said?.every((n) => Number.isSafeInteger(n)) === true ? said : (sizes.extents.get(name) ?? [1])
  }
  // a program that asks how many there are does the work of several
  const isPersistent = operations.some((op) => op.name === 'tt.get_num_programs')
  const all = sizeOf(sizes.programs)
  const grid = Array.from({ length: axes }, (_, axis) =>
    isPersistent ? 1 : axes === 1 ? all : (sizes.programs[axis] ?? 1),
  )
  return {
    grid,
    args: parameters.map((p) => [
      p.name,
      `${
        p._tag === 'scalar'
          ? (numbers.get(p.name) ?? '1')
          : `${p.dtype}[${extentsOf(p.name).join(',')}]:${p.role}`
      }${guessMark}`,
    ]),
  }
}
