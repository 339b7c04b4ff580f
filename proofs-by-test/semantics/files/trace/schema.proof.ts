/** The JSON Schema of traces: real lines satisfy it, broken ones do not, and what it refuses the reader refuses. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { edited, edits } from '../../../../src/arbitraries/json.js'
import { jsonSchemas, schemaText } from '../../../../src/semantics/files/json-schema.js'
import { decodeTrace } from '../../../../src/semantics/files/trace/index.js'
import type { Json } from '../../../../src/wire.js'
import { catalogue, random, written } from './written.js'
import { nightly } from '../../../extent.js'

const accepts = new Ajv2020({ strict: true, strictTypes: false }).compile(
  JSON.parse(schemaText(jsonSchemas['trace.schema.json']!)) as object,
)
const json = (line: string): Json => JSON.parse(line) as Json

const traces = [...catalogue().map(([, p]) => p), ...[1, 2, 3, 4, 5, 6, 7, 8].map(random)].map(
  (program) => written(program).lines,
)

describe('the schema of a line', () => {
  test('accepts every line of the traces of kernels and of random programs; every kind of event is among them', () => {
    const seen = new Set<unknown>()
    for (const lines of traces)
      for (const line of new Set(lines)) {
        const u = json(line)
        if (typeof u === 'object' && u !== null && '_tag' in u) seen.add(u['_tag'])
        if (!accepts(u)) expect.fail(`${line}: ${JSON.stringify(accepts.errors?.[0])}`)
      }
    for (const tag of ['access', 'issue', 'perform', 'signal', 'barrier', 'wait', 'group', 'fence', 'exit'])
      expect(seen).toContain(tag)
  })

  test('demands the place of an event, and knows its fields', () => {
    const event = { i: 3, _tag: 'exit', agent: 0 }
    expect(accepts(event)).toBe(true)
    for (const broken of [
      { _tag: 'exit', agent: 0 },
      { ...event, i: -1 },
      { ...event, colour: 'red' },
      { ...event, _tag: 'exits' },
      { ...event, agent: 'w' },
      [],
      7,
    ])
      expect(accepts(broken)).toBe(false)
  })

  test('what it refuses, the reader refuses', () => {
    const [header, ...events] = traces[0]!
    let refused = 0
    fc.assert(
      fc.property(fc.nat(60), edits({ maxEdits: 1 }), (k, some) => {
        const line = some.reduce(edited, json(events[k]!))
        if (accepts(line)) return
        refused++
        expect(E.isLeft(decodeTrace([header!, ...events.slice(0, k), JSON.stringify(line)]))).toBe(true)
      }),
      { seed: 5, numRuns: nightly ? 400 : 80 },
    )
    expect(refused).toBeGreaterThan(nightly ? 100 : 10)
  })
})
