import { expect, test } from 'vitest'
import { nightly } from '../../extent.js'
import { simtOf } from './simt/drawn.js'
import { sweep } from './simt/sweep.js'

const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 100_000 : 300))

test('threads', { timeout: 14_400_000 }, () => {
  const t = sweep({
    from: Number(process.env['TCSPEC_FROM'] ?? 0),
    count,
    drawn: simtOf,
    modelled: 4,
    weakened: [],
  })
  console.log(t.counts, {
    unlike: t.unlike.length,
    unmodelled: t.unmodelled.length,
    unsound: t.unsound.length,
    incomplete: t.incomplete.length,
    unreal: t.unreal.length,
  })
  for (const k of ['unlike', 'unmodelled', 'unsound', 'incomplete', 'unreal'] as const)
    for (const s of t[k].slice(0, 4)) console.log(k, s)
  expect(t.unsound).toEqual([])
})
