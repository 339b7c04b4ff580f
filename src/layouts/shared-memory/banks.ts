/**
 * Banks: how many passes a warp's access to shared memory takes.
 *
 * Shared memory has 32 banks of 4 bytes; the word at byte address a, a div 4, lies in bank (a div 4) mod 32. One warp instruction
 * is cut into phases. The degree of a phase is the largest number of different words that any one bank must deliver, or take, in it;
 * lanes that ask for the same word count once, inactive lanes not at all. So
 *
 *     wavefronts = sum of the degrees          conflicts = sum over the non-empty phases of (degree - 1)
 *
 * | access                            | phases                                                         |
 * |-----------------------------------|----------------------------------------------------------------|
 * | load or store of 2 or 4 bytes     | one: all 32 lanes                                              |
 * | store of 8 bytes                  | lanes 0-15, lanes 16-31                                        |
 * | load of 8 bytes                   | the same; one of 32 lanes if the loads pair up                 |
 * | store of 16 bytes                 | four groups of 8 lanes                                         |
 * | load of 16 bytes                  | the same; two half warps if the loads pair up                  |
 * | ldmatrix, stmatrix x1, x2, x4     | 1, 2, 4: each 8 x 8 matrix is 8 rows of 16 bytes (.trans alike) |
 *
 * Loads pair up when there is one d of 1 and 2 such that every lane i has the address of lane i xor d, or one of the two is
 * inactive. It is a matter of the whole warp: one half that pairs, or halves with different d, do not.
 *
 *     b32, lane i at byte 8 i     words 0, 2, 4, ...: banks 0, 2, ..., 30, 0, 2, ...: degree 2, so 2 wavefronts, 1 conflict
 *     v4.b32, lane i at byte 16 i 8 lanes fill the 32 banks once: 4 phases of degree 1, so 4 wavefronts, no conflict
 *     v4.b32, lane i at 128 i     every lane of a phase in banks 0-3: 4 phases of degree 8, so 32 wavefronts, 28 conflicts
 *
 * Names: Nsight `shared_ld_bank_conflict` counts the conflicts; Triton's `bankConflicts` is a phase's degree minus 1 by rank over
 * GF(2), for full warps and without pairs; CuTe and Mojo have no function for it.
 *
 * Laws
 * 1. `wavefronts` gives the counters of every captured access.
 * 2. wavefronts - conflicts is the number of non-empty phases, never more than `idealWavefronts`.
 * 3. Moving every address by the same multiple of 128 bytes changes nothing; nor does exchanging lanes of one phase of a store.
 * 4. A lane less never costs a wavefront more.
 * 5. `turns` are the wavefronts one by one: a phase has as many as its degree, no turn has two words of one bank, and those of a phase
 *    have every word that its lanes want, once, with all the lanes that want it. Which of a bank's words comes first no counter says:
 *    here it is that of the first lane.
 *
 * @fidelity silicon: 1,096 launches on an H100; loads and stores of 1 byte, atomics and bulk copies were not measured.
 *
 * Source: counters captured on an H100 (conformance/hopper/functions/bank-patterns.json).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../../greatest.js'
import type { Failure } from '../../failure.js'
import { refuse, unreachable } from '../../failure.js'

// ---------------------------------------------------------------------------------------------- model

/** Bytes that one lane loads or stores. */
export type AccessBytes = 2 | 4 | 8 | 16

export type BankAccess =
  | { readonly _tag: 'load'; readonly bytes: AccessBytes }
  | { readonly _tag: 'store'; readonly bytes: AccessBytes }
  | { readonly _tag: 'ldmatrix'; readonly matrices: 1 | 2 | 4 }
  | { readonly _tag: 'stmatrix'; readonly matrices: 1 | 2 | 4 }

/** Byte address per lane (per row, for matrices); null for an inactive lane. */
export type LaneAddresses = ReadonlyArray<number | null>

export interface BankVerdict {
  /** Degree of each phase, in the order of the lanes. */
  readonly phases: ReadonlyArray<number>
  readonly wavefronts: number
  readonly conflicts: number
  /** The distance at which loads pair up, if they do. */
  readonly pairing: 1 | 2 | null
}

