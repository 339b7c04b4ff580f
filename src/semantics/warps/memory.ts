/**
 * Memory from a warp: which bytes its lanes mean, and the accesses that this comes to.
 *
 * Local memory is a lane's own, and what nothing writes (parameters, constants, input tensors) has no order: these are read and written at once and
 * silently. All else is a load, a store or an atomic of the machine, of all lanes of the mask together: one for each plane that they reach into.
 *
 *     ld.global.v2.f32 {%f1, %f2}, [%rd1]     32 lanes, 64 words, lane by lane
 *
 * What an address must be: known, a multiple of the size of the access, inside of its window; else the instruction is a fault.
 *
 * Source: PTX ISA, addresses as operands; ld, st.
 */
import { remembered } from '../../remembered.js'
import type { Dtype } from '../../numerics/dtype.js'
import * as Footprint from '../machine/footprint.js'
import { isApart, type Origin } from '../log/events.js'
import type { Elements, Prepared, Strong } from '../machine/operation.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import type { Standpoint } from '../machine/front.js'
import { planeIn, type World } from '../machine/world.js'
import {
  firstRegion,
  isOfHost,
  ownWindow,
  threadAt,
  pieceAt,
  pieceBytes,
  rankShift,
  regionAt,
  sharedWindow,
  type Region,
  type WarpLaunch,
} from './launched.js'
import { lanesIn, placeIn, warpIn } from './lone-threads.js'
import { part, nothing, type Part, type Receive } from '../machine/warp-stand.js'
import type { Address, Operation, Row, Until, Width } from './program.js'
import { bytesOfMark, datumOf, isKnown, joinedMark, mark, markOf, type Mark } from '../../numerics/shadow.js'
import * as Origins from './origins.js'
import { everyLane, everyLaneInOrder, lanesOf, lowest, setLane, wordAt, type Rows } from './rows.js'
import { came, carrierAt } from './shadows.js'
import { lackedBy } from './wraps.js'
import { fromNothing as madeOfNothing } from './parts.js'
import { variablesIn, type Bytes } from './symbols.js'
import { fieldsIn, unspecifiedIn } from './timing.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

/** A warp at an instruction: what it may look at. */
export interface Here {
  readonly world: World
  readonly launch: WarpLaunch
  readonly at: Standpoint
  readonly rows: Rows
  readonly local: Uint8Array
  readonly localWritten: Uint8Array
  /** the plane of the CTA's own shared memory */
  readonly shared: number
}

/** Lanes that the warp began with. */
export const lanesOfWarp = ({ at, launch }: Here): number => lanesIn(launch, placeIn(launch, at.agent))

// ---------------------------------------------------------------- lanes to places

type Target =
  | { readonly _tag: 'local' }
  | { readonly _tag: 'constant'; readonly region: Region }
  | { readonly _tag: 'plane'; readonly plane: number; readonly name: string }

/** The lanes that reach into one memory, and the byte in it where each begins. */
export interface Reach {
  readonly target: Target
  readonly lanes: ReadonlyArray<number>
  readonly bytes: ReadonlyArray<number>
}

const hex = (high: number, low: number): string =>
  `0x${((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString(16)}`

const outside = (name: string, lane: number, byte: number, size: number, of: number): FaultValue =>
  V.fault(
    'I2',
    `lane ${String(lane)}: bytes ${String(byte)}..${String(byte + size)} leave ${name} of ${String(of)} bytes`,
  )

/** The access is in bounds because its offset has wrapped round: another byte is meant, in the same tensor or beyond it. */
const comeBack = (
  regions: ReadonlyArray<Region>,
  high: number,
  low: number,
  lacking: bigint,
  lane: number,
  size: number,
): FaultValue => {
  let first = high - firstRegion
  while (regions[first - 1]?.pieced === true) first--
  const at = BigInt(high - firstRegion - first) * 2n ** 32n + BigInt(low)
  return V.fault(
    'I2',
    `lane ${String(lane)}: bytes ${String(at)}..${String(at + BigInt(size))} of ${regions[first]!.name} are in bounds only because the offset wrapped round in 32 bits: byte ${String(at + lacking)} is meant`,
  )
}

