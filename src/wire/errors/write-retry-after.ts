/** The limit: one of the official SDKs sleeps for as long as the header asks. */
const MOST_SECONDS = 60

/** The `retry-after` for a caller: whole seconds from 1 to 60, and 1 where no wait is known. */
export function writeRetryAfter(seconds = 1): string {
  return String(Math.min(MOST_SECONDS, Math.max(1, Math.ceil(seconds))))
}