/** A word that a bank delivers, or takes, and the lanes (rows, for matrices) that it is for. */
export interface DeliveredWord {
  readonly bank: number
  /** Its first byte. */
  readonly byte: number
  readonly lanes: ReadonlyArray<number>
}

/** One wavefront: at most one word of each bank. */
export interface Turn {
  readonly phase: number
  readonly words: ReadonlyArray<DeliveredWord>
}

export type BankError = 'banks.lanes' | 'banks.address' | 'banks.name'

export const banks = 32
export const bankBytes = 4
const lanes = 32

// ---------------------------------------------------------------------------------------- constructors

const widths: ReadonlyArray<readonly [suffix: string, bytes: AccessBytes]> = [
  ['u16', 2],
  ['b32', 4],
  ['v2.b32', 8],
  ['v4.b32', 16],
  ['b16', 2],
  ['b64', 8],
  ['b128', 16],
]

const named: ReadonlyArray<readonly [name: string, access: BankAccess]> = [
  ...widths.flatMap(([suffix, bytes]): ReadonlyArray<readonly [string, BankAccess]> => [
    [`ld.shared.${suffix}`, { _tag: 'load', bytes }],
    [`st.shared.${suffix}`, { _tag: 'store', bytes }],
  ]),
  ...([1, 2, 4] as const).flatMap((matrices): ReadonlyArray<readonly [string, BankAccess]> =>
    ['', '.trans'].flatMap((trans): ReadonlyArray<readonly [string, BankAccess]> => [
      [`ldmatrix.x${String(matrices)}${trans}`, { _tag: 'ldmatrix', matrices }],
      [`stmatrix.x${String(matrices)}${trans}`, { _tag: 'stmatrix', matrices }],
    ]),
  ),
]

/** The access of a PTX instruction: `ld.shared.v4.b32`, `st.shared.b64`, `ldmatrix.x4.trans`, ... */
export const accessNamed = (name: string): E.Either<Failure<BankError>, BankAccess> => {
  const known = named.find(([own]) => own === name)
  return known === undefined
    ? refuse(
        'banks.name',
        `Unknown shared memory access ${name}; known are ${named.map(([own]) => own).join(', ')}`,
      )
    : E.right(known[1])
}

// ----------------------------------------------------------------------------------------- destructors

/** Addresses that an access takes: one per lane, or one per row of its matrices. */
export const addressCount = (access: BankAccess): number => {
  switch (access._tag) {
    case 'load':
    case 'store':
      return lanes
    case 'ldmatrix':
    case 'stmatrix':
      return 8 * access.matrices
    default:
      return unreachable(access)
  }
}

/** Bytes behind each address, and what each must be a multiple of. */
export const bytesPerAddress = (access: BankAccess): number => {
  switch (access._tag) {
    case 'load':
    case 'store':
      return access.bytes
    case 'ldmatrix':
    case 'stmatrix':
      return 16
    default:
      return unreachable(access)
  }
}

/** Wavefronts of the access when all its lanes ask for different words and none conflict: its phases without pairs. */
export const idealWavefronts = (access: BankAccess): number =>
  Math.ceil((addressCount(access) * bytesPerAddress(access)) / (banks * bankBytes))

/** The first of the names that `accessNamed` knows. */
export const showAccess = (access: BankAccess): string => {
  const same = ([, other]: readonly [string, BankAccess]): boolean =>
    other._tag === access._tag &&
    addressCount(other) === addressCount(access) &&
    bytesPerAddress(other) === bytesPerAddress(access)
  return named.find(same)![0]
}

const pairingOf = (access: BankAccess, addresses: LaneAddresses): 1 | 2 | null => {
  if (access._tag !== 'load' || access.bytes < 8) return null
  const pairs = (d: number): boolean =>
    addresses.every((a, i) => {
      const b = addresses[i ^ d]!
      return a === b || a === null || b === null
    })
  return pairs(1) ? 1 : pairs(2) ? 2 : null
}

