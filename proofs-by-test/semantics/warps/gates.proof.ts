/**
 * Gates in a text. Oracle: texts of three barriers of a grid, and one change after the other: what each change makes of F1 to F8 is told by hand.
 */
import { describe, expect, test } from 'vitest'
import { gatesOf } from '../../../src/semantics/warps/gates.js'
import { lineAt, moduleOf, programOf } from '../../dialects/ptx/small-text.js'

type Lines = ReadonlyArray<string>

const head: Lines = ['.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>;', 'ld.param.u64 %rd1, [c];']
const lead = moduleOf(['c', 'u32 n'], head.join('\n')).split('\n').length - 2
/** The lines of what is found, by their numbers in the text; `-` where there is none. */
const found = (lines: Lines): string => {
  const before = lines.some((line) => line.startsWith('call')) ? '.func f() { ret; }' : ''
  const program = programOf(moduleOf(['c', 'u32 n'], [...head, ...lines, 'exit;'].join('\n'), { before }))
  const line = (site: number): number => lineAt(program, site) - lead
  return gatesOf(program)
    .map(({ arrival, reset, start, opening, wait, looks, addsOne }) =>
      [
        `arrives ${String(line(arrival))}`,
        reset === null ? 'goes round' : `resets ${String(line(reset))} to ${String(start)}`,
        `opens ${String(line(opening))}`,
        `waits ${String(line(wait))}`,
        ...looks.map((k) => `looks ${String(line(k))}`),
        ...(addsOne ? ['adds'] : []),
      ].join(', '),
    )
    .join('; ')
}

// a sense, which the last one stores
const sense: Lines = [
  'mov.u32 %r3, %nctaid.x;',
  'add.u32 %r5, %r3, -1;',
  'xor.b32 %r28, %r28, 1;',
  'st.global.u32 [%rd1+64], %r28;',
  'fence.acq_rel.gpu;',
  'atom.relaxed.gpu.global.add.u32 %r16, [%rd1], 1;',
  'setp.eq.u32 %p2, %r16, %r5;',
  '@%p2 bra LAST;',
  'WAIT:',
  'ld.relaxed.gpu.global.u32 %r17, [%rd1+4];',
  'setp.ne.u32 %p3, %r17, %r28;',
  '@%p3 bra WAIT;',
  'bra MEET;',
  'LAST:',
  'st.relaxed.gpu.global.u32 [%rd1], 0;',
  'fence.acq_rel.gpu;',
  'st.relaxed.gpu.global.u32 [%rd1+4], %r28;',
  'MEET:',
  'fence.acq_rel.gpu;',
  'ld.global.u32 %r30, [%rd1+64];',
]
const senseFound = 'arrives 6, resets 15 to 0, opens 17, waits 10'

// a generation, to which the last one adds 1; the others wait until it is another than they have seen
const generation: Lines = [
  'mov.u32 %r3, %nctaid.x;',
  'add.u32 %r5, %r3, -1;',
  'st.global.u32 [%rd1+64], %r5;',
  'ld.relaxed.gpu.global.u32 %r28, [%rd1+4];',
  'fence.acq_rel.gpu;',
  'atom.relaxed.gpu.global.add.u32 %r16, [%rd1], 1;',
  'setp.eq.u32 %p2, %r16, %r5;',
  '@%p2 bra LAST;',
  'WAIT:',
  'ld.relaxed.gpu.global.u32 %r17, [%rd1+4];',
  'setp.eq.u32 %p3, %r17, %r28;',
  '@%p3 bra WAIT;',
  'bra MEET;',
  'LAST:',
  'st.relaxed.gpu.global.u32 [%rd1], 0;',
  'fence.acq_rel.gpu;',
  'red.relaxed.gpu.global.add.u32 [%rd1+4], 1;',
  'MEET:',
  'fence.acq_rel.gpu;',
  'ld.global.u32 %r30, [%rd1+64];',
]
const generationFound = 'arrives 6, resets 15 to 0, opens 17, waits 10, looks 4, adds'

