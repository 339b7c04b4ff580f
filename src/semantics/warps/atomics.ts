/**
 * Atomics of a warp: each lane reads, combines and writes at once, the lowest lane first.
 *
 * PTX leaves the order of the lanes open, and other threads may come between them. Where what the lanes find may decide something, or a load of the program decides where
 * control goes, and some of the lanes name one word, each lane's is an event of its own:
 *
 *     t = atomicAdd(&ticket, 1) by two warps      0 1 2 ... 31 and 32 ... 63, or 0 2 4 ... and 1 3 5 ...
 *     atomicAdd(&n, 1); while (n < 31) {}         a thread that waits passes at 31, and has not synchronised with the last lane
 *
 * Else nothing shows whether something came between, and they are one event. What is combined is an operation of `numerics/scalar` on the words of an element.
 *
 * | atom                       | operation on words                                   |
 * |----------------------------|------------------------------------------------------|
 * | add min max and or xor     | of the type, to nearest even                          |
 * | exch                       | the new value                                        |
 * | cas                        | the new value where the old one equals the compared   |
 * | inc                        | 0 from the limit on, else one more                    |
 * | dec                        | the limit from 0 or from above it, else one less      |
 *
 * A sum of f32 in global memory takes subnormal numbers for zero, one in shared memory does not.
 *
 * Source: PTX ISA, atom, red.
 */
import { remembered } from '../../remembered.js'
import type { AtomicOp } from '../language/instruction.js'
import type { StoredFrom } from '../log/events.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import { elementsOf, reaches, type Here } from './memory.js'
import { isOne } from '../log/lane-mask.js'
import { maskOf } from './operands.js'
import type { Prepared } from '../machine/operation.js'
import { nothing, part, type Part } from '../machine/warp-stand.js'
import type { AtomicName, AtomicType, Operation } from './program.js'
import { arePlain, originOf } from './origins.js'
import { wordAt } from './rows.js'
import { carrierAt } from './shadows.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

const bytesOf = (type: AtomicType): 2 | 4 | 8 | 16 => {
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
    default:
      return 4
  }
}

/** The operation of `numerics/scalar` that joins old and new; null of those that are none. */
export const joining = (op: AtomicName, type: AtomicType, inGlobal: boolean): string | null => {
  switch (op) {
    case 'add':
      return type === 'f32'
        ? inGlobal
          ? 'add.rn.ftz.f32'
          : 'add.rn.f32'
        : type === 'f64'
          ? 'add.rn.f64'
          : type === 'f16' || type === 'bf16' || type === 'f16x2' || type === 'bf16x2'
            ? `add.rn.${type}`
            : `add.${type}`
    case 'min':
    case 'max':
      return `${op}.${type}`
    case 'and':
    case 'or':
    case 'xor':
      return `${op}.${type === 'b64' ? 'b64' : 'b32'}`
    case 'exch':
    case 'cas':
    case 'inc':
    case 'dec':
      return null
  }
}

/** What the log calls it: inc and dec depend on what they find, as an exchange by comparison does. */
const logged = (op: AtomicName): AtomicOp =>
  op === 'exch' ? 'exchange' : op === 'inc' || op === 'dec' ? 'cas' : op

const floating: ReadonlySet<AtomicType> = new Set<AtomicType>([
  'f32',
  'f64',
  'f16',
  'bf16',
  'f16x2',
  'bf16x2',
])
const isFloating = (type: AtomicType): boolean => floating.has(type)

/** What is compared decides what remains. */
/** Do lanes name one element? */
const meet = (addresses: ReadonlyArray<number>): boolean => new Set(addresses).size < addresses.length

const originOfAtomic = (h: Here, o: Of<'atomic'>, lanes: ReadonlyArray<number>, bytes: 2 | 4): StoredFrom => {
  if (h.rows.origins?._tag === 'terms')
    return originOf(h.rows, [...o.compare, ...o.value], lanes, bytes, V.otherOrigin)
  return arePlain(h.rows, o.compare, lanes)
    ? originOf(h.rows, o.value, lanes, bytes, V.otherOrigin)
    : V.otherOrigin
}

/** Does a load of the program decide where control goes, a wait for a word or another? It may find what some lanes have left, and others not. */
const isAskedFor = ({ launch }: Here): boolean => launch.watches || loadsIn(launch.controlling).size > 0
const loadsIn = remembered(
  (controlling: ReadonlyMap<Operation, unknown>): ReadonlySet<Operation> =>
    new Set([...controlling.keys()].filter(({ _tag }) => _tag === 'load')),
)

export const atomic = (h: Here, o: Of<'atomic'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  const bytes = bytesOf(o.type)
  const found = reaches(h, o.at, bytes, mask)
  if ('code' in found) return found
  const out: Part[] = []
  const signs = h.launch.signing.has(o) && isOne(mask)
  const decides = !signs && h.launch.decisive.has(o)
  const controls = signs ? null : (h.launch.controlling.get(o)?.from ?? null)
  for (const { target, lanes: all, bytes: places } of found) {
    if (target._tag !== 'plane')
      return target._tag === 'constant'
        ? V.fault('address.constant', `${target.region.name} is an input: nothing writes it`)
        : V.fault('address.space', 'an atomic is of global or shared memory')
    const words = Math.max(1, bytes / 4)
    const piece = bytes === 2 ? 2 : 4
    const inGlobal = h.world.header.planes[target.plane]!.space === 'gmem'
    const wordsOf = (rows: ReadonlyArray<number>, lanes: ReadonlyArray<number>): Float64Array | null => {
      if (rows.length === 0) return null
      const data = new Float64Array(lanes.length * words)
      lanes.forEach((lane, i) => {
        for (let k = 0; k < words; k++) {
          const word = wordAt(h.rows, rows[k]!, lane)
          data[i * words + k] = carrierAt(h.rows, rows[k]!, lane, piece === 2 ? word & 0xffff : word, piece)
        }
      })
      return data
    }
    const one = (lanes: ReadonlyArray<number>, from: ReadonlyArray<number>): Part => {
      const prepared: Extract<Prepared, { readonly _tag: 'atomic.words' }> = {
        _tag: 'atomic.words',
        op: o.op,
        joins: joining(o.op, o.type, inGlobal),
        combine: logged(o.op),
        rounds: o.op === 'add' && isFloating(o.type),
        words,
        destination: elementsOf(h.world, target.plane, from, piece === 2 ? 'u16' : 'i32', piece, words),
        data: wordsOf(o.value, lanes),
        compare: wordsOf(o.compare, lanes),
        origin: originOfAtomic(h, o, lanes, piece),
        scope: o.scope,
        acquires: o.ordering === 'acquire' || o.ordering === 'acq_rel',
        releases: o.ordering === 'release' || o.ordering === 'acq_rel',
        decides,
        controls,
        signs,
        watched: h.launch.watches,
      }
      const waits = o.awaits === true && lanes.length === 1 && words === 1
      const awaiting = waits ? Object.assign({ awaits: true as const }, prepared) : prepared
      return part(
        out.length > 0 ? Object.assign({ behind: true as const }, awaiting) : awaiting,
        o.to === null
          ? nothing
          : { _tag: 'words', lanes, to: o.to, bits: piece === 2 ? 16 : 32, signed: false },
        maskOf(lanes),
      )
    }
    if (meet(places) && ((decides && o.to !== null) || isAskedFor(h)))
      all.forEach((lane, i) => out.push(one([lane], places.slice(i, i + 1))))
    else out.push(one(all, places))
  }
  return out
}
