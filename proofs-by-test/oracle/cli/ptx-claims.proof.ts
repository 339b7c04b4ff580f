/**
 * What kernels of PTX compute for all inputs: `--computes` on the kernels of warpgroups, of which an H100 left a product, and on the same kernels with a
 * step of their data movement changed, of which none is one.
 *
 * Oracle: the change says which elements are missing, repeated or elsewhere.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Provenance, Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const folder = new URL('../../../conformance/hopper/', import.meta.url)

interface Claim {
  readonly kernel: string
  readonly computes: string
  /** every k is added in ascending order */
  readonly inOrder: boolean
  /** a text of one statement, what it becomes, and what is then said */
  readonly twins: ReadonlyArray<readonly [about: string, from: RegExp, to: string, says: RegExp]>
}

const claims: ReadonlyArray<Claim> = [
  {
    kernel: 'warpgroups/ring',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [
      ['two elements exchanged', /(st\.global\.f32 \t\[%rd73\], )%f3456/u, '$1%f3455', /row 0 and column 1/u],
      ['a slice of k twice', /%rd8,%rd9,1/u, '%rd6,%rd7,1', /k-slices .*missing.*repeated/u],
      ['the sums so far forgotten', /%rd12,%rd13,1,1,1/u, '%rd12,%rd13,0,1,1', /k-slices .*missing/u],
      ['one product subtracted', /%rd12,%rd13,1,1,1/u, '%rd12,%rd13,1,-1,1', /subtract/u],
      ['operands that do not meet', /%rd8,%rd9,1/u, '%rd6,%rd9,1', /do not meet/u],
      ['a transpose', /%rd8,%rd9,1,1,1,0,0/u, '%rd8,%rd9,1,1,1,0,1', /operand B is scrambled|do not meet/u],
    ],
  },
  {
    kernel: 'warpgroups/pingpong_matmul',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [
      [
        'halves exchanged',
        /(cvt\.rn\.f16x2\.f32 %r241, )(%f4347), (%f4348)/u,
        '$1$3, $2',
        /row 0 and column 1/u,
      ],
      [
        'matrices exchanged',
        /\{%r241, %r242, %r243, %r244\}/u,
        '{%r242, %r241, %r243, %r244}',
        /row 8 and column 0/u,
      ],
      ['cut at zero', /(cvt\.rn)(\.f16x2\.f32 %r241, )/u, '$1.relu$2', /computed by other means/u],
    ],
  },
  {
    kernel: 'warpgroups/cluster_matmul',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [['the other rows of B', /\{%r155, %r17\}/u, '{%r155, %r15}', /column/u]],
  },
]

const proofOf = (kernel: string, computes: string, change: (text: string) => string): Provenance => {
  const files = new Map(
    readdirSync(new URL(`${kernel}/`, folder)).map((file) => [
      file,
      new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder))),
    ]),
  )
  const file = `${kernel.split('/').pop()!}.ptx`
  files.set(file, new TextEncoder().encode(change(new TextDecoder().decode(files.get(file)))))
  const report = right(checkPtx(worldOf(inMemory(files)), file, { launch: 'launch.json', computes }))
  return (report.json() as Verdict).provenance!
}

describe('for all inputs', () => {
  it.each(sampled(3, claims).map((c) => [c.kernel, c] as const))('%s', (kernel, { computes, inOrder }) => {
    const proof = proofOf(kernel, computes, (text) => text)
    expect(proof, proof.text).toMatchObject({ proved: true, inOrder })
  })
})

describe('no product', () => {
  it.each(
    sampled(
      20,
      claims.flatMap(({ kernel, computes, twins }) =>
        twins.map((twin) => [`${kernel}: ${twin[0]}`, kernel, computes, twin] as const),
      ),
    ),
  )('%s', (_, kernel, computes, [, from, to, says]) => {
    const { proved, text } = proofOf(kernel, computes, (ptx) => {
      expect(ptx).toMatch(from)
      return ptx.replace(from, to)
    })
    expect(proved).toBe(false)
    expect(text).toMatch(says)
  })
})
