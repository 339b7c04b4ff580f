/**
 * The suite `fragments`: which element each register of each lane holds, for every layout that has a name (`layouts/named.ts`) and for descriptions of any
 * kind (`layouts/description.ts`).
 *
 *     {"layout": {"kind": "named", "name": "WGMMA"}, "shape": [64, 8]}
 *     {"warps": 4, "lanes": 32, "registers": 4, "positions": {"dtype": "i32", "shape": [4, 32, 4], "bits": [0, 1, 64, 65, ...]}}
 *
 * `positions` are row-major positions in the array, by warp, lane, register; registers count elements. Of a splat every register is every element: `positions` is null.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { namedTiledLayout, tiledSample } from '../../arbitraries/register-layout.js'
import type { Failure } from '../../failure.js'
import { decodeDescription, resolve } from '../../layouts/description.js'
import { nameOf } from '../../layouts/named.js'
import { baseTileShape } from '../../layouts/tiled.js'
import { anything, either, list, nat, nothing, record, type Json, type Wire } from '../../wire.js'
import { integersOf, suite, tensorWire, type Case, type Feature, type Suite, type Tensor } from './suite.js'

interface Question {
  /** a description: `{"kind": "named", "name": "WGMMA"}`, or any that `docs/LayoutDescriptions.md` has */
  readonly layout: Json
  readonly shape: ReadonlyArray<number>
}

interface Answer {
  readonly warps: number
  readonly lanes: number
  readonly registers: number
  readonly positions: Tensor | null
}

const question: Wire<Question> = record<Question>()(
  'a question about a layout of registers',
  { layout: anything, shape: list(nat) },
  {},
)
const answer: Wire<Answer> = record<Answer>()(
  'a layout of registers',
  { warps: nat, lanes: nat, registers: nat, positions: either('null or positions', nothing, tensorWire) },
  {},
)

const ask = (q: Question): E.Either<Failure, Answer> =>
  pipe(
    decodeDescription(q.layout),
    E.chainW((d) => resolve(d, q.shape)),
    E.map(({ listing: { warps, lanes, registers, splat, positions } }) => ({
      warps,
      lanes,
      registers,
      positions: splat ? null : integersOf([warps, lanes, registers], positions),
    })),
  )

const named = (name: string, ...shape: ReadonlyArray<number>): Question => ({
  layout: { kind: 'named', name },
  shape,
})

interface Row {
  readonly word: string
  readonly says: string
  readonly source: string
  readonly fidelity: 'silicon' | 'documented'
  readonly features: ReadonlyArray<Feature>
  readonly questions: ReadonlyArray<Question>
}

const captured = 'fragments captured on an H100; PTX ISA, register fragments of wgmma'
const mosaic = 'JAX documentation, Pallas:MGPU reference, layouts'

const rows: ReadonlyArray<Row> = [
  {
    word: 'accumulator',
    says: 'An accumulator of wgmma: row 16 w + t div 4, and 8 more for every second pair; columns 8 j + 2 (t mod 4) and the next',
    source: captured,
    fidelity: 'silicon',
    features: ['wgmma'],
    questions: [
      named('WGMMA', 64, 8),
      named('WGMMA', 64, 16),
      named('WGMMA', 64, 64),
      named('WGMMA', 128, 24),
      named('WGMMA_ACC_32BIT', 64, 16),
    ],
  },
  {
    word: 'operand',
    says: 'A left operand of wgmma in registers: that of 16 bits is the accumulator; that of 8 bits has four neighbours in a register',
    source: captured,
    fidelity: 'silicon',
    features: ['wgmma'],
    questions: [named('WGMMA', 64, 16), named('WGMMA_8BIT', 64, 32), named('WGMMA_8BIT', 64, 64)],
  },
  {
    word: 'conversion',
    says: 'Layouts from which an operand is made in place: by widening, by transposing blocks of 2 x 2',
    source: mosaic,
    fidelity: 'documented',
    features: ['wgmma'],
    questions: [
      named('WGMMA_UPCAST_2X', 64, 64),
      named('WGMMA_UPCAST_4X', 64, 64),
      named('WGMMA_TRANSPOSED', 64, 16),
      named('TCGEN05_TRANSPOSED', 128, 16),
    ],
  },
  {
    word: 'reduced',
    says: 'A reduced layout has one value a row or a column, and every lane of the line has it',
    source: mosaic,
    fidelity: 'documented',
    features: ['wgmma'],
    questions: [
      named('WGMMA.reduce(1)', 64),
      named('WGMMA.reduce(0)', 16),
      named('WGMMA_ROW', 128),
      named('TCGEN05_ROW', 128),
      named('TCGEN05_COL', 16),
    ],
  },
  {
    word: 'tcgen05',
    says: 'The result of tcgen05.ld: fragments as of wgmma on 128 rows, or a row of tensor memory a lane',
    source: 'PTX ISA, tcgen05.ld; JAX documentation, Pallas:MGPU reference',
    fidelity: 'documented',
    features: ['tcgen05', 'tensor-memory'],
    questions: [
      named('TCGEN05', 128, 8),
      named('TCGEN05', 128, 64),
      named('TCGEN05_M64_COLLECTIVE(64)', 64, 64),
      named('TMEM_NATIVE', 128, 8),
      named('TMEM_NATIVE(4)', 128, 32),
    ],
  },
  {
    word: 'mma',
    says: 'Operands and accumulators of mma.m16n8, spread over warps along the rows',
    source: 'PTX ISA, matrix fragments of mma',
    fidelity: 'documented',
    features: [],
    questions: [
      named('MMA_LHS(16, 4)', 64, 16),
      named('MMA_RHS(16, 4)', 16, 8),
      named('MMA_ACC(4)', 64, 8),
      named('MMA_LHS(8, 4)', 64, 32),
    ],
  },
  {
    word: 'strided',
    says: 'Elements row-major, dealt out to the lanes of a warpgroup a vector at a time; and one register for all',
    source: mosaic,
    fidelity: 'documented',
    features: [],
    questions: [
      named('WG_STRIDED((64, 16), 2)', 64, 16),
      named('WG_STRIDED((8, 128), 8)', 8, 128),
      named('WG_SPLAT((64, 8))', 64, 8),
    ],
  },
  {
    word: 'indices',
    says: 'Rows of a gathering copy: every lane of a group has the index that it hands over',
    source: mosaic,
    fidelity: 'documented',
    features: ['tma', 'gather4'],
    questions: [named('TMA_INDICES', 64), named('TMA_INDICES_4', 64)],
  },
  {
    word: 'described',
    says: "A description in any vocabulary is a layout: Mosaic's tilings, Triton's encodings, CuTe's TV layouts",
    source: 'JAX documentation; Triton, LinearLayout (arXiv 2505.23819); CUTLASS documentation',
    fidelity: 'documented',
    features: [],
    questions: [
      {
        layout: {
          kind: 'cute_tv',
          layout: '((4,8,4),(2,2)):((128,1,16),(64,8))',
          positions: 'column-major',
        },
        shape: [64, 8],
      },
      {
        layout: {
          kind: 'blocked',
          sizePerThread: [1, 8],
          threadsPerWarp: [8, 4],
          warpsPerCTA: [4, 1],
          order: [1, 0],
        },
        shape: [32, 64],
      },
      {
        layout: {
          kind: 'nvidia_mma',
          versionMajor: 3,
          versionMinor: 0,
          instrShape: [16, 64, 16],
          warpsPerCTA: [4, 1],
        },
        shape: [64, 64],
      },
    ],
  },
]

