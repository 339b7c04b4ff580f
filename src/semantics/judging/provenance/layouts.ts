/**
 * Layouts that do not agree: bytes written as one arrangement of elements and read as another (L1).
 *
 * Provenance says that an output is wrong; here is why, when a layout is why. A read whose bytes all belong to one write takes element
 * `from[e]` of that write for its own element e. The two agree if that is a slice, a transposition or a reshaping:
 *
 *     reshaping                    the elements follow one another: from[e] = from[0] + e
 *     slice, transposition         each coordinate of the element written depends on one coordinate of the element read
 *     anything else                L1
 *
 * Worked: (8, 64) f32 written row by row, read as two tiles of (8, 32). Element (0, 32) of the read is the first of the second tile, at 1024
 * bytes: element (4, 0) of the write. So the row written depends on row and column read: L1. Another width of element is L1 at once.
 *
 * Laws
 * 1. A read under the layout of the write, of a slice of it, or of its transpose is never L1.
 *
 * Source: the layouts are those of the transforms (tiling, swizzle, transposition); see `transforms/ref.ts`.
 */
import { showShape } from '../../../transforms/shape.js'
import { accessing, draft, findingOf, planeName } from '../detector/report.js'
import type { AccessDeed } from '../deed.js'
import type { Diagnosis } from '../finding.js'
import { ofPlane } from '../subject.js'
import type { Access, Footprint, Header, LogEvent, Unit } from '../../log/events.js'
import { spansOf } from '../../log/events.js'
import { forEachAddress, share } from '../../machine/footprint.js'
import { widthOf } from './memory.js'

// ---------------------------------------------------------------- words

/** The arrangement of a footprint, without its place: what must agree. */
export const showLayout = (f: Footprint): string => {
  if (f.map._tag === 'scatter') return `${f.dtype} ${showShape(f.map.shape)} element by element`
  const { shape, tiling, strides, swizzle } = f.map.layout
  const tiles = tiling.length === 0 ? 'untiled' : `tiles ${tiling.map(showShape).join('')}`
  const swizzled = swizzle === 16 ? 'no swizzle' : `swizzle ${String(swizzle)}`
  return `${f.dtype} ${showShape(shape)}, ${tiles}, strides ${showShape(strides)}, ${swizzled}`
}

// ---------------------------------------------------------------- agreement

const extents = (f: Footprint): ReadonlyArray<number> =>
  f.map._tag === 'scatter' ? f.map.shape : f.map.layout.shape

/** For each element read the element of the write under it, or null where they do not lie on one another element by element. */
const elementsUnder = (r: Footprint, w: Footprint): ReadonlyArray<number> | null => {
  const at = new Map<number, number>()
  forEachAddress(w, (address, element) => at.set(address, element))
  const from: number[] = []
  let whole = true
  forEachAddress(r, (address, element) => {
    const e = at.get(address)
    if (e === undefined) whole = false
    else from[element] = e
  })
  return whole && from.length > 0 ? from : null
}

/** Row-major coordinates of an element. */
const coordinatesOf = (element: number, shape: ReadonlyArray<number>): ReadonlyArray<number> => {
  const out: number[] = []
  let rest = element
  for (let d = shape.length - 1; d >= 0; d--) {
    out[d] = rest % shape[d]!
    rest = Math.floor(rest / shape[d]!)
  }
  return out
}

/** Whether the numbers follow one another. */
const isReshaping = (from: ReadonlyArray<number>): boolean => from.every((x, e) => x === from[0]! + e)

/** Whether each coordinate written depends on at most one coordinate read. */
const isBox = (
  from: ReadonlyArray<number>,
  read: ReadonlyArray<number>,
  written: ReadonlyArray<number>,
): boolean => {
  const places = from.map((_, e) => coordinatesOf(e, read))
  return written.every((_, axis) => {
    const value = from.map((e) => coordinatesOf(e, written)[axis]!)
    return read.some((__, along) => {
      const of = new Map<number, number>()
      return places.every((p, e) => {
        const known = of.get(p[along]!)
        if (known === undefined) of.set(p[along]!, value[e]!)
        return known === undefined || known === value[e]
      })
    })
  })
}

/** Why the two do not agree, or null. */
export const disagreement = (r: Footprint, w: Footprint): string | null => {
  const words = `${showLayout(w)}; read as ${showLayout(r)}`
  if (r.dtype !== w.dtype && widthOf(r) !== widthOf(w)) return `written as ${words}`
  const from = elementsUnder(r, w)
  if (from === null) return null
  if (r.dtype !== w.dtype) return `written as ${words}`
  return isReshaping(from) || isBox(from, extents(r), extents(w)) ? null : `written as ${words}`
}

// ---------------------------------------------------------------- the search

interface Written {
  readonly access: Access
  readonly unit: Unit | 'agent'
}

const deedOf = (unit: Unit | 'agent', rw: 'r' | 'w'): AccessDeed => ({
  _tag: rw === 'r' ? 'reads' : 'writes',
  unit,
  atomic: false,
})

/** The first read of a log, of the CTA's own memory, that takes bytes for other elements than they were written as. */
export const layoutMismatch = (header: Header, events: ReadonlyArray<LogEvent>): Diagnosis | null => {
  const units = new Map<number, Unit>()
  const live = header.planes.map((): Map<number, Written> => new Map())
  const known = new Map<string, string | null>()
  for (const e of events) {
    if (e._tag === 'cluster') for (const m of live) m.clear()
    if (e._tag === 'issue') units.set(e.operation, e.unit)
    if (e._tag !== 'access') continue
    const plane = header.planes[e.footprint.plane]
    if (plane === undefined || plane.space === 'gmem') continue
    const unit = e.operation === undefined ? 'agent' : (units.get(e.operation) ?? 'agent')
    const here = live[e.footprint.plane]!
    if (e.rw === 'w') {
      here.delete(e.footprint.id)
      here.set(e.footprint.id, { access: e, unit })
      continue
    }
    const newest = [...here.values()]
      .reverse()
      .find((w) => share(w.access.footprint.spans, e.footprint.spans))
    if (newest === undefined) continue
    const { access } = newest
    const key = `${String(e.footprint.id)}|${String(access.footprint.id)}`
    if (!known.has(key)) known.set(key, disagreement(e.footprint, access.footprint))
    const why = known.get(key) ?? null
    if (why === null) continue
    return findingOf(
      header,
      draft(
        'L1',
        'E',
        `${planeName(header, e.footprint.plane)}: ${why}`,
        [ofPlane(e.footprint.plane)],
        accessing(access.stamp, deedOf(newest.unit, 'w'), access.operation),
        accessing(e.stamp, deedOf(unit, 'r'), e.operation),
        {
          plane: planeName(header, e.footprint.plane),
          spans: pairsOf(e.footprint),
        },
      ),
    )
  }
  return null
}

const pairsOf = (f: Footprint): ReadonlyArray<readonly [number, number]> => {
  const out: Array<readonly [number, number]> = []
  const spans = spansOf(f)
  for (let i = 0; i < spans.length; i += 2) out.push([spans[i]!, spans[i + 1]!])
  return out
}
