/** A and L2: what is refused before it runs. */
import * as B from '../../../semantics/builder.js'
import { add, i32, place, slot, sub } from '../../../semantics/expression.js'
import { WGMMA, WGMMA_TRANSPOSED } from '../../../layouts/tiled.js'
import { swizzle, tile as tiling } from '../../../transforms/transform.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

const one: S.Stage = { agents: ['block'] }

const tooDeep = S.twin({
  id: 'A1',
  title: 'a ring of 228 slots of 1 KiB, where a CTA has 227 KiB of shared memory',
  fix: 'a shorter ring',
  stage: one,
  shows: { verdict: 'invalid' },
  *body(fixed) {
    const s = yield* S.ring('s', fixed ? 227 : 228)
    yield* S.write('write s[0]', slot(s, i32(0)))
  },
})

const tooManyRegisters = S.twin({
  id: 'A2',
  title: 'three warpgroups of 232 registers a thread, where an SM has 65536 registers',
  fix: 'fewer registers where fewer are needed',
  stage: (fixed) => ({
    agents: ['memory', 'left', 'right'],
    registers: fixed ? [40, 232, 232] : [232, 232, 232],
  }),
  shows: { verdict: 'invalid' },
  *body() {
    const s = yield* S.tile('s')
    yield* S.together({
      *memory() {
        yield* S.write('write s', s)
      },
      *left() {
        yield* B.letIn('x', i32(0))
      },
      *right() {
        yield* B.letIn('y', i32(0))
      },
    })
  },
})

const misaligned = S.twin({
  id: 'A3',
  title: 'a buffer with a swizzle of 128 bytes starts at a multiple of 512, in the middle of the pattern',
  fix: 'start at a multiple of 1024',
  stage: one,
  shows: { verdict: 'invalid' },
  *body(fixed) {
    const t = yield* B.fromEither(tiling([8, 32]))
    const z = yield* B.fromEither(swizzle(128))
    yield* B.sharedMemory('half a tile', 'f32', [4, 32])
    const s = yield* B.sharedMemory('s', 'f32', [8, 32], [t, z], { align: fixed ? 1024 : 512 })
    yield* S.write('write s', s)
  },
})

const negative = S.twin({
  id: 'A4',
  title: 'a bulk store to a negative row: what starts outside is not clipped there, it faults',
  fix: 'start at row 0',
  stage: one,
  shows: { verdict: 'invalid' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    yield* S.write('write s', s)
    yield* S.fence('fence')
    yield* S.store('store s', s, out, fixed ? 0 : -8)
    yield* S.commitStores
    yield* S.waitStores('wait stores')
  },
})

const computedNegative = S.twin({
  id: 'A4',
  word: 'computed',
  title: 'the row of a bulk store is computed, and negative in the first block',
  fix: 'count from the first row',
  stage: one,
  shows: { verdict: 'invalid', a: 'store s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    const row = yield* B.letIn('row', sub(place('programId'), i32(fixed ? 0 : 8)))
    yield* S.write('write s', s)
    yield* S.fence('fence')
    yield* S.store('store s', s, out, row)
    yield* S.commitStores
    yield* S.waitStores('wait stores')
  },
})

const otherLayout = S.twin({
  id: 'L2',
  title: 'two tiles are added that lie in registers in different ways',
  fix: 'load both in one layout',
  stage: one,
  shows: { verdict: 'invalid' },
  *body(fixed) {
    const s = yield* B.sharedMemory('s', 'f32', [64, 64])
    yield* S.zeroAll('zero s', s)
    const x = yield* B.smemLoad('x', s, { layout: WGMMA })
    const y = yield* B.smemLoad('y', s, { layout: fixed ? WGMMA : WGMMA_TRANSPOSED })
    yield* B.letIn('sum', add(x, y))
  },
})

export const limits: ReadonlyArray<Twin> = [tooDeep, tooManyRegisters, misaligned, negative, computedNegative]
export const registerLayouts: ReadonlyArray<Twin> = [otherLayout]
