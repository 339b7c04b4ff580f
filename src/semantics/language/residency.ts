/**
 * Residency: which programs need clusters that run together.
 *
 * Clusters of a grid that never speak with each other may run one after another: whatever order they run in, each does the same. A program whose
 * clusters wait for each other cannot: its first cluster would wait for one that has not been launched. So a program says by its text
 * whether its clusters *meet*:
 *
 * | it has                                                          | its clusters |
 * |-----------------------------------------------------------------|--------------|
 * | a semaphore                                                     | meet         |
 * | an atomic on global memory whose result something reads         | meet         |
 * | a loop that goes on by what it reads of global memory (a spin)  | meet         |
 * | none of these                                                   | run one after another |
 *
 * An atomic whose result is not read only adds to a heap: it meets no other. Clusters that meet are all resident, unless the launch says how
 * many; then they come in waves, and the next wave begins when all of the one before have ended. (A chip fills each place as soon as it is
 * free. What is a race between two waves here may be ordered there.)
 *
 * Law 1. A program whose clusters do not meet has the same verdict, findings and outputs, whether they run together or one after another.
 *
 * Source: CUDA C++ programming guide, thread block scheduling and cooperative groups.
 */
import { namesOf } from './expression.js'
import { expressionsOf, statementsOf, type Program, type While } from './program.js'

// ---------------------------------------------------------------- spinning

/** Does a loop read global memory in what decides whether it goes on? */
const spins = (s: While): boolean => {
  const inside = [...statementsOf(s.before.body), ...statementsOf(s.after.body)]
  const told = new Set(
    inside.flatMap((i) =>
      i._tag === 'Do' && (i.instruction._tag === 'gmem.load' || i.instruction._tag === 'gmem.loadPtr')
        ? i.results.map((r) => r.name)
        : [],
    ),
  )
  if (told.size === 0) return false
  // what is made of a loaded value, by way of lets, and of loop-carried values of any kind
  for (let grew = true; grew;) {
    grew = false
    for (const i of inside) {
      if (i._tag !== 'Let' || told.has(i.binder.name)) continue
      const read = new Set<string>()
      namesOf(i.expr, read)
      if ([...read].some((n) => told.has(n))) {
        told.add(i.binder.name)
        grew = true
      }
    }
  }
  const decides = new Set<string>()
  for (const y of [...s.before.yields.slice(0, 1), ...s.after.yields]) namesOf(y, decides)
  return [...decides].some((n) => told.has(n))
}

// ---------------------------------------------------------------- the question

/** Why the clusters of a program must run together, null if they need not. */
export const meets = (program: Program): string | null => {
  const all = statementsOf(program.entry.body)
  const read = new Set<string>()
  for (const s of all) for (const e of expressionsOf(s)) namesOf(e, read)
  for (const y of program.entry.yields) namesOf(y, read)
  for (const s of all) {
    if (s._tag === 'While' && spins(s)) return `${s.site.label} spins on global memory`
    if (s._tag !== 'Do') continue
    const { instruction } = s
    if (instruction._tag === 'semaphore.wait' || instruction._tag === 'semaphore.signal')
      return `${s.site.label} is a ${instruction._tag}`
    if (instruction._tag === 'gmem.atomicPtr' && s.results.some((r) => read.has(r.name)))
      return `${s.site.label} is an atomic whose result is read`
  }
  return null
}

/**
 * Tensors whose contents decide who goes on: integers in a program with semaphores or atomics on global memory. An algebra that keeps no data
 * keeps these.
 */
export const countedTensors = (program: Program): ReadonlySet<string> => {
  const counts = statementsOf(program.entry.body).some(
    (s) =>
      s._tag === 'Do' &&
      (s.instruction._tag === 'semaphore.wait' ||
        s.instruction._tag === 'semaphore.signal' ||
        s.instruction._tag === 'gmem.atomicPtr'),
  )
  return new Set(
    counts
      ? program.params.flatMap((p) =>
          p._tag === 'tensor' && (p.dtype === 'i32' || p.dtype === 'u32') ? [p.name] : [],
        )
      : [],
  )
}
