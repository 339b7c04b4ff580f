/** Atoms against brute-force sets of bytes. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Atoms } from '../../../../src/semantics/judging/detector/index.js'
import type { Spans } from '../../../../src/semantics/log/events.js'
import { nightly } from '../../../extent.js'

const size = 1200 // more than two blocks of 512 bytes
const footprint = fc
  .uniqueArray(fc.integer({ min: 0, max: size }), { minLength: 2, maxLength: 8 })
  .map((edges) => {
    const e = [...edges].sort((a, b) => a - b)
    return Int32Array.from(e.length % 2 === 0 ? e : e.slice(1))
  })
const bytesOf = (spans: Int32Array): ReadonlySet<number> => {
  const out = new Set<number>()
  for (let i = 0; i < spans.length; i += 2) for (let b = spans[i]!; b < spans[i + 1]!; b++) out.add(b)
  return out
}

describe('atoms', () => {
  it('laws 1 and 2: disjoint, exact, and as coarse as the footprints allow', () => {
    fc.assert(
      fc.property(fc.array(footprint, { minLength: 1, maxLength: 9 }), (all) => {
        const p = Atoms.partition<null>(
          size,
          () => null,
          () => null,
        )
        const atoms = all.map((f) => Atoms.refine(p, f))
        const owner = new Map<number, number>()
        const sizes = new Map<number, number>()
        for (const [from, to, a] of Atoms.pieces(p)) {
          for (let b = from; b < to; b++) {
            if (owner.has(b)) expect.fail(`byte ${String(b)} is in two atoms`)
            owner.set(b, a.id)
          }
          sizes.set(a.id, (sizes.get(a.id) ?? 0) + to - from)
          expect(a.inside).toBe(0)
        }
        const sets = all.map(bytesOf)
        all.forEach((_, i) => {
          const own = new Set(atoms[i]!.map((a) => a.id))
          expect(own.size).toBe(atoms[i]!.length)
          const covered = [...owner].filter(([, id]) => own.has(id)).map(([b]) => b)
          expect(covered.sort((x, y) => x - y)).toEqual([...sets[i]!].sort((x, y) => x - y))
          for (const a of atoms[i]!)
            if (a.bytes !== sizes.get(a.id)) expect.fail(`atom ${String(a.id)} has ${String(a.bytes)} bytes`)
        })
        // as coarse as possible: one atom per membership signature
        const signature = new Map<string, number>()
        for (const [b, id] of owner) {
          const key = sets.map((s) => (s.has(b) ? '1' : '0')).join('')
          const old = signature.get(key)
          if (old === undefined) signature.set(key, id)
          else if (id !== old)
            expect.fail(`atoms ${String(old)} and ${String(id)} are in the same footprints`)
        }
        expect(signature.size).toBe(new Set(owner.values()).size)
      }),
      { numRuns: nightly ? 150 : 30 },
    )
  })

  it('law 3: payloads stay on their bytes', () => {
    fc.assert(
      fc.property(fc.array(footprint, { minLength: 1, maxLength: 9 }), (all) => {
        const p = Atoms.partition<{ last: number }>(
          size,
          () => ({ last: -1 }),
          (x) => ({ last: x.last }),
        )
        const oracle = new Map<number, number>()
        all.forEach((f, i) => {
          for (const a of Atoms.refine(p, f)) a.payload.last = i
          for (const b of bytesOf(f)) oracle.set(b, i)
        })
        for (const [from, to, a] of Atoms.pieces(p))
          for (let b = from; b < to; b++)
            if (a.payload.last !== oracle.get(b)) expect.fail(`byte ${String(b)} lost its payload`)
      }),
      { numRuns: nightly ? 150 : 30 },
    )
  })

  it('worked: A, B, C of the header', () => {
    const p = Atoms.partition<null>(
      64,
      () => null,
      () => null,
    )
    const a = Atoms.refine(p, Int32Array.of(0, 8))
    const b = Atoms.refine(p, Int32Array.of(4, 12))
    const c = Atoms.refine(p, Int32Array.of(0, 4))
    expect([a.length, b.length, c.length]).toEqual([2, 2, 1])
    expect(c[0]).toBe(a[0])
  })

  it('10^5 spans of a matrix cut in tiles', () => {
    const p = Atoms.partition<null>(
      4096 * 8192,
      () => null,
      () => null,
    )
    let atoms = 0
    for (let i = 0; i < 32; i++)
      for (let j = 0; j < 32; j++) {
        const spans = new Int32Array(256)
        for (let r = 0; r < 128; r++) {
          spans[2 * r] = (i * 128 + r) * 8192 + j * 256
          spans[2 * r + 1] = (i * 128 + r) * 8192 + j * 256 + 256
        }
        atoms += Atoms.refine(p, spans).length
      }
    expect(atoms).toBe(1024)
  })

  it('pieces ascend, whatever block was cut first', () => {
    const p = Atoms.partition<null>(
      size,
      () => null,
      () => null,
    )
    for (const from of [1100, 3, 600, 40]) Atoms.refine(p, Int32Array.of(from, from + 10))
    expect(Atoms.pieces(p).map(([from, to]) => [from, to])).toEqual([
      [3, 13],
      [40, 50],
      [600, 610],
      [1100, 1110],
    ])
  })

  it('a part is split off with a payload of its own, and new bytes get a fresh one', () => {
    let made = 0
    const p = Atoms.partition<{ readonly from: string }>(
      size,
      () => ({ from: `fresh ${String(made++)}` }),
      (x) => ({ from: `copy of ${x.from}` }),
    )
    const first = Atoms.refine(p, Int32Array.of(0, 8))
    const second = Atoms.refine(p, Int32Array.of(4, 12, 600, 602))
    const origins = (atoms: typeof first): ReadonlyArray<string> => atoms.map((a) => a.payload.from).sort()
    expect(origins(first)).toEqual(['copy of fresh 0', 'fresh 0'])
    // all that nobody had is one atom, though it lies in two blocks
    expect(origins(second)).toEqual(['copy of fresh 0', 'fresh 1'])
    expect(second.map((a) => a.bytes).sort()).toEqual([4, 6])
    // a footprint that cuts nothing makes nothing
    Atoms.refine(p, Int32Array.of(0, 8))
    expect([made, p.atoms]).toEqual([2, 3])
  })

  it('overlap of two footprints', () => {
    fc.assert(
      fc.property(footprint, footprint, fc.nat(50), fc.nat(50), (a, b, p, q) => {
        const other = bytesOf(b)
        const shared = [...bytesOf(a)].filter((x) => other.has(x))
        const from = (list: Int32Array, by: number): Spans => ({ list: list.map((x) => x - by), by })
        const got = Atoms.overlap(from(a, p), from(b, q)).flatMap(([start, end]) =>
          Array.from({ length: end - start }, (_, i) => start + i),
        )
        expect(got).toEqual(shared)
      }),
    )
  })
})
