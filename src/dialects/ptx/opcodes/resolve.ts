/**
 * From instructions as they are written to what they are: the row of the table, the modifiers by the names of its slots, the operands by the names
 * of the row, each a register by its number, a symbol, or a constant in the bits of its type.
 *
 *     @%p1 ld.shared.v2.u32 {%r1, %r2}, [tile+8];
 *     ld  { space: shared, vec: v2, type: u32 }  guard %p1  d = vector [%r1, %r2]  a = address { base: tile, offset: 8 }
 *
 * Laws
 * 1. What is resolved and what is refused is what NVIDIA's assembler takes and refuses, on the list in `conformance/cuda/opcodes.json`, but for the lines
 *    that its proof names.
 * 2. A refusal names the place, what the row asks for and the word there.
 *
 * Source: PTX ISA 9.0, operand type checking; operand size exceeding instruction-type size.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import type {
  Constant,
  Function,
  Instruction,
  Module,
  Name,
  Operand,
  Prototype,
  Statement,
  TypeName,
} from '../text/module.js'
import { failureAt, type Position, type PtxError } from '../text/position.js'
import { printOperand } from '../text/printer.js'
import { countOf } from './counts.js'
import type { Form, Modifiers, OperandRule, TypeRule } from './form.js'
import {
  declare,
  functionScope,
  innerScope,
  labelOf,
  moduleScope,
  partOf,
  prototypeOf,
  registersOf,
  symbolOf,
  targetsOf,
  type Register,
  type Registers,
  type Scope,
  type Symbol,
} from './scope.js'
import { specialRegisters } from './special.js'
import { formsOf } from './table.js'
import { own } from '../../../own.js'

// ---------------------------------------------------------------- model

export interface Immediate {
  readonly _tag: 'immediate'
  /** in the bits of its type, from 0 to 2^bits - 1 */
  readonly bits: bigint
  readonly type: string
}
export interface Label {
  readonly _tag: 'label'
  readonly name: string
  /** the number of the instruction behind it */
  readonly target: number
}
export type Value =
  | Register
  | Immediate
  /** `%tid.x` */
  | { readonly _tag: 'special'; readonly name: string; readonly type: TypeName }
  /** the address of a symbol */
  | { readonly _tag: 'symbol'; readonly symbol: Symbol; readonly offset: number }
  | { readonly _tag: 'vector'; readonly items: ReadonlyArray<Value> }
  | { readonly _tag: 'sink' }
  | { readonly _tag: 'predicate'; readonly of: Register | Immediate; readonly negated: boolean }
  | {
      readonly _tag: 'address'
      readonly base: Register | Symbol | null
      readonly offset: number
      readonly coordinates: ReadonlyArray<Value>
    }
  | Label
  | { readonly _tag: 'targets'; readonly labels: ReadonlyArray<Label> }
  | { readonly _tag: 'list'; readonly items: ReadonlyArray<Value> }
  | { readonly _tag: 'prototype'; readonly name: string; readonly prototype: Prototype }

export interface Resolved {
  readonly instruction: Instruction
  readonly form: Form
  readonly modifiers: Modifiers
  readonly guard: { readonly register: Register; readonly negated: boolean } | null
  /** by the names of the row; one that was left out is not there */
  readonly operands: Readonly<Record<string, Value>>
  /** registers that it writes, and those that it reads, its guard and addresses among them */
  readonly writes: ReadonlyArray<Register>
  readonly reads: ReadonlyArray<Register>
}

/** A function whose names are resolved: instructions in the order of the text, scopes and labels gone. */
export interface Code {
  readonly function: Function
  readonly instructions: ReadonlyArray<Resolved>
  readonly registers: ReadonlyArray<Register>
  /** which labels stand before an instruction */
  readonly labels: ReadonlyMap<number, ReadonlyArray<string>>
}

// ---------------------------------------------------------------- types

