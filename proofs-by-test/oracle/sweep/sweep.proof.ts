/** `tcspec sweep`: what is asked of each point, what is kept of it, and that neither interruptions nor shards nor the order of the work show in it. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Row } from '../../../src/oracle/sweep/results.js'
import type { Hire } from '../../../src/oracle/sweep/model.js'
import { threadsFor } from '../../../src/oracle/sweep/threads.js'
import { ask, bare, here, small, worldWith } from './world.js'

let dir = ''
const at = (name: string): string => path.join(dir, name)
const text = (name: string): string => fs.readFileSync(at(name), 'utf8')
const write = (name: string, document: unknown): void => {
  fs.writeFileSync(at(name), JSON.stringify(document))
}
const rowsOf = (name: string): ReadonlyArray<Row> =>
  text(name)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Row)

const world = worldWith()
/** The whole sweep, merged: what every other way has to come to. */
let expected = ''
beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-sweep-'))
  write('small.json', small)
  expect((await ask(world, 'sweep', at('small.json'), '-o', at('whole.jsonl'))).status).toBe(1)
  expect((await ask(world, 'sweep', 'merge', at('whole.jsonl'), '-o', at('whole.merged'))).status).toBe(1)
  expected = text('whole.merged')
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

const merged = async (...names: ReadonlyArray<string>): Promise<string> => {
  const { status, stderr } = await ask(world, ...['sweep', 'merge', ...names.map(at), '-o', at('merged')])
  expect([status, stderr]).toEqual([1, ''])
  return text('merged')
}

describe('a row', () => {
  test('is what its own command line says', async () => {
    const rows = rowsOf('whole.merged')
    expect(rows.map((r) => r.point)).toEqual(rows.map((_, k) => k))
    expect(new Set(rows.map((r) => r.outcome))).toEqual(
      new Set(['ok', 'hazard', 'refused', 'killed', 'equivalent']),
    )
    for (const row of rows.filter((_, k) => k % 5 === 0)) {
      const words = [...row.key.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]!)
      const said = await ask(bare, ...words, '--json')
      const document = JSON.parse(said.stdout) as {
        readonly verdict?: string
        readonly error?: { readonly code: string }
        readonly killed?: number
        readonly equivalent?: number
      }
      expect([
        row.key,
        document.error !== undefined
          ? 'refused'
          : (document.verdict ?? (document.killed === 1 ? 'killed' : 'equivalent')),
      ]).toEqual([row.key, row.outcome])
    }
  })
  test('says nothing of the machine, and is one line', () => {
    expect(expected).not.toContain(dir)
    expect(expected).not.toContain(os.hostname())
    expect(expected.split('\n').length).toBe(rowsOf('whole.merged').length + 2)
  })
  test('what a kernel refuses is a row with its code', () => {
    const refused = rowsOf('whole.merged').filter((r) => r.outcome === 'refused')
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused.flatMap((r) => r.ids))).toEqual(new Set(['kernel.settings']))
    for (const row of refused) expect(row.key).toContain('buffering=0')
    // its mutants are one row, because there are none
    expect(new Set(refused.map((r) => r.key.split(' ')[0]))).toEqual(new Set(['check', 'mutate']))
  })
})

test('document and lines satisfy their schemas', () => {
  const valid = (file: string): ((u: unknown) => boolean) =>
    new Ajv2020({ strict: true, strictTypes: false }).compile(
      JSON.parse(fs.readFileSync(new URL(`../../../schemas/${file}`, import.meta.url), 'utf8')) as object,
    )
  expect(valid('sweep.schema.json')(small)).toBe(true)
  const isLine = valid('sweep-results.schema.json')
  expect(
    expected
      .trim()
      .split('\n')
      .filter((line) => !isLine(JSON.parse(line))),
  ).toEqual([])
  expect(isLine({ ...rowsOf('whole.merged')[0], at: 'noon' })).toBe(false)
})

test('the table counts by subject', async () => {
  const { stdout } = await ask(world, 'sweep', 'merge', at('whole.jsonl'))
  expect(stdout).toMatch(/^merged of 1 files: (\d+) of \1 points, judged by version 1.2.3\n/)
  expect(stdout).toMatch(/^subject +points +ok +hazard +killed +equivalent +refused +first ids$/m)
  expect(stdout).toMatch(/^zoo\/R1 +\d+ +0 +4 .*R1 4/m)
  expect(stdout).toMatch(/^queue .*kernel.settings \d/m)
})

