/**
 * Check: a text is pasted, dropped or chosen, its launch is a form that is filled from it, and the verdict is the command line's.
 *
 * What is judged stands in the address, so that a race is a link; a text that is too long for a link stays on this page and can be saved. Texts that the
 * editor could not bear are not given to it, and none is read on the thread that draws.
 */
import './style.css'
import * as E from 'fp-ts/lib/Either.js'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { writeAddress, type Params } from '../../address.js'
import type { Language, Mark } from '../../editor/index.js'
import { Text } from '../../editor/text.js'
import { Copy } from '../../look/copy.js'
import { Busy, Refusal } from '../../look/parts.js'
import { know } from '../../machine/client.js'
import { isMembers, listAt, textAt } from '../../machine/members.js'
import type { PlaceProps } from '../use-params.js'
import { Compare, printVersion, readVersion, runOf as ranBy } from './compare.js'
import { Examples } from './example-list.js'
import { isExample, opening, openingAnswers } from './examples.js'
import { mostCharacters, readFiles, taken, textRefusal, type Taken } from './files.js'
import { launched, launchedPtx, readLaunch, readSignature, wrongFieldsOf, type Signature } from './launch.js'
import { LaunchForm } from './launch-form.js'
import { spotsOf } from './listing.js'
import { RunView } from './run-view.js'
import { printKept, readKept } from './kept.js'
import { save } from './save.js'
import {
  before,
  commandOf,
  describedOf,
  empty,
  isAsItIs,
  kindOf,
  nameOf,
  paramsOf,
  questionOf,
  runQuestionOf,
  stateOf,
  type State,
} from './subject.js'
import { useQuestion } from '../../machine/use-answer.js'
import { readVerdict, VerdictView, type Texts } from './verdict-view.js'
import { WhatIf, type Outcome } from './what-if.js'

/** Characters that the editor is given, and those of a line of it; a longer text is shown by its beginning. */
const mostEdited = 500_000
const longestLine = /[^\n]{20000}/
const isEditable = (text: string): boolean => text.length <= mostEdited && !longestLine.test(text)
/** Characters of texts that are tried for a link, and of the link itself. */
const mostLinked = 400_000
const mostLink = 60_000
/** Milliseconds that a text waits for the next letter. */
const typing = 400

know(openingAnswers)

/** A text that is in no link stays while the page does. */
let kept: State | null = null

/** What an address says; one that says nothing opens an example. */
const saidBy = (params: Params): State => {
  const said = stateOf(params)
  return kindOf(said) === 'nothing' ? (kept ?? opening) : said
}
/** Params of a state: the opening example needs none. */
const linked = (s: State, texts: boolean): Readonly<Record<string, string | null>> =>
  paramsOf(s === opening ? empty : s, texts)

const sizeOf = (s: State): number =>
  s.text.length + Object.values(s.beside).reduce((n, text) => n + text.length, 0)

/** Bytes in base64. */
const base64Of = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Whether a link holds the texts. Tensors are in none. */
const fits = (s: State): boolean =>
  Object.keys(s.tensors).length === 0 &&
  sizeOf(s) <= mostLinked &&
  writeAddress({ place: 'check', params: { text: s.text, beside: JSON.stringify(s.beside) } }).length <=
    mostLink

/** A link to a state, with its texts whatever their length; browsers take some million characters. */
const linkOf = (s: State): string => {
  const params = Object.entries(linked(s, true)).flatMap(([name, text]) =>
    text === null ? [] : [[name, text] as const],
  )
  return `${location.href.replace(/#.*$/s, '')}${writeAddress({ place: 'check', params: Object.fromEntries(params) })}`
}

const languageOf = (name: string): Language =>
  /\.ttgir$/i.test(name) ? 'ttgir' : /\.json$/i.test(name) ? 'json' : /\.py$/i.test(name) ? 'python' : 'text'

