/** docs/Serve.md: what is said is heard so, the Python prints what it should, and the methods are those of the code. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { methodsOf } from '../../../src/oracle/serve/answer.js'
import { conversation, type Crew } from '../../../src/oracle/serve/conversation.js'
import { commonParams } from '../../../src/oracle/serve/methods.js'
import { numbers } from '../../../src/oracle/serve/refusal.js'
import { suites } from '../../../src/oracle/vectors/index.js'
import { nightly } from '../../extent.js'
import { answers } from './here.js'

const file = new URL('../../../docs/Serve.md', import.meta.url)
const page = fs.readFileSync(file, 'utf8')
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Answers in this thread; what would take minutes is not answered. */
const crew: Crew = {
  ask: (method, params, progress) => ({
    answer:
      JSON.stringify(params) === '{"kernel":"hopper-matmul"}'
        ? new Promise(() => undefined)
        : answers(method, params, progress),
    stop: () => undefined,
  }),
  close: () => Promise.resolve(),
}

/** `...` is anything. */
const pattern = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('...')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  )

describe('the page', () => {
  const dialogues = [...page.matchAll(/```\n(> [^]*?)```/g)].map((m) => m[1]!.trimEnd().split('\n'))
  test('has dialogues', () => {
    expect(dialogues).toHaveLength(2)
  })
  test.each(dialogues.map((lines) => ({ lines, first: lines[0]! })))('$first', async ({ lines }) => {
    const said: string[] = []
    const talk = conversation(crew, suites, { line: 2 ** 20, result: 2 ** 20, requests: 9 }, (line) =>
      said.push(line),
    )
    let expected: string[] = []
    const heard = async (): Promise<void> => {
      const isOpen = expected.includes('...')
      const wanted = expected.filter((line) => line !== '...')
      for (
        let i = 0;
        i < 2000 &&
        (said.length < wanted.length || (isOpen && !pattern(wanted.at(-1)!).test(said.at(-1) ?? '')));
        i++
      )
        await new Promise((resolve) => setTimeout(resolve, 5))
      if (!isOpen) expect(said).toHaveLength(wanted.length)
      let at = 0
      for (const line of wanted) {
        const found = said.findIndex((one, i) => i >= at && pattern(line).test(one))
        expect([line, found >= 0, found < 0 ? said.slice(at) : []]).toEqual([line, true, []])
        at = found + 1
      }
      said.length = 0
      expected = []
    }
    for (const line of lines) {
      if (line.startsWith('> ')) {
        if (expected.length > 0) await heard()
        talk.hear(new TextEncoder().encode(`${line.slice(2)}\n`))
      } else expected.push(line.slice(2))
    }
    await heard()
  })
  test('knows every number and word of a refusal', () => {
    for (const [word, number] of Object.entries(numbers))
      if (word !== 'refused')
        expect(page).toMatch(new RegExp(`^\\| ${String(number)} +\\| [^|]*\`${word}\``, 'm'))
  })
  test('lists the methods', async () => {
    const rows = (await methodsOf(commands)).map(({ name, says, params, documents }) => {
      const { properties, required } = params.schema as {
        readonly properties: object
        readonly required: ReadonlyArray<string>
      }
      const own = Object.keys(properties).filter((p) => !commonParams.includes(p))
      const shown = own.map((p) => (required.includes(p) ? `**${p}**` : p)).join(', ')
      return `| \`${name}\` | ${says} | ${shown} | ${documents.map((d) => `\`${d.replace('tcspec.', '')}\``).join(', ')} |`
    })
    const itself = [
      '| `methods` | the methods, with schemas | | `methods/1` |',
      '| `version` | versions of the package and of Node.js | | `version/1` |',
      '| `ask/SUITE` | a question of a suite of the vectors, as [`tcspec score`](Score.md) asks it | the question | the answer |',
    ]
    const table = [
      '| method | answers | params (needed ones in bold) | result |',
      '| --- | --- | --- | --- |',
      ...rows,
      ...itself,
    ]
    const cells = (text: string): string => text.replace(/ +/g, ' ').replace(/-+/g, '-')
    const between = /(<!-- methods -->\n)([^]*?)(\n?<!-- end of methods -->)/
    if (process.env['TCSPEC_REGENERATE'] !== undefined)
      fs.writeFileSync(
        file,
        page.replace(
          between,
          (_, a: string, __, b: string) => `${a}\n${table.join('\n')}\n\n${b.trimStart()}`,
        ),
      )
    expect(cells(between.exec(fs.readFileSync(file, 'utf8'))?.[2]?.trim() ?? '')).toBe(
      cells(table.join('\n')),
    )
  })
  // a process is started for it
  test.runIf(nightly)('its Python prints what it says', () => {
    const program = /```python\n([^]*?)```/.exec(page)?.[1] ?? ''
    const ran = spawnSync('python3', ['-c', program], {
      encoding: 'utf8',
      env: {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONPATH: `${root}python`,
        TCSPEC: `${process.execPath} ${fileURLToPath(new URL('serve-of-sources.mjs', import.meta.url))}`,
      },
    })
    expect(ran.stderr).toBe('')
    expect(ran.stdout.split('\n')).toEqual([
      '[0, 2]',
      'hazard',
      '[1065353216, 0, 0, 1065353216]',
      'kernel.unknown',
      'ok',
      '',
    ])
  })
})
