import { it } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { blackwellFiles, leftByPtx, leftByTtgir, launchedBlackwell } from './blackwell.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { bits } from '../../../src/numerics/bits.js'
it.each(blackwellFiles.filter((f)=>new RegExp(process.env['ONLY']??'.').test(f)))('%s', (file) => {
  try {
    const t0 = Date.now()
    if (process.env['OUT']) {
      const p = leftByPtx(file)
      const t1 = Date.now()
      if (typeof p === 'string') { console.log('RES', file, p.slice(0,900)); return }
      const t = leftByTtgir(file)
      let differ = 0
      for (let i = 0; i < t.length; i += 2) if (p[i] !== t[i] || p[i+1] !== t[i+1]) differ++
      console.log('RES', file, p.length, t.length, 'differ', differ, 'ptx', t1-t0, 'ttgir', Date.now()-t1)
    } else {
    const l = launchedBlackwell(file)
    const c = checkSource(warpSource(l.elaborated.program, l.arguments), { ...standardOptions, algebra: bits('blackwell') })
    if (E.isLeft(c)) { console.log('RES',file, JSON.stringify(c.left)); return }
    const v = c.right.verdict
    const kinds = new Map<string, number>()
    for (const f of [...v.findings, ...v.notes]) { const k = [f.id, f.severity, f.a.site, f.b?.site ?? '', f.text].join(' | '); kinds.set(k, (kinds.get(k) ?? 0) + 1) }
    console.log('RES', file, v.verdict, v.decidedBy, v.reason.slice(0,300), Date.now()-t0, '\n   ' + [...kinds].map(([k, n]) => k + ' x' + n).join('\n   '))
    }
  } catch (e) { console.log('RES', file, (e as Error).stack?.slice(0, 700)) }
}, 600000)
