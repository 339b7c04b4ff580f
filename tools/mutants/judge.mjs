/**
 * One process of a run of mutants, in the folder of a build. It is sent what to do, answers, and ends:
 *
 *     { cover: file }                         all tests of a file, with no mutant active: which of them come to which mutants
 *     { mutant, most, plan: [[file, tests]] } these tests, with one active, until one fails
 */
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

process.env.VITEST = 'true'
const state = (globalThis.__stryker__ ??= {})
state.mutantCoverage = { static: {}, perTest: {} }
const addressOf = (file) => pathToFileURL(`${process.cwd()}/${file}`).href
const textOf = (error) => String(error?.message ?? error).slice(0, 200)

const tell = (answer) => process.send(answer, () => process.exit(0))
// a process that is wrong in any way has noticed its mutant
const noticed = (by) => (error) => tell({ killed: true, by, message: textOf(error) })
process.on('unhandledRejection', noticed('what nothing waits for'))
process.on('uncaughtException', noticed('what nothing catches'))

const begin = async () => {
  const { runFile } = await import('./proofs.mjs')
  await import(addressOf('proofs-by-test/setup.js'))
  const { configureGlobal, readConfigureGlobal } = await import('fast-check')
  configureGlobal({ ...readConfigureGlobal(), seed: 1 })
  return runFile
}

const cover = async (file) => {
  const runFile = await begin()
  const tests = []
  const start = performance.now()
  let error = null
  try {
    await runFile(
      addressOf(file.replace(/ts$/u, 'js')),
      null,
      ({ i, ms, error: failed }) => {
        tests.push({ i, ms, failed: failed !== null })
        return false
      },
      (what) => {
        state.currentTestId = what ?? undefined
      },
    )
  } catch (thrown) {
    error = textOf(thrown)
  }
  tell({ file, tests, error, ms: performance.now() - start, hits: state.mutantCoverage.perTest })
}

const judge = async ({ mutant, most, plan }) => {
  state.activeMutant = mutant
  state.hitCount = 0
  state.hitLimit = most
  let ran = 0
  try {
    const runFile = await begin()
    for (const [file, tests] of plan) {
      let by = null
      await runFile(addressOf(file.replace(/ts$/u, 'js')), new Set(tests), ({ i, name, error }) => {
        ran += 1
        if (error !== null) by = { killed: true, by: `${file}#${i} ${name}`, message: textOf(error) }
        return by !== null
      })
      if (by !== null) return tell(by)
    }
  } catch (thrown) {
    return noticed('a module that does not load')(thrown)
  }
  return tell({ killed: false, ran })
}

process.once('message', (asked) => (asked.cover === undefined ? judge(asked) : cover(asked.cover)))
