/**
 * Four modules of Triton, of each kind one: they are valid, they survive JSON; each operation is the instructions that the table of constructs says;
 * and they compute what they say, as compiled and as mended in their text (the oracle is the naive chain).
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { naiveMatmul } from '../../../src/kernels/reference.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { field, unit } from '../../../src/numerics/index.js'
import { bits } from '../../arithmetic.js'
import {
  check,
  standardOptions,
  type CheckOptions,
  type Checked,
} from '../../../src/semantics/verdict/check.js'
import { decodeProgram, encodeProgram, parseProgram, printJson } from '../../../src/semantics/files/codec.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { float } from '../../../src/semantics/machine/value.js'
import { place } from '../../../src/semantics/language/place.js'
import { eager, lazy, seeded } from '../../../src/semantics/execution/policy.js'
import { print } from '../../../src/semantics/language/print.js'
import { instructionNames } from '../../../src/semantics/language/signature.js'
import { statementsOf } from '../pallas/programs.js'
import {
  attention,
  hostTmaMatmul,
  pointerMatmul,
  tensorMapMatmul,
  type Compiled,
  type Sizes,
} from './compiled.js'
import { moduleText } from './modules.js'
import { right } from '../../either.js'

const eighth = float('f32', unit.constant('f32', 0.125))

const modules: ReadonlyArray<readonly [file: string, of: () => Compiled]> = [
  ['mm_ptr_64x64x32_s4_w4_sm90.ttgir', pointerMatmul],
  ['mm_tma_nows_64x64x32_s4_w4_sm90.ttgir', tensorMapMatmul],
  ['mm_hosttma_ws_128x128x64_s3_w4_sm100.ttgir', hostTmaMatmul],
  ['attn_ws_128x64x64_sm100.ttgir', () => attention(192, eighth)],
]
const files = modules.map(([file]) => file)

describe.each(modules)('%s', (file, make) => {
  const { program } = make()
  const text = moduleText(file)

  test('is valid and decodes from its own JSON (codec law 1)', () => {
    expect(right(decodeProgram(encodeProgram(program)))).toEqual(program)
    expect(right(parseProgram(printJson(program)))).toEqual(program)
  })

  test('prints, with every site in the listing', () => {
    const listing = print(program)
    for (const { site } of statementsOf(program.entry)) expect(listing).toContain(site.label)
    expect(print(make().program)).toBe(listing)
  })

  test('is placed already (place law 1)', () => {
    expect(right(place(program))).toEqual(program)
    for (const { offset, align } of program.storage) expect(offset! % align).toBe(0)
  })

  test('each operation is the instructions that the table of constructs says, as often', () => {
    const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length
    const instructions = statementsOf(program.entry).flatMap((stmt) => (stmt._tag === 'Do' ? [stmt] : []))
    for (const [operation, instruction] of [
      ['ttng.wait_barrier', 'mbarrier.wait'],
      ['ttng.barrier_expect', 'mbarrier.arriveExpectTx'],
      ['ttng.arrive_barrier', 'mbarrier.arrive'],
      ['ttng.init_barrier', 'mbarrier.init'],
      ['ttng.inval_barrier', 'mbarrier.inval'],
      ['ttng.tc_gen5_mma', 'tcgen05.mma'],
      ['ttng.tc_gen5_commit', 'tcgen05.commit'],
      ['ttng.tmem_load', 'tcgen05.ld'],
      ['ttng.tmem_store', 'tcgen05.st'],
      ['ttng.warp_group_dot', 'wgmma.mma'],
      ['ttng.warp_group_dot_wait', 'wgmma.waitGroup'],
      ['ttng.tensormap_create', 'tensormap.create'],
      ['ttng.tensormap_fenceproxy_acquire', 'tensormap.acquire'],
      ['ttng.fence_async_shared', 'fence.proxyAsync'],
      ['ttg.async_copy_global_to_local', 'cpAsync.copy'],
      ['ttg.async_commit_group', 'cpAsync.commitGroup'],
      ['ttg.async_wait', 'cpAsync.waitGroup'],
      ['tt.store', 'gmem.storePtr'],
    ] as const)
      expect(instructions.filter((stmt) => stmt.instruction._tag === instruction).length, operation).toBe(
        count(new RegExp(`(^|[ "])${operation.replaceAll('.', '\\.')}[ "]`, 'gm')),
      )
    const waits = instructions.filter(
      (stmt) => stmt.instruction._tag === 'mbarrier.wait' && stmt.when !== undefined,
    )
    expect(waits.length).toBe(count(/wait_barrier %[\w]+, %[\w#]+, %/g))
  })
})

// ---------------------------------------------------------------- what they compute

const asked = (
  { program, scalars }: Compiled,
  algebra: Algebra,
  tensors: Readonly<Record<string, Float64Array>> = {},
  policy: CheckOptions['policy'] = eager,
  strictProxies = false,
): Checked =>
  right(
    check(program, {
      ...standardOptions,
      algebra,
      arguments: { scalars: new Map(Object.entries(scalars)), tensors: new Map(Object.entries(tensors)) },
      policy,
      strictProxies,
      explore: false,
      fuel: 400_000,
    }),
  )

/** An operation of the text put before another, which stands there once. */
const before =
  (line: string, put: string) =>
  (text: string): string => {
    expect(text.split(line).length).toBe(2)
    return text.replace(line, `${put}${line}`)
  }
