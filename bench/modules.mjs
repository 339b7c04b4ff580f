/**
 * Modules of Triton's: what reading a text and elaborating it take, beside judging the program. Below 1, the text costs less than its verdict.
 *
 * First as a person has it who asks for one verdict: in a process of its own for each launch, in which nothing has run before (medians of five such
 * processes). Then as a service has it that has been up for a while: in turns in one process, in which every launch went through once before the first is
 * timed, else the first of the list pay for what all need, and the order decides.
 *
 *     npm run bench, after the figures of `run.mjs`; or node bench/modules.mjs
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { elaborate, launchOf, readModule } from '../dist/dialects/ttgir/index.js'
import { decodeLaunch } from '../dist/oracle/launch/index.js'
import { launched } from '../dist/oracle/launch/launched.js'
import { onDisk } from '../dist/oracle/tensor-files/disk.js'
import { check, standardOptions } from '../dist/semantics/verdict/check.js'

const rounds = 7
const processes = 5
const captures = fileURLToPath(new URL('../conformance/triton/captures/', import.meta.url))

const right = (either) => {
  if (either._tag === 'Left') throw new Error(either.left.message)
  return either.right
}
const median = (xs) => [...xs].sort((a, b) => a - b)[Math.floor(xs.length / 2)]

/** Arguments of a capture without its data: extents of tensors. */
const argumentsOf = (name) => {
  const launch = `${captures}${name}/launch.json`
  const { grid, args } = right(decodeLaunch(readFileSync(launch, 'utf8')))
  const { inputs, expected } = right(launched(onDisk)(`${captures}${name}/${name}.ttgir`, { launch }))
  const shapes = new Map([...inputs, ...expected].map(([tensor, b]) => [tensor, b.tensor.shape]))
  return {
    grid,
    args: args.map((a) =>
      typeof a === 'number'
        ? a
        : typeof a === 'string'
          ? { tensor: a, shape: shapes.get(a) }
          : { tensor: a.tensor, shape: a.shape, strides: a.strides },
    ),
  }
}

const times = (name, rounds) => {
  const text = readFileSync(`${captures}${name}/${name}.ttgir`, 'utf8')
  const given = argumentsOf(name)
  const found = { read: [], elaborate: [], judge: [] }
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    const module = right(readModule(text))
    const read = performance.now()
    const program = right(elaborate(module, right(launchOf(module, given))))
    const made = performance.now()
    right(check(program, standardOptions))
    const judged = performance.now()
    found.read.push(read - start)
    found.elaborate.push(made - read)
    found.judge.push(judged - made)
  }
  return Object.values(found).map(median)
}

/** Those of a launch in a process that does nothing else. */
const alone = (name) =>
  JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name], { encoding: 'utf8' }))
const timesAlone = (name) => {
  const rounds = Array.from({ length: processes }, () => alone(name))
  return [0, 1, 2].map((i) => median(rounds.map((times) => times[i])))
}

const table = (title, rows) => {
  console.log(`\n${title}`)
  console.log(
    `  ${'launch'.padEnd(52)} ${['read', 'elaborate', 'judge', 'ratio'].map((w) => w.padStart(10)).join('')}`,
  )
  for (const [name, [read, made, judged]] of rows)
    console.log(
      `  ${name.padEnd(52)} ${[read, made, judged].map((t) => t.toFixed(1).padStart(10)).join('')}${((read + made) / judged).toFixed(2).padStart(10)}`,
    )
}

const [, , one] = process.argv
if (one !== undefined) console.log(JSON.stringify(times(one, 1)))
else {
  const names = readdirSync(captures)
  const what = 'reading and elaborating beside judging (hazards, explained), milliseconds'
  table(
    `modules of Triton's, each in a process of its own: ${what}; medians of ${String(processes)} processes`,
    names.map((name) => [name, timesAlone(name)]),
  )
  for (const name of names) times(name, 1)
  table(
    `the same in one process behind one another: ${what}; medians of ${String(rounds)} rounds, behind one of all launches`,
    names.map((name) => [name, times(name, rounds)]),
  )
}
