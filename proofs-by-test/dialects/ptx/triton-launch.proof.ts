/** Launch files of Triton's captures fit the entries of the PTX beside them: the parameters of each, with a body that does nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'

const captures = new URL('../../../conformance/triton/captures/', import.meta.url)
const names = readdirSync(captures).filter((name) =>
  readdirSync(new URL(name, captures)).includes(`${name}.ptx`),
)

/** The text up to its body, and a body that ends at once. */
const without = (text: string): string => `${text.slice(0, text.indexOf('{\n'))}{ ret; }\n`

describe('launch files of captures', () => {
  it('are 21', () => {
    expect(names.length).toBe(21)
  })
  it.each(names)('%s', (name) => {
    const folder = new URL(`${name}/`, captures)
    const files = new Map(
      readdirSync(folder).map((file) => [file, new Uint8Array(readFileSync(new URL(file, folder)))] as const),
    )
    const text = new TextDecoder().decode(files.get(`${name}.ptx`))
    files.set('k.ptx', new TextEncoder().encode(without(text)))
    const { arguments: given, outputs } = right(launchedPtx(inMemory(files))('k.ptx', 'launch.json'))
    right(
      launchWarps(
        right(launchedPtx(inMemory(files))('k.ptx', 'launch.json')).elaborated.program,
        given,
        bits('hopper'),
      ),
    )
    const said = JSON.parse(new TextDecoder().decode(files.get('launch.json'))) as {
      args: unknown[]
      outputs: string[]
    }
    expect([...outputs.keys()]).toEqual(said.outputs)
    expect(given.maps?.length).toBe(
      said.args.filter((a) => (a as { kind?: string }).kind === 'tensordesc').length,
    )
  })
})
