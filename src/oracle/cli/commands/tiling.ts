/**
 * `tcspec tiling --m-tiles 16 --n-tiles 16 --clusters 16 --width 4`: what the order of tiles costs a persistent matmul.
 *
 * | column    | what it says                                                                     |
 * |-----------|----------------------------------------------------------------------------------|
 * | wave 0    | different row panels of `a` and column panels of `b` that the first wave reads    |
 * | footprint | bytes of the panels that a wave reads, each once: the mean over the waves          |
 * | kept      | of these, what the wave before read too: the mean over the waves after the first   |
 * | L2 of ... | bytes that are fetched in all, by a cache that forgets what was used longest ago   |
 *
 * Rows: row by row, column by column, and for each `--width` bands that begin at the same end (`bands`) and bands that turn round (`snake`, which
 * is `planar_snake`).
 */
import type { Command } from 'commander'
import * as A from 'fp-ts/lib/ReadonlyArray.js'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { MinorDim } from '../../../dialects/pallas/planar-snake.js'
import type { Failure } from '../../../failure.js'
import { panelsOf, type Footprint } from '../../../kernels/traffic/footprint.js'
import { operandBytes, panelBytes, visit, type Tiling, type Visit } from '../../../kernels/traffic/study.js'
import {
  bands,
  columns,
  orderName,
  rows,
  snake,
  type Order,
} from '../../../kernels/traffic/visiting-order.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { write, type SvgElement } from '../../../render/svg.js'
import { fields, table, thousands } from '../../../render/table.js'
import { visitingOrderSvg } from '../../../render/visiting-order.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report } from '../command.js'
import { oneOf, refuseFlag, type FlagFailure } from '../flags/choice.js'
import { parseShape } from '../flags/shape.js'
import { wordOf, wordsOf } from '../flags/words.js'
import type { AskedFile } from '../outputs.js'

const define = (command: Command): Command =>
  withFormats(command)
    .option('--m-tiles <n>', 'tiles along m', '16')
    .option('--n-tiles <n>', 'tiles along n', '16')
    .option('--clusters <n>', 'clusters that share the tiles', '16')
    .option('--width <n...>', 'widths of a band: grid_tile_width; 4 if not given')
    .option('--minor <dim>', 'the dimension that is cut into bands, 0 or 1: grid_minor_dim', '0')
    .option('--tile <MxNxK>', 'the tile of a cluster, and the depth of one step', '256x256x64')
    .option('--k <n>', 'columns of a, rows of b', '4096')
    .option('--dtype <type>', 'f32, f16, bf16, e4m3 or e5m2', 'f16')
    .option('--l2-bytes <n...>', 'sizes of the cache; 8, 32 and 64 MiB if not given')
    .option('--svg <file>', 'draw the orders, too')

// ---------------------------------------------------------------- what is asked

const positive = (flag: string, text: string, most: number): E.Either<FlagFailure, number> =>
  /^\d{1,15}$/.test(text) && Number(text) >= 1 && Number(text) <= most
    ? E.right(Number(text))
    : refuseFlag(flag, `an integer from 1 to ${thousands(most)}`, text)

const one = (options: Options, name: string, flag: string, most: number): E.Either<FlagFailure, number> =>
  positive(flag, wordOf(options, name) ?? '', most)

const several = (
  options: Options,
  name: string,
  flag: string,
  most: number,
  otherwise: ReadonlyArray<number>,
): E.Either<FlagFailure, ReadonlyArray<number>> => {
  const given = wordsOf(options, name)
  return given.length === 0
    ? E.right(otherwise)
    : A.traverse(E.Applicative)((text: string) => positive(flag, text, most))(given)
}

const dtypes = ['f32', 'f16', 'bf16', 'e4m3', 'e5m2'] as const

const mebi = 1024 * 1024
/** Requests that are followed in a few seconds. */
const mostRequests = 40_000_000

interface Asked {
  readonly tiling: Tiling
  readonly tile: readonly [m: number, n: number, k: number]
  readonly dtype: string
  readonly orders: ReadonlyArray<Order>
  readonly caches: ReadonlyArray<number>
}

