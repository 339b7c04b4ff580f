/**
 * Fronts: what agents execute between two effects.
 *
 * The machine knows effects: prepared operations, what they touch, what of them is in flight. How an agent comes from one effect to the next
 * is the matter of its front, which the world holds: it walks a program, and leaves each agent *ready* with the operands of its next effect evaluated.
 *
 *     front                          machine
 *     begin: to the first effect     ready: do `mbarrier.wait` of barrier 3, site 17, iteration [2]
 *                                    executes it, when it can
 *     proceed: takes the results,
 *       goes on to the next effect   ready: do `load` ...
 *
 * What the rest of the library asks about the program of a run, whatever it is written in, is here as well: its agents, its sites, why it may
 * depend on timing. A world is made of one front; `W` is its type (`World`), which holds the front.
 *
 * Laws
 * 1. What a front does depends on where the agent stands, on the results it is given and on the world: never on the machine's memory.
 * 2. A stand that is given is left as it was, unless `edit` is the run that has made it: then the front may write in place what it owns.
 */
import type { Agent, Site } from '../language/program.js'
import type { Fencing } from '../log/events.js'
import type { Edit } from './plane.js'
import type { Stand } from './stand.js'
import type { AgentState, Doing, Forking, Joining, Ready } from './state.js'
import type { Value } from './value.js'

/**
 * Where an agent is in the grid. Clusters that run together stand in places, each with `ctas` CTAs; CTAs, and with them agents, planes and barriers,
 * are numbered through all places.
 */
export interface Standpoint {
  /** index in the header: resident CTA * agents per CTA + index in the launch */
  readonly agent: number
  /** rank of its CTA in the cluster */
  readonly cta: number
  /** place of its cluster among the resident ones: its CTAs are `place * ctas` and on */
  readonly place: number
  /** the cluster of the grid that runs there */
  readonly cluster: number
}

/** Agents that begin others and wait for their ends. */
export interface Forks<W> {
  /** the agent in a branch of its own, and the states of `ready.children`, each at its first effect; null: there is no branch */
  readonly fork: (
    world: W,
    at: Standpoint,
    agents: ReadonlyArray<AgentState>,
    ready: Forking,
    edit: Edit | null,
  ) => { readonly own: AgentState; readonly children: ReadonlyArray<AgentState> } | null
  /** all branches have ended: on to the next effect */
  readonly join: (world: W, at: Standpoint, a: AgentState, ready: Joining, edit: Edit | null) => AgentState
}

/**
 * Agents that may stand at several places at once, and at each before something that may be blocked. Such an agent is ready for what the first of these *parts* waits for.
 * While that is blocked, another part that is not goes on. Only what waits has parts: an agent does everything else in one order, because where no two lanes race the
 * order of parts changes nothing that memory holds, and the detector finds those that race whatever the order is.
 */
export interface Parts<W> {
  /** names of the parts besides the one that the agent is ready for, none of them 0; in the order in which they are asked */
  readonly others: (a: AgentState) => ReadonlyArray<number>
  /** names of parts that would go on together with those that wait: they go on alone where nothing else in the machine can */
  readonly parked: (a: AgentState) => ReadonlyArray<number>
  /** lanes that need not come behind what the agent stands ready for, by parts: as threads they could go on before it */
  readonly behind: (a: AgentState) => ReadonlyArray<number>
  /** the same agent as if only these lanes went on, at their next effect, or ready for nothing. `meets`: they go no further than where they meet the others */
  readonly alone: (world: W, at: Standpoint, a: AgentState, lanes: number, meets: boolean) => AgentState
  /** the same agent, ready for what this part waits for; the same `ready` whenever it is asked of this state */
  readonly turn: (world: W, at: Standpoint, a: AgentState, part: number) => AgentState
}

/** A loop whose turns each draw a number from a counter (`warps/draws.ts`), by sites. */
export interface Draws {
  readonly site: number
  readonly inside: ReadonlySet<number>
  /** what comes before the loop */
  readonly before: ReadonlySet<number>
}

/** Where a value that is read from memory goes. */
export interface Handed {
  /** sites that keep in memory what comes from it */
  readonly kept: ReadonlyArray<number>
  /** a branch, an address or a barrier depends on it */
  readonly controls: boolean
}

