/**
 * Attention on Hopper, as FlashAttention-3 schedules it: two warpgroups that multiply in turns, a third that copies, and a softmax in between.
 *
 * A block has 2 x blockQ rows of one head of q, blockQ for each of `wg0` and `wg1`, and walks over k and v in steps of blockKv keys; `wg2` brings
 * them, in two rings of `steps` slots. In a step a warpgroup multiplies q by k, weighs (online softmax), and multiplies the weights by v; the weights
 * stay in registers. The running maximum m is kept in base two:
 *
 *     m' = max(m, c rowmax(s))     a = 2^(m - m')     p = 2^(c s - m')     l = a l + rowsum(p)     acc = a acc + p v       c = scale log2(e)
 *     out = acc / l                lse = m + log2(l), in base two
 *
 * While one of the two multiplies, the other weighs. That is what `schedule` is for: a barrier of two arrivals, at which both meet twice in a step.
 * `wg1` meets once before its first step, `wg0` once after its last, so they are half a step apart; with T steps each meets 2 T + 1 times:
 *
 *     meeting   1           2           3           4           5
 *     wg0       q k         weigh       p v, q k    weigh       p v
 *     wg1                   q k         weigh       p v, q k    weigh       (T = 2)
 *
 * Under a mask the two see different keys: a step of which a warpgroup sees nothing is skipped by it, but gives the slots back and meets the other
 * (`skip`), so that the counts stay balanced. Steps that all rows see whole are not masked at all.
 *
 *     causal, blocks of 64 x 64, rows 128 .. 255, 4 steps     wg0 (128 .. 191)   0 1 whole   2 masked   3 skipped
 *                                                             wg1 (192 .. 255)   0 1 2 whole            3 masked
 *
 * | barrier                     | arrivals | whose                                                                       |
 * |-----------------------------|----------|-----------------------------------------------------------------------------|
 * | `q_loaded[wg]`              | 1        | each brings its own q                                                       |
 * | `k_loaded[s]`, `v_loaded[s]` | 1        | copies                                                                      |
 * | `k_consumed[s]`, `v_consumed[s]` | 2   | the two, each when its product is done                                      |
 * | `schedule`                  | 2        | the two                                                                     |
 *
 * What compilers and versions chose is data (`Fa3Numerics`): the additions that a sum of a row has under way at once, whether a l + rowsum(p) is one
 * rounding or two; so are the choices of the author: the row sum before or after the meeting, and whether the copies ahead stop at the last step.
 * `prefetch: 'all'` is the form that was published: under a causal mask the first blocks end while copies are under way.
 *
 * Laws
 * 1. In `real64` it is naive attention; in `bits` it is so within the tolerances.
 * 2. Inputs and outputs of JAX's kernel on an H100 are reproduced in every bit, lse included (JAX 0.11.2: `mosaicNumerics`).
 * 3. Both warpgroups meet 2 T + 1 times, whatever they skip, and each slot of each ring is given back by both equally often.
 *
 * Limits: copies are of tiles of 8 rows, so the numbers of queries and keys are multiples of 8. A scale must be positive.
 *
 * Names: `attention` of `jax.experimental.pallas.ops.gpu.attention_mgpu`, `TuningConfig(block_q, block_kv, max_concurrent_steps, causal)`.
 *
 * Source: JAX's attention_mgpu; Shah et al. 2024 (FlashAttention-3); PTX that Mosaic GPU made of it, and captured runs.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { WGMMA, WGMMA_ROW } from '../../layouts/tiled.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import {
  add,
  and,
  cast,
  eq,
  float,
  fma,
  ge,
  i32,
  le,
  lt,
  max,
  min,
  mul,
  neg,
  quo,
  rem,
  select,
  slot,
  special,
  specialQuotient,
  splat,
  sub,
  type Int,
  type Tile,
} from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { bandOf, keysOf, showMask, type Band, type Mask } from './mask.js'
import { log2e, type AttentionShape } from './naive.js'

// ---------------------------------------------------------------- model

/** What is left to those who compile. */
export interface Fa3Numerics {
  /** additions that a lane has under way at once while it adds up a row */
  readonly ilp: number
  /** a l + rowsum(p): rounded once, or after the product too */
  readonly update: 'fused' | 'separate'
}

