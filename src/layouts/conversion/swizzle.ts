/**
 * Swizzles as linear layouts, from `offset` to `offset`.
 *
 *     S<1,0,2> on 8 offsets:   1 -> 1   2 -> 2   4 -> 4 + 1
 *
 * The hardware's swizzles act on bytes; `elementSwizzle` is the same exchange on elements of so many bits.
 *
 * Laws
 * 1. `apply(linearOfSwizzle(s, n))({ offset })` is `apply(s)(offset)` for every offset below n.
 * 2. `bits * elementSwizzle(S, bits)(offset) = 8 X_S(byte) + rest` where bits * offset = 8 byte + rest.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Swizzle as Span } from '../../transforms/swizzle.js'
import type { Swizzle, SwizzleError } from '../cute/swizzle.js'
import { apply, downcast, ofSpan, upcast } from '../cute/swizzle.js'
import type { LinearError, LinearLayout } from '../linear/linear-layout.js'
import { linearLayout } from '../linear/linear-layout.js'
import { doublings } from './carry-free.js'

/** The swizzle of a span of bytes, on elements of `bits` bits. Errors: a width that is not a power of two. Law 2 holds up to 128 bits, the chunk that moves. */
export const elementSwizzle = (span: Span, bits: number): E.Either<Failure<SwizzleError>, Swizzle> =>
  pipe(ofSpan(span), downcast(8), E.chain(upcast(bits)))

/** A swizzle of offsets below `size`, a power of two. An upward swizzle may reach beyond it. */
export const linearOfSwizzle = (
  swizzle: Swizzle,
  size: number,
): E.Either<Failure<LinearError>, LinearLayout> =>
  linearLayout({
    inputs: [{ name: 'offset', bases: doublings(size, 1).map((offset) => [apply(swizzle)(offset)]) }],
    outputs: [{ name: 'offset', size: Math.max(size, reach(swizzle)) }],
  })

/** What an upward swizzle stays below. A downward one stays below what it is given. */
const reach = ({ bits, base, shift }: Swizzle): number => (shift < 0 ? 2 ** (base + bits - shift) : 1)
