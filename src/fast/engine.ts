/**
 * The engine: the modules of `wat/` over one memory, compiled at their first use.
 *
 * The caller lays out operands from `firstPlace` on, each at a multiple of 16 bytes (`placed`), in a memory that grows to what was
 * ever needed. Where the system gives no such memory, products are computed by their definition, as everywhere without vectors. A call reads what it has written itself, so nothing is kept from one to the next;
 * who keeps something has an engine, and so a memory, of its own (`block-sum.ts`).
 */
import * as code from './code.js'

type Call = (...operands: ReadonlyArray<number>) => number

export interface Engine {
  readonly memory: WebAssembly.Memory
  readonly decode: Call
  readonly encode: Call
  readonly blockSum: Call
  readonly orderedSum: Call
  readonly residueSum: Call
  readonly packRows: Call
  readonly packPairs: Call
  readonly moveSums: Call
  readonly integerSum: Call
}

/** The first place of an operand: 0 says that there is none. */
export const firstPlace = 16

const page = 65536

/** Where operands of these sizes begin from a place on, and after them where the last ends. */
export const placedFrom = (from: number, ...bytes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const at = [from]
  for (const size of bytes) at.push(Math.ceil((at[at.length - 1]! + size) / 16) * 16)
  return at
}
export const placed = (...bytes: ReadonlyArray<number>): ReadonlyArray<number> =>
  placedFrom(firstPlace, ...bytes)

/** Makes room up to `end`; false where the system gives no more. */
export const reserve = ({ memory }: Engine, end: number): boolean => {
  const missing = end - memory.buffer.byteLength
  return missing <= 0 || given(() => memory.grow(Math.ceil(missing / page))) !== null
}

/** All of memory as f64. */
export const words = ({ memory }: Engine): Float64Array => new Float64Array(memory.buffer)

/** What the system gives; null if it refuses: addresses are limited (`ulimit -v`), code may be forbidden. */
const given = <A>(ask: () => A): A | null => {
  try {
    return ask()
  } catch {
    return null
  }
}

const compiled = new Map<string, WebAssembly.Module>()

/** The module of a text, compiled once; null where it is refused. */
const moduleOf = (text: string): WebAssembly.Module | null => {
  const before = compiled.get(text)
  if (before !== undefined) return before
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  // an engine without 128-bit vectors refuses the bytes
  const module = WebAssembly.validate(bytes) ? given(() => new WebAssembly.Module(bytes)) : null
  if (module !== null) compiled.set(text, module)
  return module
}

/** An engine whose memory nothing else writes to. */
export const ownEngine = (): Engine | null => {
  const memory = given(() => new WebAssembly.Memory({ initial: 1 }))
  if (memory === null) return null
  const load = (text: string): WebAssembly.Exports | null => {
    const module = moduleOf(text)
    return module === null ? null : given(() => new WebAssembly.Instance(module, { '': { memory } }).exports)
  }
  const call = (exports: WebAssembly.Exports | null, name: string): Call | null => {
    const f = exports?.[name]
    return typeof f === 'function' ? (...operands) => Number(f(...operands)) : null
  }
  const operands = load(code.operand)
  const decode = call(operands, 'decode')
  const encode = call(operands, 'encode')
  const blockSum = call(load(code.blockSum), 'blockSum')
  const orderedSum = call(load(code.orderedSum), 'orderedSum')
  const residueSum = call(load(code.residueSum), 'residueSum')
  const integers = load(code.integerSum)
  const packRows = call(integers, 'packRows')
  const packPairs = call(integers, 'packPairs')
  const moveSums = call(integers, 'moveSums')
  const integerSum = call(integers, 'integerSum')
  return decode === null ||
    encode === null ||
    blockSum === null ||
    orderedSum === null ||
    residueSum === null ||
    packRows === null ||
    packPairs === null ||
    moveSums === null ||
    integerSum === null
    ? null
    : {
        memory,
        decode,
        encode,
        blockSum,
        orderedSum,
        residueSum,
        packRows,
        packPairs,
        moveSums,
        integerSum,
      }
}

let made: Engine | null | undefined
/** The engine of all that keep nothing, the same every time; null where there are no 128-bit vectors, or no memory for it. */
export const engine = (): Engine | null => (made === undefined ? (made = ownEngine()) : made)
