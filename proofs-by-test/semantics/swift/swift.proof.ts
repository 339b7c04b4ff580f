/** Launches without a log: what an H100 left of its kernels, what a run by definition touches, and what is given up. */
import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { rest, scalarOperation, scalarOperations } from '../../../src/numerics/scalar/index.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { run, settings } from '../../../src/semantics/execution/run.js'
import { touched, type Touch } from '../../../src/semantics/host/touched.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { isSwift, swiftly } from '../../../src/semantics/swift/index.js'
import { computing, lanesOf, registers } from '../../../src/semantics/swift/lanes.js'
import { argumentsOf } from '../../dialects/ptx/runs.js'
import { fileText, held, kernelNames, launchOf } from '../../dialects/ptx/cuda.js'
import { right } from '../../either.js'
import { prop } from '../../prop.js'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const most = 10_000_000

const textOf = ({ plane, site, rw, atomic, spans }: Touch): string =>
  `${String(plane)} ${String(site)} ${rw} ${String(atomic)}: ${spans.join()}`

const kernelOf = (kernel: string) => {
  const module = right(parseModule(fileText(`${kernel}/${kernel}.ptx`)))
  const { program, parameters } = right(elaborate(module, null, `${kernel}.ptx`))
  return { program, arguments: argumentsOf(kernel, parameters) }
}

/** Kernels that are executed without a log. */
const swift = kernelNames.filter((kernel) => isSwift(kernelOf(kernel).program))

describe('outputs of an H100', () => {
  it('kernels of plain instructions are among them', () => {
    expect(swift).toEqual(
      expect.arrayContaining([
        'aggregate',
        'calls',
        'collatz',
        'histogram',
        'last_block',
        'matmul_f32',
        'softmax',
      ]),
    )
  })
  for (const kernel of swift)
    it(kernel, () => {
      const { program, arguments: given } = kernelOf(kernel)
      const launched = right(launchWarps(program, given, bits('hopper')))
      const planes = launched.world.header.planes
      const done = swiftly(
        launched,
        planes.map(() => null),
        most,
      )
      const { machine, outcome, result } = run(
        launched.world,
        launched.machine,
        settings(eager),
        touched({ waits: null, written: planes.map(() => null) }),
      )
      if (done === null) throw new Error(`given up: ${outcome._tag}`)
      for (const output of launchOf(kernel).outputs) {
        const expected = new Uint8Array(held(kernel, `${output}.npy`).bytes)
        const found = new Uint8Array(expected.length)
        const plane = launched.planeOf.get(output)!
        Plane.copyOut(done.planes.get(plane) ?? machine.planes[plane]!, 0, found.length, found)
        expect(hex(found)).toBe(hex(expected))
      }
      expect(done.touches.map(textOf).sort()).toEqual(result.touches.map(textOf).sort())
    })
})

