/**
 * The walk of a warp against 32 threads that run one after another: random programs with branches, loops whose turns differ from lane to lane, early
 * ends, calls and indexed branches leave the same registers in every lane (law 2), and so do rows that are uniform (`rows.ts`, law 2).
 */
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { postDominators } from '../../../src/semantics/warps/flow.js'
import {
  ofPredicate,
  type Guard,
  type Instruction,
  type Operation,
  type WarpProgram,
} from '../../../src/semantics/warps/program.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { prop } from '../../prop.js'

// rows 0..7 are written by programs; then 8 is the lane, 9.. constants, 16.. counters of loops
const lane = 8
const constants = [0, 1, 3, -1, 0x00ff1234]
const constant = (i: number): number => 9 + i
const counter = (depth: number): number => 14 + depth
const rowCount = 26
const predicateCount = 6
/** kept for branches */
const flag = 5

// ---------------------------------------------------------------- programs

type Silent =
  | {
      readonly kind: 'binary'
      readonly op: 'add.s32' | 'mul.lo.s32' | 'xor.b32'
      readonly to: number
      readonly from: readonly [number, number]
    }
  | { readonly kind: 'compare'; readonly to: number; readonly from: readonly [number, number] }
  | {
      readonly kind: 'select'
      readonly to: number
      readonly from: readonly [number, number]
      readonly by: number
    }
  | {
      readonly kind: 'move'
      readonly to: readonly [number, number]
      readonly from: readonly [number, number]
    }
  | {
      readonly kind: 'part'
      readonly to: number
      readonly from: number
      readonly at: 0 | 8 | 16
      readonly bits: 8 | 16
    }
  | { readonly kind: 'pack'; readonly to: number; readonly from: readonly [number, number] }
  | {
      readonly kind: 'predicate'
      readonly op: 'and' | 'or' | 'xor' | 'not' | 'mov'
      readonly to: number
      readonly from: readonly [Guard, Guard]
    }
type Tree =
  | { readonly kind: 'silent'; readonly what: Silent; readonly guard: Guard | null }
  | {
      readonly kind: 'if'
      readonly by: Guard
      readonly yes: ReadonlyArray<Tree>
      readonly no: ReadonlyArray<Tree>
    }
  | { readonly kind: 'loop'; readonly turns: number; readonly body: ReadonlyArray<Tree> }
  | { readonly kind: 'switch'; readonly on: number; readonly ways: ReadonlyArray<ReadonlyArray<Tree>> }
  | { readonly kind: 'exit'; readonly by: Guard }
  | { readonly kind: 'call'; readonly by: Guard | null }
  | { readonly kind: 'return'; readonly by: Guard }

const written = fc.nat(7)
const read = fc.oneof(fc.nat(7), fc.constant(lane), fc.nat(constants.length - 1).map(constant))
const guard: fc.Arbitrary<Guard> = fc.record({ predicate: fc.nat(flag - 1), negated: fc.boolean() })
const perhaps: fc.Arbitrary<Guard | null> = fc.option(guard, { nil: null })
const two = fc.tuple(read, read)
const silent: fc.Arbitrary<Silent> = fc.oneof(
  fc.record({
    kind: fc.constant('binary' as const),
    op: fc.constantFrom('add.s32' as const, 'mul.lo.s32' as const, 'xor.b32' as const),
    to: written,
    from: two,
  }),
  fc.record({ kind: fc.constant('compare' as const), to: fc.nat(flag - 1), from: two }),
  fc.record({ kind: fc.constant('select' as const), to: written, from: two, by: fc.nat(flag - 1) }),
  fc.record({
    kind: fc.constant('move' as const),
    to: fc.constantFrom([0, 1] as const, [1, 0] as const, [6, 2] as const),
    from: two,
  }),
  fc.record({
    kind: fc.constant('part' as const),
    to: written,
    from: read,
    at: fc.constantFrom(0 as const, 8 as const, 16 as const),
    bits: fc.constantFrom(8 as const, 16 as const),
  }),
  fc.record({ kind: fc.constant('pack' as const), to: written, from: two }),
  fc.record({
    kind: fc.constant('predicate' as const),
    op: fc.constantFrom('and' as const, 'or' as const, 'xor' as const, 'not' as const, 'mov' as const),
    to: fc.nat(flag - 1),
    from: fc.tuple(guard, guard),
  }),
)
const tree = (depth: number, inside: boolean): fc.Arbitrary<Tree> => {
  const plain: fc.Arbitrary<Tree> = fc.record({
    kind: fc.constant('silent' as const),
    what: silent,
    guard: perhaps,
  })
  const short: fc.Arbitrary<Tree> = fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('exit' as const), by: guard }) },
    inside
      ? { weight: 1, arbitrary: fc.record({ kind: fc.constant('return' as const), by: guard }) }
      : { weight: 2, arbitrary: fc.record({ kind: fc.constant('call' as const), by: perhaps }) },
  )
  if (depth === 0) return short
  const some = fc.array(tree(depth - 1, inside), { maxLength: 3 })
  return fc.oneof(
    { weight: 5, arbitrary: short },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('if' as const), by: guard, yes: some, no: some }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('loop' as const), turns: read, body: some }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('switch' as const),
        on: read,
        ways: fc.tuple(some, some, some),
      }),
    },
  )
}

