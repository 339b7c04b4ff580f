/** Instruction descriptors of tcgen05.mma: words by hand and bit by bit, the legality tables row by row. */
import { describe, expect, test } from 'vitest'
import {
  checkInstruction,
  decode,
  encode,
  productShape,
  type DenseInstruction,
  type DenseKind,
  type InstructionDescriptor,
  type IssueMode,
  type MmaKind,
  type ScaledInstruction,
  type ScaledKind,
} from '../../../src/layouts/shared-memory/instruction-descriptor.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { range } from './captured.js'
import { code, right } from '../../either.js'

const plain = {
  negateA: false,
  negateB: false,
  transposeA: false,
  transposeB: false,
  sparse: false,
  sparsitySelector: 0,
}
const bf16: DenseInstruction = {
  ...plain,
  _tag: 'dense',
  kind: 'f16',
  a: 'bf16',
  b: 'bf16',
  accumulator: 'f32',
  m: 128,
  n: 256,
  saturate: false,
  maxShift: 0,
}
const mxf8: ScaledInstruction = {
  ...plain,
  _tag: 'scaled',
  kind: 'mxf8f6f4',
  a: 'e4m3',
  b: 'e4m3',
  scale: 'e8m0',
  scaleIdA: 0,
  scaleIdB: 0,
  m: 128,
  n: 128,
  k96: false,
}
const mxf4: ScaledInstruction = { ...mxf8, kind: 'mxf4nvf4', a: 'e2m1', b: 'e2m1' }
const f8: DenseInstruction = { ...bf16, kind: 'f8f6f4', a: 'e4m3', b: 'e4m3' }
const i8: DenseInstruction = { ...bf16, kind: 'i8', a: 'i8', b: 'i8', accumulator: 'i32' }
const dense: Readonly<Record<DenseKind, DenseInstruction>> = {
  f16: bf16,
  tf32: { ...bf16, kind: 'tf32', a: 'tf32', b: 'tf32' },
  f8f6f4: f8,
  i8,
}
const scaled: Readonly<Record<ScaledKind, ScaledInstruction>> = {
  mxf8f6f4: mxf8,
  mxf4: { ...mxf4, kind: 'mxf4' },
  mxf4nvf4: mxf4,
}

