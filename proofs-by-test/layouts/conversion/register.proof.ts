import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { linearOfRegisters } from '../../../src/layouts/conversion/register.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply, registerLinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { parseName } from '../../../src/layouts/named.js'
import type { RegisterLayout } from '../../../src/layouts/register-layout.js'
import * as Registers from '../../../src/layouts/register-layout.js'
import { splatLayout } from '../../../src/layouts/splat.js'
import { stridedLayout } from '../../../src/layouts/strided.js'
import { WGMMA } from '../../../src/layouts/tiled.js'
import { ravel } from '../../../src/transforms/shape.js'
import { range } from '../captured.js'
import { code, right } from '../../either.js'

/** Law 1, at every place. */
const agrees = (layout: RegisterLayout, shape: ReadonlyArray<number>): LinearLayout => {
  const linear = right(linearOfRegisters(layout, shape))
  const f = apply(linear)
  const table = Registers.elementTable(layout, shape)
  const position = ravel(shape)
  let at = 0
  for (const warp of range(Registers.warpCount(layout)))
    for (const lane of range(Registers.laneCount(layout)))
      for (const register of range(Registers.registersPerLane(layout, shape)))
        if (position(f({ warp, lane, register })) !== table[at++])
          expect.fail(`warp ${String(warp)}, lane ${String(lane)}, register ${String(register)}`)
  return linear
}

const named = (name: string): RegisterLayout => right(parseName(name))

const cases: ReadonlyArray<readonly [name: string, shape: ReadonlyArray<number>]> = [
  ['WGMMA', [64, 8]],
  ['WGMMA', [128, 16]],
  ['WGMMA', [2, 64, 16]],
  ['WGMMA_ACC_32BIT', [64, 32]],
  ['WGMMA_ROW', [128]],
  ['WGMMA_COL', [64]],
  ['WGMMA_8BIT', [64, 32]],
  ['WGMMA_UPCAST_2X', [128, 32]],
  ['WGMMA_UPCAST_4X', [64, 64]],
  ['WGMMA_TRANSPOSED', [128, 16]],
  ['TCGEN05', [128, 32]],
  ['TCGEN05_ROW', [256]],
  ['TCGEN05_TRANSPOSED', [128, 16]],
  ['TCGEN05_M64_COLLECTIVE(64)', [64, 64]],
  ['TMEM_NATIVE(4)', [128, 16]],
  ['TMA_INDICES', [32]],
  ['TMA_INDICES_4', [8]],
  ['MMA_LHS(16, 2)', [64, 32]],
  ['MMA_RHS(8, 4)', [128, 8]],
  ['MMA_ACC(2)', [64, 32]],
  ['WG_STRIDED((64, 16), 2)', [64, 16]],
  ['WG_STRIDED((2, 4, 128), 4)', [2, 4, 128]],
]

describe('register layouts as linear layouts', () => {
  test.each(cases)('Law 1: %s on %j', (name, shape) => {
    agrees(named(name), shape)
  })

  test('the essay: WGMMA on (64, 16), in the order register, lane, warp', () => {
    expect(linearOfRegisters(WGMMA, [64, 16])).toEqual(
      registerLinearLayout(
        [64, 16],
        [
          [0, 1],
          [8, 0],
          [0, 8],
        ],
        [
          [0, 2],
          [0, 4],
          [1, 0],
          [2, 0],
          [4, 0],
        ],
        [
          [16, 0],
          [32, 0],
        ],
      ),
    )
  })

  test('replicas are zero bases', () => {
    const row = right(linearOfRegisters(named('WGMMA_ROW'), [64]))
    expect(row.inputs.map(({ bases }) => bases)).toEqual([[[8]], [[0], [0], [1], [2], [4]], [[16], [32]]])
  })

  test('Law 3: a linear layout is itself', () => {
    const linear = right(linearOfRegisters(WGMMA, [64, 8]))
    expect(linearOfRegisters(linear, [64, 8])).toEqual(E.right(linear))
  })

  test('refusals: a splat, an extent that is no power of two, a shape of another layout', () => {
    expect(code(linearOfRegisters(splatLayout([64, 8]), [64, 8]))).toBe('conversion.splat')
    expect(linearOfRegisters(WGMMA, [64, 24])).toMatchObject({
      left: {
        code: 'conversion.extent',
        message: expect.stringContaining('tiled dimension 1 has extent 3'),
      },
    })
    expect(linearOfRegisters(right(stridedLayout([3, 128], 1)), [3, 128])).toMatchObject({
      left: { code: 'conversion.extent', message: expect.stringContaining('dimension 0 has extent 3') },
    })
    expect(linearOfRegisters(right(stridedLayout([3, 128], 3)), [3, 128])).toMatchObject({
      left: { code: 'conversion.extent' },
    })
    expect(code(linearOfRegisters(WGMMA, [32, 8]))).toBe('layout.shape')
  })
})