const bitsOfType = (type: string): number => {
  if (type === 'pred') return 1
  if (type.endsWith('x2') && /^(?:[us]16|b?f16)x2$/.test(type)) return 32
  const digits = /\d+$/.exec(type)
  return digits === null ? 32 : Number(digits[0])
}
const widths = new Map<string, number>()
/** The bits of a type. */
export const widthOf = (type: string): number => {
  const before = widths.get(type)
  if (before !== undefined) return before
  const bits = bitsOfType(type)
  if (widths.size < 256) widths.set(type, bits)
  return bits
}

const isFloat = (type: string): boolean => type.startsWith('f') || type.startsWith('bf')
const isBits = (type: string): boolean => /^b\d/.test(type)

/** Can a register of one type stand where a row asks for another? */
export const fits = (register: TypeName, type: string, relaxed: boolean): boolean => {
  if (register === type) return true
  if (register === 'pred' || type === 'pred') return false
  const have = widthOf(register)
  const want = widthOf(type)
  if (isFloat(type)) return isBits(register) && (have === want || (relaxed && have > want))
  if (have !== want && !(relaxed && have > want)) return false
  return isBits(type) || !isFloat(register)
}

const typeOfRule = (rule: TypeRule, modifiers: Modifiers): string => {
  switch (rule.from) {
    case 'type':
      return rule.name
    case 'slot':
      return own(modifiers, rule.name) ?? 'b32'
    case 'wide': {
      const type = own(modifiers, rule.name) ?? 'b32'
      return `${type.charAt(0)}${String(2 * widthOf(type))}`
    }
    case 'packed': {
      const type = own(modifiers, rule.name) ?? 'b32'
      return type === 'f16' ? 'b32' : type
    }
  }
}

const view = new DataView(new ArrayBuffer(8))
/** A constant in the bits of a type; null where it has none. */
const immediate = (constant: Constant, type: string): Immediate | null => {
  const width = widthOf(type)
  if (constant._tag === 'integer') {
    if (isFloat(type)) return null
    if (type === 'pred') return { _tag: 'immediate', bits: constant.value === 0n ? 0n : 1n, type }
    return { _tag: 'immediate', bits: BigInt.asUintN(width, constant.value), type }
  }
  if (type !== 'f32' && type !== 'f64' && !(isBits(type) && width === constant.width)) return null
  if (width === constant.width) return { _tag: 'immediate', bits: constant.bits, type }
  if (constant.width === 64) {
    view.setBigUint64(0, constant.bits)
    view.setFloat32(0, view.getFloat64(0))
    return { _tag: 'immediate', bits: BigInt(view.getUint32(0)), type }
  }
  view.setUint32(0, Number(constant.bits))
  view.setFloat64(0, view.getFloat32(0))
  return { _tag: 'immediate', bits: view.getBigUint64(0), type }
}

// ---------------------------------------------------------------- operands

interface Binding {
  readonly scope: Scope
  readonly all: Registers
  readonly instruction: Instruction
  readonly modifiers: Modifiers
  readonly form: Form
}

/** What was found instead: how far the operands agreed, and the refusal. */
interface Refusal {
  readonly far: number
  readonly failure: Failure<PtxError>
}
const refusal = (
  far: number,
  at: Position,
  expected: string,
  found: string,
  code: PtxError = 'ptx.operand',
): Refusal => ({ far, failure: failureAt(code, at, expected, found) })

interface Bound {
  readonly value: Value
  readonly writes: ReadonlyArray<Register>
  readonly reads: ReadonlyArray<Register>
}
const noRegisters: ReadonlyArray<Register> = []
const constantly = (value: Value): Bound => ({ value, writes: noRegisters, reads: noRegisters })
const reading = (value: Value, register: Register): Bound => ({
  value,
  writes: noRegisters,
  reads: [register],
})

const placeOf = (operand: Operand, instruction: Instruction): Position => {
  switch (operand._tag) {
    case 'name':
    case 'address':
    case 'element':
      return operand.at
    case 'not':
      return operand.of.at
    case 'pair':
      return placeOf(operand.first, instruction)
    case 'vector':
    case 'list':
      return operand.items[0] === undefined ? instruction.at : placeOf(operand.items[0], instruction)
    case 'integer':
    case 'float':
    case 'sink':
      return instruction.at
  }
}
const shown = (operand: Operand): string => `'${printOperand(operand)}'`

