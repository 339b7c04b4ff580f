/**
 * `tcspec linear WGMMA --shape 64x16`: the bases over GF(2) of a layout, in whatever language it was said.
 * `tcspec linear a.json --compose b.json`: what comes of one operation on it.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../../failure.js'
import { linearOfRef } from '../../../layouts/conversion/index.js'
import { compose, divideLeft, divideRight, product } from '../../../layouts/linear/algebra.js'
import { freeVariableMasks, invert, invertAndCompose, pseudoinvert } from '../../../layouts/linear/inverse.js'
import {
  inputDimensions,
  isInjective,
  isSurjective,
  rank,
  type Dimension,
  type LinearLayout,
} from '../../../layouts/linear/linear-layout.js'
import { print, printDimension, printName } from '../../../layouts/linear/print.js'
import { flattenIns, flattenOuts } from '../../../layouts/linear/reshape.js'
import { linearSvg } from '../../../render/linear.js'
import { fields } from '../../../render/table.js'
import type { Shape } from '../../../transforms/shape.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { shapeOption } from '../flags/shape.js'
import { switchOf, wordOf } from '../flags/words.js'
import { linearArgument } from '../linears.js'
import { refArguments, withElements } from '../refs.js'
import { own } from '../../../own.js'

const define = (command: Command): Command =>
  withFormats(
    withElements(
      command.argument(
        '<words...>',
        'a name, a file, JSON, a CuTe layout or bases; or transforms such as tile=8x64 swizzle=128',
      ),
    )
      .option('--invert', 'the inverse of a bijection')
      .option('--pseudoinvert', 'for each element, the first place that holds it')
      .option('--flatten', 'one input and one output')
      .option('--compose <layout>', 'this layout, then that one')
      .option('--invert-and-compose <layout>', 'the place in that layout of each place in this one')
      .option('--product <layout>', 'this layout times that one, which takes the higher bits')
      .option('--divide-left <layout>', 'the rest when that layout is split off the lower bits')
      .option('--divide-right <layout>', 'the rest when that layout is split off the higher bits'),
  )

type Made = E.Either<Failure, LinearLayout>

const divided = (what: string, found: O.Option<LinearLayout>): Made =>
  pipe(
    found,
    E.fromOption(() => failure('linear.divide', `The second layout is no ${what} factor of the first`)),
  )

/** Option name, as commander spells it, and what it does. */
const unary: ReadonlyArray<readonly [option: string, apply: (l: LinearLayout) => Made]> = [
  ['invert', invert],
  ['pseudoinvert', pseudoinvert],
  ['flatten', (l) => pipe(flattenIns(l), E.chain(flattenOuts))],
]

const binary: ReadonlyArray<
  readonly [option: string, apply: (l: LinearLayout, other: LinearLayout) => Made]
> = [
  ['compose', compose],
  ['invertAndCompose', invertAndCompose],
  ['product', product],
  ['divideLeft', (l, other) => divided('left', divideLeft(l, other))],
  ['divideRight', (l, other) => divided('right', divideRight(l, other))],
]

const operated = (world: World, l: LinearLayout, options: Options, shape: Shape | null): Made => {
  const one = unary.filter(([option]) => switchOf(options, option))
  const two = binary.filter(([option]) => wordOf(options, option) !== null)
  if (one.length + two.length > 1)
    return refuse(
      'bad-flag',
      `linear: expected one operation, found ${[...one, ...two].map(([option]) => option).join(' and ')}`,
    )
  const [first, second] = [one[0], two[0]]
  if (first !== undefined) return first[1](l)
  return second === undefined
    ? E.right(l)
    : pipe(
        linearArgument(world, wordOf(options, second[0]) ?? '', shape),
        E.chain((other) => second[1](l, other)),
      )
}

const source = (world: World, words: ReadonlyArray<string>, options: Options, shape: Shape | null): Made => {
  const [word = '', ...more] = words
  if (/^(tile|swizzle|transpose)=/i.test(word))
    return pipe(
      refArguments(world, words, options, null),
      E.chainW(({ ref }) => linearOfRef(ref)),
    )
  return more.length === 0
    ? linearArgument(world, word, shape)
    : refuse('bad-flag', `linear: expected one layout, found '${more[0]!}' after '${word}'`)
}

const sizes = (dimensions: ReadonlyArray<Dimension>): string => dimensions.map(printDimension).join(', ')

const answerOf = (title: string, l: LinearLayout): Answer => {
  const onto = isSurjective(l)
  const apart = isInjective(l)
  const free = freeVariableMasks(l).filter(({ mask }) => mask !== 0)
  const kind =
    onto && apart ? 'a bijection' : onto ? 'onto' : apart ? 'one to one' : 'neither onto nor one to one'
  return {
    what: 'a linear layout',
    good: true,
    table: (palette) =>
      [
        palette.bold(title),
        fields(palette, 8, [
          ['inputs', sizes(inputDimensions(l))],
          ['outputs', sizes(l.outputs)],
          ['rank', `${String(rank(l))}, ${kind}`],
          ...(free.length === 0
            ? []
            : [
                [
                  'free',
                  free.map(({ name, mask }) => `${printName(name)} 0b${mask.toString(2)}`).join(', '),
                ] as const,
              ]),
        ]),
        '',
        print(l),
      ].join('\n'),
    json: () => ({
      schema: 'tcspec.linear/1',
      // As a description: other commands take this part as it is.
      layout: {
        kind: 'linear',
        bases: Object.fromEntries(l.inputs.map(({ name, bases }) => [name, bases])),
        outputs: l.outputs,
      },
      rank: rank(l),
      surjective: onto,
      injective: apart,
      freeVariableMasks: Object.fromEntries(freeVariableMasks(l).map(({ name, mask }) => [name, mask])),
    }),
    csv: () => [
      ['input', 'value', ...l.outputs.map(({ name }) => name)],
      ...l.inputs.flatMap(({ name, bases }) => bases.map((basis, bit) => [name, 2 ** bit, ...basis])),
    ],
    svg: () =>
      linearSvg(
        title,
        `${sizes(inputDimensions(l))} to ${sizes(l.outputs)}; rank ${String(rank(l))}, ${kind}`,
        l,
      ),
  }
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(
      E.Do,
      E.bindW('shape', () => shapeOption(options)),
      E.bindW('first', ({ shape }) => source(world, operands, options, shape)),
      E.bindW('result', ({ first, shape }) => operated(world, first, options, shape)),
      E.map(({ result }) => {
        const operation = [...unary, ...binary].find(([option]) => own(options, option) !== undefined)?.[0]
        const words = operands.map((word) => (word.length > 60 ? `${word.slice(0, 57)}...` : word)).join(' ')
        return answerOf(operation === undefined ? words : `${operation} of ${words}`, result)
      }),
      E.chainW(reportAnswer(world, options)),
    ),
  )

export const linearCommand: CliCommand = { define, outputs: outputAsked, run }
