/**
 * A form of an opcode: one row of the table, and how rows are written.
 *
 *     name     modifiers                    operands                     what it does
 *     'setp    cmp=$cmpS type=$signed     | p=pred|q=pred? a:@type b:@type | p = a cmp b, q = !(a cmp b)'
 *
 * Modifiers stand in their order. A bare word must be there; `word?` may be; `slot=a|b` is one of several words under a name of its own, `slot=a|b?` or none.
 * `$x` is a set of words that `sets` names. A word with a dot in it, `xorsign.abs`, is two modifiers.
 *
 * | operand      | is                                                                                                     |
 * |--------------|--------------------------------------------------------------------------------------------------------|
 * | `d=T`        | a register that is written; `d=T_` or `_` instead                                                      |
 * | `a:T`        | a register or a constant                                                                               |
 * | `a%T`        | a register                                                                                             |
 * | `a!pred`     | a predicate, negated or not                                                                            |
 * | `n#0..31`    | a constant within a range; `n#4|8|16` one of these                                                     |
 * | `d=T\|p=T`   | two registers that are written; with `?` the second may be left out                                    |
 * | `d={n}T`     | a vector of n: a number, the slot `vec` (a single one without it), or a count that `counts.ts` names   |
 * | `[a]`        | an address; `[a,{n}]` one with n coordinates                                                            |
 * | `&label`     | a label; `&targets`, `&function`, `&list`, `&any` are what they say                                     |
 *
 * A trailing `?` says that an operand may be left out. T is a type, `@slot` the type that a modifier says, `wide(slot)` one of twice its bits, `packed(slot)` b32 for two halves; with `~` behind it a register may be
 * wider than that.
 *
 * Law 1. Every row is read. A row that is written wrong, or one without an act (`acts.ts`), is a bug in this library.
 *
 * Source: PTX ISA 9.0, instructions.
 */
import { unreachable } from '../../../failure.js'
import { own } from '../../../own.js'
import { actsOf, type Act, type Acts } from './acts.js'

// ---------------------------------------------------------------- model

/** A modifier: the words that may stand there, each as the modifiers that it takes. */
export interface Slot {
  readonly name: string
  readonly words: ReadonlyArray<ReadonlyArray<string>>
  readonly optional: boolean
}

/** How the type of an operand follows from the modifiers. */
export interface TypeRule {
  readonly from: 'type' | 'slot' | 'wide' | 'packed'
  readonly name: string
  /** a register may have more bits */
  readonly relaxed: boolean
}

export type OperandRule =
  | {
      readonly _tag: 'register'
      readonly name: string
      readonly access: 'write' | 'read' | 'value'
      readonly type: TypeRule
      /** how many in braces: a number, a slot or the name of a count; null of a single one */
      readonly count: string | null
      readonly sink: boolean
      readonly optional: boolean
    }
  | { readonly _tag: 'predicate'; readonly name: string; readonly optional: boolean }
  | {
      readonly _tag: 'constant'
      readonly name: string
      readonly range: readonly [least: bigint, most: bigint]
      readonly among: ReadonlyArray<bigint> | null
      readonly optional: boolean
    }
  | {
      readonly _tag: 'pair'
      readonly first: OperandRule & { readonly _tag: 'register' }
      readonly second: OperandRule & { readonly _tag: 'register' }
      /** may the second be left out? */
      readonly single: boolean
      readonly optional: boolean
    }
  | {
      readonly _tag: 'address'
      readonly name: string
      readonly coordinates: string | null
      readonly optional: boolean
    }
  | {
      readonly _tag: 'reference'
      readonly name: string
      readonly to: 'label' | 'targets' | 'function' | 'list' | 'any'
      readonly optional: boolean
    }

export interface Form {
  /** what the row is about without its modifiers: `add`, `mbarrier.try_wait` */
  readonly base: string
  readonly slots: ReadonlyArray<Slot>
  readonly operands: ReadonlyArray<OperandRule>
  readonly about: string
  readonly family: Family
  /** what it does to others */
  readonly act: Act
  /** of the PTX ISA */
  readonly section: string
  /** the row as it is written */
  readonly row: string
}

