/**
 * Where an agent of a core program stands, as a text: its control, and the values of its frame.
 *
 * | part     | in the text                              | left out, and why                                          |
 * |----------|------------------------------------------|------------------------------------------------------------|
 * | region   | its number, the statement in it          | -                                                          |
 * | loop     | index, bound, step                       | the iteration: it is in the index; the turns of a `while`: in the frame, if anywhere |
 * | branch   | the frame that comes back                | -                                                          |
 * | value    | its kind and what it is                  | tiles without data, and which fault: they decide nothing   |
 */
import { unreachable } from '../../failure.js'
import type { Front } from '../machine/front.js'
import type { Control } from '../machine/stand.js'
import type { Value } from '../machine/value.js'
import type { World } from '../machine/world.js'

const ofValue = (v: Value | undefined): string => {
  if (v === undefined) return '?'
  if (typeof v !== 'object') return `${typeof v} ${String(v)}`
  switch (v._tag) {
    case 'float':
      return `f ${String(v.x)}`
    case 'ptr':
      return `p ${String(v.plane)} ${String(v.address)}`
    case 'view':
      return `v ${String(v.plane)} ${String(v.base)} ${JSON.stringify(v.layout)}`
    case 'barrier':
      return `b ${String(v.first)} ${v.shape.join()}`
    case 'descriptor':
      return `d ${v.name} ${String(v.base)}`
    case 'tile':
      return v.data === null ? 't' : `t ${String(v.plane)} ${v.data.join()}`
    case 'peek':
      return `k ${String(v.ready)} ${String(v.at)}`
    case 'token':
    case 'fault':
      return v._tag
  }
}

const ofControl = (c: Control | null, numberOf: (region: object) => number): string => {
  const out: string[] = []
  for (let at = c; at !== null; at = at.next) {
    const { after } = at
    const turn =
      after._tag === 'for'
        ? `${String(after.index)} ${String(after.to)} ${String(after.step)}`
        : after._tag === 'branch'
          ? after.frame.map(ofValue).join(';')
          : after._tag
    out.push(`${String(numberOf(at.region))}.${String(at.pc)} ${turn}`)
  }
  return out.join('/')
}

export const where: Front<World>['where'] = (stand, _, numberOf) =>
  stand._tag === 'core'
    ? `${ofControl(stand.control, numberOf)}|${stand.frame.map(ofValue).join(';')}`
    : unreachable('a warp is no core program')
