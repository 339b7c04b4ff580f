/** Places: law 1 against bytes, one by one. */
import { describe, expect, it } from 'vitest'
import { Places } from '../../../../src/semantics/schedules/explore/index.js'
import { footprints, ofAddresses } from '../../../../src/semantics/machine/footprint.js'
import type { Footprint, Header } from '../../../../src/semantics/log/events.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { header as tensors } from '../../judging/provenance/terms.js'
import { spansOf } from '../../../../src/semantics/log/events.js'

const planes: Header['planes'] = [
  { space: 'gmem', name: 'given', bytes: 512, initialised: true },
  { space: 'smem', name: 'smem', cta: 0, bytes: 512, initialised: false },
  { space: 'regs', name: 'acc', cta: 0, agent: 0, bytes: 512, initialised: false },
  { space: 'gmem', name: 'made', bytes: 512, initialised: false },
]
const barrier = (plane: number, address: number): Header['barriers'][number] => ({
  name: `b at ${String(address)}`,
  cta: 0,
  contract: 'ptx',
  ordersTensorCore: false,
  plane,
  address,
})
const header: Header = { ...tensors, planes, barriers: [barrier(1, 64), barrier(1, 72), barrier(3, 64)] }

const bytesOf = (f: Footprint): ReadonlySet<number> => {
  const out = new Set<number>()
  const spans = spansOf(f)
  for (let k = 0; k < spans.length; k += 2) for (let b = spans[k]!; b < spans[k + 1]!; b++) out.add(b)
  return out
}
const bitsOf = (m: Places.Mask): number =>
  [...m].reduce((n, w) => n + (w >>> 0).toString(2).replaceAll('0', '').length, 0)
const within = (a: Places.Mask, b: Places.Mask): boolean => a.every((w, k) => (w & ~b[k]!) === 0)

describe('places', () => {
  it('law 1, and what lies under a barrier, in which space, and was there before', () => {
    const widths = new Set<number>()
    for (let seed = 0; seed < 60; seed++) {
      const die = dice(seed)
      const store = footprints()
      const seen: Places.Seen = new Map()
      const drawn = Array.from({ length: 2 + die.below(seed % 4 === 0 ? 60 : 8) }, () => {
        const start = die.below(100)
        const step = die.pick([1, 1, 2])
        const at = Int32Array.from({ length: 1 + die.below(8) }, (_, k) => start + k * step)
        const { footprint } = ofAddresses(store, die.below(planes.length), 'e4m3', [at.length], at)
        return { footprint, written: die.chance(0.4) }
      })
      for (const { footprint, written } of drawn) Places.note(seen, footprint, written)
      const p = Places.places(header, seen)
      widths.add(p.width)
      const written = (plane: number): ReadonlySet<number> =>
        new Set(
          drawn.flatMap((d) => (d.written && d.footprint.plane === plane ? [...bytesOf(d.footprint)] : [])),
        )
      for (const { footprint: f } of drawn) {
        const mask = p.masks.get(f.id)!
        expect(mask.length).toBe(p.width)
        const bytes = bytesOf(f)
        for (const { footprint: g } of drawn) {
          const common = f.plane === g.plane ? [...bytesOf(g)].filter((b) => bytes.has(b)) : []
          const matters = common.some((b) => !planes[f.plane]!.initialised || written(f.plane).has(b))
          if (Places.meet(mask, p.masks.get(g.id)!) !== matters)
            expect.fail(`seed ${String(seed)}: ${String(f.id)} and ${String(g.id)}`)
        }
        const { space, initialised } = planes[f.plane]!
        expect(within(mask, p.all)).toBe(true)
        expect(within(mask, space === 'smem' ? p.smem : space === 'gmem' ? p.gmem : p.regs)).toBe(true)
        if (initialised) expect(within(mask, p.initialised)).toBe(true)
        else expect(Places.meet(mask, p.initialised)).toBe(false)
        const over = header.barriers.flatMap((b, i) =>
          b.plane === f.plane && [...bytes].some((x) => x >= b.address && x < b.address + 8) ? [i] : [],
        )
        expect(p.under.get(f.id) ?? []).toEqual(over)
        expect(p.under.has(f.id)).toBe(over.length > 0)
      }
      expect(bitsOf(p.none)).toBe(0)
      expect(bitsOf(p.smem) + bitsOf(p.gmem) + bitsOf(p.regs)).toBe(bitsOf(p.all))
      // two bytes are one place if the same accesses touch them: as many bits as there are such classes
      const classes = new Set(
        planes.flatMap((plane, i) =>
          Array.from({ length: 128 }, (_, b) => {
            const by = drawn.flatMap((d) =>
              d.footprint.plane === i && bytesOf(d.footprint).has(b) ? [d.footprint.id] : [],
            )
            return by.length === 0 || (plane.initialised && !written(i).has(b))
              ? ''
              : `${String(i)}: ${[...new Set(by)].join()}`
          }),
        ),
      )
      classes.delete('')
      expect(bitsOf(p.all)).toBe(classes.size)
    }
    expect(Math.min(...widths)).toBe(1)
    expect(Math.max(...widths)).toBeGreaterThan(2)
  })
  it('an access is news where its footprint is, and where the first of its writes is', () => {
    const store = footprints()
    const at = (a: number): Footprint => ofAddresses(store, 1, 'e4m3', [1], Int32Array.of(a)).footprint
    const seen: Places.Seen = new Map()
    expect(Places.note(seen, at(0), false)).toBe(true)
    expect(Places.note(seen, at(0), false)).toBe(false)
    expect(Places.note(seen, at(0), true)).toBe(true)
    expect(Places.note(seen, at(0), true)).toBe(false)
    expect(Places.note(seen, at(0), false)).toBe(false)
    expect(Places.note(seen, at(1), true)).toBe(true)
    expect(Places.note(seen, at(1), false)).toBe(false)
    expect([...seen.values()].map((s) => s.written)).toEqual([true, true])
  })
})
