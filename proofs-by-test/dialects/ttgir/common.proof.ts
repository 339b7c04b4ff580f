/**
 * What kernels of Triton have all the time: assumptions, pointers under another element type, whole numbers of 64 bits out of floats, atomics whose results are
 * read, copies with `other`, sixteen warps and more. Oracle: the same in plain numbers.
 */
import { describe, expect, it } from 'vitest'
import { elaborate, launchOf, readModule, signatureOf } from '../../../src/dialects/ttgir/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { encode } from '../../../src/numerics/float-format.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { check, standardOptions } from '../../../src/semantics/index.js'
import { right } from '../../either.js'

const size = 128
const tensorOf = (element: string): string => `tensor<${String(size)}x${element}, #b>`

/** A kernel of parameters `%NAME: !tt.ptr<TYPE>`; `%NAMEi` are pointers to their elements, `%i` counts them. */
const kernelOf = (
  parameters: Readonly<Record<string, string>>,
  body: string,
  { warps = 4, scalars = '' } = {},
): string => `
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [${String(warps)}], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = ${String(warps)} : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(${[...Object.entries(parameters).map(([name, type]) => `%${name}: !tt.ptr<${type}>`), ...(scalars === '' ? [] : [scalars])].join(', ')}) {
    %i = tt.make_range {end = ${String(size)} : i32, start = 0 : i32} : ${tensorOf('i32')}
${Object.entries(parameters)
  .map(
    ([name, type]) => `    %${name}s = tt.splat %${name} : !tt.ptr<${type}> -> ${tensorOf(`!tt.ptr<${type}>`)}
    %${name}i = tt.addptr %${name}s, %i : ${tensorOf(`!tt.ptr<${type}>`)}, ${tensorOf('i32')}`,
  )
  .join('\n')}
    ${body}
    tt.return
  }
}
`
const programOf = (
  text: string,
  names: ReadonlyArray<string>,
  grid = 1,
  more: Readonly<Record<string, number>> = {},
) => {
  const module = right(readModule(text))
  const args = { ...Object.fromEntries(names.map((name) => [name, { shape: [size] }])), ...more }
  return right(elaborate(module, right(launchOf(module, { grid: [grid], args }))))
}
const ran = (
  program: ReturnType<typeof programOf>,
  given: Readonly<Record<string, ReadonlyArray<number>>>,
  out: string,
): ReadonlyArray<number> => {
  const { world, machine } = right(
    launch(program, bits('hopper', 'triton'), {
      scalars: new Map(),
      tensors: new Map(Object.entries(given).map(([name, x]) => [name, Float64Array.from(x)])),
    }),
  )
  const done = run(world, machine, settings(eager), collect)
  expect(done.outcome).toEqual({ _tag: 'completed' })
  return [...readTensor(world, done.machine, out)!]
}
const counting = Array.from({ length: size }, (_, i) => i)
const f32 = (x: number): number => encode('f32', x)

