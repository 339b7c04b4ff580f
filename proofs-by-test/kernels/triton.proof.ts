/**
 * Two modules of a real compiler in core form: they are valid, they print, they survive JSON, and they are the modules, operation by
 * operation (the oracle is the text of the modules themselves).
 */
import { readFileSync, readdirSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { attentionWarpSpecialised } from '../../src/kernels/triton/attention-ws.js'
import { matmulPointer } from '../../src/kernels/triton/matmul-pointer.js'
import { decodeProgram, encodeProgram, parseProgram, printJson } from '../../src/semantics/codec.js'
import { place } from '../../src/semantics/place.js'
import { print } from '../../src/semantics/print.js'
import type { Program, Region, Stmt } from '../../src/semantics/program.js'
import { check } from '../../src/semantics/check.js'
import type { Verdict } from '../../src/semantics/verdict.js'
import { eager } from '../../src/semantics/policy.js'
import { field } from '../../src/numerics/index.js'
import { instructionNames } from '../../src/semantics/signature.js'

const directory = new URL('../../conformance/ttgir/', import.meta.url)
const moduleText = (file: string): string => readFileSync(new URL(file, directory), 'utf8')

const right = <A>(either: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(either)) throw new Error(either.left.message)
  return either.right
}

const statements = (region: Region): ReadonlyArray<Stmt> =>
  region.body.flatMap((stmt) => {
    switch (stmt._tag) {
      case 'Let':
      case 'Do':
        return [stmt]
      case 'For':
        return [stmt, ...statements(stmt.body)]
      case 'While':
        return [stmt, ...statements(stmt.before), ...statements(stmt.after)]
      case 'If':
        return [stmt, ...statements(stmt.then), ...statements(stmt.else)]
      case 'Fork':
        return [stmt, ...stmt.branches.flatMap(({ body }) => statements(body))]
    }
  })

const kernels: ReadonlyArray<readonly [name: string, file: string, program: () => Program]> = [
  ['mm_ptr', 'mm_ptr_64x64x32_s4_w4_sm90.ttgir', () => right(matmulPointer())],
  ['attn_fwd', 'attn_ws_128x64x64_sm100.ttgir', () => right(attentionWarpSpecialised())],
]

