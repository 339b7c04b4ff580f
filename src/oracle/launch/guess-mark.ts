/** `:guess`, at the end of a word of a launch: `tcspec kernels` has guessed its size or its value, and a verdict that rests on it says so. */
export const guessMark = ':guess'

/** A word, and whether it is a guess. */
export const markIn = (word: string): { readonly text: string; readonly guess: boolean } =>
  word.endsWith(guessMark)
    ? { text: word.slice(0, -guessMark.length), guess: true }
    : { text: word, guess: false }
