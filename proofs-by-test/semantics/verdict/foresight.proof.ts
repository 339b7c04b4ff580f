/**
 * What is foreseen of a run, and what becomes of it. Oracle: the run itself.
 *
 * | what                                                     | oracle                                     |
 * |----------------------------------------------------------|--------------------------------------------|
 * | events of a grid of equal blocks                         | those of its run                           |
 * | nothing of few blocks, nor of one that is stuck          | by the text                                |
 * | the run has the fuel that is answered, or is not begun   | the outcome of the check                   |
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { refuse } from '../../../src/failure.js'
import * as S from '../../../src/kernels/broken/zoo/twin.js'
import { fuelForeseen } from '../../../src/oracle/cli/judging.js'
import { unit } from '../../../src/numerics/unit.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { standardFuel } from '../../../src/semantics/execution/run.js'
import { i32 } from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { foresee, type Foreseen } from '../../../src/semantics/verdict/foresight.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { right } from '../../either.js'
import { block, out, programOf, tileAt } from './core-grids.js'

const turning = (blocks: number, turns: number): Program =>
  programOf('turning', blocks, function* () {
    const to = yield* out
    yield* S.together({
      *producer() {
        yield* B.forRange({ label: 'for', from: i32(0), to: i32(turns) }, function* () {
          yield* S.writeGlobal('write', S.rows(to, tileAt(block)))
        })
      },
      *consumer() {},
    })
  })
const foreseenOf = (program: Program): Foreseen | null =>
  foresee(right(launch(program, unit, noArguments)), eager, standardFuel)
const how: CheckOptions = Object.assign({}, standardOptions, { explore: false, everyCluster: true })
const countsOf = (program: Program, options: CheckOptions) => right(check(program, options)).verdict

describe('foresight', () => {
  test.each([
    [16, 1],
    [20, 7],
    [70, 3],
  ])('of %i blocks of %i turns: as many events as the run has', (blocks, turns) => {
    const program = turning(blocks, turns)
    const { counts } = countsOf(program, how)
    expect(foreseenOf(program)).toEqual({ events: counts.steps + blocks, clusters: blocks })
  })

  test('nothing of few blocks', () => {
    expect(foreseenOf(turning(15, 2))).toBe(null)
  })

  test('nothing of a block that does not come to its end', () => {
    const stuck = programOf('stuck', 32, function* () {
      yield* S.wait('wait full', yield* S.barrier('full'), 0)
    })
    expect(foreseenOf(stuck)).toBe(null)
  })

  test('the run has the fuel that is answered', () => {
    const program = turning(32, 5)
    const asked = (fuel: number, enough: number) =>
      countsOf(program, Object.assign({}, how, { fuel, fuelFor: () => E.right(enough) })).verdict
    expect(asked(50, 10_000)).toBe('ok')
    expect(asked(10_000, 50)).toBe('out-of-fuel')
  })

  test('a run that is refused is not begun, and one by classes is not asked about', () => {
    const program = turning(80, 5)
    const fuelFor: NonNullable<CheckOptions['fuelFor']> = () => refuse('run.cost', 'too long')
    expect(E.isLeft(check(program, Object.assign({}, how, { fuelFor })))).toBe(true)
    expect(countsOf(program, Object.assign({}, how, { fuelFor, everyCluster: false })).classes).toHaveLength(
      1,
    )
  })

  test('the command line takes twice what is foreseen, refuses what is too much, and obeys its flag', () => {
    const told: string[] = []
    const fits = () => E.right(null)
    const asked = (options: Readonly<Record<string, string>>, events: number | null) =>
      fuelForeseen(options, 'k', fits, 1000, (what) => told.push(what))(() =>
        events === null ? null : { events, clusters: 100 },
      )
    expect(asked({}, null)).toEqual(E.right(1000))
    expect(asked({}, 10)).toEqual(E.right(1000))
    expect(asked({}, 20_000_000)).toEqual(E.right(40_000_000))
    expect(asked({}, 70_000_000)).toMatchObject({ left: { code: 'run.cost' } })
    expect(asked({ fuel: '1000' }, 70_000_000)).toEqual(E.right(1000))
    expect(told).toHaveLength(3)
    expect(told[1]).toContain('20,000,000 events and 222 s')
  })

  test('where something is against a run of every cluster, none is run to find out how long it is', () => {
    const against = () => refuse('run.cost', 'too many')
    const asked = fuelForeseen(
      {},
      'k',
      against,
      1000,
      () => undefined,
    )(() => {
      throw new Error('asked')
    })
    expect(asked).toMatchObject({ left: { code: 'run.cost' } })
  })
})
