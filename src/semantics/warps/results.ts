/**
 * Results of an effect, put into the registers of the lanes that asked.
 *
 * An effect is done outside of the warp, and gives back values: a number, a truth, the words of a tile. Where they go was said when the effect was made ready
 * (`Part.receive`), so that a stand of a warp has no function in it, and can be compared and copied.
 *
 * Law 1. Only the registers that `receive` names are written, in the lanes that it names.
 */
import * as V from '../machine/value.js'
import type { Value } from '../machine/value.js'
import { receive } from './memory.js'
import { maskOf } from './operands.js'
import type { Part } from '../machine/warp-stand.js'
import { ofPredicate } from './program.js'
import * as Origins from './origins.js'
import { lowest, setLane, setLanes, setPredicate, type Rows } from './rows.js'
import * as Shadows from './shadows.js'

export const take = (rows: Rows, how: Part['receive'], results: ReadonlyArray<Value>): void => {
  const [value] = results
  switch (how._tag) {
    case 'nothing':
      return
    case 'number':
      for (let m = how.mask; m !== 0; m &= m - 1)
        setLane(rows, how.to, lowest(m), typeof value === 'number' ? value : 0)
      Shadows.known(rows, [how.to], how.mask)
      Origins.filled(rows, [how.to], how.mask, true)
      return
    case 'truth':
      if (how.to !== null) Shadows.known(rows, [ofPredicate(how.to)], how.mask)
      if (how.tag !== undefined) Shadows.known(rows, [how.tag], how.mask)
      if (typeof value === 'object' && value._tag === 'peek') {
        if (how.to !== null) {
          setPredicate(rows, how.to, how.mask, value.ready ? how.mask : 0, 0)
          Origins.settled(rows, how.to, how.mask)
        }
        for (let m = how.mask; how.tag !== undefined && m !== 0; m &= m - 1)
          setLane(rows, how.tag, lowest(m), value.at)
        return
      }
      if (how.to !== null) {
        setPredicate(
          rows,
          how.to,
          how.mask,
          value === true ? how.mask : 0,
          typeof value === 'boolean' ? 0 : how.mask,
        )
        Origins.settled(rows, how.to, how.mask)
      }
      return
    case 'broadcast': {
      const found = typeof value === 'object' && value._tag === 'tile' ? value : null
      const word = found?.data?.[0] ?? 0
      const isData = found?.plain?.every((x) => x === 1) !== true
      if (how.to !== null) for (const lane of how.lanes) setLane(rows, how.to, lane, word)
      Shadows.known(rows, [how.to], maskOf(how.lanes))
      for (const lane of how.lanes) Origins.filled(rows, [how.to], 1 << lane, isData)
      return
    }
    case 'rows':
      if (typeof value === 'object' && value._tag === 'tile' && value.data !== null)
        how.to.forEach((row, i) => {
          setLanes(rows, row, value.data!, 32 * i)
          if (rows.shadow !== null) Shadows.cameAll(rows, row, value.data!, 32 * i)
        })
      if (typeof value === 'object' && value._tag === 'tile') Origins.receivedRows(rows, how.to, value.origin)
      return
    case 'words':
    case 'bytes':
    case 'fields':
      if (typeof value === 'object' && value._tag === 'tile')
        receive(rows, how, value.data, value.origin, value.plain ?? null)
      else receive(rows, how, null, V.otherOrigin, null)
      if (how._tag === 'words' && how.plain === true) Origins.filled(rows, how.to, maskOf(how.lanes), false)
      return
  }
}
