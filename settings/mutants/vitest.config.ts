/**
 * The proofs that all mutants of one room are held against, as `rooms.json` names them: with small sweeps, in one thread, which shares what they
 * import. `tools/mutants.mjs` says which room (TCSPEC_ROOM).
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

interface Proofs {
  readonly proofs: ReadonlyArray<string>
  readonly without?: ReadonlyArray<string>
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

const judges = (): Proofs => {
  const room = process.env['TCSPEC_ROOM'] ?? ''
  const proofs = (read('rooms.json') as Readonly<Record<string, Proofs>>)[room]
  if (proofs === undefined) throw new Error(`settings/mutants/rooms.json has no room '${room}'`)
  return proofs
}
const { proofs, without = [] } = judges()

const config: ViteUserConfig = defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [...proofs],
    exclude: [...without],
    env: { TCSPEC_SMALL: '1' },
    setupFiles: ['tools/one-seed.mjs'],
    testTimeout: 600_000,
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
  },
})

export default config
