/**
 * `tcspec image --box 64x64 --swizzle 128 --tensor 256x256 --at 0,192`: what a TMA copy puts where in shared memory, which
 * element of the tensor every byte is, and which bytes are filled because they lie outside.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../../../greatest.js'
import type { Failure } from '../../../failure.js'
import {
  boxBytes,
  boxImage,
  boxShape,
  checkBox,
  checkCopy,
  tensorIndex,
  type Box,
  type CopyDirection,
} from '../../../layouts/shared-memory/box-image.js'
import { smemBytes } from '../../../semantics/execution/launch.js'
import { memoryLines, memorySvg, memoryText, type MemoryPicture } from '../../../render/memory.js'
import { fields, thousands } from '../../../render/table.js'
import type { TransformedRef } from '../../../transforms/ref.js'
import { swizzledAddresses } from '../../../transforms/ref.js'
import { showShape, sizeOf, unravel, type Index, type Shape } from '../../../transforms/shape.js'
import { swizzleAddresses, swizzleOf, type Swizzle } from '../../../transforms/swizzle.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report } from '../command.js'
import { refuseFlag, type FlagFailure } from '../flags/choice.js'
import { numberOption } from '../flags/number.js'
import { parseShape } from '../flags/shape.js'
import { switchOf, wordOf } from '../flags/words.js'
import { bitsArgument } from '../refs.js'

const define = (command: Command): Command =>
  withFormats(
    command

      .option('--box <extents>', 'elements that one copy takes, outermost first, such as 64x64')
      .option('--dtype <dtype>', 'dtype of an element; f16 if not given')
      .option('--bits <n>', 'bits of an element, instead of --dtype')
      .option('--swizzle <bytes>', '16 (none), 32, 64 or 128', '16')
      .option('--tensor <extents>', 'shape of the tensor; the box if not given')
      .option(
        '--at <coordinates>',
        'position of the box in the tensor, such as 0,-8; the origin if not given',
      )
      .option('--element-strides <steps>', 'step between elements, by dimension')
      .option('--base <address>', 'byte address in shared memory, a multiple of 128')
      .option('--store', 'a copy to the tensor, without the elements that a load would fill')
      .option('--lines <n>', 'lines of memory to draw'),
  )

interface Question {
  readonly box: Box
  readonly direction: CopyDirection
  readonly tensor: Shape
  readonly at: Index
  readonly base: number
  readonly lines: number
  readonly ref: TransformedRef
}

const optional = <A>(
  options: Options,
  name: string,
  parse: (text: string) => E.Either<FlagFailure, A>,
  otherwise: A,
): E.Either<FlagFailure, A> => {
  const text = wordOf(options, name)
  return text === null ? E.right(otherwise) : parse(text)
}

const parseCoordinates = (text: string): E.Either<FlagFailure, Index> => {
  const parts = text.split(',').map((part) => part.trim())
  return parts.every((part) => /^-?\d{1,9}$/.test(part))
    ? E.right(parts.map(Number))
    : refuseFlag('--at', 'coordinates such as 0,-8', text)
}

const sameRank = (flag: string, list: ReadonlyArray<number>, rank: number): E.Either<FlagFailure, null> =>
  list.length === rank
    ? E.right(null)
    : refuseFlag(flag, `${String(rank)} numbers, one for each dimension of the box`, list.join(','))

const question = (options: Options): E.Either<Failure, Question> =>
  pipe(
    E.Do,
    E.bindW('extents', (): E.Either<FlagFailure, Shape> => {
      const text = wordOf(options, 'box')
      return text === null ? refuseFlag('--box', 'extents such as 64x64', '') : parseShape('--box')(text)
    }),
    E.bindW('bits', () => bitsArgument(options)),
    E.bindW('swizzle', (): E.Either<Failure, Swizzle> => {
      const text = wordOf(options, 'swizzle') ?? '16'
      return /^\d{1,6}$/.test(text) ? swizzleOf(Number(text)) : refuseFlag('--swizzle', '16|32|64|128', text)
    }),
    E.bindW('elementStrides', ({ extents }) =>
      optional(
        options,
        'elementStrides',
        parseShape('--element-strides'),
        extents.map(() => 1),
      ),
    ),
    E.bindW('tensor', ({ extents }) => optional(options, 'tensor', parseShape('--tensor'), extents)),
    E.bindW('at', ({ extents }) =>
      optional(
        options,
        'at',
        parseCoordinates,
        extents.map(() => 0),
      ),
    ),
    E.bindW('base', () => numberOption(options, 'base', 0)),
    E.bindW('lines', () => numberOption(options, 'lines', 0)),
    E.chainFirstW(({ tensor, extents }) => sameRank('--tensor', tensor, extents.length)),
    E.chainFirstW(({ at, extents }) => sameRank('--at', at, extents.length)),
    E.chainFirstW(({ elementStrides, extents }) =>
      sameRank('--element-strides', elementStrides, extents.length),
    ),
    E.bindW('box', (q) =>
      checkBox({
        bits: q.bits,
        extents: q.extents,
        elementStrides: q.elementStrides,
        swizzle: q.swizzle,
      }),
    ),
    E.chainFirstW(({ box }) =>
      boxBytes(box) <= smemBytes
        ? E.right(null)
        : refuseFlag(
            '--box',
            `at most the ${thousands(smemBytes)} bytes of shared memory`,
            thousands(boxBytes(box)),
          ),
    ),
    E.let('direction', (): CopyDirection => (switchOf(options, 'store') ? 'store' : 'load')),
    E.chainFirstW(({ box, direction, at, base }) => checkCopy(box, direction, at, base)),
    E.bindW('ref', ({ box }) => boxImage(box)),
    E.map(({ box, direction, tensor, at, base, lines, ref }) => ({
      box,
      direction,
      tensor,
      at,
      base,
      lines,
      ref,
    })),
  )

const answerOf = (q: Question): Answer => {
  const shape = boxShape(q.box)
  const addresses = swizzledAddresses(q.ref, q.base)
  const index = unravel(shape)
  const under = tensorIndex(q.box, q.tensor, q.at)
  const origin = (p: number): Index | null => under(index(p))
  const outside = Array.from({ length: sizeOf(shape) }, (_, p) => origin(p)).filter((i) => i === null).length
  const bytes = boxBytes(q.box)
  const outsideText =
    outside === 0
      ? 'none'
      : `${thousands(outside)} elements, ${q.direction === 'load' ? 'filled' : 'left out'}`
  const title = `Box ${q.box.extents.join(' x ')} of ${String(q.box.bits)} bits at (${q.at.join(', ')}) of ${q.tensor.join(' x ')}, ${q.box.swizzle === 16 ? 'no swizzle' : `swizzle ${String(q.box.swizzle)}`}`
  const memory = (most: number): MemoryPicture => {
    const lines = memoryLines(q.ref, q.base)
    return {
      title,
      subtitle: `${thousands(bytes)} bytes on the barrier; outside of the tensor: ${outsideText}`,
      ref: q.ref,
      indexOf: origin,
      lines: lines.slice(0, q.lines === 0 ? most : q.lines),
      of: lines.length,
    }
  }
  return {
    what: 'an image',
    good: true,
    table: (palette) => {
      const drawn = memory(16)
      return [
        palette.bold(title),
        fields(palette, 12, [
          ['copied', `${showShape(shape)} elements`],
          ['bytes', `${thousands(bytes)} on the barrier, a ${q.direction}`],
          ['image', `from ${String(q.base)} to ${String(greatest(0)(addresses) + q.box.bits / 8)}`],
          ['outside', outsideText],
        ]),
        '',
        `lines of 128 bytes, chunks of 16: chunk before the swizzle, elements of the tensor${drawn.lines.length < drawn.of ? ` (${String(drawn.lines.length)} of ${thousands(drawn.of)} lines)` : ''}`,
        memoryText(palette, drawn),
      ].join('\n')
    },
    json: () => ({
      schema: 'tcspec.image/1',
      box: q.box,
      direction: q.direction,
      tensor: q.tensor,
      at: q.at,
      base: q.base,
      copied: shape,
      transactionBytes: bytes,
      outside,
      // Row-major over the box; null where the element is not in the tensor.
      addresses: Array.from(addresses),
      origins: Array.from(addresses, (_, p) => origin(p)),
      unswizzled: Array.from(swizzleAddresses(q.ref.swizzle, addresses)),
    }),
    csv: () => [
      ['byte', ...shape.map((_, d) => `box${String(d)}`), ...shape.map((_, d) => `dim${String(d)}`)],
      ...Array.from(addresses, (byte, p) => [byte, ...index(p), ...(origin(p) ?? shape.map(() => ''))]),
    ],
    svg: () => memorySvg(memory(32)),
  }
}

const run: CliCommand['run'] = (world) => (_, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(question(options), E.map(answerOf), E.chain(reportAnswer(world, options))),
  )

export const imageCommand: CliCommand = { define, outputs: outputAsked, run }
