/**
 * emit_pipeline: the laws of `pipeline.ts`, a table of its fetches made another way, and what a delay that is too short costs.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { real64, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { add, cast, gt, i32, mul, slot, splat } from '../../../src/semantics/language/expression.js'
import { launch, noArguments, readTensor } from '../../../src/semantics/execution/launch.js'
import { addressesIn, type LogEvent } from '../../../src/semantics/log/events.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { checked } from './programs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'
import { otherNotes } from '../../unfenced-reads.js'

interface Copying {
  readonly grid: readonly [number, number]
  readonly concurrent: number
  readonly delay: number
}
const rows = 8
const columns = 16

/** out = x, a block a step, through both buffers. */
const copying = ({ grid, concurrent, delay }: Copying): E.Either<{ readonly message: string }, Program> =>
  B.kernel(
    {
      name: 'copying',
      arch: 'sm90a',
      agents: Pallas.threadAgents('t', 0),
      computes: { _tag: 'copy', from: 'x', out: 'out' },
    },
    function* () {
      const shape = [rows * grid[0], columns * grid[1]] as const
      const x = yield* B.tensorParam('x', 'f16', shape, { role: 'in' })
      const out = yield* B.tensorParam('out', 'f16', shape, { role: 'out' })
      yield* Pallas.threads(
        [],
        [
          {
            name: 't',
            body: function* () {
              yield* Pallas.emitPipeline(
                'pipeline',
                {
                  inSpecs: [
                    { tensor: x, shape: [rows, columns], indexMap: (i, j) => [i!, j!], delayRelease: delay },
                  ],
                  outSpecs: [{ tensor: out, shape: [rows, columns], indexMap: (i, j) => [i!, j!] }],
                  grid,
                  maxConcurrentSteps: concurrent,
                },
                {},
                function* ({ refs }) {
                  const v = yield* B.smemLoad('v', refs[0])
                  yield* B.run('o[...] = v', { _tag: 'smem.store', destination: refs[1], value: v })
                  return {}
                },
              )
            },
          },
        ],
      )
    },
  )

const grids = [
  [1, 1],
  [1, 2],
  [3, 1],
  [2, 3],
  [3, 3],
] as const

describe('every step once', () => {
  test('law 1 and 2: for 1 to 5 slots, delays below, five grids: out = x for all inputs, nothing found, strictly', () => {
    for (const grid of grids)
      for (const concurrent of [1, 2, 3, 5])
        for (const delay of [0, 1, 2].filter((d) => d < concurrent)) {
          // by day half of them
          if (!nightly && (grid[0] + grid[1] + concurrent + delay) % 2 !== 0) continue
          const { verdict } = checked(right(copying({ grid, concurrent, delay })))
          expect([
            grid,
            concurrent,
            delay,
            verdict.verdict,
            verdict.decidedBy,
            verdict.findings,
            verdict.notes,
          ]).toEqual([grid, concurrent, delay, 'ok', 'one-schedule', [], []])
          expect(verdict.provenance?.proved).toBe(true)
        }
  })
  test('law 1: which slot is filled when, by walking the steps', () => {
    for (const grid of grids)
      for (const [concurrent, delay] of [
        [1, 0],
        [3, 0],
        [3, 1],
        [3, 2],
        [4, 1],
      ] as const) {
        const steps = grid[0] * grid[1]
        const slots = Math.min(concurrent, steps)
        // the step that does it (-1: before the loop), the step that it is for, the slot
        const expected: (readonly [number, number, number])[] = []
        for (let s = 0; s < slots; s++) expected.push([-1, s, s])
        for (let s = 0; s < steps; s++)
          for (let later = slots; later < steps; later++)
            if (later - slots + delay === s) expected.push([s, later, later % slots])
        const p = right(copying({ grid, concurrent, delay }))
        const l = right(launch(p, unit, noArguments))
        const base = p.storage.find((s) => s.id === 'pipeline.x')!.offset!
        const { result } = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.collect)
        const found = fetches(
          result,
          l.world.header.sites.map((s) => s.label),
        ).map(([by, from, to]) => {
          const [row, column] = [Math.floor(from / 2 / (columns * grid[1])), (from / 2) % (columns * grid[1])]
          return [by, (row / rows) * grid[1] + column / columns, (to - base) / (rows * columns * 2)]
        })
        expect([grid, concurrent, delay, found]).toEqual([grid, concurrent, delay, expected])
      }
  })
})

/** Of every load: the iteration that issued it, the first byte read and the first byte written, in order of issue. */
const fetches = (
  log: ReadonlyArray<LogEvent>,
  sites: ReadonlyArray<string>,
): ReadonlyArray<readonly [number, number, number]> => {
  const issued = new Map<number, number>()
  const reads = new Map<number, number>()
  const writes = new Map<number, number>()
  for (const e of log) {
    if (e._tag === 'issue' && e.unit === 'tmaLoad') {
      expect(sites[e.stamp.site]).toMatch(/^pipeline\.(fetch|prologue)/)
      issued.set(e.operation, e.stamp.iteration.length === 0 ? -1 : e.stamp.iteration[0]!)
    }
    if (e._tag !== 'access' || e.operation === undefined || !issued.has(e.operation)) continue
    const map = e.footprint.map
    const first = map._tag === 'scatter' ? Math.min(...addressesIn(map)) : map.base
    const into = e.rw === 'r' ? reads : writes
    into.set(e.operation, Math.min(first, into.get(e.operation) ?? Infinity))
  }
  return [...issued].map(([op, by]) => [by, reads.get(op) ?? -1, writes.get(op) ?? -1] as const)
}

