/**
 * Kernels on arrays in registers: every bit of what an H200 computed. Products of warps of eight element types, arrays put side by side, tests of a barrier by a warpgroup.
 *
 * The documents and the operands are `conformance/jaxpr/registers` (`registers.py` made both); outputs are the chip's, and stand in the archive under their names.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bitsOf, isFloat } from '../../../src/numerics/dtype.js'
import { arrayOf, namesOf } from '../../../src/oracle/tensor-files/npz.js'
import { right } from '../../either.js'
import { elementsOfBytes } from './cases.js'
import { asComputed, exported, programOf } from './shipped.js'

const ending = '.jaxpr.json'
const folder = new URL('../../../conformance/jaxpr/registers/', import.meta.url)
const names = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length))

test('there are products of eight types, arrays joined along both axes, and a tested barrier', () => {
  expect(names).toHaveLength(22)
})

test.each(names)('%s', (name) => {
  const archive = readFileSync(new URL(`${name}.npz`, folder))
  const captured = right(namesOf(archive))
  const program = programOf(exported('registers', name))
  const { findings, differ } = asComputed(program, (operand) => {
    if (!captured.includes(operand.name)) return null
    const bytes = Buffer.from(right(arrayOf(archive)(operand.name)).data)
    // four bits come in a byte each
    const narrow = bitsOf(operand.dtype) === 4 && !isFloat(operand.dtype)
    if (!narrow) return elementsOfBytes(operand.dtype, bytes)
    return Float64Array.from(bytes, (x) => (operand.dtype === 'i4' ? (x << 28) >> 28 : x & 15))
  })
  const outputs = program.params.flatMap((p) => (p._tag === 'tensor' && p.role === 'out' ? [p.name] : []))
  expect([findings, differ]).toEqual([[], Object.fromEntries(outputs.map((output) => [output, 0]))])
})
