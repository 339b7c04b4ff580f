/** Lanes that reach into several memories in any order: each stores and loads as it would alone, on plain arrays. */
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { prop } from '../../prop.js'
import { programOf } from '../../dialects/ptx/small-text.js'

const names = ['a', 'b', 'c', 'd'] as const
const bytes = 256

/** Lane t of those from `first` on stores t at word t of the tensor (t x + y) mod 3, and brings into d[t] word 32 + (t z mod 32) of the tensor (t u + v) mod 3. */
const kernel = (first: number, x: number, y: number, z: number, u: number, v: number): string => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(${names.map((n) => `.param .u64 ${n}`).join(', ')}) {
  .reg .pred %p, %q;
  .reg .b32 %t, %i, %w;
  .reg .b64 %a, %b, %c, %d, %to, %l;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %c, [c];
  ld.param.u64 %d, [d];
  mov.u32 %t, %tid.x;
  setp.ge.u32 %q, %t, ${String(first)};
${[
  [x, y],
  [u, v],
]
  .map(
    ([by, from], turn) => `
  mad.lo.u32 %i, %t, ${String(by)}, ${String(from)};
  rem.u32 %i, %i, 3;
  setp.eq.u32 %p, %i, 0;
  selp.b64 %to, %a, %b, %p;
  setp.eq.u32 %p, %i, 2;
  selp.b64 %to, %c, %to, %p;
  mul.lo.u32 %i, %t, ${String(turn === 0 ? 1 : z)};
  and.b32 %i, %i, 31;
  mul.wide.u32 %l, %i, 4;
  add.u64 %to, %to, %l;
  ${turn === 0 ? '@%q st.global.u32 [%to], %t;' : '@%q ld.global.u32 %w, [%to+128];'}`,
  )
  .join('')}
  mul.wide.u32 %l, %t, 4;
  add.u64 %to, %d, %l;
  @%q st.global.u32 [%to], %w;
  exit;
}
`

const some = fc.nat(6)
prop([fc.nat(31), some, some, some, some, some], { numRuns: nightly ? 12 : 4 })(
  'stores and loads lane by lane',
  (first, x, y, z, u, v) => {
    const program = programOf(kernel(first, x, y, z, u, v))
    const held = names.map((_, n) => Uint32Array.from({ length: bytes / 4 }, (__, i) => 1000 * (n + 1) + i))
    const { world, machine, planeOf } = right(
      launchWarps(
        program,
        {
          grid: [1],
          block: [32],
          cluster: null,
          dynamicBytes: 0,
          parameters: new Uint8Array(8 * names.length),
          pointers: names.map((tensor, n) => ({ offset: 8 * n, tensor })),
          tensors: names.map((name, n) => ({
            name,
            role: 'inout' as const,
            contents: new Uint8Array(held[n]!.slice().buffer),
            bytes,
            elements: null,
            symbol: null,
          })),
          sharedBase: usualSharedBase,
        },
        bits('hopper'),
      ),
    )
    const { outcome, steps, machine: after } = run(world, machine, settings(eager), ignore)
    expect(outcome._tag).toBe('completed')
    // one event for each memory that an instruction reaches into
    const reached = (by: number, from: number): number =>
      new Set(Array.from({ length: 32 - first }, (_, i) => ((first + i) * by + from) % 3)).size
    expect(steps).toBe(reached(x, y) + reached(u, v) + 1)
    for (let t = first; t < 32; t++) held[(t * x + y) % 3]![t] = t
    for (let t = first; t < 32; t++) held[3]![t] = held[(t * u + v) % 3]![32 + ((t * z) % 32)]!
    names.forEach((name, n) => {
      const left = new Uint8Array(bytes)
      Plane.copyOut(after.planes[planeOf.get(name)!]!, 0, bytes, left)
      expect([...new Uint32Array(left.buffer)]).toEqual([...held[n]!])
    })
    return true
  },
)
