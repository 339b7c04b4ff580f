/**
 * What a sweep is made of, as plain data: cases, tasks and answers, and those who do the tasks.
 *
 * It names no module of the command line, so that the world of a command may have a staff in it.
 */
import type { Verdict, VerdictName, Way } from '../../semantics/judging/verdict.js'
import type { JudgedMutant } from '../../semantics/mutation/index.js'

// ---------------------------------------------------------------- questions and answers

/** A flag's value, as the parser of the command line has it. */
export type FlagValue = string | true | ReadonlyArray<string>

/** A command of which one point, or one mutant after another, is asked. */
export interface Case {
  readonly command: 'check' | 'run' | 'mutate' | 'time'
  readonly name: string
  readonly options: Readonly<Record<string, FlagValue>>
}

/** A point: its case, and which mutant of it; null for what has none. */
export interface Task {
  readonly case: number
  readonly mutant: number | null
}

/** What became of a mutant, in the word of a table. */
export type MutantOutcome = 'killed' | 'survived' | 'equivalent'
export type PointOutcome = VerdictName | MutantOutcome | 'timed' | 'refused' | 'failed'

/** How an output compares with what it should be. */
export interface PointComparison {
  readonly different: number
  readonly elements: number
  /** of bits; null where an output is to be near */
  readonly maxUlp: number | null
}

/** What a verdict says in a line. */
export interface PointVerdict {
  readonly decidedBy?: Way
  readonly lookedAt?: Way
  /** ids of the notes */
  readonly notes: ReadonlyArray<string>
  /** null where nothing is to be proved */
  readonly proved: boolean | null
  readonly digest: Verdict['digest']
  readonly events: number
  readonly comparison?: PointComparison
}

/** How long a kernel takes on a chip. */
export interface PointTime {
  readonly chip: string
  readonly microseconds: number
  /** share of the chip's tensor cores */
  readonly tensorCores: number
  readonly bound: string
}

/** A mutant and what is said of it, but for what every answer says; its fate follows from the outcome. */
export interface PointMutant
  extends
    Pick<JudgedMutant['mutant'], 'class' | 'operator' | 'site' | 'change'>,
    Pick<JudgedMutant, 'verdict' | 'strict' | 'named' | 'accurate' | 'certificate'> {}

export interface Answer {
  readonly outcome: PointOutcome
  /** ids of the findings in their order, each once; the code of a refusal */
  readonly ids: ReadonlyArray<string>
  /** one line: why */
  readonly reason: string
  readonly verdict?: PointVerdict
  readonly mutant?: PointMutant
  readonly time?: PointTime
}

// ---------------------------------------------------------------- who does them

/** What every worker knows: plain data. */
export interface Known {
  readonly cases: ReadonlyArray<Case>
  /** of the document, as far as the last separator: files are beside it */
  readonly directory: string
}

export interface Staff {
  /** Does all tasks, and tells of each answer once; ends early when the signal says so. */
  readonly perform: (
    tasks: ReadonlyArray<Task>,
    heard: (task: Task, answer: Answer) => void,
    stop: AbortSignal,
  ) => Promise<void>
}

/** At most so many workers, who all know the cases. */
export type Hire = (known: Known, size: number) => Staff
