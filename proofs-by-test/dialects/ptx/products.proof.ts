/**
 * `mma`, `mma.sp` and `wmma` from their text: the kernels of the capture leave in memory what an H100 left, and a warp that is not whole is found.
 *
 * By day one tuple of some forms, by night of all.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { capturedForms, hashOf } from '../../numerics/mma/captured.js'
import { givenBytes, kernelText, leftBytes, tupleOf } from './mma-kernels.js'
import { programOf } from './small-text.js'

const argumentsOf = (given: Uint8Array, left: number): Parameters<typeof warpSource>[1] => ({
  grid: [1],
  block: [32],
  cluster: null,
  dynamicBytes: 0,
  parameters: new Uint8Array(16),
  pointers: ['in', 'out'].map((name, i) => ({ offset: 8 * i, tensor: name })),
  tensors: [
    { name: 'in', role: 'in', contents: given, bytes: given.length, elements: null, symbol: null },
    { name: 'out', role: 'out', contents: null, bytes: left, elements: null, symbol: null },
  ],
  sharedBase: usualSharedBase,
})

const leftOf = (source: string, given: Uint8Array, size: number): Uint8Array => {
  const { world, machine, planeOf } = right(
    launchWarps(programOf(source), argumentsOf(given, size), bits('hopper')),
  )
  const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
  expect(outcome).toEqual({ _tag: 'completed' })
  const bytes = new Uint8Array(size)
  Plane.copyOut(after.planes[planeOf.get('out')!]!, 0, size, bytes)
  return bytes
}

const wordsOf = (bytes: Uint8Array): Uint32Array =>
  Uint32Array.from({ length: bytes.length / 4 }, (_, i) => new DataView(bytes.buffer).getUint32(4 * i, true))

describe('the kernels of the capture', () => {
  const kinds = ['mma', 'sp', 'any', 'wmma', 'raw', 'load', 'store'] as const
  for (const kind of kinds)
    it(kind, { timeout: 300_000 }, () => {
      const forms = capturedForms.filter((f) => f.kind === kind)
      forms.forEach((f, index) => {
        if (!nightly && index % (kind === 'wmma' ? 11 : kind === 'sp' ? 13 : 7) !== 0) return
        // of sparse products there is no other proof, so by night one of each kind of operands
        const tuples =
          kind === 'load'
            ? [0]
            : nightly && (kind === 'sp' || kind === 'any')
              ? Array.from({ length: Math.min(20, f.hashes.length) }, (_, t) => t)
              : [index % f.hashes.length]
        for (const tuple of tuples) {
          const left = leftOf(kernelText(f), tupleOf(f, tuple), leftBytes(f))
          expect(hashOf(wordsOf(left)), `${f.opcode} ${String(tuple)}`).toBe(f.hashes[tuple])
        }
      })
    })
})

describe('what is demanded', () => {
  const find = (opcode: string) => capturedForms.find((f) => f.opcode === opcode && f.kind !== 'raw')!
  const judged = (source: string, f: ReturnType<typeof find>) =>
    right(
      checkSource(warpSource(programOf(source), argumentsOf(new Uint8Array(givenBytes(f)), leftBytes(f))), {
        ...standardOptions,
        algebra: bits('hopper'),
        policy: eager,
        provenance: false,
        explore: false,
      }),
    ).verdict
  const mma = find('mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32')
  const load = find('wmma.load.a.sync.aligned.row.m16n16k16.global.f16')
  const store = find('wmma.store.d.sync.aligned.row.m16n16k16.global.f32')
  const guarded = (source: string, opcode: string, set: string): string =>
    source
      .replace('.reg .b32 %t', '.reg .pred %q; .reg .b32 %t')
      .replace(new RegExp(`^${opcode}`, 'mu'), `${set}\n@%q ${opcode}`)

  it('all lanes are there', () => {
    for (const [f, opcode] of [
      [mma, 'mma'],
      [load, 'wmma.load'],
      [store, 'wmma.store'],
    ] as const) {
      expect(judged(kernelText(f), f).verdict, opcode).toBe('ok')
      expect(judged(guarded(kernelText(f), opcode, 'setp.lt.u32 %q, %t, 32;'), f).verdict).toBe('ok')
      const v = judged(guarded(kernelText(f), opcode, 'setp.lt.u32 %q, %t, 31;'), f)
      expect(v.verdict, opcode).not.toBe('ok')
      expect(JSON.stringify(v), opcode).toContain('lanes 0..30 wait here and lane 31 waits at')
    }
  })

  it('one address and one stride', () => {
    const apart = kernelText(load).replace('[%in]', '[%i4]')
    expect(JSON.stringify(judged(apart, load))).toContain('wmma.load: the address: expected one value')
    const strides = kernelText(load).replace('[%in], 16', '[%in], %t')
    expect(JSON.stringify(judged(strides, load))).toContain('wmma.load: the stride: expected one value')
  })

  it('what nothing has written comes to the elements of its row and column, and to no others', () => {
    // lane 0: register 0 of a is row 0, of b column 0, of c both
    const without = (register: string, asked: string): string =>
      judged(
        kernelText(mma)
          .replace('.reg .b32 %t', '.reg .pred %q; .reg .b32 %t')
          .replace(new RegExp(`^(ld.global.b32 %${register}.*)$`, 'mu'), 'setp.ne.u32 %q, %t, 0;\n@%q $1')
          .replace(/^st/mu, `setp.ne.b32 %q, %${asked}, 0;\n@%q bra over;\nmembar.cta;\nover:\nst`),
        mma,
      ).reason
    const lost = 'the condition of the branch comes from unwritten registers or memory (lane 0)'
    const found = ['a0', 'b0', 'c0'].map((register) =>
      ['d0', 'd1', 'd2', 'd3'].map((asked) => without(register, asked).includes(lost)),
    )
    expect(found).toEqual([
      [true, true, false, false],
      [true, false, true, false],
      [true, false, false, false],
    ])
  })

  it('metadata that mean something: two different numbers, ascending where the opcode says so', () => {
    // row 0 has its first four groups in the lower half of lane 0
    const given = (opcode: string, group: number): string => {
      const f = find(opcode)
      const word = `mov.b32 %e, ${String(group)};\nor.b32 %e, %e, 0x44444440;`
      return JSON.stringify(judged(kernelText(f).replace(/^ld.global.b32 %e.*$/mu, word), f))
    }
    const types = 'sync.aligned.m16n8k32.row.col.f32.f16.f16.f32'
    for (const group of [0b0100, 0b1101]) {
      expect(given(`mma.sp.${types}`, group)).not.toContain('metadata')
      expect(given(`mma.sp::ordered_metadata.${types}`, group)).not.toContain('metadata')
    }
    expect(given(`mma.sp.${types}`, 0b0001)).not.toContain('metadata')
    expect(given(`mma.sp::ordered_metadata.${types}`, 0b0001)).toContain(
      'mma.sp: row 0: metadata of k 0 to 3: expected two ascending numbers of 2 bits, found 0001',
    )
    for (const group of [0b0000, 0b0101, 0b1010, 0b1111])
      expect(given(`mma.sp.${types}`, group)).toContain('expected two different numbers of 2 bits')
  })

  it('metadata that nothing has written come to the two rows of their lane, of the selector alone', () => {
    const f = find('mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32')
    const without = (lane: number, asked: string): string =>
      judged(
        kernelText(f)
          .replace('.reg .b32 %t', '.reg .pred %q; .reg .b32 %t')
          .replace(
            /^ld.global.b32 %e.*$/mu,
            `setp.ne.u32 %q, %t, ${String(lane)};\n@%q mov.b32 %e, 0x44444444;`,
          )
          .replace(/^st/mu, `setp.ne.b32 %q, %${asked}, 0;\n@%q bra over;\nmembar.cta;\nover:\nst`),
        f,
      ).reason
    const found = [1, 2, 5].map((lane) =>
      ['d0', 'd2'].map((asked) =>
        without(lane, asked).includes('the condition of the branch comes from unwritten registers or memory'),
      ),
    )
    expect(found).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ])
  })

  it('a product that no chip has is refused at its line', () => {
    const wrong = kernelText(mma).replace('m16n8k16', 'm16n8k32')
    expect(E.isLeft(elaborate(right(parseModule(wrong)), 'k', 'k.ptx'))).toBe(true)
  })

  it('without a stride, the rows of the matrix follow one another', () => {
    const f = load
    const source = kernelText(f).replace('[%in], 16;', '[%in];')
    expect(hashOf(wordsOf(leftOf(source, tupleOf(f, 0), leftBytes(f))))).toBe(f.hashes[0])
  })
})
