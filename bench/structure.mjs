/**
 * Benches as ratios: every figure is measured beside its baseline, in turns, in one process, and only the ratio means something on
 * another machine. Nothing here is a test; no time is ever asserted.
 *
 *     npm run bench, after the figures of `run.mjs`
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { instanceOf, kernelNamed, naiveMatmul, randomPatterns } from '../dist/kernels/index.js'
import { linearOfRegisters } from '../dist/layouts/conversion/index.js'
import { tensorMemory } from '../dist/layouts/index.js'
import { elementOf, elementTable, registersPerLane } from '../dist/layouts/register-layout.js'
import { WGMMA } from '../dist/layouts/tiled.js'
import { bits, field, real64, unit } from '../dist/numerics/index.js'
import { defaults, detector } from '../dist/semantics/judging/detector/index.js'
import { launch, noArguments } from '../dist/semantics/execution/launch.js'
import { eager } from '../dist/semantics/execution/policy.js'
import { provenance } from '../dist/semantics/judging/provenance/index.js'
import { both, ignore, run, settings } from '../dist/semantics/execution/run.js'
import { ofTransforms, swizzledAddresses } from '../dist/transforms/ref.js'
import { swizzle, tile as cut } from '../dist/transforms/transform.js'

const rounds = 7

const right = (either) => {
  if (either._tag === 'Left') throw new Error(either.left.message)
  return either.right
}
const median = (xs) => [...xs].sort((a, b) => a - b)[Math.floor(xs.length / 2)]

/** Runs every contender once a round, so that a slow minute is slow for all; the first round only warms up. */
const measure = (contenders) => {
  const times = contenders.map(() => [])
  for (let round = 0; round <= rounds; round++)
    contenders.forEach(({ act }, i) => {
      const start = performance.now()
      act()
      if (round > 0) times[i].push(performance.now() - start)
    })
  return times.map(median)
}

const report = (title, unitName, amount, contenders) => {
  const times = measure(contenders)
  const rows = contenders.map(({ name }, i) => [
    name,
    `${times[i].toFixed(1)} ms`,
    `${(amount / times[i] / 1000).toFixed(amount > 1e5 ? 1 : 3)} M ${unitName}/s`,
    `${(times[0] / times[i]).toFixed(2)} x`,
  ])
  const widths = rows[0].map((_, c) => Math.max(...rows.map((r) => r[c].length)))
  console.log(`\n${title}`)
  for (const r of rows)
    console.log(
      `  ${r.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('   ')}`,
    )
}

console.log(
  `medians of ${String(rounds)} rounds on ${process.platform} ${process.arch}, node ${process.version}; the last column is speed relative to the first row`,
)

// ---------------------------------------------------------------- the program

const node = (...words) => execFileSync(process.execPath, words, { stdio: 'ignore' })
const main = fileURLToPath(new URL('../dist/oracle/cli/main.js', import.meta.url))
const starts = measure([
  { act: () => node('-e', '0') },
  { act: () => node(main, '--help') },
  { act: () => node(main, 'check', '--help') },
])
console.log('\nthe program starts, beside node that does nothing')
for (const [i, name] of ['node -e 0', 'tcspec --help', 'tcspec check --help'].entries())
  console.log(
    `  ${name.padEnd(20)} ${starts[i].toFixed(0).padStart(6)} ms   ${(starts[i] / starts[0]).toFixed(1)} x`,
  )

// ---------------------------------------------------------------- matrix products

const shape = { m: 128, n: 128, k: 256 }
const types = { operand: 'f16', accumulator: 'f32', out: 'f16' }
const product = (algebra) => {
  const a = randomPatterns('f16', 0, 0, shape.m * shape.k).map((p) => algebra.fromBits('f16', p))
  const b = randomPatterns('f16', 0, 1, shape.k * shape.n).map((p) => algebra.fromBits('f16', p))
  return () => right(naiveMatmul(algebra, types, shape, a, b))
}
report('matrix product, f16 into f32, 128 x 128 x 256', 'multiply-adds', shape.m * shape.n * shape.k, [
  { name: 'real64: f64 in order of k', act: product(real64) },
  { name: 'bits: Hopper tensor cores', act: product(bits('hopper')) },
  { name: 'bits: ieee32, every step rounded', act: product(bits('ieee32')) },
  { name: 'field: residues', act: product(field(0)) },
])

// ---------------------------------------------------------------- the machine

const kernel = right(kernelNamed('hopper-matmul'))
const judged = right(instanceOf(kernel, { k: 1024 }, [])).program
const launched = right(launch(judged, unit, noArguments))
const detecting = { ...defaults }
const once = (fold, how = {}) => run(launched.world, launched.machine, { ...settings(eager), ...how }, fold)
const steps = once(ignore).steps
report(
  `synchronisation alone: hopper-matmul 256 x 256 x 1024 over unit, ${String(steps)} steps`,
  'steps',
  steps,
  [
    { name: 'run', act: () => once(ignore) },
    { name: 'run + detector', act: () => once(detector(detecting)) },
    { name: 'run + provenance', act: () => once(provenance) },
    { name: 'run + both', act: () => once(both(detector(detecting), provenance)) },
  ],
)

