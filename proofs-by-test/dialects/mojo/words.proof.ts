/** Words: expressions and numbers are one text; operations become the instructions of the table. */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import {
  expressions,
  kvConsumerPipeline,
  kvProducerPipeline,
  numbers,
  perform,
  type BarrierOperation,
  type KVConsumerState,
} from '../../../src/dialects/mojo/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { effectsOf } from '../../../src/semantics/language/program.js'
import { ring } from './schedule.js'
import { right } from '../../either.js'

/** The few nodes that a pipeline makes. */
const valueOf = (e: X.ExprNode, names: Readonly<Record<string, number>>): number => {
  const of = (x: X.ExprNode): number => valueOf(x, names)
  switch (e._tag) {
    case 'const':
      return Number(e.value)
    case 'name':
      return names[e.name]!
    case 'binary':
      return e.op === 'add'
        ? of(e.x) + of(e.y)
        : e.op === 'mul'
          ? of(e.x) * of(e.y)
          : e.op === 'xor'
            ? of(e.x) ^ of(e.y)
            : NaN
    case 'select':
      return of(e.cond) === 1 ? of(e.x) : of(e.y)
    case 'compare':
      return e.op === 'eq' && of(e.x) === of(e.y) ? 1 : 0
    default:
      return NaN
  }
}

const name = (text: string): X.Int => X.name<'i32'>(text)
const carried: KVConsumerState<X.Int> = {
  kvPipeline: { index: name('index'), phase: name('phase'), count: name('count') },
  vPipelineReleaseIndex: name('aside'),
}

test('law 1: a pipeline of expressions evaluates to the pipeline of numbers, from every state, call after call', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(1, 2),
      fc.nat(8),
      fc.nat(1),
      fc.nat(8),
      fc.boolean(),
      fc.array(fc.constantFrom('waitK', 'waitV', 'releaseK', 'releaseV' as const), { maxLength: 6 }),
      (stages, parts, i, phase, aside, known, calls) => {
        const names = { index: i % stages, phase, count: 7, aside: aside % stages }
        const of = (w: X.Int): number => valueOf(w, names)
        const by = kvConsumerPipeline(expressions, ring(stages, parts))
        const numeric = kvConsumerPipeline(numbers, ring(stages, parts))
        let at = known ? by.start : carried
        let n: KVConsumerState = known
          ? numeric.start
          : {
              kvPipeline: { index: names.index, phase: names.phase, count: names.count },
              vPipelineReleaseIndex: names.aside,
            }
        for (const call of calls) {
          const [x, y] = [by[call](at, { mmaStage: 0 }), numeric[call](n, { mmaStage: 0 })]
          expect(of(x.operation.barrier)).toBe(y.operation.barrier)
          if (x.operation._tag === 'wait' && y.operation._tag === 'wait')
            expect(of(x.operation.parity)).toBe(y.operation.parity)
          expect({
            index: of(x.pipeline.kvPipeline.index),
            phase: of(x.pipeline.kvPipeline.phase),
            count: of(x.pipeline.kvPipeline.count),
            aside: of(x.pipeline.vPipelineReleaseIndex),
          }).toEqual({
            index: y.pipeline.kvPipeline.index,
            phase: y.pipeline.kvPipeline.phase,
            count: y.pipeline.kvPipeline.count,
            aside: y.pipeline.vPipelineReleaseIndex,
          })
          // what is known when the kernel is written is a constant
          if (known) expect(x.operation.barrier._tag).toBe('const')
          ;[at, n] = [x.pipeline, y.pipeline]
        }
      },
    ),
  )
  const producer = kvProducerPipeline(expressions, ring(3))
  expect(valueOf(producer.commitKvStep(producer.start).kvPipeline.index, {})).toBe(1)
})

test('operations become instructions on the barrier that they name', () => {
  const operations: ReadonlyArray<BarrierOperation<X.Int>> = [
    { _tag: 'init', barrier: X.i32(1), count: 32, threads: 32 },
    { _tag: 'wait', barrier: X.i32(1), parity: X.i32(1) },
    { _tag: 'expectBytes', barrier: X.i32(2), bytes: 256 },
    { _tag: 'arrive', barrier: X.i32(3), threads: 32 },
    { _tag: 'commit', barrier: X.i32(0) },
  ]
  const program = right(
    B.draft({ name: 'p', arch: 'sm100a', agents: [B.warp('w', 0)] }, function* () {
      const array = yield* B.barriers('kv', [4], { ordersTensorCore: true })
      for (const operation of operations) yield* perform(operation._tag, array, operation)
    }),
  )
  const at = (n: number): X.ExprNode => ({
    _tag: 'slot',
    of: { _tag: 'storage', storage: 'kv' },
    index: X.i32(n),
  })
  expect(effectsOf(program.entry.body).map((s) => s.instruction)).toEqual([
    { _tag: 'mbarrier.init', barrier: at(1), count: 1 },
    { _tag: 'mbarrier.wait', barrier: at(1), parity: X.i32(1), acquire: true, scope: 'cta' },
    { _tag: 'mbarrier.arriveExpectTx', barrier: at(2), bytes: X.i32(256), release: true, scope: 'cta' },
    { _tag: 'mbarrier.arrive', barrier: at(3), count: 1, release: true, scope: 'cta' },
    { _tag: 'tcgen05.commit', barrier: at(0), ctaGroup: 1 },
  ])
  expect(E.isRight(E.right(program))).toBe(true)
})
