/**
 * A swizzle of your own: is it a swizzle of shared memory, and is it the one that the hardware applies?
 *
 * All but the last law hold of any swizzle by 16-byte chunks that repeats every 8 S bytes; the last says that it is X_S
 * (`transforms/swizzle.ts`). A wrong phase, such as `b >> 4` where `b >> 7` is meant, is caught by `swizzle.bijection` or
 * `swizzle.involution`; the pattern of another span by `swizzle.block`, `swizzle.period` or only by `swizzle.definition`. The
 * last law is checked on all bytes of a shared memory of 256 KiB, the others on the first 64 KiB.
 *
 * Laws that the kit states, for every byte address b
 * - `swizzle.block`: X(b) is an integer in the aligned block of S bytes that b is in.
 * - `swizzle.chunk`: 16 bytes stay together: X(b) = X(b - b mod 16) + b mod 16.
 * - `swizzle.bijection`: no two bytes have the same address.
 * - `swizzle.involution`: X(X(b)) = b.
 * - `swizzle.inverse`: invert(apply(b)) = b, if there is an `invert`.
 * - `swizzle.period`: X(b) = X(b mod 8S) + b - b mod 8S.
 * - `swizzle.linear`: X(0) = 0 and X(b) = X(low) xor X(b xor low) for the lowest set bit of b; so X is linear over GF(2).
 * - `swizzle.definition`: X(b) = b xor (((b >> 7) mod (S/16)) << 4).
 */
import type { Swizzle } from '../transforms/swizzle.js'
import { swizzleAddress, swizzlePeriodBytes } from '../transforms/swizzle.js'
import { distinct } from './bijection.js'
import type { Kit } from './law.js'
import { expectSame, expectThat, forAll, numbers } from './law.js'

export interface ForeignSwizzle {
  /** Where the byte at this address of shared memory really lies. */
  readonly apply: (byteAddress: number) => number
  readonly invert?: (byteAddress: number) => number
}

/** More than any chip's shared memory. */
const sharedMemoryBytes = 2 ** 18
/** At least 64 periods. */
const somePeriodsBytes = 2 ** 16

/**
 * For the swizzle of this span in bytes.
 *
 * @example
 * ```ts
 * import { checkLaws, swizzleLaws } from 'tensorcore-spec/laws'
 *
 * const report = checkLaws(swizzleLaws(128))({ apply: (byte) => byte })
 * console.log(report.broken.map((one) => one.input)) // [ 'byte 128' ]
 * ```
 */
export const swizzleLaws = (span: Swizzle): Kit<ForeignSwizzle> => {
  const bytes = numbers(somePeriodsBytes, 'byte')
  const period = swizzlePeriodBytes(span)
  const defined = swizzleAddress(span)
  return {
    name: `swizzle of ${String(span)} bytes`,
    laws: [
      forAll('swizzle.block', 'a byte stays in its aligned block of S bytes', bytes, ({ apply }) => (b) => {
        const from = b - (b % span)
        const to = apply(b)
        return expectThat(
          Number.isInteger(to) && to >= from && to < from + span,
          `an integer from ${String(from)} to ${String(from + span - 1)}`,
          to,
        )
      }),
      forAll(
        'swizzle.chunk',
        'the 16 bytes of a chunk stay together',
        bytes,
        ({ apply }) =>
          (b) =>
            expectSame(apply(b - (b % 16)) + (b % 16), apply(b)),
      ),
      forAll(
        'swizzle.bijection',
        'no two bytes have the same address',
        bytes,
        ({ apply }) => distinct(apply, 'bytes', 'addresses'),
        'wholly',
      ),
      forAll(
        'swizzle.involution',
        'applied twice, it is the identity',
        bytes,
        ({ apply }) =>
          (b) =>
            expectSame(b, apply(apply(b))),
      ),
      forAll('swizzle.inverse', 'invert undoes apply', bytes, ({ apply, invert }) =>
        invert === undefined ? null : (b) => expectSame(b, invert(apply(b))),
      ),
      forAll(
        'swizzle.period',
        'the pattern repeats every 8 S bytes',
        bytes,
        ({ apply }) =>
          (b) =>
            expectSame(apply(b % period) + b - (b % period), apply(b)),
      ),
      forAll('swizzle.linear', 'X(a xor b) = X(a) xor X(b)', bytes, ({ apply }) => (b) => {
        const low = b & -b
        return expectSame(b === 0 ? 0 : apply(low) ^ apply(b ^ low), apply(b))
      }),
      forAll(
        'swizzle.definition',
        `X(b) = b xor (((b >> 7) mod ${String(span / 16)}) << 4)`,
        numbers(sharedMemoryBytes, 'byte'),
        ({ apply }) =>
          (b) =>
            expectSame(defined(b), apply(b)),
      ),
    ],
  }
}
