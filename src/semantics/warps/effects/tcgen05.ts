/**
 * Tensor memory by the lanes of a warp.
 *
 *     tcgen05.ld.32x32b.x2 {r0, r1}, [0x00200005]     warp 1: lane t gets the cells (32 + t, 5) and (32 + t, 6), in flight
 *     tcgen05.mma [0], descA, descB, idesc, p         operands where the descriptors say, D as the data path of its M puts it
 *
 * Addresses and descriptors are known when the instruction is prepared, and mean what the layouts say (`layouts/tensor-memory`,
 * `layouts/shared-memory`). What a word means is listed once for a run.
 *
 * | what                                                                    | else               |
 * |-------------------------------------------------------------------------|--------------------|
 * | a warp loads and stores in its own quarter of the lanes                  | tcgen05.lanes      |
 * | shapes of 16 lanes begin at the first or the 17th of the quarter          | tcgen05.lanes      |
 * | D, A, scales and what is copied begin at lane 0; D and A of 64 rows of one CTA at lane 0 or 16 | tcgen05.lanes |
 * | lanes and columns are there, bytes are in shared memory                   | I2                 |
 * | the instruction descriptor is of the kind, and its shape is one            | the code of `instruction-descriptor.ts` |
 *
 * Elements of 4 and 6 bits of the kinds f8f6f4 lie 16 in the first 8 or 12 of 16 bytes of shared memory. In tensor memory each has a byte of its own; which
 * of its bits are the element is not known here, and an A of them there is refused.
 *
 * Laws
 * 1. The cells of a load and of a store are those of `layouts/tensor-memory/access-shape.ts`; registers go through the plane of the warp.
 * 2. Operands are where the core's own views of the same tiles are.
 *
 * @fidelity documented; model: a shift is of all lanes from its address on; the split of a packed 16x32bx2 counts columns.
 *
 * Source: PTX ISA, tcgen05.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { cellOf, accessShape, lanesOf as lanesOfShape } from '../../../layouts/tensor-memory/access-shape.js'
import {
  accumulator,
  accumulatorIdOf,
  accumulatorRef,
  columnsOf,
  leftOperandRef,
} from '../../../layouts/tensor-memory/accumulator.js'
import { copyColumns, copyLanes, copyRows } from '../../../layouts/tensor-memory/copy-shape.js'
import {
  columnOf,
  laneOf,
  quarterOf,
  quarterOfWarp,
  tmemColumns,
  tmemLaneBytes,
  tmemLanes,
  tmemQuarterLanes,
  type Cell,
} from '../../../layouts/tensor-memory/geometry.js'
import {
  decode as decodeInstruction,
  productShape,
  type InstructionDescriptor,
} from '../../../layouts/shared-memory/instruction-descriptor.js'
import { decode, elementAddress, type OperandForm } from '../../../layouts/shared-memory/matrix-descriptor.js'
import { decodeMask } from '../../../layouts/shared-memory/zero-column-mask.js'
import { mmaTypes, ofKind, type MmaTypes, type ScaledTypes } from '../../../numerics/algebra.js'
import { metadataByte, scaleByte } from '../../../layouts/tensor-memory/operand-bytes.js'
import { kOfWord } from '../../../layouts/tensor-memory/sparsity.js'
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import type { TransformedRef } from '../../../transforms/ref.js'
import { laneSteps } from '../../instructions/tcgen05-copy.js'
import { halfOfLanes, pipeOf, quarters } from '../../instructions/tcgen05-mma.js'
import { checkGroup, ctasOf } from '../../instructions/tcgen05-queue.js'
import * as Footprint from '../../machine/footprint.js'
import type { Elements, Prepared, Share } from '../../machine/operation.js'
import * as V from '../../machine/value.js'
import type { FaultValue } from '../../machine/value.js'
import { nothing, part, type Part, type Row } from '../../machine/warp-stand.js'
import { barrierIn } from '../../machine/world.js'
import { addressesInByte } from '../../machine/cells.js'
import { bring, placeOf, planeOf } from '../flight.js'
import { reaches, type Here } from '../memory.js'
import { originOfRows } from '../origins.js'
import { barriersAt, operand } from '../operands.js'
import type { Tcgen05Operation, TensorAddress } from '../operations/tcgen05.js'
import { datumOf, mark, marked, markOf } from '../../../numerics/shadow.js'
import { holding, lanesOf, lowest, wordAt } from '../rows.js'
import { carrierAt } from '../shadows.js'

type Of<K extends Tcgen05Operation['_tag']> = Extract<Tcgen05Operation, { readonly _tag: K }>
type Parts = ReadonlyArray<Part> | FaultValue

// ---------------------------------------------------------------- places

/** What an instruction and words come to, listed once. */
const once = (
  h: Here,
  o: Tcgen05Operation,
  words: string,
  make: () => Elements | FaultValue,
): Elements | FaultValue => Footprint.ofInstruction(h.world.footprints, o, words, make)

