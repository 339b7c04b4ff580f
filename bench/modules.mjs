/**
 * Modules of Triton's: what reading a text and elaborating it take, beside judging the program, in turns in one process. Below 1, the text costs less than
 * its verdict. Every launch goes through once before the first is timed: else the first of the list pay for what all need, and the order decides.
 *
 *     npm run bench, after the figures of `run.mjs`; or node bench/modules.mjs
 */
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { elaborate, launchOf, readModule } from '../dist/dialects/ttgir/index.js'
import { decodeLaunch } from '../dist/oracle/launch/index.js'
import { launched } from '../dist/oracle/launch/launched.js'
import { onDisk } from '../dist/oracle/tensor-files/disk.js'
import { check, standardOptions } from '../dist/semantics/verdict/check.js'

const rounds = 7
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

console.log(
  `\nmodules of Triton's: reading and elaborating beside judging (hazards, explained), milliseconds; medians of ${String(rounds)} rounds, behind one of all launches`,
)
console.log(
  `  ${'launch'.padEnd(52)} ${['read', 'elaborate', 'judge', 'ratio'].map((w) => w.padStart(10)).join('')}`,
)
const names = readdirSync(captures)
for (const name of names) times(name, 1)
for (const name of names) {
  const [read, made, judged] = times(name, rounds)
  console.log(
    `  ${name.padEnd(52)} ${[read, made, judged].map((t) => t.toFixed(1).padStart(10)).join('')}${((read + made) / judged).toFixed(2).padStart(10)}`,
  )
}
