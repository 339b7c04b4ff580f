/**
 * Programs of warps whose lanes are threads: a list of statements, each done by some lanes of one warp.
 *
 *     w0 0,1   wr s0.x0 / wr s0.x1        each lane writes a word of its own
 *     w0 0,1   meet                        bar.warp.sync of both
 *     w0 0     st s0.x0 s0.x1 > g.y        lane 0 issues a bulk store of both
 *
 * A lane does those statements that it takes part in, in their order; nothing else orders lanes. Its skeleton has an agent for every lane, so the search of its schedules
 * (`src/semantics/schedules/naive`) is one of threads. It knows nothing of warps.
 */
import * as S from '../../../../src/semantics/schedules/naive/skeleton.js'
import type { Op, Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { showOp } from '../../../../src/semantics/schedules/naive/notation.js'

/** What some lanes do: one operation of one kind each; `meet`: they wait for one another; `bar`: all threads of the program do, which have not ended. */
export interface Statement {
  readonly warp: number
  readonly lanes: ReadonlyArray<number>
  readonly does: 'ops' | 'meet' | 'bar'
  /** by lane */
  readonly ops: ReadonlyArray<Op>
  /** every lane has a part in all of it */
  readonly whole: boolean
}
export interface Simt {
  /** how many lanes each warp has */
  readonly warps: ReadonlyArray<number>
  /** arrivals that each mbarrier counts */
  readonly counts: ReadonlyArray<number>
  readonly statements: ReadonlyArray<Statement>
}

export const statement = (
  warp: number,
  lanes: ReadonlyArray<number>,
  op: (lane: number) => Op,
  whole: boolean = false,
): Statement => ({ warp, lanes, does: 'ops', ops: lanes.map(op), whole })

/** bar.warp.sync. */
export const meet = (warp: number, lanes: ReadonlyArray<number>): Statement => ({
  warp,
  lanes,
  does: 'meet',
  ops: [],
  whole: false,
})

/** bar.sync of all threads: a statement of each warp. */
export const bar = (warp: number, lanes: ReadonlyArray<number>): Statement => ({
  warp,
  lanes,
  does: 'bar',
  ops: [],
  whole: false,
})

export const threadsIn = (p: Simt): number => p.warps.reduce((n, lanes) => n + lanes, 0)

/** The agent of a lane. */
export const agentOf = (p: Simt, warp: number, lane: number): number =>
  p.warps.slice(0, warp).reduce((n, lanes) => n + lanes, 0) + lane

/** The program of the lane `lane`, and of each operation its statement. */
const opsOf = (
  p: Simt,
  warp: number,
  lane: number,
): ReadonlyArray<{ readonly op: Op; readonly at: number }> =>
  p.statements.flatMap((s, at) => {
    const i = s.lanes.indexOf(lane)
    if (s.warp !== warp || i < 0) return []
    if (s.does === 'bar') return [{ op: S.namedSync(1, threadsIn(p)), at }]
    if (s.does === 'ops') return [{ op: s.ops[i]!, at }]
    const members = s.lanes.map((l) => agentOf(p, warp, l))
    return [{ op: S.rendezvous(`w${String(warp)}.${s.lanes.join('')}`, members), at }]
  })

export const skeletonOf = (p: Simt): Skeleton => ({
  agents: p.warps.flatMap((n, warp) =>
    Array.from({ length: n }, (_, lane) => ({
      name: `w${String(warp)}l${String(lane)}`,
      cta: 0,
      ops: opsOf(p, warp, lane).map(({ op }) => op),
    })),
  ),
  barriers: p.counts.map((count, k) => ({ name: `b${String(k)}`, cta: 0, count })),
})

/** The statement of each operation, by agent. */
export const statementsOf = (p: Simt): ReadonlyArray<ReadonlyArray<number>> =>
  p.warps.flatMap((n, warp) =>
    Array.from({ length: n }, (_, lane) => opsOf(p, warp, lane).map(({ at }) => at)),
  )

const showStatement = (s: Statement): string =>
  s.does === 'ops' ? `${s.whole ? 'whole ' : ''}${[...new Set(s.ops.map(showOp))].join(' / ')}` : s.does

/** One line a statement. */
export const show = (p: Simt): string =>
  [
    `lanes ${p.warps.join(' ')}, counts ${p.counts.join(' ')}`,
    ...p.statements.map(
      (s, at) =>
        `${String(at).padStart(3)}  w${String(s.warp)} ${s.lanes.join(',').padEnd(6)} ${showStatement(s)}`,
    ),
  ].join('\n')
