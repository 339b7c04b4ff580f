/**
 * Registers and lanes: which tiles a tcgen05.st can move.
 *
 * Warp w reaches the lanes from 32 (w mod 4), and a shape of the instruction says which thread of the warp holds which cell
 * (`layouts/tensor-memory/access-shape.ts`). So a tile whose register layout is known can be stored only if some shape has every element in a
 * thread that holds it:
 *
 *     32x32b      thread t the cells of lane t
 *     16x256b     thread t, of lanes t div 4 and t div 4 + 8, columns 2 (t mod 4) and 2 (t mod 4) + 1 of every 8
 *     16x32bx2    threads t and t + 16 two cells of lane t of 16, a distance of columns apart that is the same for all t
 *
 * Elements of 16 bits that stand one in a column are moved two at a time (unpack::16b): then two neighbouring columns are one.
 *
 * Not asked: of a tcgen05.ld (its registers are a storage, which has no layout), and the reductions of a load, which are no instruction here.
 *
 * Law 1. A fragment that `accessOf` (`layouts/tensor-memory/transfer.ts`) takes is accepted, one of another warp's rows is refused (L2).
 *
 * Source: PTX ISA 9, tcgen05.st: lanes of a warp, shapes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { elementTable, laneCount, showLayout, warpCount } from '../../../layouts/register-layout.js'
import {
  accessShape,
  lanesOf,
  registerAt,
  type AccessShape,
} from '../../../layouts/tensor-memory/access-shape.js'
import { quarterOf, quarterOfWarp, tmemLaneBytes } from '../../../layouts/tensor-memory/geometry.js'
import { bitsOf } from '../../../numerics/dtype.js'
import * as Ref from '../../../transforms/ref.js'
import { showType } from '../typecheck.js'
import type { Operands } from './operands.js'
import { type Checked, each, no } from './problem.js'
import type { Here } from './scope.js'

/** Eight columns of each shape: which thread holds a cell repeats after as many. */
const period = 8
const shapes: ReadonlyArray<AccessShape> = (
  [
    ['32x32b', 8],
    ['16x64b', 4],
    ['16x128b', 2],
    ['16x256b', 1],
  ] as const
).flatMap(([name, num]) => {
  const made = accessShape(name, num)
  return E.isRight(made) ? [made.right] : []
})

export const storeRules = (here: Here, operand: Operands): Checked => {
  const to = operand.view('destination')
  const value = operand.tile('value')
  if (to === undefined || value === undefined || value.layout === 'any' || value.layout._tag === 'splat')
    return null
  const { layout, shape } = value
  if (shape.length !== 2) return null
  const addresses = Ref.swizzledAddresses(to.layout, 0)
  const held = elementTable(layout, shape)
  const lanes = laneCount(layout)
  const perWarp = held.length / warpCount(layout)
  /** columns of the tensor memory that a register takes */
  const steps = bitsOf(to.dtype) === 16 ? [1, 2] : [1]
  const laneAt = (element: number): number => Math.floor(addresses[element]! / tmemLaneBytes)
  const columnAt = (element: number, step: number): number =>
    Math.floor((addresses[element]! % tmemLaneBytes) / (4 * step))
  const perLane = perWarp / lanes
  return each(here.runners, ({ name, firstWarp }) => {
    /** Register by register: do threads 0 to 15 hold a column of 16 lanes, and the others a column of the same lanes, further on? */
    const movesHalves = (step: number): boolean => {
      const found = new Uint8Array(addresses.length)
      const isHalf = (half: ReadonlyArray<number>): boolean =>
        laneAt(half[0]!) % 16 === 0 &&
        half.every(
          (e, t) => laneAt(e) === laneAt(half[0]!) + t && columnAt(e, step) === columnAt(half[0]!, step),
        )
      for (let warp = 0; warp < held.length / perWarp; warp++)
        for (let register = 0; register < perLane; register++) {
          const elements = Array.from(
            { length: lanes },
            (_, thread) => held[warp * perWarp + thread * perLane + register]!,
          )
          const [lower, upper] = [elements.slice(0, 16), elements.slice(16)]
          if (
            isHalf(lower) &&
            isHalf(upper) &&
            laneAt(lower[0]!) === laneAt(upper[0]!) &&
            columnAt(lower[0]!, step) <= columnAt(upper[0]!, step) &&
            quarterOf(laneAt(lower[0]!)) === quarterOfWarp(firstWarp + warp)
          )
            for (const element of elements) found[element] = 1
        }
      return found.every((one) => one === 1)
    }
    /** Is every element in a thread that the shape moves it from? */
    const moves = (access: AccessShape, step: number): boolean => {
      const found = new Uint8Array(addresses.length)
      held.forEach((element, place) => {
        const quarter = quarterOfWarp(firstWarp + Math.floor(place / perWarp))
        const thread = Math.floor((place % perWarp) / perLane)
        const lane = laneAt(element)
        const cell = { lane: lane % lanesOf(access), column: columnAt(element, step) % period }
        if (quarter === quarterOf(lane) && registerAt(access, cell)?.thread === thread) found[element] = 1
      })
      return found.every((one) => one === 1)
    }
    return shapes.some((access) => steps.some((step) => moves(access, step))) || steps.some(movesHalves)
      ? null
      : no(
          'L2',
          `value: no shape of tcgen05.st moves ${showLayout(layout)}, a tile of ${name} into ${showType(to)}: a warp reaches 32 lanes, and each of its threads certain cells of them`,
        )
  })
}
