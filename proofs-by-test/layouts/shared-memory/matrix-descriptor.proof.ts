/** Matrix descriptors: the word, the addresses (captured, and CuTe's canonical layouts), steps along K, whole operands. */
import { describe, expect, test } from 'vitest'
import {
  advanceK,
  checkDescriptor,
  decode,
  descriptorOf,
  elementAddress,
  encode,
  type MatrixDescriptor,
  type OperandForm,
  type Tcgen05Descriptor,
  type WgmmaDescriptor,
} from '../../../src/layouts/shared-memory/matrix-descriptor.js'
import * as Ref from '../../../src/transforms/ref.js'
import type { TransformedRef } from '../../../src/transforms/ref.js'
import type { Swizzle } from '../../../src/transforms/swizzle.js'
import * as T from '../../../src/transforms/transform.js'
import { descriptorMaps, range } from './captured.js'
import { code, right } from '../../either.js'

const wgmma: WgmmaDescriptor = {
  _tag: 'wgmma',
  startBytes: 1024,
  leadingBytes: 16,
  strideBytes: 1024,
  baseOffset: 0,
  swizzle: 128,
}
const tcgen05: Tcgen05Descriptor = { ...wgmma, _tag: 'tcgen05', atomBytes: 16, leadingMode: 'relative' }

