/**
 * The operands of a tensor core, checked by tsc: A (m, k), B (k, n), accumulator (m, n).
 *
 *     unit      accumulator   A              B
 *     wgmma     regs          smem or regs   smem
 *     tcgen05   tmem          smem or tmem   smem
 *
 *     const acc = ref([128, 256], 'f32', 'regs')
 *     wgmma(acc, a, b)    // a (128, 64), b (32, 256):  tsc: KMismatch<"a has K = 64, b has K = 32">
 *
 * An operand in shared memory is a tile of (8, 8S/bits) swizzled by S = 32, 64 or 128, or its transpose (`transforms/mma-operand.ts`).
 * The value is what the core recognises: how each operand lies, for a descriptor.
 *
 * Law 1. Both are `Right` exactly when the core recognises the operands in shared memory, spaces are those of the table, dtypes of A and
 * B are equal, and the extents agree.
 *
 * Source: JAX docs, Pallas:MGPU reference (wgmma, tcgen05_mma).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../src/failure.js'
import { refuse } from '../../src/failure.js'
import type { Dtype } from '../../src/numerics/dtype.js'
import type { Space } from '../../src/semantics/language/types.js'
import type { MmaOperand } from '../../src/transforms/mma-operand.js'
import { mmaOperand } from '../../src/transforms/mma-operand.js'
import type { Shape } from '../../src/transforms/shape.js'
import { showShape } from '../../src/transforms/shape.js'
import type { Swizzle } from '../../src/transforms/swizzle.js'
import type {
  DtypeMismatch,
  ElementsOf,
  IllegalOperand,
  KMismatch,
  Same,
  ShapeMismatch,
  Show,
  WrongSpace,
} from './type-errors.js'
import type { AnyRef, Ref, Stage } from './ref.js'

// ---------------------------------------------------------------------------------------------- model

/** An operand by descriptor, or in registers or tensor memory. */
export type Operand = MmaOperand | 'regs' | 'tmem'

export interface MmaOperands {
  readonly unit: 'wgmma' | 'tcgen05'
  readonly a: Operand
  readonly b: Operand
  readonly m: number
  readonly n: number
  readonly k: number
}

type Matrix<
  R extends number,
  C extends number,
  D extends Dtype,
  M extends Space,
  T extends Shape,
  W extends Swizzle,
> = Ref<readonly [R, C], D, M, T, W, Stage>

// ---------------------------------------------------------------------------------------------- checks

/** Does the space stand in the table, and is what lies in shared memory tiled and swizzled for a descriptor? */
type OperandCheck<
  Name extends string,
  D extends Dtype,
  M extends Space,
  T extends Shape,
  W extends Swizzle,
  Spaces extends Space,
  Message extends string,
> = M extends Spaces
  ? M extends 'smem'
    ? number extends T['length'] | T[number]
      ? unknown
      : W extends 16
        ? IllegalOperand<`${Name}: expected a swizzle of 32, 64 or 128 bytes, found none`>
        : T extends readonly [8, ElementsOf<W, D>] | readonly [ElementsOf<W, D>, 8]
          ? unknown
          : IllegalOperand<`${Name}: expected tile (8, ${ElementsOf<W, D>}) or its transpose under swizzle ${W}, found ${Show<T>}`>
    : unknown
  : WrongSpace<`${Name}: expected ${Message}, found ${M}`>

type AccumulatorCheck<M extends Space, Expected extends Space> = M extends Expected
  ? unknown
  : WrongSpace<`accumulator: expected ${Expected}, found ${M}`>

/** What B is held against: the K and dtype of A, and the N of the accumulator. */
type PairCheck<
  KA extends number,
  KB extends number,
  DA extends Dtype,
  DB extends Dtype,
  N extends number,
  NB extends number,
> =
  Same<KA, KB> extends true
    ? [DA, DB] extends [DB, DA]
      ? Same<N, NB> extends true
        ? unknown
        : ShapeMismatch<`the accumulator has N = ${N}, b has N = ${NB}`>
      : DtypeMismatch<`a is ${DA}, b is ${DB}`>
    : KMismatch<`a has K = ${KA}, b has K = ${KB}`>

