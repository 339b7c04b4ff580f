/**
 * Effects: what executing one event does to the machine, and what it says.
 *
 * A family of instructions gives, in this order: what it reads (operands, evaluated), its checks (a fault value), its effect
 * (a new machine and log events) and its completion (operations left in flight). This module holds the common currency.
 */
import type { Dtype } from '../../numerics/dtype.js'
import { extentBytes, type TransformedRef } from '../../transforms/ref.js'
import { showShape, sizeOf } from '../../transforms/shape.js'
import type { ExprNode } from '../language/expression.js'
import { mostElements } from '../language/limits.js'
import type { LogEvent, Stamp } from '../log/events.js'
import { endOf, startOf } from '../log/events.js'
import { outOfFuel, spend } from './effort.js'
import { valueIn } from './evaluate.js'
import * as Footprint from './footprint.js'
import type { Elements } from './operation.js'
import type { Environment } from './environment.js'
import type { Machine } from './state.js'
import * as V from './value.js'
import type { BarrierValue, DescriptorValue, FaultValue, TileValue, Value, ViewValue } from './value.js'
import type { World } from './world.js'

// ---------------------------------------------------------------- model

export interface Effect {
  readonly machine: Machine
  readonly events: ReadonlyArray<LogEvent>
  readonly results: ReadonlyArray<Value>
}

/** Who executes, and how the event is stamped. */
export interface Executing {
  readonly world: World
  readonly agent: number
  readonly stamp: Stamp
}

export const effect = (
  machine: Machine,
  events: ReadonlyArray<LogEvent>,
  results: ReadonlyArray<Value> = [],
): Effect => ({ machine, events, results })

// ---------------------------------------------------------------- operands

const expected = (what: string, field: string, v: Value): FaultValue =>
  V.isFault(v) ? v : V.fault('type.mismatch', `${field}: expected ${what}, found ${V.kindOf(v)}`)

export const intOperand = (o: Environment, field: string, e: ExprNode): number | FaultValue => {
  const v = valueIn(o, e)
  return typeof v === 'number' ? v : expected('an i32', field, v)
}
export const longOperand = (o: Environment, field: string, e: ExprNode): bigint | FaultValue => {
  const v = valueIn(o, e)
  return typeof v === 'bigint' ? v : expected('an i64', field, v)
}
export const conditionOperand = (o: Environment, field: string, e: ExprNode): boolean | FaultValue => {
  const v = valueIn(o, e)
  return typeof v === 'boolean' ? v : expected('an i1', field, v)
}
export const intsOperand = (
  o: Environment,
  field: string,
  es: ReadonlyArray<ExprNode>,
): ReadonlyArray<number> | FaultValue => {
  const out: number[] = []
  for (const e of es) {
    const v = intOperand(o, field, e)
    if (typeof v !== 'number') return v
    out.push(v)
  }
  return out
}
/** One barrier, not an array of them. */
export const barrierOperand = (o: Environment, field: string, e: ExprNode): BarrierValue | FaultValue => {
  const v = valueIn(o, e)
  if (typeof v !== 'object' || v._tag !== 'barrier') return expected('a barrier', field, v)
  return v.shape.length === 0 || v.shape.every((d) => d === 1)
    ? v
    : V.fault('type.mismatch', `${field}: expected one barrier, found ${String(v.shape.join(' x '))} of them`)
}
export const descriptorOperand = (
  o: Environment,
  field: string,
  e: ExprNode,
): DescriptorValue | FaultValue => {
  const v = valueIn(o, e)
  return typeof v === 'object' && v._tag === 'descriptor' ? v : expected('a descriptor', field, v)
}
export const viewOperand = (o: Environment, field: string, e: ExprNode): ViewValue | FaultValue => {
  const v = valueIn(o, e)
  return typeof v === 'object' && v._tag === 'view' ? v : expected('a view', field, v)
}
export const tileOperand = (o: Environment, field: string, e: ExprNode): TileValue | FaultValue => {
  const v = valueIn(o, e)
  return typeof v === 'object' && v._tag === 'tile' ? v : expected('a tile', field, v)
}

/** The elements of a view operand; refused when a byte of it lies outside its plane. */
export const elementsOperand = (o: Environment, field: string, e: ExprNode): Elements | FaultValue => {
  const v = viewOperand(o, field, e)
  return V.isFault(v) ? v : elementsAt(o.world, field, v.plane, v.dtype, v.layout, v.base)
}

/** The elements of a layout at a base of a plane. They are listed once, after it is known that they are there and how many. */
export const elementsAt = (
  world: World,
  field: string,
  plane: number,
  dtype: Dtype,
  layout: TransformedRef,
  base: number,
): Elements | FaultValue => {
  const known = Footprint.known(world.footprints, plane, dtype, layout, base)
  if (known !== undefined)
    return spend(world.effort, known.offsets.length / 16) ? inBounds(world, field, known) : outOfFuel
  const elements = sizeOf(layout.shape)
  if (elements > mostElements)
    return V.fault(
      'access.size',
      `${field}: an access has at most ${String(mostElements)} elements, found ${showShape(layout.shape)}`,
    )
  const start = base + layout.byteOffset
  const end = start + extentBytes(layout)
  if (start < 0 || end > world.planeBytes[plane]!) return outside(world, field, plane, start, end)
  return spend(world.effort, elements / 4)
    ? inBounds(world, field, Footprint.ofLayout(world.footprints, plane, dtype, layout, base))
    : outOfFuel
}

const inBounds = (world: World, field: string, e: Elements): Elements | FaultValue => {
  const { spans } = e.footprint
  const start = startOf(spans)
  const end = endOf(spans)
  const size = world.planeBytes[e.plane]!
  return start < 0 || end > size ? outside(world, field, e.plane, start, end) : e
}

const outside = (world: World, field: string, plane: number, start: number, end: number): FaultValue =>
  V.fault(
    'I2',
    `${field}: bytes ${String(start)}..${String(end)} leave ${world.header.planes[plane]!.name} of ${String(world.planeBytes[plane])} bytes`,
  )

/** The agent's CTA among the resident ones. */
export const ctaOf = (world: World, agent: number): number => Math.floor(agent / world.agentsPerCta)
/** The place of its cluster among the resident ones. */
export const placeOf = (world: World, agent: number): number => Math.floor(ctaOf(world, agent) / world.ctas)
export const threadsOf = (world: World, agent: number): number =>
  32 * world.front.agents[agent % world.agentsPerCta]!.warps
