/**
 * How many states FA4's protocol has: counted from the order of operations alone.
 *
 * Five sequential roles, a tensor core that takes products and commits in the order of their issue and does each at some later time, copies that are done at
 * any later time. A state is how far each role is, how far the tensor core is, and how far each copy is; whether a wait passes follows from that,
 * since a barrier has completed as often as its arrivals have come. Nothing of the machine is used here.
 *
 * What is one step, and what are two, is a matter of granularity:
 *
 * | grain      | `published`                            | `machine`                                            |
 * |------------|----------------------------------------|------------------------------------------------------|
 * | `expects`  | bytes and copies of a barrier together | the expect, then each copy                           |
 * | `lands`    | a copy is done at once                 | it writes, then it signals                           |
 * | `regions`  | a read or a write of S, P, C, O is a step | none: what is left are barriers                   |
 * | `acquires` | no wait for the last factor            | softmax waits until the factor has been read         |
 */

export interface Grain {
  readonly expects: 'together' | 'apart'
  readonly lands: 1 | 2
  readonly regions: boolean
  readonly acquires: boolean
  /** a product and its commit are issued by two operations, or by one */
  readonly commits: 'apart' | 'named'
}

export const published: Grain = {
  expects: 'together',
  lands: 1,
  regions: true,
  acquires: false,
  commits: 'apart',
}
export const machine: Grain = {
  expects: 'apart',
  lands: 2,
  regions: false,
  acquires: true,
  commits: 'apart',
}

type Op =
  | { readonly _tag: 'step' }
  | { readonly _tag: 'wait'; readonly barrier: string; readonly completions: number }
  | { readonly _tag: 'arrive'; readonly barrier: string }
  /** null: a product; a name: a commit on that barrier */
  | { readonly _tag: 'queue'; readonly entries: ReadonlyArray<string | null> }
  /** tiles by number: every copy of one must be done before its barrier completes */
  | { readonly _tag: 'copies'; readonly barrier: string; readonly copies: number; readonly of: number }

const step: Op = { _tag: 'step' }
const wait = (barrier: string, completions: number): Op => ({ _tag: 'wait', barrier, completions })
const arrive = (barrier: string): Op => ({ _tag: 'arrive', barrier })
const commit = (barrier: string): Op => ({ _tag: 'queue', entries: [barrier] })

const loading = (N: number, S: number, g: Grain): ReadonlyArray<Op> => {
  const tile = (barrier: string, copies: number): ReadonlyArray<Op> =>
    g.expects === 'together'
      ? [{ _tag: 'copies', barrier, copies, of: copies }]
      : [
          step,
          ...Array.from({ length: copies }, (): Op => ({ _tag: 'copies', barrier, copies: 1, of: copies })),
        ]
  const rest = Array.from({ length: 2 * N - 1 }, (_, k) => k + 1)
  return [
    ...tile('F0', 2),
    ...tile('Q', 1),
    ...rest.flatMap((c) => [
      ...(c < 2 ? [] : [wait(`E${String(c % S)}`, Math.floor(c / S))]),
      ...tile(`F${String(c % S)}`, 1),
    ]),
  ]
}

const multiplying = (N: number, S: number, g: Grain): ReadonlyArray<Op> => {
  const product = (barrier: string): ReadonlyArray<Op> =>
    g.commits === 'apart'
      ? [{ _tag: 'queue', entries: [null] }, commit(barrier)]
      : [{ _tag: 'queue', entries: [null, barrier] }]
  const has = (c: number): Op => wait(`F${String(c % S)}`, Math.floor(c / S) + 1)
  const gives = (c: number): Op => commit(`E${String(c % S)}`)
  const output = (i: 0 | 1, n: number): ReadonlyArray<Op> => [
    ...(n === 0 && i === 0 ? [] : [wait(`oEmpty${String(i)}`, n)]),
    wait(`sEmpty${String(i)}`, n + 1),
    ...product(`oFull${String(i)}`),
  ]
  const later = Array.from({ length: N - 1 }, (_, k) => k + 1)
  return [
    has(0),
    ...product('sFull0'),
    wait('Q', 1),
    ...product('sFull1'),
    gives(0),
    has(1),
    ...output(0, 0),
    ...later.flatMap((n) => [
      has(2 * n),
      ...product('sFull0'),
      ...output(1, n - 1),
      gives(2 * n - 1),
      ...product('sFull1'),
      gives(2 * n),
      has(2 * n + 1),
      ...output(0, n),
    ]),
    ...output(1, N - 1),
  ]
}

