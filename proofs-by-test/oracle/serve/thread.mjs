/** A thread that does what its params say: answers, runs without an end, throws, ends itself, or takes memory until there is none. */
import { parentPort } from 'node:worker_threads'

export const perform = ({ number, params }) => {
  switch (params.does) {
    case 'spins':
      parentPort.postMessage({ task: number, progress: { what: 'spins', done: 0, of: 1 } })
      for (;;);
    case 'takes': {
      const until = performance.now() + params.milliseconds
      while (performance.now() < until);
      break
    }
    case 'throws':
      throw new Error('oh')
    case 'ends':
      process.exit(3)
      break
    case 'fills': {
      const kept = []
      for (;;) kept.push(new Array(10_000).fill(Math.random()))
    }
  }
  return { _tag: 'Right', right: JSON.stringify(params) }
}