test('a module and its launch: files beside the document, each with its hash', async () => {
  const name = 'mm_hosttma_nows_64x64x32_s4_w4_256x256x192'
  const capture = new URL(`../../../conformance/triton/captures/${name}/`, import.meta.url)
  fs.copyFileSync(new URL(`${name}.ttgir`, capture), at('k.ttgir'))
  fs.copyFileSync(new URL('launch.json', capture), at('launch.json'))
  const given = { da: 'f16[64,96]', db: 'f16[96,64]', dc: 'f16[64,64]:out' }
  write('module.json', {
    schema: 'tcspec.sweep/1',
    subjects: [
      {
        name: 'k.ttgir',
        launch: ['launch.json'],
        grid: ['1,1'],
        args: {
          ...Object.fromEntries(Object.entries(given).map(([arg, word]) => [arg, [word]])),
          K: ['96', '97.5'],
        },
        computes: 'matmul:da,db,dc',
      },
    ],
  })
  const { status, stderr } = await ask(world, 'sweep', at('module.json'), '-o', at('module.jsonl'))
  expect([status, stderr]).toEqual([0, ''])
  const [good, refused] = rowsOf('module.jsonl')
  expect(good).toMatchObject({ outcome: 'ok', verdict: { proved: true } })
  expect(refused).toMatchObject({ outcome: 'refused', ids: ['bad-flag'] })
  expect(text('module.jsonl')).not.toContain(dir)
  const head = JSON.parse(text('module.jsonl').split('\n')[0]!) as { readonly files: object }
  expect(Object.keys(head.files)).toEqual(['k.ttgir', 'launch.json'])
  fs.appendFileSync(at('launch.json'), ' ')
  const again = await ask(world, 'sweep', at('module.json'), '-o', at('module.jsonl'), '--resume')
  expect(again.stderr).toMatch(/found those of another one .*: the document or one of its files is another/)
})

// ---------------------------------------------------------------- interruptions

/** Stops after so many rows. */
const stoppedAfter = (rows: number): ReturnType<typeof worldWith> => {
  let tell: () => void = () => undefined
  const hire: Hire = (known, size) => ({
    perform: (tasks, heard, stop) => {
      let heardOf = 0
      return here(known, size).perform(
        tasks,
        (task, answer) => {
          heard(task, answer)
          if (++heardOf === rows) tell()
        },
        stop,
      )
    },
  })
  return worldWith({
    hire,
    interrupted: (told) => {
      tell = told
      return () => undefined
    },
  })
}

test('a signal leaves the rows that are there, and says how to go on', async () => {
  const { status, stderr } = await ask(
    stoppedAfter(3),
    ...['sweep', at('small.json'), '-o', at('stopped.jsonl')],
  )
  expect(status).toBe(130)
  expect(stderr).toMatch(/^tcspec: stopped after 3 of \d+ points: tcspec sweep .* --resume goes on\n$/)
  expect(rowsOf('stopped.jsonl').length).toBe(3)
  const again = await ask(world, 'sweep', at('small.json'), '-o', at('stopped.jsonl'), '--resume')
  expect([again.status, again.stderr]).toEqual([1, ''])
  expect(await merged('stopped.jsonl')).toBe(expected)
})

test('a file that is torn at any byte is gone on with, and comes to the same', async () => {
  const full = text('whole.jsonl')
  await fc.assert(
    fc.asyncProperty(fc.nat(full.length), async (cut) => {
      fs.writeFileSync(at('torn.jsonl'), full.slice(0, cut))
      let asked = 0
      const counting = worldWith({
        hire: (known, size) => ({
          perform: (tasks, heard, stop) => {
            asked = tasks.length
            return here(known, size).perform(tasks, heard, stop)
          },
        }),
      })
      const { stderr } = await ask(
        counting,
        ...['sweep', at('small.json'), '-o', at('torn.jsonl'), '--resume'],
      )
      expect(stderr).toBe('')
      // a row that is whole is not asked again
      const kept = Math.max(0, full.slice(0, cut).split('\n').length - 2)
      expect(asked).toBe(rowsOf('whole.jsonl').length - kept)
      expect(await merged('torn.jsonl')).toBe(expected)
    }),
    { numRuns: 3, examples: [[full.length - 1], [10]] },
  )
})