const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['no-such-name', named('WGMMMA', 64, 8)],
  ['wrong-arguments', named('MMA_LHS(16)', 64, 16)],
  ['rows-do-not-fit', named('WGMMA', 48, 8)],
  ['columns-do-not-fit', named('WGMMA', 64, 12)],
  ['no-such-kind', { layout: { kind: 'mma' }, shape: [64, 8] }],
]

const nameOfQuestion = ({ layout, shape }: Question): string => {
  const words = typeof layout === 'object' && layout !== null && !Array.isArray(layout) ? layout : {}
  const said = 'name' in words ? words['name'] : 'kind' in words ? words['kind'] : null
  const stem =
    typeof said === 'string'
      ? said
          .toLowerCase()
          .replace(/[^a-z0-9_]+/g, '-')
          .replace(/-+$/, '')
      : 'layout'
  return `${stem}-on-${shape.join('x')}`
}

function* cases(): Iterable<Case<Question>> {
  for (const { word, features, questions } of rows)
    for (const q of questions)
      yield {
        name: `${word}-${nameOfQuestion(q)}`,
        rule: `fragments.${word}`,
        features: ['register-layout', ...features],
        question: q,
      }
  for (const [name, q] of refusals)
    yield {
      name: `refused-${name}`,
      rule: 'fragments.refused',
      features: ['register-layout', 'refusal'],
      question: q,
    }
}

/** A tiled layout without a name, as Mosaic writes it. */
const tiledQuestion: fc.Arbitrary<Question> = tiledSample().map(({ layout, shape }) => ({
  layout: {
    kind: 'tiled',
    tiling: layout.tiling,
    warpDims: layout.warpDims.map(dimension),
    laneDims: layout.laneDims.map(dimension),
    vectorDim: layout.vectorDim,
  },
  shape,
}))
const dimension = (d: number | { readonly _tag: 'Replicated'; readonly times: number }): Json =>
  typeof d === 'number' ? d : { _tag: d._tag, times: d.times }

/** A layout with a name, on some of its base tiles. */
const namedQuestion = (family: RegExp): fc.Arbitrary<Question> =>
  fc
    .tuple(
      namedTiledLayout().filter((layout) => family.test(nameOf(layout) ?? '')),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
    )
    .map(([layout, down, across]) => {
      const base = baseTileShape(layout)
      return {
        layout: { kind: 'named', name: nameOf(layout) ?? '' },
        shape: base.map((extent, d) => extent * (d === 0 ? down : across)),
      }
    })

export const fragmentsSuite: Suite = suite({
  name: 'fragments',
  arch: 'any',
  profile: 'layouts',
  title: 'Which element each register of each lane holds',
  rules: [
    ...rows.map(({ word, says, source, fidelity }) => ({
      id: `fragments.${word}`,
      says,
      source,
      fidelity,
    })),
    {
      id: 'fragments.refused',
      says: 'An array that is not made of whole base tiles has no such layout, and an unknown name is none',
      source: mosaic,
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions: (rule) => {
    switch (rule) {
      case 'fragments.accumulator':
        return fc
          .tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 16 }))
          .map(([m, n]) => named('WGMMA', 64 * m, 8 * n))
      case 'fragments.tcgen05':
        return namedQuestion(/^(TCGEN05|TMEM)/)
      case 'fragments.described':
        return tiledQuestion
      default: {
        const row = rows.find(({ word }) => rule === `fragments.${word}`)
        return fc.constantFrom(...(row?.questions ?? refusals.map(([, q]) => q)))
      }
    }
  },
})
