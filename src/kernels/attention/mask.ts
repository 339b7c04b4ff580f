/**
 * Masks: which keys a query sees.
 *
 * Every mask here is a *band*: query q sees key k iff lo <= k - q <= hi. An alignment says where the diagonal lies when there are more
 * keys than queries: through the first pair (top-left), or through the last one (bottom-right, the shift kv - q).
 *
 * By hand, 3 queries and 5 keys:
 *
 *     causal top-left   causal bottom-right   window left 1 right 0, bottom-right   window left 0 right 1, top-left
 *     x . . . .         x x x . .             . x x . .                             x x . . .
 *     x x . . .         x x x x .             . . x x .                             . x x . .
 *     x x x . .         x x x x x             . . . x x                             . . x x .
 *
 * A tile of rows asks only for the blocks of keys in which a row sees something; a block that every row sees whole needs no mask.
 *
 *     causal, 64 rows from 64 on, blocks of 32 keys, 256 keys     blocks 0 1 whole   2 3 in part   4 .. 7 not at all
 *
 * Laws
 * 1. `sees` is the table of the mask: causal is k <= q + shift, a window is -left <= k - q - shift <= right.
 * 2. `keysOf` are the keys that a query sees: from its first, to before its last.
 * 3. `blocksOf` covers every key that a row of the tile sees; no row sees anything in a block outside, and the blocks from `whole[0]` to before `whole[1]` are
 *    seen whole by every row.
 *
 * Source: FlashAttention (bottom-right alignment, local windows), CUTLASS example 77 (both alignments), JAX attention_mgpu (top-left).
 */

// ---------------------------------------------------------------- model

export const alignments = ['top-left', 'bottom-right'] as const
export type Alignment = (typeof alignments)[number]

/** `null` of a window: no end on that side. */
export type Mask =
  | { readonly _tag: 'none' }
  | { readonly _tag: 'causal'; readonly alignment: Alignment }
  | {
      readonly _tag: 'window'
      readonly left: number | null
      readonly right: number | null
      readonly alignment: Alignment
    }

/** How many queries and how many keys. */
export interface Lengths {
  readonly q: number
  readonly kv: number
}

/** lo <= k - q <= hi; an end that is not there is infinite. */
export interface Band {
  readonly lo: number
  readonly hi: number
}

// ---------------------------------------------------------------- constructors

export const noMask: Mask = { _tag: 'none' }

export const causal = (alignment: Alignment = 'top-left'): Mask => ({ _tag: 'causal', alignment })

export const slidingWindow = (
  left: number | null,
  right: number | null = 0,
  alignment: Alignment = 'bottom-right',
): Mask => ({ _tag: 'window', left, right, alignment })

// ---------------------------------------------------------------- what is seen

/** How far the diagonal lies from the first pair. */
export const shiftOf = (alignment: Alignment, { q, kv }: Lengths): number =>
  alignment === 'top-left' ? 0 : kv - q

export const bandOf = (mask: Mask, lengths: Lengths): Band => {
  switch (mask._tag) {
    case 'none':
      return { lo: -Infinity, hi: Infinity }
    case 'causal':
      return { lo: -Infinity, hi: shiftOf(mask.alignment, lengths) }
    case 'window': {
      const shift = shiftOf(mask.alignment, lengths)
      return {
        lo: mask.left === null ? -Infinity : shift - mask.left,
        hi: mask.right === null ? Infinity : shift + mask.right,
      }
    }
  }
}

export const sees = ({ lo, hi }: Band, q: number, k: number): boolean => lo <= k - q && k - q <= hi

const within = (x: number, from: number, to: number): number => Math.min(Math.max(x, from), to)

/** The keys that a query sees, [from, to). */
export const keysOf = ({ lo, hi }: Band, { kv }: Lengths, q: number): readonly [number, number] => {
  const from = within(q + lo, 0, kv)
  return [from, within(q + hi + 1, from, kv)]
}

/** Blocks of keys for the rows [first, first + rows): those of which a row sees something, and among them those that all see whole. */
export interface Blocks {
  readonly from: number
  readonly to: number
  /** [from, to), empty as [x, x] */
  readonly whole: readonly [number, number]
}

export const blocksOf = (
  { lo, hi }: Band,
  { kv }: Lengths,
  rows: { readonly first: number; readonly count: number },
  size: number,
): Blocks => {
  const last = rows.first + rows.count - 1
  const all = Math.ceil(kv / size)
  const from = within(Math.floor(within(rows.first + lo, 0, kv) / size), 0, all)
  const to = within(Math.ceil(within(last + hi + 1, 0, kv) / size), from, all)
  // every row sees [last + lo, first + hi]
  const wholeFrom = within(Math.ceil(within(last + lo, 0, kv) / size), from, to)
  const wholeTo = within(Math.floor(within(rows.first + hi + 1, 0, kv) / size), wholeFrom, to)
  return { from, to, whole: [wholeFrom, wholeTo] }
}

/** Words for people: `causal bottom-right`. */
export const showMask = (mask: Mask): string => {
  switch (mask._tag) {
    case 'none':
      return 'no mask'
    case 'causal':
      return `causal ${mask.alignment}`
    case 'window':
      return `window ${String(mask.left ?? 'all')} left, ${String(mask.right ?? 'all')} right, ${mask.alignment}`
  }
}
