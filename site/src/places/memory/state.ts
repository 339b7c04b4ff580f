/**
 * The state of a test, and its part of the address: only what differs from the test as the page has it is written.
 *
 * Law 1. What is read of what was written is the state, for every text, every choice of clauses and of options.
 */
import type { Params } from '../../address.js'
import type { MemoryClause, TestOptions } from './model.js'

export interface TestState {
  readonly text: string
  readonly leftOut: ReadonlyArray<string>
  readonly options: TestOptions
}

export const pristine = ({ lines, options }: MemoryClause): TestState => ({
  text: lines.join('\n'),
  leftOut: [],
  options,
})

const flags = ['strict', 'strictProxies', 'documented'] as const

/** Of the params of the place; of a clause that they are not about, the test as it is. */
export const stateOf = (clause: MemoryClause, params: Params): TestState => {
  const own = pristine(clause)
  if (params['clause'] !== clause.id) return own
  const under = params['under']?.split(',')
  return {
    text: params['test'] ?? own.text,
    leftOut: (params['without'] ?? '').split(',').filter((id) => id !== ''),
    options:
      under === undefined
        ? own.options
        : {
            strict: under.includes('strict'),
            strictProxies: under.includes('strictProxies'),
            documented: under.includes('documented'),
          },
  }
}

/** The params of a state: null where nothing is changed. */
export const paramsOf = (clause: MemoryClause, state: TestState): Readonly<Record<string, string | null>> => {
  const own = pristine(clause)
  const changed = flags.some((flag) => state.options[flag] !== own.options[flag])
  return {
    clause: clause.id,
    test: state.text === own.text ? null : state.text,
    without: state.leftOut.length === 0 ? null : state.leftOut.join(','),
    under: changed ? flags.filter((flag) => state.options[flag]).join(',') : null,
  }
}

export const isSame = (a: TestState, b: TestState): boolean =>
  a.text === b.text &&
  a.leftOut.join() === b.leftOut.join() &&
  flags.every((flag) => a.options[flag] === b.options[flag])
