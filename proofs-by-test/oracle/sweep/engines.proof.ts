/**
 * The ready files of docs/sweeps: each is parsed, and what its containers, tasks and steps would run is run, in a folder of its own, with the variables that
 * the engine would set; then its parts are merged, as it says, and are the whole.
 *
 * `npx` is a script in front of the path. By day it writes down what it was asked, and the sweep is made here; by night it is the program.
 */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { besideDocument } from '../../../src/oracle/sweep/grid.js'
import { journalOnDisk } from '../../../src/oracle/sweep/journal.js'
import { alone } from '../../../src/oracle/sweep/staff.js'
import { nightly } from '../../extent.js'
import { packageIn, stripped } from '../built.js'
import { ask, bare, small, worldWith } from './world.js'

const folder = fileURLToPath(new URL('../../../docs/sweeps/', import.meta.url))
const text = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8')

let root = ''
let expected = ''
const executable = (file: string, script: string): void => {
  fs.writeFileSync(path.join(root, file), `#!/bin/sh\n${script}`, { mode: 0o755 })
}
beforeAll(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-engines-'))
  fs.mkdirSync(path.join(root, 'bin'))
  const main = packageIn(root)
  if (nightly) stripped(root)
  executable(
    'bin/npx',
    nightly
      ? `test "$1 $2" = '--no-install tcspec' && shift 2 && exec ${process.execPath} ${main} "$@"\n`
      : `printf '%s\\n' "$@" > asked; exit "$STATUS"\n`,
  )
  fs.writeFileSync(path.join(root, 'grid.json'), JSON.stringify(small))
  await made(root, ['sweep', 'grid.json', '-o', 'whole.jsonl'])
  await made(root, ['sweep', 'merge', 'whole.jsonl', '-o', 'whole.merged'])
  expected = fs.readFileSync(path.join(root, 'whole.merged'), 'utf8')
}, 120_000)
afterAll(() => {
  fs.rmSync(root, { recursive: true, force: true })
})

/** A sweep in a folder, as if that were the working directory: by the program, or here. */
const made = async (dir: string, argv: ReadonlyArray<string>): Promise<number | null> => {
  if (nightly)
    return spawnSync(process.execPath, [path.join(root, 'dist/oracle/cli/main.js'), ...argv], { cwd: dir })
      .status
  const files = besideDocument(`${dir}/`, bare.files)
  const world = worldWith({
    hire: ({ cases, directory }) => alone({ ...bare, files: besideDocument(directory, files) }, cases),
    journal: (file, goesOn) => journalOnDisk(path.join(dir, file), goesOn),
  })
  const { status, stderr } = await ask({ ...world, files }, ...argv)
  expect([argv.join(' '), stderr]).toEqual([argv.join(' '), ''])
  return status
}

type Variables = Readonly<Record<string, string>>

/** Runs the words, in which `npx` ends with this status: the status of the words. */
const shell = (dir: string, words: ReadonlyArray<string>, env: Variables, status: number): number | null => {
  const { PATH, HOME } = process.env
  const ran = spawnSync(words[0]!, words.slice(1), {
    cwd: dir,
    encoding: 'utf8',
    env: { HOME, PATH: `${path.join(root, 'bin')}:${PATH ?? ''}`, STATUS: String(status), ...env },
  })
  expect(ran.stderr).toBe('')
  return ran.status
}

/** A folder in which an engine works. */
const place = (name: string): string => {
  const dir = path.join(root, name)
  fs.mkdirSync(dir)
  fs.copyFileSync(path.join(root, 'grid.json'), path.join(dir, 'grid.json'))
  return dir
}

/** Runs the words as the engine would, and what they ask of `npx`. */
const run = async (dir: string, words: ReadonlyArray<string>, env: Variables): Promise<number | null> => {
  if (nightly) return shell(dir, words, env, 0)
  shell(dir, words, env, 0)
  const [first, second, ...argv] = fs.readFileSync(path.join(dir, 'asked'), 'utf8').trimEnd().split('\n')
  expect([first, second]).toEqual(['--no-install', 'tcspec'])
  const status = await made(dir, argv)
  return shell(dir, words, env, status ?? -1)
}

/** All parts, then what puts them together. */
const whole = async (
  name: string,
  parts: ReadonlyArray<readonly [ReadonlyArray<string>, Variables]>,
  merge: ReadonlyArray<string>,
): Promise<void> => {
  const dir = place(name)
  for (const [words, env] of parts) expect([env, await run(dir, words, env)]).toEqual([env, 0])
  expect(fs.readdirSync(dir).filter((f) => f.endsWith('.jsonl')).length).toBe(parts.length)
  // a bad point in it
  expect(await run(dir, merge, {})).toBe(1)
  expect(fs.readFileSync(path.join(dir, 'merged.jsonl'), 'utf8')).toBe(expected)
  // verdicts are no reason to try again; anything else is
  const [words, env] = parts[0]!
  if (!nightly)
    expect([0, 1, 2, 3, 70, 130, 137].filter((status) => shell(dir, words, env, status) === 0)).toEqual([
      0, 1, 3,
    ])
}

