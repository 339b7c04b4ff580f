/**
 * Gluon kernels from their text: right ones are `ok` and compute the right bits, and each mistake is found and named at its line of Python.
 *
 * Oracle of the bits: the same sums in exact small numbers, written out here. Oracle of the lines: the statement that stands at the line which a
 * finding names. A statement that is wrong is named itself; of one that is missing those two are named that it would have put in order.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { decode, encode } from '../../../src/numerics/float-format.js'
import { unit } from '../../../src/numerics/unit.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { notPrinted, printed, quotations } from '../../oracle/quoted.js'
import { gluonKernels, gluonNames, gluonTexts, prepared, productOf, statementAt } from './gluon.js'

// ---------------------------------------------------------------- what is expected

/** The id, and of each statement that is named how it begins. */
type Found = readonly [id: string, ...statements: ReadonlyArray<string>]

const expected: Readonly<Record<string, Readonly<Record<string, Found>>>> = {
  accumulators_matmul: {
    phase: ['B1', 'mbarrier.wait(empty.index(slot), (((i % steps) // SLOTS)', 'mbarrier.expect(full'],
    overwrite: ['M3', 'sums = tile.load', 'tcgen05_mma'],
    empty: ['W2', 'tcgen05_mma', 'tma.async_copy_global_to_shared(da'],
    ready: ['M2', 'tcgen05_mma', 'sums = tile.load'],
    free: ['M3', 'sums = tile.load', 'tcgen05_mma'],
    other: ['M2', 'sums = tile.load', 'tcgen05_mma'],
    stored: ['W4', 'tma.async_copy_shared_to_global', 'c.store'],
  },
  async_copy_matmul: {
    wait: ['R1', 'async_copy.async_copy_global_to_shared(a_ring', 'acc = warpgroup_mma('],
    commit: ['R1', 'async_copy.async_copy_global_to_shared(a_ring', 'acc = warpgroup_mma('],
    late: ['R1', 'async_copy.async_copy_global_to_shared(b_ring', 'acc = warpgroup_mma('],
    fence: ['P1', 'async_copy.async_copy_global_to_shared(a_ring', 'acc = warpgroup_mma('],
    pendings: ['W3', 'acc = warpgroup_mma(', 'async_copy.async_copy_global_to_shared(a_ring'],
  },
  attention: {
    q: ['R1', 'tma.async_copy_global_to_shared(desc', 's = warpgroup_mma(q'],
    refill: ['W3', 's = warpgroup_mma(q', 'tma.async_copy_global_to_shared(desc'],
    scores: ['M1', 's = warpgroup_mma(q', 's = warpgroup_mma_wait(1'],
    barrier: ['R1', 'tma.async_copy_global_to_shared(desc', 'acc = warpgroup_mma(gl.convert_layout(p'],
    accumulator: ['M1', 'acc = warpgroup_mma(gl.convert_layout(p', 'acc = acc / gl.convert_layout(total'],
  },
  bias_matmul: {
    fence: ['P1', 'c.store(gl.load(d', 'tcgen05_copy'],
    copy: ['M6', 'tcgen05_mma'],
    full: ['R1', 'tma.async_copy_global_to_shared(da', 'tcgen05_mma'],
    bytes: ['B4', 'mbarrier.expect(full, da.block_type.nbytes)', 'mbarrier.wait(full'],
    done: ['W2', 'tcgen05_mma', 'tma.async_copy_global_to_shared(da'],
    store: ['P1', 'c.store(acc.load', 'tma.async_copy_shared_to_global'],
  },
  consumers_matmul: {
    one: ['B1', 'mbarrier.arrive(empty', 'mbarrier.wait(empty'],
    three: ['B5', 'mbarrier.init(empty.index(s), count=3)', 'mbarrier.wait(empty'],
    lag: ['W3', 'acc = warpgroup_mma(', 'tma.async_copy_global_to_shared(da'],
    bytes: ['R3', 'acc = warpgroup_mma(', 'tma.async_copy_global_to_shared(db'],
    more: ['B4', 'mbarrier.expect(bar, 2 * (da', 'mbarrier.wait(full'],
    tile: ['D1', 'out.store'],
  },
  gathered_rows: {
    bytes: ['B4', 'mbarrier.expect(full.index(slot), dx.block_type.nbytes)', 'mbarrier.wait(full'],
    phase: ['B6', 'mbarrier.wait(full.index(slot), ((k // SLOTS) & 1) ^ 1)'],
    slot: ['B1', 'mbarrier.wait(full.index(slot ^ 1)', 'mbarrier.expect(full'],
    stored: ['W4', 'tma.async_scatter', 'y.store'],
    fence: ['P1', 'y.store', 'tma.async_scatter'],
  },
  handed_matmul: {
    used: ['D4', 'left.store', 'tcgen05_mma'],
    early: ['M4', 'left.store', 'tcgen05_mma'],
    phase: ['M4', 'left.store', 'tcgen05_mma'],
    sums: ['M3', 'c.store', 'tcgen05_mma'],
  },
  ring_matmul: {
    phase: ['B6', 'mbarrier.wait(full.index(slot), k & 1)'],
    wait: ['R1', 'tma.async_copy_global_to_shared(da', 'acc = warpgroup_mma('],
    bytes: ['B4', 'mbarrier.expect(bar, da.block_type.nbytes, pred)', 'mbarrier.wait(full'],
    count: ['B5', 'mbarrier.init(full.index(s), count=2)', 'mbarrier.wait(full'],
    slot: ['B1', 'mbarrier.wait(full.index((k + 1) % SLOTS)', 'mbarrier.expect(bar'],
    pendings: ['W3', 'acc = warpgroup_mma(', 'tma.async_copy_global_to_shared(da'],
  },
  specialized_matmul: {
    prime: ['B6', 'mbarrier.wait(empty.index(slot), (k // SLOTS) & 1)', 'mbarrier.wait(full'],
    reuse: ['R3', 'tma.async_copy_global_to_shared(da', 'acc = warpgroup_mma('],
    slot: [
      'R2',
      'acc = warpgroup_mma(',
      'tma.async_copy_global_to_shared(db, [k * BK, col], full.index(slot), b.index((k',
    ],
    early: ['W3', 'acc = warpgroup_mma(', 'tma.async_copy_global_to_shared(da'],
    twice: ['B2', 'mbarrier.arrive(empty.index(slot), count=2)'],
    fence: ['P1', 'c.store', 'tma.async_copy_shared_to_global'],
  },
  stored_tiles: {
    reuse: ['W4', 'tma.async_copy_shared_to_global', 'y.index(slot).store'],
    pendings: ['W4', 'tma.async_copy_shared_to_global', 'y.index(slot).store'],
    slot: ['W4', 'tma.async_copy_shared_to_global(dy, [row, t * BN], y.index(0))', 'y.index(0).store'],
    fence: ['P1', 'y.index(slot).store', 'tma.async_copy_shared_to_global'],
    order: ['P1', 'y.index(slot).store', 'tma.async_copy_shared_to_global'],
    drain: ['U2', 'tma.async_copy_shared_to_global'],
  },
  tensor_core_matmul: {
    accumulate: ['M6', 'tcgen05_mma(a.index(slot), b.index(slot), acc)'],
    commit: ['B5', 'mbarrier.wait(done', 'tcgen05_mma'],
    phase: ['B6', 'mbarrier.wait(done.index(slot), phase ^ 1)'],
    reuse: ['W2', 'tma.async_copy_global_to_shared(da', 'tcgen05_mma'],
    fence: ['P1', 'c.store', 'tma.async_copy_shared_to_global'],
  },
  tensor_memory_attention: {
    scores: ['M2', 'tcgen05_mma(q', 's = scores.load'],
    keys: ['W2', 'tcgen05_mma(q', 'tma.async_copy_global_to_shared(dk'],
    values: ['W2', 'tcgen05_mma(weights', 'tma.async_copy_global_to_shared(dv'],
    phase: ['B5', 'mbarrier.wait(summed, phase)'],
    accumulate: ['M6', 'tcgen05_mma(weights, v, sums, mbarriers'],
    sums: ['M2', 'tcgen05_mma(weights', 'o.store'],
  },
  weighted_matmul: {
    operand: ['M4', 'left.store', 'tcgen05_mma'],
    commit: ['B5', 'mbarrier.wait(done', 'tcgen05_mma'],
    refill: ['W2', 'tcgen05_mma', 'tma.async_copy_global_to_shared(db'],
    sums: ['M2', 'tcgen05_mma', 'c.store(acc.load'],
    last: ['B5', 'mbarrier.wait(done, steps & 1)'],
    uncounted: ['R1', 'tma.async_copy_global_to_shared(db, [k * BK, col], full.index((k', 'tcgen05_mma'],
  },
}

