/**
 * The machine: a value.
 *
 * Agents with where they stand, barriers, planes, and the operations in flight. No log, no clocks, no closures: forking
 * a machine is copying a reference. Each record has one constructor with explicit fields; an update sets fields of a copy that nothing else has seen.
 */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { LinkedFork } from '../language/link.js'
import type { Mbarrier } from './mbarrier.js'
import type { InFlight, Prepared } from './operation.js'
import type { Edit, Plane } from './plane.js'
import type { Held, Resume, Stand } from './stand.js'
import type { Synced } from './warp-stand.js'
import type { DescriptorValue, FaultValue, Value } from './value.js'

// ---------------------------------------------------------------- agents

/** An effect whose operands are evaluated. */
export interface Doing {
  readonly _tag: 'do'
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  /** register layout of each result that is a tile */
  readonly layouts: ReadonlyArray<RegisterLayout | 'any'>
  /** for the front: what takes the results */
  readonly resume: Resume
  readonly prepared: Prepared
  /** of a warp: the lanes that do it, whether as one, and where lanes have met since its last effect */
  readonly by?: Lanes
}

/** Lanes of a warp at an effect. */
export interface Lanes {
  readonly mask: number
  readonly whole: boolean
  readonly synced: ReadonlyArray<Synced>
}

/** Other agents begin: `children`, as the header numbers them. */
export interface Forking {
  readonly _tag: 'fork'
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  readonly children: ReadonlyArray<number>
  readonly stmt: LinkedFork
}

/** The ends of other agents are waited for. */
export interface Joining {
  readonly _tag: 'join'
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  readonly children: ReadonlyArray<number>
  readonly stmt: LinkedFork
  /** of the agent's own branch */
  readonly values: ReadonlyArray<Value>
  /** what they are in the clusters that are followed; null: the same */
  readonly held: ReadonlyArray<Held | null> | null
}

export interface Faulty {
  readonly _tag: 'fault'
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  readonly fault: FaultValue
}

/** What an agent stands before. */
export type Ready = Doing | Forking | Joining | Faulty

export type Status = 'idle' | 'running' | 'done'

/** Groups closed so far, by family; an open one has the next number. Numbers start at 1. */
export interface Groups {
  readonly bulk: number
  readonly wgmma: number
  readonly cpAsync: number
  /** arrivals at the cluster barrier */
  readonly cluster: number
}

export interface AgentState {
  readonly status: Status
  /** where it stands in its program, which its front alone reads; null: it has not begun */
  readonly stand: Stand | null
  readonly ready: Ready | null
  /** program-order index of its next event, from 1 */
  readonly at: number
  readonly groups: Groups
}

// ---------------------------------------------------------------- named barriers

export interface Votes {
  readonly yes: number
  readonly of: number
}
export const noVotes: Votes = { yes: 0, of: 0 }

export interface Named {
  /** among the resident CTAs */
  readonly cta: number
  readonly id: number
  /** threads that have arrived in the open generation */
  readonly arrived: number
  readonly generation: number
  /** of those that have arrived in the open generation, and of the last one that ended: how many said yes, of how many that were asked */
  readonly votes: Votes
  readonly outcome: Votes
}

// ---------------------------------------------------------------- tensor memory

/** Columns [start, start + columns) of all lanes, and the agent that has allocated them. */
export interface Columns {
  readonly start: number
  readonly columns: number
  readonly agent: number
}
/** The allocator of one CTA: what is allocated, in the order of allocation. */
export interface TensorMemory {
  readonly allocated: ReadonlyArray<Columns>
  /** no allocation may be larger than the one before it */
  readonly largest: number
  readonly relinquished: boolean
  /** steps of a pair that the other CTA has still to take: columns allocated, or given back (negative) */
  readonly ahead: ReadonlyArray<number>
  /** it has taken a step that was not the other's */
  readonly outOfStep: boolean
}

export const noTensorMemory: TensorMemory = {
  allocated: [],
  largest: 512,
  relinquished: false,
  ahead: [],
  outOfStep: false,
}

// ---------------------------------------------------------------- the grid

/** Which clusters of the grid run now, and which are still to come. */
export interface Wave {
  /** by place: the cluster that runs there, -1 for none */
  readonly clusters: ReadonlyArray<number>
  /** the first cluster that is neither launched nor cancelled */
  readonly next: number
  /** cancellations that the run has asked for so far */
  readonly requests: number
  /** by place: an agent of the cluster has read that a request failed */
  readonly refused: ReadonlyArray<boolean>
}

/** The answer to a cancellation, an opaque object of 16 bytes: the cluster granted, -1 for none. */
export interface Response {
  readonly plane: number
  readonly address: number
  readonly cluster: number
}

// ---------------------------------------------------------------- warpgroups

/**
 * What the four warps of a warpgroup have asked for, as far as not all of them have: they must ask alike (`instructions/warpgroup.ts`).
 * `said[i]` is what one of them asked for as its (`from` + i)-th; `counts` how often each has asked.
 */
export interface Asked {
  /** the agent of its first warp */
  readonly first: number
  readonly from: number
  readonly said: ReadonlyArray<{ readonly agent: number; readonly says: string }>
  readonly counts: ReadonlyArray<number>
}

// ---------------------------------------------------------------- machine

