/**
 * The suite `tma-box`: what a bulk tensor copy moves, and where its image lies in shared memory (`layouts/shared-memory/box-image.ts`).
 *
 * A question has a tensor, a tensor map (box, element strides, swizzle) and one copy. All lists are outermost first; im2col is not described here.
 *
 * | mode                | coordinates        | box                                             |
 * |---------------------|--------------------|-------------------------------------------------|
 * | `load`, `store`, `reduce` | `at`         | the box                                         |
 * | `gather4`, `scatter4`     | `rows` and the column, `at[1]` | the map's box of one row; the copy moves four, in the order of `rows` |
 *
 * For every element of the copy, row-major: its byte in shared memory, and its row-major position in the tensor, or -1 where it is outside: a load fills it, a store
 * leaves it out, both count its bytes.
 *
 *     {"mode": "load", "dtype": "f16", "tensor": [20, 40], "box": [16, 32], "elementStrides": [1, 1], "swizzle": 64, "at": [8, -8], "base": 0}
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import {
  boxBytes,
  boxImage,
  boxShape,
  checkBox,
  checkCoordinates,
  checkSharedAddress,
  tensorOffsets,
  type Box,
} from '../../layouts/shared-memory/box-image.js'
import { rowsOfMessage } from '../../semantics/instructions/tma/box.js'
import { bitsOf, dtypes, type Dtype } from '../../numerics/dtype.js'
import { swizzledAddresses } from '../../transforms/ref.js'
import { rowMajorStrides } from '../../transforms/shape.js'
import { isSwizzle, swizzleElements, swizzles } from '../../transforms/swizzle.js'
import { integer, list, nat, oneOf, record, type Wire } from '../../wire.js'
import {
  drawn,
  integersOf,
  isSmall,
  smallShape,
  suite,
  tensorOf,
  tensorWire,
  type Case,
  type Feature,
  type Suite,
  type Tensor,
} from './suite.js'

const modes = ['load', 'store', 'reduce', 'gather4', 'scatter4'] as const
type Mode = (typeof modes)[number]

interface Question {
  readonly mode: Mode
  readonly dtype: Dtype
  readonly tensor: ReadonlyArray<number>
  readonly box: ReadonlyArray<number>
  readonly elementStrides: ReadonlyArray<number>
  readonly swizzle: number
  readonly at: ReadonlyArray<number>
  /** address of the image in shared memory */
  readonly base: number
  /** of a gather or a scatter: four rows */
  readonly rows?: ReadonlyArray<number>
}

interface Answer {
  /** elements that are copied, in each dimension */
  readonly shape: ReadonlyArray<number>
  /** bytes that the copy counts at its barrier */
  readonly transactionBytes: number
  readonly addresses: Tensor
  /** positions in the tensor, -1 outside */
  readonly elements: Tensor
}

const ints = list(integer)
const question: Wire<Question> = record<Question>()(
  'a bulk tensor copy',
  {
    mode: oneOf(...modes),
    dtype: oneOf(...dtypes),
    tensor: smallShape,
    box: ints,
    elementStrides: ints,
    swizzle: integer,
    at: ints,
    base: nat,
  },
  { rows: ints },
)
const answer: Wire<Answer> = record<Answer>()(
  'the elements of a copy',
  { shape: list(nat), transactionBytes: nat, addresses: tensorWire, elements: tensorWire },
  {},
)

const isStore = (mode: Mode): boolean => mode === 'store' || mode === 'reduce' || mode === 'scatter4'

/** The box of the map, or where it is none. */
const boxOf = (q: Question): E.Either<Failure, Box> => {
  const { swizzle } = q
  if (!isSwizzle(swizzle))
    return refuse('box.swizzle', `A swizzle spans 16, 32, 64 or 128 bytes, found ${String(swizzle)}`)
  if (q.tensor.length !== q.box.length)
    return refuse(
      'box.rank',
      `A tensor of rank ${String(q.tensor.length)} has a box of that rank, found ${String(q.box.length)}`,
    )
  return checkBox({ bits: bitsOf(q.dtype), extents: q.box, elementStrides: q.elementStrides, swizzle })
}

/** Positions in the tensor of a whole box. */
const positionsOf = (box: Box, q: Question): Int32Array =>
  tensorOffsets(box, q.tensor, rowMajorStrides(q.tensor), q.at)

