/**
 * A sweep with chips predicts times and ranks them.
 *
 * The oracle is `tcspec time` itself, asked once for each point by the key of its row.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rankedText, type Row } from '../../../src/oracle/sweep/results.js'
import { ask, worldWith } from './world.js'

const spec = {
  schema: 'tcspec.sweep/1',
  subjects: ['hopper-matmul'],
  settings: { m: [128], n: [128], k: [256], stages: [2, 4] },
  chips: ['h100', 'h100:dram.bandwidth=x0.02'],
}
let dir = ''
const at = (name: string): string => path.join(dir, name)
const world = worldWith()
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-times-'))
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

describe('a sweep over chips', () => {
  test('each row is what its command says, and the table has the fastest first', async () => {
    fs.writeFileSync(at('grid.json'), JSON.stringify(spec))
    const { status, stdout } = await ask(world, 'sweep', at('grid.json'), '-o', at('rows.jsonl'))
    expect(status).toBe(0)
    const rows = fs
      .readFileSync(at('rows.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Row)
    expect(rows).toHaveLength(4)
    for (const { key, outcome, time } of rows) {
      const alone = await ask(world, ...key.split(' '), '--json')
      const said = JSON.parse(alone.stdout) as { readonly microseconds: number; readonly bound: string }
      expect([outcome, time?.microseconds, time?.bound]).toEqual(['timed', said.microseconds, said.bound])
    }
    const places = [...rows]
      .sort((a, b) => a.time!.microseconds - b.time!.microseconds)
      .map(({ key }) => stdout.indexOf(key))
    expect(places.every((place, i) => place > (places[i - 1] ?? 0))).toBe(true)
    const summary = await ask(world, 'sweep', at('grid.json'), '--json')
    const { ranking } = JSON.parse(summary.stdout) as {
      readonly ranking: ReadonlyArray<{ readonly command: string; readonly microseconds: number }>
    }
    expect(ranking.map(({ command, microseconds }) => [command, microseconds])).toEqual(
      [...rows]
        .sort((a, b) => a.time!.microseconds - b.time!.microseconds)
        .map(({ key, time }) => [key, time!.microseconds]),
    )
  })

  test('where nothing is timed, nothing is ranked', () => {
    expect(rankedText([])).toEqual([])
  })

  test.each([['schedules'], ['mutants'], ['options']])(
    '%s beside chips are refused in a line',
    async (name) => {
      const value = name === 'options' ? { strict: [true] } : name === 'mutants' ? ['none'] : ['eager']
      fs.writeFileSync(at('both.json'), JSON.stringify({ ...spec, [name]: value }))
      const { status, stderr } = await ask(world, 'sweep', at('both.json'))
      expect(status).toBe(2)
      expect(stderr).toContain(`$.${name}: expected none with chips`)
    },
  )
})
