/**
 * From a module to a text, in the way in which NVIDIA's compilers write it: a statement a line, what a scope holds one tab deeper.
 *
 * Law 1. `parseModule(printModule(m))` is `m`, but for positions.
 */
import type {
  Address,
  Directive,
  Function,
  Initial,
  Instruction,
  Item,
  Module,
  Name,
  Operand,
  Parameter,
  Prototype,
  RegisterDeclaration,
  SectionLine,
  SourceLocation,
  Statement,
  Variable,
} from './module.js'

/** An offset is added, a negative one too: there is no other sign behind an address. */
const signed = (offset: number): string => (offset === 0 ? '' : `+${String(offset)}`)

const printName = ({ name, selector, offset }: Name): string =>
  `${name}${selector === null ? '' : `.${selector}`}${signed(offset)}`

const printAddress = ({ base, offset, more }: Address): string => {
  const place = base === null ? String(offset) : `${printName(base)}${signed(offset)}`
  return `[${[place, ...more.map(printOperand)].join(', ')}]`
}

export const printOperand = (o: Operand): string => {
  switch (o._tag) {
    case 'integer':
    case 'float':
      return o.text
    case 'name':
      return printName(o)
    case 'address':
      return printAddress(o)
    case 'sink':
      return '_'
    case 'not':
      return `!${printName(o.of)}`
    case 'vector':
      return `{${o.items.map(printOperand).join(', ')}}`
    case 'pair':
      return `${printOperand(o.first)}|${printOperand(o.second)}`
    case 'list':
      return `(${o.items.map(printOperand).join(', ')})`
    case 'element':
      return `${o.name}[${String(o.index)}]`
  }
}

export const printInstruction = ({ guard, opcode, operands }: Instruction): string => {
  const before = guard === null ? '' : `@${guard.negated ? '!' : ''}${guard.name} `
  return `${before}${opcode}${operands.length === 0 ? '' : ` \t${operands.map(printOperand).join(', ')}`};`
}

const printAlign = (align: number | null): string => (align === null ? '' : `.align ${String(align)} `)
const printExtents = (extents: ReadonlyArray<number | null>): string =>
  extents.map((n) => `[${n === null ? '' : String(n)}]`).join('')
const printRange = (count: number | null): string => (count === null ? '' : `<${String(count)}>`)
const printVector = (vector: number): string => (vector === 1 ? '' : `.v${String(vector)} `)
const printStrings = (strings: ReadonlyArray<string>): string => strings.map((s) => `"${s}"`).join(', ')

const printRegisters = ({ vector, type, name, count }: RegisterDeclaration): string =>
  `.reg ${printVector(vector)}.${type} \t${name}${printRange(count)};`

const printInitial = (i: Initial): string => {
  switch (i._tag) {
    case 'integer':
    case 'float':
      return i.text
    case 'braced':
      return `{${i.items.map(printInitial).join(', ')}}`
    case 'symbol': {
      const symbol = `${i.generic ? `generic(${i.name})` : i.name}${signed(i.offset)}`
      return i.mask === null ? symbol : `${String(i.mask)}(${symbol})`
    }
  }
}

export const printVariable = (v: Variable): string =>
  [
    v.linkage === null ? '' : `.${v.linkage} `,
    `.${v.space} `,
    v.attribute === null ? '' : `.attribute(${v.attribute}) `,
    printAlign(v.align),
    printVector(v.vector),
    `.${v.type} ${v.name}${printRange(v.count)}${printExtents(v.extents)}`,
    v.initial === null ? '' : ` = ${printInitial(v.initial)}`,
    ';',
  ].join('')

export const printParameter = (p: Parameter): string => {
  const pointer =
    p.pointer === null
      ? ''
      : `.ptr ${p.pointer.space === null ? '' : `.${p.pointer.space} `}${printAlign(p.pointer.align)}`
  return `.${p.space} ${printAlign(p.align)}.${p.type} ${pointer}${p.name}${printExtents(p.extents)}`
}
const printParameters = (ps: ReadonlyArray<Parameter>): string => `(${ps.map(printParameter).join(', ')})`

