/**
 * From a text to a module.
 *
 * Laws
 * 1. `readModule(showModule(m))` is `m`, but for positions.
 * 2. Of a text that is no module the first thing that is wrong is said, with its line and column.
 *
 * Source: MLIR language reference.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import {
  ahead,
  cursor,
  expectKind,
  expectText,
  fail,
  isWord,
  next,
  peek,
  shown,
  take,
  type Cursor,
} from './cursor.js'
import { tokensOf } from './lexer.js'
import { readRegion } from './operation-reader.js'
import type { TtgirError } from './position.js'
import type { Reading } from './scope.js'
import type { Attribute, Definition, Location, Module } from './syntax.js'
import { readAttribute, readDictionary, readLocation, readLocationIfAny } from './terms.js'

// ---------------------------------------------------------------- modules

/** `#blocked = #ttg.blocked<...>`, `#loc3 = loc(...)` */
const readDefinition = (r: Reading): Definition => {
  const c = r.cursor
  const at = peek(c)
  const name = expectKind(c, 'alias', 'an alias').slice(1)
  if (r.aliases.has(name) || r.locations.has(name))
    fail(c, 'a new alias', at, `'#${name}', which is there already`, 'ttgir.name')
  expectText(c, '=')
  if (isWord(c, 'loc')) {
    const location = readLocation(c)
    r.locations.add(name)
    return { name, attribute: null, location }
  }
  const attribute = readAttribute(c)
  r.aliases.set(name, attribute)
  return { name, attribute, location: null }
}

const isDefinition = (c: Cursor): boolean => peek(c).kind === 'alias' && ahead(c, 1).text === '='

/** Every alias that is used must be there, and none may stand for itself. */
const checkAliases = (r: Reading, definitions: ReadonlyArray<Definition>): void => {
  const c = r.cursor
  if (c.failed !== null) return
  const known = new Map(definitions.map((d) => [d.name, d]))
  const inside: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
    definitions.map((d) => [
      d.name,
      d.attribute !== null ? aliasesIn(d.attribute) : d.location !== null ? placesIn(d.location) : [],
    ]),
  )
  c.tokens.forEach((t, k) => {
    if (c.failed !== null || t.kind !== 'alias' || t.text.includes('.')) return
    const name = t.text.slice(1)
    const before = c.tokens[k - 1]
    const isNumber = /^\d+$/.test(name) && before?.kind === 'value' && before.end === t.end - t.text.length
    if (!isNumber && !known.has(name)) fail(c, 'an alias that is there', t, shown(t), 'ttgir.name')
  })
  const done = new Set<string>()
  for (const { name } of definitions) {
    const path: string[] = []
    const pending = [name]
    while (pending.length > 0 && c.failed === null) {
      const top = pending[pending.length - 1]!
      if (path[path.length - 1] === top) {
        path.pop()
        pending.pop()
        done.add(top)
      } else if (done.has(top)) pending.pop()
      else if (path.includes(top) || inside.get(top)?.includes(top) === true)
        fail(
          c,
          'an alias of something else',
          c.tokens[0]!,
          `'#${top}', which is an alias of itself`,
          'ttgir.name',
        )
      else {
        path.push(top)
        for (const name of inside.get(top) ?? []) pending.push(name)
      }
    }
  }
}

const aliasesIn = (a: Attribute): ReadonlyArray<string> => {
  switch (a._tag) {
    case 'alias':
      return [a.name]
    case 'list':
    case 'array':
      return a.items.flatMap(aliasesIn)
    case 'dictionary':
      return a.entries.flatMap((e) => aliasesIn(e.value))
    case 'dialect':
      return (a.entries ?? []).flatMap((e) => aliasesIn(e.value))
    case 'unit':
    case 'boolean':
    case 'integer':
    case 'float':
    case 'string':
    case 'word':
    case 'symbol':
    case 'dense':
    case 'type':
      return []
  }
}

const placesIn = (l: Location): ReadonlyArray<string> => {
  switch (l._tag) {
    case 'alias':
      return [l.name]
    case 'name':
      return l.of === null ? [] : placesIn(l.of)
    case 'call':
      return [...placesIn(l.callee), ...placesIn(l.caller)]
    case 'fused':
      return l.of.flatMap(placesIn)
    case 'unknown':
    case 'file':
      return []
  }
}

/**
 * The module that a text is.
 *
 * @example
 * ```ts
 * import { readModule } from 'tensorcore-spec/dialects/ttgir'
 *
 * const module = readModule('module {')
 * console.log(module._tag === 'Left' ? module.left.message : 'a module') // 1:9: expected an operation or '}', found the end
 * ```
 */
export const readModule = (text: string): E.Either<Failure<TtgirError>, Module> => {
  const tokens = tokensOf(text)
  if (E.isLeft(tokens)) return tokens
  const c = cursor(tokens.right)
  const r: Reading = {
    cursor: c,
    scopes: [new Map()],
    aliases: new Map(),
    locations: new Set(),
    functions: new Set(),
  }
  const definitions: Definition[] = []
  while (isDefinition(c)) definitions.push(readDefinition(r))
  const leading = definitions.length
  expectText(c, 'module')
  const name = peek(c).kind === 'symbol' ? next(c).text.slice(1) : null
  const attributes = take(c, 'attributes') ? readDictionary(c) : []
  const region = readRegion(r, null, [], null)
  const location = readLocationIfAny(c)
  while (isDefinition(c)) definitions.push(readDefinition(r))
  if (peek(c).kind !== 'end') fail(c, 'the end of the text')
  checkAliases(r, definitions)
  return c.failed !== null
    ? E.left(c.failed)
    : E.right({
        name,
        attributes,
        definitions,
        leading,
        operations: region.blocks.flatMap((b) => b.operations),
        location,
      })
}
