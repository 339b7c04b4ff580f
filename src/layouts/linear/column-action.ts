/**
 * Reordering the bits of an input.
 *
 * An action lists old bits: bit i of the new input is bit `action[i]` of the old one. Bits that are not listed are dropped,
 * that is, held at 0. It acts on layouts, where it picks bases, and on the values that an input indexes (the registers
 * of a lane), which it picks the same way; so acting on both keeps what is where.
 *
 *     action 2 0 1 on bases [1] [2] [4]:  [4] [1] [2]
 *     action 2 0 1 on values 0 to 7:      0 4 1 5 2 6 3 7
 *     action 2 0   on values 0 to 7:      0 4 1 5
 *
 * Names: Triton `ColumnAction`, `actionRemoveBroadcastedRegs` (`dropZeroBases`).
 *
 * Laws
 * 1. New position x holds what was at the old position that `actOnValues` names: with l' = `actOnLayout(a)(l)` and
 *    p = `actOnValues(a)(0, 1, 2, ...)`, l'(x) = l(p[x]).
 * 2. `inverse(a)` undoes `a`; refused when bits are dropped.
 * 3. `andThen(a, b)` acts as `a` and then `b`; `identityAction` does nothing.
 * 4. `dropZeroBases(l, input)` acts on `l` as `removeZeroBases(input)`.
 *
 * Source: Triton, layout utilities.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { LinearLayout, LinearSpec, Result } from './linear-layout.js'
import { basesOf, inputNames, linearLayout } from './linear-layout.js'

// ---------------------------------------------------------------------------------------------- model

declare const legalColumnAction: unique symbol

/** Only `columnAction` and what is built from it make one. */
export interface ColumnAction {
  readonly input: string
  /** Bits of the old input. */
  readonly bits: number
  /** For every new bit the old one; distinct. */
  readonly action: ReadonlyArray<number>
  readonly [legalColumnAction]: true
}

export type ColumnActionError = 'linear.action' | 'linear.action-size' | 'linear.action-drops'

// ---------------------------------------------------------------------------------------- constructors

const isColumnAction = (plain: Omit<ColumnAction, typeof legalColumnAction>): plain is ColumnAction =>
  plain.action.every((bit) => Number.isInteger(bit) && bit >= 0 && bit < plain.bits) &&
  new Set(plain.action).size === plain.action.length

/** The action that makes old bit `action[i]` the new bit i. Refuses bits that are not there or listed twice. */
export const columnAction = (
  input: string,
  bits: number,
  action: ReadonlyArray<number>,
): E.Either<Failure<ColumnActionError>, ColumnAction> => {
  const plain = { input, bits, action }
  return isColumnAction(plain)
    ? E.right(plain)
    : refuse(
        'linear.action',
        `An action on the ${String(bits)} bits of ${input} must list distinct bits from 0 up, found ${action.join(', ')}`,
      )
}

export const identityAction = (
  input: string,
  bits: number,
): E.Either<Failure<ColumnActionError>, ColumnAction> =>
  columnAction(
    input,
    bits,
    Array.from({ length: bits }, (_, bit) => bit),
  )

/** The action that drops the zero bases of an input. */
export const dropZeroBases = (
  layout: LinearSpec,
  input: string,
): E.Either<Failure<ColumnActionError>, ColumnAction> => {
  const bases = basesOf(layout, input)
  return columnAction(
    input,
    bases.length,
    [...bases.keys()].filter((bit) => bases[bit]!.some((v) => v !== 0)),
  )
}

// ----------------------------------------------------------------------------------------- destructors

export const isIdentityAction = ({ bits, action }: ColumnAction): boolean =>
  action.length === bits && action.every((bit, i) => bit === i)

/** The layout with its bases picked. Refuses one whose input has another number of bits. */
export const actOnLayout =
  ({ input, bits, action }: ColumnAction) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    inputNames(layout).includes(input) && basesOf(layout, input).length === bits
      ? linearLayout({
          inputs: layout.inputs.map(({ name, bases }) => ({
            name,
            bases: name === input ? action.map((bit) => bases[bit]!) : bases,
          })),
          outputs: layout.outputs,
        })
      : refuse(
          'linear.size',
          `The action needs an input ${input} of ${String(bits)} bits, found ${String(basesOf(layout, input).length)}`,
        )

/** The values picked. Refuses another number of values than 2^bits. */
export const actOnValues =
  ({ input, bits, action }: ColumnAction) =>
  <A>(values: ReadonlyArray<A>): E.Either<Failure<ColumnActionError>, ReadonlyArray<A>> =>
    values.length === 2 ** bits
      ? E.right(
          Array.from(
            { length: 2 ** action.length },
            (_, x) => values[action.reduce((old, bit, i) => old + ((x >> i) & 1) * 2 ** bit, 0)]!,
          ),
        )
      : refuse(
          'linear.action-size',
          `The action on ${input} needs ${String(2 ** bits)} values, found ${String(values.length)}`,
        )

// ----------------------------------------------------------------------------------------- combinators

/** The action back. Refuses one that drops bits. */
export const inverse = ({
  input,
  bits,
  action,
}: ColumnAction): E.Either<Failure<ColumnActionError>, ColumnAction> =>
  action.length === bits
    ? columnAction(
        input,
        bits,
        action.map((_, bit) => action.indexOf(bit)),
      )
    : refuse(
        'linear.action-drops',
        `Only an action that keeps all ${String(bits)} bits of ${input} has an inverse, found ${String(action.length)}`,
      )

/** First `a`, then `b`. Refuses actions on different inputs, or a `b` for another number of bits than `a` leaves. */
export const andThen = (
  a: ColumnAction,
  b: ColumnAction,
): E.Either<Failure<ColumnActionError>, ColumnAction> =>
  a.input === b.input && a.action.length === b.bits
    ? columnAction(
        a.input,
        a.bits,
        b.action.map((bit) => a.action[bit]!),
      )
    : refuse(
        'linear.action-size',
        `An action that leaves ${String(a.action.length)} bits of ${a.input} cannot be followed by one on ${String(b.bits)} bits of ${b.input}`,
      )
