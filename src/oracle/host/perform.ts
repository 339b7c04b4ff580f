/**
 * The fold over a program of a host: operation by operation it is executed bit for bit and judged.
 *
 * A launch runs when it is issued, on memory as the operations before it have left it. What runs together and conflicts is a race, so in a program without races the order
 * in which such operations are executed does not matter. Three things are judged:
 *
 * | what                                 | by                                                                                     |
 * |--------------------------------------|----------------------------------------------------------------------------------------|
 * | each launch by itself                | `check`, as of a launch file: a verdict                                                |
 * | operations that nothing orders       | what each has touched (`semantics/host`): H1, H2, H3                                    |
 * | lives of memory                      | bounds, use after free, double free, memory of the host in kernels: H4; reads of what nothing has written: H5 |
 *
 * Laws
 * 1. A program of one launch gives the memory, and the verdict, of the launch alone.
 * 2. Operations behind the first that cannot be executed (a fault, a deadlock) are not executed.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse } from '../../failure.js'
import { standardFuel } from '../../semantics/execution/run.js'
import {
  allClauses,
  legacy,
  made as streamMade,
  recorded,
  synchronised,
  waitsFor,
} from '../../semantics/host/index.js'
import { mostHostRegions } from '../../semantics/warps/launched.js'
import type { HostOperation, HostProgram } from './file.js'
import { bytesOf, changed, memory } from './memory.js'
import { ofLife } from './findings.js'
import { type Modules, modulesOf } from './modules.js'
import {
  done,
  type Done,
  emptyHost,
  type Host,
  host,
  type Launching,
  type Performing,
  type Step,
} from './state.js'
import { added, allocation, byHost, issuedNow, waitedFor, whole } from './between.js'
import { named, numberOf, withMemory } from './places.js'
import { comparedWith, readBack, touchedByHost, written } from './copies.js'
import { graphLaunched, inStream } from './streams.js'

export const freed = (h: Host, now: number, o: Extract<HostOperation, { op: 'free' }>): Step =>
  pipe(
    named(h, o.memory),
    E.map((m) => {
      const what = `free of ${m.name}`
      if (m.freed !== null)
        return added(h, [
          ofLife(
            now,
            what,
            o.stream ?? null,
            m.name,
            `${m.name} is freed twice, by operations ${String(m.freed)} and ${String(now)}`,
            `operation ${String(m.freed)} has freed ${m.name} already`,
            `free ${m.name} once`,
          ),
        ])
      const gone = withMemory(h, changed(m, { freed: now }))
      if (o.stream !== undefined)
        return issuedNow(now, done(gone, what, [whole(m, 'w', 'free')]), o.stream, false)
      // memory of the heap is gone at once; what has a driver behind it waits for the device first
      return m.kind === 'pageable'
        ? byHost(gone, now, [whole(m, 'w', 'free')])
        : waitedFor(gone, synchronised(allClauses, gone.order, { _tag: 'device' }))
    }),
  )

const perform = (l: Launching, h: Host, now: number, o: HostOperation): Step => {
  switch (o.op) {
    case 'alloc': {
      if (h.memories.has(o.memory))
        return refuse('host.memory', `operation ${String(now)}: there is a memory '${o.memory}' already`)
      if ((o.kind ?? 'device') !== 'device' && numberOf(h) >= mostHostRegions)
        return refuse(
          'host.memory',
          `operation ${String(now)}: memory that the host sees must be one of the first ${String(mostHostRegions)} allocations`,
        )
      const m = memory(
        o.memory,
        numberOf(h),
        o.kind ?? 'device',
        o.bytes,
        o.zeros === true ? new Uint8Array(o.bytes) : null,
        now,
      )
      const next = withMemory(h, m)
      return E.right(
        o.stream === undefined
          ? next
          : issuedNow(
              now,
              done(next, `allocation of ${m.name}`, [whole(m, 'w', allocation)]),
              o.stream,
              false,
            ),
      )
    }
    case 'free':
      return freed(h, now, o)
    case 'write':
      return written(l, h, now, o)
    case 'read':
      return readBack(l, h, now, o)
    case 'copy':
    case 'fill':
    case 'launch':
    case 'callback': {
      const stream = o.stream ?? legacy
      return E.map((d: Done) => issuedNow(now, d, stream, o.op === 'copy' && o.returns === true))(
        inStream(l, h, now, o, stream, null),
      )
    }
    case 'stream':
      return E.right(host(h, { order: streamMade(h.order, o.stream, o.blocking) }))
    case 'record':
      return E.right(host(h, { order: recorded(allClauses, h.order, o.event, o.stream ?? legacy) }))
    case 'wait':
      return E.right(host(h, { order: waitsFor(allClauses, h.order, o.event, o.stream ?? legacy) }))
    case 'synchronize':
      return E.right(
        waitedFor(
          h,
          synchronised(
            allClauses,
            h.order,
            o.event !== undefined
              ? { _tag: 'event', event: o.event }
              : o.stream !== undefined
                ? { _tag: 'stream', stream: o.stream }
                : { _tag: 'device' },
          ),
        ),
      )
    case 'touch':
      return touchedByHost(l, h, now, o)
    case 'graph':
      return graphLaunched(l, h, now, o)
  }
}

/** What launches expect of their outputs, at the end of the program. */
const comparedAtEnd = (h: Host, now: number): Host =>
  host(h, {
    compared: [
      ...h.compared,
      ...[...h.memories.values()].flatMap(({ name, tensor, freed: gone, holds, bytes }) => {
        if (tensor === null || tensor.expected === null || gone !== null || h.stopped !== null) return []
        const m = h.memories.get(name)!
        return holds.size === bytes
          ? [comparedWith(now, name, bytesOf(m, 0, bytes), tensor.expected.data, tensor.shape)]
          : []
      }),
    ],
  })

/** Nothing of what was printed before. */
const quiet = (h: Host): Host => (h.printed.length === 0 ? h : host(h, { printed: [] }))

/** One operation after another, for a program that is written while it runs; and its modules. */
export const stepping = (
  p: Performing,
  program: Pick<HostProgram, 'module' | 'modules'>,
): { readonly modules: Modules; readonly step: (h: Host, now: number, o: HostOperation) => Step } => {
  const l: Launching = {
    p,
    modules: modulesOf(p.files, p.where, program),
    shapes: new Map(),
    repeats: new Map(),
  }
  return { modules: l.modules, step: (h, now, o) => perform(l, quiet(h), now, o) }
}

export const performed = (p: Performing, program: HostProgram): Step => {
  const { step } = stepping(p, program)
  return pipe(
    program.operations.reduce<Step>(
      (before, o, now) =>
        pipe(
          before,
          E.chain((h) => (h.stopped === null ? step(h, now, o) : E.right(h))),
        ),
      E.right(emptyHost),
    ),
    E.map((h) => comparedAtEnd(h, program.operations.length)),
    E.mapLeft((f) =>
      failure(f.code, f.message.startsWith(`${p.where}: `) ? f.message : `${p.where}: ${f.message}`),
    ),
  )
}

export const usualFuel: number = standardFuel
