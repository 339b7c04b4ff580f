/**
 * Memory of a launch as bytes that lie together, and what lanes do to it.
 *
 * A plane becomes bytes when a lane first reaches it, and a plane again at the end, of which only the pages that were written are new. What each statement touches is a mark for each
 * group of bytes, as wide as its accesses: at the end the marks are spans.
 *
 * | an access                                                                            | is            |
 * |--------------------------------------------------------------------------------------|---------------|
 * | aligned, in memory that is there, of bytes that were written                          | done          |
 * | any other                                                                             | given up      |
 *
 * Law 1. An access that is done is that of `warps/memory.ts`; one that is given up has not happened in any lane that matters: the launch is executed again, by definition.
 */
import { rest, scalarOperation } from '../../numerics/scalar/index.js'
import * as Plane from '../machine/plane.js'
import { reachOf } from '../log/reach.js'
import { ownWindow, rankShift, regionAt, sharedWindow, type WarpLaunch } from '../warps/launched.js'
import { joining } from '../warps/atomics.js'
import { windowOf } from '../warps/memory.js'
import type { Address, Operation, Row, Width } from '../warps/program.js'
import type { Lanes, Registers } from './lanes.js'
import type { Follows } from './program.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

// ---------------------------------------------------------------- bytes

/** Bytes that lie together, seen one, two and four at a time. */
export interface Flat {
  /** -1: it is not global memory */
  readonly plane: number
  readonly size: number
  readonly bytes: Uint8Array
  readonly halves: Uint16Array
  readonly words: Int32Array
  /** of each byte if it was written; null: all were */
  readonly written: Uint8Array | null
  /** the same, four at a time */
  readonly writtenWords: Int32Array | null
  /** of each page if it was written to; null: nothing writes it */
  readonly dirty: Uint8Array | null
}

const allWritten = 0x01010101
const pageBits = 12

export const flat = (plane: number, size: number, written: Uint8Array | null, writable: boolean): Flat => {
  const room = Math.ceil(size / 16) * 16
  const bytes = new Uint8Array(room)
  let marks: Uint8Array | null = null
  if (written !== null) {
    marks = new Uint8Array(room)
    marks.set(written)
  }
  return {
    plane,
    size,
    bytes,
    halves: new Uint16Array(bytes.buffer),
    words: new Int32Array(bytes.buffer),
    written: marks,
    writtenWords: marks === null ? null : new Int32Array(marks.buffer),
    dirty: writable ? new Uint8Array((room >> pageBits) + 1) : null,
  }
}

/** What a statement touches of one memory: a mark for each `1 << bits` bytes. */
export interface Marks {
  readonly flat: Flat
  readonly site: number
  readonly rw: 'r' | 'w'
  readonly atomic: number
  readonly bits: number
  readonly marks: Uint8Array
}

export const spansOf = ({ marks, bits, flat: { size } }: Marks): ReadonlyArray<number> => {
  const out: number[] = []
  for (let at = marks.indexOf(1); at >= 0;) {
    const behind = marks.indexOf(0, at)
    const end = behind < 0 ? marks.length : behind
    out.push(at << bits, Math.min(end << bits, size))
    at = behind < 0 ? -1 : marks.indexOf(1, behind)
  }
  return out
}

// ---------------------------------------------------------------- the memories of a launch

/** A CTA that runs: memory that is its own. */
export interface Block {
  readonly shared: Flat
}

/** A warp's own. */
export interface Local {
  readonly local: Flat
  /** the upper word of addresses in the local memory of the first lane */
  readonly window: number
  /** of rows, and behind them of predicates, the lanes whose word holds nothing, or not in every byte: where it is asked (`program.ts`) */
  readonly nothing: Int32Array
  /** of rows, lane by lane, where `nothing` says so: the bytes that hold nothing, and `ofNothing` where the word was computed of some */
  readonly missing: Uint8Array
}

/** All bytes of a word that was computed of what holds nothing, or that nothing has given a value. */
export const ofNothing = 31

export type Acts = (r: Registers & Local, b: Block, l: Lanes) => boolean

