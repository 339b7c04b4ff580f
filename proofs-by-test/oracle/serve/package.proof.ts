/** The Python package by plain python3: verdicts, the process behind them, and what is said where something is missing (`python/tests/test_package.py`). */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { nightly } from '../../extent.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

// processes are started for it; `npm run test:python` runs it in every Python
test.runIf(nightly)('test_package.py', () => {
  const ran = spawnSync(
    'python3',
    ['-B', '-X', 'dev', '-W', 'error', `${root}python/tests/test_package.py`],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        TCSPEC: `${process.execPath} ${fileURLToPath(new URL('serve-of-sources.mjs', import.meta.url))}`,
        TCSPEC_QUICK: '1',
      },
    },
  )
  expect([ran.status, ran.stderr]).toEqual([0, expect.stringMatching(/\nOK/)])
})

test('what is missing is said in one line; the package and the library have one version', () => {
  const ran = spawnSync(
    'python3',
    [
      '-B',
      '-X',
      'dev',
      '-W',
      'error',
      `${root}python/tests/test_package.py`,
      'Missing.test_no_node',
      'Missing.test_an_unknown_jax',
      'Packaging.test_one_version',
    ],
    { encoding: 'utf8', env: { ...process.env, TCSPEC_QUICK: '1' } },
  )
  expect([ran.status, ran.stderr]).toEqual([0, expect.stringMatching(/\nOK/)])
})

test('every module of the package goes with the package of npm', () => {
  const { files }: { readonly files: ReadonlyArray<string> } = JSON.parse(
    fs.readFileSync(`${root}package.json`, 'utf8'),
  )
  expect(files).toEqual(expect.arrayContaining(['python/tcspec/**/*.py', 'python/tcspec/py.typed']))
})
