/** Coalescing, composition, complement and the inverses: exhausted on small layouts, against tables computed by loops. */
import { expect, test } from 'vitest'
import { coalesce, coalesceBy, coalesceOpen, fromFlat } from '../../../src/layouts/cute/coalesce.js'
import { assemble, directions } from '../../../src/layouts/cute/codomain.js'
import { complement } from '../../../src/layouts/cute/complement.js'
import { composition } from '../../../src/layouts/cute/composition.js'
import { coordinateAt } from '../../../src/layouts/cute/coordinate.js'
import { compatible, sizes } from '../../../src/layouts/cute/int-tuple.js'
import {
  leftInverse,
  maxCommonLayout,
  maxCommonVector,
  rightInverse,
} from '../../../src/layouts/cute/inverse.js'
import type { Layout } from '../../../src/layouts/cute/layout.js'
import {
  at,
  cosize,
  equals,
  evaluate,
  flatModes,
  fromModes,
  identityLayout,
  rank,
} from '../../../src/layouts/cute/layout.js'
import { parseTiler, showLayout } from '../../../src/layouts/cute/text.js'
import { allLayouts, extent, failing, image, L, range, same, text, values } from './readers.js'
import * as E from 'fp-ts/lib/Either.js'
import { code, right } from '../../either.js'

const two = allLayouts(2, [1, 2, 3, 4], range(9))
const three = allLayouts(3, [2, 3], [0, 1, 2, 6])
const small = [...two, ...three]
const distinct = (xs: readonly number[]): number => new Set(xs).size

const message = (e: E.Either<{ readonly message: string }, unknown>): string =>
  E.isLeft(e) ? e.left.message : ''

// ------------------------------------------------------------------------------------------- coalesce

test('coalesce, laws 1 and 2: the same function, and nothing left to merge', () => {
  const shortest = (l: Layout): boolean => {
    const c = coalesce(l)
    const modes = flatModes(c)
    return (
      same(image(c), image(l)) &&
      equals(coalesce(c), c) &&
      (modes.length === 1 || modes.every((mode) => mode.shape > 1)) &&
      modes.slice(1).every((mode, k) => mode.stride !== modes[k]!.shape * Number(modes[k]!.stride))
    )
  }
  expect(failing([...small, ...allLayouts(2, [1, 2, 3], [-2, -1, 1])], shortest, showLayout)).toEqual([])
})

test('coalesce: worked examples', () => {
  for (const [from, to] of [
    ['(2,(1,6)):(1,(6,2))', '12:1'],
    ['(2,1,6,1):(1,7,8,57)', '(2,6):(1,8)'],
    ['((2,2),(2,2)):((1,4),(8,32))', '(2,4,2):(1,4,32)'],
    ['((16,4),128):((1@0,16@0),1@1)', '(64,128):(1@0,1@1)'],
    ['(4,4):(1@0,4@1)', '(4,4):(1@0,4@1)'],
    ['(1,1):(3,4)', '1:4'],
    ['1:1', '1:1'],
    ['(1):(5)', '1:5'],
    ['():()', '():()'],
    ['(2,3,4):(0,0,0)', '24:0'],
  ] as const)
    expect(showLayout(coalesce(L(from)))).toBe(to)
  expect(showLayout(fromFlat([]))).toBe('():()')
})

test('coalesce, law 3: by profile', () => {
  const l = L('((2,(2,1)),(3,4)):((1,(2,7)),(4,12))')
  expect(text(coalesceBy(l, [1, 1]))).toBe('(4,12):(1,4)')
  expect(text(coalesceBy(l, 1))).toBe('48:1')
  expect(text(coalesceBy(l, [1]))).toBe('(4,(3,4)):(1,(4,12))')
  expect(text(coalesceBy(l, [[1, 1], 1]))).toBe('((2,2),12):((1,2),4)')
  expect(text(coalesceBy(l, []))).toBe(showLayout(l))
  expect(text(coalesceBy(L('1:0'), [1]))).toBe('(1):(0)')
  expect(code(coalesceBy(l, [1, 1, 1]))).toBe('cute.mode')
  expect(code(coalesceBy(l, [[1, 1, 1]]))).toBe('cute.mode')
})

