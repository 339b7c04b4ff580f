/**
 * One machine, three vocabularies: Mosaic's layouts, Triton's encodings and CuTe's shapes and strides denote the same functions.
 *
 * Every side is built in its own room, brought to bases over GF(2), and compared as data, which is equality at every point.
 */
import { describe, expect, test } from 'vitest'
import {
  elementSwizzle,
  linearOfModes,
  linearOfRef,
  linearOfRegisters,
  linearOfSwizzle,
  linearOfTensorMemory,
  registersOfTV,
} from '../../src/layouts/conversion/index.js'
import * as Fragments from '../../src/layouts/cute/fragments.js'
import type { Layout } from '../../src/layouts/cute/layout.js'
import { ofSpan } from '../../src/layouts/cute/swizzle.js'
import { compose, sublayout } from '../../src/layouts/linear/algebra.js'
import { equalIgnoringOutDimSizes, sameLinear } from '../../src/layouts/linear/equality.js'
import { invert } from '../../src/layouts/linear/inverse.js'
import type { LinearLayout } from '../../src/layouts/linear/linear-layout.js'
import {
  identity1D,
  isInjective,
  isSurjective,
  linearLayout,
  outputNames,
  outputShape,
  rank,
  standardOutputs,
} from '../../src/layouts/linear/linear-layout.js'
import type { RegisterLayout } from '../../src/layouts/register-layout.js'
import { elementTable } from '../../src/layouts/register-layout.js'
import { accessShape, cellOf, registersOf } from '../../src/layouts/tensor-memory/access-shape.js'
import * as Tmem from '../../src/layouts/tensor-memory/tensor-memory-layout.js'
import * as Tiled from '../../src/layouts/tiled.js'
import type { EncodingSpec } from '../../src/layouts/triton/index.js'
import { onShape } from '../../src/layouts/triton/index.js'
import * as Ref from '../../src/transforms/ref.js'
import type { Shape } from '../../src/transforms/shape.js'
import { swizzleElements, swizzles } from '../../src/transforms/swizzle.js'
import * as Transform from '../../src/transforms/transform.js'
import { range } from './captured.js'
import { right } from '../either.js'

// ------------------------------------------------------------------------------------ three vocabularies

const mosaic = (layout: RegisterLayout, shape: Shape): LinearLayout => right(linearOfRegisters(layout, shape))
/** Without the input for the blocks of a cluster, of which there is one. */
const triton = (spec: EncodingSpec, shape: Shape, ...inputs: ReadonlyArray<string>): LinearLayout => {
  const whole = right(onShape(spec)(shape))
  return right(sublayout(inputs, outputNames(whole))(whole))
}
const registers = ['register', 'lane', 'warp']
const cute = (layout: Layout, shape: Shape): LinearLayout => right(registersOfTV(shape)(layout))

const same = (...layouts: ReadonlyArray<LinearLayout>): void => {
  for (const other of layouts.slice(1)) expect(other).toEqual(layouts[0])
}

const v3 = (n: number, k: number): EncodingSpec & { readonly _tag: 'nvidia_mma' } => ({
  _tag: 'nvidia_mma',
  versionMajor: 3,
  instrShape: [16, n, k],
  warpsPerCTA: [4, 1],
})

describe('swizzles', () => {
  test("1: the swizzle of bytes is S<log2(S/16),4,3>, and Triton's rows of S bytes, on 65,536 bytes", () => {
    for (const span of swizzles) {
      const ours = right(linearOfSwizzle(right(elementSwizzle(span, 8)), 65536))
      expect(sameLinear(ours, right(linearOfSwizzle(ofSpan(span), 65536)))).toBe(true)
      const rows = 65536 / span
      const chunks = triton(
        { _tag: 'swizzled_shared', vec: 16, perPhase: 128 / span, maxPhase: span / 16, order: [1, 0] },
        [rows, span],
        'offset',
      )
      const rowMajor = triton(
        { _tag: 'swizzled_shared', vec: 1, perPhase: 1, maxPhase: 1, order: [1, 0] },
        [rows, span],
        'offset',
      )
      same(right(compose(ours, rowMajor)), chunks)
    }
  })

  test('2: an involution of full rank', () => {
    for (const span of swizzles) {
      const linear = right(linearOfSwizzle(ofSpan(span), 65536))
      expect(rank(linear)).toBe(16)
      same(right(compose(linear, linear)), right(identity1D(65536, 'offset', 'offset')))
    }
  })
})

