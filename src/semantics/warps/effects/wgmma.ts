/**
 * Products of a warpgroup: the part of one warp.
 *
 * D is 64 rows, 16 of each warp; a lane has, in register j, these elements (f32 and s32 one a register, f16 two):
 *
 *     row     (lane div 4) + 8 (j div 2 mod 2)       f16: (lane div 4) + 8 (j mod 2)
 *     column  8 (j div 4) + 2 (lane mod 4) + j mod 2      f16: 8 (j div 2) + 2 (lane mod 4), and the next
 *
 * A in registers is four words a lane, whatever the type: a row of 16 lanes' quarters has 32 bytes of K. Byte c of row r is in register
 * r div 8 + 2 (c div 16), lane 4 (r mod 8) + c mod 16 div 4, byte c mod 4.
 *
 * Of a sparse product A has half of its K, 16 rows by 32 bytes as ever, and B all of it, 64 bytes. Which elements a warp's rows store is read of a register of its lanes when the
 * product is issued (`sparsity.ts`): of that register PTX demands no fence, and it may be written before the product is done.
 *
 * What a descriptor means is decoded once for an instruction and a word (`machine/fast/footprints.ts`).
 *
 * Laws
 * 1. the places of D are the captured fragments, and those of A.
 * 2. the bytes that a descriptor names are the captured maps (`layouts/shared-memory/matrix-descriptor.ts`).
 * 3. sparse products, and those of single bits, are an H100's, bit for bit, through whatever descriptors (`conformance/hopper/sparse`).
 *
 * Source: PTX ISA, wgmma.mma_async: register fragments, matrix descriptors; maps captured on an H100 (conformance/hopper/structure).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { unreachable } from '../../../failure.js'
import { rememberedBy } from '../../../remembered.js'
import { decode, elementAddress } from '../../../layouts/shared-memory/matrix-descriptor.js'
import { mmaTypes } from '../../../numerics/algebra.js'
import { warpsOfGroup } from '../../instructions/warpgroup.js'
import type { Elements } from '../../machine/elements.js'
import type { Prepared } from '../../machine/operation.js'
import * as Footprint from '../../machine/footprint.js'
import * as V from '../../machine/value.js'
import type { FaultValue } from '../../machine/value.js'
import { nothing, part, type Part } from '../../machine/warp-stand.js'
import type { World } from '../../machine/world.js'
import { bring, close, fence, hold, placeOf, planeOf, release, shapedBy, type Flight } from '../flight.js'
import type { Here } from '../memory.js'
import { operand } from '../operands.js'
import type { Described, WgmmaOperation } from '../operations/wgmma.js'
import { holding } from '../rows.js'
import { selectedBy } from '../sparsity.js'

type Mma = Extract<WgmmaOperation, { readonly _tag: 'wgmma' }>

const rowsOfWarp = 16
const rowsOfProduct = 64

// ---------------------------------------------------------------- warpgroups

/** The agent of the first warp of the warpgroup, and how many of its warps the CTA has. */
const warpgroupOf = (h: Here): { readonly first: number; readonly warps: number } => {
  const { agentsPerCta } = h.world
  const warp = h.at.agent % agentsPerCta
  const first = warp - (warp % warpsOfGroup)
  return { first: h.at.agent - warp + first, warps: Math.min(warpsOfGroup, agentsPerCta - first) }
}

/** The other warps of the warpgroup. */
const others = (h: Here): ReadonlyArray<number> => {
  const { first, warps } = warpgroupOf(h)
  return Array.from({ length: warps }, (_, i) => first + i).filter((x) => x !== h.at.agent)
}

// ---------------------------------------------------------------- registers

/** Where the elements are does not depend on the warp. */
const placesOfD = rememberedBy<Flight, Mma, Int32Array>()
const placesOfA = rememberedBy<Flight, Mma, Int32Array>()

/** Where in the plane each element of D is, row by row. */
const ofD = (f: Flight, o: Mma): Int32Array => {
  const addresses = new Int32Array(rowsOfWarp * o.n)
  const packed = o.dType === 'f16'
  for (let row = 0; row < rowsOfWarp; row++)
    for (let column = 0; column < o.n; column++) {
      const lane = 4 * (row % 8) + Math.floor((column % 8) / 2)
      const half = row >= 8 ? 1 : 0
      const eight = Math.floor(column / 8)
      const j = packed ? 2 * eight + half : 4 * eight + 2 * half + (column % 2)
      addresses[row * o.n + column] = placeOf(f, o.d[j]!) + 4 * lane + (packed ? 2 * (column % 2) : 0)
    }
  return addresses
}

