/**
 * FA4's memory: the tensors, and where everything lies while a block runs.
 *
 * Tensor memory, 512 columns of 128 lanes; BN = 128, head dimension 128:
 *
 *     column   0 .. 127          128 .. 255          256 .. 383   384 .. 511
 *              S0                S1                  O0           O1
 *              P0 in 0 .. 63     P1 in 128 .. 191
 *              C0 is 64          C1 is 192
 *
 * P_i is half as wide as S_i and lies at its start, the factor C_i is one column behind it: S_i becomes C_i and P_i once a whole row is in
 * registers, and the next S_i overwrites both. So one storage S_i and its union with (P_i, C_i) is the map.
 *
 * Shared memory: Q (two tiles of 128 rows; O_i is staged where Q_i was), the slots of K and V, the barriers. A tile lies as the copy engine
 * leaves it: columns in spans of 128 bytes, the rows of a span behind each other, swizzled.
 *
 * | barriers     | count        | arrives                                       | waits                                       |
 * |--------------|--------------|-----------------------------------------------|---------------------------------------------|
 * | kv           | 1            | the copy; the products that read a slot       | MMA warp; load warp                         |
 * | q1           | 1            | the copy of Q1; Q0 arrives with K0            | MMA warp                                    |
 * | s_full[i]    | 1            | S_i is done                                   | softmax i                                   |
 * | s_empty[i]   | softmax i    | S_i has been read and P_i is stored           | MMA warp, before O_i                        |
 * | c_full[i]    | softmax i    | a factor is stored                            | correction                                  |
 * | c_empty[i]   | correction   | the factor has been read                      | softmax i, or none                          |
 * | o_full[i]    | 1            | O_i is done                                   | correction; softmax i at the end            |
 * | o_empty[i]   | one of them  | O_i is rescaled; O_i has been read at the end | MMA warp, before O_i                        |
 * | po[i]        | both         | in the place of s_empty and o_empty           | MMA warp, before O_i                        |
 *
 * A count is of agents here: 128 threads of the chip are one.
 *
 * Laws
 * 1. The storages lie in tensor memory at the columns of `FA4Config`, and end at its `tmemUsed`.
 * 2. Shared memory ends at `smemUsed` less what is not here: the two barriers of order, and the address of tensor memory.
 *
 * Source: Mojo, mha_sm100_2q; FlashAttention, flash_fwd_sm100 (the combined barrier).
 */
import * as B from '../../../semantics/writing/builder.js'
import type { Barrier, Descriptor, Ptr, View } from '../../../semantics/language/expression.js'
import * as Ref from '../../../transforms/ref.js'
import { tiles, tileRows, type Fa4 } from './model.js'

// ---------------------------------------------------------------- model

export type Operand = Fa4['dtype']
/** Barriers that the tensor core arrives on, and others. */
export type Commits = Barrier<'ptx', true, 1>
export type Meets = Barrier<'ptx', false, 1>

/** What belongs to one tile of rows. */
export interface Half {
  readonly s: View<'tmem', 'f32', 2>
  readonly p: View<'tmem', Operand, 2>
  readonly c: View<'tmem', 'f32', 2>
  readonly o: View<'tmem', 'f32', 2>
}

/** A ring of slots, and its barriers. */
export interface Ring {
  readonly slots: View<'smem', Operand, 3>
  readonly barriers: Commits
}

export interface Memory {
  readonly maps: {
    readonly q: Descriptor<Operand, 5>
    readonly k: Descriptor<Operand, 5>
    readonly v: Descriptor<Operand, 5>
    readonly out: Descriptor<Operand, 5>
  }
  readonly lse: Ptr<'f32'>
  readonly q: View<'smem', Operand, 3>
  readonly staged: View<'smem', Operand, 3>
  readonly k: Ring
  readonly v: Ring
  readonly halves: readonly [Half, Half]
  readonly q1: Commits
  readonly sFull: Commits
  readonly sEmpty: Meets
  readonly cFull: Meets
  readonly cEmpty: Meets
  readonly oFull: Commits
  readonly oEmpty: Meets
  /** in the place of `sEmpty` and `oEmpty` */
  readonly po: Meets
}

/** Elements of a span of 128 bytes. */
export const span = 64

// ---------------------------------------------------------------- declarations

/** Tiles of (rows, columns) as copies leave them, `count` behind each other. */
export const tilesLayout = (count: number, rows: number, columns: number): Ref.TransformedRef =>
  Ref.ofChains(
    [
      [{ size: count, stride: rows * columns }],
      [
        { size: rows / 8, stride: 8 * span },
        { size: 8, stride: span },
      ],
      [
        { size: columns / span, stride: rows * span },
        { size: span, stride: 1 },
      ],
    ],
    16,
    0,
    128,
  )

