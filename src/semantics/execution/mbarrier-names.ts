/**
 * What an mbarrier in shared memory is called: by the variable that it lies in, and the line that initialised it first; one that lies in none, by its byte.
 *
 *     .shared .b64 full[3];                          16 bytes into it       full[2] (init k.cu:26)
 *     .shared .b8 full[16];                          8 bytes into it        full[1] (init k.cu:26), if all of it is mbarriers
 *     .shared .b8 state[72];                         8 bytes into it        state+8 (init k.cu:26)
 *     dynamic shared memory                          at byte 1,032          mbarrier at 1032 (init k.cu:26)
 *
 * Laws
 * 1. Two mbarriers of a CTA are not called alike.
 */
import type { SharedVariable } from '../warps/program.js'

const width = 8

/** `[1][2]` of the element of this number. */
const indexText = (extents: ReadonlyArray<number>, element: number): string =>
  extents.reduceRight<{ readonly rest: number; readonly text: string }>(
    ({ rest, text }, extent) => ({
      rest: Math.floor(rest / extent),
      text: `[${String(rest % extent)}]${text}`,
    }),
    { rest: element, text: '' },
  ).text

const placeIn = (v: SharedVariable, at: number, all: ReadonlySet<number>): string => {
  const offset = at - v.start
  if (v.end - v.start === width) return v.name
  const words = (v.end - v.start) / width
  if (offset % width === 0 && Number.isInteger(words)) {
    if (v.elementBytes === width) return `${v.name}${indexText(v.extents, offset / width)}`
    const whole = Array.from({ length: words }, (_, k) => v.start + width * k).every((byte) => all.has(byte))
    if (whole) return `${v.name}[${String(offset / width)}]`
  }
  return offset === 0 ? v.name : `${v.name}+${String(offset)}`
}

/** By the byte of shared memory of each. */
export const mbarrierNames = (
  variables: ReadonlyArray<SharedVariable>,
  bytes: ReadonlyArray<number>,
): ReadonlyMap<number, string> => {
  const all = new Set(bytes)
  const placed = bytes.map((at): readonly [number, string | null] => {
    const v = variables.find(({ start, end }) => start <= at && at < end)
    return [at, v === undefined ? null : placeIn(v, at, all)]
  })
  const times = new Map<string, number>()
  for (const [, name] of placed) if (name !== null) times.set(name, (times.get(name) ?? 0) + 1)
  return new Map(
    placed.map(([at, name]) => [
      at,
      name === null ? `mbarrier at ${String(at)}` : times.get(name) === 1 ? name : `${name} at ${String(at)}`,
    ]),
  )
}
