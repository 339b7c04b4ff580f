/**
 * A module that stores where its indices say, checked without data. Oracle: whether two programs of the grid store to one element, and whether a store lies outside, by the
 * values of each set.
 */
import { describe, expect, test } from 'vitest'
import { dataSets, dataSetText, valueOf, type DataSet } from '../../../src/oracle/launch/data-sets.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { npyOfTensor, tensor } from '../../../src/oracle/tensor-files/tensor.js'
import { inFolder } from '../../dialects/jaxpr/cases.js'
import { right } from '../../either.js'
import { running, worldOf } from '../world.js'
import { inMemory } from '../disk.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

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
/** Copies an array. */
const copy = `
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #l>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #l>
    %t = tt.addptr %s, %r : tensor<32x!tt.ptr<f32>, #l>, tensor<32xi32, #l>
    %v = tt.load %t : tensor<32x!tt.ptr<f32>, #l>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #l>
    %u = tt.addptr %o, %r : tensor<32x!tt.ptr<f32>, #l>, tensor<32xi32, #l>
    tt.store %u, %v : tensor<32x!tt.ptr<f32>, #l>
    tt.return
  }
}
`
/** A warp writes a matrix, branches on a number that it loads, and loads the matrix, after these lines. */
const matrix = (lines: string): string =>
  moduleOf(
    ['x'],
    `.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;
.shared .align 16 .b8 s[512];
ld.param.u64 %d1, [x];
mov.u32 %r1, %tid.x;
mov.u32 %r4, s;
shl.b32 %r5, %r1, 4;
add.s32 %r5, %r4, %r5;
mov.u32 %r6, 0;
st.shared.v4.u32 [%r5], {%r6, %r6, %r6, %r6};
bar.sync 0;
ld.global.s32 %r2, [%d1];
setp.eq.u32 %p1, %r2, 0;
@%p1 bra over;
st.shared.u32 [%r5], %r6;
over:
${lines}
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r4];
ret;`,
  )
interface Answer {
  readonly verdict: string
  readonly reason: string
  readonly scope: ReadonlyArray<string>
  readonly findings: ReadonlyArray<{ readonly id: string }>
  readonly notes: ReadonlyArray<{ readonly id: string }>
}
/** A file of an array in one dimension. */
const npy = (of: ReadonlyArray<number>, dtype: 'i32' | 'f32' = 'i32'): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    right(
      encodeNpy(
        npyOfTensor(
          right(
            tensor(
              dtype,
              [of.length],
              Float64Array.from(of, (x) => x >>> 0),
            ),
          ),
        ),
      ),
    ),
  )

const files = new Map(
  [
    ['scatter.ttgir', scatter],
    ['gather.ttgir', gather(0)],
    ['far.ttgir', gather(1000)],
    ['copy.ttgir', copy],
    ['ragged.jaxpr.json', inFolder('shipped').text('ragged_dot')],
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
      `verdict ok: on ${sets.join(', ')} data (idx, x; give the data of idx: on random data the run leaves a tensor (I2)): no hazards`,
    )
  })
  test('and where all do: nothing is held against the kernel', async () => {
    const { stdout, status } = await gathered('far.ttgir')
    expect(status).toBe(3)
    expect(stdout.replace(/\s+/gu, ' ')).toContain(
      'verdict undecided: give the data of idx: control or addresses come from data',
    )
    expect(stdout).toMatch(/^I2 .*\(note\)/mu)
  })
  test('of a kernel that JAX traced: any fault and any unwritten output', async () => {
    const { stdout, status } = await run('check', 'ragged.jaxpr.json', '--json')
    const { verdict, reason, findings, notes } = JSON.parse(stdout) as Answer
    expect([status, verdict, findings]).toEqual([3, 'undecided', []])
    expect(reason).toMatch(
      /^give the data of rows_per_expert_gmem: .* every run ends in a fault or leaves an output unwritten \(A4, O1\)$/u,
    )
    expect(notes.map(({ id }) => id)).toContain('A4')
  })
  test.each([
    ['lanes that have ended', 'setp.ge.u32 %p2, %r1, 16;\n@%p2 ret;', 1, 'invalid: with data|invalid: on'],
    [
      'an address of the data',
      'add.u32 %r4, %r4, %r2;\nadd.u32 %r4, %r4, 65536;',
      3,
      'undecided: give the data of x:',
    ],
  ])('of PTX, but not what comes of no value: %s', async (_, lines, wanted, says) => {
    files.set('matrix.ptx', new TextEncoder().encode(matrix(lines)))
    const { stdout, status } = await run(
      'check',
      'matrix.ptx',
      '--grid',
      '1',
      '--block',
      '32',
      '--arg',
      'x=u32[1]',
    )
    expect(stdout.replace(/\s+/gu, ' ')).toMatch(new RegExp(`verdict (?:${says})`, 'u'))
    expect(status).toBe(wanted)
  })
})

