/**
 * Every command of the first page and of the tour, as somebody who has just built the package types it, one after the other, in a folder of its own that sees the tree: each gives a
 * verdict or an answer (exit status 0 or 1), and says nothing about wrong usage.
 */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { commandsIn } from '../proofs-by-test/oracle/tour.js'
import { root } from './browser.js'

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tour-'))
for (const name of ['conformance', 'docs']) fs.symlinkSync(path.join(root, name), path.join(scratch, name))
fs.mkdirSync(path.join(scratch, 'out'))
afterAll(() => {
  fs.rmSync(scratch, { recursive: true, force: true })
})

/** As a shell has them on its path. */
const bin = path.join(scratch, 'bin')
fs.mkdirSync(bin)
fs.writeFileSync(
  path.join(bin, 'npx'),
  `#!/bin/sh\nshift\nexec '${process.execPath}' '${path.join(root, 'bundle/oracle/cli/main.js')}' "$@"\n`,
  { mode: 0o755 },
)

describe.each(['README.md', 'docs/Tour.md'])('%s', (page) => {
  test.each(commandsIn(fs.readFileSync(path.join(root, page), 'utf8')))(
    'npx tcspec %s',
    { timeout: 120_000 },
    (words) => {
      const done = spawnSync('sh', ['-c', `npx tcspec ${words}`], {
        cwd: scratch,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
        input: '',
      })
      expect([0, 1]).toContain(done.status)
      expect(done.stderr).not.toMatch(/^tcspec: /m)
    },
  )
})
