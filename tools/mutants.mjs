/**
 * Mutants of the library, held against its proofs: one wrong change of a source at a time, and which proof fails.
 *
 *     node tools/mutants.mjs semantics/warps                   300 of a room, drawn at random
 *     node tools/mutants.mjs semantics/warps --count 40 --seed 7
 *     node tools/mutants.mjs semantics/warps --survivors       those that survived last time, against the proofs of everything that uses the room
 *     node tools/mutants.mjs layouts transforms --whole        all of them: rooms with quick proofs
 *     node tools/mutants.mjs --all                             a sample of every room: a night, and more than one for all
 *
 * `settings/mutants/rooms.json` names the rooms: the sources of each, and the proofs that judge them, which are those of the room and what else is
 * quick and comes through it. A room that is too large to be mutated whole is drawn from, each mutant as likely as any other. What Stryker makes
 * besides at the same places is turned away by a checker (`sample-checker.mjs`). The score of n mutants that compile has a standard error of
 * about sqrt(p (1 - p) / n): 2 % at 85 % and 300.
 *
 * Of each room are left in `reports/mutation`: `ROOM.json`, Stryker's report, and `ROOM.survivors.txt`, what no proof noticed, as a line of the
 * source and what stood there instead. Exit status: 1 if a room that is mutated whole has a score below 85, or Stryker failed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createInstrumenter } from '@stryker-mutator/instrumenter'
import { unpack } from './captures.mjs'

const rooms = JSON.parse(readFileSync('settings/mutants/rooms.json', 'utf8'))
const usage = `usage: node tools/mutants.mjs ROOM ... | --all   [--count 300] [--seed 1] [--concurrency 1] [--survivors | --whole]

rooms: ${Object.keys(rooms).join(' ')}
`
const refuse = (line) => {
  process.stderr.write(`${line}\n${usage}`)
  process.exit(2)
}

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        whole: { type: 'boolean', default: false },
        survivors: { type: 'boolean', default: false },
        count: { type: 'string', default: '300' },
        seed: { type: 'string', default: '1' },
        concurrency: { type: 'string', default: '1' },
      },
    })
  } catch (error) {
    return refuse(error.message)
  }
}
const { positionals, values } = read()
// the proofs read what was captured, in a copy of this folder
unpack()
const asked = values.all ? Object.keys(rooms) : positionals
if (asked.length === 0) refuse('no room is named')
for (const room of asked) if (!Object.hasOwn(rooms, room)) refuse(`there is no room '${room}'`)
const number = (name) => {
  const n = Number(values[name])
  return Number.isSafeInteger(n) && n > 0
    ? n
    : refuse(`--${name} is a whole number above 0, not '${values[name]}'`)
}
const count = number('count')
const seed = number('seed')
const concurrency = number('concurrency')

// texts are left alone: what a message says is no meaning
const excludedMutations = ['StringLiteral']
const folder = 'reports/mutation'
const fileOf = (room, ending) => `${folder}/${room.replaceAll('/', '-')}.${ending}`

/** The sources of a room: what lies in one of its folders, `{a,b}` standing for either, without the doors, which only name what others say. */
const sourcesOf = ({ source }) => {
  const folders = source.flatMap((path) => {
    const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? []
    return names === undefined ? [path] : names.split(',').map((name) => `${before}${name}${after}`)
  })
  return folders
    .flatMap((path) => readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('/index.ts'))
    .sort()
}

/** Mulberry32. */
const randomOf = (from) => {
  let state = from >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const silent = { isDebugEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {} }
const injector = {
  provideValue: () => injector,
  injectClass: (Class) => new Class(silent),
}
/** Every mutant that Stryker would make of some files. */
const mutantsOf = async (files) => {
  const { mutants } = await createInstrumenter(injector).instrument(
    files.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true })),
    { plugins: null, ignorers: [], excludedMutations },
  )
  return mutants.filter(({ status }) => status !== 'Ignored')
}

const placeOf = ({ fileName, location: { start, end } }) =>
  `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`
const keyOf = (m) => String([placeOf(m), m.mutatorName, m.replacement])

/** The mutants of a report, with the names that the instrumenter gives to places. */
const reported = (file) =>
  Object.entries(JSON.parse(readFileSync(file, 'utf8')).files).flatMap(([fileName, { mutants }]) =>
    mutants.map(({ status, mutatorName, replacement, location: { start, end } }) => ({
      status,
      fileName,
      mutatorName,
      replacement,
      location: {
        start: { line: start.line - 1, column: start.column - 1 },
        end: { line: end.line - 1, column: end.column - 1 },
      },
    })),
  )
