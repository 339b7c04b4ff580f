/**
 * Barrier names: how the header of a log writes which barrier of which storage one is.
 *
 *     storage `done` of one barrier            done
 *     storage `full` of four, the third        full[2]
 *     a trace of another tool, two indices     full[2][0]: storage `full`, index `2][0`
 *
 * Barriers of one storage are a *ring*. Rings that belong together have one index for one slot.
 *
 * Laws
 * 1. What is written is read: of any storage without brackets, any count and any index below it.
 * 2. The ring of what is written is its storage, whatever stands after the index.
 */

export interface BarrierName {
  readonly storage: string
  /** the text of the index; empty for a storage of one barrier */
  readonly index: string
}

/** The name of a barrier of a storage that has `count`. */
export const showBarrierName = (storage: string, count: number, index: number): string =>
  count === 1 ? storage : `${storage}[${String(index)}]`

/** Storage and index of a name. */
export const readBarrierName = (name: string): BarrierName => {
  const open = name.indexOf('[')
  return open < 0 || !name.endsWith(']')
    ? { storage: name, index: '' }
    : { storage: name.slice(0, open), index: name.slice(open + 1, -1) }
}

/** The ring of a name, also where more follows the index: `full[0] (init k.cu:9)` is of `full`. */
export const ringOf = (name: string): string => {
  const open = name.indexOf('[')
  return open < 0 ? name : name.slice(0, open)
}
