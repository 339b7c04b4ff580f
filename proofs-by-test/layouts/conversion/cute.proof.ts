import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  cuteOfLinear,
  linearOfCute,
  linearOfModes,
  registersOfTV,
  tvOfRegisters,
} from '../../../src/layouts/conversion/cute.js'
import { linearOfRegisters } from '../../../src/layouts/conversion/register.js'
import type { IntTuple } from '../../../src/layouts/cute/int-tuple.js'
import type { Layout } from '../../../src/layouts/cute/layout.js'
import { at, layout, size } from '../../../src/layouts/cute/layout.js'
import { basis } from '../../../src/layouts/cute/scaled-basis.js'
import { equalIgnoringOutDimSizes, sameLinear } from '../../../src/layouts/linear/equality.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply, linearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { TCGEN05, WGMMA, WGMMA_8BIT, WGMMA_COL, WGMMA_ROW } from '../../../src/layouts/tiled.js'
import { range } from '../captured.js'
import { code, right } from '../../either.js'

const plain = (shape: IntTuple, stride: IntTuple): Layout => right(layout(shape, stride))

const tv = (
  layoutOfLanes: Parameters<typeof linearOfRegisters>[0],
  shape: ReadonlyArray<number>,
): LinearLayout => right(linearOfRegisters(layoutOfLanes, shape))

