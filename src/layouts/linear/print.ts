/**
 * Linear layouts as text.
 *
 * One line for the dimensions, in order and with their sizes, and one line per basis:
 *
 *     (lane 4, warp 2, block 1) -> (dim0 2, dim1 4)
 *     lane 1 -> (0, 1)
 *     lane 2 -> (0, 2)
 *     warp 1 -> (1, 0)
 *
 * A name that is no plain word is quoted as in JSON.
 *
 * Laws
 * 1. `parse(print(l)) = l`.
 * 2. `print(parse(t)) = t` up to blanks and blank lines: a layout has one text.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { failure, refuse } from '../../failure.js'
import { sameDimensions } from './equality.js'
import type { Dimension, LinearError, LinearLayout, LinearSpec } from './linear-layout.js'
import { inputDimensions, linearLayout, tooMany, unevenSize } from './linear-layout.js'

export type ParseError = LinearError | 'linear.text'

const word = '[A-Za-z_][A-Za-z0-9_.]*'
const quoted = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`
const dimension = String.raw`(?:${word}|${quoted})\s+\d+`

// ---------------------------------------------------------------------------------------------- printing

/** A name that is no plain word is quoted, whatever file it comes from: a line of the answer is never one of the file's. */
export const printName = (name: string): string =>
  new RegExp(`^${word}$`).test(name) ? name : JSON.stringify(name)

export const printDimension = ({ name, size }: Dimension): string => `${printName(name)} ${String(size)}`

const printDimensions = (dimensions: ReadonlyArray<Dimension>): string =>
  `(${dimensions.map(printDimension).join(', ')})`

/** What stands before the arrow, basis by basis. */
const bits = (inputs: ReadonlyArray<Dimension>): ReadonlyArray<Dimension> =>
  inputs.flatMap(({ name, size }) =>
    Array.from({ length: Math.log2(size) }, (_, bit) => ({ name, size: 2 ** bit })),
  )

/** The text of a layout. */
export const print = (layout: LinearSpec): string => {
  const bases = layout.inputs.flatMap((input) => input.bases)
  return [
    `${printDimensions(inputDimensions(layout))} -> ${printDimensions(layout.outputs)}`,
    ...bits(inputDimensions(layout)).map((bit, k) => `${printDimension(bit)} -> (${bases[k]!.join(', ')})`),
  ].join('\n')
}

// ----------------------------------------------------------------------------------------------- parsing

const listOf = (item: string): string => String.raw`\(\s*((?:${item}\s*(?:,\s*${item}\s*)*)?)\)`
const header = new RegExp(String.raw`^\s*${listOf(dimension)}\s*->\s*${listOf(dimension)}\s*$`)
const row = new RegExp(String.raw`^\s*(${dimension})\s*->\s*${listOf(String.raw`\d+`)}\s*$`)

const parseDimensions = (text: string): ReadonlyArray<Dimension> =>
  [...text.matchAll(new RegExp(String.raw`(?:(${word})|(${quoted}))\s+(\d+)`, 'g'))].map(
    ([, plain, json, size]) => ({ name: plain ?? String(JSON.parse(json!)), size: Number(size) }),
  )

/** The layout of a text. Refuses a text of another form, or bases that are not those that the first line announces. */
export const parse = (text: string): E.Either<Failure<ParseError>, LinearLayout> => {
  const [first = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '')
  const dimensions = header.exec(first)
  if (dimensions === null)
    return refuse(
      'linear.text',
      `The first line must read (input size, ...) -> (output size, ...), found "${first}"`,
    )
  const inputs = parseDimensions(dimensions[1]!)
  const illegal = tooMany('inputs', inputs) ?? unevenSize('input', inputs)
  if (illegal !== null) return E.left(illegal)
  const due = bits(inputs)
  if (lines.length !== due.length)
    return refuse(
      'linear.text',
      `The first line announces ${String(due.length)} bases, found ${String(lines.length)} lines`,
    )
  return pipe(
    due,
    E.traverseArrayWithIndex((k, bit) => {
      const parts = row.exec(lines[k]!)
      return parts !== null && sameDimensions(parseDimensions(parts[1]!), [bit])
        ? E.right({ name: bit.name, basis: [...parts[2]!.matchAll(/\d+/g)].map(Number) })
        : E.left(
            failure<ParseError>(
              'linear.text',
              `Expected ${printDimension(bit)} -> (...), found "${lines[k]!}"`,
            ),
          )
    }),
    E.chain((rows): E.Either<Failure<ParseError>, LinearLayout> =>
      linearLayout({
        inputs: inputs.map(({ name }) => ({
          name,
          bases: rows.filter((one) => one.name === name).map(({ basis }) => basis),
        })),
        outputs: parseDimensions(dimensions[2]!),
      }),
    ),
  )
}
