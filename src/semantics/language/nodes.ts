/**
 * Expressions on one page: a row for each node, and in a row each part in a word.
 *
 * This is where a node is said. Its TypeScript type is derived from the words (`expression.ts`), and so are, at run time, its operands, its
 * JSON Schema and codec, and how it is printed where nothing shorter is usual. What a node means stands where its kind is typed
 * (`typecheck/`) and evaluated (`machine/evaluate*.ts`).
 *
 * | words                        | what is there                                          |
 * |------------------------------|--------------------------------------------------------|
 * | `expr`, `expr ...`           | an operand; a list of them                             |
 * | `text`, `bool`               | text; yes or no                                        |
 * | `nat`, `nat ...`, `integer`  | a number from 0 on; a list of them; one of either sign |
 * | `scalar`, `dtype`            | the type of a scalar; of an element in memory          |
 * | `literal`                    | a number, or the text of one that JSON cannot say      |
 * | `ref`, `layout`              | the layout of a view; that of a tile, or `any`         |
 * | `unary`, `binary`            | an operation, or a special function by its own name    |
 * | `combine`                    | the combination of a reduction: no operand, it has names of its own |
 * | `= a \| b`                   | one of these words                                     |
 *
 * What a part means stands below: by its name (`meanings`), and where a node means something else by it (`particular`). The schemas say it.
 *
 * The order of the parts is that of the printed arguments, of the keys of the JSON Schema, and of the operands.
 *
 * Laws
 * 1. `children` lists the operands of a node, in the order of its row; nothing else of it is an expression but a combination.
 * 2. `mapChildren` of the identity is the identity; mapping visits `children` in their order, and changes no other part.
 *
 * Source: PTX ISA, integer and floating-point instructions; MLIR `arith`, `math`, `tt` for the tile operations.
 */

/** By kind. */
export const nodes = {
  // ---------------------------------------------------------------- constants, and names for values
  names: {
    const: { dtype: 'scalar', value: 'literal' },
    name: { name: 'text' },
    /** the linked form of `name`: a slot of the frame; never in a program, only in what `link` makes of one */
    local: { slot: 'nat' },
  },

  // ---------------------------------------------------------------- where an agent stands, and how large a tensor is
  coordinates: {
    /** an agent's index, first warp, CTA rank in the cluster, cluster id, and program id and extent per grid axis */
    place: { of: '= agent | warp | ctaRank | clusterId | programId | gridDim', axis: 'nat' },
    dim: { param: 'text', axis: 'nat' },
  },

  // ---------------------------------------------------------------- arithmetic, on scalars and element by element
  numbers: {
    unary: { op: 'unary', mode: '= rn | approx', x: 'expr' },
    binary: { op: 'binary', x: 'expr', y: 'expr' },
    fma: { x: 'expr', y: 'expr', z: 'expr' },
    compare: { op: '= eq | ne | lt | le | gt | ge', signed: 'bool', x: 'expr', y: 'expr' },
    select: { cond: 'expr', x: 'expr', y: 'expr' },
    convert: {
      op: '= trunc | extS | extU | cast | bitcast',
      to: 'scalar',
      rounding: '= rn | rz',
      saturate: 'bool',
      x: 'expr',
    },
    pack: { to: 'scalar', parts: 'expr ...' },
    unpack: { to: 'scalar', part: 'nat', x: 'expr' },
  },

  // ---------------------------------------------------------------- tiles in registers
  tiles: {
    iota: { shape: 'nat ...', axis: 'nat', start: 'integer', layout: 'layout' },
    splat: { x: 'expr', shape: 'nat ...', layout: 'layout' },
    broadcast: { x: 'expr', shape: 'nat ...', layout: 'layout' },
    expandDims: { x: 'expr', axis: 'nat', layout: 'layout' },
    reshape: { x: 'expr', shape: 'nat ...', layout: 'layout' },
    transpose: { x: 'expr', perm: 'nat ...', layout: 'layout' },
    reduce: { x: 'expr', axis: 'nat', combine: 'combine', layout: 'layout' },
    /** element i of the result is the element of `x` at `index[i]` along the axis, and at the place of i along the others */
    gather: { x: 'expr', index: 'expr', axis: 'nat', layout: 'layout' },
    convertLayout: { x: 'expr', layout: 'layout' },
    /** z + x y, as one warp's instruction after another along k makes it; the elements of x and y are taken as `as` */
    dot: { x: 'expr', y: 'expr', z: 'expr', as: 'dtype', saturate: 'bool' },
    vote: { of: '= any | all', x: 'expr' },
    item: { x: 'expr' },
  },

  // ---------------------------------------------------------------- pointers, views, barriers, descriptors
  places: {
    paramPtr: { param: 'text' },
    addptr: { ptr: 'expr', offset: 'expr' },
    castPtr: { ptr: 'expr', dtype: 'dtype' },
    storage: { storage: 'text' },
    tensor: { param: 'text' },
    descriptor: { param: 'text' },
    slot: { of: 'expr', index: 'expr' },
    slice: { of: 'expr', starts: 'expr ...', sizes: 'nat ...' },
    transposeView: { of: 'expr', perm: 'nat ...' },
    reshapeView: { of: 'expr', shape: 'nat ...' },
    reinterpret: { of: 'expr', dtype: 'dtype', layout: 'ref' },
    remote: { of: 'expr', rank: 'expr' },
  },
} as const

