/**
 * Four modules of a real compiler, call by call over the surface: they are valid, they print, they survive JSON; the calls are the modules'
 * operations (the oracle is the text of the modules themselves); and they compute what they say (the oracle is the naive chain).
 */
import { readFileSync, readdirSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Ttng from '../../src/dialects/ttng/index.js'
import type { Failure } from '../../src/failure.js'
import { naiveMatmul } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import {
  asCompiled,
  attentionWarpSpecialised,
  matmulHostTma,
  matmulPointer,
  matmulTensormap,
} from '../../src/kernels/triton/index.js'
import type { Algebra } from '../../src/numerics/algebra.js'
import { field, unit } from '../../src/numerics/index.js'
import { check, standardOptions, type CheckOptions, type Checked } from '../../src/semantics/verdict/check.js'
import { decodeProgram, encodeProgram, parseProgram, printJson } from '../../src/semantics/files/codec.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import { float, type Value } from '../../src/semantics/machine/value.js'
import { place } from '../../src/semantics/language/place.js'
import { eager, lazy, seeded } from '../../src/semantics/execution/policy.js'
import { print } from '../../src/semantics/language/print.js'
import type { Program } from '../../src/semantics/language/program.js'
import { instructionNames } from '../../src/semantics/language/signature.js'
import { statementsOf } from '../dialects/pallas/programs.js'
import { comparable, operationsOf, recording } from './triton-text.js'
import { right } from '../either.js'
import { bits } from '../arithmetic.js'

const directory = new URL('../../conformance/ttgir/', import.meta.url)
const moduleText = (file: string): string => readFileSync(new URL(file, directory), 'utf8')

const kernels: ReadonlyArray<
  readonly [name: string, file: string, of: (P?: typeof Ttng) => E.Either<Failure, Program>]
> = [
  ['mm_ptr', 'mm_ptr_64x64x32_s4_w4_sm90.ttgir', (P) => matmulPointer(asCompiled, P)],
  ['mm_tma', 'mm_tma_nows_64x64x32_s4_w4_sm90.ttgir', (P) => matmulTensormap(P)],
  ['mm_host_tma', 'mm_hosttma_ws_128x128x64_s3_w4_sm100.ttgir', (P) => matmulHostTma({ repaired: false }, P)],
  ['attn_fwd', 'attn_ws_128x64x64_sm100.ttgir', (P) => attentionWarpSpecialised(P)],
]

describe.each(kernels)('%s', (_name, file, make) => {
  const program = right(make())

  test('is valid and decodes from its own JSON (codec law 1)', () => {
    expect(right(decodeProgram(encodeProgram(program)))).toEqual(program)
    expect(right(parseProgram(printJson(program)))).toEqual(program)
  })

  test('prints, with every site in the listing', () => {
    const listing = print(program)
    for (const { site } of statementsOf(program.entry)) expect(listing).toContain(site.label)
    expect(print(right(make()))).toBe(listing)
  })

  test('is placed already (place law 1)', () => {
    expect(right(place(program))).toEqual(program)
    for (const { offset, align } of program.storage) expect(offset! % align).toBe(0)
  })

  test('the calls are the operations of the module: names, results, operands and numbers, in order', () => {
    const { surface, calls } = recording(Ttng)
    expect(right(make(surface))).toEqual(program)
    const [wanted, made] = comparable(operationsOf(moduleText(file)), calls)
    expect(wanted.length).toBeGreaterThan(90)
    expect(made).toEqual(wanted)
  })

  test('each operation is the instructions that the table of constructs says, as often', () => {
    const count = (pattern: RegExp): number => [...moduleText(file).matchAll(pattern)].length
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
  program: Program,
  algebra: Algebra,
  scalars: Readonly<Record<string, Value>>,
  tensors: Readonly<Record<string, Float64Array>> = {},
  policy: CheckOptions['policy'] = eager,
): Checked =>
  right(
    check(program, {
      ...standardOptions,
      algebra,
      arguments: { scalars: new Map(Object.entries(scalars)), tensors: new Map(Object.entries(tensors)) },
      policy,
      explore: false,
      fuel: 400_000,
    }),
  )

type Sizes = readonly [m: number, n: number, k: number]
const pointerScalars = ([m, n, k]: Sizes): Readonly<Record<string, number>> => ({
  M: m,
  N: n,
  K: k,
  sam: k,
  sbk: n,
  scm: n,
})
const hostScalars = ([m, n, k]: Sizes): Readonly<Record<string, number>> => ({
  K: k,
  ...Object.fromEntries(
    [
      ['da', 0, m, k],
      ['db', 4, k, n],
      ['dc', 8, m, n],
    ].flatMap(([name, at, rows, columns]) =>
      [rows, columns, columns, 1].map((v, i) => [`${String(name)}_${String(Number(at) + i)}`, Number(v)]),
    ),
  ),
})

interface Matmul {
  readonly name: string
  readonly program: () => Program
  readonly scalars: (sizes: Sizes) => Readonly<Record<string, number>>
  readonly arithmetic: 'hopper' | 'blackwell'
  /** one block: fewer steps of k than stages, as many or one more, twice as many and one */
  readonly sizes: ReadonlyArray<Sizes>
}
const matmuls: ReadonlyArray<Matmul> = [
  {
    name: 'mm_ptr with its fence',
    program: () => right(matmulPointer({ fence: true })),
    scalars: pointerScalars,
    arithmetic: 'hopper',
    sizes: [32, 96, 128, 288].map((k) => [64, 64, k]),
  },
  {
    name: 'mm_tma',
    program: () => right(matmulTensormap()),
    scalars: ([m, n, k]) => ({ M: m, N: n, K: k }),
    arithmetic: 'hopper',
    sizes: [32, 96, 128, 288].map((k) => [64, 64, k]),
  },
  {
    name: 'mm_host_tma repaired',
    program: () => right(matmulHostTma({ repaired: true })),
    scalars: hostScalars,
    arithmetic: 'blackwell',
    sizes: [64, 256, 448].map((k) => [128, 128, k]),
  },
]

describe.each(matmuls)('$name', ({ program: make, scalars, arithmetic, sizes }) => {
  const program = make()
  test('right for all inputs, by one schedule, whatever K', () => {
    for (const size of sizes) {
      const found = asked(program, unit, scalars(size)).verdict
      expect([size, found.verdict, found.decidedBy, found.findings]).toEqual([size, 'ok', 'one-schedule', []])
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
      const { world, machine, verdict } = asked(program, algebra, scalars(size), { a, b }, policy)
      expect(verdict.verdict).toBe('ok')
      expect(readTensor(world, machine, 'c')).toEqual(wanted)
    }
  })
})

describe('mm_ptr as compiled', () => {
  test('the copies are not fenced, and nothing else is wrong', () => {
    const found = asked(right(matmulPointer()), field(1), pointerScalars([64, 64, 160])).verdict
    expect(found.verdict).toBe('hazard')
    expect(new Set(found.findings.map(({ id }) => id))).toEqual(new Set(['P1']))
  })
})

describe('mm_host_tma as compiled', () => {
  test('nothing orders the first store before the products, nobody waits for the last slots, and nothing else is wrong', () => {
    const found = asked(right(matmulHostTma()), field(1), hostScalars([128, 128, 256])).verdict
    expect([found.verdict, found.decidedBy], found.reason).toEqual(['hazard', 'one-schedule'])
    expect(found.provenance).toMatchObject({ proved: true, inOrder: true })
    expect(found.findings.map(({ id, a, b }) => `${id} ${a?.site ?? ''}, ${b?.site ?? ''}`)).toEqual([
      'M8 acc_16.st, mma acc_55',
      'B7 mma acc_55, inval y_20',
      'B7 mma acc_55, inval y_21',
      'B7 mma acc_55, inval y_22',
    ])
  })
})

describe('attn_fwd as compiled', () => {
  // why: semantics/tcgen05-attention.proof.ts, which also has its numbers
  test('what it leaves open is decided by one schedule', () => {
    const operands: ReadonlyArray<readonly [string, number, number]> = [
      ['dq', 0, 128],
      ['dk', 4, 192],
      ['dv', 8, 192],
      ['do', 12, 128],
    ]
    const scalars = Object.fromEntries(
      operands.flatMap(([name, at, rows]) =>
        [rows, 64, 64, 1].map((v, i) => [`${name}_${String(at + i)}`, v] as const),
      ),
    )
    const found = asked(right(attentionWarpSpecialised()), unit, {
      ...scalars,
      scale: float('f32', unit.constant('f32', 0.125)),
      N: 192,
    }).verdict
    expect([found.verdict, found.decidedBy], found.reason).toEqual(['hazard', 'one-schedule'])
    expect(new Set(found.findings.map(({ id }) => id))).toEqual(new Set(['B7', 'M8', 'U2']))
  })
})

describe('docs/constructs.md', () => {
  const rows = readFileSync(new URL('../../docs/constructs.md', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const cells = /^\| `([a-z_0-9.]+)` +\| (.*?) *\|/.exec(line)
      return cells === null ? [] : [[cells[1]!, cells[2]!] as const]
    })
  const table = new Map(rows)

  test('names every operation of every module, and no other', () => {
    const operations = new Set(
      readdirSync(directory)
        .filter((file) => file.endsWith('.ttgir'))
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
        readFileSync(new URL(`../../src/semantics/language/${file}.ts`, import.meta.url), 'utf8'),
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
