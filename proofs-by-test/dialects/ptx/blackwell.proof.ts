/**
 * The modules for sm_100: their PTX leaves, bit for bit, what their TTGIR leaves, and what is found in the one and not in the other has one of few reasons, which
 * docs/ptx-and-ttgir-sm100.md tells. Oracle: the other front end, which elaborates another text. `TCSPEC_REGENERATE` with `TCSPEC_NIGHTLY` writes the page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import type { Provenance, Verdict } from '../../../src/semantics/judging/verdict.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { launched } from '../ttgir/launches.js'
import { judged } from '../ttgir/verdicts.js'
import { blackwellFiles, launchedBlackwell, leftByPtx, leftByTtgir, ptxOf } from './blackwell.js'
import { forAll } from './side-by-side.js'

// ---------------------------------------------------------------- outputs

const small = { rows: 1, columns: 2, steps: 5 }
const looked = blackwellFiles.filter((file) => nightly || /^mm_ptr_64x64x32/u.test(file))

describe.each(looked)('%s', (file) => {
  it('leaves what the TTGIR leaves', () => {
    const left = leftByPtx(file, nightly ? null : small)
    expect(typeof left).toBe('object')
    expect(left).toEqual(leftByTtgir(file, nightly ? null : small))
  }, 120_000)
})

// ---------------------------------------------------------------- for all inputs

/** What a module is said to compute: all but attention and the scaled product are products of f16. */
const claimOf = (file: string): string | null => {
  const { computes } = launched(file, small)
  return computes?._tag !== 'matmul'
    ? null
    : `matmul:${[computes.a, computes.b, computes.out].map((name) => name.split('.')[0]!).join()}`
}

const proofOf = (file: string, change: (text: string) => string): Provenance => {
  const { elaborated, arguments: given } = launchedBlackwell(file, small, change(ptxOf(file)), claimOf(file))
  const source = warpSource(elaborated.program, given)
  return right(checkSource(source, { ...standardOptions, algebra: bits('blackwell'), provenance: true }))
    .verdict.provenance!
}

describe('for all inputs', () => {
  it.each(
    blackwellFiles.filter((file) => claimOf(file) !== null && (nightly || /^mm_ptr_64x64x32/u.test(file))),
  )(
    '%s: what tensor memory leaves is the product',
    (file) => {
      const proof = proofOf(file, (text) => text)
      expect([proof.text, proof.proved, proof.inOrder]).toEqual([proof.text, true, true])
    },
    300_000,
  )

  const file = blackwellFiles.find((name) => name.startsWith('mm_ptr_64x64x32'))!
  const twins: ReadonlyArray<readonly [about: string, from: RegExp, to: string, says: RegExp]> = [
    [
      'registers exchanged',
      /(cvt\.rn\.f16x2\.f32 \t%r\d+, )(%r\d+), (%r\d+);/u,
      '$1$3, $2;',
      /row \d+ and column/u,
    ],
    [
      'the sums so far forgotten',
      /(tcgen05\.mma\.cta_group::1\.kind::f16 \[[^\]]+\], %rd\d+, %rd\d+, %r\d+), (%p\d+);(?![\s\S]*tcgen05\.mma)/u,
      '$1, 0;',
      /missing|same|expected/u,
    ],
    [
      'a half cut away',
      /(or\.b64 \t%rd\d+, %rd\d+, )(%rd\d+);(\s+(?:\.loc[^\n]*\n\s+)?mov\.b64)/u,
      '$10;$3',
      /other means|lie side by side|writes/u,
    ],
  ]
  it.each(nightly ? twins : twins.slice(0, 1))(
    'no product: %s',
    (_, from, to, says) => {
      const { proved, text } = proofOf(file, (ptx) => {
        expect(ptx).toMatch(from)
        return ptx.replace(from, to)
      })
      expect([proved, text]).toEqual([false, text])
      expect(text).toMatch(says)
    },
    300_000,
  )
})

// ---------------------------------------------------------------- verdicts

const page = new URL('../../../docs/ptx-and-ttgir-sm100.md', import.meta.url)

const judgedPtx = (file: string): Verdict => {
  const claim = claimOf(file)
  const { elaborated, arguments: given } = launchedBlackwell(file, null, undefined, claim)
  const source = warpSource(elaborated.program, given)
  const options = { ...standardOptions, algebra: bits('blackwell'), provenance: claim !== null }
  return right(checkSource(source, options)).verdict
}

