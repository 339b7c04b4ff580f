/** The operations of `conformance/layouts/linear.json`: exact bases that Triton's own unit tests state. */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/failure.js'
import * as A from '../../../src/layouts/linear/algebra.js'
import * as Action from '../../../src/layouts/linear/column-action.js'
import { numConsecutiveInOut } from '../../../src/layouts/linear/consecutive.js'
import { equalIgnoringOutDimSizes, sameLinear } from '../../../src/layouts/linear/equality.js'
import * as Fit from '../../../src/layouts/linear/fit.js'
import * as Inverse from '../../../src/layouts/linear/inverse.js'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import * as Reshape from '../../../src/layouts/linear/reshape.js'
import { right } from '../../either.js'

interface Case {
  readonly name: string
  readonly group: string
  readonly inputs: { readonly op: string; readonly args: readonly unknown[] }
  readonly expectedBases?: Readonly<Record<string, readonly (readonly number[])[]>> | null
  readonly expectedOutDims?: readonly L.Dimension[]
  readonly expectedInDimOrder?: readonly string[]
  readonly expected?: unknown
}

const file: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../../conformance/layouts/linear.json', import.meta.url), 'utf8'),
)

// ------------------------------------------------------------------------------------ readers of arguments

const layout = (arg: unknown): L.LinearLayout => {
  const { inDims, outDims } = arg as { inDims: readonly L.LinearInput[]; outDims: readonly L.Dimension[] }
  return right(L.linearLayout({ inputs: inDims, outputs: outDims }))
}
const text = (arg: unknown): string => arg as string
const number = (arg: unknown): number => arg as number
const names = (arg: unknown): readonly string[] => (Array.isArray(arg) ? arg : [arg]) as readonly string[]
const numbers = (arg: unknown): readonly number[] => arg as readonly number[]
/** `[[name, size], ...]`, `[{ name, size }, ...]` or `{ name: size, ... }`. */
const sizes = (arg: unknown): readonly L.Dimension[] =>
  (Array.isArray(arg) ? arg : Object.entries(arg as object)).map((one) =>
    Array.isArray(one) ? { name: one[0] as string, size: one[1] as number } : (one as L.Dimension),
  )

// ----------------------------------------------------------------------------------------------- dispatch

type Answer =
  E.Either<Failure, unknown> | O.Option<unknown> | boolean | number | readonly unknown[] | L.LinearLayout

const pairs = (masks: ReturnType<typeof Inverse.freeVariableMasks>): Answer =>
  masks.map(({ name, mask }) => [name, mask])

/** Every operation by the names it goes by. */
const operations: Readonly<Record<string, (...args: readonly unknown[]) => Answer>> = {
  empty: () => L.empty,
  identity1D: (n, i, o) => L.identity1D(number(n), text(i), text(o)),
  strided1D: (n, s, i, o) => L.strided1D(number(n), number(s), text(i), text(o)),
  zeros1D: (n, i, o, size) =>
    L.zeros1D(number(n), text(i), text(o), ...(size === undefined ? [] : [number(size)])),
  construct: (l) => layout(l),
  inferred: (inputs, outs) => L.linearLayoutInferred(inputs as readonly L.LinearInput[], names(outs)),
  apply: (l, at) => L.apply(layout(l))(Object.fromEntries(at as readonly (readonly [string, number])[])),
  product: (...ls) => A.products(ls.map(layout)),
  divideLeft: (a, b) => A.divideLeft(layout(a), layout(b)),
  divideRight: (a, b) => A.divideRight(layout(a), layout(b)),
  compose: (a, b) => A.compose(layout(a), layout(b)),
  supremum: (a, b) => A.supremum(names(a), names(b)),
  sublayout: (l, i, o) => A.sublayout(names(i), names(o))(layout(l)),
  sublayoutIsZero: (l, i, o) => A.sublayoutIsZero(names(i), names(o))(layout(l)),
  quotient: (l, d) => A.quotient(names(d))(layout(l)),
  isTrivialOver: (l, d) => A.isTrivialOver(names(d))(layout(l)),
  isIdentityOnOutDim: (l, d) => A.isIdentityOnOutDim(text(d))(layout(l)),
  concatIns: (a, b) => A.concatIns(layout(a), layout(b)),
  concatOuts: (a, b) => A.concatOuts(layout(a), layout(b)),
  resizeInDim: (l, d, n) => A.resizeIn(text(d), number(n))(layout(l)),
  resizeOutDim: (l, d, n) => A.resizeOut(text(d), number(n))(layout(l)),
  removeZeroBasesAlongDim: (l, d) => A.removeZeroBases(text(d))(layout(l)),
  renameInDim: (l, a, b) => A.renameIn(text(a), text(b))(layout(l)),
  renameOutDim: (l, a, b) => A.renameOut(text(a), text(b))(layout(l)),
  transposeIns: (l, o) => Reshape.transposeIns(names(o))(layout(l)),
  transposeOuts: (l, o) => Reshape.transposeOuts(names(o))(layout(l)),
  reshapeIns: (l, s) => Reshape.reshapeIns(sizes(s))(layout(l)),
  reshapeOuts: (l, s) => Reshape.reshapeOuts(sizes(s))(layout(l)),
  flattenIns: (l) => Reshape.flattenIns(layout(l)),
  flattenOuts: (l) => Reshape.flattenOuts(layout(l)),
  squeezeIn: (l, d) => Reshape.squeezeIn(text(d))(layout(l)),
  squeezeOut: (l, d) => Reshape.squeezeOut(text(d))(layout(l)),
  invert: (l) => Inverse.invert(layout(l)),
  pseudoinvert: (l) => Inverse.pseudoinvert(layout(l)),
  invertAndCompose: (a, b) => Inverse.invertAndCompose(layout(a), layout(b)),
  invertAndComposeBlockLocal: (a, b) => Inverse.invertAndComposeBlockLocal(layout(a), layout(b)),
  freeVariableMasks: (l) => pairs(Inverse.freeVariableMasks(layout(l))),
  isSurjective: (l) => L.isSurjective(layout(l)),
  isInjective: (l) => L.isInjective(layout(l)),
  isInvertible: (l) => Inverse.isInvertible(layout(l)),
  rank: (l) => L.rank(layout(l)),
  numConsecutiveInOut: (l) => numConsecutiveInOut(layout(l)),
  equal: (a, b) => sameLinear(layout(a), layout(b)),
  equalIgnoringOutDimSizes: (a, b) => equalIgnoringOutDimSizes(layout(a), layout(b)),
  ensureNotSmaller: (l, s) => Fit.ensureNotSmaller(sizes(s))(layout(l)),
  ensureNotLarger: (l, s) => Fit.ensureNotLarger(sizes(s))(layout(l)),
  combine: (cta, cga, s) => Fit.combine(layout(cta), layout(cga), sizes(s)),
  columnAction: (action, dim, bits, l) =>
    pipe(
      Action.columnAction(text(dim), number(bits), numbers(action)),
      E.chainW((one) => Action.actOnLayout(one)(layout(l))),
    ),
}

