/** What is heard and what is said: every request is answered once, whatever comes in between. */
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conversation, type Crew, type Limits } from '../../../src/oracle/serve/conversation.js'
import { excessOf, lines } from '../../../src/oracle/serve/lines.js'
import { refusal } from '../../../src/oracle/serve/refusal.js'
import type { Answer, Progress } from '../../../src/oracle/serve/answer.js'

const limits: Limits = { line: 4096, result: 4096, requests: 4 }
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const line = (message: unknown): string => `${JSON.stringify(message)}\n`

interface Held {
  readonly method: string
  readonly params: unknown
  readonly answer: (a: Answer) => void
  readonly progress: ((at: Progress) => void) | null
  stopped: boolean
}

/** A crew that answers when it is told to; `quick` answers at once with its params. */
const begin = (of: Partial<Limits> = {}) => {
  const held: Held[] = []
  const said: string[] = []
  const crew: Crew = {
    ask: (method, params, progress) => {
      if (method === 'version')
        return { answer: Promise.resolve(E.right(JSON.stringify(params))), stop: () => undefined }
      let answer: Held['answer'] = () => undefined
      const promise = new Promise<Answer>((resolve) => {
        answer = resolve
      })
      const one: Held = { method, params, answer, progress, stopped: false }
      held.push(one)
      return {
        answer: promise,
        stop: () => {
          one.stopped = true
        },
      }
    },
    close: () => Promise.resolve(),
  }
  const talk = conversation(crew, [], { ...limits, ...of }, (text) => said.push(text))
  return {
    held,
    said,
    talk,
    hear: (text: string) => {
      talk.hear(bytes(text))
    },
  }
}
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))
const request = (id: unknown, method: string = 'check', params: unknown = {}): unknown => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const codes = (said: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  said.map((text) => {
    const { id, error } = JSON.parse(text) as {
      id: unknown
      error?: { code: number; data: { code: string } }
    }
    return [id, error?.code, error?.data.code]
  })

describe('lines', () => {
  test('law 1: they do not depend on the pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'bc', '\n', '\n\n', 'é', 'x'.repeat(20))),
        fc.array(fc.nat({ max: 7 })),
        (parts, cuts) => {
          const whole = bytes(parts.join(''))
          const heard = (pieces: ReadonlyArray<Uint8Array>): ReadonlyArray<unknown> => {
            const found: unknown[] = []
            const splitter = lines(16, (l) =>
              found.push(
                l._tag === 'line' ? new TextDecoder().decode(l.bytes) : `long ${String(l.beginning.length)}`,
              ),
            )
            for (const piece of pieces) splitter.hear(piece)
            splitter.end()
            return found
          }
          const pieces: Uint8Array[] = []
          let at = 0
          for (const cut of cuts) {
            pieces.push(whole.subarray(at, at + cut))
            at += cut
          }
          pieces.push(whole.subarray(at))
          expect(heard(pieces)).toEqual(heard([whole]))
          expect(heard([whole])).toEqual(
            parts
              .join('')
              .split('\n')
              .filter((l) => l !== '')
              .map((l) => (bytes(l).length > 16 ? 'long 17' : l)),
          )
        },
      ),
    )
  })
  test('levels and values are counted outside of texts, before anything is read', () => {
    const excess = (text: string): string | null => excessOf(bytes(text), { levels: 8, values: 40 })
    const deep = (n: number): string => `${'['.repeat(n)}${']'.repeat(n)}`
    expect(excess(deep(8))).toBe(null)
    expect(excess(deep(9))).toBe('levels')
    expect(excess(JSON.stringify('[[[[[[[[[[\\"[[[[,,,,,,,,,,,,,,,,,,,,\\\\'.repeat(3)))).toBe(null)
    expect(excess(`[${'{},'.repeat(18)}1]`)).toBe(null)
    expect(excess(`[${'{},'.repeat(30)}1]`)).toBe('values')
    expect(excess(`["\\\\",${deep(8)}]`)).toBe('levels')
    expect(excess('"never ends [[[[[[[[[[[[')).toBe(null)
  })
  test('as JSON itself counts them', () => {
    const count = (u: unknown): number =>
      typeof u === 'object' && u !== null ? Object.values(u).reduce<number>((n, v) => n + count(v), 1) : 1
    fc.assert(
      fc.property(fc.jsonValue(), (u) => {
        const text = bytes(JSON.stringify(u))
        // an empty list is counted as if it had a value
        expect(excessOf(text, { levels: 999, values: 2 * count(u) })).toBe(null)
        if (count(u) > 1)
          expect(excessOf(text, { levels: 999, values: Math.floor(count(u) / 2) })).toBe('values')
      }),
    )
  })
})

