/**
 * Copies into tensor memory, and shifts: the image that each shape leaves.
 *
 * Oracle: the table of the ISA's copy shapes, written down here lane by lane.
 */
import { describe, expect, test } from 'vitest'
import type { CopyShape } from '../../../src/layouts/tensor-memory/copy-shape.js'
import { linearLayout } from '../../../src/layouts/linear/linear-layout.js'
import type { RegisterLayout } from '../../../src/layouts/register-layout.js'
import * as Tiled from '../../../src/layouts/tiled.js'
import { bits } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { defaults, detector } from '../../../src/semantics/judging/detector/index.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { place } from '../../../src/semantics/language/place.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { validate } from '../../../src/semantics/language/validate.js'
import type { TransformedRef } from '../../../src/transforms/ref.js'
import { right } from '../../either.js'

const lane = 512
const ref = (
  shape: ReadonlyArray<number>,
  tiling: ReadonlyArray<ReadonlyArray<number>>,
  strides: ReadonlyArray<number>,
): TransformedRef => ({
  _tag: 'TransformedRef',
  shape,
  bits: 32,
  tiling,
  strides,
  byteOffset: 0,
  swizzle: 16,
})

interface Shape {
  readonly rows: number
  readonly columns: number
  /** lanes between rows, or between 32 rows and the next */
  readonly layout: TransformedRef
  /** the row in a lane, -1 for none */
  readonly rowOf: (lane: number) => number
}
const shapes: Readonly<Record<CopyShape, Shape>> = {
  '128x256b': { rows: 128, columns: 8, layout: ref([128, 8], [], [lane, 1]), rowOf: (l) => l },
  '128x128b': { rows: 128, columns: 4, layout: ref([128, 4], [], [lane, 1]), rowOf: (l) => l },
  '64x128b.warpx2::02_13': {
    rows: 64,
    columns: 4,
    layout: ref([64, 4], [], [lane, 1]),
    // quarters 0 and 2 the first 32 rows, 1 and 3 the others
    rowOf: (l) => l % 64,
  },
  '64x128b.warpx2::01_23': {
    rows: 64,
    columns: 4,
    layout: ref([64, 4], [[32, 4]], [64 * lane, 0, lane, 1]),
    // quarters 0 and 1 the first 32 rows, 2 and 3 the others
    rowOf: (l) => (l % 32) + (l < 64 ? 0 : 32),
  },
  '32x128b.warpx4': { rows: 32, columns: 4, layout: ref([32, 4], [], [lane, 1]), rowOf: (l) => l % 32 },
  '4x256b': {
    rows: 4,
    columns: 8,
    layout: ref([4, 8], [], [32 * lane, 1]),
    rowOf: (l) => (l % 32 === 0 ? l / 32 : -1),
  },
}