const scattered = (
  h: Here,
  plane: number,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  addresses: Int32Array,
): Elements => Footprint.ofAddresses(h.world.footprints, plane, dtype, shape, addresses)

/** The tensor memory of the CTA of the agent. */
const tensorPlane = (h: Here): number => {
  const { planes } = h.world.header
  let plane = h.shared
  while (planes[plane]!.space !== 'tmem') plane++
  return plane
}

const cellAt = (h: Here, what: string, a: TensorAddress, mask: number): Cell | FaultValue => {
  const word = operand(h, what, a.row, mask)
  if (typeof word !== 'number') return word
  const address = (word + a.offset) >>> 0
  return { lane: laneOf(address), column: columnOf(address) }
}

/** Cells from `at` on: `lanes` of them, each with `columns`. */
const inside = (what: string, at: Cell, lanes: number, columns: number): FaultValue | null =>
  at.lane + lanes <= tmemLanes && at.column + columns <= tmemColumns
    ? null
    : V.fault(
        'I2',
        `${what}: lanes ${String(at.lane)}..${String(at.lane + lanes)} and columns ${String(at.column)}..${String(at.column + columns)} leave tensor memory of ${String(tmemLanes)} lanes and ${String(tmemColumns)} columns`,
      )

const first = (what: string, at: Cell, lanes: ReadonlyArray<number>): FaultValue | null =>
  lanes.includes(at.lane)
    ? null
    : V.fault(
        'tcgen05.lanes',
        `${what}: expected an address in lane ${lanes.join(' or ')}, found lane ${String(at.lane)}`,
      )

const byteOf = ({ lane, column }: Cell): number => lane * tmemLaneBytes + 4 * column

// ---------------------------------------------------------------- allocation

const alloc = (h: Here, o: Of<'tcgen05Alloc'>, mask: number): Parts => {
  const pair = checkGroup(h, 'tcgen05.alloc', o.group)
  if (pair !== null) return pair
  const columns = operand(h, 'tcgen05.alloc: the number of columns', o.columns, mask)
  if (typeof columns !== 'number') return columns
  for (const row of o.into.rows) {
    const same = operand(h, 'tcgen05.alloc: the address', row, mask)
    if (typeof same !== 'number') return same
  }
  const found = reaches(h, o.into, 4, 1 << lowest(mask))
  if ('code' in found) return found
  const { target, bytes } = found[0]!
  if (target._tag !== 'plane' || target.plane !== h.shared)
    return V.fault(
      'tcgen05.space',
      'tcgen05.alloc: the address of the columns is written to the shared memory of the CTA',
    )
  const into = scattered(h, target.plane, 'i32', [1], Int32Array.of(bytes[0]!))
  return [part({ _tag: 'tcgen05.alloc', columns, ctaGroup: o.group, into }, nothing)]
}

const dealloc = (h: Here, o: Of<'tcgen05Dealloc'>, mask: number): Parts => {
  const pair = checkGroup(h, 'tcgen05.dealloc', o.group)
  if (pair !== null) return pair
  const columns = operand(h, 'tcgen05.dealloc: the number of columns', o.columns, mask)
  if (typeof columns !== 'number') return columns
  const at = cellAt(h, 'tcgen05.dealloc: the address', { row: o.at, offset: 0 }, mask)
  if ('code' in at) return at
  const wrong = first('tcgen05.dealloc', at, [0])
  return wrong ?? [part({ _tag: 'tcgen05.dealloc', columns, ctaGroup: o.group, start: at.column }, nothing)]
}

// ---------------------------------------------------------------- loads and stores

/** Cells of tensor memory, register by register, lane by lane; of a packed register two. */
const cells = (
  h: Here,
  what: string,
  o: Of<'tcgen05Load'> | Of<'tcgen05Store'>,
  registers: number,
  mask: number,
): Elements | FaultValue => {
  const { shape, num, split, packed } = o.moved
  const access = accessShape(shape, num, split)
  if (E.isLeft(access)) return V.fault(access.left.code, `${what}: ${access.left.message}`)
  const at = cellAt(h, `${what}: the address`, o.at, mask)
  if ('code' in at) return at
  const lanes = lanesOfShape(access.right)
  const warp = h.world.front.agents[h.at.agent % h.world.agentsPerCta]!.firstWarp
  if (
    quarterOf(at.lane) !== quarterOfWarp(warp) ||
    !(lanes === 16 ? [0, 16] : [0]).includes(at.lane % tmemQuarterLanes)
  )
    return V.fault(
      'tcgen05.lanes',
      `${what}: warp ${String(warp)} reaches the 32 lanes from ${String(tmemQuarterLanes * quarterOfWarp(warp))}, and ${shape} begins at the first lane${lanes === 16 ? ' or the 17th' : ''}, found lane ${String(at.lane)}`,
    )
  const plane = tensorPlane(h)
  return once(h, o, `cells ${String(plane)} ${String(byteOf(at))}`, () => {
    const wide = packed ? 2 : 1
    let columns = 0
    const found: Cell[] = []
    for (let register = 0; register < registers; register++)
      for (let thread = 0; thread < 32; thread++) {
        const cell = cellOf(access.right, { thread, register })
        const { lane } = cell
        // the columns between the halves are columns, whatever a register takes of them
        const behind = thread < 16 ? 0 : split
        const column = behind + wide * (cell.column - behind)
        columns = Math.max(columns, column + wide)
        for (let i = 0; i < wide; i++) found.push({ lane: at.lane + lane, column: at.column + column + i })
      }
    return (
      inside(what, at, lanes, columns) ??
      scattered(
        h,
        plane,
        packed ? 'u16' : 'i32',
        packed ? [registers, 32, 2] : [registers, 32],
        Int32Array.from(found, byteOf),
      )
    )
  })
}

