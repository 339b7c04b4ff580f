/**
 * Bytes as base64, with padding, as RFC 4648 section 4 has it; in a browser as in Node.js.
 *
 * Laws
 *  1. bytesOfBase64(base64OfBytes(bytes)) = bytes
 *  2. bytesOfBase64 answers null for a text that base64OfBytes writes for no bytes, but that bits beyond the last byte are not looked at
 */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const padding = '='.charCodeAt(0)

const codes = Uint8Array.from(alphabet, (c) => c.charCodeAt(0))
/** Six bits each; 64 where a character has none. */
const bitsOf = ((): Uint8Array => {
  const bits = new Uint8Array(256).fill(64)
  codes.forEach((code, k) => (bits[code] = k))
  return bits
})()

export const base64OfBytes = (bytes: Uint8Array): string => {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  const whole = bytes.length - (bytes.length % 3)
  let to = 0
  for (let from = 0; from < whole; from += 3) {
    const three = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!
    text[to++] = codes[three >> 18]!
    text[to++] = codes[(three >> 12) & 63]!
    text[to++] = codes[(three >> 6) & 63]!
    text[to++] = codes[three & 63]!
  }
  if (whole < bytes.length) {
    const two = (bytes[whole]! << 8) | (bytes[whole + 1] ?? 0)
    text[to++] = codes[two >> 10]!
    text[to++] = codes[(two >> 4) & 63]!
    text[to++] = whole + 1 < bytes.length ? codes[(two << 2) & 63]! : padding
    text[to] = padding
  }
  return new TextDecoder().decode(text)
}

/** Null where it is not base64, with its padding. */
export const bytesOfBase64 = (base64: string): Uint8Array | null => {
  const { length } = base64
  if (length % 4 !== 0) return null
  const padded = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  const text = new Uint8Array(length)
  // a character beyond ASCII takes more bytes than there are
  if (new TextEncoder().encodeInto(base64, text).read !== length) return null
  const bytes = new Uint8Array((length / 4) * 3 - padded)
  let found = 0
  let to = 0
  for (let from = 0; from < length; from += 4) {
    const [b, c, d] = [text[from + 1]!, text[from + 2]!, text[from + 3]!]
    const last = from + 4 === length
    const v0 = bitsOf[text[from]!]!
    const v1 = bitsOf[b]!
    const v2 = last && padded === 2 ? 0 : bitsOf[c]!
    const v3 = last && padded > 0 ? 0 : bitsOf[d]!
    found |= v0 | v1 | v2 | v3
    // what is beyond the end of the array is not kept
    bytes[to++] = (v0 << 2) | (v1 >> 4)
    bytes[to++] = (v1 << 4) | (v2 >> 2)
    bytes[to++] = (v2 << 6) | v3
  }
  return found >= 64 ? null : bytes
}
