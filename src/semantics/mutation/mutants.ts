/**
 * Every mutant of a program.
 *
 * The operators stand in three modules: on the presence and place of a statement (`presence.ts`), on its fields (`fields.ts`), on declarations and
 * predicates (`declarations.ts`). Each says to what it applies and what becomes of it.
 *
 *     queue with stores     DROP  producer / i / arrive produced   left out
 *                           MOVE  producer / i / arrive produced   before queue[slot] = value
 *                           FLAG  producer / i / arrive produced   relaxed
 *
 * Laws
 * 1. every mutant differs from the program, and from every other mutant of it.
 * 2. the number of mutants of an operator is the number of its sites, times its variants there.
 * 3. dropping one half of a DUP gives the program back; exchanging two neighbours twice, too.
 * 4. a mutant is found again by its key in every instance of the kernel that has its site.
 */
import type { Program } from '../language/program.js'
import { isDoSite } from './change.js'
import { declarations } from './declarations.js'
import { fields } from './fields.js'
import { classes, operators, type Change, type Mutant, type MutantClass, type Operator } from './model.js'
import { presence } from './presence.js'
import { sitesOf } from './sites.js'

const changesOf = (program: Program): ReadonlyArray<Change> => {
  const [of, on] = [presence(program), fields(program)]
  return [
    ...sitesOf(program).flatMap((site) => (isDoSite(site) ? [...of(site), ...on(site)] : [])),
    ...declarations(program),
  ]
}

/** Every mutant of a program by these operators and of these classes, in program order; those of declarations last. */
export const mutantsOf = (
  program: Program,
  by: ReadonlyArray<Operator> = operators,
  of: ReadonlyArray<MutantClass> = classes,
): ReadonlyArray<Mutant> => {
  const times = new Map<string, number>()
  return changesOf(program).flatMap((c): ReadonlyArray<Mutant> => {
    const site = [...c.path, c.label].join(' / ')
    const name = `${c.operator} | ${site} | ${c.change}`
    const n = times.get(name) ?? 0
    times.set(name, n + 1)
    if (!by.includes(c.operator) || !of.includes(c.class)) return []
    const key = n === 0 ? name : `${name} | ${String(n + 1)}`
    return [Object.assign({ site, key, program: c.apply(program) }, c)]
  })
}
