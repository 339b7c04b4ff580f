/**
 * The correction warpgroup: O_i times the factor, between two products into it.
 *
 *     for n = 1, 2, ...: for i = 0, 1: wait for C_i, read it, give it back; wait for O_i(n-1); O_i = factor O_i; give O_i to the next product
 *
 * The wait for O_i changes nothing while products are in order: that C_i(n) is there says that S_i(n) is done, and O_i(n-1) was issued before it.
 *
 * Source: Mojo, mha_sm100_2q, correction; FlashAttention, which has no such wait.
 */
import * as B from '../../../semantics/writing/builder.js'
import {
  and,
  any,
  float,
  i32,
  mul,
  ne,
  splat,
  sub,
  type Int,
  type Tile,
  type View,
} from '../../../semantics/language/expression.js'
import { arrive, fenceAfter, fenceBefore, wait } from './barriers.js'
import type { KeyBlocks } from './key-blocks.js'
import type { Memory } from './memory.js'
import { tileRows, type Fa4 } from './model.js'
import { across, rowsLayout, type Rows } from './rows.js'

const odd = (n: Int): Int => and(n, i32(1))

/** tcgen05.ld, waited for, as a tile. */
export const loaded = (
  label: string,
  source: View<'tmem', 'f32', 2>,
  into: View<'regs', 'f32', 2>,
  layout: Rows['pairs'],
): B.Build<Tile<'f32', 2>> =>
  B.block(function* () {
    yield* B.run(label, { _tag: 'tcgen05.ld', source, destination: into })
    yield* B.run(`${label}.wait`, { _tag: 'tcgen05.waitLd' })
    return yield* B.regsRead(`${label}.value`, into, { layout })
  })

export const correction = (c: Fa4, m: Memory, keys: KeyBlocks): B.Build<void> =>
  B.block(function* () {
    const rows = yield* rowsLayout
    const agent = 'correction'
    const factorRegs = yield* B.registers('factor_registers', agent, 'f32', [tileRows, 1])
    const outRegs = yield* B.registers('o_registers', agent, 'f32', [tileRows, c.headDim])
    const outEmpty = c.barriers === 'combined' ? m.po : m.oEmpty

    const rescale = (i: 0 | 1, factor: Tile<'f32', 2>): B.Build<void> =>
      B.block(function* () {
        const { o } = m.halves[i]
        const was = yield* loaded(`load O${String(i)}`, o, outRegs, rows.pairs)
        yield* B.run(`store O${String(i)}`, {
          _tag: 'tcgen05.st',
          destination: o,
          value: mul(was, across(factor, c.headDim, rows)),
        })
        yield* B.run(`store O${String(i)}.wait`, { _tag: 'tcgen05.waitSt' })
      })

    // nothing to rescale before the first product: the barrier that P shares is arrived at all the same
    if (c.barriers === 'combined') for (const i of [0, 1]) yield* arrive(`first O${String(i)}`, m.po, i)
    yield* B.forRange({ label: 'n', from: i32(1), to: keys.count }, function* (n) {
      const before = yield* B.letIn('before', sub(n, i32(1)))
      for (const i of [0, 1] as const) {
        yield* wait(`wait C${String(i)}`, m.cFull, i, odd(before))
        yield* fenceAfter(`wait C${String(i)}`)
        const factor = yield* loaded(`load C${String(i)}`, m.halves[i].c, factorRegs, rows.single)
        // read, and not written: no fence is due
        yield* arrive(`release C${String(i)}`, m.cEmpty, i)
        if (c.outputWait) yield* wait(`wait O${String(i)}`, m.oFull, i, odd(before))
        if (c.rescale === 'always') yield* rescale(i, factor)
        else
          yield* B.ifThen(
            `rescale ${String(i)}`,
            any(ne(factor, splat(float('f32', 1), [tileRows, 1], rows.single))),
            () => rescale(i, factor),
          )
        yield* fenceBefore(`release O${String(i)}`)
        yield* arrive(`release O${String(i)}`, outEmpty, i)
      }
    })
  })