describe('the word', () => {
  test('worked by hand', () => {
    expect(right(encode(wgmma))).toBe(0x4000_0040_0001_0040n)
    expect(right(encode(tcgen05))).toBe(0x4000_4040_0001_0040n)
    expect(right(encode({ ...wgmma, swizzle: 16 }))).toBe(0x0000_0040_0001_0040n)
    expect(right(encode({ ...wgmma, swizzle: 64 }))).toBe(0x8000_0040_0001_0040n)
    expect(right(encode({ ...wgmma, swizzle: 32 }))).toBe(0xc000_0040_0001_0040n)
    expect(right(encode({ ...tcgen05, atomBytes: 32 }))).toBe(0x2000_4040_0001_0040n)
    expect(right(encode({ ...tcgen05, swizzle: 32, baseOffset: 5 }))).toBe(0xc00a_4040_0001_0040n)
    expect(right(encode({ ...tcgen05, leadingMode: 'absolute', leadingBytes: 0x3fff0 }))).toBe(
      0x4010_4040_3fff_0040n,
    )
  })

  const extremes = [0, 16, 0x155550, 0x2aaaa0, 0x3fff0].map((x) => x % 2 ** 18)
  const every = (base: MatrixDescriptor): readonly MatrixDescriptor[] =>
    extremes.flatMap((a) =>
      range(8).flatMap((baseOffset) =>
        ([16, 32, 64, 128] as const).map((swizzle) => ({
          ...base,
          startBytes: a,
          leadingBytes: 0x3fff0 - a,
          strideBytes: (a * 4) % 2 ** 18,
          baseOffset,
          swizzle,
        })),
      ),
    )
  const all: readonly MatrixDescriptor[] = [
    ...every(wgmma),
    ...every(tcgen05),
    ...every({ ...tcgen05, atomBytes: 32 }).filter(({ swizzle }) => swizzle === 128),
    { ...tcgen05, leadingMode: 'absolute' },
  ]

  test('law 1: decode after encode', () => {
    for (const d of all) expect(decode(d._tag)(right(encode(d)))).toEqual({ _tag: 'Right', right: d })
  })

  test('law 1: encode after decode, and which single bits are free', () => {
    const free = (unit: 'wgmma' | 'tcgen05', word: bigint): readonly number[] =>
      range(64).filter((bit) => {
        const other = word ^ (1n << BigInt(bit))
        const d = decode(unit)(other)
        if (d._tag === 'Right') expect(right(encode(d.right))).toBe(other)
        return d._tag === 'Right'
      })
    const bits = (...runs: readonly (readonly [number, number])[]) =>
      runs.flatMap(([from, to]) => range(to - from + 1).map((k) => from + k))
    const fields = bits([0, 13], [16, 29], [32, 45])
    expect(free('wgmma', right(encode(wgmma)))).toEqual([...fields, ...bits([49, 51], [62, 63])])
    // With code 2 (128 bytes): bit 61 gives 3, bit 62 gives 0, bit 63 gives 6; bit 52 makes the leading offset absolute.
    expect(free('tcgen05', right(encode(tcgen05)))).toEqual([...fields, ...bits([49, 52], [62, 63])])
    const none = right(encode({ ...tcgen05, swizzle: 16 }))
    expect(free('tcgen05', none)).toEqual([...fields, ...bits([49, 51], [61, 63])])
    const reserved = (bit: number) => code(decode('tcgen05')(right(encode(tcgen05)) ^ (1n << BigInt(bit))))
    expect([14, 46, 47, 53, 60].map(reserved)).toEqual(Array(5).fill('descriptor.reserved'))
    expect(code(decode('wgmma')(right(encode(wgmma)) | (1n << 52n)))).toBe('descriptor.reserved')
    expect([3n, 5n, 7n].map((c) => code(decode('tcgen05')((1n << 46n) | (c << 61n))))).toEqual(
      Array(3).fill('descriptor.swizzle'),
    )
    expect([1n, 3n, 5n, 7n].map((c) => code(decode('wgmma')(c << 61n)))).toEqual(
      Array(4).fill('descriptor.swizzle'),
    )
    expect(code(decode('tcgen05')((1n << 46n) | (1n << 52n)))).toBe('descriptor.leading-mode')
  })

  test('messages name the bit and the range', () => {
    expect(decode('wgmma')(1n << 52n)).toMatchObject({
      left: { message: expect.stringContaining('bit 52 of') },
    })
    expect(encode({ ...wgmma, startBytes: 8 })).toMatchObject({
      left: { message: 'startBytes must be a multiple of 16 from 0 to 262128, found 8' },
    })
    expect(elementAddress(wgmma)({ major: 'mn', bits: 8 })).toMatchObject({
      left: { message: expect.stringContaining('8 bits cannot be MN-major') },
    })
    expect(advanceK({ major: 'k', bits: 16 }, 2)({ ...wgmma, startBytes: 1088 })).toMatchObject({
      left: { message: expect.stringContaining('2 steps from byte 64 of a row') },
    })
  })

  test('refusals', () => {
    expect(code(decode('wgmma')(-1n))).toBe('descriptor.word')
    expect(code(decode('wgmma')(1n << 64n))).toBe('descriptor.word')
    for (const name of ['startBytes', 'leadingBytes', 'strideBytes'] as const) {
      const at = (value: number) => code(encode({ ...wgmma, [name]: value }))
      expect([8, -16, 2 ** 18, 2 ** 18 - 16, 0, Number.NaN].map(at)).toEqual([
        'descriptor.field',
        'descriptor.field',
        'descriptor.field',
        null,
        null,
        'descriptor.field',
      ])
    }
    expect([-1, 8, 0.5, 7].map((baseOffset) => code(encode({ ...wgmma, baseOffset })))).toEqual([
      ...(Array(3).fill('descriptor.base-offset') as string[]),
      null,
    ])
    expect(code(checkDescriptor({ ...wgmma, swizzle: 48 as Swizzle }))).toBe('descriptor.swizzle')
    for (const swizzle of [16, 32, 64] as const)
      expect(code(checkDescriptor({ ...tcgen05, swizzle, atomBytes: 32 }))).toBe('descriptor.swizzle')
    const absolute = { ...tcgen05, leadingMode: 'absolute' } as const
    expect(code(checkDescriptor(absolute))).toBeNull()
    expect(code(checkDescriptor({ ...absolute, swizzle: 64 }))).toBe('descriptor.leading-mode')
    expect(code(checkDescriptor({ ...absolute, atomBytes: 32 }))).toBe('descriptor.leading-mode')
    expect(code(checkDescriptor({ ...absolute, baseOffset: 1 }))).toBe('descriptor.leading-mode')
    expect(code(elementAddress(absolute)({ major: 'k', bits: 16 }))).toBe('descriptor.leading-mode')
  })
})

describe('law 2 on silicon: identity 6', () => {
  const { entries, bin } = descriptorMaps()
  const spans = [16, 128, 64, 32] as const

  test(`all ${String(entries.length)} captured maps, element for element, through the 64 bits`, () => {
    expect(entries.length).toBe(62)
    const wrong = entries.filter((m) => {
      const made: WgmmaDescriptor = {
        _tag: 'wgmma',
        startBytes: m.start,
        leadingBytes: m.lbo,
        strideBytes: m.sbo,
        baseOffset: m.base_offset,
        swizzle: spans[m.swizzle_mode]!,
      }
      const word = right(encode(made))
      expect(word >> 62n).toBe(BigInt(m.swizzle_mode))
      const d = right(decode('wgmma')(word))
      const address = right(
        elementAddress(d)({ major: m.mn_major === 1 ? 'mn' : 'k', bits: 8 * m.element_bytes }),
      )
      return range(m.rows * m.k).some(
        (at) =>
          address(Math.floor(at / m.k), at % m.k) !==
          m.element_bytes * bin.readUInt16LE(m.bin_offset + 2 * at),
      )
    })
    expect(wrong).toEqual([])
  })
})

