/**
 * Changes of a module. Oracle: by hand, all changes of a small text and what becomes of its lines; and the reader, which takes every changed module of
 * Triton's for what it is.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { readModule, showModule, textMutants, type Module } from '../../../../src/dialects/ttgir/index.js'
import { changesOf } from '../../../../src/dialects/ttgir/mutants/changes.js'
import { sitesOf } from '../../../../src/dialects/ttgir/mutants/tree.js'
import { everyOperation } from '../../../../src/dialects/ttgir/elaboration/regions.js'
import { right } from '../../../either.js'
import { nightly } from '../../../extent.js'
import { moduleFiles, moduleText } from '../modules.js'

const barriers = (slots: number): string =>
  `!ttg.memdesc<${slots === 0 ? '' : `${String(slots)}x`}1xi64, #shared, #smem, mutable>`
const one = barriers(0)

/** A function of these lines. */
const moduleOf = (...lines: ReadonlyArray<string>): Module =>
  right(
    readModule(
      [
        '#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>',
        '#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>',
        '#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>',
        '#smem = #ttg.shared_memory',
        'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {',
        '  tt.func public @f(%K: i32, %s: i32) {',
        ...lines.map((line) => `    ${line}`),
        '    tt.return',
        '  }',
        '}',
        '',
      ].join('\n'),
    ),
  )

/** The lines of the function. */
const linesOf = (m: Module): ReadonlyArray<string> =>
  showModule(m)
    .split('\n')
    .slice(6, -4)
    .map((line) => line.trim())

/** What becomes of a module: the operator and the words of each change, and the lines that are other ones. */
const changed = (m: Module): ReadonlyArray<string> => {
  const before = linesOf(m)
  return changesOf(m, (op) => op.name).map((c) => {
    const after = linesOf(c.module())
    const gone = before.filter((line) => !after.includes(line)).length
    return `${c.operator} ${c.site.operation.name}: ${c.change} | -${String(gone)} ${after
      .filter((line) => !before.includes(line))
      .map((line) => line.replace(/ : .*/, ''))
      .join('; ')}`.trim()
  })
}

describe('changes, by hand', () => {
  it('a wait on a slot of a ring, beside another ring', () => {
    const m = moduleOf(
      '%zero = arith.constant 0 : i32',
      `%full = ttg.local_alloc : () -> ${barriers(3)}`,
      `%empty = ttg.local_alloc : () -> ${barriers(2)}`,
      `%b = ttg.memdesc_index %full[%s] : ${barriers(3)} -> ${one}`,
      `ttng.wait_barrier %b, %zero : ${one}`,
    )
    expect(changed(m)).toEqual([
      `ALLOC ttg.local_alloc: a slot more | -2 %full = ttg.local_alloc; %b = ttg.memdesc_index %full[%s]`,
      `ALLOC ttg.local_alloc: a slot less | -2 %full = ttg.local_alloc; %b = ttg.memdesc_index %full[%s]`,
      'EXIT ttng.wait_barrier: left out | -1',
      'DUP ttng.wait_barrier: twice | -0',
      'RETARGET ttng.wait_barrier: the next slot | -1 %one = arith.constant 1; %slots = arith.constant 3; %next = arith.addi %s, %one; %wrapped = arith.remui %next, %slots; %full.slot = ttg.memdesc_index %full[%wrapped]; ttng.wait_barrier %full.slot, %zero',
      'SLOT ttng.wait_barrier: always slot 0 | -1 %slot = arith.constant 0; %full.slot = ttg.memdesc_index %full[%slot]; ttng.wait_barrier %full.slot, %zero',
      'RETARGET ttng.wait_barrier: a barrier of %empty in place of one of %full | -1 %slots = arith.constant 2; %wrapped = arith.remui %s, %slots; %empty.slot = ttg.memdesc_index %empty[%wrapped]; ttng.wait_barrier %empty.slot, %zero',
      'PRIME ttng.wait_barrier: the other phase | -1 %other = arith.constant 1; ttng.wait_barrier %b, %other',
    ])
  })
  it('an initialisation, an expectation, an arrival', () => {
    const m = moduleOf(
      '%true = arith.constant true',
      `%b = ttg.local_alloc : () -> ${one}`,
      `ttng.init_barrier %b, 1 : ${one}`,
      `ttng.barrier_expect %b, 64, %true : ${one}`,
      `ttng.arrive_barrier %b, 2 : ${one}`,
    )
    expect(changed(m)).toEqual([
      'DROP ttng.init_barrier: left out | -1',
      'DUP ttng.init_barrier: twice | -0',
      'ORDER ttng.init_barrier: after ttng.barrier_expect | -0',
      'COUNT ttng.init_barrier: one more | -1 ttng.init_barrier %b, 2',
      'PRIME ttng.init_barrier: and an arrive | -0 ttng.arrive_barrier %b, 1',
      'DROP ttng.barrier_expect: left out | -1',
      'DUP ttng.barrier_expect: twice | -0',
      'ORDER ttng.barrier_expect: after ttng.arrive_barrier | -0',
      'COUNT ttng.barrier_expect: 16 bytes more | -1 ttng.barrier_expect %b, 80, %true',
      'COUNT ttng.barrier_expect: 16 bytes less | -1 ttng.barrier_expect %b, 48, %true',
      'PRIME ttng.arrive_barrier: left out | -1',
      'DUP ttng.arrive_barrier: twice | -0',
      'COUNT ttng.arrive_barrier: one more | -1 ttng.arrive_barrier %b, 3',
      'COUNT ttng.arrive_barrier: one less | -1 ttng.arrive_barrier %b, 1',
    ])
  })
  it('what a result stands for takes its place; a second one takes the first one’s', () => {
    const tensor = 'tensor<64x16xf32, #mma>'
    const buffer = '!ttg.memdesc<64x16xf16, #nvmma, #smem, mutable>'
    const m = moduleOf(
      `%c = arith.constant dense<0.000000e+00> : ${tensor}`,
      `%a = ttg.local_alloc : () -> ${buffer}`,
      `%b = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #nvmma, #smem, mutable>`,
      `%d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : ${buffer} * !ttg.memdesc<16x16xf16, #nvmma, #smem, mutable> -> ${tensor}`,
      `%w:2 = ttng.warp_group_dot_wait %d, %a {pendings = 0 : i32} : ${tensor}, ${buffer}`,
      `%e = arith.negf %w#0 : ${tensor}`,
    )
    expect(changed(m).filter((text) => /(DROP|EXIT|DUP|FLAG)/.test(text))).toEqual([
      'DROP ttng.warp_group_dot: left out | -2 %w:2 = ttng.warp_group_dot_wait %c, %a {pendings = 0',
      'DUP ttng.warp_group_dot: twice | -1 %d.again = ttng.warp_group_dot %a, %b, %d {inputPrecision = 0; %w:2 = ttng.warp_group_dot_wait %d.again, %a {pendings = 0',
      'FLAG ttng.warp_group_dot: never accumulates | -1 %never = arith.constant false; %d = ttng.warp_group_dot %a, %b, %c, %never {inputPrecision = 0',
      'FLAG ttng.warp_group_dot: not asynchronous | -1 %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0',
      'EXIT ttng.warp_group_dot_wait: left out | -2 %e = arith.negf %d',
      'DUP ttng.warp_group_dot_wait: twice | -1 %w.again:2 = ttng.warp_group_dot_wait %w#0, %w#1 {pendings = 0; %e = arith.negf %w.again#0',
    ])
  })
  it('what nothing stands for is left where it is', () => {
    // the token that a loop carries is asked for in every iteration
    const m = moduleOf(
      '%one = arith.constant 1 : i32',
      '%t = ttg.async_commit_group',
      '%r = scf.for %i = %one to %K step %one iter_args(%x = %t) -> (!ttg.async.token)  : i32 {',
      '  %w = ttg.async_wait %x {num = 0 : i32}',
      '  scf.yield %w : !ttg.async.token',
      '}',
    )
    expect(changed(m).filter((text) => text.startsWith('DROP'))).toEqual([
      'DROP ttg.async_wait: left out | -2 scf.yield %x',
    ])
  })
})