export interface Memories {
  readonly follows: Follows
  readonly at: (high: number) => Flat | null
  readonly marks: (f: Flat, site: number, rw: 'r' | 'w', atomic: number, bits: number) => Marks
  readonly all: () => ReadonlyArray<Flat>
  readonly touched: () => ReadonlyArray<Marks>
}

/** `written`: by plane, of which bytes are written. */
export const memories = (
  launch: WarpLaunch,
  planes: ReadonlyArray<Plane.Plane>,
  written: ReadonlyArray<Uint8Array | null>,
  follows: Follows,
): Memories => {
  const byHigh = new Map<number, Flat | null>()
  const made = (high: number): Flat | null => {
    const region = regionAt(launch.regions, high)
    if (region === undefined || region.gone !== undefined || region.pieced === true) return null
    if (region.constant !== null) {
      const f = flat(region.plane, region.bytes, null, false)
      f.bytes.set(region.constant)
      return f
    }
    const plane = planes[region.plane]
    if (plane?._tag !== 'bytes') return null
    const known = written[region.plane] ?? null
    // where it is followed, any byte may hold nothing afterwards
    const marks = known === null && follows === 'all' ? new Uint8Array(plane.size).fill(1) : known
    const f = flat(region.plane, plane.size, marks, true)
    Plane.copyOut(plane, 0, plane.size, f.bytes)
    return f
  }
  const touched: Marks[] = []
  return {
    follows,
    at: (high) => {
      const known = byHigh.get(high)
      if (known !== undefined) return known
      const f = made(high)
      byHigh.set(high, f)
      return f
    },
    marks: (f, site, rw, atomic, bits) => {
      const m: Marks = { flat: f, site, rw, atomic, bits, marks: new Uint8Array((f.size >> bits) + 1) }
      touched.push(m)
      return m
    },
    all: () => [...byHigh.values()].flatMap((f) => (f === null ? [] : [f])),
    touched: () => touched,
  }
}

/** A lane's own memory begins where any word may. */
export const localStride = (bytes: number): number => Math.ceil(bytes / 16) * 16

// ---------------------------------------------------------------- places

const bitsOf = (size: number): number => 31 - Math.clz32(Math.min(size, 16))

const noMarks = new Uint8Array(0)

const widthIfAtomic = (o: Of<'load'> | Of<'store'>, bytes: number): number =>
  o.ordering !== 'weak' && reachOf(o.scope) === 3 ? 8 * bytes : 0

/** Where a statement reaches: the memory, and the byte in it, of one lane after the other. */
interface Reaching {
  flat: Flat | null
  marks: Uint8Array
  more: Uint8Array
  byte: number
}

/** Finds the memory of each lane; false: it is given up. A plain read of memory that nothing writes has no order, and is not logged. */
const reaching = (
  launch: WarpLaunch,
  m: Memories,
  address: Address,
  site: number,
  size: number,
  accesses: ReadonlyArray<readonly ['r' | 'w', number]>,
  bits: number = bitsOf(size),
  isLogged = (f: Flat): boolean => f.dirty !== null,
): {
  readonly here: Reaching
  readonly find: (r: Registers & Local, b: Block, lane: number, reach: number) => boolean
} => {
  const here: Reaching = { flat: null, marks: noMarks, more: noMarks, byte: 0 }
  const window = windowOf(launch, address)
  const [low = -1, high = -1] = address.rows
  const [lowAt, highAt, { offset }] = [low * 32, high * 32, address]
  const align = Math.min(size, 16)
  const marksBy = new Map<Flat, ReadonlyArray<Uint8Array>>()
  const { localBytes } = launch.program
  const stride = localStride(localBytes)
  let last = -1
  const into = (f: Flat): void => {
    here.flat = f
    if (f.plane < 0 || !isLogged(f)) {
      here.marks = here.more = noMarks
      return
    }
    const known = marksBy.get(f) ?? accesses.map(([rw, atomic]) => m.marks(f, site, rw, atomic, bits).marks)
    marksBy.set(f, known)
    here.marks = known[0]!
    here.more = known[1] ?? noMarks
  }
  const find = (r: Registers & Local, b: Block, lane: number, reach: number): boolean => {
    const sum = (low < 0 ? 0 : r.words[lowAt + lane]! >>> 0) + offset
    const lower = sum >>> 0
    if ((lower & (align - 1)) !== 0) return false
    const upper =
      window ?? (high < 0 ? 0 : (r.words[highAt + lane]! + (sum > 0xffffffff ? 1 : sum < 0 ? -1 : 0)) | 0)
    if (upper === sharedWindow) {
      if (lower >>> rankShift !== 0) return false
      here.byte = lower - launch.sharedBase
      last = -1
      if (here.flat !== b.shared) into(b.shared)
    } else if (upper === ownWindow || upper === r.window + lane) {
      if (lower + reach > localBytes) return false
      here.byte = lower + lane * stride
      last = -1
      if (here.flat !== r.local) into(r.local)
    } else {
      here.byte = lower
      if (upper !== last) {
        const f = m.at(upper)
        if (f === null) return false
        last = upper
        into(f)
      }
    }
    return here.byte >= 0 && here.byte + reach <= here.flat!.size
  }
  return { here, find }
}

