/**
 * `tcspec cute "(4,(2,2)):(2,(1,8))"`: a CuTe layout, its facts and its values.
 * `tcspec cute composition A B`, `tcspec cute complement A 24`, `tcspec cute at A "(1,(0,1))"`, ...: the algebra.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import * as Cute from '../../../layouts/cute/index.js'
import type { IntTuple } from '../../../layouts/cute/index.js'
import { cuteSvg, cuteText, drawnLayout, factsOf } from '../../../render/cute.js'
import { fields } from '../../../render/table.js'
import { operations, valueOf, type Value } from '../../cute-expression.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Report } from '../command.js'

// ---------------------------------------------------------------- answers

/** Values beyond this are left out of every form but the text, which shows fewer anyhow. */
const mostValues = 65_536

const composedAt =
  (l: Cute.ComposedLayout) =>
  (index: number): IntTuple =>
    pipe(
      Cute.composedLayouts.at(l, index),
      E.getOrElse((): IntTuple => -1),
    )

const answerOf = (question: string, value: Value): E.Either<Failure, Answer> => {
  if (value._tag === 'tuple') {
    const text = Cute.showTuple(value.tuple)
    return E.right({
      what: 'a number',
      good: true,
      table: () => text,
      json: () => ({
        schema: 'tcspec.cute/1',
        question,
        result: { kind: 'value', text, value: value.tuple },
      }),
      csv: () => [['value'], [text]],
      svg: null,
    })
  }
  const inner = value._tag === 'layout' ? value.layout : value.layout.inner
  const text = value._tag === 'layout' ? Cute.showLayout(value.layout) : Cute.showComposed(value.layout)
  const size = Cute.size(inner)
  const drawn =
    value._tag === 'layout'
      ? drawnLayout(text, value.layout)
      : {
          title: text,
          shape: inner.shape,
          value: composedAt(value.layout),
          unit: value.layout.outer._tag === 'swizzle' ? 2 ** value.layout.outer.base : 1,
        }
  const facts =
    value._tag === 'layout' ? factsOf(inner, Cute.cosize(inner)) : `size ${String(size)}, a composed layout`
  // A swizzle takes integers: a composed layout of anything else has no values to show.
  const known = value._tag === 'composed' ? Cute.composedLayouts.at(value.layout, 0) : E.right(0)
  if (E.isLeft(known)) return known
  const values = (): ReadonlyArray<IntTuple> =>
    Array.from({ length: Math.min(size, mostValues) }, (_, i) => drawn.value(i))
  return E.right({
    what: 'a layout with more than 65,536 values',
    good: true,
    table: (palette) =>
      [
        palette.bold(text),
        fields(palette, 0, [['', facts]]),
        '',
        cuteText(palette, drawn, { rows: 64, columns: 32 }),
      ].join('\n'),
    json: () => ({
      schema: 'tcspec.cute/1',
      question,
      result: {
        kind: value._tag,
        text,
        shape: inner.shape,
        stride: text.slice(text.lastIndexOf(':') + 1),
        size,
        ...(value._tag === 'layout' ? { cosize: Cute.cosize(inner) } : {}),
        values: values(),
        ...(size > mostValues ? { valuesLeftOut: size - mostValues } : {}),
      },
    }),
    csv: () => [['index', 'value'], ...values().map((v, i) => [i, Cute.showTuple(v)])],
    svg: size <= mostValues ? () => cuteSvg(drawn, facts) : null,
  })
}

const define = (command: Command): Command =>
  withFormats(
    command.argument(
      '<words...>',
      `a layout, or an operation and its operands: ${operations.map(({ name }) => name).join(', ')}`,
    ),
  )

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(
      valueOf(operands),
      E.chain((value) => answerOf(operands.join(' '), value)),
      E.chain(reportAnswer(world, options)),
    ),
  )

export const cuteCommand: CliCommand = { define, outputs: outputAsked, run }
