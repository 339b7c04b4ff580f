/**
 * Signatures: what an instruction is made of, said once at run time.
 *
 * Types vanish at run time, so this table says again what `rows.ts` says to tsc: which fields of an
 * instruction are operands (expressions that an agent evaluates) and of what kind, which are attributes (part of the
 * instruction itself), and what it gives back. The codec, the JSON Schema, validation, linking and printing all read it;
 * none of them knows an instruction by name for these purposes.
 *
 *     tma.load   descriptor: descriptor   coords: i32 ...   destination: view in smem   barrier: barrier
 *                multicast?: i32          ctaGroup: 1 | 2                               results: none
 *     smem.load  source: view in smem                                                   results: tile like the source
 *
 * Laws
 * 1. The table has exactly the fields of each instruction, and of each operand exactly the kind that its type says: all of its spaces and dtypes,
 *    its rank, its discipline (tsc checks it, `KindOf`).
 * 2. `operandsOf` lists every expression of an instruction; `mapOperands(identity)` is the identity; mapping visits the
 *    same expressions in the same order.
 * 3. A result tile has no layout of its own: the binder that receives it chooses one.
 *
 * Source: PTX ISA 9, the operand lists of the instructions.
 */
import { copyShapes, type CopyShape } from '../../layouts/tensor-memory/copy-shape.js'
import type { Dtype } from '../../numerics/dtype.js'
import type { Expr, ExprNode } from './expression.js'
import { checked, type Indexed } from './index-types.js'
import type {
  AccumulatorDtype,
  Completion,
  Instruction,
  InstructionName,
  InstructionOf,
  ReduceKind,
} from './instruction.js'
import type {
  BarrierIndex,
  Contract,
  DescriptorIndex,
  PtrIndex,
  ScalarName,
  ScalarType,
  Space,
  TileIndex,
  Type,
  TypeIndex,
  ViewIndex,
} from './types.js'
import { descriptor, i1, i32, scalar, tile, token } from './types.js'

// ---------------------------------------------------------------- model

export type OperandKind =
  | { readonly _tag: 'scalar'; readonly dtype: ScalarName }
  | {
      readonly _tag: 'view'
      readonly spaces: ReadonlyArray<Space>
      readonly dtypes: ReadonlyArray<Dtype> | 'any'
      readonly rank: number | 'any'
    }
  | { readonly _tag: 'barrier'; readonly ordersTensorCore: boolean }
  | { readonly _tag: 'descriptor' }
  | { readonly _tag: 'ptr' }
  | {
      readonly _tag: 'tile'
      readonly element: ScalarName | 'scalar' | 'ptr'
      readonly rank: number | 'any'
    }

export interface OperandField<Optional extends boolean = boolean, K extends OperandKind = OperandKind> {
  readonly _tag: 'operand'
  readonly kind: K
  readonly optional: Optional
}
export interface OperandsField<K extends OperandKind = OperandKind> {
  readonly _tag: 'operands'
  readonly kind: K
}
/** The completions of an MMA: each a barrier that orders the tensor core, a predicate, perhaps a multicast mask. */
export interface CompletionsField {
  readonly _tag: 'completions'
}
export interface NatField {
  readonly _tag: 'nat'
}
export interface NatsField {
  readonly _tag: 'nats'
}
export interface BoolField<Optional extends boolean = boolean> {
  readonly _tag: 'bool'
  readonly optional: Optional
}
export interface DtypeField {
  readonly _tag: 'dtype'
}
export interface EnumField<T extends string | number = string | number> {
  readonly _tag: 'enum'
  readonly of: ReadonlyArray<T>
}
export type Field =
  OperandField | OperandsField | CompletionsField | NatField | NatsField | BoolField | DtypeField | EnumField

/** What an instruction gives back, as a function of its operands. */
export type ResultRule<F extends PropertyKey = string> =
  | { readonly _tag: 'scalar'; readonly dtype: ScalarName }
  /** a tile with the shape and elements of a view */
  | { readonly _tag: 'contents'; readonly of: F }
  /** a tile with the shape of a tile of pointers and the elements that they point to */
  | { readonly _tag: 'pointees'; readonly of: F }
  /** the descriptor that the attributes `dtype` and `rank` describe */
  | { readonly _tag: 'descriptor' }
  | { readonly _tag: 'token' }

