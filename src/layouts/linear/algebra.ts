/**
 * Building layouts out of layouts.
 *
 * The product A * B is the direct sum: A acts on the low bits of every dimension, B on the bits above. Inputs that both
 * have get A's bases and then B's, and on outputs that both have B's values are multiplied by A's size.
 *
 *     identity1D(2, register, dim1) * identity1D(4, lane, dim1) * identity1D(8, lane, dim0)
 *       = register [1, 0];  lane [2, 0] [4, 0] [0, 1] [0, 2] [0, 4];  outputs dim1 8, dim0 8
 *
 * A dimension that a layout does not have counts as one of size 1. The dimensions of a product are those of both, in an
 * order that respects both orders, A's first where there is a choice; there is none if the orders conflict.
 *
 * Composition is that of functions. A sublayout sets the inputs that are left out to 0 and forgets the outputs that are.
 *
 * Names: Triton `*`, `compose`, `sublayout`, `divideLeft`, `quotient`, `concatIns`, `resizeInDim`,
 * `removeZeroBasesAlongDim`. CuTe's `logical_product` of compact layouts is a product, its `composition` a composition.
 *
 * Laws
 * 1. (A * B)(a + |A| b) = A(a) + |A| B(b), coordinate by coordinate. `empty` is the unit; the product is associative where
 *    both sides exist, up to the order of the dimensions (x times y times (y, x) has one only if y times (y, x) goes
 *    first). A product of surjective layouts is surjective.
 * 2. `supremum(a, b)` has the names of both once; a and b are sublists of it.
 * 3. `divideLeft(B * C, B) = C` and `divideRight(B * C, C) = B` up to dimensions of size 1 (a quotient keeps all
 *    dimensions of the dividend); a quotient that exists multiplies back to the dividend.
 * 4. `compose(inner, outer)(x) = outer(inner(x))`; associative.
 * 5. `sublayout(i, o)(x) = l(x)` at outputs o where the inputs outside i are 0.
 * 6. `quotient(d)` exists exactly when `l` is the identity from d to d and nothing else enters or leaves d; then
 *    l is the quotient beside that identity.
 * 7. `concatIns(a, b)(x, y) = a(x) xor b(y)`; `concatOuts(a, b)(x) = (a(x), b(x))`.
 * 8. `resizeIn` is the restriction to a smaller input; `resizeOut` zeroes the basis coordinates that no longer fit.
 *
 * Source: Triton, LinearLayout (arXiv 2505.23819).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse } from '../../failure.js'
import type { Index } from '../../transforms/shape.js'
import { sameDimensions, sameLinear, sameNames } from './equality.js'
import type { Dimension, LinearInput, LinearLayout, LinearSpec, Result } from './linear-layout.js'
import {
  apply,
  basesOf,
  empty,
  inputDimensions,
  inputNames,
  inputSize,
  isPowerOfTwo,
  linearLayout,
  outputNames,
  outputSize,
  showDimensions,
} from './linear-layout.js'

// ---------------------------------------------------------------------------------------- requirements

/** The names, if each is one of those known. */
const among = (
  what: string,
  known: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
): Result<ReadonlyArray<string>> => {
  const stranger = names.find((name) => !known.includes(name))
  return stranger === undefined
    ? E.right(names)
    : refuse('linear.dimension', `No ${what} ${stranger} among ${known.join(', ')}`)
}

const noInput = (layout: LinearSpec, name: string): Result<ReadonlyArray<string>> =>
  among('input', inputNames(layout), [name])
const noOutput = (layout: LinearSpec, name: string): Result<ReadonlyArray<string>> =>
  among('output', outputNames(layout), [name])

const mapBases = (
  layout: LinearSpec,
  f: (basis: Index, bit: number, input: string) => Index,
): ReadonlyArray<LinearInput> =>
  layout.inputs.map(({ name, bases }) => ({ name, bases: bases.map((basis, bit) => f(basis, bit, name)) }))