const outcomeOf = (document: unknown): Outcome | null =>
  isMembers(document)
    ? {
        verdict: textAt(document, 'verdict'),
        reason: textAt(document, 'reason'),
        added: listAt(document, 'mended')
          .filter(isMembers)
          .flatMap((m) => listAt(m, 'added'))
          .filter(isMembers)
          .map((a) => `${textAt(a, 'statement')} ${textAt(a, 'where')}`),
      }
    : null

/** Statements that a kernel of the catalogue cannot do without, and what is found then. */
const indispensable = (document: unknown): ReadonlyArray<readonly [string, string]> =>
  isMembers(document)
    ? listAt(document, 'kernels')
        .filter(isMembers)
        .flatMap((k) => listAt(k, 'broken'))
        .filter(isMembers)
        .map((b) => [textAt(b, 'without'), textAt(b, 'verdict')] as const)
    : []

/** Arguments that a launch file says; of PTX it says all. */
const keptIn = (launch: string, ptx: Signature | null): ReadonlyArray<string> => {
  if (launch === '') return []
  if (ptx !== null) return ptx.parameters.map((p) => p.name)
  try {
    const said: unknown = JSON.parse(launch)
    return isMembers(said) && isMembers(said['args']) ? Object.keys(said['args']) : []
  } catch {
    return []
  }
}

