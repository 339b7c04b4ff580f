/**
 * All mutants of `ring.ptx` beside one check of it: how many checks a mutant costs, in processor time. The mutants are judged one after another in this process, as a thread of `tcspec mutate` does.
 *
 *     node bench/mutants.mjs [OPERATOR...], after a build
 */
import console from 'node:console'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { TextEncoder } from 'node:util'
import { URL } from 'node:url'
import { mutantsAsked } from '../dist/oracle/cli/mutants.js'
import { judgePtx } from '../dist/oracle/cli/ptx.js'
import { right, table, timed } from './measure.mjs'

const folder = new URL('../conformance/hopper/warpgroups/ring/', import.meta.url)
const launch = JSON.parse(readFileSync(new URL('launch.json', folder), 'utf8'))
const seeded = {
  ...launch,
  args: launch.args.map((a) => (a.kind === 'scalar' ? a : { ...a, file: null })),
}
const held = new Map([
  ['ring.ptx', readFileSync(new URL('ring.ptx', folder))],
  ['launch.json', new TextEncoder().encode(JSON.stringify({ ...seeded, outputs: undefined }))],
])
const world = {
  files: {
    read: (path) => () =>
      held.has(path)
        ? { _tag: 'Right', right: held.get(path) }
        : { _tag: 'Left', left: { code: 'file-missing', message: `no ${path}` } },
    exists: (path) => () => held.has(path),
  },
  clock: () => 0,
  progress: () => ({ update: () => undefined, stop: () => undefined }),
}
const operator = process.argv.slice(2)
const check = () => right(judgePtx(world, 'ring.ptx', { launch: 'launch.json', over: 'bits' }))
check()
const one = await timed(check)
const mutants = right(
  mutantsAsked(world, 'ring.ptx', { launch: 'launch.json', ...(operator.length > 0 ? { operator } : {}) }),
)
const fates = new Map()
let longest = 0
const all = await timed(async () => {
  for (let k = 0; k < mutants.keys.length; k++) {
    const { cpu } = await timed(() => {
      const { fate, certificate } = mutants.judge(k)
      const said = fate === 'killed' ? 'killed' : certificate === null ? `open: ${fate}` : 'equivalent'
      fates.set(said, (fates.get(said) ?? 0) + 1)
    })
    longest = Math.max(longest, cpu)
  }
})
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`
const checks = (ms) => `${(ms / one.cpu).toFixed(1)} x`
const count = mutants.keys.length
table(
  `ring.ptx, ${String(count)} mutants: ${[...fates].map(([what, n]) => `${String(n)} ${what}`).join(', ')}`,
  [
    ['', 'processor', 'of a check'],
    ['a check', seconds(one.cpu), '1.0 x'],
    ['a mutant', seconds(all.cpu / count), checks(all.cpu / count)],
    ['the longest', seconds(longest), checks(longest)],
    ['all', seconds(all.cpu), checks(all.cpu)],
  ],
)
console.log(`  ${seconds(all.wall)} of the clock, in one thread`)