export type Family =
  | 'integer'
  | 'extended precision'
  | 'floating point'
  | 'comparison'
  | 'logic'
  | 'conversion'
  | 'memory'
  | 'warp'
  | 'barrier'
  | 'fence'
  | 'control'
  | 'mbarrier'
  | 'asynchronous copy'
  | 'tensor map'
  | 'matrix'
  | 'wgmma'
  | 'tcgen05'
  | 'cluster'
  | 'miscellaneous'

// ---------------------------------------------------------------- sets of words

const sets: Readonly<Record<string, string>> = {
  int: 'u16|u32|u64|s16|s32|s64',
  int8: 'u8|u16|u32|u64|s8|s16|s32|s64',
  bits: 'b16|b32|b64',
  unsigned: 'u16|u32|u64',
  signed: 's16|s32|s64',
  memory: 'b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64',
  rnd: 'rn|rz|rm|rp',
  irnd: 'rni|rzi|rmi|rpi',
  cmpB: 'eq|ne',
  cmpS: 'eq|ne|lt|le|gt|ge',
  cmpU: 'eq|ne|lt|le|gt|ge|lo|ls|hi|hs',
  cmpF: 'eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan',
  bool: 'and|or|xor',
  shared: 'shared|shared::cta|shared::cluster',
  cta: 'shared|shared::cta',
  space: 'global|shared|shared::cta|shared::cluster',
  scope: 'cta|cluster|gpu|sys',
  cop: 'ca|cg|cs|lu|cv',
  copSt: 'wb|cg|cs|wt',
  l1: 'L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate',
  l2: 'L2::evict_normal|L2::evict_first|L2::evict_last',
  prefetch: 'L2::64B|L2::128B|L2::256B',
  dim: '1d|2d|3d|4d|5d',
  wmma: 'm16n16k16|m8n32k16|m32n8k16',
  wmmaSpace: 'global|shared|shared::cta',
}

// ---------------------------------------------------------------- reading rows

const wordsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split('|')
    .flatMap((word) =>
      word.startsWith('$') ? (own(sets, word.slice(1)) ?? unreachable(word)).split('|') : [word],
    )
    .map((word) => word.split('.'))

const slotOf = (text: string): Slot => {
  const optional = text.endsWith('?')
  const body = optional ? text.slice(0, -1) : text
  const at = body.indexOf('=')
  return at < 0
    ? { name: body.split('.')[0] ?? body, words: [body.split('.')], optional }
    : { name: body.slice(0, at), words: wordsOf(body.slice(at + 1)), optional }
}

const typeOf = (text: string): TypeRule => {
  const relaxed = text.endsWith('~')
  const body = relaxed ? text.slice(0, -1) : text
  const wide = /^wide\((\w+)\)$/.exec(body)?.[1]
  const packed = /^packed\((\w+)\)$/.exec(body)?.[1]
  return wide !== undefined
    ? { from: 'wide', name: wide, relaxed }
    : packed !== undefined
      ? { from: 'packed', name: packed, relaxed }
      : body.startsWith('@')
        ? { from: 'slot', name: body.slice(1), relaxed }
        : { from: 'type', name: body, relaxed }
}

const registerOf = (text: string, optional: boolean): OperandRule & { readonly _tag: 'register' } => {
  const sink = text.endsWith('_')
  const [, name = '', sigil = '', count, type = ''] =
    /^(\w+?)([=:%])(?:\{(\w+)\})?(.+)$/.exec(sink ? text.slice(0, -1) : text) ?? unreachable(text)
  return {
    _tag: 'register',
    name,
    access: sigil === '=' ? 'write' : sigil === '%' ? 'read' : 'value',
    type: typeOf(type),
    count: count ?? null,
    sink,
    optional,
  }
}

