/**
 * Every single dropped, doubled or retargeted synchronisation operation of the small kernels is found out by name, or changes nothing by
 * certificate.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { unit } from '../../../src/numerics/index.js'
import { noArguments } from '../../../src/semantics/launch.js'
import { judgeMutant, mutantsOf } from '../../../src/semantics/mutation/index.js'
import { eager } from '../../../src/semantics/policy.js'

const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

const tiles = { n: 16, k: 112, tileN: 16, tileK: 16, stages: 3 } as const
const cases = [
  ['hopper-matmul', { m: 64, tileM: 64, ...tiles }],
  ['matmul0', { m: 128, tileM: 128, ...tiles }],
  ['wgmma-loop', { m: 64, tileM: 64, ...tiles }],
  ['wgmma-loop', { m: 64, tileM: 64, ...tiles, wgmmaWait: 'documented', explicitWait: false }],
  ['queue', { produce: 'stores' }],
  ['queue', { produce: 'copies' }],
] as const

describe('dropped, doubled, retargeted', () => {
  for (const [name, settings] of cases) {
    const title = `${name} ${JSON.stringify(settings)}`
    test(title, () => {
      const { program } = right(instanceOf(right(kernelNamed(name)), settings, []))
      const judged = mutantsOf(program, ['DROP', 'DUP', 'RETARGET']).map((m) =>
        judgeMutant(
          program,
          {
            settings: {},
            algebra: unit,
            arguments: noArguments,
            policy: eager,
            strict: false,
            strictProxies: false,
            hazards: true,
            provenance: true,
            explore: true,
            fuel: 1_000_000,
          },
          m,
        ),
      )
      expect(judged.length).toBeGreaterThan(25)
      const left = judged.filter((j) => j.certificate === null && !(j.fate === 'killed' && j.named))
      expect(left.map((j) => `${j.mutant.operator} ${j.mutant.site}`)).toEqual([])
    })
  }
})
