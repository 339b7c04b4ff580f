/**
 * Validation: which programs have a meaning at all.
 *
 * A program that comes from a file, from a mutation or from a builder is a plain tree. Validation decides everything about it that
 * does not need a run, and gives it back with its indices: the only way from a tree to a `Program`.
 *
 * | rule                                                                       | code            |
 * |----------------------------------------------------------------------------|-----------------|
 * | a name is bound once, and used where it is in scope; a branch of a fork sees only its captures | name.* |
 * | operands, results, conditions, bounds and yields have the types that are expected | type.*      |
 * | tiles in registers have the layouts that are expected                       | L2              |
 * | storages fit: 227 KiB of shared memory; 512 columns of tensor memory        | A1, T3          |
 * | a swizzled storage starts at a multiple of the swizzle's period             | A3              |
 * | tensor maps: box <= 256, inner bytes, strides; 128-byte aligned destinations| A4              |
 * | a tensor core arrives only on barriers that order it                        | M5              |
 * | counts of barriers and rendezvous, columns of an allocation                 | barrier.*, T3   |
 * | shapes, dtypes and layouts of the operands of an MMA                        | mma.*           |
 * | one cta_group in a kernel, and clusters that have pairs                      | tcgen05.ctaGroup, M7 |
 * | agents: distinct, their warps disjoint or nested; forks start idle ones      | agent.*         |
 *
 * A failure is one line: where (path and label of the statement), what, expected, found.
 *
 * What is checked where (each module imports only those above it):
 *
 *     program-shape   a program as plain data
 *     problem         what is wrong, and checks that look for it
 *     scope           names, agents and declarations at one place of a program
 *     operands        kinds and types of an instruction's operands
 *     tensor-maps     descriptors, boxes, bulk copies
 *     tensor-copies   tcgen05.cp, tcgen05.shift
 *     tensor-lanes    tcgen05.st: registers and lanes
 *     matrix          shapes, dtypes and operands of wgmma and tcgen05.mma
 *     instructions    the rule of each single instruction
 *     agents          launch, warps, forks
 *     declarations    parameters, storages
 *     tensor-memory   allocations, pairs of CTAs
 *     statements      statements and regions
 *
 * Laws
 * 1. Sound: an accepted program has a type for every expression, and every name it uses is bound on the way to it.
 * 2. Accepting is invariant under `encodeProgram`, `decodeProgram`.
 * 3. Validation changes nothing: the program that comes out is the one that went in.
 *
 * Source: PTX ISA 9, the restrictions of each instruction; CUDA driver API, tensor map encoding.
 */
import * as E from 'fp-ts/lib/Either.js'
import { checked } from './index-types.js'
import { type Program, programSchema } from './program.js'
import type { Refusal } from './refusal.js'
import { noNames } from './typecheck.js'
import { i32 } from './types.js'
import { agentRules, startingAgents, startingRules } from './validate/agents.js'
import { paramRules, specRules, storageRules } from './validate/declarations.js'
import { type ValidationCode, each, first, no } from './validate/problem.js'
import type { ProgramShape } from './validate/program-shape.js'
import { type Here, type Scene, expect } from './validate/scope.js'
import { validateRegion } from './validate/statements.js'
import { tensorMemoryRules } from './validate/tensor-memory.js'

export type { InstructionShape, ProgramShape, Unindexed } from './validate/program-shape.js'
export type { ValidationCode } from './validate/problem.js'
export { startingAgents } from './validate/agents.js'

/** The program with its indices, or the first thing that is wrong with it. */
export const validate = (shape: ProgramShape): E.Either<Refusal<ValidationCode>, Program> => {
  const program = checked<Program, ProgramShape>(shape)
  const scene: Scene = {
    program,
    declarations: {
      params: new Map(program.params.map((param) => [param.name, param])),
      storage: new Map(program.storage.map((one) => [one.id, one])),
    },
    agents: new Map(program.launch.agents.map((agent) => [agent.name, agent])),
    bound: new Set(program.params.flatMap((param) => (param._tag === 'scalar' ? [param.name] : []))),
  }
  const here: Here = { scene, names: noNames, runners: startingAgents(program), busy: [], elements: 0 }
  const problem = first([
    () =>
      program.schema === programSchema
        ? null
        : no('type.mismatch', `schema: expected ${programSchema}, found ${String(program.schema)}`),
    () => agentRules(scene),
    () => paramRules(scene, here),
    () => each(program.launch.grid, (extent, k) => expect(here, `grid ${String(k)}`, extent, i32)),
    () => storageRules(scene),
    () => specRules(scene),
    () => validateRegion(here, program.entry, [], []),
    () => startingRules(scene),
    () => tensorMemoryRules(scene),
  ])
  return problem === null ? E.right(program) : E.left(problem)
}