test('four shards, each worked through backwards, are the whole', async () => {
  const backwards: Hire = (known, size) => ({
    perform: (tasks, heard, stop) => here(known, size).perform([...tasks].reverse(), heard, stop),
  })
  const names = ['1', '2', '3', '4'].map((part) => `part-${part}.jsonl`)
  for (const [k, name] of names.entries())
    await ask(
      worldWith({ hire: backwards }),
      ...['sweep', at('small.json'), '-o', at(name), '--shard', `${String(k + 1)}/4`],
    )
  expect(await merged(...[...names].reverse())).toBe(expected)
  expect(await merged('whole.jsonl', ...names)).toBe(expected)
  const some = await ask(world, 'sweep', 'merge', ...names.slice(1).map(at))
  expect(some.status).toBe(2)
  expect(some.stderr).toMatch(
    /expected a row for each of \d+ points, found none for point 0 \(check zoo\/R1 --schedule eager\), point 4 \(.*\), point 8 \(.*\) and \d+ more\n$/,
  )
})

// ---------------------------------------------------------------- what does not belong together

describe('refused in one line', () => {
  const refusals = async (...argv: ReadonlyArray<string>): Promise<string> => {
    const { status, stdout, stderr } = await ask(world, 'sweep', ...argv)
    expect([status, stdout, stderr.split('\n').length]).toEqual([2, '', 2])
    return stderr
  }
  test('what is not its own stays as it is, byte for byte', async () => {
    const whole = text('whole.jsonl')
    const [head = '', row = ''] = whole.split('\n')
    for (const [name, bytes] of [
      ['notes', 'notes of mine, without an end'],
      ['lines', 'notes of mine\nand more'],
      ['bytes', Buffer.from([0xff, 0xfe, 0x0a, 0x00, 0x01])],
      ['zeros', Buffer.alloc(9)],
      ['json', '{"a": 1}'],
      ['other', `${head.replace(/"hash":"./, '"hash":"z')}\n${row}\n{"point":1`],
      ['tail', `${head}\n${row}\nnotes of mine`],
      ['row', row],
    ] as const) {
      fs.writeFileSync(at(name), bytes)
      const before = fs.readFileSync(at(name))
      await refusals(at('small.json'), '-o', at(name), '--resume')
      expect([name, fs.readFileSync(at(name)).equals(before)]).toEqual([name, true])
    }
  })
  test('a file that is there, and one of another document, version or shard', async () => {
    const file = ['-o', at('whole.jsonl')]
    expect(await refusals(at('small.json'), ...file)).toContain('--resume continues it')
    write('other.json', { ...small, schedules: ['eager'] })
    expect(await refusals(at('other.json'), ...file, '--resume')).toMatch(
      /expected results of the sweep of .*other.json .*, found those of another one/,
    )
    expect(await refusals(at('small.json'), ...file, '--resume', '--shard', '2/4')).toContain(
      'expected results of part 2 of 4, found those of part 1 of 1',
    )
    const before = text('whole.jsonl')
    const newer = await ask(
      { ...world, version: '1.2.4' },
      ...['sweep', at('small.json'), ...file, '--resume'],
    )
    expect([newer.status, newer.stderr]).toEqual([2, expect.stringContaining('version 1.2.4')])
    expect(text('whole.jsonl')).toBe(before)
  })
  test('a row that says two things, a line that is none, a file without lines', async () => {
    const lines = text('whole.jsonl').split('\n')
    fs.writeFileSync(
      at('two.jsonl'),
      [lines[0], ...lines.slice(1).map((l) => l.replace('"killed"', '"survived"'))].join('\n'),
    )
    expect(await refusals('merge', at('whole.jsonl'), at('two.jsonl'))).toMatch(
      /point \d+ \(mutate .*\): expected what .*whole.jsonl says of it, killed .* found survived/,
    )
    fs.writeFileSync(at('line.jsonl'), [lines[0], '{"point":', ...lines.slice(1)].join('\n'))
    expect(await refusals('merge', at('line.jsonl'))).toContain('line.jsonl: line 2: not JSON')
    fs.writeFileSync(at('empty.jsonl'), '')
    expect(await refusals('merge', at('empty.jsonl'))).toContain('found no complete line')
    fs.writeFileSync(
      at('high.jsonl'),
      [lines[0], lines[1]!.replace('"point":0', '"point":999'), ''].join('\n'),
    )
    expect(await refusals('merge', at('high.jsonl'))).toContain('point: expected one below')
  })
  test('flags that say nothing', async () => {
    expect(await refusals(at('small.json'), '--shard', '5/4')).toContain(
      "i/n, a part from 1/n to n/n, found '5/4'",
    )
    expect(await refusals(at('small.json'), '--shard', '0/4')).toContain('--shard')
    expect(await refusals(at('small.json'), '--resume')).toContain('found no -o')
    expect(await refusals(at('small.json'), 'b.json')).toContain('expected one document')
    expect(await refusals('merge', at('whole.jsonl'), '--resume')).toContain('merge, which judges nothing')
    expect(await refusals('merge')).toContain('found none')
    expect(await refusals('merge', at('whole.jsonl'), '-o', at('whole.jsonl'))).toContain(
      'other than the input',
    )
    expect(await refusals(at('small.json'), '--threads', '0')).toContain('--threads')
  })
})

