/** Tiles of a pair of blocks: twice a block's height, twice its columns of b; the epilogue in one piece, or in pieces of 16 columns. */
import type { Grain } from './points.js'

const pair = (epilogueTileN: (columns: number) => number): Grain => ({
  rows: 256,
  columns: 32,
  tile: (columns) => ({ tileM: 128, tileN: columns / 2, epilogueTileN: epilogueTileN(columns) }),
})

export const pairGrain: Grain = pair((columns) => columns)
export const pairPieces: Grain = pair(() => 16)
