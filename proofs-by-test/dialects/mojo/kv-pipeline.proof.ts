/** The KV pipeline: golden traces, the lists of the page, closed forms, the array of barriers, and what goes wrong with parts. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { advance, consumerStart, producerStart } from '../../../src/dialects/cutlass/pipeline-state.js'
import {
  consumerState,
  emptyBarrier,
  fullBarrier,
  initBarriers,
  kvConsumerPipeline,
  kvProducerPipeline,
  numBarriers,
  numbers,
  producerState,
  step,
  type KVPipeline,
} from '../../../src/dialects/mojo/index.js'
import { range } from '../../layouts/captured.js'
import { consumed, produced, ring } from './schedule.js'

// ---------------------------------------------------------------- golden traces

/** slot/phase of the waits, slot of the releases; a line for each further iteration */
const goldenConsumer: Readonly<Record<number, ReadonlyArray<string>>> = {
  2: [
    'wK0=0/0 rK0=0 wV0=1/0',
    'wK1=0/1 rV0=1 rK1=0 wV1=1/1',
    'wK2=0/0 rV1=1 rK2=0 wV2=1/0',
    'wK3=0/1 rV2=1 rK3=0 wV3=1/1',
    'wK4=0/0 rV3=1 rK4=0 wV4=1/0',
  ],
  3: [
    'wK0=0/0 rK0=0 wV0=1/0',
    'wK1=2/0 rV0=1 rK1=2 wV1=0/1',
    'wK2=1/1 rV1=0 rK2=1 wV2=2/1',
    'wK3=0/0 rV2=2 rK3=0 wV3=1/0',
    'wK4=2/0 rV3=1 rK4=2 wV4=0/1',
  ],
  4: [
    'wK0=0/0 rK0=0 wV0=1/0',
    'wK1=2/0 rV0=1 rK1=2 wV1=3/0',
    'wK2=0/1 rV1=3 rK2=0 wV2=1/1',
    'wK3=2/1 rV2=1 rK3=2 wV3=3/1',
    'wK4=0/0 rV3=3 rK4=0 wV4=1/0',
  ],
}
/** slot/parity of the acquire; the first two are not made */
const goldenProducer: Readonly<Record<number, string>> = {
  2: 'K0=0/- V0=1/- K1=0/0 V1=1/0 K2=0/1 V2=1/1 K3=0/0 V3=1/0 K4=0/1 V4=1/1',
  3: 'K0=0/- V0=1/- K1=2/1 V1=0/0 K2=1/0 V2=2/0 K3=0/1 V3=1/1 K4=2/1 V4=0/0',
  4: 'K0=0/- V0=1/- K1=2/1 V1=3/1 K2=0/0 V2=1/0 K3=2/0 V3=3/0 K4=0/1 V4=1/1',
}

test('golden traces: 2, 3, 4 slots, 1 to 5 iterations', () => {
  for (const stages of [2, 3, 4])
    for (const iterations of range(5).map((n) => n + 1)) {
      const calls = consumed(stages, iterations).map(({ name, barrier, parity }) =>
        parity === null
          ? `${name}=${String(barrier - stages)}`
          : `${name}=${String(barrier)}/${String(parity)}`,
      )
      expect(calls.join(' ')).toBe(goldenConsumer[stages]!.slice(0, iterations).join(' '))
      const copies = produced(stages, iterations).map(
        ({ name, full, parity }, c) => `${name}=${String(full)}/${c < 2 ? '-' : String(parity)}`,
      )
      expect(copies.join(' ')).toBe(
        goldenProducer[stages]!.split(' ')
          .slice(0, 2 * iterations)
          .join(' '),
      )
      for (const { full, empty } of produced(stages, iterations)) expect(empty).toBe(full + stages)
    }
})

// ---------------------------------------------------------------- the page

/** As printed: the order, the counts, and a shorter list with a release at its end. */
const printed = 'wK0, rK0, wV0 wK1, rV0, rK1, wV1 wK2, rV1, rK2, wV2 wK3, rV2, rK3, wV3'
const printedCounts =
  'wK0(0), rK0(0), wV0(1) wK1(2), rV0(1), rK1(2), wV1(3) wK2(4), rV1(3), rK2(4), wV2(5) wK3(6), rV2(5), rK3(6), wV3(7)'
const printedEnd =
  'wK0(0), rK0(0), wV0(1) wK1(2), rV0(1), rK1(2), wV1(3) wK2(4), rV1(3), rK2(4), wV2(5) rV2(5)'
