/** Grids: their points and the order of them, what is refused before the first one; and the order in which tasks are handed out. */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kernels } from '../../../src/kernels/catalogue/index.js'
import { besideDocument, gridOf, type Grid } from '../../../src/oracle/sweep/grid.js'
import type { Task } from '../../../src/oracle/sweep/model.js'
import { pointsOf } from '../../../src/oracle/sweep/results.js'
import { decodeSweep, type SweepSpec } from '../../../src/oracle/sweep/spec.js'
import { handsOf } from '../../../src/oracle/sweep/staff.js'
import { printJson } from '../../../src/semantics/files/codec.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { bare, small } from './world.js'

const program = printJson(right(instanceOf(right(kernelNamed('zoo/R1')), {}, [])).program)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const disk = (more: Readonly<Record<string, string>> = {}): Map<string, Uint8Array> =>
  new Map(Object.entries({ 'in/p.json': program, ...more }).map(([file, text]) => [file, bytes(text)]))
const made = (spec: object, on = disk()): ReturnType<typeof gridOf> => {
  const world = { ...bare, files: besideDocument('in/', inMemory(on)) }
  return E.chainW((s: SweepSpec) => gridOf(world, s))(
    decodeSweep(JSON.stringify({ schema: 'tcspec.sweep/1', ...spec })),
  )
}
const keys = (grid: Grid): ReadonlyArray<string> => grid.points.map((p) => p.key)
const refusal = (spec: object): string => {
  const grid = made(spec)
  return E.isLeft(grid) ? grid.left.message : 'a grid'
}

