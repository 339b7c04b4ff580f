/**
 * Modules of PTX as trees: what a text says, and nothing that it means.
 *
 *     @!%p1 ld.shared::cta.v2.b32 {%r1, _}, [tile+16];
 *     guard { name '%p1', negated }, opcode 'ld.shared::cta.v2.b32',
 *     operands  vector [name '%r1', sink], address { base 'tile', offset 16 }
 *
 * A tree keeps what printing needs, and of comments those that stand between statements. What an opcode is, which register a name means and how
 * wide an operand is, are questions to `opcodes/`: here a name is a name, and the same name in two scopes may mean two things.
 *
 * Source: PTX ISA 9.0, syntax; state spaces, types and variables; instruction operands; directives.
 */
import type { Position } from './position.js'

// ---------------------------------------------------------------- words

/** A type without its dot: `b32`, `f16x2`, `pred`. */
export type TypeName =
  | 'b8'
  | 'b16'
  | 'b32'
  | 'b64'
  | 'b128'
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 's8'
  | 's16'
  | 's32'
  | 's64'
  | 'f16'
  | 'f16x2'
  | 'bf16'
  | 'bf16x2'
  | 'f32'
  | 'f64'
  | 'pred'

/** Where a variable lies. */
export type StateSpace = 'global' | 'shared' | 'const' | 'local' | 'param'

export type Linkage = 'visible' | 'extern' | 'weak' | 'common'

// ---------------------------------------------------------------- operands

/** An integer: its value as 64 bits are read with the sign of the constant, and how it was written. */
export interface IntegerConstant {
  readonly _tag: 'integer'
  /** of an unsigned constant from 0 to 2^64 - 1, else from -2^63 to 2^63 - 1 */
  readonly value: bigint
  readonly unsigned: boolean
  /** as it is printed: `-1`, `0x80`, `1U`, `(1<<4)` */
  readonly text: string
}
/** A floating constant by its bits: of `0f3F800000` the 32 of an f32, of `0d...` and of `1.5` the 64 of an f64. */
export interface FloatConstant {
  readonly _tag: 'float'
  readonly width: 32 | 64
  readonly bits: bigint
  readonly text: string
}
export type Constant = IntegerConstant | FloatConstant

/** A register, a symbol, a label: `%r1`, `buf`, `$L__BB0_1`; with a selector `%tid.x`, `%v.x`. */
export interface Name {
  readonly _tag: 'name'
  readonly at: Position
  readonly name: string
  readonly selector: string | null
  /** bytes behind a symbol: `buf+16` */
  readonly offset: number
}
/** `[base+offset]`; base is null of an absolute address. */
export interface Address {
  readonly _tag: 'address'
  readonly at: Position
  readonly base: Name | null
  readonly offset: number
  /** what stands behind the base in the same brackets: the coordinates of `[map, {%r1, %r2}]` */
  readonly more: ReadonlyArray<Operand>
}
export type Operand =
  | Constant
  | Name
  | Address
  /** `_`: a result that nothing wants, a place that nothing fills */
  | { readonly _tag: 'sink' }
  /** `!%p1` */
  | { readonly _tag: 'not'; readonly of: Name }
  /** `{%r1, %r2, _}` */
  | { readonly _tag: 'vector'; readonly items: ReadonlyArray<Operand> }
  /** `%r1|%p1` */
  | { readonly _tag: 'pair'; readonly first: Operand; readonly second: Operand }
  /** `(a, b)` of a call */
  | { readonly _tag: 'list'; readonly items: ReadonlyArray<Operand> }
  /** `a[1]`, an element of an array */
  | { readonly _tag: 'element'; readonly at: Position; readonly name: string; readonly index: number }

// ---------------------------------------------------------------- statements

/** What `.loc` says: a place of a source, as line and column of a numbered `.file`. */
export interface SourceLocation {
  readonly file: number
  readonly line: number
  readonly column: number
  /** the function that was inlined here, as a label of a debug section, and where */
  readonly inlined: {
    readonly label: string
    readonly offset: number
    readonly at: { readonly file: number; readonly line: number; readonly column: number }
  } | null
}

export interface Guard {
  readonly at: Position
  readonly name: string
  readonly negated: boolean
}

export interface Instruction {
  readonly _tag: 'instruction'
  readonly at: Position
  readonly guard: Guard | null
  /** with all its modifiers: `mbarrier.init.shared::cta.b64` */
  readonly opcode: string
  readonly operands: ReadonlyArray<Operand>
  /** what the last `.loc` before it in its function said */
  readonly location: SourceLocation | null
}

export interface RegisterDeclaration {
  readonly _tag: 'registers'
  readonly at: Position
  readonly type: TypeName
  readonly vector: 1 | 2 | 4 | 8
  readonly name: string
  /** of `%r<12>`, which declares `%r0` to `%r11`; null of one register of this name */
  readonly count: number | null
}

export type Initial =
  | Constant
  /** an address; `generic(buf)+4`, and of `0xFF(buf)` one byte of it */
  | {
      readonly _tag: 'symbol'
      readonly at: Position
      readonly name: string
      readonly offset: number
      readonly generic: boolean
      readonly mask: bigint | null
    }
  | { readonly _tag: 'braced'; readonly items: ReadonlyArray<Initial> }

