/**
 * Which buffers share bytes. Oracles: Triton's own placement of 45 modules (`conformance/triton/lowering.json`); and random functions, carried out
 * by a walk that takes branches and goes around loops by dice, lets partitions run side by side, and notes when each buffer is named.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { placementIn } from '../../../src/dialects/ttgir/elaboration/buffers.js'
import { livesOf, meet, offsetsOf } from '../../../src/dialects/ttgir/elaboration/liveness.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import type { Operation, Region, Type, Value } from '../../../src/dialects/ttgir/text/syntax.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { moduleFiles, moduleText } from './modules.js'

// ---------------------------------------------------------------- operations, by hand

const memdesc: Type = {
  _tag: 'memdesc',
  shape: [64],
  element: { _tag: 'float', name: 'f32' },
  encoding: { _tag: 'unit' },
  space: { _tag: 'unit' },
  mutable: true,
  allocation: null,
}
const value = (name: string): Value => ({ name, index: null, type: memdesc })
const operation = (
  name: string,
  taken: ReadonlyArray<string>,
  made: ReadonlyArray<string> = [],
  regions: ReadonlyArray<Region> = [],
): Operation => ({
  name,
  at: { line: 1, column: 1 },
  names: made.map((one) => ({ name: one, count: 1 })),
  results: made.map(() => memdesc),
  operands: { taken: taken.map(value) },
  attributes: [],
  successors: [],
  regions,
  location: null,
})
const region = (
  operations: ReadonlyArray<Operation>,
  parameters: ReadonlyArray<string> = [],
  name: string | null = null,
): Region => ({
  name,
  blocks: [
    {
      label: null,
      parameters: parameters.map((one) => ({ name: one, type: memdesc, attributes: [], location: null })),
      operations,
    },
  ],
})
const alloc = (name: string): Operation => operation('ttg.local_alloc', [], [name])
const use = (...names: ReadonlyArray<string>): Operation => operation('ttg.local_load', names)
const index = (of: string, made: string): Operation => operation('ttg.memdesc_index', [of], [made])
const yields = (...names: ReadonlyArray<string>): Operation => operation('scf.yield', names)

/** Which allocations, by name, live together. */
const together = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const lives = [...livesOf(operations).lives].map(([op, life]) => ({ name: op.names[0]!.name, life }))
  return lives.flatMap((a, k) =>
    lives.slice(k + 1).flatMap((b) => (meet(a.life, b.life) ? [`${a.name} ${b.name}`] : [])),
  )
}

describe('a life', () => {
  test('ends with the last operation that names the buffer or a view of it', () => {
    expect(together([alloc('a'), use('a'), alloc('b'), use('b')])).toEqual([])
    expect(together([alloc('a'), alloc('b'), use('a'), use('b')])).toEqual(['a b'])
    expect(together([alloc('a'), index('a', 'v'), alloc('b'), use('v')])).toEqual(['a b'])
    expect(together([alloc('a'), alloc('b')])).toEqual([])
  })
  test('goes to the end of a loop that names it', () => {
    const loop = (body: ReadonlyArray<Operation>): Operation => operation('scf.for', [], [], [region(body)])
    expect(together([alloc('a'), loop([use('a'), alloc('b'), use('b')])])).toEqual(['a b'])
    expect(together([loop([alloc('a'), use('a'), alloc('b'), use('b')])])).toEqual([])
  })
  test('goes on in what a loop hands on', () => {
    const loop = operation(
      'scf.for',
      ['a'],
      ['last'],
      [region([use('carried'), alloc('b'), yields('b')], ['i', 'carried'])],
    )
    expect(together([alloc('a'), loop, alloc('c'), use('last')])).toEqual(['a b', 'a c', 'b c'])
  })
  test('of two partitions is of one time', () => {
    const specialized = operation(
      'ttg.warp_specialize',
      ['a'],
      [],
      [
        region([alloc('own'), use('own')], [], 'default'),
        region([use('p'), alloc('b'), use('b'), alloc('c'), use('c')], ['p'], 'partition0'),
        region([alloc('d'), use('d')], ['p'], 'partition1'),
      ],
    )
    // a name of one partition is none of another: `p` is a in both
    expect(together([alloc('a'), specialized, alloc('e'), use('e')])).toEqual([
      'a own',
      'a b',
      'a c',
      'a d',
      'own b',
      'own c',
      'own d',
      'b d',
      'c d',
    ])
  })
})

