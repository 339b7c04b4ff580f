/** SHA-256 of bytes or of a text (in UTF-8), in hexadecimal: how files are told apart, whatever they are called and wherever they lie. */
import { createHash } from 'node:crypto'

export const sha256 = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex')
