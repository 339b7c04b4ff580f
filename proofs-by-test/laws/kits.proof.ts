import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as L from '../../src/laws/index.js'
import * as Cute from '../../src/layouts/cute/layout.js'
import * as Linear from '../../src/layouts/linear/linear-layout.js'
import * as RL from '../../src/layouts/register-layout.js'
import { splatLayout } from '../../src/layouts/splat.js'
import * as Tiled from '../../src/layouts/tiled.js'
import * as Ref from '../../src/transforms/ref.js'
import * as T from '../../src/transforms/transform.js'
import { right } from '../either.js'

const broken = <S>(kit: L.Kit<S>, subject: S): readonly string[] =>
  L.checkLaws(kit)(subject).broken.map(({ law }) => law)
const first = <S>(kit: L.Kit<S>, subject: S): string => {
  const { broken: faults } = L.checkLaws(kit)(subject)
  return faults.map(({ law, input, expected, found }) => `${law} | ${input} | ${expected} | ${found}`)[0]!
}

describe('the laws of reports', () => {
  const points = L.numbers(5, 'point')
  const positive: L.Law<(n: number) => number> = L.forAll(
    'positive',
    'f is positive',
    points,
    (f) => (n) => L.expectThat(f(n) > 0, 'a positive number', f(n)),
  )
  const large: L.Law<(n: number) => number> = L.forAll(
    'large',
    'f is below a million',
    L.numbers(2 ** 30, 'point'),
    (f) => (n) => L.expectThat(f(n) < 1_000_000, 'less than 1000000', f(n)),
  )
  const missing: L.Law<(n: number) => number> = L.forAll('missing', 'nothing to say', points, () => null)
  const kit = { name: 'functions', laws: [positive, large, missing] }

  test('law 1: every law once; law 2: all points, or the first that fails', () => {
    expect(L.checkLaws(kit)((n) => (n % 1000) + 1)).toEqual({
      kit: 'functions',
      held: [
        { law: 'positive', method: 'exhaustion', cases: 5 },
        { law: 'large', method: 'property', cases: 1000 },
        { law: 'missing', method: 'absent', cases: 0 },
      ],
      broken: [],
    })
    expect(L.checkLaws(kit)((n) => (n > 2 ? -n : 1))).toMatchObject({
      broken: [
        {
          law: 'positive',
          statement: 'f is positive',
          input: 'point 3',
          expected: 'a positive number',
          found: '-3',
        },
      ],
    })
  })

  test('law 2: what is drawn shrinks', () => {
    expect(first(kit, (n) => n + 1)).toBe('large | point 999999 | less than 1000000 | 1000000')
    const drawn = L.forAll<(n: number) => number, number>(
      'drawn',
      'f is small',
      L.numbers(2 ** 18 + 1, 'point'),
      (f) => (n) => L.expectThat(f(n) < 100, 'less than 100', f(n)),
    )
    expect(E.isRight(drawn.check(() => 1)) && drawn.check(() => 1)).toMatchObject({
      right: { method: 'property' },
    })
    const whole = L.forAll<(n: number) => number, number>(
      'whole',
      'f is small',
      L.numbers(2 ** 18, 'point'),
      (f) => (n) => L.expectThat(f(n) < 100, 'less than 100', f(n)),
    )
    expect(whole.check(() => 1)).toMatchObject({ right: { method: 'exhaustion', cases: 2 ** 18 } })
  })

  test('a function that throws breaks the law that called it', () => {
    const throws = (): number => {
      throw new RangeError('no such point')
    }
    expect(first(kit, throws)).toBe('positive | point 0 | a value | threw RangeError: no such point')
    expect(first({ name: 'x', laws: [large] }, throws)).toBe(
      'large | point 0 | a value | threw RangeError: no such point',
    )
  })

  test('the text of a report', () => {
    expect(L.showReport(L.checkLaws(kit)((n) => (n < 5 ? -n : 1)))).toBe(
      [
        'functions: 1 of 2 laws hold',
        '  ok  large: property, 1000 cases',
        '  -   missing: nothing to check',
        '  NO  positive: f is positive',
        '      at point 0: expected a positive number, found 0',
      ].join('\n'),
    )
    expect(L.expectSame([1, [2]], [1, [2]])).toBeNull()
    expect(L.expectSame([1, 2], [1])).toEqual({ expected: '[1, 2]', found: '[1]' })
    expect(L.expectSame([1], [1, 2])).toEqual({ expected: '[1]', found: '[1, 2]' })
    expect(L.expectSame(1, undefined)).toEqual({ expected: '1', found: 'undefined' })
    expect(L.expectThat(false, 'x', { lane: 3 })).toEqual({ expected: 'x', found: '{"lane":3}' })
    expect(L.expectThat(false, 'x', 'y')).toEqual({ expected: 'x', found: '"y"' })
    expect(L.expectThat(false, 'x', null)).toEqual({ expected: 'x', found: 'null' })
  })

  test('describeLaws registers one test a law, and only the broken ones fail', async () => {
    const registered: [string, () => Promise<void>][] = []
    L.describeLaws(
      (name, body) => registered.push([name, body]),
      kit,
      (n) => (n > 2 ? -n : 1),
    )
    expect(registered.map(([name]) => name)).toEqual([
      'functions, positive: f is positive',
      'functions, large: f is below a million',
      'functions, missing: nothing to say',
    ])
    await expect(registered[0]![1]()).rejects.toThrow(
      'positive: f is positive\n  at point 3: expected a positive number, found -3',
    )
    await expect(registered[1]![1]()).resolves.toBeUndefined()
    await expect(registered[2]![1]()).resolves.toBeUndefined()
  })
})

