/** Text of any code points, halves of surrogate pairs among them: fast-check's own takes a second to be made. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0x10ffff })))
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(''))

/** A property as a test: of what is drawn, so many times as `setup.ts` says or the property itself. */
import * as fc from 'fast-check'
import { test } from 'vitest'

export const prop =
  <Drawn extends [unknown, ...unknown[]]>(
    arbitraries: { [K in keyof Drawn]: fc.Arbitrary<Drawn[K]> },
    parameters: fc.Parameters<[Drawn]> = {},
  ) =>
  (name: string, holds: (...drawn: Drawn) => boolean | undefined): void => {
    test(name, () => {
      fc.assert(
        fc.property(fc.tuple<Drawn>(...arbitraries), (drawn) => holds(...drawn)),
        parameters,
      )
    })
  }