const printPrototype = ({ results, parameters }: Prototype): string =>
  `${results.length === 0 ? '' : `${printParameters(results)} `}_ ${printParameters(parameters)}`

const printDirective = ({ name, numbers, strings }: Directive): string =>
  strings.length > 0
    ? `.${name} ${printStrings(strings)};`
    : [`.${name}`, numbers.join(', ')].filter((s) => s !== '').join(' ')

const printLocation = ({ file, line, column, inlined }: SourceLocation): string => {
  const place = (at: { readonly file: number; readonly line: number; readonly column: number }): string =>
    `${String(at.file)} ${String(at.line)} ${String(at.column)}`
  const inside =
    inlined === null
      ? ''
      : `, function_name ${inlined.label}${signed(inlined.offset)}, inlined_at ${place(inlined.at)}`
  return `.loc\t${place({ file, line, column })}${inside}`
}

/** Its lines, each behind as many tabs as scopes are around it. */
const linesOf = (s: Statement, tabs: string): string => {
  switch (s._tag) {
    case 'label':
      return `${s.name}:`
    case 'scope':
      return `${tabs}{\n${s.body.map((inner) => `${linesOf(inner, `${tabs}\t`)}\n`).join('')}${tabs}}`
    case 'registers':
    case 'instruction':
    case 'variable':
    case 'loc':
    case 'pragma':
    case 'targets':
    case 'prototype':
    case 'comment':
      return `${tabs}${printStatement(s)}`
  }
}

const printStatement = (s: Exclude<Statement, { readonly _tag: 'label' | 'scope' }>): string => {
  switch (s._tag) {
    case 'instruction':
      return printInstruction(s)
    case 'registers':
      return printRegisters(s)
    case 'variable':
      return printVariable(s)
    case 'loc':
      return printLocation(s.location)
    case 'pragma':
      return `.pragma ${printStrings(s.strings)};`
    case 'targets':
      return `${s.name}: .${s.of}targets ${s.targets.map(printName).join(', ')};`
    case 'prototype':
      return `${s.name}: .callprototype ${[printPrototype(s.prototype), ...s.directives.map(printDirective)].join(' ')};`
    case 'comment':
      return s.text
  }
}

const printFunction = (f: Function): string => {
  const head = [
    f.linkage === null ? '' : `.${f.linkage} `,
    `.${f.kind} `,
    f.attribute === null ? '' : `.attribute(${f.attribute}) `,
    f.results.length === 0 ? '' : `${printParameters(f.results)} `,
    f.name,
    f.parameters === null
      ? ''
      : f.parameters.length === 0
        ? '()'
        : `(\n${f.parameters.map((p) => `\t${printParameter(p)}`).join(',\n')}\n)`,
    ...f.directives.map((d) => `\n${printDirective(d)}`),
  ].join('')
  return f.body === null ? `${head};` : `${head}\n{\n${f.body.map((s) => `${linesOf(s, '\t')}\n`).join('')}}`
}

const printLine = (l: SectionLine): string =>
  l._tag === 'label' ? `${l.name}:` : `.${l.type} ${l.values.join(',')}`

const printItem = (item: Item): string => {
  switch (item._tag) {
    case 'function':
      return printFunction(item)
    case 'variable':
      return printVariable(item)
    case 'file':
      return `.file\t${String(item.index)} "${item.path}"${item.stamp === null ? '' : `, ${String(item.stamp[0])}, ${String(item.stamp[1])}`}`
    case 'section':
      return `.section\t${item.name}\n{\n${item.lines.map((l) => `${printLine(l)}\n`).join('')}}`
    case 'alias':
      return `.alias ${item.name}, ${item.of};`
    case 'pragma':
      return `.pragma ${printStrings(item.strings)};`
    case 'comment':
      return item.text
  }
}

export const printModule = (m: Module): string =>
  [
    ...m.comments.map((c) => c.text),
    `.version ${m.version}`,
    `.target ${m.targets.join(', ')}`,
    ...(m.addressSize === null ? [] : [`.address_size ${String(m.addressSize)}`]),
    '',
    ...m.items.map(printItem),
    '',
  ].join('\n')
