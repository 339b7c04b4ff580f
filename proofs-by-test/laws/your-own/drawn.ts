import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { transformedRef } from '../../../src/arbitraries/index.js'
import { checkLaws, refAddressLaws, showCounterexample } from '../../../src/laws/index.js'
import type { TransformedRef } from '../../../src/transforms/index.js'

/** Your code generator's address of an element. It knows strides, and neither tiles nor swizzles. */
const addressOf = (ref: TransformedRef, base: number) => (index: readonly number[]) =>
  base + ref.byteOffset + index.reduce((sum, i, d) => sum + (i * (ref.strides[d] ?? 0) * ref.bits) / 8, 0)

const broken = (ref: TransformedRef) => {
  const kit = refAddressLaws(ref, 0)
  return E.isRight(kit) ? checkLaws(kit.right)({ addressOf: addressOf(ref, 0) }).broken : []
}

const { counterexample } = fc.check(
  fc.property(transformedRef(), (ref) => broken(ref).length === 0),
  { seed: 1 },
)
for (const ref of counterexample ?? []) {
  console.log(
    `shape [${ref.shape.join(', ')}], ${ref.bits}-bit, ${ref.tiling.length} tiles, swizzle ${ref.swizzle}`,
  )
  broken(ref).forEach((fault) => console.log(showCounterexample(fault)))
}
