/**
 * The greatest and the least of many numbers.
 *
 * `Math.max(...xs)` puts every number on the stack, which ends at some 100,000 of them; so does `list.push(...xs)`. What may be as long as a
 * trace, a tensor or a program is walked instead; a lint rule holds the library to it.
 *
 * Law 1. `greatest(floor)(xs)` is `Math.max(floor, ...xs)`, and `least(ceiling)(xs)` is `Math.min(ceiling, ...xs)`, wherever those have a value.
 */

/** The greatest of the numbers and `floor`, which is the answer where there are none. */
export const greatest =
  (floor: number) =>
  (numbers: Iterable<number>): number => {
    let found = floor
    for (const x of numbers) found = Math.max(found, x)
    return found
  }

/** The least of the numbers and `ceiling`, which is the answer where there are none. */
export const least =
  (ceiling: number) =>
  (numbers: Iterable<number>): number => {
    let found = ceiling
    for (const x of numbers) found = Math.min(found, x)
    return found
  }
