/**
 * Arguments of PTX as words of a command line. The text of an entry says of a parameter how wide it is and no more, so a word says the rest.
 *
 * | word                                  | argument                                                                        |
 * |---------------------------------------|---------------------------------------------------------------------------------|
 * | `n=512`, `1=512`                      | the number, in the type of the parameter, which is meant by its name or its place |
 * | `n=-1:s32`, `s=0.5:f32`               | the number in that type                                                         |
 * | `x=x.npy`, `x=x.npy:inout`            | the address of a tensor: an input, or what is there before and changed          |
 * | `y=y.npy:out`                         | an output; the file holds what is expected                                      |
 * | `c=f16[128,128]:out`                  | an output of these extents, without a file; an input is seeded                  |
 * | `a=a.npy:bf16`                        | its elements, where they are not those that the file says                       |
 * | `a=a.npy:block=64,32:swizzle=64`      | a tensor map: its boxes, outermost first; the swizzle is else the widest that a row of the box fills |
 * | `x=x.npy:block=64,32:lower=-1,-1:upper=-1,-1` | a tensor map of columns of pixels (im2col): 64 pixels of 32 channels, the corners of its window, outermost first |
 * | `x=f32[4096]:in:guess`, `n=64:guess`   | the same, guessed by `tcspec kernels`: a fault or an O1 is not held against the kernel |
 * | `p+16=x.npy`, `0+24=512:u32`          | what lies in a struct, at a byte of it; a number says its type                  |
 *
 * A tensor is called as its parameter is, `p+16` in a struct. `fill=nan` loads NaN from outside of a map, in place of zeros; `steps=1,2,2,1` are the element strides of one.
 *
 * Law 1. A word and the entry of a launch file that says the same lay the same bytes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { markIn } from './guess-mark.js'
import type { EntryParameter } from '../../dialects/ptx/elaboration/elaborate.js'
import type { Files } from '../tensor-files/files.js'
import type { MemoryRole, PtxScalar, PtxTensor, PtxTensorMap } from './ptx-file.js'
import { mapOfDescriptor } from './ptx-maps.js'
import { elementBytes, numeric } from './ptx-parameters.js'
import { dtypeOfFile, readNpy, shortName } from './ptx-tensors.js'

// ---------------------------------------------------------------- model

/** Where a word belongs: a parameter by its number, and a byte of it where it is a struct. */
export interface Spot {
  readonly parameter: number
  readonly offset: number | null
}

/** What a word says: an argument, and of a tensor its files; null: it has none. */
export interface PtxWord {
  /** the size or the value is a guess of `tcspec kernels` */
  readonly guess: boolean
  readonly argument: PtxTensor | PtxScalar | PtxTensorMap
  readonly before: string | null
  readonly behind: string | null
}

export type PtxWordFailure = Failure<'bad-flag'>

const refuseWord = (key: string, expected: string, found: string): E.Either<PtxWordFailure, never> =>
  refuse('bad-flag', `--arg ${key}: expected ${expected}, found ${found === '' ? 'nothing' : `'${found}'`}`)

// ---------------------------------------------------------------- where

/** `name`, `2`, `name+16`, `2+16`; null where the entry has no such parameter. `called`: other names of them, one each (`ptx-called.ts`). */
export const spotOf = (
  parameters: ReadonlyArray<EntryParameter>,
  called: ReadonlyArray<string>,
  key: string,
): Spot | null => {
  const [, name = '', at] = /^(.*?)(?:\+(\d{1,9}))?$/su.exec(key) ?? []
  const own = parameters.findIndex((p) => p.name === name)
  const byName = own >= 0 ? own : called.indexOf(name)
  const parameter = byName >= 0 ? byName : /^\d{1,9}$/u.test(name) ? Number(name) : -1
  return parameters[parameter] === undefined
    ? null
    : { parameter, offset: at === undefined ? null : Number(at) }
}

/** A type as a parameter has it: `u32`, `b8[128]`. */
export const typeText = ({ type, bytes }: EntryParameter): string => {
  const each = elementBytes(type)
  return each === bytes || each === 0 ? type : `${type}[${String(bytes / each)}]`
}

// ---------------------------------------------------------------- what

const number = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf|nan|0x[\da-f]+|true|false)(?::(\w+))?$/iu

const numberOf = (
  key: string,
  p: EntryParameter,
  inStruct: boolean,
  text: string,
  value: string,
  said: string | undefined,
): E.Either<PtxWordFailure, Omit<PtxWord, 'guess'>> => {
  if (said === undefined && inStruct) return refuseWord(key, 'a number with its type, such as 512:u32', text)
  const type = said ?? numeric(p)
  const isReal = type === 'f32' || type === 'f64'
  const plain =
    value === 'true' ? '1' : value === 'false' ? '0' : value.replace(/^\+/u, '').replace(/inf$/iu, 'Infinity')
  const exact = /^(-?\d+|0x[\da-f]+)$/iu.test(plain)
  if (elementBytes(type) === 0 || (!isReal && !exact))
    return refuseWord(key, `a number of type ${type}`, text)
  return E.right({
    argument: {
      kind: 'scalar',
      type,
      value: exact && !isReal ? String(BigInt(plain)) : plain === 'nan' ? 'nan' : Number(plain),
    },
    before: null,
    behind: null,
  })
}

/** What follows a tensor, each behind a colon. */
interface Traits {
  readonly role?: MemoryRole
  readonly dtype?: string
  readonly block?: ReadonlyArray<number>
  readonly swizzle?: 0 | 32 | 64 | 128
  readonly fill?: 'zero' | 'nan'
  readonly lower?: ReadonlyArray<number>
  readonly upper?: ReadonlyArray<number>
  readonly steps?: ReadonlyArray<number>
}

