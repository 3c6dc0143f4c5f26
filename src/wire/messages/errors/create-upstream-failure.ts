import type { ErrorCode } from '../../../canonical/error-table.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { classifyError } from './classify-error.ts'
import type { ErrorWords } from './read-error-words.ts'

export interface ErrorAnswer {
  readonly words: ErrorWords
  /** Absent where the error stood inside a good answer. */
  readonly status?: number
  readonly retryAfterSeconds?: number | undefined
  readonly body?: Buffer
  readonly namesStoredObjects?: boolean | undefined
}

/** Faults of the caller's request, which the upstream's own words explain best. */
const callerFaults: ReadonlySet<ErrorCode> = new Set([
  'upstream_rejected',
  'context_length_exceeded',
  'content_policy_violation',
  'request_too_large',
])

/** The status that an error without one would have had. */
const statusInsideAnswer = 200

/** The failure of an upstream's error. Faults of our own credential or deployment get our words alone. */
export function createUpstreamFailure(answer: ErrorAnswer): Failure {
  const { words, status, retryAfterSeconds, body, namesStoredObjects = false } = answer
  const { type, code, message, param, details } = words
  const errorCode = details?.['error_code']
  const found = classifyError({
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(typeof errorCode === 'string' ? { errorCode } : {}),
    namesStoredObjects,
  })
  const isCallerFault = callerFaults.has(found)
  return createFailure(found, {
    ...(isCallerFault && message !== undefined && message !== '' ? { message } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(details === undefined ? {} : { details }),
    upstream: {
      status: status ?? statusInsideAnswer,
      ...(type === undefined ? {} : { type }),
      ...(code === undefined ? {} : { code }),
      ...(message === undefined ? {} : { message }),
      ...(param === undefined ? {} : { param }),
      ...(isCallerFault && body !== undefined ? { body } : {}),
    },
  })
}
