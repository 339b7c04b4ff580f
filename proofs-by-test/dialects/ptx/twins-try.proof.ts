import * as E from 'fp-ts/lib/Either.js'
import { it } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { faults, fileText, kernelNames } from './cuda.js'
import { argumentsOf } from './runs.js'
it('try', () => {
  const one = (kernel: string, file: string): string => {
    const m = right(parseModule(fileText(`${kernel}/${file}`)))
    const e = elaborate(m, null, file)
    if (E.isLeft(e)) return `REFUSED ${e.left.message}`
    const c = checkSource(warpSource(e.right.program, argumentsOf(kernel, e.right.parameters)), { ...standardOptions, algebra: bits('hopper'), fuel: 500000, explore: false })
    if (E.isLeft(c)) return `LEFT ${c.left.message}`
    const v = c.right.verdict
    return `${v.verdict} | ${v.reason.slice(0, 150)} | ${v.findings.slice(0, 3).map((f) => `${f.id} ${f.a?.site ?? ''} / ${f.b?.site ?? ''}`).join('; ')}`
  }
  for (const k of kernelNames) {
    console.log(k, '::', one(k, `${k}.ptx`))
    for (const f of faults.filter((x) => x.kernel === k)) console.log('   ', f.twin, f.kind, f.lines.join(), '::', one(k, f.ptx.split('/').pop()!))
  }
}, 600000)