/** WARP_SZ */
const lanesOfWarp: Operand = { _tag: 'integer', value: 32n, unsigned: false, text: 'WARP_SZ' }

const isRefusal = (r: Bound | Refusal): r is Refusal => 'failure' in r

/** A register that a name is, part of a vector or not; null where it is none. */
const registerOf = (b: Binding, name: Name): Register | null => {
  if (name.offset !== 0) return null
  const found = registersOf(b.all, b.scope, name.name)
  if (found === null) return null
  if (name.selector === null) return found.length === 1 ? found[0]! : null
  return found.length === 1 ? null : (found[partOf(name.selector)] ?? null)
}

const special = (name: Name): TypeName | undefined =>
  name.name.startsWith('%')
    ? specialRegisters.get(name.selector === null ? name.name : `${name.name}.${name.selector}`)
    : undefined

const unknown = (far: number, name: Name): Refusal =>
  refusal(far, name.at, 'a name that is declared', `'${printOperand(name)}'`, 'ptx.name')

type RegisterRule = OperandRule & { readonly _tag: 'register' }

const single = (b: Binding, far: number, rule: RegisterRule, type: string, o: Operand): Bound | Refusal => {
  const relaxed = rule.type.relaxed
  const wanted =
    rule.access === 'value'
      ? `${rule.name}, a register or a constant of .${type}`
      : `${rule.name}, a register of .${type}`
  switch (o._tag) {
    case 'sink':
      return rule.sink ? constantly({ _tag: 'sink' }) : refusal(far, b.instruction.at, wanted, "'_'")
    case 'name': {
      if (o.name === 'WARP_SZ') return single(b, far, rule, type, lanesOfWarp)
      const register = registerOf(b, o)
      if (register !== null) {
        if (rule.name === '_') return refusal(far, o.at, "'_'", shown(o))
        if (!fits(register.type, type, relaxed))
          return refusal(far, o.at, wanted, `${shown(o)}, which is .${register.type}`)
        return rule.access === 'write'
          ? { value: register, writes: [register], reads: noRegisters }
          : reading(register, register)
      }
      const typeOfSpecial = special(o)
      if (typeOfSpecial !== undefined) {
        // the assembler takes them in these alone
        if (
          rule.access !== 'value' ||
          (b.form.base !== 'mov' && b.form.base !== 'cvt') ||
          !fits(typeOfSpecial, type, relaxed)
        )
          return refusal(far, o.at, wanted, `${shown(o)}, which is .${typeOfSpecial}`)
        const name = o.selector === null ? o.name : `${o.name}.${o.selector}`
        return constantly({ _tag: 'special', name, type: typeOfSpecial })
      }
      const symbol = o.selector === null ? symbolOf(b.scope, o.name) : null
      if (symbol !== null) {
        const integral = /^[bu](?:32|64)$/.test(type) || /^s(?:32|64)$/.test(type)
        const addressed = /^(mov|cvta|mapa|getctarank)/u.test(b.form.base)
        return rule.access === 'value' && integral && addressed
          ? constantly({ _tag: 'symbol', symbol, offset: o.offset })
          : refusal(far, o.at, wanted, `the symbol ${shown(o)}`)
      }
      return registersOf(b.all, b.scope, o.name) === null
        ? unknown(far, o)
        : refusal(far, o.at, wanted, `the vector ${shown(o)}`)
    }
    case 'integer':
    case 'float': {
      // the bits of a floating constant may stand where an opcode says its type itself
      const said = o._tag === 'integer' || rule.type.from === 'slot' || isFloat(type)
      const value = rule.access === 'value' && said ? immediate(o, type) : null
      return value === null ? refusal(far, b.instruction.at, wanted, shown(o)) : constantly(value)
    }
    case 'not': {
      const register = type === 'pred' && rule.access === 'value' ? registerOf(b, o.of) : null
      return register?.type === 'pred'
        ? reading({ _tag: 'predicate', of: register, negated: true }, register)
        : refusal(far, o.of.at, wanted, shown(o))
    }
    case 'address':
    case 'vector':
    case 'pair':
    case 'list':
    case 'element':
      return refusal(far, placeOf(o, b.instruction), wanted, shown(o))
  }
}

