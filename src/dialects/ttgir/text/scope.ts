/**
 * Names: the values that are there, each with its type, and what a text says again of them.
 *
 *     %a = ...          %a is there from here on, in the region and in all inside it
 *     ... %a : i32      %a must be there, and be an i32
 *
 * A region that is isolated sees nothing from outside. Aliases are compared by what they stand for.
 */
import { expectKind, expectText, fail, next, peek, shown, type Cursor } from './cursor.js'
import type { Position } from './position.js'
import { showType } from './show.js'
import type { Attribute, Type, Value } from './syntax.js'
import { readType } from './terms.js'

// ---------------------------------------------------------------- names

/** Values by name, in the regions around; and the aliases so far. */
export interface Reading {
  readonly cursor: Cursor
  readonly scopes: Array<Map<string, ReadonlyArray<Type>>>
  readonly aliases: Map<string, Attribute>
  readonly locations: Set<string>
  readonly functions: Set<string>
}

export const noType: Type = { _tag: 'index' }
export const i1: Type = { _tag: 'integer', bits: 1, sign: '' }
export const token: Type = { _tag: 'token' }

export const define = (r: Reading, name: string, types: ReadonlyArray<Type>, at: Position): void => {
  if (r.scopes.some((scope) => scope.has(name)))
    fail(r.cursor, 'a new name', at, `'%${name}', which is there already`, 'ttgir.name')
  r.scopes[r.scopes.length - 1]!.set(name, types)
}

const typesOf = (r: Reading, name: string): ReadonlyArray<Type> | undefined => {
  for (let k = r.scopes.length - 1; k >= 0; k--) {
    const types = r.scopes[k]!.get(name)
    if (types !== undefined) return types
  }
  return undefined
}

export const readValue = (r: Reading): Value => {
  const c = r.cursor
  const at = peek(c)
  const name = expectKind(c, 'value', 'a value').slice(1)
  const suffix = peek(c)
  const isNumbered =
    suffix.kind === 'alias' && /^#\d+$/.test(suffix.text) && suffix.end === at.end + suffix.text.length
  const index = isNumbered ? Number(next(c).text.slice(1)) : null
  if (c.failed !== null) return { name, index, type: noType }
  const types = typesOf(r, name)
  if (types === undefined) fail(c, 'a value that is there', at, shown(at), 'ttgir.name')
  const type = types?.[index ?? 0]
  if (types !== undefined && type === undefined)
    fail(c, `one of ${String(types.length)} results`, at, `${shown(at)}#${String(index)}`, 'ttgir.name')
  return { name, index, type: type ?? noType }
}

// ---------------------------------------------------------------- types that are said again

/** With aliases in the place of what they stand for, so that one type is one text. */
const canonical = (r: Reading, t: Type): string => {
  const attribute = (a: Attribute): Attribute => {
    switch (a._tag) {
      case 'alias': {
        const value = r.aliases.get(a.name)
        return value === undefined ? a : attribute(value)
      }
      case 'dialect':
        return a.entries === null
          ? a
          : {
              _tag: 'dialect',
              name: a.name,
              entries: a.entries.map(({ name, value }) => ({ name, value: attribute(value) })),
              braced: a.braced,
            }
      default:
        return a
    }
  }
  const plain = (x: Type): Type => {
    switch (x._tag) {
      case 'pointer':
        return { ...x, pointee: plain(x.pointee) }
      case 'tensor':
        return {
          ...x,
          element: plain(x.element),
          encoding: x.encoding === null ? null : attribute(x.encoding),
        }
      case 'memdesc':
        return {
          ...x,
          element: plain(x.element),
          encoding: attribute(x.encoding),
          space: attribute(x.space),
        }
      case 'descriptor':
        return { ...x, block: plain(x.block) }
      case 'function':
        return { _tag: 'function', inputs: x.inputs.map(plain), results: x.results.map(plain) }
      case 'integer':
      case 'float':
      case 'index':
      case 'token':
        return x
    }
  }
  return showType(plain(t))
}

/** Tensors and numbers that are written alike: most of what is said again. */
const isWrittenAlike = (a: Type, b: Type): boolean => {
  if (a._tag === 'tensor' && b._tag === 'tensor')
    return (
      a.shape.length === b.shape.length &&
      a.shape.every((extent, d) => extent === b.shape[d]) &&
      isWrittenAlike(a.element, b.element) &&
      a.encoding?._tag === 'alias' &&
      b.encoding?._tag === 'alias' &&
      a.encoding.name === b.encoding.name
    )
  if (a._tag === 'float' && b._tag === 'float') return a.name === b.name
  return a._tag === 'integer' && b._tag === 'integer' && a.bits === b.bits && a.sign === b.sign
}

const sameType = (r: Reading, a: Type, b: Type): boolean =>
  a === b || isWrittenAlike(a, b) || showType(a) === showType(b) || canonical(r, a) === canonical(r, b)

/** A type that says again what a value is. */
export const agree = (r: Reading, value: Value, type: Type, at: Position): void => {
  if (r.cursor.failed === null && !sameType(r, value.type, type))
    fail(r.cursor, `${showType(value.type)}, the type of %${value.name}`, at, showType(type), 'ttgir.type')
}

/** As many types as values, each what its value is. */
export const readTypesOf = (r: Reading, values: ReadonlyArray<Value>): void => {
  const c = r.cursor
  values.forEach((value, k) => {
    if (k > 0) expectText(c, ',')
    const at = peek(c)
    agree(r, value, readType(c), at)
  })
}
