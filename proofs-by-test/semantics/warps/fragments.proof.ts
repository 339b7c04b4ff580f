/** Fragments against an H100: what wmma.load and wmma.store move, and which registers wmma.mma reads. */
import { describe, expect, it } from 'vitest'
import { placesOf } from '../../../src/semantics/warps/fragments.js'
import { nightly } from '../../extent.js'
import { capturedForms, hashOf, type CapturedForm } from '../../numerics/mma/captured.js'
import { moved, rawLeft } from '../../numerics/mma/replay.js'

const named = (kind: CapturedForm['kind']): ReadonlyArray<CapturedForm> =>
  capturedForms.filter((f) => f.kind === kind)

/** Numbers of elements, so many bits of them at a time, as memory or registers hold them. */
const bitsOfNumbers = (
  count: number,
  bits: number,
  from: number,
  at: (i: number) => ReadonlyArray<number>,
): Uint32Array => {
  const words = new Uint32Array((count * bits) / 32)
  for (let i = 0; i < count; i++)
    for (const value of at(i)) {
      const bit = i * bits
      const piece = bits >= 16 ? value : (value >>> from) & (2 ** bits - 1)
      words[bit >> 5] = words[bit >> 5]! | (piece << (bit & 31))
    }
  return words
}

describe('law 2', () => {
  it('loads', () => {
    const forms = named('load')
    expect(forms.length).toBe(88)
    for (const f of forms) {
      const { fragment, elements } = moved(f)
      const { bits } = fragment
      const size = bits === 64 ? 1 : 32 / bits
      const registers = 1 << fragment.registers.length
      // all places of an element, the second ones too
      const held = new Map<number, number>()
      const along = (steps: ReadonlyArray<readonly [number, number]>, n: number): readonly [number, number] =>
        steps.reduce<readonly [number, number]>(
          ([r, c], [dr, dc], bit) => (((n >> bit) & 1) === 1 ? [r + dr, c + dc] : [r, c]),
          [0, 0],
        )
      for (let register = 0; register < registers; register++)
        for (let lane = 0; lane < 32; lane++)
          for (let position = 0; position < size; position++) {
            const steps = [
              along(fragment.registers, register),
              along(fragment.lanes, lane),
              along(fragment.positions, position),
            ]
            const row = steps.reduce((n, [r]) => n + r, 0)
            const column = steps.reduce((n, [, c]) => n + c, 0)
            held.set((register * 32 + lane) * size + position, elements[row * fragment.columns + column]!)
          }
      for (const [pass, hash] of f.hashes.entries()) {
        // numbers of elements are below 2^10
        if (pass * bits >= 32) continue
        const words = bitsOfNumbers(registers * 32 * size, bits, pass * bits, (i) => [held.get(i)!])
        expect(hashOf(words), `${f.opcode} ${String(pass)}`).toBe(hash)
      }
    }
  })

  it('stores', () => {
    const forms = named('store')
    expect(forms.length).toBe(26)
    for (const f of forms) {
      const { fragment, elements } = moved(f)
      const { bits } = fragment
      const size = bits === 64 ? 1 : 32 / bits
      const places = placesOf(fragment)
      const number = new Map(
        elements.map((at, i) => [
          at,
          (places.registers[i]! * 32 + places.lanes[i]!) * size +
            (bits === 64 ? 0 : places.shifts[i]! / bits),
        ]),
      )
      const words = bitsOfNumbers(elements.length, bits, 0, (i) => [number.get(i)!])
      expect(hashOf(words), f.opcode).toBe(f.hashes[0])
    }
  })

  it('wmma.mma of registers as they are: of elements that stand twice it reads the first', () => {
    const forms = named('raw')
    expect(forms.length).toBe(138)
    for (const [i, f] of forms.entries()) {
      if (!nightly && i % 3 !== 0) continue
      const left = rawLeft(f)
      for (const [t, hash] of f.hashes.entries()) expect(hashOf(left(t)), f.opcode).toBe(hash)
    }
  })
})

describe('law 1', () => {
  it('every element stands somewhere', () => {
    for (const f of named('load')) {
      const { fragment } = moved(f)
      const { registers, lanes, shifts } = placesOf(fragment)
      const places = new Set(
        Array.from(registers, (r, i) => `${String(r)} ${String(lanes[i])} ${String(shifts[i])}`),
      )
      expect(places.size, f.opcode).toBe(fragment.rows * fragment.columns)
    }
  })
})