const bitsOf: Readonly<Record<Mma['aType'], 8 | 16 | 32>> = {
  f16: 16,
  bf16: 16,
  tf32: 32,
  e4m3: 8,
  e5m2: 8,
  i8: 8,
  u8: 8,
}

/** Elements of A along K that are stored. */
const storedOf = (o: Mma): number => (o.sparsity === null ? o.k : o.k / 2)

const ofA = (f: Flight, o: Mma, rows: ReadonlyArray<number>): Int32Array => {
  const bytes = bitsOf[o.aType] / 8
  const stored = storedOf(o)
  const addresses = new Int32Array(rowsOfWarp * stored)
  for (let row = 0; row < rowsOfWarp; row++)
    for (let k = 0; k < stored; k++) {
      const c = k * bytes
      const register = rows[Math.floor(row / 8) + 2 * Math.floor(c / 16)]!
      addresses[row * stored + k] =
        placeOf(f, register) + 4 * (4 * (row % 8) + Math.floor((c % 16) / 4)) + (c % 4)
    }
  return addresses
}

// ---------------------------------------------------------------- shared memory

interface Word {
  readonly low: number
  readonly high: number
}

const wordOf = (h: Here, what: string, d: Described, mask: number): Word | FaultValue => {
  const low = operand(h, what, d.descriptor[0]!, mask)
  if (typeof low !== 'number') return low
  const high = operand(h, what, d.descriptor[1]!, mask)
  return typeof high === 'number' ? { low, high } : high
}

const show = ({ low, high }: Word): string =>
  `0x${((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString(16)}`

/** The bytes of an operand, and the least and the greatest of them. */
interface Listed {
  readonly addresses: Int32Array
  readonly low: number
  readonly high: number
}
/** What a word means to an instruction is listed once as long as its program lives. */
const listedOf = rememberedBy<Mma, string, Listed | FaultValue>()

const named = { a: 'the descriptor of A', b: 'the descriptor of B' } as const

const listing = (
  o: Mma,
  which: 'a' | 'b',
  d: Described,
  word: Word,
  from: number,
  count: number,
  sharedBase: number,
): Listed | FaultValue => {
  const what = named[which]
  const decoded = decode('wgmma')((BigInt(word.high >>> 0) << 32n) | BigInt(word.low >>> 0))
  if (E.isLeft(decoded)) return V.fault('A4', `${what} ${show(word)}: ${decoded.left.message}`)
  const at = elementAddress(decoded.right)({
    major: d.major,
    bits: bitsOf[which === 'a' ? o.aType : o.bType],
  })
  if (E.isLeft(at)) return V.fault('A4', `${what} ${show(word)}: ${at.left.message}`)
  const depth = which === 'a' ? storedOf(o) : o.k
  const addresses = new Int32Array(count * depth)
  let low = Infinity
  let high = -Infinity
  for (let mn = 0; mn < count; mn++)
    for (let k = 0; k < depth; k++) {
      const byte = at.right(from + mn, k) - sharedBase
      addresses[which === 'a' ? mn * depth + k : k * count + mn] = byte
      low = Math.min(low, byte)
      high = Math.max(high, byte)
    }
  return { addresses, low, high }
}

/** Elements [from, from + count) of the first dimension of A; of B all, columns second. */
const described = (
  h: Here,
  o: Mma,
  which: 'a' | 'b',
  d: Described,
  word: Word,
  from: number,
  count: number,
): Elements | FaultValue =>
  Footprint.ofInstruction(
    h.world.footprints,
    o,
    `${which} ${String(h.shared)} ${String(word.low)} ${String(word.high)} ${String(from)} ${String(count)}`,
    () => {
      const type = which === 'a' ? o.aType : o.bType
      const key = `${which} ${String(h.launch.sharedBase)} ${String(word.low)} ${String(word.high)} ${String(from)} ${String(count)}`
      const listed = listedOf(o, key, () => listing(o, which, d, word, from, count, h.launch.sharedBase))
      if ('code' in listed) return listed
      const { addresses, low, high } = listed
      const what = named[which]
      const end = high + bitsOf[type] / 8
      if (low < 0 || end > h.launch.sharedBytes)
        return V.fault(
          'I2',
          `${what} ${show(word)} means bytes ${String(low)}..${String(end)} of shared memory of ${String(h.launch.sharedBytes)} bytes`,
        )
      return Footprint.ofKept(
        h.world.footprints,
        h.shared,
        type,
        which === 'a' ? [count, storedOf(o)] : [o.k, count],
        addresses,
      )
    },
  )