const opensBy = (...lines: Lines): Lines =>
  generation.flatMap((line) => (line.startsWith('red.') ? lines : [line]))

/** A text with lines in the place of one, which is named by its number from 1. */
const but = (lines: Lines, at: number, ...by: Lines): Lines => [
  ...lines.slice(0, at - 1),
  ...by,
  ...lines.slice(at),
]
const before = (lines: Lines, at: number, ...more: Lines): Lines => but(lines, at, ...more, lines[at - 1]!)

describe('found', () => {
  test('by a sense', () => {
    expect(found(sense)).toBe(senseFound)
  })
  test('by a generation', () => {
    expect(found(generation)).toBe(generationFound)
  })
  test('by a counter that goes round by itself', () => {
    const round = but(
      but(but(sense, 15), 6, 'atom.relaxed.gpu.global.inc.u32 %r16, [%rd1], %r5;'),
      14,
      'LAST:',
    )
    expect(found(round)).toBe('arrives 6, goes round, opens 16, waits 10')
    // up to another row than it is compared with
    expect(found(but(round, 6, 'atom.relaxed.gpu.global.inc.u32 %r16, [%rd1], %r28;'))).toBe('')
  })
  test('with what the generation is stored as: one more than was seen, or than is there', () => {
    const seen = opensBy('add.u32 %r29, %r28, 1;', 'st.relaxed.gpu.global.u32 [%rd1+4], %r29;')
    expect(found(seen)).toBe('arrives 6, resets 15 to 0, opens 18, waits 10, looks 4, adds')
    const again = opensBy(
      'ld.relaxed.gpu.global.u32 %r20, [%rd1+4];',
      'add.u32 %r29, %r20, 1;',
      'st.relaxed.gpu.global.u32 [%rd1+4], %r29;',
    )
    expect(found(again)).toBe('arrives 6, resets 15 to 0, opens 19, waits 10, looks 17, looks 4, adds')
    const exchanged = opensBy(
      'add.u32 %r29, 1, %r28;',
      'atom.relaxed.gpu.global.exch.b32 %r31, [%rd1+4], %r29;',
    )
    expect(found(exchanged)).toBe('arrives 6, resets 15 to 0, opens 18, waits 10, looks 4, adds')
    for (const [name, lines] of [
      ['two more', opensBy('add.u32 %r29, %r28, 2;', 'st.relaxed.gpu.global.u32 [%rd1+4], %r29;')],
      ['as it was seen', opensBy('st.relaxed.gpu.global.u32 [%rd1+4], %r28;')],
      ['another sum', opensBy('add.u32 %r29, %r5, 1;', 'st.relaxed.gpu.global.u32 [%rd1+4], %r29;')],
      [
        'it is made twice',
        opensBy(
          'add.u32 %r29, %r28, 1;',
          'add.u32 %r29, %r28, 1;',
          'st.relaxed.gpu.global.u32 [%rd1+4], %r29;',
        ),
      ],
      ['under a guard', opensBy('@%p8 add.u32 %r29, %r28, 1;', 'st.relaxed.gpu.global.u32 [%rd1+4], %r29;')],
      [
        'made before it is there',
        opensBy(
          'add.u32 %r29, %r20, 1;',
          'ld.relaxed.gpu.global.u32 %r20, [%rd1+4];',
          'st.relaxed.gpu.global.u32 [%rd1+4], %r29;',
        ),
      ],
      [
        'changed in between',
        opensBy(
          'ld.relaxed.gpu.global.u32 %r20, [%rd1+4];',
          'mov.u32 %r20, 3;',
          'add.u32 %r29, %r20, 1;',
          'st.relaxed.gpu.global.u32 [%rd1+4], %r29;',
        ),
      ],
      [
        'it is looked at behind',
        opensBy(
          'add.u32 %r29, %r28, 1;',
          'st.relaxed.gpu.global.u32 [%rd1+4], %r29;',
          'ld.relaxed.gpu.global.u32 %r20, [%rd1+4];',
        ),
      ],
      [
        'another word is looked at',
        opensBy(
          'ld.relaxed.gpu.global.u32 %r20, [%rd1+8];',
          'add.u32 %r29, %r20, 1;',
          'st.relaxed.gpu.global.u32 [%rd1+4], %r29;',
        ),
      ],
      ['a sum of 2', opensBy('red.relaxed.gpu.global.add.u32 [%rd1+4], 2;')],
      ['another atomic', opensBy('red.relaxed.gpu.global.max.u32 [%rd1+4], 1;')],
    ] as const)
      expect(found(lines), name).toBe('')
  })
})

