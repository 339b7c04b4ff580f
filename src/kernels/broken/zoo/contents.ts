/** I, V, O, N: what is there, who can see it, and what is left out. */
import * as B from '../../../semantics/writing/builder.js'
import { add, i32, place } from '../../../semantics/language/expression.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

const one: S.Stage = { agents: ['block'] }

const nothingThere = S.twin({
  id: 'I1',
  title: 'unwritten shared memory is read, and stored to the output',
  fix: 'write it first',
  stage: one,
  shows: { verdict: 'hazard', a: 'read s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out', 'out', 8)
    if (fixed) yield* S.write('write s', s)
    const tile = yield* B.smemLoad('read s', s)
    yield* B.run('store', { _tag: 'gmem.store', destination: S.rows(out, 0), value: tile })
  },
})

const outside = S.twin({
  id: 'I2',
  title: 'an ordinary load of 8 rows starts at row 28 of 32',
  fix: 'start where 8 rows are left; or load by TMA, which clips',
  stage: one,
  shows: { verdict: 'invalid', a: 'read x' },
  *body(fixed) {
    const x = yield* S.global('x', 'in')
    const row = yield* B.letIn('row', add(place('programId'), i32(fixed ? 24 : 28)))
    yield* S.readGlobal('read x', S.rows(x, row))
  },
})

const byAnotherCopy = S.twin({
  id: 'V1',
  title:
    'a tile reaches its reader only through a copy that its writer issued afterwards: that publishes the bytes of the copy alone',
  fix: 'arrive on a barrier after the write, and wait for that barrier, too',
  shows: { verdict: 'hazard', a: 'write s', b: 'read s' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const t = yield* S.tile('t')
    const full = yield* S.barrier('full')
    const said = yield* S.barrier('said')
    yield* S.together({
      *producer() {
        yield* S.write('write s', s)
        yield* S.load('load t', x, 0, t, full)
        yield* S.arrive('arrive said', said)
      },
      *consumer() {
        yield* S.expect('load t.expect', full)
        yield* S.wait('wait full', full, 0)
        if (fixed) yield* S.wait('wait said', said, 0)
        yield* S.read('read s', s)
      },
    })
  },
})

const neverWritten = S.twin({
  id: 'O1',
  title: 'half of the output is never written',
  fix: 'write all of it',
  stage: one,
  shows: { verdict: 'hazard', a: 'store first half' },
  *body(fixed) {
    const out = yield* S.global('out', 'out', 16)
    yield* S.writeGlobal('store first half', S.rows(out, 0))
    if (fixed) yield* S.writeGlobal('store second half', S.rows(out, 8))
  },
})

const anyOrder = S.twin({
  id: 'N1',
  title: 'two agents add floats to one tile without an order: each run may round the sums differently',
  fix: 'order the two, or add integers',
  shows: { verdict: 'ok', a: 'add mine', b: 'add yours' },
  *body(fixed) {
    const out = yield* S.global('out')
    const s = yield* S.tile('s')
    const turn = yield* S.barrier('turn')
    yield* S.write('write s', s)
    yield* S.fence('fence')
    yield* S.together({
      *producer() {
        yield* S.addTo('add mine', s, out, 0)
        yield* S.commitStores
        yield* S.waitStores('wait mine')
        yield* S.arrive('arrive turn', turn)
      },
      *consumer() {
        if (fixed) yield* S.wait('wait turn', turn, 0)
        yield* S.addTo('add yours', s, out, 0)
        yield* S.commitStores
        yield* S.waitStores('wait yours')
      },
    })
  },
})

export const contents: ReadonlyArray<Twin> = [nothingThere, outside, byAnotherCopy, neverWritten, anyOrder]
