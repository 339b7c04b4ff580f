/** docs/Ptx.md: its commands print what stands below them, on the files of conformance/hopper/warpgroups and conformance/hopper/cuda, and the launch file that it shows is one. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { decodePtxLaunch } from '../../src/oracle/launch/ptx-file.js'
import { onDisk } from '../../src/oracle/tensor-files/disk.js'
import { right } from '../either.js'
import { nightly } from '../extent.js'
import { inMemory } from './disk.js'
import { notPrinted, printed, quotations } from './quoted.js'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/Ptx.md', root), 'utf8')
const among = ['warpgroups', 'cuda'].map((set) => fileURLToPath(new URL(`conformance/hopper/${set}/`, root)))
const place = (file: string): string => {
  const all = among.map((folder) => `${folder}${file}`)
  return all.find((path) => existsSync(path)) ?? all[0]!
}
const quotes = quotations(page)

test('there are nine', () => {
  expect(quotes.length).toBe(9)
})
// each takes some seconds; by day the first
test.each(nightly ? quotes : quotes.slice(0, 1))('$argv', async ({ argv, quoted }) => {
  const files = { ...inMemory(new Map()), read: (file: string) => onDisk.read(place(file)) }
  const ran = await printed(argv, files)
  expect([ran.status, notPrinted(quoted, `${ran.stdout}${ran.stderr}`)]).toEqual([
    /^[A-Z]\d {2}/mu.test(quoted) ? 1 : 0,
    null,
  ])
})
test('its launch files are launch files', () => {
  const launches = [...page.matchAll(/```json\n([^]*?)```/gu)].map((m) => m[1]!)
  expect(launches.length).toBe(1)
  for (const launch of launches) expect(right(decodePtxLaunch(launch)).grid).toEqual([4])
})
