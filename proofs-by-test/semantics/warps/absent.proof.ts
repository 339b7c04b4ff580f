/** What a shuffle gives from lanes that are not there. Oracle: for each kernel whether a word that is stored came from such a lane, by hand. */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { absentAt, came, follow, setAbsent } from '../../../src/semantics/warps/absent.js'
import { ofPredicate, type Operation } from '../../../src/semantics/warps/program.js'
import { forget, rows, setAll } from '../../../src/semantics/warps/rows.js'
import { right } from '../../either.js'
import { moduleOf, programOf } from '../../dialects/ptx/small-text.js'

/** %c1: the lane is below 16; %c2: it is lane 0. %v: a word of each lane. */
const reason = (body: string): string => {
  const text = moduleOf(
    ['p'],
    `.reg .b32 %t, %v, %a, %m, %r<8>; .reg .b64 %p, %q; .reg .pred %c<8>;
.shared .align 16 .b8 s[128];
ld.param.u64 %q, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %p, %t, 4; add.s64 %p, %q, %p; ld.global.b32 %v, [%p];
shl.b32 %a, %t, 2; mov.u32 %m, s; add.u32 %a, %a, %m; setp.lt.u32 %c1, %t, 16; setp.eq.u32 %c2, %t, 0; mov.u32 %r1, 0;
${body}
ret;`,
  )
  const { verdict } = right(
    checkSource(
      warpSource(programOf(text), {
        grid: [1],
        block: [32],
        cluster: null,
        dynamicBytes: 0,
        parameters: new Uint8Array(8),
        pointers: [{ offset: 0, tensor: 'p' }],
        tensors: [
          {
            name: 'p',
            role: 'inout',
            contents: new Uint8Array(128),
            bytes: 128,
            elements: null,
            symbol: null,
          },
        ],
        sharedBase: usualSharedBase,
      }),
      { ...standardOptions, algebra: bits('hopper'), provenance: false, explore: false },
    ),
  )
  return verdict.verdict === 'ok' ? 'ok' : verdict.reason
}

const shuffled = (by: number, mask = '0xffff'): string =>
  `@!%c1 bra J; shfl.sync.down.b32 %r1, %v, ${String(by)}, 31, ${mask};`

describe('comes to nothing', () => {
  test.each([
    ['no lane stores it', `${shuffled(8)} add.u32 %v, %v, %r1; J: @%c2 st.global.b32 [%p], %v;`],
    [
      'it is not chosen',
      `${shuffled(8)} setp.lt.u32 %c3, %t, 8; selp.b32 %r1, %r1, 0, %c3; J: st.global.b32 [%p], %r1;`,
    ],
    ['it is overwritten', `${shuffled(8)} mov.u32 %r1, 3; J: st.global.b32 [%p], %r1;`],
    [
      'another word comes from memory',
      `${shuffled(8)} st.shared.b32 [%a], %t; ld.shared.b32 %r1, [%a]; J: st.global.b32 [%p], %r1;`,
    ],
    [
      'the lane is out of range, and has its own',
      '@!%c1 bra J; shfl.sync.down.b32 %r1, %v, 8, 15, 0xffff; J: st.global.b32 [%p], %r1;',
    ],
    [
      'a sum of halves',
      '@!%c1 exit; shfl.sync.down.b32 %r1, %v, 8, 31, 0xffff; add.u32 %v, %v, %r1; shfl.sync.down.b32 %r1, %v, 4, 31, 0xffff; add.u32 %v, %v, %r1; @%c2 st.global.b32 [%p], %v;',
    ],
  ])('%s', (_, body) => {
    expect(reason(body)).toBe('ok')
  })
})

