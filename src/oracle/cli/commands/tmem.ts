/**
 * `tcspec tmem "HALF_LANE(64, 1)" --shape 64x64 --dtype f32`: which lane and column of tensor memory holds each element.
 * `tcspec tmem "acc=DEFAULT(1):128x256" "scales=SCALES:128x4:e8m0"`: the columns that arrays of a kernel take together.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { nameOf } from '../../../layouts/named.js'
import { allocate } from '../../../layouts/tensor-memory/allocation.js'
import { addressOf, tmemColumns, tmemLanes } from '../../../layouts/tensor-memory/geometry.js'
import {
  checkType,
  columnsOf,
  parseTensorMemoryName,
  places,
  replication,
  showTensorMemoryLayout,
  tensorMemoryFamilies,
  vectorLength,
  type TensorMemoryLayout,
} from '../../../layouts/tensor-memory/tensor-memory-layout.js'
import { accessOf, defaultRegisters } from '../../../layouts/tensor-memory/transfer.js'
import { baseTileShape } from '../../../layouts/tiled.js'
import { bitsOf, dtypes, isDtype } from '../../../numerics/dtype.js'
import type { Interval } from '../../../render/grid.js'
import { parseWindow } from '../../../render/grid.js'
import { fields } from '../../../render/table.js'
import {
  mapSvg,
  mapText,
  tensorMemorySvg,
  tensorMemoryText,
  type Allotted,
  type CellsPicture,
} from '../../../render/tensor-memory.js'
import { showShape, sizeOf, unravel, type Shape } from '../../../transforms/shape.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report } from '../command.js'
import { refuseFlag, refuseWord } from '../flags/choice.js'
import { parseShape, shapeOption } from '../flags/shape.js'
import { wordOf } from '../flags/words.js'
import { bitsArgument, withElements } from '../refs.js'
import { own } from '../../../own.js'

const define = (command: Command): Command =>
  withFormats(
    withElements(
      command.argument(
        '<layouts...>',
        `a layout (${tensorMemoryFamilies.map(({ name }) => name).join(', ')}), or arrays name=LAYOUT:SHAPE[:DTYPE]`,
      ),
    )
      .option('--window <lanes,columns>', 'the cells to draw, such as 0:32,0:8')
      .option('--collective', 'the arrays are shared by a pair of CTAs'),
  )

// ---------------------------------------------------------------- a layout

interface Question {
  readonly layout: TensorMemoryLayout
  readonly shape: Shape
  readonly bits: number
}

/** How registers get at it, where there is a way. */
const registersText = ({ layout, bits }: Question): string =>
  pipe(
    defaultRegisters(layout, bits),
    E.match(
      (f) => f.message,
      (registers) =>
        `${nameOf(registers) ?? 'its own tiled layout'}${pipe(
          accessOf(layout, registers, bits),
          E.match(
            () => '',
            (shape) => `, by tcgen05.ld ${shape}`,
          ),
        )}`,
    ),
  )

interface Part {
  readonly lanes: Interval
  readonly columns: Interval
}

const partOf = (
  options: Options,
  columns: number,
  most: { readonly lanes: number; readonly columns: number },
): E.Either<Failure, Part> => {
  const text = wordOf(options, 'window')
  if (text === null) return E.right({ lanes: [0, most.lanes], columns: [0, Math.min(most.columns, columns)] })
  return pipe(
    parseWindow({ shape: [tmemLanes, columns], rows: tmemLanes, columns }, text),
    E.match(
      (f) => refuse('bad-flag', `--window: ${f.message}`),
      (w) => E.right({ lanes: w.rows, columns: w.columns }),
    ),
  )
}

const layoutAnswer = (q: Question, narrow: Part, wide: Part): Answer => {
  const { layout, shape, bits } = q
  const columns = columnsOf(layout, shape)
  const name = showTensorMemoryLayout(layout)
  const title = `${name} on ${shape.join(' x ')} of ${String(bits)} bits`
  const drawn = (part: Part): CellsPicture => ({
    title,
    subtitle: `${String(columns)} of ${String(tmemColumns)} columns${part.columns[1] - part.columns[0] < columns || part.lanes[1] - part.lanes[0] < tmemLanes ? `; lanes ${String(part.lanes[0])} to ${String(part.lanes[1] - 1)}, columns ${String(part.columns[0])} to ${String(part.columns[1] - 1)}` : ''}`,
    layout,
    shape,
    ...part,
  })
  const index = unravel(shape)
  const all = (): ReadonlyArray<{
    readonly index: ReadonlyArray<number>
    readonly places: ReturnType<typeof places>
  }> =>
    Array.from({ length: sizeOf(shape) }, (_, p) => ({
      index: index(p),
      places: places(layout, shape, index(p)),
    }))
  return {
    what: 'a layout',
    good: true,
    table: (palette) =>
      [
        palette.bold(title),
        fields(palette, 12, [
          ['columns', `${String(columns)} of ${String(tmemColumns)}`],
          [
            'in a column',
            `${String(vectorLength(layout))} ${vectorLength(layout) === 1 ? 'element' : 'elements'}`,
          ],
          ['copies', String(replication(layout))],
          ['registers', registersText(q)],
        ]),
        '',
        drawn(narrow).subtitle,
        tensorMemoryText(palette, drawn(narrow)),
      ].join('\n'),
    json: () => ({
      schema: 'tcspec.tmem/1',
      layout: name,
      shape,
      bits,
      columns,
      elementsPerColumn: vectorLength(layout),
      copies: replication(layout),
      registers: registersText(q),
      elements: all(),
    }),
    csv: () => [
      ['dim0', 'dim1', 'lane', 'column', 'part', 'address'],
      ...all().flatMap((e) => e.places.map((p) => [...e.index, p.lane, p.column, p.part, addressOf(p)])),
    ],
    svg: () => tensorMemorySvg(drawn(wide)),
  }
}

