/**
 * Spins: loops that do nothing but wait.
 *
 *     again:  mbarrier.try_wait.parity.shared::cta.b64 done, [bar], parity;         a blocking wait at this instruction
 *             @!done bra again;
 *
 * | in the loop may be                                                             | else                             |
 * |--------------------------------------------------------------------------------|----------------------------------|
 * | one test of a barrier, or one strong load, whose operands no turn changes       | it stays a loop                  |
 * | where it says no the same test again, left to the same place where it is true   | it stays a loop                  |
 * | what computes, looks at a clock, sleeps                                         | it stays a loop                  |
 * | exits, each of which is taken just where the test is true                       | it stays a loop                  |
 * | of a test: exits to what traps, where it is not                                 | they are taken to be never taken |
 *
 * What a turn hands to the next one (how often it was asked, since when), and what is done only where the test says no, is *varying*: the progress of others decides it.
 * A spin on a barrier may compute it, and sleep by it, as long as nothing else sees it: the test, the way from the test to an exit, what is read behind the loop. Then it
 * does not matter that a wait makes one turn only, and what stands only where the test says no is *idle*. So is what a loop begins with, where that looks at what varies.
 *
 *     again:  mbarrier.try_wait.shared.b64 done, [bar], token;                      the back-off of cuda::barrier
 *             @done bra out;
 *             setp.lt.s32 few, asked, 16;                                           from here on it is idle
 *             @few bra next;
 *             mov.u64 now, %globaltimer;
 *             ...
 *             nanosleep.u32 time;
 *     next:   add.s32 asked, asked, 1;
 *             bra again;
 *     out:
 *
 * The answer may go by way of the beginning, as a debug build has it, and the loop be left there:
 *
 *     again:  setp.ne.s32 done, said, 0;                                            before the first turn it is 0
 *             @done bra out;
 *             mbarrier.try_wait.parity.shared::cta.b64 p, [bar], parity;
 *             selp.u32 said, 1, 0, p;
 *             bra again;
 *
 * Laws
 * 1. What is read behind a spin is as if it had made one turn, in which the test is true.
 * 2. No instruction is in two spins.
 */
import { remembered } from '../../../remembered.js'
import type { Code, Resolved, Value } from '../opcodes/resolve.js'
import { printOperand } from '../text/printer.js'
import type { Loop } from '../../../semantics/warps/flow.js'
import { graphOf, neverReturns, type Block, type Graph } from './graph.js'
import { isLive } from './live.js'
import { plain } from './plain.js'

// ---------------------------------------------------------------- model

export interface Spin {
  /** on a barrier, or on a word of memory */
  readonly kind: 'mbarrier' | 'semaphore'
  /** the number of the instruction that tests */
  readonly test: number
  readonly header: number
  readonly blocks: ReadonlySet<number>
  /** the blocks that stand between two turns: nothing that is in them is seen by anything else */
  readonly idle: ReadonlySet<number>
  /** the block that they lead to: the one that tests, or the header where what stands between is more */
  readonly entry: number
}

/** Does it ask an mbarrier? */
export const asks = (i: Resolved): boolean =>
  i.form.base === 'mbarrier.try_wait' || i.form.base === 'mbarrier.test_wait'
const isStrongLoad = (i: Resolved): boolean =>
  i.form.base === 'ld' &&
  ['acquire', 'volatile', 'relaxed'].includes(i.modifiers['sem'] ?? '') &&
  i.writes.length === 1

const computing: ReadonlySet<string> = new Set([
  'integer',
  'extended precision',
  'floating point',
  'comparison',
  'logic',
  'conversion',
])
const computes = (i: Resolved): boolean => computing.has(i.form.family)

// ---------------------------------------------------------------- what follows from the test

/** How a register follows from the test: true where it is, true where it is not, or something of what was loaded. */
type Sense = 'same' | 'opposite' | 'loaded'
const flipped = (s: Sense): Sense => (s === 'same' ? 'opposite' : s === 'opposite' ? 'same' : s)

