/**
 * Bulk copies without tensor maps, words sent to a peer, and zeros.
 *
 *     cp.async.bulk by one lane, 512 bytes, mask 0b11     one load of two parts, 512 bytes on each of two barriers
 *     cp.reduce.async.bulk .add.f32 of 512 bytes          128 elements join what is there, each at once
 *     st.bulk of 512 bytes                                128 words of zero, a plain store by the lane
 *     st.async by 32 lanes into CTA 1                     one operation of 32 words, 128 bytes on its barrier
 *
 * | rule                                                        | else              |
 * |-------------------------------------------------------------|-------------------|
 * | a positive multiple of 16 bytes, at multiples of 16         | cpAsync.bytes, address.alignment |
 * | st.bulk: a multiple of 8 bytes, at a multiple of 8, at most 2^24, in shared memory of the CTA | cpAsync.bytes, address.alignment, cpAsync.space |
 * | global or shared memory on both sides                       | cpAsync.space     |
 * | a barrier of the CTA that is written                        | A4                |
 *
 * `st.bulk` is weak and in the generic proxy: no completion is told, so program order and barriers order it as they do any store, and an asynchronous reader needs a
 * proxy fence behind it.
 *
 * @fidelity documented; model: st.bulk begins at a multiple of 8, the granule of its size. The manual says nothing of its address.
 *
 * Source: PTX ISA, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, st.bulk.
 */
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import { deliveries } from '../../instructions/tma/destination.js'
import type { StoredFrom } from '../../log/events.js'
import type { Elements, LoadPart, Prepared } from '../../machine/operation.js'
import * as V from '../../machine/value.js'
import type { FaultValue } from '../../machine/value.js'
import { rankOfBarrier, rankOfPlane } from '../../machine/world.js'
import { nothing, part, type Part } from '../../machine/warp-stand.js'
import { elementsOf, reaches, type Here } from '../memory.js'
import { barriersAt, maskOf, operand } from '../operands.js'
import type { BulkOperation } from '../operations/bulk.js'
import { originOf } from '../origins.js'
import type { Address } from '../program.js'
import { lanesOf, wordAt } from '../rows.js'
import { carrierAt } from '../shadows.js'

type Of<K extends BulkOperation['_tag']> = Extract<BulkOperation, { readonly _tag: K }>

// ---------------------------------------------------------------- copies

interface Placed {
  readonly plane: number
  readonly at: number
}

/** Where the bytes of one lane begin. */
const placed = (h: Here, address: Address, own: number, bytes: number): Placed | FaultValue => {
  const found = reaches(h, address, 16, own, () => bytes)
  if ('code' in found) return found
  const { target, bytes: starts } = found[0]!
  const plane = target._tag === 'plane' ? target.plane : target._tag === 'constant' ? target.region.plane : -1
  return plane < 0
    ? V.fault('cpAsync.space', 'cp.async.bulk: expected global or shared memory on both sides')
    : { plane, at: starts[0]! }
}

/** Elements that lie together. */
const together = (h: Here, { plane, at }: Placed, bytes: number, dtype: Dtype): Elements => {
  const width = bitsOf(dtype) / 8
  return elementsOf(h.world, plane, [at], dtype, width, bytes / width)
}

/** Of every 16 bytes those that a mask names. */
const masked = (h: Here, { plane, at }: Placed, bytes: number, mask: number): Elements =>
  elementsOf(
    h.world,
    plane,
    Array.from({ length: bytes }, (_, i) => i).flatMap((i) =>
      ((mask >>> (i % 16)) & 1) === 1 ? [at + i] : [],
    ),
    'u8',
    1,
    1,
  )

const outOf = (
  h: Here,
  o: Of<'copyBulk'>,
  source: Placed,
  destination: Placed,
  bytes: number,
  own: number,
): Prepared | FaultValue => {
  if (o.byteMask !== null) {
    const mask = operand(h, 'cp.async.bulk: the mask of bytes', o.byteMask, own)
    if (typeof mask !== 'number') return mask
    const some = mask & 0xffff
    if (some === 0) return { _tag: 'nothing', results: [] }
    const from = masked(h, source, bytes, some)
    const into = masked(h, destination, bytes, some)
    return {
      _tag: 'tma.store',
      parts: [{ source: from, destination: into, bytes }],
      bytes,
      combine: null,
      map: null,
    }
  }
  const dtype = o.reduction?.dtype ?? 'i32'
  return {
    _tag: 'tma.store',
    parts: [
      {
        source: together(h, source, bytes, dtype),
        destination: together(h, destination, bytes, dtype),
        bytes,
      },
    ],
    bytes,
    combine: o.reduction?.joining ?? null,
    map: null,
  }
}

