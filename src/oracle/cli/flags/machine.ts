/**
 * The flags that say how a program is run: over which scalar algebra, under which schedule, with which
 * arithmetic.
 *
 * | flag           | values                                                        |
 * |----------------|---------------------------------------------------------------|
 * | `--over`       | `bits`, `real64`, `field`, `field:SEED`, `unit`, `tiles`      |
 * | `--schedule`   | `eager`, `lazy`, `roundrobin`, `seeded:N`, `starving:AGENT[:EVENT],seeded:N`, each with detours (`eager 12=1:4/write.0`), `recorded:FILE` |
 * | `--arithmetic` | `hopper`, `blackwell` (documented, not measured), `ieee32`, `ieee32-fused` |
 * | `--tensor-pipe`| `issue-order`, `documented`                                   |
 *
 * Laws
 *  1. print(parse(text)) = text for every accepted text, but that `field` is printed as `field:0`
 *  2. every other text is refused with the list of what is accepted
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { arithmetics, type Arithmetic } from '../../../numerics/bits.js'
import { readDetour } from '../../../semantics/execution/policy.js'
import type { TensorPipe } from '../../../semantics/machine/world.js'
import { oneOf, parseSeed, refuseFlag, refuseWord, type FlagFailure } from './choice.js'

// ---------------------------------------------------------------- over

/** What an element is: see `numerics/algebra.ts`. `tiles` follows which input tiles reach an output tile. */
export type Over =
  | { readonly _tag: 'bits' }
  | { readonly _tag: 'real64' }
  | { readonly _tag: 'field'; readonly seed: number }
  | { readonly _tag: 'unit' }
  | { readonly _tag: 'tiles' }

export const parseOver = (text: string): E.Either<FlagFailure, Over> => {
  switch (text) {
    case 'bits':
    case 'real64':
    case 'unit':
    case 'tiles':
      return E.right({ _tag: text })
    case 'field':
      return E.right({ _tag: 'field', seed: 0 })
    default:
      return text.startsWith('field:')
        ? pipe(
            parseSeed('--over field', text.slice('field:'.length)),
            E.map((seed) => ({ _tag: 'field', seed })),
          )
        : refuseWord(
            '--over',
            ['bits', 'real64', 'field', 'unit', 'tiles'],
            text,
            'bits|real64|field[:SEED]|unit|tiles',
          )
  }
}

export const printOver = (over: Over): string =>
  over._tag === 'field' ? `field:${String(over.seed)}` : over._tag

// ---------------------------------------------------------------- schedule

/** Who steps next, and when an asynchronous operation performs. */
export type ScheduleFlag =
  | { readonly _tag: 'eager' }
  | { readonly _tag: 'lazy' }
  | { readonly _tag: 'roundrobin' }
  | { readonly _tag: 'seeded'; readonly seed: number }
  | {
      readonly _tag: 'starving'
      readonly agent: number
      readonly event: number | null
      readonly seed: number
    }
  | { readonly _tag: 'recorded'; readonly file: string }
  /** the name of a policy with detours (`semantics/execution/policy.ts`) */
  | { readonly _tag: 'detouring'; readonly name: string }

/** The name of a policy, and detours. */
const detouring = ([policy = '', ...words]: ReadonlyArray<string>): E.Either<FlagFailure, ScheduleFlag> =>
  pipe(
    parseSchedule(policy),
    E.chain(() => {
      const detours = words.map(readDetour)
      const wrong = detours.findIndex((d, i) => d === null || d.step <= (detours[i - 1]?.step ?? -1))
      return wrong < 0
        ? E.right<FlagFailure, ScheduleFlag>({ _tag: 'detouring', name: [policy, ...words].join(' ') })
        : refuseFlag(
            '--schedule',
            'detours STEP=EVENT in the order of their steps, such as 12=1:4/write.0',
            words[wrong] ?? '',
          )
    }),
  )

export const parseSchedule = (text: string): E.Either<FlagFailure, ScheduleFlag> => {
  const known = 'eager|lazy|roundrobin|seeded:N|starving:AGENT[:EVENT],seeded:N|recorded:FILE'
  switch (text) {
    case 'eager':
    case 'lazy':
    case 'roundrobin':
      return E.right({ _tag: text })
    default: {
      if (/^(?!recorded:)\S+\s/.test(text)) return detouring(text.trim().split(/\s+/))
      if (text.startsWith('seeded:')) {
        return pipe(
          parseSeed('--schedule seeded', text.slice('seeded:'.length)),
          E.map((seed) => ({ _tag: 'seeded', seed })),
        )
      }
      const starving = /^starving:(\d{1,15})(?::(\d{1,15}))?,seeded:(.*)$/s.exec(text)
      if (starving !== null) {
        const [, agent, event, seed = ''] = starving
        return pipe(
          parseSeed('--schedule starving:...,seeded', seed),
          E.map((n) => ({
            _tag: 'starving',
            agent: Number(agent),
            event: event === undefined ? null : Number(event),
            seed: n,
          })),
        )
      }
      const file = /^recorded:(.+)$/s.exec(text)?.[1]
      return file === undefined
        ? refuseWord(
            '--schedule',
            ['eager', 'lazy', 'roundrobin', 'seeded:N', 'starving:AGENT', 'recorded:FILE'],
            text,
            known,
          )
        : E.right({ _tag: 'recorded', file })
    }
  }
}

export const printSchedule = (schedule: ScheduleFlag): string => {
  switch (schedule._tag) {
    case 'seeded':
      return `seeded:${String(schedule.seed)}`
    case 'starving':
      return `starving:${String(schedule.agent)}${schedule.event === null ? '' : `:${String(schedule.event)}`},seeded:${String(schedule.seed)}`
    case 'recorded':
      return `recorded:${schedule.file}`
    case 'detouring':
      return schedule.name
    case 'eager':
    case 'lazy':
    case 'roundrobin':
      return schedule._tag
  }
}

// ---------------------------------------------------------------- arithmetic, tensor pipe

/** Whose tensor cores multiply: Hopper's measured rule, Blackwell's documented one, or every product and sum rounded to f32. */
export const parseArithmetic: (text: string) => E.Either<FlagFailure, Arithmetic> = oneOf(
  '--arithmetic',
  arithmetics,
)

/** How the lanes of a warp are judged. */
export const parseLanes: (text: string) => E.Either<FlagFailure, 'threads' | 'converged' | 'off'> = oneOf(
  '--lanes',
  ['threads', 'converged', 'off'] as const,
)

export const tensorPipes = ['issue-order', 'documented'] as const
/** Are MMAs of one thread with different accumulators ordered? `issue-order`: yes, as shipped kernels rely on. */
export type TensorPipeFlag = (typeof tensorPipes)[number]
const tensorPipeFlag: (text: string) => E.Either<FlagFailure, TensorPipeFlag> = oneOf(
  '--tensor-pipe',
  tensorPipes,
)

/** As the machine takes it. */
export const parseTensorPipe = (text: string): E.Either<FlagFailure, TensorPipe> =>
  pipe(
    tensorPipeFlag(text),
    E.map((pipeline) => (pipeline === 'documented' ? 'documented' : 'issueOrder')),
  )
