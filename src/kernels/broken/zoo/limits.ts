/** A and L: limits and layouts. */
import * as B from '../../../semantics/writing/builder.js'
import { add, i32, place, reinterpret, slot, sub } from '../../../semantics/language/expression.js'
import { WGMMA, WGMMA_TRANSPOSED } from '../../../layouts/tiled.js'
import * as Ref from '../../../transforms/ref.js'
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
  title: 'three warpgroups of 232 registers per thread, where an SM has 65536 registers',
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
  title: 'a bulk store to a negative row: a box that starts outside is not clipped there, it faults',
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

const otherTiling = S.twin({
  id: 'L1',
  title: 'a copy writes a swizzled tile, and the reader expects plain rows',
  fix: 'read under the layout of the copy',
  stage: { agents: ['block'], computes: { _tag: 'copy', from: 'x', out: 'out' } },
  shows: { verdict: 'wrong-result', a: 'load s', b: 'read s' },
  *body(fixed) {
    const x = yield* B.tensorParam('x', 'f32', [8, 32], { role: 'in' })
    const out = yield* S.global('out', 'out', 8)
    const z = yield* B.fromEither(swizzle(128))
    const t = yield* B.fromEither(tiling([8, 32]))
    const plain = yield* B.fromEither(Ref.ofTransforms([8, 32], 32, []))
    const s = yield* B.sharedMemory('s', 'f32', [8, 32], [t, z])
    const full = yield* S.barrier('full')
    const map = yield* B.descriptorParam('x_map', x, [8, 32], { swizzle: 128 })
    yield* S.fetch('load s', { tensor: x, map }, 0, s, full)
    yield* S.wait('wait full', full, 0)
    const value = yield* B.smemLoad('read s', fixed ? s : reinterpret<'f32', 2, 'smem'>(s, 'f32', plain))
    yield* B.run('store out', { _tag: 'gmem.store', destination: S.rows(out, 0), value })
  },
})

const otherLayout = S.twin({
  id: 'L2',
  title: 'two tiles with different register layouts are added',
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
export const layouts: ReadonlyArray<Twin> = [otherTiling, otherLayout]