const constantOf = (v: Value | undefined): bigint | null => (v?._tag === 'immediate' ? v.bits : null)
const senseOf = (known: ReadonlyMap<number, Sense>, v: Value | undefined): Sense | null =>
  v?._tag === 'register'
    ? (known.get(v.index) ?? null)
    : v?._tag === 'predicate' && v.of._tag === 'register'
      ? ((sense) => (sense === null ? null : v.negated ? flipped(sense) : sense))(
          known.get(v.of.index) ?? null,
        )
      : null

/** What a pure instruction makes of registers that follow from the test; null where the result does not. */
const derived = (known: ReadonlyMap<number, Sense>, i: Resolved): Sense | null => {
  const { operands: o, modifiers: m } = i
  switch (i.form.base) {
    case 'mov':
    case 'cvt':
      return senseOf(known, o['a'])
    case 'not':
      return m['type'] === 'pred' ? ((s) => (s === null ? null : flipped(s)))(senseOf(known, o['a'])) : null
    case 'selp': {
      const sense = senseOf(known, o['c'])
      const [a, b] = [constantOf(o['a']), constantOf(o['b'])]
      if (sense === null || sense === 'loaded' || a === null || b === null || (a === 0n) === (b === 0n))
        return null
      // what is narrowed may keep the lowest byte alone
      if (((a | b) & 0xffn) === 0n) return null
      return a !== 0n ? sense : flipped(sense)
    }
    case 'setp': {
      const sense = senseOf(known, o['a'])
      if (sense === 'loaded') return 'same'
      if (sense === null || m['bool'] !== undefined || constantOf(o['b']) !== 0n) return null
      return m['cmp'] === 'ne' ? sense : m['cmp'] === 'eq' ? flipped(sense) : null
    }
    default:
      return null
  }
}

type Known = ReadonlyMap<number, Sense>

/** What is known behind an instruction. */
const behind = (known: Known, i: Resolved, tests: boolean): Known => {
  // an answer that is there still is of the turn before
  if (tests) return new Map(i.writes.map((r) => [r.index, asks(i) ? 'same' : 'loaded'] as const))
  if (i.writes.length === 0) return known
  const sense = i.guard === null ? derived(known, i) : null
  const second = i.operands['q']
  const out = new Map(known)
  for (const r of i.writes)
    if (sense === null) out.delete(r.index)
    else out.set(r.index, second?._tag === 'register' && second.index === r.index ? flipped(sense) : sense)
  return out
}

const both = (a: Known, b: Known): Known => new Map([...a].filter(([r, s]) => b.get(r) === s))

/** What is known at the end of each block of a loop. */
const knownAtEnds = (graph: Graph, loop: Loop, tests: ReadonlyArray<number>): ReadonlyMap<number, Known> => {
  const ends = new Map<number, Known>()
  const blocks = [...loop.body].sort((a, b) => a - b)
  for (let changed = true; changed;) {
    changed = false
    for (const b of blocks) {
      const { first, end, predecessors } = graph.blocks[b]!
      // what comes from before the loop has not been tested
      const before = predecessors.flatMap((p) => ends.get(p) ?? [])
      let known: Known = before.length === 0 ? new Map<number, Sense>() : before.reduce(both)
      if (b !== loop.header && before.length === 0) continue
      for (let k = first; k < end; k++) known = behind(known, graph.code.instructions[k]!, tests.includes(k))
      const earlier = ends.get(b)
      if (earlier?.size === known.size && both(earlier, known).size === known.size) continue
      ends.set(b, known)
      changed = true
    }
  }
  return ends
}

// ---------------------------------------------------------------- ways through a loop

/** Blocks of a loop that are come to from one of it, and not beyond some. */
const reached = (
  graph: Graph,
  loop: Loop,
  from: ReadonlyArray<number>,
  onward: (block: number) => ReadonlyArray<number>,
): ReadonlySet<number> => {
  const seen = new Set<number>()
  const stack = [...from]
  while (stack.length > 0) {
    const b = stack.pop()!
    if (seen.has(b) || !loop.body.has(b) || graph.blocks[b] === undefined) continue
    seen.add(b)
    for (const next of onward(b)) stack.push(next)
  }
  return seen
}

