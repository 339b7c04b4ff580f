import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { places, readAddress, writeAddress } from '../../site/src/address.js'

const word = fc.string({ minLength: 1 }).filter((s) => !s.endsWith('~') && s !== '__proto__')
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 60 }).map((parts) => parts.join(' wait consumed\n')),
)

describe('an address', () => {
  it('is what was written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.dictionary(word, text, { noNullPrototype: true }),
        (place, params) => {
          const address = { place, params: { ...params } }
          expect(readAddress(writeAddress(address))).toEqual(address)
        },
      ),
    )
  })
  it('is readable where it is short, and packed where it is long', () => {
    expect(writeAddress({ place: 'check', params: { kernel: 'zoo/W1' } })).toBe('#/check?kernel=zoo%2FW1')
    const module = 'module { tt.func @k() { tt.return } }\n'.repeat(200)
    const hash = writeAddress({ place: 'check', params: { module } })
    expect(hash).toMatch(/^#\/check\?module%7E=[\w-]+$/)
    expect(hash.length).toBeLessThan(300)
    expect(readAddress(hash).params).toEqual({ module })
  })
  it('whatever the hash says, there is one', () => {
    expect(readAddress('')).toEqual({ place: 'front', params: {} })
    expect(readAddress('#/nowhere?a=1')).toEqual({ place: 'front', params: { a: '1' } })
    expect(readAddress('#/check?a~=%%%&b~=AAAA&c=1')).toEqual({ place: 'check', params: { c: '1' } })
    fc.assert(
      fc.property(fc.string(), (hash) => {
        expect(places).toContain(readAddress(hash).place)
      }),
    )
  })
})
