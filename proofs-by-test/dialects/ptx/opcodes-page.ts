/**
 * docs/ptx-opcodes.md, made of the table of opcodes: each row, and how many of its spellings run. A spelling is the row with one word of one slot, and
 * counts where NVIDIA's assembler takes it (`conformance/cuda/words.json`).
 */
import { readFileSync } from 'node:fs'
import { describePtx, forms, parseModule, type Family, type Form } from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'
import { moduleOf, shortened, wordsOf, type Line } from './lines.js'

type Asked = ReadonlyArray<readonly [line: string, target: string, taken: boolean]>

export const keyOf = (line: string, target: string): string => `${line} ${target}`

/** What the assembler said of each line. */
export const asked: ReadonlyMap<string, boolean> = new Map(
  (
    JSON.parse(
      readFileSync(new URL('../../../conformance/cuda/words.json', import.meta.url), 'utf8'),
    ) as Asked
  ).map(([line, target, taken]) => [keyOf(line, target), taken]),
)

export const saidOf = ({ line, target }: Line): boolean | undefined =>
  asked.get(keyOf(shortened(line), target))

const opcodeIn = (line: string): string => line.split(' ')[0]!.replace(/;$/, '')

const known = new Map<string, string | null>()

/** Why a line does not run; null: it does. */
export const whyNot = (line: Line): string | null => {
  const key = keyOf(line.line, line.target)
  const before = known.get(key)
  if (before !== undefined) return before
  const why = reasonOf(line)
  known.set(key, why)
  return why
}

const reasonOf = ({ line, target }: Line): string | null => {
  const module = right(parseModule(moduleOf(line, target)))
  const [missing] = right(describePtx(module)).functions.flatMap((f) => f.unsupported)
  if (missing === undefined) return null
  return /expected (.*), found/.exec(missing.why ?? '')?.[1] ?? 'no row has it'
}

const escaped = (text: string): string => text.replaceAll('|', '\\|')

const rowText = (form: Form): string => {
  const taken = wordsOf(form).filter((l) => saidOf(l) === true)
  const refused = taken.flatMap((l) => (whyNot(l) === null ? [] : [l]))
  const [spelling, , does] = form.row.split(' | ')
  const stands =
    taken.length === 0
      ? 'not asked'
      : refused.length === 0
        ? 'runs'
        : refused.length === taken.length
          ? 'does not run'
          : `runs, but for ${[...new Set(refused.map((l) => `\`${opcodeIn(l.line)}\``))].join(', ')}`
  return `| \`${escaped(spelling?.trim() ?? '')}\` | ${escaped(does?.trim() ?? '')} | ${String(taken.length)} | ${stands} |`
}

export const opcodesPage = (): string => {
  const families = [...new Set(forms.map((f) => f.family))]
  const all = forms.flatMap(wordsOf).filter((l) => saidOf(l) === true)
  const lines = [...new Map(all.map((l) => [keyOf(l.line, l.target), l])).values()]
  const not = lines.filter((l) => whyNot(l) !== null)
  const section = (family: Family): ReadonlyArray<string> => [
    `## ${family.charAt(0).toUpperCase()}${family.slice(1)}`,
    '',
    '| row | what it does | spellings | here |',
    '| --- | --- | --- | --- |',
    ...forms.filter((f) => f.family === family).map(rowText),
    '',
  ]
  return [
    '# Opcodes of PTX',
    '',
    'Every row of the table that reads PTX (`src/dialects/ptx/opcodes`): the opcode with its modifiers in their order, `slot=a|b` for one of several words,',
    '`?` for what may be left out, `$x` for a set of words. A spelling is the row with one word of one slot; ptxas 13.0 takes',
    `${String(lines.length)} of them, and ${String(lines.length - not.length)} of those run. An opcode that does not run is refused at its line before anything runs, and \`tcspec ptx X.ptx\` lists it. An opcode that is in`,
    'no row (textures and surfaces) is refused the same way.',
    '',
    ...families.flatMap(section),
  ].join('\n')
}
