import { pipe } from 'fp-ts/lib/function.js'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { attention } from '../../dialects/ttgir/compiled.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { link } from '../../../src/semantics/language/link.js'
import type { Failure } from '../../../src/failure.js'
import type { Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import { elementOf } from '../../../src/semantics/language/signature.js'
import { dtypes, type Dtype } from '../../../src/numerics/dtype.js'
import { showType } from '../../../src/semantics/language/typecheck.js'
import { scalar } from '../../../src/semantics/language/types.js'
import { validate } from '../../../src/semantics/language/validate.js'
import { rowMajorStrides } from '../../../src/transforms/shape.js'
import { swizzle, tile as tiling, type Transform } from '../../../src/transforms/transform.js'
import { ring, samples } from '../samples.js'
import { right } from '../../either.js'

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

const bodyOf = (body: B.Build<unknown>): ReadonlyArray<Stmt> => {
  const program = outcome(body)
  return E.isLeft(program) ? [] : program.right.entry.body
}

const f = (n: X.Int): B.Build<X.Int> => B.letIn('f', X.add(n, X.i32(1)))
const g = (n: X.Int): B.Build<X.Int> => B.letIn('g', X.mul(n, n))
const failing = B.fail({ code: 'stop', message: 'stop' })

describe('monad.ts law 1: the monad', () => {
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

test('monad.ts law 2: a generator and the same steps by chain build equal programs; a build is a value', () => {
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

describe('monad.ts law 4: what is made and adds something runs', () => {
  const told = (body: () => B.Steps<unknown>): string => {
    const found = outcome(B.block(body))
    return E.isRight(found) ? 'taken' : (found.left as Failure).message
  }
  const sync = (label: string): B.Build<void> => B.run(label, { _tag: 'bar.sync', id: 1, count: 128 })
  const never = (label: string): string => `${label}: made and never run: expected yield* before it`

  test('refused, with the label and where it was made', () => {
    // eslint-disable-next-line require-yield
    const alone = function* (): B.Steps<void> {
      sync('meet')
    }
    expect(told(alone)).toBe(never('meet'))
    expect(
      told(function* () {
        yield* B.forRange({ label: 'k', from: X.i32(0), to: X.i32(2) }, function* () {
          yield* sync('meet')
          yield* B.scope('end', alone)
        })
      }),
    ).toBe(never('k / end / meet'))
    expect(
      told(function* () {
        B.sharedMemory('s', 'f32', [8])
        yield* sync('meet')
      }),
    ).toBe(never('s'))
    // a helper that is no generator, a list of which one runs, and a build around a build
    expect(
      told(function* () {
        yield* sync('first')
        const both = (): void => void B.sequence([sync('a'), sync('b')])
        both()
      }),
    ).toBe(never('a'))
    expect(
      told(function* () {
        const either = [sync('a'), sync('b')]
        yield* either[0]!
      }),
    ).toBe(never('b'))
    expect(
      told(() =>
        B.block(function* () {
          sync('inner')
          yield* sync('outer')
        }),
      ),
    ).toBe(never('inner'))
  })

  test('refused inside every region and in every agent', () => {
    const lost = function* (): B.Steps<void> {
      yield* sync('kept')
      sync('lost')
    }
    const c = X.eq(X.place('agent'), X.i32(0))
    const regions: Readonly<Record<string, () => B.Steps<unknown>>> = {
      then: () => B.ifThen('if', c, lost),
      else: () => B.ifThen('if', c, () => B.of(undefined), lost),
      before: () =>
        B.whileLoop(
          { label: 'while', carried: {} },
          function* () {
            yield* lost()
            return [c, {}] as const
          },
          () => B.of({}),
        ),
      after: () =>
        B.whileLoop(
          { label: 'while', carried: {} },
          () => B.of([c, {}] as const),
          function* () {
            yield* lost()
            return {}
          },
        ),
      parent: () => B.fork('fork', { agent: 'wg', captures: {}, body: lost }, []),
      branch: () =>
        B.fork('fork', { agent: 'wg', captures: {}, body: () => B.of(undefined) }, [B.branch('p', {}, lost)]),
      located: () => B.located('a:1:2', lost),
    }
    for (const [name, body] of Object.entries(regions))
      expect([name, told(body)]).toEqual([name, expect.stringMatching(/lost: made and never run/)])
  })

  test('what fails is refused with its failure', () => {
    expect(
      told(function* () {
        B.run('wait', {
          _tag: 'mbarrier.wait',
          barrier: X.name('b'),
          parity: X.i32(0),
          acquire: true,
          scope: 'cta',
        })
        yield* sync('meet')
      }),
    ).toMatch(
      /^A build is made and never run, expected yield\* before it; and it fails: wait \(mbarrier.wait, barrier\): /,
    )
  })

  test('taken: run later, elsewhere, twice, by another build; made outside; adding nothing', () => {
    const constant = sync('constant')
    const program = (body: () => B.Steps<unknown>): ReadonlyArray<string> =>
      bodyOf(B.block(body)).flatMap((s) =>
        s._tag === 'If' ? [s.site.label, ...s.then.body.map((t) => t.site.label)] : [s.site.label],
      )
    const c = X.eq(X.place('agent'), X.i32(0))
    expect(
      program(function* () {
        const [early, often, inside, handed] = [
          sync('early'),
          sync('often'),
          sync('inside'),
          sync('handed'),
        ] as const
        B.typeHere(X.i32(0))
        B.of(3)
        yield* constant
        yield* often
        yield* B.ifThen('if', c, () => inside)
        yield* B.ifThen('when', c, function* () {
          yield* often
        })
        yield* early
        yield* pipe(
          handed,
          B.chain(() => constant),
        )
        let given = constant
        yield* B.ifThen('made', c, function* () {
          given = sync('given')
          yield* constant
        })
        yield* given
      }),
    ).toEqual([
      'constant',
      'often',
      'if',
      'inside',
      'when',
      'often',
      'early',
      'handed',
      'constant',
      'made',
      'constant',
      'given',
    ])
  })

  test('law 5: a kernel that throws or fails leaves nothing to the next, nor a kernel inside a kernel', () => {
    expect(() =>
      B.draft(header, function* () {
        sync('lost')
        yield* sync('kept')
        throw new Error('stop')
      }),
    ).toThrow('stop')
    const outside = sync('outside')
    expect(told(() => sync('next'))).toBe('taken')
    expect(
      told(function* () {
        const inner = B.draft(header, function* () {
          sync('lost')
          yield* sync('kept')
        })
        expect(E.isLeft(inner)).toBe(true)
        yield* outside
      }),
    ).toBe('taken')
  })
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

test.each([...samples, ['attn_fwd', attention(192, 1).program] as const])(
  'kernel.ts law 1: names of %s are bound once, and the program is valid and links',
  (_name, program) => {
    const all = binders(program.entry)
    expect(new Set(all).size).toBe(all.length)
    expect(right(validate(program))).toBe(program)
    expect(E.isRight(link(program))).toBe(true)
  },
)

const message = (body: B.Build<unknown>): string => {
  const result = outcome(body)
  return E.isLeft(result) ? (result.left as { readonly message: string }).message : 'accepted'
}
describe('state.ts law 3: failures name the statement', () => {
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
  test('storage.ts law 3: a storage declared twice', () => {
    const twice = B.sequence([B.barriers('b', []), B.barriers('b', [])])
    expect(message(twice)).toBe('There are two storages b')
  })
})

test('monad.ts law 3: a located block says where its statements come from', () => {
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
  const sites = bodyOf(
    B.sequence([B.scope('s', () => f(X.i32(0))), B.located('l', () => f(X.i32(0))), f(X.i32(0))]),
  )
  expect(sites.map(({ site }) => site)).toEqual([
    { label: 'f', path: ['s'] },
    { label: 'f', path: [], loc: 'l' },
    { label: 'f', path: [] },
  ])
})

test('kernel.ts law 2: the same kernel twice is the same data', () => {
  expect(ring()).toEqual(ring())
})

test('state.ts laws 1 and 2: names are fresh, and statements stand in their order', () => {
  const names = bodyOf(B.sequence([f(X.i32(0)), f(X.i32(1)), B.letIn('f_1', X.i32(2)), f(X.i32(3))])).map(
    (stmt) => (stmt._tag === 'Let' ? stmt.binder.name : ''),
  )
  expect(names.slice(0, 2)).toEqual(['f', 'f_1'])
  expect(new Set(names).size).toBe(4)
  const inner = B.forRange({ label: 'k', from: X.i32(0), to: X.i32(2) }, function* (k) {
    yield* f(k)
  })
  expect(
    binders({ params: [], body: bodyOf(B.sequence<unknown>([inner, f(X.i32(0))])), yields: [] }),
  ).toEqual(['k', 'f', 'f_1'])
})

describe('statements.ts', () => {
  test('law 1: a name has the type of its expression, or one that accepts it', () => {
    const typed = (type?: 'i32' | 'i64'): string =>
      message(B.letIn('x', X.i32(1), type === undefined ? undefined : scalar(type)))
    expect(typed()).toBe('accepted')
    expect(typed('i32')).toBe('accepted')
    expect(typed('i64')).toBe('x: x: expected i64, found i32')
    expect(
      message(
        pipe(
          f(X.i32(1)),
          B.chain(B.typeHere),
          B.chain((type) => B.fail({ code: 't', message: showType(type) })),
        ),
      ),
    ).toBe('i32')
  })
  test('law 2: an operand without a type is named by instruction and field', () => {
    const wait = (barrier: X.Barrier<'ptx', false>): B.Build<unknown> =>
      B.run('stop', { _tag: 'mbarrier.wait', barrier, parity: X.i32(0), acquire: true, scope: 'cta' })
    expect(message(wait(X.name('nowhere')))).toBe(
      'stop (mbarrier.wait, barrier): The name nowhere is not bound here',
    )
  })
  test('law 3: as many labels as results', () => {
    expect(message(B.runFor(['x', 'y'], { _tag: 'elect' }))).toBe('x: elect gives 1 results, found 2 labels')
    expect(message(B.runFor(['x'], { _tag: 'trap' }))).toBe('x: trap gives 0 results, found 1 labels')
  })
})

test('results.ts law 1: the index of an element is its run-time type, exhausted over the dtypes', () => {
  // tsc checks the right-hand sides against `ElementIndex`, the run the left-hand ones against `elementOf`.
  const table: { readonly [D in Dtype]: B.ElementIndex<D> } = {
    i1: 'i1',
    i4: 'i32',
    u4: 'i32',
    i8: 'i32',
    u8: 'i32',
    i16: 'i32',
    u16: 'i32',
    i32: 'i32',
    u32: 'i32',
    i64: 'i64',
    u64: 'i64',
    f32: 'f32',
    tf32: 'tf32',
    f16: 'f16',
    bf16: 'bf16',
    e4m3: 'e4m3',
    ue4m3: 'ue4m3',
    e5m2: 'e5m2',
    e2m1: 'e2m1',
    e2m3: 'e2m3',
    e3m2: 'e3m2',
    e8m0: 'e8m0',
  }
  for (const dtype of dtypes) expect(elementOf(dtype)).toEqual(scalar(table[dtype]))
})

describe('regions.ts', () => {
  test('law 1: what is bound inside is not in scope after', () => {
    let leaked: X.Int = X.i32(0)
    const body = B.block(function* () {
      yield* B.forRange({ label: 'k', from: X.i32(0), to: X.i32(2) }, function* (k) {
        leaked = yield* f(k)
      })
      yield* g(leaked)
    })
    expect(message(body)).toBe('g: The name f is not bound here')
  })
  test('law 2: what is declared inside belongs to the program', () => {
    const program = outcome(
      B.ifThen('if', X.i1(true), function* () {
        yield* B.sharedMemory('late', 'f16', [8])
        yield* B.tensorParam('later', 'f16', [8], { role: 'in' })
      }),
    )
    expect(E.isRight(program) && program.right.storage.map(({ id }) => id)).toEqual(['late'])
    expect(E.isRight(program) && program.right.params.map(({ name }) => name)).toEqual(['later'])
  })
  test('law 3: bounds and conditions are what they are, and no numbers', () => {
    const told = (m: unknown): string =>
      outcome(m as B.Build<unknown>)._tag === 'Right'
        ? 'taken'
        : (outcome(m as B.Build<unknown>) as E.Left<Failure>).left.message
    const nothing = (): B.Steps<void> => B.of(undefined)
    const three = 3 as unknown as X.Int
    const yes = true as unknown as X.Condition
    expect(told(B.forRange({ label: 'k', from: X.i32(0), to: three }, nothing))).toBe(
      'k.to: Expected an expression, found the number 3: a constant is i32(3)',
    )
    expect(
      told(
        B.forRange(
          { label: 'k', from: X.i32(0), to: X.i32(1), step: X.i1(true) as unknown as X.Int },
          nothing,
        ),
      ),
    ).toMatch(/^k.step: 'step' of a loop: expected i32, found i1/)
    expect(told(B.ifThen('if', yes, nothing))).toBe(
      'if: Expected an expression, found true: a constant is i1(true)',
    )
    expect(
      told(
        B.whileLoop(
          { label: 'w', carried: {} },
          () => B.of([yes, {}] as const),
          () => B.of({}),
        ),
      ),
    ).toBe('w / before: Expected an expression, found true: a constant is i1(true)')
    expect(told(B.letIn('x', X.add(X.i32(1), 0.5 as unknown as X.Int)))).toBe(
      'x: Expected an expression, found the number 0.5: a constant is float(dtype, 0.5)',
    )
    for (const stray of [null, undefined, 'x', {}, { _tag: 'no' }])
      expect(told(B.letIn('x', stray as unknown as X.Int))).toMatch(/^x: Expected an expression, found /)
    const sync = { _tag: 'bar.sync', id: 1, count: 128 } as const
    expect(told(B.run('meet', sync, { when: yes }))).toBe(
      'meet (bar.sync, when): Expected an expression, found true: a constant is i1(true)',
    )
    const wait = { _tag: 'mbarrier.expectTx', barrier: three, bytes: three } as unknown as typeof sync
    expect(told(B.run('expect', wait))).toBe(
      'expect (mbarrier.expectTx, barrier): Expected an expression, found the number 3: a constant is i32(3)',
    )
  })

  test('law 4: what is yielded has the types of what is carried, key by key', () => {
    const loop = (next: Record<string, X.Expr>): B.Build<unknown> =>
      B.forRange(
        { label: 'k', from: X.i32(0), to: X.i32(2), carried: { p: X.i32(0), q: X.i1(true) } },
        // eslint-disable-next-line require-yield
        function* () {
          return next as never
        },
      )
    expect(message(loop({ q: X.i1(false), p: X.i32(1) }))).toBe('accepted')
    expect(message(loop({ p: X.i32(1) }))).toBe('k / k: nothing is yielded for q')
    expect(message(loop({ p: X.i1(true), q: X.i1(false) }))).toBe(
      'k / k: the value yielded for p: expected i32, found i1',
    )
  })
})

describe('forks.ts', () => {
  const two: B.KernelHeader = { name: 'k', arch: 'sm90a', agents: [B.warpgroup('wg', 0), B.warp('w', 4)] }
  test('law 1: a name that a branch does not capture is not bound in it', () => {
    // As written: validation, which would say the same, has not looked yet.
    const forked = (captured: boolean): E.Either<unknown, Program> =>
      B.draft(two, function* () {
        const x = yield* f(X.i32(1))
        yield* B.fork('roles', { agent: 'wg', captures: {}, body: () => B.of(undefined) }, [
          B.branch('w', { x }, function* (c) {
            yield* g(captured ? c.x : x)
          }),
        ])
      })
    expect(E.isRight(forked(true))).toBe(true)
    expect(forked(false)).toMatchObject({ left: { code: 'name.unbound' } })
  })
  test('law 2: captures and results are matched by key, and the parent gives the results', () => {
    const program = B.kernel(two, function* () {
      const x = yield* f(X.i32(1))
      const y = yield* B.letIn('y', X.i1(true))
      const { q, p } = yield* B.fork(
        'roles',
        {
          agent: 'wg',
          captures: { y, x },
          body: function* (c) {
            return { p: yield* B.letIn('p', X.add(c.x, X.i32(1))), q: c.y }
          },
        },
        [B.branch('w', {}, () => B.of(undefined))],
      )
      yield* B.letIn('both', X.select(q, p, x))
    })
    const fork = right(program).entry.body.find((stmt) => stmt._tag === 'Fork')
    expect(fork?.results.map(({ type }) => showType(type))).toEqual(['i32', 'i1'])
    expect(fork?._tag === 'Fork' && fork.branches.map(({ captures }) => captures.length)).toEqual([2, 0])
  })
})

describe('parameters.ts', () => {
  test('law 1: strides are row-major, in elements', () => {
    for (const shape of [[7], [128, 64], [3, 5, 7], [2, 3, 4, 5]]) {
      const program = outcome(B.tensorParam('a', 'f16', shape, { role: 'in' }))
      expect(E.isRight(program) && program.right.params).toMatchObject([
        { strides: rowMajorStrides(shape).map((stride) => X.i32(stride)) },
      ])
    }
  })
  test('law 2: a name is a parameter once', () => {
    expect(message(B.sequence([B.scalarParam('n', 'i32'), B.scalarParam('n', 'i32')]))).toBe(
      'There are two parameters n',
    )
  })
})

describe('storage.ts', () => {
  const declared = (shape: ReadonlyArray<number>, transforms: ReadonlyArray<Transform>): unknown => {
    const program = outcome(B.sharedMemory('s', 'f16', shape, transforms))
    return E.isRight(program) ? program.right.storage[0] : program.left
  }
  test('laws 1 and 2: shape, dtype and transforms as asked, at a multiple of the period', () => {
    for (const [span, period] of [
      [32, 256],
      [64, 512],
      [128, 1024],
    ] as const)
      expect(declared([64, 64], [right(tiling([8, span / 2])), right(swizzle(span))])).toMatchObject({
        contents: { dtype: 'f16', layout: { shape: [64, 64], swizzle: span } },
        bits: 64 * 64 * 16,
        align: period,
      })
    expect(declared([64, 64], [])).toMatchObject({ bits: 64 * 64 * 16, align: 128 })
    expect(message(B.sharedMemory('s', 'f16', [60, 64], [right(tiling([8, 64]))]))).toMatch(/60/)
  })
  test('tensor memory is 128 lanes of 2048 bytes, registers and barriers as many bits as they hold', () => {
    const program = B.draft(header, function* () {
      yield* B.tensorMemory('t', 'f16', [128, 64])
      yield* B.registers('r', 'wg', 'f32', [64, 8])
      yield* B.barriers('b', [3])
    })
    expect(right(program).storage).toMatchObject([
      { contents: { layout: { strides: [1024, 1] } }, bits: 32 * 32 * 128 },
      { bits: 64 * 8 * 32, owner: { agent: 'wg' } },
      { bits: 3 * 64, align: 8 },
    ])
  })
})
