/**
 * The ledger of a run that follows terms: what every byte of memory has been computed from.
 *
 * Two agents may store one value without knowing of one another: a compiler lets warps that have nothing to do compute what others compute. Whether it *is* one
 * value is no matter of the numbers of a run. A term is the operations that made a word, down to the bytes of inputs (`numerics/terms.ts`): equal terms are
 * equal words, for all contents of the inputs.
 *
 *     warp 0   ld.global %r1, [x]     input 0, word 0         st.shared [s], %r2     sum(input 0 word 0, input 0 word 0)
 *     warp 1   ld.global %r1, [x]     input 0, word 0         st.shared [s], %r2     the same: whichever comes last, s holds it
 *              add %r2, %r1, %r1
 *
 * Warps carry terms in their registers (`warps/word-terms.ts`) and find those of what they read here: `incoming`, which is laid down before a load is done. Writes
 * are entered when they are told. What writes and says no term makes one that nothing else has; a copy moves them, a product is one of its operands.
 *
 * What nothing has written may be read and come to nothing: a block of threads reads beyond its end and drops what it finds. A ledger of *blanks* tells such bytes apart. A
 * register that is loaded from them, out of shared or tensor memory, holds nothing, so that the warp stops where it decides by it; what is stored from it is blank again. Where that comes into global memory, or an
 * operation reads it, it is *spilt*.
 *
 * An execution of a load may be *dropped*: whatever it would find, it finds nothing. If nothing is spilt then, nothing comes of what it finds, and it may find anything: a
 * warp that computes what others store, and stores nothing itself, may read what they have stored already. It is one execution and not the instruction: a loop that loads for
 * its next turn uses what it loads in every turn but the last. And it is some lanes of it: a tile that is smaller than a warp is loaded by lanes that do not store it.
 *
 * Laws
 * 1. of bytes that were written by a store, what is read is what was stored.
 * 2. two reads of one byte find one term if and only if nothing has written it in between, or what was there.
 *
 * Source: Green, Karvounarakis and Tannen, provenance semirings; PTX ISA for what reads and writes.
 */
import { applied, appliedWith } from '../../numerics/terms.js'
import { bitsOf } from '../../numerics/dtype.js'
import type { Access, ByteTerms, Footprint, Header, LogEvent, StoredFrom } from '../log/events.js'
import { singles } from '../log/lane-mask.js'
import { elementsIn, forEachAddress, ofAddresses, type Footprints } from './footprint.js'

// ---------------------------------------------------------------- model

/** Of agents' own loads, the executions that find nothing: by agent and place in its program order, the lanes of which that is. */
export type Dropped = ReadonlyMap<number, ReadonlyMap<number, number>>

/** Of one run; filled in place. */
export interface Ledger {
  /** what nothing has written is told apart, and goes where it is moved to */
  readonly blanks: boolean
  readonly dropped: Dropped
  /** something has come of it: it has left the CTA, or an operation has read it */
  spilt: boolean
  /** of the event to come: what a load finds, element by element; null: nothing that is known */
  incoming: ByteTerms | null
  /** of the event to come: which product it is, and with what it was asked for; null: none */
  product: string | null
  /** terms that nothing else has, so far */
  made: number
  /** of a term of narrow words side by side: how wide they are, and their terms (0: the program's), the lowest first */
  readonly apart: Map<number, { readonly bits: number; readonly words: ReadonlyArray<number> }>
  /** numbers of things that are told apart by identity */
  readonly numbers: Map<object, number>
  /** by plane, the pages of it that were asked for */
  readonly planes: Map<number, Map<number, ByteTerms>>
}

export const ledger = (blanks: boolean, dropped: Dropped = new Map()): Ledger => ({
  blanks,
  dropped,
  spilt: false,
  incoming: null,
  product: null,
  made: 0,
  apart: new Map(),
  numbers: new Map(),
  planes: new Map(),
})

// ---------------------------------------------------------------- terms

const widthOf = (f: Footprint): number => bitsOf(f.dtype) / 8

const unlike = applied('unlike any other')
const contents = applied('contents')
const word = applied('word')
const together = applied('bytes')
const togetherWith = appliedWith('bytes')

/** A term that nothing else has. */
export const another = (l: Ledger): number => unlike([l.made++])