/** The same registers in the plane of the warp. */
const registersOf = (h: Here, o: Of<'tcgen05Load'>): Elements | FaultValue => {
  const flight = h.launch.flight!
  const plane = planeOf(h)
  const { packed } = o.moved
  return once(h, o, `registers ${String(plane)}`, () =>
    scattered(
      h,
      plane,
      packed ? 'u16' : 'i32',
      packed ? [o.to.length, 32, 2] : [o.to.length, 32],
      Int32Array.from(
        o.to.flatMap((row) =>
          Array.from({ length: 32 }, (_, lane) => placeOf(flight, row) + 4 * lane).flatMap((byte) =>
            packed ? [byte, byte + 2] : [byte],
          ),
        ),
      ),
    ),
  )
}

/** One register in the plane of the warp. */
const wordOfLanes = (h: Here, o: Of<'tcgen05Load'>, row: Row): Elements | FaultValue => {
  const first = placeOf(h.launch.flight!, row)
  const plane = planeOf(h)
  return once(h, o, `register ${String(plane)}`, () =>
    scattered(
      h,
      plane,
      'i32',
      [1, 32],
      Int32Array.from({ length: 32 }, (_, lane) => first + 4 * lane),
    ),
  )
}

const load = (h: Here, o: Of<'tcgen05Load'>, mask: number): Parts => {
  const source = cells(h, 'tcgen05.ld', o, o.to.length, mask)
  if ('code' in source) return source
  const destination = registersOf(h, o)
  if ('code' in destination) return destination
  const { extreme } = o
  if (extreme === undefined) {
    bring(h, o.to)
    return [part({ _tag: 'tcgen05.ld', source, destination }, nothing)]
  }
  const { by, magnitudes, to } = extreme
  const into = wordOfLanes(h, o, to)
  if ('code' in into) return into
  bring(h, [...o.to, to])
  return [part({ _tag: 'tcgen05.ld', source, destination, extreme: { by, magnitudes, into } }, nothing)]
}

const store = (h: Here, o: Of<'tcgen05Store'>, mask: number): Parts => {
  const destination = cells(h, 'tcgen05.st', o, o.value.length, mask)
  if ('code' in destination) return destination
  const { packed } = o.moved
  const data = new Float64Array(o.value.length * 32 * (packed ? 2 : 1))
  o.value.forEach((row, register) => {
    for (let lane = 0; lane < 32; lane++) {
      const word = wordAt(h.rows, row, lane)
      const at = 32 * register + lane
      if (packed) {
        const m = markOf(carrierAt(h.rows, row, lane, word))
        data[2 * at] = marked(word & 0xffff, mark(m & 3, datumOf(m)))
        data[2 * at + 1] = marked(word >>> 16, mark((m >>> 2) & 3, datumOf(m)))
      } else data[at] = carrierAt(h.rows, row, lane, word)
    }
  })
  const origin = originOfRows(h.rows, o.value, 'all', V.otherOrigin)
  return [part({ _tag: 'tcgen05.st', destination, data, origin }, nothing)]
}

// ---------------------------------------------------------------- shared memory

const wordsOf = (h: Here, what: string, rows: ReadonlyArray<Row>, own: number): bigint | FaultValue => {
  const low = operand(h, what, rows[0]!, own)
  if (typeof low !== 'number') return low
  const high = operand(h, what, rows[1]!, own)
  return typeof high === 'number' ? (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0) : high
}

/** The byte of shared memory at which element (mn, k) lies, by a descriptor. */
const byDescriptor = (
  h: Here,
  what: string,
  word: bigint,
  form: OperandForm,
): ((mn: number, k: number) => number) | FaultValue => {
  const d = decode('tcgen05')(word)
  if (E.isLeft(d)) return V.fault(d.left.code, `${what}: ${d.left.message}`)
  const at = elementAddress(d.right)(form)
  if (E.isLeft(at)) return V.fault(at.left.code, `${what}: ${at.left.message}`)
  return (mn, k) => at.right(mn, k) - h.launch.sharedBase
}