/** Rows of numbers. */
type Matrix = ReadonlyArray<ReadonlyArray<number>>
type Inputs = Readonly<Record<string, Matrix>>

const transposed = (m: Matrix): Matrix => m[0]!.map((_, j) => m.map((row) => row[j]!))
const inner = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
  let sum = 0
  for (let k = 0; k < x.length; k++) sum += x[k]! * y[k]!
  return sum
}
const product = (a: Matrix, b: Matrix): Matrix => {
  const columns = transposed(b)
  return a.map((row) => columns.map((column) => inner(row, column)))
}
const each = (m: Matrix, of: (x: number, column: number) => number): Matrix => m.map((row) => row.map(of))

const plain = ({ a, b }: Inputs): Matrix => product(a!, b!)
/** The weights are those of the keys with the largest score, equal among themselves: a mean of their rows of v. */
const attended = ({ q, k, v }: Inputs): Matrix =>
  product(q!, transposed(k!)).map((scores) => {
    const most = Math.max(...scores)
    const taken = v!.filter((_, j) => scores[j] === most)
    return transposed(taken).map((column) => column.reduce((x, y) => x + y, 0) / taken.length)
  })
const computed: Readonly<Record<string, (of: Inputs) => Matrix>> = {
  attention: attended,
  tensor_memory_attention: attended,
  bias_matmul: (of) => each(plain(of), (x, column) => x + of['d']![0]![column]!),
  gathered_rows: ({ x }) => Array.from({ length: 96 }, (_, row) => x![(5 * (95 - row)) % 128]!),
  handed_matmul: (of) => each(plain(of), (x) => 2 * x),
  stored_tiles: ({ x }) => each(x!, (one) => 2 * one),
  weighted_matmul: (of) => each(plain(of), (x) => 2 * x),
}