export const numberOf = (l: Ledger, thing: object): number => {
  const known = l.numbers.get(thing)
  if (known !== undefined) return known
  l.numbers.set(thing, l.numbers.size)
  return l.numbers.size - 1
}

/** What a plane holds before the run, word by word. */
export const before = (plane: number, byte: number): number => contents([plane, byte >>> 2])

/** In place of a term: nothing has written it. */
export const blank = -1

const isBlank = ({ terms }: ByteTerms): boolean => terms.includes(blank)

/** A word of the program: the same for all inputs. */
export const constant = (value: number): number => word([value >>> 0])

/** The term of `count` bytes that follow one another: the word that they are, if they are one that is whole. 0: they are of the program; `blank`, if one is. */
export const joined = (from: ByteTerms, at: number, count: number): number => {
  const first = from.terms[at]!
  let isWhole = count === 4 && first !== 0
  let isPlain = true
  for (let b = 0; b < count; b++) {
    const term = from.terms[at + b]!
    if (term === blank) return blank
    if (term !== 0) isPlain = false
    if (term !== first || from.index[at + b] !== b) isWhole = false
  }
  if (isPlain) return 0
  if (isWhole) return first
  const all: number[] = []
  for (let b = 0; b < count; b++) all.push(from.terms[at + b]!, from.index[at + b]!)
  return together(all)
}

export const byteTerms = (bytes: number): ByteTerms => ({
  terms: new Float64Array(bytes),
  index: new Uint8Array(bytes),
})

/** A word of the program: its bytes, the same for all inputs. */
export const ofProgram = (value: number): StoredFrom => {
  const stored = byteTerms(4)
  for (let b = 0; b < 4; b++) stored.index[b] = (value >>> (8 * b)) & 0xff
  return { _tag: 'terms', stored }
}

/** Lanes of an execution of a load that find nothing. */
export const droppedIn = (l: Ledger, agent: number, at: number): number => l.dropped.get(agent)?.get(at) ?? 0

/** Of each element of what `acting` lanes read, is it one of these lanes'? Elements that are not dealt out to lanes are everybody's. */
const ofLanes = (f: Footprint, acting: number, lanes: number): ((element: number) => boolean) => {
  const all = singles(acting)
  const each = elementsIn(f) / all.length
  return (element) => !Number.isInteger(each) || (all[Math.floor(element / each)]! & lanes) !== 0
}

/** What a load finds of which some lanes are dropped. */
export const without = (f: Footprint, found: ByteTerms, acting: number, lanes: number): ByteTerms => {
  const isOfThese = ofLanes(f, acting, lanes)
  const width = widthOf(f)
  const terms = found.terms.map((term, at) => (isOfThese(Math.floor(at / width)) ? blank : term))
  return { terms, index: found.index }
}

/** What the other lanes read. */
const ofOthers = (footprints: Footprints, f: Footprint, acting: number, lanes: number): Footprint => {
  const isOfThese = ofLanes(f, acting, lanes)
  const addresses = new Int32Array(elementsIn(f)).fill(-1)
  forEachAddress(f, (address, element) => {
    if (!isOfThese(element)) addresses[element] = address
  })
  return ofAddresses(footprints, f.plane, f.dtype, [addresses.length], addresses).footprint
}

/** All of a footprint's bytes in one term. */
const digest = ({ terms, index }: ByteTerms): number => together(terms, index)

// ---------------------------------------------------------------- memory

const pageBits = 12
const pageBytes = 2 ** pageBits

/** The page of a plane that a byte lies in. */
const pageOf = (l: Ledger, header: Header, plane: number, address: number): ByteTerms => {
  let pages = l.planes.get(plane)
  if (pages === undefined) {
    pages = new Map()
    l.planes.set(plane, pages)
  }
  const number = address >> pageBits
  const known = pages.get(number)
  if (known !== undefined) return known
  const { initialised, space } = header.planes[plane]!
  const made = byteTerms(pageBytes)
  if (l.blanks && !initialised && space !== 'gmem') made.terms.fill(blank)
  else
    for (let b = 0; b < pageBytes; b += 4) {
      made.terms.fill(before(plane, number * pageBytes + b), b, b + 4)
      for (let k = 0; k < 4; k++) made.index[b + k] = k
    }
  pages.set(number, made)
  return made
}

