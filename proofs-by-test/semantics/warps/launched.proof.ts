/**
 * Upper words of addresses, and the host's own memory. Oracle: the address as one number; no process has memory below 64 KiB, and what a region is called by is its number alone.
 */
import { expect, test } from 'vitest'
import {
  isOfHost,
  mostWholeBytes,
  pieceAt,
  pieceBytes,
  regionAt,
  upperWord,
  type Region,
} from '../../../src/semantics/warps/launched.js'

const region = (name: string, ofHost: boolean): Region => ({
  name,
  bytes: 64,
  constant: null,
  datum: null,
  plane: 0,
  ...(ofHost ? { ofHost: true as const } : {}),
})

test('a region is found by its upper word; the host calls by its own word what it may see', () => {
  const all = [region('a', false), region('b', true), region('c', false)]
  all.forEach((one, k) => {
    expect(regionAt(all, upperWord(k, false))).toBe(one)
    expect(regionAt(all, upperWord(k, true))).toBe(one.ofHost === true ? one : undefined)
  })
  expect(regionAt(all, upperWord(3, false))).toBeUndefined()
  expect(regionAt(all, upperWord(3, true))).toBeUndefined()
  expect(regionAt(all, 0)).toBeUndefined()
  expect(regionAt(all, -1)).toBeUndefined()
  expect(new Set([0, 1, 2].flatMap((k) => [upperWord(k, false), upperWord(k, true)])).size).toBe(6)
})

test('the memory of a process: from 64 KiB on, as a host has it', () => {
  const low = [0, 1, 0xffff, 0x10000, 0x10001, 0xffffffff]
  expect(low.map((word) => isOfHost(0, word))).toEqual([false, false, false, true, true, true])
  expect(low.map((word) => isOfHost(1, word))).toEqual(low.map(() => true))
  // 48 bits with a sign; what the host may see of a region is called as the host calls it
  expect(
    [0x7fff, 0x8000, -1, upperWord(0, false), upperWord(0, true)].map((high) => isOfHost(high, 4)),
  ).toEqual([true, false, false, false, true])
})

test('pieces of a large tensor: as many bytes as say its number with the upper bits of a word', () => {
  expect(mostWholeBytes).toBe(0x7fffffff)
  for (const piece of [0, 1, 7])
    expect([piece * pieceBytes, (piece + 1) * pieceBytes - 1].map(pieceAt)).toEqual([piece, piece])
})