// ---------------------------------------------------------------- random functions

/** Statements, with the names that are known where they stand. */
const drawn = (die: Dice, known: ReadonlyArray<string>, depth: number, fresh: () => string): Operation[] => {
  const names = [...known]
  const one = (): string => names[die.below(names.length)]!
  return Array.from({ length: 1 + die.below(5) }, (): Operation => {
    const kind = die.below(depth === 0 ? 4 : 8)
    const body = (inside: ReadonlyArray<string>): Operation[] => drawn(die, inside, depth - 1, fresh)
    if (names.length === 0 || kind === 0) {
      names.push(fresh())
      return alloc(names[names.length - 1]!)
    }
    if (kind < 3) return use(one())
    if (kind === 3) {
      const made = fresh()
      const view = index(one(), made)
      names.push(made)
      return view
    }
    if (kind === 4) {
      const [carried, made] = [fresh(), fresh()]
      const operations = body([...names, carried])
      const own = operations.flatMap((op) => op.names.map(({ name }) => name))
      const next = own.length > 0 && die.below(2) === 0 ? own[die.below(own.length)]! : carried
      const loop = operation(
        'scf.for',
        [one()],
        [made],
        [region([...operations, yields(next)], ['i', carried])],
      )
      names.push(made)
      return loop
    }
    if (kind === 5) {
      const made = fresh()
      const side = (): Region => {
        const operations = body(names)
        const own = operations.flatMap((op) => op.names.map(({ name }) => name))
        return region([...operations, yields(own.length > 0 ? own[own.length - 1]! : one())])
      }
      const chosen = operation('scf.if', [], [made], [side(), side()])
      names.push(made)
      return chosen
    }
    if (kind === 6 && depth > 1) {
      const captured = one()
      const p = fresh()
      const partition = (name: string): Region => region(body([p]), [p], name)
      return operation(
        'ttg.warp_specialize',
        [captured],
        [],
        [region(body(names), [], 'default'), partition('partition0'), partition('partition1')],
      )
    }
    return operation('scf.for', [], [], [region(body(names), ['i'])])
  })
}

/** An allocation, once: its operation and which time it is. */
interface Instance {
  readonly of: Operation
}
type Environment = ReadonlyMap<string, Instance>

/** One way to carry it out: the buffers in the order in which they are named; and what its last operation hands on. */
const carriedOut = (
  operations: ReadonlyArray<Operation>,
  outside: Environment,
  die: Dice,
): { readonly named: ReadonlyArray<Instance>; readonly handed: ReadonlyArray<Instance> } => {
  const environment = new Map(outside)
  const named: Instance[] = []
  const at = (name: string): Instance => environment.get(name)!
  const inside = (
    of: Region,
    given: ReadonlyArray<readonly [string, Instance]>,
    from: Environment = environment,
  ): ReturnType<typeof carriedOut> => carriedOut(of.blocks[0]!.operations, new Map([...from, ...given]), die)
  for (const op of operations) {
    const taken = (op.operands['taken'] ?? []).map(({ name }) => at(name))
    named.push(...taken)
    const made = op.names[0]?.name
    switch (op.name) {
      case 'ttg.local_alloc': {
        const instance = { of: op }
        named.push(instance)
        environment.set(made!, instance)
        break
      }
      case 'ttg.memdesc_index':
        environment.set(made!, taken[0]!)
        break
      case 'scf.yield':
        return { named, handed: taken }
      case 'scf.for': {
        const carried = op.regions[0]!.blocks[0]!.parameters[1]?.name
        let last = taken[0]
        for (let times = die.below(4); times > 0; times--) {
          const around = inside(
            op.regions[0]!,
            carried === undefined || last === undefined ? [] : [[carried, last]],
          )
          named.push(...around.named)
          last = around.handed[0]
        }
        if (made !== undefined) environment.set(made, last!)
        break
      }
      case 'scf.if': {
        const side = inside(op.regions[die.below(2)]!, [])
        named.push(...side.named)
        environment.set(made!, side.handed[0]!)
        break
      }
      case 'ttg.warp_specialize': {
        const rows = op.regions.map((part) =>
          part.name === 'default'
            ? [...inside(part, []).named]
            : [...inside(part, [[part.blocks[0]!.parameters[0]!.name, taken[0]!]], new Map()).named],
        )
        while (rows.some((row) => row.length > 0)) {
          const left = rows.filter((row) => row.length > 0)
          named.push(left[die.below(left.length)]!.shift()!)
        }
        break
      }
    }
  }
  return { named, handed: [] }
}

