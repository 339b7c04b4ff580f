/** An examination by a suite that doubles numbers: what is counted, in which order and how often it is asked, and which question is shown. */
import { integer } from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { spoken, type BackEnd, type Reply } from '../../../src/oracle/score/back-end.js'
import { firstDifference } from '../../../src/oracle/score/difference.js'
import { examine, judge, type Asking, type Marked } from '../../../src/oracle/score/examine.js'
import { processOf } from '../../../src/oracle/score/process.js'
import type { Case, Suite } from '../../../src/oracle/vectors/suite.js'
import type { Json } from '../../../src/wire.js'

const rules = ['doubles.small', 'doubles.large'].map((id) => ({
  id,
  says: id,
  source: 'a page',
  fidelity: 'documented' as const,
}))
const oneCase = (name: string, rule: string, question: Json): Case<Json> => ({
  name,
  rule,
  features: [],
  question,
})
const cases = [
  oneCase('one', 'doubles.small', 1),
  oneCase('two', 'doubles.small', 2),
  oneCase('ninety', 'doubles.large', 90),
  oneCase('eighty', 'doubles.large', 80),
  oneCase('nothing', 'doubles.none', 4),
]
const doubles: Suite = {
  name: 'doubles',
  arch: 'any',
  profile: 'arithmetic',
  title: 'numbers, doubled',
  rules,
  cases: () => cases,
  ask: (q: Json) =>
    Number(q) < 0 ? E.left({ code: 'doubles.negative', message: 'negative' }) : E.right(2 * Number(q)),
  same: (a: Json, b: unknown) => a === b,
  questions: (rule: string) =>
    rule === 'doubles.small' ? integer({ min: 0, max: 9 }) : integer({ min: 10, max: 99 }),
  projected: () => null,
  smaller: () => [],
} as unknown as Suite

const asked: Json[] = []
const answering = (reply: (q: number) => Reply, lost: () => string | null = () => null): BackEnd => ({
  ask: (_, q) => {
    asked.push(q)
    return Promise.resolve(reply(Number(q)))
  },
  lost,
  close: () => Promise.resolve(),
})
const right = (q: number): Reply => ({ _tag: 'Answer', answer: 2 * q })
const examined = async (
  reply: (q: number) => Reply,
  how: Partial<Asking> = {},
  suite: Partial<Suite> = {},
  lost?: () => string | null,
): Promise<ReadonlyArray<Marked>> => {
  asked.length = 0
  return examine({ ...doubles, ...suite }, answering(reply, lost), {
    random: 0,
    seed: 1,
    window: 1,
    leaveOut: () => false,
    progress: () => undefined,
    ...how,
  })
}
const counts = (marked: ReadonlyArray<Marked>): unknown => marked.map((m) => [m.pass, m.fail, m.skip])

describe('what is counted', () => {
  it('is each case of a rule once, and of no other rule', async () => {
    expect(counts(await examined(right))).toEqual([
      [2, 0, 0],
      [2, 0, 0],
    ])
    expect(asked).toEqual([1, 2, 90, 80, 4])
  })
  it('is not what is left out, and a rule of which nothing was answered is not asked at random', async () => {
    const marked = await examined(right, { random: 5, leaveOut: ({ rule }) => rule === 'doubles.large' })
    expect(counts(marked)).toEqual([
      [7, 0, 0],
      [0, 0, 0],
    ])
    const skips = await examined((q) => (q > 9 ? { _tag: 'Skip' } : right(q)), { random: 5 })
    expect(counts(skips)).toEqual([
      [7, 0, 0],
      [0, 0, 2],
    ])
  })
  it('is told as it goes: a step for each case, then one for each rule', async () => {
    const steps: Array<readonly [number, number]> = []
    await examined(right, { progress: (done, of) => steps.push([done, of]) })
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7].map((k) => [k, 7]))
  })
  it('is asked so many at a time as the window says', async () => {
    for (const window of [1, 2, 3, 99]) {
      let [now, most] = [0, 0]
      await examine(
        doubles,
        {
          ask: async (_, q) => {
            most = Math.max(most, ++now)
            await new Promise((go) => setImmediate(go))
            now--
            return right(Number(q))
          },
          lost: () => null,
          close: () => Promise.resolve(),
        },
        { random: 0, seed: 1, window, leaveOut: () => false, progress: () => undefined },
      )
      expect([window, most]).toEqual([window, Math.min(window, cases.length)])
    }
  })
})

