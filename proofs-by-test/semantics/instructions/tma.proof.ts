/** TMA copies run through the machine, byte for byte as an H100 made them (`conformance/hopper/structure/tma.*`). */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { bitsOf, type Dtype } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { update, isTrap } from '../../../src/semantics/machine/mbarrier.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { validate } from '../../../src/semantics/language/validate.js'
import { ofStrides } from '../../../src/transforms/ref.js'
import { tma, type TmaEntry } from '../../transforms/captured.js'
import { logged, type Logged } from '../machine/machine-samples.js'
import { sampled } from '../../extent.js'
import { code, right } from '../../either.js'

interface Entry extends TmaEntry {
  readonly box_bytes: number
  readonly expect_tx?: number
  readonly phase0_complete?: number
  readonly after_completing_all_but_16_of_extra?: number
  readonly after_completing_last_16?: number
  readonly complete0?: number
  readonly complete1?: number
}
const captured = tma()
const entries = captured.entries as ReadonlyArray<Entry>
const { bin } = captured
const bitwise = bits('hopper')
const spanOf = (e: Entry): 16 | 32 | 64 | 128 => ([16, 32, 64, 128] as const)[e.swizzle]!

/** The captures that fill with NaN are of floats of the same width. */
const dtypeOf = (e: Entry): Dtype =>
  e.element_bytes === 1
    ? 'u8'
    : e.element_bytes === 2
      ? e.oob_nan
        ? 'f16'
        : 'u16'
      : e.oob_nan
        ? 'f32'
        : 'u32'
const isStore = (e: Entry): boolean => e.kind === 1 || e.kind === 4
const elements = (e: Entry): number => e.dims.reduce((n, d) => n * d, 1)
const globalValue = (e: Entry, i: number): number =>
  e.element_bytes === 1
    ? (i * 167 + (i >> 8) * 59 + 13) & 255
    : e.element_bytes === 2
      ? (i + 1) & 0xffff
      : i + 1
const untouched = (e: Entry): number => [0xee, 0xeeee, 0, 0xeeeeeeee][e.element_bytes - 1]!

/** Bytes of shared memory that the program looks at. */
const imageBytes = (e: Entry): number => {
  const rows = e.box_bytes / (e.box[0]! * e.element_bytes)
  const pitch = e.swizzle === 0 ? e.box[0]! * e.element_bytes : spanOf(e)
  return 1024 * Math.ceil((e.smem_offset + rows * pitch + 1) / 1024)
}

const outermostFirst = (xs: ReadonlyArray<number>): ReadonlyArray<number> => [...xs].reverse()

