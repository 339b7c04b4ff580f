/**
 * From a module to the text that MLIR writes for it: the reverse of `reader.ts`, along the same rows.
 *
 * Law 1. What MLIR has printed is printed as it was, to the letter.
 */
import { unreachable } from '../../../failure.js'
import { flat, type Piece } from './format.js'
import { generalOperands, rows } from './formats.js'
import { quote } from './lexer.js'
import {
  showAttribute,
  showBare,
  showDictionary,
  showLocation,
  showResults,
  showSymbol,
  showType,
} from './show.js'
import {
  attributeOf,
  type Attribute,
  type Dictionary,
  type Module,
  type Operation,
  type Parameter,
  type Region,
  type Successor,
  type Type,
  type Value,
} from './syntax.js'
import { own } from '../../../own.js'

const showValue = ({ name, index }: Value): string => `%${name}${index === null ? '' : `#${String(index)}`}`
const showValues = (values: ReadonlyArray<Value>): string => values.map(showValue).join(', ')
const showTypes = (values: ReadonlyArray<Value>): string => values.map((v) => showType(v.type)).join(', ')

const without = (attributes: Dictionary, names: ReadonlyArray<string>): Dictionary =>
  attributes.filter(({ name }) => !names.includes(name))

// ---------------------------------------------------------------- rows

/** Marks that stand close to what is before them; those that open do unless a comma is there. */
const closing = new Set([',', ')', ']', '>'])
const opening = new Set(['(', '[', '<'])

const join = (texts: ReadonlyArray<string>): string =>
  texts.reduce((line, text, k) => {
    const before = texts[k - 1] ?? ''
    const isClose = closing.has(text) || opening.has(before) || (opening.has(text) && before !== ',')
    return line === '' || isClose ? line + text : `${line} ${text}`
  }, '')

const isI1 = (t: Type | undefined): boolean => t?._tag === 'integer' && t.bits === 1

const showInline = (name: string, a: Attribute): string => {
  switch (a._tag) {
    case 'unit':
      return name
    case 'list':
      return a.items.map(showAttribute).join(', ')
    default:
      return showAttribute(a)
  }
}

const showPieces = (op: Operation, row: ReadonlyArray<Piece>): string => {
  const inlineNames = flat(row).flatMap((p) => (p._tag === 'inline' ? [p.name] : []))
  const resultNames = flat(row).flatMap((p) =>
    p._tag === 'types' ? p.names.filter((name) => !Object.hasOwn(op.operands, name)) : [],
  )
  const valuesOf = (name: string): ReadonlyArray<Value> => own(op.operands, name) ?? []
  const typeOf = (name: string): Type =>
    valuesOf(name)[0]?.type ?? op.results[resultNames.indexOf(name)] ?? unreachable(`the type of ${name}`)
  const isThere = (group: ReadonlyArray<Piece>): boolean => {
    const first = group[0]
    if (first?._tag === 'types') return !isI1(typeOf(first.names[0]!))
    return flat(group).some(
      (p) =>
        (p._tag === 'value' && valuesOf(p.name).length > 0) ||
        (p._tag === 'inline' && attributeOf(op.attributes, p.name) !== undefined) ||
        (p._tag === 'types' && p.names.some((name) => valuesOf(name).length > 0)),
    )
  }
  const show = (list: ReadonlyArray<Piece>, nth: number): ReadonlyArray<string> =>
    list.flatMap((p): ReadonlyArray<string> => {
      switch (p._tag) {
        case 'text':
          return [p.text]
        case 'value':
          return [p.many ? showValues(valuesOf(p.name)) : showValue(valuesOf(p.name)[nth]!)]
        case 'inline':
          return [showInline(p.name, attributeOf(op.attributes, p.name) ?? unreachable(p.name))]
        case 'dictionary': {
          const rest = without(op.attributes, inlineNames)
          return rest.length === 0 ? [] : [showDictionary(rest)]
        }
        case 'types':
          return [
            p.many && !p.names.some((name) => Object.hasOwn(op.operands, name))
              ? op.results.map(showType).join(', ')
              : p.many
                ? p.names.map((name) => showTypes(valuesOf(name))).join(', ')
                : (p.bare ? showBare : showType)(typeOf(p.names[0]!)),
          ]
        case 'function':
          return [`(${showTypes(Object.values(op.operands).flat())}) -> ${showResults(op.results)}`]
        case 'optional':
          return isThere(p.pieces) ? show(p.pieces, 0) : []
        case 'repeated': {
          const first = flat(p.pieces).find((x) => x._tag === 'value')
          return valuesOf(first?.name ?? '').flatMap((_, k) => show(p.pieces, k))
        }
      }
    })
  return join([op.name, ...show(row, 0)].filter((text) => text !== ''))
}

