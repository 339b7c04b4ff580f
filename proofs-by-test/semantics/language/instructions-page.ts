/**
 * docs/instructions.md, made of the rows: the words of each field, the results, the architecture that validation asks for, what each
 * instruction does and what stands in its fields, and the source that the module of the instruction names.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Program } from '../../../src/semantics/language/program.js'
import { fieldMeanings, meanings, particular, rows } from '../../../src/semantics/language/rows.js'
import { isInstructionName, signatureOf, type ResultRule } from '../../../src/semantics/language/signature.js'
import { noNames } from '../../../src/semantics/language/typecheck/environment.js'
import { rule } from '../../../src/semantics/language/validate/instructions.js'
import { i32, tile, view } from '../../../src/semantics/language/types.js'
import { ofStrides } from '../../../src/transforms/ref.js'
import { right } from '../../either.js'

const semantics = new URL('../../../src/semantics/', import.meta.url).pathname
const text = (path: string): string => readFileSync(`${semantics}${path}`, 'utf8')

// ---------------------------------------------------------------- what stands beside the rows

interface Family {
  readonly title: string
  readonly names: ReadonlyArray<string>
}
const page = text('language/rows.ts').split('export const rows = {')[1]!.split('\n} as const')[0]!
/** The sections of the module that say instructions, in its order. */
const families: ReadonlyArray<Family> = page
  .split(/^ {2}\/\/ -{10,} /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    names: [...section.matchAll(/^ {2}'?([\w.]+)'?: \{/gm)].map(([, name]) => name!),
  }))
const remarks: ReadonlyMap<string, string> = new Map(Object.entries(meanings))
const fields: ReadonlyMap<string, string> = new Map(Object.entries(fieldMeanings))

// ---------------------------------------------------------------- architecture

const descriptor = { _tag: 'descriptor', dtype: 'f16', rank: 2 } as const
const operand = {
  type: (field: string) => (field === 'descriptor' ? descriptor : undefined),
  view: () => view('smem', 'f16', right(ofStrides([8, 8], 16, [8, 1]))),
  tile: () => tile([4], i32, 'any'),
  expr: () => ({ _tag: 'name', name: 'x' }),
}
const architectures: ReadonlyArray<Program['arch']> = ['sm90a', 'sm100a']
const exists = (name: string, arch: Program['arch']): boolean => {
  const here = {
    scene: { program: { arch, launch: { cluster: [1] } }, declarations: {} },
    names: noNames,
    runners: [],
  }
  const instruction: Record<string, unknown> = { _tag: name }
  if (isInstructionName(name))
    for (const [attribute, field] of Object.entries(signatureOf(name).fields))
      instruction[attribute] = field._tag === 'enum' ? field.of[0] : field._tag === 'nat' ? 1 : []
  return rule(here as never, instruction as never, operand as never)?.code !== 'arch'
}

// ---------------------------------------------------------------- sources

const prepare = text('core/prepare.ts')
const modules = new Map(
  [...prepare.matchAll(/import \* as (\w+) from '\.\.\/instructions\/([\w/-]+)\.js'/g)].map(
    ([, as, path]) => [as!, path!],
  ),
)
const whereOf = (name: string): string | undefined => {
  const [, as, prepares] =
    new RegExp(`case '${name}':\\n(?:    case '[\\w.]+':\\n)*      return (\\w+)\\.(\\w+)\\(`).exec(
      prepare,
    ) ?? []
  const path = modules.get(as ?? '')
  if (path?.endsWith('/index') !== true) return path === undefined ? undefined : `${path}.ts`
  const room = path.slice(0, -'index'.length)
  return readdirSync(`${semantics}instructions/${room}`)
    .map((file) => `${room}${file}`)
    .find((file) => text(`instructions/${file}`).includes(`export const ${prepares!} =`))
}
const sourceOf = (path: string): string =>
  /\* Source: ((?:(?!\*\/)[\s\S])*?)\s*(?:\n \*\n|\*\/)/
    .exec(text(`instructions/${path}`))?.[1]
    ?.replace(/\n \* /g, ' ') ?? '-'

// ---------------------------------------------------------------- the page

const given = (result: ResultRule<PropertyKey>): string => {
  switch (result._tag) {
    case 'scalar':
      return `\`${result.dtype}\``
    case 'contents':
      return `tile of \`${String(result.of)}\``
    case 'pointees':
      return `tile of what \`${String(result.of)}\` points to`
    default:
      return result._tag
  }
}
const inTable = (words: string): string => words.replaceAll('|', '\\|')
const all = new Map<string, Readonly<Record<string, string>>>(Object.entries(rows))

const line = (name: string): string => {
  const fields = Object.entries(all.get(name)!).map(([field, words]) => `\`${field}: ${inTable(words)}\``)
  const results = isInstructionName(name) ? signatureOf(name).results.map(given) : []
  const archs = architectures.filter((arch) => exists(name, arch))
  return `| \`${name}\` | ${fields.join('<br>')} | ${results.join(', ')} | ${archs.length === architectures.length ? '' : archs.join(', ')} |`
}
const section = ({ title, names }: Family): ReadonlyArray<string> => {
  const places = [...new Set(names.flatMap((name) => whereOf(name) ?? []))]
  return [
    `## ${title}`,
    '',
    '| instruction | fields | gives | only on |',
    '|---|---|---|---|',
    ...names.map(line),
    '',
    ...names.map((name) => `- \`${name}\`: ${remarks.get(name)!}`),
    '',
    ...places.map((path) => `- [${path}](../src/semantics/instructions/${path}): ${sourceOf(path)}`),
    ...(places.length > 0 ? [''] : []),
  ]
}

const meaningOfFields: ReadonlyArray<string> = [
  '## Fields',
  '',
  '| field | what stands there |',
  '|---|---|',
  ...[...fields]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, said]) => {
      const elsewhere = Object.entries(particular).flatMap(([name, own]) =>
        Object.entries(own).flatMap(([of, other]) => (of === field ? [`; \`${name}\`: ${other}`] : [])),
      )
      return `| \`${field}\` | ${[said, ...elsewhere].join('')} |`
    }),
]

export const instructionsOnPage: ReadonlyArray<string> = families.flatMap(({ names }) => names)
export const instructionsPage = (): string =>
  [
    '# Instructions',
    '',
    `The ${String(all.size)} instructions of the core, made of [rows.ts](../src/semantics/language/rows.ts), which says what the words of a field mean. A field whose name ends in \`?\``,
    'may be left out. Under each table: what its instructions do, then the modules that do it, each with its source. The [fields](#fields) are described below.',
    '',
    ...families.flatMap(section),
    ...meaningOfFields,
  ]
    .join('\n')
    .trimEnd() + '\n'
