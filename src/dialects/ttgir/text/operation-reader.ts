/**
 * Operations, and the regions in them. Those with regions, and those that carry control elsewhere, are written as MLIR and Triton write
 * them, each in its own way; all others as their rows say.
 *
 * Source: MLIR language reference; the custom texts of scf, cf, tt.func and ttg.warp_specialize.
 */
import { nearest } from '../../../nearest.js'
import {
  expectKind,
  expectText,
  fail,
  isMark,
  listed,
  next,
  peek,
  separated,
  shown,
  take,
  within,
  type Cursor,
} from './cursor.js'
import { generalOperands, rows } from './formats.js'
import type { Token } from './lexer.js'
import type {
  Attribute,
  Block,
  Dictionary,
  Operation,
  Parameter,
  Region,
  Successor,
  Type,
  Value,
} from './syntax.js'
import { readDictionary, readDictionaryIfAny, readLocationIfAny, readResults, readType } from './terms.js'
import { noType, define, readValue, agree, readTypesOf, type Reading } from './scope.js'
import { integer, body, readRow, type Body } from './row-reader.js'
import type { Position } from './position.js'
import { unread } from './unread.js'
import { own } from '../../../own.js'

// ---------------------------------------------------------------- regions

const readParameter = (r: Reading, withAttributes: boolean): Parameter => {
  const c = r.cursor
  const at = peek(c)
  const name = expectKind(c, 'value', 'a parameter').slice(1)
  expectText(c, ':')
  const type = readType(c)
  const attributes = withAttributes ? readDictionaryIfAny(c) : []
  const location = readLocationIfAny(c)
  define(r, name, [type], at)
  return { name, type, attributes, location }
}

/** Names that a region brings along, each with its type. */
interface Bound {
  readonly name: string
  readonly type: Type
  readonly at: Position
}

/** `isolated`: nothing from outside is seen inside. */
export const readRegion = (
  r: Reading,
  name: string | null,
  bound: ReadonlyArray<Bound>,
  parameters: (() => ReadonlyArray<Parameter>) | null,
  isolated: boolean = false,
): Region => {
  const c = r.cursor
  const inner: Reading = { ...r, scopes: isolated ? [new Map()] : [...r.scopes, new Map()] }
  for (const b of bound) define(inner, b.name, [b.type], b.at)
  const own = parameters === null ? [] : parametersWithin(inner, parameters)
  return within(
    c,
    () => {
      expectText(c, '{')
      const blocks: Block[] = []
      do {
        const label = peek(c).kind === 'block' ? next(c).text.slice(1) : null
        const list =
          label === null ? own : isMark(c, '(') ? listed(c, '(', ')', () => readParameter(inner, false)) : []
        if (label !== null) expectText(c, ':')
        const operations: Operation[] = []
        while (c.failed === null && !isMark(c, '}') && peek(c).kind !== 'block')
          operations.push(readOperation(inner))
        blocks.push({ label, parameters: list, operations })
      } while (c.failed === null && peek(c).kind === 'block')
      expectText(c, '}', "an operation or '}'")
      return { name, blocks }
    },
    { name, blocks: [] },
  )
}

/** A header that stands before the braces declares in the region that follows. */
const parametersWithin = (inner: Reading, read: () => ReadonlyArray<Parameter>): ReadonlyArray<Parameter> => {
  const list = read()
  for (const p of list) inner.scopes[inner.scopes.length - 1]!.set(p.name, [p.type])
  return list
}

// ---------------------------------------------------------------- operations of their own text

/** `(%a = %x, %b = %y)`: names inside, values outside. */
const readBindings = (
  r: Reading,
): ReadonlyArray<{ readonly name: string; readonly value: Value; readonly at: Position }> =>
  listed(r.cursor, '(', ')', () => {
    const at = peek(r.cursor)
    const name = expectKind(r.cursor, 'value', 'a name').slice(1)
    expectText(r.cursor, '=')
    return { name, value: readValue(r), at }
  })