describe('delays', () => {
  /** Hopper: wgmma one step behind, so a block must outlive its step by one. */
  const wgmmas = (delay: number, explicit: boolean): Program =>
    right(
      B.kernel(
        {
          name: 'wgmmas',
          arch: 'sm90a',
          agents: Pallas.threadAgents('t', 0),
          computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 },
        },
        function* () {
          const transforms = yield* B.fromEither(Pallas.mmaTransforms(16, [16]))
          const a = yield* B.tensorParam('a', 'f16', [64, 112], { role: 'in' })
          const b = yield* B.tensorParam('b', 'f16', [112, 16], { role: 'in' })
          const out = yield* B.tensorParam('out', 'f16', [64, 16], { role: 'out' })
          const acc = yield* Pallas.ACC('acc', 't', 'f32', [64, 16])
          const body = function* (): Generator<B.Step, void, B.State> {
            yield* Pallas.initAccumulator('zero', acc)
            const spec = { transforms, delayRelease: delay }
            yield* Pallas.emitPipeline(
              'pipeline',
              {
                inSpecs: [
                  { tensor: a, shape: [64, 16], indexMap: (k) => [i32(0), k!], ...spec },
                  { tensor: b, shape: [16, 16], indexMap: (k) => [k!, i32(0)], ...spec },
                ],
                grid: [7],
                maxConcurrentSteps: 3,
              },
              {},
              function* ({ refs }) {
                yield* Pallas.wgmma('wgmma', acc, refs[0], refs[1])
                if (explicit) yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
                return {}
              },
            )
            const sum = yield* Pallas.readAccumulator('acc[...]', acc)
            yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value: cast(sum, 'f16') })
          }
          yield* Pallas.threads([], [{ name: 't', body }])
        },
      ),
    )
  test.each([
    [1, true, 'ok'],
    [2, true, 'ok'],
    [0, true, 'hazard'],
    [1, false, 'hazard'],
  ] as const)('delay_release=%i, wgmma_wait(1) %s: %s', (delay, explicit, expected) => {
    const { verdict } = checked(wgmmas(delay, explicit))
    expect([verdict.verdict, [...new Set(verdict.findings.map((f) => f.id))]]).toEqual([
      expected,
      expected === 'ok' ? [] : ['W3'],
    ])
    if (expected === 'ok') expect(verdict.provenance).toMatchObject({ proved: true, inOrder: true })
    else expect(verdict.findings[0]).toMatchObject({ a: { site: 'wgmma' }, b: { site: 'pipeline.fetch a' } })
  })
})

