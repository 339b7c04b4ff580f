/**
 * Register access: the instructions by which a warp moves a register layout to or from shared memory, and their conflicts.
 *
 * A register layout says which element each lane's register holds, a ref says where each element lies; together they say which
 * bytes each lane touches. A lane moves up to 16 bytes at once, if they are consecutive and aligned in every lane of every warp:
 *
 *     vector = the widest of 16, 8, 4, 2 bytes such that the lane's registers, in the order of their addresses, fall into aligned
 *              runs of that many bytes, the same registers in all lanes
 *
 * One instruction moves one such run in each lane of one warp. Which registers form a run is free, as it is for a compiler, which
 * may number registers as it likes; registers that hold the same element are moved once.
 *
 *     WGMMA f16 (64, 64), Tile (8, 64), Swizzle 128:   2 registers are 4 bytes: b32, 16 instructions a warp; lane 4r + c at row r,
 *     chunk xor r: 32 different banks, so 1 wavefront each.      With Swizzle 16 the 8 rows share 4 banks: 8 wavefronts.
 *
 * Lanes that replicate others take part. Elements of less than a byte must fill whole vectors. A splat has no run and is refused.
 *
 * Names: Triton `bankConflicts(src, shared, bitwidth)`, conflicts per phase; CuTe `AutoVectorizingCopy` chooses the width.
 *
 * Laws
 * 1. Every element of every lane is moved by exactly one instruction (registers that repeat, by the one of the first), at its address in the ref.
 * 2. The vector is the widest legal one: with twice the bytes some lane's run would be broken or not aligned.
 * 3. For full warps over a linear layout, (degree - 1) of a phase is Triton's count.
 *
 * Source: Triton's shared-memory lowering; PTX ISA, ld and st vectors; conflicts as in `banks.ts`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { least } from '../../greatest.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { elementOffsets, strideBits, swizzledAddresses } from '../../transforms/ref.js'
import type { LayoutError, RegisterLayout } from '../register-layout.js'
import { checkShape, elementTable, laneCount, showLayout, warpCount } from '../register-layout.js'
import type { AccessBytes, BankAccess, BankError, BankVerdict, LaneAddresses } from './banks.js'
import { idealWavefronts, wavefronts } from './banks.js'

// ---------------------------------------------------------------------------------------------- model

export interface WarpInstruction {
  readonly warp: number
  /** The registers that it moves, in the order of their addresses; a register counts elements of the lane. */
  readonly registers: ReadonlyArray<number>
  /** Byte address per lane. */
  readonly addresses: LaneAddresses
  readonly verdict: BankVerdict
}

export interface RegisterAccess {
  /** What each instruction is. */
  readonly access: BankAccess
  /** By warp, then by register. */
  readonly instructions: ReadonlyArray<WarpInstruction>
  readonly wavefronts: number
  readonly conflicts: number
  /** Wavefronts of as many instructions without conflicts. */
  readonly idealWavefronts: number
}

export interface AccessOptions {
  readonly direction: 'load' | 'store'
  /** Where the ref starts in shared memory; 0 if not given. */
  readonly baseAddress?: number
  /** The widest vector to use; 16 if not given. */
  readonly maxBytes?: AccessBytes
}

export type AccessError = LayoutError | BankError | 'banks.layout' | 'banks.vector'

const lanes = 32
const vectors: ReadonlyArray<AccessBytes> = [16, 8, 4, 2]

// ------------------------------------------------------------------------------------- the working form

/** Element positions, `registers` of them for each thread. */
interface Held {
  readonly table: Int32Array
  readonly registers: number
}

/** The registers that do not repeat one before them. Registers repeat in all threads or in none: that is how linear layouts do it, and no other kind does. */
const distinct = ({ table, registers }: Held): number[] => {
  const first = table.subarray(0, registers)
  return Array.from({ length: registers }, (_, r) => r).filter((r) => first.indexOf(first[r]!) === r)
}