const parameterOf = ({ name, type }: Bound): Parameter => ({ name, type, attributes: [], location: null })

/** `scf.for %i = %a to %b step %s iter_args(%x = %y) -> (T) : i32 { }` */
const readFor = (r: Reading): Body => {
  const c = r.cursor
  const unsigned: Dictionary = take(c, 'unsigned') ? [{ name: 'unsignedCmp', value: { _tag: 'unit' } }] : []
  const at = peek(c)
  const variable = expectKind(c, 'value', 'the variable of a loop').slice(1)
  expectText(c, '=')
  const lower = readValue(r)
  expectText(c, 'to')
  const upper = readValue(r)
  expectText(c, 'step')
  const step = readValue(r)
  const bindings = take(c, 'iter_args') ? readBindings(r) : []
  const placed = peek(c)
  const results = bindings.length > 0 && take(c, '->') ? listed(c, '(', ')', () => readType(c)) : []
  if (results.length !== bindings.length)
    fail(c, `${String(bindings.length)} types of carried values`, placed, String(results.length))
  bindings.forEach(({ value }, k) => {
    agree(r, value, results[k] ?? noType, placed)
  })
  const typed = peek(c)
  const type = take(c, ':') ? readType(c) : noType
  for (const bound of [lower, upper, step]) agree(r, bound, type, typed)
  const bound: ReadonlyArray<Bound> = [
    { name: variable, type, at },
    ...bindings.map((b, k) => ({ name: b.name, type: results[k] ?? noType, at: b.at })),
  ]
  const region = readRegion(r, null, bound, null)
  const [first] = region.blocks
  const regions: ReadonlyArray<Region> = [
    {
      name: null,
      blocks:
        first === undefined
          ? []
          : [{ label: null, parameters: bound.map(parameterOf), operations: first.operations }],
    },
  ]
  return body(
    results,
    { lowerBound: [lower], upperBound: [upper], step: [step], initArgs: bindings.map((b) => b.value) },
    [...unsigned, ...readDictionaryIfAny(c)],
    regions,
  )
}

/** `scf.if %c -> (T) { } else { }` */
const readIf = (r: Reading): Body => {
  const c = r.cursor
  const condition = readValue(r)
  const results = take(c, '->') ? listed(c, '(', ')', () => readType(c)) : []
  const then = readRegion(r, null, [], null)
  const otherwise = take(c, 'else') ? [readRegion(r, null, [], null)] : []
  return body(results, { condition: [condition] }, readDictionaryIfAny(c), [then, ...otherwise])
}

/** `scf.while (%a = %x) : (T) -> (U) { } do { ^bb0(%b: U): }` */
const readWhile = (r: Reading): Body => {
  const c = r.cursor
  const bindings = isMark(c, '(') ? readBindings(r) : []
  expectText(c, ':')
  const at = peek(c)
  const inputs = listed(c, '(', ')', () => readType(c))
  expectText(c, '->')
  const results = readResults(c)
  if (inputs.length !== bindings.length)
    fail(c, `${String(bindings.length)} types of carried values`, at, String(inputs.length))
  bindings.forEach(({ value }, k) => {
    agree(r, value, inputs[k] ?? noType, at)
  })
  const bound = bindings.map((b, k) => ({ name: b.name, type: inputs[k] ?? noType, at: b.at }))
  const before = readRegion(r, null, bound, null)
  expectText(c, 'do')
  const after = readRegion(r, null, [], null)
  const attributes = take(c, 'attributes') ? readDictionary(c) : []
  const regions: ReadonlyArray<Region> = [
    {
      name: null,
      blocks: before.blocks.map(({ operations }) => ({
        label: null,
        parameters: bound.map(parameterOf),
        operations,
      })),
    },
    after,
  ]
  return body(results, { inits: bindings.map((b) => b.value) }, attributes, regions)
}

const word = (text: string): Attribute => ({ _tag: 'word', word: text })

