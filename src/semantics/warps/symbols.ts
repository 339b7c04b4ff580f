/**
 * Symbols: which variables of shared memory an address is made from.
 *
 * PTX gives every variable a memory of its own, and says nothing of what lies after it. An assembler lays variables one after the other, so an index that leaves one of them comes to rest in
 * the next: the access is inside shared memory, and outside of the variable that it was made from.
 *
 *     .shared .b8 a[64];  .shared .b8 b[64];
 *     mov.u32 %r1, a;   add.u32 %r2, %r1, %r3;   ld.shared.u32 %r4, [%r2+60]      with %r3 = 4 this is a[64..68), which is no byte of a
 *
 * | a register                                        | is made from                                                  |
 * |---------------------------------------------------|---------------------------------------------------------------|
 * | the address of a variable, or of dynamic memory   | that one                                                      |
 * | the result of what computes                       | all that its operands are made from; a predicate adds nothing |
 * | what memory gives                                 | no variable; any, if the program keeps an address in memory   |
 *
 * An address that is made from several may lie in each of them (`p = odd ? a : b`), and one that is made from none is not asked. What the author divides by hand, as the dynamic
 * part or one large array, is one variable. So is a union. A single byte behind all variables is the dynamic part (below).
 *
 * Laws
 * 1. An address that a program computes from a variable and an index inside it is in the variables that it is made from.
 *
 * Source: PTX ISA, state spaces; variables; addresses as operands.
 */
import { remembered } from '../../remembered.js'
import type { Place, WarpProgram } from './program.js'
import { usesOf } from './uses.js'

/** Bytes of shared memory that have a name of their own; those whose end is null are the dynamic part, and those whose end is infinite are all that follows. */
export interface Bytes {
  readonly name: string
  readonly start: number
  readonly end: number | null
}
const dynamic: Bytes = { name: 'dynamic shared memory', start: 0, end: null }

/**
 * The variable that begins at a byte. A single byte with nothing behind it is no variable but the name of all that follows: so LLVM writes `extern __shared__ char all[]` of a kernel that is
 * the only one to use it (`.shared .align 16 .b8 all;`), and the launch gives the size.
 */
const boundsOf = (shared: ReadonlyArray<Bytes & { readonly end: number }>, at: number): Bytes | undefined => {
  const of = shared.find(({ start, end }) => start === at && end > start)
  const isAName = of !== undefined && of.end === of.start + 1 && shared.every(({ end }) => end <= of.end)
  return of !== undefined && isAName ? { name: of.name, start: of.start, end: Infinity } : of
}

/** Of places that are made from addresses of shared memory, from which; what is not there, or comes from anywhere, is not asked. */
export const variablesIn: (p: WarpProgram) => ReadonlyMap<Place, ReadonlyArray<Bytes>> = remembered(
  ({ code, givens, shared }) => {
    const made = new Map<Place, Set<Bytes>>()
    for (const { row, given } of givens) {
      const of =
        given._tag === 'dynamicAddress'
          ? dynamic
          : given._tag === 'sharedAddress'
            ? boundsOf(shared, given.of)
            : undefined
      if (of !== undefined) made.set(row, new Set([of]))
    }
    // without a variable of its own there is nothing to leave it for
    if ([...made.values()].every((of) => of.has(dynamic))) return new Map()
    let isKept = false
    const anywhere = new Set<Place>()
    for (let grew = true; grew;) {
      grew = false
      for (const { operation: o } of code) {
        const { reads, writes, computes, kept, flight } = usesOf(o)
        if (!computes) {
          if (!isKept && kept.some((place) => made.has(place))) isKept = grew = true
          if (!isKept) continue
          for (const place of flight === null ? writes : [...writes, ...flight.brings])
            if (!anywhere.has(place)) {
              anywhere.add(place)
              grew = true
            }
          continue
        }
        const from = reads.filter((place) => place >= 0)
        const isAnywhere = from.some((place) => anywhere.has(place))
        for (const to of writes) {
          if (to < 0) continue
          if (isAnywhere && !anywhere.has(to)) {
            anywhere.add(to)
            grew = true
          }
          for (const place of from)
            for (const one of made.get(place) ?? []) {
              const there = made.get(to) ?? new Set()
              if (there.has(one)) continue
              made.set(to, there.add(one))
              grew = true
            }
        }
      }
    }
    return new Map(
      [...made].flatMap(([place, some]) => (anywhere.has(place) ? [] : [[place, [...some]] as const])),
    )
  },
)