/** All members of a union, each once, in any order. */
type EachOf<U, V = U> = [U] extends [never]
  ? readonly []
  : V extends U
    ? readonly [V, ...EachOf<Exclude<U, V>>]
    : never
type RankOf<R extends number> = number extends R ? 'any' : R

/** The kind that the index of an operand says. */
type KindOfIndex<I> = [I] extends [ScalarName]
  ? { readonly _tag: 'scalar'; readonly dtype: I }
  : [I] extends [PtrIndex]
    ? { readonly _tag: 'ptr' }
    : [I] extends [ViewIndex<infer S, infer D, infer R>]
      ? {
          readonly _tag: 'view'
          readonly spaces: EachOf<S>
          readonly dtypes: [Dtype] extends [D] ? 'any' : EachOf<D>
          readonly rank: RankOf<R>
        }
      : [I] extends [BarrierIndex<Contract, infer O>]
        ? { readonly _tag: 'barrier'; readonly ordersTensorCore: [O] extends [true] ? true : false }
        : [I] extends [DescriptorIndex]
          ? { readonly _tag: 'descriptor' }
          : [I] extends [TileIndex<infer E, infer R>]
            ? {
                readonly _tag: 'tile'
                readonly element: [E] extends [PtrIndex] ? 'ptr' : [ScalarName] extends [E] ? 'scalar' : E
                readonly rank: RankOf<R>
              }
            : never

/** The kind of an operand of this type. */
export type KindOf<T> = T extends Indexed<ExprNode, infer I extends TypeIndex> ? KindOfIndex<I> : never

type FieldOf<T, Optional extends boolean> = [T] extends [boolean]
  ? BoolField<Optional>
  : [T] extends [ReadonlyArray<infer U>]
    ? [U] extends [Completion]
      ? CompletionsField
      : [U] extends [ExprNode]
        ? OperandsField<KindOf<U>>
        : NatsField
    : [T] extends [ExprNode]
      ? OperandField<Optional, KindOf<T>>
      : [T] extends [number]
        ? number extends T
          ? NatField
          : EnumField<T>
        : [Dtype] extends [T]
          ? DtypeField
          : [T] extends [string]
            ? EnumField<T>
            : never

type Attributes<I> = Exclude<keyof I, '_tag'>

export interface Signature<I extends Instruction> {
  readonly fields: {
    readonly [F in Attributes<I>]-?: FieldOf<
      NonNullable<I[F]>,
      Record<never, never> extends Pick<I, F> ? true : false
    >
  }
  readonly results: ReadonlyArray<ResultRule<Attributes<I>>>
}

/** A signature whose instruction is not known to tsc. */
export interface AnySignature {
  readonly fields: Readonly<Record<string, Field>>
  readonly results: ReadonlyArray<ResultRule<PropertyKey>>
}

// ---------------------------------------------------------------- constructors

const required = <const K extends OperandKind>(kind: K): OperandField<false, K> => ({
  _tag: 'operand',
  kind,
  optional: false,
})
const optional = <const K extends OperandKind>(kind: K): OperandField<true, K> => ({
  _tag: 'operand',
  kind,
  optional: true,
})
const list = <const K extends OperandKind>(kind: K): OperandsField<K> => ({ _tag: 'operands', kind })
const viewIn = <const S extends Space>(space: S) =>
  ({ _tag: 'view', spaces: [space], dtypes: 'any', rank: 'any' }) as const
const matrixIn = <const S extends ReadonlyArray<Space>>(...spaces: S) =>
  ({ _tag: 'view', spaces, dtypes: 'any', rank: 2 }) as const
const accumulatorIn = <const S extends Space>(space: S) =>
  ({ _tag: 'view', spaces: [space], dtypes: accumulatorDtypes, rank: 2 }) as const
const tileOf = <const E extends ScalarName | 'scalar' | 'ptr'>(element: E) =>
  ({ _tag: 'tile', element, rank: 'any' }) as const
const oneOf = <T extends string | number>(...of: ReadonlyArray<T>): EnumField<T> => ({ _tag: 'enum', of })

/** The floats that a tensor core accumulates in, and i32. */
export const accumulatorDtypes: EachOf<AccumulatorDtype> = ['f32', 'f16', 'i32']