test('coalesce, law 4: the open form is the same function on all integers', () => {
  const unbounded = (l: Layout): boolean => {
    const open = coalesceOpen(l)
    return same(image(fromFlat(open), 30), image(l, 30)) && open.slice(0, -1).every((mode) => mode.shape > 1)
  }
  expect(failing([...small, ...allLayouts(3, [1, 2], [1, 2, 3])], unbounded, showLayout)).toEqual([])
  expect(coalesceOpen(L('(4,3,1):(3,1,0)'))).toHaveLength(3)
  expect(coalesceOpen(L('(4,1):(1,4)'))).toEqual([{ shape: 4, stride: 1 }])
})

// ---------------------------------------------------------------------------------------- composition

test('composition, law 1: A(B(i)), and which are refused', () => {
  let refused = 0
  const wrong: string[] = []
  for (const b of allLayouts(1, [1, 2, 3, 4, 6], [0, 1, 2, 3, 4, 8])) {
    const bs = image(b)
    for (const a of two) {
      const r = composition(a, b)
      if (E.isLeft(r)) refused++
      else if (!same(image(r.right), values(a, bs)) || !compatible(b.shape, r.right.shape))
        wrong.push(`${showLayout(a)} o ${showLayout(b)} = ${showLayout(r.right)}`)
    }
  }
  expect(wrong).toEqual([])
  expect(refused).toBe(6824)
})

test('composition, law 1: through three modes, and over nested right layouts', () => {
  for (const a of [
    L('(4,6,8,10):(2,3,5,7)'),
    L('((2,2),(3,4)):((6,1),(40,2))'),
    L('(2,3,1):(5,1,100)'),
    L('(4,2):(-1,9)'),
  ])
    for (const b of [
      '6:12',
      '(2,3):(1,4)',
      '((2,2),3):((2,4),8)',
      '(3,(2,2)):(8,(1,2))',
      '(12):(2)',
      '24:0',
      '(2,2):(24,48)',
    ].map(L)) {
      const r = composition(a, b)
      if (E.isRight(r)) {
        expect(compatible(b.shape, r.right.shape)).toBe(true)
        expect(image(r.right)).toEqual(values(a, image(b)))
      }
    }
})

test('composition: worked examples and the table of differences', () => {
  for (const [a, b, r] of [
    ['(4,3):(3,1)', '6:2', '(2,3):(6,1)'],
    ['(4,3):(3,1)', '(6,2):(2,1)', '((2,3),2):((6,1),3)'],
    ['(4,3):(3,1)', '(6):(2)', '((2,3)):((6,1))'],
    ['(8,8):(8,1)', '2:3', '2:24'],
    ['(8,8):(8,1)', '3:3', '3:24'],
    ['(8,8):(8,1)', '4:3', 'cute.composition-divides'],
    ['(8,8):(8,1)', '2:12', 'cute.composition-divides'],
    ['(8,8):(8,1)', '12:1', 'cute.composition-divides'],
    ['1:1', '4:1', '4:1'],
    ['1:0', '4:1', '4:0'],
    ['64:4096', '1:1', '1:4096'],
    ['(8,8):(512,64)', '1:128', '1:1024'],
    ['(8,8):(512,64)', '1:12', '1:128'],
    ['(4,3,1):(3,1,0)', '24:1', '(4,3,2):(3,1,0)'],
    ['(4,6,8,10):(2,3,5,7)', '6:12', '(2,3):(9,5)'],
    ['((4,2)):((1,16))', '(4,2):(2,1)', '((2,2),2):((2,16),1)'],
    ['4:-1', '4:1', '4:-1'],
    ['(4,3):(3,1)', '6:-2', '(2,3):(-6,-1)'],
    ['():()', '3:2', '3:0'],
    ['(4,4):(4,1)', '(4,4):(1@1,1@0)', '(4,4):(1,4)'],
    ['(4,(2,3)):(6,(3,1))', '(2,4):(1@1@1,1@0)', '(2,4):(1,6)'],
    ['(128,64):(1@1,1@0)', '2:64@0', '2:64@1'],
    ['(4,4):(4,1)', '4:1@2', 'cute.composition-mode'],
    ['(4,4):(4,1)', '[2:1;4:1]', '(2,4):(4,1)'],
    ['(4,8):(1,4)', '[(2,4):(1,2)]', '((2,4)):((1,2))'],
    ['(4,8):(1,4)', '[_;[2:1]]', '(4,(2)):(1,(4))'],
    ['(4,8):(1,4)', '_', '(4,8):(1,4)'],
    ['(4,8):(1,4)', '[4:1;8:1;_]', 'cute.composition-mode'],
    ['(4,8):(1,4)', '[_;[2:1;2:1]]', 'cute.composition-mode'],
    ['((8,8),4):((8,1),64)', '[4:3;_]', 'cute.composition-divides'],
  ] as const)
    expect(text(composition(L(a), right(parseTiler(b)))), `${a} o ${b}`).toBe(r)
  const reason = (a: string, b: string): string => message(composition(L(a), L(b)))
  expect(reason('(8,8):(8,1)', '4:3')).toContain('mode 0')
  expect(reason('(8,8):(8,1)', '4:3')).toContain('the stride does not divide 8')
  expect(reason('(8,8):(8,1)', '2:12')).toContain('8 does not divide the stride')
  expect(reason('(8,8):(8,1)', '12:1')).toContain('the 8 that fit do not divide 12')
  expect(reason('(2,4,5):(9,30,1)', '(2,3):(1,6)')).toContain('mode 1')
  expect(reason('(4,4):(4,1)', '4:1@2')).toContain('mode 2')
})

