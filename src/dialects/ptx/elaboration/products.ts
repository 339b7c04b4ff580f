/**
 * Products of one warp: mma, mma.sp, wmma.load, wmma.mma, wmma.store.
 *
 * A fragment of wmma is loaded as its lanes load: of each register the lane's own elements, in one access where they lie together in memory, else one by
 * one. Where that is, the layout says (`semantics/warps/fragments.ts`): the address, plus the stride times the row or column that the lane has.
 *
 *     wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {8 registers}, [p], 16     8 loads of 4 bytes
 *     wmma.load.a.sync.aligned.col.m16n16k16.global.f16 {8 registers}, [p], 16     16 loads of 2 bytes
 *
 * Source: PTX ISA, warp level matrix instructions.
 */
import * as O from 'fp-ts/lib/Option.js'
import {
  warpAccumulators,
  warpElementBits,
  warpInputs,
  warpMma,
  warpSparse,
  type WarpAccumulator,
  type WarpInput,
  type WarpProduct,
} from '../../../numerics/warp-product.js'
import { directions } from '../../../numerics/scalar/binary32.js'
import { along, fragmentOf, type Fragment, type Step } from '../../../semantics/warps/fragments.js'
import type { Address, Row } from '../../../semantics/warps/program.js'
import type { Value } from '../opcodes/resolve.js'
import { constant, emit, given, newRow, refuse, scalar } from './emitter.js'
import { constantOf, itemsOf, place, source, target, type Elaborations, type Here } from './here.js'
import { spaceNamed } from './memory.js'

// ---------------------------------------------------------------- what the modifiers say

const inputNamed = (word: string | undefined): WarpInput | null =>
  warpInputs.find((type) => type === word) ?? null
const accumulatorNamed = (word: string | undefined): WarpAccumulator | null =>
  warpAccumulators.find((type) => type === word) ?? null

const layoutNamed = (word: string | undefined): 'row' | 'col' => (word === 'col' ? 'col' : 'row')

const shapeNamed = (word: string | undefined): WarpProduct['shape'] => {
  const [m = 0, n = 0, k = 0] = (word?.match(/\d+/gu) ?? []).map(Number)
  return { m, n, k }
}

/** The product of an instruction; null: it is refused. */
const productOf = (h: Here): WarpProduct | null => {
  const { modifiers: m } = h
  const both = m['types']?.split('.')
  const a = inputNamed(m['atype'] ?? both?.[0] ?? 'f16')
  const b = inputNamed(m['btype'] ?? both?.[1] ?? 'f16')
  const d = accumulatorNamed(m['dtype'])
  const c = accumulatorNamed(m['ctype'] ?? m['dtype'])
  const isMma = h.form.base === 'mma'
  const product: WarpProduct | null =
    a === null || b === null || c === null || d === null
      ? null
      : {
          instruction: isMma ? 'mma' : 'wmma',
          shape: shapeNamed(m['shape']),
          products: isMma && m['shape'] === 'm8n8k4' && a === 'f16' ? 4 : 1,
          a,
          b,
          c,
          d,
          saturate: m['satfinite'] !== undefined,
          counts: m['op'] === 'xor' || m['op'] === 'and' ? m['op'] : null,
          rounding: directions.find((way) => way === m['rnd']) ?? 'rn',
        }
  const isMade = (p: WarpProduct): boolean =>
    m['sp'] === undefined ? O.isSome(warpMma(p)) : O.isSome(warpSparse(p))
  if (product !== null && isMade(product)) return product
  refuse(h.e, 'ptx.opcode', 'a product of a warp that is supported', h.opcode)
  return null
}

const registersOf = (type: WarpInput | WarpAccumulator): string => (type === 'f64' ? 'f64' : 'b32')

const sources = (h: Here, v: Value | undefined, type: WarpInput | WarpAccumulator): ReadonlyArray<Row> =>
  itemsOf(v).flatMap((item) => source(h, item, registersOf(type)))
const targets = (h: Here, v: Value | undefined, type: WarpInput | WarpAccumulator): ReadonlyArray<Row> =>
  itemsOf(v).flatMap((item) => target(h, item, registersOf(type)))

