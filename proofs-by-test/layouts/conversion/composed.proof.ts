import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { composedOfLinear, linearOfComposed } from '../../../src/layouts/conversion/composed.js'
import { linearOfRef } from '../../../src/layouts/conversion/shared.js'
import type { ComposedLayout } from '../../../src/layouts/cute/composed.js'
import * as Composed from '../../../src/layouts/cute/composed.js'
import type { Layout } from '../../../src/layouts/cute/layout.js'
import * as Cute from '../../../src/layouts/cute/layout.js'
import { swizzle } from '../../../src/layouts/cute/swizzle.js'
import { showComposed, showLayout } from '../../../src/layouts/cute/text.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply, linearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { flattenIns } from '../../../src/layouts/linear/reshape.js'
import * as Ref from '../../../src/transforms/ref.js'
import { swizzleElements, swizzles } from '../../../src/transforms/swizzle.js'
import * as Transform from '../../../src/transforms/transform.js'
import { range } from '../captured.js'
import { code, right } from '../../either.js'

const show = (l: Layout | ComposedLayout): string => (l._tag === 'layout' ? showLayout(l) : showComposed(l))
const valueAt = (l: Layout | ComposedLayout, index: number): unknown =>
  l._tag === 'layout' ? Cute.at(l, index) : right(Composed.at(l, index))
const plain = (shape: ReadonlyArray<number>, stride: ReadonlyArray<number>): Layout =>
  right(Cute.layout(shape, stride))
const offsets = (bases: ReadonlyArray<number>, size: number): LinearLayout =>
  right(
    linearLayout({
      inputs: [{ name: 'index', bases: bases.map((value) => [value]) }],
      outputs: [{ name: 'offset', size }],
    }),
  )

describe('swizzled CuTe layouts as linear layouts', () => {
  test('Law 1: all small swizzles, downwards and upwards, of three layouts', () => {
    for (const inner of [plain([8, 8], [1, 8]), plain([8, 8], [8, 1]), plain([2, 16], [32, 1])])
      for (const b of range(3))
        for (const m of range(3))
          for (const s of [b, b + 1, -b, -b - 1]) {
            const c = Composed.composed(right(swizzle(b, m, s)), inner)
            const f = apply(right(linearOfComposed(c)))
            const wrong = range(Cute.size(inner)).filter(
              (index) => f({ index })[0] !== right(Composed.at(c, index)),
            )
            expect(wrong, showComposed(c)).toEqual([])
          }
  })

  test('Law 2: the essay', () => {
    const found = right(composedOfLinear(offsets([1, 2, 4, 8, 16, 32, 72, 144, 288], 512)))
    expect(show(found)).toBe('S<3,3,3> o 0 o 512:1')
  })

  test.each(swizzles.flatMap((span) => [8, 16, 32].map((bits) => [span, bits] as const)))(
    "Laws 2 and 3: the tile of span %i and %i bits is a swizzled layout, and it is the field's",
    (span, bits) => {
      const row = swizzleElements(span, bits)
      const ref = right(
        Ref.ofTransforms([8, row], bits, [right(Transform.tile([8, row])), right(Transform.swizzle(span))]),
      )
      const linear = right(flattenIns(right(linearOfRef(ref))))
      const found = right(composedOfLinear(linear))
      for (const index of range(8 * row)) {
        const input = linear.inputs[0]!.name
        if (valueAt(found, index) !== apply(linear)({ [input]: index })[0]) expect.fail(String(index))
      }
      const b = Math.log2(span / 16)
      if (b > 0) expect(show(found)).toContain(`S<${String(b)},${String(4 - Math.log2(bits / 8))},3>`)
      else expect(found._tag).toBe('layout')
    },
  )

  test('Law 3: every bijection of four bits: a swizzle is found exactly when one of them disentangles it', () => {
    const all = [1, 2].flatMap((b) =>
      range(5).flatMap((m) =>
        [1, 2, 3, -1, -2, -3].flatMap((s) =>
          Math.abs(s) >= b && m + Math.abs(s) + b <= 4 ? [[b, m, s] as const] : [],
        ),
      ),
    )
    expect(all.length).toBe(14)
    let found = 0
    let without = 0
    for (const c of range(16))
      for (const d of range(16)) {
        const bases = [1, 2, c, d]
        const carryFree = (values: ReadonlyArray<number>): boolean =>
          values.every((x, i) => values.every((y, j) => i >= j || (x & y) === 0))
        const possible =
          carryFree(bases) ||
          all.some(([b, m, s]) =>
            carryFree(
              bases.map((x) => {
                const from = s > 0 ? m + s : m
                const to = s > 0 ? m : m - s
                return x ^ (((x >> from) & (2 ** b - 1)) << to)
              }),
            ),
          )
        const made = composedOfLinear(offsets(bases, 16))
        expect(E.isRight(made), bases.join()).toBe(possible)
        if (E.isLeft(made)) {
          without += 1
          expect(made.left.code).toBe('conversion.no-swizzle')
          continue
        }
        found += made.right._tag === 'composed' ? 1 : 0
        for (const index of range(16))
          if (valueAt(made.right, index) !== apply(offsets(bases, 16))({ index })[0])
            expect.fail(bases.join())
      }
    expect(found).toBeGreaterThan(20)
    expect(without).toBeGreaterThan(20)
  })

  test('refusals', () => {
    const inner = plain([8], [1])
    const s = right(swizzle(1, 0, 1))
    expect(code(linearOfComposed(Composed.composed(inner, inner)))).toBe('conversion.outer')
    expect(code(linearOfComposed(Composed.composed(s, inner, 4)))).toBe('conversion.offset')
    expect(code(linearOfComposed(Composed.composed(s, plain([6], [1]))))).toBe('conversion.extent')
    const two = right(
      linearLayout({
        inputs: [{ name: 'x', bases: [[1, 0]] }],
        outputs: [
          { name: 'dim0', size: 2 },
          { name: 'dim1', size: 1 },
        ],
      }),
    )
    expect(composedOfLinear(two)).toMatchObject({
      left: { code: 'conversion.outer', message: expect.stringContaining('found 2') },
    })
    expect(code(composedOfLinear(right(linearLayout({ inputs: [], outputs: [] }))))).toBe('conversion.outer')
  })
})
