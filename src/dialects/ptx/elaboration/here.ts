/**
 * Operands where an instruction stands: registers, immediates, special registers and addresses, as rows.
 *
 * What an instruction is, its row of the table says (`opcodes/resolve.ts`): its modifiers by the names of their slots, its operands by the names of the
 * row. Here they become numbers.
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
import type { Form, Modifiers } from '../opcodes/form.js'
import type { Resolved, Value } from '../opcodes/resolve.js'
import type { Register, Symbol } from '../opcodes/scope.js'
import { functionWindow } from './functions.js'
import { constant, emit, given, newPredicate, newRows, refuse, type Emitter } from './emitter.js'
import { placeOfSymbol, type Storage } from './storage.js'
import { bitsOf, wordsOf } from './types.js'

export interface Names {
  readonly storage: Storage
  readonly rows: Map<Register, ReadonlyArray<Row>>
  readonly predicates: Map<Register, Predicate>
  /** what `.cc` writes and `addc` reads, once it occurs */
  carry: Predicate | null
}

export interface Here {
  readonly e: Emitter
  readonly names: Names
  readonly guard: Guard | null
  readonly form: Form
  readonly modifiers: Modifiers
  readonly operands: Readonly<Record<string, Value>>
  readonly opcode: string
  /** it is the test of a loop that does nothing else until the test says yes */
  readonly spins: boolean
}

/** A family of instructions: what each does here, by the name of its row. */
export type Elaborations = Readonly<Record<string, (h: Here) => void>>

// ---------------------------------------------------------------- registers

const rowsOf = (e: Emitter, names: Names, r: Register): ReadonlyArray<Row> => {
  const known = names.rows.get(r)
  if (known !== undefined) return known
  const made = newRows(e, wordsOf(r.type))
  names.rows.set(r, made)
  return made
}

const predicateOf = (e: Emitter, names: Names, r: Register): Predicate => {
  const known = names.predicates.get(r)
  if (known !== undefined) return known
  const made = newPredicate(e)
  names.predicates.set(r, made)
  return made
}

export const guardOf = (e: Emitter, names: Names, g: Resolved['guard']): Guard | null =>
  g === null ? null : { predicate: predicateOf(e, names, g.register), negated: g.negated }

// ---------------------------------------------------------------- special registers

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
  '%warpid',
  '%smid',
  '%nsmid',
  '%gridid',
  '%clock',
  '%clock_hi',
  '%clock64',
  '%globaltimer',
  '%globaltimer_lo',
  '%globaltimer_hi',
  '%aggr_smem_size',
  '%current_graph_exec',
  ...Array.from({ length: 32 }, (_, k) => `%envreg${String(k)}`).filter(
    (name) => name !== '%envreg1' && name !== '%envreg2',
  ),
  ...Array.from({ length: 8 }, (_, k) => `%pm${String(k)}`),
  ...Array.from({ length: 8 }, (_, k) => `%pm${String(k)}_64`),
])

/** What an H100 keeps of shared memory for itself, and where in it that begins which CUDA's headers use. */
const numbers: ReadonlyMap<string, number> = new Map([
  ['%reserved_smem_offset_begin', 0],
  ['%reserved_smem_offset_end', 288],
  ['%reserved_smem_offset_cap', 1024],
  ['%reserved_smem_offset_0', 0],
  ['%reserved_smem_offset_1', 0],
])

/** The words of the address of what the driver has ready for a grid that is launched to wait for all of itself. */
const ofWorkspace: ReadonlyMap<string, 0 | 1> = new Map([
  ['%envreg2', 0],
  ['%envreg1', 1],
])
const workspace = (h: Here, word: 0 | 1): Row => {
  const { variables } = h.names.storage
  const symbol = '%grid_workspace'
  if (!variables.some((v) => v.symbol === symbol)) {
    const initial = new Uint8Array(64)
    initial[0] = 16
    initial[8] = 1
    variables.push({ symbol, space: 'global', managed: false, bytes: 64, align: 16, initial, addresses: [] })
  }
  return given(h.e, { _tag: 'globalAddress', symbol, offset: 0, word })
}

