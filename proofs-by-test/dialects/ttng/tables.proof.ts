/**
 * What operations of ttng take, on all of a finite domain: every operation of `arith` on every pair of types, every axis, every layout of a barrier, every module.
 *
 * Oracles: the rules of MLIR's and Triton's verifiers, each written as a sentence about widths, kinds and shapes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Ttng from '../../../src/dialects/ttng/index.js'
import { stripped } from '../../../src/dialects/ttng/nvmma.js'
import type { DistributedSpec } from '../../../src/layouts/triton/encoding.js'
import { onShape } from '../../../src/layouts/triton/to-linear.js'
import { floatDtypes } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { ScalarName, Type } from '../../../src/semantics/language/types.js'
import { thread } from '../coverage/ttng/operations.js'
import { statementsOf } from '../pallas/programs.js'
import { right } from '../../either.js'

type Any = X.Expr<never>
const made = (
  body: () => B.Steps<void>,
  cluster = 1,
): E.Either<{ readonly code: string; readonly message: string }, Program> =>
  B.kernel(
    {
      name: 'k',
      arch: 'sm100a',
      agents: [thread],
      ...(cluster === 1 ? {} : { grid: [cluster], cluster: [cluster] }),
    },
    body,
  )
/** The code of a refusal by the dialect; null where it takes the operands, whatever the language says then. */
const refusal = (body: () => B.Steps<void>): string | null => {
  const p = made(body)
  return E.isLeft(p) && p.left.code.startsWith('ttng.') ? p.left.code : null
}
const instructions = (p: Program): ReadonlyArray<Instruction> =>
  statementsOf(p.entry).flatMap((s) => (s._tag === 'Do' ? [s.instruction] : []))

// ---------------------------------------------------------------- types

const bits: Readonly<Record<string, number>> = {
  ...{ i1: 1, i32: 32, i64: 64, f32: 32, tf32: 32, f16: 16, bf16: 16 },
  // a value of fewer bits is held in a byte
  ...{ e4m3: 8, e5m2: 8, ue4m3: 8, e8m0: 8, e2m3: 8, e3m2: 8, e2m1: 8 },
}
const stored: Readonly<Record<string, number>> = { ...bits, e2m3: 6, e3m2: 6, e2m1: 4 }
const names = ['i1', 'i32', 'i64', ...floatDtypes] as const satisfies ReadonlyArray<ScalarName>
const isInt = (name: ScalarName): boolean => name.startsWith('i')
const one = (name: ScalarName): Any =>
  (name === 'i1'
    ? X.i1(true)
    : name === 'i32'
      ? X.i32(1)
      : name === 'i64'
        ? X.i64(1n)
        : X.float(name, 1)) as unknown as Any
const forms: ReadonlyArray<readonly [string, (name: ScalarName) => Any]> = [
  ['', one],
  ['x4', (name) => X.splat(one(name), [4]) as unknown as Any],
  ['x8', (name) => X.splat(one(name), [8]) as unknown as Any],
]
const values = forms.flatMap(([form, of]) => names.map((name) => ({ form, name, of: of(name) })))
/** Those of the same kind and not, of the same shape and not. */
const partners = (x: (typeof values)[number]): typeof values =>
  values.filter((y) => y.name === x.name || (y.form === x.form && ['i32', 'f32', 'f16'].includes(y.name)))
const kinds = {
  integer: {
    ...{ addi: Ttng.addi, subi: Ttng.subi, muli: Ttng.muli, divsi: Ttng.divsi, remsi: Ttng.remsi },
    ...{ minsi: Ttng.minsi, maxsi: Ttng.maxsi, andi: Ttng.andi, ori: Ttng.ori, xori: Ttng.xori },
    ...{ shli: Ttng.shli, shrsi: Ttng.shrsi, shrui: Ttng.shrui },
    cmpi: (label: string, x: Any, y: Any) => Ttng.cmpi(label, 'slt', x, y),
  },
  float: {
    ...{ addf: Ttng.addf, subf: Ttng.subf, mulf: Ttng.mulf, divf: Ttng.divf },
    ...{ minnumf: Ttng.minnumf, maxnumf: Ttng.maxnumf },
    cmpf: (label: string, x: Any, y: Any) => Ttng.cmpf(label, 'olt', x, y),
    'fma, third operand': (label: string, x: Any, y: Any) => Ttng.fma(label, x, x, y),
    'fma, second operand': (label: string, x: Any, y: Any) => Ttng.fma(label, x, y, x),
  },
} as const