/** A copy into cleared columns (or a shift of them), read back. */
const program = (shape: CopyShape | 'shift', layout?: TransformedRef): Program =>
  right(
    B.draft({ name: 'copy', arch: 'sm100a', grid: [1], agents: [B.warpgroup('wg', 0)] }, function* () {
      const of =
        shape === 'shift' ? { rows: 128, columns: 8, layout: ref([128, 8], [], [lane, 1]) } : shapes[shape]
      yield* B.tensorParam('in', 'u32', [of.rows, of.columns], { role: 'in' })
      yield* B.tensorParam('out', 'u32', [128, 8], { role: 'out' })
      const run = (label: string, instruction: Instruction): B.Build<void> => B.run(label, instruction)
      const source = yield* B.sharedMemory('source', 'u32', [of.rows, of.columns])
      const whole = yield* B.tensorMemory('whole', 'u32', [128, 8], { alias: { union: 'd', member: 0 } })
      const destination = yield* B.tensorMemory('destination', 'u32', [of.rows, of.columns], {
        layout: layout ?? of.layout,
        alias: { union: 'd', member: 1 },
      })
      const regs = yield* B.registers('r', 'wg', 'u32', [128, 8])
      const done = yield* B.barriers('done', [], { ordersTensorCore: true })
      yield* run('init', { _tag: 'mbarrier.init', barrier: done, count: 1 })
      yield* run('alloc', { _tag: 'tcgen05.alloc', columns: 32, ctaGroup: 1 })
      const data = yield* B.gmemLoad('in', X.tensor<'i32', 2>('in'))
      yield* run('clear', {
        _tag: 'tcgen05.st',
        destination: whole,
        value: X.splat<'i32', 2>(X.i32(0), [128, 8]),
      })
      if (shape === 'shift') {
        yield* run('clear first', { _tag: 'tcgen05.waitSt' })
        yield* run('st', { _tag: 'tcgen05.st', destination: whole, value: data })
      } else yield* run('source', { _tag: 'smem.store', destination: source, value: data })
      yield* run('waitSt', { _tag: 'tcgen05.waitSt' })
      yield* run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
      yield* run(
        'copy',
        shape === 'shift'
          ? { _tag: 'tcgen05.shift', destination: whole, ctaGroup: 1 }
          : { _tag: 'tcgen05.cp', source, destination, shape, ctaGroup: 1 },
      )
      yield* run('commit', { _tag: 'tcgen05.commit', barrier: done, ctaGroup: 1 })
      yield* run('wait', {
        _tag: 'mbarrier.wait',
        barrier: done,
        parity: X.i32(0),
        acquire: true,
        scope: 'cta',
      })
      yield* run('after', { _tag: 'tcgen05.fenceAfter' })
      yield* run('ld', { _tag: 'tcgen05.ld', source: whole, destination: regs })
      yield* run('waitLd', { _tag: 'tcgen05.waitLd' })
      const value = yield* B.regsRead('r', regs)
      yield* run('out', { _tag: 'gmem.store', destination: X.tensor<'i32', 2>('out'), value })
      yield* run('dealloc', { _tag: 'tcgen05.dealloc', columns: 32, ctaGroup: 1 })
    }),
  )

const image = (p: Program, rows: number, columns: number): ReadonlyArray<number> => {
  expect(validate(right(place(p)))).toMatchObject({ _tag: 'Right' })
  const data = Float64Array.from({ length: rows * columns }, (_, i) => 1000 + i)
  const l = right(launch(p, bits('blackwell'), { scalars: new Map(), tensors: new Map([['in', data]]) }))
  const { machine, outcome, result } = Run.run(
    l.world,
    l.machine,
    Run.settings(Policy.lazy),
    detector(defaults),
  )
  expect(outcome).toEqual({ _tag: 'completed' })
  expect(result.findings).toEqual([])
  return [...readTensor(l.world, machine, 'out')!]
}

describe('law 1: the image of a copy', () => {
  test.each(Object.entries(shapes))('%s', (name, { rows, columns, rowOf }) => {
    const shape = Object.keys(shapes).find((s): s is CopyShape => s === name)!
    const wanted = Array.from({ length: 128 }, (_, l) =>
      Array.from({ length: 8 }, (__, c) =>
        rowOf(l) < 0 || c >= columns ? 0 : 1000 + rowOf(l) * columns + c,
      ),
    ).flat()
    expect(image(program(shape), rows, columns)).toEqual(wanted)
  })
})

test('law 2: a shift moves every row but the last to the next lane, and the first stays', () => {
  const wanted = Array.from({ length: 128 * 8 }, (_, i) => 1000 + (i < 8 ? i : i - 8))
  expect(image(program('shift'), 128, 8)).toEqual(wanted)
})