/** Each byte of a footprint that is somewhere: its page, its place in it, and its number among those of the elements. */
const eachByte = (
  l: Ledger,
  header: Header,
  f: Footprint,
  visit: (page: ByteTerms, place: number, at: number) => void,
): void => {
  const width = widthOf(f)
  let number = -1
  let page: ByteTerms | null = null
  forEachAddress(f, (address, element) => {
    for (let b = 0; b < width; b++) {
      const byte = address + b
      if (page === null || byte >> pageBits !== number) {
        number = byte >> pageBits
        page = pageOf(l, header, f.plane, byte)
      }
      visit(page, byte & (pageBytes - 1), element * width + b)
    }
  })
}

/** What is in the places of a footprint, element by element. Null: its elements are no bytes. */
export const found = (l: Ledger, header: Header, f: Footprint): ByteTerms | null => {
  const width = widthOf(f)
  if (width < 1) return null
  const out = byteTerms(elementsIn(f) * width)
  // what is nowhere is filled with anything
  out.terms.fill(another(l))
  eachByte(l, header, f, (page, from, at) => {
    out.terms[at] = page.terms[from]!
    out.index[at] = page.index[from]!
  })
  return out
}

const put = (l: Ledger, header: Header, f: Footprint, stored: ByteTerms): void => {
  eachByte(l, header, f, (page, to, at) => {
    page.terms[to] = stored.terms[at]!
    page.index[to] = stored.index[at]!
  })
}

/** Bytes that are one term's, each in its own way. */
const allOf = (f: Footprint, term: number, of: (address: number, element: number) => number): ByteTerms => {
  const width = widthOf(f)
  const out = byteTerms(elementsIn(f) * width)
  const termOf = togetherWith(term)
  let last = NaN
  let made = 0
  forEachAddress(f, (address, element) => {
    for (let b = 0; b < width; b++) {
      const at = element * width + b
      const word = of(address + b, at)
      // the bytes of a word follow one another
      if (word !== last) made = termOf(word)
      last = word
      out.terms[at] = made
      out.index[at] = (address + b) & 3
    }
  })
  return out
}

// ---------------------------------------------------------------- events

/** What of the log is remembered from one event to the next. */
export interface Telling {
  readonly header: Header
  readonly footprints: Footprints
  readonly ledger: Ledger
  /** by operation, what it has read to copy it */
  readonly sources: Map<number, ByteTerms>
  /** operations that bring tensor memory into registers, where what they find can be followed */
  readonly loads: Set<number>
  /** the operands of the product that is being told */
  operands: number[]
}

export const telling = (l: Ledger, header: Header, footprints: Footprints): Telling => ({
  header,
  footprints,
  ledger: l,
  sources: new Map(),
  loads: new Set(),
  operands: [],
})

const led = applied('led to')

/** Bytes that are copied, each because of the way that has led its element there. */
const ledBy = (ways: Float64Array, copied: ByteTerms, width: number): ByteTerms => {
  const out = byteTerms(copied.terms.length)
  copied.terms.forEach((term, at) => {
    const way = ways[Math.floor(at / width)]!
    const isKept = way === 0 || term === blank
    out.terms[at] = isKept ? term : led([way, term === 0 ? constant(copied.index[at]!) : term])
    out.index[at] = isKept || term !== 0 ? copied.index[at]! : at % width
  })
  return out
}

const isByte = (f: Footprint): boolean => widthOf(f) >= 1

const storedBy = (t: Telling, e: Access): ByteTerms => {
  const { ledger: l } = t
  const { origin } = e
  if (e.combine === undefined && origin?._tag === 'terms') return origin.stored
  const copied =
    e.combine === undefined && !e.atomic && e.role === 'destination' && e.operation !== undefined
      ? t.sources.get(e.operation)
      : undefined
  if (copied?.terms.length === elementsIn(e.footprint) * widthOf(e.footprint))
    return origin?._tag === 'led' ? ledBy(origin.ways, copied, widthOf(e.footprint)) : copied
  if (e.role === 'accumulator' && l.product !== null)
    return allOf(e.footprint, applied(l.product)(t.operands), (_, at) => at >>> 2)
  return allOf(e.footprint, another(l), (address) => address >>> 2)
}