const fenced = before(
  '      %acc_84 = ttng.warp_group_dot ',
  '      ttng.fence_async_shared {bCluster = false}\n',
)
const drained = (text: string): string => {
  const [wait] = /^ +ttng\.wait_barrier %acc_14, %c0_i32 .*\n/m.exec(text)!
  return before('    ttng.inval_barrier %y_20 ', wait)(text.replace(wait, ''))
}
/** The loop over K in a condition that holds, whose other side gives zeros; it waits for each of its products. */
const inCondition = (text: string): string => {
  const loop =
    /^ {4}(%\w+):\d+ = scf\.for [^]*?^ {4}\}.*\n(?=(?: .*\n)*? {4}(%\w+) = ttng\.warp_group_dot_wait \1#0 .*\n)/mu.exec(
      text,
    )!
  const [whole, result = '', waited = ''] = loop
  const type = 'tensor<64x64xf32, #mma>'
  const put = [
    '    %some = arith.cmpi sge, %K, %c0_i32 : i32',
    `    ${waited} = scf.if %some -> (${type}) {`,
    whole.replace('pendings = 1', 'pendings = 0').trimEnd(),
    `    scf.yield ${result}#0 : ${type}`,
    `    } else {\n    scf.yield %cst : ${type}\n    }\n`,
  ]
  return text
    .replace(new RegExp(`^ {4}${waited} = ttng\\.warp_group_dot_wait .*\\n`, 'mu'), '')
    .replace(whole, put.join('\n'))
}

interface Matmul {
  readonly name: string
  readonly at: (sizes: Sizes) => Compiled
  readonly arithmetic: 'hopper' | 'blackwell'
  /** one block: fewer steps of k than stages, as many or one more, twice as many and one */
  readonly sizes: ReadonlyArray<Sizes>
  /** what stands open: `tcgen05.fence` is no operation of a text */
  readonly open: ReadonlyArray<string>
}
const matmuls: ReadonlyArray<Matmul> = [
  {
    name: 'through pointers, with its fence',
    at: (sizes) => pointerMatmul(sizes, fenced),
    arithmetic: 'hopper',
    sizes: [32, 96, 128, 288].map((k) => [64, 64, k]),
    open: [],
  },
  {
    name: 'through pointers, its loop in a condition',
    at: (sizes) => pointerMatmul(sizes, (text) => inCondition(fenced(text))),
    arithmetic: 'hopper',
    sizes: [32, 96, 128, 288].map((k) => [64, 64, k]),
    open: [],
  },
  {
    name: 'with tensor maps',
    at: tensorMapMatmul,
    arithmetic: 'hopper',
    sizes: [32, 96, 128, 288].map((k) => [64, 64, k]),
    open: [],
  },
  {
    name: 'warp-specialised, with its barriers waited for',
    at: (sizes) => hostTmaMatmul(sizes, drained),
    arithmetic: 'blackwell',
    sizes: [64, 256, 448].map((k) => [128, 128, k]),
    open: [],
  },
]

