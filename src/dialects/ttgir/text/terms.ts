/**
 * Types, attributes and locations: how they are read.
 *
 * | text                                         | type                                            |
 * |----------------------------------------------|-------------------------------------------------|
 * | `i32`, `f16`, `f8E4M3FN`, `index`            | scalars                                         |
 * | `!tt.ptr<f16>`                               | a pointer into global memory                    |
 * | `tensor<128x64xf16, #blocked>`               | registers, spread as its encoding says          |
 * | `!ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>` | a buffer of shared or tensor memory; also without its name, from `<` on |
 * | `!tt.tensordesc<tensor<128x64xf16, #shared>>` | a tensor map                                   |
 * | `!ttg.async.token`                           | what an asynchronous copy gives                 |
 * | `(i32) -> f32`                               | a function                                      |
 *
 * Law 1. `show` (`show.ts`) of what is read here is read as the same again.
 *
 * Source: MLIR language reference; Triton 3.6, types and encodings of tt, ttg and ttng.
 */
import {
  expectKind,
  expectText,
  fail,
  isMark,
  isText,
  isWord,
  listed,
  next,
  peek,
  separated,
  shown,
  take,
  within,
  ahead,
  type Cursor,
} from './cursor.js'
import type { Attribute, Dictionary, Location, Named, Type } from './syntax.js'

const unit: Attribute = { _tag: 'unit' }
const index: Type = { _tag: 'index' }
const unknown: Location = { _tag: 'unknown' }

// ---------------------------------------------------------------- types

/** A type that is one word; undefined for any other. */
const scalarNamed = (word: string): Type | undefined => {
  const integer = /^([su]?)i([1-9]\d{0,4})$/.exec(word)
  if (integer !== null) {
    const sign = integer[1] === 's' ? 's' : integer[1] === 'u' ? 'u' : ''
    return { _tag: 'integer', bits: Number(integer[2]), sign }
  }
  if (word === 'index') return index
  return /^(?:bf16|tf32|f(?:16|32|64|\d+E\d+M\d+\w*))$/.test(word) ? { _tag: 'float', name: word } : undefined
}

interface Shaped {
  readonly shape: ReadonlyArray<number>
  readonly element: Type
}

const extent = (c: Cursor, digits: string): number => {
  const n = Number(digits)
  if (!Number.isSafeInteger(n) || n < 1)
    fail(c, 'an extent of 1 or more', peek(c), `'${digits.slice(0, 40)}'`)
  return n
}

/** The extents of a shape; behind them the word of an element may be left, which stands in the same word of the text. */
const readExtents = (c: Cursor): { readonly shape: ReadonlyArray<number>; readonly rest: string } => {
  const shape: number[] = []
  let rest = ''
  while (peek(c).kind === 'number' && rest === '') {
    shape.push(extent(c, next(c).text))
    const token = peek(c)
    if (token.kind !== 'word' || !token.text.startsWith('x')) break
    let left = token.text.slice(1)
    for (let m = /^(\d+)(?:x(.*))?$/.exec(left); m !== null; m = /^(\d+)(?:x(.*))?$/.exec(left)) {
      shape.push(extent(c, m[1]!))
      left = m[2] ?? ''
      if (m[2] === undefined) break
    }
    next(c)
    rest = left
  }
  return { shape, rest }
}

const readShaped = (c: Cursor): Shaped => {
  const start = peek(c)
  const { shape, rest } = readExtents(c)
  if (rest === '') return { shape, element: readType(c) }
  const element = scalarNamed(rest)
  if (element === undefined) fail(c, 'an element type', start, `'${rest}'`)
  return { shape, element: element ?? index }
}

const readTensor = (c: Cursor): Type => {
  expectText(c, '<')
  const { shape, element } = readShaped(c)
  const encoding = take(c, ',') ? readAttribute(c) : null
  expectText(c, '>')
  return { _tag: 'tensor', shape, element, encoding }
}

const readMemdesc = (c: Cursor): Type => {
  expectText(c, '<')
  const { shape, element } = readShaped(c)
  expectText(c, ',')
  const encoding = readAttribute(c)
  expectText(c, ',')
  const space = readAttribute(c)
  let mutable = false
  let allocation: ReadonlyArray<number> | null = null
  while (take(c, ',')) {
    if (!mutable && allocation === null && take(c, 'mutable')) mutable = true
    else if (allocation === null && peek(c).kind === 'number') {
      const extents = readExtents(c)
      if (extents.rest !== '') fail(c, 'the shape of an allocation', peek(c), `'${extents.rest}'`)
      allocation = extents.shape
    } else fail(c, "'mutable' or the shape of an allocation")
  }
  expectText(c, '>')
  return { _tag: 'memdesc', shape, element, encoding, space, mutable, allocation }
}

