/** Levels: forms that a compiler takes a kernel through, in which it can be judged, from the coarser to the finer (`verdict/levels.ts`). */

export const levels = [
  { name: 'jaxpr', title: 'jaxpr' },
  { name: 'ttgir', title: 'TTGIR' },
  { name: 'ptx', title: 'PTX' },
] as const

export type LevelName = (typeof levels)[number]['name']

/** Its place in that order. */
export const rankOf = (name: LevelName): number => levels.findIndex((l) => l.name === name)

/** As a reader knows it. */
export const levelTitle = (name: LevelName): string => levels[rankOf(name)]!.title
