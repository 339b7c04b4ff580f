/**
 * A launch of a program of warps: what does not change while it runs.
 *
 * Memory as a thread sees it. A generic address has 64 bits; its upper word says which window it is in, so that arithmetic on addresses of one
 * tensor never comes into another by chance, and what leaves a tensor is seen.
 *
 * | window           | upper word     | lower word                                              |
 * |------------------|----------------|---------------------------------------------------------|
 * | shared memory    | `sharedWindow` | rank of the CTA << 24, address in its shared memory      |
 * | local memory     | of the thread  | byte                                                    |
 * | a region         | one of its own | byte: a tensor, a variable, constants, the parameters    |
 *
 * A tensor that no plane takes is *pieced*: it has as many regions as it has windows of 4 GiB, one after the other, and each of these a plane for every
 * `pieceBytes`. No access crosses from one piece into the next: it lies at a multiple of its width. Of such a tensor nothing is kept but what is written.
 *
 * An address of shared memory alone has 32 bits, the lower word. The chip keeps the first bytes of shared memory for itself, so a CTA's own begin at
 * `sharedBase`. PTX leaves all of these numbers open; a kernel that relies on one is wrong.
 *
 * Source: PTX ISA, generic addressing; mapa.
 */
import { remembered } from '../../remembered.js'
import type { ScalarOperation } from '../../numerics/scalar/index.js'
import type { Ledger } from '../machine/ledger.js'
import type { Fellowships } from '../machine/fellowship.js'
import type { Election } from '../machine/election.js'
import type { Grouping } from '../machine/grouping.js'
import type { Placed } from '../instructions/tma/object.js'
import type { LinkedProduct } from './products.js'
import type { Instruction, Operation, Row, WarpProgram } from './program.js'
import type { Controls } from './timing.js'

export const sharedWindow = 0x7e000000
/** Upper words of local memory: each thread of a CTA has a window of its own, so an address that it is given by another is seen. */
export const localWindow = 0x7d000000
/** Bits of the number of a thread in its CTA. */
export const threadBits = 10
const mostThreads: number = 2 ** threadBits
export const localWindowOf = (thread: number): number => localWindow + thread
/** Number in its CTA of the thread whose local memory an upper word means; null: it means none. */
export const threadAt = (high: number): number | null =>
  high >= localWindow && high < localWindow + mostThreads ? high - localWindow : null
/** Addresses of local memory alone name no thread: they are of the one that uses them. */
export const ownWindow: number = localWindow + mostThreads
/** Upper word of the first region. */
export const firstRegion = 0x7f000000
/** Bits of an address in the shared memory of one CTA. */
export const rankShift = 24

/**
 * Upper word of the first region that the host sees at the same address, as managed and mapped memory is: a process may have memory there. Such a region is one of
 * the first `mostHostRegions`.
 */
export const firstHostRegion = 0x2000
export const mostHostRegions = 0x3000
/** Addresses below this are those of a process on the host. */
const hostAddresses = 0x8000

/** Bytes of a window. */
export const windowBytes: number = 2 ** 32
const pieceBits = 29
/** Bytes of a plane of a pieced tensor; the last has fewer. */
export const pieceBytes: number = 2 ** pieceBits
/** The piece of its window that a byte lies in. */
export const pieceAt = (low: number): number => low >>> pieceBits
/** A tensor of more bytes is pieced. */
export const mostWholeBytes: number = 2 ** 31 - 1

/** The upper word of a region. */
export const upperWord = (region: number, ofHost: boolean): number =>
  (ofHost ? firstHostRegion : firstRegion) + region

/** The region that an upper word means; undefined: none. */
export const regionAt = (regions: ReadonlyArray<Region>, high: number): Region | undefined => {
  if (high >= firstRegion) return regions[high - firstRegion]
  const region = high >= firstHostRegion ? regions[high - firstHostRegion] : undefined
  return region?.ofHost === true ? region : undefined
}

/** No process has memory below this: what points there comes of a null pointer. */
const leastAddress = 0x10000

/** Is it an address of the host's own memory? */
export const isOfHost = (high: number, low: number): boolean =>
  high >= 0 && high < hostAddresses && (high !== 0 || low >= leastAddress)

