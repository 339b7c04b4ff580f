/** `tcspec view`: the recording of the run that is asked for, judged as by `check`, printed or written. */
import { describe, expect, test } from 'vitest'
import type { World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import type { Recording } from '../../../src/render/recording/model.js'
import { recordingId } from '../../../src/render/recording/page.js'
import { offeredIn, stateAfter } from '../../../src/render/recording/state.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const disk = new Map<string, Uint8Array>()
const world: World = { ...worldOf(inMemory(disk)), player: () => ({ script: 'play()', style: 'body{}' }) }
const said = running(world)
const recorded = async (...argv: ReadonlyArray<string>): Promise<Recording> =>
  JSON.parse((await said('view', ...argv, '--json')).stdout) as Recording
const small = ['hopper-matmul', '--set', 'm=64', 'n=16', 'k=32', 'tileN=16', 'tileK=16']
const text = (file: string): string => new TextDecoder().decode(disk.get(file))

describe('view', () => {
  test('its verdict is that of check, and so is its exit status', async () => {
    for (const kernel of ['zoo/R1', 'zoo/R1-fixed', 'zoo/B1']) {
      const [seen, checked] = [await said('view', kernel, '--json'), await said('check', kernel, '--json')]
      expect((JSON.parse(seen.stdout) as Recording).verdict).toEqual(JSON.parse(checked.stdout))
      expect(seen.status).toBe(checked.status)
    }
  })
  test('a detour is taken, its words are the schedule, and make the run again', async () => {
    const plain = await recorded(...small)
    const step = plain.steps.findIndex((_, i) => offeredIn(plain, stateAfter(plain, i)).length > 1)
    const other = offeredIn(plain, stateAfter(plain, step)).find(({ key }) => key !== plain.steps[step]!.key)!
    const schedule = `eager ${String(step)}=${other.key}`
    const detoured = await recorded(...small, '--schedule', schedule)
    expect(detoured.schedule).toBe(schedule)
    expect(detoured.steps[step]!.key).toBe(other.key)
    expect(detoured.steps.slice(0, step)).toEqual(plain.steps.slice(0, step))
    expect(await recorded(...small, '--schedule', detoured.schedule!)).toEqual(detoured)
  })
  test('a detour that is not on offer is refused, with what is', async () => {
    const { status, stderr } = await said('view', 'zoo/R1', '--schedule', 'eager 1=9:9')
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /^tcspec: the schedule does not fit this program: after 1 events its next one, 9:9, is not on offer; on offer are \d+:\d+/,
    )
  })
  test('-o x.html is one page with the document; -o x.json the document', async () => {
    const { status, stdout } = await said('view', 'zoo/R1-fixed', '-o', 'x.html')
    expect(status).toBe(0)
    expect(stdout).toMatch(/written\s+x\.html: html, [\d,]+ bytes/)
    await said('view', 'zoo/R1-fixed', '-o', 'x.json')
    const json = JSON.parse(text('x.json')) as unknown
    const page = text('x.html')
    expect(JSON.parse(new RegExp(`id="${recordingId}">(.*?)</script>`).exec(page)![1]!)).toEqual(json)
    expect(json).toEqual(await recorded('zoo/R1-fixed'))
    expect(page).toContain('play()')
    expect(page).toMatch(/<noscript><pre>[\s\S]*verdict +ok/)
  })
  test('where the page has not been built, -o says so in a line', async () => {
    const bare: World = { ...world, player: () => null }
    const { status, stdout, stderr } = await tcspec(commands, bare)(['view', 'zoo/R1', '-o', 'run.html'])()
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      'tcspec: --output: expected the page that plays a run (site/dist, made by npm run site), found none; -o run.json writes the recording\n',
    )
    expect((await said('view', 'zoo/R1', '-o', 'run.svg')).stderr).toBe(
      "tcspec: --output: expected a file that ends in .html or .json, found 'run.svg'\n",
    )
  })
  test('a trace is refused, with what can be done with it', async () => {
    expect((await said('trace', 'zoo/R1', '-o', 'run.jsonl')).status).toBe(0)
    const { status, stdout, stderr } = await said('view', 'run.jsonl', '-o', 'run.html')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      "tcspec: kernel: expected a kernel or a program, found the trace 'run.jsonl', which has events and no states to step through: tcspec trace run.jsonl -o run.svg draws it, tcspec check run.jsonl judges it\n",
    )
    expect((await said('trace', 'run.jsonl', '-o', 'run.svg')).status).toBe(0)
    expect((await said('check', 'run.jsonl')).stdout).toContain('R1')
  })
  test('without a file it says what would be recorded', async () => {
    const { stdout } = await said('view', 'zoo/B1')
    expect(stdout).toMatch(/ended +no further step is possible: /)
    expect(stdout).toMatch(/recorded +all \d+ steps/)
    expect((await said('view', 'hopper-persistent')).stdout).toMatch(/recorded +/)
  })
  test('what depends on data is recorded on the inputs that it was judged on', async () => {
    const { status, stdout } = await said('view', 'matmul-dynamic', '--set', 'm=256', 'n=64', 'k=64')
    expect([0, 3, 1]).toContain(status)
    expect(stdout).toContain('recorded')
  })
})
