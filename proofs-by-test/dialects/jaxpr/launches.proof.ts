/**
 * Launches of kernels that ship with JAX, in settings that nothing here was made for: every bit of what an H100 computed.
 *
 * The documents and the operands are `conformance/jaxpr/launches` (`launches.py` made both); outputs are the chip's, and stand in the archive under their names.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { arrayOf, namesOf } from '../../../src/oracle/tensor-files/npz.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { elementsOfBytes } from './cases.js'
import { asComputed, exported, programOf } from './shipped.js'

const ending = '.jaxpr.json'
const folder = new URL('../../../conformance/jaxpr/launches/', import.meta.url)
const names = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length))
  // those that take long stand first by name
  .reverse()

test('there are thirteen launches, one of them of two kernels', () => {
  expect(names).toHaveLength(14)
})

test.each(sampled(12, names))('%s', (name) => {
  const archive = readFileSync(new URL(`${name}.npz`, folder))
  const captured = right(namesOf(archive))
  const program = programOf(exported('launches', name))
  const { verdict, differ } = asComputed(program, (operand) =>
    captured.includes(operand.name)
      ? elementsOfBytes(operand.dtype, Buffer.from(right(arrayOf(archive)(operand.name)).data))
      : null,
  )
  const outputs = program.params.flatMap((p) => (p._tag === 'tensor' && p.role === 'out' ? [p.name] : []))
  expect([verdict, differ]).toEqual(['ok', Object.fromEntries(outputs.map((output) => [output, 0]))])
})