/** Memory that has its own upper word. */
export interface Region {
  readonly name: string
  readonly bytes: number
  /** the host sees it at the same address */
  readonly ofHost?: true
  /** it is there no more: what became of it */
  readonly gone?: string
  /** of what nothing writes, its bytes: reading it is silent */
  readonly constant: Uint8Array | null
  /** of data that a run over shadows does not know, which one; null: it does */
  readonly datum: number | null
  /** else the plane of global memory; of one that is pieced, the plane of its first piece */
  readonly plane: number
  /** it has a plane for each piece */
  readonly pieced?: true
}

/** The tensor behind an upper word, as a tensor map finds it. */
export const placedIn =
  (regions: ReadonlyArray<Region>) =>
  (high: number): Placed | null => {
    const region = regionAt(regions, high)
    return region === undefined || region.plane < 0 || region.pieced === true ? null : region
  }

/** The same for all upper words, once a launch: what stands ready for a copy has it as data. */
export const tensorsIn: (regions: ReadonlyArray<Region>) => ReadonlyMap<number, Placed> = remembered(
  (regions) => {
    const placed = placedIn(regions)
    const found = new Map<number, Placed>()
    for (let region = 0; region < regions.length; region++)
      for (const ofHost of [false, true]) {
        const high = upperWord(region, ofHost)
        const tensor = placed(high)
        if (tensor !== null) found.set(high, { name: tensor.name, plane: tensor.plane, bytes: tensor.bytes })
      }
    return found
  },
)

/** An instruction with what its names mean. */
export interface LinkedInstruction {
  readonly instruction: Instruction
  readonly scalar: ScalarOperation | null
  readonly product: LinkedProduct | null
}

/** What an instruction has to do with registers in flight, by their places (`flight.ts`). */
export interface Touch {
  /** it uses or writes these words, and writes those */
  readonly uses: ReadonlyArray<number>
  readonly writes: ReadonlyArray<number>
  /** these must be in the plane before it */
  readonly settles: ReadonlyArray<number>
}

/** The registers of a program that can be in flight. */
export interface Flight {
  /** row of each place */
  readonly rows: ReadonlyArray<Row>
  /** place of a row, -1: none */
  readonly places: Int32Array
  /** by instruction; null: nothing */
  readonly touches: ReadonlyArray<Touch | null>
}

export interface WarpLaunch {
  readonly program: WarpProgram
  readonly code: ReadonlyArray<LinkedInstruction>
  /** threads along x, y, z */
  readonly block: readonly [number, number, number]
  readonly threads: number
  readonly grid: readonly [number, number, number]
  readonly cluster: readonly [number, number, number]
  readonly explicitCluster: boolean
  readonly dynamicBytes: number
  /** bytes of shared memory of a CTA, its variables and the dynamic ones */
  readonly sharedBytes: number
  readonly sharedBase: number
  /** by number (`upperWord`) */
  readonly regions: ReadonlyArray<Region>
  /** one of them is pieced */
  readonly pieced: boolean
  /** region of a variable, and of the parameters */
  readonly symbols: ReadonlyMap<string, number>
  readonly parameters: number
  /** loads and atomics whose results decide something */
  readonly decisive: ReadonlySet<Operation>
  /** those that decide more than what memory holds */
  readonly controlling: ReadonlyMap<Operation, Controls>
  /** atomics of whose result the sign alone is used */
  readonly signing: ReadonlySet<Operation>
  /** data is followed through the registers, as bytes of values (`origins.ts`) or as terms (`word-terms.ts`) into a ledger */
  readonly followed: 'bytes' | Ledger | null
  /** other clusters that are followed beside one that runs (`fellows.ts`) */
  readonly fellows: Fellowships | null
  /** which lanes `activemask` finds together, of those that come to it; null: all of them */
  readonly grouping: Grouping | null
  /** which of its members an election takes */
  readonly election: Election
  /** each thread is an agent of its own (`lone-threads.ts`) */
  readonly alone: boolean
  /** some agent waits for words of memory */
  readonly watches: boolean
  /** registers that asynchronous instructions read or write, if there are any */
  readonly flight: Flight | null
  /** of a run that looks for mbarriers: where it has met one that was not known, and the one site that initialises it; null: none, or more than one */
  readonly scout: Map<number, number | null> | null
}
