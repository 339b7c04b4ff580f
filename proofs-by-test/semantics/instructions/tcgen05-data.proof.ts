/**
 * tcgen05.ld, st, cp and shift: what moves where, of one CTA and of a pair, and what must be allocated.
 *
 * Lanes and bytes by hand. (The images of the copies stand in `tcgen05-copy.proof.ts`.)
 */
import { describe, expect, test } from 'vitest'
import type { CopyShape } from '../../../src/layouts/tensor-memory/copy-shape.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { real64, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import { executeCopy, performCopy } from '../../../src/semantics/instructions/tcgen05-copy.js'
import {
  executeLd,
  executeSt,
  performLd,
  performSt,
} from '../../../src/semantics/instructions/tcgen05-data.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import type { Elements, InFlight, Prepared } from '../../../src/semantics/machine/operation.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import { withPlane, withTensorMemory, type Machine } from '../../../src/semantics/machine/state.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import { launched } from '../machine/machine-samples.js'
import { expr, view } from '../language/operands.js'
import { right } from '../../either.js'

const program = right(
  B.draft(
    {
      name: 'moves',
      arch: 'sm100a',
      grid: [2],
      cluster: [2],
      agents: [B.warpgroup('wg', 0), B.warp('w5', 5)],
    },
    function* () {
      yield* B.tensorMemory('before', 'u32', [128, 64])
      for (const [rows, columns] of [
        [128, 8],
        [128, 4],
        [64, 4],
        [32, 4],
        [4, 8],
      ] as const) {
        yield* B.tensorMemory(`tmem ${String(rows)} ${String(columns)}`, 'u32', [rows, columns])
        yield* B.sharedMemory(`smem ${String(rows)} ${String(columns)}`, 'u32', [rows, columns])
      }
      for (const dtype of ['i8', 'u8', 'i16', 'i32', 'f16'] as const) {
        yield* B.tensorMemory(`tmem ${dtype}`, dtype, [128, 4])
        yield* B.registers(`regs ${dtype}`, 'wg', dtype, [128, 4])
      }
    },
  ),
)
const samples = launched(program, real64)
const { world } = samples
const lane = 2048
const allocated = (m: Machine, cta: number, columns: number): Machine =>
  withTensorMemory(m, cta, {
    allocated: [{ start: 0, columns, agent: 0 }],
    largest: 512,
    relinquished: false,
    ahead: [],
    outOfStep: false,
  })
const machine = allocated(allocated(samples.machine, 0, 512), 1, 512)
/** The warpgroup of CTA 1 is agent 2, its warp 5 agent 3. */
const x = { world, agent: 2, stamp: { agent: 2, at: 6, site: 0, iteration: [] } }
type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>
const prepared = <K extends Prepared['_tag']>(_tag: K, i: Instruction, agent = 2): Of<K> => {
  const p = prepare(environment(world, { agent, cta: 1, place: 0, cluster: 0 }, []), i)
  if (isFault(p)) throw new Error(`${p.code}: ${p.message}`)
  return p as Of<K>
}
const placeOf = (storage: string, e: Elements): string => {
  const p = world.header.planes[e.plane]!
  const at = Footprint.firstOf(e) - world.storages.get(storage)!.offset
  return `${String(p.cta)} ${p.space === 'tmem' ? `lane ${String(at / lane)}` : `byte ${String(at)}`}`
}

