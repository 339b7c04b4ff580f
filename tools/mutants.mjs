/**
 * Mutants of the library, held against its proofs: one wrong change of a source at a time, and which proof fails.
 *
 *     node tools/mutants.mjs semantics/warps                            300 of a room, drawn at random
 *     node tools/mutants.mjs semantics/warps dialects/ptx --count 60 --seed 7 --minutes 10 --workers 8
 *     node tools/mutants.mjs --all                                      a sample of every room
 *     node tools/mutants.mjs layouts transforms --whole                 all of them, by Stryker: rooms with quick proofs
 *
 * `settings/mutants/rooms.json` names the rooms: the sources of each, and the proofs that judge them first. A room that is too large to be mutated whole is drawn
 * from, each mutant as likely as any other. All that are drawn and compile are built once, and judged by all proofs that come to them, the nearest first
 * (`mutants/judging.mjs`). The score of n mutants has a standard error of about sqrt(p (1 - p) / n): 2 % at 85 % and 300. It is a lower bound where the time
 * is over before all proofs have judged.
 *
 * In `reports/mutation` are left `results.jsonl`, a result a line, written as it comes, and `survivors.txt`, what no proof noticed, as a line of the source and what
 * stood there instead. Of rooms that are mutated whole, Stryker's report is `ROOM.json`. Exit status: 1 if such a room has a score below 85, or Stryker failed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { unpack } from './captures.mjs'
import { buildIn } from './mutants/built.mjs'
import { compilingOf } from './mutants/compiling.mjs'
import { judged } from './mutants/judging.mjs'
import { drawnFrom, excludedMutations, lineOf, rooms, sourcesOf } from './mutants/room.mjs'

const usage = `usage: node tools/mutants.mjs ROOM ... | --all   [--count 300] [--seed 1] [--minutes 60] [--workers 2] | --whole

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
        count: { type: 'string', default: '300' },
        seed: { type: 'string', default: '1' },
        minutes: { type: 'string', default: '60' },
        workers: { type: 'string', default: '2' },
      },
    })
  } catch (error) {
    return refuse(error.message)
  }
}
const { positionals, values } = read()
const asked = values.all ? Object.keys(rooms) : positionals
if (asked.length === 0) refuse('no room is named')
for (const room of asked) if (!Object.hasOwn(rooms, room)) refuse(`there is no room '${room}'`)
const number = (name) => {
  const n = Number(values[name])
  return Number.isSafeInteger(n) && n > 0
    ? n
    : refuse(`--${name} is a whole number above 0, not '${values[name]}'`)
}
const [count, seed, minutes, workers] = ['count', 'seed', 'minutes', 'workers'].map(number)
// the proofs read what was captured
unpack()

const folder = 'reports/mutation'
mkdirSync(folder, { recursive: true })
const began = Date.now()
const say = (line) =>
  process.stdout.write(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}\n`)
/** A score, with its standard error. */
const scoreOf = (killed, all) => {
  const share = killed / Math.max(all, 1)
  return `${all} judged, ${killed} killed, ${(100 * share).toFixed(1)} % (standard error ${(100 * Math.sqrt((share * (1 - share)) / Math.max(all, 1))).toFixed(1)})`
}

// ---------------------------------------------------------------- samples

const sample = async () => {
  const drawn = []
  for (const room of asked) {
    const found = await drawnFrom(room, count, seed)
    say(`${room}: ${found.drawn.length} of ${found.all} mutants`)
    drawn.push(...found.drawn)
  }
  const compiling = compilingOf(drawn)
  say(`${compiling.length} of ${drawn.length} compile`)
  const { mutants, proofs } = await buildIn(`${folder}/built`, compiling)
  const results = await judged({
    folder: `${folder}/built`,
    mutants,
    proofs,
    workers,
    until: began + 60_000 * minutes,
    log: `${folder}/results.jsonl`,
    say,
  })
  const left = results.filter(({ status }) => status !== 'killed')
  writeFileSync(
    `${folder}/survivors.txt`,
    left
      .map((m) => {
        const how =
          m.status === 'unreached'
            ? 'no proof comes here'
            : m.left > 0
              ? `${m.left} files have not judged`
              : ''
        return `${lineOf(m)}${how === '' ? '' : `  (${how})`}\n`
      })
      .sort()
      .join(''),
  )
  for (const room of asked) {
    const own = results.filter((m) => m.room === room)
    say(`${room}: ${scoreOf(own.filter(({ status }) => status === 'killed').length, own.length)}`)
  }
  say(`${left.length} are left: ${folder}/survivors.txt`)
}

// ---------------------------------------------------------------- whole rooms

/** One room by Stryker: all of its mutants. */
const whole = (room) => {
  const files = sourcesOf(rooms[room])
  const fileOf = (ending) => `${folder}/${room.replaceAll('/', '-')}.${ending}`
  const report = fileOf('json')
  // what a room imports is read with it, so its own files are enough
  writeFileSync(
    fileOf('tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', include: files.map((name) => `../../${name}`) }),
  )
  writeFileSync(
    fileOf('config.json'),
    JSON.stringify({
      testRunner: 'vitest',
      vitest: { configFile: 'settings/mutants/vitest.config.ts' },
      plugins: ['@stryker-mutator/*'],
      checkers: ['typescript'],
      tsconfigFile: fileOf('tsconfig.json'),
      typescriptChecker: { prioritizePerformanceOverAccuracy: true },
      coverageAnalysis: 'perTest',
      mutate: files,
      mutator: { excludedMutations },
      concurrency: workers,
      dryRunTimeoutMinutes: 60,
      timeoutMS: 20000,
      timeoutFactor: 2,
      incremental: true,
      incrementalFile: fileOf('incremental.json'),
      tempDirName: '.stryker-tmp',
      ignorePatterns: ['dist', 'bundle', 'reports', 'bench'],
      reporters: ['progress-append-only', 'json'],
      jsonReporter: { fileName: report },
      thresholds: { high: 95, low: 85, break: 85 },
      ignoreStatic: true,
    }),
  )
  say(`${room}: all mutants of ${files.length} files`)
  const { status } = spawnSync('npx', ['stryker', 'run', fileOf('config.json')], {
    stdio: 'inherit',
    env: { ...process.env, TCSPEC_ROOM: room },
  })
  if (!existsSync(report)) return false
  const statuses = Object.values(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(({ mutants }) =>
    mutants.map((m) => m.status),
  )
  const killed = statuses.filter((s) => s === 'Killed' || s === 'Timeout').length
  const survived = statuses.filter((s) => s === 'Survived' || s === 'NoCoverage').length
  say(`${room}: ${scoreOf(killed, killed + survived)}`)
  return status === 0
}

if (values.whole) process.exitCode = asked.map(whole).every((is) => is) ? 0 : 1
else await sample()
