/**
 * Control: how an agent gets from one effect to the next.
 *
 * Between two effects an agent only evaluates expressions and walks regions; no other agent can observe it. So `advance` runs it up to
 * its next `Do` (or fork, or join, or its end) and leaves it *ready*, with the operands of that statement evaluated. The frame
 * is copied once and filled in place before anybody else sees it.
 *
 * Law: an agent's control depends on the values it was given and on nothing else (C1 asks that those do not depend on timing).
 */
import type { ExprNode } from '../language/expression.js'
import type { LinkedCarried, LinkedFork, LinkedRegion, LinkedStmt } from '../language/link.js'
import { operandsOf } from '../language/signature.js'
import { endless, outOfFuel, spend } from '../machine/effort.js'
import { valueIn } from '../machine/evaluate.js'
import { agree, agreeOn, beside, effect, heldOf, hold, restore, type Beside } from './fellows.js'
import { prepare } from './prepare.js'
import { effectIn, worksIn } from './works.js'
import { noNames, type Names } from '../machine/environment.js'
import { control, coreStand, type Control, type CoreFellows, type Held } from '../machine/stand.js'
import { agentState, type AgentState, type Ready } from '../machine/state.js'
import * as V from '../machine/value.js'
import type { FaultValue, Value } from '../machine/value.js'
import type { Standpoint } from '../machine/front.js'
import type { World } from '../machine/world.js'

export type Slots = (Value | undefined)[]

/** Where the walk stands: an environment, and the control; local to one `advance`. */
interface Walk {
  readonly world: World
  readonly at: Standpoint
  readonly names: Names
  frame: Slots
  control: Control | null
  ready: Ready | null
  /** what the frame holds in the clusters that are followed; null: it is not asked */
  readonly beside: Beside | null
}

export const iterationOf = (c: Control | null): ReadonlyArray<number> => (c === null ? [] : c.iteration)

/** Past the statement that stands there. */
export const past = (c: Control): Control => control(c.region, c.pc + 1, c.after, c.iteration, c.next)

const stop = (w: Walk, fault: FaultValue, site: number): void => {
  w.ready = { _tag: 'fault', site, iteration: iterationOf(w.control), fault }
}

const intOf = (w: Walk, e: ExprNode, site: number): number | null => {
  const v = valueIn(w, e)
  agree(w.beside, w, e, v)
  if (typeof v === 'number') return v
  stop(w, V.isFault(v) ? v : V.fault('type.mismatch', `expected an i32, found ${V.kindOf(v)}`), site)
  return null
}

/** Values that flow from one place to another; and what they are for the fellows, null: the same. */
interface Flow {
  readonly values: ReadonlyArray<Value>
  readonly held: ReadonlyArray<Held | null> | null
}

const flowOf = (w: Walk, es: ReadonlyArray<ExprNode>): Flow => {
  const values = es.map((e) => valueIn(w, e))
  const { beside } = w
  return { values, held: beside === null ? null : es.map((e, i) => heldOf(beside, w, e, values[i]!)) }
}

const bindAll = (w: Walk, slots: ReadonlyArray<number>, { values, held }: Flow): void => {
  slots.forEach((slot, i) => {
    w.frame[slot] = values[i]
    hold(w.beside, slot, held?.[i] ?? null)
  })
}

const inits = (w: Walk, carried: ReadonlyArray<LinkedCarried>): Flow =>
  flowOf(
    w,
    carried.map((c) => c.init),
  )

const enter = (
  w: Walk,
  region: LinkedRegion,
  after: Control['after'],
  iteration: ReadonlyArray<number>,
  next: Control | null,
): void => {
  w.control = control(region, 0, after, iteration, next)
}

/** Values that flow into a region's parameters, or into the slots of its carried binders when it has none of its own. */
const giveRegion = (
  w: Walk,
  region: LinkedRegion,
  carried: ReadonlyArray<LinkedCarried>,
  flow: Flow,
): void => {
  bindAll(
    w,
    carried.map((c) => c.slot),
    flow,
  )
  // a loop body may name the index and the carried values as parameters of its own
  bindAll(w, region.params, flow)
}

/** The agents of all branches but the first, which is the agent itself. */
const childrenOf = ({ world, at }: Walk, s: LinkedFork): ReadonlyArray<number> => {
  const first = at.agent - (at.agent % world.agentsPerCta)
  return s.branches.slice(1).map((b) => first + b.agent)
}