const words = (text: string): ReadonlyArray<string> => text.split(/,? /)
const counted = (text: string): ReadonlyArray<readonly [string, number]> =>
  words(text).map((w) => {
    const [, name, count] = /^(\w+)\((\d+)\)$/.exec(w) ?? []
    return [name ?? w, Number(count)]
  })

test('the lists of the page: the order, and the counts for every number of slots', () => {
  for (const stages of [2, 3, 4, 5, 8, 12]) {
    const calls = consumed(stages, 4)
    expect(calls.map((c) => c.name)).toEqual(words(printed))
    // a release of V is by an index that was set aside: it is the index of that count
    for (const [k, [name, count]] of counted(printedCounts).entries()) {
      const call = calls[k]!
      expect(call.name).toBe(name)
      if (!name.startsWith('rV')) expect(call.count).toBe(count)
      expect(call.barrier).toBe((call.parity === null ? stages : 0) + (count % stages))
    }
  }
})

test('law 2: where the second list of the page errs: the last release is of another slot, but for two', () => {
  for (const stages of range(11).map((s) => s + 2)) {
    const listed = counted(printedEnd)
    const calls = consumed(stages, 3)
    expect(calls.map((c) => c.name)).toEqual(listed.slice(0, -1).map(([name]) => name))
    const pipeline = kvConsumerPipeline(numbers, ring(stages))
    const { operation } = pipeline.releaseV(calls[calls.length - 1]!.after)
    const [name, count] = listed[listed.length - 1]!
    expect([name, count]).toEqual(['rV2', 5])
    expect(operation.barrier - stages).toBe(3 % stages)
    expect(operation.barrier - stages === count % stages).toBe(stages === 2)
  }
})

// ---------------------------------------------------------------- closed forms

test('consumer, law 1: counts 2 n and 2 n + 1, index count mod S, phase of the round', () => {
  for (const stages of range(12).map((s) => s + 1))
    for (const call of consumed(stages, 40)) {
      const n = Number(call.name.slice(2))
      const count = 2 * n + (call.name[1] === 'V' ? 1 : 0)
      expect(call.barrier % stages).toBe(count % stages)
      if (call.parity === null) expect(Math.floor(call.barrier / stages)).toBe(1)
      else expect(call.parity).toBe(Math.floor(count / stages) % 2)
    }
})

test('producer, law 1: the acquire of count c is for completion c div S of slot c mod S', () => {
  // a wait for parity p passes once completion k, counted from 1, of that parity's phase is there: p = (k - 1) mod 2; the first round falls through
  for (const stages of range(12).map((s) => s + 1))
    produced(stages, 40).forEach(({ full, empty, parity }, c) => {
      expect(full).toBe(c % stages)
      expect(empty).toBe(stages + (c % stages))
      expect(parity).toBe((Math.floor(c / stages) + 1) % 2)
    })
})

test('pipeline states, laws 1 and 2: closed forms, and the state of CUTLASS', () => {
  for (const stages of range(9).map((s) => s + 1)) {
    let consumer = consumerState(numbers)
    let producer = producerState(numbers)
    for (const c of range(50)) {
      const round = Math.floor(c / stages)
      expect(consumer).toEqual({ index: c % stages, phase: round % 2, count: c })
      expect(producer).toEqual({ index: c % stages, phase: 1 - (round % 2), count: c })
      expect({ index: consumer.index, phase: consumer.phase }).toEqual(advance(stages, c)(consumerStart))
      expect({ index: producer.index, phase: producer.phase }).toEqual(advance(stages, c)(producerStart))
      consumer = step(numbers, stages)(consumer)
      producer = step(numbers, stages)(producer)
    }
  }
})

// ---------------------------------------------------------------- the array

test('KVPipeline, laws 1 and 2: two blocks, not interleaved; each is initialised once', () => {
  const by = ring(3, 2)
  const name = (n: number): string => {
    for (const i of range(3))
      for (const m of range(2)) {
        if (fullBarrier(numbers, by, i, m) === n) return `f${String(i)}.${String(m)}`
        if (emptyBarrier(numbers, by, i, m) === n) return `e${String(i)}.${String(m)}`
      }
    return '?'
  }
  expect(range(12).map(name).join(' ')).toBe('f0.0 f0.1 f1.0 f1.1 f2.0 f2.1 e0.0 e0.1 e1.0 e1.1 e2.0 e2.1')
  for (const stages of range(6).map((s) => s + 1))
    for (const parts of [1, 2, 4])
      for (const release of ['arrive', 'commit'] as const) {
        const pipeline: KVPipeline = { ...ring(stages, parts), release }
        const half = stages * parts
        expect(numBarriers(pipeline)).toBe(2 * half)
        const inits = initBarriers(numbers, pipeline)
        expect(inits.map((i) => i.barrier)).toEqual(range(2 * half))
        const full = new Set(
          range(stages).flatMap((i) => range(parts).map((m) => fullBarrier(numbers, pipeline, i, m))),
        )
        expect(full).toEqual(new Set(range(half)))
        for (const { barrier, count } of inits)
          expect(count).toBe(full.has(barrier) || release === 'commit' ? 1 : 32)
        // whoever initialises asks for the same
        expect(kvConsumerPipeline(numbers, pipeline).init).toEqual(inits)
        expect(kvProducerPipeline(numbers, pipeline).init).toEqual(inits)
      }
})

