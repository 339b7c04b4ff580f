/**
 * Mutants held against proofs, one process for each, on so many processors.
 *
 * First every proof that comes to a file with mutants runs once, those of the rooms first and for half of the time at most, to say which of its tests come to which
 * mutants. Then each mutant is run against the tests that come
 * to it: those of its module first, then those of its folder, of its room, and all others, the quickest first, for 10 seconds of their time. One that survives
 * waits until all others have had their turn, and gets 20, 40 and 80 seconds more, as long as there is time.
 *
 * What a module does when it is read, and what a table keeps, is not done again by a later test. So a mutant that is come to when a module is read is held against all
 * tests of a file; and in its second turn any mutant is, of the files of its folder.
 */
import { fork } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { clearTimeout, setTimeout } from 'node:timers'
import { fileURLToPath, URL } from 'node:url'
import { isNear } from './room.mjs'

const judge = fileURLToPath(new URL('judge.mjs', import.meta.url))
const flags = [
  '--max-semi-space-size=64',
  '--single-threaded-gc',
  '--stack-size=2000',
  // most processes are short
  '--interrupt-budget=3000000',
  '--sparkplug',
  '--always-sparkplug',
]
const seconds = [10, 20, 40, 80]
const mostFiles = 60
const longestFile = 60_000

/** Asks a process of its own; null: it was ended, for it took too long. */
const ask = (folder, question, limit) =>
  new Promise((done) => {
    const child = fork(judge, [], {
      cwd: folder,
      execArgv: flags,
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    let answer
    const timer = setTimeout(() => child.kill('SIGKILL'), limit)
    child.once('message', (told) => {
      answer = told
    })
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      done(answer ?? (signal === 'SIGKILL' ? null : { killed: true, by: `the process ended with ${code}` }))
    })
    child.send(question)
  })

/** All of these done, so many at a time. */
const each = async (items, workers, work) => {
  const left = [...items]
  const next = async () => {
    while (left.length > 0) await work(left.shift())
  }
  await Promise.all(Array.from({ length: workers }, next))
}

/** What the proofs come to, in the order given and until it is time: of each its tests, and how often each of them comes to which mutants. */
const coverage = async (folder, proofs, workers, until) => {
  const found = new Map()
  await each(proofs, workers, async (file) => {
    if (Date.now() > until) return
    const told = await ask(folder, { cover: file }, longestFile)
    if (told?.tests !== undefined && told.error === null) found.set(file, told)
  })
  return found
}

const ownOf = ({ fileName }) => fileName.replace(/^src\//u, 'proofs-by-test/').replace(/\.ts$/u, '.')

/**
 * Judges mutants of a build. `until`: when it is to be done, in milliseconds of the clock. Each result is written to `log` as it comes: `killed` and by what, `survived`
 * with how many files are left that come to it, or `unreached`.
 */
export const judged = async ({ folder, mutants, proofs, workers, until, log, say }) => {
  writeFileSync(log, '')
  const near = new Map(mutants.map(({ room }) => [room, isNear(room)]))
  const isOfRoom = (file) => [...near.values()].some((is) => is(file))
  const nearest = [...proofs.keys()].sort((a, b) => Number(isOfRoom(b)) - Number(isOfRoom(a)))
  // at least half of the time is for judging
  const covered = await coverage(folder, nearest, workers, (Date.now() + until) / 2)
  say(`${covered.size} of ${proofs.size} files of proofs come to them`)
  const early = new Set([...covered.values()].flatMap(({ hits }) => Object.keys(hits.import ?? {})))
  const results = new Map()
  const queue = mutants.map((m) => ({ ...m, turn: 0, ran: new Set() }))

  const filesFor = (m) => {
    const home = `proofs-by-test/${m.room}/`
    const files = []
    for (const [file, { tests, hits }] of covered) {
      const isHome = file.startsWith(home)
      if (m.ran.has(`${file}${isHome && m.turn > 0 ? ' whole' : ''}`)) continue
      if (!proofs.get(file).has(m.fileName)) continue
      const right = tests.filter(({ failed }) => !failed)
      const comes = (what) => (hits[what]?.[m.id] ?? 0) > 0
      const some =
        early.has(m.id) || comes('import') || comes('hooks')
          ? right
          : right.filter(({ i }) => comes(String(i)))
      if (some.length === 0) continue
      const those = isHome && m.turn > 0 ? right : some
      files.push({
        file,
        tests: those.map(({ i }) => i),
        hits: Object.values(hits).reduce((sum, of) => sum + (of[m.id] ?? 0), 0),
        // a module is read, too
        cost: 300 + those.reduce((sum, { ms }) => sum + ms, 0),
        far: file.startsWith(ownOf(m)) ? 0 : isHome ? 1 : near.get(m.room)(file) ? 2 : 3,
      })
    }
    return files.sort((a, b) => a.far - b.far || a.cost - b.cost)
  }

  const tell = (m, result) => {
    const { room, rank, fileName, location, mutatorName, replacement } = m
    const all = { room, rank, fileName, location, mutatorName, replacement, ...result }
    results.set(m.id, all)
    appendFileSync(log, `${JSON.stringify(all)}\n`)
  }

  const turn = async (m) => {
    const files = filesFor(m)
    if (files.length === 0) {
      if (m.ran.size === 0) tell(m, { status: 'unreached' })
      return
    }
    const plan = []
    let cost = 0
    const budget = 1000 * seconds[Math.min(m.turn, seconds.length - 1)]
    for (const f of files)
      if (plan.length === 0 || (cost + f.cost <= budget && plan.length < mostFiles)) {
        plan.push(f)
        cost += f.cost
      }
    // a machine may be busy with other work, too
    const patience = 4 * cost + 60_000
    const limit = Math.min(patience, until - Date.now())
    const hits = plan.reduce((sum, f) => sum + f.hits, 0)
    const told = await ask(
      folder,
      { mutant: m.id, most: Math.max(2000, 50 * hits), plan: plan.map(({ file, tests }) => [file, tests]) },
      Math.max(limit, 1),
    )
    // the end of the run says nothing of it
    if (told === null && limit < patience) return
    if (told === null || told.killed) {
      tell(m, { status: 'killed', by: told?.by ?? 'time', message: told?.message ?? '' })
      return
    }
    for (const { file } of plan) {
      m.ran.add(file)
      if (m.turn > 0) m.ran.add(`${file} whole`)
    }
    tell(m, { status: 'survived', by: plan.map(({ file }) => file), left: files.length - plan.length })
    queue.push({ ...m, turn: m.turn + 1 })
  }

  const work = async () => {
    while (queue.length > 0 && Date.now() < until) {
      queue.sort((a, b) => a.turn - b.turn || a.rank - b.rank)
      await turn(queue.shift())
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return [...results.values()]
}