describe('the same by other words', () => {
  test.each([
    [
      'a branch where it is not the last one',
      but(but(sense, 7, 'setp.ne.u32 %p2, %r16, %r5;'), 8, '@!%p2 bra LAST;'),
      senseFound,
    ],
    [
      'the arms the other way round',
      [
        ...sense.slice(0, 6),
        'setp.ne.u32 %p2, %r16, %r5;',
        '@%p2 bra WAIT;',
        ...sense.slice(14, 17),
        'bra MEET;',
        ...sense.slice(8, 12),
        ...sense.slice(17),
      ],
      'arrives 6, resets 9 to 0, opens 11, waits 14',
    ],
    ['the row first', but(sense, 7, 'setp.eq.u32 %p2, %r5, %r16;'), senseFound],
    [
      'a row that is a sum',
      but(sense, 7, 'add.u32 %r21, %r16, 1;', 'mov.u32 %r22, %nctaid.x;', 'setp.eq.u32 %p2, %r21, %r22;'),
      '',
    ],
    [
      'a sum that is compared',
      [
        ...sense.slice(0, 2),
        'mov.u32 %r22, %nctaid.x;',
        ...sense.slice(2, 6),
        'add.u32 %r21, %r16, 1;',
        'setp.eq.u32 %p2, %r21, %r22;',
        ...sense.slice(7),
      ],
      'arrives 7, resets 17 to 0, opens 19, waits 12',
    ],
    ['a constant number of CTAs', but(sense, 7, 'setp.eq.u32 %p2, %r16, 7;'), senseFound],
    ['a parameter', but(but(sense, 1, 'ld.param.u32 %r5, [n];'), 2, 'add.u32 %r5, %r5, -1;'), ''],
    [
      'a parameter that is written once',
      but(but(sense, 1, 'ld.param.u32 %r6, [n];'), 2, 'add.u32 %r5, %r6, -1;'),
      senseFound,
    ],
    [
      'an arrival that releases',
      but(but(sense, 5, 'mov.u32 %r8, 0;'), 6, 'atom.release.gpu.global.add.u32 %r16, [%rd1], 1;'),
      senseFound,
    ],
    [
      'one that acquires as well',
      but(but(sense, 5, 'mov.u32 %r8, 0;'), 6, 'atom.acq_rel.gpu.global.add.u32 %r16, [%rd1], 1;'),
      senseFound,
    ],
    [
      'an opening that releases, where the arrival acquires',
      but(
        but(
          but(but(sense, 17, 'st.release.gpu.global.u32 [%rd1+4], %r28;'), 16, 'mov.u32 %r8, 0;'),
          5,
          'mov.u32 %r8, 0;',
        ),
        6,
        'atom.acq_rel.gpu.global.add.u32 %r16, [%rd1], 1;',
      ),
      senseFound,
    ],
    [
      'a wait that acquires',
      but(but(sense, 19, 'mov.u32 %r8, 0;'), 10, 'ld.acquire.gpu.global.u32 %r17, [%rd1+4];'),
      senseFound,
    ],
    [
      'a fence behind the wait, in its arm',
      [...sense.slice(0, 12), 'fence.acq_rel.gpu;', ...sense.slice(12)].map((line, k) =>
        k === 19 ? 'mov.u32 %r8, 0;' : line,
      ),
      'arrives 6, resets 16 to 0, opens 18, waits 10',
    ],
    ['a fence of the system', but(sense, 5, 'fence.acq_rel.sys;'), senseFound],
    [
      'half a fence, of the right half',
      but(but(sense, 5, 'fence.release.gpu;'), 19, 'fence.acquire.gpu;'),
      senseFound,
    ],
    [
      'an exchange that opens',
      but(sense, 17, 'atom.relaxed.gpu.global.exch.b32 %r31, [%rd1+4], %r28;'),
      senseFound,
    ],
    ['and one that resets', but(sense, 15, 'atom.relaxed.gpu.global.exch.b32 %r31, [%rd1], 0;'), senseFound],
    [
      'a number to begin with',
      but(but(sense, 15, 'st.relaxed.gpu.global.u32 [%rd1], 3;'), 7, 'setp.eq.u32 %p2, %r16, 7;'),
      'arrives 6, resets 15 to 3, opens 17, waits 10',
    ],
    [
      'what computes in an arm',
      before(sense, 15, 'mov.u32 %r33, %r28;'),
      'arrives 6, resets 16 to 0, opens 18, waits 10',
    ],
    [
      'a copy of what is stored',
      but(before(sense, 17, 'mov.u32 %r33, %r28;'), 18, 'st.relaxed.gpu.global.u32 [%rd1+4], %r33;'),
      'arrives 6, resets 15 to 0, opens 18, waits 10',
    ],
    [
      'scopes that are wider',
      but(
        but(sense, 10, 'ld.relaxed.sys.global.u32 %r17, [%rd1+4];'),
        17,
        'st.relaxed.sys.global.u32 [%rd1+4], %r28;',
      ),
      senseFound,
    ],
    [
      'a fence before the wait',
      before(sense, 9, 'fence.acq_rel.gpu;'),
      'arrives 6, resets 16 to 0, opens 18, waits 11',
    ],
    ['a type with a sign', but(sense, 6, 'atom.relaxed.gpu.global.add.s32 %r16, [%rd1], 1;'), senseFound],
  ] as ReadonlyArray<[string, Lines, string]>)('%s', (_, lines, gate) => {
    expect(found(lines)).toBe(gate)
  })
})

