/**
 * The suite `tmem`: where things lie in tensor memory, lane by column of 32 bits (`layouts/tensor-memory`).
 *
 * | operation     | asks for                                                                                        | answer                                     |
 * |---------------|-------------------------------------------------------------------------------------------------|--------------------------------------------|
 * | `layout`      | every element of an array in a layout, by name                                                    | `lanes`, `columns`, `parts`: the first place of each; `used` columns |
 * | `access`      | the registers of a warp in `tcgen05.ld` or `.st` of a shape, so many times                         | `lanes`, `columns` by thread and register  |
 * | `accumulator` | D of an instruction: rows m, mode, columns n                                                      | `ctas`, `lanes`, `columns` by m and n      |
 * | `copy`        | lanes that each row of a `tcgen05.cp` goes to                                                     | `lanes` by row and copy                    |
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import {
  accessShape,
  accessShapeNames,
  cellOf,
  registersOf,
  type AccessShapeName,
} from '../../layouts/tensor-memory/access-shape.js'
import { accumulator, accumulatorCell, accumulatorIdOf } from '../../layouts/tensor-memory/accumulator.js'
import {
  copyLanes,
  copyRows,
  copyShapes,
  isConfirmed,
  type CopyShape,
} from '../../layouts/tensor-memory/copy-shape.js'
import {
  checkType,
  columnsOf,
  parseTensorMemoryName,
  places,
} from '../../layouts/tensor-memory/tensor-memory-layout.js'
import { sizeOf, unravel } from '../../transforms/shape.js'
import { integer, kinded, nat, oneOf, record, text, type Wire } from '../../wire.js'
import { smallShape, suite, tensorOf, tensorWire, type Case, type Suite, type Tensor } from './suite.js'

interface LayoutQuestion {
  readonly kind: 'layout'
  /** `DEFAULT(1)`, `HALF_LANE(64, 1)`, `SCALES`, ... */
  readonly name: string
  readonly shape: ReadonlyArray<number>
  /** bits of an element */
  readonly bits: number
}
interface AccessQuestion {
  readonly kind: 'access'
  readonly shape: AccessShapeName
  readonly num: number
  /** columns between the halves of 16x32bx2 */
  readonly split: number
}
type Mode = 'one' | 'pair' | 'pair-sparse' | 'ws'
interface AccumulatorQuestion {
  readonly kind: 'accumulator'
  readonly m: number
  readonly n: number
  readonly mode: Mode
  /** first of the 16 lanes of each quarter, where only half of them are used */
  readonly alignment: 0 | 16
}
interface CopyQuestion {
  readonly kind: 'copy'
  readonly shape: CopyShape
}
type Question = LayoutQuestion | AccessQuestion | AccumulatorQuestion | CopyQuestion

interface Answer {
  /** columns of 32 bits in use */
  readonly used?: number
  readonly ctas?: Tensor
  readonly lanes: Tensor
  readonly columns?: Tensor
  /** which of the elements in 32 bits, the lowest bits first */
  readonly parts?: Tensor
}

const question: Wire<Question> = kinded<Question>()('a question about tensor memory', {
  layout: record<LayoutQuestion>()(
    'a layout',
    { kind: oneOf('layout'), name: text, shape: smallShape, bits: nat },
    {},
  ),
  access: record<AccessQuestion>()(
    'a load or store',
    { kind: oneOf('access'), shape: oneOf(...accessShapeNames), num: integer, split: integer },
    {},
  ),
  accumulator: record<AccumulatorQuestion>()(
    'an accumulator',
    {
      kind: oneOf('accumulator'),
      m: integer,
      n: integer,
      mode: oneOf<Mode>('one', 'pair', 'pair-sparse', 'ws'),
      alignment: oneOf<0 | 16>(0, 16),
    },
    {},
  ),
  copy: record<CopyQuestion>()('a copy', { kind: oneOf('copy'), shape: oneOf(...copyShapes) }, {}),
})
const answer: Wire<Answer> = record<Answer>()(
  'places in tensor memory',
  { lanes: tensorWire },
  { used: nat, ctas: tensorWire, columns: tensorWire, parts: tensorWire },
)

const mostColumns = 512

const ofLayout = (q: LayoutQuestion): E.Either<Failure, Answer> =>
  pipe(
    parseTensorMemoryName(q.name),
    E.chainFirstW((layout) => checkType(layout, q.shape, q.bits)),
    E.map((layout) => {
      const index = unravel(q.shape)
      const first = Array.from({ length: sizeOf(q.shape) }, (_, p) => places(layout, q.shape, index(p))[0]!)
      return {
        used: columnsOf(layout, q.shape),
        lanes: tensorOf(
          'u8',
          q.shape,
          first.map(({ lane }) => lane),
        ),
        columns: tensorOf(
          'u16',
          q.shape,
          first.map(({ column }) => column),
        ),
        parts: tensorOf(
          'u8',
          q.shape,
          first.map(({ part }) => part),
        ),
      }
    }),
  )

