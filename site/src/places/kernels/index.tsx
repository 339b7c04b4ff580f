/** Kernels: a run of a kernel of the catalogue, of the zoo or of the reader's own, stepped through. */
import './style.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Text } from '../../editor/text.js'
import { Copy } from '../../look/copy.js'
import { Busy, Field, Refusal } from '../../look/parts.js'
import { isMembers } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import { marksOf } from '../../player/marks.js'
import { Player } from '../../player/player.js'
import { Values } from '../../player/values.js'
import { agentWords, interestingIn, readRecording } from '../../player/run.js'
import { detoured, detoursOf, policyOf } from '../../player/schedule.js'
import type { PlaceProps, SetParams } from '../use-params.js'
import { commandOf, kernelOf, own, questionOf, settingsOf, settingWords, withoutOf } from './asking.js'
import { readKernels, type KernelsDocument } from './kernels-document.js'
import { PolicySelect } from './policy.js'
import { SettingsForm } from './settings-form.js'

// ---------------------------------------------------------------- which kernel

const fresh = { set: null, without: null, schedule: null, at: null, finding: null } as const

const Picker = ({
  listed,
  kernel,
  set,
}: {
  readonly listed: KernelsDocument | null
  readonly kernel: string
  readonly set: SetParams
}) => {
  const twin = listed?.twins.find((t) => t.name === kernel || t.fixed === kernel)
  const isFixed = twin?.fixed === kernel
  const isListed =
    listed?.kernels.some((k) => k.name === kernel) === true || twin !== undefined || kernel === own
  const take = (name: string): void => {
    set({ ...fresh, kernel: name, program: null }, true)
  }
  return (
    <div class="row">
      <Field label="kernel">
        <select
          class="kernels-select"
          value={isFixed ? twin.name : kernel}
          onChange={(event) => {
            take(event.currentTarget.value)
          }}
        >
          {!isListed && <option value={kernel}>{kernel}</option>}
          <option value={own}>your own program (JSON)</option>
          <optgroup label="catalogue">
            {listed?.kernels.map(({ name, summary }) => (
              <option key={name} value={name} title={summary}>
                {name}
              </option>
            ))}
          </optgroup>
          <optgroup label="zoo: one hazard for each kernel">
            {listed?.twins
              .filter((t) => t.name.startsWith('zoo/'))
              .map(({ name, title }) => (
                <option key={name} value={name}>
                  {name}: {title}
                </option>
              ))}
          </optgroup>
          <optgroup label="bugs of public kernels, in new code">
            {listed?.twins
              .filter((t) => !t.name.startsWith('zoo/'))
              .map(({ name, id, title }) => (
                <option key={name} value={name}>
                  {name} ({id}): {title}
                </option>
              ))}
          </optgroup>
        </select>
      </Field>
      {twin !== undefined && (
        <button
          type="button"
          class="button"
          aria-pressed={isFixed}
          title={twin.fix}
          onClick={() => {
            take(isFixed ? twin.name : twin.fixed)
          }}
        >
          Fixed: {twin.fix}
        </button>
      )}
    </div>
  )
}

const OwnProgram = ({ text, set }: { readonly text: string; readonly set: SetParams }) => {
  const [refused, setRefused] = useState<string | null>(null)
  const take = (file: File | undefined): void => {
    if (file === undefined) return
    if (file.size > 4_000_000) {
      setRefused(`${file.name}: expected at most 4,000,000 bytes, found ${file.size.toLocaleString('en')}`)
      return
    }
    setRefused(null)
    void file.text().then((found) => {
      set({ ...fresh, program: found }, true)
    })
  }
  return (
    <div
      class="stack"
      onDragOver={(event) => {
        event.preventDefault()
      }}
      onDrop={(event) => {
        event.preventDefault()
        take(event.dataTransfer?.files[0])
      }}
    >
      <Field label="a program as JSON, as the library's `printJson` writes it: paste it, drop it here, or open a file">
        <input
          type="file"
          accept=".json,application/json"
          onChange={(event) => {
            take(event.currentTarget.files?.[0])
          }}
        />
      </Field>
      {refused !== null && <Refusal refused={{ code: 'program', message: refused }} />}
      <div class="kernels-program">
        <Text
          text={text}
          language="json"
          label="program"
          changed={(next) => {
            set({ ...fresh, program: next })
          }}
        />
      </div>
    </div>
  )
}

