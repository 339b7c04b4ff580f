import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { check } from '../../../src/index.js'

const root = new URL('../../../', import.meta.url)
const text = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/ReadingGuide.md',
  'docs/BlackwellMatmul.md',
  'docs/GridTiling.md',
  'docs/Attention.md',
  'docs/Sweeps.md',
  'src/kernels/README.md',
  'src/render/README.md',
  'src/oracle/README.md',
]

describe('documents say what is there', () => {
  it.each(documents)('%s: every path exists', (file) => {
    const folder = new URL(`${file}/..`, root)
    const paths = [...text(file).matchAll(/`([\w.-]+\/[\w./-]*|[\w-]+\.(?:ts|md))`|\]\((\w[\w./-]*)\)/g)]
      .map((m) => m[1] ?? m[2]!)
      // what is built is not there yet
      .filter((path) => !/^(site\/)?dist\b/.test(path) && !path.includes('NAME'))
    expect(paths.length).toBeGreaterThan(0)
    const missing = paths.filter(
      (path) =>
        !existsSync(fileURLToPath(new URL(path, root))) &&
        !existsSync(fileURLToPath(new URL(path, `${folder.href.replace(/\/$/, '')}/`))) &&
        !existsSync(fileURLToPath(new URL(`src/${path}`, root))),
    )
    expect(missing).toEqual([])
  })
  it('README: its example prints what it says', async () => {
    const [, code = ''] = /```ts\n([^]*?)\n```/.exec(text('README.md')) ?? []
    const [, called = '', said = ''] = /= (check\(.*\))\n[^]*\n\/\/ (.*), \.\.\.$/.exec(code) ?? []
    const door: object = await import(fileURLToPath(new URL('src/index.ts', root)))
    expect(Object.keys(door)).toContain('check')
    expect(called).toBe("check('hopper-matmul', { k: 1024 })")
    const verdict = check('hopper-matmul', { k: 1024 })
    expect(verdict._tag === 'Right' ? verdict.right.provenance?.text : verdict.left.message).toContain(said)
  })
})
