/**
 * Counted: numbers in sentences. A number carries what it counts: `1 state`, `300,000 events`.
 *
 * Law 1. `counted` says the noun in the singular for 1 and for nothing else.
 */

/** `4,752,000` */
export const thousands = (n: number): string =>
  n < 1000 ? String(n) : `${thousands(Math.floor(n / 1000))},${String(n % 1000).padStart(3, '0')}`

/** `1 state`, `325 states` */
export const counted = (n: number, noun: string): string => `${thousands(n)} ${n === 1 ? noun : `${noun}s`}`
