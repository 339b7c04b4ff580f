/**
 * FA4Config: the sizes of Mojo's attention kernel for Blackwell, all from the head dimension and the element type.
 *
 * A block computes 256 rows, two tiles of 128; BN keys at a time. What is left of shared memory behind Q and the barriers is the ring.
 * Worked, depth 128 of two bytes, swizzled over 128 bytes:
 *
 *     padded depth                128             a multiple of 128 / 2 = 64
 *     BN = 256 - 128              128             at most 256, a multiple of 16
 *     tensor memory               S0 0, S1 128, O0 256, O1 384, 512 columns; the factor of S_i at S_i + 64
 *     fixed                       65660           4 for an address, 15 barriers, 256 rows of Q
 *     a slot                      32784           128 rows of K or V, two barriers
 *     slots                       5               (232448 - 65660) / 32784
 *
 * The number of slots is whatever fits: 5, 8, 12. With an odd one the slots of K and V rotate. Heads wider than 128 are meant to be split over M, in
 * rows of 64; the second accumulator does not fit then, and `unsupported` says so. Offsets in tensor memory are given for the others.
 *
 * Laws
 * 1. Every field is the formula beside it, for all inputs; the table of the proof has all rows of the source's range.
 * 2. S and O lie side by side without a gap and end at `tmemUsed`; a C_i lies in S_i, behind P_i.
 * 3. One more slot would not fit.
 *
 * Names: Mojo `FA4Config`. Source: Mojo, mha_sm100_2q.
 */
import { mbarrierBytes } from './kv-pipeline.js'

// ---------------------------------------------------------------- constants

export const numThreads = 512
export const mmaK = 16
export const tmemColumns = 512
/** shared memory that a block can have */
export const smemCarveout: number = 228 * 1024 - 1024
/** tiles of Q, and accumulators */
export const numQo = 2
export const numCorrectionColumns = 1
/** barriers of S, of the factors, of order and of Q1 */
export const miscBarriers = 11
/** barriers of O */
export const outputBarriers = 4
const tmemAddressBytes = 4

// ---------------------------------------------------------------- model

export interface FA4Input {
  readonly numQHeads: number
  /** heads of Q that share one of K and V */
  readonly group: number
  readonly depth: number
  /** bytes of an element */
  readonly dtypeSize: number
  /** bytes of a row of the swizzle (default 128) */
  readonly swizzleBytes?: number
  /** rows of a page of K and V: a tile of keys divides it */
  readonly pageSize?: number
}

export interface TmemOffsets {
  readonly s0: number
  readonly s1: number
  readonly p0: number
  readonly p1: number
  readonly c0: number
  readonly c1: number
  readonly o0: number
  readonly o1: number
}

export interface FA4Config extends FA4Input {
  readonly splitM: boolean
  readonly bm: number
  readonly mmaM: number
  readonly paddedDepth: number
  readonly bn: number
  readonly bk0: number
  readonly bk1: number
  readonly numMmaStages: number
  /** null where M is split */
  readonly tmem: TmemOffsets | null
  readonly tmemUsed: number
  readonly smemFixed: number
  readonly smemPerKv: number
  readonly numKvStages: number
  readonly smemUsed: number
}

// ---------------------------------------------------------------- construction

const alignUp = (x: number, to: number): number => Math.ceil(x / to) * to
const alignDown = (x: number, to: number): number => Math.floor(x / to) * to
const powerOfTwoUpTo = (x: number): number => 2 ** Math.floor(Math.log2(x))

/** Keys of a tile: what two accumulators leave of tensor memory. */
const keysOf = (
  splitM: boolean,
  depth: number,
  paddedDepth: number,
  pageSize: number | undefined,
): number => {
  const room = splitM ? tmemColumns - depth : tmemColumns / 2 - paddedDepth
  const bn = Math.min(256, Math.max(0, alignDown(room, mmaK)))
  return pageSize === undefined || bn === 0 || pageSize % bn === 0 ? bn : powerOfTwoUpTo(bn)
}

export const fa4Config = (input: FA4Input): FA4Config => {
  const { depth, dtypeSize, swizzleBytes = 128, pageSize } = input
  const splitM = depth > 128
  const [bm, mmaM] = splitM ? [128, 64] : [256, 128]
  const paddedDepth = alignUp(depth, swizzleBytes / dtypeSize)
  const bn = keysOf(splitM, depth, paddedDepth, pageSize)
  const numMmaStages = 1
  const smemFixed =
    tmemAddressBytes + (miscBarriers + outputBarriers) * mbarrierBytes + bm * paddedDepth * dtypeSize
  const smemPerKv = bn * paddedDepth * dtypeSize + 2 * mbarrierBytes * numMmaStages
  const numKvStages = Math.max(0, Math.floor((smemCarveout - smemFixed) / smemPerKv))
  // elements of P are half as wide as those of S, or a quarter: the factor lies behind the half
  const tmem: TmemOffsets | null = splitM
    ? null
    : {
        s0: 0,
        s1: bn,
        p0: 0,
        p1: bn,
        c0: bn / 2,
        c1: bn + bn / 2,
        o0: 2 * bn,
        o1: 2 * bn + paddedDepth,
      }
  return {
    ...input,
    splitM,
    bm,
    mmaM,
    paddedDepth,
    bn,
    bk0: paddedDepth / numMmaStages,
    bk1: bn / numMmaStages,
    numMmaStages,
    tmem,
    tmemUsed: 2 * bn + 2 * paddedDepth,
    smemFixed,
    smemPerKv,
    numKvStages,
    smemUsed: smemFixed + numKvStages * smemPerKv,
  }
}

// ---------------------------------------------------------------- destructors

/** Why the kernel refuses this configuration; empty if it accepts it. */
export const unsupported = (c: FA4Config): ReadonlyArray<string> => {
  const below = (what: string, found: number, least: number): ReadonlyArray<string> =>
    found < least ? [`${what} is ${String(found)}: expected at least ${String(least)}`] : []
  const above = (what: string, found: number, most: number): ReadonlyArray<string> =>
    found > most ? [`${what} is ${String(found)}: expected at most ${String(most)}`] : []
  return [
    ...below('depth', c.depth, 64),
    ...below('BN', c.bn, 64),
    ...below('the number of slots', c.numKvStages, 2),
    ...above('the number of columns of tensor memory', c.tmemUsed, tmemColumns),
    ...above('the number of bytes of shared memory', c.smemUsed, smemCarveout),
  ]
}

export const supported = (c: FA4Config): boolean => unsupported(c).length === 0
