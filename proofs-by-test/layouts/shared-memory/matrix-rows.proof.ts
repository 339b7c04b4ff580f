/** Matrix rows against CuTe's copy traits, and against the figure of one matrix. */
import { describe, expect, test } from 'vitest'
import {
  matrixByteAt,
  matrixBytes,
  matrixRowBytes,
  registersOfMatrix,
  rowsOfMatrix,
  type MatrixShape,
} from '../../../src/layouts/shared-memory/matrix-rows.js'
import { modes, size } from '../../../src/layouts/cute/layout.js'
import { image, L, range } from '../cute/readers.js'

interface Trait {
  readonly shape: MatrixShape
  readonly transposed: boolean
  readonly count: 1 | 2 | 4
  /** (lane, bit of the row whose address it gives) to bit; (lane, bit of its registers) to bit */
  readonly memory: string
  readonly registers: string
}

const trait = (
  shape: MatrixShape,
  transposed: boolean,
  count: 1 | 2 | 4,
  memory: string,
  registers: string,
): Trait => ({ shape, transposed, count, memory, registers })

const one = '((8,4),128):((128,0),1)'
const two = '((16,2),128):((128,0),1)'
const four = '(32,128):(128,1)'

/** CuTe: SM75_U32x1_LDSM_N and on, SM75_U16x2_LDSM_T and on, SM100_U8x8_LDSM_T, SM100_SU4_DU8x16_x1_LDSM_N and on, SM100_U8x4_STSM_T and on. */
const traits: ReadonlyArray<Trait> = [
  ...(['m8n8', 'm8n16'] as const).flatMap((shape) => [
    trait(shape, false, 1, one, '(32,32):(32,1)'),
    trait(shape, false, 2, two, '(32,(32,2)):(32,(1,1024))'),
    trait(shape, false, 4, four, '(32,(32,4)):(32,(1,1024))'),
  ]),
  trait('m8n8', true, 1, one, '((4,8),(16,2)):((256,16),(1,128))'),
  trait('m8n8', true, 2, two, '((4,8),(16,2,2)):((256,16),(1,128,1024))'),
  trait('m8n8', true, 4, four, '((4,8),(16,2,4)):((256,16),(1,128,1024))'),
  trait('m16n8', true, 1, one, '((4,8),(8,2,2)):((256,8),(1,128,64))'),
  trait('m16n8', true, 2, two, '((4,8),(8,2,2,2)):((256,8),(1,128,64,1024))'),
  trait('m16n8', true, 4, four, '((4,8),(8,2,2,4)):((256,8),(1,128,64,1024))'),
  trait(
    'm16n16',
    true,
    1,
    '((2,2,4,2),128):((128,1024,256,0),1)',
    '((4,8),(8,2,2,2)):((256,8),(1,128,64,1024))',
  ),
  trait(
    'm16n16',
    true,
    2,
    '((2,2,4,2),128):((128,1024,256,2048),1)',
    '((4,8),(8,2,2,4)):((256,8),(1,128,64,1024))',
  ),
]

const name = (t: Trait): string => `${t.shape}.x${String(t.count)}${t.transposed ? '.trans' : ''}`

describe('law 3: the copy traits of CuTe', () => {
  test.each(traits.map((t) => [name(t), t] as const))('%s', (_, t) => {
    const memory = L(t.memory)
    const registers = L(t.registers)
    const [inMemory, inRegisters] = [image(memory), image(registers)]
    const lanesOf = (l: typeof memory): number => size(modes(l)[0]!)
    expect([lanesOf(memory), lanesOf(registers)]).toEqual([32, 32])
    const bits = 32 * t.count * registersOfMatrix(t.shape)
    expect(size(modes(registers)[1]!)).toBe(bits)
    // the lane that gives the address of the row in which a bit lies, the first of several
    const rowOf = new Map<number, number>()
    for (let lane = 31; lane >= 0; lane--)
      for (let bit = 0; bit < 128; bit++) rowOf.set(inMemory[lane + 32 * bit]!, 128 * lane + bit)
    for (let lane = 0; lane < 32; lane++)
      for (let bit = 0; bit < bits; bit += 8) {
        const at = rowOf.get(inRegisters[lane + 32 * bit]!)!
        const byte = bit / 8
        expect(
          8 * matrixByteAt(t.shape, t.transposed, lane, Math.floor(byte / 4), byte % 4),
          `lane ${String(lane)} byte ${String(byte)}`,
        ).toBe(at)
      }
  })
})

test.each(traits.map((t) => [name(t), t] as const))('law 1: %s is a bijection', (_, t) => {
  const bytes = [...matrixBytes(t.shape, t.transposed, t.count)]
  expect([...bytes].sort((a, b) => a - b)).toEqual(range(t.count * rowsOfMatrix(t.shape) * matrixRowBytes))
  expect(matrixBytes(t.shape, t.transposed, t.count)[4 * 5 * t.count * registersOfMatrix(t.shape) + 2]).toBe(
    matrixByteAt(t.shape, t.transposed, 5, 0, 2),
  )
})

test('law 2: lane l has columns 2(l%4) and 2(l%4)+1 of row l/4', () => {
  for (const transposed of [false, true])
    for (let j = 0; j < 4; j++)
      for (let row = 0; row < 8; row++)
        for (let column = 0; column < 8; column++) {
          const lane = 4 * row + (column >> 1)
          const [r, c] = transposed ? [column, row] : [row, column]
          for (const byte of [0, 1])
            expect(matrixByteAt('m8n8', transposed, lane, j, 2 * (column & 1) + byte)).toBe(
              16 * (8 * j + r) + 2 * c + byte,
            )
        }
})