const vector = (
  b: Binding,
  far: number,
  rule: RegisterRule,
  type: string,
  count: number,
  o: Operand,
): Bound | Refusal => {
  // a vector register by its name is its parts
  const whole = o._tag === 'name' && o.selector === null ? registersOf(b.all, b.scope, o.name) : null
  if (whole !== null && whole.length > 1 && whole.length === count) {
    const wrong = whole.find((r) => !fits(r.type, type, rule.type.relaxed))
    if (wrong !== undefined)
      return refusal(
        far,
        placeOf(o, b.instruction),
        `registers of .${type}`,
        `${shown(o)}, of .${wrong.type}`,
      )
    const value: Value = { _tag: 'vector', items: whole }
    return rule.access === 'write'
      ? { value, writes: whole, reads: noRegisters }
      : { value, writes: noRegisters, reads: whole }
  }
  if (o._tag !== 'vector') {
    if (count === 1) return single(b, far, rule, type, o)
    return refusal(far, placeOf(o, b.instruction), `${rule.name}, ${String(count)} in braces`, shown(o))
  }
  if (o.items.length !== count)
    return refusal(
      far,
      placeOf(o, b.instruction),
      `${rule.name}, ${String(count)} in braces`,
      `${String(o.items.length)}: ${shown(o)}`,
    )
  const items: Value[] = []
  const writes: Register[] = []
  const reads: Register[] = []
  const sinking: RegisterRule =
    rule.access === 'write' && (b.form.base === 'mov' || b.form.base === 'ld')
      ? { ...rule, sink: true }
      : rule
  for (const item of o.items) {
    const bound = single(b, far, sinking, type, item)
    if (isRefusal(bound)) return bound
    items.push(bound.value)
    for (const r of bound.writes) writes.push(r)
    for (const r of bound.reads) reads.push(r)
  }
  return { value: { _tag: 'vector', items }, writes, reads }
}

const bindRegister = (b: Binding, far: number, rule: RegisterRule, o: Operand): Bound | Refusal => {
  const type = typeOfRule(rule.type, b.modifiers)
  if (rule.count === null) return single(b, far, rule, type, o)
  if (rule.count === 'halves') {
    // the parts of a word: as many as stand there
    if (o._tag !== 'vector') {
      const parts = o._tag === 'name' && o.selector === null ? registersOf(b.all, b.scope, o.name) : null
      if (parts === null || parts.length < 2)
        return refusal(far, placeOf(o, b.instruction), `${rule.name}, parts in braces`, shown(o))
      return vector(b, far, rule, `b${String(widthOf(type) / parts.length)}`, parts.length, o)
    }
    const count = o.items.length
    if ((count !== 2 && count !== 4) || widthOf(type) / count < 8)
      return refusal(far, placeOf(o, b.instruction), `${rule.name}, two or four parts in braces`, shown(o))
    return vector(b, far, rule, `b${String(widthOf(type) / count)}`, count, o)
  }
  const count = countOf(rule.count, b.modifiers)
  // a single one may stand in braces
  if (count === null)
    return single(b, far, rule, type, o._tag === 'vector' && o.items.length === 1 ? o.items[0]! : o)
  if (count > 128)
    return refusal(far, b.instruction.at, 'at most 128 registers in braces', String(count), 'ptx.opcode')
  return vector(b, far, rule, type, count, o)
}

