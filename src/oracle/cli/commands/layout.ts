/**
 * `tcspec layout NAME|FILE --shape 64x16`: the lane and register of each element.
 * `tcspec layout check FILE --against NAME --shape 64x64`: is it that layout? Exit status 1 with the first element that differs.
 * `tcspec layout words LAYOUT --shape 64x16`: the same layout in the words of Pallas, Triton, CuTe and over GF(2).
 * `tcspec layout names`: the layouts with names.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { showLayout } from '../../../layouts/cute/index.js'
import { print } from '../../../layouts/linear/print.js'
import { encodingText } from '../../../layouts/triton/index.js'
import { vocabulariesOf } from '../../../layouts/vocabularies.js'
import { descriptionOf, layoutSchema, tableOf } from '../../../layouts/description.js'
import { differences, type Differences } from '../../../layouts/listing.js'
import { families } from '../../../layouts/named.js'
import type { Place } from '../../../layouts/register-layout.js'
import { gridOf, parseWindow, wholeWindow, type Window } from '../../../render/grid.js'
import { layoutSvg, layoutText } from '../../../render/register-layout.js'
import { fields, table, thousands } from '../../../render/table.js'
import { showShape, sizeOf } from '../../../transforms/shape.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { refuseFlag } from '../flags/choice.js'
import { shapeOption } from '../flags/shape.js'
import { wordOf } from '../flags/words.js'
import { rowsOf } from '../layout-csv.js'
import { layoutArgument, type Subject } from '../layouts.js'
import { own } from '../../../own.js'

const define = (command: Command): Command =>
  withFormats(
    command

      .argument('<layout>', 'a name, a description (.json) or a table (.csv); or check, words or names')
      .argument('[file]', 'with check and words: the layout')
      .option('--shape <extents>', 'shape of the array, such as 64x16; the base tile if not given')
      .option('--window <rows,columns>', 'the part to draw, such as 0:16,0:8')
      .option('--against <layout>', 'with check: what the layout should be'),
  )

// ---------------------------------------------------------------- show

/** What is drawn unless `--window` says more: a terminal is narrow, and a picture has a label in every cell up to 32 columns. */
const textWindow = { rows: 64, columns: 16 }
const pictureWindow = { rows: 512, columns: 512 }
const mostCells = 65_536

const windowOf = (
  options: Options,
  subject: Subject,
  most: { readonly rows: number; readonly columns: number },
): E.Either<Failure, Window> => {
  const grid = gridOf(subject.listing.shape)
  const text = wordOf(options, 'window')
  if (text === null) return E.right(wholeWindow(grid, most.rows, most.columns))
  const parsed = parseWindow(grid, text)
  if (E.isLeft(parsed)) return refuse('bad-flag', `--window: ${parsed.left.message}`)
  const { rows, columns } = parsed.right
  const cells = (rows[1] - rows[0]) * (columns[1] - columns[0])
  return cells <= mostCells
    ? parsed
    : refuseFlag('--window', `at most ${thousands(mostCells)} cells`, `${thousands(cells)} cells`)
}

const shown = (options: Options, subject: Subject): E.Either<Failure, Answer> =>
  pipe(
    E.Do,
    E.bind('narrow', () => windowOf(options, subject, textWindow)),
    E.bind('wide', () => windowOf(options, subject, pictureWindow)),
    E.map(({ narrow, wide }): Answer => {
      const { listing, name } = subject
      const title = `${name} on ${listing.shape.join(' x ')}`
      return {
        what: 'a layout',
        good: true,
        table: (palette) => layoutText(palette, { title, listing, window: narrow }),
        json: () =>
          listing.splat
            ? { schema: layoutSchema, kind: 'splat', name, shape: listing.shape }
            : tableOf(listing, name),
        csv: () => rowsOf(listing),
        svg: () => layoutSvg({ title, listing, window: wide }),
      }
    }),
  )

// ---------------------------------------------------------------- check

const placesText = (places: ReadonlyArray<Place>): string => {
  const some = places
    .slice(0, 3)
    .map((p) => `warp ${String(p.warp)} lane ${String(p.lane)} register ${String(p.register)}`)
  const more = places.length > 3 ? [`${String(places.length - 3)} more`] : []
  return places.length === 0 ? 'no register' : [...some, ...more].join(', ')
}

const checkText = (mine: Subject, against: Subject, d: Differences): string => {
  const { shape, warps, lanes, registers } = mine.listing
  const of = `${thousands(sizeOf(shape))} elements of ${showShape(shape)}`
  return d.first === null
    ? `equal: ${of}, in ${String(warps)} warps of ${String(lanes)} lanes with ${String(registers)} ${registers === 1 ? 'register' : 'registers'}`
    : [
        `different: ${thousands(d.count)} of ${of}; the first is [${d.first.element.join(', ')}]`,
        table([
          ['', mine.name, placesText(d.first.left)],
          ['', against.name, placesText(d.first.right)],
        ]),
      ].join('\n')
}

