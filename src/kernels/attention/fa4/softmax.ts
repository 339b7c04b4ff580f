/**
 * A softmax warpgroup: one tile of rows, a tile of keys after the other, and its part of the result at the end.
 *
 * With c = scale log2(e), in powers of two:
 *
 *     s = c S_i, hidden keys hidden          m' = max(m, max of the row)        factor = 2^(m - m')
 *     p = 2^(s - m')                         l = l factor + sum of the row       the sum is of p before it is rounded
 *
 * The factor goes to C_i (from the second tile on) as soon as it is known, P_i follows in the columns of S_i, and the row is summed up when both are gone.
 * A row that has seen nothing has the maximum -infinity; what is subtracted is then a finite number that is lower than any score, and is not
 * kept. With a threshold t, m stays where it grows by at most t: the factor is 1, and p may be 2^t.
 *
 *     keys in two tiles, scores 1 3 | 5 2, in powers of two        m 3, l 1.25     then m 5, factor 1/4, l 1.4375
 *     the same with threshold 2                                    m 3, l 1.25     then m 3, factor 1,   l 5.75 = 4 times as much, as is O
 *
 * At the end O_i is divided by l, staged where Q_i was (all products that read Q_i are done when O_i is), and stored; lse is natural.
 *
 * Where keys of the tensor end inside a tile, those behind have no weight, whatever hidden keys have.
 *
 * Source: Mojo, mha_sm100_2q, softmax; FlashAttention, softmax.py (threshold, rows that see nothing).
 */
import * as B from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import {
  add,
  and,
  float,
  fma,
  i32,
  max,
  mul,
  select,
  slot,
  splat,
  sub,
  type Expr,
  type Int,
  type Tile,
} from '../../../semantics/language/expression.js'
import type { TileIndex } from '../../../semantics/language/types.js'
import { bandOf, type Band } from '../mask.js'
import { log2e } from '../naive.js'
import { arrive, fenceBefore, wait } from './barriers.js'
import { loaded } from './correction.js'
import { isWhole } from './key-blocks.js'
import type { Block } from './load-warp.js'
import type { Memory } from './memory.js'
import { tileRows, type Fa4 } from './model.js'
import { across, asColumn, rowsLayout, type Rows } from './rows.js'

type Statistic = Tile<'f32', 1>
type Scores = Tile<'f32', 2>

const odd = (n: Int): Int => and(n, i32(1))
/** As the chip has it. */
const exponential = <I extends 'f32' | TileIndex<'f32', number>>(x: Expr<I>): Expr<I> =>
  X.special('ex2.approx.ftz.f32', x)
/** Lower than any score of finite operands, and finite. */
const lowest = -1e30

// ---------------------------------------------------------------- masks

/** The score of a key that is hidden. */
const hiddenScore = (c: Fa4): number => (c.hidden._tag === 'sentinel' ? c.hidden.score * log2e : -Infinity)

const visible = (
  { lo, hi }: Band,
  keyLessRow: Tile<'i32', 2>,
  shape: readonly [number, number],
  rows: Rows,
) => {
  const bound = (n: number): Tile<'i32', 2> => splat(i32(n), shape, rows.pairs)
  const above = lo === -Infinity ? null : X.ge(keyLessRow, bound(lo))
  const below = hi === Infinity ? null : X.le(keyLessRow, bound(hi))
  return above === null ? below : below === null ? above : and(above, below)
}

/** Scores of a tile that not all rows see whole. */
const masked = (c: Fa4, band: Band, s: Scores, row: Int, key: Int, rows: Rows): Scores => {
  const shape = [tileRows, c.blockKv] as const
  const number = (x: number): Scores => splat(float('f32', x), shape, rows.pairs)
  const keys = add(X.iota<2>(shape, 1, rows.pairs), splat(key, shape, rows.pairs))
  const lines = add(X.iota<2>(shape, 0, rows.pairs), splat(row, shape, rows.pairs))
  const seen = visible(band, sub(keys, lines), shape, rows)
  const shown = seen === null ? s : select(seen, s, number(hiddenScore(c)))
  return c.residual && c.kv % c.blockKv !== 0
    ? select(X.lt(keys, splat(i32(c.kv), shape, rows.pairs)), shown, number(-Infinity))
    : shown
}

// ---------------------------------------------------------------- the role

