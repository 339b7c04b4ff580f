/**
 * Validation by counterexample: for every rule a program that breaks it and nothing else, the code it is refused with, and (the samples)
 * the lawful neighbour.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as B from '../../../src/semantics/writing/builder.js'
import { decodeProgram } from '../../../src/semantics/files/codec.js'
import * as X from '../../../src/semantics/language/expression.js'
import { printJson } from '../../../src/semantics/files/codec.js'
import type { Agent, Program } from '../../../src/semantics/language/program.js'
import type { Refusal } from '../../../src/semantics/language/refusal.js'
import { validate } from '../../../src/semantics/language/validate.js'
import {
  each,
  first,
  no,
  type Checked,
  type Problem,
} from '../../../src/semantics/language/validate/problem.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { ring, samples, tensorCore, warpgroupMma } from '../samples.js'
import { right } from '../../either.js'

type Tree = Record<string, unknown>
const json = (program: Program): unknown => JSON.parse(printJson(program))

/** Every object in a JSON tree for which `found` holds is replaced by what `change` makes of it. */
const edit = (value: unknown, found: (tree: Tree) => boolean, change: (tree: Tree) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((inner) => edit(inner, found, change))
  if (typeof value !== 'object' || value === null) return value
  const tree = value as Tree
  if (found(tree)) return change(tree)
  return Object.fromEntries(Object.entries(tree).map(([key, inner]) => [key, edit(inner, found, change)]))
}
const is = (tag: string) => (tree: Tree) => tree['_tag'] === tag
const labelled =
  (label: string) =>
  (tree: Tree): boolean =>
    typeof tree['site'] === 'object' && (tree['site'] as Tree)['label'] === label
const named =
  (key: string, name: string) =>
  (tree: Tree): boolean =>
    tree[key] === name
const set =
  (changes: Tree) =>
  (tree: Tree): Tree => ({ ...tree, ...changes })
const inInstruction =
  (changes: Tree) =>
  (tree: Tree): Tree => ({ ...tree, instruction: { ...(tree['instruction'] as Tree), ...changes } })

const nameOf = (name: string): Tree => ({ _tag: 'name', name })
const i32 = (value: number): Tree => ({ _tag: 'const', dtype: 'i32', value })
const truth: Tree = { _tag: 'const', dtype: 'i1', value: 1 }

const broken: ReadonlyArray<
  readonly [
    rule: string,
    program: () => Program,
    found: (tree: Tree) => boolean,
    change: (tree: Tree) => unknown,
    code: string,
    message: RegExp,
  ]
