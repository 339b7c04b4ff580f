/**
 * Random kernels whose CTAs wait for one another: barriers of the grid of one round or two, flags that are raised, lowered and read, turnstiles. Most are right; each line may be left out, and
 * others may come between.
 */
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import {
  anything,
  atom,
  fence,
  get,
  getAll,
  give,
  put,
  putOwn,
  when,
  type Chunk,
  type Drawn,
} from './equals.js'

/** Round and round until the word compares so: `heeded`: and the word is read behind it. */
const until = (
  die: Dice,
  word: number,
  comparison: string,
  value: string,
  name: string,
): ReadonlyArray<string> => [
  `${name}:`,
  `ld.${die.pick(['relaxed', 'relaxed', 'acquire'])}.gpu.global.u32 %r16, [%rd1+${String(word)}];`,
  `setp.${comparison}.u32 %p2, %r16, ${value};`,
  `@!%p2 bra ${name};`,
  ...(die.chance(0.15) ? ['mov.u32 %r9, %r16;'] : []),
]
const own = (die: Dice): ReadonlyArray<string> =>
  die.chance(0.7) ? ['ld.global.u32 %r13, [%rd3+64];', ...putOwn('%r13')] : put(die)
const others = (die: Dice, ctas: number): ReadonlyArray<string> => [
  ...(die.chance(0.6) ? getAll(ctas) : [...get(die), 'mov.u32 %r14, %r10;']),
  ...(die.chance(0.5) ? give('%r1', '%r14') : []),
]

const counting = (die: Dice, ctas: number, round: number): ReadonlyArray<Chunk> => [
  own(die),
  [fence(die)],
  [`${atom(die)}.add.u32 %r9, [%rd1], 1;`],
  until(
    die,
    0,
    die.pick(['ge', 'ge', 'eq']),
    String(ctas * (round + 1) - (die.chance(0.1) ? 1 : 0)),
    `W${String(round)}`,
  ),
  [fence(die)],
  others(die, ctas),
]
const sensing = (die: Dice, ctas: number, round: number): ReadonlyArray<Chunk> => [
  own(die),
  [`ld.relaxed.gpu.global.u32 %r20, [%rd1+8];`],
  [fence(die)],
  [
    `${atom(die)}.add.u32 %r9, [%rd1], 1;`,
    `setp.eq.u32 %p1, %r9, ${String(ctas - 1)};`,
    `@!%p1 bra S${String(round)};`,
    'st.relaxed.gpu.global.u32 [%rd1], 0;',
    ...(die.chance(0.85) ? [fence(die)] : []),
    'add.u32 %r21, %r20, 1;',
    `st.relaxed.gpu.global.u32 [%rd1+8], ${die.chance(0.9) ? '%r21' : '1'};`,
    `bra T${String(round)};`,
    `S${String(round)}:`,
    ...until(die, 8, 'ne', '%r20', `W${String(round)}`),
    `T${String(round)}:`,
  ],
  [fence(die)],
  others(die, ctas),
]
const signing = (die: Dice, ctas: number, round: number): ReadonlyArray<Chunk> => [
  own(die),
  [fence(die)],
  [
    'setp.eq.u32 %p1, %r1, 0;',
    `selp.b32 %r20, ${String(0x80000000 - (ctas - 1))}, 1, %p1;`,
    `${atom(die)}.add.u32 %r9, [%rd1], %r20;`,
  ],
  [
    `W${String(round)}:`,
    'ld.relaxed.gpu.global.u32 %r16, [%rd1];',
    'xor.b32 %r17, %r16, %r9;',
    'setp.gt.s32 %p2, %r17, -1;',
    `@%p2 bra W${String(round)};`,
  ],
  [fence(die)],
  others(die, ctas),
]
/** The first CTA raises a flag, and may lower it, or raise it further. */
const flag = (die: Dice, ctas: number): ReadonlyArray<Chunk> => [
  when('eq', '%r1', '0', 0, [
    ...own(die),
    fence(die),
    'st.relaxed.gpu.global.u32 [%rd1+4], 1;',
    ...(die.chance(0.4)
      ? [fence(die), `st.relaxed.gpu.global.u32 [%rd1+4], ${die.pick(['0', '2', '2'])};`]
      : []),
    'bra DONE;',
  ]),
  die.chance(0.7)
    ? until(die, 4, die.pick(['ne', 'ge', 'ge', 'eq']), die.pick(['0', '1', '1', '2']), 'W0')
    : [
        'ld.relaxed.gpu.global.u32 %r9, [%rd1+4];',
        ...when(die.pick(['eq', 'ne']), '%r9', die.pick(['0', '1']), 1, put(die)),
      ],
  [fence(die)],
  others(die, ctas),
  die.chance(0.4) ? [`${atom(die)}.add.u32 %r9, [%rd1], 1;`] : [],
]
const turnstile = (die: Dice): ReadonlyArray<Chunk> => [
  until(die, 4, 'eq', '%r1', 'W0'),
  [fence(die)],
  ['ld.global.u32 %r17, [%rd2+64];', 'add.u32 %r17, %r17, 1;', 'st.global.u32 [%rd2+64], %r17;'],
  [fence(die)],
  ['add.u32 %r18, %r1, 1;', 'st.relaxed.gpu.global.u32 [%rd1+4], %r18;'],
]

/** Barriers of the grid of one to three rounds, in most of them every line. */
export const drawnRounds = (seed: number): Drawn => {
  const die = dice(seed)
  const ctas = 2 + (die.chance(0.4) ? 1 : 0)
  const rounds = 1 + die.below(3)
  const one = die.pick([counting, signing])
  const chunks = Array.from({ length: rounds }, (_, round) => one(die, ctas, round)).flat()
  const kept = chunks.flatMap((chunk, i) =>
    die.chance(0.03) ? [] : die.chance(0.05) ? [...anything(die, ctas, 50 + i), ...chunk] : chunk,
  )
  return { ctas, lines: kept, blank: die.chance(0.7) }
}

export const drawnWaiting = (seed: number): Drawn => {
  const die = dice(seed)
  const ctas = 2 + (die.chance(0.6) ? 1 : 0) + (die.chance(0.1) ? 1 : 0)
  const rounds = die.chance(0.5) ? 2 : 1
  const twice = (
    one: (die: Dice, ctas: number, round: number) => ReadonlyArray<Chunk>,
  ): ReadonlyArray<Chunk> => Array.from({ length: rounds }, (_, round) => one(die, ctas, round)).flat()
  const chunks = [
    (): ReadonlyArray<Chunk> => twice(counting),
    (): ReadonlyArray<Chunk> => twice(sensing),
    (): ReadonlyArray<Chunk> => twice(signing),
    (): ReadonlyArray<Chunk> => flag(die, ctas),
    (): ReadonlyArray<Chunk> => flag(die, ctas),
    (): ReadonlyArray<Chunk> => turnstile(die),
  ][die.below(6)]!()
  const kept = chunks.flatMap((chunk, i) =>
    die.chance(0.05) ? [] : die.chance(0.06) ? [...anything(die, ctas, 50 + i), ...chunk] : chunk,
  )
  return { ctas, lines: kept, blank: die.chance(0.7) }
}
