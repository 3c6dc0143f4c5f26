import type { Redactor } from '../../telemetry/redact.ts'
import type { UpstreamHeaders } from '../../upstream/upstream.ts'

const MAX_CHARACTERS = 1_024
/** The characters that a header's value may have. */
const SAFE_VALUE = /^[\t\x20-\x7e]*$/

export type PassedHeaders = Readonly<Record<string, string>>

export const noPassedHeaders: PassedHeaders = {}

/**
 * The upstream headers that are passed on to the caller. A `*` at the end of an allowed name stands for any rest. The
 * installation's own secrets are removed, as everywhere.
 */
export function passAnswerHeaders(
  headers: UpstreamHeaders,
  allowed: readonly string[] | undefined,
  redactor: Redactor,
): PassedHeaders {
  if (allowed === undefined) return noPassedHeaders
  let passed: Record<string, string> | undefined
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== 'string' || !isAllowed(name, allowed)) continue
    if (value.length > MAX_CHARACTERS || !SAFE_VALUE.test(value)) continue
    passed ??= {}
    passed[name] = redactor.redact(value)
  }
  return passed ?? noPassedHeaders
}

function isAllowed(name: string, allowed: readonly string[]): boolean {
  for (const one of allowed) {
    if (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one) return true
  }
  return false
}
