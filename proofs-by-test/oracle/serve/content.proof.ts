/** Files of a request and of an answer: by hand, what is refused names what there is, and bytes go back as they came. */
import { describe, expect, it } from 'vitest'
import { broughtBy, filesOf, givenBack, type Brought } from '../../../src/oracle/serve/content.js'
import { lines, type Line } from '../../../src/oracle/serve/lines.js'
import { left, right } from '../../either.js'

const text = (said: string): Brought => ({ _tag: 'text', text: said, ending: 'txt' })

describe('a file of a request', () => {
  it('that is missing is told with those that there are', () => {
    expect(left(filesOf(new Map(), null).read('c')()).message).toBe(
      'c: expected a file of the request, which has none; found none',
    )
    const two = new Map([
      ['a.txt', text('x')],
      ['b.txt', text('y')],
    ])
    expect(left(filesOf(two, null).read('c')()).message).toBe(
      'c: expected a file of the request, which has a.txt, b.txt; found none',
    )
    expect(new TextDecoder().decode(right(filesOf(two, null).read('b.txt')()))).toBe('y')
  })
  it('is what its one word says it is', () => {
    expect(right(broughtBy({ ptx: 'x' }))).toEqual({ _tag: 'text', text: 'x', ending: 'ptx' })
    expect(right(broughtBy({ npz: 'AQID' }))).toEqual({
      _tag: 'bytes',
      bytes: Uint8Array.of(1, 2, 3),
      ending: 'npz',
    })
    expect(left(broughtBy({ npz: '?' })).code).toBe('tensor-form')
    // several words, or one that is none of these, are a document
    for (const document of [{ ptx: 'x', txt: 'y' }, { other: 'x' }, { ptx: 1 }, {}])
      expect(right(broughtBy(document))).toEqual({
        _tag: 'text',
        text: JSON.stringify(document),
        ending: 'json',
      })
  })
})

describe('a file of an answer', () => {
  it('is a text, or bytes in base64 under the word of their format', () => {
    const bytes = Uint8Array.of(255, 254, 1)
    expect(givenBack([{ file: 'out.npz', bytes }])).toEqual({ 'out.npz': { npz: '//4B' } })
    expect(givenBack([{ file: 'out.safetensors', bytes }])).toEqual({
      'out.safetensors': { safetensors: '//4B' },
    })
    expect(givenBack([{ file: 'trace.jsonl', bytes: new TextEncoder().encode('{}') }])).toEqual({
      'trace.jsonl': '{}',
    })
  })
})

describe('a line that is too long', () => {
  it('is told once, however many pieces of it follow, and the next one is whole', () => {
    const said: Line[] = []
    const { hear, end } = lines(4, (line) => said.push(line))
    for (const piece of ['aaaaa', 'bbbbbbbb', 'cc', '\nok\nlast']) hear(new TextEncoder().encode(piece))
    end()
    expect(
      said.map((line) => [
        line._tag,
        new TextDecoder().decode(line._tag === 'line' ? line.bytes : line.beginning),
      ]),
    ).toEqual([
      ['long', 'aaaaa'],
      ['line', 'ok'],
      ['line', 'last'],
    ])
  })
})
