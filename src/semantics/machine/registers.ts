/**
 * The registers of a CTA: words of 32 bits, handed out by warp, of a register file of 65,536.
 *
 * What its warps were given at the launch is the CTA's pool: what the file has beyond that is not for it. On an H100 three warpgroups of 168 registers a thread can
 * become 40, 232 and 232 (64,512 words, all of the pool); with 48, 232 and 232 (65,536, all of the file) the last one waits for ever.
 *
 * A thread begins with what its agent asks for (`registers` in the launch), or with an equal share of what is left, in steps of 8 and at most 256. From
 * then on `setMaxRegisters` gives registers back or takes more; taking waits until others have given back enough.
 *
 *     three warpgroups, nothing asked for     65,536 / 384 = 170: 168 each, a pool of 64,512
 *     producer decreases to 40                40 * 128 + 2 * 168 * 128 = 48,128 in use
 *     consumers increase to 232               40 * 128 + 2 * 232 * 128 = 64,512: both fit, just
 *
 * Names: `setmaxnreg` (PTX), `set_max_registers` (Pallas), the partition's register count (Triton).
 *
 * Laws
 * 1. The words in use never exceed the pool.
 * 2. What one agent gives back another can take, and no other count changes.
 *
 * Source: PTX ISA, setmaxnreg; CUDA C++ programming guide, technical specifications (registers of a multiprocessor).
 */
import { mostRegisters, registerFile } from '../language/limits.js'
import type { Agent } from '../language/program.js'

/** Warps of a CTA. */
export const warpsOfCta = 32
const threadsOfWarp = 32

/** Registers of a thread of each warp at the launch; 0 where no agent has the warp. */
export const atLaunch = (agents: ReadonlyArray<Agent>): ReadonlyArray<number> => {
  const asked: Array<number | null> = Array.from({ length: warpsOfCta }, () => 0)
  // a warp with several names has what the smallest agent asks for, if one does
  for (const a of [...agents].sort((x, y) => y.warps - x.warps))
    for (let w = a.firstWarp; w < a.firstWarp + a.warps; w++)
      asked[w] = a.registers ?? (asked[w] === 0 ? null : asked[w]!)
  const taken = asked.reduce<number>((n, r) => n + (r ?? 0) * threadsOfWarp, 0)
  const open = asked.filter((r) => r === null).length
  const share = open === 0 ? 0 : Math.floor((registerFile - taken) / (open * threadsOfWarp) / 8) * 8
  return asked.map((r) => r ?? Math.max(0, Math.min(mostRegisters, share)))
}

/** Words in use by a CTA. `registers` has all resident CTAs. */
export const inUse = (registers: ReadonlyArray<number>, cta: number): number => {
  let words = 0
  for (let w = cta * warpsOfCta; w < (cta + 1) * warpsOfCta; w++) words += registers[w]! * threadsOfWarp
  return words
}

/** The same with `count` registers for each thread of some warps of a CTA. */
export const withCount = (
  registers: ReadonlyArray<number>,
  cta: number,
  agent: Agent,
  count: number,
): ReadonlyArray<number> => {
  const out = registers.slice()
  out.fill(count, cta * warpsOfCta + agent.firstWarp, cta * warpsOfCta + agent.firstWarp + agent.warps)
  return out
}

/** Words that the warps of an agent take for `count` registers a thread; negative: that they give back. */
export const needs = (registers: ReadonlyArray<number>, cta: number, agent: Agent, count: number): number => {
  let words = 0
  for (let w = 0; w < agent.warps; w++)
    words += (count - registers[cta * warpsOfCta + agent.firstWarp + w]!) * threadsOfWarp
  return words
}

/** Words that a CTA was given at the launch: what its warps can give one another. */
export const pool = (agents: ReadonlyArray<Agent>): number => inUse(atLaunch(agents), 0)

/** Do the warps of an agent fit with `count` registers a thread into so many words? */
export const fits = (
  registers: ReadonlyArray<number>,
  cta: number,
  agent: Agent,
  count: number,
  words: number,
): boolean => inUse(registers, cta) + needs(registers, cta, agent, count) <= words
