/** Loads the sources as they are: `x.js` that is `x.ts` on disk, its types left out. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath, URL } from 'node:url'
import ts from 'typescript'

const source = (url) => url.replace(/\.js$/, '.ts')

export const resolve = async (specifier, context, next) => {
  if (/^\.{1,2}\//.test(specifier) && context.parentURL !== undefined) {
    const url = source(new URL(specifier, context.parentURL).href)
    if (url.endsWith('.ts') && existsSync(fileURLToPath(url))) return { url, shortCircuit: true }
  }
  return next(specifier, context)
}

export const load = async (url, context, next) =>
  url.endsWith('.ts')
    ? {
        format: 'module',
        shortCircuit: true,
        source: ts.transpileModule(readFileSync(fileURLToPath(url), 'utf8'), {
          compilerOptions: { target: 'ES2022', module: 'ESNext', verbatimModuleSyntax: true },
        }).outputText,
      }
    : next(url, context)