describe.each(matmuls)('$name', ({ at, arithmetic, sizes, open }) => {
  test('right for all inputs, by one schedule, whatever K', () => {
    for (const size of sizes) {
      const found = asked(at(size), unit).verdict
      expect([size, found.decidedBy, [...new Set(found.findings.map(({ id }) => id))]]).toEqual([
        size,
        'one-schedule',
        open,
      ])
      expect(found.provenance).toMatchObject({ proved: true, inOrder: true })
    }
  })
  test('two blocks, by other schedules: the bits of the naive chain', () => {
    const [m0, n0] = sizes[0]!
    const size: Sizes = [2 * m0, n0, sizes[1]![2]]
    const [m, n, k] = size
    const algebra = bits(arithmetic)
    const [a, b] = [randomPatterns('f16', 1, 0, m * k), randomPatterns('f16', 1, 1, k * n)]
    const types = { operand: 'f16', accumulator: 'f32', out: 'f16' } as const
    const wanted = right(naiveMatmul(algebra, types, { m, n, k }, a, b))
    for (const policy of [lazy, seeded(7)]) {
      const { world, machine } = asked(at(size), algebra, { a, b }, policy)
      expect(readTensor(world, machine, 'c')).toEqual(wanted)
    }
  })
})

describe('as compiled', () => {
  test('through pointers: the copies are not fenced, and nothing else is wrong', () => {
    const found = asked(pointerMatmul(), field(1)).verdict
    expect(found.verdict).toBe('hazard')
    expect(new Set(found.findings.map(({ id }) => id))).toEqual(new Set(['P1']))
  })
  test('warp-specialised: nothing waits for the last slots, and nothing else is wrong', () => {
    const found = asked(hostTmaMatmul(), field(1)).verdict
    expect([found.verdict, found.decidedBy], found.reason).toEqual(['hazard', 'one-schedule'])
    expect(found.provenance).toMatchObject({ proved: true, inOrder: true })
    expect(found.findings.map(({ id, a, b }) => `${id} ${a.site}, ${b?.site ?? ''}`)).toEqual([
      'B7 tc_gen5_mma 83, inval_barrier 115',
      'B7 tc_gen5_mma 83, inval_barrier 116',
      'B7 tc_gen5_mma 83, inval_barrier 117',
    ])
    // no fence orders the first store before the products: the compiler's to write
    expect(found.notes.map(({ id, a, b }) => `${id} ${a.site}, ${b?.site ?? ''}`)).toContain(
      'M8 tmem_store 42.st, tc_gen5_mma 83',
    )
    const strictly = asked(hostTmaMatmul(), field(1), undefined, undefined, true).verdict
    expect(strictly.findings.map(({ id }) => id)).toContain('M8')
  })
  // why: semantics/instructions/tcgen05-attention.proof.ts, which also has its numbers
  test('attention: what it leaves open is decided by one schedule', () => {
    const found = asked(attention(192, eighth), unit).verdict
    expect([found.verdict, found.decidedBy], found.reason).toEqual(['hazard', 'one-schedule'])
    expect(new Set(found.findings.map(({ id }) => id))).toEqual(new Set(['B7', 'U2']))
  })
})

describe('docs/constructs.md', () => {
  const rows = readFileSync(new URL('../../../docs/constructs.md', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const cells = /^\| `([a-z_0-9.]+)` +\| (.*?) *\|/.exec(line)
      return cells === null ? [] : [[cells[1]!, cells[2]!] as const]
    })
  const table = new Map(rows)

  test('names every operation of every module, and no other', () => {
    const operations = new Set(
      files
        .flatMap((file) => [
          ...moduleText(file).matchAll(
            /^ *(?:%[\w:#-]+ = )?"?((?:tt|ttg|ttng|arith|scf|math)\.\w+(?:\.return)?)"?[( ]/gm,
          ),
        ])
        .map(([, operation]) => operation!)
        .concat(['tt.return', 'ttg.warp_return', 'ttg.warp_yield', 'ttg.warp_specialize', 'tt.func']),
    )
    expect(operations.size).toBeGreaterThan(50)
    expect([...table.keys()].sort()).toEqual([...operations].sort())
  })

  test('names existing constructs only', () => {
    const source = ['expression', 'nodes', 'program', 'signature']
      .map((file) =>
        readFileSync(new URL(`../../../src/semantics/language/${file}.ts`, import.meta.url), 'utf8'),
      )
      .join('\n')
    const constructs = rows.flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!))
    expect(constructs.length).toBeGreaterThan(60)
    for (const construct of constructs)
      expect(
        instructionNames.includes(construct) ||
          new RegExp(
            `_tag: '${construct}'|export const ${construct}\\b|\\| '${construct}'|'${construct}'|export interface ${construct}\\b|readonly ${construct}\\??:|[=|] ${construct}(?: \\||')|^    ${construct}: \\{`,
            'm',
          ).test(source),
        construct,
      ).toBe(true)
  })
})