/** JAX 0.11.2. */
export const mosaicNumerics: Fa3Numerics = { ilp: 8, update: 'fused' }

export interface Fa3Attention extends AttentionShape {
  readonly dtype: 'f16' | 'bf16'
  readonly blockQ: number
  readonly blockKv: number
  /** most slots of each ring; there are no more than steps */
  readonly maxConcurrentSteps: number
  readonly mask: Mask
  /** null: 1 */
  readonly scale: number | null
  /** lse is an output, too */
  readonly lse: boolean
  /** of the row sum: before the second meeting of a step, or after it */
  readonly rowSum: 'before' | 'after'
  /** copies ahead: of every slot, or of steps that there are */
  readonly prefetch: 'all' | 'needed'
  readonly numerics: Fa3Numerics
}

/** Warpgroups that compute, rows of a block in units of blockQ. */
const pair = 2
const memoryRegisters = 40

// ---------------------------------------------------------------- what is no kernel

const illegal = (c: Fa3Attention): string | null => {
  for (const name of ['batch', 'q', 'kv', 'heads', 'kvHeads', 'headDim', 'maxConcurrentSteps'] as const)
    if (!Number.isInteger(c[name]) || c[name] < 1)
      return `${name} is ${String(c[name])}: expected a positive integer`
  if (c.heads % c.kvHeads !== 0)
    return `heads is ${String(c.heads)}: expected a multiple of kvHeads, which is ${String(c.kvHeads)}`
  if (c.headDim % 64 !== 0 || c.headDim > 256)
    return `headDim is ${String(c.headDim)}: expected 64, 128, 192 or 256`
  for (const [name, size, most] of [
    ['blockQ', c.blockQ, 256],
    ['blockKv', c.blockKv, 256],
  ] as const)
    if (!Number.isInteger(size) || size < 64 || size % 64 !== 0 || size > most)
      return `${name} is ${String(size)}: expected a multiple of 64 up to ${String(most)}`
  for (const [name, length] of [
    ['q', c.q],
    ['kv', c.kv],
  ] as const)
    if (length % 8 !== 0)
      return `${name} is ${String(length)}: expected a multiple of 8, the rows of a tile that is copied`
  // with one slot, who skips a step would give it back in place of the other
  if (c.maxConcurrentSteps < 2 || c.maxConcurrentSteps > 32)
    return `maxConcurrentSteps is ${String(c.maxConcurrentSteps)}: expected 2 to 32, the barriers of an array`
  if (c.scale !== null && !(c.scale > 0 && Number.isFinite(c.scale)))
    return `scale is ${String(c.scale)}: expected a positive number`
  if (!Number.isInteger(c.numerics.ilp) || c.numerics.ilp < 1)
    return `ilp is ${String(c.numerics.ilp)}: expected a positive integer`
  return null
}

/** Can a row see nothing in a block that its warpgroup walks over, or nothing at all? */
const blindness = (c: Fa3Attention, band: Band): { readonly blocks: boolean; readonly rows: boolean } => {
  const rows = [0, c.q - 1].some((q) => {
    const [from, to] = keysOf(band, c, q)
    return from === to
  })
  return { rows, blocks: rows || Number.isFinite(band.lo) }
}

// ---------------------------------------------------------------- which steps

/** Keys lo .. hi relative to a row, in expressions. A bound that is not there is null. */
const clamped = (x: Int, from: Int, to: Int): Int => min(max(x, from), to)

interface Steps {
  /** blocks of keys that some of the rows see, and among them those that all see whole */
  readonly from: Int
  readonly to: Int
  readonly wholeFrom: Int
  readonly wholeTo: Int
}

