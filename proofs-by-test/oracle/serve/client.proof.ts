/** The Python client, against a process that dies, is late, or answers wrongly: `client.py` beside this file, by plain python3. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('client.py', () => {
  const ran = spawnSync('python3', ['-B', fileURLToPath(new URL('client.py', import.meta.url))], {
    encoding: 'utf8',
  })
  expect(ran.stderr).toMatch(/^\.*s?\.*\n-+\nRan \d+ tests in [\d.]+s\n\nOK/)
  expect(ran.status).toBe(0)
})