const ofAccess = (q: AccessQuestion): E.Either<Failure, Answer> =>
  pipe(
    accessShape(q.shape, q.num, q.split),
    E.map((access) => {
      const registers = registersOf(access)
      const cells = Array.from({ length: 32 * registers }, (_, i) =>
        cellOf(access, { thread: Math.floor(i / registers), register: i % registers }),
      )
      return {
        lanes: tensorOf(
          'u8',
          [32, registers],
          cells.map(({ lane }) => lane),
        ),
        columns: tensorOf(
          'u32',
          [32, registers],
          cells.map(({ column }) => column),
        ),
      }
    }),
  )

const ofAccumulator = (q: AccumulatorQuestion): E.Either<Failure, Answer> => {
  const id = accumulatorIdOf(q.m, q.mode)
  if (id === null)
    return refuse('tmem.accumulator-m', `${q.mode}: expected rows that it has, found ${String(q.m)}`)
  if (q.n > mostColumns)
    return refuse(
      'tmem.accumulator-n',
      `expected at most ${String(mostColumns)} columns, found ${String(q.n)}`,
    )
  return pipe(
    accumulator(id, q.n, q.alignment),
    E.map((acc) => {
      const cells = Array.from({ length: q.m * q.n }, (_, i) =>
        accumulatorCell(acc, Math.floor(i / q.n), i % q.n),
      )
      const shape = [q.m, q.n]
      return {
        ctas: tensorOf(
          'u8',
          shape,
          cells.map(({ cta }) => cta),
        ),
        lanes: tensorOf(
          'u8',
          shape,
          cells.map(({ lane }) => lane),
        ),
        columns: tensorOf(
          'u16',
          shape,
          cells.map(({ column }) => column),
        ),
      }
    }),
  )
}

const ofCopy = ({ shape }: CopyQuestion): E.Either<Failure, Answer> => {
  if (!isConfirmed(shape))
    return refuse('tmem.copy-unconfirmed', `${shape}: which lanes a row goes to is not known`)
  const rows = Array.from({ length: copyRows(shape) }, (_, row) => copyLanes(shape, row))
  return E.right({ lanes: tensorOf('u8', [rows.length, rows[0]?.length ?? 0], rows.flat()) })
}

const ask = (q: Question): E.Either<Failure, Answer> => {
  switch (q.kind) {
    case 'layout':
      return ofLayout(q)
    case 'access':
      return ofAccess(q)
    case 'accumulator':
      return ofAccumulator(q)
    case 'copy':
      return ofCopy(q)
  }
}

// ---------------------------------------------------------------- cases

const layouts: ReadonlyArray<LayoutQuestion> = [
  { kind: 'layout', name: 'DEFAULT(1)', shape: [128, 16], bits: 32 },
  { kind: 'layout', name: 'DEFAULT(2)', shape: [128, 32], bits: 16 },
  { kind: 'layout', name: 'HALF_LANE(64, 1)', shape: [64, 64], bits: 32 },
  { kind: 'layout', name: 'M64_COLLECTIVE(64, 1)', shape: [64, 64], bits: 32 },
  { kind: 'layout', name: 'SCALES', shape: [128, 4], bits: 8 },
  { kind: 'layout', name: 'SCALES', shape: [256, 8], bits: 8 },
  { kind: 'layout', name: 'B_SCALES_M64_COLLECTIVE', shape: [256, 4], bits: 8 },
  { kind: 'layout', name: 'SPARSE_METADATA', shape: [128, 16], bits: 2 },
]
const nums: Readonly<Record<AccessShapeName, ReadonlyArray<number>>> = {
  '32x32b': [1, 4, 16],
  '16x64b': [1, 4],
  '16x128b': [1, 4],
  '16x256b': [1, 4],
  '16x32bx2': [1, 8],
}
const accesses: ReadonlyArray<AccessQuestion> = accessShapeNames.flatMap((shape) =>
  nums[shape].map((num): AccessQuestion => ({
    kind: 'access',
    shape,
    num,
    split: shape === '16x32bx2' ? 16 : 0,
  })),
)
const accumulators: ReadonlyArray<AccumulatorQuestion> = (
  [
    [128, 16, 'one', 0],
    [64, 16, 'one', 0],
    [64, 16, 'one', 16],
    [256, 16, 'pair', 0],
    [128, 16, 'pair', 0],
    [32, 32, 'ws', 0],
    [64, 32, 'ws', 0],
  ] as const
).map(([m, n, mode, alignment]) => ({ kind: 'accumulator', m, n, mode, alignment }))
const copies: ReadonlyArray<CopyQuestion> = copyShapes
  .filter(isConfirmed)
  .map((shape) => ({ kind: 'copy', shape }))

