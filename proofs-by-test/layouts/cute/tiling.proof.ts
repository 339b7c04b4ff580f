/** Division, products and recasting. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { composition } from '../../../src/layouts/cute/composition.js'
import { flatDivide, logicalDivide, tiledDivide, zippedDivide } from '../../../src/layouts/cute/divide.js'
import type { Layout } from '../../../src/layouts/cute/layout.js'
import { equals, flatModes, modes, size } from '../../../src/layouts/cute/layout.js'
import {
  blockedProduct,
  flatProduct,
  logicalProduct,
  rakedProduct,
  tiledProduct,
  tileToShape,
  zippedProduct,
} from '../../../src/layouts/cute/product.js'
import { downcast, recast, recastFactors, upcast } from '../../../src/layouts/cute/recast.js'
import { parseTiler, showLayout } from '../../../src/layouts/cute/text.js'
import { full, tile } from '../../../src/layouts/cute/tiler.js'
import type { Tiler } from '../../../src/layouts/cute/tiler.js'
import { allLayouts, extent, failing, image, L, same, text, value } from './readers.js'
import { code, right } from '../../either.js'

const T = (t: string): Tiler => right(parseTiler(t))
const sorted = (xs: readonly number[]): readonly number[] => [...xs].sort((a, b) => a - b)

test('division: the four forms', () => {
  const forms = (a: string, by: string): readonly string[] =>
    [logicalDivide, zippedDivide, tiledDivide, flatDivide].map((f) => text(f(L(a), T(by))))
  expect(forms('(6,8):(8,1)', '[3:1;4:1]')).toEqual([
    '((3,2),(4,2)):((8,24),(1,4))',
    '((3,4),(2,2)):((8,1),(24,4))',
    '((3,4),2,2):((8,1),24,4)',
    '(3,4,2,2):(8,1,24,4)',
  ])
  expect(forms('(6,8):(8,1)', '(3,4):(1,3)')).toEqual([
    '((3,(2,2)),4):((8,(24,1)),2)',
    '((3,(2,2)),4):((8,(24,1)),2)',
    '((3,(2,2)),4):((8,(24,1)),2)',
    '(3,(2,2),4):(8,(24,1),2)',
  ])
  // A mode that is not named goes whole to the rests; under _ it brings its own tile and rest.
  expect(forms('(8,32):(1,8)', '[4:1]')).toEqual([
    '((4,2),32):((1,4),8)',
    '((4),(2,32)):((1),(4,8))',
    '((4),2,32):((1),4,8)',
    '(4,2,32):(1,4,8)',
  ])
  expect(forms('((2,(128,16)),(2,4,2)):((1,(2,256)),(4096,8192,32768))', '[_;[2:1;1:1]]')).toEqual([
    '((2,(128,16)),((2,1),(1,4),2)):((1,(2,256)),((4096,8192),(8192,8192),32768))',
    '((2,(2,1)),((128,16),(1,4,2))):((1,(4096,8192)),((2,256),(8192,8192,32768)))',
    '((2,(2,1)),(128,16),(1,4,2)):((1,(4096,8192)),(2,256),(8192,8192,32768))',
    '(2,(2,1),(128,16),(1,4,2)):(1,(4096,8192),(2,256),(8192,8192,32768))',
  ])
  expect(forms('(128,64):(1@1,1@0)', '2:64@0')[1]).toBe('(2,(64,64)):(64@1,(1@1,1@0))')
  expect(forms('((8,8),(8,8),1):((512,64),(1,8),4096)', '[[128:1];[128:1]]')[2]).toBe(
    '(((128),(128)),(1,8),(1,8),1):(((512),(1)),(65536,64),(128,8),4096)',
  )
})

test('division: what does not fit is refused', () => {
  const a = L('(6,8):(8,1)')
  for (const f of [logicalDivide, zippedDivide, tiledDivide, flatDivide]) {
    expect(code(f(a, T('[3:1;4:1;_]')))).toBe('cute.tile-modes')
    expect(code(f(a, T('2:4')))).toBe('cute.composition-divides')
    expect(code(f(L('(4,9):(9,1)'), T('2:9')))).toBe('cute.composition-divides')
    expect(code(f(a, T('(2,2):(1,1)')))).toBe('cute.overlap')
    expect(code(f(L('((2,3),8):((24,8),1)'), T('[3:1]')))).toBe('cute.composition-divides')
  }
  expect(text(logicalDivide(a, full))).toBe('(6,8):(8,1)')
  expect(code(zippedDivide(a, T('[3:1;_]')))).toBe('cute.tile-modes')
  expect(text(zippedDivide(a, full))).toBe('(6,8):(8,1)')
  expect(code(zippedDivide(L('(2,3,4):(1,2,6)'), full))).toBe('cute.tile-modes')
})

test('division, laws 1 to 3, for tiles of whole layouts and of modes', () => {
  const as = allLayouts(2, [2, 4, 6], [1, 5, 12])
  const bs: readonly Tiler[] = [
    ...allLayouts(1, [1, 2, 4], [1, 2]),
    L('(2,2):(1,4)'),
    ...['[2:1]', '[2:1;2:1]', '[2:2;2:1]', '[(2,1):(1,2);4:1]'].map(T),
  ]
  let met = 0
  const wrong: string[] = []
  for (const a of as)
    for (const by of bs) {
      const zipped = zippedDivide(a, by)
      if (E.isLeft(zipped)) continue
      met++
      const inside = modes(zipped.right)[0]!
      const leaves = JSON.stringify(flatModes(zipped.right))
      const others = [tiledDivide, flatDivide].map((f) => JSON.stringify(flatModes(right(f(a, by)))))
      const ok =
        equals(inside, right(composition(a, by))) &&
        others.every((other) => other === leaves) &&
        flatModes(right(logicalDivide(a, by))).length === flatModes(zipped.right).length &&
        (extent(zipped.right) > size(a) || same(sorted(image(zipped.right)), sorted(image(a))))
      if (!ok) wrong.push(showLayout(a))
    }
  expect(wrong).toEqual([])
  expect(met).toBeGreaterThan(300)
})

test('products: the forms', () => {
  const forms = (a: string, by: string): readonly string[] =>
    [logicalProduct, zippedProduct, tiledProduct, flatProduct].map((f) => text(f(L(a), T(by))))
  expect(forms('(3,4):(4,1)', '(2,5):(1,2)')).toEqual([
    '((3,4),(2,5)):((4,1),(12,24))',
    '((3,4),(2,5)):((4,1),(12,24))',
    '((3,4),2,5):((4,1),12,24)',
    '(3,4,2,5):(4,1,12,24)',
  ])
  expect(forms('(3,4):(1,3)', '[2:1;3:1]')).toEqual([
    '((3,2),(4,3)):((1,3),(3,1))',
    '((3,4),(2,3)):((1,3),(3,1))',
    '((3,4),2,3):((1,3),3,1)',
    '(3,4,2,3):(1,3,3,1)',
  ])
  expect(forms('(3,4):(1,3)', '[2:1]')[1]).toBe('((3),(2,4)):((1),(3,3))')
  expect(text(logicalProduct(L('(2,2):(4,1)'), L('6:1')))).toBe('((2,2),(2,3)):((4,1),(2,8))')
  expect(text(logicalProduct(L('3:2'), L('4:1')))).toBe('(3,(2,2)):(2,(1,6))')
  expect(text(logicalProduct(L('3:32'), L('(8,8):(8,1)')))).toBe('(3,((4,2),8)):(32,((8,96),1))')
  expect(text(logicalProduct(L('3:0'), L('4:1')))).toBe('(3,4):(0,1)')
  expect(text(logicalProduct(L('4:1'), full))).toBe('4:1')
  for (const f of [logicalProduct, zippedProduct, tiledProduct, flatProduct]) {
    expect(code(f(L('(3,4):(4,1)'), T('[2:1;2:1;2:1]')))).toBe('cute.tile-modes')
    expect(code(f(L('(2,2):(1,1)'), L('2:1')))).toBe('cute.overlap')
    expect(code(f(L('3:2'), L('3:1')))).toBe('cute.composition-divides')
    expect(code(f(L('(3,2):(2,1)'), T('[3:1]')))).toBe('cute.composition-divides')
  }
  expect(code(zippedProduct(L('(3,4):(4,1)'), T('[_;2:1]')))).toBe('cute.tile-modes')
})

test('products, law 1: copies of A that do not meet', () => {
  const as = allLayouts(2, [2, 3, 4], [1, 2, 4, 8]).filter((a) => new Set(image(a)).size === extent(a))
  const bs = [...allLayouts(1, [2, 4], [1, 2]), L('(2,2):(2,1)')]
  let met = 0
  for (const b of bs)
    expect(
      failing(
        as,
        (a) => {
          const p = logicalProduct(a, b)
          if (E.isLeft(p)) return true
          met++
          return (
            equals(modes(p.right)[0]!, a) &&
            size(modes(p.right)[1]!) === size(b) &&
            new Set(image(p.right)).size === extent(a) * extent(b)
          )
        },
        showLayout,
      ),
    ).toEqual([])
  expect(met).toBeGreaterThan(100)
})

test('law 2: blocked and raked products', () => {
  const a = L('(3,4):(4,1)')
  const b = L('(2,5):(1,2)')
  expect(text(blockedProduct(a, b))).toBe('((3,2),(4,5)):((4,12),(1,24))')
  expect(text(rakedProduct(a, b))).toBe('((2,3),(5,4)):((12,4),(24,1))')
  expect(text(blockedProduct(L('(4,3):(1@0,1@1)'), b))).toBe('((4,2),(3,5)):((1@0,3@1),(1@1,6@1))')
  expect(text(rakedProduct(L('128:1'), L('(4,4):(1,4)')))).toBe('((4,128),4):((128,1),512)')
  expect(text(rakedProduct(L('(4,4):(1,4)'), L('8:1')))).toBe('((8,4),4):((16,1),4)')
  expect(text(blockedProduct(L('128:1'), L('(4,4):(1,4)')))).toBe('((128,4),(1,4)):((1,128),(0,512))')
  expect(text(blockedProduct(L('(4,4):(1,4)'), L('8:1')))).toBe('((4,8),(4,1)):((1,16),(4,0))')
  // The copies of one mode may themselves be two modes.
  expect(text(blockedProduct(L('3:2'), L('4:1')))).toBe('((3,(2,2))):((2,(1,6)))')
  expect(text(rakedProduct(L('3:2'), L('4:1')))).toBe('(((2,2),3)):(((1,6),2))')
  for (const f of [blockedProduct, rakedProduct]) {
    expect(code(f(L('(2,2):(1,1)'), b))).toBe('cute.overlap')
    expect(code(f(L('3:2'), L('3:1')))).toBe('cute.composition-divides')
    expect(sorted(image(right(f(a, b))))).toEqual(sorted(image(right(logicalProduct(a, b)))))
  }
})

test('laws 3 and 4: an atom repeated over a shape', () => {
  const atom = L('(3,2):(1,3)')
  expect(text(tileToShape(atom, [6, 8]))).toBe('((3,2),(2,4)):((1,6),(3,12))')
  expect(text(tileToShape(atom, [6, 8], [1, 0]))).toBe('((3,2),(2,4)):((1,24),(3,6))')
  expect(text(tileToShape(L('3:1'), [6, 8]))).toBe('((3,2),(1,8)):((1,3),(0,6))')
  expect(text(tileToShape(L('(3,3):(1,3)'), [5, 8]))).toBe('((3,2),(3,3)):((1,9),(3,18))')
  expect(text(tileToShape(L('(64,8):(1,64)'), [[64, 1], [16, 1], 1]))).toBe(
    '((64,1),(8,2),(1,1)):((1,0),(64,512),(0,0))',
  )
  expect(code(tileToShape(L('(3,2,2):(1,3,6)'), [6, 8]))).toBe('cute.shape-rank')
  expect(code(tileToShape(atom, [6, 8], [0, 1, 2]))).toBe('cute.shape-rank')
  expect(code(tileToShape(L('(2,2):(1,1)'), [6, 8]))).toBe('cute.overlap')
  for (const a of [atom, L('(2,4):(4,1)'), L('(4,1):(1,0)')])
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const l = right(tileToShape(a, [7, 8], order))
      expect(sorted(image(l))).toEqual(image(l).map((_, i) => i))
      const [rows, columns] = modes(a).map(size)
      for (let j = 0; j < columns!; j++)
        for (let i = 0; i < rows!; i++)
          expect(value(l, i + j * size(modes(l)[0]!))).toBe(value(a, i + j * rows!))
    }
})

test('recasting, laws 1 to 3', () => {
  const up = (l: string, n: number): string => text(upcast(n)(L(l)))
  expect(up('(32,4):(1,32)', 4)).toBe('(8,4):(1,8)')
  expect(up('(8,4):(2,16)', 8)).toBe('(2,4):(1,2)')
  expect(up('(2,4):(1,2)', 4)).toBe('(1,2):(1,1)')
  expect(up('(4,2):(0,-4)', 4)).toBe('(4,2):(0,-1)')
  expect(up('8:-1', 4)).toBe('2:-1')
  expect(up('((2,4),3):((4,8),1)', 1)).toBe('((2,4),3):((4,8),1)')
  for (const l of ['4:3', '(6,3):(1,6)', '((4,4),2):((1,3),8)']) expect(up(l, 4)).toBe('cute.recast-divides')
  expect(up('(4,2):(1@0,1@1)', 4)).toBe('cute.plain')
  expect(text(downcast(4)(L('(8,4):(1,8)')))).toBe('(32,4):(1,32)')
  expect(text(downcast(4)(L('(8,(4,2)):(-1,(0,3))')))).toBe('(32,(4,2)):(-1,(0,12))')
  expect(code(downcast(4)(L('4:1@0')))).toBe('cute.plain')
  for (const l of allLayouts(2, [4, 8], [1, 2, 4, 8, 16])) {
    for (const n of [2, 4]) {
      const wide = upcast(n)(l)
      if (E.isRight(wide) && new Set(image(l)).size === extent(l)) {
        const halves = new Set(image(l).map((x) => Math.floor(x / n)))
        expect(new Set(image(wide.right))).toEqual(halves)
      }
      const narrow = right(downcast(n)(l))
      expect(right(upcast(n)(narrow))).toEqual(l)
    }
  }
  const fine = right(downcast(4)(L('(4,2):(1,9)')))
  expect(sorted(image(fine))).toEqual(
    sorted(image(L('(4,2):(1,9)')).flatMap((x) => [0, 1, 2, 3].map((k) => 4 * x + k))),
  )
  expect(recastFactors(8, 32)).toEqual({ up: 4, down: 1 })
  expect(recastFactors(6, 4)).toEqual({ up: 2, down: 3 })
  expect(text(recast(8, 32)(L('(32,4):(1,32)')))).toBe('(8,4):(1,8)')
  expect(text(recast(32, 8)(L('(8,4):(1,8)')))).toBe('(32,4):(1,32)')
  expect(text(recast(6, 4)(L('(8,4):(1,8)')))).toBe('(12,4):(1,12)')
  expect(text(recast(16, 16)(L('(8,4):(2,3)')))).toBe('(8,4):(2,3)')
  expect(code(recast(16, 16)(L('(8,4):(1@0,1@1)')))).toBe('cute.plain')
  expect(code(recast(8, 16)(L('(3,4):(1,3)')))).toBe('cute.recast-divides')
})

test('division by a tile of tiles', () => {
  const a: Layout = L('((4,6),8):((1,4),24)')
  expect(text(zippedDivide(a, tile([tile([L('2:1'), L('3:1')]), L('4:1')])))).toBe(
    '(((2,3),4),((2,2),2)):(((1,4),24),((2,12),96))',
  )
})
