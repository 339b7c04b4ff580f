/** Operands: what stands between an opcode and its semicolon. */
import { isConstant, readConstant, readOffset } from './constants.js'
import {
  expect,
  expectWord,
  fail,
  here,
  isMark,
  kindAt,
  listed,
  separated,
  take,
  textAt,
  within,
  type Cursor,
} from './cursor.js'
import { kinds } from './lexer.js'
import type { Address, Name, Operand } from './module.js'

/** `%r1`, `%tid.x`, `buf+16` */
const readName = (c: Cursor): Name => {
  const at = here(c)
  const name = expectWord(c, 'a name')
  const selector = kindAt(c) === kinds.dotted ? textAt(c).slice(1) : null
  if (selector !== null) c.at += 1
  const offset = readOffset(c)
  return { _tag: 'name', at, name, selector, offset }
}

/** `[base+4]`, `[16]`, `[map, {%r1, %r2}]` */
const readAddress = (c: Cursor): Address => {
  const at = here(c)
  expect(c, '[')
  if (kindAt(c) === kinds.word) {
    const named = readName(c)
    const more = readMore(c)
    return { _tag: 'address', at, base: { ...named, offset: 0 }, offset: named.offset, more }
  }
  if (!isConstant(c)) {
    fail(c, 'a register, a symbol or a number')
    return { _tag: 'address', at, base: null, offset: 0, more: [] }
  }
  const place = here(c)
  const constant = readConstant(c)
  if (constant._tag !== 'integer' || constant.value < 0n || constant.value > BigInt(Number.MAX_SAFE_INTEGER))
    fail(c, 'an address', place, `'${constant.text}'`, 'ptx.number')
  const offset = constant._tag === 'integer' ? Number(constant.value) : 0
  return { _tag: 'address', at, base: null, offset, more: readMore(c) }
}
const readMore = (c: Cursor): ReadonlyArray<Operand> => {
  const more = take(c, ',') ? separated(c, () => readOperand(c, false)) : []
  expect(c, ']')
  return more
}

const sink: Operand = { _tag: 'sink' }

const isSink = (c: Cursor): boolean => kindAt(c) === kinds.word && textAt(c) === '_'

/** One operand; where `lists` are allowed, `(` begins one. */
export const readOperand = (c: Cursor, lists: boolean): Operand => {
  const kind = kindAt(c)
  if (kind === kinds.word) {
    if (isSink(c)) {
      c.at += 1
      return take(c, '|') ? { _tag: 'pair', first: sink, second: readSecond(c) } : sink
    }
    const name = readName(c)
    if (isMark(c, '|')) {
      c.at += 1
      return { _tag: 'pair', first: name, second: readSecond(c) }
    }
    if (isMark(c, '[')) {
      c.at += 1
      const index = isConstant(c) ? readConstant(c) : null
      if (index?._tag !== 'integer' || index.value < 0n || index.value > 0x7fffffffn)
        fail(c, 'an index', name.at, `'${name.name}[${index?.text ?? ''}'`)
      expect(c, ']')
      return {
        _tag: 'element',
        at: name.at,
        name: name.name,
        index: index?._tag === 'integer' ? Number(index.value) : 0,
      }
    }
    return name
  }
  if (kind === 91) return readAddress(c)
  if (kind === 123)
    return within(
      c,
      (): Operand => ({ _tag: 'vector', items: listed(c, '{', '}', () => readOperand(c, false)) }),
      sink,
    )
  if (kind === 40 && lists)
    return within(
      c,
      (): Operand => ({ _tag: 'list', items: listed(c, '(', ')', () => readOperand(c, false)) }),
      sink,
    )
  if (take(c, '!')) return { _tag: 'not', of: readName(c) }
  if (isConstant(c)) return readConstant(c)
  fail(c, 'an operand')
  return sink
}

const readSecond = (c: Cursor): Operand => {
  if (!isSink(c)) return readName(c)
  c.at += 1
  return sink
}
