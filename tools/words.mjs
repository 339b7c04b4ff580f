// Messages are in plain English: an agent, an event, a generation is named and is no somebody, a sentence begins with what acts, and the words are those of the field.
// `npm run check` calls this. It reads every line of `src` for words that name nobody, the texts (string literals) of the rooms below for the rest (verdicts, findings, help, errors), and
// the prose of the pages, those next to the captures among them.
import console from 'node:console'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import ts from 'typescript'

const people = /\b(whoever|somebody|nobody)\b/i

/** Rooms whose texts are read by people who run a command. */
const rooms = [
  'src/kernels/broken/zoo',
  'src/oracle/cli',
  'src/oracle/tensor-files',
  'src/render',
  'src/semantics/instructions',
  'src/semantics/judging',
  'src/semantics/language/typecheck',
  'src/semantics/machine',
  'src/semantics/mending',
  'src/semantics/verdict',
  'src/semantics/warps',
]

/** Rooms of descriptions: of members of documents, rows of tables, clauses. There a text may be a phrase that goes on after its name, so its first word is its own. */
const described = [
  'src/dialects',
  'src/kernels/catalogue',
  'src/layouts',
  'src/oracle/documents/',
  'src/oracle/documents.ts',
  'src/oracle/host',
  'src/oracle/launch',
  'src/oracle/serve',
  'src/oracle/sweep',
  'src/semantics/files',
  'src/semantics/model',
]

/** Tags of types, which no message has. */
const tags = new Set(['of inputs', 'of one operation'])

const opening = [/^(Of|What|Who|Whoever|So is)\s/i, 'begins with a word that names nothing']
const words = [
  [/\bbeside\b/i, 'beside: next to, with'],
  [/\bstands? for\b/i, 'stands for: covers, means'],
  [/\bis held to\b/i, 'is held to: must'],
  [/\bthe night\b/i, 'the night: nightly'],
  [/\btwins?\b/i, 'twin: the mended kernel'],
  [/\b(is|are) told\b/i, 'is told: learns, reads'],
  [/\bbehind\b/i, 'behind: after'],
]

/** Right where they stand: a place in a text or in memory is behind another, and a text that joins one before it begins as it does. */
const allowed = new Set([
  'src/semantics/judging/provenance/epilogue.ts|of …',
  'src/semantics/judging/detector/readings.ts|behind …',
  'src/semantics/warps/step.ts|what the instruction does',
  'src/semantics/warps/word-terms.ts|behind what was decided',
  'src/semantics/warps/word-terms.ts|of another lane',
  'src/semantics/warps/word-terms.ts|of the warp …',
  'src/oracle/cli/examples.ts|behind `>> ~/.bashrc`; of zsh and fish into a folder of theirs',
  'src/oracle/tensor-files/zip.ts|an entry at byte … that ends beyond it',
  'src/render/hazards/essay.ts',
])

/** Words that a sentence of a help text may have. */
const longest = 25

const filesIn = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path]

const isText = (node) =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)

const textOf = (node) =>
  ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('')
    : node.text

const textsIn = (file) => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const texts = []
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return
    if (isText(node) && textOf(node).includes(' '))
      texts.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, text: textOf(node) })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts
}

/** Sentences, whose examples in backquotes count as a word. */
const longSentence = (text) =>
  text
    .replace(/`[^`]*`/g, 'x')
    .split(/[.;:]\s/)
    .find((sentence) => sentence.trim().split(/\s+/).length > longest)

const isAllowed = (file, text) => tags.has(text) || allowed.has(file) || allowed.has(`${file}|${text}`)

const isIn = (all, file) => all.some((room) => file === room || file.startsWith(`${room}/`))
const rulesOf = (file) => (isIn(rooms, file) ? [opening, ...words] : words)

const complaints = (file) =>
  textsIn(file)
    .filter(({ text }) => !isAllowed(file, text))
    .flatMap(({ line, text }) => [
      ...rulesOf(file)
        .filter(([pattern]) => pattern.test(text))
        .map(([, why]) => `${file}:${line}: ${why}: ${text}`),
      ...(file.startsWith('src/oracle/cli/flags/') && longSentence(text) !== undefined
        ? [`${file}:${line}: a sentence of more than ${longest} words: ${text}`]
        : []),
    ])

// ---------------------------------------------------------------- pages

/** The pages of a folder that holds captures, which may be unpacked there by the thousand. */
const readmes = (path) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? readmes(join(path, entry.name))
      : entry.name.endsWith('.md')
        ? [join(path, entry.name)]
        : [],
  )

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'python/README.md',
  'site/README.md',
  ...filesIn('docs'),
  ...readmes('conformance'),
].filter((file) => file.endsWith('.md'))

/** The prose of a page, line for line: what is quoted is the word of another. */
const proseOf = (text) =>
  text
    .replace(/```[^]*?```|<!--[^]*?-->/g, (quoted) => quoted.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, 'x')
    .split('\n')

/** Where a sentence, a cell or an item of a list begins. */
const sentences = (line) =>
  line.split(/(?<=[.!?:])\s+|\|/).map((sentence) => sentence.replace(/^[\s#>*_-]+/, '').trimEnd())

const ofPage = (file) => {
  const prose = proseOf(readFileSync(file, 'utf8'))
  const begins = (i) =>
    i === 0 || prose[i - 1] === '' || /^[#>|*-]/.test(prose[i]) || /[.!?:]$/.test(prose[i - 1])
  return prose.flatMap((line, i) => [
    ...(people.test(line) ? [`${file}:${i + 1}: names nobody: ${line.trim()}`] : []),
    ...words
      .filter(([pattern]) => pattern.test(line))
      .map(([, why]) => `${file}:${i + 1}: ${why}: ${line.trim()}`),
    ...sentences(line)
      .slice(begins(i) ? 0 : 1)
      // a clause in a cell goes on after the name in the cell before it, and begins small
      .filter((sentence) => opening[0].test(sentence) && /^[A-Z]/.test(sentence) && !sentence.endsWith('?'))
      .map((sentence) => `${file}:${i + 1}: ${opening[1]}: ${sentence}`),
  ])
}

const sources = filesIn('src')
const found = [
  ...sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, i) => (people.test(line) ? [`${file}:${i + 1}: names nobody: ${line.trim()}`] : [])),
  ),
  ...pages.flatMap(ofPage),
  ...sources
    .filter((file) => file.endsWith('.ts') && (isIn(rooms, file) || isIn(described, file)))
    .flatMap(complaints),
]
for (const line of found) console.error(line)
if (found.length > 0) {
  console.error(
    `${found.length} texts are not in plain English: name what acts, and use the words of the field`,
  )
  process.exit(1)
}