const program = right(instanceOf(kernel, { m: 128, n: 128, k: 256 }, [])).program
const tensors = new Map([
  ['a', randomPatterns('f16', 0, 0, 128 * 256)],
  ['b', randomPatterns('f16', 0, 1, 256 * 128)],
])
const full = right(launch(program, bits('hopper'), { scalars: new Map(), tensors }))
const whole = (transient) => () => run(full.world, full.machine, { ...settings(eager), transient }, ignore)
report('the whole machine: hopper-matmul 128 x 128 x 256 over bits', 'multiply-adds', 128 * 128 * 256, [
  { name: 'naive matmul alone', act: product(bits('hopper')) },
  { name: 'run, its own pages written in place', act: whole(true) },
  { name: 'run, every page copied (persistent)', act: whole(false) },
])

// ---------------------------------------------------------------- long runs

/** Events of a run: what a fold over its log is told. */
const events = { init: () => 0, observe: (n) => n + 1, finish: (n) => n }
console.log('\nlong runs: hopper-matmul 256 x 256 x K over unit, machine and detector')
for (const k of [16384, 65536, 262144, 655360]) {
  const { world, machine } = right(launch(right(instanceOf(kernel, { k }, [])).program, unit, noArguments))
  const judgedRun = () => run(world, machine, settings(eager), both(events, detector(detecting)))
  const first = judgedRun()
  const start = performance.now()
  const { steps: taken } = judgedRun()
  const ms = performance.now() - start
  console.log(
    `  ${String(first.result[0]).padStart(8)} events   ${String(taken).padStart(7)} instructions   ${ms.toFixed(0).padStart(6)} ms   ${((1000 * ms) / taken).toFixed(2)} us an instruction   ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB resident`,
  )
}

// ---------------------------------------------------------------- verdicts

/** Call by call, the median of as many processes as there are rounds. */
const calls = (...flags) => {
  const runs = Array.from({ length: rounds }, () =>
    JSON.parse(
      execFileSync(process.execPath, [fileURLToPath(new URL('verdict.mjs', import.meta.url)), ...flags]),
    ),
  )
  return runs[0].map((_, k) => median(runs.map((r) => r[k])))
}
console.log(
  '\nverdicts: one 128 x 128 tile, K = 4096 in steps of 64, 4 stages; milliseconds of a call in a new process',
)
const told = Object.entries({ first: 0, second: 1, tenth: 9 })
for (const [name, flags] of [
  ['ok: hazards and the proof of the product', []],
  ['ok: hazards alone', ['--hazards']],
  ['the same without the arrive that gives a slot back: deadlock', ['--deadlock']],
]) {
  const ms = calls(...flags)
  console.log(
    `  ${name.padEnd(62)}${told.map(([which, k]) => `   ${which} ${ms[k].toFixed(1).padStart(6)}`).join('')}`,
  )
}

// ---------------------------------------------------------------- layouts

const tile = [64, 256]
/** The definition: one question a place. */
const everyElement = (shape) => {
  const registers = registersPerLane(WGMMA, shape)
  let sum = 0
  for (let warp = 0; warp < 4; warp++)
    for (let lane = 0; lane < 32; lane++)
      for (let register = 0; register < registers; register++)
        sum += elementOf(WGMMA, shape, warp, lane, register)[0]
  return sum
}
const repeat = (act) => () => {
  for (let i = 0; i < 20; i++) act()
}
const accumulator = right(linearOfRegisters(WGMMA, tile))
const ring = right(ofTransforms(tile, 16, [right(cut([8, 64])), right(swizzle(128))]))
const half = right(tensorMemory.tensorMemoryLayout.halfLane(256, 1))
const places = 20 * tile[0] * tile[1]
report(`where every element of a 64 x 256 tile lives, 20 times`, 'places', places, [
  { name: 'element by element', act: repeat(() => everyElement(tile)) },
  { name: 'WGMMA: table', act: repeat(() => elementTable(WGMMA, tile)) },
  { name: 'WGMMA as bases: table', act: repeat(() => elementTable(accumulator, tile)) },
  {
    name: 'WGMMA to bases and table',
    act: repeat(() => elementTable(right(linearOfRegisters(WGMMA, tile)), tile)),
  },
  {
    name: 'half-lane tensor memory: table',
    act: repeat(() => tensorMemory.tensorMemoryLayout.positionTable(half, tile)),
  },
  { name: 'shared memory, tiled and swizzled: addresses', act: repeat(() => swizzledAddresses(ring, 0)) },
])