// --------------------------------------------------------------------------------------------- product

/** The names of both lists in an order that respects both; the first list's names first where there is a choice. */
export const supremum = (
  a: ReadonlyArray<string>,
  b: ReadonlyArray<string>,
): Result<ReadonlyArray<string>> => {
  const merged: string[] = []
  let [restA, restB] = [a, b]
  while (restA.length + restB.length > 0) {
    // A name that the other list has too waits until it is the other list's turn for it.
    const next = [
      { head: restA[0], other: restB },
      { head: restB[0], other: restA },
    ].find(({ head, other }) => head !== undefined && other.indexOf(head) <= 0)?.head
    if (next === undefined)
      return refuse(
        'linear.order',
        `Dimensions ${a.join(', ')} and ${b.join(', ')} list ${restA[0]!} and ${restB[0]!} in different orders`,
      )
    merged.push(next)
    restA = restA.filter((name) => name !== next)
    restB = restB.filter((name) => name !== next)
  }
  return E.right(merged)
}

/** The direct sum: `a` on the low bits, `b` above. Refuses layouts that list common dimensions in different orders. */
export const product = (a: LinearSpec, b: LinearSpec): Result<LinearLayout> =>
  pipe(
    E.Do,
    E.apS('inputs', supremum(inputNames(a), inputNames(b))),
    E.apS('outputs', supremum(outputNames(a), outputNames(b))),
    E.chain(({ inputs, outputs }) => {
      const spread = (layout: LinearSpec, scale: (name: string) => number): ((basis: Index) => Index) => {
        const known = outputNames(layout)
        const from = outputs.map((name) => ({ d: known.indexOf(name), by: scale(name) }))
        return (basis) => from.map(({ d, by }) => (basis[d] ?? 0) * by)
      }
      const low = spread(a, () => 1)
      const above = spread(b, (out) => outputSize(a, out))
      return linearLayout({
        inputs: inputs.map((name) => ({
          name,
          bases: [...basesOf(a, name).map(low), ...basesOf(b, name).map(above)],
        })),
        outputs: outputs.map((name) => ({ name, size: outputSize(a, name) * outputSize(b, name) })),
      })
    }),
  )

/** Their product from left to right; `empty` if there are none. */
export const products = ([first = empty, ...others]: ReadonlyArray<LinearLayout>): Result<LinearLayout> =>
  others.reduce<Result<LinearLayout>>(
    (done, factor) => (E.isLeft(done) ? done : product(done.right, factor)),
    E.right(first),
  )

/** The sizes left when `b` takes its part of every output of `a`; not a size if it takes too much. */
const remaining = (a: LinearSpec, b: LinearSpec): ReadonlyArray<Dimension> =>
  a.outputs.map(({ name, size }) => ({ name, size: size / outputSize(b, name) }))

/** The candidate, if it is a layout and multiplies back. */
const checked =
  (a: LinearSpec, times: (c: LinearLayout) => Result<LinearLayout>) =>
  (candidate: LinearSpec): O.Option<LinearLayout> =>
    pipe(
      linearLayout(candidate),
      O.fromEither,
      O.filter((c) =>
        pipe(
          times(c),
          E.exists((whole) => sameLinear(whole, a)),
        ),
      ),
    )

/** The C of all dimensions of `a` with `a = b * C`, if there is one. */
export const divideLeft = (a: LinearSpec, b: LinearSpec): O.Option<LinearLayout> =>
  checked(a, (c) => product(b, c))({
    inputs: a.inputs.map(({ name, bases }) => ({
      name,
      bases: bases
        .slice(basesOf(b, name).length)
        .map((basis) => basis.map((v, d) => v / outputSize(b, a.outputs[d]!.name))),
    })),
    outputs: remaining(a, b),
  })