describe('types of arith', () => {
  test('two operands: of one type, and integers or floats as the name says', () => {
    for (const [kind, ops] of Object.entries(kinds))
      for (const [name, op] of Object.entries(ops) as ReadonlyArray<
        readonly [string, (label: string, x: Any, y: Any) => B.Build<unknown>]
      >)
        for (const x of values)
          for (const y of partners(x)) {
            const fits = [x, y].every((v) => isInt(v.name) === (kind === 'integer'))
            const expected = !fits
              ? 'ttng.arith.element_type'
              : x.name !== y.name || x.form !== y.form
                ? 'ttng.arith.operands'
                : null
            const found = refusal(function* () {
              yield* op('op', x.of, y.of)
            })
            if (found !== expected) expect([name, x.name + x.form, y.name + y.form, found]).toBe(expected)
          }
  })
  test('select: its operands are of one type', () => {
    for (const x of values)
      for (const y of partners(x))
        expect([
          `${x.name}${x.form} ${y.name}${y.form}`,
          refusal(function* () {
            yield* Ttng.select('op', X.i1(true), x.of, y.of)
          }),
        ]).toEqual([
          `${x.name}${x.form} ${y.name}${y.form}`,
          x.name === y.name && x.form === y.form ? null : 'ttng.arith.operands',
        ])
  })
  test('one operand that is a float', () => {
    for (const op of [Ttng.negf, Ttng.absf, Ttng.exp2, Ttng.log2, Ttng.sqrt])
      for (const x of values)
        expect(
          refusal(function* () {
            yield* op('op', x.of)
          }),
        ).toBe(isInt(x.name) ? 'ttng.arith.element_type' : null)
  })
  test('conversions: kinds and widths, and what comes out is of the type', () => {
    type Rule = readonly [
      op: Ttng.Convert,
      from: 'integer' | 'float' | 'any',
      to: 'integer' | 'float' | 'any',
      fits: (from: ScalarName, to: ScalarName) => boolean,
    ]
    const wider = (x: ScalarName, y: ScalarName): boolean => bits[y]! > bits[x]!
    const narrower = (x: ScalarName, y: ScalarName): boolean => wider(y, x)
    const always = (): boolean => true
    // narrow integers are i32 here: the bits of a narrow float are its low ones
    const equal = (x: ScalarName, y: ScalarName): boolean =>
      stored[x] === stored[y] ||
      [
        [x, y],
        [y, x],
      ].some(([a, b]) => a === 'i32' && !isInt(b!) && stored[b!]! < 32)
    const rules: Readonly<Record<string, Rule>> = {
      extsi: [Ttng.extsi, 'integer', 'integer', wider],
      extui: [Ttng.extui, 'integer', 'integer', wider],
      trunci: [Ttng.trunci, 'integer', 'integer', narrower],
      extf: [Ttng.extf, 'float', 'float', wider],
      truncf: [Ttng.truncf, 'float', 'float', narrower],
      sitofp: [Ttng.sitofp, 'integer', 'float', always],
      fptosi: [Ttng.fptosi, 'float', 'integer', always],
      bitcast: [Ttng.bitcast, 'any', 'any', equal],
    }
    const isKind = (kind: Rule[1], name: ScalarName): boolean =>
      kind === 'any' || isInt(name) === (kind === 'integer')
    for (const [name, [op, from, into, fits]] of Object.entries(rules))
      for (const x of values)
        for (const to of names) {
          const expected = !isKind(from, x.name)
            ? 'ttng.arith.element_type'
            : !isKind(into, to) || !fits(x.name, to)
              ? 'ttng.arith.cast'
              : null
          const found: Type[] = []
          const code = refusal(function* () {
            found.push(yield* B.typeHere(yield* op('op', x.of, to)))
          })
          if (code !== expected) expect([name, x.name + x.form, to, code]).toBe(expected)
          for (const type of found)
            expect([type._tag, Ttng.elementOf(type)]).toEqual([x.form === '' ? 'scalar' : 'tile', to])
        }
  })
})

// ---------------------------------------------------------------- shapes

