/**
 * The modules for sm_100: their PTX leaves, bit for bit, what their TTGIR leaves, and what is found in the one and not in the other has one of few reasons, which
 * docs/ptx-and-ttgir-sm100.md tells. Oracle: the other front end, which elaborates another text. `TCSPEC_REGENERATE` with `TCSPEC_NIGHTLY` writes the page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { judged } from '../ttgir/verdicts.js'
import { blackwellFiles, launchedBlackwell, leftByPtx, leftByTtgir, ptxOf } from './blackwell.js'

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

it('what it computes for all inputs is not asked of tensor memory', () => {
  const { elaborated, arguments: given } = launchedBlackwell(blackwellFiles[0]!, small)
  const computes = { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK: 16 } as const
  const refused = launchWarps(elaborated.program, { ...given, computes }, bits('blackwell'))
  expect(refused).toMatchObject({ _tag: 'Left', left: { code: 'launch.computes' } })
})

// ---------------------------------------------------------------- verdicts

const page = new URL('../../../docs/ptx-and-ttgir-sm100.md', import.meta.url)

const judgedPtx = (file: string): Verdict => {
  const { elaborated, arguments: given } = launchedBlackwell(file)
  const source = warpSource(elaborated.program, given)
  return right(checkSource(source, { ...standardOptions, algebra: bits('blackwell') })).verdict
}

const idsOf = ({ findings }: Verdict): ReadonlyArray<string> =>
  [...new Set(findings.map(({ id }) => id as string))].sort()

const lineOf = (site: string): number => Number(/\(line (\d+)\)/u.exec(site)?.[1] ?? 0)

type Finding = Verdict['findings'][number]

/** Why a finding of the PTX is none of the TTGIR; nothing: it is not known. */
const reasonOf = (text: ReadonlyArray<string>, f: Finding): string => {
  const lines = [f.a, f.b].flatMap((side) => (side === undefined ? [] : [text[lineOf(side.site) - 1] ?? '']))
  if (f.id === 'M8' && lines.every((line) => /tcgen05\.(mma|ld|st)\./u.test(line))) return 'warps'
  if (
    (f.id === 'D1' || f.id === 'B6') &&
    f.a.site === f.b?.site &&
    lines.every((line) => /st\.shared/u.test(line))
  )
    return 'state'
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
compared with each other, and every bit of all 23 is equal. \`proofs-by-test/dialects/ptx/blackwell.proof.ts\` writes this page.

What is found in the PTX and not in the TTGIR has one of these reasons.

- _warps_: in PTX each warp is an agent, and a barrier orders no tensor memory by itself: what a warp stores, or the tensor core has done, is another's across \`bar.sync\` or an mbarrier only with
  \`tcgen05.fence::before_thread_sync\` (a commit implies it) and \`::after_thread_sync\` (PTX ISA, memory consistency of tcgen05). No module has a \`tcgen05.fence\`. In TTGIR a partition is one agent, and a
  barrier on which a commit arrives orders the tensor core.
- _state_: the state of warp specialisation. All warps of the default partition store the same words, unordered.
- _placement_: where in shared memory everything lies. A tensor map is made in bytes that a copy fills later, without a proxy fence between.

| module | PTX | TTGIR | why they differ |
| --- | --- | --- | --- |
`

/** Without the spaces that keep columns of a table apart. */
const tight = (line: string): string => line.replace(/\s+/gu, ' ')
const regenerate = process.env['TCSPEC_REGENERATE'] !== undefined && nightly
const rows = new Map<string, string>()

describe('verdicts side by side', () => {
  it.each(blackwellFiles.filter((file) => nightly || /^mm_hosttma_ws_64x64x32/u.test(file)))(
    '%s',
    (file) => {
      const [ptx, ttgir] = [judgedPtx(file), judged(file)]
      const why = differenceOf(file, ptx, ttgir)
      expect(why).not.toMatch(/: (;|$)|alone/u)
      const row = `| \`${file.replace('.ttgir', '')}\` | ${shown(ptx)} | ${shown(ttgir)} | ${why} |`
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
