/** Files of a launch: what lies beside another, and refusals that name the file. */
import { failure, type Failure } from '../../failure.js'

/** A refusal of what a file holds; a line and a column stand right behind its name. */
export const inFile =
  (file: string) =>
  (f: Failure): Failure =>
    f.message.startsWith(`${file}: `)
      ? f
      : failure(f.code, `${file}:${/^\d+:\d+: /.test(f.message) ? '' : ' '}${f.message}`)

/** A file beside another. */
export const beside = (file: string, name: string): string =>
  /^([/\\]|[A-Za-z]:)/.test(name) ? name : `${/^.*[/\\]/s.exec(file)?.[0] ?? ''}${name}`