/** Small whole numbers, all exact in f16; of attention such that one quarter of the keys wins, others lose by far, and the winners come late. */
const given = (name: string, tensor: string, i: number, columns: number): number => {
  const [row, column] = [Math.floor(i / columns), i % columns]
  if (name.endsWith('attention') && tensor === 'q') return column === row % 64 ? 1024 : 0
  if (name.endsWith('attention') && tensor === 'k') return (row >> (column % 7)) & 3
  return ((i * 7 + Math.floor(i / 3) * 5 + tensor.charCodeAt(0)) % 5) - 2
}

// ---------------------------------------------------------------- right kernels

/** By day those whose results are not proved for all inputs, and one product of each architecture. */
const isComputed = (name: string): boolean =>
  nightly || gluonKernels[name]!.computes === null || /^(ring|tensor_core)/.test(name)

describe.each(sampled(2, gluonNames))('%s', (name) => {
  const kernel = gluonKernels[name]!
  const output = kernel.outputs[0]!

  it('is right, for all inputs where it is a product', () => {
    const { program, scalars } = prepared(name, '', productOf(kernel))
    const { verdict } = right(
      check(program, { ...standardOptions, algebra: unit, arguments: { scalars, tensors: new Map() } }),
    )
    if (kernel.byManual === null) expect(verdict).toMatchObject({ verdict: 'ok', findings: [], notes: [] })
    else
      expect([verdict.findings, [...new Set(verdict.notes.map((f) => f.id))]]).toEqual([
        [],
        [kernel.byManual],
      ])
    if (kernel.computes !== null) expect(verdict.provenance).toMatchObject({ proved: true })
  })

  it.runIf(isComputed(name))('computes what is written out by hand, to the bit', () => {
    const { program, scalars } = prepared(name)
    const numbers = new Map(
      Object.entries(kernel.tensors).flatMap(([tensor, { shape }]) =>
        tensor === output
          ? []
          : [
              [
                tensor,
                Float64Array.from({ length: shape.reduce((n, extent) => n * extent, 1) }, (_, i) =>
                  given(name, tensor, i, shape[shape.length - 1]!),
                ),
              ] as const,
            ],
      ),
    )
    const tensors = new Map(
      [...numbers].map(([tensor, values]) => [
        tensor,
        values.map((x) => encode(kernel.tensors[tensor]!.dtype, x)),
      ]),
    )
    const { world, machine } = right(
      launch(program, bits(kernel.arch === 90 ? 'hopper' : 'blackwell', 'triton'), { scalars, tensors }),
    )
    const ran = run(world, machine, settings(eager), collect)
    expect(ran.outcome).toEqual({ _tag: 'completed' })
    const { dtype } = kernel.tensors[output]!
    const rowsOf = (tensor: string, values: Float64Array): Matrix => {
      const columns = kernel.tensors[tensor]!.shape.slice(-1)[0]!
      return Array.from({ length: values.length / columns }, (_, row) =>
        Array.from(values.subarray(row * columns, (row + 1) * columns)),
      )
    }
    const inputs = Object.fromEntries(
      [...numbers].map(([tensor, values]) => [tensor, rowsOf(tensor, values)]),
    )
    const wanted = (computed[name] ?? plain)(inputs).flat()
    const found = readTensor(world, ran.machine, output)!
    expect(found.length).toBe(wanted.length)
    const wrong = wanted.flatMap((want, i) => {
      const is = decode(dtype, found[i]!)
      return is === want ? [] : [`${String(i)}: ${String(want)}, found ${String(is)}`]
    })
    expect(wrong.slice(0, 3)).toEqual([])
    expect(found.some((pattern) => pattern !== 0)).toBe(true)
  })
})

