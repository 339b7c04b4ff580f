import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { brokenHopperMatmuls, labelsOf, without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { unit } from '../../src/numerics/unit.js'
import { check } from '../../src/semantics/check.js'
import { noArguments } from '../../src/semantics/launch.js'
import { eager } from '../../src/semantics/policy.js'
import { print } from '../../src/semantics/print.js'
import type { Program } from '../../src/semantics/program.js'
import type { Verdict } from '../../src/semantics/verdict.js'

const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}
// One block, nine k steps on four slots: every wait matters.
const settings = { m: 64, n: 32, k: 144, tileK: 16, stages: 4 }
const kernel = right(instanceOf(right(kernelNamed('hopper-matmul')), settings, [])).program

const verdictOf = (program: Program): Verdict =>
  right(
    check(program, {
      settings,
      algebra: unit,
      arguments: noArguments,
      policy: eager,
      strict: false,
      strictProxies: false,
      hazards: true,
      provenance: true,
      explore: true,
      fuel: 1e6,
    }),
  ).verdict

describe('without', () => {
  const lines = (p: Program): ReadonlyArray<string> => print(p).split('\n')
  it('law 1: the listing loses the lines of that label and no others', () => {
    for (const label of labelsOf(kernel)) {
      const broken = without(label)(kernel)
      if (E.isLeft(broken)) {
        expect(label).toBe('acc[...]')
        continue
      }
      expect(labelsOf(broken.right)).toEqual(labelsOf(kernel).filter((l) => l !== label))
      expect(lines(broken.right).length).toBeLessThan(lines(kernel).length)
      // everything that is left stood there before, in the same order
      let at = 0
      for (const l of lines(kernel)) if (l === lines(broken.right)[at]) at++
      expect(at).toBe(lines(broken.right).length)
    }
  })
  it('laws 2 and 3: no such label; a result that somebody reads', () => {
    expect(without('wait consume')(kernel)).toMatchObject(
      E.left({
        code: 'broken.label',
        message: expect.stringMatching(/'wait consumed'.*found 'wait consume'$/),
      }),
    )
    expect(without('acc[...]')(kernel)).toMatchObject(E.left({ code: 'broken.result' }))
  })
})

describe('broken kernels', () => {
  it('the neighbour that is right', () => {
    expect(verdictOf(kernel)).toMatchObject({ verdict: 'ok', findings: [], provenance: { proved: true } })
  })
  it.each(brokenHopperMatmuls)('without $without: $verdict, $shows', ({ without: label, verdict, shows }) => {
    const v = verdictOf(right(without(label)(kernel)))
    expect(v.verdict).toBe(verdict)
    expect(v.findings.map((f) => f.id)).toEqual(expect.arrayContaining([...shows]))
  })
  it('every statement of the body is in the table, but for those without which the kernel is still right', () => {
    const listed = brokenHopperMatmuls.map((b) => b.without)
    const others = labelsOf(kernel).filter((l) => !listed.includes(l) && !l.startsWith('init '))
    // the twin of `copy a`; what orders nothing that one CTA needs; what cannot be left out
    expect(others).toEqual(['publish barriers', 'acc[...]', 'copy b.expect', 'copy b'])
  })
})
