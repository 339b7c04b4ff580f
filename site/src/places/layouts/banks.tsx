/** Bank conflicts: the instructions that move a register layout, and the turns of one of them, one by one. */
import { useMemo } from 'preact/hooks'
import { ofSchema, textAt, type Members } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { membersAt, numberAt, numbersAt, turnsOf } from './documents.js'
import { Linked } from './linked.js'
import { useNames } from './names.js'
import {
  Carry,
  ChoiceField,
  elementTypes,
  operandsOf,
  Presets,
  saying,
  SwitchField,
  TextField,
  Waiting,
  whileTyping,
  type Preset,
} from './parts.js'

const first = { layout: 'WGMMA', transforms: 'tile=8x64', shape: '64x64' }
const none = {
  layout: null,
  transforms: null,
  shape: null,
  dtype: null,
  store: null,
  widest: null,
  access: null,
  addresses: null,
  instruction: null,
  turn: null,
}
const range = (n: number, f: (k: number) => number): string =>
  Array.from({ length: n }, (_, k) => f(k)).join()

const presets: ReadonlyArray<Preset> = [
  { title: 'WGMMA without a swizzle', params: none },
  { title: 'with a swizzle of 128 bytes', params: { ...none, transforms: 'tile=8x64 swizzle=128' } },
  { title: 'with one of 32', params: { ...none, transforms: 'tile=8x16 swizzle=32' } },
  {
    title: 'a transposed store',
    params: { ...none, layout: 'WGMMA_TRANSPOSED', transforms: 'transpose=1,0', store: '1' },
  },
  {
    title: 'every second word',
    params: { ...none, access: 'ld.shared.b32', addresses: range(32, (k) => 8 * k) },
  },
  {
    title: 'a column of words',
    params: { ...none, access: 'ld.shared.b32', addresses: range(32, (k) => 128 * k) },
  },
  {
    title: '16 bytes a lane',
    params: { ...none, access: 'ld.shared.v4.b32', addresses: range(32, (k) => 16 * k) },
  },
  {
    title: 'ldmatrix, rows of 128 bytes',
    params: { ...none, access: 'ldmatrix.x4', addresses: range(32, (k) => 128 * k) },
  },
  {
    title: 'ldmatrix, swizzled',
    params: { ...none, access: 'ldmatrix.x1', addresses: range(8, (k) => 128 * k + 16 * k) },
  },
]

const accesses: ReadonlyArray<readonly [string, string]> = [
  ['', 'a layout in shared memory'],
  ...['ld', 'st'].flatMap((way) =>
    ['u16', 'b32', 'v2.b32', 'v4.b32'].map((of) => [`${way}.shared.${of}`, `${way}.shared.${of}`] as const),
  ),
  ...['ldmatrix', 'stmatrix'].flatMap((way) =>
    [1, 2, 4].map((n) => [`${way}.x${String(n)}`, `${way}.x${String(n)}`] as const),
  ),
]

