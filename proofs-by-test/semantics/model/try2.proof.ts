import * as E from 'fp-ts/lib/Either.js'
import { it } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import { clean, foreign, zoo } from '../../../src/kernels/broken/index.js'
import { followedAt, judgedAt, kernels } from '../../../src/kernels/catalogue/index.js'
import { launch, noArguments } from '../../../src/semantics/launch.js'
import { collect, run, settings } from '../../../src/semantics/run.js'
import { eager, lazy, seeded } from '../../../src/semantics/policy.js'
import type { Program } from '../../../src/semantics/program.js'
import { right } from '../../either.js'
import { defaults } from '../../../src/semantics/detector/index.js'
import { model } from '../../../src/semantics/model/index.js'
import { detected, differ } from './comparison.js'

const go = (name: string, program: Program): void => {
  for (const [pn, policy] of [['eager', eager], ['lazy', lazy], ['seeded', seeded(3)]] as const) {
    const l = launch(program, unit, noArguments)
    if (E.isLeft(l)) { console.log(name, 'no launch', JSON.stringify(l.left).slice(0, 100)); return }
    const { world, machine } = l.right
    const t0 = process.cpuUsage()
    const { result: log, outcome } = run(world, machine, settings(policy), collect)
    const t1 = process.cpuUsage(t0)
    if (log.length > Number(process.env['MAX'] ?? 3000)) { console.log(name, pn, outcome._tag, log.length, 'events: too long'); return }
    for (const options of [{}, { strict: true }, { strictProxies: true }, { tensorPipe: 'documented' as const }, { wgmmaOrder: 'documented' as const }]) {
      const d = detected(world.header, log, { ...defaults, ...options })
      const t2 = process.cpuUsage()
      const out = differ(d, model(world.header, log, { ...defaults, ...options }))
      const t3 = process.cpuUsage(t2)
      if (out.length > 0 || t3.user > 1e6) console.log(name, pn, JSON.stringify(options), log.length, `run ${t1.user / 1e3} model ${t3.user / 1e3} ms`, '\n  ' + out.slice(0, 6).join('\n  ').slice(0, 1500))
    }
  }
}
it('zoo', { timeout: 600000 }, () => {
  for (const t of [...zoo, ...foreign]) for (const fixed of [false, true]) { const p = t.program(fixed); if (E.isRight(p)) go(`${t.path} ${fixed}`, p.right) }
  for (const c of clean) go(c.name, right(c.program))
})
it('kernels', { timeout: 600000 }, () => {
  for (const k of kernels) for (const i of followedAt(k).slice(0, 1)) go(k.name, i.program)
})
