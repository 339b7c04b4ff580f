/**
 * One launch of a program, on memory as the operations before it have left it: what is looked at alone (`trace`, `view`, `mutate`).
 *
 *     operation 8          the launch that is operation 8
 *     operation 9, n2      node n2 of the graph that operation 9 launches; the nodes before it in the list are executed, too
 *
 * Laws
 * 1. It is the launch that is judged with the program: the same kernel, the same bytes of parameters, the same memory.
 * 2. Operations before it are executed as in the program; those behind it are not.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { elaborate } from '../../dialects/ptx/elaboration/elaborate.js'
import { inFile } from '../launch/beside.js'
import type { ChangeOfText, LaunchedPtx } from '../launch/ptx.js'
import type { GraphOperation, HostOperation, HostProgram, Launch } from './file.js'
import { ready, type Ready } from './given.js'
import { launchedOf } from './launching.js'
import { stepping } from './perform.js'
import { emptyHost, type Performing, type Step } from './state.js'

/** A launch of a program: an operation, or a node of a graph. */
export interface Which {
  readonly operation: number
  readonly node: string | null
}

export interface Single {
  readonly launched: LaunchedPtx
  /** the file of its module */
  readonly path: string
}

// ---------------------------------------------------------------- which

const textOf = ({ operation, node }: Which): string =>
  `operation ${String(operation)}${node === null ? '' : `, node ${node}`}`

const launchesIn = (o: HostOperation, operation: number): ReadonlyArray<string> =>
  o.op === 'launch'
    ? [String(operation)]
    : o.op === 'graph'
      ? o.nodes.flatMap((n) => (n.operation.op === 'launch' ? [`${String(operation)}:${n.name}`] : []))
      : []

/** So many launches are named where another one was meant. */
const mostNamed = 12

const otherwise = ({ operations }: HostProgram, which: Which, found: string): Failure => {
  const all = operations.flatMap(launchesIn)
  const named = all.slice(0, mostNamed).join(', ')
  return failure(
    'host.operation',
    `${textOf(which)}: expected a launch (${all.length === 0 ? 'the program has none' : `${named}${all.length > mostNamed ? ` and ${String(all.length - mostNamed)} more` : ''}`}), found ${found}`,
  )
}

/** The launch, and what comes before it within its own operation. */
interface Found {
  readonly launch: Launch
  readonly before: ReadonlyArray<HostOperation>
}

const found = (program: HostProgram, which: Which): E.Either<Failure, Found> => {
  const o = program.operations[which.operation]
  if (o === undefined)
    return E.left(otherwise(program, which, `a program of ${String(program.operations.length)} operations`))
  if (o.op === 'launch' && which.node === null) return E.right({ launch: o, before: [] })
  if (o.op !== 'graph' || which.node === null) return E.left(otherwise(program, which, `'${o.op}'`))
  const at = o.nodes.findIndex(({ name }) => name === which.node)
  const operation: GraphOperation | undefined = o.nodes[at]?.operation
  if (operation?.op !== 'launch')
    return E.left(otherwise(program, which, operation === undefined ? 'no such node' : `'${operation.op}'`))
  const before: HostOperation =
    o.stream === undefined
      ? { op: 'graph', nodes: o.nodes.slice(0, at) }
      : { op: 'graph', nodes: o.nodes.slice(0, at), stream: o.stream }
  return E.right({ launch: operation, before: [before] })
}

// ---------------------------------------------------------------- the launch

/** Another module in the place of its own, elaborated anew. */
const changedBy = (change: ChangeOfText, r: Ready): E.Either<Failure, Ready> => {
  const { path, file } = r.loaded
  const kernel = r.elaborated.program.name
  return pipe(
    change(kernel, file)(r.loaded.module),
    E.bindTo('module'),
    E.bindW('elaborated', ({ module }) => elaborate(module, kernel, file)),
    E.bimap(inFile(path), ({ module, elaborated }): Ready => ({
      host: r.host,
      loaded: { path, file, module },
      elaborated,
      launch: r.launch,
      arguments: r.arguments,
    })),
  )
}

/** `change`: what is done to the module of this launch. */
export const launchAt = (
  p: Pick<Performing, 'files' | 'where' | 'algebra' | 'fuel'>,
  program: HostProgram,
  which: Which,
  change: ChangeOfText,
): E.Either<Failure, Single> => {
  const performing: Performing = {
    files: p.files,
    where: p.where,
    algebra: p.algebra,
    fuel: p.fuel,
    judge: null,
    judgeAll: false,
  }
  const { modules, step } = stepping(performing, program)
  return pipe(
    found(program, which),
    E.chain(({ launch, before }) =>
      pipe(
        [...program.operations.slice(0, which.operation), ...before].reduce<Step>(
          (h, o, now) =>
            pipe(
              h,
              E.chain((s) => (s.stopped === null ? step(s, now, o) : E.right(s))),
            ),
          E.right(emptyHost),
        ),
        E.chain((h): Step =>
          h.stopped === null
            ? E.right(h)
            : refuse(
                'host.stopped',
                `${textOf(which)} is not reached: operation ${String(h.stopped.operation)} stops the program: ${h.stopped.why}`,
              ),
        ),
        E.chain((h) => ready(performing, modules, h, which.operation, launch)),
      ),
    ),
    E.chain((r) => changedBy(change, r)),
    E.map((r): Single => ({ launched: launchedOf(r), path: r.loaded.path })),
  )
}
