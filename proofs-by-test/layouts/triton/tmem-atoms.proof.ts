/** The loads and stores of tensor memory: PTX's fragments, and what compiles to which. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { invertAndCompose } from '../../../src/layouts/linear/inverse.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply, inputSize, isInjective } from '../../../src/layouts/linear/linear-layout.js'
import { sameFunction } from '../../../src/layouts/register-layout.js'
import { TMEM_NATIVE } from '../../../src/layouts/tiled.js'
import type { EncodingSpec } from '../../../src/layouts/triton/encoding.js'
import type { AtomName, Transfer } from '../../../src/layouts/triton/tmem-atoms.js'
import { atomNames, message, registersOf, transferOf } from '../../../src/layouts/triton/tmem-atoms.js'
import type { Shape } from '../../../src/transforms/shape.js'
import { basesByInput, blocked, indices, linearOf, mmaV3, range, tmem } from './readers.js'
import { code, right } from '../../either.js'

/** Thread t, register r -> row and column, as PTX gives them. */
const fragment: Readonly<Record<AtomName, (t: number, r: number) => readonly [number, number]>> = {
  '32x32b': (t, r) => [t, r],
  '16x64b': (t, r) => [(t >> 2) + 8 * (t & 1), 2 * r + ((t >> 1) & 1)],
  '16x128b': (t, r) => [(t >> 2) + 8 * (r & 1), 4 * (r >> 1) + (t & 3)],
  '16x256b': (t, r) => [(t >> 2) + 8 * ((r >> 1) & 1), 8 * (r >> 2) + 2 * (t & 3) + (r & 1)],
  '16x32bx2': (t, r) => [t & 15, r],
}

describe('laws 1 and 2', () => {
  test.each(atomNames.flatMap((name) => [1, 2, 4, 8].map((repeats) => [name, repeats] as const)))(
    '%s.x%i is the fragment of PTX, injective',
    (name, repeats) => {
      const layout = right(message(name, repeats))
      const registers = repeats * registersOf(name)
      const lanes = name === '16x32bx2' ? 16 : 32
      expect([inputSize(layout, 'register'), inputSize(layout, 'lane')]).toEqual([registers, lanes])
      expect(isInjective(layout)).toBe(true)
      for (const [warp, t, r] of indices([4, lanes, registers])) {
        const [row, column] = fragment[name](t!, r!)
        const cell = apply(layout)({ warp: warp!, lane: t!, register: r! })
        if (cell.join() !== [32 * warp! + row, column].join()) expect.fail(`${String(t)} ${String(r)}`)
      }
      const wide = { '32x32b': 1, '16x64b': 2, '16x128b': 4, '16x256b': 8, '16x32bx2': 1 }[name]
      expect(layout.outputs).toEqual([
        { name: 'row', size: 128 },
        { name: 'col', size: wide * repeats },
      ])
    },
  )

  test('unpacked: every register takes two 16-bit columns', () => {
    const layout = right(message('16x128b', 2, true))
    expect(basesByInput(layout)).toEqual({
      register: [
        [8, 0],
        [0, 8],
      ],
      lane: [
        [0, 2],
        [0, 4],
        [1, 0],
        [2, 0],
        [4, 0],
      ],
      warp: [
        [32, 0],
        [64, 0],
      ],
    })
    expect(layout.outputs.map(({ size }) => size)).toEqual([128, 16])
  })

  test('repeats are powers of two', () => {
    expect(code(message('32x32b', 3))).toBe('linear.output-size')
  })

  test('rows per thread is TMEM_NATIVE', () => {
    const layout = linearOf(blocked([1, 8], [32, 1], [4, 1], [0, 1]), [128, 8])
    for (const v of [1, 2, 4]) expect(sameFunction(layout, right(TMEM_NATIVE(v)), [128, 8])).toBe(true)
    expect(basesByInput(right(message('32x32b', 8)))['register']).toEqual([
      [0, 1],
      [0, 2],
      [0, 4],
    ])
  })
})