/** The variable that these bytes leave, of those that the address is made from: the last that begins before them; null: they are in one of them. */
const leaves = (
  { sharedBytes, dynamicBytes }: WarpLaunch,
  variables: ReadonlyArray<Bytes>,
  byte: number,
  reach: number,
): Extent | null => {
  let left: Extent | null = null
  for (const { name, start: first, end } of variables) {
    const start = end === null ? sharedBytes - dynamicBytes : first
    const size = end === null ? dynamicBytes : end - first
    if (byte >= start && byte + reach <= start + size) return null
    if (left === null || (byte >= start && start > left.start)) left = { name, start, size }
  }
  return left
}
interface Extent {
  readonly name: string
  readonly start: number
  readonly size: number
}

const outsideOf = (
  { name, start, size }: Extent,
  lane: number,
  byte: number,
  reach: number,
  where: string,
): FaultValue => {
  const at = byte - start
  return V.fault(
    'I2',
    `lane ${String(lane)}: bytes ${String(at)}..${String(at + reach)} leave ${name}${size === Infinity ? '' : ` of ${String(size)} bytes`}${where}, from which the address is made; what lies there is another variable`,
  )
}

const localTarget: Target = { _tag: 'local' }

/** Where the lanes of `mask` mean, `size` bytes each, of which a lane touches the first `touched`. */
export const reaches = (
  h: Here,
  address: Address,
  size: number,
  mask: number,
  touched: ((lane: number) => number) | null = null,
): ReadonlyArray<Reach> | FaultValue => {
  const { rows, launch } = h
  for (const row of address.rows)
    if ((rows.unknown[row]! & mask) !== 0)
      return V.fault(
        'I1',
        `lane ${String(lowest(rows.unknown[row]! & mask))}: the address comes from an unwritten register`,
      )
  const window = windowOf(h.launch, address)
  const [lowRow, highRow] = address.rows
  const every = lanesOf(mask)
  const found: Reaching[] = []
  let last: Reaching | undefined
  const align = Math.min(size, 16)
  // a uniform row has its word in the place of lane 0
  const lowAt = lowRow === undefined ? -1 : 32 * lowRow
  const variables = lowRow === undefined ? undefined : variablesIn(launch.program).get(lowRow)
  const lowBy = lowRow === undefined || rows.uniform[lowRow] === 1 ? 0 : 1
  for (let i = 0; i < every.length; i++) {
    const lane = every[i]!
    const sum = (lowAt < 0 ? 0 : rows.words[lowAt + lowBy * lane]! >>> 0) + address.offset
    const unsigned = sum >>> 0
    const named =
      window ?? (highRow === undefined ? 0 : (wordAt(rows, highRow, lane) + Math.floor(sum / 4294967296)) | 0)
    const thread = threadAt(named)
    const high = thread === null ? named : ownWindow
    if (thread !== null && thread !== threadOf(h, lane))
      return V.fault(
        'address.thread',
        `lane ${String(lane)}: address ${hex(named, unsigned)} is of the local memory of thread ${String(thread)}, which that thread alone can reach`,
      )
    if (unsigned % align !== 0)
      return V.fault(
        'address.alignment',
        `lane ${String(lane)}: address ${hex(high, unsigned)} is not a multiple of ${String(align)}`,
      )
    const rank = high === sharedWindow ? unsigned >>> rankShift : -1
    if (address.space === 'shared' && rank !== h.at.cta)
      return V.fault(
        'address.peer',
        `lane ${String(lane)}: address ${hex(high, unsigned)} means CTA ${String(rank)} of the cluster: .shared::cta has the memory of the CTA itself, CTA ${String(h.at.cta)}`,
      )
    const inside = rank < 0 ? 0 : unsigned & ((1 << rankShift) - 1)
    const isReserved = rank >= 0 && inside < launch.sharedBase && launch.program.reserved === true
    const piece = launch.pieced && high >= firstRegion ? pieceAt(unsigned) : 0
    if (
      last === undefined ||
      last.high !== high ||
      last.rank !== rank ||
      last.isReserved !== isReserved ||
      last.piece !== piece
    ) {
      if (last !== undefined && last.lanes === every) last.lanes = last.own = every.slice(0, i)
      last = among(found, high, rank, isReserved, piece)
      if (last === undefined) {
        const target = isReserved ? reservedAt(h, rank) : targetAt(h, high, unsigned, rank)
        if (V.isFault(target))
          return V.fault(
            target.code,
            `lane ${String(lane)}: address ${hex(high, unsigned)} ${target.message}`,
          )
        // most reach all into one memory
        const own: number[] = []
        last = {
          target,
          lanes: i === 0 ? every : own,
          own,
          bytes: [],
          high,
          rank,
          isReserved,
          piece,
          base: isPieced(h, high, target) ? piece * pieceBytes : 0,
          room: roomOf(h, target),
        }
        found.push(last)
      }
    }
    const byte = rank < 0 ? unsigned - last.base : isReserved ? inside : inside - launch.sharedBase
    const reach = touched === null ? size : touched(lane)
    if (reach > 0 && (byte < 0 || byte + reach > last.room))
      return outside(
        last.target._tag === 'local'
          ? 'local memory'
          : last.target._tag === 'constant'
            ? last.target.region.name
            : last.target.name,
        lane,
        byte,
        reach,
        last.room,
      )
    if (variables !== undefined && rank >= 0 && !isReserved && reach > 0) {
      const left = leaves(launch, variables, byte, reach)
      if (left !== null)
        return outsideOf(left, lane, byte, reach, rank === h.at.cta ? '' : ` of CTA ${String(rank)}`)
    }
    if (lowRow !== undefined && reach > 0) {
      const lacking = lackedBy(rows, lowRow, lane)
      if (lacking !== 0n && regionAt(launch.regions, high)?.pieced === true)
        return comeBack(launch.regions, high, unsigned, lacking, lane, reach)
    }
    if (last.lanes === last.own) last.own.push(lane)
    last.bytes.push(byte)
  }
  return found
}

