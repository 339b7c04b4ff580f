/**
 * What a report says is missing, where a kernel was changed in one place: by hand, the edge that a reader would put back.
 */
import { expect, test } from 'vitest'
import { judgedAt, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { check } from '../../../src/semantics/verdict/check.js'
import { mutantsOf } from '../../../src/semantics/mutation/index.js'
import { options } from './settings.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'

const verdictOfMutant = (name: string, key: string, strict: boolean): Verdict => {
  const { program } = right(judgedAt(right(kernelNamed(name))))
  const m = mutantsOf(program).find((x) => x.key === key)!
  return right(check(m.program, { ...options, strict })).verdict
}

test.each([
  [
    'queue',
    'FLAG | producer / i / arrive produced | relaxed',
    'V1',
    /^make the arrive `arrive produced` of producer@0 on produced\[\d\]@0 a release$/,
  ],
  [
    'hopper-matmul',
    'DROP | compute / k / wgmma.group | left out',
    'W3',
    /^add a commit that closes the wgmma group of `wgmma` of compute@0, and a wgmma group wait that covers it/,
  ],
  [
    'hopper-matmul',
    'DROP | compute / k / wgmma_wait 1 | left out',
    'W3',
    /^add a wgmma group wait that covers `wgmma`/,
  ],
  ['hopper-matmul', 'DROP | memory / k / wait consumed | left out', 'W1', /^wait for .*consumed\[\d\]@0/],
  ['matmul1', 'DROP | thread / wait mma_done | left out', 'M2', /^wait for mma_done_barrier.* \(phase 0\)/],
  [
    'matmul1',
    'MOVE | thread / thread.warp1 / commit mma_done | before all of k',
    'M2',
    /^move the arrive `commit mma_done` of thread.warp1@0 on mma_done_barrier.* after `tcgen05_mma`/,
  ],
  [
    'hopper-pipeline-ws',
    'SLOT | wg2 / pipeline.fetches / pipeline.wait consumed | always slot 0',
    'W3',
    /^wait for pipeline.consumed\[1\]@0 \(phase \d\) .* instead of what `pipeline.wait consumed` waits for$/,
  ],
  [
    'matmul3',
    'PRIME | init barriers / init consumed_barriers[0] | and an arrive',
    'W1',
    /^move the arrive `.*` on consumed_barriers\[0\]@0 after the statement that reads the bytes of `copy a`/,
  ],
  [
    'matmul3',
    'DROP | init barriers / publish barriers | left out',
    'B9',
    /^add a fence\.mbarrier_init after `init load_barriers\[0\]` of thread@0$/,
  ],
] as const)('%s: %s', (name, key, id, text) => {
  const { findings } = verdictOfMutant(name, key, false)
  const told = findings.find((f) => f.id === id && f.missing !== undefined)
  expect(told?.missing?.text).toMatch(text)
})

test('by the manual alone: the arrive that orders the two, as a release', () => {
  const key = 'FLAG | wg0 / tile / arrive consumed last | relaxed'
  const [first] = verdictOfMutant('hopper-persistent', key, true).findings
  expect(first?.id).toBe('W3')
  expect(first?.missing?.text).toBe(
    'make the arrive `arrive consumed last` of wg0@0 on consumed[0]@0 a release',
  )
})

test('the first finding of each id stands before the second of any', () => {
  const { program } = right(judgedAt(right(kernelNamed('hopper-matmul'))))
  let several = 0
  for (const m of sampled(2, mutantsOf(program, ['DROP', 'PRIME']))) {
    const checked = check(m.program, options)
    if (checked._tag === 'Left') continue
    const ids = checked.right.verdict.findings.map((f) => f.id)
    const distinct = new Set(ids).size
    expect(new Set(ids.slice(0, distinct)).size).toBe(distinct)
    if (ids.length > distinct) several++
  }
  expect(several).toBeGreaterThan(nightly ? 3 : 1)
})
