/** Score cards: of the reference, of faults planted in it, of programs in Python that were written from the page, and of programs that misbehave. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { documentSchemas } from '../../../src/oracle/documents.js'
import { spoken, type BackEnd, type Reply } from '../../../src/oracle/score/back-end.js'
import { firstDifference, showDifference } from '../../../src/oracle/score/difference.js'
import { examine, judge, type Marked } from '../../../src/oracle/score/examine.js'
import { processWithin } from '../../../src/oracle/score/process.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { suiteNamed, suites } from '../../../src/oracle/vectors/index.js'
import type { Suite } from '../../../src/oracle/vectors/suite.js'
import type { Json } from '../../../src/wire.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { worldOf } from '../world.js'

const here = fileURLToPath(new URL('./', import.meta.url))
const page = fs.readFileSync(fileURLToPath(new URL('../../../docs/Score.md', import.meta.url)), 'utf8')

const replyOf = (suite: Suite, question: Json): Reply => {
  const answer = suite.ask(question)
  return E.isRight(answer)
    ? { _tag: 'Answer', answer: answer.right }
    : { _tag: 'Refusal', code: answer.left.code, message: answer.left.message }
}
const behind = (reply: (question: Json) => Reply): BackEnd => ({
  ask: (_, question) => Promise.resolve(reply(question)),
  lost: () => null,
  close: () => Promise.resolve(),
})
const tensor = (dtype: string, shape: ReadonlyArray<number>, pattern: number): Json => ({
  dtype,
  shape,
  bits: Array.from({ length: shape.reduce((n, extent) => n * extent, 1) }, () => pattern),
})
const asking = { random: 8, seed: 1, window: 4, leaveOut: () => false, progress: () => undefined }

const named = async (name: string): Promise<Suite> => right(await suiteNamed(name)())

// ---------------------------------------------------------------- the reference

/** Suites whose questions are quick enough for every day. */
const byDay = ['swizzle', 'descriptors', 'cute']

describe('the reference', () => {
  it.each(suites.map(({ name }) => name).filter((name) => nightly || byDay.includes(name)))(
    'law 1: %s: everything passes',
    async (name) => {
      const suite = await named(name)
      const marked = await examine(
        suite,
        behind((q) => replyOf(suite, q)),
        asking,
      )
      for (const rule of marked)
        expect(rule).toMatchObject({ fail: 0, skip: 0, shown: null, rule: rule.rule })
      for (const rule of marked) expect([rule.rule, rule.pass > 0]).toEqual([rule.rule, true])
    },
  )
})

// ---------------------------------------------------------------- the judge