/** Of four rows, wherever they are. */
const gathered = (
  q: Question,
  map: Box,
  rows: ReadonlyArray<number>,
): E.Either<Failure, { readonly box: Box; readonly elements: ReadonlyArray<number> }> => {
  if (q.box.length !== 2 || q.box[0] !== 1 || q.elementStrides.some((step) => step !== 1))
    return refuse('box.rank', `${q.mode}: expected a matrix and a box of one row, found ${q.box.join(' x ')}`)
  if (rows.length !== rowsOfMessage)
    return refuse(
      'tile.shape',
      `${q.mode}: expected ${String(rowsOfMessage)} rows, found ${String(rows.length)}`,
    )
  return pipe(
    rows,
    E.traverseArray((row) =>
      pipe(
        checkCoordinates(map, isStore(q.mode) ? 'store' : 'load', [row, q.at[1] ?? 0]),
        E.map((at) => Array.from(positionsOf(map, { ...q, at }))),
      ),
    ),
    E.map((found) => ({
      box: { ...map, extents: [rowsOfMessage, q.box[1] ?? 1] },
      elements: found.flat(),
    })),
  )
}

const ask = (q: Question): E.Either<Failure, Answer> =>
  pipe(
    boxOf(q),
    E.chainFirstW(() => checkSharedAddress(q.base)),
    E.chainFirstW((box) => checkCoordinates(box, isStore(q.mode) ? 'store' : 'load', q.at)),
    E.filterOrElseW(
      (box) => isSmall(box.extents),
      (): Failure => ({
        code: 'box.extent',
        message: 'expected a box of at most a million elements, found more',
      }),
    ),
    E.chainW((box) =>
      q.mode === 'gather4' || q.mode === 'scatter4'
        ? gathered(q, box, q.rows ?? [])
        : E.right({ box, elements: Array.from(positionsOf(box, q)) }),
    ),
    E.chainW(({ box, elements }) =>
      pipe(
        boxImage(box),
        E.map((image) => {
          const shape = boxShape(box)
          return {
            shape,
            transactionBytes: boxBytes(box),
            addresses: tensorOf('u32', shape, swizzledAddresses(image, q.base)),
            elements: integersOf(shape, elements),
          }
        }),
      ),
    ),
  )

// ---------------------------------------------------------------- cases

const plain: Question = {
  mode: 'load',
  dtype: 'f16',
  tensor: [64, 128],
  box: [8, 32],
  elementStrides: [1, 1],
  swizzle: 16,
  at: [8, 32],
  base: 1024,
}

interface Row {
  readonly word: string
  readonly says: string
  readonly fidelity: 'silicon' | 'documented'
  readonly features: ReadonlyArray<Feature>
  readonly questions: ReadonlyArray<readonly [string, Question]>
}

