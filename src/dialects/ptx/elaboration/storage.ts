/**
 * Where what a module and its functions declare lies: variables in shared, global, constant and local memory, parameters of an entry and of functions.
 *
 * Shared variables follow one another in the order of the text; the dynamic part lies behind them all. A function does not call itself (PTX has no
 * stack here), so its parameters and its local variables have bytes of local memory of their own.
 *
 * Source: PTX ISA, state spaces; variables; function declarations.
 */
import type { SharedVariable } from '../../../semantics/warps/program.js'
import type { Variable as Stored } from '../../../semantics/warps/program.js'
import type { Symbol } from '../opcodes/scope.js'
import {
  functionsOf,
  type Function,
  type Initial,
  type Module,
  type Parameter,
  type Statement,
  type Variable,
} from '../text/module.js'
import type { Position } from '../text/position.js'
import { localBytes, refuse, type Emitter } from './emitter.js'
import { functionsIn, functionWindow, type Functions } from './functions.js'
import { bitsOf, bytesOf } from './types.js'

// ---------------------------------------------------------------- model

/** Where a symbol lies. */
export type Place =
  | { readonly _tag: 'shared'; readonly offset: number }
  /** the dynamic part of shared memory: behind all variables */
  | { readonly _tag: 'dynamic' }
  | { readonly _tag: 'global' | 'const'; readonly symbol: string }
  | {
      readonly _tag: 'local'
      readonly offset: number
      readonly bytes: number
      /** it has fields, of which some may be written and what lies between them is not */
      readonly hasFields: boolean
    }
  | { readonly _tag: 'parameter'; readonly offset: number; readonly bytes: number }

/** A parameter of the entry, as its bytes lie. */
export interface EntryParameter {
  readonly name: string
  readonly type: string
  readonly offset: number
  readonly bytes: number
  readonly at: Position
}

export interface Storage {
  /** by what declares it; `buf<4>` declares four, by their names */
  readonly places: Map<Variable | Parameter, ReadonlyMap<string, Place>>
  readonly variables: Stored[]
  readonly functions: Functions
  /** bytes of shared variables so far */
  shared: number
  /** what the chip keeps of shared memory is asked for */
  reserved: boolean
}

// ---------------------------------------------------------------- sizes

interface Shaped {
  readonly type: string
  readonly extents: ReadonlyArray<number | null>
  readonly align: number | null
  readonly vector?: number
}

const sizeOf = (v: Shaped): number =>
  v.extents.reduce<number>(
    (n, extent) => n * (extent ?? 0),
    Math.max(1, bitsOf(v.type) / 8) * (v.vector ?? 1),
  )

const alignOf = (v: Shaped): number => v.align ?? bytesOf(v.type) * (v.vector ?? 1)

const up = (n: number, to: number): number => Math.ceil(n / to) * to

// ---------------------------------------------------------------- initial contents

const little = (bytes: Uint8Array, at: number, width: number, value: bigint): void => {
  for (let b = 0; b < width; b++) bytes[at + b] = Number((value >> BigInt(8 * b)) & 0xffn)
}

const stored = (e: Emitter, functions: Functions, v: Variable): Stored => {
  const bytes = new Uint8Array(sizeOf(v))
  const width = Math.max(1, bitsOf(v.type) / 8)
  const addresses: { readonly at: number; readonly symbol: string; readonly offset: number }[] = []
  let at = 0
  const write = (i: Initial): void => {
    switch (i._tag) {
      case 'braced':
        for (const item of i.items) write(item)
        return
      case 'integer':
        little(bytes, at, width, i.value)
        at += width
        return
      case 'float':
        little(bytes, at, width, i.bits)
        at += width
        return
      case 'symbol': {
        e.at = i.at
        const code = functions.addresses.get(i.name)
        if (width !== 8 || i.mask !== null)
          refuse(e, 'ptx.operand', 'the whole address of a variable, in 64 bits', i.name)
        else if (code !== undefined)
          little(bytes, at, 8, (BigInt(functionWindow) << 32n) | BigInt(code + i.offset))
        else addresses.push({ at, symbol: i.name, offset: i.offset })
        at += width
        return
      }
    }
  }
  if (v.initial !== null) write(v.initial)
  return {
    symbol: v.name,
    space: v.space === 'const' ? 'const' : 'global',
    managed: v.attribute === '.managed',
    bytes: bytes.length,
    align: alignOf(v),
    initial: bytes,
    addresses,
  }
}

// ---------------------------------------------------------------- declarations