/** The C of all dimensions of `a` with `a = C * b`, if there is one. */
export const divideRight = (a: LinearSpec, b: LinearSpec): O.Option<LinearLayout> =>
  checked(a, (c) => product(c, b))({
    inputs: a.inputs.map(({ name, bases }) => ({
      name,
      bases: bases.slice(0, bases.length - basesOf(b, name).length),
    })),
    outputs: remaining(a, b),
  })

// ----------------------------------------------------------------------------------------- composition

/** `outer` after `inner`. The outputs of `inner` must be the inputs of `outer`, in any order, and no larger. */
export const compose = (inner: LinearSpec, outer: LinearSpec): Result<LinearLayout> => {
  if (!sameNames(outputNames(inner), inputNames(outer)))
    return refuse(
      'linear.dimension',
      `Expected the outputs ${showDimensions(inner.outputs)} to be the inputs ${showDimensions(inputDimensions(outer))}`,
    )
  const large = inner.outputs.find(({ name, size }) => size > inputSize(outer, name))
  if (large !== undefined)
    return refuse(
      'linear.size',
      `Output ${large.name} of size ${String(large.size)} does not fit into the input of size ${String(inputSize(outer, large.name))}`,
    )
  const outerAt = apply(outer)
  return linearLayout({
    inputs: mapBases(inner, (basis) =>
      outerAt(Object.fromEntries(inner.outputs.map(({ name }, d) => [name, basis[d]!]))),
    ),
    outputs: outer.outputs,
  })
}

// ------------------------------------------------------------------------------------------- sublayout

/** Only these inputs and outputs, in the layout's order. */
export const sublayout =
  (inputs: ReadonlyArray<string>, outputs: ReadonlyArray<string>) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    pipe(
      E.Do,
      E.chain(() => among('input', inputNames(layout), inputs)),
      E.chain(() => among('output', outputNames(layout), outputs)),
      E.chain(() => {
        const kept = layout.outputs.map(({ name }) => outputs.includes(name))
        return linearLayout({
          inputs: mapBases(layout, (basis) => basis.filter((_, d) => kept[d]!)).filter(({ name }) =>
            inputs.includes(name),
          ),
          outputs: layout.outputs.filter((_, d) => kept[d]!),
        })
      }),
    )

const isZero = (basis: Index): boolean => basis.every((v) => v === 0)

/** Do these inputs leave these outputs at 0? */
export const sublayoutIsZero =
  (inputs: ReadonlyArray<string>, outputs: ReadonlyArray<string>) =>
  (layout: LinearSpec): Result<boolean> =>
    pipe(
      sublayout(inputs, outputs)(layout),
      E.map((part) => part.inputs.every(({ bases }) => bases.every(isZero))),
    )

/** Is output `name` always the coordinate of input `name`, and of the same size? */
export const isIdentityOnOutDim =
  (name: string) =>
  (layout: LinearSpec): boolean => {
    const d = outputNames(layout).indexOf(name)
    return (
      d >= 0 &&
      inputNames(layout).includes(name) &&
      inputSize(layout, name) === layout.outputs[d]!.size &&
      layout.inputs.every((input) =>
        input.bases.every((basis, bit) => basis[d] === (input.name === name ? 2 ** bit : 0)),
      )
    )
  }

/** Is the layout the identity on these dimensions, and does nothing else enter or leave them? */
export const isTrivialOver =
  (names: ReadonlyArray<string>) =>
  (layout: LinearSpec): boolean =>
    names.every(
      (name) =>
        isIdentityOnOutDim(name)(layout) &&
        basesOf(layout, name).every((basis) =>
          basis.every((v, d) => v === 0 || layout.outputs[d]!.name === name),
        ),
    )