/** The largest number of different words in one bank. */
const degree = (addresses: LaneAddresses, bytes: number): number => {
  const words = new Set<number>()
  const perBank = new Uint8Array(banks)
  for (const a of addresses) {
    if (a === null) continue
    for (let word = Math.floor(a / bankBytes); word * bankBytes < a + bytes; word++) {
      if (words.has(word)) continue
      words.add(word)
      perBank[word % banks]! += 1
    }
  }
  return greatest(0)(perBank)
}

// ----------------------------------------------------------------------------------------- combinators

/**
 * The passes of one warp instruction. Addresses are bytes, from any base that is a multiple of 128. Errors: not one address per
 * lane or row, an address that is negative or not a multiple of its bytes.
 */
export const wavefronts =
  (access: BankAccess) =>
  (addresses: LaneAddresses): E.Either<Failure<BankError>, BankVerdict> => {
    const bytes = bytesPerAddress(access)
    if (addresses.length !== addressCount(access))
      return refuse(
        'banks.lanes',
        `${showAccess(access)} takes ${String(addressCount(access))} addresses, found ${String(addresses.length)}`,
      )
    const bad = addresses.findIndex((a) => a !== null && !(Number.isSafeInteger(a / bytes) && a >= 0))
    if (bad >= 0)
      return refuse(
        'banks.address',
        `${showAccess(access)}: address ${String(bad)} must be 0 or more and a multiple of ${String(bytes)}, found ${String(addresses[bad])}`,
      )
    const pairing = pairingOf(access, addresses)
    const count = idealWavefronts(access) / (pairing === null ? 1 : 2)
    const size = addresses.length / count
    const phases = Array.from({ length: count }, (_, p) =>
      degree(addresses.slice(p * size, (p + 1) * size), bytes),
    )
    return E.right({
      phases,
      wavefronts: phases.reduce((sum, d) => sum + d, 0),
      conflicts: phases.reduce((sum, d) => sum + Math.max(0, d - 1), 0),
      pairing,
    })
  }

/** The words of a phase, by bank: those of one bank in the order of the first lanes that want them. */
const wordsByBank = (
  addresses: LaneAddresses,
  first: number,
  bytes: number,
): ReadonlyMap<number, ReadonlyArray<DeliveredWord>> => {
  const lanesOf = new Map<number, number[]>()
  addresses.forEach((a, k) => {
    if (a === null) return
    for (let word = Math.floor(a / bankBytes); word * bankBytes < a + bytes; word++) {
      const before = lanesOf.get(word)
      if (before === undefined) lanesOf.set(word, [first + k])
      else before.push(first + k)
    }
  })
  const byBank = new Map<number, DeliveredWord[]>()
  for (const [word, wanting] of lanesOf) {
    const bank = word % banks
    const one = { bank, byte: word * bankBytes, lanes: wanting }
    const before = byBank.get(bank)
    if (before === undefined) byBank.set(bank, [one])
    else before.push(one)
  }
  return byBank
}

/**
 * The wavefronts of one warp instruction, one by one. Errors: those of `wavefronts`.
 *
 * @example
 * ```ts
 * import { sharedMemory } from 'tensorcore-spec/layouts'
 *
 * // lanes 0 and 16 want different words of bank 0
 * const turns = sharedMemory.banks.turns({ _tag: 'load', bytes: 4 })(Array.from({ length: 32 }, (_, lane) => 8 * lane))
 * console.log(turns._tag === 'Right' ? turns.right.map(({ words }) => words[0]?.lanes) : []) // [ [ 0 ], [ 16 ] ]
 * ```
 */
export const turns =
  (access: BankAccess) =>
  (addresses: LaneAddresses): E.Either<Failure<BankError>, ReadonlyArray<Turn>> =>
    pipe(
      wavefronts(access)(addresses),
      E.map(({ phases }) => {
        const size = addresses.length / phases.length
        return phases.flatMap((degreeOf, phase) => {
          const first = phase * size
          const byBank = wordsByBank(addresses.slice(first, first + size), first, bytesPerAddress(access))
          const ordered = [...byBank].sort(([a], [b]) => a - b)
          return Array.from({ length: degreeOf }, (_, turn): Turn => ({
            phase,
            words: ordered.flatMap(([, words]) => words.slice(turn, turn + 1)),
          }))
        })
      }),
    )