> = [
  // names
  [
    'an unbound name',
    ring,
    labelled('y'),
    set({ expr: nameOf('ghost') }),
    'name.unbound',
    /consumer \/ k \/ y: y: The name ghost is not bound here/,
  ],
  [
    'a name of a sibling branch',
    ring,
    labelled('expect'),
    inInstruction({ bytes: nameOf('s') }),
    'name.unbound',
    /producer \/ k \/ expect/,
  ],
  [
    'an outer name that the branch does not capture',
    ring,
    labelled('copy'),
    inInstruction({ destination: { _tag: 'slot', of: nameOf('empty'), index: i32(0) } }),
    'name.unbound',
    /empty is not bound/,
  ],
  [
    'a name bound twice',
    ring,
    (t) => labelled('y')(t),
    (t) => ({ ...t, binder: { ...(t['binder'] as Tree), name: 'x' } }),
    'name.bound-twice',
    /The name x is bound twice/,
  ],
  [
    'an unknown storage',
    ring,
    is('storage'),
    set({ storage: 'nowhere' }),
    'storage.unknown',
    /There is no storage nowhere/,
  ],
  [
    'two parameters of one name',
    ring,
    (t) => t['_tag'] === 'tensor' && t['role'] === 'out',
    set({ name: 'a' }),
    'name.bound-twice',
    /two parameters a/,
  ],
  [
    'an unknown tensor of a descriptor',
    ring,
    (t) => t['_tag'] === 'descriptor' && 'box' in t,
    set({ tensor: 'z' }),
    'param.unknown',
    /no tensor parameter z/,
  ],
  ['a specification of unknown tensors', ring, is('copy'), set({ out: 'z' }), 'param.unknown', /computes/],
  // types
  [
    'an i32 as condition',
    ring,
    (t) => t['_tag'] === 'If',
    set({ cond: i32(1) }),
    'type.mismatch',
    /condition: expected i1, found i32/,
  ],
  [
    'an i32 as predicate',
    ring,
    labelled('expect'),
    set({ when: i32(1) }),
    'type.mismatch',
    /when: expected i1, found i32/,
  ],
  [
    'a condition as index',
    ring,
    labelled('s'),
    set({ expr: truth }),
    'type.mismatch',
    /s: expected i32, found i1/,
  ],
  [
    'a value yielded of another type',
    ring,
    (t) => t['_tag'] === 'For' && (t['carried'] as unknown[]).length === 1,
    (t) => ({ ...t, body: { ...(t['body'] as Tree), yields: [truth] } }),
    'type.mismatch',
    /yield 0: expected i32, found i1/,
  ],
  [
    'a value not yielded',
    ring,
    (t) => t['_tag'] === 'For' && (t['carried'] as unknown[]).length === 1,
    (t) => ({ ...t, body: { ...(t['body'] as Tree), yields: [] } }),
    'type.mismatch',
    /expected 1 values, found 0/,
  ],
  [
    'a loaded tile bound at another shape',
    ring,
    labelled('x'),
    (t) => edit(t, (u) => u['_tag'] === 'tile', set({ shape: [64, 32] })),
    'type.mismatch',
    /result x: expected tile f16 \(64, 64\), found tile f16 \(64, 32\)/,
  ],
  [
    'a store of another dtype',
    ring,
    labelled('write'),
    (t) =>
      edit(t, named('name', 'y'), () => ({
        _tag: 'splat',
        x: { _tag: 'const', dtype: 'f32', value: 0 },
        shape: [64, 64],
        layout: 'any',
      })),
    'type.mismatch',
    /expected tile f16 \(64, 64\), found tile f32/,
  ],
  [
    'barriers where one is meant',
    ring,
    labelled('init'),
    inInstruction({ barrier: { _tag: 'storage', storage: 'full' } }),
    'type.mismatch',
    /barrier: expected a barrier, found barriers \(2,\)/,
  ],
  [
    'a slot that is not there',
    ring,
    labelled('init'),
    (t) => edit(t, is('slot'), set({ index: i32(2) })),
    'ref.bounds',
    /Index 2 is out of bounds/,
  ],
  [
    'a slice that is not a whole number of tiles',
    ring,
    labelled('copy'),
    (t) =>
      edit(
        t,
        (u) => u['_tag'] === 'slot' && JSON.stringify(u).includes('buffer'),
        (u) => ({ _tag: 'slice', of: u, starts: [i32(4), i32(0)], sizes: [8, 64] }),
      ),
    'ref.tile-start',
    /divisible by the tile size 8, found 4/,
  ],
  [
    'a tensor-memory view given to a copy',
    tensorCore,
    labelled('ld'),
    inInstruction({ source: { _tag: 'storage', storage: 'a' } }),
    'type.mismatch',
    /source: expected a view in tmem, found view smem/,
  ],
  [
    'a branch that gives another type',
    ring,
    (t) => t['_tag'] === 'Fork',
    (t) => ({ ...t, results: [{ name: 'last', type: { _tag: 'scalar', dtype: 'i1' } }] }),
    'type.mismatch',
    /yield 0: expected i1, found i32/,
  ],
  [
    'a while without a condition',
    ring,
    is('While'),
    (t) => ({
      ...t,
      before: {
        ...(t['before'] as Tree),
        yields: [i32(1), ...(t['before'] as { yields: unknown[] }).yields.slice(1)],
      },
    }),
    'type.mismatch',
    /yield 0: expected i1, found i32/,
  ],
  [
    'coordinates of another rank',
    ring,
    labelled('copy'),
    inInstruction({ coords: [i32(0)] }),
    'type.shape',
    /descriptor of rank 2 needs as many coordinates, found 1/,
  ],
  [
    'a box of another size',
    ring,
    (t) => t['_tag'] === 'descriptor' && 'box' in t,
    set({ box: [32, 64] }),
    'type.shape',
    /the box \(32, 64\) has 2048 elements/,
  ],
  // register layouts
  [
    'two register layouts added',
    ring,
    labelled('y'),
    (t) =>
      edit(
        t,
        (u) => u['_tag'] === 'binary',
        () => ({ _tag: 'binary', op: 'add', x: splat('WGMMA'), y: splat('strided') }),
      ),
    'L2',
    /both operands must have one register layout/,
  ],
  [
    'a layout of another shape',
    ring,
    labelled('x'),
    (t) =>
      edit(
        t,
        (u) => u['_tag'] === 'tile',
        set({ layout: { _tag: 'strided', shape: [128], vectorLength: 1 } }),
      ),
    'L2',
    /strided/,
  ],
  // resources
  [
    'too much shared memory',
    ring,
    (t) => t['id'] === 'buffer',
    set({ offset: 229376 }),
    'A1',
    /232448 bytes of shared memory/,
  ],
  ['too much tensor memory', tensorCore, (t) => t['id'] === 'd', set({ offset: 2000 }), 'T3', /512 columns/],
  [
    'overlapping storages',
    ring,
    (t) => t['id'] === 'full',
    set({ offset: 8 }),
    'storage.overlap',
    /buffer and full overlap/,
  ],
  [
    'a swizzled buffer off its period',
    ring,
    (t) => t['id'] === 'buffer',
    set({ offset: 128, align: 128 }),
    'A3',
    /starts at a multiple of 1024, found offset 128/,
  ],
  [
    'fewer columns than the storages take',
    tensorCore,
    labelled('alloc'),
    inInstruction({ columns: 64 }),
    'T3',
    /takes 128 columns, but only 64/,
  ],
  [
    'columns that are no power of two',
    tensorCore,
    labelled('alloc'),
    inInstruction({ columns: 192 }),
    'T3',
    /power of two from 32 to 512, found 192/,
  ],
  ['columns below 32', tensorCore, labelled('alloc'), inInstruction({ columns: 16 }), 'T3', /found 16/],
  // tensor maps
  [
    'a box dimension over 256',
    ring,
    (t) => t['_tag'] === 'descriptor' && 'box' in t,
    set({ box: [512, 64] }),
    'A4',
    /has 1 to 256 elements, found 512/,
  ],
  [
    'inner bytes not a multiple of 16',
    ring,
    (t) => t['_tag'] === 'descriptor' && 'box' in t,
    set({ box: [64, 60] }),
    'A4',
    /multiple of 16 bytes, found 120/,
  ],
  [
    'inner bytes over the swizzle',
    ring,
    (t) => t['_tag'] === 'descriptor' && 'box' in t,
    set({ box: [32, 128] }),
    'A4',
    /fit in the swizzle of 128 bytes, found 256/,
  ],
  [
    'an inner stride other than 1',
    ring,
    (t) => t['_tag'] === 'descriptor' && 'box' in t,
    set({ strides: [i32(64), i32(2)] }),
    'A4',
    /innermost stride must be 1/,
  ],
  [
    'a stride not a multiple of 16 bytes',
    ring,
    (t) => t['_tag'] === 'descriptor' && 'box' in t,
    set({ strides: [i32(60), i32(1)] }),
    'A4',
    /multiple of 16 bytes, found 120/,
  ],
  // barriers
  [
    'a barrier that counts to nothing',
    ring,
    labelled('init'),
    inInstruction({ count: 0 }),
    'barrier.count',
    /from 1 to 1048575 arrivals, found 0/,
  ],
  [
    'a barrier that counts too far',
    ring,
    labelled('init'),
    inInstruction({ count: 1048576 }),
    'barrier.count',
    /found 1048576/,
  ],
  [
    'a completion on a barrier without tensor-core order',
    tensorCore,
    named('id', 'done'),
    (t) => ({ ...t, contents: { ...(t['contents'] as Tree), ordersTensorCore: false } }),
    'M5',
    /completions\[0\]\.barrier: expected a barrier that orders the tensor core/,
  ],
  [
    'a named barrier that does not exist',
    ring,
    labelled('init'),
    (t) => ({ ...t, instruction: { _tag: 'bar.sync', id: 16, count: 128 } }),
    'barrier.id',
    /16 named barriers, found 16/,
  ],
  [
    'a rendezvous of half a warp',
    ring,
    labelled('init'),
    (t) => ({ ...t, instruction: { _tag: 'bar.sync', id: 0, count: 16 } }),
    'barrier.count',
    /multiple of 32 threads/,
  ],
  // matrices
  [
    'M not a multiple of 64',
    warpgroupMma,
    (t) => t['id'] === 'acc',
    (t) => ({ ...t, contents: { _tag: 'elements', dtype: 'f32', layout: flat([32, 64], 32) } }),
    'mma.shape',
    /accumulator \(32, 64\)/,
  ],
  [
    'an accumulator of the wrong dtype',
    warpgroupMma,
    (t) => t['id'] === 'acc',
    (t) => ({ ...t, contents: { _tag: 'elements', dtype: 'i32', layout: flat([64, 64], 32) } }),
    'mma.dtype',
    /no tensor core multiplies f16 by f16 into i32/,
  ],
  [
    'an operand without tiles',
    warpgroupMma,
    (t) => t['id'] === 'a',
    (t) => ({ ...t, contents: { _tag: 'elements', dtype: 'f16', layout: flat([64, 64], 16) } }),
    'mma.unsupported-transforms',
    /Unsupported transforms for MMA operand a/,
  ],
  [
    'a wgmma on Blackwell',
    warpgroupMma,
    (t) => t['arch'] === 'sm90a',
    set({ arch: 'sm100a' }),
    'arch',
    /wgmma\.mma exists on sm90a only/,
  ],
  [
    'a tcgen05 on Hopper',
    tensorCore,
    (t) => t['arch'] === 'sm100a',
    set({ arch: 'sm90a' }),
    'arch',
    /tcgen05\.alloc exists on sm100a only/,
  ],
  [
    'a wgmma by one warp',
    warpgroupMma,
    (t) => t['kind'] === 'warpgroup',
    set({ kind: 'warp', warps: 1 }),
    'mma.agent',
    /whole warpgroups, found agent wg of 1 warps/,
  ],
  // agents
  [
    'two agents of one name',
    ring,
    named('kind', 'warp'),
    set({ name: 'consumer' }),
    'agent.duplicate',
    /two agents consumer/,
  ],
  [
    'three warps',
    ring,
    named('kind', 'warp'),
    set({ kind: 'partition', warps: 3 }),
    'agent.warps',
    /1, 2, 4, 8, 16 or 32/,
  ],
  [
    'agents that straddle',
    ring,
    named('kind', 'warp'),
    set({ kind: 'partition', firstWarp: 3, warps: 2 }),
    'agent.warps',
    /overlap without one containing the other/,
  ],
  [
    'a fork of an unknown agent',
    ring,
    named('agent', 'producer'),
    set({ agent: 'nobody' }),
    'agent.unknown',
    /no agent nobody/,
  ],
  [
    'a fork of the parent',
    ring,
    named('agent', 'producer'),
    set({ agent: 'consumer' }),
    'agent.fork',
    /branch 0 is the parent's own/,
  ],
  [
    'registers of a stranger',
    warpgroupMma,
    (t) => t['id'] === 'acc',
    set({ owner: { agent: 'nobody' } }),
    'agent.unknown',
    /no agent nobody/,
  ],
  [
    'registers of the CTA',
    warpgroupMma,
    (t) => t['id'] === 'acc',
    set({ owner: 'cta' }),
    'storage.owner',
    /registers belong to an agent/,
  ],
  [
    'a grid of four axes',
    ring,
    (t) => 'grid' in t,
    set({ grid: [i32(1), i32(1), i32(1), i32(1)] }),
    'launch.grid',
    /one to three axes/,
  ],
]