test('composition, law 2: associative where both sides exist', () => {
  const some = [...two.filter((_, k) => k % 29 === 0), ...allLayouts(1, [2, 4, 6], [1, 2, 3, 4])]
  let met = 0
  const wrong: string[] = []
  for (const a of some)
    for (const b of some.filter((_, k) => k % 3 === 0))
      for (const c of allLayouts(1, [2, 4], [1, 2, 3])) {
        const ab = composition(a, b)
        const bc = composition(b, c)
        if (E.isLeft(ab) || E.isLeft(bc)) continue
        // (A o B) o C looks at A o B past its size, where it need not be A(B(i)).
        if (Math.max(...image(c)) >= extent(b)) continue
        const left = composition(ab.right, c)
        const rightSide = composition(a, bc.right)
        if (E.isLeft(left) || E.isLeft(rightSide)) continue
        met++
        if (!same(image(left.right), image(rightSide.right)))
          wrong.push([a, b, c].map(showLayout).join(' o '))
      }
  expect(wrong).toEqual([])
  expect(met).toBeGreaterThan(300)
})

test('composition, law 3: the integers are neutral', () => {
  const neutral = (a: Layout): boolean =>
    same(image(right(composition(a, L(`${String(extent(a))}:1`)))), image(a)) &&
    equals(right(composition(L('1:1'), a)), a)
  expect(failing(two, neutral, showLayout)).toEqual([])
})

// ----------------------------------------------------------------------------------------- complement

/** Modes that reach somewhere, by stride: (extent, stride). */
const reaching = (l: Layout): readonly (readonly [number, number])[] =>
  flatModes(l)
    .filter((mode) => mode.shape > 1 && mode.stride !== 0)
    .map((mode) => [mode.shape, Number(mode.stride)] as const)
    .sort((a, b) => a[1] - b[1])

test('complement, laws 1 to 3, for every layout of two modes', () => {
  const lawful = (a: Layout, m: number): boolean => {
    const r = complement(a, m)
    const modes = reaching(a)
    const overlap = modes.some(([s, d], k) => k + 1 < modes.length && modes[k + 1]![1] < s * d)
    if (overlap || E.isLeft(r)) return overlap && code(r) === 'cute.overlap'
    const stars = image(r.right)
    const sums = new Set<number>()
    const as = new Set(image(a))
    for (const x of as) for (const y of stars) sums.add(x + y)
    const top = Math.max(...sums) + 1
    const end = modes.reduce((e, [s, d]) => Math.max(e, s * d), 1)
    let from = 1
    const divides = modes.every(([s, d]) => {
      const fits = d % from === 0
      from = s * d
      return fits
    })
    return (
      stars.every((y, i) => i === 0 || y > stars[i - 1]!) &&
      sums.size === as.size * stars.length &&
      Math.max(...stars) < Math.ceil(m / end) * end &&
      // With gaps that divide: no offset is left out, M is reached, and not by a tile too many.
      (!divides || (top === sums.size && top >= m && top - end < m))
    )
  }
  for (const m of [1, 5, 24]) expect(failing(small, (a) => lawful(a, m), showLayout)).toEqual([])
})

