/**
 * Cut-down instances: a kernel at the smallest sizes that it takes.
 *
 * What a protocol does depends on its steps, slots and tiles, and not on how large a tile is. So mutants are judged where tiles are small: 2 S + 1 steps
 * on S = 2 slots, so that every slot is refilled with both parities; five tiles of three steps where one block computes several, since what it keeps for
 * two tiles is then refilled, too; and an epilogue of two slices where it comes in slices. Smaller still are the instances of which every schedule is
 * followed: one tile, 1 to 4 steps.
 *
 * | kernel            | judged at                                                   | followed at          |
 * |-------------------|-------------------------------------------------------------|----------------------|
 * | hopper-matmul     | one tile of 64 x 16, 5 steps of 16, 2 slots                 | the same, 1 to 4 steps |
 * | hopper-persistent | five tiles of 128 x 16, one block                           | one tile             |
 * | matmul3           | one tile of a pair, 256 x 32, epilogue in two pieces of 16  | the same             |
 * | fa3-attention     | one head, 128 queries, 5 steps of 64 keys, 2 slots           | the same, 1 to 4 steps |
 * | kv-pipeline       | 5 tiles of 16 keys, 3 slots that k and v share               | the same, 1 to 4 tiles |
 * | queue             | 5 items of one row, 2 slots                                 | 1 to 4 items         |
 *
 * Laws
 * 1. Every kernel of the catalogue has an instance for every number of steps, and no smaller tile of the list would do.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { bad, type Instance, type Kernel, type Settings } from './model.js'
import { instanceOf } from './settings.js'

/** Sides of tiles to try, smallest first. */
const heights: ReadonlyArray<number> = [64, 128, 256]
const widths: ReadonlyArray<number> = [16, 32, 64, 128]
const depths: ReadonlyArray<number> = [16, 32, 64, 128, 256]
/** Blocks of a cluster that share a tile, along each side. */
const together: ReadonlyArray<number> = [1, 2]

const candidates = (steps: number, tiles: number): ReadonlyArray<Settings> => [
  {
    q: 128 * tiles,
    kv: 64 * steps,
    heads: 1,
    kvHeads: 1,
    headDim: 64,
    blockQ: 64,
    blockKv: 64,
    maxConcurrentSteps: 2,
  },
  { q: 256 * tiles, kv: 16 * steps, heads: 1, kvHeads: 1, headDim: 64, blockKv: 16, stages: 2 },
  { q: 128, kv: 16 * steps, headDim: 64, blockKv: 16, stages: 3 },
  ...[8, 64].map((n): Settings => ({ m: steps, n, rows: 1, buffering: 2 })),
  ...depths.flatMap((tileK) =>
    together.flatMap((blocks) =>
      heights.flatMap((tileM) =>
        widths.map((tileN): Settings => ({
          m: tileM * blocks * tiles,
          n: tileN * blocks,
          k: tileK * steps,
          tileM,
          tileN,
          tileK,
          stages: 2,
          blocks: 1,
          clusters: 1,
          epilogueTileN: 16,
        })),
      ),
    ),
  ),
]

/** Only what the kernel knows, and what was chosen of the rest. */
const known = (kernel: Kernel, settings: Settings, chosen: Settings): Settings => {
  const names = kernel.parameters.map((p) => p.name)
  const kept = Object.entries(chosen).filter(
    ([name]) => names.includes(name) && !Object.hasOwn(settings, name),
  )
  return Object.fromEntries([...kept, ...Object.entries(settings).filter(([name]) => names.includes(name))])
}

/** An epilogue in slices has two of them. */
const inTwo = (kernel: Kernel, settings: Settings): boolean =>
  !kernel.parameters.some((p) => p.name === 'epilogueTileN') || Number(settings['n']) >= 32

/** The kernel with this many steps and tiles, otherwise as small as it can be; words and flags as chosen. */
export const cutDownTo = (
  kernel: Kernel,
  steps: number,
  tiles: number,
  chosen: Settings = {},
): E.Either<Failure, Instance> => {
  const words = Object.fromEntries(Object.entries(chosen).filter(([, value]) => typeof value !== 'number'))
  for (const settings of candidates(steps, tiles)) {
    const fits = ['rows', 'heads', 'headDim', 'blockQ'].every(
      (name) => Object.hasOwn(settings, name) === kernel.parameters.some((p) => p.name === name),
    )
    if (!fits || !inTwo(kernel, settings)) continue
    const made = instanceOf(kernel, known(kernel, settings, words), [])
    if (E.isRight(made)) return made
  }
  return bad(kernel.name, `no instance of ${String(steps)} steps and ${String(tiles)} tiles is small enough`)
}

/** Where the mutants of a kernel are judged. */
export const judgedAt = (kernel: Kernel, chosen: Settings = {}): E.Either<Failure, Instance> =>
  kernel.persistent === true ? cutDownTo(kernel, 3, 5, chosen) : cutDownTo(kernel, 5, 1, chosen)

/** Where all schedules of a mutant are followed. */
export const followedAt = (kernel: Kernel, chosen: Settings = {}): ReadonlyArray<Instance> =>
  [1, 2, 3, 4].flatMap((steps) => {
    const made = cutDownTo(kernel, steps, 1, chosen)
    return E.isRight(made) ? [made.right] : []
  })