/** What a test or a wait has to do with peeks; true: the wait is not made at all. */
const peekOf = (
  w: Walk,
  { peek }: Extract<LinkedStmt, { readonly _tag: 'Do' }>,
): 'makes' | V.PeekValue | true | null | FaultValue => {
  if (peek === undefined) return null
  if (peek === 'makes') return peek
  const v = valueIn(w, peek)
  agree(w.beside, w, peek, v)
  if (typeof v === 'boolean') return v ? true : null
  if (typeof v === 'object' && (v._tag === 'peek' || v._tag === 'fault')) return v
  return V.fault('type.mismatch', `when: expected an i1, found ${V.kindOf(v)}`)
}

/** An expression was evaluated, and its value comes to these slots. */
const tell = (w: Walk, site: number, e: ExprNode, slots: ReadonlyArray<number>): void => {
  const { pace } = w.world
  if (pace === undefined) return
  for (const work of worksIn(w.frame, site, e, slots)) pace.told(w.at.agent, work)
}

/** A statement with an effect is next, and its operands were evaluated. */
const tellEffect = (w: Walk, s: Extract<LinkedStmt, { readonly _tag: 'Do' }>): void => {
  const { pace } = w.world
  if (pace === undefined) return
  const operands = operandsOf(s.instruction).map(({ expr }) => expr)
  for (const e of operands) tell(w, s.site, e, [])
  pace.told(w.at.agent, effectIn(s.instruction._tag, s.site, operands, s.results))
}

const statement = (w: Walk, s: LinkedStmt): void => {
  const here = w.control!
  switch (s._tag) {
    case 'Let': {
      const v = valueIn(w, s.expr)
      tell(w, s.site, s.expr, [s.slot])
      hold(w.beside, s.slot, heldOf(w.beside, w, s.expr, v))
      w.frame[s.slot] = v
      w.control = past(here)
      return
    }
    case 'Do': {
      if (s.when !== null) {
        const c = valueIn(w, s.when)
        agree(w.beside, w, s.when, c)
        if (typeof c !== 'boolean') {
          stop(
            w,
            V.isFault(c) ? c : V.fault('type.mismatch', `when: expected an i1, found ${V.kindOf(c)}`),
            s.site,
          )
          return
        }
        if (!c) {
          for (const r of s.results) {
            w.frame[r] = undefined
            hold(w.beside, r, null)
          }
          w.control = past(here)
          return
        }
      }
      const peek = peekOf(w, s)
      // a constant has come to it in the place of an outcome
      if (peek === true) {
        w.control = past(here)
        return
      }
      tellEffect(w, s)
      const prepared = peek !== null && V.isFault(peek) ? peek : prepare(w, s.instruction, peek)
      if (peek === null || !V.isFault(peek))
        effect(w.beside, w, s.instruction, prepared, (theirs) => prepare(theirs, s.instruction, peek))
      w.ready = V.isFault(prepared)
        ? { _tag: 'fault', site: s.site, iteration: here.iteration, fault: prepared }
        : {
            _tag: 'do',
            site: s.site,
            iteration: here.iteration,
            layouts: s.layouts,
            resume: s,
            prepared,
          }
      return
    }
    case 'For': {
      const from = intOf(w, s.from, s.site)
      const to = intOf(w, s.to, s.site)
      const step = intOf(w, s.step, s.site)
      if (from === null || to === null || step === null) return
      if (step <= 0) {
        stop(w, V.fault('loop.step', `the step of a loop must be positive, found ${String(step)}`), s.site)
        return
      }
      loop(w, s, from, to, step, inits(w, s.carried), past(here))
      return
    }
    case 'While': {
      giveRegion(w, s.before, s.carried, inits(w, s.carried))
      enter(w, s.before, { _tag: 'before', stmt: s, turn: 0 }, [...here.iteration, 0], past(here))
      return
    }
    case 'If': {
      const c = valueIn(w, s.cond)
      agree(w.beside, w, s.cond, c)
      if (typeof c !== 'boolean') {
        stop(
          w,
          V.isFault(c) ? c : V.fault('type.mismatch', `if: expected an i1, found ${V.kindOf(c)}`),
          s.site,
        )
        return
      }
      enter(w, c ? s.then : s.else, { _tag: 'if', stmt: s }, here.iteration, past(here))
      return
    }
    case 'Fork':
      w.ready = {
        _tag: 'fork',
        site: s.site,
        iteration: here.iteration,
        children: childrenOf(w, s),
        stmt: s,
      }
      return
  }
}

