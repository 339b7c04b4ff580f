/** Bank conflicts: the rule against the hardware's counters, and its laws. */
import { describe, expect, test } from 'vitest'
import {
  accessNamed,
  addressCount,
  bytesPerAddress,
  idealWavefronts,
  showAccess,
  turns,
  wavefronts,
  type AccessBytes,
  type BankAccess,
  type BankVerdict,
} from '../../../src/layouts/shared-memory/banks.js'
import { swizzleAddress } from '../../../src/transforms/swizzle.js'
import { bankPatterns, range } from './captured.js'
import { code, right } from '../../either.js'

const patterns = bankPatterns()
const load = (bytes: AccessBytes): BankAccess => ({ _tag: 'load', bytes })
const store = (bytes: AccessBytes): BankAccess => ({ _tag: 'store', bytes })
const of = (access: BankAccess, addresses: readonly (number | null)[]): BankVerdict =>
  right(wavefronts(access)(addresses))
const judge = () =>
  patterns.map((p) => {
    const access = right(accessNamed(p.op))
    const addresses = p.offsets.map((a) => (a < 0 ? null : a))
    return { ...p, access, addresses, verdict: of(access, addresses) }
  })
const lanes = range(32)

test('law 5: the turns of a phase are its degree, and deliver every word that its lanes want once', () => {
  for (const { access, addresses, verdict } of judge()) {
    const each = right(turns(access)(addresses))
    expect(verdict.phases.map((_, phase) => each.filter((t) => t.phase === phase).length)).toEqual(
      verdict.phases,
    )
    const size = addresses.length / verdict.phases.length
    verdict.phases.forEach((_, phase) => {
      const words = each.filter((t) => t.phase === phase).map((t) => t.words)
      for (const turn of words) expect(new Set(turn.map(({ bank }) => bank)).size).toBe(turn.length)
      const wanted = new Map<number, number[]>()
      addresses.forEach((a, lane) => {
        if (a === null || Math.floor(lane / size) !== phase) return
        for (let byte = a - (a % 4); byte < a + bytesPerAddress(access); byte += 4)
          wanted.set(byte, [...(wanted.get(byte) ?? []), lane])
      })
      expect(
        words
          .flat()
          .map(({ byte, lanes: of }) => [byte, of] as const)
          .sort(([x], [y]) => x - y),
      ).toEqual([...wanted].sort(([x], [y]) => x - y))
      expect(words.flat().every(({ bank, byte }) => bank === (byte / 4) % 32)).toBe(true)
    })
  }
  expect(code(turns(load(4))([0]))).toBe('banks.lanes')
})

describe('law 1 on silicon', () => {
  test(`wavefronts and conflicts of ${String(patterns.length)} measured accesses`, () => {
    expect(patterns.length).toBe(683)
    const different = judge().filter(
      ({ verdict, ...p }) => verdict.wavefronts !== p.wavefronts || verdict.conflicts !== p.conflicts,
    )
    expect(different.map((p) => `${p.op} ${p.name}`)).toEqual([])
  })

  test('the capture has every kind of access, partly active warps, and both pairings', () => {
    const judged = judge()
    expect(new Set(judged.map(({ op }) => op)).size).toBe(16)
    expect(judged.filter(({ addresses }) => addresses.includes(null)).length).toBe(153)
    for (const pairing of [1, 2, null])
      expect(judged.filter(({ verdict }) => verdict.pairing === pairing).length).toBeGreaterThan(10)
  })
})

test('law 2: wavefronts without conflicts are the non-empty phases, at most the ideal', () => {
  for (const { access, verdict } of judge()) {
    const busy = verdict.phases.filter((d) => d > 0).length
    expect(verdict.wavefronts - verdict.conflicts).toBe(busy)
    expect(busy).toBeLessThanOrEqual(idealWavefronts(access))
  }
})

test('law 3: the base and the order of the lanes of a phase do not matter', () => {
  for (const { access, addresses, verdict } of judge()) {
    expect(
      of(
        access,
        addresses.map((a) => (a === null ? null : a + 128 * 77)),
      ),
    ).toEqual(verdict)
    if (access._tag !== 'load') {
      const reversed = lanes.slice(0, addresses.length).map((i) => addresses[i ^ 7]!)
      expect(of(access, reversed)).toEqual(verdict)
    }
  }
})

test('law 4: a lane less never costs more', () => {
  for (const { access, addresses, verdict } of judge())
    for (const gone of [0, 5, addresses.length - 1]) {
      const fewer = of(
        access,
        addresses.map((a, i) => (i === gone ? null : a)),
      )
      expect(fewer.wavefronts).toBeLessThanOrEqual(verdict.wavefronts)
    }
})

