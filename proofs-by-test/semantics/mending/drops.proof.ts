/**
 * Mending is the inverse of leaving out: a kernel less one of its waits, fences or arrives, mended, is ok again.
 *
 * By day a sample of two kernels, where every one is; by night all of every kernel of the catalogue, of which four of five are.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { judgedAt, kernels } from '../../../src/kernels/catalogue/index.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { mended } from '../../../src/semantics/mending/index.js'
import { mutantsOf, type Mutant } from '../../../src/semantics/mutation/index.js'
import { check } from '../../../src/semantics/verdict/check.js'
import { nightly, sampled } from '../../extent.js'
import { right } from '../../either.js'
import { options, programOf } from '../mutation/settings.js'

/** The verdict of what is left, and of what is mended by its first finding; null where nothing is wrong without the statement. */
const fate = ({ key, program }: Mutant): readonly [key: string, before: string, after: string] | null => {
  const before = right(check(program, options))
  const [finding] = before.reasons.findings
  if (before.verdict.verdict === 'ok' || finding === undefined) return null
  const mending = mended(program, before, finding, (p) => check(p, { ...options, explain: false }))
  if (E.isLeft(mending)) return [key, before.verdict.verdict, mending.left.code]
  return [key, before.verdict.verdict, right(check(mending.right.program, options)).verdict.verdict]
}

/** Left out, and nothing put in its place. */
const dropped = (program: Program): ReadonlyArray<Mutant> =>
  mutantsOf(program, ['DROP', 'EXIT'], ['synchronisation']).filter((m) => m.manner === 'absent')

const day = [
  ['queue', { m: 5, n: 8, rows: 1, buffering: 2 }],
  ['hopper-matmul', { m: 64, n: 16, k: 80, tileM: 64, tileN: 16, tileK: 16, stages: 2 }],
] as const

describe.each(day)('%s', (name, settings) => {
  it('less one statement, mended, is ok again', () => {
    const fates = sampled(1, dropped(programOf(name, settings)))
      .map(fate)
      .filter((f) => f !== null)
    expect(fates.length).toBeGreaterThan(nightly ? 2 : 1)
    expect(fates.filter(([, , after]) => after !== 'ok')).toEqual([])
  })
})

describe.skipIf(!nightly)('the catalogue', () => {
  const all: Array<readonly [string, string, string, string]> = []
  it.each(kernels.map((k) => [k.name, k] as const))('%s', { timeout: 600_000 }, (name, kernel) => {
    for (const m of dropped(right(judgedAt(kernel)).program)) {
      const told = fate(m)
      if (told !== null) all.push([name, ...told])
    }
  })
  it('four of five are ok again', () => {
    const ok = all.filter(([, , , after]) => after === 'ok')
    expect(all.length).toBeGreaterThan(100)
    expect(ok.length / all.length).toBeGreaterThan(0.8)
  })
})
