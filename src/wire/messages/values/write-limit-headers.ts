import { type LimitKind, type LimitStatus, lowestRemainingOf } from '../../limit-status.ts'

const PREFIX = 'anthropic-ratelimit'

/** The token limit below which the remaining tokens are not rounded, since whole thousands would say too little. */
const MIN_ROUNDED_TOKENS = 10_000
const THOUSAND = 1_000

/** The names of the headers, and the kinds of limits that each may show. */
const shown: readonly (readonly [string, readonly LimitKind[]])[] = [
  ['requests', ['requests']],
  // The most restrictive of all token limits.
  ['tokens', ['tokens', 'input-tokens', 'output-tokens']],
  ['input-tokens', ['input-tokens']],
  ['output-tokens', ['output-tokens']],
]

/**
 * Writes the rate limit headers of Anthropic's service. `reset` is the time (RFC 3339) when the whole limit is
 * available again, and remaining tokens are rounded to thousands (docs/en/api/rate-limits#response-headers, in the copy
 * of github.com/patrickcarmichael/claude-docs, seen 2026-11-23).
 */
export function writeLimitHeaders(
  limits: readonly LimitStatus[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [name, kinds] of shown) {
    const status = lowestRemainingOf(limits, kinds)
    if (status === undefined) continue
    headers[`${PREFIX}-${name}-limit`] = String(Math.floor(status.limit))
    headers[`${PREFIX}-${name}-remaining`] = String(remainingOf(status))
    headers[`${PREFIX}-${name}-reset`] = writeTime(nowMs + Math.max(0, status.resetMs))
  }
  return headers
}

function remainingOf({ kind, limit, remaining }: LimitStatus): number {
  const left = Math.max(0, Math.floor(remaining))
  if (kind === 'requests' || limit < MIN_ROUNDED_TOKENS) return left
  return Math.min(Math.floor(limit), Math.round(left / THOUSAND) * THOUSAND)
}

/** The time in RFC 3339, rounded up to a whole second. */
function writeTime(atMs: number): string {
  return new Date(Math.ceil(atMs / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}
