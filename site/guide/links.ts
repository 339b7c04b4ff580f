/**
 * Where a link of a page leads once the page is HTML in the folder `guide`.
 *
 *     docs/Serve.md   Traces.md#fields            page    Traces.html#fields
 *     docs/Serve.md   ../schemas/x.schema.json    page    Schemas.html#x
 *     docs/Sweeps.md  sweeps/slurm.sbatch         file    sweeps/slurm.sbatch, copied beside the page
 *     docs/Python.md  ../python/tcspec/traces.py  source  a place in the tree of sources, if the build was told where that is
 *     schemas         x.schema.json               file    ../schemas/x.schema.json, copied as it is
 *     anywhere        https://...                 away    as it is
 *
 * Law 1. A path that is a page is a link to that page, from any page.
 */
import { pageAt, schemasPage } from './nav.js'

export type Target =
  | { readonly to: 'page' | 'file' | 'away'; readonly href: string }
  /** `path` in the repository */
  | { readonly to: 'source'; readonly path: string }

/** `a/b/../c` -> `a/c`. */
export const normal = (path: string): string =>
  path
    .split('/')
    .reduce<ReadonlyArray<string>>(
      (done, part) =>
        part === '..' ? done.slice(0, -1) : part === '.' || part === '' ? done : [...done, part],
      [],
    )
    .join('/')

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Files of docs/ that are no pages are copied as they lie there. */
const isCopied = (path: string): boolean => /^docs\/[\w./-]+\.(svg|png|ya?ml|sbatch)$/.test(path)

/** A path in the repository, with its fragment (empty, or from `#` on). */
export const targetOfPath = (path: string, fragment: string): Target => {
  const page = pageAt.get(path)
  if (page !== undefined) return { to: 'page', href: `${page}${fragment}` }
  const schema = /^schemas\/([\w-]+)\.schema\.json$/.exec(path)?.[1]
  if (schema !== undefined) return { to: 'page', href: `Schemas.html#${schema}` }
  if (path === 'schemas') return { to: 'page', href: 'Schemas.html' }
  return isCopied(path) ? { to: 'file', href: path.slice('docs/'.length) } : { to: 'source', path }
}

/** What `href` on the page made of `source` leads to. */
export const targetOf = (source: string, href: string): Target => {
  if (/^[a-z]+:/.test(href)) return { to: 'away', href }
  if (source === schemasPage.source && href.endsWith('.schema.json'))
    return { to: 'file', href: `../schemas/${href}` }
  const at = href.indexOf('#')
  const [path, fragment] = at < 0 ? [href, ''] : [href.slice(0, at), href.slice(at)]
  return path === '' ? { to: 'page', href } : targetOfPath(normal(`${folderOf(source)}${path}`), fragment)
}