const rows: ReadonlyArray<Row> = [
  {
    word: 'image',
    says: 'Row j of the box, outer dimensions flattened, lies at base + j * pitch; the pitch is the inner box, or the span of the swizzle; then the absolute address is swizzled',
    fidelity: 'silicon',
    features: [],
    questions: [
      ['unswizzled', plain],
      ...swizzles
        .slice(1)
        .map((swizzle): readonly [string, Question] => [
          `swizzle-${String(swizzle)}`,
          { ...plain, swizzle, box: [16, swizzleElements(swizzle, 16)] },
        ]),
      ['narrower-than-its-span', { ...plain, swizzle: 128, box: [3, 32] }],
      ['f32', { ...plain, dtype: 'f32', swizzle: 128, box: [8, 32] }],
      ['bytes', { ...plain, dtype: 'e4m3', swizzle: 64, box: [8, 64], at: [0, 64] }],
      ['base-384', { ...plain, swizzle: 128, box: [8, 64], base: 384, at: [0, 0] }],
      ['rank-1', { ...plain, tensor: [1024], box: [64], elementStrides: [1], at: [64] }],
      [
        'rank-3',
        {
          ...plain,
          tensor: [4, 16, 64],
          box: [2, 4, 64],
          elementStrides: [1, 1, 1],
          swizzle: 128,
          at: [1, 8, 0],
        },
      ],
      [
        'rank-5',
        {
          ...plain,
          tensor: [3, 3, 3, 4, 32],
          box: [2, 1, 2, 2, 16],
          elementStrides: [1, 1, 1, 1, 1],
          swizzle: 32,
          at: [1, 2, 0, 1, 16],
        },
      ],
    ],
  },
  {
    word: 'outside',
    says: 'An element outside of the tensor is filled by a load, and counted as the others are',
    fidelity: 'silicon',
    features: ['out-of-bounds'],
    questions: [
      ['below', { ...plain, at: [-3, -8] }],
      ['above', { ...plain, at: [60, 112] }],
      ['swizzled', { ...plain, swizzle: 64, box: [16, 32], tensor: [20, 40], at: [8, 24] }],
      ['wholly', { ...plain, at: [64, 0] }],
    ],
  },
  {
    word: 'element-strides',
    says: 'Every step-th element of a dimension is copied, and every element of the innermost one; the box counts the elements that it spans',
    fidelity: 'silicon',
    features: ['element-strides'],
    questions: [
      ['rows-by-2', { ...plain, box: [8, 32], elementStrides: [2, 1] }],
      ['rows-by-3', { ...plain, box: [8, 32], elementStrides: [3, 1] }],
      ['innermost', { ...plain, elementStrides: [1, 2] }],
      ['and-outside', { ...plain, box: [16, 64], elementStrides: [4, 1], swizzle: 128, at: [-4, 96] }],
    ],
  },
  {
    word: 'store',
    says: 'A store takes the image of the same box, and leaves out what is outside of the tensor',
    fidelity: 'silicon',
    features: [],
    questions: [
      ['whole', { ...plain, mode: 'store', swizzle: 64 }],
      ['over-the-edge', { ...plain, mode: 'store', at: [60, 112] }],
    ],
  },
  {
    word: 'reduce',
    says: 'A reducing store adds to the same elements',
    fidelity: 'silicon',
    features: ['reduction'],
    questions: [
      ['whole', { ...plain, mode: 'reduce', dtype: 'f32', swizzle: 128 }],
      ['over-the-edge', { ...plain, mode: 'reduce', at: [60, 112] }],
    ],
  },
  {
    word: 'gather4',
    says: 'A gather takes four rows, anywhere and in any order, into the rows of one image; a missing row is filled and counted',
    fidelity: 'documented',
    features: ['gather4', 'tcgen05'],
    questions: [
      ['rows', { ...plain, mode: 'gather4', box: [1, 64], at: [0, 64], rows: [5, 0, 9, 2], swizzle: 128 }],
      ['a-row-twice', { ...plain, mode: 'gather4', box: [1, 32], at: [0, 0], rows: [7, 7, 1, 63] }],
      [
        'outside',
        { ...plain, mode: 'gather4', box: [1, 64], at: [0, 96], rows: [64, -1, 3, 100], swizzle: 128 },
      ],
    ],
  },
  {
    word: 'scatter4',
    says: 'A scatter writes four rows, and leaves out those that are not there',
    fidelity: 'documented',
    features: ['scatter4', 'tcgen05'],
    questions: [
      ['rows', { ...plain, mode: 'scatter4', box: [1, 64], at: [0, 0], rows: [5, 0, 9, 2], swizzle: 128 }],
      ['outside', { ...plain, mode: 'scatter4', box: [1, 32], at: [0, 112], rows: [64, 1, 3, 100] }],
    ],
  },
]

const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['inner-box-bytes', { ...plain, box: [8, 12] }],
  ['inner-box-wider-than-its-span', { ...plain, swizzle: 32, box: [8, 32] }],
  ['box-too-long', { ...plain, box: [257, 32] }],
  ['element-stride', { ...plain, elementStrides: [9, 1] }],
  ['rank', { ...plain, box: [32] }],
  ['inner-coordinate', { ...plain, at: [0, 3] }],
  ['store-below', { ...plain, mode: 'store', at: [-1, 0] }],
  ['shared-address', { ...plain, base: 64 }],
  ['gather-of-three', { ...plain, mode: 'gather4', box: [1, 32], rows: [1, 2, 3] }],
  ['gather-of-a-box', { ...plain, mode: 'gather4', box: [4, 32], rows: [1, 2, 3, 4] }],
  ['scatter-below', { ...plain, mode: 'scatter4', box: [1, 32], rows: [1, -2, 3, 4] }],
]

