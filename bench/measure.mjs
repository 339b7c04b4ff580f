/**
 * Measuring beside one another: every contender in every round, in turns, so that a slow minute is slow for all. The first round only warms up and
 * finds how often a contender is called in a round: one that is done in a few milliseconds would be measured with the garbage of the one before.
 * What one core does is counted in processor time, so that a busy machine changes little.
 */
import console from 'node:console'
import { performance } from 'node:perf_hooks'
import process from 'node:process'

export const right = (either) => {
  if (either._tag === 'Left') throw new Error(either.left.message)
  return either.right
}
export const median = (xs) => [...xs].sort((a, b) => a - b)[Math.floor(xs.length / 2)]

/** Wall and processor milliseconds of one call. */
export const timed = async (act) => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await act()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { wall, cpu: (user + system) / 1000 }
}

/** A contender is called until so many milliseconds are over. */
const enough = 50

/** Medians of one call of each contender over the rounds. */
export const inTurns = async (contenders, rounds) => {
  const calls = []
  for (const { act } of contenders) {
    await act()
    calls.push(Math.max(1, Math.ceil(enough / (await timed(act)).wall)))
  }
  const times = contenders.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [i, { act }] of contenders.entries()) {
      const { wall, cpu } = await timed(async () => {
        for (let call = 0; call < calls[i]; call++) await act()
      })
      times[i].push({ wall: wall / calls[i], cpu: cpu / calls[i] })
    }
  return times.map((ts) => ({ wall: median(ts.map((t) => t.wall)), cpu: median(ts.map((t) => t.cpu)) }))
}

/** Rows under a title, the first column to the left and the others to the right. */
export const table = (title, rows) => {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((r) => r[c].length)))
  console.log(`\n${title}`)
  for (const r of rows)
    console.log(
      `  ${r.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('   ')}`,
    )
}
