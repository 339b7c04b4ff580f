/**
 * Runs without data, and where that is not enough with data.
 *
 * Over the algebra with one value a run stands for all inputs, so that is what `check` and `trace` make. Where control or addresses depend on data it is
 * stopped (`algebra.control`); then the program is run once more over `bits`, on inputs that were brought or are of a data set, and what is found is found on
 * those (`on-data-sets.ts`).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { tensorsOf } from '../../kernels/reference.js'
import { isFloat } from '../../numerics/dtype.js'
import { encoder } from '../../numerics/float-format.js'
import { valueOf, type DataSet } from '../launch/data-sets.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import { broughtOf, countersOf, type Subject } from './subject.js'
import { algebraOf, chipOf, inputsOf } from './tensors.js'

/** Names of inputs that were not brought; what else a module has is scratch. */
export const seededIn = (subject: Subject): ReadonlyArray<string> => {
  const brought = broughtOf(subject)
  return tensorsOf(subject.program).flatMap(({ name, role }) =>
    role === 'out' || brought.has(name) || subject.launched?.tensors.has(name) === false ? [] : [name],
  )
}

/** Not checked where control or addresses depend on data: other data. */
export const otherInputs = (subject: Subject): string => {
  const isBrought = (subject.launched?.inputs.size ?? 0) + subject.given.size > 0
  const taken = [
    ...(isBrought ? ['the given ones'] : []),
    ...(seededIn(subject).length > 0 || !isBrought ? ['the seeded ones'] : []),
  ]
  return `inputs other than ${taken.join(' and ')} (control or addresses depend on data)`
}

const bits = { _tag: 'bits' } as const

/** A run with data. */
export interface WithData {
  readonly algebra: Algebra
  readonly tensors: ReadonlyMap<string, Float64Array>
}

/** Inputs that were brought as they are, the others of a set. Null: there are none without data. */
export const dataOf = (subject: Subject, set: DataSet): WithData | null => {
  const { program, compiler } = subject
  const algebra = algebraOf(bits, chipOf(program), true, compiler)
  const seeded = inputsOf(program, algebra, bits, broughtOf(subject))
  if (E.isLeft(seeded)) return null
  if (set === 'random') return { algebra, tensors: seeded.right }
  const open = seededIn(subject)
  const tensors = tensorsOf(program).flatMap(({ name, dtype }, number) => {
    const data = seeded.right.get(name)
    if (data === undefined) return []
    if (!open.includes(name)) return [[name, data] as const]
    const value = valueOf(set, data.length, number)
    const pattern = isFloat(dtype) ? encoder(dtype) : (x: number): number => x
    return [[name, Float64Array.from(data, (_, i) => pattern(value(i)))] as const]
  })
  return { algebra, tensors: new Map(tensors) }
}

/** A run without data, and one with the usual ones where that is not enough. */
export const withDataIfWanted = <A>(
  subject: Subject,
  run: (algebra: Algebra, tensors: ReadonlyMap<string, Float64Array>) => E.Either<Failure, A>,
  wanted: (found: A) => boolean,
): E.Either<Failure, A> =>
  pipe(
    run(unit, countersOf(subject)),
    E.chain((found) => {
      const data = wanted(found) ? dataOf(subject, 'random') : null
      return data === null ? E.right(found) : run(data.algebra, data.tensors)
    }),
  )