/** Without these dimensions, on which the layout must be trivial. */
export const quotient =
  (names: ReadonlyArray<string>) =>
  (layout: LinearSpec): O.Option<LinearLayout> => {
    const others = (all: ReadonlyArray<string>): ReadonlyArray<string> =>
      all.filter((name) => !names.includes(name))
    return isTrivialOver(names)(layout)
      ? O.fromEither(sublayout(others(inputNames(layout)), others(outputNames(layout)))(layout))
      : O.none
  }

// ---------------------------------------------------------------------------------------- side by side

/** The inputs of both. The outputs must be the same and the inputs distinct. */
export const concatIns = (a: LinearSpec, b: LinearSpec): Result<LinearLayout> =>
  sameDimensions(a.outputs, b.outputs)
    ? linearLayout({ inputs: [...a.inputs, ...b.inputs], outputs: a.outputs })
    : refuse(
        'linear.dimension',
        `Expected the same outputs, found ${showDimensions(a.outputs)} and ${showDimensions(b.outputs)}`,
      )

/** The outputs of both. The inputs must be the same and the outputs distinct. */
export const concatOuts = (a: LinearSpec, b: LinearSpec): Result<LinearLayout> =>
  sameDimensions(inputDimensions(a), inputDimensions(b))
    ? linearLayout({
        inputs: mapBases(a, (basis, bit, name) => [...basis, ...basesOf(b, name)[bit]!]),
        outputs: [...a.outputs, ...b.outputs],
      })
    : refuse(
        'linear.dimension',
        `Expected the same inputs, found ${showDimensions(inputDimensions(a))} and ${showDimensions(inputDimensions(b))}`,
      )

// --------------------------------------------------------------------------------------------- resizing

const shrinks = (name: string, from: number, to: number): Result<number> =>
  isPowerOfTwo(to) && to <= from
    ? E.right(to)
    : refuse(
        'linear.size',
        `The new size of ${name} must be a power of two and at most ${String(from)}, found ${String(to)}`,
      )

/** Only the coordinates of an input below `size`. */
export const resizeIn =
  (name: string, size: number) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    pipe(
      noInput(layout, name),
      E.chain(() => shrinks(name, inputSize(layout, name), size)),
      E.chain(() =>
        linearLayout({
          inputs: layout.inputs.map((input) =>
            input.name === name ? { name, bases: input.bases.filter((_, bit) => 2 ** bit < size) } : input,
          ),
          outputs: layout.outputs,
        }),
      ),
    )

/** A smaller output: the coordinates of bases that do not fit become 0. */
export const resizeOut =
  (name: string, size: number) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    pipe(
      noOutput(layout, name),
      E.chain(() => shrinks(name, outputSize(layout, name), size)),
      E.chain(() => {
        const outputs = layout.outputs.map((out) => (out.name === name ? { name, size } : out))
        return linearLayout({
          inputs: mapBases(layout, (basis) => basis.map((v, d) => (v < outputs[d]!.size ? v : 0))),
          outputs,
        })
      }),
    )

/** Without the zero bases of this input: one representative of every replicated coordinate. */
export const removeZeroBases =
  (name: string) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    pipe(
      noInput(layout, name),
      E.chain(() =>
        linearLayout({
          inputs: layout.inputs.map((input) => ({
            name: input.name,
            bases: input.bases.filter((basis) => input.name !== name || !isZero(basis)),
          })),
          outputs: layout.outputs,
        }),
      ),
    )

// --------------------------------------------------------------------------------------------- renaming

export const renameIn =
  (from: string, to: string) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    pipe(
      noInput(layout, from),
      E.chain(() =>
        linearLayout({
          inputs: layout.inputs.map(({ name, bases }) => ({ name: name === from ? to : name, bases })),
          outputs: layout.outputs,
        }),
      ),
    )

export const renameOut =
  (from: string, to: string) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    pipe(
      noOutput(layout, from),
      E.chain(() =>
        linearLayout({
          inputs: layout.inputs,
          outputs: layout.outputs.map(({ name, size }) => ({ name: name === from ? to : name, size })),
        }),
      ),
    )