/** Do the registers, cut into runs of `count`, lie in aligned consecutive bits in every thread? */
const falls = (
  { table, registers }: Held,
  order: ReadonlyArray<number>,
  bitAddress: Float64Array,
  bits: number,
  count: number,
): boolean => {
  for (let thread = 0; thread < table.length; thread += registers)
    for (let k = 0; k < order.length; k++) {
      const at = bitAddress[table[thread + order[k]!]!]!
      const first = bitAddress[table[thread + order[k - (k % count)]!]!]!
      if (first % (count * bits) !== 0 || at !== first + (k % count) * bits) return false
    }
  return order.length % count === 0
}

// ----------------------------------------------------------------------------------------- combinators

/**
 * The instructions that move an array between registers and shared memory. Errors: a layout that is not for the ref's shape, not of warps
 * of 32 lanes, or a splat; elements that lie in single bytes, whose accesses are not measured.
 */
export const accessOf =
  (options: AccessOptions) =>
  (layout: RegisterLayout, ref: TransformedRef): E.Either<Failure<AccessError>, RegisterAccess> => {
    if (layout._tag === 'splat' || laneCount(layout) !== lanes)
      return refuse(
        'banks.layout',
        `Expected a layout whose warps have 32 lanes with different elements, found ${showLayout(layout)}`,
      )
    const base = options.baseAddress ?? 0
    return pipe(
      checkShape(layout, ref.shape),
      E.chainW((): E.Either<Failure<AccessError>, RegisterAccess> => {
        const table = elementTable(layout, ref.shape)
        const warps = warpCount(layout)
        const registers = table.length / (warps * lanes)
        const held = { table, registers }
        const offsets = elementOffsets(ref)
        const bitAddress = Float64Array.from(
          swizzledAddresses(ref, base),
          (a, k) => 8 * a + ((offsets[k]! * strideBits(ref.bits)) % 8),
        )
        const order = distinct(held).sort((r, s) => bitAddress[table[r]!]! - bitAddress[table[s]!]!)
        const bytes = vectors.find(
          (v) =>
            v <= (options.maxBytes ?? 16) &&
            Number.isInteger((8 * v) / ref.bits) &&
            falls(held, order, bitAddress, ref.bits, (8 * v) / ref.bits),
        )
        if (bytes === undefined)
          return refuse(
            'banks.vector',
            `Lanes of ${showLayout(layout)} must hold runs of at least 2 aligned bytes, found ${String(ref.bits)}-bit elements apart`,
          )
        const count = (8 * bytes) / ref.bits
        const runs = Array.from({ length: order.length / count }, (_, k) =>
          order.slice(k * count, (k + 1) * count),
        ).sort((a, b) => least(Infinity)(a) - least(Infinity)(b))
        const access: BankAccess = { _tag: options.direction, bytes }
        return pipe(
          instructionsOf(access, warps, runs, (warp, lane, register) => {
            const thread = warp * lanes + lane
            return bitAddress[table[thread * registers + register]!]! / 8
          }),
          E.map((instructions) => ({
            access,
            instructions,
            wavefronts: instructions.reduce((sum, { verdict }) => sum + verdict.wavefronts, 0),
            conflicts: instructions.reduce((sum, { verdict }) => sum + verdict.conflicts, 0),
            idealWavefronts: instructions.length * idealWavefronts(access),
          })),
        )
      }),
    )
  }

const instructionsOf = (
  access: BankAccess,
  warps: number,
  runs: ReadonlyArray<ReadonlyArray<number>>,
  address: (warp: number, lane: number, register: number) => number,
): E.Either<Failure<BankError>, ReadonlyArray<WarpInstruction>> => {
  const instructions: WarpInstruction[] = []
  for (let warp = 0; warp < warps; warp++)
    for (const registers of runs) {
      const addresses = Array.from({ length: lanes }, (_, lane) => address(warp, lane, registers[0]!))
      const verdict = wavefronts(access)(addresses)
      if (E.isLeft(verdict)) return verdict
      instructions.push({ warp, registers, addresses, verdict: verdict.right })
    }
  return E.right(instructions)
}