describe('shared memory', () => {
  const forms = [32, 64, 128].flatMap((span) => [8, 16, 32].map((bits) => [span, bits] as const))
  const image = (shape: Shape, span: number, bits: number): LinearLayout =>
    right(
      invert(
        right(
          linearOfRef(
            right(
              Ref.ofTransforms(shape, bits, [
                right(Transform.tile([8, (8 * span) / bits])),
                right(Transform.swizzle(span)),
              ]),
            ),
          ),
        ),
      ),
    )

  test.each(forms)(
    '3: nvmma_shared of %i bytes, %i bits is tile and swizzle on one panel, and not on two',
    (span, bits) => {
      const nvmma: EncodingSpec = {
        _tag: 'nvmma_shared',
        swizzlingByteWidth: span,
        transposed: false,
        elementBitWidth: bits,
        fp4Padded: false,
      }
      const row = (8 * span) / bits
      for (const rows of [8, 64, 128])
        same(image([rows, row], span, bits), triton(nvmma, [rows, row], 'offset'))
      expect(sameLinear(image([128, 2 * row], span, bits), triton(nvmma, [128, 2 * row], 'offset'))).toBe(
        false,
      )
    },
  )

  test('15: a tile-aligned slice of a swizzled buffer is a swizzled buffer, from its own address', () => {
    for (const [span, bits] of forms) {
      const row = (8 * span) / bits
      const whole = right(
        Ref.ofTransforms([64, 4 * row], bits, [
          right(Transform.tile([8, row])),
          right(Transform.swizzle(span)),
        ]),
      )
      const part = right(Ref.slice([8, row], [16, 2 * row])(whole))
      const alone = right(linearOfRef({ ...part, byteOffset: 0 }))
      // The whole, restricted to 16 rows and two panels from row 0, panel 0.
      const restricted = right(linearOfRef(right(Ref.slice([0, 0], [16, 2 * row])(whole))))
      expect(sameLinear(alone, restricted)).toBe(true)
      expect(swizzleElements(part.swizzle, bits)).toBe(row)
    }
  })
})