/** A reach under way. */
interface Reaching {
  readonly target: Target
  /** all that there are, or its own */
  lanes: ReadonlyArray<number>
  own: number[]
  readonly bytes: number[]
  readonly high: number
  readonly rank: number
  /** it is what the chip keeps of shared memory */
  readonly isReserved: boolean
  /** of a window that is pieced, which piece; and the byte of the window at which the memory begins */
  readonly piece: number
  readonly base: number
  /** bytes of the memory */
  readonly room: number
}

const among = (
  found: ReadonlyArray<Reaching>,
  high: number,
  rank: number,
  isReserved: boolean,
  piece: number,
): Reaching | undefined => {
  for (const g of found)
    if (g.high === high && g.rank === rank && g.isReserved === isReserved && g.piece === piece) return g
  return undefined
}

/** Number in its CTA of a lane's thread. */
const threadOf = ({ at, launch }: Here, lane: number): number =>
  warpIn(launch, placeIn(launch, at.agent)) * 32 + lane

/** The upper word of an address whose space says it; null: its register does. */
export const windowOf = (launch: WarpLaunch, { space }: Address): number | null => {
  switch (space) {
    case 'shared':
    case 'sharedCluster':
      return sharedWindow
    case 'local':
      return ownWindow
    case 'param':
      return firstRegion + launch.parameters
    case 'global':
    case 'const':
    case 'generic':
      return null
  }
}