/** Of the family of tensor memory, these have an address of shared memory. */
const ofShared = new Set(['tcgen05.alloc', 'tcgen05.commit'])
const plain = new Set(['ld', 'st', 'atom', 'red', 'ldu', 'prefetch'])
/** How wide an address must be: of tensor memory 32 bits, outside shared memory 64; null where either will do. */
const addressBits = ({ form, modifiers }: Binding): number | null =>
  form.family === 'tcgen05' && !ofShared.has(form.base)
    ? 32
    : plain.has(form.base) &&
        modifiers['space']?.startsWith('shared') !== true &&
        modifiers['space'] !== 'param' &&
        modifiers['space'] !== 'local'
      ? 64
      : null

const bindAddress = (
  b: Binding,
  far: number,
  rule: OperandRule & { readonly _tag: 'address' },
  o: Operand,
): Bound | Refusal => {
  if (o._tag === 'element') {
    const symbol = symbolOf(b.scope, o.name)
    if (symbol?._tag !== 'variable') return refusal(far, o.at, 'an array', shown(o), 'ptx.name')
    const bytes = (symbol.variable.vector * widthOf(symbol.variable.type)) / 8
    return constantly({ _tag: 'address', base: symbol, offset: o.index * bytes, coordinates: [] })
  }
  if (o._tag !== 'address')
    return refusal(far, placeOf(o, b.instruction), `${rule.name}, an address in brackets`, shown(o))
  const reads: Register[] = []
  let base: Register | Symbol | null = null
  if (o.base !== null) {
    const register = registerOf(b, o.base)
    if (register !== null) {
      if ((widthOf(register.type) !== 32 && widthOf(register.type) !== 64) || isFloat(register.type))
        return refusal(
          far,
          o.base.at,
          'an address of 32 or 64 bits',
          `${shown(o.base)}, which is .${register.type}`,
        )
      const bits = addressBits(b)
      if (bits !== null && widthOf(register.type) !== bits)
        return refusal(
          far,
          o.base.at,
          `an address of ${String(bits)} bits`,
          `${shown(o.base)}, which is .${register.type}`,
        )
      base = register
      reads.push(register)
    } else {
      const symbol = o.base.selector === null ? symbolOf(b.scope, o.base.name) : null
      if (symbol === null) return unknown(far, o.base)
      base = symbol
    }
  }
  if (rule.coordinates === null) {
    return o.more.length > 0
      ? refusal(far, o.at, 'an address', shown(o))
      : { value: { _tag: 'address', base, offset: o.offset, coordinates: [] }, writes: noRegisters, reads }
  }
  const count = countOf(rule.coordinates, b.modifiers) ?? 0
  const coordinates = o.more.length === 1 ? o.more[0]! : null
  if (coordinates === null) return refusal(far, o.at, `an address and ${String(count)} coordinates`, shown(o))
  const bound = vector(b, far, coordinateRule, 's32', count, coordinates)
  if (isRefusal(bound)) return bound
  for (const r of bound.reads) reads.push(r)
  return {
    value: {
      _tag: 'address',
      base,
      offset: o.offset,
      coordinates: bound.value._tag === 'vector' ? bound.value.items : [bound.value],
    },
    writes: noRegisters,
    reads,
  }
}
const coordinateRule: RegisterRule = {
  _tag: 'register',
  name: 'coordinates',
  access: 'value',
  type: { from: 'type', name: 's32', relaxed: false },
  count: 'box',
  sink: false,
  optional: false,
}

const bindPredicate = (b: Binding, far: number, name: string, o: Operand): Bound | Refusal => {
  const of = o._tag === 'not' ? o.of : o
  if (of._tag === 'integer') {
    const bits = of.value === 0n ? 0n : 1n
    return constantly({ _tag: 'predicate', of: { _tag: 'immediate', bits, type: 'pred' }, negated: false })
  }
  const register = of._tag === 'name' ? registerOf(b, of) : null
  if (register === null)
    return of._tag === 'name' &&
      special(of) === undefined &&
      symbolOf(b.scope, of.name) === null &&
      registersOf(b.all, b.scope, of.name) === null
      ? unknown(far, of)
      : refusal(far, placeOf(o, b.instruction), `${name}, a predicate`, shown(o))
  return register.type === 'pred'
    ? reading({ _tag: 'predicate', of: register, negated: o._tag === 'not' }, register)
    : refusal(
        far,
        placeOf(o, b.instruction),
        `${name}, a predicate`,
        `${shown(o)}, which is .${register.type}`,
      )
}