describe('points', () => {
  test('settings, schedules and options are crossed, the last one fastest', () => {
    const grid = right(
      made({
        subjects: ['zoo/R1', { name: 'queue', settings: { m: [5, 7] } }],
        settings: { rows: [1], m: [9] },
        schedules: ['eager', 'seeded:3'],
        options: { strict: [false, true] },
      }),
    )
    expect(keys(grid)).toEqual(
      ['check zoo/R1', 'check queue --set rows=1 m=5', 'check queue --set rows=1 m=7'].flatMap((of) =>
        ['eager', 'seeded:3'].flatMap((s) => [`${of} --schedule ${s}`, `${of} --schedule ${s} --strict`]),
      ),
    )
    expect(grid.points.map((p) => p.case)).toEqual(grid.points.map((_, k) => k))
  })
  test('over an algebra a point is a run', () => {
    const over = ['bits', 'field:7']
    expect(
      keys(right(made({ subjects: ['queue'], options: { over, arithmetic: ['ieee32'], fuel: 100 } }))),
    ).toEqual(over.map((o) => `run queue --over ${o} --arithmetic ieee32 --fuel 100`))
  })
  test('a module is crossed with its launches, grids and arguments; words are as a shell takes them', () => {
    const on = disk({ 'in/k k.ttgir': 'module {}', 'in/a.json': '{}', 'in/b.json': '{}' })
    const subject = {
      name: 'k k.ttgir',
      launch: ['a.json', 'b.json'],
      args: { a: ['f16[64,96]'], K: ['96', '192'] },
    }
    expect(keys(right(made({ subjects: [subject] }, on)))).toEqual(
      ['a.json', 'b.json'].flatMap((launch) =>
        ['96', '192'].map((k) => `check 'k k.ttgir' --launch ${launch} --arg 'a=f16[64,96]' K=${k}`),
      ),
    )
  })
  test('mutants are those of tcspec mutate, once for each setting', () => {
    const grid = right(made({ subjects: ['queue'], schedules: ['eager', 'lazy'], mutants: ['all'] }))
    expect(grid.cases.length).toBe(1)
    expect(grid.points.map((p) => p.mutant)).toEqual(grid.points.map((_, k) => k))
    expect(keys(grid)[0]).toMatch(/^mutate queue --mutant '[A-Z]+ \| .*'$/)
    const some = right(made({ subjects: ['queue'], mutants: ['none', 'synchronisation', 'EXIT'] }))
    expect(some.points.length).toBeLessThan(grid.points.length)
    expect(keys(some)[0]).toBe('check queue')
    expect(
      keys(some)
        .slice(1)
        .filter((key) => !key.includes('EXIT')),
    ).toEqual([])
    expect(keys(grid)).toEqual(expect.arrayContaining(keys(some).slice(1)))
  })
  test('a star is every kernel, each with the settings that it knows', () => {
    const grid = right(made({ subjects: ['*'], settings: { stages: [2, 3] } }))
    const takesIt = kernels.filter((k) => k.parameters.some((p) => p.name === 'stages'))
    expect(grid.points.length).toBe(kernels.length + takesIt.length)
  })
  test('a point has the hash of what it reads, and of nothing else', () => {
    const spec = { subjects: ['p.json', 'zoo/R1'] }
    const [one, same, other] = [disk(), disk({ 'in/q.json': '' }), disk({ 'in/p.json': ` ${program}` })].map(
      (on) => right(made(spec, on)),
    )
    expect(one!.files).toEqual({ 'p.json': expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(same).toEqual(one)
    expect(other!.hash).not.toBe(one!.hash)
    expect(other!.points.map((p, k) => p.hash === one!.points[k]!.hash)).toEqual([false, true])
    expect(right(made({ ...spec, schedules: ['eager'] })).hash).not.toBe(one!.hash)
  })
})

describe('a document is refused', () => {
  test.each([
    [{ subjects: [] }, '$.subjects: expected at least one value'],
    [{ subjects: ['quee'] }, "no kernel named 'quee'; did you mean queue"],
    [{ subjects: ['none.json'] }, 'none.json: no such file'],
    [{ subjects: ['p.json'], settings: { m: [1] } }, '$.settings.m: expected a setting of a kernel'],
    [{ subjects: ['queue'], settings: { M: [1] } }, '$.settings.M: expected a setting of a kernel'],
    [{ subjects: [{ name: 'queue', settings: { M: [1] } }] }, 'queue: expected a setting of m, n, rows'],
    [{ subjects: [{ name: 'queue', grid: ['1'] }] }, 'queue: expected grid of a module'],
    [{ subjects: [{ name: 'p.json', grid: ['1'] }] }, 'p.json: expected a module'],
    [{ subjects: [{ name: 'p.json', settings: {} }] }, 'p.json: expected no settings, because it is a file'],
    [{ subjects: ['queue', 'queue'] }, '$.subjects: expected each value once'],
    [{ subjects: ['*', 'queue'] }, "expected each point once, found 'check queue' twice"],
    [{ subjects: ['queue'], settings: { m: [1, 1] } }, '$.settings.m: expected each value once'],
    [{ subjects: ['queue'], schedules: [] }, '$.schedules: expected at least one'],
    [{ subjects: ['queue'], schedules: ['eagre'] }, '--schedule: expected eager|lazy'],
    [{ subjects: ['queue'], options: { over: ['byts'] } }, '--over: expected bits'],
    [{ subjects: ['queue'], options: { over: [] } }, '$.options.over: expected at least one value'],
    [
      { subjects: ['queue'], options: { over: ['bits', 'bits'] } },
      '$.options.over: expected each value once',
    ],
    [{ subjects: ['queue'], options: { tensorPipe: ['none'] } }, '--tensor-pipe: expected issue-order'],
    [{ subjects: ['queue'], options: { over: ['bits'], arithmetic: ['volta'] } }, '--arithmetic: expected'],
    [{ subjects: ['queue'], schedules: ['recorded:no.txt'] }, 'no.txt: no such file'],
    [{ subjects: ['queue'], options: { arithmetic: ['hopper'] } }, 'expected options.over with it'],
    [{ subjects: ['queue'], options: { explore: true, over: ['bits'] } }, 'expected no options.over'],
    [{ subjects: ['queue'], mutants: ['DORP'] }, '$.mutants[0]: expected one of "none", "all"'],
    [{ subjects: ['queue'], option: {} }, 'no such key in a sweep'],
    [
      {
        subjects: ['queue'],
        settings: Object.fromEntries(
          ['m', 'n', 'rows'].map((name) => [name, Array.from({ length: 101 }, (_, k) => k)]),
        ),
      },
      'expected a grid of at most 1,000,000 points, found one of',
    ],
  ])('%j', (spec, why) => {
    expect(refusal(spec)).toContain(why)
  })
  test('what is no JSON, and another version', () => {
    expect(decodeSweep('{')).toMatchObject({ left: { code: 'json.syntax' } })
    expect(refusal({ schema: 'tcspec.sweep/2', subjects: ['queue'] })).toContain('"tcspec.sweep/1"')
  })
})

test('docs/Sweeps.md: its grid is one, and its row a row of it', () => {
  const page = fs.readFileSync(new URL('../../../docs/Sweeps.md', import.meta.url), 'utf8')
  const [spec, row] = [...page.matchAll(/```json\n([^]*?)```/g)].map((m) => m[1]!)
  const grid = right(E.chainW((s: SweepSpec) => gridOf(bare, s))(decodeSweep(spec!)))
  const { point, key, hash, subject } = JSON.parse(row!) as {
    readonly point: number
    readonly key: string
    readonly hash: string
    readonly subject: string
  }
  expect(grid.points[point]).toMatchObject({ key, hash, subject })
})

test('the sweep of the other proofs is small', () => {
  expect(right(gridOf(bare, small)).points.length).toBeLessThan(30)
})

describe('shares', () => {
  test('shards are a partition of the points', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 9 }), (points, of) => {
        const all = Array.from({ length: of }, (_, k) => pointsOf([k + 1, of], points)).flat()
        expect([...all].sort((a, b) => a - b)).toEqual(Array.from({ length: points }, (_, p) => p))
      }),
    )
  })
  const tasksOf = (sizes: ReadonlyArray<number>): ReadonlyArray<Task> =>
    sizes.flatMap((n, k) => Array.from({ length: n }, (_, mutant) => ({ case: k, mutant })))
  test('every task is handed out once, whoever asks when', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5)),
        fc.array(fc.nat(2), { minLength: 60, maxLength: 60 }),
        (sizes, turns) => {
          const tasks = tasksOf(sizes)
          const hands = handsOf(tasks)
          const last: Array<number | null> = [null, null, null]
          const given: Task[] = []
          for (const [k, who] of turns.entries()) {
            const task = hands.next(last[who]!)
            if (task === null) continue
            if (k % 7 === 6) hands.giveBack(task)
            else given.push(task)
            last[who] = task.case
          }
          for (let task = hands.next(null); task !== null; task = hands.next(null)) given.push(task)
          const byName = (t: Task): string => `${String(t.case)} ${String(t.mutant)}`
          expect(given.map(byName).sort()).toEqual(tasks.map(byName).sort())
        },
      ),
    )
  })
  test('a worker goes on with its case, then with a fresh one, then helps where most is left', () => {
    const hands = handsOf(tasksOf([4, 2, 1]))
    const cases = (who: ReadonlyArray<number | null>): ReadonlyArray<number | undefined> =>
      who.map((last) => hands.next(last)?.case)
    expect(cases([null, null])).toEqual([0, 1])
    expect(cases([1, 1, 2])).toEqual([1, 2, 0])
    expect(cases([0, 2, 0])).toEqual([0, 0, undefined])
    // all are begun: of those that are left, the one with most, wherever it stands
    for (const sizes of [
      [5, 3, 4],
      [3, 5, 4],
      [4, 3, 5],
    ]) {
      const all = handsOf(tasksOf(sizes))
      const left = sizes.map((n) => n - 1)
      sizes.forEach(() => all.next(null))
      // a worker whose case is none of them
      for (let most = Math.max(...left); most > 0; most = Math.max(...left)) {
        const found = all.next(99)!.case
        expect([sizes, left[found]]).toEqual([sizes, most])
        left[found]!--
      }
      expect(all.next(99)).toBeNull()
    }
  })
})
