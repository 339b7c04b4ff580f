/** Random programs for the axioms, stronger versions of them, and a simulator of interleavings. */
import * as fc from 'fast-check'
import {
  atomic,
  fence,
  load,
  place,
  store,
  strong,
  thread,
  weak,
  type How,
  type Instruction,
  type Program,
  type Scope,
} from '../../../src/semantics/axioms/index.js'
import { nightly } from '../../extent.js'

const scopes: ReadonlyArray<Scope> = ['cta', 'gpu', 'sys']
const scope = fc.constantFrom(...scopes)
const where = fc.constantFrom('x', 'y')
const value = fc.constantFrom<number | string>(1, 2, 'r0')
const howToLoad: fc.Arbitrary<How> = fc.oneof(
  fc.constant(weak),
  fc.tuple(fc.constantFrom('relaxed' as const, 'acquire' as const), scope).map(([sem, s]) => strong(sem, s)),
)
const howToStore: fc.Arbitrary<How> = fc.oneof(
  fc.constant(weak),
  fc.tuple(fc.constantFrom('relaxed' as const, 'release' as const), scope).map(([sem, s]) => strong(sem, s)),
)
const instruction: fc.Arbitrary<Instruction> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('r0', 'r1'), where, howToLoad).map(([r, x, how]) => load(r, x, how)),
  },
  { weight: 4, arbitrary: fc.tuple(where, value, howToStore).map(([x, v, how]) => store(x, v, how)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        where,
        fc.constantFrom('add' as const, 'exch' as const),
        fc.constantFrom('relaxed' as const, 'acq_rel' as const),
        scope,
      )
      .map(([x, op, sem, s]) => atomic('r1', x, op, 1, strong(sem, s))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('acq_rel' as const, 'sc' as const), scope)
      .map(([sem, s]) => fence(sem, s)),
  },
)

/** Most instructions of a program by day: of one in twenty that is longer, some have so many candidates that they take as long as all others together. */
const most = nightly ? 9 : 7

/** Two or three short threads of one or two CTAs. */
export const anyProgram: fc.Arbitrary<Program> = fc
  .array(fc.tuple(fc.nat(1), fc.array(instruction, { minLength: 1, maxLength: 3 })), {
    minLength: 2,
    maxLength: 3,
  })
  .filter((threads) => threads.reduce((count, [, body]) => count + body.length, 0) <= most)
  .map((threads) => ({
    memory: new Map([
      ['x', 0],
      ['y', 0],
    ]),
    threads: threads.map(([cta, body], k) => thread(`P${String(k)}`, place(cta), body)),
  }))

/** Every final state of every interleaving, with memory as one map: the oldest memory model. */
export const interleavings = ({ threads, memory }: Program): ReadonlySet<string> => {
  const states = new Set<string>()
  const walk = (
    at: ReadonlyArray<number>,
    held: ReadonlyMap<string, number>,
    mem: ReadonlyMap<string, number>,
  ): void => {
    if (at.every((pc, t) => pc === threads[t]!.body.length)) states.add(stateKey(held, mem))
    threads.forEach(({ name, body }, t) => {
      const i = body[at[t]!]
      if (i === undefined) return
      const of = (o: { readonly _tag: string; readonly value?: number; readonly name?: string }): number =>
        o.value ?? held.get(`${name}:${o.name ?? ''}`) ?? 0
      const next = at.map((pc, k) => (k === t ? pc + 1 : pc))
      const old = 'at' in i ? (mem.get(i.at.location) ?? 0) : 0
      const keep = (r: string | undefined): ReadonlyMap<string, number> =>
        r === undefined ? held : new Map([...held, [`${name}:${r}`, old]])
      if (i._tag === 'load') walk(next, keep(i.to), mem)
      else if (i._tag === 'store') walk(next, held, new Map([...mem, [i.at.location, of(i.value)]]))
      else if (i._tag === 'atomic')
        walk(
          next,
          keep(i.to),
          new Map([...mem, [i.at.location, i.op === 'add' ? old + of(i.value) : of(i.value)]]),
        )
      else walk(next, held, mem)
    })
  }
  walk(
    threads.map(() => 0),
    new Map(),
    memory,
  )
  return states
}

/** A state as one text; a register that holds 0 and one that nothing was loaded into are the same. */
export const stateKey = (
  registers: ReadonlyMap<string, number | undefined>,
  memory: ReadonlyMap<string, number>,
): string =>
  [...registers, ...memory]
    .filter(([, v]) => v !== 0)
    .map(([name, v]) => `${name}=${String(v)}`)
    .sort()
    .join(' ')

const widerScope = (s: Scope): Scope => (s === 'cta' ? 'gpu' : 'sys')
const strongerHow = (how: How, ordered: 'acquire' | 'release'): How =>
  how.sem === 'weak'
    ? strong('relaxed', 'cta')
    : how.sem === 'relaxed'
      ? strong(ordered, how.scope)
      : strong(how.sem, widerScope(how.scope))

/** A stronger instruction in its place. */
const stronger = (i: Instruction): Instruction => {
  switch (i._tag) {
    case 'load':
      return load(i.to, i.at, strongerHow(i.how, 'acquire'), i.proxy)
    case 'store':
      return { _tag: 'store', at: i.at, value: i.value, how: strongerHow(i.how, 'release'), proxy: i.proxy }
    case 'fence':
      return i.sem === 'acq_rel' ? fence('sc', i.scope) : fence(i.sem, widerScope(i.scope))
    case 'atomic':
      return i.how.sem === 'weak'
        ? i
        : {
            _tag: 'atomic',
            to: i.to,
            at: i.at,
            op: i.op,
            value: i.value,
            expected: i.expected,
            how:
              i.how.sem === 'relaxed'
                ? strong('acq_rel', i.how.scope)
                : strong(i.how.sem, widerScope(i.how.scope)),
            proxy: i.proxy,
          }
    case 'proxyFence':
    case 'barrier':
    case 'set':
    case 'label':
    case 'branch':
      return i
  }
}

/** Programs with one instruction made stronger, or one fence more. */
export const strongerPrograms = (program: Program): ReadonlyArray<Program> => {
  const withBody = (t: number, body: ReadonlyArray<Instruction>): Program => ({
    memory: program.memory,
    threads: program.threads.map((one, k) => (k === t ? thread(one.name, one.place, body) : one)),
  })
  return program.threads.flatMap(({ body }, t) => [
    ...body.map((_, at) =>
      withBody(
        t,
        body.map((i, k) => (k === at ? stronger(i) : i)),
      ),
    ),
    ...body.map((_, at) => withBody(t, [...body.slice(0, at), fence('acq_rel', 'gpu'), ...body.slice(at)])),
  ])
}