describe('assumptions', () => {
  const text = kernelOf(
    { o: 'i32' },
    `%zero = arith.constant 0 : i32
    %c = arith.cmpi sgt, %n, %zero : i32
    llvm.intr.assume %c : i1
    tt.store %oi, %i : ${tensorOf('!tt.ptr<i32>')}`,
    { scalars: '%n: i32' },
  )
  it('one that holds is nothing', () => {
    expect(ran(programOf(text, ['o'], 1, { n: 5 }), {}, 'o')).toEqual(counting)
  })
  it('one that does not is told at its line', () => {
    const found = right(check(programOf(text, ['o'], 1, { n: 0 }), standardOptions)).verdict
    expect(found.verdict).toBe('invalid')
    expect(found.reason).toContain('intr.assume')
  })

  const broken = (body: string, scalars: string, given: Record<string, number>): string =>
    right(check(programOf(kernelOf({ o: 'i32' }, body, { scalars }), ['o'], 1, given), standardOptions))
      .verdict.reason
  const promised = '; the kernel promised this to its compiler, so the result is undefined'
  it('says what was promised and what is there', () => {
    const body = `%k = arith.constant 16 : i32
      %zero = arith.constant 0 : i32
      %m2 = arith.addi %n, %m : i32
      %r = arith.remsi %m2, %k : i32
      %c = arith.cmpi eq, %r, %zero : i32
      llvm.intr.assume %c : i1`
    for (const [n, m] of [
      [17, 0],
      [5, 30],
    ] as const)
      expect(broken(body, '%n: i32, %m: i32', { n, m })).toContain(
        `: tl.assume((n + m) % 16 == 0) does not hold: (n + m) % 16 is ${String((n + m) % 16)}${promised}`,
      )
  })
  it('of two values both, as signed or not', () => {
    const body = (predicate: string): string =>
      `%c = arith.cmpi ${predicate}, %n, %m : i32\n llvm.intr.assume %c : i1`
    expect(broken(body('sge'), '%n: i32, %m: i32', { n: -3, m: 7 })).toContain(
      `: tl.assume(n >= m) does not hold: n is -3, m is 7${promised}`,
    )
    expect(broken(body('ult'), '%n: i32, %m: i32', { n: -1, m: 7 })).toContain(
      `: tl.assume(n < m) does not hold: n is 4294967295, m is 7${promised}`,
    )
  })
  it('every comparison: it holds, or is told with its sign and both numbers as they are compared', () => {
    const unsigned = (x: number): number => x >>> 0
    const rules: Readonly<Record<string, readonly [string, (x: number, y: number) => boolean]>> = {
      eq: ['==', (x, y) => x === y],
      ne: ['!=', (x, y) => x !== y],
      slt: ['<', (x, y) => x < y],
      sle: ['<=', (x, y) => x <= y],
      sgt: ['>', (x, y) => x > y],
      sge: ['>=', (x, y) => x >= y],
      ult: ['<', (x, y) => unsigned(x) < unsigned(y)],
      ule: ['<=', (x, y) => unsigned(x) <= unsigned(y)],
      ugt: ['>', (x, y) => unsigned(x) > unsigned(y)],
      uge: ['>=', (x, y) => unsigned(x) >= unsigned(y)],
    }
    for (const [predicate, [sign, of]] of Object.entries(rules))
      for (const [n, m] of [
        [-3, 7],
        [7, -3],
        [5, 5],
      ] as const) {
        const body = `%c = arith.cmpi ${predicate}, %n, %m : i32\n llvm.intr.assume %c : i1`
        const found = broken(body, '%n: i32, %m: i32', { n, m })
        const seen = (x: number): string => String(predicate.startsWith('u') ? unsigned(x) : x)
        if (of(n, m)) expect(found).not.toContain('does not hold')
        else
          expect(found).toContain(
            `: tl.assume(n ${sign} m) does not hold: n is ${seen(n)}, m is ${seen(m)}${promised}`,
          )
      }
  })
  it('every operation with a sign, and what leaves a number as it is', () => {
    const rules: ReadonlyArray<readonly [name: string, sign: string, of: (x: number, y: number) => number]> =
      [
        ['addi', '+', (x, y) => x + y],
        ['subi', '-', (x, y) => x - y],
        ['muli', '*', (x, y) => x * y],
        ['divsi', '//', (x, y) => Math.trunc(x / y)],
        ['divui', '//', (x, y) => Math.floor((x >>> 0) / (y >>> 0)) | 0],
        ['remsi', '%', (x, y) => x % y],
        ['remui', '%', (x, y) => ((x >>> 0) % (y >>> 0)) | 0],
        ['andi', '&', (x, y) => x & y],
        ['ori', '|', (x, y) => x | y],
        ['xori', '^', (x, y) => x ^ y],
        ['shli', '<<', (x, y) => x << y],
        ['shrsi', '>>', (x, y) => x >> y],
        ['shrui', '>>', (x, y) => (x >>> y) | 0],
      ]
    for (const [name, sign, of] of rules)
      for (const [n, m] of [
        [-13, 3],
        [29, 4],
      ] as const) {
        const body = `%k = arith.constant 77 : i32
          %r = arith.${name} %n, %m : i32
          %c = arith.cmpi eq, %r, %k : i32
          llvm.intr.assume %c : i1`
        expect(broken(body, '%n: i32, %m: i32', { n, m })).toContain(
          `: tl.assume(n ${sign} m == 77) does not hold: n ${sign} m is ${String(of(n, m))}${promised}`,
        )
      }
    for (const [widened, there] of [
      ['extsi', -13],
      ['extui', 2 ** 32 - 13],
    ] as const) {
      const body = `%k = arith.constant 77 : i64
        %r = arith.${widened} %n : i32 to i64
        %c = arith.cmpi eq, %r, %k : i64
        llvm.intr.assume %c : i1`
      expect(broken(body, '%n: i32', { n: -13 })).toContain(
        `: tl.assume(n == 77) does not hold: n is ${String(there)}${promised}`,
      )
    }
  })
  it('a name that the source has, and three dots for what is computed in another way', () => {
    const body = `%zero = arith.constant 0 : i32
      %q = arith.muli %n, %n : i32 loc("area"(unknown))
      %c = arith.cmpi sgt, %q, %zero : i32
      llvm.intr.assume %c : i1`
    expect(broken(body, '%n: i32', { n: 0 })).toContain(
      `: tl.assume(area > 0) does not hold: area is 0${promised}`,
    )
    const least = body.replace('arith.muli', 'arith.minsi').replace(' loc("area"(unknown))', '')
    expect(broken(least, '%n: i32', { n: -4 })).toContain(
      `: tl.assume(... > 0) does not hold: the left side is -4${promised}`,
    )
  })
  it('an assertion is told with its message', () => {
    const body = `%zero = arith.constant 0 : i32
      %c = arith.cmpi sgt, %n, %zero : i32
      tt.assert %c, "n is a length" : i1`
    expect(broken(body, '%n: i32', { n: -2 })).toContain(
      ': tl.device_assert(n > 0) does not hold: n is -2; it says: n is a length',
    )
  })
})

