/**
 * From a text to a module.
 *
 * Laws
 * 1. `parseModule(printModule(m))` is `m`, but for positions.
 * 2. Of a text that is no module the first thing that is wrong is said, with its line and column.
 *
 * Source: PTX ISA 9.0, directives; instruction statements.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { readCount, readOffset } from './constants.js'
import {
  commentsHere,
  cursor,
  expect,
  expectDotted,
  expectString,
  expectWord,
  fail,
  here,
  isMark,
  isText,
  kindAhead,
  kindAt,
  separated,
  take,
  takeText,
  textAt,
  within,
  type Cursor,
} from './cursor.js'
import {
  isSpace,
  readAttribute,
  readDirectives,
  readParameters,
  readPrototype,
  readRegisters,
  readType,
  readVariables,
  takeLinkage,
} from './declarations.js'
import { kinds, tokensOf } from './lexer.js'
import type {
  Comment,
  Function,
  Guard,
  Item,
  Linkage,
  Module,
  Name,
  Operand,
  SectionLine,
  SourceLocation,
  Statement,
} from './module.js'
import { readOperand } from './operands.js'
import type { PtxError } from './position.js'

// ---------------------------------------------------------------- statements

const most32 = 0xffffffff
const none: ReadonlyArray<Operand> = []

/** `@!%p1` */
const readGuard = (c: Cursor): Guard | null => {
  if (!take(c, '@')) return null
  const at = here(c)
  const negated = take(c, '!')
  return { at, name: expectWord(c, 'a predicate'), negated }
}

/** Its modifiers are a part of an opcode, whether blanks stand between or not. */
const readOpcode = (c: Cursor): string => {
  const first = c.at
  if (kindAt(c) !== kinds.word) {
    fail(c, 'an opcode')
    return ''
  }
  c.at += 1
  let together = true
  while (kindAt(c) === kinds.dotted) {
    together &&= c.tokens.starts[c.at] === c.tokens.ends[c.at - 1]
    c.at += 1
  }
  if (together) return c.tokens.text.slice(c.tokens.starts[first], c.tokens.ends[c.at - 1])
  let opcode = ''
  for (let k = first; k < c.at; k++) opcode += textAt(c, k)
  return opcode
}

const readInstruction = (c: Cursor): Statement => {
  const at = here(c)
  const guard = readGuard(c)
  const opcode = readOpcode(c)
  const lists = opcode === 'call' || opcode === 'call.uni'
  const operands = isMark(c, ';') ? none : separated(c, () => readOperand(c, lists))
  expect(c, ';', "',' or ';'")
  return { _tag: 'instruction', at, guard, opcode, operands, location: c.location }
}

/** `.loc 1 30 10, function_name $L__info_string0, inlined_at 1 40 5` */
const readLocation = (c: Cursor): SourceLocation => {
  const number = (what: string): number => readCount(c, what, 0, most32)
  c.at += 1
  const file = number('the number of a file')
  const line = number('a line')
  const column = number('a column')
  if (!take(c, ',')) return { file, line, column, inlined: null }
  if (!takeText(c, 'function_name')) fail(c, "'function_name'")
  const label = expectWord(c, 'a label')
  const offset = readOffset(c)
  expect(c, ',')
  if (!takeText(c, 'inlined_at')) fail(c, "'inlined_at'")
  const at = { file: number('the number of a file'), line: number('a line'), column: number('a column') }
  return { file, line, column, inlined: { label, offset, at } }
}

const readStrings = (c: Cursor): ReadonlyArray<string> => {
  c.at += 1
  const strings = separated(c, () => expectString(c, 'a string'))
  expect(c, ';', "',' or ';'")
  return strings
}

/** `name:`, and what of a name is more than a place: targets and prototypes. */
const readLabel = (c: Cursor): Statement => {
  const at = here(c)
  const name = expectWord(c, 'a label')
  expect(c, ':')
  const of = isText(c, '.branchtargets') ? 'branch' : isText(c, '.calltargets') ? 'call' : null
  if (of !== null) {
    c.at += 1
    const targets = separated(c, (): Name => {
      const place = here(c)
      return {
        _tag: 'name',
        at: place,
        name: expectWord(c, of === 'branch' ? 'a label' : 'a function'),
        selector: null,
        offset: 0,
      }
    })
    expect(c, ';', "',' or ';'")
    return { _tag: 'targets', at, name, of, targets }
  }
  if (takeText(c, '.callprototype')) {
    const prototype = readPrototype(c)
    const directives = readDirectives(c)
    expect(c, ';')
    return { _tag: 'prototype', at, name, prototype, directives }
  }
  return { _tag: 'label', at, name }
}

const readStatements = (c: Cursor): ReadonlyArray<Statement> => {
  const body: Statement[] = []
  for (;;) {
    for (const comment of commentsHere(c)) body.push(comment)
    const kind = kindAt(c)
    if (kind === kinds.word) body.push(kindAhead(c, 1) === 58 ? readLabel(c) : readInstruction(c))
    else if (kind === 64) body.push(readInstruction(c))
    else if (kind === kinds.dotted) {
      const at = here(c)
      if (isText(c, '.loc')) {
        const location = readLocation(c)
        c.location = location
        body.push({ _tag: 'loc', at, location })
      } else if (isText(c, '.reg')) for (const r of readRegisters(c)) body.push(r)
      else if (isText(c, '.pragma')) body.push({ _tag: 'pragma', at, strings: readStrings(c) })
      else if (isSpace(c)) for (const v of readVariables(c, null)) body.push(v)
      else fail(c, 'a statement')
    } else if (kind === 123) {
      const at = here(c)
      body.push({ _tag: 'scope', at, body: within(c, () => readBody(c), []) })
    } else return body
  }
}

