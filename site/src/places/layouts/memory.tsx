/** An array in shared memory: the byte of every element, its line of 128 bytes and its bank. */
import { useMemo } from 'preact/hooks'
import { ofSchema, textAt } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { memoryOf, numberAt, numbersAt } from './documents.js'
import { Linked } from './linked.js'
import {
  Carry,
  ChoiceField,
  elementTypes,
  LabelsSwitch,
  operandsOf,
  Presets,
  saying,
  TextField,
  Waiting,
  whileTyping,
  type Preset,
} from './parts.js'

const first = { transforms: 'tile=8x64 swizzle=128', shape: '16x64', dtype: 'f16' }

const presets: ReadonlyArray<Preset> = [
  { title: 'swizzle of 128 bytes', params: { transforms: null, shape: null, dtype: null } },
  { title: 'none', params: { transforms: 'tile=8x64', shape: '16x64', dtype: 'f16' } },
  { title: '64 bytes', params: { transforms: 'tile=8x32 swizzle=64', shape: '16x32', dtype: 'f16' } },
  { title: '32 bytes', params: { transforms: 'tile=8x16 swizzle=32', shape: '16x16', dtype: 'f16' } },
  {
    title: '8-bit elements',
    params: { transforms: 'tile=8x128 swizzle=128', shape: '16x128', dtype: 'e4m3' },
  },
  {
    title: '4-bit elements',
    params: { transforms: 'tile=8x256 swizzle=128', shape: '8x256', dtype: 'e2m1' },
  },
  {
    title: 'two tiles across',
    params: { transforms: 'tile=8x64 swizzle=128', shape: '16x128', dtype: 'f16' },
  },
  {
    title: 'transposed tiles',
    params: { transforms: 'tile=8x64 transpose=1,0,2,3 swizzle=128', shape: '16x128', dtype: 'f16' },
  },
  { title: 'tiles in tiles', params: { transforms: 'tile=64x8/8x8', shape: '64x16', dtype: 'f16' } },
]

export const SharedMemory = ({ params, set }: PlaceProps) => {
  const transforms = params['transforms'] ?? first.transforms
  const json = transforms.trimStart().startsWith('{')
  const shape = params['shape'] ?? (json ? '' : first.shape)
  const request = saying({
    transforms: operandsOf(transforms),
    shape,
    dtype: json ? undefined : (params['dtype'] ?? first.dtype),
    base: params['base'],
  })
  const asking = useAnswer('transform', request, ofSchema('tcspec.transform/1'), whileTyping)
  const document = asking.document
  const pair = useMemo(() => (document === null ? null : memoryOf(document)), [document])
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField
          label="transforms in their order (tile=8x64, swizzle=128, transpose=1,0), or an array as JSON"
          name="transforms"
          params={params}
          set={set}
          instead={first.transforms}
          wide
        />
        <TextField label="shape" name="shape" params={params} set={set} instead={shape} />
        <ChoiceField label="elements" name="dtype" params={params} set={set} choices={elementTypes} />
        <TextField label="first byte" name="base" params={params} set={set} hint="0" />
        <LabelsSwitch params={params} set={set} />
      </div>
      <Waiting asking={asking} what="the array" />
      {document !== null && pair !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <p class="small">
            Physical shape {numbersAt(document, 'physicalShape').join(' x ')},{' '}
            {numberAt(document, 'bytes').toLocaleString('en')} bytes from {numberAt(document, 'base')}
            {numberAt(document, 'swizzle') === 16
              ? ', no swizzle'
              : `, swizzle ${String(numberAt(document, 'swizzle'))}`}
            {textAt(document, 'note')}. A line is 128 bytes: one word of each of the 32 banks. The hue is the
            chunk of 16 bytes in which an element lies before the swizzle: with a swizzle, every column of
            chunks has all hues.
          </p>
          <Linked {...pair} leftLabel="elements" rightLabel="shared memory" params={params} set={set} />
          <Carry method="transform" request={request} />
        </div>
      )}
    </div>
  )
}