describe('pointers under another element type', () => {
  it('the words of floats', () => {
    const text = kernelOf(
      { p: 'f32', o: 'i32' },
      `%w = tt.bitcast %pi : ${tensorOf('!tt.ptr<f32>')} -> ${tensorOf('!tt.ptr<i32>')}
      %x = tt.load %w : ${tensorOf('!tt.ptr<i32>')}
      tt.store %oi, %x : ${tensorOf('!tt.ptr<i32>')}`,
    )
    const p = counting.map((i) => f32(i - 64.5))
    expect(ran(programOf(text, ['p', 'o']), { p }, 'o')).toEqual(p.map((x) => x | 0))
  })
  it('an element of one is not an element of the other: offsets count those of the new type', () => {
    const text = kernelOf(
      { p: 'f32', o: 'i16' },
      `%w = tt.bitcast %ps : ${tensorOf('!tt.ptr<f32>')} -> ${tensorOf('!tt.ptr<i16>')}
      %wi = tt.addptr %w, %i : ${tensorOf('!tt.ptr<i16>')}, ${tensorOf('i32')}
      %x = tt.load %wi : ${tensorOf('!tt.ptr<i16>')}
      tt.store %oi, %x : ${tensorOf('!tt.ptr<i16>')}`,
    )
    const p = counting.map((i) => f32(i + 0.25))
    expect(ran(programOf(text, ['p', 'o']), { p }, 'o')).toEqual(
      counting.map((i) => ((i % 2 === 0 ? p[i >> 1]! : p[i >> 1]! >>> 16) << 16) >> 16),
    )
  })
  it('the least of unsigned words', () => {
    const text = kernelOf(
      { p: 'i32', o: 'i32' },
      `%x = tt.load %pi : ${tensorOf('!tt.ptr<i32>')}
      %old = tt.atomic_rmw umin, relaxed, gpu, %oi, %x : (${tensorOf('!tt.ptr<i32>')}, ${tensorOf('i32')}) -> ${tensorOf('i32')}`,
    )
    const p = counting.map((i) => i - 64)
    const o = counting.map((i) => 64 - i)
    expect(ran(programOf(text, ['p', 'o']), { p, o }, 'o')).toEqual(
      p.map((x, i) => (x >>> 0 < o[i]! >>> 0 ? x : o[i]!)),
    )
  })
})

