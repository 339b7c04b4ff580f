/**
 * Lone threads: a launch in which each thread is an agent of its own.
 *
 * The lanes of a warp are threads, and PTX orders them by nothing but what they execute together. An agent that is a warp lets its parts go on in one order (`machine/warp-stand.ts`);
 * where another order may matter, a search of its schedules says nothing. Of the same threads, each an agent, a search follows every order, and needs no new rule: an agent is a warp of which one lane
 * is there. What a thread knows of itself (its number, its lane, its warp, its local memory) stays as it is.
 *
 *     if (lane == 0) store(a, 1);  else store(b, 1)       one agent: lane 0 stores first; two agents: each of them may
 *
 * What threads of a warp do together (a shuffle, a vote, a meeting of lanes, a matrix product) has no such agent, nor what the machine counts by warps (barriers of a CTA) or by groups of a warp
 * (asynchronous copies). A program that has any of it is refused.
 *
 * Laws
 * 1. Every run of warps is one of lone threads, but for events that are cut in lanes.
 * 2. What threads are told of themselves is the same in both launches.
 *
 * Source: PTX ISA, independent thread scheduling; CUDA programming guide, the same.
 */
import type { WarpLaunch } from './launched.js'
import type { Instruction, Operation, WarpProgram } from './program.js'

/** Does a thread do it by itself, and is it followed so? */
export const byItself: Readonly<Record<Operation['_tag'], boolean>> = {
  scalar: true,
  move: true,
  part: true,
  pack: true,
  predicate: true,
  setPredicate: true,
  branch: true,
  branchIndexed: true,
  call: true,
  return: true,
  exit: true,
  trap: true,
  turn: true,
  nothing: true,
  print: false,
  shuffle: false,
  vote: false,
  match: false,
  reduce: false,
  elect: false,
  activeLanes: false,
  meetLanes: false,
  load: true,
  store: true,
  atomic: true,
  copyAsync: false,
  copyBulk: false,
  sendAsync: false,
  zeroBulk: false,
  commitBulk: false,
  waitBulk: false,
  commitAsync: false,
  waitAsync: false,
  loadMatrices: false,
  storeMatrices: false,
  transposeMatrix: false,
  multiply: false,
  wholeWarp: false,
  tensorCopy: false,
  tensormapReplace: false,
  tensormapPublish: false,
  tensormapAcquire: false,
  wgmma: false,
  wgmmaFence: false,
  wgmmaCommit: false,
  wgmmaWait: false,
  tcgen05Alloc: false,
  tcgen05Dealloc: false,
  tcgen05Relinquish: false,
  tcgen05Load: false,
  tcgen05Store: false,
  tcgen05Wait: false,
  tcgen05Copy: false,
  tcgen05Shift: false,
  tcgen05Mma: false,
  tcgen05Commit: false,
  setRegisters: false,
  gridDependency: false,
  bar: false,
  barReduce: false,
  clusterArrive: false,
  clusterWait: false,
  fence: true,
  mbarrierInit: true,
  mbarrierInval: true,
  mbarrierArrive: true,
  mbarrierWait: true,
  mbarrierPending: true,
  mbarrierCpAsync: false,
}

/** The first instruction that a thread does not do by itself. */
export const togetherIn = ({ code }: WarpProgram): Instruction | undefined =>
  code.find(({ operation }) => !byItself[operation._tag])

type Who = Pick<WarpLaunch, 'threads' | 'alone'>

/** Agents of a CTA. */
export const agentsIn = ({ threads, alone }: Who): number => (alone ? threads : Math.ceil(threads / 32))

/** Which agent of its CTA it is. */
export const placeIn = (l: Who, agent: number): number => agent % agentsIn(l)

/** The warp that an agent is, or is of. */
export const warpIn = ({ alone }: Who, place: number): number => (alone ? Math.floor(place / 32) : place)

/** The lanes that an agent has. */
export const lanesIn = ({ threads, alone }: Who, place: number): number => {
  if (alone) return 1 << (place % 32)
  const there = Math.min(32, threads - place * 32)
  return there === 32 ? -1 : (1 << there) - 1
}
