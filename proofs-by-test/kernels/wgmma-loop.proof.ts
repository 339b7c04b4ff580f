/**
 * wgmma-loop, beyond the laws of every matmul (`matmul-laws/`): what JAX's kernel gave on an H100; the printed loop is rejected, and the finding
 * says why.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { brokenWgmmaLoop, brokenWgmmaLoops } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { wgmmaLoop, wgmmaLoopThat, type WgmmaLoop } from '../../src/kernels/hopper/wgmma-loop.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import { print } from '../../src/semantics/language/print.js'
import { checked } from '../dialects/pallas/programs.js'
import { expectCaptured } from './hopper-forms.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const base: WgmmaLoop = {
  dtype: 'f16',
  m: 64,
  n: 32,
  k: 112,
  tileM: 64,
  tileN: 32,
  tileK: 16,
  stages: 3,
  wgmmaWait: 'implemented',
  explicitWait: true,
}
describe('the corrected loop', () => {
  test('a documented wgmma is an implemented one and wgmma_wait(1): the listings differ in one label', () => {
    const listing = (c: Partial<WgmmaLoop>): string => print(right(wgmmaLoop({ ...base, ...c })))
    expect(
      listing({ wgmmaWait: 'documented', explicitWait: false }).replace('/ wgmma.wait\n', '/ wgmma_wait 1\n'),
    ).toBe(listing({}))
  })
})

describe('captured products', () => {
  const tiles = {
    tileM: 64,
    tileN: 128,
    tileK: 64,
    stages: 3,
    wgmmaWait: 'implemented',
    explicitWait: true,
  } as const
  test('256 x 256 x 256, f16', () => {
    expectCaptured(wgmmaLoop, 'f16', (sizes) => ({ ...sizes, ...tiles }))
  })
  test.skipIf(!nightly)('512 x 512 x 1024, bf16', () => {
    expectCaptured(wgmmaLoop, 'bf16', (sizes) => ({ ...sizes, ...tiles }))
  })
})

describe('broken loops', () => {
  test.each(brokenWgmmaLoops)(
    '$refills, $wgmmaWait, explicit $explicitWait: $verdict, $shows',
    ({ refills, verdict, shows, ...waits }) => {
      for (const stages of [2, 3, 4]) {
        const p = right(wgmmaLoopThat(refills, { ...base, ...waits, stages, k: 16 * (2 * stages + 1) }))
        const v = checked(p, { strict: false }).verdict
        expect([v.verdict, v.decidedBy, v.findings.map((f) => f.id)]).toEqual([
          verdict,
          'one-schedule',
          expect.arrayContaining([...shows]),
        ])
      }
    },
  )
  test('as printed: the finding names the wgmma that still reads the slot, the refill, and the wait between them', () => {
    const p = right(brokenWgmmaLoop({ ...base, wgmmaWait: 'documented', explicitWait: false }))
    const { verdict } = checked(p)
    const f = verdict.findings[0]!
    expect(f).toMatchObject({
      id: 'W3',
      a: { site: 'wgmma', does: expect.stringMatching(/read/) },
      b: { site: 'refill a' },
      missing: { kind: 'group-wait' },
    })
    // one step, one slot: a_smem[1] of (64, 16) f16
    expect([f.a.iteration, f.b?.iteration]).toEqual([[1], [1]])
    expect(f.missing?.text).toMatch(/wgmma group wait that covers `wgmma`.*before `refill a`/)
    const aSmem = p.storage.find((s) => s.id === 'a_smem')!
    const slotBytes = 64 * 16 * 2
    expect(f.place?.spans).toEqual([[aSmem.offset! + slotBytes, aSmem.offset! + 2 * slotBytes]])
    expect(verdict.waitFor[0]).toMatch(/thread@0 is blocked at thread \/ i \/ wait a_loaded \[3\]/)
  })
  test.each([undefined, true])(
    'by its name in the catalogue, explicitWait %s: the same verdict',
    (explicitWait) => {
      const kernel = right(kernelNamed('printed/wgmma-loop'))
      const sizes = { m: 64, n: 32, k: 112, tileM: 64, tileN: 32, tileK: 16, stages: 3 }
      const made = right(
        instanceOf(kernel, explicitWait === undefined ? sizes : { ...sizes, explicitWait }, []),
      )
      expect(made.settings).toMatchObject({ explicitWait: explicitWait ?? false, wgmmaWait: 'implemented' })
      expect(print(made.program)).toBe(
        print(right(brokenWgmmaLoop({ ...base, explicitWait: explicitWait ?? false }))),
      )
      const { verdict } = checked(made.program, { strict: false })
      expect([verdict.verdict, verdict.findings.map((f) => f.id)]).toEqual([
        'deadlock',
        expect.arrayContaining(['W3', 'B5']),
      ])
    },
  )
  test('every schedule rejects it, and every schedule rejects the corrected loop that does not wait', () => {
    for (const refills of ['slot', 'load_slot'] as const) {
      const p = right(wgmmaLoopThat(refills, { ...base, explicitWait: false }))
      for (let seed = 1; seed <= (nightly ? 50 : 10); seed++) {
        const v = checked(p, { policy: Policy.seeded(seed), explain: false }).verdict
        expect([seed, v.verdict, v.findings.map((f) => f.id)]).toEqual([
          seed,
          refills === 'slot' ? 'deadlock' : 'hazard',
          expect.arrayContaining(['W3']),
        ])
      }
    }
  })
})

describe('settings', () => {
  test('the catalogue: nine k steps on four slots, waits on', () => {
    const kernel = right(kernelNamed('wgmma-loop'))
    expect(right(instanceOf(kernel, {}, [])).settings).toEqual({
      ...base,
      m: 256,
      n: 256,
      k: 576,
      tileM: 128,
      tileN: 128,
      tileK: 64,
      stages: 4,
    })
    expect(
      right(instanceOf(kernel, { wgmmaWait: 'documented', explicitWait: false }, [])).settings,
    ).toMatchObject({ wgmmaWait: 'documented', explicitWait: false })
  })
  test.each<readonly [Partial<WgmmaLoop>, RegExp]>([
    [{ tileM: 96 }, /^wgmma-loop: tileM is 96: expected a multiple of 64/],
    [{ tileN: 24 }, /tileN is 24: expected a multiple of 16, a row of the narrowest swizzle/],
    [{ tileK: 24 }, /tileK is 24: expected a multiple of 16/],
    [{ stages: 1 }, /stages is 1: expected 2 to 32/],
    [{ k: 100 }, /k is 100: expected a multiple of tileK, which is 16/],
    [{ n: -1 }, /n is -1: expected a positive integer/],
  ])('refuses %j', (c, message) => {
    expect(wgmmaLoop({ ...base, ...c })).toMatchObject(
      E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
    )
  })
})
