/** The Python client, against a process that dies, is late, or answers wrongly: `client.py` beside this file, by plain python3. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { nightly } from '../../extent.js'

// by day `process.proof.ts` asks a process from Python
test.skipIf(!nightly)('client.py', () => {
  const ran = spawnSync('python3', ['-B', fileURLToPath(new URL('client.py', import.meta.url))], {
    encoding: 'utf8',
  })
  expect(ran.stderr).toMatch(/^\.*s?\.*\n-+\nRan \d+ tests in [\d.]+s\n\nOK/)
  expect(ran.status).toBe(0)
})
