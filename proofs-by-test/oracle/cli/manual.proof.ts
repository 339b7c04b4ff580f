/** The manual, its roff and completion are what the commands say of themselves. `TCSPEC_REGENERATE=1` writes both files. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { offers } from '../../../src/oracle/cli/completion.js'
import { manual } from '../../../src/oracle/cli/manual.js'
import { wholeParser } from '../../../src/oracle/cli/program.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = `${root}docs/CommandLine.md`
const roff = `${root}man/tcspec.1`
const { version } = JSON.parse(fs.readFileSync(`${root}package.json`, 'utf8')) as { version: string }

let parser: Command
beforeAll(async () => {
  parser = await wholeParser(commands, version)
})

/** The page as a manual page, dated by the change log's year so that it is the same tomorrow. */
const roffOf = (file: string): string => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`${root}node_modules/marked-man/bin/marked-man.js`, '--version', version, file],
    { encoding: 'utf8', env: { ...process.env, SOURCE_DATE_EPOCH: '1767225600' } },
  )
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

describe('the manual', () => {
  it('docs/CommandLine.md is what the commands say', () => {
    const text = manual(parser)
    if (process.env['TCSPEC_REGENERATE'] !== undefined) fs.writeFileSync(page, text)
    expect(fs.readFileSync(page, 'utf8')).toBe(text)
    for (const command of parser.commands)
      for (const option of command.options) expect(text).toContain(option.flags)
  })
  it('man/tcspec.1 is that page', () => {
    const text = roffOf(page)
    if (process.env['TCSPEC_REGENERATE'] !== undefined) {
      fs.mkdirSync(`${root}man`, { recursive: true })
      fs.writeFileSync(roff, text)
    }
    expect(fs.readFileSync(roff, 'utf8')).toBe(text)
    expect(text).toMatch(/^\.TH "TCSPEC" "1"/)
  })
})

describe('completion', () => {
  const named = (line: string): ReadonlyArray<string> => {
    const words = line.split(' ')
    return offers(parser, words.slice(0, -1), words.at(-1)!).map(({ name }) => name)
  }
  it('at the first word: commands', () => {
    expect(named('')).toEqual(commands.map((c) => c.name))
    expect(named('tr')).toEqual(['trace', 'transform'])
    expect(named('quite')).toEqual([])
  })
  it('options of the command, and of no other', () => {
    expect(named('compare --')).toContain('--dtype')
    expect(named('compare --')).not.toContain('--over')
    expect(named('compare -')).toEqual(named('compare --'))
    expect(named('nothing --')).toEqual([])
  })
  it('kernels where one may stand, and its settings', () => {
    expect(named('check hopper-ma')).toEqual(['hopper-matmul'])
    expect(named('run zoo/R1')).toContain('zoo/R1')
    expect(named('run queue --json que')).toEqual([])
    expect(named('run hopper-matmul --set tile')).toEqual(['tileM=', 'tileN=', 'tileK='])
    expect(named('run hopper-matmul --set m=1 til')).toEqual(named('run hopper-matmul --set til'))
    expect(named('run nothing --set ')).toEqual([])
  })
  it('layouts where one may stand', () => {
    expect(named('layout WGMMA_T')).not.toEqual([])
    expect(named('banks WGMMA')).toContain('WGMMA')
    expect(named('transform WG')).toEqual([])
  })
  it('law 1: what is offered begins with what was typed', () => {
    for (const command of commands)
      for (const typed of ['-', '--o', 'h', 'zoo/R', 'W'])
        for (const name of named(`${command.name} ${typed}`)) expect(name.startsWith(typed)).toBe(true)
  })
})
