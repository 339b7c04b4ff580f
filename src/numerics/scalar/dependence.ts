/**
 * Dependence: which bytes of what a scalar operation gives depend on bytes that are not known.
 *
 * Of the words of the operands some bytes are known and the others may be anything (bit b of a mask: byte b). A byte of a result is known if it is the same
 * whatever those hold. How bytes come together differs:
 *
 * | kind        | of                                          | a byte of the result is known if                                       |
 * |-------------|---------------------------------------------|------------------------------------------------------------------------|
 * | bit by bit  | logic, moves, choices, shifts, fields, prmt | it is the same with all zeros and with all ones in each unknown operand |
 * | from below  | add, sub, mul, mad, neg of whole numbers    | it, and all below it, are known in every operand                        |
 * | by elements | two numbers in a word                       | its element is known in every operand                                   |
 * | all         | everything else                             | all bytes of all operands are                                           |
 *
 * Bit by bit: each bit of the result is made of at most one bit of each operand. Which one, a few operands say, the *controls*: counts, positions,
 * selectors, tables. They must be known, or nothing is.
 *
 *     and.b32 0x000000ff, 0x????????      0x000000??: the upper three bytes are known
 *     prmt.b32 0x????1234, 0, 0x4410      0x00001234
 *     add.s32 0x??000010, 4               0x??000014
 *     selp.b32 5, 5, ?                    5
 *
 * Laws
 * 1. Sound: whatever the unknown bytes hold, the result has the known bytes that are given here.
 * 2. Exact, of what is bit by bit with known controls: a byte that is called unknown differs for some contents.
 */
import { remembered } from '../../remembered.js'
import { rest, widthOf, wordsOf, type ScalarOperation, type ScalarType } from './operation.js'
import { own } from '../../own.js'

/** Bytes of a word, bit b for byte b. */
export type Bytes = number
export const allBytes: Bytes = 15

/** The words of the operands and their unknown bytes, to the unknown bytes of each word of the results. */
export type Dependence = (words: ArrayLike<number>, unknown: ArrayLike<Bytes>) => ReadonlyArray<Bytes>

// ---------------------------------------------------------------- types

/** Bytes of a word of an operand that are looked at. */
const looked = (type: ScalarType): Bytes =>
  widthOf(type) === 1 || widthOf(type) === 8 ? 1 : widthOf(type) === 16 ? 3 : allBytes

/** Unknown bytes of a word of a result as it is written: a narrow one is extended. */
const written = (type: ScalarType, unknown: Bytes): Bytes => {
  switch (type) {
    case 'pred':
      return unknown === 0 ? 0 : 1
    case 's8':
      return unknown === 0 ? 0 : allBytes
    case 's16':
      return (unknown & 2) === 0 ? unknown & 1 : (unknown & 1) | 14
    default:
      return unknown & looked(type)
  }
}

const masksOfBytes: ReadonlyArray<number> = Array.from({ length: 16 }, (_, bytes) =>
  [0, 1, 2, 3].reduce((mask, b) => mask | ((bytes >>> b) & 1 ? 0xff << (8 * b) : 0), 0),
)
/** The bits of bytes of a word. */
export const bitsOfBytes = (bytes: Bytes): number => masksOfBytes[bytes]!

/** Bytes in which two words differ. */
const differing = (x: number, y: number): Bytes => {
  const d = x ^ y
  return (
    ((d & 0xff) !== 0 ? 1 : 0) |
    ((d & 0xff00) !== 0 ? 2 : 0) |
    ((d & 0xff0000) !== 0 ? 4 : 0) |
    ((d & 0xff000000) !== 0 ? 8 : 0)
  )
}

// ---------------------------------------------------------------- kinds

type Kind =
  | { readonly _tag: 'bit by bit'; readonly controls: ReadonlyArray<number> }
  | { readonly _tag: 'from below' }
  | { readonly _tag: 'by elements' }
  | { readonly _tag: 'packs' }
  | { readonly _tag: 'all' }

/** Controls by their operands; of these opcodes every form is bit by bit. */
const bitByBit: Readonly<Record<string, ReadonlyArray<number>>> = {
  and: [],
  or: [],
  xor: [],
  not: [],
  mov: [],
  brev: [],
  selp: [],
  lop3: [3],
  prmt: [2],
  shl: [1],
  shr: [1],
  shf: [2],
  bfe: [1, 2],
  bfi: [2, 3],
  szext: [1],
}

const isWhole = (type: ScalarType): boolean => /^[usb](?:8|16|32|64)$/.test(type)
const isPair = (type: ScalarType): boolean => /^(?:f16|bf16|u16|s16)x2$/.test(type)

const kindOf = ({ name, operands, results }: ScalarOperation): Kind => {
  const [opcode = '', ...modifiers] = name.split('.')
  const controls = own(bitByBit, opcode)
  // a result that is a predicate is one of all bits of a word
  const hasTruth = results.includes('pred') && operands.some((type) => type !== 'pred')
  if (controls !== undefined && !hasTruth) return { _tag: 'bit by bit', controls }
  const wraps = !modifiers.includes('sat') && !hasTruth && [...operands, ...results].every(isWhole)
  if (opcode === 'cvt' && wraps) return { _tag: 'bit by bit', controls: [] }
  if (wraps && ['add', 'sub', 'neg'].includes(opcode)) return { _tag: 'from below' }
  if (wraps && ['mul', 'mad'].includes(opcode) && !modifiers.includes('hi')) return { _tag: 'from below' }
  if ([...operands, ...results].every(isPair)) return { _tag: 'by elements' }
  // two of 4 bits share a byte
  const inBytes = results.length === 1 && /x2$/.test(results[0]!) && widthOf(results[0]!) > 8
  if (opcode === 'cvt' && operands.length === 2 && inBytes) return { _tag: 'packs' }
  return { _tag: 'all' }
}