/** (batch, length, heads, headDim), copied `rows` rows of one head at a time: spans outermost, as they lie. */
const mapOf = (
  name: string,
  tensor: B.Tensor<Operand, 4>,
  [batch, length, heads, headDim]: readonly [number, number, number, number],
  rows: number,
  fill: 'zero' | 'nan' = 'zero',
): B.Build<Descriptor<Operand, 5>> =>
  B.descriptorParam(name, tensor, [1, 1, headDim / span, rows, span] as const, {
    dims: [batch, heads, headDim / span, length, span],
    strides: [length * heads * headDim, headDim, span, heads * headDim, 1],
    swizzle: 128,
    fill,
  })

/** S_i, and P_i with C_i behind it in the same columns. */
const scoresOf = (c: Fa4, n: '0' | '1'): B.Build<Omit<Half, 'o'>> =>
  B.block(function* () {
    const union = `s${n}`
    const s = yield* B.tensorMemory(`S${n}`, 'f32', [tileRows, c.blockKv], { alias: { union, member: 0 } })
    const p = yield* B.tensorMemory(`P${n}`, c.dtype, [tileRows, c.blockKv], { alias: { union, member: 1 } })
    const factor = yield* B.tensorMemory(`C${n}`, 'f32', [tileRows, 1], { alias: { union, member: 1 } })
    return { s, p, c: factor }
  })

const pairOf = (id: string): B.Build<Meets> => B.barriers(id, [tiles])
const committedPair = (id: string): B.Build<Commits> => B.barriers(id, [tiles], { ordersTensorCore: true })

/** Parameters and storages. */
export const declare = (c: Fa4): B.Build<Memory> =>
  B.block(function* () {
    const qShape = [c.batch, c.q, c.heads, c.headDim] as const
    const kvShape = [c.batch, c.kv, c.kvHeads, c.headDim] as const
    const qTensor = yield* B.tensorParam('q', c.dtype, qShape, { role: 'in' })
    const kTensor = yield* B.tensorParam('k', c.dtype, kvShape, { role: 'in' })
    const vTensor = yield* B.tensorParam('v', c.dtype, kvShape, { role: 'in' })
    const outTensor = yield* B.tensorParam('out', c.dtype, qShape, { role: 'out' })
    const lse = yield* B.tensorParam('lse', 'f32', [c.batch, c.heads, c.q], { role: 'out' })
    const maps = {
      q: yield* mapOf('q_map', qTensor, qShape, tileRows),
      k: yield* mapOf('k_map', kTensor, kvShape, c.blockKv),
      v: yield* mapOf('v_map', vTensor, kvShape, c.blockKv, c.fill),
      out: yield* mapOf('out_map', outTensor, qShape, tileRows),
    }

    const rows = tilesLayout(tiles, tileRows, c.headDim)
    const qo = (id: string, member: number): B.Build<View<'smem', Operand, 3>> =>
      B.sharedMemory(id, c.dtype, [tiles, tileRows, c.headDim], [], {
        layout: rows,
        alias: { union: 'qo', member },
      })
    const q = yield* qo('Q', 0)
    const staged = yield* qo('O_staged', 1)
    const ringOf = (name: string, stages: number): B.Build<Ring> =>
      B.block(function* () {
        const slots = yield* B.sharedMemory(name, c.dtype, [stages, c.blockKv, c.headDim], [], {
          layout: tilesLayout(stages, c.blockKv, c.headDim),
        })
        const barriers = yield* B.barriers(`${name.toLowerCase()}_barriers`, [2 * stages], {
          ordersTensorCore: true,
        })
        return { slots, barriers }
      })
    const k = yield* ringOf(c.rings === 'shared' ? 'KV' : 'K', c.rings === 'shared' ? c.stages : c.stages / 2)
    const v = c.rings === 'shared' ? k : yield* ringOf('V', c.stages / 2)

    const [first, second] = [yield* scoresOf(c, '0'), yield* scoresOf(c, '1')]
    const accumulator = (id: string): B.Build<View<'tmem', 'f32', 2>> =>
      B.tensorMemory(id, 'f32', [tileRows, c.headDim])
    const halves: Memory['halves'] = [
      { ...first, o: yield* accumulator('O0') },
      { ...second, o: yield* accumulator('O1') },
    ]

    const q1 = yield* B.barriers('q1', [1], { ordersTensorCore: true })
    const sFull = yield* committedPair('s_full')
    const cFull = yield* pairOf('c_full')
    const cEmpty = yield* pairOf('c_empty')
    const oFull = yield* committedPair('o_full')
    const combined = c.barriers === 'combined'
    const po = yield* pairOf(combined ? 'po' : 's_empty')
    const oEmpty = combined ? po : yield* pairOf('o_empty')
    return {
      maps,
      lse: lse.ptr,
      q,
      staged,
      k,
      v,
      halves,
      q1,
      sFull,
      sEmpty: po,
      cFull,
      cEmpty,
      oFull,
      oEmpty,
      po,
    }
  })
