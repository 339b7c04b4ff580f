/** What an author wrote in one place is one statement: no byte is lost, and what is of different kinds stays apart. Oracle: sets of bytes. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atPlaces, type Touch, type Touched } from '../../../src/semantics/host/index.js'

const touch: fc.Arbitrary<Touch> = fc
  .record({
    plane: fc.nat(1),
    site: fc.nat(7),
    rw: fc.constantFrom('r' as const, 'w' as const),
    atomic: fc.constantFrom(0, 32),
    early: fc.boolean(),
    start: fc.nat(30),
    bytes: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ start, bytes, ...rest }) => ({ ...rest, spans: Int32Array.of(start, start + bytes) }))

/** Sites 0 and 4, 1 and 5, ... stand in one place; 3 and 7 stand in none that is known. */
const placeOf = (site: number): string | undefined =>
  site % 4 === 3 ? undefined : `k.cu:${String(site % 4)}`
const nameOf = (site: number): string => placeOf(site) ?? `site ${String(site)}`

const bytesOf = (all: ReadonlyArray<Touch>): ReadonlyArray<string> =>
  [
    ...new Set(
      all.flatMap(({ plane, site, rw, atomic, early, spans }) => {
        const out: string[] = []
        for (let i = 0; i < spans.length; i += 2)
          for (let b = spans[i]!; b < spans[i + 1]!; b++)
            out.push([plane, nameOf(site), rw, atomic, early, b].join(' '))
        return out
      }),
    ),
  ].sort()

describe('statements of one place', () => {
  it('are one, with the bytes of all', () => {
    fc.assert(
      fc.property(fc.array(touch, { maxLength: 12 }), (touches) => {
        const before: Touched = { touches, unwritten: [], waited: false }
        const after = atPlaces(before, placeOf).touches
        expect(bytesOf(after)).toEqual(bytesOf(touches))
        const kinds = after.map(({ plane, site, rw, atomic, early }) =>
          [plane, nameOf(site), rw, atomic, early].join(' '),
        )
        expect(new Set(kinds).size).toBe(kinds.length)
      }),
    )
  })
  it('of what nothing has written, each place is named once for a memory', () => {
    const read = (plane: number, site: number) => ({ plane, site, start: 8 * site, end: 8 * site + 8 })
    const { unwritten } = atPlaces(
      { touches: [], unwritten: [read(0, 1), read(0, 5), read(1, 5), read(0, 2)], waited: false },
      placeOf,
    )
    expect(unwritten.map(({ plane, site }) => [plane, nameOf(site)])).toEqual([
      [0, 'k.cu:1'],
      [1, 'k.cu:1'],
      [0, 'k.cu:2'],
    ])
  })
})
