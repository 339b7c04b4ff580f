/**
 * Random programs and schedules.
 *
 * A program is drawn as a seed of a *skeleton* (`semantics/schedules/naive/random.ts`): rings of producers and consumers as they should be, rings that were
 * damaged a little, and operations in no order at all; one in three is right. Each is a valid program that can be launched. What is not valid
 * comes from `damaged` (`json.ts`).
 *
 *     fc.assert(fc.property(program(), schedule(), (p, s) => ... ))
 *
 * A seed says nothing about size, so it does not shrink; a schedule shrinks towards `eager`.
 *
 * Laws
 * 1. Every program is valid, and can be launched.
 * 2. Programs that are right and programs that are wrong occur, each at least one time in ten.
 * 3. Every policy occurs.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { unreachable } from '../failure.js'
import { embed, ringOf, skeletonOf, type Families, type Style } from '../semantics/schedules/naive/index.js'
import type { Skeleton } from '../semantics/schedules/naive/skeleton.js'
import * as Policy from '../semantics/execution/policy.js'
import type { AnyPolicy } from '../semantics/execution/policy.js'
import type { Program } from '../semantics/language/program.js'

// ---------------------------------------------------------------- programs

const embedded = (skeleton: Skeleton): Program => {
  const made = embed(skeleton)
  return E.isRight(made) ? made.right.program : unreachable(made.left.message)
}

const seeds: fc.Arbitrary<number> = fc.noShrink(fc.nat(2 ** 31 - 1))

/** The synchronisation of a program, of all families of instructions unless some are left out. */
export const skeleton = (families?: Families): fc.Arbitrary<Skeleton> =>
  seeds.map((seed) => skeletonOf(seed, families))

/** A valid program, which may be right or wrong. */
export const program = (families?: Families): fc.Arbitrary<Program> => skeleton(families).map(embedded)

const styles: ReadonlyArray<Style> = [
  'generic',
  'load',
  'wgmma',
  'tensor',
  'store',
  'remote',
  'mixed',
  'copy',
  'multicast',
]

/** A producer and a consumer that are right in every schedule. */
export const cleanProgram = (): fc.Arbitrary<Program> =>
  fc.tuple(seeds, fc.constantFrom(...styles)).map(([seed, style]) => embedded(ringOf(seed, style)))

// ---------------------------------------------------------------- schedules

/** A policy and its name. */
export interface Schedule {
  readonly name: string
  readonly policy: AnyPolicy
}

/** How events are chosen: in fixed ways, at random from a seed, or with one of `agents` agents starved. */
export const schedule = (agents: number = 4): fc.Arbitrary<Schedule> =>
  fc.oneof(
    fc.constantFrom<Schedule[]>(
      { name: 'eager', policy: Policy.eager },
      { name: 'lazy', policy: Policy.lazy },
      { name: 'roundrobin', policy: Policy.roundRobin },
    ),
    fc.nat(9_999).map((seed) => ({ name: `seeded:${String(seed)}`, policy: Policy.seeded(seed) })),
    fc.tuple(fc.nat(Math.max(0, agents - 1)), fc.nat(99)).map(([agent, seed]) => ({
      name: `agent ${String(agent)} starved, seed ${String(seed)}`,
      policy: Policy.starvingAgent(agent, seed),
    })),
  )
