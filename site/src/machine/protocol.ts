/** What the page and its worker say to each other: a request, how far it has come, and its answer. */

/** What `tcspec serve` is asked: a method and its params (`docs/Serve.md`). */
export interface Question {
  readonly number: number
  readonly method: string
  readonly params: unknown
}

export interface Progress {
  readonly what: string
  readonly done: number
  readonly of: number
}

/** What is not answered, in a line, with a stable code. */
export interface Refused {
  readonly code: string
  readonly message: string
}

export type Said =
  | { readonly _tag: 'ready' }
  | { readonly _tag: 'wants'; readonly chapters: ReadonlyArray<string> }
  | { readonly _tag: 'progress'; readonly number: number; readonly progress: Progress }
  | { readonly _tag: 'answer'; readonly number: number; readonly text: string }
  | { readonly _tag: 'refused'; readonly number: number; readonly refused: Refused }
