/**
 * `ttg.warp_specialize`: partitions of warps of their own. Those beside the default one see nothing from around them but what is handed to them.
 *
 * Source: Triton 3.6, dialect ttg.
 */
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { Steps } from '../../../semantics/writing/builder.js'
import * as T from '../../ttng/index.js'
import { inFlightIn } from './flight.js'
import { valueOf, type Here, type Row, type Rows } from './here.js'
import { named, untyped, usedFromOutside, type Named } from './regions.js'

const warpSpecialize: Row = function* (h, op, label) {
  const [own, ...partitions] = op.regions
  const captures = op.operands['explicitCaptures'] ?? []
  const values: Expr[] = []
  for (const value of captures) values.push(yield* valueOf(h, op, value))
  const arguments_ = captures.map((_, k) => `capture.${String(k)}`)
  const names = op.results.map((_, k) => `${label}.${String(k)}`)
  const used = usedFromOutside(own)
  const outside = [...h.values].flatMap(([name, list]) =>
    used.has(name) ? list.map((value, k) => [`${name}#${String(k)}`, value] as const) : [],
  )
  const results = checked<Named, unknown>(
    yield* T.warpSpecialize(label, h.module, {
      operands: untyped(named(arguments_, values)),
      default: {
        captures: untyped(Object.fromEntries(outside)),
        body: function* (captured: Named, from: T.Issuer): Steps<never> {
          const here: Here = { ...h, from, values: new Map(h.values), products: new Map(), resets: new Map() }
          for (const [name, list] of h.values)
            if (used.has(name))
              here.values.set(
                name,
                list.map((_, k) => captured[`${name}#${String(k)}`]!),
              )
          return untyped(named(names, yield* h.run(here, own)))
        },
      },
      partitions: partitions.map(
        (region) =>
          function* (args: Named, from: T.Issuer): Steps<void> {
            const here: Here = {
              ...h,
              from,
              values: new Map(),
              constants: new Map(),
              acquired: new Map(),
              products: new Map(),
              resets: new Map(),
              flying: inFlightIn(region),
            }
            region.blocks[0]?.parameters.forEach((p, k) => {
              here.values.set(p.name, [args[arguments_[k]!]!])
            })
            yield* h.run(here, region)
          },
      ),
    }),
  )
  return names.map((name) => results[name]!)
}

export const warpSpecializeRows: Rows = { 'ttg.warp_specialize': warpSpecialize }
