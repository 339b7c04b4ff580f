/**
 * An expression of CuTe's algebra, as it is typed, in the words that the command line takes.
 *
 *     composition (6,2):(8,2) (4, 3):(3, 1)        three words: a blank inside of brackets parts nothing
 *     S<3,4,3> o 0 o (8,8):(8,1)                   one: `o` joins what stands beside it
 *
 * Law 1. Words that have neither blanks nor brackets left open are given back as they are.
 */
const pieces = (text: string): ReadonlyArray<string> => {
  const found: string[] = []
  let [depth, word] = [0, '']
  for (const c of text) {
    if (/\s/.test(c) && depth === 0) {
      if (word !== '') found.push(word)
      word = ''
      continue
    }
    if ('([<'.includes(c)) depth++
    if (')]>'.includes(c)) depth = Math.max(0, depth - 1)
    word += c
  }
  return word === '' ? found : [...found, word]
}

export const cuteWords = (text: string): ReadonlyArray<string> => {
  const words: string[] = []
  let joined = false
  for (const piece of pieces(text)) {
    const last = words[words.length - 1]
    const joins = piece === 'o' || piece === ':' || piece.startsWith(':') || (last ?? '').endsWith(':')
    if (last !== undefined && (joins || joined))
      words[words.length - 1] = piece === 'o' || joined ? `${last} ${piece}` : `${last}${piece}`
    else words.push(piece)
    joined = piece === 'o'
  }
  return words
}