const softmax = (i: string, N: number, g: Grain): ReadonlyArray<Op> => {
  const touch = g.regions ? [step] : []
  return [
    ...Array.from({ length: N }, (_, n) => n).flatMap((n) => [
      wait(`sFull${i}`, n + 1),
      ...touch,
      ...(n === 0 ? [] : [...(g.acquires ? [wait(`cEmpty${i}`, n - 1)] : []), ...touch, arrive(`cFull${i}`)]),
      ...touch,
      arrive(`sEmpty${i}`),
    ]),
    wait(`oFull${i}`, N),
    ...touch,
    arrive(`oEmpty${i}`),
  ]
}

const correcting = (N: number, g: Grain): ReadonlyArray<Op> => {
  const touch = g.regions ? [step] : []
  return Array.from({ length: N - 1 }, (_, k) => k + 1).flatMap((n) =>
    ['0', '1'].flatMap((i) => [
      wait(`cFull${i}`, n),
      ...touch,
      arrive(`cEmpty${i}`),
      wait(`oFull${i}`, n),
      ...touch,
      arrive(`oEmpty${i}`),
    ]),
  )
}

interface Counted {
  readonly states: number
  /** those without a successor: ends and deadlocks */
  readonly last: number
}

/** Every state that some interleaving reaches. */
export const interleavings = (N: number, S: number, g: Grain): Counted => {
  const roles = [
    loading(N, S, g),
    multiplying(N, S, g),
    softmax('0', N, g),
    softmax('1', N, g),
    correcting(N, g),
  ]
  /** arrivals on each barrier before operation k of a role; entries of the queue and copies that it has made by then */
  const tallied = roles.map((ops) => {
    const at = [{ arrivals: new Map<string, number>(), entries: 0, copies: 0 }]
    for (const op of ops) {
      const was = at[at.length - 1]!
      const arrivals = new Map(was.arrivals)
      if (op._tag === 'arrive') arrivals.set(op.barrier, (arrivals.get(op.barrier) ?? 0) + 1)
      at.push({
        arrivals,
        entries: was.entries + (op._tag === 'queue' ? op.entries.length : 0),
        copies: was.copies + (op._tag === 'copies' ? op.copies : 0),
      })
    }
    return at
  })
  const queue = roles[1]!.flatMap((op) => (op._tag === 'queue' ? op.entries : []))
  const committed = [new Map<string, number>()]
  for (const entry of queue) {
    const arrivals = new Map(committed[committed.length - 1]!)
    if (entry !== null) arrivals.set(entry, (arrivals.get(entry) ?? 0) + 1)
    committed.push(arrivals)
  }
  /** tiles of a barrier, in their order: their copies by number */
  const tiles = new Map<string, number[][]>()
  let copy = 0
  for (const op of roles[0]!)
    if (op._tag === 'copies') {
      const of = tiles.get(op.barrier) ?? []
      tiles.set(op.barrier, of)
      for (let k = 0; k < op.copies; k++, copy++) {
        const open = of[of.length - 1]
        if (open === undefined || open.length >= op.of) of.push([copy])
        else open.push(copy)
      }
    }

  /** role counters, entries done, then how far each copy is */
  const start = [0, 0, 0, 0, 0, 0, ...new Array<number>(copy).fill(0)]
  const completions = (at: ReadonlyArray<number>, barrier: string): number => {
    const of = tiles.get(barrier)
    if (of !== undefined) {
      const open = of.findIndex((copies) => copies.some((k) => at[6 + k] !== g.lands))
      return open < 0 ? of.length : open
    }
    return roles.reduce(
      (n, _, r) => n + (tallied[r]![at[r]!]!.arrivals.get(barrier) ?? 0),
      committed[at[5]!]!.get(barrier) ?? 0,
    )
  }
  const seen = new Set([start.join()])
  const open = [start]
  let last = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const from = at
    let moved = false
    const move = (index: number): void => {
      moved = true
      const next = from.slice()
      next[index]!++
      const key = next.join()
      if (seen.has(key)) return
      seen.add(key)
      open.push(next)
    }
    roles.forEach((ops, r) => {
      const op = ops[from[r]!]
      if (op !== undefined && (op._tag !== 'wait' || completions(from, op.barrier) >= op.completions)) move(r)
    })
    if (from[5]! < tallied[1]![from[1]!]!.entries) move(5)
    for (let k = 0; k < tallied[0]![from[0]!]!.copies; k++) if (from[6 + k]! < g.lands) move(6 + k)
    if (!moved) last++
  }
  return { states: seen.size, last }
}