describe('law 2: nothing is said of a launch', () => {
  const head = `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 y)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 s[128];
  ld.param.u64 %rd1, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r4, s;
  setp.lt.u32 %p1, %r1, 16;
`
  const saidOf = (body: string): boolean => {
    const { program, parameters } = right(
      elaborate(right(parseModule(`${head}${body}\n  ret;\n}\n`)), null, 'k.ptx'),
    )
    const bytes = new Uint8Array(program.parameterBytes)
    new DataView(bytes.buffer).setUint32(parameters[0]!.offset + 4, 0x7f000000, true)
    const launched = right(
      launchWarps(
        program,
        {
          grid: [1],
          block: [32],
          cluster: null,
          dynamicBytes: 0,
          parameters: bytes,
          pointers: [],
          tensors: [],
          held: [
            {
              name: 'y',
              region: 0,
              bytes: 128,
              holds: Plane.ofBytes(new Uint8Array(128), true),
              ofHost: false,
              symbol: null,
            },
          ],
          sharedBase: 1024,
        },
        bits('hopper'),
      ),
    )
    return (
      swiftly(
        launched,
        launched.world.header.planes.map(() => null),
        most,
      ) !== null
    )
  }
  it('that is right, it is', () => {
    expect(saidOf('st.global.u32 [%rd3], %r1;')).toBe(true)
    expect(saidOf('@%p1 mov.u32 %r2, 7;\n@%p1 st.global.u32 [%rd3], %r2;')).toBe(true)
    expect(
      saidOf('st.shared.u32 [%r4], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [%r4];\nst.global.u32 [%rd3], %r2;'),
    ).toBe(true)
  })
  it('that stores what nothing has written, or branches by it', () => {
    expect(saidOf('st.global.u32 [%rd3], %r2;')).toBe(false)
    expect(saidOf('@%p1 mov.u32 %r2, 7;\nst.global.u32 [%rd3], %r2;')).toBe(false)
    expect(saidOf('ld.shared.u32 %r2, [%r4];\nst.global.u32 [%rd3], %r2;')).toBe(false)
    expect(saidOf('@%p2 bra L;\nst.global.u32 [%rd3], %r1;\nL:')).toBe(false)
  })
  it('that leaves its memory, misses a multiple, or stands at a barrier that nobody closes', () => {
    expect(saidOf('st.global.u32 [%rd3+4], %r1;')).toBe(false)
    expect(saidOf('st.global.u32 [%rd3+2], %r1;')).toBe(false)
    expect(saidOf('bar.sync 1, 64;')).toBe(false)
    expect(saidOf('trap;')).toBe(false)
  })
})

describe('one operation in lanes', () => {
  const word = fc.oneof(
    fc.integer({ min: -0x80000000, max: 0x7fffffff }),
    fc.constantFrom(
      0,
      1,
      -1,
      31,
      32,
      0x7f800000,
      0x7fc00001,
      -0x80000000,
      0x00000001,
      0x3f800000,
      0x33800000,
    ),
  )
  const names = scalarOperations.map(({ name }) => name)
  const places = (types: ReadonlyArray<string>, row: number): ReadonlyArray<number> => {
    const out: number[] = []
    types.forEach((type) => {
      if (type === 'pred') out.push(-1 - (row + out.length))
      else for (let k = /^.?(64|ue8m0x4)$/u.test(type) ? 2 : 1; k > 0; k--) out.push(row + out.length)
    })
    return out
  }
  prop([fc.constantFrom(...names), fc.array(word, { minLength: 16, maxLength: 16 }), fc.integer()])(
    'law 1: each lane has what its operation of numerics/scalar says, and the others what they had',
    (name, words, mask) => {
      const operation = scalarOperation(name)!
      const from = places(operation.operands, 0)
      const to = places(operation.results, 10)
      const r = registers(16, 16)
      for (let row = 0; row < 16; row++)
        for (let lane = 0; lane < 32; lane++) r.words[row * 32 + lane] = words[(row + 5 * lane) % 16]!
      for (let p = 0; p < 16; p++) r.predicates[p] = words[p]!
      const before = { words: r.words.slice(), predicates: r.predicates.slice() }
      const at = (w: Int32Array, p: Int32Array, place: number, lane: number): number =>
        place >= 0 ? w[place * 32 + lane]! : (p[-1 - place]! >>> lane) & 1
      computing(name, from, to)!(r, lanesOf(mask))
      for (let lane = 0; lane < 32; lane++) {
        const first = operation.compute(
          ...from.map((place) => at(before.words, before.predicates, place, lane)),
        )
        const all = [first, rest[0]!, rest[1]!, rest[2]!]
        to.forEach((place, k) => {
          const isThere = ((mask >>> lane) & 1) === 1
          const was = at(before.words, before.predicates, place, lane)
          const wanted = isThere ? (place < 0 ? (all[k] === 0 ? 0 : 1) : all[k]! | 0) : was
          if (at(r.words, r.predicates, place, lane) !== wanted)
            expect([name, lane, k, at(r.words, r.predicates, place, lane)]).toEqual([name, lane, k, wanted])
        })
      }
      return true
    },
  )
  it('operations with a loop of their own', () => {
    for (const name of ['fma.rn.f32', 'mul.wide.u32', 'add.s64', 'setp.lt.u32', 'selp.b32', 'div.rn.f32'])
      expect(names).toContain(name)
  })
})
