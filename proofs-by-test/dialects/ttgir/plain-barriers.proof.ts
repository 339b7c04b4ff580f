/**
 * Barriers on which no tensor core arrives. Oracle: by hand, every way by which a name comes to stand for an allocation, with every operation that arrives.
 */
import { describe, expect, test } from 'vitest'
import { plainBarriers } from '../../../src/dialects/ttgir/elaboration/plain-barriers.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import { right } from '../../either.js'

const one = '!ttg.memdesc<1xi64, #shared, #smem, mutable>'
const ring = '!ttg.memdesc<3x1xi64, #shared, #smem, mutable>'
const scales = [
  '!ttg.memdesc<128x4xi8, #shared, #smem, mutable>',
  '!ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>',
]
const factors = [
  '!ttg.memdesc<128x64xf16, #shared, #smem, mutable>',
  '!ttg.memdesc<64x128xf16, #shared, #smem, mutable>',
  '!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>',
]

/** The allocations, by their names, that are plain. */
const plain = (...lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const text = `#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func public @f(%n: i32, %c: i1, %s: ${scales[0]!}, %t: ${scales[1]!}, %x: ${factors[0]!}, %y: ${factors[1]!}, %d: ${factors[2]!}) {
    %other = ttg.local_alloc : () -> ${one}
    %a = ttg.local_alloc : () -> ${one}
    %b = ttg.local_alloc : () -> ${one}
    %r = ttg.local_alloc : () -> ${ring}
${lines.join('\n')}
    tt.return
  }
}
`
  const [f] = right(readModule(text)).operations.flatMap((op) =>
    op.name === 'tt.func' ? [op] : op.regions.flatMap(({ blocks }) => blocks.flatMap((b) => b.operations)),
  )
  return [...plainBarriers(f!)].flatMap(({ names }) => names.map(({ name }) => name)).sort()
}

/** What arrives on a barrier. */
const arrivals: Readonly<Record<string, (b: string) => string>> = {
  commit: (b) => `ttng.tc_gen5_commit ${b} : ${one}`,
  copy: (b) => `ttng.tmem_copy %s, %t, ${b} : ${scales.join(', ')}, ${one}`,
  product: (b) => `ttng.tc_gen5_mma %x, %y, %d, %c, %c, ${b}[%c] {is_async} : ${factors.join(', ')}, ${one}`,
  call: (b) => `tt.call @g(${b}) : (${one}) -> ()`,
}
/** How a name comes to stand for allocations, and what arrives through it. */
const ways: ReadonlyArray<
  readonly [way: string, of: ReadonlyArray<string>, lines: (arrive: (b: string) => string) => string]
> = [
  ['itself', ['a'], (arrive) => arrive('%a')],
  [
    'a slot of a ring',
    ['r'],
    (arrive) => `%p = ttg.memdesc_index %r[%n] : ${ring} -> ${one}\n${arrive('%p')}`,
  ],
  [
    'what a loop carries',
    ['a'],
    (arrive) => `%l = scf.for %i = %n to %n step %n iter_args(%p = %a) -> (${one})  : i32 {
      ${arrive('%p')}
      scf.yield %p : ${one}
    }`,
  ],
  [
    'one of two that a loop carries',
    ['b'],
    (arrive) =>
      `%l, %m = scf.for %i = %n to %n step %n iter_args(%q = %a, %p = %b) -> (${one}, ${one})  : i32 {
      ${arrive('%p')}
      scf.yield %q, %p : ${one}, ${one}
    }`,
  ],
  [
    'two that a loop exchanges',
    ['a', 'b'],
    (arrive) =>
      `%l, %m = scf.for %i = %n to %n step %n iter_args(%q = %a, %p = %b) -> (${one}, ${one})  : i32 {
      ${arrive('%p')}
      scf.yield %p, %q : ${one}, ${one}
    }`,
  ],
  [
    'the second of what a loop gives, by its number',
    ['b'],
    (arrive) =>
      `%l:2 = scf.for %i = %n to %n step %n iter_args(%q = %a, %p = %b) -> (${one}, ${one})  : i32 {
      scf.yield %q, %p : ${one}, ${one}
    }
    ${arrive('%l#1')}`,
  ],
  [
    'the first of what a condition gives, by its number',
    ['a', 'r'],
    (arrive) =>
      `%s0 = ttg.memdesc_index %r[%n] : ${ring} -> ${one}
    %l:2 = scf.if %c -> (${one}, ${one}) {
      scf.yield %a, %b : ${one}, ${one}
    } else {
      scf.yield %s0, %b : ${one}, ${one}
    }
    ${arrive('%l#0')}`,
  ],
  [
    'what a loop carries, another one in its next turn',
    ['a', 'b'],
    (arrive) => `%l = scf.for %i = %n to %n step %n iter_args(%p = %a) -> (${one})  : i32 {
      ${arrive('%p')}
      scf.yield %b : ${one}
    }`,
  ],
  [
    'what a loop gives, before or after a turn',
    ['a', 'b'],
    (arrive) => `%l = scf.for %i = %n to %n step %n iter_args(%p = %a) -> (${one})  : i32 {
      scf.yield %b : ${one}
    }
    ${arrive('%l')}`,
  ],
  [
    'either side of a condition',
    ['a', 'b'],
    (arrive) => `%l = scf.if %c -> (${one}) {
      scf.yield %a : ${one}
    } else {
      scf.yield %b : ${one}
    }
    ${arrive('%l')}`,
  ],
  ['a choice', ['a', 'b'], (arrive) => `%l = arith.select %c, %a, %b : ${one}\n${arrive('%l')}`],
  [
    'what a partition is given',
    ['b'],
    (arrive) => `ttg.warp_specialize(%a, %b)
    default {
      ttg.warp_yield
    }
    partition0(%p: ${one}, %q: ${one}) num_warps(4) {
      ${arrive('%q')}
      ttg.warp_return
    } : (${one}, ${one}) -> ()`,
  ],
  [
    'inside of other regions',
    ['a'],
    (arrive) => `scf.if %c {
      scf.for %i = %n to %n step %n  : i32 {
        ${arrive('%a')}
      }
    }`,
  ],
]
const all = ['a', 'b', 'other', 'r']

describe('a barrier is plain', () => {
  test('where nothing arrives but threads', () => {
    expect(plain()).toEqual(all)
    for (const [, , lines] of ways)
      expect(plain(lines((b) => `ttng.arrive_barrier ${b}, 1 : ${one}`))).toEqual(all)
    // a copy without a barrier arrives on none
    expect(plain(`ttng.tmem_copy %s, %t : ${scales.join(', ')}`)).toEqual(all)
  })
  test.each(ways)('unless the tensor core, or what is called, arrives on it through %s', (_, of, lines) => {
    for (const [name, arrive] of Object.entries(arrivals)) {
      // a partition has what it is given, and nothing else
      if (lines(arrive).includes('partition0') && ['copy', 'product'].includes(name)) continue
      expect([name, plain(lines(arrive))]).toEqual([name, all.filter((b) => !of.includes(b))])
    }
  })
})