const bindReference = (
  b: Binding,
  far: number,
  to: 'label' | 'targets' | 'function' | 'list' | 'any',
  o: Operand,
): Bound | Refusal => {
  const at = placeOf(o, b.instruction)
  switch (to) {
    case 'label': {
      const target = o._tag === 'name' ? labelOf(b.scope, o.name) : null
      return target === null || o._tag !== 'name'
        ? refusal(far, at, 'a label of this function', shown(o), 'ptx.name')
        : constantly({ _tag: 'label', name: o.name, target })
    }
    case 'targets': {
      const targets = o._tag === 'name' ? targetsOf(b.scope, o.name) : null
      if (targets?.of !== 'branch')
        return refusal(far, at, "a list of '.branchtargets'", shown(o), 'ptx.name')
      const labels: Label[] = []
      for (const name of targets.targets) {
        const target = labelOf(b.scope, name.name)
        if (target === null)
          return refusal(far, name.at, 'a label of this function', `'${name.name}'`, 'ptx.name')
        labels.push({ _tag: 'label', name: name.name, target })
      }
      return constantly({ _tag: 'targets', labels })
    }
    case 'function': {
      if (o._tag !== 'name') return refusal(far, at, 'a function', shown(o))
      const symbol = symbolOf(b.scope, o.name)
      if (symbol !== null)
        return symbol._tag === 'function'
          ? constantly({ _tag: 'symbol', symbol, offset: 0 })
          : refusal(far, at, 'a function', shown(o))
      const register = registerOf(b, o)
      if (register === null) return unknown(far, o)
      return widthOf(register.type) === 64 || widthOf(register.type) === 32
        ? reading(register, register)
        : refusal(far, at, 'the address of a function', `${shown(o)}, which is .${register.type}`)
    }
    case 'list': {
      if (o._tag !== 'list') return refusal(far, at, 'a list in parentheses', shown(o))
      const items: Value[] = []
      const reads: Register[] = []
      for (const item of o.items) {
        if (item._tag === 'sink') items.push({ _tag: 'sink' })
        else if (item._tag === 'name') {
          const register = registerOf(b, item)
          const symbol = register === null ? symbolOf(b.scope, item.name) : null
          if (register !== null) {
            items.push(register)
            reads.push(register)
          } else if (symbol !== null) items.push({ _tag: 'symbol', symbol, offset: item.offset })
          else return unknown(far, item)
        } else if (item._tag === 'integer' || item._tag === 'float') {
          const type = item._tag === 'float' ? (item.width === 32 ? 'f32' : 'f64') : 'b64'
          const value = immediate(item, type)
          if (value !== null) items.push(value)
        } else return refusal(far, placeOf(item, b.instruction), 'a parameter', shown(item))
      }
      return { value: { _tag: 'list', items }, writes: noRegisters, reads }
    }
    case 'any': {
      if (o._tag !== 'name') return refusal(far, at, 'a prototype', shown(o))
      const found = prototypeOf(b.scope, o.name)
      if (found !== null) return constantly({ _tag: 'prototype', name: o.name, prototype: found.prototype })
      const targets = targetsOf(b.scope, o.name)
      return targets?.of === 'call'
        ? constantly({ _tag: 'prototype', name: o.name, prototype: { results: [], parameters: [] } })
        : refusal(far, at, 'a prototype', shown(o), 'ptx.name')
    }
  }
}

