import { it } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import { launch, noArguments } from '../../../src/semantics/launch.js'
import { embed } from '../../../src/semantics/naive/embed.js'
import { show } from '../../../src/semantics/naive/notation.js'
import { skeletonOf } from '../../../src/semantics/naive/random.js'
import { collect, run, settings } from '../../../src/semantics/run.js'
import { seeded } from '../../../src/semantics/policy.js'
import { right } from '../../either.js'
import { defaults } from '../../../src/semantics/detector/index.js'
import { model } from '../../../src/semantics/model/index.js'
import { detected, differ } from './comparison.js'

it('random', { timeout: 600000 }, () => {
  const from = Number(process.env['FROM'] ?? 0)
  const n = Number(process.env['N'] ?? 300)
  const kinds = new Map<string, number>()
  let shown = 0
  let [tr, td, tm, ev] = [0, 0, 0, 0]
  for (let seed = from; seed < from + n; seed++) {
    const s = skeletonOf(seed)
    let t0 = performance.now()
    const { world, machine } = right(launch(right(embed(s)).program, unit, noArguments))
    const { result: log } = run(world, machine, settings(seeded(seed)), collect)
    let t1 = performance.now(); tr += t1 - t0
    const d = detected(world.header, log, defaults)
    t0 = performance.now(); td += t0 - t1
    const m = model(world.header, log, defaults)
    t1 = performance.now(); tm += t1 - t0; ev += log.length
    const out = differ(d, m)
    if (out.length === 0) continue
    for (const o of out) { const k = o.replace(/\d+/g, 'n').slice(0, 60); kinds.set(k, (kinds.get(k) ?? 0) + 1) }
    if (shown++ < 12) { console.log(`seed ${seed} ${show(s)}\n  ${out.join('\n  ')}`)
     if (process.env['LOG']) log.forEach((e, i) => console.log(i, JSON.stringify(e, (k, v) => ['footprint','iteration','map'].includes(k) ? (v.id) : v))) }
  }
  console.log(shown, 'differ of', n, kinds)
  console.log({ tr, td, tm, events: ev / n })
})
