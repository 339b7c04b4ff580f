/**
 * Agents in a sentence: warps of one CTA are named together.
 *
 *     warp 0@0, warp 1@0, warp 2@0, warp 5@0        warps 0, 1, 2 and 5 of CTA 0
 *     warp 0@0, warp 1@0, warp 2@0                  warps 0 to 2 of CTA 0
 *     producer@0, warp 3@1                          producer@0, warp 3@1
 *
 * Laws
 * 1. Every name that is listed is said once, in its own words or as a number among the warps of its CTA.
 * 2. A name that stands alone in its CTA is said as it is.
 */

/** Names that are listed before the rest is counted. */
const mostNamed = 8

/** `0 to 3`, `0, 2 and 3` */
export const numbersText = (numbers: ReadonlyArray<number>): string => {
  const isRun = numbers.length > 2 && numbers.every((n, i) => n === numbers[0]! + i)
  return isRun
    ? `${String(numbers[0])} to ${String(numbers.at(-1))}`
    : `${numbers.slice(0, -1).join(', ')} and ${String(numbers.at(-1))}`
}

/** Agents, in the order in which their CTAs come. */
export const agentsText = (names: ReadonlyArray<string>): string => {
  const groups = new Map<string, { readonly name: string; readonly number: number }[]>()
  for (const name of new Set(names)) {
    const [, number, cta] = /^warp (\d+)@(.+)$/u.exec(name) ?? []
    const key = cta === undefined ? name : `CTA ${cta}`
    const group = groups.get(key) ?? []
    group.push({ name, number: Number(number ?? 0) })
    groups.set(key, group)
  }
  const said = [...groups].map(([key, group]) =>
    group.length === 1
      ? group[0]!.name
      : `warps ${numbersText(group.map(({ number }) => number).sort((a, b) => a - b))} of ${key}`,
  )
  return said.length <= mostNamed
    ? said.join(', ')
    : `${said.slice(0, mostNamed).join(', ')} and ${String(said.length - mostNamed)} more`
}
