/**
 * Words in types: tsc reads the text of a table (`rows.ts`, `nodes.ts`).
 *
 *     Words<'smem|regs', '|'>      'smem' | 'regs'
 *     Choice<'= 1 | 2'>            1 | 2
 */

/** The words of `a|b|c`. */
export type Words<T extends string, Between extends string> = T extends `${infer A}${Between}${infer B}`
  ? A | Words<B, Between>
  : T

/** A number where the word is one. */
type Literal<T extends string> = T extends `${infer N extends number}` ? N : T

/** One of these words. */
export type Choice<T> = T extends `= ${infer Of}` ? Literal<Words<Of, ' | '>> : never
