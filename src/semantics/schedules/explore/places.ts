/**
 * Places: the memory of a program as a few bits.
 *
 * Two bytes that the same accesses touch are one place. A search of schedules asks of every place who sees its last write, so a place
 * is a bit and a set of places a row of 32-bit words. What is never written and was there before the launch is no place.
 *
 *     footprints seen      A = [0, 16) written, B = [0, 8) read, C = [64, 80) of an input, read
 *     places               bit 0 = [0, 8), bit 1 = [8, 16)
 *     masks                A: 11    B: 01    C: 00
 *
 * Where a cluster has several CTAs each mbarrier is a place more: its initialisation, which agents of other CTAs have to see (B9).
 *
 * The places are made once from all footprints of a program, so a footprint that is not among them asks for new places and a new search.
 *
 * Laws
 * 1. Two footprints with a written byte in common have masks with a bit in common, and only those.
 */
import { partition, pieces, refine, type Atom } from '../../judging/detector/atoms.js'
import type { Footprint, Header } from '../../log/events.js'
import { spansOf } from '../../log/events.js'
import type { Space } from '../../language/types.js'

// ---------------------------------------------------------------- model

/** A set of places. Never changed. */
export type Mask = Int32Array

/** Footprints that accesses were seen to have, by id, and whether one of them was a write. */
export type Seen = Map<number, { readonly footprint: Footprint; written: boolean }>

export interface Places {
  /** words of a mask */
  readonly width: number
  readonly masks: ReadonlyMap<number, Mask>
  /** mbarriers whose bytes a footprint overlaps, where there are any */
  readonly under: ReadonlyMap<number, ReadonlyArray<number>>
  /** by mbarrier: its initialisation, where other CTAs may use it */
  readonly lives: ReadonlyArray<Mask | null>
  readonly initialisations: Mask
  readonly none: Mask
  readonly all: Mask
  /** by space, and those that hold something before the launch */
  /** shared memory of each CTA */
  readonly homes: ReadonlyArray<Mask>
  readonly smem: Mask
  readonly gmem: Mask
  readonly regs: Mask
  readonly initialised: Mask
}

interface Payload {
  bit: number
  written: boolean
}

// ---------------------------------------------------------------- constructors

/** Notes an access. True if the places made from `seen` before would not do for it. */
export const note = (seen: Seen, footprint: Footprint, written: boolean): boolean => {
  const known = seen.get(footprint.id)
  if (known === undefined) {
    seen.set(footprint.id, { footprint, written })
    return true
  }
  if (known.written || !written) return false
  known.written = true
  return true
}

const barrierBytes = 8

const barriersUnder = (header: Header, f: Footprint): ReadonlyArray<number> =>
  header.barriers.flatMap((b, i) => {
    if (b.plane !== f.plane) return []
    const spans = spansOf(f)
    for (let k = 0; k < spans.length; k += 2)
      if (spans[k]! < b.address + barrierBytes && b.address < spans[k + 1]!) return [i]
    return []
  })

export const places = (header: Header, seen: Seen): Places => {
  const planes = header.planes.map((p) =>
    partition<Payload>(
      p.bytes,
      () => ({ bit: -1, written: false }),
      (payload) => ({ bit: -1, written: payload.written }),
    ),
  )
  const atoms = new Map<number, ReadonlyArray<Atom<Payload>>>()
  const under = new Map<number, ReadonlyArray<number>>()
  for (const [id, { footprint }] of seen) {
    atoms.set(id, refine(planes[footprint.plane]!, spansOf(footprint)))
    const barriers = barriersUnder(header, footprint)
    if (barriers.length > 0) under.set(id, barriers)
  }
  for (const [id, { written }] of seen) if (written) for (const a of atoms.get(id)!) a.payload.written = true
  let count = 0
  const bits: { readonly bit: number; readonly plane: number }[] = []
  planes.forEach((p, plane) => {
    for (const [, , a] of pieces(p)) {
      if (a.payload.bit >= 0 || (!a.payload.written && header.planes[plane]!.initialised)) continue
      a.payload.bit = count++
      bits.push({ bit: a.payload.bit, plane })
    }
  })
  const shared = header.ctas / (header.resident ?? 1) > 1
  const lives = header.barriers.map(() => (shared ? count++ : -1))
  const width = Math.max(1, Math.ceil(count / 32))
  const maskOf = (members: ReadonlyArray<number>): Mask => {
    const mask = new Int32Array(width)
    for (const bit of members) mask[bit >> 5]! |= 1 << (bit & 31)
    return mask
  }
  const where = (wanted: (plane: Header['planes'][number]) => boolean): Mask =>
    maskOf(bits.flatMap(({ bit, plane }) => (wanted(header.planes[plane]!) ? [bit] : [])))
  const space = (name: Space): Mask => where((p) => p.space === name)
  return {
    width,
    masks: new Map(
      [...atoms].map(([id, of]) => [
        id,
        maskOf(of.flatMap((a) => (a.payload.bit < 0 ? [] : [a.payload.bit]))),
      ]),
    ),
    under,
    lives: lives.map((bit) => (bit < 0 ? null : maskOf([bit]))),
    initialisations: maskOf(lives.filter((bit) => bit >= 0)),
    none: maskOf([]),
    all: maskOf([...bits.map(({ bit }) => bit), ...lives.filter((bit) => bit >= 0)]),
    homes: Array.from({ length: header.ctas }, (_, cta) =>
      where((p) => p.space === 'smem' && (p.cta ?? 0) === cta),
    ),
    smem: space('smem'),
    gmem: space('gmem'),
    regs: space('regs'),
    initialised: where((p) => p.initialised),
  }
}

// ---------------------------------------------------------------- destructors

export const meet = (a: Mask, b: Mask): boolean => {
  for (let k = 0; k < a.length; k++) if ((a[k]! & b[k]!) !== 0) return true
  return false
}