describe('refused', () => {
  const refused = (shape: CopyShape, layout: TransformedRef): unknown => {
    const found = validate(right(place(program(shape, layout))))
    return found._tag === 'Left' ? found.left.code : null
  }
  test('rows that begin in other lanes', () => {
    expect(refused('64x128b.warpx2::01_23', shapes['64x128b.warpx2::02_13'].layout)).toBe('tcgen05.shape')
    expect(refused('64x128b.warpx2::02_13', shapes['64x128b.warpx2::01_23'].layout)).toBe('tcgen05.shape')
    expect(refused('4x256b', ref([4, 8], [], [lane, 1]))).toBe('tcgen05.shape')
  })
  test('bytes of a lane that do not lie together in the source', () => {
    expect(refused('128x128b', ref([128, 4], [], [lane, 2]))).toBe('tcgen05.shape')
  })
})

describe('tensor-lanes.ts law 1: registers go where their threads reach', () => {
  const stored = (
    layout: RegisterLayout,
    columns: number,
    rows: number = 128,
    to?: TransformedRef,
  ): unknown => {
    const found = validate(
      right(
        place(
          right(
            B.draft({ name: 'st', arch: 'sm100a', grid: [1], agents: [B.warpgroup('wg', 0)] }, function* () {
              const acc = yield* B.tensorMemory(
                'acc',
                'f32',
                [rows, columns],
                to === undefined ? {} : { layout: to },
              )
              const value = X.splat<'f32', 2>(X.float('f32', 0), [rows, columns])
              yield* B.run('st', {
                _tag: 'tcgen05.st',
                destination: acc,
                value: X.convertLayout(value, layout),
              })
            }),
          ),
        ),
      ),
    )
    return found._tag === 'Left' ? found.left.code : null
  }
  const native = right(Tiled.TMEM_NATIVE(1))
  test('a row in a thread, and the fragment of a product', () => {
    expect(stored(native, 16)).toBeNull()
    expect(stored(Tiled.TCGEN05, 16)).toBeNull()
  })
  test('rows of another warp (L2)', () => {
    // the fragment of wgmma has 16 rows in a warp
    expect(stored(Tiled.WGMMA, 16)).toBe('L2')
  })
  test('16 rows of a warp, two columns of each at a distance (16x32bx2)', () => {
    const halves = (
      register: ReadonlyArray<ReadonlyArray<number>>,
      lanes: ReadonlyArray<ReadonlyArray<number>>,
      warp: ReadonlyArray<ReadonlyArray<number>> = [
        [16, 0],
        [32, 0],
      ],
    ): RegisterLayout =>
      right(
        linearLayout({
          inputs: [
            { name: 'register', bases: register },
            { name: 'lane', bases: lanes },
            { name: 'warp', bases: warp },
            { name: 'block', bases: [] },
          ],
          outputs: [
            { name: 'dim0', size: 64 },
            { name: 'dim1', size: 8 },
          ],
        }),
      )
    // rows 16 to 31 in the lanes from 32
    const gaps = ref([64, 8], [[16, 8]], [32 * lane, 0, lane, 1])
    const [one, two, four]: ReadonlyArray<ReadonlyArray<number>> = [
      [0, 1],
      [0, 2],
      [0, 4],
    ]
    const rows: ReadonlyArray<ReadonlyArray<number>> = [
      [1, 0],
      [2, 0],
      [4, 0],
      [8, 0],
    ]
    const at = (layout: RegisterLayout): unknown => stored(layout, 8, 64, gaps)
    expect(at(halves([one!, two!], [...rows, four!]))).toBeNull()
    expect(at(halves([two!, four!], [...rows, one!]))).toBeNull()
    // threads of one half in other lanes than those of the other; two columns in one half
    expect(at(halves([one!, two!, four!], [...rows.slice(0, 3), [16, 0], [8, 0]], [[32, 0]]))).toBe('L2')
    expect(at(halves([one!, [8, 0]], [...rows.slice(0, 3), two!, four!]))).toBe('L2')
    // rows of another warp
    expect(
      at(
        halves(
          [one!, two!],
          [...rows, four!],
          [
            [32, 0],
            [16, 0],
          ],
        ),
      ),
    ).toBe('L2')
  })
})
