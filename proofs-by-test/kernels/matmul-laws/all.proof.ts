/** No matmul of the catalogue is left out: each has a plan, in a file of its name, and a manifest. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { statements } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernels } from '../../../src/kernels/catalogue/index.js'
import { right } from './laws.js'

test('every matmul of the catalogue has a plan and a manifest of broken forms', () => {
  const matmuls = kernels
    .filter((k) => right(instanceOf(k, {}, [])).program.computes?._tag === 'matmul')
    .map((k) => k.name)
  const plans = readdirSync(new URL('.', import.meta.url)).flatMap((file) =>
    file === 'all.proof.ts' || !file.endsWith('.proof.ts') ? [] : [file.slice(0, -'.proof.ts'.length)],
  )
  expect(plans.sort()).toEqual([...matmuls].sort())
  expect([...new Set(statements.map((b) => b.kernel))].sort()).toEqual([...matmuls].sort())
})