/** One more turn of a loop with these carried values, or its results. */
const loop = (
  w: Walk,
  s: Extract<LinkedStmt, { readonly _tag: 'For' }>,
  index: number,
  to: number,
  step: number,
  flow: Flow,
  next: Control | null,
): void => {
  if (index >= to) {
    bindAll(w, s.results, flow)
    w.control = next
    return
  }
  w.frame[s.index] = index
  hold(w.beside, s.index, null)
  giveRegion(w, s.body, s.carried, flow)
  const outer = next === null ? [] : next.iteration
  enter(w, s.body, { _tag: 'for', stmt: s, index, to, step }, [...outer, index], next)
}

const endOfRegion = (w: Walk): void => {
  const here = w.control!
  const after = here.after
  const flow = flowOf(w, here.region.yields)
  const { values, held } = flow
  const next = here.next
  switch (after._tag) {
    case 'end':
      w.control = null
      return
    case 'for':
      loop(w, after.stmt, after.index + after.step, after.to, after.step, flow, next)
      return
    case 'before': {
      const [go, ...args] = values
      const [goes, ...others] = held ?? []
      if (w.beside !== null) agreeOn(w.beside, goes ?? null, go)
      const rest: Flow = { values: args, held: others }
      if (typeof go !== 'boolean') {
        stop(w, V.isFault(go) ? go : V.fault('type.mismatch', 'while: expected an i1'), after.stmt.site)
        return
      }
      if (!go) {
        bindAll(w, after.stmt.results, rest)
        w.control = next
        return
      }
      bindAll(w, after.stmt.after.params, rest)
      enter(w, after.stmt.after, { _tag: 'after', stmt: after.stmt, turn: after.turn }, here.iteration, next)
      return
    }
    case 'after': {
      const turn = after.turn + 1
      giveRegion(w, after.stmt.before, after.stmt.carried, flow)
      const outer = next === null ? [] : next.iteration
      enter(w, after.stmt.before, { _tag: 'before', stmt: after.stmt, turn }, [...outer, turn], next)
      return
    }
    case 'if':
      bindAll(w, after.stmt.results, flow)
      w.control = next
      return
    case 'branch':
      // the frame of the parent comes back; its results are bound when all branches have ended
      w.ready = {
        _tag: 'join',
        site: after.stmt.site,
        iteration: iterationOf(next),
        children: childrenOf(w, after.stmt),
        stmt: after.stmt,
        values,
        held,
      }
      w.frame = after.frame.slice()
      if (w.beside !== null) restore(w.beside, after.fellows)
      w.control = next
      return
  }
}

/** From `first` to the next effect, or to the end, in a frame that no other agent has. */
export const walk = (
  world: World,
  at: Standpoint,
  frame: Slots,
  first: Control | null,
  event: number,
  groups: AgentState['groups'],
  fellows: CoreFellows | null,
): AgentState => {
  const w: Walk = {
    world,
    at,
    names: noNames,
    frame,
    control: first,
    ready: null,
    beside: beside(fellows),
  }
  const { effort } = world
  let site = 0
  let steps = 0
  while (w.ready === null && w.control !== null) {
    const here = w.control
    const s = here.region.body[here.pc]
    if (s !== undefined) site = s.site
    // steps of control, and not what they compute: a large tile takes long and comes to its end
    if (++steps > endless)
      stop(w, V.fault('loop.endless', 'control runs without an effect and without an end'), site)
    else if (!spend(effort, 1)) stop(w, outOfFuel, site)
    else if (s === undefined) endOfRegion(w)
    else statement(w, s)
  }
  const stand = coreStand(w.frame, w.control, w.beside)
  return agentState(w.ready === null ? 'done' : 'running', stand, w.ready, event, groups)
}

/** Start a body: its frame holds nothing but what the caller puts there. */
export const start = (
  world: World,
  at: Standpoint,
  a: AgentState,
  region: LinkedRegion,
  frame: Slots,
  fellows: CoreFellows | null,
): AgentState =>
  walk(world, at, frame, control(region, 0, { _tag: 'end' }, [], null), a.at, a.groups, fellows)
