/**
 * A module that stores where its indices say, checked without data. Oracle: whether two programs of the grid store to one element, and whether a store lies outside, by the
 * values of each set.
 */
import { describe, expect, test } from 'vitest'
import { dataSets, dataSetText, valueOf, type DataSet } from '../../../src/oracle/launch/data-sets.js'
import { running, worldOf } from '../world.js'
import { inMemory } from '../disk.js'

const scatter = `
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scatter(%idx: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %pid = tt.get_program_id x : i32
    %c32 = arith.constant 32 : i32
    %base = arith.muli %pid, %c32 : i32
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #l>
    %b = tt.splat %base : i32 -> tensor<32xi32, #l>
    %o = arith.addi %r, %b : tensor<32xi32, #l>
    %p = tt.splat %idx : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #l>
    %q = tt.addptr %p, %o : tensor<32x!tt.ptr<i32>, #l>, tensor<32xi32, #l>
    %i = tt.load %q : tensor<32x!tt.ptr<i32>, #l>
    %s = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #l>
    %t = tt.addptr %s, %i : tensor<32x!tt.ptr<i32>, #l>, tensor<32xi32, #l>
    tt.store %t, %o : tensor<32x!tt.ptr<i32>, #l>
    tt.return
  }
}
`
/** Loads where its indices say, some further on, and stores in their order. */
const gather = (further: number): string => `
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @gather(%idx: !tt.ptr<i32>, %x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #l>
    %p = tt.splat %idx : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #l>
    %q = tt.addptr %p, %r : tensor<32x!tt.ptr<i32>, #l>, tensor<32xi32, #l>
    %i = tt.load %q : tensor<32x!tt.ptr<i32>, #l>
    %c = arith.constant dense<${String(further)}> : tensor<32xi32, #l>
    %j = arith.addi %i, %c : tensor<32xi32, #l>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #l>
    %t = tt.addptr %s, %j : tensor<32x!tt.ptr<f32>, #l>, tensor<32xi32, #l>
    %v = tt.load %t : tensor<32x!tt.ptr<f32>, #l>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #l>
    %u = tt.addptr %o, %r : tensor<32x!tt.ptr<f32>, #l>, tensor<32xi32, #l>
    tt.store %u, %v : tensor<32x!tt.ptr<f32>, #l>
    tt.return
  }
}
`
const files = new Map(
  [
    ['scatter.ttgir', scatter],
    ['gather.ttgir', gather(0)],
    ['far.ttgir', gather(1000)],
  ].map(([name = '', text = '']) => [name, new TextEncoder().encode(text)] as const),
)
const run = running(worldOf(inMemory(files)))
const arguments_ = ['--arg', 'idx=i32[64]:in', 'out=i32[64]:out']
const checked = (...more: ReadonlyArray<string>) =>
  run('check', 'scatter.ttgir', '--grid', '2', ...arguments_, ...more)

/** The indices of a set; the index tensor is the first. */
const indices = (set: Exclude<DataSet, 'random'>): ReadonlyArray<number> =>
  Array.from({ length: 64 }, (_, i) => valueOf(set, 64, 0)(i))
/** Do the two programs store to one element? */
const meet = (set: Exclude<DataSet, 'random'>): boolean => {
  const all = indices(set)
  return all.slice(0, 32).some((i) => all.slice(32).includes(i))
}

