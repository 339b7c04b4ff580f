import { expect, test } from 'vitest'
import { nightly } from '../../extent.js'
import type { LaneRule } from '../../../src/semantics/judging/detector/index.js'
import { simtOf } from './simt/drawn.js'
import { sweep } from './simt/sweep.js'

const lanes: ReadonlyArray<LaneRule> = ['lanesInOrder', 'noLags', 'partialMeets', 'anyLaneWaits', 'anyLaneFences', 'jointLanes', 'anyLaneReads', 'anyLaneCommits', 'allCopies', 'anyLaneTells', 'lastLaneTells', 'lastLaneWaits', 'warpArrivals', 'warpExpects', 'accessesAlone', 'warpExit']

const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 100_000 : 300))

test('threads', { timeout: 14_400_000 }, () => {
  const t = sweep({ from: Number(process.env['TCSPEC_FROM'] ?? 0), count, drawn: simtOf, modelled: Number(process.env['MODELLED'] ?? 8), weakened: lanes })
  console.log([...t.weak].map(([r, w]) => `${r} ${String(w.times)} ${String(w.first)}`).join('\n'))
  console.log(t.counts, { unlike: t.unlike.length, unmodelled: t.unmodelled.length, unsound: t.unsound.length, incomplete: t.incomplete.length, unreal: t.unreal.length })
  for (const k of ['unlike', 'unmodelled', 'unsound', 'incomplete', 'unreal'] as const)
    for (const s of t[k].slice(0, Number(process.env['SHOWN'] ?? 4))) console.log(`== ${k} ${s}`)
  expect(t.unsound).toEqual([])
})