describe('what is shown', () => {
  const wrongFrom =
    (first: number) =>
    (q: number): Reply => ({ _tag: 'Answer', answer: q >= first ? -1 : 2 * q })
  it('is the case that failed first, where nothing is asked at random', async () => {
    const [small, large] = await examined(wrongFrom(50))
    expect(small!.shown).toBeNull()
    expect(large!.shown).toEqual({
      question: 90,
      expected: { answer: 180 },
      why: 'at $: expected 180, found -1',
      case: 'ninety',
    })
  })
  it('is a random question only where that is smaller', async () => {
    // of two digits each
    const [, large] = await examined(wrongFrom(50), { random: 40 })
    expect(large!.shown!.question).toBe(90)
    const three = [oneCase('many', 'doubles.large', 100)]
    const [, shrunk] = await examined(wrongFrom(50), { random: 40 }, { cases: () => three })
    expect(shrunk!.shown).toMatchObject({ question: 50, case: 'many' })
    const [, found] = await examined(
      wrongFrom(50),
      { random: 40 },
      { cases: () => [oneCase('ten', 'doubles.large', 10)] },
    )
    expect(found!.shown).toMatchObject({ question: 50, case: null })
    expect(found!.fail).toBe(1)
  })
  it('is what is left in it as long as it fails, and what was not answered is not asked again', async () => {
    const smaller = (q: Json): ReadonlyArray<Json> => (Number(q) > 0 ? [Number(q) - 7, Number(q) - 1] : [])
    const [, large] = await examined(wrongFrom(50), {}, { smaller })
    // 90, 83, 76, 69, 62, 55; then one less at a time, for 48 is right
    expect(large!.shown).toMatchObject({ question: 50, case: 'ninety' })
    expect(asked.slice(5)).toEqual([83, 76, 69, 62, 55, 48, 54, 47, 53, 46, 52, 45, 51, 44, 50, 43, 49])
    const refused = await examined(
      () => ({ _tag: 'Refusal', code: 'no', message: 'not today' }),
      {},
      { smaller },
    )
    expect(refused[1]!.shown).toMatchObject({
      question: 90,
      why: 'expected an answer, found a refusal: no: not today',
    })
    expect(asked).toHaveLength(cases.length)
    const faults = await examined(
      (q) => (q === 76 ? { _tag: 'Fault', message: 'gone' } : wrongFrom(50)(q)),
      {},
      { smaller },
    )
    expect(faults[1]!.shown!.question).toBe(83)
  })
  it('costs 300 smaller questions at most', async () => {
    const [, large] = await examined(
      wrongFrom(1),
      {},
      { cases: () => [oneCase('huge', 'doubles.large', 1000)], smaller: (q) => [Number(q) - 1] },
    )
    expect(large!.shown!.question).toBe(700)
    expect(asked).toHaveLength(301)
  })
  it('is about one element, if that fails alone', async () => {
    const projected = (q: Json): Json => Number(q) - 10
    const alone = await examined(wrongFrom(50), {}, { projected })
    expect(alone[1]!.shown).toMatchObject({ question: 80, case: 'ninety' })
    const together = await examined(wrongFrom(85), {}, { projected })
    expect(together[1]!.shown).toMatchObject({ question: 90, case: 'ninety' })
    // of what is refused there is no element
    const negative = [oneCase('minus', 'doubles.small', -1)]
    const [minus] = await examined(right, {}, { cases: () => negative, projected })
    expect(minus!.shown).toEqual({
      question: -1,
      expected: { refused: 'doubles.negative' },
      why: 'expected a refusal (doubles.negative), found an answer',
      case: 'minus',
    })
  })
  it('is what is there, and no more is asked, where the back end is lost', async () => {
    const [, large] = await examined(
      wrongFrom(50),
      { random: 5 },
      { smaller: () => [60], projected: () => 70 },
      () => 'gone',
    )
    expect(large!.shown!.question).toBe(90)
    expect(asked).toHaveLength(cases.length)
  })
  it('is a small one after few questions at random: none is asked for ever', async () => {
    const marked = await examined(wrongFrom(0), { random: 1 })
    expect(asked.length).toBeLessThanOrEqual(cases.length + 2 * 40)
    expect(counts(marked)).toEqual([
      [0, 3, 0],
      [0, 3, 0],
    ])
  })
})

