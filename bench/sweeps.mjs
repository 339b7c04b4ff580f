/**
 * One sweep in one thread and in as many as there are processors, in turns: the clock, and that the merged results are the same to the byte. Beside it the machine itself: the same number of
 * processes that each judge one part of the grid in a thread of their own, which share nothing but the chip.
 *
 *     node bench/sweeps.mjs [THREADS...], after a build; on a machine that does nothing else
 */
import { spawn } from 'node:child_process'
import console from 'node:console'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'
import { table } from './measure.mjs'

const main = fileURLToPath(new URL('../bundle/oracle/cli/main.js', import.meta.url))
const asked = process.argv.slice(2).map(Number)
const counts = asked.length > 0 ? asked : [1, availableParallelism()]
const folder = mkdtempSync(join(tmpdir(), 'sweeps-'))
const grid = join(folder, 'grid.json')
writeFileSync(
  grid,
  JSON.stringify({
    schema: 'tcspec.sweep/1',
    subjects: [{ name: 'hopper-matmul', settings: { m: [256, 512], n: [256, 512] } }],
    settings: { k: [512, 1024, 1536, 2048], stages: [2, 3] },
    schedules: ['eager', 'lazy'],
    options: { strict: [false, true], over: ['bits'] },
  }),
)

const tcspec = (...words) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 2) reject(new Error(`tcspec ${words.join(' ')}: exit status 2`))
      else resolve(code)
    })
  })
const seconds = async (act) => {
  const start = performance.now()
  await act()
  return (performance.now() - start) / 1000
}
const resultsOf = async (name, parts) => {
  const merged = join(folder, `${name}.merged`)
  await tcspec('sweep', 'merge', ...parts, '-o', merged)
  return readFileSync(merged, 'utf8')
}

const rows = []
let expected = null
let one = null
for (const threads of counts) {
  const file = join(folder, `threads-${String(threads)}.jsonl`)
  const time = await seconds(() => tcspec('sweep', grid, '-o', file, '--threads', String(threads)))
  const text = await resultsOf(`threads-${String(threads)}`, [file])
  expected ??= text
  one ??= time
  const parts = Array.from({ length: threads }, (_, k) =>
    join(folder, `part-${String(threads)}-${String(k)}`),
  )
  const apart =
    threads === 1
      ? time
      : await seconds(() =>
          Promise.all(
            parts.map((part, k) =>
              tcspec(
                'sweep',
                grid,
                '-o',
                part,
                '--threads',
                '1',
                '--shard',
                `${String(k + 1)}/${String(threads)}`,
              ),
            ),
          ),
        )
  rows.push([
    String(threads),
    time.toFixed(1),
    `${(one / time).toFixed(1)} x`,
    apart.toFixed(1),
    `${(one / apart).toFixed(1)} x`,
    text === expected ? 'the same results' : 'OTHER RESULTS',
  ])
  if (text !== expected) process.exitCode = 1
  // on standard error, so that a run that is stopped has told what it has measured
  console.error(rows.at(-1).join('  '))
}
table(`a sweep of ${String(expected.split('\n').length - 2)} points, seconds`, [
  ['threads', 'one process', 'of the first', 'as many processes', 'of the first', ''],
  ...rows,
])
rmSync(folder, { recursive: true })
console.log(`  ${String(availableParallelism())} processors`)
