/** `tcspec mutate`: columns, choice of classes and operators, status. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import type { Outcome, World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { printJson } from '../../../src/semantics/files/codec.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import type { Hire } from '../../../src/oracle/sweep/model.js'
import { lost } from '../../../src/oracle/sweep/staff.js'
import { here, worldWith } from '../sweep/world.js'
import { running, worldOf } from '../world.js'

const world: World = { ...worldOf(onDisk), conformance: '' }
const run = running(world)

interface Counts {
  readonly mutants: number
  readonly equivalent: number
  readonly real: number
  readonly killed: number
  readonly named: number
}

/** By day what is left out, and what arrives before. */
const byDay = nightly ? [] : ['--operator', 'DROP', '--operator', 'PRIME']

describe('tcspec mutate', () => {
  it('a small kernel, both classes: all is killed by name or equivalent, status 0', async () => {
    const { status, stdout, stderr } = await run('mutate', 'queue', '--json', ...byDay)
    expect([status, stderr]).toEqual([0, ''])
    const document = JSON.parse(stdout) as {
      readonly schema: string
      readonly mutants: number
      readonly kernels: ReadonlyArray<
        Counts & { readonly survivors: ReadonlyArray<unknown>; readonly classes: ReadonlyArray<Counts> }
      >
    }
    expect(document.schema).toBe('tcspec.mutation/1')
    const [queue] = document.kernels
    expect(queue!.survivors).toEqual([])
    expect(queue!.mutants).toBe(document.mutants)
    expect(queue!.mutants - queue!.equivalent).toBe(queue!.real)
    expect([queue!.killed, queue!.named]).toEqual([queue!.real, queue!.real])
    expect(queue!.classes.reduce((n, c) => n + c.mutants, 0)).toBe(queue!.mutants)
  })
  it('only one class and one operator, as a table', async () => {
    const { status, stdout } = await run(
      'mutate',
      'queue',
      '--class',
      'synchronisation',
      '--operator',
      'PRIME',
    )
    expect(status).toBe(0)
    expect(stdout).toMatch(/synchronisation: (\d+) of \1 killed, 100 %; \1 by name/)
    expect(stdout).toMatch(/PRIME +\d+ +\d+/)
    expect(stdout).not.toMatch(/data:|DROP/)
  })
  it('what is judged apart and in another order is the same document; one is judged by its key', async () => {
    const asked = ['mutate', 'queue', '--operator', 'PRIME', '--operator', 'ALLOC', '--json']
    const backwards: Hire = (known, size) => ({
      perform: (tasks, heard, stop) => here(known, size).perform([...tasks].reverse(), heard, stop),
    })
    const [alone, apart] = await Promise.all(
      [world, worldWith({ hire: backwards })].map((w) => tcspec(commands, w)(asked)()),
    )
    expect(apart).toEqual(alone)
    const { kernels: of } = JSON.parse(alone!.stdout) as {
      readonly kernels: ReadonlyArray<{
        readonly equivalents: ReadonlyArray<Readonly<Record<string, string>>>
      }>
    }
    const { site, operator, change } = of[0]!.equivalents[0]!
    const key = `${operator!} | ${site!} | ${change!}`
    expect(JSON.parse((await run('mutate', 'queue', '--mutant', key, '--json')).stdout)).toMatchObject({
      mutants: 1,
      equivalent: 1,
    })
    const none = await run('mutate', 'queue', '--mutant', 'DROP | it')
    expect([none.status, none.stderr]).toEqual([
      2,
      "tcspec: --mutant: expected the key of a mutant of queue, found 'DROP | it'\n",
    ])
  })
  it('a mutant that is not judged is said', async () => {
    const losing: Hire = () => ({
      perform: (tasks, heard) => {
        for (const task of tasks) heard(task, lost('no memory'))
        return Promise.resolve()
      },
    })
    const { status, stderr } = await tcspec(commands, worldWith({ hire: losing }))(['mutate', 'queue'])()
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /^tcspec: queue: expected a verdict on '.*', found none: the worker thread ended: no memory\n$/,
    )
  })
  it('sizes that somebody gives are used', async () => {
    const { stdout } = await run('mutate', 'queue', '--set', 'm=7', 'rows=1', 'n=8', '--operator', 'EXIT')
    expect(stdout).toMatch(/^queue .*m=7/)
  })
  it('a program of the zoo, and one from a file: the same mutants', async () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-mutate-')), 'p.json')
    const made = right(instanceOf(right(kernelNamed('zoo/R1-fixed')), {}, []))
    fs.writeFileSync(file, printJson(made.program))
    const [named, read] = [await run('mutate', 'zoo/R1-fixed'), await run('mutate', file)]
    fs.rmSync(path.dirname(file), { recursive: true })
    expect(named.stdout).toMatch(/synchronisation: \d+ of \d+ killed/)
    const rows = ({ stdout }: Outcome): string => stdout.slice(stdout.indexOf('\n'))
    expect(rows(read)).toBe(rows(named))
    expect(read.status).toBe(named.status)
  })
  it('neither a kernel nor --all, and both', async () => {
    expect((await run('mutate')).stderr).toMatch(
      /expected a kernel, a program \(.json\), a module \(.ttgir, .ptx\) or --all, found nothing/,
    )
    expect((await run('mutate', 'queue', '--all')).stderr).toMatch(/found 'queue' and --all/)
    expect((await run('mutate', 'quee')).stderr).toMatch(/no kernel named 'quee'; did you mean queue, /)
  })
  it('an unknown class or operator is refused in one line', async () => {
    for (const [flag, word] of [
      ['--class', 'speed'],
      ['--operator', 'PARITY'],
    ] as const) {
      const refused = await run('mutate', 'queue', flag, word)
      expect(refused.status).toBe(2)
      expect(refused.stderr).toMatch(new RegExp(`expected ${flag} to be one of .*found '${word}'`))
    }
  })
})

