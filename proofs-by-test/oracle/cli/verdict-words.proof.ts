/** The words of a verdict are those of its document: what `check` prints is made again from the JSON that it prints, and from nothing else. */
import { describe, expect, test } from 'vitest'
import { programName, foreign, zoo } from '../../../src/kernels/broken/index.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { checkCommand } from '../../../src/oracle/cli/commands/check.js'
import type { Options, Report } from '../../../src/oracle/cli/command.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { findingRows } from '../../../src/render/finding.js'
import { findingPicture } from '../../../src/render/finding-picture.js'
import { plain } from '../../../src/render/palette.js'
import { write } from '../../../src/render/svg.js'
import { fields } from '../../../src/render/table.js'
import { findingBlocks, paintedRows } from '../../../src/render/verdict.js'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { moduleText } from '../../dialects/ttgir/modules.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const world = worldOf(onDisk)

/** One answer, as text and as the document that a reader parses. */
const asked = async (
  name: string,
  options: Options = {},
  files = onDisk,
): Promise<readonly [string, Verdict]> => {
  const report: Report = right(await checkCommand.run({ ...world, files })([name], options)())
  return [report.text(), right(decodeVerdict(JSON.parse(JSON.stringify(report.json()))))]
}

const context = { palette: plain, judged: true, most: 4 }

/** The text has these rows, one under another, and then these blocks and nothing more. */
const expectWords = (text: string, v: Verdict): void => {
  expect(text).toContain(`\n${fields(plain, 12, paintedRows(context, v))}\n`)
  const blocks = findingBlocks(context, v)
  expect(text.endsWith(`${['', ...blocks].join('\n\n')}\n`)).toBe(true)
}

const kernels = [...zoo, ...foreign].filter((twin) => twin.draft(false)._tag === 'Right')
/** Refused before they run. */
const refused = ['zoo/A1', 'zoo/A2', 'zoo/A3', 'zoo/A4', 'zoo/L2', 'zoo/M5', 'zoo/T3']

describe('the words of a verdict', () => {
  test.each(
    sampled(
      3,
      kernels.map((twin) => programName(twin, false)).filter((name) => !refused.includes(name)),
    ),
  )('%s: from its document alone', async (name) => {
    const [text, v] = await asked(name)
    expectWords(text, v)
    const { findings, notes, conditions } = v
    const all = [...findings, ...notes, ...Object.values(conditions).flatMap((c) => c.findings)]
    for (const f of all) expect(f.title).toBeDefined()
  })
  test('a module: the author’s line and the operation that the compiler made of it are in the document', async () => {
    const module = moduleText('mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')
    const files = inMemory(new Map([['k.ttgir', new TextEncoder().encode(module)]]))
    const waits = [...module.matchAll(/%(\w+)(?::\d+)? = ttng.warp_group_dot_wait/g)]
    const launch = { grid: '1,1', arg: ['da=f16[64,64]', 'db=f16[64,64]', 'dc=f16[64,64]:out', 'K=64'] }
    const [text, v] = await asked('k.ttgir', { ...launch, without: [waits.at(-1)![1]!] }, files)
    expectWords(text, v)
    const [f] = v.findings
    expect(f!.a.source).toMatch(/\(ttng\.warp_group_dot, line \d+\)$/)
    expect(findingRows(f!).map(({ label }) => label)).toEqual([
      ...(['first', 'second', 'source', 'source', 'bytes', 'why', 'fix', 'whose', 'replay'] as const),
    ])
    expect(write(findingPicture(f!))).toContain('data-says="a source"')
  })
  test('the bytes of a ring lie in a buffer of the program, which the document names', async () => {
    const [, v] = await asked('zoo/W3')
    expect(v.findings[0]!.place?.within).toEqual([{ name: 's', start: 0, end: 8192 }])
    expect(v.findings[0]!.replay).toMatch(/^--schedule eager/)
  })
  test('what was known is an event, too', async () => {
    const [, v] = await asked('zoo/D1')
    expect(v.findings[0]).toMatchObject({ knows: 2, knew: expect.stringContaining('only up to event 2') })
    const [, one] = await asked('zoo/P1')
    expect(one.findings[0]!.knows).toBeUndefined()
  })
  test('a trace is told by its document, too', async () => {
    const disk = new Map<string, Uint8Array>()
    await tcspec(commands, { ...world, files: inMemory(disk) })(['trace', 'zoo/R1', '-o', 'r.jsonl'])()
    const [text, v] = await asked('r.jsonl', {}, inMemory(disk))
    expect(v.findings[0]!.id).toBe('R1')
    expectWords(text, v)
  })
})
