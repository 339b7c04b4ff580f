/**
 * Fellows of an agent of a core program: the same agent in other clusters of the grid.
 *
 * What an expression comes to depends on the frame and on where the cluster is in the grid, and on nothing else. So beside a slot whose value depends on the coordinates stands what
 * it is for each cluster that is followed, and an expression that reads such a slot, or the coordinates, is evaluated for each of them, by the very code that evaluates it for
 * the agent. What decides the way of the agent must be equal for all; who would go another way is parted (`machine/fellowship.ts`).
 *
 *     let m = 128 * program_id 0           0       fellows  128, 256, 384
 *     let k = 64 * i                       64      the same for all: evaluated once
 *     for i in 0 .. steps                          the same for all
 *     tma.load a at [m, k]                 bytes from 128 on; in cluster 1 the same bytes, 128 rows further on
 *     if m < 300 { .. }                    true    true, true, false: the last one is parted
 *
 * What memory gives is not known to a run without data, so it is the same for all: programs that run over data are not followed.
 *
 * Laws
 * 1. What stands beside a slot is what the slot holds when the fellow's cluster is run (the proof runs both).
 * 2. An agent with fellows does what it does without, and with the same effort.
 */
import { children, type ExprNode } from '../language/expression.js'
import type { Instruction } from '../language/instruction.js'
import { operandsOf } from '../language/signature.js'
import { effort } from '../machine/effort.js'
import { environment, type Environment } from '../machine/environment.js'
import { valueIn } from '../machine/evaluate.js'
import * as Fellowships from '../machine/fellowship.js'
import { footprints } from '../machine/footprint.js'
import type { Prepared } from '../machine/operation.js'
import { eachApart, kindsBy, met, partAll, type Fellowship, type Kinds } from '../machine/fellowship.js'
import type { CoreFellows, Held, Shifted } from '../machine/stand.js'
import * as V from '../machine/value.js'
import type { FaultValue, TileValue, Value } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { remembered, rememberedBy } from '../../remembered.js'

// ---------------------------------------------------------------- what is beside a frame

/** While an agent walks. */
export interface Beside {
  readonly of: Fellowship
  readonly slots: (Held | null | undefined)[]
}

export const beside = (fellows: CoreFellows | null): Beside | null =>
  fellows === null ? null : { of: fellows.of, slots: fellows.slots.slice() }

/** The frame is another one again. */
export const restore = (b: Beside, fellows: CoreFellows | null): void => {
  b.slots.length = 0
  fellows?.slots.forEach((held, slot) => {
    b.slots[slot] = held
  })
}

/** What an agent begins with: a run over data has no fellows. */
export const beginning = ({ algebra }: World, of: Fellowship): CoreFellows => {
  if (algebra.memory !== 'none') partAll(of)
  return { of, slots: [] }
}

// ---------------------------------------------------------------- what an expression reads

interface Reads {
  readonly slots: ReadonlyArray<number>
  /** the coordinates of its cluster */
  readonly placed: boolean
}

/** Places that are not the same in all clusters. */
const isCoordinate = (e: ExprNode): boolean =>
  e._tag === 'place' && (e.of === 'clusterId' || e.of === 'programId')

/** All that is evaluated with an expression. */
const within = (e: ExprNode): ReadonlyArray<ExprNode> =>
  e._tag === 'reduce'
    ? [...children(e), ...e.combine.body.map(({ value }) => value), e.combine.result]
    : children(e)

const readsOf = remembered((e: ExprNode): Reads => {
  const slots = new Set<number>()
  let placed = false
  const visit = (x: ExprNode): void => {
    if (x._tag === 'local') slots.add(x.slot)
    placed ||= isCoordinate(x)
    for (const y of within(x)) visit(y)
  }
  visit(e)
  return { slots: [...slots], placed }
})

