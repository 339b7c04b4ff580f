/**
 * The outputs of a run, compared with what they are to hold.
 *
 * | what is known                                 | how it is compared                              |
 * |-----------------------------------------------|-------------------------------------------------|
 * | a launch says what an output holds            | bit for bit                                     |
 * | the program says what it computes             | bit for bit, with the naive way in its algebra  |
 * | the catalogue knows a formula (attention)     | within a tolerance, with f64                    |
 *
 * Only a run that completed has outputs to compare. One that differs makes the verdict a wrong result, unless its synchronisation is worse already.
 *
 * Law 1. A hazard stays a hazard, whatever the outputs are.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import { farthest, largest, type Excess, type Tolerance } from '../../../kernels/attention/tolerance.js'
import type { Expects, Near } from '../../../kernels/catalogue/index.js'
import type { Reference } from '../../../kernels/reference.js'
import { thousands } from '../../../render/table.js'
import { renamed, type Verdict } from '../../../semantics/judging/verdict.js'
import type { Program } from '../../../semantics/language/program.js'
import { compare, type Comparison } from '../../compare.js'
import type { LaunchedModule } from '../../launch/launched.js'
import type { Tensor } from '../../tensor-files/tensor.js'
import type { Over } from '../flags/machine.js'
import { outputOf, realsOf } from '../tensors.js'
import type { Finished } from './finished.js'
import type { Plan } from './plan.js'

/** Bit for bit, or near enough. */
export type Compared =
  | { readonly _tag: 'bits'; readonly outputs: ReadonlyArray<ComparedBits> }
  | { readonly _tag: 'near'; readonly name: string; readonly outputs: ReadonlyArray<NearBy> }

export interface ComparedBits {
  readonly tensor: string
  readonly comparison: Comparison
  /** what it is compared with */
  readonly name: string
}

/** How far an output is from what it is about. */
export interface NearBy {
  readonly tensor: string
  readonly elements: number
  readonly tolerance: Near['tolerance']
  /** of |v|, which an absolute bound grows with */
  readonly size: number
  readonly farthest: Excess | null
  readonly largestError: number
}

export const isGood = (c: Compared): boolean =>
  c._tag === 'bits' ? c.outputs.every((o) => o.comparison.equal) : c.outputs.every((o) => o.farthest === null)

/** A completed run whose output is not what the program says is a wrong result, whatever its synchronisation. */
export const withComparison = (v: Verdict, compared: Compared | null): Verdict =>
  compared !== null && !isGood(compared) && (v.verdict === 'ok' || v.verdict === 'undecided')
    ? renamed(
        v,
        'wrong-result',
        compared._tag === 'near' ? nearText(compared) : differText(firstDiffering(compared.outputs)),
      )
    : v

/** The bound that holds here, and what it comes from: it grows with the largest value. */
const boundText = ({ kind, bound }: Tolerance, size: number): string =>
  kind === 'relative'
    ? `${String(bound)} of the value`
    : size <= 1
      ? String(bound)
      : `${(bound * size).toExponential(1)} (${String(bound)} for values up to 1, here up to ${size.toPrecision(3)})`

const nearText = ({ name, outputs }: Extract<Compared, { readonly _tag: 'near' }>): string =>
  outputs
    .map(({ tensor, elements, tolerance, size, farthest: worst, largestError }) => {
      const bound = boundText(tolerance, size)
      return worst === null
        ? `${tensor}: ${thousands(elements)} elements are within ${bound} of ${name}; the farthest by ${largestError.toExponential(1)}`
        : `${tensor}: element ${thousands(worst.at)} is ${String(worst.found)}, and by ${name} ${String(worst.expected)}, which differs by more than ${bound}`
    })
    .join('; ')

export const firstDiffering = (outputs: ReadonlyArray<ComparedBits>): ComparedBits =>
  outputs.find((o) => !o.comparison.equal) ?? outputs[0]!

const differText = ({ comparison, name }: ComparedBits): string =>
  `${thousands(comparison.different)} of ${thousands(comparison.elements)} elements differ from ${name}`

export const comparisonText = (compared: Compared): string =>
  compared._tag === 'near'
    ? nearText(compared)
    : compared.outputs
        .map((o) =>
          o.comparison.equal
            ? differText(o)
            : `${differText(o)}; at most ${thousands(o.comparison.maxUlp)} ulp apart`,
        )
        .join('\n')

/** An output, and what it is to hold. */
interface Told {
  readonly tensor: string
  readonly name: string
  readonly expected: Tensor
}

/** What the launch of a module expects, else what the program says that it computes. */
const expectedOf = (
  program: Program,
  over: Over,
  module: LaunchedModule | undefined,
  reference: E.Either<Failure, Reference> | null,
): E.Either<Failure, ReadonlyArray<Told>> => {
  const expected = [...(module?.expected ?? [])]
  if (expected.length > 0)
    return E.right(
      expected.map(([tensor, { tensor: values, source }]) => ({ tensor, name: source, expected: values })),
    )
  if (reference === null) return E.right([])
  return pipe(
    reference,
    E.chain(({ tensor, name, values }) =>
      pipe(
        outputOf(program, over, tensor, values),
        E.map((held): ReadonlyArray<Told> => [{ tensor, name, expected: held }]),
      ),
    ),
  )
}

/** With a formula of the catalogue, as far as it allows. */
const comparedNear = (
  { subject: { program }, algebra }: Plan,
  expects: Expects,
  finished: Finished,
): E.Either<Failure, Compared> =>
  pipe(
    expects(algebra, finished.inputs),
    E.map(({ name, outputs }): Compared => ({
      _tag: 'near',
      name,
      outputs: outputs.map((near): NearBy => {
        const { tensor, values, tolerance, size } = near
        const carriers = finished.output(tensor) ?? new Float64Array(0)
        const found = realsOf(program, algebra, tensor, carriers)
        return {
          tensor,
          elements: values.length,
          tolerance,
          size,
          farthest: farthest(tolerance, found, values, size),
          largestError: largest(found.map((x, i) => (x === values[i] ? 0 : x - values[i]!))),
        }
      }),
    })),
  )

/** With what is known of each output, bit for bit. */
const comparedBits = ({ subject, over }: Plan, finished: Finished): E.Either<Failure, Compared | null> => {
  const { program, launched: module } = subject
  const { completes, reference } = finished
  return pipe(
    expectedOf(program, over, completes && over._tag === 'bits' ? module : undefined, reference),
    E.chain(
      E.traverseArray(({ tensor, name, expected }) =>
        pipe(
          outputOf(program, over, tensor, finished.output(tensor)),
          E.chainW((got) => compare(got, expected)),
          E.map((comparison): ComparedBits => ({ tensor, comparison, name })),
        ),
      ),
    ),
    E.map((outputs) => (outputs.length > 0 ? { _tag: 'bits', outputs } : null)),
  )
}

/** Null: there is nothing to compare with. */
export const comparedOf = (plan: Plan, finished: Finished): E.Either<Failure, Compared | null> => {
  const { expects } = plan.subject
  return finished.completes && plan.algebra.memory !== 'none' && expects !== undefined
    ? comparedNear(plan, expects, finished)
    : comparedBits(plan, finished)
}
