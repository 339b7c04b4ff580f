/** Texts of modules with something changed in them: refused at a place, or read as another module; nothing throws, and nothing goes on for ever. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { readModule, showModule } from '../../../src/dialects/ttgir/index.js'
import { quote, tokensOf, type Token } from '../../../src/dialects/ttgir/text/lexer.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { beyondFiles, beyondText, launched, out } from './beyond.js'
import { everyOperation, moduleFiles, moduleText } from './modules.js'

const spelled = (t: Token): string => (t.kind === 'string' ? quote(t.text) : t.text)
const startOf = (t: Token): number => t.end - spelled(t).length

interface Source {
  readonly text: string
  readonly tokens: ReadonlyArray<Token>
}
const sourceOf = (text: string): Source => ({ text, tokens: right(tokensOf(text)).slice(0, -1) })

const put = (text: string, from: number, to: number, instead: string): string =>
  text.slice(0, from) + instead + text.slice(to)

/** What is done to a text, each at a place that is drawn. */
const damages: Readonly<Record<string, (s: Source, die: Dice) => string>> = {
  'a token less': ({ text, tokens }, die) => {
    const t = die.pick(tokens)
    return put(text, startOf(t), t.end, '')
  },
  'a token twice': ({ text, tokens }, die) => {
    const t = die.pick(tokens)
    return put(text, t.end, t.end, ` ${spelled(t)}`)
  },
  'two tokens exchanged': ({ text, tokens }, die) => {
    const k = die.below(tokens.length - 1)
    const [a, b] = [tokens[k]!, tokens[k + 1]!]
    return put(text, startOf(a), b.end, `${spelled(b)} ${spelled(a)}`)
  },
  'a token of elsewhere': ({ text, tokens }, die) => {
    const t = die.pick(tokens)
    return put(text, startOf(t), t.end, spelled(die.pick(tokens)))
  },
  'another number': ({ text, tokens }, die) => {
    const t = die.pick(tokens.filter((x) => x.kind === 'number'))
    return put(
      text,
      startOf(t),
      t.end,
      die.pick(['0', '1', '7', '-3', '4294967296', '1.5', '0xFF', '99999999999999999999']),
    )
  },
  'another type': ({ text, tokens }, die) => {
    const t = die.pick(tokens.filter((x) => /^(x?[if]\d+|!.*|tensor)$/.test(x.text)))
    return put(
      text,
      startOf(t),
      t.end,
      die.pick(['i1', 'f16', 'i64', '!tt.ptr<f32>', 'tensor<4xi32>', 'index']),
    )
  },
  'a line less': ({ text }, die) => {
    const lines = text.split('\n')
    lines.splice(die.below(lines.length), 1)
    return lines.join('\n')
  },
  'a line twice': ({ text }, die) => {
    const lines = text.split('\n')
    const k = die.below(lines.length)
    lines.splice(k, 0, lines[k]!)
    return lines.join('\n')
  },
  'no end': ({ text }, die) => text.slice(0, die.below(text.length)),
  'a character': ({ text }, die) => {
    const at = die.below(text.length)
    return put(text, at, at + die.below(2), die.pick([...'%#!@^"\\{}()[]<>:,=-~\u0000\u00e9x0']))
  },
}

it('is refused at a line and a column, or is another module', { timeout: 3_600_000 }, () => {
  const sources = [everyOperation, ...moduleFiles.map(moduleText)]
    .filter((text) => nightly || text.length < 16_000)
    .map(sourceOf)
  const names = Object.keys(damages)
  const refused = new Map(names.map((name) => [name, 0]))
  const count = nightly ? 10_000 : 50
  for (let seed = 0; seed < count; seed++) {
    const die = dice(seed)
    const name = names[seed % names.length]!
    const text = damages[name]!(die.pick(sources), die)
    const read = readModule(text)
    if (E.isRight(read)) {
      const again = showModule(read.right)
      expect(showModule(right(readModule(again)))).toBe(again)
      continue
    }
    refused.set(name, refused.get(name)! + 1)
    const place = /^(\d+):(\d+): expected [^]+, found [^]+$/.exec(read.left.message)
    const lines = text.split('\n')
    const line = lines[Number(place?.[1]) - 1]
    expect(line, `${name}: ${read.left.message}`).toBeDefined()
    expect(Number(place?.[2])).toBeLessThanOrEqual(line!.length + 1)
    expect(read.left.message.length).toBeLessThan(1000)
    expect(read.left.message).not.toContain('\n')
  }
  if (nightly) console.log(Object.fromEntries(refused))
  for (const name of ['a token less', 'two tokens exchanged', 'another type', 'no end'])
    expect(refused.get(name), name).toBeGreaterThan(count / names.length / 3)
})

it('what is another module becomes a program, or is refused in words', { timeout: 3_600_000 }, () => {
  const die = dice(11)
  const names = beyondFiles.map((file) => file.replace('.ttgir', ''))
  const sources = names.map((name) => sourceOf(beyondText(name))).filter(({ text }) => text.length < 16_000)
  let elaborated = 0
  for (let k = 0; k < (nightly ? 4000 : 150); k++) {
    const damage = damages[die.pick(Object.keys(damages).filter((name) => name !== 'no end'))]!
    const module = readModule(damage(die.pick(sources), die))
    if (E.isLeft(module)) continue
    const main = module.right.operations.find((op) => op.name === 'tt.func')
    const args = (main?.regions[0]?.blocks[0]?.parameters ?? []).map(
      (p) => [p.name, p.type._tag === 'pointer' ? out('f32', [4096], 'inout') : 1] as const,
    )
    if (main === undefined) continue
    const { program } = launched(module.right, [1], Object.fromEntries(args))
    if (E.isLeft(program)) expect(program.left.message.length).toBeGreaterThan(0)
    elaborated += 1
  }
  expect(elaborated).toBeGreaterThan(10)
})
