/** Files of one folder: what lies inside is read, and nothing else, whatever its name says or links to. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answering } from '../../../src/oracle/serve/answer.js'
import { reading } from '../../../src/oracle/serve/folder.js'
import { code, right } from '../../either.js'
import { asked } from './here.js'

const table = 'warp,lane,register,dim0\n0,0,0,0\n'
let root = ''
let folder = ''
beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-folder-'))
  folder = path.join(root, 'in')
  fs.mkdirSync(path.join(folder, 'sub/dir.csv'), { recursive: true })
  fs.mkdirSync(path.join(root, 'inside'))
  fs.writeFileSync(path.join(folder, 'sub/l.csv'), table)
  fs.writeFileSync(path.join(root, 'inside/l.csv'), table)
  fs.writeFileSync(path.join(root, 'out.csv'), table)
  fs.symlinkSync(path.join(root, 'out.csv'), path.join(folder, 'link.csv'))
  fs.symlinkSync(root, path.join(folder, 'up'))
  fs.symlinkSync(path.join(folder, 'sub/l.csv'), path.join(folder, 'own.csv'))
})
afterAll(() => {
  fs.rmSync(root, { recursive: true, force: true })
})

describe('law 1', () => {
  test.each(['sub/l.csv', './sub/../sub/l.csv', 'own.csv'])('%s is read', (name) => {
    expect(new TextDecoder().decode(right(reading(folder)(name)()))).toBe(table)
  })
  test.each([
    '../out.csv',
    '../inside/l.csv',
    'link.csv',
    'up/out.csv',
    'sub/dir.csv',
    'none.csv',
    '',
    '.',
    'a\0b',
  ])('%j is not', (name) => {
    expect(code(reading(folder)(name)())).toBe('file-missing')
  })
  test('nor is a place by its whole path, unless it is inside', () => {
    expect(code(reading(folder)(path.join(root, 'out.csv'))())).toBe('file-missing')
    expect(code(reading(folder)('/etc/passwd')())).toBe('file-missing')
    expect(code(reading(folder)(path.join(folder, 'sub/l.csv'))())).toBe(null)
  })
  test('everything is inside of the root of a disk', () => {
    const { root: disk } = path.parse(folder)
    expect(code(reading(disk)(path.join(folder, 'sub/l.csv'))())).toBe(null)
    expect(code(reading(disk)(folder)())).toBe('file-missing')
  })
  test('a request reads it, and its own files stand before it', async () => {
    const answers = answering({ ...asked, behind: reading(folder) })
    const read = await answers('layout', { layout: 'sub/l.csv', shape: [1] }, null)
    expect(JSON.parse(right(read))).toMatchObject({ schema: 'tcspec.layout/1', shape: [1] })
    const own = await answers('layout', { layout: 'sub/l.csv', files: { 'sub/l.csv': 'x' } }, null)
    expect(own).toMatchObject({ left: { code: 1 } })
  })
})
