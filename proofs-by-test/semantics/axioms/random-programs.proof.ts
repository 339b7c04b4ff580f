/** Laws of the axioms, on random programs: what interleavings do is allowed, strength adds nothing, and cuts lose nothing. */
import { describe } from 'vitest'
import {
  behaviours,
  candidatesOf,
  everyAxiom,
  finalStates,
  isAllowed,
  type Axiom,
  type Program,
} from '../../../src/semantics/axioms/index.js'
import { pathsOf } from '../../../src/semantics/axioms/paths.js'
import { right } from '../../either.js'
import { prop } from '../../prop.js'
import { anyProgram, interleavings, stateKey, strongerPrograms } from './programs.js'

const statesOf = (program: Program, without: ReadonlyArray<Axiom> = []): ReadonlySet<string> =>
  new Set(
    right(behaviours(program, { without })).outcomes.map(({ state }) =>
      stateKey(state.registers, state.memory),
    ),
  )
const includes = (all: ReadonlySet<string>, some: ReadonlySet<string>): boolean =>
  [...some].every((s) => all.has(s))

describe('behaviours', () => {
  prop([anyProgram])('law 1: every state of every interleaving is allowed', (program) =>
    includes(statesOf(program), interleavings(program)),
  )
  prop([anyProgram], { numRuns: 60 })('law 2: strength adds no state', (program) => {
    const states = statesOf(program)
    return strongerPrograms(program).every((s) => includes(states, statesOf(s)))
  })
  prop([anyProgram])(
    'law 3: without an axiom there are the same states or more; without Fence-SC the same',
    (program) => {
      const states = statesOf(program)
      return everyAxiom.every((a) => {
        const more = statesOf(program, [a])
        return includes(more, states) && (a !== 'fence-sc' || includes(states, more))
      })
    },
  )
})

describe('candidates', () => {
  prop([anyProgram], { numRuns: 60 })('law 2: cuts lose no execution', (program) => {
    const paths = program.threads.map((t) => pathsOf(t, 2).paths[0]!)
    const all = new Set(everyAxiom)
    const states = (enforced: ReadonlySet<Axiom>): ReadonlySet<string> =>
      new Set(
        [...candidatesOf(program, paths, enforced)].flatMap((c) =>
          c !== undefined && isAllowed(c, all)
            ? finalStates(program, c).map((s) => stateKey(s.registers, s.memory))
            : [],
        ),
      )
    const [cut, whole] = [states(all), states(new Set())]
    return includes(cut, whole) && includes(whole, cut)
  })
})
