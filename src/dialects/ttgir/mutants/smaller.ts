/**
 * Smaller launches of a module, of which every schedule can be followed: fewer steps of a loop, fewer tiles.
 *
 * What a protocol does depends on its steps and slots, and not on how far a tensor reaches. Which argument says how many steps a loop takes is not asked:
 * each scalar is tried with each constant that a loop steps by, and what was as large as the scalar becomes as large as it is now. A launch is
 * taken where the program is as right as before, and where it is shortest.
 *
 *     grid 2,2  K=192 a=f16[256,192] b=f16[192,256], a loop by 64      grid 1,1  K=64 a=f16[128,64] b=f16[64,128]      1 step, one tile
 *
 * Laws
 * 1. A smaller launch has the verdict of the launch, proves what that proves, and runs fewer events.
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../../greatest.js'
import { check, type CheckOptions } from '../../../semantics/verdict/check.js'
import { rowMajor, type GivenTensor } from '../elaboration/arguments.js'
import type { Elaborate } from '../elaboration/elaborate.js'
import { everyOperation } from '../elaboration/regions.js'
import { attributeOf, type Module, type Operation } from '../text/syntax.js'
import { groundOf, type Ground } from './mutants.js'

const constantOf = (op: Operation): number | null => {
  const a = op.name === 'arith.constant' ? attributeOf(op.attributes, 'value') : undefined
  return a?._tag === 'integer' ? Number(a.value) : null
}

/** Constants that loops step by. */
const stepsIn = (m: Module): ReadonlyArray<number> => {
  const operations = everyOperation(m.operations)
  const constants = new Map(
    operations.flatMap((op) => {
      const n = constantOf(op)
      return n === null ? [] : op.names.map(({ name }) => [name, n] as const)
    }),
  )
  const steps = operations
    .filter((op) => op.name === 'scf.for')
    .flatMap((op) => op.operands['step'] ?? [])
    .flatMap(({ name }) => constants.get(name) ?? [])
  return [...new Set(steps)].filter((n) => n > 1)
}

/** Slots of the deepest ring. */
const deepest = (m: Module): number =>
  greatest(1)(
    everyOperation(m.operations).flatMap((op) => {
      const type = op.results[0]
      return op.name === 'ttg.local_alloc' && type?._tag === 'memdesc' && type.shape.length === 3
        ? [type.shape[0]!]
        : []
    }),
  )

/** What is as large as some numbers, made as large as others. */
const resized = (
  launch: Elaborate,
  grid: ReadonlyArray<number>,
  by: ReadonlyMap<number, number>,
): Elaborate => {
  const tensor = (t: GivenTensor): GivenTensor => {
    const shape = t.shape.map((n) => by.get(n) ?? n)
    const isPlain = rowMajor(t.shape).join() === t.strides.join()
    return { ...t, shape, strides: isPlain ? rowMajor(shape) : t.strides }
  }
  const scalar = (n: number | bigint): number | bigint => {
    const other = by.get(Number(n))
    return other === undefined ? n : typeof n === 'bigint' ? BigInt(other) : other
  }
  return {
    ...launch,
    grid,
    tensors: new Map([...launch.tensors].map(([name, t]) => [name, tensor(t)])),
    ...(launch.scalars === undefined
      ? {}
      : { scalars: new Map([...launch.scalars].map(([name, n]) => [name, scalar(n)])) }),
  }
}

/** One program along each axis, and the extents of tensors that its tiles leave. */
const oneTile = (
  launch: Elaborate,
): ReadonlyArray<readonly [ReadonlyArray<number>, ReadonlyMap<number, number>]> => {
  const along = launch.grid.filter((n) => n > 1)
  const extents = new Set([...launch.tensors.values()].flatMap((t) => t.shape))
  const by = new Map<number, number>()
  for (const n of extents)
    for (const g of along) if (n % g === 0 && n / g >= 16 && !by.has(n)) by.set(n, n / g)
  const whole: readonly [ReadonlyArray<number>, ReadonlyMap<number, number>] = [launch.grid, new Map()]
  return along.length === 0 ? [whole] : [[launch.grid.map(() => 1), by], whole]
}

interface Shrunk {
  readonly ground: Ground
  readonly events: number
}

const shrunk = (
  m: Module,
  launch: Elaborate,
  options: CheckOptions,
  was: Shrunk,
  proved: boolean,
): Shrunk | null => {
  const ground = groundOf(m, launch)
  if (E.isLeft(ground)) return null
  const checked = check(ground.right.program, options)
  if (E.isLeft(checked)) return null
  const { verdict, schedule } = checked.right
  const same = verdict.verdict === 'ok' && (verdict.provenance?.proved ?? false) === proved
  return same && schedule.length < was.events ? { ground: ground.right, events: schedule.length } : null
}

/** Launches of 1, of 2, and of one more step than the deepest ring has slots; the shortest of each. */
export const smallerLaunches = (m: Module, ground: Ground, options: CheckOptions): ReadonlyArray<Ground> => {
  const { launch, program } = ground
  const whole = check(program, options)
  if (E.isLeft(whole) || whole.right.verdict.verdict !== 'ok') return []
  const was: Shrunk = { ground, events: whole.right.schedule.length }
  const proved = whole.right.verdict.provenance?.proved ?? false
  const scalars = [
    ...new Set([...(launch.scalars ?? new Map<string, number | bigint>()).values()].map(Number)),
  ]
  const found = [1, 2, deepest(m) + 1].flatMap((trips): ReadonlyArray<Shrunk> => {
    const candidates = oneTile(launch).flatMap(([grid, tiles]) =>
      scalars.flatMap((n) =>
        stepsIn(m).flatMap((step) =>
          n % step === 0 && n / step > trips
            ? [resized(launch, grid, new Map([...tiles, [n, step * trips]]))]
            : [],
        ),
      ),
    )
    const good = candidates.flatMap((c) => {
      const one = shrunk(m, c, options, was, proved)
      return one === null ? [] : [one]
    })
    const [first, ...others] = good
    return first === undefined ? [] : [others.reduce((x, y) => (y.events < x.events ? y : x), first)]
  })
  return found.map((s) => s.ground)
}
