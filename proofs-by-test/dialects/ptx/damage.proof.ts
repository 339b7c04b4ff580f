/** Modules with something changed in them: refused at a line and a column, or resolved as another module; nothing throws, and nothing goes on for ever. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import {
  flightsOf,
  parseModule,
  peeksOf,
  printModule,
  resolveModule,
  spinsOf,
} from '../../../src/dialects/ptx/index.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../extent.js'
import { everyForm, moduleText } from './modules.js'

const sources: ReadonlyArray<string> = [
  everyForm,
  moduleText('cuda/own_cpasync.ptx'),
  moduleText('cuda/capture_tma.ptx'),
  moduleText('triton/modules/mm_tma_ws_64x64x32_s4_w4_sm90.ptx.gz').split('.section')[0]!,
]

const token = /[\w$%.:]+|\S/g
const strange = [
  '0',
  '-1',
  '99999999999999999999999',
  '0x',
  '1e999',
  '%r',
  '%p99999999999',
  '{',
  '}',
  '[',
  ']',
  '(',
  ';',
  ',',
  '"',
  '/*',
  '//',
  '@',
  '.',
  '..',
  '::',
  '\u0000',
  'é',
  '.reg .b32 %r<999999999>;',
  '<999999999>',
  '.b32',
  '.pred',
  'bra',
  'wgmma',
  'ld.v4',
]

/** What is done to a text, each at a place that is drawn. */
const damages: ReadonlyArray<(text: string, die: Dice) => string> = [
  (text, die) => text.slice(0, die.below(text.length)),
  (text, die) => {
    const at = die.below(text.length)
    return text.slice(0, at) + String.fromCharCode(32 + die.below(95)) + text.slice(at + 1)
  },
  (text, die) => {
    const lines = text.split('\n')
    const at = die.below(lines.length)
    return [...lines.slice(0, at), ...lines.slice(at + 1)].join('\n')
  },
  (text, die) => {
    const lines = text.split('\n')
    const at = die.below(lines.length)
    return [...lines.slice(0, at + 1), ...lines.slice(at)].join('\n')
  },
  (text, die) => {
    const lines = text.split('\n')
    const [a, b] = [die.below(lines.length), die.below(lines.length)]
    return lines.map((line, k) => (k === a ? lines[b] : k === b ? lines[a] : line)).join('\n')
  },
  ...[0, 1, 2].map((kind) => (text: string, die: Dice) => {
    // only a window is cut into tokens: the text is long
    const from = die.below(Math.max(1, text.length - 400))
    const window = text.slice(from, from + 400)
    const tokens = [...window.matchAll(token)]
    if (tokens.length < 3) return text
    const one = die.pick(tokens)
    const at = from + one.index
    const instead = kind === 0 ? '' : kind === 1 ? die.pick(strange) : die.pick(tokens)[0]
    return text.slice(0, at) + instead + text.slice(at + one[0].length)
  }),
  (text, die) => {
    const at = text.indexOf('ret;') + 4 * die.below(2)
    return text.slice(0, at) + die.pick(['{', '(', '[', '@', '~', '-']).repeat(3000) + text.slice(at)
  },
]

it(`${nightly ? '10,000' : 'some'} damaged modules`, () => {
  const die = dice(20261123)
  let refused = 0
  const runs = nightly ? 10_000 : 90
  for (let k = 0; k < runs; k++) {
    const text = damages[k % damages.length]!(die.pick(sources), die)
    const parsed = parseModule(text)
    const resolved = E.chain(resolveModule)(parsed)
    const failures = E.isLeft(resolved) ? [resolved.left] : resolved.right.flatMap((r) => r.refused)
    for (const { code, message } of failures) {
      expect(code).toMatch(/^ptx\.(syntax|number|name|opcode|operand)$/)
      expect(message).toMatch(/^\d+:\d+: expected [^]+, found [^]+$/)
      expect(message.length).toBeLessThan(1000)
    }
    if (failures.length > 0) refused += 1
    else if (E.isRight(resolved))
      for (const { code } of resolved.right)
        expect(spinsOf(code).length + peeksOf(code).length + flightsOf(code).length).toBeGreaterThanOrEqual(0)
    // what is a module is one again when it is printed
    if (E.isRight(parsed) && k % 5 === 0) expect(E.isRight(parseModule(printModule(parsed.right)))).toBe(true)
  }
  expect(refused).toBeGreaterThan(runs / 3)
}, 600_000)
