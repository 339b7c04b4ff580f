/**
 * The slots of buffers, and what is going on in them.
 *
 * A buffer is an array that a program declares in shared or tensor memory, once for each CTA. One of three dimensions or more is a ring: its slots are
 * the places of its leading dimension, and so it is where the program takes slots of it. Any other is one slot.
 *
 *     a_smem: f16 (4, 64, 64)     4 slots of 8192 bytes
 *     acc_tmem: f32 (128, 256)    1 slot
 *
 * Who has still to write to a slot or to read it are the operations in flight; what it holds is what the log says was written there last, byte for byte:
 * a write takes away what it covers of earlier ones. An operation that reads and writes (an accumulator) counts as one that writes. Columns of tensor
 * memory hold nothing when they are allocated and when they are given back.
 *
 * Arrays that share memory (a union) share what happens there.
 */
import * as E from 'fp-ts/lib/Either.js'
import { children, type ExprNode } from '../../semantics/language/expression.js'
import { tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import { lengthOf } from '../../semantics/language/place.js'
import { expressionsOf, statementsOf, type Program, type Storage } from '../../semantics/language/program.js'
import { spansOf, type Footprint, type LogEvent } from '../../semantics/log/events.js'
import { ofOperation } from '../../semantics/execution/event-effects.js'
import type { InFlight } from '../../semantics/machine/operation.js'
import type { World } from '../../semantics/machine/world.js'
import { slotShape, slotStrideBytes, spans } from '../../transforms/ref.js'
import type { RecordedBuffer, SlotState } from './model.js'

// ---------------------------------------------------------------- intervals

/** Bytes: start, end, start, end ..., ascending and apart. */
type Bytes = ReadonlyArray<number> | Int32Array

const common = (a: Bytes, b: Bytes): ReadonlyArray<number> => {
  const out: number[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [from, to] = [Math.max(a[i]!, b[j]!), Math.min(a[i + 1]!, b[j + 1]!)]
    if (from < to) out.push(from, to)
    if (a[i + 1]! < b[j + 1]!) i += 2
    else j += 2
  }
  return out
}

const without = (a: Bytes, b: Bytes): ReadonlyArray<number> => {
  const out: number[] = []
  let j = 0
  for (let i = 0; i < a.length; i += 2) {
    let from = a[i]!
    const to = a[i + 1]!
    while (j < b.length && b[j + 1]! <= from) j += 2
    for (let k = j; k < b.length && b[k]! < to; k += 2) {
      if (b[k]! > from) out.push(from, b[k]!)
      from = Math.max(from, b[k + 1]!)
    }
    if (from < to) out.push(from, to)
  }
  return out
}

// ---------------------------------------------------------------- buffers

/** Where a slot is. */
export interface Slot {
  readonly buffer: number
  readonly slot: number
  readonly plane: number
  readonly bytes: Bytes
}

export interface Buffers {
  readonly buffers: ReadonlyArray<RecordedBuffer>
  readonly slots: ReadonlyArray<Slot>
}

/** The arrays of which a program takes slots. */
const ringsOf = (program: Program): ReadonlySet<string> => {
  const rings = new Set<string>()
  const visit = (e: ExprNode): void => {
    if (e._tag === 'slot' && e.of._tag === 'storage') rings.add(e.of.storage)
    children(e).forEach(visit)
  }
  for (const s of statementsOf(program.entry.body)) expressionsOf(s).forEach(visit)
  return rings
}

interface Ring {
  readonly slots: number
  readonly slotBytes: number
  readonly holds: string
  /** of each slot, from the start of the array */
  readonly bytes: ReadonlyArray<Bytes>
}

const flat = (of: ReadonlyArray<readonly [number, number]>): ReadonlyArray<number> =>
  of.flatMap(([start, length]) => [start, start + length])

const ringOf = (storage: Storage, base: number, isRing: boolean): Ring | null => {
  if (storage.contents._tag !== 'elements') return null
  const { dtype, layout } = storage.contents
  const one = layout.shape.length > 1 && isRing ? slotShape(layout) : E.left(null)
  const stride = slotStrideBytes(layout)
  if (E.isLeft(one) || layout.shape[0]! === 1 || !Number.isInteger(stride))
    return {
      slots: 1,
      slotBytes: lengthOf(storage),
      holds: `${dtype} ${layout.shape.join('x')}`,
      bytes: [flat(spans(layout, base))],
    }
  return {
    slots: layout.shape[0]!,
    slotBytes: stride,
    holds: `${dtype} ${one.right.shape.join('x')}`,
    bytes: Array.from({ length: layout.shape[0]! }, (_, k) => flat(spans(one.right, base + k * stride))),
  }
}

/** The arrays of all CTAs that run together. */
export const buffersOf = (world: World, program: Program): Buffers => {
  const rings = ringsOf(program)
  const buffers: RecordedBuffer[] = []
  const slots: Slot[] = []
  for (let cta = 0; cta < world.ctas * world.resident; cta++)
    for (const storage of program.storage) {
      const placed = world.storages.get(storage.id)
      if (placed === undefined || (storage.space !== 'smem' && storage.space !== 'tmem')) continue
      const isRing = storage.contents._tag === 'elements' && storage.contents.layout.shape.length > 2
      const ring = ringOf(storage, placed.offset, isRing || rings.has(storage.id))
      if (ring === null) continue
      ring.bytes.forEach((bytes, slot) =>
        slots.push({ buffer: buffers.length, slot, plane: placed.plane + cta * world.planesPerCta, bytes }),
      )
      buffers.push({
        name: storage.id,
        cta,
        space: storage.space,
        start: storage.space === 'smem' ? placed.offset : placed.offset % tmemLaneBytes,
        bytes: lengthOf(storage),
        slots: ring.slots,
        slotBytes: ring.slotBytes,
        holds: ring.holds,
      })
    }
  return { buffers, slots }
}

// ---------------------------------------------------------------- what goes on

export const empty: SlotState = { writing: [], holds: [], reading: [], wasRead: false }

/** What is known of one slot: what it holds, by bytes, and who is at it. */
interface Known {
  held: ReadonlyArray<{ readonly by: number; readonly bytes: ReadonlyArray<number> }>
  wasRead: boolean
  state: SlotState
}

/** The slots of a run, followed while it goes on. */
export interface Following {
  /** what a step and the operations in flight after it make another; each step is known by its number, statements by `stepOf` */
  readonly step: (
    events: ReadonlyArray<LogEvent>,
    inFlight: ReadonlyArray<InFlight>,
  ) => ReadonlyArray<readonly [buffer: number, slot: number, SlotState]>
  readonly states: () => ReadonlyArray<ReadonlyArray<SlotState>>
}

const same = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i])