const int = { _tag: 'scalar', dtype: 'i32' } as const
const wide = { _tag: 'scalar', dtype: 'i64' } as const
const condition = { _tag: 'scalar', dtype: 'i1' } as const
const anyBarrier = { _tag: 'barrier', ordersTensorCore: false } as const
const tensorBarrier = { _tag: 'barrier', ordersTensorCore: true } as const
const aDescriptor = { _tag: 'descriptor' } as const
const pointer = { _tag: 'ptr' } as const
const smem = viewIn('smem')
const tmem = viewIn('tmem')
const gmem = viewIn('gmem')
const regs = viewIn('regs')
/** Row numbers of a gather. */
const rows = { _tag: 'tile', element: 'i32', rank: 1 } as const
const nat: NatField = { _tag: 'nat' }
const nats: NatsField = { _tag: 'nats' }
const bool: BoolField<false> = { _tag: 'bool', optional: false }
const flag: BoolField<true> = { _tag: 'bool', optional: true }
const dtype: DtypeField = { _tag: 'dtype' }
const scope: EnumField<'cta' | 'cluster' | 'gpu' | 'sys'> = oneOf('cta', 'cluster', 'gpu', 'sys')
const ctaGroup: EnumField<1 | 2> = oneOf<1 | 2>(1, 2)
const atomicOp: EnumField<'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange' | 'cas'> = oneOf(
  'add',
  'min',
  'max',
  'and',
  'or',
  'xor',
  'exchange',
  'cas',
)
const copyShape: EnumField<CopyShape> = oneOf(...copyShapes)
const aToken: ResultRule<never> = { _tag: 'token' }

const wholeWords: ReadonlyArray<Dtype> = ['i32', 'u32', 'i64', 'u64']
const orderedDtypes: ReadonlyArray<Dtype> = ['u32', 'i32', 'u64', 'i64', 'f16', 'bf16']
/** What each kind of bulk reduction takes. */
export const reducible: Readonly<Record<ReduceKind, ReadonlyArray<Dtype>>> = {
  add: ['u32', 'i32', 'u64', 'f32', 'f16', 'bf16'],
  min: orderedDtypes,
  max: orderedDtypes,
  inc: ['u32'],
  dec: ['u32'],
  and: wholeWords,
  or: wholeWords,
  xor: wholeWords,
}