describe('none', () => {
  test.each([
    // F1
    ['F1: it adds 2', but(sense, 6, 'atom.relaxed.gpu.global.add.u32 %r16, [%rd1], 2;')],
    ['F1: it is another operation', but(sense, 6, 'atom.relaxed.gpu.global.max.u32 %r16, [%rd1], 1;')],
    ['F1: it is under a guard', but(sense, 6, '@%p8 atom.relaxed.gpu.global.add.u32 %r16, [%rd1], 1;')],
    ['F1: it reaches the CTA alone', but(sense, 6, 'atom.relaxed.cta.global.add.u32 %r16, [%rd1], 1;')],
    ['F1: or the cluster', but(sense, 6, 'atom.relaxed.cluster.global.add.u32 %r16, [%rd1], 1;')],
    ['F1: what it finds is dropped', but(sense, 6, 'red.relaxed.gpu.global.add.u32 [%rd1], 1;')],
    // F2
    ['F2: it is compared otherwise', but(sense, 7, 'setp.ge.u32 %p2, %r16, %r5;')],
    ['F2: with what differs from CTA to CTA', but(sense, 1, 'mov.u32 %r3, %ctaid.x;')],
    ['F2: or from thread to thread', but(sense, 1, 'mov.u32 %r3, %tid.x;')],
    ['F2: with what is written under a guard', but(sense, 2, '@%p8 add.u32 %r5, %r3, -1;')],
    ['F2: with what memory holds', but(sense, 1, 'ld.global.u32 %r3, [%rd1+128];')],
    ['F2: by a predicate of something else', but(sense, 7, 'setp.eq.u32 %p2, %r5, %r28;')],
    ['F2: without a branch', but(sense, 8, 'mov.u32 %r8, 0;')],
    ['F2: with a branch that all take', but(sense, 8, 'bra LAST;')],
    ['F2: something is done in between', before(sense, 7, 'st.global.u32 [%rd1+80], %r5;')],
    ['F2: what it has found is used elsewhere', [...sense, 'st.global.u32 [%rd1+72], %r16;']],
    [
      'F2: with what is made on some ways alone',
      but(sense, 2, '@%p8 bra ON;', 'add.u32 %r5, %r3, -1;', 'ON:'),
    ],
    ['F2: with what is made behind it', [...but(sense, 2, 'mov.u32 %r8, 0;'), 'add.u32 %r5, %r3, -1;']],
    [
      'F2: by another comparison that says the same',
      [
        ...sense.slice(0, 6),
        'setp.lt.u32 %p2, %r16, %r5;',
        '@%p2 bra WAIT;',
        ...sense.slice(14, 17),
        'bra MEET;',
        ...sense.slice(8, 12),
        ...sense.slice(17),
      ],
    ],
    [
      'F1: a maximum up to the row',
      but(but(sense, 15, 'mov.u32 %r8, 0;'), 6, 'atom.relaxed.gpu.global.max.u32 %r16, [%rd1], %r5;'),
    ],
    // F3
    ['F3: the other arm does more', before(sense, 9, 'st.global.u32 [%rd1+80], %r5;')],
    ['F3: the last arm does more', before(sense, 15, 'st.global.u32 [%rd1+80], %r5;')],
    ['F3: it resets nothing', but(sense, 15, 'mov.u32 %r8, 0;')],
    ['F3: it opens nothing', but(sense, 17, 'mov.u32 %r8, 0;')],
    ['F3: nothing waits', [...sense.slice(0, 8), ...sense.slice(12)]],
    ['F3: the arms do not meet', but(sense, 13, 'ret;')],
    ['F3: a branch in an arm', before(sense, 15, '@%p8 bra MEET;')],
    ['F3: what is waited for is used', [...sense, 'st.global.u32 [%rd1+72], %r17;']],
    // F4
    ['F4: another word is reset', but(sense, 15, 'st.relaxed.gpu.global.u32 [%rd1+8], 0;')],
    ['F4: another word is opened', but(sense, 17, 'st.relaxed.gpu.global.u32 [%rd1+8], %r28;')],
    ['F4: another word is waited for', but(sense, 10, 'ld.relaxed.gpu.global.u32 %r17, [%rd1+8];')],
    [
      'F4: through another row',
      but(before(sense, 15, 'mov.u64 %rd4, 64;'), 16, 'st.relaxed.gpu.global.u32 [%rd4], 0;'),
    ],
    ['F4: in another space', but(sense, 10, 'ld.relaxed.gpu.u32 %r17, [%rd1+4];')],
    ['F4: the reset is no constant', but(sense, 15, 'st.relaxed.gpu.global.u32 [%rd1], %r5;')],
    ['F4: the reset is weak', but(sense, 15, 'st.global.u32 [%rd1], 0;')],
    ['F4: the opening is weak', but(sense, 17, 'st.global.u32 [%rd1+4], %r28;')],
    ['F4: the opening is wider', but(sense, 17, 'st.relaxed.gpu.global.v2.u32 [%rd1+4], {%r28, %r5};')],
    ['F4: another is looked at', but(generation, 4, 'ld.relaxed.gpu.global.u32 %r28, [%rd1+8];')],
    ['F4: the reset is of 64 bits', but(sense, 15, 'st.relaxed.gpu.global.u64 [%rd1], 0;')],
    [
      'F5: the opening is another atomic',
      but(sense, 17, 'atom.relaxed.gpu.global.max.u32 %r31, [%rd1+4], %r28;'),
    ],
    [
      'F5: it adds 1, and looks again',
      opensBy('ld.relaxed.gpu.global.u32 %r20, [%rd1+4];', 'red.relaxed.gpu.global.add.u32 [%rd1+4], 1;'),
    ],
    // F5
    ['F5: another row is stored', but(sense, 17, 'st.relaxed.gpu.global.u32 [%rd1+4], %r5;')],
    ['F5: it is waited for otherwise', but(sense, 11, 'setp.lt.u32 %p3, %r17, %r28;')],
    ['F5: it is waited until it is another, and stored', but(sense, 11, 'setp.eq.u32 %p3, %r17, %r28;')],
    ['F5: what is stored is made in the arm', before(sense, 17, 'add.u32 %r28, %r28, 1;')],
    ['F5: another row than was seen', but(generation, 11, 'setp.eq.u32 %p3, %r17, %r5;')],
    ['F5: what was seen is changed', before(generation, 5, 'add.u32 %r28, %r28, 0;')],
    ['F5: until it is what was seen', but(generation, 11, 'setp.ne.u32 %p3, %r17, %r28;')],
    // F6
    ['F6: nothing releases before the arrival', but(sense, 5, 'mov.u32 %r8, 0;')],
    ['F6: the fence is of the other half', but(sense, 5, 'fence.acquire.gpu;')],
    ['F6: the fence is of the CTA', but(sense, 5, 'fence.acq_rel.cta;')],
    ['F6: the fence is of a proxy', but(sense, 5, 'fence.proxy.async;')],
    ['F6: the fence is under a guard', but(sense, 5, '@%p8 fence.acq_rel.gpu;')],
    ['F6: something is done behind the fence', before(sense, 6, 'st.global.u32 [%rd1+80], %r5;')],
    ['F6: a way comes in behind the fence', [...before(sense, 6, 'IN:'), '@%p8 bra IN;']],
    ['F6: no fence before the opening', but(sense, 16, 'mov.u32 %r8, 0;')],
    [
      'F6: the fence stands before the reset',
      [...sense.slice(0, 14), sense[15]!, sense[14]!, ...sense.slice(16)],
    ],
    [
      'F6: the fence stands behind the opening',
      [...sense.slice(0, 15), sense[16]!, sense[15]!, ...sense.slice(17)],
    ],
    ['F6: the fence there releases alone', but(sense, 16, 'fence.release.gpu;')],
    ['F6: the fence there acquires alone', but(sense, 16, 'fence.acquire.gpu;')],
    ['F6: no fence where the arms meet', but(sense, 19, 'mov.u32 %r8, 0;')],
    ['F6: the fence there releases alone, at the end', but(sense, 19, 'fence.release.gpu;')],
    ['F6: something is read before that fence', before(sense, 19, 'ld.global.u32 %r31, [%rd1+80];')],
    [
      'F6: the look stands behind the fence',
      [...generation.slice(0, 3), generation[4]!, generation[3]!, ...generation.slice(5)],
    ],
    ['F6: the look is weak', but(generation, 4, 'ld.global.u32 %r28, [%rd1+4];')],
    ['F6: there is no look', but(generation, 4, 'mov.u32 %r28, 0;')],
    // F7
    ['F7: the predicate is read behind', [...sense, '@%p2 st.global.u32 [%rd1+72], %r5;']],
    [
      'F7: a row of an arm is read behind',
      [...before(sense, 15, 'mov.u32 %r33, 5;'), 'st.global.u32 [%rd1+72], %r33;'],
    ],
    // F8
    ['F8: functions are called', [...sense, 'call f;']],
    ['F8: before it, too', before(sense, 1, 'call f;')],
    ['nothing counts', but(sense, 6, 'mov.u32 %r16, 0;')],
  ] as ReadonlyArray<[string, Lines]>)('%s', (_, lines) => {
    expect(found(lines)).toBe('')
  })
})

test('two of them', () => {
  const second = sense.map((line) => line.replaceAll(/WAIT|LAST|MEET/gu, (name) => `${name}2`))
  expect(found([...sense, ...second.slice(4)])).toBe(
    `${senseFound}; arrives 22, resets 31 to 0, opens 33, waits 26`,
  )
})