describe('I1', () => {
  test.each([
    ['it is stored', `${shuffled(8)} J: st.global.b32 [%p], %r1;`, 8],
    ['so is what is computed from it', `${shuffled(8)} add.u32 %r1, %r1, 1; J: st.global.b32 [%p], %r1;`, 8],
    [
      'or from what it is compared with',
      `${shuffled(8)} setp.eq.u32 %c3, %r1, 2; selp.b32 %r1, 1, 2, %c3; J: st.global.b32 [%p], %r1;`,
      8,
    ],
    [
      'another lane has it from there',
      `${shuffled(8)} shfl.sync.idx.b32 %r1, %r1, 9, 31, 0xffff; J: st.global.b32 [%p], %r1;`,
      0,
    ],
    [
      'a vote of all',
      `${shuffled(8)} setp.eq.u32 %c3, %r1, 2; vote.sync.ballot.b32 %r1, %c3, 0xffff; J: st.global.b32 [%p], %r1;`,
      0,
    ],
    ['it goes to shared memory', `${shuffled(8)} J: st.shared.b32 [%a], %r1;`, 8],
    ['an atomic adds it', `${shuffled(8)} J: red.global.add.u32 [%q], %r1;`, 8],
    [
      'the lane has ended',
      '@!%c1 exit; shfl.sync.idx.b32 %r1, %v, 20, 31, -1; @%c2 st.global.b32 [%p], %r1;',
      0,
    ],
  ])('%s', (_, body, lane) => {
    expect(reason(body)).toMatch(
      new RegExp(`^I1: .*lane ${String(lane)}: the value comes from a lane that gave none`, 'u'),
    )
  })
})

test('what memory does not say is no absent word', () => {
  // nothing has written the local word
  const body = '.local .align 4 .b8 l[4]; ld.local.b32 %r1, [l]; J: st.global.b32 [%p], %r1;'
  expect(reason(`${shuffled(8)} ${body}`)).toBe(reason(`@!%c1 bra J; ${body}`))
})

test('stands that differ in it are told apart', () => {
  const text = moduleOf([], ` .reg .b32 %r<2>; bar.sync 0; ret;`)
  const { world, machine } = right(
    launchWarps(
      programOf(text),
      {
        grid: [1],
        block: [32],
        cluster: null,
        dynamicBytes: 0,
        parameters: new Uint8Array(0),
        pointers: [],
        tensors: [],
        sharedBase: usualSharedBase,
      },
      bits('hopper'),
    ),
  )
  const { stand, ready } = machine.agents[0]!
  if (stand?._tag !== 'warp') throw new Error('a warp')
  const where = (): string => world.front.where(stand, ready, () => 0)
  const before = where()
  setAbsent(stand.rows, 0, -1, 0b100)
  expect(where()).not.toBe(before)
})

describe('places', () => {
  const made = () => rows(4, 2, null, null, null, null, null, null)
  test('law 1: absent only where it is unknown', () => {
    const r = made()
    setAbsent(r, 0, -1, 0b1100)
    expect(absentAt(r, 0)).toBe(0b1100)
    setAll(r, 0, 7)
    expect(absentAt(r, 0)).toBe(0)
    forget(r, 0, 0b100)
    expect(absentAt(r, 0)).toBe(0b100)
  })
  test('of a mask, and of predicates', () => {
    const r = made()
    setAbsent(r, ofPredicate(1), -1, 0b1111)
    setAbsent(r, ofPredicate(1), 0b0011, 0b0001)
    expect([absentAt(r, ofPredicate(1)), absentAt(r, ofPredicate(0)), absentAt(r, 1)]).toEqual([0b1101, 0, 0])
    const red: Operation = {
      _tag: 'barReduce',
      op: 'and',
      id: 0,
      count: null,
      by: { predicate: 0, negated: false },
      to: null,
      toPredicate: 1,
      aligned: true,
    }
    came(r, red, 0b0101)
    expect(absentAt(r, ofPredicate(1))).toBe(0b1000)
    came(r, red, -1)
    expect(r.absent.size).toBe(0)
  })
  test('follow what is computed, lane by lane, and nothing else', () => {
    const r = made()
    setAbsent(r, 0, -1, 0b11)
    follow(r, { _tag: 'move', from: [0], to: [1] }, 0b110)
    expect([absentAt(r, 1), absentAt(r, 2)]).toEqual([0b10, 0])
    follow(r, { _tag: 'transposeMatrix', from: 0, to: 2 }, -1)
    expect(absentAt(r, 2)).toBe(-1)
    follow(r, { _tag: 'move', from: [3], to: [1] }, -1)
    expect(absentAt(r, 1)).toBe(0)
  })
})
