/** Which buffers are operands; the oracle is the address map of matrix descriptors, which an H100 confirmed. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { elementAddress } from '../../../src/layouts/shared-memory/matrix-descriptor.js'
import type { EncodingSpec } from '../../../src/layouts/triton/encoding.js'
import type { OperandRequest, RecognisedOperand } from '../../../src/layouts/triton/mma-operand.js'
import { operandStart, recogniseOperand } from '../../../src/layouts/triton/mma-operand.js'
import type { Index, Shape } from '../../../src/transforms/shape.js'
import { swizzleOf } from '../../../src/transforms/swizzle.js'
import { indices, linearOf, nvmma } from './readers.js'
import { code, right } from '../../either.js'

const found = (spec: EncodingSpec, shape: Shape, request: OperandRequest): RecognisedOperand =>
  right(recogniseOperand(linearOf(spec, shape), request))

const form = ({
  swizzle,
  transposed,
  fp4Padded,
  tile,
  leadingBytes,
  strideBytes,
}: RecognisedOperand): unknown[] => [swizzle, transposed, fp4Padded, tile, leadingBytes, strideBytes]

/** The address that the descriptor gives to every element of an instruction's operand at this index, against where the buffer has it. */
const misread = (
  operand: RecognisedOperand,
  { bits, instruction, mnDim }: OperandRequest,
  start: readonly [number, number],
): string | null => {
  const at = operandStart(operand, bits)
  const contiguous = operand.transposed ? 0 : 1
  const address = right(
    elementAddress({
      _tag: 'wgmma',
      startBytes: at(start).bytes,
      leadingBytes: operand.leadingBytes,
      strideBytes: operand.strideBytes,
      baseOffset: 0,
      swizzle: right(swizzleOf(Math.max(16, operand.swizzle))),
    })({ major: contiguous === mnDim ? 'mn' : 'k', bits }),
  )
  for (const [a, b] of indices(instruction)) {
    const [mn, k] = mnDim === 0 ? [a!, b!] : [b!, a!]
    const wanted = at([start[0] + a!, start[1] + b!]).bytes
    if (address(mn, k) !== wanted)
      return `${[a, b].join()} at ${String(address(mn, k))}, not ${String(wanted)}`
  }
  return null
}

describe('law 1: nvmma_shared is found as itself', () => {
  test.each([
    [nvmma(128, 16), [128, 128], [64, 16], [128, false, false, [8, 64], 0, 1024]],
    [nvmma(64, 16), [128, 128], [64, 16], [64, false, false, [8, 32], 0, 512]],
    [nvmma(32, 16), [64, 16], [64, 16], [32, false, false, [8, 16], 0, 256]],
    [nvmma(128, 8), [64, 128], [64, 32], [128, false, false, [8, 128], 0, 1024]],
    [nvmma(64, 32), [64, 32], [64, 8], [64, false, false, [8, 16], 0, 512]],
    [nvmma(32, 64), [64, 4], [8, 4], [32, false, false, [8, 4], 0, 0]],
    [nvmma(128, 16, true), [128, 128], [64, 16], [128, true, false, [64, 8], 0, 1024]],
    [nvmma(64, 16, true), [128, 128], [64, 16], [64, true, false, [32, 8], 8192, 512]],
    [nvmma(32, 16, true), [64, 64], [64, 16], [32, true, false, [16, 8], 2048, 256]],
    [nvmma(128, 16), [128, 256], [128, 128], [128, false, false, [8, 64], 16384, 1024]],
    [nvmma(128, 8, false, true), [128, 128], [128, 32], [128, false, true, [8, 64], 0, 1024]],
    [nvmma(128, 8, true, true), [128, 16], [128, 16], [128, true, true, [64, 8], 2048, 1024]],
  ] as const)('%j on %j, instruction %j', (spec, shape, instruction, expected) => {
    const request = { bits: spec.elementBitWidth, instruction, mnDim: 0 } as const
    expect(form(found(spec, shape, request))).toEqual(expected)
  })
})