describe('a reply', () => {
  it('is judged by the table', async () => {
    const suite = await named('swizzle')
    const legal = { dtype: 'f16', shape: [1, 8], tile: null, swizzle: 16, base: 0 }
    const illegal = { ...legal, swizzle: 48 }
    const answer = right(suite.ask(legal))
    const other = { addresses: { dtype: 'u32', shape: [1, 8], bits: [0, 2, 4, 6, 8, 10, 12, 15] } }
    const refusal: Reply = { _tag: 'Refusal', code: 'mine', message: 'no' }
    expect(judge(suite, legal, { _tag: 'Answer', answer })).toEqual({ _tag: 'pass' })
    expect(judge(suite, legal, { _tag: 'Answer', answer: other })).toEqual({
      _tag: 'fail',
      why: 'at $.addresses.bits[7]: expected 14, found 15',
    })
    expect(judge(suite, legal, { _tag: 'Answer', answer: undefined })).toMatchObject({ _tag: 'fail' })
    expect(judge(suite, legal, refusal)).toMatchObject({ _tag: 'fail' })
    expect(judge(suite, illegal, refusal)).toEqual({ _tag: 'pass' })
    expect(judge(suite, illegal, { _tag: 'Answer', answer })).toMatchObject({ _tag: 'fail' })
    expect(judge(suite, legal, { _tag: 'Skip' })).toEqual({ _tag: 'skip' })
    expect(judge(suite, illegal, { _tag: 'Skip' })).toEqual({ _tag: 'skip' })
    expect(judge(suite, legal, { _tag: 'Fault', message: 'dead' })).toEqual({ _tag: 'fail', why: 'dead' })
  })
  it('about many elements is shown about the first that is wrong, if that is wrong alone, too', async () => {
    const suite = await named('dot')
    const one = [...suite.cases()].find(({ name }) => name.startsWith('captured-f16-f16-f32'))!
    const asked = { ...suite, cases: () => [one], rules: suite.rules.filter(({ id }) => id === one.rule) }
    // `steady`: the last bit is always wrong; otherwise only where many elements are asked for
    const scoreOf = async (steady: boolean): Promise<Marked> => {
      const marked = await examine(
        asked,
        {
          ask: (_, question) => {
            const { d } = right(suite.ask(question)) as {
              readonly d: { readonly bits: ReadonlyArray<number> }
            }
            const last = d.bits.length - 1
            const isWrong = steady || last > 0
            const bits = d.bits.map((p, i) => (isWrong && i === last ? (p ^ 1) >>> 0 : p))
            return Promise.resolve({ _tag: 'Answer', answer: { d: { ...d, bits } } } as Reply)
          },
          lost: () => null,
          close: () => Promise.resolve(),
        },
        { random: 0, seed: 1, window: 1, leaveOut: () => false, progress: () => undefined },
      )
      return marked[0]!
    }
    const { a } = (await scoreOf(true)).shown!.question as {
      readonly a: { readonly shape: ReadonlyArray<number> }
    }
    expect(a.shape).toEqual([1, 1, 1])
    expect((await scoreOf(true)).shown).toMatchObject({
      case: one.name,
      why: expect.stringMatching(/^at \$\.d\.bits\[0\]/),
    })
    expect((await scoreOf(false)).shown!.question).toEqual(one.question)
  })
  // the fault needs two of the factors of a, so these two are what has to be left
  it.each([
    {
      name: 'dot',
      dtype: 'f16',
      shape: [1, 1, 16],
      ordinary: 0x4000,
      needed: [0x3c05, 0x3c0b],
      left: 2,
      others: {
        b: tensor('f16', [1, 16, 1], 0x3c00),
        c: tensor('f32', [1, 1, 1], 0x3f800000),
        saturate: false,
      },
    },
    {
      name: 'dot-scaled',
      dtype: 'e2m1',
      shape: [1, 64],
      ordinary: 2,
      needed: [5, 6],
      left: 64,
      others: {
        b: tensor('e2m1', [64, 1], 2),
        c: tensor('f32', [1, 1], 0x3f800000),
        sa: tensor('ue4m3', [1, 4], 0x38),
        sb: tensor('ue4m3', [1, 4], 0x38),
        block: 16,
      },
    },
  ])('of $name is shown with the products that it takes', async (of) => {
    const { name, dtype, shape, ordinary, needed, left, others } = of
    const suite = await named(name)
    const length = shape.at(-1)!
    const bits = Array.from({ length }, (_, p) =>
      p === 5 ? needed[0]! : p === length - 3 ? needed[1]! : ordinary,
    )
    const question: Json = { a: { dtype, shape, bits }, ...others }
    right(suite.ask(question))
    const rule = suite.rules[0]!
    const one = { name: 'one', rule: rule.id, features: [], question }
    const [marked] = await examine(
      { ...suite, cases: () => [one], rules: [rule] },
      behind((q) => {
        const { a } = q as { readonly a: { readonly bits: ReadonlyArray<number> } }
        const reply = replyOf(suite, q)
        if (reply._tag !== 'Answer' || !needed.every((p) => a.bits.includes(p))) return reply
        const { d } = reply.answer as { readonly d: { readonly bits: ReadonlyArray<number> } }
        return { _tag: 'Answer', answer: { d: { ...d, bits: d.bits.map((p) => (p ^ 1) >>> 0) } } }
      }),
      { random: 0, seed: 1, window: 1, leaveOut: () => false, progress: () => undefined },
    )
    const shown = marked!.shown!.question as Readonly<
      Record<'a' | 'c', { readonly bits: ReadonlyArray<number> }>
    >
    expect(shown.a.bits.filter((p) => p !== 0)).toEqual(needed)
    expect(shown.a.bits).toHaveLength(left)
    expect(shown.c.bits).toEqual([0])
  })
  it('that is skipped does not count as one of the random questions', async () => {
    const suite = await named('conversions')
    const only = 'cvt.rn.satfinite.e4m3x2.f32'
    const knows = (q: Json): boolean => (q as { readonly instruction: string }).instruction === only
    const [marked] = await examine(
      { ...suite, rules: suite.rules.filter(({ id }) => id === 'conversions.fp8') },
      behind((q) => (knows(q) ? replyOf(suite, q) : { _tag: 'Skip' })),
      { ...asking, random: 12 },
    )
    // its case, and as many random ones
    expect(marked).toMatchObject({ rule: 'conversions.fp8', pass: 13, fail: 0 })
    expect(marked!.skip).toBeGreaterThan(12)
  })
  it('differs first where it is said to', () => {
    expect(firstDifference({ a: [1, 2] }, { a: [1, 2] })).toBeNull()
    expect(firstDifference({ a: [1, 2] }, { a: [1, 3] })?.path).toBe('$.a[1]')
    expect(firstDifference({ a: [1, 2] }, { a: [1] })?.path).toBe('$.a.length')
    expect(firstDifference({ a: [1] }, { a: [1, 2] })?.path).toBe('$.a.length')
    expect(firstDifference([], [{ b: 1 }])).toMatchObject({ path: '$.length', expected: '0', found: '1' })
    expect(firstDifference({ a: 1 }, { a: 1, b: 2 })).toEqual({
      path: '$.b',
      element: null,
      expected: 'nothing',
      found: '2',
    })
    expect(firstDifference([], {})).not.toBeNull()
    for (const key of ['constructor', 'toString', '__proto__'])
      expect(firstDifference({ a: 1 }, JSON.parse(`{"a": 1, "${key}": 2}`))).toEqual({
        path: `$.${key}`,
        element: null,
        expected: 'nothing',
        found: '2',
      })
    expect(firstDifference(null, undefined)).not.toBeNull()
    const halves = (...bits: ReadonlyArray<number>): Json => ({ d: { dtype: 'f16', shape: [2], bits } })
    expect(firstDifference(halves(0x3c00, 0x8000), halves(0x3c00, 0))).toEqual({
      path: '$.d.bits[1]',
      element: null,
      expected: '0x8000 (-0)',
      found: '0x0000 (0)',
    })
    const bytes = (...bits: ReadonlyArray<number>): Json => ({ dtype: 'i8', bits })
    expect(firstDifference(bytes(255), bytes(1))).toMatchObject({ expected: '0xff (-1)', found: '1' })
    // the sixth of two rows of three columns, in each of which an element is wrong by itself
    const rows = (shape: ReadonlyArray<number>, wrong: number): Json => ({
      dtype: 'u32',
      shape,
      bits: [0, 1, 2, 3, 4, 5].map((p) => (p === wrong ? 9 : p)),
    })
    const elements = (...shape: ReadonlyArray<number>): Json =>
      [0, 1, 2, 3, 4, 5].map((k) => firstDifference(rows(shape, -1), rows(shape, k))!.element)
    expect(elements(2, 3)).toEqual([0, 1].flatMap((r) => [0, 1, 2].map((c) => [r, c])))
    expect(elements(1, 6)).toEqual(Array.from({ length: 6 }, () => null))
    expect(showDifference(firstDifference(rows([2, 3], -1), rows([2, 3], 4))!)).toBe(
      'at $.bits[4], element [1, 1]: expected 4, found 9',
    )
  })
})