type RowCheck<M extends number, MA extends number> =
  Same<M, MA> extends true ? unknown : ShapeMismatch<`the accumulator has M = ${M}, a has M = ${MA}`>

/** A product of a unit: `Acc` holds its accumulator, `A` may be taken from. */
type Mma<Acc extends Space, A extends Space, Message extends string> = <
  M extends number,
  N extends number,
  D extends Dtype,
  S extends Space,
  MA extends number,
  KA extends number,
  DA extends Dtype,
  SA extends Space,
  TA extends Shape,
  WA extends Swizzle,
  KB extends number,
  NB extends number,
  DB extends Dtype,
  SB extends Space,
  TB extends Shape,
  WB extends Swizzle,
>(
  accumulator: Matrix<M, N, D, S, Shape, Swizzle> & AccumulatorCheck<S, Acc>,
  a: Matrix<MA, KA, DA, SA, TA, WA> & OperandCheck<'a', DA, SA, TA, WA, A, Message> & RowCheck<M, MA>,
  b: Matrix<KB, NB, DB, SB, TB, WB> &
    OperandCheck<'b', DB, SB, TB, WB, 'smem', 'smem'> &
    PairCheck<KA, KB, DA, DB, N, NB>,
) => E.Either<Failure, MmaOperands>

// -------------------------------------------------------------------------------------------- products

const inSpace = (name: string, of: AnyRef, spaces: ReadonlyArray<Space>): E.Either<Failure, Space> =>
  spaces.includes(of.space)
    ? E.right(of.space)
    : refuse('typed.space', `${name}: expected ${spaces.join(' or ')}, found ${of.space}`)

const operand = (name: 'a' | 'b', of: AnyRef, spaces: ReadonlyArray<Space>): E.Either<Failure, Operand> =>
  pipe(
    inSpace(name, of, spaces),
    E.chainW((space): E.Either<Failure, Operand> => {
      if (space === 'regs' || space === 'tmem') return E.map((): Operand => space)(of.layout)
      return E.chainW(mmaOperand(name))(of.layout)
    }),
  )

const mma =
  (unit: 'wgmma' | 'tcgen05', accumulatorIn: Space, aIn: ReadonlyArray<Space>) =>
  (accumulator: AnyRef, a: AnyRef, b: AnyRef): E.Either<Failure, MmaOperands> =>
    pipe(
      inSpace('accumulator', accumulator, [accumulatorIn]),
      E.chain(() => accumulator.layout),
      E.chain(() => operand('a', a, aIn)),
      E.bindTo('a'),
      E.bind('b', () => operand('b', b, ['smem'])),
      E.chain((operands): E.Either<Failure, MmaOperands> => {
        const [m, n] = accumulator.shape
        const [ma, k] = a.shape
        const [kb, nb] = b.shape
        if (m === undefined || n === undefined || k === undefined || ma !== m || nb !== n || kb !== k)
          return refuse(
            'typed.shape',
            `${unit}: expected A (m, k), B (k, n) and an accumulator (m, n), found ${showShape(a.shape)}, ${showShape(b.shape)} and ${showShape(accumulator.shape)}`,
          )
        return a.dtype === b.dtype
          ? E.right({ unit, a: operands.a, b: operands.b, m, n, k })
          : refuse('typed.dtype', `${unit}: A and B have one dtype, found ${a.dtype} and ${b.dtype}`)
      }),
    )

/** Hopper: the accumulator in registers. */
export const wgmma: Mma<'regs', 'smem' | 'regs', 'smem or regs'> = mma('wgmma', 'regs', ['smem', 'regs'])

/** Blackwell: the accumulator in tensor memory. */
export const tcgen05: Mma<'tmem', 'smem' | 'tmem', 'smem or tmem'> = mma('tcgen05', 'tmem', ['smem', 'tmem'])