// ---------------------------------------------------------------- loads and stores

const isWritten = (f: Flat, at: number, size: number): boolean => {
  if (f.written === null) return true
  if ((size & 3) === 0) {
    for (let k = at >> 2; k < (at + size) >> 2; k++) if (f.writtenWords![k] !== allWritten) return false
    return true
  }
  for (let k = at; k < at + size; k++) if (f.written[k] === 0) return false
  return true
}

/** Which of some bytes, four at most, hold nothing. */
const missingAt = (f: Flat, at: number, size: number): number => {
  if (f.written === null || isWritten(f, at, size)) return 0
  let bytes = 0
  for (let b = 0; b < size; b++) if (f.written[at + b] === 0) bytes |= 1 << b
  return bytes
}

const isNowWritten = (f: Flat, at: number, size: number): void => {
  if (f.dirty !== null) f.dirty[at >> pageBits] = 1
  if (f.written === null) return
  if ((size & 3) === 0) for (let k = at >> 2; k < (at + size) >> 2; k++) f.writtenWords![k] = allWritten
  else f.written.fill(1, at, at + size)
}

/** Of a statement each group of bytes that it touches; wider accesses than 16 bytes are two groups. */
const mark = (marks: Uint8Array, at: number, size: number, bits: number): void => {
  if (marks.length === 0) return
  marks[at >> bits] = 1
  if (size > 16) marks[(at + 16) >> bits] = 1
}

/** Pieces that one lane moves: words, or what is narrower. */
const piecesOf = ({ bytes, count }: Width): { readonly bytes: 1 | 2 | 4; readonly count: number } =>
  bytes <= 2 ? { bytes: bytes === 1 ? 1 : 2, count } : { bytes: 4, count: count * (bytes / 4) }

