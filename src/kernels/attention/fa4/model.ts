/**
 * What FA4 is told: the sizes, the mask, and the choices on which its sources differ.
 *
 * | choice            | as it should be    | other                                                                                     |
 * |-------------------|--------------------|-------------------------------------------------------------------------------------------|
 * | `release`         | `commit`           | `arrive`: a slot is given back when its products are issued (Mojo before its fix)          |
 * | `statistics`      | `waited`           | `published`: the factor is handed over without waiting for its store (Mojo, CUTLASS)       |
 * | `factorAcquire`   | true or false      | softmax waits until the last factor has been read; redundant                               |
 * | `outputWait`      | true or false      | correction waits for the product before it rescales; redundant while products are in order |
 * | `barriers`        | `separate`         | `combined`: one barrier for "P is ready" and "O is rescaled" (FlashAttention)               |
 * | `rings`           | `shared`           | `separate`: a ring for K and one for V                                                     |
 * | `guardFirst`      | false              | K0 and V0 acquire their slots too; they fall through                                       |
 * | `lastRelease`     | false              | V is released after the last product too: another slot's barrier, seen by no agent           |
 * | `rescale`         | `always`           | `vote`: only if some row's factor is not 1; what is done then depends on data               |
 * | `threshold`       | 0                  | rescale only when the maximum grew by more, in powers of two                               |
 * | `safeMax`         | `apart`            | `stored`: a row that has seen nothing remembers the maximum 0                              |
 * | `firstMax`        | -infinity          | a finite maximum to begin with                                                             |
 * | `residual`        | true               | keys past the last are not masked                                                          |
 * | `fill`            | `zero`             | `nan`: what lies past the last row of V                                                    |
 *
 * The last four, `release: arrive` and `statistics: published` are bugs that public kernels had; they are here to be found out.
 *
 * Laws
 * 1. `checked` refuses exactly: sizes that are no positive integers, groups that do not divide, other head dimensions than 64 and 128, tiles
 *    of keys that are no multiple of 16 or do not fit tensor memory, fewer slots than one, or than two with separate rings, of which each gets half,
 *    and more slots than shared memory holds.
 *
 * Source: Mojo, mha_sm100_2q (three revisions); FlashAttention, flash_fwd_sm100; CUTLASS example 77.
 */
import * as E from 'fp-ts/lib/Either.js'
import { fa4Config, tmemColumns, type FA4Config } from '../../../dialects/mojo/index.js'
import { refuse, type Failure } from '../../../failure.js'
import { smemLimitBytes } from '../../../semantics/language/place.js'
import type { Attention } from '../naive.js'
import { attention, type AttentionShape } from '../naive.js'

// ---------------------------------------------------------------- model

export interface Fa4Choices {
  readonly release: 'commit' | 'arrive'
  readonly statistics: 'waited' | 'published'
  readonly factorAcquire: boolean
  readonly outputWait: boolean
  readonly barriers: 'separate' | 'combined'
  readonly rings: 'shared' | 'separate'
  readonly guardFirst: boolean
  readonly lastRelease: boolean
  readonly rescale: 'always' | 'vote'
  readonly threshold: number
  readonly safeMax: 'apart' | 'stored'
  readonly firstMax: number
  readonly residual: boolean
  readonly fill: 'zero' | 'nan'
}

export interface Fa4 extends Attention, Fa4Choices {
  readonly dtype: 'f16' | 'bf16'
  /** keys of a tile: BN */
  readonly blockKv: number
  /** slots of the ring, or of both rings together */
  readonly stages: number
}

/** As it should be. */
export const choices: Fa4Choices = {
  release: 'commit',
  statistics: 'waited',
  factorAcquire: true,
  outputWait: true,
  barriers: 'separate',
  rings: 'shared',
  guardFirst: false,
  lastRelease: false,
  rescale: 'always',
  threshold: 0,
  safeMax: 'apart',
  firstMax: -Infinity,
  residual: true,
  fill: 'zero',
}

/** Rows of one tile of Q, and the tiles of a block. */
export const tileRows = 128
export const tiles = 2
export const blockRows: number = tiles * tileRows

// ---------------------------------------------------------------- construction

/** The source's sizes for these heads. */
export const configOf = (a: Pick<AttentionShape, 'heads' | 'kvHeads' | 'headDim'>): FA4Config =>
  fa4Config({ numQHeads: a.heads, group: a.heads / a.kvHeads, depth: a.headDim, dtypeSize: 2 })

/** Everything that is not said as the source has it. */
export const fa4 = (shape: AttentionShape, rest: Partial<Omit<Fa4, keyof AttentionShape>> = {}): Fa4 => {
  const { bn, numKvStages } = configOf(shape)
  return { ...attention(shape), dtype: 'f16', blockKv: bn, stages: numKvStages, ...choices, ...rest }
}

// ---------------------------------------------------------------- refusals

/** Tiles of 16-bit keys that shared memory holds, if it holds nothing else. */
export const mostStages = ({ blockKv, headDim }: Pick<Fa4, 'blockKv' | 'headDim'>): number =>
  Math.floor(smemLimitBytes / (2 * blockKv * headDim))

const illegal = (c: Fa4): string | null => {
  for (const name of ['batch', 'q', 'kv', 'heads', 'kvHeads', 'headDim', 'blockKv', 'stages'] as const)
    if (!Number.isInteger(c[name]) || c[name] < 1)
      return `${name} is ${String(c[name])}: expected a positive integer`
  if (c.heads % c.kvHeads !== 0)
    return `heads is ${String(c.heads)}: expected a multiple of kvHeads, which is ${String(c.kvHeads)}`
  if (c.headDim !== 64 && c.headDim !== 128) return `headDim is ${String(c.headDim)}: expected 64 or 128`
  const most = tmemColumns / 2 - c.headDim
  if (c.blockKv % 16 !== 0 || c.blockKv > most)
    return `blockKv is ${String(c.blockKv)}: expected a multiple of 16 up to ${String(most)}, what two accumulators leave of tensor memory`
  if (c.rings === 'separate' && c.stages % 2 !== 0)
    return `stages is ${String(c.stages)}: expected an even number, since each of two rings has half`
  const slots = mostStages(c)
  if (c.stages > slots)
    return `stages is ${String(c.stages)}: expected at most ${String(slots)}, the tiles that shared memory holds`
  if (!(c.threshold >= 0)) return `threshold is ${String(c.threshold)}: expected 0 or more`
  return null
}

export const checked = (c: Fa4): E.Either<Failure<'kernel.settings'>, Fa4> => {
  const why = illegal(c)
  return why === null ? E.right(c) : refuse('kernel.settings', `fa4-attention: ${why}`)
}
