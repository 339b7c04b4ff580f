/**
 * Operands where an instruction stands: registers, immediates, special registers and addresses, as rows.
 *
 * Source: PTX ISA, operands; special registers; addresses as operands.
 */
import type {
  Address as Place,
  Given,
  Guard,
  Predicate,
  Row,
  Space,
} from '../../../semantics/warps/program.js'
import type { Address, Constant, Guard as TextGuard, Name, Operand, TypeName } from '../text/module.js'
import { constant, emit, given, newPredicate, newRows, refuse, type Emitter } from './emitter.js'
import { meaningOf, type Meaning, type Scope } from './names.js'
import { bitsOf, wordsOf } from './types.js'

export interface Here {
  readonly e: Emitter
  readonly scope: Scope
  readonly guard: Guard | null
  /** the opcode, split at its dots, and whole */
  readonly words: ReadonlyArray<string>
  readonly opcode: string
}

// ---------------------------------------------------------------- names

const declared =
  (e: Emitter) =>
  (type: TypeName): Meaning =>
    type === 'pred'
      ? { _tag: 'predicate', predicate: newPredicate(e) }
      : { _tag: 'rows', rows: newRows(e, wordsOf(type)), type }

export const meaning = (h: Here, name: string): Meaning | undefined => meaningOf(h.scope, name, declared(h.e))

const axes: ReadonlyMap<string, 0 | 1 | 2> = new Map([
  ['x', 0],
  ['y', 1],
  ['z', 2],
])

const axial: ReadonlyMap<
  string,
  'thread' | 'threads' | 'cta' | 'ctas' | 'cluster' | 'clusters' | 'ctaInCluster' | 'ctasInCluster'
> = new Map([
  ['%tid', 'thread'],
  ['%ntid', 'threads'],
  ['%ctaid', 'cta'],
  ['%nctaid', 'ctas'],
  ['%clusterid', 'cluster'],
  ['%nclusterid', 'clusters'],
  ['%cluster_ctaid', 'ctaInCluster'],
  ['%cluster_nctaid', 'ctasInCluster'],
] as const)

const plain: ReadonlyMap<string, Given> = new Map<string, Given>([
  ['%laneid', { _tag: 'lane' }],
  ['%warpid', { _tag: 'warp' }],
  ['%nwarpid', { _tag: 'warps' }],
  ['%cluster_ctarank', { _tag: 'ctaRank' }],
  ['%cluster_nctarank', { _tag: 'ctaRanks' }],
  ['%is_explicit_cluster', { _tag: 'explicitCluster' }],
  ['%lanemask_eq', { _tag: 'lanes', which: 'eq' }],
  ['%lanemask_lt', { _tag: 'lanes', which: 'lt' }],
  ['%lanemask_le', { _tag: 'lanes', which: 'le' }],
  ['%lanemask_gt', { _tag: 'lanes', which: 'gt' }],
  ['%lanemask_ge', { _tag: 'lanes', which: 'ge' }],
  ['%dynamic_smem_size', { _tag: 'sharedBytes', which: 'dynamic' }],
  ['%total_smem_size', { _tag: 'sharedBytes', which: 'all' }],
])

const unspecified: ReadonlySet<string> = new Set([
  '%smid',
  '%nsmid',
  '%gridid',
  '%clock',
  '%clock_hi',
  '%clock64',
  '%globaltimer',
  '%globaltimer_lo',
  '%globaltimer_hi',
  '%reserved_smem_offset_begin',
  '%reserved_smem_offset_end',
  '%reserved_smem_offset_cap',
])

/** The rows of a special register, if it is one; of 64 bits two. */
const special = (h: Here, { name, selector }: Name, words: number): ReadonlyArray<Row> | null => {
  const axis = selector === null ? undefined : axes.get(selector)
  const kind = axial.get(name)
  const first =
    kind !== undefined && axis !== undefined
      ? given(h.e, { _tag: kind, axis })
      : plain.has(name)
        ? given(h.e, plain.get(name)!)
        : unspecified.has(name)
          ? given(h.e, { _tag: 'unspecified', name })
          : null
  if (first === null) return null
  return words === 1
    ? [first]
    : [first, ...Array.from({ length: words - 1 }, () => (unspecified.has(name) ? first : constant(h.e, 0)))]
}

// ---------------------------------------------------------------- immediates