/** The block that a branch goes to where it is taken. */
const takenTo = (graph: Graph, last: Resolved): number | null => {
  const target = last.operands['target']
  return last.form.base !== 'bra' || target?._tag !== 'label'
    ? null
    : target.target >= graph.code.instructions.length
      ? graph.blocks.length
      : graph.blockOf[target.target]!
}

/** Of a block that ends in a branch by the test: where it goes where the test is true. */
const whenTrue = (graph: Graph, block: Block, known: Known): number | null => {
  const last = graph.code.instructions[block.end - 1]!
  const taken = takenTo(graph, last)
  if (last.guard === null || taken === null) return null
  const sense = known.get(last.guard.register.index)
  if (sense === undefined || sense === 'loaded') return null
  const other = block.successors.find((s) => s !== taken) ?? taken
  return (sense === 'same') !== last.guard.negated ? taken : other
}

/** Nodes from which every way traps. */
const doomed: (graph: Graph) => ReadonlySet<number> = remembered((graph) => {
  const { code, blocks } = graph
  const traps = (b: Block): boolean => {
    const last = code.instructions[b.end - 1]!
    return last.guard === null && (last.form.base === 'trap' || neverReturns(last))
  }
  const out = new Set<number>()
  for (let grew = true; grew;) {
    grew = false
    blocks.forEach((b, k) => {
      if (out.has(k) || !(traps(b) || (b.successors.length > 0 && b.successors.every((s) => out.has(s)))))
        return
      out.add(k)
      grew = true
    })
  }
  return out
})

// ---------------------------------------------------------------- spins

/** Instructions of a loop, in the order of the text. */
const inside = (graph: Graph, loop: Loop): ReadonlyArray<number> =>
  [...loop.body]
    .sort((a, b) => a - b)
    .flatMap((b) => {
      const { first, end } = graph.blocks[b]!
      return Array.from({ length: end - first }, (_, k) => first + k)
    })

const readsClock = (i: Resolved): boolean =>
  Object.values(i.operands).some((v) => v._tag === 'special' && /^%(?:clock|globaltimer)/u.test(v.name))

/** Registers that hand the answer of the test to the next turn, and nothing else: a wait makes one turn, and they say yes. */
const toldAt = (graph: Graph, loop: Loop, ends: ReadonlyMap<number, Known>): ReadonlySet<number> => {
  const from = graph.blocks[loop.header]!.predecessors.flatMap((p) => ends.get(p) ?? [])
  const known = from.length === 0 ? [] : [...from.reduce(both)]
  return new Set(known.flatMap(([r, sense]) => (sense === 'loaded' ? [] : [r])))
}

/** Registers of a loop whose value depends on how often it is gone round. */
const varyingOf = (
  graph: Graph,
  header: number,
  all: ReadonlyArray<number>,
  idle: ReadonlySet<number>,
  told: ReadonlySet<number>,
): ReadonlySet<number> => {
  const written = all.map((k) => graph.code.instructions[k]!)
  const varying = new Set<number>()
  for (const k of all)
    for (const { index } of graph.code.instructions[k]!.writes)
      if (
        idle.has(graph.blockOf[k]!) ||
        readsClock(graph.code.instructions[k]!) ||
        (isLive(graph, index, header) && !told.has(index))
      )
        varying.add(index)
  for (let grew = true; grew;) {
    grew = false
    for (const i of written) {
      if (!i.reads.some((r) => varying.has(r.index))) continue
      for (const { index } of i.writes)
        if (!varying.has(index)) {
          varying.add(index)
          grew = true
        }
    }
  }
  return varying
}

/** Can control stay among these blocks, and never come to the test? */
const goesRound = (graph: Graph, among: ReadonlySet<number>): boolean => {
  const left = new Set(among)
  for (let fewer = true; fewer;) {
    fewer = false
    for (const b of left)
      if (!graph.blocks[b]!.successors.some((s) => left.has(s))) {
        left.delete(b)
        fewer = true
      }
  }
  return left.size > 0
}

