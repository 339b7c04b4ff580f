/** setmaxnreg, as the assembler settles what a thread begins with; griddepcontrol and cache policies, which change nothing. */
import { describe, expect, test } from 'vitest'
import { eager, lazy } from '../../../src/semantics/execution/policy.js'
import { verdictOfText } from './launched-text.js'
import { programOf } from './small-text.js'

const text = (directives: string, body: string): string => `
.version 8.8
.target sm_90a
.address_size 64
.visible .entry k()
${directives}
{
.reg .pred %p;
.reg .b32 %t;
.reg .b64 %d;
mov.u32 %t, %tid.x;
setp.ge.u32 %p, %t, 128;
@%p bra CONSUMER;
${body}
ret;
}
`
const two = (down: number, up: number): string =>
  `setmaxnreg.dec.sync.aligned.u32 ${String(down)};\nret;\nCONSUMER:\nsetmaxnreg.inc.sync.aligned.u32 ${String(up)};`

const verdictOf = (source: string, threads: number, policy = eager) =>
  verdictOfText(source, { threads }, { policy, provenance: false, explore: false })

describe('what a thread begins with', () => {
  // ptxas 13.0 -v for sm_90a of a kernel with these directives: `Used n registers`; none: `setmaxnreg ignored`
  const seen: ReadonlyArray<readonly [string, number, number | null]> = [
    ['', 232, null],
    ['.maxntid 384, 1, 1', 232, null],
    ['.minnctapersm 1', 232, null],
    ['.reqntid 384', 232, null],
    ['.maxnreg 100', 232, 100],
    ['.maxnreg 168', 232, 168],
    ['.maxntid 384 .maxnreg 160', 232, 160],
    ['.reqntid 384 .minnctapersm 1', 232, 168],
    ['.maxntid 128, 1, 1 .minnctapersm 1', 232, 232],
    ['.maxntid 256, 1, 1 .minnctapersm 1', 232, 232],
    ['.maxntid 256, 1, 1 .minnctapersm 1', 240, 240],
    ['.maxntid 256, 1, 1 .minnctapersm 1', 64, 64],
    ['.maxntid 256, 1, 1 .minnctapersm 2', 232, 128],
    ['.maxntid 160, 1, 1 .minnctapersm 1', 232, 232],
    ['.maxntid 288, 1, 1 .minnctapersm 1', 232, 168],
    ['.maxntid 384, 1, 1 .minnctapersm 1', 232, 168],
    ['.maxntid 384, 1, 1 .minnctapersm 2', 232, 80],
    ['.maxntid 384, 1, 1 .minnctapersm 3', 232, 56],
    ['.maxntid 512, 1, 1 .minnctapersm 1', 232, 128],
    ['.maxntid 640, 1, 1 .minnctapersm 1', 232, 96],
    ['.maxntid 896, 1, 1 .minnctapersm 1', 232, 72],
    ['.maxntid 1024, 1, 1 .minnctapersm 1', 232, 64],
    ['.maxntid 128, 1, 1 .minnctapersm 3', 232, 168],
    ['.maxntid 192, 1, 1 .minnctapersm 2', 232, 168],
    ['.maxntid 64, 1, 1 .minnctapersm 2', 232, 232],
  ]
  test.each(seen)('%s, at most %i', (directives, up, expected) => {
    expect(programOf(text(directives, two(40, up))).registers).toBe(expected)
  })
})

describe('setmaxnreg', () => {
  const bounds = '.maxntid 384, 1, 1\n.minnctapersm 1'
  test('what fits is ok in every order', () => {
    for (const policy of [eager, lazy])
      expect(verdictOf(text(bounds, two(40, 232)), 384, policy).verdict).toBe('ok')
  })
  test('what is never there is waited for, at its line', () => {
    const v = verdictOf(text(bounds, two(40, 248)), 384)
    expect(v.verdict).toBe('deadlock')
    expect(v.waitFor.join(' ')).toMatch(/k\.ptx:18/u)
  })
  test('a decrease to more, and some lanes alone', () => {
    expect(verdictOf(text(bounds, two(200, 232)), 384).reason).toMatch(/A2.*cannot decrease/u)
    const some = 'setp.lt.u32 %p, %t, 7;\n@%p setmaxnreg.dec.sync.aligned.u32 40;\nCONSUMER:'
    expect(verdictOf(text(bounds, some), 384).reason).toMatch(/warp\.aligned/u)
  })
  test('without a count it does nothing, and the verdict says so', () => {
    const v = verdictOf(text('', two(40, 248)), 384)
    expect([v.verdict, v.scope.some((s) => s.startsWith('setmaxnreg'))]).toEqual(['ok', true])
    expect(verdictOf(text(bounds, two(40, 232)), 384).scope.join()).not.toMatch(/setmaxnreg/u)
  })
})

test('griddepcontrol does nothing, and the verdict says so', () => {
  const v = verdictOf(text('', 'griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\nCONSUMER:'), 256)
  expect([v.verdict, v.scope.some((s) => s.includes('griddepcontrol'))]).toEqual(['ok', true])
  expect(verdictOf(text('', 'CONSUMER:'), 256).scope.join()).not.toMatch(/griddepcontrol/u)
})

test('cache policies are known values', () => {
  const policies = [
    'createpolicy.fractional.L2::evict_first.b64 %d, 0.5;',
    'createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d;',
    'createpolicy.cvt.L2.b64 %d, 0x1000;',
  ]
  for (const made of policies) {
    const used = 'cvt.u32.u64 %t, %d;\nsetp.eq.u32 %p, %t, 0;\n@%p bra CONSUMER;\ntrap;\nCONSUMER:'
    expect(verdictOf(text('', `${made}\n${used}`), 32).verdict).toBe('ok')
  }
})