export const signatures: { readonly [K in InstructionName]: Signature<InstructionOf<K>> } = {
  'mbarrier.init': { fields: { barrier: required(anyBarrier), count: nat }, results: [] },
  'mbarrier.inval': { fields: { barrier: required(anyBarrier) }, results: [] },
  'mbarrier.arrive': {
    fields: { barrier: required(anyBarrier), count: nat, release: bool, scope },
    results: [],
  },
  'mbarrier.expectTx': { fields: { barrier: required(anyBarrier), bytes: required(int) }, results: [] },
  'mbarrier.arriveExpectTx': {
    fields: { barrier: required(anyBarrier), bytes: required(int), release: bool, scope },
    results: [],
  },
  'mbarrier.arriveDrop': {
    fields: { barrier: required(anyBarrier), count: nat, release: bool, scope },
    results: [],
  },
  'mbarrier.wait': {
    fields: { barrier: required(anyBarrier), parity: required(int), acquire: bool, scope },
    results: [],
  },
  'mbarrier.test': {
    fields: { barrier: required(anyBarrier), parity: required(int), acquire: bool, scope },
    results: [{ _tag: 'scalar', dtype: 'i1' }],
  },
  'mbarrier.cpAsyncArrive': { fields: { barrier: required(anyBarrier), noIncrement: bool }, results: [] },

  'bar.sync': { fields: { id: nat, count: nat }, results: [] },
  'bar.arrive': { fields: { id: nat, count: nat }, results: [] },
  'cluster.arrive': { fields: { relaxed: bool }, results: [] },
  'cluster.wait': { fields: {}, results: [] },

  'tma.load': {
    fields: {
      descriptor: required(aDescriptor),
      coords: list(int),
      destination: required(smem),
      barrier: required(anyBarrier),
      multicast: optional(int),
      ctaGroup,
    },
    results: [],
  },
  'tma.gather': {
    fields: {
      descriptor: required(aDescriptor),
      rows: required(rows),
      column: required(int),
      destination: required(smem),
      barrier: required(anyBarrier),
      multicast: optional(int),
      ctaGroup,
    },
    results: [],
  },
  'tma.store': {
    fields: { descriptor: required(aDescriptor), coords: list(int), source: required(smem) },
    results: [],
  },
  'tma.scatter': {
    fields: {
      descriptor: required(aDescriptor),
      rows: required(rows),
      column: required(int),
      source: required(smem),
    },
    results: [],
  },
  'tma.reduce': {
    fields: {
      kind: oneOf('add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'),
      descriptor: required(aDescriptor),
      coords: list(int),
      source: required(smem),
    },
    results: [],
  },
  'tma.prefetch': { fields: { descriptor: required(aDescriptor), coords: list(int) }, results: [] },
  'bulk.commitGroup': { fields: {}, results: [] },
  'bulk.waitGroup': { fields: { pending: nat, read: bool }, results: [] },
  'tensormap.create': {
    fields: {
      at: required(pointer),
      tensor: required(pointer),
      dims: list(int),
      strides: list(wide),
      box: nats,
      dtype,
      swizzle: oneOf<16 | 32 | 64 | 128>(16, 32, 64, 128),
      fill: oneOf('zero', 'nan'),
    },
    results: [],
  },
  'tensormap.acquire': {
    fields: { at: required(pointer), dtype, rank: nat },
    results: [{ _tag: 'descriptor' }],
  },

  'smem.load': { fields: { source: required(smem) }, results: [{ _tag: 'contents', of: 'source' }] },
  'smem.store': { fields: { destination: required(smem), value: required(tileOf('scalar')) }, results: [] },
  'gmem.load': { fields: { source: required(gmem) }, results: [{ _tag: 'contents', of: 'source' }] },
  'gmem.store': { fields: { destination: required(gmem), value: required(tileOf('scalar')) }, results: [] },
  'gmem.loadPtr': {
    fields: {
      source: required(tileOf('ptr')),
      mask: optional(tileOf('i1')),
      other: optional(tileOf('scalar')),
    },
    results: [{ _tag: 'pointees', of: 'source' }],
  },
  'gmem.storePtr': {
    fields: {
      destination: required(tileOf('ptr')),
      value: required(tileOf('scalar')),
      mask: optional(tileOf('i1')),
    },
    results: [],
  },
  'smem.atomic': {
    fields: {
      op: atomicOp,
      destination: required(smem),
      value: required(tileOf('scalar')),
      compare: optional(tileOf('scalar')),
      scope,
    },
    results: [{ _tag: 'contents', of: 'destination' }],
  },
  'gmem.atomicPtr': {
    fields: {
      op: atomicOp,
      destination: required(tileOf('ptr')),
      value: required(tileOf('scalar')),
      compare: optional(tileOf('scalar')),
      mask: optional(tileOf('i1')),
      scope,
    },
    results: [{ _tag: 'pointees', of: 'destination' }],
  },
  'regs.read': { fields: { source: required(regs) }, results: [{ _tag: 'contents', of: 'source' }] },
  'regs.write': { fields: { destination: required(regs), value: required(tileOf('scalar')) }, results: [] },

  'cpAsync.copy': {
    fields: {
      source: required(tileOf('ptr')),
      mask: optional(tileOf('i1')),
      destination: required(smem),
    },
    results: [aToken],
  },
  'cpAsync.commitGroup': { fields: {}, results: [aToken] },
  'cpAsync.waitGroup': { fields: { pending: nat }, results: [aToken] },
  'stAsync.store': {
    fields: {
      destination: required(smem),
      value: required(tileOf('scalar')),
      barrier: required(anyBarrier),
    },
    results: [],
  },

  'fence.proxyAsync': { fields: { scope: oneOf('cta', 'cluster', 'global') }, results: [] },
  'fence.tensormap': { fields: { at: required(pointer) }, results: [] },
  'fence.mbarrierInit': { fields: {}, results: [] },

  'wgmma.fence': { fields: {}, results: [] },
  'wgmma.mma': {
    fields: {
      accumulator: required(accumulatorIn('regs')),
      a: required(matrixIn('smem', 'regs')),
      b: required(matrixIn('smem')),
      scaleD: required(condition),
      negateA: bool,
      negateB: bool,
      saturate: flag,
    },
    results: [],
  },
  'wgmma.commitGroup': { fields: {}, results: [] },
  'wgmma.waitGroup': { fields: { pending: nat }, results: [] },

  'tcgen05.alloc': { fields: { columns: nat, ctaGroup }, results: [] },
  'tcgen05.dealloc': { fields: { columns: nat, ctaGroup }, results: [] },
  'tcgen05.relinquish': { fields: { ctaGroup }, results: [] },
  'tcgen05.mma': {
    fields: {
      accumulator: required(accumulatorIn('tmem')),
      a: required(matrixIn('smem', 'tmem')),
      b: required(matrixIn('smem')),
      accumulate: required(condition),
      ctaGroup,
      scaleA: optional(tmem),
      scaleB: optional(tmem),
      sparsity: optional(tmem),
      saturate: flag,
      completions: { _tag: 'completions' },
    },
    results: [],
  },
  'tcgen05.commit': {
    fields: { barrier: required(tensorBarrier), multicast: optional(int), ctaGroup },
    results: [],
  },
  'tcgen05.cp': {
    fields: {
      source: required(smem),
      destination: required(tmem),
      shape: copyShape,
      ctaGroup,
    },
    results: [],
  },
  'tcgen05.shift': { fields: { destination: required(tmem), ctaGroup }, results: [] },
  'tcgen05.ld': { fields: { source: required(tmem), destination: required(regs) }, results: [] },
  'tcgen05.st': { fields: { destination: required(tmem), value: required(tileOf('scalar')) }, results: [] },
  'tcgen05.waitLd': { fields: {}, results: [] },
  'tcgen05.useLd': { fields: {}, results: [] },
  'tcgen05.waitSt': { fields: {}, results: [] },
  'tcgen05.fenceBefore': { fields: {}, results: [] },
  'tcgen05.fenceAfter': { fields: {}, results: [] },

  'semaphore.signal': { fields: { at: required(pointer), value: required(int), scope }, results: [] },
  'semaphore.wait': {
    fields: { at: required(pointer), value: required(int), decrement: bool, scope },
    results: [],
  },
  'clc.tryCancel': {
    fields: { response: required(smem), barrier: required(anyBarrier), multicast: bool },
    results: [],
  },
  'clc.query': {
    fields: { response: required(smem) },
    results: [
      { _tag: 'scalar', dtype: 'i1' },
      { _tag: 'scalar', dtype: 'i32' },
      { _tag: 'scalar', dtype: 'i32' },
      { _tag: 'scalar', dtype: 'i32' },
    ],
  },
  elect: { fields: {}, results: [{ _tag: 'scalar', dtype: 'i1' }] },
  setMaxRegisters: { fields: { count: nat, action: oneOf('increase', 'decrease') }, results: [] },
  trap: { fields: {}, results: [] },
}

