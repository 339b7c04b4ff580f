/**
 * The words of a schedule, as a player changes them: a policy, and detours from it.
 *
 *     eager 12=1:4/write.0 30=0:7        eager, but step 12 is 1:4/write.0, and step 30 is 0:7
 *
 * Laws
 *  1. a detour at a step takes the place of those at that step and after it: what came after was chosen of a run that is not made any more
 *  2. `policyOf(detoured(s, i, key))` is `policyOf(s)`, of a schedule that is a policy with detours
 *  3. a schedule that is event keys alone says the same as eager with a detour at each of them
 */

const isDetour = (word: string): boolean => /^\d+=/.test(word)
const stepOf = (word: string): number => Number(word.slice(0, word.indexOf('=')))

/** The words; those of event keys as detours. */
const wordsOf = (schedule: string): ReadonlyArray<string> => {
  const words = schedule.split(/\s+/).filter((w) => w !== '')
  return words.length > 0 && words.every((w) => /^\d+:/.test(w))
    ? ['eager', ...words.map((key, i) => `${String(i)}=${key}`)]
    : words
}

export const policyOf = (schedule: string): string =>
  wordsOf(schedule)
    .filter((w) => !isDetour(w))
    .join(' ')

export const detoursOf = (schedule: string): ReadonlyArray<string> => wordsOf(schedule).filter(isDetour)

export const detoured = (schedule: string, step: number, key: string): string =>
  [
    policyOf(schedule) || 'eager',
    ...detoursOf(schedule).filter((w) => stepOf(w) < step),
    `${String(step)}=${key}`,
  ].join(' ')
