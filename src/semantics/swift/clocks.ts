/**
 * Clocks and timers, where a launch is executed and not judged: they go on with every read, so that a kernel that waits for one comes to its end.
 *
 *     mov.u64 %rd1, %clock64;   ...   mov.u64 %rd2, %clock64;      %rd2 - %rd1 is 1024 for each read since
 *
 * These are times that a chip may have, and no more: a verdict on the launch says what depends on them.
 *
 * Law 1. Of two reads of one clock the later finds the greater time, in all lanes of the grid.
 *
 * Source: PTX ISA, %clock, %clock_hi, %clock64, %globaltimer.
 */
import type { Row, WarpProgram } from '../warps/program.js'
import type { Registers } from './lanes.js'

/** The word that the first row of each has. */
const names: ReadonlyMap<string, 0 | 1> = new Map([
  ['%clock', 0],
  ['%clock_hi', 1],
  ['%clock64', 0],
  ['%globaltimer', 0],
  ['%globaltimer_lo', 0],
  ['%globaltimer_hi', 1],
])

/** Rows that are words of clocks; true: the upper word. */
export const clocksIn = ({ givens }: WarpProgram): ReadonlyMap<Row, boolean> =>
  new Map(
    givens.flatMap(({ row, given: g }) => {
      const first = g._tag === 'unspecified' ? names.get(g.name) : undefined
      return g._tag !== 'unspecified' || first === undefined ? [] : [[row, g.word + first > 0] as const]
    }),
  )

/** So much time goes by with each read. */
const step = 1024

/** Lets time go by, and writes it to the rows of a warp that reads it. */
export const ticking = (clocks: ReadonlyMap<Row, boolean>): ((r: Registers) => void) => {
  let now = 0
  return ({ words }) => {
    now += step
    for (const [row, isUpper] of clocks)
      words.fill(isUpper ? Math.floor(now / 4294967296) : now | 0, row * 32, row * 32 + 32)
  }
}