const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['packing-of-32-bits', { kind: 'layout', name: 'DEFAULT(2)', shape: [128, 32], bits: 32 }],
  ['rows', { kind: 'layout', name: 'DEFAULT(1)', shape: [64, 16], bits: 32 }],
  ['no-such-layout', { kind: 'layout', name: 'DEFUALT(1)', shape: [128, 16], bits: 32 }],
  ['too-many-registers', { kind: 'access', shape: '16x256b', num: 64, split: 0 }],
  ['num-no-power-of-two', { kind: 'access', shape: '32x32b', num: 3, split: 0 }],
  ['split-of-another-shape', { kind: 'access', shape: '32x32b', num: 4, split: 8 }],
  ['accumulator-rows', { kind: 'accumulator', m: 96, n: 16, mode: 'one', alignment: 0 }],
  ['accumulator-columns', { kind: 'accumulator', m: 32, n: 30, mode: 'ws', alignment: 0 }],
  ['accumulator-alignment', { kind: 'accumulator', m: 128, n: 16, mode: 'one', alignment: 16 }],
]

const stemOf = (q: Question): string => {
  switch (q.kind) {
    case 'layout':
      return `${q.name
        .toLowerCase()
        .replace(/[^a-z0-9_]+/g, '-')
        .replace(/-+$/, '')}-${q.shape.join('x')}`
    case 'access':
      return `${q.shape}-x${String(q.num)}`
    case 'accumulator':
      return `${String(q.m)}x${String(q.n)}-${q.mode}-${String(q.alignment)}`
    case 'copy':
      return q.shape.replace(/[^a-z0-9_]+/g, '-')
  }
}

const rules = [
  [
    'layout',
    'A layout gives each element a lane, a column of 32 bits and a part of it; some keep copies in several quarters',
    'JAX documentation, Pallas:MGPU reference, tensor memory; PTX ISA, tcgen05 data paths',
  ],
  [
    'access',
    'A register of tcgen05.ld and .st is a cell relative to the address, by shape',
    'PTX ISA, tcgen05.ld and tcgen05.st',
  ],
  [
    'accumulator',
    'An instruction puts D[m, n] into the cell of its data path, A to G',
    'PTX ISA, tcgen05.mma data path layouts',
  ],
  ['copy', 'Rows of tcgen05.cp go to one lane, or to two or four quarters', 'PTX ISA, tcgen05.cp'],
] as const

function* cases(): Iterable<Case<Question>> {
  for (const q of [...layouts, ...accesses, ...accumulators, ...copies])
    yield {
      name: `${q.kind}-${stemOf(q)}`,
      rule: `tmem.${q.kind}`,
      features: ['tcgen05', 'tensor-memory'],
      question: q,
    }
  for (const [name, q] of refusals)
    yield {
      name: `refused-${name}`,
      rule: 'tmem.refused',
      features: ['tcgen05', 'tensor-memory', 'refusal'],
      question: q,
    }
}

export const tmemSuite: Suite = suite<Question, Answer>({
  name: 'tmem',
  arch: 'sm_100a',
  profile: 'layouts',
  title: 'Lanes and columns of tensor memory: of layouts, loads and stores, accumulators, copies',
  rules: [
    ...rules.map(([word, says, source]) => ({
      id: `tmem.${word}`,
      says,
      source,
      fidelity: 'documented' as const,
    })),
    {
      id: 'tmem.refused',
      says: 'Shapes, repetitions, packings and rows that the hardware does not have are refused',
      source: 'PTX ISA, tcgen05; JAX documentation, Pallas:MGPU reference',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions: (rule) => {
    switch (rule) {
      case 'tmem.layout':
        return fc.oneof(
          fc
            .integer({ min: 1, max: 64 })
            .map((n): Question => ({ kind: 'layout', name: 'DEFAULT(1)', shape: [128, n], bits: 32 })),
          fc.constantFrom<Question>(...layouts),
        )
      case 'tmem.access':
        return fc
          .tuple(fc.constantFrom(...accessShapeNames), fc.nat(4), fc.nat(8))
          .map(([shape, power, split]) => ({
            kind: 'access',
            shape,
            num: 2 ** power,
            split: shape === '16x32bx2' ? 2 ** power + split : 0,
          }))
      case 'tmem.accumulator':
        return fc
          .tuple(fc.constantFrom(...accumulators), fc.integer({ min: 1, max: 8 }))
          .map(([q, eights]) => ({ ...q, n: 8 * eights }))
      case 'tmem.copy':
        return fc.constantFrom<Question>(...copies)
      default:
        return fc.constantFrom(...refusals.map(([, q]) => q))
    }
  },
})
