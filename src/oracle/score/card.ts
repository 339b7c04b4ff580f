/**
 * The score card: what became of every rule, as a document, as text and as JUnit XML.
 *
 * A score is the share of questions that passed among those that were answered or failed; what was skipped is counted beside it. A card is good if nothing
 * failed, and neither good nor bad if nothing was answered.
 */
import { create } from 'xmlbuilder'
import type { Palette } from '../../render/palette.js'
import { table, thousands, wrap } from '../../render/table.js'
import { isFloat } from '../../numerics/dtype.js'
import { own } from '../../own.js'
import { isObject } from '../../wire.js'
import type { Marked } from './examine.js'
import { dtypeNamed, patternText } from './pattern.js'

export const scoreSchema = 'tcspec.score/1'

export interface Card {
  /** words of the command */
  readonly backEnd: ReadonlyArray<string>
  /** of the specification */
  readonly version: string
  readonly seed: number
  readonly rules: ReadonlyArray<Marked>
}

// ---------------------------------------------------------------- destructors

const total = (card: Card, of: (rule: Marked) => number): number =>
  card.rules.reduce((sum, rule) => sum + of(rule), 0)
const passed = (card: Card): number => total(card, (r) => r.pass)
const failed = (card: Card): number => total(card, (r) => r.fail)
const skipped = (card: Card): number => total(card, (r) => r.skip)

/** Per cent, rounded down: 100 means all. null: nothing was answered. */
export const scoreOf = (card: Card): number | null => {
  const asked = passed(card) + failed(card)
  return asked === 0 ? null : Math.floor((passed(card) / asked) * 1000) / 10
}

/** Exit status 0, 1, or 3 where nothing was answered. */
export const isGood = (card: Card): boolean | null =>
  failed(card) > 0 ? false : passed(card) > 0 ? true : null

/** As JSON: `tcspec.score/1`. */
export const cardDocument = (card: Card): unknown => ({
  schema: scoreSchema,
  backEnd: card.backEnd,
  version: card.version,
  seed: card.seed,
  score: scoreOf(card),
  pass: passed(card),
  fail: failed(card),
  skip: skipped(card),
  rules: card.rules,
})

// ---------------------------------------------------------------- text

/** Characters of a question or an answer that people are shown: the document has it whole. */
const most = 300
const shown = (json: unknown): string => {
  const text = JSON.stringify(json)
  return text.length <= most ? text : `${text.slice(0, most)}... (${thousands(text.length)} characters)`
}

/** Elements of a tensor that people are shown. */
const mostShown = 16

/** Small tensors of a question, pattern by pattern. */
const patterns = (question: unknown): ReadonlyArray<string> =>
  isObject(question)
    ? Object.keys(question).flatMap((name) => {
        const tensor = own(question, name)
        const dtype = isObject(tensor) ? dtypeNamed(own(tensor, 'dtype')) : null
        const bits = isObject(tensor) ? own(tensor, 'bits') : null
        return dtype !== null && isFloat(dtype) && Array.isArray(bits) && bits.length <= mostShown
          ? [`${name}: ${dtype} ${bits.map((p) => patternText(dtype, Number(p))).join(', ')}`]
          : []
      })
    : []

const markOf = (rule: Marked): string => (rule.fail > 0 ? 'fail' : rule.pass > 0 ? 'pass' : 'skip')

const failure = (palette: Palette, rule: Marked): ReadonlyArray<string> =>
  rule.shown === null
    ? []
    : [
        '',
        palette.bold(`${rule.rule}: ${rule.says}`),
        `  source    ${rule.source} (@fidelity ${rule.fidelity})`,
        `  ask/${rule.suite} ${shown(rule.shown.question)}`,
        ...patterns(rule.shown.question).flatMap((tensor, k) =>
          wrap(tensor, palette.columns - 12).map(
            (line, i) => `  ${k === 0 && i === 0 ? 'that is ' : '        '}  ${line}`,
          ),
        ),
        `  expected  ${shown(rule.shown.expected)}`,
        ...wrap(rule.shown.why, palette.columns - 12).map(
          (line, i) => `  ${i === 0 ? 'found   ' : '        '}  ${line}`,
        ),
        ...(rule.shown.case === null ? [] : [`  case      ${rule.shown.case}`]),
      ]

export const cardText =
  (palette: Palette) =>
  (card: Card): string => {
    const score = scoreOf(card)
    return [
      ...table([
        ['rule', 'verdict', 'pass', 'fail', 'skip', 'fidelity'],
        ...card.rules.map((r) => [
          r.rule,
          markOf(r),
          thousands(r.pass),
          thousands(r.fail),
          thousands(r.skip),
          r.fidelity,
        ]),
      ])
        .split('\n')
        .map((line, i) => (i === 0 ? palette.dim(line) : line)),
      ...card.rules.flatMap((rule) => failure(palette, rule)),
      '',
      `${score === null ? 'no score: nothing was answered' : `score ${String(score)} %`}: ${thousands(passed(card))} passed, ${thousands(failed(card))} failed, ${thousands(skipped(card))} skipped`,
      '',
    ].join('\n')
  }

// ---------------------------------------------------------------- JUnit

/** XML has no words for most control characters. */
const plainText = (text: string): string => text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '?')

const why = (rule: Marked): string =>
  rule.shown === null
    ? `${String(rule.fail)} failed`
    : plainText(
        `${rule.shown.why}\nask/${rule.suite} ${JSON.stringify(rule.shown.question)}\nexpected ${JSON.stringify(rule.shown.expected)}`,
      )

const count = (rules: ReadonlyArray<Marked>, mark: string): number =>
  rules.filter((rule) => markOf(rule) === mark).length

/** A suite is a test suite, a rule a test case. */
export const cardXml = (card: Card): string => {
  const totals = (rules: ReadonlyArray<Marked>): Readonly<Record<string, number>> => ({
    tests: rules.length,
    failures: count(rules, 'fail'),
    skipped: count(rules, 'skip'),
    errors: 0,
  })
  const root = create('testsuites', { version: '1.0', encoding: 'UTF-8' }).att({
    name: plainText(`tcspec ${card.version}: ${card.backEnd.join(' ')}`),
    ...totals(card.rules),
  })
  for (const name of new Set(card.rules.map((r) => r.suite))) {
    const rules = card.rules.filter((r) => r.suite === name)
    const suite = root.ele('testsuite', { name, ...totals(rules) })
    for (const rule of rules) {
      const one = suite.ele('testcase', { classname: name, name: `${rule.rule}: ${rule.says}` })
      if (markOf(rule) === 'skip') one.ele('skipped')
      if (rule.fail > 0) one.ele('failure', { message: plainText(rule.shown?.why ?? '') }, why(rule))
    }
  }
  return root.end({ pretty: true })
}