describe('CuTe layouts as linear layouts', () => {
  test('Laws 1 and 2: every layout of two modes, extents to 8, strides to 8: refused exactly when an addition carries', () => {
    let accepted = 0
    for (const s0 of [1, 2, 4, 8])
      for (const s1 of [1, 2, 4])
        for (const d0 of range(9))
          for (const d1 of range(9)) {
            const l = plain([s0, s1], [d0, d1])
            const value = (i: number): number => (i % s0) * d0 + Math.floor(i / s0) * d1
            const bits = [
              ...range(Math.log2(s0)).map((k) => d0 * 2 ** k),
              ...range(Math.log2(s1)).map((k) => d1 * 2 ** k),
            ]
            const carries = bits.some((a, i) => bits.some((b, j) => i < j && (a & b) !== 0))
            const made = linearOfCute(l)
            expect(E.isLeft(made)).toBe(carries)
            if (E.isLeft(made)) continue
            accepted += 1
            const modesApart = right(linearOfModes(['row', 'col'])(l))
            for (const index of range(size(l))) {
              if (apply(made.right)({ index })[0] !== value(index)) expect.fail(`index ${String(index)}`)
              const apart = apply(modesApart)({ row: index % s0, col: Math.floor(index / s0) })[0]
              if (apart !== value(index)) expect.fail(`index ${String(index)}`)
            }
          }
    expect(accepted).toBeGreaterThan(100)
  })

  test('Law 1: the essay', () => {
    const l = plain([4, [2, 2]], [2, [1, 8]])
    expect(right(linearOfCute(l))).toMatchObject({
      inputs: [{ name: 'index', bases: [[2], [4], [1], [8]] }],
      outputs: [{ name: 'offset', size: 16 }],
    })
    expect(cuteOfLinear(right(linearOfCute(l)))).toEqual(E.right(plain([4, 2, 2], [2, 1, 8])))
  })

  test('Law 1: basis strides are outputs, in order of their paths', () => {
    const l = right(layout([4, 2, 2], [basis(1, [1]), basis(2, [0]), 0]))
    const linear = right(linearOfCute(l))
    expect(linear.outputs).toEqual([
      { name: 'dim0', size: 4 },
      { name: 'dim1', size: 4 },
    ])
    expect(linear.inputs[0]!.bases).toEqual([
      [0, 1],
      [0, 2],
      [2, 0],
      [0, 0],
    ])
    for (const index of range(16)) {
      const [i = 0, j = 0] = [at(l, index)].flat(2)
      expect(apply(linear)({ index })).toEqual([i, j])
    }
    expect(right(linearOfCute(right(layout(2, basis(1, [0, 1]))))).outputs[0]!.name).toBe('dim0.1')
  })

  test('Laws 3 and 4: there and back, all pairs of three bits onto four', () => {
    const values = range(16)
    for (const a of values)
      for (const b of values)
        for (const c of values) {
          const linear = right(
            linearLayout({
              inputs: [
                { name: 'x', bases: [[a], [b]] },
                { name: 'y', bases: [[c]] },
              ],
              outputs: [{ name: 'offset', size: 16 }],
            }),
          )
          const made = cuteOfLinear(linear)
          expect(E.isLeft(made)).toBe((a & b) !== 0 || (a & c) !== 0 || (b & c) !== 0)
          if (E.isLeft(made)) continue
          for (const i of range(8))
            if (at(made.right, i) !== apply(linear)({ x: i % 4, y: i >> 2 })[0]) expect.fail(String(i))
          const back = right(linearOfModes(['x', 'y'])(made.right))
          expect(equalIgnoringOutDimSizes(back, linear)).toBe(true)
        }
  })

  test('Law 3: an input without bits, one input, two outputs', () => {
    const linear = right(
      linearLayout({
        inputs: [
          {
            name: 'x',
            bases: [
              [0, 1],
              [0, 2],
              [4, 0],
              [0, 0],
            ],
          },
          { name: 'none', bases: [] },
        ],
        outputs: [
          { name: 'dim0', size: 8 },
          { name: 'dim1', size: 4 },
        ],
      }),
    )
    expect(cuteOfLinear(linear)).toEqual(layout([[4, 2, 2], 1], [[basis(1, [1]), basis(4, [0]), 0], 0]))
  })

  test('Law 5 and identity 8: the accumulator of wgmma as CuTe prints it, N = 8, 64, 256', () => {
    for (const n of [8, 64, 256]) {
      const linear = tv(WGMMA, [64, n])
      const made = right(tvOfRegisters(linear))
      const values =
        n === 8
          ? [
              [2, 2],
              [64, 8],
            ]
          : [
              [2, 2, n / 8],
              [64, 8, 512],
            ]
      expect(made).toEqual(plain([[4, 8, 4], values[0]!], [[128, 1, 16], values[1]!]))
      expect(sameLinear(right(registersOfTV([64, n])(made)), linear)).toBe(true)
    }
  })

  test('Law 5: other layouts, replicas too', () => {
    const cases = [
      [TCGEN05, [128, 16]],
      [WGMMA_8BIT, [64, 32]],
      [WGMMA_ROW, [128]],
      [WGMMA_COL, [32]],
    ] as const
    for (const [one, shape] of cases) {
      const linear = tv(one, shape)
      expect(sameLinear(right(registersOfTV(shape)(right(tvOfRegisters(linear)))), linear)).toBe(true)
    }
    const warpOnly = right(
      linearLayout({
        inputs: [
          { name: 'register', bases: [[1]] },
          { name: 'lane', bases: [[2], [4], [8], [16], [32]] },
          { name: 'warp', bases: [] },
        ],
        outputs: [{ name: 'dim0', size: 64 }],
      }),
    )
    expect(right(registersOfTV([64])(right(tvOfRegisters(warpOnly))))).toEqual(warpOnly)
  })

  test('refusals', () => {
    expect(linearOfCute(plain([4, 6], [1, 4]))).toMatchObject({
      left: {
        code: 'conversion.extent',
        message: expect.stringContaining('mode 1 of the flattened layout has extent 6'),
      },
    })
    expect(linearOfCute(plain([4, 2], [1, -4]))).toMatchObject({
      left: { code: 'conversion.stride', message: expect.stringContaining('found -4 in index') },
    })
    expect(linearOfModes(['thread', 'value'])(plain([4, 2, 2], [1, 4, 8]))).toMatchObject({
      left: { code: 'conversion.modes', message: expect.stringContaining('thread, value, found 3 modes') },
    })
    const twisted = right(
      linearLayout({
        inputs: [
          {
            name: 'x',
            bases: [
              [1, 0],
              [0, 1],
              [2, 2],
            ],
          },
        ],
        outputs: [
          { name: 'dim0', size: 4 },
          { name: 'dim1', size: 4 },
        ],
      }),
    )
    expect(cuteOfLinear(twisted)).toMatchObject({
      left: {
        code: 'conversion.stride',
        message: expect.stringContaining('Bit 2 of x moves along two outputs'),
      },
    })
    expect(code(registersOfTV([16])(plain([16, 1], [1, 0])))).toBe('conversion.threads')
    expect(code(registersOfTV([16])(plain([32, 1], [1, 0])))).toBe('linear.basis-range')
  })
})