describe('data that were not given', () => {
  test.each(dataSets.flatMap((set) => (set === 'random' ? [] : [set])))(
    'on one set that is asked for: %s',
    async (set) => {
      const { stdout } = await checked('--data', set, '--json')
      const v = JSON.parse(stdout) as { verdict: string; reason: string; findings: { id: string }[] }
      expect(v.reason.startsWith(`with data that are ${dataSetText[set]} (idx): `)).toBe(true)
      expect([set, v.verdict, v.findings[0]?.id]).toEqual(
        meet(set) ? [set, 'hazard', 'D3'] : [set, 'ok', undefined],
      )
    },
  )
  test('all of them in turn: the first that shows a race gives the verdict, and says how to see it again', async () => {
    const { stdout, status } = await checked()
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /verdict +hazard: with data that are random below the number of elements \(idx\): /,
    )
    expect(stdout).toMatch(/replay +--data small --schedule eager/)
  })
  test('a baseline passes only where it passes on every set: what one set shows hides nothing of another', async () => {
    const shown = dataSets.filter((set) => set !== 'random' && meet(set))
    expect(shown.length).toBeGreaterThan(2)
    const rows = (): ReadonlyArray<{ launch: string }> =>
      (JSON.parse(new TextDecoder().decode(files.get('a.json'))) as { accepted: { launch: string }[] })
        .accepted
    await checked('--accept-write', 'a.json')
    // each time the next set that shows a race is told, until the last one is accepted
    for (const [i, set] of shown.entries()) {
      expect([...new Set(rows().map(({ launch }) => launch.split(', data').at(-1)))]).toEqual(
        shown.slice(0, i + 1).map((s) => ` that are ${dataSetText[s]}`),
      )
      const { status, stdout } = await checked('--accept', 'a.json')
      expect([set, status]).toEqual([set, i === shown.length - 1 ? 0 : 1])
      if (status !== 0) expect(stdout).toContain(`with data that are ${dataSetText[shown[i + 1]!]} (idx)`)
      await checked('--accept', 'a.json', '--accept-write', 'a.json')
    }
  })
  test('statements of a module without the text of its author are told apart', async () => {
    const store = scatter.split('\n').find((l) => l.includes('tt.store'))!
    files.set('twice.ttgir', new TextEncoder().encode(scatter.replace(store, `${store}\n${store}`)))
    const twice = (...more: ReadonlyArray<string>) =>
      run('check', 'twice.ttgir', '--data', 'zeros', '--grid', '2', ...arguments_, ...more)
    await twice('--accept-write', 'b.json')
    const baseline = JSON.parse(new TextDecoder().decode(files.get('b.json'))) as { accepted: unknown[] }
    expect((await twice('--accept', 'b.json')).status).toBe(0)
    expect(baseline.accepted.length).toBeGreaterThan(2)
    for (const [i] of baseline.accepted.entries()) {
      const less = { ...baseline, accepted: baseline.accepted.filter((_, k) => k !== i) }
      files.set('c.json', new TextEncoder().encode(JSON.stringify(less)))
      expect([i, (await twice('--accept', 'c.json')).status]).toEqual([i, 1])
    }
  })
  test('what is no set is refused, and so is an algebra', async () => {
    expect((await checked('--data', 'many')).status).toBe(2)
    expect((await checked('--over', 'shadow')).status).toBe(2)
  })
})

describe('law 3: indices that nobody gave', () => {
  const gathered = (file: string) =>
    run('check', file, '--grid', '1', '--arg', 'idx=i32[32]:in', 'x=f32[32]:in', 'out=f32[32]:out')
  const inside = (set: Exclude<DataSet, 'random'>): boolean =>
    Array.from({ length: 32 }, (_, i) => valueOf(set, 32, 0)(i)).every((i) => i < 32)
  test('are asked for in the first line where some sets leave a tensor', async () => {
    const sets = dataSets.flatMap((set) => (set === 'random' || !inside(set) ? [] : [set]))
    const { stdout, status } = await gathered('gather.ttgir')
    const first = stdout.replace(/\s+/gu, ' ')
    expect(status).toBe(0)
    expect(first).toContain(
      `verdict ok: on ${sets.join(', ')} data (idx, x; give the data of idx: on random data the run leaves a tensor): no hazards`,
    )
  })
  test('and where all do: nothing is held against the kernel', async () => {
    const { stdout, status } = await gathered('far.ttgir')
    expect(status).toBe(3)
    expect(stdout.replace(/\s+/gu, ' ')).toContain(
      'verdict undecided: give the data of idx: addresses come from data',
    )
    expect(stdout).toMatch(/^I2 .*\(note\)/mu)
  })
})
