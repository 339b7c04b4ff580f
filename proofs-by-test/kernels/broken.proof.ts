import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { brokenOf, labelsOf, without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { print } from '../../src/semantics/language/print.js'
import type { Program } from '../../src/semantics/language/program.js'
import { right } from '../either.js'

// One block, nine k steps on four slots: every wait matters.
const settings = { m: 64, n: 32, k: 144, tileK: 16, stages: 4 }
const kernel = right(instanceOf(right(kernelNamed('hopper-matmul')), settings, [])).program

describe('without', () => {
  const lines = (p: Program): ReadonlyArray<string> => print(p).split('\n')
  it('law 1: the listing loses the lines of that label and no others', () => {
    const whole = lines(kernel)
    for (const label of labelsOf(kernel)) {
      const broken = without(label)(kernel)
      if (E.isLeft(broken)) {
        expect(label).toBe('acc[...]')
        continue
      }
      expect(labelsOf(broken.right)).toEqual(labelsOf(kernel).filter((l) => l !== label))
      const left = lines(broken.right)
      expect(left.length).toBeLessThan(whole.length)
      // everything that is left stood there before, in the same order
      let at = 0
      for (const l of whole) if (l === left[at]) at++
      expect(at).toBe(left.length)
    }
  })
  it('laws 2 and 3: no such label; a result that somebody reads', () => {
    expect(without('wait consume')(kernel)).toMatchObject(
      E.left({
        code: 'broken.label',
        message: expect.stringMatching(/no statement 'wait consume'.*'wait consumed'/),
      }),
    )
    expect(without('acc[...]')(kernel)).toMatchObject(E.left({ code: 'broken.result' }))
  })
})

describe('the manifest of hopper-matmul', () => {
  it('has every statement of the body, but for those without which the kernel is still right', () => {
    const listed = brokenOf('hopper-matmul').map((b) => b.without)
    const others = labelsOf(kernel).filter((l) => !listed.includes(l) && !l.startsWith('init '))
    // the twin of `copy a`; what orders nothing that one CTA needs; what cannot be left out
    expect(others).toEqual(['publish barriers', 'acc[...]', 'copy b.expect', 'copy b'])
  })
})