/** Every address is in shared memory, `bytes` from each on. */
const inShared = (
  h: Here,
  what: string,
  addresses: Int32Array,
  inByte: 1 | 2 | 4,
  bytes: number,
): FaultValue | null => {
  let [low, high] = [Infinity, -Infinity]
  for (const a of addresses) {
    low = Math.min(low, Math.floor(a / inByte))
    high = Math.max(high, Math.floor(a / inByte))
  }
  return low >= 0 && high + bytes <= h.launch.sharedBytes
    ? null
    : V.fault(
        'I2',
        `${what}: the descriptor means bytes ${String(low)}..${String(high + bytes)} of shared memory of ${String(h.launch.sharedBytes)} bytes`,
      )
}

const inPlane = (h: Here, e: Elements, ctas: number): Elements =>
  ctas === 0
    ? e
    : scattered(h, e.plane + ctas * h.world.planesPerCta, e.dtype, e.shape, Footprint.addressesOf(e))

interface Matrix {
  readonly mn: number
  readonly k: number
  readonly dtype: Dtype
  readonly major: 'k' | 'mn'
  /** elements of 4 and 6 bits lie 16 in the first of every 16 bytes */
  readonly padded: boolean
  /** rows along mn (A), or along k (B) */
  readonly rows: 'mn' | 'k'
}

/** An operand in the shared memory of the agent's CTA. */
const described = (
  h: Here,
  o: Of<'tcgen05Mma'>,
  what: string,
  word: bigint,
  m: Matrix,
): Elements | FaultValue => {
  const bits = bitsOf(m.dtype)
  const words = `${m.rows} ${String(h.shared)} ${String(word)} ${m.dtype} ${m.major} ${String(m.padded)} ${String(m.mn)} ${String(m.k)}`
  return once(h, o, words, () => {
    const at = byDescriptor(h, what, word, { major: m.major, bits: m.padded ? 8 : bits })
    if (typeof at !== 'function') return at
    const inByte = addressesInByte(m.dtype)
    const step = (bits * inByte) / 8
    const addresses = new Int32Array(m.mn * m.k)
    for (let i = 0; i < m.mn; i++)
      for (let k = 0; k < m.k; k++) {
        const byte = m.padded ? at(i, k - (k % 16)) : at(i, k)
        const within = m.padded ? k % 16 : bits === 4 ? k % 2 : 0
        const address = inByte * byte + step * within
        addresses[m.rows === 'mn' ? i * m.k + k : k * m.mn + i] = address
      }
    return (
      inShared(h, what, addresses, inByte, Math.ceil(bits / 8)) ??
      scattered(h, h.shared, m.dtype, m.rows === 'mn' ? [m.mn, m.k] : [m.k, m.mn], addresses)
    )
  })
}

// ---------------------------------------------------------------- products

const ofRef = (h: Here, plane: number, dtype: Dtype, ref: TransformedRef, base: number): Elements =>
  Footprint.ofLayout(h.world.footprints, plane, dtype, ref, base)

/** D as its data path puts it, without the lanes that are left as they are. */
const accumulatorAt = (
  h: Here,
  plane: number,
  dtype: 'f16' | 'f32' | 'i32',
  ref: TransformedRef,
  base: number,
  disabled: ReadonlyArray<number>,
): Elements => {
  const all = ofRef(h, plane, dtype, ref, base)
  if (disabled.every((word) => word === 0)) return all
  const kept = Footprint.addressesOf(all).map((byte) => {
    const lane = Math.floor(byte / tmemLaneBytes)
    return ((disabled[lane >>> 5]! >>> (lane & 31)) & 1) === 1 ? -1 : byte
  })
  return scattered(h, plane, dtype, all.shape, kept)
}

/** The scales of `rows` rows, `count` of each, from byte `id` of their words on. */
const scalesAt = (
  h: Here,
  plane: number,
  dtype: 'e8m0' | 'ue4m3',
  base: number,
  rows: number,
  count: number,
  id: number,
  halves: boolean,
): Elements => {
  const addresses = new Int32Array(rows * count)
  const byte = scaleByte(rows, halves)
  for (let x = 0; x < rows; x++)
    for (let j = 0; j < count; j++) addresses[x * count + j] = base + byte(x, j) + id
  return scattered(h, plane, dtype, [rows, count], addresses)
}

/** Elements of A along k that are stored. */
const storedOf = (o: Of<'tcgen05Mma'>, k: number): number => (o.sparsity === null ? k : k / 2)

interface Product {
  readonly d: InstructionDescriptor
  readonly m: number
  readonly n: number
  readonly k: number
  readonly types: MmaTypes
}

