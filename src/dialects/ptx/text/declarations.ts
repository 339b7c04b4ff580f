/** Declarations: registers, variables with what they hold at first, parameters, functions' directives. */
import { isConstant, readConstant, readCount, readOffset } from './constants.js'
import {
  expect,
  expectDotted,
  expectString,
  expectWord,
  fail,
  here,
  isMark,
  isText,
  kindAt,
  listed,
  separated,
  take,
  takeText,
  textAt,
  within,
  type Cursor,
} from './cursor.js'
import { kinds } from './lexer.js'
import type {
  Directive,
  Initial,
  Linkage,
  Parameter,
  Prototype,
  RegisterDeclaration,
  StateSpace,
  TypeName,
  Variable,
} from './module.js'

/** Every type that a register or a variable can have. */
const typeNames = {
  b8: 'b8',
  b16: 'b16',
  b32: 'b32',
  b64: 'b64',
  b128: 'b128',
  u8: 'u8',
  u16: 'u16',
  u32: 'u32',
  u64: 'u64',
  s8: 's8',
  s16: 's16',
  s32: 's32',
  s64: 's64',
  f16: 'f16',
  f16x2: 'f16x2',
  bf16: 'bf16',
  bf16x2: 'bf16x2',
  f32: 'f32',
  f64: 'f64',
  pred: 'pred',
} as const satisfies { readonly [T in TypeName]: T }
const types: ReadonlyMap<string, TypeName> = new Map(Object.entries(typeNames))
const spaces: ReadonlyMap<string, StateSpace> = new Map([
  ['.global', 'global'],
  ['.shared', 'shared'],
  ['.const', 'const'],
  ['.local', 'local'],
  ['.param', 'param'],
])
const linkages: ReadonlyMap<string, Linkage> = new Map([
  ['.visible', 'visible'],
  ['.extern', 'extern'],
  ['.weak', 'weak'],
  ['.common', 'common'],
])
const vectors: ReadonlyMap<string, 2 | 4 | 8> = new Map([
  ['.v2', 2],
  ['.v4', 4],
  ['.v8', 8],
])

/** The row of a map that the next token names, if it names one. */
const takeRow = <A>(c: Cursor, rows: ReadonlyMap<string, A>): A | null => {
  if (kindAt(c) !== kinds.dotted) return null
  const row = rows.get(textAt(c))
  if (row === undefined) return null
  c.at += 1
  return row
}

export const takeLinkage = (c: Cursor): Linkage | null => takeRow(c, linkages)
export const isSpace = (c: Cursor): boolean => kindAt(c) === kinds.dotted && spaces.has(textAt(c))

export const readType = (c: Cursor): TypeName => {
  const type = kindAt(c) === kinds.dotted ? types.get(textAt(c).slice(1)) : undefined
  if (type === undefined) {
    fail(c, 'a type')
    return 'b8'
  }
  c.at += 1
  return type
}

const readAlign = (c: Cursor): number | null => {
  if (!takeText(c, '.align')) return null
  const at = here(c)
  const align = readCount(c, 'an alignment', 1, 1 << 20)
  if (c.failed === null && (align & (align - 1)) !== 0)
    fail(c, 'an alignment that is a power of two', at, `'${String(align)}'`, 'ptx.number')
  return align
}

/** `.attribute(.managed)`, without its blanks */
export const readAttribute = (c: Cursor): string | null => {
  if (!takeText(c, '.attribute')) return null
  expect(c, '(')
  let text = ''
  let open = 1
  for (;;) {
    if (kindAt(c) === kinds.end) {
      fail(c, "')'")
      return text
    }
    if (isMark(c, '(')) open += 1
    if (take(c, ')')) {
      open -= 1
      if (open === 0) return text
      text += ')'
    } else {
      text += textAt(c)
      c.at += 1
    }
  }
}

/** `[4][]`: the first extent may be left out. */
const readExtents = (c: Cursor): ReadonlyArray<number | null> => {
  const extents: (number | null)[] = []
  while (take(c, '[')) {
    if (extents.length === 0 && isMark(c, ']')) extents.push(null)
    else extents.push(readCount(c, 'an extent', 0, 0xffffffff))
    expect(c, ']')
  }
  return extents
}

/** `<12>`, at least 1 */
const readRange = (c: Cursor): number | null => {
  if (!take(c, '<')) return null
  const at = here(c)
  if (kindAt(c) !== kinds.number) {
    fail(c, 'how many names')
    return null
  }
  const text = textAt(c)
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1) fail(c, 'how many names, from 1 to 999999999', at, `'${text.slice(0, 40)}'`, 'ptx.number')
  c.at += c.failed === null ? 1 : 0
  expect(c, '>')
  return count
}

/** `.reg .v2 .f32 a, %r<12>;`: one declaration of each name */
export const readRegisters = (c: Cursor): ReadonlyArray<RegisterDeclaration> => {
  expectDotted(c, "'.reg'")
  const vector = takeRow(c, vectors) ?? 1
  const type = readType(c)
  const declared = separated(c, (): RegisterDeclaration => {
    const at = here(c)
    return { _tag: 'registers', at, type, vector, name: expectWord(c, 'a register'), count: readRange(c) }
  })
  expect(c, ';', "',' or ';'")
  return declared
}

