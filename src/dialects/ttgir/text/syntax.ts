/**
 * A module of TTGIR as data: operations, values, types, attributes, locations.
 *
 * Nothing is computed here and nothing is left out: printing a module gives back a text that says the same. What an alias stands for is looked
 * up where it matters; the reader has made sure that it is there.
 *
 *     %s = ttg.memdesc_index %x[%c0] : !ttg.memdesc<3x1xi64, ...> -> !ttg.memdesc<1xi64, ...> loc(#loc3)
 *     name 'ttg.memdesc_index', operands { src: [%x], index: [%c0] }, names [%s], attributes [], location #loc3
 *
 * Operands are kept by the names that their row in `formats.ts` gives them, each with the type of the value: where a text says a type again the
 * reader has compared the two.
 *
 * Source: MLIR language reference; Triton 3.6, dialects tt, ttg and ttng.
 */
import { remembered } from '../../../remembered.js'
import type { Position } from './position.js'

// ---------------------------------------------------------------- types

export type Type =
  | { readonly _tag: 'integer'; readonly bits: number; readonly sign: '' | 's' | 'u' }
  /** by its name: f16, bf16, f32, f64, f8E4M3FN, ... */
  | { readonly _tag: 'float'; readonly name: string }
  | { readonly _tag: 'index' }
  | { readonly _tag: 'pointer'; readonly pointee: Type; readonly space: number }
  | {
      readonly _tag: 'tensor'
      readonly shape: ReadonlyArray<number>
      readonly element: Type
      readonly encoding: Attribute | null
    }
  | {
      readonly _tag: 'memdesc'
      readonly shape: ReadonlyArray<number>
      readonly element: Type
      readonly encoding: Attribute
      readonly space: Attribute
      readonly mutable: boolean
      /** the shape of the allocation that it is a part of, where that is another */
      readonly allocation: ReadonlyArray<number> | null
    }
  | { readonly _tag: 'descriptor'; readonly block: Type }
  | { readonly _tag: 'token' }
  | {
      readonly _tag: 'function'
      readonly inputs: ReadonlyArray<Type>
      readonly results: ReadonlyArray<Type>
    }

// ---------------------------------------------------------------- attributes

/** `name = value`, or the name alone of a `unit`. */
export interface Named {
  readonly name: string
  readonly value: Attribute
}
export type Dictionary = ReadonlyArray<Named>

export type Attribute =
  | { readonly _tag: 'unit' }
  | { readonly _tag: 'boolean'; readonly value: boolean }
  | { readonly _tag: 'integer'; readonly value: bigint; readonly type: Type | null }
  /** as it is written, so that no digit is lost: `1.000000e+00`, or the bits `0xFF800000` */
  | { readonly _tag: 'float'; readonly text: string; readonly type: Type | null }
  | { readonly _tag: 'string'; readonly value: string }
  /** a bare word: `sgt`, `x`, `acq_rel` */
  | { readonly _tag: 'word'; readonly word: string }
  | { readonly _tag: 'symbol'; readonly name: string }
  | { readonly _tag: 'list'; readonly items: ReadonlyArray<Attribute> }
  /** `array<i32: 1, 0>` */
  | { readonly _tag: 'array'; readonly element: Type; readonly items: ReadonlyArray<Attribute> }
  /** `dense<0.0> : tensor<...>` */
  | { readonly _tag: 'dense'; readonly value: Attribute; readonly type: Type }
  | { readonly _tag: 'dictionary'; readonly entries: Dictionary }
  | { readonly _tag: 'type'; readonly type: Type }
  | { readonly _tag: 'alias'; readonly name: string }
  /** `#ttg.blocked<{...}>`, `#ttng.tensor_memory_encoding<...>`, `#ttg.shared_memory`; `braced`: how many of the entries, from the first, stand in braces, null without braces */
  | {
      readonly _tag: 'dialect'
      readonly name: string
      readonly entries: Dictionary | null
      readonly braced: number | null
    }

// ---------------------------------------------------------------- locations

export type Location =
  | { readonly _tag: 'unknown' }
  | { readonly _tag: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly _tag: 'name'; readonly name: string; readonly of: Location | null }
  | { readonly _tag: 'call'; readonly callee: Location; readonly caller: Location }
  | { readonly _tag: 'fused'; readonly metadata: Attribute | null; readonly of: ReadonlyArray<Location> }
  | { readonly _tag: 'alias'; readonly name: string }

// ---------------------------------------------------------------- values and operations

/** The name without its sign, and the number of the result: `%acc:3` has three results, `%acc#1` is the
 * second. */
export interface Value {
  readonly name: string
  readonly index: number | null
  readonly type: Type
}

/** An argument of a region or of a function. */
export interface Parameter {
  readonly name: string
  readonly type: Type
  readonly attributes: Dictionary
  readonly location: Location | null
}

export interface Block {
  /** `bb0`; null for the only block of a region without a label */
  readonly label: string | null
  readonly parameters: ReadonlyArray<Parameter>
  readonly operations: ReadonlyArray<Operation>
}

export interface Region {
  /** what stands before its braces where regions have names: `default`, `partition0` */
  readonly name: string | null
  readonly blocks: ReadonlyArray<Block>
}

/** The block where control continues, and its arguments. */
export interface Successor {
  readonly block: string
  readonly values: ReadonlyArray<Value>
}

export interface Operation {
  readonly name: string
  readonly at: Position
  /** the names of its results, each of one or of several; and the types of all of them */
  readonly names: ReadonlyArray<{ readonly name: string; readonly count: number }>
  readonly results: ReadonlyArray<Type>
  readonly operands: Readonly<Record<string, ReadonlyArray<Value>>>
  readonly attributes: Dictionary
  readonly successors: ReadonlyArray<Successor>
  readonly regions: ReadonlyArray<Region>
  readonly location: Location | null
}

/** `#name = ...`: an attribute or a location by a name of its own. */
export interface Definition {
  readonly name: string
  readonly attribute: Attribute | null
  readonly location: Location | null
}

export interface Module {
  readonly name: string | null
  readonly attributes: Dictionary
  /** in the order of the text; the first `leading` of them come before the module, the others after it */
  readonly definitions: ReadonlyArray<Definition>
  readonly leading: number
  readonly operations: ReadonlyArray<Operation>
  readonly location: Location | null
}

// ---------------------------------------------------------------- looking things up

const definitions = remembered(
  (m: Module): ReadonlyMap<string, Definition> => new Map(m.definitions.map((d) => [d.name, d])),
)
/** What an alias of the module stands for. */
export const definitionOf = (m: Module, name: string): Definition | undefined => definitions(m).get(name)

export const attributeOf = (attributes: Dictionary, name: string): Attribute | undefined =>
  attributes.find((entry) => entry.name === name)?.value
