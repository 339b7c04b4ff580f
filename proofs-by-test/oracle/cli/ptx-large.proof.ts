/**
 * Tensors that no plane takes. Oracle: where the bytes lie by arithmetic on numbers without a width, and with the width of the registers that the kernel computes in.
 */
import { describe, expect, test } from 'vitest'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { npy } from '../../dialects/ptx/small-kernels.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

/** Word `row * stride + tid` of x goes, with one more, to word `at * stride + tid` of y; by CTA, `row` and `at` count on. Offsets are 64 bits wide, or 32 and then extended. */
const kernel = (wide: boolean): string => `.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 py, .param .u32 row, .param .u32 stride, .param .u32 step) {
.reg .b32 %r<16>; .reg .b64 %rd<16>;
ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py]; ld.param.u32 %r1, [row]; ld.param.u32 %r2, [stride]; ld.param.u32 %r3, [step];
mov.u32 %r4, %ctaid.x; mul.lo.s32 %r5, %r4, %r3; add.s32 %r1, %r1, %r5; mov.u32 %r6, %tid.x;
${
  wide
    ? 'mul.wide.s32 %rd3, %r1, %r2; cvt.s64.s32 %rd4, %r6; add.s64 %rd3, %rd3, %rd4;'
    : 'mul.lo.s32 %r7, %r1, %r2; add.s32 %r7, %r7, %r6; cvt.s64.s32 %rd3, %r7;'
}
shl.b64 %rd3, %rd3, 2; add.s64 %rd5, %rd1, %rd3; add.s64 %rd6, %rd2, %rd3;
ld.global.b32 %r8, [%rd5]; add.s32 %r8, %r8, %r4; st.global.b32 [%rd6], %r8;
ret;
}`

interface Case {
  readonly wide?: boolean
  readonly row: number
  readonly stride?: number
  readonly step?: number
  readonly grid?: number
  /** elements of x, and of y */
  readonly of?: readonly [number, number]
  readonly role?: 'out' | 'inout'
  readonly given?: boolean
}

const asked = async (c: Case) => {
  const { wide = true, row, stride = 2 ** 20, step = 0, grid = 1, of = [2 ** 34, 2 ** 34] } = c
  const pointer = (name: string, role: string, n: number, file: string | null) =>
    ({ kind: 'pointer', tensor: name, dtype: 'u32', shape: [n], role, file }) as const
  const [x, y] = of
  const launch = {
    grid: [grid],
    block: [32],
    args: [
      pointer('x', 'in', x, c.given === true ? 'x.npy' : null),
      pointer('y', c.role ?? 'inout', y, null),
      row,
      stride,
      step,
    ],
    outputs: [],
  }
  const bytes = (s: string): Uint8Array => new TextEncoder().encode(s)
  const disk = inMemory(
    new Map([
      ['k.ptx', bytes(kernel(wide))],
      ['l.json', bytes(JSON.stringify(launch))],
      ['x.npy', npy(new Uint32Array(64))],
    ]),
  )
  return running(worldOf(disk))('check', 'k.ptx', '--launch', 'l.json', '--json')
}
const verdictOf = async (c: Case): Promise<Verdict> =>
  right(decodeVerdict(JSON.parse((await asked(c)).stdout)))
const said = async (c: Case): Promise<string> => {
  const { verdict, findings } = await verdictOf(c)
  return [verdict, ...new Set(findings.map(({ id }) => id))].join(' ')
}

/** The word that a register of 32 bits says. */
const wrapped = (n: bigint): bigint => BigInt.asIntN(32, n)

describe('64 GiB, of which nobody touches more than a few words', () => {
  test.each([0, 1, 127, 128, 2048, 4095, 4096, 16_383])('row %i by offsets of 64 bits', async (row) => {
    expect(await said({ row })).toBe('ok')
  })
  test('offsets of 32 bits that wrap round leave the tensor, or come back to another element', async () => {
    for (const row of [1, 2047, 2048, 3000, 4095, 4096, 5000, 16_383]) {
      const meant = BigInt(row) * 2n ** 20n
      expect([row, await said({ wide: false, row })]).toEqual([
        row,
        wrapped(meant) === meant ? 'ok' : 'invalid I2',
      ])
    }
  })
  test('one that comes back is told with the byte that is meant', async () => {
    const { findings } = await verdictOf({ wide: false, row: 5000 })
    // row 5000 of 2^20 words is byte 5000 * 2^22; in 32 bits it is row 904
    expect(findings[0]?.text).toBe(
      `lane 0: bytes ${String(904 * 2 ** 22)}..${String(904 * 2 ** 22 + 4)} of x are in bounds only because the offset wrapped round in 32 bits: byte ${String(5000 * 2 ** 22)} is meant`,
    )
  })
  test('a CTA that wraps is found beside one that does not', async () => {
    expect(await said({ wide: false, row: 1, step: 4095, grid: 2 })).toBe('invalid I2')
    expect(await said({ wide: true, row: 1, step: 4095, grid: 2 })).toBe('ok')
  })
  test('the last byte is there and the next is not', async () => {
    const n = 2 ** 31 + 100
    const last = (row: number): Case => ({ row, stride: 1, of: [n, n] })
    expect(await said({ row: 2 ** 20, stride: 2048, of: [n, n] })).toBe('ok')
    expect(await said({ row: 2 ** 20, stride: 2048, of: [2 ** 31 + 32, n] })).toBe('ok')
    expect(await said({ row: 2 ** 20, stride: 2048, of: [2 ** 31 + 31, n] })).toBe('invalid I2')
    expect(await said(last(5))).toBe('ok')
  })
  test('lanes that lie in two pieces, and in two windows', async () => {
    for (const first of [2 ** 27 - 16, 2 ** 30 - 16])
      expect([first, await said({ row: 1, stride: first })]).toEqual([first, 'ok'])
  })
  test('CTAs that write one far place race, and those that write two do not', async () => {
    for (const row of [5, 3000, 12_000]) {
      expect(await said({ row, grid: 3 })).toBe('hazard D3')
      expect(await said({ row, grid: 3, step: 1 })).toBe('ok')
      // as far as the places of two planes are alike
      expect(await said({ row, grid: 2, step: 128 })).toBe('ok')
      expect(await said({ row, grid: 2, step: 1024 })).toBe('ok')
    }
  })
  test('an output of which little is written says so', async () => {
    const { findings } = await verdictOf({ row: 0, of: [64, 2 ** 30], role: 'out' })
    expect([...new Set(findings.map(({ id }) => id))]).toEqual(['O1'])
    expect(findings).toHaveLength(8)
  })
  test('data of such a tensor is refused', async () => {
    const { stderr } = await asked({ row: 0, given: true })
    expect(stderr).toContain('x: expected at most 2147483647 bytes, found 68719476736')
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