describe('copies', () => {
  const copy = (shape: CopyShape, rows: number, columns: number, ctaGroup: 1 | 2): Of<'tcgen05.copy'> =>
    prepared('tcgen05.copy', {
      _tag: 'tcgen05.cp',
      source: view(`smem ${String(rows)} ${String(columns)}`),
      destination: view(`tmem ${String(rows)} ${String(columns)}`),
      shape,
      ctaGroup,
    })
  test.each<readonly [CopyShape, rows: number, columns: number, lanes: ReadonlyArray<number>]>([
    ['128x256b', 128, 8, [0]],
    ['128x128b', 128, 4, [0]],
    ['64x128b.warpx2::02_13', 64, 4, [0, 64]],
    ['64x128b.warpx2::01_23', 64, 4, [0, 32]],
    ['32x128b.warpx4', 32, 4, [0, 32, 64, 96]],
    ['4x256b', 4, 8, [0]],
  ])('%s: where the copies of a row are', (shape, rows, columns, lanes) => {
    const [t, s] = [`tmem ${String(rows)} ${String(columns)}`, `smem ${String(rows)} ${String(columns)}`]
    for (const ctaGroup of [1, 2] as const) {
      const p = copy(shape, rows, columns, ctaGroup)
      const ctas = ctaGroup === 1 ? [1] : [0, 1]
      expect(p.moves.map((m) => [placeOf(s, m.source), placeOf(t, m.destination)])).toEqual(
        ctas.flatMap((cta) =>
          lanes.map((l) => [`${String(cta)} byte 0`, `${String(cta)} lane ${String(l)}`]),
        ),
      )
      expect([p.bytes, p.ctaGroup, p.entry]).toEqual([
        4 * rows * columns * ctaGroup,
        ctaGroup,
        shape === '4x256b' ? 'cp.4x256b' : 'cp',
      ])
    }
  })
  test('a shift: all rows but the last, one lane on, in each CTA of a pair', () => {
    for (const ctaGroup of [1, 2] as const) {
      const p = prepared('tcgen05.copy', { _tag: 'tcgen05.shift', destination: view('tmem 128 8'), ctaGroup })
      const ctas = ctaGroup === 1 ? [1] : [0, 1]
      expect(
        p.moves.map((m) => [placeOf('tmem 128 8', m.source), placeOf('tmem 128 8', m.destination)]),
      ).toEqual(ctas.map((cta) => [`${String(cta)} lane 0`, `${String(cta)} lane 1`]))
      expect(p.moves.map((m) => [m.source.shape, m.destination.shape])).toEqual(
        ctas.map(() => [
          [127, 8],
          [127, 8],
        ]),
      )
      expect([p.bytes, p.ctaGroup, p.entry]).toEqual([4 * 127 * 8 * ctaGroup, ctaGroup, 'shift'])
    }
  })
  test('two rows are enough for a shift', () => {
    const part = (rows: number): Instruction => ({
      _tag: 'tcgen05.shift',
      destination: expr<never>({
        _tag: 'slice',
        of: { _tag: 'storage', storage: 'tmem 128 8' },
        starts: [X.i32(0) as never, X.i32(0) as never],
        sizes: [rows, 8],
      }),
      ctaGroup: 1,
    })
    expect(prepared('tcgen05.copy', part(2)).bytes).toBe(32)
    expect(
      prepare(environment(world, { agent: 2, cta: 1, place: 0, cluster: 0 }, []), part(1)),
    ).toMatchObject({
      code: 'tile.shape',
    })
  })

  const contents = (of: number, count: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => 1000 * of + i)
  const put = (m: Machine, e: Elements, data: Float64Array): Machine =>
    withPlane(m, e.plane, Plane.write(m.planes[e.plane]!, e, data, null))
  const flight = (p: Of<'tcgen05.copy'>): Extract<InFlight, { readonly _tag: 'tcgen05Copy' }> => {
    const done = executeCopy(x, machine, p)
    if (isFault(done)) throw new Error(done.message)
    const [f] = done.machine.inFlight
    if (f?._tag !== 'tcgen05Copy') throw new Error('no copy')
    expect(f).toEqual({
      _tag: 'tcgen05Copy',
      id: machine.issued,
      agent: 2,
      at: 6,
      stamp: x.stamp,
      copy: p,
      bytes: p.bytes,
    })
    return f
  }
  const read = (m: Machine, e: Elements): ReadonlyArray<number> => [
    ...Plane.read(m.planes[e.plane]!, e).data!,
  ]
  test('of a pair: each CTA from its own memory into its own; a source is read once', () => {
    const f = flight(copy('64x128b.warpx2::02_13', 64, 4, 2))
    const other = { ...f, id: 99 }
    const [a, , b] = f.copy.moves
    const before = put(put(machine, a!.source, contents(1, 256)), b!.source, contents(2, 256))
    const done = performCopy({ ...before, inFlight: [f, other] }, f)
    expect(f.copy.moves.map((m) => read(done.machine, m.destination))).toEqual(
      [1, 1, 2, 2].map((of) => [...contents(of, 256)]),
    )
    expect(done.machine.inFlight).toEqual([other])
    expect(
      done.events.flatMap((e) =>
        e._tag === 'access' ? [`${e.rw} ${e.proxy} ${String(e.footprint.id)}`] : [],
      ),
    ).toEqual(
      [a!, b!].flatMap((m, cta) => [
        `r async ${String(m.source.footprint.id)}`,
        ...[0, 1].map((c) => `w tensor ${String(f.copy.moves[2 * cta + c]!.destination.footprint.id)}`),
      ]),
    )
  })
  test('a shift of a pair reads before it writes', () => {
    const f = flight(
      prepared('tcgen05.copy', { _tag: 'tcgen05.shift', destination: view('tmem 128 8'), ctaGroup: 2 }),
    )
    const before = f.copy.moves.reduce((m, { source }, of) => put(m, source, contents(of, 127 * 8)), machine)
    const done = performCopy({ ...before, inFlight: [f] }, f)
    f.copy.moves.forEach(({ destination }, of) => {
      expect(read(done.machine, destination)).toEqual([...contents(of, 127 * 8)])
    })
  })
  test('what is not allocated: of either CTA, of the source of a shift, too', () => {
    const code = (m: Machine, p: Of<'tcgen05.copy'>): string | null => {
      const done = executeCopy(x, m, p)
      return isFault(done) ? done.code : null
    }
    const p = copy('32x128b.warpx4', 32, 4, 2)
    expect(code(machine, p)).toBeNull()
    expect(code(allocated(machine, 1, 64), p)).toBe('I2')
    expect(code(allocated(machine, 0, 64), p)).toBe('I2')
    const none = (m: Machine, cta: number): Machine =>
      withTensorMemory(m, cta, {
        allocated: [],
        largest: 512,
        relinquished: false,
        ahead: [],
        outOfStep: false,
      })
    expect(code(none(machine, 0), p)).toBe('M7')
    expect(code(none(machine, 0), copy('32x128b.warpx4', 32, 4, 1))).toBeNull()
    expect(code(none(machine, 1), copy('32x128b.warpx4', 32, 4, 1))).toBe('I2')
    const shift = prepared('tcgen05.copy', {
      _tag: 'tcgen05.shift',
      destination: view('tmem 128 8'),
      ctaGroup: 1,
    })
    const [move] = shift.moves
    const first = prepared('tcgen05.copy', {
      _tag: 'tcgen05.shift',
      destination: view('before'),
      ctaGroup: 1,
    })
    // the destination alone, or the source alone, lies in the first 64 columns
    const half = allocated(machine, 1, 64)
    const mixed = (source: Elements, destination: Elements) => ({
      ...shift,
      moves: [{ source, destination }],
    })
    expect(code(half, mixed(first.moves[0]!.source, first.moves[0]!.destination))).toBeNull()
    expect(code(half, mixed(move!.source, first.moves[0]!.destination))).toBe('I2')
    expect(code(half, mixed(first.moves[0]!.source, move!.destination))).toBe('I2')
  })
  test('an algebra without data moves nothing', () => {
    const empty = launched(program, unit)
    const f = flight(copy('128x256b', 128, 8, 1))
    expect(performCopy({ ...empty.machine, inFlight: [f] }, f).machine.planes).toEqual(empty.machine.planes)
  })
})