describe('the word', () => {
  test('worked by hand', () => {
    expect(right(encode(bf16))).toBe(0x08400490)
    expect(right(encode({ ...bf16, a: 'f16', b: 'f16', accumulator: 'f16', m: 64, n: 8 }))).toBe(0x04020000)
    expect(right(encode({ ...bf16, negateA: true, transposeB: true, m: 256 }))).toBe(0x10412490)
    expect(right(encode({ ...bf16, negateB: true, transposeA: true }))).toBe(0x0840c490)
    expect(right(encode({ ...bf16, sparse: true, sparsitySelector: 3, maxShift: 3 }))).toBe(0xc8400497)
    expect(right(encode({ ...i8, b: 'u8', saturate: true }))).toBe(0x084000a8)
    expect(right(encode({ ...f8, b: 'e2m1', accumulator: 'f16' }))).toBe(0x08401400)
    expect(right(encode({ ...mxf8, scaleIdA: 3, scaleIdB: 2, b: 'e3m2' }))).toBe(0x68a01020)
    expect(right(encode({ ...mxf4, scale: 'ue4m3' }))).toBe(0x08200480)
    expect(right(encode({ ...mxf4, scaleIdA: 2, k96: true, m: 256 }))).toBe(0xd0a00480)
  })

  const pairs: Readonly<Record<MmaKind, readonly (readonly [Dtype, number])[]>> = {
    f16: [
      ['f16', 0],
      ['bf16', 1],
    ],
    tf32: [['tf32', 2]],
    f8f6f4: [
      ['e4m3', 0],
      ['e5m2', 1],
      ['e2m3', 3],
      ['e3m2', 4],
      ['e2m1', 5],
    ],
    i8: [
      ['u8', 0],
      ['i8', 1],
    ],
    mxf8f6f4: [
      ['e4m3', 0],
      ['e5m2', 1],
      ['e2m3', 3],
      ['e3m2', 4],
      ['e2m1', 5],
    ],
    mxf4: [['e2m1', 1]],
    mxf4nvf4: [['e2m1', 1]],
  }
  const kinds = Object.keys(pairs) as readonly MmaKind[]
  const of = (kind: MmaKind): InstructionDescriptor =>
    kind === 'mxf8f6f4' || kind === 'mxf4' || kind === 'mxf4nvf4' ? scaled[kind] : dense[kind]

  test('type codes, and which types go together', () => {
    for (const kind of kinds)
      for (const a of kinds.flatMap((k) => pairs[k].map(([t]) => t)))
        for (const b of kinds.flatMap((k) => pairs[k].map(([t]) => t))) {
          const [codeA, codeB] = [a, b].map((t) => pairs[kind].find(([own]) => own === t)?.[1])
          const mixes = kind === 'f8f6f4' || kind === 'i8' || kind === 'mxf8f6f4'
          const word = encode({ ...of(kind), a, b })
          if (codeA === undefined || codeB === undefined || (!mixes && a !== b))
            expect(code(word)).toBe('instruction.type')
          else {
            expect((right(word) >>> 7) & 7).toBe(codeA)
            expect((right(word) >>> 10) & 7).toBe(codeB)
          }
        }
  })

  /** Every bit alone and every pair of bits flipped, from a legal word of each kind. */
  test('law 1: what is accepted goes round', () => {
    for (const kind of kinds) {
      const word = right(encode(of(kind)))
      expect(right(decode(kind)(word))).toEqual(of(kind))
      let accepted = 0
      for (const i of range(32))
        for (const j of range(i + 1)) {
          const other = (word ^ (2 ** i) ^ (i === j ? 0 : 2 ** j)) >>> 0
          const d = decode(kind)(other)
          if (d._tag === 'Left') continue
          accepted++
          expect(d.right.kind).toBe(kind)
          expect(right(encode(d.right))).toBe(other)
        }
      expect(accepted).toBeGreaterThan(60)
    }
  })

  test('which single bits are free', () => {
    const free = (kind: MmaKind): readonly number[] => {
      const word = right(encode(of(kind)))
      return range(32).filter((k) => code(decode(kind)((word ^ (2 ** k)) >>> 0)) === null)
    }
    const shape = [17, 18, 19, 20, 21, 22]
    const m = [24, 25, 26, 27, 28]
    expect(free('tf32')).toEqual([0, 1, 2, 13, 14, 15, 16, ...shape, ...m, 30, 31])
    expect(free('f16')).toEqual([0, 1, 2, 13, 14, 15, 16, ...shape, ...m, 30, 31])
    expect(free('i8')).toEqual([0, 1, 2, 3, 7, 10, 15, 16, ...shape, ...m, 30, 31])
    expect(free('f8f6f4')).toEqual([0, 1, 2, 4, 7, 9, 10, 12, 13, 14, 15, 16, ...shape, ...m, 30, 31])
    expect(free('mxf8f6f4')).toEqual([0, 1, 2, 4, 5, 7, 9, 10, 12, 13, 14, 15, 16, ...shape, ...m, 29, 30])
    expect(free('mxf4')).toEqual([0, 1, 2, 5, 13, 14, ...shape, ...m, 30, 31])
    expect(free('mxf4nvf4')).toEqual([0, 1, 2, 5, 13, 14, ...shape, 23, ...m, 30, 31])
  })

  test('why a word is refused', () => {
    const at = (kind: MmaKind, word: number) => code(decode(kind)(word))
    const word = right(encode(bf16))
    expect(at('f16', -1)).toBe('instruction.word')
    expect(at('f16', 2 ** 32)).toBe('instruction.word')
    expect(at('f16', 0.5)).toBe('instruction.word')
    expect(at('f16', word | (1 << 6))).toBe('instruction.reserved')
    expect(at('f16', word | (1 << 23))).toBe('instruction.reserved')
    expect(at('f16', word | (1 << 29))).toBe('instruction.reserved')
    expect(at('f16', word | (3 << 4))).toBe('instruction.accumulator')
    expect(at('f16', word | (7 << 7))).toBe('instruction.type')
    expect(at('f16', word | (7 << 10))).toBe('instruction.type')
    expect(at('f16', word & ~(1 << 4))).toBe('instruction.accumulator')
    const scaledWord = right(encode(mxf8))
    expect(at('mxf8f6f4', scaledWord | 8)).toBe('instruction.reserved')
    expect(at('mxf8f6f4', (scaledWord | (1 << 31)) >>> 0)).toBe('instruction.modifier')
    expect(right(decode('mxf8f6f4')(scaledWord | (3 << 4)))).toEqual({ ...mxf8, scaleIdB: 3 })
  })
})