it('floats to i64: towards zero, beyond 2^53 refused', () => {
  const text = kernelOf(
    { p: 'f32', o: 'i64' },
    `%x = tt.load %pi : ${tensorOf('!tt.ptr<f32>')}
    %y = arith.fptosi %x : ${tensorOf('f32')} to ${tensorOf('i64')}
    tt.store %oi, %y : ${tensorOf('!tt.ptr<i64>')}`,
  )
  const xs = counting.map((i) => Math.fround((i - 60) * 2 ** (i % 46) * 1.37))
  expect(ran(programOf(text, ['p', 'o']), { p: xs.map(f32) }, 'o')).toEqual(xs.map((x) => Math.trunc(x) + 0))
  const { world, machine } = right(
    launch(programOf(text, ['p', 'o']), bits('hopper', 'triton'), {
      scalars: new Map(),
      tensors: new Map([['p', new Float64Array(size).fill(f32(2 ** 60))]]),
    }),
  )
  expect(run(world, machine, settings(eager), collect).outcome).toMatchObject({
    fault: { code: 'i64.range' },
  })
})

describe('atomics whose result is read', () => {
  const atomic = (sem: string, then: string): string =>
    kernelOf(
      { p: 'i32', o: 'i32' },
      `%old = tt.atomic_rmw add, ${sem}, gpu, %pi, %i : (${tensorOf('!tt.ptr<i32>')}, ${tensorOf('i32')}) -> ${tensorOf('i32')}
      ${then}`,
    )
  const store = `tt.store %oi, %old : ${tensorOf('!tt.ptr<i32>')}`
  const masked = `%zero = arith.constant dense<0> : ${tensorOf('i32')}
      %m = arith.cmpi eq, %old, %zero : ${tensorOf('i32')}
      tt.store %oi, %i, %m : ${tensorOf('!tt.ptr<i32>')}`
  it('what is only stored needs no order', () => {
    const p = counting.map((i) => 3 * i)
    expect(ran(programOf(atomic('acq_rel', store), ['p', 'o']), { p }, 'o')).toEqual(p)
    expect(
      right(check(programOf(atomic('acq_rel', store), ['p', 'o']), standardOptions)).verdict.verdict,
    ).toBe('ok')
  })
  it.each([
    ['a mask', masked, 'tt.store'],
    [
      'an address',
      `%at = tt.addptr %os, %old : ${tensorOf('!tt.ptr<i32>')}, ${tensorOf('i32')}
      tt.store %at, %i : ${tensorOf('!tt.ptr<i32>')}`,
      'tt.addptr',
    ],
    [
      'a branch',
      `%sum = "tt.reduce"(%old) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        tt.reduce.return %c : i32
      }) : (${tensorOf('i32')}) -> i32
      %zero = arith.constant 0 : i32
      %last = arith.cmpi eq, %sum, %zero : i32
      scf.if %last {
        ${`tt.store %oi, %i : ${tensorOf('!tt.ptr<i32>')}`}
      }`,
      'scf.if',
    ],
  ])('what decides %s does', (_, then, name) => {
    const module = right(readModule(atomic('acq_rel', then)))
    const made = elaborate(
      module,
      right(launchOf(module, { grid: [1], args: { p: { shape: [size] }, o: { shape: [size] } } })),
    )
    expect(made).toMatchObject({
      left: { message: expect.stringMatching(new RegExp(`decides: ${name} in line \\d+`)) },
    })
    expect(readModule(atomic('relaxed', then))._tag).toBe('Right')
    expect(programOf(atomic('relaxed', then), ['p', 'o']).entry.body.length).toBeGreaterThan(0)
  })
})

it('a copy with `other` writes zeros where its mask is false, as the chip does', () => {
  const text = kernelOf(
    { p: 'f32', o: 'f32' },
    `%half = arith.constant dense<64> : ${tensorOf('i32')}
    %seven = arith.constant dense<7.000000e+00> : ${tensorOf('f32')}
    %m = arith.cmpi slt, %i, %half : ${tensorOf('i32')}
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<${String(size)}xf32, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %pi, %buffer mask %m other %seven : ${tensorOf('!tt.ptr<f32>')} -> <${String(size)}xf32, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %x = ttg.local_load %buffer token %w : !ttg.memdesc<${String(size)}xf32, #shared, #smem, mutable> -> ${tensorOf('f32')}
    tt.store %oi, %x : ${tensorOf('!tt.ptr<f32>')}`,
  )
  const p = counting.map((i) => f32(i + 1))
  expect(ran(programOf(text, ['p', 'o']), { p }, 'o')).toEqual(p.map((x, i) => (i < 64 ? x : 0)))
})