// ---------------------------------------------------------------- what each kind gives

interface Shape {
  readonly operation: ScalarOperation
  /** by word of the operands: which operand it is of, and the bytes of it that are looked at */
  readonly operandOf: ReadonlyArray<number>
  readonly looked: ReadonlyArray<Bytes>
  /** by word of the results: its type */
  readonly results: ReadonlyArray<ScalarType>
}

const shapeOf = (operation: ScalarOperation): Shape => ({
  operation,
  operandOf: operation.operands.flatMap((type, i) => Array.from({ length: wordsOf(type) }, () => i)),
  looked: operation.operands.flatMap((type) => Array.from({ length: wordsOf(type) }, () => looked(type))),
  results: operation.results.flatMap((type) => Array.from({ length: wordsOf(type) }, () => type)),
})

const unknownAll = ({ results }: Shape): ReadonlyArray<Bytes> =>
  results.map((type) => written(type, allBytes))

/** The operation with zeros, and with ones, in the unknown bytes of each operand that has some. */
const throughBits = (
  s: Shape,
  controls: ReadonlyArray<number>,
  words: ArrayLike<number>,
  unknown: ReadonlyArray<Bytes>,
): ReadonlyArray<Bytes> => {
  const { operandOf, operation, results } = s
  const open: number[] = []
  for (let i = 0; i < unknown.length; i++) {
    if (unknown[i] === 0) continue
    const operand = operandOf[i]!
    if (controls.includes(operand)) return unknownAll(s)
    if (!open.includes(operand)) open.push(operand)
  }
  const given = new Array<number>(unknown.length)
  const first = new Array<number>(results.length)
  const out = new Array<Bytes>(results.length).fill(0)
  for (let which = 0; which < 1 << open.length; which++) {
    for (let i = 0; i < given.length; i++) {
      const free = unknown[i]! === 0 ? 0 : bitsOfBytes(unknown[i]!)
      const ones = free !== 0 && ((which >>> open.indexOf(operandOf[i]!)) & 1) === 1
      // a predicate is one bit
      given[i] =
        operation.operands[operandOf[i]!] === 'pred' && free !== 0
          ? ones
            ? 1
            : 0
          : ones
            ? words[i]! | free
            : words[i]! & ~free
    }
    const made = operation.compute(...given)
    for (let k = 0; k < out.length; k++) {
      const word = k === 0 ? made : rest[k - 1]!
      if (which === 0) first[k] = word
      else out[k] = out[k]! | differing(first[k]!, word)
    }
  }
  return out.map((bytes, k) => written(results[k]!, bytes))
}

/** A carry goes upwards. */
const fromBelow = (s: Shape, unknown: ReadonlyArray<Bytes>): ReadonlyArray<Bytes> => {
  let lowest = 8
  for (let i = 0; i < unknown.length; i++) {
    if (unknown[i] === 0) continue
    const within = 31 - Math.clz32(unknown[i]! & -unknown[i]!)
    const isUpper = i > 0 && s.operandOf[i - 1] === s.operandOf[i]
    lowest = Math.min(lowest, within + (isUpper ? 4 : 0))
  }
  return s.results.map((type, k) => {
    const from = Math.max(0, lowest - 4 * k)
    return written(type, from > 3 ? 0 : (allBytes << from) & allBytes)
  })
}

const byElements = (s: Shape, unknown: ReadonlyArray<Bytes>): ReadonlyArray<Bytes> => {
  const any = unknown.reduce((bytes, u) => bytes | u, 0)
  const halves = ((any & 3) === 0 ? 0 : 3) | ((any & 12) === 0 ? 0 : 12)
  return s.results.map(() => halves)
}

/** Two numbers become the elements of a word: the second one the lower. */
const packed = (s: Shape, unknown: ReadonlyArray<Bytes>): ReadonlyArray<Bytes> => {
  const type = s.results[0]!
  const [low, high] = widthOf(type) === 16 ? [1, 2] : [3, 12]
  return [written(type, (unknown[1] === 0 ? 0 : low) | (unknown[0] === 0 ? 0 : high))]
}

// ---------------------------------------------------------------- all of them

/** What of the results of an operation depends on unknown bytes of its operands. */
export const dependenceOf: (operation: ScalarOperation) => Dependence = remembered(
  (operation: ScalarOperation): Dependence => {
    const s = shapeOf(operation)
    const kind = kindOf(operation)
    const none = s.results.map(() => 0)
    const all = unknownAll(s)
    return (words, unknown) => {
      const bytes = s.looked.map((of, i) => unknown[i]! & of)
      if (bytes.every((b) => b === 0)) return none
      switch (kind._tag) {
        case 'bit by bit':
          return throughBits(s, kind.controls, words, bytes)
        case 'from below':
          return fromBelow(s, bytes)
        case 'by elements':
          return byElements(s, bytes)
        case 'packs':
          return packed(s, bytes)
        case 'all':
          return all
      }
    }
  },
)