// ---------------------------------------------------------------- products

const shapeOf = (o: Mma): string =>
  `m64n${String(o.n)}k${String(o.counts ? 8 * o.k : o.k)}.${o.dType}.${o.counts ? 'b1.b1' : `${o.aType}.${o.bType}`}${o.saturate ? '.satfinite' : ''}${o.sparsity === null ? '' : `, sparse by selector ${String(o.sparsity.selector)}`}`

const signs = (o: Mma): string => `${o.negateA ? ', -A' : ''}${o.negateB ? ', -B' : ''}`

/** A product that was prepared before, with all that it was prepared from beside the instruction and the world. */
interface Known {
  readonly launch: Here['launch']
  readonly shared: number
  readonly plane: number
  readonly accumulates: boolean
  readonly a: Word | null
  readonly b: Word
  readonly selected: Int32Array | null
  readonly parts: ReadonlyArray<Part>
}
const productsBefore = new WeakMap<World, WeakMap<Mma, Map<number, Known[]>>>()

const knownOf = (h: Here, o: Mma, plane: number): Known[] => {
  const inWorld = productsBefore.get(h.world) ?? new WeakMap<Mma, Map<number, Known[]>>()
  productsBefore.set(h.world, inWorld)
  const byPlane = inWorld.get(o) ?? new Map<number, Known[]>()
  inWorld.set(o, byPlane)
  const known = byPlane.get(plane) ?? []
  byPlane.set(plane, known)
  return known
}

const sameWord = (x: Word | null, y: Word | null): boolean =>
  x === null || y === null ? x === y : x.low === y.low && x.high === y.high

const sameNumbers = (x: Int32Array | null, y: Int32Array | null): boolean =>
  x === null || y === null ? x === y : x.every((k, i) => k === y[i])

/** The k of the elements of A that the warp's rows store. */
const selectedOf = (h: Here, o: Mma): Int32Array | null | FaultValue => {
  if (o.sparsity === null) return null
  const what = 'wgmma.mma_async.sp'
  const found = selectedBy(h.rows, what, o.sparsity, o.aType, o.k)
  if ('code' in found) return found
  const lost = found.unknown.indexOf(true)
  return lost < 0
    ? found.at
    : V.fault('I1', `${what}: the metadata of row ${String(lost)} come from an unwritten register`)
}

