/**
 * Tensor memory: what a whole program demands of it.
 *
 * | rule                                                                     | code              |
 * |--------------------------------------------------------------------------|-------------------|
 * | what is allocated holds the tensor memory that is declared               | T3                |
 * | all tcgen05 instructions that name a cta_group name the same one          | tcgen05.ctaGroup  |
 * | cta_group 2 needs pairs: a cluster of an even number of CTAs              | M7                |
 *
 * Laws
 * 1. The table, row by row.
 *
 * Source: PTX ISA 9, tcgen05: issue granularity and cta_group, alloc.
 */
import { showShape, sizeOf } from '../../../transforms/shape.js'
import { usedOf } from '../place.js'
import { effectsOf, type Do, type Site } from '../program.js'
import { about, space, statement } from '../refusal.js'
import { type Checked, first, no } from './problem.js'
import type { Scene } from './scope.js'

// ---------------------------------------------------------------- destructors

interface Grouped {
  readonly name: string
  readonly ctaGroup: 1 | 2
  readonly site: Site
}
/** A copy may name the pair whose barrier it signals, and need not be alike: any other instruction with the field must. */
const groupOf = ({ instruction: i, site }: Do): ReadonlyArray<Grouped> =>
  'ctaGroup' in i && i._tag !== 'tma.load' && i._tag !== 'tma.gather'
    ? [{ name: i._tag, ctaGroup: i.ctaGroup, site }]
    : []

// ---------------------------------------------------------------- rules

/** The columns that the program allocates must hold its tensor memory. */
const allocatedColumns = ({ program }: Scene, effects: ReadonlyArray<Do>): Checked => {
  const allocations = effects.flatMap(({ instruction: i }) => (i._tag === 'tcgen05.alloc' ? [i.columns] : []))
  const needed = usedOf(program.storage, 'tmem') / 4
  const given = allocations.reduce((sum, columns) => sum + columns, 0)
  return allocations.length === 0 || needed <= given
    ? null
    : about(
        no(
          'T3',
          `${program.name}: the tensor memory takes ${String(needed)} columns, but only ${String(given)} are allocated`,
        ),
        space('tmem'),
      )
}

const oneGroup = ({ program }: Scene, grouped: ReadonlyArray<Grouped>): Checked => {
  const [some] = grouped
  const other = grouped.find((g) => g.ctaGroup !== some?.ctaGroup)
  return some === undefined || other === undefined
    ? null
    : about(
        no(
          'tcgen05.ctaGroup',
          `${program.name}: all tcgen05 instructions of a kernel have one cta_group, found ${String(some.ctaGroup)} of ${some.name} and ${String(other.ctaGroup)} of ${other.name}`,
        ),
        statement(some.site),
        statement(other.site),
      )
}

const pairs = ({ program }: Scene, grouped: ReadonlyArray<Grouped>): Checked => {
  const pair = grouped.find((g) => g.ctaGroup === 2)
  const { cluster } = program.launch
  return pair === undefined || sizeOf(cluster) % 2 === 0
    ? null
    : about(
        no(
          'M7',
          `${pair.name}: cta_group 2 needs clusters of an even number of CTAs, found a cluster of ${showShape(cluster)}`,
        ),
        statement(pair.site),
      )
}

/** What no single instruction shows. */
export const tensorMemoryRules = (scene: Scene): Checked => {
  const effects = effectsOf(scene.program.entry.body)
  const grouped = effects.flatMap(groupOf)
  return first([
    () => allocatedColumns(scene, effects),
    () => oneGroup(scene, grouped),
    () => pairs(scene, grouped),
  ])
}
