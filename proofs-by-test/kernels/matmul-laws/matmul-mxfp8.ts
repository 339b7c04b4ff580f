import { balanced, type Plan } from './laws.js'
import { pointOf, type Grain } from './points.js'

/** Scales come in atoms of 128 rows by 4 blocks of 32: no tile is smaller. */
const grain: Grain = { rows: 128, columns: 128, depth: 128, tile: (tileN) => ({ tileM: 128, tileN }) }

// every seventh is computed with numbers, and has few steps
const rings: ReadonlyArray<readonly [stages: number, steps: ReadonlyArray<number>]> = [
  [1, [1, 2, 3, 4, 5, 6]],
  [2, [1, 2, 3, 4, 5, 6, 7, 8]],
  [3, [2, 1, 3, 5, 6, 7, 8, 4, 9]],
  [4, [1, 3, 4, 8, 9, 2, 10]],
]
const shapes: ReadonlyArray<readonly [number, number]> = [
  [1, 2],
  [3, 1],
  [1, 1],
  [2, 3],
  [3, 3],
]

export const plan: Plan = {
  kernel: 'matmul-mxfp8',
  points: rings
    .flatMap(([stages, all]) => all.map((steps) => [stages, steps] as const))
    .map(([stages, steps], i) =>
      // larger slots where few of them fit
      pointOf(grain, i % 7 === 0 ? [1, 1] : shapes[i % shapes.length]!, steps, stages, {
        wide: stages < 3 && i % 3 === 2 ? 2 : 1,
        deep: stages < 3 && i % 3 === 1 ? 2 : 1,
        rest: {
          dtype: i % 2 === 0 ? 'e4m3' : 'e5m2',
          bDtype: i % 3 === 0 ? 'e5m2' : 'e4m3',
          outDtype: (['f16', 'bf16', 'f32'] as const)[stages < 3 ? (i + 1) % 3 : i % 2]!,
        },
      }),
    ),
  small: pointOf(grain, [1, 1], 3, 2),
  unawaited: balanced,
}
