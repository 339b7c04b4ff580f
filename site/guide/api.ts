/**
 * The API reference: typedoc over the doors of package.json, with the settings of typedoc.json.
 *
 * It takes longer than all the rest of the site, so it is made anew only when a source or a setting has changed: a stamp beside it says of which it was made.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application, DeclarationReflection, PageEvent, RendererEvent } from 'typedoc'
import { accessible } from './api-page.js'
import type { Named } from './search.js'

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
}

/** The doors of the package: `./dialects/ttgir` is `src/dialects/ttgir/index.ts`. */
export const doorsOf = (manifest: Manifest): ReadonlyArray<string> =>
  Object.keys(manifest.exports)
    .filter((door) => door !== './package.json')
    .map((door) => `src/${door.slice(2)}/index.ts`)

const stampOf = (root: string): string => {
  const hash = createHash('sha256')
  const add = (file: string): void => {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
  }
  for (const file of [
    'package.json',
    'typedoc.json',
    ...['api.ts', 'api-page.ts', 'api.css'].map((f) => `site/guide/${f}`),
  ])
    add(file)
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).sort())
    if (file.endsWith('.ts')) add(join('src', file))
  return hash.digest('hex')
}

/** `made` false: it was there already. Errors of typedoc are lines of its own on the terminal, and null. */
export const apiReference = async (
  root: string,
  out: string,
): Promise<{ readonly names: ReadonlyArray<Named>; readonly made: boolean } | null> => {
  const stampFile = join(out, 'made-of.json')
  const stamp = stampOf(root)
  if (existsSync(stampFile)) {
    const before: { readonly stamp: string; readonly names: ReadonlyArray<Named> } = JSON.parse(
      readFileSync(stampFile, 'utf8'),
    )
    if (before.stamp === stamp) return { names: before.names, made: false }
  }
  rmSync(out, { recursive: true, force: true })
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const app = await Application.bootstrapWithPlugins({
    options: join(root, 'typedoc.json'),
    entryPoints: doorsOf(manifest).map((door) => join(root, door)),
    out,
    // what opens a module in the tree would hold a link, too
    navigation: { includeFolders: false },
    navigationLeaves: doorsOf(manifest).map(
      (door) => door.replace(/^src\/(.*)\/index\.ts$/u, '$1') || 'index',
    ),
  })
  app.renderer.on(PageEvent.END, (page) => {
    if (page.contents !== undefined) page.contents = accessible(page.contents)
  })
  // what has a page of its own is known while they are written
  const names: Named[] = []
  app.renderer.on(RendererEvent.END, ({ pages }) => {
    for (const { url, model } of pages)
      if (model instanceof DeclarationReflection)
        names.push({ name: model.name, within: model.parent?.getFullName() ?? '', url })
  })
  const project = await app.convert()
  if (project === undefined) return null
  app.validate(project)
  await app.generateOutputs(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) return null
  writeFileSync(stampFile, JSON.stringify({ stamp, names }))
  return { names, made: true }
}
