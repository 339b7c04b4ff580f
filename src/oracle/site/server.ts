/**
 * The page on a port of this machine: the folder that `npm run site` builds, and nothing else, to nothing but this machine.
 *
 * Law 1. What it answers with is a file of the folder, or 404.
 */
import * as fs from 'node:fs'
import { createServer } from 'node:http'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import sirv from 'sirv'
import { refuse, type Failure } from '../../failure.js'

export type SiteFailure = Failure<'site.missing' | 'site.port'>

export interface Site {
  /** the address of the page */
  readonly url: string
  readonly close: () => Promise<void>
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message)

/** `port` 0: any that is free. */
export const serveSite = (folder: string, port: number): Promise<E.Either<SiteFailure, Site>> => {
  if (!fs.existsSync(path.join(folder, 'index.html')))
    return Promise.resolve(
      refuse('site.missing', `${folder}: expected the page, which \`npm run site\` builds; found none`),
    )
  const files = sirv(folder, { dev: true, etag: true })
  const server = createServer((request, response) => {
    files(request, response, () => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n')
    })
  })
  return new Promise((resolve) => {
    server.once('error', (error) => {
      resolve(refuse('site.port', `port ${String(port)}: expected one that is free, found ${codeOf(error)}`))
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const found = typeof address === 'object' && address !== null ? address.port : port
      resolve(
        E.right({
          url: `http://127.0.0.1:${String(found)}/`,
          close: () =>
            new Promise((closed) => {
              server.close(() => {
                closed()
              })
              server.closeAllConnections()
            }),
        }),
      )
    })
  })
}