const bind = (b: Binding, far: number, rule: OperandRule, o: Operand): Bound | Refusal => {
  switch (rule._tag) {
    case 'register':
      return bindRegister(b, far, rule, o)
    case 'predicate':
      return bindPredicate(b, far, rule.name, o)
    case 'constant': {
      const [least, most] = rule.range
      const among = rule.among
      const wanted =
        among === null
          ? `${rule.name}, a constant from ${String(least)} to ${String(most)}`
          : `${rule.name}, ${among.map(String).join(' or ')}`
      const value = o._tag === 'integer' ? o.value : null
      if (value === null || (among === null ? value < least || value > most : !among.includes(value)))
        return refusal(far, placeOf(o, b.instruction), wanted, shown(o))
      return constantly({ _tag: 'immediate', bits: BigInt.asUintN(64, value), type: 's64' })
    }
    case 'address':
      return bindAddress(b, far, rule, o)
    case 'reference':
      return bindReference(b, far, rule.to, o)
    case 'pair':
      return bindRegister(b, far, rule.first, o)
  }
}

const nameOf = (rule: OperandRule): string => (rule._tag === 'pair' ? rule.first.name : rule.name)

interface Bindings {
  readonly operands: Record<string, Value>
  readonly writes: Register[]
  readonly reads: Register[]
}

const bindAll = (b: Binding): Bindings | Refusal => {
  const given = b.instruction.operands
  const rules = b.form.operands
  const required = rules.filter((r) => !r.optional).length
  // from the left; an operand that may be left out is tried first where enough others are left
  const from = (k: number, j: number, spare: number): Bindings | Refusal => {
    const rule = rules[k]
    if (rule === undefined)
      return j === given.length
        ? { operands: {}, writes: [], reads: [] }
        : refusal(j, placeOf(given[j]!, b.instruction), "';'", shown(given[j]!))
    if (rule.optional && spare === 0) return from(k + 1, j, 0)
    const o = given[j]
    if (o === undefined)
      return rule.optional
        ? from(k + 1, j, spare)
        : refusal(j, b.instruction.at, `the operand ${nameOf(rule)}`, "';'")
    let failed: Refusal
    const first =
      rule._tag === 'pair' && o._tag === 'pair'
        ? bind(b, j, rule.first, o.first)
        : rule._tag === 'pair' && !rule.single
          ? refusal(j, placeOf(o, b.instruction), `${rule.first.name}|${rule.second.name}`, shown(o))
          : bind(b, j, rule, o)
    if (isRefusal(first)) failed = first
    else {
      const second = rule._tag === 'pair' && o._tag === 'pair' ? bind(b, j, rule.second, o.second) : null
      if (second !== null && isRefusal(second)) failed = second
      else {
        const rest = from(k + 1, j + 1, rule.optional ? spare - 1 : spare)
        if (!('failure' in rest)) {
          rest.operands[nameOf(rule)] = first.value
          if (second !== null && rule._tag === 'pair') rest.operands[rule.second.name] = second.value
          for (const bound of second === null ? [first] : [first, second]) {
            for (const r of bound.writes) rest.writes.push(r)
            for (const r of bound.reads) rest.reads.push(r)
          }
          return rest
        }
        failed = rest
      }
    }
    if (!rule.optional) return failed
    const without = from(k + 1, j, spare)
    return 'failure' in without && without.far < failed.far ? failed : without
  }
  return from(0, 0, Math.max(0, given.length - required))
}

// ---------------------------------------------------------------- instructions

const guardOf = (
  all: Registers,
  scope: Scope,
  { guard }: Instruction,
): E.Either<Failure<PtxError>, Resolved['guard']> => {
  if (guard === null) return E.right(null)
  const found = registersOf(all, scope, guard.name)
  const register = found?.length === 1 ? found[0]! : null
  if (register === null)
    return E.left(failureAt('ptx.name', guard.at, 'a predicate that is declared', `'${guard.name}'`))
  return register.type === 'pred'
    ? E.right({ register, negated: guard.negated })
    : E.left(failureAt('ptx.operand', guard.at, 'a predicate', `'${guard.name}', which is .${register.type}`))
}

