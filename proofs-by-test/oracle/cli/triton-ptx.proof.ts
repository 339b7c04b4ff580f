/**
 * Triton's captures at both levels: from their PTX they leave every bit that an H100 left, and what is said of them is what is said of their TTGIR, or the page
 * docs/ptx-and-ttgir.md says why not. Of a product both are asked whether it is one for all inputs. `TCSPEC_REGENERATE` with `TCSPEC_NIGHTLY` writes the page; by day some rows of it are looked at.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'
import { forAll } from '../../dialects/ptx/side-by-side.js'

const captures = new URL('../../../conformance/triton/captures/', import.meta.url)
const page = new URL('../../../docs/ptx-and-ttgir.md', import.meta.url)
const names = readdirSync(captures).filter((name) =>
  readdirSync(new URL(name, captures)).includes(`${name}.ptx`),
)

/** The quickest. */
const byDay = ['mm_hosttma_nows_128x128x64_s3_w4_256x256x192']

const filesOf = (name: string): ReadonlyMap<string, Uint8Array> =>
  new Map(
    readdirSync(new URL(name, captures)).map((file) => [
      file,
      new Uint8Array(readFileSync(new URL(`${name}/${file}`, captures))),
    ]),
  )

interface Judged {
  readonly differing: number
  readonly elements: number
  readonly verdict: Verdict
}

const counted = (text: string): Pick<Judged, 'differing' | 'elements'> => {
  const compared = [...text.matchAll(/ ([\d,]+) of ([\d,]+) elements differ/gu)]
  const sum = (k: number): number => compared.reduce((n, m) => n + Number(m[k]!.replaceAll(',', '')), 0)
  return { differing: sum(1), elements: sum(2) }
}

/** What a launch is said to compute: all but attention are products. */
const claimOf = (name: string): string | null => (name.startsWith('mm_') ? 'matmul:a,b,c' : null)

/** `tcspec run`, on the data of the launch. */
const ofPtx = (name: string): Judged => {
  const world = worldOf(inMemory(new Map(filesOf(name))))
  const computes = claimOf(name)
  const report = right(
    runPtx(world, `${name}.ptx`, { launch: 'launch.json', ...(computes === null ? {} : { computes }) }),
  )
  return { ...counted(report.text()), verdict: report.json() as Verdict }
}
const ofTtgir = async (name: string): Promise<Judged> => {
  const said = running(worldOf(inMemory(new Map(filesOf(name)))))
  const computes = claimOf(name)
  const words = [
    `${name}.ttgir`,
    '--launch',
    'launch.json',
    ...(computes === null ? [] : ['--computes', computes]),
  ]
  const verdict = JSON.parse((await said('check', ...words, '--json')).stdout) as Verdict
  return { ...counted((await said('run', ...words)).stdout), verdict }
}

// ---------------------------------------------------------------- what lowering adds

const idsOf = ({ findings }: Verdict): ReadonlyArray<string> =>
  [...new Set(findings.map(({ id }) => id as string))].sort()

/** Line of the PTX at which a finding's side is. */
const lineOf = (site: string): number => Number(/\(line (\d+)\)/u.exec(site)?.[1] ?? 0)

/** The four things that lowering adds, as far as a finding of the PTX shows them. */
const addedBy = (text: ReadonlyArray<string>, f: Verdict['findings'][number]): string => {
  const lines = [f.a, f.b].flatMap((side) => (side === undefined ? [] : [text[lineOf(side.site) - 1] ?? '']))
  // every warp of a partition stores the same immediates
  if (f.id === 'D1' && lines.every((line) => /st\.shared\S*\s+\[\S+\], (\{[^%]*\}|-?\d+);/u.test(line)))
    return 'the state of warp specialisation, which all warps store alike and unordered'
  return ''
}

const differenceOf = (name: string, ptx: Verdict, ttgir: Verdict): string => {
  const text = readFileSync(new URL(`${name}/${name}.ptx`, captures), 'utf8').split('\n')
  const [own, its] = [idsOf(ptx), idsOf(ttgir)]
  const more = own.filter((id) => !its.includes(id))
  const fewer = its.filter((id) => !own.includes(id))
  const reasons = new Set(
    ptx.findings.filter(({ id }) => more.includes(id)).map((f) => `${f.id}: ${addedBy(text, f)}`),
  )
  return [...[...reasons].sort(), ...fewer.map((id) => `${id}: of the TTGIR alone`)].join('; ')
}

// ---------------------------------------------------------------- the page

const head = `# PTX and TTGIR of one launch

The 21 launches of \`conformance/triton/captures\` that have their PTX, run here from both texts and compared with what an H100 left. Every element of an output is compared, bit for bit.
\`proofs-by-test/oracle/cli/triton-ptx.proof.ts\` writes this page.

Lowering adds four things that TTGIR does not say: synchronisation inside a partition, the scratch of conversions of layouts, the state machine of warp specialisation, and where in shared memory
everything lies. The column "for all inputs" says whether c = a @ b is proved for all inputs of the shape, from the PTX through its registers, and from the TTGIR. Where the findings differ, the last column says why. Values that all warps store alike, the
state of that machine, and one tile that two partitions store are one value, by terms, at both levels: notes (N4).

| launch | elements that differ (PTX, TTGIR) | for all inputs (PTX, TTGIR) | PTX | TTGIR | why they differ |
| --- | --- | --- | --- | --- | --- |
`
const shown = (v: Verdict): string =>
  v.findings.length === 0 ? v.verdict : `${v.verdict}: ${idsOf(v).join(', ')}`

const rows = new Map<string, string>()

describe('every bit, and the verdicts side by side', () => {
  it.each(nightly ? names : byDay)('%s', { timeout: 600_000 }, async (name) => {
    const ptx = ofPtx(name)
    const ttgir = await ofTtgir(name)
    expect(ptx.elements).toBeGreaterThan(0)
    expect(ptx.elements).toBe(ttgir.elements)
    expect([ptx.differing, ttgir.differing]).toEqual([0, 0])
    const why = differenceOf(name, ptx.verdict, ttgir.verdict)
    expect(why).not.toMatch(/: (;|$)|alone/u)
    if (why === '') expect(ptx.verdict.verdict).toBe(ttgir.verdict.verdict)
    const row = `| \`${name}\` | 0, 0 of ${ptx.elements.toLocaleString('en-US')} | ${forAll(ptx.verdict, ttgir.verdict)} | ${shown(ptx.verdict)} | ${shown(ttgir.verdict)} | ${why} |`
    rows.set(name, row)
    if (process.env['TCSPEC_REGENERATE'] === undefined)
      expect(readFileSync(page, 'utf8').split('\n').map(tight)).toContain(tight(row))
  })
  afterAll(() => {
    if (process.env['TCSPEC_REGENERATE'] !== undefined && nightly)
      writeFileSync(page, `${head}${names.map((name) => rows.get(name)!).join('\n')}\n`)
  })
})

/** Without the spaces that keep columns of a table apart. */
const tight = (line: string): string => line.replace(/\s+/gu, ' ')
