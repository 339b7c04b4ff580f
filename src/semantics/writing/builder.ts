/**
 * Builders: how people and dialects write programs.
 *
 * A `Build<A>` is a state transition: from a half-written program to a longer one, together with an `A`, or to a
 * failure. It is a value; running it twice gives the same. `yield*` sequences builds inside a generator function, so a kernel
 * reads from top to bottom, and every name it binds comes back as a typed expression:
 *
 *     const kernelOf = kernel({ name: 'twice', arch: 'sm90a', agents: [warpgroup('wg', 0)] }, function* () {
 *       const a = yield* tensorParam('a', 'f32', [128], { role: 'in' })
 *       const out = yield* tensorParam('out', 'f32', [128], { role: 'out' })
 *       const x = yield* gmemLoad('x', a.view)                        Tile<'f32', 1>
 *       const y = yield* letIn('y', add(x, x))
 *       yield* run('write out', { _tag: 'gmem.store', destination: out.view, value: y })
 *     })
 *
 * Generators run while the program is written; none is stored in it. The result is the first-order data of
 * `program.ts`. Names are made fresh from a label by a pure supply: the second `x` is `x_1`.
 *
 * Types are found twice. tsc knows the index of every expression (space, dtype, rank, discipline) and refuses a TMEM view as
 * the destination of a TMA copy. `typeOf` finds the run-time type, sizes and layouts included, as each statement is
 * added, so a failure names the statement that caused it.
 *
 * What lives where (each module imports only those above it):
 *
 *     state         a program half written; fresh names
 *     monad         builds, generators, scopes
 *     surroundings  what a dialect knows of where the next statement stands
 *     statements    let, do
 *     results       instructions that give something
 *     regions       loops and branches
 *     forks         other agents
 *     parameters    tensors, scalars, tensor maps
 *     storage       shared, tensor and global memory, registers, barriers
 *     kernel        a header and a body become a program
 *
 * Each has its laws.
 */
export type { State } from './builder/state.js'
export {
  block,
  build,
  chain,
  fail,
  fromEither,
  located,
  map,
  of,
  scope,
  sequence,
  typedHere,
  typeHere,
  type Build,
  type Step,
  type Steps,
} from './builder/monad.js'
export { surrounding, whereIAm, within, type Surrounding } from './builder/surroundings.js'
export { letIn, run, runFor, statement, type DoOptions, type ResultOptions } from './builder/statements.js'
export {
  acquireTensormap,
  atomicPtr,
  clcQuery,
  commitAsync,
  copyAsync,
  elect,
  gmemLoad,
  loadPtr,
  regsRead,
  smemAtomic,
  smemLoad,
  testBarrier,
  waitAsync,
  type ElementIndex,
} from './builder/results.js'
export { forRange, ifThen, whileLoop, type Exprs, type ForSpec } from './builder/regions.js'
export { branch, fork, type BranchSpec } from './builder/forks.js'
export { descriptorParam, scalarParam, tensorParam, type Tensor } from './builder/parameters.js'
export {
  barriers,
  freshStorage,
  globalScratch,
  registers,
  sharedMemory,
  tensorMemory,
  type StorageOptions,
} from './builder/storage.js'
export { draft, kernel, partition, warp, warpgroup, type KernelHeader } from './builder/kernel.js'