const operationOf = (s: Silent): Operation => {
  switch (s.kind) {
    case 'binary':
      return { _tag: 'scalar', name: s.op, to: [s.to], from: s.from }
    case 'compare':
      return { _tag: 'scalar', name: 'setp.lt.s32', to: [ofPredicate(s.to), null], from: s.from }
    case 'select':
      return { _tag: 'scalar', name: 'selp.b32', to: [s.to], from: [...s.from, ofPredicate(s.by)] }
    case 'move':
      return { _tag: 'move', to: s.to, from: s.from }
    case 'part':
      return { _tag: 'part', to: s.to, from: s.from, at: s.at, bits: s.bits }
    case 'pack':
      return { _tag: 'pack', to: s.to, from: s.from, bits: 16 }
    case 'predicate':
      return {
        _tag: 'predicate',
        op: s.op,
        to: s.to,
        from: s.op === 'not' || s.op === 'mov' ? [s.from[0]] : s.from,
      }
  }
}

/** The program in a line, and the function that it calls behind it; branches meet where flow says. */
const compiled = (main: ReadonlyArray<Tree>, called: ReadonlyArray<Tree>): WarpProgram => {
  const code: Operation[] = []
  const guards: (Guard | null)[] = []
  const emit = (o: Operation, by: Guard | null = null): number => {
    code.push(o)
    guards.push(by)
    return code.length - 1
  }
  const calls: number[] = []
  const branch = (target: number): Operation => ({ _tag: 'branch', target, join: null })
  const part = (mask: number): Operation => ({
    _tag: 'scalar',
    name: 'and.b32',
    to: [counter(4)],
    from: [mask, constant(2)],
  })
  /** What an ending lane leaves is kept in its own memory: rows are of those that go on. */
  const exit = (by: Guard | null): void => {
    const keep = (row: number, at: number): number =>
      emit(
        {
          _tag: 'store',
          into: { space: 'local', rows: [], offset: 4 * at },
          width: { bytes: 4, count: 1, signed: false },
          value: [[row]],
          ordering: 'weak',
          scope: 'cta',
        },
        by,
      )
    for (let row = 0; row < 8; row++) keep(row, row)
    for (let i = 0; i < flag; i++) {
      emit({
        _tag: 'scalar',
        name: 'selp.b32',
        to: [counter(4)],
        from: [constant(1), constant(0), ofPredicate(i)],
      })
      keep(counter(4), 8 + i)
    }
    emit({ _tag: 'exit' }, by)
  }
  const all = (trees: ReadonlyArray<Tree>, depth: number): void => {
    for (const t of trees)
      switch (t.kind) {
        case 'silent':
          emit(operationOf(t.what), t.guard)
          break
        case 'if': {
          const over = emit(branch(0), { predicate: t.by.predicate, negated: !t.by.negated })
          all(t.yes, depth + 1)
          const out = emit(branch(0))
          code[over] = branch(code.length)
          all(t.no, depth + 1)
          code[out] = branch(code.length)
          break
        }
        case 'loop': {
          // 0 to 3 turns, as the lane's word says
          emit({ _tag: 'scalar', name: 'and.b32', to: [counter(depth)], from: [t.turns, constant(2)] })
          const top = emit({
            _tag: 'scalar',
            name: 'setp.eq.s32',
            to: [ofPredicate(flag), null],
            from: [counter(depth), constant(0)],
          })
          const out = emit(branch(0), { predicate: flag, negated: false })
          emit({ _tag: 'scalar', name: 'add.s32', to: [counter(depth)], from: [counter(depth), constant(3)] })
          all(t.body, depth + 1)
          emit(branch(top))
          code[out] = branch(code.length)
          break
        }
        case 'switch': {
          emit(part(t.on))
          const at = emit({ _tag: 'nothing' })
          const outs: number[] = []
          const targets = t.ways.map((way) => {
            const begins = code.length
            all(way, depth + 1)
            outs.push(emit(branch(0)))
            return begins
          })
          for (const out of outs) code[out] = branch(code.length)
          code[at] = {
            _tag: 'branchIndexed',
            index: counter(4),
            targets: [...targets, code.length],
            join: null,
          }
          break
        }
        case 'exit':
          exit(t.by)
          break
        case 'return':
          emit({ _tag: 'return' }, t.by)
          break
        case 'call':
          calls.push(emit({ _tag: 'nothing' }, t.by))
          break
      }
  }
  all(main, 0)
  exit(null)
  const entry = code.length
  // counters of its own: those of its caller go on
  all(called, 5)
  emit({ _tag: 'return' })
  for (const at of calls) code[at] = { _tag: 'call', target: entry }
  const next = code.map((o, i): ReadonlyArray<number> => {
    const on = guards[i] === null ? [] : [i + 1]
    if (o._tag === 'branch') return [...new Set([o.target, ...on])]
    if (o._tag === 'branchIndexed') return [...new Set([...o.targets, ...on])]
    return o._tag === 'exit' || o._tag === 'return' ? on : [i + 1]
  })
  // a guarded exit is an end as well: what is behind it is not met by every lane
  const ends = code.length
  const joins = postDominators([
    ...next.map((to, i) => (code[i]!._tag === 'exit' || code[i]!._tag === 'return' ? [...to, ends] : to)),
    [],
  ])
  return {
    name: 'random',
    arch: 'sm90a',
    code: code.map((o, i): Instruction => {
      const join = joins[i] === ends ? null : joins[i]!
      return {
        site: 0,
        guard: guards[i]!,
        operation:
          o._tag === 'branch'
            ? { _tag: 'branch', target: o.target, join }
            : o._tag === 'branchIndexed'
              ? { _tag: 'branchIndexed', index: o.index, targets: o.targets, join }
              : o,
      }
    }),
    constants: constants.map((word, i) => ({ row: constant(i), word })),
    givens: [{ row: lane, given: { _tag: 'lane' } }],
    rows: rowCount,
    predicates: predicateCount,
    loops: code.map(() => []),
    loopCount: 0,
    sites: [],
    fences: 'author',
    parameterBytes: 0,
    sharedBytes: 0,
    shared: [],
    sharedAlign: 16,
    localBytes: 64,
    variables: [],
    threads: null,
    cluster: null,
    registers: null,
  }
}

