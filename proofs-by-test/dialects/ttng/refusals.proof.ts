/** What the operations refuse: each code, each message, word for word. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { codes } from '../../../src/dialects/ttng/codes.js'
import { refusals } from './refusals/operations.js'

test.each(refusals.map((r) => [r.code, r] as const))('%s', (_, { code, message, use }) => {
  expect(use()).toEqual(E.left({ code, message }))
})
test('every code of the operations has an example', () => {
  const shown = new Set<string>(refusals.map(({ code }) => code))
  const own = Object.keys(codes).filter((code) =>
    /^ttng\.(barrier|init_|arrive_|cluster|memdesc$|tensor$|partition$|async_tma|tc_gen5|tensormap|reinterpret|tmem|warp_group)/.test(
      code,
    ),
  )
  expect(own.filter((code) => !shown.has(code))).toEqual([])
})