// A kit handed to this file's own runner.
L.describeLaws(test, L.bijectionLaws(7), { forward: (i) => (3 * i) % 7, backward: (j) => (5 * j) % 7 })

test('bijections', () => {
  const kit = L.bijectionLaws(8)
  expect(broken(kit, { forward: (i) => i ^ 5 })).toEqual([])
  expect(first(kit, { forward: (i) => i + 1 })).toBe('bijection.range | point 7 | an integer from 0 to 7 | 8')
  expect(first(kit, { forward: (i) => i - 1 })).toBe(
    'bijection.range | point 0 | an integer from 0 to 7 | -1',
  )
  expect(first(kit, { forward: (i) => i / 2 })).toBe(
    'bijection.range | point 1 | an integer from 0 to 7 | 0.5',
  )
  expect(first(kit, { forward: (i) => i & 6 })).toBe(
    'bijection.injective | points 0 and 1 | two images | 0 for both',
  )
  expect(broken(kit, { forward: (i) => (i + 1) % 8, backward: (j) => (j + 1) % 8 })).toEqual([
    'bijection.left-inverse',
    'bijection.right-inverse',
  ])
  // One-sided: 0 and 1 share an image, so only one of the inverses can hold.
  expect(broken(L.bijectionLaws(2), { forward: () => 0, backward: () => 0 })).toEqual([
    'bijection.injective',
    'bijection.left-inverse',
    'bijection.right-inverse',
  ])
})