test('the address worked by hand in the header', () => {
  const address = right(elementAddress(wgmma)({ major: 'k', bits: 16 }))
  expect(address(9, 20)).toBe(2232)
  expect(address(0, 0)).toBe(1024)
})

/** CuTe: one mode list (size, stride in bytes) for each coordinate, the first running fastest; then Swizzle<B, M, S> of the address. */
type Modes = readonly (readonly [size: number, stride: number])[]
const along = (modes: Modes, i: number): number => {
  let rest = i
  let sum = 0
  modes.forEach(([size, stride], k) => {
    const here = k === modes.length - 1 ? rest : rest % size
    sum += here * stride
    rest = Math.floor(rest / size)
  })
  return sum
}
const swizzleBits = (b: number, m: number, s: number, a: number): number => {
  let out = a
  for (let k = 0; k < b; k++) if (Math.floor(a / 2 ** (m + s + k)) % 2 === 1) out ^= 1 << (m + k)
  return out
}

const canonical = (
  major: 'k' | 'mn',
  span: Swizzle,
  atom: 16 | 32,
  bits: number,
  lbo: number,
  sbo: number,
): readonly [mn: Modes, k: Modes, bms: readonly [number, number, number]] => {
  const t = 128 / bits
  const e = bits / 8
  const w = span / 16
  const b = { 16: 0, 32: 1, 64: 2, 128: 3 }[span]
  if (major === 'k')
    return span === 16
      ? [
          [
            [8, 16],
            [1e9, sbo],
          ],
          [
            [t, e],
            [1e9, lbo],
          ],
          [0, 4, 3],
        ]
      : [
          [
            [8, 16 * w],
            [1e9, sbo],
          ],
          [
            [t, e],
            [1e9, 16],
          ],
          [b, 4, 3],
        ]
  if (span === 16)
    return [
      [
        [t, e],
        [1, 16],
        [1e9, sbo],
      ],
      [
        [8, 16],
        [1e9, lbo],
      ],
      [0, 4, 3],
    ]
  if (atom === 32)
    return [
      [
        [t, e],
        [8, 16],
        [1e9, lbo],
      ],
      [
        [4, 128],
        [1e9, sbo],
      ],
      [2, 5, 2],
    ]
  return [
    [
      [t, e],
      [w, 16],
      [1e9, lbo],
    ],
    [
      [8, 16 * w],
      [1e9, sbo],
    ],
    [b, 4, 3],
  ]
}

const forms: readonly (readonly [MatrixDescriptor, OperandForm])[] = ([16, 32, 64, 128] as const).flatMap(
  (swizzle) =>
    [
      ...[wgmma, tcgen05].flatMap((d) =>
        [1, 4, 8, 16, 32].map((bits) => [d, { major: 'k' as const, bits }] as const),
      ),
      [wgmma, { major: 'mn' as const, bits: 16 }] as const,
      ...[8, 16].map((bits) => [tcgen05, { major: 'mn' as const, bits }] as const),
      ...(swizzle === 128
        ? [
            [
              { ...tcgen05, atomBytes: 32 as const },
              { major: 'mn' as const, bits: 32 },
            ] as const,
          ]
        : []),
    ].map(
      ([d, form]) =>
        [
          { ...d, swizzle, startBytes: 2048 + 128 + 16, leadingBytes: 4096 + 16, strideBytes: 2048 + 512 },
          form,
        ] as const,
    ),
)

test('law 3: CuTe canonical layout and Swizzle<B, M, S>, for every unit, major, width and swizzle', () => {
  expect(forms.length).toBe(4 * 13 + 1)
  for (const [d, form] of forms) {
    const atom = d._tag === 'tcgen05' ? d.atomBytes : 16
    const [mnModes, kModes, [b, m, s]] = canonical(
      form.major,
      d.swizzle,
      atom,
      form.bits,
      d.leadingBytes,
      d.strideBytes,
    )
    const address = right(elementAddress(d)(form))
    const wrong = range(72 * Math.min(64, 256 / form.bits)).filter((at) => {
      const [mn, k] = [at % 72, Math.floor(at / 72)]
      const linear = Math.floor(d.startBytes + along(mnModes, mn) + along(kModes, k))
      return address(mn, k) !== swizzleBits(b, m, s, linear)
    })
    expect(wrong.length, JSON.stringify([d, form])).toBe(0)
  }
})