const multiply = (h: Here): void => {
  const product = productOf(h)
  if (product === null) return
  emit(
    h.e,
    {
      _tag: 'multiply',
      product,
      layouts: [layoutNamed(h.modifiers['alayout']), layoutNamed(h.modifiers['blayout'])],
      a: sources(h, h.operands['a'], product.a),
      b: sources(h, h.operands['b'], product.b),
      c: sources(h, h.operands['c'], product.c),
      d: targets(h, h.operands['d'], product.d),
      sparsity:
        h.operands['metadata'] === undefined
          ? null
          : {
              row: source(h, h.operands['metadata'], 'b32')[0]!,
              selector: constantOf(h, h.operands['selector']),
              order: h.modifiers['sp'] === 'sp' ? 'any' : 'ascending',
            },
    },
    h.guard,
  )
}

// ---------------------------------------------------------------- fragments in memory

/** A step as memory has it: so many strides, and so many elements that lie together. */
const inMemory = (
  [rows, columns]: Step,
  layout: 'row' | 'col',
): { readonly major: number; readonly minor: number } =>
  layout === 'row' ? { major: rows, minor: columns } : { major: columns, minor: rows }

/** A fragment in memory: where the lane's part of it begins, and how to go on from there. */
interface Laid {
  readonly fragment: Fragment
  readonly registers: number
  readonly layout: 'row' | 'col'
  /** of the element that comes so many strides behind the lane's first, the address */
  readonly at: (strides: number) => Address
}

/** A word times a constant. */
const times = (h: Here, x: Row, by: number): Row => {
  if (by === 1) return x
  const to = newRow(h.e)
  scalar(h.e, 'mul.lo.u32', [to], [x, constant(h.e, by)], h.guard)
  return to
}

/** An address, and a product of two words behind it. */
const behind = (h: Here, address: Address, x: Row, y: Row): Address => {
  const [low = 0, high] = address.rows
  if (high === undefined) {
    const to = newRow(h.e)
    scalar(h.e, 'mad.lo.u32', [to], [x, y, low], h.guard)
    return { space: address.space, rows: [to], offset: address.offset }
  }
  const to = [newRow(h.e), newRow(h.e)]
  scalar(h.e, 'mad.wide.u32', to, [x, y, low, high], h.guard)
  return { space: address.space, rows: to, offset: address.offset }
}

const laidOut = (h: Here, what: 'a' | 'b' | 'c' | 'd', registers: number): Laid | null => {
  const { modifiers: m } = h
  const type = m['type']
  const input = inputNamed(type)
  const accumulator = accumulatorNamed(type)
  const isInput = what === 'a' || what === 'b'
  if ((isInput ? input : accumulator) === null) {
    refuse(h.e, 'ptx.opcode', 'a fragment of a type that is supported', h.opcode)
    return null
  }
  const product: WarpProduct = {
    instruction: 'wmma',
    shape: shapeNamed(m['shape']),
    products: 1,
    a: input ?? 'f16',
    b: input ?? 'f16',
    c: accumulator ?? 'f32',
    d: accumulator ?? 'f32',
    saturate: false,
    counts: null,
    rounding: 'rn',
  }
  const layout = layoutNamed(m['layout'])
  const fragment = fragmentOf(what, product, ['row', 'col'], registers)
  const base = place(h, h.operands['a'], spaceNamed(m['space']))
  if (base.rows.length === 0) {
    refuse(h.e, 'ptx.operand', `${h.opcode}: an address in global or shared memory`, 'a parameter')
    return null
  }
  const given0 = h.operands['stride']
  const stride =
    given0 === undefined
      ? constant(h.e, layout === 'row' ? fragment.columns : fragment.rows)
      : source(h, given0, 'u32')[0]!
  emit(
    h.e,
    {
      _tag: 'wholeWarp',
      what: h.form.base,
      alike: [
        ...base.rows.map((row) => ({ row, what: `${h.form.base}: the address` })),
        { row: stride, what: `${h.form.base}: the stride` },
      ],
    },
    h.guard,
  )
  // bytes from one row (or column) to the next; elements of less than a byte come in whole bytes
  const bits = warpElementBits(product[what])
  let pitch = stride
  if (bits >= 8) pitch = times(h, stride, bits / 8)
  else {
    pitch = newRow(h.e)
    scalar(h.e, 'shr.u32', [pitch], [stride, constant(h.e, Math.log2(8 / bits))], h.guard)
  }
  // the lane's own first element: the two low bits of its number go one way, the three high ones the other
  const lane = given(h.e, { _tag: 'lane' })
  const low = newRow(h.e)
  scalar(h.e, 'and.b32', [low], [lane, constant(h.e, 3)], h.guard)
  const high = newRow(h.e)
  scalar(h.e, 'shr.u32', [high], [lane, constant(h.e, 2)], h.guard)
  const inner = inMemory(fragment.lanes[0]!, layout)
  const isMajor = inner.major !== 0
  const major = isMajor ? times(h, low, inner.major) : high
  const minor = isMajor ? times(h, high, bits / 8) : times(h, low, (inner.minor * bits) / 8)
  const first = behind(h, behind(h, base, minor, constant(h.e, 1)), major, pitch)
  const known = new Map<number, Address>([[0, first]])
  return {
    fragment,
    registers,
    layout,
    at: (strides) => {
      const there = known.get(strides)
      if (there !== undefined) return there
      const made = behind(h, first, constant(h.e, strides), pitch)
      known.set(strides, made)
      return made
    },
  }
}

