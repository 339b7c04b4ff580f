/**
 * The sweep of PTX that docs/Sweeps.md shows, run: what it prints there is what comes of it, and its key one of its rows. By day one part of twelve is run,
 * of which no change is let through.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import type { Row } from '../../../src/oracle/sweep/results.js'
import { ask, worldWith } from './world.js'
import { nightly } from '../../extent.js'

test('docs/Sweeps.md: PTX in a sweep', async () => {
  const page = fs
    .readFileSync(new URL('../../../docs/Sweeps.md', import.meta.url), 'utf8')
    .split('## PTX in a sweep')[1]!
  const spec = /```json\n([^]*?)```/u.exec(page)![1]!
  const table = /```text\n([^]*?)```/u.exec(page)![1]!
  const key = /`(mutate [^`]*)`/u.exec(page)![1]!
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-sweep-ptx-'))
  try {
    const folder = new URL('../../../conformance/hopper/mosaic/double/', import.meta.url)
    for (const file of fs.readdirSync(folder)) fs.copyFileSync(new URL(file, folder), path.join(dir, file))
    fs.writeFileSync(path.join(dir, 'grid.json'), spec)
    const results = path.join(dir, 'results.jsonl')
    const part = nightly ? [] : ['--shard', '1/12']
    const said = await ask(worldWith(), 'sweep', path.join(dir, 'grid.json'), '-o', results, ...part)
    expect(said.status).toBe(0)
    if (nightly) expect(said.stdout).toContain(table)
    const rows = fs
      .readFileSync(results, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Row)
    if (nightly) expect(rows.map((row) => row.key)).toContain(key)
    expect(rows.length).toBe(nightly ? 84 : 7)
    // the words of a key are those of the page: what is asked, of which file, by which launch
    const begins = /^mutate double\.ptx --launch launch\.json --mutant '\w+ \| kernels\.py:\d+ /u
    expect(key).toMatch(begins)
    expect(rows.some((row) => begins.test(row.key))).toBe(true)
    // no change is let through: each is found, or leaves what an H100 left by every schedule
    expect(rows.filter((row) => row.outcome === 'survived')).toEqual([])
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
})