test('complement, law 4: of the complement', () => {
  for (const [a, m] of [
    ['(2,2):(1,6)', 24],
    ['4:2', 16],
    ['(3,5):(20,2)', 120],
    ['12:2', 24],
  ] as const) {
    const star = right(complement(L(a), m))
    const back = right(complement(star, m))
    const whole = (l: Layout): readonly number[] => [...image(l)].sort((x, y) => x - y)
    expect(whole(back)).toEqual(whole(L(a)))
  }
})

test('complement: worked examples', () => {
  for (const [a, m, star] of [
    ['(2,2):(1,6)', 24, '(3,2):(2,12)'],
    ['(2,4,8):(8,1,0)', 460, '(2,29):(4,16)'],
    ['(4,2):(1,10)', 14, '2:4'],
    ['(4,2):(1,10)', 41, '(2,3):(4,20)'],
    ['3:1', 3, '1:3'],
    ['1:2', 1, '1:1'],
    ['4:0', 1, '1:1'],
    ['():()', 128, '128:1'],
    ['(3,(5,2)):(1,(3,15))', [6, 20], '4:30'],
    ['(2,2):(1,1)', 8, 'cute.overlap'],
    ['(3,2):(1,2)', 8, 'cute.overlap'],
    ['4:-1', 8, 'cute.negative-stride'],
    ['(1,4):(-1,1)', 8, '2:4'],
    ['(4,3):(1@0,1@1)', 120, '10:3@1'],
    ['(4,3):(2@0,1@1)', 48, '(2,2):(1@0,3@1)'],
    ['2:64@0', [128, 64], '(64,64):(1@0,1@1)'],
    ['(2,3):(1@0,2@1@1)', [8, [3, 12]], '(4,3,2,2):(2@0,1@0@1,1@1@1,6@1@1)'],
    ['2:4@1', [3, [4, 8]], '(3,4,4):(1@0,1@1,8@1)'],
  ] as const)
    expect(text(complement(L(a), m)), `${a} in ${String(m)}`).toBe(star)
  expect(message(complement(L('(3,2):(1,2)'), 8))).toContain('2:2 starts below 3')
  expect(message(complement(L('(2,4):(1,-1)'), 8))).toContain('Mode 1 has the stride -1')
})

test('complement: in a codomain of coordinates, every cell once', () => {
  const a = L('(2,3):(1@0,2@1)')
  const star = right(complement(a, [4, 6]))
  const cells = new Set<string>()
  const both = fromModes([a, star])
  for (let i = 0; i < 24; i++) cells.add(JSON.stringify(at(both, i)))
  expect(cells.size).toBe(24)
  expect([...cells].map((cell) => JSON.parse(cell)).every(([x, y]) => x < 4 && y < 6)).toBe(true)
})

// -------------------------------------------------------------------------------------------- inverses

test('right inverse, law 1: every small layout', () => {
  const lawful = (a: Layout): boolean => {
    const r = right(rightInverse(a))
    const n = extent(r)
    return (
      same(values(a, image(r)), range(n)) &&
      // No inverse is longer: the next offset is not in the image.
      (distinct(image(a)) < extent(a) || !image(a).includes(n))
    )
  }
  expect(failing(small, lawful, showLayout)).toEqual([])
})

