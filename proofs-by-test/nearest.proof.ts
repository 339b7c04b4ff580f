import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, meant, near, nearest } from '../src/nearest.js'
import { prop } from './prop.js'

const names = ['check', 'compare', 'cute', 'run', 'matmul0', 'matmul1', 'hopper-matmul', 'hopper-matmul-ws']

describe('nearest', () => {
  it.each([
    ['chekc', 'check'],
    ['comprae', 'compare'],
    ['hoper-matmul', 'hopper-matmul'],
    ['HOPPER-MATMUL', 'hopper-matmul'],
    ['hopper-matmul-', 'hopper-matmul-ws'],
    ['matmul', 'matmul0'],
    ['ru', 'run'],
  ])('%s is near %s', (written, meant) => {
    expect(nearest(1, names)(written)).toEqual([meant])
  })
  it('letters put in, taken out, exchanged or swapped, whatever the case', () => {
    const all = (name: string, known: ReadonlyArray<string>): ReadonlyArray<string> =>
      nearest(known.length, known)(name)
    expect(all('WGMA', ['SPLAT', 'TCGEN05', 'WGMMA'])[0]).toBe('WGMMA')
    expect(all('wgmma', ['WGMMB', 'WGMMA'])).toEqual(['WGMMA', 'WGMMB'])
    // distances by hand: one exchange, two taken out, three put in
    expect(all('abcd', ['xabcdef', 'ab', 'abxd'])).toEqual(['abxd', 'ab', 'xabcdef'])
    expect(all('kitten', ['sitting', 'kitchen'])).toEqual(['kitchen', 'sitting'])
    expect(all('saturday', ['xxxxxxxx', 'sunday', 'satur'])).toEqual(['sunday', 'satur', 'xxxxxxxx'])
    expect(all('abdc', ['abcx', 'abcd'])).toEqual(['abcd', 'abcx'])
    // begun is nearer than one letter away
    expect(all('abcd', ['abxd', 'abcdefg'])).toEqual(['abcdefg', 'abxd'])
  })
  it('is a question', () => {
    expect(didYouMean(names)('chekc')).toBe('did you mean check, cute or run?')
    expect(didYouMean(['a', 'b'])('b')).toBe('did you mean b or a?')
    expect(didYouMean(['a'])('x')).toBe('did you mean a?')
  })
  it('law 4: a misspelling has a name, another word and what is right already have none', () => {
    const words = ['eager', 'lazy', 'roundrobin', 'a']
    expect(['eagre', 'laz', 'round', 'LAZY', 'roundrbin'].map(near(words))).toEqual([
      'eager',
      'lazy',
      'roundrobin',
      'lazy',
      'roundrobin',
    ])
    expect(['', 'c', 'half', 'quickly'].map(near(words))).toEqual([null, null, null, null])
    expect(meant(words)('eagre')).toBe('; did you mean eager?')
    expect(['eager', 'half'].map(meant(words))).toEqual(['', ''])
  })
  prop([fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,30}$/), { minLength: 1 }), fc.nat(), fc.nat(9)])(
    'laws 1 and 2: what is known is nearest to itself; as many as asked for',
    (known, i, count) => {
      const name = known[i % known.length]!
      expect(nearest(1, known)(name)).toEqual([name])
      const near = nearest(count, known)(name)
      expect(near).toHaveLength(Math.min(count, known.length))
      expect(new Set(near).size).toBe(near.length)
      near.forEach((n) => {
        expect(known).toContain(n)
      })
    },
  )
  it('law 3: a name of a million letters costs no more than one of 48', () => {
    const long = 'x'.repeat(1_000_000)
    const start = performance.now()
    nearest(3, [...names, long])(long)
    expect(performance.now() - start).toBeLessThan(1000)
  })
})