/** Does each piece of the window have a plane of its own here? */
const isPieced = ({ launch }: Here, high: number, target: Target): boolean =>
  launch.pieced && target._tag === 'plane' && regionAt(launch.regions, high)?.pieced === true

const roomOf = (h: Here, target: Target): number => {
  switch (target._tag) {
    case 'local':
      return h.launch.program.localBytes
    case 'constant':
      return target.region.bytes
    case 'plane':
      return h.world.planeBytes[target.plane]!
  }
}

/** What the chip keeps of the shared memory of a CTA: the last of its planes. */
const reservedAt = (h: Here, rank: number): Target | FaultValue => {
  const target = targetAt(h, sharedWindow, 0, rank)
  const behind = h.world.planesPerCta - 1
  return V.isFault(target) || target._tag !== 'plane'
    ? target
    : { _tag: 'plane', plane: target.plane + behind, name: 'reserved shared memory' }
}

/** The memory behind an upper word. */
const targetAt = (h: Here, high: number, low: number, rank: number): Target | FaultValue => {
  if (high === ownWindow) return localTarget
  if (high === sharedWindow)
    return rank < h.world.ctas
      ? { _tag: 'plane', plane: planeIn(h.world, h.shared, rank), name: 'shared memory' }
      : V.fault('I2', `means CTA ${String(rank)} of a cluster of ${String(h.world.ctas)}`)
  const region = regionAt(h.launch.regions, high)
  if (region === undefined)
    return V.fault(
      'I2',
      isOfHost(high, low)
        ? 'is an address of the host, which no kernel may use'
        : 'is not in any memory of the launch',
    )
  if (region.gone !== undefined) return V.fault('I2', `is in ${region.name}, ${region.gone}`)
  if (region.pieced === true && low >= region.bytes)
    return V.fault('I2', `is past the end of ${region.name}, which has ${String(region.bytes)} bytes there`)
  return region.constant === null
    ? {
        _tag: 'plane',
        plane: region.plane + (region.pieced === true ? pieceAt(low) : 0),
        name: region.name,
      }
    : { _tag: 'constant', region }
}

// ---------------------------------------------------------------- elements

/** How the bytes of an element are told apart: words, or what is narrower. */
const dtypeOf = (bytes: number): Dtype => (bytes === 1 ? 'u8' : bytes === 2 ? 'u16' : 'i32')

/** Elements of a reach, `count` words (or narrower ones) of `bytes` for each lane. */
export const elementsOf = (
  world: World,
  plane: number,
  from: ReadonlyArray<number>,
  dtype: Dtype,
  bytes: number,
  count: number,
): Elements => Footprint.ofStarts(world.footprints, plane, dtype, from, bytes, count)

/** Words that one lane moves, and of how many bytes each is. */
const piecesOf = ({ bytes, count }: Width): { readonly bytes: 1 | 2 | 4; readonly count: number } =>
  bytes <= 2 ? { bytes: bytes === 1 ? 1 : 2, count } : { bytes: 4, count: count * (bytes / 4) }

/** The words of a load, in their order; null: one that no row takes. */
const rowsOf = remembered(({ width, to }: Of<'load'>): ReadonlyArray<Row | null> =>
  to.flatMap(
    (rows): ReadonlyArray<Row | null> =>
      rows ?? Array.from({ length: Math.max(1, width.bytes / 4) }, () => null),
  ),
)
const storedRows = remembered(({ value }: Of<'store'>): ReadonlyArray<Row> => value.flat())

// ---------------------------------------------------------------- silent memory

const littleEndian = (bytes: Uint8Array, at: number, count: 1 | 2 | 4): number => {
  let word = 0
  for (let i = 0; i < count; i++) word |= bytes[at + i]! << (8 * i)
  return word
}

/** A word read from memory, as a register holds it. */
export const extended = (word: number, bits: 8 | 16 | 32, signed: boolean): number =>
  bits === 32 ? word | 0 : signed ? (word << (32 - bits)) >> (32 - bits) : word & (2 ** bits - 1)