const single = new Float32Array(1)
const singleWord = new Int32Array(single.buffer)
const double = new BigUint64Array(1)
const doubleValue = new Float64Array(double.buffer)

/** The words of a constant of a type, the lowest first. */
export const wordsOfConstant = (c: Constant, type: string): ReadonlyArray<number> => {
  const words = wordsOf(type)
  let bits: bigint
  if (c._tag === 'integer')
    bits =
      type === 'f64'
        ? patternOfDouble(Number(c.value))
        : type === 'f32'
          ? BigInt(patternOfSingle(Number(c.value)) >>> 0)
          : c.value
  else if (c.width === 64 && type === 'f32') {
    double[0] = c.bits
    bits = BigInt(patternOfSingle(doubleValue[0]!) >>> 0)
  } else bits = c.bits
  const narrow = bitsOf(type) < 32 ? BigInt.asUintN(bitsOf(type), bits) : bits
  return Array.from({ length: words }, (_, k) => Number(BigInt.asIntN(32, narrow >> BigInt(32 * k))))
}

const patternOfSingle = (x: number): number => {
  single[0] = x
  return singleWord[0]!
}
const patternOfDouble = (x: number): bigint => {
  doubleValue[0] = x
  return double[0]!
}

// ---------------------------------------------------------------- operands

export const showOperand = (o: Operand | undefined): string =>
  o === undefined
    ? 'nothing'
    : o._tag === 'name'
      ? o.name
      : o._tag === 'integer' || o._tag === 'float'
        ? o.text
        : `a ${o._tag}`

const wrong = (h: Here, expected: string, o: Operand | undefined): void => {
  refuse(h.e, 'ptx.operand', `${h.opcode}: ${expected}`, showOperand(o))
}

/** The address of a symbol as words: in its own state space, with zeros above. */
const symbolRows = (h: Here, m: Meaning, offset: number, words: number): ReadonlyArray<Row> | null => {
  switch (m._tag) {
    case 'shared':
      return padded(h, given(h.e, { _tag: 'sharedAddress', offset: m.offset + offset }), words)
    case 'dynamic':
      return padded(h, given(h.e, { _tag: 'dynamicAddress', offset }), words)
    case 'local':
      return padded(h, constant(h.e, m.offset + offset), words)
    case 'parameter':
      return padded(h, constant(h.e, m.offset + offset), words)
    case 'global':
    case 'const':
      return Array.from({ length: words }, (_, k) =>
        k > 1
          ? constant(h.e, 0)
          : given(h.e, { _tag: 'globalAddress', symbol: m.symbol, offset, word: k === 0 ? 0 : 1 }),
      )
    default:
      return null
  }
}
const padded = (h: Here, low: Row, words: number): ReadonlyArray<Row> => [
  low,
  ...Array.from({ length: words - 1 }, () => constant(h.e, 0)),
]

/** The rows that an operand is read from, as a value of a type. */
export const source = (h: Here, o: Operand | undefined, type: string): ReadonlyArray<Row> => {
  const words = wordsOf(type)
  if (o?._tag === 'integer' || o?._tag === 'float')
    return wordsOfConstant(o, type).map((word) => constant(h.e, word))
  if (o?._tag === 'name') {
    if (o.name === 'WARP_SZ') return padded(h, constant(h.e, 32), words)
    const there = special(h, o, words)
    if (there !== null) return there
    const m = meaning(h, o.name)
    if (m?._tag === 'rows') {
      if (m.rows.length >= words) return m.rows.slice(0, words)
      wrong(h, `a register of ${String(bitsOf(type))} bits`, o)
      return padded(h, constant(h.e, 0), words)
    }
    const address = m === undefined ? null : symbolRows(h, m, o.offset, words)
    if (address !== null) return address
    if (m === undefined) {
      refuse(h.e, 'ptx.name', 'a name that is declared', o.name)
      return padded(h, constant(h.e, 0), words)
    }
  }
  wrong(h, `a value of type ${type}`, o)
  return padded(h, constant(h.e, 0), words)
}

/** The rows of a destination; those of a sink are read by nothing. */
export const target = (h: Here, o: Operand | undefined, type: string): ReadonlyArray<Row> => {
  const words = wordsOf(type)
  if (o?._tag === 'sink') return newRows(h.e, words)
  if (o?._tag === 'name') {
    const m = meaning(h, o.name)
    if (m?._tag === 'rows') {
      if (m.rows.length >= words) return m.rows
      wrong(h, `a register of ${String(bitsOf(type))} bits`, o)
      return newRows(h.e, words)
    }
    if (m === undefined) {
      refuse(h.e, 'ptx.name', 'a register that is declared', o.name)
      return newRows(h.e, words)
    }
  }
  wrong(h, `a register of type ${type}`, o)
  return newRows(h.e, words)
}