export const Check = ({ params, set }: PlaceProps) => {
  const [state, setState] = useState<State>(() => saidBy(params))
  const [finding, setFinding] = useState(Number(params['finding'] ?? 0) || 0)
  const [refusals, setRefusals] = useState<ReadonlyArray<string>>([])
  const [notes, setNotes] = useState<ReadonlyArray<string>>([])
  const [isOver, setOver] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  const launchFile = useRef<Taken | null>(null)
  const [launchRound, setLaunchRound] = useState(0)

  // ---------------------------------------------------------------- the address

  const written = useRef(JSON.stringify(paramsOf(stateOf(params), sizeOf(stateOf(params)) <= mostLinked)))
  const isLinked = useMemo(() => fits(state), [state.text, state.beside, state.tensors])
  useEffect(() => {
    const said = linked(state, isLinked)
    const timer = setTimeout(() => {
      kept = isLinked ? null : state
      const key = JSON.stringify(said)
      if (key === written.current && String(finding) === (params['finding'] ?? '0')) return
      written.current = key
      set({ ...said, finding: finding === 0 ? null : String(finding) })
    }, typing)
    return () => {
      clearTimeout(timer)
    }
  }, [state, isLinked, finding])
  // a link, or a step back
  useEffect(() => {
    const said = stateOf(params)
    const key = JSON.stringify(paramsOf(said))
    if (key === written.current) return
    written.current = key
    if (kindOf(said) === 'nothing' && kept !== null) return
    setState(saidBy(params))
    setFinding(Number(params['finding'] ?? 0) || 0)
    setRefusals([])
    setNotes([])
  }, [params])

  const change = useCallback((changes: Partial<State>) => {
    // an edge is of the verdict that it was asked of
    setState((s) => ({ ...s, mend: [], ...changes }))
    setFinding(0)
  }, [])

  const show = (other: State): void => {
    setState(other)
    setFinding(0)
    setRefusals([])
    setNotes([])
  }

  // ---------------------------------------------------------------- files

  const take = useCallback((t: Taken) => {
    setRefusals(t.refused)
    setNotes([])
    const { subject } = t
    const before = subject === null ? null : readKept(subject.text)
    if (before !== null) show(before)
    else if (subject !== null) {
      setState({
        ...empty,
        name: subject.name,
        text: subject.text,
        beside: t.beside,
        tensors: /\.ptx$/i.test(subject.name)
          ? Object.fromEntries([...t.tensors].map(([file, bytes]) => [file, base64Of(bytes)]))
          : {},
      })
      setFinding(0)
    } else if (Object.keys(t.beside).length > 0)
      setState((s) => ({ ...s, beside: { ...s.beside, ...t.beside } }))
    if (t.launch !== null) {
      launchFile.current = t
      setLaunchRound((n) => n + 1)
    }
  }, [])
  const open = (files: FileList | null | undefined): void => {
    if (files === null || files === undefined || files.length === 0) return
    readFiles([...files]).then(take, (error: unknown) => {
      setRefusals([String(error)])
    })
  }
  const choose = (): void => {
    chooser.current?.click()
  }

  /** What would be too much for the editor is taken as a file is. */
  const paste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const files = event.clipboardData?.files
    if (files !== undefined && files.length > 0 && text === '') {
      event.preventDefault()
      open(files)
      return
    }
    // what is pasted over an example takes its place
    const isWhole = state.text === '' || isExample(state.text)
    const wrong = textRefusal('paste', text)
    if (wrong === null && isEditable(text) && !isWhole) return
    event.preventDefault()
    event.stopPropagation()
    if (wrong !== null) setRefusals([wrong])
    else take(taken([{ name: nameOf(text), text, bytes: null, size: text.length }]))
  }

  // ---------------------------------------------------------------- the launch

  const kind = kindOf(state)
  const described = useMemo(() => describedOf(state), [kind, state.name, state.text, state.entry])
  const asked = useQuestion('kernels', described, typing)
  const signature = useMemo(() => readSignature(asked.document), [asked.document])
  const isFor = signature !== null && asked.isCurrent
  // fields that are empty are filled from the text; what it does not know any more is taken away
  useEffect(() => {
    if (signature === null || !asked.isCurrent) return
    const launch = launchFile.current
    launchFile.current = null
    const ofPtx =
      launch === null || kind !== 'ptx' ? null : launchedPtx(launch.launch, new Set(launch.tensors.keys()))
    if (ofPtx !== null) {
      // words stand in the place of what the file says
      const words = Object.fromEntries(signature.parameters.map((p) => [p.name, '']))
      setState((s) => ({ ...s, ...ofPtx, cluster: '', shared: '', entry: '', arg: words }))
      return
    }
    const read = launch === null || kind === 'ptx' ? null : readLaunch(launch.launch, launch.shapes)
    if (launch !== null && read === null)
      setRefusals(['launch.json: expected a launch with a grid and arguments, found a different document'])
    setState((s) => {
      if (read !== null) {
        const { guessed, ...said } = launched(signature, read)
        setNotes(
          guessed.length === 0
            ? []
            : [`The launch file does not give the extents of ${guessed.join(', ')}: those are guessed.`],
        )
        return { ...s, ...said }
      }
      const kept = keptIn(s.launch, kind === 'ptx' ? signature : null)
      const arg = Object.fromEntries(
        signature.parameters.map((p) => [
          p.name,
          s.arg[p.name] ?? (kept.includes(p.name) ? '' : (signature.arg[p.name] ?? '')),
        ]),
      )
      const grid = s.grid === '' ? signature.grid : s.grid
      if (grid === s.grid && JSON.stringify(arg) === JSON.stringify(s.arg)) return s
      // the rest of a launch of PTX is guessed once, with its arguments
      return kind !== 'ptx' || s.launch !== '' || Object.keys(s.arg).length > 0
        ? { ...s, grid, arg }
        : {
            ...s,
            grid,
            arg,
            block: s.block === '' ? signature.block : s.block,
            shared: s.shared === '' ? signature.shared : s.shared,
            entry: s.entry === '' ? signature.entry : s.entry,
          }
    })
  }, [signature, asked.isCurrent, launchRound])
  const keptNames = keptIn(state.launch, kind === 'ptx' ? signature : null)
  const isLaunched = kind === 'module' || kind === 'ptx'
  /** fields without which nothing is judged, each with what is wrong */
  const wrongFields = useMemo(
    () =>
      !isLaunched || signature === null
        ? []
        : wrongFieldsOf(
            state.grid,
            signature.parameters.filter(
              (p) => !(keptNames.includes(p.name) && (state.arg[p.name] ?? '') === ''),
            ),
            state.arg,
          ),
    [isLaunched, signature, state.grid, state.arg, state.launch],
  )
  const isFilled = !isLaunched || (isFor && wrongFields.length === 0)

  // ---------------------------------------------------------------- the verdict

  const question = useMemo(() => (isFilled ? questionOf(state) : null), [state, isFilled])
  const base = useMemo(
    () => (isFilled && !isAsItIs(state) ? questionOf(before(state)) : null),
    // what if changes what is asked, not what it is compared with
    [
      isFilled,
      isAsItIs(state),
      state.mend.length > 0 ? JSON.stringify(paramsOf(before(state), false)) : '',
      state.kernel,
      state.set,
      state.name,
      state.text,
      state.beside,
      state.grid,
      state.arg,
      state.computes,
      state.launch,
      state.block,
      state.cluster,
      state.shared,
      state.entry,
      state.tensors,
    ],
  )
  const runOf = useMemo(() => (isFilled ? runQuestionOf(state) : null), [state, isFilled])
  const judged = useQuestion('check', question, typing)
  const judgedBefore = useQuestion('check', base, typing)
  const brought = useMemo((): unknown => {
    if (kind !== 'verdict') return null
    try {
      return JSON.parse(state.text)
    } catch (error) {
      return String(error)
    }
  }, [kind, state.text])
  const isRefused = state.mend.length > 0 && judged.refused !== null
  // where no edge can be added, what is wrong stays in sight
  const document = kind === 'verdict' ? brought : isRefused ? judgedBefore.document : judged.document
  const verdict = useMemo(() => (document === null ? null : readVerdict(document)), [document])
  const printed = isMembers(document) ? textAt(document, 'printed') : ''

  const isWhole = useMemo(() => isEditable(state.text), [state.text])
  const texts: Texts = useMemo(
    () => ({
      name: state.name,
      text: kind === 'verdict' || !isWhole ? '' : state.text,
      beside: state.beside,
      signature,
    }),
    [state.name, state.text, state.beside, signature, kind, isWhole],
  )
  const chosen = useMemo(() => {
    if (verdict === null || E.isLeft(verdict)) return null
    const all = [...verdict.right.findings, ...verdict.right.notes]
    return all[Math.max(0, Math.min(finding, all.length - 1))] ?? null
  }, [verdict, finding])
  const spots = useMemo(
    () => (chosen === null ? [] : spotsOf(chosen, texts.signature, texts.text)),
    [chosen, texts.signature, texts.text],
  )
  const marks = useMemo(
    (): ReadonlyArray<Mark> =>
      spots.flatMap((s) =>
        s.line === null
          ? []
          : [{ line: s.line, className: `check-mark-${s.which}`, title: `${s.which} access of the finding` }],
      ),
    [spots],
  )
  const authorFile = spots.find((s) => s.author !== null && state.beside[s.author.file] !== undefined)?.author
    ?.file
  const author = authorFile ?? Object.keys(state.beside)[0]
  const authorMarks = useMemo(
    (): ReadonlyArray<Mark> =>
      spots.flatMap((s) =>
        s.author === null || s.author.file !== author
          ? []
          : [
              {
                line: s.author.line,
                className: `check-mark-${s.which}`,
                title: `${s.which} access of the finding`,
              },
            ],
      ),
    [spots, author],
  )
  const labels = useMemo(
    () =>
      kind === 'kernel'
        ? indispensable(asked.document)
        : (signature?.operations ?? []).map(
            (o) =>
              [
                o.without,
                `${o.name}, line ${String(o.line)}${o.place === null ? '' : `, ${o.place}`}`,
              ] as const,
          ),
    [signature, asked.document, kind],
  )
  const command = commandOf(state)
  const whatIf =
    kind === 'nothing' || kind === 'verdict' ? null : (
      <WhatIf
        state={state}
        labels={labels}
        before={outcomeOf(judgedBefore.document)}
        after={judged.isCurrent ? outcomeOf(judged.document) : null}
        refused={isRefused ? (judged.refused?.message ?? null) : null}
        isChanged={!isAsItIs(state)}
        isTrace={kind === 'trace'}
        isModule={kind === 'module'}
        change={change}
      />
    )
  const isRunShown = params['run'] === 'shown'
  const against = useMemo(() => readVersion(params['against']), [params['against']])
  const wrong = verdict !== null && E.isLeft(verdict) ? verdict.left : null

  return (
    <div
      class={`check stack${isOver ? ' check-over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        open(event.dataTransfer?.files)
      }}
    >
      <div>
        <h1>Check</h1>
        <p>
          Paste or drop the <code>.ttgir</code> or the <code>.ptx</code> that Triton leaves in its cache, or
          the PTX of any other compiler, with the <code>.py</code> or <code>.cu</code> and the launch. A
          program, a kernel that JAX traced, a trace or a verdict may be opened, too.
        </p>
        <div class="row">
          <button type="button" class="button primary" onClick={choose}>
            Open files
          </button>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            accept=".ttgir,.ptx,.json,.jsonl,.py,.cu,.cuh,.h,.npy,.mlir,.txt"
            onChange={(event) => {
              open(event.currentTarget.files)
              event.currentTarget.value = ''
            }}
          />
          {kind !== 'nothing' && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                kept = null
                show(empty)
              }}
            >
              Clear
            </button>
          )}
        </div>
        <Examples
          begin={(example) => {
            show(example)
          }}
          refuse={(line) => {
            setRefusals([line])
          }}
        />
      </div>
      <div role="alert">
        {refusals.map((line) => (
          <div key={line} class="refusal">
            {line}
          </div>
        ))}
      </div>
      {notes.map((line) => (
        <p key={line} class="small soft">
          {line}
        </p>
      ))}
      <div class="split">
        <div class="stack">
          {kind === 'kernel' ? (
            <div class="panel">
              <h2>
                <code>{state.kernel}</code>
                {state.set === '' ? '' : ` ${state.set}`}
              </h2>
              <p class="small">
                A kernel by name.{' '}
                <a
                  href={writeAddress({
                    place: 'kernels',
                    params: {
                      kernel: state.kernel,
                      ...(state.set === '' ? {} : { set: state.set }),
                      ...(state.without.length === 0 ? {} : { without: state.without.join('\n') }),
                    },
                  })}
                >
                  Watch it run
                </a>
              </p>
            </div>
          ) : (
            <div onPasteCapture={paste}>
              <div class="row check-file">
                <strong>{state.name === '' ? 'no text yet' : state.name}</strong>
                {state.text !== '' && (
                  <span class="soft small">{state.text.length.toLocaleString('en')} characters</span>
                )}
              </div>
              {isWhole ? (
                <Text
                  text={state.text}
                  language={languageOf(state.name)}
                  label={state.name === '' ? 'text to check: paste it here' : `text of ${state.name}`}
                  changed={(text) => {
                    change({ text, name: state.name === '' ? nameOf(text) : text === '' ? '' : state.name })
                  }}
                  marks={marks}
                  reveal={marks[0]?.line ?? null}
                />
              ) : (
                <pre
                  class="scroll check-beginning"
                  tabIndex={0}
                  role="region"
                  aria-label={`beginning of ${state.name}`}
                >
                  {state.text.slice(0, 2000)}
                </pre>
              )}
              {!isWhole && (
                <p class="small soft">
                  Too long to edit here: this is the beginning. At most {mostCharacters.toLocaleString('en')}{' '}
                  characters are read.
                </p>
              )}
            </div>
          )}
          {kind === 'kernel' && whatIf}
          {author !== undefined && (
            <div>
              <div class="row check-file">
                <strong>{author}</strong>
              </div>
              <Text
                text={state.beside[author] ?? ''}
                language="python"
                label={`lines of the author, ${author}`}
                readOnly
                changed={() => undefined}
                marks={authorMarks}
                reveal={authorMarks[0]?.line ?? null}
              />
            </div>
          )}
          {isLaunched && <Refusal refused={asked.refused} />}
          {isLaunched && (asked.working || asked.stopped) && <Busy asking={asked} what="reading the text" />}
          {isLaunched && signature !== null && (
            <LaunchForm
              signature={signature}
              grid={state.grid}
              ptx={
                kind === 'ptx'
                  ? { block: state.block, cluster: state.cluster, shared: state.shared, entry: state.entry }
                  : null
              }
              arg={state.arg}
              computes={state.computes}
              kept={keptNames}
              changed={change}
              choose={choose}
            />
          )}
        </div>
        <div class="stack">
          {kind === 'nothing' && (
            <div class="panel check-drop">
              <p>Nothing has been checked yet. Drop files anywhere on this page. Nothing is uploaded.</p>
            </div>
          )}
          {wrongFields.length > 0 && (
            <div class="refusal" role="status" aria-label="why there is no verdict">
              <strong>Not checked yet: the launch is incomplete.</strong>
              <ul>
                {wrongFields.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </div>
          )}
          {(judged.working || judged.stopped) && <Busy asking={judged} what="checking" />}
          <Refusal refused={judged.refused} />
          {wrong !== null && (
            <div class="refusal" role="alert">
              {state.name}: {wrong}
            </div>
          )}
          {verdict !== null && E.isRight(verdict) && (
            <div aria-busy={judged.working} class={judged.working ? 'check-stale' : ''}>
              <VerdictView
                verdict={verdict.right}
                document={document}
                printed={printed}
                chosen={finding}
                choose={setFinding}
                texts={texts}
                mend={
                  kind === 'verdict' || kind === 'trace' || kind === 'ptx'
                    ? null
                    : (n) => {
                        change({ mend: [...(isRefused ? [] : state.mend), n] })
                      }
                }
                leaveOut={
                  kind === 'verdict' || kind === 'trace'
                    ? null
                    : (label) => {
                        if (!state.without.includes(label)) change({ without: [...state.without, label] })
                      }
                }
                showRun={
                  runOf === null || isRefused || isRunShown
                    ? null
                    : () => {
                        set({ run: 'shown' }, true)
                      }
                }
              />
            </div>
          )}
          {kind !== 'kernel' && whatIf}
          {command !== null && (
            <section class="panel stack" aria-label="command line and link">
              <h2>Command line and link</h2>
              <pre class="scroll check-command" tabIndex={0} role="region" aria-label="command line">
                {command}
              </pre>
              <div class="row">
                <Copy text={command} what="Copy the command" />
                {Object.keys(state.tensors).length === 0 && (
                  <Copy text={() => linkOf(state)} what="Copy the link" />
                )}
                {ranBy(state) !== null && isFilled && (
                  <button
                    type="button"
                    class="button small"
                    title="keep this version as the first, then change it or open a second one"
                    onClick={() => {
                      set({ against: printVersion(state) }, true)
                    }}
                  >
                    Compare with another version
                  </button>
                )}
                <button
                  type="button"
                  class="button small"
                  title="a file with the sources, the launch and the changes under “What if”: open it here, or drop it on this page"
                  onClick={() => {
                    save(
                      `${(state.name || state.kernel).replace(/[^\w.-]+/g, '-')}.check.json`,
                      printKept(state),
                    )
                  }}
                >
                  Save to open again
                </button>
              </div>
            </section>
          )}
        </div>
      </div>
      {against !== null && ranBy(state) !== null && isFilled && (
        <Compare
          first={against}
          second={state}
          close={() => {
            set({ against: null }, true)
          }}
        />
      )}
      {isRunShown && runOf !== null && !isRefused && verdict !== null && E.isRight(verdict) && (
        <RunView
          question={runOf}
          close={() => {
            set({ run: null }, true)
          }}
          finding={finding}
          look={setFinding}
          leaveOut={(label) => {
            if (!state.without.includes(label)) change({ without: [...state.without, label] })
          }}
        />
      )}
    </div>
  )
}
