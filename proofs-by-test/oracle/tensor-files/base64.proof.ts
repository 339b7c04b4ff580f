/** Bytes as base64: the text is that of Node.js, what is written reads back, and nothing else is read. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base64OfBytes, bytesOfBase64 } from '../../../src/oracle/tensor-files/base64.js'
import { nightly } from '../../extent.js'

describe('base64', () => {
  test('by hand, with two, one and no characters of padding', () => {
    expect(
      [[0xff], [0xff, 0xfe], [0xff, 0xfe, 0xfd], []].map((b) => base64OfBytes(Uint8Array.from(b))),
    ).toEqual(['/w==', '//4=', '//79', ''])
  })
  test('law 1: read back; the text is that of Node.js', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = base64OfBytes(bytes)
        expect(text).toBe(Buffer.from(bytes).toString('base64'))
        expect(bytesOfBase64(text)).toEqual(bytes)
      }),
    )
  })
  test('law 2: any other text is none', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('A', '/', '+', '9', '=', '-', ' ', 'é', '字') }),
        (text) => {
          const is = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
          const found = bytesOfBase64(text)
          expect(found).toEqual(is ? new Uint8Array(Buffer.from(text, 'base64')) : null)
        },
      ),
      { numRuns: nightly ? 500 : 100 },
    )
    expect(['====', 'A===', 'AA=A', '=AAA', 'AA\u00ff='].map(bytesOfBase64)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ])
  })
})