const idsOf = ({ findings }: Verdict): ReadonlyArray<string> =>
  [...new Set(findings.map(({ id }) => id as string))].sort()

const lineOf = (site: string): number => Number(/\(line (\d+)\)/u.exec(site)?.[1] ?? 0)

type Finding = Verdict['findings'][number]

/** Why a finding of the PTX is none of the TTGIR; nothing: it is not known. */
const reasonOf = (text: ReadonlyArray<string>, f: Finding): string => {
  const lines = [f.a, f.b].flatMap((side) => (side === undefined ? [] : [text[lineOf(side.site) - 1] ?? '']))
  if (f.id === 'M8' && lines.every((line) => /tcgen05\.(mma|ld|st)\./u.test(line))) return 'warps'
  if (f.id === 'P2' && lines.some((line) => /tensormap\.replace|st\.shared/u.test(line))) return 'placement'
  return ''
}

const differenceOf = (file: string, ptx: Verdict, ttgir: Verdict): string => {
  const text = ptxOf(file).split('\n')
  const [own, its] = [idsOf(ptx), idsOf(ttgir)]
  const reasons = new Set(
    ptx.findings.filter(({ id }) => !its.includes(id)).map((f) => `${f.id}: ${reasonOf(text, f)}`),
  )
  const fewer = its.filter((id) => !own.includes(id)).map((id) => `${id}: of the TTGIR alone`)
  return [...[...reasons].sort(), ...fewer].join('; ')
}

const shown = (v: Verdict): string =>
  v.findings.length === 0 ? v.verdict : `${v.verdict}: ${idsOf(v).join(', ')}`

const head = `# PTX and TTGIR for sm_100

The 23 modules of \`conformance/triton/modules\` for sm_100, from both texts, at the launches of [triton-modules.md](triton-modules.md). No such chip was at hand: the outputs of the two are
compared with each other, and every bit of all 23 is equal. The column "for all inputs" says whether c = a @ b is proved for all inputs of the shape, from the PTX through
tensor memory and registers, and from the TTGIR. \`proofs-by-test/dialects/ptx/blackwell.proof.ts\` writes this page.

Findings in the PTX and not in the TTGIR have one of these reasons.

- _warps_: in PTX each warp is an agent, and a barrier orders no tensor memory by itself: what a warp stores, or the tensor core has done, is another's across \`bar.sync\` or an mbarrier only with
  \`tcgen05.fence::before_thread_sync\` (a commit implies it) and \`::after_thread_sync\` (PTX ISA, memory consistency of tcgen05). No module has a \`tcgen05.fence\`. In TTGIR a partition is one agent, and a
  barrier on which a commit arrives orders the tensor core.
- _placement_: where in shared memory everything lies. A tensor map is made in bytes that a copy fills later, without a proxy fence between.

| module | for all inputs (PTX, TTGIR) | PTX | TTGIR | why they differ |
| --- | --- | --- | --- | --- |
`

/** Without the spaces that keep columns of a table apart. */
const tight = (line: string): string => line.replace(/\s+/gu, ' ')
const regenerate = process.env['TCSPEC_REGENERATE'] !== undefined && nightly
const rows = new Map<string, string>()

describe('verdicts side by side', () => {
  it.each(blackwellFiles.filter((file) => nightly || /^mm_hosttma_nows_64x64x32/u.test(file)))(
    '%s',
    (file) => {
      const [ptx, ttgir] = [judgedPtx(file), judged(file)]
      const why = differenceOf(file, ptx, ttgir)
      expect(why).not.toMatch(/: (;|$)|alone/u)
      const row = `| \`${file.replace('.ttgir', '')}\` | ${forAll(ptx, ttgir)} | ${shown(ptx)} | ${shown(ttgir)} | ${why} |`
      rows.set(file, row)
      if (!regenerate) expect(readFileSync(page, 'utf8').split('\n').map(tight)).toContain(tight(row))
    },
    300_000,
  )
  afterAll(() => {
    if (regenerate)
      writeFileSync(page, `${head}${blackwellFiles.map((file) => rows.get(file)!).join('\n')}\n`)
  })
})