/** Barrier, phase and manner of a test, by registers and as it is written. */
const askedBy = ({ instruction, reads }: Resolved): string =>
  [
    instruction.opcode,
    ...instruction.operands.slice(1).map(printOperand),
    ...reads.map(({ index }) => index),
  ].join(' ')

/** Of tests of a loop the one to which every turn comes first; null: there is none, or they do not ask for the same. */
const firstOf = (graph: Graph, loop: Loop, tests: ReadonlyArray<number>): number | null => {
  const { blocks, blockOf, code } = graph
  if (tests.length < 2) return tests[0] ?? null
  const [one] = tests
  const at = (k: number): Resolved => code.instructions[k]!
  const alike = tests.every((k) => asks(at(k)) && askedBy(at(k)) === askedBy(at(one!)))
  if (!alike || new Set(tests.map((k) => blockOf[k]!)).size < tests.length) return null
  const isFirst = (k: number): boolean => {
    const before = reached(graph, loop, [loop.header], (b) => (b === blockOf[k] ? [] : blocks[b]!.successors))
    return tests.every((other) => other === k || !before.has(blockOf[other]!))
  }
  return tests.find(isFirst) ?? null
}

/** The loop as a spin; null if it does more, or may be left for another reason. */
const spinOf = (graph: Graph, loop: Loop): Spin | null => {
  const { code, blocks, blockOf } = graph
  const size = [...loop.body].reduce((n, b) => n + blocks[b]!.end - blocks[b]!.first, 0)
  if (size > 96) return null
  const all = inside(graph, loop)
  const at = (k: number): Resolved => code.instructions[k]!
  const tests = all.filter((k) => asks(at(k)) || isStrongLoad(at(k)))
  const test = firstOf(graph, loop, tests)
  if (test === null || tests.some((k) => at(k).guard !== null)) return null
  const kind = asks(at(test)) ? 'mbarrier' : 'semaphore'
  const guardedTrap = (i: Resolved): boolean =>
    i.guard !== null && (i.form.base === 'trap' || neverReturns(i))
  for (const k of all) {
    const i = at(k)
    const quiet = computes(i) || i.form.base === 'nanosleep' || i.form.base === 'bra' || guardedTrap(i)
    if (!tests.includes(k) && !quiet) return null
  }
  const ends = knownAtEnds(graph, loop, tests)
  const known = (b: number): Known => ends.get(b) ?? new Map<number, Sense>()
  const testing = blockOf[test]!
  const onward = (b: number): ReadonlyArray<number> => {
    const to = kind === 'mbarrier' ? whenTrue(graph, blocks[b]!, known(b)) : null
    return to === null ? blocks[b]!.successors : [to]
  }
  const passing = reached(graph, loop, onward(testing), onward)
  // a test that is true must lead out, if by way of the beginning
  if (kind === 'mbarrier' && passing.has(testing)) return null
  const others = [...loop.body].filter((b) => b !== testing && !passing.has(b))
  const before = reached(graph, loop, [loop.header], (b) => (b === testing ? [] : blocks[b]!.successors))
  const told = toldAt(graph, loop, ends)
  const after = others.filter((b) => !before.has(b))
  for (const [idle, entry] of [
    [new Set(after), loop.header],
    [new Set(others), testing],
  ] as const) {
    if (goesRound(graph, idle) || tests.some((k) => k !== test && !idle.has(blockOf[k]!))) continue
    const varying = varyingOf(graph, loop.header, all, idle, told)
    const varies = (i: Resolved): boolean => i.reads.some((r) => varying.has(r.index))
    if (varies(at(test)) || (kind === 'semaphore' && varying.size > 0)) return null
    // on the way to the test and out nothing that varies decides
    const decides = (i: Resolved): boolean => guardedTrap(i) || (i.form.base === 'bra' && varies(i))
    if (all.some((k) => !idle.has(blockOf[k]!) && decides(at(k)))) continue
    const exits = exitsOf(graph, loop, idle, known, new Set(tests.map((k) => blockOf[k]!)))
    if (exits === null || (kind === 'mbarrier' && exits.sense !== 'same')) return null
    if (exits.to.some((to) => [...varying].some((r) => isLive(graph, r, to)))) return null
    return { kind, test, header: loop.header, blocks: loop.body, idle, entry }
  }
  return null
}