describe('outputs', () => {
  test('a block that stays is stored after its first step, and after the last step of all', () => {
    const p = right(
      B.kernel({ name: 'staying', arch: 'sm90a', agents: Pallas.threadAgents('t', 0) }, function* () {
        const out = yield* B.tensorParam('out', 'f32', [24, 16], { role: 'out' })
        const body = function* (): Generator<B.Step, void, B.State> {
          yield* Pallas.emitPipeline(
            'pipeline',
            {
              inSpecs: [],
              outSpecs: [{ tensor: out, shape: [8, 16], indexMap: (i) => [i!, i32(0)] }],
              grid: [3, 2],
              maxConcurrentSteps: 2,
            },
            {},
            function* ({ refs, indices }) {
              const number = add(mul(indices[0]!, i32(2)), indices[1]!)
              yield* B.run('o', {
                _tag: 'smem.store',
                destination: refs[0],
                value: splat<'f32', 2>(cast(number, 'f32'), [8, 16]),
              })
              return {}
            },
          )
        }
        yield* Pallas.threads([], [{ name: 't', body }])
      }),
    )
    const run = checked(p, {}, real64)
    const out = [...readTensor(run.world, run.machine, 'out')!]
    // block by block: the first step of blocks 0 and 1; the last step of all for block 2
    expect(out).toEqual([0, 2, 5].flatMap((v) => new Array<number>(8 * 16).fill(v)))
    // block 2 is stored twice, and only the reads of the first store are waited for: the second may land first
    expect(run.verdict).toMatchObject({
      verdict: 'hazard',
      findings: [
        {
          id: 'D2',
          a: { site: 'pipeline.store out', iteration: [4] },
          b: { site: 'pipeline.store out', iteration: [5] },
          missing: { kind: 'group-wait' },
        },
      ],
    })
  })
  test('an output that no step changes is stored once, at the end: a running sum', () => {
    const p = right(
      B.kernel({ name: 'sum', arch: 'sm90a', agents: Pallas.threadAgents('t', 0) }, function* () {
        const x = yield* B.tensorParam('x', 'f32', [48, 16], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', [8, 16], { role: 'out' })
        const running = yield* B.sharedMemory('running', 'f32', [1, 8, 16])
        yield* Pallas.threads(
          [],
          [
            {
              name: 't',
              body: function* () {
                yield* Pallas.emitPipeline(
                  'pipeline',
                  {
                    inSpecs: [{ tensor: x, shape: [8, 16], indexMap: (i) => [i!, i32(0)] }],
                    outSpecs: [{ tensor: out, shape: [8, 16], indexMap: () => [i32(0), i32(0)] }],
                    grid: [6],
                    maxConcurrentSteps: 2,
                  },
                  {},
                  function* ({ refs, indices }) {
                    const v = yield* B.smemLoad('v', refs[0])
                    yield* B.ifThen(
                      'add',
                      gt(indices[0]!, i32(0)),
                      function* () {
                        const before = yield* B.smemLoad('before', slot(running, i32(0)))
                        const sum = yield* B.letIn('sum', add(before, v))
                        yield* B.run('o', { _tag: 'smem.store', destination: refs[1], value: sum })
                        yield* B.run('running', {
                          _tag: 'smem.store',
                          destination: slot(running, i32(0)),
                          value: sum,
                        })
                      },
                      function* () {
                        yield* B.run('first', {
                          _tag: 'smem.store',
                          destination: slot(running, i32(0)),
                          value: v,
                        })
                      },
                    )
                    return {}
                  },
                )
              },
            },
          ],
        )
      }),
    )
    const values = Float64Array.from({ length: 48 * 16 }, (_, i) => i % 97)
    const run = checked(p, {}, real64, new Map([['x', values]]))
    expect([run.verdict.verdict, run.verdict.findings, otherNotes(run.verdict.notes)]).toEqual(['ok', [], []])
    const sums = Array.from({ length: 8 * 16 }, (_, e) =>
      [0, 1, 2, 3, 4, 5].reduce((sum, i) => sum + values[i * 128 + e]!, 0),
    )
    expect([...readTensor(run.world, run.machine, 'out')!]).toEqual(sums)
  })
})

describe('an output that no step changes has a slot for each step', () => {
  test.each([
    [1, 'ok', []],
    [2, 'hazard', ['I1']],
  ] as const)('written by the first of two steps alone, %i slots: %s', (concurrent, expected, ids) => {
    const p = right(
      Pallas.kernel(
        { name: 'first', arch: 'sm90a' },
        () => B.tensorParam('out', 'f32', [32], { role: 'out' }),
        function* (out) {
          yield* Pallas.emitPipeline(
            'pipeline',
            {
              inSpecs: [],
              outSpecs: [{ tensor: out, shape: [32], indexMap: () => [i32(0)] }],
              grid: [2],
              maxConcurrentSteps: concurrent,
            },
            {},
            function* ({ refs: [ref], indices: [i] }) {
              const value = splat<'f32', 1>(cast(i32(7), 'f32'), [32])
              yield* B.run('out', { _tag: 'smem.store', destination: ref, value }, { when: gt(i32(1), i!) })
              return {}
            },
          )
        },
      ),
    )
    const { verdict } = checked(p, { explain: false })
    expect([verdict.verdict, verdict.findings.map((f) => f.id)]).toEqual([expected, ids])
  })
})

describe('refused', () => {
  test.each<readonly [Copying, RegExp]>([
    [
      { grid: [0, 2], concurrent: 2, delay: 0 },
      /All elements in the grid must be strictly positive, found \(0, 2\)/,
    ],
    [
      { grid: [2, 2], concurrent: 1, delay: 1 },
      /max_concurrent_steps must be greater than all delay_release values, found 1 and a delay_release of 1 for x/,
    ],
    [{ grid: [2, 2], concurrent: 2, delay: 3 }, /found 2 and a delay_release of 3 for x/],
  ])('%j', (c, message) => {
    expect(copying(c)).toMatchObject(E.left({ message: expect.stringMatching(message) }))
  })
})

describe('transforms of operands', () => {
  test('law 1: the widest of 128, 64, 32 bytes that divides every row, for all rows up to 256', () => {
    for (const bits of [8, 16, 32])
      for (let a = 8; a <= 256; a += 8)
        for (const b of [a, 64]) {
          const fits = (span: number): boolean =>
            (a * bits) % (8 * span) === 0 && (b * bits) % (8 * span) === 0
          const span = fits(128) ? 128 : fits(64) ? 64 : fits(32) ? 32 : null
          const made = Pallas.mmaTransforms(bits, [a, b])
          if (span === null) expect(made).toMatchObject({ _tag: 'Left', left: { code: 'pallas.transforms' } })
          else
            expect(right(made)).toEqual([
              { _tag: 'Tile', tiling: [[8, (8 * span) / bits]] },
              { _tag: 'Swizzle', swizzle: span },
            ])
        }
  })
})
