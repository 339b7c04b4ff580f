/** The sweep of PTX that docs/Sweeps.md shows, run: what it prints there is what comes of it, and its key one of its rows. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import type { Row } from '../../../src/oracle/sweep/results.js'
import { ask, worldWith } from './world.js'

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
    const { status, stdout } = await ask(worldWith(), 'sweep', path.join(dir, 'grid.json'), '-o', results)
    expect(status).toBe(0)
    expect(stdout).toContain(table)
    const rows = fs
      .readFileSync(results, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Row)
    expect(rows.map((row) => row.key)).toContain(key)
    // no change is let through: each is found, or leaves what an H100 left by every schedule
    expect(rows.filter((row) => row.outcome === 'survived')).toEqual([])
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
})