describe('what a kind allows', () => {
  const at = (d: InstructionDescriptor) => code(checkInstruction(d))

  test('accumulators', () => {
    const legal: readonly (readonly [DenseInstruction, readonly string[]])[] = [
      [{ ...bf16, a: 'f16', b: 'f16' }, ['f16', 'f32']],
      [bf16, ['f32']],
      [dense.tf32, ['f32']],
      [f8, ['f16', 'f32']],
      [{ ...f8, b: 'e2m1' }, ['f16', 'f32']],
      [i8, ['i32']],
    ]
    for (const [d, those] of legal)
      for (const accumulator of ['f16', 'f32', 'i32'] as const)
        expect(at({ ...d, accumulator })).toBe(those.includes(accumulator) ? null : 'instruction.accumulator')
  })

  test('signs, saturation, transposition', () => {
    const no = 'instruction.modifier'
    expect([
      at({ ...i8, negateA: true }),
      at({ ...i8, negateB: true }),
      at({ ...i8, saturate: true }),
    ]).toEqual([no, no, null])
    for (const d of [bf16, dense.tf32, f8]) {
      expect([at({ ...d, negateA: true }), at({ ...d, negateB: true })]).toEqual([null, null])
      expect(at({ ...d, saturate: true })).toBe(no)
    }
    for (const d of [bf16, dense.tf32, f8, i8, mxf8]) {
      expect(at({ ...d, transposeA: true })).toBeNull()
      expect(at({ ...d, transposeB: true })).toBeNull()
    }
    for (const narrow of ['e2m1', 'e2m3', 'e3m2'] as const)
      for (const d of [f8, mxf8]) {
        expect(at({ ...d, a: narrow, transposeA: true })).toBe(no)
        expect(at({ ...d, a: narrow, transposeB: true })).toBeNull()
        expect(at({ ...d, b: narrow, transposeB: true })).toBe(no)
        expect(at({ ...d, b: narrow, transposeA: true })).toBeNull()
      }
    expect(at({ ...mxf4, transposeA: true })).toBe(no)
    expect(at({ ...scaled.mxf4, transposeB: true })).toBe(no)
    expect(at({ ...mxf4, k96: true })).toBeNull()
    expect(at({ ...scaled.mxf4, k96: true })).toBeNull()
    expect(at({ ...mxf4, k96: true, sparse: true })).toBe(no)
    expect(at({ ...mxf4, sparse: true })).toBeNull()
    expect(at({ ...mxf8, k96: true })).toBe(no)
  })

  test('scales', () => {
    const ids = (d: ScaledInstruction) => range(5).filter((id) => at({ ...d, scaleIdA: id }) === null)
    const idsB = (d: ScaledInstruction) => range(5).filter((id) => at({ ...d, scaleIdB: id }) === null)
    const table: readonly (readonly [ScaledInstruction, readonly number[]])[] = [
      [mxf8, [0, 1, 2, 3]],
      [scaled.mxf4, [0, 2]],
      [mxf4, [0, 2]],
      [{ ...mxf4, scale: 'ue4m3' }, [0]],
    ]
    for (const [d, those] of table) expect([ids(d), idsB(d)]).toEqual([those, those])
    expect(at({ ...mxf8, scaleIdA: 4 })).toBe('instruction.scale')
    expect(at({ ...mxf8, scale: 'ue4m3' })).toBe('instruction.scale')
    expect(at({ ...scaled.mxf4, scale: 'ue4m3' })).toBe('instruction.scale')
  })

  test('fields', () => {
    const no = 'instruction.field'
    expect([8, -16, 512, 496, 0].map((m) => at({ ...bf16, m }))).toEqual([no, no, no, null, null])
    expect([4, -8, 512, 504, 0].map((n) => at({ ...bf16, n }))).toEqual([no, no, no, null, null])
    expect([-1, 4, 0.5, 3].map((maxShift) => at({ ...bf16, maxShift }))).toEqual([no, no, no, null])
    expect([-1, 4, 0.5, 3].map((x) => at({ ...mxf8, sparsitySelector: x }))).toEqual([no, no, no, null])
  })
})

