/**
 * Missing edges in PTX: which statements can be the edge that a finding lacks, and where they can stand.
 *
 * A finding says what is missing between two instructions. In a text there are few statements that can be it, and few places: behind the first, before the
 * second, both, and where the ways of the threads meet again before or behind these, for a barrier inside a branch would wait for threads that do not come by.
 * Which of them is right is asked of the verdict on the text that has it (`oracle/cli/mending-ptx.ts`).
 *
 * | missing       | statements                                                                        |
 * |---------------|-----------------------------------------------------------------------------------|
 * | fence         | the fence by its name; of threads on both sides                                     |
 * | warp-sync     | bar.warp.sync of all lanes, then bar.sync 0                                          |
 * | group-wait    | the wait for all groups; with a commit before it; of the end, before every `ret`; the commit alone |
 * | arrive-wait   | bar.sync 0                                                                           |
 * | wait          | a loop of mbarrier.try_wait, for each mbarrier that the text names, with each parity it is known by |
 * | arrive        | mbarrier.arrive on each of them                                                      |
 * | fence of a tensor map | the release; the acquire of the map that the second one names                |
 * | arrive that is there | none: it would have to move, with the branch that it is in                        |
 * | others        | none: bytes are a number that stands in a statement, and nothing there is changed     |
 *
 * Laws
 * 1. A statement is inserted and nothing else is touched.
 * 2. An edge is found again in a text that has others: an anchor is its place and its opcode.
 *
 * Source: PTX ISA (bar, bar.warp.sync, fence, wgmma.fence, wgmma.wait_group, cp.async.bulk.wait_group, tcgen05.wait)
 */
import type { Family } from '../../../semantics/log/units.js'
import type { MissingEdge } from '../../../semantics/judging/finding.js'
import type { Address, Instruction, Module, Operand, Statement } from '../text/module.js'
import { functionsOf } from '../text/module.js'
import { printOperand } from '../text/printer.js'
import { withInstead } from '../text/replace.js'
import { instruction, integer, name, scoped } from '../mutants/write.js'

// ---------------------------------------------------------------- model

/** An instruction of a text, by its place there. */
export interface Anchor {
  readonly line: number
  readonly column: number
  readonly opcode: string
  /** what findings call it */
  readonly label: string
}

export interface Added {
  readonly statement: string
  readonly where: string
}

/** The text with an edge, and what was added. */
export interface WithEdge {
  readonly module: Module
  readonly added: ReadonlyArray<Added>
}

interface Word {
  readonly opcode: string
  readonly operands: ReadonlyArray<Operand>
  /** asked again until it is true: the first operand is the answer */
  readonly until?: true
}

// ---------------------------------------------------------------- statements

const word = (opcode: string, ...operands: ReadonlyArray<number>): Word => ({
  opcode,
  operands: operands.map(integer),
})

const blockBarrier: ReadonlyArray<Word> = [word('bar.sync', 0)]

const fences: Readonly<Record<NonNullable<MissingEdge['fence']>, ReadonlyArray<Word>>> = {
  shared: [word('fence.proxy.async.shared::cta')],
  cluster: [word('fence.proxy.async.shared::cluster')],
  global: [word('fence.proxy.async.global')],
  wgmma: [word('wgmma.fence.sync.aligned')],
  tensorBefore: [word('tcgen05.fence::before_thread_sync')],
  tensorAfter: [word('tcgen05.fence::after_thread_sync')],
  mapRelease: [word('fence.proxy.tensormap::generic.release.gpu')],
  // it takes the address of the map
  mapAcquire: [],
  mbarrierInit: [word('fence.mbarrier_init.release.cluster')],
  threads: [word('fence.acq_rel.gpu')],
}

const waits: Readonly<Record<Family, readonly [commit: Word | null, waits: ReadonlyArray<Word>]>> = {
  bulk: [
    word('cp.async.bulk.commit_group'),
    [word('cp.async.bulk.wait_group.read', 0), word('cp.async.bulk.wait_group', 0)],
  ],
  wgmma: [word('wgmma.commit_group.sync.aligned'), [word('wgmma.wait_group.sync.aligned', 0)]],
  cpAsync: [word('cp.async.commit_group'), [word('cp.async.wait_all')]],
  tcgen05Ld: [null, [word('tcgen05.wait::ld.sync.aligned')]],
  tcgen05St: [null, [word('tcgen05.wait::st.sync.aligned')]],
}

// ---------------------------------------------------------------- what a text names

const isAddress = (o: Operand): o is Address => o._tag === 'address'

const distinct = (all: ReadonlyArray<Operand>): ReadonlyArray<Operand> => [
  ...new Map(all.map((o) => [printOperand(o), o])).values(),
]

const instructionsIn = (m: Module): ReadonlyArray<Instruction> =>
  bodiesOf(m).flatMap((body) => body.filter((s) => s._tag === 'instruction'))

