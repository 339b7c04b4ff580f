/** docs/Python.md: what needs nothing but python3 runs and prints what stands below it, its files are the files, and its table is what was measured. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { nightly } from '../extent.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8')
const page = read('docs/Python.md')

const python = (...words: ReadonlyArray<string>): string => {
  const ran = spawnSync('python3', ['-B', ...words], {
    encoding: 'utf8',
    env: {
      ...process.env,
      PYTHONPATH: `${root}python`,
      TCSPEC: `${process.execPath} ${fileURLToPath(new URL('serve/serve-of-sources.mjs', import.meta.url))}`,
    },
  })
  expect(ran.stderr).toBe('')
  return ran.stdout
}

const programs = [...page.matchAll(/<!-- run: -->\n\n```python\n([^]*?)```\n\n```text\n([^]*?)```/g)]
const files = [...page.matchAll(/<!-- file: (\S+) -->\n\n```python\n([^]*?)```/g)]

test('there are some of both', () => {
  expect([programs.length, files.length]).toEqual([1, 5])
})
// a process is started for it; `npm run test:python` runs it, too
test.runIf(nightly).each(programs.map(([, program, printed]) => ({ program: program!, printed: printed! })))(
  '$program',
  ({ program, printed }) => {
    expect(python('-c', program)).toBe(printed)
  },
)
test.each(files.map(([, file, text]) => ({ file: file!, text: text! })))('$file', ({ file, text }) => {
  expect(text).toBe(read(file))
})
test('the table is that of interpreter_table.json', () => {
  const table = /<!-- interpreter-table: begin -->\n\n([^]*?)\n\n<!-- interpreter-table: end -->/.exec(page)
  expect(table?.[1]).toBe(python(`${root}python/kernels/interpreter_table.py`, 'table').trimEnd())
})