const blocked = (shape: ReadonlyArray<number>): DistributedSpec => ({
  _tag: 'blocked',
  sizePerThread: shape.map(() => 1),
  threadsPerWarp: shape.map((_, d) => (d === shape.length - 1 ? 32 : 1)),
  warpsPerCTA: shape.map((_, d) => (d === shape.length - 1 ? 4 : 1)),
  order: shape.map((_, d) => shape.length - 1 - d),
})
const tensor = (shape: ReadonlyArray<number>): X.Tile<'i32', number> =>
  X.splat<'i32', number>(X.i32(1), shape, right(onShape(blocked(shape))(shape)))
const shapes = [1, 2, 4].flatMap((a) => [[a], ...[1, 2, 4].map((b) => [a, b])])
const size = (shape: ReadonlyArray<number>): number => shape.reduce((n, m) => n * m, 1)

describe('shapes', () => {
  test('ranges count a power of two of numbers', () => {
    for (let start = -2; start < 9; start++)
      for (let end = -2; end < 9; end++)
        expect(
          refusal(function* () {
            yield* Ttng.makeRange('op', start, end, blocked([1]))
          }),
        ).toBe([1, 2, 4, 8].includes(end - start) ? null : 'ttng.make_range.range')
    for (const start of [0.5, NaN])
      expect(
        refusal(function* () {
          yield* Ttng.makeRange('op', start, start + 1, blocked([1]))
        }),
      ).toBe('ttng.make_range.range')
  })
  test('axes: one of those that there are, for an expansion one more', () => {
    for (const shape of shapes)
      for (const axis of [-1, 0, 0.5, 1, 2, 3, NaN]) {
        const isOne = (rank: number): boolean => Array.from({ length: rank }, (_, d) => d).includes(axis)
        expect(
          refusal(function* () {
            yield* Ttng.reduce('op', tensor(shape), axis, X.add)
          }),
        ).toBe(isOne(shape.length) ? null : 'ttng.reduce.axis')
        const parent = blocked([...shape, 1])
        const x = X.splat<'i32', number>(X.i32(1), shape)
        expect(
          refusal(function* () {
            yield* Ttng.expandDims('op', x, axis, parent)
          }),
        ).toBe(isOne(shape.length + 1) ? null : 'ttng.expand_dims.axis')
      }
  })
  test('a broadcast repeats what is 1, a reshape keeps the number of elements, a transpose has an order', () => {
    for (const from of shapes)
      for (const to of shapes) {
        const fits = from.length === to.length && from.every((n, d) => n === 1 || n === to[d])
        expect(
          refusal(function* () {
            yield* Ttng.broadcast('op', tensor(from), to, blocked(to))
          }),
        ).toBe(fits ? null : 'ttng.broadcast.shape')
        expect(
          refusal(function* () {
            yield* Ttng.reshape('op', tensor(from), to, blocked(to))
          }),
        ).toBe(size(from) === size(to) ? null : 'ttng.reshape.shape')
      }
    for (const order of [[], [0], [1], [0, 1], [1, 0], [0, 0], [1, 1], [0, 1, 2], [0, 2], [-1, 0]])
      for (const shape of [[4], [2, 4]])
        expect(
          refusal(function* () {
            yield* Ttng.trans('op', tensor(shape), order, blocked(order.map((d) => shape[d] ?? 1)))
          }),
        ).toBe([...order].sort().join() === shape.map((_, d) => d).join() ? null : 'ttng.trans.order')
  })
  test('constants of integers are integers; a splat is of one number', () => {
    for (const name of names)
      for (const value of [0, 1, 1.5])
        expect(
          refusal(function* () {
            yield* Ttng.constant('op', name, value)
          }),
        ).toBe(isInt(name) && value === 1.5 ? 'ttng.constant.value' : null)
    for (const { form, of } of values)
      expect(
        refusal(function* () {
          yield* Ttng.splat('op', of, [4], blocked([4]))
        }),
      ).toBe(form === '' ? null : 'ttng.splat.operand')
  })
})

test('leading extents of 1 go, and one extent stays', () => {
  const none: ReadonlyArray<ReadonlyArray<number>> = [[]]
  let all = none
  for (let rank = 1; rank <= 4; rank++) {
    all = all.flatMap((shape) => [1, 2, 8].map((n) => [n, ...shape]))
    for (const shape of all) {
      const found = stripped(shape)
      expect(shape.slice(shape.length - found.length)).toEqual(found)
      expect(found.length).toBeGreaterThan(0)
      expect(size(found)).toBe(size(shape))
      expect(found.length === 1 || found[0] !== 1).toBe(true)
    }
  }
})

