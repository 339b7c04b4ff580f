/** Fat binaries, byte by byte (`cuda/fat.ts`): what is none, what ends early, and where several lie in a program. */
import { describe, expect, it } from 'vitest'
import { fatbinsIn, ptxIn } from '../../../src/oracle/launch/fatbin.js'
import { left, right } from '../../either.js'
import { fatbin } from '../cuda/fat.js'

const [first, second] = [
  { kind: 1, arch: 90, text: '.version 8.0\n' },
  { kind: 1, arch: 100, text: '.version 9.0 and more\n' },
] as const
const code = { kind: 2, arch: 90, text: 'machine code' } as const
const whole = fatbin([first, code, second])
const changed = (at: number, byte: number): Uint8Array => whole.map((b, i) => (i === at ? byte : b))

describe('a fat binary', () => {
  it('has the texts of its entries, and none of machine code', () => {
    expect(right(ptxIn(whole))).toEqual([
      { arch: 90, text: first.text },
      { arch: 100, text: second.text },
    ])
    expect(right(ptxIn(fatbin([code])))).toEqual([])
    expect(right(ptxIn(fatbin([])))).toEqual([])
  })
  it('is none without its first four bytes, or with fewer than sixteen', () => {
    for (let at = 0; at < 4; at++) expect([at, left(ptxIn(changed(at, 0))).code]).toEqual([at, 'fatbin.form'])
    expect(left(ptxIn(whole.slice(0, 15))).code).toBe('fatbin.form')
  })
  it('whose entry is longer than itself is refused, and whose bytes end within an entry', () => {
    // 16 bytes of its own, then the size of the first entry after eight more
    expect(left(ptxIn(changed(16 + 9, 1))).message).toContain('leaves the fat binary')
    expect(left(ptxIn(whole.slice(0, -1))).message).toContain('leaves the fat binary')
    // a head has 64 bytes
    expect(left(ptxIn(changed(16 + 4, 63))).message).toContain('leaves the fat binary')
  })
})

describe('a program', () => {
  const program = Uint8Array.from([
    ...new Uint8Array(24),
    ...whole,
    ...new Uint8Array(8),
    ...fatbin([code]),
    1,
    2,
    3,
  ])
  it('has those that begin at a multiple of eight and end within it', () => {
    expect(fatbinsIn(program)).toEqual([whole, fatbin([code])])
    expect(fatbinsIn(Uint8Array.from([0, 0, 0, 0, ...whole]))).toEqual([])
    expect(fatbinsIn(whole.slice(0, -8))).toEqual([])
    expect(fatbinsIn(new Uint8Array(0))).toEqual([])
  })
})
