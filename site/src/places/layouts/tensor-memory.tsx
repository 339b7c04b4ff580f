/** Tensor memory: the lane and column of every element; or the columns that arrays take together. */
import { useMemo } from 'preact/hooks'
import { ofSchema, textAt } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { membersAt, numberAt, numbersAt, tensorMemoryOf } from './documents.js'
import { Linked } from './linked.js'
import {
  Carry,
  ChoiceField,
  elementTypes,
  LabelsSwitch,
  Presets,
  saying,
  TextField,
  Waiting,
  whileTyping,
  type Preset,
} from './parts.js'

const first = { layouts: 'DEFAULT(1)', shape: '128x32' }

const names: ReadonlyArray<readonly [string, string]> = [
  ['DEFAULT(1)', 'an accumulator of 128 rows, 32 bits per element'],
  ['DEFAULT(2)', 'two 16-bit elements per column'],
  ['DEFAULT(4)', 'four 8-bit elements per column'],
  ['HALF_LANE(64, 1)', '64 rows in half the lanes'],
  ['M64_COLLECTIVE(64, 1)', '64 rows of a pair of CTAs'],
  ['SCALES', 'scale factors'],
  ['B_SCALES_M64_COLLECTIVE(128)', 'scale factors of b, 64 rows of a pair of CTAs'],
  ['SPARSE_METADATA', 'metadata of a sparse operand'],
]

const presets: ReadonlyArray<Preset> = [
  { title: 'accumulator, 128 rows', params: { layouts: null, shape: null, dtype: null } },
  { title: '16 bits, packed', params: { layouts: 'DEFAULT(2)', shape: '128x32', dtype: 'f16' } },
  { title: '64 rows', params: { layouts: 'HALF_LANE(64, 1)', shape: '64x64', dtype: null } },
  { title: '64 rows of a pair', params: { layouts: 'M64_COLLECTIVE(64, 1)', shape: '64x64', dtype: null } },
  { title: 'scale factors', params: { layouts: 'SCALES', shape: '128x16', dtype: 'e8m0' } },
  { title: '128 x 256', params: { layouts: 'DEFAULT(1)', shape: '128x256', dtype: null } },
  {
    title: 'arrays together',
    params: {
      layouts: 'acc=DEFAULT(1):128x256 acc2=DEFAULT(1):128x128 scales=SCALES:128x4:e8m0',
      shape: null,
      dtype: null,
    },
  },
]

/** Names have blanks in their brackets: arrays are parted before `name=`. */
const layoutsOf = (text: string): ReadonlyArray<string> =>
  /^\s*\w+\s*=/.test(text) ? text.trim().split(/\s+(?=[A-Za-z_]\w*=)/) : [text.trim()]

export const TensorMemory = ({ params, set }: PlaceProps) => {
  const layouts = params['layouts'] ?? first.layouts
  const arrays = layouts.includes('=')
  const request = saying({
    layouts: layoutsOf(layouts),
    shape: arrays ? undefined : (params['shape'] ?? (params['layouts'] === undefined ? first.shape : '')),
    dtype: arrays ? undefined : params['dtype'],
  })
  const asking = useAnswer(
    'tmem',
    layouts.trim() === '' ? null : request,
    ofSchema('tcspec.tmem/1', 'tcspec.tmem-map/1'),
    whileTyping,
  )
  const document = asking.document
  const isMap = document !== null && textAt(document, 'schema') === 'tcspec.tmem-map/1'
  const pair = useMemo(
    () => (document === null || isMap ? null : tensorMemoryOf(document)),
    [document, isMap],
  )
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField
          label="layout of tensor memory, or arrays name=LAYOUT:SHAPE:DTYPE"
          name="layouts"
          params={params}
          set={set}
          instead={first.layouts}
          list={names}
          wide
        />
        {!arrays && (
          <>
            <TextField
              label="shape"
              name="shape"
              params={params}
              set={set}
              instead={params['layouts'] === undefined ? first.shape : ''}
              hint="its base tile"
            />
            <ChoiceField
              label="elements"
              name="dtype"
              params={params}
              set={set}
              choices={[['', 'as packed'], ...elementTypes, ['e8m0', 'e8m0']]}
            />
            <LabelsSwitch params={params} set={set} />
          </>
        )}
      </div>
      <Waiting asking={asking} what="tensor memory" />
      {document !== null && pair !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <p class="small">
            {textAt(document, 'layout')} on {numbersAt(document, 'shape').join(' x ')} of{' '}
            {numberAt(document, 'bits')} bits: {numberAt(document, 'columns')} of 512 columns,{' '}
            {numberAt(document, 'elementsPerColumn')} to a column, {numberAt(document, 'copies')}{' '}
            {numberAt(document, 'copies') === 1 ? 'copy' : 'copies'}. Registers:{' '}
            {textAt(document, 'registers')}. The hue is the row of the array.
          </p>
          <Linked {...pair} leftLabel="elements" rightLabel="lanes and columns" params={params} set={set} />
          <Carry method="tmem" request={request} />
        </div>
      )}
      {document !== null && isMap && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <p class="small">
            {numberAt(document, 'used')} columns in use, {numberAt(document, 'allocated')} of 512 allocated.
          </p>
          <div class="layouts-map" aria-hidden="true">
            {membersAt(document, 'arrays').map((array, k) => (
              <div
                key={textAt(array, 'name')}
                class="layouts-array"
                style={{
                  left: `${String((100 * numberAt(array, 'start')) / 512)}%`,
                  width: `${String((100 * numberAt(array, 'columns')) / 512)}%`,
                  background: `var(--hue-${String(k % 7)})`,
                }}
              >
                {textAt(array, 'name')}
              </div>
            ))}
          </div>
          <div class="scroll" tabIndex={0} role="region" aria-label="arrays of tensor memory">
            <table>
              <thead>
                <tr>
                  <th scope="col">array</th>
                  <th scope="col">layout</th>
                  <th scope="col">shape</th>
                  <th scope="col">bits</th>
                  <th scope="col">columns</th>
                </tr>
              </thead>
              <tbody>
                {membersAt(document, 'arrays').map((array) => (
                  <tr key={textAt(array, 'name')}>
                    <td>{textAt(array, 'name')}</td>
                    <td>{textAt(array, 'layout')}</td>
                    <td>{numbersAt(array, 'shape').join(' x ')}</td>
                    <td>{numberAt(array, 'bits')}</td>
                    <td>
                      {numberAt(array, 'start')} to{' '}
                      {numberAt(array, 'start') + numberAt(array, 'columns') - 1}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Carry method="tmem" request={request} />
        </div>
      )}
    </div>
  )
}