/** Tiles of 8 rows of 16 bytes, each contiguous: rows first, then columns. */
const tiles = (rows: number, columns: number, inTile: number, turned: boolean): EncodingSpec => {
  const powers = (from: number, to: number): readonly number[] =>
    from >= to ? [] : [from, ...powers(2 * from, to)]
  const along = (d: number, steps: readonly number[]): readonly Index[] =>
    steps.map((step) => (d === (turned ? 1 : 0) ? [step, 0] : [0, step]))
  return {
    _tag: 'shared_linear',
    offsetBases: [
      ...along(1, powers(1, inTile)),
      ...along(0, powers(1, 8)),
      ...along(0, powers(8, rows)),
      ...along(1, powers(inTile, columns)),
    ],
  }
}

describe('law 2', () => {
  test('the flat buffer is no operand, unless it is as narrow as a tile', () => {
    const request = { bits: 16, instruction: [64, 16], mnDim: 0 } as const
    expect(recogniseOperand(linearOf(nvmma(0, 16), [64, 64]), request)).toEqual(
      E.left({
        code: 'triton.not-an-operand',
        message:
          'No core tile of 8 rows of 16, 32, 64 or 128 bytes, plain or transposed, is repeated at one distance in this buffer of (64, 64)',
      }),
    )
    expect(code(recogniseOperand(linearOf(nvmma(0, 16, true), [64, 64]), request))).toBe(
      'triton.not-an-operand',
    )
    const narrow = { bits: 16, instruction: [64, 8], mnDim: 0 } as const
    expect(form(found(nvmma(0, 16), [64, 8], narrow))).toEqual([0, false, false, [8, 8], 0, 128])
  })

  test('tiles of 8 x 16 bytes are; contiguous along M or N the distances are exchanged', () => {
    const request = { bits: 16, instruction: [64, 16], mnDim: 0 } as const
    expect(form(found(tiles(64, 64, 8, false), [64, 64], request))).toEqual([
      0,
      false,
      false,
      [8, 8],
      1024,
      128,
    ])
    expect(form(found(tiles(64, 64, 8, true), [64, 64], request))).toEqual([
      0,
      true,
      false,
      [8, 8],
      128,
      1024,
    ])
    const turned = { bits: 16, instruction: [16, 64], mnDim: 1 } as const
    expect(form(found(tiles(64, 64, 8, false), [64, 64], turned))).toEqual([
      0,
      false,
      false,
      [8, 8],
      128,
      1024,
    ])
    expect(form(found(tiles(64, 64, 16, false), [64, 64], { ...request, bits: 8 }))).toEqual([
      0,
      false,
      false,
      [8, 16],
      0,
      128,
    ])
  })

  test('distances that grow are no distance', () => {
    const uneven: EncodingSpec = {
      _tag: 'shared_linear',
      offsetBases: [
        ...[1, 2, 4].map((c) => [0, c]),
        ...[1, 2, 4, 8].map((r) => [r, 0]),
        ...[8, 16].map((c) => [0, c]),
        ...[16, 32].map((r) => [r, 0]),
      ],
    }
    const request = (rows: number): OperandRequest => ({ bits: 16, instruction: [rows, 16], mnDim: 0 })
    expect(form(found(uneven, [64, 32], request(16)))).toEqual([0, false, false, [8, 8], 256, 128])
    expect(code(recogniseOperand(linearOf(uneven, [64, 32]), request(64)))).toBe('triton.not-an-operand')
  })

  test('4 bits: two elements in a byte, along the contiguous dimension', () => {
    const bytes = linearOf(nvmma(128, 8), [64, 128])
    const nibbles: EncodingSpec = {
      _tag: 'shared_linear',
      offsetBases: [[0, 1], ...bytes.inputs[0]!.bases.map(([r, c]) => [r!, 2 * c!])],
    }
    const request = { bits: 4, instruction: [64, 64], mnDim: 0 } as const
    expect(form(found(nibbles, [64, 256], request))).toEqual([128, false, false, [8, 256], 0, 1024])
  })
})

