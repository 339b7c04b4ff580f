/**
 * What else takes PTX without data: a trace and a recording of a run over shadow are those over bits, mutants have the fates that they have on data, and a sweep checks
 * over shadow. What takes none is refused in one line.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Recording } from '../../../src/render/recording/model.js'
import type { Row } from '../../../src/oracle/sweep/results.js'
import { nightly } from '../../extent.js'
import { ask, worldWith } from '../sweep/world.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { running, worldOf } from '../world.js'

const folder = new URL('../../../conformance/hopper/cuda/', import.meta.url).pathname
const run = running(worldOf(onDisk))
const of = (kernel: string): ReadonlyArray<string> => [
  `${folder}${kernel}/${kernel}.ptx`,
  '--launch',
  `${folder}${kernel}/launch.json`,
]
const blind = ['--over', 'shadow']

describe('a run that is shown', () => {
  test.each(nightly ? ['vectors', 'cpasync_mbarrier', 'cluster_copy', 'named_barriers'] : ['vectors'])(
    '%s: its events and steps are those over bits',
    async (kernel) => {
      const traces = [
        await run('trace', ...of(kernel), '--json'),
        await run('trace', ...of(kernel), '--json', ...blind),
      ]
      expect(traces[1]).toEqual(traces[0])
      const recordings = []
      for (const how of [[], blind]) {
        const { status, stdout } = await run('view', ...of(kernel), '--json', ...how)
        expect(status).toBe(0)
        const { steps, barriers, outcome } = JSON.parse(stdout) as Recording
        recordings.push([steps.map(({ site, agent }) => [site, agent]), barriers, outcome])
      }
      expect(recordings[1]).toEqual(recordings[0])
    },
  )
  test('is stopped where data decide, and says which; with them it is not', async () => {
    const stopped = await run('trace', ...of('votes'), ...blind)
    expect(stopped.status).toBe(3)
    expect(stopped.stderr).toMatch(/votes\.cu:25 .*depends on the data of x, which are not known/u)
    const known = await run('trace', ...of('votes'), ...blind, '--known', 'x', '--json')
    expect(known).toEqual(await run('trace', ...of('votes'), '--json'))
    const { stdout } = await run('view', ...of('votes'), ...blind, '--json')
    expect((JSON.parse(stdout) as Recording).verdict?.verdict).toBe('undecided')
  })
})

describe('mutants', () => {
  const fates = async (kernel: string, ...how: ReadonlyArray<string>): Promise<unknown> => {
    const { stdout } = await run('mutate', ...of(kernel), '--json', ...how)
    return JSON.parse(stdout)
  }
  // of votes data decide: what is stopped without them is judged on them
  const some = nightly ? [] : ['--operator', 'DROP']
  test.each(nightly ? ['vectors', 'votes', 'named_barriers'] : ['votes'])(
    '%s: a fate is that on data',
    async (kernel) => {
      expect(await fates(kernel, ...some, ...blind)).toEqual(await fates(kernel, ...some))
    },
    120_000,
  )
})

test('a sweep checks over shadow, and runs over bits', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-sweep-shadow-'))
  try {
    for (const file of fs.readdirSync(`${folder}votes`))
      fs.copyFileSync(`${folder}votes/${file}`, path.join(dir, file))
    const spec = {
      schema: 'tcspec.sweep/1',
      subjects: [
        { name: 'votes.ptx', launch: ['launch.json'], known: ['x'] },
        { name: 'broken1.ptx', launch: ['launch.json'] },
      ],
      options: { over: ['shadow', 'bits'] },
    }
    fs.writeFileSync(path.join(dir, 'grid.json'), JSON.stringify(spec))
    const results = path.join(dir, 'results.jsonl')
    await ask(worldWith(), 'sweep', path.join(dir, 'grid.json'), '-o', results)
    const rows = fs.readFileSync(results, 'utf8').trim().split('\n').slice(1)
    const said = rows.map((line) => JSON.parse(line) as Row).map(({ key, outcome }) => [key, outcome])
    expect(said).toEqual([
      ['check votes.ptx --launch launch.json --known x --over shadow', 'ok'],
      ['run votes.ptx --launch launch.json --over bits', 'ok'],
      ['check broken1.ptx --launch launch.json --over shadow', 'undecided'],
      ['run broken1.ptx --launch launch.json --over bits', 'hazard'],
    ])
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
})

describe('refused in one line', () => {
  test.each<readonly [ReadonlyArray<string>, RegExp]>([
    [
      ['run', ...of('vectors'), ...blind],
      /^tcspec: --over: a run of PTX computes its bits: expected bits, found 'shadow'; tcspec check .* --over shadow judges it without data\n$/u,
    ],
    [['trace', 'queue', ...blind], /^tcspec: --over: expected PTX \(\.ptx\).*, found 'queue'\n$/u],
    [['view', 'queue', ...blind], /^tcspec: --over: expected PTX \(\.ptx\).*, found 'queue'\n$/u],
    [['mutate', 'queue', ...blind], /^tcspec: --over: expected PTX \(\.ptx\).*, found 'queue'\n$/u],
    [['mutate', '--all', '--known', 'x'], /^tcspec: --known: expected PTX \(\.ptx\).*, found '--all'\n$/u],
    [
      ['trace', ...of('votes'), '--known', 'x'],
      /^tcspec: --known: expected --over shadow, too, found no --over\n$/u,
    ],
    [
      ['mutate', ...of('votes'), '--over', 'tiles'],
      /^tcspec: --over: expected bits or shadow, for PTX, found 'tiles'\n$/u,
    ],
  ])('%j', async (argv, says) => {
    const { status, stderr } = await run(...argv)
    expect([status, stderr]).toEqual([2, expect.stringMatching(says)])
  })
})