const flat = (shape: ReadonlyArray<number>, bits: number): Tree => ({
  _tag: 'TransformedRef',
  shape,
  bits,
  tiling: [],
  strides: [shape[1], 1],
  byteOffset: 0,
  swizzle: 16,
})
const splat = (layout: 'WGMMA' | 'strided'): Tree => ({
  _tag: 'splat',
  x: { _tag: 'const', dtype: 'f16', value: 0 },
  shape: [64, 64],
  layout:
    layout === 'strided'
      ? { _tag: 'strided', shape: [64, 64], vectorLength: 1 }
      : {
          _tag: 'tiled',
          tiling: [[64, 8], [16, 8], [8, 8], [2]],
          warpDims: [-7],
          laneDims: [-3, -2],
          vectorDim: -1,
        },
})

/** Whose law a code belongs to. */
const laws: ReadonlyArray<readonly [codes: RegExp, law: string]> = [
  [/^name\.unbound|^storage\.unknown/, 'statements.ts law 1'],
  [/^name\.bound-twice/, 'scope.ts law 1, declarations.ts law 1'],
  [/^param\.|^storage\.|^A[13]$|^T3$/, 'declarations.ts law 1'],
  [/^type\.|^L2$|^ref\./, 'scope.ts law 3, operands.ts laws 1 and 3, statements.ts law 2'],
  [/^M5$/, 'operands.ts law 1'],
  [/^A4$/, 'tensor-maps.ts law 1'],
  [/^mma\.(shape|dtype)/, 'matrix.ts law 1'],
  [/^mma\.unsupported-transforms/, 'matrix.ts law 2'],
  [/^mma\.agent|^arch/, 'matrix.ts law 3'],
  [/^barrier\.|^registers\./, 'instructions.ts law 1'],
  [/^agent\.|^launch\./, 'agents.ts laws 1 to 5'],
]
const lawOf = (code: string): string => laws.find(([codes]) => codes.test(code))![1]