describe('a product of a warp', () => {
  const tensorIn = (dtype: ScalarName, shape: readonly [number, number]): X.Tile<never, 2> =>
    X.splat(one(dtype), shape) as unknown as X.Tile<never, 2>
  // bits of a factor, and what it is summed in
  const factors: Readonly<Record<string, readonly [number, ReadonlyArray<ScalarName>]>> = {
    f16: [16, ['f16', 'f32']],
    bf16: [16, ['f32']],
    f32: [32, ['f32']],
    i32: [8, ['i32']],
  }
  test('of two of one type, into what it is summed in; along K for eight lanes of whole registers', () => {
    for (const from of names)
      for (const other of [from, 'f16', 'bf16'] as const)
        for (const into of ['f16', 'f32', 'i32'] as const)
          for (const [k, kWidth] of from === other
            ? ([
                [64, 1],
                [64, 2],
                [64, 3],
                [64, 4],
                [48, 2],
                [48, 4],
                [72, 4],
                [64, 8],
                [16, 4],
              ] as const)
            : ([[64, 4]] as const)) {
            const code = refusal(function* () {
              yield* Ttng.warpDot(
                'op',
                tensorIn(from, [16, k]),
                tensorIn(other, [k, 8]),
                tensorIn(into, [16, 8]) as never,
                kWidth,
              )
            })
            const row = factors[from]
            const expected =
              row === undefined || from !== other || !row[1].includes(into)
                ? 'ttng.dot.element_type'
                : kWidth % (32 / row[0]) !== 0 || k % (8 * kWidth) !== 0
                  ? 'ttng.dot.shape'
                  : null
            expect([from, other, into, k, kWidth, code]).toEqual([from, other, into, k, kWidth, expected])
          }
  })
})

// ---------------------------------------------------------------- modules and barriers

describe('modules', () => {
  test('warps are a power of two of at most 32, CTAs of at most 16, registers a multiple of 8 from 24 to 256', () => {
    const codeOf = (attributes: Ttng.ModuleAttributes): string | null => {
      const m = Ttng.module(attributes)
      return E.isLeft(m) ? m.left.code : null
    }
    const powers = [1, 2, 4, 8, 16, 32]
    for (let n = 0; n <= 65; n++) {
      const warps = n === 64 ? 'ttng.module.most_warps' : powers.includes(n) ? null : 'ttng.module.num_warps'
      expect(codeOf({ numWarps: n, target: 'cuda:90' })).toBe(warps)
      expect(codeOf({ numWarps: 4, target: 'cuda:90', partitions: [{ numWarps: 4 }, { numWarps: n }] })).toBe(
        warps,
      )
      expect(codeOf({ numWarps: 4, numCtas: n, target: 'cuda:90' })).toBe(
        powers.includes(n) && n < 32 ? null : 'ttng.module.num_ctas',
      )
    }
    for (let n = 0; n < 300; n++)
      expect(
        codeOf({ numWarps: 4, target: 'cuda:90', partitions: [{ numWarps: 4, requestedRegisters: n }] }),
      ).toBe(n >= 24 && n <= 256 && n % 8 === 0 ? null : 'ttng.warp_specialize.requested_registers')
  })
  test('an agent is a warp, a warpgroup or more; the target is an architecture', () => {
    for (const numWarps of [1, 2, 4, 8])
      for (const requestedRegisters of [undefined, 24])
        for (const [target, arch] of [
          ['cuda:90', 'sm90a'],
          ['cuda:100', 'sm100a'],
        ] as const) {
          const partition = requestedRegisters === undefined ? { numWarps } : { numWarps, requestedRegisters }
          const m = right(Ttng.module({ numWarps, numCtas: 2, target, partitions: [partition] }))
          const kind = { 1: 'warp', 4: 'warpgroup' }[numWarps] ?? 'partition'
          const first = Math.max(4, numWarps)
          const own = { name: 'default', kind, firstWarp: 0, warps: numWarps }
          const other = { name: 'partition0', kind, firstWarp: first, warps: numWarps }
          const agents = [
            own,
            requestedRegisters === undefined ? other : { ...other, registers: requestedRegisters },
          ]
          expect([m.arch, m.agents]).toStrictEqual([arch, agents])
          expect([m.from, ...m.partitions]).toStrictEqual(
            agents.map((agent, k) => ({ agents: [agent], numCtas: 2, specialized: k > 0 })),
          )
        }
  })
})

