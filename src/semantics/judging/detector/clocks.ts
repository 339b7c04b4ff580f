/**
 * The clocks of one agent, and where they lie in a vector (`knowledge.ts` says what they count).
 *
 * Law 1. Two clocks of one vector have two numbers, but for those whose meaning depends on the vector.
 */

export const clocks = {
  program: 0,
  bulkRead: 1,
  bulkFull: 2,
  wgmma: 3,
  cpAsync: 4,
  queue: 5,
  tensorLoad: 6,
  tensorStore: 7,
  loadedRegisters: 8,
  fencedGlobal: 9,
  fencedRegisters: 10,
  attended: 11,
  fencedAfar: 11,
  initialisations: 5,
} as const
export type ClockName = keyof typeof clocks
export const width = 12
