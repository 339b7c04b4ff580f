/**
 * Generic accesses: loads and stores of shared memory, global memory and registers by the agent itself.
 *
 * Synchronous: the access is one event, in the agent's program order, through the generic proxy. A load gives a tile whose number
 * in the log says later where a stored value came from.
 *
 * Source: PTX ISA, ld, st.
 */
import { bitsOf, isInt } from '../../numerics/dtype.js'
import { wrap } from '../../numerics/integer.js'
import { isKnown } from '../../numerics/shadow.js'
import type { ExprNode } from '../language/expression.js'
import type { InstructionOf, Scope } from '../language/instruction.js'
import { plainBytes, type Access, type Combine } from '../log/events.js'
import { effect, elementsOperand, tileOperand, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import { outOfFuel, spend } from '../machine/effort.js'
import * as Footprint from '../machine/footprint.js'
import type { Elements, Prepared, Strong } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { countValue, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue, type TileValue } from '../machine/value.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { elementOf } from '../language/signature.js'
import { changes, type Apart, type Family } from '../machine/family.js'
import { atomic, read, write } from '../machine/touches.js'
import { askedEvent } from './semaphore.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

export const prepareLoad = (o: Environment, source: ExprNode): Prepared | FaultValue => {
  const e = elementsOperand(o, 'source', source)
  return isFault(e) ? e : { _tag: 'load', source: e, mask: null, other: null, outside: 'zero' }
}

/** The elements that a tile of pointers names; a false `mask` takes an element out. */
export const pointedElements = (
  o: Environment,
  field: string,
  pointers: TileValue,
  mask: TileValue | null,
): Elements | FaultValue => {
  if (pointers.element !== 'ptr')
    return V.fault('type.mismatch', `${field}: expected pointers, found ${pointers.element}`)
  if (pointers.data === null || (mask !== null && mask.data === null))
    return V.fault('algebra.control', `${field}: addresses depend on data, which this algebra does not keep`)
  const size = o.world.planeBytes[pointers.plane]!
  const bytes = bitsOf(pointers.pointee) / 8
  const addresses = new Int32Array(pointers.data.length)
  let outside = -1
  for (let i = addresses.length - 1; i >= 0; i--) {
    const a = pointers.data[i]!
    const on = mask === null || mask.data![i] !== 0
    addresses[i] = on ? a : -1
    if (on && (a < 0 || a + bytes > size)) outside = i
  }
  if (outside >= 0)
    return V.fault(
      'I2',
      `${field}: element ${String(outside)} is at byte ${String(pointers.data[outside])} of ${o.world.header.planes[pointers.plane]!.name}, which has ${String(size)}`,
    )
  if (!spend(o.world.effort, addresses.length / 4)) return outOfFuel
  return Footprint.ofAddresses(
    o.world.footprints,
    pointers.plane,
    pointers.pointee,
    pointers.shape,
    addresses,
  )
}

const optionalTile = (
  o: Environment,
  field: string,
  e: ExprNode | undefined,
): TileValue | null | FaultValue => (e === undefined ? null : tileOperand(o, field, e))

export const prepareLoadPtr = (o: Environment, i: InstructionOf<'gmem.loadPtr'>): Prepared | FaultValue => {
  const pointers = tileOperand(o, 'source', i.source)
  if (isFault(pointers)) return pointers
  const mask = optionalTile(o, 'mask', i.mask)
  if (isFault(mask)) return mask
  const other = optionalTile(o, 'other', i.other)
  if (isFault(other)) return other
  const source = pointedElements(o, 'source', pointers, mask)
  return isFault(source)
    ? source
    : {
        _tag: 'load',
        source,
        mask: mask?.data ?? null,
        other: other?.data ?? null,
        outside: other === null || other.origin._tag === 'zero' ? 'zero' : 'other',
      }
}

export const prepareStore = (
  o: Environment,
  destination: ExprNode,
  value: ExprNode,
): Prepared | FaultValue => {
  const d = elementsOperand(o, 'destination', destination)
  if (isFault(d)) return d
  const v = tileOperand(o, 'value', value)
  return isFault(v) ? v : storeOf(d, v)
}

const storeOf = (destination: Elements, v: TileValue): Prepared | FaultValue =>
  destination.offsets.length === v.shape.reduce((n, d) => n * d, 1)
    ? { _tag: 'store', destination, data: v.data, origin: v.origin }
    : V.fault(
        'tile.shape',
        `store: a tile of shape (${v.shape.join(', ')}) does not fill a destination of shape (${destination.shape.join(', ')})`,
      )

export const prepareStorePtr = (o: Environment, i: InstructionOf<'gmem.storePtr'>): Prepared | FaultValue => {
  const pointers = tileOperand(o, 'destination', i.destination)
  if (isFault(pointers)) return pointers
  const mask = optionalTile(o, 'mask', i.mask)
  if (isFault(mask)) return mask
  const v = tileOperand(o, 'value', i.value)
  if (isFault(v)) return v
  const d = pointedElements(o, 'destination', pointers, mask)
  return isFault(d) ? d : storeOf(d, v)
}

// ---------------------------------------------------------------- effects

/** One access of an agent or of an operation. */
export const access = (
  x: Pick<Executing, 'stamp'>,
  operation: number | null,
  rw: 'r' | 'w',
  proxy: Access['proxy'],
  e: Elements,
  role: Access['role'],
): Access =>
  operation === null
    ? { _tag: 'access', stamp: x.stamp, rw, proxy, footprint: e.footprint, role, atomic: false }
    : { _tag: 'access', stamp: x.stamp, operation, rw, proxy, footprint: e.footprint, role, atomic: false }

/** The two accesses of an operation that joins what it carries to what is there, element by element: it reads, and right away writes. */
export const combining = (
  x: Pick<Executing, 'stamp'>,
  operation: number,
  proxy: Access['proxy'],
  e: Elements,
  scope: Scope,
  combine: Combine,
): ReadonlyArray<Access> => {
  const one = (rw: 'r' | 'w'): Access => ({
    _tag: 'access',
    stamp: x.stamp,
    operation,
    rw,
    proxy,
    footprint: e.footprint,
    role: 'destination',
    atomic: true,
    scope,
    combine,
  })
  return [one('r'), one('w')]
}

/** The access of a strong load or store: what a plain one is not said to be. */
const strongly = (plain: Access, { scope, orders, decides, controls, shows, words }: Strong): Access => {
  const made: { -readonly [K in keyof Access]: Access[K] } = Object.assign({}, plain, { atomic: true, scope })
  if (orders) {
    if (plain.rw === 'r') made.acquires = true
    else made.releases = true
  }
  if (decides) made.decides = true
  if (controls !== null) made.controls = controls
  if (shows.length > 0) made.shows = shows
  if (words > 1) made.words = words
  return made
}

const readEvent = (x: Executing, p: Of<'load'>, value: number): Access =>
  p.strong === undefined ? plainRead(x, p, value) : strongly(plainRead(x, p, value), p.strong)

const plainRead = (x: Executing, { source, outside, readOnly }: Of<'load'>, value: number): Access =>
  outside === 'zero'
    ? {
        _tag: 'access',
        stamp: x.stamp,
        rw: 'r',
        proxy: readOnly === true ? 'readOnly' : 'generic',
        footprint: source.footprint,
        role: 'source',
        atomic: false,
        value,
      }
    : {
        _tag: 'access',
        stamp: x.stamp,
        rw: 'r',
        proxy: readOnly === true ? 'readOnly' : 'generic',
        footprint: source.footprint,
        role: 'source',
        atomic: false,
        outside,
        value,
      }

/** Of an access that writes words: what it finds, and what it leaves. */
export const withWords = (e: Access, found: Float64Array | null, left: Float64Array | null): Access =>
  found === null || left === null || bitsOf(e.footprint.dtype) !== 32
    ? e
    : Object.assign({ found: Array.from(found, wordOf), left: Array.from(left, wordOf) }, e)

/** NaN: it is not known. */
const wordOf = (x: number): number => (isKnown(x) ? x | 0 : NaN)

export const executeLoad = (
  x: Executing,
  m: Machine,
  p: Of<'load'>,
  layout: RegisterLayout | 'any',
  apart: ReadonlyArray<Apart>,
): Effect => {
  const { data } = Plane.read(m.planes[p.source.plane]!, p.source)
  const plain = Plane.plainAt(m.planes[p.source.plane]!, p.source)
  for (const { from, to, plane } of apart) {
    const found = Plane.read(plane, p.source).data
    if (data !== null && found !== null) data.set(found.subarray(from, to), from)
    if (plain === null) continue
    const width = plain.length / p.source.offsets.length
    const known = Plane.plainAt(plane, p.source) ?? new Uint8Array(plain.length)
    plain.set(known.subarray(from * width, to * width), from * width)
  }
  const other = p.other
  if (data !== null && other !== null)
    for (let i = 0; i < data.length; i++) if (p.source.offsets[i]! < 0) data[i] = other[i]!
  // registers hold an unsigned word as the i32 of the same bits
  if (data !== null && p.source.dtype === 'u32') data.forEach((v, i) => (data[i] = v | 0))
  const id = m.values
  const read = V.tile(p.source.shape, elementOf(p.source.dtype).dtype, layout, data, { _tag: 'value', id })
  const tile = plain === null ? read : Object.assign({ plain }, read)
  const event = readEvent(x, p, id)
  // a carrier is a number: a 64-bit integer beyond 2^53 is refused rather than rounded
  const inexact =
    data !== null && bitsOf(p.source.dtype) === 64 ? data.findIndex((v) => !Number.isSafeInteger(v)) : -1
  const result = inexact < 0 ? tile : V.fault('i64.range', `load: element ${String(inexact)} is beyond 2^53`)
  return effect(countValue(m), [event], [result])
}

export const executeStore = (x: Executing, m: Machine, p: Of<'store'>): Effect => {
  const d = p.destination
  // a narrow integer keeps the low bits of the register
  const data =
    p.data !== null && isInt(d.dtype) && bitsOf(d.dtype) < 32 && x.world.algebra.memory !== 'shadow'
      ? p.data.map(wrap(d.dtype))
      : p.data
  const { strong } = p
  // before the write: the run overwrites what it has written itself
  const found = strong?.watched === true ? Plane.read(m.planes[d.plane]!, d).data : null
  const plane = Plane.writePlain(m.planes[d.plane]!, d, data, plainBytes(p.origin), m.edit)
  const event: Access = {
    _tag: 'access',
    stamp: x.stamp,
    rw: 'w',
    proxy: 'generic',
    footprint: d.footprint,
    role: 'destination',
    atomic: false,
    origin: p.origin,
  }
  const told = p.agrees === true ? Object.assign({ agrees: true as const }, event) : event
  if (strong === undefined) return effect(withPlane(m, d.plane, plane), [told])
  const made = strongly(told, strong)
  return effect(withPlane(m, d.plane, plane), [strong.watched ? withWords(made, found, data) : made])
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'load' | 'store'> = {
  load: {
    execute: (x, m, p, { layouts, apart }) => executeLoad(x, m, p, layouts[0] ?? 'any', apart),
    waits: { of: 'word', blocked: () => false, stands: askedEvent },
    touches: (_, p) => [
      p.strong === undefined
        ? read(p.source)
        : atomic('r', p.source, p.strong.scope, 'agent', p.strong.words),
    ],
    does: (p) => (p.strong === undefined ? 'reads' : 'asks'),
    strong: (p) =>
      p.strong === undefined
        ? null
        : { elements: p.source, words: p.strong.words, reads: true, writes: null },
  },
  store: {
    execute: executeStore,
    waits: null,
    touches: (_, p) => [
      p.strong === undefined
        ? write(p.destination)
        : atomic('w', p.destination, p.strong.scope, 'agent', p.strong.words),
    ],
    does: changes,
    strong: (p) =>
      p.strong === undefined
        ? null
        : {
            elements: p.destination,
            words: p.strong.words,
            reads: false,
            writes: { leaves: false, scope: p.strong.scope, releases: p.strong.orders },
          },
  },
}
