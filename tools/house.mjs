/**
 * What the house holds itself to, counted in its sources: how often a thing is said twice, or a case can be missed without a word.
 *
 *     node tools/house.mjs            the counts, and those above what is allowed: exit status 1 if there are any
 *     node tools/house.mjs --long     the places, too
 *     node tools/house.mjs --write    the table of bounds in CONTRIBUTING.md, written again
 *
 * | count                 | a place is                                                                                          |
 * | --------------------- | --------------------------------------------------------------------------------------------------- |
 * | missed cases          | a `switch` over the tags of a union that has a `default` other than `unreachable(x)`: of a new case tsc says nothing there |
 * | named instruction     | a file that names `tcgen05.mma`: one instruction of the core, which its family and the tables know |
 * | long modules          | a module of more than 1,000 lines: more than one concept, but for pages that are meant to be cited whole |
 * | asked for a language  | a place outside of `cli/written-in.ts` that compares the language of a kernel with one: a column says it  |
 * | rooms without a page  | a folder of more than 15 modules of which no README, its own or the one above, names most              |
 * | read names            | a regular expression, or the beginning of a text, that tells opcodes apart outside of their tables  |
 *
 * A count may fall, and then its bound here falls with it. That no verdict asks the words of a message is a rule of eslint's.
 *
 * The sources are parsed and not typed, which takes seconds: a switch is taken for one over a union if all of its cases are tags of it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import ts from 'typescript'

const long = process.argv.includes('--long')

const parsed = readdirSync('src', { recursive: true })
  .map((name) => `src/${name}`)
  .filter((name) => name.endsWith('.ts') && !/\/captured-[^/]*$/.test(name))
  .sort()
  .map((name) => ({
    name,
    source: ts.createSourceFile(name, readFileSync(name, 'utf8'), ts.ScriptTarget.ES2022, true),
  }))

const walk = (node, visit) => {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}
const lineOf = (source, node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1

// ---------------------------------------------------------------- tags

/** The tags of the unions that are declared in some files: `readonly _tag: 'move'`. */
const tagsIn = (isOfUnion) => {
  const tags = new Set()
  for (const { name, source } of parsed)
    if (isOfUnion(name))
      walk(source, (node) => {
        if (!ts.isPropertySignature(node) || node.name.getText() !== '_tag' || node.type === undefined) return
        const types = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type]
        for (const type of types)
          if (ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)) tags.add(type.literal.text)
      })
  return tags
}
/** The names of the core's instructions: the keys of their table. */
const rowsIn = (file) => {
  const names = new Set()
  for (const { name, source } of parsed)
    if (name === file)
      walk(source, (node) => {
        if (ts.isPropertyAssignment(node) && ts.isStringLiteral(node.name)) names.add(node.name.text)
      })
  return names
}
const unions = [
  [
    'Operation',
    tagsIn(
      (name) =>
        name === 'src/semantics/warps/program.ts' || name.startsWith('src/semantics/warps/operations/'),
    ),
  ],
  ['Prepared', tagsIn((name) => name === 'src/semantics/machine/operation.ts')],
  ['LogEvent', tagsIn((name) => name === 'src/semantics/log/events.ts')],
  ['Instruction', rowsIn('src/semantics/language/rows.ts')],
]

// ---------------------------------------------------------------- counts

/** A `default` that takes what no case names. What `unreachable` is given has to be nothing at all, so tsc names a case that comes to it. */
const isOpen = (clause) => {
  if (!ts.isDefaultClause(clause)) return false
  const [only, ...more] = clause.statements
  const call = only !== undefined && ts.isExpressionStatement(only) ? only.expression : null
  const closes = call !== null && ts.isCallExpression(call) && call.expression.getText() === 'unreachable'
  return !closes || more.length > 0
}
/** Switches over a union: all that there are, and those in which a case may be missing. */
const switches = (tags) => {
  const all = []
  for (const { name, source } of parsed)
    walk(source, (node) => {
      if (!ts.isSwitchStatement(node)) return
      const { clauses } = node.caseBlock
      const cases = clauses.filter(ts.isCaseClause).map(({ expression }) => expression)
      if (cases.length < 2 || !cases.every((e) => ts.isStringLiteral(e) && tags.has(e.text))) return
      all.push({ place: `${name}:${lineOf(source, node)}`, open: clauses.some(isOpen) })
    })
  return all
}

const instruction = 'tcgen05.mma'
const naming = () =>
  parsed.flatMap(({ name, source }) => {
    // the table of PTX has a row of it
    if (name.includes('/opcodes/')) return []
    let isNamed = false
    walk(source, (node) => {
      if (ts.isStringLiteralLike(node) && node.text === instruction) isNamed = true
    })
    return isNamed ? [name] : []
  })

/** The first parts of opcodes, of which a text that begins so is one. */
const opcodes =
  'add|sub|mul|mad|fma|min|max|and|or|xor|mov|cvt|cvta|setp|selp|ld|st|atom|red|cp|wgmma|tcgen05|mbarrier|bar|bra'