describe('worked by hand', () => {
  const strided = (bytes: number) => lanes.map((i) => bytes * i)

  test('the header', () => {
    expect(of(load(4), strided(8))).toEqual({ phases: [2], wavefronts: 2, conflicts: 1, pairing: null })
    expect(of(load(16), strided(16))).toEqual({
      phases: [1, 1, 1, 1],
      wavefronts: 4,
      conflicts: 0,
      pairing: null,
    })
    expect(of(load(16), strided(128))).toEqual({
      phases: [8, 8, 8, 8],
      wavefronts: 32,
      conflicts: 28,
      pairing: null,
    })
  })

  test('one value for all: a load pairs up, a store does not', () => {
    const all = lanes.map(() => 64)
    expect(of(load(8), all)).toEqual({ phases: [1], wavefronts: 1, conflicts: 0, pairing: 1 })
    expect(of(store(8), all)).toEqual({ phases: [1, 1], wavefronts: 2, conflicts: 0, pairing: null })
    expect(of(load(16), all)).toEqual({ phases: [1, 1], wavefronts: 2, conflicts: 0, pairing: 1 })
    expect(of(load(4), all).pairing).toBeNull()
  })

  test('pairs: lanes 1 or 2 apart over the whole warp, not mixed, not 4 apart', () => {
    const at = (f: (i: number) => number) =>
      of(
        load(8),
        lanes.map((i) => 8 * f(i)),
      ).pairing
    expect(at((i) => i >> 1)).toBe(1)
    expect(at((i) => (i & 1) + 2 * (i >> 2))).toBe(2)
    expect(at((i) => (i & 3) + 4 * (i >> 3))).toBeNull()
    expect(at((i) => (i < 16 ? i >> 1 : i))).toBeNull()
    expect(at((i) => (i < 16 ? i >> 1 : (i & 1) + 2 * (i >> 2)))).toBeNull()
    const even = lanes.map((i) => (i % 2 === 0 ? 16 * i : null))
    expect(of(load(16), even).pairing).toBe(1)
    const odd = lanes.map((i) => (i % 2 === 1 ? 16 * i : null))
    expect(of(load(16), odd).pairing).toBe(1)
    expect(of(store(16), even).phases).toEqual([1, 1, 1, 1])
  })

  test('no lane is active', () => {
    expect(
      of(
        store(16),
        lanes.map(() => null),
      ),
    ).toEqual({
      phases: [0, 0, 0, 0],
      wavefronts: 0,
      conflicts: 0,
      pairing: null,
    })
  })

  test('ldmatrix over rows of 128 bytes: 8 ways without a swizzle, none with it', () => {
    const rows = range(8).map((i) => 128 * i)
    const one: BankAccess = { _tag: 'ldmatrix', matrices: 1 }
    expect(of(one, rows)).toEqual({ phases: [8], wavefronts: 8, conflicts: 7, pairing: null })
    expect(of(one, rows.map(swizzleAddress(128)))).toEqual({
      phases: [1],
      wavefronts: 1,
      conflicts: 0,
      pairing: null,
    })
    const four: BankAccess = { _tag: 'stmatrix', matrices: 4 }
    expect(of(four, [rows, rows, range(8).map((i) => 16 * i), rows].flat()).phases).toEqual([8, 8, 1, 8])
  })
})

test('what an access is, and its names', () => {
  const table: readonly (readonly [string, number, number, number])[] = [
    ['ld.shared.u16', 32, 2, 1],
    ['st.shared.u16', 32, 2, 1],
    ['ld.shared.b32', 32, 4, 1],
    ['st.shared.b32', 32, 4, 1],
    ['ld.shared.v2.b32', 32, 8, 2],
    ['st.shared.v2.b32', 32, 8, 2],
    ['ld.shared.v4.b32', 32, 16, 4],
    ['st.shared.v4.b32', 32, 16, 4],
    ['ldmatrix.x1', 8, 16, 1],
    ['ldmatrix.x2', 16, 16, 2],
    ['ldmatrix.x4', 32, 16, 4],
    ['stmatrix.x1', 8, 16, 1],
    ['stmatrix.x2', 16, 16, 2],
    ['stmatrix.x4', 32, 16, 4],
  ]
  for (const [name, count, bytes, ideal] of table) {
    const access = right(accessNamed(name))
    expect([addressCount(access), bytesPerAddress(access), idealWavefronts(access)]).toEqual([
      count,
      bytes,
      ideal,
    ])
    expect(showAccess(access)).toBe(name)
  }
  expect(right(accessNamed('ld.shared.b16'))).toEqual(load(2))
  expect(right(accessNamed('st.shared.b64'))).toEqual(store(8))
  expect(right(accessNamed('ld.shared.b128'))).toEqual(load(16))
  expect(right(accessNamed('ldmatrix.x2.trans'))).toEqual({ _tag: 'ldmatrix', matrices: 2 })
  expect(right(accessNamed('stmatrix.x4.trans'))).toEqual({ _tag: 'stmatrix', matrices: 4 })
  expect(code(accessNamed('ld.shared.u8'))).toBe('banks.name')
})

test('refusals', () => {
  const at = (access: BankAccess, addresses: readonly (number | null)[]) =>
    code(wavefronts(access)(addresses))
  const ones = (a: number | null) => lanes.map((i) => (i === 3 ? a : 0))
  expect(
    at(
      load(4),
      lanes.slice(1).map(() => 0),
    ),
  ).toBe('banks.lanes')
  expect(at({ _tag: 'ldmatrix', matrices: 1 }, ones(0))).toBe('banks.lanes')
  expect(at(load(4), ones(2))).toBe('banks.address')
  expect(at(load(2), ones(2))).toBeNull()
  expect(at(store(16), ones(8))).toBe('banks.address')
  expect(at(load(4), ones(-4))).toBe('banks.address')
  expect(at(load(4), ones(Number.NaN))).toBe('banks.address')
  expect(
    at(
      load(4),
      lanes.map((i) => (i === 0 ? 1 : 0)),
    ),
  ).toBe('banks.address')
  expect(at({ _tag: 'ldmatrix', matrices: 4 }, ones(8))).toBe('banks.address')
})