/** Most mbarriers, and most registers with a parity, that are tried. */
const mostBarriers = 6
const mostParities = 2

/** Words of shared memory with a name, which is known everywhere: a register with an address may not be. */
const sharedWordsIn = (m: Module): ReadonlyArray<Address> => {
  const inBodies = functionsOf(m).flatMap(({ body }) => flat(body ?? []))
  const variables = [...m.items, ...inBodies].flatMap((s) => (s._tag === 'variable' ? [s] : []))
  return variables
    .filter(
      ({ space, type, count }) => space === 'shared' && (type === 'b64' || type === 'u64') && count === null,
    )
    .flatMap(({ at, name: base, extents }) =>
      Array.from(
        {
          length: Math.min(
            mostBarriers,
            extents.reduce<number>((n, e) => n * (e ?? 1), 1),
          ),
        },
        (_, i) => ({
          _tag: 'address' as const,
          at,
          base: { _tag: 'name' as const, at, name: base, selector: null, offset: 0 },
          offset: 8 * i,
          more: [],
        }),
      ),
    )
}

/** Addresses of mbarriers: those with a name first, then those that are waited for or announced. */
const mbarriersIn = (m: Module): ReadonlyArray<Address> => {
  const all = instructionsIn(m).filter(({ opcode }) => opcode.startsWith('mbarrier.'))
  const isSooner = ({ opcode }: Instruction): boolean => /wait|expect_tx/u.test(opcode)
  return distinct([
    ...(all.length === 0 ? [] : sharedWordsIn(m)),
    ...[...all.filter(isSooner), ...all].flatMap(({ operands }) => operands),
  ])
    .filter(isAddress)
    .slice(0, mostBarriers)
}

/** The first two phases, and what waits of the text hold. */
const paritiesIn = (m: Module): ReadonlyArray<Operand> => [
  integer(0),
  integer(1),
  ...distinct(
    instructionsIn(m)
      .filter(({ opcode }) => opcode.includes('_wait.parity'))
      .flatMap(({ operands }) => operands.slice(2, 3).filter((o) => o._tag === 'name')),
  ).slice(0, mostParities),
]

/** The tensor map that an instruction names. */
const mapIn = ({ operands }: Instruction): Address | null => {
  const found = operands.filter(isAddress).find(({ more }) => more.length > 0)
  return found === undefined ? null : { ...found, more: [] }
}

/** What can be the edge, the least first. */
const wordsOf = (
  m: Module,
  second: Anchor | null,
  { kind, fence, family, lacks, moves }: MissingEdge,
): ReadonlyArray<ReadonlyArray<Word>> => {
  switch (kind) {
    case 'fence': {
      if (fence === undefined) return []
      if (fence !== 'mapAcquire') return fences[fence].map((one) => [one])
      const at = second === null ? undefined : instructionsIn(m).find((i) => isAt(i, second))
      const map = at === undefined ? null : mapIn(at)
      return map === null
        ? []
        : [[{ opcode: 'fence.proxy.tensormap::generic.acquire.gpu', operands: [map, integer(128)] }]]
    }
    case 'warp-sync':
      return [[word('bar.warp.sync', 0xffffffff)], blockBarrier]
    case 'group-wait': {
      if (family === undefined) return []
      const [commit, all] = waits[family]
      if (lacks === 'commit') return commit === null ? [] : [[commit]]
      return [...all.map((one) => [one]), ...(commit === null ? [] : all.map((one) => [commit, one]))]
    }
    case 'arrive-wait':
      return [blockBarrier]
    case 'wait':
      return mbarriersIn(m).flatMap((at) =>
        paritiesIn(m).map((parity): ReadonlyArray<Word> => [
          { opcode: 'mbarrier.try_wait.parity.shared::cta.b64', operands: [at, parity], until: true },
        ]),
      )
    case 'arrive':
      if (moves !== undefined) return []
      return mbarriersIn(m).map((at) => [
        { opcode: 'mbarrier.arrive.shared::cta.b64', operands: [{ _tag: 'sink' }, at] },
      ])
    case 'bytes':
    case 'none-found':
      return []
  }
}

// ---------------------------------------------------------------- places

/** Where statements are inserted: before or behind one of the text. */
interface Spot {
  readonly statement: Statement
  readonly like: Instruction
  readonly side: 'before' | 'behind'
  readonly where: string
}

const flat = (body: ReadonlyArray<Statement>): ReadonlyArray<Statement> =>
  body.flatMap((s) => (s._tag === 'scope' ? flat(s.body) : [s]))

const bodiesOf = (m: Module): ReadonlyArray<ReadonlyArray<Statement>> =>
  functionsOf(m).map(({ body }) => flat(body ?? []))