// ---------------------------------------------------------------- what is left out

const Without = ({
  listed,
  kernel,
  without,
  set,
}: {
  readonly listed: KernelsDocument | null
  readonly kernel: string
  readonly without: ReadonlyArray<string>
  readonly set: SetParams
}) => {
  const broken = listed?.kernels.find((k) => k.name === kernel)?.broken ?? []
  const known = new Set(broken.map((b) => b.without))
  const put = (labels: ReadonlyArray<string>): void => {
    set(
      {
        without: labels.length === 0 ? null : labels.join('\n'),
        schedule: null,
        at: null,
        finding: null,
      },
      true,
    )
  }
  const chip = (label: string, words: string) => {
    const isOut = without.includes(label)
    return (
      <button
        key={label}
        type="button"
        class="button small kernels-chip"
        aria-pressed={isOut}
        onClick={() => {
          put(isOut ? without.filter((w) => w !== label) : [...without, label])
        }}
      >
        <span aria-hidden="true">{isOut ? '✂' : '−'}</span>
        <code>{label}</code>
        {words !== '' && <span class="soft">{words}</span>}
      </button>
    )
  }
  const others = without.filter((label) => !known.has(label))
  if (broken.length === 0 && others.length === 0) return null
  return (
    <div class="kernels-without" role="group" aria-label="statements to omit">
      <span class="small soft">without</span>
      {others.map((label) => chip(label, ''))}
      {broken.map(({ without: label, shows, verdict }) =>
        chip(label, shows.length === 0 ? verdict : shows.join(', ')),
      )}
    </div>
  )
}

// ---------------------------------------------------------------- the place

/** Milliseconds after which a position is in the address: a browser allows some changes a second, and no more. */
const settled = 250

/** The position: at once here, and in the address when it has come to rest. */
const usePosition = (
  given: string | undefined,
  set: SetParams,
): readonly [number | null, (at: number | null) => void] => {
  const [at, setAt] = useState<number | null>(given === undefined ? null : Number(given))
  const written = useRef(given)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    if (given === written.current) return
    written.current = given
    clearTimeout(timer.current)
    setAt(given === undefined ? null : Number(given))
  }, [given])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
    },
    [],
  )
  const go = (to: number | null): void => {
    setAt(to)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      written.current = to === null ? undefined : String(to)
      set({ at: to === null ? null : String(to) })
    }, settled)
  }
  return [at, go]
}

