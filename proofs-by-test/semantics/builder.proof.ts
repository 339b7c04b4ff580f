import { pipe } from 'fp-ts/lib/function.js'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { attentionWarpSpecialised } from '../../src/kernels/triton/attention-ws.js'
import * as B from '../../src/semantics/builder.js'
import * as X from '../../src/semantics/expression.js'
import { link } from '../../src/semantics/link.js'
import type { Program, Region, Stmt } from '../../src/semantics/program.js'
import { right, ring, samples } from './samples.js'

const header: B.KernelHeader = { name: 'k', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }
const outcome = (body: B.Build<unknown>): E.Either<unknown, Program> =>
  B.kernel(header, () =>
    pipe(
      body,
      B.map(() => undefined),
    ),
  )
/** Equal as builds: the same program, or the same failure. */
const same = (a: B.Build<unknown>, b: B.Build<unknown>): void => {
  expect(outcome(a)).toEqual(outcome(b))
}

const f = (n: X.Int): B.Build<X.Int> => B.letIn('f', X.add(n, X.i32(1)))
const g = (n: X.Int): B.Build<X.Int> => B.letIn('g', X.mul(n, n))
const failing = B.fail({ code: 'stop', message: 'stop' })

describe('law 1: the monad', () => {
  test.each([
    ['pure', B.of(X.i32(3))],
    ['one statement', f(X.i32(3))],
    ['two', pipe(f(X.i32(3)), B.chain(g))],
  ])('%s', (_name, m) => {
    same(pipe(B.of(X.i32(7)), B.chain(f)), f(X.i32(7)))
    same(pipe(m, B.chain(B.of)), m)
    same(
      pipe(m, B.chain(f), B.chain(g)),
      pipe(
        m,
        B.chain((x) => pipe(f(x), B.chain(g))),
      ),
    )
    same(
      pipe(
        m,
        B.chain(() => failing),
        B.chain(f),
      ),
      failing,
    )
  })
})

test('law 3: a generator and the same steps by chain build equal programs; a build is a value', () => {
  const steps = B.block(function* () {
    const x = yield* f(X.i32(1))
    const y = yield* g(x)
    return yield* f(y)
  })
  same(steps, pipe(f(X.i32(1)), B.chain(g), B.chain(f)))
  same(steps, steps)
  same(
    B.sequence([steps, steps]),
    pipe(
      steps,
      B.chain(() => steps),
    ),
  )
})

const binders = (region: Region): ReadonlyArray<string> => [
  ...region.params.map(({ name }) => name),
  ...region.body.flatMap(bindersOf),
]
const bindersOf = (stmt: Stmt): ReadonlyArray<string> => {
  switch (stmt._tag) {
    case 'Let':
      return [stmt.binder.name]
    case 'Do':
      return stmt.results.map(({ name }) => name)
    case 'For':
      return [stmt.index, ...stmt.carried.map(({ binder }) => binder), ...stmt.results]
        .map(({ name }) => name)
        .concat(binders(stmt.body))
    case 'While':
      return [...stmt.carried.map(({ binder }) => binder), ...stmt.results]
        .map(({ name }) => name)
        .concat(binders(stmt.before), binders(stmt.after))
    case 'If':
      return stmt.results.map(({ name }) => name).concat(binders(stmt.then), binders(stmt.else))
    case 'Fork':
      return stmt.results
        .map(({ name }) => name)
        .concat(
          stmt.branches.flatMap(({ captures, body }) => [
            ...captures.map(({ binder }) => binder.name),
            ...binders(body),
          ]),
        )
  }
}

test.each([...samples, ['attn_fwd', right(attentionWarpSpecialised())] as const])(
  'law 2: names of %s are bound once, and the program links',
  (_name, program) => {
    const all = binders(program.entry)
    expect(new Set(all).size).toBe(all.length)
    expect(E.isRight(link(program))).toBe(true)
  },
)

describe('failures name the statement', () => {
  const message = (body: B.Build<unknown>): string => {
    const result = B.kernel(header, () =>
      B.block(function* () {
        yield* body
      }),
    )
    return E.isLeft(result) ? result.left.message : 'accepted'
  }
  test('inside scopes, loops and branches', () => {
    const slot = B.block(function* () {
      const ringOf = yield* B.sharedMemory('ring', 'f16', [2, 64])
      yield* B.scope('prologue', () =>
        B.forRange({ label: 'k', from: X.i32(0), to: X.i32(2) }, function* () {
          yield* B.letIn('x', X.slot(ringOf, X.i32(5)))
        }),
      )
    })
    expect(message(slot)).toMatch(/^prologue \/ k \/ x: Index 5 is out of bounds/)
  })
  test('a storage declared twice', () => {
    const twice = B.sequence([B.barriers('b', []), B.barriers('b', [])])
    expect(message(twice)).toBe('There are two storages b')
  })
})

test('a located block says where its statements come from', () => {
  const program = right(
    B.kernel(header, () =>
      B.located('a.ttgir:3:5', () =>
        pipe(
          f(X.i32(0)),
          B.map(() => undefined),
        ),
      ),
    ),
  )
  expect(program.entry.body[0]!.site).toEqual({ label: 'f', path: [], loc: 'a.ttgir:3:5' })
})

test('the same kernel twice is the same data', () => {
  expect(ring()).toEqual(ring())
})
