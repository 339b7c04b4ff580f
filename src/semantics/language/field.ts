/**
 * Fields: what the words of a row say at run time.
 *
 * `derive.ts` reads the rows for tsc; this module reads the same words for everything that runs: which fields of an instruction are operands
 * (expressions that an agent evaluates) and of what kind, and which are attributes (part of the instruction itself).
 *
 *     coords: 'i32 ...'                    operands, each a scalar i32
 *     a: 'view smem|regs rank 2'           an operand: a view of two axes in one of two spaces, of any dtype
 *     'saturate?': 'bool'                  an attribute, yes or no, that may be left out
 *
 * Laws
 * 1. For each of the words in `rows.ts` the field is what the derived type says: all of its spaces and dtypes, its rank, its discipline.
 * 2. Every row is read, in the order in which it is written. Only an operand, a `bool` or a list of numbers may be left out.
 */
import { dtypes, floatDtypes, type Dtype } from '../../numerics/dtype.js'
import { unreachable } from '../../failure.js'
import { spaces, type ScalarName, type Space } from './types.js'

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

export type Field =
  | { readonly _tag: 'operand'; readonly kind: OperandKind; readonly optional: boolean }
  | { readonly _tag: 'operands'; readonly kind: OperandKind }
  /** the completions of an MMA: each a barrier that orders the tensor core, a predicate, perhaps a multicast mask */
  | { readonly _tag: 'completions' }
  | { readonly _tag: 'nat' }
  | { readonly _tag: 'nats'; readonly optional: boolean }
  | { readonly _tag: 'bool'; readonly optional: boolean }
  | { readonly _tag: 'dtype' }
  | { readonly _tag: 'text'; readonly optional: boolean }
  | { readonly _tag: 'enum'; readonly of: ReadonlyArray<string | number> }

// ---------------------------------------------------------------- reading

const scalarNames: ReadonlyArray<ScalarName> = ['i1', 'i32', 'i64', ...floatDtypes]

const oneOf = <T extends string>(known: ReadonlyArray<T>, word: string): T =>
  known.find((x) => x === word) ?? unreachable(`${word} in a row of instructions`)

/** `text rank 2` apart. */
const ranked = (text: string): readonly [rest: string, rank: number | 'any'] => {
  const [rest = '', rank] = text.split(' rank ')
  return [rest, rank === undefined ? 'any' : Number(rank)]
}

const viewOf = (text: string): OperandKind => {
  const [rest, rank] = ranked(text)
  const [where = '', what] = rest.split(' of ')
  return {
    _tag: 'view',
    spaces: where.split('|').map((word) => oneOf(spaces, word)),
    dtypes: what === undefined ? 'any' : what.split('|').map((word) => oneOf(dtypes, word)),
    rank,
  }
}

const tileOf = (text: string): OperandKind => {
  const [element, rank] = ranked(text)
  return { _tag: 'tile', element: oneOf([...scalarNames, 'scalar', 'ptr'], element), rank }
}

/** The kind of operand that the words name. */
export const kindOf = (words: string): OperandKind => {
  switch (words) {
    case 'ptr':
    case 'descriptor':
      return { _tag: words }
    case 'barrier':
      return { _tag: 'barrier', ordersTensorCore: false }
    case 'tensor barrier':
      return { _tag: 'barrier', ordersTensorCore: true }
  }
  return words.startsWith('view ')
    ? viewOf(words.slice('view '.length))
    : words.startsWith('tile ')
      ? tileOf(words.slice('tile '.length))
      : { _tag: 'scalar', dtype: oneOf(scalarNames, words) }
}

const literal = (word: string): string | number => (/^\d+$/.test(word) ? Number(word) : word)

/** A field that may be left out, or one that may not and is no list of operands. */
const single = (words: string, optional: boolean): Field =>
  words === 'bool'
    ? { _tag: 'bool', optional }
    : words === 'nat ...'
      ? { _tag: 'nats', optional }
      : words === 'text'
        ? { _tag: 'text', optional }
        : { _tag: 'operand', kind: kindOf(words), optional }

const required = (words: string): Field => {
  switch (words) {
    case 'nat':
    case 'dtype':
      return { _tag: words }
    case 'completion ...':
      return { _tag: 'completions' }
  }
  return words.startsWith('= ')
    ? { _tag: 'enum', of: words.slice('= '.length).split(' | ').map(literal) }
    : words.endsWith(' ...') && words !== 'nat ...'
      ? { _tag: 'operands', kind: kindOf(words.slice(0, -' ...'.length)) }
      : single(words, false)
}

/** The fields of a row, by their names, in its order. */
export const fieldsOf = (row: Readonly<Record<string, string>>): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    Object.entries(row).map(([name, words]) =>
      name.endsWith('?') ? [name.slice(0, -1), single(words, true)] : [name, required(words)],
    ),
  )