const product = (h: Here, o: Mma, mask: number): ReadonlyArray<Part> | FaultValue => {
  const f = h.launch.flight!
  const { first, warps } = warpgroupOf(h)
  if (warps < warpsOfGroup)
    return V.fault(
      'wgmma.warpgroup',
      `wgmma.mma_async needs four warps, from a multiple of four on: found ${String(warps)}`,
    )
  const unknown = h.rows.unknownPredicates[o.accumulates.predicate]! & mask
  if (unknown !== 0) return V.fault('I1', 'wgmma.mma_async: scale-d comes from unwritten registers or memory')
  const yes = holding(h.rows, o.accumulates.predicate, o.accumulates.negated, mask)
  if (yes !== 0 && yes !== mask)
    return V.fault('warp.uniform', 'wgmma.mma_async: scale-d: expected one value in all lanes of the warp')
  const accumulates = yes !== 0
  const before = shapedBy(h, o.d, o.n)
  if (before !== 0)
    return V.fault(
      'M1',
      `wgmma.mma_async: the accumulator is that of a product of ${String(before)} columns, and now of ${String(o.n)}, without a wgmma.fence between them`,
    )
  const selected = selectedOf(h, o)
  if (selected !== null && 'code' in selected) return selected
  const plane = planeOf(h)
  const wordB = wordOf(h, 'wgmma.mma_async: the descriptor of B', o.b, mask)
  const wordA = o.a._tag === 'registers' ? null : wordOf(h, 'wgmma.mma_async: the descriptor of A', o.a, mask)
  const made = knownOf(h, o, plane)
  const known =
    'code' in wordB || (wordA !== null && 'code' in wordA)
      ? undefined
      : made.find(
          (x) =>
            x.launch === h.launch &&
            x.shared === h.shared &&
            x.accumulates === accumulates &&
            sameWord(x.b, wordB) &&
            sameNumbers(x.selected, selected) &&
            sameWord(x.a, wordA),
        )
  const issued = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
    if (o.a._tag === 'registers') hold(h, o.a.rows)
    bring(h, o.d)
    return parts
  }
  if (known !== undefined) return issued(known.parts)
  const types = mmaTypes(o.aType, o.bType, o.dType, o.saturate)
  if (
    O.isNone(types) ||
    O.isNone(h.world.algebra.mma(types.value, { m: rowsOfWarp, n: o.n, k: storedOf(o) }))
  )
    return V.fault('algebra.lacks', `the ${h.world.algebra.name} algebra has no ${shapeOf(o)}`)
  const registers = (which: 'a' | 'd', make: () => Int32Array): Elements | FaultValue =>
    Footprint.ofInstruction(h.world.footprints, o, `${which} ${String(plane)}`, () =>
      Footprint.ofKept(
        h.world.footprints,
        plane,
        which === 'a' ? o.aType : o.dType,
        [rowsOfWarp, which === 'a' ? storedOf(o) : o.n],
        make(),
      ),
    )
  if ('code' in wordB) return wordB
  const b = described(h, o, 'b', o.b, wordB, 0, o.n)
  if ('code' in b) return b
  const accumulator = registers('d', () => placesOfD(f, o, () => ofD(f, o)))
  if ('code' in accumulator) return accumulator
  const says = `${shapeOf(o)}${signs(o)}${accumulates ? '' : ', D = 0'}, B ${show(wordB)}`
  const of = (a: Elements, whole: Elements, said: string): ReadonlyArray<Part> => {
    const plain: Prepared = {
      _tag: 'wgmma.mma',
      a,
      b,
      accumulator,
      types: types.value,
      m: rowsOfWarp,
      n: o.n,
      k: o.k,
      accumulates,
      negateA: o.negateA,
      negateB: o.negateB,
      part: { a: whole, first, says: said },
    }
    const prepared: Prepared =
      selected !== null
        ? Object.assign(plain, { selected })
        : o.counts
          ? Object.assign(plain, { counts: true as const })
          : plain
    const parts = [part(prepared, nothing)]
    if (wordA === null || !('code' in wordA))
      made.push({
        launch: h.launch,
        shared: h.shared,
        plane,
        accumulates,
        a: wordA,
        b: wordB,
        selected,
        parts,
      })
    return issued(parts)
  }
  if (o.a._tag === 'registers') {
    const { rows } = o.a
    const a = registers('a', () => placesOfA(f, o, () => ofA(f, o, rows)))
    return 'code' in a ? a : of(a, a, `${says}, A in registers`)
  }
  if (wordA === null || 'code' in wordA) return wordA ?? unreachable('a descriptor without a word')
  const whole = described(h, o, 'a', o.a, wordA, 0, rowsOfProduct)
  if ('code' in whole) return whole
  const a = described(h, o, 'a', o.a, wordA, rowsOfWarp * (h.at.agent - first), rowsOfWarp)
  return 'code' in a ? a : of(a, whole, `${says}, A ${show(wordA)}`)
}

export const wgmma = (h: Here, o: WgmmaOperation, mask: number): ReadonlyArray<Part> | FaultValue => {
  switch (o._tag) {
    case 'wgmma':
      return product(h, o, mask)
    case 'wgmmaFence':
      fence(h.rows)
      return [part({ _tag: 'fence', kind: 'wgmma', scope: 'cta' }, nothing)]
    case 'wgmmaCommit':
      close(h.rows)
      return [part({ _tag: 'group.commit', family: 'wgmma', alike: warpgroupOf(h).first }, nothing)]
    case 'wgmmaWait':
      release(h.rows, o.pending)
      return [
        part(
          { _tag: 'group.wait', family: 'wgmma', pending: o.pending, read: false, with: others(h) },
          nothing,
        ),
      ]
  }
}