describe('swizzles', () => {
  test.each([16, 32, 64, 128] as const)('Triton chunk form is the swizzle of %i bytes', (span) => {
    const apply = (b: number): number => {
      const row = Math.floor(b / span)
      const chunk = Math.floor((b % span) / 16)
      return row * span + (chunk ^ (Math.floor(row / (128 / span)) % (span / 16))) * 16 + (b % 16)
    }
    const report = L.checkLaws(L.swizzleLaws(span))({ apply, invert: apply })
    expect(report.broken).toEqual([])
    expect(report.held.map(({ method, cases }) => [method, cases])).toEqual([
      ...Array.from({ length: 7 }, () => ['exhaustion', 65536]),
      ['exhaustion', 262144],
    ])
  })

  const kit = L.swizzleLaws(128)
  const xor = (shift: number, mask: number) => (b: number) => b ^ (((b >> shift) & mask) << 4)

  test.each<readonly [name: string, apply: (b: number) => number, laws: readonly string[]]>([
    ['phase of the chunk itself', xor(4, 7), ['bijection', 'involution', 'definition']],
    ['phase of the next line', xor(8, 7), ['period', 'definition']],
    ['the pattern of 64 bytes', xor(7, 3), ['definition']],
    ['none', (b) => b, ['definition']],
    ['two 128-byte blocks exchanged', (b) => b ^ 128, ['block', 'linear', 'definition']],
    [
      'rotation instead of xor',
      (b) => b - (b % 128) + ((b + 16 * ((b >> 7) & 7)) % 128),
      ['involution', 'linear', 'definition'],
    ],
    ['bytes instead of chunks', (b) => b ^ ((b >> 7) & 7), ['chunk', 'definition']],
    ['rounded down', (b) => xor(7, 7)(b - (b % 16)), ['chunk', 'bijection', 'involution', 'definition']],
    ['16-bit addresses', (b) => xor(7, 7)(b & 0xffff), ['definition']],
  ])('wrong: %s', (_, apply, laws) => {
    expect(broken(kit, { apply })).toEqual(laws.map((law) => `swizzle.${law}`))
  })

  test('wrong: counterexamples', () => {
    expect(first(kit, { apply: xor(7, 3) })).toBe('swizzle.definition | byte 512 | 576 | 512')
    expect(first(kit, { apply: (b) => b ^ 128 })).toBe(
      'swizzle.block | byte 0 | an integer from 0 to 127 | 128',
    )
    expect(first(kit, { apply: (b) => b + 0.5 })).toBe(
      'swizzle.block | byte 0 | an integer from 0 to 127 | 0.5',
    )
    expect(first(kit, { apply: xor(4, 7) })).toBe(
      'swizzle.bijection | bytes 0 and 16 | two addresses | 0 for both',
    )
    const rotation = (b: number): number => b - (b % 128) + ((b + 16 * ((b >> 7) & 7)) % 128)
    expect(broken(kit, { apply: rotation })).toEqual([
      'swizzle.involution',
      'swizzle.linear',
      'swizzle.definition',
    ])
    expect(broken(kit, { apply: xor(7, 7), invert: (b) => b })).toEqual(['swizzle.inverse'])
    expect(broken(kit, { apply: (b) => xor(7, 7)(b) })).toEqual([])
  })
})

describe('tiles', () => {
  const kit = right(L.tileLaws([6, 8], [[3, 4], [2]]))
  const good: L.ForeignTiling = {
    tileIndex: ([i, j]) => [Math.floor(i! / 3), j! >> 2, i! % 3, (j! >> 1) & 1, j! & 1],
    untileIndex: ([p, q, r, s, t]) => [3 * p! + r!, 4 * q! + 2 * s! + t!],
    tileShape: ([m, n]) => [m! / 3, n! / 4, 3, 2, 2],
  }

  test('by hand, and wrong ones', () => {
    expect(broken(kit, good)).toEqual([])
    expect(broken(kit, { tileIndex: good.tileIndex })).toEqual([])
    expect(first(kit, { ...good, tileShape: ([m, n]) => [m! / 3, n! / 4, 3, 4] })).toBe(
      'tile.shape | the shape | [2, 2, 3, 2, 2] | [2, 2, 3, 4]',
    )
    expect(
      first(kit, { tileIndex: ([i, j]) => [i! % 3, j! >> 2, Math.floor(i! / 3), (j! >> 1) & 1, j! & 1] }),
    ).toBe('tile.range | index (2, 0) | an index of (2, 2, 3, 2, 2) | [2, 0, 0, 0, 0]')
    expect(first(kit, { tileIndex: (i) => [...good.tileIndex(i), 0] })).toBe(
      'tile.range | index (0, 0) | an index of (2, 2, 3, 2, 2) | [0, 0, 0, 0, 0, 0]',
    )
    expect(first(kit, { tileIndex: (i) => good.tileIndex(i).map((k) => -k) })).toContain('| index (0, 1) |')
    expect(first(kit, { tileIndex: (i) => good.tileIndex(i).map((k) => k / 2) })).toContain(
      'tile.range | index (0, 1) |',
    )
    const swapped = ([i, j]: readonly number[]): readonly number[] => [
      Math.floor(i! / 3),
      j! & 1,
      i! % 3,
      (j! >> 1) & 1,
      j! >> 2,
    ]
    expect(broken(kit, { ...good, tileIndex: swapped })).toEqual([
      'tile.left-inverse',
      'tile.right-inverse',
      'tile.definition',
    ])
    expect(broken(kit, { tileIndex: swapped })).toEqual(['tile.definition'])
  })

  test('a tile that does not divide has no kit', () => {
    expect(L.tileLaws([6, 8], [[4, 4]])).toMatchObject({ left: { code: 'tile.not-divisible' } })
    expect(L.tileLaws([6, 8], [])).toMatchObject({ left: { code: 'tile.empty' } })
  })
})

