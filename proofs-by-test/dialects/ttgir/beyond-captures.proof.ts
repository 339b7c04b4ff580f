/**
 * Launches of `conformance/triton/beyond.py` on an H100 (`beyond.py OUT --run`), where they are there. Oracle: what the chip left in every output, bit for bit.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launched } from '../../../src/oracle/launch/launched.js'
import { onDisk } from '../../../src/oracle/tensor-files/files.js'
import { decodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

const directory = fileURLToPath(new URL('../../../conformance/triton/beyond/captures/', import.meta.url))
const all = existsSync(directory) ? readdirSync(directory).sort() : []
/** By day the quick ones. */
const looked = nightly ? all : all.filter((name) => /^(arg_rows|scan_vector|softmax|layer_norm)$/.test(name))

/** Elements of a file as the machine holds them: integers as numbers, floats as patterns. */
const elements = (file: string): ReadonlyArray<number> => {
  const { descr, data } = right(decodeNpy(readFileSync(file)))
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const size = Number(descr.slice(1))
  return Array.from({ length: data.byteLength / size }, (_, k) => {
    const at = k * size
    if (descr.startsWith('i')) return size === 4 ? view.getInt32(at, true) : view.getInt8(at)
    return size === 4 ? view.getUint32(at, true) : size === 2 ? view.getUint16(at, true) : view.getUint8(at)
  })
}

it.each(looked)('%s computes what the chip computed', (name) => {
  const file = `${directory}${name}/launch.json`
  const { outputs } = JSON.parse(readFileSync(file, 'utf8')) as { readonly outputs: ReadonlyArray<string> }
  const found = right(launched(onDisk)(`${directory}${name}/${name}.ttgir`, { launch: file }))
  const tensors = new Map(
    [...found.inputs].map(
      ([
        tensor,
        {
          tensor: { bits: of },
        },
      ]) => [tensor, Float64Array.from({ length: of.length }, (_, k) => Number(of[k]))],
    ),
  )
  const given = { scalars: new Map(), tensors }
  const { world, machine } = right(launch(found.program, bits('hopper', 'triton'), given))
  const ran = run(world, machine, settings(eager), collect)
  expect(ran.outcome).toEqual({ _tag: 'completed' })
  for (const output of outputs) {
    const computed = readTensor(world, ran.machine, output)!
    const expected = elements(`${directory}${name}/${output}.npy`)
    expect(computed.length).toBe(expected.length)
    expect([output, Array.from(computed).filter((x, k) => x !== expected[k]).length]).toEqual([output, 0])
  }
})
it('are of kernels whose texts are there', () => {
  const texts = new Set(readdirSync(new URL('..', `file://${directory}`)))
  expect(all.filter((name) => !texts.has(`${name}.ttgir`))).toEqual([])
})
