/**
 * How far sweeps go. By day they are samples of what the night walks whole, and mutants of the sources are held against less still, for there
 * are thousands of them.
 */
export const nightly: boolean = process.env['TCSPEC_NIGHTLY'] !== undefined
export const small: boolean = process.env['TCSPEC_SMALL'] !== undefined

/** By day samples are so many times as sparse as is said where they are drawn: one number for all, which grows with the suite, for that has a bound of time. */
const sparser = 5

/** How many draws a law is tried on, of so many by night: by day one in `sparser` of them. */
export const draws = (byNight: number): number => (nightly ? byNight : Math.ceil(byNight / sparser))

/** Of rows that are all looked at in the same way: by day one in so many (times `sparser`), from the first; by night each of them. */
export const sampled = <A>(every: number, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  nightly ? all : all.filter((_, i) => i % (sparser * every) === 0)