/** What the instruction descriptor says, of a kind and a group. */
const productOf = (h: Here, o: Of<'tcgen05Mma'>, own: number): Product | FaultValue => {
  const word = operand(h, 'tcgen05.mma: the instruction descriptor', o.descriptor, own)
  if (typeof word !== 'number') return word
  const d = decodeInstruction(o.kind)(word >>> 0)
  if (E.isLeft(d)) return V.fault(d.left.code, `tcgen05.mma: ${d.left.message}`)
  if (d.right.sparse !== (o.sparsity !== null))
    return V.fault(
      'instruction.modifier',
      `tcgen05.mma: the descriptor says that A is ${d.right.sparse ? 'sparse' : 'dense'}, and the instruction is ${d.right.sparse ? 'not .sp' : '.sp'}`,
    )
  const shape = productShape({ ctaGroup: o.group, weightStationary: o.weightStationary })(d.right)
  if (E.isLeft(shape)) return V.fault(shape.left.code, `tcgen05.mma: ${shape.left.message}`)
  const { m, n, k } = shape.right
  const { a, b } = d.right
  const acc = d.right._tag === 'dense' ? d.right.accumulator : 'f32'
  const types = mmaTypes(a, b, acc, d.right._tag === 'dense' && d.right.saturate)
  const rows = { m: m / o.group, n, k: storedOf(o, k) }
  const { algebra } = h.world
  const known =
    O.isSome(types) &&
    (d.right._tag === 'dense'
      ? O.isSome(algebra.mma(types.value, rows))
      : o.scales !== null &&
        types.value.acc !== 'i32' &&
        O.isSome(
          algebra.scaledMma(
            ofKind(scaledKind(d.right), {
              a: types.value.a,
              b: types.value.b,
              acc: types.value.acc,
              scale: d.right.scale,
              block: o.scales.block,
            }),
            rows,
          ),
        ))
  return known && O.isSome(types)
    ? { d: d.right, m, n, k, types: types.value }
    : V.fault(
        'instruction.unsupported',
        `tcgen05.mma: ${a} x ${b} -> ${acc} of kind ${o.kind} has no arithmetic here`,
      )
}

/** The lanes of D that are left as they are, by CTA of the group. */
const disabledOf = (
  h: Here,
  o: Of<'tcgen05Mma'>,
  own: number,
): ReadonlyArray<ReadonlyArray<number>> | FaultValue => {
  const words: number[] = []
  for (const row of o.disabled ?? []) {
    const word = operand(h, 'tcgen05.mma: the lanes that are left out', row, own)
    if (typeof word !== 'number') return word
    words.push(word)
  }
  return Array.from({ length: o.group }, (_, cta) => words.slice(4 * cta, 4 * cta + 4))
}

const isAddress = (a: TensorAddress | ReadonlyArray<Row>): a is TensorAddress => 'row' in a

/** A mask of zero columns may be there, and be switched off: which columns one takes out is not known here. */
const unmasked = (h: Here, o: Of<'tcgen05Mma'>, own: number): FaultValue | null => {
  if (o.columnMask === null) return null
  const what = 'tcgen05.mma: the zero-column mask'
  const word = wordsOf(h, what, o.columnMask, own)
  if (typeof word !== 'bigint') return word
  const mask = decodeMask(word)
  if (E.isLeft(mask)) return V.fault(mask.left.code, `${what}: ${mask.left.message}`)
  return mask.right.enabled
    ? V.fault('instruction.unsupported', `${what}: which columns an enabled mask takes out is not known here`)
    : null
}

/** A, by the columns of each B. */
const leftOf = (
  h: Here,
  o: Of<'tcgen05Mma'>,
  { d, m, k: dense }: Product,
  own: number,
): ReadonlyArray<Elements> | FaultValue => {
  const rows = m / o.group
  const k = storedOf(o, dense)
  const what = 'tcgen05.mma: A'
  if (!isAddress(o.a)) {
    const word = wordsOf(h, `${what}: the descriptor`, o.a, own)
    if (typeof word !== 'bigint') return word
    const e = described(h, o, what, word, {
      mn: rows,
      k,
      dtype: d.a,
      major: d.transposeA ? 'mn' : 'k',
      padded: isPadded(d, d.a),
      rows: 'mn',
    })
    return 'code' in e ? e : [e]
  }
  const at = cellAt(h, `${what}: the address`, o.a, own)
  if ('code' in at) return at
  const bits = bitsOf(d.a)
  if (d.transposeA || isPadded(d, d.a))
    return V.fault(
      'instruction.unsupported',
      `${what}: in tensor memory it is K-major, of elements of 8, 16 or 32 bits (4 of the kinds mxf4), found ${d.transposeA ? 'MN-major ' : ''}${d.a}`,
    )
  if (o.weightStationary && m !== tmemLanes)
    return V.fault(
      'instruction.unsupported',
      `${what}: where ${String(m)} rows of a weight-stationary product are in tensor memory is not known: expected 128, or A in shared memory`,
    )
  const pair = o.group === 2
  const ref = leftOperandRef({ m, pair, bits }, k)
  if (E.isLeft(ref)) return V.fault(ref.left.code, `${what}: ${ref.left.message}`)
  const wrong =
    first(what, at, !pair && m === halfOfLanes ? [0, 16] : [0]) ?? inside(what, at, 1, (k * bits) / 32)
  if (wrong !== null) return wrong
  const plane = tensorPlane(h)
  return (pair && rows === halfOfLanes ? [0, halfOfLanes] : [0]).map((lane) =>
    ofRef(h, plane, d.a, ref.right, byteOf(at) + lane * tmemLaneBytes),
  )
}

