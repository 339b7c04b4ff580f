import * as E from 'fp-ts/lib/Either.js'
import { checkLaws, registerLayoutLaws, showReport } from '../../../src/laws/index.js'
import { tiled } from '../../../src/layouts/index.js'

/** Your compiler's table of the accumulator: it has forgotten that rows 8 apart alternate before columns do. */
const elementOf = (warp: number, lane: number, register: number): readonly number[] => [
  16 * warp + Math.floor(lane / 4) + 8 * Math.floor(register / 4),
  2 * (lane % 4) + (register % 2) + 8 * (Math.floor(register / 2) % 2),
]

const kit = registerLayoutLaws(tiled.WGMMA, [64, 16])
console.log(E.isRight(kit) ? showReport(checkLaws(kit.right)({ elementOf })) : kit.left.message)