describe('tcspec mutate X.ttgir', () => {
  const capture = new URL(
    '../../../conformance/triton/captures/mm_hosttma_nows_64x64x32_s4_w4_256x256x192/',
    import.meta.url,
  ).pathname
  const module = [
    `${capture}mm_hosttma_nows_64x64x32_s4_w4_256x256x192.ttgir`,
    '--launch',
    `${capture}launch.json`,
    '--grid',
    '1,1',
  ]
  const given = ['da=f16[64,96]', 'db=f16[96,64]', 'dc=f16[64,64]:out', 'K=96'].flatMap((a) => ['--arg', a])
  it('every changed text is judged, and written with what is said of it', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'mutants-'))
    const { status, stdout, stderr } = await run(
      ...['mutate', ...module, ...given, '--computes', 'matmul:da,db,dc'],
      ...(nightly ? ['--operator', 'EXIT'] : []),
      ...['--operator', 'COUNT', '--class', 'synchronisation', '--write', directory, '--json'],
    )
    expect(stderr).toBe('')
    const [document] = (
      JSON.parse(stdout) as {
        readonly kernels: ReadonlyArray<Counts & { readonly survivors: ReadonlyArray<unknown> }>
      }
    ).kernels
    expect([status, document!.survivors]).toEqual([0, []])
    expect([document!.killed, document!.named]).toEqual([document!.real, document!.real])
    const files = fs.readdirSync(directory).sort()
    expect(files.length).toBe(document!.mutants)
    for (const file of files) {
      const text = fs.readFileSync(path.join(directory, file), 'utf8')
      expect(text.split('\n')[0]).toMatch(
        /^\/\/ (EXIT|COUNT) captures\.py:\d+ ttng\.\w+, line \d+: .*\. (hazard|deadlock|invalid|ok), (by name|[a-z ]+): /,
      )
      expect(E.isRight(readModule(text))).toBe(true)
    }
    expect(new Set(files.map((f) => fs.readFileSync(path.join(directory, f), 'utf8'))).size).toBe(
      files.length,
    )
  })
  it('of what is no module there are no texts', async () => {
    const { status, stderr } = await run('mutate', 'queue', '--write', 'there')
    expect([status, stderr]).toEqual([
      2,
      "tcspec: mutate: --write: expected a module (.ttgir, .ptx), found 'queue'\n",
    ])
  })
})

describe('tcspec mutate X.ptx', () => {
  const folder = new URL('../../../conformance/hopper/cuda/block_reduce/', import.meta.url).pathname
  const kernel = `${folder}block_reduce.ptx`
  const given = [
    ...['--grid', '4', '--block', '256'],
    ...[`0=${folder}x.npy`, '1=f32[4]:out', '2=3000'].flatMap((a) => ['--arg', a]),
  ]
  const dropped = ['--operator', 'DROP', '--json']
  it('the flags of a launch are those of a launch file; how many judge changes nothing', async () => {
    const byFile = await run('mutate', kernel, '--launch', `${folder}launch.json`, ...dropped)
    expect([byFile.status, byFile.stderr]).toEqual([0, ''])
    // by day both in one
    if (nightly) expect(await run('mutate', kernel, ...given, ...dropped)).toEqual(byFile)
    expect(await run('mutate', kernel, ...given, ...dropped, '--threads', '1')).toEqual(byFile)
  })
  it('data are those that are asked for, with whoever judges', async () => {
    const unheld = given.map((a) => a.replace(/=.*x\.npy$/u, '=f32[3000]'))
    const seen: unknown[] = []
    const watched: Hire = (known, size) => {
      seen.push(...known.cases.map(({ options }) => options['data']))
      return here(known, size)
    }
    const { status } = await running(worldWith({ hire: watched }))(
      'mutate',
      kernel,
      ...unheld,
      ...dropped,
      '--data',
      'zeros',
    )
    expect([status, seen]).toEqual([0, ['zeros']])
  })
  it.each(['run', 'trace', 'mutate'])('%s mends nothing: --mend is refused', async (command) => {
    const { status, stdout, stderr } = await run(command, kernel, ...given, '--mend', '1')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^tcspec: unknown option '--mend'[^\n]*\n$/)
  })
})