const wholeBits = (bytes: 1 | 2 | 4): 8 | 16 | 32 => (bytes === 1 ? 8 : bytes === 2 ? 16 : 32)

// ---------------------------------------------------------------- loads and stores

/** How an access is strong; null of a weak one. */
const strongly = (h: Here, o: Of<'load'> | Of<'store'>): Strong | null =>
  o.ordering === 'weak'
    ? null
    : {
        scope: o.scope,
        orders: o.ordering === 'acquire' || o.ordering === 'release',
        decides: h.launch.decisive.has(o),
        controls: h.launch.controlling.get(o)?.from ?? null,
        shows: h.launch.controlling.get(o)?.shows ?? [],
        watched: h.launch.watches,
        words: Math.max(1, o.width.bytes / 4),
      }

/** Of what is compared by its sign nothing else is asked. */
const signBit = -(2 ** 31)

/** A wait for the words that the lanes mean, one after the other; lanes that mean one word wait together. */
const waiting = (
  h: Here,
  o: Of<'load'>,
  until: Until,
  plane: number,
  lanes: ReadonlyArray<number>,
  from: ReadonlyArray<number>,
): ReadonlyArray<Part> | FaultValue => {
  const waits = new Map<string, { readonly byte: number; readonly value: number; readonly lanes: number[] }>()
  for (const [i, lane] of lanes.entries()) {
    if ((h.rows.unknown[until.value]! & (1 << lane)) !== 0)
      return V.fault('I1', 'the value that the word is compared with comes from an unwritten register')
    const held = wordAt(h.rows, until.value, lane)
    const value = until.comparison === 'os' || until.comparison === 'ss' ? held & signBit : held
    const byte = from[i]!
    const key = `${String(byte)} ${String(value)}`
    const known = waits.get(key)
    if (known === undefined) waits.set(key, { byte, value, lanes: [lane] })
    else known.lanes.push(lane)
  }
  return [...waits.values()].map(({ byte, value, lanes: those }) => {
    const wait: Prepared = {
      _tag: 'semaphore',
      kind: 'wait',
      counter: elementsOf(h.world, plane, [byte], 'i32', 4, 1),
      value,
      decrement: false,
      scope: o.scope,
      until: until.comparison,
    }
    const ordered = o.ordering === 'acquire' ? wait : Object.assign({ relaxed: true as const }, wait)
    return part(
      until.unheeded === true ? Object.assign({ unheeded: true as const }, ordered) : ordered,
      {
        _tag: 'broadcast',
        to: o.to[0]?.[0] ?? null,
        lanes: those,
      },
      maskOfLanes(those),
    )
  })
}

