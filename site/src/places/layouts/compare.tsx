/** Two layouts beside each other: equal, or the first element that lies elsewhere. */
import { useMemo } from 'preact/hooks'
import { isMembers, ofSchema } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { comparedOf, membersAt, numberAt, numbersAt, placeOf, registersOf } from './documents.js'
import { Linked } from './linked.js'
import { useNames } from './names.js'
import {
  Carry,
  LabelsSwitch,
  Presets,
  saying,
  TextField,
  Waiting,
  whileTyping,
  type Preset,
} from './parts.js'

const first = { one: 'WGMMA', other: 'WGMMA_TRANSPOSED', shape: '64x16' }

const mma = '{"kind": "nvidia_mma", "versionMajor": 3, "instrShape": [16, 64, 16], "warpsPerCTA": [4, 1]}'
const blocked =
  '{"kind": "blocked", "sizePerThread": [1, 2], "threadsPerWarp": [8, 4], "warpsPerCTA": [4, 1], "order": [1, 0]}'
const tv =
  '{"kind": "cute_tv", "layout": "((4,8,4),(2,2)):((128,1,16),(8,64))", "positions": "column-major", "shape": [64, 8]}'

const presets: ReadonlyArray<Preset> = [
  { title: 'WGMMA and its transposed', params: { one: null, other: null, shape: null } },
  { title: 'Triton nvidia_mma and WGMMA', params: { one: mma, other: 'WGMMA', shape: '64x64' } },
  { title: 'Triton blocked and WGMMA', params: { one: blocked, other: 'WGMMA', shape: '64x8' } },
  { title: 'a wrong CuTe fragment', params: { one: tv, other: 'WGMMA', shape: '64x8' } },
  { title: 'TCGEN05 and TMEM_NATIVE', params: { one: 'TCGEN05', other: 'TMEM_NATIVE(2)', shape: '128x16' } },
]

export const Compare = ({ params, set }: PlaceProps) => {
  const names = useNames()
  const one = params['one'] ?? first.one
  const other = params['other'] ?? first.other
  const shape =
    params['shape'] ?? (params['one'] === undefined && params['other'] === undefined ? first.shape : '')
  const said = one.trim() !== '' && other.trim() !== ''
  const request = saying({ layout: 'check', file: one, against: other, shape })
  const asking = useAnswer('layout', said ? request : null, ofSchema('tcspec.layout-check/1'), whileTyping)
  const check = asking.document
  // the shape on which they are compared is the one that the comparison says
  const on = check === null || asking.refused !== null ? null : numbersAt(check, 'shape').join('x')
  const mine = useAnswer(
    'layout',
    on === null ? null : { layout: one, shape: on },
    ofSchema('tcspec.layout/1'),
  )
  const theirs = useAnswer(
    'layout',
    on === null ? null : { layout: other, shape: on },
    ofSchema('tcspec.layout/1'),
  )
  const [a, b] = [mine.document, theirs.document]
  const pair = useMemo(
    () =>
      a === null || b === null || numbersAt(a, 'shape').join() !== numbersAt(b, 'shape').join()
        ? null
        : comparedOf(registersOf(a), registersOf(b)),
    [a, b],
  )
  const differs = check === null || !isMembers(check['first']) ? null : check['first']
  const marked = useMemo(
    () =>
      check === null || differs === null
        ? []
        : [placeOf(numbersAt(check, 'shape'), numbersAt(differs, 'index'))],
    [check, differs],
  )
  const places = (name: string): string => {
    if (differs === null) return ''
    const held = membersAt(differs, name).map(
      (p) =>
        `warp ${String(numberAt(p, 'warp'))} lane ${String(numberAt(p, 'lane'))} register ${String(numberAt(p, 'register'))}`,
    )
    return held.length === 0
      ? 'no register'
      : held.length > 3
        ? `${held.slice(0, 3).join(', ')}, ${String(held.length - 3)} more`
        : held.join(', ')
  }
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField
          label="one layout"
          name="one"
          params={params}
          set={set}
          instead={first.one}
          list={names}
          wide
        />
        <TextField
          label="the other"
          name="other"
          params={params}
          set={set}
          instead={first.other}
          list={names}
          wide
        />
        <TextField
          label="shape"
          name="shape"
          params={params}
          set={set}
          instead={shape}
          hint="the shape of the first layout"
        />
        <LabelsSwitch params={params} set={set} />
      </div>
      <Waiting asking={asking} what="the comparison" />
      {check !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          {differs === null ? (
            <p class="layouts-verdict">
              <span class="badge good">
                <span aria-hidden="true">✓</span>equal
              </span>{' '}
              every element of {numbersAt(check, 'shape').join(' x ')} lies in the same registers
            </p>
          ) : (
            <p class="layouts-verdict">
              <span class="badge bad">
                <span aria-hidden="true">✗</span>different
              </span>{' '}
              {numberAt(check, 'different').toLocaleString('en')} elements lie elsewhere. The first is (
              {numbersAt(differs, 'index').join(', ')}), framed on both boards: on the left,{' '}
              {places('layout')}; on the right, {places('against')}.
            </p>
          )}
          {pair !== null && (
            <Linked
              {...pair}
              leftLabel="the one"
              rightLabel="the other"
              leftMarked={marked}
              rightMarked={marked}
              params={params}
              set={set}
            />
          )}
          <Carry method="layout" request={request} svg={false} />
        </div>
      )}
    </div>
  )
}