test('a slot is given back by a commit, or by the 32 threads of the warp', () => {
  const commit = kvConsumerPipeline(numbers, ring(2))
  expect(commit.releaseK(commit.start).operation).toEqual({ _tag: 'commit', barrier: 2 })
  const arrive = kvConsumerPipeline(numbers, { ...ring(2), release: 'arrive' })
  expect(arrive.releaseV(arrive.start).operation).toEqual({ _tag: 'arrive', barrier: 2, threads: 32 })
})

test('a copy expects the bytes of a part, unless the caller does', () => {
  const producer = kvProducerPipeline(numbers, ring(3))
  expect(producer.getK(producer.start).operation).toEqual({ _tag: 'expectBytes', barrier: 0, bytes: 32768 })
  expect(producer.getK(producer.start, { expect: false }).operation).toBeNull()
  expect(producer.getV(producer.commitKvStep(producer.start))).toEqual({
    barrier: 1,
    offset: 32768,
    operation: { _tag: 'expectBytes', barrier: 1, bytes: 32768 },
  })
})

// ---------------------------------------------------------------- parts

test('consumer, law 3: with parts a bare waitK does not step, and one of part 0 does', () => {
  for (const parts of [1, 2, 4]) {
    const pipeline = kvConsumerPipeline(numbers, ring(3, parts))
    const bare = pipeline.waitK(pipeline.start)
    const first = pipeline.waitK(pipeline.start, { mmaStage: 0 })
    expect(first.pipeline.kvPipeline.count).toBe(1)
    expect(bare.pipeline.kvPipeline.count).toBe(parts === 1 ? 1 : 0)
    if (parts > 1) {
      const { offset, ...waited } = pipeline.wait(pipeline.start, { mmaStage: parts - 1 })
      expect(bare).toEqual({ ...waited, descriptor: { ...pipeline.kSmemDescriptor, startBytes: offset } })
    }
    // the step comes with the release of the last part
    for (const m of range(parts))
      expect(pipeline.releaseK(pipeline.start, { mmaStage: m }).pipeline.kvPipeline.count).toBe(
        m === parts - 1 ? 1 : 0,
      )
    for (const m of range(parts))
      expect(pipeline.releaseV(pipeline.start, { mmaStage: m }).pipeline).toEqual(pipeline.start)
  }
})

test("producer, law 2: both sides compute one address of a tile; of a part where its number is the slot's", () => {
  for (const [stages, parts] of [
    [2, 1],
    [5, 1],
    [3, 2],
    [2, 4],
  ] as const) {
    const consumer = kvConsumerPipeline(numbers, ring(stages, parts))
    const producer = kvProducerPipeline(numbers, ring(stages, parts))
    for (const index of range(stages))
      for (const m of range(parts)) {
        const kvPipeline = { index, phase: 0, count: index }
        const read = consumer.wait({ kvPipeline, vPipelineReleaseIndex: 0 }, { mmaStage: m }).offset
        const written = producer.getK({ kvPipeline }, { mmaStage: m }).offset
        expect(read).toBe(index * 128 * 128 * 2 + m * 128 * (128 / parts) * 2)
        expect(written === read).toBe(parts === 1 || index === m)
      }
  }
})

test('what is set aside changes with waitK alone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.constantFrom('waitK', 'waitV', 'releaseK', 'releaseV' as const), { maxLength: 40 }),
      (stages, calls) => {
        const pipeline = kvConsumerPipeline(numbers, ring(stages))
        let at = pipeline.start
        for (const call of calls) {
          const after = pipeline[call](at).pipeline
          expect(after.vPipelineReleaseIndex).toBe(
            call === 'waitK' ? at.kvPipeline.index : at.vPipelineReleaseIndex,
          )
          expect(after.kvPipeline.count - at.kvPipeline.count).toBe(
            call === 'waitK' || call === 'releaseK' ? 1 : 0,
          )
          at = after
        }
      },
    ),
  )
})