// ---------------------------------------------------------------- mistakes

/** Each is judged once. */
const verdicts = new Map<string, Verdict>()
const judged = (name: string, mistake: string): Verdict => {
  const known = verdicts.get(`${name} ${mistake}`)
  if (known !== undefined) return known
  const { program, scalars } = prepared(name, mistake)
  const options = { ...standardOptions, algebra: unit, provenance: false }
  const { verdict } = right(check(program, { ...options, arguments: { scalars, tensors: new Map() } }))
  verdicts.set(`${name} ${mistake}`, verdict)
  return verdict
}

/** The places that a verdict names for an id: those of the first such finding, and of a deadlock where each agent is blocked. */
const placesOf = (v: Verdict, id: string): ReadonlyArray<string> => {
  const f = v.findings.find((one) => one.id === id)
  if (f === undefined) return []
  const blocked = f.text.startsWith('deadlock')
    ? v.waitFor.flatMap((line) => /\((\w+\.py:\d+)\)/.exec(line)?.slice(1) ?? [])
    : []
  return [...new Set([f.a.loc ?? '', f.b?.loc ?? '', ...blocked].filter((place) => place !== ''))]
}

const mistakes = gluonNames.flatMap((name) =>
  Object.keys(gluonKernels[name]!.mistakes).map((mistake) => [name, mistake] as const),
)