/** What is left to do of a load: nothing where it was silent. */
export const load = (h: Here, o: Of<'load'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  const found = reaches(h, o.from, o.width.bytes * o.width.count, mask)
  if ('code' in found) return found
  const { bytes, count } = piecesOf(o.width)
  const to = rowsOf(o)
  const { signed } = o.width
  const out: Part[] = []
  for (const { target, lanes, bytes: from } of found) {
    if (target._tag === 'plane' && o.until !== undefined) {
      const waits = waiting(h, o, o.until, target.plane, lanes, from)
      if ('code' in waits) return waits
      for (const w of waits) out.push(w)
      continue
    }
    if (target._tag === 'plane') {
      const strong = strongly(h, o)
      const plain: Prepared = {
        _tag: 'load',
        source: sourceOf(h.world, target.plane, from, bytes, count),
        mask: null,
        other: null,
        outside: 'zero',
      }
      out.push(
        part(
          strong !== null
            ? Object.assign({ strong }, plain)
            : o.readOnly === true
              ? Object.assign({ readOnly: true as const }, plain)
              : plain,
          received(lanes, to, bytes, signed),
          maskOfLanes(lanes),
        ),
      )
      continue
    }
    const local = target._tag === 'local'
    for (let i = 0; i < lanes.length; i++) {
      const lane = lanes[i]!
      const memory = local ? h.local : target.region.constant!
      const start = (local ? lane * h.launch.program.localBytes : 0) + from[i]!
      for (let k = 0; k < count; k++) {
        const row = to[k]!
        if (row === null) continue
        const at = start + k * bytes
        setLane(h.rows, row, lane, extended(littleEndian(memory, at, bytes), wholeBits(bytes), signed))
        if (local && !isWritten(h.localWritten, at, bytes))
          h.rows.unknown[row] = h.rows.unknown[row]! | (1 << lane)
        if (h.rows.shadow !== null)
          came(
            h.rows,
            row,
            lane,
            local ? localMark(h.localWritten, at, bytes) : mark((1 << bytes) - 1, target.region.datum ?? 0),
            wholeBits(bytes),
            signed,
          )
      }
    }
    const isData = local || target.region.plane >= 0
    Origins.filled(h.rows, to, maskOfLanes(lanes), isData)
    if (isData && !local)
      lanes.forEach((lane, i) => {
        to.forEach((row, k) => {
          if (row !== null)
            Origins.isConstant(h.rows, row, lane, target.region.plane, from[i]! + k * bytes, bytes, signed)
        })
      })
    settleUniform(h.rows, to, mask)
  }
  return out
}

const maskOfLanes = (lanes: ReadonlyArray<number>): number =>
  lanes === everyLaneInOrder ? everyLane : lanes.reduce((mask, lane) => mask | (1 << lane), 0)

/** Of a byte of local memory that was written: it is known. One that is not has one more than its datum. */
const localKnown = 1

const localMark = (written: Uint8Array, at: number, bytes: number): Mark => {
  let m = 0
  for (let b = 0; b < bytes; b++)
    if (written[at + b]! > localKnown)
      m = joinedMark(bytesOfMark(m) | (1 << b), m, mark(1, written[at + b]! - localKnown))
  return m
}

const isWritten = (written: Uint8Array, at: number, bytes: number): boolean => {
  for (let i = 0; i < bytes; i++) if (written[at + i] === 0) return false
  return true
}

/** Rows that were written in all lanes with one word are uniform again: what they go into is computed once. */
const settleUniform = (r: Rows, to: ReadonlyArray<Row | null>, mask: number): void => {
  if (mask !== -1) return
  for (const row of to) {
    if (row === null || r.uniform[row] === 1 || r.unknown[row] !== 0) continue
    const at = row * 32
    let same = true
    for (let l = 1; l < 32 && same; l++) same = r.words[at + l] === r.words[at]
    if (same) r.uniform[row] = 1
  }
}

const sourceOf = (
  world: World,
  plane: number,
  from: ReadonlyArray<number>,
  bytes: 1 | 2 | 4,
  count: number,
): Elements => elementsOf(world, plane, from, dtypeOf(bytes), bytes, count)

const received = (
  lanes: ReadonlyArray<number>,
  to: ReadonlyArray<Row | null>,
  bytes: 1 | 2 | 4,
  signed: boolean,
): Receive => ({
  _tag: 'words',
  lanes,
  to,
  bits: wholeBits(bytes),
  signed,
})

/** Fields of a few bits, four to a word, each in a byte of its own. */
const receiveFields = (
  r: Rows,
  { lanes, to, bits, shifts }: Extract<Receive, { readonly _tag: 'fields' }>,
  data: Float64Array | null,
): void => {
  lanes.forEach((lane, i) => {
    to.forEach((row, k) => {
      let word = 0
      let m = 0
      let known = data !== null
      for (let b = 0; data !== null && b < 4; b++) {
        const at = (i * to.length + k) * 4 + b
        const [low, high] = [data[2 * at]!, data[2 * at + 1]!]
        if (Number.isNaN(low) || Number.isNaN(high)) known = false
        word |= (((low | (high << 8)) >>> shifts[at]!) & ((1 << bits) - 1)) << (8 * b)
        const met = joinedMark(1, markOf(low), markOf(high))
        if (datumOf(met) !== 0) m = joinedMark(bytesOfMark(m) | (1 << b), m, met)
      }
      setLane(r, row, lane, known ? word : 0)
      came(r, row, lane, m, 32, false)
      if (!known) r.unknown[row] = r.unknown[row]! | (1 << lane)
    })
  })
}