test('left inverse, law 2: every small layout, and which are refused', () => {
  const tally = { undone: 0, divides: 0, overlap: 0 }
  const lawful = (a: Layout): boolean => {
    const l = leftInverse(a)
    const modes = reaching(a)
    const even = modes.every(([, d], k) => k + 1 === modes.length || modes[k + 1]![1] % d === 0)
    const injective = distinct(image(a)) === extent(a)
    tally[E.isRight(l) ? 'undone' : even ? 'overlap' : 'divides']++
    if (E.isLeft(l))
      return l.left.code === (even ? 'cute.inverse-overlap' : 'cute.inverse-divides') && !(even && injective)
    const back = values(l.right, image(a))
    return even && (injective ? same(back, range(extent(a))) : same(values(a, back), image(a)))
  }
  expect(failing(small, lawful, showLayout)).toEqual([])
  expect(tally).toEqual({ undone: 1370, divides: 288, overlap: 150 })
})

test('law 3: the inverses agree on bijections', () => {
  const onto = small.filter(
    (a) => Math.max(...image(a)) + 1 === extent(a) && distinct(image(a)) === extent(a),
  )
  expect(onto.length).toBeGreaterThan(50)
  for (const a of onto) expect(image(right(leftInverse(a)))).toEqual(image(right(rightInverse(a))))
})

test('inverses: worked examples and the tables of differences', () => {
  for (const [a, l] of [
    ['4:2', '(2,4):(0,1)'],
    ['(4,2):(1,5)', '(5,2):(1,4)'],
    ['(4,2):(1,16)', '(16,2):(1,4)'],
    ['(2,4,8):(32,0,2)', '(2,16,2):(0,8,1)'],
    ['(32,3,8):(65536,512,1)', '(512,128,32):(96,32,1)'],
    ['((2,4),(3,5)):((4,1),(2,8))', '(2,2,2,5):(2,8,1,24)'],
    ['(1,1):(0,0)', '1:0'],
    ['1:4', '1:0'],
    ['():()', '1:0'],
    ['(2,3):(0,1@0)', '(3):(2)'],
    ['(4,5):(2@0,2@1)', '((2,4),(2,5)):((0,1),(0,4))'],
    ['(4,5):(1@1,1@1@4)', '(1,4,1,1,(1,5)):(0,1,0,0,(0,4))'],
    ['(((16,4),64),1,1):(((1@1,32@1),2@0),0,0)', '((2,64),(32,4)):((0,64),(1,16))'],
    ['((4,8),(2,2)):((2@1,1@0),(1@1,8@0))', '((8,2),(2,4)):((4,64),(32,1))'],
    ['(2,2):(2,3)', 'cute.inverse-divides'],
    ['(2,3):(2,1)', 'cute.inverse-overlap'],
    ['(3,2):(1,2)', '(2,2):(1,3)'],
    ['(2,2,2):(1,3,1)', '(3,2):(4,2)'],
    ['(2,2):(2@1,3@1)', 'cute.inverse-divides'],
    ['(4,2):(1,-4)', 'cute.negative-stride'],
    ['(1,4):(-4,1)', '4:1'],
  ] as const)
    expect(text(leftInverse(L(a))), a).toBe(l)
  expect(message(leftInverse(L('(2,2):(2@1,3@1)')))).toContain('at mode 1 of the codomain')
  expect(message(leftInverse(L('(2,2):(2,3)')))).toContain(
    'The stride 2 does not divide the next larger one;',
  )
  expect(message(leftInverse(L('(2,3):(2,1)')))).toContain('overlap:')
  for (const [a, r] of [
    ['(2,4,4,6):(4,1,0,8)', '(4,2,6):(2,1,32)'],
    ['(32,128):(0,1)', '128:32'],
    ['(2,4,6):(4,1,8)', '(4,2,6):(2,1,8)'],
    ['(4,2):(1,5)', '4:1'],
    ['(128,128):(65536,1)', '128:128'],
    ['(2,4):(1,1)', '2:1'],
    ['4:2', '1:0'],
    ['():()', '1:0'],
    ['(4,5):(2@0,2@1)', '(1,1):(0,0)'],
    ['(2,3):(0,1@0)', '(3):(2)'],
    ['(4,5):(1@0,1@1)', '(4,5):(1,4)'],
    ['((2,2,2),(2,2,2)):((1@0,2@1,5@0),(1@1,2@0,4@1))', '((2,2),(2,2,2)):((1,16),(8,2,32))'],
    ['4:-1', 'cute.negative-stride'],
  ] as const)
    expect(text(rightInverse(L(a))), a).toBe(r)
})

