import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { progressOn } from '../../../src/oracle/cli/progress.js'

it('a bar moves on a terminal, and hides no cursor that an interrupted process would leave hidden', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const written: string[] = []
  stream.on('data', (bytes: Buffer) => written.push(bytes.toString()))
  const bar = progressOn(stream)('checking')
  bar.update(1, 4)
  bar.update(4, 4)
  bar.stop()
  const text = written.join('')
  expect(text).toContain('checking [')
  expect(text).not.toContain('[?25l')
})