const moved = (address: Address, bytes: number): Address => ({
  space: address.space,
  rows: address.rows,
  offset: address.offset + bytes,
})

/** The elements of a register, each where it lies: one access of the whole register where they lie together. */
const accessesOf = (
  { fragment, layout, at }: Laid,
  register: number,
): ReadonlyArray<{ readonly address: Address; readonly bytes: 1 | 2 | 4 | 8 }> => {
  const { bits, positions } = fragment
  const start = inMemory(along(fragment.registers, register), layout)
  const from = at(start.major)
  const offset = (start.minor * bits) / 8
  if (bits === 64) return [{ address: moved(from, offset), bytes: 8 }]
  if (positions.every((step) => inMemory(step, layout).major === 0))
    return [{ address: moved(from, offset), bytes: 4 }]
  // the elements of a register go one way: where they are strides apart, nothing else is between them
  return Array.from({ length: 32 / bits }, (_, position) => ({
    address: moved(at(start.major + inMemory(along(positions, position), layout).major), offset),
    bytes: bits === 8 ? 1 : 2,
  }))
}

const loadFragment = (h: Here): void => {
  const which = h.modifiers['which']
  const items = itemsOf(h.operands['d'])
  const laid = laidOut(h, which === 'b' ? 'b' : which === 'c' ? 'c' : 'a', items.length)
  if (laid === null) return
  const load = (from: Address, bytes: 1 | 2 | 4 | 8, to: ReadonlyArray<Row>): void => {
    emit(
      h.e,
      {
        _tag: 'load',
        from,
        width: { bytes, count: 1, signed: false },
        to: [to],
        ordering: 'weak',
        scope: 'gpu',
      },
      h.guard,
    )
  }
  // an address may stand in a register that is written: all addresses come first
  const accesses = items.map((_, register) => accessesOf(laid, register))
  items.forEach((item, register) => {
    const to = target(h, item, laid.fragment.bits === 64 ? 'f64' : 'b32')
    const parts = accesses[register]!
    if (parts.length === 1) {
      load(parts[0]!.address, parts[0]!.bytes, to)
      return
    }
    const pieces = parts.map(({ address, bytes }) => {
      const piece = newRow(h.e)
      load(address, bytes, [piece])
      return piece
    })
    emit(h.e, { _tag: 'pack', to: to[0]!, from: pieces, bits: parts[0]!.bytes === 1 ? 8 : 16 }, h.guard)
  })
}

const storeFragment = (h: Here): void => {
  const items = itemsOf(h.operands['b'])
  const laid = laidOut(h, 'd', items.length)
  if (laid === null) return
  const accesses = items.map((_, register) => accessesOf(laid, register))
  items.forEach((item, register) => {
    const from = source(h, item, laid.fragment.bits === 64 ? 'f64' : 'b32')
    const parts = accesses[register]!
    parts.forEach(({ address, bytes }, position) => {
      let value = from
      if (parts.length > 1) {
        const piece = newRow(h.e)
        // of the elements that are stored those of f16 alone have less than a word
        emit(h.e, { _tag: 'part', to: piece, from: from[0]!, at: 16 * position, bits: 16 }, h.guard)
        value = [piece]
      }
      emit(
        h.e,
        {
          _tag: 'store',
          into: address,
          width: { bytes, count: 1, signed: false },
          value: [value],
          ordering: 'weak',
          scope: 'gpu',
        },
        h.guard,
      )
    })
  })
}

export const products: Elaborations = {
  mma: multiply,
  'wmma.mma': multiply,
  'wmma.load': loadFragment,
  'wmma.store': storeFragment,
}