/** What an instruction is, within the scope in which it stands; registers that are new get the next numbers. */
export const resolve =
  (scope: Scope, all: Registers) =>
  (instruction: Instruction): E.Either<Failure<PtxError>, Resolved> => {
    const answer = formsOf(instruction.opcode)
    if (answer._tag === 'none')
      return E.left(failureAt('ptx.opcode', instruction.at, answer.expected, `'${instruction.opcode}'`))
    const guard = guardOf(all, scope, instruction)
    if (E.isLeft(guard)) return guard
    let worst: Refusal | null = null
    for (const { form, modifiers } of answer.matches) {
      const bound = bindAll({ scope, all, instruction, modifiers, form })
      if ('failure' in bound) {
        if (worst === null || bound.far > worst.far) worst = bound
        continue
      }
      if (guard.right !== null) bound.reads.push(guard.right.register)
      // a product adds to the word there
      if (form.base === 'wgmma.mma_async') for (const r of bound.writes) bound.reads.push(r)
      return E.right({
        instruction,
        form,
        modifiers,
        guard: guard.right,
        operands: bound.operands,
        writes: bound.writes,
        reads: bound.reads,
      })
    }
    return E.left((worst ?? refusal(0, instruction.at, 'a form', `'${instruction.opcode}'`)).failure)
  }

interface Walk {
  readonly instructions: Resolved[]
  readonly refused: Failure<PtxError>[]
  readonly unsupported: Instruction[]
  readonly labels: Map<number, string[]>
  readonly all: Registers
  next: number
}

/** Resolves a body; a refused instruction is kept as its refusal. */
const walk = (w: Walk, scope: Scope, body: ReadonlyArray<Statement>): Failure<PtxError> | null => {
  const declared = declare(scope, body, w.next)
  if (E.isLeft(declared)) return declared.left
  const one = resolve(scope, w.all)
  for (const s of body) {
    if (s._tag === 'instruction') {
      const resolved = one(s)
      if (E.isLeft(resolved)) {
        w.refused.push(resolved.left)
        if (resolved.left.code === 'ptx.opcode') w.unsupported.push(s)
      } else w.instructions.push(resolved.right)
      w.next += 1
    } else if (s._tag === 'label') w.labels.set(w.next, [...(w.labels.get(w.next) ?? []), s.name])
    else if (s._tag === 'scope') {
      const failed = walk(w, innerScope(scope), s.body)
      if (failed !== null) return failed
    }
  }
  return null
}

/** A function and what of it was refused: its code is whole where nothing was. */
export interface Resolution {
  readonly code: Code
  readonly refused: ReadonlyArray<Failure<PtxError>>
  /** the instructions whose opcode no row has */
  readonly unsupported: ReadonlyArray<Instruction>
}

/** A function that has a body, in the scope of its module. */
export const resolveFunction =
  (outer: Scope) =>
  (f: Function): E.Either<Failure<PtxError>, Resolution> => {
    const scope = functionScope(outer, f)
    if (E.isLeft(scope)) return scope
    const w: Walk = { instructions: [], refused: [], unsupported: [], labels: new Map(), all: [], next: 0 }
    const failed = walk(w, innerScope(scope.right), f.body ?? [])
    if (failed !== null) return E.left(failed)
    return E.right({
      code: { function: f, instructions: w.instructions, registers: w.all, labels: w.labels },
      refused: w.refused,
      unsupported: w.unsupported,
    })
  }

/** Each function of a module that has a body, with all that is refused in it. */
export const resolveModule = (m: Module): E.Either<Failure<PtxError>, ReadonlyArray<Resolution>> => {
  const outer = moduleScope(m)
  if (E.isLeft(outer)) return outer
  const resolutions: Resolution[] = []
  for (const f of m.items) {
    if (f._tag !== 'function' || f.body === null) continue
    const resolved = resolveFunction(outer.right)(f)
    if (E.isLeft(resolved)) return resolved
    resolutions.push(resolved.right)
  }
  return E.right(resolutions)
}

/** Each function of a module that has a body, or the first thing in it that is refused. */
export const codeOf = (m: Module): E.Either<Failure<PtxError>, ReadonlyArray<Code>> => {
  const all = resolveModule(m)
  if (E.isLeft(all)) return all
  const refused = all.right.flatMap((r) => r.refused)[0]
  return refused === undefined ? E.right(all.right.map((r) => r.code)) : E.left(refused)
}