export const loading = (launch: WarpLaunch, m: Memories, site: number, o: Of<'load'>): Acts => {
  const size = o.width.bytes * o.width.count
  const { bytes, count } = piecesOf(o.width)
  const { signed } = o.width
  const atomic = widthIfAtomic(o, o.width.bytes)
  const { here, find } = reaching(launch, m, o.from, site, size, [['r', atomic]])
  const bits = bitsOf(size)
  const rows = o.to.flatMap(
    (to): ReadonlyArray<Row | null> =>
      to ?? Array.from({ length: Math.max(1, o.width.bytes / 4) }, () => null),
  )
  const [only] = rows
  const isFollowed = m.follows === 'all' || o.from.space === 'local'
  if (bytes === 4 && count === 1 && only !== undefined && only !== null && !isFollowed) {
    const to = only * 32
    return (r, b, { list }) => {
      const { words } = r
      for (let i = 0; i < list.length; i++) {
        const l = list[i]!
        if (!find(r, b, l, size)) return false
        const { byte, marks } = here
        const f = here.flat!
        if (f.writtenWords !== null && f.writtenWords[byte >> 2] !== allWritten) return false
        if (marks.length > 0) marks[byte >> 2] = 1
        words[to + l] = f.words[byte >> 2]!
      }
      return true
    }
  }
  const far = signed ? 32 - 8 * bytes : 0
  // a lane's address may be in a row that it loads
  const found = new Int32Array(count)
  return (r, b, { list }) => {
    const { words } = r
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      if (!find(r, b, l, size)) return false
      const { byte } = here
      const f = here.flat!
      if (isFollowed) {
        for (let k = 0; k < count; k++) {
          const row = rows[k]!
          if (row === null) continue
          const missing = missingAt(f, byte + k * bytes, bytes)
          const before = r.nothing[row]!
          r.nothing[row] = missing === 0 ? before & ~(1 << l) : before | (1 << l)
          // the sign of a narrow word is in its upper bytes, too
          r.missing[row * 32 + l] = missing >>> (bytes - 1) !== 0 && bytes < 4 && signed ? ofNothing : missing
        }
      } else if (!isWritten(f, byte, size)) return false
      mark(here.marks, byte, size, bits)
      for (let k = 0; k < count; k++)
        found[k] =
          bytes === 4
            ? f.words[(byte >> 2) + k]!
            : ((bytes === 2 ? f.halves[(byte >> 1) + k]! : f.bytes[byte + k]!) << far) >> far
      for (let k = 0; k < count; k++) {
        const row = rows[k]!
        if (row !== null) words[row * 32 + l] = found[k]!
      }
    }
    return true
  }
}

export const storing = (launch: WarpLaunch, m: Memories, site: number, o: Of<'store'>): Acts => {
  const size = o.width.bytes * o.width.count
  const { bytes, count } = piecesOf(o.width)
  const { here, find } = reaching(launch, m, o.into, site, size, [['w', widthIfAtomic(o, o.width.bytes)]])
  const bits = bitsOf(size)
  const rows = o.value.flat()
  const isLocal = o.into.space === 'local'
  const isFollowed = m.follows === 'all' || isLocal
  return (r, b, { list }) => {
    const { words } = r
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      if (!find(r, b, l, size)) return false
      const { byte } = here
      const f = here.flat!
      if (f.dirty === null) return false
      isNowWritten(f, byte, size)
      if (isFollowed)
        for (let k = 0; k < count; k++) {
          if (((r.nothing[rows[k]!]! >>> l) & 1) === 0) continue
          const missing = r.missing[rows[k]! * 32 + l]!
          // something has come of it
          if (missing === ofNothing && f.plane >= 0) return false
          for (let at = 0; at < bytes; at++)
            if (((missing >>> at) & 1) === 1) f.written![byte + k * bytes + at] = 0
        }
      mark(here.marks, byte, size, bits)
      for (let k = 0; k < count; k++) {
        const word = words[rows[k]! * 32 + l]!
        if (bytes === 4) f.words[(byte >> 2) + k] = word
        else if (bytes === 2) f.halves[(byte >> 1) + k] = word
        else f.bytes[byte + k] = word
      }
    }
    return true
  }
}

// ---------------------------------------------------------------- copies

/** Copies of lanes to shared memory, as early as they can be: a lane copies all of its bytes, or writes zeros. */
export const copying = (launch: WarpLaunch, m: Memories, site: number, o: Of<'copyAsync'>): Acts => {
  const size = o.bytes
  const into = reaching(launch, m, o.into, site, size, [['w', 0]])
  const from = reaching(launch, m, o.from, site, size, [['r', 0]], bitsOfWord, () => true)
  return (r, b, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      if (!into.find(r, b, l, size) || into.here.flat !== b.shared) return false
      const isIgnored =
        o.ignore !== null && (((r.predicates[o.ignore.predicate]! >>> l) & 1) === 1) !== o.ignore.negated
      const given = o.sourceBytes === null ? size : r.words[o.sourceBytes * 32 + l]! >>> 0
      const wanted = isIgnored ? 0 : Math.min(size, given)
      const at = into.here.byte
      isNowWritten(b.shared, at, size)
      b.shared.bytes.fill(0, at, at + size)
      if (wanted === 0) continue
      if (!from.find(r, b, l, wanted)) return false
      const { byte } = from.here
      const f = from.here.flat!
      // whole words alone
      for (let k = 0; k + 4 <= wanted; k += 4) {
        if (!isWritten(f, byte + k, 4)) {
          if (m.follows !== 'all') return false
          b.shared.written!.set(f.written!.subarray(byte + k, byte + k + 4), at + k)
        }
        mark(from.here.marks, byte + k, 4, bitsOfWord)
        b.shared.words[(at + k) >> 2] = f.words[(byte + k) >> 2]!
      }
    }
    return true
  }
}
const bitsOfWord = 2

