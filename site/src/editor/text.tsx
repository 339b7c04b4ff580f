/** A text that can be edited: a text area until the editor is loaded, which takes its place. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { quiet } from '../machine/client.js'
import { loadScript } from '../machine/script.js'
import type { Editor, Language, Mark } from './index.js'

/** Characters that the editor is given; what is longer stays in the text area. */
const mostEdited = 4_000_000

export interface TextProps {
  readonly text: string
  readonly language: Language
  readonly label: string
  readonly changed: (text: string) => void
  readonly readOnly?: boolean
  readonly marks?: ReadonlyArray<Mark>
  /** a line to bring into view, counted from 1 */
  readonly reveal?: number | null
}

export const Text = ({
  text,
  language,
  label,
  changed,
  readOnly = false,
  marks = [],
  reveal = null,
}: TextProps) => {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const heard = useRef(changed)
  heard.current = changed
  const now = useRef(text)
  now.current = text
  const [edited, setEdited] = useState(false)
  const fits = text.length <= mostEdited
  useEffect(() => {
    let left = false
    if (!fits) return undefined
    // a verdict comes first
    quiet()
      .then(() => loadScript('editor.js'))
      .then(
        () => {
          if (left || place.current === null || globalThis.tcspecEditor === undefined) return
          editor.current = globalThis.tcspecEditor.open({
            parent: place.current,
            text: now.current,
            language,
            label,
            readOnly,
            changed: (next) => {
              if (next !== now.current) heard.current(next)
            },
          })
          setEdited(true)
        },
        // the text area stays
        () => undefined,
      )
    return () => {
      left = true
      editor.current?.destroy()
      editor.current = null
      setEdited(false)
    }
  }, [fits, readOnly, label])
  useEffect(() => {
    editor.current?.setText(text)
  }, [text, edited])
  useEffect(() => {
    editor.current?.setLanguage(language)
  }, [language, edited])
  useEffect(() => {
    editor.current?.mark(marks)
  }, [marks, edited])
  useEffect(() => {
    if (reveal !== null) editor.current?.reveal(reveal)
  }, [reveal, edited])
  return (
    <div>
      <div ref={place} />
      {!edited && (
        <textarea
          aria-label={label}
          rows={16}
          style={{ width: '100%' }}
          spellcheck={false}
          readOnly={readOnly}
          value={text}
          onInput={(event) => {
            changed(event.currentTarget.value)
          }}
        />
      )}
    </div>
  )
}
