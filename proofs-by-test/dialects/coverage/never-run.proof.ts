/**
 * An operation that is called and never run: every operation of the surfaces that adds statements, in its own kernel, called once more without `yield*`.
 * All are refused, with a label; none is dropped.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/failure.js'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { pallas, ttng } from './all.js'
import type { Row, Wrap } from './row.js'
import { sampled } from '../../extent.js'

/** Twice, of which one runs. */
const calledAgain: Wrap =
  (operation) =>
  (...args) => {
    operation(...args)
    return operation(...args)
  }

const told = (made: E.Either<Failure, Program>): string =>
  E.isRight(made) ? 'taken' : `${made.left.code}: ${made.left.message}`

const refused = <S>(surface: S, rows: ReadonlyArray<Row<S>>): void => {
  test.each(sampled(3, rows).flatMap((row) => ('change' in row ? [[row.operation, row] as const] : [])))(
    '%s',
    (_, row) => {
      expect(told(row.example.program(surface))).toBe('taken')
      expect(told(row.example.program(row.change(surface, calledAgain)))).toMatch(
        /^build\.not-run: .*: made and never run: expected yield\* before it$/,
      )
    },
  )
}

describe('Pallas:MGPU', () => {
  refused(
    pallas.surface,
    pallas.rooms.flatMap(([, rows]) => rows),
  )
})
describe('Triton', () => {
  refused(
    ttng.surface,
    ttng.rooms.flatMap(([, rows]) => rows),
  )
})

describe('bodies of Pallas, which are written more than once', () => {
  type Body = () => B.Steps<void>
  const mesh = Pallas.WarpMesh({ axisName: 'warp' })
  const bodies: Readonly<Record<string, (body: Body) => B.Build<unknown>>> = {
    foriLoop: (body) => Pallas.foriLoop('loop', 2, body),
    coreMap: (body) => Pallas.coreMap('map', mesh, {}, body),
    runScoped: (body) =>
      Pallas.runScoped('scope', [Pallas.SMEM('scratch', 'i32', [8])], body, { collective: true }),
    all: (body) =>
      Pallas.foriLoop('loop', 2, () =>
        Pallas.runScoped('scope', [Pallas.Barrier('inner')], () => Pallas.coreMap('map', mesh, {}, body), {
          collective: true,
        }),
      ),
  }
  const inThreads = (body: (b: Pallas.Barrier) => B.Steps<void>): string =>
    told(
      Pallas.kernel(
        { name: 'k', arch: 'sm90a', numThreads: 2, threadName: 'wg' },
        () => Pallas.Barrier('b', { numArrivals: 2 }),
        body,
      ),
    )
  test.each(Object.entries(bodies))('%s: lost inside is refused, made outside is not', (_, region) => {
    expect(
      inThreads(function* (b) {
        yield* region(function* () {
          yield* Pallas.barrierWait('wait', b, null)
          Pallas.barrierArrive('lost', b, null)
        })
      }),
    ).toMatch(/lost: made and never run/)
    expect(
      inThreads(function* (b) {
        const outside = Pallas.barrierWait('wait', b, null)
        const made = region(function* () {
          yield* outside
        })
        yield* Pallas.axisIndex('wg')
        yield* made
      }),
    ).toBe('taken')
  })
})
