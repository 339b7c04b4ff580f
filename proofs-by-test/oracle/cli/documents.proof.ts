import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

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
const chapters = [
  'numerics',
  'fast',
  'transforms',
  'layouts',
  'semantics',
  'dialects',
  'kernels',
  'render',
  'oracle',
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
  it('README: everything that the example imports is exported', async () => {
    const imports = [...text('README.md').matchAll(/import \{ (.*) \} from 'tensorcore-spec\/(\w+)'/g)]
    expect(imports.length).toBe(2)
    for (const [, names, chapter] of imports) {
      expect(chapters).toContain(chapter)
      const door: object = await import(fileURLToPath(new URL(`src/${chapter!}/index.ts`, root)))
      for (const name of names!.split(', ')) expect(Object.keys(door)).toContain(name)
    }
  })
})
