/**
 * What a verdict takes in a process that has just begun: the calls of one program in order, in milliseconds, as a line of JSON. A process has one
 * second call, so `structure.mjs` runs this several times.
 *
 *     node bench/verdict.mjs [--deadlock] [--hazards]     hazards alone: without the proof of the product
 */
import { instanceOf, kernelNamed } from '../dist/kernels/index.js'
import { without } from '../dist/kernels/broken/without.js'
import { check, standardOptions } from '../dist/semantics/verdict/check.js'

const right = (either) => {
  if (either._tag === 'Left') throw new Error(either.left.message)
  return either.right
}
const options = {
  ...standardOptions,
  provenance: !process.argv.includes('--hazards'),
}
const tile = right(
  instanceOf(
    right(kernelNamed('hopper-matmul')),
    { m: 128, n: 128, k: 4096, tileM: 128, tileN: 128, tileK: 64, stages: 4 },
    [],
  ),
).program
const stuck = process.argv.includes('--deadlock')
const program = stuck ? right(without('arrive consumed')(tile)) : tile
const calls = []
for (let i = 0; i < 150; i++) {
  const start = performance.now()
  const { verdict } = right(check(program, options)).verdict
  calls.push(performance.now() - start)
  if (verdict !== (stuck ? 'deadlock' : 'ok')) throw new Error(verdict)
}
console.log(JSON.stringify(calls))
