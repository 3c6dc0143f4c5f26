/** More is never told: one of the official SDKs sleeps as long as it is told. */
const MOST_SECONDS = 60

/** What `retry-after` tells a caller: whole seconds from 1 to 60, and 1 where nobody said how long. */
export function writeRetryAfter(seconds = 1): string {
  return String(Math.min(MOST_SECONDS, Math.max(1, Math.ceil(seconds))))
}
