import { MINUTE_MS } from '../../../kit/time/time-units.ts'
import { type LimitKind, type LimitStatus, lowestRemainingOf } from '../../limit-status.ts'

/**
 * Writes rate limits in the headers of OpenAI's services: one limit for requests, one for tokens of any kind, and the
 * time until the whole limit is available again (`x-ratelimit-reset-tokens: 6m0s`;
 * thoughtbot.com/blog/openai-rate-limits and community.openai.com/t/1268905, seen 2026-11-23).
 */
export function writeLimitHeaders(limits: readonly LimitStatus[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  const requests = lowestRemainingOf(limits, requestKinds)
  const tokens = lowestRemainingOf(limits, tokenKinds)
  if (requests !== undefined) addLimit(headers, requestNames, requests)
  if (tokens !== undefined) addLimit(headers, tokenNames, tokens)
  return headers
}

const requestKinds: readonly LimitKind[] = ['requests']
const tokenKinds: readonly LimitKind[] = ['tokens', 'input-tokens', 'output-tokens']

interface HeaderNames {
  readonly limit: string
  readonly remaining: string
  readonly reset: string
}

const requestNames = namesOf('requests')
const tokenNames = namesOf('tokens')

function namesOf(unit: string): HeaderNames {
  return {
    limit: `x-ratelimit-limit-${unit}`,
    remaining: `x-ratelimit-remaining-${unit}`,
    reset: `x-ratelimit-reset-${unit}`,
  }
}

function addLimit(headers: Record<string, string>, names: HeaderNames, status: LimitStatus): void {
  headers[names.limit] = String(Math.floor(status.limit))
  headers[names.remaining] = String(Math.max(0, Math.floor(status.remaining)))
  headers[names.reset] = writeGoDuration(status.resetMs)
}

/**
 * Writes a duration in the form of Go's `time.Duration` (https://pkg.go.dev/time#Duration.String), in whole
 * milliseconds: `12ms`, `1.5s`, `6m0s`.
 */
export function writeGoDuration(durationMs: number): string {
  const total = Math.max(0, Math.ceil(durationMs))
  if (total > 0 && total < 1_000) return `${total}ms`
  const seconds = `${(total % MINUTE_MS) / 1_000}s`
  const minutes = Math.floor(total / MINUTE_MS)
  if (minutes === 0) return seconds
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`
}