const extentsIn = (value: string): ReadonlyArray<number> | null =>
  /^\d{1,9}([x,]\d{1,9})*$/u.test(value) ? value.split(/[x,]/u).map(Number) : null
const cornersIn = (value: string): ReadonlyArray<number> | null =>
  /^-?\d{1,5}(,-?\d{1,5})*$/u.test(value) ? value.split(',').map(Number) : null

const traitOf = (text: string): Traits | null => {
  if (text === 'in' || text === 'out' || text === 'inout') return { role: text }
  const [, name, value = ''] = /^(block|swizzle|fill|lower|upper|steps)=(.*)$/su.exec(text) ?? []
  switch (name) {
    case 'block':
    case 'steps': {
      const extents = extentsIn(value)
      return extents === null ? null : { [name]: extents }
    }
    case 'lower':
    case 'upper': {
      const corner = cornersIn(value)
      return corner === null ? null : { [name]: corner }
    }
    case 'swizzle':
      return value === '0'
        ? { swizzle: 0 }
        : value === '32'
          ? { swizzle: 32 }
          : value === '64'
            ? { swizzle: 64 }
            : value === '128'
              ? { swizzle: 128 }
              : null
    case 'fill':
      return value === 'zero' || value === 'nan' ? { fill: value } : null
    default:
      return /^\w+$/u.test(text) && elementBytes(shortName(text)) > 0 ? { dtype: text } : null
  }
}

/** A word's head, and the traits at its end. */
const withTraits = (text: string): readonly [head: string, traits: Traits] => {
  const colon = text.lastIndexOf(':')
  const trait = colon <= 0 ? null : traitOf(text.slice(colon + 1))
  if (trait === null) return [text, {}]
  const [head, traits] = withTraits(text.slice(0, colon))
  return [head, { ...traits, ...trait }]
}

/** An argument for a parameter, or for what lies at a byte of it; `called`: what its tensor is called. */
export const ptxWord =
  (files: Files) =>
  (
    p: EntryParameter,
    offset: number | null,
    said: string,
    called: string = p.name,
  ): E.Either<Failure, PtxWord> => {
    const { text, guess } = markIn(said)
    return pipe(
      plainWord(files)(p, offset, text, called),
      E.map((word) => Object.assign({ guess }, word)),
    )
  }

const plainWord =
  (files: Files) =>
  (
    p: EntryParameter,
    offset: number | null,
    text: string,
    called: string,
  ): E.Either<Failure, Omit<PtxWord, 'guess'>> => {
    const key = offset === null ? p.name : `${p.name}+${String(offset)}`
    const name = offset === null ? called : `${called}+${String(offset)}`
    const numeral = number.exec(text)
    if (numeral !== null) return numberOf(key, p, offset !== null, text, numeral[1]!, numeral[2])
    const [head, { role = 'in', dtype, block, swizzle, fill, lower, upper, steps }] = withTraits(text)
    const [, type, extents = ''] = /^([A-Za-z_][\w.]*)\[([^\]]*)\]$/u.exec(head) ?? []
    const isFile = type === undefined
    if (head === '' || head.includes('?'))
      return refuseWord(key, 'a number, a file, or DTYPE[EXTENTS] with :in, :out or :inout', text)
    if (
      !isFile &&
      (elementBytes(shortName(type)) === 0 ||
        dtype !== undefined ||
        !/^\s*\d{1,9}(\s*[,x]\s*\d{1,9})*\s*$/u.test(extents))
    )
      return refuseWord(key, 'DTYPE[EXTENTS], extents of at most nine digits, with :in, :out or :inout', text)
    if (block === undefined && (swizzle ?? fill ?? lower ?? upper ?? steps) !== undefined)
      return refuseWord(
        key,
        'block=EXTENTS together with swizzle, fill, lower, upper or steps, which only a tensor map has',
        text,
      )
    if ((lower === undefined) !== (upper === undefined))
      return refuseWord(key, 'lower and upper together, the two corners of a window', text)
    const read = isFile ? readNpy(files)(head) : null
    if (read !== null && E.isLeft(read)) return read
    const shape = isFile ? (read?.right.shape ?? []) : extents.split(/[,x]/u).map(Number)
    const elements = shortName(dtype ?? type ?? (read === null ? '' : dtypeOfFile(read.right)))
    const from = {
      before: isFile && role !== 'out' ? head : null,
      behind: isFile && role === 'out' ? head : null,
    }
    if (block === undefined)
      return E.right({ argument: { kind: 'pointer', tensor: name, dtype: elements, shape, role }, ...from })
    const map = mapOfDescriptor({
      kind: 'tensordesc',
      tensor: name,
      dtype: elements,
      shape,
      // columns of pixels have a box of pixels and channels, whatever the rank of the tensor
      block: lower === undefined ? block : [...shape.map(() => 1), ...block].slice(-shape.length),
      role,
      ...(swizzle === undefined ? {} : { swizzle }),
      ...(fill === undefined ? {} : { padding: fill }),
    })
    return pipe(
      'kind' in map ? E.right(map) : refuse('bad-flag', `--arg ${key}: ${map.message}`),
      E.map((argument) => ({
        argument: {
          ...argument,
          ...(steps === undefined ? {} : { elementStrides: [...steps].reverse() }),
          ...(lower === undefined || upper === undefined
            ? {}
            : {
                box: [...block].reverse(),
                window: { lower: [...lower].reverse(), upper: [...upper].reverse() },
              }),
        },
        ...from,
      })),
    )
  }
