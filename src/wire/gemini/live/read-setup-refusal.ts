import type { ErrorCode } from '../../../canonical/error-table.ts'
import { classifyError } from '../errors/classify-error.ts'

/** Phrases in the close reason that tell the cause, since one close code, such as 1008, has several causes. */
const MODEL_MISSING = /not found|not supported for/i
const NO_ACCESS = /api[ _-]?key|permission|denied|unauthenticated|credential|billing/i
const OVER_QUOTA = /quota|resource.?exhausted|rate limit/i

/**
 * The row of the error table for a connection that a provider closes before the setup is complete. Google closes the
 * connection with the text of its errors and, in place of an HTTP status, a WebSocket close code: 1007 for invalid
 * input, 1008 for models and access, 1011 for faults and quotas.
 */
export function readSetupRefusal(code: number, reason: string): ErrorCode {
  const refusal = statusOf(code, reason)
  if (refusal === undefined) return 'upstream_disconnected'
  const [status, name] = refusal
  return classifyError(status, { message: reason, status: name, quotaIds: [] })
}

function statusOf(code: number, reason: string): readonly [status: number, name: string] | undefined {
  if (code !== 1007 && code !== 1008 && code !== 1011 && code !== 1013) return undefined
  if (OVER_QUOTA.test(reason)) return [429, 'RESOURCE_EXHAUSTED']
  if (code === 1011) return [500, 'INTERNAL']
  if (code === 1013) return [503, 'UNAVAILABLE']
  if (code === 1008 && MODEL_MISSING.test(reason)) return [404, 'NOT_FOUND']
  if (code === 1008 && NO_ACCESS.test(reason)) return [403, 'PERMISSION_DENIED']
  return [400, 'INVALID_ARGUMENT']
}
