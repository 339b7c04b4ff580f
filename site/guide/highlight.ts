/**
 * Code in colours, when the site is built: a block of code -> HTML with the classes of highlight.js, so a page needs no script.
 *
 * | fence                     | read as                                                         |
 * |---------------------------|------------------------------------------------------------------|
 * | `ts`, `python`, `json` ...| that language                                                   |
 * | `mlir`                    | the grammar below                                               |
 * | none, begins with `$ `    | commands, and what they print                                   |
 * | none, begins with `tcspec`, `npm`, `ls` ... | commands alone                                |
 * | none                      | text                                                            |
 *
 * Law 1. Without its tags and with its entities read, the HTML is the text.
 */
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import diff from 'highlight.js/lib/languages/diff'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import type { LanguageFn } from 'highlight.js'

/** MLIR's generic shape: values, symbols, types, attributes, and operations by their dialects. */
const mlir: LanguageFn = () => ({
  name: 'MLIR',
  contains: [
    { scope: 'comment', begin: /\/\//, end: /$/ },
    { scope: 'string', begin: /"/, end: /"/ },
    { scope: 'variable', begin: /%[\w$.-]+(#\d+)?/ },
    { scope: 'title', begin: /@[\w$.-]+/ },
    { scope: 'type', begin: /![\w.]+/ },
    { scope: 'meta', begin: /#[\w.]+/ },
    { scope: 'keyword', begin: /\b[a-z]\w*(\.\w+)+\b/ },
    { scope: 'type', begin: /\b(tensor|memref|vector|index|[iu]\d+|b?f\d+\w*)\b/ },
    { scope: 'number', begin: /\b-?\d+(\.\d+)?\b/ },
  ],
})

const languages: Readonly<Record<string, LanguageFn>> = { bash, diff, json, mlir, python, typescript, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

const called: Readonly<Record<string, string>> = {
  ts: 'typescript',
  typescript: 'typescript',
  python: 'python',
  json: 'json',
  jsonl: 'json',
  diff: 'diff',
  yaml: 'yaml',
  bash: 'bash',
  sh: 'bash',
  mlir: 'mlir',
}

export const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

/** Lines with a prompt are commands; the others are what was printed. */
const session = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line.startsWith('$ ')
        ? `<span class="hljs-meta">$ </span><span class="hljs-title">${escaped(line.slice(2))}</span>`
        : escaped(line),
    )
    .join('\n')

/** Commands, each with what is said of it behind two spaces or more. */
const commands = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const [, command = line, gap = '', words = ''] = /^(.*?\S)( {2,})(\S.*)$/.exec(line) ?? []
      return words === ''
        ? escaped(line)
        : `${escaped(command)}${gap}<span class="hljs-comment">${escaped(words)}</span>`
    })
    .join('\n')

/** The language of a block, by its fence or by how it begins; null is text. */
export const languageOf = (fence: string, text: string): string | null => {
  if (fence === '' || fence === 'console')
    return text.startsWith('$ ')
      ? 'console'
      : /^(tcspec|npm|npx|ls|pip|python3?|node) /.test(text)
        ? 'commands'
        : null
  return called[fence] ?? null
}

/** HTML of a block. */
export const highlighted = (language: string | null, text: string): string =>
  language === null
    ? escaped(text)
    : language === 'console'
      ? session(text)
      : language === 'commands'
        ? commands(text)
        : hljs.highlight(text, { language, ignoreIllegals: true }).value