const tileOf = (text: string): E.Either<FlagFailure, readonly [number, number, number]> =>
  pipe(
    parseShape('--tile')(text),
    E.chain((shape) =>
      shape.length === 3
        ? E.right([shape[0]!, shape[1]!, shape[2]!] as const)
        : refuseFlag('--tile', 'three extents such as 256x256x64', text),
    ),
  )

const askedOf = (options: Options): E.Either<FlagFailure, Asked> =>
  pipe(
    E.Do,
    E.bind('m', () => one(options, 'mTiles', '--m-tiles', 1024)),
    E.bind('n', () => one(options, 'nTiles', '--n-tiles', 1024)),
    E.bind('clusters', () => one(options, 'clusters', '--clusters', 65_536)),
    E.bind('widths', () => several(options, 'width', '--width', 1024, [4])),
    E.bind('minor', () => oneOf('--minor', ['0', '1'])(wordOf(options, 'minor') ?? '')),
    E.bind('tile', () => tileOf(wordOf(options, 'tile') ?? '')),
    E.bind('k', ({ tile }) =>
      pipe(
        one(options, 'k', '--k', 2 ** 30),
        E.filterOrElseW(
          (k) => k % tile[2] === 0,
          (k) => ({
            code: 'bad-flag' as const,
            message: `--k: expected a multiple of ${String(tile[2])}, the depth of a step, found '${String(k)}'`,
          }),
        ),
      ),
    ),
    E.bind('dtype', () => oneOf('--dtype', dtypes)(wordOf(options, 'dtype') ?? '')),
    E.bind('caches', () =>
      several(options, 'l2Bytes', '--l2-bytes', 2 ** 40, [8 * mebi, 32 * mebi, 64 * mebi]),
    ),
    E.chain(({ m, n, clusters, widths, minor, tile, k, dtype, caches }): E.Either<FlagFailure, Asked> => {
      const bytes = bitsOf(dtype) / 8
      const minorDim: MinorDim = minor === '0' ? 0 : 1
      const orders = [
        rows,
        columns,
        ...widths.flatMap((width) => [bands(minorDim, width), snake(minorDim, width)]),
      ]
      const steps = k / tile[2]
      const requests = 2 * m * n * steps * orders.length * caches.length
      return requests > mostRequests
        ? refuseFlag(
            '--k',
            `a study of at most ${thousands(mostRequests)} requests, in fewer and deeper steps (--tile)`,
            `${thousands(requests)} requests`,
          )
        : E.right({
            tiling: {
              grid: [m, n],
              clusters,
              steps,
              block: { a: tile[0] * tile[2] * bytes, b: tile[2] * tile[1] * bytes },
            },
            tile,
            dtype,
            orders,
            caches,
          })
    }),
  )

// ---------------------------------------------------------------- the answer

const bytesText = (bytes: number): string =>
  bytes >= mebi
    ? `${thousands(Math.round((bytes / mebi) * 10) / 10)} MiB`
    : bytes >= 1024
      ? `${String(Math.round((bytes / 1024) * 10) / 10)} KiB`
      : `${String(Math.round(bytes))} B`

const mean = (xs: ReadonlyArray<number>): number =>
  xs.length === 0 ? 0 : xs.reduce((a, b) => a + b, 0) / xs.length

const footprintOf = (v: Visit): number => mean(v.waves.map((w) => w.bytes))
const keptOf = (v: Visit): number => mean(v.waves.slice(1).map((w) => w.kept))
const panelText = (f: Footprint): string =>
  `${String(f.rows.length)} + ${String(f.columns.length)} = ${String(panelsOf(f))}`

const titleOf = (a: Asked): string =>
  `${a.tiling.grid.join(' x ')} tiles, ${thousands(a.tiling.clusters)} ${a.tiling.clusters === 1 ? 'cluster' : 'clusters'}`

const pictureOf = (a: Asked, visits: ReadonlyArray<Visit>): SvgElement =>
  visitingOrderSvg({
    title: titleOf(a),
    subtitle:
      'A cell is a tile of out and the number of its visit; a colour is a wave: tiles that the clusters work on together. Bars: the panels of a and b that wave 0 reads.',
    grid: a.tiling.grid,
    orders: visits.map((v) => ({ name: orderName(v.order), waves: v.waves })),
  })

