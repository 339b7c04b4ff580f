/**
 * Random kernels of which every CTA runs the same program: counters, locks, flags, places of their own, and what a CTA's number may decide.
 *
 *     part[ctaid] = x;  fence;  t = atom.add count, 1;  if t is n - 1: fence; y = sum of part
 *
 * A few are drawn from patterns that are right, each line of which may be left out or changed; the others are any lines.
 */
import * as E from 'fp-ts/lib/Either.js'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { bits } from '../../../../src/numerics/bits.js'
import { shadow } from '../../../../src/numerics/shadow.js'
import {
  usualSharedBase,
  warpSource,
  type GivenTensor,
} from '../../../../src/semantics/execution/launch-warps.js'
import { defaults } from '../../../../src/semantics/judging/detector/index.js'
import type { AnyPolicy } from '../../../../src/semantics/execution/policy.js'
import type { Source } from '../../../../src/semantics/machine/source.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import {
  outcomes,
  type Outcomes,
  type OutcomesBounds,
} from '../../../../src/semantics/schedules/outcomes/outcomes.js'
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import { checkSource, standardOptions } from '../../../../src/semantics/verdict/check.js'
import { right } from '../../../either.js'
import { moduleOf } from '../../../dialects/ptx/small-text.js'

export interface Drawn {
  readonly ctas: number
  readonly lines: ReadonlyArray<string>
  /** of each CTA; 1 if it is left out */
  readonly threads?: number
  /** steps of a run at most */
  readonly fuel?: number
  /** nothing is known of what the places hold before */
  readonly blank: boolean
  /** a CTA is not told its number */
  readonly blind?: boolean
}

const algebra = shadow(bits('hopper'))

const textOf = ({ lines, blind }: Drawn): string =>
  moduleOf(
    ['a', 'b', 'c'],
    `.reg .pred %p<9>;
.reg .b32 %r<40>;
.reg .b64 %rd<40>;
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [b];
ld.param.u64 %rd3, [c];
${blind === true ? '' : 'mov.u32 %r1, %ctaid.x;'}
mov.u32 %r3, %nctaid.x;
mov.u32 %r9, 0;
mov.u32 %r10, 0;
${lines.join('\n')}
DONE:
ret;`,
  )

export const bytesOfPlaces = 128

const sourceOf = (d: Drawn): Source => {
  const { program } = right(elaborate(right(parseModule(textOf(d))), 'k', 'k.ptx'))
  const tensor = (name: string): GivenTensor => ({
    name,
    role: 'inout' as const,
    contents: new Uint8Array(bytesOfPlaces),
    bytes: bytesOfPlaces,
    elements: null,
    symbol: null,
  })
  return warpSource(program, {
    grid: [d.ctas],
    block: [d.threads ?? 1],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(24),
    pointers: [
      { offset: 0, tensor: 'words' },
      { offset: 8, tensor: 'places' },
      { offset: 16, tensor: 'out' },
    ],
    tensors: [tensor('words'), tensor('places'), tensor('out')],
    unknown: new Set(d.blank ? ['places', 'out'] : ['out']),
    sharedBase: usualSharedBase,
  })
}

/** Every order of what decides, with nothing that goes alone. */
export const everyOrderOf = (d: Drawn, bounds: OutcomesBounds): Outcomes =>
  outcomes(
    right(sourceOf(d).launch(algebra, standardOptions.arguments)),
    defaults,
    bounds,
    undefined,
    undefined,
    null,
    true,
  )!

/** The verdict with equals, or of every CTA by itself; `everyOrder`: with nothing that goes alone; `first`: how the one run goes. */
export const verdictOf = (
  d: Drawn,
  everyCluster: boolean,
  budget: number = Infinity,
  everyOrder: boolean = false,
  first: AnyPolicy = standardOptions.policy,
): Verdict => {
  const checked = checkSource(sourceOf(d), {
    ...standardOptions,
    algebra,
    everyCluster,
    everyOrder,
    budget,
    explain: false,
    ...(d.fuel === undefined ? {} : { fuel: d.fuel }),
    policy: first,
  })
  if (E.isLeft(checked)) throw new Error(checked.left.message)
  return checked.right.verdict
}

export const show = (d: Drawn): string => `${String(d.ctas)} CTAs\n${textOf(d)}`

// ---------------------------------------------------------------- lines

