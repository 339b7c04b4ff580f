/**
 * Kernels that are right, and that tools which guess have called wrong.
 *
 * `bulk copies across warps`: one warp copies tiles into a ring in a loop, another takes them out, one mbarrier a slot both ways. A
 * checker that does not follow generations through the loop sees two warps at one slot and nothing between them.
 *
 * Source: reports of false positives of race checkers on bulk copies that are ordered by mbarriers.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import * as B from '../../../semantics/writing/builder.js'
import { div, ge, i32, mul, rem, slot, sub } from '../../../semantics/language/expression.js'
import type { Program } from '../../../semantics/language/program.js'
import * as S from '../zoo/twin.js'

export interface Clean {
  readonly name: string
  readonly program: E.Either<Failure, Program>
}

const steps = 7
const slots = 3

const acrossWarps: Clean = {
  name: 'bulk copies across warps',
  program: B.kernel(
    {
      name: 'bulk copies across warps',
      arch: 'sm90a',
      agents: [B.warp('copier', 0), B.warp('taker', 1)],
      computes: { _tag: 'copy', from: 'x', out: 'out' },
    },
    function* () {
      const x = yield* S.global('x', 'in', 8 * steps)
      const out = yield* S.global('out', 'out', 8 * steps)
      const s = yield* S.ring('s', slots)
      const full = yield* B.barriers('full', [slots])
      const empty = yield* B.barriers('empty', [slots])
      for (let i = 0; i < slots; i++) {
        yield* S.init(`init full[${String(i)}]`, slot(full, i32(i)))
        yield* S.init(`init empty[${String(i)}]`, slot(empty, i32(i)))
      }
      yield* S.together({
        *copier() {
          yield* B.forRange({ label: 'i', from: i32(0), to: i32(steps) }, function* (i) {
            const at = rem(i, i32(slots))
            const phase = rem(div(sub(i, i32(slots)), i32(slots)), i32(2))
            yield* S.wait('wait empty', slot(empty, at), phase, ge(i, i32(slots)))
            yield* S.fetch('copy', x, mul(i, i32(8)), slot(s, at), slot(full, at))
          })
        },
        *taker() {
          yield* B.forRange({ label: 'i', from: i32(0), to: i32(steps) }, function* (i) {
            const at = rem(i, i32(slots))
            yield* S.wait('wait full', slot(full, at), rem(div(i, i32(slots)), i32(2)))
            const value = yield* B.smemLoad('take', slot(s, at))
            yield* S.arrive('arrive empty', slot(empty, at))
            yield* B.run('put', {
              _tag: 'gmem.store',
              destination: S.rows(out, mul(i, i32(8))),
              value,
            })
          })
        },
      })
    },
  ),
}

export const clean: ReadonlyArray<Clean> = [acrossWarps]
