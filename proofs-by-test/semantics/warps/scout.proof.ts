/**
 * The mbarriers that a launch knows before it runs: those that a run of the whole program initialises, whether the scout's run is short or not.
 *
 * Oracle: the events of the whole run.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import type { WarpProgram } from '../../../src/semantics/warps/program.js'
import { scoutOf } from '../../../src/semantics/warps/scout.js'
import { productsSteer } from '../../../src/semantics/warps/steering.js'
import { right } from '../../either.js'
import { moduleOf, programOf } from '../../dialects/ptx/small-text.js'

/** Two warps; the body knows %t, the thread, and three mbarriers. */
const kernel = (body: string): WarpProgram =>
  programOf(
    moduleOf(
      ['x'],
      `.reg .pred %p, %q, %done;
.reg .b32 %t, %w, %a;
.reg .b64 %g;
.shared .align 8 .b8 bars[24];
.shared .align 8 .b8 word[8];
ld.param.u64 %g, [x];
mov.u32 %t, %tid.x;
setp.eq.u32 %p, %t, 0;
setp.lt.u32 %q, %t, 32;
@%p mbarrier.init.shared::cta.b64 [bars], 1;
bar.sync 0;
${body}
ret;`,
    ),
  )

/** Bytes of the mbarriers that are known, and of those that the run initialises. */
const barriersOf = (
  program: WarpProgram,
  grid = 1,
): readonly [known: ReadonlyArray<number>, made: ReadonlyArray<number>] => {
  const { world, machine } = right(
    launchWarps(
      program,
      {
        grid: [grid],
        block: [64],
        cluster: null,
        dynamicBytes: 0,
        parameters: new Uint8Array(8),
        pointers: [{ offset: 0, tensor: 'x' }],
        tensors: [
          {
            name: 'x',
            role: 'in',
            contents: new Uint8Array([1, 0, 0, 0]),
            bytes: 4,
            elements: null,
            symbol: null,
          },
        ],
        sharedBase: usualSharedBase,
      },
      bits('hopper'),
    ),
  )
  const { outcome, result } = run(world, machine, settings(eager), collect)
  expect(outcome._tag).toBe('completed')
  const made = result.flatMap((e) =>
    e._tag === 'barrier' && e.kind === 'init' ? [world.header.barriers[e.barrier]!.address!] : [],
  )
  return [world.header.barriers.map(({ address }) => address!), [...new Set(made)].sort((x, y) => x - y)]
}

describe('what is known before the run', () => {
  it.each([
    ['nothing follows', '', true],
    ['the rest is left out', 'LOOP: add.u32 %t, %t, 1; setp.lt.u32 %done, %t, 100; @%done bra LOOP;', true],
    [
      'one is made after a wait for a warp that would have ended',
      `@!%q bra OTHER;
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %done, [bars], 0;
@!%done bra WAIT;
@%p mbarrier.init.shared::cta.b64 [bars+8], 1;
bra END;
OTHER: setp.eq.u32 %p, %t, 32;
@%p mbarrier.arrive.shared::cta.b64 _, [bars];
END:`,
      true,
    ],
    [
      'what is loaded decides whether one is made',
      'ld.global.u32 %a, [%g]; setp.eq.u32 %done, %a, 1; and.pred %done, %done, %p; @%done mbarrier.init.shared::cta.b64 [bars+16], 1;',
      false,
    ],
    [
      'a word that another warp stored decides',
      `setp.eq.u32 %done, %t, 32; @%done st.shared.u32 [word], 7; bar.sync 0;
ld.shared.u32 %a, [word]; setp.eq.u32 %done, %a, 7; and.pred %done, %done, %p; @%done mbarrier.init.shared::cta.b64 [bars+8], 1;`,
      false,
    ],
  ])('%s', (_, body, isShorter) => {
    const program = kernel(body)
    const [known, made] = barriersOf(program)
    expect(known).toEqual(made)
    expect(scoutOf(program) !== null).toBe(isShorter)
  })
})

describe('CTAs that are not run by the scout', () => {
  it.each([
    ['all make the same', '', []],
    [
      'one makes another',
      'mov.u32 %a, %ctaid.x; setp.eq.and.u32 %done, %a, 2, %p; @%done mbarrier.init.shared::cta.b64 [bars+8], 1;',
      [8],
    ],
    [
      'each makes one of its own',
      'mov.u32 %a, %ctaid.x; shl.b32 %a, %a, 3; mov.u32 %w, bars; add.u32 %w, %w, %a; @%p mbarrier.init.shared::cta.b64 [%w], 1;',
      [8, 16],
    ],
  ])('%s', (_, body, more) => {
    const [known, made] = barriersOf(kernel(body), 3)
    expect(known).toEqual(made)
    expect(known.map((at) => at - known[0]!)).toEqual([0, ...more])
  })
})

describe('kernels', () => {
  it.each([
    ['warpgroups/ring/ring', true],
    ['warpgroups/pingpong_matmul/pingpong_matmul', true],
    ['warpgroups/cluster_matmul/cluster_matmul', true],
    // a CTA waits for its turn, which a word of memory says
    ['warpgroups/split_k/split_k', false],
  ])('%s', (name, isShorter) => {
    const program = programOf(
      readFileSync(new URL(`../../../conformance/hopper/${name}.ptx`, import.meta.url), 'utf8'),
    )
    expect(productsSteer(program)).toBe(!isShorter)
    expect(scoutOf(program) !== null).toBe(isShorter)
  })
})