/** The rows of a special register, if it is one that is known; of 64 bits two. */
const special = (h: Here, name: string, words: number): ReadonlyArray<Row> | null => {
  if (numbers.has(name)) h.names.storage.reserved = true
  const dot = name.indexOf('.')
  const axis = dot < 0 ? undefined : axes.get(name.slice(dot + 1))
  const kind = dot < 0 ? undefined : axial.get(name.slice(0, dot))
  const first =
    kind !== undefined && axis !== undefined
      ? given(h.e, { _tag: kind, axis })
      : plain.has(name)
        ? given(h.e, plain.get(name)!)
        : unspecified.has(name)
          ? given(h.e, { _tag: 'unspecified', name, word: 0 })
          : numbers.has(name)
            ? constant(h.e, numbers.get(name)!)
            : kind !== undefined && name.endsWith('.w')
              ? // nothing has a fourth extent: 0 of all of them, on an H100 too
                constant(h.e, 0)
              : ofWorkspace.has(name)
                ? workspace(h, ofWorkspace.get(name)!)
                : null
  if (first === null) return null
  return words === 1
    ? [first]
    : [
        first,
        ...Array.from({ length: words - 1 }, () =>
          unspecified.has(name) ? given(h.e, { _tag: 'unspecified', name, word: 1 }) : constant(h.e, 0),
        ),
      ]
}

// ---------------------------------------------------------------- values

const showValue = (v: Value | undefined): string =>
  v === undefined
    ? 'nothing'
    : v._tag === 'register' || v._tag === 'special' || v._tag === 'label'
      ? v.name
      : v._tag === 'immediate'
        ? String(v.bits)
        : v._tag === 'symbol'
          ? v.symbol.name
          : `a ${v._tag}`

const wrong = (h: Here, expected: string, v: Value | undefined): void => {
  refuse(h.e, 'ptx.operand', `${h.opcode}: ${expected}`, showValue(v))
}

const padded = (h: Here, low: Row, words: number): ReadonlyArray<Row> => [
  low,
  ...Array.from({ length: words - 1 }, () => constant(h.e, 0)),
]

/** The address of a symbol as words: in its own state space, with zeros above. */
const symbolRows = (h: Here, symbol: Symbol, offset: number, words: number): ReadonlyArray<Row> | null => {
  if (symbol._tag === 'function') {
    const code = h.names.storage.functions.addresses.get(symbol.name)
    if (code === undefined) return null
    const low = padded(h, constant(h.e, code + offset), words)
    return words < 2 ? low : [low[0]!, constant(h.e, functionWindow), ...low.slice(2)]
  }
  const there = placeOfSymbol(h.names.storage, symbol)
  if (there === null) return null
  switch (there._tag) {
    case 'shared':
      return padded(
        h,
        given(h.e, {
          _tag: 'sharedAddress',
          offset: there.offset + offset,
          of: there.offset,
        }),
        words,
      )
    case 'dynamic':
      return padded(h, given(h.e, { _tag: 'dynamicAddress', offset }), words)
    case 'local':
    case 'parameter':
      return padded(h, constant(h.e, there.offset + offset), words)
    case 'global':
    case 'const':
      return Array.from({ length: words }, (_, k) =>
        k > 1
          ? constant(h.e, 0)
          : given(h.e, { _tag: 'globalAddress', symbol: there.symbol, offset, word: k === 0 ? 0 : 1 }),
      )
  }
}

/** The items of a vector, or the one value that stands in its place. */
export const itemsOf = (v: Value | undefined): ReadonlyArray<Value | undefined> =>
  v?._tag === 'vector' ? v.items : [v]

/** The number that a constant operand is, by its sign. */
export const constantOf = (h: Here, v: Value | undefined): number => {
  if (v?._tag === 'immediate') return Number(BigInt.asIntN(64, v.bits))
  wrong(h, 'a constant', v)
  return 0
}

/** The rows that an operand is read from, as a value of a type. */
export const source = (h: Here, v: Value | undefined, type: string): ReadonlyArray<Row> => {
  const words = wordsOf(type)
  switch (v?._tag) {
    case 'immediate': {
      const bits = bitsOf(type) < 32 ? BigInt.asUintN(bitsOf(type), v.bits) : v.bits
      return Array.from({ length: words }, (_, k) =>
        constant(h.e, Number(BigInt.asIntN(32, bits >> BigInt(32 * k)))),
      )
    }
    case 'special': {
      const there = special(h, v.name, words)
      if (there !== null) return there
      break
    }
    case 'register':
      if (v.type !== 'pred') {
        const rows = rowsOf(h.e, h.names, v)
        if (rows.length >= words) return rows.slice(0, words)
        wrong(h, `a register of ${String(bitsOf(type))} bits`, v)
        return padded(h, constant(h.e, 0), words)
      }
      break
    case 'symbol': {
      const address = symbolRows(h, v.symbol, v.offset, words)
      if (address !== null) return address
      break
    }
    default:
      break
  }
  wrong(h, `a value of type ${type} that is supported`, v)
  return padded(h, constant(h.e, 0), words)
}