const readDescriptor = (c: Cursor): Type => {
  expectText(c, '<')
  const block = readType(c)
  expectText(c, '>')
  return { _tag: 'descriptor', block }
}

const readPointer = (c: Cursor): Type => {
  expectText(c, '<')
  const pointee = readType(c)
  const space = take(c, ',') ? Number(expectKind(c, 'number', 'an address space')) : 1
  expectText(c, '>')
  return { _tag: 'pointer', pointee, space }
}

const readFunction = (c: Cursor): Type => {
  const inputs = listed(c, '(', ')', () => readType(c))
  expectText(c, '->')
  return { _tag: 'function', inputs, results: readResults(c) }
}

/** One type, or a list of them in parentheses. */
export const readResults = (c: Cursor): ReadonlyArray<Type> =>
  isMark(c, '(') ? listed(c, '(', ')', () => readType(c)) : [readType(c)]

export const readType = (c: Cursor): Type =>
  within(
    c,
    () => {
      const token = peek(c)
      if (token.kind === 'mark' && token.text === '(') return readFunction(c)
      // a format prints a type without its name where no other is possible
      if (token.kind === 'mark' && token.text === '<') {
        const first = ahead(c, 1)
        return first.text === 'tensor'
          ? readDescriptor(c)
          : first.kind === 'number'
            ? readMemdesc(c)
            : readPointer(c)
      }
      if (token.kind === 'word') {
        const scalar = scalarNamed(token.text)
        if (scalar !== undefined) {
          next(c)
          return scalar
        }
        if (take(c, 'tensor')) return readTensor(c)
      }
      if (token.kind === 'type') {
        next(c)
        switch (token.text) {
          case '!tt.ptr':
            return readPointer(c)
          case '!ttg.memdesc':
            return readMemdesc(c)
          case '!tt.tensordesc':
            return readDescriptor(c)
          case '!ttg.async.token':
            return { _tag: 'token' }
        }
      }
      fail(c, 'a type', token, shown(token))
      return index
    },
    index,
  )

// ---------------------------------------------------------------- attributes

const readNumber = (c: Cursor): Attribute => {
  const negative = take(c, '-')
  const digits = expectKind(c, 'number', 'a number')
  const text = `${negative ? '-' : ''}${digits}`
  const type = take(c, ':') ? readType(c) : null
  // bits are written in hexadecimal, and only of floats
  return /^\d+$/.test(digits) && type?._tag !== 'float'
    ? { _tag: 'integer', value: BigInt(text), type }
    : { _tag: 'float', text, type }
}

/** What stands in `dense<...>`: its numbers have no types of their own. */
const readElements = (c: Cursor): Attribute =>
  within(
    c,
    () => {
      if (isMark(c, '[')) return { _tag: 'list', items: listed(c, '[', ']', () => readElements(c)) }
      if (isMark(c, '-') || peek(c).kind === 'number') {
        const text = `${take(c, '-') ? '-' : ''}${expectKind(c, 'number', 'a number')}`
        return /^-?\d+$/.test(text)
          ? { _tag: 'integer', value: BigInt(text), type: null }
          : { _tag: 'float', text, type: null }
      }
      return readAttribute(c)
    },
    unit,
  )

const readDense = (c: Cursor): Attribute => {
  expectText(c, '<')
  const value = isMark(c, '>') ? unit : readElements(c)
  expectText(c, '>')
  expectText(c, ':')
  return { _tag: 'dense', value, type: readType(c) }
}

const readArray = (c: Cursor): Attribute => {
  expectText(c, '<')
  const element = readType(c)
  const items = take(c, ':') ? separated(c, () => readElements(c)) : []
  expectText(c, '>')
  return { _tag: 'array', element, items }
}

/** Entries, each name of which may stand there once. */
const entryOf = (c: Cursor): (() => Named) => {
  const names = new Set<string>()
  return () => {
    const token = peek(c)
    if (token.kind !== 'word' && token.kind !== 'string') {
      fail(c, 'the name of an attribute')
      return { name: '', value: unit }
    }
    if (names.has(token.text)) fail(c, 'each attribute once', token, `'${token.text.slice(0, 40)}' twice`)
    names.add(token.text)
    next(c)
    return { name: token.text, value: take(c, '=') ? readAttribute(c) : unit }
  }
}

