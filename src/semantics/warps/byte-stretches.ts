/**
 * Stretches: bytes that come one after the other, as the log has them.
 *
 *     bytes 0 1 2 3 of value 7, then 4 5 6 7 of it        one stretch: (7, 0, 8)
 *
 * A store of a whole tile would otherwise list each of its bytes. A zero that no data has made is the zero of all inputs, so it is no constant of this run; any other
 * number is.
 *
 * Law 1. Stretches that are put together from bytes give back the same bytes in the same order.
 */
import { firstComputed } from '../log/computed.js'
import { constant, type Origin } from '../log/events.js'
import type { ByteOrigins } from '../machine/warp-stand.js'
import type { Row } from './program.js'
import { wordAt, type Rows } from './rows.js'
import { isPlain, wordOf, data, at, plain } from './byte-words.js'

/** A word that no data has made. */
export const isNumber = (r: Rows, o: ByteOrigins, row: Row, lane: number): boolean =>
  (r.unknown[row]! & (1 << lane)) === 0 && isPlain(wordOf(o, row, lane))

/** The bytes that are written, and what has been computed before. */
export const said = ({ computed }: ByteOrigins, { list }: Stretching): Origin => {
  if (computed.unsaid.length === 0) return { _tag: 'bytes', stretches: list }
  const made = computed.unsaid
  computed.unsaid = []
  return { _tag: 'bytes', stretches: list, computed: made }
}

interface Stretching {
  readonly list: number[]
  /** where the last one begins */
  last: number
}
export const stretches = (): Stretching => ({ list: [], last: -1 })

/** These bytes of a word come next. */
export const extend = (
  r: Rows,
  o: ByteOrigins,
  s: Stretching,
  row: Row,
  lane: number,
  from: number,
  bytes: number,
): void => {
  const { list } = s
  const word = wordAt(r, row, lane)
  const isUnknown = (r.unknown[row]! & (1 << lane)) !== 0
  for (let b = from; b < from + bytes; b++) {
    const held = isUnknown ? data : o.values[at(row, lane) + b]!
    // a zero that no data has made is the zero of all inputs
    const value = held === plain && ((word >>> (8 * b)) & 0xff) !== 0 ? constant : held
    const isOfValue = value > 0 || value <= firstComputed
    const place = isOfValue ? o.bytes[at(row, lane) + b]! : 0
    const { last } = s
    if (last >= 0 && list[last] === value && (!isOfValue || list[last + 1]! + list[last + 2]! === place)) {
      list[last + 2] = list[last + 2]! + 1
      continue
    }
    s.last = list.length
    list.push(value, place, 1)
  }
}

/** An operand comes next: these bytes of a word, or the number that it is. */
export const extendOperand = (
  r: Rows,
  o: ByteOrigins,
  s: Stretching,
  row: Row,
  lane: number,
  bytes: 2 | 4,
): void => {
  const held = wordAt(r, row, lane)
  const word = bytes === 4 ? held : (held & 0xffff) | (held << 16)
  if (word === 0 || !isNumber(r, o, row, lane)) {
    extend(r, o, s, row, lane, 0, bytes)
    return
  }
  const { list, last } = s
  if (last >= 0 && list[last] === constant && list[last + 1] === word) {
    list[last + 2] = list[last + 2]! + bytes
    return
  }
  s.last = list.length
  list.push(constant, word, bytes)
}