/** Do 16 elements have 16 bytes of shared memory, though they fill fewer? */
const isPadded = ({ kind }: InstructionDescriptor, dtype: Dtype): boolean =>
  bitsOf(dtype) < 8 && (kind === 'f8f6f4' || kind === 'mxf8f6f4')

/** The kind, where the types of the operands do not say it. */
const scaledKind = ({ kind, a, b }: InstructionDescriptor): ScaledTypes['kind'] =>
  kind === 'mxf8f6f4' && a === 'e2m1' && b === 'e2m1' ? kind : undefined

const scalingOf = (
  d: InstructionDescriptor,
  scales: Of<'tcgen05Mma'>['scales'],
): Extract<Prepared, { readonly _tag: 'tcgen05.mma' }>['scaling'] => {
  if (d._tag !== 'scaled' || scales === null) return null
  const [kind, { scale: dtype }, { block }] = [scaledKind(d), d, scales]
  return kind === undefined ? { dtype, block } : { dtype, block, kind }
}

interface ScalePlaces {
  readonly a: ReadonlyArray<Elements>
  readonly b: ReadonlyArray<Elements>
}

const scalesOf = (
  h: Here,
  o: Of<'tcgen05Mma'>,
  { d, m, n, k }: Product,
  own: number,
): ScalePlaces | FaultValue => {
  const { scales } = o
  if (scales === null || d._tag !== 'scaled') return { a: [], b: [] }
  const plane = tensorPlane(h)
  const rows = m / o.group
  const halves = o.group === 2 && rows === halfOfLanes
  const count = storedOf(o, k) / scales.block
  const side = (
    what: string,
    address: TensorAddress,
    of: number,
    id: number,
    isHalved: boolean,
    lanes: ReadonlyArray<number>,
  ): ReadonlyArray<Elements> | FaultValue => {
    const there = cellAt(h, `${what}: the address`, address, own)
    if ('code' in there) return there
    // the two highest bits name a byte again, which the instruction descriptor has
    const at: Cell = { lane: there.lane % 16384, column: there.column }
    const wrong =
      first(what, at, [0]) ??
      inside(what, at, 1, Math.ceil((isHalved ? of / 2 : of) / tmemQuarterLanes)) ??
      (id + count > 4
        ? V.fault('instruction.scale', `${what}: ${String(count)} scales from byte ${String(id)} of a word`)
        : null)
    if (wrong !== null) return wrong
    return lanes.map((lane) =>
      scalesAt(h, plane, d.scale, byteOf(at) + lane * tmemLaneBytes, of, count, id, isHalved),
    )
  }
  const a = side('tcgen05.mma: the scales of A', scales.a, rows, d.scaleIdA, false, quarters)
  if ('code' in a) return a
  const b = side(
    'tcgen05.mma: the scales of B',
    scales.b,
    n,
    d.scaleIdB,
    halves,
    halves ? quarters.slice(0, 2) : quarters,
  )
  return 'code' in b ? b : { a, b }
}

/** The words of a sparse A: a line of them in each lane. Where an instruction has one word of a lane, its selector says which of two neighbours. */
const metadataOf = (
  h: Here,
  o: Of<'tcgen05Mma'>,
  { d, m, k }: Product,
  own: number,
): Elements | FaultValue | null => {
  if (o.sparsity === null) return null
  const what = 'tcgen05.mma: the sparsity metadata'
  const at = cellAt(h, `${what}: the address`, o.sparsity, own)
  if ('code' in at) return at
  const [rows, words] = [m / o.group, k / kOfWord(d.a)]
  const selector = d.sparsitySelector
  if (selector * words >= 2)
    return V.fault(
      'instruction.modifier',
      `${what}: selector ${String(selector)} of ${String(words)} ${words === 1 ? 'word' : 'words'} a lane: the manual gives ${words === 1 ? '0 and 1' : '0'}`,
    )
  const addresses = new Int32Array(rows * words)
  for (let lane = 0; lane < rows; lane++)
    for (let w = 0; w < words; w++)
      addresses[lane * words + w] = byteOf(at) + metadataByte(lane, selector + w)
  return (
    first(what, at, [0]) ??
    inside(what, at, 1, selector + words) ??
    scattered(h, tensorPlane(h), 'u32', [rows, words], addresses)
  )
}

