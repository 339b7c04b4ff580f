/**
 * Keys: a state of the search in numbers, without payload and without names that depend on the schedule.
 *
 * | part of the machine       | in the key                                         | left out, and why                              |
 * |---------------------------|----------------------------------------------------|------------------------------------------------|
 * | agent                     | status, program-order index                        | where it stands: a function of the index (C1) |
 * | the same, where control may depend on timing | also where it stands, as its front says it | what decides nothing |
 * | mbarrier                  | parity, expected, pending, bytes                   | how many phases have ended: waits ask the parity |
 * | named barrier             | threads, generation                                | -                                              |
 * | tensor memory             | allocations in their order, largest, relinquished, steps of a pair | -                                              |
 * | the grid                  | clusters that run, the next, requests, refusals, responses; registers | -                           |
 * | operation in flight       | agent, index, stage, part                          | its number in order of issue; its operands, which are a function of agent and index |
 * | planes                    | contents, where `unit` keeps them (counted tensors) | under `unit` no other value is read        |
 * | views                     | all bits (`views.ts`)                              | -                                              |
 *
 * Group counters of an agent are a function of its index. An operation is its stage and whatever its agent and index say, and the
 * order of the operations of one agent is that of their indices, so sorting them loses nothing.
 *
 * Laws
 * 1. States with equal keys offer equal events, and equal events lead to equal keys.
 */
import { remembered } from '../../../remembered.js'
import type { Front } from '../../machine/front.js'
import type { Machine, Ready } from '../../machine/state.js'
import { settled, type Plane } from '../../machine/plane.js'
import type { DescriptorValue } from '../../machine/value.js'
import type { World } from '../../machine/world.js'
import { partOf, stageOf, type EventKey } from '../../execution/step.js'
import { writeKey, type Views } from './views.js'

// ---------------------------------------------------------------- model

/** Texts and regions as numbers, in order of first mention. */
export interface Names {
  readonly texts: Map<string, number>
  readonly regions: Map<object, number>
  /** stands that have been said, as long as there are any: what each was ready for, and its number */
  readonly stands: WeakMap<object, { readonly ready: Ready | null; readonly number: number }>
}

export const names = (): Names => ({ texts: new Map(), regions: new Map(), stands: new WeakMap() })

const numberOf = <K>(known: Map<K, number>, k: K): number => {
  const found = known.get(k)
  if (found !== undefined) return found
  known.set(k, known.size)
  return known.size - 1
}

// ---------------------------------------------------------------- parts

/** How to say where an agent stands (`machine/front.ts`); null: it is a function of its index. */
export type Where = Front<World>['where'] | null

const ofMap = (d: DescriptorValue): string =>
  JSON.stringify([d.plane, d.base, d.dtype, d.dims, d.strides, d.box, d.swizzle, d.fill, d.map?.footprint.id])

/** A page is not written over while a search goes on: states share them. */
const bytesOf = remembered((page: { readonly bytes: Uint8Array }) => ({ text: page.bytes.join() }))

const textOf = (p: Exclude<Plane, { readonly _tag: 'none' }>): string => {
  switch (p._tag) {
    case 'bytes':
      return p.pages.map((page) => (page === null || page === undefined ? '' : bytesOf(page).text)).join(';')
    case 'shadow':
      return `${textOf(p.bytes)}|${textOf(p.marks)}`
    case 'slots':
      return p.pages.map((page) => page?.slots.join() ?? '').join(';')
  }
}

const ofPlane = (names: Names, p: Exclude<Plane, { readonly _tag: 'none' }>): number =>
  numberOf(names.texts, textOf(p))

// ---------------------------------------------------------------- keys

const ofStand = (
  names: Names,
  where: Exclude<Where, null>,
  { stand, ready }: Machine['agents'][number],
  numbering: (region: object) => number,
): number => {
  const known = stand === null ? undefined : names.stands.get(stand)
  if (known !== undefined && known.ready === ready) return known.number
  const text = stand === null ? '' : where(stand, ready, numbering)
  const number = numberOf(names.texts, `${text}|${ready?._tag ?? ''}`)
  if (stand !== null) names.stands.set(stand, { ready, number })
  return number
}

const stageNumber: Readonly<Record<EventKey['stage'], number>> = {
  agent: 0,
  read: 1,
  write: 2,
  all: 3,
  signal: 4,
}

