/**
 * What a chip did with each hazard: kernels without one statement, run some four million times on an H100, and how often their output was wrong.
 *
 * A verdict is by the manual. What a chip shows under load and delays says how urgent it is: a bar.sync left out is seen in every second trial, a fence of
 * the proxy left out in one of ten thousand, or never; and what was never seen here is not right on the next chip.
 *
 * The programs are `conformance/hopper/evidence`, their counts `counts.json` beside them. With the statement none of them was wrong once.
 *
 * Laws
 * 1. The numbers are those of counts.json, and every row of it with the statement counts no wrong trial.
 * 2. A hazard is seen, or it is said why no trials can show it; never both.
 *
 * Source: the runs on an NVIDIA H100 80GB HBM3
 */
import { hazardIds, type HazardId } from './hazards.js'

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
  /** who sees it: a block, a warp, a warpgroup's product, a cluster */
  readonly reader: 'block' | 'warp' | 'warpgroup' | 'cluster'
  /** the statement that is left out */
  readonly without: string
  readonly wrongIs: string
  readonly grids: ReadonlyArray<Counted | Faulted>
}

// ---------------------------------------------------------------- tables

export const silicon: ReadonlyArray<Silicon> = [
  {
    hazard: 'D1',
    reader: 'block',
    without: 'a `bar.sync` between stores to shared memory and the loads of another warp',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 316_804 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_626_632 },
    ],
  },
  {
    hazard: 'D2',
    reader: 'block',
    without: 'the same `bar.sync`, in global memory',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 316_806 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_693_240 },
    ],
  },
  {
    hazard: 'D3',
    reader: 'block',
    without: 'a wait for the flag of another block (`ld.acquire.gpu`)',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 152_254 },
      { blocks: 1_056, trials: 2_112_000, wrong: 1_357_438 },
    ],
  },
  {
    hazard: 'D5',
    reader: 'warp',
    without:
      'a `bar.warp.sync` between what one half of a warp stores to shared memory and the other half loads',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'D5',
    reader: 'warp',
    without: 'the same `bar.warp.sync`, in global memory',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'D5',
    reader: 'warp',
    without: 'the same, where the halves meet behind a branch before they store and load',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'D5',
    reader: 'warp',
    without: 'the same, where a shuffle stands between the two',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'D6',
    reader: 'warp',
    without: 'a `bar.warp.sync` between what all lanes store and fence, and a bulk store that lane 0 issues',
    wrongIs: 'bytes of before in global memory',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'D6',
    reader: 'warp',
    without: 'the same, where lane 0 fences for all of them',
    wrongIs: 'bytes of before in global memory',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'P1',
    reader: 'block',
    without: '`fence.proxy.async` between stores and a bulk store of their bytes',
    wrongIs: 'bytes of before in global memory',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'P1',
    reader: 'warpgroup',
    without: '`fence.proxy.async` between stores and the wgmma that reads them',
    wrongIs: 'a sum of operands of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 352 },
    ],
  },
  {
    hazard: 'P2',
    reader: 'block',
    without: 'the same fence behind the stores: it stands before them',
    wrongIs: 'bytes of before in global memory',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'P3',
    reader: 'block',
    without: '`fence.proxy.async` between loads and the arrival that lets a bulk load replace what they read',
    wrongIs: 'a word of the second filling',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'P4',
    reader: 'block',
    without: "the wait of a bulk load's issuer before it reads",
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 211_200 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_348_679 },
    ],
  },
  {
    hazard: 'P5',
    reader: 'block',
    without: '`fence.proxy.async` between stores to global memory and a bulk load of them',
    wrongIs: 'bytes of before in shared memory',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 9 },
    ],
  },
  {
    hazard: 'R1',
    reader: 'block',
    without: 'the wait of another warp before it reads what a bulk load brings',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 359_010 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_933_296 },
    ],
  },
  {
    hazard: 'R2',
    reader: 'block',
    without: 'that wait: it is for the barrier of another slot',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 73_699 },
    ],
  },
  {
    hazard: 'R3',
    reader: 'block',
    without: 'the second of two copies in the count of their barrier',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 177_873 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_292_154 },
    ],
  },
  {
    hazard: 'W1',
    reader: 'block',
    without: 'the wait for the release before a slot is filled again',
    wrongIs: 'a word of the second filling',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 218_964 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_977_334 },
    ],
  },
  {
    hazard: 'W2',
    reader: 'block',
    without: '`cp.async.bulk.wait_group.read` before a slot is released whose reader is a bulk store',
    wrongIs: 'bytes of the second filling',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'W3',
    reader: 'warpgroup',
    without: '`wgmma.wait_group` before the operands are replaced',
    wrongIs: 'a sum of operands that came later',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 211_200 },
      { blocks: 1_056, trials: 4_224_000, wrong: 716_411 },
    ],
  },
  {
    hazard: 'W4',
    reader: 'block',
    without: '`cp.async.bulk.wait_group.read` before the source is written again',
    wrongIs: 'bytes of the second writing',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 147_231 },
    ],
  },
  {
    hazard: 'W5',
    reader: 'block',
    without: 'a slot of its own for the second step',
    wrongIs: 'a word of the second step',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 375_933 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_991_316 },
    ],
  },
  {
    hazard: 'B1',
    reader: 'block',
    without: 'the wait for the waiter before the next generation completes',
    wrongIs: 'a wait that stands',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_193_898 },
    ],
  },
  {
    hazard: 'B2',
    reader: 'block',
    without: 'the second arrival in the count of the barrier',
    wrongIs: 'a fault',
    grids: [{ blocks: 132, faultAt: 1 }],
  },
  {
    hazard: 'B3',
    reader: 'block',
    without: 'the second producer in the count of the barrier',
    wrongIs: 'a word of before, or a wait that stands',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 485_760 },
      { blocks: 1_056, trials: 4_224_000, wrong: 3_866_964 },
    ],
  },
  {
    hazard: 'B4',
    reader: 'block',
    without: 'the right number of bytes announced: 16 more are',
    wrongIs: 'a wait that stands',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'B5',
    reader: 'block',
    without: 'the arrival of one of two before it waits',
    wrongIs: 'a wait that stands',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'B6',
    reader: 'block',
    without: 'the arrival that primes an empty slot',
    wrongIs: 'a wait that stands',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 528_000 },
      { blocks: 1_056, trials: 4_224_000, wrong: 4_224_000 },
    ],
  },
  {
    hazard: 'B7',
    reader: 'block',
    without: "a `bar.sync` between a barrier's initialisation and another's arrival",
    wrongIs: 'a wait that stands',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 316_746 },
      { blocks: 1_056, trials: 4_224_000, wrong: 2_012_220 },
    ],
  },
  {
    hazard: 'B9',
    reader: 'cluster',
    without: '`fence.mbarrier_init` before a relaxed meeting of the cluster',
    wrongIs: 'a wait that stands',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 0 },
      { blocks: 1_056, trials: 2_112_000, wrong: 0 },
    ],
  },
  {
    hazard: 'U2',
    reader: 'block',
    without: 'the wait for a bulk store before the end',
    wrongIs: 'bytes of before in global memory',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 8_448, trials: 33_792_000, wrong: 0 },
    ],
  },
  {
    hazard: 'K1',
    reader: 'cluster',
    without: 'the meeting of the cluster at its end, where a peer is arrived at',
    wrongIs: 'a fault',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 0 },
      { blocks: 1_056, faultAt: 1 },
    ],
  },
  {
    hazard: 'K2',
    reader: 'cluster',
    without: 'the meeting, for one of two CTAs: it ends instead',
    wrongIs: 'a CTA that never ends',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 0 },
      { blocks: 1_056, trials: 2_112_000, wrong: 0 },
    ],
  },
  {
    hazard: 'K3',
    reader: 'cluster',
    without: 'a place of its own for each half that is multicast',
    wrongIs: 'a word of the other half',
    grids: [
      { blocks: 132, trials: 264_000, wrong: 264_000 },
      { blocks: 1_056, trials: 2_112_000, wrong: 2_112_000 },
    ],
  },
  {
    hazard: 'V1',
    reader: 'block',
    without: 'an arrival between stores and a reader that waits for the bulk load issued behind them',
    wrongIs: 'a word of before',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 0 },
      { blocks: 1_056, trials: 4_224_000, wrong: 0 },
    ],
  },
  {
    hazard: 'N1',
    reader: 'block',
    without: 'a `bar.sync` between two sums of floats',
    wrongIs: 'a sum rounded in the other order',
    grids: [
      { blocks: 132, trials: 528_000, wrong: 211_200 },
      { blocks: 1_056, trials: 4_224_000, wrong: 1_697_800 },
    ],
  },
]

