import * as fs from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveSite, type Site } from '../../../src/oracle/site/server.js'
import { openCommand } from '../../../src/oracle/cli/commands/open.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { silent, type Opening, type World } from '../../../src/oracle/cli/command.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { inMemory } from '../disk.js'

/** A path as it stands, which `fetch` and `URL` would tidy. */
const get = (url: string, place: string): Promise<readonly [number, string]> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    request({ hostname, port, path: place }, (response) => {
      let text = ''
      response.on('data', (part: Buffer) => (text += part.toString()))
      response.on('end', () => {
        resolve([response.statusCode ?? 0, text])
      })
    })
      .on('error', reject)
      .end()
  })

describe('the page on a port', () => {
  let folder = ''
  let site: Site | null = null
  beforeAll(async () => {
    const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-site-'))
    fs.writeFileSync(path.join(parent, 'secret.txt'), 'secret')
    folder = path.join(parent, 'dist')
    fs.mkdirSync(path.join(folder, 'guide'), { recursive: true })
    fs.writeFileSync(path.join(folder, 'index.html'), '<p>front</p>')
    fs.writeFileSync(path.join(folder, 'guide/index.html'), '<p>guide</p>')
    const made = await serveSite(folder, 0)
    if (E.isRight(made)) site = made.right
  })
  afterAll(async () => {
    await site?.close()
    fs.rmSync(path.dirname(folder), { recursive: true })
  })
  it('law 1: it answers with files of the folder, and with nothing else', async () => {
    const { url } = site!
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(await get(url, '/')).toEqual([200, '<p>front</p>'])
    expect(await get(url, '/guide/index.html')).toEqual([200, '<p>guide</p>'])
    for (const place of [
      '/nothing',
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '//etc/passwd',
      '/%00',
      '/%',
    ])
      expect([place, (await get(url, place))[0]]).toEqual([place, 404])
  })
  it('a folder without a page, and a port that is taken, are said in a line', async () => {
    const nothing = await serveSite(path.join(folder, 'guide2'), 0)
    expect(E.isLeft(nothing) && nothing.left.code).toBe('site.missing')
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const taken = (other.address() as AddressInfo).port
    const refused = await serveSite(folder, taken)
    expect(E.isLeft(refused) && refused.left).toEqual({
      code: 'site.port',
      message: `port ${String(taken)}: expected one that is free, found EADDRINUSE`,
    })
    await new Promise((resolve) => other.close(resolve))
  })
})

describe('tcspec open', () => {
  const opened = async (...argv: ReadonlyArray<string>) => {
    const asked: Opening[] = []
    const world: World = {
      files: inMemory(new Map()),
      version: '0',
      colours: false,
      clock: () => 0,
      conformance: null,
      progress: () => silent,
      open: (how) => {
        asked.push(how)
        return TE.right(undefined)
      },
    }
    const listed = { name: 'open', description: '', load: () => Promise.resolve(openCommand) }
    return { asked, outcome: await tcspec([listed], world)(['open', ...argv])() }
  }
  it('begins at the front, or with a kernel', async () => {
    expect((await opened()).asked).toEqual([{ port: 0, hash: '' }])
    expect((await opened('zoo/W1', '--port', '8080')).asked).toEqual([
      { port: 8080, hash: '#/kernels?kernel=zoo%2FW1' },
    ])
  })
  it('refuses what is no kernel and no port', async () => {
    const none = await opened('matmul11')
    expect([none.asked, none.outcome.status]).toEqual([[], 2])
    expect(none.outcome.stderr).toContain('matmul1')
    expect((await opened('--port', '65536')).outcome.status).toBe(2)
    expect((await opened('--port', 'x')).outcome.status).toBe(2)
  })
})
