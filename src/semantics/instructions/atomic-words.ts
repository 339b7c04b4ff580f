/**
 * Atomics on words: an element is one word, or several, that are read, joined and written at once.
 *
 * The elements go one after another; one that names the place of another finds what that one left. In the log they are what other atomics are, a read
 * and right away a write (`atomic.ts`).
 *
 * Law 1. For the operations and types that `atomic.ts` has too, memory and results afterwards are the same.
 *
 * Source: PTX ISA, atom, red.
 */
import { allBytes, rest, scalarOperation, type ScalarOperation } from '../../numerics/scalar/index.js'
import { datumOf, isKnown, mark, marked, markOf } from '../../numerics/shadow.js'
import { plainBytes, type Access } from '../log/events.js'
import { effect, type Effect, type Executing } from '../machine/effect.js'
import type { Prepared } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { countValue, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { withWords } from './generic.js'
import { type Family } from '../machine/family.js'
import * as Touches from '../machine/touches.js'
import { askedEvent } from './semaphore.js'

type AtomicWords = Extract<Prepared, { readonly _tag: 'atomic.words' }>

/** The same where not all is known: an exchange is one whatever it finds, of all else nothing is known then; null: all is. */
const partly = (
  p: AtomicWords,
  old: ReadonlyArray<number>,
  by: ReadonlyArray<number>,
  at: number,
): ReadonlyArray<number> | null => {
  if (p.op === 'exch') return by
  const compare = p.op === 'cas' && p.compare !== null ? old.map((_, k) => p.compare![at + k]!) : []
  const met = [...old, ...by, ...compare]
  if (met.every(isKnown)) return null
  const datum = met.reduce((d, x) => Math.max(d, datumOf(markOf(x))), 0)
  return old.map(() => marked(0, mark(p.destination.dtype === 'u16' ? 3 : allBytes, datum)))
}

/** What remains of an element. */
const remaining = (
  p: AtomicWords,
  f: ScalarOperation | null,
  old: ReadonlyArray<number>,
  at: number,
): ReadonlyArray<number> => {
  const by = old.map((_, k) => p.data![at + k]!)
  const unknown = partly(p, old, by, at)
  if (unknown !== null) return unknown
  const limit = by[0]! >>> 0
  const now = old[0]! >>> 0
  switch (p.op) {
    case 'cas':
      return old.every((word, k) => word === p.compare![at + k]) ? by : old
    case 'inc':
      return [now >= limit ? 0 : (now + 1) | 0]
    case 'dec':
      return [now === 0 || now > limit ? limit | 0 : (now - 1) | 0]
    case 'add':
    case 'min':
    case 'max':
    case 'and':
    case 'or':
    case 'xor':
    case 'exch': {
      if (f === null) return old
      const first = f.compute(...old, ...by)
      return old.map((_, k) => (k === 0 ? first : rest[k - 1]!))
    }
  }
}

interface Joined {
  readonly before: Float64Array
  readonly after: Float64Array
}

const joined = (m: Machine, p: AtomicWords): Joined | null => {
  const { data } = Plane.read(m.planes[p.destination.plane]!, p.destination)
  if (data === null || p.data === null) return null
  const f = p.joins === null ? null : (scalarOperation(p.joins) ?? null)
  const narrow = p.destination.dtype === 'u16'
  const after = new Float64Array(data.length)
  const left = new Map<number, ReadonlyArray<number>>()
  for (let i = 0; i < data.length; i += p.words) {
    const address = p.destination.offsets[i]!
    const old = left.get(address) ?? Array.from({ length: p.words }, (_, k) => data[i + k]!)
    const now = remaining(p, f, old, i).map((word) => (narrow && isKnown(word) ? word & 0xffff : word))
    for (let k = 0; k < p.words; k++) {
      data[i + k] = old[k]!
      after[i + k] = now[k]!
    }
    left.set(address, now)
  }
  // the last one to a place is what stays there
  for (let i = 0; i < after.length; i += p.words) {
    const now = left.get(p.destination.offsets[i]!)!
    for (let k = 0; k < p.words; k++) after[i + k] = now[k]!
  }
  return { before: data, after }
}

/** What it orders: all of it is said of its write, which comes right behind its read. */
const ordering = (write: Access, { acquires, releases, rounds }: AtomicWords): Access => {
  if (!acquires && !releases && !rounds) return write
  const made: { -readonly [K in keyof Access]: Access[K] } = Object.assign({}, write)
  if (rounds) made.rounds = true
  if (acquires) made.acquires = true
  if (releases) made.releases = true
  return made
}

/** Of how many elements each of its scalars is made. */
const wide = (e: Access, { words }: AtomicWords): Access => (words === 1 ? e : Object.assign({ words }, e))

/** What comes of what it finds. */
const withDeciding = (read: Access, { decides, controls, signs }: AtomicWords): Access =>
  signs
    ? Object.assign({ signs: true as const }, read)
    : controls !== null
      ? Object.assign({ decides: true as const, controls }, read)
      : decides
        ? Object.assign({ decides: true as const }, read)
        : read

export const execute = (x: Executing, m: Machine, p: AtomicWords): Effect => {
  const d = p.destination
  const done = joined(m, p)
  const id = m.values
  const read: Access = {
    _tag: 'access',
    stamp: x.stamp,
    rw: 'r',
    proxy: 'generic',
    footprint: d.footprint,
    role: 'source',
    atomic: true,
    scope: p.scope,
    joins: true,
    value: id,
  }
  const write: Access = {
    _tag: 'access',
    stamp: x.stamp,
    rw: 'w',
    proxy: 'generic',
    footprint: d.footprint,
    role: 'destination',
    atomic: true,
    scope: p.scope,
    combine: p.combine,
    origin: p.origin,
  }
  // of what no data has decided, an atomic makes what none has
  const was = Plane.plainAt(m.planes[d.plane]!, d)
  const by = plainBytes(p.origin)
  const plain = was?.every((x) => x === 1) === true && by?.every((x) => x === 1) === true ? was : null
  const found = V.tile(d.shape, 'i32', 'any', done === null ? null : done.before, { _tag: 'value', id })
  const old = plain === null ? found : Object.assign({ plain }, found)
  const written =
    done === null
      ? m
      : withPlane(m, d.plane, Plane.writePlain(m.planes[d.plane]!, d, done.after, plain, m.edit))
  return effect(
    countValue(written),
    [
      wide(withDeciding(read, p), p),
      p.watched
        ? withWords(wide(ordering(write, p), p), done?.before ?? null, done?.after ?? null)
        : wide(ordering(write, p), p),
    ],
    [old],
  )
}

// ---------------------------------------------------------------- all that is asked

/** It waits, and the word is known to be another than the one that it compares with. */
const isHeldUp = (m: Machine, p: AtomicWords): boolean => {
  if (p.awaits !== true || p.compare === null) return false
  const { data } = Plane.read(m.planes[p.destination.plane]!, p.destination)
  const [word = NaN, compared = NaN] = [data?.[0], p.compare[0]]
  if (Number.isNaN(word) || Number.isNaN(compared)) return false
  return isKnown(word) && isKnown(compared) && word !== compared
}

/** An atomic that leaves what it finds, whatever that is. */
const leavesWhatItFinds = (p: AtomicWords): boolean => {
  const data = p.data
  if (data === null) return false
  switch (p.op) {
    case 'add':
    case 'or':
    case 'xor':
      return !p.rounds && data.every((x) => x === 0)
    case 'and':
      return data.every((x) => (x | 0) === -1)
    case 'cas':
      return p.compare?.every((x, i) => x === data[i]) === true
    case 'min':
    case 'max':
    case 'inc':
    case 'dec':
    case 'exch':
      return false
  }
}

export const acts: Family<'atomic.words'> = {
  'atomic.words': {
    execute,
    waits: { of: 'word', blocked: (_world, _agent, m, p) => isHeldUp(m, p), stands: askedEvent },
    touches: (_, p) => Touches.joined(p.destination, p.scope, p.words),
    does: (p) =>
      p.op === 'cas' || p.op === 'exch' || p.data?.every((x) => x === 0) === true ? 'asks' : 'changes',
    strong: (p) => ({
      elements: p.destination,
      words: p.words,
      reads: true,
      finds: p.awaits === true ? (p.compare?.[0] ?? null) : null,
      writes: { leaves: leavesWhatItFinds(p), scope: p.scope, releases: p.releases },
    }),
  },
}
