import type { UpstreamError } from '../wire-format.ts'

/**
 * Returns the wait time that the upstream asks for, in whole seconds and at least 1; undefined where it asks for none.
 */
export function readRetryAfter(answer: Pick<UpstreamError, 'headers' | 'receivedAtMs'>): number | undefined {
  const milliseconds = readNumber(answer.headers['retry-after-ms'])
  const seconds = milliseconds === undefined || milliseconds === 0 ? readSeconds(answer) : milliseconds / 1000
  if (seconds === undefined) return undefined
  return Math.max(1, Math.ceil(seconds))
}

/**
 * The wait until a date (RFC 9110, 10.2.3) starts at the answer's `Date` header if there is one, since our clock may
 * differ.
 */
function readSeconds({
  headers,
  receivedAtMs,
}: Pick<UpstreamError, 'headers' | 'receivedAtMs'>): number | undefined {
  const text = headers['retry-after']
  const seconds = readNumber(text)
  if (seconds !== undefined || text === undefined || /^\s*[-+\d.]+\s*$/.test(text)) return seconds
  const sentAtMs = Date.parse(headers['date'] ?? '')
  const waitMs = Date.parse(text) - (Number.isNaN(sentAtMs) ? (receivedAtMs ?? Number.NaN) : sentAtMs)
  return Number.isNaN(waitMs) ? undefined : waitMs / 1000
}

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}