export const predicateTarget = (h: Here, o: Operand | undefined): Predicate => {
  if (o?._tag === 'sink') return newPredicate(h.e)
  const m = o?._tag === 'name' ? meaning(h, o.name) : undefined
  if (m?._tag === 'predicate') return m.predicate
  wrong(h, 'a predicate', o)
  return newPredicate(h.e)
}

/** A predicate that is read; a constant is one that is set right before. */
export const predicateSource = (h: Here, o: Operand | undefined): Guard => {
  if (o?._tag === 'integer') {
    const predicate = newPredicate(h.e)
    emit(h.e, { _tag: 'setPredicate', to: predicate, value: o.value !== 0n }, null)
    return { predicate, negated: false }
  }
  const name = o?._tag === 'not' ? o.of : o
  const m = name?._tag === 'name' ? meaning(h, name.name) : undefined
  if (m?._tag === 'predicate') return { predicate: m.predicate, negated: o?._tag === 'not' }
  wrong(h, 'a predicate', o)
  return { predicate: newPredicate(h.e), negated: false }
}

/** A predicate that is read as it is: a negated one is turned first. */
export const plainPredicate = (h: Here, o: Operand | undefined): Predicate => {
  const g = predicateSource(h, o)
  if (!g.negated) return g.predicate
  const turned = newPredicate(h.e)
  emit(h.e, { _tag: 'predicate', op: 'mov', to: turned, from: [g] }, null)
  return turned
}

export const guardOf = (h: Here, g: TextGuard | null): Guard | null => {
  if (g === null) return null
  const m = meaning(h, g.name)
  if (m?._tag === 'predicate') return { predicate: m.predicate, negated: g.negated }
  refuse(h.e, m === undefined ? 'ptx.name' : 'ptx.operand', 'a predicate that is declared', g.name)
  return null
}

// ---------------------------------------------------------------- addresses

/** `[base+offset]` in a space. */
export const place = (h: Here, o: Operand | undefined, space: Space): Place => {
  const nowhere: Place = { space, rows: [constant(h.e, 0)], offset: 0 }
  if (o?._tag !== 'address') {
    wrong(h, 'an address in brackets', o)
    return nowhere
  }
  return placeOf(h, o, space)
}

const placeOf = (h: Here, { base, offset }: Address, space: Space): Place => {
  if (base === null) return { space, rows: absolute(h, offset, space), offset: 0 }
  const m = meaning(h, base.name)
  const behind = offset + base.offset
  if (m === undefined) {
    refuse(h.e, 'ptx.name', 'a register or a variable that is declared', base.name)
    return { space, rows: [constant(h.e, 0)], offset: 0 }
  }
  if (m._tag === 'rows') {
    const wide = space === 'global' || space === 'generic' || space === 'const'
    if (wide && m.rows.length < 2) {
      wrong(h, 'an address of 64 bits', base)
      return { space, rows: [m.rows[0]!, constant(h.e, 0)], offset: behind }
    }
    return { space, rows: m.rows.slice(0, wide ? 2 : 1), offset: behind }
  }
  if (m._tag === 'parameter' && (space === 'param' || space === 'generic'))
    return { space: 'param', rows: [], offset: m.offset + behind }
  // parameters of calls lie in local memory
  if (m._tag === 'local') return { space: 'local', rows: [], offset: m.offset + behind }
  const rows = symbolRows(h, m, 0, space === 'shared' ? 1 : 2)
  if (rows !== null && (m._tag === 'shared' || m._tag === 'dynamic'))
    return { space: 'shared', rows: rows.slice(0, 1), offset: behind }
  if (rows !== null) return { space: space === 'generic' ? 'global' : space, rows, offset: behind }
  wrong(h, 'a register or a variable in memory', base)
  return { space, rows: [constant(h.e, 0)], offset: 0 }
}

const absolute = (h: Here, at: number, space: Space): ReadonlyArray<Row> =>
  space === 'global' || space === 'generic' || space === 'const'
    ? [constant(h.e, at), constant(h.e, Math.floor(at / 4294967296))]
    : [constant(h.e, at)]
