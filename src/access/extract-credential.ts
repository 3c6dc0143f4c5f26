import type { CredentialSource } from './authenticate.ts'

/** More than any client sends; bounds what one request can make us look up. */
const MOST_CANDIDATES = 8
const BEARER = /^bearer(?:\s+|$)/i

/**
 * The secrets that a request offers, without repeats, in the order `Authorization` (Bearer or bare), `x-api-key`,
 * `x-goog-api-key`, `?key=`. A header sent several times, which HTTP may join with commas, offers the whole value, as
 * a chosen key may hold a comma, and its parts.
 */
export function extractCredentials({ headers, queryKey }: CredentialSource): readonly string[] {
  const candidates: string[] = []
  for (const value of valuesOf(headers['authorization'])) addCandidate(candidates, withoutScheme(value))
  for (const value of valuesOf(headers['x-api-key'])) addCandidate(candidates, value)
  for (const value of valuesOf(headers['x-goog-api-key'])) addCandidate(candidates, value)
  if (queryKey !== undefined) addCandidate(candidates, queryKey)
  return candidates
}

const NO_VALUES: readonly string[] = []

function valuesOf(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return NO_VALUES
  if (typeof header === 'string') return header.includes(',') ? [header, ...header.split(',')] : [header]
  return header.flatMap((value) => valuesOf(value))
}

function withoutScheme(value: string): string {
  // Nearly every client writes it so.
  if (value.startsWith('Bearer ')) return value.slice('Bearer '.length)
  return value.trim().replace(BEARER, '')
}

function addCandidate(candidates: string[], value: string): void {
  const secret = value.trim()
  if (secret === '' || candidates.length >= MOST_CANDIDATES || candidates.includes(secret)) return
  candidates.push(secret)
}
