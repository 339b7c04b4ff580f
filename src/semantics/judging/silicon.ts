/**
 * What a chip did with each hazard: kernels without one statement, run some four million times on an H100, and how often their output was wrong.
 *
 * A verdict is by the manual. What a chip shows under load and delays says how urgent it is: a bar.sync left out is seen in every second trial, a fence of
 * the proxy left out in one of ten thousand, or never; and what was never seen here is not right on the next chip.
 *
 * The programs are `conformance/hopper/evidence`, their counts `counts.json` beside them. With the statement none of them was wrong once.
 *
 * A count is evidence for one mistake. The same id between other accesses is another mistake: a missing proxy fence before a wgmma was seen, before a bulk
 * store it was not, and a register written before a wgmma lacks another fence. So a finding quotes the kernels that have its id, both its accesses with their
 * memory, and its chip. Where there are none, or none of them was wrong once, it
 * quotes nothing: a count of zero read as "safe" although the manual says otherwise.
 *
 *     P1  writes, wgmma reads, sm_90a       352 of 4,752,000
 *     P1  the same, of registers            nothing: no kernel leaves out a wgmma.fence
 *     P1  writes, tmaStore reads, sm_90a    nothing: 0 of 4,752,000
 *     P1  writes, wgmma reads, sm_100a      nothing: no kernel ran there
 *     W1  cpAsync writes, reads, sm_90a     nothing: the kernel of W1 has a bulk load
 *
 * Laws
 * 1. The numbers are those of counts.json, and every row of it with the statement counts no wrong trial.
 * 2. A hazard is counted, or it is said why no trials can show it; never both.
 * 3. A finding has a clause exactly if a kernel of its id, its accesses, their memory and its chip was wrong once.
 *
 * Source: the runs on an NVIDIA H100 80GB HBM3
 */
import { thousands } from './counted.js'
import type { Header } from '../log/events.js'
import type { Unit } from '../log/units.js'
import {
  isSameDeed,
  other,
  reading,
  waiting,
  writing,
  writingAtomically,
  type AccessDeed,
  type Deed,
} from './deed.js'
import type { Deeds } from './finding.js'
import type { HazardId } from './hazards.js'
import type { Space } from '../language/types.js'
import type { Concerning } from './subject.js'

// ---------------------------------------------------------------- model

/** Trials of a launch of `blocks` blocks. */
export interface Counted {
  readonly blocks: number
  readonly trials: number
  readonly wrong: number
}

/** The launch, counted from 1, that ended with a fault. */
export interface Faulted {
  readonly blocks: number
  readonly faultAt: number
}

/** A kernel without a statement. */
export interface Silicon {
  readonly hazard: HazardId
  /** what its two sides do; one side where the hazard has one */
  readonly sides: ReadonlyArray<Deed>
  /** what memory they access; null where no access is at stake */
  readonly space: Space | null
  /** who sees it: a block, a warp, a warpgroup's product, a cluster */
  readonly reader: 'block' | 'warp' | 'warpgroup' | 'cluster'
  /** the statement that is left out */
  readonly without: string
  readonly wrongIs: string
  /** how a wrong trial ends */
  readonly shows: 'result' | 'hang' | 'either' | 'fault'
  readonly grids: ReadonlyArray<Counted | Faulted>
}

// ---------------------------------------------------------------- tables

const readingBy = (unit: Unit): AccessDeed => ({ _tag: 'reads', unit, atomic: false })
const writingBy = (unit: Unit): AccessDeed => ({ _tag: 'writes', unit, atomic: false })

/** The chip that ran them. */
const measured: { readonly arch: Header['arch']; readonly name: string } = { arch: 'sm90a', name: 'an H100' }

