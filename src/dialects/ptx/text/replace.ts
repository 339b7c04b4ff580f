/**
 * A module with other statements in the place of some: what a change of a text is, before it is printed or elaborated.
 *
 *     bar.sync 0      instead: nothing                  a barrier that is left out
 *     bar.sync 0      instead: bar.sync 0, bar.sync 0   a barrier twice
 *
 * Statements are named by themselves, as the parser made them; what stands inside a scope is found there.
 *
 * Laws
 * 1. Without a replacement the module is the one that was given.
 */
import type { Item, Module, Statement } from './module.js'

/** Statements by what stands in their place. */
export type Instead = ReadonlyMap<Statement, ReadonlyArray<Statement>>

const inBody = (body: ReadonlyArray<Statement>, instead: Instead): ReadonlyArray<Statement> =>
  body.flatMap((s): ReadonlyArray<Statement> => {
    const by = instead.get(s)
    if (by !== undefined) return by
    return s._tag === 'scope' ? [{ _tag: 'scope', at: s.at, body: inBody(s.body, instead) }] : [s]
  })

const inItem = (item: Item, instead: Instead): Item =>
  item._tag !== 'function' || item.body === null
    ? item
    : {
        _tag: 'function',
        at: item.at,
        kind: item.kind,
        linkage: item.linkage,
        attribute: item.attribute,
        name: item.name,
        results: item.results,
        parameters: item.parameters,
        directives: item.directives,
        body: inBody(item.body, instead),
      }

export const withInstead = (m: Module, instead: Instead): Module =>
  instead.size === 0
    ? m
    : {
        comments: m.comments,
        version: m.version,
        targets: m.targets,
        addressSize: m.addressSize,
        items: m.items.map((item) => inItem(item, instead)),
      }
