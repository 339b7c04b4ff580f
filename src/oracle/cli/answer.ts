/**
 * Answers: what a question about layouts comes to, in every form that was asked for.
 *
 * | `--format` | form                                             | without it                                       |
 * |------------|--------------------------------------------------|--------------------------------------------------|
 * | `table`    | text for people                                  | the default, also `-o x.txt` and `-o x`          |
 * | `json`     | one document; `--json` says the same             | `-o x.json`                                      |
 * | `csv`      | a header and rows                                | `-o x.csv`                                       |
 * | `svg`      | a picture                                        | `-o x.svg`; refused by answers that have none    |
 *
 * With `-o FILE` the form goes to the file, whole or not at all, and standard output says so; a file with another ending needs `--format`.
 * `-o -` is standard output, as without it.
 *
 * Laws
 * 1. Every form of one answer tells the same facts; `--json` and `--format json` print the same.
 * 2. A file that could not be written whole is not there, or is what it was.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import type { Palette } from '../../render/palette.js'
import { plain } from '../../render/palette.js'
import { write, type SvgElement } from '../../render/svg.js'
import { thousands } from '../../render/table.js'
import { paletteOf } from './colours.js'
import type { Options, Report, World } from './command.js'
import { oneOf, refuseFlag, type FlagFailure } from './flags/choice.js'
import { wordOf } from './flags/words.js'
import type { AskedFile } from './outputs.js'

// ---------------------------------------------------------------- model

export type CsvRow = ReadonlyArray<string | number>

export interface Answer {
  /** What the question was, for refusals: `a check of layouts`. */
  readonly what: string
  readonly good: boolean
  readonly table: (palette: Palette) => string
  readonly json: () => unknown
  /** The first row is the header. */
  readonly csv: () => ReadonlyArray<CsvRow>
  readonly svg: (() => SvgElement) | null
}

const formats = ['table', 'json', 'csv', 'svg'] as const
type Format = (typeof formats)[number]

// ---------------------------------------------------------------- flags

/** The options that every such command has. */
export const withFormats = (command: Command): Command =>
  command
    .option('--format <format>', 'table, json, csv or svg')
    .option('-o, --output <file>', 'write to a file; its ending chooses the format')
    .option('--json', 'print one JSON document')

/** The file that `-o` names; `-o -` is standard output, as without it. */
export const outputFile = (options: Options): string | null => {
  const file = wordOf(options, 'output')
  return file === '-' ? null : file
}

export const outputAsked = (options: Options): ReadonlyArray<AskedFile> => {
  const file = outputFile(options)
  return file === null ? [] : [{ flag: '--output', file }]
}

/** The form that a file's ending says; without an ending it holds the table. */
export const formatOfEnding =
  <F extends string>(endings: Readonly<Record<string, F>>) =>
  (file: string): E.Either<FlagFailure, F> => {
    const ending = /[^/\\.]\.([^./\\]*)$/.exec(file)?.[1]?.toLowerCase() ?? ''
    const known = Object.entries(endings).find(([word]) => word === ending)
    return known === undefined
      ? refuseFlag(
          '--output',
          `a file that ends in ${Object.keys(endings)
            .filter((word) => word !== '')
            .map((word) => `.${word}`)
            .join(', ')} (or --format)`,
          file,
        )
      : E.right(known[1])
  }

const ofEnding = formatOfEnding<Format>({ '': 'table', txt: 'table', json: 'json', csv: 'csv', svg: 'svg' })

const formatOf = (options: Options): E.Either<FlagFailure, Format> => {
  const said = wordOf(options, 'format')
  const json = options['json'] === true
  if (json && said !== null && said !== 'json') return refuseFlag('--format', 'json with --json', said)
  const file = outputFile(options)
  if (said !== null) return oneOf('--format', formats)(said)
  // With a file, --json speaks of what is printed unless nothing else says what is written.
  return pipe(
    file === null ? E.right<FlagFailure, Format>('table') : ofEnding(file),
    E.map((format) => (format === 'table' && json ? 'json' : format)),
  )
}

// ---------------------------------------------------------------- forms

const csvField = (value: string | number): string => {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvText = (rows: ReadonlyArray<CsvRow>): string =>
  rows.map((row) => `${row.map(csvField).join(',')}\n`).join('')

const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

const formText = (answer: Answer, format: Format, palette: Palette): E.Either<Failure, string> => {
  switch (format) {
    case 'table':
      return E.right(withNewline(answer.table(palette)))
    case 'json':
      return E.right(`${JSON.stringify(answer.json(), null, 2)}\n`)
    case 'csv':
      return E.right(csvText(answer.csv()))
    case 'svg':
      return answer.svg === null
        ? refuse(
            'no-picture',
            `--format: expected table|json|csv, found 'svg': there is no picture of ${answer.what}`,
          )
        : E.right(write(answer.svg()))
  }
}

/** Prints the answer in the form that was asked for, or writes it to the file that was named. */
export const reportAnswer =
  (world: World, options: Options) =>
  (answer: Answer): E.Either<Failure, Report> => {
    const file = outputFile(options)
    return pipe(
      formatOf(options),
      E.bindTo('format'),
      E.bindW('text', ({ format }) => formText(answer, format, file === null ? paletteOf(world) : plain)),
      E.map(({ format, text }): Report => {
        if (file === null) return { good: answer.good, text: () => text, json: answer.json }
        const bytes = new TextEncoder().encode(text)
        return {
          good: answer.good,
          text: () => `wrote ${file}: ${format}, ${thousands(bytes.length)} bytes\n`,
          json: () => ({ schema: 'tcspec.written/1', output: file, format, bytes: bytes.length }),
          files: [{ file, bytes }],
        }
      }),
    )
  }