export const silicon: ReadonlyArray<Silicon> = [
  {
    hazard: 'D1',
    sides: [writing, reading],
    space: 'smem',
    reader: 'block',
    without: 'a `bar.sync` between stores to shared memory and the loads of another warp',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 316_804 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_626_632 },
    ],
  },
  {
    hazard: 'D2',
    sides: [writing, reading],
    space: 'gmem',
    reader: 'block',
    without: 'the same `bar.sync`, in global memory',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 316_806 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_693_240 },
    ],
  },
  {
    hazard: 'D3',
    sides: [writing, reading],
    space: 'gmem',
    reader: 'block',
    without: 'a wait for the flag of another block (`ld.acquire.gpu`)',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 152_254 },
      { blocks: 1_056, trials: 2_112_000, wrong: 1_357_438 },
    ],
  },
  {
    hazard: 'D5',
    sides: [writing, reading],
    space: 'smem',
    reader: 'warp',
    without:
      'a `bar.warp.sync` between what one half of a warp stores to shared memory and the other half loads',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'D5',
    sides: [writing, reading],
    space: 'gmem',
    reader: 'warp',
    without: 'the same `bar.warp.sync`, in global memory',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'D5',
    sides: [writing, reading],
    space: 'smem',
    reader: 'warp',
    without: 'the same, with a branch where the halves meet again before they store and load',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'D5',
    sides: [writing, reading],
    space: 'smem',
    reader: 'warp',
    without: 'the same, where a shuffle is between the two',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'D6',
    sides: [writing, readingBy('tmaStore')],
    space: 'smem',
    reader: 'warp',
    without: 'a `bar.warp.sync` between what all lanes store and fence, and a bulk store that lane 0 issues',
    wrongIs: 'old bytes in global memory',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'D6',
    sides: [writing, readingBy('tmaStore')],
    space: 'smem',
    reader: 'warp',
    without: 'the same, with a fence of lane 0 for all lanes',
    wrongIs: 'old bytes in global memory',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'P1',
    sides: [writing, readingBy('tmaStore')],
    space: 'smem',
    reader: 'block',
    without: '`fence.proxy.async` between stores and a bulk store of their bytes',
    wrongIs: 'old bytes in global memory',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'P1',
    sides: [writing, readingBy('wgmma')],
    space: 'smem',
    reader: 'warpgroup',
    without: '`fence.proxy.async` between stores and the wgmma that reads them',
    wrongIs: 'a sum of old operands',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 352 },
    ],
  },
  {
    hazard: 'P2',
    sides: [writing, readingBy('tmaStore')],
    space: 'smem',
    reader: 'block',
    without: 'the same fence after the stores (it comes before them)',
    wrongIs: 'old bytes in global memory',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'P3',
    sides: [reading, writingBy('tmaLoad')],
    space: 'smem',
    reader: 'block',
    without: '`fence.proxy.async` between loads and the arrival that lets a bulk load replace what they read',
    wrongIs: 'a word of the second filling',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'P4',
    sides: [writingBy('tmaLoad'), reading],
    space: 'smem',
    reader: 'block',
    without: 'a wait in the warp that issued a bulk load before it reads',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 211_200 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_348_679 },
    ],
  },
  {
    hazard: 'P5',
    sides: [writing, readingBy('tmaLoad')],
    space: 'gmem',
    reader: 'block',
    without: '`fence.proxy.async` between stores to global memory and a bulk load of them',
    wrongIs: 'old bytes in shared memory',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 9 },
    ],
  },
  {
    hazard: 'R1',
    sides: [writingBy('tmaLoad'), reading],
    space: 'smem',
    reader: 'block',
    without: 'a wait in another warp before it reads the bytes of a bulk load',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 359_010 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_933_296 },
    ],
  },
  {
    hazard: 'R2',
    sides: [writingBy('tmaLoad'), reading],
    space: 'smem',
    reader: 'block',
    without: 'the wait for the right slot',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 73_699 },
    ],
  },
  {
    hazard: 'R3',
    sides: [writingBy('tmaLoad'), reading],
    space: 'smem',
    reader: 'block',
    without: 'a count of the barrier that includes the second of two copies',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 177_873 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_292_154 },
    ],
  },
  {
    hazard: 'W1',
    sides: [reading, writingBy('tmaLoad')],
    space: 'smem',
    reader: 'block',
    without: 'the wait for the release before a slot is filled again',
    wrongIs: 'a word of the second filling',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 218_964 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_977_334 },
    ],
  },
  {
    hazard: 'W2',
    sides: [readingBy('tmaStore'), writingBy('tmaLoad')],
    space: 'smem',
    reader: 'block',
    without: '`cp.async.bulk.wait_group.read` before a slot is released whose reader is a bulk store',
    wrongIs: 'bytes of the second filling',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'W3',
    sides: [readingBy('wgmma'), writing],
    space: 'smem',
    reader: 'warpgroup',
    without: '`wgmma.wait_group` before the operands are replaced',
    wrongIs: 'a sum of operands that came later',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 211_200 },
      { blocks: 1_056, trials: 4_224_000, wrong: 716_411 },
    ],
  },
  {
    hazard: 'W4',
    sides: [readingBy('tmaStore'), writing],
    space: 'smem',
    reader: 'block',
    without: '`cp.async.bulk.wait_group.read` before the source is written again',
    wrongIs: 'bytes of the second writing',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 147_231 },
    ],
  },
  {
    hazard: 'W5',
    sides: [writingBy('tmaLoad'), writingBy('tmaLoad')],
    space: 'smem',
    reader: 'block',
    without: 'a separate slot for the second step',
    wrongIs: 'a word of the second step',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 375_933 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_991_316 },
    ],
  },
  {
    hazard: 'B1',
    sides: [waiting, other],
    space: null,
    reader: 'block',
    without: 'the wait for the waiter before the next generation completes',
    wrongIs: 'a wait that never passes',
    shows: 'hang',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_193_898 },
    ],
  },
  {
    hazard: 'B2',
    sides: [other, other],
    space: null,
    reader: 'block',
    without: 'a count of the barrier that includes the second arrival',
    wrongIs: 'a fault',
    shows: 'fault',
    grids: [{ blocks: 132, faultAt: 1 }],
  },
  {
    hazard: 'B3',
    sides: [other, other],
    space: null,
    reader: 'block',
    without: 'a count of the barrier that includes the second producer',
    wrongIs: 'an old word, or a wait that never passes',
    shows: 'either',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 485_760 },
      { blocks: 1_056, trials: 4_224_000, wrong: 3_866_964 },
    ],
  },
  {
    hazard: 'B4',
    sides: [waiting, other],
    space: null,
    reader: 'block',
    without: 'the right number of announced bytes (16 too many)',
    wrongIs: 'a wait that never passes',
    shows: 'hang',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'B5',
    sides: [waiting],
    space: null,
    reader: 'block',
    without: 'the arrival of one agent before it waits',
    wrongIs: 'a wait that never passes',
    shows: 'hang',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'B6',
    sides: [waiting],
    space: null,
    reader: 'block',
    without: 'the arrival that primes an empty slot',
    wrongIs: 'a wait that never passes',
    shows: 'hang',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'B7',
    sides: [other, other],
    space: null,
    reader: 'block',
    without: "a `bar.sync` between a barrier's initialisation and another's arrival",
    wrongIs: 'a wait that never passes',
    shows: 'hang',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 316_746 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_012_220 },
    ],
  },
  {
    hazard: 'B9',
    sides: [other, other],
    space: null,
    reader: 'cluster',
    without: '`fence.mbarrier_init` before a relaxed meeting of the cluster',
    wrongIs: 'a wait that never passes',
    shows: 'hang',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 0 },
      { blocks: 1_056, trials: 2_112_000, wrong: 0 },
    ],
  },
  {
    hazard: 'U2',
    sides: [other],
    space: null,
    reader: 'block',
    without: 'the wait for a bulk store before the end',
    wrongIs: 'old bytes in global memory',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 8_448, trials: 33_792_000, wrong: 0 },
    ],
  },
  {
    hazard: 'K1',
    sides: [other],
    space: null,
    reader: 'cluster',
    without: 'the cluster barrier at the end, after an arrive on a barrier of a peer',
    wrongIs: 'a fault',
    shows: 'fault',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 0 },
      { blocks: 1_056, faultAt: 1 },
    ],
  },
  {
    hazard: 'K2',
    sides: [other],
    space: null,
    reader: 'cluster',
    without: 'the cluster barrier in one of two CTAs, which ends instead',
    wrongIs: 'a CTA that never ends',
    shows: 'hang',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 0 },
      { blocks: 1_056, trials: 2_112_000, wrong: 0 },
    ],
  },
  {
    hazard: 'K3',
    sides: [writingBy('tmaLoad'), writingBy('tmaLoad')],
    space: 'smem',
    reader: 'cluster',
    without: 'a separate place for each multicast half',
    wrongIs: 'a word of the other half',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 264_000 },
      { blocks: 1_056, trials: 2_112_000, wrong: 2_112_000 },
    ],
  },
  {
    hazard: 'V1',
    sides: [writing, reading],
    space: 'smem',
    reader: 'block',
    without: 'an arrival between stores and a reader that waits for the bulk load issued after them',
    wrongIs: 'an old word',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'N1',
    sides: [writingAtomically, writingAtomically],
    space: 'smem',
    reader: 'block',
    without: 'a `bar.sync` between two sums of floats',
    wrongIs: 'a sum rounded in the other order',
    shows: 'result',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 211_200 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_697_800 },
    ],
  },
]