/** The slots of these expressions that the fellows have otherwise; null: what they come to is the same for all. */
const differing = (b: Beside, es: ReadonlyArray<ExprNode>): ReadonlyArray<number> | null => {
  const all = es.map(readsOf)
  const slots = [...new Set(all.flatMap((r) => r.slots))].filter((slot) => (b.slots[slot] ?? null) !== null)
  return slots.length === 0 && !all.some((r) => r.placed) ? null : slots
}

// ---------------------------------------------------------------- what it is for each of them

/** Nothing that is done for a fellow is effort or a footprint of the run. */
const elsewhere = (world: World): World =>
  Object.assign({}, world, { footprints: footprints(), effort: effort() })

/** The environment of a fellow. */
const environmentOf = (
  b: Beside,
  { at, frame, names }: Environment,
  world: World,
  slots: ReadonlyArray<number>,
  fellow: number,
): Environment => {
  const { agent, cta, place } = at
  const own: (Value | undefined)[] = frame.slice()
  for (const slot of slots) own[slot] = asHeld(frame[slot], b.slots[slot]![fellow])
  return environment(world, { agent, cta, place, cluster: b.of.clusters[fellow]! }, own, names)
}

const asHeld = (own: Value | undefined, held: Held[number]): Value | undefined =>
  typeof held === 'object' && held._tag === 'shifted' ? shifted(own, held.by) : held

const shifted = (own: Value | undefined, by: number): Value | undefined =>
  typeof own === 'object' && own._tag === 'tile' && own.data !== null
    ? withData(
        own,
        own.data.map((x) => x + by),
      )
    : own

const withData = (t: TileValue, data: Float64Array): TileValue =>
  t.element === 'ptr'
    ? V.ptrTile(t.shape, t.pointee, t.plane, t.layout, data)
    : V.tile(t.shape, t.element, t.layout, data, t.origin)

/** What a fellow has, said by what the agent has, where that is less. */
const said = (own: Value, theirs: Value): Held[number] => {
  if (!isTile(own) || !isTile(theirs) || own.data === null || theirs.data === null) return theirs
  const by = theirs.data[0]! - own.data[0]!
  return isSame(
    withData(
      own,
      own.data.map((x) => x + by),
    ),
    theirs,
  )
    ? shift(by)
    : theirs
}
const shift = (by: number): Shifted => ({ _tag: 'shifted', by })
const isTile = (v: Value): v is TileValue => typeof v === 'object' && v._tag === 'tile'

const isSame = (x: unknown, y: unknown): boolean => {
  if (Object.is(x, y)) return true
  if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) return false
  if (x instanceof Float64Array || y instanceof Float64Array || Array.isArray(x) || Array.isArray(y))
    return isList(x) && isList(y) && isSameList(x, y)
  if (!isRecord(x) || !isRecord(y)) return false
  for (const key in x) if (!isSame(x[key], y[key])) return false
  for (const key in y) if (!(key in x)) return false
  return true
}
const isRecord = (x: object): x is Readonly<Record<string, unknown>> => !isList(x)
const isList = (x: object): x is ReadonlyArray<unknown> | Float64Array =>
  x instanceof Float64Array || Array.isArray(x)
const isSameList = (
  x: ReadonlyArray<unknown> | Float64Array,
  y: ReadonlyArray<unknown> | Float64Array,
): boolean => {
  if (x.length !== y.length) return false
  for (let i = 0; i < x.length; i++) if (!isSame(x[i], y[i])) return false
  return true
}

/** What an expression, which comes to `own` for the agent, comes to for each fellow; null: the same for all. */
export const heldOf = (b: Beside | null, env: Environment, e: ExprNode, own: Value): Held | null => {
  if (b === null) return null
  const slots = differing(b, [e])
  if (slots === null) return null
  const world = elsewhere(env.world)
  const held = b.of.clusters.map((): Held[number] => own)
  let isOne = true
  const kinds = kindsIn(b, slots, readsOf(e).placed)
  kinds.members.forEach((members, kind) => {
    const fellow = Fellowships.oneOf(b.of, kinds, kind)
    if (fellow === null) return
    const theirs = valueIn(environmentOf(b, env, world, slots, fellow), e)
    if (isSame(own, theirs)) return
    isOne = false
    const one = said(own, theirs)
    for (const member of members) held[member] = one
  })
  return isOne ? null : held
}