/** The command that a file's comment gives for what comes behind. */
const mergeIn = (file: string): string => {
  const line = /npx --no-install tcspec sweep merge [^'\n]*/.exec(text(file))?.[0]
  expect(line).toBeDefined()
  return line!
}

interface Job {
  readonly kind: string
  readonly spec: {
    readonly completionMode: string
    readonly completions: number
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string
        readonly containers: ReadonlyArray<{
          readonly image: string
          readonly workingDir: string
          readonly command: ReadonlyArray<string>
          readonly env: ReadonlyArray<{ readonly name: string; readonly value: string }>
          readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>
        }>
        readonly volumes: ReadonlyArray<{ readonly name: string }>
      }
    }
  }
}

test('Kubernetes: the pods of the Indexed Job', async () => {
  const { kind, spec } = parse(text('kubernetes.yaml')) as Job
  const { containers, restartPolicy, volumes } = spec.template.spec
  const [container] = containers
  expect([kind, spec.completionMode, restartPolicy, containers.length]).toEqual([
    'Job',
    'Indexed',
    'OnFailure',
    1,
  ])
  const { image, command, env, workingDir, volumeMounts } = container!
  expect(image).toBe('node:20')
  expect(volumeMounts).toEqual([{ name: volumes[0]!.name, mountPath: workingDir }])
  const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]))
  expect(variables).toEqual({ PARTS: String(spec.completions) })
  await whole(
    'kubernetes',
    Array.from({ length: spec.completions }, (_, k) => [
      command,
      { ...variables, JOB_COMPLETION_INDEX: String(k) },
    ]),
    ['sh', '-c', mergeIn('kubernetes.yaml')],
  )
})

// by day the pods alone
test.skipIf(!nightly)('Slurm: the tasks of the job array', async () => {
  const directives = new Map(
    [...text('slurm.sbatch').matchAll(/^#SBATCH --([\w-]+)(?:=(.*))?$/gm)].map((m) => [m[1]!, m[2] ?? '']),
  )
  const [from, to] = directives.get('array')!.split('-').map(Number)
  expect(from).toBe(1)
  expect(text('slurm.sbatch')).toMatch(/^#!\/bin\/bash\n/)
  await whole(
    'slurm',
    Array.from({ length: to! }, (_, k) => [
      ['bash', path.join(folder, 'slurm.sbatch')],
      {
        SLURM_ARRAY_TASK_ID: String(k + 1),
        SLURM_ARRAY_TASK_COUNT: String(to),
        SLURM_CPUS_PER_TASK: directives.get('cpus-per-task')!,
      },
    ]),
    ['sh', '-c', mergeIn('slurm.sbatch')],
  )
})

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Variables
  readonly with?: Readonly<Record<string, unknown>>
}
interface Workflow {
  readonly jobs: {
    readonly shard: {
      readonly strategy: { readonly matrix: { readonly part: ReadonlyArray<number> } }
      readonly steps: ReadonlyArray<Step>
    }
    readonly merge: { readonly needs: string; readonly steps: ReadonlyArray<Step> }
  }
}

describe('GitHub Actions', () => {
  const workflow = parse(text('github.yml')) as Workflow
  const { shard, merge } = workflow.jobs
  const step = (steps: ReadonlyArray<Step>, name: string): Step => steps.find((s) => s.name === name)!
  /** As the runner does it. */
  const bash = (script: string): ReadonlyArray<string> => [
    'bash',
    '--noprofile',
    '--norc',
    '-eo',
    'pipefail',
    '-c',
    script,
  ]
  test.skipIf(!nightly)('the jobs of the matrix', async () => {
    const { part } = shard.strategy.matrix
    const { run: script, env } = step(shard.steps, 'sweep')
    const filled = (k: number): Variables =>
      Object.fromEntries(
        Object.entries(env!).map(([name, value]) => [
          name,
          value
            .replace('${{ matrix.part }}', String(k))
            .replace('${{ strategy.job-total }}', String(part.length)),
        ]),
      )
    expect(JSON.stringify(part.map(filled))).not.toContain('$')
    await whole(
      'github',
      part.map((k) => [bash(script!), filled(k)]),
      bash(step(merge.steps, 'merge').run!),
    )
  })
  test('every part is handed on, and what is merged is kept', () => {
    const using = (steps: ReadonlyArray<Step>, action: string): Step['with'] =>
      steps.find((s) => s.uses === action)?.with
    expect(using(shard.steps, 'actions/setup-node@v4')).toEqual({ 'node-version': 20 })
    expect(using(shard.steps, 'actions/upload-artifact@v4')).toMatchObject({
      name: 'part-${{ matrix.part }}',
      path: 'part-${{ matrix.part }}.jsonl',
    })
    expect(using(merge.steps, 'actions/download-artifact@v4')).toEqual({
      pattern: 'part-*',
      'merge-multiple': true,
    })
    expect(using(merge.steps, 'actions/upload-artifact@v4')).toMatchObject({ path: 'merged.jsonl' })
    expect(merge.needs).toBe('shard')
  })
})
