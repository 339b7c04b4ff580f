/** Scratch that a module's text allocates. Oracle: what Triton's compiler said of the same modules, in the launches that were captured. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import { scratchOf } from '../../../src/oracle/launch/lowered.js'
import { right } from '../../either.js'

const captures = new URL('../../../conformance/triton/captures/', import.meta.url)
const rows = readdirSync(captures).flatMap((name) => {
  const { extra } = JSON.parse(readFileSync(new URL(`${name}/launch.json`, captures), 'utf8')) as {
    readonly extra?: { readonly global_scratch_size?: number }
  }
  return extra?.global_scratch_size === undefined ? [] : [[name, extra.global_scratch_size] as const]
})

test('there are modules with scratch, and without', () => {
  expect(new Set(rows.map(([, size]) => size))).toEqual(new Set([0, 384, 512]))
})
test.each(rows)('%s: %i bytes', (name, size) => {
  const text = readFileSync(new URL(`${name}/${name}.ttgir`, captures), 'utf8')
  expect(scratchOf(right(readModule(text)))).toBe(size)
})