describe('a reply', () => {
  it('that is another form of what is expected is wrong', () => {
    const strict = { ...doubles, same: () => false } as unknown as Suite
    expect(judge(strict, 1, right(1))).toEqual({ _tag: 'fail', why: 'expected an answer of this form' })
  })
  it('differs in a list before its length, and in length where one goes on', () => {
    expect(firstDifference([1, 2, 3], [1, 9])).toMatchObject({ path: '$[1]', expected: '2', found: '9' })
    expect(firstDifference([1, 2, 3], [1, 2])).toMatchObject({ path: '$.length', expected: '3', found: '2' })
    expect(firstDifference([1, 2], [1, 2, 3])).toMatchObject({ path: '$.length', expected: '2', found: '3' })
    expect(firstDifference([{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 3 }])?.path).toBe('$[1].a')
    expect(firstDifference({ a: { b: 1 }, c: 1 }, { a: { b: 1 }, c: 2 })?.path).toBe('$.c')
  })
  it('is cut after 80 characters', () => {
    const of = (length: number): string => firstDifference(null, 'x'.repeat(length - 2))!.found
    expect(of(80)).toBe(`"${'x'.repeat(78)}"`)
    expect(of(81)).toBe(`"${'x'.repeat(79)}...`)
  })
  it('that is no pattern of its type is shown as it is', () => {
    const list = (bit: Json): Json => ({ dtype: 'f16', shape: [1], bits: [bit] })
    for (const bit of [-1, 0.5, 'one', null])
      expect(firstDifference(list(0x3c00), list(bit))).toMatchObject({
        expected: '0x3c00 (1)',
        found: JSON.stringify(bit),
      })
    // of a type that is none, and of what lies beside the bits
    expect(firstDifference({ dtype: 'f99', bits: [1] }, { dtype: 'f99', bits: [2] })).toMatchObject({
      expected: '1',
      found: '2',
    })
    expect(firstDifference({ dtype: 'f16', more: [1] }, { dtype: 'f16', more: [2] })).toMatchObject({
      expected: '1',
      found: '2',
    })
    // more elements than the shape has
    expect(
      firstDifference(
        { dtype: 'u32', shape: [2, 2], bits: [0, 0, 0, 0, 1] },
        { dtype: 'u32', shape: [2, 2], bits: [0, 0, 0, 0, 2] },
      ),
    ).toMatchObject({
      path: '$.bits[4]',
      element: null,
    })
  })
})

