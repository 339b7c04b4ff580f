/** Cards by hand: sums, the score, what a reader sees of a rule, and the test report. */
import { describe, expect, it } from 'vitest'
import {
  cardDocument,
  cardText,
  cardXml,
  isGood,
  scoreOf,
  type Card,
} from '../../../src/oracle/score/card.js'
import type { Marked } from '../../../src/oracle/score/examine.js'
import { patternText } from '../../../src/oracle/score/pattern.js'
import { plain } from '../../../src/render/palette.js'

const rule = (
  id: string,
  pass: number,
  fail: number,
  skip: number,
  shown: Marked['shown'] = null,
): Marked => ({
  suite: id.split('.')[0]!,
  rule: id,
  says: `what ${id} says`,
  source: 'a page',
  fidelity: 'documented',
  pass,
  fail,
  skip,
  shown,
})
const cardOf = (...rules: ReadonlyArray<Marked>): Card => ({
  backEnd: ['python3', 'mine.py'],
  version: '1.2.3',
  seed: 7,
  rules,
})

describe('a score', () => {
  it.each<readonly [rules: ReadonlyArray<Marked>, score: number | null, good: boolean | null]>([
    [[], null, null],
    [[rule('a.x', 0, 0, 5)], null, null],
    [[rule('a.x', 3, 0, 5)], 100, true],
    [[rule('a.x', 0, 3, 0)], 0, false],
    [[rule('a.x', 1, 0, 0), rule('a.y', 0, 2, 9)], 33.3, false],
    // 1999 of 2000 is 99.95 %, and 100 would mean all
    [[rule('a.x', 1000, 0, 0), rule('b.x', 999, 1, 0)], 99.9, false],
  ])('case %#', (rules, score, good) => {
    expect([scoreOf(cardOf(...rules)), isGood(cardOf(...rules))]).toEqual([score, good])
  })
  it('stands in the document beside the sums of the rules', () => {
    const rules = [rule('a.x', 5, 1, 2), rule('b.y', 10, 2, 4)]
    expect(cardDocument(cardOf(...rules))).toEqual({
      schema: 'tcspec.score/1',
      backEnd: ['python3', 'mine.py'],
      version: '1.2.3',
      seed: 7,
      score: 83.3,
      pass: 15,
      fail: 3,
      skip: 6,
      rules,
    })
  })
})