const copy = (h: Here, o: Of<'copyBulk'>, own: number): Prepared | FaultValue => {
  const bytes = operand(h, 'cp.async.bulk: the size', o.bytes, own)
  if (typeof bytes !== 'number') return bytes
  if (bytes <= 0 || bytes % 16 !== 0)
    return V.fault(
      'cpAsync.bytes',
      `cp.async.bulk: expected a positive multiple of 16 bytes, found ${String(bytes >>> 0)}`,
    )
  const source = placed(h, o.from, own, bytes)
  if ('code' in source) return source
  const destination = placed(h, o.into, own, bytes)
  if ('code' in destination) return destination
  if (o.barrier === null) return outOf(h, o, source, destination, bytes, own)
  const met = barriersAt(h, o.barrier, own)
  if ('code' in met) return met
  const mask = o.multicast === null ? null : operand(h, 'the CTAs of a multicast', o.multicast, own)
  if (mask !== null && typeof mask !== 'number') return mask
  const [first] = met
  // of a run that looks for barriers: it will know this one
  if (first === undefined) return { _tag: 'nothing', results: [] }
  const into = deliveries(h.world, destination, first.barrier, mask === null ? null : mask & 0xffff, 1)
  if ('code' in into) return into
  const dtype = o.reduction?.dtype ?? 'i32'
  const from = together(h, source, bytes, dtype)
  return {
    _tag: 'tma.load',
    parts: into.map(({ start, barrier }): LoadPart => ({
      source: from,
      destination: together(h, start, bytes, dtype),
      barrier,
      bytes,
    })),
    fill: 0,
    outside: 'zero',
    bytes,
    combine: o.reduction?.joining ?? null,
    rounds: false,
    map: null,
  }
}

// ---------------------------------------------------------------- words

/** Lanes that mean one place join it one after the other. */
const rounds = <A extends { readonly at: number }>(
  all: ReadonlyArray<A>,
): ReadonlyArray<ReadonlyArray<A>> => {
  const out: A[][] = []
  const met = new Map<number, number>()
  for (const one of all) {
    const round = met.get(one.at) ?? 0
    met.set(one.at, round + 1)
    ;(out[round] ??= []).push(one)
  }
  return out
}

/** What lanes send, where terms are followed; a reduction joins what is there. */
const termsOf = (h: Here, o: Of<'sendAsync'>, those: ReadonlyArray<{ readonly lane: number }>): StoredFrom =>
  o.reduction === null && h.rows.origins?._tag === 'terms'
    ? originOf(
        h.rows,
        o.value.flat(),
        those.map(({ lane }) => lane),
        4,
        V.otherOrigin,
      )
    : V.otherOrigin