// ---------------------------------------------------------------- programs

let dir = ''
const at = (name: string): string => path.join(dir, name)
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-score-'))
  const rightOne = fs.readFileSync(`${here}right_swizzle.py`, 'utf8')
  const wrongOne = rightOne.replace('address >> 7 & chunks', 'address >> 8 & chunks')
  expect(wrongOne).not.toBe(rightOne)
  fs.writeFileSync(at('right.py'), rightOne)
  fs.writeFileSync(at('wrong.py'), wrongOne)
  fs.writeFileSync(at('page.py'), /```python\n([^]*?)```/.exec(page)![1]!)
  // ends at every sixtieth question, without an answer
  fs.writeFileSync(
    at('dying.py'),
    rightOne.replace(
      '    request = json.loads(line)\n',
      '    request = json.loads(line)\n    if request["id"] % 60 == 59:\n        sys.exit("out of luck")\n',
    ),
  )
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

const world: World = {
  ...worldOf(onDisk),
  // what has ended is ended soon
  processes: processWithin(500),
}
interface CardDocument {
  readonly score: number | null
  readonly rules: ReadonlyArray<Marked>
}
const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(
  documentSchemas['score.schema.json'] as object,
)
const scored = async (
  ...words: ReadonlyArray<string>
): Promise<{ readonly status: number; readonly card: CardDocument }> => {
  const { status, stdout } = await tcspec(commands, world)(['score', '--json', ...words])()
  const card = JSON.parse(stdout) as CardDocument
  expect([validate(card), validate.errors]).toEqual([true, null])
  return { status, card }
}

