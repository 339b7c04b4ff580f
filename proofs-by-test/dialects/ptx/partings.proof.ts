/**
 * Partings: where all threads of a block come by. The oracle enumerates the ways through a text without loops: threads that differ in every branch can go any of them, so all threads come by a
 * statement just where every way does.
 */
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { codeOf, meetingAt, meetingOf, parseModule, type Code } from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'

const textOf = (lines: string): string => `.version 8.7
.target sm_90a
.address_size 64
.entry k(.param .u32 n) {
.reg .pred %p<9>; .reg .b32 %r<9>;
${lines}
}`
const code = (lines: string): Code => right(codeOf(right(parseModule(textOf(lines)))))[0]!
const numberOf = (c: Code, opcode: string): number =>
  c.instructions.findIndex(({ instruction }) => instruction.opcode === opcode)

// ---------------------------------------------------------------- ways through a text

/** Forward branches by a predicate that differs; each entry is how many instructions it passes over, 0 for none. */
const forward = (skips: ReadonlyArray<number>): string =>
  [
    'mov.u32 %r1, %tid.x; setp.eq.s32 %p1, %r1, 0;',
    ...skips.map((skip, k) => {
      const to = k + 1 + skip
      return `a${String(k)}: ${skip === 0 ? 'add.s32 %r2, %r2, 1;' : `@%p1 bra ${to >= skips.length ? 'end' : `a${String(to)}`};`}`
    }),
    'end: ret;',
  ].join('\n')

/** All ways, each as the set of what it comes by. */
const waysThrough = (skips: ReadonlyArray<number>, k = 0): ReadonlyArray<ReadonlySet<number>> =>
  k >= skips.length
    ? [new Set()]
    : [...new Set([k + 1, k + 1 + skips[k]!])].flatMap((next) =>
        waysThrough(skips, Math.min(next, skips.length)).map((way) => new Set([k, ...way])),
      )

const texts = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4 })), {
  minLength: 1,
  maxLength: 9,
})

test('law 1: a statement that every way comes by is on no way of a parting, and no other', () => {
  fc.assert(
    fc.property(texts, (skips) => {
      const c = code(forward(skips))
      const ways = waysThrough(skips)
      const before = 2
      skips.forEach((_, k) => {
        const reached = ways.filter((way) => way.has(k))
        if (reached.length === 0) return
        const found = meetingOf(c, before + k, before + k)
        // a branch has a guard of its own, which is not asked about
        if (skips[k] !== 0) return
        expect(found._tag).toBe(reached.length === ways.length ? 'between' : 'inside')
      })
    }),
  )
})

test('law 2: a block, a parameter and what is computed from them part nobody', () => {
  const c = code(`
    mov.u32 %r1, %ctaid.x; ld.param.u32 %r2, [n]; add.s32 %r3, %r1, %r2; setp.eq.s32 %p1, %r3, 0;
    @%p1 bra over; shl.b32 %r4, %r1, 1; over: ret;`)
  expect(meetingOf(c, numberOf(c, 'shl.b32'), numberOf(c, 'ret'))).toEqual({ _tag: 'between', outside: [] })
})

test.each(['bar.red.popc.u32 %r3, 0, %p3;', 'barrier.cta.red.popc.u32 %r3, 0, %p3;'])(
  'law 2: what a barrier counts is the same for all, whatever it counts: %s',
  (counts) => {
    const c = code(`
      mov.u32 %r1, %tid.x; setp.eq.s32 %p3, %r1, 0; ${counts} setp.eq.s32 %p1, %r3, 0;
      @%p1 bra over; shl.b32 %r4, %r1, 1; over: ret;`)
    expect(meetingOf(c, numberOf(c, 'shl.b32'), numberOf(c, 'ret'))).toEqual({ _tag: 'between', outside: [] })
  },
)

describe('threads differ', () => {
  it.each([
    ['in their number', 'mov.u32 %r1, %tid.x;'],
    ['in their lane, and in what is computed from it', 'mov.u32 %r2, %laneid; add.s32 %r1, %r2, 7;'],
    ['in what an exchange of lanes gives', 'shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;'],
    [
      'in what only some of them write',
      'mov.u32 %r3, %tid.x; setp.eq.s32 %p2, %r3, 0; @%p2 bra some; mov.u32 %r1, 5; some:',
    ],
  ])('%s', (_, made) => {
    const c = code(`${made} setp.lt.s32 %p1, %r1, 3; @%p1 bra over; shl.b32 %r4, %r1, 1; over: ret;`)
    expect(meetingOf(c, numberOf(c, 'shl.b32'), numberOf(c, 'shl.b32'))._tag).toBe('inside')
  })
})

describe('a barrier between two', () => {
  const roles = `mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 32; @%p1 bra other;
    shl.b32 %r2, %r1, 1; shr.u32 %r3, %r1, 1; bra end; other: not.b32 %r4, %r1; end: ret;`
  it('on one way is for those who take it', () => {
    const c = code(roles)
    expect(meetingOf(c, numberOf(c, 'shl.b32'), numberOf(c, 'shr.u32'))).toEqual({
      _tag: 'inside',
      branch: numberOf(c, 'bra'),
      outside: [],
    })
  })
  it('on two ways of one branch fits on neither', () => {
    const c = code(roles)
    expect(meetingOf(c, numberOf(c, 'shl.b32'), numberOf(c, 'not.b32'))._tag).toBe('apart')
  })
  it('can stand where a loop around both turns', () => {
    const c = code(`mov.u32 %r5, 0; again:
      mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 32; @%p1 bra other;
      shl.b32 %r2, %r1, 1; bra meet; other: not.b32 %r4, %r1; meet:
      add.s32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, 9; @%p2 bra again; ret;`)
    expect(meetingOf(c, numberOf(c, 'shl.b32'), numberOf(c, 'not.b32'))._tag).toBe('between')
  })
  it('in nested branches stays out of the outermost that only one is in', () => {
    const c = code(`mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 32; @%p1 bra role; bra end;
      role: setp.eq.s32 %p2, %r1, 0; @!%p2 bra meet;
      setp.eq.s32 %p3, %r1, 1; @!%p3 bra meet;
      shl.b32 %r2, %r1, 1; meet: not.b32 %r4, %r1; end: ret;`)
    const branches = c.instructions.flatMap(({ instruction, guard }, k) =>
      instruction.opcode === 'bra' && guard !== null ? [k] : [],
    )
    expect(meetingOf(c, numberOf(c, 'shl.b32'), numberOf(c, 'not.b32'))).toEqual({
      _tag: 'inside',
      branch: branches[0],
      outside: [branches[1]],
    })
  })
  it('says the lines of the branches', () => {
    const m = right(
      parseModule(
        textOf(
          'mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 32;\n@%p1 bra over;\nshl.b32 %r2, %r1, 1;\nover: not.b32 %r4, %r1; ret;',
        ),
      ),
    )
    const c = right(codeOf(m))[0]!
    const at = (opcode: string) => c.instructions[numberOf(c, opcode)]!.instruction.at
    expect(meetingAt(m, 'k.ptx', at('shl.b32'), at('not.b32'))).toEqual({
      _tag: 'between',
      outside: ['k.ptx:7'],
    })
  })
})