describe.each(kernels)('%s', (_name, file, make) => {
  const program = make()

  test('is valid and decodes from its own JSON (codec law 1)', () => {
    expect(right(decodeProgram(encodeProgram(program)))).toEqual(program)
    expect(right(parseProgram(printJson(program)))).toEqual(program)
  })

  test('prints, with every site in the listing', () => {
    const listing = print(program)
    for (const { site } of statements(program.entry)) expect(listing).toContain(site.label)
    expect(print(make())).toBe(listing)
  })

  test('is placed already (place law 1)', () => {
    expect(right(place(program))).toEqual(program)
    for (const { offset, align } of program.storage) expect(offset! % align).toBe(0)
  })

  test('has a statement or a storage for every value of the module, and as many of each kind', () => {
    const text = moduleText(file)
    const labels = new Set([
      ...statements(program.entry).flatMap(({ site }) => [site.label, site.label.split(' ')[0]!]),
      ...program.storage.map(({ id }) => id),
    ])
    // The values of a region of `tt.reduce` are the combination's own; loops are called by their index.
    const values = [...text.matchAll(/^ *%([\w-]+)(?::\d+)? = ((?:"?\w+\.\w+"?))/gm)].filter(
      ([line], k, all) => !/maxnumf|addf/.test(line) || !all[k - 1]![0].includes('tt.reduce'),
    )
    expect(values.length).toBeGreaterThan(80)
    for (const [, name, operation] of values)
      if (operation !== 'scf.for') expect(labels, name).toContain(name)
  })

  test.each([
    ['ttng.wait_barrier', 'mbarrier.wait'],
    ['ttng.barrier_expect', 'mbarrier.arriveExpectTx'],
    ['ttng.arrive_barrier', 'mbarrier.arrive'],
    ['ttng.init_barrier', 'mbarrier.init'],
    ['ttng.inval_barrier', 'mbarrier.inval'],
    ['ttng.async_tma_copy_global_to_local', 'tma.load'],
    ['ttng.async_tma_copy_local_to_global', 'tma.store'],
    ['ttng.tc_gen5_mma', 'tcgen05.mma'],
    ['ttng.tc_gen5_commit', 'tcgen05.commit'],
    ['ttng.tmem_load', 'tcgen05.ld'],
    ['ttng.tmem_store', 'tcgen05.st'],
    ['ttng.warp_group_dot', 'wgmma.mma'],
    ['ttng.warp_group_dot_wait', 'wgmma.waitGroup'],
    ['ttg.async_copy_global_to_local', 'cpAsync.copy'],
    ['ttg.async_commit_group', 'cpAsync.commitGroup'],
    ['ttg.async_wait', 'cpAsync.waitGroup'],
    ['tt.store', 'gmem.storePtr'],
  ])('%s occurs as often as %s', (operation, instruction) => {
    const inModule = [
      ...moduleText(file).matchAll(new RegExp(`(^|[ "])${operation.replaceAll('.', '\\.')}[ "]`, 'gm')),
    ]
    const inProgram = statements(program.entry).filter(
      (stmt) => stmt._tag === 'Do' && stmt.instruction._tag === instruction,
    )
    expect(inProgram.length).toBe(inModule.length)
  })

  test('every wait that the module predicates has a condition', () => {
    const predicated = [...moduleText(file).matchAll(/wait_barrier %[\w]+, %[\w#]+, %/g)]
    const conditions = statements(program.entry).filter(
      (stmt) => stmt._tag === 'Do' && stmt.instruction._tag === 'mbarrier.wait' && stmt.when !== undefined,
    )
    expect(conditions.length).toBe(predicated.length)
  })
})

describe('mm_ptr runs', () => {
  const [m, n] = [64, 64]
  const verdict = (fence: boolean, k: number): Verdict =>
    right(
      check(right(matmulPointer({ fence })), {
        settings: {},
        algebra: field(1),
        arguments: {
          scalars: new Map(Object.entries({ M: m, N: n, K: k, sam: k, sbk: n, scm: n })),
          tensors: new Map(),
        },
        policy: eager,
        strict: false,
        strictProxies: false,
        hazards: true,
        provenance: true,
        explore: false,
        fuel: 100_000,
      }),
    ).verdict

  test('as compiled: the copies are not fenced, and nothing else is wrong', () => {
    const found = verdict(false, 160)
    expect(found.verdict).toBe('hazard')
    expect(new Set(found.findings.map(({ id }) => id))).toEqual(new Set(['P1']))
  })

  // Fewer blocks of k than stages, as many, one more, and twice as many and one.
  test.each([32, 64, 96, 128, 160, 288])(
    'with the fence, K = %i: right for all inputs, by one schedule',
    (k) => {
      const found = verdict(true, k)
      expect(found.verdict, found.reason).toBe('ok')
      expect(found.decidedBy).toBe('one-schedule')
      expect(found.provenance).toMatchObject({ proved: true, inOrder: true })
    },
  )
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
    const source = ['expression', 'program', 'signature']
      .map((file) => readFileSync(new URL(`../../src/semantics/${file}.ts`, import.meta.url), 'utf8'))
      .join('\n')
    const constructs = rows.flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!))
    expect(constructs.length).toBeGreaterThan(60)
    for (const construct of constructs)
      expect(
        instructionNames.includes(construct) ||
          new RegExp(
            `_tag: '${construct}'|export const ${construct}\\b|\\| '${construct}'|'${construct}'|export interface ${construct}\\b|readonly ${construct}\\??:`,
          ).test(source),
        construct,
      ).toBe(true)
  })
})
