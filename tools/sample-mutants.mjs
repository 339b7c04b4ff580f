/**
 * A sample of the mutants of a room, for the mutation score of a room that is too large to be mutated whole.
 *
 *     node tools/sample-mutants.mjs stryker.semantics.config.json 400 [SEED]
 *     npx stryker run reports/mutation/sample.config.json
 *
 * Every mutant that Stryker would make is listed, and so many are drawn, each as likely as any other. What Stryker makes besides at the same
 * places is turned away by a checker (`sample-checker.mjs`), so the score that it prints is that of the sample. The score of n mutants that
 * compile has a standard error of about sqrt(p (1 - p) / n): 2% at 85% and 300.
 *
 * The proofs of the room itself come first, since they are quick. What survives them is held against the proofs of everything that uses the room:
 *
 *     node tools/sample-mutants.mjs stryker.semantics.config.json --survivors vitest.mutation.users.config.ts
 *     npx stryker run reports/mutation/sample.config.json
 *
 * `--of` draws from one folder of the room alone, and may be given more than once; `--by` names other proofs to judge the sample:
 *
 *     node tools/sample-mutants.mjs stryker.semantics.config.json 60 7 --of src/semantics/warps --by vitest.mutation.threads.config.ts
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createInstrumenter } from '@stryker-mutator/instrumenter'

const {
  positionals: [file, count = '600', seed = '1'],
  values: { survivors: users, of: folders = ['src'], by },
} = parseArgs({
  allowPositionals: true,
  options: {
    survivors: { type: 'string' },
    of: { type: 'string', multiple: true },
    by: { type: 'string' },
  },
})
if (file === undefined) {
  process.stderr.write(
    'usage: sample-mutants.mjs CONFIG [COUNT] [SEED] [--of FOLDER ...] [--by PROOFS], or CONFIG --survivors PROOFS\n',
  )
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
  .filter((name) => folders.some((folder) => name.startsWith(`${folder}/`)))
  .sort()

const silent = { isDebugEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {} }
const injector = {
  provideValue: () => injector,
  injectClass: (Class) => new Class(silent),
}
const { mutants: made } = await createInstrumenter(injector).instrument(
  files.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true })),
  { plugins: null, ignorers: [], excludedMutations: config.mutator?.excludedMutations ?? [] },
)

const mutants = made.filter((m) => m.status !== 'Ignored')

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
const report = 'reports/mutation/sample-report.json'
const survivors = () => {
  const left = new Set(
    Object.entries(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(([fileName, { mutants: of }]) =>
      of
        .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
        .map(({ location: { start, end }, mutatorName, replacement }) =>
          String([
            `${fileName}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`,
            mutatorName,
            replacement,
          ]),
        ),
    ),
  )
  return mutants.filter((m) => left.has(String([placeOf(m), m.mutatorName, m.replacement])))
}
const sample = () =>
  mutants
    .map((mutant) => ({ mutant, key: random() }))
    .sort((x, y) => x.key - y.key)
    .slice(0, Number(count))
    .map(({ mutant }) => mutant)
const again = users !== undefined
const drawn = again ? survivors() : sample()
const proofs = again ? users : by

mkdirSync('reports/mutation', { recursive: true })
writeFileSync(
  'reports/mutation/sample.json',
  JSON.stringify(drawn.map((m) => [placeOf(m), m.mutatorName, m.replacement])),
)
writeFileSync(
  'reports/mutation/sample.config.json',
  JSON.stringify(
    {
      ...config,
      mutate: [...new Set(drawn.map(placeOf))].sort(),
      plugins: ['@stryker-mutator/*', './tools/sample-checker.mjs'],
      checkers: ['sample', ...config.checkers],
      incremental: false,
      ...(proofs === undefined ? {} : { vitest: { configFile: proofs } }),
      jsonReporter: { fileName: again ? 'reports/mutation/survivors-report.json' : report },
    },
    null,
    2,
  ),
)
process.stdout.write(`${drawn.length} of ${mutants.length} mutants in ${files.length} files\n`)
