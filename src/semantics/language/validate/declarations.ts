/**
 * Declarations: parameters, storages, and what the program says it computes.
 *
 * | what          | rule                                                                  | code                 |
 * |---------------|-----------------------------------------------------------------------|----------------------|
 * | parameters    | distinct names; i32 extents; as many strides as extents               | name.bound-twice, param.shape |
 * | descriptors   | of a declared tensor, with a lawful box (`tensor-maps.ts`)            | param.unknown, A4    |
 * | storages      | distinct ids; a lawful layout                                         | name.bound-twice     |
 * | barriers      | in shared memory                                                      | storage.owner        |
 * | registers     | of an agent; all else of the CTA                                      | storage.owner        |
 * | placement     | a swizzled storage at a multiple of its period (8 rows of the span)   | A3                   |
 * | how many      | 4096 storages, 4096 parameters                                        | storage.size, param.shape |
 * | sizes         | 227 KiB of shared memory, 512 columns of tensor memory                | A1, T3               |
 * |               | 256 KiB of registers in one storage                                   | storage.size         |
 * | overlaps      | only members of one union                                             | storage.overlap      |
 * | computes      | names declared tensors                                                | param.unknown        |
 *
 * A swizzle of 128 bytes has a period of 1024: at 512 the pattern would be another, so the buffer must start at a multiple of 1024.
 *
 * Laws
 * 1. The table, row by row, each with a program that breaks that row alone.
 *
 * Source: PTX ISA 9, shared memory limits, swizzle atoms.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { ExprNode } from '../expression.js'
import { mostDeclarations, mostPlaneBytes, mostRegisterBytes } from '../limits.js'
import { checkLimits, extentOf, lengthOf } from '../place.js'
import { type Program } from '../program.js'
import { about, declared } from '../refusal.js'
import { checkType, storageType } from '../typecheck.js'
import { i32 } from '../types.js'
import { type Checked, each, first, no } from './problem.js'
import { type Here, type Scene, expect } from './scope.js'
import { descriptorRules } from './tensor-maps.js'

/** A program has so many of a kind. */
const tooMany = (
  code: 'param.shape' | 'storage.size',
  what: string,
  declared: ReadonlyArray<unknown>,
): Checked =>
  declared.length <= mostDeclarations
    ? null
    : no(code, `expected at most ${String(mostDeclarations)} ${what}, found ${String(declared.length)}`)

// ---------------------------------------------------------------- parameters

/** Every parameter. */
export const paramRules = (scene: Scene, here: Here): Checked =>
  tooMany('param.shape', 'parameters', scene.program.params) ??
  each(scene.program.params, (param, k) => {
    if (scene.program.params.slice(0, k).some(({ name }) => name === param.name))
      return no('name.bound-twice', `there are two parameters ${param.name}`)
    const ints = (what: string, exprs: ReadonlyArray<ExprNode>): Checked =>
      each(exprs, (expr, d) => expect(here, `${what} ${String(d)} of ${param.name}`, expr, i32))
    switch (param._tag) {
      case 'scalar':
        return null
      case 'tensor':
        return param.shape.length === param.strides.length
          ? first([() => ints('extent', param.shape), () => ints('stride', param.strides)])
          : no(
              'param.shape',
              `tensor ${param.name}: expected ${String(param.shape.length)} strides, found ${String(param.strides.length)}`,
            )
      case 'descriptor':
        return first([
          () => ints('extent', param.dims),
          () => ints('stride', param.strides),
          () => descriptorRules(scene, param),
        ])
    }
  })

/** What the program says it computes. */
export const specRules = ({ program, declarations }: Scene): Checked => {
  const spec = program.computes
  if (spec === undefined) return null
  const tensors =
    spec._tag === 'copy'
      ? [spec.from, spec.out]
      : spec.scales === undefined
        ? [spec.a, spec.b, spec.out]
        : [spec.a, spec.b, spec.out, spec.scales.a, spec.scales.b]
  return each(tensors, (name) =>
    declarations.params.get(name)?._tag === 'tensor'
      ? null
      : no('param.unknown', `computes: there is no tensor parameter ${name}`),
  )
}