it.each([16, 32])('%i warps', (warps) => {
  const text = kernelOf(
    { p: 'i32', o: 'i32' },
    `%x = tt.load %pi : ${tensorOf('!tt.ptr<i32>')}
    %y = arith.addi %x, %i : ${tensorOf('i32')}
    tt.store %oi, %y : ${tensorOf('!tt.ptr<i32>')}`,
    { warps },
  )
  expect(ran(programOf(text, ['p', 'o']), { p: counting }, 'o')).toEqual(counting.map((i) => 2 * i))
})

describe('PTX in a text', () => {
  const text = (asm: string, read: boolean): string =>
    kernelOf(
      { o: 'i32' },
      `%d = tt.elementwise_inline_asm "${asm}" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
      ${read ? `tt.store %o, %d : !tt.ptr<i32>` : `tt.store %oi, %i : ${tensorOf('!tt.ptr<i32>')}`}`,
    )
  it.each(['griddepcontrol.wait; // dummy $0', 'griddepcontrol.launch_dependents;'])(
    '%s is nothing',
    (asm) => {
      expect(ran(programOf(text(asm, false), ['o']), {}, 'o')).toEqual(counting)
    },
  )
  it.each([
    ['griddepcontrol.wait;', true],
    ['mov.u32 $0, %smid;', false],
    ['griddepcontrol.wait; mov.u32 $0, %smid;', false],
    ['', false],
  ])('%s (read: %s) is refused', (asm, read) => {
    const module = right(readModule(text(asm, read)))
    expect(
      elaborate(module, right(launchOf(module, { grid: [1], args: { o: { shape: [size] } } }))),
    ).toMatchObject({ left: { message: expect.stringContaining('level="ptx"') } })
  })
})

it('elements of f64 are asked for, and are for the PTX alone', () => {
  const text = kernelOf({ o: 'f64' }, '')
  const module = right(readModule(text))
  expect(right(signatureOf(module)).parameters).toEqual([
    { _tag: 'pointer', name: 'o', dtype: 'f64', role: 'in' },
  ])
  expect(launchOf(module, { grid: [1], args: { o: { shape: [size] } } })).toMatchObject({
    left: { code: 'ttgir.type', message: expect.stringContaining('level="ptx"') },
  })
})

describe('loops over 64 bits', () => {
  /** Sums what the variable is, and counts the turns, as 64-bit numbers. */
  const text = kernelOf(
    { o: 'i64', n: 'i64' },
    `%zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %sum:2 = scf.for %k = %from to %to step %step iter_args(%s = %zero, %t = %zero) -> (i64, i64) : i64 {
      %more = arith.addi %s, %k : i64
      %turns = arith.addi %t, %one : i64
      scf.yield %more, %turns : i64, i64
    }
    %a = tt.splat %sum#0 : i64 -> ${tensorOf('i64')}
    %b = tt.splat %sum#1 : i64 -> ${tensorOf('i64')}
    tt.store %oi, %a : ${tensorOf('!tt.ptr<i64>')}
    tt.store %ni, %b : ${tensorOf('!tt.ptr<i64>')}`,
    { scalars: '%from: i64, %to: i64, %step: i64' },
  )
  const looped = (from: number, to: number, step: number): ReadonlyArray<number> => {
    const program = programOf(text, ['o', 'n'], 1, { from, to, step })
    return ['o', 'n'].map((out) => ran(program, {}, out)[0]!)
  }
  it.each([
    [0, 10, 1],
    [0, 10, 3],
    [-7, 8, 4],
    [5, 5, 1],
    [9, 2, 5],
    [-(2 ** 50), -(2 ** 50) + 4, 3],
    [2 ** 40 - 5, 2 ** 40 + 7, 5],
    // so far that the number of turns is no i32
    [0, 2 ** 40, 2 ** 38],
    [2 ** 40, -(2 ** 40), 1],
  ])('from %d to %d by %d', (from, to, step) => {
    let [sum, turns] = [0, 0]
    for (let k = from; k < to; k += step) {
      sum += k
      turns++
    }
    expect(looped(from, to, step)).toEqual([sum, turns])
  })
})
