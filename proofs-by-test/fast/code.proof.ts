/** The embedded bytes are what the sources give. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('src/fast/code.ts is src/fast/wat, assembled', () => {
  const builder = fileURLToPath(new URL('../../tools/build-wasm.mjs', import.meta.url))
  expect(() => execFileSync(process.execPath, [builder, '--check'], { stdio: 'pipe' })).not.toThrow()
})
