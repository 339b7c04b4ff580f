/** Launches recorded on a GPU, replayed: every bit that it left comes out, and one that is changed is seen. */
import { readdirSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as fast from '../../../src/fast/index.js'
import { decodeHost } from '../../../src/oracle/host/file.js'
import { performed, usualFuel } from '../../../src/oracle/host/perform.js'
import type { Host } from '../../../src/oracle/host/state.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { right } from '../../either.js'

const root = new URL('../../../conformance/recorded/', import.meta.url).pathname
const programs = readdirSync(root, { withFileTypes: true })
  .filter((d) => d.isDirectory())
  .map(({ name }) => name)

/** `changed`: a file whose last byte is another. */
const replayed = (name: string, changed: string | null): Host => {
  const where = `${root}${name}/program.json`
  const document: unknown = JSON.parse(readFileSync(where, 'utf8'))
  const files = {
    ...onDisk,
    read: (file: string) => () => {
      const bytes = onDisk.read(file)()
      if (E.isLeft(bytes) || changed === null || !file.endsWith(`/${changed}`)) return bytes
      const other = bytes.right.slice()
      other[other.length - 1]! ^= 1
      return E.right(other)
    },
  }
  const performing = {
    files,
    where,
    algebra: () => fast.bits('hopper'),
    judge: null,
    judgeAll: false,
    fuel: usualFuel,
  }
  return right(performed(performing, right(decodeHost(document))))
}

describe('recorded on a GPU', () => {
  it('there are programs', () => {
    expect(programs).toEqual([
      'driver',
      'grouped',
      'hist',
      'lists',
      'modules',
      'numbers',
      'scans',
      'streams',
      'warpgroup',
    ])
  })
  it.each(programs)('%s', (name) => {
    const { compared, findings, stopped, launches } = replayed(name, null)
    expect(stopped).toBe(null)
    expect(findings).toEqual([])
    expect(compared.filter(({ differ }) => differ > 0)).toEqual([])
    expect(compared.length).toBeGreaterThanOrEqual(launches.length)
    expect(compared.every(({ elements }) => elements > 0)).toBe(true)
  })
  it('a bit that is another than the GPU left it is seen', () => {
    const last = [
      ...readFileSync(`${root}driver/program.json`, 'utf8').matchAll(/"op":"read"[^}]*"(bytes\d+\.npy)"/gu),
    ]
    const file = last[last.length - 1]![1]!
    expect(replayed('driver', file).compared.map(({ differ }) => differ)).toEqual([0, 1])
  })
})
