/**
 * Remembered: what is computed of an object, or of an object and a key, once as long as the object lives.
 *
 * Objects are told apart by identity: equal ones are computed each for itself. What is remembered must depend on the object alone.
 *
 * Laws (plain: the function itself)
 * 1. `remembered(f)(x)` is `f(x)`, and `rememberedBy()(x, k, make)` is `make()`, of the first call with this object and key.
 * 2. It is made once for an object and a key.
 */

/** `make`, asked once for each object; it answers something. */
export const remembered = <K extends object, A extends object>(make: (of: K) => A): ((of: K) => A) => {
  const known = new WeakMap<K, A>()
  return (of) => {
    const before = known.get(of)
    if (before !== undefined) return before
    const made = make(of)
    known.set(of, made)
    return made
  }
}

/** What `make` answers, asked once for each object and key. */
export const rememberedBy = <K extends object, L, A extends object>(): ((
  of: K,
  key: L,
  make: () => A,
) => A) => {
  const known = new WeakMap<K, Map<L, A>>()
  return (of, key, make) => {
    let own = known.get(of)
    if (own === undefined) {
      own = new Map()
      known.set(of, own)
    }
    const before = own.get(key)
    if (before !== undefined) return before
    const made = make()
    own.set(key, made)
    return made
  }
}
