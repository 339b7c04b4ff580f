/**
 * Damaged documents: parts left out, numbers and words in the place of others. What still decodes is elaborated or refused with a code and one line; nothing
 * is thrown.
 */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { decodeDocument, elaborate } from '../../../src/dialects/jaxpr/index.js'
import { nightly } from '../../extent.js'
import { exported } from './shipped.js'

/** Numbers below 1, the same each time. */
const numbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}

type Node = readonly [holder: Record<string, unknown>, key: string]

const nodesOf = (x: unknown): ReadonlyArray<Node> =>
  typeof x !== 'object' || x === null
    ? []
    : Object.keys(x).flatMap((key): ReadonlyArray<Node> => {
        const holder = x as Record<string, unknown>
        return [[holder, key], ...nodesOf(holder[key])]
      })

const damaged = (document: unknown, random: () => number): unknown => {
  const whole = structuredClone(document) as Record<string, unknown>
  const nodes = [...nodesOf(whole['jaxprs']), ...nodesOf(whole['kernel'])]
  const any = (): Node => nodes[Math.floor(random() * nodes.length)]!
  const [holder, key] = any()
  const [other, its] = any()
  if (random() < 0.3) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else Reflect.deleteProperty(holder, key)
  } else if (typeof holder[key] === 'number')
    holder[key] = [0, 1, -1, 3, 7, 64, 1000][Math.floor(random() * 7)]
  else if (typeof holder[key] !== 'string' || typeof other[its] === 'string')
    holder[key] = structuredClone(other[its])
  return whole
}

test('elaborated, or refused in one line', { timeout: 600_000 }, () => {
  const random = numbers(27)
  const sources = [exported('0.11.2', 'matmul_f16_256x256x256_sms3')]
  let decoded = 0
  for (let i = 0; i < (nightly ? 600 : 12); i++) {
    const document = decodeDocument(damaged(sources[i % sources.length], random))
    if (E.isLeft(document)) continue
    decoded++
    const made = elaborate(document.right)
    if (E.isLeft(made)) {
      expect(made.left.code).toMatch(/^[a-zA-Z][\w.-]*$/)
      expect(made.left.message).not.toContain('\n')
    }
  }
  expect(decoded).toBeGreaterThan(2)
})