// ---------------------------------------------------------------- storages

const swizzleBase = (one: Program['storage'][number]): Checked => {
  if (one.contents._tag !== 'elements' || one.contents.layout.swizzle === 16) return null
  const period = 8 * one.contents.layout.swizzle
  const base = one.offset ?? one.align
  return base % period === 0
    ? null
    : no(
        'A3',
        `storage ${one.id}: a swizzle of ${String(one.contents.layout.swizzle)} bytes starts at a multiple of ${String(period)}, found ${one.offset === undefined ? `alignment ${String(one.align)}` : `offset ${String(one.offset)}`}`,
      )
}

/** Registers of an SM; addresses of 32 bits. Shared and tensor memory are summed up in `place.ts`. */
const fits = (one: Program['storage'][number]): Checked => {
  const most = one.space === 'regs' ? mostRegisterBytes : mostPlaneBytes
  const bytes = lengthOf(one)
  return bytes <= most
    ? null
    : no(
        'storage.size',
        `storage ${one.id}: expected at most ${String(most)} bytes in ${one.space}, found ${String(bytes)}`,
      )
}

const overlaps = ({ program }: Scene): Checked =>
  each(['smem', 'tmem'] as const, (space) => {
    const placed = program.storage
      .filter((one) => one.space === space && one.offset !== undefined)
      .sort((a, b) => extentOf(a).start - extentOf(b).start)
    return each(placed, (one, k) =>
      each(placed.slice(0, k), (other) => {
        const apart = extentOf(other).end <= extentOf(one).start
        const union = one.alias !== undefined && one.alias.union === other.alias?.union
        return apart || (union && one.alias.member !== other.alias.member)
          ? null
          : about(
              no(
                'storage.overlap',
                `storages ${other.id} and ${one.id} overlap in ${space} and are not members of one union`,
              ),
              declared(other.id),
              declared(one.id),
            )
      }),
    )
  })

/** Every storage, and all of them together. */
export const storageRules = (scene: Scene): Checked => {
  const { storage, name } = scene.program
  return first([
    () => tooMany('storage.size', 'storages', storage),
    () =>
      each(storage, (one, k) => {
        const problem = first([
          () =>
            storage.slice(0, k).some(({ id }) => id === one.id)
              ? no('name.bound-twice', `there are two storages ${one.id}`)
              : null,
          () => {
            const type = checkType(storageType(one))
            return E.isLeft(type) ? no(type.left.code, `storage ${one.id}: ${type.left.message}`) : null
          },
          () =>
            one.contents._tag === 'elements' || one.space === 'smem'
              ? null
              : no(
                  'storage.owner',
                  `storage ${one.id}: barriers must be in shared memory, found ${one.space}`,
                ),
          () =>
            (one.space === 'regs') === (one.owner !== 'cta')
              ? null
              : no(
                  'storage.owner',
                  `storage ${one.id}: registers belong to an agent and all else to the CTA, found ${one.space} of ${one.owner === 'cta' ? 'the CTA' : one.owner.agent}`,
                ),
          () =>
            one.owner === 'cta' || scene.agents.has(one.owner.agent)
              ? null
              : no('agent.unknown', `storage ${one.id}: no agent ${one.owner.agent} is declared`),
          () => swizzleBase(one),
          () => fits(one),
          () =>
            one.offset === undefined || one.offset % one.align === 0
              ? null
              : no(
                  'A3',
                  `storage ${one.id}: expected an offset that is a multiple of ${String(one.align)}, found ${String(one.offset)}`,
                ),
        ])
        return problem === null ? null : about(problem, declared(one.id))
      }),
    () => {
      const limits = checkLimits(name, storage)
      return E.isLeft(limits) ? limits.left : null
    },
    () => overlaps(scene),
  ])
}