export interface Variable {
  readonly _tag: 'variable'
  readonly at: Position
  readonly linkage: Linkage | null
  readonly space: StateSpace
  readonly align: number | null
  /** what stands in `.attribute(...)`: `.managed`; of tokens without blanks */
  readonly attribute: string | null
  readonly vector: 1 | 2 | 4 | 8
  readonly type: TypeName
  readonly name: string
  /** of `name<4>`, which declares `name0` to `name3` */
  readonly count: number | null
  /** of `[4][8]`, outermost first; null is an extent that is left out, which the first one may be */
  readonly extents: ReadonlyArray<number | null>
  readonly initial: Initial | null
}

export interface Parameter {
  readonly at: Position
  readonly space: 'param' | 'reg'
  readonly align: number | null
  readonly type: TypeName
  /** of `.ptr .global .align 16` */
  readonly pointer: { readonly space: StateSpace | null; readonly align: number | null } | null
  /** `_` in a prototype */
  readonly name: string
  readonly extents: ReadonlyArray<number | null>
}

/** What a function is called with, of a `.callprototype`. */
export interface Prototype {
  readonly results: ReadonlyArray<Parameter>
  readonly parameters: ReadonlyArray<Parameter>
}

/** `.maxntid 128, 1, 1`, `.noreturn`, `.pragma "nounroll"`: in the words and numbers that follow. */
export interface Directive {
  readonly name: string
  readonly numbers: ReadonlyArray<number>
  readonly strings: ReadonlyArray<string>
}

export type Statement =
  | Instruction
  | RegisterDeclaration
  | Variable
  | { readonly _tag: 'label'; readonly at: Position; readonly name: string }
  /** `{ ... }`: names that are declared in it are its own */
  | { readonly _tag: 'scope'; readonly at: Position; readonly body: ReadonlyArray<Statement> }
  | { readonly _tag: 'loc'; readonly at: Position; readonly location: SourceLocation }
  | { readonly _tag: 'pragma'; readonly at: Position; readonly strings: ReadonlyArray<string> }
  /** `name: .branchtargets a, b;` and `.calltargets` */
  | {
      readonly _tag: 'targets'
      readonly at: Position
      readonly name: string
      readonly of: 'branch' | 'call'
      readonly targets: ReadonlyArray<Name>
    }
  | {
      readonly _tag: 'prototype'
      readonly at: Position
      readonly name: string
      readonly prototype: Prototype
      readonly directives: ReadonlyArray<Directive>
    }
  | Comment

/** With its slashes, and of several lines with all of them. */
export interface Comment {
  readonly _tag: 'comment'
  readonly at: Position
  readonly text: string
}

// ---------------------------------------------------------------- modules

export interface Function {
  readonly _tag: 'function'
  readonly at: Position
  readonly kind: 'entry' | 'func'
  readonly linkage: Linkage | null
  readonly attribute: string | null
  readonly name: string
  readonly results: ReadonlyArray<Parameter>
  /** null where the text has no parentheses */
  readonly parameters: ReadonlyArray<Parameter> | null
  readonly directives: ReadonlyArray<Directive>
  /** null of a declaration */
  readonly body: ReadonlyArray<Statement> | null
}

/** A line of a section of debug information: a label, or values of one width as they are written. */
export type SectionLine =
  | { readonly _tag: 'label'; readonly name: string }
  | { readonly _tag: 'data'; readonly type: TypeName; readonly values: ReadonlyArray<string> }

export type Item =
  | Function
  | Variable
  | {
      readonly _tag: 'file'
      readonly at: Position
      readonly index: number
      readonly path: string
      /** time and size of the file, where they are said */
      readonly stamp: readonly [time: number, size: number] | null
    }
  | {
      readonly _tag: 'section'
      readonly at: Position
      readonly name: string
      readonly lines: ReadonlyArray<SectionLine>
    }
  | { readonly _tag: 'alias'; readonly at: Position; readonly name: string; readonly of: string }
  | { readonly _tag: 'pragma'; readonly at: Position; readonly strings: ReadonlyArray<string> }
  | Comment

export interface Module {
  /** what stands before `.version` and between it and the first item */
  readonly comments: ReadonlyArray<Comment>
  /** `9.0` */
  readonly version: string
  /** `sm_90a`, and options as `debug` */
  readonly targets: ReadonlyArray<string>
  readonly addressSize: 32 | 64 | null
  readonly items: ReadonlyArray<Item>
}

// ---------------------------------------------------------------- looking things up

/** The functions that have bodies, entries or not. */
export const functionsOf = (m: Module): ReadonlyArray<Function> =>
  m.items.flatMap((item) => (item._tag === 'function' && item.body !== null ? [item] : []))

/** The path of a numbered `.file`. */
export const fileOf = (m: Module, index: number): string | null =>
  m.items.reduce<string | null>(
    (path, item) => (item._tag === 'file' && item.index === index ? item.path : path),
    null,
  )