describe('data that are given', () => {
  const indexed = (file: string, first: number, ...more: ReadonlyArray<string>) => {
    files.set('idx.npy', npy(Array.from({ length: 32 }, (_, i) => first + i)))
    return run(
      ...['check', file, '--grid', '1', '--in', 'idx=idx.npy'],
      ...['--arg', 'idx=i32[32]:in', 'x=f32[32]:in', 'out=f32[32]:out', '--json', ...more],
    )
  }
  const x = npy(
    Array.from({ length: 32 }, () => 0),
    'f32',
  )
  test.each([
    ['inside', -1000, 'ok', undefined],
    ['outside', -999, 'invalid', 'I2'],
    ['all of them', -1000, 'ok', undefined],
  ])('decide, and the first line names them: %s', async (which, first, wanted, id) => {
    files.set('x.npy', x)
    const { stdout } = await indexed(
      'far.ttgir',
      first,
      ...(which === 'all of them' ? ['--in', 'x=x.npy'] : []),
    )
    const { verdict, reason, findings } = JSON.parse(stdout) as Answer
    expect([verdict, findings[0]?.id]).toEqual([wanted, id])
    expect(reason).toContain('with the data given for idx')
  })
  test.each([
    ['as many rows as there are', [100, 156], 'ok', undefined],
    ['rows before the first', [-64, 320], 'invalid', 'A4'],
  ])('of a kernel that JAX traced: %s', async (_, rows, wanted, id) => {
    files.set('rows.npy', npy(rows))
    const { stdout } = await run(
      'check',
      'ragged.jaxpr.json',
      '--in',
      'rows_per_expert_gmem=rows.npy',
      '--json',
    )
    const { verdict, reason, findings } = JSON.parse(stdout) as Answer
    expect([verdict, findings[0]?.id]).toEqual([wanted, id])
    expect(reason.startsWith('with the data given for rows_per_expert_gmem: ')).toBe(true)
  })
  test('are left alone where nothing depends on them', async () => {
    files.set('x.npy', x)
    const { stdout } = await run(
      'check',
      'copy.ttgir',
      '--grid',
      '1',
      '--arg',
      'x=f32[32]:in',
      'out=f32[32]:out',
      '--in',
      'x=x.npy',
      '--json',
    )
    const { verdict, reason, scope } = JSON.parse(stdout) as Answer
    expect([verdict, /given/u.test([reason, ...scope].join())]).toEqual(['ok', false])
  })
  test('are wanted by name where none may be seeded, and only where they decide', async () => {
    const answers = await Promise.all(
      [
        ['gather.ttgir', 'idx=i32[32]:in', 'x=f32[32]:in'],
        ['copy.ttgir', 'x=f32[32]:in'],
      ].map(([file = '', ...tensors]) =>
        run('check', file, '--grid', '1', '--no-seeded', '--arg', ...tensors, 'out=f32[32]:out'),
      ),
    )
    expect(answers.map(({ status, stderr }) => [status, stderr])).toEqual([
      [2, 'tcspec: input idx: expected a file (--in idx=FILE), found none\n'],
      [0, ''],
    ])
  })
  test('are of the element type and the shape that the kernel has', async () => {
    files.set('x.npy', x)
    const { status, stderr } = await run('check', 'ragged.jaxpr.json', '--in', 'rows_per_expert_gmem=x.npy')
    expect([status, stderr]).toEqual([
      2,
      'tcspec: ragged.jaxpr.json: x.npy: expected elements of i32 for rows_per_expert_gmem, found f32\n',
    ])
  })
})
