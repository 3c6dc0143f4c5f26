import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { callerFaults } from '../../errors/caller-faults.ts'
import { classifyError } from './classify-error.ts'
import type { ErrorFields } from './read-error-fields.ts'

export interface ErrorAnswer {
  readonly fields: ErrorFields
  /** Absent if the error arrived inside a successful answer. */
  readonly status?: number
  readonly retryAfterSeconds?: number | undefined
  readonly body?: Buffer
  readonly namesStoredObjects?: boolean | undefined
}

/** The status for an error that arrived without one. */
const statusInsideAnswer = 200

/** The failure for an upstream's error. If our own credential or deployment is at fault, it has only our message. */
export function createUpstreamFailure(answer: ErrorAnswer): Failure {
  const { fields, status, retryAfterSeconds, body, namesStoredObjects = false } = answer
  const { type, code, message, param, details } = fields
  const errorCode = details?.['error_code']
  const found = classifyError({
    ...omitUndefined({ status, type, code, message }),
    ...(typeof errorCode === 'string' ? { errorCode } : {}),
    namesStoredObjects,
  })
  const isCallerFault = callerFaults.has(found)
  return createFailure(
    found,
    omitUndefined({
      ...(isCallerFault && message !== undefined && message !== '' ? { message } : {}),
      retryAfterSeconds,
      details,
      upstream: {
        status: status ?? statusInsideAnswer,
        ...omitUndefined({ type, code, message, param, body: isCallerFault ? body : undefined }),
      },
    }),
  )
}