/** `where`, if control may depend on timing. `frozen`: an event that this part of the search never takes. */
export const stateKey = (
  names: Names,
  where: Where,
  m: Machine,
  v: Views,
  frozen: EventKey | null,
): ReadonlyArray<number> => {
  const out: number[] = []
  const numbering = (region: object): number => numberOf(names.regions, region)
  if (frozen === null) out.push(-1)
  else out.push(frozen.agent, frozen.at, stageNumber[frozen.stage], frozen.part)
  for (const a of m.agents) {
    out.push(a.at * 4 + (a.status === 'running' ? 1 : a.status === 'done' ? 2 : 0))
    if (where === null) continue
    out.push(ofStand(names, where, a, numbering))
  }
  for (const b of m.barriers)
    if (b === null) out.push(-1)
    else out.push(b.completed & 1, b.expected, b.pending, b.tx)
  out.push(m.named.length)
  const named = m.named.length < 2 ? m.named : [...m.named].sort((p, q) => p.cta - q.cta || p.id - q.id)
  for (const n of named) out.push(n.cta, n.id, n.arrived, n.generation, n.votes.yes, n.outcome.yes)
  for (const t of m.tensorMemory) {
    out.push(t.allocated.length, t.largest, t.relinquished ? 1 : 0)
    for (const c of t.allocated) out.push(c.start, c.columns, c.agent)
    out.push(t.outOfStep ? 1 : 0, t.ahead.length)
    for (const step of t.ahead) out.push(step)
  }
  out.push(m.wave.next, m.wave.requests)
  for (const c of m.wave.clusters) out.push(c)
  for (const r of m.wave.refused) out.push(r ? 1 : 0)
  out.push(m.responses.length)
  for (const r of [...m.responses].sort((p, q) => p.plane - q.plane || p.address - q.address))
    out.push(r.plane, r.address, r.cluster)
  for (const r of m.registers) out.push(r)
  if (m.tensormaps.length > 0) out.push(numberOf(names.texts, m.tensormaps.map(ofMap).sort().join(';')))
  for (const p of m.planes) {
    const whole = settled(p)
    if (whole._tag !== 'none') out.push(ofPlane(names, whole))
  }
  out.push(m.inFlight.length)
  const flying = m.inFlight.map((f): readonly [number, number, number, number] => [
    f.agent,
    f.at,
    partOf(f),
    stageNumber[stageOf(f)],
  ])
  flying.sort((p, q) => p[0] - q[0] || p[1] - q[1] || p[2] - q[2] || p[3] - q[3])
  for (const f of flying) out.push(f[0], f[1], f[2], f[3])
  // which cluster is granted is settled when it is asked for
  for (const f of m.inFlight) if (f._tag === 'clc') out.push(f.agent, f.at, f.part, f.cluster)
  writeKey(v, out)
  return out
}

// ---------------------------------------------------------------- sets of keys

/** Keys, each once. */
export interface KeySet {
  readonly add: (key: ReadonlyArray<number>) => boolean
  readonly size: () => number
}

const hash = (key: ReadonlyArray<number>): number => {
  let h = 0x811c9dc5 ^ key.length
  for (let k = 0; k < key.length; k++) {
    h = Math.imul(h ^ key[k]!, 0x01000193)
    h ^= h >>> 15
  }
  return h >>> 0
}

/** Side by side in one array, found again through a table of hashes. */
export const keySet = (): KeySet => {
  let data = new Int32Array(4096)
  let used = 0
  const starts: number[] = [0]
  let table = new Int32Array(256).fill(-1)
  let hashes = new Int32Array(128)
  const add = (key: ReadonlyArray<number>): boolean => {
    const h = hash(key)
    const count = starts.length - 1
    let at = h & (table.length - 1)
    for (; table[at]! >= 0; at = (at + 1) & (table.length - 1)) {
      const k = table[at]!
      if (hashes[k] !== (h | 0)) continue
      const from = starts[k]!
      if (starts[k + 1]! - from !== key.length) continue
      let j = 0
      while (j < key.length && data[from + j] === key[j]) j++
      if (j === key.length) return false
    }
    if (used + key.length > data.length) {
      const wider = new Int32Array(Math.max(data.length * 2, used + key.length))
      wider.set(data)
      data = wider
    }
    data.set(key, used)
    used += key.length
    starts.push(used)
    table[at] = count
    if (count >= hashes.length) {
      const wider = new Int32Array(hashes.length * 2)
      wider.set(hashes)
      hashes = wider
    }
    hashes[count] = h | 0
    if ((count + 1) * 2 > table.length) {
      table = new Int32Array(table.length * 2).fill(-1)
      for (let k = 0; k <= count; k++) {
        let to = hashes[k]! & (table.length - 1)
        while (table[to]! >= 0) to = (to + 1) & (table.length - 1)
        table[to] = k
      }
    }
    return true
  }
  return { add, size: () => starts.length - 1 }
}
