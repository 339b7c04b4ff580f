/**
 * setMaxRegisters: the threads of a warpgroup give registers back, or take more.
 *
 * To take more waits until the CTA's pool has them (`machine/registers.ts`); to give back never waits. It is no hint: a
 * count that would be no decrease, or no increase, is undefined and a fault here (A2).
 *
 *     producer: decrease 40        consumer: increase 232, blocked until the producer has given back enough
 *
 * Source: PTX ISA, setmaxnreg.
 */
import type { InstructionOf } from '../language/instruction.js'
import type { Agent } from '../language/program.js'
import type { RegistersEvent } from '../log/events.js'
import { ctaOf, effect, type Effect, type Executing } from '../machine/effect.js'
import type { Prepared } from '../machine/operation.js'
import * as Registers from '../machine/registers.js'
import { withRegisters, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { changes, weak, type Family } from '../machine/family.js'
import { registerTable, table } from '../machine/touches.js'

type Of = Extract<Prepared, { readonly _tag: 'setMaxRegisters' }>

export const prepare = (i: InstructionOf<'setMaxRegisters'>): Prepared => ({
  _tag: 'setMaxRegisters',
  count: i.count,
  action: i.action,
})

const agentOf = (world: World, agent: number): Agent => world.front.agents[agent % world.agentsPerCta]!

export const blocked = (world: World, agent: number, m: Machine, p: Of): boolean =>
  p.action === 'increase' &&
  !Registers.fits(
    m.registers,
    ctaOf(world, agent),
    agentOf(world, agent),
    p.count,
    Registers.pool(world.front.agents),
  )

export const event = (x: Executing, m: Machine, p: Of, isBlocked: boolean): RegistersEvent => ({
  _tag: 'registers',
  stamp: x.stamp,
  count: p.count,
  needs: Registers.needs(m.registers, ctaOf(x.world, x.agent), agentOf(x.world, x.agent), p.count),
  free: Registers.pool(x.world.front.agents) - Registers.inUse(m.registers, ctaOf(x.world, x.agent)),
  blocked: isBlocked,
})

export const execute = (x: Executing, m: Machine, p: Of): Effect | FaultValue => {
  const agent = agentOf(x.world, x.agent)
  const cta = ctaOf(x.world, x.agent)
  const now = m.registers[cta * Registers.warpsOfCta + agent.firstWarp]!
  const wrong = p.action === 'increase' ? p.count < now : p.count > now
  if (wrong)
    return V.fault(
      'A2',
      `setMaxRegisters: cannot ${p.action} to ${String(p.count)}, a thread of ${agent.name} has ${String(now)} registers`,
    )
  return effect(withRegisters(m, Registers.withCount(m.registers, cta, agent, p.count)), [
    event(x, m, p, false),
  ])
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'setMaxRegisters'> = {
  setMaxRegisters: {
    execute,
    waits: { of: 'registers', blocked, stands: (x, m, p) => [event(x, m, p, true)] },
    touches: () => [table(registerTable, true)],
    does: changes,
    strong: weak,
  },
}