// ---------------------------------------------------------------- destructors

const known: ReadonlyMap<string, AnySignature> = new Map(Object.entries(signatures))
export const instructionNames: ReadonlyArray<string> = [...known.keys()]
export const isInstructionName = (text: string): text is InstructionName => known.has(text)

export const signatureOf = (name: InstructionName): AnySignature => signatures[name]

/** An operand with where it stands: `barrier`, `coords[1]`, `completions[0].when`. */
export interface Operand {
  readonly field: string
  readonly expr: ExprNode
  readonly kind: OperandKind
}

const isNode = (value: unknown): value is ExprNode =>
  typeof value === 'object' && value !== null && '_tag' in value
/** Whatever stands there: what is no expression is an operand that has no type. */
const isGiven = (value: unknown): value is ExprNode => value !== undefined && value !== null
const entriesOf = (value: object): ReadonlyArray<readonly [string, unknown]> => Object.entries(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const completionKinds: { readonly [F in keyof Completion]-?: KindOf<NonNullable<Completion[F]>> } = {
  barrier: tensorBarrier,
  when: condition,
  multicast: int,
}
const completionKindOf = (key: string): OperandKind | undefined =>
  new Map<string, OperandKind>(Object.entries(completionKinds)).get(key)

/** The expressions of an instruction, and what stands in the place of one, in the order of its signature. */
export const operandsOf = (instruction: Readonly<{ _tag: InstructionName }>): ReadonlyArray<Operand> => {
  const values = new Map(entriesOf(instruction))
  return entriesOf(signatureOf(instruction._tag).fields).flatMap(([name]) => {
    const field = signatureOf(instruction._tag).fields[name]!
    const value = values.get(name)
    switch (field._tag) {
      case 'operand':
        return isGiven(value) ? [{ field: name, expr: value, kind: field.kind }] : []
      case 'operands':
        return listOf(value).flatMap((element, k) =>
          isGiven(element) ? [{ field: `${name}[${String(k)}]`, expr: element, kind: field.kind }] : [],
        )
      case 'completions':
        return listOf(value).flatMap((completion, k) =>
          typeof completion === 'object' && completion !== null
            ? entriesOf(completion).flatMap(([part, element]) => {
                const kind = completionKindOf(part)
                return kind !== undefined && isGiven(element)
                  ? [{ field: `${name}[${String(k)}].${part}`, expr: element, kind }]
                  : []
              })
            : [],
        )
      default:
        return []
    }
  })
}

/** The same instruction with every operand replaced. */
export const mapOperands =
  (f: (expr: Expr, field: string) => ExprNode) =>
  <I extends Readonly<{ _tag: InstructionName }>>(instruction: I): I => {
    const fields = signatureOf(instruction._tag).fields
    const mapped = (value: unknown, field: string): unknown =>
      isNode(value) ? f(checked<Expr, ExprNode>(value), field) : value
    const entries = entriesOf(instruction).map(([name, value]): readonly [string, unknown] => {
      const field = fields[name]
      switch (field?._tag) {
        case 'operand':
          return [name, mapped(value, name)]
        case 'operands':
          return [name, listOf(value).map((element, k) => mapped(element, `${name}[${String(k)}]`))]
        case 'completions':
          return [
            name,
            listOf(value).map((completion, k) =>
              typeof completion === 'object' && completion !== null
                ? Object.fromEntries(
                    entriesOf(completion).map(([part, element]) => [
                      part,
                      mapped(element, `${name}[${String(k)}].${part}`),
                    ]),
                  )
                : completion,
            ),
          ]
        default:
          return [name, value]
      }
    })
    return checked<I, unknown>(Object.fromEntries(entries))
  }

/** Attributes in the order of the signature, those that there are. */
export const attributesOf = (
  instruction: Readonly<{ _tag: InstructionName }>,
): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const values = new Map(entriesOf(instruction))
  return entriesOf(signatureOf(instruction._tag).fields).flatMap(([name]) => {
    const kind = signatureOf(instruction._tag).fields[name]!._tag
    return kind === 'operand' || kind === 'operands' || kind === 'completions' || !values.has(name)
      ? []
      : [[name, values.get(name)]]
  })
}