const product = (h: Here, o: Of<'tcgen05Mma'>, own: number): Prepared | FaultValue => {
  const pair = checkGroup(h, 'tcgen05.mma', o.group)
  if (pair !== null) return pair
  if ((h.rows.unknownPredicates[o.accumulates.predicate]! & own) !== 0)
    return V.fault('I1', 'tcgen05.mma: enable-input-d comes from unwritten registers or memory')
  const accumulates = holding(h.rows, o.accumulates.predicate, o.accumulates.negated, own) !== 0
  const of = productOf(h, o, own)
  if ('code' in of) return of
  const { d, m, n, k, types } = of
  if (o.shift !== 0 && o.kind !== 'f16' && o.kind !== 'tf32')
    return V.fault(
      'instruction.modifier',
      `tcgen05.mma: scale-input-d is of the kinds f16 and tf32, found ${o.kind}`,
    )
  const rows = m / o.group
  const isSparse = o.sparsity !== null
  const id = accumulatorIdOf(
    m,
    o.weightStationary ? 'ws' : o.group === 1 ? 'one' : isSparse ? 'pair-sparse' : 'pair',
  )
  const layout = id === null ? null : accumulator(id, n)
  if (layout === null || E.isLeft(layout))
    return V.fault('instruction.shape', `tcgen05.mma: no data path has ${String(m)} rows by ${String(n)}`)
  const at = cellAt(h, 'tcgen05.mma: the address of D', o.d, own)
  if ('code' in at) return at
  const acc = types.acc === 'f16' || types.acc === 'i32' ? types.acc : 'f32'
  const columns = columnsOf(layout.right)
  const wrong =
    first('tcgen05.mma: D', at, id === 'F' || id === 'C' ? [0, 16] : [0]) ??
    inside('tcgen05.mma: D', at, 1, columns)
  if (wrong !== null) return wrong
  const masked = unmasked(h, o, own)
  if (masked !== null) return masked
  const disabled = disabledOf(h, o, own)
  if ('code' in disabled) return disabled
  const a = leftOf(h, o, of, own)
  if ('code' in a) return a
  const word = wordsOf(h, 'tcgen05.mma: the descriptor of B', o.b, own)
  if (typeof word !== 'bigint') return word
  const b = described(h, o, 'tcgen05.mma: B', word, {
    mn: n / o.group,
    k,
    dtype: d.b,
    major: d.transposeB ? 'mn' : 'k',
    padded: isPadded(d, d.b),
    rows: 'k',
  })
  if ('code' in b) return b
  const scales = scalesOf(h, o, of, own)
  if ('code' in scales) return scales
  const sparsity = metadataOf(h, o, of, own)
  if (sparsity !== null && 'code' in sparsity) return sparsity
  const plane = tensorPlane(h)
  const ctas = ctasOf(h, o.group)
  const ref = accumulatorRef(layout.right, acc === 'f16' ? 16 : 32)
  const places = (es: ReadonlyArray<Elements>, to: number): ReadonlyArray<Elements> =>
    es.map((e) => inPlane(h, e, to))
  const shares = ctas.map((to, cta): Share => ({
    a: places(a, to),
    accumulator: accumulatorAt(
      h,
      plane + to * h.world.planesPerCta,
      acc,
      ref,
      byteOf(at),
      disabled[cta] ?? [],
    ),
    scaleA: places(scales.a, to),
    scaleB: places(scales.b, to),
    sparsity: sparsity === null ? null : inPlane(h, sparsity, to),
  }))
  const made: Prepared = {
    _tag: 'tcgen05.mma',
    shares,
    b: ctas.flatMap((to) => places([b], to)),
    types,
    scaling: scalingOf(d, o.scales),
    m: rows,
    n,
    k,
    accumulates,
    ctaGroup: o.group,
    pipe: pipeOf(ofRef(h, plane, acc, ref, byteOf(at)), o.kind, isSparse, o.weightStationary),
    completions: [],
  }
  const signed =
    d.negateA || d.negateB ? Object.assign({ negates: { a: d.negateA, b: d.negateB } }, made) : made
  return o.shift === 0 ? signed : Object.assign({ shift: o.shift }, signed)
}

// ---------------------------------------------------------------- copies and shifts

const copy = (h: Here, o: Of<'tcgen05Copy'>, own: number): Prepared | FaultValue => {
  const pair = checkGroup(h, 'tcgen05.cp', o.group)
  if (pair !== null) return pair
  const at = cellAt(h, 'tcgen05.cp: the address', o.into, own)
  if ('code' in at) return at
  const word = wordsOf(h, 'tcgen05.cp: the descriptor', o.from, own)
  if (typeof word !== 'bigint') return word
  const [rows, columns] = [copyRows(o.shape), copyColumns(o.shape)]
  const wrong = first('tcgen05.cp', at, [0]) ?? inside('tcgen05.cp', at, 1, columns)
  if (wrong !== null) return wrong
  const from = byDescriptor(h, 'tcgen05.cp', word, { major: 'k', bits: 8 })
  if (typeof from !== 'function') return from
  const addresses = new Int32Array(rows * columns)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) addresses[row * columns + column] = from(row, 4 * column)
  const outside = inShared(h, 'tcgen05.cp', addresses, 1, 4)
  if (outside !== null) return outside
  const source = scattered(h, h.shared, 'i32', [rows, columns], addresses)
  const plane = tensorPlane(h)
  const destination = (lanes: number, to: number): Elements =>
    scattered(
      h,
      plane + to * h.world.planesPerCta,
      'i32',
      [rows, columns],
      addresses.map((_, i) =>
        byteOf({
          lane: copyLanes(o.shape, Math.floor(i / columns))[0]! + lanes,
          column: at.column + (i % columns),
        }),
      ),
    )
  return {
    _tag: 'tcgen05.copy',
    entry: o.shape === '4x256b' ? 'cp.4x256b' : 'cp',
    moves: ctasOf(h, o.group).flatMap((to) => {
      const there = inPlane(h, source, to)
      return laneSteps(o.shape).map((lanes) => ({ source: there, destination: destination(lanes, to) }))
    }),
    bytes: 4 * rows * columns * o.group,
    ctaGroup: o.group,
  }
}