const rows: EncodingSpec = blocked([1, 64], [32, 1], [4, 1], [0, 1])
const shown = ({ repetitions, ...rest }: Transfer): unknown => ({ ...rest, bits: basesByInput(repetitions) })
const summary = (
  registers: EncodingSpec | LinearLayout,
  memory: EncodingSpec,
  shape: Shape,
  bits: number,
  max?: number,
): string => {
  const from = registers._tag === 'linear' && 'inputs' in registers ? registers : linearOf(registers, shape)
  const result = transferOf(from, linearOf(memory, shape), bits, max)
  if (E.isLeft(result)) return result.left.message
  const { atom, repeats, messages, elementsPerRegister, unpacked, padded, secondHalf, registersPerMessage } =
    result.right
  expect(registersPerMessage).toBe(repeats * registersOf(atom))
  return [
    `${String(messages)} x ${atom}.x${String(repeats)}`,
    `${String(elementsPerRegister)} in a register`,
    ...(unpacked ? ['unpacked'] : []),
    ...(padded ? ['padded'] : []),
    ...(secondHalf === null ? [] : [`second half +${String(secondHalf.row)},${String(secondHalf.column)}`]),
  ].join(', ')
}

describe('what compiles to which', () => {
  test.each([
    ['a row a lane', rows, tmem(128, 64), [128, 64], 32, '1 x 32x32b.x64, 1 in a register'],
    ['16 bits packed', rows, tmem(128, 64), [128, 64], 16, '1 x 32x32b.x32, 2 in a register'],
    ['8 bits packed', rows, tmem(128, 64), [128, 64], 8, '1 x 32x32b.x16, 4 in a register'],
    [
      '16 bits in words',
      rows,
      tmem(128, 64, { colStride: 2 }),
      [128, 64],
      16,
      '1 x 32x32b.x32, 2 in a register, unpacked',
    ],
    [
      'one column of 16 bits in words',
      blocked([1, 1], [32, 1], [4, 1], [0, 1]),
      tmem(128, 1, { colStride: 2 }),
      [128, 1],
      16,
      '1 x 32x32b.x1, 1 in a register, unpacked, padded',
    ],
    [
      '8 bits in words',
      rows,
      tmem(128, 64, { colStride: 4 }),
      [128, 64],
      8,
      '1 x 32x32b.x64, 1 in a register, padded',
    ],
    [
      '16 bits in every other word',
      rows,
      tmem(128, 64, { colStride: 4 }),
      [128, 64],
      16,
      '64 x 32x32b.x1, 1 in a register, unpacked, padded',
    ],
    ['128 registers', rows, tmem(128, 128), [128, 128], 32, '1 x 32x32b.x128, 1 in a register'],
    ['256 registers', rows, tmem(128, 256), [128, 256], 32, '4 x 32x32b.x64, 1 in a register'],
    ['accumulators of 64 rows', mmaV3(64), tmem(64, 64), [64, 64], 32, '1 x 16x256b.x8, 1 in a register'],
    ['the same in 16 bits', mmaV3(64), tmem(64, 64), [64, 64], 16, '1 x 16x128b.x8, 2 in a register'],
    [
      'two of them, one after the other',
      mmaV3(32),
      tmem(64, 32),
      [64, 64],
      32,
      '2 x 16x256b.x4, 1 in a register',
    ],
  ] as const)('%s', (_, registers, memory, shape, bits, expected) => {
    expect(summary(registers, memory, shape, bits)).toBe(expected)
  })

  test('fewer registers, shorter messages', () => {
    expect(summary(rows, tmem(128, 128), [128, 128], 32, 128)).toBe('2 x 32x32b.x64, 1 in a register')
    expect(summary(rows, tmem(128, 64), [128, 64], 32, 32)).toBe('4 x 32x32b.x16, 1 in a register')
    expect(summary(mmaV3(64), tmem(64, 64), [64, 64], 32, 32)).toBe('2 x 16x256b.x4, 1 in a register')
  })

  const lanes = (
    bases: readonly (readonly number[])[],
    register: readonly (readonly number[])[],
  ): EncodingSpec => ({
    _tag: 'linear',
    layout: {
      ...linearOf(rows, [128, 64]),
      inputs: [
        { name: 'register', bases: register },
        { name: 'lane', bases },
        {
          name: 'warp',
          bases: [
            [32, 0],
            [64, 0],
          ],
        },
        { name: 'block', bases: [] },
      ],
    },
  })
  const columns = (...steps: readonly number[]): readonly (readonly number[])[] =>
    steps.map((step) => [0, step])
  const down = (...steps: readonly number[]): readonly (readonly number[])[] => steps.map((step) => [step, 0])

  test('16x64b, and registers in another order', () => {
    expect(
      summary(
        lanes([...down(8), ...columns(1), ...down(1, 2, 4)], [...down(16), ...columns(4, 2, 8, 16, 32)]),
        tmem(128, 64),
        [128, 64],
        32,
      ),
    ).toBe('2 x 16x64b.x32, 1 in a register')
  })

  test('16x128b: 4 lanes to a row', () => {
    expect(
      summary(
        lanes([...columns(1, 2), ...down(1, 2, 4)], [...down(8, 16), ...columns(4, 8, 16, 32)]),
        tmem(128, 64),
        [128, 64],
        32,
      ),
    ).toBe('2 x 16x128b.x16, 1 in a register')
  })

  test('16x32bx2: the lanes 16 to 31 on the right', () => {
    const registers = lanes([...down(1, 2, 4, 8), ...columns(32)], [...columns(1, 2, 4, 8, 16), ...down(16)])
    expect(summary(registers, tmem(128, 64), [128, 64], 32)).toBe(
      '2 x 16x32bx2.x32, 1 in a register, second half +0,32',
    )
    const { repetitions } = right(
      transferOf(linearOf(registers, [128, 64]), linearOf(tmem(128, 64), [128, 64]), 32),
    )
    const zeros = (count: number): readonly (readonly number[])[] => range(count).map(() => [0, 0])
    expect(basesByInput(repetitions)).toEqual({
      register: [...zeros(5), [16, 0]],
      lane: zeros(5),
      warp: zeros(2),
    })
  })

  test('pairs of bytes in words: packed, then unpacked', () => {
    const memory = linearOf(tmem(128, 64), [128, 64])
    const spread = {
      ...memory,
      inputs: memory.inputs.map(({ name, bases }) => ({
        name,
        bases: name === 'col' ? [bases[0]!, [0, 0], ...bases.slice(1)] : bases,
      })),
    }
    const transfer = right(transferOf(linearOf(rows, [128, 64]), spread, 8))
    expect([transfer.atom, transfer.repeats, transfer.elementsPerRegister, transfer.unpacked]).toEqual([
      '32x32b',
      16,
      4,
      true,
    ])
  })

  test('no shape: lanes along columns', () => {
    const none = 'No shape of tcgen05.ld or st moves elements of 32 bits between these layouts'
    expect(
      summary(
        lanes(columns(1, 2, 4, 8, 16), [...columns(32), ...down(1, 2, 4, 8, 16)]),
        tmem(128, 64),
        [128, 64],
        32,
      ),
    ).toBe(none)
    expect(summary(rows, tmem(128, 64, { colStride: 2 }), [128, 64], 8)).toBe(none.replace('32', '8'))
  })
})