export interface Machine {
  readonly wave: Wave
  readonly agents: ReadonlyArray<AgentState>
  readonly barriers: ReadonlyArray<Mbarrier | null>
  readonly named: ReadonlyArray<Named>
  readonly planes: ReadonlyArray<Plane>
  /** by resident CTA */
  readonly tensorMemory: ReadonlyArray<TensorMemory>
  readonly responses: ReadonlyArray<Response>
  /** registers of a thread, by resident CTA and warp: `cta * 32 + warp` */
  readonly registers: ReadonlyArray<number>
  /** the tensor maps that lie in memory */
  readonly tensormaps: ReadonlyArray<DescriptorValue>
  readonly inFlight: ReadonlyArray<InFlight>
  readonly asked: ReadonlyArray<Asked>
  /** operations issued so far */
  readonly issued: number
  /** values that reads have numbered so far */
  readonly values: number
  /** the run that may overwrite its own pages; null for a machine that is kept */
  readonly edit: Edit | null
}

// ---------------------------------------------------------------- constructors

export const machine = (
  wave: Wave,
  agents: ReadonlyArray<AgentState>,
  barriers: ReadonlyArray<Mbarrier | null>,
  named: ReadonlyArray<Named>,
  planes: ReadonlyArray<Plane>,
  tensorMemory: ReadonlyArray<TensorMemory>,
  responses: ReadonlyArray<Response>,
  registers: ReadonlyArray<number>,
  tensormaps: ReadonlyArray<DescriptorValue>,
  inFlight: ReadonlyArray<InFlight>,
  asked: ReadonlyArray<Asked>,
  issued: number,
  values: number,
  edit: Edit | null,
): Machine => ({
  wave,
  agents,
  barriers,
  named,
  planes,
  tensorMemory,
  responses,
  registers,
  tensormaps,
  inFlight,
  asked,
  issued,
  values,
  edit,
})

export const agentState = (
  status: Status,
  stand: Stand | null,
  ready: Ready | null,
  at: number,
  groups: Groups,
): AgentState => ({ status, stand, ready, at, groups })

export const noGroups: Groups = { bulk: 0, wgmma: 0, cpAsync: 0, cluster: 0 }
export const idle: AgentState = agentState('idle', null, null, 1, noGroups)

// ---------------------------------------------------------------- updates

const replaced = <A>(xs: ReadonlyArray<A>, i: number, x: A): ReadonlyArray<A> => {
  const out = xs.slice()
  out[i] = x
  return out
}

/** A machine that nothing else has seen: the update that made it sets its fields. */
type Fresh = { -readonly [F in keyof Machine]: Machine[F] }
const copyOf = (m: Machine): Fresh =>
  machine(
    m.wave,
    m.agents,
    m.barriers,
    m.named,
    m.planes,
    m.tensorMemory,
    m.responses,
    m.registers,
    m.tensormaps,
    m.inFlight,
    m.asked,
    m.issued,
    m.values,
    m.edit,
  )

export const withWave = (m: Machine, wave: Wave): Machine => {
  const next = copyOf(m)
  next.wave = wave
  return next
}
export const withAgent = (m: Machine, x: number, a: AgentState): Machine => {
  const next = copyOf(m)
  next.agents = replaced(m.agents, x, a)
  return next
}
export const withBarrier = (m: Machine, b: number, s: Mbarrier | null): Machine => {
  const next = copyOf(m)
  next.barriers = replaced(m.barriers, b, s)
  return next
}
export const withNamed = (m: Machine, named: ReadonlyArray<Named>): Machine => {
  const next = copyOf(m)
  next.named = named
  return next
}
export const withPlane = (m: Machine, p: number, plane: Plane): Machine => {
  const next = copyOf(m)
  next.planes = replaced(m.planes, p, plane)
  return next
}
export const withTensorMemory = (m: Machine, cta: number, t: TensorMemory): Machine => {
  const next = copyOf(m)
  next.tensorMemory = replaced(m.tensorMemory, cta, t)
  return next
}
export const withResponses = (m: Machine, responses: ReadonlyArray<Response>): Machine => {
  const next = copyOf(m)
  next.responses = responses
  return next
}
export const withRegisters = (m: Machine, registers: ReadonlyArray<number>): Machine => {
  const next = copyOf(m)
  next.registers = registers
  return next
}
export const withTensormaps = (m: Machine, tensormaps: ReadonlyArray<DescriptorValue>): Machine => {
  const next = copyOf(m)
  next.tensormaps = tensormaps
  return next
}
export const withInFlight = (m: Machine, inFlight: ReadonlyArray<InFlight>): Machine => {
  const next = copyOf(m)
  next.inFlight = inFlight
  return next
}
export const withAsked = (m: Machine, asked: ReadonlyArray<Asked>): Machine => {
  const next = copyOf(m)
  next.asked = asked
  return next
}
/** Put operations of one instruction in flight: they share one number. */
export const issuing = (m: Machine, operations: ReadonlyArray<InFlight>): Machine => {
  const next = copyOf(m)
  next.inFlight = [...m.inFlight, ...operations]
  next.issued = m.issued + 1
  return next
}
export const countValue = (m: Machine): Machine => {
  const next = copyOf(m)
  next.values = m.values + 1
  return next
}
export const withEdit = (m: Machine, edit: Edit | null): Machine => {
  const next = copyOf(m)
  next.edit = edit
  return next
}

export const withGroups = (a: AgentState, groups: Groups): AgentState =>
  agentState(a.status, a.stand, a.ready, a.at, groups)
export const closeGroup = (g: Groups, family: keyof Groups): Groups => ({
  bulk: g.bulk + (family === 'bulk' ? 1 : 0),
  wgmma: g.wgmma + (family === 'wgmma' ? 1 : 0),
  cpAsync: g.cpAsync + (family === 'cpAsync' ? 1 : 0),
  cluster: g.cluster + (family === 'cluster' ? 1 : 0),
})
