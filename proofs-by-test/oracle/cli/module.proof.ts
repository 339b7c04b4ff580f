/** The command line on modules of Triton's: launches from files and words, what is refused and how, operations left out by label and line. */
import * as fs from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { givenSchemas } from '../../../src/oracle/documents.js'
import { decodeLaunch } from '../../../src/oracle/launch/file.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { npyOfTensor, tensor } from '../../../src/oracle/tensor-files/tensor.js'
import { captureFiles, captureNames } from '../../dialects/ttgir/captures.js'
import { moduleText } from '../../dialects/ttgir/modules.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const world = worldOf(onDisk)

// ---------------------------------------------------------------- captures, from disk

describe('a capture', () => {
  it.each(sampled(6, captureNames))('%s: its launch file is a launch, and satisfies the schema', (name) => {
    const text = fs.readFileSync(captureFiles(name).launch, 'utf8')
    right(decodeLaunch(text))
    const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(
      givenSchemas['launch.schema.json'] as object,
    )
    expect([validate(JSON.parse(text)), validate.errors]).toEqual([true, null])
  })
  it('is run, compared with what the chip left, and written', async () => {
    // ragged, and by day the smaller one
    const [name, elements] = nightly
      ? ['mm_persistent_nows_64x64x32_s4_w4_256x256x192', '65,536']
      : ['mm_persistent_nows_128x128x64_s3_w4_72x520x48_wide', '37,440']
    const { module, launch } = captureFiles(name)
    const written = new Map<string, Uint8Array>()
    const kept = { ...onDisk, ...inMemory(written), read: onDisk.read }
    const said = await tcspec(commands, { ...world, files: kept })([
      'run',
      module,
      '--launch',
      launch,
      '--out',
      'c=o.npy',
      '--computes',
      'matmul:a,b,c',
    ])()
    expect(said.status).toBe(0)
    expect(said.stdout).toMatch(/inputs +a\s+from\s+\S*a.npy,\s+b\s+from\s+\S*b.npy\n/)
    expect(said.stdout).toMatch(
      new RegExp(`result +0 of ${elements} elements differ from\\s+\\S*c\\.npy`, 'u'),
    )
    const chip = fs.readFileSync(launch.replace('launch.json', 'c.npy'))
    expect(Buffer.from(written.get('o.npy')!).equals(chip)).toBe(true)
  })
})

// ---------------------------------------------------------------- a small launch, in memory

const modules = {
  'k.ttgir': moduleText('mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir'),
  'p.ttgir': moduleText('mm_ptr_64x64x32_s4_w4_sm90.ttgir'),
  't.ttgir': moduleText('mm_tma_nows_64x64x32_s4_w4_sm90.ttgir'),
  'b.ttgir': moduleText('mm_hosttma_nows_128x128x64_s3_w4_sm100.ttgir'),
}
const shapes: Readonly<Record<string, readonly [number, number]>> = { a: [64, 64], b: [64, 64], c: [64, 64] }
const ones = Uint16Array.from({ length: 64 * 64 }, () => 0x3c00)
const sixtyFour = Uint16Array.from({ length: 64 * 64 }, () => 0x5400)
const npy = (bits: Uint16Array, dtype: 'f16' | 'f32' = 'f16', shape = [64, 64]): Uint8Array =>
  right(encodeNpy(npyOfTensor(right(tensor(dtype, shape, bits)))))
const descriptor = (name: string, block: readonly [number, number], more: object = {}): object => ({
  kind: 'tensordesc',
  tensor: name,
  shape: shapes[name],
  strides: [64, 1],
  block,
  dtype: 'torch.float16',
  ...more,
})
const blocks = { a: [64, 32], b: [32, 64], c: [64, 64] } as const
const launchFile = (change: object = {}, more: Readonly<Record<string, object>> = {}): string =>
  JSON.stringify({
    grid: [1, 1],
    args: [...(['a', 'b', 'c'] as const).map((n) => descriptor(n, blocks[n], more[n])), 64],
    outputs: ['c'],
    ...change,
  })
const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
const disk = (): Map<string, Uint8Array> =>
  new Map([
    ...Object.entries(modules).map(([file, text]) => [file, encoded(text)] as const),
    ['d/a.npy', npy(ones)],
    ['d/b.npy', npy(ones)],
    ['d/c.npy', npy(sixtyFour)],
    ['d/launch.json', encoded(launchFile())],
  ])