/** The address of a place comes to %rd9. */
const placeOf = (index: string): ReadonlyArray<string> => [
  `mul.wide.u32 %rd8, ${index}, 4;`,
  'add.u64 %rd9, %rd2, %rd8;',
]
const outOf = (index: string): ReadonlyArray<string> => [
  `mul.wide.u32 %rd8, ${index}, 4;`,
  'add.u64 %rd9, %rd3, %rd8;',
]
const next = ['add.u32 %r12, %r1, 1;', 'rem.u32 %r12, %r12, %r3;']

/** A place by some index, which is computed first. */
const indexOf = (die: Dice): readonly [ReadonlyArray<string>, string] => {
  switch (die.below(9)) {
    case 0:
      return [['mov.u32 %r12, 2;'], '%r12']
    case 1:
      return [['shr.u32 %r12, %r1, 1;'], '%r12']
    case 2:
      return [next, '%r12']
    case 3:
      return [['min.u32 %r12, %r9, 15;'], '%r12']
    case 4:
      return [['add.u32 %r12, %r1, 8;'], '%r12']
    default:
      return [[], '%r1']
  }
}
const valueOf = (die: Dice): readonly [ReadonlyArray<string>, string] => {
  switch (die.below(5)) {
    case 0:
      return [[], '%r1']
    case 1:
      return [[], '%r9']
    case 2:
      return [[], '%r10']
    case 3:
      return [['ld.global.u32 %r13, [%rd3+64];'], '%r13']
    default:
      return [['mov.u32 %r13, 1;'], '%r13']
  }
}
export const fence = (die: Dice): string => `fence.${die.pick(['acq_rel', 'acq_rel', 'sc'])}.gpu;`
export const atom = (die: Dice): string => `atom.${die.pick(['relaxed', 'relaxed', 'acq_rel'])}.gpu.global`

export const put = (
  die: Dice,
  value: readonly [ReadonlyArray<string>, string] = valueOf(die),
): ReadonlyArray<string> => {
  const [before, index] = indexOf(die)
  return [...before, ...placeOf(index), ...value[0], `st.global.u32 [%rd9], ${value[1]};`]
}
export const putOwn = (value: string): ReadonlyArray<string> => [
  ...placeOf('%r1'),
  `st.global.u32 [%rd9], ${value};`,
]
export const get = (die: Dice): ReadonlyArray<string> => {
  const [before, index] = indexOf(die)
  return [...before, ...placeOf(index), 'ld.global.u32 %r10, [%rd9];']
}
export const getAll = (ctas: number): ReadonlyArray<string> => [
  'mov.u32 %r14, 0;',
  ...Array.from({ length: ctas }, (_, i) => [
    `ld.global.u32 %r15, [%rd2+${String(4 * i)}];`,
    'add.u32 %r14, %r14, %r15;',
  ]).flat(),
]
export const give = (index: string, value: string): ReadonlyArray<string> => [
  ...outOf(index),
  `st.global.u32 [%rd9], ${value};`,
]

/** What is skipped where a comparison does not hold. */
export const when = (
  comparison: string,
  a: string,
  b: string,
  name: number,
  body: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  `setp.${comparison}.u32 %p1, ${a}, ${b};`,
  `@!%p1 bra E${String(name)};`,
  ...body,
  `E${String(name)}:`,
]

export type Chunk = ReadonlyArray<string>

/** Any lines. */
export const anything = (die: Dice, ctas: number, name: number): Chunk => {
  switch (die.below(11)) {
    case 0:
    case 1:
      return [`${atom(die)}.add.u32 %r9, [%rd1], 1;`]
    case 2:
      return put(die)
    case 3:
      return get(die)
    case 4:
      return [...getAll(ctas), ...give(die.pick(['%r1', '%r9']), '%r14')]
    case 5:
      return [fence(die)]
    case 6:
      return [
        `st.relaxed.gpu.global.u32 [%rd1+8], ${die.pick(['%r1', '%r9', '1'])};`.replace(', 1;', ', %r3;'),
      ]
    case 7:
      return [`ld.${die.pick(['relaxed', 'acquire'])}.gpu.global.u32 %r9, [%rd1+8];`]
    case 8:
      return [`${atom(die)}.cas.b32 %r9, [%rd1+4], 0, ${die.pick(['1', '1', '%r1'])};`]
    default: {
      const [a, b] = die.pick([
        ['%r9', '0'],
        ['%r9', '1'],
        ['%r9', String(ctas - 1)],
        ['%r9', '%r1'],
        ['%r1', '1'],
        ['%r1', '99'],
      ] as const)
      return when(
        die.pick(['eq', 'ne', 'lt', 'eq']),
        a,
        b,
        name,
        die.chance(0.5) ? put(die) : anything(die, ctas, name + 100),
      )
    }
  }
}

