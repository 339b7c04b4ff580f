/**
 * What runs in a stream: one operation, or a graph, whose nodes are operations of their own.
 *
 * Nodes are executed in the order in which they are listed, each behind those that it comes after.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../failure.js'
import { allClauses, type GraphNode, issueGraph, legacy } from '../../semantics/host/index.js'
import type { GraphOperation, HostOperation } from './file.js'
import { type Done, done, type Host, host, type Launching, type Step } from './state.js'
import { touching } from './between.js'
import { calledBack, copied, filled } from './copies.js'
import { launched } from './launching.js'

export const inStream = (
  l: Launching,
  h: Host,
  now: number,
  o: GraphOperation,
  stream: string,
  node: string | null,
): E.Either<Failure, Done> => {
  switch (o.op) {
    case 'copy':
      return copied(h, l.modules, now, o, stream)
    case 'fill':
      return filled(h, l.modules, now, o, stream)
    case 'launch':
      return launched(l, h, now, o, stream, node)
    case 'callback':
      return pipe(
        calledBack(h, o),
        E.map((accesses) => done(h, 'callback', accesses)),
      )
    case 'record':
    case 'wait':
      return E.right(done(h, `${o.op} of ${o.event}`, []))
  }
}

export const graphLaunched = (
  l: Launching,
  h: Host,
  now: number,
  o: Extract<HostOperation, { op: 'graph' }>,
): Step => {
  const stream = o.stream ?? legacy
  const numbers = new Map(o.nodes.map(({ name }, i) => [name, i]))
  const unknown = o.nodes.flatMap(({ name, after = [] }, i) =>
    after.flatMap((a) => ((numbers.get(a) ?? Infinity) < i ? [] : [`${name} comes after '${a}'`])),
  )[0]
  if (unknown !== undefined)
    return refuse('host.graph', `operation ${String(now)}: ${unknown}, which is no node before it`)
  const all = o.nodes.reduce<E.Either<Failure, { readonly host: Host; readonly done: ReadonlyArray<Done> }>>(
    (before, node) =>
      pipe(
        before,
        E.chain((s) =>
          s.host.stopped !== null
            ? E.right(s)
            : pipe(
                inStream(l, s.host, now, node.operation, stream, node.name),
                E.map((d) => ({ host: d.host, done: [...s.done, d] })),
              ),
        ),
      ),
    E.right({ host: h, done: [] }),
  )
  return E.map(({ host: after, done: each }: { readonly host: Host; readonly done: ReadonlyArray<Done> }) => {
    const [issued, order] = issueGraph(
      allClauses,
      after.order,
      stream,
      each.map((d, i): GraphNode => {
        const { after: behind = [], operation } = o.nodes[i]!
        return {
          after: behind.map((a) => numbers.get(a)!),
          grid: d.grid,
          event:
            operation.op === 'record' || operation.op === 'wait'
              ? { name: operation.event, does: operation.op }
              : null,
        }
      }),
    )
    return each.reduce<Host>(
      (s, d, i) => {
        return touching(
          s,
          issued[i]!,
          {
            operation: now,
            what: d.what,
            stream,
            staged: false,
            node: o.nodes[i]!.name,
            grid: d.grid,
            sites: d.sites,
          },
          d.accesses,
        )
      },
      host(after, { order }),
    )
  })(all)
}