describe('registers', () => {
  test('8: the accumulator of wgmma', () => {
    for (const n of [8, 16, 64, 128, 256])
      same(
        mosaic(Tiled.WGMMA, [64, n]),
        triton(v3(n, 16), [64, n], ...registers),
        cute(Fragments.wgmmaAccumulator(n), [64, n]),
      )
  })

  test('9: the left operand from registers, 16, 8 and 32 bits', () => {
    const dot = (k: number, kWidth: number, shape: Shape): LinearLayout =>
      triton({ _tag: 'dot_operand', opIdx: 0, kWidth, parent: v3(64, k) }, shape, ...registers)
    same(
      mosaic(Tiled.WGMMA, [64, 16]),
      mosaic(right(Tiled.MMA_LHS(16, 4)), [64, 16]),
      dot(16, 2, [64, 16]),
      cute(Fragments.wgmmaOperand16, [64, 16]),
    )
    same(
      mosaic(Tiled.WGMMA_8BIT, [64, 32]),
      mosaic(right(Tiled.MMA_LHS(8, 4)), [64, 32]),
      dot(32, 4, [64, 32]),
      cute(Fragments.wgmmaOperand8, [64, 32]),
    )
    same(
      mosaic(right(Tiled.MMA_LHS(32, 4)), [64, 8]),
      dot(8, 1, [64, 8]),
      cute(Fragments.wgmmaOperandTf32, [64, 8]),
    )
  })

  test('9, corollary: sixteen columns of an accumulator, packed, are a left operand', () => {
    same(mosaic(Tiled.WGMMA, [64, 16]), cute(Fragments.wgmmaOperand16, [64, 16]))
    same(cute(Fragments.wgmmaAccumulator(16), [64, 16]), cute(Fragments.wgmmaOperand16, [64, 16]))
  })

  test('10: a reduced layout is a slice: 4 copies of a row, 32 of a column', () => {
    for (const [rows, n] of [
      [64, 64],
      [128, 32],
    ] as const) {
      const slice = (dim: number, extent: number): LinearLayout =>
        triton({ _tag: 'slice', dim, parent: v3(n, 16) }, [extent], ...registers)
      same(
        mosaic(right(Tiled.reduce([1])(Tiled.WGMMA)), [rows]),
        mosaic(Tiled.WGMMA_ROW, [rows]),
        slice(1, rows),
      )
      same(mosaic(right(Tiled.reduce([0])(Tiled.WGMMA)), [n]), mosaic(Tiled.WGMMA_COL, [n]), slice(0, n))
    }
    same(mosaic(right(Tiled.reduce([1])(Tiled.TCGEN05)), [128]), mosaic(Tiled.TCGEN05_ROW, [128]))
    same(mosaic(right(Tiled.reduce([0])(Tiled.TCGEN05)), [32]), mosaic(Tiled.WGMMA_COL, [32]))
  })

  test('11: one 32-bit element a register is the same function; the transposed layouts transpose 2 x 2 blocks', () => {
    same(mosaic(Tiled.WGMMA, [64, 32]), mosaic(Tiled.WGMMA_ACC_32BIT, [64, 32]))
    const exchange = (shape: Shape): LinearLayout =>
      right(
        linearLayout({
          inputs: shape.map((extent, d) => ({
            name: `dim${String(d)}`,
            bases: Array.from({ length: Math.log2(extent) }, (_, bit) => {
              const along = bit === 0 ? 1 - d : d
              return [along === 0 ? 2 ** bit : 0, along === 1 ? 2 ** bit : 0]
            }),
          })),
          outputs: shape.map((size, d) => ({ name: `dim${String(d)}`, size })),
        }),
      )
    const pairs = [
      [Tiled.WGMMA, Tiled.WGMMA_TRANSPOSED, [64, 8]],
      [Tiled.WGMMA, Tiled.WGMMA_TRANSPOSED, [128, 32]],
      [Tiled.TCGEN05, Tiled.TCGEN05_TRANSPOSED, [128, 8]],
    ] as const
    for (const [plain, transposed, shape] of pairs)
      same(right(compose(mosaic(plain, shape), exchange(shape))), mosaic(transposed, shape))
  })
})

