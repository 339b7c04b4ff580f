/**
 * Structured control: `scf.for`, `scf.while`, `scf.if`, and `scf.yield` at the end of their regions.
 *
 *     %r:2 = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %cst, %i = %c2) {       scfFor('k', { from: c0, to: K, step: c32,
 *       ...                                                                            iterArgs: { acc: cst, i: c2 } }, function* (k, c) {
 *       scf.yield %acc2, %i2                                                             ... return { acc: acc2, i: i2 }
 *     }                                                                              })
 *
 * What a region yields is what its body returns, by the names of the iter_args; the loop gives the last ones under the same names. What an
 * iter_arg is a loop does not change: a tensor keeps its encoding.
 *
 * Source: MLIR, scf dialect.
 */
import {
  block,
  forRange,
  ifThen,
  typeHere,
  whileLoop,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/writing/builder.js'
import type { Condition, Expr, Int } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { accepts } from '../../semantics/language/typecheck.js'
import type { Type, TypeIndex } from '../../semantics/language/types.js'
import { refused, type Code } from './codes.js'
import { shown } from './tensor.js'

type Indices = Readonly<Record<string, TypeIndex>>
type Untyped = Readonly<Record<string, Expr>>

/** Yields one value for each name, of the type that it has. */
const yielded = (
  label: string,
  code: Code,
  types: ReadonlyArray<readonly [name: string, type: Type]>,
  values: Untyped,
): Build<void> =>
  block(function* () {
    const names = types.map(([name]) => name)
    const extra = Object.keys(values).find((name) => !names.includes(name))
    const missing = names.find((name) => values[name] === undefined)
    if (extra !== undefined || missing !== undefined)
      return yield* refused(
        code,
        `${label}: a region yields a value for each of ${names.join(', ') || 'nothing'}, found ${missing === undefined ? `one for ${String(extra)}` : `none for ${missing}`}`,
      )
    for (const [name, type] of types) {
      const found = yield* typeHere(values[name]!)
      if (!accepts(type, found))
        return yield* refused(
          code,
          `${label}: what is yielded for ${name} must have its type, ${shown(type)}, found ${shown(found)}`,
        )
    }
  })

const typesHere = (values: Untyped): Build<ReadonlyArray<readonly [string, Type]>> =>
  block(function* () {
    const types: (readonly [string, Type])[] = []
    for (const [name, value] of Object.entries(values)) types.push([name, yield* typeHere(value)])
    return types
  })

const asRecord = (value: unknown): Untyped =>
  typeof value === 'object' && value !== null ? checked<Untyped, object>(value) : {}

// ---------------------------------------------------------------- for

export interface ForOptions {
  readonly from: Int
  readonly to: Int
  readonly step: Int
}
type ScfFor = {
  (label: string, options: ForOptions, body: (index: Int) => Steps<void>): Build<void>
  <C extends Indices>(
    label: string,
    options: ForOptions & { readonly iterArgs: Exprs<C> },
    body: (index: Int, args: Exprs<C>) => Steps<Exprs<C>>,
  ): Build<Exprs<C>>
}
/** `scf.for %label = %from to %to step %step iter_args(...)`: the label is the index's name. */
export const scfFor: ScfFor = (
  label: string,
  options: ForOptions & { readonly iterArgs?: Untyped },
  body: (index: Int, args: never) => Steps<unknown>,
): Build<never> =>
  block(function* () {
    const { from, to, step, iterArgs = {} } = options
    if (step._tag === 'const' && Number(step.value) <= 0)
      return yield* refused(
        'ttng.scf_for.step',
        `${label}: the step of a loop is greater than 0, found ${String(step.value)}`,
      )
    const types = yield* typesHere(iterArgs)
    const results = yield* forRange<Indices>(
      { label, from, to, step, carried: checked<Exprs<Indices>, Untyped>(iterArgs) },
      function* (index, args) {
        const next = asRecord(yield* body(index, checked<never, Exprs<Indices>>(args)))
        yield* yielded(label, 'ttng.scf_for.yield', types, next)
        return checked<Exprs<Indices>, Untyped>(next)
      },
    )
    return checked<never, Exprs<Indices>>(results)
  })

// ---------------------------------------------------------------- while

/** `scf.while (...) { scf.condition } do { scf.yield }`: the values that the condition passes on are the
 * arguments of the body and the results of the loop. */
export const scfWhile = <C extends Indices, A extends Indices = C>(
  label: string,
  inits: Exprs<C>,
  before: (args: Exprs<C>) => Steps<readonly [condition: Condition, args: Exprs<A>]>,
  after: (args: Exprs<A>) => Steps<Exprs<C>>,
): Build<Exprs<A>> =>
  block(function* () {
    const types = yield* typesHere(asRecord(inits))
    return yield* whileLoop<C, A>({ label, carried: inits }, before, function* (args) {
      const next = yield* after(args)
      yield* yielded(label, 'ttng.scf_while.yield', types, asRecord(next))
      return next
    })
  })

// ---------------------------------------------------------------- if

type ScfIf = {
  (label: string, condition: Condition, then: () => Steps<void>, otherwise?: () => Steps<void>): Build<void>
  <C extends Indices>(
    label: string,
    condition: Condition,
    then: () => Steps<Exprs<C>>,
    otherwise: () => Steps<Exprs<C>>,
  ): Build<Exprs<C>>
}
/** `scf.if %condition { ... } else { ... }`: both regions yield the same names and types. */
export const scfIf: ScfIf = (
  label: string,
  condition: Condition,
  then: () => Steps<unknown>,
  otherwise?: () => Steps<unknown>,
): Build<never> =>
  block(function* () {
    const type = yield* typeHere(condition)
    if (type._tag !== 'scalar' || type.dtype !== 'i1')
      return yield* refused('ttng.scf_if.condition', `${label}: a condition is an i1, found ${shown(type)}`)
    let types: ReadonlyArray<readonly [string, Type]> = []
    const results = yield* ifThen<Indices>(
      label,
      condition,
      function* () {
        const first = asRecord(yield* then())
        types = yield* typesHere(first)
        return checked<Exprs<Indices>, Untyped>(first)
      },
      function* () {
        const second = asRecord(otherwise === undefined ? {} : yield* otherwise())
        yield* yielded(label, 'ttng.scf_if.yield', types, second)
        return checked<Exprs<Indices>, Untyped>(second)
      },
    )
    return checked<never, Exprs<Indices>>(results)
  })