// ---------------------------------------------------------------- threads

/** A thread that does what is written here with each task. */
const doing = (script: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'
      const answer = (ids) => parentPort.postMessage({ _tag: 'answer', answer: { outcome: 'ok', ids, reason: '' } })
      parentPort.on('message', (task) => { ${script} })
      parentPort.postMessage({ _tag: 'ready' })`)}`,
  )

describe('threads', () => {
  const told = { cases: [], directory: '' }
  const tasks = [0, 0, 0, 1, 1, 2].map((k, mutant) => ({ case: k, mutant }))
  const heardFrom = async (entry: URL): Promise<ReadonlyArray<readonly [number, string, string]>> => {
    const heard: Array<readonly [number, string, string]> = []
    await threadsFor(bare, entry)(told, 2).perform(
      tasks,
      (task, { outcome, reason }) => heard.push([task.mutant ?? -1, outcome, reason]),
      new AbortController().signal,
    )
    return heard.sort(([a], [b]) => a - b)
  }
  test('every task is heard of once', async () => {
    expect(await heardFrom(doing(`answer([])`))).toEqual(tasks.map(({ mutant }) => [mutant, 'ok', '']))
  })
  test.each([
    ['ends', 'process.exit(3)', 'the worker thread ended: status 3'],
    ['throws', `throw new Error('too much')`, 'the worker thread ended: too much'],
  ])('one that %s has lost its task alone', async (_, script, reason) => {
    const heard = await heardFrom(doing(`task.mutant % 2 === 1 ? (() => { ${script} })() : answer([])`))
    expect(heard).toEqual(
      tasks.map(({ mutant }) => (mutant % 2 === 1 ? [mutant, 'failed', reason] : [mutant, 'ok', ''])),
    )
  })
  test('where none can begin, all is done here', async () => {
    const heard = await heardFrom(new URL('data:text/javascript,throw new Error()'))
    expect(heard.map(([mutant]) => mutant)).toEqual(tasks.map(({ mutant }) => mutant))
  })
  test('what is stopped ends, whatever the threads do', async () => {
    const stop = new AbortController()
    const ended = threadsFor(bare, doing(`for (;;);`))(told, 2).perform(tasks, () => undefined, stop.signal)
    setTimeout(() => {
      stop.abort()
    }, 100)
    await ended
  })
  test('a point that cannot be answered is a row, and the sweep goes on', async () => {
    const { status, stderr } = await ask(
      worldWith({ hire: threadsFor(bare, doing(`task.case === 1 ? process.exit(9) : answer([])`)) }),
      ...['sweep', at('small.json'), '-o', at('failed.jsonl')],
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /^tcspec: failed: 1 of \d+ points, the first of them 'check .*': the worker thread ended: status 9\n$/,
    )
    expect(rowsOf('failed.jsonl').length).toBe(rowsOf('whole.jsonl').length)
    expect(rowsOf('failed.jsonl').filter((r) => r.outcome === 'failed').length).toBe(1)
  })
})