/** What `binary` names beside the special functions. */
export const binaryNames = [
  'add',
  'sub',
  'mul',
  'min',
  'max',
  'quo',
  'rem',
  'div',
  'mod',
  'and',
  'or',
  'xor',
  'shl',
  'shrS',
  'shrU',
  'fdiv',
] as const

type Kinds = typeof nodes
type Merged<A> =
  { readonly [K in keyof A]: (of: A[K]) => void } extends Readonly<Record<keyof A, (of: infer M) => void>>
    ? M
    : never
/** All rows, whatever their kind. */
type InRows = Merged<Kinds>
type PartOf<R> = { [T in keyof R]: keyof R[T] }[keyof R]

/** What stands in a part of this name, in whichever node. */
const meanings: { readonly [P in PartOf<InRows>]: string } = {
  dtype: 'type of the constant',
  as: 'the element type as which both operands are read',
  value: 'its value; as text if JSON has no number for it',
  name: 'the name of its binder',
  slot: 'number of the slot',
  of: 'a view, or barriers',
  axis: 'the dimension that is dropped',
  param: 'name of a tensor',
  op: 'the operation',
  mode: 'rounded to nearest, or as the chip approximates it',
  x: 'the first operand',
  y: 'the second operand',
  z: 'the third operand',
  signed: 'whether integers are compared as signed',
  cond: 'the condition: true selects x',
  to: 'type of the result',
  rounding: 'to nearest even, or towards zero',
  saturate: 'whether values that are too large become the largest number',
  parts: 'the narrow values, low bits first',
  part: 'which of the narrow values, from the low bits',
  shape: 'extent of every dimension',
  start: 'the first value',
  layout: 'which lane holds which element; `any`: it does not matter',
  perm: 'dimension k of the result is this one of the operand',
  combine: 'the combination of two elements',
  ptr: 'the pointer, or a tile of them',
  offset: 'the distance, in elements',
  storage: 'id of a storage',
  index: 'which element of the leading dimension',
  starts: 'its start in each dimension, in elements',
  sizes: 'its extents',
  rank: 'rank of the CTA in its cluster',
}

/** Where a part says something else than elsewhere. */
const particular: { readonly [T in keyof InRows]?: { readonly [P in keyof InRows[T]]?: string } } = {
  place: { of: 'which coordinate of the agent', axis: 'axis of the grid, where there is one' },
  dim: { axis: 'its dimension' },
  compare: { op: 'the relation' },
  convert: { op: 'the conversion' },
  iota: { axis: 'the dimension along which it counts' },
  expandDims: { axis: 'the position of the new dimension of size one' },
  gather: { index: 'which element along the dimension', axis: 'the dimension that is looked up' },
  vote: { of: 'whether one true element is enough' },
  descriptor: { param: 'name of a descriptor' },
  castPtr: { dtype: 'its new target' },
  reinterpret: { dtype: 'type of the elements', layout: 'the offset of each element from the base' },
}

/** A part of a row: its name, its word (`choice` for all lists of words), the words there are to choose from, and what it means. */
export interface RowPart {
  readonly name: string
  readonly word: string
  readonly of: ReadonlyArray<string>
  readonly meaning: string
}

type Said = Readonly<Record<string, string>>
const general: ReadonlyMap<string, string> = new Map(Object.entries(meanings))
const own: ReadonlyMap<string, Said> = new Map(Object.entries<Said>(particular))

const rowPart =
  (tag: string) =>
  ([name, text]: readonly [string, string]): RowPart => {
    const meaning = own.get(tag)?.[name] ?? general.get(name) ?? ''
    return text.startsWith('= ')
      ? { name, word: 'choice', of: text.slice('= '.length).split(' | '), meaning }
      : { name, word: text, of: [], meaning }
  }

/** The parts of every node in their order, by its tag. */
export const nodeRows: ReadonlyMap<string, ReadonlyArray<RowPart>> = new Map(
  Object.values(nodes).flatMap((kind) =>
    Object.entries<Said>(kind).map(([tag, row]) => [tag, Object.entries(row).map(rowPart(tag))]),
  ),
)