test('statements.ts law 4: a problem begins with the path to its statement, once', () => {
  const broken = edit(json(ring()), labelled('y'), set({ expr: nameOf('ghost') }))
  const result = decodeProgram(broken)
  expect(E.isLeft(result) && result.left.message).toMatch(/^[^:]*consumer \/ k \/ y: y: The name ghost/)
})

describe('problem.ts laws 1 and 2: the earliest problem, and nothing is asked after it', () => {
  const problem = (message: string): Problem => no('arch', message)
  test.each([0, 1, 2, 3])('with problems from %i on', (from) => {
    const asked: number[] = []
    const check = (k: number): Checked => {
      asked.push(k)
      return k >= from ? problem(String(k)) : null
    }
    const expected = from < 3 ? problem(String(from)) : null
    expect(first([0, 1, 2].map((k) => () => check(k)))).toEqual(expected)
    expect(asked).toEqual([0, 1, 2].slice(0, from + 1))
    expect(each([0, 1, 2], check)).toEqual(expected)
  })
})

describe('validate', () => {
  test.each(samples)('law 3: %s is valid and comes out as it went in', (_name, program) => {
    expect(right(validate(program))).toBe(program)
  })

  test.each(broken.map((row) => [lawOf(row[4]), ...row] as const))(
    '%s: refuses %s',
    (_law, _rule, program, found, change, code, message) => {
      const before = json(program())
      const after = edit(before, found, change)
      expect(after).not.toEqual(before)
      const result = decodeProgram(after)
      expect(E.isLeft(result) ? result.left.code : 'accepted').toBe(code)
      expect(E.isLeft(result) && result.left.message).toMatch(message)
    },
  )

  test('refusal.ts: a refusal is about the statement, or the storages, that its message begins with', () => {
    const kinds = new Set<string>()
    for (const [rule, program, found, change] of broken) {
      const result = decodeProgram(edit(json(program()), found, change))
      if (!E.isLeft(result)) continue
      const { message, about = [] }: Refusal = result.left
      for (const concern of about) {
        kinds.add(concern._tag)
        if (concern._tag === 'statement') {
          const where = [...concern.site.path, concern.site.label].join(' / ')
          expect([rule, message.startsWith(where)]).toEqual([rule, true])
        } else if (concern._tag === 'storage')
          expect([rule, message]).toEqual([
            rule,
            expect.stringMatching(new RegExp(`^storages? .*\\b${concern.storage}\\b`)),
          ])
        else
          expect([rule, message]).toEqual([
            rule,
            expect.stringContaining(concern.space === 'smem' ? 'shared memory' : 'tensor memory'),
          ])
      }
      if (/^storages? /.test(message)) expect([rule, about.length > 0]).toEqual([rule, true])
    }
    expect([...kinds].sort()).toEqual(['space', 'statement', 'storage'])
  })

  test('known-place.ts law 1, tensor-maps.ts law 1: A4: slots of a ring that are not 128-byte aligned are refused, aligned ones not', () => {
    const copy = (rows: number): E.Either<{ readonly code: string }, Program> =>
      B.kernel({ name: 'slots', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
        const a = yield* B.tensorParam('a', 'f16', [64, 16], { role: 'in' })
        const map = yield* B.descriptorParam('map', a, [rows, 16])
        const buffer = yield* B.sharedMemory('buffer', 'f16', [4, rows, 16])
        const full = yield* B.barriers('full', [])
        yield* B.forRange({ label: 'k', from: X.i32(0), to: X.i32(4) }, function* (k) {
          const slot = yield* B.letIn('slot', X.slot(buffer, k))
          yield* B.run('copy', {
            _tag: 'tma.load',
            descriptor: map,
            coords: [X.i32(0), X.i32(0)],
            destination: slot,
            barrier: full,
            ctaGroup: 1,
          })
        })
      })
    for (const rows of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const result = copy(rows)
      expect(E.isLeft(result) ? result.left.code : 'ok').toBe((rows * 32) % 128 === 0 ? 'ok' : 'A4')
    }
  })

  test('statements.ts law 3: what is known of a view is known of its name and of its capture', () => {
    const copy = (rows: number): E.Either<unknown, Program> =>
      B.kernel({ name: 'k', arch: 'sm90a', agents: [B.warpgroup('wg', 0), B.warp('w', 4)] }, function* () {
        const a = yield* B.tensorParam('a', 'f16', [64, 16], { role: 'in' })
        const map = yield* B.descriptorParam('map', a, [rows, 16])
        const buffer = yield* B.sharedMemory('buffer', 'f16', [4, rows, 16])
        const full = yield* B.barriers('full', [])
        yield* B.fork('roles', { agent: 'wg', captures: {}, body: () => B.of(undefined) }, [
          B.branch('w', { buffer, full, map }, (c) =>
            B.run('copy', {
              _tag: 'tma.load',
              descriptor: c.map,
              coords: [X.i32(0), X.i32(0)],
              destination: X.slot(c.buffer, X.place('ctaRank')),
              barrier: c.full,
              ctaGroup: 1,
            }),
          ),
        ])
      })
    expect(E.isRight(copy(4))).toBe(true)
    expect(copy(3)).toMatchObject({ left: { code: 'A4' } })
  })

  const codeOf = (
    agents: ReadonlyArray<Agent>,
    body: B.Build<void>,
    cluster: ReadonlyArray<number> = [1],
  ): string => {
    const result = B.kernel({ name: 'k', arch: 'sm90a', agents, cluster }, () => body)
    return E.isLeft(result) ? result.left.code : 'accepted'
  }
  const nothing = (): B.Build<void> => B.of(undefined)
  const forked = (parent: string, others: ReadonlyArray<B.BranchSpec>): B.Build<void> =>
    B.fork('roles', { agent: parent, captures: {}, body: nothing }, others)

  test('instructions.ts law 1: registers of a warpgroup, and what an atomic takes', () => {
    for (const count of [0, 16, 20, 24, 28, 232, 256, 264])
      expect(
        codeOf([B.warpgroup('wg', 0)], B.run('max', { _tag: 'setMaxRegisters', count, action: 'decrease' })),
      ).toBe([24, 232, 256].includes(count) ? 'accepted' : 'registers.count')
    for (const op of ['add', 'cas'] as const)
      for (const compare of [true, false]) {
        const atomic = B.block(function* () {
          const s = yield* B.sharedMemory('s', 'i32', [128])
          const value = X.splat(X.i32(1), [128])
          yield* B.run(
            'atomic',
            compare
              ? { _tag: 'smem.atomic', op, destination: s, value, compare: value, scope: 'cta' }
              : { _tag: 'smem.atomic', op, destination: s, value, scope: 'cta' },
          )
        })
        expect(codeOf([B.warpgroup('wg', 0)], atomic)).toBe(
          (op === 'cas') === compare ? 'accepted' : 'type.mismatch',
        )
      }
  })

  test('agents.ts laws 3 and 5: who may be started beside whom, and how large a cluster is', () => {
    const [all, low, high, first] = [
      B.partition('all', 0, 8),
      B.warpgroup('low', 0),
      B.warpgroup('high', 1),
      B.warp('first', 0),
    ]
    const branch = (agent: string): B.BranchSpec => B.branch(agent, {}, nothing)
    expect(codeOf([low, high], forked('low', [branch('high')]))).toBe('accepted')
    expect(codeOf([all, low, high], forked('all', [branch('low'), branch('high')]))).toBe('accepted')
    expect(codeOf([all, low, first], forked('all', [branch('low'), branch('first')]))).toBe('agent.fork')
    expect(codeOf([low, high], forked('low', [branch('high'), branch('high')]))).toBe('agent.fork')
    // a branch may not start who is busy outside
    const nested = B.branch('high', {}, () => forked('high', [branch('low')]))
    expect(codeOf([low, high], forked('low', [nested]))).toBe('agent.fork')
    const third = B.warp('third', 8)
    const deep = (starts: string): B.BranchSpec =>
      B.branch('high', {}, () =>
        forked('high', [B.branch('third', {}, () => forked('third', [branch(starts)]))]),
      )
    expect(codeOf([low, high, third], forked('low', [deep('low')]))).toBe('agent.fork')
    const last = B.warp('last', 9)
    expect(codeOf([low, high, third, last], forked('low', [deep('last')]))).toBe('accepted')
    expect(codeOf([low, high, third, last], forked('low', [deep('last'), branch('last')]))).toBe('agent.fork')
    const sibling = B.branch('high', {}, () => forked('high', [branch('third')]))
    expect(codeOf([low, high, third], forked('low', [sibling]))).toBe('accepted')
    expect(codeOf([low, high, third], forked('low', [sibling, branch('third')]))).toBe('agent.fork')
    // a warp runs one program at a time: agents that begin together share none
    expect(codeOf([low, first], nothing())).toBe('agent.fork')
    expect(codeOf([low, high], nothing())).toBe('accepted')
    // nor do a parent that does something and a part of it, nor what either starts and the other
    const busy = (): B.Build<void> => B.run('fence', { _tag: 'fence.mbarrierInit' })
    const forking = (own: () => B.Build<void>, ...specs: ReadonlyArray<B.BranchSpec>): B.Build<void> =>
      B.fork('fork', { agent: 'low', captures: {}, body: own }, specs)
    const part = (agent: string, inner: () => B.Build<void> = nothing): B.BranchSpec =>
      B.branch(agent, {}, inner)
    expect(codeOf([low, first], forking(nothing, part('first', busy)))).toBe('accepted')
    expect(codeOf([low, first], forking(busy, part('first', busy)))).toBe('agent.fork')
    expect(
      codeOf(
        [low, third, first],
        forking(
          busy,
          part('third', () => forked('third', [part('first')])),
        ),
      ),
    ).toBe('agent.fork')
    // forks of one agent follow one another, those of two do not
    const [one, two] = [B.warp('one', 8), B.warp('two', 8)]
    const starts = (agent: string, child: string): B.Build<void> => forked(agent, [part(child)])
    const after = (...builds: ReadonlyArray<B.Build<void>>): B.Build<void> =>
      B.block(function* () {
        for (const build of builds) yield* build
      })
    expect(codeOf([low, one, two], after(starts('low', 'one'), starts('low', 'two')))).toBe('accepted')
    expect(codeOf([low, high, one, two], after(starts('low', 'one'), starts('high', 'two')))).toBe(
      'agent.fork',
    )
    for (const [cluster, legal] of [
      [[2, 4, 2], true],
      [[16], true],
      [[17], false],
      [[2, 2, 2, 1], false],
      [[0], false],
    ] as const)
      expect(codeOf([low], nothing(), cluster)).toBe(legal ? 'accepted' : 'launch.grid')
  })

  test('matrix.ts law 1: K, N and M of an MMA: exactly the shapes of the instruction', () => {
    const wgmma = (m: number, n: number, k: number): boolean =>
      E.isRight(
        B.kernel({ name: 'w', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
          const kMajor = [right(tile([8, 16])), right(swizzle(32))]
          const a = yield* B.sharedMemory('a', 'f16', [m, k], kMajor)
          const b = yield* B.sharedMemory('b', 'f16', [n, k], kMajor)
          const accumulator = yield* B.registers('acc', 'wg', 'f32', [m, n])
          yield* B.run('mma', {
            _tag: 'wgmma.mma',
            accumulator,
            a,
            b: X.transposeView(b, [1, 0]),
            scaleD: X.i1(true),
            negateA: false,
            negateB: false,
          })
        }),
      )
    for (const m of [8, 64, 96, 128, 192]) expect(wgmma(m, 64, 16), String(m)).toBe(m % 64 === 0)
    for (const n of [8, 16, 24, 248, 256, 264]) expect(wgmma(64, n, 16), String(n)).toBe(n <= 256)
    for (const k of [16, 32, 64]) expect(wgmma(64, 64, k), String(k)).toBe(true)
  })
})
