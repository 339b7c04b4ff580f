/**
 * The editor, a script of its own: it is loaded where a text is to be edited, and until then (and where it cannot be loaded) a plain text area is there.
 *
 * It stands under one name, `globalThis.tcspecEditor`.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { python } from '@codemirror/lang-python'
import {
  bracketMatching,
  HighlightStyle,
  StreamLanguage,
  syntaxHighlighting,
  type StreamParser,
} from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { tags } from '@lezer/highlight'
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view'

export type Language = 'ttgir' | 'json' | 'python' | 'text'

/** A line with a mark: a class of `look/`, and what it says. */
export interface Mark {
  /** counted from 1 */
  readonly line: number
  readonly className: string
  readonly title: string
}

export interface Editor {
  readonly setText: (text: string) => void
  readonly setLanguage: (language: Language) => void
  readonly mark: (marks: ReadonlyArray<Mark>) => void
  readonly reveal: (line: number) => void
  readonly focus: () => void
  readonly destroy: () => void
}

export interface Options {
  readonly parent: HTMLElement
  readonly text: string
  readonly language: Language
  readonly label: string
  readonly readOnly: boolean
  readonly changed: (text: string) => void
}

/** The text of MLIR, as far as colours go. */
const mlir: StreamParser<null> = {
  name: 'ttgir',
  startState: () => null,
  token: (stream) => {
    if (stream.eatSpace()) return null
    if (stream.match('//')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"/)) return 'string'
    if (stream.match(/^%[\w$.-]+(?:#\d+)?/)) return 'variableName'
    if (stream.match(/^@[\w$.-]+/)) return 'variableName.definition'
    if (stream.match(/^#[\w$.-]+/)) return 'meta'
    if (stream.match(/^![\w$.-]+/)) return 'typeName'
    if (stream.match(/^\^[\w$.-]+/)) return 'labelName'
    if (stream.match(/^-?(?:0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)/)) return 'number'
    if (stream.match(/^(?:tensor|memref|vector|index|f16|f32|f64|bf16|i\d+)\b/)) return 'typeName'
    if (stream.match(/^[a-z_][\w]*(?:\.[\w]+)+/)) return 'keyword'
    if (stream.match(/^[A-Za-z_]\w*/)) return null
    stream.next()
    return null
  },
}

const languageOf = (language: Language) =>
  language === 'json'
    ? json()
    : language === 'python'
      ? python()
      : language === 'ttgir'
        ? StreamLanguage.define(mlir)
        : []

/** Colours of the tokens, which are readable in light and in dark. */
const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--doubt)' },
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)' },
  { tag: [tags.definition(tags.variableName), tags.propertyName], fontWeight: '600' },
  { tag: [tags.typeName, tags.meta, tags.labelName], color: 'var(--ink-soft)' },
])

const setMarks = StateEffect.define<ReadonlyArray<Mark>>()
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (set, transaction) => {
    let now = set.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue
      const { doc } = transaction.state
      now = Decoration.set(
        effect.value
          .filter(({ line }) => line >= 1 && line <= doc.lines)
          .map(({ line, className, title }) =>
            Decoration.line({ class: className, attributes: { title } }).range(doc.line(line).from),
          ),
        true,
      )
    }
    return now
  },
  provide: (field) => EditorView.decorations.from(field),
})

const theme = EditorView.theme({
  '&': {
    backgroundColor: 'var(--ground)',
    color: 'var(--ink)',
    fontSize: 'var(--small)',
    maxHeight: '32rem',
  },
  '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--ink-soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent-ground) 50%, transparent)' },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
})

const open = ({ parent, text, language, label, readOnly, changed }: Options): Editor => {
  const languages = new Compartment()
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        syntaxHighlighting(colours),
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        languages.of(languageOf(language)),
        marked,
        theme,
        EditorState.readOnly.of(readOnly),
        // a text that is scrolled is reached by keyboard
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setText: (next) => {
      if (next !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    setLanguage: (next) => {
      view.dispatch({ effects: languages.reconfigure(languageOf(next)) })
    },
    mark: (marks) => {
      view.dispatch({ effects: setMarks.of(marks) })
    },
    reveal: (line) => {
      const at = Math.min(Math.max(1, line), view.state.doc.lines)
      const block = view.lineBlockAt(view.state.doc.line(at).from)
      // the text is scrolled, the page stays where the reader is
      view.scrollDOM.scrollTop = block.top - (view.scrollDOM.clientHeight - block.height) / 2
    },
    focus: () => {
      view.focus()
    },
    destroy: () => {
      view.destroy()
    },
  }
}

declare global {
  var tcspecEditor: { readonly open: (options: Options) => Editor } | undefined
}

globalThis.tcspecEditor = { open }
