/**
 * Operations as their rows say (`formats.ts`): the pieces of a row, one after another.
 *
 *     ttg.memdesc_index   $src [ $index ] {} : T(src) -> T(result)
 *     %x[%c0] : ...       values src and index; the type of src, which it must be; the type of the result
 */
import {
  expectKind,
  expectText,
  fail,
  isText,
  isWord,
  next,
  peek,
  separated,
  take,
  type Cursor,
} from './cursor.js'
import type { Inline, Piece } from './format.js'
import { rows } from './formats.js'
import type { Position } from './position.js'
import { showType } from './show.js'
import {
  attributeOf,
  type Attribute,
  type Dictionary,
  type Region,
  type Successor,
  type Type,
  type Value,
} from './syntax.js'
import { readAttribute, readDictionaryIfAny, readResults, readType } from './terms.js'
import { noType, i1, token, readValue, agree, readTypesOf, type Reading } from './scope.js'

// ---------------------------------------------------------------- operations by their rows

/** What has been read of an operation. */
interface Parts {
  readonly operands: Map<string, ReadonlyArray<Value>>
  attributes: Dictionary
  readonly results: Map<string, Type>
  listed: ReadonlyArray<Type> | null
}

const readInline = (c: Cursor, name: string, kind: Inline): Attribute => {
  const word: Attribute = { _tag: 'word', word: name }
  if (typeof kind !== 'string') {
    const at = peek(c)
    if (at.kind !== 'word' || !kind.includes(at.text)) fail(c, `${kind.map((w) => `'${w}'`).join(' or ')}`)
    else next(c)
    return { _tag: 'word', word: at.text }
  }
  switch (kind) {
    case 'int':
    case 'ints': {
      const number = (): Attribute => ({
        _tag: 'integer',
        value: BigInt(`${take(c, '-') ? '-' : ''}${integer(c)}`),
        type: null,
      })
      return kind === 'int' ? number() : { _tag: 'list', items: separated(c, number) }
    }
    case 'string':
      return { _tag: 'string', value: expectKind(c, 'string', 'a string') }
    case 'symbol':
      return { _tag: 'symbol', name: expectKind(c, 'symbol', "a name that begins with '@'").slice(1) }
    case 'words':
    case 'flags':
      return {
        _tag: 'word',
        word: separated(c, () => expectKind(c, 'word', 'a word')).join(kind === 'words' ? ', ' : ','),
      }
    case 'flag':
      expectText(c, name)
      return { _tag: 'unit' }
    case 'any':
      return readAttribute(c)
  }
  return word
}

/** Digits of a whole number. */
export const integer = (c: Cursor): string => {
  const at = peek(c)
  const digits = expectKind(c, 'number', 'a whole number')
  if (c.failed !== null) return '0'
  if (!/^\d+$/.test(digits)) fail(c, 'a whole number', at, `'${digits}'`)
  return /^\d+$/.test(digits) ? digits : '0'
}

/** Does a group begin here? */
const begins = (c: Cursor, [first]: ReadonlyArray<Piece>): boolean => {
  if (first === undefined) return false
  switch (first._tag) {
    case 'text':
      return isText(c, first.text)
    case 'value':
      return peek(c).kind === 'value'
    case 'inline':
      return first.kind === 'flag'
        ? isWord(c, first.name)
        : typeof first.kind !== 'string' && peek(c).kind === 'word' && first.kind.includes(peek(c).text)
    case 'types':
    case 'dictionary':
    case 'function':
    case 'optional':
    case 'repeated':
      return true
  }
}

const put = (parts: Parts, name: string, values: ReadonlyArray<Value>): void => {
  const there = parts.operands.get(name)
  parts.operands.set(name, there === undefined ? values : [...there, ...values])
}

/** A group that begins with a type: it is there if what follows the type is. */
const readTypedGroup = (r: Reading, pieces: ReadonlyArray<Piece>, parts: Parts): void => {
  const c = r.cursor
  const start = c.at
  readType(c)
  const [, second] = pieces
  const isThere = second?._tag === 'text' && isText(c, second.text)
  if (c.failed !== null) return
  c.at = start
  if (isThere) readPieces(r, pieces, parts)
}

