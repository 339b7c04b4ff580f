/** The commands of a page, in order: lines that begin with `npx tcspec`, or with a prompt before it. A command that only goes on until it is stopped stands in a sentence. */
export const commandsIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/^(?:\$ )?npx tcspec (.*)$/gm)].map(([, words]) => words!)