// ---------------------------------------------------------------- one thread by itself

interface Thread {
  readonly words: number[]
  readonly truths: boolean[]
}

/** The tree itself, without code: what one thread leaves. */
const thread = (
  main: ReadonlyArray<Tree>,
  called: ReadonlyArray<Tree>,
  start: ReadonlyArray<Tree>,
  own: number,
): Thread => {
  const w: number[] = Array.from({ length: 8 }, () => 0)
  const p: boolean[] = Array.from({ length: flag }, () => false)
  const at = (row: number): number => (row < 8 ? w[row]! : row === lane ? own : constants[row - 9]!)
  const holds = (g: Guard | null): boolean => g === null || p[g.predicate] !== g.negated
  const act = (s: Silent): void => {
    switch (s.kind) {
      case 'binary': {
        const [a, b] = [at(s.from[0]), at(s.from[1])]
        w[s.to] =
          s.op === 'add.s32'
            ? (a + b) | 0
            : s.op === 'xor.b32'
              ? a ^ b
              : Number(BigInt.asIntN(32, BigInt(a) * BigInt(b)))
        break
      }
      case 'compare':
        p[s.to] = at(s.from[0]) < at(s.from[1])
        break
      case 'select':
        w[s.to] = p[s.by] === true ? at(s.from[0]) : at(s.from[1])
        break
      case 'move': {
        const [a, b] = [at(s.from[0]), at(s.from[1])]
        w[s.to[0]] = a
        w[s.to[1]] = b
        break
      }
      case 'part':
        w[s.to] = Math.floor((at(s.from) >>> 0) / 2 ** s.at) % 2 ** s.bits
        break
      case 'pack':
        w[s.to] = ((at(s.from[0]) & 0xffff) + (at(s.from[1]) & 0xffff) * 65536) | 0
        break
      case 'predicate': {
        const [a, b] = [holds(s.from[0]), holds(s.from[1])]
        p[s.to] =
          s.op === 'and'
            ? a && b
            : s.op === 'or'
              ? a || b
              : s.op === 'xor'
                ? a !== b
                : s.op === 'not'
                  ? !a
                  : a
        break
      }
    }
  }
  const all = (trees: ReadonlyArray<Tree>): 'on' | 'exit' | 'return' => {
    for (const t of trees) {
      let how: 'on' | 'exit' | 'return' = 'on'
      switch (t.kind) {
        case 'silent':
          if (holds(t.guard)) act(t.what)
          break
        case 'if':
          how = all(holds(t.by) ? t.yes : t.no)
          break
        case 'loop':
          for (let n = at(t.turns) & 3; n > 0 && how === 'on'; n--) how = all(t.body)
          break
        case 'switch':
          how = all(t.ways[at(t.on) & 3] ?? [])
          break
        case 'exit':
          if (holds(t.by)) how = 'exit'
          break
        case 'return':
          if (holds(t.by)) how = 'return'
          break
        case 'call':
          if (holds(t.by) && all(called) === 'exit') how = 'exit'
          break
      }
      if (how !== 'on') return how
    }
    return 'on'
  }
  all([...start, ...main])
  return { words: w, truths: p }
}