describe('transforms', () => {
  const list = [right(T.tile([8, 64])), right(T.transpose([1, 0, 2, 3])), right(T.swizzle(128))]
  const kit = right(L.transformLaws([16, 128], 16, list))
  // Panels of 64 columns, one behind the other.
  const good: L.ForeignTransform = {
    byteOffset: ([i, j]) => 2048 * (j! >> 6) + 128 * i! + 2 * (j! & 63),
    physicalShape: ([m, n]) => [n! / 64, m! / 8, 8, 64],
  }

  test('by hand, and wrong ones', () => {
    expect(broken(kit, good)).toEqual([])
    expect(broken(kit, { byteOffset: good.byteOffset })).toEqual([])
    expect(broken(kit, { ...good, physicalShape: () => [2, 8, 8, 64] })).toEqual([
      'transform.size',
      'transform.shape',
    ])
    expect(broken(kit, { ...good, physicalShape: () => [2, 2, 64, 8] })).toEqual(['transform.shape'])
    expect(first(kit, { byteOffset: ([i, j]) => 256 * i! + 2 * j! })).toBe(
      'transform.definition | index (0, 64) | 2048 | 128',
    )
    expect(first(kit, { byteOffset: ([i, j]) => 2048 * (j! >> 6) + 128 * i! + (j! & 63) })).toBe(
      'transform.dense | offset number 1 | 2 | 1',
    )
    expect(L.transformLaws([16, 100], 16, list)).toMatchObject({ left: { code: 'tile.not-divisible' } })
  })

  test('half bytes', () => {
    const half = right(L.transformLaws([2, 4], 4, []))
    expect(broken(half, { byteOffset: ([i, j]) => 2 * i! + (j! >> 1) })).toEqual([])
    expect(broken(half, { byteOffset: ([i, j]) => 4 * i! + j! })).toEqual([
      'transform.dense',
      'transform.definition',
    ])
  })

  test('addresses', () => {
    const ref = right(Ref.ofTransforms([16, 64], 16, [right(T.tile([8, 64])), right(T.swizzle(128))]))
    const at = right(L.refAddressLaws(ref, 1024))
    expect(broken(at, { addressOf: ([i, j]) => 1024 + 128 * i! + ((2 * j!) ^ (16 * (i! % 8))) })).toEqual([])
    expect(first(at, { addressOf: ([i, j]) => 1024 + 128 * i! + 2 * j! })).toBe(
      'ref.definition | index (1, 0) | 1168 | 1152',
    )
    expect(first(at, { addressOf: ([i, j]) => 1024 + 128 * (i! % 8) + ((2 * j!) ^ (16 * (i! % 8))) })).toBe(
      'ref.distinct | elements number 0 and 512 | two addresses | 1024 for both',
    )
    const overlapping = right(Ref.ofStrides([4, 4], 8, [1, 1]))
    expect(broken(right(L.refAddressLaws(overlapping, 0)), { addressOf: ([i, j]) => i! + j! })).toEqual([])
    expect(L.refAddressLaws({ ...ref, byteOffset: -1 }, 0)).toMatchObject({ left: { code: 'ref.offset' } })
  })
})