const noTensorMemory = 'tensor memory: not on Hopper'

/** Why no trials on Hopper show it. */
export const unshown: Readonly<Partial<Record<HazardId, string>>> = {
  D4: noTensorMemory,
  M1: 'ptxas waits before the registers of a wgmma are touched, whatever was written',
  M2: noTensorMemory,
  M3: noTensorMemory,
  M4: noTensorMemory,
  M5: noTensorMemory,
  M6: 'what nothing has written has no value to compare with',
  M7: noTensorMemory,
  M8: noTensorMemory,
  V2: 'each of the values is right by the manual: a run shows one of them',
  V3: 'an acquire of Hopper empties the cache that such a load reads, so that no trial finds an old value',
  P6: 'by the manual: no trials were made',
  T1: noTensorMemory,
  T2: noTensorMemory,
  T3: noTensorMemory,
  T4: noTensorMemory,
  T5: noTensorMemory,
  K4: 'no program can hold back the start of one CTA of a cluster alone',
  B8: 'a contract of Pallas, whatever the chip does',
  U1: 'a contract of Pallas, whatever the chip does',
  A1: 'refused before it runs',
  A2: 'a wait for registers that no timing changes',
  A3: 'an address, which no timing changes',
  A4: 'refused before it runs, or a fault of every launch',
  L1: 'the meaning of bytes, which no timing changes',
  L2: 'the meaning of registers, which no timing changes',
  I1: 'what nothing has written has no value to compare with',
  I2: 'an address, which no timing changes',
  O1: 'what nothing writes stays as it was',
  N2: 'a note on the manual, of the orders that P3 and B9 take away',
  N3: 'a note on the manual, of an order that every chip seen keeps',
  N4: 'a note: nothing is wrong',
  N5: 'a note on the manual, of what every chip seen does',
}

// ---------------------------------------------------------------- words

const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')

const clauseOf = (id: HazardId): string | undefined => {
  const grids = silicon.filter((s) => s.hazard === id).flatMap((s) => s.grids)
  if (grids.length === 0) return undefined
  if (grids.some((g) => 'faultAt' in g)) return 'an H100 ended the launch with a fault'
  const counted = grids.flatMap((g) => ('trials' in g ? [g] : []))
  const trials = thousands(counted.reduce((n, g) => n + g.trials, 0))
  const wrong = counted.reduce((n, g) => n + g.wrong, 0)
  return wrong === 0
    ? `by the manual; never seen wrong in ${trials} trials on an H100`
    : `seen wrong in ${thousands(wrong)} of ${trials} trials on an H100`
}

const clauses: ReadonlyMap<HazardId, string | undefined> = new Map(hazardIds.map((id) => [id, clauseOf(id)]))

/** What an H100 did with kernels that have it, in a clause; undefined where no trials show it. */
export const siliconClause = (id: HazardId): string | undefined => clauses.get(id)
