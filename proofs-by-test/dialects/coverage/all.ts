/** The surfaces with all their rows and refusals. */
import * as Pallas from '../../../src/dialects/pallas/index.js'
import * as Ttng from '../../../src/dialects/ttng/index.js'
import * as copyRefusals from '../pallas/refusals/copies.js'
import * as frameRefusals from '../pallas/refusals/frame.js'
import * as memoryRefusals from '../pallas/refusals/memory.js'
import * as pipelineRefusals from '../pallas/refusals/pipelines.js'
import * as tcgen05Refusals from '../pallas/refusals/tcgen05.js'
import * as wgmmaRefusals from '../pallas/refusals/wgmma.js'
import * as operationRefusals from '../ttng/refusals/operations.js'
import * as surroundingRefusals from '../ttng/refusals/surroundings.js'
import * as notModelled from './not-modelled.js'
import type { Surface } from './page.js'
import * as arrays from './pallas/arrays.js'
import * as copies from './pallas/copies.js'
import * as frame from './pallas/frame.js'
import * as memory from './pallas/memory.js'
import * as pipelines from './pallas/pipelines.js'
import * as tcgen05 from './pallas/tcgen05.js'
import * as wgmma from './pallas/wgmma.js'
import * as cutlassRows from './cutlass.js'
import * as mojoRows from './mojo.js'
import * as operations from './ttng/operations.js'
import * as surroundings from './ttng/surroundings.js'

export const pallas: Surface<typeof Pallas, Pallas.Code> = {
  title: 'Pallas:MGPU',
  folder: 'src/dialects/pallas',
  says: 'Pallas raises',
  surface: Pallas,
  rooms: [
    ['Memory and refs', memory.rows],
    ['Frames, barriers and scopes', frame.rows],
    ['Copies and accesses', copies.rows],
    ['Arithmetic of arrays', arrays.rows],
    ['The matrix unit of Hopper', wgmma.rows],
    ['The matrix unit of Blackwell and its memory', tcgen05.rows],
    ['Pipelines and loops', pipelines.rows],
  ],
  codes: Pallas.codes,
  refusals: [
    ...memoryRefusals.refusals,
    ...frameRefusals.refusals,
    ...copyRefusals.refusals,
    ...wgmmaRefusals.refusals,
    ...tcgen05Refusals.refusals,
    ...pipelineRefusals.refusals,
  ],
  notModelled: notModelled.ofPallas,
}

export const ttng: Surface<typeof Ttng, Ttng.Code> = {
  title: 'Triton',
  folder: 'src/dialects/ttng',
  says: 'source in Triton',
  surface: Ttng,
  rooms: [
    ['Operations of ttng', operations.rows],
    ['The frame around them', surroundings.rows],
  ],
  codes: Ttng.codes,
  refusals: [...operationRefusals.refusals, ...surroundingRefusals.refusals],
  notModelled: notModelled.ofTtng,
}

export const mojo: Surface<mojoRows.MojoSurface, mojoRows.MojoCode> = {
  title: "Mojo's KV pipeline",
  folder: 'src/dialects/mojo',
  says: 'what Mojo does',
  surface: mojoRows.surface,
  rooms: [
    ['The ring and its producer', mojoRows.producing],
    ['The consumer', mojoRows.consuming],
  ],
  codes: mojoRows.codes,
  refusals: mojoRows.refusals,
}

export const cutlass: Surface<cutlassRows.CutlassSurface, never> = {
  title: "CUTLASS's pipelines",
  folder: 'src/dialects/cutlass',
  says: 'what CUTLASS does',
  surface: cutlassRows.surface,
  rooms: [['Pipeline states and masks', cutlassRows.rows]],
  codes: {},
  refusals: [],
}