const synonyms: Readonly<Record<string, string>> = {
  layout: 'construct',
  identity: 'identity1D',
  strided: 'strided1D',
  zeros: 'zeros1D',
  multiply: 'product',
  mul: 'product',
  equals: 'equal',
  operatorEquals: 'equal',
  '==': 'equal',
  '*': 'product',
  getNumConsecutiveInOut: 'numConsecutiveInOut',
  getFreeVariableMasks: 'freeVariableMasks',
  resizeIn: 'resizeInDim',
  resizeOut: 'resizeOutDim',
  renameIn: 'renameInDim',
  renameOut: 'renameOutDim',
  removeZeroBases: 'removeZeroBasesAlongDim',
  unsqueezeIn: 'squeezeIn',
  unsqueezeOut: 'squeezeOut',
  ensureLayoutNotSmallerThan: 'ensureNotSmaller',
  ensureLayoutNotLargerThan: 'ensureNotLarger',
  combineCtaCgaWithShape: 'combine',
}

/** The bare value; a quotient that does not exist is null, and so is what must be refused. */
const value = (answer: Answer, refusal: boolean): unknown => {
  if (typeof answer !== 'object' || !('_tag' in answer)) return answer
  switch (answer._tag) {
    case 'Left':
      if (refusal) return null
      throw new Error(`${answer.left.code}: ${answer.left.message}`)
    case 'Right':
      return answer.right
    case 'None':
      return null
    case 'Some':
      return answer.value
    default:
      return answer
  }
}

const run = ({ inputs: { op, args }, expected, expectedBases }: Case): unknown => {
  const name = [op, synonyms[op]].find((known) => known !== undefined && Object.hasOwn(operations, known))
  if (name === undefined) throw new Error(`no operation ${op}`)
  return value(operations[name]!(...args), expected === null || expectedBases === null)
}

// -------------------------------------------------------------------------------------------------- cases

const cases = file.cases.filter((one) => one.group === 'operation')

describe('operations', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const answer = run(one)
    if (!one.expectedBases) expect(answer).toEqual(one.expected ?? null)
    else {
      const { inputs, outputs } = answer as L.LinearLayout
      const order = one.expectedInDimOrder ?? Object.keys(one.expectedBases)
      expect(inputs).toEqual(order.map((name) => ({ name, bases: one.expectedBases![name] })))
      if (one.expectedOutDims !== undefined) expect(outputs).toEqual(one.expectedOutDims)
    }
  })

  test('an operation that nobody knows is no silent pass', () => {
    expect(cases.length).toBeGreaterThanOrEqual(31)
    expect(() => run({ ...cases[0]!, inputs: { op: 'toString', args: [] } })).toThrow('no operation')
  })
})