const placeVariable = (e: Emitter, s: Storage, v: Variable): void => {
  e.at = v.at
  const size = sizeOf(v)
  const align = alignOf(v)
  const names =
    v.count === null ? [v.name] : Array.from({ length: v.count }, (_, i) => `${v.name}${String(i)}`)
  const one = (name: string): Place => {
    switch (v.space) {
      case 'shared': {
        if (v.linkage === 'extern' || v.extents.includes(null)) return { _tag: 'dynamic' }
        const offset = up(s.shared, align)
        s.shared = offset + size
        return { _tag: 'shared', offset }
      }
      case 'local':
      case 'param':
        return {
          _tag: 'local',
          offset: localBytes(e, size, Math.max(align, 4)),
          bytes: size,
          hasFields: v.extents.length > 0,
        }
      case 'const':
      case 'global':
        return { _tag: v.space === 'const' ? 'const' : 'global', symbol: name }
    }
  }
  s.places.set(v, new Map(names.map((name) => [name, one(name)])))
}

const placeBody = (e: Emitter, s: Storage, body: ReadonlyArray<Statement>): void => {
  for (const one of body)
    if (one._tag === 'variable') placeVariable(e, s, one)
    else if (one._tag === 'scope') placeBody(e, s, one.body)
}

const placeFormals = (e: Emitter, s: Storage, ps: ReadonlyArray<Parameter>): void => {
  for (const p of ps) {
    e.at = p.at
    if (p.space === 'reg') refuse(e, 'ptx.operand', 'parameters in the parameter space', 'a register')
    const bytes = sizeOf(p)
    const offset = localBytes(e, bytes, Math.max(4, alignOf(p)))
    s.places.set(p, new Map([[p.name, { _tag: 'local', offset, bytes, hasFields: p.extents.length > 0 }]]))
  }
}

/** The parameters of an entry, one behind the other. */
export const entryParameters = (f: Function): ReadonlyArray<EntryParameter> => {
  let offset = 0
  return (f.parameters ?? []).map((p) => {
    const bytes = sizeOf(p)
    const at = up(offset, alignOf(p))
    offset = at + bytes
    return { name: p.name, type: p.type, offset: at, bytes, at: p.at }
  })
}

/** What a module declares, as it is seen from one of its entries, or from a function that none need call. */
export const storageOf = (e: Emitter, m: Module, entry: Function | null): Storage => {
  const s: Storage = {
    places: new Map(),
    variables: [],
    functions: functionsIn(m),
    shared: 0,
    reserved: false,
  }
  for (const item of m.items)
    if (item._tag === 'variable') {
      placeVariable(e, s, item)
      if ((item.space === 'global' || item.space === 'const') && item.linkage !== 'extern')
        s.variables.push(stored(e, s.functions, item))
    }
  for (const f of functionsOf(m))
    if (f.kind === 'func') {
      placeFormals(e, s, f.parameters ?? [])
      placeFormals(e, s, f.results)
    }
  for (const p of entry === null ? [] : entryParameters(entry)) {
    const declared = entry?.parameters?.find(({ name }) => name === p.name)
    if (declared !== undefined)
      s.places.set(declared, new Map([[p.name, { _tag: 'parameter', offset: p.offset, bytes: p.bytes }]]))
  }
  return s
}

/** And what the body of a function declares. */
export const declareBody = (e: Emitter, s: Storage, f: Function): void => {
  placeBody(e, s, f.body ?? [])
}

/** `full` of `_ZZ6kernelE4full`, which is a variable inside a function; any other name as it is. */
const authored = (name: string): string => {
  if (!name.startsWith('_ZZ')) return name
  const found = [...name.matchAll(/E(\d+)(?=[A-Za-z_])/gu)].flatMap((m) => {
    const own = name.slice(m.index + m[0].length)
    const length = Number(m[1])
    // behind it there may be the number of one of several
    return length <= own.length && /^(?:_\d+)?$/u.test(own.slice(length)) ? [own.slice(0, length)] : []
  })
  return found[0] ?? name
}

/** The variables in shared memory, ascending. */
export const sharedNames = (s: Storage): ReadonlyArray<SharedVariable> =>
  [...s.places]
    .flatMap(([declared, places]) =>
      [...places].flatMap(([name, place]) =>
        place._tag === 'shared'
          ? [
              {
                name: authored(name),
                start: place.offset,
                end: place.offset + sizeOf(declared),
                elementBytes: Math.max(1, bitsOf(declared.type) / 8),
                extents: declared.extents.map((extent) => extent ?? 0),
              },
            ]
          : [],
      ),
    )
    .filter(({ start, end }) => end > start)
    .sort((x, y) => x.start - y.start)

/** Dynamic shared memory begins at a multiple of this. */
export const sharedAlignOf = (m: Module): number =>
  m.items.reduce(
    (n, item) => (item._tag === 'variable' && item.space === 'shared' ? Math.max(n, alignOf(item)) : n),
    16,
  )

/** Where a symbol lies; null: it is a function, or what is not in memory here. */
export const placeOfSymbol = (s: Storage, symbol: Symbol): Place | null =>
  symbol._tag === 'function'
    ? null
    : (s.places.get(symbol._tag === 'variable' ? symbol.variable : symbol.parameter)?.get(symbol.name) ??
      null)