// ---------------------------------------------------------------- laws

/** Some registers and predicates differ from lane to lane, others are uniform. */
const start: ReadonlyArray<Tree> = [
  ...Array.from({ length: 8 }, (_, row): Silent =>
    row < 4
      ? { kind: 'binary', op: 'mul.lo.s32', to: row, from: [constant(4), row < 2 ? constant(2) : lane] }
      : { kind: 'part', to: row, from: row < 6 ? lane : constant(4), at: 0, bits: 16 },
  ),
  ...Array.from({ length: flag }, (_, i): Silent => ({
    kind: 'compare',
    to: i,
    from: [i < 4 ? i : lane, constant(i % 3)],
  })),
].map((what): Tree => ({ kind: 'silent', what, guard: null }))

const body = (inside: boolean): fc.Arbitrary<ReadonlyArray<Tree>> =>
  fc.array(tree(inside ? 1 : 3, inside), { minLength: 1, maxLength: inside ? 4 : 7 })

describe('a warp is 32 threads', () => {
  prop([body(false), body(true), fc.constantFrom(32, 32, 32, 7)], { numRuns: nightly ? 150 : 30 })(
    'equal registers in every lane at the end',
    (main, called, threads) => {
      const program = compiled([...start, ...main], called)
      const { world, machine } = right(
        launchWarps(
          program,
          {
            grid: [1],
            block: [threads],
            cluster: null,
            dynamicBytes: 0,
            parameters: new Uint8Array(0),
            pointers: [],
            tensors: [],
            sharedBase: 1024,
          },
          bits('hopper'),
        ),
      )
      const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
      expect(outcome).toEqual({ _tag: 'completed' })
      const stand = after.agents[0]!.stand
      if (stand?._tag !== 'warp') throw new Error('a warp')
      expect(stand.splits).toEqual([])
      expect(stand.ended).toBe(-1)
      for (let l = 0; l < threads; l++) {
        const { words, truths } = thread(main, called, start, l)
        const kept = new DataView(stand.local.buffer, 64 * l)
        const found = Array.from({ length: 8 + flag }, (_, i) => kept.getInt32(4 * i, true))
        expect(found).toEqual([...words, ...truths.map(Number)])
        expect(stand.localWritten.slice(64 * l, 64 * l + 4 * (8 + flag)).every((x) => x === 1)).toBe(true)
      }
      return true
    },
  )
})