const noTensorMemory = 'Hopper has no tensor memory'

/** Why no trials on Hopper show it. */
export const unshown: Readonly<Partial<Record<HazardId, string>>> = {
  D4: noTensorMemory,
  M1: 'ptxas inserts a wait before the registers of a wgmma are accessed',
  M2: noTensorMemory,
  M3: noTensorMemory,
  M4: noTensorMemory,
  M5: noTensorMemory,
  M6: 'unwritten memory has no value to compare with',
  M7: noTensorMemory,
  M8: noTensorMemory,
  V2: 'the manual allows every one of the values, and a run shows one',
  V3: 'an acquire on Hopper empties the cache that such a load reads, so no trial finds an old value',
  P6: 'the rule is from the manual, and no trials were made',
  T1: noTensorMemory,
  T2: noTensorMemory,
  T3: noTensorMemory,
  T4: noTensorMemory,
  T5: noTensorMemory,
  K4: 'no program can hold back the start of one CTA of a cluster alone',
  B8: 'it is a contract of Pallas, not of the chip',
  U1: 'it is a contract of Pallas, not of the chip',
  A1: 'it is refused before it runs',
  A2: 'timing does not change a wait for registers',
  A3: 'timing does not change an address',
  A4: 'it is refused before it runs, or every launch faults',
  L1: 'timing does not change the meaning of bytes',
  L2: 'timing does not change the meaning of registers',
  I1: 'unwritten memory has no value to compare with',
  I2: 'timing does not change an address',
  O1: 'unwritten memory keeps its old contents',
  N2: 'it is a note about the manual: about the orders that P3 and B9 remove',
  N3: 'it is a note about the manual: every chip that was seen keeps this order',
  N4: 'it is only a note',
  N5: 'it is a note about the manual: every chip that was seen does this',
}