it('each text is that of a kernel or of a mistake', () => {
  expect([...gluonTexts].sort()).toEqual(
    [
      ...gluonNames.map((name) => `${name}.ttgir`),
      ...mistakes.map((pair) => `${pair.join('.')}.ttgir`),
    ].sort(),
  )
})

it('at least three mistakes of each of at least eight kernels, four for each architecture', () => {
  const kernels = Object.values(gluonKernels)
  expect(kernels.every((kernel) => Object.keys(kernel.mistakes).length >= 3)).toBe(true)
  for (const arch of [90, 100])
    expect(kernels.filter((kernel) => kernel.arch === arch).length).toBeGreaterThanOrEqual(4)
  expect(mistakes.map((pair) => pair.join(' '))).toEqual(
    Object.entries(expected)
      .flatMap(([name, of]) => Object.keys(of).map((mistake) => `${name} ${mistake}`))
      .sort(
        (x, y) => mistakes.findIndex((m) => m.join(' ') === x) - mistakes.findIndex((m) => m.join(' ') === y),
      ),
  )
})

/** A row of the page. */
const rowOf = (name: string, mistake: string): string => {
  const { verdict, ...v } = judged(name, mistake)
  const id = expected[name]![mistake]![0]
  const lines = placesOf({ verdict, ...v }, id).map((place) => place.split(':')[1])
  return `| \`${name}\` | \`${mistake}\` | ${gluonKernels[name]!.mistakes[mistake]!} | ${verdict} | ${id} | ${lines.join(', ')} |`
}
const page = new URL('../../../docs/gluon.md', import.meta.url)
const regenerate = process.env['TCSPEC_REGENERATE'] === '1'

describe.each(sampled(8, mistakes))('%s, %s', (name, mistake) => {
  it('is found, and named at its lines', () => {
    const [id, ...statements] = expected[name]![mistake]!
    const verdict = judged(name, mistake)
    expect(['hazard', 'deadlock']).toContain(verdict.verdict)
    const named = placesOf(verdict, id).map(statementAt)
    for (const statement of statements)
      expect(named.some((at) => at.startsWith(statement)) ? statement : named).toEqual(statement)
  })
  it.skipIf(regenerate)('stands so in docs/gluon.md', () => {
    expect(readFileSync(page, 'utf8')).toContain(`\n${rowOf(name, mistake)}\n`)
  })
})

it('what docs/gluon.md quotes of the tool is what it prints', async () => {
  const quotes = quotations(readFileSync(page, 'utf8'))
  expect(quotes.length).toBe(1)
  for (const { argv, quoted } of quotes) {
    const file = argv.split(' ')[1]!
    const disk = new Map<string, Uint8Array>([
      [file, readFileSync(new URL(`../../../${file}`, import.meta.url))],
    ])
    expect(notPrinted(quoted, (await printed(argv, inMemory(disk))).stdout)).toBe(null)
  }
})

it('docs/gluon.md has a row for each mistake, and no other', () => {
  const [open, close] = ['<!-- generated: mistakes -->\n', '\n<!-- end -->']
  const text = readFileSync(page, 'utf8')
  const [before = '', rest = ''] = text.split(open)
  const [table = '', after = ''] = rest.split(close)
  const head = ['| kernel | flag | mistake | verdict | id | lines |', '| --- | --- | --- | --- | --- | --- |']
  if (regenerate) {
    const rows = mistakes.map(([name, mistake]) => rowOf(name, mistake))
    writeFileSync(page, [before, open, [...head, ...rows].join('\n'), close, after].join(''))
  } else
    expect(table.split('\n').map((row) => row.split(' | ').slice(0, 2).join(' '))).toEqual([
      ...head.map((row) => row.split(' | ').slice(0, 2).join(' ')),
      ...mistakes.map(([name, mistake]) => `| \`${name}\` \`${mistake}\``),
    ])
})