/** Cells that a picture has at most. */
const mostCells = 65_536

const ofLayout = (word: string, options: Options): E.Either<Failure, Answer> =>
  pipe(
    E.Do,
    E.bindW('layout', () => parseTensorMemoryName(word)),
    E.bindW('asked', () => shapeOption(options)),
    // Accumulators are the common case.
    E.bindW('bits', ({ layout }) =>
      wordOf(options, 'dtype') === null && wordOf(options, 'bits') === null
        ? E.right(32 / vectorLength(layout))
        : bitsArgument(options),
    ),
    E.bindW('shape', ({ layout, asked, bits }) =>
      checkType(layout, asked ?? baseTileShape(layout.tiled), bits),
    ),
    E.filterOrElseW(
      ({ shape }) => sizeOf(shape) <= mostCells * 16,
      ({ shape }): Failure => ({
        code: 'bad-flag',
        message: `--shape: expected at most ${String(mostCells * 16)} elements, found ${showShape(shape)}`,
      }),
    ),
    E.bindW('narrow', ({ layout, shape }) =>
      partOf(options, columnsOf(layout, shape), { lanes: 16, columns: 12 }),
    ),
    E.bindW('wide', ({ layout, shape }) =>
      partOf(options, columnsOf(layout, shape), { lanes: tmemLanes, columns: tmemColumns }),
    ),
    E.map(({ layout, shape, bits, narrow, wide }) => layoutAnswer({ layout, shape, bits }, narrow, wide)),
  )

// ---------------------------------------------------------------- arrays

interface Named extends Question {
  readonly name: string
}

const parseArray = (text: string): E.Either<Failure, Named> => {
  const m = /^([A-Za-z_]\w*)=([^:]+):([^:]+)(?::(\w+))?$/.exec(text)
  if (m === null) return refuseFlag('tmem', 'name=LAYOUT:SHAPE[:DTYPE], such as acc=DEFAULT(1):128x256', text)
  const dtype = m[4]
  return pipe(
    E.Do,
    E.bindW('layout', () => parseTensorMemoryName(m[2]!)),
    E.bindW('shape', () => parseShape(m[1]!)(m[3]!)),
    E.bindW('bits', ({ layout }): E.Either<Failure, number> =>
      dtype === undefined
        ? E.right(32 / vectorLength(layout))
        : isDtype(dtype)
          ? E.right(bitsOf(dtype))
          : refuseWord(m[1]!, dtypes, dtype),
    ),
    E.chainFirstW(({ layout, shape, bits }) => checkType(layout, shape, bits)),
    E.map(({ layout, shape, bits }) => ({ name: m[1]!, layout, shape, bits })),
  )
}

const ofArrays = (texts: ReadonlyArray<string>, options: Options): E.Either<Failure, Answer> =>
  pipe(
    E.Do,
    E.bindW('arrays', () => pipe(texts, E.traverseArray(parseArray))),
    E.bindW('found', ({ arrays }) =>
      allocate(
        arrays.map(({ layout, shape }) => ({
          rows: tmemLanes,
          columns: columnsOf(layout, shape),
          collective: options['collective'] === true,
        })),
      ),
    ),
    E.map(({ arrays, found }): Answer => {
      const allotted: ReadonlyArray<Allotted> = arrays.map((a, k) => ({
        name: a.name,
        what: `${showTensorMemoryLayout(a.layout)} on ${a.shape.join(' x ')} of ${String(a.bits)} bits`,
        start: found.starts[k]!,
        columns: columnsOf(a.layout, a.shape),
      }))
      const map = {
        title: 'Tensor memory',
        subtitle: `${String(found.used)} columns in use, ${String(found.allocated)} of ${String(tmemColumns)} allocated`,
        arrays: allotted,
        allocated: found.allocated,
      }
      return {
        what: 'arrays',
        good: true,
        table: (palette) => [palette.bold(map.subtitle), mapText(palette, map)].join('\n'),
        json: () => ({
          schema: 'tcspec.tmem-map/1',
          used: found.used,
          allocated: found.allocated,
          arrays: allotted.map(({ name, start, columns }, k) => ({
            name,
            layout: showTensorMemoryLayout(arrays[k]!.layout),
            shape: arrays[k]!.shape,
            bits: arrays[k]!.bits,
            start,
            columns,
          })),
        }),
        csv: () => [
          ['name', 'layout', 'shape', 'bits', 'start', 'columns'],
          ...allotted.map(({ name, start, columns }, k) => [
            name,
            showTensorMemoryLayout(arrays[k]!.layout),
            arrays[k]!.shape.join('x'),
            arrays[k]!.bits,
            start,
            columns,
          ]),
        ],
        svg: () => mapSvg(map),
      }
    }),
  )

const answerOf = (words: ReadonlyArray<string>, options: Options): E.Either<Failure, Answer> => {
  const [first = '', ...more] = words
  if (first.includes('=')) {
    const flag = ['shape', 'dtype', 'bits', 'window'].find((name) => own(options, name) !== undefined)
    return flag === undefined
      ? ofArrays(words, options)
      : refuse(
          'bad-flag',
          `tmem: expected no --${flag} with arrays, which have their own, found '${wordOf(options, flag) ?? ''}'`,
        )
  }
  return more.length === 0
    ? ofLayout(first, options)
    : refuse(
        'bad-flag',
        `tmem: expected one layout, or arrays name=LAYOUT:SHAPE; found '${more[0]!}' after '${first}'`,
      )
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(answerOf(operands, options), E.chain(reportAnswer(world, options))),
  )

export const tmemCommand: CliCommand = { define, outputs: outputAsked, run }
