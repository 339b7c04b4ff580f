/**
 * What may have been meant: the names that are nearest to one that is unknown.
 *
 * The distance of two names is the number of letters to write, leave out, replace or swap with the next that leads from one to the other,
 * and a name that begins with what was written is half a letter away: `hopper` is nearer to `hopper-matmul-ws` than to any name of its length.
 *
 *     nearest(3, ['check', 'compare', 'cute', 'run'])('chekc')      ['check', 'cute', 'run']
 *
 * Laws
 *  1. a name that is known is nearest to itself
 *  2. there are as many as asked for, or all of them; at equal distance in the order of the list
 *  3. what it costs is bounded: of a long name the first letters count
 *  4. `near` gives a name only if at most a third of the letters differ: another word is no misspelling
 */

/** Letters of a name that count. */
const most = 48

const distance = (a: string, b: string): number => {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          above[j]! + 1,
          row[j - 1]! + 1,
          above[j - 1]! + (same ? 0 : 1),
          swapped ? before[j - 2]! + 1 : Infinity,
        ),
      )
    }
    before = above
    above = row
  }
  return above[b.length]!
}

/** How far a candidate is from what was written. */
const away = (name: string): ((candidate: string) => number) => {
  const written = name.slice(0, most).toLowerCase()
  return (candidate) => {
    const short = candidate.slice(0, most).toLowerCase()
    const begun = written !== '' && short !== written && short.startsWith(written)
    return begun ? 0.5 : distance(written, short)
  }
}

/** The `count` names of `known` that are nearest to `name`, the nearest first. */
export const nearest =
  (count: number, known: ReadonlyArray<string>) =>
  (name: string): ReadonlyArray<string> => {
    const from = away(name)
    return known
      .map((candidate): readonly [number, string] => [from(candidate), candidate])
      .sort(([a], [b]) => a - b)
      .slice(0, count)
      .map(([, candidate]) => candidate)
  }

/** The name of `known` that was misspelt; null where none is as near as a misspelling. */
export const near =
  (known: ReadonlyArray<string>) =>
  (name: string): string | null => {
    const [first] = nearest(1, known)(name)
    return first !== undefined && away(name)(first) <= Math.floor((Math.min(name.length, most) + 1) / 3)
      ? first
      : null
  }

/** `did you mean check, cute or run?` */
export const didYouMean =
  (known: ReadonlyArray<string>) =>
  (name: string): string => {
    const near = nearest(3, known)(name)
    const last = near.at(-1) ?? ''
    return near.length < 2
      ? `did you mean ${last}?`
      : `did you mean ${near.slice(0, -1).join(', ')} or ${last}?`
  }

/** `; did you mean check?`, to end a message with; nothing where no name is near, or this one was written. */
export const meant =
  (known: ReadonlyArray<string>) =>
  (name: string): string => {
    const word = near(known)(name)
    return word === null || word === name ? '' : `; did you mean ${word}?`
  }