describe('law 3: message and repetitions are the map', () => {
  test.each([
    [rows, tmem(128, 256), [128, 256]],
    [mmaV3(32), tmem(64, 32), [64, 64]],
    [blocked([1, 128], [32, 1], [4, 2], [0, 1]), tmem(128, 256), [128, 256]],
  ] as const)('%j in %j on %j', (registers, memory, shape) => {
    const [from, to] = [linearOf(registers, shape), linearOf(memory, shape)]
    const transfer = right(transferOf(from, to, 32))
    const tile = right(message(transfer.atom, transfer.repeats))
    const cells = (warp: number, lane: number): string =>
      range(transfer.messages * transfer.registersPerMessage)
        .map((register) => {
          const rest = apply(transfer.repetitions)({ warp, lane, register })
          return apply(tile)({ warp: warp % 4, lane, register: register % transfer.registersPerMessage })
            .map((v, d) => v ^ rest[d]!)
            .join()
        })
        .sort()
        .join(' ')
    const map = apply(right(invertAndCompose(from, to)))
    for (const warp of range(inputSize(from, 'warp')))
      for (const lane of [0, 1, 6, 17, 31])
        expect(cells(warp, lane)).toBe(
          range(inputSize(from, 'register'))
            .map((register) => map({ warp, lane, register }).slice(0, 2).join())
            .sort()
            .join(' '),
        )
  })

  test('replicated registers are moved once', () => {
    const narrow = blocked([1, 64], [32, 1], [4, 1], [0, 1])
    expect(summary(narrow, tmem(128, 16), [128, 16], 32)).toBe('1 x 32x32b.x16, 1 in a register')
    expect(
      shown(right(transferOf(linearOf(narrow, [128, 2]), linearOf(tmem(128, 2), [128, 2]), 32))),
    ).toEqual({
      atom: '32x32b',
      repeats: 2,
      registersPerMessage: 2,
      messages: 1,
      elementsPerRegister: 1,
      unpacked: false,
      padded: false,
      secondHalf: null,
      bits: {
        register: [[0, 0]],
        lane: range(5).map(() => [0, 0]),
        warp: [
          [0, 0],
          [0, 0],
        ],
      },
    })
  })

  test('replicated quarters: every warp reads its own', () => {
    const scales: EncodingSpec = { _tag: 'tensor_memory_scales' }
    const registers: EncodingSpec = {
      _tag: 'linear',
      layout: {
        ...linearOf(blocked([1, 4], [32, 1], [4, 1], [1, 0]), [128, 4]),
        inputs: [
          {
            name: 'register',
            bases: [
              [0, 1],
              [0, 2],
              [32, 0],
              [64, 0],
            ],
          },
          {
            name: 'lane',
            bases: [
              [1, 0],
              [2, 0],
              [4, 0],
              [8, 0],
              [16, 0],
            ],
          },
          {
            name: 'warp',
            bases: [
              [0, 0],
              [0, 0],
            ],
          },
          { name: 'block', bases: [] },
        ],
      },
    }
    expect(summary(registers, scales, [128, 4], 8)).toBe('1 x 32x32b.x4, 4 in a register')
  })
})

