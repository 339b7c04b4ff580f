/**
 * What an equation is given: operands, uses of refs, parameters and jaxprs, each refused at its line where it is missing or of another kind.
 *
 * | asked for                                            | gives                                                    |
 * |------------------------------------------------------|----------------------------------------------------------|
 * | `operand(h, eqn, k)`, `scalarOperand`, `intOperand`, `conditionOperand`, `arrayOperand` | operand k, as what it must be |
 * | `use(h, eqn, name)`, `gmemUse`, `smemUse`, `tmemUse`, `barrierUse`, `semaphoreUse`, `accumulatorUse`, `uses` | a ref with what is applied to it |
 * | `flag`, `number`, `word`, `numbers`, `words`, `param` | a parameter                                              |
 * | `jaxprOf`, `jaxprsOf`                                | numbers of jaxprs                                        |
 */
import { isFloat, type Dtype } from '../../numerics/dtype.js'
import { of, type Build, type Steps } from '../../semantics/writing/builder.js'
import type { Condition, Expr, Int } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type * as Pallas from '../pallas/index.js'
import type { Json } from '../../wire.js'
import type { Eqn, Use } from './document.js'
import { refusedAt, type Here } from './here.js'
import { usedAs, type GmemUse, type SmemUse, type TmemUse, type Used } from './refs.js'
import { asI32, dtypeHere, intOf, valueOf } from './scalar-operands.js'
import { isRef, showKind, type ArrayValue, type Elaborated, type Scalar } from './values.js'
import { own } from '../../own.js'

export { asI32, dtypeHere, intOf, valueOf }

// ---------------------------------------------------------------- operands

export const operandCount = (eqn: Eqn): number => eqn.in?.length ?? 0

export const operand = function* (h: Here, eqn: Eqn, k: number): Steps<Elaborated> {
  const value = eqn.in?.[k]
  return value === undefined
    ? yield* refusedAt(h, eqn, 'jaxpr.form', `an operand ${String(k)}`, String(operandCount(eqn)))
    : yield* valueOf(h, eqn, value)
}

export const operands = function* (h: Here, eqn: Eqn): Steps<ReadonlyArray<Elaborated>> {
  const found: Elaborated[] = []
  for (let k = 0; k < operandCount(eqn); k++) found.push(yield* operand(h, eqn, k))
  return found
}

export const scalarOperand = function* (h: Here, eqn: Eqn, k: number): Steps<Scalar> {
  const found = yield* operand(h, eqn, k)
  return found._tag === 'scalar'
    ? found
    : yield* refusedAt(h, eqn, 'jaxpr.operand', `a scalar for operand ${String(k)}`, showKind(found))
}
export const arrayOperand = function* (h: Here, eqn: Eqn, k: number): Steps<ArrayValue> {
  const found = yield* operand(h, eqn, k)
  return found._tag === 'array'
    ? found
    : yield* refusedAt(h, eqn, 'jaxpr.operand', `an array for operand ${String(k)}`, showKind(found))
}
/** An integer of 32 bits. */
export const intOperand = function* (h: Here, eqn: Eqn, k: number): Steps<Int> {
  const found = yield* scalarOperand(h, eqn, k)
  return isFloat(found.dtype)
    ? yield* refusedAt(h, eqn, 'jaxpr.operand', `an integer for operand ${String(k)}`, showKind(found))
    : asI32(found)
}
export const conditionOperand = function* (h: Here, eqn: Eqn, k: number): Steps<Condition> {
  const found = yield* scalarOperand(h, eqn, k)
  return found.dtype === 'i1'
    ? checked<Condition, Expr>(found.expr)
    : yield* refusedAt(h, eqn, 'jaxpr.operand', `a truth value for operand ${String(k)}`, showKind(found))
}

// ---------------------------------------------------------------- uses

export const isUsed = (eqn: Eqn, name: string): boolean => own(eqn.uses, name) !== undefined

const isList = (u: Use | ReadonlyArray<Use>): u is ReadonlyArray<Use> => Array.isArray(u)

const ofUse = function* (h: Here, eqn: Eqn, name: string, { ref, view = [] }: Use): Steps<Used> {
  const found = yield* valueOf(h, eqn, ref)
  return isRef(found)
    ? yield* usedAs(h, eqn, found, view)
    : yield* refusedAt(h, eqn, 'jaxpr.operand', `a ref for ${name}`, showKind(found))
}

/** A ref, and all that is applied to it. */
export const use = function* (h: Here, eqn: Eqn, name: string): Steps<Used> {
  const found = own(eqn.uses, name)
  return found === undefined || isList(found)
    ? yield* refusedAt(h, eqn, 'jaxpr.form', `a ref for ${name}`, found === undefined ? 'none' : 'several')
    : yield* ofUse(h, eqn, name, found)
}
/** Several of them. */
export const uses = function* (h: Here, eqn: Eqn, name: string): Steps<ReadonlyArray<Used>> {
  const found = own(eqn.uses, name) ?? []
  const all: Used[] = []
  for (const one of isList(found) ? found : [found]) all.push(yield* ofUse(h, eqn, name, one))
  return all
}