/** Values that may be anything in each run, and that memory holds. */
export interface HardwareValues {
  /** sites that keep one, each with its name */
  readonly kept: ReadonlyMap<number, string>
  /** what a site hands on that reads one back */
  readonly handsOn: (site: number) => Handed
}

/** A barrier of a grid that the last CTA to arrive opens for the others (`warps/gates.ts`), by sites. */
export interface Gate {
  readonly arrival: number
  /** null: the counter goes round by itself */
  readonly reset: number | null
  /** what the counter is in the beginning, and set back to */
  readonly start: number
  readonly opening: number
  readonly wait: number
  readonly looks: ReadonlyArray<number>
  /** the opening adds 1, and the others wait until the word is another; else they wait for the word that it stores */
  readonly addsOne: boolean
}

export interface Front<W> {
  // ---- what is known of the program before it runs
  /** the agents of one CTA */
  readonly agents: ReadonlyArray<Agent>
  /** per agent of a CTA: runs from the launch on (true), or waits for a fork */
  readonly starts: ReadonlyArray<boolean>
  readonly sites: ReadonlyArray<Site>
  readonly nondeterminism: ReadonlyArray<string>
  /** who writes the fences that asynchronous units need (`log/events.ts`); null: what lowers the program publishes its barriers */
  readonly fences: Fencing | null
  /** the instructions that occur in it */
  readonly instructions: ReadonlySet<string>
  /** what a verdict of it does not speak of, besides what no verdict does */
  readonly outside: ReadonlyArray<string>
  /** sites that store constants of the program and nothing else; null: it runs over every algebra, which tells more (`verdict/same-value.ts`) */
  readonly storesConstants: ReadonlySet<number> | null
  /** no strong read of it decides a branch or an address: in which order strong stores come is then no way to agree on anything */
  readonly obeysNoWord: boolean
  /** control may depend on how fast agents are */
  readonly timed: boolean
  /** it matters which lanes are found to run together (`machine/grouping.ts`) */
  readonly asksWhoRuns: boolean
  /** it matters whether an election takes a lane, or which one it takes (`machine/election.ts`) */
  readonly elects: boolean
  /** sites at which data of one lane, which an election has chosen, go on */
  readonly electedData: ReadonlyArray<number>
  /** what hardware alone knows (a clock, a multiprocessor) and the program keeps in memory; null: it keeps nothing of that */
  readonly hardware: HardwareValues | null
  /** its agents can be followed in other clusters (`warps/fellows.ts`) */
  readonly hasFellows: boolean
  /** CTAs that differ in nothing but the numbers that they draw, turn after turn; null: that is not known of them */
  readonly draws: Draws | null
  readonly gates: ReadonlyArray<Gate>
  /** CTAs are given something by which they can tell one another apart */
  readonly tellsCtas: boolean
  /** some loop that tries for a lock is a wait for it (`warps/locks.ts`) */
  readonly waitsForLocks: boolean

  // ---- from one effect to the next
  /** an agent that starts, run to its first effect or to its end */
  readonly begin: (world: W, at: Standpoint, edit: Edit | null) => AgentState
  /** the results of the effect `done`, which was `events` events, are taken; then on to the next effect, or to the end */
  readonly proceed: (
    world: W,
    at: Standpoint,
    a: AgentState,
    done: Doing,
    results: ReadonlyArray<Value>,
    events: number,
    edit: Edit | null,
  ) => AgentState
  /** null: an agent stands at one place at a time */
  readonly parts: Parts<W> | null
  /** null: its agents never fork */
  readonly forks: Forks<W> | null

  // ---- where agents stand
  /** equal texts, equal futures, of an agent that is ready for this; asked where control may depend on timing. `numberOf` numbers what is told apart by identity; `lanes`: these alone are asked about. */
  readonly where: (
    stand: Stand,
    ready: Ready | null,
    numberOf: (thing: object) => number,
    lanes?: number,
  ) => string
}

/** Not checked where agents act as one thread: a compiler writes their threads, which are a level of their own. */
export const agentsActAsOne: ReadonlyArray<string> = [
  'races between the threads of one agent (it acts as one thread here; check the PTX of the kernel)',
]
