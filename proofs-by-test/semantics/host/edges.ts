/**
 * The second engine: every operation is three points (begins, waited, ends), the host is a chain of points, and what orders them are edges. Who is over when is reachability
 * in that graph, asked of all pairs. It shares no code with `order.ts`, has no vectors and forgets nothing.
 */
import type { Litmus } from '../../../src/semantics/host/index.js'

interface Op {
  readonly name: string
  readonly stream: string
  readonly begin: number
  readonly waited: number
  readonly end: number
  readonly triggers: boolean
  readonly waits: boolean
  readonly overlaps: Op | null
  readonly accesses: ReadonlyArray<{
    readonly memory: string
    readonly rw: 'r' | 'w'
    readonly atomic: number
    readonly early: boolean
  }>
}

export const racesByEdges = (
  lines: ReadonlyArray<Litmus.Line>,
): ReadonlyArray<{ readonly first: string; readonly second: string; readonly memory: string }> => {
  const edges: number[][] = []
  const point = (...from: ReadonlyArray<number>): number => {
    edges.push([...from])
    return edges.length - 1
  }
  let host = point()
  const ops: Op[] = []
  const inStream = new Map<string, Op[]>()
  const blocks = new Map<string, boolean>([['legacy', true]])
  const held = new Map<string, number[]>()
  const events = new Map<string, number[]>()
  const lastIn = new Map<string, Op | null>()
  const sinceLast = new Map<string, number[]>()
  const of = <T>(m: Map<string, T[]>, k: string): T[] => {
    const known = m.get(k)
    if (known !== undefined) return known
    const made: T[] = []
    m.set(k, made)
    return made
  }
  const seen = (stream: string): void => {
    if (!blocks.has(stream)) blocks.set(stream, true)
  }
  const endsBefore = (stream: string): number[] => {
    seen(stream)
    const own = [...of(inStream, stream).map((o) => o.end), ...of(held, stream)]
    const others =
      stream === 'legacy'
        ? [...blocks].filter(([s, b]) => b && s !== stream).map(([s]) => s)
        : blocks.get(stream) === true
          ? ['legacy']
          : []
    return [...own, ...others.flatMap((s) => [...of(inStream, s).map((o) => o.end), ...of(held, s)])]
  }
  const reach = (from: number, to: number): boolean => {
    // does `to` come after `from`?
    const todo = [to]
    const known = new Set<number>()
    for (let p = todo.pop(); p !== undefined; p = todo.pop()) {
      if (p === from) return true
      if (known.has(p)) continue
      known.add(p)
      todo.push(...edges[p]!)
    }
    return false
  }
  const out: { first: string; second: string; memory: string }[] = []
  const races = (by: string, a: Op['accesses'][number], at: number, behind: Op | null): void => {
    for (const o of ops)
      for (const b of o.accesses) {
        if (a.memory !== b.memory || (a.rw === 'r' && b.rw === 'r')) continue
        if (a.atomic > 0 && a.atomic === b.atomic) continue
        if (reach(o.end, at)) continue
        if (
          behind !== null &&
          a.early &&
          b.rw === 'r' &&
          (o === behind || reach(o.end, behind.end)) &&
          !behind.triggers
        )
          continue
        out.push({ first: o.name, second: by, memory: a.memory })
      }
  }
  const add = (
    launch: {
      name: string
      grid: { dependent: boolean; waits: boolean; triggers: boolean }
      accesses: Op['accesses']
    },
    stream: string,
    before: ReadonlyArray<number>,
    pending: ReadonlyArray<number>,
    over: Op | null,
  ): Op => {
    const overlaps = launch.grid.dependent ? over : null
    const begin = overlaps === null ? point(...before) : point(...pending, overlaps.begin)
    const waited = overlaps !== null && launch.grid.waits ? point(begin, overlaps.end) : point(begin)
    const op: Op = {
      name: launch.name,
      stream,
      begin,
      waited,
      end: point(waited),
      triggers: launch.grid.triggers,
      waits: launch.grid.waits,
      overlaps,
      accesses: launch.accesses,
    }
    for (const a of launch.accesses) races(op.name, a, a.early ? op.begin : op.waited, overlaps)
    ops.push(op)
    return op
  }
  for (const line of lines) {
    switch (line._tag) {
      case 'apart':
        blocks.set(line.stream, false)
        break
      case 'operation': {
        const op = add(
          line.launch,
          line.stream,
          [host, ...endsBefore(line.stream)],
          [host, ...of(sinceLast, line.stream)],
          lastIn.get(line.stream) ?? null,
        )
        of(inStream, line.stream).push(op)
        lastIn.set(line.stream, op)
        sinceLast.set(line.stream, [])
        if (line.returns) host = point(host, op.end)
        break
      }
      case 'graph': {
        const before = [host, ...endsBefore(line.stream)]
        const nodes: Op[] = []
        const earlier = new Map([...events].map(([e, ends]) => [e, [...ends]]))
        for (const n of line.nodes) {
          const only = n.after.length === 1 ? n.after[0]! : null
          const made = add(
            n,
            line.stream,
            [
              ...before,
              ...n.after.map((k) => nodes[k]!.end),
              ...(n.event?.does === 'wait' ? (earlier.get(n.event.name) ?? []) : []),
            ],
            before,
            only === null || line.nodes[only]!.event !== null ? null : nodes[only]!,
          )
          nodes.push(made)
          if (n.event?.does === 'record') events.set(n.event.name, [made.end])
        }
        of(inStream, line.stream).push(...nodes)
        lastIn.set(line.stream, null)
        sinceLast.set(line.stream, [])
        break
      }
      case 'recorded':
        events.set(line.event, endsBefore(line.stream))
        break
      case 'waits':
        seen(line.stream)
        of(held, line.stream).push(...(events.get(line.event) ?? []))
        of(sinceLast, line.stream).push(...(events.get(line.event) ?? []))
        break
      case 'host':
        host = point(
          host,
          ...(line.on === 'device'
            ? [...blocks.keys()].flatMap((s) => [...of(inStream, s).map((o) => o.end), ...of(held, s)])
            : (events.get(line.on) ??
              (lines.some(
                (l) =>
                  (l._tag === 'recorded' && l.event === line.on) ||
                  (l._tag === 'graph' &&
                    l.nodes.some(({ event: e }) => e?.does === 'record' && e.name === line.on)),
              )
                ? []
                : endsBefore(line.on)))),
        )
        break
      case 'touches':
        for (const a of line.accesses) races('host', a, host, null)
        break
    }
  }
  return out
}
