/** .github/workflows: every step is an action of a version or a script that is there, no job may do more than it has to, and what is published is what was built. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = new URL('../../', import.meta.url).pathname
const folder = `${root}.github/workflows/`
interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}
interface Workflow {
  readonly name: string
  readonly permissions: object
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean }
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly needs?: string
        readonly permissions: Readonly<Record<string, string>>
        readonly steps: ReadonlyArray<Step>
      }
    >
  >
}
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}
const workflows = readdirSync(folder).map(
  (file) => [file, parse(readFileSync(`${folder}${file}`, 'utf8')) as Workflow] as const,
)

describe.each(workflows)('%s', (_, { permissions, jobs }) => {
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  it('may do nothing that a job does not ask for', () => {
    expect(permissions).toEqual({})
    for (const job of Object.values(jobs)) expect(Object.keys(job.permissions).length).toBeGreaterThan(0)
  })
  it('takes actions of a version, and scripts and files that are there', () => {
    for (const { uses, run } of steps) {
      if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/)
      for (const [, script] of (run ?? '').matchAll(/npm run (?:--silent )?([\w:]+)/g))
        expect(Object.keys(scripts)).toContain(script)
      for (const [, file] of (run ?? '').matchAll(/--config (\S+)/g))
        expect([file, existsSync(`${root}${file!}`)]).toEqual([file, true])
    }
    expect(steps.length).toBeGreaterThan(3)
  })
})

it('site.yml publishes the folder that npm run site writes, one push at a time, from a job that alone may', () => {
  const [, site] = workflows.find(([file]) => file === 'site.yml')!
  const { build, publish } = site.jobs
  expect(build!.permissions).toEqual({ contents: 'read' })
  expect(publish!.needs).toBe('build')
  expect(publish!.permissions).toEqual({ pages: 'write', 'id-token': 'write' })
  expect(site.concurrency).toEqual({ group: 'pages', 'cancel-in-progress': false })
  const upload = build!.steps.find(({ uses }) => uses?.startsWith('actions/upload-pages-artifact'))
  expect(upload?.with).toEqual({ path: 'site/dist' })
  const tool = readFileSync(`${root}tools/site.mjs`, 'utf8')
  expect(tool).toContain("new URL('../site/', import.meta.url)")
  expect(tool).toContain('const out = `${root}dist/`')
  expect(build!.steps.some(({ run }) => /npm run site -- "--tree=/.test(run ?? ''))).toBe(true)
})