describe('the text of a card', () => {
  const wrong = rule('b.y', 1, 2, 0, {
    question: {
      a: { dtype: 'f16', shape: [2], bits: [0x3c00, 0x8000] },
      n: { dtype: 'u32', shape: [1], bits: [7] },
      long: { dtype: 'f16', shape: [17], bits: Array.from({ length: 17 }, () => 0) },
      full: { dtype: 'bf16', shape: [16], bits: Array.from({ length: 16 }, () => 0x3f80) },
      k: 3,
    },
    expected: { answer: 1 },
    why: 'at $: expected 1, found 2',
    case: 'the third',
  })
  const text = cardText(plain)(cardOf(rule('a.x', 1234, 0, 0), rule('a.z', 0, 0, 3), wrong))
  const lines = text.split('\n')
  it('has a row for each rule, with its mark', () => {
    const cells = lines.slice(0, 4).map((line) => line.split(/ {2,}/))
    expect(cells[0]).toEqual(['rule', 'verdict', 'pass', 'fail', 'skip', 'fidelity'])
    expect(cells.slice(1).map((row) => row.slice(0, 2))).toEqual([
      ['a.x', 'pass'],
      ['a.z', 'skip'],
      ['b.y', 'fail'],
    ])
    expect(cells[1]![2]!.replace(/\D/g, '')).toBe('1234')
  })
  it('shows the question of what failed, small tensors of floats as values, and how it failed', () => {
    expect(lines.slice(4, 6)).toEqual(['', 'b.y: what b.y says'])
    expect(text).toContain('\n  source    a page (@fidelity documented)\n')
    expect(text).toContain('\n  that is   a: f16 0x3c00 (1), 0x8000 (-0)\n')
    // sixteen elements are shown, in lines under one another; seventeen are not, and no integers
    const values = text.slice(text.indexOf('full: bf16'), text.indexOf('  expected'))
    expect(values.match(/0x3f80 \(1\)/g)).toHaveLength(16)
    expect(
      values
        .trimEnd()
        .split('\n')
        .slice(1)
        .every((line) => line.startsWith(' '.repeat(12))),
    ).toBe(true)
    // no line is wider than the terminal, and each is as full as it can be
    const broken = values
      .trimEnd()
      .split('\n')
      .map((line) => line.trim())
    for (const [k, line] of broken.entries()) {
      expect(line.length + 12).toBeLessThanOrEqual(plain.columns)
      const next = broken[k + 1]?.split(' ')[0]
      if (next !== undefined) expect(line.length + 13 + next.length).toBeGreaterThan(plain.columns)
    }
    expect(text).not.toMatch(/that is {3}(n|long|k):/)
    expect(text.match(/that is/g)).toHaveLength(1)
    expect(text).toContain(
      '\n  expected  {"answer":1}\n  found     at $: expected 1, found 2\n  case      the third\n',
    )
  })
  it('ends with the score and the sums, or says that nothing was answered', () => {
    expect(text.endsWith(`\n\nscore 99.8 %: 1,235 passed, 2 failed, 3 skipped\n`)).toBe(true)
    // of a rule that shows nothing there is a row and no more
    expect(
      cardText(plain)(cardOf(rule('a.x', 1, 1, 0)))
        .split('\n')
        .slice(2),
    ).toEqual(['', 'score 50 %: 1 passed, 1 failed, 0 skipped', ''])
    expect(cardText(plain)(cardOf(rule('a.x', 0, 0, 1)))).toContain(
      '\n\nno score: nothing was answered: 0 passed, 0 failed, 1 skipped\n',
    )
  })
  it('cuts a question after 300 characters, and breaks what it says to the width of the terminal', () => {
    const of = (length: number): string =>
      cardText({ ...plain, columns: 40 })(
        cardOf(
          rule('b.y', 0, 1, 0, {
            question: 'q'.repeat(length - 2),
            expected: 1,
            why: 'one two three four five six seven',
            case: null,
          }),
        ),
      )
    expect(of(300)).toContain(`ask/b "${'q'.repeat(298)}"\n`)
    expect(of(301)).toContain(`ask/b "${'q'.repeat(299)}... (301 characters)\n`)
    // 28 characters are left beside the labels
    expect(of(9)).toContain('  found     one two three four five six\n            seven\n')
    expect(of(9)).not.toContain('  case')
  })
  it('draws the head alone as dim, and the rule that failed as bold', () => {
    const marked = cardText({ ...plain, dim: (t) => `<${t}>`, bold: (t) => `[${t}]` })(cardOf(wrong)).split(
      '\n',
    )
    expect(marked.filter((line) => line.startsWith('<'))).toEqual([marked[0]])
    expect(marked.filter((line) => line.startsWith('['))).toEqual(['[b.y: what b.y says]'])
  })
})

describe('the test report', () => {
  const failed = rule('b.y', 1, 2, 0, { question: 1, expected: 2, why: 'at $: \u0001', case: null })
  const xml = cardXml(cardOf(rule('a.x', 4, 0, 0), rule('a.z', 0, 0, 3), failed, rule('b.z', 0, 1, 0)))
  it('counts rules, those that failed and those that were skipped, in all and by suite', () => {
    const counts = [
      ...xml.matchAll(
        /<(testsuites?) name="([^"]*)" tests="(\d+)" failures="(\d+)" skipped="(\d+)" errors="0"/g,
      ),
    ]
    expect(counts.map((m) => m.slice(1))).toEqual([
      ['testsuites', 'tcspec 1.2.3: python3 mine.py', '4', '2', '1'],
      ['testsuite', 'a', '2', '0', '1'],
      ['testsuite', 'b', '2', '2', '0'],
    ])
  })
  it('says of each rule what became of it', () => {
    const cases = xml.split('<testcase ').slice(1)
    expect(
      cases.map((one) => [
        / name="([^:"]*):/.exec(one)![1],
        one.includes('<skipped/>'),
        one.includes('<failure '),
      ]),
    ).toEqual([
      ['a.x', false, false],
      ['a.z', true, false],
      ['b.y', false, true],
      ['b.z', false, true],
    ])
    // a character that XML has not is a question mark
    expect(cases[2]).toContain('<failure message="at $: ?">at $: ?\nask/b 1\nexpected 2</failure>')
    expect(cases[3]).toContain('<failure message="">1 failed</failure>')
  })
})

describe('a pattern', () => {
  it.each([
    ['i4', 7, '7'],
    ['i4', 8, '0x8 (-8)'],
    ['i8', 127, '127'],
    ['i8', 128, '0x80 (-128)'],
    ['i32', 0xffffffff, '0xffffffff (-1)'],
    ['u8', 255, '255'],
    ['f32', 0x3f800000, '0x3f800000 (1)'],
    ['f16', 0, '0x0000 (0)'],
    ['e2m1', 0xf, '0xf (-6)'],
  ] as const)('of %s, %d, reads %s', (dtype, pattern, text) => {
    expect(patternText(dtype, pattern)).toBe(text)
  })
})