test('a base offset counts the lines from there, for atoms of 32 too', () => {
  const atoms = { ...tcgen05, atomBytes: 32, startBytes: 128, baseOffset: 1 } as const
  const moved = right(elementAddress(atoms)({ major: 'mn', bits: 32 }))
  const still = right(elementAddress({ ...atoms, startBytes: 0, baseOffset: 0 })({ major: 'mn', bits: 32 }))
  for (const [mn, k] of [
    [0, 0],
    [9, 1],
    [17, 2],
    [31, 3],
    [8, 4],
  ] as const)
    expect(moved(mn, k)).toBe(still(mn, k) + 128)
})

describe('law 4: steps along K', () => {
  test('every form', () => {
    const wrong: string[] = []
    for (const [made, form] of forms) {
      const d = { ...made, startBytes: 2048 }
      const k = 256 / form.bits
      const address = right(elementAddress(d)(form))
      const steps = form.major === 'k' && d.swizzle !== 16 ? d.swizzle / 32 : 3
      for (const step of range(steps)) {
        const moved = right(elementAddress(right(advanceK(form, step)(d)))(form))
        for (const mn of [0, 1, 7, 8, 9, 63, 64])
          for (const i of [0, 1, k / 2, k - 1])
            if (moved(mn, i) !== address(mn, i + step * k)) wrong.push(JSON.stringify([d, form, step]))
      }
    }
    expect(wrong).toEqual([])
  })

  test('a K-major tile ends; steps go back too; other fields stay', () => {
    const step = (n: number, startBytes: number) =>
      advanceK({ major: 'k', bits: 16 }, n)({ ...wgmma, startBytes })
    expect(right(step(3, 1024))).toEqual({ ...wgmma, startBytes: 1024 + 96 })
    expect(code(step(4, 1024))).toBe('descriptor.k-step')
    expect(code(step(2, 1024 + 64))).toBe('descriptor.k-step')
    expect(right(step(-2, 1024 + 64)).startBytes).toBe(1024)
    expect(code(step(-1, 1024))).toBe('descriptor.k-step')
    expect(code(advanceK({ major: 'mn', bits: 8 }, 1)(wgmma))).toBe('descriptor.major')
  })
})

test('which forms there are', () => {
  const at = (d: MatrixDescriptor, major: 'k' | 'mn', bits: number) =>
    code(elementAddress(d)({ major, bits }))
  const widths = [1, 4, 8, 16, 32]
  const no = 'descriptor.major'
  expect(widths.map((b) => at(wgmma, 'k', b))).toEqual([null, null, null, null, null])
  expect(widths.map((b) => at(wgmma, 'mn', b))).toEqual([no, no, no, null, no])
  expect(widths.map((b) => at(tcgen05, 'k', b))).toEqual([null, null, null, null, null])
  expect(widths.map((b) => at(tcgen05, 'mn', b))).toEqual([no, no, null, null, no])
  const atoms = { ...tcgen05, atomBytes: 32 } as const
  expect(widths.map((b) => at(atoms, 'k', b))).toEqual([no, no, no, no, no])
  expect(widths.map((b) => at(atoms, 'mn', b))).toEqual([no, no, no, no, null])
  expect([2, 6, 64, 0].map((b) => at(wgmma, 'k', b))).toEqual(Array(4).fill('descriptor.bits'))
})