const Instructions = ({
  document,
  choose,
}: {
  readonly document: Members
  readonly choose: (instruction: number) => void
}) => {
  const all = membersAt(document, 'instructions')
  const most = 64
  if (all.length === 0) return null
  return (
    <details>
      <summary>
        {all.length.toLocaleString('en')} instructions, {textAt(document, 'access')}; drawn is number{' '}
        {numberAt(document, 'instruction')}
      </summary>
      <div class="scroll layouts-instructions" tabIndex={0} role="region" aria-label="instructions">
        <table>
          <thead>
            <tr>
              <th scope="col">number</th>
              <th scope="col">warp</th>
              <th scope="col">registers</th>
              <th scope="col">turns</th>
              <th scope="col">conflicts</th>
            </tr>
          </thead>
          <tbody>
            {all.slice(0, most).map((one, k) => (
              <tr key={k} class={k === numberAt(document, 'instruction') ? 'layouts-on' : ''}>
                <td>
                  <button
                    type="button"
                    class="button small"
                    aria-label={`draw instruction ${String(k)}`}
                    onClick={() => {
                      choose(k)
                    }}
                  >
                    {k}
                  </button>
                </td>
                <td>{numberAt(one, 'warp')}</td>
                <td>{numbersAt(one, 'registers').join(' ')}</td>
                <td>{numberAt(one, 'wavefronts')}</td>
                <td>{numberAt(one, 'conflicts')}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {all.length > most && <p class="soft small">and {(all.length - most).toLocaleString('en')} more</p>}
      </div>
    </details>
  )
}

export const Banks = ({ params, set }: PlaceProps) => {
  const names = useNames()
  const access = params['access'] ?? ''
  const layout = params['layout'] ?? first.layout
  const transforms = params['transforms'] ?? first.transforms
  const shape = params['shape'] ?? first.shape
  const addresses = params['addresses'] ?? ''
  const request =
    access === ''
      ? saying({
          words: [layout, ...operandsOf(transforms)],
          shape,
          dtype: params['dtype'] ?? 'f16',
          store: params['store'] === '1',
          maxBytes: params['widest'],
          instruction: params['instruction'],
        })
      : saying({ access, addresses })
  const asking = useAnswer(
    'banks',
    access === '' && layout.trim() === '' ? null : request,
    ofSchema('tcspec.banks/1'),
    whileTyping,
  )
  const document = asking.document
  const turns = document === null ? [] : membersAt(document, 'turns')
  const said = Number(params['turn'] ?? '0')
  const turn =
    turns.length === 0 ? 0 : Math.max(0, Math.min(turns.length - 1, Number.isInteger(said) ? said : 0))
  const drawn = useMemo(() => (document === null ? null : turnsOf(document)), [document])
  const words = turns[turn] === undefined ? [] : membersAt(turns[turn], 'words')
  const marked = useMemo(() => (drawn === null ? [] : drawn.cellsOf(turn)), [drawn, turn])
  const go = (to: number): void => {
    set({ turn: String(Math.max(0, Math.min(turns.length - 1, to))) })
  }
  const fresh = { instruction: null, turn: null }
  const setFresh: typeof set = (changes, keep) => {
    set('at' in changes ? { ...fresh, ...changes } : changes, keep)
  }
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={setFresh} />
      <div class="layouts-form">
        <ChoiceField label="access" name="access" params={params} set={setFresh} choices={accesses} />
        {access === '' ? (
          <>
            <TextField
              label="register layout"
              name="layout"
              params={params}
              set={setFresh}
              instead={first.layout}
              list={names}
              wide
            />
            <TextField
              label="transforms"
              name="transforms"
              params={params}
              set={setFresh}
              instead={first.transforms}
            />
            <TextField label="shape" name="shape" params={params} set={setFresh} instead={first.shape} />
            <ChoiceField
              label="elements"
              name="dtype"
              params={params}
              set={setFresh}
              choices={elementTypes}
            />
            <ChoiceField
              label="widest access"
              name="widest"
              params={params}
              set={setFresh}
              choices={[
                ['16', '16 bytes'],
                ['8', '8 bytes'],
                ['4', '4 bytes'],
                ['2', '2 bytes'],
              ]}
            />
            <SwitchField label="a store" name="store" params={params} set={setFresh} />
          </>
        ) : (
          <TextField
            label="byte addresses by lane (or row of a matrix); - for an inactive lane"
            name="addresses"
            params={params}
            set={setFresh}
            wide
          />
        )}
      </div>
      <Waiting asking={asking} what="the banks" />
      {document !== null && drawn !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <p class="layouts-verdict">
            <span class={`badge ${numberAt(document, 'conflicts') === 0 ? 'good' : 'bad'}`}>
              <span aria-hidden="true">{numberAt(document, 'conflicts') === 0 ? '✓' : '✗'}</span>
              {numberAt(document, 'conflicts') === 0
                ? 'no conflicts'
                : `${numberAt(document, 'conflicts').toLocaleString('en')} ${numberAt(document, 'conflicts') === 1 ? 'conflict' : 'conflicts'}`}
            </span>{' '}
            {textAt(document, 'access')}: {numberAt(document, 'wavefronts').toLocaleString('en')} turns where{' '}
            {numberAt(document, 'idealWavefronts').toLocaleString('en')} would do
          </p>
          <Instructions
            document={document}
            choose={(k) => {
              set({ instruction: String(k), turn: null, at: null })
            }}
          />
          {turns.length > 0 && (
            <div class="panel stack">
              <div class="row" role="group" aria-label="wavefronts of the instruction">
                <button
                  type="button"
                  class="button small"
                  disabled={turn === 0}
                  onClick={() => {
                    go(turn - 1)
                  }}
                >
                  ← turn before
                </button>
                <input
                  type="range"
                  aria-label="turn"
                  min={0}
                  max={turns.length - 1}
                  value={turn}
                  onInput={(event) => {
                    go(Number(event.currentTarget.value))
                  }}
                />
                <button
                  type="button"
                  class="button small"
                  disabled={turn === turns.length - 1}
                  onClick={() => {
                    go(turn + 1)
                  }}
                >
                  next turn →
                </button>
                <strong class="layouts-turn">
                  turn {turn + 1} of {turns.length}
                  {turns[turn] !== undefined && `, phase ${String(numberAt(turns[turn], 'phase'))}`}
                </strong>
              </div>
              <p class="small layouts-delivered">
                {words.length} {words.length === 1 ? 'word' : 'words'} from as many banks, framed below.{' '}
                {drawn.waiting(turn)}
              </p>
            </div>
          )}
          <Linked
            left={drawn.side}
            right={null}
            relation={null}
            leftLabel="which lane accesses which bank"
            rightLabel=""
            leftMarked={marked}
            params={params}
            set={set}
          />
          <p class="small soft">
            Each number is the 128-byte line that the lane accesses in the bank. Each hue is one turn: if
            there are two hues in one column of a phase, the second one waits.
          </p>
          <Carry method="banks" request={request} />
        </div>
      )}
    </div>
  )
}