describe('registers', () => {
  const width: Readonly<Record<string, number>> = { i8: 1, u8: 1, i16: 2, i32: 4, f16: 2 }
  const stored = (dtype: Dtype, data: ReadonlyArray<number>) => {
    const value = X.splat<'i32', 2>(X.i32(0), [128, 4])
    const p = prepared('tcgen05.st', {
      _tag: 'tcgen05.st',
      destination: view(`tmem ${dtype}`),
      value: value as never,
    })
    const all = Float64Array.from({ length: 512 }, (_, i) => data[i] ?? 0)
    const done = executeSt(x, machine, { ...p, data: all })
    if (isFault(done)) throw new Error(done.message)
    const [f] = done.machine.inFlight
    if (f?._tag !== 'tcgen05St') throw new Error('no store')
    return f
  }
  test.each<readonly [Dtype, register: ReadonlyArray<number>, memory: ReadonlyArray<number>]>([
    ['i8', [127, 128, 300, -129], [127, -128, 44, 127]],
    ['u8', [255, 256, -1, 0], [255, 0, 255, 0]],
    ['i16', [32768, -32769, 5, 0], [-32768, 32767, 5, 0]],
    ['i32', [-5, 2 ** 31 - 1, 0, 1], [-5, 2 ** 31 - 1, 0, 1]],
    ['f16', [1.5, 300.25, -2, 0], [1.5, 300.25, -2, 0]],
  ])('%s: %j is %j in tensor memory, and comes back', (dtype, register, memory) => {
    const f = stored(dtype, register)
    const { machine: m } = performSt({ ...machine, inFlight: [f] }, f)
    expect(m.inFlight).toEqual([])
    expect([...Plane.read(m.planes[f.destination.plane]!, f.destination).data!].slice(0, 4)).toEqual(memory)
    expect(f).toMatchObject({ bytes: 512 * width[dtype]!, agent: 2, at: 6, id: machine.issued })
    const p = prepared('tcgen05.ld', {
      _tag: 'tcgen05.ld',
      source: view(`tmem ${dtype}`),
      destination: view(`regs ${dtype}`),
    })
    const done = executeLd(x, m, p)
    if (isFault(done)) throw new Error(done.message)
    const [ld] = done.machine.inFlight
    if (ld?._tag !== 'tcgen05Ld') throw new Error('no load')
    expect(ld).toMatchObject({ bytes: 512 * width[dtype]!, agent: 2, at: 6, id: machine.issued })
    const other = { ...ld, id: 77 }
    const back = performLd({ ...done.machine, inFlight: [ld, other] }, ld).machine
    const e = p.destination
    expect([...Plane.read(back.planes[e.plane]!, e).data!].slice(0, 4)).toEqual(memory)
    expect(back.inFlight).toEqual([other])
  })
  test('what is not allocated in its own CTA is refused', () => {
    const only0 = withTensorMemory(machine, 1, {
      allocated: [],
      largest: 512,
      relinquished: false,
      ahead: [],
      outOfStep: false,
    })
    const p = prepared('tcgen05.ld', {
      _tag: 'tcgen05.ld',
      source: view('tmem i32'),
      destination: view('regs i32'),
    })
    expect(executeLd(x, only0, p)).toMatchObject({ code: 'I2' })
    const st = prepared('tcgen05.st', {
      _tag: 'tcgen05.st',
      destination: view('tmem i32'),
      value: X.splat<'i32', 2>(X.i32(0), [128, 4]),
    })
    expect(executeSt(x, only0, st)).toMatchObject({ code: 'I2' })
  })
  test('lanes of other warps are out of reach, for loads and for stores', () => {
    const rows = (first: number): never =>
      expr<never>({
        _tag: 'slice',
        of: { _tag: 'storage', storage: 'tmem i32' },
        starts: [X.i32(first) as never, X.i32(0) as never],
        sizes: [32, 4],
      })
    const code = (first: number): string | null => {
      const p = prepare(environment(world, { agent: 3, cta: 1, place: 0, cluster: 0 }, []), {
        _tag: 'tcgen05.st',
        destination: rows(first),
        value: X.splat<'i32', 2>(X.i32(0), [32, 4]),
      })
      return isFault(p) ? p.code : null
    }
    // warp 5 has the second quarter
    expect([0, 32, 64, 96].map(code)).toEqual(['tcgen05.lanes', null, 'tcgen05.lanes', 'tcgen05.lanes'])
  })
})