const send = (h: Here, o: Of<'sendAsync'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  const what = o.reduction === null ? 'st.async' : 'red.async'
  const size = o.bytes * o.value.length
  const found = reaches(h, o.into, size, mask)
  if ('code' in found) return found
  const met = barriersAt(h, o.barrier, mask)
  if ('code' in met) return met
  const out: Part[] = []
  const rows = o.value.flat()
  for (const { target, lanes, bytes: starts } of found) {
    if (target._tag !== 'plane' || h.world.header.planes[target.plane]!.space !== 'smem')
      return V.fault('cpAsync.space', `${what}: expected shared memory of the cluster`)
    for (const { barrier, lanes: heard } of met) {
      const all = lanes.flatMap((lane, i) => (heard.includes(lane) ? [{ lane, at: starts[i]! }] : []))
      if (all.length === 0) continue
      const [into, holder] = [rankOfPlane(h.world, target.plane), rankOfBarrier(h.world, barrier)]
      if (into !== holder)
        return V.fault(
          'A4',
          `barrier: ${what} into CTA ${String(into)} signals a barrier of that CTA, found one of CTA ${String(holder)}`,
        )
      const unknown = rows.reduce((bits, row) => bits | h.rows.unknown[row]!, 0)
      for (const those of o.reduction === null ? [all] : rounds(all)) {
        const data = new Float64Array(those.length * rows.length)
        those.forEach(({ lane }, i) => {
          rows.forEach((row, k) => {
            const word = wordAt(h.rows, row, lane)
            const isSigned = o.reduction?.dtype === 'i32' || o.reduction === null
            data[i * rows.length + k] = carrierAt(h.rows, row, lane, isSigned ? word : word >>> 0)
          })
        })
        if (o.reduction !== null && those.some(({ lane }) => (unknown & (1 << lane)) !== 0))
          return V.fault('I1', `${what}: the value comes from an unwritten register`)
        const dtype = o.reduction?.dtype ?? 'i32'
        const width = bitsOf(dtype) / 8
        out.push(
          part(
            {
              _tag: 'stAsync',
              destination: elementsOf(
                h.world,
                target.plane,
                those.map(({ at }) => at),
                dtype,
                width,
                size / width,
              ),
              data,
              combine: o.reduction?.joining ?? null,
              origin: termsOf(h, o, those),
              barrier,
              bytes: those.length * size,
            },
            nothing,
            maskOf(those.map(({ lane }) => lane)),
          ),
        )
      }
    }
  }
  return out
}

// ---------------------------------------------------------------- zeros

const mostZeros = 16_777_216

/** Lanes by how many bytes each of them clears. */
const sizes = (h: Here, o: Of<'zeroBulk'>, mask: number): ReadonlyMap<number, number> | FaultValue => {
  const [low, high] = o.bytes
  const out = new Map<number, number>()
  for (const lane of lanesOf(mask)) {
    const unknown = (h.rows.unknown[low]! | h.rows.unknown[high]!) & (1 << lane)
    if (unknown !== 0) return V.fault('I1', 'st.bulk: the size comes from an unwritten register')
    const size = (wordAt(h.rows, low, lane) >>> 0) + 2 ** 32 * (wordAt(h.rows, high, lane) >>> 0)
    if (size % 8 !== 0 || size > mostZeros)
      return V.fault(
        'cpAsync.bytes',
        `st.bulk: expected a multiple of 8 bytes, at most ${String(mostZeros)}, found ${String(size)}`,
      )
    out.set(size, (out.get(size) ?? 0) | (1 << lane))
  }
  return out
}

const zeros = (h: Here, o: Of<'zeroBulk'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  const all = sizes(h, o, mask)
  if ('code' in all) return all
  const out: Part[] = []
  for (const [size, those] of all) {
    if (size === 0) continue
    const found = reaches(h, o.into, 8, those, () => size)
    if ('code' in found) return found
    for (const { target, lanes, bytes: starts } of found) {
      const plane = target._tag === 'plane' ? h.world.header.planes[target.plane] : undefined
      if (
        target._tag !== 'plane' ||
        plane?.space !== 'smem' ||
        plane.cta !== h.world.header.agents[h.at.agent]!.cta
      )
        return V.fault('cpAsync.space', 'st.bulk: expected shared memory of the CTA')
      const destination = elementsOf(h.world, target.plane, starts, 'i32', 4, size / 4)
      const data = new Float64Array(destination.offsets.length)
      // lanes that mean the same bytes leave the same there
      out.push(
        part(
          { _tag: 'store', destination, data, origin: V.otherOrigin, agrees: true },
          nothing,
          maskOf(lanes),
        ),
      )
    }
  }
  return out
}

/** The effects of bulk copies, of words that are sent, and of zeros. */
export const bulk = (h: Here, o: BulkOperation, mask: number): ReadonlyArray<Part> | FaultValue => {
  if (o._tag === 'sendAsync') return send(h, o, mask)
  if (o._tag === 'zeroBulk') return zeros(h, o, mask)
  const out: Part[] = []
  for (const lane of lanesOf(mask)) {
    const p = copy(h, o, 1 << lane)
    if ('code' in p) return p
    out.push(part(p, nothing, 1 << lane))
  }
  return out
}