// ---------------------------------------------------------------- atomics

const bytesOfType = (type: Of<'atomic'>['type']): 2 | 4 | 8 | 16 => {
  switch (type) {
    case 'b16':
    case 'f16':
    case 'bf16':
      return 2
    case 'u64':
    case 's64':
    case 'b64':
    case 'f64':
      return 8
    case 'b128':
      return 16
    case 'u32':
    case 's32':
    case 'b32':
    case 'f32':
    case 'f16x2':
    case 'bf16x2':
      return 4
  }
}

/** Each lane reads, joins and writes at once, the lowest first (`warps/atomics.ts`). Null: it is not done here. */
export const joiningAtomically = (
  launch: WarpLaunch,
  m: Memories,
  site: number,
  o: Of<'atomic'>,
): Acts | null => {
  const size = bytesOfType(o.type)
  if (size === 16) return null
  const atomic = reachOf(o.scope) === 3 ? 8 * size : 0
  const { here, find } = reaching(launch, m, o.at, site, size, [
    ['r', atomic],
    ['w', atomic],
  ])
  const bits = bitsOf(size)
  const words = Math.max(1, size / 4)
  const inGlobal = scalarOperation(joining(o.op, o.type, true) ?? '')?.compute ?? null
  const inShared = scalarOperation(joining(o.op, o.type, false) ?? '')?.compute ?? null
  const old = new Int32Array(2)
  const next = new Int32Array(2)
  const narrow = size === 2
  return (r, b, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      if (!find(r, b, l, size)) return false
      const { byte } = here
      const f = here.flat!
      if (f.dirty === null || f === r.local || !isWritten(f, byte, size)) return false
      mark(here.marks, byte, size, bits)
      mark(here.more, byte, size, bits)
      f.dirty[byte >> pageBits] = 1
      old[0] = narrow ? f.halves[byte >> 1]! : f.words[byte >> 2]!
      if (words === 2) old[1] = f.words[(byte >> 2) + 1]!
      const of = (from: ReadonlyArray<Row>, k: number): number => {
        const word = r.words[from[k]! * 32 + l]!
        return narrow ? word & 0xffff : word
      }
      const first = of(o.value, 0)
      const second = words === 2 ? of(o.value, 1) : 0
      switch (o.op) {
        case 'exch':
          next[0] = first
          next[1] = second
          break
        case 'cas': {
          const same = old[0] === of(o.compare, 0) && (words === 1 || old[1] === of(o.compare, 1))
          next[0] = same ? first : old[0]!
          next[1] = same ? second : old[1]!
          break
        }
        case 'inc':
          next[0] = old[0]! >>> 0 >= first >>> 0 ? 0 : old[0]! + 1
          break
        case 'dec':
          next[0] = old[0] === 0 || old[0]! >>> 0 > first >>> 0 ? first : old[0]! - 1
          break
        case 'add':
        case 'min':
        case 'max':
        case 'and':
        case 'or':
        case 'xor': {
          const joins = f === b.shared ? inShared : inGlobal
          if (joins === null) return false
          next[0] = words === 1 ? joins(old[0]!, first) : joins(old[0]!, old[1]!, first, second)
          if (words === 2) next[1] = rest[0]!
          break
        }
      }
      if (narrow) f.halves[byte >> 1] = next[0]!
      else f.words[byte >> 2] = next[0]!
      if (words === 2) f.words[(byte >> 2) + 1] = next[1]!
      if (o.to !== null) for (let k = 0; k < words; k++) r.words[o.to[k]! * 32 + l] = old[k]!
    }
    return true
  }
}
