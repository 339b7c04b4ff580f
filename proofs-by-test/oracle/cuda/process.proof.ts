/**
 * A program and the process that answers it: whose the socket is, what many threads at once are told, and what is left when one side is killed. The program is a script that
 * speaks to the socket itself, so nothing is compiled.
 */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { started } from '../../../src/oracle/cuda/process.js'
import { right } from '../../either.js'

/** What a script begins with: `ask` sends bytes on a connection of its own or a given one, and gives the answer. */
const head = `
const net = require('node:net'), fs = require('node:fs'), path = require('node:path')
const at = process.env.TCSPEC_CUDA_SOCKET
const connect = () => new Promise((r) => { const s = net.connect(at, () => r(s)); s.on('error', () => {}) })
const send = (s, bytes) => { const n = Buffer.alloc(4); n.writeUInt32LE(bytes.length); s.write(Buffer.concat([n, bytes])) }
const answered = (s, n) => new Promise((r) => { let all = Buffer.alloc(0); s.on('data', (d) => { all = Buffer.concat([all, d]); if (all.length >= n) r(all) }); s.on('close', () => r(all)) })
`

/** Runs a script; each message is answered with its bytes turned round. */
const ran = async (script: string) => {
  const messages: Uint8Array[] = []
  let room: string | null = null
  const ended = right(
    await started('/nowhere', process.execPath, ['-e', `${head};(async () => {${script}})()`], (message) => {
      const copy = Uint8Array.from(message)
      messages.push(copy)
      const text = new TextDecoder().decode(copy)
      if (text.startsWith('room ')) room = dirname(text.slice(5))
      return Uint8Array.from(copy).reverse()
    }),
  )
  return { ended, messages, room: room as string | null }
}

describe('a program that is started', () => {
  it('only the user may use the socket, and enter the folder that it lies in; both are gone behind the program', async () => {
    const { ended, room } = await ran(`
      const modes = [path.dirname(at), at].map((p) => fs.statSync(p).mode & 0o777)
      const s = await connect()
      send(s, Buffer.from('room ' + at))
      await answered(s, 1)
      process.exit(modes[0] === 0o700 && modes[1] === 0o600 ? 0 : 1)
    `)
    expect([ended.status, ended.signal, ended.connected]).toEqual([0, null, true])
    expect(room).not.toBeNull()
    expect(existsSync(room!)).toBe(false)
  })
  it('connections that race: each has the answers to its own messages, in their order', async () => {
    const { ended, messages } = await ran(`
      const all = await Promise.all(Array.from({ length: 8 }, async (_, k) => {
        const s = await connect()
        const done = answered(s, 100 * 6)
        for (let i = 0; i < 100; i++) send(s, Buffer.from([k, i, 0, 0, 0, 255]))
        const found = await done
        let right = found.length === 600
        for (let i = 0; i < 100; i++) right = right && found[6 * i] === 255 && found[6 * i + 4] === i && found[6 * i + 5] === k
        return right
      }))
      process.exit(all.every((x) => x) ? 0 : 1)
    `)
    expect(ended.status).toBe(0)
    expect(messages.length).toBe(800)
  })
  it('a message in many pieces is one message', async () => {
    const { ended, messages } = await ran(`
      const s = await connect()
      const done = answered(s, 5)
      const whole = Buffer.from([5, 0, 0, 0, 1, 2, 3, 4, 5])
      for (const b of whole) { s.write(Buffer.from([b])); await new Promise((r) => setTimeout(r, 2)) }
      process.exit((await done).equals(Buffer.from([5, 4, 3, 2, 1])) ? 0 : 1)
    `)
    expect(ended.status).toBe(0)
    expect(messages).toEqual([Uint8Array.of(1, 2, 3, 4, 5)])
  })
  it('a program that is killed in the middle of a message: its signal, nothing of the half message, no room left', async () => {
    const { ended, messages, room } = await ran(`
      const s = await connect()
      send(s, Buffer.from('room ' + at))
      await answered(s, 1)
      s.write(Buffer.from([100, 0, 0, 0, 1, 2, 3]), () => process.kill(process.pid, 'SIGKILL'))
    `)
    expect([ended.status, ended.signal, ended.number]).toEqual([null, 'SIGKILL', 9])
    expect(messages.length).toBe(1)
    expect(existsSync(room!)).toBe(false)
  })
  it('a message that says it is longer than any is not waited for', async () => {
    const { ended, messages } = await ran(`
      const s = await connect()
      const done = answered(s, 1)
      s.write(Buffer.from([255, 255, 255, 255, 0]))
      process.exit((await done).length === 0 ? 0 : 1)
    `)
    expect([ended.status, messages.length]).toEqual([0, 0])
  })
})
