/**
 * Bank conflicts of a register layout against a shared-memory layout.
 *
 * Shared memory has 32 banks of 4 bytes, and a warp's access is done in phases: all 32 lanes up to 4 bytes each, 16 lanes of 8, 8
 * lanes of 16. Lanes of a phase that want different words of one bank wait for each other. Both layouts are linear, so the lanes'
 * words are a subspace, every bank that is touched holds equally many of them, and their number is
 *
 *     ways = 2 ^ (rank of the lanes' words - rank of the lanes' banks)
 *
 * A lane moves as many neighbours at once as its registers hold in every lane, up to 16 bytes (*vector*); a word is then a vector,
 * and a bank as many banks as it covers. A compiler may number the registers as it likes; replicated ones are moved once.
 *
 *     mma v3 in 16 bits, rows of 128 bytes, swizzled:  2 elements a vector; lane 4r + c has word c + 4r of row r, xor 4r: ranks 5 and 5
 *     without a swizzle, rows of 128 bytes:            word c + 32 r, bank c: ranks 5 and 2, 8 ways
 *
 * Names: Triton `bankConflicts`, Gluon `bank_conflicts` (the extra wavefronts of a phase). Where elements are swizzled within a
 * word, which no encoding for the tensor cores does, Triton counts fewer: it takes lanes of one word for lanes that need no other.
 *
 * Laws
 * 1. The count of a simulation of 32 banks, for every phase of every warp and register.
 * 2. `elementsPerVector` is the largest power of two up to 16 bytes for which the registers of every lane fall into the same aligned
 *    runs, the registers of a run numbered alike in all runs.
 *
 * Source: Triton, generic swizzling; PTX and CUDA on shared-memory banks.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import * as GF2 from '../gf2.js'
import { invertAndCompose } from '../linear/inverse.js'
import type { LinearError, LinearSpec } from '../linear/linear-layout.js'
import { basesOf, outputNames } from '../linear/linear-layout.js'

export interface BankConflicts {
  readonly elementsPerVector: number
  /** The most words of one bank that a phase wants. */
  readonly ways: number
  /** ways - 1. */
  readonly extraWavefrontsPerPhase: number
}

export type BankConflictsError = LinearError | 'triton.element-bits'

const bankBits = 32
const banks = 32
const maxVectorBits = 128

/** The offsets of an input's bits. */
const offsetsOf = (map: LinearSpec, name: string): ReadonlyArray<number> => {
  const d = outputNames(map).indexOf('offset')
  return basesOf(map, name).map((basis) => basis[d]!)
}

const rankOf = (numbers: ReadonlyArray<number>): number => GF2.rank(numbers.map(BigInt))

/** Does this register bit hold anything that those before it do not? */
const isNew = (register: ReadonlyArray<number>, bit: number): boolean =>
  rankOf(register.slice(0, bit + 1)) > rankOf(register.slice(0, bit))

/** Registers are 1, 2, 4, ... below `count` in some order, and nothing else touches those bits. */
const fallIntoRuns = (
  register: ReadonlyArray<number>,
  moved: ReadonlyArray<number>,
  count: number,
): boolean => {
  const within = moved.filter((offset) => offset % count !== 0)
  return within.length === Math.log2(count) && within.every((_, bit) => register.includes(2 ** bit))
}

/**
 * Conflicts of moving a tensor of elements of `bits` between the two: `register` from (register, lane, warp, block), `shared` from
 * (offset, block), to the same dimensions. Errors: layouts that do not go together; elements that are not 8 to 128 bits.
 */
export const bankConflicts = (
  register: LinearSpec,
  shared: LinearSpec,
  bits: number,
): E.Either<Failure<BankConflictsError>, BankConflicts> =>
  [8, 16, 32, 64, 128].includes(bits)
    ? pipe(
        invertAndCompose(register, shared),
        E.map((map) => {
          const register = offsetsOf(map, 'register').filter((_, bit, all) => isNew(all, bit))
          const lane = offsetsOf(map, 'lane')
          const moved = [...register, ...lane, ...offsetsOf(map, 'warp'), ...offsetsOf(map, 'block')]
          const elementsPerVector =
            [16, 8, 4, 2].find(
              (count) => count * bits <= maxVectorBits && fallIntoRuns(register, moved, count),
            ) ?? 1
          const unitBits = Math.max(bankBits, elementsPerVector * bits)
          const lanes = lane.slice(0, lane.length - Math.log2(unitBits / bankBits))
          const units = lanes.map((offset) => Math.floor((offset * bits) / unitBits))
          const unitsPerRow = (banks * bankBits) / unitBits
          const ways = 2 ** (rankOf(units) - rankOf(units.map((unit) => unit % unitsPerRow)))
          return { elementsPerVector, ways, extraWavefrontsPerPhase: ways - 1 }
        }),
      )
    : refuse('triton.element-bits', `Elements must have 8, 16, 32, 64 or 128 bits, found ${String(bits)}`)
