import { type Branded, brand } from '../brand.ts'
import { scramble } from '../random/scramble.ts'

/**
 * A hash of 53 bits, the widest whole number that a double holds exactly. It is for distributing and comparing
 * values, not for secrets.
 */
export type Hash = Branded<number, 'Hash'>

const FIRST_SEED = 0x2545f491
const SECOND_SEED = 0x4cf5ad43
const WORD_SIZE = 2 ** 32

export function hashText(text: string): Hash {
  let first = FIRST_SEED
  let second = SECOND_SEED ^ text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    first = Math.imul(first ^ unit, 0x9e3779b1)
    second = Math.imul(second ^ unit, 0x85ebca77)
  }
  return join(first, second)
}

/** Hashes the first `length` bytes. */
export function hashBytes(bytes: Uint8Array, length = bytes.length): Hash {
  let first = FIRST_SEED
  let second = SECOND_SEED ^ length
  let index = 0
  for (; index + 3 < length; index += 4) {
    const word = readWord(bytes, index)
    first = Math.imul(first ^ word, 0x9e3779b1)
    second = Math.imul(second ^ word ^ (first >>> 15), 0x85ebca77)
  }
  for (; index < length; index += 1) {
    const byte = bytes[index] ?? 0
    first = Math.imul(first ^ byte, 0x9e3779b1)
    second = Math.imul(second ^ byte, 0x85ebca77)
  }
  return join(first, second)
}

function readWord(bytes: Uint8Array, index: number): number {
  const low = (bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8)
  return low | ((bytes[index + 2] ?? 0) << 16) | ((bytes[index + 3] ?? 0) << 24)
}

/** Combines two hashes into one. The order of the two matters. */
export function mixHashes(left: Hash, right: Hash): Hash {
  const first = scramble(lowOf(left) ^ Math.imul(highOf(right) + 1, 0x9e3779b1))
  const second = scramble(highOf(left) ^ Math.imul(lowOf(right) ^ first, 0x85ebca77))
  return join(first ^ lowOf(right), second)
}

/** Maps a hash to a fraction above 0 and up to 1, evenly distributed. */
export function fractionOf(hash: Hash): number {
  return (hash + 1) / 2 ** 53
}

function join(first: number, second: number): Hash {
  const low = scramble(first ^ (second >>> 15))
  const high = scramble(second ^ low)
  return brand<Hash>((high & 0x1fffff) * WORD_SIZE + (low >>> 0))
}

function lowOf(hash: Hash): number {
  return hash | 0
}

function highOf(hash: Hash): number {
  return Math.floor(hash / WORD_SIZE)
}
