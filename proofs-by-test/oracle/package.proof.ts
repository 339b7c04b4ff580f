/** What is packed: all that the README leads to, every chapter through both doors, and nothing else. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { nightly } from '../extent.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
interface Door {
  readonly types: string
  readonly default: string
}
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly bin: { readonly tcspec: string }
  readonly exports: Readonly<Record<string, { readonly import: Door; readonly require: Door }>>
  readonly dependencies: Readonly<Record<string, string>>
}

/** Pages that can be reached from the README by links, with what they link to. */
const reached = (): ReadonlySet<string> => {
  const seen = new Set<string>()
  const todo = ['README.md']
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    if (!file.endsWith('.md')) continue
    const text = fs.readFileSync(path.join(root, file), 'utf8')
    for (const [, target] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g))
      if (!target!.includes(':')) todo.push(path.normalize(path.join(path.dirname(file), target!)))
  }
  return seen
}

describe('the package', () => {
  it('every page is reached from the README, and no link leads nowhere', () => {
    const pages = reached()
    for (const page of pages) expect([page, fs.existsSync(path.join(root, page))]).toEqual([page, true])
    for (const page of fs.readdirSync(path.join(root, 'docs')))
      if (page.endsWith('.md')) expect([...pages]).toContain(`docs/${page}`)
  })
  it('every folder with an index has two doors, and every door leads to a folder', () => {
    for (const [door, { import: esm, require: cjs }] of Object.entries(manifest.exports)) {
      if (door === './package.json') continue
      const folder = door === '.' ? '' : `${door.slice(2)}/`
      expect(fs.existsSync(path.join(root, 'src', folder, 'index.ts'))).toBe(true)
      expect(esm).toEqual({ types: `./lib/${folder}index.d.ts`, default: `./lib/${folder}index.js` })
      expect(cjs).toEqual({ types: `./lib/cjs/${folder}index.d.ts`, default: `./lib/cjs/${folder}index.js` })
    }
  })
  it('the change log, the lock file and the Python package have this version', () => {
    // the release has the newest entry of the change log
    expect(/^## (.*)$/mu.exec(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'))?.[1]).toBe(
      manifest.version,
    )
    expect(fs.readFileSync(path.join(root, 'python/tcspec/__init__.py'), 'utf8')).toContain(
      `\n__version__ = "${manifest.version}"\n`,
    )
    expect(
      fs
        .readFileSync(path.join(root, 'package-lock.json'), 'utf8')
        .slice(0, 300)
        .match(/"version": "[^"]*"/g),
    ).toEqual(Array.from({ length: 2 }, () => `"version": "${manifest.version}"`))
  })
  // builds, packs, installs nothing: links the unpacked package where node finds it
  it.runIf(nightly)(
    'packed and unpacked: publint and attw find nothing; import, require and the program work, and no file is packed that should not be',
    () => {
      const run = (command: string, words: ReadonlyArray<string>, cwd = root): string => {
        const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: 'utf8' })
        expect([words, stderr, status]).toEqual([words, expect.anything(), 0])
        return stdout
      }
      run('npm', ['run', 'check:package'])
      const away = fs.mkdtempSync(path.join(fs.realpathSync('/tmp'), 'tcspec-packed-'))
      run('npm', ['pack', '--ignore-scripts', '--pack-destination', away])
      run('tar', ['-xzf', `tensorcore-spec-${manifest.version}.tgz`], away)
      fs.mkdirSync(path.join(away, 'node_modules'))
      for (const name of Object.keys(manifest.dependencies)) {
        fs.mkdirSync(path.dirname(path.join(away, 'node_modules', name)), { recursive: true })
        fs.symlinkSync(path.join(root, 'node_modules', name), path.join(away, 'node_modules', name))
      }
      fs.symlinkSync(path.join(away, 'package'), path.join(away, 'node_modules/tensorcore-spec'))
      const packed = fs
        .readdirSync(path.join(away, 'package'), { recursive: true, encoding: 'utf8' })
        .filter((file) => fs.statSync(path.join(away, 'package', file)).isFile())
      for (const page of reached())
        if (!/^(src|site|proofs-by-test|proofs-in-browser|conformance)/.test(page))
          // a folder is packed if something of it is
          expect([page, packed.some((file) => file === page || file.startsWith(`${page}/`))]).toEqual([
            page,
            true,
          ])
      for (const file of packed)
        expect(file).toMatch(
          /^(package\.json|README\.md|LICENSE|CONTRIBUTING\.md|CHANGELOG\.md|(lib|bundle|shim|site\/dist|schemas|man|docs|python)\/[\w./-]+)$/,
        )
      // 4,261 before the library was packed by doors
      expect(packed.length).toBeLessThan(1200)
      const doors = Object.keys(manifest.exports).filter((door) => door !== './package.json')
      const importing = [
        ...doors.map((door, k) => `import * as m${String(k)} from 'tensorcore-spec${door.slice(1)}'`),
        `export const all = [${doors.map((_, k) => `m${String(k)}`).join(', ')}]`,
        `import { check } from 'tensorcore-spec'`,
        `const verdict = check('hopper-matmul', { k: 1024 })`,
        `export const text: string | undefined = verdict._tag === 'Right' ? verdict.right.provenance?.text : verdict.left.message`,
        '// @ts-expect-error a number is no name: the types are there',
        'check(3)',
      ].join('\n')
      // a program outside of the package, by the rules of both formats; the declarations themselves are checked, too
      fs.writeFileSync(path.join(away, 'package.json'), '{ "private": true }')
      for (const file of ['esm.mts', 'cjs.cts']) fs.writeFileSync(path.join(away, file), importing)
      run(
        process.execPath,
        [
          ...[path.join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict'],
          ...['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'],
          ...['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')],
          ...['esm.mts', 'cjs.cts'],
        ],
        away,
      )
      const say = 's.check && console.log(typeof s.check, k.kernels.length > 20)'
      expect(
        run(
          process.execPath,
          [
            '--input-type=module',
            '-e',
            `import * as s from 'tensorcore-spec/semantics'; import * as k from 'tensorcore-spec/kernels'; ${say}`,
          ],
          away,
        ),
      ).toBe('function true\n')
      expect(
        run(
          process.execPath,
          [
            '--input-type=commonjs',
            '-e',
            `const s = require('tensorcore-spec/semantics'), k = require('tensorcore-spec/kernels'); ${say}`,
          ],
          away,
        ),
      ).toBe('function true\n')
      const program = path.join(away, 'package', manifest.bin.tcspec)
      expect(run(process.execPath, [program, '--version'], away)).toBe(`${manifest.version}\n`)
      expect(run(process.execPath, [program, 'check', 'queue'], away)).toContain('ok')
      // npx links it once and then calls it as it is, also after another build
      expect(fs.statSync(path.join(root, manifest.bin.tcspec)).mode & 0o111).toBe(0o111)
      // it finds the stand-ins for the CUDA libraries, which are packed as sources
      const { stdout, stderr } = spawnSync(process.execPath, [program, 'cuda', '--', 'echo', 'ran'], {
        cwd: away,
        encoding: 'utf8',
      })
      expect([stdout, stderr]).toEqual(['ran\n', expect.stringContaining('echo: never called')])
      // the page, but for its reference of the API, which is larger than all of the package
      for (const file of ['index.html', 'page.js', 'page.css', 'machine/core.js', 'guide/index.html'])
        expect(packed).toContain(`site/dist/${file}`)
      expect(packed.filter((file) => file.startsWith('site/dist/api'))).toEqual([])
      fs.rmSync(away, { recursive: true })
    },
    300_000,
  )
})