const checked = (mine: Subject, against: Subject): E.Either<Failure, Answer> =>
  pipe(
    differences(mine.listing, against.listing),
    E.map((d): Answer => {
      const first = d.first
      return {
        what: 'a check',
        good: first === null,
        table: () => checkText(mine, against, d),
        json: () => ({
          schema: 'tcspec.layout-check/1',
          equal: first === null,
          shape: mine.listing.shape,
          layout: mine.name,
          against: against.name,
          different: d.count,
          first: first === null ? null : { index: first.element, layout: first.left, against: first.right },
        }),
        csv: () => [
          ['equal', 'different', 'element', 'layout', 'against'],
          [
            String(first === null),
            d.count,
            first === null ? '' : `[${first.element.join(', ')}]`,
            first === null ? '' : placesText(first.left),
            first === null ? '' : placesText(first.right),
          ],
        ],
        svg: null,
      }
    }),
  )

// ---------------------------------------------------------------- names

const names: Answer = {
  what: 'the names',
  good: true,
  table: (palette) =>
    fields(
      palette,
      34,
      families.map((f) => [
        `${f.name}${f.parameters.length === 0 ? '' : `(${f.parameters.join(', ')})`}`,
        f.summary,
      ]),
    ),
  json: () => ({
    schema: 'tcspec.layout-names/1',
    layouts: families.map(({ name, parameters, summary, example }) => ({
      name,
      parameters,
      summary,
      example,
    })),
  }),
  csv: () => [
    ['name', 'parameters', 'summary', 'example'],
    ...families.map((f) => [f.name, f.parameters.join(' '), f.summary, f.example]),
  ],
  svg: null,
}

// ---------------------------------------------------------------- words

const inWords = ({ name, listing, layout }: Subject): Answer => {
  const found = vocabulariesOf(listing, layout)
  const mosaic = found.mosaic === null ? null : JSON.stringify(descriptionOf(found.mosaic))
  const triton = found.triton.map(encodingText)
  const cute = found.cute === null ? null : showLayout(found.cute)
  const linear = found.linear === null ? null : print(found.linear)
  const rows: ReadonlyArray<readonly [vocabulary: string, text: string]> = [
    ...found.names.map((one) => ['Pallas', one] as const),
    ...(mosaic === null ? [] : [['Mosaic', mosaic] as const]),
    ...triton.map((one) => ['Triton', one] as const),
    ...(cute === null ? [] : [['CuTe', cute] as const]),
    ...(linear === null ? [] : [['bases', linear] as const]),
  ]
  return {
    what: 'words',
    good: true,
    table: (palette) =>
      [
        palette.bold(`${name} on ${listing.shape.join(' x ')}`),
        ...rows.map(
          ([vocabulary, text]) => `${palette.dim(vocabulary.padEnd(7))} ${text.replace(/\n/g, '\n        ')}`,
        ),
        ...(rows.length === 0 ? ['no other words: it is not linear over GF(2)'] : []),
      ].join('\n'),
    json: () => ({
      schema: 'tcspec.layout-words/1',
      layout: name,
      shape: listing.shape,
      names: found.names,
      mosaic,
      triton,
      cute,
      linear,
    }),
    csv: () => [['vocabulary', 'text'], ...rows],
    svg: null,
  }
}

// ---------------------------------------------------------------- run

const meaningless = (
  options: Options,
  mode: string,
  flags: ReadonlyArray<string>,
): E.Either<Failure, null> => {
  const flag = flags.find((name) => own(options, name) !== undefined)
  return flag === undefined
    ? E.right(null)
    : refuse('bad-flag', `layout ${mode}: expected no --${flag}, found '${wordOf(options, flag) ?? ''}'`)
}

const answerOf = (
  world: World,
  [word = '', file, ...rest]: ReadonlyArray<string>,
  options: Options,
): E.Either<Failure, Answer> => {
  if (word === 'names' && file === undefined)
    return pipe(
      meaningless(options, word, ['shape', 'window', 'against']),
      E.map(() => names),
    )
  if (word === 'check') {
    const against = wordOf(options, 'against')
    if (file === undefined || against === null)
      return refuse(
        'bad-flag',
        `layout check: expected a layout and --against, found ${file === undefined ? 'no layout' : 'no --against'}`,
      )
    return pipe(
      meaningless(options, word, ['window']),
      E.chainW(() => shapeOption(options)),
      E.bindTo('shape'),
      E.bind('mine', ({ shape }) => layoutArgument(world, file, shape)),
      // Without --shape, the shape that is checked is the one that the layout speaks of.
      E.bind('other', ({ shape, mine }) => layoutArgument(world, against, shape ?? mine.listing.shape)),
      E.chain(({ mine, other }) => checked(mine, other)),
    )
  }
  if (word === 'words') {
    if (file === undefined) return refuse('bad-flag', 'layout words: expected a layout, found none')
    return pipe(
      meaningless(options, word, ['window', 'against']),
      E.chainW(() => shapeOption(options)),
      E.chain((shape) => layoutArgument(world, file, shape)),
      E.map(inWords),
    )
  }
  if (file !== undefined || rest.length > 0)
    return refuse('bad-flag', `layout: expected one layout, found '${word}' and '${file ?? ''}'`)
  return pipe(
    meaningless(options, word, ['against']),
    E.chainW(() => shapeOption(options)),
    E.chain((shape) => layoutArgument(world, word, shape)),
    E.chain((subject) => shown(options, subject)),
  )
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(answerOf(world, operands, options), E.chain(reportAnswer(world, options))),
  )

export const layoutCommand: CliCommand = { define, outputs: outputAsked, run }