const last = (die: Dice, ctas: number): ReadonlyArray<Chunk> => [
  die.chance(0.7) ? ['ld.global.u32 %r13, [%rd3+64];', ...putOwn('%r13')] : putOwn(die.pick(['%r3', '%r1'])),
  [fence(die)],
  [`${atom(die)}.add.u32 %r9, [%rd1], 1;`],
  when('eq', '%r9', die.chance(0.9) ? String(ctas - 1) : '%r1', 0, [
    fence(die),
    ...(die.chance(0.7) ? getAll(ctas) : [...get(die), 'mov.u32 %r14, %r10;']),
    ...give(die.pick(['%r3', '%r1', '%r9']), '%r14'),
  ]),
]
const ticket = (die: Dice): ReadonlyArray<Chunk> => [
  [`${atom(die)}.add.u32 %r9, [%rd1], 1;`],
  [
    'W0:',
    'ld.relaxed.gpu.global.u32 %r16, [%rd1+4];',
    `setp.ne.u32 %p2, %r16, ${die.chance(0.9) ? '%r9' : '%r1'};`,
    '@%p2 bra W0;',
  ],
  [fence(die)],
  die.chance(0.5)
    ? ['ld.global.u32 %r17, [%rd2+64];', 'add.u32 %r17, %r17, 1;', 'st.global.u32 [%rd2+64], %r17;']
    : put(die),
  [fence(die)],
  ['add.u32 %r16, %r16, 1;', 'st.relaxed.gpu.global.u32 [%rd1+4], %r16;'],
]
const lock = (die: Dice): ReadonlyArray<Chunk> => [
  [
    'L0:',
    `${atom(die)}.cas.b32 %r16, [%rd1+4], 0, ${die.chance(0.85) ? '1' : '%r3'};`,
    'setp.ne.u32 %p2, %r16, 0;',
    '@%p2 bra L0;',
  ],
  [fence(die)],
  die.chance(0.5)
    ? ['ld.global.u32 %r17, [%rd2+64];', 'add.u32 %r17, %r17, 1;', 'st.global.u32 [%rd2+64], %r17;']
    : put(die),
  [fence(die)],
  [`${atom(die)}.exch.b32 %r18, [%rd1+4], 0;`],
]
const barrier = (die: Dice, ctas: number): ReadonlyArray<Chunk> => [
  die.chance(0.7) ? ['ld.global.u32 %r13, [%rd3+64];', ...putOwn('%r13')] : put(die),
  [fence(die)],
  [`${atom(die)}.add.u32 %r9, [%rd1], 1;`],
  [
    'W1:',
    'ld.relaxed.gpu.global.u32 %r16, [%rd1];',
    `setp.lt.u32 %p2, %r16, ${String(ctas)};`,
    '@%p2 bra W1;',
  ],
  [fence(die)],
  [
    ...(die.chance(0.5) ? getAll(ctas) : [...get(die), 'mov.u32 %r14, %r10;']),
    ...give(die.pick(['%r1', '%r9']), '%r14'),
  ],
  die.chance(0.5) ? when('eq', '%r9', die.pick(['0', '%r1']), 0, put(die)) : [],
]

export const drawn = (seed: number): Drawn => {
  const die = dice(seed)
  const ctas = 3 + (die.chance(0.3) ? 1 : 0) + (die.chance(0.07) ? 1 : 0)
  const pattern = die.below(7)
  const chunks =
    pattern === 0 || pattern === 5
      ? last(die, ctas)
      : pattern === 1
        ? ticket(die)
        : pattern === 2
          ? lock(die)
          : pattern === 3
            ? barrier(die, ctas)
            : Array.from({ length: 2 + die.below(4) }, (_, i) => anything(die, ctas, i))
  const kept = chunks.flatMap((chunk, i) =>
    die.chance(0.06) ? [] : die.chance(0.05) ? [...anything(die, ctas, 50 + i), ...chunk] : chunk,
  )
  return { ctas, lines: kept, blank: die.chance(0.7) }
}
