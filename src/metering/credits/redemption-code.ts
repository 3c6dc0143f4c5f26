import type { Random } from '../../kit/random/random.ts'

/**
 * The letters I, L, O and U are left out, since they are misread (Crockford's base 32,
 * https://www.crockford.com/base32.html, seen 2026-11-23).
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_BYTES = 24
const GROUP = /.{4}/g
const PREFIX = 'HG'
const HINT_LENGTH = 7

/** Creates a code that people can type: `HG-` and 24 characters in groups of four, 120 random bits. */
export function makeCode(random: Random): string {
  const body = [...random.bytes(RANDOM_BYTES)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const groups = body.match(GROUP) ?? []
  return [PREFIX, ...groups].join('-')
}

/** Returns the same text for the same code, regardless of case, separators and misread letters. */
export function normalizeCode(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^0-9A-Z]/g, '')
  return letters.replace(/O/g, '0').replace(/[IL]/g, '1')
}

/** The first characters of a code. They may be shown, to tell codes apart. */
export function hintOfCode(code: string): string {
  return code.slice(0, HINT_LENGTH)
}