describe('barriers', () => {
  const lists = <A>(of: ReadonlyArray<A>, most: number): ReadonlyArray<ReadonlyArray<A>> =>
    most === 0 ? [[]] : [[], ...lists(of, most - 1).flatMap((l) => of.map((x) => [...l, x]))]
  test('every layout: a row for each bit of a rank, which counts up or is 0', () => {
    const short = lists([[], [0], [1], [2], [3], [0, 0], [1, 0]], 2)
    const long = lists([[0], [1], [2], [4]], 3).filter((l) => l.length === 3)
    for (const ctas of [1, 2, 4, 8])
      for (const layout of ctas === 8 ? long : short) {
        const ranks = layout.map((row) => (row.length === 1 ? row[0]! : -1))
        const counts = ranks.filter((v) => v !== 0)
        const isLegal =
          2 ** layout.length === ctas && counts.every((v, k) => v === 2 ** k) && !ranks.includes(-1)
        // a bit with 0 is shared: so many arrivals of each CTA come to one barrier
        const shared = 2 ** (layout.length - counts.length)
        for (const specialized of [false, true]) {
          const from: Ttng.Issuer = { agents: [thread], numCtas: ctas, specialized }
          const p = made(function* () {
            const b = yield* B.barriers('b', [], { ordersTensorCore: true })
            yield* Ttng.initBarrier('init', b, 3, { layout, from })
          }, ctas)
          const expected = !isLegal
            ? 'ttng.barrier.layout'
            : specialized && shared > 1
              ? 'ttng.init_barrier.warp_specialize'
              : 3 * shared
          const [init] = E.isRight(p) ? instructions(p.right) : []
          const found = E.isLeft(p) ? p.left.code : init?._tag === 'mbarrier.init' ? init.count : init?._tag
          if (found !== expected) expect([ctas, JSON.stringify(layout), specialized, found]).toBe(expected)
        }
      }
  })
  test('arrivals: at which CTAs, how many, and in which scope; waits are those of the lead', () => {
    /** What is computed of a rank. */
    const value = (e: X.ExprNode, rank: number): number => {
      if (e._tag === 'const') return Number(e.value)
      if (e._tag === 'place') return rank
      if (e._tag === 'compare') return value(e.x, rank) === value(e.y, rank) ? 1 : 0
      if (e._tag !== 'binary') throw new Error(e._tag)
      const [x, y] = [value(e.x, rank), value(e.y, rank)]
      return e.op === 'and' ? x & y : x | y
    }
    const placeOf = (barrier: X.ExprNode, rank: number): number =>
      barrier._tag === 'remote' ? value(barrier.rank, rank) : rank
    for (const ctas of [1, 2, 4])
      for (const shared of [false, true])
        for (const ctaMask of [undefined, -1, 0, 0.5, 1, 2, 3, 4]) {
          const bits = Math.log2(ctas)
          const layout = Array.from({ length: bits }, (_, k) => [shared ? 0 : 2 ** k])
          const from: Ttng.Issuer = { agents: [thread], numCtas: ctas }
          const mask = ctaMask ?? 0
          const p = made(function* () {
            const b = yield* B.barriers('b', [], { ordersTensorCore: true })
            yield* Ttng.initBarrier('init', b, 1, { layout, from })
            yield* Ttng.barrierExpect('expect', b, 16, { layout, from })
            yield* Ttng.waitBarrier('wait', b, X.i32(0), { layout, from })
            const arriving = { layout, from, ...(ctaMask === undefined ? {} : { ctaMask }) }
            yield* Ttng.arriveBarrier('arrive', b, 2, arriving)
            yield* Ttng.invalBarrier('inval', b, { layout, from })
          }, ctas)
          const isLegal = mask === 0 || ([1, 2, 3].includes(mask) && mask < ctas && !shared)
          expect([ctas, shared, ctaMask, E.isLeft(p) ? p.left.code : null]).toEqual([
            ctas,
            shared,
            ctaMask,
            isLegal ? null : 'ttng.arrive_barrier.cta_mask',
          ])
          if (E.isLeft(p)) continue
          const scope = ctas === 1 ? 'cta' : 'cluster'
          const arrivals: number[][] = Array.from({ length: ctas }, () => [])
          for (const s of statementsOf(p.right.entry)) {
            if (s._tag !== 'Do') continue
            const { instruction: i, when } = s
            if ('scope' in i) expect([i._tag, i.scope]).toEqual([i._tag, scope])
            for (let rank = 0; rank < ctas; rank++) {
              const lead = shared ? 0 : rank
              // where CTAs share a barrier, the others do not begin, wait for or end it
              if (['mbarrier.init', 'mbarrier.wait', 'mbarrier.inval'].includes(i._tag)) {
                const asked = when === undefined ? 1 : value(when, rank)
                expect([i._tag, rank, asked]).toEqual([i._tag, rank, lead === rank ? 1 : 0])
              }
              if (i._tag === 'mbarrier.arriveExpectTx') expect(placeOf(i.barrier, rank)).toBe(lead)
              if (i._tag !== 'mbarrier.arrive') continue
              expect([i.count, i.release]).toEqual([2, true])
              arrivals[rank]!.push(placeOf(i.barrier, rank))
            }
          }
          for (const [rank, at] of arrivals.entries()) {
            const others = arrivals.map((_, other) => other).filter((other) => ((other ^ rank) & ~mask) === 0)
            expect(at.sort((x, y) => x - y)).toEqual(shared ? [0] : others)
          }
        }
    for (const size of [-1, 0, 0.5, 16, NaN])
      expect(
        refusal(function* () {
          yield* Ttng.barrierExpect('op', yield* B.barriers('b', [], { ordersTensorCore: true }), size)
        }),
      ).toBe(size === 0 || size === 16 ? null : 'ttng.barrier_expect.size')
  })
  test('one element, however many dimensions; counts from 1', () => {
    for (const shape of [[], [1], [2], [4]])
      expect(
        refusal(function* () {
          const b = yield* B.barriers('b', shape, { ordersTensorCore: true })
          yield* Ttng.initBarrier('init', b as unknown as Ttng.BarrierDesc, 1)
        }),
      ).toBe(size(shape) === 1 ? null : 'ttng.barrier.shape')
    for (const count of [-1, 0, 0.5, 1, 2, NaN])
      for (const op of [Ttng.initBarrier, Ttng.arriveBarrier])
        expect(
          refusal(function* () {
            yield* op('op', yield* B.barriers('b', [], { ordersTensorCore: true }), count)
          }),
        ).toBe(
          count === 1 || count === 2
            ? null
            : op === Ttng.initBarrier
              ? 'ttng.init_barrier.count'
              : 'ttng.arrive_barrier.count',
        )
  })
})

