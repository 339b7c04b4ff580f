/**
 * A sample of the mutants of a room, for the mutation score of a room that is too large to be mutated whole.
 *
 *     node tools/sample-mutants.mjs stryker.semantics.config.json 600 [SEED]
 *     npx stryker run reports/mutation/sample.config.json
 *
 * Every mutant that Stryker would make is listed; places are drawn, each as likely as any other, and a place is mutated in all its ways. Places
 * with others inside them are left out, since those would come along: blocks and bodies that are emptied, the easiest to find. The score
 * of n mutants has a standard error of about sqrt(p (1 - p) / n): 1.5% at 85% and 600.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { createInstrumenter } from '@stryker-mutator/instrumenter'

const [file, count = '600', seed = '1'] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write('usage: sample-mutants.mjs CONFIG [COUNT] [SEED]\n')
  process.exit(2)
}
const config = JSON.parse(readFileSync(file, 'utf8'))

const pattern = (glob) =>
  new RegExp(
    `^${glob
      .replace(/[.+^$()|]/g, '\\$&')
      .replace(/\{([^}]*)\}/g, (_, list) => `(?:${list.replaceAll(',', '|')})`)
      .replace(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'))}$`,
  )
const wanted = config.mutate.filter((p) => !p.startsWith('!')).map(pattern)
const unwanted = config.mutate.filter((p) => p.startsWith('!')).map((p) => pattern(p.slice(1)))
const files = readdirSync('src', { recursive: true })
  .map((name) => `src/${name}`)
  .filter((name) => wanted.some((p) => p.test(name)) && !unwanted.some((p) => p.test(name)))
  .sort()

const silent = { isDebugEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {} }
const injector = {
  provideValue: () => injector,
  injectClass: (Class) => new Class(silent),
}
const { mutants } = await createInstrumenter(injector).instrument(
  files.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true })),
  { plugins: null, ignorers: [], excludedMutations: config.mutator?.excludedMutations ?? [] },
)

/** Mulberry32. */
let state = Number(seed) >>> 0
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}
const placeOf = ({ fileName, location: { start, end } }) =>
  `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`
const before = (p, q) => p.line < q.line || (p.line === q.line && p.column <= q.column)
const within = (x, y) =>
  before(y.location.start, x.location.start) &&
  before(x.location.end, y.location.end) &&
  placeOf(x) !== placeOf(y)
const inFile = new Map(files.map((name) => [name, mutants.filter((m) => m.fileName === name)]))
const innermost = [
  ...new Set(
    mutants.filter((outer) => !inFile.get(outer.fileName).some((inner) => within(inner, outer))).map(placeOf),
  ),
]
const drawn = innermost
  .map((place) => ({ place, key: random() }))
  .sort((x, y) => x.key - y.key)
  .slice(0, Number(count))
  .map(({ place }) => place)

mkdirSync('reports/mutation', { recursive: true })
writeFileSync(
  'reports/mutation/sample.config.json',
  JSON.stringify(
    {
      ...config,
      mutate: drawn.sort(),
      incremental: false,
      jsonReporter: { fileName: 'reports/mutation/sample.json' },
    },
    null,
    2,
  ),
)
process.stdout.write(
  `${drawn.length} of ${innermost.length} innermost places, of ${mutants.length} mutants in ${files.length} files\n`,
)
