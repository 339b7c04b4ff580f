/**
 * Messages: the copies that TMA makes of one tensor.
 *
 * One copy moves one box, and the box of a swizzled buffer is as wide as the swizzle; so a block's share takes several copies
 * (*messages*), and each needs to know the coordinates of its box in the tensor and the offset in shared memory where it lies.
 *
 *     nvmma_shared W = 128, 16 bits, on (512, 128):   box (256, 64)
 *       message     0        1        2        3
 *       corner   (0, 0)  (256, 0)  (0, 64) (256, 64)
 *       offset      0     16384     32768    49152          elements
 *
 * With fp4Padded the copy counts 4-bit elements, of which a byte of the tensor has two: twice as many coordinates and twice the box.
 *
 * Names: Triton `getTMABlockShape`, `getMsgToPackedOffsetLayout`, `getMsgToUnpackedOffsetLayout`.
 *
 * Laws
 * 1. The boxes at the corners of a block tile its share; messages run along dimension 0 first.
 * 2. The element at a message's corner lies at the message's offset, and the box fills the offsets from there on.
 *
 * Source: Triton, the lowering of TMA copies.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { rememberedBy } from '../../remembered.js'
import type { Shape } from '../../transforms/shape.js'
import { products } from '../linear/algebra.js'
import { invertAndCompose } from '../linear/inverse.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import { linearLayout, strided1D } from '../linear/linear-layout.js'
import type { Converted } from './blocks.js'
import { blockLayout, shapePerBlock } from './blocks.js'
import type { Encoding, NvmmaShared } from './encoding.js'
import { contiguousDim, copyBox } from './shared.js'
import { toLinear } from './to-linear.js'

export interface Messages {
  /** Elements, as the copy counts them: per dimension of the tensor. */
  readonly box: Shape
  /** (msg, block) -> corner of the box in the tensor, as the copy counts. */
  readonly corner: LinearLayout
  /** (msg, block) -> (offset, block): elements of the buffer. */
  readonly offset: LinearLayout
}

/** The messages that copy a tensor of this shape to or from a buffer of this encoding. */
export const messages = (encoding: Encoding<NvmmaShared>, shape: Shape): Converted<Messages> =>
  made(encoding, shape.join(), () => messagesOf(encoding, shape))

const made = rememberedBy<Encoding<NvmmaShared>, string, Converted<Messages>>()

const messagesOf = (encoding: Encoding<NvmmaShared>, shape: Shape): Converted<Messages> => {
  const scale = (d: number): number =>
    encoding.fp4Padded && d === contiguousDim(encoding, shape.length) ? 2 : 1
  return pipe(
    E.Do,
    E.bindW('shared', () => toLinear(encoding, shape)),
    E.bindW('blocks', () => blockLayout(encoding.cgaBases, shape.length)),
    E.let('share', ({ blocks }) => shapePerBlock(blocks, shape)),
    E.bindW('box', ({ share }) => copyBox(encoding, share)),
    E.bindW('packed', ({ share, box, blocks }) =>
      pipe(
        share.map((extent, d) => strided1D(extent / box[d]!, box[d]!, 'msg', `dim${String(d)}`)),
        E.sequenceArray,
        E.chainW((factors) => products([...factors, blocks])),
      ),
    ),
    E.bindW('offset', ({ packed, shared }) => invertAndCompose(packed, shared)),
    E.bindW('corner', ({ packed }) =>
      linearLayout({
        inputs: packed.inputs.map(({ name, bases }) => ({
          name,
          bases: bases.map((basis) => basis.map((v, d) => v * scale(d))),
        })),
        outputs: packed.outputs.map(({ name, size }, d) => ({ name, size: size * scale(d) })),
      }),
    ),
    E.map(({ box, corner, offset }) => ({
      box: box.map((extent, d) => extent * scale(d)),
      corner,
      offset,
    })),
  )
}