/** Init, prefill, copy, wait. Not validated: a captured fault is to be found by the machine. */
const program = (e: Entry): E.Either<{ readonly code: string; readonly message: string }, Program> =>
  B.draft(
    {
      name: e.name,
      arch: 'sm90a',
      grid: e.kind === 3 ? [2] : [1],
      cluster: e.kind === 3 ? [2] : [1],
      agents: [B.warpgroup('wg', 0)],
    },
    function* () {
      const dtype = dtypeOf(e)
      const tensor = yield* B.tensorParam('tensor', dtype, outermostFirst(e.dims), {
        role: isStore(e) ? 'inout' : 'in',
      })
      const map = yield* B.descriptorParam('map', tensor, outermostFirst(e.box), {
        swizzle: spanOf(e),
        fill: e.oob_nan ? 'nan' : 'zero',
        elementStrides: outermostFirst(e.element_strides),
      })
      const n = imageBytes(e)
      const image = yield* B.sharedMemory('image', 'u8', [n], [], { align: 1024 })
      const full = yield* B.barriers('full', [])
      const number = e.element_bytes === 1 ? e.box_bytes : e.box_bytes / e.element_bytes
      const box = X.reinterpret(
        X.slice(image, [X.i32(e.smem_offset)], [Math.min(e.box_bytes, n - e.smem_offset)]),
        dtype,
        right(ofStrides([number], bitsOf(dtype), [1])),
      )
      const i = X.iota<1>([n], 0)
      const constant = (x: number): X.Tile<'i32', 1> => X.splat<'i32', 1>(X.i32(x), [n])
      const value = isStore(e)
        ? X.and(
            X.add(X.add(X.mul(i, constant(73)), X.mul(X.shrU(i, constant(8)), constant(31))), constant(7)),
            constant(255),
          )
        : constant(0xee)
      yield* B.run('init', { _tag: 'mbarrier.init', barrier: full, count: 1 })
      yield* B.run('prefill', { _tag: 'smem.store', destination: image, value })
      yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
      const coords = outermostFirst(e.coords).map(X.i32)
      if (isStore(e)) {
        yield* B.run('store', { _tag: 'tma.store', descriptor: map, coords, source: box })
        yield* B.run('commit', { _tag: 'bulk.commitGroup' })
        yield* B.run('wait', { _tag: 'bulk.waitGroup', pending: 0, read: false })
        return
      }
      yield* B.run('arrive', {
        _tag: 'mbarrier.arriveExpectTx',
        barrier: full,
        bytes: X.i32(e.expect_tx ?? e.box_bytes),
        release: true,
        scope: 'cta',
      })
      if (e.kind === 3) {
        yield* B.run('cluster arrive', { _tag: 'cluster.arrive', relaxed: false })
        yield* B.run('cluster wait', { _tag: 'cluster.wait' })
        yield* B.run(
          'load',
          {
            _tag: 'tma.load',
            descriptor: map,
            coords,
            destination: box,
            barrier: full,
            multicast: X.i32(3),
            ctaGroup: 1,
          },
          { when: X.eq(X.place('ctaRank'), X.i32(0)) },
        )
      } else
        yield* B.run('load', {
          _tag: 'tma.load',
          descriptor: map,
          coords,
          destination: box,
          barrier: full,
          ctaGroup: 1,
        })
      yield* B.run('wait', {
        _tag: 'mbarrier.wait',
        barrier: full,
        parity: X.i32(0),
        acquire: true,
        scope: 'cta',
      })
    },
  )

const ran = (e: Entry, policy: Policy.AnyPolicy): Logged => {
  const data = Float64Array.from({ length: elements(e) }, (_, i) =>
    e.kind === 1 ? untouched(e) : globalValue(e, i),
  )
  const l = right(
    launch(right(program(e)), bitwise, { scalars: new Map(), tensors: new Map([['tensor', data]]) }),
  )
  return logged(l, policy)
}

const sharedBytes = (world: World, m: Machine, cta: number, n: number): Buffer => {
  const s = world.storages.get('image')!
  const addresses = Int32Array.from({ length: n }, (_, i) => s.offset + i)
  return Buffer.from(
    Plane.read(m.planes[s.plane + cta * world.planesPerCta]!, Plane.cells('u8', addresses)).data!,
  )
}
const tensorBytes = (e: Entry, world: World, m: Machine): Buffer => {
  const out = Buffer.alloc(elements(e) * e.element_bytes)
  readTensor(world, m, 'tensor')!.forEach((x, i) => {
    for (let b = 0; b < e.element_bytes; b++) out[i * e.element_bytes + b] = Math.floor(x / 256 ** b) % 256
  })
  return out
}
const image = (e: Entry): Buffer => bin.subarray(e.bin_offset, e.bin_offset + e.bin_bytes)
const shown = (e: Entry): string => `${String(e.id)} ${e.name}`
const of = (kind: number, status: string): ReadonlyArray<Entry> =>
  entries.filter((e) => e.kind === kind && e.status.startsWith(status))