/** `blocksOf` of `mask.ts` as expressions, for `count` rows from `first` on. */
const stepsOf = (c: Fa3Attention, { lo, hi }: Band, first: Int, count: number): Steps => {
  const [zero, kv, size] = [i32(0), i32(c.kv), i32(c.blockKv)]
  const all = i32(Math.ceil(c.kv / c.blockKv))
  const key = (offset: number): Int => clamped(add(first, i32(offset)), zero, kv)
  const up = (x: Int): Int => quo(add(x, i32(c.blockKv - 1)), size)
  const from = Number.isFinite(lo) ? quo(key(lo), size) : zero
  const to = Number.isFinite(hi) ? max(up(key(count + hi)), from) : all
  const wholeFrom = Number.isFinite(lo) ? clamped(up(key(count - 1 + lo)), from, to) : from
  const wholeTo = Number.isFinite(hi)
    ? clamped(quo(key(hi + 1), size), wholeFrom, to)
    : max(i32(Math.floor(c.kv / c.blockKv)), wholeFrom)
  return { from, to, wholeFrom, wholeTo }
}

// ---------------------------------------------------------------- the kernel

type Column = Tile<'f32', 1>
type Matrix = Tile<'f32', 2>

/** The kernel. Refuses blocks that wgmma, TMA or shared memory do not take. */
export const fa3Attention = (c: Fa3Attention): E.Either<Failure, Program> => {
  const why = illegal(c)
  if (why !== null) return refuse('kernel.settings', `fa3-attention: ${why}`)
  const { dtype, blockQ, blockKv, headDim } = c
  const band = bandOf(c.mask, c)
  const blind = blindness(c, band)
  const S = Math.min(c.maxConcurrentSteps, Math.ceil(c.kv / blockKv))
  const group = c.heads / c.kvHeads
  const [column, scoresShape, outShape] = [[blockQ], [blockQ, blockKv], [blockQ, headDim]] as const
  const factor = (c.scale ?? 1) * log2e
  return Pallas.kernel(
    {
      name: 'fa3-attention',
      arch: 'sm90a',
      grid: [c.heads, Math.ceil(c.q / (pair * blockQ)), c.batch],
      gridNames: ['heads', 'q_seq', 'batch'],
      numThreads: pair + 1,
      threadName: 'wg',
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [headDim]))
      const ring = { numBarriers: S }
      const consumed = { numArrivals: pair, numBarriers: S }
      return {
        q: yield* B.tensorParam('q', dtype, [c.batch, c.q, c.heads, headDim], { role: 'in' }),
        k: yield* B.tensorParam('k', dtype, [c.batch, c.kv, c.kvHeads, headDim], { role: 'in' }),
        v: yield* B.tensorParam('v', dtype, [c.batch, c.kv, c.kvHeads, headDim], { role: 'in' }),
        out: yield* B.tensorParam('out', dtype, [c.batch, c.q, c.heads, headDim], { role: 'out' }),
        lse: c.lse ? yield* B.tensorParam('lse', 'f32', [c.batch, c.heads, c.q], { role: 'out' }) : null,
        // q comes here, and out leaves from here
        qoSmem: yield* B.sharedMemory('qo_smem', dtype, [pair, blockQ, headDim], transforms),
        kSmem: yield* B.sharedMemory('k_smem', dtype, [S, blockKv, headDim], transforms),
        vSmem: yield* B.sharedMemory('v_smem', dtype, [S, blockKv, headDim], transforms),
        lseSmem: c.lse ? yield* B.sharedMemory('lse_smem', 'f32', [pair, blockQ]) : null,
        qLoaded: yield* Pallas.Barrier('q_loaded', { numBarriers: pair }),
        kLoaded: yield* Pallas.Barrier('k_loaded', ring),
        vLoaded: yield* Pallas.Barrier('v_loaded', ring),
        kConsumed: yield* Pallas.Barrier('k_consumed', consumed),
        vConsumed: yield* Pallas.Barrier('v_consumed', consumed),
        schedule: yield* Pallas.Barrier('schedule', { numArrivals: pair }),
      }
    },
    function* (r) {
      const wg = yield* Pallas.axisIndex('wg')
      const head = yield* Pallas.axisIndex('heads')
      const tile = yield* Pallas.axisIndex('q_seq')
      const batch = yield* Pallas.axisIndex('batch')
      const blockStart = yield* B.letIn('block_start', Pallas.blockStart(tile, pair * blockQ))
      // the keys of the whole block; what either of the two sees
      const every = stepsOf(c, band, blockStart, pair * blockQ)
      const first = yield* B.letIn('first', every.from)
      const last = yield* B.letIn('last', every.to)
      const slotOf = (step: Int): Int => rem(sub(step, first), i32(S))
      const fresh = Pallas.freshParities

      yield* Pallas.when('memory', eq(wg, i32(pair)), function* memory() {
        yield* Pallas.setMaxRegisters('memory registers', memoryRegisters, { action: 'decrease' })
        const kvHead = yield* B.letIn('kv_head', quo(head, i32(group)))
        const blockAt = (of: typeof r.k, step: Int) =>
          Pallas.at(
            of,
            [batch, Pallas.blockStart(step, blockKv), kvHead, i32(0)],
            [null, blockKv, null, headDim],
          )
        for (let s = 0; s < S; s++) {
          const step = add(first, i32(s))
          const when = c.prefetch === 'needed' && c.mask._tag !== 'none' ? { when: lt(step, last) } : {}
          yield* Pallas.copyGmemToSmem(
            'fetch k',
            blockAt(r.k, step),
            slot(r.kSmem, i32(s)),
            r.kLoaded,
            i32(s),
            when,
          )
          yield* Pallas.copyGmemToSmem(
            'fetch v',
            blockAt(r.v, step),
            slot(r.vSmem, i32(s)),
            r.vLoaded,
            i32(s),
            when,
          )
        }
        yield* B.forRange(
          { label: 'refill', from: add(first, i32(S)), to: last, carried: { ks: fresh, vs: fresh } },
          function* (step, { ks, vs }) {
            const s = yield* B.letIn('slot', slotOf(step))
            const nextK = yield* Pallas.barrierWait('wait k_consumed', r.kConsumed, s, ks)
            yield* Pallas.copyGmemToSmem('copy k', blockAt(r.k, step), slot(r.kSmem, s), r.kLoaded, s)
            const nextV = yield* Pallas.barrierWait('wait v_consumed', r.vConsumed, s, vs)
            yield* Pallas.copyGmemToSmem('copy v', blockAt(r.v, step), slot(r.vSmem, s), r.vLoaded, s)
            return { ks: nextK, vs: nextV }
          },
        )
      })

      yield* Pallas.when('compute', lt(wg, i32(pair)), function* compute() {
        const { name: thread, index } = yield* Pallas.threadHere('compute')
        yield* Pallas.setMaxRegisters('compute registers', Pallas.computeRegisters(memoryRegisters, pair), {
          action: 'increase',
        })
        const qo = slot(r.qoSmem, wg)
        const start = yield* B.letIn('q_start', add(blockStart, mul(wg, i32(blockQ))))
        const qBlock = Pallas.at(r.q, [batch, start, head, i32(0)], [null, blockQ, null, headDim])
        yield* Pallas.copyGmemToSmem('copy q', qBlock, qo, r.qLoaded, wg)
        yield* Pallas.barrierWait('wait q', r.qLoaded, wg, fresh)

        // steps of this warpgroup, inside those of the block
        const own = stepsOf(c, band, start, blockQ)
        const to = yield* B.letIn('to', max(own.to, first))
        const from = yield* B.letIn('from', clamped(own.from, first, to))
        const wholeFrom = yield* B.letIn('whole_from', clamped(own.wholeFrom, from, to))
        const wholeTo = yield* B.letIn('whole_to', clamped(own.wholeTo, wholeFrom, to))

        const rowsOf = (x: number): Column => splat<'f32', 1>(float('f32', x), column, WGMMA_ROW)
        const scoresOf = (x: number): Matrix => splat<'f32', 2>(float('f32', x), scoresShape, WGMMA)
        const outOf = (x: number): Matrix => splat<'f32', 2>(float('f32', x), outShape, WGMMA)
        const m0: Column = yield* B.letIn('m', rowsOf(-Infinity))
        const l0: Column = yield* B.letIn('l', rowsOf(0))
        const acc0: Matrix = yield* B.letIn('acc', outOf(0))

        const product = yield* Pallas.ACC(`qk_${thread}`, thread, 'f32', [blockQ, blockKv])

        /** Both meet: arrive, and wait for the other. */
        const meet = (parities: Int): B.Build<Int> =>
          B.block(function* () {
            yield* Pallas.barrierArrive('arrive schedule', r.schedule, null)
            return yield* Pallas.barrierWait('wait schedule', r.schedule, null, parities)
          })
        const waitK = (step: Int, ks: Int): B.Build<Int> =>
          Pallas.barrierWait('wait k', r.kLoaded, slotOf(step), ks, lt(step, to))

        /** What a row sees of the step's keys. */
        const visible = (step: Int): B.Build<Tile<'i1', 2>> =>
          B.block(function* () {
            const rows = yield* Pallas.broadcastedIota<'i32', 2>('q_ids', 'i32', scoresShape, 0, {
              layout: WGMMA,
            })
            const keys = yield* Pallas.broadcastedIota<'i32', 2>('kv_ids', 'i32', scoresShape, 1, {
              layout: WGMMA,
            })
            const keyStart = yield* B.letIn('kv_start', Pallas.blockStart(step, blockKv))
            const whole = (x: Int): Tile<'i32', 2> => splat<'i32', 2>(x, scoresShape, WGMMA)
            const ahead = yield* B.letIn('ahead', add(sub(keys, rows), whole(sub(keyStart, start))))
            const rules = [
              ...(Number.isFinite(band.hi) ? [le(ahead, whole(i32(band.hi)))] : []),
              ...(Number.isFinite(band.lo) ? [ge(ahead, whole(i32(band.lo)))] : []),
              ...(c.kv % blockKv === 0 ? [] : [lt(keys, whole(sub(i32(c.kv), keyStart)))]),
            ]
            return yield* B.letIn(
              'mask',
              rules.reduce((a, b) => and(a, b)),
            )
          })

        /** One step: products, and the softmax between them. */
        const step = (label: string, range: readonly [Int, Int], masked: boolean, carried: Carried) =>
          B.forRange({ label, from: range[0], to: range[1], carried }, function* (at, now) {
            const s = yield* B.letIn('slot', slotOf(at))
            // q k
            yield* Pallas.initAccumulator('zero qk', product)
            const kT = yield* Pallas.transposeRef('k.T', slot(r.kSmem, s), [1, 0])
            yield* Pallas.wgmma('q @ k.T', product, qo, kT)
            const met = yield* meet(now.meetings)
            const scores = yield* Pallas.readAccumulator('qk[...]', product)
            yield* Pallas.barrierArrive('arrive k_consumed', r.kConsumed, s)
            const qk = masked
              ? yield* B.letIn('masked', select(yield* visible(at), scores, scoresOf(-Infinity)))
              : scores

            // softmax
            const rowMax = yield* Pallas.reduceMax('row_max', qk, 1)
            const m = yield* B.letIn('m', max(now.m, mul(rowMax, rowsOf(factor))))
            const safe = blind.blocks
              ? yield* B.letIn('safe', select(eq(m, rowsOf(-Infinity)), rowsOf(0), m))
              : m
            const alpha = yield* B.letIn('alpha', special('ex2.approx.ftz.f32', sub(now.m, safe)))
            const below = yield* Pallas.broadcastInDim('-m', neg(safe), [blockQ, blockKv], 1, WGMMA)
            const p = yield* B.letIn('p', special('ex2.approx.ftz.f32', fma(qk, scoresOf(factor), below)))
            const decay = yield* Pallas.broadcastInDim('alpha', alpha, [blockQ, headDim], 1, WGMMA)
            const scaled = yield* B.letIn('acc', mul(now.acc, decay))
            const p16 = yield* B.letIn('p16', cast(p, dtype))
            const sum = B.block(function* () {
              const rowSum = yield* Pallas.reduceSum('row_sum', p, 1, { ilp: c.numerics.ilp })
              return yield* B.letIn(
                'l',
                c.numerics.update === 'fused' ? fma(now.l, alpha, rowSum) : add(mul(now.l, alpha), rowSum),
              )
            })
            const before = c.rowSum === 'before' ? yield* sum : null
            yield* Pallas.barrierArrive('arrive schedule', r.schedule, null)
            const vs = yield* Pallas.barrierWait('wait v', r.vLoaded, s, now.vs)
            const meetings = yield* Pallas.barrierWait('wait schedule', r.schedule, null, met)
            const l = before ?? (yield* sum)

            // p v
            const next = yield* B.letIn('next', add(at, i32(1)))
            let ks = now.ks
            const [acc] = yield* Pallas.runState(
              'p @ v',
              [Pallas.ACC.init(`acc_${thread}_${label}`, thread, 'f32', scaled)],
              function* (ref) {
                yield* Pallas.wgmma('p @ v', ref, p16, slot(r.vSmem, s))
                ks = yield* waitK(next, now.ks)
              },
            )
            yield* Pallas.barrierArrive('arrive v_consumed', r.vConsumed, s)
            return { acc, m, l, ks, vs, meetings }
          })

        /** Steps of the other one. */
        const skip = (label: string, range: readonly [Int, Int], observed: boolean, carried: Carried) =>
          B.forRange({ label, from: range[0], to: range[1], carried }, function* (at, now) {
            const s = yield* B.letIn('slot', slotOf(at))
            // before its own steps it must hear of every copy, or its parities would be those of others
            const vs = observed ? yield* Pallas.barrierWait('skip v', r.vLoaded, s, now.vs) : now.vs
            const ks = observed ? yield* waitK(add(at, i32(1)), now.ks) : now.ks
            yield* Pallas.barrierArrive('skip k_consumed', r.kConsumed, s)
            yield* Pallas.barrierArrive('skip v_consumed', r.vConsumed, s)
            const meetings = yield* meet(yield* meet(now.meetings))
            return { ...now, ks, vs, meetings }
          })

        type Carried = {
          readonly acc: Matrix
          readonly m: Column
          readonly l: Column
          readonly ks: Int
          readonly vs: Int
          readonly meetings: Int
        }
        let now: Carried = {
          acc: acc0,
          m: m0,
          l: l0,
          ks: yield* waitK(first, fresh),
          vs: fresh,
          // half a step behind the other
          meetings: index === 1 ? yield* meet(fresh) : fresh,
        }
        const [below, above] = [Number.isFinite(band.lo), Number.isFinite(band.hi)]
        if (below) now = yield* skip('not yet', [first, from], true, now)
        if (below) now = yield* step('first', [from, wholeFrom], true, now)
        now = yield* step('whole', [wholeFrom, wholeTo], false, now)
        if (above || c.kv % blockKv !== 0) now = yield* step('last', [wholeTo, to], true, now)
        if (below || above) now = yield* skip('no more', [to, last], false, now)
        if (index === 0) yield* meet(now.meetings)

        // out
        const divisor = yield* Pallas.broadcastInDim('l', now.l, [blockQ, headDim], 1, WGMMA)
        const quotient = yield* B.letIn('out', specialQuotient('div.full.f32', now.acc, divisor))
        const value = blind.rows
          ? yield* B.letIn('out', select(eq(divisor, outOf(0)), outOf(0), quotient))
          : quotient
        yield* Pallas.store('qo_smem[...] = out', qo, yield* B.letIn('rounded', cast(value, dtype)))
        if (r.lseSmem !== null) {
          const ln = yield* B.letIn('log', mul(special('lg2.approx.ftz.f32', now.l), rowsOf(Math.LN2)))
          const lse = yield* B.letIn('lse', fma(ln, rowsOf(log2e), now.m))
          yield* Pallas.store('lse_smem[...] = lse', slot(r.lseSmem, wg), lse)
        }
        yield* Pallas.commitSmem('commit_smem')
        yield* Pallas.copySmemToGmem(
          'copy out',
          qo,
          Pallas.at(r.out, [batch, start, head, i32(0)], [null, blockQ, null, headDim]),
        )
        if (r.lseSmem !== null && r.lse !== null)
          yield* Pallas.copySmemToGmem(
            'copy lse',
            slot(r.lseSmem, wg),
            Pallas.at(r.lse, [batch, head, start], [null, null, blockQ]),
          )
        yield* Pallas.waitSmemToGmem('wait out', 0)
      })
    },
  )
}

/** What a kernel is, in a few words. */
export const showFa3 = (c: Fa3Attention): string =>
  `${String(c.batch)} x ${String(c.q)} x ${String(c.kv)} x ${String(c.heads)}/${String(c.kvHeads)} heads x ${String(c.headDim)} ${c.dtype}, ${showMask(c.mask)}`