// ---------------------------------------------------------------- regions

const showParameter = ({ name, type, attributes, location }: Parameter): string =>
  `%${name}: ${showType(type)}${attributes.length === 0 ? '' : ` ${showDictionary(attributes)}`}${
    location === null ? '' : ` ${showLocation(location)}`
  }`
const showParameters = (list: ReadonlyArray<Parameter>): string => list.map(showParameter).join(', ')

/** The lines between the braces of a region. */
const showBlocks = (region: Region, indent: string): string =>
  region.blocks
    .map(({ label, parameters, operations }) => {
      const head =
        label === null
          ? ''
          : `${indent.slice(2)}^${label}${parameters.length === 0 ? '' : `(${showParameters(parameters)})`}:\n`
      return head + operations.map((op) => `${indent}${showOperation(op, indent)}\n`).join('')
    })
    .join('')

const showRegion = (region: Region, indent: string): string =>
  `{\n${showBlocks(region, `${indent}  `)}${indent}}`

const showSuccessor = ({ block, values }: Successor): string =>
  `^${block}${values.length === 0 ? '' : `(${showValues(values)} : ${showTypes(values)})`}`

const only = (op: Operation, name: string): Value =>
  own(op.operands, name)?.[0] ?? unreachable(`${op.name}: ${name}`)

/** Names inside with what they begin as outside: `%a = %x, %b = %y`. */
const showBindings = (parameters: ReadonlyArray<Parameter>, values: ReadonlyArray<Value>): string =>
  parameters.map(({ name }, k) => `%${name} = ${showValue(values[k]!)}`).join(', ')

const dictionaryBehind = (attributes: Dictionary): string =>
  attributes.length === 0 ? '' : ` ${showDictionary(attributes)}`
const attributesBehind = (attributes: Dictionary): string =>
  attributes.length === 0 ? '' : ` attributes ${showDictionary(attributes)}`

const parenthesised = (types: ReadonlyArray<Type>): string => `(${types.map(showType).join(', ')})`