const references = {
  label: 'label',
  targets: 'targets',
  function: 'function',
  list: 'list',
  any: 'any',
} as const

const operandOf = (text: string): OperandRule => {
  const optional = text.endsWith('?')
  const body = optional ? text.slice(0, -1) : text
  if (body.startsWith('[')) {
    const [, name = '', coordinates] = /^\[(\w+)(?:,\{(\w+)\})?\]$/.exec(body) ?? unreachable(text)
    return { _tag: 'address', name, coordinates: coordinates ?? null, optional }
  }
  const reference = /^(\w*)&(label|targets|function|list|any)$/.exec(body)
  if (reference !== null) {
    const to = Object.values(references).find((word) => word === reference[2]) ?? unreachable(text)
    return { _tag: 'reference', name: reference[1] === '' ? to : (reference[1] ?? to), to, optional }
  }
  const constant = /^(\w+)#(?:(-?\d+)\.\.(-?\d+)|([-\d|]+))$/.exec(body)
  if (constant !== null) {
    const among = constant[4]?.split('|').map(BigInt) ?? null
    const range: readonly [bigint, bigint] = [BigInt(constant[2] ?? 0), BigInt(constant[3] ?? 0)]
    return { _tag: 'constant', name: constant[1] ?? '', range, among, optional }
  }
  const predicate = /^(\w+)!pred$/.exec(body)
  if (predicate !== null) return { _tag: 'predicate', name: predicate[1] ?? '', optional }
  const [first = '', second] = body.split('|')
  return second === undefined
    ? registerOf(body, optional)
    : {
        _tag: 'pair',
        first: registerOf(first, false),
        second: registerOf(second, false),
        single: optional,
        optional: false,
      }
}

const words = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((w) => w !== '')

/** The rows of a family under the heading of a chapter of the ISA, with what they do to others; a line is `base modifiers | operands | what it does`. */
export const rowsOf =
  (family: Family, chapter: string, acts: Acts) =>
  (text: string): ReadonlyArray<Form> => {
    const rows = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((row) => {
        const [left = '', operands = '', about = ''] = row.split(' | ').map((part) => part.trim())
        const [base = '', ...slots] = words(left)
        return { row, base, slots, operands, about }
      })
    const actOf = actsOf(acts, new Set(rows.map(({ base }) => base))) ?? unreachable(chapter)
    return rows.map(({ row, base, slots, operands, about }) => ({
      base,
      slots: slots.map(slotOf),
      operands: words(operands === '-' ? '' : operands).map(operandOf),
      about,
      family,
      act: actOf(base),
      section: `${chapter}: ${base}`,
      row,
    }))
  }

// ---------------------------------------------------------------- matching modifiers

/** What each slot stands for in an opcode; a slot that is left out is not there. */
export type Modifiers = Readonly<Record<string, string>>

const startsWith = (parts: ReadonlyArray<string>, at: number, word: ReadonlyArray<string>): boolean =>
  word.every((w, k) => parts[at + k] === w)

/** How far the modifiers of an opcode follow a row, and what its slots are where they all do. */
export const matched = (
  form: Form,
  parts: ReadonlyArray<string>,
): { readonly modifiers: Modifiers | null; readonly far: number } => {
  let far = 0
  const from = (slot: number, at: number, found: Modifiers): Modifiers | null => {
    far = Math.max(far, at)
    const rule = form.slots[slot]
    if (rule === undefined) return at === parts.length ? found : null
    for (const word of rule.words)
      if (startsWith(parts, at, word)) {
        const rest = from(slot + 1, at + word.length, { ...found, [rule.name]: word.join('.') })
        if (rest !== null) return rest
      }
    return rule.optional ? from(slot + 1, at, found) : null
  }
  const base = form.base.split('.')
  if (!startsWith(parts, 0, base)) return { modifiers: null, far: 0 }
  return { modifiers: from(0, base.length, {}), far }
}
