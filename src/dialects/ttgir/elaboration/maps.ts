/** What pointers to tensor maps are taken as, further on in the text: by the name of the pointer. */
import type { Operation, Type } from '../text/syntax.js'

export const mapsOf = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, Type> =>
  new Map(
    operations
      .filter((op) => op.name === 'ttng.reinterpret_tensor_descriptor')
      .map((op) => [op.operands['rawDesc']?.[0]?.name ?? '', op.results[0]!] as const),
  )