describe('law 3: the descriptor finds every element', () => {
  test.each([
    [16, nvmma(128, 16), [128, 128], [64, 16], 0, [64, 80]],
    [16, nvmma(64, 16), [128, 64], [64, 16], 0, [0, 48]],
    [8, nvmma(32, 8), [64, 64], [64, 32], 0, [0, 32]],
    [32, nvmma(128, 32), [64, 32], [64, 8], 0, [0, 16]],
    [16, nvmma(128, 16, true), [128, 64], [128, 16], 0, [0, 32]],
    [16, nvmma(64, 16, true), [128, 64], [128, 16], 0, [0, 16]],
    [16, nvmma(128, 16), [64, 128], [16, 128], 1, [48, 0]],
    [16, nvmma(32, 16), [64, 128], [16, 64], 1, [16, 64]],
    [16, tiles(64, 64, 8, false), [64, 64], [64, 16], 0, [0, 32]],
    [16, tiles(64, 64, 8, true), [64, 64], [64, 16], 0, [0, 48]],
    [16, tiles(64, 64, 8, false), [64, 64], [16, 64], 1, [32, 0]],
    [8, tiles(64, 64, 16, false), [64, 64], [64, 32], 0, [0, 32]],
  ] as const)(
    '%i bits, %j on %j, instruction %j, mn %i, from %j',
    (bits, spec, shape, instruction, mnDim, start) => {
      const request: OperandRequest = { bits, instruction, mnDim }
      expect(misread(found(spec, shape, request), request, start)).toBe(null)
    },
  )

  test('the base offset is the row of 128 bytes within the period', () => {
    const operand = found(nvmma(128, 16), [64, 128], { bits: 16, instruction: [1, 16], mnDim: 0 })
    const start = operandStart(operand, 16)
    expect(start([0, 16])).toEqual({ bytes: 32, baseOffset: 0 })
    // Row 3 of the second panel: 8192 and 3 rows, chunk 0 xor 3.
    expect(start([3, 64])).toEqual({ bytes: 8192 + 384 + 48, baseOffset: 3 })
    expect(start([8, 0])).toEqual({ bytes: 1024, baseOffset: 0 })
    const half = operandStart(
      found(nvmma(64, 16), [64, 32], { bits: 16, instruction: [1, 16], mnDim: 0 }),
      16,
    )
    expect(half([14, 0])).toEqual({ bytes: 14 * 64 + 48, baseOffset: 3 })
    const flat = operandStart(
      found(tiles(64, 64, 8, false), [64, 64], { bits: 16, instruction: [8, 8], mnDim: 0 }),
      16,
    )
    expect(flat([8, 0])).toEqual({ bytes: 128, baseOffset: 0 })
  })
})

describe('requests that are refused', () => {
  const layout = linearOf(nvmma(128, 16), [64, 64])
  const request: OperandRequest = { bits: 16, instruction: [64, 64], mnDim: 0 }
  test('at the buffer, and beyond', () => {
    expect(E.isRight(recogniseOperand(layout, request))).toBe(true)
    for (const instruction of [
      [128, 64],
      [64, 128],
    ] as const)
      expect(recogniseOperand(layout, { ...request, instruction })).toEqual(
        E.left({
          code: 'triton.too-small',
          message: `The instruction reads (${instruction.join(', ')}), but the buffer has (64, 64)`,
        }),
      )
    expect(recogniseOperand(layout, { ...request, bits: 6 })).toEqual(
      E.left({
        code: 'triton.element-bits',
        message: 'Operands have elements of 4, 8, 16, 32 or 64 bits, found 6',
      }),
    )
    const holes = {
      ...layout,
      inputs: layout.inputs.map(({ name, bases }) => ({ name, bases: bases.slice(1) })),
    }
    expect(code(recogniseOperand(holes, request))).toBe('linear.not-surjective')
  })
})