const readPieces = (r: Reading, pieces: ReadonlyArray<Piece>, parts: Parts): void => {
  const c = r.cursor
  for (const piece of pieces) {
    if (c.failed !== null) return
    switch (piece._tag) {
      case 'text':
        expectText(c, piece.text)
        break
      case 'value':
        put(
          parts,
          piece.name,
          !piece.many ? [readValue(r)] : peek(c).kind === 'value' ? separated(c, () => readValue(r)) : [],
        )
        break
      case 'inline':
        parts.attributes = [
          ...parts.attributes,
          { name: piece.name, value: readInline(c, piece.name, piece.kind) },
        ]
        break
      case 'dictionary': {
        const at = peek(c)
        const entries = readDictionaryIfAny(c)
        for (const { name } of entries)
          if (parts.attributes.some((a) => a.name === name))
            fail(c, 'each attribute once', at, `'${name}' twice`)
        parts.attributes = [...parts.attributes, ...entries]
        break
      }
      case 'types':
        if (piece.many && !piece.names.some((name) => parts.operands.has(name)))
          parts.listed = separated(c, () => readType(c))
        else if (piece.many)
          readTypesOf(
            r,
            piece.names.flatMap((name) => parts.operands.get(name) ?? []),
          )
        else {
          const at = peek(c)
          const type = readType(c)
          for (const name of piece.names) {
            const values = parts.operands.get(name)
            if (values === undefined) parts.results.set(name, type)
            else for (const value of values) agree(r, value, type, at)
          }
        }
        break
      case 'function': {
        const values = [...parts.operands.values()].flat()
        expectText(c, '(')
        readTypesOf(r, values)
        expectText(
          c,
          ')',
          values.length === 0 ? "')'" : `the types of ${String(values.length)} values and ')'`,
        )
        expectText(c, '->')
        parts.listed = readResults(c)
        break
      }
      case 'optional':
        if (piece.pieces[0]?._tag === 'types') readTypedGroup(r, piece.pieces, parts)
        else if (begins(c, piece.pieces)) readPieces(r, piece.pieces, parts)
        break
      case 'repeated':
        while (c.failed === null && begins(c, piece.pieces)) readPieces(r, piece.pieces, parts)
        break
    }
  }
}

/** A tensor of i1 like a type, or i1. */
const truthOf = (t: Type): Type =>
  t._tag === 'tensor' ? { _tag: 'tensor', shape: t.shape, element: i1, encoding: t.encoding } : i1

/** What a pointer, or a tensor of them, points to. */
const pointeeOf = (t: Type): Type | undefined => {
  if (t._tag === 'pointer') return t.pointee
  const element = t._tag === 'tensor' ? pointeeOf(t.element) : undefined
  return t._tag !== 'tensor' || element === undefined
    ? undefined
    : { _tag: 'tensor', shape: t.shape, element, encoding: t.encoding }
}

const typeOfConstant = (c: Cursor, a: Attribute | undefined, at: Position): Type => {
  if (a?._tag === 'boolean') return i1
  const type = a?._tag === 'integer' || a?._tag === 'float' || a?._tag === 'dense' ? a.type : null
  if (type === null) fail(c, 'a constant with its type', at)
  return type ?? noType
}

/** The types of the results that a text does not say. */
const given = (r: Reading, gives: string, parts: Parts, named: number, at: Position): ReadonlyArray<Type> => {
  const said = [...parts.results.values(), ...(parts.listed ?? [])]
  const [rule, of = ''] = gives.split(' ')
  const values = parts.operands.get(of) ?? []
  switch (rule) {
    case 'truth':
      return [truthOf(values[0]?.type ?? noType)]
    case 'pointee': {
      const type = values[0]?.type ?? noType
      const pointee = pointeeOf(type)
      if (pointee === undefined)
        fail(r.cursor, 'a pointer, or a tensor of them', at, showType(type), 'ttgir.type')
      return [pointee ?? noType]
    }
    case 'element': {
      const type = values[0]?.type ?? noType
      if (type._tag !== 'tensor') fail(r.cursor, 'a tensor', at, showType(type), 'ttgir.type')
      return [type._tag === 'tensor' ? type.element : noType]
    }
    case 'like':
      return values.map((value) => value.type)
    case 'token':
      return [token]
    case 'tokens':
      return [...said, ...Array.from({ length: Math.max(0, named - said.length) }, () => token)]
    case 'value':
      return [typeOfConstant(r.cursor, attributeOf(parts.attributes, 'value'), at)]
  }
  return said
}

/** What an operation has, but for its name and location. */
export interface Body {
  readonly results: ReadonlyArray<Type>
  readonly operands: Readonly<Record<string, ReadonlyArray<Value>>>
  readonly attributes: Dictionary
  readonly successors: ReadonlyArray<Successor>
  readonly regions: ReadonlyArray<Region>
}

export const body = (
  results: ReadonlyArray<Type>,
  operands: Readonly<Record<string, ReadonlyArray<Value>>>,
  attributes: Dictionary,
  regions: ReadonlyArray<Region>,
  successors: ReadonlyArray<Successor> = [],
): Body => ({ results, operands, attributes, successors, regions })

export const readRow = (r: Reading, name: string, named: number, at: Position): Body => {
  const { pieces, gives } = rows.get(name)!
  const parts: Parts = { operands: new Map(), attributes: [], results: new Map(), listed: null }
  readPieces(r, pieces, parts)
  const results = r.cursor.failed === null ? given(r, gives, parts, named, at) : []
  return body(results, Object.fromEntries(parts.operands), parts.attributes, [])
}