/** Registers hold narrow integers widened: the element of a tile loaded from memory of this dtype. */
export const elementOf = (dtype: Dtype): ScalarType => {
  switch (dtype) {
    case 'i8':
    case 'u8':
    case 'i16':
    case 'u16':
    case 'i32':
    case 'u32':
      return i32
    case 'i64':
    case 'u64':
      return scalar('i64')
    case 'i1':
      return i1
    default:
      return scalar(dtype)
  }
}

/** Types of the results, given the types of the operands by field; `undefined` when an operand is of the wrong kind. */
export const resultTypes = (
  instruction: Instruction,
  operandType: (field: string) => Type | undefined,
): ReadonlyArray<Type> | undefined => {
  const types: Type[] = []
  for (const rule of signatureOf(instruction._tag).results) {
    const type = resultType(rule, instruction, operandType)
    if (type === undefined) return undefined
    types.push(type)
  }
  return types
}

const resultType = (
  rule: ResultRule<PropertyKey>,
  instruction: Instruction,
  operandType: (field: string) => Type | undefined,
): Type | undefined => {
  switch (rule._tag) {
    case 'scalar':
      return scalar(rule.dtype)
    case 'token':
      return token
    case 'descriptor':
      return instruction._tag === 'tensormap.acquire'
        ? descriptor(instruction.dtype, instruction.rank)
        : undefined
    case 'contents': {
      const of = operandType(String(rule.of))
      return of?._tag === 'view' ? tile(of.layout.shape, elementOf(of.dtype), 'any') : undefined
    }
    case 'pointees': {
      const of = operandType(String(rule.of))
      return of?._tag === 'tile' && of.element._tag === 'ptr'
        ? tile(of.shape, elementOf(of.element.dtype), 'any')
        : undefined
    }
  }
}
