/**
 * `tcspec transform tile=8x64 swizzle=128 --shape 128x128 --dtype f16`: what lies in shared memory, and where each element is. The member `array` of its
 * JSON is what it takes in a file in the place of words and flags.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../../failure.js'
import {
  axisTitles,
  gridOf,
  parseWindow,
  positionAt,
  rowLabel,
  showWindow,
  wholeWindow,
  type Window,
} from '../../../render/grid.js'
import { memoryLines, memorySvg, memoryText, type MemoryPicture } from '../../../render/memory.js'
import { fields, table, thousands } from '../../../render/table.js'
import * as Ref from '../../../transforms/ref.js'
import { showShape, sizeOf, unravel } from '../../../transforms/shape.js'
import { swizzleAddresses } from '../../../transforms/swizzle.js'
import { showTiling } from '../../../transforms/tile.js'
import { physicalShape, showTransform } from '../../../transforms/transform.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { numberOption } from '../flags/number.js'
import { wordOf } from '../flags/words.js'
import { describeArray, type SharedArray } from '../../../transforms/array.js'
import { refArguments, withElements } from '../refs.js'

const define = (command: Command): Command =>
  withFormats(
    withElements(
      command.argument(
        '[transforms...]',
        'in order: tile=8x64, swizzle=128, transpose=1,0; or an array as JSON, on the spot or in a .json file',
      ),
    )
      .option('--base <address>', 'byte address of the array; a swizzle acts on absolute addresses')
      .option('--window <rows,columns>', 'the elements to list in a table, such as 0:16,0:8')
      .option('--lines <n>', 'lines of memory to draw'),
  )

interface Question extends SharedArray {
  readonly base: number
  readonly window: Window
  readonly lines: number | null
}

const question = (
  world: World,
  texts: ReadonlyArray<string>,
  options: Options,
): E.Either<Failure, Question> =>
  pipe(
    E.Do,
    E.bindW('found', () => refArguments(world, texts, options, null)),
    E.bindW('base', () => numberOption(options, 'base', 0)),
    E.bindW('lines', () => numberOption(options, 'lines', 0)),
    E.bindW('window', ({ found }): E.Either<Failure, Window> => {
      const grid = gridOf(found.shape)
      const text = wordOf(options, 'window')
      if (text === null) return E.right(wholeWindow(grid, 8, 16))
      return pipe(
        parseWindow(grid, text),
        E.mapLeft((f) => failure('bad-flag', `--window: ${f.message}`)),
      )
    }),
    E.map(({ found, base, lines, window }) => ({
      ...found,
      base,
      window,
      lines: lines === 0 ? null : lines,
    })),
  )

const titleOf = (q: Question): string =>
  [`(${q.shape.join(', ')}) of ${String(q.bits)} bits`, ...q.transforms.map(showTransform)].join(', ')

/** Byte of an element, and for elements smaller than a byte the bit in it. */
const byteText = (q: Question, addresses: Int32Array, offsets: Int32Array, p: number): string => {
  const bit = (offsets[p]! * Ref.strideBits(q.bits)) % 8
  return `${String(addresses[p])}${q.bits % 8 === 0 ? '' : `.${String(bit)}`}`
}

const answerOf = (q: Question): Answer => {
  const addresses = Ref.swizzledAddresses(q.ref, q.base)
  const offsets = Ref.elementOffsets(q.ref)
  const physical = pipe(
    physicalShape(q.bits, q.transforms)(q.shape),
    E.getOrElse(() => q.shape),
  )
  const bytes = Math.ceil(Ref.sizeBits(q.ref) / 8)
  const memory = (most: number): MemoryPicture => {
    const lines = memoryLines(q.ref, q.base)
    return {
      title: titleOf(q),
      subtitle: `physical shape ${showShape(physical)}, ${thousands(bytes)} bytes from ${String(q.base)}`,
      ref: q.ref,
      indexOf: unravel(q.shape),
      lines: lines.slice(0, q.lines ?? most),
      of: lines.length,
    }
  }
  return {
    what: 'transforms',
    good: true,
    table: (palette) => {
      const grid = gridOf(q.shape)
      const { rows, columns } = q.window
      const shown = Array.from({ length: columns[1] - columns[0] }, (_, c) => columns[0] + c)
      const [rowTitle] = axisTitles(grid)
      const elements = table([
        [rowTitle, ...shown.map(String)],
        ...Array.from({ length: rows[1] - rows[0] }, (_, r) => rows[0] + r).map((row) => [
          rowLabel(grid, row),
          ...shown.map((column) => {
            const p = positionAt(grid, row, column)
            return p === null ? '' : byteText(q, addresses, offsets, p)
          }),
        ]),
      ]).split('\n')
      const part = showWindow(grid, q.window)
      const drawn = memory(16)
      return [
        palette.bold(drawn.title),
        fields(palette, 16, [
          ['physical shape', showShape(physical)],
          [
            'tiled shape',
            `${showShape(Ref.tiledShape(q.ref))} of tiling ${q.ref.tiling.length === 0 ? 'none' : showTiling(q.ref.tiling)}`,
          ],
          ['strides', `${showShape(q.ref.strides)} elements`],
          ['swizzle', q.ref.swizzle === 16 ? 'none' : `${String(q.ref.swizzle)} bytes`],
          ['bytes', `${thousands(bytes)} from ${String(q.base)}`],
        ]),
        '',
        `the byte of each element${part === '' ? '' : `: ${part}`}`,
        ...elements.map((text, i) => (i === 0 ? palette.dim(text) : text)),
        '',
        `lines of 128 bytes, chunks of 16: chunk before the swizzle, elements${drawn.lines.length < drawn.of ? ` (${String(drawn.lines.length)} of ${thousands(drawn.of)} lines)` : ''}`,
        memoryText(palette, drawn),
      ].join('\n')
    },
    json: () => ({
      schema: 'tcspec.transform/1',
      array: describeArray(q),
      shape: q.shape,
      bits: q.bits,
      transforms: q.transforms.map(showTransform),
      physicalShape: physical,
      tiling: q.ref.tiling,
      tiledShape: Ref.tiledShape(q.ref),
      strides: q.ref.strides,
      swizzle: q.ref.swizzle,
      bytes,
      base: q.base,
      // Row-major over the logical shape.
      addresses: Array.from(addresses),
      unswizzled: Array.from(swizzleAddresses(q.ref.swizzle, addresses)),
      ...(q.bits % 8 === 0
        ? {}
        : { bitOffsets: Array.from(offsets, (o) => (o * Ref.strideBits(q.bits)) % 8) }),
    }),
    csv: () => {
      const index = unravel(q.shape)
      return [
        [...q.shape.map((_, d) => `dim${String(d)}`), 'byte', ...(q.bits % 8 === 0 ? [] : ['bit'])],
        ...Array.from({ length: sizeOf(q.shape) }, (_, p) => [
          ...index(p),
          addresses[p]!,
          ...(q.bits % 8 === 0 ? [] : [(offsets[p]! * Ref.strideBits(q.bits)) % 8]),
        ]),
      ]
    },
    svg: () => memorySvg(memory(32)),
  }
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(question(world, operands, options), E.map(answerOf), E.chain(reportAnswer(world, options))),
  )

export const transformCommand: CliCommand = { define, outputs: outputAsked, run }
