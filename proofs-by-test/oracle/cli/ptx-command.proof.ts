/** `tcspec ptx`: what is in a module, and one line of what is wrong with it. */
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { silent, type World } from '../../../src/oracle/cli/command.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'

const world = (files: World['files']): World => ({
  files,
  version: '0.0.0',
  colours: false,
  clock: () => 0,
  conformance: null,
  progress: () => silent,
})
const ring = fileURLToPath(new URL('../../../conformance/cuda/own_ring.ptx', import.meta.url))

it('says what is in it', async () => {
  const said = await tcspec(commands, world(onDisk))(['ptx', ring])()
  expect(said.status).toBe(0)
  expect(said.stdout).toMatch(/^target +sm_90a, PTX 9\.0$/m)
  expect(said.stdout).toMatch(/^ +unsupported +none$/m)
  expect(said.stdout).toMatch(/^ +spins +\d+: lines \d+/m)
  const json = await tcspec(commands, world(onDisk))(['ptx', ring, '--json'])()
  expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'tcspec.ptx/1', target: 'sm_90a' })
})

it('of a module with an error one line: the file, the line and the column', async () => {
  const text = '.version 8.7\n.target sm_90a\n.address_size 64\n.entry k() {\n  ret\n}\n'
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-ptx-'))
  fs.writeFileSync(path.join(folder, 'k.ptx'), text)
  const said = await tcspec(commands, world(onDisk))(['ptx', path.join(folder, 'k.ptx')])()
  fs.rmSync(folder, { recursive: true })
  expect([said.status, said.stdout]).toEqual([2, ''])
  expect(said.stderr.trim().split('\n')).toHaveLength(1)
  expect(said.stderr).toContain("k.ptx:6:1: expected an operand, found '}'")
})