describe('law 1 on silicon', () => {
  test.each([0, 3] as const)('loads of kind %i: every image, and the phase ends', (kind) => {
    const all = sampled(kind === 0 ? 4 : 1, of(kind, 'ok'))
    expect(all.length).toBeGreaterThan(0)
    for (const [k, e] of all.entries()) {
      const r = ran(e, k % 2 === 0 ? Policy.lazy : Policy.seeded(e.id))
      expect(r.outcome, shown(e)).toEqual({ _tag: 'completed' })
      const n = kind === 3 ? e.bin_bytes / 2 : e.bin_bytes
      const images = (kind === 3 ? [0, 1] : [0]).map((cta) =>
        sharedBytes(r.launched.world, r.machine, cta, n),
      )
      expect(Buffer.concat(images).equals(image(e)), shown(e)).toBe(true)
      expect(kind === 3 ? [e.complete0, e.complete1] : [e.phase0_complete], shown(e)).toEqual(
        images.map(() => 1),
      )
    }
  })

  test('loads that expect more: the image is there, the phase waits for the last of the other bytes', () => {
    const all = of(2, 'ok')
    expect(all.length).toBe(7)
    for (const e of all) {
      const r = ran(e, Policy.eager)
      expect(r.outcome, shown(e)).toEqual({ _tag: 'stuck' })
      expect(sharedBytes(r.launched.world, r.machine, 0, e.bin_bytes).equals(image(e)), shown(e)).toBe(true)
      const b = r.machine.barriers[0]!
      const extra = e.expect_tx! - e.box_bytes
      expect([b.completed, b.tx], shown(e)).toEqual([e.phase0_complete, extra])
      const nearly = update(b, 0, 16 - extra)
      if (isTrap(nearly)) throw new Error(nearly)
      expect(nearly.completed).toBe(e.after_completing_all_but_16_of_extra)
      const whole = update(nearly, 0, -16)
      if (isTrap(whole)) throw new Error(whole)
      expect(whole.completed).toBe(e.after_completing_last_16)
    }
  })

  test('stores: the whole tensor afterwards', () => {
    const all = of(1, 'ok')
    expect(all.length).toBe(8)
    for (const e of all) {
      const r = ran(e, Policy.lazy)
      expect(r.outcome, shown(e)).toEqual({ _tag: 'completed' })
      expect(tensorBytes(e, r.launched.world, r.machine).equals(image(e)), shown(e)).toBe(true)
    }
  })
})

describe('law 2 on silicon', () => {
  const faults = entries.filter((e) => e.kind !== 4 && e.status.startsWith('fault'))
  test(`every captured fault is a fault: ${String(faults.length)}`, () => {
    for (const e of sampled(5, faults)) {
      const r = ran(e, Policy.eager)
      expect(r.outcome, shown(e)).toMatchObject({ _tag: 'fault', fault: { kind: 'invalid', code: 'A4' } })
    }
  })

  test('every map that the driver refused is refused by validation', () => {
    const refused = entries.filter((e) => e.status === 'encode refused')
    expect(refused.length).toBe(2)
    for (const e of refused) expect(code(E.chainW(validate)(program(e))), shown(e)).toBe('A4')
  })

  test('every capture is covered, but for reductions, which the machine says it does not execute', () => {
    expect(entries.length).toBe(
      [0, 1, 2, 3].reduce((n, k) => n + of(k, 'ok').length, 0) +
        faults.length +
        2 +
        entries.filter((e) => e.kind === 4).length,
    )
  })
})

describe('beyond the capture', () => {
  const load = entries.find((e) => e.status === 'ok' && e.kind === 0)!
  test('a mask with a CTA that is not in the cluster is a fault', () => {
    const p = right(program({ ...load, kind: 3, bin_bytes: 2 * load.bin_bytes }))
    const alone: Program = { ...p, launch: { ...p.launch, grid: [X.i32(1)], cluster: [1] } }
    const l = right(launch(alone, bitwise, { scalars: new Map(), tensors: new Map() }))
    expect(logged(l, Policy.eager).outcome).toMatchObject({ _tag: 'fault', fault: { code: 'I2' } })
  })

  test('an integer tensor has no NaN to fill with', () => {
    const p = right(program(load))
    const params = p.params.map((q) => (q._tag === 'descriptor' ? { ...q, fill: 'nan' as const } : q))
    expect(code(launch({ ...p, params }, bitwise, { scalars: new Map(), tensors: new Map() }))).toBe(
      'launch.descriptor',
    )
  })
})
