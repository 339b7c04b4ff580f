/** A small reader of XML: enough to say that a picture is well-formed and to read back what it shows. */
export interface Node {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<Node | string>
}

const unescape = (text: string): string => {
  if (/&(?!(amp|lt|gt|quot);)/.test(text)) throw new Error(`a bare ampersand in ${text}`)
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** The root of a document, or an exception that says what is not well-formed. */
export const readSvg = (text: string): Node => {
  interface Open {
    readonly name: string
    readonly attributes: Record<string, string>
    readonly children: (Node | string)[]
  }
  const root: Open = { name: '', attributes: {}, children: [] }
  const stack: Open[] = [root]
  let at = 0
  for (const m of text.matchAll(/<(\/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    const before = text.slice(at, m.index)
    if (/[<>]/.test(before)) throw new Error(`not well-formed before ${String(m.index)}: ${before}`)
    const top = stack[stack.length - 1]!
    if (before.trim() !== '') top.children.push(unescape(before))
    at = m.index + m[0].length
    if (m[1] === '/') {
      if (top.name !== m[2]) throw new Error(`</${m[2]!}> closes <${top.name}>`)
      stack.pop()
      continue
    }
    const attributes: Record<string, string> = {}
    for (const [, key, value] of m[3]!.matchAll(/([\w:-]+)="([^"]*)"/g)) {
      if (attributes[key!] !== undefined) throw new Error(`${key!} twice`)
      attributes[key!] = unescape(value!)
    }
    const node: Open = { name: m[2]!, attributes, children: [] }
    top.children.push(node)
    if (m[4] === '') stack.push(node)
  }
  if (text.slice(at).trim() !== '' || stack.length !== 1 || root.children.length !== 1)
    throw new Error('not one closed element')
  const only = root.children[0]!
  if (typeof only === 'string') throw new Error('text outside')
  return only
}

/** All elements of a name, in document order. */
export const all = (node: Node, name: string): ReadonlyArray<Node> => [
  ...(node.name === name ? [node] : []),
  ...node.children.flatMap((child) => (typeof child === 'string' ? [] : all(child, name))),
]

/** All the text inside, without the tips. */
export const textOf = (node: Node): string =>
  node.children
    .map((child) => (typeof child === 'string' ? child : child.name === 'title' ? '' : textOf(child)))
    .join('')

export const tipOf = (node: Node): string => all(node, 'title').map(textOf).join('')

/** The group of this class. */
export const groupOf = (root: Node, name: string): Node => {
  const found = all(root, 'g').find((g) => g.attributes['class'] === name)
  if (found === undefined) throw new Error(`no group ${name}`)
  return found
}