/** `tt.func public @f(%a: T {...} loc(..)) -> U attributes {...} { }` */
const readFunction = (r: Reading): Body => {
  const c = r.cursor
  const visibility = ['public', 'private', 'nested'].find((text) => take(c, text))
  const at = peek(c)
  const name = expectKind(c, 'symbol', "a function's name").slice(1)
  if (c.failed === null && r.functions.has(name))
    fail(c, 'a new name of a function', at, `'@${name}', which is there already`, 'ttgir.name')
  r.functions.add(name)
  const inner: Reading = { ...r, scopes: [new Map()] }
  const parameters = listed(c, '(', ')', () => readParameter(inner, true))
  const results = take(c, '->') ? readResults(c) : []
  const attributes = take(c, 'attributes') ? readDictionary(c) : []
  const region = readRegion(r, null, [], () => parameters, true)
  return body(
    [],
    {},
    [
      { name: 'sym_name', value: { _tag: 'symbol', name } },
      ...(visibility === undefined ? [] : [{ name: 'sym_visibility', value: word(visibility) }]),
      {
        name: 'function_type',
        value: {
          _tag: 'type',
          type: { _tag: 'function', inputs: parameters.map((p) => p.type), results },
        },
      },
      ...attributes,
    ],
    [region],
  )
}

/** `ttg.warp_specialize(%a) attributes {...} default { } partition0(%x: T) num_warps(4) { } : (T) -> (U)` */
const readWarpSpecialize = (r: Reading): Body => {
  const c = r.cursor
  const captures = listed(c, '(', ')', () => readValue(r))
  const attributes = take(c, 'attributes') ? readDictionary(c) : []
  expectText(c, 'default')
  const regions = [readRegion(r, 'default', [], null)]
  const warps: Attribute[] = []
  while (c.failed === null && peek(c).kind === 'word' && /^partition\d+$/.test(peek(c).text)) {
    const name = `partition${String(regions.length - 1)}`
    expectText(c, name)
    const at = peek(c)
    const inner: Reading = { ...r, scopes: [new Map()] }
    const parameters = listed(c, '(', ')', () => readParameter(inner, false))
    if (parameters.length !== captures.length)
      fail(c, `${String(captures.length)} parameters`, at, String(parameters.length))
    parameters.forEach((p, k) => {
      const value = captures[k]
      if (value !== undefined) agree(r, value, p.type, at)
    })
    expectText(c, 'num_warps')
    expectText(c, '(')
    warps.push({ _tag: 'integer', value: BigInt(integer(c)), type: null })
    expectText(c, ')')
    regions.push(readRegion(r, name, [], () => parameters, true))
  }
  expectText(c, ':')
  expectText(c, '(')
  readTypesOf(r, captures)
  expectText(c, ')')
  expectText(c, '->')
  const results = readResults(c)
  return body(
    results,
    { explicitCaptures: captures },
    [
      ...attributes,
      {
        name: 'partitionNumWarps',
        value: { _tag: 'array', element: { _tag: 'integer', bits: 32, sign: '' }, items: warps },
      },
    ],
    regions,
  )
}

/** `^bb1(%a, %b : T, U)` */
const readSuccessor = (r: Reading): Successor => {
  const c = r.cursor
  const block = expectKind(c, 'block', 'a block').slice(1)
  if (!take(c, '(')) return { block, values: [] }
  const values = separated(c, () => readValue(r))
  expectText(c, ':')
  readTypesOf(r, values)
  expectText(c, ')')
  return { block, values }
}

const readBranch = (r: Reading): Body => {
  const to = readSuccessor(r)
  return body([], {}, readDictionaryIfAny(r.cursor), [], [to])
}

const readConditionalBranch = (r: Reading): Body => {
  const condition = readValue(r)
  expectText(r.cursor, ',')
  const yes = readSuccessor(r)
  expectText(r.cursor, ',')
  const no = readSuccessor(r)
  return body([], { condition: [condition] }, readDictionaryIfAny(r.cursor), [], [yes, no])
}