const run = async (
  words: string,
  more: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Outcome & { readonly files: ReadonlyMap<string, Uint8Array> }> => {
  const files = disk()
  for (const [file, text] of Object.entries(more))
    files.set(file, typeof text === 'string' ? encoded(text) : text)
  const outcome = await tcspec(commands, { ...world, files: inMemory(files) })(words.split(' '))()
  return { ...outcome, files }
}
/** Every program of the grid stores the same number, or its own. */
const flags = (
  value: string,
): string => `module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @flags(%out: !tt.ptr<i32>) attributes {noinline = false} {
    %c1_i32 = arith.constant 1 : i32
    %p = tt.get_program_id x : i32
    tt.store %out, ${value} : !tt.ptr<i32>
    tt.return
  }
}
`
const one = '--grid 1,1 --arg da=f16[64,64] db=f16[64,64] dc=f16[64,64]:out K=64'

describe('a module stores a constant from every program', () => {
  const asked = 'flags.ttgir --grid 2 --arg out=i32[1]:out --json'
  const said = async (value: string, more = ''): Promise<string> => {
    const { stdout } = await run(`check ${asked}${more}`, { 'flags.ttgir': flags(value) })
    const v = JSON.parse(stdout) as Record<'findings' | 'notes', ReadonlyArray<{ readonly id: string }>> & {
      readonly verdict: string
    }
    return [v.verdict, ...[...v.findings, ...v.notes].map(({ id }) => id)].join(' ')
  }
  it('it is stored twice: a note, but by the manual a race', async () => {
    expect(await said('%c1_i32')).toBe('ok N4')
    expect(await said('%c1_i32', ' --strict')).toBe('hazard D3')
    expect(await said('%p')).toBe('hazard D3')
  })
})

describe('what a tensor holds before the launch', () => {
  const held = (bits: Uint16Array): Uint8Array => npy(bits)
  const twos = Uint16Array.from(ones, () => 0x4000)
  const outOf = (bytes: Uint8Array | undefined): number => new Uint16Array(bytes!.slice(-2).buffer)[0]!
  it('--in stands in the place of what the launch brings', async () => {
    const words = 'run k.ttgir --launch d/launch.json --in a=two.npy --out *'
    const { status, stdout, files } = await run(words, { 'two.npy': held(twos) })
    expect(stdout).toMatch(/inputs +a from two.npy, b from d\/b.npy\n/)
    expect([status, outOf(files.get('c.npy'))]).toEqual([1, 0x5800])
  })
  it('of an output it stays, where nothing is stored', async () => {
    const text = flags('%p')
      .replace('tt.store %out', 'tt.store %at')
      .replace('    tt.store', '    %at = tt.addptr %out, %c1_i32 : !tt.ptr<i32>, i32\n    tt.store')
    const before = right(encodeNpy(npyOfTensor(right(tensor('i32', [3], [7, 8, 9])))))
    const { files } = await run('run flags.ttgir --grid 1 --arg out=i32[3]:out --in out=before.npy --out *', {
      'flags.ttgir': text,
      'before.npy': before,
    })
    expect([...new Int32Array(files.get('out.npy')!.slice(-12).buffer)]).toEqual([7, 0, 9])
  })
})

describe('addresses are data', () => {
  const text = flags('%v')
    .replace('%out: !tt.ptr<i32>', '%row: !tt.ptr<i32>, %x: !tt.ptr<i32>, %out: !tt.ptr<i32>')
    .replace(
      '    tt.store',
      '    %r = tt.load %row : !tt.ptr<i32>\n    %at = tt.addptr %x, %r : !tt.ptr<i32>, i32\n    %v = tt.load %at : !tt.ptr<i32>\n    tt.store',
    )
  const files = {
    'x.ttgir': text,
    'row.npy': right(encodeNpy(npyOfTensor(right(tensor('i32', [1], [2]))))),
    'x.npy': right(encodeNpy(npyOfTensor(right(tensor('i32', [3], [7, 8, 9]))))),
  }
  it.each([
    ['row=row.npy x=i32[3]', 'the given ones and the seeded ones'],
    ['row=row.npy x=x.npy', 'the given ones'],
  ])('%s: of other inputs nothing is said', async (args, taken) => {
    const { stdout } = await run(`check x.ttgir --grid 1 --arg ${args} out=i32[1] --json`, files)
    const said = JSON.parse(stdout) as { readonly verdict: string; readonly scope: ReadonlyArray<string> }
    expect([said.verdict, said.scope.at(-1)]).toEqual([
      'ok',
      `inputs other than ${taken} (control or addresses depend on data)`,
    ])
  })
})

describe('truth values in memory', () => {
  it('are bytes, of 0 or 1', async () => {
    const text = flags('%truth')
      .replace('%out: !tt.ptr<i32>', '%x: !tt.ptr<i1>, %out: !tt.ptr<i1>')
      .replace(
        '    tt.store %out, %truth : !tt.ptr<i32>',
        [
          '    %none = arith.constant 0 : i8',
          '    %bytes = tt.bitcast %x : !tt.ptr<i1> -> !tt.ptr<i8>',
          '    %byte = tt.load %bytes : !tt.ptr<i8>',
          '    %is = arith.cmpi eq, %byte, %none : i8',
          '    %truth = arith.extui %is : i1 to i8',
          '    %to = tt.bitcast %out : !tt.ptr<i1> -> !tt.ptr<i8>',
          '    tt.store %to, %truth : !tt.ptr<i8>',
        ].join('\n'),
      )
    const byte = (n: number): Uint8Array => right(encodeNpy(npyOfTensor(right(tensor('i8', [1], [n])))))
    for (const n of [0, 1]) {
      const words = 'run t.ttgir --grid 1 --arg x=x.npy out=i8[1] --out *'
      const { files } = await run(words, { 't.ttgir': text, 'x.npy': byte(n) })
      expect(files.get('out.npy')!.at(-1)).toBe(1 - n)
    }
  })
})

describe('an operation that is refused', () => {
  it('is named by its line, and by that of its author', async () => {
    const text = moduleText('attn_nows_128x64x64_sm90.ttgir').replace(
      /math\.exp2 %p_52 : (.*?>)(?= loc)/u,
      'tt.ptr_to_int %p_52 : $1 -> $1',
    )
    const tensors = ['dq', 'dk', 'dv', 'do'].map((name) => `${name}=f16[128,64]`).join(' ')
    const { stderr } = await run(`check a.ttgir --grid 1 --arg ${tensors} scale=1 N=128`, { 'a.ttgir': text })
    expect(stderr).toMatch(/^tcspec: kernels.py:65: tt.ptr_to_int: .* \(line 97 of the TTGIR\)\n$/)
  })
})

describe('what a descriptor loads from outside of its tensor', () => {
  const narrow = { shape: [64, 48], strides: [48, 1] }
  const first = async (padding: object): Promise<number | undefined> => {
    const { files } = await run('run k.ttgir --launch d/l.json --out c=o.npy', {
      'd/l.json': launchFile({}, { a: { ...narrow, ...padding, file: 'n.npy' } }),
      'd/n.npy': npy(ones.subarray(0, 64 * 48), 'f16', [64, 48]),
    })
    return new Uint16Array(files.get('o.npy')!.slice(-2).buffer)[0]
  }
  it('is zero, or the NaN that it asks for', async () => {
    expect(await first({})).toBe(0x5200)
    expect(await first({ padding: 'nan' })).toBe(0x7fff)
  })
  it('is no matter of pointers', async () => {
    const args = ['a', 'b', 'c'].map((tensor) => ({ tensor, shape: [64, 64], padding: 'nan', file: null }))
    const asked = { 'l.json': JSON.stringify({ grid: [1, 1], args: [...args, 64, 64, 64, 64, 64, 64] }) }
    expect((await run('check p.ttgir --launch l.json', asked)).stderr).toBe(
      'tcspec: p.ttgir: @mm_ptr: %a: expected padding with zeros, but for descriptors of floats, found nan\n',
    )
  })
})

describe('--out *', () => {
  it('is every output, and no scratch of a module', async () => {
    const { files } = await run(
      'run t.ttgir --grid 1,1 --arg a=f16[64,64] b=f16[64,64] c=f16[64,64] M=64 N=64 K=64 --out *',
    )
    expect([...files.keys()].filter((file) => !disk().has(file))).toEqual(['c.npy'])
  })
})

describe('--no-seeded', () => {
  it('refuses what is read and not brought; what is written begins as zeros', async () => {
    const asked = 'run k.ttgir --grid 1,1 --arg da=d/a.npy dc=f16[64,64] K=64 --no-seeded'
    expect(await run(`${asked} --arg db=f16[64,64]`)).toMatchObject({
      status: 2,
      stderr: 'tcspec: input db: expected a file (--in db=FILE), found none\n',
    })
    expect((await run(`${asked} --arg db=d/b.npy`)).status).toBe(0)
  })
})

describe('a number that JSON does not have', () => {
  const low = '    %y = arith.trunci %x : i64 to i32\n    tt.store'
  it.each([
    ['i64', '"9007199254740993"', flags('%y').replace('    tt.store', low), 1],
    ['f32', '"-inf"', flags('%x').replaceAll('!tt.ptr<i32>', '!tt.ptr<f32>'), 0xff800000],
  ] as const)('%s: %s', async (type, said, text, found) => {
    const { files } = await run('run x.ttgir --launch l.json --out out=o.npy', {
      'x.ttgir': text.replace('>) attributes', `>, %x: ${type}) attributes`),
      'l.json': `{"grid": [1], "args": [{"tensor": "out", "shape": [1], "file": null}, ${said}]}`,
    })
    expect(new Uint32Array(files.get('o.npy')!.slice(-4).buffer)[0]).toBe(found)
  })
})

describe('run', () => {
  it('takes a launch file, and what an output should be from its file', async () => {
    const said = await run('run k.ttgir --launch d/launch.json --out c=o.npy')
    expect([said.status, said.stderr]).toEqual([0, ''])
    expect(said.stdout).toContain('0 of 4,096 elements differ from d/c.npy')
    expect(said.files.get('o.npy')).toEqual(npy(sixtyFour))
  })
  it('says where an output is another', async () => {
    const said = await run('run k.ttgir --launch d/launch.json --json', { 'd/c.npy': npy(ones) })
    expect(said.status).toBe(1)
    expect(JSON.parse(said.stdout)).toMatchObject({
      verdict: 'wrong-result',
      reason: '4096 of 4096 elements differ from d/c.npy'.replaceAll('4096', '4,096'),
      comparison: { equal: false, different: 4096 },
    })
  })
  it('reads an output only where its role says so', async () => {
    const said = await run('run k.ttgir --launch d/launch.json', {
      'd/launch.json': launchFile({}, { c: { role: 'inout' } }),
    })
    expect(said.stdout).toContain('c from d/c.npy')
    expect(said.stdout).not.toContain('differ')
  })
  it('takes words, a file among them, and proves what it computes', async () => {
    const words = 'run k.ttgir --grid 1,1 --arg da=d/a.npy db=f16[64,64] dc=f16[64,64] K=64:i32'
    const said = await run(`${words} --computes matmul:da,db,dc`)
    expect(said.stdout).toMatch(/inputs +da from d\/a.npy, db seeded \(0\)/)
    expect(said.stdout).toContain('0 of 4,096 elements differ from naive matmul')
    const proved = await run(`check k.ttgir ${one} --computes matmul:da,db,dc --json`)
    expect(proved.status).toBe(0)
    expect(JSON.parse(proved.stdout)).toMatchObject({ provenance: { proved: true } })
  })
  it('takes words in the place of what the file says, and arguments by name', async () => {
    const said = await run('check k.ttgir --launch d/launch.json --grid 1 --arg K=32', {
      'd/launch.json': JSON.stringify({
        grid: [7],
        args: { K: 64, dc: 'c', da: { tensor: 'a' }, db: 'b' },
        outputs: ['c'],
        computes: 'matmul:a,b,c',
      }),
    })
    // half of k is not all of it
    expect(said.status).toBe(1)
    expect(said.stdout).toContain('grid 1: 1 CTA')
    expect(said.stdout).toMatch(/wrong-result/)
  })
  it('takes bf16 as u2, and 8-bit floats as u1', async () => {
    const bf16 = modules['k.ttgir'].replaceAll('f16', 'bf16')
    const words = Uint16Array.from({ length: 64 * 64 }, () => 0x3f80)
    const file = right(encodeNpy(npyOfTensor(right(tensor('u16', [64, 64], words)))))
    const said = await run(
      'run k.ttgir --grid 1 --arg da=d/a.npy db=d/a.npy dc=bf16[64,64] K=64 --out dc=o.npy',
      {
        'k.ttgir': bf16,
        'd/a.npy': file,
      },
    )
    expect([said.status, said.stderr]).toEqual([0, ''])
    const sums = Uint16Array.from({ length: 64 * 64 }, () => 0x4280)
    expect(said.files.get('o.npy')).toEqual(
      right(encodeNpy(npyOfTensor(right(tensor('u16', [64, 64], sums))))),
    )
  })
  it('says whose arithmetic it is', async () => {
    const hopper = await run(`run k.ttgir ${one}`)
    expect(hopper.stdout).toMatch(/Hopper tensor cores \(measured\); exp2 and its like as\s+triton/)
    const words = '--grid 1,1 --arg da=f16[128,64] db=f16[64,128] dc=f16[128,128] K=64'
    const blackwell = await run(`run b.ttgir ${words} --computes matmul:da,db,dc`)
    expect([blackwell.status, blackwell.stderr]).toEqual([0, ''])
    expect(blackwell.stdout).toMatch(/Blackwell tensor cores \(not\s+measured\)/)
  })
})

describe('a module is a subject', () => {
  it('of trace and of a timeline', async () => {
    const rows = await run(`trace k.ttgir ${one} --json`)
    expect(JSON.parse(rows.stdout)).toMatchObject({ program: 'mm_host_tma', schema: 'tcspec.events/1' })
    const drawn = await run(`run k.ttgir ${one} --timeline t.svg --trace t.jsonl`)
    expect([drawn.status, drawn.files.has('t.svg'), drawn.files.has('t.jsonl')]).toEqual([0, true, true])
    expect((await run('check t.jsonl', { 't.jsonl': drawn.files.get('t.jsonl')! })).status).toBe(0)
  })
  it('of mutate', async () => {
    const said = await run(`mutate k.ttgir ${one} --operator FENCE --json`)
    expect(said.status).toBe(0)
    expect(JSON.parse(said.stdout)).toMatchObject({ kernels: [{ kernel: 'mm_host_tma', survivors: [] }] })
  })
})

/** The last wait for a product, behind the loop. */
const wgmmaWait = [...modules['k.ttgir'].matchAll(/%(\w+)(?::\d+)? = ttng.warp_group_dot_wait/g)].at(-1)![1]!

describe('--without', () => {
  const store = /(\d+):.*ttng.async_tma_store_wait/.exec(
    modules['k.ttgir']
      .split('\n')
      .map((l, i) => `${String(i + 1)}:${l}`)
      .join('\n'),
  )![1]!
  const acquire = String(
    1 + modules['t.ttgir'].split('\n').findIndex((l) => l.includes('ttng.tensormap_fenceproxy_acquire')),
  )
  it('an operation by its label, its line, and both', async () => {
    const said = await Promise.all(
      [store, `async_tma_store_wait ${store}`, `ttng.async_tma_store_wait ${store}`].map((text) =>
        tcspec(commands, { ...world, files: inMemory(disk()) })([
          'check',
          'k.ttgir',
          ...one.split(' '),
          '--json',
          '--without',
          text,
        ])(),
      ),
    )
    const [first, ...others] = said
    expect(JSON.parse(first!.stdout)).not.toMatchObject({ verdict: 'ok', notes: [] })
    for (const other of others) expect(other).toEqual(first)
  })
  it('an operation whose results are handed through', async () => {
    const said = await run(`check k.ttgir ${one} --without ${wgmmaWait}`)
    expect(said.status).toBe(1)
    expect(said.stdout).toMatch(/M1 {2}wgmma accumulator touched before the wait/)
  })
  it('an operation whose results are read is refused', async () => {
    const said = await run(
      `check t.ttgir --grid 1,1 --arg a=f16[64,64] b=f16[64,64] c=f16[64,64] M=64 N=64 K=64 --without ${acquire}`,
    )
    expect(said.stderr).toMatch(
      /expected an operation whose results are not read, found 'tensormap_fenceproxy_acquire \d+' \(ttng.tensormap_fenceproxy_acquire in line /,
    )
  })
  it.each([
    [
      '999',
      /found '999'; the nearest are 'async_tma_store_wait \d+' \(ttng.async_tma_store_wait in line \d+, /,
    ],
    ['nothing', /found 'nothing'; did you mean /],
    ['kernels.py:1', /found 'kernels.py:1'; the nearest are '/],
    ['%cst', /found arith.constant by '%cst'; did you mean /],
  ])('%s: is answered with what is near', async (text, message) => {
    const said = await run(`check k.ttgir ${one} --without ${text}`)
    expect([said.status, said.stdout]).toEqual([2, ''])
    expect(said.stderr).toMatch(message)
  })
  it('a line of the author that names several is answered with all of them', async () => {
    const place = /loc\("([\w.]+)":(\d+):\d+\)\n/.exec(modules['k.ttgir'])!
    const lines = modules['k.ttgir'].matchAll(/loc\("([\w.]+)":(\d+):\d+\)/g)
    const places = [place, ...lines].map((m) => `${m[1]!}:${m[2]!}`)
    const answers = await Promise.all(
      places.slice(0, 8).map((p) => run(`check k.ttgir ${one} --without ${p}`)),
    )
    expect(answers.map((a) => a.stderr).join('')).toMatch(
      /expected one operation, found \d+ by '[\w.]+:\d+': '/,
    )
  })
})

type Wrong = readonly [words: string, message: RegExp, more?: Readonly<Record<string, string | Uint8Array>>]

describe("the author's lines", () => {
  const line = 41
  const python = Array.from({ length: 50 }, (_, k) => `    statement_${String(k + 1)}(x)`).join('\n')
  it('are named by a finding, a remedy and a fault, and quoted where the file lies beside the module', async () => {
    const words = `check k.ttgir ${one} --without ${String(wgmmaWait)}`
    const said = await run(words, { 'kernels.py': python })
    expect(said.stdout).toMatch(
      /source +kernels.py:(\d+): statement_\1\(x\) {2}\(ttng.warp_group_dot, line \d+\)\n/,
    )
    expect(said.stdout).toMatch(new RegExp(`event \\d+, kernels.py:${String(line)}\\n`))
    expect(said.stdout).toMatch(
      /fix +add a wgmma group wait that covers `acc_\d+` \(kernels.py:\d+\) of default@0/,
    )
    const unquoted = await run(words)
    expect(unquoted.stdout).toMatch(/source +kernels.py:\d+ {2}\(ttng.warp_group_dot, line \d+\)\n/)
    const outside = await run(
      'run p.ttgir --grid 1,1 --arg a=f16[8,8] b=f16[64,64] c=f16[64,64] M=64 N=64 K=64 sam=64 sbk=64 scm=64',
    )
    expect(outside.stdout).toMatch(/invalid: I2: x_\d+ \(kernels.py:\d+\): source: element/)
    expect(outside.stdout).toMatch(/fix +keep [^]* within this\s+memory/)
  })
  it('stand in the document, the rows of a trace and both timelines', async () => {
    const document = await run(`check k.ttgir ${one} --without ${String(wgmmaWait)} --json`)
    const { findings } = JSON.parse(document.stdout) as { findings: ReadonlyArray<{ a: { loc: string } }> }
    expect(findings[0]!.a.loc).toBe(`kernels.py:${String(line)}`)
    const rows = await run(`trace k.ttgir ${one}`)
    expect(rows.stdout).toMatch(/^ *i +CTA +agent +site +source +iteration/)
    expect(rows.stdout).toContain(`kernels.py:${String(line)}`)
    const perfetto = await run(`trace k.ttgir ${one} --format perfetto`)
    expect(perfetto.stdout).toContain(`"source":"kernels.py:${String(line)}"`)
    const drawn = await run(`run k.ttgir ${one} --timeline t.svg`)
    expect(new TextDecoder().decode(drawn.files.get('t.svg')!)).toContain(`(kernels.py:${String(line)}): `)
  })
  it('of what was inlined are its own, but not those of the library', async () => {
    const said = await run(`trace k.ttgir ${one}`)
    expect(said.stdout).not.toMatch(/standard.py|triton\/language/)
  })
})

describe('wrong use is one line', () => {
  const wrong: ReadonlyArray<Wrong> = [
    [
      'run k.ttgir',
      /^tcspec: k.ttgir: @mm_host_tma: expected a grid and 4 arguments, --grid \?,\? --arg da=f16\[\?,\?\]:in .* K=\?:i32, found nothing for the grid, da, db, dc, K\n$/,
    ],
    [
      'check k.ttgir --grid 1 --arg da=d/a.npy',
      /--grid 1 --arg da=d\/a.npy db=f16\[\?,\?\]:in dc=f16\[\?,\?\]:out K=\?:i32, found nothing for db, dc, K/,
    ],
    ['check nothing.ttgir', /^tcspec: nothing.ttgir: no such file\n$/],
    ['check k.ttgir', /^tcspec: k.ttgir:1:1: expected 'module', found the end\n$/, { 'k.ttgir': '' }],
    [
      'check k.ttgir',
      /^tcspec: k.ttgir:\d+:\d+: expected an operation that is known \(nearest: ttng.wait_barrier\), found 'ttng.wait_bariier'\n$/,
      { 'k.ttgir': modules['k.ttgir'].replace('ttng.wait_barrier', 'ttng.wait_bariier') },
    ],
    [
      `check k.ttgir ${one}`,
      /^tcspec: k.ttgir: expected ttg.target = "cuda:90" or "cuda:100", found cuda:80\n$/,
      { 'k.ttgir': modules['k.ttgir'].replace('cuda:90', 'cuda:80') },
    ],
    ['check k.ttgir --launch d/launch.json', /^tcspec: d\/launch.json: not JSON: /, { 'd/launch.json': '{' }],
    [
      'check k.ttgir --launch d/launch.json',
      /^tcspec: d\/launch.json: \$.grid: expected an array, found /,
      { 'd/launch.json': '{}' },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /^tcspec: d\/launch.json: \$.grids: no such key|d\/launch.json: .*no such key in a launch/,
      { 'd/launch.json': launchFile({ grids: 1 }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /^tcspec: d\/launch.json: kernel: expected mm_host_tma, as in the text, found mm_ptr\n$/,
      { 'd/launch.json': launchFile({ kernel: 'mm_ptr' }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /: num_warps: expected 4, as in the text, found 8/,
      { 'd/launch.json': launchFile({ num_warps: 8 }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /: num_ctas: expected 1, as in the text, found 2/,
      { 'd/launch.json': launchFile({ num_ctas: 2 }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /: arch: expected sm_90, as in the text, found sm_100/,
      { 'd/launch.json': launchFile({ arch: 'sm_100a' }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /%da: expected blocks of \(64, 32\), as in the text, found \(32, 32\)/,
      { 'd/launch.json': launchFile({}, { a: { block: [32, 32] } }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /%da: expected elements of f16, found f32/,
      { 'd/launch.json': launchFile({}, { a: { dtype: 'torch.float32' } }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /%da: expected elements of f16, found 'torch.int3'/,
      { 'd/launch.json': launchFile({}, { a: { dtype: 'torch.int3' } }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /%da: expected a descriptor, as in the text, found pointer/,
      { 'd/launch.json': launchFile({}, { a: { kind: 'pointer' } }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /d\/a.npy: expected a tensor of extents \(64, 128\) for %da, found \(64, 64\)/,
      { 'd/launch.json': launchFile({}, { a: { shape: [64, 128], strides: [128, 1] } }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /^tcspec: d\/none.npy: no such file\n$/,
      { 'd/launch.json': launchFile({}, { a: { file: 'none.npy' } }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /^tcspec: d\/a.npy: .*f4/,
      { 'd/a.npy': right(encodeNpy(npyOfTensor(right(tensor('f32', [64, 64], new Uint32Array(4096)))))) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /args: expected 4, for da, db, dc, K, found 5/,
      { 'd/launch.json': launchFile({ args: ['a', 'b', 'c', 1, 2] }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /%da: expected a tensor of f16 for a descriptor, found 1/,
      { 'd/launch.json': launchFile({ args: [1, 'b', 'c', 2] }) },
    ],
    [
      'check k.ttgir --launch d/launch.json',
      /%K: expected a number of type i32, found the tensor 'K'/,
      { 'd/launch.json': launchFile({ args: ['a', 'b', 'c', 'K'] }) },
    ],
    ['check p.ttgir --arg a=f16[64,64] M=17', /found nothing for the grid, b, c, N/],
    [
      `check k.ttgir ${one} --computes matmul:da,db`,
      /computes: expected matmul:A,B,OUT, gemm:A,B,OUT or copy:FROM,OUT, with names of tensors, found 'matmul:da,db'/,
    ],
    [
      'check k.ttgir --grid 1,1 --arg K=3.5',
      /^tcspec: --arg K: expected a number of type i32, found '3.5'\n$/,
    ],
    [
      'check k.ttgir --grid 1,1 --arg K=64:i64',
      /^tcspec: --arg K: expected a number of type i32, found '64:i64'\n$/,
    ],
    [
      'check k.ttgir --grid 1,1 --arg K=?:i32',
      /^tcspec: --arg K: expected a number of type i32, found '\?:i32'\n$/,
    ],
    [
      'check k.ttgir --grid 1,1 --arg da=f16[?,?]:in',
      /^tcspec: --arg da: expected a file, or f16\[EXTENTS\] with :in, :out or :inout, found 'f16\[\?,\?\]:in'\n$/,
    ],
    ['check k.ttgir --grid 1,1 --arg da=64', /^tcspec: --arg da: expected a file, or f16\[EXTENTS\]/],
    ['check k.ttgir --grid 1,1 --arg da=f17[64,64]', /^tcspec: --arg da: expected a file, or f16\[EXTENTS\]/],
    [
      'check k.ttgir --grid 1,1 --arg da=a da=b',
      /^tcspec: --arg: expected each argument once, found 'da twice'\n$/,
    ],
    [
      'check k.ttgir --grid 1,1 --arg dd=a.npy',
      /^tcspec: --arg: expected a parameter of @mm_host_tma, found 'dd'; did you mean da, db or dc\?\n$/,
    ],
    ['check k.ttgir --grid 1;1', /^tcspec: --grid: expected one to three positive extents/],
    ['check k.ttgir --set m=1', /^tcspec: --set: a module has no settings, found 'm'\n$/],
    ['run k.ttgir --in da=d/a.npy', /found nothing for the grid, da, db, dc, K/],
    [
      `run k.ttgir ${one} --in a=d/a.npy`,
      /^tcspec: d\/a.npy: expected an input of mm_host_tma, da, db, dc, found 'a'\n$/,
    ],
    [
      `run k.ttgir ${one} --in da=d/s.npy`,
      /^tcspec: d\/s.npy: expected da of shape \(64, 64\), found shape \(32, 64\)\n$/,
      { 'd/s.npy': npy(ones.subarray(2048), 'f16', [32, 64]) },
    ],
    [
      `run k.ttgir ${one} --in '*'`,
      /--in: expected name=file, name:dtype=file or one .npz or .safetensors file, found ''\*''/,
    ],
    [
      `run k.ttgir ${one} --out c=o.npy`,
      /^tcspec: --out: expected an output of mm_host_tma, dc, found 'c'\n$/,
    ],
    [`run k.ttgir ${one} --out dc=k.ttgir`, /a file other than the input/],
    [
      'check hopper-matmul --grid 1',
      /^tcspec: --grid: expected a module that is launched \(.ttgir, .ptx\), found 'hopper-matmul'\n$/,
    ],
    ['run zoo/R1 --launch d/launch.json', /^tcspec: --launch: expected a module/],
    ['mutate --all --computes matmul:a,b,c', /^tcspec: --computes: expected a module/],
    ['mutate hopper-matmul --arg a=1', /^tcspec: --arg: expected a module/],
    [
      'trace t.jsonl --grid 1',
      /^tcspec: --grid: expected a kernel or a program, found 'the trace t.jsonl'\n$/,
    ],
    [
      'check t.jsonl --arg a=1',
      /^tcspec: --arg: expected a kernel or a program, found the trace 't.jsonl'\n$/,
    ],
  ]
  it.each(wrong.map(([words, message, more]) => [words, message, more ?? {}] as const))(
    '%s',
    async (words, message, more) => {
      const said = await run(words, more)
      expect([said.status, said.stdout]).toEqual([2, ''])
      expect(said.stderr).toMatch(message)
      expect(said.stderr.split('\n').length).toBe(2)
      const document = await run(`${words} --json`, more)
      expect(JSON.parse(document.stdout)).toMatchObject({ schema: 'tcspec.error/1' })
    },
  )
})