/** The same of whole words for all lanes. */
const receiveAll = (r: Rows, to: ReadonlyArray<Row | null>, data: Float64Array): void => {
  for (let k = 0; k < to.length; k++) {
    const row = to[k]!
    if (row === null) continue
    let unknown = 0
    for (let lane = 0; lane < 32; lane++) {
      const word = data[lane * to.length + k]!
      r.words[32 * row + lane] = word
      if (Number.isNaN(word)) unknown |= 1 << lane
    }
    r.uniform[row] = 0
    r.unknown[row] = unknown
    if (r.shadow !== null)
      for (let lane = 0; lane < 32; lane++) came(r, row, lane, markOf(data[lane * to.length + k]!), 32, false)
  }
}

/** Puts what an effect has found into the rows that wait for it. */
export const receive = (
  r: Rows,
  how: Receive,
  data: Float64Array | null,
  origin: Origin | null,
  plain: Uint8Array | null,
): void => {
  if (how._tag === 'fields') {
    receiveFields(r, how, data)
    Origins.receivedFields(r, how.lanes, how.to)
    return
  }
  if (how._tag !== 'words' && how._tag !== 'bytes') return
  const { lanes, to, bits, signed } = how
  const width = how._tag === 'bytes' ? bits / 8 : 1
  let mask = 0
  if (width === 1 && data !== null && bits === 32 && lanes === everyLaneInOrder) {
    receiveAll(r, to, data)
    Origins.received(r, lanes, to, 4, signed, origin, plain)
    settleUniform(r, to, everyLane)
    return
  }
  for (let i = 0; i < lanes.length; i++) {
    const lane = lanes[i]!
    mask |= 1 << lane
    for (let k = 0; k < to.length; k++) {
      const row = to[k]!
      if (row === null) continue
      let word = 0
      let m = 0
      let known = data !== null
      if (data !== null)
        for (let b = 0; b < width; b++) {
          const x = data[(i * to.length + k) * width + b]!
          if (Number.isNaN(x)) known = false
          word = width === 1 ? x : word | (x << (8 * b))
          if (r.shadow !== null) {
            const met = markOf(x)
            m = joinedMark(width === 1 ? bytesOfMark(met) : bytesOfMark(m) | (bytesOfMark(met) << b), m, met)
          }
        }
      setLane(r, row, lane, known ? extended(word, bits, signed) : 0)
      if (r.shadow !== null) came(r, row, lane, m, bits, signed)
      if (!known) r.unknown[row] = r.unknown[row]! | (1 << lane)
    }
  }
  Origins.received(r, lanes, to, bits / 8, signed, origin, plain)
  settleUniform(r, to, mask)
}

