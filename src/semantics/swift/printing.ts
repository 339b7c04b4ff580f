/**
 * What lanes print: texts of `printf`, and those of assertions that fail.
 *
 *     printf("%d %s\n", i, name)     the format and `name` are read where their addresses lead; values lie one after the other, each at a multiple of its bytes
 *
 * A text is bytes, each a character. What is printed stands in the order in which lanes come to it; on a chip warps may come in another.
 *
 * Law 1. A text never reads beyond the memory that it begins in.
 *
 * Source: CUDA C++ Programming Guide, formatted output, assertion; C++ ABI of the compiler for `vprintf` and `__assertfail`.
 */
import { printf } from '../../numerics/printf.js'
import { type WarpLaunch } from '../warps/launched.js'
import type { Operation } from '../warps/program.js'
import type { Registers } from './lanes.js'
import { localStride, type Flat, type Local, type Memories } from './memory.js'

type Print = Extract<Operation, { readonly _tag: 'print' }>

/** On standard output (0), or standard error (1). */
export interface Printed {
  readonly text: string
  readonly stream: 0 | 1
}

/** A thread as CUDA names it. */
export interface Thread {
  readonly cta: ReadonlyArray<number>
  readonly thread: ReadonlyArray<number>
}

/** So many bytes of text are kept of one launch; a chip has room for a megabyte. */
export const mostPrinted: number = 1 << 20

interface Place {
  readonly flat: Flat
  readonly byte: number
  /** where its memory ends */
  readonly end: number
}

const placeAt = (
  launch: WarpLaunch,
  m: Memories,
  r: Registers & Local,
  lane: number,
  low: number,
  high: number,
): Place | null => {
  const at = low >>> 0
  if (high === r.window + lane) {
    const { localBytes } = launch.program
    const stride = localStride(localBytes)
    return { flat: r.local, byte: at + lane * stride, end: lane * stride + localBytes }
  }
  const flat = m.at(high)
  return flat === null ? null : { flat, byte: at, end: flat.size }
}

const textAt = (p: Place | null): string => {
  if (p === null) return ''
  const { flat, byte, end } = p
  const close = flat.bytes.indexOf(0, byte)
  const until = Math.min(close < 0 ? end : close, end, byte + mostPrinted)
  let text = ''
  for (let at = byte; at < until; at++) text += String.fromCharCode(flat.bytes[at]!)
  return text
}

const shownAt = (at: ReadonlyArray<number>): string => `[${at.join(',')}]`

/** What one lane prints. */
export const printed = (
  launch: WarpLaunch,
  m: Memories,
  o: Print,
  r: Registers & Local,
  lane: number,
  { cta, thread }: Thread,
): Printed => {
  const word = (k: number): number => r.words[o.from[k]! * 32 + lane]!
  const textOf = (low: number, high: number): string =>
    (low | high) === 0 ? '(null)' : textAt(placeAt(launch, m, r, lane, low, high))
  switch (o.text) {
    case 'asserted': {
      const [what, file, of] = [textOf(word(0), word(1)), textOf(word(2), word(3)), textOf(word(5), word(6))]
      const where = `${file}:${String(word(4) >>> 0)}: ${of}: block: ${shownAt(cta)}, thread: ${shownAt(thread)}`
      return { text: `${where} Assertion \`${what}\` failed.\n`, stream: 1 }
    }
    case 'formatted': {
      const values = placeAt(launch, m, r, lane, word(2), word(3))
      let at = 0
      const next = (bytes: 4 | 8): DataView => {
        at = Math.ceil(at / bytes) * bytes
        const from = (values?.byte ?? 0) + at
        at += bytes
        return values === null || from + bytes > values.end
          ? new DataView(new ArrayBuffer(8))
          : new DataView(values.flat.bytes.buffer, values.flat.bytes.byteOffset + from, bytes)
      }
      return {
        text: printf(textOf(word(0), word(1)), {
          word: () => next(4).getInt32(0, true),
          long: () => next(8).getBigInt64(0, true),
          double: () => next(8).getFloat64(0, true),
          text: () => {
            const address = next(8)
            return textOf(address.getInt32(0, true), address.getInt32(4, true))
          },
        }),
        stream: 0,
      }
    }
  }
}
