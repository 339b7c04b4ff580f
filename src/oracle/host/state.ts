/**
 * What is known of a program of a host between two of its operations, and what an operation of a stream comes to.
 *
 * It is a value: an operation gives a new one.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import {
  type Access,
  type Grid,
  nothingYet,
  type Order,
  type Past,
  start,
} from '../../semantics/host/index.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import type { Printed } from '../../semantics/swift/index.js'
import type { LaunchedPtx } from '../launch/ptx.js'
import type { Files } from '../tensor-files/files.js'
import type { Memory } from './memory.js'
import type { HostFinding, Named } from './findings.js'
import type { Modules } from './modules.js'
import type { Repeats } from './repeats.js'

/** A launch, and those behind it that it stands for. */
export interface LaunchJudged {
  readonly operation: number
  /** of the graph that the operation launches; null: the operation is the launch */
  readonly node: string | null
  readonly kernel: string
  readonly stream: string
  /** null: it is not judged by itself */
  readonly verdict: Verdict | null
  /** why it cannot be judged; null: it is, or that is not asked */
  readonly unjudged: string | null
  /** how many later launches of the same kernel, in the same shape, it stands for */
  readonly again: number
}

export interface Compared {
  readonly operation: number
  readonly memory: string
  readonly elements: number
  readonly differ: number
}

/** Why a launch cannot be executed to its end. */
export type Fatal = 'address' | 'assertion' | 'trap' | 'endless'

export interface Host {
  readonly memories: ReadonlyMap<string, Memory>
  readonly order: Order
  readonly past: Past
  /** how many operations have been issued */
  readonly issued: number
  /** by the number that it was issued with: those that may still race with something */
  readonly named: ReadonlyMap<number, Named>
  readonly findings: ReadonlyArray<HostFinding>
  readonly launches: ReadonlyArray<LaunchJudged>
  readonly compared: ReadonlyArray<Compared>
  /** an operation could not be executed to its end */
  readonly stopped: { readonly operation: number; readonly why: string; readonly fatal: Fatal } | null
  /** by the operation that was executed last: what its kernels print */
  readonly printed: ReadonlyArray<Printed>
}

/** What judges a launch by itself; null: it is not asked. */
export type Judge = (launched: LaunchedPtx, path: string) => E.Either<Failure, Verdict>

export interface Performing {
  readonly files: Files
  /** the file of the program, beside which its files are */
  readonly where: string
  readonly algebra: (arch: 'sm90a' | 'sm100a') => Algebra
  readonly judge: Judge | null
  /** same kernel, same shape of launch: judged once */
  readonly judgeAll: boolean
  readonly fuel: number
}

export interface Launching {
  readonly p: Performing
  readonly modules: Modules
  /** of each kernel and shape, which of the launches stands for it */
  readonly shapes: Map<string, number>
  readonly repeats: Repeats
}

export type Step = E.Either<Failure, Host>

/** What an operation in a stream does when it is executed: memory after it, what it touched, what else is found. */
export interface Done {
  readonly host: Host
  readonly accesses: ReadonlyArray<Access>
  readonly what: string
  readonly sites: ReadonlyMap<string, string>
  readonly grid: Grid | null
  /** a copy from pageable memory by cudaMemcpy */
  readonly staged?: boolean
}

export const emptyHost: Host = {
  memories: new Map(),
  order: start,
  past: nothingYet,
  issued: 0,
  named: new Map(),
  findings: [],
  launches: [],
  compared: [],
  stopped: null,
  printed: [],
}

export const host = (h: Host, to: Partial<Host>): Host => Object.assign({}, h, to)

export const done = (h: Host, what: string, accesses: ReadonlyArray<Access>): Done => ({
  host: h,
  accesses,
  what,
  sites: new Map(),
  grid: null,
})