/** Columns of the rows that a shift moves. */
const shiftColumns = 8

const shift = (h: Here, o: Of<'tcgen05Shift'>, own: number): Prepared | FaultValue => {
  const pair = checkGroup(h, 'tcgen05.shift', o.group)
  if (pair !== null) return pair
  const at = cellAt(h, 'tcgen05.shift: the address', o.at, own)
  if ('code' in at) return at
  const wrong = first('tcgen05.shift', at, quarters) ?? inside('tcgen05.shift', at, 1, shiftColumns)
  if (wrong !== null) return wrong
  const rows = tmemLanes - at.lane - 1
  const plane = tensorPlane(h)
  const places = (to: number, lanes: number): Elements =>
    scattered(
      h,
      plane + to * h.world.planesPerCta,
      'i32',
      [rows, shiftColumns],
      Int32Array.from({ length: rows * shiftColumns }, (_, i) =>
        byteOf({
          lane: at.lane + lanes + Math.floor(i / shiftColumns),
          column: at.column + (i % shiftColumns),
        }),
      ),
    )
  return {
    _tag: 'tcgen05.copy',
    entry: 'shift',
    moves: ctasOf(h, o.group).map((to) => ({ source: places(to, 0), destination: places(to, 1) })),
    bytes: 4 * rows * shiftColumns * o.group,
    ctaGroup: o.group,
  }
}

// ---------------------------------------------------------------- commits

const commit = (h: Here, o: Of<'tcgen05Commit'>, own: number): Prepared | FaultValue => {
  const pair = checkGroup(h, 'tcgen05.commit', o.group)
  if (pair !== null) return pair
  const met = barriersAt(h, o.barrier, own)
  if ('code' in met) return met
  const { barrier } = met[0]!
  if (o.multicast === null) return { _tag: 'tcgen05.commit', barriers: [barrier], ctaGroup: o.group }
  const word = operand(h, 'tcgen05.commit: the CTAs of a multicast', o.multicast, own)
  if (typeof word !== 'number') return word
  const mask = word & 0xffff
  if (mask >>> h.world.ctas !== 0)
    return V.fault(
      'I2',
      `tcgen05.commit: mask ${String(mask)} names a CTA outside of a cluster of ${String(h.world.ctas)}`,
    )
  return {
    _tag: 'tcgen05.commit',
    barriers: lanesOf(mask).map((cta) => barrierIn(h.world, barrier, cta)),
    ctaGroup: o.group,
  }
}

// ---------------------------------------------------------------- all of them

const eachLane = (mask: number, f: (own: number) => Prepared | FaultValue): Parts => {
  const out: Part[] = []
  for (const lane of lanesOf(mask)) {
    const p = f(1 << lane)
    if ('code' in p) return p
    out.push(part(p, nothing, 1 << lane))
  }
  return out
}

export const tcgen05 = (h: Here, o: Tcgen05Operation, mask: number): Parts => {
  switch (o._tag) {
    case 'tcgen05Alloc':
      return alloc(h, o, mask)
    case 'tcgen05Dealloc':
      return dealloc(h, o, mask)
    case 'tcgen05Relinquish':
      return (
        checkGroup(h, 'tcgen05.relinquish_alloc_permit', o.group) ?? [
          part({ _tag: 'tcgen05.relinquish' }, nothing),
        ]
      )
    case 'tcgen05Load':
      return load(h, o, mask)
    case 'tcgen05Store':
      return store(h, o, mask)
    case 'tcgen05Wait':
      return [
        part(
          {
            _tag: 'group.wait',
            family: o.of === 'ld' ? 'tcgen05Ld' : 'tcgen05St',
            pending: 0,
            read: false,
          },
          nothing,
        ),
      ]
    case 'tcgen05Copy':
      return eachLane(mask, (own) => copy(h, o, own))
    case 'tcgen05Shift':
      return eachLane(mask, (own) => shift(h, o, own))
    case 'tcgen05Mma':
      return eachLane(mask, (own) => product(h, o, own))
    case 'tcgen05Commit':
      return eachLane(mask, (own) => commit(h, o, own))
  }
}
