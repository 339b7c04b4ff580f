/**
 * Runs without data, and where that is not enough with data.
 *
 * Over the algebra with one value a run stands for all inputs, so that is what `check` and `trace` make. Where control or addresses depend on data it is
 * stopped (`algebra.control`); then the program is run once more over `bits`, on seeded inputs, and what is found is found on those.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { tensorsOf } from '../../kernels/reference.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import { broughtOf, countersOf, type Subject } from './subject.js'
import { algebraOf, chipOf, inputsOf } from './tensors.js'

/** Not checked where control or addresses depend on data: other data. */
export const otherInputs = ({ program, launched: module }: Subject): string => {
  const isSeeded =
    module === undefined ||
    tensorsOf(program).some(
      (p) => p.role !== 'out' && module.tensors.has(p.name) && !module.inputs.has(p.name),
    )
  const isBrought = (module?.inputs.size ?? 0) > 0
  const taken = [
    ...(isBrought ? ['the given ones'] : []),
    ...(isSeeded || !isBrought ? ['the seeded ones'] : []),
  ]
  return `inputs other than ${taken.join(' and ')} (control or addresses depend on data)`
}

export interface Taken<A> {
  readonly found: A
  /** inputs were seeded */
  readonly seeded: boolean
}

const bits = { _tag: 'bits' } as const

export const withDataIfWanted = <A>(
  subject: Subject,
  run: (algebra: Algebra, tensors: ReadonlyMap<string, Float64Array>) => E.Either<Failure, A>,
  wanted: (found: A) => boolean,
): E.Either<Failure, Taken<A>> =>
  pipe(
    run(unit, countersOf(subject)),
    E.chain((found): E.Either<Failure, Taken<A>> => {
      const bare = E.right({ found, seeded: false })
      if (!wanted(found)) return bare
      const { program, compiler } = subject
      const algebra = algebraOf(bits, chipOf(program), true, compiler)
      const tensors = inputsOf(program, algebra, bits, broughtOf(subject))
      return E.isLeft(tensors)
        ? bare
        : pipe(
            run(algebra, tensors.right),
            E.map((again) => ({ found: again, seeded: true })),
          )
    }),
  )
