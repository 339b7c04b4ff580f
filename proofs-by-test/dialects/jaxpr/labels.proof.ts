/** Which equations a text means, and of which equation a statement is: a table by hand. */
import { describe, expect, it } from 'vitest'
import { meantBy, ownerOf, type Labelled } from '../../../src/dialects/jaxpr/index.js'

const equation = (
  label: string,
  op: string,
  place: string | null,
  ...callers: ReadonlyArray<string>
): Labelled => ({
  eqn: { op },
  label,
  place,
  places: [...(place === null ? [] : [place]), ...callers],
})
const all = [
  equation('mul 31', 'mul', 'k.py:31'),
  equation('add 31', 'add', 'k.py:31', 'main.py:7'),
  equation('add 131', 'add', 'k.py:131', 'main.py:7'),
  equation('add 31.2', 'add', 'other.py:31'),
  equation('iota', 'iota', null),
]
const labelled = new Map(all.map((one) => [one.label, one]))

describe('a text', () => {
  it.each<readonly [text: string, labels: ReadonlyArray<string>]>([
    ['add 31', ['add 31']],
    ['add 31.2', ['add 31.2']],
    ['iota', ['iota']],
    ['k.py:31', ['mul 31', 'add 31']],
    ['src/k.py:31', ['mul 31', 'add 31']],
    [String.raw`C:\src\k.py:131`, ['add 131']],
    // a line of no equation of its own is that of a call
    ['main.py:7', ['add 31', 'add 131']],
    ['main.py:8', []],
    ['31', ['mul 31', 'add 31', 'add 31.2']],
    ['131', ['add 131']],
    ['1', []],
    ['add', ['add 31', 'add 131', 'add 31.2']],
    ['mul', ['mul 31']],
    ['add 131 ', []],
    ['mul  31', ['mul 31']],
    ['iota 31', []],
    ['sub', []],
  ])('%s', (text, labels) => {
    expect(meantBy(labelled)(text).map(({ label }) => label)).toEqual(labels)
  })
})

describe('a statement', () => {
  it.each([
    ['add 31', 'add 31'],
    ['add 31.sum', 'add 31'],
    ['add 31.sum.2', 'add 31'],
    // the longest that there is
    ['add 31.2.sum', 'add 31.2'],
    ['add 3', null],
    ['sub.add 31', null],
    ['', null],
  ])('%s is of %s', (statement, label) => {
    expect(ownerOf(labelled)(statement)?.label ?? null).toBe(label)
  })
})