test('inverses of coordinate layouts: laws 1 and 2', () => {
  for (const a of [
    '(4,5):(1@1,1@0)',
    '((4,2),4):((1@1,4@0),1@0)',
    '((2,2,2),(2,2,2)):((1@0,2@1,4@0),(1@1,2@0,4@1))',
    '(4,(2,3)):(1@0,(1@0@1,1@1@1))',
  ].map(L)) {
    const r = right(rightInverse(a))
    const l = right(leftInverse(a))
    // What a mode of r has nested is one coordinate of the codomain, unless the codomain nests too.
    const profile = rank(a) === 2 && showLayout(a).includes('@0@') ? r.shape : sizes(r.shape)
    for (const [i, x] of image(r).entries()) expect(at(a, x)).toEqual(coordinateAt(profile, i))
    for (let i = 0; i < extent(a); i++) expect(right(evaluate(l, at(a, i)))).toBe(i)
  }
  expect(text(rightInverse(identityLayout([4, [2, 3]])))).toBe('(4,(2,3)):(1,(4,8))')
})

test('codomains: directions, and putting them together', () => {
  expect(right(directions(L('((4,2),4):((1@1,4@0),1@0)')))).toEqual([
    { path: [1], modes: [{ shape: 4, stride: 1, source: 1 }] },
    {
      path: [0],
      modes: [
        { shape: 4, stride: 1, source: 8 },
        { shape: 2, stride: 4, source: 4 },
      ],
    },
  ])
  expect(right(directions(L('(1,4):(7,0)')))).toEqual([{ path: [], modes: [] }])
  expect(right(directions(L('(2,1,3):(4,-1,4)')))).toEqual([
    {
      path: [],
      modes: [
        { shape: 2, stride: 4, source: 1 },
        { shape: 3, stride: 4, source: 2 },
      ],
    },
  ])
  expect(
    showLayout(
      assemble([
        { path: [2], layout: L('3:1') },
        { path: [0, 1], layout: L('(2,2):(4,1)') },
      ]),
    ),
  ).toBe('((1,(2,2)),1,3):((0,(4,1)),0,1)')
})

test('common vectors: consecutive in both', () => {
  for (const [a, b, n] of [
    ['(8,4):(1,8)', '(8,4):(1,8)', 32],
    ['(8,4):(1,8)', '(8,4):(4,1)', 1],
    ['(8,4):(1,16)', '(8,4):(1,8)', 8],
    ['(8,4):(4,1)', '(8,4):(4,1)', 32],
    ['(8,4):(2,16)', '(8,4):(1,8)', 1],
    ['(4,2,4):(1,16,4)', '(4,8):(1,4)', 4],
    ['(8,4):(1,8)', '4:2', 1],
  ] as const)
    expect(right(maxCommonVector(L(a), L(b))), `${a} and ${b}`).toBe(n)
  expect(text(maxCommonLayout(L('(8,4):(4,1)'), L('(8,4):(4,1)')))).toBe('(4,8):(8,1)')
  expect(text(maxCommonLayout(L('(8,4):(1,8)'), L('(8,4):(4,1)')))).toBe('1:0')
  expect(code(maxCommonLayout(L('4:1'), L('4:-1')))).toBe('cute.negative-stride')
  expect(code(maxCommonVector(L('4:1'), L('4:-1')))).toBe('cute.negative-stride')
  // A composition that does not exist has no common part.
  expect(text(maxCommonLayout(L('(4,3):(1,5)'), L('(6,2):(2,1)')))).toBe('1:0')
  for (const a of two.filter((_, k) => k % 17 === 0))
    for (const b of two.filter((_, k) => k % 19 === 0)) {
      const common = right(maxCommonLayout(a, b))
      const numbers = range(extent(common))
      if (!same(values(a, image(common)), numbers) || !same(values(b, image(common)), numbers))
        expect.fail(`${showLayout(a)} and ${showLayout(b)}`)
    }
})

test('the sizes of results stay small where they must', () => {
  for (const a of two) expect(rank(coalesce(a))).toBeLessThanOrEqual(2)
  expect(cosize(right(complement(L('12:2'), 128)))).toBe(122)
})