// ---------------------------------------------------------------- tensor maps

describe('tensor maps in memory', () => {
  interface Asked {
    readonly box: ReadonlyArray<number>
    readonly dims: number
    readonly strides: number
    readonly steps: ReadonlyArray<number>
    readonly options?: Partial<Ttng.TensormapOptions>
    readonly dtype?: 'u8' | 'e4m3' | 'f16'
  }
  const plain = { elemType: 'f16', interleaveLayout: 'none', swizzleMode: '64B', fillMode: 'zero' } as const
  const asked = ({ box, dims, strides, steps, options = {}, dtype = 'f16' }: Asked) =>
    made(function* () {
      const map = yield* B.tensorParam('map', 'u8', [128], { role: 'inout' })
      const x = yield* B.tensorParam('x', dtype, [1024], { role: 'in' })
      yield* Ttng.tensormapCreate(
        ...([
          'make',
          map.ptr,
          x.ptr,
          box,
          Array.from({ length: dims }, (_, d) => X.i32(10 + d)),
          Array.from({ length: strides }, (_, d) => X.i64(BigInt(64 * (d + 1)))),
          steps,
          { ...plain, ...options },
        ] as const),
      )
    })
  const codeOf = (of: Asked): string | null => {
    const p = asked(of)
    return E.isLeft(p) && p.left.code.startsWith('ttng.') ? p.left.code : null
  }
  const ones = (n: number): ReadonlyArray<number> => Array.from({ length: n }, () => 1)
  test('ranks: 1 to 5, with as many extents and steps, and one stride less', () => {
    for (let rank = 0; rank < 7; rank++)
      for (const [a, b, c] of [
        [0, 0, 0],
        [1, 0, 0],
        [-1, 0, 0],
        [0, 1, 0],
        [0, -1, 0],
        [0, 0, 1],
        [0, 0, -1],
      ] as const)
        if (rank > 0 || a + b + c >= 0)
          expect(
            codeOf({
              box: ones(rank),
              dims: rank + a,
              strides: Math.max(0, rank - 1 + b),
              steps: ones(rank + c),
            }),
          ).toBe(
            rank >= 1 && rank <= 5 && a === 0 && Math.max(0, rank - 1 + b) === rank - 1 && c === 0
              ? null
              : 'ttng.tensormap_create.rank',
          )
  })
  test('steps are 1 to 8, in every dimension', () => {
    for (let step = -1; step < 11; step++)
      for (const steps of [
        [step, 1],
        [1, step],
      ])
        expect(codeOf({ box: [8, 8], dims: 2, strides: 1, steps })).toBe(
          step >= 1 && step <= 8 ? null : 'ttng.tensormap_create.element_stride',
        )
  })
  test('attributes: each is one of its names, and only plain elements are modelled', () => {
    const two: Asked = { box: [8, 8], dims: 2, strides: 1, steps: [1, 1] }
    for (const name of ['elemType', 'interleaveLayout', 'swizzleMode', 'fillMode'] as const)
      expect(codeOf({ ...two, options: { [name]: 'none of them' } })).toBe('ttng.tensormap_create.attribute')
    const modelled = ['u8', 'u16', 'u32', 's32', 'u64', 's64', 'f16', 'f32', 'bf16', 'tf32']
    for (const elemType of Object.keys(Ttng.TensormapElemType) as ReadonlyArray<'f16'>)
      expect([elemType, codeOf({ ...two, options: { elemType } })]).toEqual([
        elemType,
        modelled.includes(elemType) ? null : 'ttng.tensormap_create.unsupported',
      ])
    for (const interleaveLayout of Object.keys(Ttng.TensormapInterleave) as ReadonlyArray<'none'>)
      expect(codeOf({ ...two, options: { interleaveLayout } })).toBe(
        interleaveLayout === 'none' ? null : 'ttng.tensormap_create.unsupported',
      )
  })
  test('lists are turned round: Triton has the contiguous dimension first, and strides in bytes', () => {
    const constant = (e: X.ExprNode): unknown =>
      e._tag === 'const'
        ? Number(e.value)
        : e._tag === 'binary'
          ? [constant(e.x), e.op, constant(e.y)]
          : e._tag
    for (const rank of [1, 2, 3, 4, 5])
      for (const [dtype, elemType, bytes, held] of [
        ['f16', 'f16', 2, 'f16'],
        ['u8', 'u8', 1, 'u8'],
        ['e4m3', 'u8', 1, 'e4m3'],
        ['f16', 'f32', 4, 'f32'],
        ['f16', 'u8', 1, 'u8'],
        ['e4m3', 'u16', 2, 'u16'],
      ] as const)
        for (const steps of [ones(rank), ones(rank).map((_, d) => d + 1)])
          for (const [swizzleMode, swizzle] of [
            ['none', 16],
            ['32B', 32],
            ['64B', 64],
            ['128B', 128],
          ] as const) {
            const box = ones(rank).map((_, d) => (d === 0 ? 16 / bytes : 2 ** d))
            const [make, fence] = instructions(
              right(
                asked({
                  box,
                  dims: rank,
                  strides: rank - 1,
                  steps,
                  dtype,
                  options: { elemType, swizzleMode, fillMode: 'nan' },
                }),
              ),
            )
            if (make?._tag !== 'tensormap.create') throw new Error(make?._tag)
            const turned = <A>(of: ReadonlyArray<A>): ReadonlyArray<A> =>
              of.map((_, d) => of[of.length - 1 - d]!)
            expect(make.dims.map((e) => (typeof e === 'number' ? e : constant(e)))).toEqual(
              turned(ones(rank).map((_, d) => 10 + d)),
            )
            expect(make.strides.map(constant)).toEqual([
              ...turned(
                ones(rank - 1).map((_, d) => (bytes === 1 ? 64 * (d + 1) : [64 * (d + 1), 'quo', bytes])),
              ),
              1,
            ])
            const { box: found, dtype: of, swizzle: span, fill } = make
            expect([found, of, span, fill]).toEqual([turned(box), held, swizzle, 'nan'])
            expect(make.elementStrides).toEqual(steps.every((n) => n === 1) ? undefined : turned(steps))
            expect(fence?._tag).toBe('fence.tensormap')
          }
  })
})
