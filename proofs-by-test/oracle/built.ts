/** The program as files that Node runs: the sources without their types and no more, module by module, which takes a tenth of the time that tsc takes. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'
import { expect } from 'vitest'

const repository = fileURLToPath(new URL('../../', import.meta.url))

/** In a folder: its manifest and its packages; the program goes to `dist`. Gives the program. */
export const packageIn = (root: string): string => {
  fs.copyFileSync(path.join(repository, 'package.json'), path.join(root, 'package.json'))
  fs.symlinkSync(path.join(repository, 'node_modules'), path.join(root, 'node_modules'))
  return path.join(root, 'dist/oracle/cli/main.js')
}

export const stripped = (root: string): void => {
  const from = path.join(repository, 'src')
  for (const file of fs.readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const { code, errors } = transformSync(file, fs.readFileSync(path.join(from, file), 'utf8'), {
      target: 'es2022',
    })
    expect(errors).toEqual([])
    const to = path.join(root, 'dist', file.replace(/ts$/, 'js'))
    fs.mkdirSync(path.dirname(to), { recursive: true })
    fs.writeFileSync(to, code)
  }
}
