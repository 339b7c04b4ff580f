/**
 * `tcspec mutate --all` in one thread and in two, in turns: the clock, and that both say the same. Only on a machine that does nothing else.
 *
 *     node bench/mutate.mjs                          all mutants: a quarter of an hour of one core, each round twice
 *     node bench/mutate.mjs --operator DROP          those of an operator
 */
import { spawnSync } from 'node:child_process'
import console from 'node:console'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'
import { table } from './measure.mjs'

const rounds = 2
const main = fileURLToPath(new URL('../bundle/oracle/cli/main.js', import.meta.url))
const asked = process.argv.slice(2)

const once = (threads) => {
  const start = performance.now()
  const { stdout } = spawnSync(
    process.execPath,
    [main, 'mutate', '--all', ...asked, '--json', '--threads', String(threads)],
    { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  return { seconds: (performance.now() - start) / 1000, stdout }
}

const rows = Array.from({ length: rounds }, (_, k) => {
  const [one, two] = [once(1), once(2)]
  return [
    `round ${String(k + 1)}`,
    one.seconds.toFixed(1),
    two.seconds.toFixed(1),
    `${((100 * two.seconds) / one.seconds).toFixed(0)} %`,
    one.stdout === two.stdout ? 'the same document' : 'ANOTHER DOCUMENT',
  ]
})
console.log(`tcspec mutate --all ${asked.join(' ')}`)
table('seconds', [['', 'one thread', 'two threads', 'share', ''], ...rows])
