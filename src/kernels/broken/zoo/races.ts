/** D, N4: races between accesses that nothing orders, and those that show nowhere. */
import * as B from '../../../semantics/writing/builder.js'
import { i32, mul, place } from '../../../semantics/language/expression.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

const genericRace = S.twin({
  id: 'D1',
  title: 'the consumer reads what the producer writes, and does not wait',
  fix: 'wait for the barrier on which the producer arrives',
  shows: { verdict: 'hazard', a: 'write s', b: 'read s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.together({
      *producer() {
        yield* S.write('write s', s)
        yield* S.arrive('arrive full', full)
      },
      *consumer() {
        if (fixed) yield* S.wait('wait full', full, 0)
        yield* S.read('read s', s)
      },
    })
  },
})

const sameTile = S.twin({
  id: 'D2',
  title: 'two warpgroups store the same tile of the output',
  fix: 'each stores its own rows',
  shows: { verdict: 'hazard', a: 'store mine', b: 'store yours' },
  *body(fixed) {
    const out = yield* S.global('out')
    yield* S.together({
      *producer() {
        yield* S.writeGlobal('store mine', S.rows(out, 0))
      },
      *consumer() {
        yield* S.writeGlobal('store yours', S.rows(out, fixed ? 8 : 0))
      },
    })
  },
})

const sameTwice = S.twin({
  id: 'N4',
  title: 'two warpgroups store the same values to the same tile of the output',
  fix: 'one of them stores it',
  shows: { verdict: 'ok', a: 'store mine', b: 'store yours' },
  *body(fixed) {
    const out = yield* S.global('out')
    const x = yield* S.global('x', 'in')
    yield* S.together({
      *producer() {
        yield* S.copyGlobal('store mine', S.rows(x, 8), S.rows(out, 0))
      },
      *consumer() {
        if (!fixed) yield* S.copyGlobal('store yours', S.rows(x, 8), S.rows(out, 0))
      },
    })
  },
})

const sameRows = S.twin({
  id: 'D3',
  title: 'the tiles of two blocks overlap: the start of a tile is a multiple of half of it',
  fix: 'multiply the program id by the rows of a tile',
  stage: { agents: ['block'], grid: [2] },
  shows: { verdict: 'hazard', a: 'store tile', b: 'store tile' },
  *body(fixed) {
    const out = yield* S.global('out')
    const start = yield* B.letIn('start', mul(place('programId'), i32(fixed ? 8 : 4)))
    yield* S.writeGlobal('store tile', S.rows(out, start))
  },
})

const twoProducts = S.twin({
  id: 'D4',
  title: 'two agents issue products into one accumulator, and nothing orders the second after the first',
  fix: 'commit the first, and wait for it before the second',
  stage: { arch: 'sm100a', agents: ['first', 'second'] },
  shows: { verdict: 'hazard', a: 'mma 1', b: 'mma 2' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc')
    const done = yield* S.tensorBarrier('done')
    const last = yield* S.tensorBarrier('last')
    yield* S.allocate()
    yield* S.fill('fill s', s)
    yield* S.together({
      *first() {
        yield* S.mma('mma 1', acc, s)
        yield* S.commit('commit 1', done)
        yield* S.wait('wait last', last, 0)
      },
      *second() {
        if (fixed) yield* S.wait('wait done', done, 0)
        yield* S.mma('mma 2', acc, s)
        yield* S.commit('commit 2', last)
        if (!fixed) yield* S.wait('wait done', done, 0)
      },
    })
    yield* S.deallocate()
  },
})

export const races: ReadonlyArray<Twin> = [genericRace, sameTile, sameRows, twoProducts, sameTwice]
