/** Types, attributes and locations as MLIR writes them: the reverse of `terms.ts`. */
import { quote } from './lexer.js'
import type { Attribute, Dictionary, Location, Type } from './syntax.js'

const shape = (extents: ReadonlyArray<number>): string => extents.map((n) => `${String(n)}x`).join('')

/** Behind the name of a type that a format may leave out: `<128x64xf16, #shared, #smem, mutable>`. */
export const showBare = (t: Type): string => {
  switch (t._tag) {
    case 'memdesc':
      return `<${[
        `${shape(t.shape)}${showType(t.element)}`,
        showAttribute(t.encoding),
        showAttribute(t.space),
        ...(t.mutable ? ['mutable'] : []),
        ...(t.allocation === null ? [] : [t.allocation.join('x')]),
      ].join(', ')}>`
    case 'descriptor':
      return `<${showType(t.block)}>`
    case 'pointer':
      return `<${showType(t.pointee)}${t.space === 1 ? '' : `, ${String(t.space)}`}>`
    case 'integer':
    case 'float':
    case 'index':
    case 'tensor':
    case 'token':
    case 'function':
      return showType(t)
  }
}

export const showResults = (types: ReadonlyArray<Type>): string =>
  types.length === 1 && types[0]!._tag !== 'function'
    ? showType(types[0]!)
    : `(${types.map(showType).join(', ')})`

export const showType = (t: Type): string => {
  switch (t._tag) {
    case 'integer':
      return `${t.sign}i${String(t.bits)}`
    case 'float':
      return t.name
    case 'index':
      return 'index'
    case 'pointer':
      return `!tt.ptr${showBare(t)}`
    case 'tensor':
      return `tensor<${shape(t.shape)}${showType(t.element)}${t.encoding === null ? '' : `, ${showAttribute(t.encoding)}`}>`
    case 'memdesc':
      return `!ttg.memdesc${showBare(t)}`
    case 'descriptor':
      return `!tt.tensordesc${showBare(t)}`
    case 'token':
      return '!ttg.async.token'
    case 'function':
      return `(${t.inputs.map(showType).join(', ')}) -> ${showResults(t.results)}`
  }
}

const bareName = /^[A-Za-z_][\w$.]*$/

const showEntries = (entries: Dictionary): string =>
  entries
    .map(({ name, value }) => {
      const key = bareName.test(name) ? name : quote(name)
      return value._tag === 'unit' ? key : `${key} = ${showAttribute(value)}`
    })
    .join(', ')

export const showDictionary = (entries: Dictionary): string => `{${showEntries(entries)}}`

const typed = (text: string, type: Type | null): string =>
  type === null ? text : `${text} : ${showType(type)}`

/** A name is quoted where it is more than letters, digits, `_`, `$` and `.`. */
export const showSymbol = (name: string): string => `@${bareName.test(name) ? name : quote(name)}`

export const showAttribute = (a: Attribute): string => {
  switch (a._tag) {
    case 'unit':
      return 'unit'
    case 'boolean':
      return String(a.value)
    case 'integer':
      return typed(String(a.value), a.type)
    case 'float':
      return typed(a.text, a.type)
    case 'string':
      return quote(a.value)
    case 'word':
      return a.word
    case 'symbol':
      return showSymbol(a.name)
    case 'list':
      return `[${a.items.map(showAttribute).join(', ')}]`
    case 'array':
      return `array<${showType(a.element)}${a.items.length === 0 ? '' : `: ${a.items.map(showAttribute).join(', ')}`}>`
    case 'dense':
      return `dense<${a.value._tag === 'unit' ? '' : showAttribute(a.value)}> : ${showType(a.type)}`
    case 'dictionary':
      return showDictionary(a.entries)
    case 'type':
      return showType(a.type)
    case 'alias':
      return `#${a.name}`
    case 'dialect':
      return a.entries === null
        ? `#${a.name}`
        : `#${a.name}<${a.braced === null ? showEntries(a.entries) : [showDictionary(a.entries.slice(0, a.braced)), ...a.entries.slice(a.braced).map((entry) => showEntries([entry]))].join(', ')}>`
  }
}

const showPlace = (l: Location): string => {
  switch (l._tag) {
    case 'unknown':
      return 'unknown'
    case 'file':
      return `${quote(l.file)}:${String(l.line)}:${String(l.column)}`
    case 'name':
      return `${quote(l.name)}${l.of === null ? '' : `(${showPlace(l.of)})`}`
    case 'call':
      return `callsite(${showPlace(l.callee)} at ${showPlace(l.caller)})`
    case 'fused':
      return `fused${l.metadata === null ? '' : `<${showAttribute(l.metadata)}>`}[${l.of.map(showPlace).join(', ')}]`
    case 'alias':
      return `#${l.name}`
  }
}

export const showLocation = (l: Location): string => `loc(${showPlace(l)})`