const survived = ({ status }) => status === 'Survived' || status === 'NoCoverage'
const killed = ({ status }) => status === 'Killed' || status === 'Timeout'

const drawnOf = async (room, mutants) => {
  if (!values.survivors) {
    const random = randomOf(seed)
    return mutants
      .map((mutant) => ({ mutant, key: random() }))
      .sort((x, y) => x.key - y.key)
      .slice(0, count)
      .map(({ mutant }) => mutant)
  }
  const file = fileOf(room, 'json')
  if (!existsSync(file)) return refuse(`${file} is not there: draw a sample of '${room}' first`)
  const left = new Set(reported(file).filter(survived).map(keyOf))
  return mutants.filter((m) => left.has(keyOf(m)))
}

const lineOf = (m) => {
  const { start, end } = m.location
  const lines = readFileSync(m.fileName, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1)
  const was = lines
    .map((line, i) =>
      line.slice(i === 0 ? start.column : 0, i === lines.length - 1 ? end.column : undefined).trim(),
    )
    .join(' ')
  const short = (text) => (text.length > 160 ? `${text.slice(0, 157)}...` : text)
  return `${m.fileName}:${start.line + 1}  ${m.status === 'NoCoverage' ? '(no proof comes here) ' : ''}${short(was)}  ->  ${short((m.replacement ?? '').replaceAll(/\s+/g, ' '))}`
}

/** One room: its mutants are drawn and judged, and a row says how many were killed. */
const judge = async (room) => {
  const files = sourcesOf(rooms[room])
  const mutants = values.whole ? [] : await mutantsOf(files)
  const drawn = values.whole ? [] : await drawnOf(room, mutants)
  const report = fileOf(room, values.survivors ? 'users.json' : 'json')
  const tsconfigFile = fileOf(room, 'tsconfig.json')
  const config = fileOf(room, 'config.json')
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/sample.json`, JSON.stringify(drawn.map(keyOf)))
  // what a room imports is read with it, so its own files are enough
  writeFileSync(
    tsconfigFile,
    JSON.stringify({ extends: '../../tsconfig.json', include: files.map((name) => `../../${name}`) }),
  )
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: 'vitest',
      vitest: { configFile: 'settings/mutants/vitest.config.ts' },
      plugins: ['@stryker-mutator/*', ...(values.whole ? [] : ['./tools/sample-checker.mjs'])],
      checkers: [...(values.whole ? [] : ['sample']), 'typescript'],
      tsconfigFile,
      typescriptChecker: { prioritizePerformanceOverAccuracy: true },
      coverageAnalysis: 'perTest',
      mutate: values.whole ? files : [...new Set(drawn.map(placeOf))].sort(),
      mutator: { excludedMutations },
      concurrency,
      dryRunTimeoutMinutes: 60,
      timeoutMS: 20000,
      timeoutFactor: 2,
      incremental: values.whole,
      incrementalFile: fileOf(room, 'incremental.json'),
      tempDirName: '.stryker-tmp',
      ignorePatterns: ['dist', 'bundle', 'reports', 'bench'],
      reporters: ['progress-append-only', 'json'],
      jsonReporter: { fileName: report },
      thresholds: { high: 95, low: 85, break: values.whole ? 85 : null },
      ignoreStatic: true,
    }),
  )
  process.stdout.write(
    values.whole
      ? `${room}: all mutants of ${files.length} files\n`
      : `${room}: ${drawn.length} of ${mutants.length} mutants in ${files.length} files\n`,
  )
  const env = { ...process.env, TCSPEC_ROOM: room, ...(values.survivors ? { TCSPEC_USERS: '1' } : {}) }
  const { status } = spawnSync('npx', ['stryker', 'run', config], { stdio: 'inherit', env })
  if (!existsSync(report)) return false
  const judged = reported(report).filter((m) => survived(m) || killed(m))
  const dead = judged.filter(killed).length
  const share = dead / Math.max(judged.length, 1)
  const left = judged.filter(survived)
  writeFileSync(fileOf(room, 'survivors.txt'), left.map((m) => `${lineOf(m)}\n`).join(''))
  process.stdout.write(
    `${room}: ${judged.length} compile, ${dead} killed, ${(100 * share).toFixed(1)} % (standard error ${(100 * Math.sqrt((share * (1 - share)) / Math.max(judged.length, 1))).toFixed(1)}); ${fileOf(room, 'survivors.txt')}\n`,
  )
  return status === 0
}

let whole = true
for (const room of asked) whole = (await judge(room)) && whole
process.exitCode = whole ? 0 : 1