export const store = (h: Here, o: Of<'store'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  const found = reaches(h, o.into, o.width.bytes * o.width.count, mask)
  if ('code' in found) return found
  const { bytes, count } = piecesOf(o.width)
  const from = storedRows(o)
  const out: Part[] = []
  for (const { target, lanes, bytes: starts } of found) {
    if (target._tag === 'constant')
      return V.fault('address.constant', `${target.region.name} is an input: nothing writes it`)
    if (target._tag === 'local') {
      for (let i = 0; i < lanes.length; i++) {
        const lane = lanes[i]!
        const start = lane * h.launch.program.localBytes + starts[i]!
        for (let k = 0; k < count; k++) {
          const word = wordAt(h.rows, from[k]!, lane)
          const known = (h.rows.unknown[from[k]!]! & (1 << lane)) === 0
          const m = markOf(carrierAt(h.rows, from[k]!, lane, word))
          for (let b = 0; b < bytes; b++) {
            const datum = ((m >>> b) & 1) === 1 ? datumOf(m) : 0
            h.local[start + k * bytes + b] = (word >>> (8 * b)) & 0xff
            h.localWritten[start + k * bytes + b] = known ? localKnown + datum : 0
          }
        }
      }
      continue
    }
    const lost = fromNothing(h, target.plane, o, from, mask, 8 * bytes)
    if (lost !== null) return lost
    const strong = strongly(h, o)
    const storeOf = (those: ReadonlyArray<number>, at: ReadonlyArray<number>): Store => {
      const destination = sourceOf(h.world, target.plane, at, bytes, count)
      const data = dataOf(h, from, those, bytes, count)
      const origin = Origins.originOf(h.rows, from, those, bytes, V.otherOrigin)
      const made: Store =
        strong === null
          ? { _tag: 'store', destination, data, origin }
          : { _tag: 'store', destination, data, origin, strong }
      return agrees(destination, data) ? Object.assign({ agrees: true as const }, made) : made
    }
    const all = storeOf(lanes, starts)
    if (strong !== null && all.agrees !== true && !isApart(all.destination.footprint))
      // which lane comes last is open, so each is an event
      lanes.forEach((lane, i) => {
        out.push(part(storeOf([lane], [starts[i]!]), nothing, maskOfLanes([lane])))
      })
    else out.push(part(all, nothing, maskOfLanes(lanes)))
  }
  return out
}

/**
 * What an output is given must come from somewhere: the part that is stored (`parts.ts`). What hardware alone knows may be stored, and a byte of which some
 * bits are written.
 */
const fromNothing = (
  { world, rows, launch }: Here,
  plane: number,
  o: Of<'store'>,
  from: ReadonlyArray<Row>,
  mask: number,
  bits: number,
): FaultValue | null => {
  if (world.header.planes[plane]?.output !== true) return null
  for (const row of from) {
    if ((rows.unknown[row]! & mask) === 0) continue
    const unknown = madeOfNothing(launch.program, rows, o, row, bits, mask)
    if (unknown !== 0 && !unspecifiedIn(launch.program).has(row) && !fieldsIn(launch.program).has(row))
      return V.fault(
        'I1',
        `lane ${String(lowest(unknown))}: the value that is stored comes from an unwritten register or from unwritten local memory`,
      )
  }
  return null
}

type Store = Extract<Prepared, { readonly _tag: 'store' }>

/** Do several lanes name one byte, and do all that do write the same there? What is not known may differ. */
const agrees = ({ footprint, offsets, origin }: Elements, data: Float64Array): boolean => {
  if (isApart(footprint)) return false
  const there = new Map<number, number>()
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i]! + origin
    const known = there.get(at)
    if (known === undefined) there.set(at, data[i]!)
    else if (known !== data[i]! || !isKnown(known)) return false
  }
  return true
}

/** What lanes write, lane by lane. */
const dataOf = (
  h: Here,
  from: ReadonlyArray<Row>,
  lanes: ReadonlyArray<number>,
  bytes: 1 | 2 | 4,
  count: number,
): Float64Array => {
  const out = new Float64Array(lanes.length * count)
  for (let i = 0; i < lanes.length; i++)
    for (let k = 0; k < count; k++) {
      const lane = lanes[i]!
      const word = wordAt(h.rows, from[k]!, lane)
      const narrow = bytes === 4 ? word : extended(word, wholeBits(bytes), false)
      out[i * count + k] = h.rows.shadow === null ? narrow : carrierAt(h.rows, from[k]!, lane, narrow, bytes)
    }
  return out
}