describe('requests', () => {
  test('are answered as they are done, in any order, with their ids', async () => {
    const { held, said, hear } = begin()
    hear(line(request(1)) + line(request('1')) + line(request(2)))
    await settled()
    held[2]!.answer(E.right('{"a":3}'))
    held[0]!.answer(E.left(refusal('busy', 'x')))
    held[1]!.answer(E.right('{"a":2}'))
    await settled()
    expect(said).toEqual([
      '{"jsonrpc":"2.0","id":2,"result":{"a":3}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"x","data":{"code":"busy"}}}',
      '{"jsonrpc":"2.0","id":"1","result":{"a":2}}',
    ])
  })
  test('a batch is answered by a list, and notifications by nothing', async () => {
    const { said, hear, talk } = begin()
    hear(
      line([
        request(1, 'version', { a: 1 }),
        { jsonrpc: '2.0', method: 'version' },
        5,
        request(2, 'version', 0),
      ]),
    )
    hear(line({ jsonrpc: '2.0', method: 'check' }))
    hear(line({ jsonrpc: '2.0', method: 'nope' }))
    hear(line([{ jsonrpc: '2.0', method: 'nope' }]))
    await talk.end()
    expect(said).toHaveLength(1)
    expect(JSON.parse(said[0]!)).toMatchObject([
      { id: 1, result: { a: 1 } },
      { id: null, error: { code: -32600 } },
      { id: 2, result: 0 },
    ])
  })
  const wrong: ReadonlyArray<readonly [heard: string, id: unknown, code: number, word: string]> = [
    ['nonsense\n', null, -32700, 'json'],
    ['{"jsonrpc":"2.0","id":1\n', null, -32700, 'json'],
    [`${'['.repeat(600)}${']'.repeat(600)}\n`, null, -32700, 'json'],
    ['[]\n', null, -32600, 'request'],
    ['null\n', null, -32600, 'request'],
    ['"x"\n', null, -32600, 'request'],
    ['{}\n', null, -32600, 'request'],
    [line({ jsonrpc: '1.0', id: 4, method: 'version' }), 4, -32600, 'request'],
    [line({ id: 4, method: 'version' }), 4, -32600, 'request'],
    [line({ jsonrpc: '2.0', id: 4 }), 4, -32600, 'request'],
    [line({ jsonrpc: '2.0', id: 4, method: 5 }), 4, -32600, 'request'],
    [line({ jsonrpc: '2.0', id: {}, method: 'version' }), null, -32600, 'request'],
    [line({ jsonrpc: '2.0', id: 4, result: 5 }), 4, -32600, 'request'],
    [line(request(4, 'nope')), 4, -32601, 'method'],
    [line(request(4, '__proto__')), 4, -32601, 'method'],
    [line(request(4, 'version', 'x'.repeat(5000))), 4, 2, 'too-large'],
    [line(request('q', 'version', 'x'.repeat(5000))), 'q', 2, 'too-large'],
    [`{"params":"${'x'.repeat(5000)}","id":4}\n`, null, 2, 'too-large'],
    // of what is not read, the id is found where it stands in front, however it is spaced
    ...[
      ['{"id":4,', 4],
      ['\t{ "id" : -4 ,', -4],
      ['{"id":"","', ''],
      ['{  "jsonrpc" : "2.0" , "id" : "a b" , ', 'a b'],
      ['{"jsonrpc":"2.0","id":123456789012345,', 123456789012345],
      ['{"jsonrpc":"2.0","id":1234567890123456,', null],
      ['{"jsonrpc":"2.0","id":"a\\"b",', null],
      ['{"jsonrpc":"2.0","id":4.5,', null],
      ['{"jsonrpc":"1.0","id":4,', null],
      ['[{"jsonrpc":"2.0","id":4,', null],
      ['{"ids":4,', null],
    ].map(
      ([front, id]) => [`${String(front)}"params":"${'x'.repeat(5000)}"}\n`, id, 2, 'too-large'] as const,
    ),
  ]
  test.each(wrong)('%.60s', async (heard, id, code, word) => {
    const { said, hear, talk } = begin()
    hear(`\n  \r\n${heard}${line(request(9, 'version', { still: 'here' }))}`)
    await talk.end()
    expect(codes(said)).toContainEqual([id, code, word])
    expect(said).toContain('{"jsonrpc":"2.0","id":9,"result":{"still":"here"}}')
    expect(said).toHaveLength(2)
  })
  test('a line of too many values is not read', async () => {
    const { said, hear, talk } = begin({ line: 2 ** 22 })
    hear(`{"jsonrpc":"2.0","id":4,"method":"version","params":[${'1,'.repeat(2 ** 20)}1]}\n`)
    await talk.end()
    expect(codes(said)).toEqual([[4, 2, 'too-large']])
  })
  test('bytes that are no UTF-8', async () => {
    const { said, talk } = begin()
    talk.hear(new Uint8Array([0x22, 0xff, 0xfe, 0x22, 0x0a]))
    await talk.end()
    expect(codes(said)).toEqual([[null, -32700, 'json']])
  })
})

