/** PTX of a kernel's own: each text is the instructions that the manual says, and a barrier whose number is a value is the one with that number. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { elaborate, type Document, type Eqn, type Value } from '../../../src/dialects/jaxpr/index.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import { effectsOf } from '../../../src/semantics/language/program.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { document, k, swap, type Operand } from './documents.js'

const out: Operand = { name: 'o', role: 'out', dtype: 'i32', shape: [] }
const ptx = (text: string, ...operands: Eqn['in'] & {}): Eqn => ({
  op: 'inline_ptx',
  in: operands,
  params: { text },
})
const of = (...eqns: ReadonlyArray<Eqn>): Document =>
  document([out], [...eqns, swap(0, k(1))], [], { params: { arch: 'sm100a', unsafeNoAutoBarriers: true } })
const instructions = (text: string): ReadonlyArray<Instruction> => {
  const { entry } = right(elaborate(document([], [ptx(text)], [], { params: { arch: 'sm100a' } })))
  return effectsOf(entry.body)
    .filter(({ site }) => site.label.startsWith('inline_ptx'))
    .map(({ instruction }) => instruction)
}

const fence = (scope: 'cta' | 'cluster' | 'global'): Instruction => ({ _tag: 'fence.proxyAsync', scope })
const bar = (_tag: 'bar.sync' | 'bar.arrive', id: number, count: number): Instruction => ({ _tag, id, count })
const table: ReadonlyArray<readonly [string, ReadonlyArray<Instruction>]> = [
  ['fence.proxy.async.shared::cta;', [fence('cta')]],
  ['fence.proxy.async.shared::cluster;', [fence('cluster')]],
  ['fence.proxy.async.global;', [fence('global')]],
  ['fence.proxy.async;', [fence('cluster'), fence('global')]],
  ['bar.sync 3, 128;', [bar('bar.sync', 3, 128)]],
  ['bar.sync 0;', [bar('bar.sync', 0, 128)]],
  ['barrier.cta.sync.aligned   7 ,\t256 ;', [bar('bar.sync', 7, 256)]],
  ['barrier.arrive 15, 64', [bar('bar.arrive', 15, 64)]],
  ['tcgen05.wait::ld.sync.aligned;', [{ _tag: 'tcgen05.waitLd' }]],
  ['tcgen05.wait::st.sync.aligned;', [{ _tag: 'tcgen05.waitSt' }]],
  ['tcgen05.fence::before_thread_sync;', [{ _tag: 'tcgen05.fenceBefore' }]],
  ['tcgen05.fence::after_thread_sync;', [{ _tag: 'tcgen05.fenceAfter' }]],
]

describe('PTX of a kernel`s own', () => {
  it.each(table)('%s', (text, expected) => {
    expect(instructions(text)).toEqual(expected)
  })

  it('the barrier of a warpgroup is one of its four warps', () => {
    const { entry } = right(
      elaborate(
        document([], [{ op: 'warpgroup_barrier', in: [], params: {} }], [], { params: { arch: 'sm100a' } }),
      ),
    )
    // behind the meeting at the start of the kernel, which is barrier 0
    expect(effectsOf(entry.body).map(({ instruction }) => instruction)).toEqual([
      { _tag: 'fence.mbarrierInit' },
      bar('bar.sync', 0, 128),
      bar('bar.sync', 1, 128),
    ])
  })

  it('several are those of each, in order', () => {
    const all = table.map(([text]) => text.replace(/;?$/, ';')).join('\n')
    expect(instructions(all)).toEqual(table.flatMap(([, expected]) => expected))
  })

  it.each(['bar.arrive 1;', 'bar.red.popc.u32 r, 1, p;', 'bar.sync r1, 128;', 'mov.u32 a, b;'])(
    '%s is refused',
    (text) => {
      const made = elaborate(of(ptx(text)))
      expect(E.isLeft(made) && made.left.message).toContain('inline_ptx: expected PTX that orders')
    },
  )

  it('a barrier whose number is a value is the one with that number', () => {
    const verdictOf = (number: Value): string =>
      right(
        check(
          right(elaborate(of(ptx('bar.arrive $0, 256', number), ptx('bar.sync 5, 256')))),
          standardOptions,
        ),
      ).verdict.verdict
    expect([0, 4, 5, 6, 15].map((number) => verdictOf(k(number)))).toEqual([
      'deadlock',
      'deadlock',
      'ok',
      'deadlock',
      'deadlock',
    ])
  })

  it.each([-1, 16])('barrier %i ends the run', (number) => {
    const program = right(elaborate(of(ptx('bar.sync $0, 128', k(number)))))
    expect(right(check(program, standardOptions)).verdict.verdict).toBe('invalid')
  })
})