/** Copies of matrices that no check refuses; they shrink to small boxes at the origin. */
const copies = (
  mode: Mode,
  { outside = false, steps = false }: { readonly outside?: boolean; readonly steps?: boolean },
): fc.Arbitrary<Question> =>
  fc
    .record({
      dtype: fc.constantFrom('f16' as const, 'f32' as const, 'e4m3' as const),
      swizzle: fc.constantFrom(...swizzles),
      height: fc.integer({ min: 1, max: 12 }),
      chunks: fc.integer({ min: 1, max: 8 }),
      row: fc.nat(20),
      chunk: fc.nat(3),
      step: fc.integer({ min: 1, max: 4 }),
      base: fc.nat(15),
      rows: fc.array(fc.nat(31), { minLength: 4, maxLength: 4 }),
    })
    .map(({ dtype, swizzle, height, chunks, row, chunk, step, base, rows: some }) => {
      const inChunk = 128 / bitsOf(dtype)
      const width = inChunk * (swizzle === 16 ? chunks : Math.min(chunks, swizzle / 16))
      const gathers = mode === 'gather4' || mode === 'scatter4'
      const down = outside && mode === 'load' ? row - 10 : row
      const across = inChunk * (outside && mode === 'load' ? chunk - 1 : chunk)
      return {
        mode,
        dtype,
        tensor: [outside ? 16 : 32, 12 * inChunk],
        box: [gathers ? 1 : height, width],
        elementStrides: [steps ? step : 1, 1],
        swizzle,
        at: [gathers ? 0 : down, across],
        base: 128 * base,
        ...(gathers ? { rows: some } : {}),
      }
    })

const questions = (rule: string): fc.Arbitrary<Question> => {
  switch (rule) {
    case 'tma-box.image':
      return copies('load', {})
    case 'tma-box.outside':
      return copies('load', { outside: true })
    case 'tma-box.element-strides':
      return copies('load', { steps: true })
    case 'tma-box.store':
      return copies('store', { outside: true })
    case 'tma-box.reduce':
      return copies('reduce', {})
    case 'tma-box.gather4':
      return copies('gather4', { outside: true })
    case 'tma-box.scatter4':
      return copies('scatter4', { outside: true })
    default:
      return fc.constantFrom(...refusals.map(([, q]) => q))
  }
}

const tags = (q: Question, ...more: ReadonlyArray<Feature>): ReadonlyArray<Feature> => [
  'tma',
  ...(q.swizzle === 16 ? [] : (['swizzle'] as const)),
  ...more,
]

function* cases(): Iterable<Case<Question>> {
  for (const { word, features, questions: some } of rows) {
    for (const [name, q] of some)
      yield { name: `${word}-${name}`, rule: `tma-box.${word}`, features: tags(q, ...features), question: q }
    for (const [k, q] of drawn(questions(`tma-box.${word}`), 3).entries())
      yield {
        name: `${word}-random-${String(k)}`,
        rule: `tma-box.${word}`,
        features: tags(q, ...features),
        question: q,
      }
  }
  for (const [name, q] of refusals)
    yield { name: `refused-${name}`, rule: 'tma-box.refused', features: tags(q, 'refusal'), question: q }
}

export const tmaBoxSuite: Suite = suite({
  name: 'tma-box',
  arch: 'any',
  profile: 'layouts',
  title: 'The elements that a bulk tensor copy moves, and their image in shared memory',
  rules: [
    ...rows.map(({ word, says, fidelity }) => ({
      id: `tma-box.${word}`,
      says,
      source:
        fidelity === 'silicon'
          ? 'CUDA driver API, tensor map objects; copies captured on an H100'
          : 'PTX ISA, cp.async.bulk.tensor, modes tile::gather4 and tile::scatter4',
      fidelity,
    })),
    {
      id: 'tma-box.refused',
      says: 'Boxes that the driver refuses, and copies that fault: innermost bytes a multiple of 16, within the span, shared memory at a multiple of 128',
      source: 'CUDA driver API, tensor map objects; copies captured on an H100',
      fidelity: 'silicon',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions,
})
