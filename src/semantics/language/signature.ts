/**
 * Signatures: what an instruction is made of, at run time.
 *
 * Types vanish at run time, so the row of an instruction (`rows.ts`), which gives tsc its type, is read once more when the library is loaded
 * (`field.ts`): which fields are operands (expressions that an agent evaluates) and of what kind, and which are attributes (part of the
 * instruction itself). Beside the fields stands what the instruction gives back, said here. The codec, the JSON Schema, validation, linking and
 * printing all read signatures; none of them knows an instruction by name for these purposes.
 *
 *     tma.load   descriptor: descriptor   coords: i32 ...   destination: view in smem   barrier: barrier
 *                multicast?: i32          ctaGroup: 1 | 2                               results: none
 *     smem.load  source: view in smem                                                   results: tile like the source
 *
 * Laws
 * 1. `operandsOf` lists every expression of an instruction; `mapOperands(identity)` is the identity; mapping visits the
 *    same expressions in the same order.
 * 2. A result tile has no layout of its own: the binder that receives it chooses one.
 *
 * Source: PTX ISA 9, the operand lists of the instructions.
 */
import { unreachable } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'
import type { Expr, ExprNode } from './expression.js'
import { fieldsOf, type Field, type OperandKind } from './field.js'
import { checked } from './index-types.js'
import type { Instruction, InstructionName, InstructionOf, ReduceKind } from './instruction.js'
import { completion, rows } from './rows.js'
import type { ScalarName, ScalarType, Type } from './types.js'
import { descriptor, i1, i32, scalar, tile, token } from './types.js'

// ---------------------------------------------------------------- model

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

export interface Signature {
  readonly fields: Readonly<Record<string, Field>>
  readonly results: ReadonlyArray<ResultRule<PropertyKey>>
}

// ---------------------------------------------------------------- tables

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

const aToken: ResultRule<never> = { _tag: 'token' }
const truth: ResultRule<never> = { _tag: 'scalar', dtype: 'i1' }
const number: ResultRule<never> = { _tag: 'scalar', dtype: 'i32' }

/** What the instructions give back that give something back. */
const results: {
  readonly [K in InstructionName]?: ReadonlyArray<ResultRule<Exclude<keyof InstructionOf<K>, '_tag'>>>
} = {
  'mbarrier.test': [truth],
  'tensormap.acquire': [{ _tag: 'descriptor' }],
  'smem.load': [{ _tag: 'contents', of: 'source' }],
  'gmem.load': [{ _tag: 'contents', of: 'source' }],
  'gmem.loadPtr': [{ _tag: 'pointees', of: 'source' }],
  'smem.atomic': [{ _tag: 'contents', of: 'destination' }],
  'gmem.atomicPtr': [{ _tag: 'pointees', of: 'destination' }],
  'regs.read': [{ _tag: 'contents', of: 'source' }],
  'cpAsync.copy': [aToken],
  'cpAsync.commitGroup': [aToken],
  'cpAsync.waitGroup': [aToken],
  'clc.query': [truth, number, number, number],
  elect: [truth],
}
const resultsOf: ReadonlyMap<string, ReadonlyArray<ResultRule<PropertyKey>>> = new Map(
  Object.entries(results),
)

// ---------------------------------------------------------------- destructors

const known: ReadonlyMap<string, Signature> = new Map(
  Object.entries(rows).map(([name, row]) => [
    name,
    { fields: fieldsOf(row), results: resultsOf.get(name) ?? [] },
  ]),
)
/** The fields of each that hold operands. */
const operandFields: ReadonlyMap<string, ReadonlyArray<readonly [name: string, field: Field]>> = new Map(
  [...known].map(([name, { fields }]) => [
    name,
    Object.entries(fields).filter(
      ([, { _tag }]) => _tag === 'operand' || _tag === 'operands' || _tag === 'completions',
    ),
  ]),
)
export const instructionNames: ReadonlyArray<string> = [...known.keys()]
export const isInstructionName = (text: string): text is InstructionName => known.has(text)

export const signatureOf = (name: InstructionName): Signature => known.get(name) ?? unreachable(name)

/**
 * An operand with where it stands, in text and as data: its name in the row, or in that of a completion, and which of several it is.
 *
 *     barrier    role barrier          coords[1]    role coords, 1 of several          completions[0].when    role when, 0 of several
 */
export interface Operand {
  readonly field: string
  readonly role: string
  readonly index: number | null
  readonly expr: ExprNode
  readonly kind: OperandKind
}

const isNode = (value: unknown): value is ExprNode =>
  typeof value === 'object' && value !== null && '_tag' in value
/** Whatever stands there: what is no expression is an operand that has no type. */
const isGiven = (value: unknown): value is ExprNode => value !== undefined && value !== null
const entriesOf = (value: object): ReadonlyArray<readonly [string, unknown]> => Object.entries(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const completionFields = fieldsOf(completion)
const completionKindOf = (part: string): OperandKind | undefined => {
  const field = Object.hasOwn(completionFields, part) ? completionFields[part] : undefined
  return field?._tag === 'operand' ? field.kind : undefined
}

/** The expressions of an instruction, and what stands in the place of one, in the order of its signature. */
export const operandsOf = (instruction: Readonly<{ _tag: InstructionName }>): ReadonlyArray<Operand> => {
  const found: Operand[] = []
  const values: Readonly<Record<string, unknown>> = instruction
  for (const [name, field] of operandFields.get(instruction._tag) ?? unreachable(instruction._tag)) {
    const value = values[name]
    switch (field._tag) {
      case 'operand':
        if (isGiven(value))
          found.push({ field: name, role: name, index: null, expr: value, kind: field.kind })
        break
      case 'operands':
        for (const [k, element] of listOf(value).entries())
          if (isGiven(element))
            found.push({
              field: `${name}[${String(k)}]`,
              role: name,
              index: k,
              expr: element,
              kind: field.kind,
            })
        break
      case 'completions':
        for (const [k, completion] of listOf(value).entries())
          if (typeof completion === 'object' && completion !== null)
            for (const [part, element] of entriesOf(completion)) {
              const kind = completionKindOf(part)
              if (kind !== undefined && isGiven(element))
                found.push({
                  field: `${name}[${String(k)}].${part}`,
                  role: part,
                  index: k,
                  expr: element,
                  kind,
                })
            }
        break
      case 'nat':
      case 'bool':
      case 'dtype':
      case 'text':
      case 'nats':
      case 'enum':
        break
    }
  }
  return found
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
        case undefined:
        case 'nat':
        case 'bool':
        case 'dtype':
        case 'text':
        case 'nats':
        case 'enum':
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
    case 'i4':
    case 'u4':
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
