/**
 * A picture of a swizzle: eight rows of eight 16-byte chunks, drawn where they lie in shared memory.
 *
 * A row of the picture is a 128-byte line of memory, which is all 32 banks once; a column is one group of four banks. The cell says
 * which chunk of the row's data lies there. Reading one chunk of every row (what a tensor core or ldmatrix does) is drawn in the
 * palette's `name`: without a swizzle all eight lie in one column and the read takes eight turns; with one they lie in eight columns.
 *
 * Every number comes from `transforms`: the address of the first element of a chunk, nothing else.
 *
 * Laws
 * 1. Each line shows every chunk of its row once, for a span of 128.
 * 2. `turns` is the largest number of chunks in one column.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../greatest.js'
import type { Failure } from '../failure.js'
import * as Ref from '../transforms/ref.js'
import * as Swizzle from '../transforms/swizzle.js'
import * as Transform from '../transforms/transform.js'
import type { Palette } from './palette.js'

export interface SwizzlePicture {
  readonly span: Swizzle.Swizzle
  /** `chunkAt[line][column]`: which chunk of the row lies in this column of its line */
  readonly chunkAt: ReadonlyArray<ReadonlyArray<number>>
  /** the column in which each row's chunk `chunk` lies */
  readonly columnOf: (chunk: number) => ReadonlyArray<number>
  /** passes that reading this chunk of all eight rows takes: chunks in the busiest column */
  readonly turns: (chunk: number) => number
}

const chunkBytes = 16
const lines = 8
const columns = 8
/** f16: a line has 64 elements, a chunk eight. */
const bits = 16
const perChunk = (8 * chunkBytes) / bits

/** The picture of an (8, 64) array of 16-bit elements, tiled and swizzled as Pallas writes it. */
export const swizzlePicture = (span: Swizzle.Swizzle): E.Either<Failure, SwizzlePicture> =>
  pipe(
    E.Do,
    E.bindW('tile', () => Transform.tile([8, Swizzle.swizzleElements(span, bits)])),
    E.bindW('swizzle', () => Transform.swizzle(span)),
    E.bindW('ref', ({ tile, swizzle }) =>
      span === 16
        ? Ref.ofTransforms([lines, columns * perChunk], bits, [])
        : Ref.ofTransforms([lines, columns * perChunk], bits, [tile, swizzle]),
    ),
    E.map(({ ref }) => {
      const chunkAt = Array.from({ length: lines }, () => new Array<number>(columns).fill(-1))
      const column: number[][] = Array.from({ length: columns }, () => [])
      for (let row = 0; row < lines; row++)
        for (let chunk = 0; chunk < columns; chunk++) {
          const address = Ref.addressOf(ref, 0, [row, chunk * perChunk])
          const at = (address / chunkBytes) % columns
          chunkAt[Math.floor(address / (chunkBytes * columns))]![at] = chunk
          column[chunk]!.push(at)
        }
      return {
        span,
        chunkAt,
        columnOf: (chunk) => column[chunk]!,
        turns: (chunk) =>
          greatest(0)(
            Array.from({ length: columns }, (_, at) => column[chunk]!.filter((c) => c === at).length),
          ),
      }
    }),
  )

const heading = (): string =>
  `banks ${Array.from({ length: columns }, (_, c) => `${String(4 * c)}-${String(4 * c + 3)}`.padStart(6)).join('')}`

/** Eight lines and a heading; the cells of `chunk` are marked. */
export const drawSwizzle = (palette: Palette, picture: SwizzlePicture, chunk: number): string =>
  [
    heading(),
    ...picture.chunkAt.map(
      (cells, row) =>
        `row ${String(row)} ${cells
          .map((c) => (c === chunk ? palette.name(`   [${String(c)}]`) : `    ${String(c)} `))
          .join('')}`,
    ),
  ]
    .map((line) => line.trimEnd())
    .join('\n')

/** Texts side by side, each column as wide as its widest line (without marks). */
export const beside = (left: ReadonlyArray<string>, right: ReadonlyArray<string>, width: number): string =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const l = left[i] ?? ''
    return `${l}${' '.repeat(Math.max(0, width - visible(l)))}${right[i] ?? ''}`.trimEnd()
  }).join('\n')

/** Characters that take room: escape codes do not. */
const visible = (line: string): number =>
  line
    .split(escape)
    .reduce((n, part, i) => n + (i === 0 ? part.length : part.length - part.indexOf('m') - 1), 0)
const escape = String.fromCharCode(27)
