/**
 * Instructions that are right and instructions that are not: what is taken and refused here, and what NVIDIA's assembler took and refused.
 *
 * The lists are where the two differ today, and each line of them is a fault of the table or a licence of the assembler: a list may become shorter.
 */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { codeOf, parseModule } from '../../../src/dialects/ptx/index.js'
import { lines, moduleOf } from './lines.js'

const answers = new Map(
  (
    JSON.parse(
      readFileSync(new URL('../../../conformance/cuda/opcodes.json', import.meta.url), 'utf8'),
    ) as ReadonlyArray<readonly [line: string, target: string, taken: boolean]>
  ).map(([line, , taken]) => [line, taken]),
)

const taken = (line: string, target: string): boolean =>
  E.isRight(E.chain(codeOf)(parseModule(moduleOf(line, target))))

it('the assembler was asked about every line', () => {
  expect(lines.filter((l) => !answers.has(l.line)).map((l) => l.line)).toEqual([])
})

it('what it takes is taken, but for these lines', () => {
  const refused = lines.filter((l) => answers.get(l.line) === true && !taken(l.line, l.target))
  expect(refused.map((l) => l.line)).toEqual([
    'cvt.rn.f16x2.f32 %rd9, %f2, %f3;',
    'red.async.relaxed.cluster.mbarrier::complete_tx::bytes.min.s32 [%rd1], %r2;',
    'red.async.relaxed.cluster.mbarrier::complete_tx::bytes.and.b32 [%rd1], 0f3F800000, [%rd3];',
    'shfl.sync.up.b32 %r1|%p2, 0f3F800000, %r3, %r4, %r5;',
    'tensormap.replace.tile.rank.b1024.b32 [%rd1], 0f3F800000;',
    'lop3.b32 %r1, %r2, %r3, %r4, 256;',
  ])
})

it('what it refuses is refused, but for so many that combine modifiers or give a constant, and for these lines', () => {
  const more = lines.filter((l) => answers.get(l.line) === false && taken(l.line, l.target))
  const together = more.filter((l) => l.about === 'all modifiers')
  const constants = more.filter((l) => l.about === 'a constant')
  const others = more.filter((l) => l.about !== 'all modifiers' && l.about !== 'a constant')
  expect([together.length, constants.length]).toEqual([59, 16])
  expect(others.map((l) => l.line)).toEqual([
    'st.async.release.gpu.b8 [%rd1], %h2;',
    'st.async.release.gpu.b8 [%rd1], %fd9;',
    'atom.cas.L2::cache_hint.b16 %h1, [%rd2], %h3, %h4, %rd5;',
    'cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.s32 [%rd1], [%rd2], %r3, [%rd4];',
    'cp.reduce.async.bulk.global.shared::cta.bulk_group.and.s32 [%rd1], [%rd2], %r3;',
    'cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.and.s32 [%rd1], [%rd2], %r3, %rd4;',
    'ld.shared.u32 %r1, [16];',
    'ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];',
    'ld.shared.u32 %r1, [n];',
  ])
})
