/** A button that copies a text, and says so for a while: to the eye in its own words, to a screen reader as a status. */
import { useEffect, useState } from 'preact/hooks'

/** Milliseconds that it says so. */
const shown = 2000

export const Copy = ({
  text,
  what,
  label,
}: {
  /** what is copied, or how it is made when the button is pressed */
  readonly text: string | (() => string)
  /** on the button */
  readonly what: string
  /** its name, where the words on it do not say enough */
  readonly label?: string
}) => {
  const [times, setTimes] = useState(0)
  useEffect(() => {
    if (times === 0) return undefined
    const timer = setTimeout(() => {
      setTimes(0)
    }, shown)
    return () => {
      clearTimeout(timer)
    }
  }, [times])
  return (
    <>
      <button
        type="button"
        class="button small"
        {...(label === undefined ? {} : { 'aria-label': label })}
        onClick={() => {
          navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
            () => {
              setTimes((n) => n + 1)
            },
            // a page from a folder may not: the text is there to be selected
            () => undefined,
          )
        }}
      >
        {times > 0 ? 'copied ✓' : what}
      </button>
      <span role="status" class="visually-hidden">
        {times > 0 ? 'copied' : ''}
      </span>
    </>
  )
}