/** Operations with regions and such that carry control elsewhere: each has a reader here and a printer in `printer.ts`. */
const structured: Readonly<Record<string, (r: Reading) => Body>> = {
  'scf.for': readFor,
  'scf.if': readIf,
  'scf.while': readWhile,
  'tt.func': readFunction,
  'ttg.warp_specialize': readWarpSpecialize,
  'cf.br': readBranch,
  'cf.cond_br': readConditionalBranch,
}

/** `"tt.reduce"(%x) <{axis = 1 : i32}> ({ }) {} : (T) -> U`, MLIR's general form. */
const readGeneral = (r: Reading, name: string): Body => {
  const c = r.cursor
  const operands = listed(c, '(', ')', () => readValue(r))
  const properties = take(c, '<') ? readDictionary(c) : []
  if (properties.length > 0) expectText(c, '>')
  const regions = isMark(c, '(') ? listed(c, '(', ')', () => readRegion(r, null, [], null)) : []
  const attributes = readDictionaryIfAny(c)
  expectText(c, ':')
  expectText(c, '(')
  readTypesOf(r, operands)
  expectText(c, ')')
  expectText(c, '->')
  const results = readResults(c)
  return body(results, { [own(generalOperands, name)!]: operands }, [...properties, ...attributes], regions)
}

// ---------------------------------------------------------------- operations

/** Every operation that can be read. */
export const operationNames: ReadonlyArray<string> = [
  ...rows.keys(),
  ...Object.keys(structured),
  ...Object.keys(generalOperands),
].sort()

const unknownOperation = (c: Cursor, at: Token): void => {
  const why = unread.get(at.text)
  if (why !== undefined) {
    fail(c, `an operation that is read (${at.text} is ${why})`, at, shown(at), 'ttgir.operation')
    return
  }
  const [near] = nearest(1, operationNames)(at.text)
  fail(
    c,
    `an operation that is known${near === undefined ? '' : ` (nearest: ${near})`}`,
    at,
    shown(at),
    'ttgir.operation',
  )
}

const nothing: Body = body([], {}, [], [])

export const readOperation = (r: Reading): Operation => {
  const c = r.cursor
  const start = peek(c)
  const names =
    start.kind === 'value'
      ? separated(c, () => {
          const at = peek(c)
          const name = expectKind(c, 'value', 'the name of a result').slice(1)
          const several = take(c, ':')
          const count = several ? Number(integer(c)) : 1
          return { name, count, at }
        })
      : []
  if (names.length > 0) expectText(c, '=')
  const head = peek(c)
  const named = names.reduce((sum, { count }) => sum + count, 0)
  const isGeneral = head.kind === 'string' && Object.hasOwn(generalOperands, head.text)
  const isRow = head.kind === 'word' && rows.has(head.text)
  const isStructured = head.kind === 'word' && Object.hasOwn(structured, head.text)
  if (c.failed === null && !isGeneral && !isRow && !isStructured)
    if (head.kind === 'word' || head.kind === 'string') unknownOperation(c, head)
    else fail(c, names.length > 0 ? 'an operation' : "an operation or '}'")
  next(c)
  const found =
    c.failed !== null
      ? nothing
      : isGeneral
        ? readGeneral(r, head.text)
        : isStructured
          ? own(structured, head.text)!(r)
          : readRow(r, head.text, named, head)
  const location = readLocationIfAny(c)
  if (c.failed === null && named !== found.results.length && (names.length > 0 || found.results.length === 0))
    fail(c, `${String(found.results.length)} results`, start, `names of ${String(named)}`)
  let from = 0
  for (const { name, count, at } of names) {
    if (c.failed === null) define(r, name, found.results.slice(from, from + count), at)
    from += count
  }
  return {
    name: head.text,
    at: { line: head.line, column: head.column },
    names: names.map(({ name, count }) => ({ name, count })),
    results: found.results,
    operands: found.operands,
    attributes: found.attributes,
    successors: found.successors,
    regions: found.regions,
    location,
  }
}