describe('register layouts', () => {
  const shape = [64, 16]
  const kit = right(L.registerLayoutLaws(Tiled.WGMMA, shape))
  // PTX: row 16 w + l / 4 (+ 8), column 8 j + 2 (l mod 4) + v.
  const elementOf = (w: number, l: number, r: number): readonly number[] => [
    16 * w + (l >> 2) + 8 * ((r >> 1) & 1),
    8 * (r >> 2) + 2 * (l & 3) + (r & 1),
  ]
  const ownersOf = ([i, j]: readonly number[]): readonly RL.Place[] => [
    {
      warp: i! >> 4,
      lane: 4 * (i! & 7) + ((j! & 7) >> 1),
      register: 4 * (j! >> 3) + 2 * ((i! >> 3) & 1) + (j! & 1),
    },
  ]

  test('the fragment of the PTX manual, and wrong ones', () => {
    expect(broken(kit, { elementOf, ownersOf })).toEqual([])
    expect(broken(kit, { elementOf })).toEqual([])
    expect(first(kit, { elementOf: (w, l, r) => [elementOf(w, l, r)[1]!, elementOf(w, l, r)[0]!] })).toBe(
      'registers.range | warp 1, lane 0, register 0 | an index of (64, 16) | [0, 16]',
    )
    const rowsSwapped = (w: number, l: number, r: number): readonly number[] => elementOf(w, l, r ^ 2)
    expect(broken(kit, { elementOf: rowsSwapped })).toEqual(['registers.definition'])
    expect(broken(kit, { elementOf: rowsSwapped, ownersOf })).toEqual([
      'registers.owners',
      'registers.definition',
    ])
    expect(first(kit, { elementOf: rowsSwapped, ownersOf })).toBe(
      'registers.owners | index (0, 0) | places that hold it | warp 0, lane 0, register 0, which holds (8, 0)',
    )
    expect(broken(kit, { elementOf: (w, l, r) => elementOf(w, l, r & 6) })).toEqual([
      'registers.cover',
      'registers.uniform',
      'registers.definition',
    ])
    expect(first(kit, { elementOf: (w, l, r) => elementOf(w, l, r & 6) })).toBe(
      'registers.cover | index (0, 1) | at least one place | none',
    )
    expect(first(kit, { elementOf, ownersOf: () => [] })).toBe(
      'registers.owners | index (0, 0) | 1 place(s) | 0 place(s)',
    )
    expect(broken(kit, { elementOf, ownersOf: (e) => [...ownersOf(e), ...ownersOf(e)] })).toEqual([])
    const twice = (w: number, l: number, r: number): readonly number[] =>
      w + l + r === 0 ? [0, 1] : elementOf(w, l, r)
    expect(
      broken(L.anyRegisterLayoutLaws(shape, { warps: 4, lanes: 32, registers: 8 }), { elementOf: twice }),
    ).toEqual(['registers.cover', 'registers.uniform'])
  })

  test('replicated elements, splats, shapes that are not described', () => {
    const row = right(L.registerLayoutLaws(Tiled.WGMMA_ROW, [64]))
    const rowOf = (w: number, l: number, r: number): readonly number[] => [16 * w + (l >> 2) + 8 * r]
    expect(broken(row, { elementOf: rowOf })).toEqual([])
    const four = ([i]: readonly number[]): readonly RL.Place[] =>
      [0, 1, 2, 3].map((c) => ({ warp: i! >> 4, lane: 4 * (i! & 7) + c, register: (i! >> 3) & 1 }))
    expect(broken(row, { elementOf: rowOf, ownersOf: four })).toEqual([])
    expect(broken(row, { elementOf: rowOf, ownersOf: (e) => four(e).slice(1) })).toEqual(['registers.owners'])
    const splat = right(L.registerLayoutLaws(splatLayout([4, 4]), [4, 4]))
    expect(broken(splat, { elementOf: () => [0, 0] })).toEqual([])
    expect(splat.laws).toHaveLength(1)
    expect(L.registerLayoutLaws(Tiled.WGMMA, [60, 16])).toMatchObject({ left: { code: 'layout.shape' } })
  })
})

