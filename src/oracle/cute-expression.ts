/**
 * An expression of CuTe's algebra in words: a layout, or an operation and its operands, and what it comes to.
 *
 *     ['composition', '(6,2):(8,2)', '(4,3):(3,1)']    a layout        ['size', '(4,2):(1,4)']    a number        ['(4,2):(1,4)']    itself
 *
 * Numbers are exact below 2^53: what is larger is refused, on the way in and on the way out, and never rounded.
 *
 * Names: those of CuTe's and pycute's functions.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../failure.js'
import * as Cute from '../layouts/cute/index.js'
import type { IntTuple } from '../layouts/cute/index.js'
import { meant } from '../nearest.js'
import { refuseFlag } from './cli/flags/choice.js'

// ---------------------------------------------------------------- what an operand, and a result, can be

export type Value =
  | { readonly _tag: 'layout'; readonly layout: Cute.Layout }
  | { readonly _tag: 'composed'; readonly layout: Cute.ComposedLayout }
  | { readonly _tag: 'tuple'; readonly tuple: IntTuple }

export type Result = E.Either<Failure, Value>
export type Operands = ReadonlyArray<string>

const ofLayout = (made: E.Either<Failure, Cute.Layout>): Result =>
  pipe(
    made,
    E.map((layout): Value => ({ _tag: 'layout', layout })),
  )
const ofTuple = (tuple: IntTuple): Value => ({ _tag: 'tuple', tuple })

/** `[3:1;_]`, `4:1`, or a shape, which stands for one tile of each extent. */
const tilerOf = (text: string): E.Either<Failure, Cute.Tiler> =>
  /^[[_]|:/.test(text) ? Cute.parseTiler(text) : pipe(Cute.parseTuple(text), E.map(Cute.tilerOfShape))

const naturalOf = (text: string): E.Either<Failure, number> =>
  /^\d{1,15}$/.test(text) ? E.right(Number(text)) : refuseFlag('cute', 'a number', text)

// ---------------------------------------------------------------- numbers

/** Numbers are exact below 2^53: what is larger is refused, on the way in and on the way out, and never rounded. */
const beyond = (found: string): E.Either<Failure, never> =>
  refuse('cute.exact', `cute: expected numbers below 2^53, found ${found}`)

const below = (n: bigint): E.Either<Failure, number> =>
  n < 2n ** 53n ? E.right(Number(n)) : beyond(String(n))

const mostDigits = 60

/** Of what is written, the number itself is shown. */
const allWritten = (numbers: ReadonlyArray<string>): E.Either<Failure, null> => {
  const large = numbers.find((n) => !Number.isSafeInteger(Number(n)))
  return large === undefined
    ? E.right(null)
    : beyond(large.length <= mostDigits ? large : `one of ${String(large.length)} digits`)
}

/** Of what was computed, it is not known beyond. */
const allExact = <A>(numbers: ReadonlyArray<number>, of: A): E.Either<Failure, A> =>
  numbers.every(Number.isSafeInteger) ? E.right(of) : beyond('a larger one')

/** `Cute.size`, however large. */
const sizeOf = (l: Cute.Layout): bigint =>
  Cute.layouts.flatModes(l).reduce((product, { shape }) => product * BigInt(shape), 1n)

/** `Cute.cosize`, however large. */
const cosizeOf = (l: Cute.Layout): bigint => {
  const last = new Map<string, bigint>()
  for (const { shape, stride } of Cute.layouts.flatModes(l)) {
    const [step, axis] = typeof stride === 'number' ? [stride, ''] : [stride.value, stride.path.join()]
    last.set(axis, (last.get(axis) ?? 0n) + BigInt(shape - 1) * BigInt(step))
  }
  return [...last.values()].reduce((box, n) => box * (n + 1n), 1n)
}

// ---------------------------------------------------------------- operations

/** `operands` says what each of them is. */
export interface Operation {
  readonly name: string
  readonly operands: ReadonlyArray<string>
  readonly apply: (operands: Operands) => Result
}

const unary = (name: string, f: (l: Cute.Layout) => E.Either<Failure, Cute.Layout>): Operation => ({
  name,
  operands: ['layout'],
  apply: ([a]) => ofLayout(pipe(Cute.parseLayout(a!), E.chainW(f))),
})

const byTiler = (
  name: string,
  f: (l: Cute.Layout, by: Cute.Tiler) => E.Either<Failure, Cute.Layout>,
): Operation => ({
  name,
  operands: ['layout', 'tiler'],
  apply: ([a, b]) =>
    ofLayout(
      pipe(
        E.Do,
        E.bindW('l', () => Cute.parseLayout(a!)),
        E.bindW('by', () => tilerOf(b!)),
        E.chainW(({ l, by }) => f(l, by)),
      ),
    ),
})

const binary = (
  name: string,
  f: (a: Cute.Layout, b: Cute.Layout) => E.Either<Failure, Value>,
): Operation => ({
  name,
  operands: ['layout', 'layout'],
  apply: ([a, b]) =>
    pipe(
      E.Do,
      E.bindW('l', () => Cute.parseLayout(a!)),
      E.bindW('r', () => Cute.parseLayout(b!)),
      E.chainW(({ l, r }) => f(l, r)),
    ),
})

const measure = (name: string, f: (l: Cute.Layout) => bigint): Operation => ({
  name,
  operands: ['layout'],
  apply: ([a]) => pipe(Cute.parseLayout(a!), E.map(f), E.chainW(below), E.map(ofTuple)),
})

const recasting = (
  name: string,
  f: (n: number) => (l: Cute.Layout) => E.Either<Failure, Cute.Layout>,
): Operation => ({
  name,
  operands: ['layout', 'factor'],
  apply: ([a, n]) =>
    ofLayout(
      pipe(
        E.Do,
        E.bindW('l', () => Cute.parseLayout(a!)),
        E.bindW('n', () => naturalOf(n!)),
        E.chainW(({ l, n: factor }) => f(factor)(l)),
      ),
    ),
})

export const operations: ReadonlyArray<Operation> = [
  unary('coalesce', (l) => E.right(Cute.coalesce(l))),
  unary('flatten', (l) => E.right(Cute.layouts.flatten(l))),
  {
    name: 'composition',
    operands: ['layout or swizzle', 'tiler'],
    apply: ([a, b]) =>
      a!.startsWith('S<')
        ? pipe(
            E.Do,
            E.bindW('outer', () => Cute.parseSwizzle(a!)),
            E.bindW('inner', () => Cute.parseLayout(b!)),
            E.map(({ outer, inner }): Value => ({ _tag: 'composed', layout: Cute.composed(outer, inner) })),
          )
        : byTiler('composition', Cute.composition).apply([a!, b!]),
  },
  {
    name: 'complement',
    operands: ['layout', 'size'],
    apply: ([a, n]) =>
      ofLayout(
        pipe(
          E.Do,
          E.bindW('l', () => Cute.parseLayout(a!)),
          E.bindW('within', () => Cute.parseTuple(n!)),
          E.chainW(({ l, within }) => Cute.complement(l, within)),
        ),
      ),
  },
  unary('right_inverse', Cute.rightInverse),
  unary('left_inverse', Cute.leftInverse),
  byTiler('logical_divide', Cute.logicalDivide),
  byTiler('zipped_divide', Cute.zippedDivide),
  byTiler('tiled_divide', Cute.tiledDivide),
  byTiler('flat_divide', Cute.flatDivide),
  byTiler('logical_product', Cute.logicalProduct),
  byTiler('zipped_product', Cute.zippedProduct),
  byTiler('tiled_product', Cute.tiledProduct),
  byTiler('flat_product', Cute.flatProduct),
  binary('blocked_product', (a, b) => ofLayout(Cute.blockedProduct(a, b))),
  binary('raked_product', (a, b) => ofLayout(Cute.rakedProduct(a, b))),
  binary('max_common_vector', (a, b) => pipe(Cute.maxCommonVector(a, b), E.map(ofTuple))),
  binary('max_common_layout', (a, b) => ofLayout(Cute.maxCommonLayout(a, b))),
  recasting('upcast', Cute.recasting.upcast),
  recasting('downcast', Cute.recasting.downcast),
  measure('size', sizeOf),
  measure('cosize', cosizeOf),
  {
    name: 'at',
    operands: ['layout', 'coordinate'],
    apply: ([a, c]) =>
      pipe(
        E.Do,
        E.bindW('crd', () => Cute.parseTuple(c!)),
        E.bindW('value', ({ crd }): E.Either<Failure, IntTuple> =>
          a!.includes(' o ')
            ? pipe(
                Cute.parseComposed(a!),
                E.chainW((l) => Cute.composedLayouts.evaluate(l, crd)),
              )
            : pipe(
                Cute.parseLayout(a!),
                E.chainW((l) => Cute.evaluate(l, crd)),
              ),
        ),
        E.map(({ value }) => ofTuple(value)),
      ),
  },
]

const usage = (o: Operation): string => [o.name, ...o.operands.map((what) => `<${what}>`)].join(' ')

const exactly = (value: Value): E.Either<Failure, Value> => {
  if (value._tag === 'tuple') return allExact(Cute.trees.leaves(value.tuple), value)
  const layout = value._tag === 'layout' ? value.layout : value.layout.inner
  return pipe(
    allExact(
      Cute.layouts
        .flatModes(layout)
        .flatMap(({ shape, stride }) => [shape, typeof stride === 'number' ? stride : stride.value]),
      value,
    ),
    E.chainFirst(() => below(sizeOf(layout))),
    E.chainFirst(() => below(cosizeOf(layout))),
  )
}

/** What the words come to. */
export const valueOf = (words: Operands): Result =>
  pipe(
    allWritten(words.join(' ').match(/\d+/g) ?? []),
    E.chain(() => resultOf(words)),
    E.chain(exactly),
  )

const resultOf = (words: Operands): Result => {
  const operation = operations.find(({ name }) => name === words[0])
  if (operation !== undefined)
    return words.length - 1 === operation.operands.length
      ? operation.apply(words.slice(1))
      : refuse(
          'bad-flag',
          `cute: expected ${usage(operation)}, found ${String(words.length - 1)} ${words.length === 2 ? 'operand' : 'operands'}`,
        )
  const [text = '', ...more] = words
  if (more.length > 0 || /^[a-z_]+$/i.test(text))
    return refuse(
      'bad-flag',
      `cute: expected a layout such as (4,2):(1,4), or one of ${operations.map(({ name }) => name).join(', ')}; found '${text}'${meant(operations.map(({ name }) => name))(text)}`,
    )
  if (text.includes(' o '))
    return pipe(
      Cute.parseComposed(text),
      E.map((layout): Value => ({ _tag: 'composed', layout })),
    )
  return ofLayout(
    // A shape alone is the compact layout of that shape.
    text.includes(':')
      ? Cute.parseLayout(text)
      : pipe(
          Cute.parseTuple(text),
          E.chainW((s) => Cute.layout(s)),
        ),
  )
}