/** A plain load: what it finds comes into registers, where it can be followed. A copy of a tensor map by its agent, and a query of an answer, use it at once. */
const isOfLoad = (e: Access): boolean => e.operation === undefined && !e.atomic && e.value !== undefined

/** An event, and the ledger is right after it; a write says its terms. */
export const tell = (t: Telling, e: LogEvent): LogEvent => {
  const { ledger: l, header } = t
  if (e._tag === 'cluster') {
    for (const plane of l.planes.keys()) if (header.planes[plane]!.space !== 'gmem') l.planes.delete(plane)
    return e
  }
  if (e._tag === 'perform') t.operands = []
  if (e._tag === 'issue' && e.unit === 'tcgen05Ld') t.loads.add(e.operation)
  if (e._tag === 'semaphore' && isBlank(found(l, header, e.footprint) ?? byteTerms(0))) l.spilt = true
  if (e._tag !== 'access' || !isByte(e.footprint)) return e
  if (e.rw === 'r') {
    const there = found(l, header, e.footprint)
    if (there === null) return e
    const ofLoad = isOfLoad(e)
    const dropped = ofLoad ? droppedIn(l, e.stamp.agent, e.stamp.at) : 0
    const acting = e.stamp.lanes ?? -1
    if (dropped !== 0)
      return (acting & ~dropped) === 0
        ? Object.assign({}, e, { idle: true as const })
        : Object.assign({}, e, { footprint: ofOthers(t.footprints, e.footprint, acting, dropped) })
    const isNothing = l.blanks && isBlank(there)
    const isFollowed = ofLoad || (e.operation !== undefined && t.loads.has(e.operation))
    if (isNothing && !isFollowed) l.spilt = true
    if (e.operation !== undefined) {
      if (e.role === 'source') t.sources.set(e.operation, there)
      if (l.product !== null) t.operands.push(digest(there))
    }
    return isNothing && isFollowed ? Object.assign({}, e, { idle: true as const }) : e
  }
  const stored = storedBy(t, e)
  // an atomic takes it into what is there already
  if (l.blanks && e.atomic && e.origin?._tag === 'terms' && isBlank(e.origin.stored)) l.spilt = true
  if (l.blanks && header.planes[e.footprint.plane]!.space === 'gmem' && isBlank(stored)) l.spilt = true
  put(l, header, e.footprint, stored)
  return Object.assign({}, e, { origin: { _tag: 'terms', stored } })
}

/** A write is compared with many. */
const lastsOf = new WeakMap<Footprint, ReadonlyMap<number, number>>()

/** The number of each byte of a write among those that it stores. Of lanes that write one byte together the last is taken to have it, as memory has. */
const lastAt = (f: Footprint): ReadonlyMap<number, number> => {
  const known = lastsOf.get(f)
  if (known !== undefined) return known
  const there = new Map<number, number>()
  lastsOf.set(f, there)
  const width = widthOf(f)
  forEachAddress(f, (address, element) => {
    for (let k = 0; k < width; k++) there.set(address + k, element * width + k)
  })
  return there
}

/** Do two writes leave the same in every byte that both write? */
export const storeAlike = (a: Footprint, x: ByteTerms, b: Footprint, y: ByteTerms): boolean => {
  if (a.plane !== b.plane) return false
  const there = lastAt(a)
  for (const [address, own] of lastAt(b)) {
    const at = there.get(address)
    if (at !== undefined && x.terms[at] === blank) return false
    if (at !== undefined && (x.terms[at] !== y.terms[own] || x.index[at] !== y.index[own])) return false
  }
  return true
}

/** Does every element of one write that names a byte store the same there as the others that name it? */
export const storesOnce = (a: Footprint, x: ByteTerms): boolean => {
  const first = new Map<number, number>()
  let same = true
  const width = widthOf(a)
  forEachAddress(a, (address, element) => {
    for (let k = 0; k < width; k++) {
      const at = element * width + k
      const known = first.get(address + k)
      if (known === undefined) first.set(address + k, at)
      else if (x.terms[known] !== x.terms[at] || x.index[known] !== x.index[at]) same = false
    }
  })
  return same
}
