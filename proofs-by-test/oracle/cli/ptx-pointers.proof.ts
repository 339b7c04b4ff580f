/**
 * Tensors that hold addresses of other tensors. Oracle: sums by arithmetic on the data, and the tensor that a program picks, by its number.
 */
import { describe, expect, test } from 'vitest'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import { right } from '../../either.js'
import { npy } from '../../dialects/ptx/small-kernels.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** CTA `c` adds one to each word of the tensor whose address is word `c` of `list`; `at`: of the word behind. */
const kernel = (at: 'own' | 'next'): string =>
  moduleOf(
    ['list'],
    `.reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [list]; mov.u32 %r1, %ctaid.x; ${at === 'own' ? '' : 'add.s32 %r1, %r1, 1;'}
mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2; ld.global.b64 %rd3, [%rd1];
mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd3, %rd3, %rd4;
ld.global.b32 %r3, [%rd3]; add.s32 %r3, %r3, 1; st.global.b32 [%rd3], %r3;
ret;`,
  )

const words = (first: number): Uint32Array => Uint32Array.from({ length: 32 }, (_, i) => first + 3 * i)
const bytes = (s: string): Uint8Array => new TextEncoder().encode(s)

const asked = async (
  command: 'check' | 'run',
  {
    at = 'own',
    list = ['a', 'b'],
    shape,
    given = true,
  }: {
    readonly at?: 'own' | 'next'
    readonly list?: ReadonlyArray<string>
    readonly shape?: ReadonlyArray<number>
    readonly given?: boolean
  },
) => {
  const memory = (name: string) =>
    Object.assign(
      { tensor: name, dtype: 'u32', shape: [32], role: 'inout' },
      given ? { file: `${name}.before.npy` } : { file: null },
    )
  const launch = {
    grid: [2],
    block: [32],
    args: [Object.assign({ tensor: 'list', pointers: list }, shape === undefined ? {} : { shape })],
    memory: [memory('a'), memory('b')],
    outputs: ['a', 'b'],
  }
  const files = new Map([
    ['k.ptx', bytes(kernel(at))],
    ['l.json', bytes(JSON.stringify(launch))],
    ['a.before.npy', npy(words(1))],
    ['b.before.npy', npy(words(1000))],
  ])
  const out = command === 'run' ? ['--out', 'a=a.npy', 'b=b.npy'] : []
  const ran = await running(worldOf(inMemory(files)))(
    command,
    'k.ptx',
    '--launch',
    'l.json',
    '--json',
    ...out,
  )
  const leftIn = (name: string): ReadonlyArray<number> | null => {
    const held = files.get(`${name}.npy`)
    return held === undefined ? null : [...new Uint32Array(held.slice(held.length - 128).buffer)]
  }
  return { ...ran, a: leftIn('a'), b: leftIn('b') }
}
const saidOf = async (...words: Parameters<typeof asked>): Promise<string> => {
  const { verdict, findings } = right(decodeVerdict(JSON.parse((await asked(...words)).stdout)))
  return [verdict, ...new Set(findings.map(({ id }) => id))].join(' ')
}
const oneMore = (first: number, times = 1): ReadonlyArray<number> => [...words(first)].map((n) => n + times)

describe('addresses in a tensor', () => {
  test('each CTA reaches the tensor whose address stands at its number', async () => {
    const { a, b, status } = await asked('run', {})
    expect([status, a, b]).toEqual([0, oneMore(1), oneMore(1000)])
  })
  test('the order of addresses is that of the list', async () => {
    const { a, b } = await asked('run', { list: ['b', 'a'] })
    expect([a, b]).toEqual([oneMore(1), oneMore(1000)])
    const shifted = await asked('run', { at: 'next', list: ['a', 'b', 'a'] })
    expect([shifted.status, shifted.a, shifted.b]).toEqual([0, oneMore(1), oneMore(1000)])
  })
  test.each([true, false])('one tensor twice is a race of two CTAs (data: %j)', async (given) => {
    expect(await saidOf('check', { list: ['a', 'b'], given })).toBe('ok')
    expect(await saidOf('check', { list: ['a', 'a'], given })).toBe('hazard D3')
  })
  test('past the last address nothing is', async () => {
    expect(await saidOf('check', { at: 'next' })).toMatch(/^invalid/u)
  })
  test('what cannot be is refused by one line', async () => {
    const few = await asked('check', { shape: [1] })
    expect([few.status, few.stderr]).toEqual([
      2,
      expect.stringContaining('list: expected at most 1 pointers'),
    ])
    const none = await asked('check', { list: ['a', 'nowhere'] })
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('there is no tensor nowhere')])
  })
})

describe('of a module of Triton', () => {
  // a module that makes a pointer of a word, and what a compiler makes of it
  const module = `module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%list: !tt.ptr<i64>) {
    %pid = tt.get_program_id x : i32
    %at = tt.addptr %list, %pid : !tt.ptr<i64>, i32
    %word = tt.load %at : !tt.ptr<i64>
    %p = tt.int_to_ptr %word : i64 -> !tt.ptr<i32>
    %x = tt.load %p : !tt.ptr<i32>
    tt.return
  }
}`
  const launch = (extra: object): string =>
    JSON.stringify(
      Object.assign(
        { schema: 'tcspec.launch/1', grid: [2], args: [{ tensor: 'list', pointers: ['a', 'b'] }] },
        extra,
      ),
    )
  const memory = ['a', 'b'].map((tensor) => ({ tensor, dtype: 'u32', shape: [32], file: null }))
  test('its launch is that of its PTX, and TTGIR says why it is not judged', async () => {
    const files = new Map([
      ['k.ttgir', bytes(module)],
      [
        'k.ptx',
        bytes(kernel('own').replace('.param .u64 list', '.param .u64 list, .param .u64 s0, .param .u64 s1')),
      ],
      ['l.json', bytes(launch({ memory }))],
    ])
    const ran = await running(worldOf(inMemory(files)))('check', 'k.ttgir', '--launch', 'l.json', '--json')
    const v = right(decodeVerdict(JSON.parse(ran.stdout)))
    expect([v.verdict, v.levels?.at.map(({ result }) => result)]).toEqual(['ok', ['refused', 'ok']])
    expect(v.reason).toContain('only its PTX has addresses')
  })
})
