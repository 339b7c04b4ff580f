/** Parts that the tabs of this place share: fields, presets, and what carries an answer away. */
import { useId, useState } from 'preact/hooks'
import { ask } from '../../machine/client.js'
import { isMembers, textAt } from '../../machine/members.js'
import type { Refused } from '../../machine/protocol.js'
import type { Params } from '../../address.js'
import { Copy } from '../../look/copy.js'
import { Busy, Field, Refusal } from '../../look/parts.js'
import type { Asking } from '../../machine/use-answer.js'
import type { SetParams } from '../use-params.js'
import { commandLine, type Request } from './command.js'

/** Milliseconds that a question waits while somebody types. */
export const whileTyping = 250

// ---------------------------------------------------------------- what is said of an answer that is not there

/** A refusal, or that it is being worked out; nothing takes no room. */
export const Waiting = ({ asking, what }: { readonly asking: Asking<unknown>; readonly what: string }) => (
  <div class="layouts-waiting">
    <Refusal refused={asking.refused} />
    {(asking.stopped || (asking.working && asking.document === null)) && <Busy asking={asking} what={what} />}
  </div>
)

// ---------------------------------------------------------------- fields

interface TextFieldProps {
  readonly label: string
  readonly name: string
  readonly params: Params
  readonly set: SetParams
  /** what holds if nothing is said */
  readonly instead?: string
  readonly hint?: string
  readonly list?: ReadonlyArray<readonly [value: string, says: string]>
  readonly wide?: boolean
}

/** What forgets the kept cell and the windows, which belong to what was shown before. */
export const anew = { at: null, left: null, right: null } as const

export const TextField = ({
  label,
  name,
  params,
  set,
  instead = '',
  hint = '',
  list = [],
  wide = false,
}: TextFieldProps) => {
  const id = useId()
  return (
    <div class={wide ? 'layouts-wide' : ''}>
      <Field label={label}>
        <input
          type="text"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={params[name] ?? instead}
          placeholder={hint}
          {...(list.length > 0 ? { list: id } : {})}
          onInput={(event) => {
            set({ ...anew, [name]: event.currentTarget.value })
          }}
        />
      </Field>
      {list.length > 0 && (
        <datalist id={id}>
          {list.map(([value, says]) => (
            <option key={value} value={value}>
              {says}
            </option>
          ))}
        </datalist>
      )}
    </div>
  )
}

export const ChoiceField = ({
  label,
  name,
  params,
  set,
  choices,
}: Pick<TextFieldProps, 'label' | 'name' | 'params' | 'set'> & {
  /** the first holds if nothing is said */
  readonly choices: ReadonlyArray<readonly [value: string, says: string]>
}) => (
  <Field label={label}>
    <select
      value={params[name] ?? choices[0]?.[0] ?? ''}
      onChange={(event) => {
        set({ ...anew, [name]: event.currentTarget.value })
      }}
    >
      {choices.map(([value, says]) => (
        <option key={value} value={value}>
          {says}
        </option>
      ))}
    </select>
  </Field>
)

export const SwitchField = ({
  label,
  name,
  params,
  set,
  fresh = true,
}: Pick<TextFieldProps, 'label' | 'name' | 'params' | 'set'> & { readonly fresh?: boolean }) => (
  <label class="layouts-switch">
    <input
      type="checkbox"
      checked={params[name] === '1'}
      onChange={(event) => {
        set({ ...(fresh ? anew : {}), [name]: event.currentTarget.checked ? '1' : null })
      }}
    />
    <span>{label}</span>
  </label>
)

export const LabelsSwitch = ({ params, set }: { readonly params: Params; readonly set: SetParams }) => (
  <SwitchField label="large cells with labels" name="labels" params={params} set={set} fresh={false} />
)

export const elementTypes: ReadonlyArray<readonly [string, string]> = [
  ['f16', 'f16'],
  ['bf16', 'bf16'],
  ['f32', 'f32'],
  ['e4m3', 'e4m3 (8 bits)'],
  ['e5m2', 'e5m2 (8 bits)'],
  ['e2m1', 'e2m1 (4 bits)'],
  ['i8', 'i8'],
  ['i32', 'i32'],
]

// ---------------------------------------------------------------- presets

export interface Preset {
  readonly title: string
  readonly params: Readonly<Record<string, string | null>>
}

export const Presets = ({
  presets,
  params,
  set,
}: {
  readonly presets: ReadonlyArray<Preset>
  readonly params: Params
  readonly set: SetParams
}) => (
  <div class="row layouts-presets" role="group" aria-label="examples">
    {presets.map((preset) => {
      const on = Object.entries(preset.params).every(([name, value]) => (params[name] ?? null) === value)
      return (
        <button
          key={preset.title}
          type="button"
          class="button small"
          aria-pressed={on}
          onClick={() => {
            set({ ...anew, ...preset.params }, true)
          }}
        >
          {preset.title}
        </button>
      )
    })}
  </div>
)

// ---------------------------------------------------------------- what is carried away

const save = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text]))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => {
    URL.revokeObjectURL(url)
  }, 10_000)
}

/** The answer as a file, made by the command itself, and the line that asks the same of a terminal. */
export const Carry = ({
  method,
  request,
  svg = true,
}: {
  readonly method: string
  readonly request: Request
  readonly svg?: boolean
}) => {
  const [refused, setRefused] = useState<Refused | null>(null)
  const line = commandLine(method, request)
  const write = (ending: string): void => {
    const file = `${method}.${ending}`
    setRefused(null)
    void ask(method, { ...request, output: file }).answered.then((answered) => {
      if (answered._tag === 'refused') setRefused(answered.refused)
      if (answered._tag !== 'answer' || !isMembers(answered.document)) return
      const { files } = answered.document
      if (isMembers(files)) save(file, textAt(files, file))
    })
  }
  return (
    <div class="stack layouts-carry">
      <div class="row">
        <button
          type="button"
          class="button small"
          onClick={() => {
            write('csv')
          }}
        >
          as CSV
        </button>
        {svg && (
          <button
            type="button"
            class="button small"
            onClick={() => {
              write('svg')
            }}
          >
            as SVG
          </button>
        )}
        <Copy text={line} what="copy the command line" />
      </div>
      <code class="layouts-line">{line}</code>
      <Refusal refused={refused} />
    </div>
  )
}

/** Params that say something: an empty field is none. */
export const saying = (request: Readonly<Record<string, Request[string] | undefined>>): Request => {
  const said: Record<string, Request[string]> = {}
  for (const [name, value] of Object.entries(request))
    if (value !== undefined && value !== '' && value !== false) said[name] = value
  return said
}

/** Words of a field, parted by blanks. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text.split(/\s+/).filter((word) => word !== '')

/** One JSON text is one word; else words are parted by blanks. */
export const operandsOf = (text: string): ReadonlyArray<string> =>
  text.trimStart().startsWith('{') ? [text.trim()] : wordsOf(text)
