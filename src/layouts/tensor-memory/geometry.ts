/**
 * Tensor memory: 128 lanes of 512 columns of 32 bits, one of it for each SM.
 *
 *     address = lane * 2^16 + column          lane 33, column 5  ->  0x00210005
 *
 * Warp w of a warpgroup reaches the 32 lanes of quarter w mod 4, all columns. Columns are allocated, all lanes of them, in powers of two from 32.
 *
 * Names: PTX `taddr`, `tcgen05.alloc`; CuTe TMEM with `DP` (data path) for lanes; Pallas `plgpu.TMEM`.
 *
 * Laws
 * 1. `laneOf` and `columnOf` are the halves of `addressOf`.
 * 2. There are five sizes of allocations; `roundToAllocation(c)` is the least that is not smaller than c.
 *
 * Source: PTX ISA, tensor memory; tcgen05.alloc.
 */

export const tmemLanes = 128
export const tmemColumns = 512
/** Bits of a column in a lane. */
export const tmemColumnBits = 32
/** Bytes of a lane: 512 columns of 4. */
export const tmemLaneBytes = 2048
/** Lanes that one warp reaches. */
export const tmemQuarterLanes = 32

/** A 32-bit cell. */
export interface Cell {
  readonly lane: number
  readonly column: number
}

export const addressOf = ({ lane, column }: Cell): number => lane * 65536 + column

export const laneOf = (address: number): number => Math.floor(address / 65536)

export const columnOf = (address: number): number => address % 65536

/** Which 32 lanes a lane is one of: 0 to 3. */
export const quarterOf = (lane: number): number => Math.floor(lane / tmemQuarterLanes)

/** The quarter that a warp reaches. */
export const quarterOfWarp = (warp: number): number => warp % 4

/** Numbers of columns that can be allocated. */
export const allocationSizes: ReadonlyArray<number> = [32, 64, 128, 256, tmemColumns]

export const isAllocation = (columns: number): boolean => allocationSizes.includes(columns)

/** The least allocation of at least so many columns, or null above 512. */
export const roundToAllocation = (columns: number): number | null =>
  allocationSizes.find((size) => size >= columns) ?? null