describe('law 5: whole operands, identities 4 and 5', () => {
  const operandRef = (shape: readonly number[], bits: number, span: number): TransformedRef =>
    right(Ref.ofTransforms(shape, bits, [right(T.tile([8, (8 * span) / bits])), right(T.swizzle(span))]))
  const cases = ([32, 64, 128] as const).flatMap((span) =>
    [8, 16, 32].flatMap((bits) => (['k', 'mn'] as const).map((major) => [span, bits, major] as const)),
  )

  test.each(cases)('swizzle %i, %i bits, %s-major', (span, bits, major) => {
    const minor = (8 * span) / bits
    const bytes = bits / 8
    for (const unit of ['wgmma', 'tcgen05'] as const)
      for (const operand of ['a', 'b'] as const)
        for (const base of unit === 'wgmma' ? [8192 + 128] : [8192]) {
          // Two tiles along the contiguous dimension, eight along the other; A is (mn, k), B is (k, mn).
          const buffer = operandRef([64, 2 * minor], bits, span)
          const ref = (major === 'k') === (operand === 'a') ? buffer : right(Ref.transpose([1, 0])(buffer))
          const [mnExtent, kExtent] = major === 'k' ? [64, 2 * minor] : [2 * minor, 64]
          const at = (rows?: number) =>
            descriptorOf(rows === undefined ? { unit, operand } : { unit, operand, rows })(ref, base)
          if (major === 'mn' && (bits === 32 || (bits === 8 && unit === 'wgmma'))) {
            expect(code(at())).toBe('descriptor.major')
            continue
          }
          const addresses = Ref.swizzledAddresses(ref, base)
          for (const rows of major === 'k' ? [undefined, 8, 32] : [undefined, minor, 16 / bytes]) {
            const made = right(at(rows))
            expect(made.rows).toBe(rows ?? mnExtent)
            expect(made.k).toBe(256 / bits)
            expect(made.form).toEqual({ major, bits })
            expect(made.descriptors.length).toBe(mnExtent / made.rows)
            let wrong = 0
            made.descriptors.forEach((steps, i) => {
              expect(steps.length).toBe(kExtent / made.k)
              steps.forEach((d, j) => {
                expect(d._tag).toBe(unit)
                expect(code(encode(d))).toBeNull()
                const address = right(elementAddress(d)(made.form))
                for (let mn = 0; mn < made.rows; mn++)
                  for (let k = 0; k < made.k; k++) {
                    const [row, column] = [i * made.rows + mn, j * made.k + k]
                    const position = operand === 'a' ? row * kExtent + column : column * mnExtent + row
                    if (address(mn, k) !== addresses[position]) wrong++
                  }
              })
            })
            expect(wrong).toBe(0)
          }
        }
  })

  test('the fields, for the f16 operand of the references', () => {
    const ref = operandRef([128, 128], 16, 128)
    const made = right(descriptorOf({ unit: 'wgmma', operand: 'a', rows: 64 })(ref, 4096))
    const start = (i: number, j: number) => made.descriptors[i]![j]!.startBytes
    expect(made.descriptors[0]![0]).toEqual({ ...wgmma, startBytes: 4096, strideBytes: 2048 })
    expect([start(0, 1), start(0, 3), start(0, 4), start(0, 7), start(1, 0)]).toEqual(
      [32, 96, 1024, 1120, 8 * 2048].map((x) => 4096 + x),
    )
    const slot = right(Ref.slot(1)(right(Ref.batch(2)(ref))))
    expect(right(descriptorOf({ unit: 'tcgen05', operand: 'a' })(slot, 0)).descriptors[0]![0]).toEqual({
      ...tcgen05,
      startBytes: 32768,
      strideBytes: 2048,
    })
    const mn = right(descriptorOf({ unit: 'wgmma', operand: 'b' })(ref, 0)).descriptors[0]!
    expect(mn[1]).toEqual({ ...wgmma, startBytes: 4096, leadingBytes: 1024, strideBytes: 2048 })
  })

  test('refusals', () => {
    const ref = operandRef([64, 128], 16, 128)
    const at = (r: TransformedRef, base: number, rows?: number, operand: 'a' | 'b' = 'a') =>
      code(
        descriptorOf(rows === undefined ? { unit: 'wgmma', operand } : { unit: 'wgmma', operand, rows })(
          r,
          base,
        ),
      )
    expect(at(ref, 0)).toBeNull()
    expect(at(right(Ref.ofTransforms([64, 128], 16, [])), 0)).toBe('mma.unsupported-transforms')
    expect(at(ref, 8)).toBe('descriptor.field')
    expect(at(ref, 2 ** 18 - 64 * 256)).toBeNull()
    expect(at(ref, 2 ** 18)).toBe('descriptor.field')
    expect(at(ref, 2 ** 18 - 512)).toBe('descriptor.field')
    for (const rows of [48, 12, 4, 0, -8, 0.5, 128]) expect(at(ref, 0, rows)).toBe('descriptor.extent')
    expect(at(ref, 0, 96, 'b')).toBe('descriptor.extent')
    expect(at(ref, 0, 24, 'b')).toBe('descriptor.extent')
    expect(at(ref, 0, 32, 'b')).toBeNull()
    expect(at(ref, 0, 4, 'b')).toBe('descriptor.field')
    expect(at(operandRef([64, 192], 16, 128), 0, 96, 'b')).toBe('descriptor.extent')
    expect(at(operandRef([8, 128], 16, 128), 0, undefined, 'b')).toBe('descriptor.extent')
    const far = right(Ref.batch(2, 2 ** 17)(ref))
    const wide: TransformedRef = { ...ref, strides: ref.strides.map((s, k) => (k === 0 ? 2 ** 18 : s)) }
    expect(at(right(Ref.slot(0)(far)), 0)).toBeNull()
    expect(at(wide, 0)).toBe('descriptor.field')
  })
})