/** The rows of a destination, all of its register; those of a sink are read by nothing. */
export const target = (h: Here, v: Value | undefined, type: string): ReadonlyArray<Row> => {
  if (v?._tag === 'register' && v.type !== 'pred') return rowsOf(h.e, h.names, v)
  if (v?._tag !== 'sink') wrong(h, `a register of type ${type}`, v)
  return newRows(h.e, wordsOf(type))
}

export const predicateTarget = (h: Here, v: Value | undefined): Predicate => {
  if (v?._tag === 'register' && v.type === 'pred') return predicateOf(h.e, h.names, v)
  if (v?._tag !== 'sink') wrong(h, 'a predicate', v)
  return newPredicate(h.e)
}

/** A predicate that is read; a constant is one that is set right before. */
export const predicateSource = (h: Here, v: Value | undefined): Guard => {
  const of = v?._tag === 'predicate' ? v.of : v
  if (of?._tag === 'immediate') {
    const predicate = newPredicate(h.e)
    emit(h.e, { _tag: 'setPredicate', to: predicate, value: of.bits !== 0n }, null)
    return { predicate, negated: false }
  }
  if (of?._tag === 'register' && of.type === 'pred')
    return { predicate: predicateOf(h.e, h.names, of), negated: v?._tag === 'predicate' && v.negated }
  wrong(h, 'a predicate', v)
  return { predicate: newPredicate(h.e), negated: false }
}

/** A predicate that is read as it is: a negated one is turned first. */
export const plainPredicate = (h: Here, v: Value | undefined): Predicate => {
  const g = predicateSource(h, v)
  if (!g.negated) return g.predicate
  const turned = newPredicate(h.e)
  emit(h.e, { _tag: 'predicate', op: 'mov', to: turned, from: [g] }, null)
  return turned
}

// ---------------------------------------------------------------- addresses

const isWide = (space: Space): boolean => space === 'global' || space === 'generic' || space === 'const'

/** `[base+offset]` in a space. */
export const place = (h: Here, v: Value | undefined, space: Space): Place => {
  if (v?._tag !== 'address') {
    wrong(h, 'an address in brackets', v)
    return { space, rows: [constant(h.e, 0)], offset: 0 }
  }
  const { base, offset } = v
  if (base === null)
    return {
      space,
      rows: isWide(space)
        ? [constant(h.e, offset), constant(h.e, Math.floor(offset / 4294967296))]
        : [constant(h.e, offset)],
      offset: 0,
    }
  if (base._tag === 'register') {
    const rows = rowsOf(h.e, h.names, base)
    if (isWide(space) && rows.length < 2) {
      wrong(h, 'an address of 64 bits', base)
      return { space, rows: [rows[0]!, constant(h.e, 0)], offset }
    }
    return { space, rows: rows.slice(0, isWide(space) ? 2 : 1), offset }
  }
  const there = placeOfSymbol(h.names.storage, base)
  if (there?._tag === 'parameter' && (space === 'param' || space === 'generic'))
    return { space: 'param', rows: [], offset: there.offset + offset }
  // parameters of calls lie in local memory
  if (there?._tag === 'local') return { space: 'local', rows: [], offset: there.offset + offset }
  const rows = symbolRows(h, base, 0, space === 'shared' || space === 'sharedCluster' ? 1 : 2)
  if (rows !== null && (there?._tag === 'shared' || there?._tag === 'dynamic'))
    return { space: 'shared', rows: rows.slice(0, 1), offset }
  if (rows !== null) return { space: space === 'generic' ? 'global' : space, rows, offset }
  refuse(h.e, 'ptx.operand', `${h.opcode}: a register or a variable in memory`, base.name)
  return { space, rows: [constant(h.e, 0)], offset: 0 }
}