export const Kernels = ({ params, set }: PlaceProps) => {
  const listing = useAnswer('kernels', {}, readKernels)
  const listed = listing.document
  const kernel = kernelOf(params)
  const without = withoutOf(params)
  // a step changes the position alone: what stands above the player is not made again
  const same = JSON.stringify({ ...params, at: null, finding: null })
  const asked = useMemo(() => questionOf(params), [same])
  const question = 'question' in asked ? asked.question : null
  /** the same run with its schedule, for what is asked of it besides */
  const runOf = useMemo(() => (isMembers(question) ? question : null), [question])
  const view = useAnswer('view', question, readRecording, kernel === own ? 300 : 0)
  const recording = view.document
  // where none is asked for, the run is that of the first finding
  const schedule = params['schedule'] ?? recording?.schedule ?? 'eager'
  const row = listed?.kernels.find((k) => k.name === kernel)
  const marks = useMemo(() => (recording === null ? [] : marksOf(recording)), [recording])
  const finding = /^\d+$/.test(params['finding'] ?? '') ? Number(params['finding']) : null
  const [at, go] = usePosition(params['at'], set)
  // a finding without a position is looked at where it is
  const first = finding === null ? null : (marks[finding]?.at ?? marks.find((m) => m.at !== null)?.at ?? null)
  // nothing is wrong: where the kernel begins its work
  const position = at ?? first ?? (recording === null ? 0 : interestingIn(recording))
  // who comes without a position is shown what is wrong, if something is
  const isNew = params['at'] === undefined && params['finding'] === undefined
  useEffect(() => {
    const found = marks.findIndex((m) => m.at !== null)
    // the recording may still be that of the address before
    if (isNew && found >= 0 && view.isCurrent) set({ finding: String(found) })
  }, [marks, isNew, view.isCurrent])
  const refused = 'refused' in asked ? asked.refused : (view.refused ?? listing.refused)
  const command = commandOf(params)
  const detours = detoursOf(params['schedule'] ?? '')
  const program = params['program']
  const head = useMemo(
    () => (
      <>
        <div class="kernels-head">
          <Picker listed={listed} kernel={kernel} set={set} />
          <PolicySelect
            policy={policyOf(schedule) || 'eager'}
            agents={recording?.agents.map(agentWords) ?? []}
            change={(policy) => {
              set({ schedule: policy, at: null }, true)
            }}
          />
          <button
            type="button"
            class="button"
            onClick={() => {
              set({ ...fresh }, true)
            }}
          >
            Reset
          </button>
        </div>
        {row !== undefined && <p class="small soft kernels-summary">{row.summary}</p>}
        {detours.length > 0 && (
          <div class="row small">
            <span class="soft">chosen events</span>{' '}
            <code>
              {detours.slice(-8).join(' ')}
              {detours.length > 8 && ` and ${String(detours.length - 8)} before`}
            </code>
            <button
              type="button"
              class="button small"
              onClick={() => {
                set({ schedule: policyOf(schedule) }, true)
              }}
            >
              Undo them
            </button>
          </div>
        )}
        {kernel === own && <OwnProgram text={program ?? ''} set={set} />}
        <Without listed={listed} kernel={kernel} without={without} set={set} />
        {row !== undefined && row.settings.length > 0 && (
          <details open={params['set'] !== undefined}>
            <summary class="small">
              settings{' '}
              <span class="mono soft">
                {recording !== null && recording.kernel !== ''
                  ? settingWords(settingsShown(recording.settings))
                  : ''}
              </span>
            </summary>
            <SettingsForm
              settings={row.settings}
              given={settingsOf(params['set'] ?? '')}
              change={(given) => {
                const words = settingWords(given)
                set({ set: words === '' ? null : words, at: null, schedule: null }, true)
              }}
            />
          </details>
        )}
      </>
    ),
    [same, listed, recording, schedule, set],
  )
  return (
    <div class="stack kernels">
      <h1 class="visually-hidden">Kernels</h1>
      {head}
      <div>
        <Refusal refused={view.working ? null : refused} />
        <Busy asking={view} what="recording the run" />
      </div>
      {recording !== null && (
        <div class={refused === null && !view.working ? '' : 'kernels-stale'}>
          <Player
            recording={recording}
            at={position}
            go={go}
            finding={finding}
            values={<Values question={runOf} at={position} first={recording.buffers[0]?.name ?? null} />}
            look={(i) => {
              set({ finding: i === null ? 'none' : String(i) })
            }}
            choose={(key, position) => {
              set(
                { schedule: detoured(schedule, position, key), at: String(position), finding: 'none' },
                true,
              )
            }}
            leaveOut={(label) => {
              if (!without.includes(label))
                set(
                  { without: [...without, label].join('\n'), schedule: null, at: null, finding: null },
                  true,
                )
            }}
          />
        </div>
      )}
      <div class="row small">
        <code class="kernels-command">{command}</code>
        <Copy text={command} what="Copy the command" />
        <Copy text={location.href} what="Copy a link to this state" />
      </div>
    </div>
  )
}

const settingsShown = (
  settings: Readonly<Record<string, string | number | boolean>>,
): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, v]) => [name, typeof v === 'boolean' ? String(v) : v]),
  )