it('laws 1 and 2: of what is named between the first and the last time that a buffer is named, nothing has its bytes', () => {
  let shared = 0
  const wrong: string[] = []
  for (let seed = 0; seed < (nightly ? 4000 : 100); seed++) {
    const die = dice(seed)
    let count = 0
    const operations = drawn(die, [], 3, () => `n${String(count++)}`)
    const lives = [...livesOf(operations).lives]
    const sizes = lives.map(() => ({ bytes: 8 * (1 + die.below(9)), align: [8, 16, 64][die.below(3)]! }))
    const offsets = offsetsOf(lives.map(([, life], k) => ({ life, ...sizes[k]! })))
    const bytesOf = new Map(
      lives.map(([op], k) => [op, [offsets[k]!, offsets[k]! + sizes[k]!.bytes] as const]),
    )
    if (offsets.some((offset, k) => offset % sizes[k]!.align !== 0))
      wrong.push(`seed ${String(seed)}: not aligned`)
    shared += lives.filter(
      (_, k) =>
        k > 0 &&
        offsets.some(
          (o, j) => j < k && o < offsets[k]! + sizes[k]!.bytes && offsets[k]! < o + sizes[j]!.bytes,
        ),
    ).length
    for (let way = 0; way < 4; way++) {
      const { named } = carriedOut(operations, new Map(), die)
      const times = new Map<Instance, readonly [number, number]>()
      named.forEach((instance, t) => times.set(instance, [times.get(instance)?.[0] ?? t, t]))
      const all = [...times]
      for (const [x, [from, to]] of all)
        for (const [y, [first, last]] of all) {
          if (x.of === y.of || first > to || from > last) continue
          const [a, b] = [bytesOf.get(x.of)!, bytesOf.get(y.of)!]
          if (!(a[1] <= b[0] || b[1] <= a[0]))
            wrong.push(`seed ${String(seed)}: ${a.join('-')} and ${b.join('-')}`)
        }
    }
  }
  expect(wrong).toEqual([])
  // and it is not that nothing shares
  expect(shared).toBeGreaterThan(nightly ? 4000 : 100)
})

// ---------------------------------------------------------------- Triton's placement

interface Lowered {
  readonly offsets: Readonly<Record<string, number>>
}
const lowering = JSON.parse(
  readFileSync(new URL('../../../conformance/triton/lowering.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Lowered>>

/** By day every fourth; attention with partitions is among them. */
describe.each(sampled(4, moduleFiles))('%s', (file) => {
  it('lays those buffers over each other that Triton lays over each other', () => {
    const module = right(readModule(moduleText(file)))
    const ours = [...placementIn(module, module.operations[0]!).offsets]
    const theirs = lowering[file]!.offsets
    expect(ours.length).toBe(Object.keys(theirs).length)
    const begins = (offsets: (line: number, ours: number) => number): ReadonlyArray<string> =>
      ours.flatMap(([a, at], k) =>
        ours
          .slice(k + 1)
          .flatMap(([b, beside]) =>
            offsets(a.at.line, at) === offsets(b.at.line, beside)
              ? [`${String(a.at.line)} ${String(b.at.line)}`]
              : [],
          ),
      )
    expect(begins((_, at) => at)).toEqual(begins((line) => theirs[String(line)]!))
  })
})