const readBody = (c: Cursor): ReadonlyArray<Statement> => {
  expect(c, '{')
  const body = readStatements(c)
  expect(c, '}', "a statement or '}'")
  return body
}

// ---------------------------------------------------------------- items

const readFunction = (c: Cursor, linkage: Linkage | null): Function => {
  const at = here(c)
  const kind = takeText(c, '.entry') ? 'entry' : 'func'
  if (kind === 'func') c.at += 1
  const attribute = readAttribute(c)
  const before = readDirectives(c)
  const results = kind === 'func' && isMark(c, '(') ? readParameters(c) : []
  const name = expectWord(c, `the name of ${kind === 'entry' ? 'an entry' : 'a function'}`)
  const parameters = isMark(c, '(') ? readParameters(c) : null
  const behind = readDirectives(c)
  c.location = null
  const body = take(c, ';') ? null : readBody(c)
  return {
    _tag: 'function',
    at,
    kind,
    linkage,
    attribute,
    name,
    results,
    parameters,
    directives: [...before, ...behind],
    body,
  }
}

/** A value of a debug section, without blanks: `16`, `-1`, `.debug_abbrev`, `$L1-$L0` */
const readDatum = (c: Cursor): string => {
  let text = ''
  for (;;) {
    while (isMark(c, '-') || isMark(c, '+')) {
      text += textAt(c)
      c.at += 1
    }
    const kind = kindAt(c)
    if (kind !== kinds.number && kind !== kinds.word && kind !== kinds.dotted) {
      fail(c, 'a value')
      return text
    }
    text += textAt(c)
    c.at += 1
    if (!isMark(c, '-') && !isMark(c, '+')) return text
  }
}

const readSection = (c: Cursor): Item => {
  const at = here(c)
  c.at += 1
  const name = kindAt(c) === kinds.word ? expectWord(c, '') : expectDotted(c, 'the name of a section')
  const lines: SectionLine[] = []
  expect(c, '{')
  for (;;) {
    if (kindAt(c) === kinds.word) {
      lines.push({ _tag: 'label', name: expectWord(c, 'a label') })
      expect(c, ':')
    } else if (kindAt(c) === kinds.dotted)
      lines.push({ _tag: 'data', type: readType(c), values: separated(c, () => readDatum(c)) })
    else break
  }
  expect(c, '}', "a label, data or '}'")
  return { _tag: 'section', at, name, lines }
}

/** `.file 1 "kernel.cu", 1700000000, 4064` */
const readFile = (c: Cursor): Item => {
  const at = here(c)
  c.at += 1
  const index = readCount(c, 'the number of a file', 0, most32)
  const path = expectString(c, 'a path')
  if (!take(c, ',')) return { _tag: 'file', at, index, path, stamp: null }
  const time = readCount(c, 'a time', 0, Number.MAX_SAFE_INTEGER)
  expect(c, ',')
  return { _tag: 'file', at, index, path, stamp: [time, readCount(c, 'a size', 0, Number.MAX_SAFE_INTEGER)] }
}

/** `.alias f, g;` */
const readAlias = (c: Cursor): Item => {
  const at = here(c)
  c.at += 1
  const name = expectWord(c, 'the name of a function')
  expect(c, ',')
  const of = expectWord(c, 'the name of a function')
  expect(c, ';')
  return { _tag: 'alias', at, name, of }
}

const readItems = (c: Cursor): ReadonlyArray<Item> => {
  const items: Item[] = []
  for (;;) {
    for (const comment of commentsHere(c)) items.push(comment)
    if (kindAt(c) === kinds.end) return items
    if (isText(c, '.file')) items.push(readFile(c))
    else if (isText(c, '.section')) items.push(readSection(c))
    else if (isText(c, '.alias')) items.push(readAlias(c))
    else if (isText(c, '.pragma')) items.push({ _tag: 'pragma', at: here(c), strings: readStrings(c) })
    else {
      const linkage = takeLinkage(c)
      if (isText(c, '.entry') || isText(c, '.func')) items.push(readFunction(c, linkage))
      else if (isSpace(c) && !isText(c, '.param')) for (const v of readVariables(c, linkage)) items.push(v)
      else fail(c, linkage === null ? 'a directive of modules' : 'a function or a variable')
    }
  }
}

const readModule = (c: Cursor): Module => {
  const comments: Comment[] = []
  const gather = (): void => {
    for (const comment of commentsHere(c)) comments.push(comment)
  }
  gather()
  if (!takeText(c, '.version')) fail(c, "'.version'")
  const version = kindAt(c) === kinds.number ? textAt(c) : ''
  if (!/^\d+\.\d+$/.test(version)) fail(c, "a version, such as '8.7'")
  else c.at += 1
  gather()
  if (!takeText(c, '.target')) fail(c, "'.target'")
  const targets = separated(c, () => expectWord(c, "a target, such as 'sm_90a'"))
  gather()
  let addressSize: 32 | 64 | null = null
  if (takeText(c, '.address_size')) {
    const at = here(c)
    const size = readCount(c, '32 or 64', 32, 64)
    if (c.failed === null && size !== 32 && size !== 64) fail(c, '32 or 64', at, `'${String(size)}'`)
    addressSize = size === 32 ? 32 : 64
  }
  gather()
  return { comments, version, targets, addressSize, items: readItems(c) }
}

/** The module that a text is, or the first thing in it that is none. */
export const parseModule = (text: string): E.Either<Failure<PtxError>, Module> => {
  const tokens = tokensOf(text)
  if (E.isLeft(tokens)) return tokens
  const c = cursor(tokens.right)
  const read = readModule(c)
  return c.failed === null ? E.right(read) : E.left(c.failed)
}
