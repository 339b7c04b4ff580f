/**
 * Whole runs: 1024 x 1024 x 1024 f16 by the four-stage Hopper kernel with tiles of 128 x 128 x 64, every hazard looked for, in one piece and in
 * two threads, over the chip's arithmetic and over f32.
 */
import { performance } from 'node:perf_hooks'
import { URL } from 'node:url'
import { instanceOf, kernelNamed } from '../dist/kernels/catalogue/index.js'
import { randomPatterns } from '../dist/kernels/reference-inputs.js'
import * as fast from '../dist/fast/index.js'
import { spread } from '../dist/oracle/parallel/spread.js'
import { threads } from '../dist/oracle/parallel/threads.js'
import { check, standardOptions } from '../dist/semantics/verdict/check.js'
import { inTurns, right, table } from './measure.mjs'

const n = 1024
const settings = { m: n, n, k: n, tileM: 128, tileN: 128, tileK: 64, stages: 4 }
const options = {
  ...standardOptions,
  provenance: false,
  explore: false,
}
const nobody = () => ({ update: () => undefined, stop: () => undefined })
const crew = threads(new URL('../dist/oracle/parallel/worker.js', import.meta.url))

/** Prints the table; each figure as `[name, speed relative to the naive loop]`. `naive`, `definition`: millions of multiply-adds a second. */
export const runs = async ({ naive, definition }, rounds) => {
  const { program } = right(instanceOf(right(kernelNamed('hopper-matmul')), settings, []))
  const tensors = new Map(['a', 'b'].map((name, i) => [name, randomPatterns('f16', 0, i, n * n)]))
  const inputs = [...tensors].map(([name, given]) => ({ name, count: n * n, given }))
  const good = (verdict) => {
    if (verdict.verdict !== 'ok') throw new Error(verdict.reason)
  }
  const whole = (arithmetic) => () =>
    good(
      right(
        check(program, {
          ...options,
          algebra: fast.bits(arithmetic),
          arguments: { scalars: new Map(), tensors },
        }),
      ).verdict,
    )
  const elapsed = new Map()
  const shared = (arithmetic) => async () => {
    const done = right(
      await spread({ program, arithmetic, fast: true, options, inputs }, crew, 2, nobody, () =>
        performance.now(),
      ),
    )
    good(done.verdict)
    elapsed.set(arithmetic, [...(elapsed.get(arithmetic) ?? []), done.elapsed])
  }
  const contenders = [
    { name: 'bit-exact, in one piece', act: whole('hopper'), asked: '' },
    { name: 'f32, in one piece', act: whole('ieee32'), asked: '' },
  ]
  const times = await inTurns(contenders, rounds)
  for (let round = 0; round <= rounds; round++)
    for (const arithmetic of ['hopper', 'ieee32']) await shared(arithmetic)()
  const middle = (arithmetic) => {
    const xs = elapsed
      .get(arithmetic)
      .slice(1)
      .sort((x, y) => x - y)
    return xs[Math.floor(xs.length / 2)]
  }
  const macs = n ** 3
  const [js, plain] = [macs / naive / 1000, macs / definition / 1000]
  const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`
  const line = (name, wall, cpu, asked) => [
    name,
    seconds(wall),
    cpu === null ? '' : seconds(cpu),
    asked,
    `${(plain / (cpu ?? wall)).toFixed(0)} x`,
    `${(js / (cpu ?? wall)).toFixed(2)} x`,
  ]
  table('1024 x 1024 x 1024 f16, four stages, tiles of 128 x 128 x 64, every hazard looked for', [
    ['', 'wall', 'processor', 'asked', 'of the definition alone', 'of naive JS alone'],
    ...contenders.map(({ name, asked }, i) => line(name, times[i].wall, times[i].cpu, asked)),
    line('bit-exact, clusters in two threads', middle('hopper'), null, '1.50 s'),
    line('f32, clusters in two threads', middle('ieee32'), null, '0.80 s'),
  ])
  return contenders.map(({ name }, i) => [`run: ${name}`, js / times[i].cpu])
}