describe('a back end', () => {
  /** Of each question, the lines that come of it; the process ends where there are none. */
  const wired = (
    does: (n: number, id: number) => ReadonlyArray<string> | null,
    patience = 5000,
    begins = true,
  ): { readonly backEnd: BackEnd; readonly starts: () => number; readonly stopped: () => number } => {
    let [starts, stopped, n] = [0, 0, 0]
    const backEnd = spoken(({ line, ended }) => {
      starts++
      return {
        say: (text) => {
          const lines = does(n++, (JSON.parse(text) as { readonly id: number }).id)
          setImmediate(() => {
            if (lines === null) ended('it ended', begins)
            else lines.forEach(line)
          })
        },
        stop: () => {
          stopped++
          return Promise.resolve()
        },
      }
    }, patience)
    return { backEnd, starts: () => starts, stopped: () => stopped }
  }
  const result = (id: number): string => `{"jsonrpc": "2.0", "id": ${String(id)}, "result": 1}`
  const fault = (message: string): Reply => ({ _tag: 'Fault', message })
  it('is started once, when it is first asked, and stopped', async () => {
    const { backEnd, starts, stopped } = wired((_, id) => [result(id)])
    expect(starts()).toBe(0)
    expect([await backEnd.ask('s', 1), await backEnd.ask('s', 2)]).toEqual([
      { _tag: 'Answer', answer: 1 },
      { _tag: 'Answer', answer: 1 },
    ])
    expect([starts(), stopped(), backEnd.lost()]).toEqual([1, 0, null])
    await backEnd.close()
    expect(stopped()).toBe(1)
    await backEnd.close()
    expect(stopped()).toBe(1)
  })
  it('that has ended is started again, five times without an answer; an answer begins the count anew', async () => {
    // every third question is answered
    const { backEnd, starts } = wired((n, id) => (n % 3 === 2 ? [result(id)] : null))
    for (let n = 0; n < 12; n++)
      expect((await backEnd.ask('s', n))._tag).toBe(n % 3 === 2 ? 'Answer' : 'Fault')
    expect([starts(), backEnd.lost()]).toEqual([9, null])
    const dead = wired(() => null)
    for (let n = 0; n < 5; n++) expect(await dead.backEnd.ask('s', n)).toEqual(fault('it ended'))
    expect(dead.backEnd.lost()).toBeNull()
    expect(await dead.backEnd.ask('s', 5)).toEqual(
      fault('it has ended 5 times without an answer, and is not asked again'),
    )
    expect([dead.starts(), dead.backEnd.lost()]).toEqual([5, 'it has ended 5 times without an answer'])
  })
  it('that never ran is not started again', async () => {
    const { backEnd, starts } = wired(() => null, 5000, false)
    expect(await backEnd.ask('s', 1)).toEqual(fault('it ended'))
    expect(await backEnd.ask('s', 2)).toEqual(fault('it ended, and is not asked again'))
    expect(starts()).toBe(1)
  })
  it('that answers late has failed the question, and is not silent', async () => {
    let late: number | null = null
    const { backEnd } = wired((n, id) => {
      // the answer to a question comes with the next one
      const lines = late === null ? [] : [result(late)]
      late = id
      return n < 40 ? lines : [...lines, result(id)]
    }, 25)
    for (let n = 0; n < 20; n++) expect((await backEnd.ask('s', n))._tag).toBe('Fault')
    expect(backEnd.lost()).toBeNull()
  })
  it('that has said nothing for four times the patience of a question is given up, with all that waits', async () => {
    const { backEnd } = wired(() => [], 40)
    const first = Array.from({ length: 3 }, (_, n) => backEnd.ask('s', n))
    expect(await Promise.all(first)).toEqual(
      [0, 1, 2].map(() => fault('expected an answer within 40 ms, found none')),
    )
    expect(backEnd.lost()).toBeNull()
    for (let n = 3; backEnd.lost() === null && n < 20; n++) await backEnd.ask('s', n)
    // three at once, then one after another until 160 ms are over, which are fewer than 16
    expect(backEnd.lost()).toMatch(/^it has not answered one of ([4-9]|1[0-5]) questions$/)
    expect(await backEnd.ask('s', 9)).toMatchObject({
      message: expect.stringContaining('is not asked again') as unknown,
    })
  })
  it('that is silent to 16 questions at once is given up', async () => {
    const { backEnd } = wired(() => [], 40)
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => backEnd.ask('s', n)))
    expect(backEnd.lost()).toBe('it has not answered one of 16 questions')
    expect(
      replies.filter((r) => r._tag === 'Fault' && r.message.startsWith('it has not answered one of 16')),
    ).toHaveLength(4)
  })
  it('refuses in its own words: a code of its data before its number', async () => {
    const said = async (error: string): Promise<Reply> =>
      wired((_, id) => [`{"jsonrpc": "2.0", "id": ${String(id)}, "error": ${error}}`]).backEnd.ask('s', 1)
    expect(await said('{"code": 3, "message": "no", "data": {"code": "mine.no"}}')).toEqual({
      _tag: 'Refusal',
      code: 'mine.no',
      message: 'no',
    })
    expect(await said('{"code": 3, "data": {"code": 4}}')).toEqual({
      _tag: 'Refusal',
      code: '3',
      message: 'no message',
    })
    expect(await said('{"code": -32601}')).toEqual({ _tag: 'Skip' })
    expect(await said('7')).toEqual(fault('expected an error with a code, found 7'))
    expect(await said(`{"code": 3, "message": "${'m'.repeat(200)}"}`)).toMatchObject({
      message: 'm'.repeat(200),
    })
    expect(await said(`{"code": 3, "message": "${'m'.repeat(201)}"}`)).toMatchObject({
      message: `${'m'.repeat(200)}...`,
    })
    // no error is an answer
    expect(
      await wired((_, id) => [
        `{"jsonrpc": "2.0", "id": ${String(id)}, "result": null, "error": null}`,
      ]).backEnd.ask('s', 1),
    ).toEqual({ _tag: 'Answer', answer: null })
  })
  it('says of an answer to no question whether it was asked', async () => {
    const said = async (other: number): Promise<Reply> => {
      const { backEnd } = wired((n, id) => (n === 1 ? [result(id + other), result(id)] : [result(id)]))
      await backEnd.ask('s', 1)
      return backEnd.ask('s', 2)
    }
    expect(await said(-1)).toMatchObject({
      message: expect.stringContaining('0 was answered already') as unknown,
    })
    expect(await said(1)).toMatchObject({ message: expect.stringContaining('2 was not asked') as unknown })
    expect(await said(2)).toMatchObject({ message: expect.stringContaining('3 was not asked') as unknown })
    expect(await said(-2)).toMatchObject({ message: expect.stringContaining('-1 was not asked') as unknown })
  })
  it('has to answer with an id, in the form of a response, a result or an error', async () => {
    const said = (text: string): Promise<Reply> => wired(() => [text]).backEnd.ask('s', 1)
    const form = 'expected a JSON-RPC response on a line, found '
    for (const text of [
      '{"jsonrpc": "2.0", "id": 0}',
      '{"jsonrpc": "2.0", "result": 1}',
      '{"jsonrpc": "2.0", "id": null, "result": 1}',
      '{"jsonrpc": "2.0", "id": "0", "result": 1}',
      '{"jsonrpc": "1.0", "id": 0, "result": 1}',
      '{"id": 0, "result": 1}',
      '[]',
      '7',
    ])
      expect(await said(text)).toEqual(fault(form + text))
    const both = '{"jsonrpc": "2.0", "id": 0, "result": 1, "error": {"code": 1}}'
    expect(await said(both)).toEqual(fault(`expected a result or an error, found both: ${both}`))
    for (const [rest, answer] of [
      ['"result": 1', 1],
      ['"result": null', null],
      ['"result": 1, "error": null', 1],
      ['"result": false', false],
    ] as const)
      expect(await said(`{"jsonrpc": "2.0", "id": 0, ${rest}}`)).toEqual({ _tag: 'Answer', answer })
  })
  it('says how it ended, and the last line that it said', async () => {
    const ended = (command: string, script: string): Promise<readonly [string, boolean]> =>
      new Promise((resolve) => {
        const said = processOf(command, ['-e', script])({
          line: () => undefined,
          ended: (why, begun) => {
            void said.stop().then(() => {
              resolve([why, begun])
            })
          },
        })
      })
    expect(
      await Promise.all([
        ended(process.execPath, 'process.exit(3)'),
        ended(process.execPath, `console.error('one\\n  two \\n'); process.exitCode = 4`),
        ended('/nowhere/python', ''),
      ]),
    ).toEqual([
      ['it ended with exit status 3', true],
      ['it ended with exit status 4; it said:   two', true],
      [expect.stringMatching(/^'\/nowhere\/python' cannot be started: /u), false],
    ])
  })
  it('takes no notice of empty lines', async () => {
    const { backEnd } = wired((_, id) => ['', ' \t', result(id), ''])
    for (let k = 0; k < 3; k++) expect((await backEnd.ask('s', k))._tag).toBe('Answer')
  })
  it('is broken by a line that does not end, and not by many lines', async () => {
    const heard = (script: string): Promise<readonly [string, number]> =>
      new Promise((resolve) => {
        let lines = 0
        const said = processOf(process.execPath, ['-e', script])({
          line: () => {
            lines++
          },
          ended: (why) => {
            void said.stop().then(() => {
              resolve([why, lines])
            })
          },
        })
      })
    const mebibyte = `const piece = Buffer.alloc(2 ** 20, 'a');`
    expect(
      await Promise.all([
        heard(`${mebibyte} for (let k = 0; k < 65; k++) process.stdout.write(piece)`),
        heard(`${mebibyte} piece[0] = 10; for (let k = 0; k < 65; k++) process.stdout.write(piece)`),
      ]),
    ).toEqual([
      ['a line of more than 67108864 bytes', 0],
      ['it ended with exit status 0', 65],
    ])
  })
  it('blames a line without a question on the one that waits longest, or else on the next, once', async () => {
    let banner: ReadonlyArray<string> = ['hello', 'again']
    const { backEnd } = wired((_, id) => {
      const lines = [result(id), ...banner]
      banner = []
      return lines
    })
    expect((await backEnd.ask('s', 1))._tag).toBe('Answer')
    await new Promise((go) => setImmediate(go))
    expect(await backEnd.ask('s', 2)).toEqual(fault('expected a JSON-RPC response on a line, found hello'))
    expect((await backEnd.ask('s', 3))._tag).toBe('Answer')
  })
})
