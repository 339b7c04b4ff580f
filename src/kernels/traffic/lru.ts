/**
 * A cache that forgets what was used longest ago.
 *
 * Blocks of memory have names and sizes. A block that is asked for and held is a hit; one that is not is fetched, and then the blocks that were
 * used longest ago leave until what is held fits. A block larger than the cache passes through and leaves nothing behind.
 *
 *     3 bytes   asked for    x:1   y:1   z:1   x:1   w:1   y:1
 *               held, newest x     yx    zyx   xzy   wxz   ywx
 *                            miss  miss  miss  hit   miss  miss      5 misses, 5 bytes
 *
 * Laws
 * 1. A block hits exactly when the blocks asked for since it was last asked for, each once and itself included, fit (stack distances).
 * 2. A larger cache never misses where a smaller one hits.
 * 3. A cache that holds everything misses each block once.
 *
 * @fidelity model: the L2 of a chip has sets, slices, sectors and a policy that is not documented, and holds outputs too.
 *
 * Source: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies" (1970), stack algorithms.
 */

export interface Request {
  /** the block: equal numbers are one block, of one size */
  readonly block: number
  readonly bytes: number
}

export interface Traffic {
  readonly hits: number
  readonly misses: number
  readonly hitBytes: number
  /** fetched from memory */
  readonly missBytes: number
}

/** What comes of requests, in their order, for a cache that is empty at first. */
export const lru = (capacity: number, requests: Iterable<Request>): Traffic => {
  // a Map lists its keys in the order in which they were set: the oldest first
  const held = new Map<number, number>()
  let [used, hits, misses, hitBytes, missBytes] = [0, 0, 0, 0, 0]
  for (const { block, bytes } of requests) {
    if (held.delete(block)) {
      hits++
      hitBytes += bytes
    } else {
      misses++
      missBytes += bytes
      used += bytes
    }
    held.set(block, bytes)
    for (const [oldest, size] of held) {
      if (used <= capacity) break
      held.delete(oldest)
      used -= size
    }
  }
  return { hits, misses, hitBytes, missBytes }
}
