// Questions as the page asks them: what they reach for of the library is loaded ahead (tools/chapters.mjs).
import { readFileSync } from 'node:fs'

const textOf = (file) => readFileSync(new URL(`../conformance/${file}`, import.meta.url), 'utf8')
const scale = { ttgir: textOf('triton/first/row_scale.ttgir') }
const reduce = { ptx: textOf('hopper/cuda/block_reduce/broken1.ptx') }

const module = {
  kernel: 'k.ttgir',
  files: { 'k.ttgir': scale },
  grid: '2',
  arg: { dx: 'f16[128,64]:in', dy: 'f16[128,64]:out' },
}
const ptx = {
  kernel: 'k.ptx',
  files: { 'k.ptx': reduce },
  grid: '1',
  block: '128',
  arg: { 0: 'f32[128]:in', 1: 'f32[128]:out', 2: '128' },
}

/** A method and what it is asked about, as `chapters.ts` names them; the method; the params. */
export const questions = [
  ['kernels .ttgir', 'kernels', { kernel: 'k.ttgir', files: module.files }],
  ['check .ttgir', 'check', { ...module, printed: true }],
  ['view .ttgir', 'view', module],
  ['kernels .ptx', 'kernels', { kernel: 'k.ptx', files: ptx.files }],
  ['check .ptx', 'check', { ...ptx, printed: true }],
  ['view .ptx', 'view', ptx],
  ['kernels ', 'kernels', {}],
  ['check name', 'check', { kernel: 'zoo/W3', printed: true }],
  ['view name', 'view', { kernel: 'matmul1' }],
  ['layout ', 'layout', { layout: 'WGMMA', shape: '64x16' }],
]
