/** `tcspec time`: the same prediction printed, as a timeline and as a picture, by the ending of the file. */
import { describe, expect, it } from 'vitest'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const disk = new Map<string, Uint8Array>()
const run = running(worldOf(inMemory(disk)))
const kernel = ['time', 'hopper-matmul', '--set', 'm=128', 'n=128', 'k=128'] as const
const printed = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { status, stdout, stderr } = await run(...kernel, ...args)
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}
const contents = (file: string): string => new TextDecoder().decode(disk.get(file))

describe('the form is that of the ending, or of --format', () => {
  it.each([
    ['t.json', 'perfetto', '{"schema":"tcspec.timeline/1"'],
    ['t.svg', 'svg', '<svg '],
    ['t.txt', 'table', 'hopper-matmul on '],
  ])('%s: %s', async (file, format, begin) => {
    const said = await printed('-o', file)
    expect(said).toMatch(new RegExp(`^wrote ${file}: ${format}, \\d+ events, \\d+ bytes\n$`))
    expect(contents(file).startsWith(begin)).toBe(true)
    // the same where it is printed
    expect(await printed('--format', format)).toBe(contents(file))
  })
  it('--svg draws the same picture next to what is printed', async () => {
    await printed('-o', 't.svg')
    expect(await printed('--svg', 'other.svg')).toContain('wrote other.svg: svg, ')
    expect(contents('other.svg')).toBe(contents('t.svg'))
  })
  it('another ending is refused, and nothing is written', async () => {
    const before = disk.size
    const { status, stdout } = await run(...kernel, '-o', 't.csv')
    expect([status, stdout, disk.size]).toEqual([2, '', before])
  })
})
