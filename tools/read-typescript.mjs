/**
 * TypeScript as Node's own modules: what a worker of the proofs is started with (`--import`, in vitest.config.ts).
 *
 * Node links the modules itself, so an import is a variable of V8's and no look-up in a table of getters, as it is where a module runner rewrites
 * every name that is imported: that took some tenth of the proofs' processor time. Types are stripped one module at a time; what an import names as
 * `.js` is the `.ts` beside it, as tsc has it.
 */
import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { transformSync } from 'rolldown/utils'

const isSource = (url) => /\.ts(\?|$)/.test(url) && !url.includes('/node_modules/')

/** Packages, by the name that sources give them: all sources lie under one `node_modules`, so each is looked for once. */
const packages = new Map()

/** The hooks of Node's loader, which live in a thread of their own. */
export const resolve = async (specifier, context, next) => {
  if (!isSource(context.parentURL ?? '')) return next(specifier, context)
  if (/^\.{1,2}\/.*\.js$/.test(specifier))
    return { url: new URL(specifier.replace(/js$/, 'ts'), context.parentURL).href, shortCircuit: true }
  if (/^[./]|^\w+:/.test(specifier)) return next(specifier, context)
  const known = packages.get(specifier) ?? (await next(specifier, context))
  packages.set(specifier, known)
  return known.shortCircuit === true ? known : { ...known, shortCircuit: true }
}

export const load = (url, context, next) => {
  if (!isSource(url)) return next(url, context)
  const file = fileURLToPath(url)
  const { code, map, errors } = transformSync(file, readFileSync(file, 'utf8'), {
    target: 'es2022',
    sourcemap: true,
  })
  if (errors.length > 0) throw new Error(errors.map(({ message }) => `${file}: ${message}`).join('\n'))
  // the source itself is on the disk
  const { sources, mappings } = map
  const encoded = Buffer.from(JSON.stringify({ version: 3, sources, names: [], mappings })).toString('base64')
  return {
    format: 'module',
    source: `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}`,
    shortCircuit: true,
  }
}

if (isMainThread) {
  // lines of a failed proof are those of its source
  process.setSourceMapsEnabled(true)
  register(import.meta.url)
}