const isAt = (s: Statement, { line, column, opcode }: Anchor): s is Instruction =>
  s._tag === 'instruction' && s.at.line === line && s.at.column === column && s.opcode === opcode

const isEnd = (s: Statement): s is Instruction =>
  s._tag === 'instruction' && (s.opcode === 'ret' || s.opcode === 'exit')

const spot = (like: Instruction, statement: Statement, side: Spot['side'], where: string): Spot => ({
  statement,
  like,
  side,
  where,
})

/** Right behind it, and behind the labels that follow, where ways meet again. */
const behind = (body: ReadonlyArray<Statement>, a: Anchor): ReadonlyArray<Spot> => {
  const at = body.findIndex((s) => isAt(s, a))
  const found = body[at]
  if (found?._tag !== 'instruction') return []
  const labels = body.slice(at + 1).filter((s) => s._tag === 'label')
  return [
    spot(found, found, 'behind', `after \`${a.label}\``),
    ...labels
      .slice(0, 2)
      .map((s) => spot(found, s, 'behind', `after \`${a.label}\`, at the label ${s.name}`)),
  ]
}

/** Right before it, and at the labels in front of it. */
const before = (body: ReadonlyArray<Statement>, b: Anchor): ReadonlyArray<Spot> => {
  const at = body.findIndex((s) => isAt(s, b))
  const found = body[at]
  if (found?._tag !== 'instruction') return []
  const labels = body.slice(0, at).filter((s) => s._tag === 'label')
  return [
    spot(found, found, 'before', `before \`${b.label}\``),
    ...labels
      .slice(-2)
      .reverse()
      .map((s) => spot(found, s, 'behind', `before \`${b.label}\`, at the label ${s.name}`)),
  ]
}

const ends = (body: ReadonlyArray<Statement>): ReadonlyArray<Spot> =>
  body.filter(isEnd).map((s) => spot(s, s, 'before', `before \`${s.opcode}\` (line ${String(s.at.line)})`))

// ---------------------------------------------------------------- edges

/** `bar.sync 0` */
const textOf = ({ opcode, operands, until }: Word): string =>
  [opcode, [...(until === true ? ['p'] : []), ...operands.map(printOperand)].join(', ')]
    .filter((part) => part !== '')
    .join(' ') + (until === true ? ' until p' : '')

/** Of a wait, and its label. */
const answer = '%mended'
const again = '$mended'

const statementOf = (like: Instruction, { opcode, operands, until }: Word): Statement => {
  if (until !== true) return instruction(like, null, opcode, operands)
  const p = name(like, answer)
  return scoped(like, 'pred', answer, [
    { _tag: 'label', at: like.at, name: again },
    instruction(like, null, opcode, [p, ...operands]),
    instruction(like, { at: like.at, name: answer, negated: true }, 'bra', [name(like, again)]),
  ])
}

const inserted = (m: Module, spots: ReadonlyArray<Spot>, words: ReadonlyArray<Word>): WithEdge => {
  const made = spots.map((s) => ({
    spot: s,
    statements: words.map((one) => statementOf(s.like, one)),
  }))
  const instead = new Map<Statement, ReadonlyArray<Statement>>()
  for (const { spot: s, statements } of made) {
    const now = instead.get(s.statement) ?? [s.statement]
    instead.set(s.statement, s.side === 'before' ? [...statements, ...now] : [...now, ...statements])
  }
  return {
    module: withInstead(m, instead),
    added: made.flatMap(({ spot: s }) => words.map((one) => ({ statement: textOf(one), where: s.where }))),
  }
}

/** Texts with the edge between two instructions, or between one and the end, the likeliest first. */
export const edgesIn = function* (
  m: Module,
  missing: MissingEdge,
  first: Anchor,
  second: Anchor | null,
): Iterable<WithEdge> {
  const bodies = bodiesOf(m)
  for (const words of wordsOf(m, second, missing)) {
    const after = bodies.flatMap((body) => behind(body, first))
    if (second === null) {
      yield inserted(m, after.slice(0, 1), words)
      yield inserted(m, bodies.filter((body) => body.some((s) => isAt(s, first))).flatMap(ends), words)
      continue
    }
    const ahead = bodies.flatMap((body) => before(body, second))
    if (after.length === 0 || ahead.length === 0) continue
    const both = [after[0]!, ahead[0]!]
    if (missing.kind === 'wait') {
      yield inserted(m, ahead.slice(0, 1), words)
      continue
    }
    // a fence of threads alone takes nothing along: the one tells, the other hears
    if (missing.fence === 'threads') yield inserted(m, both, words)
    for (const s of missing.fence === 'shared' || missing.fence === 'cluster'
      ? [...after, ...ahead]
      : [...ahead, ...after])
      yield inserted(m, [s], words)
    if (missing.fence !== 'threads') yield inserted(m, both, words)
  }
}