const structured: Readonly<Record<string, (op: Operation, indent: string) => string>> = {
  'scf.for': (op, indent) => {
    const region = op.regions[0]!
    const [variable, ...carried] = region.blocks[0]!.parameters
    const unsigned = attributeOf(op.attributes, 'unsignedCmp') === undefined ? '' : ' unsigned'
    const iterates =
      carried.length === 0
        ? ''
        : ` iter_args(${showBindings(carried, op.operands['initArgs'] ?? [])}) -> ${parenthesised(op.results)}`
    const type = variable!.type._tag === 'index' ? '' : ` : ${showType(variable!.type)}`
    return `scf.for${unsigned} %${variable!.name} = ${showValue(only(op, 'lowerBound'))} to ${showValue(
      only(op, 'upperBound'),
    )} step ${showValue(only(op, 'step'))}${iterates} ${type}${type === '' ? '' : ' '}${showRegion(region, indent)}${dictionaryBehind(
      without(op.attributes, ['unsignedCmp']),
    )}`
  },
  'scf.if': (op, indent) => {
    const [then, otherwise] = op.regions
    const results = op.results.length === 0 ? '' : ` -> ${parenthesised(op.results)}`
    return `scf.if ${showValue(only(op, 'condition'))}${results} ${showRegion(then!, indent)}${
      otherwise === undefined ? '' : ` else ${showRegion(otherwise, indent)}`
    }${dictionaryBehind(op.attributes)}`
  },
  'scf.while': (op, indent) => {
    const [before, after] = op.regions
    const inits = op.operands['inits'] ?? []
    const bindings = inits.length === 0 ? '' : ` (${showBindings(before!.blocks[0]!.parameters, inits)})`
    return `scf.while${bindings} : (${showTypes(inits)}) -> ${showResults(
      op.results,
    )} ${showRegion(before!, indent)} do ${showRegion(after!, indent)}${attributesBehind(op.attributes)}`
  },
  'tt.func': (op, indent) => {
    const region = op.regions[0]!
    const name = attributeOf(op.attributes, 'sym_name')
    const visibility = attributeOf(op.attributes, 'sym_visibility')
    const type = attributeOf(op.attributes, 'function_type')
    const results = type?._tag === 'type' && type.type._tag === 'function' ? type.type.results : []
    return `tt.func${visibility === undefined ? '' : ` ${showAttribute(visibility)}`} ${
      name === undefined ? '' : showAttribute(name)
    }(${showParameters(region.blocks[0]?.parameters ?? [])})${
      results.length === 0 ? '' : ` -> ${showResults(results)}`
    }${attributesBehind(without(op.attributes, ['sym_name', 'sym_visibility', 'function_type']))} ${showRegion(
      region,
      indent,
    )}`
  },
  'ttg.warp_specialize': (op, indent) => {
    const captures = op.operands['explicitCaptures'] ?? []
    const warps = attributeOf(op.attributes, 'partitionNumWarps')
    const counts = warps?._tag === 'array' ? warps.items.map(showAttribute) : []
    const [first, ...partitions] = op.regions
    return `ttg.warp_specialize(${showValues(captures)})${attributesBehind(
      without(op.attributes, ['partitionNumWarps']),
    )}\n${indent}default ${showRegion(first!, indent)}${partitions
      .map(
        (region, k) =>
          `\n${indent}${region.name ?? ''}(${showParameters(region.blocks[0]?.parameters ?? [])}) num_warps(${
            counts[k] ?? ''
          }) ${showRegion(region, indent)}`,
      )
      .join('')} : (${showTypes(captures)}) -> ${showResults(op.results)}`
  },
  'cf.br': (op) => `cf.br ${op.successors.map(showSuccessor).join(', ')}${dictionaryBehind(op.attributes)}`,
  'cf.cond_br': (op) =>
    `cf.cond_br ${showValue(only(op, 'condition'))}, ${op.successors.map(showSuccessor).join(', ')}${dictionaryBehind(
      op.attributes,
    )}`,
}

/** MLIR's general form, of operations that have no text of their own. */
const showGeneral = (op: Operation, indent: string): string => {
  const values = Object.values(op.operands).flat()
  const properties = op.attributes.length === 0 ? '' : ` <${showDictionary(op.attributes)}>`
  return `${quote(op.name)}(${showValues(values)})${properties} (${op.regions
    .map((region) => showRegion(region, indent))
    .join(', ')}) : (${showTypes(values)}) -> ${showResults(op.results)}`
}

// ---------------------------------------------------------------- operations and modules

export const showOperation = (op: Operation, indent: string = ''): string => {
  const names = op.names
    .map(({ name, count }) => `%${name}${count === 1 ? '' : `:${String(count)}`}`)
    .join(', ')
  const row = rows.get(op.name)
  const text = Object.hasOwn(generalOperands, op.name)
    ? showGeneral(op, indent)
    : row === undefined
      ? own(structured, op.name)!(op, indent)
      : showPieces(op, row.pieces)
  return `${names === '' ? '' : `${names} = `}${text}${op.location === null ? '' : ` ${showLocation(op.location)}`}`
}

/** The text of a module. */
export const showModule = (m: Module): string => {
  const define = m.definitions.map(
    ({ name, attribute, location }) =>
      `#${name} = ${attribute === null ? '' : showAttribute(attribute)}${location === null ? '' : showLocation(location)}\n`,
  )
  return [
    ...define.slice(0, m.leading),
    `module${m.name === null ? '' : ` ${showSymbol(m.name)}`}${attributesBehind(m.attributes)} {\n`,
    ...m.operations.map((op) => `  ${showOperation(op, '  ')}\n`),
    `}${m.location === null ? '' : ` ${showLocation(m.location)}`}\n`,
    ...define.slice(m.leading),
  ].join('')
}
