/** Changes of a text. Oracle: the text itself, line by line, and the parser: every changed text is printed and read again as itself. */
import { describe, expect, test } from 'vitest'
import { parseModule, printModule } from '../../../../src/dialects/ptx/index.js'
import { ptxMutants, type PtxMutant } from '../../../../src/dialects/ptx/mutants/judge.js'
import { right } from '../../../either.js'
import { sampled } from '../../../extent.js'
import { fileText } from '../cuda.js'
import { groundOf, kernels } from './subjects.js'

const mutantsOf = (kernel: string): ReadonlyArray<PtxMutant> => right(ptxMutants(groundOf(kernel)))

/** Lines of instructions that a printed text has and another has not. */
const added = (before: string, after: string): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const line of before.split('\n')) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1)
  return after.split('\n').flatMap((line) => {
    const n = left.get(line.trim()) ?? 0
    left.set(line.trim(), n - 1)
    return n > 0 ? [] : [line.trim().replaceAll(/\s+/gu, ' ')]
  })
}

const changed = (
  kernel: string,
  ...words: ReadonlyArray<string>
): { readonly plus: ReadonlyArray<string>; readonly minus: ReadonlyArray<string> } => {
  const ground = groundOf(kernel)
  const m = mutantsOf(kernel).find(({ key }) => words.every((w) => key.includes(w)))!
  const [before, after] = [printModule(ground.module), printModule(m.module())]
  return { plus: added(before, after), minus: added(after, before) }
}

const lineOf = (file: string, text: string): string =>
  `(line ${String(
    fileText(file)
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1,
  )})`

test('law 1: every changed text is printed and read again as itself', () => {
  for (const kernel of sampled(6, kernels))
    for (const m of sampled(15, mutantsOf(kernel))) {
      const text = printModule(m.module())
      expect(printModule(right(parseModule(text))), m.key).toBe(text)
    }
})

test('keys are different', () => {
  for (const kernel of sampled(5, kernels)) {
    const keys = mutantsOf(kernel).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  }
})

test('a barrier is moved over loads and stores of matrices, as over others', () => {
  expect(mutantsOf('wmma_tile').filter(({ key }) => key.includes('MOVE')).length).toBe(3)
})

describe('what becomes of a line', () => {
  const bar = lineOf('block_reduce/block_reduce.ptx', 'bar.sync')
  test('a barrier of 256 threads', () => {
    const of = (...words: ReadonlyArray<string>) => changed('block_reduce', bar, ...words)
    expect(of('DROP')).toEqual({ plus: [], minus: ['bar.sync 0;'] })
    expect(of('DUP')).toEqual({ plus: ['bar.sync 0;'], minus: [] })
    expect(of('RETARGET')).toEqual({ plus: ['bar.sync 1;'], minus: ['bar.sync 0;'] })
    expect(of('a warp less')).toEqual({ plus: ['bar.sync 0, 224;'], minus: ['bar.sync 0;'] })
    expect(of('a warp more')).toEqual({ plus: ['bar.sync 0, 288;'], minus: ['bar.sync 0;'] })
    expect(of('arrives and does not wait')).toEqual({
      plus: ['bar.arrive 0, 256;'],
      minus: ['bar.sync 0;'],
    })
  })
  test('an mbarrier, its initialisation and its wait', () => {
    const init = lineOf('cpasync_mbarrier/cpasync_mbarrier.ptx', 'mbarrier.init')
    const wait = lineOf('cpasync_mbarrier/cpasync_mbarrier.ptx', 'mbarrier.test_wait')
    const of = (...words: ReadonlyArray<string>) => changed('cpasync_mbarrier', ...words)
    expect(of(init, 'one more').plus).toEqual(['mbarrier.init.shared::cta.b64 [%r41], 65;'])
    expect(of(init, 'the mbarrier after it').plus).toEqual(['mbarrier.init.shared::cta.b64 [%r41+8], 64;'])
    expect(of(init, 'the mbarrier before it').plus).toEqual(['mbarrier.init.shared::cta.b64 [%r41+-8], 64;'])
    expect(of(init, 'an arrival after it').plus).toEqual(['mbarrier.arrive.shared::cta.b64 _, [%r41];'])
    expect(of(wait, 'the other parity').plus.join(' ')).toMatch(
      /\.reg \.b32 %changed; xor\.b32 %changed, %r\d+, 1; mbarrier\.test_wait\.parity\.shared::cta\.b64 done, \[%r\d+\], %changed;/u,
    )
    expect(of(wait, 'relaxed').plus).toEqual([
      expect.stringMatching(/^mbarrier\.test_wait\.parity\.relaxed\.cta\.shared::cta\.b64 done, /u),
    ])
    expect(of(wait, 'left out').plus).toEqual(['setp.eq.u32 done, 0, 0;'])
  })
  test('a group wait, and a fence', () => {
    const groups = lineOf('cpasync_stages/cpasync_stages.ptx', 'cp.async.wait_group 2')
    expect(changed('cpasync_stages', groups, 'one more')).toEqual({
      plus: ['cp.async.wait_group 3;'],
      minus: ['cp.async.wait_group 2;'],
    })
    const fence = lineOf('last_block/last_block.ptx', 'membar.gl')
    expect(changed('last_block', fence, 'CTA scope')).toEqual({
      plus: ['membar.cta;'],
      minus: ['membar.gl;'],
    })
  })
})
