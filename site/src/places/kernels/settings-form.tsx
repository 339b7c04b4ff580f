/** The settings of a kernel: what is changed is asked when the form is sent, by Enter or the button. */
import { useEffect, useState } from 'preact/hooks'
import { Field } from '../../look/parts.js'
import type { SettingValues } from './asking.js'
import type { Setting } from './kernels-document.js'

export const SettingsForm = ({
  settings,
  given,
  change,
}: {
  readonly settings: ReadonlyArray<Setting>
  readonly given: SettingValues
  readonly change: (given: SettingValues) => void
}) => {
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({})
  const words = JSON.stringify(given)
  useEffect(() => {
    setDraft({})
  }, [words])
  const valueOf = ({ name, default: usual }: Setting): string => draft[name] ?? String(given[name] ?? usual)
  const send = (next: Readonly<Record<string, string>>): void => {
    const all = settings.flatMap((s): ReadonlyArray<readonly [string, string | number]> => {
      const text = (next[s.name] ?? '').trim()
      const value = text === '' ? (next[s.name] === undefined ? given[s.name] : undefined) : text
      // what is said is used or refused; what is not said is chosen to fit
      if (value === undefined || (given[s.name] === undefined && String(value) === String(s.default)))
        return []
      return [[s.name, typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value]]
    })
    change(Object.fromEntries(all))
  }
  return (
    <form
      class="row kernels-settings"
      aria-label="settings"
      onSubmit={(event) => {
        event.preventDefault()
        send(draft)
      }}
    >
      {settings.map((s) => (
        <Field key={s.name} label={s.name}>
          {s.choices === null ? (
            <input
              type="text"
              inputMode={typeof s.default === 'number' ? 'numeric' : 'text'}
              size={6}
              value={valueOf(s)}
              placeholder={String(s.default)}
              title={`${s.meaning} (${s.unit})`}
              onInput={(event) => {
                setDraft({ ...draft, [s.name]: event.currentTarget.value })
              }}
            />
          ) : (
            <select
              value={valueOf(s)}
              title={s.meaning}
              onChange={(event) => {
                send({ ...draft, [s.name]: event.currentTarget.value })
              }}
            >
              {s.choices.map((c) => (
                <option key={c}>{c}</option>
              ))}
            </select>
          )}
        </Field>
      ))}
      <button type="submit" class="button primary">
        Run
      </button>
    </form>
  )
}