/** `{a = 1 : i32, b}` */
export const readDictionary = (c: Cursor): Dictionary => listed(c, '{', '}', entryOf(c))
/** The same if it is there. */
export const readDictionaryIfAny = (c: Cursor): Dictionary => (isMark(c, '{') ? readDictionary(c) : [])

const readDialect = (c: Cursor, name: string): Attribute => {
  if (!take(c, '<')) return { _tag: 'dialect', name, entries: null, braced: null }
  const inBraces = isMark(c, '{') ? readDictionary(c) : null
  const entry = entryOf(c)
  const others =
    inBraces === null ? (isMark(c, '>') ? [] : separated(c, entry)) : take(c, ',') ? separated(c, entry) : []
  expectText(c, '>')
  return {
    _tag: 'dialect',
    name,
    entries: [...(inBraces ?? []), ...others],
    braced: inBraces?.length ?? null,
  }
}

const isType = (c: Cursor): boolean => {
  const { kind, text } = peek(c)
  return (
    kind === 'type' ||
    (kind === 'word' && (text === 'tensor' || scalarNamed(text) !== undefined)) ||
    (kind === 'mark' && text === '(')
  )
}

export const readAttribute = (c: Cursor): Attribute =>
  within(
    c,
    () => {
      const token = peek(c)
      if (isType(c)) return { _tag: 'type', type: readType(c) }
      if (isMark(c, '-')) return readNumber(c)
      if (isMark(c, '[')) return { _tag: 'list', items: listed(c, '[', ']', () => readAttribute(c)) }
      if (isMark(c, '{')) return { _tag: 'dictionary', entries: readDictionary(c) }
      switch (token.kind) {
        case 'number':
          return readNumber(c)
        case 'string':
          next(c)
          return { _tag: 'string', value: token.text }
        case 'symbol':
          next(c)
          return { _tag: 'symbol', name: token.text.slice(1) }
        case 'alias':
          next(c)
          return token.text.includes('.')
            ? readDialect(c, token.text.slice(1))
            : { _tag: 'alias', name: token.text.slice(1) }
        case 'word':
          next(c)
          switch (token.text) {
            case 'true':
            case 'false':
              return { _tag: 'boolean', value: token.text === 'true' }
            case 'unit':
              return unit
            case 'dense':
              return readDense(c)
            case 'array':
              return readArray(c)
          }
          return { _tag: 'word', word: token.text }
        case 'value':
        case 'type':
        case 'block':
        case 'mark':
        case 'end':
          fail(c, 'an attribute')
          return unit
      }
    },
    unit,
  )

// ---------------------------------------------------------------- locations

const count = (c: Cursor, what: string): number => Number(expectKind(c, 'number', what))

/** What stands between the parentheses of `loc(...)`. */
const readPlace = (c: Cursor): Location =>
  within(
    c,
    () => {
      const token = peek(c)
      if (take(c, 'unknown')) return unknown
      if (token.kind === 'alias') {
        next(c)
        return { _tag: 'alias', name: token.text.slice(1) }
      }
      if (token.kind === 'string') {
        next(c)
        if (take(c, ':')) {
          const line = count(c, 'a line')
          expectText(c, ':')
          const column = count(c, 'a column')
          // where it ends is no more than how much of the line is meant
          if (take(c, 'to')) {
            if (!isText(c, ':')) count(c, 'a line')
            expectText(c, ':')
            count(c, 'a column')
          }
          return { _tag: 'file', file: token.text, line, column }
        }
        if (!take(c, '(')) return { _tag: 'name', name: token.text, of: null }
        const of = readPlace(c)
        expectText(c, ')')
        return { _tag: 'name', name: token.text, of }
      }
      if (take(c, 'callsite')) {
        expectText(c, '(')
        const callee = readPlace(c)
        expectText(c, 'at')
        const caller = readPlace(c)
        expectText(c, ')')
        return { _tag: 'call', callee, caller }
      }
      if (take(c, 'fused')) {
        const metadata = take(c, '<') ? readAttribute(c) : null
        if (metadata !== null) expectText(c, '>')
        return { _tag: 'fused', metadata, of: listed(c, '[', ']', () => readPlace(c)) }
      }
      if (isWord(c, 'loc')) return readLocation(c)
      fail(c, 'a location')
      return unknown
    },
    unknown,
  )

/** `loc(...)` */
export const readLocation = (c: Cursor): Location => {
  expectText(c, 'loc')
  expectText(c, '(')
  const place = readPlace(c)
  expectText(c, ')')
  return place
}
export const readLocationIfAny = (c: Cursor): Location | null => (isText(c, 'loc') ? readLocation(c) : null)
