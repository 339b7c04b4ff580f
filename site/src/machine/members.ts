/** What a document has, read with care: documents come from the library of the same build, but a file that was dropped may say anything. */

export type Members = Readonly<Record<string, unknown>>

export const isMembers = (u: unknown): u is Members =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** The document if it has this schema. */
export const ofSchema =
  (...schemas: ReadonlyArray<string>) =>
  (u: unknown): Members | null =>
    isMembers(u) && typeof u['schema'] === 'string' && schemas.includes(u['schema']) ? u : null

export const textAt = (m: Members, name: string): string => {
  const value = m[name]
  return typeof value === 'string' ? value : ''
}
export const listAt = (m: Members, name: string): ReadonlyArray<unknown> => {
  const value = m[name]
  return Array.isArray(value) ? value : []
}