export const softmax = (c: Fa4, m: Memory, i: 0 | 1, block: Block): B.Build<void> =>
  B.block(function* () {
    const rows = yield* rowsLayout
    const n = String(i)
    const agent = `softmax${n}`
    const { keys } = block
    const band = bandOf(c.mask, c)
    const { s: scores, p, c: factors, o } = m.halves[i]
    const scoreRegs = yield* B.registers(`s${n}_registers`, agent, 'f32', [tileRows, c.blockKv])
    const outRegs = yield* B.registers(`out${n}_registers`, agent, 'f32', [tileRows, c.headDim])
    const row = yield* B.letIn('row', add(block.row, i32(i * tileRows)))
    const statistic = (x: number): Statistic => splat(float('f32', x), [tileRows], rows.row)
    const scale = float('f32', (c.scale ?? 1) * log2e)

    const first: Readonly<Record<'m' | 'l', Statistic>> = {
      m: statistic(c.firstMax),
      l: statistic(0),
    }
    const { m: maximum, l: sum } = yield* B.forRange<Readonly<Record<'m' | 'l', TileIndex<'f32', 1>>>>(
      { label: 'n', from: i32(0), to: keys.count, carried: first },
      function* (k, was) {
        yield* wait(`wait S${n}`, m.sFull, i, odd(k))
        const raw = yield* loaded(`load S${n}`, scores, scoreRegs, rows.pairs)
        const scaled = yield* B.letIn('scaled', mul(raw, splat(scale, [tileRows, c.blockKv], rows.pairs)))
        const at = yield* B.letIn('block', add(keys.from, k))
        const { s } = yield* B.ifThen<{ readonly s: TileIndex<'f32', 2> }>(
          'mask',
          isWhole(band, c, c.blockKv, row, tileRows, at),
          () => B.of({ s: scaled }),
          () => B.of({ s: masked(c, band, scaled, row, mul(at, i32(c.blockKv)), rows) }),
        )
        const found = yield* B.letIn(
          'max',
          max(
            was.m,
            X.reduce(s, 1, (x, y) => max(x, y), rows.row),
          ),
        )
        const grown = yield* B.letIn('safe', safeOf(c, found, statistic))
        const step = yield* B.letIn('step', sub(was.m, grown))
        const { kept, safe, factor } = yield* lazily(c, was.m, found, grown, step, statistic)

        yield* B.ifThen('factor', X.gt(k, i32(0)), function* () {
          if (c.factorAcquire)
            // the first falls through
            yield* wait(`acquire C${n}`, m.cEmpty, i, odd(k))
          yield* B.run(`store C${n}`, {
            _tag: 'tcgen05.st',
            destination: factors,
            value: asColumn(factor, rows),
          })
          if (c.statistics === 'waited') yield* B.run(`store C${n}.wait`, { _tag: 'tcgen05.waitSt' })
          yield* fenceBefore(`publish C${n}`)
          yield* arrive(`publish C${n}`, m.cFull, i)
        })

        const weight = yield* B.letIn('p', exponential(sub(s, across(asColumn(safe, rows), c.blockKv, rows))))
        yield* B.run(`store P${n}`, {
          _tag: 'tcgen05.st',
          destination: p,
          value: X.cast(weight, c.dtype),
        })
        yield* B.run(`store P${n}.wait`, { _tag: 'tcgen05.waitSt' })
        yield* fenceBefore(`release S${n}`)
        yield* arrive(`release S${n}`, m.sEmpty, i)
        const l = yield* B.letIn(
          'l',
          fma(
            was.l,
            factor,
            X.reduce(weight, 1, (x, y) => add(x, y), rows.row),
          ),
        )
        return { m: kept, l }
      },
    )

    const last = sub(keys.count, i32(1))
    yield* wait(`wait O${n}`, m.oFull, i, odd(last))
    const result = yield* loaded(`load O${n}`, o, outRegs, rows.pairs)
    // read, and not written: no fence is due
    if (c.barriers === 'separate') yield* arrive(`release O${n}`, m.oEmpty, i)
    // a row that saw a key has l of 1 or more; for one that saw none this divides by 1
    const divisor =
      c.hidden._tag === 'minus-infinity' && c.hidden.empty === 'zero' ? max(sum, statistic(1)) : sum
    const inverse = yield* B.letIn('inverse', X.special('rcp.approx.ftz.f32', divisor))
    yield* B.run(`stage O${n}`, {
      _tag: 'smem.store',
      destination: slot(m.staged, i32(i)),
      value: X.cast(mul(result, across(asColumn(inverse, rows), c.headDim, rows)), c.dtype),
    })
    yield* B.run(`stage O${n}.fence`, { _tag: 'fence.proxyAsync', scope: 'cta' })
    yield* B.run(`copy O${n}`, {
      _tag: 'tma.store',
      descriptor: m.maps.out,
      coords: [block.batch, block.head, i32(0), row, i32(0)],
      source: slot(m.staged, i32(i)),
    })
    yield* B.run(`copy O${n}.commit`, { _tag: 'bulk.commitGroup' })

    const lines = add(X.iota<1>([tileRows], 0, rows.row), splat(row, [tileRows], rows.row))
    const start = mul(add(mul(block.batch, i32(c.heads)), block.head), i32(c.q))
    yield* B.run(`write lse${n}`, {
      _tag: 'gmem.storePtr',
      destination: X.addptr(
        splat(m.lse, [tileRows], rows.row),
        add(lines, splat(start, [tileRows], rows.row)),
      ),
      value: mul(add(maximum, X.special('lg2.approx.f32', sum)), statistic(Math.LN2)),
      mask: X.lt(lines, splat(i32(c.q), [tileRows], rows.row)),
    })
    yield* B.run(`copy O${n}.wait`, { _tag: 'bulk.waitGroup', pending: 0, read: false })
  })

// ---------------------------------------------------------------- the maximum

/** What is subtracted: the maximum, or a finite number where there is none. */
const safeOf = (c: Fa4, found: Statistic, statistic: (x: number) => Statistic): Statistic =>
  c.safeMax === 'apart'
    ? max(found, statistic(lowest))
    : select(X.eq(found, statistic(-Infinity)), statistic(0), found)

interface Chosen {
  /** what the next tile begins with */
  readonly kept: Statistic
  readonly safe: Statistic
  readonly factor: Statistic
}

/** The new maximum and the factor, or the old one and 1 where it has not grown by more than the threshold. */
const lazily = (
  c: Fa4,
  was: Statistic,
  found: Statistic,
  safe: Statistic,
  step: Expr<TileIndex<'f32', 1>>,
  statistic: (x: number) => Statistic,
): B.Build<Chosen> =>
  B.block(function* () {
    const kept = c.safeMax === 'apart' ? found : safe
    if (c.threshold === 0) return { kept, safe, factor: yield* B.letIn('factor', exponential(step)) }
    const stays = yield* B.letIn('stays', X.ge(step, statistic(-c.threshold)))
    return {
      kept: yield* B.letIn('kept', select(stays, was, kept)),
      safe: yield* B.letIn('subtracted', select(stays, was, safe)),
      factor: yield* B.letIn('factor', select(stays, statistic(1), exponential(step))),
    }
  })
