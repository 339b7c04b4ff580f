/** Which lane holds each element in which register. */
import { useMemo } from 'preact/hooks'
import { ofSchema } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { registersOf } from './documents.js'
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

const blocked =
  '{"kind": "blocked", "sizePerThread": [1, 4], "threadsPerWarp": [8, 4], "warpsPerCTA": [4, 1], "order": [1, 0]}'

const presets: ReadonlyArray<Preset> = [
  { title: 'WGMMA', params: { layout: null, shape: null } },
  { title: 'WGMMA_TRANSPOSED', params: { layout: 'WGMMA_TRANSPOSED', shape: '64x16' } },
  { title: 'a row of WGMMA', params: { layout: 'WGMMA_ROW', shape: '64' } },
  { title: 'TCGEN05', params: { layout: 'TCGEN05', shape: '128x32' } },
  { title: 'TMEM_NATIVE', params: { layout: 'TMEM_NATIVE(4)', shape: '128x32' } },
  { title: 'mma left operand', params: { layout: 'MMA_LHS(16, 4)', shape: '64x16' } },
  { title: 'mma right operand', params: { layout: 'MMA_RHS(16, 2)', shape: null } },
  { title: 'mma accumulator', params: { layout: 'MMA_ACC(2)', shape: null } },
  { title: 'strided', params: { layout: 'WG_STRIDED((64, 16), 2)', shape: null } },
  { title: 'Triton blocked', params: { layout: blocked, shape: '32x32' } },
  { title: '128 x 256', params: { layout: 'TCGEN05', shape: '128x256' } },
]

export const Registers = ({ params, set }: PlaceProps) => {
  const names = useNames()
  const layout = params['layout'] ?? 'WGMMA'
  const shape = params['shape'] ?? (params['layout'] === undefined ? '64x16' : '')
  const request = saying({ layout, shape })
  const asking = useAnswer(
    'layout',
    layout.trim() === '' ? null : request,
    ofSchema('tcspec.layout/1'),
    whileTyping,
  )
  const document = asking.document
  const found = useMemo(() => (document === null ? null : registersOf(document)), [document])
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField
          label="layout: a name, a description as JSON, or an encoding of Triton"
          name="layout"
          params={params}
          set={set}
          instead="WGMMA"
          list={names}
          wide
        />
        <TextField
          label="shape"
          name="shape"
          params={params}
          set={set}
          instead={shape}
          hint="its base tile"
        />
        <LabelsSwitch params={params} set={set} />
      </div>
      <Waiting asking={asking} what="the layout" />
      {found !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <p class="small">
            {found.name} on {found.grid.shape.join(' x ')}: {found.warps}{' '}
            {found.warps === 1 ? 'warp' : 'warps'} of {found.lanes} lanes,{' '}
            {found.splat
              ? 'one register in each lane, equal to every element'
              : `${String(found.registers)} ${found.registers === 1 ? 'register' : 'registers'} a lane`}
            ; a register holds one element here. In a cell: warp/lane/register. The hue is the lane, paler
            from warp to warp.
          </p>
          <Linked
            {...found.pair}
            leftLabel="elements"
            rightLabel="lanes and registers"
            params={params}
            set={set}
          />
          <Carry method="layout" request={request} />
        </div>
      )}
    </div>
  )
}