describe('cancellation', () => {
  test('is answered at once, and what comes later is not said', async () => {
    const { held, said, hear, talk } = begin()
    hear(
      line(request(1)) +
        line(request(2)) +
        line({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } }),
    )
    await settled()
    expect(codes(said)).toEqual([[1, -32800, 'cancelled']])
    expect(held.map((h) => h.stopped)).toEqual([true, false])
    held[0]!.answer(E.right('1'))
    held[1]!.answer(E.right('2'))
    await talk.end()
    expect(said.slice(1)).toEqual(['{"jsonrpc":"2.0","id":2,"result":2}'])
  })
  test('of what is not there is nothing', async () => {
    const { said, hear, talk } = begin()
    for (const params of [{ id: 7 }, { id: {} }, {}, [1], 'x', null, undefined])
      hear(line({ jsonrpc: '2.0', method: '$/cancelRequest', params }))
    await talk.end()
    expect(said).toEqual([])
  })
  test('an id may be used again behind it, and not before', async () => {
    const { held, said, hear } = begin()
    hear(line(request(1)) + line(request(1)))
    await settled()
    expect(codes(said)).toEqual([[null, -32600, 'request']])
    hear(line({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } }) + line(request(1)))
    await settled()
    held[0]!.answer(E.right('"old"'))
    await settled()
    // the end of the old one is not that of the new one
    hear(line(request(1)))
    await settled()
    expect(codes(said).slice(2)).toEqual([[null, -32600, 'request']])
    held[1]!.answer(E.right('"new"'))
    await settled()
    expect(said.at(-1)).toBe('{"jsonrpc":"2.0","id":1,"result":"new"}')
    expect(said).toHaveLength(4)
  })
  test('of all that is left', async () => {
    const { held, said, hear, talk } = begin()
    hear(line(request(1)) + line(request(2)))
    await settled()
    talk.cancelAll()
    await talk.end()
    expect(codes(said)).toEqual([
      [1, -32800, 'cancelled'],
      [2, -32800, 'cancelled'],
    ])
    expect(held.every((h) => h.stopped)).toBe(true)
  })
})

describe('limits', () => {
  test('no more requests at once; one that is cancelled counts until it has ended', async () => {
    const { held, said, hear } = begin({ requests: 2 })
    hear(line(request(1)) + line(request(2)) + line(request(3)))
    await settled()
    expect(codes(said)).toEqual([[3, 3, 'busy']])
    hear(line({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } }) + line(request(4)))
    await settled()
    expect(codes(said).slice(1)).toEqual([
      [1, -32800, 'cancelled'],
      [4, 3, 'busy'],
    ])
    held[0]!.answer(E.right('1'))
    await settled()
    hear(line(request(5)))
    await settled()
    expect(held.map((h) => h.stopped)).toEqual([true, false, false])
    expect(said).toHaveLength(3)
  })
  test('no longer batch than that', async () => {
    const { held, said, hear, talk } = begin({ requests: 3 })
    hear(line([1, 2, 3, 4]))
    await talk.end()
    expect(codes(said)).toEqual([[null, 3, 'busy']])
    expect(held).toEqual([])
  })
  test('no more bytes at once than twice those of a line', async () => {
    const { said, hear } = begin({ requests: 100 })
    for (const id of [1, 2, 3]) hear(line(request(id, 'check', 'x'.repeat(3000))))
    await settled()
    expect(codes(said)).toEqual([[3, 3, 'busy']])
  })
})

describe('progress', () => {
  test('is said with the id, where it is asked for and as long as there is no answer', async () => {
    const { held, said, hear } = begin()
    hear(line(request('p', 'check', { progress: true })) + line(request(2)))
    await settled()
    expect(held[1]!.progress).toBeNull()
    held[0]!.progress?.({ what: 'w', done: 1, of: 2 })
    held[0]!.answer(E.right('1'))
    await settled()
    held[0]!.progress?.({ what: 'w', done: 2, of: 2 })
    expect(said).toEqual([
      '{"jsonrpc":"2.0","method":"$/progress","params":{"token":"p","value":{"what":"w","done":1,"of":2}}}',
      '{"jsonrpc":"2.0","id":"p","result":1}',
    ])
  })
})

describe('the end', () => {
  test('waits for what is being performed, and hears a last line without a newline', async () => {
    const { held, said, hear, talk } = begin()
    hear(JSON.stringify(request(1)))
    let isOver = false
    const end = talk.end().then(() => {
      isOver = true
    })
    await settled()
    expect(isOver).toBe(false)
    held[0]!.answer(E.right('1'))
    await end
    expect(said).toEqual(['{"jsonrpc":"2.0","id":1,"result":1}'])
  })
})
