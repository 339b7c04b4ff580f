/**
 * The library as chapters: the beginning of a worker, which opens a chapter when something reaches for it.
 *
 * A chapter is a function of `exports`, `require` and `load` (`tools/chapters.mjs` makes them). The library imports its modules statically, and a reader
 * with a slow connection wants the first verdict before all of it has come. So `require` of a chapter that is not open yet gives getters: whoever calls
 * through one opens the chapter, and if it has not come, that is noted and the call fails. The worker then waits for the chapter and asks again, which is
 * right because answers depend on nothing but their questions. `load` is for dynamic imports and simply waits.
 *
 * Laws
 *  1. a chapter is evaluated once, at the first use of what it exports
 *  2. an answer during which nothing was missed is the one that the undivided library gives
 *
 * The function is printed and evaluated in a worker: it may use nothing of this module.
 */

export type Opened = Readonly<Record<string, unknown>>
type Body = (
  exports: Opened,
  require: (name: string, names?: string) => Opened,
  load: (name: string) => Promise<Opened>,
) => void

/** What the worker knows of its shelf. */
export interface Shelf {
  /** chapters that were missed since the last time */
  readonly missed: () => ReadonlyArray<string>
  /** asks the page for chapters and waits until they have come */
  readonly fetch: (names: ReadonlyArray<string>) => Promise<void>
}

/** What the page says of chapters: their texts. Where one cannot be loaded, the page ends the worker. */
export interface Brought {
  readonly _tag: 'chapters'
  readonly texts: ReadonlyArray<Pick<Blob, 'text'>>
}

export const shelf = (): ((entry: string) => void) => {
  interface Chapter {
    readonly exports: Opened
    body: Body | null
    state: 'closed' | 'opening' | 'open'
  }
  interface Waiting {
    readonly names: ReadonlyArray<string>
    readonly come: () => void
  }
  const chapters = new Map<string, Chapter>()
  const missed = new Set<string>()
  let waiting: ReadonlyArray<Waiting> = []

  const chapterOf = (name: string): Chapter => {
    const known = chapters.get(name)
    if (known !== undefined) return known
    const made: Chapter = { exports: {}, body: null, state: 'closed' }
    chapters.set(name, made)
    return made
  }
  const open = (name: string): Opened => {
    const chapter = chapterOf(name)
    if (chapter.state !== 'closed') return chapter.exports
    if (chapter.body === null) {
      missed.add(name)
      throw new Error(`chapter ${name}: not loaded yet`)
    }
    chapter.state = 'opening'
    try {
      chapter.body(chapter.exports, required, load)
      chapter.state = 'open'
    } finally {
      if (chapter.state === 'opening') chapter.state = 'closed'
    }
    return chapter.exports
  }
  const required = (name: string, names?: string): Opened => {
    const chapter = chapterOf(name)
    if (chapter.state !== 'closed') return chapter.exports
    if (names === undefined) return open(name)
    const later: Opened = {}
    for (const key of names.split(','))
      Object.defineProperty(later, key, {
        enumerable: true,
        get: () => (chapter.state === 'open' ? chapter.exports : open(name))[key],
      })
    return later
  }
  const hasCome = (name: string): boolean => chapterOf(name).body !== null
  const fetched = (names: ReadonlyArray<string>): Promise<void> =>
    names.every(hasCome)
      ? Promise.resolve()
      : new Promise((come) => {
          waiting = [...waiting, { names, come }]
          postMessage({ _tag: 'wants', chapters: names.filter((name) => !hasCome(name)) })
        })
  const load = async (name: string): Promise<Opened> => {
    await fetched([name])
    return open(name)
  }
  const take = async (texts: Brought['texts']): Promise<void> => {
    // a worker of a page from a folder may import nothing; the texts are the page's own
    for (const text of await Promise.all(texts.map((t) => t.text()))) (0, eval)(text)
    const done = waiting.filter(({ names }) => names.every(hasCome))
    waiting = waiting.filter((w) => !done.includes(w))
    for (const { come } of done) come()
  }
  const here: Shelf = {
    missed: () => {
      const names = [...missed]
      missed.clear()
      return names
    },
    fetch: fetched,
  }
  Object.assign(globalThis, {
    tcspecShelf: here,
    tcspecChapter: (name: string, body: Body) => {
      chapterOf(name).body = body
    },
  })
  addEventListener('message', ({ data }: MessageEvent<Brought | { readonly _tag?: undefined }>) => {
    if (data._tag === 'chapters') void take(data.texts)
  })
  return open
}