describe('refused', () => {
  const message32 = (bit: number, row: number, wanted: string, found: string): string =>
    `Warp bit ${String(bit)} must hold what row ${String(row)} holds, [${wanted}], found [${found}]`
  test('warps that do not reach their rows', () => {
    const turned = blocked([1, 64], [32, 1], [2, 2], [1, 0])
    expect(transferOf(linearOf(turned, [128, 128]), linearOf(tmem(128, 128), [128, 128]), 32)).toEqual(
      E.left({ code: 'triton.transfer', message: message32(0, 32, '32, 0', '0, 64') }),
    )
    const two = blocked([1, 64], [32, 1], [2, 1], [1, 0])
    expect(transferOf(linearOf(two, [128, 64]), linearOf(tmem(128, 64), [128, 64]), 32)).toEqual(
      E.left({ code: 'triton.transfer', message: message32(1, 64, '64, 0', '') }),
    )
  })

  test('memory without those rows', () => {
    const narrow: EncodingSpec = {
      _tag: 'linear',
      layout: linearOf(blocked([1, 1], [32, 1], [4, 1], [0, 1]), [128, 1]),
    }
    const memory = linearOf(tmem(128, 1), [128, 1])
    const inputs = memory.inputs.map(({ name, bases }) => ({
      name,
      bases: name === 'row' ? bases.slice(0, 5) : bases,
    }))
    expect(transferOf(linearOf(narrow, [128, 1]), { ...memory, inputs }, 32)).toEqual(
      E.left({ code: 'triton.transfer', message: message32(0, 32, '', '32, 0') }),
    )
  })

  test('blocks that hold other elements', () => {
    const registers = linearOf(
      { ...blocked([1, 64], [32, 1], [4, 1], [0, 1]), cgaBases: [[0, 1]] },
      [128, 128],
    )
    const memory = linearOf(tmem(128, 64, { cgaBases: [[0, 1]] }), [128, 128])
    expect(E.isRight(transferOf(registers, memory, 32))).toBe(true)
    const whole = {
      ...memory,
      inputs: memory.inputs.map((input) =>
        input.name === 'block'
          ? { name: 'block', bases: [] }
          : input.name === 'col'
            ? { name: 'col', bases: [...input.bases, [0, 64]] }
            : input,
      ),
    }
    expect(transferOf(registers, whole, 32)).toEqual(
      E.left({
        code: 'triton.transfer',
        message: 'Registers and tensor memory must be distributed over the blocks in the same way',
      }),
    )
  })

  test('elements of other sizes, tensors of other shapes', () => {
    expect(transferOf(linearOf(rows, [128, 64]), linearOf(tmem(128, 64), [128, 64]), 64)).toEqual(
      E.left({ code: 'triton.element-bits', message: 'Elements must have 8, 16 or 32 bits, found 64' }),
    )
    expect(code(transferOf(linearOf(rows, [128, 64]), linearOf(tmem(128, 32), [128, 32]), 32))).toBe(
      'linear.size',
    )
  })
})