const answerOf = (a: Asked, visits: ReadonlyArray<Visit>): Answer => {
  const panel = panelBytes(a.tiling)
  const asked = visits[0]!.waves.reduce((sum, w) => sum + w.asked, 0)
  return {
    what: 'an order of tiles',
    good: true,
    table: (palette) =>
      [
        fields(palette, 12, [
          [
            'tiles',
            `${a.tiling.grid.join(' x ')} of ${a.tile[0].toString()} x ${a.tile[1].toString()}, in ${thousands(a.tiling.steps)} ${a.tiling.steps === 1 ? 'step' : 'steps'} of ${String(a.tile[2])} of ${a.dtype}`,
          ],
          ['clusters', `${thousands(a.tiling.clusters)}: ${thousands(visits[0]!.waves.length)} waves`],
          [
            'panels',
            `${bytesText(panel.a)} of a, ${bytesText(panel.b)} of b; both operands ${bytesText(operandBytes(a.tiling))}, asked for ${bytesText(asked)}`,
          ],
        ]),
        '',
        ...table([
          ['order', 'wave 0', 'footprint', 'kept', ...a.caches.map((c) => `L2 of ${bytesText(c)}`)],
          ...visits.map((v) => [
            orderName(v.order),
            panelText(v.waves[0]!),
            bytesText(footprintOf(v)),
            bytesText(keptOf(v)),
            ...v.traffic.map((t) => bytesText(t.missBytes)),
          ]),
        ])
          .split('\n')
          .map((text, k) => (k === 0 ? palette.dim(text) : text)),
      ].join('\n'),
    json: () => ({
      schema: 'tcspec.tiling/1',
      grid: a.tiling.grid,
      clusters: a.tiling.clusters,
      steps: a.tiling.steps,
      panelBytes: panel,
      operandBytes: operandBytes(a.tiling),
      askedBytes: asked,
      caches: a.caches,
      orders: visits.map((v) => ({
        order: orderName(v.order),
        waves: v.waves.map((w) => ({
          rows: w.rows,
          columns: w.columns,
          bytes: w.bytes,
          kept: w.kept,
          tiles: w.tiles,
        })),
        missBytes: v.traffic.map((t) => t.missBytes),
      })),
    }),
    csv: () => [
      ['order', 'rows', 'columns', 'footprint', 'kept', ...a.caches.map((c) => `l2_${String(c)}`)],
      ...visits.map((v) => [
        orderName(v.order),
        v.waves[0]!.rows.length,
        v.waves[0]!.columns.length,
        Math.round(footprintOf(v)),
        Math.round(keptOf(v)),
        ...v.traffic.map((t) => t.missBytes),
      ]),
    ],
    svg: () => pictureOf(a, visits),
  }
}

const pictureAsked = (options: Options): ReadonlyArray<AskedFile> => {
  const file = wordOf(options, 'svg')
  return file === null ? [] : [{ flag: '--svg', file }]
}

/** An answer, and the picture beside it where `--svg` asks for one. */
const withPicture = (options: Options, draw: () => SvgElement, report: Report): Report => ({
  ...report,
  files: [
    ...(report.files ?? []),
    ...pictureAsked(options).map(({ file }) => ({ file, bytes: new TextEncoder().encode(write(draw())) })),
  ],
})

const run: CliCommand['run'] = (world) => (_operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(
      E.Do,
      E.bindW('asked', () => askedOf(options)),
      E.bindW('visits', ({ asked }) =>
        A.traverse(E.Applicative)((order: Order) => visit(asked.tiling, asked.caches, order))(asked.orders),
      ),
      E.chainW(({ asked, visits }) =>
        pipe(
          reportAnswer(world, options)(answerOf(asked, visits)),
          E.map((report) => withPicture(options, () => pictureOf(asked, visits), report)),
        ),
      ),
    ),
  )

export const tilingCommand: CliCommand = {
  define,
  outputs: (options) => [...pictureAsked(options), ...outputAsked(options)],
  run,
}