/** `.shared .align 16 .b8 a[4], b[8] = {1, 2};`: one variable of each name */
export const readVariables = (c: Cursor, linkage: Linkage | null): ReadonlyArray<Variable> => {
  const space = takeRow(c, spaces)
  if (space === null) {
    fail(c, 'a state space')
    return []
  }
  let align: number | null = null
  let attribute: string | null = null
  for (;;) {
    if (isText(c, '.align')) align = readAlign(c)
    else if (isText(c, '.attribute')) attribute = readAttribute(c)
    else break
  }
  const vector = takeRow(c, vectors) ?? 1
  const type = readType(c)
  align ??= readAlign(c)
  const variables = separated(c, (): Variable => {
    const at = here(c)
    const name = expectWord(c, 'the name of a variable')
    const count = readRange(c)
    const extents = readExtents(c)
    const initial = take(c, '=') ? readInitial(c) : null
    return {
      _tag: 'variable',
      at,
      linkage,
      space,
      align,
      attribute,
      vector,
      type,
      name,
      count,
      extents,
      initial,
    }
  })
  expect(c, ';', "',' or ';'")
  return variables
}

const nothing: Initial = { _tag: 'braced', items: [] }

const readInitial = (c: Cursor): Initial => {
  const at = here(c)
  if (isMark(c, '{'))
    return within(
      c,
      (): Initial => ({ _tag: 'braced', items: listed(c, '{', '}', () => readInitial(c)) }),
      nothing,
    )
  if (kindAt(c) === kinds.word) return readSymbol(c, null)
  if (!isConstant(c)) {
    fail(c, 'a number, a symbol or a list in braces')
    return nothing
  }
  const constant = readConstant(c)
  // 0xFF(symbol) is a byte of an address
  if (!take(c, '(')) return constant
  if (constant._tag !== 'integer') fail(c, 'a mask', at, `'${constant.text}'`)
  const symbol = readSymbol(c, constant._tag === 'integer' ? constant.value : null)
  expect(c, ')')
  return symbol
}

/** `buf+4`, `generic(buf)+4` */
const readSymbol = (c: Cursor, mask: bigint | null): Initial => {
  const at = here(c)
  const first = expectWord(c, 'a symbol')
  const generic = first === 'generic' && take(c, '(')
  const name = generic ? expectWord(c, 'a symbol') : first
  if (generic) expect(c, ')')
  return { _tag: 'symbol', at, name, offset: readOffset(c), generic, mask }
}

/** `.param .u64 .ptr .global .align 16 name`, `.param .align 64 .b8 name[128]`, `.reg .b32 %r1` */
const readParameter = (c: Cursor): Parameter => {
  const at = here(c)
  const space = takeText(c, '.param') ? 'param' : takeText(c, '.reg') ? 'reg' : null
  if (space === null) fail(c, "'.param', '.reg' or ')'")
  const align = readAlign(c)
  const type = readType(c)
  const pointer = takeText(c, '.ptr') ? { space: takeRow(c, spaces), align: readAlign(c) } : null
  const name = expectWord(c, 'the name of a parameter')
  return { at, space: space ?? 'param', align, type, pointer, name, extents: readExtents(c) }
}

export const readParameters = (c: Cursor): ReadonlyArray<Parameter> =>
  listed(c, '(', ')', () => readParameter(c))

/** `(.param .b32 _) _ (.param .b64 _)` */
export const readPrototype = (c: Cursor): Prototype => {
  const results = isMark(c, '(') ? readParameters(c) : []
  const name = expectWord(c, "'_'")
  if (c.failed === null && name !== '_') fail(c, "'_'", here(c), `'${name}'`)
  return { results, parameters: isMark(c, '(') ? readParameters(c) : [] }
}

// ---------------------------------------------------------------- directives of functions

/** How many numbers each takes. */
const directives: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['maxnreg', [1, 1]],
  ['maxntid', [1, 3]],
  ['reqntid', [1, 3]],
  ['minnctapersm', [1, 1]],
  ['maxnctapersm', [1, 1]],
  ['noreturn', [0, 0]],
  ['explicitcluster', [0, 0]],
  ['blocksareclusters', [0, 0]],
  ['reqnctapercluster', [1, 3]],
  ['maxclusterrank', [1, 1]],
  ['abi_preserve', [1, 1]],
  ['abi_preserve_control', [1, 1]],
])

/** What stands between a function's parameters and its body. */
export const readDirectives = (c: Cursor): ReadonlyArray<Directive> => {
  const read: Directive[] = []
  while (kindAt(c) === kinds.dotted) {
    const at = here(c)
    const name = textAt(c).slice(1)
    if (name === 'pragma') {
      c.at += 1
      const strings = separated(c, () => expectString(c, 'a string'))
      take(c, ';')
      read.push({ name, numbers: [], strings })
      continue
    }
    const counts = directives.get(name)
    if (counts === undefined) {
      fail(c, 'a directive of functions')
      return read
    }
    c.at += 1
    const [least, most] = counts
    const numbers = most === 0 ? [] : separated(c, () => readCount(c, 'a number', 0, 0xffffffff))
    if (numbers.length < least || numbers.length > most)
      fail(c, `at most ${String(most)} numbers`, at, String(numbers.length))
    read.push({ name, numbers, strings: [] })
  }
  return read
}
