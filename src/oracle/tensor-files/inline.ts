/**
 * Tensors inside JSON: the element type, the extents, and the patterns of the elements, row-major, in one of two forms.
 *
 *     {"dtype": "bf16", "shape": [2, 2], "bits": [16256, 0, 0, 16256]}          patterns as integers
 *     {"dtype": "bf16", "shape": [2, 2], "base64": "gD8AAAAAgD8="}              their little-endian bytes
 *
 * An element takes whole bytes: those of `tensor.ts`'s table (a 4-bit float one byte, its upper bits zero). What is written has `base64`; integers of
 * 64 bits have no other form beyond 2^53.
 *
 * Laws
 *  1. tensorOfInline(inlineOfTensor(t)) = t
 *  2. what the count of elements or bytes does not fit is refused before it is read
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import {
  anything,
  decode,
  define,
  described,
  list,
  nat,
  oneOf,
  record,
  text,
  type Json,
  type Wire,
} from '../../wire.js'
import { base64OfBytes, bytesOfBase64 } from './base64.js'
import { descrBytes, shapeElements, shapeText } from './npy.js'
import {
  bytesOfPatterns,
  carrierOf,
  patternsFit,
  patternsOfBytes,
  tensor,
  tensorDtypes,
  type Tensor,
  type TensorDtype,
} from './tensor.js'

/** As it stands in JSON. */
export interface InlineTensor {
  readonly dtype: TensorDtype
  readonly shape: ReadonlyArray<number>
  readonly bits?: Json
  readonly base64?: string
}

export type InlineFailure = Failure<'tensor-form' | 'tensor-dtype' | 'tensor-bits' | 'tensor-shape'>

/** The elements themselves are looked at by `tensorOfInline`, not one by one as JSON. */
export const inlineWire: Wire<InlineTensor> = define('Tensor', () =>
  record<InlineTensor>()(
    'a tensor',
    {
      dtype: described(oneOf(...tensorDtypes), 'element type'),
      shape: described(list(nat), 'extents'),
    },
    {
      bits: described(anything, 'patterns of the elements as integers, row-major'),
      base64: described(text, 'the same as little-endian bytes, in base64'),
    },
  ),
)

/** Whether JSON is meant as a tensor. */
export const isInline = (u: unknown): boolean =>
  typeof u === 'object' && u !== null && 'dtype' in u && 'shape' in u && ('bits' in u || 'base64' in u)

const isNumbers = (u: unknown): u is ReadonlyArray<number> => Array.isArray(u)

const ofBase64 = (
  dtype: TensorDtype,
  shape: ReadonlyArray<number>,
  base64: string,
): E.Either<InlineFailure, Tensor> => {
  const expected = shapeElements(shape) * descrBytes(carrierOf(dtype))
  const bytes = Math.ceil(expected / 3) * 4 === base64.length ? bytesOfBase64(base64) : null
  return bytes?.length !== expected
    ? refuse(
        'tensor-shape',
        `expected the base64 of ${String(expected)} bytes, for ${dtype} of shape ${shapeText(shape)}, found ${String(base64.length)} characters${bytes === null ? '' : ` of ${String(bytes.length)}`}`,
      )
    : pipe(
        patternsFit(dtype, patternsOfBytes(dtype, bytes)),
        E.map((bits) => ({ dtype, shape, bits })),
      )
}

/** The tensor that JSON says. */
export const tensorOfInline = (u: unknown): E.Either<InlineFailure, Tensor> =>
  pipe(
    decode(inlineWire, 'tensor-form')(u),
    E.chainW(({ dtype, shape, bits, base64 }): E.Either<InlineFailure, Tensor> => {
      if ((bits === undefined) === (base64 === undefined))
        return refuse(
          'tensor-form',
          `expected bits or base64, found ${bits === undefined ? 'neither' : 'both'}`,
        )
      if (base64 !== undefined) return ofBase64(dtype, shape, base64)
      return isNumbers(bits)
        ? tensor(dtype, shape, bits)
        : refuse('tensor-form', `expected bits as a list of integers, found ${typeof bits}`)
    }),
  )

export const inlineOfTensor = ({ dtype, shape, bits }: Tensor): Required<Omit<InlineTensor, 'bits'>> => ({
  dtype,
  shape,
  base64: base64OfBytes(bytesOfPatterns(bits)),
})