describe('law 1: a changed module is printed and read again as itself', () => {
  /** Where an operation stands is not what it says. */
  const said = (m: Module): string =>
    JSON.stringify(m, (name, value: unknown) =>
      name === 'at' ? undefined : typeof value === 'bigint' ? `${String(value)}n` : value,
    )
  const looked = nightly ? moduleFiles : moduleFiles.filter((f) => /^mm_(ptr|tma_ws)_64x64.*sm90/.test(f))
  it.each(looked)('%s', (file) => {
    const m = right(readModule(moduleText(file)))
    const mutants = right(textMutants(m))
    expect(new Set(mutants.map(({ key }) => key)).size).toBe(mutants.length)
    const before = showModule(m)
    for (const { key, change } of mutants.filter((_, k) => nightly || k % 36 === 0)) {
      const other = change.module()
      const text = showModule(other)
      const again = readModule(text)
      expect([key, E.isLeft(again) ? again.left.message : 'read']).toEqual([key, 'read'])
      expect([key, said(right(again)) === said(other)]).toEqual([key, true])
      expect(text === before, key).toBe(false)
    }
  })
})

describe('places in a module', () => {
  it('every operation is one site, in the order of the text; what is known there stands before it', () => {
    const m = right(readModule(moduleText(moduleFiles[0]!)))
    const sites = sitesOf(m)
    expect(sites.map((s) => s.operation)).toEqual(everyOperation(m.operations))
    for (const { operation, known } of sites) {
      const names = new Set(known().map(({ value }) => value.name))
      for (const v of Object.values(operation.operands).flat()) expect(names.has(v.name)).toBe(true)
    }
  })
})

it('a mutant is named by its line of the source, or else of the text, and by its operation', () => {
  const wait = `ttng.wait_barrier %b, %s deps %b : ${one}, ${one}`
  const sites = (location: string): ReadonlyArray<string> => {
    const m = moduleOf(
      `%b = ttg.local_alloc : () -> ${one}`,
      `${wait.replace(` deps %b`, '').replace(`, ${one}`, '')}${location}`,
    )
    return [...new Set(right(textMutants(m)).map(({ site }) => site))].filter((site) => site.includes('wait'))
  }
  expect(sites('')).toEqual(['ttng.wait_barrier, line 8'])
  expect(sites(' loc("/home/author/kernel.py":31:4)')).toEqual(['kernel.py:31 ttng.wait_barrier, line 8'])
})