describe('law 2: shapes', () => {
  const one: IssueMode = { ctaGroup: 1, weightStationary: false }
  const two: IssueMode = { ctaGroup: 2, weightStationary: false }
  const ws: IssueMode = { ctaGroup: 1, weightStationary: true }
  const by = (from: number, step: number) => range(257).filter((n) => n >= from && (n - from) % step === 0)
  const shape = (mode: IssueMode, d: InstructionDescriptor) => productShape(mode)(d)
  const ms = (mode: IssueMode, d: InstructionDescriptor) =>
    range(32)
      .map((k) => 16 * k)
      .filter((m) => code(shape(mode, { ...d, m })) === null)
  const ns = (mode: IssueMode, d: InstructionDescriptor) =>
    range(64)
      .map((k) => 8 * k)
      .filter((n) => code(shape(mode, { ...d, n })) === null)

  test('one CTA', () => {
    for (const d of [bf16, dense.tf32, f8]) expect([ms(one, d), ns(one, d)]).toEqual([[64, 128], by(8, 8)])
    expect([ms(one, i8), ns(one, i8)]).toEqual([
      [64, 128],
      [8, 16, 24, ...by(32, 16)],
    ])
    for (const d of [mxf8, scaled.mxf4, mxf4]) {
      expect([ms(one, d), ns(one, d)]).toEqual([[128], by(8, 8)])
      expect(ms(one, { ...d, sparse: true })).toEqual([128])
    }
  })

  test('a pair of CTAs', () => {
    for (const d of [bf16, dense.tf32, f8]) expect([ms(two, d), ns(two, d)]).toEqual([[128, 256], by(16, 16)])
    expect(ms(two, { ...bf16, sparse: true })).toEqual([128, 256])
    expect([ms(two, i8), ns(two, i8)]).toEqual([[128, 256], by(32, 32)])
    for (const d of [mxf8, scaled.mxf4, mxf4]) {
      expect([ms(two, d), ns(two, d)]).toEqual([[128, 256], by(16, 16)])
      expect(ms(two, { ...d, sparse: true })).toEqual([256])
    }
    expect(ms(two, { ...mxf4, k96: true })).toEqual([256])
    expect(ms(one, { ...mxf4, k96: true })).toEqual([])
    expect(code(shape(one, { ...mxf4, k96: true }))).toBe('instruction.mode')
  })

  test('weight stationary', () => {
    for (const d of [bf16, dense.tf32, f8, i8]) {
      expect([ms(ws, d), ns(ws, d)]).toEqual([
        [32, 64, 128],
        [64, 128, 256],
      ])
      expect(ns(ws, { ...d, sparse: true, n: 64 })).toEqual([64, 128])
      expect(code(shape({ ctaGroup: 2, weightStationary: true }, d))).toBe('instruction.mode')
    }
    expect(code(shape(ws, mxf8))).toBe('instruction.mode')
    expect(code(shape(ws, { ...bf16, maxShift: 1 }))).toBeNull()
    expect(code(shape(one, { ...bf16, maxShift: 1 }))).toBe('instruction.mode')
  })

  test('an 8-bit B that is transposed', () => {
    for (const d of [f8, i8, mxf8]) {
      expect(ns(one, { ...d, transposeB: true })).toEqual(by(16, 16))
      expect(ns(two, { ...d, m: 256, transposeB: true })).toEqual(by(32, 32))
    }
    expect(ns(one, { ...f8, transposeA: true })).toEqual(by(8, 8))
    expect(ns(one, { ...bf16, transposeB: true })).toEqual(by(8, 8))
    expect(ns(ws, { ...f8, transposeB: true })).toEqual([64, 128, 256])
  })

  test('K', () => {
    const k = (d: InstructionDescriptor, mode: IssueMode = one) => right(shape(mode, d)).k
    const all = [bf16, dense.tf32, f8, i8, mxf8, scaled.mxf4, mxf4]
    expect(all.map((d) => k(d))).toEqual([16, 8, 32, 32, 32, 64, 64])
    expect(all.map((d) => k({ ...d, sparse: true }))).toEqual([32, 16, 64, 64, 64, 128, 128])
    expect(k({ ...mxf4, k96: true, m: 256 }, two)).toBe(96)
    expect(right(shape(one, { ...bf16, m: 64, n: 24 }))).toEqual({ m: 64, n: 24, k: 16 })
  })

  test('refusals of a shape, and of what is no product', () => {
    expect(code(shape(one, { ...bf16, m: 256 }))).toBe('instruction.shape')
    expect(code(shape(one, { ...bf16, n: 264 }))).toBe('instruction.shape')
    expect(code(shape(one, { ...bf16, b: 'f16' }))).toBe('instruction.type')
  })
})
