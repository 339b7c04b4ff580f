/** The crew on threads: every request has an answer, whatever becomes of its thread, and threads that were ended are replaced. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../src/oracle/serve/answer.js'
import type { Crew, Work } from '../../../src/oracle/serve/conversation.js'
import { crewOf } from '../../../src/oracle/serve/crew.js'

const setting = { version: '0', conformance: null, folder: null, mostBytes: 1000 }
let crew: Crew
beforeAll(() => {
  crew = crewOf(new URL('thread.mjs', import.meta.url), setting, { threads: 2, memory: 64 })
})
afterAll(() => crew.close())

const ask = (params: object, method: string = 'check'): Work => crew.ask(method, params, null)
const done = { _tag: 'Right', right: '{"does":"answers"}' }
const refusedAs = (code: number, word: string): object => ({ left: { code, data: { code: word } } })
/** One that has begun. */
const spinning = async (): Promise<Work> => {
  let begun: () => void = () => undefined
  const told = new Promise<void>((resolve) => {
    begun = resolve
  })
  const work = crew.ask('check', { does: 'spins' }, begun)
  await told
  return work
}

describe('law 1', () => {
  test('an answer, and what ends its thread', async () => {
    const found: Answer[] = []
    for (const does of ['answers', 'throws', 'ends', 'fills', 'answers'])
      found.push(await ask({ does }).answer)
    expect(found).toMatchObject([
      done,
      refusedAs(4, 'stopped'),
      refusedAs(4, 'stopped'),
      refusedAs(4, 'memory'),
      done,
    ])
  })
  test('what does not stop loses its thread; what waited behind it is answered', async () => {
    const both = [await spinning(), await spinning()]
    const waiting = Array.from({ length: 4 }, () => ask({ does: 'answers' }))
    // a quick question has a thread of its own
    expect(await ask({ does: 'answers' }, 'layout').answer).toEqual(done)
    for (const work of both) work.stop()
    for (const work of both) expect(await work.answer).toMatchObject(refusedAs(-32800, 'cancelled'))
    for (const work of waiting) expect(await work.answer).toEqual(done)
  })
  test('what has not begun leaves its queue; what ends by itself keeps its thread', async () => {
    const both = [await spinning(), await spinning()]
    const third = ask({ does: 'spins' })
    third.stop()
    expect(await third.answer).toMatchObject(refusedAs(-32800, 'cancelled'))
    for (const work of both) work.stop()
    for (const work of both) await work.answer
    // its thread is there
    await ask({ does: 'answers' }).answer
    const short = ask({ does: 'takes', milliseconds: 20 })
    short.stop()
    expect(await short.answer).toMatchObject({ _tag: 'Right' })
  })
  test('closing answers what is left', async () => {
    const other = crewOf(new URL('thread.mjs', import.meta.url), setting, { threads: 1, memory: 64 })
    const left = other.ask('check', { does: 'spins' }, null)
    await other.close()
    expect(await left.answer).toMatchObject({ _tag: 'Left' })
  })
})