// ---------------------------------------------------------------- words

const isSameSides = (xs: ReadonlyArray<Deed>, ys: ReadonlyArray<Deed>): boolean => {
  const [x, y] = xs
  const [v, w] = ys
  if (xs.length !== ys.length || x === undefined || v === undefined) return false
  if (y === undefined || w === undefined) return isSameDeed(x, v)
  return (isSameDeed(x, v) && isSameDeed(y, w)) || (isSameDeed(x, w) && isSameDeed(y, v))
}

/** A fault ends a launch, so the launch that it ended is all that there is to count. */
const faulted = ({ grids }: Silicon): boolean => grids.some((g) => 'faultAt' in g)

const total = (rows: ReadonlyArray<Silicon>, of: 'trials' | 'wrong'): number =>
  rows.flatMap(({ grids }) => grids).reduce((n, g) => n + ('trials' in g ? g[of] : 0), 0)

const ends: Readonly<Record<Exclude<Silicon['shows'], 'fault'>, string>> = {
  result: 'computed wrong results',
  hang: 'hung',
  either: 'computed wrong results or hung',
}

/** What one trial is: D3 takes a pair of blocks, and what only a cluster shows takes a cluster. */
const trialsText = ({ hazard, reader }: Silicon): string =>
  reader === 'cluster'
    ? 'launched clusters'
    : hazard === 'D3'
      ? 'launched pairs of blocks'
      : 'launched blocks'

const clauseOf = (rows: ReadonlyArray<Silicon>): string | undefined => {
  const [first] = rows
  if (first === undefined) return undefined
  const where = rows.length === 1 ? 'in a micro-kernel' : `in ${String(rows.length)} micro-kernels`
  const said = `${where} with this mistake, ${measured.name}`
  if (first.shows === 'fault' || rows.some(faulted)) return `${said} ended the launch with a fault`
  const wrong = total(rows, 'wrong')
  return wrong === 0
    ? undefined
    : `${said} ${ends[first.shows]} in ${thousands(wrong)} of ${thousands(total(rows, 'trials'))} ${trialsText(first)}`
}

/** What is quoted: the id, the accesses of both sides, the planes they are of. */
export interface Counts extends Concerning {
  readonly id: HazardId
  readonly deeds: Deeds
}

const spaceOf = ({ planes }: Pick<Header, 'planes'>, { about }: Concerning): Space | null =>
  about.flatMap((s) => (s._tag === 'plane' ? [planes[s.plane]?.space ?? null] : []))[0] ?? null

/** What a chip did with the kernels that have this mistake; undefined where no kernel has it, or none was wrong once. */
export const siliconClause = (header: Pick<Header, 'arch' | 'planes'>, f: Counts): string | undefined => {
  if (header.arch !== measured.arch) return undefined
  const { a, b } = f.deeds
  const sides = b === null ? [a] : [a, b]
  const space = spaceOf(header, f)
  return clauseOf(
    silicon.filter(
      (row) =>
        row.hazard === f.id && isSameSides(row.sides, sides) && (row.space === null || row.space === space),
    ),
  )
}