describe('linear layouts', () => {
  const layout = right(
    Linear.linearLayout({
      inputs: [
        {
          name: 'lane',
          bases: [
            [0, 1],
            [1, 1],
            [0, 2],
          ],
        },
        { name: 'warp', bases: [[2, 0]] },
      ],
      outputs: [
        { name: 'i', size: 4 },
        { name: 'j', size: 4 },
      ],
    }),
  )
  const kit = L.linearLayoutLaws(layout)
  const bit = (x: number, k: number): number => (x >> k) & 1
  const apply = ({ lane = 0, warp = 0 }: L.Coordinates): readonly number[] => [
    bit(lane, 1) + 2 * warp,
    (bit(lane, 0) ^ bit(lane, 1)) + 2 * bit(lane, 2),
  ]
  const invert = ([i = 0, j = 0]: readonly number[]): L.Coordinates => ({
    lane: (bit(j, 0) ^ bit(i, 0)) + 2 * bit(i, 0) + 4 * bit(j, 1),
    warp: bit(i, 1),
  })
  const compose: L.ForeignLinearLayout['compose'] = (outer) => (x) => {
    const [i, j] = apply(x)
    return Linear.apply(outer)({ i: i!, j: j! })
  }

  test('by hand, and wrong ones', () => {
    expect(L.checkLaws(kit)({ apply, invert, compose })).toEqual({
      kit: 'linear layout onto (4, 4)',
      held: [
        { law: 'linear.range', method: 'exhaustion', cases: 16 },
        { law: 'linear.xor', method: 'exhaustion', cases: 16 },
        { law: 'linear.inverse', method: 'exhaustion', cases: 16 },
        { law: 'linear.compose', method: 'property', cases: 1000 },
        { law: 'linear.definition', method: 'exhaustion', cases: 16 },
      ],
      broken: [],
    })
    const added = ({ lane = 0, warp = 0 }: L.Coordinates): readonly number[] => [
      bit(lane, 1) + 2 * warp,
      (bit(lane, 0) + bit(lane, 1) + 2 * bit(lane, 2)) % 4,
    ]
    expect(first(kit, { apply: added })).toBe('linear.xor | lane 3, warp 0 | [1, 0] | [1, 2]')
    expect(broken(kit, { apply: added })).toEqual(['linear.xor', 'linear.definition'])
    expect(first(kit, { apply: (x) => apply(x).map((v) => 2 * v) })).toBe(
      'linear.range | lane 4, warp 0 | an index of (4, 4) | [0, 4]',
    )
    expect(first(kit, { apply: (x) => apply(x).map((v) => v ^ 1) })).toBe(
      'linear.xor | lane 0, warp 0 | [0, 0] | [1, 1]',
    )
    expect(broken(kit, { apply: ({ lane = 0, warp = 0 }) => [bit(lane, 0) + 2 * warp, lane >> 1] })).toEqual([
      'linear.definition',
    ])
    expect(first(kit, { apply, invert: ([i = 0, j = 0]) => ({ lane: j, warp: i }) })).toBe(
      'linear.inverse | lane 2, warp 0 | lane 2, warp 0 | lane 1, warp 1',
    )
    expect(broken(kit, { apply, compose: () => apply })).toEqual(['linear.compose'])
    expect(
      broken(kit, {
        apply,
        compose: (outer) => (x) => [...Linear.apply(outer)({ i: apply(x)[1]!, j: apply(x)[0]! })],
      }),
    ).toEqual(['linear.compose'])
  })

  test('one that cannot be inverted is not asked to be; one without a definition', () => {
    const half = right(
      Linear.linearLayout({ inputs: [{ name: 'x', bases: [[1], [1]] }], outputs: [{ name: 'i', size: 2 }] }),
    )
    const parity = ({ x = 0 }: L.Coordinates): readonly number[] => [bit(x, 0) ^ bit(x, 1)]
    expect(broken(L.linearLayoutLaws(half), { apply: parity, invert: () => ({ x: 0 }) })).toEqual([])
    const any = L.anyLinearLayoutLaws({ inputs: [{ name: 'x', bits: 2 }], outputs: [{ name: 'i', bits: 1 }] })
    expect(broken(any, { apply: parity })).toEqual([])
    expect(broken(any, { apply: parity, invert: () => ({ x: 0 }) })).toEqual(['linear.inverse'])
    expect(broken(any, { apply: ({ x = 0 }) => [x === 3 ? 1 : 0] })).toEqual(['linear.xor'])
  })

  test('large ones are drawn', () => {
    const wide = L.anyLinearLayoutLaws({
      inputs: [
        { name: 'x', bits: 10 },
        { name: 'y', bits: 10 },
      ],
      outputs: [{ name: 'i', bits: 11 }],
    })
    const report = L.checkLaws(wide)({ apply: ({ x = 0, y = 0 }) => [x ^ (2 * y)] })
    expect(report.held.map(({ method }) => method)).toEqual(['property', 'property', 'absent', 'absent'])
    // What is drawn shrinks towards few bits: carries need a bit that x and 2y share.
    expect(broken(wide, { apply: ({ x = 0, y = 0 }) => [(x + 2 * y) % 2048] })).toEqual(['linear.xor'])
  })
})

test('shape:stride layouts', () => {
  const kit = L.cuteLayoutLaws(right(Cute.layout([4, [2, 2]], [2, [1, 8]])))
  const at = (i: number): number => 2 * (i % 4) + ((i >> 2) % 2) + 8 * (i >> 3)
  expect(broken(kit, { at, size: () => 16, cosize: () => 16 })).toEqual([])
  expect(broken(kit, { at })).toEqual([])
  expect(broken(kit, { at, size: () => 15, cosize: () => 15 })).toEqual(['cute.size', 'cute.cosize'])
  expect(first(kit, { at: (i) => at(i % 16) })).toBe('cute.definition | coordinate 16 | 16 | 0')
})