const distinct = (xs: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(xs)]

export const following = (
  { buffers, slots }: Buffers,
  stepOf: (agent: number, at: number) => number,
): Following => {
  const known = slots.map((): Known => ({ held: [], wasRead: false, state: empty }))
  /** by the footprint: the slots that it reaches, and which bytes of each */
  const reached = new WeakMap<Footprint, ReadonlyArray<readonly [number, ReadonlyArray<number>]>>()
  const reachOf = (f: Footprint): ReadonlyArray<readonly [number, ReadonlyArray<number>]> => {
    const before = reached.get(f)
    if (before !== undefined) return before
    const mine = spansOf(f)
    const found = slots.flatMap((s, k) => {
      const bytes = s.plane === f.plane ? common(s.bytes, mine) : []
      return bytes.length === 0 ? [] : [[k, bytes] as const]
    })
    reached.set(f, found)
    return found
  }
  /** by the operation: the slots that its next event reads, or writes */
  const asked = new WeakMap<InFlight, Use>()
  const useOf = (f: InFlight): Use => {
    const before = asked.get(f)
    if (before !== undefined) return before
    const [writes, reads] = [new Set<number>(), new Set<number>()]
    for (const t of ofOperation(f))
      if (t._tag === 'memory') for (const [k] of reachOf(t.footprint)) (t.rw === 'w' ? writes : reads).add(k)
    for (const k of writes) reads.delete(k)
    const use = { by: stepOf(f.agent, f.at), writes, reads }
    asked.set(f, use)
    return use
  }
  let flying: ReadonlyArray<InFlight> = []

  const heard = (e: LogEvent, touched: Set<number>): void => {
    if (e._tag === 'alloc' || e._tag === 'dealloc')
      for (const [k, bytes] of reachOf(e.footprint)) {
        touched.add(k)
        const slot = known[k]!
        slot.held = slot.held.flatMap((h) => {
          const left = without(h.bytes, bytes)
          return left.length === 0 ? [] : [{ by: h.by, bytes: left }]
        })
      }
    if (e._tag !== 'access') return
    const by = stepOf(e.stamp.agent, e.stamp.at)
    for (const [k, bytes] of reachOf(e.footprint)) {
      touched.add(k)
      const slot = known[k]!
      slot.wasRead = e.rw === 'r'
      if (e.rw === 'r') continue
      slot.held = [
        ...slot.held.flatMap((h) => {
          const left = without(h.bytes, bytes)
          return left.length === 0 ? [] : [{ by: h.by, bytes: left }]
        }),
        { by, bytes },
      ]
    }
  }

  const now = (k: number): SlotState => {
    const { held, wasRead } = known[k]!
    const uses = flying.map(useOf)
    // of one that writes several times, the last time counts
    const holds = distinct(held.map(({ by }) => by).reverse())
      .slice()
      .reverse()
    return {
      writing: distinct(uses.flatMap(({ by, writes }) => (writes.has(k) ? [by] : []))),
      holds,
      reading: distinct(uses.flatMap(({ by, reads }) => (reads.has(k) ? [by] : []))),
      wasRead: wasRead && holds.length > 0,
    }
  }

  return {
    step: (events, inFlight) => {
      const touched = new Set<number>()
      for (const e of events) heard(e, touched)
      const before = new Set(flying)
      const after = new Set(inFlight)
      for (const f of [...flying.filter((g) => !after.has(g)), ...inFlight.filter((g) => !before.has(g))]) {
        const { writes, reads } = useOf(f)
        for (const k of [...writes, ...reads]) touched.add(k)
      }
      flying = inFlight
      return [...touched]
        .sort((a, b) => a - b)
        .flatMap((k) => {
          const [was, is] = [known[k]!.state, now(k)]
          if (
            was.wasRead === is.wasRead &&
            same(was.writing, is.writing) &&
            same(was.holds, is.holds) &&
            same(was.reading, is.reading)
          )
            return []
          known[k]!.state = is
          return [[slots[k]!.buffer, slots[k]!.slot, is] as const]
        })
    },
    states: () =>
      buffers.map((_, buffer) => known.filter((_k, i) => slots[i]!.buffer === buffer).map((k) => k.state)),
  }
}

interface Use {
  readonly by: number
  readonly writes: ReadonlySet<number>
  readonly reads: ReadonlySet<number>
}