const beginsAsOpcode = new RegExp(String.raw`^\^(?:\(\?:|\()?(?:${opcodes})(?:\\\.|\||\\b)`)
const readNames = () =>
  parsed.flatMap(({ name, source }) => {
    if (!/^src\/(semantics|dialects\/ptx|oracle|render)\//.test(name) || name.includes('/opcodes/')) return []
    const places = []
    walk(source, (node) => {
      const isPattern =
        ts.isRegularExpressionLiteral(node) && beginsAsOpcode.test(node.text.replace(/^\//, ''))
      const isBeginning =
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        node.expression.name.text === 'startsWith' &&
        node.arguments.length === 1 &&
        ts.isStringLiteral(node.arguments[0]) &&
        beginsAsOpcode.test(`^${node.arguments[0].text.replaceAll('.', '\\.')}\\b`)
      if (isPattern || isBeginning) places.push(`${name}:${lineOf(source, node)}`)
    })
    return places
  })

/** Lines of a module; a table to be cited is one page however long. */
const longest = 1000
const longModules = () =>
  parsed.flatMap(({ name, source }) => {
    const { line } = source.getLineAndCharacterOfPosition(source.end)
    return line > longest ? [`${name}: ${String(line)} lines`] : []
  })

/** Where the command line asks for one language by a comparison, which is no table of all of them: calls of what does so, and comparisons. */
const comparisons = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
])
const isOfLanguage = (node) =>
  ts.isPropertyAccessExpression(node) &&
  node.name.text === 'name' &&
  ts.isCallExpression(node.expression) &&
  ['languageOf', 'languageOfFile', 'languageAsked'].includes(node.expression.expression.getText())
const askedForLanguage = () =>
  parsed.flatMap(({ name, source }) => {
    if (!name.startsWith('src/oracle/') || /\/(?:written-in|lane-twins)\.ts$/.test(name)) return []
    const places = []
    walk(source, (node) => {
      const isCompared =
        ts.isBinaryExpression(node) &&
        comparisons.has(node.operatorToken.kind) &&
        [node.left, node.right].some(isOfLanguage)
      const isCalled =
        ts.isCallExpression(node) &&
        ts.isIdentifier(node.expression) &&
        ['isModule', 'laneTwinOf'].includes(node.expression.text)
      if (isCompared || isCalled) places.push(`${name}:${lineOf(source, node)}`)
    })
    return places
  })

/** Folders with many modules that no page explains. */
const many = 15
const withoutPage = () => {
  const rooms = new Map()
  for (const { name } of parsed) {
    const [, room, module] = /^(.*)\/([^/]*)\.ts$/.exec(name)
    rooms.set(room, [...(rooms.get(room) ?? []), module])
  }
  const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  return [...rooms].flatMap(([room, modules]) => {
    if (modules.length <= many || existsSync(`${room}/README.md`)) return []
    const above = textOf(`${room.replace(/\/[^/]*$/, '')}/README.md`)
    const named = modules.filter((module) => above.includes(`${module}.ts`))
    return 2 * named.length > modules.length ? [] : [`${room}: ${String(modules.length)} modules`]
  })
}

// ---------------------------------------------------------------- bounds

const of = (union) => {
  const all = switches(new Map(unions).get(union))
  return [all.filter(({ open }) => open).map(({ place }) => place), all.length]
}
const counts = [
  ...[
    ['Operation', 3],
    ['Instruction', 3],
    ['Prepared', 1],
    ['LogEvent', 0],
  ].map(([union, bound]) => {
    const [places, all] = of(union)
    return { what: `missed cases of ${union}`, among: `, of ${all} switches`, places, bound, aim: 0 }
  }),
  // the family, its tables and the pages of kernels that use it
  { what: `files that name ${instruction}`, places: naming(), bound: 24, aim: 5 },
  { what: 'read names of opcodes', places: readNames(), bound: 10, aim: 0 },
  // a page to be cited stays whole
  { what: `modules of more than ${longest} lines`, places: longModules(), bound: 1, aim: 1 },
  { what: 'places that ask for a language', places: askedForLanguage(), bound: 4, aim: 0 },
  { what: 'rooms without a page', places: withoutPage(), bound: 0, aim: 0 },
]

// ---------------------------------------------------------------- the table

const page = 'CONTRIBUTING.md'
const [begin, end] = ['<!-- tools/house.mjs --write -->', '<!-- end -->']
const rows = counts.map(({ what, bound, aim }) => [what, String(bound), String(aim)])
const tableOf = (lines) => lines.map((cells) => `| ${cells.join(' | ')} |`)
const table = tableOf([['count', 'at most', 'aim'], ['---', '---', '---'], ...rows])
const text = readFileSync(page, 'utf8')
const [from, to] = [text.indexOf(begin), text.indexOf(end)]
const bare = (lines) =>
  lines
    .map((line) => line.replace(/\s+/g, ' ').replace(/-+/g, '-').trim())
    .filter((line) => line !== '')
    .join('\n')
const isWritten = from >= 0 && bare(text.slice(from + begin.length, to).split('\n')) === bare(table)
if (process.argv.includes('--write'))
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n\n${table.join('\n')}\n\n${text.slice(to)}`)

for (const { what, among = '', places, bound } of counts) {
  process.stdout.write(
    `${String(places.length).padStart(4)} of ${String(bound).padStart(3)} allowed  ${what}${among}\n`,
  )
  if (long || places.length > bound) for (const place of places) process.stdout.write(`       ${place}\n`)
}
if (!isWritten) process.stdout.write(`     the table in ${page} is another: node tools/house.mjs --write\n`)
process.exitCode = !isWritten || counts.some(({ places, bound }) => places.length > bound) ? 1 : 0