describe('programs in Python', () => {
  it('a right swizzle: all that it knows passes, the rest is skipped', async () => {
    const { status, card } = await scored(
      '--suite',
      'swizzle',
      '--random',
      '4',
      '--',
      'python3',
      at('right.py'),
    )
    expect([status, card.score]).toEqual([0, 100])
    expect(card.rules.filter((r) => r.skip > 0).map((r) => [r.rule, r.pass])).toEqual([
      ['swizzle.sub-byte', 0],
    ])
  })
  it('a wrong swizzle: the card names the rules, and shows a small question that fails again', async () => {
    const junit = at('score.xml')
    const { status, card } = await scored(
      '--suite',
      'swizzle',
      '--junit',
      junit,
      '--',
      'python3',
      at('wrong.py'),
    )
    expect(status).toBe(1)
    const failing = card.rules.filter((r) => r.fail > 0)
    expect(failing.map((r) => r.rule)).toEqual(
      expect.arrayContaining(['swizzle.32', 'swizzle.64', 'swizzle.128']),
    )
    expect(card.rules.find((r) => r.rule === 'swizzle.16')).toMatchObject({ fail: 0 })
    // two lines of 128 bytes are the fewest that tell bit 7 from bit 8
    const shown = card.rules.find((r) => r.rule === 'swizzle.128')!.shown!
    expect(shown.question).toMatchObject({ dtype: 'f32', shape: [2, 32], swizzle: 128 })
    const xml = fs.readFileSync(junit, 'utf8')
    expect(xml).toContain(`tests="${String(card.rules.length)}" failures="${String(failing.length)}"`)
    expect(xml).toContain('expected 144, found 128')
  })
  it.skipIf(!nightly)(
    'a tensor core that sums in f32, to nearest, term by term: the card names alignment, truncation and rounding, and shows each on few terms',
    async () => {
      const { status, card } = await scored(...['--suite', 'dot', '--', 'python3', `${here}f32_dot.py`])
      expect(status).toBe(1)
      const of = (rule: string): Marked => card.rules.find((r) => r.rule === rule)!
      for (const rule of ['dot.alignment', 'dot.truncation', 'dot.rounding', 'dot.cancellation', 'dot.chain'])
        expect([rule, of(rule).fail > 0]).toEqual([rule, true])
      // sums of zero are as on the chip, and what it does not know is no failure
      expect(of('dot.zeros')).toMatchObject({ fail: 0 })
      expect(of('dot.fp8')).toMatchObject({ pass: 0, fail: 0, shown: null })
      const { question, expected } = of('dot.rounding').shown! as unknown as {
        readonly question: { readonly a: { readonly bits: ReadonlyArray<number> } }
        readonly expected: { readonly answer: unknown }
      }
      expect(question.a.bits.length).toBeLessThanOrEqual(4)
      expect(expected.answer).toBeDefined()
    },
  )
  it('the program of the page: its conversation is as printed, and its score 100', async () => {
    const lines = [...page.matchAll(/^([><]) (.*)$/gm)].map((m) => [m[1]!, m[2]!] as const)
    const said = lines.filter(([way]) => way === '>').map(([, text]) => `${text}\n`)
    const heard = lines.filter(([way]) => way === '<').map(([, text]) => `${text}\n`)
    expect(said.length).toBe(3)
    const { stdout } = spawnSync('python3', [at('page.py')], { input: said.join(''), encoding: 'utf8' })
    expect(stdout).toBe(heard.join(''))
    const { status, card } = await scored(
      '--suite',
      'swizzle',
      '--random',
      '0',
      '--',
      'python3',
      at('page.py'),
    )
    expect([status, card.score]).toEqual([0, 100])
  })
  it('what the page shows of a card is what a card shows', async () => {
    const { stdout } = await tcspec(
      commands,
      world,
    )(['score', '--suite', 'swizzle', '--', 'python3', at('wrong.py')])()
    const quoted = /^swizzle\.128: [^]*?(?=\n```)/m.exec(page)![0].split('\n')
    for (const line of quoted) if (line.trim() !== '...') expect(stdout).toContain(`${line}\n`)
  })
})

describe('programs that misbehave', () => {
  const refused = async (...command: ReadonlyArray<string>): Promise<string> => {
    const { status, stderr } = await tcspec(
      commands,
      world,
    )(['score', '--suite', 'swizzle', '--random', '0', '--timeout', '200', '--', ...command])()
    expect(status).toBe(2)
    expect(stderr.split('\n').length).toBe(2)
    return stderr
  }
  it('one that cannot be started, one that ends at once, one that is silent', async () => {
    expect(await refused('/nowhere/at-all')).toMatch(/cannot be started/)
    expect(await refused('false')).toMatch(/ended 5 times without an answer/)
    expect(await refused('sleep', '60')).toMatch(/not answered one of/)
  })
  it('one that prints what is no answer fails, and the line is quoted', async () => {
    const { status, card } = await scored('--suite', 'swizzle', '--random', '0', '--', 'cat')
    expect([status, card.score]).toEqual([1, 0])
    expect(card.rules[0]!.shown!.why).toMatch(/expected a JSON-RPC response on a line, found \{"jsonrpc"/)
  })
  it('one that ends now and then is started again, and fails there alone', async () => {
    const { status, card } = await scored(
      ...['--suite', 'swizzle', '--random', '0', '--window', '1', '--', 'python3', at('dying.py')],
    )
    expect(status).toBe(1)
    const fail = card.rules.reduce((n, r) => n + r.fail, 0)
    const pass = card.rules.reduce((n, r) => n + r.pass, 0)
    const skip = card.rules.reduce((n, r) => n + r.skip, 0)
    expect(fail).toBe(Math.floor((pass + fail + skip) / 60))
    expect(card.rules.find((r) => r.shown !== null)!.shown!.why).toMatch(
      /exit status 1; it said: out of luck/,
    )
  })
  /** Answers right, but for what is done at its `n`th question, counted from 0. */
  const but = (name: string, does: string, before = ''): ReadonlyArray<string> => {
    const text = fs
      .readFileSync(at('right.py'), 'utf8')
      .replace(
        'for line in sys.stdin:\n',
        `import os, time\n${before}\nn = -1\nfor line in sys.stdin:\n    n += 1\n`,
      )
      .replace(/^ {4}print\(json.dumps\(reply\).*$/m, does.replace(/^/gm, '    '))
    expect(text).toContain(does.split('\n')[0])
    fs.writeFileSync(at(name), text)
    return ['python3', at(name)]
  }
  const say = 'print(json.dumps(reply), flush=True)'
  const swizzles = async (
    command: ReadonlyArray<string>,
    ...flags: ReadonlyArray<string>
  ): Promise<{
    readonly status: number
    readonly fail: number
    readonly pass: number
    readonly whys: string
  }> => {
    const { status, card } = await scored(
      ...['--suite', 'swizzle', '--random', '0', ...flags, '--', ...command],
    )
    const sum = (of: (rule: Marked) => number): number => card.rules.reduce((n, r) => n + of(r), 0)
    return {
      status,
      fail: sum((r) => r.fail),
      pass: sum((r) => r.pass),
      whys: card.rules.map((r) => r.shown?.why ?? '').join('\n'),
    }
  }
  /** The reference behind wires: what it says of its question `n`, counted from 0, is what `does` makes of its right answer. */
  const wired = async (
    does: (n: number, reply: string) => ReadonlyArray<string>,
    window = 8,
    patience = 20_000,
  ): Promise<{ readonly fail: number; readonly pass: number; readonly whys: string }> => {
    const suite = await named('swizzle')
    let n = 0
    const backEnd = spoken(
      ({ line }) => ({
        say: (text) => {
          const { id, params } = JSON.parse(text) as { readonly id: number; readonly params: Json }
          const answer = suite.ask(params)
          const reply = {
            jsonrpc: '2.0',
            id,
            ...(E.isRight(answer) ? { result: answer.right } : { error: { code: 1 } }),
          }
          const lines = does(n++, JSON.stringify(reply))
          setImmediate(() => {
            lines.forEach(line)
          })
        },
        stop: () => Promise.resolve(),
      }),
      patience,
    )
    const rules = await examine(suite, backEnd, { ...asking, random: 0, window })
    const sum = (of: (rule: Marked) => number): number => rules.reduce((total, r) => total + of(r), 0)
    return {
      fail: sum((r) => r.fail),
      pass: sum((r) => r.pass),
      whys: rules.map((r) => r.shown?.why ?? '').join('\n'),
    }
  }
  it('what a back end says stands on one line of the card', async () => {
    const refusal = (id: number): string =>
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no\r\nscore 100 %\u2028ok' } })
    const { whys } = await wired((n, reply) => (n === 0 ? [refusal(0)] : [reply]))
    expect(whys).toContain('no score 100 % ok')
  })
  it.each([1, 8])(
    'law 2: a line that answers no question is one failed question, and the answers behind it count (window %d)',
    async (window) => {
      const all = (await wired((_, reply) => [reply], window)).pass
      const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
      for (const [line, says] of [
        ['loading tables ...', /found loading tables/],
        ['null', /found null/],
        ['5', /found 5/],
        ['"hello"', /found "hello"/],
        ['[{"jsonrpc": "2.0", "id": 22, "result": 1}]', /expected a JSON-RPC response/],
        ['{"id": 22, "result": 1}', /expected a JSON-RPC response/],
        ['{"jsonrpc": "2.0", "id": null, "error": {"code": -32700}}', /expected a JSON-RPC response/],
        ['{"jsonrpc": "2.0", "id": 22}', /expected a JSON-RPC response/],
        ['{"jsonrpc": "2.0", "id": 22, "result": 1, "error": {"code": 3}}', /found both/],
        ['{"jsonrpc": "2.0", "id": 100000, "result": 1}', /100000 was not asked/],
        ['{"jsonrpc": "2.0", "id": 0.5, "result": 1}', /0.5 was not asked/],
        ['{"jsonrpc": "2.0", "id": "22", "result": 1}', /expected a JSON-RPC response/],
        ['{"jsonrpc": "2.0", "id": 2, "result": 1}', /2 was answered already/],
        [`{"jsonrpc": "2.0", "id": 22, "result": ${deep}}`, /at most 512 levels/],
      ] as const) {
        const before = await wired((n, reply) => (n === 22 ? [line, reply] : [reply]), window)
        expect([line, before.fail, before.pass]).toEqual([line, 1, all - 1])
        expect(before.whys).toMatch(says)
        const behind = await wired((n, reply) => (n === 22 ? [reply, line] : [reply]), window)
        expect([line, behind.fail, behind.pass]).toEqual([line, 1, all - 1])
      }
    },
  )
  it('answers in another order are answers', async () => {
    let held: ReadonlyArray<string> = []
    const { fail } = await wired((n, reply) => {
      held = [reply, ...held]
      const said = held.length === 4 || n > 60 ? held : []
      if (said.length > 0) held = []
      return said
    })
    expect(fail).toBe(0)
  })
  it('errors of any form are refusals or faults', async () => {
    for (const error of ['5', '"no"', '[]', '{}', '{"code": {"a": 1}, "message": {"toString": 1}}']) {
      const { fail, pass } = await wired((_, reply) => [
        `{"jsonrpc": "2.0", "id": ${String((JSON.parse(reply) as { readonly id: number }).id)}, "error": ${error}}`,
      ])
      expect(fail).toBeGreaterThan(0)
      expect(pass === 0 || error.startsWith('{') || error === '[]').toBe(true)
    }
  })
  it('one that is silent from some question on is given up, and asked nothing more', async () => {
    for (const window of [1, 8]) {
      let asked = 0
      const { pass, whys } = await wired(
        (n, reply) => {
          asked = n
          return n < 20 ? [reply] : []
        },
        window,
        100,
      )
      expect([window, pass, asked < 20 + 16 + window]).toEqual([window, 20, true])
      expect(whys).toMatch(/it has not answered one of \d+ questions, and is not asked again|within 100 ms/)
    }
  })
  it('a banner, bytes that are no UTF-8, and what is said behind the last answer', async () => {
    const all = (await swizzles(but('quiet.py', say))).pass
    const bytes = String.raw`sys.stdout.buffer.write(b'{"jsonrpc": "2.0", "id": 22, "result": "\xff"}\n'); sys.stdout.flush()`
    const wrong = await swizzles(but('bytes.py', `if n == 22: ${bytes}\n${say}`))
    expect([wrong.status, wrong.fail, wrong.pass]).toEqual([1, 1, all - 1])
    expect(wrong.whys).toMatch(/no UTF-8/)
    const around = await swizzles(but('around.py', say, 'print("loading tables ...", flush=True)'))
    expect([around.fail, around.pass]).toEqual([1, all - 1])
  })
  it('one that hangs, closes a stream, or leaves another process behind ends soon', async () => {
    const soon = async (command: ReadonlyArray<string>, says: RegExp): Promise<void> => {
      const began = performance.now()
      const { status, whys } = await swizzles(command, '--timeout', '3000', '--window', '2')
      expect([status, performance.now() - began < 40_000]).toEqual([1, true])
      expect(whys).toMatch(says)
    }
    const then = (what: string): string => `${say}\nif n == 20:\n    ${what}`
    // most of it is waiting: they wait together
    await Promise.all([
      ...(nightly ? [soon(but('hangs.py', then('time.sleep(100)')), /within 3000 ms/)] : []),
      soon(but('deaf.py', then('os.close(0); time.sleep(100)')), /within 3000 ms|closed its standard input/),
      soon(but('dumb.py', then('os.close(1); time.sleep(100)')), /closed its standard output|within 3000 ms/),
      soon(
        ['sh', '-c', `sleep 100 & exec ${but('parent.py', then('os._exit(3)')).join(' ')}`],
        /exit status 3/,
      ),
    ])
  }, 120_000)
  it('words that are wrong: one line each', async () => {
    const said = async (...words: ReadonlyArray<string>): Promise<unknown> =>
      tcspec(commands, world)(['score', ...words])()
    expect(await said()).toMatchObject({ status: 2 })
    expect(await said('--suite', 'swizle', '--', 'cat')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/did you mean swizzle/) as unknown,
    })
    expect(await said('--window', '0', '--', 'cat')).toMatchObject({ status: 2 })
    expect(await said('--without-feature', 'magic', '--', 'cat')).toMatchObject({ status: 2 })
  })
})
