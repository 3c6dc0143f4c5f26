import { errorRow } from '../../canonical/error-table.ts'
import type { Failure } from '../../canonical/failure.ts'

/** The limit on the wait, since one of the official SDKs sleeps for as long as the header says. */
const MAX_SECONDS = 60

/**
 * Writes the headers that tell a client when to retry. A wait that is not a whole number of seconds is also given in
 * milliseconds, which the official SDKs of OpenAI and Anthropic prefer (openai 7.55.0, @anthropic-ai/sdk 1.11.0, seen
 * 2026-11-23).
 */
export function writeRetryHeaders({ code, retryAfterSeconds }: Failure): Readonly<Record<string, string>> {
  switch (errorRow(code).retry) {
    case 'wait':
      return {
        'retry-after': writeSeconds(retryAfterSeconds),
        ...(retryAfterSeconds === undefined || Number.isInteger(retryAfterSeconds)
          ? {}
          : { 'retry-after-ms': writeMilliseconds(retryAfterSeconds) }),
      }
    case 'never':
      return { 'x-should-retry': 'false' }
    case 'caller':
      return {}
  }
}

/** Writes whole seconds from 1 to 60. An unknown wait is written as 1. */
function writeSeconds(seconds = 1): string {
  return String(Math.min(MAX_SECONDS, Math.max(1, Math.ceil(seconds))))
}

function writeMilliseconds(seconds: number): string {
  return String(Math.min(MAX_SECONDS * 1_000, Math.max(1, Math.ceil(seconds * 1_000))))
}
