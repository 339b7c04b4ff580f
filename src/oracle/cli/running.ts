/**
 * A subject that is run and not judged, whatever it is written in: what `trace` shows of it, and what `time` measures.
 *
 * | of                    | first run over                              | run again                          |
 * |-----------------------|---------------------------------------------|------------------------------------|
 * | a program of the core | nothing: the algebra with one value         | on seeded data, where data decide  |
 * | PTX                   | the data of its launch, or shadows, as asked | never                              |
 *
 * PTX and programs differ in where their data come from, in what a run may cost, and in where a statement's line is. A command that knew both would say each of these
 * twice, so they are one interface here, and `trace` and `time` know no PTX.
 *
 * Law 1. A subject is run again only where `lacksData` says that the first run lacked data, and then once.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import { sourceOf } from '../../semantics/execution/launch.js'
import { noArguments, type Arguments, type Source } from '../../semantics/machine/source.js'
import type { World as Launched } from '../../semantics/machine/world.js'
import { footingOf, registersOf, type Footing } from '../../semantics/timing/index.js'
import { multiplyAdds } from '../parallel/spread.js'
import type { Options, World } from './command.js'
import { wordOf } from './flags/words.js'
import { fuelFor, fuelForPtx } from './judging.js'
import { ptxShown, type PtxSubject } from './ptx.js'
import { refuseData } from './ptx-data.js'
import { withDataIfWanted } from './seeded.js'
import { namedSubject, subjectAsked } from './subject.js'
import { languageAsked, type LanguageName } from './written-in.js'

/** What one run is made of. */
export interface Once {
  readonly source: Source
  readonly algebra: Algebra
  readonly given: Arguments
}

export interface Running {
  readonly over: <A>(
    once: (of: Once) => E.Either<Failure, A>,
    lacksData: (found: A) => boolean,
  ) => E.Either<Failure, A>
  /** how many events it may have, by what it will cost */
  readonly fuel: () => E.Either<Failure, number>
  /** what one of its CTAs takes of a multiprocessor */
  readonly footing: (launched: Launched) => Footing
  /** the author's line of a statement, by its site */
  readonly lineOf: (site: number) => { readonly place: string; readonly text: string } | null
}

type Named = (world: World, name: string, options: Options) => E.Either<Failure, Running>

/** Given to the launch of a run that is timed, which has an event for each load (`semantics/timing/time.ts`). */
const readingAloud: Arguments = Object.assign({}, noArguments, { aloud: true as const })

const ofPtx = (
  file: string,
  options: Options,
  subject: PtxSubject,
  given: Arguments = noArguments,
): Running => {
  const { source, algebra, launched, authored } = subject
  const { program } = launched.elaborated
  const { block, dynamicBytes } = launched.arguments
  return {
    over: (once) => once({ source, algebra, given }),
    fuel: () => fuelForPtx(options, file, launched.arguments),
    footing: () => ({
      threads: block.reduce((n, x) => n * x, 1),
      registers: registersOf(program),
      shared: program.sharedBytes + dynamicBytes,
    }),
    lineOf: (number) => {
      const site = program.sites[number]
      return site === undefined ? null : authored(site)
    },
  }
}

const ofProgram: Named = (world, name, options) =>
  pipe(
    subjectAsked(options),
    E.chainFirstW(() => refuseData(name, options)),
    E.chainW((asked) => namedSubject(world, name, asked)),
    E.map((subject): Running => {
      const source = sourceOf(subject.program)
      return {
        over: (once, lacksData) =>
          withDataIfWanted(
            subject,
            (algebra, tensors) => once({ source, algebra, given: { scalars: new Map(), tensors } }),
            lacksData,
          ),
        fuel: () => fuelFor(options, subject.program, subject.multiplyAdds ?? multiplyAdds(subject.program)),
        footing: footingOf,
        lineOf: () => null,
      }
    }),
  )

/** Without the data of its inputs, if that is not said otherwise: what a kernel waits for is seldom a matter of data. */
const withoutData = (options: Options): Options =>
  wordOf(options, 'over') === null && wordOf(options, 'data') === null
    ? Object.assign({}, options, { over: 'shadow' })
    : options

const inLanguages =
  (named: Readonly<Record<LanguageName, Named>>): Named =>
  (world, name, options) =>
    named[languageAsked(name, options).name](world, name, options)

/** A kernel, a program, a module or PTX that a command line names, on the data that its flags say. */
export const runningSubject: Named = inLanguages({
  ptx: (world, name, options) =>
    pipe(
      ptxShown(world, name, options),
      E.map((subject) => ofPtx(name, options, subject)),
    ),
  ttgir: ofProgram,
  core: ofProgram,
})

/** The same for its time: without data unless they are asked for, and each read of memory is an event. */
export const timedSubject: Named = inLanguages({
  ptx: (world, name, options) =>
    pipe(
      ptxShown(world, name, withoutData(options)),
      E.map((subject) => ofPtx(name, options, subject, readingAloud)),
    ),
  ttgir: ofProgram,
  core: ofProgram,
})
