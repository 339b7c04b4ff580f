/** docs/BlackwellMatmul.md: what it quotes is what the tool prints, what it counts is what the kernels' sources differ in. */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { notPrinted, printed, quotations } from '../oracle/quoted.js'

const root = new URL('../../', import.meta.url).pathname
const page = `${root}docs/BlackwellMatmul.md`
const text = readFileSync(page, 'utf8')

// ---------------------------------------------------------------- what it quotes

describe('every quoted command prints what stands below it, in that order', () => {
  const quotes = quotations(text)
  test('there are three', () => {
    expect(quotes.length).toBe(3)
  })
  test.each(quotes)('$argv', async ({ argv, quoted }) => {
    const ran = await printed(argv)
    const status = argv.startsWith('check matmul5') ? 0 : argv.endsWith('--explore') ? 1 : 3
    expect([ran.status, ran.stderr]).toEqual([status, ''])
    expect(notPrinted(quoted, ran.stdout)).toBeNull()
  })
})

// ---------------------------------------------------------------- what it counts

/** The code of a kernel: without header, comments, blanks and indentation. */
const code = (name: string): ReadonlyArray<string> =>
  readFileSync(`${root}src/kernels/blackwell/${name}.ts`, 'utf8')
    .replace(/^\/\*\*[^]*?\*\//, '')
    .split('\n')
    .map((line) => line.replace(/\/\/.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('/**'))

/** Lines that two texts have in common, in order: the length of a longest common subsequence. */
const common = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let row = b.map(() => 0)
  for (const x of a) {
    const next: number[] = []
    b.forEach((y, j) => {
      next.push(x === y ? (row[j - 1] ?? 0) + 1 : Math.max(row[j]!, next[j - 1] ?? 0))
    })
    row = next
  }
  return row[row.length - 1] ?? 0
}

describe('the steps are as small as it says', () => {
  test('added and removed lines of every step', () => {
    let counted = text
    for (let i = 1; i <= 6; i++) {
      const [before, after] = [code(`matmul${String(i - 1)}`), code(`matmul${String(i)}`)]
      const shared = common(before, after)
      const said = `+${String(after.length - shared)} -${String(before.length - shared)}`
      counted = counted.replace(
        new RegExp(`(\\| \`matmul${String(i)}\` \\|.*\\| )\\+\\d+ -\\d+ *\\|`),
        (_, row: string) => `${row}${said.padEnd(40)} |`,
      )
    }
    if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(page, counted)
    expect(readFileSync(page, 'utf8')).toBe(counted)
  })
  test('but for the rewriting of the first step, none removes a fifth of a kernel', () => {
    for (let i = 2; i <= 6; i++) {
      const before = code(`matmul${String(i - 1)}`)
      expect(before.length - common(before, code(`matmul${String(i)}`))).toBeLessThan(before.length / 5)
    }
  })
})
