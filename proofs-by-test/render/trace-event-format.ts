/**
 * The rules of the trace-event format, as far as a viewer relies on them, written from its description alone: what is wrong with a
 * document, or nothing.
 *
 * Source: Trace Event Format (Chromium project), sections on the JSON object format, complete, flow and metadata events.
 */

type Fields = Readonly<Record<string, unknown>>
const isFields = (u: unknown): u is Fields => typeof u === 'object' && u !== null && !Array.isArray(u)

interface Slice {
  readonly from: number
  readonly to: number
}

/** The first rule that a document breaks, in words; null if it breaks none. */
export const brokenRule = (document: unknown): string | null => {
  if (!isFields(document) || !Array.isArray(document['traceEvents'])) return 'no traceEvents'
  const events: ReadonlyArray<unknown> = document['traceEvents']
  const tracks = new Map<string, Slice[]>()
  const flows = new Map<string, { readonly phase: string; readonly at: number; readonly track: string }[]>()
  const processes = new Set<unknown>()
  const threads = new Set<string>()
  let now = -Infinity
  for (const [k, e] of events.entries()) {
    const bad = (why: string): string => `event ${String(k)}: ${why}`
    if (!isFields(e)) return bad('not a record')
    const { ph, name, pid, tid, ts } = e
    if (typeof name !== 'string' || name === '') return bad('no name')
    if (!Number.isInteger(pid) || !Number.isInteger(tid)) return bad('no process or thread')
    const track = `${String(pid)}/${String(tid)}`
    if (ph === 'M') {
      const args = e['args']
      if (!isFields(args)) return bad('no args')
      if (name === 'process_name' || name === 'thread_name') {
        if (typeof args['name'] !== 'string' || args['name'] === '') return bad('an empty name')
        if (name === 'process_name' ? processes.has(pid) : threads.has(track)) return bad('named twice')
        if (name === 'process_name') processes.add(pid)
        else threads.add(track)
      } else if (!name.endsWith('_sort_index') || typeof args['sort_index'] !== 'number')
        return bad('unknown metadata')
      continue
    }
    if (typeof ts !== 'number' || !(ts >= 0)) return bad('no time')
    if (ts < now) return bad('goes back in time')
    now = ts
    if (ph === 'X') {
      const dur = e['dur']
      if (typeof dur !== 'number' || !(dur > 0)) return bad('no duration')
      const slices = tracks.get(track) ?? []
      slices.push({ from: ts, to: ts + dur })
      tracks.set(track, slices)
    } else if (ph === 's' || ph === 't' || ph === 'f') {
      if (!Number.isInteger(e['id'])) return bad('a flow without id')
      if (ph === 'f' && e['bp'] !== 'e') return bad('ends at the next slice, not at the enclosing one')
      const key = `${String(e['cat'])} ${name} ${String(e['id'])}`
      const points = flows.get(key) ?? []
      points.push({ phase: ph, at: ts, track })
      flows.set(key, points)
    } else return bad(`phase ${String(ph)}`)
  }
  for (const [track, slices] of tracks) {
    if (!threads.has(track) || !processes.has(Number(track.split('/')[0]))) return `${track} has no name`
    // laminar: an open slice contains every later one that begins in it
    const open: Slice[] = []
    for (const s of slices) {
      while (open.length > 0 && open[open.length - 1]!.to <= s.from) open.pop()
      const around = open[open.length - 1]
      if (around !== undefined && s.to > around.to) return `${track}: slices cross at ${String(s.from)}`
      open.push(s)
    }
  }
  for (const [key, points] of flows) {
    const phases = points.map((p) => p.phase).join('')
    if (!/^st*f$/.test(phases)) return `flow ${key}: ${phases}`
    for (const p of points)
      if (!(tracks.get(p.track) ?? []).some((s) => s.from <= p.at && p.at < s.to))
        return `flow ${key}: no slice of ${p.track} at ${String(p.at)}`
  }
  return null
}
