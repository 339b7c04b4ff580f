/**
 * Names of the parameters of a kernel, as its author wrote them. PTX numbers them (`_Z3addPKfS0_Pfi_param_2`); the text of the CUDA source has the names.
 *
 *     parameterNames('__global__ void add(const float* x, const float* y, float* out, int n) { ... }', 'add')      x, y, out, n
 *
 * It reads declarations and no C++: macros are not expanded, so a parameter list that a macro makes has another length than the entry, and who asks drops it.
 *
 * Laws
 * 1. It is total: names, each a word and each once, or null.
 * 2. Comments, texts, default values and what is between brackets name nothing.
 */
const withoutComments = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/gu, (found) =>
    found.startsWith('/') ? ' ' : '0',
  )

const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' }
const opening = new Set(Object.values(pairs))

/** From an opening parenthesis: what is in it, divided at its own commas; null: it is not closed. */
const listAt = (text: string, from: number): ReadonlyArray<string> | null => {
  const parts: string[] = []
  const open: string[] = []
  let start = from + 1
  for (let i = from; i < text.length; i++) {
    const c = text[i]!
    const closes = pairs[c]
    if (opening.has(c)) open.push(c)
    else if (closes !== undefined) {
      // an angle that nothing closes was a comparison
      while (closes !== '<' && open.at(-1) === '<') open.pop()
      if (open.at(-1) === closes) open.pop()
      if (open.length === 0) return [...parts, text.slice(start, i)]
    } else if (c === ',' && open.length === 1) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return null
}

/** The name in a declaration: the last word before a default value and before brackets. */
const nameIn = (declaration: string): string | null => {
  const bare = declaration
    .replace(/=[\s\S]*$/u, '')
    .replace(/\[[^\]]*\]/gu, ' ')
    .trim()
  const pointer = /\(\s*[*&]+\s*([A-Za-z_]\w*)\s*\)/u.exec(bare)
  if (pointer !== null) return pointer[1]!
  const [, before = '', name = ''] = /^([\s\S]*?)([A-Za-z_]\w*)$/u.exec(bare) ?? []
  return before.trim() === '' ||
    /^(const|volatile|int|float|double|char|short|long|unsigned|signed|bool|void|auto)$/u.test(name)
    ? null
    : name
}

const isWord = (name: string): boolean => /^[A-Za-z_]\w*$/u.test(name)

/** Of the kernel with this name, without its namespaces and template arguments; null: the text does not say it, or says it twice. */
export const parameterNames = (source: string, kernel: string): ReadonlyArray<string> | null => {
  if (!isWord(kernel)) return null
  const text = withoutComments(source)
  const found = new Map<string, ReadonlyArray<string>>()
  for (const match of text.matchAll(new RegExp(`\\b${kernel}\\s*\\(`, 'gu'))) {
    const declaration = text.slice(Math.max(0, match.index - 400), match.index)
    // `__global__` stands in the declaration itself: nothing ends between the two
    if (!/__global__[^;{}]*$/u.test(declaration)) continue
    const list = listAt(text, match.index + match[0].length - 1)
    if (list === null) continue
    const isEmpty = list.length === 1 && /^\s*(void)?\s*$/u.test(list[0]!)
    const names = isEmpty ? [] : list.map(nameIn)
    if (names.some((name) => name === null) || new Set(names).size < names.length) continue
    found.set(
      names.join(),
      names.flatMap((name) => (name === null ? [] : [name])),
    )
  }
  return found.size === 1 ? [...found.values()][0]! : null
}
