/**
 * Where the processor time of the proofs goes: `npm run suite-time`, with names of files behind `--` for a part of them; `--json FILE` writes every
 * file and test.
 *
 * One worker runs the files one after another, so that each is alone; the most expensive files and tests are printed, and the sum. It fails where
 * a proof fails and never for a time: that depends on the machine. Of the whole the share of the bound below is said; `npm test`
 * has two workers, which read the sources twice: some five seconds more.
 *
 * A file or a test of which nothing ran (all of it waits for the night, or it could not be read) was not measured: its seconds are `null`, and no 0 that would
 * be a measurement.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'
import { startVitest } from 'vitest/node'
import { seconds } from './clock.mjs'

/** Seconds of processor time that `npm test` may take: three minutes and a bit on two processors that do nothing else. */
const bound = 400

const shown = 40
const given = process.argv.slice(2)
const json = given.indexOf('--json')
const asked = given.filter((_, i) => json < 0 || (i !== json && i !== json + 1))

const spent = (task) => task.meta().processor ?? null
const files = []
const reporter = {
  onTestRunEnd(modules) {
    for (const module of modules)
      files.push({
        name: relative(process.cwd(), module.moduleId),
        seconds: spent(module),
        imported: module.meta().imported ?? 0,
        tests: [...module.children.allTests()].map((test) => ({ name: test.fullName, seconds: spent(test) })),
      })
  },
}

const vitest = await startVitest('test', asked, {
  run: true,
  watch: false,
  maxWorkers: 1,
  // that of vitest.config.ts, for which these stand in, and one that reads the clock
  setupFiles: ['../proofs-by-test/setup.ts', 'processor-time.mjs'].map((file) =>
    fileURLToPath(new URL(file, import.meta.url)),
  ),
  reporters: ['dot', reporter],
})
await vitest?.close()

const line = ({ seconds, name }) => `${seconds.toFixed(2).padStart(8)}  ${name}`
const measured = (list) => list.filter(({ seconds }) => seconds !== null)
const dearest = (list) =>
  measured(list)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, shown)
const sum = (list) => measured(list).reduce((total, { seconds }) => total + seconds, 0)
const unmeasured = files.filter(({ seconds }) => seconds === null).map(({ name }) => name)

const tests = files.flatMap((file) =>
  file.tests.map(({ name, seconds }) => ({ name: `${file.name} > ${name}`, seconds })),
)
const imported = files.reduce((total, file) => total + file.imported, 0)
// the worker has ended, and is counted
const total = seconds()
const share =
  asked.length > 0
    ? ''
    : `, ${((100 * total) / bound).toFixed(0)} % of the ${String(bound)} s that npm test may take`
process.stdout.write(
  [
    '',
    'Seconds of processor time, by file:',
    ...dearest(files).map(line),
    '',
    'By test:',
    ...dearest(tests).map(line),
    '',
    ...(unmeasured.length === 0
      ? []
      : [`Not measured, because nothing of them ran: ${unmeasured.join(', ')}`, '']),
    `${sum(files).toFixed(1)} s in ${String(measured(files).length)} files, of which reading them ${imported.toFixed(1)} s; with the runner ${total.toFixed(1)} s${share}.`,
    '',
  ].join('\n'),
)
if (json >= 0) writeFileSync(given[json + 1], JSON.stringify(files, null, 1))
