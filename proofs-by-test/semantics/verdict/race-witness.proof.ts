/**
 * Contested states: two accesses on offer at once that conflict, and pairs beside them that do not. One agent for each role stands before its
 * access from the start, so the first state offers both.
 */
import { describe, expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { contested, contestedPair } from '../../../src/semantics/verdict/race-witness.js'
import * as X from '../../../src/semantics/language/expression.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { offered } from '../../../src/semantics/execution/step.js'
import { launched } from '../machine/machine-samples.js'
import type { Launched } from '../../../src/semantics/execution/launch.js'
import { right } from '../../either.js'

interface Places {
  readonly x: X.View<'smem', 'i32', 1>
  readonly y: X.View<'smem', 'i32', 1>
}
type Role = (places: Places) => B.Steps<void>
const write = (of: (p: Places) => X.View<'smem', 'i32', 1>): Role =>
  function* (p) {
    yield* B.run('write', { _tag: 'smem.store', destination: of(p), value: X.iota<1>([4], 0) })
  }
const read = (of: (p: Places) => X.View<'smem', 'i32', 1>): Role =>
  function* (p) {
    yield* B.smemLoad('read', of(p))
  }
const add: Role = function* (p) {
  yield* B.smemAtomic('add', 'add', p.x, X.iota<1>([4], 0))
}
const fence: Role = function* () {
  yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
}
const both = (first: Role, second: Role): Launched =>
  launched(
    right(
      B.kernel({ name: 'two', arch: 'sm90a', agents: [B.warp('a', 0), B.warp('b', 1)] }, function* () {
        const x = yield* B.sharedMemory('x', 'i32', [8])
        const y = yield* B.sharedMemory('y', 'i32', [4])
        const part = (from: number): X.View<'smem', 'i32', 1> => X.slice(x, [X.i32(from)], [4])
        const places = { x: part(0), y }
        yield* B.ifThen(
          'role',
          X.eq(X.place('agent'), X.i32(0)),
          () => first(places),
          () => second({ ...places, y: part(4) }),
        )
      }),
    ),
    unit,
  )
const x = (p: Places): X.View<'smem', 'i32', 1> => p.x
const y = (p: Places): X.View<'smem', 'i32', 1> => p.y

describe('the first state', () => {
  test.each<readonly [string, Role, Role, string | null]>([
    ['two writes of the same', write(x), write(x), '0:1 and 1:1'],
    ['a write and a read', write(x), read(x), '0:1 and 1:1'],
    ['a read and a write', read(x), write(x), '0:1 and 1:1'],
    ['two reads', read(x), read(x), null],
    ['writes beside each other', write(x), write(y), null],
    ['a write and no access', write(x), fence, null],
    ['two atomics of one CTA', add, add, null],
    ['an atomic and a write', add, write(x), '0:1 and 1:1'],
  ])('%s', (_, first, second, pair) => {
    const { world, machine } = both(first, second)
    expect(contestedPair(world, offered(world, machine))).toBe(pair)
  })
})

describe('a watch', () => {
  test('remembers the first pair of the run, and lets the policy choose as it would', () => {
    const { world, machine } = both(write(x), read(x))
    const plain = run(world, machine, settings(Policy.seeded(3), true), ignore)
    const watch = contested(world)
    expect(watch.seen()).toBeNull()
    const watched = run(world, machine, settings(watch.policy(Policy.seeded(3)), true), ignore)
    expect(watch.seen()).toBe('0:1 and 1:1')
    expect(watched.schedule).toEqual(plain.schedule)
    // a later run without a pair forgets nothing
    const quiet = both(read(x), read(x))
    run(quiet.world, quiet.machine, settings(watch.policy(Policy.eager), true), ignore)
    expect(watch.seen()).toBe('0:1 and 1:1')
  })
  test('of a run without one has seen none', () => {
    const { world, machine } = both(read(x), fence)
    const watch = contested(world)
    run(world, machine, settings(watch.policy(Policy.eager), true), ignore)
    expect(watch.seen()).toBeNull()
  })
})