describe('tensor memory', () => {
  const ours = (layout: Tmem.TensorMemoryLayout, shape: Shape): LinearLayout =>
    right(linearOfTensorMemory(layout, shape))
  const theirs = (
    blockM: number,
    blockN: number,
    twoCTAs: boolean,
    shape: Shape,
    pair = false,
  ): LinearLayout => {
    const spec: EncodingSpec = {
      _tag: 'tensor_memory',
      blockM,
      blockN,
      colStride: 1,
      twoCTAs,
      fp4Padded: false,
      ...(pair ? { cgaBases: [[1, 0]] } : {}),
    }
    return triton(spec, shape, 'row', 'col')
  }
  /** CuTe's accumulators go the other way: from (row, column) to (lane, column of tensor memory). */
  const cuteD = (id: Fragments.AccumulatorLayout, n: number): LinearLayout =>
    right(linearOfModes(['dim0', 'dim1'])(Fragments.accumulatorPlace(id, n)))

  test.each([16, 32, 64, 128, 256])("12: default, half-lane and the pair's 64 rows, N = %i", (n) => {
    const whole = ours(right(Tmem.defaultLayout(1)), [128, n])
    same(whole, theirs(128, n, false, [128, n]))
    expect(equalIgnoringOutDimSizes(renamed(right(invert(whole))), cuteD('D', n))).toBe(true)

    const half = ours(right(Tmem.halfLane(n, 1)), [64, n])
    same(half, theirs(64, n / 2, false, [64, n]))
    // Two of CuTe's F, at lane + 0 and at lane + 16.
    const places = renamed(right(invert(half)))
    const f = cuteD('F', n / 2)
    const left = right(
      linearLayout({
        inputs: [places.inputs[0]!, { name: 'dim1', bases: places.inputs[1]!.bases.slice(0, -1) }],
        outputs: places.outputs,
      }),
    )
    expect(equalIgnoringOutDimSizes(left, f)).toBe(true)
    expect(places.inputs[1]!.bases.at(-1)).toEqual([16, 0])

    const pair = ours(right(Tmem.m64Collective(n, 1)), [64, n])
    // One CTA's 64 of the pair's 128 rows.
    expect(equalIgnoringOutDimSizes(pair, theirs(64, n, true, [128, n], true))).toBe(true)
    const b = cuteD('B', n)
    const mine = right(
      linearLayout({
        inputs: [
          { name: 'dim0', bases: b.inputs[0]!.bases.slice(0, 6).map((x) => x.slice(0, 2)) },
          {
            name: 'dim1',
            bases: b.inputs[1]!.bases.map((x) => x.slice(0, 2)),
          },
        ],
        outputs: b.outputs.slice(0, 2),
      }),
    )
    expect(equalIgnoringOutDimSizes(renamed(right(invert(pair))), mine)).toBe(true)
  })

  test('12: A, B, D, E, F and G are injective', () => {
    for (const id of ['A', 'B', 'D', 'E', 'F', 'G'] as const)
      for (const n of [16, 32, 64, 128, 256]) expect(isInjective(cuteD(id, n))).toBe(true)
    expect(isSurjective(cuteD('D', 64))).toBe(true)
    expect(isSurjective(cuteD('F', 64))).toBe(false)
  })

  test.each([8, 16, 32])(
    "13: TCGEN05 is what 16x256b brings of both halves of a warp's lanes, %i columns",
    (n) => {
      const access = right(accessShape('16x256b', n / 8))
      const memory = right(Tmem.defaultLayout(1))
      const held = elementTable(Tiled.TCGEN05, [128, n])
      const registers = held.length / 128
      for (const thread of range(128)) {
        const [warp, lane] = [Math.floor(thread / 32), thread % 32]
        const brought = [0, 16].flatMap((half) =>
          range(registersOf(access)).map((register) => {
            const cell = cellOf(access, { thread: lane, register })
            const [i, j] = Tmem.elementAt(memory, [128, n], {
              lane: 32 * warp + half + cell.lane,
              column: cell.column,
              part: 0,
            })
            return i! * n + j!
          }),
        )
        const kept = [...held.subarray(registers * thread, registers * (thread + 1))]
        expect([...kept].sort((a, b) => a - b)).toEqual([...brought].sort((a, b) => a - b))
      }
    },
  )

  test('14: the scales of 128 rows', () => {
    same(ours(Tmem.scales, [128, 4]), triton({ _tag: 'tensor_memory_scales' }, [128, 4], 'row', 'col'))
    same(ours(Tmem.scales, [256, 16]), triton({ _tag: 'tensor_memory_scales' }, [256, 16], 'row', 'col'))
  })
})

/** (lane, column) under CuTe's names of the codomain. */
const renamed = (places: LinearLayout): LinearLayout =>
  right(linearLayout({ inputs: places.inputs, outputs: standardOutputs(outputShape(places)) }))
