/**
 * The bench: what the library does in a second, each figure beside its baselines of the same run. Nothing here is a test.
 *
 *     npm run bench                    products, whole runs, the structure of the rest, and the process
 *     npm run bench -- --figures       products and whole runs alone
 *     npm run bench -- --store         products and whole runs, kept as the baseline of the next
 *
 * A figure that is kept is a speed relative to the naive loop in the same run, so that `baseline.json` means something on another machine. One
 * that has fallen below `least` of what is kept is a regression, and the exit status says so.
 */
import console from 'node:console'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import process from 'node:process'
import { URL } from 'node:url'
import { table } from './measure.mjs'
import { products } from './products.mjs'
import { runs } from './runs.mjs'

const rounds = 5
/** Machines differ in how much vectors gain: half of it, and something is wrong. */
const least = 0.5
const baseline = new URL('./baseline.json', import.meta.url)

console.log(
  `${cpus()[0]?.model ?? 'a machine'}, ${String(cpus().length)} cores, node ${process.version}; medians of ${String(rounds)} rounds, in turns`,
)
const measured = await products(rounds)
const figures = [...measured.figures, ...(await runs(measured, 3))]

if (process.argv.includes('--store'))
  writeFileSync(
    baseline,
    `${JSON.stringify(Object.fromEntries(figures.map(([name, x]) => [name, Number(x.toPrecision(3))])), null, 2)}\n`,
  )
else if (existsSync(baseline)) {
  const kept = JSON.parse(readFileSync(baseline, 'utf8'))
  const rows = figures.map(([name, x]) => {
    const before = kept[name]
    const share = before === undefined ? null : x / before
    return [
      name,
      x.toPrecision(3),
      before === undefined ? '' : String(before),
      share === null ? 'new' : `${(100 * share).toFixed(0)} %`,
      share !== null && share < least ? 'REGRESSION' : '',
    ]
  })
  table('speed relative to naive JS, and the baseline', [['', 'now', 'kept', 'share', ''], ...rows])
  if (rows.some((r) => r[4] !== '')) process.exitCode = 1
}

if (!process.argv.includes('--figures') && !process.argv.includes('--store')) {
  await import('./structure.mjs')
  await import('./modules.mjs')
  await import('./classes.mjs')
  await import('./production.mjs')
  await import('./ring.mjs')
  await import('./mutants.mjs')
  await import('./sweeps.mjs')
  await import('./serve.mjs')
}