/** Where control comes to from a node by jumps alone. */
const behindJumps = ({ blocks, code }: Graph, from: number): number => {
  let at = from
  for (let steps = 0; steps < 8; steps++) {
    const block = blocks[at]
    if (block === undefined || block.end !== block.first + 1) return at
    const [onward, ...others] = block.successors
    if (code.instructions[block.first]!.form.base !== 'bra' || onward === undefined || others.length > 0)
      return at
    at = onward
  }
  return at
}

/** Where a loop is left, always where its test is true, or always where it is not; null if it may be left for another reason. */
const exitsOf = (
  graph: Graph,
  loop: Loop,
  idle: ReadonlySet<number>,
  known: (block: number) => Known,
  asking: ReadonlySet<number>,
): { readonly sense: Sense; readonly to: ReadonlyArray<number> } | null => {
  const { blocks, code } = graph
  const to: number[] = []
  const again: number[] = []
  let sense: Sense | null = null
  for (const b of loop.body) {
    const block = blocks[b]!
    const last = code.instructions[block.end - 1]!
    const outside = block.successors.filter((s) => !loop.body.has(s))
    if (outside.length === 0) continue
    if (idle.has(b)) {
      const traps = last.form.base === 'trap' || neverReturns(last)
      if (traps || outside.every((s) => doomed(graph).has(s))) continue
      // the same test again, true
      if (!asking.has(b) || outside.length > 1 || whenTrue(graph, block, known(b)) !== outside[0]) return null
      again.push(outside[0]!)
      continue
    }
    const leads = whenTrue(graph, block, known(b))
    if (leads === null || block.successors.length !== 2) return null
    const leaves: Sense = loop.body.has(leads) ? 'opposite' : 'same'
    if (sense !== null && sense !== leaves) return null
    sense = leaves
    for (const s of outside) to.push(s)
  }
  const ends = new Set(to.map((s) => behindJumps(graph, s)))
  return sense === null || again.some((s) => !ends.has(behindJumps(graph, s))) ? null : { sense, to }
}

/**
 * A loop, and the loops within it that begin where it does: a compiler lets a wait at the beginning of a turn go back to where the turn begins.
 *
 *     top:  mbarrier.try_wait p, ...;   @!p bra top;        a loop, and a wait at its beginning
 *           ...                         @more bra top;
 *
 * Those of fewer ways back are among those of more: from all ways to the one of the shortest.
 */
const sharing = (graph: Graph, loop: Loop): ReadonlyArray<Loop> => {
  const { predecessors } = graph.blocks[loop.header]!
  const bodyOf = (latch: number): ReadonlySet<number> => {
    const body = new Set([loop.header])
    const stack = [latch]
    while (stack.length > 0) {
      const b = stack.pop()!
      if (body.has(b)) continue
      body.add(b)
      for (const p of graph.blocks[b]!.predecessors) stack.push(p)
    }
    return body
  }
  const bodies = predecessors
    .filter((p) => loop.body.has(p))
    .map(bodyOf)
    .sort((a, b) => a.size - b.size)
  const within = bodies.slice(0, -1).map((_, k): Loop => ({
    header: loop.header,
    body: new Set(bodies.slice(0, k + 1).flatMap((body) => [...body])),
  }))
  return [loop, ...within.reverse()]
}

/** All spins of a function, in the order of the text. */
export const spinsOf: (code: Code) => ReadonlyArray<Spin> = remembered((code) => {
  const graph = graphOf(plain(code))
  const spinIn = (loop: Loop): Spin | null => {
    for (const one of sharing(graph, loop)) {
      const spin = spinOf(graph, one)
      if (spin !== null) return spin
    }
    return null
  }
  return graph.loops.flatMap((loop) => spinIn(loop) ?? []).sort((a, b) => a.test - b.test)
})