/** Fellows that have the same in these slots are of one kind; each is one of its own where its coordinates are read, or what it has is no number. */
const kindsIn = ({ of, slots: held }: Beside, slots: ReadonlyArray<number>, placed: boolean): Kinds =>
  placed || slots.length === 0
    ? eachApart(of)
    : slots.map((slot) => kindsHolding(of, held[slot]!)).reduce((a, b) => met(of, a, b))

const kindsOfHeld = rememberedBy<Held, Fellowship, Kinds>()
const kindsHolding = (of: Fellowship, held: Held): Kinds =>
  kindsOfHeld(held, of, () =>
    held.every(isWholeNumber) ? kindsBy(of, (fellow) => Number(held[fellow])) : eachApart(of),
  )
const isWholeNumber = (x: Held[number]): boolean => Number.isSafeInteger(x) && !Object.is(x, -0)

/** A value, and what it is for the fellows, comes to a slot. */
export const hold = (b: Beside | null, slot: number, held: Held | null): void => {
  if (b !== null) b.slots[slot] = held
}

/** What decides the way of the agent: fellows for which it is something else are parted. */
export const agree = (b: Beside | null, env: Environment, e: ExprNode, own: Value): void => {
  if (b !== null) agreeOn(b, heldOf(b, env, e, own), own)
}
export const agreeOn = (b: Beside, held: Held | null, own: Value | undefined): void => {
  held?.forEach((theirs, fellow) => {
    if (b.of.alike[fellow] === 1 && !isSame(own, theirs)) Fellowships.part(b.of, fellow)
  })
}

// ---------------------------------------------------------------- effects

/** The effect that an agent is ready for, beside those of its fellows. */
export const effect = (
  b: Beside | null,
  env: Environment,
  instruction: Instruction,
  prepared: Prepared | FaultValue,
  prepare: (env: Environment) => Prepared | FaultValue,
): void => {
  if (b === null || V.isFault(prepared)) return
  const { header } = env.world
  const operands = operandsOf(instruction).map(({ expr }) => expr)
  const slots = differing(b, operands)
  if (slots === null) {
    Fellowships.unmoved(header, b.of, [{ prepared }])
    return
  }
  const world = elsewhere(env.world)
  const kinds = kindsIn(
    b,
    slots,
    operands.some((e) => readsOf(e).placed),
  )
  Fellowships.follow(header, b.of, kinds, [{ prepared }], (fellow) => {
    const theirs = prepare(environmentOf(b, env, world, slots, fellow))
    return V.isFault(theirs) ? null : [{ prepared: theirs }]
  })
}

/** The same with some slots bound; `held`: to what the fellows have, null: to what the agent has. */
export const bound = (
  fellows: CoreFellows | null,
  slots: ReadonlyArray<number>,
  held: ReadonlyArray<Held | null> | null,
): CoreFellows | null => {
  if (fellows === null || slots.length === 0) return fellows
  const all = fellows.slots.slice()
  slots.forEach((slot, i) => {
    all[slot] = held?.[i] ?? null
  })
  return { of: fellows.of, slots: all }
}

/** What a frame holds for the fellows when an agent begins with some of its slots given. */
export const given = (
  of: Fellowship,
  bound: ReadonlyArray<{ readonly slot: number; readonly held: Held | null }>,
): CoreFellows => {
  const slots: (Held | null | undefined)[] = []
  for (const { slot, held } of bound) slots[slot] = held
  return { of, slots }
}