const showUsed = (u: Used): string => {
  switch (u._tag) {
    case 'gmem':
    case 'smem':
    case 'tmem':
      return `${u.name} in ${u._tag.toUpperCase()}`
    case 'semaphore':
      return `the semaphore ${u.semaphore.name}`
    case 'barrier':
    case 'accumulator':
    case 'cell':
      return showKind(u)
  }
}

const usedIn =
  <T extends Used['_tag']>(tag: T, what: string) =>
  (h: Here, eqn: Eqn, name: string): Steps<Extract<Used, { readonly _tag: T }>> =>
    (function* () {
      const found = yield* use(h, eqn, name)
      return found._tag === tag
        ? checked<Extract<Used, { readonly _tag: T }>, Used>(found)
        : yield* refusedAt(h, eqn, 'jaxpr.operand', `${what} for ${name}`, showUsed(found))
    })()

/** A slice of GMEM, as copies take it (`copySide`), or a view (`gmemView`). */
export const gmemUse: (h: Here, eqn: Eqn, name: string) => Steps<GmemUse> = usedIn('gmem', 'a ref in GMEM')
export const smemUse: (h: Here, eqn: Eqn, name: string) => Steps<SmemUse> = usedIn('smem', 'a ref in SMEM')
export const tmemUse: (h: Here, eqn: Eqn, name: string) => Steps<TmemUse> = usedIn('tmem', 'a ref in TMEM')
/** Barriers of the surface, which have been indexed: the index of its operations is null. */
export const barrierUse = function* (h: Here, eqn: Eqn, name: string): Steps<Pallas.Barrier> {
  return (yield* usedIn('barrier', 'a barrier')(h, eqn, name)).barrier
}
export const semaphoreUse = function* (
  h: Here,
  eqn: Eqn,
  name: string,
): Steps<{ readonly semaphore: Pallas.Semaphore; readonly index: Int | null }> {
  return yield* usedIn('semaphore', 'a semaphore')(h, eqn, name)
}
export const accumulatorUse = function* (
  h: Here,
  eqn: Eqn,
  name: string,
): Steps<Pallas.Accumulator<Pallas.AccumulatorDtype>> {
  return (yield* usedIn('accumulator', 'an accumulator')(h, eqn, name)).acc
}

// ---------------------------------------------------------------- parameters

export const param = (eqn: Eqn, name: string): Json | undefined => own(eqn.params, name)

const wrong = (h: Here, eqn: Eqn, name: string, expected: string): Build<never> =>
  refusedAt(h, eqn, 'jaxpr.param', `${name} = ${expected}`, JSON.stringify(param(eqn, name)) ?? 'none')

export const flag = (eqn: Eqn, name: string): boolean => param(eqn, name) === true
/** Every number among the parameters of an operation counts something: JSON's `1e999` and `0.5` are none. */
const isInteger = (x: Json | undefined): x is number => typeof x === 'number' && Number.isSafeInteger(x)
export const number = (h: Here, eqn: Eqn, name: string, instead?: number): Build<number> => {
  const found = param(eqn, name)
  if (isInteger(found)) return of(found)
  return found == null && instead !== undefined ? of(instead) : wrong(h, eqn, name, 'an integer')
}
export const word = (h: Here, eqn: Eqn, name: string): Build<string> => {
  const found = param(eqn, name)
  return typeof found === 'string' ? of(found) : wrong(h, eqn, name, 'a word')
}
const isNumbers = (x: Json | undefined): x is ReadonlyArray<number> => Array.isArray(x) && x.every(isInteger)
export const numbers = (h: Here, eqn: Eqn, name: string): Build<ReadonlyArray<number>> => {
  const found = param(eqn, name)
  return isNumbers(found) ? of(found) : wrong(h, eqn, name, 'some integers')
}
const isWords = (x: Json | undefined): x is ReadonlyArray<string> =>
  Array.isArray(x) && x.every((n) => typeof n === 'string')
/** Names of axes: one, several, or none. */
export const words = (h: Here, eqn: Eqn, name: string): Build<ReadonlyArray<string>> => {
  const found = param(eqn, name)
  if (found == null) return of([])
  if (typeof found === 'string') return of([found])
  return isWords(found) ? of(found) : wrong(h, eqn, name, 'some words')
}
export const dtypeParam = function* (h: Here, eqn: Eqn, name: string): Steps<Dtype> {
  return yield* dtypeHere(h, eqn, yield* word(h, eqn, name))
}

// ---------------------------------------------------------------- jaxprs

export const jaxprOf = (h: Here, eqn: Eqn, name: string): Build<number> => {
  const found = own(eqn.jaxprs, name)
  return typeof found === 'number' ? of(found) : refusedAt(h, eqn, 'jaxpr.form', `a jaxpr ${name}`, 'none')
}
export const jaxprsOf = (h: Here, eqn: Eqn, name: string): Build<ReadonlyArray<number>> => {
  const found = own(eqn.jaxprs, name)
  return found === undefined
    ? refusedAt(h, eqn, 'jaxpr.form', `jaxprs ${name}`, 'none')
    : of(typeof found === 'number' ? [found] : found)
}
