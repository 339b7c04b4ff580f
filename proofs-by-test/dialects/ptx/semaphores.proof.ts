/** Semaphores in global memory, as nvcc makes them of loops that load and compare: right kernels are ok in every schedule, and each broken twin is found at its line. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const here = new URL('./semaphores/', import.meta.url)
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, here)))
const textOf = (file: string): string => new TextDecoder().decode(bytesOf(file))
const data = [
  'split_k.json',
  'gather.json',
  'x.npy',
  'v.npy',
  'tile.npy',
  'tile.before.npy',
  'turn.before.npy',
  'partial.before.npy',
  'sum.before.npy',
  'sum.npy',
]
const worldWith = (text: string): ReturnType<typeof worldOf> =>
  worldOf(
    inMemory(
      new Map([
        ['m.ptx', new TextEncoder().encode(text)],
        ...data.map((file) => [file, bytesOf(file)] as const),
      ]),
    ),
  )
const verdictOf = (text: string, kernel: string, schedule = 'eager'): Verdict =>
  right(checkPtx(worldWith(text), 'm.ptx', { launch: `${kernel}.json`, schedule })).json() as Verdict

const until = (text: string, kernel: string): ReadonlyArray<string> =>
  right(elaborate(right(parseModule(text)), kernel, 'm.ptx')).program.code.flatMap(({ operation: o }) =>
    o._tag === 'load' && o.until !== undefined ? [o.until.comparison] : [],
  )

const schedules = [
  'eager',
  'lazy',
  ...(nightly ? ['roundrobin'] : ['seeded:1']),
  ...(nightly ? [1, 2, 3, 4, 5, 6] : []).map((n) => `seeded:${String(n)}`),
]

describe('right', () => {
  for (const [kernel, waits] of [
    ['split_k', 'eq'],
    ['gather', 'hs'],
  ] as const)
    test(kernel, () => {
      const text = textOf('right.ptx')
      expect(until(text, kernel)).toEqual([waits])
      const ran = right(runPtx(worldWith(text), 'm.ptx', { launch: `${kernel}.json` }))
      expect(ran.text()).toMatch(/^compared.* 0 of/mu)
      for (const schedule of schedules)
        expect([schedule, verdictOf(text, kernel, schedule).verdict]).toEqual([schedule, 'ok'])
    })
})

describe('broken', () => {
  for (const [kernel, lines] of [
    ['split_k', ['split_k.cu:25']],
    ['gather', ['split_k.cu:39', 'split_k.cu:53']],
  ] as const)
    test.each([
      [1, 'does not wait'],
      [2, 'counts too early, or too little'],
      [3, 'has no fence'],
    ])(`${kernel} %i: %s`, (n) => {
      const text = textOf(`broken${String(n)}.ptx`)
      const v = verdictOf(text, kernel)
      expect(v.verdict).toBe('hazard')
      const said = v.findings.flatMap(({ a, b }) => [a.loc ?? '', b?.loc ?? '']).join(' ')
      for (const line of lines) expect(said).toContain(line)
      // a schedule in which all come in time shows nothing, and does not say that there is nothing
      for (const schedule of schedules) expect(verdictOf(text, kernel, schedule).verdict).not.toBe('ok')
    })
})

describe('a loop that is no wait', () => {
  const text = textOf('right.ptx')
  test('counts its turns', () => {
    const counted = text.replace(/(ld\.volatile\.global\.u32\s+(%r\d+),[^;]*;)/u, '$1 add.u32 %r1, %r1, 1;')
    expect(counted).not.toBe(text)
    expect(until(counted, 'gather')).toEqual([])
  })
  test('compares with what it writes', () => {
    const turned = text.replace(/(ld\.volatile\.global\.u32\s+(%r\d+),[^;]*;)/u, '$1 mov.u32 %r1, $2;')
    expect(until(turned, 'gather').length).toBeLessThanOrEqual(1)
    const weak = text.replaceAll('ld.volatile.global', 'ld.global')
    expect(until(weak, 'gather')).toEqual([])
  })
})
