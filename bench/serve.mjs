/** `tcspec serve` from Python, beside what it takes to start `node`, and `tcspec` for one question. */
import console from 'node:console'
import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'
import { median, table } from './measure.mjs'

const main = fileURLToPath(new URL('../bundle/oracle/cli/main.js', import.meta.url))
const script = fileURLToPath(new URL('./serve.py', import.meta.url))

const started = (words) => {
  const start = performance.now()
  spawnSync(process.execPath, words)
  return performance.now() - start
}
const rounds = 5
const found = { node: [], one: [] }
const asked = []
for (let round = 0; round < rounds; round++) {
  found.node.push(started(['-e', '0']))
  found.one.push(started([main, 'layout', 'WGMMA', '--shape', '64x16', '--json']))
  const python = spawnSync('python3', ['-B', script, process.execPath, main], { encoding: 'utf8' })
  if (python.status === 0) asked.push(JSON.parse(python.stdout))
}
const node = median(found.node)
const row = (what, milliseconds, limit = '') => [
  what,
  milliseconds.toFixed(2),
  `${(milliseconds / node).toFixed(3)} x`,
  limit,
]
const of = (name) => median(asked.map((one) => one[name]))
if (asked.length === 0) console.log('\ntcspec serve: no python3 that could ask')
else {
  table('tcspec serve from Python: milliseconds, and of a start of node', [
    ['', 'ms', 'of node -e 0', 'asked'],
    row('node -e 0', node),
    row('tcspec layout, a process for the question', median(found.one)),
    row('the first answer of a process', of('first')),
    row('a layout once it is warm', of('layout'), '5'),
    row('the slowest of a hundred', of('slowest')),
    row('a check of zoo/R1 once it is warm', of('check'), '100'),
  ])
  table('layouts a second from Python', [
    ['', 'a second', 'in a start of node', 'asked'],
    ['one after another', of('alone').toFixed(0), ((of('alone') * node) / 1000).toFixed(0), '200'],
    ['from four threads', of('together').toFixed(0), ((of('together') * node) / 1000).toFixed(0), ''],
  ])
}
