/**
 * A palette: what emphasis looks like where the text is shown, and how wide it may be. Rendering is pure text; the caller says with what colours.
 *
 * Law 1. Every function of `plain` is the identity, so a text rendered with it has no escape codes.
 */
export interface Palette {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly doubtful: (text: string) => string
  readonly name: (text: string) => string
  /** lines that can be broken are broken here */
  readonly columns: number
}

const same = (text: string): string => text

/** How wide text is where no terminal says so. */
export const columns = 110

export const plain: Palette = {
  bold: same,
  dim: same,
  good: same,
  bad: same,
  doubtful: same,
  name: same,
  columns,
}
